// SPDX-License-Identifier: Apache-2.0
// Equilibria of solids without masses: pure bending, cantilevers, large turns, contact with a
// floor and with a ball, mechanisms that are refused.
#include "physics/solids.h"

static TestSolid solid;

static const char* const still = "inertia=none iterations=30 drop=0";

/* ---- pure bending ---- */

// u = kappa (x z, 0, -x^2/2) is a solution without body forces for nu = 0; it is quadratic
static double bend(SticSolidCell kind, int32_t parts)
{
    const SticSolidBox box = {.low = {0.0, 0.0, -0.5},
                              .high = {2.0, 1.0, 0.5},
                              .count = {2 * parts, parts, parts},
                              .kind = kind};
    const double kappa = 1e-3, E = 1e9;
    test_solid_open(&solid, &box, (SticSolidMaterial){STIC_SOLID_LINEAR, E, 0.0, 1.0});
    test_solid_hold(&solid, 0, 0.0, STIC_SOLID_X);
    test_solid_hold(&solid, 0, 2.0, STIC_SOLID_X);
    const int32_t first = solid.def.supports / 2;
    for (int32_t k = 0; k < solid.def.supports; ++k)
        if (solid.mesh.node[solid.support[k].node].x > 1.0)
            solid.support[k].rate.x = 2.0 * kappa * solid.mesh.node[solid.support[k].node].z;
    assert_int_equal(2 * first, solid.def.supports);
    // rigid motions: along y and z, and around x
    const int32_t centre = test_solid_node(&solid, 0.0, 0.0, -0.5);
    const int32_t side = test_solid_node(&solid, 0.0, 1.0, -0.5);
    solid.support[solid.def.supports++] =
        (SticSolidSupport){.node = centre, .axes = STIC_SOLID_Y | STIC_SOLID_Z};
    solid.support[solid.def.supports++] = (SticSolidSupport){.node = side, .axes = STIC_SOLID_Z};
    test_solid_start(&solid, "quasi-static", still);
    test_solid_step(&solid, 1.0);
    double energy, worst = 0.0;
    assert_int_equal(stic_system_potential(solid.system, solid.now, solid.stepper->arena, &energy),
                     STIC_OK);
    for (int32_t i = 0; i < solid.mesh.nodes; ++i) {
        const SticVec3 x = solid.mesh.node[i],
                       exact = {kappa * x.x * x.z, 0.0, -0.5 * kappa * x.x * x.x};
        worst = fmax(worst, stic_vec3_norm(stic_vec3_sub(
                                stic_solid_displacement(solid.system, solid.now, i), exact)));
    }
    // E I kappa^2 L/2
    const double exact = 0.5 * E / 12.0 * kappa * kappa * 2.0;
    printf("bending %-6s %d parts: displacements off by %.2e, energy by %.2e (relative)\n",
           stic_solid_cell_name(kind), parts, worst / (2.0 * kappa), energy / exact - 1.0);
    test_solid_close(&solid);
    return energy / exact - 1.0;
}

static void pure_bending(void** state)
{
    (void)state;
    test_less(fabs(bend(STIC_SOLID_HEX20, 1)), 1e-11);
    test_less(fabs(bend(STIC_SOLID_TET10, 1)), 1e-11);
    for (int k = 0; k < 2; ++k) {
        const SticSolidCell kind = k == 0 ? STIC_SOLID_HEX8 : STIC_SOLID_TET4;
        const double coarse = bend(kind, 2), fine = bend(kind, 4);
        const double order = log2(coarse / fine);
        printf("%s: energy of order %.2f\n", stic_solid_cell_name(kind), order);
        test_near(order, 2.0, 0.3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pure_bending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
