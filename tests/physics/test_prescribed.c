// SPDX-License-Identifier: Apache-2.0
// Prescribed bodies and point masses: conveyor, vibrating plates, turntable, driven pivot; each
// against its formula or a fourth-order integration of the equation of motion.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "helpers/world.h"
#include "math/math.h"

static const double g = 9.81;

static SticWorldDef world_def(double mu, double restitution)
{
    SticWorldDef def = stic_world_default_def();
    def.material.surface.friction = mu;
    def.material.surface.restitution[0] = restitution;
    return def;
}

// a thick plate with its upper face at z = 0
static SticBodyId add_plate(TestWorld* tw, void (*motion)(const void*, double, SticBodyMotion*),
                            const void* self)
{
    SticBodyDef def = stic_body_default_def();
    SticBodyId id;
    def.name = "plate";
    def.kind = STIC_BODY_PRESCRIBED;
    def.motion = motion;
    def.motion_self = self;
    TEST_TRY(tw, stic_body_create(tw->world, &def, &id, &tw->error));
    SticPose below = stic_pose_identity();
    below.origin = stic_vec3(0.0, 0.0, -0.5);
    const SticAttachDef attach = {.shape = test_world_box(tw, 10.0, 10.0, 0.5), .pose = below};
    TEST_TRY(tw, stic_body_attach(tw->world, id, &attach, NULL, &tw->error));
    return id;
}

/* ---- conveyor ---- */

static void belt(const void* self, double t, SticBodyMotion* at)
{
    (void)t;
    at->velocity = stic_vec3(*(const double*)self, 0.0, 0.0);
}

// a box laid on a belt slides until it has its speed: v = mu g t, then x = V t - V^2/(2 mu g)
static double conveyor_error(const char* scheme, double h, SticLedger* ledger)
{
    TestWorld tw;
    const SticWorldDef def = world_def(0.3, 0.0);
    const double speed = 2.0;
    test_world_open(&tw, NULL, &def);
    add_plate(&tw, belt, &speed);
    const SticBodyId box = test_world_body(&tw, test_world_box(&tw, 0.2, 0.2, 0.1),
                                           stic_vec3(0.0, 0.0, 0.1), stic_vec3_zero());
    test_world_run(&tw, scheme, "", h, 1e-12);
    memset(ledger, 0, sizeof *ledger);
    test_world_steps(&tw, (int)lround(1.0 / h));
    *ledger = stic_run_totals(tw.run)->ledger;
    const double exact = speed - speed * speed / (2.0 * 0.3 * g);
    const SticVec3 place = test_world_place(&tw, box);
    const double error = fabs(place.x - exact),
                 slip = fabs(test_world_motion(&tw, box).velocity.x - speed);
    printf("conveyor %-10s h %-6g x %.8f (%.8f), speed off by %.1e, height %.1e, aside %.1e\n",
           scheme, h, place.x, exact, slip, place.z - 0.1, place.y);
    test_less(slip, 1e-9);
    test_less(fabs(place.y), 1e-9);
    test_world_close(&tw);
    return error;
}

static void conveyor(void** state)
{
    (void)state;
    SticLedger ledger;
    const struct {
        const char* scheme;
        double h, bound;
    } cases[] = {{"koziara", 1e-3, 3e-5},
                 {"moreau", 1e-3, 3e-5},
                 {"theta", 1e-3, 3e-5},
                 {"event", 0.02, 1e-8}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        const double error = conveyor_error(cases[k].scheme, cases[k].h, &ledger);
        const double m = 1000.0 * 8.0 * 0.2 * 0.2 * 0.1;
        printf("  kinetic %.9g prescribed %.9g friction %.9g integration %.1e J\n", ledger.kinetic,
               ledger.prescribed, ledger.friction, ledger.integration);
        test_less(error, cases[k].bound);
        // the belt puts in m V^2, half of it is lost to friction
        test_less(fabs(ledger.prescribed / (m * 4.0) - 1.0), 2e-3);
        test_less(fabs(ledger.friction / (-m * 2.0) - 1.0), 2e-3);
        test_less(fabs(ledger.integration), 1e-7 * m);
    }
}

/* ---- vibrating plates ---- */

typedef struct Wave {
    SticVec3 amplitude;
    double omega, phase; // place: amplitude sin(omega t + phase) less its start
} Wave;

static void shake(const void* self, double t, SticBodyMotion* at)
{
    const Wave* wave = self;
    const double a = wave->omega * t + wave->phase, w = wave->omega;
    at->position = stic_vec3_scale(sin(a) - sin(wave->phase), wave->amplitude);
    at->velocity = stic_vec3_scale(w * cos(a), wave->amplitude);
    at->acceleration = stic_vec3_scale(-w * w * sin(a), wave->amplitude);
}

// how far a box, or a point with a ball around it, is off the plate that it rides on
static double shaken(const char* scheme, const Wave* wave, double h, bool point)
{
    TestWorld tw;
    const SticWorldDef world = world_def(0.5, 0.0);
    test_world_open(&tw, NULL, &world);
    add_plate(&tw, shake, wave);
    SticBodyMotion start = {0}, at = {0};
    shake(wave, 0.0, &start);
    SticBodyDef def = stic_body_default_def();
    def.kind = point ? STIC_BODY_POINT : STIC_BODY_RIGID;
    def.position = stic_vec3(0.0, 0.0, 0.1);
    def.velocity = start.velocity;
    const SticShape* shape =
        point ? test_world_sphere(&tw, 0.1) : test_world_box(&tw, 0.2, 0.2, 0.1);
    const SticBodyId box = test_world_add(&tw, &def, shape, (SticMaterialId){0, 0});
    test_world_run(&tw, scheme, "", h, 1e-12);
    test_world_steps(&tw, (int)lround(1.0 / h));
    shake(wave, 1.0, &at);
    const SticVec3 moved = stic_vec3_sub(test_world_place(&tw, box), def.position);
    test_world_close(&tw);
    return stic_vec3_norm(stic_vec3_sub(moved, at.position));
}

// below mu g sideways and below g upwards the box goes with the plate
static void rides_along(void** state)
{
    (void)state;
    const Wave waves[2] = {{{0.01, 0.004, 0.0}, 15.0, -0.5 * STIC_PI},
                           {{0.0, 0.0, 0.01}, 20.0, -0.5 * STIC_PI}};
    for (int k = 0; k < 2; ++k) {
        for (int scheme = 0; scheme < 2; ++scheme) {
            const char* name = scheme == 0 ? "koziara" : "theta";
            const double one = shaken(name, &waves[k], 2e-3, false);
            const double two = shaken(name, &waves[k], 1e-3, false);
            printf("plate %s: %s off by %.3g (2 ms), %.3g (1 ms), ratio %.2f\n",
                   k == 0 ? "sideways" : "up and down", name, one, two, one / two);
            test_less(one, 1e-4);
            test_greater(one / two, 3.5);
        }
        // Moreau's rule takes the velocities of mid-step: first order
        const double moreau = shaken("moreau", &waves[k], 1e-3, false);
        const double event = shaken("event", &waves[k], 0.02, true);
        printf("  moreau %.3g (1 ms); a point with event %.3g\n", moreau, event);
        // event: a slip below 1e-6 m/s counts as none
        test_less(moreau, 1e-3);
        test_less(event, 2e-8);
    }
}

// above g the box leaves the plate at sin(w t) = g / (A w^2) and flies
static void takes_off(void** state)
{
    (void)state;
    const Wave wave = {{0.0, 0.0, 0.02}, 30.0, 0.0};
    const double leave = asin(g / (0.02 * 900.0)) / 30.0, end = 0.06, time = end - leave;
    const double exact =
        0.02 * sin(30.0 * leave) + 0.02 * 30.0 * cos(30.0 * leave) * time - 0.5 * g * time * time;
    double error[2];
    for (int k = 0; k < 2; ++k) {
        TestWorld tw;
        const SticWorldDef def = world_def(0.5, 0.0);
        const double h = k == 0 ? 1e-4 : 5e-5;
        test_world_open(&tw, NULL, &def);
        add_plate(&tw, shake, &wave);
        const SticBodyId box = test_world_body(&tw, test_world_box(&tw, 0.2, 0.2, 0.1),
                                               stic_vec3(0.0, 0.0, 0.1), stic_vec3(0.0, 0.0, 0.6));
        test_world_run(&tw, "koziara", "", h, 1e-12);
        test_world_steps(&tw, (int)lround(end / h));
        error[k] = fabs(test_world_place(&tw, box).z - 0.1 - exact);
        assert_int_equal(tw.info.contacts, 0);
        test_world_close(&tw);
    }
    printf("take-off at %.6f s, in flight off by %.3g (0.1 ms), %.3g (0.05 ms)\n", leave, error[0],
           error[1]);
    test_less(error[0], 1e-5);
}

/* ---- turntable ---- */

static void table_turns(const void* self, double t, SticBodyMotion* at)
{
    const double w = *(const double*)self;
    at->orientation = test_turn(stic_vec3(0.0, 0.0, 1.0), w * t);
    at->angular_velocity = stic_vec3(0.0, 0.0, w);
}

// a box that sticks goes round: no drift outwards of first order
static void turntable(void** state)
{
    (void)state;
    double error[2];
    const double w = 1.5, r = 1.0;
    for (int k = 0; k < 2; ++k) {
        TestWorld tw;
        const SticWorldDef world = world_def(0.5, 0.0);
        const double h = k == 0 ? 2e-3 : 1e-3;
        test_world_open(&tw, NULL, &world);
        add_plate(&tw, table_turns, &w);
        SticBodyDef def = stic_body_default_def();
        def.position = stic_vec3(r, 0.0, 0.1);
        def.velocity = stic_vec3(0.0, r * w, 0.0);
        def.angular_velocity = stic_vec3(0.0, 0.0, w);
        const SticBodyId box =
            test_world_add(&tw, &def, test_world_box(&tw, 0.2, 0.2, 0.1), (SticMaterialId){0, 0});
        test_world_run(&tw, "koziara", "", h, 1e-12);
        test_world_steps(&tw, (int)lround(4.0 / h));
        const SticVec3 place = test_world_place(&tw, box);
        error[k] = hypot(place.x - r * cos(4.0 * w), place.y - r * sin(4.0 * w));
        test_world_close(&tw);
    }
    printf("turntable after 4 s: off by %.3g (2 ms), %.3g (1 ms), ratio %.2f\n", error[0], error[1],
           error[0] / error[1]);
    test_less(error[0], 1e-4);
    test_greater(error[0] / error[1], 3.5);
}

/* ---- driven pivot ---- */

static const Wave pivot = {{0.1, 0.0, 0.0}, 4.0, 0.0};

// th'' = -g/l sin th - a_x/l cos th by the classical Runge-Kutta method
static double pivot_angle(double end)
{
    const int steps = 20000;
    double y[2] = {0.5, 0.0};
    for (int i = 0; i < steps; ++i) {
        const double dt = end / steps;
        double k[4][2];
        for (int s = 0; s < 4; ++s) {
            const double part = s == 0 ? 0.0 : s == 3 ? dt : 0.5 * dt;
            const double th = y[0] + (s == 0 ? 0.0 : part * k[s - 1][0]);
            const double om = y[1] + (s == 0 ? 0.0 : part * k[s - 1][1]);
            const double a = -0.1 * 16.0 * sin(4.0 * (i * dt + part));
            k[s][0] = om;
            k[s][1] = -g * sin(th) - a * cos(th);
        }
        for (int c = 0; c < 2; ++c)
            y[c] += dt / 6.0 * (k[0][c] + 2.0 * k[1][c] + 2.0 * k[2][c] + k[3][c]);
    }
    return y[0];
}

static double driven_pendulum(const char* scheme, double h, double end)
{
    TestWorld tw;
    SticBodyDef def = stic_body_default_def();
    SticBodyId top, mass;
    SticJointId rod;
    test_world_open(&tw, NULL, NULL);
    def.kind = STIC_BODY_PRESCRIBED;
    def.motion = shake;
    def.motion_self = &pivot;
    TEST_TRY(&tw, stic_body_create(tw.world, &def, &top, &tw.error));
    def = stic_body_default_def();
    def.kind = STIC_BODY_POINT;
    def.mass = 2.0;
    def.position = stic_vec3(sin(0.5), 0.0, -cos(0.5));
    // the pivot starts with 0.4 m/s: so does the mass, th' = 0
    def.velocity = stic_vec3(0.4, 0.0, 0.0);
    TEST_TRY(&tw, stic_body_create(tw.world, &def, &mass, &tw.error));
    SticJointDef joint = stic_joint_default_def();
    joint.kind = STIC_JOINT_ROD;
    joint.body[0] = mass;
    joint.body[1] = top;
    TEST_TRY(&tw, stic_joint_create(tw.world, &joint, &rod, &tw.error));
    test_world_run(&tw, scheme, "", h, 1e-12);
    test_world_steps(&tw, (int)lround(end / h));
    SticBodyMotion at = {0};
    shake(&pivot, end, &at);
    const SticVec3 arm = stic_vec3_sub(test_world_place(&tw, mass), at.position);
    const double angle = atan2(arm.x, -arm.z);
    test_less(fabs(stic_vec3_norm(arm) - 1.0), 2e-2);
    test_world_close(&tw);
    return angle;
}

static void driven_pivot(void** state)
{
    (void)state;
    const double exact = pivot_angle(2.0);
    const struct {
        const char* scheme;
        double h, bound, low, high;
    } cases[] = {{"koziara", 2e-3, 1e-4, 3.8, 4.2},
                 {"theta", 2e-3, 1e-4, 3.8, 4.2},
                 {"moreau", 2e-3, 1e-4, 3.8, 4.2},
                 {"relaxed", 0.02, 1e-9, 0.0, 1e9},
                 {"event", 0.02, 1e-7, 0.0, 1e9}}; // with their own steps inside
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        const double one = fabs(driven_pendulum(cases[k].scheme, cases[k].h, 2.0) - exact);
        const double two = fabs(driven_pendulum(cases[k].scheme, 0.5 * cases[k].h, 2.0) - exact);
        printf("driven pivot %-8s angle %.8f, errors %.3g (h %g), %.3g, ratio %.2f\n",
               cases[k].scheme, exact, one, cases[k].h, two, one / two);
        test_less(one, cases[k].bound);
        test_greater(one / two, cases[k].low);
        test_less(one / two, cases[k].high);
    }
}

/* ---- refusals ---- */

static void not_a_number(const void* self, double t, SticBodyMotion* at)
{
    (void)self;
    at->velocity.x = t > 0.5 ? NAN : 0.0;
}

static void bad_motion(void** state)
{
    (void)state;
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    add_plate(&tw, not_a_number, NULL);
    test_world_body(&tw, test_world_box(&tw, 0.2, 0.2, 0.1), stic_vec3(0.0, 0.0, 0.1),
                    stic_vec3_zero());
    test_world_run(&tw, "koziara", "", 0.1, 1e-10);
    test_world_steps(&tw, 4);
    const uint64_t before = stic_run_hash(tw.run);
    SticStatus status = STIC_OK;
    int good = 0;
    for (; good < 3 && status == STIC_OK; ++good)
        status = stic_run_step(tw.run, &tw.info);
    printf("after %d good steps: %s\n", good - 1, tw.info.error.text);
    assert_int_equal(status, STIC_NOT_FINITE);
    if (stic_run_hash(tw.run) != before) {
        test_greater(good, 1);
    }
    test_world_close(&tw);
}

// points fall on parabolas and bounce
static void points(void** state)
{
    (void)state;
    TestWorld tw;
    const SticWorldDef world = world_def(0.0, 1.0);
    test_world_open(&tw, NULL, &world);
    test_world_plane(&tw, stic_vec3(0.0, 0.0, 1.0), 0.0, (SticMaterialId){0, 0});
    SticBodyDef def = stic_body_default_def();
    def.kind = STIC_BODY_POINT;
    def.position = stic_vec3(0.0, 0.0, 1.0);
    def.velocity = stic_vec3(1.0, 0.5, 0.0);
    const SticBodyId ball =
        test_world_add(&tw, &def, test_world_sphere(&tw, 0.1), (SticMaterialId){0, 0});
    test_world_run(&tw, "koziara", "", 1e-3, 1e-12);
    assert_int_equal(tw.system->layout.nu, 3);
    test_less(fabs(stic_world_mass(tw.system, ball) - 1000.0 * 4.0 / 3.0 * STIC_PI * 1e-3), 1e-9);
    test_world_steps(&tw, 2000);
    const SticVec3 place = test_world_place(&tw, ball);
    const double m = stic_world_mass(tw.system, ball), vz = test_world_motion(&tw, ball).velocity.z;
    printf("bouncing point at 2 s: (%.6f, %.6f, %.6f), energy %.12g of %.12g\n", place.x, place.y,
           place.z, 0.5 * vz * vz + g * place.z, g);
    test_near(place.x, 2.0, 1e-12);
    test_near(place.y, 1.0, 1e-12);
    test_less(fabs(m * (0.5 * vz * vz + g * place.z) - m * g), 1e-9 * m);
    test_world_close(&tw);

    // refusals
    test_world_open(&tw, NULL, NULL);
    SticBodyId id;
    def.orientation = test_turn(stic_vec3(0.0, 0.0, 1.0), 1.0);
    assert_int_equal(stic_body_create(tw.world, &def, &id, &tw.error), STIC_BAD_ARGUMENT);
    printf("%s\n", tw.error.text);
    test_world_close(&tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conveyor),  cmocka_unit_test(rides_along),  cmocka_unit_test(takes_off),
        cmocka_unit_test(turntable), cmocka_unit_test(driven_pivot), cmocka_unit_test(bad_motion),
        cmocka_unit_test(points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
