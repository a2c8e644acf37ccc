// SPDX-License-Identifier: Apache-2.0
// Projection on an ellipsoid with semi-axes s_k along the coordinate axes, orthogonal in the metric
// 1/rho.
//
// A point x outside goes to p_k = x_k / (1 + c_k t), c_k = rho_k / s_k^2, where t > 0 is the root
// of
//
//     phi(t) = 1,     phi(t)^2 = sum_k A_k / (1 + c_k t)^2,     A_k = (x_k / s_k)^2
//
// 1/phi is concave and increasing, so that Newton's method on 1/phi(t) - 1 climbs to the root from
// any t below it without overshooting, and from any t above it gets below with its first step (the
// secular equation of trust-region methods; Moré and Sorensen 1983). It starts at the largest t at
// which one term alone is 1, or at the t of a point known to be near the answer, and ends when the
// square of a step is rounding: four to eight evaluations, one or two with a near point. Lengths
// are divided by the largest semi-axis, so that no square leaves the range of doubles. A semi-axis
// of 0 (or below 1e-150 of the largest) holds its component at 0. (Möller 2011, eq. 3.114, gives
// the set; he projects after a transformation to the ball, see the option `transform` of the prox
// solvers.)
#include <math.h>
#include <string.h>

#include "law/law_kernel.h"
#include "law/set_parts.h"
#include "stiction/extend/base.h"

typedef struct Secular {
    double unit;               // 1 / the largest semi-axis, 0 if there is none
    double A[STIC_SET_DIM];    // 0 in flat components
    double c[STIC_SET_DIM];    // 0 in flat components
    double bend[STIC_SET_DIM]; // 1/s^2; 0: the component is flat, held at 0
} Secular;

// The functions up to step_sized are inlined with a constant n, so that the compiler unrolls their
// loops.

// the terms of phi for a point; true if it is inside
static inline bool prepare(int32_t n, Secular* s, const double* axes, const double* rho,
                           const double* x)
{
    double most = 0.0, sum = 0.0;
    bool held = true; // flat components are at 0 already
    for (int32_t k = 0; k < n; ++k)
        most = stic_kernel_max(most, axes[k]);
    s->unit = most > 0.0 ? 1.0 / most : 0.0;
    for (int32_t k = 0; k < n; ++k) {
        const double axis = axes[k] * s->unit, point = x[k] * s->unit;
        s->bend[k] = axis > 1e-150 ? 1.0 / (axis * axis) : 0.0;
        s->A[k] = point * point * s->bend[k];
        s->c[k] = rho[k] * s->bend[k];
        sum += s->A[k];
        held = held && (s->bend[k] > 0.0 || x[k] == 0.0);
    }
    return sum <= 1.0 && held;
}

// t for which a point near the answer is the answer: x - p = t rho p / s^2, by least squares
static inline double near_start(int32_t n, const Secular* s, const double* x, const double* near)
{
    double top = 0.0, bottom = 0.0;
    for (int32_t k = 0; k < n; ++k) {
        const double point = near[k] * s->unit, normal = point * s->bend[k];
        top += (x[k] * s->unit - point) * normal;
        bottom += s->c[k] * point * normal;
    }
    return top > 0.0 && bottom > 0.0 ? top / bottom : 0.0;
}

static inline double far_start(int32_t n, const Secular* s)
{
    double t = 0.0;
    for (int32_t k = 0; k < n; ++k)
        if (s->A[k] > 1.0)
            t = stic_kernel_max(t, (sqrt(s->A[k]) - 1.0) / s->c[k]);
    return t;
}

static inline double find_multiplier(int32_t n, const Secular* s, double start)
{
    double t = start;
    for (int step = 0; step < 100; ++step) {
        double square = 0.0, slope = 0.0, steepest = 0.0;
        for (int32_t k = 0; k < n; ++k) {
            const double e = 1.0 / (1.0 + s->c[k] * t);
            const double part = s->A[k] * e * e, rate = s->c[k] * e;
            square += part;
            slope += part * rate;
            steepest = stic_kernel_max(steepest, rate);
        }
        // (1/phi - 1) / (1/phi)' with (1/phi)' = slope / phi^3
        const double change = slope > 0.0 ? square * (sqrt(square) - 1.0) / slope : 0.0;
        const double next = stic_kernel_max(0.0, t + change);
        // what is left is the square of this step, in units of the length over which phi bends
        if (fabs(next - t) * steepest <= 1e-8)
            return next;
        t = next;
    }
    return t;
}

static inline bool step_sized(int32_t n, const double* axes, const double* rho, const double* x,
                              const double* near, double* p)
{
    Secular s;
    if (prepare(n, &s, axes, rho, x)) {
        memmove(p, x, (size_t)n * sizeof *p);
        return true;
    }
    double t = near != NULL ? near_start(n, &s, x, near) : 0.0;
    t = find_multiplier(n, &s, t > 0.0 ? t : far_start(n, &s));
    for (int32_t k = 0; k < n; ++k)
        p[k] = s.bend[k] > 0.0 ? x[k] / (1.0 + s.c[k] * t) : 0.0;
    return false;
}

bool stic_ellipsoid_step(int32_t n, const double* axes, const double* rho, const double* x,
                         const double* near, double* p)
{
    return n == 3   ? step_sized(3, axes, rho, x, near, p)
           : n == 2 ? step_sized(2, axes, rho, x, near, p)
                    : step_sized(n, axes, rho, x, near, p);
}

static const double unit_metric[STIC_SET_DIM] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};

bool stic_ellipsoid_prox(int32_t n, const double* axes, const double* x, double* p)
{
    STIC_ASSERT(n >= 1 && n <= STIC_SET_DIM);
    return stic_ellipsoid_step(n, axes, unit_metric, x, NULL, p);
}

// p = D x with D = diag(1 / (1 + c t)), where t depends on x through phi(t) = 1
void stic_ellipsoid_derivative(int32_t n, const double* axes, const double* x, double* J)
{
    STIC_ASSERT(n >= 1 && n <= STIC_SET_DIM);
    Secular s;
    const bool inside = prepare(n, &s, axes, unit_metric, x);
    const double t = inside ? 0.0 : find_multiplier(n, &s, far_start(n, &s));
    double D[STIC_SET_DIM], g[STIC_SET_DIM], sum = 0.0;
    for (int32_t k = 0; k < n; ++k) {
        D[k] = s.bend[k] > 0.0 ? 1.0 / (1.0 + s.c[k] * t) : 0.0;
        // normal y = p / s^2 = D x / s^2; g = D y; sum = y' D y
        const double y = D[k] * x[k] * s.unit * s.bend[k];
        g[k] = D[k] * y;
        sum += g[k] * y;
    }
    // dp = D dx - D y dt, and y' dp = 0 on the surface gives dt = y' D dx / (y' D y)
    const bool surface = !inside && t > 0.0 && sum > 0.0;
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < n; ++j)
            J[i * n + j] = (i == j ? D[i] : 0.0) - (surface ? g[i] * g[j] / sum : 0.0);
}
