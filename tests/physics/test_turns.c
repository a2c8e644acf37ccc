// SPDX-License-Identifier: Apache-2.0
// Angles of joints count turns: springs wound by several turns, limits and controls beyond half a
// turn, fast wheels, snapshots, poses set by hand and steps that fail.
#include <math.h>

#include "helpers/helpers.h"
#include "helpers/world.h"
#include "math/math.h"
#include "stiction/stiction.h"

#define INERTIA 0.5

// a wheel on a hinge, and a run of it
typedef struct Wheel {
    SticWorld* world;
    SticRun* run;
    SticBodyId body;
    SticJointId hinge;
    SticError error;
} Wheel;

static SticJointDef hinge_def(void)
{
    SticJointDef def = stic_joint_default_def();
    def.kind = STIC_JOINT_HINGE;
    return def;
}

static void open_wheel(Wheel* wheel, SticJointDef def, double speed, const char* scheme,
                       double step)
{
    *wheel = (Wheel){0};
    TEST_TRY(wheel, stic_world_create(NULL, NULL, &wheel->world, &wheel->error));
    stic_world_set_gravity(wheel->world, stic_vec3(0, 0, 0));
    SticBodyDef body = stic_body_default_def();
    body.mass = 1.0;
    body.inertia = stic_mat3_diag(stic_vec3(0.3, 0.3, INERTIA));
    body.angular_velocity = stic_vec3(0, 0, speed);
    TEST_TRY(wheel, stic_body_create(wheel->world, &body, &wheel->body, &wheel->error));
    def.body[0] = wheel->body;
    TEST_TRY(wheel, stic_joint_place(wheel->world, stic_vec3(0, 0, 0), stic_vec3(0, 0, 1), &def,
                                     &wheel->error));
    TEST_TRY(wheel, stic_joint_create(wheel->world, &def, &wheel->hinge, &wheel->error));
    SticRunDef run = stic_run_default_def();
    run.scheme = scheme;
    run.step = step;
    TEST_TRY(wheel, stic_run_create(NULL, wheel->world, &run, &wheel->run, &wheel->error));
}

static void close_wheel(Wheel* wheel)
{
    stic_run_destroy(wheel->run);
    stic_world_destroy(wheel->world);
}

static double angle(const Wheel* wheel)
{
    return stic_run_joint(wheel->run, wheel->hinge).coordinate;
}

static double energy(const Wheel* wheel)
{
    double kinetic = 0.0, potential = 0.0;
    assert_int_equal(stic_run_energy(wheel->run, &kinetic, &potential), STIC_OK);
    return kinetic + potential;
}

/* ---- springs ---- */

// a spring wound by five turns; c = J makes the frequency 1 rad/s
static SticJointDef coil_def(void)
{
    SticJointDef def = hinge_def();
    def.spring.stiffness = INERTIA;
    def.spring.rest = 10.0 * STIC_PI;
    return def;
}

// rest (1 - cos t), over a period, for every scheme that moves bodies by their inertia
static void test_coil(void** unused)
{
    (void)unused;
    static const double step = 0x1p-10, rest = 10.0 * STIC_PI;
    // second order: the springs' phase is off by t h^2/12 at most, and steps turn along chords
    // instead of arcs, x^2/12 of an angle of twice the rest; one of h/2 for the first order of
    // penalty; the tolerance of integrators over a thousand steps
    const double x = rest * step;
    const double second = 2.0 * STIC_PI * step * step / 12.0 + 2.0 * x * x / 12.0;
    const struct {
        const char* scheme;
        double phase, energy;
    } cases[] = {{"moreau", second, x * x / 48.0}, {"koziara", second, x * x / 48.0},
                 {"theta", second, x * x / 48.0},  {"consistent", second, 1e-12},
                 {"decomposed", second, 1e-12},    {"event", 1e-8, 1e-8},
                 {"relaxed", 1e-8, 1e-8},          {"penalty", 0.51 * step, 0.52 * step}};
    const TestTable table = test_table_begin("spring wound by five turns, relative to closed forms",
                                             "scheme          |angle   |energy  ");
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        Wheel wheel;
        open_wheel(&wheel, coil_def(), 0.0, cases[k].scheme, step);
        double off = 0.0, lost = 0.0;
        const double whole = 0.5 * INERTIA * rest * rest;
        for (int i = 1; i <= 6434; ++i) {
            TEST_TRY(&wheel, stic_run_advance(wheel.run, i * step, &wheel.error));
            const double exact = rest * (1.0 - cos(i * step));
            off = fmax(off, fabs(angle(&wheel) - exact) / rest);
            lost = fmax(lost, fabs(energy(&wheel) / whole - 1.0));
        }
        test_table_row(&table, "%s|%.1e|%.1e", cases[k].scheme, off, lost);
        test_at_most(off, cases[k].phase);
        test_at_most(lost, cases[k].energy);
        close_wheel(&wheel);
    }
}

// two joints, a torsion spring each, that hold each other 12 rad from the start: quasi-statics
static void test_balance(void** unused)
{
    (void)unused;
    Wheel wheel;
    SticJointDef first = hinge_def(), second = stic_joint_default_def();
    first.spring = (SticSpring){.stiffness = 3.0};
    open_wheel(&wheel, first, 0.0, "moreau", 0.1);
    stic_run_destroy(wheel.run);
    second.kind = STIC_JOINT_TURNING;
    second.body[0] = wheel.body;
    second.spring = (SticSpring){.stiffness = 1.0, .rest = 48.0};
    TEST_TRY(&wheel, stic_joint_place(wheel.world, stic_vec3(0, 0, 0), stic_vec3(0, 0, 1), &second,
                                      &wheel.error));
    TEST_TRY(&wheel, stic_joint_create(wheel.world, &second, NULL, &wheel.error));
    SticRunDef run = stic_run_default_def();
    run.scheme = "quasi-static";
    run.step = 0.1;
    TEST_TRY(&wheel, stic_run_create(NULL, wheel.world, &run, &wheel.run, &wheel.error));
    TEST_TRY(&wheel, stic_run_advance(wheel.run, 80.0, &wheel.error));
    print_message("springs in balance at %.12f rad\n", angle(&wheel));
    test_near(angle(&wheel), 12.0, 1e-9);
    close_wheel(&wheel);
}

/* ---- limits and drives ---- */

static void test_limit(void** unused)
{
    (void)unused;
    static const char* schemes[] = {"moreau", "koziara", "theta", "event", "relaxed"};
    for (size_t k = 0; k < sizeof schemes / sizeof schemes[0]; ++k) {
        Wheel wheel;
        SticJointDef def = hinge_def();
        def.driven = true;
        def.drive.speed = 10.0;
        def.drive_force = 100.0;
        def.limit[0] = -1.0;
        def.limit[1] = 20.0;
        open_wheel(&wheel, def, 0.0, schemes[k], 0.01);
        TEST_TRY(&wheel, stic_run_advance(wheel.run, 1.5, &wheel.error));
        // 10 t less what the acceleration at 200 rad/s2 costs
        test_near(angle(&wheel), 15.0 - 0.25, 0.06);
        TEST_TRY(&wheel, stic_run_advance(wheel.run, 3.0, &wheel.error));
        test_near(angle(&wheel), 20.0, 1e-6);
        close_wheel(&wheel);
    }
}

// ten radians a step, more than a whole turn: rates tell how many
static void test_fast(void** unused)
{
    (void)unused;
    static const char* schemes[] = {"moreau", "koziara", "theta", "event", "relaxed"};
    for (size_t k = 0; k < sizeof schemes / sizeof schemes[0]; ++k) {
        Wheel wheel;
        SticJointDef def = hinge_def();
        def.spring.stiffness = INERTIA;
        open_wheel(&wheel, def, -1000.0, schemes[k], 0.01);
        double off = 0.0;
        for (int i = 1; i <= 300; ++i) {
            TEST_TRY(&wheel, stic_run_advance(wheel.run, 0.01 * i, &wheel.error));
            off = fmax(off, fabs(angle(&wheel) + 1000.0 * sin(0.01 * i)));
        }
        print_message("%s: off by %.2g of 1000 rad at 10 rad a step\n", schemes[k], off);
        // second order in the parts that such steps are made in, and no turn lost
        test_less(off, 0.5 * STIC_PI);
        close_wheel(&wheel);
    }
}

/* ---- controls ---- */

typedef struct Holder {
    SticJointId hinge;
    double target;
} Holder;

// critically damped, 20 rad/s
static double hold(void* self, const SticRun* run, double t)
{
    const Holder* holder = self;
    const SticJointView seen = stic_run_joint(run, holder->hinge);
    (void)t;
    return INERTIA * (400.0 * (holder->target - seen.coordinate) - 40.0 * seen.rate);
}

static void test_controller(void** unused)
{
    (void)unused;
    static const char* schemes[] = {"moreau", "consistent", "event"};
    for (size_t k = 0; k < sizeof schemes / sizeof schemes[0]; ++k) {
        Wheel wheel;
        open_wheel(&wheel, hinge_def(), 0.0, schemes[k], 1e-3);
        Holder holder = {wheel.hinge, 20.0};
        TEST_TRY(&wheel,
                 stic_run_control_force(wheel.run, wheel.hinge, hold, &holder, &wheel.error));
        for (int i = 1; i <= 200; ++i) {
            const double t = 0.01 * i, x = 20.0 * t;
            TEST_TRY(&wheel, stic_run_advance(wheel.run, t, &wheel.error));
            // torques of the beginning of a step lag behind by part of it
            test_near(angle(&wheel), 20.0 * (1.0 - (1.0 + x) * exp(-x)), 0.25);
        }
        test_near(angle(&wheel), 20.0, 1e-10);
        close_wheel(&wheel);
    }
}

/* ---- states ---- */

static void test_resume(void** unused)
{
    (void)unused;
    static const char* schemes[] = {"moreau", "consistent", "event", "relaxed"};
    for (size_t k = 0; k < sizeof schemes / sizeof schemes[0]; ++k) {
        Wheel whole, resumed;
        open_wheel(&whole, coil_def(), 0.0, schemes[k], 1e-3);
        open_wheel(&resumed, coil_def(), 0.0, schemes[k], 1e-3);
        SticArena* arena = NULL;
        const void* bytes = NULL;
        size_t count = 0;
        assert_int_equal(stic_arena_create(stic_context_given(NULL), 0, &arena), STIC_OK);
        TEST_TRY(&whole, stic_run_advance(whole.run, 1.5, &whole.error));
        assert_int_equal(stic_run_save(whole.run, arena, &bytes, &count), STIC_OK);
        TEST_TRY(&resumed, stic_run_load(resumed.run, bytes, count, &resumed.error));
        stic_arena_destroy(arena);
        test_greater(angle(&resumed), 2.0 * STIC_PI);
        assert_memory_equal(&(double){angle(&whole)}, &(double){angle(&resumed)}, sizeof(double));
        TEST_TRY(&whole, stic_run_advance(whole.run, 2.0, &whole.error));
        TEST_TRY(&resumed, stic_run_advance(resumed.run, 2.0, &resumed.error));
        assert_int_equal(stic_run_hash(whole.run), stic_run_hash(resumed.run));
        assert_memory_equal(&(double){angle(&whole)}, &(double){angle(&resumed)}, sizeof(double));
        close_wheel(&whole);
        close_wheel(&resumed);
    }
}

// states that differ by whole turns alone have different hashes
static void test_hash(void** unused)
{
    (void)unused;
    Wheel wheel;
    open_wheel(&wheel, coil_def(), 0.0, "moreau", 1e-3);
    SticState* state = stic_run_state(wheel.run);
    const uint64_t before = stic_run_hash(wheel.run);
    state->memory->turn[0].angle += 2.0 * STIC_PI;
    assert_int_not_equal(stic_run_hash(wheel.run), before);
    close_wheel(&wheel);
}

// a pose says nothing of turns: the angle is near 0 again; a twist leaves them
static void test_set(void** unused)
{
    (void)unused;
    Wheel wheel;
    // chords of 0.01 rad: 1e-4/48 of 25 rad
    static const double bound = 6e-5;
    open_wheel(&wheel, hinge_def(), 10.0, "moreau", 1e-3);
    TEST_TRY(&wheel, stic_run_advance(wheel.run, 2.0, &wheel.error));
    test_near(angle(&wheel), 20.0, bound);
    const SticTwist still = {{0, 0, 0}, {0, 0, -5}};
    TEST_TRY(&wheel, stic_run_set_twist(wheel.run, wheel.body, &still, &wheel.error));
    test_near(angle(&wheel), 20.0, bound);
    TEST_TRY(&wheel, stic_run_advance(wheel.run, 3.0, &wheel.error));
    test_near(angle(&wheel), 15.0, bound);
    const SticQuat turned = {cos(1.5), 0.0, 0.0, sin(1.5)};
    TEST_TRY(&wheel,
             stic_run_set_pose(wheel.run, wheel.body, stic_vec3(0, 0, 0), turned, &wheel.error));
    test_near(angle(&wheel), 3.0, bound);
    TEST_TRY(&wheel, stic_run_set_twist(wheel.run, wheel.body, &(SticTwist){{0, 0, 0}, {0, 0, 5}},
                                        &wheel.error));
    TEST_TRY(&wheel, stic_run_advance(wheel.run, 3.1, &wheel.error));
    test_near(angle(&wheel), 3.5, bound);
    close_wheel(&wheel);
}

// a step that fails leaves the angle and what comes after it as they were
static void test_failed_step(void** unused)
{
    (void)unused;
    static const char* schemes[] = {"moreau", "event"};
    for (size_t k = 0; k < sizeof schemes / sizeof schemes[0]; ++k) {
        Wheel wheel, other;
        open_wheel(&wheel, coil_def(), 0.0, schemes[k], 1e-3);
        open_wheel(&other, coil_def(), 0.0, schemes[k], 1e-3);
        TEST_TRY(&wheel, stic_run_advance(wheel.run, 1.5, &wheel.error));
        TEST_TRY(&other, stic_run_advance(other.run, 1.6, &other.error));
        const uint64_t before = stic_run_hash(wheel.run);
        TEST_TRY(&wheel, stic_joint_set_force(wheel.world, wheel.hinge, 1e308, &wheel.error));
        assert_int_not_equal(stic_run_advance(wheel.run, 1.6, &wheel.error), STIC_OK);
        TEST_TRY(&wheel, stic_joint_set_force(wheel.world, wheel.hinge, 0.0, &wheel.error));
        assert_int_equal(stic_run_hash(wheel.run), before);
        TEST_TRY(&wheel, stic_run_advance(wheel.run, 1.6, &wheel.error));
        assert_int_equal(stic_run_hash(wheel.run), stic_run_hash(other.run));
        close_wheel(&wheel);
        close_wheel(&other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coil),       cmocka_unit_test(test_balance),
        cmocka_unit_test(test_limit),      cmocka_unit_test(test_fast),
        cmocka_unit_test(test_controller), cmocka_unit_test(test_resume),
        cmocka_unit_test(test_hash),       cmocka_unit_test(test_set),
        cmocka_unit_test(test_failed_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
