// SPDX-License-Identifier: Apache-2.0
// Runs of a world by names: forces read back, states set between steps, controls.
#include <string.h>

#include "helpers/world.h"
#include "stiction/extend/scene.h"

#define GRAVITY 9.81

static void check_near(const char* what, double value, double expected, double bound)
{
    print_message("%s: %.12g, expected %.12g within %.1g\n", what, value, expected, bound);
    test_near(value, expected, bound);
}

/* ---- contacts ---- */

static void stack_of(TestWorld* tw, int boxes, SticBodyId* id)
{
    test_world_open(tw, NULL, NULL);
    for (int i = 0; i <= boxes; ++i) {
        SticBodyDef body = stic_body_default_def();
        body.kind = i == 0 ? STIC_BODY_FIXED : STIC_BODY_RIGID;
        body.shape = stic_world_box(tw->world, stic_vec3(0.5, 0.5, 0.5), &tw->error);
        body.position.z = i - 0.5;
        TEST_TRY(tw, stic_body_create(tw->world, &body, &id[i], &tw->error));
    }
}

static void test_contacts_of_a_stack(void** state)
{
    (void)state;
    static const char* const schemes[] = {"moreau", "koziara", "theta", "consistent", "relaxed"};
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; ++s) {
        TestWorld tw;
        SticBodyId id[5];
        const SticContactForce* contact = NULL;
        int32_t count = 0;
        stack_of(&tw, 4, id);
        SticRunDef def = stic_run_default_def();
        def.scheme = schemes[s];
        TEST_TRY(&tw, stic_run_create(NULL, tw.world, &def, &tw.run, &tw.error));
        TEST_TRY(&tw, stic_run_contacts(tw.run, &contact, &count));
        assert_int_equal(count, 0);
        TEST_TRY(&tw, stic_run_advance(tw.run, 0.2, &tw.error));
        TEST_TRY(&tw, stic_run_contacts(tw.run, &contact, &count));
        double up[5] = {0.0};
        for (int32_t k = 0; k < count; ++k) {
            const SticContactForce* c = &contact[k];
            up[c->body[0].index] += c->force.z;
            up[c->body[1].index] -= c->force.z;
            test_less(fabs(fabs(c->axis[0].z) - 1.0), 1e-6);
            test_at_least(stic_vec3_dot(c->force, c->axis[0]), -1e-6);
            assert_int_not_equal(c->status, STIC_CONTACT_SLIP);
        }
        print_message("%s: %d contacts\n", schemes[s], count);
        // accuracy `standard`: errors are worth 1e-6 of what gravity gives in a step
        const double bound = 1e-2;
        for (int i = 1; i <= 4; ++i)
            check_near("  net contact force on a box, N", up[i], 1000.0 * GRAVITY, bound);
        check_near("  on the floor, N", up[0], -4000.0 * GRAVITY, 4.0 * bound);
        test_world_close(&tw);
    }
}

static void test_all_bodies_at_once(void** state)
{
    (void)state;
    TestWorld tw;
    SticBodyId id[5];
    SticBodyState all[5];
    stack_of(&tw, 4, id);
    TEST_TRY(&tw, stic_body_destroy(tw.world, id[2], &tw.error));
    TEST_TRY(&tw, stic_run_create(NULL, tw.world, NULL, &tw.run, &tw.error));
    TEST_TRY(&tw, stic_run_set_pose(tw.run, id[4], stic_vec3(3, 0, 9),
                                    stic_quat(0.6, stic_vec3(0, 0.8, 0)), &tw.error));
    TEST_TRY(&tw, stic_run_advance(tw.run, 0.1, &tw.error));
    assert_int_equal(stic_run_bodies(tw.run, NULL, 0), 4);
    memset(all, 0x55, sizeof all);
    assert_int_equal(stic_run_bodies(tw.run, all, 2), 4);
    assert_int_equal(all[2].body.index, 0x55555555);
    assert_int_equal(stic_run_bodies(tw.run, all, 5), 4);
    const int alive[4] = {0, 1, 3, 4};
    for (int k = 0; k < 4; ++k) {
        const SticPose pose = stic_run_pose(tw.run, id[alive[k]]);
        const SticTwist twist = stic_run_twist(tw.run, id[alive[k]]);
        assert_memory_equal(&all[k].body, &id[alive[k]], sizeof *id);
        assert_memory_equal(&all[k].position, &pose.origin, sizeof pose.origin);
        assert_memory_equal(&all[k].velocity, &twist.velocity, sizeof twist.velocity);
    }
    // the last one falls freely, as it was turned
    check_near("orientation, scalar part", all[3].orientation.w, 0.6, 1e-15);
    check_near("orientation, about y", all[3].orientation.y, 0.8, 1e-15);
    check_near("velocity after 0.1 s, m/s", all[3].velocity.z, -GRAVITY * 0.1, 1e-12);
    test_world_close(&tw);
}

static void test_contacts_handed_over(void** state)
{
    (void)state;
    TestWorld tw;
    SticBodyId id[3];
    const SticContactForce *first = NULL, *second = NULL;
    int32_t count = 0;
    stack_of(&tw, 2, id);
    TEST_TRY(&tw, stic_run_create(NULL, tw.world, NULL, &tw.run, &tw.error));
    assert_null(stic_run_detach(tw.run));
    TEST_TRY(&tw, stic_run_advance(tw.run, 0.01, &tw.error));
    TEST_TRY(&tw, stic_run_contacts(tw.run, &first, &count));
    assert_int_equal(count, 8);
    const SticContactForce before = first[0];
    SticArena* kept = stic_run_detach(tw.run);
    assert_non_null(kept);
    TEST_TRY(&tw, stic_run_advance(tw.run, 0.02, &tw.error));
    TEST_TRY(&tw, stic_run_contacts(tw.run, &second, &count));
    assert_int_equal(count, 8);
    assert_ptr_not_equal(first, second);
    assert_memory_equal(&before, &first[0], sizeof before);
    test_world_close(&tw);
    // and it outlives the run
    assert_memory_equal(&before, &first[0], sizeof before);
    stic_arena_destroy(kept);
}

static void test_slip_and_its_direction(void** state)
{
    (void)state;
    TestWorld tw;
    SticBodyId id[2];
    const SticContactForce* contact = NULL;
    int32_t count = 0;
    stack_of(&tw, 1, id);
    TEST_TRY(&tw, stic_run_create(NULL, tw.world, NULL, &tw.run, &tw.error));
    const SticTwist twist = {{0.3, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    TEST_TRY(&tw, stic_run_set_twist(tw.run, id[1], &twist, &tw.error));
    TEST_TRY(&tw, stic_run_advance(tw.run, 0.01, &tw.error));
    TEST_TRY(&tw, stic_run_contacts(tw.run, &contact, &count));
    double sum = 0.0;
    for (int32_t k = 0; k < count; ++k) {
        // forces and slip are those on A, whichever of the two that is
        const double sign = contact[k].body[0].index == id[1].index ? 1.0 : -1.0;
        sum += sign * contact[k].force.x;
        if (contact[k].status == STIC_CONTACT_OPEN)
            continue;
        assert_int_equal(contact[k].status, STIC_CONTACT_SLIP);
        check_near("slip, m/s", sign * contact[k].slip.x, 0.3 - 0.5 * GRAVITY * 0.01, 1e-3);
    }
    check_near("friction, N", sum, -0.5 * 1000.0 * GRAVITY, 1.0);
    test_world_close(&tw);
}

/* ---- states ---- */

static void test_set_states(void** state)
{
    (void)state;
    static const char* const schemes[] = {"moreau", "koziara", "theta", "consistent", "decomposed"};
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; ++s) {
        TestWorld tw;
        test_world_open(&tw, NULL, NULL);
        SticBodyDef body = stic_body_default_def();
        SticBodyId id, none = {0, 0};
        body.shape = stic_world_box(tw.world, stic_vec3(0.1, 0.2, 0.3), &tw.error);
        TEST_TRY(&tw, stic_body_create(tw.world, &body, &id, &tw.error));
        SticRunDef def = stic_run_default_def();
        def.scheme = schemes[s];
        TEST_TRY(&tw, stic_run_create(NULL, tw.world, &def, &tw.run, &tw.error));
        TEST_TRY(&tw, stic_run_advance(tw.run, 0.05, &tw.error));
        const SticQuat turned = {0.8, 0.6, 0.0, 0.0};
        const SticTwist twist = {{1.0, 2.0, 3.0}, {0.0, 0.0, 4.0}};
        TEST_TRY(&tw, stic_run_set_pose(tw.run, id, stic_vec3(5.0, 6.0, 7.0), turned, &tw.error));
        TEST_TRY(&tw, stic_run_set_twist(tw.run, id, &twist, &tw.error));
        const SticTwist seen = stic_run_twist(tw.run, id);
        check_near(schemes[s], seen.angular_velocity.z, 4.0, 1e-13);
        check_near("axis", stic_run_pose(tw.run, id).F.m[2][1], 0.96, 1e-15);
        TEST_TRY(&tw, stic_run_advance(tw.run, 0.15, &tw.error));
        const SticPose pose = stic_run_pose(tw.run, id);
        check_near("x, m", pose.origin.x, 5.1, 1e-12);
        check_near("z, m", pose.origin.z, 7.0 + 0.3 - 0.5 * GRAVITY * 0.01, 1e-12);
        assert_int_equal(stic_run_set_twist(tw.run, none, &twist, &tw.error), STIC_BAD_ARGUMENT);
        test_world_close(&tw);
    }
}

// a body that is set into another is said so, once; pairs that were not touched are not
static void test_set_into_another(void** state)
{
    (void)state;
    TestWorld tw;
    SticBodyId id[3];
    stack_of(&tw, 2, id);
    TEST_TRY(&tw, stic_run_create(NULL, tw.world, NULL, &tw.run, &tw.error));
    TEST_TRY(&tw, stic_run_advance(tw.run, 0.01, &tw.error));
    const SticNotice* notice = &stic_run_totals(tw.run)->notice[STIC_NOTICE_PLACED];
    const SticQuat upright = {1.0, 0.0, 0.0, 0.0};
    TEST_TRY(&tw, stic_run_set_pose(tw.run, id[2], stic_vec3(0, 0, 1.5), upright, &tw.error));
    TEST_TRY(&tw, stic_run_advance(tw.run, 0.02, &tw.error));
    assert_int_equal(notice->count, 0);
    TEST_TRY(&tw, stic_run_set_pose(tw.run, id[2], stic_vec3(0, 0, 1.4), upright, &tw.error));
    TEST_TRY(&tw, stic_run_advance(tw.run, 0.03, &tw.error));
    assert_int_equal(notice->count, 1);
    check_near("overlap, m", notice->worst, 0.1, 1e-6);
    test_world_close(&tw);
}

static void test_drives_that_do_not_act(void** state)
{
    (void)state;
    TestWorld tw;
    SticBodyId id[2];
    stack_of(&tw, 1, id);
    SticJointDef def = stic_joint_default_def();
    def.kind = STIC_JOINT_SLIDER;
    def.body[0] = id[1];
    def.drive.speed = 1.0;
    assert_int_equal(stic_joint_create(tw.world, &def, NULL, &tw.error), STIC_BAD_ARGUMENT);
    assert_non_null(strstr(tw.error.text, "`driven`"));
    test_world_close(&tw);
}

/* ---- controls ---- */

static void hover(void* self, const SticRun* run, double t, SticVec3* force, SticVec3* torque)
{
    const SticBodyId* id = self;
    (void)t;
    (void)torque;
    // weight, and a spring of 1 N/m to the height 2 for a body of 1 kg: z = 2 + cos t
    force->z = GRAVITY + 2.0 - stic_run_pose(run, *id).origin.z;
}

// counts how often it is asked, and the last time it was asked for
typedef struct Asked {
    int32_t count;
    double t;
} Asked;

static void count_push(void* self, const SticRun* run, double t, SticVec3* force, SticVec3* torque)
{
    Asked* asked = self;
    (void)run, (void)force, (void)torque;
    asked->count += 1;
    asked->t = t;
}

// once before every step, the first one included: a controller that sums up must not do so twice
static void test_controls_are_asked_once_a_step(void** state)
{
    (void)state;
    TestWorld tw;
    Asked asked = {0};
    test_world_open(&tw, NULL, NULL);
    SticBodyDef body = stic_body_default_def();
    SticBodyId id;
    body.position.z = 3.0;
    body.shape = stic_world_sphere(tw.world, 0.1, &tw.error);
    TEST_TRY(&tw, stic_body_create(tw.world, &body, &id, &tw.error));
    TEST_TRY(&tw, stic_run_create(NULL, tw.world, NULL, &tw.run, &tw.error));
    TEST_TRY(&tw, stic_run_control_body(tw.run, id, count_push, &asked, &tw.error));
    for (int32_t k = 1; k <= 5; ++k) {
        SticStepInfo info;
        TEST_TRY(&tw, stic_run_step(tw.run, &info));
        assert_int_equal(asked.count, k);
        check_near("asked at t, s", asked.t, (k - 0.5) * 1e-3, 1e-12);
    }
    test_world_close(&tw);
}

static void test_control_of_a_body(void** state)
{
    (void)state;
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    SticBodyDef body = stic_body_default_def();
    SticBodyId id;
    body.mass = 1.0;
    body.position.z = 3.0;
    body.shape = stic_world_sphere(tw.world, 0.1, &tw.error);
    TEST_TRY(&tw, stic_body_create(tw.world, &body, &id, &tw.error));
    TEST_TRY(&tw, stic_run_create(NULL, tw.world, NULL, &tw.run, &tw.error));
    TEST_TRY(&tw, stic_run_control_body(tw.run, id, hover, &id, &tw.error));
    TEST_TRY(&tw, stic_run_advance(tw.run, 3.0, &tw.error));
    // a force that is held over the step is of first order
    check_near("z, m", stic_run_pose(tw.run, id).origin.z, 2.0 + cos(3.0), 2e-3);
    TEST_TRY(&tw, stic_run_control_body(tw.run, id, NULL, NULL, &tw.error));
    test_world_close(&tw);
}

// a mass of 2 kg on a slider along x; scheme NULL: the default one
static void slider_by(TestWorld* tw, const char* scheme, bool driven, SticJointId* joint)
{
    test_world_open(tw, NULL, NULL);
    stic_world_set_gravity(tw->world, stic_vec3_zero());
    SticBodyDef body = stic_body_default_def();
    SticJointDef def = stic_joint_default_def();
    body.mass = 2.0;
    body.shape = stic_world_box(tw->world, stic_vec3(0.1, 0.1, 0.1), &tw->error);
    def.kind = STIC_JOINT_SLIDER;
    def.driven = driven;
    TEST_TRY(tw, stic_body_create(tw->world, &body, &def.body[0], &tw->error));
    TEST_TRY(tw, stic_joint_place(tw->world, stic_vec3_zero(), stic_vec3(1.0, 0.0, 0.0), &def,
                                  &tw->error));
    TEST_TRY(tw, stic_joint_create(tw->world, &def, joint, &tw->error));
    SticRunDef run = stic_run_default_def();
    run.scheme = scheme;
    TEST_TRY(tw, stic_run_create(NULL, tw->world, &run, &tw->run, &tw->error));
}

static void slider(TestWorld* tw, bool driven, SticJointId* joint)
{
    slider_by(tw, NULL, driven, joint);
}

// event holds joints by accelerations: the force of the drive is m a, speed and place do not lag
static void test_drive_by_a_signal_in_event(void** state)
{
    (void)state;
    TestWorld tw;
    SticJointId joint;
    const SticJointForce* seen = NULL;
    int32_t count = 0;
    SticSignal signal = {.kind = STIC_SIGNAL_WAVE, .amplitude = 0.5, .frequency = 2.0};
    slider_by(&tw, "event", true, &joint);
    TEST_TRY(&tw, stic_run_control_drive(tw.run, joint, stic_signal_control, &signal, &tw.error));
    TEST_TRY(&tw, stic_run_advance(tw.run, 1.0, &tw.error));
    TEST_TRY(&tw, stic_run_joints(tw.run, &seen, &count));
    assert_int_equal(count, 1);
    // chords of 1 ms: h^2/12 of the second derivative in place, h/2 of it in the force
    check_near("coordinate, m", seen[0].coordinate, 0.25 * (1.0 - cos(2.0)), 1e-6);
    check_near("rate, m/s", seen[0].rate, 0.5 * sin(2.0), 1e-6);
    check_near("drive, N", seen[0].drive, 2.0 * cos(2.0), 4e-3);
    test_world_close(&tw);
}

static void test_drive_by_a_signal(void** state)
{
    (void)state;
    TestWorld tw;
    SticJointId joint;
    const SticJointForce* seen = NULL;
    int32_t count = 0;
    SticSignal signal = {.kind = STIC_SIGNAL_WAVE, .amplitude = 0.5, .frequency = 2.0};
    slider(&tw, true, &joint);
    TEST_TRY(&tw, stic_run_control_drive(tw.run, joint, stic_signal_control, &signal, &tw.error));
    TEST_TRY(&tw, stic_run_advance(tw.run, 1.0, &tw.error));
    TEST_TRY(&tw, stic_run_joints(tw.run, &seen, &count));
    assert_int_equal(count, 1);
    check_near("coordinate, m", seen[0].coordinate, 0.25 * (1.0 - cos(2.0)), 1e-3);
    check_near("rate, m/s", seen[0].rate, 0.5 * sin(2.0), 1e-3);
    check_near("drive, N", seen[0].drive, 2.0 * cos(2.0), 1e-2);
    check_near("force, N", seen[0].force.x, seen[0].drive, 1e-9);
    test_world_close(&tw);
}

static double constant_force(void* self, const SticRun* run, double t)
{
    (void)run;
    (void)t;
    return *(const double*)self;
}

// the drive of a world, 3 m/s, and a second run of it
static void test_controls_belong_to_their_run(void** state)
{
    (void)state;
    const char* scheme[] = {"moreau", "event"};
    for (int k = 0; k < 2; ++k) {
        TestWorld tw;
        SticJointId joint;
        SticRun* other = NULL;
        SticRunDef def = stic_run_default_def();
        double speed = 1.0, force = 1.0;
        slider_by(&tw, scheme[k], true, &joint);
        def.scheme = scheme[k];
        TEST_TRY(&tw, stic_run_create(NULL, tw.world, &def, &other, &tw.error));
        TEST_TRY(&tw, stic_joint_set_drive(tw.world, joint, &(SticDrive){.speed = 3.0}, &tw.error));
        TEST_TRY(&tw, stic_run_control_drive(tw.run, joint, constant_force, &speed, &tw.error));
        TEST_TRY(&tw, stic_run_control_force(tw.run, joint, constant_force, &force, &tw.error));
        for (int step = 0; step < 5; ++step) {
            assert_int_equal(stic_run_step(tw.run, NULL), STIC_OK);
            assert_int_equal(stic_run_step(other, NULL), STIC_OK);
        }
        check_near("rate, m/s", stic_run_joint(tw.run, joint).rate, 1.0, 1e-9);
        check_near("rate of the other run, m/s", stic_run_joint(other, joint).rate, 3.0, 1e-9);
        stic_run_destroy(other);
        // an answer that is refused does no lasting harm
        speed = NAN;
        assert_int_not_equal(stic_run_step(tw.run, NULL), STIC_OK);
        TEST_TRY(&tw, stic_run_control_drive(tw.run, joint, NULL, NULL, &tw.error));
        assert_int_equal(stic_run_step(tw.run, NULL), STIC_OK);
        check_near("rate of the world's drive, m/s", stic_run_joint(tw.run, joint).rate, 3.0, 1e-9);
        TEST_TRY(&tw, stic_joint_set_drive(tw.world, joint, &(SticDrive){.speed = 2.0}, &tw.error));
        assert_int_equal(stic_run_step(tw.run, NULL), STIC_OK);
        check_near("rate of a new drive, m/s", stic_run_joint(tw.run, joint).rate, 2.0, 1e-9);
        test_world_close(&tw);
    }
}

static void test_force_of_an_actuator(void** state)
{
    (void)state;
    TestWorld tw;
    SticJointId joint;
    SticDrive drive = {.speed = 1.0};
    double force = 3.0, kinetic = 0.0, potential = 0.0;
    slider(&tw, false, &joint);
    TEST_TRY(&tw, stic_run_control_force(tw.run, joint, constant_force, &force, &tw.error));
    TEST_TRY(&tw, stic_run_advance(tw.run, 1.0, &tw.error));
    check_near("coordinate, m", stic_run_joint(tw.run, joint).coordinate, 0.75, 1e-9);
    TEST_TRY(&tw, stic_run_energy(tw.run, &kinetic, &potential));
    check_near("kinetic energy, J", kinetic, 2.25, 1e-9);
    check_near("work of applied forces, J", stic_run_totals(tw.run)->ledger.applied, 2.25, 1e-9);
    force = NAN;
    assert_int_not_equal(stic_run_advance(tw.run, 1.1, &tw.error), STIC_OK);
    assert_non_null(strstr(tw.error.text, "not finite"));
    assert_int_equal(stic_joint_set_drive(tw.world, joint, &drive, &tw.error), STIC_BAD_ARGUMENT);
    assert_int_equal(stic_run_control_drive(tw.run, joint, constant_force, &force, &tw.error),
                     STIC_BAD_ARGUMENT);
    test_world_close(&tw);
}

static void test_joint_forces(void** state)
{
    (void)state;
    // a bar of 3 kg held at one end by a weld: its weight, and the moment of the weight
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    SticBodyDef body = stic_body_default_def();
    SticJointDef def = stic_joint_default_def();
    SticJointId joint;
    const SticJointForce* seen = NULL;
    int32_t count = 0;
    body.mass = 3.0;
    body.position.x = 0.5;
    body.shape = stic_world_box(tw.world, stic_vec3(0.5, 0.05, 0.05), &tw.error);
    def.kind = STIC_JOINT_WELD;
    TEST_TRY(&tw, stic_body_create(tw.world, &body, &def.body[0], &tw.error));
    TEST_TRY(&tw, stic_joint_place(tw.world, stic_vec3_zero(), stic_vec3(1.0, 0.0, 0.0), &def,
                                   &tw.error));
    TEST_TRY(&tw, stic_joint_create(tw.world, &def, &joint, &tw.error));
    TEST_TRY(&tw, stic_run_create(NULL, tw.world, NULL, &tw.run, &tw.error));
    TEST_TRY(&tw, stic_run_advance(tw.run, 0.1, &tw.error));
    TEST_TRY(&tw, stic_run_joints(tw.run, &seen, &count));
    assert_int_equal(count, 1);
    check_near("force, N", seen[0].force.z, 3.0 * GRAVITY, 1e-6);
    check_near("torque, N m", seen[0].torque.y, -3.0 * GRAVITY * 0.5, 1e-6);
    check_near("gap, m", seen[0].gap, 0.0, 1e-12);
    test_world_close(&tw);
}

/* ---- names ---- */

static void refuse(TestWorld* tw, const SticRunDef* def, const char* words)
{
    SticRun* run = NULL;
    assert_int_not_equal(stic_run_create(NULL, tw->world, def, &run, &tw->error), STIC_OK);
    print_message("%s\n", tw->error.text);
    assert_non_null(strstr(tw->error.text, words));
    assert_null(run);
}

static void test_names(void** state)
{
    (void)state;
    TestWorld tw;
    SticBodyId id[2];
    stack_of(&tw, 1, id);
    const SticRunDef usual = stic_run_default_def();
    SticRunDef def = usual;
    def.scheme = "moreu";
    refuse(&tw, &def, "moreau");
    def = usual;
    def.solver = "nsg";
    refuse(&tw, &def, "nsgs");
    def = usual;
    def.accuracy = "strickt";
    refuse(&tw, &def, "strict");
    def = usual;
    def.settings = "solver.tolerence=1e-8";
    refuse(&tw, &def, "tolerance");
    def.settings = "tolerance=1e-8";
    refuse(&tw, &def, "solver.NAME=VALUE");
    def.settings = "world.x=1";
    refuse(&tw, &def, "neither");
    def.settings = " scheme.theta=0.75  solver.tolerance=1e-9 solver.max_iterations=77 ";
    def.scheme = "theta";
    TEST_TRY(&tw, stic_run_create(NULL, tw.world, &def, &tw.run, &tw.error));
    const SticRunParts* parts = stic_run_parts(tw.run);
    assert_int_equal(parts->solve.max_iterations, 77);
    test_equal(parts->solve.tolerance, 1e-9);
    TEST_TRY(&tw, stic_run_advance(tw.run, 0.01, &tw.error));
    test_world_close(&tw);
}

/* ---- memory ---- */

static SticStatus make_and_drop(const SticContext* context, void* self)
{
    SticWorld* world = NULL;
    SticRun* run = NULL;
    SticError error = {0};
    const SticContactForce* contact = NULL;
    int32_t count = 0;
    SticRunDef def = stic_run_default_def();
    SticStatus status = stic_world_create(context, NULL, &world, &error);
    (void)self;
    def.settings = "solver.max_iterations=50";
    for (int i = 0; status == STIC_OK && i < 2; ++i) {
        SticBodyDef body = stic_body_default_def();
        body.kind = i == 0 ? STIC_BODY_FIXED : STIC_BODY_RIGID;
        body.shape = stic_world_box(world, stic_vec3(0.5, 0.5, 0.5), &error);
        body.position.z = i;
        status = body.shape == NULL ? error.status : stic_body_create(world, &body, NULL, &error);
    }
    if (status == STIC_OK)
        status = stic_run_create(context, world, &def, &run, &error);
    if (status == STIC_OK)
        status = stic_run_advance(run, 2e-3, &error);
    if (status == STIC_OK)
        status = stic_run_contacts(run, &contact, &count);
    stic_run_destroy(run);
    stic_world_destroy(world);
    return status;
}

static void test_every_allocation_fails_once(void** state)
{
    (void)state;
    print_message("%d allocations\n", (int)test_fail_every_allocation(make_and_drop, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contacts_of_a_stack),
        cmocka_unit_test(test_all_bodies_at_once),
        cmocka_unit_test(test_contacts_handed_over),
        cmocka_unit_test(test_slip_and_its_direction),
        cmocka_unit_test(test_set_states),
        cmocka_unit_test(test_set_into_another),
        cmocka_unit_test(test_drives_that_do_not_act),
        cmocka_unit_test(test_control_of_a_body),
        cmocka_unit_test(test_controls_are_asked_once_a_step),
        cmocka_unit_test(test_controls_belong_to_their_run),
        cmocka_unit_test(test_drive_by_a_signal),
        cmocka_unit_test(test_drive_by_a_signal_in_event),
        cmocka_unit_test(test_force_of_an_actuator),
        cmocka_unit_test(test_joint_forces),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
