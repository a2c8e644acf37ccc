// SPDX-License-Identifier: Apache-2.0
// flow: forward Gauss-Seidel sweeps with capped momentum, island by island, for scenes that move.
//
//     y = x + beta (x - x_before) in each visit, v alike;  x = visit(y)
//     beta = min(cap, k/(k + 3)) after k sweeps, cap 0.8 where bodies meet in points, 0.9 in faces
// The ramp is Nesterov's; without the cap forward sweeps run away on faces and circle on piles
// (docs/theory/solvers.md has the curves). No restart test is needed below the cap, so that
// momentum is part of the visit and costs no pass of its own.
//
// A sweep knows how far it is: e = sqrt(sum <W_ii dr, dr>)/|b| in the energy norm, with dr of all
// visits; the error recomputed from the data was 0.6 to 0.75 times that in the median and 0.3 to
// 1.1 times in 98 of 100 on piles, rubble and rocks, from 3e-2 to 1e-4. So the first check is made
// when 0.7 e is at the tolerance, and it is nearly always the only one; where it fails, its ratio
// to e takes the place of 0.7. The answer is the r of a check, as everywhere.
//
// What stops the sweeps is a cycle of the momentum. Where e has not fallen by 30 % for long (40
// sweeps, or half of all) or has doubled, bodies that meet in points get 20 sweeps without
// momentum, and a smaller cap, down to none: plain sweeps reach 1e-3 where a momentum of 0.6 goes
// on circling between 0.3 and 1.5e-2. Faces, whose e rises and falls on the way, get blocks of
// visits in a new order every sweep from then on (seeded by the island, so that results can be
// repeated), with caps of 0.95 and 0.9 in turn, and sooner (25 sweeps, or a quarter of all):
// falling cubes take 223 sweeps a step instead of 284, and the worst of their steps takes a third
// of the time.
//
// Cost: that of the sweeps and one check; memory: the records of the sweep.
#include "solver/method/flow.h"

#include <math.h>

#include "math/math.h"

enum {
    PAUSE = 20,          // sweeps without momentum against a cycle
    PATIENCE = 40,       // sweeps without progress before something is done, at least: points,
    PATIENCE_FACES = 25, // and faces
    RARELY = 200,        // sweeps between checks that nothing predicts
    REST_SWEEPS = 32,    // before it is asked whether the island rests
    REST_LEFT = 10,   // sweeps that cost less than a factor and its iterations, which are 7 to 40
    RATE_SWEEPS = 64, // before the rate is trusted
    CLOCK = 16,       // sweeps between looks at the clock
    FALLS = 3,        // times that momentum may run away
    FEW = 32          // contacts whose dense factor, 9 n^3, costs 50 sweeps of 200 n; see is_left
};

// estimates this many times above the first ones do not lead to a solution
static const double runaway = 1e3;

// median of error over estimate, see above
static const double first_ratio = 0.7;

// Errors that stop right at the tolerance may be of one sign from step to step and add up to creep:
// ten boxes at rest crept by 1.2 times what a tolerance of 1e-8 means. Where rest is asked for, the
// aim is therefore somewhat below the tolerance.
static const double strict = 1.001e-6, spare = 0.1;

// From 0 the first sweep changes r by about 1. A start that it changes by ten times as much is worse
// than none: from a hundred times the solution spheres took 19 times as long as from 0. Less than
// that may still hold how a patch shares its load: dropped at 1, a box between pads fell by 0.37 mm
// more. One that the sweep changes by a tenth says little about what follows.
static const double worse = 10.0, far = 0.1;

// one island on its way
typedef struct Run {
    const SticFlow* flow;
    const SticFlowLimits* limits;
    SticFlowResult* result;
    SticSolveSettings settings; // with the tolerance of the island
    int32_t k, contacts, most;  // island, its contacts, sweeps it may take
    bool points;                // bodies meet in points
    bool jointed;               // bilateral interactions only
    bool started;               // r was not 0
    bool is_far;                // but far from what follows, or it was
    SticGaugePart part;
    double sweep_work, check_work;
    // momentum
    double cap;
    int32_t ramp;   // sweeps since it began
    int32_t pause;  // sweeps without it to come
    int32_t falls;  // times that it ran away
    double largest; // estimate of the first sweeps
    bool shuffled;
    SticRandom random;
    // progress
    double estimate;   // of the last sweep
    double reference;  // estimate at the last progress
    int32_t at;        // sweep of it
    double ratio;      // error over estimate
    double aim;        // error at which a check is made
    int32_t enough_at; // sweep that reached the error that will do, by its estimate
    int32_t checked;   // sweep of the last check
    double window;     // estimate at `window_at`, for the rate
    int32_t window_at;
    double best;       // error
    SticErrors errors; // of the last check
} Run;

SticStatus stic_flow_create(SticSolveTask* task, const SticIslands* islands, SticFlow* flow,
                            bool* possible)
{
    const SticSweepOptions options = {.form = STIC_FORM_AUTO,
                                      .local = STIC_LOCAL_NEWTON,
                                      .omega = 1.0,
                                      .limits = {.iterations = 100, .tolerance = 1e-4},
                                      .op = task->op,
                                      .islands = islands,
                                      .patterns = task->part ? NULL : task->patterns};
    *flow = (SticFlow){.task = task, .islands = islands, .alone = islands->count == 1};
    const SticStatus status =
        stic_sweep_create(task->arena, task->problem, &options, &flow->sweep, &task->info->error);
    *possible = status == STIC_OK;
    if (status == STIC_OUT_OF_MEMORY)
        return status;
    if (status != STIC_OK)
        task->info->error = (SticError){.status = STIC_OK};
    return STIC_OK;
}

/* ---- checks ---- */

static double shift_at(const double* shift, int32_t row)
{
    return shift != NULL ? shift[row] : 0.0;
}

// rows of island k: to = from + sign times the shift of r
static void copy_rows(const Run* run, const double* from, double sign, double* to)
{
    const SticProblem* problem = run->flow->task->original;
    const SticIslands* islands = run->flow->islands;
    for (int32_t m = islands->begin[run->k]; m < islands->begin[run->k + 1]; ++m) {
        const int32_t i = islands->member[m];
        for (int32_t row = problem->row_at[i]; row < problem->row_at[i + 1]; ++row)
            to[row] = from[row] + sign * shift_at(problem->r_shift, row);
    }
}

// errors of the rows of task->r; whether they pass
static SticStatus measure_part(Run* run, bool* passes)
{
    SticSolveTask* task = run->flow->task;
    copy_rows(run, task->r, -1.0, task->trial);
    STIC_TRY(stic_gauge_measure(task->gauge, &run->part, task->trial, task->trial_u, &run->errors));
    *passes = stic_task_passes(&run->settings, &run->errors, &run->result->at_floor);
    if (*passes || run->part.rounded)
        return STIC_OK;
    // the floor of rounding is only computed for islands that may need it
    STIC_TRY(stic_gauge_round(task->gauge, &run->part));
    STIC_TRY(stic_gauge_measure(task->gauge, &run->part, task->trial, task->trial_u, &run->errors));
    *passes = stic_task_passes(&run->settings, &run->errors, &run->result->at_floor);
    return STIC_OK;
}

// of one island: checks, best r, and history are the task's
static SticStatus measure_alone(Run* run, bool* passes)
{
    SticSolveTask* task = run->flow->task;
    *passes = stic_task_check(task, task->r);
    run->errors = task->trial_errors;
    if (!*passes && task->status == STIC_OK)
        *passes = stic_task_passes(&run->settings, &run->errors, &run->result->at_floor);
    return task->status;
}

static SticStatus check(Run* run, bool* passes)
{
    SticSolveTask* task = run->flow->task;
    stic_sweep_get_island(run->flow->sweep, run->k, task->r);
    STIC_TRY((run->flow->alone ? measure_alone : measure_part)(run, passes));
    run->result->checks += 1;
    run->result->work += run->check_work;
    run->checked = run->result->sweeps;
    const double error = stic_errors_get(&run->errors, (SticNorm)run->settings.norm);
    if (error < run->best || *passes) {
        run->best = error;
        run->result->errors = run->errors;
        // the task keeps the best r of all by itself
        if (!run->flow->alone)
            copy_rows(run, task->r, -1.0, task->best);
    }
    // within a decade: an estimate that is off by more says nothing
    const double ratio = error / run->estimate;
    const bool energy = run->settings.norm == STIC_NORM_UNIT_FREE;
    const double least = energy ? 0.3 : 1e-2, most = energy ? 3.0 : 1e2;
    run->ratio = !(ratio > least) ? least : ratio > most ? most : ratio;
    return STIC_OK;
}

/* ---- momentum ---- */

static double next_beta(Run* run)
{
    if (run->pause > 0) {
        run->pause -= 1;
        return 0.0;
    }
    const double ramp = (double)run->ramp / (double)(run->ramp + 3);
    run->ramp += 1;
    return ramp < run->cap ? ramp : run->cap;
}

// a cycle: see the head of the file
static void break_cycle(Run* run)
{
    run->reference = run->estimate;
    run->at = run->result->sweeps;
    if (run->points) {
        run->pause = PAUSE;
        run->at += PAUSE;
        run->ramp = 0;
        const double cap = 1.0 - 1.25 * (1.0 - run->cap);
        run->cap = cap > 0.0 ? cap : 0.0;
        return;
    }
    run->cap = run->shuffled && run->cap > 0.92 ? 0.9 : 0.95;
    run->shuffled = true;
}

// momentum that ran away: back to the best r that was checked, or to the start, with less of it
static void go_back(Run* run)
{
    SticSolveTask* task = run->flow->task;
    if (run->best < INFINITY)
        copy_rows(run, task->best, 1.0, task->r);
    stic_sweep_start_island(run->flow->sweep, run->k, task->r);
    run->falls += 1;
    run->cap = 1.0 - 2.0 * (1.0 - run->cap) > 0.0 ? 1.0 - 2.0 * (1.0 - run->cap) : 0.0;
    run->ramp = run->pause = 0;
    run->shuffled = false;
    run->reference = INFINITY;
    run->estimate = run->largest;
}

static void watch(Run* run)
{
    const int32_t sweeps = run->result->sweeps;
    if (sweeps <= 2 && run->estimate > run->largest)
        run->largest = run->estimate;
    if (!(run->estimate <= runaway * run->largest)) {
        go_back(run);
        return;
    }
    const int32_t since = sweeps - run->at, part = sweeps / (run->points ? 2 : 4),
                  least = run->points ? PATIENCE : PATIENCE_FACES,
                  patience = part > least ? part : least;
    const bool rises = run->points && since > PAUSE && run->estimate > 2.0 * run->reference;
    if (run->estimate < 0.7 * run->reference) {
        run->reference = run->estimate;
        run->at = sweeps;
    } else if (run->pause == 0 && (since > patience || rises)) {
        break_cycle(run);
    }
}

/* ---- ends ---- */

// whether the way from the error that will do to the tolerance takes longer than half the way there
static bool is_long(Run* run)
{
    const int32_t sweeps = run->result->sweeps;
    if (run->enough_at == 0 && run->estimate * run->ratio <= run->limits->enough)
        run->enough_at = sweeps;
    return run->enough_at > 0 && sweeps > run->enough_at + run->enough_at / 2 + PATIENCE;
}

// sweeps that are left at the rate since the last time this was asked
static double sweeps_left(Run* run)
{
    const double since = (double)(run->result->sweeps - run->window_at);
    const double gain = stic_ln(run->window / run->estimate);
    const double need = stic_ln(run->estimate * run->ratio / run->limits->tolerance);
    run->window = run->estimate;
    run->window_at = run->result->sweeps;
    return need <= 0.0 ? 0.0 : gain > 0.0 ? need * since / gain : INFINITY;
}

// whether all but a twentieth of the loaded contacts stick
static bool sticks(const Run* run)
{
    const SticProblem* problem = run->flow->task->problem;
    const SticIslands* islands = run->flow->islands;
    int32_t loaded = 0, slips = 0;
    double* r = run->flow->task->r;
    stic_sweep_get_island(run->flow->sweep, run->k, r);
    for (int32_t m = islands->begin[run->k]; m < islands->begin[run->k + 1]; ++m) {
        const int32_t i = islands->member[m], at = problem->row_at[i];
        if (problem->law[i] != STIC_LAW_CONE || !(r[at] > 0.0))
            continue;
        double square = 0.0;
        for (int32_t row = at + 1; row < problem->row_at[i + 1]; ++row)
            square += r[row] * r[row];
        const double limit = problem->coef[i][0] * r[at];
        loaded += 1;
        slips += square >= (1.0 - 1e-6) * limit * limit;
    }
    return 20 * slips <= loaded;
}

// at 32 sweeps and each time they have doubled
static bool gives_up(Run* run)
{
    const SticFlowLimits* limits = run->limits;
    const int32_t sweeps = run->result->sweeps;
    if (sweeps < REST_SWEEPS || sweeps < 2 * run->window_at || run->pause > 0)
        return false;
    const double left = sweeps_left(run);
    run->result->end = STIC_FLOW_RESTS;
    const bool yields = limits->yields || run->is_far;
    if (yields && !run->points && left > REST_LEFT && sticks(run))
        return true;
    run->result->end = STIC_FLOW_SLOW;
    return limits->impatient && sweeps >= RATE_SWEEPS && sweeps + left > 2.0 * run->most;
}

static bool is_stopped(Run* run)
{
    SticSolveTask* task = run->flow->task;
    const SticSolveSettings* settings = task->settings;
    const bool late = settings->max_seconds > 0.0 && run->result->sweeps % CLOCK == 0 &&
                      stic_timer_seconds() - task->start >= settings->max_seconds;
    const bool used = run->result->sweeps >= settings->max_iterations;
    const bool asked =
        !run->flow->beside && stic_task_interrupted(task, task->info->work + run->result->work);
    if (!late && !used && !asked)
        return false;
    run->result->outcome = late || asked ? STIC_OUTCOME_TIME_LIMIT : STIC_OUTCOME_ITERATION_LIMIT;
    run->result->end = STIC_FLOW_STOPPED;
    if (run->flow->alone)
        stic_task_stop(task, run->result->outcome);
    return true;
}

/* ---- the island ---- */

static void sweep_once(Run* run)
{
    SticSolveTask* task = run->flow->task;
    // the slip equations may be off by the square of this: a thousandth of the tolerance
    const double accuracy = 0.03 * sqrt(run->limits->tolerance);
    const SticSweepStep step = {.beta = next_beta(run),
                                .accuracy = accuracy > stic_slip_exact ? accuracy : stic_slip_exact,
                                .shuffle = run->shuffled ? &run->random : NULL};
    const SticSweepChange change = stic_sweep_run_island(run->flow->sweep, run->k, &step);
    const bool energy = run->settings.norm == STIC_NORM_UNIT_FREE;
    const double size = energy ? run->part.b_energy : run->part.b_norm;
    run->estimate = sqrt(energy ? change.energy : change.square) / (size > 0.0 ? size : 1.0);
    run->result->sweeps += 1;
    run->result->work += run->sweep_work;
    if (run->flow->alone)
        task->info->iterations += 1;
    if (run->result->sweeps == 1)
        run->window = run->estimate;
}

static void set_zero(const Run* run)
{
    const SticSolveTask* task = run->flow->task;
    const SticIslands* islands = run->flow->islands;
    for (int32_t m = islands->begin[run->k]; m < islands->begin[run->k + 1]; ++m) {
        const int32_t i = islands->member[m];
        for (int32_t row = task->problem->row_at[i]; row < task->problem->row_at[i + 1]; ++row)
            task->r[row] = 0.0;
    }
}

static bool is_zero(const Run* run)
{
    const SticSolveTask* task = run->flow->task;
    const SticIslands* islands = run->flow->islands;
    for (int32_t m = islands->begin[run->k]; m < islands->begin[run->k + 1]; ++m) {
        const int32_t i = islands->member[m];
        for (int32_t row = task->problem->row_at[i]; row < task->problem->row_at[i + 1]; ++row)
            if (task->r[row] != 0.0)
                return false;
    }
    return true;
}

// Whether an island is left to methods that know no order. Sweeps from nothing hand a load to the
// contacts that they visit first, so that a patch shares it unevenly, and where friction alone holds
// a body that is another motion: one between two equal pads turned and fell. From the last reactions
// sweeps keep the shares that they find while everything sticks. Newton's method on a few contacts
// costs less than sweeps, too, where W is at hand; whether bodies meet in faces is not known there.
// For steps of runs: a problem by itself has no motion to follow.
static bool is_left(const Run* run)
{
    const SticProblem* problem = run->flow->task->problem;
    const double* r = run->flow->task->r;
    if (run->contacts > FEW || run->jointed || !run->settings.per_island)
        return false;
    for (int32_t m = 0; problem->W == NULL && m < run->contacts; ++m) {
        const int32_t i = run->flow->islands->member[run->flow->islands->begin[run->k] + m];
        for (int32_t row = problem->row_at[i]; row < problem->row_at[i + 1]; ++row)
            if (r[row] != 0.0)
                return false;
    }
    return problem->W != NULL || !run->points;
}

// the first sweep; a start that is worse than none costs no more than this one. False: from nothing
// the island is left to others.
static bool sweep_first(Run* run)
{
    sweep_once(run);
    run->is_far = run->estimate > far;
    if (!run->started || run->estimate <= worse)
        return true;
    set_zero(run);
    if (is_left(run))
        return false;
    stic_sweep_start_island(run->flow->sweep, run->k, run->flow->task->r);
    run->ramp = 0;
    sweep_once(run);
    return true;
}

// Joints alone are solved by one visit up to rounding, about which the estimate, made before the
// visit, knows nothing. A second visit removes what replaced pivots of redundant joints have left.
static bool repeats_joints(const Run* run)
{
    static const double rounding = 1e-4;
    return run->jointed && run->result->sweeps == 1 &&
           run->best > rounding * run->limits->tolerance;
}

static SticStatus go(Run* run)
{
    bool passes = false;
    for (;;) {
        if (run->result->sweeps > 0)
            sweep_once(run);
        else if (!sweep_first(run))
            return STIC_OK;
        watch(run);
        // a value that is not a number must not go unnoticed
        const bool predicted = !(run->estimate * run->ratio > run->aim) || run->jointed;
        const bool ends = run->falls >= FALLS || is_stopped(run) || gives_up(run) ||
                          run->result->sweeps >= run->most;
        const bool satisfied = is_long(run);
        if (!predicted && !ends && !satisfied && run->result->sweeps - run->checked < RARELY)
            continue;
        STIC_TRY(check(run, &passes));
        if (passes && (ends || !repeats_joints(run))) {
            run->result->end = STIC_FLOW_SOLVED;
            return STIC_OK;
        }
        if (ends || (satisfied && run->best <= run->limits->enough))
            return STIC_OK;
        // the estimate of the error that will do was wrong
        if (satisfied)
            run->enough_at = 0;
        // otherwise the rounding left by the pushes would be the floor of the next sweeps
        stic_sweep_renew_island(run->flow->sweep, run->k);
    }
}

// whether two interactions are between the same bodies
static bool is_same_pair(const SticBlockCsr* Ht, int32_t i, int32_t j)
{
    const int32_t count = Ht->begin[i + 1] - Ht->begin[i];
    bool same = Ht->begin[j + 1] - Ht->begin[j] == count;
    for (int32_t e = 0; same && e < count; ++e)
        same = Ht->col[Ht->begin[i] + e] == Ht->col[Ht->begin[j] + e];
    return same;
}

// Whether the bodies of an island meet in points: contacts of a pair follow each other, and where
// faces touch there are several. 1 in piles of spheres, 1.1 to 1.3 in piles of rocks, 1.7 to 2.4 in
// walls that fly apart, 4 in those that stand.
static bool meets_in_points(const SticFlow* flow, int32_t k)
{
    static const double several = 1.5;
    const SticProblem* problem = flow->task->problem;
    const SticIslands* islands = flow->islands;
    const int32_t first = islands->begin[k], end = islands->begin[k + 1];
    int32_t pairs = 1;
    if (problem->W != NULL)
        return true;
    for (int32_t m = first + 1; m < end; ++m)
        pairs += !is_same_pair(problem->Ht, islands->member[m], islands->member[m - 1]);
    return (double)(end - first) < several * (double)pairs;
}

// bilateral interactions alone, which a sweep solves at once (joints.h)
static bool is_jointed(const SticFlow* flow, int32_t k)
{
    const SticIslands* islands = flow->islands;
    for (int32_t m = islands->begin[k]; m < islands->begin[k + 1]; ++m)
        if (flow->task->problem->law[islands->member[m]] != STIC_LAW_FREE)
            return false;
    return true;
}

// the best r will do: its u is needed, too
static SticStatus settle(Run* run)
{
    bool passes = false;
    run->result->end = STIC_FLOW_ENOUGH;
    return run->flow->alone ? STIC_OK : measure_part(run, &passes);
}

SticStatus stic_flow_run(const SticFlow* flow, int32_t k, const SticFlowLimits* limits,
                         SticFlowResult* result)
{
    STIC_ASSERT(k >= 0);
    SticSolveTask* task = flow->task;
    const SticIslands* islands = flow->islands;
    const int32_t contacts = islands->begin[k + 1] - islands->begin[k];
    *result = (SticFlowResult){.end = STIC_FLOW_SLOW};
    Run run = {.flow = flow,
               .limits = limits,
               .result = result,
               .settings = *task->settings,
               .k = k,
               .contacts = contacts,
               .points = meets_in_points(flow, k),
               .part = {.member = islands->member + islands->begin[k], .count = contacts},
               .sweep_work = stic_sweep_island_work(flow->sweep, k),
               .random = stic_random_create((uint64_t)contacts),
               .estimate = INFINITY,
               .reference = INFINITY,
               .ratio = task->settings->norm == STIC_NORM_UNIT_FREE ? first_ratio : 1.0,
               .best = INFINITY};
    run.settings.tolerance = limits->tolerance;
    run.aim = limits->tolerance > strict ? limits->tolerance : spare * limits->tolerance;
    run.jointed = is_jointed(flow, k);
    run.most = limits->sweeps;
    run.cap = run.jointed || limits->plain ? 0.0 : run.points ? 0.8 : 0.9;
    run.check_work = stic_gauge_work(task->gauge) * (double)contacts / (double)task->problem->count;
    if (task->problem->W == NULL) {
        run.part.body = islands->body + islands->body_begin[k];
        run.part.bodies = islands->body_begin[k + 1] - islands->body_begin[k];
    }
    // runs are not told more digits than they ask for
    run.part.enough = task->settings->per_island ? 0.5 * limits->tolerance : 0.0;
    if (flow->alone) {
        stic_gauge_whole(task->gauge)->enough = run.part.enough;
        run.part = *stic_gauge_whole(task->gauge);
    } else {
        stic_gauge_part(task->gauge, &run.part);
    }
    if (is_left(&run))
        return STIC_OK;
    run.started = !is_zero(&run);
    stic_sweep_start_island(flow->sweep, k, task->r);
    STIC_TRY(go(&run));
    copy_rows(&run, task->best, 1.0, task->r);
    if (result->end == STIC_FLOW_SLOW && run.best <= limits->enough)
        STIC_TRY(settle(&run));
    // an r that is worse than 0, whose error is about 1, is worth nothing to others
    if (!(run.best <= 1.0))
        set_zero(&run);
    return STIC_OK;
}
