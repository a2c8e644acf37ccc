// SPDX-License-Identifier: Apache-2.0
// Worlds against reference values: sticking and sliding, stopping, Zeno's ball, rocking, balls in a
// row, Potra and Anitescu's block, impacts with five coefficients, and what may gain energy.
#include "helpers/world.h"
#include "math/math.h"

static const SticMaterialId own = {0, 0};
static const double g = 9.81;

typedef struct Case {
    const char *name, *settings;
} Case;

static void open_floor(TestWorld* tw, SticVec3 normal, double friction, double restitution)
{
    SticWorldDef def = stic_world_default_def();
    def.material.surface.friction = friction;
    def.material.surface.restitution[0] = restitution;
    test_world_open(tw, NULL, &def);
    test_world_plane(tw, normal, 0.0, own);
}

/* ---- slope ---- */

// the velocity error of a solved step is of the order of the tolerance times h g; a drift adds up
static void test_slope_sticks(void** unused)
{
    (void)unused;
    static const Case cases[] = {{"koziara", NULL}, {"moreau", NULL}, {"theta", NULL}};
    const double a = atan(0.5), h = 5e-3;
    const SticVec3 n = stic_vec3(-sin(a), 0.0, cos(a));
    for (int k = 0; k < 3; ++k)
        for (int box = 0; box < 2; ++box) {
            TestWorld tw;
            SticWorldDef def = stic_world_default_def();
            def.material.surface.friction = 0.51;
            test_world_open(&tw, NULL, &def);
            SticBodyDef body = stic_body_default_def();
            body.orientation = test_turn(stic_vec3(0, 1, 0), -a);
            if (box == 0) {
                test_world_plane(&tw, n, 0.0, own);
            } else {
                body.kind = STIC_BODY_FIXED;
                body.position = stic_vec3_scale(-0.5, n);
                test_world_add(&tw, &body, test_world_box(&tw, 2.0, 2.0, 0.5), own);
                body.kind = STIC_BODY_RIGID;
            }
            body.position = stic_vec3_scale(0.1 - 1e-9, n);
            const SticBodyId id =
                test_world_add(&tw, &body, test_world_box(&tw, 0.2, 0.15, 0.1), own);
            test_world_run(&tw, cases[k].name, cases[k].settings, h, 1e-10);
            const SticVec3 start = test_world_place(&tw, id);
            test_world_steps(&tw, (int)lround(10.0 / h));
            const double drift = stic_vec3_distance(test_world_place(&tw, id), start);
            print_message("slope, %s on a %s: drift %.1e m in 10 s (bound %.1e)\n", cases[k].name,
                          box == 0 ? "half-space" : "box", drift, 1e-10 * g * h * 10.0 + 1.1e-9);
            // the first step takes back nothing of the nanometre of overlap
            test_less(drift, 1e-9);
            test_world_close(&tw);
        }
}

// four contacts share the load in many ways: none of them may slip because its share is at the
// bound
static void test_event_sticks(void** unused)
{
    (void)unused;
    const double a = atan(0.5);
    const SticVec3 n = stic_vec3(-sin(a), 0.0, cos(a));
    TestWorld tw;
    open_floor(&tw, n, 0.51, 0.0);
    SticBodyDef body = stic_body_default_def();
    body.orientation = test_turn(stic_vec3(0, 1, 0), -a);
    body.position = stic_vec3_scale(0.1, n);
    const SticBodyId id = test_world_add(&tw, &body, test_world_box(&tw, 0.2, 0.15, 0.1), own);
    test_world_run(&tw, "event", NULL, 2e-3, 1e-12);
    const SticVec3 start = test_world_place(&tw, id);
    test_world_steps(&tw, 500);
    const double drift = stic_vec3_distance(test_world_place(&tw, id), start);
    print_message("slope, event: drift %.1e m in 1 s\n", drift);
    test_less(drift, 1e-10);
    test_world_close(&tw);
}

/* ---- sliding ---- */

static double slide(const Case* c, double heading, double v, double h, double* lift)
{
    TestWorld tw;
    open_floor(&tw, stic_vec3(0, 0, 1), 0.5, 0.0);
    SticBodyDef def = stic_body_default_def();
    def.position = stic_vec3(0, 0, 0.05 - 1e-9);
    def.velocity = stic_vec3(v * cos(heading), v * sin(heading), 0.0);
    const SticBodyId id = test_world_add(&tw, &def, test_world_box(&tw, 0.05, 0.05, 0.05), own);
    test_world_run(&tw, c->name, c->settings, h, 1e-12);
    *lift = 0.0;
    for (int k = 0; k < (int)(1.05 * v / (0.5 * g * h)); ++k) {
        test_world_steps(&tw, 1);
        *lift = test_worse(*lift, test_world_place(&tw, id).z - 0.05);
    }
    test_less(stic_vec3_norm(test_world_motion(&tw, id).velocity), 1e-10);
    const SticVec3 x = test_world_place(&tw, id);
    const double along = x.x * cos(heading) + x.y * sin(heading);
    test_less(fabs(x.y * cos(heading) - x.x * sin(heading)), 1e-9);
    test_world_close(&tw);
    return along;
}

static void test_headings(void** unused)
{
    (void)unused;
    // theta = 1 places by the end velocity: the semi-implicit step
    static const Case cases[] = {{"koziara", NULL}, {"moreau", NULL}, {"theta", "theta=1"}};
    static const double exact[] = {3.6697, 3.6697, 3.6547};
    const double h = 5e-3, a = 0.5 * g;
    for (int k = 0; k < 3; ++k) {
        double least = INFINITY, most = -INFINITY, lift = 0.0;
        for (int j = 0; j < 16; ++j) {
            double up;
            const double d = slide(&cases[k], j * STIC_PI / 8.0, 6.0, h, &up);
            least = fmin(least, d);
            most = test_worse(most, d);
            lift = test_worse(lift, up);
        }
        print_message("cube at 6 m/s in 16 headings, %s: %.7f to %.7f m (%.4f), lift %.1e m\n",
                      cases[k].name, least, most, exact[k], lift);
        test_less(most - least, 1e-8);
        // in the last step the velocity falls to 0 before its end
        test_less(fabs(least - exact[k]), 0.5 * a * h * h + 5e-5);
        test_at_most(lift, 0.0);
    }
    double up;
    const double stop = slide(&cases[0], 0.3, 5.0, 1e-3, &up);
    print_message("sliding stop from 5 m/s: %.7f m (2.548420)\n", stop);
    test_less(fabs(stop - 2.548420), 0.5 * a * 1e-6 + 5e-7);
}

/* ---- Zeno ---- */

// time at which the ball stays down: below the speed of one step of free fall
static double rest_time(const char* scheme, double e, double h)
{
    TestWorld tw;
    open_floor(&tw, stic_vec3(0, 0, 1), 0.0, e);
    const double r = 0.1;
    const SticBodyId id =
        test_world_body(&tw, test_world_sphere(&tw, r), stic_vec3(0, 0, 1.0 + r), stic_vec3_zero());
    test_world_run(&tw, scheme, NULL, h, 1e-10);
    double t = 0.0;
    const int count = (int)lround(sqrt(2.0 / g) * (1.0 + e) / (1.0 - e) / h) + 200;
    for (int k = 1; k <= count; ++k) {
        test_world_steps(&tw, 1);
        if (fabs(test_world_motion(&tw, id).velocity.z) > 2.0 * g * h)
            t = k * h;
    }
    test_world_close(&tw);
    return t;
}

static void test_zeno(void** unused)
{
    (void)unused;
    static const double e[] = {0.5, 0.9}, exact[] = {1.354570923, 8.578949179};
    for (int k = 0; k < 2; ++k) {
        double error[2];
        for (int j = 0; j < 2; ++j) {
            const double h = j == 0 ? 1e-3 : 2.5e-4;
            error[j] = rest_time("koziara", e[k], h) - exact[k];
            print_message("ball with e = %.1f, h = %g: rests at %.4f s (%.4f)\n", e[k], h,
                          error[j] + exact[k], exact[k]);
            // bounces of less than a few steps are lost, and every impact is late by a step at most
            test_less(fabs(error[j]), 2.0 * h * log(1.0 / h) / log(1.0 / e[k]));
        }
        test_less(fabs(error[1]), 0.5 * fabs(error[0]));
    }
}

/* ---- rocking block ---- */

// angle by small Runge-Kutta steps: theta'' = -p^2 sin(a - theta), until theta = 0
static double rock(double a, double p, double* rate)
{
    double theta = 0.5 * a, w = 0.0, t = 0.0;
    const double h = 1e-5;
    while (theta > 0.0) {
        const double a1 = -p * p * sin(a - theta), a2 = -p * p * sin(a - theta - 0.5 * h * w);
        theta += h * (w + 0.5 * h * a1);
        w += h * a2;
        t += h;
    }
    *rate = -w;
    return t;
}

static void test_rocking(void** unused)
{
    (void)unused;
    const double b = 0.1, height = 0.5, a = atan(b / height), R = sqrt(b * b + height * height);
    const double p = sqrt(0.75 * g / R), h = 1e-4;
    test_near(a, 0.197395560, 1e-8);
    test_near(p, 3.798584558, 1e-8);
    TestWorld tw;
    open_floor(&tw, stic_vec3(0, 0, 1), 5.0, 0.0);
    // turned about the edge x = b by half the critical angle
    SticBodyDef def = stic_body_default_def();
    def.position = stic_vec3(-R * sin(a - 0.5 * a), 0.0, R * cos(a - 0.5 * a) - 1e-9);
    def.orientation = test_turn(stic_vec3(0, 1, 0), 0.5 * a);
    const SticBodyId id = test_world_add(&tw, &def, test_world_box(&tw, b, 0.2, height), own);
    test_world_run(&tw, "koziara", "rotation=new2", h, 1e-12);
    double before = 0.0, after = 0.0, time = 0.0, rate;
    const double hit = rock(a, p, &rate);
    for (int k = 1; k <= (int)(2.0 * hit / h) && after == 0.0; ++k) {
        test_world_steps(&tw, 1);
        const double w = -test_world_motion(&tw, id).angular_velocity.y;
        if (before > 0.1 && w < 0.99 * before) {
            // the first step closes the gap, the second one ends the impact
            time = k * h;
            test_world_steps(&tw, 1);
            after = -test_world_motion(&tw, id).angular_velocity.y;
        } else {
            before = w;
        }
    }
    print_message("rocking: hits at %.4f s (%.4f) with %.6f rad/s (%.6f), ratio %.6f (%.6f)\n",
                  time, hit, before, rate, after / before, 1.0 - 1.5 * sin(a) * sin(a));
    test_less(fabs(time - hit), 3.0 * h);
    test_less(fabs(before - rate), 10.0 * h);
    // gravity of the two steps of the impact turns the block back a little
    test_less(fabs(after / before - 0.942307692), 2.1 * h * p * p * sin(a) / rate);
    test_world_close(&tw);
}

/* ---- balls in a row ---- */

static void test_balls(void** unused)
{
    (void)unused;
    static const double together[3] = {-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0}, one[3] = {0.0, 0.0, 1.0};
    for (int k = 0; k < 2; ++k) {
        TestWorld tw;
        SticWorldDef def = stic_world_default_def();
        def.gravity = stic_vec3_zero();
        def.material.surface = (SticSurface){.friction = 0.0, .restitution = {1.0, 0.0}};
        test_world_open(&tw, NULL, &def);
        const SticShape* ball = test_world_sphere(&tw, 0.1);
        // in touch: one impact of all three; a hair apart: one after the other
        const double apart = k == 0 ? -1e-9 : 1e-5;
        SticBodyId id[3];
        for (int i = 0; i < 3; ++i)
            id[i] = test_world_body(&tw, ball, stic_vec3(i * (0.2 + apart), 0, 0),
                                    stic_vec3(i == 0 ? 1.0 : 0.0, 0, 0));
        test_world_run(&tw, "moreau", NULL, 1e-3, 1e-14);
        test_world_steps(&tw, 10);
        for (int i = 0; i < 3; ++i) {
            const double v = test_world_motion(&tw, id[i]).velocity.x;
            print_message("three balls %s: v%d = %.12f\n", k == 0 ? "in touch" : "apart", i, v);
            test_less(fabs(v - (k == 0 ? together[i] : one[i])), 1e-12);
        }
        test_world_close(&tw);
    }
}

/* ---- Potra and Anitescu's block ---- */

static void test_driven_block(void** unused)
{
    (void)unused;
    TestWorld tw;
    open_floor(&tw, stic_vec3(0, 0, 1), 0.8, 0.0);
    SticBodyDef def = stic_body_default_def();
    def.position = stic_vec3(0, 0, 0.05 - 1e-9);
    def.mass = 1.0;
    const SticBodyId id = test_world_add(&tw, &def, test_world_box(&tw, 0.15, 0.15, 0.05), own);
    const double h = 1e-3;
    test_world_run(&tw, "koziara", NULL, h, 1e-12);
    double fastest = 0.0, begin[4] = {0}, end[4] = {0}, plateau[4] = {0};
    int slips = 0;
    bool moving = false;
    for (int k = 0; k < 10000; ++k) {
        const double t = k * h;
        TEST_TRY(&tw, stic_body_set_force(tw.world, id, stic_vec3(8.0 * cos(t + 0.5 * h), 0, 0),
                                          stic_vec3_zero(), &tw.error));
        test_world_steps(&tw, 1);
        const double v = fabs(test_world_motion(&tw, id).velocity.x);
        fastest = test_worse(fastest, v);
        const bool slides = v > 1e-9;
        if (slides && !moving && slips < 4)
            begin[slips] = t;
        if (!slides && moving && slips < 4) {
            end[slips] = t + h;
            plateau[slips++] = test_world_place(&tw, id).x;
        }
        moving = slides;
    }
    assert_int_equal(slips, 4);
    for (int k = 0; k < 4; ++k) {
        const double from = k == 0 ? 0.0 : k * STIC_PI - 0.195245862;
        const double to = k == 0 ? 0.338608185 : k * STIC_PI + 0.391241955;
        const double x = k % 2 == 0 ? 0.004348570 : -0.008697167;
        print_message("block under 8 cos t: slips from %.4f to %.4f (%.4f to %.4f), rests at %.7f "
                      "(%.7f)\n",
                      begin[k], end[k], from, to, plateau[k], x);
        test_near(begin[k], from, 2.0 * h);
        test_near(end[k], to, 2.0 * h);
        test_less(fabs(plateau[k] - x), 2e-6);
    }
    print_message("fastest %.9f m/s (0.039544653), x(10) = %.7f (-0.0086970)\n", fastest,
                  test_world_place(&tw, id).x);
    test_less(fabs(fastest - 0.039544653), 1e-6);
    test_world_close(&tw);
}

/* ---- impacts with five coefficients ---- */

static void test_five_restitutions(void** unused)
{
    (void)unused;
    static const double eta[] = {0.0, 0.25, 0.5, 0.75, 1.0};
    for (int k = 0; k < 5; ++k) {
        double history[2][2400], first[2] = {0.0, 0.0}, energy = 0.0;
        for (int cube = 0; cube < 2; ++cube) {
            TestWorld tw;
            open_floor(&tw, stic_vec3(0, 0, 1), 0.0, eta[k]);
            stic_world_set_gravity(tw.world, stic_vec3(0, 0, -10));
            SticBodyDef def = stic_body_default_def();
            def.mass = 1.0;
            def.position = stic_vec3(0, 0, 0.1);
            def.velocity = stic_vec3(0, 0, -4);
            const SticShape* shape =
                cube ? test_world_box(&tw, 0.1, 0.1, 0.1) : test_world_sphere(&tw, 0.1);
            const SticBodyId id = test_world_add(&tw, &def, shape, own);
            test_world_run(&tw, "koziara", "law=velocity", 1e-3, 1e-13);
            for (int i = 0; i < 2400; ++i) {
                test_world_steps(&tw, 1);
                history[cube][i] = test_world_motion(&tw, id).velocity.z;
                if (i == 0)
                    first[cube] = history[cube][i];
            }
            const SticRunTotals* totals = stic_run_totals(tw.run);
            energy = totals->ledger.kinetic + totals->ledger.potential;
            if (cube == 0)
                print_message("eta %.2f: %.6f m/s after the first impact (%.2f), energy changed "
                              "by %.2e J\n",
                              eta[k], first[0], 4.0 * eta[k], energy);
            // no gain; with eta = 1 all 8 J stay over three impacts
            test_less(energy, 1e-12);
            if (k == 4)
                test_less(fabs(energy), 1e-11);
            test_world_close(&tw);
        }
        // gravity of the step of the impact is part of it
        test_less(fabs(first[0] - 4.0 * eta[k]), 1e-9);
        double worst = 0.0;
        for (int i = 0; i < 2400; ++i)
            worst = test_worse(worst, fabs(history[0][i] - history[1][i]));
        test_less(worst, 1e-9);
    }
}

/* ---- energy (Koziara 10.5) ---- */

static void test_no_gain_without_restitution(void** unused)
{
    (void)unused;
    // cubes thrown at each other without restitution and weight: no step gains energy (with weight
    // a contact may push what is about to fall back: the force works, not the impact)
    TestWorld tw;
    SticWorldDef world = stic_world_default_def();
    world.gravity = stic_vec3_zero();
    world.material.surface.friction = 0.6;
    test_world_open(&tw, NULL, &world);
    SticRandom random = stic_random_create(5);
    const SticShape* box = test_world_box(&tw, 0.1, 0.1, 0.1);
    for (int i = 0; i < 18; ++i) {
        SticBodyDef def = stic_body_default_def();
        double a[4];
        test_random_unit(&random, 4, a);
        def.position = stic_vec3(0.4 * (i % 3 - 1), 0.4 * (i / 3 % 3 - 1), 0.4 * (i / 9));
        def.orientation = stic_quat_load(a);
        def.velocity = stic_vec3_scale(-3.0, def.position);
        def.angular_velocity = stic_vec3(3, -2, 5);
        test_world_add(&tw, &def, box, own);
    }
    test_world_run(&tw, "moreau", NULL, 1e-3, 1e-11);
    double most = 0.0, lost = 0.0, differ = 0.0;
    int contacts = 0;
    for (int k = 0; k < 500; ++k) {
        test_world_steps(&tw, 1);
        const SticLedger* l = &tw.info.ledger;
        most = test_worse(most, l->kinetic);
        differ = test_worse(differ, fabs(l->kinetic - l->impact - l->friction));
        lost += l->kinetic;
        contacts += tw.info.contacts;
    }
    print_message(
        "eta = 0: %d contacts, largest gain in a step %.1e J, in all %.1f J, ledger within "
        "%.1e J\n",
        contacts, most, lost, differ);
    test_greater(contacts, 500);
    test_less(lost, -10.0);
    test_less(most, 1e-10);
    test_less(differ, 1e-12);
    test_world_close(&tw);
}

static void test_pure_and_mixed_impacts(void** unused)
{
    (void)unused;
    // a rod whose ends have the velocities u: m/6 (u1^2 + u1 u2 + u2^2)
    static const double left[] = {-0.3, 0.5, 0.5};
    static const char* const law[] = {"law=velocity", "law=velocity", NULL};
    for (int k = 0; k < 3; ++k) {
        TestWorld tw;
        open_floor(&tw, stic_vec3(0, 0, 1), 0.0, 1.0);
        stic_world_set_gravity(tw.world, stic_vec3_zero());
        SticBodyDef def = stic_body_default_def();
        const double l = 1.0, m = 3.0;
        def.mass = m;
        def.position = stic_vec3(0, 0, 0.01 - 1e-6);
        def.velocity = stic_vec3(0, 0, 0.5 * (left[k] - 1.0));
        def.angular_velocity = stic_vec3(0, (left[k] + 1.0) / (2.0 * l), 0);
        def.inertia = stic_mat3_diag(stic_vec3(1e-3, m * l * l / 3.0, m * l * l / 3.0));
        const SticBodyId id = test_world_add(&tw, &def, test_world_box(&tw, l, 0.02, 0.01), own);
        test_world_run(&tw, "koziara", law[k], 1e-7, 1e-13);
        test_world_steps(&tw, 1);
        const SticTwist end = test_world_motion(&tw, id);
        const double u1 = end.velocity.z + l * end.angular_velocity.y;
        const double u2 = end.velocity.z - l * end.angular_velocity.y;
        const double before = left[k] * left[k] - left[k] + 1.0,
                     after = u1 * u1 + u1 * u2 + u2 * u2;
        const double gain = m / 6.0 * (after - before);
        print_message("rod, ends at %.1f and -1, eta = 1: %.6f and %.6f, energy changes by %.6f J, "
                      "ledger says %.6f J\n",
                      left[k], u1, u2, gain, tw.info.ledger.impact);
        test_less(fabs(tw.info.ledger.impact - gain), 1e-6);
        // both ends hit: kept; one end hits while the other one leaves: the law of the thesis adds
        // a third, and names it; that on gaps gives each end its own velocity back
        test_less(fabs(gain - (k == 1 ? m / 6.0 * 0.25 : 0.0)), 1e-6);
        test_world_close(&tw);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slope_sticks),
        cmocka_unit_test(test_event_sticks),
        cmocka_unit_test(test_headings),
        cmocka_unit_test(test_zeno),
        cmocka_unit_test(test_rocking),
        cmocka_unit_test(test_balls),
        cmocka_unit_test(test_driven_block),
        cmocka_unit_test(test_five_restitutions),
        cmocka_unit_test(test_no_gain_without_restitution),
        cmocka_unit_test(test_pure_and_mixed_impacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
