// SPDX-License-Identifier: Apache-2.0
// prox-newton: proximal point iteration, each step by semismooth Newton with line search.
//
// In scaled variables (scaled.h) repeat
//     find x with F(x, y_c) = 0,   y_c = W x + b + c (x - r),   and set r := x
// where F is one of the maps of newton_map.h. c > 0 makes the Newton matrix regular for hyperstatic
// sets of contacts; the proximal shift removes what it would falsify, so that any c gives the exact
// solution in the end. The inner iteration:
//     K dx = -F,  K = A + B (W + c I)                (pattern of W, analysed once)
//     halve the step until |F| <= (1 - 1e-4 al) max of the last 20 |F|       (Grippo, Lampariello,
//     done at |F| <= 1e-2 |F_0| (1e-3 once E < 1e-7)                          Lucidi 1986)
//     given up after 20 steps, or after 6 without 30 % decrease
// Rules for c and rho, from the error E of the natural map:
//     rho = clip( phi (1e-3/E)^0.7, 1, 1e4 )
//     success: c falls by 0.3 to 1, the more the fewer steps it took; phi grows back to 3
//     failure: c := 5 c; from the second one on phi := phi/2
// Why rho must grow: near a solution y = c (x - r) is of the size of c times the drift of r along
// null directions of W, so that with rho = 1 the map does not see it any more (E stays constant
// for hundreds of steps). A large rho far from the solution destroys the global convergence.
//
// Sources: proximal points in contact, Acary, Brémond, Huber 2018 (A comparison of solvers for
// frictional contact, section 5); the maps and their derivatives, newton_map.c. The rules for c and
// rho are ours; docs/theory/solvers.md has their measurements.
// Cost: one LU per inner step. Workspace: W twice, its factor, twelve vectors.
#include "solver/method/prox_newton.h"

#include <math.h>
#include <string.h>

#include "math/math.h"
#include "solver/methods.h"

static const char* const map_names[] = {"jean-moreau", "alart-curnier", "natural",
                                        "fischer-burmeister", NULL};

static const char* const system_names[] = {"auto", "contact", "body", NULL};

static const SticField prox_newton_fields[] = {
    STIC_FIELD_PICK(SticProxNewtonSettings, map, STIC_MAP_JEAN_MOREAU, STIC_MAP_FISCHER_BURMEISTER,
                    map_names, "equation that Newton's method solves"),
    STIC_FIELD_COUNT(SticProxNewtonSettings, outer_steps, 2000, 1, 1000000000, "steps",
                     "proximal steps"),
    STIC_FIELD_COUNT(SticProxNewtonSettings, inner_steps, 20, 1, 10000, "steps",
                     "Newton steps of one proximal step"),
    STIC_FIELD_COUNT(SticProxNewtonSettings, memory, 20, 1, 1000, "steps",
                     "values of |F| that the line search compares with; 1: monotone"),
    STIC_FIELD_REAL(SticProxNewtonSettings, c_start, 1e-2, 1e-12, 1e6, "-",
                    "proximal parameter at the start, in units of the diagonal of W"),
    STIC_FIELD_REAL(SticProxNewtonSettings, c_least, 1e-9, 1e-15, 1.0, "-",
                    "smallest proximal parameter"),
    STIC_FIELD_REAL(SticProxNewtonSettings, c_most, 10.0, 1e-3, 1e6, "-",
                    "largest proximal parameter"),
    STIC_FIELD_REAL(SticProxNewtonSettings, rho_most, 1e4, 1.0, 1e12, "-",
                    "largest weight of the velocities"),
    STIC_FIELD_REAL(SticProxNewtonSettings, rho_error, 1e-3, 0.0, 1.0, "-",
                    "error below which that weight grows"),
    STIC_FIELD_REAL(SticProxNewtonSettings, rho_power, 0.7, 0.0, 1.0, "-",
                    "power of the error with which it grows"),
    STIC_FIELD_PICK(SticProxNewtonSettings, system, STIC_SYSTEM_AUTO, STIC_SYSTEM_BODY,
                    system_names,
                    "linear systems with a row per contact or per body; auto: the cheaper factor"),
};

const SticFieldTable stic_prox_newton_fields = {
    .name = "prox-newton",
    .fields = prox_newton_fields,
    .count = sizeof prox_newton_fields / sizeof prox_newton_fields[0],
    .size = sizeof(SticProxNewtonSettings),
};

enum { HALVINGS = 8, TRIAL_STEPS = 6 };
static const double descent = 1e-4; // part of the decrease that Newton predicts
static const double hopeless = 0.7; // |F| over |F_0| that TRIAL_STEPS must beat
static const double phi_most = 3.0, phi_least = 0.05;

SticStatus stic_prox_newton_create(SticSolveTask* task, const SticScaled* scaled,
                                   SticNewtonSystem* system, SticProxNewton* made)
{
    const int32_t rows = scaled->problem.rows;
    *made = (SticProxNewton){.task = task, .scaled = scaled, .system = system};
    double** const vectors[] = {&made->centre,  &made->y_centre, &made->x, &made->y,
                                &made->x_trial, &made->y_trial,  &made->F, &made->dx,
                                &made->dy,      &made->best};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k)
        STIC_TRY(STIC_TAKE(task->arena, vectors[k], rows));
    return STIC_TAKE(task->arena, &made->past, 1000);
}

/* ---- one Newton step ---- */

static SticMapPoint map_point(const SticProxNewton* method, const double* x, const double* y)
{
    return (SticMapPoint){.scaled = method->scaled,
                          .map = (SticMap)method->settings->map,
                          .rho = method->rho,
                          .x = x,
                          .y = y,
                          .term = method->term};
}

double stic_prox_newton_norm(const SticProxNewton* method, const double* x, const double* y)
{
    const SticProblem* problem = &method->scaled->problem;
    const SticMapPoint point = map_point(method, x, y);
    double sum = 0.0, F[6];
    for (int32_t i = 0; i < problem->count; ++i) {
        stic_map_value(&point, i, F);
        for (int32_t a = 0; a < problem->row_at[i + 1] - problem->row_at[i]; ++a)
            sum += F[a] * F[a];
    }
    return sqrt(sum);
}

void stic_prox_newton_assemble(SticProxNewton* method, double* slope)
{
    const SticProblem* problem = &method->scaled->problem;
    const SticMapPoint point = map_point(method, method->x, method->y);
    SticMapBlock block;
    for (int32_t i = 0; i < problem->count; ++i) {
        const int32_t at = problem->row_at[i], n = problem->row_at[i + 1] - at;
        stic_map_linearise(&point, i, &block);
        for (int32_t a = 0; a < n && slope != NULL; ++a) {
            double sum = 0.0;
            for (int32_t k = 0; k < n; ++k)
                sum += block.B[a * n + k] * (method->x[at + k] - method->centre[at + k]);
            slope[at + a] = -method->c * sum;
        }
        stic_newton_system_row(method->system, i, block.B);
        for (int32_t k = 0; k < n * n; ++k)
            block.A[k] += method->c * block.B[k];
        stic_newton_system_add(method->system, i, block.A);
        if (method->scaled->foreign[i] >= 0)
            stic_newton_system_add_foreign(method->system, i, problem->bound_row[i], block.bound);
        for (int32_t a = 0; a < n; ++a)
            method->F[at + a] = -block.F[a];
    }
}

// step length by halving; leaves x, y and gives |F| there, infinite if no step does
static double search_line(SticProxNewton* method, int32_t steps)
{
    const int32_t rows = method->scaled->problem.rows, memory = method->settings->memory;
    double reference = 0.0;
    for (int32_t k = steps > memory ? steps - memory : 0; k < steps; ++k) {
        const double norm = method->past[k % memory];
        reference = norm > reference ? norm : reference;
    }
    double length = 1.0;
    for (int32_t trial = 0; trial <= HALVINGS; ++trial, length *= 0.5) {
        for (int32_t k = 0; k < rows; ++k) {
            method->x_trial[k] = method->x[k] + length * method->dx[k];
            method->y_trial[k] = method->y[k] + length * method->dy[k];
        }
        const double norm = stic_prox_newton_norm(method, method->x_trial, method->y_trial);
        if (!(norm <= (1.0 - descent * length) * reference))
            continue;
        double* swap = method->x;
        method->x = method->x_trial;
        method->x_trial = swap;
        swap = method->y;
        method->y = method->y_trial;
        method->y_trial = swap;
        return norm;
    }
    return INFINITY;
}

// |F| after one step, infinite if it failed
static double newton_step(SticProxNewton* method, int32_t steps)
{
    stic_prox_newton_assemble(method, NULL);
    method->task->info->factorisations += 1;
    if (!stic_newton_system_factor(method->system))
        return INFINITY;
    stic_newton_system_solve(method->system, method->F, 1, method->dx);
    memcpy(method->dy, method->dx, (size_t)method->scaled->problem.rows * sizeof *method->dy);
    stic_block_csr_multiply(1.0, &method->scaled->W, method->dx, method->c, method->dy);
    return search_line(method, steps);
}

/* ---- one proximal step ---- */

// norm of the natural map with rho = 1
static double error_at(SticProxNewton* method, const double* x, const double* y)
{
    if (method->term == NULL)
        return stic_scaled_error(method->scaled, x, y);
    const double rho = method->rho;
    method->rho = 1.0;
    const double error = stic_prox_newton_norm(method, x, y);
    method->rho = rho;
    return error;
}

double stic_prox_newton_error(SticProxNewton* method)
{
    for (int32_t k = 0; k < method->scaled->problem.rows; ++k)
        method->y_trial[k] = method->y[k] - method->c * (method->x[k] - method->centre[k]);
    return error_at(method, method->x, method->y_trial);
}

bool stic_prox_newton_count(SticProxNewton* method, double estimate)
{
    SticSolveTask* task = method->task;
    const double values =
        (double)method->scaled->W.value_at[stic_block_csr_count(&method->scaled->W)];
    const double work = method->system->factor_work + 2.0 * method->system->solve_work + values +
                        40.0 * task->problem->rows;
    method->newton += 1;
    // the interval between checks grows with all iterations, and thousands of sweeps before would
    // leave whole runs of Newton unseen: proximal steps are checked where that costs little
    const bool cheap = estimate >= 0.0 && work >= 8.0 * stic_gauge_work(task->gauge);
    const bool due = stic_task_count(task, work, estimate) || cheap;
    // an x that solves another problem must not be judged
    if (method->term != NULL)
        return !task->stopped;
    if (!due)
        return true;
    stic_scaled_to(method->scaled, method->x, task->r);
    return stic_task_judge(task, task->r);
}

typedef enum InnerEnd { INNER_DONE, INNER_FAILED, INNER_STOPPED } InnerEnd;

// solve the regularised problem around the centre; *error is that of the last x, *steps their
// number
static InnerEnd solve_inner(SticProxNewton* method, double* error, int32_t* steps)
{
    const SticProxNewtonSettings* settings = method->settings;
    const size_t bytes = (size_t)method->scaled->problem.rows * sizeof(double);
    memcpy(method->x, method->centre, bytes);
    memcpy(method->y, method->y_centre, bytes);
    const double start = stic_prox_newton_norm(method, method->x, method->y);
    const double target = (method->error < 1e-7 ? 1e-3 : 1e-2) * start;
    method->past[0] = start;
    *error = method->error;
    for (*steps = 1; *steps <= settings->inner_steps; ++*steps) {
        const double norm = newton_step(method, *steps);
        const bool failed = !(norm < INFINITY);
        const bool done = norm <= target;
        const bool last = *steps == settings->inner_steps || failed ||
                          (*steps >= TRIAL_STEPS && norm > hopeless * start);
        if (done || last)
            *error = stic_prox_newton_error(method);
        if (!stic_prox_newton_count(method, done ? *error : -1.0))
            return INNER_STOPPED;
        if (done)
            return INNER_DONE;
        if (last)
            return INNER_FAILED;
        method->past[*steps % settings->memory] = norm;
    }
    return INNER_FAILED;
}

/* ---- the iteration ---- */

static double clip(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

// x becomes the centre; its error is already known
static void move_centre(SticProxNewton* method, double error)
{
    const size_t bytes = (size_t)method->scaled->problem.rows * sizeof(double);
    memcpy(method->centre, method->x, bytes);
    // from x itself: the sum of the steps has their rounding
    stic_scaled_velocity(method->scaled, method->centre, method->y_centre);
    method->error = error;
    if (error < method->best_error) {
        method->best_error = error;
        memcpy(method->best, method->x, bytes);
    }
}

typedef struct Rules {
    double phi;
    int32_t fails;     // in a row
    int32_t idle;      // proximal steps since the best error halved
    double idle_error; // best error then
} Rules;

static void success(SticProxNewton* method, Rules* rules, int32_t steps)
{
    double factor = steps <= 4 ? 0.3 : steps <= 8 ? 0.6 : 1.0;
    if (steps <= 2)
        factor /= 3.0;
    method->c = clip(factor * method->c, method->settings->c_least, method->settings->c_most);
    rules->phi = clip(1.5 * rules->phi, 0.0, phi_most);
    rules->fails = 0;
}

static void failure(SticProxNewton* method, Rules* rules)
{
    method->c = clip(5.0 * method->c, method->settings->c_least, method->settings->c_most);
    rules->fails += 1;
    if (rules->fails >= 2)
        rules->phi = clip(0.5 * rules->phi, phi_least, phi_most);
}

// no further gain: at the floor of double precision, or at the limits of all parameters
static bool is_stuck(const SticProxNewton* method, Rules* rules)
{
    if (method->best_error <= 0.5 * rules->idle_error) {
        rules->idle_error = method->best_error;
        rules->idle = 0;
    }
    rules->idle += 1;
    return (method->best_error < 1e-13 && rules->idle > 10) ||
           (rules->fails > 20 && rules->idle > 50);
}

double stic_prox_newton_weight(const SticProxNewtonSettings* settings, double phi, double error)
{
    const double grown =
        error > 0.0 ? stic_pow(settings->rho_error / error, settings->rho_power) : INFINITY;
    return clip(phi * grown, 1.0, settings->rho_most);
}

double stic_prox_newton_begin(SticProxNewton* method, const SticProxNewtonSettings* settings,
                              const double* x)
{
    method->settings = settings;
    memcpy(method->x, x, (size_t)method->scaled->problem.rows * sizeof *x);
    stic_scaled_velocity(method->scaled, x, method->y_centre);
    method->best_error = INFINITY;
    move_centre(method, error_at(method, x, method->y_centre));
    return method->error;
}

SticStageEnd stic_prox_newton_regularised(SticProxNewton* method, double c)
{
    double error = 0.0;
    int32_t steps = 0;
    method->c = c;
    const InnerEnd end = solve_inner(method, &error, &steps);
    return end == INNER_DONE      ? STIC_STAGE_DONE
           : end == INNER_STOPPED ? STIC_STAGE_STOPPED
                                  : STIC_STAGE_BROKEN;
}

SticStageEnd stic_prox_newton_stage(SticProxNewton* method, const SticProxNewtonSettings* settings,
                                    double c_start, double* x)
{
    const size_t bytes = (size_t)method->scaled->problem.rows * sizeof(double);
    stic_prox_newton_begin(method, settings, x);
    method->c = clip(c_start, settings->c_least, settings->c_most);
    Rules rules = {.phi = 1.0, .idle_error = method->best_error};
    SticStageEnd end = STIC_STAGE_LIMIT;
    for (int32_t outer = 0; outer < settings->outer_steps; ++outer) {
        double error = 0.0;
        int32_t steps = 0;
        method->rho = stic_prox_newton_weight(settings, rules.phi, method->error);
        const InnerEnd inner = solve_inner(method, &error, &steps);
        if (inner == INNER_STOPPED) {
            end = STIC_STAGE_STOPPED;
            break;
        }
        if (inner == INNER_DONE && error < 10.0 * method->error) {
            move_centre(method, error);
            success(method, &rules, steps);
        } else {
            failure(method, &rules);
            if (error < 0.7 * method->error)
                move_centre(method, error);
        }
        if (method->term != NULL && method->best_error <= method->goal) {
            end = STIC_STAGE_DONE;
            break;
        }
        if (is_stuck(method, &rules)) {
            end = STIC_STAGE_STALLED;
            break;
        }
    }
    memcpy(x, method->best, bytes);
    return end;
}

SticStageEnd stic_prox_newton_continue(SticProxNewton* method,
                                       const SticProxNewtonSettings* settings, double error,
                                       double* x)
{
    // an iteration that stalled far away is a worse start than none
    const bool near = error < 1e-4;
    if (!near)
        memset(x, 0, (size_t)method->scaled->problem.rows * sizeof *x);
    return stic_prox_newton_stage(
        method, settings,
        near ? clip(error, settings->c_least, settings->c_start) : settings->c_start, x);
}

SticStatus stic_prox_newton_run(SticSolveTask* task)
{
    const SticProxNewtonSettings* settings = task->method;
    SticScaled scaled;
    SticNewtonSystem system;
    SticProxNewton method;
    double* x = NULL;
    STIC_TRY(stic_scaled_create(task->arena, task->problem, &scaled, &task->info->error));
    STIC_TRY(stic_newton_system_choose(task, &scaled, (SticSystemSide)settings->system, &system));
    STIC_TRY(stic_newton_system_prepare(task->arena, STIC_FACTOR_LU, &system, &task->info->error));
    STIC_TRY(stic_prox_newton_create(task, &scaled, &system, &method));
    STIC_TRY(STIC_TAKE(task->arena, &x, task->problem->rows));
    stic_scaled_from(&scaled, task->r, x);
    double c_start = settings->c_start;
    // a start that is near needs little regularisation
    if (task->settings->warm_start) {
        stic_scaled_velocity(&scaled, x, method.y);
        c_start = clip(stic_scaled_error(&scaled, x, method.y), settings->c_least, c_start);
    }
    if (stic_prox_newton_stage(&method, settings, c_start, x) != STIC_STAGE_STOPPED)
        stic_task_stop(task, STIC_OUTCOME_STALLED);
    stic_scaled_to(&scaled, x, task->r);
    return STIC_OK;
}
