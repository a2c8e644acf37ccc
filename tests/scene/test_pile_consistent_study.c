// SPDX-License-Identifier: Apache-2.0
// How deep rocks of a heap sink into each other: the energy-consistent scheme against moreau with
// the law on velocities, both without corrections of positions. The deepest one of a heap is a
// matter of chance, so that several heaps are compared by their mean. Contacts of moreau are looked
// for in the middle of a step and those of the consistent scheme at its beginning, so that a single
// impact may go twice as deep.
#include "../../bench/rock_heap.h"
#include "helpers/helpers.h"
#include "scene/scenes.h"

enum { HEAPS = 8 };

static void test_penetration(void** state)
{
    static const char* const schemes[] = {"'moreau'", "'consistent'"};
    const SticContext context = stic_context_default();
    double mean[2] = {0.0, 0.0};
    (void)state;
    for (int k = 0; k < 2 * HEAPS; ++k) {
        char text[2048];
        snprintf(text, sizeof text, rock_heap, k / 2, 300, 7, schemes[k % 2], "",
                 ", law = 'velocity', projection = false");
        SticScene* scene = test_scene_good(&context, text);
        SticSimulation* simulation = test_simulation(&context, scene);
        test_simulation_finish(simulation);
        const SticRunTotals* totals = stic_run_totals(stic_simulation_run(simulation));
        printf("heap %d of 300 rocks, %-10s: deepest penetration %.2f mm, %lld steps not solved\n",
               k / 2, schemes[k % 2], 1e3 * totals->penetration, (long long)totals->unsolved);
        assert_int_equal(totals->unsolved, 0);
        mean[k % 2] += totals->penetration / HEAPS;
        stic_simulation_destroy(simulation);
        stic_scene_destroy(scene);
    }
    printf("mean of %d heaps: moreau %.2f mm, consistent %.2f mm\n", HEAPS, 1e3 * mean[0],
           1e3 * mean[1]);
    // means of eight spread by some 5 %
    test_less(mean[1], 1.25 * mean[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_penetration)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
