// SPDX-License-Identifier: Apache-2.0
// Pseudo-rigid balls: under F they are ellipsoids. Contacts against the support function and
// against rigid ellipsoids of the same form, stress under weight by formula, rolling, bouncing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "helpers/world.h"
#include "math/math.h"

static const double g = 9.81, density = 2200.0, radius = 0.1;
static const SticMaterialId own = {0, 0};

static void open_world(TestWorld* tw, double mu, SticVec3 gravity)
{
    SticWorldDef def = stic_world_default_def();
    def.gravity = gravity;
    def.material.density = density;
    def.material.surface.friction = mu;
    test_world_open(tw, NULL, &def);
}

static SticBodyId add_ball(TestWorld* tw, SticElastic elastic, SticVec3 place, SticVec3 velocity)
{
    SticBodyDef def = stic_body_default_def();
    def.kind = STIC_BODY_PSEUDO_RIGID;
    def.elastic = elastic;
    def.position = place;
    def.velocity = velocity;
    return test_world_add(tw, &def, test_world_sphere(tw, radius), own);
}

static const SticShape* add_ellipsoid(TestWorld* tw, SticVec3 axes)
{
    TEST_TRY(tw,
             stic_shape_create_ellipsoid(&tw->context, axes, &tw->shape[tw->shapes], &tw->error));
    return tw->shape[tw->shapes++];
}

/* ---- form ---- */

// a stretched and turned ball over a plane: its depth is that of the support function |F'n| r
static void depth_on_plane(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(4);
    const SticElastic elastic = {1e5, 0.3};
    double worst = 0.0;
    for (int trial = 0; trial < 50; ++trial) {
        TestWorld tw;
        SticMat3 F = stic_mat3_identity();
        for (int k = 0; k < 9; ++k)
            F.m[k / 3][k % 3] += 0.3 * (2.0 * stic_random_uniform(&random) - 1.0);
        const SticVec3 row = stic_vec3(F.m[2][0], F.m[2][1], F.m[2][2]);
        const double depth = 0.01 * radius, high = radius * stic_vec3_norm(row);
        open_world(&tw, 0.5, stic_vec3_zero());
        test_world_plane(&tw, stic_vec3(0.0, 0.0, 1.0), 0.0, own);
        add_ball(&tw, elastic, stic_vec3(0.3, 0.2, high - depth), stic_vec3_zero());
        test_world_run(&tw, "koziara", "", 1e-5, 1e-10);
        stic_mat3_store(F, stic_run_state(tw.run)->q + 3);
        test_world_steps(&tw, 1);
        assert_int_equal(tw.info.contacts, 1);
        worst = test_worse(worst, fabs(tw.info.penetration / depth - 1.0));
        test_world_close(&tw);
    }
    printf("depth of deformed balls on a plane: off by %.1e of it\n", worst);
    test_less(worst, 1e-12);
}

// ball with F = Q diag(a) Q' against a rigid ellipsoid, or a rigid ellipsoid in its place
static double pair_depth(bool deforms, SticVec3 a, SticQuat turn, SticVec3 away)
{
    TestWorld tw;
    const SticElastic elastic = {1e5, 0.3};
    open_world(&tw, 0.5, stic_vec3_zero());
    SticBodyDef def = stic_body_default_def();
    def.kind = STIC_BODY_FIXED;
    def.orientation = test_turn(stic_vec3(1.0, 2.0, -0.5), 0.7);
    test_world_add(&tw, &def, add_ellipsoid(&tw, stic_vec3(0.2, 0.1, 0.15)), own);
    if (deforms) {
        add_ball(&tw, elastic, away, stic_vec3_zero());
    } else {
        def = stic_body_default_def();
        def.position = away;
        def.orientation = turn;
        test_world_add(&tw, &def, add_ellipsoid(&tw, stic_vec3_scale(radius, a)), own);
    }
    test_world_run(&tw, "koziara", "", 1e-5, 1e-10);
    if (deforms) {
        const SticMat3 Q = stic_quat_to_matrix(turn);
        stic_mat3_store(stic_mat3_mul_transpose(stic_mat3_mul(Q, stic_mat3_diag(a)), Q),
                        stic_run_state(tw.run)->q + 3);
    }
    test_world_steps(&tw, 1);
    const double depth = tw.info.contacts == 1 ? tw.info.penetration : 0.0;
    test_world_close(&tw);
    return depth;
}

static void depth_of_pairs(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(8);
    double worst = 0.0;
    int touching = 0;
    for (int trial = 0; trial < 60; ++trial) {
        double x[9];
        for (int k = 0; k < 9; ++k)
            x[k] = 2.0 * stic_random_uniform(&random) - 1.0;
        const SticVec3 a = stic_vec3(1.0 + 0.3 * x[0], 1.0 + 0.3 * x[1], 1.0 + 0.3 * x[2]);
        const SticQuat turn = test_turn(stic_vec3(x[3], x[4], x[5]), 1.0 + x[6]);
        const SticVec3 away =
            stic_vec3_scale(0.2, stic_vec3_normalize(stic_vec3(x[6], x[7], x[8])));
        const double one = pair_depth(true, a, turn, away), two = pair_depth(false, a, turn, away);
        test_equal((one > 0.0), (two > 0.0));
        touching += two > 0.0;
        worst = test_worse(worst, fabs(one - two));
    }
    printf("deformed balls and rigid ellipsoids of the same form on an ellipsoid: %d of 60 touch, "
           "depths differ by %.1e m\n",
           touching, worst);
    test_greater(touching, 10);
    test_less(worst, 1e-11);
}

/* ---- weight ---- */

// the reaction N acts at Y = -r e_z: V0 P = N e_z Y' gives P_zz = -rho g r
static void stress_of_weight(void** state)
{
    (void)state;
    TestWorld tw;
    const SticElastic elastic = {1e7, 0.2};
    open_world(&tw, 0.0, stic_vec3(0.0, 0.0, -g));
    test_world_plane(&tw, stic_vec3(0.0, 0.0, 1.0), 0.0, own);
    const SticBodyId ball = add_ball(&tw, elastic, stic_vec3(0.0, 0.0, radius), stic_vec3_zero());
    test_world_run(&tw, "quasi-static", "", 0.01, 1e-12);
    test_world_steps(&tw, 100);
    const SticMat3 sigma = stic_world_stress(tw.system, stic_run_state(tw.run), ball);
    const double P = -density * g * radius, strain = P / elastic.young;
    const double wide = 1.0 - elastic.poisson * strain, high = test_world_place(&tw, ball).z;
    printf("ball: sigma_zz %.6f (%.6f) Pa, sigma_xx %.2g, height of the centre %.9f (%.9f)\n",
           sigma.m[2][2], P / (wide * wide), sigma.m[0][0], high, radius * (1.0 + strain));
    // second order of the strain, 2e-4
    test_less(fabs(sigma.m[2][2] * wide * wide / P - 1.0), 1e-6);
    test_less(fabs(sigma.m[0][0]), 1e-6 * fabs(P));
    test_less(fabs(high - radius * (1.0 + strain)), 1e-6 * radius);
    test_world_close(&tw);
}

/* ---- motion ---- */

// a stiff ball rolls down a slope as a rigid one, x = 5/14 g sin t^2
static void rolling(void** state)
{
    (void)state;
    const double angle = 0.3, end = 0.5;
    double error[2];
    for (int k = 0; k < 2; ++k) {
        TestWorld tw;
        const SticElastic elastic = {k == 0 ? 1e7 : 1e8, 0.2};
        open_world(&tw, 0.5, stic_vec3(g * sin(angle), 0.0, -g * cos(angle)));
        test_world_plane(&tw, stic_vec3(0.0, 0.0, 1.0), 0.0, own);
        const SticBodyId ball =
            add_ball(&tw, elastic, stic_vec3(0.0, 0.0, radius), stic_vec3_zero());
        const int steps = k == 0 ? 2500 : 10000;
        test_world_run(&tw, "koziara", "", end / steps, 1e-10);
        test_world_steps(&tw, steps);
        const double exact = 5.0 / 14.0 * g * sin(angle) * end * end;
        const SticVec3 place = test_world_place(&tw, ball);
        error[k] = fabs(place.x / exact - 1.0);
        printf("ball on a slope, E = %.0e: x %.7f (%.7f), y %.1e, sunk %.1e\n", elastic.young,
               place.x, exact, place.y, radius - place.z);
        test_less(fabs(place.y), 1e-9);
        test_world_close(&tw);
    }
    // flattening and swinging of rho g r / E = 2e-4 and 2e-5
    test_less(error[0], 2.2e-4);
    test_less(error[1], 2.2e-5);
}

// two balls against each other without restitution: what the contact takes never comes back, and
// the momenta stay opposite
static void bounce(void** state)
{
    (void)state;
    TestWorld tw;
    const SticElastic elastic = {1e6, 0.2};
    open_world(&tw, 0.3, stic_vec3_zero());
    const SticBodyId left = add_ball(&tw, elastic, stic_vec3(-radius - 1e-3, 0.0, 0.0),
                                     stic_vec3(1.0, 0.2, 0.0)),
                     right = add_ball(&tw, elastic, stic_vec3(radius + 1e-3, 0.01, 0.0),
                                      stic_vec3(-1.0, -0.2, 0.0));
    test_world_run(&tw, "koziara", "", 1e-5, 1e-10);
    test_world_steps(&tw, 4000);
    const SticVec3 a = test_world_motion(&tw, left).velocity,
                   b = test_world_motion(&tw, right).velocity;
    const SticLedger* ledger = &stic_run_totals(tw.run)->ledger;
    const double energy = stic_run_totals(tw.run)->energy_start;
    printf("two balls: leave with (%.4f, %.4f) and (%.4f, %.4f) m/s; contact %.3g, friction %.3g, "
           "integration %.1e of %.3g J\n",
           a.x, a.y, b.x, b.y, ledger->impact, ledger->friction, ledger->integration, energy);
    test_less(a.x, -0.1);
    test_greater(b.x, 0.1);
    test_less(stic_vec3_norm(stic_vec3_add(a, b)), 1e-9);
    test_less(ledger->impact, 0.0);
    test_at_most(ledger->friction, 0.0);
    test_less(fabs(ledger->integration), 1e-3 * energy);
    test_world_close(&tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_on_plane),   cmocka_unit_test(depth_of_pairs),
        cmocka_unit_test(stress_of_weight), cmocka_unit_test(rolling),
        cmocka_unit_test(bounce),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
