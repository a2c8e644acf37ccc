// SPDX-License-Identifier: Apache-2.0
// Several solutions at an instant: Painlevé's rod, counted against the formulas of Kikuuwe and
// Brogliato (2017, section 5.3), and the branch that each rule takes.
#include "helpers/helpers.h"
#include "physics/run.h"

// G_A and G_B of a uniform rod with m = l = 1
static void paradox(double angle, double rate, double mu, double* ga, double* gb)
{
    const double s = sin(angle), c = cos(angle), gravity = 9.81;
    // A = J M^-1 J', rows tangent and normal
    const double A[2][2] = {{1.0 + 3.0 * s * s, -3.0 * s * c}, {-3.0 * s * c, 1.0 + 3.0 * c * c}};
    const double det = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    const double rb[2] = {A[1][1] / det, -A[1][0] / det};
    const double ra[2] = {gravity / 4.0 * 3.0 * s * c - rate * rate * c,
                          gravity / 4.0 * (4.0 - 3.0 * c * c) - rate * rate * s};
    *gb = rb[0] - mu * rb[1];
    *ga = A[1][0] * ra[0] + A[1][1] * ra[1];
}

// open a rod on its lower end, and make one short step; motions at the beginning
static int32_t count_at(const char* scheme, const char* settings, double angle, double rate,
                        double mu, TestRun* run)
{
    char parameters[256];
    SticError error = {0};
    const SticEvent* event;
    int32_t found = 0;
    snprintf(parameters, sizeof parameters, "angle=%.17g rate=%.17g friction=%.17g slide=-1", angle,
             rate, mu);
    assert_int_equal(test_run_open(run, "painleve-rod", scheme, parameters, settings, &error),
                     STIC_OK);
    assert_int_equal(test_run_step(run, 1e-7), STIC_OK);
    for (int32_t k = 0; k < run->stepper->events->count; ++k) {
        event = &run->stepper->events->item[k];
        found += (event->kind == STIC_EVENT_BRANCH || event->kind == STIC_EVENT_IMPACT_BRANCH) &&
                 event->t == 0.0;
    }
    return found > 0 ? found : 1;
}

static const char* const fine = "delta=1e-6 zeta=0.5 method=euler step=1e-7 branch=nearest";

// Solutions of the leap tell the kinetic energy behind them: the most is that of the start, of the
// one that stays open, l = m = 1.
static void check_energies(const SticEvents* events, double angle, double rate)
{
    const double x = -1.0 - rate * sin(angle), z = rate * cos(angle);
    const double start = 0.5 * (x * x + z * z + rate * rate / 3.0);
    double most = 0.0;
    for (int32_t k = 0; k < events->count; ++k)
        if (events->item[k].kind == STIC_EVENT_IMPACT_BRANCH)
            most = fmax(most, events->item[k].value);
    print_message("energy behind the leap at most %.9f J, at its start %.9f J\n", most, start);
    test_near(most, start, 1e-7 * start);
}

// one solution where the friction is below that of the paradox, three where the rod would lift off
static void test_counts(void** state)
{
    (void)state;
    static const double mu[] = {0.5, 1.0, 1.32, 1.4, 2.0, 4.0}, rate[] = {0.0, 2.0, 4.0, 6.0};
    int32_t cases = 0, three = 0;
    for (int m = 0; m < 6; ++m)
        for (int r = 0; r < 4; ++r)
            for (int k = 1; k < 9; ++k) {
                const double angle = 0.17 * k;
                double ga = 0.0, gb = 0.0;
                TestRun run;
                paradox(angle, rate[r], mu[m], &ga, &gb);
                const int32_t found = count_at("relaxed", fine, angle, rate[r], mu[m], &run);
                const int32_t expected = gb < 0.0 && ga < 0.0 ? 3 : 1;
                if (found != expected)
                    print_message("angle %.2f rate %.0f mu %.2f: %d, expected %d (G_A %.3f, G_B "
                                  "%.3f)\n",
                                  angle, rate[r], mu[m], found, expected, ga, gb);
                assert_int_equal(found, expected);
                cases += 1;
                three += found == 3;
                test_run_close(&run);
            }
    print_message("%d states of the rod, %d of them with three solutions, as the formulas say\n",
                  cases, three);
    test_greater(three, 10);
    test_less(three, cases - 10);
}

// least friction with three solutions over all angles: 4/3 at atan 2, approached with delta
static void test_critical(void** state)
{
    (void)state;
    static const double delta[] = {1e-6, 1e-7, 1e-8};
    double apart[3];
    for (int d = 0; d < 3; ++d) {
        char settings[128];
        double low = 1.0, high = 2.0;
        snprintf(settings, sizeof settings,
                 "delta=%g zeta=0.5 method=euler step=1e-7 branch=nearest", delta[d]);
        for (int k = 0; k < 30; ++k) {
            const double middle = 0.5 * (low + high);
            TestRun run;
            const bool several = count_at("relaxed", settings, atan(2.0), 6.0, middle, &run) == 3;
            test_run_close(&run);
            *(several ? &high : &low) = middle;
        }
        apart[d] = high - 4.0 / 3.0;
        print_message("delta %g: critical friction %.8f, 4/3 + %.1e\n", delta[d], high, apart[d]);
    }
    test_less(fabs(apart[2]), 1e-6);
    test_less(fabs(apart[0] / apart[1] - 10.0), 0.5);
    for (double angle = 0.1; angle < 1.5; angle += 0.1) {
        TestRun run;
        assert_int_equal(count_at("relaxed", fine, angle, 6.0, 1.333, &run), 1);
        test_run_close(&run);
    }
}

// slip and lift of the lower end
static void end_velocity(const TestRun* run, double* slip, double* lift)
{
    const double *q = run->now->q, *u = run->now->u;
    *slip = u[0] + sin(q[2]) * u[2];
    *lift = u[1] - cos(q[2]) * u[2];
}

// the branch of each rule: stick and least energy stop the slip at once, nearest to nothing lifts
// off
static void test_rules(void** state)
{
    (void)state;
    static const struct {
        const char* scheme;
        const char* rule;
        bool stops;
    } row[] = {{"relaxed", "stick", true},      {"relaxed", "least-energy", true},
               {"relaxed", "nearest", false},   {"event", "stick", true},
               {"event", "least-energy", true}, {"event", "nearest", false}};
    for (int k = 0; k < 6; ++k) {
        char settings[128];
        TestRun run;
        double slip = 0.0, lift = 0.0;
        snprintf(settings, sizeof settings, "%sbranch=%s",
                 k < 3 ? "delta=1e-6 zeta=0.5 method=euler step=1e-7 " : "", row[k].rule);
        const int32_t found = count_at(row[k].scheme, settings, 1.0, 6.0, 2.0, &run);
        if (k >= 3 && row[k].stops)
            check_energies(run.stepper->events, 1.0, 6.0);
        assert_int_equal(test_run_step(&run, 4e-5), STIC_OK);
        end_velocity(&run, &slip, &lift);
        print_message("%s, %s: %d solutions, slip %.6f, lift %.6f m/s after 4e-5 s\n",
                      row[k].scheme, row[k].rule, found, slip, lift);
        // open and slide on acceleration level, then those of the leap with an impulse
        assert_int_equal(found, k < 3 ? 3 : row[k].stops ? 2 + 3 : 2);
        if (row[k].stops) {
            test_less(fabs(slip), 1e-3);
        } else {
            test_less(slip, -0.99);
            test_greater(lift, 0.0);
        }
        test_run_close(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_critical),
        cmocka_unit_test(test_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
