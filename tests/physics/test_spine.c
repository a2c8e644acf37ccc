// SPDX-License-Identifier: Apache-2.0
// The spine: every model with every scheme. Each cell is an error against the model's reference, or the sentence with
// which the scheme refuses the system. Bounds are the measured errors of first- and second-order schemes at the
// step given, rounded up; a change of a scheme shows here.
#include "physics/run.h"

#define PI 3.14159265358979323846

typedef double (*Error)(TestRun* run, double h);

static void advance(TestRun* run, double t, double h)
{
    const SticStatus status = test_run_until(run, t, h);
    if (status != STIC_OK)
        printf("%s with %s: %s", run->model->name, run->scheme->name, run->info.error.text);
}

/* ---- references ------------------------------------------------------------------------------------------ */

// block sliding to a stop: d = v0^2 / (2 mu g) = 2.548420 m for v0 = 5, mu = 0.5
static double sliding_stop(TestRun* run, double h)
{
    advance(run, 1.2, h);
    return fabs(run->now->q[0] - 25.0 / (2.0 * 0.5 * 9.81)) + fabs(run->now->u[0]);
}

// planar block, v0 = 1, mu = 0.3: both corners slide, x = v0 t - mu g t^2/2
static double block_slide(TestRun* run, double h)
{
    advance(run, 0.1, h);
    return fabs(run->now->q[0] - (0.1 - 0.5 * 0.3 * 9.81 * 0.01)) + fabs(run->now->q[2]);
}

// the same block under its weight does not move when pushed below the friction limit
static double block_rest(TestRun* run, double h)
{
    advance(run, 1.0, h);
    return fabs(run->now->q[0]) + fabs(run->now->q[1] - 0.05) + fabs(run->now->q[2]);
}

// Painlevé rod, mu = 0.5: the slip phase integrated with fourth order in the test
static void rod_rate(const double y[2], double rate[2])
{
    // angle and its rate; contact sliding towards -x (friction along +x), constraint y = l sin th
    const double s = sin(y[0]), c = cos(y[0]), w = y[1], mu = 0.5, g = 9.81;
    // N from m y'' = N - m g and y'' = c a - s w^2; moment about the centre: a/3 = N (mu s - c)
    const double a = 3.0 * (mu * s - c) * (g - s * w * w) / (1.0 - 3.0 * c * (mu * s - c));
    rate[0] = w;
    rate[1] = a;
}

static double rod_slide(TestRun* run, double h)
{
    double y[2] = {1.0, 0.0};
    const int steps = 2000;
    for (int i = 0; i < steps; ++i) {
        const double dt = 0.1 / steps;
        double k[4][2], z[2];
        for (int s = 0; s < 4; ++s) {
            const double part = s == 0 ? 0.0 : s == 3 ? dt : 0.5 * dt;
            for (int c = 0; c < 2; ++c)
                z[c] = y[c] + (s == 0 ? 0.0 : part * k[s - 1][c]);
            rod_rate(z, k[s]);
        }
        for (int c = 0; c < 2; ++c)
            y[c] += dt / 6.0 * (k[0][c] + 2.0 * k[1][c] + 2.0 * k[2][c] + k[3][c]);
    }
    advance(run, 0.1, h);
    return fabs(run->now->q[2] - y[0]) + fabs(run->now->u[2] - y[1]);
}

// bar pressed onto the belt (Acary and Cadoux 4.32): one small step has the reaction m g tan th/(tan th + mu) per second
static double bar_reaction(TestRun* run, double h)
{
    advance(run, h, h);
    const double tangent = tan(0.6), expected = tangent / (tangent + 0.5);
    const SticMemory* memory = run->now->memory;
    assert_int_equal(memory->count, 1);
    // impulses of one step, or forces for the schemes that solve for those
    const bool force = strcmp(run->scheme->name, "relaxed") == 0 ||
                       strcmp(run->scheme->name, "event") == 0;
    return fabs(memory->record[0].reaction[0] / (force ? 1.0 : h) - expected);
}

// oscillator at 0.5 s: x1 = 0.10382 m (limit of two independent schemes at 1e-6 s)
static double oscillator_height(TestRun* run, double h)
{
    advance(run, 0.5, h);
    return fabs(run->now->q[0] - 0.10382);
}

// oscillator resting on its spring: equilibrium x2 = l - (m1 + m2) g/c
static double oscillator_rest(TestRun* run, double h)
{
    advance(run, 20.0 * h, h);
    const double expected = 0.1 - (10.0 + 1e-3) * 9.81 / 4e5;
    return fabs(run->now->q[0] - expected) + fabs(run->now->q[1] - expected);
}

// pendulum at 1 s: (-0.9871705634, 0.8403307208), from the elliptic integral
static double pendulum_position(TestRun* run, double h)
{
    advance(run, 1.0, h);
    return hypot(run->now->q[0] + 0.9871705634, run->now->q[1] - 0.8403307208);
}

static double pendulum_angle(TestRun* run, double h)
{
    advance(run, 1.0, h);
    return fabs(run->now->q[0] - atan2(-0.9871705634, 1.0 - 0.8403307208));
}

// double pendulum at 0.5 s: angles 1.381728132, 2.024965002 (Runge-Kutta in minimal coordinates)
static double double_pendulum(TestRun* run, double h)
{
    advance(run, 0.5, h);
    const double* q = run->now->q;
    const double a1 = atan2(q[0], q[1]), a2 = atan2(q[2] - q[0], q[3] - q[1]);
    return fabs(a1 - 1.381728132) + fabs(a2 - 2.024965002);
}

static double double_pendulum_angles(TestRun* run, double h)
{
    advance(run, 0.5, h);
    return fabs(run->now->q[0] - 1.381728132) + fabs(run->now->q[1] - 2.024965002);
}

// Möller's counter-example: the impact gains 1 J
static double clutch_gain(TestRun* run, double h)
{
    advance(run, h, h);
    return fabs(test_run_energy(run) - 2.0) + fabs(run->now->u[0]) + fabs(run->now->u[1] - 2.0);
}

// woodpecker at 0.01 … 0.10 s: (y, phi) of the limit of two schemes at 1e-6 s, largest error in units of the
// amplitudes 7e-3 m and 0.5 rad
static double woodpecker(TestRun* run, double h)
{
    static const double table[][3] = {
        {0.01, -2.932405e-3, -0.358732}, {0.02, -4.373548e-3, -0.452310},
        {0.03, -4.407447e-3, -0.526191}, {0.05, -4.407447e-3, -0.392983},
        {0.07, -4.696855e-3, -0.053158}, {0.08, -7.2207e-3, 0.102616},
        {0.09, -6.849e-3, 0.06580},      {0.10, -7.067e-3, 0.0077},
    };
    double worst = 0.0;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
        advance(run, table[i][0], h);
        worst = fmax(worst, fabs(run->now->q[0] - table[i][1]) / 7e-3);
        worst = fmax(worst, fabs(run->now->q[2] - table[i][2]) / 0.5);
    }
    return worst;
}

// wheel at 0.5 s: phi = -0.9060, phi' = -1.4702 (variant 0, restitution 0)
static double wheel(TestRun* run, double h)
{
    advance(run, 0.5, h);
    return fabs(run->now->q[0] + 0.9060) + fabs(run->now->u[0] + 1.4702);
}

// tippe top: the axis passes the horizontal at 0.9729 s
static double tippe_top(TestRun* run, double h)
{
    const bool matrix = run->system->layout.chart[0] == STIC_CHART_ROTATION;
    for (int k = 1; run->now->t < 1.1; ++k) {
        assert_int_equal(test_run_step(run, k * h), STIC_OK);
        const double* q = run->now->q;
        const double axis = matrix ? q[11]
                                   : q[3] * q[3] - q[4] * q[4] - q[5] * q[5] + q[6] * q[6];
        if (axis <= 0.0)
            return fabs(run->now->t - 0.9729);
    }
    return 1.0;
}

// torque-free body of Koziara 5.2.4 at t = 100: body momentum
static double free_body(TestRun* run, double h)
{
    advance(run, 100.0, h);
    const double* omega = run->now->u + (run->system->layout.chart[0] == STIC_CHART_SCALABLE ? 4 : 3);
    const double expected[3] = {0.6615686039, 0.6341307090, 0.4000247709};
    const double J[3] = {0.9144, 1.098, 1.66};
    double square = 0.0;
    for (int i = 0; i < 3; ++i)
        square += (J[i] * omega[i] - expected[i]) * (J[i] * omega[i] - expected[i]);
    return sqrt(square);
}

// skate on a slope (Neimark and Fufaev): x = a/(2 w^2) sin^2 w t, y = a/(2 w^2) (w t - sin(2 w t)/2)
static double skate(TestRun* run, double h)
{
    advance(run, 1.0, h);
    const double scale = 2.0 / (2.0 * 1.5 * 1.5), s = sin(1.5);
    return hypot(run->now->q[0] - scale * s * s, run->now->q[1] - scale * (1.5 - 0.5 * sin(3.0)));
}

// quasi-static scheme where no equilibrium exists: from rest its velocity over h is the acceleration that the
// event-driven scheme finds for the same state
static double rest_acceleration(TestRun* run, double h)
{
    TestRun other;
    SticError error = {0};
    assert_int_equal(test_run_open(&other, run->model->name, "event", "", "", &error), STIC_OK);
    memset(other.now->u, 0, (size_t)other.system->layout.nu * sizeof(double));
    memset(run->now->u, 0, (size_t)run->system->layout.nu * sizeof(double));
    const double t = 1e-6;
    assert_int_equal(test_run_step(&other, t), STIC_OK);
    advance(run, h, h);
    double worst = 0.0, scale = 1.0;
    for (int i = 0; i < run->system->layout.nu; ++i) {
        worst = fmax(worst, fabs(run->now->u[i] / h - other.now->u[i] / t));
        scale = fmax(scale, fabs(other.now->u[i] / t));
    }
    test_run_close(&other);
    return worst / scale;
}

/* ---- the table --------------------------------------------------------------------------------------------- */

enum { SCHEMES = 7 };
static const char* const schemes[SCHEMES] = {"moreau",  "koziara",      "consistent", "decomposed",
                                             "relaxed", "quasi-static", "event"};

typedef struct Row {
    const char* model;
    const char* parameters;
    Error error, error_at_rest; // at rest: what the quasi-static scheme is asked
    double h[SCHEMES];          // step; 0: the scheme must refuse
    double bound[SCHEMES];
} Row;

static const Row rows[] = {
    {"point-mass", "vx=5", sliding_stop, rest_acceleration, {1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 0.1}, {1}},
    {"planar-block", "vx=1", block_slide, block_rest, {1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 0.1, 0.1}, {1}},
    {"painleve-rod", "", rod_slide, rest_acceleration, {1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 0.1}, {1}},
    {"bar", "", bar_reaction, rest_acceleration, {1e-3, 1e-3, 0, 0, 1e-3, 1e-3, 1e-3}, {1}},
    {"oscillator", "", oscillator_height, oscillator_rest, {1e-5, 1e-5, 1e-3, 1e-3, 1e-3, 1, 0.1}, {1}},
    {"pendulum", "", pendulum_position, rest_acceleration, {1e-3, 1e-3, 1e-3, 1e-3, 0.1, 1e-3, 0.1}, {1}},
    {"pendulum-angle", "", pendulum_angle, rest_acceleration, {1e-3, 1e-3, 1e-3, 1e-3, 0.1, 1e-3, 0.1}, {1}},
    {"double-pendulum", "", double_pendulum, rest_acceleration, {1e-3, 1e-3, 1e-3, 1e-3, 0.1, 1e-3, 0.1}, {1}},
    {"double-pendulum-angles", "", double_pendulum_angles, NULL, {1e-3, 0, 0, 0, 0.1, 0, 0.1}, {1}},
    {"sprag-clutch", "", clutch_gain, rest_acceleration, {1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3}, {1}},
    {"woodpecker", "", woodpecker, rest_acceleration, {1e-5, 1e-5, 1e-5, 1e-5, 1e-2, 1e-5, 1e-2}, {1}},
    {"wheel", "", wheel, rest_acceleration, {1e-3, 1e-3, 1e-3, 1e-3, 1e-2, 1e-3, 0.1}, {1}},
    {"tippe-top", "", tippe_top, NULL, {1e-5, 1e-5, 1e-4, 1e-4, 0, 0, 0}, {1}},
    {"free-body", "J1=0.9144 J2=1.098 J3=1.66 omega1=0.45549 omega2=0.82623 omega3=0.03476", free_body, NULL,
     {1e-2, 1e-2, 1e-2, 1e-3, 1, 0, 1}, {1}},
    {"skate", "", skate, rest_acceleration, {1e-3, 1e-3, 1e-3, 1e-3, 0.1, 1e-3, 0.1}, {1}},
};

int main(void){
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        for (int s = 0; s < SCHEMES; ++s) {
            TestRun run; SticError e = {0};
            const char* name = schemes[s];
            SticStatus st = test_run_open(&run, rows[i].model, name, rows[i].parameters, "", &e);
            if (st != STIC_OK) printf("%-24s %-12s refused: %s\n", rows[i].model, name, e.text);
            else {
                run.stepper->solve.settings.tolerance = 1e-10;
                double h = rows[i].h[s]; double t0=stic_timer_seconds();
                if(h==0){printf("%-24s %-12s NOT REFUSED\n", rows[i].model, name);continue;}
                Error f = strcmp(name,"quasi-static")==0 ? rows[i].error_at_rest : rows[i].error;
                if (f==NULL) printf("%-24s %-12s no reference\n", rows[i].model, name);
                else {double err = f(&run, h); printf("%-24s %-12s %.3g  (%.2f s, unsolved %d)\n", rows[i].model, name, err, stic_timer_seconds()-t0, run.unsolved);}
                fflush(stdout);
            }
            test_run_close(&run);
        }
}
