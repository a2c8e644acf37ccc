// SPDX-License-Identifier: Apache-2.0
// Every scene of the gallery against its reference values.
#ifndef TEST_GALLERY_H
#define TEST_GALLERY_H

#include <dirent.h>
#include <stdlib.h>

#include "scene/scenes.h"

enum { GALLERY_SCENES = 100 };

typedef struct Gallery {
    char name[GALLERY_SCENES][128];
    int count;
} Gallery;

static int gallery_order(const void* a, const void* b)
{
    return strcmp(a, b);
}

static inline void gallery_list(Gallery* gallery)
{
    DIR* folder = opendir(STIC_SOURCE_DIR "/scenes");
    assert_non_null(folder);
    gallery->count = 0;
    for (const struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        const size_t length = strlen(entry->d_name);
        if (length < 5 || length > 120 || strcmp(entry->d_name + length - 4, ".lua") != 0)
            continue;
        test_less(gallery->count, GALLERY_SCENES);
        memcpy(gallery->name[gallery->count++], entry->d_name, length + 1);
    }
    closedir(folder);
    qsort(gallery->name, (size_t)gallery->count, sizeof gallery->name[0], gallery_order);
}

static inline SticScene* gallery_load(const char* name, const SticSceneOptions* options)
{
    const SticContext context = stic_context_default();
    char path[TEST_PATH_SIZE];
    SticScene* scene = NULL;
    SticError error = {0};
    snprintf(path, sizeof path, "%s/scenes/%s", STIC_SOURCE_DIR, name);
    if (stic_scene_load(&context, path, options, &scene, &error) != STIC_OK)
        fail_msg("%s:%d: %s", error.file, error.line, error.text);
    return scene;
}

/// The scene, with the duration of its short version if `brief`.
static inline SticScene* gallery_scene(const char* name, bool brief)
{
    SticSceneOptions options = stic_scene_default_options();
    SticScene* scene = gallery_load(name, &options);
    const double duration = stic_scene_def(scene)->run.short_until;
    if (!brief || duration == 0.0)
        return scene;
    stic_scene_destroy(scene);
    char text[32];
    snprintf(text, sizeof text, "%.17g", duration);
    const SticSceneAssignment set[] = {{"run.short_duration", "0"}, {"run.duration", text}};
    options.set = set;
    options.set_count = 2;
    return gallery_load(name, &options);
}

/// Run a scene and print its checks; how many failed. At least one must come.
static inline int gallery_run(const char* name, bool brief, TestTable* table)
{
    const SticContext context = stic_context_default();
    SticScene* full = gallery_scene(name, false);
    SticScene* scene = gallery_scene(name, brief);
    const bool cut = stic_scene_def(scene)->run.until < stic_scene_def(full)->run.until;
    const SticSceneDef* def = stic_scene_def(scene);
    SticSimulation* simulation = test_simulation(&context, scene);
    const double start = stic_timer_seconds();
    test_simulation_finish(simulation);
    const double seconds = stic_timer_seconds() - start;
    int failed = 0, done = 0;
    for (int32_t i = 0; i < def->check_count; ++i) {
        const SticSceneCheck* check = &def->check[i];
        const SticCheckResult result = stic_simulation_check(simulation, i);
        // the end of a short version is not that of the scene
        if (!result.done || (cut && check->at == 0.0))
            continue;
        ++done;
        failed += result.passed ? 0 : 1;
        test_table_row(table, "%s|%s|%.4g|%.8g|%.8g|%.1e|%s", name,
                       check->what.name != NULL
                           ? check->what.name
                           : stic_quantity_name((SticQuantity)check->what.quantity),
                       check->at > 0.0 ? check->at : def->run.until, result.value, check->value,
                       check->tolerance, result.passed ? "" : "FAILED");
    }
    test_table_row(table, "%s|%lld steps|%.2f s|||%.1e|", name,
                   (long long)stic_simulation_steps(simulation), seconds,
                   stic_run_totals(stic_simulation_run(simulation))->worst_error);
    if (done == 0)
        fail_msg("%s: no check within the run", name);
    assert_non_null(def->title);
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
    stic_scene_destroy(full);
    return failed;
}

static inline void gallery_all(bool brief)
{
    Gallery gallery;
    gallery_list(&gallery);
    TestTable table = test_table_begin(
        brief ? "the gallery, short versions" : "the gallery",
        "scene                     |check                               |   t   |  measured   |"
        "  expected   |tolerance| ");
    int failed = 0;
    for (int i = 0; i < gallery.count; ++i)
        failed += gallery_run(gallery.name[i], brief, &table);
    printf("%d scenes, %d checks failed\n", gallery.count, failed);
    assert_int_equal(failed, 0);
}

#endif
