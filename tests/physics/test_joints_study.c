// SPDX-License-Identifier: Apache-2.0
// Joints over long times: a thousand swings of a pendulum, the cradle at its smallest step.
#include "helpers/helpers.h"
#include "helpers/joints.h"

static void test_thousand_swings(void** unused)
{
    (void)unused;
    const double h = 0.001, exact = 2.3606805;
    TestWorld tw;
    const SticBodyId body = test_pendulum(&tw, h);
    double most = 0.0, least = 2.0, before = 0.0, last = 0.0, energy = 0.0;
    int swings = 0;
    while (swings < 1000) {
        test_world_steps(&tw, 1);
        const SticVec3 at = test_world_place(&tw, body);
        const double length = stic_vec3_norm(stic_vec3_sub(at, stic_vec3(0.0, 0.0, 1.0)));
        const double v = test_world_motion(&tw, body).velocity.z;
        most = length > most ? length : most;
        least = length < least ? length : least;
        if (at.x > 0.0 && before > 0.0 && v <= 0.0) {
            // where v passes zero between the two steps
            last = stic_run_state(tw.run)->t - h * v / (v - before);
            energy = test_worse(energy, fabs(test_joint_energy(&tw) - 9.869604401089358));
            swings += 1;
        }
        before = v;
    }
    print_message("pendulum, 1000 swings at h = 0.001: %.3f s (%.3f), length in [%.9f, %.9f], "
                  "|E - pi^2| <= %.1e\n",
                  last, 1000.0 * exact, least, most, energy);
    // thesis: 2360.68; the scheme's own period is longer by 2e-6
    test_less(fabs(last - 2360.685), 2e-3);
    test_greater(least, 1.0 - 1e-8);
    test_less(most, 1.00000248);
    test_less(energy, 1e-8);
    test_world_close(&tw);
}

static void test_cradle_fine(void** unused)
{
    (void)unused;
    const double h = 0.0001;
    TestWorld tw;
    SticBodyId ball[5];
    test_cradle(&tw, h, ball);
    const double start = test_joint_energy(&tw);
    double before = 0.0, back = 0.0;
    for (int i = 0; i < 143230; ++i) {
        test_world_steps(&tw, 1);
        const double v = test_world_motion(&tw, ball[0]).velocity.x;
        if (back == 0.0 && before < 0.0 && v >= 0.0 && test_world_place(&tw, ball[0]).x < -0.1)
            back = stic_run_state(tw.run)->t - h;
        before = v;
    }
    const double change = test_joint_energy(&tw) - start;
    print_message("cradle h = %g: period %.4f (1.4330), E = %.6f, change after ten periods %.1e\n",
                  h, back, start, change);
    test_near(start, 0.195497, 1e-6);
    test_less(fabs(change), 1e-9);
    test_less(fabs(back - 1.4330), 1.5 * h);
    test_world_close(&tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thousand_swings),
        cmocka_unit_test(test_cradle_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
