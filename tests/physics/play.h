// SPDX-License-Identifier: Apache-2.0
// Scenes run to their end in a test.
#ifndef STIC_TESTS_PHYSICS_PLAY_H
#define STIC_TESTS_PHYSICS_PLAY_H

#include <stdarg.h>

#include "physics/run.h"
#include "scene/scenes.h"

#include "stiction/extend/run.h"

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

// Potra and Anitescu's block, pushed to and fro on four points with the scheme event: both plateaus
// between its slips, whatever the step
static inline void play_block(double step)
{
    static const double end[] = {2.0, 5.0}, exact[] = {0.004348570, -0.008697167};
    for (int k = 0; k < 2; ++k) {
        Played played;
        play(&played,
             "material{name='m', friction=0.8}\n"
             "body{name='table', kind='fixed', shape=shape.half_space{offset=-0.05, "
             "material='m'}}\n"
             "body{name='b', mass=1, shape=shape.box{size={0.3,0.3,0.1}, material='m'}, "
             "force={signal.wave{amplitude=8, frequency=1, phase=math.pi/2},0,0}}\n"
             "scheme 'event'\nrun{step=%.17g, duration=%g}\n"
             "history{quantity='position', body='b', component='x'}\n",
             step, end[k]);
        print_message("block, h = %g: x(%g s) = %.11f, exact %.9f, %lld events, "
                      "integration %.1e J\n",
                      step, end[k], history(&played, 0), exact[k], (long long)played.events,
                      integration(&played));
        test_less(fabs(history(&played, 0) - exact[k]), 1e-8);
        test_less(fabs(integration(&played)), 1e-9);
        forget(&played);
    }
}

#endif
