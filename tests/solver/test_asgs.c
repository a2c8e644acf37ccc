// SPDX-License-Identifier: Apache-2.0
// labels: threads
// asgs: random problems, scenes at rest, fewer sweeps than nsgs, impacts, walks, bits,
// memory.
#include "helpers/helpers.h"
#include "large.h"

static void test_random(void** state)
{
    (void)state;
    large_random("asgs", "");
    large_random("asgs", "form=explicit");
    large_random("asgs", "order=coloured");
}

static void test_rest(void** state)
{
    (void)state;
    const SceneDef scenes[] = {{SCENE_ARCH, 9, 0.7, 0.0, 0.0},
                               {SCENE_CHAIN, 20, 0.4, 0.0, 0.0},
                               {SCENE_BRIDGE, 10, 0.5, 0.0, 0.0},
                               {SCENE_PYRAMID, 10, 0.5, 0.0, 0.0}};
    for (size_t k = 0; k < 4; ++k)
        large_rest(&scenes[k], "asgs", "", 1e-8);
    // rounding differs by form, the rate does not: velocities of drifting sweeps would ruin it
    const int32_t factored = large_rest(&scenes[3], "asgs", "form=factored", 1e-8);
    const int32_t explicit_form = large_rest(&scenes[3], "asgs", "form=explicit", 1e-8);
    test_at_most(factored, explicit_form + explicit_form / 10);
}

// a pyramid of 210 boxes: nsgs needs more than five times the sweeps
static void test_faster(void** state)
{
    (void)state;
    const SceneDef pyramid = {SCENE_PYRAMID, 20, 0.5, 0.0, 0.0};
    const int32_t sweeps = large_rest(&pyramid, "nsgs", "", 1e-3);
    const int32_t pairs = large_rest(&pyramid, "asgs", "", 1e-3);
    print_message("sweeps to 1e-3: nsgs %d, asgs %d\n", sweeps, 2 * pairs);
    test_at_most(5 * 2 * pairs, sweeps);
}

// piles are swept forward, which saves work; where faces touch that runs away, and the guard
// saves it
static void test_direction(void** state)
{
    (void)state;
    const SceneDef pile = {SCENE_SPHERES, 300, 0.4, 0.0, 0.0};
    const int32_t chosen = large_rest(&pile, "asgs", "", 1e-4);
    const int32_t forward = large_rest(&pile, "asgs", "direction=forward", 1e-4);
    const int32_t symmetric = large_rest(&pile, "asgs", "direction=symmetric", 1e-4);
    assert_int_equal(chosen, forward);
    test_less(forward, symmetric);
    const SceneDef pyramid = {SCENE_PYRAMID, 10, 0.5, 0.0, 0.0};
    const int32_t safe = large_rest(&pyramid, "asgs", "direction=symmetric", 1e-4);
    assert_int_equal(large_rest(&pyramid, "asgs", "", 1e-4), safe);
    large_rest(&pyramid, "asgs", "direction=forward", 1e-4);
}

// random velocities of all boxes: the guard keeps what was reached
static void test_impact(void** state)
{
    (void)state;
    large_impact("asgs");
}

// what a guarded and an unguarded run of 2000 pairs did on a pile that slides
typedef struct Walk {
    double best, end;    // errors
    double worst_return; // largest ratio of a check to the best one before it, after the first 200
    double independent;
} Walk;

static Walk walk(const Scene* scene, const char* text)
{
    const SticContext context = stic_context_default();
    static Run run;
    Walk walk = {.best = INFINITY};
    SticSolveRequest request = test_request(&context, "asgs");
    TestSettings settings;
    test_settings(request.solver, text, &settings);
    request.method_settings = settings.bytes;
    request.settings.tolerance = 1e-12;
    request.settings.max_iterations = 2000;
    request.settings.keep_history = true;
    assert_int_equal(stic_solve(&scene->problem, &request, run.r, run.u, &run.info), STIC_OK);
    assert_int_equal(run.info.outcome, STIC_OUTCOME_ITERATION_LIMIT);
    for (int32_t k = 0; k < run.info.history_count; ++k) {
        const SticHistoryRecord* record = &run.info.history[k];
        const double ratio = record->error / walk.best;
        if (record->iteration > 200 && !(ratio <= walk.worst_return))
            walk.worst_return = ratio;
        walk.best = record->error < walk.best ? record->error : walk.best;
        walk.end = record->error;
    }
    walk.independent = test_residual_relative(&scene->problem, run.r);
    stic_workspace_destroy(request.workspace);
    return walk;
}

// without patience nothing goes back, but the answer is the best of all checks
static void test_walk(void** state)
{
    (void)state;
    SceneDef def = {0};
    SceneMore more = {0};
    Scene scene;
    assert_true(scene_parse("spheres300-slide", &def, &more));
    scene_create_more(&scene, &def, &more);
    const Walk free = walk(&scene, "patience=0"), held = walk(&scene, "");
    print_message("walk: best %.1e, end %.1e, rises to %.1f times the best before; guarded: best "
                  "%.1e, rises to %.1f\n",
                  free.best, free.end, free.worst_return, held.best, held.worst_return);
    test_greater(free.end, free.best);
    test_near(free.independent, free.best, 1e-6 * free.best);
    // the guard goes back at the first check that is ten times above the best
    test_less(held.worst_return, 20.0);
    test_greater(free.worst_return, 3.0 * held.worst_return);
    scene_release(&scene);
}

static void test_threads(void** state)
{
    (void)state;
    large_threads("asgs", "order=coloured", 1e-3);
    // the same for gcc and clang at every optimisation level; a change belongs into the change log
    test_equal(large_threads("asgs", "", 1e-3), 0x06eec72d27d97d8e);
}

static void test_memory(void** state)
{
    (void)state;
    large_memory("asgs");
    large_failures("asgs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),    cmocka_unit_test(test_rest),
        cmocka_unit_test(test_faster),    cmocka_unit_test(test_impact),
        cmocka_unit_test(test_memory),    cmocka_unit_test(test_threads),
        cmocka_unit_test(test_direction), cmocka_unit_test(test_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
