// SPDX-License-Identifier: Apache-2.0
// Charts against differences and against each other: rates, their transpose and inverse, their
// changes and gradients.
#include "helpers/helpers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "body/body.h"
#include "math/math.h"
#include "stiction/extend/vec3.h"

static const SticChart charts[] = {STIC_CHART_LINEAR, STIC_CHART_ROTATION, STIC_CHART_QUATERNION,
                                   STIC_CHART_SCALABLE};

static void gradients(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(17);
    for (size_t k = 0; k < sizeof charts / sizeof charts[0]; ++k) {
        const SticChart chart = charts[k];
        const int32_t n = stic_chart_u_size(chart, 12), nq = stic_chart_q_size(chart, 12);
        double transpose = 0.0, change = 0.0, gradient = 0.0, inverse = 0.0;
        for (int trial = 0; trial < 50; ++trial) {
            double q[12], u[12], p[12], qdot[12], f[12], z[12], qddot[12], plus[12], minus[12];
            for (int c = 0; c < 12; ++c) {
                q[c] = stic_random_range(&random, -1.0, 1.0);
                u[c] = stic_random_range(&random, -1.0, 1.0);
                p[c] = stic_random_range(&random, -1.0, 1.0);
            }
            stic_chart_identity(chart, q);
            if (chart == STIC_CHART_ROTATION)
                stic_mat3_store(stic_rotation_exp(stic_vec3_load(p)), q + 3);
            if (chart == STIC_CHART_QUATERNION || chart == STIC_CHART_SCALABLE)
                for (int c = 3; c < 7; ++c)
                    q[c] += 0.3 * p[c]; // any length
            stic_chart_rate(chart, n, q, u, qdot);
            // p . F u = F'p . u
            stic_chart_pull_back(chart, n, q, p, f);
            transpose = test_worse(transpose, fabs(test_dot(nq, p, qdot) - test_dot(n, f, u)));
            if (chart == STIC_CHART_LINEAR || chart == STIC_CHART_SCALABLE) {
                stic_chart_velocity(chart, n, q, qdot, f);
                for (int32_t c = 0; c < n; ++c)
                    inverse = test_worse(inverse, fabs(f[c] - u[c]));
            }
            // along the motion
            const double h = 1e-5;
            stic_chart_rate_change(chart, n, q, u, qddot);
            for (int side = 0; side < 2; ++side) {
                double at[12];
                for (int32_t c = 0; c < nq; ++c)
                    at[c] = q[c] + (side == 0 ? h : -h) * qdot[c];
                stic_chart_rate(chart, n, at, u, side == 0 ? plus : minus);
            }
            for (int32_t c = 0; c < nq; ++c)
                change = test_worse(change, fabs((plus[c] - minus[c]) / (2.0 * h) - qddot[c]));
            // one coordinate at a time
            stic_chart_rate_gradient(chart, n, q, u, p, z);
            for (int32_t c = 0; c < nq; ++c) {
                double at[12];
                memcpy(at, q, sizeof at);
                at[c] = q[c] + h;
                stic_chart_rate(chart, n, at, u, plus);
                at[c] = q[c] - h;
                stic_chart_rate(chart, n, at, u, minus);
                const double slope = (test_dot(nq, p, plus) - test_dot(nq, p, minus)) / (2.0 * h);
                gradient = test_worse(gradient, fabs(slope - z[c]));
            }
        }
        printf("%-10s transpose %.1e, inverse %.1e, change %.1e, gradient %.1e\n",
               stic_chart_name(chart), transpose, inverse, change, gradient);
        // central differences: rounding / h = 1e-11, h^2 times third derivatives
        test_less(transpose, 1e-14);
        test_less(inverse, 1e-14);
        test_less(change, 1e-8);
        test_less(gradient, 1e-8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gradients)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
