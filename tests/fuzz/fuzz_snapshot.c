// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a snapshot with bytes changed and its hash made good again, loaded and run on.
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "stiction/extend/base.h"
#include "stiction/extend/run.h"
#include "stiction/stiction.h"

enum { HASH_AT = 48, BODY_AT = 56, LARGEST = 1 << 16 };

static const char scene_text[] =
    "floor{}\n"
    "body{name = 'a', mass = 1, position = {0, 0, 0.1}, shape = shape.sphere{radius = 0.1}}\n"
    "body{name = 'b', mass = 1, position = {0.5, 0, 0.1}, shape = shape.box{size = {0.2, 0.2, "
    "0.2}}}\n"
    "scheme 'moreau'\n"
    "run{step = 1e-3, duration = 0.01}\n";

static SticSimulation* make(const SticContext* context, SticScene** scene)
{
    char copy[sizeof scene_text];
    memcpy(copy, scene_text, sizeof copy);
    SticText text = {.context = *context, .bytes = copy, .size = strlen(copy)};
    SticError error = {0};
    SticSimulation* simulation = NULL;
    const SticSceneOptions options = stic_scene_default_options();
    if (stic_scene_parse(context, &text, "base", &options, scene, &error) != STIC_OK ||
        stic_simulation_create(context, *scene, &simulation, &error) != STIC_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    return simulation;
}

static void load_and_step(const uint8_t* bytes, size_t size)
{
    const SticContext context = stic_context_default();
    SticScene* scene = NULL;
    SticSimulation* simulation = make(&context, &scene);
    SticError error = {0};
    SticStepInfo info = {0};
    if (stic_run_load(stic_simulation_run(simulation), bytes, size, &error) == STIC_OK)
        (void)stic_simulation_step(simulation, &info);
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
}

// a snapshot after some steps
static size_t make_base(uint8_t* bytes)
{
    const SticContext context = stic_context_default();
    SticScene* scene = NULL;
    SticArena* arena = NULL;
    SticSimulation* simulation = make(&context, &scene);
    const void* saved = NULL;
    size_t size = 0;
    for (int i = 0; i < 3; ++i) {
        SticStepInfo info = {0};
        (void)stic_simulation_step(simulation, &info);
    }
    if (stic_arena_create(&context, 0, &arena) != STIC_OK ||
        stic_run_save(stic_simulation_run(simulation), arena, &saved, &size) != STIC_OK ||
        size > LARGEST)
        exit(1);
    memcpy(bytes, saved, size);
    stic_arena_destroy(arena);
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
    return size;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static uint8_t base[LARGEST], changed[LARGEST];
    static size_t length;
    if (length == 0)
        length = make_base(base);
    memcpy(changed, base, length);
    for (size_t i = 0; i + 3 <= size; i += 3)
        changed[((size_t)data[i] << 8 | data[i + 1]) * length >> 16] ^= data[i + 2];
    // the hash is a guard against accidents, not against malice
    const uint64_t hash = stic_hash_bytes(0, changed + BODY_AT, length - BODY_AT);
    memcpy(changed + HASH_AT, &hash, sizeof hash);
    load_and_step(changed, length);
    return 0;
}
