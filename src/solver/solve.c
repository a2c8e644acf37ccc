// SPDX-License-Identifier: Apache-2.0
// stic_solve: settings, workspace, and the check of a request; reduce.c solves it.
#include "solver/reduce.h"

#include <string.h>

#include "problem/check.h"

static const char* const norm_names[] = {"relative", "siconos", "unit-free", NULL};

static const char* const implicit_names[] = {"nested", "literal", NULL};

static const SticField solve_fields[] = {
    STIC_FIELD_REAL(SticSolveSettings, tolerance, 1e-8, 0.0, 1.0, "-",
                    "stop when the chosen error is at or below this"),
    STIC_FIELD_PICK(SticSolveSettings, norm, STIC_NORM_UNIT_FREE, STIC_NORM_UNIT_FREE, norm_names,
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
    return (uint32_t)outcome < STIC_OUTCOME_COUNT ? names[outcome] : "not-tried";
}

static SticStatus make_workspace(const SticContext* context, SticArena* arena,
                                 SticWorkspace** workspace)
{
    SticWorkspace* made = NULL;
    *workspace = NULL;
    STIC_TRY(STIC_ALLOCATE(context, &made, 1));
    made->context = *context;
    made->arena = arena;
    made->borrowed = arena != NULL;
    SticStatus status = STIC_ALLOCATE(context, &made->history, STIC_HISTORY_SIZE);
    if (status == STIC_OK && !made->borrowed)
        status = stic_arena_create(context, 0, &made->arena);
    if (status == STIC_OK)
        status = stic_arena_create(context, 0, &made->kept);
    if (status != STIC_OK) {
        stic_workspace_destroy(made);
        return status;
    }
    *workspace = made;
    return STIC_OK;
}

SticStatus stic_workspace_create(const SticContext* context, SticWorkspace** workspace)
{
    context = stic_context_given(context);
    STIC_GIVEN(workspace, NULL);
    return make_workspace(context, NULL, workspace);
}

SticStatus stic_workspace_create_in(SticArena* arena, SticWorkspace** workspace)
{
    STIC_ASSERT(arena != NULL);
    return make_workspace(stic_arena_context(arena), arena, workspace);
}

void stic_workspace_destroy(SticWorkspace* workspace)
{
    if (workspace == NULL)
        return;
    const SticContext context = workspace->context;
    if (!workspace->borrowed)
        stic_arena_destroy(workspace->arena);
    stic_arena_destroy(workspace->kept);
    stic_patterns_release(&workspace->patterns);
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
    if (request->method_settings != NULL && request->solver->fields != NULL)
        STIC_TRY(stic_fields_check(request->solver->fields, request->method_settings, error));
    STIC_TRY(request->fits ? stic_problem_check_laws(problem, error)
                           : stic_problem_check(problem, error));
    if (!request->settings.warm_start)
        return STIC_OK;
    // x - x is 0 for every finite number, and so is the sum
    double sum = 0.0;
    for (int32_t k = 0; k < problem->rows; ++k)
        sum += r[k] - r[k];
    for (int32_t k = 0; sum != 0.0 && k < problem->rows; ++k)
        if (r[k] - r[k] != 0.0)
            return stic_error_set(error, STIC_NOT_FINITE, "row %d of the start value is not finite",
                                  k);
    return STIC_OK;
}

// the method's defaults where the caller gave none
static SticStatus fill_settings(SticArena* arena, SticSolveRequest* request)
{
    void* settings = NULL;
    if (request->method_settings != NULL || request->solver->fields == NULL)
        return STIC_OK;
    STIC_TRY(stic_arena_take(arena, request->solver->fields->size, &settings));
    stic_fields_default(request->solver->fields, settings);
    request->method_settings = settings;
    return STIC_OK;
}

/* ---- the solve ---- */

static SticStatus solve(const SticProblem* problem, SticSolveRequest* request, double* r, double* u,
                        SticSolveInfo* info)
{
    SticArena* arena = request->workspace->arena;
    STIC_TRY(check_request(problem, request, r, &info->error));
    STIC_TRY(stic_solver_accepts(request->solver, problem, arena, &info->error));
    STIC_TRY(fill_settings(arena, request));
    bool solved = false;
    STIC_TRY(stic_reduce_chain(problem, request, r, u, info, &solved));
    if (solved)
        return STIC_OK;
    stic_solve_info_clear(info);
    info->method = request->solver->name;
    return stic_reduce_solve(problem, request, r, u, info);
}

void stic_solve_info_clear(SticSolveInfo* info)
{
    STIC_ASSERT(info != NULL);
    memset(info, 0, offsetof(SticSolveInfo, error));
    stic_error_clear(&info->error);
}

SticStatus stic_solve(const SticProblem* problem, const SticSolveRequest* request, double* r,
                      double* u, SticSolveInfo* info)
{
    STIC_GIVEN(info, NULL);
    stic_solve_info_clear(info);
    info->outcome = STIC_OUTCOME_COUNT; // of every return below that is not STIC_OK
    STIC_GIVEN(problem, &info->error);
    STIC_GIVEN(request, &info->error);
    STIC_GIVEN(request->solver, &info->error);
    const bool empty = problem->count == 0 && problem->rows == 0;
    if (!empty) {
        STIC_GIVEN(request->workspace, &info->error);
        STIC_GIVEN(r, &info->error);
        STIC_GIVEN(u, &info->error);
    }
    info->outcome = STIC_OUTCOME_SOLVED;
    info->method = request->solver->name;
    if (empty)
        return STIC_OK;
    SticSolveRequest filled = *request;
    request->workspace->chain = NULL;
    if (stic_reduce_tiny(problem, &filled, r, u, info))
        return STIC_OK;
    SticArena* arena = request->workspace->arena;
    const SticArenaMark mark = stic_arena_mark(arena);
    stic_solve_info_clear(info);
    info->method = request->solver->name;
    const SticStatus status = solve(problem, &filled, r, u, info);
    // blocks stay with the arena: the next solve of this size allocates nothing
    stic_arena_rewind(arena, mark);
    if (status != STIC_OK)
        info->outcome = STIC_OUTCOME_COUNT;
    if (status != STIC_OK && info->error.status == STIC_OK)
        stic_error_set(&info->error, status, "%s could not be run: %s", request->solver->name,
                       stic_status_text(status));
    return status;
}

SticStatus stic_solve_named(const SticContext* context, const SticProblem* problem,
                            const char* solver, double* r, double* u, SticSolveInfo* info)
{
    STIC_GIVEN(info, NULL);
    context = stic_context_given(context);
    *info = (SticSolveInfo){.outcome = STIC_OUTCOME_COUNT};
    STIC_GIVEN(problem, &info->error);
    STIC_GIVEN(solver, &info->error);
    SticSolveRequest request = {.settings = stic_solve_default_settings()};
    request.solver = stic_solver_find(solver, &info->error);
    if (request.solver == NULL)
        return STIC_BAD_ARGUMENT;
    SticStatus status = stic_workspace_create(context, &request.workspace);
    if (status == STIC_OK)
        status = stic_solve(problem, &request, r, u, info);
    stic_workspace_destroy(request.workspace);
    info->history = NULL;
    info->history_count = 0;
    return status;
}
