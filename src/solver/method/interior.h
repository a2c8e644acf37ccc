// SPDX-License-Identifier: Apache-2.0
// Interior point iteration on second-order cones with Nesterov-Todd scaling: the exact problem, its
// convex relaxation, or the convex problem of a given s.
#ifndef STIC_SOLVER_METHOD_INTERIOR_H
#define STIC_SOLVER_METHOD_INTERIOR_H

#include "solver/cone_kernel.h"
#include "solver/newton_system.h"
#include "solver/task.h"

/// Laws that are second-order cones in scaled variables.
#define STIC_INTERIOR_LAWS                                                                         \
    (STIC_LAW_BIT(STIC_LAW_FREE) | STIC_LAW_BIT(STIC_LAW_NONNEG) | STIC_LAW_BIT(STIC_LAW_CONE) |   \
     STIC_LAW_BIT(STIC_LAW_CONE_ELLIPSE) | STIC_LAW_BIT(STIC_LAW_ROLLING))

/// What stands for De Saxcé's term mu |u_T|.
typedef enum SticInteriorTerm {
    STIC_TERM_EXACT, ///< |y_T| itself, kept as a non-smooth equation
    STIC_TERM_NONE,  ///< 0: the convex relaxation
    STIC_TERM_GIVEN  ///< numbers per cone
} SticInteriorTerm;

/// One cone x_0 >= |(x_1, …)| over rows of an interaction.
typedef struct SticCone {
    int32_t block; ///< interaction
    int32_t axis;  ///< row of x_0
    int32_t first; ///< row of x_1
    int32_t size;  ///< 1 to STIC_CONE_MOST
} SticCone;

/// What a run may do.
typedef struct SticInteriorLimits {
    SticInteriorTerm term;
    int32_t steps; ///< iterations
    double error;  ///< end at this error of the natural map
} SticInteriorLimits;

/// The method with its memory. The scaled problem `dual` has cones of 45 degrees.
typedef struct SticInterior {
    SticSolveTask* task;
    const SticScaled* natural; ///< scaled problem whose natural map measures the error
    SticScaled dual;           ///< r = dual.size * dual.scale * x
    SticNewtonSystem* system;
    int32_t cones;
    SticCone* cone;                                  ///< [cones]
    double (*y)[STIC_CONE_MOST];                     ///< [cones] velocities with their term
    double (*dy)[STIC_CONE_MOST];                    ///< [cones] direction
    double (*dy_t)[STIC_CONE_MOST];                  ///< [cones] trial direction
    double (*rc)[STIC_CONE_MOST];                    ///< [cones] right-hand side of complementarity
    double (*lam)[STIC_CONE_MOST];                   ///< [cones] scaled point
    double (*P)[2][STIC_CONE_MOST * STIC_CONE_MOST]; ///< [cones] scaling and its inverse
    double* s;                                       ///< [cones] given term
    double *x, *dx, *dx_t, *rp, *rhs, *u;            ///< [rows]
    double* best;                                    ///< [rows] x with the smallest error
    double best_error;
    double *x_natural, *u_natural; ///< [rows]
    int32_t steps;                 ///< iterations done in all
    double complementarity;        ///< mean of <x, y> at the end
} SticInterior;

/// Make the cones and take memory. `system` must fit the pattern of `natural`.
SticStatus stic_interior_create(SticSolveTask* task, const SticScaled* natural,
                                SticNewtonSystem* system, SticInterior* made);
/// Whether K is symmetric where the term is not exact: symmetric W, no friction rows without
/// friction.
bool stic_interior_symmetric(const SticScaled* natural);
/// Run from the standard start; false if the task stopped it. The best x is in `best`.
bool stic_interior_run(SticInterior* method, const SticInteriorLimits* limits);
/// The best x in the variables of the natural scaling.
void stic_interior_get(const SticInterior* method, double* x);
/// Tangential lengths |u_T| per cone of the best x, in its own scaling.
void stic_interior_slip(const SticInterior* method, double* s);

#endif
