// SPDX-License-Identifier: Apache-2.0
// Reference motion of the free double pendulum of Möller 6.2: two masses on rods of 0.5 m, in its
// angles.
#ifndef STIC_TESTS_PHYSICS_DOUBLE_PENDULUM_H
#define STIC_TESTS_PHYSICS_DOUBLE_PENDULUM_H

#include <math.h>

/// Rates of the angles from the downward vertical and of their velocities.
static inline void test_double_pendulum_rate(const double y[4], double rate[4])
{
    const double d = y[0] - y[1], c = cos(d), s = sin(d), g = 9.81, l = 0.5;
    const double b[2] = {-s * y[3] * y[3] - 2.0 * g / l * sin(y[0]),
                         s * y[2] * y[2] - g / l * sin(y[1])};
    const double det = 2.0 - c * c;
    rate[0] = y[2];
    rate[1] = y[3];
    rate[2] = (b[0] - c * b[1]) / det;
    rate[3] = (2.0 * b[1] - c * b[0]) / det;
}

/// Advance y by the time `end`, by Runge-Kutta of fourth order.
static inline void test_double_pendulum_at(double end, double y[4])
{
    const int steps = 20000;
    for (int i = 0; i < steps; ++i) {
        const double dt = end / steps;
        double k[4][4], z[4];
        for (int s = 0; s < 4; ++s) {
            const double part = s == 0 ? 0.0 : s == 3 ? dt : 0.5 * dt;
            for (int c = 0; c < 4; ++c)
                z[c] = y[c] + (s == 0 ? 0.0 : part * k[s - 1][c]);
            test_double_pendulum_rate(z, k[s]);
        }
        for (int c = 0; c < 4; ++c)
            y[c] += dt / 6.0 * (k[0][c] + 2.0 * k[1][c] + 2.0 * k[2][c] + k[3][c]);
    }
}

#endif
