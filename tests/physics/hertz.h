// SPDX-License-Identifier: Apache-2.0
// A rigid ball pressed into a quarter of an elastic half-space, against Hertz (1882).
#ifndef STIC_TESTS_PHYSICS_HERTZ_H
#define STIC_TESTS_PHYSICS_HERTZ_H

#include "physics/solids.h"

#include "math/math.h"

/// Errors relative to Hertz.
typedef struct TestHertz {
    double force;    ///< of the force for the given approach
    double pressure; ///< root of the mean square of the pressures, relative to the largest
    double peak;     ///< of the pressure in the middle
} TestHertz;

// place of node k of n + 1 on [0, length], the first cell of the size `first`
static inline double test_hertz_grade(int32_t n, int32_t k, double first, double length)
{
    // first (q^n - 1)/(q - 1) = length by bisection
    double low = 1.0 + 1e-9, high = 4.0;
    for (int i = 0; i < 100; ++i) {
        const double q = 0.5 * (low + high);
        if (first * (pow(q, n) - 1.0) / (q - 1.0) < length)
            low = q;
        else
            high = q;
    }
    return first * (pow(low, k) - 1.0) / (low - 1.0);
}

// displacement of a half-space z < 0 under a force F along -z at the origin (Boussinesq 1885)
static inline SticVec3 test_hertz_boussinesq(SticVec3 x, double F, double G, double nu)
{
    const double depth = -x.z, r = hypot(x.x, x.y), rho = hypot(r, depth);
    const double c = F / (4.0 * STIC_PI * G);
    const double out = c * (depth / (rho * rho * rho) - (1.0 - 2.0 * nu) / (rho * (rho + depth)));
    return stic_vec3(out * x.x, out * x.y,
                     -c * (depth * depth / (rho * rho * rho) + 2.0 * (1.0 - nu) / rho));
}

/// `fine` cells along the radius of the contact, `n` in all along each axis.
static inline TestHertz test_hertz(TestSolid* solid, int32_t n, int32_t fine)
{
    const double E = 1e9, nu = 0.3, R = 1.0, d = 1e-4, a = sqrt(R * d), L = 20.0 * a;
    const double stiff = E / (1.0 - nu * nu), F = 4.0 / 3.0 * stiff * sqrt(R * d) * d;
    const double peak = 1.5 * F / (STIC_PI * a * a);
    const SticSolidBox box = {.low = {0.0, 0.0, -(double)n},
                              .high = {(double)n, (double)n, 0.0},
                              .count = {n, n, n},
                              .kind = STIC_SOLID_HEX8};
    test_solid_open(solid, &box, (SticSolidMaterial){STIC_SOLID_LINEAR, E, nu, 1.0});
    for (int32_t i = 0; i < solid->mesh.nodes; ++i) {
        double* x[3] = {&solid->mesh.node[i].x, &solid->mesh.node[i].y, &solid->mesh.node[i].z};
        for (int axis = 0; axis < 3; ++axis) {
            const double sign = axis == 2 ? -1.0 : 1.0;
            *x[axis] = sign * test_hertz_grade(n, (int32_t)(fabs(*x[axis]) + 0.5), a / fine, L);
        }
    }
    // far away the force is a point; the planes of symmetry hold
    for (int32_t i = 0; i < solid->mesh.nodes; ++i) {
        const SticVec3 x = solid->mesh.node[i];
        const bool far = x.x > 0.999 * L || x.y > 0.999 * L || x.z < -0.999 * L;
        const uint8_t axes =
            (uint8_t)(far ? STIC_SOLID_XYZ
                          : (x.x == 0.0 ? STIC_SOLID_X : 0) | (x.y == 0.0 ? STIC_SOLID_Y : 0));
        if (axes == 0)
            continue;
        assert_true(solid->def.supports < TEST_SOLID_MOST);
        solid->support[solid->def.supports++] = (SticSolidSupport){
            i, axes,
            far ? test_hertz_boussinesq(x, F, E / (2.0 + 2.0 * nu), nu) : stic_vec3_zero()};
    }
    solid->obstacle[0] = (SticSolidObstacle){
        .place = {0.0, 0.0, R}, .velocity = {0.0, 0.0, -d}, .radius = R, .reach = 2.0 * d};
    solid->def.obstacles = 1;
    test_solid_start(solid, "quasi-static", "inertia=none iterations=3 drop=0");
    solid->stepper->solve.settings.tolerance = 1e-10;
    test_solid_step(solid, 1.0);

    // pressures from the shares of nodes in the area
    double *area = NULL, squares = 0.0, all = 0.0, middle = 0.0;
    assert_int_equal(STIC_ALLOCATE(&solid->context, &area, (size_t)solid->mesh.nodes), STIC_OK);
    assert_int_equal(
        stic_solid_areas(&solid->mesh, stic_vec3(0.0, 0.0, 1.0), 0.0, area, &solid->error),
        STIC_OK);
    const SticStepRecord* record = &solid->record;
    for (int32_t i = 0; i < record->set.count; ++i) {
        int32_t node = 0;
        while (stic_solid_coordinate(solid->system, node, 2) !=
               solid->system->layout.u_at[record->set.interaction[i].block[0] + 1] - 1)
            node += 1;
        const SticVec3 x = solid->mesh.node[node];
        const double s = (x.x * x.x + x.y * x.y) / (a * a);
        const double p = record->r[record->set.row_at[i]] / record->h / area[node];
        const double off = p / peak - (s < 1.0 ? sqrt(1.0 - s) : 0.0);
        if (s == 0.0)
            middle = p / peak - 1.0;
        squares += area[node] * off * off;
        all += s < 1.0 ? area[node] : 0.0;
    }
    const TestHertz result = {4.0 * test_solid_press(solid) / F - 1.0, sqrt(squares / all), middle};
    printf("Hertz, %d^3 cells, %d along the radius: force off by %.4f, pressures by %.4f (root of "
           "the mean square), in the middle by %.4f\n",
           n, fine, result.force, result.pressure, result.peak);
    STIC_RELEASE(&solid->context, area, (size_t)solid->mesh.nodes);
    test_solid_close(solid);
    return result;
}

#endif
