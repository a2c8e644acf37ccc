// SPDX-License-Identifier: Apache-2.0
// Gravity that changes with time, as in an earthquake: the ledger closes with every scheme, and with those that look
// inside a step the motion is x = A/w (t - sin(w t)/w).
#include <math.h>

#include "scene/scenes.h"

static void test_ledger(void** unused)
{
    (void)unused;
    static const struct {
        const char* scheme;
        double bound; // of the motion, m
    } cases[] = {{"event", 1e-12}, {"relaxed", 1e-9}, {"koziara", 1e-3}, {"consistent", 1e-3}};
    const SticContext context = stic_context_default();
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        char text[512];
        snprintf(text, sizeof text,
                 "gravity{signal.wave{amplitude = 5, frequency = 3}, 0, 0}\n"
                 "body{name = 'b', mass = 1, shape = shape.sphere{radius = 0.1}}\n"
                 "scheme '%s'\nrun{step = 0.01, duration = 1}\n",
                 cases[k].scheme);
        SticScene* scene = test_scene_good(&context, text);
        SticSimulation* simulation = test_simulation(&context, scene);
        test_simulation_finish(simulation);
        const SticRun* run = stic_simulation_run(simulation);
        const SticLedger* ledger = &stic_run_totals(run)->ledger;
        const double x = 5.0 / 3.0 * (1.0 - sin(3.0) / 3.0);
        const double off = fabs(stic_run_now(run)->q[0] - x);
        print_message("%s: off by %.1e m, integration %.1e of %.3f J\n", cases[k].scheme, off,
                      ledger->integration, ledger->kinetic);
        test_less(off, cases[k].bound);
        test_less(fabs(ledger->integration), 1e-13 * ledger->kinetic);
        stic_simulation_destroy(simulation);
        stic_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ledger)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
