// SPDX-License-Identifier: Apache-2.0
// Fuzz target: scenes. The first byte chooses what the rest is: p a path of a file beside the
// scene, t the text form of a scene, anything else a Lua script. What is accepted is written and
// read again, and small scenes make a step.
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scene/scene.h"

// the undefined-behaviour sanitizer stops at null + 0 in empty lists of the broad phase, which is
// not what is looked for here: under it scenes are built, not run
#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
#define STIC_FUZZ_NO_STEP
#endif
#endif

enum { SMALL = 12, FEW_VERTICES = 64 };
static const char secret[] = "this must never be read";

static void put_file(const char* path, const char* text)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || write(file, text, strlen(text)) < 0)
        abort();
    close(file);
}

// a folder with one file, a link that leads out, and a secret beside it
static int make_folder(void)
{
    char top[256], path[512];
    stic_fuzz_path(top, sizeof top, "scene");
    mkdir(top, 0700);
    snprintf(path, sizeof path, "%s/secret", top);
    put_file(path, secret);
    snprintf(path, sizeof path, "%s/in", top);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/in/t.csv", top);
    put_file(path, "0,1\n1,2\n");
    snprintf(path, sizeof path, "%s/in/link", top);
    if (symlink("..", path) != 0 && access(path, F_OK) != 0)
        abort();
    snprintf(path, sizeof path, "%s/in", top);
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        abort();
    return folder;
}

static void remove_folder(void)
{
    static const char* const names[] = {"/in/t.csv", "/in/link", "/in", "/secret", ""};
    char top[256], path[512];
    stic_fuzz_path(top, sizeof top, "scene");
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
        snprintf(path, sizeof path, "%s%s", top, names[k]);
        remove(path);
    }
}

// nothing but what lies in the folder
static void try_path(const SticContext* context, const char* path)
{
    SticText text;
    SticError error = {0};
    const int folder = make_folder();
    const SticStatus status = stic_folder_load(context, folder, path, &text, &error);
    if (status != error.status || (status == STIC_OK && strcmp(text.bytes, "0,1\n1,2\n") != 0))
        abort();
    stic_text_unload(&text);
    close(folder);
    remove_folder();
}

static bool is_small(const SticSceneDef* def)
{
    for (int32_t i = 0; i < def->shape_count; ++i)
        if (def->shape[i].vertex_count > FEW_VERTICES || def->shape[i].part_count > SMALL ||
            def->shape[i].height_count > FEW_VERTICES)
            return false;
    return def->body_count <= SMALL && def->joint_count <= SMALL && def->shape_count <= SMALL;
}

// one step with a method that cannot run for long; schemes with inner steps are left out
static void make_step(const SticContext* context, SticScene* scene)
{
    SticSimulation* simulation = NULL;
    SticStepInfo info = {0};
    SticError error = {0};
    const SticSceneDef* def = stic_scene_def(scene);
    const bool quick = strcmp(def->scheme, "moreau") == 0 || strcmp(def->scheme, "koziara") == 0;
    scene->def.solve.max_iterations = 50;
    scene->def.solver = "nsgs";
    scene->def.second = NULL;
    scene->def.run.policy = STIC_POLICY_CONTINUE;
    stic_fields_default(stic_solver_find("nsgs", NULL)->fields, scene->solver_settings);
    const SticStatus status = stic_simulation_create(context, scene, &simulation, &error);
    if (status != error.status)
        abort();
#ifndef STIC_FUZZ_NO_STEP
    if (status == STIC_OK && quick)
        (void)stic_simulation_step(simulation, &info);
#endif
    (void)info;
    (void)quick;
    stic_simulation_destroy(simulation);
}

// what was accepted can be written, read and written again to the same text
static void check_text(const SticContext* context, const SticScene* scene)
{
    SticText first, second;
    SticScene* again = NULL;
    SticError error = {0};
    const SticSceneOptions options = stic_scene_default_options();
    if (stic_scene_write(context, stic_scene_def(scene), &first, &error) != STIC_OK ||
        stic_scene_parse(context, &first, "again", &options, &again, &error) != STIC_OK ||
        stic_scene_write(context, stic_scene_def(again), &second, &error) != STIC_OK) {
        fprintf(stderr, "%s:%d: %s\n", error.file, (int)error.line, error.text);
        abort();
    }
    if (strcmp(first.bytes, second.bytes) != 0)
        abort();
    stic_text_unload(&first);
    stic_text_unload(&second);
    stic_scene_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size == 0)
        return 0;
    const SticContext context = stic_context_default();
    const char* mark = data[0] == 't' ? STIC_SCENE_MARK "\n" : "";
    const size_t length = strlen(mark) + size - 1;
    char* bytes = malloc(length + 1);
    if (bytes == NULL)
        return 0;
    memcpy(bytes, mark, strlen(mark));
    memcpy(bytes + strlen(mark), data + 1, size - 1);
    bytes[length] = '\0';
    if (data[0] == 'p') {
        try_path(&context, bytes);
        free(bytes);
        return 0;
    }
    const SticText text = {.context = context, .bytes = bytes, .size = length};
    SticSceneOptions options = stic_scene_default_options();
    options.max_instructions = 200000;
    options.max_bytes = 8 << 20;
    SticScene* scene = NULL;
    SticError error = {0};
    const SticStatus status = stic_scene_parse(&context, &text, "fuzz", &options, &scene, &error);
    if (status != error.status || (status == STIC_OK) != (scene != NULL))
        abort();
    if (scene != NULL) {
        check_text(&context, scene);
        if (is_small(stic_scene_def(scene)))
            make_step(&context, scene);
    }
    stic_scene_destroy(scene);
    free(bytes);
    return 0;
}
