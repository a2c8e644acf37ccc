// SPDX-License-Identifier: Apache-2.0
// Limit analysis of scenes: arches, friction and cohesion.
#include "scene/scenes.h"
#include "stiction/extend/limit.h"

// what an arch can spare, in units of its heaviest block; below 0 it falls
static double arch_margin(int blocks, double friction, double cohesion, double ratio)
{
    const SticContext context = stic_context_default();
    char text[512];
    snprintf(text, sizeof text,
             "material{name = 'stone', density = 2400, friction = %.17g, cohesion = %.17g}\n"
             "arch{radius = 10, thickness = %.17g, width = 5, blocks = %d, material = 'stone'}\n",
             friction, cohesion, 10.0 * ratio, blocks);
    SticScene* scene = test_scene_good(&context, text);
    SticSimulation* simulation = test_simulation(&context, scene);
    SticLimit* limit = NULL;
    SticArena* arena = NULL;
    SticError error = {0};
    SticLimitResult result;
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    assert_int_equal(stic_limit_create(&context, stic_simulation_world(simulation), &limit, &error),
                     STIC_OK);
    SticLimitTask task = stic_limit_default_task();
    task.dead = stic_limit_load(limit);
    task.most = 1.0;
    assert_int_equal(stic_limit_solve(limit, &task, arena, &result, &error), STIC_OK);
    printf("%.8f: %s %.12f %.12f residual %.2e steps %d contacts %d\n", ratio,
           stic_limit_outcome_name(result.outcome), result.factor, result.factor_most,
           result.residual, result.steps, stic_limit_count(limit));
    stic_limit_destroy(limit);
    stic_arena_destroy(arena);
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
    return result.outcome == STIC_LIMIT_NONE ? -INFINITY : result.factor;
}

static double arch_limit(int blocks, double friction, double cohesion)
{
    double low = 0.05, high = 0.25;
    while (high - low > 1e-7) {
        const double middle = 0.5 * (low + high);
        if (arch_margin(blocks, friction, cohesion, middle) >= 0.0)
            high = middle;
        else
            low = middle;
    }
    return high;
}

static void test_arches(void** state)
{
    (void)state;
    printf("LIMIT %.7f\n", arch_limit(15, 0.4, 0));
    printf("LIMIT %.7f\n", arch_limit(15, 0.31, 0));
    printf("LIMIT %.7f\n", arch_limit(15, 0.33, 2e4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_arches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
