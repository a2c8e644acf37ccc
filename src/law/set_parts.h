// SPDX-License-Identifier: Apache-2.0
// Pieces of the convex sets that live in files of their own.
#ifndef STIC_LAW_SET_PARTS_H
#define STIC_LAW_SET_PARTS_H

#include <math.h>

#include "stiction/extend/law.h"

// Euclidean norm of n <= 6 numbers; scaled where the squares would leave the range of doubles
static inline double stic_norm(int32_t n, const double* x)
{
    double square = 0.0;
    for (int32_t k = 0; k < n; ++k)
        square += x[k] * x[k];
    if (square > 1e-280 && square < 1e280)
        return sqrt(square);
    double largest = 0.0;
    for (int32_t k = 0; k < n; ++k)
        largest = fabs(x[k]) > largest ? fabs(x[k]) : largest;
    if (largest == 0.0 || !isfinite(largest))
        return largest;
    square = 0.0;
    for (int32_t k = 0; k < n; ++k)
        square += (x[k] / largest) * (x[k] / largest);
    return largest * sqrt(square);
}

// nearest point of the ball of `radius`; true if x was inside
static inline bool stic_ball_prox(int32_t n, double radius, const double* x, double* p)
{
    const double length = stic_norm(n, x);
    const bool inside = length <= radius;
    const double factor = inside ? 1.0 : radius > 0.0 ? radius / length : 0.0;
    for (int32_t k = 0; k < n; ++k)
        p[k] = factor * x[k];
    return inside;
}

// ellipsoid.c; the step projects in the metric 1/rho (by row) and starts from a point near the
// answer, NULL: none; p may be x or near
bool stic_ellipsoid_step(int32_t n, const double* axes, const double* rho, const double* x,
                         const double* near, double* p);
bool stic_ellipsoid_prox(int32_t n, const double* axes, const double* x, double* p);
void stic_ellipsoid_derivative(int32_t n, const double* axes, const double* x, double* J);

// contensou.c
bool stic_contensou_prox(double force, double lever, const double* x, double* p);
void stic_contensou_derivative(double force, double lever, const double* x, double* J);

#endif
