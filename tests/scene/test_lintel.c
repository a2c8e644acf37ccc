// SPDX-License-Identifier: Apache-2.0
// A rigid lintel on two elastic posts that are as wide as it: nodes on the border of its face carry
// it, also where posts bulge over it.
#include <math.h>

#include "scene/scenes.h"

// width of lintel, Young's modulus, Poisson's ratio; how far the lintel came down, m
static double lower(double width, double E, double nu)
{
    const SticContext context = stic_context_default();
    char text[2048];
    snprintf(
        text, sizeof text,
        "material{name = 's', density = 2000, friction = 0.6}\n"
        "for _, x in ipairs{-1, 1} do body{kind = 'elastic', material = 's', position = {x, 0, "
        "1}, shape = shape.box{size = {0.5, 0.5, 2}}, cells = {2, 2, 3}, young = %g, poisson = "
        "%g, energy = 'linear', hold = {{-1, -1, -1}, {1, 1, -1}}} end\n"
        "body{name = 'lintel', material = 's', position = {0, 0, 2.2}, shape = shape.box{size "
        "= {3, %.17g, 0.4}}}\n"
        "load{body = 'lintel', point = {0, 0, 2.4}, force = {0, 0, -1000}}\n"
        "scheme 'theta' {theta = 1}\nrun{step = 5e-3, duration = 0.5, energy_alarm = false}\n",
        E, nu, width);
    SticScene* scene = test_scene_good(&context, text);
    SticSimulation* simulation = test_simulation(&context, scene);
    test_simulation_finish(simulation);
    SticBodyState body[3];
    const SticContactForce* contact;
    int32_t count;
    double force = 0.0;
    SticRun* run = stic_simulation_run(simulation);
    assert_int_equal(stic_run_bodies(run, body, 3), 3);
    assert_int_equal(stic_run_contacts(run, &contact, &count), STIC_OK);
    for (int32_t k = 0; k < count; ++k)
        force += fabs(contact[k].force.z);
    const double weight = 3.0 * width * 0.4 * 2000.0 * 9.81 + 1000.0;
    const double z = stic_run_pose(run, body[2].body).origin.z;
    print_message(
        "width %.10g m, E %g Pa, nu %g: %d contacts carry %.4f of the load, %.4e m down\n", width,
        E, nu, count, force / weight, 2.2 - z);
    // what still swings
    test_near(force / weight, 1.0, 1e-3);
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
    return 2.2 - z;
}

static void test_width(void** unused)
{
    (void)unused;
    // nu = 0: load over E A, and the weight of the post over its height
    const double down = (3.0 * 0.5 * 0.4 * 2000.0 * 9.81 + 1000.0) / 2.0 * 2.0 / (1e9 * 0.25) +
                        2000.0 * 9.81 * 4.0 / (2.0 * 1e9);
    test_near(lower(0.5, 1e9, 0.0) / down, 1.0, 1e-4);
    test_near(lower(0.5, 1e9, 0.4), lower(0.500000001, 1e9, 0.4), 1e-4 * down);
    // bulges by 1e-5 m; a wider lintel is heavier by 471 N
    const double soft = lower(0.5, 2e8, 0.4), wide = lower(0.52, 2e8, 0.4);
    test_near(soft, wide - 471.0 / 2.0 * 2.0 / (2e8 * 0.25), 0.01 * soft);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_width)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
