// SPDX-License-Identifier: Apache-2.0
// Every shipped scene runs, in its short version, and meets its reference values; its text form
// gives the same bits.
#include "scene/gallery.h"

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
        assert_true(stic_run_hash(stic_simulation_run(first)) ==
                    stic_run_hash(stic_simulation_run(other)));
        stic_simulation_destroy(first);
        stic_simulation_destroy(other);
        stic_text_unload(&text);
        stic_text_unload(&second);
        stic_scene_destroy(again);
        stic_scene_destroy(scene);
    }
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
