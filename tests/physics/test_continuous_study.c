// SPDX-License-Identifier: Apache-2.0
// Long runs of the event-driven scheme: scenes of the gallery, small steps, random boxes.
#include "helpers/helpers.h"
#include "physics/play.h"

// scenes of the gallery with event: their checks pass, events are counted
static void test_gallery(void** state)
{
    (void)state;
    static const struct {
        const char* name;
        int64_t least; // events
    } row[] = {{"card-house.lua", 0}, {"arch.lua", 0}, {"dominoes.lua", 1000}};
    for (int k = 0; k < 3; ++k) {
        const SticSceneAssignment set[] = {
            {"scheme.name", "event"}, {"run.short_duration", "0"}, {"run.duration", "1.5"}};
        Played played;
        play_scene(&played, row[k].name, set, 3);
        const SticRunTotals* totals = stic_run_totals(played.run);
        print_message("%s with event: %lld steps, %lld events, penetration %.1e m, integration "
                      "%.1e J\n",
                      row[k].name, (long long)totals->steps, (long long)played.events,
                      totals->penetration, totals->ledger.integration);
        test_at_least(played.events, row[k].least);
        forget(&played);
    }
}

// plateaus of Potra and Anitescu's block at small steps
static void test_small_steps(void** state)
{
    (void)state;
    static const double step[] = {1e-3, 1e-4};
    for (int k = 0; k < 2; ++k)
        play_block(step[k]);
}

// boxes thrown at random: manifolds change all the time; contacts take energy only
static void test_random_boxes(void** state)
{
    (void)state;
    for (int seed = 1; seed <= 12; ++seed) {
        Played played;
        play(
            &played,
            "material{name='m', density=1000, friction=0.4, restitution=%g}\n"
            "floor{material='m'}\nmath.randomseed(%d)\nlocal r = math.random\n"
            "for i = 1, 4 do body{name='b' .. i, material='m', "
            "position={0.05 * r(), 0.05 * r(), 0.25 * i}, "
            "angular_velocity={8 * r() - 4, 8 * r() - 4, 8 * r() - 4}, "
            "orientation={axis={r(), r(), r() + 0.1}, angle=6 * r()}, "
            "shape=shape.box{size={0.06 + 0.08 * r(), 0.06 + 0.08 * r(), 0.06 + 0.08 * r()}}} end\n"
            "scheme 'event'\nrun{step=5e-3, duration=0.5}\n",
            seed % 3 == 0 ? 0.4 : 0.0, seed);
        const SticRunTotals* totals = stic_run_totals(played.run);
        const double lost = totals->ledger.kinetic + totals->ledger.potential;
        print_message(
            "seed %d: %lld events, energy %.6f J, impact %.1e, friction %.1e, integration "
            "%.1e J, penetration %.1e m\n",
            seed, (long long)played.events, lost, totals->ledger.impact, totals->ledger.friction,
            totals->ledger.integration, totals->penetration);
        test_greater(played.events, 10);
        test_at_most(totals->ledger.impact, 1e-9);
        test_at_most(totals->ledger.friction, 1e-9);
        test_less(fabs(totals->ledger.integration), 1e-11 * fabs(lost));
        // leaps over chatter are steps of Moreau's rule of up to a hundredth of the step of the
        // run, doubled where it goes on: a body overlaps by what it moves in half of one
        test_less(totals->penetration, 1e-4);
        forget(&played);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_boxes),
        cmocka_unit_test(test_small_steps),
        cmocka_unit_test(test_gallery),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
