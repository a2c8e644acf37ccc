// SPDX-License-Identifier: Apache-2.0
// Bad input to worlds and runs: a clear sentence, and a world that can still be used.
#include "helpers/helpers.h"
#include "helpers/joints.h"
#include "world/world.h"

static const SticMaterialId own = {0, 0};

// the world still runs: a ball falls for a tenth of a second
static void assert_usable(TestWorld* tw, SticBodyId ball)
{
    const double z = stic_world_pose(tw->system, stic_run_state(tw->run), ball).origin.z;
    test_world_steps(tw, 100);
    test_less(test_world_place(tw, ball).z, z - 0.04);
}

static void expect(TestWorld* tw, SticStatus status, SticStatus wanted, const char* word)
{
    print_message("%s\n", tw->error.text);
    assert_int_equal(status, wanted);
    assert_non_null(strstr(tw->error.text, word));
}

static void test_singular_inertia(void** unused)
{
    (void)unused;
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    const SticBodyId ball =
        test_world_body(&tw, test_world_sphere(&tw, 0.1), stic_vec3(0, 0, 9), stic_vec3_zero());
    // a needle without extent across, a sheet of negative inertia, a value that is no number
    static const SticMat3 bad[] = {{{{0, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                                   {{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                                   {{{1, 0, 0}, {0, (double)NAN, 0}, {0, 0, 1}}}};
    for (int k = 0; k < 3; ++k) {
        SticBodyDef def = stic_body_default_def();
        SticBodyId id = {0, 0};
        def.name = "needle";
        def.mass = 1.0;
        def.inertia = bad[k];
        SticStatus status = stic_body_create(tw.world, &def, &id, &tw.error);
        if (status == STIC_OK)
            status = stic_world_system(tw.world, STIC_CHART_ROTATION, &tw.system, &tw.error);
        assert_true(status != STIC_OK && tw.system == NULL);
        expect(&tw, status, status, "needle");
        if (stic_body_is_valid(tw.world, id))
            TEST_TRY(&tw, stic_body_destroy(tw.world, id, &tw.error));
    }
    test_world_run(&tw, "koziara", NULL, 1e-3, 1e-8);
    assert_usable(&tw, ball);
    test_world_close(&tw);
}

static void test_overlapping_start(void** unused)
{
    (void)unused;
    // two cubes that share half of their volume: said, not pushed apart, no energy gained
    static const char* const schemes[] = {"koziara", "moreau", "consistent"};
    for (int s = 0; s < 3; ++s) {
        TestWorld tw;
        test_world_open(&tw, NULL, NULL);
        stic_world_set_gravity(tw.world, stic_vec3_zero());
        const SticShape* cube = test_world_box(&tw, 0.5, 0.5, 0.5);
        SticBodyId id[2];
        for (int k = 0; k < 2; ++k)
            id[k] = test_world_body(&tw, cube, stic_vec3(0.1 * k, 0.05 * k, 0.5 * k),
                                    stic_vec3(0, 0, k == 0 ? 0.2 : -0.2));
        test_world_run(&tw, schemes[s], NULL, 1e-3, 1e-10);
        test_world_steps(&tw, 1);
        print_message("%s: overlap of %.3f m is told\n", schemes[s], tw.info.penetration);
        test_less(fabs(tw.info.penetration - 0.5), 1e-3);
        test_world_steps(&tw, 500);
        const double kinetic = stic_run_totals(tw.run)->ledger.kinetic;
        test_at_most(kinetic, 1e-9);
        for (int k = 0; k < 2; ++k)
            test_less(stic_vec3_norm(test_world_motion(&tw, id[k]).velocity), 0.3);
        test_world_close(&tw);
    }
}

static void test_contradictory_joints(void** unused)
{
    (void)unused;
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    const SticBodyId ball =
        test_world_body(&tw, test_world_sphere(&tw, 0.1), stic_vec3(5, 0, 9), stic_vec3_zero());
    const SticBodyId arm = test_world_body(&tw, test_world_box(&tw, 0.5, 0.1, 0.1),
                                           stic_vec3(0, 0, 1), stic_vec3_zero());
    // a slider whose two drives want different speeds
    SticJointDef def = stic_joint_default_def();
    SticJointId id;
    def.kind = STIC_JOINT_SLIDER;
    def.body[0] = arm;
    TEST_TRY(&tw,
             stic_joint_place(tw.world, stic_vec3(0, 0, 1), stic_vec3(1, 0, 0), &def, &tw.error));
    def.driven = true;
    for (int k = 0; k < 2; ++k) {
        def.drive = (SticDrive){.speed = 1.0 + k};
        TEST_TRY(&tw, stic_joint_create(tw.world, &def, &id, &tw.error));
    }
    SticRunParts run = stic_run_default_parts();
    test_world_system(&tw, STIC_CHART_ROTATION);
    run.system = tw.system;
    run.scheme = stic_scheme_find("koziara", NULL);
    run.step = 1e-3;
    run.solve.tolerance = 1e-8;
    run.solve.max_iterations = 2000;
    run.policy = STIC_POLICY_STOP;
    TEST_TRY(&tw, stic_run_assemble(&tw.context, &run, &tw.run, &tw.error));
    stic_world_start(tw.world, tw.system, stic_run_state(tw.run));
    const uint64_t hash = stic_run_hash(tw.run);
    const SticStatus status = stic_run_step(tw.run, &tw.info);
    print_message("%s\n", tw.info.error.text);
    assert_int_equal(status, STIC_STEP_FAILED);
    test_equal(stic_run_hash(tw.run), hash);
    // without one of them the same world runs
    stic_run_destroy(tw.run);
    stic_world_system_destroy(tw.system);
    tw.run = NULL;
    tw.system = NULL;
    TEST_TRY(&tw, stic_joint_destroy(tw.world, id, &tw.error));
    test_world_run(&tw, "koziara", NULL, 1e-3, 1e-8);
    assert_usable(&tw, ball);
    test_less(fabs(test_world_motion(&tw, arm).velocity.x - 1.0), 1e-6);
    test_world_close(&tw);
}

static void test_steps_and_forces(void** unused)
{
    (void)unused;
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    test_world_plane(&tw, stic_vec3(0, 0, 1), 0.0, own);
    const SticBodyId ball =
        test_world_body(&tw, test_world_sphere(&tw, 0.1), stic_vec3(0, 0, 9), stic_vec3_zero());
    test_world_system(&tw, STIC_CHART_ROTATION);
    static const double steps[] = {0.0, -1e-3, (double)NAN, (double)INFINITY};
    for (int k = 0; k < 4; ++k) {
        SticRunParts run = stic_run_default_parts();
        run.system = tw.system;
        run.scheme = stic_scheme_find("koziara", NULL);
        run.step = steps[k];
        expect(&tw, stic_run_assemble(&tw.context, &run, &tw.run, &tw.error), STIC_BAD_ARGUMENT,
               "step");
        assert_null(tw.run);
    }
    stic_world_system_destroy(tw.system);
    tw.system = NULL;
    test_world_run(&tw, "koziara", NULL, 1e-3, 1e-8);
    test_world_steps(&tw, 10);
    const uint64_t hash = stic_run_hash(tw.run);
    expect(&tw,
           stic_body_set_force(tw.world, ball, stic_vec3((double)NAN, 0, 0), stic_vec3_zero(),
                               &tw.error),
           STIC_NOT_FINITE, "not finite");
    // past the refusal, as if it had gone wrong on its way
    tw.world->body[ball.index].def.force = stic_vec3((double)NAN, 0, 0);
    assert_int_equal(stic_run_step(tw.run, &tw.info), STIC_NOT_FINITE);
    print_message("%s\n", tw.info.error.text);
    test_equal(stic_run_hash(tw.run), hash);
    TEST_TRY(&tw,
             stic_body_set_force(tw.world, ball, stic_vec3_zero(), stic_vec3_zero(), &tw.error));
    assert_usable(&tw, ball);
    test_world_close(&tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_singular_inertia),
        cmocka_unit_test(test_overlapping_start),
        cmocka_unit_test(test_contradictory_joints),
        cmocka_unit_test(test_steps_and_forces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
