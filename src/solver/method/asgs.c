// SPDX-License-Identifier: Apache-2.0
// asgs: accelerated Gauss-Seidel, symmetric or forward.
//
//     x = backward(forward(y)) or forward(y)         sweeps with local solves, sweep.h
//     y = x + beta (x - x_before)                    momentum.h; v_y the same, since v is affine
// The error is checked for x, never for y, which may leave the cone: the next visits replace
// symmetric sweep is a proximal gradient step in the metric of its own preconditioner, Li, Sun and
// Toh 2019); for Coulomb friction it is a heuristic with a guard. Sweeps needed for stacks, walls
// and arches grow with their height and not with its square. The inner product of the restart test
// weighs each interaction with the first entry of its block of W, so that rows of different units
// may be added.
//
// Forward sweeps alone have no such theory and run away where faces touch; where bodies meet in few
// points, as in piles of spheres, they need slightly more iterations at half the cost (measured:
// docs/theory/solvers.md). They are the first stage where bodies have few rows of contacts
// (stic_admm_faces), and the guard leaves them sooner than any other stage.
//
// Stages that the guard goes through: forward with momentum, in piles; symmetric with momentum
// without a cap; beta <= 0.9; the same with forward sweeps, which pass some wedges that symmetric
// ones do not; symmetric sweeps without momentum; the same with relaxed visits, against cycles.
//
// Laws, forms and orders: as nsgs. One iteration is a pair of sweeps, in the forward stages with a
// step of momentum after each of them. Cost above that of the sweeps: 10 to 20 %. Workspace: three
// vectors of rows, one of velocities.
#include "solver/method/asgs.h"
#include "solver/method/admm.h"
#include "solver/method/momentum.h"

#include <string.h>

static const char* const form_names[] = {"auto", "explicit", "factored", NULL};
static const char* const order_names[] = {"natural", "coloured", NULL};
static const char* const direction_names[] = {"auto", "symmetric", "forward", NULL};

typedef enum Direction { DIRECTION_AUTO, DIRECTION_SYMMETRIC, DIRECTION_FORWARD } Direction;

static const SticField asgs_fields[] = {
    STIC_FIELD_PICK(SticAsgsSettings, form, STIC_FORM_AUTO, STIC_FORM_FACTORED, form_names,
                    "rows of W, or mass-scaled H with body velocities"),
    STIC_FIELD_PICK(SticAsgsSettings, order, 0, 1, order_names,
                    "interactions as numbered, or by colours that run in parallel"),
    STIC_FIELD_PICK(SticAsgsSettings, direction, DIRECTION_AUTO, DIRECTION_FORWARD, direction_names,
                    "sweeps of the first stage; auto: forward in piles, symmetric elsewhere"),
    STIC_FIELD_REAL(SticAsgsSettings, beta, 1.0, 0.0, 1.0, "-",
                    "largest momentum while nothing goes wrong"),
    STIC_FIELD_COUNT(SticAsgsSettings, patience, 300, 0, 2147483647, "iterations",
                     "iterations without progress before the next, more careful stage; 0: stay in "
                     "the first one and never go back, whatever the error does"),
    STIC_FIELD_COUNT(SticAsgsSettings, local_iterations, 100, 1, 1000000, "steps",
                     "projected steps at most per visit, for laws without a closed form"),
    STIC_FIELD_REAL(SticAsgsSettings, local_tolerance, 1e-4, 0.0, 1.0, "-",
                    "fraction of the first projected step at which a visit ends"),
};

const SticFieldTable stic_asgs_fields = {
    .name = "asgs",
    .fields = asgs_fields,
    .count = sizeof asgs_fields / sizeof asgs_fields[0],
    .size = sizeof(SticAsgsSettings),
};

typedef struct Stage {
    double cap;
    bool symmetric;
    double omega;
} Stage;

static const Stage stages[] = {{1.0, false, 1.0}, {1.0, true, 1.0}, {0.9, true, 1.0},
                               {0.9, false, 1.0}, {0.0, true, 1.0}, {0.0, true, 0.7}};
enum { STAGES = sizeof stages / sizeof stages[0], FORWARD = 0, SYMMETRIC = 1, CAREFUL = 2 };

typedef struct Asgs {
    const SticProblem* problem;
    SticSweep* sweep;
    double *x, *before, *y; // [rows]
    double *v, *v_before;   // [velocities] of the sweep; of `before`
    int32_t velocities;
    SticNesterov momentum;
    SticGuard guard;
    double beta; // in use
    int32_t stage;
    int32_t refined; // iteration at which the velocities were last corrected
    double largest;  // change of the first sweeps
} Asgs;

// pairs between checks of a walk: its low points last some hundred, and a check costs three sweeps
enum { WALK_CHECK = 25 };

// no guard: continue whatever the error does
static bool walks(const Asgs* a)
{
    return a->guard.patience == 0;
}

static void set_stage(Asgs* a, int32_t stage)
{
    a->stage = stage;
    a->momentum.cap = stages[stage].cap < a->momentum.most ? stages[stage].cap : a->momentum.most;
    stic_sweep_relax(a->sweep, stages[stage].omega);
}

static SticStatus prepare(SticSolveTask* task, Asgs* a)
{
    const SticAsgsSettings* settings = task->method;
    const int32_t rows = task->problem->rows;
    const SticSweepOptions options = {.form = (SticForm)settings->form,
                                      .local = STIC_LOCAL_NEWTON,
                                      .coloured = settings->order == 1,
                                      .omega = 1.0,
                                      .limits = {.iterations = settings->local_iterations,
                                                 .tolerance = settings->local_tolerance}};
    *a = (Asgs){.problem = task->problem,
                .momentum = {.t = 1.0, .most = settings->beta},
                .guard = {.error = task->best_error,
                          .at = task->info->iterations,
                          .first = task->info->iterations,
                          .patience = settings->patience},
                .refined = task->info->iterations};
    a->sweep = task->sweep;
    if (a->sweep == NULL || !stic_sweep_serves(a->sweep, &options))
        STIC_TRY(
            stic_sweep_create(task->arena, task->problem, &options, &a->sweep, &task->info->error));
    const bool forward =
        settings->direction == DIRECTION_FORWARD ||
        (settings->direction == DIRECTION_AUTO && stic_admm_is_pile(task->problem));
    set_stage(a, forward ? FORWARD : SYMMETRIC);
    a->v = stic_sweep_velocities(a->sweep, &a->velocities);
    STIC_TRY(STIC_TAKE(task->arena, &a->before, rows));
    STIC_TRY(STIC_TAKE(task->arena, &a->y, rows));
    a->x = task->r;
    return STIC_TAKE(task->arena, &a->v_before, a->velocities);
}

// begin at x without momentum
static void begin(Asgs* a)
{
    const size_t bytes = (size_t)a->problem->rows * sizeof(double);
    stic_sweep_start(a->sweep, a->x);
    memcpy(a->before, a->x, bytes);
    memcpy(a->y, a->x, bytes);
    if (a->velocities > 0)
        memcpy(a->v_before, a->v, (size_t)a->velocities * sizeof(double));
    a->momentum.t = 1.0;
}

// velocities of one piece of work: about 10 microseconds
enum { PIECE = 16384 };

static void carry_chunk(void* self, int32_t chunk)
{
    Asgs* a = self;
    const int32_t first = chunk * PIECE;
    for (int32_t k = first; k < a->velocities && k < first + PIECE; ++k) {
        const double v = a->v[k];
        a->v[k] = v + a->beta * (v - a->v_before[k]);
        a->v_before[k] = v;
    }
}

// y = x + beta (x - before) with the next beta, velocities alike
static void extrapolate(Asgs* a)
{
    SticNesterov trial = a->momentum;
    a->beta = stic_nesterov_next(&trial, false);
    if (stic_sweep_extrapolate(a->sweep, a->beta, a->y, a->before) > 0.0) {
        // a restart is known to be needed only now: back to x, which `before` already holds
        trial = a->momentum;
        a->beta = stic_nesterov_next(&trial, true);
        memcpy(a->y, a->before, (size_t)a->problem->rows * sizeof *a->y);
        stic_sweep_put(a->sweep, a->y);
    }
    a->momentum = trial;
    stic_pool_run(stic_sweep_operator(a->sweep)->pool, (a->velocities + PIECE - 1) / PIECE,
                  carry_chunk, a);
}

// after the last one, momentum gets another chance
static void next_stage(Asgs* a)
{
    set_stage(a, a->stage + 1 < STAGES ? a->stage + 1 : CAREFUL);
}

// whether forward sweeps with momentum take longer than a quarter of the patience to halve the
// error: in piles at rest they take a tenth of that, with much sliding they may hover
static bool is_idle(const SticSolveTask* task, const Asgs* a)
{
    const int32_t first = a->guard.first;
    const int32_t since = task->halved_at > first ? task->halved_at : first;
    return a->stage == FORWARD && task->info->iterations - since >= a->guard.patience / 4;
}

// after a check of x: continue with corrected velocities, or return to the best x
static void heed(SticSolveTask* task, Asgs* a, double* u)
{
    SticGuardVerdict verdict =
        walks(a) ? STIC_GUARD_GO_ON : stic_guard_look(&a->guard, task, a->beta, &a->momentum);
    if (!walks(a) && is_idle(task, a))
        verdict = STIC_GUARD_CAREFUL;
    if (verdict == STIC_GUARD_CAREFUL)
        next_stage(a);
    if (verdict != STIC_GUARD_GO_ON) {
        stic_task_best(task, a->x);
        begin(a);
        return;
    }
    // rounding accumulates slowly: recompute when the sweeps have doubled, or where a check was
    // worse than the sweeps had promised
    const int32_t now = task->info->iterations;
    if (task->misses == 0 && now - a->guard.first < 2 * (a->refined - a->guard.first))
        return;
    a->refined = now;
    // both velocities: with only one of them free of rounding, their difference, which momentum
    // adds up, would carry the drift of all sweeps since the last time
    if (a->velocities > 0)
        stic_operator_start(stic_sweep_operator(a->sweep), a->before, a->v_before);
    stic_sweep_start(a->sweep, a->x);
    stic_task_velocity(task, u);
    stic_sweep_correct(a->sweep, u);
}

SticStatus stic_asgs_run(SticSolveTask* task)
{
    Asgs a;
    double* u = NULL;
    STIC_TRY(prepare(task, &a));
    STIC_TRY(STIC_TAKE(task->arena, &u, task->problem->rows));
    const double sweep_work = stic_sweep_work(a.sweep);
    const double scale = task->b_norm > 0.0 ? 1.0 / task->b_norm : 1.0;
    begin(&a);
    for (;;) {
        const bool symmetric = stages[a.stage].symmetric;
        // a pair of sweeps in any case, so that limits mean the same work
        stic_sweep_run(a.sweep);
        if (!symmetric)
            extrapolate(&a);
        const double change = symmetric ? stic_sweep_run_back(a.sweep) : stic_sweep_run(a.sweep);
        a.largest =
            change > a.largest && task->info->iterations < a.guard.first + 2 ? change : a.largest;
        // runaway momentum is stopped before it counts as divergence
        const bool away = !(change <= 1e3 * a.largest);
        if (away) {
            next_stage(&a);
            stic_task_best(task, a.x);
            begin(&a);
        }
        const bool due = stic_task_count(task, 2.0 * sweep_work, scale * change);
        const int32_t done = task->info->iterations - a.guard.first;
        if (due || (walks(&a) && done % WALK_CHECK == 0)) {
            stic_sweep_get(a.sweep, a.x);
            if (!stic_task_judge(task, a.x))
                break;
            heed(task, &a, u);
        }
        extrapolate(&a);
    }
    stic_sweep_relax(a.sweep, 1.0);
    task->info->fallbacks = stic_sweep_fallbacks(a.sweep);
    return STIC_OK;
}
