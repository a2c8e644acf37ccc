// SPDX-License-Identifier: Apache-2.0
// The text form of scenes: reading, writing and reading again with the same bits, refusals, loads
// that change with time, models.
#include <math.h>

#include "helpers/helpers.h"
#include "math/math.h"
#include "scene/scenes.h"
#include "stiction/extend/file.h"
#include "stiction/extend/world.h"

static const char ball[] =
    "-- stiction scene 1\n"
    "title \"a ball on a floor\"\n"
    "gravity{0, 0, -10}\n"
    "material{name = \"rubber\", density = 238.73241463784303, friction = 0, restitution = 0.5}\n"
    "shape{kind = \"sphere\", radius = 0.1}\n"
    "shape{kind = \"half_space\"}\n"
    "body{name = \"floor\", kind = \"fixed\", material = \"rubber\", shape = {shape = 2}}\n"
    "body{name = \"ball\", position = {0, 0, 0.1}, velocity = {0, 0, -4}, material = \"rubber\",\n"
    "     shape = {{shape = 1}}}\n"
    "scheme{name = \"koziara\"}\n"
    "run{step = 0.001, duration = 0.3}\n"
    "history{quantity = \"velocity\", body = \"ball\", component = \"z\"}\n"
    "check{quantity = \"velocity\", body = \"ball\", component = \"z\", at = 0.1, value = 1,\n"
    "      tolerance = 0.02, source = \"e v - g t\"}\n";

// sphere impacting a plate (Koziara 13.4.2): v+ = e v-
static void test_ball(void** state)
{
    (void)state;
    TestMemory memory;
    const SticContext context = test_memory_context(&memory);
    SticScene* scene = test_scene_good(&context, ball);
    const SticSceneDef* def = stic_scene_def(scene);
    assert_int_equal(def->body_count, 2);
    assert_string_equal(def->body[1].name, "ball");
    SticSimulation* simulation = test_simulation(&context, scene);
    assert_int_equal(stic_simulation_steps(simulation), 300);
    const double mass =
        stic_world_mass(stic_simulation_system(simulation), stic_simulation_body(simulation, 1));
    SticStepInfo info;
    double v = 0.0;
    for (int k = 0; k < 100; ++k)
        assert_int_equal(stic_simulation_step(simulation, &info), STIC_OK);
    assert_int_equal(stic_simulation_measure(simulation, &def->history[0], &v), STIC_OK);
    printf("ball: mass %.15g, v(0.1) = %.6f, expected %g\n", mass, v, def->check[0].value);
    test_less(fabs(mass - 1.0), 1e-12);
    test_near(v, def->check[0].value, def->check[0].tolerance);
    assert_int_equal(stic_simulation_determinism(simulation), STIC_STRICT);
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
    test_memory_check(&memory);
}

static uint64_t final_hash(const SticContext* context, const SticScene* scene)
{
    SticSimulation* simulation = test_simulation(context, scene);
    test_simulation_finish(simulation);
    const uint64_t hash = stic_run_hash(stic_simulation_run(simulation));
    stic_simulation_destroy(simulation);
    return hash;
}

// text -> scene -> text -> scene: the second text is the first, and so is the motion
static void test_round_trip(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticScene* scene = test_scene_good(&context, ball);
    SticText text = test_scene_text(&context, scene);
    SticScene* again = test_scene_good(&context, text.bytes);
    SticText second = test_scene_text(&context, again);
    SticError error = {0};
    SticScene* copy = NULL;
    assert_int_equal(stic_scene_create(&context, stic_scene_def(scene), &copy, &error), STIC_OK);
    SticText third = test_scene_text(&context, copy);
    printf("%s", text.bytes);
    assert_string_equal(text.bytes, second.bytes);
    assert_string_equal(text.bytes, third.bytes);
    const uint64_t hash = final_hash(&context, scene);
    test_equal(hash, final_hash(&context, again));
    test_equal(hash, final_hash(&context, copy));
    stic_text_unload(&text);
    stic_text_unload(&second);
    stic_text_unload(&third);
    stic_scene_destroy(scene);
    stic_scene_destroy(again);
    stic_scene_destroy(copy);
}

// Potra and Anitescu's block under F = 8 cos t: the first slip ends at x = 0.004348570
static void test_wave(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticScene* scene = test_scene_good(
        &context, "-- stiction scene 1\n"
                  "signal{kind = \"wave\", amplitude = 8, frequency = 1, phase = "
                  "1.5707963267948966}\n"
                  "material{name = \"m\", friction = 0.8}\n"
                  "shape{kind = \"box\", size = {0.3, 0.3, 0.1}}\n"
                  "shape{kind = \"half_space\", offset = -0.05}\n"
                  "body{name = \"table\", kind = \"fixed\", material = \"m\", shape = {shape=2}}\n"
                  "body{name = \"block\", mass = 1, force = {{signal = 1}, 0, 0}, material = "
                  "\"m\", shape = {shape=1}}\n"
                  "solver{name = \"nsgs\", tolerance = 1e-12}\nscheme{name = \"koziara\"}\n"
                  "run{step = 0.001, duration = 1}\n");
    SticSimulation* simulation = test_simulation(&context, scene);
    test_simulation_finish(simulation);
    const SticSceneHistory what = {.quantity = STIC_QUANTITY_POSITION, .body = 1, .joint = -1};
    double x = 0.0;
    assert_int_equal(stic_simulation_measure(simulation, &what, &x), STIC_OK);
    printf("block on a table: x = %.9f, exact 0.004348570\n", x);
    test_less(fabs(x - 0.004348570), 2e-8);
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
}

static void test_signals(void** state)
{
    (void)state;
    const double time[] = {0.0, 1.0, 3.0}, value[] = {1.0, 2.0, -2.0};
    const SticSignal table = {
        .kind = STIC_SIGNAL_TABLE, .scale = 2.0, .count = 3, .time = time, .value = value};
    test_equal(stic_signal_value(&table, -1.0), 2.0);
    test_equal(stic_signal_value(&table, 0.5), 3.0);
    test_equal(stic_signal_value(&table, 2.0), 0.0);
    test_equal(stic_signal_value(&table, 9.0), -4.0);
    // slopes: at a point the mean of both beside it, whatever rounding makes of its time; one at
    // the ends, none outside
    const double slopes[][2] = {{-1.0, 0.0},         {0.0, 2.0},  {0.5, 2.0},
                                {1.0 - 1e-15, -1.0}, {1.0, -1.0}, {1.0 + 1e-15, -1.0},
                                {2.0, -4.0},         {3.0, -4.0}, {9.0, 0.0}};
    for (size_t k = 0; k < sizeof slopes / sizeof slopes[0]; ++k)
        test_equal(stic_signal_rate(&table, slopes[k][0]), slopes[k][1]);
    const SticSignal steps = {
        .kind = STIC_SIGNAL_STEPS, .interval = 0.5, .count = 3, .value = value};
    test_equal(stic_signal_value(&steps, 0.2), 1.0);
    test_equal(stic_signal_value(&steps, 0.7), 2.0);
    test_equal(stic_signal_value(&steps, 7.0), -2.0);
    const SticSignal wave = {
        .kind = STIC_SIGNAL_WAVE, .offset = 1.0, .amplitude = 2.0, .frequency = 3.0, .phase = 0.5};
    test_less(fabs(stic_signal_value(&wave, 0.7) - (1.0 + 2.0 * sin(2.6))), 1e-15);
}

// a model by its name: the pendulum of Koziara 13.4.1 is back after a period of 2.36068
static void test_model(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticScene* scene = test_scene_good(&context, "-- stiction scene 1\n"
                                                 "system{name = \"pendulum\"}\n"
                                                 "scheme{name = \"koziara\"}\n"
                                                 "run{step = 0.001, duration = 2.361}\n"
                                                 "history{quantity = \"q\", component = 1}\n");
    SticSimulation* simulation = test_simulation(&context, scene);
    assert_null(stic_simulation_world(simulation));
    test_simulation_finish(simulation);
    double x = 0.0;
    assert_int_equal(stic_simulation_measure(simulation, &stic_scene_def(scene)->history[0], &x),
                     STIC_OK);
    printf("pendulum after one period: x = %.9f\n", x);
    test_less(fabs(x - 1.0), 1e-5);
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
}

typedef struct Bad {
    const char* text; ///< after the mark
    int32_t line;
    const char* words; ///< that the sentence must hold
} Bad;

static void test_refusals(void** state)
{
    (void)state;
    static const Bad bad[] = {
        {"shape{kind = \"sphere\", radius = -1}", 2, "radius = -1 is not accepted"},
        {"shape{kind = \"sphere\", radus = 1}", 2, "did you mean 'radius'"},
        {"shape{kind = \"spher\"}", 2, "did you mean 'sphere'"},
        {"\n\nbodi{name = \"a\"}", 4, "did you mean 'body'"},
        {"body{name = \"a\",\n kind = \"rigit\"}", 3, "did you mean \"rigid\""},
        {"body{name = \"a\", position = {1, 2}}", 2, "three finite numbers"},
        {"body{name = \"a\"}\nbody{name = \"a\"}", 3, "taken already"},
        {"body{name = \"ground\"}", 2, "means no body"},
        {"body{shape = {shape = 7}}", 2, "there is no shape 7"},
        {"body{material = \"x\"}", 2, "there is no such material"},
        {"joint{kind = \"hinge\", a = \"b\"}", 2, "there is no such body"},
        {"joint{kind = \"hinge\"}", 2, "needs a body"},
        {"run{step = 0}", 2, "a finite number > 0"},
        {"run{step = }", 2, "a value should be"},
        {"run{step = 1", 2, "',' or '}'"},
        {"scheme{name = \"moro\"}", 2, "there is no scheme 'moro'"},
        {"solver{name = \"nsgs\", tolerence = 1}", 2, "did you mean 'tolerance'"},
        {"solver{name = \"nsgs\", tolerance = -1}", 2, "outside"},
        {"system{name = \"pendulum\", lenght = 1}", 2, "did you mean 'length'"},
        {"system{name = \"pendulum\"}\nbody{}", 0, "not both"},
        {"", 0, "the scene is empty"},
        {"body{}\nrun{policy = \"retry\"}", 0, "second solver"},
        {"signal{kind = \"table\", time = {0, 0}, value = {1, 2}}", 2, "ascend"},
        {"signal{kind = \"table\", time = {0, 1}, value = {1}}", 2, "do not fit"},
        {"shape{kind = \"mesh\", file = \"/etc/passwd\"}", 2, "reads no files"},
        {"shape{kind = \"mesh\", points = {{0,0,0}}, faces = {{1,2,3}}}", 2, "no vertex 2"},
        {"history{quantity = \"position\"}", 2, "is of a body"},
        {"title {1}", 2, "a text is needed"},
        {"gravity{1, 2}", 2, "three components"},
        {"gravity{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{", 2, "not so deep"},
    };
    const SticContext context = stic_context_default();
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        char source[512];
        SticError error;
        snprintf(source, sizeof source, "-- stiction scene 1\n%s", bad[k].text);
        SticScene* scene = test_scene(&context, source, &error);
        printf("%s:%d: %s\n", error.file, error.line, error.text);
        assert_null(scene);
        assert_int_equal(error.line, bad[k].line);
        assert_non_null(strstr(error.text, bad[k].words));
    }
}

static void test_sets(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    const SticSceneAssignment set[] = {{"run.step", "0.01"},        {"solver.tolerance", "1e-6"},
                                       {"solver", "auto"},          {"auto.sweeps", "7"},
                                       {"scheme.name", "moreau"},   {"run.policy", "continue"},
                                       {"output.contacts", "false"}};
    SticSceneOptions options = stic_scene_default_options();
    options.set = set;
    options.set_count = sizeof set / sizeof set[0];
    SticError error;
    SticScene* scene = test_scene_with(&context, ball, &options, &error);
    assert_non_null(scene);
    const SticSceneDef* def = stic_scene_def(scene);
    test_equal(def->run.step, 0.01);
    test_equal(def->solve.tolerance, 1e-6);
    assert_string_equal(def->solver, "auto");
    assert_string_equal(def->scheme, "moreau");
    assert_int_equal(def->run.policy, STIC_POLICY_CONTINUE);
    assert_false(def->output.contacts);
    stic_scene_destroy(scene);
    const SticSceneAssignment wrong = {"run.stepp", "1"};
    options.set = &wrong;
    options.set_count = 1;
    assert_null(test_scene_with(&context, ball, &options, &error));
    printf("%s\n", error.text);
    assert_non_null(strstr(error.text, "did you mean 'step'"));
}

static SticStatus make_and_run(const SticContext* context, void* self)
{
    (void)self;
    SticScene* scene = NULL;
    SticSimulation* simulation = NULL;
    SticStepInfo info;
    SticError error = {0};
    const SticText text = {
        .context = *context, .bytes = (char*)(uintptr_t)ball, .size = strlen(ball)};
    const SticSceneOptions options = stic_scene_default_options();
    SticStatus status = stic_scene_parse(context, &text, "ball", &options, &scene, &error);
    if (status == STIC_OK)
        status = stic_simulation_create(context, scene, &simulation, &error);
    if (status == STIC_OK)
        status = stic_simulation_step(simulation, &info);
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
    return status;
}

static void test_memory(void** state)
{
    (void)state;
    const int64_t calls = test_fail_every_allocation(make_and_run, NULL);
    printf("%lld allocations failed in turn\n", (long long)calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball),  cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_wave),  cmocka_unit_test(test_signals),
        cmocka_unit_test(test_model), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_sets),  cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
