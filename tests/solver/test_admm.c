// SPDX-License-Identifier: Apache-2.0
// labels: threads
// admm on both sides: random problems, scenes at rest whatever their size, bits, memory.
#include "helpers/helpers.h"
#include "large.h"

static void test_random(void** state)
{
    (void)state;
    large_random("admm", "");
    large_random("admm", "side=reactions");
    large_random("admm", "alpha=1.6");
}

static void test_rest(void** state)
{
    (void)state;
    const SceneDef scenes[] = {
        {SCENE_ARCH, 27, 0.7, 0.0, 0.0},   {SCENE_CHAIN, 20, 0.4, 0.0, 0.0},
        {SCENE_BRIDGE, 10, 0.5, 0.0, 0.0}, {SCENE_PYRAMID, 20, 0.5, 0.0, 0.0},
        {SCENE_WALL, 20, 0.6, 0.0, 0.0},   {SCENE_STACK, 100, 0.5, 0.0, 0.0},
        {SCENE_ARCH, 200, 0.7, 0.0, 0.0},  {SCENE_SPHERES, 100, 0.4, 0.0, 0.0}};
    for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; ++k) {
        const int32_t iterations = large_rest(&scenes[k], "admm", "", 1e-8);
        // what rests on faces takes a few tens of iterations, whatever its size
        if (scenes[k].kind != SCENE_SPHERES && scenes[k].kind != SCENE_CHAIN)
            test_at_most(iterations, 100);
    }
    const SceneDef arch = {SCENE_ARCH, 9, 0.7, 0.0, 0.0};
    large_rest(&arch, "admm", "side=reactions", 1e-8);
}

// the penalty is balanced and another one is tried where nothing moves: a start far off still ends
static void test_penalty(void** state)
{
    (void)state;
    const SceneDef stack = {SCENE_STACK, 20, 0.5, 0.0, 0.0};
    large_rest(&stack, "admm", "rho=1", 1e-8);
    large_rest(&stack, "admm", "rho=1e7 patience=50", 1e-8);
}

static void test_threads(void** state)
{
    (void)state;
    // the same for gcc and clang at every optimisation level; a change belongs into the change log
    test_equal(large_threads("admm", "rho=100", 1e-3), 0x50d31365cd3545db);
}

static void test_memory(void** state)
{
    (void)state;
    large_memory("admm");
    large_failures("admm");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),  cmocka_unit_test(test_rest),
        cmocka_unit_test(test_penalty), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
