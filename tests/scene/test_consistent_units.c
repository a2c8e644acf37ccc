// SPDX-License-Identifier: Apache-2.0
// The energy-consistent schemes know no units: the same scene in other units of length, mass and
// time moves in the same way, to rounding. And sliders without friction fall as on a slope, whatever
// direction they have in the frame of the world.
#include <math.h>

#include "scene/cases.h"

static const char* const schemes[] = {"'consistent'", "'decomposed'",
                                      "'decomposed' {midpoint = true}"};
enum { SCHEMES = 3, MOST_BODIES = 12, COORDINATES = 7 };

typedef struct Units {
    double length, mass, time;
} Units;

// Where bodies are after a run, in the units L of length
static void run_in(const char* scheme, const Units* units, const char* body, int32_t bodies,
                   double* q)
{
    const SticContext context = stic_context_default();
    char text[4096];
    const int length =
        snprintf(text, sizeof text,
                 "scheme %s\nlocal L, M, T = %.17g, %.17g, %.17g\nlocal A = L / T^2\n"
                 "gravity{0,0,-9.81 * A}\n"
                 "material{name='m', density=1000 * M / (L * L * L), friction=0.5}\n%s",
                 scheme, units->length, units->mass, units->time, body);
    assert_true(length < (int)sizeof text);
    SticScene* scene = test_scene_good(&context, text);
    SticSimulation* simulation = test_simulation(&context, scene);
    test_simulation_finish(simulation);
    SticRun* run = stic_simulation_run(simulation);
    const SticRunTotals* totals = stic_run_totals(run);
    assert_int_equal(totals->unsolved, 0);
    assert_int_equal(totals->broken_promises, 0);
    memcpy(q, stic_run_state(run)->q, (size_t)(bodies * COORDINATES) * sizeof *q);
    for (int32_t c = 0; c < bodies * COORDINATES; ++c)
        q[c] /= c % COORDINATES < 3 ? units->length : 1.0;
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
}

// Powers of ten, so that no product is the same in two units; and a grain of sand, whose moments of
// inertia are 1e-20 of those of a box of a metre
static const Units others[] = {
    {1e-5, 1.0, 1.0}, {1.0, 1e-12, 1.0}, {1.0, 1.0, 1e-3}, {1e-5, 1e-15, 1e-2}, {1e3, 1e9, 1e2}};

static void compare(const char* name, const char* body, int32_t bodies, double start,
                    double tolerance)
{
    static const Units metre = {1.0, 1.0, 1.0};
    double q[MOST_BODIES * COORDINATES], there[MOST_BODIES * COORDINATES];
    for (int s = 0; s < SCHEMES; ++s) {
        double most = 0.0;
        run_in(schemes[s], &metre, body, bodies, q);
        // it moved: what stands still is the same in all units
        test_at_least(fabs(q[(bodies - 1) * COORDINATES + 2] - start), 0.01);
        for (size_t k = 0; k < sizeof others / sizeof others[0]; ++k) {
            run_in(schemes[s], &others[k], body, bodies, there);
            for (int32_t c = 0; c < bodies * COORDINATES; ++c)
                most = fmax(most, fabs(there[c] - q[c]));
        }
        printf("%s, %s: other units differ by %.1e\n", name, schemes[s], most);
        test_less(most, tolerance);
    }
}

static const char* const chain =
    "for k = 1, n do\n"
    "  body{name='b'..k, position={0.3 * (k - 1) * L,0,0}, velocity={0,0.1 * k * L / T,0},\n"
    "       material='m', shape=shape.box{size={0.3 * L,0.1 * L,0.1 * L}}}\n"
    "  joint.point{a='b'..k, b=k > 1 and 'b'..(k - 1) or 'ground',\n"
    "              point={(0.3 * k - 0.45) * L,0,0}}\n"
    "end\n"
    "run{step=0.005 * T, duration=0.2 * T, project=true}\n";

// clusters that are dense, and sparse ones
static void test_chains(void** state)
{
    char text[1024];
    (void)state;
    snprintf(text, sizeof text, "local n = 2\n%s", chain);
    compare("two boxes on joints", text, 2, 0.0, 1e-12);
    snprintf(text, sizeof text, "local n = 12\n%s", chain);
    compare("twelve boxes on joints", text, 12, 0.0, 1e-11);
}

// four hinges in a plane repeat each other in three conditions
static void test_linkage(void** state)
{
    (void)state;
    compare(
        "planar linkage",
        "local size = {0.1 * L,0.1 * L,0.1 * L}\n"
        "body{name='a', position={0.15 * L,0,0.5 * L}, material='m', shape=shape.box{size=size}}\n"
        "body{name='b', position={0.8 * L,0,1.0 * L}, material='m',\n"
        "     shape=shape.box{size=size}}\n"
        "body{name='c', position={1.15 * L,0,0.5 * L}, material='m',\n"
        "     shape=shape.box{size=size}}\n"
        "local axis = {0,1,0}\n"
        "joint.hinge{a='a', b='ground', point={0,0,0}, axis=axis}\n"
        "joint.hinge{a='b', b='a', point={0.3 * L,0,L}, axis=axis}\n"
        "joint.hinge{a='c', b='b', point={1.3 * L,0,L}, axis=axis}\n"
        "joint.hinge{a='c', b='ground', point={L,0,0}, axis=axis}\n"
        "run{step=0.005 * T, duration=0.2 * T}\n",
        3, 0.5, 1e-11);
}

// a box that tumbles onto a floor with friction
static void test_grain(void** state)
{
    (void)state;
    compare("grain",
            "floor{material='m', height=-0.2 * L}\n"
            "body{name='b', angular_velocity={1 / T,2 / T,3 / T}, material='m',\n"
            "     shape=shape.box{size={0.3 * L,0.1 * L,0.1 * L}}}\n"
            "run{step=0.005 * T, duration=0.5 * T}\n",
            1, 0.0, 1e-9);
}

/* ---- sliders ---- */

// s = -g n_z t^2/2 along the unit vector n, exactly in every scheme of constant acceleration
static void test_sliders(void** state)
{
    TestCase c = {.name = "slider"};
    int failed = 0;
    (void)state;
    SticRandom random = stic_random_create(7);
    for (int k = 0; k < 40; ++k) {
        char text[1024];
        // small whole numbers, as scenes have them, and others
        double x[6], n[3], p[3];
        test_random_vector(&random, 6, -1.0, 1.0, x);
        for (int i = 0; i < 3; ++i) {
            n[i] = k % 2 == 0 ? round(3.0 * x[i]) : x[i];
            p[i] = k % 2 == 0 ? 0.1 * round(7.0 * x[3 + i]) : x[3 + i];
        }
        n[k % 3] += n[0] == 0.0 && n[1] == 0.0 && n[2] == 0.0 ? 1.0 : 0.0;
        snprintf(text, sizeof text,
                 "local n, p, v = {%.17g,%.17g,%.17g}, {%.17g,%.17g,%.17g}, %d\n"
                 "local l = math.sqrt(n[1]^2 + n[2]^2 + n[3]^2)\n"
                 "body{name='b', position=p, mass=3, inertia={0.005,0.025,0.025},\n"
                 "     velocity={v * n[1] / l,v * n[2] / l,v * n[3] / l}}\n"
                 "joint.slider{a='b', b='ground', point={0,0,0}, axis=n}\n"
                 "run{step=0.005, duration=0.1}\n"
                 "local s = v * 0.1 - 9.81 * n[3] / l * 0.1^2 / 2\n"
                 "for i, c in ipairs{'x', 'y', 'z'} do\n"
                 "  check{quantity='position', body='b', component=c,\n"
                 "        value=p[i] + s * n[i] / l, tolerance=1e-13}\n"
                 "end\n",
                 n[0], n[1], n[2], p[0], p[1], p[2], k % 3);
        c.scheme = schemes[k % SCHEMES];
        c.text = text;
        failed += test_case_run(&c);
    }
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_linkage),
        cmocka_unit_test(test_grain),
        cmocka_unit_test(test_sliders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
