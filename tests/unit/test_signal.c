// SPDX-License-Identifier: Apache-2.0
// Time functions: curves through values at any times, and how far they are smooth.
#include <float.h>
#include <math.h>

#include "helpers/helpers.h"
#include "math/math.h"
#include "stiction/extend/scene.h"

enum { COUNT = 201 };

// values of a function at equal intervals, or at times that lie closer and closer
static SticSignal curve_of(double (*f)(double), bool graded, double* time, double* value)
{
    SticSignal signal = {.kind = STIC_SIGNAL_CURVE, .count = COUNT, .value = value};
    for (int k = 0; k < COUNT; ++k) {
        const double part = (double)k / (COUNT - 1);
        time[k] = graded ? 2.0 * part * (0.25 + 0.75 * part) : 2.0 * part;
        value[k] = f(time[k]);
    }
    if (graded)
        signal.time = time;
    else
        signal.interval = 2.0 / (COUNT - 1);
    return signal;
}

static double wave(double t)
{
    return sin(3.0 * t);
}

static double octic(double t)
{
    const double x = t - 1.0;
    return ((x * x - 0.3) * x * x + 0.02) * x * x * x * x - x;
}

static double bump(double t)
{
    return t > 1.4 && t < 1.5 ? 1.0 - cos(20.0 * STIC_PI * (t - 1.4)) : 0.0;
}

static void test_values(void** state)
{
    (void)state;
    double time[COUNT], value[COUNT];
    for (int graded = 0; graded < 2; ++graded) {
        const SticSignal signal = curve_of(wave, graded != 0, time, value);
        double off[3] = {0.0, 0.0, 0.0};
        for (double t = 0.0; t <= 2.0; t += 0.0037) {
            off[0] = fmax(off[0], fabs(stic_signal_value(&signal, t) - wave(t)));
            off[1] = fmax(off[1], fabs(stic_signal_rate(&signal, t) - 3.0 * cos(3.0 * t)));
            off[2] = fmax(off[2], fabs(stic_signal_curvature(&signal, t) + 9.0 * wave(t)));
        }
        print_message("curve at %s: off by %.1e, rate %.1e, curvature %.1e\n",
                      graded ? "graded times" : "equal intervals", off[0], off[1], off[2]);
        test_less(off[0], 1e-11);
        test_less(off[1], 1e-9);
        test_less(off[2], 1e-5);
        // constant beyond its ends
        test_near(stic_signal_value(&signal, -1.0), wave(0.0), 0.0);
        test_near(stic_signal_value(&signal, 3.0), value[COUNT - 1], 0.0);
        test_near(stic_signal_rate(&signal, 3.0), 0.0, 0.0);
    }
}

// a polynomial of degree eight is one stretch, a wave is cut as its interpolation asks for
static void test_stretches(void** state)
{
    (void)state;
    double time[COUNT], value[COUNT];
    for (int graded = 0; graded < 2; ++graded) {
        SticSignal signal = curve_of(octic, graded != 0, time, value);
        test_near(stic_signal_smooth(&signal, 0, 0.013, 5.0), 2.0, 1e-12);
        test_near(stic_signal_smooth(&signal, 0, 0.013, 1.7), 1.7, 0.0);
        signal = curve_of(wave, graded != 0, time, value);
        const double reached = stic_signal_smooth(&signal, 0, 0.0, 2.0);
        print_message("wave of 3 rad/s: smooth over %.3f s\n", reached);
        // twice the number of intervals is tried each time: between a half and all of the bound
        test_at_least(reached, 0.5 * 3.3 / 3.0);
        test_at_most(reached, 1.3 * 3.3 / 3.0);
    }
    const SticSignal sine = {.kind = STIC_SIGNAL_WAVE, .amplitude = 2.0, .frequency = -3.0};
    test_near(stic_signal_smooth(&sine, 0, 1.0, 9.0), 1.0 + 1.1, 1e-12);
    const SticSignal none = {.kind = STIC_SIGNAL_WAVE, .offset = 2.0};
    test_near(stic_signal_smooth(&none, 2, 1.0, 9.0), 9.0, 0.0);
}

// whoever samples each stretch at some instants sees a bump between zeros
static void test_bump(void** state)
{
    (void)state;
    double time[COUNT], value[COUNT];
    for (int graded = 0; graded < 2; ++graded)
        for (int order = 0; order < 3; ++order) {
            const SticSignal signal = curve_of(bump, graded != 0, time, value);
            double t = 0.0, longest = 0.0, seen = 0.0;
            int stretches = 0;
            while (t < 2.0 && stretches < COUNT) {
                const double end = stic_signal_smooth(&signal, order, t, 2.0);
                test_greater(end, t);
                for (int k = 1; k < 9; ++k)
                    seen = fmax(seen, stic_signal_value(&signal, t + (end - t) * k / 9.0));
                if (end > 1.42 && t < 1.48)
                    longest = fmax(longest, end - t);
                t = end;
                ++stretches;
            }
            print_message("bump of 0.1 s, order %d, %s times: %d stretches, at most %.3f s there\n",
                          order, graded ? "graded" : "equal", stretches, longest);
            test_near(t, 2.0, 1e-12);
            test_less(longest, 0.1);
            test_greater(seen, 1.9);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_stretches),
        cmocka_unit_test(test_bump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
