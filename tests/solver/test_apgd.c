// SPDX-License-Identifier: Apache-2.0
// labels: threads
// apgd: random problems, scenes at rest, step lengths, impacts, bits, memory.
#include "large.h"

static void test_random(void** state)
{
    (void)state;
    large_random("apgd", "");
    // the step finds its size from any start
    large_random("apgd", "step=1000");
}

static void test_rest(void** state)
{
    (void)state;
    const SceneDef scenes[] = {{SCENE_ARCH, 27, 0.7, 0.0, 0.0},
                               {SCENE_CHAIN, 20, 0.4, 0.0, 0.0},
                               {SCENE_BRIDGE, 10, 0.5, 0.0, 0.0},
                               {SCENE_PYRAMID, 20, 0.5, 0.0, 0.0}};
    for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; ++k)
        large_rest(&scenes[k], "apgd", "", 1e-8);
}

// random velocities of all boxes: the guard keeps what was reached
static void test_impact(void** state)
{
    (void)state;
    large_impact("apgd");
}

static void test_threads(void** state)
{
    (void)state;
    // the same for gcc and clang at every optimisation level; a change belongs into the change log
    test_equal(large_threads("apgd", "", 1e-3), 0xbc6e436162049957);
}

static void test_memory(void** state)
{
    (void)state;
    large_memory("apgd");
    large_failures("apgd");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),  cmocka_unit_test(test_rest),
        cmocka_unit_test(test_impact),  cmocka_unit_test(test_memory),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
