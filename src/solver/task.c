// SPDX-License-Identifier: Apache-2.0
// Progress of a solve: counting, checks of the error, limits, the best iterate.
//
// A check recomputes the error in full and costs as much as a few iterations, so it is made
//   * when an eighth of the work since the last check would pay for it and 5 % more iterations of
//     the stage were made (this bounds the overhead and keeps the best iterate up to date), or
//   * when the method's estimate, corrected by its ratio to the true error at the last check,
//     predicts success; at most half of the work goes to checks, and less each time the
//     prediction fails without the error having halved,
//   * at a limit and at the end.
// All of this counts work, never time: the same checks are made on every machine.
#include "solver/task.h"

#include <math.h>
#include <string.h>

#include "solver/methods.h"

#include "math/math.h"

// beyond this |r|/|b|, in energies, is taken for divergence and not for a floor of 5e-16 of it
static const double largest_growth = 2e7;
// a defect that is this part of b, in energies, is no solution in any measure
static const double largest_defect = 0.1;
// at r = 0 the error is about 1; no converging iteration comes near this
static const double diverged_error = 1e12;

// An error that is already enough may cost this many more checks, and as much again as it has cost
// so far; measured on walls, arches and piles that come to rest, which need 100 to 300.
static const double checks_for_aim = 500.0;

// multiplications between two queries whether to stop: about a millisecond
static const double ask_work = 2e6;

// 2^10 checks' worth of work between two checks
enum { MOST_MISSES = 10 };

static double shift_at(const double* shift, int32_t k)
{
    return shift != NULL ? shift[k] : 0.0;
}

bool stic_task_passes(const SticSolveSettings* settings, const SticErrors* errors, bool* at_floor)
{
    const double error = stic_errors_get(errors, (SticNorm)settings->norm);
    *at_floor = false;
    // r so large that u vanishes in the rounding of r - rho u: every defect looks like 0
    if (!(errors->growth <= largest_growth))
        return false;
    // divided by a large enough |r| any error is small, and so is the step rho = 1 of light bodies
    if (settings->norm == STIC_NORM_SICONOS && !(errors->relative <= largest_defect))
        return false;
    if (settings->norm != STIC_NORM_UNIT_FREE && !(errors->unit_free <= largest_defect))
        return false;
    if (error <= settings->tolerance)
        return true;
    if (settings->norm == STIC_NORM_RELATIVE)
        *at_floor = error <= errors->floor;
    if (settings->norm == STIC_NORM_UNIT_FREE)
        *at_floor = error <= errors->floor_unit_free;
    return *at_floor;
}

static SticStatus take_arrays(SticSolveTask* task)
{
    const int32_t rows = task->original->rows;
    STIC_TRY(STIC_TAKE(task->arena, &task->r, rows));
    STIC_TRY(STIC_TAKE(task->arena, &task->best, rows));
    STIC_TRY(STIC_TAKE(task->arena, &task->best_u, rows));
    STIC_TRY(STIC_TAKE(task->arena, &task->trial, rows));
    memset(task->trial, 0, (size_t)rows * sizeof *task->trial);
    return STIC_TAKE(task->arena, &task->trial_u, rows);
}

SticStatus stic_task_begin(SticSolveTask* task, const SticSolveRequest* request,
                           const SticProblem* problem, const double* r, SticSolveInfo* info)
{
    SticWorkspace* workspace = request->workspace;
    *task = (SticSolveTask){.context = &workspace->context,
                            .settings = &request->settings,
                            .method = request->method_settings,
                            .arena = workspace->arena,
                            .patterns = &workspace->patterns,
                            .attempts = workspace->attempts,
                            .without = workspace->without,
                            .last_work = workspace->most_work,
                            .info = info,
                            .warm = request->settings.warm_start,
                            .brief = request->brief,
                            .original = problem,
                            .history = workspace->history,
                            .history_stride = 1,
                            .start = stic_timer_seconds(),
                            .prediction = 1.0,
                            .error = INFINITY,
                            .best_error = INFINITY,
                            .halved_error = INFINITY,
                            .outcome = STIC_OUTCOME_STALLED};
    SticProblem *folded = NULL, *local = NULL;
    // a sparse M: W costs a solve per row and is needed more than once
    if (problem->W == NULL && problem->M->kind == STIC_MASS_FACTOR) {
        STIC_TRY(STIC_TAKE(task->arena, &local, 1));
        STIC_TRY(stic_problem_condense(task->arena, problem, local, &info->error));
        problem = task->original = local;
    }
    STIC_TRY(STIC_TAKE(task->arena, &folded, 1));
    STIC_TRY(stic_problem_fold(task->arena, problem, folded));
    task->problem = folded;
    if (request->solver != NULL && request->solver->run == stic_auto_run)
        STIC_TRY(
            stic_operator_create(task->arena, folded, STIC_FORM_AUTO, &task->op, &info->error));
    STIC_TRY(stic_gauge_create(task->arena, problem, task->op, &task->gauge, &info->error));
    task->b_norm = stic_gauge_whole(task->gauge)->b_norm;
    STIC_TRY(take_arrays(task));
    for (int32_t k = 0; k < problem->rows; ++k)
        task->r[k] = request->settings.warm_start ? r[k] + shift_at(problem->r_shift, k) : 0.0;
    return STIC_OK;
}

SticStatus stic_task_symbolic(SticSolveTask* task, SticPatternSlot slot, const SticBlockCsr* A,
                              SticSymbolic** symbolic)
{
    const SticSymbolic* last = task->patterns->symbolic[slot];
    task->info->analyses += last == NULL || !stic_symbolic_fits(last, A);
    return stic_patterns_symbolic(task->patterns, task->context, slot, A, symbolic,
                                  &task->info->error);
}

SticStatus stic_task_operator(SticSolveTask* task, SticForm form, SticOperator** op)
{
    if (task->op != NULL && (form == STIC_FORM_AUTO || form == stic_operator_form(task->op))) {
        *op = task->op;
        return STIC_OK;
    }
    return stic_operator_create(task->arena, task->problem, form, op, &task->info->error);
}

// full buffer: keep every second record and record half as often from now on
static void record_history(SticSolveTask* task)
{
    if (!task->settings->keep_history || (task->info->checks - 1) % task->history_stride != 0)
        return;
    SticSolveInfo* info = task->info;
    if (info->history_count == STIC_HISTORY_SIZE) {
        for (int32_t i = 0; i < STIC_HISTORY_SIZE / 2; ++i)
            task->history[i] = task->history[2 * i];
        info->history_count = STIC_HISTORY_SIZE / 2;
        task->history_stride *= 2;
    }
    task->history[info->history_count++] =
        (SticHistoryRecord){.iteration = info->iterations,
                            .error = task->error,
                            .seconds = stic_timer_seconds() - task->start};
}

static void keep_best(SticSolveTask* task, const SticErrors* errors)
{
    const size_t bytes = (size_t)task->original->rows * sizeof(double);
    if (task->error < task->best_error || task->info->checks == 1) {
        task->best_error = task->error;
        task->best_errors = *errors;
        memcpy(task->best, task->trial, bytes);
        memcpy(task->best_u, task->trial_u, bytes);
    }
    if (!(task->best_error > 0.5 * task->halved_error)) {
        task->halved_error = task->best_error;
        task->halved_at = task->info->iterations;
    }
}

// r into `trial`; whether it differs from what was there
static bool try_r(SticSolveTask* task, const double* r)
{
    uint64_t changed = 0;
    for (int32_t k = 0; k < task->original->rows; ++k) {
        const double x = r[k] - shift_at(task->original->r_shift, k);
        uint64_t now = 0, before = 0;
        memcpy(&now, &x, sizeof now);
        memcpy(&before, &task->trial[k], sizeof before);
        changed |= now ^ before;
        task->trial[k] = x;
    }
    return changed != 0;
}

// Errors of the trial. In runs the floor of rounding is computed only where it may matter; a single
// solve reports it in any case.
static SticStatus measure_trial(SticSolveTask* task, SticGaugePart* whole)
{
    bool at_floor = false;
    if (task->settings->per_island && !whole->rounded) {
        STIC_TRY(stic_gauge_measure(task->gauge, whole, task->trial, task->trial_u,
                                    &task->trial_errors));
        if (stic_task_passes(task->settings, &task->trial_errors, &at_floor))
            return STIC_OK;
    }
    STIC_TRY(stic_gauge_round(task->gauge, whole));
    return stic_gauge_measure(task->gauge, whole, task->trial, task->trial_u, &task->trial_errors);
}

bool stic_task_check(SticSolveTask* task, const double* r)
{
    // a stage that ends with a check is followed by one of the same r: u and errors are known
    SticGaugePart* whole = stic_gauge_whole(task->gauge);
    if (try_r(task, r) || !task->measured)
        task->status = measure_trial(task, whole);
    task->measured = task->status == STIC_OK;
    if (task->status != STIC_OK) {
        stic_task_stop(task, STIC_OUTCOME_BROKE_DOWN);
        return false;
    }
    const SticErrors errors = task->trial_errors;
    // a meaningless error must not be taken for the best
    task->error = errors.growth <= largest_growth
                      ? stic_errors_get(&errors, (SticNorm)task->settings->norm)
                      : INFINITY;
    task->info->checks += 1;
    task->info->work += stic_gauge_work(task->gauge);
    task->since_check = 0.0;
    task->last_check = task->info->iterations;
    keep_best(task, &errors);
    record_history(task);
    if (task->error <= task->enough && task->most_work == 0.0)
        task->most_work = 2.0 * task->info->work + checks_for_aim * stic_gauge_work(task->gauge);
    bool at_floor = false;
    if (stic_task_passes(task->settings, &errors, &at_floor)) {
        // a pass at the floor may be beaten by a smaller error that is above its own floor
        task->best_error = task->error;
        task->best_errors = errors;
        memcpy(task->best, task->trial, (size_t)task->original->rows * sizeof(double));
        memcpy(task->best_u, task->trial_u, (size_t)task->original->rows * sizeof(double));
        task->solved = true;
    } else if (!(task->error <= diverged_error)) {
        stic_task_stop(task, STIC_OUTCOME_DIVERGED);
    }
    return task->solved;
}

bool stic_task_settle(SticSolveTask* task, const double* r)
{
    task->best_error = INFINITY;
    return stic_task_check(task, r);
}

void stic_task_stop(SticSolveTask* task, SticOutcome outcome)
{
    if (task->stopped)
        return;
    task->stopped = true;
    task->outcome = outcome;
}

bool stic_task_stalled(const SticSolveTask* task, int32_t iterations)
{
    STIC_ASSERT(iterations >= 0);
    return task->info->iterations - task->halved_at >= iterations;
}

void stic_task_best(const SticSolveTask* task, double* r)
{
    for (int32_t k = 0; k < task->original->rows; ++k)
        r[k] = task->best[k] + shift_at(task->original->r_shift, k);
}

void stic_task_velocity(const SticSolveTask* task, double* u)
{
    for (int32_t k = 0; k < task->original->rows; ++k)
        u[k] = task->trial_u[k] + shift_at(task->original->u_shift, k);
}

void stic_task_stage(SticSolveTask* task, int32_t iterations, int32_t window)
{
    STIC_ASSERT(iterations >= 0 && window >= 0);
    const int32_t now = task->info->iterations, most = INT32_MAX - iterations;
    task->stage =
        (SticTaskLimits){.start = now,
                         .end = iterations > 0 ? (now < most ? now : most) + iterations : 0,
                         .since = task->info->work,
                         .window = window,
                         .window_at = now,
                         .window_error = task->best_error};
    // what was learnt about the estimates of one method does not apply to another
    task->prediction = 1.0;
    task->misses = 0;
}

void stic_task_stage_work(SticSolveTask* task, double work)
{
    STIC_ASSERT(work > 0.0);
    task->stage.work = task->stage.since + work;
}

static bool stage_is_over(const SticSolveTask* task)
{
    const SticTaskLimits* stage = &task->stage;
    return stage->end > 0 && (task->info->iterations >= stage->end ||
                              (stage->work > 0.0 && task->info->work >= stage->work));
}

// iterations that the limits of the stage leave
static double iterations_left(const SticSolveTask* task)
{
    const SticTaskLimits* stage = &task->stage;
    const double left = (double)(stage->end - task->info->iterations);
    const double spent = task->info->work - stage->since,
                 made = (double)(task->info->iterations - stage->start);
    if (!(stage->work > 0.0) || !((stage->work - task->info->work) * made < left * spent))
        return left;
    return (stage->work - task->info->work) * made / spent;
}

// at its limit, or with the rate of the last window still outside it at twice the limit
static bool stage_ends(SticSolveTask* task)
{
    SticTaskLimits* stage = &task->stage;
    const int32_t now = task->info->iterations;
    if (stage->end == 0)
        return false;
    if (stage_is_over(task))
        return true;
    if (stage->window == 0 || now - stage->window_at < stage->window)
        return false;
    const double gain = stic_ln(stage->window_error / task->best_error);
    const double need = stic_ln(task->best_error / task->settings->tolerance);
    const double left = 2.0 * iterations_left(task);
    const bool slow = !(need * (double)(now - stage->window_at) <= gain * left);
    stage->window_at = now;
    stage->window_error = task->best_error;
    return slow;
}

bool stic_task_interrupted(SticSolveTask* task, double work)
{
    const bool over = task->last_work > 0.0 && work > task->last_work;
    if (!over && work - task->asked < ask_work)
        return task->interrupted;
    task->asked = work;
    task->interrupted =
        over || task->interrupted || stic_context_ask(task->context, &task->info->error) != STIC_OK;
    if (task->interrupted)
        stic_task_stop(task, STIC_OUTCOME_TIME_LIMIT);
    return task->interrupted;
}

static bool limit_reached(SticSolveTask* task)
{
    const SticSolveSettings* settings = task->settings;
    if (stic_task_interrupted(task, task->info->work))
        return true;
    if (settings->max_seconds > 0.0 && stic_timer_seconds() - task->start >= settings->max_seconds)
        stic_task_stop(task, STIC_OUTCOME_TIME_LIMIT);
    else if (task->info->iterations >= settings->max_iterations ||
             (task->most_work > 0.0 && task->info->work > task->most_work))
        stic_task_stop(task, STIC_OUTCOME_ITERATION_LIMIT);
    return task->stopped;
}

static bool check_is_due(const SticSolveTask* task, double estimate)
{
    const double price = stic_gauge_work(task->gauge);
    // iterations of other stages say nothing about how fast this one moves
    const int32_t into =
        task->last_check > task->stage.start ? task->last_check - task->stage.start : 0;
    if (task->since_check >= 8.0 * price && task->info->iterations >= task->last_check + into / 20)
        return true;
    if (estimate < 0.0)
        return false;
    // a NaN must not go unnoticed
    const bool predicted = !(estimate * task->prediction > task->settings->tolerance);
    return predicted && (task->since_check >= ldexp(price, task->misses) || !isfinite(estimate));
}

SticTaskView stic_task_view(SticSolveTask* task)
{
    STIC_ASSERT(task != NULL);
    return (SticTaskView){.context = task->context,
                          .problem = task->problem,
                          .settings = task->settings,
                          .method = task->method,
                          .arena = task->arena,
                          .warm = task->warm,
                          .brief = task->brief,
                          .r = task->r,
                          .info = task->info};
}

bool stic_task_count(SticSolveTask* task, double work, double estimate)
{
    STIC_ASSERT(work >= 0.0);
    task->info->iterations += 1;
    task->info->work += work;
    task->since_check += work;
    task->estimate = estimate;
    return limit_reached(task) || stage_is_over(task) || check_is_due(task, estimate);
}

bool stic_task_judge(SticSolveTask* task, const double* r)
{
    const double before = task->error;
    const bool predicted = task->estimate * task->prediction <= task->settings->tolerance;
    if (stic_task_check(task, r))
        return false;
    if (task->error <= 0.5 * before)
        task->misses = 0;
    else if (predicted && task->misses < MOST_MISSES)
        task->misses += 1;
    // within two decades: an estimate that is off by more says nothing
    const double ratio = task->estimate > 0.0 ? task->error / task->estimate : 1.0;
    task->prediction = ratio < 1e-2 ? 1e-2 : ratio > 1e2 ? 1e2 : ratio;
    return !task->stopped && !stage_ends(task);
}

bool stic_task_next(SticSolveTask* task, const double* r, double work, double estimate)
{
    return !stic_task_count(task, work, estimate) || stic_task_judge(task, r);
}

SticStatus stic_task_end(SticSolveTask* task, double* r, double* u)
{
    SticSolveInfo* info = task->info;
    STIC_TRY(task->interrupted ? STIC_INTERRUPTED : task->status);
    const size_t bytes = (size_t)task->original->rows * sizeof(double);
    memcpy(r, task->best, bytes);
    memcpy(u, task->best_u, bytes);
    info->errors = task->best_errors;
    info->outcome = task->outcome;
    if (stic_task_passes(task->settings, &task->best_errors, &info->at_floor))
        info->outcome = STIC_OUTCOME_SOLVED;
    info->history = task->settings->keep_history ? task->history : NULL;
    info->seconds = stic_timer_seconds() - task->start;
    return STIC_OK;
}
