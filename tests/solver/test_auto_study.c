// SPDX-License-Identifier: Apache-2.0
// auto on every spatial problem of the public collection to 1e-10, on the planar and rolling ones
// to 1e-8, and with every coefficient of friction multiplied; judged by independent code.
#include "certain.h"

#include <stdio.h>

static const char* const spatial[] = {
    "fc3d-local-dat/Capsules-i100-1090.dat",
    "fc3d-local-dat/Capsules-i101-404.dat",
    "fc3d-local-dat/Capsules-i103-990.dat",
    "fc3d-local-dat/Confeti-ex03-Fc3D-SBM.dat",
    "fc3d-local-dat/Confeti-ex13-4contact-Fc3D-SBM.dat",
    "fc3d-local-dat/FC3D_Example1.dat",
    "fc3d-local-dat/FC3D_Example1_SBM.dat",
    "fc3d-local-dat/FrictionContact3D_1c.dat",
    "fc3d-local-dat/FrictionContact3D_RR_1c.dat",
    "fc3d-local-dat/GFC3D_TwoRods1-condensed.dat",
    "fc3d-local-dat/KaplasTower-i1061-4.hdf5.dat.gz",
    "fc3d-local-dat/NESpheres_10_1.dat",
    "fc3d-local-dat/OneObject-i100000-499.hdf5.dat",
    "fc3d-local-dat/RockPile_tob1.dat.gz",
    "fc3d-local-dat/Rover1039.dat",
    "fc3d-local-dat/Rover1040.dat",
    "fc3d-local-dat/Rover11035.dat",
    "fc3d-local-dat/Rover11211.dat",
    "fc3d-local-dat/Rover3865.dat",
    "fc3d-local-dat/Rover4396.dat",
    "fc3d-local-dat/Rover4493.dat",
    "fc3d-local-dat/Rover4516.dat",
    "fc3d-local-dat/Rover4609.dat",
    "fc3d-local-dat/Rover4622.dat",
    "fc3d-local-hdf5/Capsules-i125-1213.hdf5",
    "fc3d-local-hdf5/local_problem_test.hdf5",
    "fc3d-global/Box_Stacks-i0122-82-5.hdf5",
    "fc3d-global/GFC3D_Example0.dat",
    "fc3d-global/GFC3D_Example00.dat",
    "fc3d-global/GFC3D_Example00_badly_scaled.dat",
    "fc3d-global/GFC3D_Example0_SBM.dat",
    "fc3d-global/GFC3D_Example1.dat",
    "fc3d-global/GFC3D_OneContact.dat",
    "fc3d-global/GFC3D_TwoRods1.dat",
    "fc3d-global/Spheres-i099-356-679.hdf5",
};

static const char* const others[] = {
    "fc2d/FC2D_SliderCrankLagrangian00000.dat",
    "fc2d/FC2D_SliderCrankLagrangian00001.dat",
    "fc2d/FrictionContactProblem00031.dat",
    "fc2d/FrictionContactProblem00071.dat",
    "fc2d/FrictionContactProblem00374.dat",
    "fc2d/FrictionContactProblem00394.dat",
    "fc2d/FrictionContactProblem00727.dat",
    "fc2d/fc2d_granularflowonwall_00667_00000.dat",
    "fc2d/gfc2d_granularflowonwall_00000_00117.dat",
    "fc2d/gfc2d_granularflowonwall_00069_00350.dat",
    "rolling/Chute-ndof-768-nc-4-3.hdf5",
    "rolling/GRFC3D_Chute-ndof-768-nc-4-3.dat",
    "rolling/RFC3D_cube_1.dat",
    "rolling/RFC3D_sphere_1.dat",
    "rolling/rfc3d_sphere_from_grfc3d.dat",
    "rolling/rfc3d_sphere_from_grfc3d_dense.dat",
    "rolling/rockfall_14_25792.dat",
};

// all solved in the siconos norm; in the relative one down to its floor
static void test_spatial(void** state)
{
    (void)state;
    static const SticNorm norms[] = {STIC_NORM_SICONOS, STIC_NORM_RELATIVE};
    for (int n = 0; n < 2; ++n) {
        const Certain certain = {.solver = "auto", .tolerance = 1e-10, .norm = norms[n]};
        const TestTable table =
            certain_table(n == 0 ? "auto, siconos norm 1e-10" : "auto, relative norm 1e-10");
        double seconds = 0.0;
        for (size_t k = 0; k < CERTAIN_COUNT(spatial); ++k) {
            const CertainEnd end = certain_solve(spatial[k], &certain);
            certain_row(&table, spatial[k], &end);
            assert_int_equal(end.info.outcome, STIC_OUTCOME_SOLVED);
            seconds += end.info.seconds;
        }
        printf("%zu problems in %.2f s\n", CERTAIN_COUNT(spatial), seconds);
    }
}

static void test_others(void** state)
{
    (void)state;
    const Certain certain = {.solver = "auto", .tolerance = 1e-8, .norm = STIC_NORM_RELATIVE};
    const TestTable table = certain_table("auto, planar and rolling, relative norm 1e-8");
    for (size_t k = 0; k < CERTAIN_COUNT(others); ++k) {
        const CertainEnd end = certain_solve(others[k], &certain);
        certain_row(&table, others[k], &end);
        assert_int_equal(end.info.outcome, STIC_OUTCOME_SOLVED);
    }
}

// every mu times 0.1, 0.3, 2, 5, 10 at 1e-8
static void test_friction(void** state)
{
    (void)state;
    static const double factors[] = {0.1, 0.3, 2.0, 5.0, 10.0};
    for (size_t f = 0; f < CERTAIN_COUNT(factors); ++f) {
        const Certain certain = {.solver = "auto",
                                 .tolerance = 1e-8,
                                 .norm = STIC_NORM_RELATIVE,
                                 .mu_factor = factors[f],
                                 .seconds = 60.0};
        const TestTable table = certain_table("auto, friction multiplied, relative norm 1e-8");
        for (size_t k = 0; k < CERTAIN_COUNT(spatial); ++k) {
            const CertainEnd end = certain_solve(spatial[k], &certain);
            certain_row(&table, spatial[k], &end);
            assert_int_equal(end.info.outcome, STIC_OUTCOME_SOLVED);
        }
        printf("mu times %g: %zu solved\n", factors[f], CERTAIN_COUNT(spatial));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_spatial),
                                       cmocka_unit_test(test_others),
                                       cmocka_unit_test(test_friction)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
