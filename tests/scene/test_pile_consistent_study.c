// SPDX-License-Identifier: Apache-2.0
// How deep rocks of a heap sink into each other: the energy-consistent scheme against moreau with
// the law on velocities, both without corrections of positions. The deepest one of a heap is a
// matter of chance, so that several heaps are compared by their mean. Contacts of moreau are looked
// for in the middle of a step and those of the consistent scheme at its beginning, so that a single
// impact may go twice as deep.
#include "helpers/helpers.h"
#include "scene/scenes.h"

enum { HEAPS = 8 };

static const char* const heap =
    "for k = 1, %d do math.random() end\n"
    "scheme '%s'\n"
    "material{name = 'rock', density = 2600, friction = 0.6}\n"
    "floor{material = 'rock'}\n"
    "local function rock()\n"
    "    local points = {}\n"
    "    for i = 1, 14 do\n"
    "        local z, a = 2 * math.random() - 1, 2 * math.pi * math.random()\n"
    "        local s, r = math.sqrt(1 - z^2), 0.12 + 0.06 * math.random()\n"
    "        points[i] = {r * s * math.cos(a), r * s * math.sin(a), r * z}\n"
    "    end\n"
    "    return shape.hull{points = points, material = 'rock'}\n"
    "end\n"
    "pile{count = 300, columns = 7, spacing = 0.36, position = {0, 0, 0.2}, shape = rock,\n"
    "     name = 'rock'}\n"
    "run{step = 2e-3, duration = 0.8, law = 'velocity', projection = false}\n";

static void test_penetration(void** state)
{
    static const char* const schemes[] = {"moreau", "consistent"};
    const SticContext context = stic_context_default();
    double mean[2] = {0.0, 0.0};
    (void)state;
    for (int k = 0; k < 2 * HEAPS; ++k) {
        char text[2048];
        snprintf(text, sizeof text, heap, k / 2, schemes[k % 2]);
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
