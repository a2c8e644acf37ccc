// SPDX-License-Identifier: Apache-2.0
// Equilibria of solids without masses: pure bending, cantilevers, large turns, contact with a
// floor and with a ball, mechanisms that are refused.
#include "physics/solids.h"

static TestSolid solid;

static const char* const still = "inertia=none iterations=6 drop=0";

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

/* ---- cantilevers ---- */

// deflection of the tip of a beam of length 4 and section 1 x 1 under a shear traction
static double cantilever(SticSolidCell kind, int32_t parts, double nu)
{
    const SticSolidBox box = {.low = {0.0, -0.5, -0.5},
                              .high = {4.0, 0.5, 0.5},
                              .count = {4 * parts, parts, parts},
                              .kind = kind};
    test_solid_open(&solid, &box, (SticSolidMaterial){STIC_SOLID_LINEAR, 1e9, nu, 1.0});
    test_solid_hold(&solid, 0, 0.0, STIC_SOLID_XYZ);
    test_solid_pull(&solid, 4.0, stic_vec3(0.0, 0.0, 1000.0));
    test_solid_start(&solid, "quasi-static", still);
    test_solid_step(&solid, 1.0);
    const int32_t tip = test_solid_node(&solid, 4.0, -0.5, -0.5);
    const double w = stic_solid_displacement(solid.system, solid.now, tip).z;
    test_solid_close(&solid);
    return w;
}

static void cantilevers(void** state)
{
    (void)state;
    // Timoshenko with Cowper's shear factor for nu = 0, 5/6: P L^3/(3 E I) + P L/(5/6 G A)
    const double E = 1e9, P = 1000.0, L = 4.0;
    const double beam = P * L * L * L / (3.0 * E / 12.0) + P * L / (5.0 / 6.0 * E / 2.0);
    const double best = cantilever(STIC_SOLID_HEX20, 4, 0.0);
    printf("cantilever, 4 parts of hex20: %.9g m, Timoshenko %.9g m, off by %.2e\n", best, beam,
           best / beam - 1.0);
    test_less(fabs(best / beam - 1.0), 2e-3);
    for (int k = 0; k < STIC_SOLID_CELL_COUNT; ++k) {
        const SticSolidCell kind = (SticSolidCell)k;
        const bool quadratic = kind == STIC_SOLID_TET10 || kind == STIC_SOLID_HEX20;
        const double coarse = 1.0 - cantilever(kind, 1, 0.0) / best,
                     fine = 1.0 - cantilever(kind, 2, 0.0) / best;
        printf("%-6s off by %.3e and %.3e with 1 and 2 parts of the height: order %.2f\n",
               stic_solid_cell_name(kind), coarse, fine, log2(coarse / fine));
        // cells of finite elements are too stiff
        test_greater(fine, 0.0);
        test_less(fine, quadratic ? 2e-3 : 0.5);
        test_greater(log2(coarse / fine), quadratic ? 2.0 : 0.7);
    }
}

// P L^2 = E I: the elastica of Bisshopp and Drucker (1945) has its tip at (0.94357, 0.30172) L
static void elastica(void** state)
{
    (void)state;
    static const SticSolidMaterialKind kinds[] = {STIC_SOLID_KIRCHHOFF, STIC_SOLID_NEO_HOOKE,
                                                  STIC_SOLID_COROTATED};
    const double E = 1e9, L = 20.0, I = 1.0 / 12.0;
    for (int k = 0; k < 3; ++k) {
        const SticSolidBox box = {
            .high = {L, 1.0, 1.0}, .count = {20, 1, 1}, .kind = STIC_SOLID_HEX20};
        test_solid_open(&solid, &box, (SticSolidMaterial){kinds[k], E, 0.0, 1.0});
        test_solid_hold(&solid, 0, 0.0, STIC_SOLID_XYZ);
        test_solid_pull(&solid, L, stic_vec3(0.0, 0.0, E * I / (L * L)));
        test_solid_start(&solid, "quasi-static", "inertia=none iterations=30 drop=0");
        test_solid_step(&solid, 1.0);
        SticVec3 tip = stic_vec3_zero();
        static const double corner[4][2] = {{0.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}, {1.0, 1.0}};
        for (int c = 0; c < 4; ++c)
            tip = stic_vec3_add_scaled(
                tip, 0.25 / L,
                stic_solid_displacement(solid.system, solid.now,
                                        test_solid_node(&solid, L, corner[c][0], corner[c][1])));
        printf("elastica, %-10s tip at (%.5f, %.5f) L after %d iterations; (0.94357, 0.30172)\n",
               stic_solid_material_name(kinds[k]), 1.0 + tip.x, tip.z, solid.info.newton);
        // shear and the height of the beam are of the order (h/L)^2 = 0.0025
        test_near(1.0 + tip.x, 0.94357, 1e-3);
        test_near(tip.z, 0.30172, 1e-3);
        test_solid_close(&solid);
    }
}

/* ---- contacts ---- */

// a block between a floor and a plate that comes down, both smooth: a uniform stress
static void pressed_block(void** state)
{
    (void)state;
    const double E = 2e9, nu = 0.3, d = 1e-3;
    for (int k = 0; k < STIC_SOLID_HEX20; ++k) {
        const SticSolidBox box = {
            .high = {1.0, 1.0, 2.0}, .count = {2, 2, 4}, .kind = (SticSolidCell)k};
        test_solid_open(&solid, &box, (SticSolidMaterial){STIC_SOLID_LINEAR, E, nu, 1.0});
        test_solid_hold(&solid, 0, 0.0, STIC_SOLID_X);
        test_solid_hold(&solid, 1, 0.0, STIC_SOLID_Y);
        // the floor alone does not make K regular: a node of it is held
        solid.support[solid.def.supports++] =
            (SticSolidSupport){.node = test_solid_node(&solid, 0.0, 0.0, 0.0), .axes = 4};
        solid.obstacle[0] = (SticSolidObstacle){.normal = {0.0, 0.0, 1.0}, .reach = 0.1};
        solid.obstacle[1] = (SticSolidObstacle){.place = {0.0, 0.0, 2.0},
                                                .normal = {0.0, 0.0, -1.0},
                                                .velocity = {0.0, 0.0, -d},
                                                .reach = 0.1};
        solid.def.obstacles = 2;
        test_solid_start(&solid, "quasi-static", still);
        test_solid_step(&solid, 1.0);
        double worst = 0.0, top = 0.0;
        for (int32_t cell = 0; cell < solid.mesh.cells; ++cell) {
            SticMat3 stress;
            assert_int_equal(stic_solid_stress(solid.system, solid.now, cell, &stress), STIC_OK);
            stress.m[2][2] += E * d / 2.0;
            worst = fmax(worst, stic_mat3_norm(stress) / (E * d / 2.0));
        }
        const SticStepRecord* record = &solid.record;
        for (int32_t i = 0; i < record->set.count; ++i) {
            // normals of the upper plate point down
            const double* H = record->Ht.value + record->Ht.value_at[record->Ht.begin[i]];
            const int32_t block = record->set.interaction[i].block[0];
            const int32_t size =
                solid.system->layout.u_at[block + 1] - solid.system->layout.u_at[block];
            if (H[size - 1] < 0.0)
                top += record->r[record->set.row_at[i]] / record->h;
        }
        const double side =
            stic_solid_displacement(solid.system, solid.now, test_solid_node(&solid, 1.0, 1.0, 1.0))
                .x;
        printf("pressed %-6s stress off by %.1e, force of the plate by %.1e, width by %.1e\n",
               stic_solid_cell_name((SticSolidCell)k), worst, top / (E * d / 2.0) - 1.0,
               side / (nu * d / 2.0) - 1.0);
        test_less(worst, 1e-9);
        test_near(top, E * d / 2.0, 1e-9 * E * d / 2.0);
        test_near(side, nu * d / 2.0, 1e-9 * nu * d);
        test_solid_close(&solid);
    }
}

// what nothing holds is told
static void mechanism(void** state)
{
    (void)state;
    const SticSolidBox box = {.high = {1.0, 1.0, 1.0}, .count = {2, 2, 2}, .kind = STIC_SOLID_HEX8};
    test_solid_open(&solid, &box, (SticSolidMaterial){STIC_SOLID_LINEAR, 1e9, 0.3, 1.0});
    // it can slide along y, and nowhere else
    test_solid_hold(&solid, 0, 0.0, STIC_SOLID_X);
    test_solid_hold(&solid, 2, 0.0, STIC_SOLID_Z);
    test_solid_start(&solid, "quasi-static", still);
    assert_int_equal(
        stic_step(solid.stepper, solid.system, solid.now, 1.0, solid.next, &solid.info),
        STIC_SINGULAR);
    printf("%s\n", solid.info.error.text);
    assert_non_null(strstr(solid.info.error.text, "is singular"));
    assert_non_null(strstr(solid.info.error.text, "support it"));
    test_solid_close(&solid);
    assert_non_null(strstr(solid.info.error.text, "its velocities by (1)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pure_bending),  cmocka_unit_test(cantilevers), cmocka_unit_test(elastica),
        cmocka_unit_test(pressed_block), cmocka_unit_test(mechanism),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
