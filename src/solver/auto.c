// SPDX-License-Identifier: Apache-2.0
// auto: islands, then one method after the other until the recomputed error passes.
//
//   1. A few Gauss-Seidel sweeps on everything, more while they converge fast: loose tolerances,
//      good starts and easy scenes end here.
//   2. Islands (islands.h). Each is a problem of its own with a share of the tolerance; islands of
//   a
//      few rows take the dense path, those that pass already are left as they are. Where one island
//      has nearly everything (piles and their loose stones), only the others are taken out.
//   3. The ladder (ladder.h), per island: one method after the other, each with a limit of counted
//      steps, never of time; the best r of all of them is kept.
//   4. The whole r is judged once more; if the parts do not add up to the tolerance, the islands
//      are solved again to a tenth of theirs.
// info->method names the rung whose r is returned; of several islands, that of the one with the
// most work. Nothing here decides that a problem is solved.
#include <math.h>
#include <string.h>

#include "solver/islands.h"
#include "solver/ladder.h"
#include "solver/methods.h"
#include "solver/tiny.h"

typedef struct AutoSettings {
    int32_t sweeps;       ///< Gauss-Seidel sweeps at the start
    double factor_values; ///< largest factor, in numbers
    bool islands;         ///< solve islands on their own
} AutoSettings;

static const SticField auto_fields[] = {
    STIC_FIELD_COUNT(AutoSettings, sweeps, 10, 0, 1000000, "sweeps",
                     "Gauss-Seidel sweeps before anything else"),
    STIC_FIELD_REAL(AutoSettings, factor_values, 2e8, 0.0, 1e15, "numbers",
                    "largest factor of a matrix; above it only methods without one are tried"),
    STIC_FIELD_FLAG(AutoSettings, islands, 1, "solve connected groups of interactions apart"),
};

const SticFieldTable stic_auto_fields = {
    .name = "auto",
    .fields = auto_fields,
    .count = sizeof auto_fields / sizeof auto_fields[0],
    .size = sizeof(AutoSettings),
};

/* ---- islands ---- */

// squares add up over max(|b|, |r|, |u|)^2, which is at least a third of the sum of the three
static const double third = 0.577;

// tolerance of a part so that all of them add up to that of the whole
static double part_tolerance(const SticSolveTask* whole, const SticSolveTask* part, int32_t parts)
{
    const double tolerance = third * whole->settings->tolerance;
    if (whole->settings->norm != STIC_NORM_RELATIVE || !(part->b_norm > 0.0))
        return tolerance;
    // a part with a small b may have its share of the error of the whole
    const double share = whole->b_norm / (sqrt((double)parts) * part->b_norm);
    const double wide = share > 1.0 ? share * tolerance : tolerance;
    return wide < 1.0 ? wide : 1.0;
}

static void add_info(SticSolveInfo* to, const SticSolveInfo* part)
{
    to->iterations += part->iterations;
    to->factorisations += part->factorisations;
    to->checks += part->checks;
    to->fallbacks += part->fallbacks;
    to->work += part->work;
}

// settings of a part: what is left of the limits
static SticSolveSettings part_settings(const SticSolveTask* task)
{
    SticSolveSettings settings = *task->settings;
    settings.keep_history = false;
    settings.warm_start = true;
    settings.max_iterations -= task->info->iterations;
    if (settings.max_seconds > 0.0) {
        const double left = settings.max_seconds - (stic_timer_seconds() - task->start);
        settings.max_seconds = left > 1e-9 ? left : 1e-9;
    }
    return settings;
}

typedef struct Whole {
    SticSolveTask* task;
    SticIslands islands;
    double tighter; // factor on the tolerances
    double most_work;
    const char* method; // of the island with the most work
    SticOutcome worst;
} Whole;

static void note_part(Whole* whole, const SticSolveInfo* info)
{
    if (info->work > whole->most_work) {
        whole->most_work = info->work;
        whole->method = info->method;
    }
    if (info->outcome != STIC_OUTCOME_SOLVED)
        whole->worst = info->outcome;
    add_info(whole->task->info, info);
}

static SticStatus solve_part(Whole* whole, SticSolveTask* task, double* r)
{
    SticSolveTask* parent = whole->task;
    const AutoSettings* settings = parent->method;
    SticLadder ladder;
    if (!stic_task_check(task, task->r)) {
        STIC_TRY(stic_ladder_begin(task, settings->factor_values, parent->settings->warm_start,
                                   &ladder));
        STIC_TRY(stic_ladder_climb(&ladder));
    }
    return stic_task_end(task, r, task->trial_u);
}

static SticStatus solve_island(Whole* whole, int32_t k)
{
    SticSolveTask *parent = whole->task, task;
    SticWorkspace workspace = {.context = *parent->context, .arena = parent->arena};
    SticSolveRequest request = {.settings = part_settings(parent),
                                .method_settings = parent->method,
                                .workspace = &workspace};
    SticSolveInfo info = {.method = "nsgs"};
    SticProblem part;
    double *r = NULL, *u = NULL;
    STIC_TRY(stic_islands_extract(parent->arena, parent->problem, &whole->islands, k, &part));
    STIC_TRY(STIC_TAKE(parent->arena, &r, part.rows));
    STIC_TRY(STIC_TAKE(parent->arena, &u, part.rows));
    stic_islands_gather(parent->problem, &whole->islands, k, parent->r, r);
    // a few rows: the dense path, at the tolerance that needs no norm of b
    request.settings.tolerance = whole->tighter * third * parent->settings->tolerance;
    if (stic_tiny_takes(&part) && stic_tiny_solve(&part, &request.settings, r, u, &info)) {
        note_part(whole, &info);
        stic_islands_scatter(parent->problem, &whole->islands, k, r, parent->r);
        return STIC_OK;
    }
    info = (SticSolveInfo){.method = "nsgs"};
    STIC_TRY(stic_task_begin(&task, &request, &part, r, &info));
    // analyses are kept by the workspace of the whole, which alone gives them back
    task.patterns = parent->patterns;
    request.settings.tolerance =
        whole->tighter * part_tolerance(parent, &task, whole->islands.count);
    const SticStatus status = solve_part(whole, &task, r);
    if (status != STIC_OK) {
        parent->info->error = info.error;
        return status;
    }
    note_part(whole, &info);
    stic_islands_scatter(parent->problem, &whole->islands, k, r, parent->r);
    return STIC_OK;
}

static SticStatus solve_islands(Whole* whole)
{
    SticSolveTask* task = whole->task;
    whole->tighter = 1.0;
    for (int round = 0; round < 3; ++round, whole->tighter *= 0.1) {
        whole->worst = STIC_OUTCOME_SOLVED;
        for (int32_t k = 0; k < whole->islands.count; ++k) {
            const SticArenaMark mark = stic_arena_mark(task->arena);
            if (task->info->iterations >= task->settings->max_iterations) {
                stic_task_stop(task, STIC_OUTCOME_ITERATION_LIMIT);
                break;
            }
            STIC_TRY(solve_island(whole, k));
            stic_arena_rewind(task->arena, mark);
        }
        task->info->method = whole->method;
        if (stic_task_check(task, task->r) || task->stopped || whole->worst != STIC_OUTCOME_SOLVED)
            break;
    }
    if (!task->solved)
        stic_task_stop(task,
                       whole->worst != STIC_OUTCOME_SOLVED ? whole->worst : STIC_OUTCOME_STALLED);
    return STIC_OK;
}

// the island with nine tenths of all interactions, -1 if there is none
static int32_t find_largest(const SticIslands* islands, int32_t count)
{
    for (int32_t k = 0; k < islands->count; ++k)
        if (10 * (int64_t)(islands->begin[k + 1] - islands->begin[k]) >= 9 * (int64_t)count)
            return k;
    return -1;
}

// all islands but the largest; the whole is judged with their r, which is where the ladder begins
static SticStatus solve_others(Whole* whole, int32_t largest)
{
    SticSolveTask* task = whole->task;
    whole->tighter = 1.0;
    for (int32_t k = 0; k < whole->islands.count; ++k) {
        const SticArenaMark mark = stic_arena_mark(task->arena);
        if (k == largest || task->info->iterations >= task->settings->max_iterations)
            continue;
        STIC_TRY(solve_island(whole, k));
        stic_arena_rewind(task->arena, mark);
    }
    stic_task_check(task, task->r);
    return STIC_OK;
}

/* ---- the method ---- */

SticStatus stic_auto_run(SticSolveTask* task)
{
    const AutoSettings* settings = task->method;
    SticLadder ladder;
    Whole whole = {.task = task, .method = "nsgs", .islands = {.count = 1}};
    task->info->method = "nsgs";
    STIC_TRY(stic_ladder_begin(task, settings->factor_values, task->settings->warm_start, &ladder));
    if (settings->sweeps > 0 && !stic_ladder_sweep(&ladder, settings->sweeps))
        return STIC_OK;
    if (settings->islands)
        STIC_TRY(stic_islands_find(task->arena, task->problem, &whole.islands));
    const int32_t largest = find_largest(&whole.islands, task->problem->count);
    if (whole.islands.count > 1 && largest >= 0) {
        STIC_TRY(solve_others(&whole, largest));
        if (task->solved || task->stopped)
            return STIC_OK;
    }
    if (whole.islands.count == 1 || largest >= 0)
        return stic_ladder_climb(&ladder);
    return solve_islands(&whole);
}
