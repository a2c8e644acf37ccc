// SPDX-License-Identifier: Apache-2.0
// Scenes of machines and contacts with exact values, in the energy-consistent schemes: linkages
// whose joints repeat each other, tops, pendulums, drives, moving obstacles, impacts, friction.
// Every step is solved, and its energy changes by the works of the ledger to 1e-12.
#include "scene/scenes.h"

typedef struct Case {
    const char *name, *text;
} Case;

static const Case cases[] = {
    {"four-bar linkage of hinges in a plane, 6 s",
     "body{name='crank', mass=1, inertia={0.01,0.01,0.01}, position={0,0,0.25}}\n"
     "body{name='rod', mass=2, inertia={0.1,0.1,0.02}, position={0.5,0,0.75}}\n"
     "body{name='rocker', mass=1.5, inertia={0.1,0.1,0.1}, position={1,0,0.5},\n"
     "     angular_velocity={0,0.2,0}, velocity={0.1,0,0}}\n"
     "joint.hinge{a='crank', b='ground', point={0,0,0}, axis={0,1,0}}\n"
     "joint.hinge{a='rod', b='crank', point={0,0,0.5}, axis={0,1,0}}\n"
     "joint.hinge{a='rocker', b='rod', point={1,0,1}, axis={0,1,0}}\n"
     "joint.hinge{a='rocker', b='ground', point={1,0,0}, axis={0,1,0}}\n"
     "run{step=5e-3, duration=6, project=true}\n"
     "check{quantity='unsolved', value=0, tolerance=0}\n"},
    {"the same, driven",
     "body{name='crank', mass=1, inertia={0.01,0.01,0.01}, position={0,0,0.25}}\n"
     "body{name='rod', mass=2, inertia={0.1,0.1,0.02}, position={0.5,0,0.75}}\n"
     "body{name='rocker', mass=1.5, inertia={0.1,0.1,0.1}, position={1,0,0.5}}\n"
     "joint.hinge{name='a', a='crank', b='ground', point={0,0,0}, axis={0,1,0}, driven=true,\n"
     "            speed=0.2, drive_force=1000}\n"
     "joint.hinge{a='rod', b='crank', point={0,0,0.5}, axis={0,1,0}}\n"
     "joint.hinge{a='rocker', b='rod', point={1,0,1}, axis={0,1,0}}\n"
     "joint.hinge{a='rocker', b='ground', point={1,0,0}, axis={0,1,0}}\n"
     "run{step=5e-3, duration=2}\n"
     "check{quantity='coordinate', joint='a', value=0.4, tolerance=1e-7}\n"},
    {"bar on eight rockers, each with two hinges",
     "body{name='bar', mass=2, inertia={0.1,0.5,0.5}, position={4.5,0,1}, velocity={1,0,0}}\n"
     "for k = 1, 8 do\n"
     "  body{name='r'..k, mass=1, inertia={0.09,0.09,0.01}, position={k,0,0.5},\n"
     "       velocity={0.5,0,0}, angular_velocity={0,1,0}}\n"
     "  joint.hinge{name='g'..k, a='r'..k, b='ground', point={k,0,0}, axis={0,1,0}}\n"
     "  joint.hinge{a='r'..k, b='bar', point={k,0,1}, axis={0,1,0}}\n"
     "end\n"
     // (8 (0.09 + 0.25) + 2) w^2/2 + (8/2 + 2) g cos(angle) is constant
     "run{step=5e-3, duration=0.1}\n"
     "check{quantity='energy', value=2.36 + 6 * 9.81, tolerance=1e-9}\n"},
    {"heavy top in steady precession",
     "local m, l, th, I1, I3, w3, g = 1, 0.2, 0.5, 0.02 + 0.04, 0.03, 60, 9.81\n"
     "local a, b, c = I1 * math.cos(th), I3 * w3, m * g * l\n"
     "local turn = (b - math.sqrt(b * b - 4 * a * c)) / (2 * a)\n"
     "local spin, s, z = w3 - turn * math.cos(th), math.sin(th), math.cos(th)\n"
     "body{name='top', mass=m, inertia={0.02,0.02,0.03}, position={l * s,0,l * z},\n"
     "     orientation={axis={0,1,0}, angle=th}, velocity={0, turn * l * s, 0},\n"
     "     angular_velocity={spin * s, 0, turn + spin * z}}\n"
     "joint.point{a='top', b='ground', point={0,0,0}}\n"
     "run{step=1e-3, duration=1}\n"
     "check{quantity='centre', body='top', component='x', value=l * s * math.cos(turn),\n"
     "      tolerance=2e-4}\n"
     "check{quantity='centre', body='top', component='y', value=l * s * math.sin(turn),\n"
     "      tolerance=2e-4}\n"
     "check{quantity='centre', body='top', component='z', value=l * z, tolerance=2e-4}\n"},
    {"triple pendulum, 60 s at 10 ms",
     "for k = 0, 2 do\n"
     "  body{name='l'..k, mass=1, inertia={0.01,1/12,1/12}, position={k + 0.5,0,0}}\n"
     "  joint.hinge{a='l'..k, b=k == 0 and 'ground' or 'l'..(k - 1), point={k,0,0}, axis={0,1,0}}\n"
     "end\n"
     "run{step=1e-2, duration=60}\n"
     "check{quantity='energy', reduction='most', value=0, tolerance=1e-10}\n"
     "check{quantity='energy', reduction='least', value=0, tolerance=1e-10}\n"},
    {"rod that meets the limit of its hinge with restitution 0.5",
     "body{name='rod', mass=1, inertia={1/12,1/12,1/12}, position={0.5,0,0}}\n"
     "joint.hinge{a='rod', b='ground', point={0,0,0}, axis={0,1,0}, limit={-1, math.pi / 2},\n"
     "            restitution=0.5}\n"
     "run{step=2e-4, duration=0.8}\n"
     // a quarter of what it fell through is left
     "check{quantity='energy', value=-9.81 / 2 * 0.75, tolerance=2e-3}\n"},
    {"flywheel that dry friction of its hinge stops, and then rests",
     "gravity{0,0,0}\n"
     "body{name='wheel', mass=1, inertia={1,1,0.5}, angular_velocity={0,0,10}}\n"
     "joint.hinge{name='h', a='wheel', b='ground', point={0,0,0}, axis={0,0,1}, friction=2}\n"
     "run{step=1e-3, duration=4}\n"
     // J w^2 / (2 M) = 12.5 rad, almost two turns
     "check{quantity='coordinate', joint='h', value=12.5, tolerance=1e-4}\n"
     "check{quantity='kinetic', value=0, tolerance=1e-20}\n"
     "check{quantity='unsolved', value=0, tolerance=0}\n"},
    {"slider with a sinusoidal drive",
     "body{name='b', mass=3, inertia={1,1,1}}\n"
     "joint.slider{a='b', b='ground', point={0,0,0}, axis={1,0,0}, driven=true, amplitude=2,\n"
     "             frequency=5, drive_force=1e4}\n"
     "run{step=1e-3, duration=2}\n"
     "check{quantity='position', body='b', component='x', value=0.4 * (1 - math.cos(10)),\n"
     "      tolerance=1e-5}\n"},
    {"plate at 1 m/s that hits a ball at -1 m/s, restitution 0.5",
     "gravity{0,0,0}\n"
     "material{name='m', friction=0, restitution=0.5}\n"
     "body{name='plate', kind='prescribed', velocity={1,0,0}, position={-0.5,0,0}, material='m',\n"
     "     shape=shape.box{size={0.2,1,1}}}\n"
     "body{name='ball', mass=1, velocity={-1,0,0}, material='m', shape=shape.sphere{radius=0.1}}\n"
     "run{step=1e-3, duration=1}\n"
     "check{quantity='velocity', body='ball', component='x', value=2, tolerance=1e-12}\n"},
    {"1e6 kg on 1 kg",
     "material{name='light', friction=0.5, density=1}\n"
     "material{name='heavy', friction=0.5, density=1e6}\n"
     "floor{material='light'}\n"
     "body{name='a', position={0,0,0.5}, material='light', shape=shape.box{size={1,1,1}}}\n"
     "body{name='b', position={0.1,0,1.5}, material='heavy', shape=shape.box{size={1,1,1}}}\n"
     "run{step=5e-3, duration=5}\n"
     "check{quantity='position', body='b', component='z', value=1.5, tolerance=1e-8}\n"
     "check{quantity='kinetic', value=0, tolerance=1e-9}\n"},
    {"box on a belt at 2 m/s",
     "material{name='m', friction=0.4, density=700}\n"
     "body{name='belt', kind='prescribed', velocity={2,0,0}, material='m', position={0,0,-0.5},\n"
     "     shape=shape.box{size={100,10,1}}}\n"
     "body{name='b', position={0,0,0.1}, material='m', shape=shape.box{size={0.4,0.4,0.2}}}\n"
     "run{step=1e-3, duration=2}\n"
     "check{quantity='velocity', body='b', component='x', value=2, tolerance=1e-9}\n"
     "check{quantity='position', body='b', component='x', value=4 - 2 / (0.4 * 9.81),\n"
     "      tolerance=1e-3}\n"},
    {"ball that slides at 7 m/s until it rolls at 5 m/s",
     "material{name='m', friction=0.1, density=700}\n"
     "floor{material='m'}\n"
     "body{name='b', position={0,0,0.1}, velocity={7,0,0}, material='m',\n"
     "     shape=shape.sphere{radius=0.1}}\n"
     "run{step=1e-3, duration=4}\n"
     "local mu = 0.1 * 9.81\n"
     "check{quantity='velocity', body='b', component='x', value=5, tolerance=1e-6}\n"
     "check{quantity='position', body='b', component='x',\n"
     "      value=12 / 49 * 49 / mu + 5 * (4 - 2 / mu), tolerance=5e-3}\n"},
    {"block that rocks onto its other edge, without restitution",
     "accuracy 'strict'\n"
     "local b, h, tilt, g = 0.2, 1, 0.1, 9.81\n"
     "local half, edge = math.atan(b / h), math.sqrt(b * b + h * h) / 2\n"
     "material{name='m', friction=2, density=700}\n"
     "floor{material='m'}\n"
     "body{name='b', position={-edge * math.sin(half - tilt),0,edge * math.cos(half - tilt)},\n"
     "     orientation={axis={0,1,0}, angle=tilt}, material='m', shape=shape.box{size={b,b,h}}}\n"
     "run{step=2e-4, duration=0.6}\n"
     // Housner: omega falls by 1 - 3/2 sin^2
     "local s = math.sin(half)\n"
     "local part, fall = 1 - 1.5 * s * s, edge * math.cos(half - tilt) - h / 2\n"
     "check{quantity='energy', value=700 * b * b * h * g * (h / 2 + fall * part * part),\n"
     "      tolerance=0.01}\n"},
};

// all schemes of the family that promise energy
static const char* const schemes[] = {"\"consistent\"", "\"decomposed\" {midpoint = true}",
                                      "\"decomposed\""};

static int run_case(const Case* c, const char* scheme, bool first_order)
{
    const SticContext context = stic_context_default();
    char text[4096];
    snprintf(text, sizeof text, "scheme %s\n%s", scheme, c->text);
    SticScene* scene = test_scene_good(&context, text);
    SticSimulation* simulation = test_simulation(&context, scene);
    test_simulation_finish(simulation);
    const SticRunTotals* totals = stic_run_totals(stic_simulation_run(simulation));
    const SticSceneDef* def = stic_scene_def(scene);
    int failed = 0;
    printf("%s, %s: energy missed by %.1e, joints by %.1e and %.1e, %lld steps not solved", c->name,
           scheme, totals->violation[STIC_PROMISE_ENERGY], totals->violation[STIC_PROMISE_POSITION],
           totals->violation[STIC_PROMISE_RATE], (long long)totals->unsolved);
    for (int32_t i = 0; i < def->check_count; ++i) {
        const SticCheckResult result = stic_simulation_check(simulation, i);
        printf("; %.10g (%.10g)", result.value, def->check[i].value);
        // the structure matrices of the beginning make motions of first order
        failed += result.passed || first_order ? 0 : 1;
    }
    printf("%s\n", failed > 0 ? " FAILED" : "");
    failed += totals->unsolved > 0 || totals->broken_promises != 0 ||
                      totals->violation[STIC_PROMISE_ENERGY] > 1e-12 ||
                      totals->violation[STIC_PROMISE_POSITION] > 1e-13 ||
                      totals->violation[STIC_PROMISE_RATE] > 1e-12
                  ? 1
                  : 0;
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
    return failed;
}

static void test_scenes(void** state)
{
    int failed = 0;
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
        for (int s = 0; s < 3; ++s)
            failed += run_case(&cases[k], schemes[s], s == 2);
    assert_int_equal(failed, 0);
}

// One stage: impulses of a limit are passed on by the joint
static void test_one_stage(void** state)
{
    const SticContext context = stic_context_default();
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        if (strstr(cases[k].name, "limit of its hinge") == NULL)
            continue;
        char text[4096];
        snprintf(text, sizeof text, "scheme \"consistent\" {stages = \"one\"}\n%s", cases[k].text);
        SticScene* scene = test_scene_good(&context, text);
        SticSimulation* simulation = test_simulation(&context, scene);
        test_simulation_finish(simulation);
        const SticCheckResult result = stic_simulation_check(simulation, 0);
        printf("%s, one stage: %.6f J, expected %.6f\n", cases[k].name, result.value,
               stic_scene_def(scene)->check[0].value);
        assert_true(result.passed);
        stic_simulation_destroy(simulation);
        stic_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes),
                                       cmocka_unit_test(test_one_stage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
