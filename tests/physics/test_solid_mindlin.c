// SPDX-License-Identifier: Apache-2.0
// Two equal elastic bodies pressed together, then pushed sideways: partial slip against Cattaneo (1938) and Mindlin (1949).
//
// Equal bodies: pressures move both surfaces sideways alike, and shear moves both normally alike, so that the theory's
// neglect of that coupling is exact. Far away the forces are points (Boussinesq, Cerruti), and the bodies have approached
// by a^2/R and moved apart by delta. Half of the model, y >= 0.
#include "physics/hertz.h"

static TestSolid solid;

static const double E = 1e9, nu = 0.3, R = 1.0, a = 1e-2, mu = 0.3;

// displacement of a half-space z < 0 under a force Q along x at the origin (Cerruti 1882)
static SticVec3 cerruti(SticVec3 x, double Q)
{
    const double depth = -x.z, rho = stic_vec3_norm(x), sum = rho + depth;
    const double c = Q / (4.0 * STIC_PI * E / (2.0 + 2.0 * nu)), k = 1.0 - 2.0 * nu;
    const double cube = rho * rho * rho;
    return stic_vec3(
        c * (1.0 / rho + x.x * x.x / cube + k * (1.0 / sum - x.x * x.x / (rho * sum * sum))),
        c * (x.x * x.y / cube - k * x.x * x.y / (rho * sum * sum)),
        -c * (x.x * depth / cube + k * x.x / (rho * sum)));
}

// far displacements of the lower body, which the upper one has turned by half a turn about y
static SticVec3 far_away(SticVec3 x, double F, double Q, double approach, double slip)
{
    const bool upper = x.z > 0.0;
    const SticVec3 at = upper ? stic_vec3(-x.x, x.y, -x.z) : x;
    SticVec3 u = test_hertz_boussinesq(at, F, E / (2.0 + 2.0 * nu), nu);
    if (Q > 0.0)
        u = stic_vec3_add(u, cerruti(at, Q));
    u = stic_vec3_add(u, stic_vec3(-0.5 * slip, 0.0, 0.5 * approach));
    return upper ? stic_vec3(-u.x, u.y, -u.z) : u;
}

static double grade(int32_t n, double place, double first, double length)
{
    const double at = test_hertz_grade(n, (int32_t)(fabs(place) + 0.5), first, length);
    return place < 0.0 ? -at : at;
}

static void build(int32_t n, int32_t fine)
{
    const double L = 20.0 * a;
    const SticSolidMaterial material = {STIC_SOLID_LINEAR, E, nu, 1.0};
    SticSolidMesh other;
    SticSolidBox box = {.low = {-(double)n, 0.0, -(double)n},
                        .high = {(double)n, (double)n, 0.0},
                        .count = {2 * n, n, n},
                        .kind = STIC_SOLID_HEX8};
    test_solid_open(&solid, &box, material);
    const int32_t lower = solid.mesh.nodes;
    box.low.z = 0.0;
    box.high.z = (double)n;
    assert_int_equal(stic_solid_box(&solid.context, &box, &other, &solid.error), STIC_OK);
    assert_int_equal(stic_solid_mesh_append(&solid.mesh, &other, &solid.error), STIC_OK);
    stic_solid_mesh_release(&other);
    for (int32_t i = 0; i < solid.mesh.nodes; ++i) {
        SticVec3* x = &solid.mesh.node[i];
        x->x = grade(n, x->x, a / fine, L);
        x->y = grade(n, x->y, a / fine, L);
        x->z = grade(n, x->z, a / fine, L);
    }
    // surfaces face each other node by node
    for (int32_t i = 0; i < lower; ++i) {
        const SticVec3 x = solid.mesh.node[i];
        for (int32_t j = lower; x.z == 0.0 && hypot(x.x, x.y) < 1.8 * a && j < solid.mesh.nodes;
             ++j) {
            const SticVec3 y = solid.mesh.node[j];
            if (y.z == 0.0 && y.x == x.x && y.y == x.y)
                solid.pair[solid.def.pairs++] = (SticSolidPair){{j, i}, {0.0, 0.0, 1.0}, mu};
        }
    }
    // the upper one is round
    for (int32_t j = lower; j < solid.mesh.nodes; ++j) {
        SticVec3* x = &solid.mesh.node[j];
        x->z += (x->x * x->x + x->y * x->y) / (2.0 * R) * (1.0 - x->z / L);
    }
}

// supports of both steps: what they have moved at the end of the step that ends at t
static void hold(double F, double Q, double slip, double t)
{
    const double L = 20.0 * a;
    solid.def.supports = 0;
    for (int32_t i = 0; i < solid.mesh.nodes; ++i) {
        const SticVec3 x = solid.mesh.node[i];
        const bool far = fabs(x.x) > 0.999 * L || x.y > 0.999 * L || fabs(x.z) > 0.999 * L;
        if (!far && x.y != 0.0)
            continue;
        assert_true(solid.def.supports < TEST_SOLID_MOST);
        solid.support[solid.def.supports++] = (SticSolidSupport){
            i, (uint8_t)(far ? STIC_SOLID_XYZ : STIC_SOLID_Y),
            far ? stic_vec3_scale(1.0 / t, far_away(x, F, Q, a * a / R, slip)) : stic_vec3_zero()};
    }
}

// forces of the last step, of the whole: normal and along x
static void sum_forces(double* normal, double* along)
{
    *normal = *along = 0.0;
    const SticStepRecord* record = &solid.record;
    for (int32_t i = 0; i < record->set.count; ++i) {
        const int32_t row = record->set.row_at[i], block = record->set.interaction[i].block[0];
        // nodes of the plane of symmetry move in two coordinates: their forces count as they are,
        // since the model has half of their area
        *normal += 2.0 * record->r[row] / record->h;
        const SticLayout* layout = &solid.system->layout;
        double push = 0.0;
        for (int32_t e = record->Ht.begin[i]; e < record->Ht.begin[i + 1]; ++e) {
            if (record->Ht.col[e] != block)
                continue;
            const int32_t n = layout->u_at[block + 1] - layout->u_at[block];
            const double* H = record->Ht.value + record->Ht.value_at[e];
            for (int32_t k = row; k < record->set.row_at[i + 1]; ++k)
                push += H[(k - row) * n] * record->r[k];
        }
        *along += 2.0 * push / record->h;
    }
}

// relative errors of the normal and the tangential force
static void mindlin(int32_t n, int32_t fine, double part, double error[2])
{
    const double stiff = E / (2.0 * (1.0 - nu * nu)), G = E / (2.0 + 2.0 * nu);
    const double F = 4.0 / 3.0 * stiff * a * a * a / R, Q = part * mu * F;
    const double slip =
        3.0 * mu * F / (8.0 * a) * (2.0 - nu) / G * (1.0 - pow(1.0 - part, 2.0 / 3.0));
    double normal = 0.0, along = 0.0;
    build(n, fine);
    hold(F, 0.0, 0.0, 1.0);
    test_solid_start(&solid, "quasi-static", "inertia=none iterations=2 drop=0");
    solid.stepper->solve.settings.tolerance = 1e-9;
    test_solid_step(&solid, 1.0);
    sum_forces(&normal, &along);
    error[0] = normal / F - 1.0;
    // the same solid whose far nodes go on sideways
    SticSystem* pressed = solid.system;
    SticSystem* pushed = NULL;
    hold(F, Q, slip, 2.0);
    assert_int_equal(stic_solid_create(&solid.context, &solid.def, &pushed, &solid.error), STIC_OK);
    solid.system = pushed;
    test_solid_step(&solid, 2.0);
    sum_forces(&normal, &along);
    error[1] = fabs(along) / Q - 1.0;
    printf("Mindlin, Q = %.2f mu F, %d cells along the radius: normal force off by %.4f, "
           "tangential by %.4f\n",
           part, fine, error[0], error[1]);
    stic_solid_destroy(pressed);
    test_solid_close(&solid);
}

static void partial_slip(void** state)
{
    (void)state;
    double coarse[2], fine[2], most[2];
    mindlin(7, 2, 0.5, coarse);
    mindlin(9, 4, 0.5, fine);
    mindlin(9, 4, 0.8, most);
    const double order = log2(fabs(coarse[1] / fine[1]));
    printf("order of the tangential force %.2f\n", order);
    test_less(fabs(fine[0]), 0.02);
    test_less(fabs(fine[1]), 0.05);
    test_less(fabs(most[1]), 0.02);
    test_greater(order, 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(partial_slip)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
