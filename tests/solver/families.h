// SPDX-License-Identifier: Apache-2.0
// auto on generated scenes: solved, by what, and the error again by independent code.
#ifndef STIC_TEST_SOLVER_FAMILIES_H
#define STIC_TEST_SOLVER_FAMILIES_H

/// Large piles that slide need effort = high.
#ifndef FAMILIES_EFFORT
#define FAMILIES_EFFORT ""
#endif

#include "helpers/residual.h"
#include "helpers/scenes.h"
#include "run.h"

#include <stdlib.h>

/// A table for family_solve.
static inline TestTable family_table(const char* title)
{
    return test_table_begin(
        title,
        "scene                 |contacts|outcome  |method         |iterations|factors|s      "
        "|error  |independent");
}

/// Solve the scene of a name to a tolerance; it must be solved.
static inline void family_solve(const TestTable* table, const char* name, double tolerance)
{
    const SticContext context = stic_context_default();
    SceneDef def = {0};
    SceneMore more = {0};
    Scene scene;
    SticSolveInfo info;
    assert_true(scene_parse(name, &def, &more));
    scene_create_more(&scene, &def, &more);
    double* r = calloc((size_t)scene.problem.rows, sizeof *r);
    double* u = calloc((size_t)scene.problem.rows, sizeof *u);
    assert_non_null(r);
    assert_non_null(u);
    SticSolveRequest request = test_request(&context, "auto");
    TestSettings settings;
    test_settings(request.solver, FAMILIES_EFFORT, &settings);
    request.method_settings = settings.bytes;
    request.settings.tolerance = tolerance;
    request.settings.max_iterations = 1000000; // large piles that slide: walks of 120 000
    assert_int_equal(stic_solve(&scene.problem, &request, r, u, &info), STIC_OK);
    const double independent = test_residual_relative(&scene.problem, r);
    test_table_row(table, "%s|%d|%s|%s|%d|%d|%.3f|%.1e|%.1e", name, scene.problem.count,
                   stic_outcome_name(info.outcome), info.method, info.iterations,
                   info.factorisations, info.seconds, info.errors.relative, independent);
    assert_int_equal(info.outcome, STIC_OUTCOME_SOLVED);
    test_at_most(independent, 1.001 * tolerance + 1e-12);
    stic_workspace_destroy(request.workspace);
    free(r);
    free(u);
    scene_release(&scene);
}

#endif
