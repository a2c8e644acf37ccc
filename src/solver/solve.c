// SPDX-License-Identifier: Apache-2.0
// stic_solve: check the request, run the method, decide the outcome from the recomputed error.
#include "solver/islands.h"
#include "solver/methods.h"
#include "solver/tiny.h"

#include <string.h>

static const char* const norm_names[] = {"relative", "siconos", "unit-free", NULL};

static const char* const implicit_names[] = {"nested", "literal", NULL};

static const SticField solve_fields[] = {
    STIC_FIELD_REAL(SticSolveSettings, tolerance, 1e-8, 0.0, 1.0, "-",
                    "stop when the chosen error is at or below this"),
    STIC_FIELD_PICK(SticSolveSettings, norm, STIC_NORM_RELATIVE, STIC_NORM_UNIT_FREE, norm_names,
                    "error measure that decides"),
    STIC_FIELD_COUNT(SticSolveSettings, max_iterations, 100000, 0, 2147483647, "iterations",
                     "iteration limit, in the method's own unit"),
    STIC_FIELD_REAL(SticSolveSettings, max_seconds, 0.0, 0.0, 1e9, "s",
                    "wall-clock limit, 0 for none"),
    STIC_FIELD_FLAG(SticSolveSettings, warm_start, 0,
                    "start from the reactions passed in instead of 0"),
    STIC_FIELD_FLAG(SticSolveSettings, keep_history, 0, "record the error at each check"),
    STIC_FIELD_FLAG(SticSolveSettings, per_island, 0,
                    "every group of connected bodies is solved and must pass by itself"),
    STIC_FIELD_PICK(SticSolveSettings, implicit, STIC_IMPLICIT_NESTED, STIC_IMPLICIT_LITERAL,
                    implicit_names,
                    "nonlinear equations with laws: one solve or one projected step per Newton "
                    "step"),
    STIC_FIELD_REAL(SticSolveSettings, implicit_alpha, 1.0, 1e-6, 2.0, "-",
                    "factor of those projected steps"),
};

const SticFieldTable stic_solve_fields = {
    .name = "solve",
    .fields = solve_fields,
    .count = sizeof solve_fields / sizeof solve_fields[0],
    .size = sizeof(SticSolveSettings),
};

SticSolveSettings stic_solve_default_settings(void)
{
    SticSolveSettings settings;
    stic_fields_default(&stic_solve_fields, &settings);
    return settings;
}

const char* stic_outcome_name(SticOutcome outcome)
{
    static const char* const names[] = {"solved",   "iteration-limit", "time-limit", "stalled",
                                        "diverged", "broke-down",      "no-solution"};
    return (uint32_t)outcome < STIC_OUTCOME_COUNT ? names[outcome] : "unknown";
}

SticStatus stic_workspace_create(const SticContext* context, SticWorkspace** workspace)
{
    *workspace = NULL;
    SticWorkspace* made = NULL;
    STIC_TRY(STIC_ALLOCATE(context, &made, 1));
    made->context = *context;
    SticStatus status = STIC_ALLOCATE(context, &made->history, STIC_HISTORY_SIZE);
    if (status == STIC_OK)
        status = stic_arena_create(context, 0, &made->arena);
    if (status != STIC_OK) {
        stic_workspace_destroy(made);
        return status;
    }
    *workspace = made;
    return STIC_OK;
}

void stic_workspace_destroy(SticWorkspace* workspace)
{
    if (workspace == NULL)
        return;
    const SticContext context = workspace->context;
    stic_arena_destroy(workspace->arena);
    for (int32_t slot = 0; slot < STIC_PATTERNS; ++slot)
        stic_arena_destroy(workspace->patterns.arena[slot]);
    STIC_RELEASE(&context, workspace->history, STIC_HISTORY_SIZE);
    STIC_RELEASE(&context, workspace, 1);
}

static SticStatus check_request(const SticProblem* problem, const SticSolveRequest* request,
                                const double* r, SticError* error)
{
    for (int32_t i = 0; request->tolerance != NULL && i < problem->count; ++i)
        if (!(request->tolerance[i] >= 0.0 && request->tolerance[i] <= 1.0))
            return stic_error_set(error, STIC_BAD_ARGUMENT,
                                  "the tolerance of interaction %d must be in [0, 1], not %g", i,
                                  request->tolerance[i]);
    STIC_TRY(stic_fields_check(&stic_solve_fields, &request->settings, error));
    if (request->method_settings != NULL)
        STIC_TRY(stic_fields_check(request->solver->fields, request->method_settings, error));
    STIC_TRY(stic_problem_check(problem, error));
    if (!request->settings.warm_start)
        return STIC_OK;
    // x - x is 0 for every finite number
    for (int32_t k = 0; k < problem->rows; ++k)
        if (r[k] - r[k] != 0.0)
            return stic_error_set(error, STIC_NOT_FINITE, "row %d of the start value is not finite",
                                  k);
    return STIC_OK;
}

// the method's defaults where the caller gave none
static SticStatus fill_settings(SticArena* arena, SticSolveRequest* request)
{
    void* settings = NULL;
    if (request->method_settings != NULL)
        return STIC_OK;
    STIC_TRY(stic_arena_take(arena, request->solver->fields->size, &settings));
    stic_fields_default(request->solver->fields, settings);
    request->method_settings = settings;
    return STIC_OK;
}

static SticStatus run(SticSolveTask* task, const SticSolver* solver)
{
    // the start value may do already; one that is worse than 0, whose error is about 1 at most, is
    // dropped
    bool passes = stic_task_check(task, task->r);
    if (!passes && task->settings->warm_start && !(task->error <= 1.0) && task->status == STIC_OK) {
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
    // a method that ended by itself has a last iterate that nobody has looked at
    if (!task->solved && task->info->iterations > task->last_check)
        stic_task_check(task, task->r);
    return STIC_OK;
}

// settings of a method that nobody changed
static bool are_defaults(const SticFieldTable* table, const void* settings)
{
    for (int32_t i = 0; settings != NULL && i < table->count; ++i)
        if (stic_fields_get(&table->fields[i], settings) != table->fields[i].initial)
            return false;
    return true;
}

// nsgs or auto as they are, with settings in their ranges: the general path names those that are
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

/* ---- islands ---- */

// what the islands came to
typedef struct Islands {
    SticIslands list;
    bool plain; // the dense path may be taken
    double most_work;
    SticOutcome outcome; // of the last one that was not solved
    bool at_floor;
    SticErrors worst;
    const double* tolerance; // of the request
} Islands;

static double larger(double a, double b)
{
    return a > b ? a : b; // errors that are no numbers are infinite
}

static void note_island(const SticSolveInfo* part, Islands* islands, SticSolveInfo* whole)
{
    SticErrors* worst = &islands->worst;
    worst->relative = larger(worst->relative, part->errors.relative);
    worst->siconos = larger(worst->siconos, part->errors.siconos);
    worst->unit_free = larger(worst->unit_free, part->errors.unit_free);
    worst->floor = larger(worst->floor, part->errors.floor);
    worst->floor_unit_free = larger(worst->floor_unit_free, part->errors.floor_unit_free);
    worst->growth = larger(worst->growth, part->errors.growth);
    if (part->outcome != STIC_OUTCOME_SOLVED)
        islands->outcome = part->outcome;
    islands->at_floor = islands->at_floor || part->at_floor;
    if (part->ratio >= whole->ratio) {
        whole->ratio = part->ratio;
        whole->tolerance = part->tolerance;
    }
    if (part->work > islands->most_work) {
        islands->most_work = part->work;
        whole->method = part->method;
        whole->lipschitz = part->lipschitz;
    }
    whole->iterations += part->iterations;
    whole->factorisations += part->factorisations;
    whole->checks += part->checks;
    whole->fallbacks += part->fallbacks;
    whole->work += part->work;
}

// what is asked of the interactions member[0 .. count-1], NULL: 0 .. count-1
static double asked_of(const double* tolerance, const int32_t* member, int32_t count)
{
    double most = 0.0;
    for (int32_t m = 0; m < count; ++m)
        most = larger(most, tolerance[member != NULL ? member[m] : m]);
    return most;
}

// What the errors that were reached are against what was asked.
static void weigh(const SticSolveSettings* settings, double asked, SticSolveInfo* info)
{
    const double error = stic_errors_get(&info->errors, (SticNorm)settings->norm);
    info->tolerance = asked;
    info->ratio = error <= asked   ? (asked > 0.0 ? error / asked : 0.0)
                  : info->at_floor ? 1.0
                                   : error / asked;
}

// The tolerance of one island. Runs are judged by energies, in which a light body on a heavy one
// counts little: it is aimed at what makes its velocity as exact, where masses differ by more than
// a factor of ten, and not below 1e-11, which is near the rounding of stiff islands.
static double aim(const SticSolveSettings* settings, const SticProblem* problem)
{
    static const double least_share = 0.316, finest = 1e-11;
    if (settings->norm != STIC_NORM_UNIT_FREE || settings->tolerance <= finest)
        return settings->tolerance;
    const double share = stic_islands_share(problem);
    const double wanted = share < least_share ? share * settings->tolerance : settings->tolerance;
    return wanted > finest ? wanted : finest;
}

// what was asked for counts as solved even if the aim was missed
static void accept(const SticSolveTask* task, double tolerance, SticSolveInfo* info)
{
    SticSolveSettings asked = *task->settings;
    bool at_floor = false;
    asked.tolerance = tolerance;
    if (info->outcome != STIC_OUTCOME_SOLVED && stic_task_passes(&asked, &info->errors, &at_floor))
        info->outcome = STIC_OUTCOME_SOLVED;
    weigh(&asked, tolerance, info);
}

// settings of one island: it starts from the r of the whole, with what is left of the time
static SticSolveSettings island_settings(const SticSolveTask* whole)
{
    SticSolveSettings settings = *whole->settings;
    settings.keep_history = settings.per_island = false;
    settings.warm_start = true;
    if (settings.max_seconds > 0.0) {
        const double left = settings.max_seconds - (stic_timer_seconds() - whole->start);
        settings.max_seconds = left > 1e-9 ? left : 1e-9;
    }
    return settings;
}

static SticStatus solve_island(SticSolveTask* whole, const SticSolver* solver, int32_t k,
                               Islands* islands)
{
    SticWorkspace workspace = {.context = *whole->context, .arena = whole->arena};
    SticSolveRequest request = {.solver = solver,
                                .settings = island_settings(whole),
                                .method_settings = whole->method,
                                .workspace = &workspace};
    SticSolveInfo info = {.method = solver->name};
    SticProblem part;
    double *r = NULL, *u = NULL;
    STIC_TRY(stic_islands_extract(whole->arena, whole->problem, &islands->list, k, &part));
    STIC_TRY(STIC_TAKE(whole->arena, &r, part.rows));
    STIC_TRY(STIC_TAKE(whole->arena, &u, part.rows));
    stic_islands_gather(whole->problem, &islands->list, k, whole->r, r);
    if (islands->tolerance != NULL)
        request.settings.tolerance =
            asked_of(islands->tolerance, islands->list.member + islands->list.begin[k], part.count);
    const double asked = request.settings.tolerance;
    request.settings.tolerance = aim(&request.settings, &part);
    if (islands->plain && stic_tiny_takes(&part) &&
        stic_tiny_solve(&part, &request.settings, r, u, &info)) {
        info.method = "nsgs";
        weigh(&request.settings, asked, &info);
    } else {
        SticSolveTask task;
        info = (SticSolveInfo){.method = solver->name};
        SticStatus status = stic_task_begin(&task, &request, &part, r, &info);
        task.patterns = whole->patterns; // those of the workspace on the stack would be lost
        if (status == STIC_OK)
            status = run(&task, solver);
        if (status == STIC_OK)
            status = stic_task_end(&task, r, u);
        if (status != STIC_OK) {
            whole->info->error = info.error;
            return status;
        }
        accept(&task, asked, &info);
    }
    note_island(&info, islands, whole->info);
    stic_islands_scatter(whole->problem, &islands->list, k, r, whole->r);
    return STIC_OK;
}

// all islands, one after the other; the whole is measured once for u
static SticStatus solve_apart(SticSolveTask* task, const SticSolver* solver, Islands* islands,
                              double* r, double* u)
{
    islands->outcome = STIC_OUTCOME_SOLVED;
    for (int32_t k = 0; k < islands->list.count; ++k) {
        const SticArenaMark mark = stic_arena_mark(task->arena);
        STIC_TRY(solve_island(task, solver, k, islands));
        stic_arena_rewind(task->arena, mark);
    }
    stic_task_settle(task, task->r);
    STIC_TRY(stic_task_end(task, r, u));
    task->info->errors = islands->worst;
    task->info->outcome = islands->outcome;
    task->info->at_floor = islands->at_floor;
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

/* ---- the solve ---- */

static SticStatus solve(const SticProblem* problem, SticSolveRequest* request, double* r, double* u,
                        SticSolveInfo* info)
{
    const bool plain = is_plain(request);
    const double asked = request->settings.tolerance;
    SticSolveTask task;
    SticArena* arena = request->workspace->arena;
    STIC_TRY(check_request(problem, request, r, &info->error));
    STIC_TRY(stic_solver_accepts(request->solver, problem, arena, &info->error));
    STIC_TRY(fill_settings(arena, request));
    STIC_TRY(stic_task_begin(&task, request, problem, r, info));
    if (request->settings.per_island) {
        Islands islands = {.plain = plain, .tolerance = request->tolerance};
        STIC_TRY(stic_islands_find(task.arena, task.problem, &islands.list));
        if (islands.list.count > 1)
            return solve_apart(&task, request->solver, &islands, r, u);
        request->settings.tolerance = aim(&request->settings, task.problem);
    }
    STIC_TRY(run(&task, request->solver));
    STIC_TRY(stic_task_end(&task, r, u));
    accept(&task, asked, info);
    return STIC_OK;
}

void stic_solve_info_clear(SticSolveInfo* info)
{
    memset(info, 0, offsetof(SticSolveInfo, error));
    stic_error_clear(&info->error);
}

SticStatus stic_solve(const SticProblem* problem, const SticSolveRequest* request, double* r,
                      double* u, SticSolveInfo* info)
{
    stic_solve_info_clear(info);
    info->method = request->solver->name;
    if (problem->count == 0 && problem->rows == 0)
        return STIC_OK; // SOLVED is 0: nothing to solve
    // a few rows: the dense path of nsgs
    SticSolveRequest filled = *request;
    if (request->tolerance != NULL)
        filled.settings.tolerance = asked_of(request->tolerance, NULL, problem->count);
    const double asked = filled.settings.tolerance;
    if (is_plain(&filled) && stic_tiny_takes(problem) &&
        (!request->settings.per_island || is_connected(problem))) {
        if (request->settings.per_island)
            filled.settings.tolerance = aim(&filled.settings, problem);
        if (stic_tiny_solve(problem, &filled.settings, r, u, info)) {
            info->method = "nsgs";
            weigh(&filled.settings, asked, info);
            return STIC_OK;
        }
        filled.settings.tolerance = asked;
    }
    // blocks stay with the arena: the next solve of this size allocates nothing
    stic_arena_rewind(request->workspace->arena, (SticArenaMark){.block = 0, .used = 0});
    stic_solve_info_clear(info);
    info->method = request->solver->name;
    const SticStatus status = solve(problem, &filled, r, u, info);
    if (status != STIC_OK && info->error.status == STIC_OK)
        stic_error_set(&info->error, status, "%s could not be run: %s", request->solver->name,
                       stic_status_text(status));
    return status;
}
