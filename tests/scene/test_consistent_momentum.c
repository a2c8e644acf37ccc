// SPDX-License-Identifier: Apache-2.0
// Momenta that contacts and elastic forces keep, in the energy-consistent schemes: horizontal
// velocity on a floor without friction, angular momentum of an elastic body in flight, the speed of
// what rolls; a chain whose Newton iteration runs away; and what the summary tells of energy.
#include "scene/cases.h"

/* ---- a floor without friction ---- */

// what moves: `shape`, restitution, more fields of the body; step and duration
typedef struct Slick {
    const char *name, *scheme, *shape, *body;
    double restitution, step, duration;
} Slick;

static int run_slick(const Slick* slick)
{
    char text[2048];
    snprintf(text, sizeof text,
             "material{name='m', friction=0, restitution=%g, density=1000}\n"
             "floor{material='m'}\n"
             "body{name='b', material='m', position={0,0,0.6}, velocity={1,0,0},\n"
             "     angular_velocity={3,-2,5}, shape=%s%s}\n"
             "run{step=%g, duration=%g}\n"
             "check{quantity='velocity', body='b', component='x', value=1, tolerance=2e-12}\n"
             "check{quantity='velocity', body='b', component='y', value=0, tolerance=2e-12}\n",
             slick->restitution, slick->shape, slick->body, slick->step, slick->duration);
    return test_case_run(&(TestCase){slick->name, slick->scheme, text});
}

// Nothing pushes along the floor. The discrete derivative with a correction along the whole
// displacement lost 8 % of the velocity of the elastic box, and 4e-3 of that of the ellipsoid
static void test_slick(void** state)
{
    static const char box[] = "shape.box{size={0.2,0.3,0.4}}",
                      egg[] = "shape.ellipsoid{semi_axes={0.1,0.15,0.2}}",
                      tin[] = "shape.cylinder{radius=0.1, height=0.4}",
                      soft[] = ", kind='pseudo_rigid', young=1e7, poisson=0.3";
    const Slick cases[] = {
        {"elastic box that bounces", "'consistent'", box, soft, 1.0, 2e-3, 1.0},
        {"elastic box that bounces", "'decomposed'", box, soft, 1.0, 2e-3, 1.0},
        {"elastic box that slides", "'consistent'", box, soft, 0.0, 2e-3, 1.0},
        {"elastic ellipsoid", "'consistent'", egg, soft, 1.0, 2e-3, 1.0},
        {"ellipsoid", "'consistent'", egg, "", 0.0, 1e-2, 5.0},
        {"ellipsoid", "'decomposed'", egg, "", 0.0, 1e-2, 5.0},
        {"cylinder", "'consistent'", tin, "", 0.0, 5e-3, 2.0},
        {"ellipsoid", "'consistent' {stages = 'one'}", egg, "", 1.0, 1e-2, 2.0},
    };
    int failed = 0;
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
        failed += run_slick(&cases[k]);
    assert_int_equal(failed, 0);
}

/* ---- an elastic body in flight ---- */

// L = sum_ij E_ij f_i x f'_j about the centre, E the Euler tensor m a^2/12 of a box
static void spin_of(const SticState* state, const double euler[3], double L[3])
{
    for (int r = 0; r < 3; ++r) {
        const int next = (r + 1) % 3, last = (r + 2) % 3;
        L[r] = 0.0;
        for (int c = 0; c < 3; ++c)
            L[r] += euler[c] * (state->q[3 + 3 * next + c] * state->u[3 + 3 * last + c] -
                                state->q[3 + 3 * last + c] * state->u[3 + 3 * next + c]);
    }
}

// A soft box that turns by 0.16 rad in a step and swings by a third of its size: energy and angular
// momentum stay, the latter because corrections do not push along turns
static void test_spin(void** state)
{
    static const char scene_text[] =
        "scheme 'consistent'\ngravity{0,0,0}\n"
        "material{name='m', friction=0, density=1000}\n"
        "body{name='b', kind='pseudo_rigid', young=2e4, poisson=0.3, material='m',\n"
        "     velocity={3,1,-2}, angular_velocity={5,-6,14}, shape=shape.box{size={0.2,0.3,0.4}}}\n"
        "run{step=1e-2, duration=5}\n";
    const double mass = 24.0,
                 euler[3] = {mass * 0.04 / 12.0, mass * 0.09 / 12.0, mass * 0.16 / 12.0};
    const SticContext context = stic_context_default();
    SticScene* scene = test_scene_good(&context, scene_text);
    SticSimulation* simulation = test_simulation(&context, scene);
    const SticState* now = stic_run_state(stic_simulation_run(simulation));
    double first[3], L[3], most = 0.0, stretch = 0.0;
    (void)state;
    spin_of(now, euler, first);
    const double size = sqrt(first[0] * first[0] + first[1] * first[1] + first[2] * first[2]);
    for (int k = 0; k < 500; ++k) {
        SticStepInfo info;
        assert_int_equal(stic_simulation_step(simulation, &info), STIC_OK);
        now = stic_run_state(stic_simulation_run(simulation));
        spin_of(now, euler, L);
        for (int r = 0; r < 3; ++r)
            most = fabs(L[r] - first[r]) > most ? fabs(L[r] - first[r]) : most;
        for (int c = 0; c < 3; ++c) {
            const double length =
                sqrt(now->q[3 + c] * now->q[3 + c] + now->q[6 + c] * now->q[6 + c] +
                     now->q[9 + c] * now->q[9 + c]);
            stretch = fabs(length - 1.0) > stretch ? fabs(length - 1.0) : stretch;
        }
    }
    const SticRunTotals* totals = stic_run_totals(stic_simulation_run(simulation));
    printf("soft box in flight: stretched by %.2f, angular momentum %.1e of %.3g, energy of a step "
           "%.1e\n",
           stretch, most / size, size, totals->violation[STIC_PROMISE_ENERGY]);
    test_greater(stretch, 0.05);
    test_less(most, 1e-11 * size);
    test_less(totals->violation[STIC_PROMISE_ENERGY], 1e-12);
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
}

/* ---- rolling ---- */

// What rolls on a level floor keeps its speed, on curved surfaces that touch with another point in
// every step too. With the arms of a body that is smaller in mid-step they lost 3e-4 of it
static void test_roll(void** state)
{
    static const char* const schemes[] = {"'consistent'", "'decomposed'",
                                          "'decomposed' {midpoint = true}"};
    int failed = 0;
    (void)state;
    for (int k = 0; k < 6; ++k) {
        char text[2048];
        snprintf(text, sizeof text,
                 "material{name='m', friction=2, restitution=0, density=1000}\n"
                 "floor{material='m'}\n"
                 "body{name='b', material='m', position={0,0,0.1}, velocity={2,0,0},\n"
                 "     angular_velocity={0,20,0}, %s}\n"
                 "run{step=1e-2, duration=2}\n"
                 "check{quantity='velocity', body='b', component='x', value=2, tolerance=1e-9}\n",
                 k % 2 == 0 ? "shape=shape.ellipsoid{semi_axes={0.1,0.3,0.1}}"
                            : "shape=shape.cylinder{radius=0.1, height=0.3},\n"
                              "orientation={axis={1,0,0}, angle=math.pi / 2}");
        failed += test_case_run(&(TestCase){
            k % 2 == 0 ? "ellipsoid that rolls" : "cylinder that rolls", schemes[k / 2], text});
    }
    assert_int_equal(failed, 0);
}

/* ---- iterates that run away ---- */

// Three bars and a spring of 1 kN/m that is stretched by 2 m: some 100 rad/s. Whole steps of 10 and
// 50 ms have iterates that are not finite; they are made in parts
static void test_runaway(void** state)
{
    static const char bars[] =
        "for i = 1, 3 do\n"
        "  body{name='b'..i, mass=1, inertia={0.001,1/12,1/12}, position={i - 0.5,0,0}}\n"
        "  joint.point{a='b'..i, b=i > 1 and 'b'..(i - 1) or 'ground', point={i - 1,0,0}}\n"
        "end\n"
        "joint.span{a='b3', b='ground', point={3,0,0}, to={2,2,2}, stiffness=1e3, rest=1}\n"
        "run{step=%g, duration=1}\n"
        "check{quantity='energy', value=2000, tolerance=1e-6}\n";
    int failed = 0;
    (void)state;
    for (int k = 0; k < 2; ++k) {
        char text[2048];
        snprintf(text, sizeof text, bars, k == 0 ? 0.01 : 0.05);
        failed +=
            test_case_run(&(TestCase){"bars that a spring throws about", "'consistent'", text});
    }
    assert_int_equal(failed, 0);
}

/* ---- what the summary tells ---- */

// A motor of 5 N m that brings a wheel of 2 kg m2 to 10 rad/s in 4 s, and holds it there with next to
// nothing: velocities belong to the reactions that they were solved for, and the ledger closes
static void test_motor(void** state)
{
    const SticContext context = stic_context_default();
    SticScene* scene = test_scene_good(
        &context, "scheme 'decomposed'\ngravity{0,0,0}\n"
                  "body{name='f', mass=1, inertia={2,2,2}}\n"
                  "joint.hinge{a='f', point={0,0,0}, axis={0,0,1}, driven=true, speed=10,\n"
                  "            drive_force=5}\n"
                  "run{step=1e-2, duration=6}\n");
    SticSimulation* simulation = test_simulation(&context, scene);
    (void)state;
    test_simulation_finish(simulation);
    const SticRunTotals* totals = stic_run_totals(stic_simulation_run(simulation));
    printf("motor: ledger %.1e of 100 J in 600 steps, worst step %.1e\n",
           totals->ledger.integration, totals->violation[STIC_PROMISE_ENERGY]);
    test_less(fabs(totals->ledger.integration), 1e-10);
    test_less(totals->violation[STIC_PROMISE_ENERGY], 1e-12);
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
}

// Two bodies on a spring of 1e8 N/m, whose steps are made in many parts: what the summary says of
// energy is not less than what a step has missed, by energies before and after it
static void test_parts(void** state)
{
    const SticContext context = stic_context_default();
    SticScene* scene = test_scene_good(
        &context, "scheme 'consistent'\ngravity{0,0,0}\n"
                  "body{name='a', mass=1, inertia={0.02,0.03,0.04}, velocity={0.3,0.1,0},\n"
                  "     angular_velocity={1,2,3}}\n"
                  "body{name='b', mass=3, inertia={0.05,0.04,0.03}, position={1,0,0},\n"
                  "     velocity={-0.2,0,0.4}, angular_velocity={-2,0.5,1}}\n"
                  "joint.span{a='a', b='b', point={0.2,0.1,0.1}, to={0.8,-0.1,0.1},\n"
                  "           stiffness=1e8, rest=0.5}\n"
                  "run{step=1e-2, duration=0.3}\n");
    SticSimulation* simulation = test_simulation(&context, scene);
    const SticRun* run = stic_simulation_run(simulation);
    double worst = 0.0;
    int32_t parts = 0;
    (void)state;
    for (int k = 0; k < 30; ++k) {
        SticStepInfo info;
        assert_int_equal(stic_simulation_step(simulation, &info), STIC_OK);
        const double missed =
            fabs(info.ledger.kinetic + info.ledger.potential) / stic_run_totals(run)->energy_start;
        worst = missed > worst ? missed : worst;
        parts = info.substeps > parts ? info.substeps : parts;
    }
    const double told = stic_run_totals(run)->violation[STIC_PROMISE_ENERGY];
    printf("steps of up to %d parts: energy missed by %.1e in a step, told %.1e\n", parts, worst,
           told);
    assert_true(parts > 1);
    // T + |V| is the energy of the start up to what the run has missed
    test_at_least(told, 0.999 * worst);
    test_less(told, 1e-8);
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
}

/* ---- at the origin ---- */

// Bodies that loaded springs press at walls, limits and rods from where coordinates are 0. Changes of
// energy there are rounded as the springs' lengths are, not as places of 1e-19 m are: corrections that
// took them for something turned the forces of springs by any angle
static void test_origin(void** state)
{
    static const char* const texts[][2] = {
        {"spring that presses a box at a wall",
         "gravity{0,0,0}\n"
         "body{name='w', kind='fixed', position={-0.55,0,0}, shape=shape.box{size={1,2,2}}}\n"
         "body{name='b', mass=1, shape=shape.box{size={0.1,0.1,0.1}}}\n"
         "joint.span{a='b', b='ground', point={0,0,0}, to={0.5,0,0}, stiffness=1e5, rest=0.51}\n"
         "run{step=1e-3, duration=0.05}\n"
         "check{quantity='contact_force', body='b', component='x', value=1000, tolerance=1e-7}\n"},
        {"spring between boxes that press at walls",
         "gravity{0,0,0}\n"
         "body{name='w', kind='fixed', position={-0.55,0,0}, shape=shape.box{size={1,2,2}}}\n"
         "body{name='w2', kind='fixed', position={1.05,0,0}, shape=shape.box{size={1,2,2}}}\n"
         "body{name='b', mass=1, shape=shape.box{size={0.1,0.1,0.1}}}\n"
         "body{name='c', mass=1, position={0.5,0,0}, shape=shape.box{size={0.1,0.1,0.1}}}\n"
         "joint.span{a='b', b='c', point={0,0,0}, to={0.5,0,0}, stiffness=1e5, rest=0.51}\n"
         "run{step=1e-3, duration=0.05}\n"
         "check{quantity='contact_force', body='b', component='x', value=1000, tolerance=1e-7}\n"},
        {"spring that friction holds",
         "material{name='m', friction=0.5}\n"
         "floor{material='m'}\n"
         "body{name='b', mass=10, material='m', position={0,0,0.1},\n"
         "     shape=shape.box{size={0.2,0.2,0.2}}}\n"
         "joint.span{a='b', b='ground', point={0,0,0.1}, to={1,0,0.1}, stiffness=2e3, rest=0.98}\n"
         "run{step=1e-3, duration=0.05}\n"
         "check{quantity='contact_force', body='b', component='x', value=-40, tolerance=1e-7}\n"},
        {"slider at its limit",
         "gravity{0,0,0}\n"
         "body{name='b', mass=1, shape=shape.box{size={0.1,0.1,0.1}}}\n"
         "joint.slider{a='b', b='ground', point={0,0,0}, axis={1,0,0}, stiffness=1e5, rest=-0.01,\n"
         "             limit={0,1}}\n"
         "run{step=1e-3, duration=0.1}\n"
         "check{quantity='position', body='b', component='x', value=0, tolerance=1e-15}\n"},
        {"slider with friction and a damper",
         "gravity{0,0,0}\n"
         "body{name='b', mass=1, shape=shape.box{size={0.1,0.1,0.1}}}\n"
         "joint.slider{a='b', b='ground', point={0,0,0}, axis={1,0,0}, stiffness=1e4, rest=1e-3,\n"
         "             friction=20, damping=50}\n"
         "run{step=1e-3, duration=0.1}\n"
         "check{quantity='position', body='b', component='x', value=0, tolerance=1e-15}\n"},
        {"rod under a spring",
         "gravity{0,0,0}\n"
         "body{name='b', kind='point', mass=1, shape=shape.sphere{radius=0.01}}\n"
         "joint.rod{name='r', a='b', b='ground', point={0,0,0}, to={1,0,0}}\n"
         "joint.span{a='b', b='ground', point={0,0,0}, to={1,0,0}, stiffness=1e5, rest=0.99}\n"
         "run{step=1e-3, duration=0.1}\n"
         "check{quantity='reaction', joint='r', value=1000, tolerance=1e-7}\n"},
    };
    static const char* const schemes[] = {"'consistent'", "'decomposed'"};
    (void)state;
    for (size_t k = 0; k < 2 * sizeof texts / sizeof texts[0]; ++k) {
        const TestCase c = {texts[k / 2][0], schemes[k % 2], texts[k / 2][1]};
        test_cases_run(&c, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_slick), cmocka_unit_test(test_spin),
                                       cmocka_unit_test(test_roll),  cmocka_unit_test(test_runaway),
                                       cmocka_unit_test(test_motor), cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_origin)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
