// SPDX-License-Identifier: Apache-2.0
// Inline kernels of the frequent laws, for the inner loops of solvers.
//
// Projection on a cone |x_T| <= mu x_N in the metric diag(1/rho_N, 1/rho_T). For a fixed height t
// = p_N >= 0 the best p_T is x_T cut to the length mu t, so that t minimises a convex function of
// one variable whose derivative is, with k = rho_N/rho_T and a = |x_T|,
//
//     t - x_N - mu k max(a - mu t, 0) = min( t - x_N,  (1 + mu^2 k) t - x_N - mu k a ).
//
// The root of the smaller of two increasing lines is the larger of their roots:
//
//     t = max( 0, x_N, (x_N + mu k a) / (1 + mu^2 k) ).
//
// Two cones over one axis (rolling) add a line for the second cone and one for both. No case
// distinction, no trigonometry, one square root for a; and |p_T| <= mu p_N to the last bit but one.
#ifndef STIC_LAW_KERNEL_H
#define STIC_LAW_KERNEL_H

#include <math.h>

#include "stiction/extend/law.h"

static inline double stic_kernel_max(double a, double b)
{
    return a > b ? a : b;
}

/// Height of the projection on one cone; k = rho_N/rho_T, `across` = |x_T|.
static inline double stic_kernel_cone_height(double along, double across, double mu, double k)
{
    const double lifted = (along + mu * k * across) / (1.0 + mu * mu * k);
    return stic_kernel_max(0.0, stic_kernel_max(along, lifted));
}

/// Factor that cuts a vector of length `across` to `limit`.
static inline double stic_kernel_cut(double across, double limit)
{
    return across > limit ? limit / across : 1.0;
}

/// u = 0.
static inline void stic_kernel_free_step(int32_t rows, double rho, const double* u, const double* r,
                                         double* p)
{
    for (int32_t k = 0; k < rows; ++k)
        p[k] = r[k] - rho * u[k];
}

/// Spatial Coulomb friction (N, T1, T2) by De Saxcé's natural map: the projection of
/// r - rho (u_N + mu |u_T|, u_T) on the cone. rho = (normal, tangential). True if that was inside.
static inline bool stic_kernel_cone3_step(double mu, const double* rho, const double* u,
                                          const double* r, double* p)
{
    const double slip = sqrt(u[1] * u[1] + u[2] * u[2]);
    const double along = r[0] - rho[0] * (u[0] + mu * slip);
    const double t1 = r[1] - rho[1] * u[1], t2 = r[2] - rho[1] * u[2];
    const double across = sqrt(t1 * t1 + t2 * t2);
    const double height = stic_kernel_cone_height(along, across, mu, rho[0] / rho[1]);
    const double cut = stic_kernel_cut(across, mu * height);
    p[0] = height;
    p[1] = cut * t1;
    p[2] = cut * t2;
    return across <= mu * along;
}

/// Planar Coulomb friction (N, T), as stic_kernel_cone3_step.
static inline bool stic_kernel_cone2_step(double mu, const double* rho, const double* u,
                                          const double* r, double* p)
{
    const double along = r[0] - rho[0] * (u[0] + mu * fabs(u[1]));
    const double t1 = r[1] - rho[1] * u[1], across = fabs(t1);
    p[0] = stic_kernel_cone_height(along, across, mu, rho[0] / rho[1]);
    p[1] = stic_kernel_cut(across, mu * p[0]) * t1;
    return across <= mu * along;
}

#endif
