// SPDX-License-Identifier: Apache-2.0
// Solids in motion: energy and momentum of free vibrations, impact of bars against the wave
// solution, a block that is dropped, slides and stops, explicit steps.
#include "physics/solids.h"

#include <float.h>

#include "math/math.h"

static TestSolid solid;

static double energy_of(double* kinetic)
{
    double potential;
    assert_int_equal(stic_system_kinetic(solid.system, solid.now, solid.stepper->arena, kinetic),
                     STIC_OK);
    assert_int_equal(
        stic_system_potential(solid.system, solid.now, solid.stepper->arena, &potential), STIC_OK);
    return *kinetic + potential;
}

static SticVec3 momentum_of(void)
{
    double sum[3] = {0.0, 0.0, 0.0};
    for (int32_t k = 0; k < 3 * solid.mesh.nodes; ++k) {
        const int32_t at = stic_solid_coordinate(solid.system, k / 3, k % 3);
        if (at >= 0)
            sum[k % 3] += stic_solid_mass(solid.system, k / 3) * solid.now->u[at];
    }
    return stic_vec3_load(sum);
}

// about the origin
static SticVec3 angular_momentum_of(void)
{
    SticVec3 sum = stic_vec3_zero();
    for (int32_t i = 0; i < solid.mesh.nodes; ++i) {
        double v[3];
        for (int axis = 0; axis < 3; ++axis)
            v[axis] = solid.now->u[stic_solid_coordinate(solid.system, i, axis)];
        const SticVec3 x =
            stic_vec3_add(solid.mesh.node[i], stic_solid_displacement(solid.system, solid.now, i));
        sum = stic_vec3_add_scaled(sum, stic_solid_mass(solid.system, i),
                                   stic_vec3_cross(x, stic_vec3_load(v)));
    }
    return sum;
}

/* ---- free motion ---- */

// largest change of the energy of a block that is set spinning, stretching and flying, in 0.1 s
static double fly(const char* scheme, SticSolidMaterialKind kind, int steps)
{
    const SticSolidBox box = {.high = {2.0, 1.0, 1.0}, .count = {4, 2, 2}, .kind = STIC_SOLID_HEX8};
    test_solid_open(&solid, &box, (SticSolidMaterial){kind, 1e7, 0.3, 1000.0});
    test_solid_start(&solid, scheme, "");
    const double turn = kind == STIC_SOLID_LINEAR ? 0.01 : 2.0, time = 0.1;
    for (int32_t i = 0; i < solid.mesh.nodes; ++i) {
        const SticVec3 x = stic_vec3_sub(solid.mesh.node[i], stic_vec3(1.0, 0.5, 0.5));
        const SticVec3 v = {1.0 + 0.5 * x.x, -turn * x.z, turn * x.y};
        for (int axis = 0; axis < 3; ++axis)
            solid.now->u[stic_solid_coordinate(solid.system, i, axis)] = stic_vec3_get(v, axis);
    }
    double kinetic;
    const double begin = energy_of(&kinetic);
    const SticVec3 p = momentum_of(), L = angular_momentum_of();
    double off = 0.0;
    for (int n = 1; n <= steps; ++n) {
        test_solid_step(&solid, n * time / steps);
        off = fmax(off, fabs(energy_of(&kinetic) / begin - 1.0));
    }
    const double lost = stic_vec3_norm(stic_vec3_sub(momentum_of(), p)) / stic_vec3_norm(p);
    const double spin = stic_vec3_norm(stic_vec3_sub(angular_momentum_of(), L)) / stic_vec3_norm(L);
    printf("%-10s %-10s %4d steps of %.1f stable ones: energy off by %.1e, momentum by %.1e, "
           "angular momentum by %.1e, %d iterations in the last\n",
           scheme, stic_solid_material_name(kind), steps, time / steps / solid.system->step_limit,
           off, lost, spin, solid.info.solve.newton);
    test_less(lost, 1e-12);
    if (scheme[0] == 'c' && kind != STIC_SOLID_LINEAR)
        test_less(spin, 1e-12);
    test_solid_close(&solid);
    return off;
}

// the mean of the forces of both ends keeps momentum, and the energy of linear materials; that of
// others to second order
static void free_motion(void** state)
{
    (void)state;
    test_less(fly("theta", STIC_SOLID_LINEAR, 20), 1e-12);
    for (int k = 1; k < STIC_SOLID_MATERIAL_COUNT; ++k) {
        const double coarse = fly("theta", (SticSolidMaterialKind)k, 20),
                     fine = fly("theta", (SticSolidMaterialKind)k, 40);
        printf("order %.2f\n", log2(coarse / fine));
        test_near(log2(coarse / fine), 2.0, 0.4);
    }
}

// the discrete derivative of the energy of each cell keeps the energy of all materials
static void energy_kept(void** state)
{
    (void)state;
    for (int k = 0; k < STIC_SOLID_MATERIAL_COUNT; ++k)
        test_less(fly("consistent", (SticSolidMaterialKind)k, 20), 1e-12);
}

// A cube of 1 GPa that turns by 0.16 rad in a step, and a slow one of rubber. Ends of cells that go
// round are on a shorter way than their arc: what is taken for strain there would stop the cube
// within some steps. The energy of the spin is lost to no vibration beyond that of its
// centrifugal stretch, of the order of rho w^2 L^2/E.
static void stiff_spin(void** state)
{
    (void)state;
    for (int k = 1; k < STIC_SOLID_MATERIAL_COUNT; ++k) {
        const SticSolidBox box = {
            .high = {0.2, 0.2, 0.2}, .count = {2, 2, 2}, .kind = STIC_SOLID_HEX8};
        const double E = 1e9, rho = 500.0, w = 40.0, h = 4e-3;
        test_solid_open(&solid, &box, (SticSolidMaterial){(SticSolidMaterialKind)k, E, 0.3, rho});
        test_solid_start(&solid, "consistent", "");
        for (int32_t i = 0; i < solid.mesh.nodes; ++i) {
            const SticVec3 x = stic_vec3_sub(solid.mesh.node[i], stic_vec3(0.1, 0.1, 0.1));
            const SticVec3 v = stic_vec3_cross(stic_vec3(0.0, w, 0.0), x);
            for (int axis = 0; axis < 3; ++axis)
                solid.now->u[stic_solid_coordinate(solid.system, i, axis)] = stic_vec3_get(v, axis);
        }
        double kinetic;
        const double begin = energy_of(&kinetic);
        const SticVec3 L = angular_momentum_of();
        for (int n = 1; n <= 100; ++n)
            test_solid_step(&solid, n * h);
        const double end = energy_of(&kinetic);
        const double spin =
            stic_vec3_norm(stic_vec3_sub(angular_momentum_of(), L)) / stic_vec3_norm(L);
        printf("%-10s spins on: kinetic energy off by %.1e, energy by %.1e, angular momentum by "
               "%.1e\n",
               stic_solid_material_name((SticSolidMaterialKind)k), 1.0 - kinetic / begin,
               end / begin - 1.0, spin);
        test_less(fabs(1.0 - kinetic / begin), rho * w * w * 0.04 / E);
        test_less(fabs(end / begin - 1.0), 1e-12);
        // stresses are rounded by E eps in every step
        test_less(spin * stic_vec3_norm(L), E * DBL_EPSILON * 8e-3 * h);
        test_solid_close(&solid);
    }
}

// What moves without being strained has strains of rounding only, of which stresses and their
// corrections are made: Newton settles at once
static void drift(void** state)
{
    (void)state;
    for (int k = 0; k < STIC_SOLID_MATERIAL_COUNT; ++k) {
        const SticSolidBox box = {
            .high = {0.2, 0.2, 0.2}, .count = {2, 2, 2}, .kind = STIC_SOLID_HEX8};
        test_solid_open(&solid, &box,
                        (SticSolidMaterial){(SticSolidMaterialKind)k, 1e5, 0.3, 500.0});
        test_solid_start(&solid, "consistent", "");
        for (int32_t i = 0; i < solid.mesh.nodes; ++i)
            solid.now->u[stic_solid_coordinate(solid.system, i, 2)] = -0.04;
        int most = 0;
        for (int n = 1; n <= 20; ++n) {
            test_solid_step(&solid, 4e-3 * n);
            most = solid.info.solve.newton > most ? solid.info.solve.newton : most;
        }
        double worst = 0.0;
        for (int32_t i = 0; i < solid.mesh.nodes; ++i)
            worst = fmax(worst,
                         fabs(stic_solid_displacement(solid.system, solid.now, i).z / -3.2e-3 - 1));
        printf("%-10s drifts: off by %.1e, %d iterations at most\n",
               stic_solid_material_name((SticSolidMaterialKind)k), worst, most);
        test_less(worst, 1e-12);
        test_at_most(most, 3);
        test_solid_close(&solid);
    }
}

// explicit steps: within the limit, refused beyond
static void explicit_steps(void** state)
{
    (void)state;
    const SticSolidBox box = {.high = {1.0, 1.0, 1.0}, .count = {2, 2, 2}, .kind = STIC_SOLID_TET4};
    test_solid_open(&solid, &box, (SticSolidMaterial){STIC_SOLID_KIRCHHOFF, 1e7, 0.3, 1000.0});
    test_solid_start(&solid, "koziara", "");
    const double h = 0.9 * solid.system->step_limit;
    for (int32_t i = 0; i < solid.mesh.nodes; ++i)
        solid.now->u[stic_solid_coordinate(solid.system, i, 0)] = 0.1 * solid.mesh.node[i].x;
    double kinetic, begin = energy_of(&kinetic), worst = 0.0;
    for (int n = 1; n <= 2000; ++n) {
        test_solid_step(&solid, n * h);
        worst = fmax(worst, fabs(energy_of(&kinetic) / begin - 1.0));
    }
    printf("explicit: energy within %.2g of its start in 2000 steps of 0.9 of the limit\n", worst);
    test_less(worst, 0.2);
    assert_int_equal(stic_step(solid.stepper, solid.system, solid.now,
                               solid.now->t + 1.2 * solid.system->step_limit, solid.next,
                               &solid.info),
                     STIC_BAD_ARGUMENT);
    assert_non_null(strstr(solid.info.error.text, "stability limit"));
    test_solid_close(&solid);
}

/* ---- impact of bars ---- */

typedef struct Impact {
    double force, duration, first, second, energy;
} Impact;

// two equal bars of length 1 with nu = 0, the left one at 1 m/s: waves of stress rho c v/2 run to
// the free ends and back, after 2 L/c the left bar rests and the right one has the velocity
static Impact strike(int32_t parts)
{
    const double L = 1.0, E = 1e6, rho = 100.0, v = 1.0, c = sqrt(E / rho), side = L / parts;
    const SticSolidBox left = {.low = {-L, 0.0, 0.0},
                               .high = {0.0, side, side},
                               .count = {parts, 1, 1},
                               .kind = STIC_SOLID_HEX8};
    SticSolidBox right = left;
    SticSolidMesh other;
    right.low.x = 0.0;
    right.high.x = L;
    test_solid_open(&solid, &left, (SticSolidMaterial){STIC_SOLID_LINEAR, E, 0.0, rho});
    const int32_t half = solid.mesh.nodes;
    assert_int_equal(stic_solid_box(&solid.context, &right, &other, &solid.error), STIC_OK);
    assert_int_equal(stic_solid_mesh_append(&solid.mesh, &other, &solid.error), STIC_OK);
    stic_solid_mesh_release(&other);
    for (int32_t i = 0; i < half; ++i)
        for (int32_t j = half; j < solid.mesh.nodes; ++j)
            if (stic_vec3_distance(solid.mesh.node[i], solid.mesh.node[j]) < 1e-9)
                solid.pair[solid.def.pairs++] =
                    (SticSolidPair){.node = {j, i}, .normal = {1.0, 0.0, 0.0}};
    assert_int_equal(solid.def.pairs, 4);
    test_solid_start(&solid, "theta", "theta=0.5");
    for (int32_t i = 0; i < half; ++i)
        solid.now->u[stic_solid_coordinate(solid.system, i, 0)] = v;
    // a whole number of steps in the time of contact, half a cell per step
    const double h = 0.5 * side / c, all = 2.0 * L / c;
    double kinetic, begin = energy_of(&kinetic);
    Impact impact = {.force = 0.0};
    int counted = 0;
    for (int n = 1; n <= 6 * parts; ++n) {
        test_solid_step(&solid, n * h);
        const double force = test_solid_press(&solid);
        if (force > 0.0)
            impact.duration = n * h / all;
        if (n * h > 0.1 * all && n * h < 0.9 * all) {
            impact.force += force / (rho * c * v / 2.0 * side * side);
            counted += 1;
        }
    }
    impact.force /= counted;
    impact.energy = energy_of(&kinetic) / begin;
    double mass[2] = {0.0, 0.0}, moment[2] = {0.0, 0.0};
    for (int32_t i = 0; i < solid.mesh.nodes; ++i) {
        const double m = stic_solid_mass(solid.system, i);
        mass[i >= half] += m;
        moment[i >= half] += m * solid.now->u[stic_solid_coordinate(solid.system, i, 0)];
    }
    impact.first = moment[0] / mass[0];
    impact.second = moment[1] / mass[1];
    printf("bars of %3d cells: force %.5f of rho c v A/2, contact %.4f of 2 L/c, velocities %.5f "
           "and %.5f, energy %.6f\n",
           parts, impact.force, impact.duration, impact.first, impact.second, impact.energy);
    test_solid_close(&solid);
    return impact;
}

static void bars(void** state)
{
    (void)state;
    Impact at[3];
    for (int k = 0; k < 3; ++k)
        at[k] = strike(10 << k);
    // an end of a bar is as heavy as half a cell: what its impact loses is of first order
    const double order = log2((1.0 - at[0].second) / (1.0 - at[2].second)) / 2.0;
    printf("velocity of order %.2f\n", order);
    test_near(at[2].force, 1.0, 0.02);
    test_near(at[2].duration, 1.0, 0.05);
    test_near(at[2].second, 1.0, 0.02);
    test_near(at[2].first, 0.0, 0.02);
    test_greater(order, 0.6);
    test_at_most(at[2].energy, 1.0 + 1e-12);
}

/* ---- contacts and energy ---- */

// a block that falls askew on a rough floor, bounces by its own elasticity and rocks: the scheme that
// keeps energy never gains any
static void dropped_block(void** state)
{
    (void)state;
    const SticSolidBox box = {.low = {0.0, 0.0, 0.02},
                              .high = {0.5, 0.25, 0.27},
                              .count = {3, 2, 2},
                              .kind = STIC_SOLID_HEX8};
    test_solid_open(&solid, &box, (SticSolidMaterial){STIC_SOLID_KIRCHHOFF, 1e6, 0.3, 1000.0});
    solid.def.gravity = stic_vec3(0.0, 0.0, -10.0);
    solid.obstacle[0] = (SticSolidObstacle){.normal = {0.1, 0.0, 1.0}, .friction = 0.3};
    solid.def.obstacles = 1;
    test_solid_start(&solid, "consistent", "");
    for (int32_t i = 0; i < solid.mesh.nodes; ++i)
        solid.now->u[stic_solid_coordinate(solid.system, i, 2)] = -1.0;
    double kinetic, last = energy_of(&kinetic), gained = 0.0, pressed = 0.0;
    const double begin = last;
    for (int n = 1; n <= 200; ++n) {
        test_solid_step(&solid, n * 1e-3);
        const double now = energy_of(&kinetic);
        gained = fmax(gained, now - last);
        last = now;
        pressed = fmax(pressed, solid.info.contacts);
    }
    printf("dropped block: energy %.6f J to %.6f J, gained %.1e J in a step at most, up to %g "
           "contacts\n",
           begin, last, gained, pressed);
    test_less(gained, 1e-12 * fabs(begin));
    test_greater(pressed, 0.0);
    test_solid_close(&solid);
}

/* ---- friction ---- */

// a stiff block that slides on a floor stops after v^2/(2 mu g), pressed by its weight
static void sliding_block(void** state)
{
    (void)state;
    const double v = 1.0, mu = 0.5, g = 10.0;
    const SticSolidBox box = {
        .high = {1.0, 1.0, 0.25}, .count = {4, 4, 1}, .kind = STIC_SOLID_HEX8};
    test_solid_open(&solid, &box, (SticSolidMaterial){STIC_SOLID_COROTATED, 1e8, 0.2, 1000.0});
    solid.def.gravity = stic_vec3(0.0, 0.0, -g);
    solid.obstacle[0] =
        (SticSolidObstacle){.normal = {0.0, 0.0, 1.0}, .friction = mu, .reach = 0.1};
    solid.def.obstacles = 1;
    test_solid_start(&solid, "theta", "theta=1");
    for (int32_t i = 0; i < solid.mesh.nodes; ++i)
        solid.now->u[stic_solid_coordinate(solid.system, i, 0)] = v;
    const double h = 1e-3;
    for (int n = 1; n <= 300; ++n)
        test_solid_step(&solid, n * h);
    double way = 0.0, mass = 0.0, kinetic;
    for (int32_t i = 0; i < solid.mesh.nodes; ++i) {
        const double m = stic_solid_mass(solid.system, i);
        mass += m;
        way += m * stic_solid_displacement(solid.system, solid.now, i).x;
    }
    energy_of(&kinetic);
    printf(
        "sliding block: stopped after %.6f m, v^2/(2 mu g) = %.6f m; kinetic energy left %.1e J, "
        "floor carries %.6f of its weight\n",
        way / mass, v * v / (2.0 * mu * g), kinetic, test_solid_press(&solid) / (mass * g));
    // first order in the step: v h/2
    test_near(way / mass, v * v / (2.0 * mu * g), 2.0 * v * h);
    test_less(kinetic, 1e-6);
    test_near(test_solid_press(&solid) / (mass * g), 1.0, 1e-4);
    test_solid_close(&solid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_motion),    cmocka_unit_test(energy_kept),
        cmocka_unit_test(stiff_spin),     cmocka_unit_test(drift),
        cmocka_unit_test(explicit_steps), cmocka_unit_test(bars),
        cmocka_unit_test(dropped_block),  cmocka_unit_test(sliding_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
