// SPDX-License-Identifier: Apache-2.0
// Reduction, once for every solver: from a request to problems that cannot be taken apart.
//
//   1. Shifts are folded into the data (task.c); a sparse M is condensed.
//   2. Islands (islands.h) are found where each must pass by itself, and always for `auto`.
//   3. `auto` sweeps every island in the arrays of the whole (flow.h): islands that move or are
//      near their solution end here, at the price of set-up, sweeps and one check.
//      Steps first try sweeps without any set-up (rest.h): where bodies rest one is enough.
//   4. The remaining islands get a problem of their own: a few rows take the dense path (tiny.h),
//      the others the method of the request.
//   5. Where the whole is judged, parts that do not add up to the tolerance are solved again to a
//      tenth of theirs.
// The outcome of islands that are judged by themselves is that of the worst.
#include "solver/reduce.h"

#include <math.h>
#include <string.h>

#include "math/math.h"
#include "solver/islands.h"
#include "solver/method/chain.h"
#include "solver/method/flow.h"
#include "solver/method/tiny.h"
#include "solver/methods.h"
#include "solver/portfolio.h"
#include "solver/rest.h"

typedef struct Reduced {
    SticSolveTask* whole;
    const SticSolveRequest* request;
    const double* given; // [rows] start of the caller, NULL: none
    SticIslands islands;
    SticProblem parts;        // what islands are extracted from: only shifts of r are folded in
    SticSolveSettings* aimed; // those of `whole`
    bool automatic;           // `auto`
    bool plain;               // the dense path may be taken
    double tighter;           // factor on the tolerances of parts
    // what came of the islands
    double most_work;
    SticOutcome outcome; // of the last one that was not solved
    bool at_floor;
    SticErrors worst;
} Reduced;

static double larger(double a, double b)
{
    return a > b ? a : b; // errors that are not numbers count as infinite
}

/* ---- tolerances ---- */

// squares add up over max(|b|, |r|, |u|)^2, which is at least a third of the sum of the three
static const double third = 0.577;

// the aim, and the error at which it counts as solved
typedef struct Asked {
    double aim, enough;
} Asked;

// the tolerance that a request asks of the interactions member[0 .. count-1] (NULL: 0 .. count-1)
static Asked asked_in(const SticSolveRequest* request, const int32_t* member, int32_t count)
{
    const double tolerance = request->settings.tolerance;
    double most = 0.0;
    for (int32_t m = 0; request->tolerance != NULL && m < count; ++m)
        most = larger(most, request->tolerance[member != NULL ? member[m] : m]);
    const double own = request->tolerance != NULL ? most : tolerance;
    return (Asked){.aim = own, .enough = larger(own, tolerance)};
}

// The tolerance of one island that is judged by itself. Runs are judged by energies, in which a
// light body on a heavy one counts little: where masses differ by more than a factor of ten, the
// aim is a tolerance that makes its velocity as exact, but not below 1e-11, which is near the
// rounding of stiff islands.
static double aim(const SticSolveSettings* settings, double asked, double share)
{
    static const double least_share = 0.316, finest = 1e-11;
    if (settings->norm != STIC_NORM_UNIT_FREE || asked <= finest)
        return asked;
    const double wanted = share < least_share ? share * asked : asked;
    return wanted > finest ? wanted : finest;
}

// what errors of a part are divided by, in the two measures whose squares add up over parts
static double size_of(const SticSolveTask* whole, const SticGaugePart* part)
{
    return whole->settings->norm == STIC_NORM_UNIT_FREE ? part->b_energy : part->b_norm;
}

// Tolerance of island k so that all of them add up to that of the whole. A small one may have its
// share of the error of the whole: what hardly counts there may be hard to solve by itself.
static double part_tolerance(const Reduced* reduced, int32_t k)
{
    const SticSolveTask* whole = reduced->whole;
    const SticIslands* islands = &reduced->islands;
    SticGaugePart part = {.member = islands->member + islands->begin[k],
                          .count = islands->begin[k + 1] - islands->begin[k]};
    if (islands->count == 1)
        return whole->settings->tolerance;
    const double tolerance = third * whole->settings->tolerance;
    if (whole->settings->norm == STIC_NORM_SICONOS)
        return tolerance;
    stic_gauge_part(whole->gauge, &part);
    const double size = size_of(whole, &part), all = size_of(whole, stic_gauge_whole(whole->gauge));
    if (!(size > 0.0))
        return tolerance;
    const double share = all / (sqrt((double)islands->count) * size);
    const double wide = share > 1.0 ? share * tolerance : tolerance;
    return wide < 1.0 ? wide : 1.0;
}

// the error below which work is limited; 0: none
static double limited(Asked asked)
{
    return asked.enough > asked.aim ? asked.enough : 0.0;
}

// the tolerance asked of island k
static Asked asked_of(const Reduced* reduced, int32_t k)
{
    const SticIslands* islands = &reduced->islands;
    return asked_in(reduced->request, islands->member + islands->begin[k],
                    islands->begin[k + 1] - islands->begin[k]);
}

// the tolerance that it is solved to
static double tolerance_of(const Reduced* reduced, int32_t k)
{
    const SticSolveTask* whole = reduced->whole;
    if (!whole->settings->per_island)
        return reduced->tighter * part_tolerance(reduced, k);
    return aim(whole->settings, asked_of(reduced, k).aim,
               stic_islands_share(whole->problem, whole->op, &reduced->islands, k));
}

// the error that will do for it if that takes too long; nothing less where the whole is judged
static double enough_of(const Reduced* reduced, int32_t k)
{
    return reduced->whole->settings->per_island ? asked_of(reduced, k).enough : 0.0;
}

// error over tolerance; at the floor 1 at most
static double over(double error, double tolerance, bool at_floor)
{
    if (error <= tolerance)
        return tolerance > 0.0 ? error / tolerance : 0.0;
    return at_floor ? 1.0 : error / tolerance;
}

// the errors that were reached, relative to what was asked for
static void weigh(const SticSolveSettings* settings, Asked asked, SticSolveInfo* info)
{
    const double error = stic_errors_get(&info->errors, (SticNorm)settings->norm);
    info->tolerance = asked.enough;
    info->ratio = over(error, asked.enough, info->at_floor);
    info->aim_ratio = over(error, asked.aim, info->at_floor);
    info->islands_short = info->outcome == STIC_OUTCOME_SOLVED && info->aim_ratio > 1.0 ? 1 : 0;
}

// what was asked for counts as solved even if the aim was missed
static void accept(const SticSolveSettings* settings, Asked asked, SticSolveInfo* info)
{
    SticSolveSettings given = *settings;
    bool at_floor = false;
    given.tolerance = asked.enough;
    if (info->outcome != STIC_OUTCOME_SOLVED && stic_task_passes(&given, &info->errors, &at_floor))
        info->outcome = STIC_OUTCOME_SOLVED;
    weigh(settings, asked, info);
}

/* ---- sums ---- */

static void note_island(Reduced* reduced, const SticSolveInfo* part)
{
    SticErrors* worst = &reduced->worst;
    SticSolveInfo* info = reduced->whole->info;
    worst->relative = larger(worst->relative, part->errors.relative);
    worst->siconos = larger(worst->siconos, part->errors.siconos);
    worst->unit_free = larger(worst->unit_free, part->errors.unit_free);
    worst->floor = larger(worst->floor, part->errors.floor);
    worst->floor_unit_free = larger(worst->floor_unit_free, part->errors.floor_unit_free);
    worst->growth = larger(worst->growth, part->errors.growth);
    if (part->outcome != STIC_OUTCOME_SOLVED)
        reduced->outcome = part->outcome;
    reduced->at_floor = reduced->at_floor || part->at_floor;
    if (part->ratio >= info->ratio) {
        info->ratio = part->ratio;
        info->tolerance = part->tolerance;
    }
    info->aim_ratio = larger(info->aim_ratio, part->aim_ratio);
    info->islands_short += part->islands_short;
    if (part->work > reduced->most_work) {
        reduced->most_work = part->work;
        info->method = part->method;
        info->lipschitz = part->lipschitz;
    }
    info->iterations += part->iterations;
    info->factorisations += part->factorisations;
    info->checks += part->checks;
    info->fallbacks += part->fallbacks;
    info->work += part->work;
}

/* ---- one method on one problem ---- */

// the start value may be good enough already; one that is worse than 0, whose error is about 1 at
// most, is dropped, unless it is only to be checked or the method wants it
static SticStatus run(SticSolveTask* task, const SticSolver* solver)
{
    bool passes = stic_task_check(task, task->r);
    const bool starts =
        task->settings->warm_start && task->settings->max_iterations > 0 && !solver->keeps_start;
    if (!passes && starts && !(task->error <= 1.0) && task->status == STIC_OK) {
        memset(task->r, 0, (size_t)task->problem->rows * sizeof *task->r);
        task->stopped = false;
        passes = stic_task_check(task, task->r);
    }
    if (passes || task->settings->max_iterations == 0) {
        if (!task->solved)
            stic_task_stop(task, STIC_OUTCOME_ITERATION_LIMIT);
        return STIC_OK;
    }
    STIC_TRY(solver->run(task));
    // the last iterate of a method that ended by itself has not been checked yet
    if (!task->solved && task->info->iterations > task->last_check)
        stic_task_check(task, task->r);
    return STIC_OK;
}

/* ---- islands with a problem of their own ---- */

// the folded problem with its shifts of u separated again: the measure of errors distinguishes gaps
// from velocities
static SticStatus prepare_parts(Reduced* reduced)
{
    const SticSolveTask* whole = reduced->whole;
    const SticProblem* original = whole->original;
    reduced->parts = *whole->problem;
    if (original->u_shift == NULL)
        return STIC_OK;
    reduced->parts.u_shift = original->u_shift;
    if (original->M != NULL)
        reduced->parts.w = original->w;
    if (original->W == NULL)
        return STIC_OK;
    double* b = NULL;
    STIC_TRY(STIC_TAKE(whole->arena, &b, original->rows));
    for (int32_t row = 0; row < original->rows; ++row)
        b[row] = original->r_shift == NULL ? original->b[row]
                                           : whole->problem->b[row] - original->u_shift[row];
    reduced->parts.b = b;
    return STIC_OK;
}

// settings of one island: it starts from the r of the whole, with what is left of the time
static SticSolveSettings island_settings(const Reduced* reduced, double tolerance)
{
    const SticSolveTask* whole = reduced->whole;
    SticSolveSettings settings = *whole->settings;
    settings.tolerance = tolerance;
    settings.keep_history = settings.per_island = false;
    settings.warm_start = true;
    if (settings.max_seconds > 0.0) {
        const double left = settings.max_seconds - (stic_timer_seconds() - whole->start);
        settings.max_seconds = left > 1e-9 ? left : 1e-9;
    }
    return settings;
}

// an island with a problem of its own
typedef struct Extracted {
    SticProblem problem;
    SticSolveSettings settings;
    double enough; // as SticSolveTask.enough
    double *r, *u;
    double* given; // as SticSolveTask.given
    SticSolveInfo info;
} Extracted;

// the dense path for a few rows, else the method; `ended`: how the sweeps over the whole went
static SticStatus run_island(Reduced* reduced, SticFlowEnd ended, Extracted* part)
{
    SticSolveTask* whole = reduced->whole;
    SticWorkspace workspace = {.context = *whole->context, .arena = whole->arena};
    const SticSolveRequest request = {.solver = reduced->request->solver,
                                      .settings = part->settings,
                                      .method_settings = whole->method,
                                      .workspace = &workspace};
    SticSolveTask task;
    if (reduced->plain && stic_tiny_takes(&part->problem) &&
        stic_tiny_solve(&part->problem, &part->settings, part->r, part->u, &part->info)) {
        part->info.method = "nsgs";
        return STIC_OK;
    }
    part->info = (SticSolveInfo){.method = request.solver->name};
    STIC_TRY(stic_task_begin(&task, &request, &part->problem, part->r, &part->info));
    // analyses are kept by the workspace of the whole, which alone frees them
    task.patterns = whole->patterns;
    task.part = true;
    task.enough = part->enough;
    task.attempts = whole->attempts;
    task.without = whole->without;
    // what the others have left of it
    task.last_work =
        whole->last_work > 0.0 ? larger(whole->last_work - whole->info->work, 1.0) : 0.0;
    task.rests = ended == STIC_FLOW_RESTS;
    task.warm = whole->warm;
    task.brief = whole->brief;
    task.given = part->given;
    STIC_TRY(run(&task, request.solver));
    return stic_task_end(&task, part->r, part->u);
}

// put r of island k, in the variables of the folded problem, and its u where the whole keeps its
// best
static void keep_island(const Reduced* reduced, int32_t k, const double* r, const double* u)
{
    const SticSolveTask* whole = reduced->whole;
    const SticProblem* original = whole->original;
    const SticIslands* islands = &reduced->islands;
    for (int32_t m = islands->begin[k]; m < islands->begin[k + 1]; ++m)
        for (int32_t row = original->row_at[islands->member[m]];
             row < original->row_at[islands->member[m] + 1]; ++row, ++r, ++u) {
            whole->r[row] = *r;
            whole->best[row] = *r - (original->r_shift != NULL ? original->r_shift[row] : 0.0);
            whole->best_u[row] = *u;
        }
}

// the start of the caller for island k, in the variables of the folded problem; NULL: there is none
static SticStatus gather_given(const Reduced* reduced, int32_t k, int32_t rows, double** given)
{
    const SticIslands* islands = &reduced->islands;
    const SticProblem* original = reduced->whole->original;
    int32_t at = 0;
    *given = NULL;
    if (reduced->given == NULL || !reduced->automatic)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(reduced->whole->arena, given, rows));
    for (int32_t m = islands->begin[k]; m < islands->begin[k + 1]; ++m)
        for (int32_t row = original->row_at[islands->member[m]];
             row < original->row_at[islands->member[m] + 1]; ++row)
            (*given)[at++] =
                reduced->given[row] + (original->r_shift != NULL ? original->r_shift[row] : 0.0);
    return STIC_OK;
}

static SticStatus solve_island(Reduced* reduced, int32_t k, double tolerance, SticFlowEnd ended)
{
    SticSolveTask* whole = reduced->whole;
    const SticArenaMark mark = stic_arena_mark(whole->arena);
    const Asked asked = asked_of(reduced, k);
    Extracted part = {.settings = island_settings(reduced, tolerance), .enough = limited(asked)};
    STIC_TRY(
        stic_islands_extract(whole->arena, &reduced->parts, &reduced->islands, k, &part.problem));
    STIC_TRY(STIC_TAKE(whole->arena, &part.r, part.problem.rows));
    STIC_TRY(STIC_TAKE(whole->arena, &part.u, part.problem.rows));
    stic_islands_gather(whole->problem, &reduced->islands, k, whole->r, part.r);
    STIC_TRY(gather_given(reduced, k, part.problem.rows, &part.given));
    const SticStatus status = run_island(reduced, ended, &part);
    if (status != STIC_OK) {
        whole->info->error = part.info.error;
        return status;
    }
    if (whole->settings->per_island)
        accept(whole->settings, asked, &part.info);
    note_island(reduced, &part.info);
    keep_island(reduced, k, part.r, part.u);
    stic_arena_rewind(whole->arena, mark);
    return STIC_OK;
}

/* ---- sweeps in the whole ---- */

static void count_sweeps(const SticSolveTask* whole, const SticFlowResult* result)
{
    SticAttemptCount* count = &whole->attempts[STIC_ATTEMPT_SWEEPS];
    count->tried += 1;
    count->won += result->end == STIC_FLOW_SOLVED;
    count->work += result->work;
}

// r and u of island k from the sweeps
static void keep_swept(const Reduced* reduced, int32_t k)
{
    const SticSolveTask* whole = reduced->whole;
    const SticIslands* islands = &reduced->islands;
    for (int32_t m = islands->begin[k]; m < islands->begin[k + 1]; ++m) {
        const int32_t at = whole->original->row_at[islands->member[m]];
        const size_t bytes =
            (size_t)(whole->original->row_at[islands->member[m] + 1] - at) * sizeof(double);
        memcpy(whole->best + at, whole->trial + at, bytes);
        memcpy(whole->best_u + at, whole->trial_u + at, bytes);
    }
}

static int32_t contacts_of(const Reduced* reduced, int32_t k)
{
    return reduced->islands.begin[k + 1] - reduced->islands.begin[k];
}

static SticFlowLimits limits_of(const Reduced* reduced, int32_t k)
{
    return stic_portfolio_sweeps(reduced->whole, contacts_of(reduced, k), tolerance_of(reduced, k),
                                 enough_of(reduced, k));
}

// sweep island k within the whole, unless `swept` has its result already; what sweeps do not solve
// is left to a problem of its own
static SticStatus sweep_island(Reduced* reduced, const SticFlow* flow, int32_t k,
                               const SticFlowResult* swept)
{
    SticFlowResult result;
    const SticFlowLimits limits = limits_of(reduced, k);
    if (swept != NULL)
        result = *swept;
    else
        STIC_TRY(stic_flow_run(flow, k, &limits, &result));
    count_sweeps(reduced->whole, &result);
    SticSolveInfo info = {.method = "asgs",
                          .outcome = result.outcome,
                          .iterations = result.sweeps,
                          .checks = result.checks,
                          .work = result.work,
                          .errors = result.errors,
                          .at_floor = result.at_floor};
    if (result.end != STIC_FLOW_RESTS && result.end != STIC_FLOW_SLOW) {
        if (result.end != STIC_FLOW_STOPPED)
            info.outcome = STIC_OUTCOME_SOLVED;
        if (reduced->whole->settings->per_island)
            accept(reduced->whole->settings, asked_of(reduced, k), &info);
        note_island(reduced, &info);
        keep_swept(reduced, k);
        return STIC_OK;
    }
    reduced->whole->info->iterations += info.iterations;
    reduced->whole->info->checks += info.checks;
    reduced->whole->info->work += info.work;
    // in motion, factorisations serve the tolerance asked for, not the aim
    return solve_island(reduced, k, larger(limits.tolerance, limits.enough), result.end);
}

/* ---- islands side by side ---- */

// Sweeps of islands touch only their own rows and bodies, so that islands may be swept at the same
// time, with the same results as one after the other. Long ones have work for all threads
// themselves (order.h).
typedef struct Crowd {
    const Reduced* reduced;
    int32_t* first; // [bunches+1] first island of each bunch
    SticFlow* flow; // [bunches]
    SticStatus* status;
    SticFlowResult* result; // [islands]
    int32_t bunches;
} Crowd;

static bool is_long(const Reduced* reduced, int32_t k)
{
    return contacts_of(reduced, k) >= STIC_ORDER_LONG;
}

static void sweep_bunch(void* self, int32_t index)
{
    const Crowd* crowd = self;
    crowd->status[index] = STIC_OK;
    for (int32_t k = crowd->first[index]; k < crowd->first[index + 1]; ++k) {
        if (is_long(crowd->reduced, k))
            continue;
        const SticFlowLimits limits = limits_of(crowd->reduced, k);
        const SticStatus status = stic_flow_run(&crowd->flow[index], k, &limits, &crowd->result[k]);
        if (status != STIC_OK)
            crowd->status[index] = status;
    }
}

// islands in bunches of some hundred contacts: about 50 microseconds a sweep
static SticStatus gather_crowd(SticArena* arena, const Reduced* reduced, const SticFlow* flow,
                               Crowd* crowd)
{
    enum { BUNCH = 512 };
    const SticIslands* islands = &reduced->islands;
    const int32_t most = islands->begin[islands->count] / BUNCH + 1;
    SticSweep* twins = NULL;
    int32_t contacts = BUNCH;
    *crowd = (Crowd){.reduced = reduced};
    STIC_TRY(STIC_TAKE(arena, &crowd->result, islands->count));
    STIC_TRY(STIC_TAKE(arena, &crowd->first, most + 1));
    for (int32_t k = 0; k < islands->count; ++k) {
        if (contacts >= BUNCH) {
            crowd->first[crowd->bunches++] = k;
            contacts = 0;
        }
        contacts += contacts_of(reduced, k);
    }
    crowd->first[crowd->bunches] = islands->count;
    STIC_TRY(STIC_TAKE(arena, &crowd->flow, crowd->bunches));
    STIC_TRY(STIC_TAKE(arena, &crowd->status, crowd->bunches));
    STIC_TRY(stic_sweep_twins(arena, flow->sweep, crowd->bunches, &twins));
    for (int32_t b = 0; b < crowd->bunches; ++b) {
        crowd->flow[b] = *flow;
        crowd->flow[b].sweep = stic_sweep_twin(twins, b);
        crowd->flow[b].beside = true;
    }
    return STIC_OK;
}

// the results of all short islands, NULL if one after the other will do
static SticStatus sweep_crowd(const Reduced* reduced, const SticFlow* flow, SticFlowResult** result)
{
    const SticSolveTask* whole = reduced->whole;
    SticPool* pool = whole->context->pool;
    const SticProblem* problem = whole->problem;
    const bool apart = problem->W != NULL || problem->M->kind == STIC_MASS_BLOCKS;
    Crowd crowd;
    *result = NULL;
    if (flow == NULL || !apart || reduced->islands.count < 2 || stic_pool_threads(pool) < 2)
        return STIC_OK;
    STIC_TRY(gather_crowd(whole->arena, reduced, flow, &crowd));
    STIC_TRY(stic_gauge_size(whole->gauge));
    stic_pool_run(pool, crowd.bunches, sweep_bunch, &crowd);
    for (int32_t b = 0; b < crowd.bunches; ++b)
        STIC_TRY(crowd.status[b]);
    double work = whole->info->work;
    for (int32_t k = 0; k < reduced->islands.count; ++k)
        work += is_long(reduced, k) ? 0.0 : crowd.result[k].work;
    *result = crowd.result;
    return stic_task_interrupted(reduced->whole, work) ? STIC_INTERRUPTED : STIC_OK;
}

/* ---- all islands ---- */

static SticStatus solve_all(Reduced* reduced, const SticFlow* flow)
{
    SticFlowResult* swept = NULL;
    reduced->outcome = STIC_OUTCOME_SOLVED;
    reduced->at_floor = false;
    reduced->worst = (SticErrors){.relative = 0.0};
    STIC_TRY(sweep_crowd(reduced, flow, &swept));
    for (int32_t k = 0; k < reduced->islands.count; ++k) {
        const SticFlowResult* own = swept != NULL && !is_long(reduced, k) ? &swept[k] : NULL;
        if (stic_task_interrupted(reduced->whole, reduced->whole->info->work))
            return STIC_INTERRUPTED;
        STIC_TRY(flow != NULL ? sweep_island(reduced, flow, k, own)
                              : solve_island(reduced, k, tolerance_of(reduced, k), STIC_FLOW_SLOW));
    }
    return reduced->whole->interrupted ? STIC_INTERRUPTED : STIC_OK;
}

// every island by itself; the whole is never measured
static SticStatus end_apart(Reduced* reduced, double* r, double* u)
{
    SticSolveTask* whole = reduced->whole;
    const size_t bytes = (size_t)whole->original->rows * sizeof(double);
    memcpy(r, whole->best, bytes);
    memcpy(u, whole->best_u, bytes);
    whole->info->errors = reduced->worst;
    whole->info->outcome = reduced->outcome;
    whole->info->at_floor = reduced->at_floor;
    whole->info->seconds = stic_timer_seconds() - whole->start;
    return whole->status;
}

// the whole is judged: parts that pass by themselves may still not add up
static SticStatus solve_together(Reduced* reduced, const SticFlow* flow)
{
    SticSolveTask* task = reduced->whole;
    for (int round = 0; round < 3; ++round, reduced->tighter *= 0.1) {
        STIC_TRY(solve_all(reduced, flow));
        if (stic_task_check(task, task->r) || reduced->outcome != STIC_OUTCOME_SOLVED)
            break;
    }
    if (!task->solved)
        stic_task_stop(task, reduced->outcome != STIC_OUTCOME_SOLVED ? reduced->outcome
                                                                     : STIC_OUTCOME_STALLED);
    return STIC_OK;
}

// `auto` on what cannot be taken apart: sweeps, then the rest of the portfolio
static SticStatus solve_alone(Reduced* reduced, const SticFlow* flow)
{
    SticSolveTask* task = reduced->whole;
    SticFlowResult result = {.end = STIC_FLOW_SLOW};
    // a history begins with the error of the start, and a file that holds its solution keeps it;
    // steps of a run do not need it before the first sweep
    const bool known = task->settings->warm_start && !task->settings->per_island;
    if ((task->settings->keep_history || known) && stic_task_check(task, task->r))
        return STIC_OK;
    task->stopped = false;
    if (flow != NULL) {
        const SticFlowLimits limits = stic_portfolio_sweeps(
            task, task->problem->count, task->settings->tolerance, enough_of(reduced, 0));
        STIC_TRY(stic_flow_run(flow, 0, &limits, &result));
        count_sweeps(task, &result);
        task->info->method = "asgs";
        task->info->work += result.work - stic_gauge_work(task->gauge) * result.checks;
        // sweeps that diverge do not rule out the next method
        if (task->outcome == STIC_OUTCOME_DIVERGED)
            task->stopped = false;
        if (result.end == STIC_FLOW_ENOUGH)
            stic_task_stop(task, STIC_OUTCOME_ITERATION_LIMIT);
        if (task->solved || task->stopped)
            return STIC_OK;
        // in motion, factorisations serve the tolerance asked for, not the aim
        reduced->aimed->tolerance = larger(limits.tolerance, limits.enough);
    }
    task->rests = result.end == STIC_FLOW_RESTS;
    double* given = NULL;
    STIC_TRY(gather_given(reduced, 0, task->problem->rows, &given));
    task->given = given;
    return run(task, reduced->request->solver);
}

static SticStatus solve_automatic(Reduced* reduced, double* r, double* u)
{
    SticSolveTask* whole = reduced->whole;
    SticFlow flow;
    bool swept = stic_portfolio_sweeps(whole, whole->problem->count, 1.0, 0.0).sweeps > 0;
    if (swept)
        STIC_TRY(stic_flow_create(whole, &reduced->islands, &flow, &swept));
    if (reduced->islands.count == 1)
        STIC_TRY(solve_alone(reduced, swept ? &flow : NULL));
    else if (!whole->settings->per_island)
        STIC_TRY(solve_together(reduced, swept ? &flow : NULL));
    else
        STIC_TRY(solve_all(reduced, swept ? &flow : NULL));
    if (reduced->islands.count > 1 && whole->settings->per_island)
        return end_apart(reduced, r, u);
    return stic_task_end(whole, r, u);
}

/* ---- the solve ---- */

// settings of a method that nobody changed
static bool are_defaults(const SticFieldTable* table, const void* settings)
{
    for (int32_t i = 0; settings != NULL && i < table->count; ++i)
        if (stic_fields_get(&table->fields[i], settings) != table->fields[i].initial)
            return false;
    return true;
}

// nsgs or auto as they are, with settings in their ranges: the general path reports those that are
// not
static bool is_plain(const SticSolveRequest* request)
{
    // seconds that the dense path may take: 200 sweeps over 12 rows, with a margin
    const double longest = 1e-3;
    const SticSolveSettings* settings = &request->settings;
    const bool swept =
        request->solver->run == stic_nsgs_run || request->solver->run == stic_auto_run;
    return swept && are_defaults(request->solver->fields, request->method_settings) &&
           !settings->keep_history && settings->tolerance >= 0.0 && settings->tolerance <= 1.0 &&
           settings->norm >= 0 && settings->norm <= STIC_NORM_UNIT_FREE &&
           settings->max_iterations > 0 &&
           (settings->max_seconds == 0.0 || settings->max_seconds >= longest);
}

// `found`: islands of the problem, NULL: they are not known yet
static SticStatus solve(const SticProblem* problem, const SticSolveRequest* request,
                        const SticIslands* found, double* r, double* u, SticSolveInfo* info)
{
    SticSolveRequest aimed = *request;
    SticSolveTask task;
    const SticSolveSettings* settings = &request->settings;
    const Asked asked = asked_in(request, NULL, problem->count);
    Reduced reduced = {.whole = &task,
                       .request = request,
                       .given = settings->warm_start ? r : NULL,
                       .aimed = &aimed.settings,
                       .automatic = request->solver->run == stic_auto_run,
                       .plain = is_plain(request),
                       .tighter = 1.0};
    aimed.settings.tolerance = asked.aim;
    STIC_TRY(stic_task_begin(&task, &aimed, problem, r, info));
    task.enough = limited(asked);
    STIC_TRY(prepare_parts(&reduced));
    const bool automatic = reduced.automatic && settings->max_iterations > 0;
    if (found != NULL)
        reduced.islands = *found;
    else if (settings->per_island || (automatic && stic_portfolio_splits(&task)))
        STIC_TRY(stic_islands_find(task.arena, task.problem, &reduced.islands));
    else if (automatic)
        STIC_TRY(stic_islands_all(task.arena, task.problem, &reduced.islands));
    if (settings->per_island && reduced.islands.count == 1)
        aimed.settings.tolerance = tolerance_of(&reduced, 0);
    if (automatic) {
        STIC_TRY(solve_automatic(&reduced, r, u));
    } else if (settings->per_island && reduced.islands.count > 1) {
        STIC_TRY(solve_all(&reduced, NULL));
        return end_apart(&reduced, r, u);
    } else {
        STIC_TRY(run(&task, request->solver));
        STIC_TRY(stic_task_end(&task, r, u));
    }
    // islands that were judged by themselves have been weighed
    if (!settings->per_island || reduced.islands.count == 1)
        accept(settings, asked, info);
    return STIC_OK;
}

/* ---- islands that rest ---- */

// As flow.c: the error of one sweep is 0.7 of its change, and where rest is asked for the aim is
// below the tolerance, since errors of one sign add up to creep.
static const double swept_error = 0.7, rest_tolerance = 1.001e-6, rest_room = 0.1;

// Sweeps that are made before anything is set up, at most. A visit of them costs about as much as one
// with a set-up, so that they go on while their rate tells that they are enough: after ten sweeps, or
// from half of them on, since momentum makes estimates rise and fall. Long problems, whose sweeps
// with a set-up have work for all threads, are tried for no more than what the set-up costs.
// Curves: docs/theory/runs.md.
enum { SWEEPS_IN_PLACE = 100, LONG_IN_PLACE = 20, ASK_EVERY = 16 };

// an island on its way in place
typedef struct Way {
    double wanted;                    // estimate
    double estimate[SWEEPS_IN_PLACE]; // after each sweep
    int32_t most, over;               // sweeps; those that tell the rate, at least
    double worst;                     // estimate of the first sweep
} Way;

static Way way_of(int32_t contacts, int32_t most, double wanted)
{
    const bool is_long = contacts >= STIC_ORDER_LONG;
    const int32_t limit = is_long ? LONG_IN_PLACE : SWEEPS_IN_PLACE;
    return (Way){.wanted = wanted,
                 .most = most < limit ? most : limit,
                 .over = is_long ? 5 : 10,
                 // what twenty sweeps win at a rate of 0.8
                 .worst = is_long ? 64.0 * wanted : INFINITY};
}

// Whether an island gets there. From no reactions sweeps share loads by the order of their visits,
// which matters where friction carries some; see is_left of flow.c.
static bool gets_there(const SticRestIsland* island, const Way* way)
{
    const int32_t made = island->sweeps, part = made / 2 > way->over ? made / 2 : way->over;
    if (made >= way->most || !(island->warm || island->normal))
        return false;
    if (made <= way->over)
        return island->estimate < INFINITY && way->estimate[0] <= way->worst;
    const double won = way->estimate[made - 1 - part] / island->estimate;
    const double left = stic_ln(island->estimate / way->wanted) * part;
    return won > 1.0 && left <= stic_ln(won) * (way->most - made);
}

// whether the result of the sweeps for island k passes; *error: of its measure
static bool passes_at(SticRest* rest, int32_t k, const SticSolveSettings* settings, double* error)
{
    const SticRestIsland* island = stic_rest_island(rest, k);
    SticSolveSettings own = *settings;
    bool at_floor = false;
    stic_rest_measure(rest, k);
    *error = island->errors.unit_free;
    own.tolerance -= island->rounding;
    return own.tolerance > 0.0 && stic_task_passes(&own, &island->errors, &at_floor) && !at_floor;
}

// *rests: whether sweeps in place solve island k
static SticStatus sweep_in_place(SticRest* rest, const SticSolveRequest* request, int32_t k,
                                 SticError* error, bool* rests)
{
    const SticIslands* islands = stic_rest_islands(rest);
    const SticRestIsland* island = stic_rest_island(rest, k);
    const Asked asked = asked_in(request, islands->member + islands->begin[k],
                                 islands->begin[k + 1] - islands->begin[k]);
    SticSolveSettings settings = request->settings;
    settings.tolerance = aim(&request->settings, asked.aim, island->share);
    const double room = settings.tolerance > rest_tolerance ? 1.0 : rest_room;
    Way way = way_of(islands->begin[islands->count], settings.max_iterations,
                     room * settings.tolerance / swept_error);
    *rests = false;
    for (;;) {
        double found = 0.0;
        way.estimate[island->sweeps - 1] = island->estimate;
        if (island->estimate <= way.wanted) {
            *rests = passes_at(rest, k, &settings, &found);
            if (*rests)
                return STIC_OK;
            // the estimate has promised too much
            way.wanted = found > 0.0 ? island->estimate * room * settings.tolerance / found : 0.0;
        }
        if (!gets_there(island, &way))
            return STIC_OK;
        if (island->sweeps % ASK_EVERY == 0)
            STIC_TRY(stic_context_ask(&request->workspace->context, error));
        STIC_TRY(stic_rest_again(rest, k));
    }
}

// the others as one group of interactions
static SticStatus gather_left(SticArena* arena, const SticProblem* problem, const SticIslands* all,
                              const uint8_t* resting, SticIslands* left)
{
    int32_t count = 0, bodies = 0, rows = 0;
    *left = (SticIslands){.count = 1};
    STIC_TRY(STIC_TAKE(arena, &left->begin, 2));
    STIC_TRY(STIC_TAKE(arena, &left->body_begin, 2));
    STIC_TRY(STIC_TAKE(arena, &left->member, problem->count));
    STIC_TRY(STIC_TAKE(arena, &left->place, problem->count));
    STIC_TRY(STIC_TAKE(arena, &left->row_place, problem->rows));
    STIC_TRY(STIC_TAKE(arena, &left->body, problem->Ht->cols));
    STIC_TRY(STIC_TAKE(arena, &left->body_place, problem->Ht->cols));
    memset(left->place, -1, (size_t)problem->count * sizeof *left->place);
    memset(left->body_place, -1, (size_t)problem->Ht->cols * sizeof *left->body_place);
    for (int32_t k = 0; k < all->count; ++k) {
        for (int32_t m = all->begin[k]; !resting[k] && m < all->begin[k + 1]; ++m)
            left->place[all->member[m]] = 0;
        for (int32_t m = all->body_begin[k]; !resting[k] && m < all->body_begin[k + 1]; ++m)
            left->body_place[all->body[m]] = 0;
    }
    for (int32_t i = 0; i < problem->count; ++i) {
        if (left->place[i] < 0)
            continue;
        left->place[i] = count;
        left->member[count++] = i;
        for (int32_t row = problem->row_at[i]; row < problem->row_at[i + 1]; ++row)
            left->row_place[row] = rows++;
    }
    for (int32_t k = 0; k < problem->Ht->cols; ++k) {
        if (left->body_place[k] < 0)
            continue;
        left->body_place[k] = bodies;
        left->body[bodies++] = k;
    }
    left->begin[0] = left->body_begin[0] = 0;
    left->begin[1] = count;
    left->body_begin[1] = bodies;
    return STIC_OK;
}

// solve what does not rest, as a problem of its own
static SticStatus solve_left(const SticProblem* problem, const SticSolveRequest* request,
                             const SticIslands* left, double* r, double* u, SticSolveInfo* info)
{
    SticArena* arena = request->workspace->arena;
    SticSolveRequest own = *request;
    SticProblem part;
    double *tolerance = NULL, *part_r = NULL, *part_u = NULL;
    STIC_TRY(stic_islands_extract(arena, problem, left, 0, &part));
    STIC_TRY(STIC_TAKE(arena, &part_r, part.rows));
    STIC_TRY(STIC_TAKE(arena, &part_u, part.rows));
    STIC_TRY(STIC_TAKE(arena, &tolerance, part.count));
    stic_islands_gather(problem, left, 0, r, part_r);
    for (int32_t m = 0; request->tolerance != NULL && m < part.count; ++m)
        tolerance[m] = request->tolerance[left->member[m]];
    if (request->tolerance != NULL)
        own.tolerance = tolerance;
    STIC_TRY(solve(&part, &own, NULL, part_r, part_u, info));
    stic_islands_scatter(problem, left, 0, part_r, r);
    stic_islands_scatter(problem, left, 0, part_u, u);
    return STIC_OK;
}

// take what rests, and add it to the results of the others
static void keep_resting(const SticSolveRequest* request, const SticRest* rest,
                         const uint8_t* resting, double* r, double* u, SticSolveInfo* info)
{
    SticSolveTask whole = {.info = info};
    Reduced reduced = {.whole = &whole,
                       .worst = info->errors,
                       .outcome = info->outcome,
                       .at_floor = info->at_floor,
                       .most_work = INFINITY};
    const SticIslands* islands = stic_rest_islands(rest);
    for (int32_t k = 0; k < islands->count; ++k) {
        SticSolveInfo own = {.outcome = STIC_OUTCOME_SOLVED,
                             .errors = stic_rest_island(rest, k)->errors,
                             .iterations = stic_rest_island(rest, k)->sweeps,
                             .checks = 1};
        if (!resting[k])
            continue;
        weigh(&request->settings,
              asked_in(request, islands->member + islands->begin[k],
                       islands->begin[k + 1] - islands->begin[k]),
              &own);
        note_island(&reduced, &own);
        stic_rest_get(rest, k, r, u);
    }
    info->errors = reduced.worst;
}

// what was not looked through before sweeps in place
static SticStatus check(const SticProblem* problem, const SticSolveRequest* request,
                        SticSolveInfo* info)
{
    return request->fits ? stic_problem_check(problem, &info->error) : STIC_OK;
}

SticStatus stic_reduce_solve(const SticProblem* problem, const SticSolveRequest* request, double* r,
                             double* u, SticSolveInfo* info)
{
    const SticSolveSettings* settings = &request->settings;
    SticArena* arena = request->workspace->arena;
    const double start = stic_timer_seconds();
    if (!settings->per_island || settings->norm != STIC_NORM_UNIT_FREE ||
        request->solver->run != stic_auto_run || !is_plain(request) || !stic_rest_takes(problem)) {
        STIC_TRY(check(problem, request, info));
        return solve(problem, request, NULL, r, u, info);
    }
    SticRest* rest = NULL;
    uint8_t* resting = NULL;
    int32_t count = 0;
    if (!settings->warm_start)
        memset(r, 0, (size_t)problem->rows * sizeof *r);
    STIC_TRY(stic_rest_sweep(arena, problem, r, &rest));
    const SticIslands* islands = stic_rest_islands(rest);
    STIC_TRY(STIC_TAKE(arena, &resting, islands->count)); // behind the rest, and dropped with it
    for (int32_t k = 0; k < islands->count; ++k) {
        const SticRestIsland* island = stic_rest_island(rest, k);
        const bool takes = island->swept && (settings->warm_start || island->normal);
        bool solved = false;
        if (takes)
            STIC_TRY(sweep_in_place(rest, request, k, &info->error, &solved));
        resting[k] = solved;
        count += resting[k] ? islands->begin[k + 1] - islands->begin[k] : 0;
        // the others begin with the result of the sweeps, unless that is worse than 0
        if (settings->warm_start && !resting[k] && takes && island->estimate <= 1.0)
            stic_rest_get(rest, k, r, NULL);
    }
    if (count < problem->count)
        STIC_TRY(check(problem, request, info));
    if (2 * count < problem->count) {
        // taking a problem apart has a cost, too
        stic_rest_drop(rest, arena);
        STIC_TRY(solve(problem, request, islands, r, u, info));
    } else {
        SticIslands left;
        info->method = "asgs";
        if (count < problem->count) {
            STIC_TRY(gather_left(arena, problem, islands, resting, &left));
            STIC_TRY(solve_left(problem, request, &left, r, u, info));
        }
        keep_resting(request, rest, resting, r, u, info);
    }
    info->work += stic_rest_work(rest);
    info->seconds = stic_timer_seconds() - start;
    return STIC_OK;
}

// whether a problem of a few interactions is one island for sure
static bool is_connected(const SticProblem* problem)
{
    const SticBlockCsr* A = problem->W != NULL ? problem->W : problem->Ht;
    uint64_t seen = 1, last = 0;
    if (problem->count > 64)
        return false;
    while (seen != last) {
        last = seen;
        for (int32_t i = 0; i < problem->count; ++i)
            for (int32_t j = 0; j < problem->count && !(seen >> i & 1); ++j)
                for (int32_t e = A->begin[i]; (seen >> j & 1) && e < A->begin[i + 1]; ++e)
                    for (int32_t f = A->begin[j]; f < A->begin[j + 1]; ++f)
                        if (A->col[e] == (problem->W != NULL ? j : A->col[f]))
                            seen |= (uint64_t)1 << i;
    }
    return seen == (problem->count == 64 ? ~(uint64_t)0 : ((uint64_t)1 << problem->count) - 1);
}

SticStatus stic_reduce_chain(const SticProblem* problem, const SticSolveRequest* request, double* r,
                             double* u, SticSolveInfo* info, bool* solved)
{
    SticSolveRequest aimed = *request;
    SticArena* arena = request->workspace->arena;
    *solved = false;
    if (!is_plain(request))
        return STIC_OK;
    const Asked asked = asked_in(request, NULL, problem->count);
    const SticArenaMark mark = stic_arena_mark(arena);
    aimed.settings.tolerance = asked.aim;
    STIC_TRY(stic_chain_solve(problem, &aimed, r, u, info, solved));
    if (!*solved) {
        stic_arena_rewind(arena, mark);
        return STIC_OK;
    }
    info->method = "chain";
    weigh(&aimed.settings, asked, info);
    return STIC_OK;
}

bool stic_reduce_tiny(const SticProblem* problem, const SticSolveRequest* request, double* r,
                      double* u, SticSolveInfo* info)
{
    SticSolveSettings settings = request->settings;
    if (!is_plain(request) || !stic_tiny_takes(problem) ||
        (settings.per_island && !is_connected(problem)))
        return false;
    const Asked asked = asked_in(request, NULL, problem->count);
    settings.tolerance = asked.aim;
    if (settings.per_island)
        settings.tolerance = aim(&settings, asked.aim, stic_islands_share(problem, NULL, NULL, 0));
    if (!stic_tiny_solve(problem, &settings, r, u, info))
        return false;
    info->method = "nsgs";
    weigh(&settings, asked, info);
    return true;
}
