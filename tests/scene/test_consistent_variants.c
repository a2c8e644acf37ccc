// SPDX-License-Identifier: Apache-2.0
// Settings of the energy-consistent schemes, each with what it keeps, against closed forms and
// conservation laws: springs off the centre of mass, points of very different masses, impacts with
// friction and restitution, joints held for positions alone, bodies that roll, overlaps taken back.
#include <math.h>

#include "scene/cases.h"

static const char* const schemes[] = {"'consistent'", "'decomposed'",
                                      "'decomposed' {midpoint = true}"};
enum { SCHEMES = 3 };

// a scene with all three schemes
static void run_three(const char* name, const char* text)
{
    TestCase cases[SCHEMES];
    for (int k = 0; k < SCHEMES; ++k)
        cases[k] = (TestCase){.name = name, .scheme = schemes[k], .text = text};
    test_cases_run(cases, SCHEMES);
}

/* ---- equations ---- */

// Springs that turn bodies by more than two radians in a step of their own: the energy stays
// k (l - l0)^2/2 with l^2 = 1 + 0.01, and that of two bodies with l^2 = 1 + 0.04 and 7 J of the first
static void test_springs(void** state)
{
    (void)state;
    run_three(
        "spring off the centre of mass",
        "gravity{0,0,0}\n"
        "body{name='a', mass=1, inertia={0.1,0.1,0.1}}\n"
        "joint.span{a='a', b='ground', point={0,0.1,0}, to={1,0,0}, stiffness=1e6, rest=0.5}\n"
        "run{step=1e-2, duration=0.5}\n"
        "local v = 0.5e6 * (math.sqrt(1.01) - 0.5)^2\n"
        "check{quantity='energy', value=v, tolerance=1e-8 * v}\n");
    run_three("spring between two bodies",
              "gravity{0,0,0}\n"
              "body{name='a', mass=1, inertia={0.1,0.2,0.3}, velocity={1,2,3}}\n"
              "body{name='b', mass=1, inertia={0.1,0.2,0.3}, position={1,0,0}}\n"
              "joint.span{a='a', b='b', point={0,0.1,0}, to={1,-0.1,0}, stiffness=1e6, rest=0.5}\n"
              "run{step=1e-2, duration=0.5}\n"
              "local v = 7 + 0.5e6 * (math.sqrt(1.04) - 0.5)^2\n"
              "check{quantity='energy', value=v, tolerance=1e-8 * v}\n");
}

// 1e6 kg behind two points of 1 kg on rods: a mathematical pendulum of 1 m, which falls from the
// horizontal in sqrt(l/g) K(1/2) = 0.591959 s, with v^2 = 2 g l, and has no energy
static void test_points(void** state)
{
    static const char* const chain =
        "for k = 1, 3 do\n"
        "  body{name='b'..k, kind='point', mass=k == 3 and 1e6 or 1, position={k / 3,0,0}}\n"
        "  joint.rod{a='b'..k, b=k > 1 and 'b'..(k - 1) or 'ground', point={k / 3,0,0},\n"
        "            to={(k - 1) / 3,0,0}}\n"
        "end\n"
        "run{step=1e-2, duration=0.59}\n"
        "local late, v = 0.591959 - 0.59, math.sqrt(2 * 9.81)\n"
        "check{quantity='position', body='b3', component='x', value=v * late, tolerance=1e-3}\n"
        "check{quantity='energy', value=0, tolerance=1e-3}\n";
    const TestCase cases[] = {{"points of 1 and 1e6 kg", "'consistent'", chain},
                              {"points of 1 and 1e6 kg", "'decomposed'", chain}};
    (void)state;
    test_cases_run(cases, 2);
}

// a box of 1e4 kg that falls on one of 1 kg, with restitution: the equations of a part of a step
// were singular. The speed of its fall is lost in the end
static void test_drop(void** state)
{
    (void)state;
    run_three("1e4 kg fall on 1 kg and bounce",
              "material{name='m', friction=0.3, restitution=0.5}\n"
              "floor{material='m'}\n"
              "body{name='a', mass=1, position={0,0,0.5}, material='m',\n"
              "     shape=shape.box{size={1,1,1}}}\n"
              "body{name='b', mass=1e4, position={0.1,0,1.8}, material='m',\n"
              "     shape=shape.box{size={1,1,1}}}\n"
              "run{step=1e-2, duration=2}\n"
              "check{quantity='position', body='b', component='z', value=1.5, tolerance=2e-2}\n"
              "check{quantity='kinetic', value=0, tolerance=1e-3}\n");
}

/* ---- impacts ---- */

// Restitution 1 beside friction. A ball without spin at 45 degrees rolls after it, with 2/7 of the
// energy of its way along the floor lost; a slanted rod may gain 0.05 J of 1 J by Newton's law, and
// keeps its energy here
static void test_oblique(void** state)
{
    static const char* const ball =
        "gravity{0,0,0}\n"
        "material{name='m', friction=0.5, restitution=1}\n"
        "floor{material='m'}\n"
        "body{name='b', mass=1, position={0,0,0.5}, velocity={1,0,-1}, material='m',\n"
        "     shape=shape.sphere{radius=0.1}}\n"
        "run{step=1e-2, duration=1}\n"
        "check{quantity='kinetic', value=6 / 7, tolerance=1e-12}\n"
        "check{quantity='velocity', body='b', component='z', value=1, tolerance=1e-12}\n";
    static const char* const rod =
        "gravity{0,0,0}\n"
        "material{name='m', friction=0.5, restitution=1}\n"
        "floor{material='m'}\n"
        "body{name='b', mass=1, inertia={0.1,0.1,0.01}, position={0,0,1}, velocity={1,0,-1},\n"
        "     orientation={axis={0,1,0}, angle=0.6}, material='m',\n"
        "     shape=shape.capsule{radius=0.05, length=1}}\n"
        "run{step=1e-2, duration=0.8}\n"
        "check{quantity='kinetic', reduction='most', value=1, tolerance=1e-12}\n";
    const TestCase one[] = {{"ball", "'consistent' {stages = 'one'}", ball},
                            {"ball", "'decomposed' {stages = 'one'}", ball},
                            {"slanted rod", "'consistent' {stages = 'one'}", rod},
                            {"slanted rod", "'decomposed' {stages = 'one'}", rod}};
    (void)state;
    run_three("ball", ball);
    run_three("slanted rod", rod);
    test_cases_run(one, 4);
}

// A box that tumbles on a floor in steps in which it turns by half a radian and more: the corners
// that come down while another one touches are met in time, and what remains of its energy is lost
static void test_tumbling(void** state)
{
    static const char* const box =
        "material{name='m', friction=0.5, restitution=%s}\n"
        "floor{material='m'}\n"
        "body{name='b', mass=2, inertia={0.1,0.2,0.3}, position={0,0,2}, velocity={2,0,0},\n"
        "     angular_velocity={3,4,5}, material='m', shape=shape.box{size={1,0.6,0.4}}}\n"
        "run{step=%s, duration=3}\n"
        "check{quantity='kinetic', value=0, tolerance=1e-6}\n";
    static const char* const restitution[] = {"0", "0.5"};
    static const char* const step[] = {"0.1", "0.05", "0.02"};
    int failed = 0;
    (void)state;
    for (int e = 0; e < 12; ++e) {
        char text[1024];
        snprintf(text, sizeof text, box, restitution[e % 2], step[e / 4]);
        // 1 % of it, and a tenth of it where it bounces, may come in one part of a step
        const TestCase tumbles = {e % 2 == 0 ? "box that tumbles" : "box that bounces",
                                  schemes[e / 2 % 2], text};
        failed += test_case_within(&tumbles, e % 2 == 0 ? 0.03 : 0.2);
    }
    assert_int_equal(failed, 0);
}

/* ---- joints ---- */

// Two links of 1 m fall between elastic limits: rates of joints that are held for positions alone
// bounce with them. With restitution 0 they hang from their limits at rest in the end
static void test_position_level(void** state)
{
    static const char* const links =
        "for k = 0, 1 do\n"
        "  body{name='b'..k, mass=1, inertia={0.01,1/12,1/12}, position={k + 0.5,0,0}}\n"
        "  joint.hinge{a='b'..k, b=k == 1 and 'b0' or 'ground', point={k,0,0}, axis={0,1,0},\n"
        "              limit={-0.6, 0.6}, restitution=1}\n"
        "end\n"
        "run{step=1e-2, duration=10}\n"
        "check{quantity='energy', reduction='most', value=0, tolerance=1e-10}\n"
        "check{quantity='energy', reduction='least', value=0, tolerance=1e-10}\n";
    static const char* const ball =
        "material{name='m', friction=0.3}\n"
        "floor{material='m'}\n"
        "body{name='b', mass=2, position={0,0,0.5}, velocity={2,0,0}, angular_velocity={0,4,0},\n"
        "     material='m', shape=shape.sphere{radius=0.5}}\n"
        "run{step=1e-2, duration=10}\n"
        "check{quantity='velocity', body='b', component='x', value=2, tolerance=1e-10}\n";
    const TestCase cases[] = {{"elastic limits", "'consistent' {levels = 'position'}", links},
                              {"elastic limits", "'decomposed' {levels = 'position'}", links},
                              {"rolling ball", "'decomposed' {levels = 'position'}", ball}};
    (void)state;
    test_cases_run(cases, 3);
}

// a drive of 0.5 rad/s that lifts a rod, in one stage: an angle of 1 rad after 2 s, up to the half
// step in which the rod is set in motion
static void test_drive(void** state)
{
    static const char* const rod =
        "body{name='b', mass=3, inertia={0.01,0.25,0.25}, position={0.5,0,0}}\n"
        "joint.hinge{name='j', a='b', b='ground', point={0,0,0}, axis={0,1,0}, driven=true,\n"
        "            speed=0.5, drive_force=1e4}\n"
        "run{step=2e-2, duration=2}\n"
        "check{quantity='coordinate', joint='j', value=1, tolerance=1e-5}\n";
    const TestCase cases[] = {{"drive", "'consistent' {stages = 'one'}", rod},
                              {"drive", "'decomposed' {stages = 'one'}", rod}};
    (void)state;
    test_cases_run(cases, 2);
}

// at rest at a limit without weight nothing is left to measure a momentum by
static void test_rest_at_limit(void** state)
{
    (void)state;
    run_three("at rest at a limit",
              "gravity{0,0,0}\n"
              "body{name='b', mass=1, inertia={1,1,1}, position={1,0,0}, velocity={0,1,0},\n"
              "     angular_velocity={0,0,1}}\n"
              "joint.hinge{a='b', b='ground', point={0,0,0}, axis={0,0,1}, limit={-3, 0.503}}\n"
              "run{step=1e-2, duration=1}\n"
              "check{quantity='kinetic', value=0, tolerance=1e-25}\n");
}

// linearised equations keep the momentum of what nothing from outside acts on
static void test_linearised(void** state)
{
    static const char* const scheme[] = {"'consistent' {linearised = true}",
                                         "'decomposed' {linearised = true}"};
    const SticContext context = stic_context_default();
    (void)state;
    for (int k = 0; k < 2; ++k) {
        char text[1024];
        snprintf(text, sizeof text,
                 "scheme %s\n"
                 "gravity{0,0,0}\n"
                 "body{name='a', mass=1, inertia={0.01,0.1,0.1}, position={0.5,0,0},\n"
                 "     velocity={0,0,2}}\n"
                 "body{name='b', mass=3, inertia={0.01,0.1,0.1}, position={1.5,0,0},\n"
                 "     velocity={4,0,0}}\n"
                 "joint.hinge{a='b', b='a', point={1,0,0}, axis={0,1,0}}\n"
                 "run{step=1e-2, duration=2}\n",
                 scheme[k]);
        SticScene* scene = test_scene_good(&context, text);
        SticSimulation* simulation = test_simulation(&context, scene);
        test_simulation_finish(simulation);
        const SticRunTotals* totals = stic_run_totals(stic_simulation_run(simulation));
        const double missed = totals->violation[STIC_PROMISE_MOMENTUM];
        printf("two links, %s: momentum missed by %.1e in a step\n", scheme[k], missed);
        test_less(missed, 1e-14);
        assert_int_equal(totals->broken_promises, 0);
        stic_simulation_destroy(simulation);
        stic_scene_destroy(scene);
    }
}

/* ---- drives and bonds in other stages ---- */

// A slider-crank that is driven at 6 rad/s from rest: every scheme of the family has that rate at the
// end of every step, and the energy of the crank (17.88 J at most, event)
static void test_crank(void** state)
{
    static const char* const crank =
        "body{name='c', mass=1, inertia={0.1,0.1,0.1}, position={0,0,0.25}}\n"
        "body{name='r', mass=1, inertia={0.1,0.1,0.1}, position={0.5,0,0.25}}\n"
        "body{name='s', mass=1, inertia={0.1,0.1,0.1}, position={1,0,0}}\n"
        "joint.hinge{name='j', a='c', b='ground', point={0,0,0}, axis={0,1,0}, driven=true,\n"
        "            speed=6}\n"
        "joint.hinge{a='r', b='c', point={0,0,0.5}, axis={0,1,0}}\n"
        "joint.hinge{a='s', b='r', point={1,0,0}, axis={0,1,0}}\n"
        "joint.slider{a='s', b='ground', point={1,0,0}, axis={1,0,0}}\n"
        "run{step=1e-2, duration=2}\n"
        "check{quantity='rate', joint='j', value=6, tolerance=1e-9}\n"
        "check{quantity='rate', joint='j', reduction='most', value=6, tolerance=1e-9}\n"
        "check{quantity='energy', reduction='most', value=17.88, tolerance=0.02}\n";
    const TestCase cases[] = {{"crank", "'consistent'", crank},
                              {"crank", "'consistent' {stages = 'one'}", crank},
                              {"crank", "'consistent' {stages = 'mixed'}", crank},
                              {"crank", "'decomposed' {stages = 'one'}", crank},
                              {"crank", "'decomposed' {stages = 'mixed'}", crank}};
    (void)state;
    test_cases_run(cases, sizeof cases / sizeof cases[0]);
}

// A bar that is glued to a hub at 10 rad/s: it holds where its strength is 1.05 times m w^2 r, and
// leaves where it is 0.95 times that
static void test_glued(void** state)
{
    static const char* const format =
        "local w, f, b, l = 10, %s, 0.1, 0.4\n"
        "local m, r = 1000 * b * b * l, (b + l) / 2\n"
        "gravity{0,0,0}\n"
        "material{name='s', density=1000, friction=2}\n"
        "material{name='t', density=1000, friction=2}\n"
        "surface{'s', 't', friction=2, cohesion=f * m * w * w * r / (b * b)}\n"
        "body{name='hub', kind='prescribed', material='s', angular_velocity={0,0,w},\n"
        "     shape=shape.box{size={b,b,b}}}\n"
        "body{name='bar', material='t', position={r,0,0}, velocity={0,w * r,0},\n"
        "     angular_velocity={0,0,w}, shape=shape.box{size={l,b,b}}}\n"
        "run{step=1e-3, duration=0.2}\n"
        "local free = r * math.sqrt(1 + (0.2 * w)^2)\n"
        "check{quantity='position', body='bar', component='length',\n"
        "      value=f > 1 and r or free, tolerance=f > 1 and 1e-6 or 5e-3}\n";
    static const char* const strength[] = {"1.05", "0.95"};
    static const char* const stages[] = {"two", "one", "mixed"};
    int failed = 0;
    (void)state;
    for (int k = 0; k < 12; ++k) {
        char text[2048], scheme[64];
        snprintf(text, sizeof text, format, strength[k / 6]);
        snprintf(scheme, sizeof scheme, "'%s' {stages = '%s'}",
                 k % 2 == 0 ? "consistent" : "decomposed", stages[k / 2 % 3]);
        failed += test_case_run(&(TestCase){"glued bar", scheme, text});
    }
    assert_int_equal(failed, 0);
}

// Friction along a grain, at the level standard: what reactions leave does not add up. It stops after
// v^2/(2 mu g), where it stands
static void test_grain(void** state)
{
    (void)state;
    run_three("box along the grain",
              "material{name='m', friction=0.2, law='anisotropic', across=0.4, grain={1,0,0}}\n"
              "floor{material='m'}\n"
              "body{name='b', material='m', shape=shape.box{size={0.2,0.2,0.05}},\n"
              "     position={0,0,0.025}, velocity={1,0,0}}\n"
              "run{step=1e-2, duration=1}\n"
              "local x = 1 / (2 * 0.2 * 9.81)\n"
              "check{quantity='position', body='b', component='x', value=x, tolerance=1e-3 * x}\n"
              "check{quantity='position', body='b', component='z', value=0.025,\n"
              "      tolerance=2e-6}\n");
}

/* ---- settings ---- */

// settings that do nothing beside others, and what a scheme cannot do with them, are refused with a
// sentence; values that say what happens anyway are not
static void test_refusals(void** state)
{
    static const struct Refusal {
        const char *scheme, *more, *sentence; // NULL: it is accepted
    } rows[] = {
        {"'consistent' {stages = 'one', settle = true}", "", "settle = true has no effect"},
        {"'consistent' {stages = 'one', settle = false}", "", NULL},
        {"'consistent' {stages = 'one'}", "", NULL},
        {"'consistent' {begin_directions = true, friction = 'middle'}", "",
         "friction = \"middle\" has no effect"},
        {"'consistent' {begin_directions = true, friction = 'begin'}", "", NULL},
        {"'decomposed' {linearised = true, max_newton = 50}", "", "max_newton has no effect"},
        {"'decomposed' {linearised = true}", "", NULL},
        {"'consistent' {begin_directions = true}", "surface{'m', 'm', cohesion=1e4}\n",
         "bonds of cohesion"},
        {"'decomposed' {linearised = true}", "surface{'m', 'm', cohesion=1e4}\n",
         "bonds of cohesion"},
    };
    const SticContext context = stic_context_default();
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        char text[1024];
        SticSimulation* simulation = NULL;
        SticError error = {0};
        snprintf(text, sizeof text,
                 "scheme %s\nmaterial{name='m', friction=0.5}\n%sfloor{material='m'}\n"
                 "body{name='b', material='m', position={0,0,0.5}, shape=shape.box{size={1,1,1}}}\n"
                 "run{step=1e-2, duration=0.02}\n",
                 rows[k].scheme, rows[k].more);
        SticScene* scene = test_scene(&context, text, &error);
        if (scene != NULL)
            stic_simulation_create(&context, scene, &simulation, &error);
        printf("%s: %s\n", rows[k].scheme, simulation != NULL ? "accepted" : error.text);
        assert_int_equal(simulation != NULL, rows[k].sentence == NULL);
        if (rows[k].sentence != NULL)
            assert_non_null(strstr(error.text, rows[k].sentence));
        stic_simulation_destroy(simulation);
        stic_scene_destroy(scene);
    }
}

/* ---- rolling ---- */

// A capsule rolls on its two ends, and keeps its speed
static void test_rolling(void** state)
{
    (void)state;
    run_three("capsule that rolls",
              "material{name='m', friction=0.5}\n"
              "floor{material='m'}\n"
              "body{name='b', mass=2, position={0,0,0.5}, velocity={2,0,0},\n"
              "     angular_velocity={0,4,0}, orientation={axis={1,0,0}, angle=math.pi / 2},\n"
              "     material='m', shape=shape.capsule{radius=0.5, length=1}}\n"
              "run{step=1e-2, duration=5}\n"
              "check{quantity='velocity', body='b', component='x', value=2, tolerance=1e-10}\n");
}

// what a cylinder that rolls has lost of 2 m/s after 5 s
static double lost_speed(const char* scheme, const char* step)
{
    const SticContext context = stic_context_default();
    char text[2048];
    snprintf(text, sizeof text,
             "scheme %s\n"
             "material{name='m', friction=0.5}\n"
             "floor{material='m'}\n"
             "body{name='b', mass=2, position={0,0,0.5}, velocity={2,0,0},\n"
             "     angular_velocity={0,4,0}, orientation={axis={1,0,0}, angle=math.pi / 2},\n"
             "     material='m', shape=shape.cylinder{radius=0.5, height=1}}\n"
             "run{step=%s, duration=5}\n"
             "check{quantity='velocity', body='b', component='x', value=2, tolerance=1}\n",
             scheme, step);
    SticScene* scene = test_scene_good(&context, text);
    SticSimulation* simulation = test_simulation(&context, scene);
    test_simulation_finish(simulation);
    const double lost = 2.0 - stic_simulation_check(simulation, 0).value;
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
    return lost;
}

static void test_rolling_order(void** state)
{
    (void)state;
    for (int k = 0; k < SCHEMES; ++k) {
        const double lost[2] = {lost_speed(schemes[k], "0.01"), lost_speed(schemes[k], "0.005")};
        printf("cylinder that rolls, %s: %.2e and %.2e of 2 m/s lost in steps of 10 and 5 ms\n",
               schemes[k], lost[0], lost[1]);
        test_less(fabs(lost[0]), 1e-5);
        // third order, or rounding
        test_less(fabs(lost[1]), fabs(lost[0]) / 7.0 + 1e-12);
    }
}

/* ---- correction ---- */

// A box that falls by 1 m on a floor and is put back there at once: it stays closed, and at rest
static void test_correction(void** state)
{
    static const char* const format =
        "material{name='m', friction=0.5, restitution=0}\n"
        "floor{material='m'}\n"
        "body{name='b', mass=1, position={0,0,1.503}, material='m',\n"
        "     shape=shape.box{size={1,1,1}}}\n"
        "run{step=1e-2, duration=2, correction=%s}\n"
        "check{quantity='position', body='b', component='z', value=0.5, tolerance=3e-9}\n"
        "check{quantity='velocity', body='b', component='length', value=0, tolerance=1e-12}\n";
    static const char* const rate[] = {"0.2", "0.9", "1"};
    (void)state;
    for (int k = 0; k < 3; ++k) {
        char text[1024];
        snprintf(text, sizeof text, format, rate[k]);
        run_three("box that is put back", text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_springs),       cmocka_unit_test(test_points),
        cmocka_unit_test(test_drop),          cmocka_unit_test(test_oblique),
        cmocka_unit_test(test_tumbling),      cmocka_unit_test(test_position_level),
        cmocka_unit_test(test_drive),         cmocka_unit_test(test_rest_at_limit),
        cmocka_unit_test(test_linearised),    cmocka_unit_test(test_rolling),
        cmocka_unit_test(test_rolling_order), cmocka_unit_test(test_correction),
        cmocka_unit_test(test_crank),         cmocka_unit_test(test_glued),
        cmocka_unit_test(test_grain),         cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
