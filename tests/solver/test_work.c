// SPDX-License-Identifier: Apache-2.0
// What a solve of `auto` costs, in counted work: less where less is asked for, not more from a start
// that is near than from none, and no walks of minutes unless they are asked for.
#include "helpers/helpers.h"
#include "helpers/scenes.h"
#include "solver/portfolio.h"
#include "stiction/extend/solver.h"

// multiplications of a solve as a run asks for it, from r or from none; r is the solution then
static double work_of(const SticProblem* problem, double tolerance, bool warm, double* r)
{
    const SticContext context = stic_context_default();
    SticSolveRequest request = {.solver = stic_solver_find("auto", NULL),
                                .settings = stic_solve_default_settings()};
    SticSolveInfo info;
    double* u = calloc((size_t)problem->rows, sizeof *u);
    request.settings.tolerance = tolerance;
    request.settings.norm = STIC_NORM_UNIT_FREE;
    request.settings.per_island = true;
    request.settings.warm_start = warm;
    assert_non_null(u);
    assert_int_equal(stic_workspace_create(&context, &request.workspace), STIC_OK);
    assert_int_equal(stic_solve(problem, &request, r, u, &info), STIC_OK);
    assert_int_equal(info.outcome, STIC_OUTCOME_SOLVED);
    // rows for which effort = high must be asked
    for (int k = 0; stic_portfolio_table[k].name != NULL; ++k)
        if (stic_portfolio_table[k].effort == STIC_EFFORT_HIGH)
            assert_int_equal(request.workspace->attempts[k].tried, 0);
    stic_workspace_destroy(request.workspace);
    free(u);
    return info.work;
}

static const char* const names[] = {"stack10", "wall5",        "wall5-hit",  "pyramid5",
                                    "arch9",   "arch27-hit",   "spheres100", "spheres100-slide",
                                    "chain5",  "pyramid10-hit"};

// a scene by its name, with an r of its size
static double* make(const char* name, Scene* scene)
{
    SceneDef def = {0};
    SceneMore more = {0};
    assert_true(scene_parse(name, &def, &more));
    scene_create_more(scene, &def, &more);
    double* r = calloc((size_t)scene->problem.rows, sizeof *r);
    assert_non_null(r);
    return r;
}

// Sweeps that would be there soon are not given up for a factor, which is cheaper where much more is
// asked for: hence the factor of two. It was 18 once (a pyramid of 30 courses, 1e-2 and 1e-6).
static void test_looser_is_cheaper(void** state)
{
    (void)state;
    static const double tolerances[] = {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1};
    for (size_t n = 0; n < sizeof names / sizeof *names; ++n) {
        Scene scene;
        double* r = make(names[n], &scene);
        double least = INFINITY, last = 0.0;
        for (size_t t = 0; t < sizeof tolerances / sizeof *tolerances; ++t) {
            last = work_of(&scene.problem, tolerances[t], false, r);
            test_at_most(last, 2.0 * least);
            least = last < least ? last : least;
        }
        // and a preview is cheap
        test_at_most(last, 1.0001 * least);
        free(r);
        scene_release(&scene);
    }
}

// the solution, all of it a twentieth too small
static void test_warm_is_cheaper(void** state)
{
    (void)state;
    for (size_t n = 0; n < sizeof names / sizeof *names; ++n) {
        Scene scene;
        double* r = make(names[n], &scene);
        const double cold = work_of(&scene.problem, 1e-3, false, r);
        const double again = work_of(&scene.problem, 1e-3, true, r);
        for (int32_t k = 0; k < scene.problem.rows; ++k)
            r[k] *= 0.95;
        const double warm = work_of(&scene.problem, 1e-3, true, r);
        // a solution costs the sweep and the check that find it to be one
        test_at_most(again, cold);
        test_at_most(warm, cold);
        free(r);
        scene_release(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_looser_is_cheaper),
        cmocka_unit_test(test_warm_is_cheaper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
