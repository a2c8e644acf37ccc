// SPDX-License-Identifier: Apache-2.0
// What a step of the energy-consistent schemes accounts for: starts that the joints do not allow,
// works of prescribed motions and drives, momentum of pairs.
#include "physics/run.h"

#include "helpers/joints.h"

static const struct {
    const char *scheme, *settings;
} variants[] = {{"consistent", ""},
                {"decomposed", ""},
                {"decomposed", "midpoint=1"},
                {"consistent", "stages=one"},
                {"consistent", "stages=mixed"},
                // others that promise momentum
                {"moreau", ""},
                {"koziara", ""},
                {"theta", "theta=0.5 newton_tolerance=1e-14"}};
enum { ALL = sizeof variants / sizeof variants[0], VARIANTS = ALL - 3 };

static SticBodyId add_mass(TestWorld* tw, double mass, SticVec3 at, SticVec3 velocity)
{
    SticBodyDef def = stic_body_default_def();
    SticBodyId id;
    def.mass = mass;
    def.inertia = stic_mat3_diag(stic_vec3(0.02 * mass, 0.03 * mass, 0.04 * mass));
    def.position = at;
    def.velocity = velocity;
    TEST_TRY(tw, stic_body_create(tw->world, &def, &id, &tw->error));
    return id;
}

/* ---- starts ---- */

// Masses of 1 and 3 kg at the ends of a rod, with 2 and -1 m/s along it: the rod seizes them at
// once, the loss is that of a plastic impact, and both go on at the speed of their centre
static void test_seized_start(void** state)
{
    (void)state;
    for (int k = 0; k < VARIANTS; ++k) {
        TestWorld tw;
        const SticWorldDef def = test_joint_gravity(stic_vec3_zero());
        const double loss = 0.5 * 0.75 * 9.0, speed = (1.0 * 2.0 - 3.0 * 1.0) / 4.0;
        test_world_open(&tw, NULL, &def);
        const SticVec3 place[2] = {stic_vec3(0.0, 0.0, 0.0), stic_vec3(1.0, 0.0, 0.0)};
        const SticBodyId a = add_mass(&tw, 1.0, place[0], stic_vec3(2.0, 0.0, 0.0)),
                         b = add_mass(&tw, 3.0, place[1], stic_vec3(-1.0, 0.0, 0.0));
        test_joint_rod(&tw, a, place[0], b, place[1]);
        test_world_run(&tw, variants[k].scheme, variants[k].settings, 1e-2, 1e-12);
        test_world_steps(&tw, 1);
        const SticLedger first = tw.info.ledger;
        test_world_steps(&tw, 9);
        const double left = test_world_motion(&tw, a).velocity.x,
                     right = test_world_motion(&tw, b).velocity.x;
        printf("start off a rod, %s %s: lost %.15f J (%.15f), ledger closes to %.1e, then %.15f "
               "and %.15f m/s (%.2f)\n",
               variants[k].scheme, variants[k].settings, -first.constraint, loss,
               fabs(first.integration), left, right, speed);
        test_less(fabs(first.constraint + loss), 1e-12);
        test_less(fabs(first.integration), 1e-12);
        test_near(left, speed, 1e-12);
        test_near(right, speed, 1e-12);
        test_world_close(&tw);
    }
}

/* ---- prescribed motions ---- */

static void shake(const void* self, double t, SticBodyMotion* at)
{
    (void)self;
    at->position = stic_vec3(0.3 * sin(7.0 * t), 0.0, 0.1 * sin(11.0 * t));
    at->velocity = stic_vec3(2.1 * cos(7.0 * t), 0.0, 1.1 * cos(11.0 * t));
}

// A mass hangs on a spring and a damper, or on a rod, from a point that is shaken: the ledger
// closes to rounding of T + |V| in every step, and what it names as work of the motion is the
// energy there
static void test_shaken(void** state)
{
    (void)state;
    for (int k = 0; k < 2 * VARIANTS; ++k) {
        const bool rod = k % 2 == 1;
        TestWorld tw;
        const SticWorldDef def = test_joint_gravity(stic_vec3(0.0, 0.0, -9.81));
        double worst = 0.0;
        SticLedger sum = {0};
        test_world_open(&tw, NULL, &def);
        SticBodyDef support = stic_body_default_def();
        SticBodyId hand;
        support.kind = STIC_BODY_PRESCRIBED;
        support.motion = shake;
        TEST_TRY(&tw, stic_body_create(tw.world, &support, &hand, &tw.error));
        const SticVec3 at = stic_vec3(0.6, 0.0, -0.8);
        const SticBodyId mass = add_mass(&tw, 2.0, at, stic_vec3(0.0, 0.4, 0.0));
        if (rod) {
            test_joint_rod(&tw, mass, at, hand, stic_vec3_zero());
        } else {
            SticJointDef spring = stic_joint_default_def();
            spring.kind = STIC_JOINT_SPAN;
            spring.body[0] = hand;
            spring.body[1] = mass;
            spring.frame[0].point = spring.frame[1].point = stic_vec3_zero();
            spring.spring = (SticSpring){.stiffness = 800.0, .damping = 3.0, .rest = 0.9};
            test_joint_add(&tw, &spring);
        }
        test_world_run(&tw, variants[k / 2].scheme, variants[k / 2].settings, 5e-3, 1e-12);
        const double start = test_joint_energy(&tw);
        for (int i = 0; i < 400; ++i) {
            test_world_steps(&tw, 1);
            stic_ledger_add(&sum, &tw.info.ledger);
            worst = test_worse(worst, tw.info.violation[STIC_PROMISE_ENERGY]);
        }
        const double change = test_joint_energy(&tw) - start;
        printf("shaken %s, %s %s: ledger closes to %.1e of T + |V|; energy %+.6f J = motion %+.6f, "
               "damper %+.6f, rod %+.1e\n",
               rod ? "rod" : "spring", variants[k / 2].scheme, variants[k / 2].settings, worst,
               change, sum.prescribed, sum.damping, sum.constraint);
        test_less(worst, 1e-12);
        test_greater(fabs(sum.prescribed), 0.1);
        if (!rod) {
            test_less(sum.damping, -0.01);
        }
        test_world_close(&tw);
    }
}

/* ---- momentum ---- */

static SticVec3 momentum_of(TestWorld* tw, const SticBodyId* body, const double* mass, int count)
{
    SticVec3 sum = stic_vec3_zero();
    for (int i = 0; i < count; ++i)
        sum = stic_vec3_add_scaled(sum, mass[i], test_world_motion(tw, body[i]).velocity);
    return sum;
}

// Three bodies of different masses fly together, tumble, and hold each other by stiff springs
// beside their centres and by a point joint: the total momentum is that of the start
static void test_momentum(void** state)
{
    static const double mass[3] = {1.0, 4.0, 0.3};
    (void)state;
    for (int k = 0; k < ALL; ++k) {
        TestWorld tw;
        const SticWorldDef def = test_joint_gravity(stic_vec3_zero());
        SticBodyId body[3];
        double worst = 0.0, judged = 0.0;
        test_world_open(&tw, NULL, &def);
        for (int i = 0; i < 3; ++i)
            body[i] = add_mass(&tw, mass[i], stic_vec3(0.5 * i, 0.0, 0.0),
                               stic_vec3(10.0, 2.0 * i, i == 1 ? -3.0 : 1.0));
        SticJointDef spring = stic_joint_default_def();
        spring.kind = STIC_JOINT_SPAN;
        spring.body[0] = body[0];
        spring.body[1] = body[1];
        spring.frame[0].point = stic_vec3(0.1, 0.05, 0.0);
        spring.frame[1].point = stic_vec3(-0.1, 0.0, 0.07);
        spring.spring = (SticSpring){.stiffness = 1e4, .damping = 2.0, .rest = 0.25};
        test_joint_add(&tw, &spring);
        SticJointDef pin = stic_joint_default_def();
        pin.kind = STIC_JOINT_POINT;
        pin.body[0] = body[1];
        pin.body[1] = body[2];
        TEST_TRY(&tw, stic_joint_place(tw.world, stic_vec3(0.75, 0.0, 0.0),
                                       stic_vec3(0.0, 0.0, 1.0), &pin, &tw.error));
        test_joint_add(&tw, &pin);
        test_world_run(&tw, variants[k].scheme, variants[k].settings, 2e-3, 1e-12);
        const SticVec3 start = momentum_of(&tw, body, mass, 3);
        for (int i = 0; i < 1000; ++i) {
            test_world_steps(&tw, 1);
            const SticVec3 now = momentum_of(&tw, body, mass, 3);
            worst = test_worse(worst, stic_vec3_norm(stic_vec3_sub(now, start)));
            judged = test_worse(judged, tw.info.violation[STIC_PROMISE_MOMENTUM]);
        }
        printf("three bodies, %s %s: momentum %.1f N s, off by %.1e after 1000 steps; judged %.1e "
               "in a step\n",
               variants[k].scheme, variants[k].settings, stic_vec3_norm(start), worst, judged);
        test_less(worst, 1e-10 * stic_vec3_norm(start));
        test_less(judged, 1e-12);
        test_greater(judged, 0.0);
        test_world_close(&tw);
    }
}

/* ---- several groups of bodies ---- */

// Bodies 0 and 1 are joined, and 2 and 5, beside two lone ones: each group falls and swings as it
// would alone, joints hold to rounding, and Newton does not slow down
static void test_groups(void** state)
{
    (void)state;
    for (int s = 0; s < 2; ++s) {
        TestWorld tw;
        const SticWorldDef def = test_joint_gravity(stic_vec3(0.0, 0.0, -9.81));
        SticBodyId body[6];
        double worst = 0.0, energy = 0.0;
        int32_t most = 0;
        test_world_open(&tw, NULL, &def);
        for (int i = 0; i < 6; ++i)
            body[i] = add_mass(&tw, 1.0 + i, stic_vec3(i, 0.0, 0.0), stic_vec3(0.0, 0.1 * i, 0.0));
        test_joint_rod(&tw, body[0], stic_vec3_zero(), body[1], stic_vec3(1.0, 0.0, 0.0));
        test_joint_rod(&tw, body[2], stic_vec3(2.0, 0.0, 0.0), body[5], stic_vec3(5.0, 0.0, 0.0));
        test_joint_rod(&tw, body[5], stic_vec3(5.0, 0.0, 0.0), test_ground,
                       stic_vec3(5.0, 0.0, 3.0));
        test_world_run(&tw, variants[s].scheme, "", 1e-2, 1e-12);
        for (int i = 0; i < 100; ++i) {
            test_world_steps(&tw, 1);
            worst = test_worse(worst, tw.info.violation[STIC_PROMISE_POSITION]);
            energy = test_worse(energy, tw.info.violation[STIC_PROMISE_ENERGY]);
            most = tw.info.newton > most ? tw.info.newton : most;
        }
        printf("three groups of six bodies, %s: joints to %.1e m, energy to %.1e, at most %d "
               "iterations\n",
               variants[s].scheme, worst, energy, most);
        test_less(worst, 1e-14);
        test_less(energy, 1e-14);
        test_at_most(most, 6);
        test_world_close(&tw);
    }
}

/* ---- laws of the velocity at the end ---- */

// A mass leaves the limit of its slider at 1 m/s and a spring draws it back within the step. With
// the limit on the velocity at the end it stops there, while the mean velocity carries it away from
// the limit, which pushes: that would give 2.1 J to these 0.5 J. Such a step is made in two stages,
// and energy never grows
static void test_limit_gives_nothing(void** state)
{
    static const char* const schemes[] = {"consistent", "decomposed"};
    (void)state;
    for (int k = 0; k < 2; ++k) {
        TestWorld tw;
        const SticWorldDef def = test_joint_gravity(stic_vec3_zero());
        double most = 0.0, broken = 0.0;
        test_world_open(&tw, NULL, &def);
        const SticVec3 along = stic_vec3(1.0, 0.0, 0.0);
        const SticBodyId mass = add_mass(&tw, 1.0, stic_vec3_zero(), stic_vec3(-1.0, 0.0, 0.0));
        SticJointDef slider = test_joint_def(&tw, STIC_JOINT_SLIDER, mass, stic_vec3_zero(), along);
        slider.limit[0] = 0.0;
        slider.spring = (SticSpring){.stiffness = 1e4};
        test_joint_add(&tw, &slider);
        test_world_run(&tw, schemes[k], "stages=mixed", 0.1, 1e-12);
        const double start = test_joint_energy(&tw);
        test_near(start, 0.5, 1e-15);
        for (int i = 0; i < 200; ++i) {
            test_world_steps(&tw, 1);
            most = test_worse(most, test_joint_energy(&tw) - start);
            broken = test_worse(broken, tw.info.broken_promises != 0 ? 1.0 : 0.0);
        }
        printf("%s, limit and spring, laws at the end: energy grows by %.1e of 0.5 J, ends with "
               "%.3f J\n",
               schemes[k], most, test_joint_energy(&tw));
        test_less(most, 1e-11);
        test_equal(broken, 0.0);
        test_world_close(&tw);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seized_start), cmocka_unit_test(test_limit_gives_nothing),
        cmocka_unit_test(test_shaken),       cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
