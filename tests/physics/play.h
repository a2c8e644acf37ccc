// SPDX-License-Identifier: Apache-2.0
// Scenes run to their end in a test.
#ifndef STIC_TESTS_PHYSICS_PLAY_H
#define STIC_TESTS_PHYSICS_PLAY_H

#include <stdarg.h>

#include "physics/run.h"
#include "scene/scenes.h"

#include "stiction/run.h"

// a scene run to its end
typedef struct Played {
    SticContext context;
    SticScene* scene;
    SticSimulation* simulation;
    const SticRun* run;
    int64_t events;
} Played;

// run the scene that is there
static inline void play_on(Played* played)
{
    SticStepInfo info;
    played->simulation = test_simulation(&played->context, played->scene);
    played->run = stic_simulation_run(played->simulation);
    while (!stic_simulation_is_done(played->simulation)) {
        int32_t count = 0;
        if (stic_simulation_step(played->simulation, &info) != STIC_OK)
            fail_msg("t = %g: %s", stic_run_now(played->run)->t, info.error.text);
        (void)stic_run_events(played->run, &count);
        played->events += count;
    }
}

// run a scene that is made like a printed text
__attribute__((format(printf, 2, 3))) static inline void play(Played* played, const char* format,
                                                              ...)
{
    char text[2048];
    va_list rest;
    va_start(rest, format);
    vsnprintf(text, sizeof text, format, rest);
    va_end(rest);
    *played = (Played){.context = stic_context_default()};
    played->scene = test_scene_good(&played->context, text);
    play_on(played);
}

// run a scene of the gallery with assignments; its checks must pass
static inline void play_scene(Played* played, const char* name, const SticSceneAssignment* set,
                              int32_t count)
{
    SticSceneOptions options = stic_scene_default_options();
    SticError error = {0};
    char path[TEST_PATH_SIZE];
    *played = (Played){.context = stic_context_default()};
    options.set = set;
    options.set_count = count;
    snprintf(path, sizeof path, "%s/scenes/%s", STIC_SOURCE_DIR, name);
    assert_int_equal(stic_scene_load(&played->context, path, &options, &played->scene, &error),
                     STIC_OK);
    play_on(played);
    const SticSceneDef* def = stic_scene_def(played->scene);
    for (int32_t c = 0; c < def->check_count; ++c) {
        const SticCheckResult result = stic_simulation_check(played->simulation, c);
        if (!result.done)
            continue;
        print_message("%s: %s: %.9g, expected %.9g\n", name,
                      def->check[c].what.name == NULL ? "check" : def->check[c].what.name,
                      result.value, def->check[c].value);
        assert_true(result.passed);
    }
}

static inline void forget(Played* played)
{
    stic_simulation_destroy(played->simulation);
    stic_scene_destroy(played->scene);
}

static inline double history(const Played* played, int32_t k)
{
    double value = NAN;
    const SticSceneDef* def = stic_scene_def(played->scene);
    assert_int_equal(stic_simulation_measure(played->simulation, &def->history[k], &value),
                     STIC_OK);
    return value;
}

static inline double integration(const Played* played)
{
    return stic_run_totals(played->run)->ledger.integration;
}

#endif
