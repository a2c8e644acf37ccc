// SPDX-License-Identifier: Apache-2.0
// The path of the proximal parameter: the sign of determinants it is oriented by, monotone problems
// without folds, and sliding piles whose paths turn back and come to a solution all the same.
#include "helpers/problem.h"
#include "helpers/residual.h"
#include "helpers/scenes.h"
#include "run.h"

#include "solver/methods.h"
#include "solver/prox_path.h"

typedef struct PathEnd {
    SticStageEnd end;
    int32_t points, folds, kinks;
    SticSolveInfo info;
    double error; // of independent code
} PathEnd;

// from 0 after `sweeps` iterations of asgs
static PathEnd follow(const SticProblem* problem, int32_t sweeps, double tolerance)
{
    const SticContext context = stic_context_default();
    PathEnd end = {0};
    SticError error = {0};
    SticWorkspace* workspace = NULL;
    SticProxNewtonSettings settings;
    SticSolveTask task;
    SticScaled scaled;
    SticNewtonSystem system;
    SticProxNewton newton;
    SticProxPath path;
    double* r = calloc((size_t)problem->rows, sizeof *r);
    double* u = calloc((size_t)problem->rows, sizeof *u);
    assert_true(r != NULL && u != NULL);
    assert_int_equal(stic_workspace_create(&context, &workspace), STIC_OK);
    SticSolveRequest request = {.solver = stic_solver_find("asgs", &error),
                                .settings = stic_solve_default_settings(),
                                .workspace = workspace};
    request.settings.tolerance = tolerance;
    request.settings.max_iterations = sweeps;
    assert_int_equal(stic_solve(problem, &request, r, u, &end.info), STIC_OK);
    end.info = (SticSolveInfo){0};
    stic_fields_default(&stic_prox_newton_fields, &settings);
    settings.map = STIC_MAP_ALART_CURNIER;
    request.method_settings = &settings;
    request.settings.max_iterations = 3000;
    request.settings.warm_start = true;
    assert_int_equal(stic_task_begin(&task, &request, problem, r, &end.info), STIC_OK);
    assert_int_equal(stic_scaled_create(task.arena, task.problem, &scaled, &error), STIC_OK);
    assert_int_equal(stic_newton_system_choose(&task, &scaled, STIC_SYSTEM_AUTO, &system), STIC_OK);
    assert_int_equal(stic_newton_system_prepare(task.arena, STIC_FACTOR_LU, &system, &error),
                     STIC_OK);
    assert_int_equal(stic_prox_newton_create(&task, &scaled, &system, &newton), STIC_OK);
    assert_int_equal(stic_prox_path_create(&newton, &path), STIC_OK);
    stic_scaled_from(&scaled, task.r, u);
    end.end = stic_prox_path_run(&path, &settings, u);
    end.points = path.points;
    end.folds = path.folds;
    end.kinks = path.kinks;
    assert_int_equal(stic_task_end(&task, r, u), STIC_OK);
    end.error = test_residual_relative(problem, r);
    stic_workspace_destroy(workspace);
    free(r);
    free(u);
    return end;
}

static void show(const char* name, const PathEnd* end)
{
    print_message("%-16s %-10s %4d points, %3d folds, %3d kinks, %4d factorisations, error %.1e\n",
                  name, stic_outcome_name(end->info.outcome), end->points, end->folds, end->kinks,
                  end->info.factorisations, end->error);
}

// sign of the determinant of random dense matrices, as blocks, against cofactors of order 4
static double determinant(int n, const double* a)
{
    double sum = 0.0, minor[9];
    if (n == 1)
        return a[0];
    for (int k = 0; k < n; ++k) {
        for (int i = 1, m = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                if (j != k)
                    minor[m++] = a[n * i + j];
        sum += (k % 2 == 0 ? 1.0 : -1.0) * a[k] * determinant(n - 1, minor);
    }
    return sum;
}

static void test_sign(void** state)
{
    (void)state;
    static const int32_t row_at[3] = {0, 2, 4}, begin[3] = {0, 2, 4}, col[4] = {0, 1, 0, 1};
    static const int64_t value_at[5] = {0, 4, 8, 12, 16};
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(3);
    SticError error = {0};
    int negative = 0;
    for (int trial = 0; trial < 200; ++trial) {
        double dense[16], value[16];
        SticSymbolic* symbolic = NULL;
        SticFactor* factor = NULL;
        SticFactorInfo info;
        test_random_vector(&random, 16, -1.0, 1.0, dense);
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                value[4 * (2 * (i / 2) + j / 2) + 2 * (i % 2) + j % 2] = dense[4 * i + j];
        const SticBlockCsr A = {2, 2, row_at, row_at, begin, col, value_at, value};
        assert_int_equal(stic_symbolic_create(&context, &A, STIC_ORDERING_AMD, &symbolic, &error),
                         STIC_OK);
        assert_int_equal(stic_factor_create(symbolic, STIC_FACTOR_LU, &factor, &error), STIC_OK);
        assert_int_equal(stic_factor_compute(factor, &A, NULL, &info), STIC_OK);
        assert_int_equal(info.sign, determinant(4, dense) < 0.0 ? -1 : 1);
        negative += info.sign < 0;
        stic_factor_destroy(factor);
        stic_symbolic_destroy(symbolic);
    }
    print_message("200 determinants, %d negative\n", negative);
    assert_true(negative > 50 && negative < 150);
}

// without friction the problem is monotone: c falls all along the path
static void test_monotone(void** state)
{
    (void)state;
    static const TestProblemDef defs[] = {{STIC_LAW_NONNEG, 60, 1, 0, 0, true},
                                          {STIC_LAW_NONNEG, 40, 1, 0, 0, false}};
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(17);
    for (size_t k = 0; k < sizeof defs / sizeof defs[0]; ++k) {
        SticArena* arena = NULL;
        assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
        const SticProblem problem = test_problem_random(arena, &random, &defs[k]);
        const PathEnd end = follow(&problem, 0, 1e-10);
        show(k == 0 ? "regular" : "singular", &end);
        assert_int_equal(end.info.outcome, STIC_OUTCOME_SOLVED);
        assert_int_equal(end.folds, 0);
        assert_true(end.error <= 1.001e-10);
        stic_arena_destroy(arena);
    }
}

// piles and walls that slide or are hit, from where a few sweeps end; on some of them the path
// turns back on its way (how often depends on where the sweeps end)
static void test_piles(void** state)
{
    (void)state;
    static const char* const names[] = {"spheres50-slide",  "capsules100-slide", "wall5-slide",
                                        "pyramid5-slide",   "spheres50-hit",     "spheres200-hit",
                                        "spheres100-slide", "spheres200-slide"};
    int32_t folds = 0;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
        SceneDef def = {0};
        SceneMore more = {0};
        Scene scene;
        assert_true(scene_parse(names[k], &def, &more));
        scene_create_more(&scene, &def, &more);
        const PathEnd end = follow(&scene.problem, 30, 1e-8);
        show(names[k], &end);
        folds += end.folds;
        assert_int_equal(end.info.outcome, STIC_OUTCOME_SOLVED);
        assert_true(end.error <= 1.001e-8);
        scene_release(&scene);
    }
    assert_true(folds >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sign), cmocka_unit_test(test_monotone),
                                       cmocka_unit_test(test_piles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
