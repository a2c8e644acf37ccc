// SPDX-License-Identifier: Apache-2.0
// Scenes in tests: from texts in the source, with the error they give.
#ifndef TEST_SCENE_H
#define TEST_SCENE_H

#include <stdio.h>
#include <string.h>

#include "helpers/helpers.h"
#include "stiction/extend/run.h"
#include "stiction/extend/scene.h"

/// A scene from a text; NULL with the error where it is refused.
static inline SticScene* test_scene_with(const SticContext* context, const char* source,
                                         const SticSceneOptions* options, SticError* error)
{
    // the text is only read
    const SticText text = {
        .context = *context, .bytes = (char*)(uintptr_t)source, .size = strlen(source)};
    SticScene* scene = NULL;
    *error = (SticError){0};
    const SticStatus status = stic_scene_parse(context, &text, "test.lua", options, &scene, error);
    assert_int_equal(status, error->status);
    return scene;
}

static inline SticScene* test_scene(const SticContext* context, const char* source,
                                    SticError* error)
{
    const SticSceneOptions options = stic_scene_default_options();
    return test_scene_with(context, source, &options, error);
}

/// A scene that must be accepted.
static inline SticScene* test_scene_good(const SticContext* context, const char* source)
{
    SticError error;
    SticScene* scene = test_scene(context, source, &error);
    if (scene == NULL)
        fail_msg("%s:%d: %s", error.file, error.line, error.text);
    return scene;
}

/// A simulation that must be possible.
static inline SticSimulation* test_simulation(const SticContext* context, const SticScene* scene)
{
    SticError error = {0};
    SticSimulation* simulation = NULL;
    if (stic_simulation_create(context, scene, &simulation, &error) != STIC_OK)
        fail_msg("%s", error.text);
    return simulation;
}

/// Steps until the end.
static inline void test_simulation_finish(SticSimulation* simulation)
{
    SticStepInfo info;
    while (!stic_simulation_is_done(simulation))
        if (stic_simulation_step(simulation, &info) != STIC_OK)
            fail_msg("t = %g: %s", stic_run_state(stic_simulation_run(simulation))->t,
                     info.error.text);
}

/// The text of a scene, to be given back with stic_text_unload.
static inline SticText test_scene_text(const SticContext* context, const SticScene* scene)
{
    SticText text;
    SticError error = {0};
    if (stic_scene_write(context, stic_scene_def(scene), &text, &error) != STIC_OK)
        fail_msg("%s", error.text);
    return text;
}

#endif
