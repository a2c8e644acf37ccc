// SPDX-License-Identifier: Apache-2.0
// lemke: all complementarity problems of the collection by name, planar and spatial friction,
// random problems against nsgs, what is refused, memory.
#include "collection.h"
#include "helpers/helpers.h"
#include "run.h"

#include <string.h>

static const struct {
    const char* name;
    char expected;
    const char* why;
} files[] = {
    {"lcp/lcp_CPS_1.dat", 'S', ""},
    {"lcp/lcp_CPS_2.dat", 'S', ""},
    // M = [0 A; B 0] with A, B > 0: after z0 no variable leaves, whatever covers q
    {"lcp/lcp_CPS_3.dat", '-', "bimatrix game: every path ends in a ray"},
    {"lcp/lcp_CPS_4.dat", 'S', ""},
    {"lcp/lcp_CPS_4bis.dat", 'S', ""},
    {"lcp/lcp_CPS_5.dat", 'S', ""},
    {"lcp/lcp_Pang_isolated_sol.dat", 'S', ""},
    {"lcp/lcp_Pang_isolated_sol_perturbed.dat", '-', "no solution: u_1 = -1e-4 - r_2 - r_3"},
    {"lcp/lcp_deudeu.dat", 'S', ""},
    {"lcp/lcp_deudeu_block.dat", 'S', ""},
    {"lcp/lcp_enum_fails.dat", 'S', ""},
    {"lcp/lcp_exp_murty.dat", 'S', ""},
    {"lcp/lcp_exp_murty2.dat", 'S', "2^6 pivots: the exponential example"},
    {"lcp/lcp_inf_sol_perturbed.dat", 'S', ""},
    {"lcp/lcp_ortiz_block.dat", 'S', ""},
    {"lcp/lcp_trivial.dat", 'S', ""},
    {"lcp/lcp_trivial_block.dat", 'S', ""},
    {"fc2d/FC2D_SliderCrankLagrangian00000.dat", 'S', ""},
    {"fc2d/FC2D_SliderCrankLagrangian00001.dat", 'S', ""},
    {"fc2d/FrictionContactProblem00031.dat", 'S', ""},
    {"fc2d/FrictionContactProblem00071.dat", 'S', ""},
    {"fc2d/FrictionContactProblem00374.dat", 'S', ""},
    {"fc2d/FrictionContactProblem00394.dat", 'S', ""},
    {"fc2d/gfc2d_granularflowonwall_00069_00350.dat", 'S', ""},
    {"fc3d-global/GFC3D_Example0.dat", 'S', "facets follow the slip"},
    {"fc3d-global/GFC3D_TwoRods1.dat", 'S', ""},
    {"fc3d-local-dat/FC3D_Example1.dat", 'S', ""},
    {"fc3d-local-dat/NESpheres_10_1.dat", 'S', ""},
    {"fc3d-local-dat/Rover11035.dat", '-', "the facets do not settle"},
    {"fc3d-global/Spheres-i099-356-679.hdf5", 'R', "too large for a dense method"},
    {"rolling/RFC3D_sphere_1.dat", 'R', "rolling friction"},
};

static void test_collection(void** state)
{
    (void)state;
    const TestTable table = collection_table("lemke, tolerance 1e-8");
    int32_t wrong = 0;
    for (size_t k = 0; k < sizeof files / sizeof files[0]; ++k) {
        wrong += collection_solve(&table, files[k].name, "lemke", files[k].expected);
        if (files[k].why[0] != '\0')
            print_message("    %s\n", files[k].why);
    }
    assert_int_equal(wrong, 0);
}

// positive definite W has one solution without friction: pivots and sweeps find the same
static void test_random(void** state)
{
    (void)state;
    static const TestProblemDef defs[] = {{STIC_LAW_NONNEG, 60, 1, 0, 0, true},
                                          {STIC_LAW_CONE, 20, 2, 0, 0, true},
                                          {STIC_LAW_CONE, 12, 2, 0, 0, false}};
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(31);
    static Run run, reference;
    for (size_t k = 0; k < sizeof defs / sizeof defs[0]; ++k) {
        SticArena* arena = NULL;
        assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
        const SticProblem problem = test_problem_random(arena, &random, &defs[k]);
        run_solver(&context, &problem, "nsgs", "", 1e-13, &reference);
        run_solver(&context, &problem, "lemke", "", 1e-12, &run);
        double apart = 0.0;
        for (int32_t a = 0; a < problem.rows; ++a)
            apart = test_worse(apart, fabs(run.r[a] - reference.r[a]));
        print_message("%d contacts of %d rows: %d pivots, independent error %.1e, reactions differ "
                      "from nsgs by %.1e\n",
                      problem.count, defs[k].contact_rows, run.info.iterations,
                      test_residual_relative(&problem, run.r), apart);
        assert_int_equal(run.info.outcome, STIC_OUTCOME_SOLVED);
        test_at_most(test_residual_relative(&problem, run.r), 1.001e-12);
        // condition number 100 times the tolerance, |b| is about 5
        test_less(apart, 1e-8);
        stic_arena_destroy(arena);
    }
}

static SticStatus solve_once(const SticContext* context, void* self)
{
    const SticProblem* problem = self;
    SticError error = {0};
    SticWorkspace* workspace = NULL;
    SticSolveInfo info = {0};
    double r[64], u[64];
    STIC_TRY(stic_workspace_create(context, &workspace));
    SticSolveRequest request = {.solver = stic_solver_find("lemke", &error),
                                .settings = test_solve_settings(),
                                .workspace = workspace};
    const SticStatus status = stic_solve(problem, &request, r, u, &info);
    stic_workspace_destroy(workspace);
    return status;
}

static void test_memory(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(5);
    SticArena* arena = NULL;
    const TestProblemDef def = {STIC_LAW_CONE, 10, 2, 0, 0, false};
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    SticProblem problem = test_problem_random(arena, &random, &def);
    print_message("%lld allocations that may fail\n",
                  (long long)test_fail_every_allocation(solve_once, &problem));
    stic_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_collection),
                                       cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
