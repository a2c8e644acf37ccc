// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a small result with bytes changed, through everything that reads results.
//
// The input is a list of edits of four bytes: a place (three bytes, scaled to the size of the file)
// and what is xored there. Random files would end at the first checksum; edits reach the tables.
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "stiction/extend/result.h"
#include "stiction/extend/scene.h"
#include "stiction/stiction.h"

enum { LARGEST = 1 << 20, FRAMES = 6 };

static const char scene_text[] =
    "floor{}\n"
    "body{name = 'a', mass = 1, position = {0, 0, 0.1}, shape = shape.sphere{radius = 0.1}}\n"
    "body{name = 'b', mass = 1, position = {0.5, 0, 0.1}, shape = shape.box{size = {0.2, 0.2, "
    "0.2}}}\n"
    "joint.point{name = 'p', a = 'a', point = {0, 0, 0.1}}\n"
    "scheme 'moreau'\n"
    "run{step = 1e-3, duration = 0.01}\n"
    "output{every = 1, flush = 0}\n";

static void must(SticStatus status, const SticError* error)
{
    if (status == STIC_OK)
        return;
    fprintf(stderr, "the base result cannot be made: %s\n", error->text);
    exit(1);
}

// a result of a few frames, into memory
static size_t make_base(const SticContext* context, const char* path, uint8_t* bytes)
{
    char copy[sizeof scene_text];
    memcpy(copy, scene_text, sizeof copy);
    SticText text = {.context = *context, .bytes = copy, .size = strlen(copy)};
    SticError error = {0};
    SticScene* scene = NULL;
    SticSimulation* simulation = NULL;
    SticOutput* output = NULL;
    const SticSceneOptions options = stic_scene_default_options();
    must(stic_scene_parse(context, &text, "base", &options, &scene, &error), &error);
    must(stic_simulation_create(context, scene, &simulation, &error), &error);
    SticOutputDef def = stic_output_default_def();
    def.path = path;
    def.world = stic_simulation_world(simulation);
    def.run = stic_simulation_run(simulation);
    def.settings = stic_scene_def(scene)->output;
    def.definition = copy;
    def.replace = true;
    must(stic_output_create(context, &def, &output, &error), &error);
    for (int i = 0; i < FRAMES; ++i) {
        SticStepInfo info = {0};
        must(stic_simulation_step(simulation, &info), &info.error);
        must(stic_output_step(output, def.run, &info, &(SticStepExtra){0}, &error), &error);
    }
    must(stic_output_close(output, &error), &error);
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
    FILE* file = fopen(path, "rb");
    const size_t size = file == NULL ? 0 : fread(bytes, 1, LARGEST, file);
    if (file != NULL)
        fclose(file);
    unlink(path);
    return size;
}

static void read_all(const SticContext* context, const char* path)
{
    static const char* const words[] = {"ledger", "residual", "energy", "a.position", "b.force"};
    SticResult* result = NULL;
    SticArena* arena = NULL;
    SticError error = {0};
    if (stic_result_open(context, path, &result, &error) != STIC_OK)
        return;
    if (stic_arena_create(context, 0, &arena) == STIC_OK) {
        SticResultFrame frame;
        SticResultSteps steps;
        SticHistory history;
        for (int64_t k = 0; k < stic_result_info(result)->frames && k < 4 * FRAMES; ++k)
            (void)stic_result_read(result, k, arena, &frame, &error);
        (void)stic_result_steps(result, &steps, &error);
        for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
            (void)stic_result_history(result, words[i], arena, &history, &error);
    }
    stic_arena_destroy(arena);
    stic_result_close(result);
}

static void write_all(const SticContext* context, const char* path)
{
    char made[128];
    SticError error = {0};
    SticRepair repair;
    const SticPageDef page = {.before = "", .after = "", .most_poses = 1000, .most_contacts = 1000};
    snprintf(made, sizeof made, "%s.made", path);
    (void)stic_result_export_csv(context, path, "time,energy,a.position,b.force", made, &error);
    (void)stic_result_export_page(context, path, &page, made, &error);
    unlink(made);
    (void)stic_result_repair(path, &repair, &error);
}

const char* __lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static uint8_t base[LARGEST], changed[LARGEST];
    static size_t length;
    const SticContext context = stic_context_default();
    char path[96];
    stic_fuzz_path(path, sizeof path, "result.h5");
    if (length == 0)
        length = make_base(&context, path, base);
    memcpy(changed, base, length);
    for (size_t i = 0; i + 4 <= size; i += 4) {
        const size_t place = (size_t)data[i] << 16 | (size_t)data[i + 1] << 8 | data[i + 2];
        changed[place * length >> 24] ^= data[i + 3];
    }
    FILE* file = fopen(path, "wb");
    if (file == NULL)
        return 0;
    const bool written = fwrite(changed, 1, length, file) == length;
    if (fclose(file) == 0 && written) {
        read_all(&context, path);
        write_all(&context, path);
    }
    unlink(path);
    return 0;
}
