// SPDX-License-Identifier: Apache-2.0
// Algebra of one second-order cone x_0 >= |(x_1, …)| of 1 to 3 rows: Nesterov-Todd scaling, step to
// the boundary, division. Every interior point method of the library is built on it.
#ifndef STIC_SOLVER_CONE_KERNEL_H
#define STIC_SOLVER_CONE_KERNEL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum { STIC_CONE_MOST = 3 };

/// |(x_1, …)|
static inline double stic_cone_across(int32_t n, const double* x)
{
    double sum = 0.0;
    for (int32_t k = 1; k < n; ++k)
        sum += x[k] * x[k];
    return sqrt(sum);
}

/// x_0^2 - |x_T|^2 without cancellation
static inline double stic_cone_determinant(int32_t n, const double* x)
{
    const double length = stic_cone_across(n, x);
    return (x[0] - length) * (x[0] + length);
}

static inline void stic_cone_multiply(int32_t n, const double* A, const double* x, double* y)
{
    for (int32_t i = 0; i < n; ++i) {
        y[i] = 0.0;
        for (int32_t k = 0; k < n; ++k)
            y[i] += A[i * n + k] * x[k];
    }
}

/// V(w) = [w_0 w_1'; w_1 I + w_1 w_1'/(1 + w_0)] times f, for det w = 1
static inline void stic_cone_boost(int32_t n, const double* w, double f, double* V)
{
    for (int32_t i = 0; i < n; ++i)
        for (int32_t k = 0; k < n; ++k) {
            double value = i == 0 ? w[k] : k == 0 ? w[i] : w[i] * w[k] / (1.0 + w[0]);
            if (i == k && i > 0)
                value += 1.0;
            V[i * n + k] = f * value;
        }
}

/// scaling P and its inverse with P x = P^-1 y = lam; false at the boundary of a cone
static inline bool stic_cone_scaling(int32_t n, const double* x, const double* y,
                                     double P[2][STIC_CONE_MOST * STIC_CONE_MOST], double* lam)
{
    const double det_x = stic_cone_determinant(n, x), det_y = stic_cone_determinant(n, y);
    if (!(det_x > 0.0) || !(det_y > 0.0) || !(x[0] > 0.0) || !(y[0] > 0.0))
        return false;
    const double root_x = sqrt(det_x), root_y = sqrt(det_y);
    double product = 0.0, w[STIC_CONE_MOST], w_inverse[STIC_CONE_MOST];
    for (int32_t k = 0; k < n; ++k)
        product += (x[k] / root_x) * (y[k] / root_y);
    const double g = sqrt(0.5 * (1.0 + product));
    for (int32_t k = 0; k < n; ++k)
        w[k] = (y[k] / root_y + (k == 0 ? 1.0 : -1.0) * (x[k] / root_x)) / (2.0 * g);
    // rounding: back to det w = 1
    w[0] = sqrt(1.0 + stic_cone_across(n, w) * stic_cone_across(n, w));
    for (int32_t k = 0; k < n; ++k)
        w_inverse[k] = k == 0 ? w[0] : -w[k];
    const double f = sqrt(root_y / root_x);
    stic_cone_boost(n, w, f, P[0]);
    stic_cone_boost(n, w_inverse, 1.0 / f, P[1]);
    stic_cone_multiply(n, P[0], x, lam);
    return isfinite(f);
}

/// x of lam o x = v
static inline void stic_cone_divide(int32_t n, const double* lam, const double* v, double* x)
{
    double product = 0.0;
    for (int32_t k = 1; k < n; ++k)
        product += lam[k] * v[k];
    x[0] = (lam[0] * v[0] - product) / stic_cone_determinant(n, lam);
    for (int32_t k = 1; k < n; ++k)
        x[k] = (v[k] - x[0] * lam[k]) / lam[0];
}

/// largest al with x + al d in the cone, infinite if there is none
static inline double stic_cone_step(int32_t n, const double* x, const double* d)
{
    // along the axis first: x_0 + al d_0 >= 0 is implied for n > 1 by the first root
    const double det = stic_cone_determinant(n, x);
    double A = d[0] * d[0], B = x[0] * d[0];
    for (int32_t k = 1; k < n; ++k) {
        A -= d[k] * d[k];
        B -= x[k] * d[k];
    }
    if (n == 1)
        return d[0] < 0.0 ? -x[0] / d[0] : INFINITY;
    // det + 2 B al + A al^2 = 0, smallest positive root
    const double root = B * B - A * det;
    if (root < 0.0 || (A >= 0.0 && B >= 0.0))
        return INFINITY;
    const double bottom = -B + sqrt(root);
    return bottom > 0.0 ? det / bottom : INFINITY;
}

#endif
