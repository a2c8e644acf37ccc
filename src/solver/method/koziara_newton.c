// SPDX-License-Identifier: Apache-2.0
// koziara-newton: Newton methods of Koziara's thesis in one outer iteration, for regular W.
//
//     R = U = 0 (or the start value), rho_a = 1/lambda_max(W_aa)
//     repeat                                                              (algs. 11.2.5, 11.2.6)
//         T = W R + b - U;  Omega dR = Pi                                 koziara_rows.c
//         alpha = 1, times sigma while alpha > beta and
//             M(R + alpha dR) > max of the last J + 1 values of M - 2 gamma alpha M(R)
//         R += alpha dR;  U += alpha W dR + T
//         rho_a *= phi where friction went from stick to slip or back, at most L times, from step
//         L + 1 on
//     until |dR| <= eps |R|
// M = |C|^2/2. The line search is not used in the first step, which spreads the load; J = 0 is
// Armijo's rule, J > 0 the non-monotone one of Grippo, Lampariello and Lucidi (1986). FIX takes
// full steps, and its bounds move when the iteration with the old ones has converged; UNIL takes
// full steps and ends when the set of closed contacts stays (alg. 11.2.1).
//
// C_T is a product of two reactions and C_N is one, so that the thesis' M depends on the units:
// `merit = projection` and `units = scaled` are free of that, the defaults are the thesis'.
//
// The thesis starts from R and U of the previous increment, so that the first step sees the
// contacts as they were and T is the change of the problem. Only R is remembered: U is what the
// laws imply for it (`start = law`). With U = W R + b instead (`start = velocity`) the first sets
// are those of a point that obeys no law.
//
// Departures: the line search may go down to beta = 0.01 where the thesis stops at 0.034. On its
// largest wall all contacts stick in the second step; at 0.034 of that step M has grown by 2000, and
// the non-monotone rule goes on from there (it fails for all mu from 0.8 on; at 0.01 it takes 26
// steps). And HYB may cycle with any rho and any search (thesis, section 11.2.3): contacts that
// slip where they were held, and are held where they slipped. After `patience` steps the problem
// with the bounds as they are is solved to its end by FIX, whose problem is monotone and has one
// solution, rho is what it was, and HYB goes on from there.
//
// The thesis needs regular systems. Where the factorisation meets pivots that vanish,
// W is replaced in Omega, but not in T, by W + c diag(W): the steps change, what they converge to
// does not (c = `regularise`, times 100 up to three times; 0: the outcome is broke-down). The
// recomputed error can end the iteration before |dR| does.
//
// Cost: one LU of the pattern of W per step, analysed once. Workspace: W twice, its factor, ten
// vectors.
#include "solver/method/koziara_newton.h"

#include <math.h>
#include <string.h>

#include "solver/methods.h"
#include "solver/newton_system.h"
#include "stiction/extend/math.h"

enum { SEARCH_NONE, SEARCH_ARMIJO, SEARCH_NONMONOTONE };
enum { MERIT_THESIS, MERIT_PROJECTION };
enum { UNITS_GIVEN, UNITS_SCALED };
enum { START_LAW, START_VELOCITY };
enum { MOST_MEMORY = 100, RAISES = 3 };

typedef struct KoziaraSettings {
    int32_t variant;    ///< SticKoziaraVariant
    int32_t search;     ///< SEARCH_*
    int32_t memory;     ///< J
    int32_t merit;      ///< MERIT_*
    int32_t units;      ///< UNITS_*
    int32_t start;      ///< START_*
    int32_t steps;      ///< K
    int32_t rescalings; ///< L
    int32_t patience;   ///< steps of hyb before bounds are frozen
    bool row_scaling;   ///< multiply rows of reactions by the diagonal of W
    double shrink;      ///< sigma
    double descent;     ///< gamma
    double shortest;    ///< beta
    double change;      ///< eps
    double rho_factor;  ///< phi
    double regularise;  ///< c
} KoziaraSettings;

static const char* const variant_names[] = {"unil", "newt", "hyb", "fix", NULL};
static const char* const search_names[] = {"none", "armijo", "nonmonotone", NULL};
static const char* const merit_names[] = {"thesis", "projection", NULL};
static const char* const start_names[] = {"law", "velocity", NULL};
static const char* const units_names[] = {"given", "scaled", NULL};

static const SticField koziara_fields[] = {
    STIC_FIELD_PICK(KoziaraSettings, variant, STIC_KOZIARA_HYB, STIC_KOZIARA_FIX, variant_names,
                    "linear system that gives the direction; unil ignores friction"),
    STIC_FIELD_PICK(KoziaraSettings, search, SEARCH_NONMONOTONE, SEARCH_NONMONOTONE, search_names,
                    "line search of newt and hyb"),
    STIC_FIELD_COUNT(KoziaraSettings, memory, 10, 1, MOST_MEMORY - 1, "steps",
                     "steps that the non-monotone line search looks back"),
    STIC_FIELD_PICK(KoziaraSettings, merit, MERIT_THESIS, MERIT_PROJECTION, merit_names,
                    "what the line search measures: the thesis' equations, or projections"),
    STIC_FIELD_PICK(KoziaraSettings, units, UNITS_GIVEN, UNITS_SCALED, units_names,
                    "variables as given, or scaled to a unit diagonal of W"),
    STIC_FIELD_PICK(KoziaraSettings, start, START_LAW, START_VELOCITY, start_names,
                    "velocities to a start value of the reactions: by the laws, or by W R + b"),
    STIC_FIELD_COUNT(KoziaraSettings, steps, 1000, 1, 1000000000, "steps", "Newton steps"),
    STIC_FIELD_COUNT(KoziaraSettings, rescalings, 6, 0, 1000, "times",
                     "times that rho of a contact may grow, and steps before it does"),
    STIC_FIELD_COUNT(KoziaraSettings, patience, 50, 0, 1000000000, "steps",
                     "steps of hyb after which a problem with frozen bounds is solved; 0: never"),
    STIC_FIELD_FLAG(KoziaraSettings, row_scaling, 1,
                    "multiply rows that hold reactions by the diagonal of W"),
    STIC_FIELD_REAL(KoziaraSettings, shrink, 0.9, 0.01, 0.99, "-", "factor of the step length"),
    STIC_FIELD_REAL(KoziaraSettings, descent, 0.1, 0.0, 0.49, "-",
                    "part of the predicted decrease that is asked for"),
    STIC_FIELD_REAL(KoziaraSettings, shortest, 0.01, 0.0, 1.0, "-", "shortest step length"),
    STIC_FIELD_REAL(KoziaraSettings, change, 1e-10, 0.0, 1.0, "-",
                    "relative change of the reactions that ends the iteration"),
    STIC_FIELD_REAL(KoziaraSettings, rho_factor, 10.0, 1.0, 1e6, "-",
                    "factor of rho where a contact flips between stick and slip"),
    STIC_FIELD_REAL(KoziaraSettings, regularise, 1e-8, 0.0, 1.0, "-",
                    "part of the diagonal of W added to it where a system is singular; 0: broke "
                    "down"),
};

const SticFieldTable stic_koziara_newton_fields = {
    .name = "koziara-newton",
    .fields = koziara_fields,
    .count = sizeof koziara_fields / sizeof koziara_fields[0],
    .size = sizeof(KoziaraSettings),
};

typedef struct Koziara {
    SticSolveTask* task;
    const KoziaraSettings* settings;
    SticScaled scaled;
    SticNewtonSystem system;
    double (*rho)[3];                             // [count]
    uint8_t (*mode)[1 + STIC_KOZIARA_PARTS];      // [count] of this step
    uint8_t (*mode_past)[1 + STIC_KOZIARA_PARTS]; // [count] of the step before
    int32_t* rescaled;                            // [count] times that rho grew
    double *R, *U, *T, *Pi, *dR, *W_dR, *R_trial, *U_trial, *frozen;
    double past[MOST_MEMORY]; // values of M, by step
    int32_t step;
    int32_t since;               // step at which hyb started, or started again
    bool frozen_bounds;          // a problem with frozen bounds is being solved in between
    double change, bound_change; // of the last step
    SticKoziaraStudy* study;     // NULL: nobody asks
} Koziara;

static double norm_of(const double* x, int32_t n)
{
    double sum = 0.0;
    for (int32_t k = 0; k < n; ++k)
        sum += x[k] * x[k];
    return sqrt(sum);
}

// U of the start value
static void start(Koziara* method)
{
    const int32_t rows = method->scaled.problem.rows;
    const bool law = method->settings->start == START_LAW;
    // from nothing: U = 0, so that the first step finds every contact closed and free to slip
    if (!method->task->settings->warm_start || (law && norm_of(method->R, rows) == 0.0)) {
        memset(method->U, 0, (size_t)rows * sizeof *method->U);
        return;
    }
    stic_scaled_velocity(&method->scaled, method->R, method->U);
    const SticKoziaraPoint point = {.scaled = &method->scaled, .R = method->R};
    for (int32_t i = 0; law && i < method->scaled.problem.count; ++i)
        stic_koziara_newton_start(&point, i, method->U);
}

static void start_rho(Koziara* method)
{
    const int32_t count = method->scaled.problem.count;
    memset(method->rescaled, 0, (size_t)count * sizeof *method->rescaled);
    for (int32_t i = 0; i < count; ++i)
        stic_koziara_newton_rho(&method->scaled, i, method->rho[i]);
}

static SticStatus create(SticSolveTask* task, const KoziaraSettings* settings, Koziara* made)
{
    const int32_t rows = task->problem->rows, count = task->problem->count;
    SticError* error = &task->info->error;
    memset(made, 0, sizeof *made);
    made->task = task;
    made->settings = settings;
    STIC_TRY(settings->units == UNITS_GIVEN
                 ? stic_scaled_create_plain(task->arena, task->problem, &made->scaled, error)
                 : stic_scaled_create(task->arena, task->problem, &made->scaled, error));
    STIC_TRY(stic_newton_system_choose(task, &made->scaled, STIC_SYSTEM_CONTACT, &made->system));
    STIC_TRY(stic_newton_system_prepare(task->arena, STIC_FACTOR_LU, &made->system, error));
    STIC_TRY(STIC_TAKE(task->arena, &made->rho, count));
    STIC_TRY(STIC_TAKE(task->arena, &made->mode, count));
    STIC_TRY(STIC_TAKE(task->arena, &made->mode_past, count));
    STIC_TRY(STIC_TAKE(task->arena, &made->rescaled, count));
    double** const vectors[] = {&made->R,       &made->U,       &made->T,
                                &made->Pi,      &made->dR,      &made->W_dR,
                                &made->R_trial, &made->U_trial, &made->frozen};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k)
        STIC_TRY(STIC_TAKE(task->arena, vectors[k], rows));
    start_rho(made);
    stic_scaled_from(&made->scaled, task->r, made->R);
    memcpy(made->frozen, made->R, (size_t)rows * sizeof *made->frozen);
    start(made);
    return STIC_OK;
}

// what gives the directions of this step
static SticKoziaraVariant variant_of(const Koziara* method)
{
    return method->frozen_bounds ? STIC_KOZIARA_FIX : (SticKoziaraVariant)method->settings->variant;
}

static SticKoziaraPoint point_at(const Koziara* method, const double* R, const double* U)
{
    return (SticKoziaraPoint){.scaled = &method->scaled,
                              .variant = variant_of(method),
                              .row_scaling = method->settings->row_scaling,
                              .rho = (const double(*)[3])method->rho,
                              .R = R,
                              .U = U,
                              .T = method->T,
                              .frozen = method->frozen};
}

static double merit_at(const Koziara* method, const double* R, const double* U)
{
    const SticKoziaraPoint point = point_at(method, R, U);
    double sum = 0.0;
    for (int32_t i = 0; i < method->scaled.problem.count; ++i)
        sum += stic_koziara_newton_merit(&point, i, method->settings->merit == MERIT_PROJECTION);
    return 0.5 * sum;
}

/* ---- direction ---- */

static void assemble(Koziara* method, double c)
{
    const SticProblem* problem = &method->scaled.problem;
    const SticBlockCsr* W = &method->scaled.W;
    const SticKoziaraPoint point = point_at(method, method->R, method->U);
    SticMapBlock block;
    for (int32_t i = 0; i < problem->count; ++i) {
        const int32_t at = problem->row_at[i], n = problem->row_at[i + 1] - at;
        const double* D = W->value + W->value_at[method->scaled.diagonal[i]];
        stic_koziara_newton_linearise(&point, i, &block, method->mode[i]);
        stic_newton_system_row(&method->system, i, block.B);
        for (int32_t a = 0; a < n; ++a)
            for (int32_t k = 0; k < n; ++k)
                block.A[a * n + k] += c * block.B[a * n + k] * D[k * n + k];
        stic_newton_system_add(&method->system, i, block.A);
        if (method->scaled.foreign[i] >= 0)
            stic_newton_system_add_foreign(&method->system, i, problem->bound_row[i], block.bound);
        memcpy(method->Pi + at, block.F, (size_t)n * sizeof *method->Pi);
    }
}

// dR and W dR of the assembled system; false if no regularised one is regular
static bool find_direction(Koziara* method)
{
    const int32_t rows = method->scaled.problem.rows;
    double c = 0.0;
    for (int32_t raise = 0; raise <= 1 + RAISES; ++raise) {
        if (raise > 0)
            assemble(method, c);
        method->task->info->factorisations += 1;
        const bool regular =
            stic_newton_system_factor(&method->system) && method->system.info.replaced == 0;
        if (regular) {
            stic_newton_system_solve(&method->system, method->Pi, 1, method->dR);
            if (isfinite(norm_of(method->dR, rows))) {
                stic_block_csr_multiply(1.0, &method->scaled.W, method->dR, 0.0, method->W_dR);
                return true;
            }
        }
        if (method->settings->regularise == 0.0)
            return false;
        method->task->info->fallbacks += 1;
        c = raise == 0 ? method->settings->regularise : 100.0 * c;
    }
    return false;
}

/* ---- step ---- */

// R and U at a step length
static void step_to(Koziara* method, double length)
{
    for (int32_t k = 0; k < method->scaled.problem.rows; ++k) {
        method->R_trial[k] = method->R[k] + length * method->dR[k];
        method->U_trial[k] = method->U[k] + length * method->W_dR[k] + method->T[k];
    }
}

// move to the accepted step; how many values of M that took
static int32_t search_line(Koziara* method)
{
    const KoziaraSettings* settings = method->settings;
    const SticKoziaraVariant variant = variant_of(method);
    const bool searched = settings->search != SEARCH_NONE && method->step > method->since &&
                          (variant == STIC_KOZIARA_NEWT || variant == STIC_KOZIARA_HYB);
    int32_t values = 0;
    double length = 1.0;
    step_to(method, length);
    if (searched) {
        const double here = merit_at(method, method->R, method->U);
        const int32_t memory = settings->search == SEARCH_ARMIJO ? 0 : settings->memory;
        method->past[method->step % MOST_MEMORY] = here;
        // the first step has no value
        double most = here;
        for (int32_t k = method->step - 1; k > method->since && k >= method->step - memory; --k)
            most = method->past[k % MOST_MEMORY] > most ? method->past[k % MOST_MEMORY] : most;
        for (values = 2; length > settings->shortest; ++values) {
            const double there = merit_at(method, method->R_trial, method->U_trial);
            if (!(there > most - 2.0 * settings->descent * length * here))
                break;
            length *= settings->shrink;
            step_to(method, length);
        }
    }
    double* swap = method->R;
    method->R = method->R_trial;
    method->R_trial = swap;
    swap = method->U;
    method->U = method->U_trial;
    method->U_trial = swap;
    return values;
}

// rho of contacts that flip between stick and slip
static void rescale(Koziara* method)
{
    const KoziaraSettings* settings = method->settings;
    for (int32_t i = 0; i < method->scaled.problem.count; ++i) {
        bool flipped = false;
        for (int32_t p = 1; p <= STIC_KOZIARA_PARTS; ++p)
            flipped = flipped || method->mode[i][p] + method->mode_past[i][p] ==
                                     STIC_KOZIARA_STICK + STIC_KOZIARA_SLIP;
        if (!flipped || method->rescaled[i] >= settings->rescalings)
            continue;
        method->rescaled[i] += 1;
        for (int32_t k = 0; k < 3; ++k)
            method->rho[i][k] *= settings->rho_factor;
    }
}

// whether the same contacts are closed as before
static bool set_stays(const Koziara* method)
{
    for (int32_t i = 0; i < method->scaled.problem.count; ++i)
        if (method->mode[i][0] != method->mode_past[i][0])
            return false;
    return true;
}

// relative change of the reactions, and of the frozen bounds behind them
static void measure_change(Koziara* method)
{
    const SticProblem* problem = &method->scaled.problem;
    const int32_t rows = problem->rows;
    const double size = norm_of(method->R, rows), change = norm_of(method->dR, rows);
    double apart = 0.0, bounds = 0.0;
    for (int32_t i = 0; i < problem->count; ++i) {
        const int32_t row = stic_law_has_normal((SticLaw)problem->law[i]) ? problem->row_at[i]
                            : problem->bound_row != NULL                  ? problem->bound_row[i]
                                                                          : -1;
        if (row < 0)
            continue;
        const double d = method->R[row] - method->frozen[row];
        apart += d * d;
        bounds += method->R[row] * method->R[row];
    }
    method->change = change > 0.0 ? change / size : 0.0;
    method->bound_change = apart > 0.0 ? sqrt(apart / bounds) : 0.0;
}

// hyb that cycles: solve the problem with the bounds as they are, then go on from there
static void change_phase(Koziara* method)
{
    const KoziaraSettings* settings = method->settings;
    const int32_t spent = method->step - method->since;
    if (settings->variant != STIC_KOZIARA_HYB || settings->patience == 0)
        return;
    if (method->frozen_bounds &&
        (method->change <= settings->change || spent >= settings->patience)) {
        method->frozen_bounds = false;
        method->since = method->step;
    } else if (!method->frozen_bounds && spent >= settings->patience) {
        method->frozen_bounds = true;
        start_rho(method);
        method->since = method->step;
        memcpy(method->frozen, method->R, (size_t)method->scaled.problem.rows * sizeof *method->R);
    }
}

// whether the iteration has ended
static bool has_converged(Koziara* method)
{
    const KoziaraSettings* settings = method->settings;
    if (!(method->change <= settings->change) || method->frozen_bounds)
        return false;
    if (settings->variant != STIC_KOZIARA_FIX)
        return true;
    const bool done = method->bound_change <= settings->change;
    memcpy(method->frozen, method->R, (size_t)method->scaled.problem.rows * sizeof *method->R);
    return done;
}

// count the step and look at its error; false: stop
static bool count_step(Koziara* method, int32_t values)
{
    SticSolveTask* task = method->task;
    const bool fixed = variant_of(method) == STIC_KOZIARA_FIX;
    const double stored =
        (double)method->scaled.W.value_at[stic_block_csr_count(&method->scaled.W)];
    const double work = method->system.factor_work + 2.0 * method->system.solve_work +
                        2.0 * stored + (60.0 + 20.0 * values) * task->problem->rows;
    const double estimate = method->change + (fixed ? method->bound_change : 0.0);
    const bool due = stic_task_count(task, work, estimate);
    stic_scaled_to(&method->scaled, method->R, task->r);
    return !due || stic_task_judge(task, task->r);
}

/* ---- studies ---- */

static void study_system(const Koziara* method)
{
    SticKoziaraStudy* study = method->study;
    double along = 0.0;
    if (study == NULL)
        return;
    // Omega dR = Pi
    for (int32_t k = 0; k < method->scaled.problem.rows; ++k)
        along += method->dR[k] * method->Pi[k];
    study->systems += 1;
    // W has a positive determinant, and so has Omega with all contacts open or all sticking
    study->negative += stic_newton_system_sign(&method->system) < 0;
    // the step that only confirms the solution is rounding, and so is its sign
    study->backward += along < 0.0 && method->change > method->settings->change;
    study->conditions += stic_ln(stic_factor_condition(method->system.factor, &method->system.K));
}

static void study_end(const Koziara* method, bool converged)
{
    SticKoziaraStudy* study = method->study;
    if (study == NULL)
        return;
    study->converged = converged;
    study->merit = merit_at(method, method->R, method->U);
    for (int32_t i = 0; i < method->scaled.problem.count; ++i)
        study->scaled += method->rescaled[i] > 0;
}

static SticStatus run(SticSolveTask* task, const KoziaraSettings* settings, SticKoziaraStudy* study)
{
    Koziara method;
    STIC_TRY(create(task, settings, &method));
    method.study = study;
    const SticProblem* problem = &method.scaled.problem;
    const bool unilateral = settings->variant == STIC_KOZIARA_UNIL;
    for (; method.step < settings->steps; ++method.step) {
        change_phase(&method);
        // T = W R + b - U
        stic_scaled_velocity(&method.scaled, method.R, method.T);
        for (int32_t k = 0; k < problem->rows; ++k)
            method.T[k] -= method.U[k];
        assemble(&method, 0.0);
        if (unilateral && method.step > 0 && set_stays(&method)) {
            stic_task_count(task, problem->rows, -1.0);
            break;
        }
        if (!find_direction(&method)) {
            stic_task_stop(task, STIC_OUTCOME_BROKE_DOWN);
            return STIC_OK;
        }
        const int32_t values = search_line(&method);
        measure_change(&method);
        study_system(&method);
        if (!count_step(&method, values)) {
            study_end(&method, false);
            return STIC_OK;
        }
        if (has_converged(&method) && !unilateral)
            break;
        if (!unilateral && variant_of(&method) != STIC_KOZIARA_FIX && method.step > 0 &&
            method.step - method.since + 1 > settings->rescalings)
            rescale(&method);
        memcpy(method.mode_past, method.mode, (size_t)problem->count * sizeof *method.mode);
    }
    study_end(&method, method.step < settings->steps);
    stic_task_stop(task, method.step < settings->steps ? STIC_OUTCOME_STALLED
                                                       : STIC_OUTCOME_ITERATION_LIMIT);
    return STIC_OK;
}

SticStatus stic_koziara_newton_run(SticSolveTask* task)
{
    return run(task, task->method, NULL);
}

SticStatus stic_koziara_newton_study(SticSolveTask* task, SticKoziaraStudy* study)
{
    *study = (SticKoziaraStudy){0};
    return run(task, task->method, study);
}

SticStatus stic_koziara_newton_fix(SticSolveTask* task)
{
    KoziaraSettings settings;
    stic_fields_default(&stic_koziara_newton_fields, &settings);
    settings.variant = STIC_KOZIARA_FIX;
    settings.units = UNITS_SCALED;
    settings.start = START_VELOCITY;
    return run(task, &settings, NULL);
}
