// SPDX-License-Identifier: Apache-2.0
// Every shipped scene in full length against its reference values.
#include "scene/gallery.h"

static void test_full(void** state)
{
    (void)state;
    gallery_all(false);
}

int main(void)
{
    if (!stic_scene_has_lua()) {
        printf("left out: built without Lua\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_full)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
