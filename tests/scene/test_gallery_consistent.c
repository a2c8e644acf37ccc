// SPDX-License-Identifier: Apache-2.0
// Shipped scenes, to their end, with the energy-consistent scheme in place of their own: obstacles
// and drives that move, bonds, joints, and what stands. They meet the same reference values.
#include "helpers/helpers.h"
#include "scene/gallery.h"
#include "stiction/extend/file.h"

// the text of a scene with another scheme and its defaults
static char* with_scheme(const SticText* text, const char* scheme)
{
    const char* bytes = (const char*)text->bytes;
    const char* from = strstr(bytes, "\nscheme");
    char* made = malloc(strlen(bytes) + 64);
    assert_non_null(made);
    if (from == NULL) {
        sprintf(made, "%s\nscheme \"%s\"\n", bytes, scheme);
        return made;
    }
    // to the end of the line, or of the settings that open on it
    const char *to = strchr(from + 1, '\n'), *brace = strchr(from, '{');
    if (to != NULL && brace != NULL && brace < to)
        to = strchr(strchr(brace, '}'), '\n');
    sprintf(made, "%.*s\nscheme \"%s\"%s", (int)(from - bytes), bytes, scheme,
            to == NULL ? "\n" : to);
    return made;
}

static int run_scene(const char* name, const char* scheme)
{
    const SticContext context = stic_context_default();
    SticScene* shipped = gallery_scene(name, false);
    SticText text = test_scene_text(&context, shipped);
    char* changed = with_scheme(&text, scheme);
    SticScene* scene = test_scene_good(&context, changed);
    const SticSceneDef* def = stic_scene_def(scene);
    assert_string_equal(def->scheme, scheme);
    SticSimulation* simulation = test_simulation(&context, scene);
    test_simulation_finish(simulation);
    const SticRunTotals* totals = stic_run_totals(stic_simulation_run(simulation));
    int failed = 0, done = 0;
    for (int32_t i = 0; i < def->check_count; ++i) {
        const SticCheckResult result = stic_simulation_check(simulation, i);
        if (!result.done)
            continue;
        ++done;
        failed += result.passed ? 0 : 1;
        printf("%-22s %-40s %.8g, expected %.8g +- %.1e%s\n", name,
               def->check[i].what.name == NULL ? "" : def->check[i].what.name, result.value,
               def->check[i].value, def->check[i].tolerance, result.passed ? "" : " FAILED");
    }
    const double* missed = totals->violation;
    printf("%-22s %lld steps, %lld unsolved; energy missed by %.1e, momentum by %.1e, joints by "
           "%.1e and %.1e, gaps by %.1e\n",
           name, (long long)totals->steps, (long long)totals->unsolved, missed[STIC_PROMISE_ENERGY],
           missed[STIC_PROMISE_MOMENTUM], missed[STIC_PROMISE_POSITION], missed[STIC_PROMISE_RATE],
           missed[STIC_PROMISE_GAP]);
    // a ball that is crushed has nowhere to go: its steps have no solution
    if (strcmp(name, "crushed-ball.lua") != 0)
        test_equal((double)totals->unsolved, 0.0);
    // obstacles and drives that move, too: what they put in is a term of the ledger
    test_less(missed[STIC_PROMISE_ENERGY], 1e-12);
    // Newton ends at changes of 1e-12 of all velocities; dominoes that fall on each other make most
    test_less(missed[STIC_PROMISE_MOMENTUM], 1e-10);
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
    stic_scene_destroy(shipped);
    stic_text_unload(&text);
    free(changed);
    test_greater(done, 0);
    return failed;
}

// error of a check of a scene with a step that is shorter by a factor
static double error_with(const char* name, int check, int factor, bool* passed)
{
    const SticContext context = stic_context_default();
    SticSceneOptions options = stic_scene_default_options();
    SticScene* shipped = gallery_load(name, &options);
    char step[32];
    snprintf(step, sizeof step, "%.17g", stic_scene_def(shipped)->run.step / factor);
    const SticSceneAssignment set[] = {{"run.step", step}};
    stic_scene_destroy(shipped);
    options.set = set;
    options.set_count = 1;
    shipped = gallery_load(name, &options);
    SticText text = test_scene_text(&context, shipped);
    char* changed = with_scheme(&text, "consistent");
    SticScene* scene = test_scene_good(&context, changed);
    SticSimulation* simulation = test_simulation(&context, scene);
    test_simulation_finish(simulation);
    const SticCheckResult result = stic_simulation_check(simulation, check);
    const double error = fabs(result.value - stic_scene_def(scene)->check[check].value);
    *passed = result.passed;
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
    stic_scene_destroy(shipped);
    stic_text_unload(&text);
    free(changed);
    return error;
}

// Tolerances of two scenes are the errors of another scheme at their step, which conserves the
// angular momentum; those of the consistent scheme are larger there, and of second order
static void test_steps(void** state)
{
    static const struct {
        const char* name;
        int check, enough; // value with the largest error, factor that passes
    } scenes[] = {{"plate-with-rod.lua", 4, 4}, {"free-rotation.lua", 2, 2}};
    (void)state;
    for (int k = 0; k < 2; ++k) {
        bool first = false, passed = false;
        const double coarse = error_with(scenes[k].name, scenes[k].check, 1, &first),
                     fine = error_with(scenes[k].name, scenes[k].check, scenes[k].enough, &passed);
        const double order = log2(coarse / fine) / log2(scenes[k].enough);
        printf("%-22s error %.3e, with steps of 1/%d %.3e: order %.3f\n", scenes[k].name, coarse,
               scenes[k].enough, fine, order);
        assert_true(!first);
        assert_true(passed);
        test_near(order, 2.0, 0.02);
    }
}

static void test_scenes(void** state)
{
    static const char* const names[] = {"crushed-ball.lua",
                                        "funnel.lua",
                                        "gears.lua",
                                        "rotating-drum.lua",
                                        "spun-bars.lua",
                                        "two-obstacles.lua",
                                        "vibrating-plate.lua",
                                        "arch.lua",
                                        "stone-bridge.lua",
                                        "card-house.lua",
                                        "cube-impact.lua",
                                        "newtons-cradle.lua",
                                        "double-pendulum-wall.lua",
                                        "heavy-top.lua",
                                        "pendulum.lua",
                                        "tippe-top.lua",
                                        "woodpecker.lua",
                                        "block-on-table.lua",
                                        "sphere-impact.lua",
                                        "dominoes.lua",
                                        "cracked-bricks.lua",
                                        "unstable-rotation.lua",
                                        "rock-pile.lua"};
    int failed = 0;
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k)
        failed += run_scene(names[k], "consistent");
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_steps), cmocka_unit_test(test_scenes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
