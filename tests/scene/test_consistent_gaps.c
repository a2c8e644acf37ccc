// SPDX-License-Identifier: Apache-2.0
// Contacts that come and go under the energy-consistent schemes: which of them take part, what is told
// of those that do not, and how their works are split.
#include "scene/cases.h"

static const char* const schemes[] = {"'consistent'", "'decomposed'"};

/* ---- promises ---- */

// A ball of 0.1 m that falls by 5 cm: it is found where it overlaps by a part of h v = 10 mm, which the
// promise of gaps tells of, and stays there, which is what it promises
static void test_told(void** state)
{
    (void)state;
    for (int s = 0; s < 2; ++s) {
        const SticContext context = stic_context_default();
        char text[1024];
        snprintf(text, sizeof text,
                 "scheme %s\n"
                 "material{name='m', friction=0.5, restitution=0, density=1000}\n"
                 "floor{material='m'}\n"
                 "body{name='b', position={0,0,0.15}, velocity={1,0,0}, material='m',\n"
                 "     shape=shape.sphere{radius=0.1}}\n"
                 "run{step=1e-3, duration=0.3}\n",
                 schemes[s]);
        SticScene* scene = test_scene_good(&context, text);
        SticSimulation* simulation = test_simulation(&context, scene);
        test_simulation_finish(simulation);
        const SticRunTotals* totals = stic_run_totals(stic_simulation_run(simulation));
        printf("%s: overlap %.2e m, gaps missed by %.2e m, of contacts that took part %.1e m\n",
               schemes[s], totals->penetration, totals->violation[STIC_PROMISE_GAP],
               totals->held_gap);
        test_greater(totals->penetration, 1e-5);
        test_near(totals->violation[STIC_PROMISE_GAP], totals->penetration, 1e-7);
        test_less(totals->held_gap, 1e-7);
        assert_int_equal(totals->broken_promises, 0);
        stic_simulation_destroy(simulation);
        stic_scene_destroy(scene);
    }
}

/* ---- who takes part ---- */

// A box that slides to its rest on its corners, which a loose solve leaves open: with a level of
// accuracy and with a tolerance, inelastic and elastic, rigid and as an elastic body of 1e9 Pa. One
// that took no part for a step would fall by g h^2/2 = 0.5 mm, and an elastic one bounce from there.
// At `standard` a sliding speed of 3 m/s lets gaps sink by 30 um in a step; the elastic body makes use
// of it while its corners swing
static void test_slide(void** state)
{
    static const struct {
        const char *name, *solver, *body;
        double e, z;
    } cases[] = {{"standard", "", "", 0.0, 1e-8},
                 {"tolerance", "solver 'auto' {tolerance=1e-6}\n", "", 0.0, 1e-8},
                 {"elastic impacts", "", "", 1.0, 2e-7},
                 {"elastic impacts, tolerance", "solver 'auto' {tolerance=1e-8}\n", "", 1.0, 1e-8},
                 {"elastic body", "", "kind='pseudo_rigid', young=1e9, poisson=0.3, ", 0.0, 3e-5}};
    int failed = 0;
    (void)state;
    for (int k = 0; k < 10; ++k) {
        char text[1024];
        const int c = k / 2;
        snprintf(text, sizeof text,
                 "%smaterial{name='w', density=700, friction=0.5, restitution=%g}\n"
                 "floor{material='w'}\n"
                 "body{name='b', %sposition={0,0,0.1}, velocity={3,0,0}, material='w',\n"
                 "     shape=shape.box{size={0.4,0.3,0.2}}}\n"
                 "run{step=1e-2, duration=1}\n"
                 "check{quantity='position', body='b', component='x', value=9 / 9.81, "
                 "tolerance=2e-4}\n"
                 "check{quantity='position', body='b', component='z', value=0.1, tolerance=%g}\n",
                 cases[c].solver, cases[c].e, cases[c].body, cases[c].z);
        failed += test_case_within(&(TestCase){cases[c].name, schemes[k % 2], text}, 1e-4);
    }
    assert_int_equal(failed, 0);
}

/* ---- settings that do not apply ---- */

static void test_law(void** state)
{
    (void)state;
    static const struct {
        const char* scheme;
        int noted;
    } cases[] = {{"moreau", 0}, {"theta", 0}, {"consistent", 1}, {"decomposed", 1}, {"event", 1}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        const SticContext context = stic_context_default();
        char text[512];
        snprintf(text, sizeof text,
                 "scheme '%s'\nfloor{}\nbody{name='b', position={0,0,1}, "
                 "shape=shape.sphere{radius=0.1}}\nrun{step=1e-2, duration=0.02, "
                 "law='velocity'}\n",
                 cases[k].scheme);
        SticScene* scene = test_scene_good(&context, text);
        SticSimulation* simulation = test_simulation(&context, scene);
        test_simulation_finish(simulation);
        const SticRunTotals* totals = stic_run_totals(stic_simulation_run(simulation));
        assert_int_equal(totals->notice[STIC_NOTICE_LAW].count, cases[k].noted);
        stic_simulation_destroy(simulation);
        stic_scene_destroy(scene);
    }
}

/* ---- works ---- */

// Rods that fall askew on a rough floor and on each other: at their ends normal and tangential
// impulses act on each other, and the work of either alone may be positive. What the ledger tells
// of is not, in any step, but for what solvers leave
static void test_works(void** state)
{
    static const double restitution[] = {0.0, 0.5};
    (void)state;
    for (int k = 0; k < 4; ++k) {
        const SticContext context = stic_context_default();
        char text[1024];
        double friction = 0.0, impact = 0.0;
        snprintf(text, sizeof text,
                 "scheme %s\n"
                 "material{name='m', friction=0.7, restitution=%g, density=1000}\n"
                 "floor{material='m'}\n"
                 "for i = 0, 5 do\n"
                 "  body{name='r'..i, position={0.1 * i,0.05 * i,0.6 + 0.3 * i}, material='m',\n"
                 "       orientation={axis={1,0.3 * i,0.1}, angle=0.6 + i},\n"
                 "       angular_velocity={2 * i,-3,1}, velocity={0.5,-0.2 * i,-1},\n"
                 "       shape=shape.capsule{radius=0.04, length=0.5}}\n"
                 "end\n"
                 "run{step=2e-3, duration=1.2, accuracy='strict'}\n",
                 schemes[k % 2], restitution[k / 2]);
        SticScene* scene = test_scene_good(&context, text);
        SticSimulation* simulation = test_simulation(&context, scene);
        for (int i = 0; i < 600; ++i) {
            SticStepInfo info;
            assert_int_equal(stic_simulation_step(simulation, &info), STIC_OK);
            friction = fmax(friction, info.ledger.friction);
            impact = fmax(impact, info.ledger.impact);
        }
        const SticRunTotals* totals = stic_run_totals(stic_simulation_run(simulation));
        printf("%s, restitution %g: work of friction %.3g J, at most %.1e J in a step, of impacts "
               "%.3g J, at most %.1e J\n",
               schemes[k % 2], restitution[k / 2], totals->ledger.friction, friction,
               totals->ledger.impact, impact);
        test_less(friction, 1e-9 * totals->largest.kinetic);
        test_less(impact, 1e-9 * totals->largest.kinetic);
        assert_int_equal(totals->broken_promises, 0);
        stic_simulation_destroy(simulation);
        stic_scene_destroy(scene);
    }
}

// A plate of 1 mm, a rod and a ball of 4 mm that fall at 3 m/s on a plate of 2 mm, 15 mm in a step:
// they are found in it before they are through, and stay on it. Each of two touches may overlap by a
// tenth of the ball that fits into the thinner plate
static void test_thin(void** state)
{
    static const struct Thin {
        const char *shape, *angle;
        double height;
    } rows[] = {{"box{size={0.5,0.5,0.001}}", "0", 1.5e-3},
                {"box{size={0.5,0.5,0.001}}", "0.1", 1.5e-3},
                {"capsule{radius=0.002, length=1}", "math.pi / 2 + 0.1", 3e-3},
                {"sphere{radius=0.002}", "0", 3e-3}};
    static const char* const given[] = {"'consistent'", "'decomposed'",
                                        "'consistent' {stages = 'mixed'}"};
    const SticContext context = stic_context_default();
    (void)state;
    for (int k = 0; k < 12; ++k) {
        const struct Thin* thin = &rows[k / 3];
        char text[1024];
        snprintf(
            text, sizeof text,
            "scheme %s\n"
            "material{name='m', density=1000, friction=0.3}\n"
            "body{name='table', kind='fixed', material='m', shape=shape.box{size={2,2,0.002}}}\n"
            "body{name='b', material='m', position={0,0,0.1}, velocity={0,0,-3},\n"
            "     orientation={axis={0,1,0}, angle=%s}, shape=shape.%s}\n"
            "run{step=5e-3, duration=0.5}\n"
            "check{quantity='position', body='b', component='z', value=%g, tolerance=2e-4}\n",
            given[k % 3], thin->angle, thin->shape, thin->height);
        SticScene* scene = test_scene_good(&context, text);
        SticSimulation* simulation = test_simulation(&context, scene);
        test_simulation_finish(simulation);
        const SticCheckResult result = stic_simulation_check(simulation, 0);
        printf("%s on a plate of 2 mm, %s: %.5f m (%g)\n", thin->shape, given[k % 3], result.value,
               thin->height);
        test_near(result.value, thin->height, 2e-4);
        stic_simulation_destroy(simulation);
        stic_scene_destroy(scene);
    }
}

// Plates and rods that fall askew on a mesh, which has no inside to overlap with: they touch with a
// corner, fall on the others, and come to lie on it. Each of two touches may overlap by a tenth of
// the ball that fits into them
static void test_surfaces(void** state)
{
    static const struct Askew {
        const char *shape, *angle;
        double half;
    } rows[] = {{"box{size={0.2,0.2,0.001}}", "0.1", 5e-4},
                {"box{size={0.2,0.2,0.001}}", "0.3", 5e-4},
                {"capsule{radius=0.002, length=0.3}", "math.pi / 2 - 0.3", 2e-3},
                {"capsule{radius=0.002, length=0.3}", "math.pi / 2 - 0.1", 2e-3}};
    static const char* const ground[] = {
        "shape.mesh{points={{-1,-1,0},{1,-1,0},{1,1,0},{-1,1,0},{0,0,0}},\n"
        "           faces={{1,2,5},{2,3,5},{3,4,5},{4,1,5}}}",
        "shape.height_field{columns=3, dx=1, dy=1, heights={0,0,0,0,0,0,0,0,0}}, "
        "position={-1,-1,0}"};
    const SticContext context = stic_context_default();
    (void)state;
    for (int k = 0; k < 16; ++k) {
        const struct Askew* row = &rows[k / 4];
        char text[1024];
        snprintf(text, sizeof text,
                 "scheme %s\n"
                 "material{name='m', density=1000, friction=0.3}\n"
                 "body{name='table', kind='fixed', material='m', shape=%s}\n"
                 "body{name='b', material='m', position={0.013,0.021,0.25}, velocity={0,0,-5},\n"
                 "     orientation={axis={0.48,0.88,0}, angle=%s}, shape=shape.%s}\n"
                 "run{step=5e-3, duration=0.5}\n"
                 "check{quantity='position', body='b', component='z', value=%g, tolerance=1}\n",
                 schemes[k % 2], ground[k / 2 % 2], row->angle, row->shape, row->half);
        SticScene* scene = test_scene_good(&context, text);
        SticSimulation* simulation = test_simulation(&context, scene);
        test_simulation_finish(simulation);
        const SticCheckResult result = stic_simulation_check(simulation, 0);
        printf("%s at %s on a %s, %s: %.5f m (%g)\n", row->shape, row->angle,
               k / 2 % 2 == 0 ? "mesh" : "height field", schemes[k % 2], result.value, row->half);
        test_near(result.value, row->half, 0.2 * row->half);
        stic_simulation_destroy(simulation);
        stic_scene_destroy(scene);
    }
}

// A prescribed plate takes along a ball at rest: without restitution the ball lies before it, at the
// distance of both halves but for a tenth of the ball inside the thinner one; with 1 it leaves at
// twice the speed
static void test_pushed(void** state)
{
    static const double thickness[] = {1e-3, 4e-3, 0.1}, radius[] = {1.5e-3, 0.05};
    const SticContext context = stic_context_default();
    const double speed = 8.0;
    (void)state;
    for (int k = 0; k < 24; ++k) {
        const double half = 0.5 * thickness[k / 2 % 3], r = radius[k / 6 % 2];
        const int bounces = k / 12;
        char text[1024];
        snprintf(text, sizeof text,
                 "scheme %s\n"
                 "gravity{0,0,0}\n"
                 "material{name='m', density=1000, friction=0.3, restitution=%d}\n"
                 "body{name='plate', kind='prescribed', material='m', position={-0.1,0,0},\n"
                 "     velocity={%g,0,0}, shape=shape.box{size={%g,0.5,0.5}}}\n"
                 "body{name='b', material='m', shape=shape.sphere{radius=%g}}\n"
                 "run{step=5e-3, duration=0.05}\n"
                 "check{quantity='position', body='b', component='x', value=0, tolerance=1}\n"
                 "check{quantity='velocity', body='b', component='x', value=0, tolerance=1}\n",
                 schemes[k % 2], bounces, speed, 2.0 * half, r);
        SticScene* scene = test_scene_good(&context, text);
        SticSimulation* simulation = test_simulation(&context, scene);
        test_simulation_finish(simulation);
        const double x = stic_simulation_check(simulation, 0).value - (speed * 0.05 - 0.1),
                     u = stic_simulation_check(simulation, 1).value;
        printf("ball of %g m, plate of %g m at 8 m/s, restitution %d, %s: %.6f m before it (%g), "
               "%.12g m/s\n",
               r, 2.0 * half, bounces, schemes[k % 2], x, r + half, u);
        test_near(u, bounces ? 2.0 * speed : speed, 1e-9 * speed);
        if (!bounces)
            test_near(x, r + half, 0.1 * (r < half ? r : half) * (1.0 + 1e-9));
        stic_simulation_destroy(simulation);
        stic_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_told),  cmocka_unit_test(test_slide), cmocka_unit_test(test_law),
        cmocka_unit_test(test_works), cmocka_unit_test(test_thin),  cmocka_unit_test(test_surfaces),
        cmocka_unit_test(test_pushed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
