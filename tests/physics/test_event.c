// SPDX-License-Identifier: Apache-2.0
// The event-driven scheme against closed forms: patches of several points, rolling, impacts in
// sequence, accumulation, and stop requests.
#include "helpers/helpers.h"
#include "physics/play.h"

static const double g = 9.81;

// CVODE is there where SUNDIALS was
#ifdef STIC_HAVE_SUNDIALS
enum { TEST_INTEGRATORS = 2 };
#else
enum { TEST_INTEGRATORS = 1 };
#endif

// a box on four points, pushed from rest: v = (F - mu m g) t
static void test_push(void** state)
{
    (void)state;
    static const double force[] = {7.8, 7.9, 8.0, 10.0};
    for (int k = 0; k < 4; ++k) {
        Played played;
        play(&played,
             "material{name='m', friction=0.8}\n"
             "body{name='table', kind='fixed', shape=shape.half_space{offset=-0.05, "
             "material='m'}}\n"
             "body{name='b', mass=1, shape=shape.box{size={0.3,0.3,0.1}, material='m'}, "
             "force={%.17g,0,0}}\n"
             "scheme 'event'\nrun{step=1e-3, duration=0.1}\n"
             "history{quantity='velocity', body='b', component='x'}\n",
             force[k]);
        const double exact = force[k] > 0.8 * g ? (force[k] - 0.8 * g) * 0.1 : 0.0;
        const SticStepRecord* record = stic_run_record(played.run);
        double carried = 0.0;
        for (int32_t i = 0; i < record->set.count; ++i)
            carried += record->r[record->set.row_at[i]] / record->h;
        print_message("push %4.1f N: v = %.12f, exact %.12f, integration %.1e J, carried %.9f N\n",
                      force[k], history(&played, 0), exact, integration(&played), carried);
        assert_true(record->filled);
        test_equal(record->set.count, 4);
        test_less(fabs(carried - g), 1e-9);
        test_less(fabs(history(&played, 0) - exact), 1e-9);
        test_less(fabs(integration(&played)), 1e-9);
        forget(&played);
    }
}

// Potra and Anitescu's block on four points: plateaus of the slips, whatever the step
static void test_block(void** state)
{
    (void)state;
    static const double step[] = {0.25, 1e-2};
    for (int k = 0; k < 2; ++k)
        play_block(step[k]);
}

// from sliding to rolling: ball 5/7, lying cylinder 2/3 of the speed; a box stops
static void test_rolling(void** state)
{
    (void)state;
    static const struct {
        const char *shape, *turn;
        double speed;
    } row[] = {
        {"shape.sphere{radius=0.1}", "", 2.0 * 5.0 / 7.0},
        {"shape.cylinder{radius=0.1,height=0.3}", ", orientation={axis={1,0,0},angle=math.pi/2}",
         2.0 * 2.0 / 3.0},
        {"shape.box{size={0.4,0.4,0.2}}", "", 0.0},
    };
    for (int k = 0; k < 3; ++k) {
        Played played;
        play(&played,
             "material{name='m', density=1000, friction=0.2}\nfloor{material='m'}\n"
             "body{name='b', material='m', position={0,0,0.1}, velocity={2,0,0}, shape=%s%s}\n"
             "scheme 'event'\nrun{step=1e-2, duration=1.5}\n"
             "history{quantity='velocity', body='b', component='x'}\n",
             row[k].shape, row[k].turn);
        print_message("%-38s v = %.12f, exact %.12f, %lld events, integration %.1e J\n",
                      row[k].shape, history(&played, 0), row[k].speed, (long long)played.events,
                      integration(&played));
        test_less(fabs(history(&played, 0) - row[k].speed), 1e-9);
        test_less(fabs(integration(&played)), 1e-7);
        test_at_least(played.events, 1);
        test_less(played.events, 20);
        forget(&played);
    }
}

// times of the bounces of a ball, and of the end of all bounces
static void test_bounces(void** state)
{
    (void)state;
    static const double e[] = {0.5, 0.9};
    for (int k = 0; k < 2; ++k) {
        TestRun run;
        SticError error = {0};
        char parameters[64];
        snprintf(parameters, sizeof parameters, "z=1 friction=0 restitution=%g", e[k]);
        assert_int_equal(test_run_open(&run, "point-mass", "event", parameters, "", &error),
                         STIC_OK);
        const double fall = sqrt(2.0 / g), end = fall * (1.0 + e[k]) / (1.0 - e[k]);
        double worst = 0.0, exact = fall, flight = 2.0 * fall * e[k], last = 0.0;
        int32_t counted = 0;
        for (int step = 1; step <= 90; ++step) {
            assert_int_equal(test_run_step(&run, 0.1 * step), STIC_OK);
            for (int32_t i = 0; i < run.stepper->events->count; ++i) {
                const SticEvent* event = &run.stepper->events->item[i];
                if (event->kind != STIC_EVENT_IMPACT)
                    continue;
                // later ones are shorter than rounding of their sum lets us tell
                if (counted < 20)
                    worst = test_worse(worst, fabs(event->t - exact));
                exact += flight;
                flight *= e[k];
                last = event->t;
                counted += 1;
            }
        }
        print_message("ball e = %.1f: %d impacts, times of the first 20 within %.1e s, the last "
                      "at %.9f, end of all %.9f\n",
                      e[k], counted, worst, last, end);
        test_greater(counted, 20);
        test_less(worst, 1e-12);
        test_less(fabs(last - end), 1e-6);
        test_less(run.now->q[2], 1e-9);
        test_less(fabs(run.now->u[2]), 1e-12);
        test_run_close(&run);
    }
}

// three balls, elastic: all at once, or one after the other
static void test_cradle(void** state)
{
    (void)state;
    static const char* const order[] = {"simultaneous", "sequential"};
    static const double exact[2][3] = {{-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0}, {0.0, 0.0, 1.0}};
    for (int k = 0; k < 2; ++k) {
        Played played;
        play(&played,
             "gravity{0,0,0}\nmaterial{name='m', friction=0, restitution=1}\n"
             "for i = 1, 3 do body{name='b' .. i, mass=1, material='m', position={(i == 1 and "
             "-0.1 or 0) + 0.1 * i, 0, 0}, velocity={i == 1 and 1 or 0, 0, 0}, "
             "shape=shape.sphere{radius=0.05}} end\n"
             "scheme 'event' {impact='%s'}\nrun{step=0.05, duration=0.2}\n"
             "for i = 1, 3 do history{quantity='velocity', body='b' .. i, component='x'} end\n",
             order[k]);
        print_message("cradle, %s: %.12f %.12f %.12f\n", order[k], history(&played, 0),
                      history(&played, 1), history(&played, 2));
        for (int i = 0; i < 3; ++i)
            test_less(fabs(history(&played, i) - exact[k][i]), 1e-9);
        forget(&played);
    }
}

// Housner's block: psi'' = -p^2 sin(a - psi) about the corner it stands on, by small steps of order
// four; at psi = 0 the other corner takes over with 1 - 3/2 sin^2 a of the rate
typedef struct Rocking {
    double p, a, y[2]; // tilt and its rate
    int side;          // +1: on the corner that it starts on, -1: on the other
} Rocking;

static void rock_step(Rocking* r, double h)
{
    double slope[4][2], y[2] = {r->y[0], r->y[1]};
    for (int s = 0; s < 4; ++s) {
        const double part = s == 0 ? 0.0 : s == 3 ? h : 0.5 * h;
        for (int c = 0; s > 0 && c < 2; ++c)
            y[c] = r->y[c] + part * slope[s - 1][c];
        slope[s][0] = y[1];
        slope[s][1] = -r->p * r->p * sin(r->a - y[0]);
    }
    for (int c = 0; c < 2; ++c)
        r->y[c] += h / 6.0 * (slope[0][c] + 2.0 * slope[1][c] + 2.0 * slope[2][c] + slope[3][c]);
}

static int rock_until(Rocking* r, double t)
{
    const double h = 2e-5;
    int impacts = 0;
    for (double now = 0.0; now < t;) {
        double length = t - now < h ? t - now : h;
        Rocking end = *r;
        rock_step(&end, length);
        // the length at which it is upright, by Newton's method on the step itself
        for (int k = 0; end.y[0] < 0.0 && k < 50; ++k) {
            length -= end.y[0] / end.y[1];
            end = *r;
            rock_step(&end, length);
            if (fabs(end.y[0]) < 1e-17)
                break;
        }
        now += length;
        *r = end;
        if (r->y[0] < 1e-16 && r->y[1] < 0.0) {
            r->y[0] = 0.0;
            r->y[1] *= -(1.0 - 1.5 * sin(r->a) * sin(r->a));
            r->side = -r->side;
            impacts += 1;
        }
    }
    return impacts;
}

// 0.2 by 1, released at half of its critical angle: before an impact, and behind one and two
static void test_rocking(void** state)
{
    (void)state;
    static const char* const integrator[] = {"pair", "cvode"};
    static const double end[] = {0.2, 0.6, 1.2};
    const double a = atan(0.2), R = 0.5 * sqrt(0.04 + 1.0), start = 0.5 * a;
    for (int k = 0; k < TEST_INTEGRATORS * 3; ++k) {
        const double t = end[k % 3];
        Rocking r = {sqrt(3.0 * g / (4.0 * R)), a, {start, 0.0}, 1};
        Played played;
        // the corner (0.1, -0.5) stays at the origin; the block leans over it
        play(&played,
             "material{name='m', density=1000, friction=0.9}\nfloor{material='m'}\n"
             "body{name='b', material='m', position={%.17g,0,%.17g}, "
             "orientation={axis={0,1,0},angle=%.17g}, shape=shape.box{size={0.2,0.3,1}}}\n"
             "scheme 'event' {integrator='%s'}\nrun{step=0.02, duration=%.17g}\n"
             "history{quantity='position', body='b', component='x'}\n"
             "history{quantity='position', body='b', component='z'}\n",
             -R * sin(a - start), R * cos(a - start), start, integrator[k / 3], t);
        const int impacts = rock_until(&r, t);
        const double corner = r.side > 0 ? 0.0 : -0.2;
        const double x = corner - r.side * R * sin(a - r.y[0]), z = R * cos(a - r.y[0]);
        const double apart = hypot(history(&played, 0) - x, history(&played, 1) - z);
        print_message("rocking block, %s: tilt %.9f after %.1f s and %d impacts, centre off by "
                      "%.1e m, %lld events\n",
                      integrator[k / 3], r.y[0], t, impacts, apart, (long long)played.events);
        test_less(apart, 1e-8);
        test_less(fabs(integration(&played)), 1e-9 * 1000.0 * (k < 3 ? 1.0 : 1e3));
        forget(&played);
    }
}

static bool stop_now(void* self)
{
    return ++*(int*)self > 3;
}

// a request inside a step ends it and leaves the state as it was
static void test_interrupt(void** state)
{
    (void)state;
    TestRun run;
    SticError error = {0};
    int asked = 0;
    assert_int_equal(test_run_open(&run, "point-mass", "event", "z=1 restitution=0.9", "", &error),
                     STIC_OK);
    run.stepper->context.interrupt = (SticInterrupt){&asked, stop_now};
    assert_int_equal(test_run_step(&run, 9.0), STIC_INTERRUPTED);
    print_message("%s\n", run.info.error.text);
    test_equal(run.now->t, 0.0);
    test_equal(run.now->q[2], 1.0);
    test_equal(run.now->u[2], 0.0);
    run.stepper->context.interrupt = (SticInterrupt){NULL, NULL};
    assert_int_equal(test_run_step(&run, 9.0), STIC_OK);
    test_run_close(&run);
}

// a load and paths that are functions of time: a push that grows, a table that rises ever faster,
// and one that shakes and throws what lies on it
static void test_functions(void** state)
{
    (void)state;
    const double amplitude = 0.02, w = 40.0, leave = asin(g / (amplitude * w * w)) / w;
    const double slip = 0.5 * g / 20.0;
    const struct {
        const char *what, *table, *box;
        double end, exact;
    } row[] = {
        {"growing push", "", ", force={function(t) return 20*t end,0,0}", 0.5,
         10.0 * (0.25 - slip * slip) - 0.5 * g * (0.5 - slip)},
        {"rising table", "displacement={0,0,function(t) return 1.5*t^2 end},", "", 1.0, 3.0},
        {"shaken table", "displacement={0,0,signal.wave{amplitude=0.02,frequency=40}},",
         ", velocity={0,0,0.8}", 0.08, amplitude * w * cos(w * leave) - g * (0.08 - leave)},
    };
    for (int k = 0; k < 3; ++k) {
        Played played;
        play(&played,
             "material{name='m', friction=0.5}\n"
             "body{name='t', kind='%s', %s position={0,0,-0.1}, "
             "shape=shape.box{size={2,2,0.2}, material='m'}}\n"
             "body{name='b', mass=1, material='m', position={0,0,0.05}, "
             "shape=shape.box{size={0.3,0.3,0.1}}%s}\n"
             "scheme 'event'\nrun{step=1e-2, duration=%g}\n"
             "history{quantity='velocity', body='b', component='%s'}\n",
             k == 0 ? "fixed" : "prescribed", row[k].table, row[k].box, row[k].end,
             k == 0 ? "x" : "z");
        print_message("%s: v = %.12f, exact %.12f\n", row[k].what, history(&played, 0),
                      row[k].exact);
        test_less(fabs(history(&played, 0) - row[k].exact), 1e-9);
        forget(&played);
    }
}

// bonds: a box that hangs, one that is torn off by a growing pull, one that slides although it is
// held down
static void test_bonds(void** state)
{
    (void)state;
    const double area = 0.09, torn = (1000.0 * area - g) / 50.0;
    const struct {
        const char *what, *force, *component;
        double cohesion, end, exact;
        bool below;
    } row[] = {
        {"hangs", "0,0,0", "z", 1000.0, 1.0, 0.0, true},
        {"torn off", "0,0,function(t) return -50*t end", "z", 1000.0, 2.0,
         -25.0 * (4.0 - torn * torn) - g * (2.0 - torn), true},
        {"slides", "12,0,0", "x", 100.0, 0.5, (12.0 - 0.5 * (g + 100.0 * area)) * 0.5, false},
    };
    for (int k = 0; k < 3; ++k) {
        Played played;
        play(&played,
             "material{name='m', friction=0.5, cohesion=%g}\n"
             "body{name='t', kind='fixed', position={0,0,%g}, "
             "shape=shape.box{size={2,2,0.2}, material='m'}}\n"
             "body{name='b', mass=1, material='m', force={%s}, "
             "shape=shape.box{size={0.3,0.3,0.1}}}\n"
             "scheme 'event'\nrun{step=1e-2, duration=%g}\n"
             "history{quantity='velocity', body='b', component='%s'}\n",
             row[k].cohesion, row[k].below ? 0.15 : -0.15, row[k].force, row[k].end,
             row[k].component);
        print_message("bonded box %s: v = %.12f, exact %.12f, %lld events\n", row[k].what,
                      history(&played, 0), row[k].exact, (long long)played.events);
        test_less(fabs(history(&played, 0) - row[k].exact), 1e-9);
        test_less(fabs(integration(&played)), 1e-8);
        forget(&played);
    }
}

// boxes that fall on each other: lists change all the time, energy never grows
static void test_boxes(void** state)
{
    (void)state;
    Played played;
    play(&played, "%s",
         "material{name='m', density=1000, friction=0.5}\nfloor{material='m'}\n"
         "for i = 1, 3 do body{name='b' .. i, material='m', position={0.02 * i, 0.01 * i * i, "
         "0.13 * i - 0.02}, angular_velocity={1.5 - i, 0.7 * i, 0.3}, "
         "orientation={axis={1, 0.3 * i, 0.2},angle=0.25 * i}, shape=shape.box{size={0.1,0.08,"
         "0.06}}} end\n"
         "scheme 'event'\nrun{step=5e-3, duration=0.3}\n");
    const SticRunTotals* totals = stic_run_totals(played.run);
    const double lost = totals->ledger.kinetic + totals->ledger.potential;
    print_message("boxes: %lld events in 0.3 s, energy %.6f J less, integration %.1e J, "
                  "penetration %.1e m\n",
                  (long long)played.events, -lost, totals->ledger.integration, totals->penetration);
    test_greater(played.events, 10);
    test_less(lost, 0.0);
    test_at_most(totals->ledger.impact, 1e-9);
    test_at_most(totals->ledger.friction, 1e-9);
    test_less(fabs(totals->ledger.integration), 1e-5 * fabs(lost));
    test_less(totals->penetration, 1e-7);
    forget(&played);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_push),      cmocka_unit_test(test_block),
        cmocka_unit_test(test_rolling),   cmocka_unit_test(test_bounces),
        cmocka_unit_test(test_cradle),    cmocka_unit_test(test_rocking),
        cmocka_unit_test(test_interrupt), cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_functions), cmocka_unit_test(test_bonds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
