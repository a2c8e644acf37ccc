// SPDX-License-Identifier: Apache-2.0
// Levels of accuracy: what they promise of bodies at rest and in motion, and how they are chosen.
#include <math.h>

#include "helpers/helpers.h"
#include "scene/scenes.h"
#include "stiction/extend/file.h"

enum { BOXES = 3 };

// where free fall in a step is longer than the boxes are, a step is made in up to 1024 parts: fewer
// of them do
static int steps_of(double L, double h)
{
    return 9.81 * h * h > L ? 20 : 300;
}

static SticSimulation* open_scene(const SticContext* context, const char* text, SticScene** scene)
{
    *scene = test_scene_good(context, text);
    return test_simulation(context, *scene);
}

static void close_scene(SticSimulation* simulation, SticScene* scene)
{
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
}

/* ---- rest ---- */

// boxes on each other, on a slope of 0.3 with friction 0.5
static void write_stack(char* text, size_t size, double L, double h, const char* level)
{
    snprintf(text, size,
             "gravity{2.943, 0, -9.81}\n"
             "material{name = 'm', density = 1000, friction = 0.5}\n"
             "floor{material = 'm'}\n"
             "for i = 1, %d do\n"
             "  body{name = 'b' .. i, material = 'm', position = {0, 0, (i - 0.5) * %.17g},\n"
             "       shape = shape.box{size = {%.17g, %.17g, %.17g}}}\n"
             "end\n"
             "accuracy '%s'\n"
             "run{step = %.17g, duration = %.17g, policy = 'stop'}\n",
             BOXES, L, L, L, L, level, h, steps_of(L, h) * h);
}

// how far boxes moved on the one below, largest over the three
static double creep_of(SticSimulation* simulation, double L)
{
    const SticState* state = stic_run_now(stic_simulation_run(simulation));
    const SticLayout* layout = &stic_simulation_system(simulation)->layout;
    double most = 0.0, below[3] = {0.0};
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const double* x = state->q + layout->q_at[i];
        const double moved[3] = {x[0], x[1], x[2] - (i + 0.5) * L};
        double square = 0.0;
        for (int k = 0; k < 3; ++k) {
            square += (moved[k] - below[k]) * (moved[k] - below[k]);
            below[k] = moved[k];
        }
        most = fmax(most, sqrt(square));
    }
    return most;
}

static void test_creep(void** unused)
{
    (void)unused;
    static const char* const levels[] = {"preview", "standard", "strict"};
    static const double sizes[] = {1e-6, 1.0, 1e4}, steps[] = {1e-4, 3e-3, 0.1};
    const SticContext context = stic_context_default();
    for (int l = 0; l < 3; ++l)
        for (int s = 0; s < 3; ++s)
            for (int k = 0; k < 3; ++k) {
                const double L = sizes[s], h = steps[k], T = steps_of(L, h) * h;
                char text[1024];
                SticScene* scene = NULL;
                write_stack(text, sizeof text, L, h, levels[l]);
                SticSimulation* simulation = open_scene(&context, text, &scene);
                test_simulation_finish(simulation);
                const SticAccuracyPromise* promise =
                    stic_accuracy_promise((SticAccuracy)(STIC_ACCURACY_PREVIEW + l));
                // rounding of velocities, and of the coordinates themselves
                const double rounding = 1e-14 * 10.0 * h * T + 1e-15 * L * BOXES;
                const double bound = promise->creep * sqrt(3.0) * L * T + rounding;
                const double creep = creep_of(simulation, L);
                print_message("%-8s size %5.0e m, step %7.1e s: %.1e m in %.2g s (bound %.1e)\n",
                              levels[l], L, h, creep, T, bound);
                test_at_most(creep, bound);
                assert_int_equal(stic_run_totals(stic_simulation_run(simulation))->loose, 0);
                close_scene(simulation, scene);
            }
}

/* ---- motion ---- */

static const char thrown[] = "material{name = 'm', density = 1000, friction = 0.5}\n"
                             "floor{material = 'm'}\n"
                             "for i = 1, 12 do\n"
                             "  body{name = 'b' .. i, material = 'm', shape = shape.box{size = "
                             "{1, 1, 1}}, position = {0.2 * (i % 3), 0.1 * (i % 2), i - 0.5},\n"
                             "       velocity = {2 * i, 0, 0}}\n"
                             "end\n"
                             "run{step = 2e-3, duration = 0.4}\n";

static void test_motion(void** unused)
{
    (void)unused;
    static const char* const levels[] = {"preview", "standard", "strict"};
    const SticContext context = stic_context_default();
    int64_t last = 0;
    for (int l = 0; l < 3; ++l) {
        char text[1024];
        SticScene* scene = NULL;
        snprintf(text, sizeof text, "%saccuracy '%s'\n", thrown, levels[l]);
        SticSimulation* simulation = open_scene(&context, text, &scene);
        test_simulation_finish(simulation);
        const SticRunTotals* totals = stic_run_totals(stic_simulation_run(simulation));
        const double motion =
            stic_accuracy_promise((SticAccuracy)(STIC_ACCURACY_PREVIEW + l))->motion;
        print_message("%-8s worst error %.1e (%.0e), %lld iterations, energy %.9g J\n", levels[l],
                      totals->worst_error, motion, (long long)totals->iterations,
                      totals->ledger.kinetic + totals->ledger.potential);
        test_equal(totals->unsolved, 0);
        test_at_most(totals->worst_error, motion);
        // what moves is solved no further than that, and a tighter level costs more
        test_greater(totals->worst_error, 0.1 * motion);
        test_greater(totals->iterations, last);
        last = totals->iterations;
        close_scene(simulation, scene);
    }
}

/* ---- choice ---- */

static void expect_level(const char* statements, SticAccuracy level, double tolerance)
{
    const SticContext context = stic_context_default();
    char text[512];
    SticScene* scene = NULL;
    snprintf(text, sizeof text,
             "floor{}\nbody{shape = shape.sphere{radius = 1}, position = {0, 0, 1}}\n%s",
             statements);
    SticSimulation* simulation = open_scene(&context, text, &scene);
    const SticRunParts* def = stic_run_parts(stic_simulation_run(simulation));
    assert_int_equal(stic_run_accuracy(def), level);
    test_equal(def->solve.tolerance, tolerance);
    // the text form says the same
    SticText written = test_scene_text(&context, scene);
    SticScene* again = test_scene_good(&context, written.bytes);
    assert_int_equal(stic_scene_def(again)->run.accuracy, stic_scene_def(scene)->run.accuracy);
    test_equal(stic_scene_def(again)->solve.tolerance, tolerance);
    stic_text_unload(&written);
    stic_scene_destroy(again);
    close_scene(simulation, scene);
}

static void expect_refused(const char* statements, const char* word)
{
    const SticContext context = stic_context_default();
    SticError error = {0};
    SticScene* scene = test_scene(&context, statements, &error);
    SticSimulation* simulation = NULL;
    if (scene != NULL) {
        assert_int_not_equal(stic_simulation_create(&context, scene, &simulation, &error), STIC_OK);
        stic_scene_destroy(scene);
    }
    print_message("%s\n", error.text);
    assert_non_null(strstr(error.text, word));
}

static void test_choice(void** unused)
{
    (void)unused;
    expect_level("", STIC_ACCURACY_STANDARD, 0.0);
    expect_level("accuracy 'preview'", STIC_ACCURACY_PREVIEW, 0.0);
    expect_level("run{accuracy = 'strict'}", STIC_ACCURACY_STRICT, 0.0);
    expect_level("accuracy 'strict'\nsolver{tolerance = 1e-5}", STIC_ACCURACY_TOLERANCE, 1e-5);
    expect_level("accuracy 'tolerance'\nsolver{tolerance = 1e-5}", STIC_ACCURACY_TOLERANCE, 1e-5);
    expect_refused("floor{}\nbody{shape = shape.sphere{radius = 1}}\naccuracy 'tolerance'",
                   "needs a tolerance");
    expect_refused("accuracy 'strickt'", "strict");
    expect_refused("accuracy{1}", "a name is needed");
    expect_refused("floor{}\nbody{shape = shape.sphere{radius = 1}}\nsolver{norm = 'relative'}",
                   "needs a tolerance");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creep),
        cmocka_unit_test(test_motion),
        cmocka_unit_test(test_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
