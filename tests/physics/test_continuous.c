// SPDX-License-Identifier: Apache-2.0
// Schemes in continuous time next to time stepping: a box that slides off an edge, the beak of the
// woodpecker, the block of Studer and Glocker, dominoes.
#include <time.h>

#include "helpers/helpers.h"
#include "physics/play.h"

static const double g = 9.81;

// a box slides over the edge of a table, tips and falls; all schemes tend to the motion of event
static void test_edge(void** state)
{
    (void)state;
    static const struct {
        const char* scheme;
        double most; // error at 0.25 ms, m
        double order;
    } row[] = {{"moreau", 2e-6, 1.5},     {"koziara", 2e-6, 1.5},    {"theta", 2e-6, 1.5},
               {"consistent", 5e-5, 0.9}, {"decomposed", 5e-5, 0.9}, {"relaxed", 1e-7, 0.0},
               {"event", 1e-9, 0.0}};
    static const char* const text =
        "material{name='m', density=1000, friction=0.3}\n"
        "body{name='table', kind='fixed', position={0,0,-0.1}, "
        "shape=shape.box{size={1,1,0.2}, material='m'}}\n"
        "body{name='b', material='m', position={0.35,0,0.05}, velocity={1.2,0,0}, "
        "shape=shape.box{size={0.2,0.2,0.1}}}\n"
        "scheme '%s'\nrun{step=%.17g, duration=0.3}\n"
        "history{quantity='position', body='b', component='x'}\n"
        "history{quantity='position', body='b', component='z'}\n";
    Played exact;
    play(&exact, text, "event", 1e-4);
    const double x = history(&exact, 0), z = history(&exact, 1);
    print_message("over the edge: the box is at (%.9f, %.9f) after 0.3 s, %lld events\n", x, z,
                  (long long)exact.events);
    test_at_least(exact.events, 2);
    test_less(z, 0.01);
    forget(&exact);
    for (size_t k = 0; k < sizeof row / sizeof row[0]; ++k) {
        // the box leaves the edge anywhere in a step, which scatters errors of first order: a long way
        static const double step[] = {2e-3, 2.5e-4};
        double error[2];
        for (int s = 0; s < 2; ++s) {
            Played played;
            play(&played, text, row[k].scheme, step[s]);
            error[s] = hypot(history(&played, 0) - x, history(&played, 1) - z);
            forget(&played);
        }
        const double order = log(error[0] / error[1]) / log(step[0] / step[1]);
        print_message("  %-10s off by %.2e m at 2 ms, %.2e m at 0.25 ms, order %.2f\n",
                      row[k].scheme, error[0], error[1], order);
        test_less(error[1], row[k].most);
        if (row[k].order != 0.0) {
            test_greater(order, row[k].order);
        }
    }
}

// strikes of the beak: by events, or where the rate of the bird turns at the pole
static void strikes_of(const char* scheme, double h, double strike[4])
{
    TestRun run;
    SticError error = {0};
    int found = 0;
    assert_int_equal(test_run_open(&run, "woodpecker", scheme, "", "", &error), STIC_OK);
    double rate = run.now->u[2];
    for (long step = 1; found < 4 && (double)step * h < 0.55; ++step) {
        assert_int_equal(test_run_step(&run, (double)step * h), STIC_OK);
        for (int32_t i = 0; i < run.stepper->events->count && found < 4; ++i) {
            const SticEvent* event = &run.stepper->events->item[i];
            // the beak is interaction 1
            if (event->kind == STIC_EVENT_IMPACT && event->id == 1 && event->value > 0.01)
                strike[found++] = event->t;
        }
        // the beak meets the pole at phi = 0.12
        if (!run.scheme->events && rate > 0.0 && run.now->u[2] < 0.0 && run.now->q[2] > 0.119)
            strike[found++] = run.now->t;
        rate = run.now->u[2];
    }
    assert_int_equal(found, 4);
    test_run_close(&run);
}

static void test_woodpecker(void** state)
{
    (void)state;
    static const double exact[] = {0.08101, 0.22685, 0.3729, 0.5188};
    static const struct {
        const char* scheme;
        double step, allowed;
    } row[] = {{"event", 1e-2, 1e-4}, {"moreau", 1e-6, 1e-4}, {"decomposed", 1e-5, 2e-4}};
    for (int k = 0; k < 3; ++k) {
        double strike[4] = {0.0}, worst = 0.0;
        strikes_of(row[k].scheme, row[k].step, strike);
        for (int i = 0; i < 4; ++i)
            worst = test_worse(worst, fabs(strike[i] - exact[i]));
        print_message("woodpecker, %-10s h = %g: strikes at %.6f %.6f %.6f %.6f s, within %.1e s "
                      "of the published ones\n",
                      row[k].scheme, row[k].step, strike[0], strike[1], strike[2], strike[3],
                      worst);
        test_less(worst, row[k].allowed);
    }
}

// Studer and Glocker 5.8: loads that let both corners stick, both slide, and one stick while the
// other opens; accelerations are unique whatever solver finds the forces
static void test_block_states(void** state)
{
    (void)state;
    static const char* const solver[] = {"auto", "sor-prox", "prox-newton", "lemke"};
    const double m = 2.1, J = 0.018, l = 0.15, h = 0.05, mu = 0.3, N = m * g, t = 1e-6;
    const struct {
        const char *what, *loads;
        double exact[3];
    } row[] = {
        {"both stick", "force_x=3 moment=0.5", {0.0, 0.0, 0.0}},
        {"both slide", "force_x=10", {(10.0 - mu * N) / m, 0.0, 0.0}},
        // about the right corner at (l, -h): -M turns it over, the weight holds it
        {"one sticks, the other opens",
         "moment=-5",
         {0.0, 0.0, (-5.0 + N * l) / (J + m * (l * l + h * h))}},
    };
    for (int k = 0; k < 3; ++k)
        for (int s = 0; s < 4; ++s) {
            TestRun run;
            SticError error = {0};
            assert_int_equal(test_run_open(&run, "planar-block", "event", row[k].loads, "", &error),
                             STIC_OK);
            run.stepper->solve.solver = stic_solver_find(solver[s], NULL);
            assert_int_equal(test_run_step(&run, t), STIC_OK);
            double exact[3] = {row[k].exact[0], 0.0, row[k].exact[2]}, apart = 0.0;
            if (k == 2) {
                // the corner stays: x' = -h phi', y' = -l phi'
                exact[0] = -h * row[k].exact[2];
                exact[1] = -l * row[k].exact[2];
            }
            for (int c = 0; c < 3; ++c)
                apart = test_worse(apart, fabs(run.now->u[c] / t - exact[c]));
            print_message("block, %s, by %s: accelerations off by %.1e\n", row[k].what, solver[s],
                          apart);
            test_less(apart, 1e-6);
            test_run_close(&run);
        }
}

// dominoes of the gallery with the defaults of the relaxed scheme against koziara, one after the
// other: cost by the time of the processor
static void test_dominoes(void** state)
{
    (void)state;
    static const char* const name[] = {"koziara", "relaxed"};
    double seconds[2];
    for (int k = 0; k < 2; ++k) {
        const SticSceneAssignment set[] = {{"scheme.name", name[k]}, {"run.short_duration", "0"}};
        Played played;
        const clock_t begin = clock();
        play_scene(&played, "dominoes.lua", set, 2);
        seconds[k] = (double)(clock() - begin) / CLOCKS_PER_SEC;
        print_message("dominoes, %s: %.3f s of computing, %.1f times koziara\n", name[k],
                      seconds[k], seconds[k] / seconds[0]);
        forget(&played);
    }
    test_less(seconds[1], 10.0 * seconds[0]);
}

// a ball that starts on the floor with a speed: the checks of its scene, by the relaxed law
static void test_sphere(void** state)
{
    (void)state;
    static const SticSceneAssignment set[] = {{"scheme.name", "relaxed"}, {"scheme.delta", "1e-4"}};
    Played played;
    // with the default delta of 1 ms, too
    for (int32_t count = 1; count <= 2; ++count) {
        play_scene(&played, "sphere-impact.lua", set, count);
        forget(&played);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edge),         cmocka_unit_test(test_woodpecker),
        cmocka_unit_test(test_block_states), cmocka_unit_test(test_dominoes),
        cmocka_unit_test(test_sphere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
