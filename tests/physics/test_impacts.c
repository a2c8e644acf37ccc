// SPDX-License-Identifier: Apache-2.0
// Impacts of Koziara's thesis in worlds: sphere and cube on a plate for five restitutions (13.4.2,
// 13.4.3), a block under 8 cos t on a frictional table (13.4.5), and when energy is gained (10.5).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "helpers/world.h"

static void open_plate(TestWorld* tw, double gravity, double mu, double eta, double density)
{
    SticWorldDef def = stic_world_default_def();
    def.gravity = stic_vec3(0.0, 0.0, -gravity);
    def.material.density = density;
    def.material.surface.friction = mu;
    def.material.surface.restitution[0] = eta;
    test_world_open(tw, NULL, &def);
    test_world_plane(tw, stic_vec3(0.0, 0.0, 1.0), 0.0, (SticMaterialId){0, 0});
}

/* ---- sphere and cube ---- */

enum { IMPACTS = 4 };

typedef struct Fall {
    int impacts;
    double time[IMPACTS], speed[IMPACTS]; // after each of the first impacts
    double energy;                        // largest deviation from 8 J
    double gain;                          // largest work of the contacts in a step
} Fall;

// a body of 1 kg that touches the plate falls at 4 m/s; g = 10, h = 1 ms, 2.4 s
static Fall fall(bool cube, double eta)
{
    TestWorld tw;
    Fall result = {0};
    const double density = cube ? 125.0 : 3.0 / (4.0 * 3.14159265358979323846 * 1e-3);
    open_plate(&tw, 10.0, 0.0, eta, density);
    const SticShape* shape =
        cube ? test_world_box(&tw, 0.1, 0.1, 0.1) : test_world_sphere(&tw, 0.1);
    const SticBodyId id =
        test_world_body(&tw, shape, stic_vec3(0.0, 0.0, 0.1), stic_vec3(0.0, 0.0, -4.0));
    test_world_run(&tw, "koziara", "rotation=new2 law=velocity", 1e-3, 1e-13);
    test_less(fabs(stic_world_mass(tw.system, id) - 1.0), 1e-12);
    double old = -4.0;
    for (int k = 0; k < 2400; ++k) {
        test_world_steps(&tw, 1);
        const double v = test_world_motion(&tw, id).velocity.z;
        const double z = test_world_place(&tw, id).z - 0.1;
        if (old < -1e-9 && v > old + 0.5 && result.impacts < IMPACTS) {
            result.time[result.impacts] = stic_run_state(tw.run)->t;
            result.speed[result.impacts++] = v;
        }
        result.energy = test_worse(result.energy, fabs(0.5 * v * v + 10.0 * z - 8.0));
        result.gain = test_worse(result.gain, tw.info.ledger.impact);
        old = v;
    }
    test_world_close(&tw);
    return result;
}

static void test_sphere_and_cube(void** unused)
{
    (void)unused;
    static const double eta[] = {0.0, 0.25, 0.5, 0.75, 1.0};
    for (int k = 0; k < 5; ++k) {
        const Fall ball = fall(false, eta[k]), cube = fall(true, eta[k]);
        printf(
            "eta %.2f: %d impacts, leaves with %.4f %.4f %.4f, cube %.4f; energy off by %.1e J\n",
            eta[k], ball.impacts, ball.speed[0], ball.speed[1], ball.speed[2], cube.speed[0],
            ball.energy);
        test_less(fabs(ball.speed[0] - 4.0 * eta[k]), 1e-12);
        // where flights get shorter than a step, a contact that opens is pressed down again within
        // it: at most m (g h)^2 / 2
        test_less(ball.gain, 5e-5);
        test_less(cube.gain, 5e-5);
        // flights of whole numbers of steps end on the edge of one: rounding may move an impact by
        // a step, and its speed by g h
        for (int i = 0; i < IMPACTS && i < ball.impacts && i < cube.impacts; ++i) {
            test_near(ball.speed[i], cube.speed[i], 0.0101);
            test_near(ball.time[i], cube.time[i], 2.1e-3);
        }
    }
    const Fall elastic = fall(false, 1.0), soft = fall(false, 0.75);
    // three impacts, at 0, 0.8 and 1.6 s, and 8 J at all times
    assert_int_equal(elastic.impacts, 3);
    test_less(elastic.energy, 1e-11);
    for (int i = 0; i < 3; ++i)
        test_less(fabs(elastic.time[i] - (1e-3 + 0.8 * i)), 2.5e-3);
    // 3, 2.25, 1.69: each impact is found within a step, g h of its speed
    for (int i = 0; i < 3; ++i)
        test_less(fabs(soft.speed[i] - 4.0 * pow(0.75, i + 1)), 0.02);
}

/* ---- block under 8 cos t ---- */

static void test_table(void** unused)
{
    (void)unused;
    TestWorld tw;
    const double h = 1e-3;
    open_plate(&tw, 9.81, 0.8, 0.0, 1000.0 / 9.0);
    const SticBodyId block = test_world_body(&tw, test_world_box(&tw, 0.15, 0.15, 0.05),
                                             stic_vec3(0.0, 0.0, 0.05), stic_vec3_zero());
    test_world_run(&tw, "koziara", "rotation=new2 law=velocity", h, 1e-12);
    test_less(fabs(stic_world_mass(tw.system, block) - 1.0), 1e-12);
    double begin[5] = {0}, end[5] = {0}, plateau[5] = {0}, fastest = 0.0;
    int slips = 0;
    bool slides = false;
    for (int k = 0; k < 10000; ++k) {
        const SticVec3 push = stic_vec3(8.0 * cos((k + 0.5) * h), 0.0, 0.0);
        TEST_TRY(&tw, stic_body_set_force(tw.world, block, push, stic_vec3_zero(), &tw.error));
        test_world_steps(&tw, 1);
        const double v = test_world_motion(&tw, block).velocity.x, t = (k + 1) * h;
        const bool now = fabs(v) > 1e-9;
        fastest = test_worse(fastest, fabs(v));
        if (now && !slides && slips < 5)
            begin[slips] = t - h;
        if (!now && slides && slips < 5) {
            end[slips] = t;
            plateau[slips++] = test_world_place(&tw, block).x;
        }
        slides = now;
    }
    static const double exact[4][2] = {
        {0.0, 0.33861}, {2.94635, 3.53283}, {6.08794, 6.67443}, {9.22953, 9.81602}};
    assert_int_equal(slips, 4);
    for (int i = 0; i < 4; ++i) {
        printf("slip %d: %.4f to %.4f s (%.5f, %.5f), then x = %.6f m\n", i, begin[i], end[i],
               exact[i][0], exact[i][1], plateau[i]);
        test_near(begin[i], exact[i][0], 2e-3);
        test_near(end[i], exact[i][1], 2e-3);
        test_less(fabs(plateau[i] - (i % 2 == 0 ? 0.004349 : -0.008697)), 2e-6);
    }
    const double x = test_world_place(&tw, block).x;
    printf("x(10) = %.7f m (-0.0086970), fastest %.7f m/s (0.0395447)\n", x, fastest);
    test_less(fabs(x + 0.0086970), 2e-6);
    test_less(fabs(fastest - 0.0395447), 2e-5);
    test_world_close(&tw);
}

/* ---- energy of impacts ---- */

// a rod of length 1 with its ends on the plate, at the normal velocities a and b; what one step
// makes of its energy, and what the contacts are said to have done
static double rod(double a, double b, double eta, double* ledger)
{
    TestWorld tw;
    double kinetic;
    open_plate(&tw, 0.0, 0.0, eta, 1000.0);
    SticBodyDef def = stic_body_default_def();
    // a little below, so that an end that rises is still in contact at mid-step
    def.position = stic_vec3(0.0, 0.0, 0.01 - 1e-3);
    def.velocity = stic_vec3(0.0, 0.0, 0.5 * (a + b));
    def.angular_velocity = stic_vec3(0.0, a - b, 0.0);
    const SticBodyId id =
        test_world_add(&tw, &def, test_world_box(&tw, 0.5, 0.02, 0.01), (SticMaterialId){0, 0});
    test_world_run(&tw, "koziara", "rotation=new2 law=velocity", 1e-4, 1e-13);
    test_world_steps(&tw, 1);
    assert_int_equal(tw.info.contacts, 4);
    *ledger = tw.info.ledger.impact / stic_world_mass(tw.system, id);
    kinetic = tw.info.ledger.kinetic / stic_world_mass(tw.system, id);
    test_less(fabs(tw.info.ledger.integration), 1e-7);
    test_world_close(&tw);
    return kinetic;
}

static void test_energy(void** unused)
{
    (void)unused;
    double work[4];
    // one end strikes while the other rises slowly: the impact presses the rising end down, where
    // it is stopped, W = [4 -2; -2 4]/m: it gains 1/2 R_2 c with R_2 = m (4 - 4 c)/12, c = 0.3
    const double mixed = rod(-1.0, 0.3, 1.0, &work[0]);
    const double plastic = rod(-1.0, 0.3, 0.0, &work[1]);
    const double pure = rod(-1.0, -0.3, 1.0, &work[2]);
    const double common = rod(-1.0, -0.3, 0.5, &work[3]);
    const double gain = 0.5 * (4.0 - 4.0 * 0.3) / 12.0 * 0.3;
    printf(
        "rod, J/kg: mixed %.6f (%.6f), eta = 0 %.6f, both strike: eta = 1 %.1e, eta = 1/2 %.6f\n",
        mixed, gain, plastic, pure, common);
    test_less(fabs(mixed / gain - 1.0), 2e-3);
    test_less(plastic, 0.0);
    test_less(fabs(pure), 1e-9);
    test_less(common, 0.0);
    // the ledger names it
    test_near(work[0], mixed, 1e-9);
    test_near(work[1], plastic, 1e-9);
    test_near(work[3], common, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sphere_and_cube),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
