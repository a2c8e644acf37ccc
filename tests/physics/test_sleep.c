// SPDX-License-Identifier: Apache-2.0
// Islands at rest that a run leaves alone: they wake when something happens to them, with the motion
// of runs in which nobody sleeps; forces, ledger and snapshots know them.
#include "helpers/helpers.h"
#include "helpers/world.h"

static const SticMaterialId own = {0, 0};
static const double g = 9.81;
enum { BOXES = 3, REST = 10 };

typedef struct Tower {
    TestWorld tw;
    SticBodyId box[BOXES], ball;
} Tower;

static void start(TestWorld* tw, const char* scheme, int32_t sleep)
{
    SticRunDef def = stic_run_default_def();
    def.scheme = scheme;
    def.step = 2e-3;
    def.sleep = sleep;
    TEST_TRY(tw, stic_run_create(&tw->context, tw->world, &def, &tw->run, &tw->error));
}

// boxes of 20 cm on each other, and a ball that arrives at the uppermost after about 0.4 s
static void build(Tower* tower, const char* scheme, int32_t sleep)
{
    TestWorld* tw = &tower->tw;
    test_world_open(tw, NULL, NULL);
    test_world_plane(tw, stic_vec3(0, 0, 1), 0.0, own);
    const SticShape* box = test_world_box(tw, 0.1, 0.1, 0.1);
    for (int k = 0; k < BOXES; ++k)
        tower->box[k] = test_world_body(tw, box, stic_vec3(0, 0, 0.1 + 0.2 * k), stic_vec3_zero());
    tower->ball = test_world_body(tw, test_world_sphere(tw, 0.05), stic_vec3(-1.15, 0.02, 0.5),
                                  stic_vec3(2.5, 0, 0.5 * g * 0.4));
    start(tw, scheme, sleep);
}

static bool rests(const Tower* tower)
{
    bool all = true;
    for (int k = 0; k < BOXES; ++k) {
        const SticTwist twist = stic_run_twist(tower->tw.run, tower->box[k]);
        all = all && stic_vec3_norm(twist.velocity) == 0.0 &&
              stic_vec3_norm(twist.angular_velocity) == 0.0;
    }
    return all;
}

// upward force of the ground, and the number of contacts
static double ground_force(TestWorld* tw, int32_t* count)
{
    const SticContactForce* contact = NULL;
    double sum = 0.0;
    TEST_TRY(tw, stic_run_contacts(tw->run, &contact, count));
    for (int32_t k = 0; k < *count; ++k)
        if (contact[k].point.z < 1e-3)
            sum += fabs(contact[k].force.z);
    return sum;
}

static double distance(SticVec3 a, SticVec3 b)
{
    return stic_vec3_norm(stic_vec3_sub(a, b));
}

static const char* const schemes[] = {"moreau", "koziara", "theta"};

// a ball hits a tower that sleeps: as if it had been awake
static void test_hit(void** unused)
{
    (void)unused;
    for (int s = 0; s < 3; ++s) {
        Tower awake, asleep;
        build(&awake, schemes[s], 0);
        build(&asleep, schemes[s], REST);
        test_world_steps(&awake.tw, 100);
        test_world_steps(&asleep.tw, 100);
        assert_true(rests(&asleep));
        // what sleepers carry is reported
        int32_t count[2];
        const double weight = BOXES * 1000.0 * 0.2 * 0.2 * 0.2 * g;
        test_near(ground_force(&awake.tw, &count[0]), weight, 1e-6 * weight);
        test_near(ground_force(&asleep.tw, &count[1]), weight, 1e-6 * weight);
        assert_int_equal(count[0], count[1]);
        assert_int_equal(asleep.tw.info.contacts, awake.tw.info.contacts);
        int woken = 0;
        double worst = 0.0;
        for (int k = 100; k < 250; ++k) {
            test_world_steps(&awake.tw, 1);
            test_world_steps(&asleep.tw, 1);
            woken = woken == 0 && !rests(&asleep) ? k : woken;
            // while the ball and the boxes fly, errors of the solver grow no more than by geometry
            for (int b = 0; b < BOXES; ++b)
                worst =
                    test_worse(worst, distance(stic_run_pose(awake.tw.run, awake.box[b]).origin,
                                               stic_run_pose(asleep.tw.run, asleep.box[b]).origin));
        }
        const double moved = stic_run_pose(awake.tw.run, awake.box[BOXES - 1]).origin.x;
        const SticLedger* ledger = &stic_run_totals(asleep.tw.run)->ledger;
        double kinetic = 0.0, potential = 0.0;
        TEST_TRY(&asleep.tw, stic_run_energy(asleep.tw.run, &kinetic, &potential));
        const double change = kinetic + potential - stic_run_totals(asleep.tw.run)->energy_start;
        print_message("%s: woken in step %d, boxes within %.1e m of the run without sleep, the "
                      "uppermost moved by %.3f m; ledger off by %.1e J, integration %.1e J\n",
                      schemes[s], woken, worst, moved,
                      fabs(ledger->kinetic + ledger->potential - change), ledger->integration);
        test_greater(woken, 150);
        test_greater(moved, 1e-3);
        test_less(worst, 1e-6);
        test_less(fabs(ledger->kinetic + ledger->potential - change), 1e-9 * fabs(change));
        assert_int_equal(stic_run_totals(asleep.tw.run)->notice[STIC_NOTICE_LOST].count, 0);
        test_world_close(&awake.tw);
        test_world_close(&asleep.tw);
    }
}

// first step in which a box on a plane moves while gravity tilts by 1e-3 rad in a step, after 60
// steps without
static int slide_step(int32_t sleep, bool* slept)
{
    TestWorld tw;
    SticWorldDef def = stic_world_default_def();
    test_world_open(&tw, NULL, &def);
    SticMaterialDef material = stic_material_default_def();
    material.surface.friction = 0.2;
    SticMaterialId rough;
    TEST_TRY(&tw, stic_material_create(tw.world, &material, &rough, &tw.error));
    test_world_plane(&tw, stic_vec3(0, 0, 1), 0.0, rough);
    SticBodyDef body = stic_body_default_def();
    body.position = stic_vec3(0, 0, 0.1);
    const SticBodyId box = test_world_add(&tw, &body, test_world_box(&tw, 0.2, 0.2, 0.1), rough);
    start(&tw, "moreau", sleep);
    int first = 0;
    *slept = false;
    for (int k = 1; k < 400 && first == 0; ++k) {
        const double angle = k < 60 ? 0.0 : 1e-3 * (k - 60);
        stic_world_set_gravity(tw.world, stic_vec3(g * sin(angle), 0, -g * cos(angle)));
        test_world_steps(&tw, 1);
        const double speed = stic_vec3_norm(stic_run_twist(tw.run, box).velocity);
        *slept = *slept || (k > REST && speed == 0.0);
        first = speed > 1e-6 ? k : 0;
    }
    test_world_close(&tw);
    return first;
}

static void test_tilt(void** unused)
{
    (void)unused;
    bool slept[2];
    const int awake = slide_step(0, &slept[0]), asleep = slide_step(REST, &slept[1]);
    // tan(1e-3 k) > 0.2
    const int exact = 60 + (int)ceil(1e3 * atan(0.2));
    print_message("slides in step %d (%d without sleep, %d by Coulomb's law)\n", asleep, awake,
                  exact);
    assert_true(slept[1]);
    assert_int_equal(asleep, exact);
    assert_int_equal(awake, exact);
}

// the lowest box is taken away, by hand or by a force: the others fall
static void test_support(void** unused)
{
    (void)unused;
    for (int pulled = 0; pulled < 2; ++pulled) {
        Tower tower[2];
        SticVec3 place[2];
        for (int k = 0; k < 2; ++k) {
            build(&tower[k], "moreau", k * REST);
            TestWorld* tw = &tower[k].tw;
            test_world_steps(tw, 60);
            if (k == 1)
                assert_true(rests(&tower[k]));
            if (pulled == 1)
                TEST_TRY(tw,
                         stic_body_set_force(tw->world, tower[k].box[0], stic_vec3(0, 2000.0, 0),
                                             stic_vec3_zero(), &tw->error));
            else
                TEST_TRY(tw, stic_run_set_pose(tw->run, tower[k].box[0], stic_vec3(0, 5, 0.1),
                                               stic_quat(1, stic_vec3_zero()), &tw->error));
            test_world_steps(tw, 50);
            place[k] = stic_run_pose(tw->run, tower[k].box[1]).origin;
            test_world_close(tw);
        }
        print_message("%s: the second box at (%.6f, %.6f, %.6f), %.1e m from the run without "
                      "sleep\n",
                      pulled == 1 ? "pulled" : "taken away", place[1].x, place[1].y, place[1].z,
                      distance(place[0], place[1]));
        test_less(distance(place[0], place[1]), 1e-7);
        // free fall over 0.1 s
        if (pulled == 0)
            test_near(0.3 - place[1].z, 0.5 * g * 0.1 * 0.1, 1e-6);
        else
            test_greater(place[1].y, 1e-2);
    }
}

// at rest up to 0.2 s, then 1 m/s along x
static void push(const void* self, double t, SticBodyMotion* at)
{
    (void)self;
    at->position = stic_vec3(-0.5 + (t > 0.2 ? t - 0.2 : 0.0), 0, 0.1);
    at->orientation = stic_quat(1, stic_vec3_zero());
    at->velocity = stic_vec3(t > 0.2 ? 1.0 : 0.0, 0, 0);
    at->angular_velocity = stic_vec3_zero();
}

// a prescribed body pushes a box that sleeps
static void test_ram(void** unused)
{
    (void)unused;
    SticVec3 place[2];
    for (int k = 0; k < 2; ++k) {
        TestWorld tw;
        test_world_open(&tw, NULL, NULL);
        test_world_plane(&tw, stic_vec3(0, 0, 1), 0.0, own);
        const SticShape* shape = test_world_box(&tw, 0.1, 0.1, 0.1);
        const SticBodyId box = test_world_body(&tw, shape, stic_vec3(0, 0, 0.1), stic_vec3_zero());
        SticBodyDef ram = stic_body_default_def();
        ram.kind = STIC_BODY_PRESCRIBED;
        ram.motion = push;
        ram.position = stic_vec3(-0.5, 0, 0.1);
        test_world_add(&tw, &ram, shape, own);
        start(&tw, "moreau", k * REST);
        test_world_steps(&tw, 150);
        if (k == 1)
            assert_true(stic_vec3_norm(stic_run_twist(tw.run, box).velocity) == 0.0);
        test_world_steps(&tw, 250);
        place[k] = stic_run_pose(tw.run, box).origin;
        test_world_close(&tw);
    }
    print_message("pushed to x = %.9f, without sleep %.9f\n", place[1].x, place[0].x);
    test_near(place[1].x, place[0].x, 1e-9);
    test_near(place[1].x, 0.3, 2e-3);
}

// a run that goes on from a snapshot taken while the tower sleeps has the same bits
static void test_resume(void** unused)
{
    (void)unused;
    Tower one, two;
    SticArena* arena = NULL;
    const void* bytes = NULL;
    size_t count = 0;
    build(&one, "moreau", REST);
    build(&two, "moreau", REST);
    TEST_TRY(&one.tw, stic_arena_create(&one.tw.context, 0, &arena));
    for (int k = 0; k < 2; ++k) {
        // before it falls asleep, and after
        test_world_steps(&one.tw, k == 0 ? REST / 2 : 60);
        TEST_TRY(&one.tw, stic_run_save(one.tw.run, arena, &bytes, &count));
        TEST_TRY(&two.tw, stic_run_load(two.tw.run, bytes, count, &two.tw.error));
        test_world_steps(&one.tw, 20 + 120 * k);
        test_world_steps(&two.tw, 20 + 120 * k);
        assert_true(stic_run_hash(one.tw.run) == stic_run_hash(two.tw.run));
        assert_true(rests(&one) == (k == 0));
    }
    stic_arena_destroy(arena);
    test_world_close(&one.tw);
    test_world_close(&two.tw);
}

static void refuse(const char* scheme, const char* accuracy, const char* settings, int32_t sleep,
                   const char* word)
{
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    test_world_body(&tw, test_world_sphere(&tw, 0.1), stic_vec3_zero(), stic_vec3_zero());
    SticRunDef def = stic_run_default_def();
    def.scheme = scheme;
    def.accuracy = accuracy;
    def.settings = settings;
    def.sleep = sleep;
    assert_true(stic_run_create(&tw.context, tw.world, &def, &tw.run, &tw.error) != STIC_OK);
    assert_non_null(strstr(tw.error.text, word));
    test_world_close(&tw);
}

static void test_refusals(void** unused)
{
    (void)unused;
    refuse("moreau", "strict", NULL, REST, "strict");
    refuse("moreau", "standard", "solver.tolerance=1e-8", REST, "tolerance");
    refuse("event", "standard", NULL, REST, "event");
    refuse("moreau", "standard", NULL, -1, "-1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hit), cmocka_unit_test(test_tilt),   cmocka_unit_test(test_support),
        cmocka_unit_test(test_ram), cmocka_unit_test(test_resume), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
