// SPDX-License-Identifier: Apache-2.0
// Discrete derivative of energies of bodies that deform: exact along the step, without torque, zero
// for a turn, its tangent against differences; values that depend on the orientation are refused.
#include "helpers/helpers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "body/body.h"
#include "math/math.h"
#include "step/stretch.h"

enum { N = STIC_STRETCH_WIDTH };

typedef struct Energy {
    SticElastic elastic;
    double cubic;  // part of tr(C)^3, which is not quadratic in C
    double spring; // part of |x|^2/2, which is no energy of stretches
} Energy;

static double value_at(const Energy* e, const double* q, double* slope, double* hessian)
{
    const SticMat3 F = stic_mat3_load(q + 3);
    const double trace = stic_mat3_contract(F, F);
    const SticVec3 x = stic_vec3_load(q);
    if (slope != NULL) {
        const SticMat3 P = stic_elastic_stress(&e->elastic, F);
        stic_vec3_store(stic_vec3_add_scaled(stic_vec3(0.0, 0.0, 2.0), e->spring, x), slope);
        stic_mat3_store(stic_mat3_add_scaled(P, 6.0 * e->cubic * trace * trace, F), slope + 3);
    }
    if (hessian != NULL) {
        double K[81];
        stic_elastic_tangent(&e->elastic, F, K);
        memset(hessian, 0, N * N * sizeof *hessian);
        for (int k = 0; k < 3; ++k)
            hessian[k * (N + 1)] = e->spring;
        for (int r = 0; r < 9; ++r)
            for (int c = 0; c < 9; ++c)
                hessian[(3 + r) * N + 3 + c] = K[9 * r + c] +
                                               (r == c ? 6.0 * e->cubic * trace * trace : 0.0) +
                                               24.0 * e->cubic * trace * q[3 + r] * q[3 + c];
    }
    return stic_elastic_energy(&e->elastic, F) + e->cubic * trace * trace * trace + 2.0 * q[2] +
           0.5 * e->spring * stic_vec3_dot(x, x);
}

static bool derive(const Energy* e, const double* begin, const double* end, double* value,
                   double* hessian)
{
    double slope[3][N], K[N * N], middle[N];
    assert_true(stic_stretch_middle(begin, end, middle));
    const double first = value_at(e, begin, slope[0], NULL),
                 last = value_at(e, end, slope[1], NULL);
    value_at(e, middle, slope[2], K);
    const SticStretch stretch = {begin, end, {slope[0], slope[1], slope[2]}, K, last - first};
    return stic_stretch_derive(&stretch, value, hessian);
}

static void place(const SticMat3 F, double x, double* q)
{
    q[0] = x;
    q[1] = -2.0 * x;
    q[2] = 0.3 + x;
    stic_mat3_store(F, q + 3);
}

static SticMat3 turned(double angle)
{
    return stic_rotation_exp(stic_vec3(0.3 * angle, -0.5 * angle, angle));
}

static void test_exact(void** state)
{
    const Energy cases[] = {{{.young = 3.0, .poisson = 0.3}, 0.0, 0.0},
                            {{.young = 3.0, .poisson = 0.3}, 0.2, 0.0}};
    const SticMat3 U = {{{1.1, 0.05, 0.0}, {0.05, 0.9, 0.1}, {0.0, 0.1, 1.2}}},
                   V = {{{0.8, 0.02, 0.1}, {0.02, 1.3, 0.0}, {0.1, 0.0, 1.0}}};
    (void)state;
    for (int k = 0; k < 2; ++k) {
        double begin[N], end[N], value[N], K[N * N], change = 0.0, worst = 0.0;
        place(stic_mat3_mul(turned(0.2), U), 0.1, begin);
        place(stic_mat3_mul(turned(0.9), V), 0.4, end);
        assert_true(derive(&cases[k], begin, end, value, K));
        for (int c = 0; c < N; ++c)
            change += value[c] * (end[c] - begin[c]);
        test_near(change,
                  value_at(&cases[k], end, NULL, NULL) - value_at(&cases[k], begin, NULL, NULL),
                  1e-14);
        const SticMat3 mean = stic_mat3_scale(
                           0.5, stic_mat3_add(stic_mat3_load(begin + 3), stic_mat3_load(end + 3))),
                       moment = stic_mat3_mul_transpose(stic_mat3_load(value + 3), mean);
        test_less(stic_mat3_norm(stic_mat3_sub(moment, stic_mat3_transpose(moment))), 1e-14);
        for (int c = 0; c < N; ++c) {
            const double own = end[c], d = 1e-5;
            double side[2][N], unused[N * N];
            for (int s = 0; s < 2; ++s) {
                end[c] = own + (s == 0 ? -d : d);
                assert_true(derive(&cases[k], begin, end, side[s], unused));
            }
            end[c] = own;
            for (int r = 0; r < N; ++r)
                worst = fmax(worst, fabs((side[1][r] - side[0][r]) / (2.0 * d) - K[r * N + c]));
        }
        printf("tangent of energy %d to %.1e by differences\n", k, worst);
        test_less(worst, 1e-8);
    }
}

// a body that turns by any angle has no stress
static void test_turn(void** state)
{
    const Energy energy = {{.young = 1e10, .poisson = 0.2}, 0.0, 0.0};
    double begin[N], end[N], value[N], K[N * N];
    (void)state;
    place(turned(0.0), 0.0, begin);
    place(turned(0.7), 0.1, end);
    assert_true(derive(&energy, begin, end, value, K));
    for (int c = 3; c < N; ++c)
        test_less(fabs(value[c]), 1e-5);
    test_near(value[2], 2.0, 0.0);
}

static void test_refused(void** state)
{
    const Energy spring = {{.young = 3.0, .poisson = 0.3}, 0.0, 0.5};
    double begin[N], end[N], value[N] = {7.0}, K[N * N], flat[N];
    (void)state;
    place(turned(0.1), 0.0, begin);
    place(turned(0.2), 0.1, end);
    assert_false(derive(&spring, begin, end, value, K));
    test_near(value[0], 7.0, 0.0);
    memset(flat, 0, sizeof flat);
    assert_false(stic_stretch_middle(flat, flat, value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact), cmocka_unit_test(test_turn),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
