// SPDX-License-Identifier: Apache-2.0
// Every shipped scene runs, in its short version, and meets its reference values; its text form
// gives the same bits.
#include "scene/gallery.h"
#include "stiction/extend/file.h"

static void test_short(void** state)
{
    (void)state;
    gallery_all(true);
}

// a scene read back from its text form is the scene
static void test_text_form(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    Gallery gallery;
    gallery_list(&gallery);
    for (int i = 0; i < gallery.count; ++i) {
        SticScene* scene = gallery_scene(gallery.name[i], true);
        SticText text = test_scene_text(&context, scene);
        SticScene* again = test_scene_good(&context, text.bytes);
        SticText second = test_scene_text(&context, again);
        assert_string_equal(text.bytes, second.bytes);
        SticSimulation* first = test_simulation(&context, scene);
        SticSimulation* other = test_simulation(&context, again);
        SticStepInfo info;
        for (int k = 0; k < 20 && !stic_simulation_is_done(first); ++k) {
            assert_int_equal(stic_simulation_step(first, &info), STIC_OK);
            assert_int_equal(stic_simulation_step(other, &info), STIC_OK);
        }
        test_equal(stic_run_hash(stic_simulation_run(first)),
                   stic_run_hash(stic_simulation_run(other)));
        stic_simulation_destroy(first);
        stic_simulation_destroy(other);
        stic_text_unload(&text);
        stic_text_unload(&second);
        stic_scene_destroy(again);
        stic_scene_destroy(scene);
    }
}

static uint64_t hash_after(const SticContext* context, const SticScene* scene, int steps)
{
    SticSimulation* simulation = test_simulation(context, scene);
    SticStepInfo info;
    for (int k = 0; k < steps; ++k)
        if (stic_simulation_step(simulation, &info) != STIC_OK)
            fail_msg("step %d: %s", k, info.error.text);
    const uint64_t hash = stic_run_hash(stic_simulation_run(simulation));
    stic_simulation_destroy(simulation);
    return hash;
}

// the same bits with one thread and with three
static void test_threads(void** state)
{
    (void)state;
    static const char* const names[] = {"rock-pile.lua", "arch.lua", "funnel.lua"};
    const SticContext context = stic_context_default();
    SticContext threaded = context;
    assert_int_equal(stic_pool_create(&context, 3, &threaded.pool), STIC_OK);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        SticScene* scene = gallery_scene(names[i], true);
        const uint64_t one = hash_after(&context, scene, 100);
        const uint64_t three = hash_after(&threaded, scene, 100);
        printf("%s: %016llx\n", names[i], (unsigned long long)one);
        test_equal(one, three);
        stic_scene_destroy(scene);
    }
    stic_pool_destroy(threaded.pool);
}

int main(void)
{
    if (!stic_scene_has_lua()) {
        printf("left out: built without Lua\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short),
        cmocka_unit_test(test_text_form),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
