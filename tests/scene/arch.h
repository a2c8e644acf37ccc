// SPDX-License-Identifier: Apache-2.0
// The masonry arch of the gallery: whether it stands at a thickness.
#ifndef TEST_ARCH_H
#define TEST_ARCH_H

#include <math.h>

#include "scene/gallery.h"

typedef struct ArchResult {
    double drop;    ///< of the crown, m
    double kinetic; ///< at the end, J
    double seconds; ///< of the run
    int64_t unsolved;
} ArchResult;

/// Run the arch of scenes/arch.lua.
static inline ArchResult arch_run(double friction, double thickness, const char* step,
                                  const char* duration)
{
    const SticContext context = stic_context_default();
    char mu[32], t[32];
    snprintf(mu, sizeof mu, "%.17g", friction);
    snprintf(t, sizeof t, "%.17g", thickness);
    const SticSceneAssignment param[] = {{"friction", mu}, {"thickness", t}};
    const SticSceneAssignment set[] = {
        {"run.short_duration", "0"}, {"run.duration", duration}, {"run.step", step}};
    SticSceneOptions options = stic_scene_default_options();
    options.param = param;
    options.param_count = 2;
    options.set = set;
    options.set_count = 3;
    SticScene* scene = gallery_load("arch.lua", &options);
    SticSimulation* simulation = test_simulation(&context, scene);
    const SticSceneDef* def = stic_scene_def(scene);
    const double begin = stic_timer_seconds();
    double before = 0.0, after = 0.0;
    ArchResult result = {0};
    assert_int_equal(stic_simulation_measure(simulation, &def->history[0], &before), STIC_OK);
    test_simulation_finish(simulation);
    assert_int_equal(stic_simulation_measure(simulation, &def->history[0], &after), STIC_OK);
    assert_int_equal(stic_simulation_measure(simulation, &def->history[1], &result.kinetic),
                     STIC_OK);
    result.drop = before - after;
    result.unsolved = stic_run_totals(stic_simulation_run(simulation))->unsolved;
    result.seconds = stic_timer_seconds() - begin;
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
    return result;
}

/// An arch that moves by more than rounding can does not stand.
static inline bool arch_stands(const ArchResult* result)
{
    return fabs(result->drop) < 1e-9 && result->kinetic < 1e-12;
}

#endif
