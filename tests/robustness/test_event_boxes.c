// SPDX-License-Identifier: Apache-2.0
// Event: boxes that fall on each other at random. Lists of contacts change in the middle of steps,
// by impacts, edges that pass each other and patches that come and go: what is kept by position in
// a list would be read or written outside it, which the sanitizers see here.
#include "helpers/helpers.h"
#include "physics/play.h"

static void test_boxes(void** state)
{
    (void)state;
    for (int seed = 1; seed <= 4; ++seed) {
        Played played;
        SticStepInfo info;
        int64_t events = 0;
        int changes = 0, contacts = 0;
        char text[1024];
        snprintf(text, sizeof text,
                 "material{name='m', density=1000, friction=0.4, restitution=%g}\n"
                 "floor{material='m'}\nmath.randomseed(%d)\nlocal r = math.random\n"
                 "for i = 1, 3 do body{name='b' .. i, material='m', "
                 "position={0.05 * r(), 0.05 * r(), 0.1 + 0.2 * (i - 1)}, velocity={0, 0, -1}, "
                 "angular_velocity={8 * r() - 4, 8 * r() - 4, 8 * r() - 4}, "
                 "orientation={axis={r(), r(), r() + 0.1}, angle=6 * r()}, "
                 "shape=shape.box{size={0.06 + 0.08 * r(), 0.06 + 0.08 * r(), "
                 "0.06 + 0.08 * r()}}} end\n"
                 "scheme 'event'\nrun{step=5e-3, duration=0.2}\n",
                 seed % 2 == 0 ? 0.4 : 0.0, seed);
        played = (Played){.context = stic_context_default()};
        played.scene = test_scene_good(&played.context, text);
        played.simulation = test_simulation(&played.context, played.scene);
        played.run = stic_simulation_run(played.simulation);
        while (!stic_simulation_is_done(played.simulation)) {
            int32_t count = 0;
            assert_int_equal(stic_simulation_step(played.simulation, &info), STIC_OK);
            (void)stic_run_events(played.run, &count);
            events += count;
            changes += info.contacts != contacts;
            contacts = info.contacts;
        }
        const SticRunTotals* totals = stic_run_totals(played.run);
        print_message("seed %d: %lld events, %d changes of the number of contacts, impact %.1e, "
                      "friction %.1e, integration %.1e J, penetration %.1e m\n",
                      seed, (long long)events, changes, totals->ledger.impact,
                      totals->ledger.friction, totals->ledger.integration, totals->penetration);
        test_at_least(events, 10);
        test_at_least(changes, 5);
        test_less(totals->ledger.impact, 0.0);
        test_less(totals->ledger.friction, 0.0);
        test_less(fabs(totals->ledger.integration), 1e-9);
        forget(&played);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_boxes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
