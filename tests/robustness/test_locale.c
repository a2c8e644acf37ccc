// SPDX-License-Identifier: Apache-2.0
// A host program with a German locale, really installed: a scene is read, run and written with the
// same bytes as in the C locale.
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "file/file.h"
#include "helpers/helpers.h"
#include "output/output.h"
#include "stiction/extend/scene.h"

#ifdef STIC_HAVE_HDF5

enum { STEPS = 40, MOST = 1 << 20 };

// decimal numbers in the source, made into text by Lua, and in names
static const char source[] =
    "title(\"half: \" .. 0.5 .. string.format(\" %.3f\", 1/3))\n"
    "local h = tonumber(\"0.125\")\n"
    "material{name = \"m\", density = 1000.5, friction = 0.25}\n"
    "floor{material = \"m\"}\n"
    "body{name = \"ball \" .. h, material = \"m\", position = {0.1, 0.2, 0.3}, velocity = {0.5, 0, "
    "0},\n     shape = shape.sphere{radius = h}}\n"
    "body{name = \"deep\", material = \"m\", position = {0.1, 0.2, 0.45}, shape = "
    "shape.sphere{radius = h}}\n"
    "run{step = 2.5e-3, duration = 0.1}\n";

/// What is made in a locale.
typedef struct Made {
    char definition[MOST], csv[MOST], xdmf[MOST], notice[512];
    uint64_t hash;
} Made;

static void read_text(const char* path, char text[MOST])
{
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    const size_t count = fread(text, 1, MOST - 1, file);
    text[count] = '\0';
    test_greater(count, 100);
    test_less(count, MOST - 1);
    fclose(file);
}

static void run_steps(const SticContext* context, SticSimulation* simulation, const char* path)
{
    SticError error = {0};
    SticOutput* output = NULL;
    SticOutputDef def = stic_output_default_def();
    def.path = path;
    def.world = stic_simulation_world(simulation);
    def.run = stic_simulation_run(simulation);
    def.settings.every = 1;
    def.replace = true;
    assert_int_equal(stic_output_create(context, &def, &output, &error), STIC_OK);
    for (int k = 0; k < STEPS; ++k) {
        SticStepInfo info;
        assert_int_equal(stic_simulation_step(simulation, &info), STIC_OK);
        assert_int_equal(stic_output_step(output, stic_simulation_run(simulation), &info,
                                          &(SticStepExtra){0}, &error),
                         STIC_OK);
    }
    assert_int_equal(stic_output_snapshot(output, stic_simulation_run(simulation), &error),
                     STIC_OK);
    assert_int_equal(stic_output_close(output, &error), STIC_OK);
}

static void export_all(const SticContext* context, const char* folder, const char* path, Made* made)
{
    SticError error = {0};
    char name[TEST_PATH_SIZE + 32];
    snprintf(name, sizeof name, "%s/a.csv", folder);
    assert_int_equal(
        stic_result_export_csv(context, path, "time,deep.position,energy", name, &error), STIC_OK);
    read_text(name, made->csv);
    assert_int_equal(stic_result_export_xdmf(context, path, &error), STIC_OK);
    snprintf(name, sizeof name, "%s/a.xdmf", folder);
    read_text(name, made->xdmf);
}

static void make_all(const char* folder, Made* made)
{
    const SticContext context = stic_context_default();
    SticError error = {0};
    SticScene* scene = NULL;
    SticSimulation* simulation = NULL;
    SticText text = {0};
    char name[TEST_PATH_SIZE + 32];
    const SticSceneOptions options = stic_scene_default_options();
    snprintf(name, sizeof name, "%s/a.lua", folder);
    FILE* file = fopen(name, "w");
    assert_non_null(file);
    fputs(source, file);
    fclose(file);
    if (stic_scene_load(&context, name, &options, &scene, &error) != STIC_OK)
        fail_msg("%s", error.text);
    assert_int_equal(stic_scene_write(&context, stic_scene_def(scene), &text, &error), STIC_OK);
    snprintf(made->definition, sizeof made->definition, "%s", text.bytes);
    stic_text_unload(&text);
    assert_int_equal(stic_simulation_create(&context, scene, &simulation, &error), STIC_OK);
    snprintf(name, sizeof name, "%s/a.h5", folder);
    run_steps(&context, simulation, name);
    const SticRun* run = stic_simulation_run(simulation);
    made->hash = stic_run_hash(run);
    stic_output_notice_line(run, stic_simulation_world(simulation), STIC_NOTICE_OVERLAP,
                            made->notice, sizeof made->notice);
    export_all(&context, folder, name, made);
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
}

static void test_german(void** unused)
{
    (void)unused;
    static Made plain, german;
    char folder[TEST_PATH_SIZE], command[3 * TEST_PATH_SIZE], text[16];
    test_scratch_path("german", folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    make_all(folder, &plain);
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8' 2>/dev/null",
             folder);
    const int code = system(command);
    setenv("LOCPATH", folder, 1);
    const bool made = code == 0 && setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
    if (made) {
        snprintf(text, sizeof text, "%.1f", 0.5);
        assert_string_equal(text, "0,5"); // this process does write commas
        make_all(folder, &german);
        setlocale(LC_ALL, "C");
    }
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
    unsetenv("LOCPATH");
    if (!made) {
        print_message("skipped: localedef cannot make de_DE.UTF-8 (Debian's package locales)\n");
        skip();
    }
    print_message("scene, %d steps, %zu bytes of CSV, %zu of XDMF, \"%s\": the same\n", STEPS,
                  strlen(german.csv), strlen(german.xdmf), german.notice);
    assert_string_equal(german.definition, plain.definition);
    test_equal(german.hash, plain.hash);
    assert_string_equal(german.csv, plain.csv);
    assert_string_equal(german.xdmf, plain.xdmf);
    assert_string_equal(german.notice, plain.notice);
    // the overlap of the two balls that the scene begins with
    assert_non_null(strstr(german.notice, "0.1 m"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_german)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    return 0;
}

#endif
