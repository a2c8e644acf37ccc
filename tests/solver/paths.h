// SPDX-License-Identifier: Apache-2.0
// What the tests of both paths of the proximal parameter share: one path on a problem, and problems
// that it must solve.
#ifndef STIC_TEST_SOLVER_PATHS_H
#define STIC_TEST_SOLVER_PATHS_H

#include "helpers/problem.h"
#include "helpers/residual.h"
#include "helpers/scenes.h"
#include "run.h"

#include "solver/method/prox_newton.h"
#include "solver/methods.h"

/// How a path ended.
typedef struct PathEnd {
    int32_t points, folds;
    int32_t changes; ///< kinks or events
    SticSolveInfo info;
    double error; ///< of independent code
} PathEnd;

/// Creates a path and runs it from x, filling the counts of `end`.
typedef void (*PathRun)(SticProxNewton* newton, const SticProxNewtonSettings* settings, double* x,
                        PathEnd* end);

/// From 0 after `sweeps` iterations of asgs.
static inline PathEnd path_follow(PathRun run, const SticProblem* problem, int32_t sweeps,
                                  double tolerance)
{
    const SticContext context = stic_context_default();
    PathEnd end = {0};
    SticError error = {0};
    SticProxNewtonSettings settings;
    SticSolveTask task;
    SticScaled scaled;
    SticNewtonSystem system;
    SticProxNewton newton;
    double* r = calloc((size_t)problem->rows, sizeof *r);
    double* u = calloc((size_t)problem->rows, sizeof *u);
    assert_true(r != NULL && u != NULL);
    SticSolveRequest request = test_request(&context, "asgs");
    request.settings.tolerance = tolerance;
    request.settings.max_iterations = sweeps;
    assert_int_equal(stic_solve(problem, &request, r, u, &end.info), STIC_OK);
    end.info = (SticSolveInfo){0};
    stic_fields_default(&stic_prox_newton_fields, &settings);
    settings.map = STIC_MAP_ALART_CURNIER;
    request.method_settings = &settings;
    request.settings.max_iterations = 20000;
    request.settings.warm_start = true;
    assert_int_equal(stic_task_begin(&task, &request, problem, r, &end.info), STIC_OK);
    assert_int_equal(stic_scaled_create(task.arena, task.problem, &scaled, &error), STIC_OK);
    assert_int_equal(stic_newton_system_choose(&task, &scaled, STIC_SYSTEM_AUTO, &system), STIC_OK);
    assert_int_equal(stic_newton_system_prepare(task.arena, STIC_FACTOR_LU, &system, &error),
                     STIC_OK);
    assert_int_equal(stic_prox_newton_create(&task, &scaled, &system, &newton), STIC_OK);
    stic_scaled_from(&scaled, task.r, u);
    run(&newton, &settings, u, &end);
    assert_int_equal(stic_task_end(&task, r, u), STIC_OK);
    end.error = test_residual_relative(problem, r);
    stic_workspace_destroy(request.workspace);
    free(r);
    free(u);
    return end;
}

static inline void path_check(const char* name, const PathEnd* end, double tolerance)
{
    print_message("%-18s %-10s %4d points, %4d changes, %3d folds, %4d factorisations, error "
                  "%.1e\n",
                  name, stic_outcome_name(end->info.outcome), end->points, end->changes, end->folds,
                  end->info.factorisations, end->error);
    assert_int_equal(end->info.outcome, STIC_OUTCOME_SOLVED);
    test_at_most(end->error, 1.001 * tolerance);
}

/// Without friction the problem is monotone: c falls all along the path.
static inline void path_monotone(PathRun run, double tolerance)
{
    static const TestProblemDef defs[] = {{STIC_LAW_NONNEG, 60, 1, 0, 0, true},
                                          {STIC_LAW_NONNEG, 40, 1, 0, 0, false}};
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(17);
    for (size_t k = 0; k < sizeof defs / sizeof defs[0]; ++k) {
        SticArena* arena = NULL;
        assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
        const SticProblem problem = test_problem_random(arena, &random, &defs[k]);
        const PathEnd end = path_follow(run, &problem, 0, tolerance);
        path_check(k == 0 ? "regular" : "singular", &end, tolerance);
        assert_int_equal(end.folds, 0);
        stic_arena_destroy(arena);
    }
}

/// Scenes that slide or are hit, to 1e-8; on some of them the path turns back on its way.
static inline void path_scenes(PathRun run, const char* const* names, size_t count, int32_t sweeps)
{
    int32_t folds = 0;
    for (size_t k = 0; k < count; ++k) {
        SceneDef def = {0};
        SceneMore more = {0};
        Scene scene;
        assert_true(scene_parse(names[k], &def, &more));
        scene_create_more(&scene, &def, &more);
        const PathEnd end = path_follow(run, &scene.problem, sweeps, 1e-8);
        path_check(names[k], &end, 1e-8);
        folds += end.folds;
        scene_release(&scene);
    }
    test_at_least(folds, 2);
}

#endif
