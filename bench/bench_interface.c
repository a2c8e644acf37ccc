// SPDX-License-Identifier: Apache-2.0
// Cost of the interface: the tippe top with Moreau's midpoint rule at 1e-5 s
//
//   by hand         one loop written for this model alone: same formulas, same laws, projected
//                   Gauss-Seidel in the transformed ball until its steps are small
//   with services   the same loop with what every step through the interfaces also does: the error
//                   of the reactions recomputed from the data in two measures, the energy ledger,
//                   a state that a failed step leaves as it was, values that are not finite found
//   interface       through the system, step and solver interfaces
//
//     bench_interface [repeats]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "step/step.h"
#include "stiction/extend/base.h"
#include "stiction/extend/vec3.h"

enum { STEPS = 100000, SLICE = 100, SLICES = STEPS / SLICE };
static const double h = 1e-5;

// least time of every slice of steps over the repeats: other programs disturb single slices only
typedef struct Watch {
    double best[SLICES], start;
} Watch;

static void tick(Watch* watch, int step)
{
    const double now = stic_timer_seconds();
    if (step > 0)
        watch->best[step / SLICE - 1] = fmin(watch->best[step / SLICE - 1], now - watch->start);
    watch->start = stic_timer_seconds();
}

static double microseconds(const Watch* watch)
{
    double sum = 0.0;
    for (int i = 0; i < SLICES; ++i)
        sum += watch->best[i];
    return 1e6 * sum / STEPS;
}

static const double m = 6e-3, J1 = 8e-7, J3 = 7e-7, c1 = 0.003, c2 = 0.016, r1 = 0.015, r2 = 0.005;
static const double mu = 0.3, Rbar = 3.0 * 3.14159265358979323846 / 16.0 * 5e-4, g = 9.81;

typedef struct Top {
    double x[3], v[3], w[3];
    SticQuat a;
} Top;

// rows of one contact: normal, two tangents, drilling; translation and rotation parts
typedef struct Contact {
    double t[4][3], a[4][3], r[4];
} Contact;

static void fill_contact(SticMat3 R, double c, double r, Contact* k)
{
    const SticVec3 axis = stic_mat3_column(R, 2);
    const SticVec3 arm = stic_vec3_sub(stic_vec3_scale(c, axis), stic_vec3(0, 0, r));
    const SticVec3 direction[3] = {stic_vec3(0, 0, 1), stic_vec3(1, 0, 0), stic_vec3(0, 1, 0)};
    for (int i = 0; i < 3; ++i) {
        stic_vec3_store(direction[i], k->t[i]);
        stic_vec3_store(stic_mat3_transpose_mul_vec(R, stic_vec3_cross(arm, direction[i])),
                        k->a[i]);
    }
    memset(k->t[3], 0, sizeof k->t[3]);
    stic_vec3_store(stic_mat3_row(R, 2), k->a[3]);
    // the drilling row in units of a sliding force: the ellipsoid becomes a ball
    for (int i = 0; i < 3; ++i)
        k->a[3][i] *= Rbar;
}

static double pull(const Contact* k, int row, const Top* top)
{
    double sum = 0.0;
    for (int i = 0; i < 3; ++i)
        sum += k->t[row][i] * top->v[i] + k->a[row][i] * top->w[i];
    return sum;
}

static void push(const Contact* k, int row, double dr, Top* top)
{
    const double J[3] = {J1, J1, J3};
    for (int i = 0; i < 3; ++i) {
        top->v[i] += k->t[row][i] / m * dr;
        top->w[i] += k->a[row][i] / J[i] * dr;
    }
}

static double diagonal(const Contact* k, int row)
{
    const double J[3] = {J1, J1, J3};
    double sum = 0.0;
    for (int i = 0; i < 3; ++i)
        sum += k->t[row][i] * k->t[row][i] / m + k->a[row][i] * k->a[row][i] / J[i];
    return sum;
}

// one sweep over a contact; returns the change of the reactions
static double sweep(Contact* k, Top* top)
{
    double change = 0.0, z[3], size = 0.0, largest = 0.0;
    const double normal = fmax(0.0, k->r[0] - pull(k, 0, top) / diagonal(k, 0));
    change += fabs(normal - k->r[0]);
    push(k, 0, normal - k->r[0], top);
    k->r[0] = normal;
    for (int i = 0; i < 3; ++i)
        largest = fmax(largest, diagonal(k, 1 + i));
    for (int i = 0; i < 3; ++i) {
        z[i] = k->r[1 + i] - pull(k, 1 + i, top) / largest;
        size += z[i] * z[i];
    }
    size = sqrt(size);
    for (int i = 0; i < 3; ++i) {
        const double r = size > mu * normal ? mu * normal * z[i] / size : z[i];
        change += fabs(r - k->r[1 + i]);
        push(k, 1 + i, r - k->r[1 + i], top);
        k->r[1 + i] = r;
    }
    return change;
}

static void half_drift(Top* top)
{
    for (int i = 0; i < 3; ++i)
        top->x[i] += 0.5 * h * top->v[i];
    const SticQuat rate = stic_quat_mul(top->a, stic_quat(0.0, stic_vec3_load(top->w)));
    top->a = stic_quat_add(top->a, stic_quat_scale(0.25 * h, rate));
}

// what a step with services keeps
typedef struct Services {
    Top free;            // before reactions
    double before[2][4]; // relative velocities at the beginning
    double kinetic, potential, impact, friction, integration; // ledger
    double unit_free, relative;                               // largest errors of all steps
    bool failed;
} Services;

// forces and gyroscopic terms; true for contacts that are closed, whose rows are filled
static void free_motion(Top* top, Contact contact[2], bool active[2])
{
    const double c[2] = {c1, c2}, radius[2] = {r1, r2};
    const SticMat3 R = stic_quat_to_scaled_matrix(top->a);
    for (int i = 0; i < 2; ++i) {
        active[i] = top->x[2] + c[i] * R.m[2][2] - radius[i] <= 0.0;
        if (active[i])
            fill_contact(R, c[i], radius[i], &contact[i]);
        else
            memset(contact[i].r, 0, sizeof contact[i].r);
    }
    const double w[3] = {top->w[0], top->w[1], top->w[2]};
    top->v[2] -= h * g;
    top->w[0] += h * (J1 - J3) / J1 * w[1] * w[2];
    top->w[1] += h * (J3 - J1) / J1 * w[0] * w[2];
}

static void react(Top* top, Contact contact[2], const bool active[2])
{
    for (int i = 0; i < 2; ++i)
        for (int row = 0; active[i] && row < 4; ++row)
            push(&contact[i], row, contact[i].r[row], top);
    for (int k = 0; k < 1000; ++k) {
        double change = 0.0, size = 0.0;
        for (int i = 0; i < 2; ++i)
            if (active[i]) {
                change += sweep(&contact[i], top);
                size += contact[i].r[0];
            }
        if (change <= 1e-8 * size)
            break;
    }
}

static void hand_step(Top* top, Contact contact[2])
{
    bool active[2];
    half_drift(top);
    free_motion(top, contact, active);
    react(top, contact, active);
    half_drift(top);
    top->a = stic_quat_normalize(top->a);
}

/* ---- with services ---- */

// squares of the defects of one contact at the velocities of `top`: with unit steps, and in energy
static void add_defects(const Contact* k, const Top* top, double* square, double* energy)
{
    const double rho = diagonal(k, 0), u = pull(k, 0, top);
    const double plain = k->r[0] - fmax(0.0, k->r[0] - u),
                 scaled = k->r[0] - fmax(0.0, k->r[0] - u / rho);
    double z[2][3], size[2] = {0.0, 0.0}, largest = 0.0;
    *square += plain * plain;
    *energy += scaled * scaled * rho;
    for (int i = 0; i < 3; ++i)
        largest = fmax(largest, diagonal(k, 1 + i));
    for (int i = 0; i < 3; ++i) {
        const double slip = pull(k, 1 + i, top);
        z[0][i] = k->r[1 + i] - slip;
        z[1][i] = k->r[1 + i] - slip / largest;
        size[0] += z[0][i] * z[0][i];
        size[1] += z[1][i] * z[1][i];
    }
    for (int way = 0; way < 2; ++way) {
        const double bound = mu * k->r[0], length = sqrt(size[way]);
        for (int i = 0; i < 3; ++i) {
            const double r = length > bound ? bound * z[way][i] / length : z[way][i];
            const double defect = k->r[1 + i] - r;
            *(way == 0 ? square : energy) += defect * defect * (way == 0 ? 1.0 : largest);
        }
    }
}

// errors of the reactions, with velocities computed anew from the free ones
static void judge(const Contact contact[2], const bool active[2], Services* services)
{
    double square = 0.0, energy = 0.0, b_square = 0.0, b_energy = 0.0;
    Top top = services->free;
    for (int i = 0; i < 2; ++i)
        for (int row = 0; active[i] && row < 4; ++row)
            push(&contact[i], row, contact[i].r[row], &top);
    for (int i = 0; i < 2; ++i) {
        if (!active[i])
            continue;
        add_defects(&contact[i], &top, &square, &energy);
        for (int row = 0; row < 4; ++row) {
            const double b = pull(&contact[i], row, &services->free);
            b_square += b * b;
            b_energy += b * b / diagonal(&contact[i], row);
        }
    }
    if (b_square > 0.0) {
        services->relative = fmax(services->relative, sqrt(square / b_square));
        services->unit_free = fmax(services->unit_free, sqrt(energy / b_energy));
    }
}

static void keep_ledger(const Top* from, const Top* to, const Contact contact[2],
                        const bool active[2], Services* services)
{
    const double M[6] = {m, m, m, J1, J1, J3};
    double kinetic = 0.0, impact = 0.0, friction = 0.0;
    for (int i = 0; i < 3; ++i) {
        kinetic += 0.5 * M[i] * (to->v[i] + from->v[i]) * (to->v[i] - from->v[i]);
        kinetic += 0.5 * M[3 + i] * (to->w[i] + from->w[i]) * (to->w[i] - from->w[i]);
    }
    for (int i = 0; i < 2; ++i)
        for (int row = 0; active[i] && row < 4; ++row) {
            const double mean = 0.5 * (services->before[i][row] + pull(&contact[i], row, to));
            *(row == 0 ? &impact : &friction) += contact[i].r[row] * mean;
        }
    const double potential = m * g * (to->x[2] - from->x[2]);
    services->kinetic += kinetic;
    services->potential += potential;
    services->impact += impact;
    services->friction += friction;
    services->integration += kinetic + potential - impact - friction;
}

static bool is_finite(const Top* top)
{
    double sum = 0.0 * (top->a.w + top->a.x + top->a.y + top->a.z);
    for (int i = 0; i < 3; ++i)
        sum += 0.0 * (top->x[i] + top->v[i] + top->w[i]);
    return sum == 0.0;
}

static void service_step(Top* top, Contact contact[2], Services* services)
{
    Top next = *top;
    Contact tried[2] = {contact[0], contact[1]};
    bool active[2];
    half_drift(&next);
    const Top begin = next;
    free_motion(&next, tried, active);
    for (int i = 0; i < 2; ++i)
        for (int row = 0; active[i] && row < 4; ++row)
            services->before[i][row] = pull(&tried[i], row, &begin);
    services->free = next;
    react(&next, tried, active);
    judge(tried, active, services);
    half_drift(&next);
    next.a = stic_quat_normalize(next.a);
    keep_ledger(top, &next, tried, active, services);
    if (!is_finite(&next)) {
        services->failed = true;
        return;
    }
    *top = next;
    memcpy(contact, tried, sizeof tried);
}

static void run_by_hand(Watch* watch, Top* top, Services* services)
{
    Contact contact[2] = {0};
    *top = (Top){.x = {0, 0, 1.2015e-2}, .w = {0, 0, 180}, .a = {cos(0.05), sin(0.05), 0, 0}};
    for (int k = 0; k < STEPS; ++k) {
        if (k % SLICE == 0)
            tick(watch, k);
        if (services == NULL)
            hand_step(top, contact);
        else
            service_step(top, contact, services);
    }
    tick(watch, STEPS);
}

static bool run_by_interface(Watch* watch, double* q)
{
    const SticContext context = stic_context_default();
    const SticModel* model = stic_model_find("tippe-top", NULL);
    const SticScheme* scheme = stic_scheme_find("moreau", NULL);
    double parameters[64];
    SticSystem* system = NULL;
    SticStepper* stepper = NULL;
    SticState *now = NULL, *next = NULL;
    SticStepInfo info;
    stic_fields_default(model->fields, parameters);
    if (model->create(&context, parameters, STIC_CHART_QUATERNION, &system, NULL) != STIC_OK ||
        stic_stepper_create(&context, scheme, &stepper) != STIC_OK ||
        stic_state_create(&context, &system->layout, &now) != STIC_OK ||
        stic_state_create(&context, &system->layout, &next) != STIC_OK)
        return false;
    model->start(parameters, STIC_CHART_QUATERNION, now);
    stepper->solve.settings.tolerance = 1e-8;
    tick(watch, 0);
    for (int k = 1; k <= STEPS; ++k) {
        if (stic_step(stepper, system, now, k * h, next, &info) != STIC_OK)
            return false;
        SticState* old = now;
        now = next;
        next = old;
        if (k % SLICE == 0)
            tick(watch, k);
    }
    memcpy(q, now->q, 7 * sizeof *q);
    stic_state_destroy(now, &system->layout);
    stic_state_destroy(next, &system->layout);
    stic_stepper_destroy(stepper);
    stic_small_destroy(system);
    return true;
}

int main(int argc, char** argv)
{
    const int repeats = argc > 1 ? atoi(argv[1]) : 5;
    static Watch hand, served, interface;
    Services services = {0};
    double q[7];
    Top top, other;
    for (int i = 0; i < SLICES; ++i)
        hand.best[i] = served.best[i] = interface.best[i] = INFINITY;
    for (int k = 0; k < repeats; ++k) {
        services = (Services){0};
        run_by_hand(&hand, &top, NULL);
        run_by_hand(&served, &other, &services);
        if (services.failed || !run_by_interface(&interface, q))
            return 1;
    }
    const double times[] = {microseconds(&hand), microseconds(&served), microseconds(&interface)};
    printf("tippe top, Moreau, %d steps of %g s, least time of every %d steps in %d runs\n", STEPS,
           h, SLICE, repeats);
    printf("  by hand        %.3f us/step, height %.9f\n", times[0], top.x[2]);
    printf("  with services  %.3f us/step, height %.9f, largest errors %.1e and %.1e\n", times[1],
           other.x[2], services.unit_free, services.relative);
    printf("                 kinetic %.3e, potential %.3e, friction %.3e, integration %.1e J\n",
           services.kinetic, services.potential, services.friction, services.integration);
    printf("  interface      %.3f us/step, height %.9f\n", times[2], q[2]);
    printf("  ratio          %.2f by hand, %.2f with services\n", times[2] / times[0],
           times[2] / times[1]);
    return 0;
}
