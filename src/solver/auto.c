// SPDX-License-Identifier: Apache-2.0
// auto: islands, then one method after the other until the recomputed error passes.
//
//   1. A few Gauss-Seidel sweeps on everything, more while they converge fast: loose tolerances,
//      good starts and easy scenes end here.
//   2. Islands (islands.h). Each is a problem of its own with a share of the tolerance; islands of
//   a
//      few rows take the dense path, those that pass already are left as they are.
//   3. The ladder, per island. Each rung is a method with a limit of counted steps, never of time;
//      the best r of all rungs is kept. In order:
//        near start    prox-newton from r, if the caller gave one that is near
//        interior      interior points, then prox-newton; not for a handful of contacts, where it
//                      comes second
//        newton        prox-newton from 0 on the maps of Jean-Moreau, Alart-Curnier,
//                      Fischer-Burmeister
//        swept         some hundred sweeps, then prox-newton from there
//        patient       prox-newton from 0 with little regularisation and many steps
//        sweeps        Gauss-Seidel until it stalls; the only rung where a factor would be too
//        large
//   4. The whole r is judged once more; if the parts do not add up to the tolerance, the islands
//      are solved again to a tenth of theirs.
// info->method names the rung whose r is returned; of several islands, that of the one with the
// most work. Nothing here decides that a problem is solved.
#include <math.h>
#include <string.h>

#include "solver/interior.h"
#include "solver/islands.h"
#include "solver/methods.h"
#include "solver/prox_newton.h"
#include "solver/sweep.h"
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

enum {
    HANDFUL = 10,        // contacts below which Newton from 0 beats interior points
    PROMPT_ROWS = 300,   // rows up to which all memory is taken before the first sweep
    FAST_SWEEPS = 60,    // sweeps at the start while they converge
    MANY_SWEEPS = 300,   // sweeps before prox-newton of the rung `swept`
    LAST_SWEEPS = 20000, // sweeps of the last rung
    LAST_PATIENCE = 3000 // of them without the error halving
};

/* ---- Gauss-Seidel ---- */

typedef struct Sweeps {
    SticSweep* sweep;
    double* u;
} Sweeps;

// laws whose diagonal block cannot be solved with have no sweeps; that is no error here
static SticStatus create_sweeps(SticSolveTask* task, Sweeps* made)
{
    const SticSweepOptions options = {.form = STIC_FORM_AUTO,
                                      .local = STIC_LOCAL_NEWTON,
                                      .omega = 1.0,
                                      .limits = {.iterations = 100, .tolerance = 1e-4}};
    const SticStatus status =
        stic_sweep_create(task->arena, task->problem, &options, &made->sweep, &task->info->error);
    if (status == STIC_OUT_OF_MEMORY)
        return status;
    if (status != STIC_OK) {
        made->sweep = NULL;
        task->info->error = (SticError){.status = STIC_OK};
        return STIC_OK;
    }
    return STIC_TAKE(task->arena, &made->u, task->problem->rows);
}

// at most `count` sweeps from task->r; false if the task stopped them
static bool run_sweeps(SticSolveTask* task, Sweeps* sweeps, int32_t count, int32_t patience)
{
    if (sweeps->sweep == NULL)
        return true;
    const double work = stic_sweep_work(sweeps->sweep);
    const double scale = task->b_norm > 0.0 ? 1.0 / task->b_norm : 1.0;
    stic_sweep_start(sweeps->sweep, task->r);
    for (int32_t k = 0; k < count; ++k) {
        const double change = stic_sweep_run(sweeps->sweep);
        if (!stic_task_count(task, work, scale * change))
            continue;
        stic_sweep_get(sweeps->sweep, task->r);
        if (!stic_task_judge(task, task->r))
            return false;
        if (stic_task_stalled(task, patience))
            break;
        stic_sweep_start(sweeps->sweep, task->r);
        stic_task_velocity(task, sweeps->u);
        stic_sweep_correct(sweeps->sweep, sweeps->u);
    }
    stic_sweep_get(sweeps->sweep, task->r);
    return true;
}

// the sweeps at the start: ten, then ten more as long as each ten halve the error twice
static bool run_first_sweeps(SticSolveTask* task, Sweeps* sweeps, int32_t count)
{
    for (int32_t done = 0; done < FAST_SWEEPS && sweeps->sweep != NULL; done += count) {
        const double before = task->best_error;
        if (!run_sweeps(task, sweeps, count, INT32_MAX) || stic_task_check(task, task->r))
            return false;
        if (task->stopped || !(task->error <= 0.25 * before))
            break;
    }
    return !task->stopped;
}

/* ---- the ladder ---- */

typedef struct Ladder {
    SticSolveTask* task;
    const AutoSettings* settings;
    Sweeps sweeps;
    bool near;   // the caller gave a start value
    bool direct; // memory of the methods with a factor was taken
    bool factor; // and a factor is small enough
    bool cones;  // laws that interior points know
    SticScaled scaled;
    SticNewtonSystem system;
    SticInterior interior;
    SticProxNewton newton;
    SticProxNewtonSettings newton_settings;
    double* x;
} Ladder;

static SticStatus create_direct(Ladder* ladder)
{
    SticSolveTask* task = ladder->task;
    SticError* error = &task->info->error;
    const SticProblem* problem = task->problem;
    if (ladder->direct)
        return STIC_OK;
    ladder->direct = true;
    ladder->cones = true;
    for (int32_t i = 0; i < problem->count; ++i)
        if ((STIC_INTERIOR_LAWS & STIC_LAW_BIT(problem->law[i])) == 0)
            ladder->cones = false;
    STIC_TRY(stic_scaled_create(task->arena, problem, &ladder->scaled, error));
    STIC_TRY(STIC_TAKE(task->arena, &ladder->x, problem->rows));
    STIC_TRY(stic_newton_system_analyse(task->arena, &ladder->scaled, &ladder->system, error));
    ladder->factor = ladder->system.factor_values <= ladder->settings->factor_values;
    if (!ladder->factor)
        return STIC_OK;
    STIC_TRY(stic_newton_system_prepare(task->arena, STIC_FACTOR_LU, &ladder->system, error));
    STIC_TRY(stic_prox_newton_create(task, &ladder->scaled, &ladder->system, &ladder->newton));
    return ladder->cones
               ? stic_interior_create(task, &ladder->scaled, &ladder->system, &ladder->interior)
               : STIC_OK;
}

// one rung: what it does and with which numbers
typedef struct Rung Rung;
struct Rung {
    const char* method;
    bool (*run)(Ladder* ladder, const Rung* rung); // false if the task stopped it
    SticMap map;
    int32_t steps;
    double c;
};

static bool newton_from(Ladder* ladder, const Rung* rung, double c)
{
    ladder->newton_settings.map = (int32_t)rung->map;
    ladder->newton_settings.outer_steps = rung->steps;
    return stic_prox_newton_stage(&ladder->newton, &ladder->newton_settings, c, ladder->x) !=
           STIC_STAGE_STOPPED;
}

// error of task->r in scaled variables, which are left in x
static double scaled_start(Ladder* ladder)
{
    stic_scaled_from(&ladder->scaled, ladder->task->r, ladder->x);
    stic_scaled_velocity(&ladder->scaled, ladder->x, ladder->newton.y);
    return stic_scaled_error(&ladder->scaled, ladder->x, ladder->newton.y);
}

static bool run_near(Ladder* ladder, const Rung* rung)
{
    // a start with a larger error than this is worth no more than 0
    const double near = 1e-2;
    if (!ladder->near)
        return true;
    stic_task_best(ladder->task, ladder->task->r);
    const double error = scaled_start(ladder);
    return error > near || newton_from(ladder, rung, error);
}

static bool run_newton(Ladder* ladder, const Rung* rung)
{
    memset(ladder->x, 0, (size_t)ladder->task->problem->rows * sizeof *ladder->x);
    return newton_from(ladder, rung, rung->c);
}

static bool run_interior(Ladder* ladder, const Rung* rung)
{
    const SticInteriorLimits limits = {.term = STIC_TERM_EXACT, .steps = 40, .error = 1e-6};
    if (!ladder->cones)
        return true;
    if (!stic_interior_run(&ladder->interior, &limits))
        return false;
    // far from a solution: nothing to start from
    if (!(ladder->interior.best_error < 1e-4))
        return true;
    stic_interior_get(&ladder->interior, ladder->x);
    return newton_from(ladder, rung, ladder->interior.best_error);
}

static bool run_swept(Ladder* ladder, const Rung* rung)
{
    SticSolveTask* task = ladder->task;
    memset(task->r, 0, (size_t)task->problem->rows * sizeof *task->r);
    if (!run_sweeps(task, &ladder->sweeps, MANY_SWEEPS, INT32_MAX))
        return false;
    const double error = scaled_start(ladder);
    return newton_from(ladder, rung, error < rung->c ? error : rung->c);
}

static bool run_last_sweeps(Ladder* ladder, const Rung* rung)
{
    (void)rung;
    stic_task_best(ladder->task, ladder->task->r);
    return run_sweeps(ladder->task, &ladder->sweeps, LAST_SWEEPS, LAST_PATIENCE);
}

static const Rung near_rung = {"prox-newton", run_near, STIC_MAP_JEAN_MOREAU, 10, 0.0};
static const Rung interior_rung = {"interior-point", run_interior, STIC_MAP_JEAN_MOREAU, 20, 0.0};
static const Rung quick_rung = {"prox-newton", run_newton, STIC_MAP_JEAN_MOREAU, 30, 1e-2};
static const Rung later_rungs[] = {
    {"prox-newton", run_newton, STIC_MAP_JEAN_MOREAU, 200, 1e-2},
    {"prox-newton", run_newton, STIC_MAP_ALART_CURNIER, 200, 1e-2},
    {"prox-newton", run_newton, STIC_MAP_FISCHER_BURMEISTER, 200, 1e-2},
    {"prox-newton", run_swept, STIC_MAP_JEAN_MOREAU, 100, 1e-2},
    {"prox-newton", run_swept, STIC_MAP_ALART_CURNIER, 100, 1e-2},
    {"prox-newton", run_newton, STIC_MAP_JEAN_MOREAU, 500, 1e-3},
    {"prox-newton", run_newton, STIC_MAP_ALART_CURNIER, 500, 1e-3},
    {"prox-newton", run_newton, STIC_MAP_NATURAL, 500, 1e-3},
};
static const Rung last_rung = {"nsgs", run_last_sweeps, STIC_MAP_JEAN_MOREAU, 0, 0.0};

// false: the ladder ends here
static bool climb(Ladder* ladder, const Rung* rung)
{
    SticSolveTask* task = ladder->task;
    const double before = task->best_error;
    const bool goes_on = rung->run(ladder, rung);
    if (task->best_error < before || task->solved)
        task->info->method = rung->method;
    if (goes_on)
        return true;
    // a rung that ran away is no reason not to try the next
    if (task->solved || task->outcome != STIC_OUTCOME_DIVERGED)
        return false;
    task->stopped = false;
    task->outcome = STIC_OUTCOME_STALLED;
    return true;
}

static bool climb_direct(Ladder* ladder)
{
    const bool handful = ladder->task->problem->count <= HANDFUL;
    if (!climb(ladder, &near_rung) || !climb(ladder, handful ? &quick_rung : &interior_rung) ||
        (handful && !climb(ladder, &interior_rung)))
        return false;
    for (size_t k = 0; k < sizeof later_rungs / sizeof later_rungs[0]; ++k)
        if (!climb(ladder, &later_rungs[k]))
            return false;
    return true;
}

static SticStatus climb_all(Ladder* ladder)
{
    STIC_TRY(create_direct(ladder));
    if (ladder->factor && !climb_direct(ladder))
        return STIC_OK;
    if (climb(ladder, &last_rung))
        stic_task_stop(ladder->task, STIC_OUTCOME_STALLED);
    return STIC_OK;
}

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
    Ladder ladder = {
        .task = task, .settings = parent->method, .near = parent->settings->warm_start};
    stic_fields_default(&stic_prox_newton_fields, &ladder.newton_settings);
    if (!stic_task_check(task, task->r)) {
        STIC_TRY(create_sweeps(task, &ladder.sweeps));
        STIC_TRY(climb_all(&ladder));
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

/* ---- the method ---- */

SticStatus stic_auto_run(SticSolveTask* task)
{
    const AutoSettings* settings = task->method;
    Ladder ladder = {.task = task, .settings = settings, .near = task->settings->warm_start};
    Whole whole = {.task = task, .method = "nsgs", .islands = {.count = 1}};
    stic_fields_default(&stic_prox_newton_fields, &ladder.newton_settings);
    task->info->method = "nsgs";
    STIC_TRY(create_sweeps(task, &ladder.sweeps));
    if (settings->islands)
        STIC_TRY(stic_islands_find(task->arena, task->problem, &whole.islands));
    // small problems: all memory now, so that no iteration needs any
    if (whole.islands.count == 1 && task->problem->rows <= PROMPT_ROWS)
        STIC_TRY(create_direct(&ladder));
    if (settings->sweeps > 0 && !run_first_sweeps(task, &ladder.sweeps, settings->sweeps))
        return STIC_OK;
    if (whole.islands.count == 1)
        return climb_all(&ladder);
    return solve_islands(&whole);
}
