// SPDX-License-Identifier: Apache-2.0
// Euclidean projection on an ellipsoid with semi-axes s_k along the coordinate axes.
//
// A point outside goes to p_k = s_k^2 x_k / (s_k^2 + t) where t > 0 is the root of
//
//     phi(t) = 1,     phi(t)^2 = sum_k ( s_k x_k / (s_k^2 + t) )^2
//
// 1/phi is concave and increasing, so that Newton's method on 1/phi(t) - 1 climbs to the root from
// any t below it without overshooting (the secular equation of trust-region methods; Moré and
// Sorensen 1983). It starts at the largest t at which one term alone is 1. Four to eight
// evaluations, no workspace. A semi-axis of 0 holds its component at 0. (Möller 2011, eq. 3.114,
// gives the set; he projects after a transformation to the ball, see the option `transform` of the
// prox solvers.)
#include <math.h>

#include "law/set_parts.h"

static bool is_inside(int32_t n, const double* axes, const double* x)
{
    double sum = 0.0;
    for (int32_t k = 0; k < n; ++k) {
        if (!(axes[k] > 0.0)) {
            if (x[k] != 0.0)
                return false;
            continue;
        }
        const double part = x[k] / axes[k];
        sum += part * part;
    }
    return sum <= 1.0;
}

// phi^2 and half its derivative by t, over the axes that are not 0
static double secular(int32_t n, const double* axes, const double* x, double t, double* half_slope)
{
    double square = 0.0, slope = 0.0;
    for (int32_t k = 0; k < n; ++k) {
        if (!(axes[k] > 0.0))
            continue;
        const double under = axes[k] * axes[k] + t;
        const double part = axes[k] * x[k] / under;
        square += part * part;
        slope -= part * part / under;
    }
    *half_slope = slope;
    return square;
}

static double find_multiplier(int32_t n, const double* axes, const double* x)
{
    double t = 0.0;
    for (int32_t k = 0; k < n; ++k) {
        const double alone = axes[k] > 0.0 ? axes[k] * (fabs(x[k]) - axes[k]) : 0.0;
        t = alone > t ? alone : t;
    }
    // monotone from the left; the first step that does not climb is rounding
    for (int step = 0; step < 100; ++step) {
        double half_slope;
        const double square = secular(n, axes, x, t, &half_slope);
        if (square <= 1.0 || half_slope == 0.0)
            return t;
        // (1/phi - 1) / (1/phi)' with (1/phi)' = -half_slope / phi^3
        const double phi = sqrt(square);
        const double next = t + square * (1.0 - phi) / half_slope;
        if (!(next > t))
            return t;
        t = next;
    }
    return t;
}

bool stic_ellipsoid_prox(int32_t n, const double* axes, const double* x, double* p)
{
    const bool inside = is_inside(n, axes, x);
    const double t = inside ? 0.0 : find_multiplier(n, axes, x);
    for (int32_t k = 0; k < n; ++k) {
        const double square = axes[k] * axes[k];
        p[k] = inside ? x[k] : axes[k] > 0.0 ? x[k] * (square / (square + t)) : 0.0;
    }
    return inside;
}

// p = D x with D = diag(s^2/(s^2+t)), where t depends on x through phi(t) = 1
void stic_ellipsoid_derivative(int32_t n, const double* axes, const double* x, double* J)
{
    const bool inside = is_inside(n, axes, x);
    const double t = inside ? 0.0 : find_multiplier(n, axes, x);
    double D[STIC_SET_DIM], g[STIC_SET_DIM], sum = 0.0;
    for (int32_t k = 0; k < n; ++k) {
        const bool solid = axes[k] > 0.0;
        const double square = axes[k] * axes[k];
        D[k] = solid ? square / (square + t) : 0.0;
        // normal y = p / s^2 = x / (s^2 + t); g = D y; sum = y' D y
        const double y = solid ? x[k] / (square + t) : 0.0;
        g[k] = D[k] * y;
        sum += g[k] * y;
    }
    // dp = D dx - D y dt, and y' dp = 0 on the surface gives dt = y' D dx / (y' D y)
    const bool surface = !inside && t > 0.0 && sum > 0.0;
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < n; ++j)
            J[i * n + j] = (i == j ? D[i] : 0.0) - (surface ? g[i] * g[j] / sum : 0.0);
}
