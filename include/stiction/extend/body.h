// SPDX-License-Identifier: Apache-2.0
// Kernels of bodies: how one block's coordinates follow its velocities, and the material of blocks
// that deform.
#ifndef STICTION_EXTEND_BODY_H
#define STICTION_EXTEND_BODY_H

#include "stiction/base.h"
#include "stiction/body.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How the coordinates of one block relate to its velocities. The scheme chooses among those a
/// system has.
typedef enum SticChart {
    STIC_CHART_LINEAR, ///< qdot = u, any size up to 12: points, planar bodies, pseudo-rigid, nodes
    STIC_CHART_ROTATION,   ///< q = x, Lambda by rows (12); u = v, Omega in body axes (6)
    STIC_CHART_QUATERNION, ///< q = x, unit quaternion (7); u = v, omega in body axes (6)
    STIC_CHART_SCALABLE,   ///< q = x, quaternion (7); u = v, nu, omega (7); Möller (4.72)
    STIC_CHART_GENERAL,    ///< u = qdot with M(q): inertia terms by the system's callback
    STIC_CHART_COUNT
} SticChart;

/// Bit of a chart in a mask of charts.
#define STIC_CHART_BIT(chart) (1u << (chart))

/// Largest number of velocities and of coordinates of a block.
enum { STIC_CHART_MAX_U = 12, STIC_CHART_MAX_Q = 12 };

/// Name of a chart, such as "quaternion".
STIC_API const char* stic_chart_name(SticChart chart);
/// Coordinates of a block with `n` velocities.
STIC_API int32_t stic_chart_q_size(SticChart chart, int32_t n);
/// Velocities of a block; `n` is returned for LINEAR and GENERAL.
STIC_API int32_t stic_chart_u_size(SticChart chart, int32_t n);
/// Write the identity rotation where the chart has one; positions are left as they are.
STIC_API void stic_chart_identity(SticChart chart, double* q);
/// qdot = F(q) u.
STIC_API void stic_chart_rate(SticChart chart, int32_t n, const double* q, const double* u,
                              double* qdot);
/// f = F(q)' p: a covector on coordinates seen on velocities.
STIC_API void stic_chart_pull_back(SticChart chart, int32_t n, const double* q, const double* p,
                                   double* f);
/// qddot = d/dt(F(q)) u: how coordinates accelerate while the velocities stay; qdot = F(q) u.
STIC_API void stic_chart_rate_change(SticChart chart, int32_t n, const double* q, const double* u,
                                     double* qddot);
/// z = gradient of p . F(q) u with respect to q, for a covector p on coordinates and velocities u.
STIC_API void stic_chart_rate_gradient(SticChart chart, int32_t n, const double* q, const double* u,
                                       const double* p, double* z);
/// u = Q(q) qdot, the inverse of stic_chart_rate; LINEAR, GENERAL and SCALABLE only.
STIC_API void stic_chart_velocity(SticChart chart, int32_t n, const double* q, const double* qdot,
                                  double* u);
/// q_new = q moved by the time h at velocity u: along the exponential for ROTATION, along the
/// straight line q + h F(q) u for all others. q_new may be q.
STIC_API void stic_chart_drift(SticChart chart, int32_t n, const double* q, const double* u,
                               double h, double* q_new);
/// Add the gyroscopic force of the block to f; `mass` is its mass block, row by row.
STIC_API void stic_chart_add_gyro(SticChart chart, const double* mass, const double* q,
                                  const double* u, double* f);
/// Scale a quaternion back to length one (QUATERNION, SCALABLE); nothing for the others.
STIC_API void stic_chart_normalize(SticChart chart, double* q);

#ifdef __cplusplus
}
#endif

#endif
