// SPDX-License-Identifier: Apache-2.0
// Rigid bodies in linear coordinates, x and F with six constraints: free rotation against the
// rotation matrix, contacts, joints, energy; measures against differences; flat bodies are refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "helpers/helpers.h"
#include "helpers/joints.h"
#include "math/math.h"

// run a world in the linear chart with a scheme
static void run_linear(TestWorld* tw, const char* scheme, const char* setting, double h)
{
    SticRunParts def = stic_run_default_parts();
    test_world_system(tw, STIC_CHART_LINEAR);
    tw->scheme = stic_scheme_find(scheme, &tw->error);
    def.system = tw->system;
    def.scheme = tw->scheme;
    if (tw->scheme->fields != NULL) {
        stic_fields_default(tw->scheme->fields, tw->settings);
        def.scheme_settings = tw->settings;
    }
    if (setting != NULL)
        TEST_TRY(tw, stic_fields_set(tw->scheme->fields, tw->settings, setting, "1", &tw->error));
    def.step = h;
    def.solve.tolerance = 1e-12;
    def.solve.max_iterations = 100000;
    TEST_TRY(tw, stic_run_assemble(&tw->context, &def, &tw->run, &tw->error));
    stic_world_start(tw->world, tw->system, stic_run_state(tw->run));
}

// |F'F - I| of a block
static double defect(const double* q)
{
    const SticMat3 F = stic_mat3_load(q + 3);
    return stic_mat3_norm(stic_mat3_sub(stic_mat3_transpose_mul(F, F), stic_mat3_identity()));
}

/* ---- free rotation ---- */

static SticBodyId add_box(TestWorld* tw)
{
    SticBodyDef def = stic_body_default_def();
    def.angular_velocity = stic_vec3(1.0, 6.0, 0.5);
    return test_world_add(tw, &def, test_world_box(tw, 0.3, 0.2, 0.1), (SticMaterialId){0, 0});
}

static SticMat3 free_reference(void)
{
    TestWorld tw;
    SticWorldDef def = stic_world_default_def();
    def.gravity = stic_vec3_zero();
    test_world_open(&tw, NULL, &def);
    const SticBodyId box = add_box(&tw);
    test_world_run(&tw, "koziara", "rotation=new3", 0x1p-15, 1e-12);
    test_world_steps(&tw, 1 << 15);
    const SticMat3 R = stic_world_pose(tw.system, stic_run_state(tw.run), box).F;
    test_world_close(&tw);
    return R;
}

static void free_rotation(void** state)
{
    (void)state;
    const SticMat3 exact = free_reference();
    static const char* const schemes[] = {"koziara", "theta", "decomposed"};
    for (int s = 0; s < 3; ++s) {
        double error[2], off = 0.0, energy = 0.0;
        for (int k = 0; k < 2; ++k) {
            TestWorld tw;
            SticWorldDef def = stic_world_default_def();
            def.gravity = stic_vec3_zero();
            test_world_open(&tw, NULL, &def);
            const SticBodyId box = add_box(&tw);
            const int steps = k == 0 ? 1 << 8 : 1 << 9;
            run_linear(&tw, schemes[s], NULL, 1.0 / steps);
            const double start = test_joint_energy(&tw);
            for (int i = 0; i < steps; ++i) {
                test_world_steps(&tw, 1);
                off = test_worse(off, defect(stic_run_state(tw.run)->q));
                energy = test_worse(energy, fabs(test_joint_energy(&tw) / start - 1.0));
            }
            const SticMat3 R = stic_world_pose(tw.system, stic_run_state(tw.run), box).F;
            error[k] = stic_mat3_norm(stic_mat3_sub(R, exact));
            test_world_close(&tw);
        }
        printf("free box, %-10s errors %.3g, %.3g, ratio %.2f; |F'F - I| %.1e, energy %.1e\n",
               schemes[s], error[0], error[1], error[0] / error[1], off, energy);
        test_greater(error[0] / error[1], 3.8);
        test_less(error[0] / error[1], 4.2);
        // midpoint rules keep quadratic constraints, koziara's mid-step is half a step ahead
        test_less(off, (s == 0 ? 1e-2 : 1e-10));
        test_less(energy, 1e-9);
    }
}

/* ---- contacts and joints ---- */

static void comes_to_rest(void** state)
{
    (void)state;
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    test_world_plane(&tw, stic_vec3(0.0, 0.0, 1.0), 0.0, (SticMaterialId){0, 0});
    SticBodyDef def = stic_body_default_def();
    def.position = stic_vec3(0.0, 0.0, 0.35);
    def.velocity = stic_vec3(0.5, 0.0, 0.0);
    def.orientation = test_turn(stic_vec3(1.0, 0.5, 0.0), 0.3);
    const SticBodyId box =
        test_world_add(&tw, &def, test_world_box(&tw, 0.2, 0.2, 0.1), (SticMaterialId){0, 0});
    def.position = stic_vec3(1.5, 0.0, 0.3);
    const SticBodyId ball =
        test_world_add(&tw, &def, test_world_sphere(&tw, 0.1), (SticMaterialId){0, 0});
    run_linear(&tw, "theta", NULL, 2e-3);
    test_world_steps(&tw, 1000);
    const SticVec3 place = test_world_place(&tw, box), round = test_world_place(&tw, ball);
    const double tilt = stic_world_pose(tw.system, stic_run_state(tw.run), box).F.m[2][2];
    const SticTwist roll = test_world_motion(&tw, ball);
    printf("box at rest: height %.6f, axis %.9f; ball rolls at %.6f m/s, spin %.6f rad/s\n",
           place.z, tilt, roll.velocity.x, roll.angular_velocity.y);
    // contacts are met within a step: 2.2 m/s times 2 ms
    test_near(place.z, 0.1, 4.5e-3);
    test_greater(tilt, 1.0 - 1e-4);
    // a ball that slides at 0.5 m/s ends up rolling at 5/7 of it
    test_near(roll.velocity.x, 0.5 * 5.0 / 7.0, 1e-2);
    test_near(round.z, 0.1, 4.5e-3);
    test_less(fabs(roll.velocity.x - 0.1 * roll.angular_velocity.y), 1e-3);
    test_world_close(&tw);
}

// a bar on a hinge falls from the horizontal; reference: the pendulum's equation
static double door(const char* scheme, double h)
{
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    const SticBodyId bar =
        test_joint_body(&tw, 2.0, stic_vec3(0.01, 0.1654, 0.1664), stic_vec3(0.5, 0.0, 0.0));
    const SticJointDef def =
        test_joint_def(&tw, STIC_JOINT_HINGE, bar, stic_vec3_zero(), stic_vec3(0.0, 1.0, 0.0));
    const SticJointId hinge = test_joint_add(&tw, &def);
    run_linear(&tw, scheme, NULL, h);
    test_world_steps(&tw, (int)lround(0.5 / h));
    const double angle = stic_world_joint(tw.system, stic_run_state(tw.run), hinge).coordinate;
    test_world_close(&tw);
    return angle;
}

static void hinge(void** state)
{
    (void)state;
    // th'' = m g l sin(pi/2 - th) / J with l = 1/2, J = 0.1654 + 2/4
    double th = 0.0, w = 0.0;
    const double c = 2.0 * 9.81 * 0.5 / (0.1654 + 0.5), dt = 0.5 / 20000;
    for (int i = 0; i < 20000; ++i) {
        const double a1 = c * cos(th), b1 = w, a2 = c * cos(th + 0.5 * dt * b1),
                     b2 = w + 0.5 * dt * a1;
        const double a3 = c * cos(th + 0.5 * dt * b2), b3 = w + 0.5 * dt * a2;
        const double a4 = c * cos(th + dt * b3), b4 = w + dt * a3;
        th += dt / 6.0 * (b1 + 2.0 * b2 + 2.0 * b3 + b4);
        w += dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    static const char* const schemes[] = {"koziara", "theta"};
    for (int s = 0; s < 2; ++s) {
        const double one = fabs(door(schemes[s], 0x1p-8) - th),
                     two = fabs(door(schemes[s], 0x1p-9) - th);
        printf("door, %-8s angle %.8f, errors %.3g, %.3g, ratio %.2f\n", schemes[s], th, one, two,
               one / two);
        test_greater(one / two, 3.8);
        test_less(one / two, 4.2);
    }
}

static void flat_bodies(void** state)
{
    (void)state;
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    test_joint_body(&tw, 1.0, stic_vec3(0.1, 0.2, 0.3), stic_vec3_zero());
    assert_int_equal(stic_world_system(tw.world, STIC_CHART_LINEAR, &tw.system, &tw.error),
                     STIC_UNSUPPORTED);
    printf("%s\n", tw.error.text);
    test_world_close(&tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_rotation),
        cmocka_unit_test(comes_to_rest),
        cmocka_unit_test(hinge),
        cmocka_unit_test(flat_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
