// SPDX-License-Identifier: Apache-2.0
// Bodies that have nothing to do with each other in one step of a run with event: impacts at their own times, also where
// the earlier one is of bodies that part when the step begins, and bounces that come to rest at their own times.
#include <math.h>

#include "scene/scenes.h"

typedef struct Impact {
    int32_t block; // of the first body
    double t;      // s
} Impact;

// times of the first impacts of every ball are those given
static void check(const char* text, const Impact* expected, int32_t count)
{
    const SticContext context = stic_context_default();
    SticScene* scene = test_scene_good(&context, text);
    SticSimulation* simulation = test_simulation(&context, scene);
    int32_t seen = 0;
    double worst = 0.0;
    while (!stic_simulation_is_done(simulation)) {
        SticStepInfo info;
        int32_t events = 0;
        assert_int_equal(stic_simulation_step(simulation, &info), STIC_OK);
        const SticEvent* event = stic_run_events(stic_simulation_run(simulation), &events);
        for (int32_t k = 0; k < events; ++k)
            for (int32_t i = 0; i < count; ++i)
                if (event[k].kind == STIC_EVENT_IMPACT &&
                    (event[k].block[0] == expected[i].block ||
                     event[k].block[1] == expected[i].block) &&
                    fabs(event[k].t - expected[i].t) < 1e-6) {
                    worst = fmax(worst, fabs(event[k].t - expected[i].t));
                    ++seen;
                }
    }
    const double deep = stic_run_totals(stic_simulation_run(simulation))->penetration;
    print_message("%d of %d impacts, times off by %.1e s, %.1e m deep\n", seen, count, worst, deep);
    // what a new detection finds first is known to the gap that counts as closed, 1e-10 of the size
    test_equal(seen, count);
    test_less(worst, 1e-9);
    test_less(deep, 1e-10);
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
}

static const char start[] =
    "material{name = 'm', density = 1000, friction = 0, restitution = 0.5}\n"
    "floor{material = 'm'}\n";
static const char ending[] = "scheme 'event'\nrun{step = 0.1, duration = 0.1}\n";
static const double g = 9.81;

static void test_apart(void** unused)
{
    (void)unused;
    // thrown up by 0.1 m/s from 1 mm above the floor; thrown down by 0.1 m/s from 20 mm
    const Impact expected[] = {{0, (0.1 + sqrt(0.01 + 2.0 * g * 0.001)) / g},
                               {1, (-0.1 + sqrt(0.01 + 2.0 * g * 0.02)) / g}};
    char text[1024];
    snprintf(text, sizeof text,
             "%sbody{material = 'm', position = {0, 0, 0.101}, velocity = {0, 0, 0.1}, shape = "
             "shape.sphere{radius = 0.1}}\nbody{material = 'm', position = {1, 0, 0.12}, velocity "
             "= {0, 0, -0.1}, shape = shape.sphere{radius = 0.1}}\n%s",
             start, ending);
    check(text, expected, 2);
}

static void test_corner(void** unused)
{
    (void)unused;
    const Impact expected[] = {{0, sqrt(2.0 * 0.007 / g)}, {0, 0.03 / 0.4}};
    char text[1024];
    snprintf(text, sizeof text,
             "%sbody{kind = 'fixed', material = 'm', shape = shape.half_space{normal = {1, 0, "
             "0}}}\nbody{material = 'm', position = {0.13, 0, 0.107}, velocity = {-0.4, 0, 0}, "
             "shape = shape.sphere{radius = 0.1}}\n%s",
             start, ending);
    check(text, expected, 2);
}

// bounces that accumulate at sqrt(2 z/g) (1 + e)/(1 - e), those of two balls in turn
static void test_rest(void** unused)
{
    (void)unused;
    const SticContext context = stic_context_default();
    static const double height[2] = {0.01, 0.012}, e = 0.9;
    char text[1024];
    snprintf(text, sizeof text,
             "material{name = 'm', density = 1000, friction = 0, restitution = 0.9}\n"
             "floor{material = 'm'}\n"
             "body{material = 'm', position = {0, 0, 0.11}, shape = shape.sphere{radius = 0.1}}\n"
             "body{material = 'm', position = {1, 0, 0.112}, shape = shape.sphere{radius = 0.1}}\n"
             "scheme 'event'\nrun{step = 1, duration = 1}\n");
    SticScene* scene = test_scene_good(&context, text);
    SticSimulation* simulation = test_simulation(&context, scene);
    SticStepInfo info;
    int32_t events = 0;
    assert_int_equal(stic_simulation_step(simulation, &info), STIC_OK);
    const SticEvent* event = stic_run_events(stic_simulation_run(simulation), &events);
    for (int32_t ball = 0; ball < 2; ++ball) {
        const double expected = sqrt(2.0 * height[ball] / g) * (1.0 + e) / (1.0 - e);
        double last = 0.0;
        for (int32_t k = 0; k < events; ++k)
            if (event[k].block[0] == ball || event[k].block[1] == ball)
                last = event[k].t;
        print_message("ball %d rests at %.9f s (%.9f)\n", ball, last, expected);
        test_near(last, expected, 1e-6);
    }
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
}

// a bonded box under a pull of 100 t N: all four bonds of 10 N break at (4 g + 40)/100 s, and it rises straight
static void test_torn(void** unused)
{
    (void)unused;
    const SticContext context = stic_context_default();
    static const double steps[] = {0.1, 0.01};
    for (int k = 0; k < 2; ++k) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "material{name = 'm', density = 1000, friction = 0.3, cohesion = 1000}\n"
            "floor{material = 'm'}\nbody{material = 'm', position = {0, 0, 0.05}, force = {0, "
            "0, signal.table{time = {0, 1}, value = {0, 100}}}, shape = shape.box{size = {0.2, "
            "0.2, 0.1}}}\nscheme 'event'\nrun{step = %g, duration = 1}\n",
            steps[k]);
        SticScene* scene = test_scene_good(&context, text);
        SticSimulation* simulation = test_simulation(&context, scene);
        test_simulation_finish(simulation);
        const double* u = stic_run_now(stic_simulation_run(simulation))->u;
        // 4 v = int (100 t - 4 g) dt from then on
        const double t = (4.0 * g + 40.0) / 100.0,
                     v = (50.0 * (1.0 - t * t) - 4.0 * g * (1.0 - t)) / 4.0;
        const double spin = fabs(u[3]) + fabs(u[4]) + fabs(u[5]);
        print_message("step %g: v = %.12f (%.12f), spin %.1e\n", steps[k], u[2], v, spin);
        test_near(u[2], v, 1e-9);
        test_less(spin, 1e-9);
        stic_simulation_destroy(simulation);
        stic_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_apart), cmocka_unit_test(test_corner),
                                       cmocka_unit_test(test_rest), cmocka_unit_test(test_torn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
