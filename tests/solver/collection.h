// SPDX-License-Identifier: Apache-2.0
// What each solver reaches on the public collection at 1e-8 (relative error) in 10 s, by name.
#ifndef STIC_TEST_SOLVER_COLLECTION_H
#define STIC_TEST_SOLVER_COLLECTION_H

#include "helpers/problem.h"
#include "helpers/residual.h"
#include "helpers/solve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stiction/extend/solver.h"

/// Expected end of a solve: S solved, - not solved in the time given, R refused with a sentence.
typedef struct CollectionEntry {
    const char* name;
    char nsgs, sor_prox, extragradient;
    bool slow; ///< takes more than a second with nsgs or extragradient: only in the study
} CollectionEntry;

static const CollectionEntry collection[] = {
    {"fc2d/FC2D_SliderCrankLagrangian00000.dat", 'S', 'S', 'S', false},
    {"fc2d/FC2D_SliderCrankLagrangian00001.dat", 'S', 'S', 'S', false},
    {"fc2d/FrictionContactProblem00031.dat", 'S', 'S', 'S', false},
    {"fc2d/FrictionContactProblem00071.dat", 'S', 'S', 'S', false},
    {"fc2d/FrictionContactProblem00374.dat", 'S', 'S', 'S', false},
    {"fc2d/FrictionContactProblem00394.dat", 'S', 'S', 'S', false},
    {"fc2d/FrictionContactProblem00727.dat", 'S', 'S', 'S', false},
    {"fc2d/fc2d_granularflowonwall_00667_00000.dat", 'S', 'S', 'S', false},
    {"fc2d/gfc2d_granularflowonwall_00000_00117.dat", 'S', 'S', 'S', false},
    {"fc2d/gfc2d_granularflowonwall_00069_00350.dat", 'S', 'S', 'S', false},
    {"fc3d-global/Box_Stacks-i0122-82-5.hdf5", 'S', 'S', 'S', false},
    {"fc3d-global/GFC3D_Example0.dat", 'S', 'S', 'S', false},
    {"fc3d-global/GFC3D_Example00.dat", 'S', 'S', 'S', false},
    {"fc3d-global/GFC3D_Example00_badly_scaled.dat", 'S', 'S', 'S', false},
    {"fc3d-global/GFC3D_Example0_SBM.dat", 'S', 'S', 'S', false},
    {"fc3d-global/GFC3D_Example1.dat", 'S', 'S', 'S', false},
    {"fc3d-global/GFC3D_OneContact.dat", 'S', 'S', 'S', false},
    {"fc3d-global/GFC3D_TwoRods1.dat", 'S', 'S', 'S', false},
    {"fc3d-global/Spheres-i099-356-679.hdf5", 'S', 'S', 'S', false},
    {"fc3d-local-dat/Capsules-i100-1090.dat", 'S', 'S', 'S', true},
    {"fc3d-local-dat/Capsules-i101-404.dat", 'S', 'S', 'S', true},
    {"fc3d-local-dat/Capsules-i103-990.dat", 'S', 'S', 'S', true},
    {"fc3d-local-dat/Confeti-ex03-Fc3D-SBM.dat", 'S', 'S', 'S', false},
    {"fc3d-local-dat/Confeti-ex13-4contact-Fc3D-SBM.dat", 'S', 'S', 'S', false},
    {"fc3d-local-dat/FC3D_Example1.dat", 'S', 'S', 'S', false},
    {"fc3d-local-dat/FC3D_Example1_SBM.dat", 'S', 'S', 'S', false},
    {"fc3d-local-dat/FrictionContact3D_1c.dat", 'S', 'S', 'S', false},
    {"fc3d-local-dat/FrictionContact3D_RR_1c.dat", 'S', '-', 'S', false},
    {"fc3d-local-dat/GFC3D_TwoRods1-condensed.dat", 'S', 'S', 'S', false},
    {"fc3d-local-dat/KaplasTower-i1061-4.hdf5.dat.gz", 'S', 'S', 'S', true},
    {"fc3d-local-dat/NESpheres_10_1.dat", 'S', 'S', 'S', false},
    {"fc3d-local-dat/OneObject-i100000-499.hdf5.dat", 'S', 'S', 'S', true},
    {"fc3d-local-dat/RockPile_tob1.dat.gz", '-', '-', '-', true},
    {"fc3d-local-dat/Rover1039.dat", 'S', '-', 'S', false},
    {"fc3d-local-dat/Rover1040.dat", 'S', '-', 'S', false},
    {"fc3d-local-dat/Rover11035.dat", 'S', '-', 'S', false},
    {"fc3d-local-dat/Rover11211.dat", 'S', '-', 'S', false},
    {"fc3d-local-dat/Rover3865.dat", 'S', '-', 'S', false},
    {"fc3d-local-dat/Rover4396.dat", 'S', '-', 'S', false},
    {"fc3d-local-dat/Rover4493.dat", 'S', '-', 'S', false},
    {"fc3d-local-dat/Rover4516.dat", 'S', '-', 'S', false},
    {"fc3d-local-dat/Rover4609.dat", 'S', '-', 'S', false},
    {"fc3d-local-dat/Rover4622.dat", 'S', '-', 'S', false},
    {"fc3d-local-hdf5/Capsules-i125-1213.hdf5", 'S', 'S', 'S', true},
    {"fc3d-local-hdf5/local_problem_test.hdf5", 'S', 'S', '-', true},
    {"lcp/lcp_CPS_1.dat", 'S', 'S', 'S', false},
    {"lcp/lcp_CPS_2.dat", 'R', '-', 'S', false},
    {"lcp/lcp_CPS_3.dat", 'R', '-', 'S', false},
    {"lcp/lcp_CPS_4.dat", 'R', 'S', 'S', false},
    {"lcp/lcp_CPS_4bis.dat", 'R', 'S', 'S', false},
    {"lcp/lcp_CPS_5.dat", 'S', 'S', 'S', false},
    {"lcp/lcp_Pang_isolated_sol.dat", 'R', '-', '-', false},
    {"lcp/lcp_Pang_isolated_sol_perturbed.dat", 'R', '-', '-', false},
    {"lcp/lcp_deudeu.dat", 'S', 'S', 'S', false},
    {"lcp/lcp_deudeu_block.dat", 'S', 'S', 'S', false},
    {"lcp/lcp_enum_fails.dat", 'R', 'S', 'S', false},
    {"lcp/lcp_exp_murty.dat", 'S', 'S', 'S', false},
    {"lcp/lcp_exp_murty2.dat", 'S', 'S', 'S', false},
    {"lcp/lcp_inf_sol_perturbed.dat", 'R', '-', 'S', false},
    {"lcp/lcp_ortiz_block.dat", 'S', 'S', 'S', false},
    {"lcp/lcp_trivial.dat", 'S', 'S', 'S', false},
    {"lcp/lcp_trivial_block.dat", 'S', 'S', 'S', false},
    {"rolling/Chute-ndof-768-nc-4-3.hdf5", 'S', '-', 'S', false},
    {"rolling/GRFC3D_Chute-ndof-768-nc-4-3.dat", 'S', '-', 'S', false},
    {"rolling/RFC3D_cube_1.dat", 'S', 'S', 'S', false},
    {"rolling/RFC3D_sphere_1.dat", 'S', 'S', 'S', false},
    {"rolling/rfc3d_sphere_from_grfc3d.dat", 'S', 'S', 'S', false},
    {"rolling/rfc3d_sphere_from_grfc3d_dense.dat", 'S', 'S', 'S', false},
    {"rolling/rockfall_14_25792.dat", 'S', '-', 'S', false},
};

/// Solve one file and compare its end with the expected one; the independent error decides too.
/// What should be solved gets ten times the time, for a machine that is busy otherwise. Returns 1
/// if it ended otherwise.
static inline int32_t collection_solve(const TestTable* table, const char* name, const char* solver,
                                       char expected)
{
    const double seconds = expected == 'S' ? 100.0 : 10.0;
    const SticContext context = stic_context_default();
    char path[TEST_PATH_SIZE];
    SticSolveInfo info = {0};
    test_problem_path(name, path);
    SticProblemStore* store = test_problem_read(&context, path);
    const SticProblem* problem = stic_problem_view(store);
    double* r = calloc((size_t)problem->rows + 1, sizeof *r);
    double* u = calloc((size_t)problem->rows + 1, sizeof *u);
    assert_true(r != NULL && u != NULL);
    SticSolveRequest request = test_request(&context, solver);
    request.settings.max_seconds = seconds;
    request.settings.max_iterations = 2000000000;
    const SticStatus status = stic_solve(problem, &request, r, u, &info);
    double independent = INFINITY;
    char got = 'R';
    if (status == STIC_OK) {
        independent = test_residual_relative(problem, r);
        got = info.outcome == STIC_OUTCOME_SOLVED ? 'S' : '-';
        test_table_row(table, "%s|%d|%s|%s|%d|%.3f|%.1e|%.1e|%.1e|%.1e", strchr(name, '/') + 1,
                       problem->count, solver, stic_outcome_name(info.outcome), info.iterations,
                       info.seconds, info.errors.relative, info.errors.siconos,
                       info.errors.unit_free, independent);
        // never a wrong "solved": the independent number passes as well, up to its own rounding
        if (got == 'S')
            test_at_most(independent, 1.001e-8 + 10.0 * info.errors.floor);
    } else {
        assert_true(info.error.text[0] != '\0');
        test_table_row(table, "%s|%d|%s|%s||||||", strchr(name, '/') + 1, problem->count, solver,
                       "refused");
    }
    if (got != expected)
        print_message("%s with %s: expected %c, got %c (%s)\n", name, solver, expected, got,
                      status == STIC_OK ? stic_outcome_name(info.outcome) : info.error.text);
    free(r);
    free(u);
    stic_workspace_destroy(request.workspace);
    stic_problem_destroy(store);
    return got != expected;
}

static inline TestTable collection_table(const char* title)
{
    return test_table_begin(title,
                            "problem                                  |contacts|solver       |"
                            "outcome        |iterations|seconds|relative|siconos|unit-free|"
                            "independent");
}

#endif
