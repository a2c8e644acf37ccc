// SPDX-License-Identifier: Apache-2.0
// Scenes with checks, run by a scheme that is put before them.
#ifndef TEST_CASES_H
#define TEST_CASES_H

#include <math.h>

#include "scene/scenes.h"

typedef struct TestCase {
    const char *name, *scheme, *text;
} TestCase;

/// Runs to its end, and gives the number of failures: every step is solved, no promise is broken,
/// every check is met, and no overlap is more than `deepest` in the size of the smaller body.
static inline int test_case_within(const TestCase* c, double deepest)
{
    const SticContext context = stic_context_default();
    char text[4096];
    int failed = 0;
    snprintf(text, sizeof text, "scheme %s\n%s", c->scheme, c->text);
    SticScene* scene = test_scene_good(&context, text);
    SticSimulation* simulation = test_simulation(&context, scene);
    test_simulation_finish(simulation);
    const SticRunTotals* totals = stic_run_totals(stic_simulation_run(simulation));
    const SticSceneDef* def = stic_scene_def(scene);
    printf("%s, %s: energy missed by %.1e, %lld steps not solved", c->name, c->scheme,
           totals->violation[STIC_PROMISE_ENERGY], (long long)totals->unsolved);
    for (int32_t i = 0; i < def->check_count; ++i) {
        const SticCheckResult result = stic_simulation_check(simulation, i);
        printf("; %.12g (%.12g)", result.value, def->check[i].value);
        failed += result.passed ? 0 : 1;
    }
    if (deepest < INFINITY)
        printf("; overlap %.2e", totals->penetration_part);
    failed += totals->penetration_part > deepest ? 1 : 0;
    failed += totals->unsolved > 0 || totals->broken_promises != 0 ? 1 : 0;
    printf("%s\n", failed > 0 ? " FAILED" : "");
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
    return failed;
}

static inline int test_case_run(const TestCase* c)
{
    return test_case_within(c, INFINITY);
}

/// Run all of them; none may fail.
static inline void test_cases_run(const TestCase* c, size_t count)
{
    int failed = 0;
    for (size_t k = 0; k < count; ++k)
        failed += test_case_run(&c[k]);
    assert_int_equal(failed, 0);
}

#endif
