// SPDX-License-Identifier: Apache-2.0
// Quasi-static steps of worlds: rigid stacks and slopes, gaps closed in one step, the scaling of
// masses and of deformations with the values of the thesis, inner iterations.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "helpers/world.h"
#include "math/math.h"

static const double g = 9.81;

// three boxes, the upper ones not quite down: one step closes the gaps, then nothing moves
static void stack(void** state)
{
    (void)state;
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    test_world_plane(&tw, stic_vec3(0.0, 0.0, 1.0), 0.0, (SticMaterialId){0, 0});
    SticBodyId box[3];
    for (int k = 0; k < 3; ++k)
        box[k] =
            test_world_body(&tw, test_world_box(&tw, 0.1, 0.1, 0.1),
                            stic_vec3(0.02 * k, 0.0, 0.1 + 0.2 * k + 1e-3 * k), stic_vec3_zero());
    test_world_run(&tw, "quasi-static", "reach=0.05", 0.1, 1e-12);
    test_world_steps(&tw, 1);
    double height = 0.0, moved = 0.0;
    for (int k = 0; k < 3; ++k)
        height = test_worse(height, fabs(test_world_place(&tw, box[k]).z - (0.1 + 0.2 * k)));
    const SticVec3 before = test_world_place(&tw, box[2]);
    test_world_steps(&tw, 50);
    moved = stic_vec3_norm(stic_vec3_sub(test_world_place(&tw, box[2]), before));
    // the first rows of the contacts on the plane carry all weights
    double weight = 0.0;
    const SticMemory* memory = stic_run_state(tw.run)->memory;
    for (int32_t i = 0; i < memory->count; ++i)
        weight = test_worse(weight, memory->record[i].reaction[0]);
    printf("stack of three: heights off by %.1e m after one step, top moves %.1e m in 50 more\n",
           height, moved);
    test_less(height, 1e-9);
    test_less(moved, 1e-9);
    test_greater(weight, 0.0);
    test_world_close(&tw);
}

// friction angle: below it a box stays, above it each step moves it by the surplus force
static void slope(void** state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        TestWorld tw;
        SticWorldDef def = stic_world_default_def();
        const double angle = k == 0 ? 0.45 : 0.48, h = 0.01; // atan(1/2) = 0.4636
        def.gravity = stic_vec3(g * sin(angle), 0.0, -g * cos(angle));
        test_world_open(&tw, NULL, &def);
        test_world_plane(&tw, stic_vec3(0.0, 0.0, 1.0), 0.0, (SticMaterialId){0, 0});
        const SticBodyId box = test_world_body(&tw, test_world_box(&tw, 0.2, 0.2, 0.05),
                                               stic_vec3(0.0, 0.0, 0.05), stic_vec3_zero());
        test_world_run(&tw, "quasi-static", "reach=0.05", h, 1e-12);
        test_world_steps(&tw, 20);
        const double x = test_world_place(&tw, box).x;
        // each step begins at rest: h^2 (g sin - mu g cos)
        const double exact = k == 0 ? 0.0 : 20.0 * h * h * g * (sin(angle) - 0.5 * cos(angle));
        printf("slope of %.2f rad: moved %.10f m (%.10f)\n", angle, x, exact);
        test_less(fabs(x - exact), 1e-10);
        test_world_close(&tw);
    }
}

// a free body with scaled masses moves by the displacement asked for, whatever it weighs
static void mass_scaling(void** state)
{
    (void)state;
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    const SticBodyId heavy = test_world_body(&tw, test_world_box(&tw, 0.2, 0.2, 0.2),
                                             stic_vec3_zero(), stic_vec3_zero());
    const SticBodyId light = test_world_body(&tw, test_world_box(&tw, 0.1, 0.1, 0.1),
                                             stic_vec3(1.0, 0.0, 0.0), stic_vec3_zero());
    test_world_run(&tw, "quasi-static", "reach=0.05 displacement=1e-3", 1.0, 1e-12);
    test_world_steps(&tw, 5);
    const double z[2] = {test_world_place(&tw, heavy).z, test_world_place(&tw, light).z};
    printf("five steps of at most 1 mm: %.9f and %.9f m\n", z[0], z[1]);
    test_less(fabs(z[0] + 5e-3), 1e-15);
    test_less(fabs(z[1] + 5e-3 / 8.0), 1e-15);
    test_world_close(&tw);
}

// a stone cube with the parameters of the thesis (13.3): h = 1 s, lambda_max h^2 = 4, l = 1 mm
static void thesis_cube(void** state)
{
    (void)state;
    TestWorld tw;
    SticWorldDef def = stic_world_default_def();
    def.material.density = 2200.0;
    def.material.surface.friction = 0.0;
    test_world_open(&tw, NULL, &def);
    test_world_plane(&tw, stic_vec3(0.0, 0.0, 1.0), 0.0, (SticMaterialId){0, 0});
    SticBodyDef body = stic_body_default_def();
    body.kind = STIC_BODY_PSEUDO_RIGID;
    body.elastic = (SticElastic){15.5e9, 0.2};
    body.position = stic_vec3(0.0, 0.0, 0.05);
    const SticBodyId cube =
        test_world_add(&tw, &body, test_world_box(&tw, 0.05, 0.05, 0.05), (SticMaterialId){0, 0});
    test_world_run(&tw, "quasi-static",
                   "reach=0.05 iterations=100 drop=0.01 damping=4 displacement=1e-3", 1.0, 1e-10);
    test_world_steps(&tw, 1);
    const int first = tw.info.newton;
    test_world_steps(&tw, 4);
    const double sigma = stic_world_stress(tw.system, stic_run_state(tw.run), cube).m[2][2];
    const double exact = -0.5 * 2200.0 * g * 0.1;
    printf("cube of the thesis: %d inner iterations at first, sigma_zz %.4f (%.4f) Pa\n", first,
           sigma, exact);
    test_greater(first, 1);
    test_near(sigma / exact, 1.0, 1e-6);
    test_world_close(&tw);
}

// a plank that stands on its edge a little past the vertical tips over and lies flat
static void tips_over(void** state)
{
    (void)state;
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    test_world_plane(&tw, stic_vec3(0.0, 0.0, 1.0), 0.0, (SticMaterialId){0, 0});
    SticBodyDef def = stic_body_default_def();
    const double lean = atan(0.1) + 0.02; // half widths 0.02 and 0.2
    def.orientation = test_turn(stic_vec3(0.0, 1.0, 0.0), lean);
    def.position = stic_vec3(0.0, 0.0, 0.02 * sin(lean) + 0.2 * cos(lean));
    const SticBodyId plank =
        test_world_add(&tw, &def, test_world_box(&tw, 0.02, 0.1, 0.2), (SticMaterialId){0, 0});
    test_world_run(&tw, "quasi-static", "reach=0.5 displacement=5e-3", 0.1, 1e-10);
    int steps = 0;
    double height = 1.0;
    while (steps < 2000 && height > 0.02 + 1e-6) {
        test_world_steps(&tw, 1);
        height = test_world_place(&tw, plank).z;
        steps += 1;
    }
    printf("plank: lies flat after %d steps, height %.9f m\n", steps, height);
    test_less(steps, 2000);
    test_near(height, 0.02, 1e-6);
    test_world_close(&tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stack),       cmocka_unit_test(slope),     cmocka_unit_test(mass_scaling),
        cmocka_unit_test(thesis_cube), cmocka_unit_test(tips_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
