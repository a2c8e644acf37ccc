// SPDX-License-Identifier: Apache-2.0
// The problem in scaled variables, free of units: what the Newton-type methods work on.
//
// r = size * scale * x, y = scale * u / size with one factor per group of rows of a law (law.h), so
// that every law keeps its form with other coefficients and W has a unit mean diagonal in every
// group. The vector b then has norm 1.
#ifndef STIC_SOLVER_SCALED_H
#define STIC_SOLVER_SCALED_H

#include "stiction/extend/problem.h"

/// A local problem without shifts in scaled variables, in the memory of an arena.
typedef struct SticScaled {
    SticProblem problem; ///< laws between x and y = W x + b; W and b are the scaled ones
    SticBlockCsr W;      ///< pattern of W with all diagonal blocks and those of foreign bounds
    double* value;       ///< values of W
    double* scale;       ///< [rows]
    double size;         ///< norm of the scaled b, 1 if it is 0
    int32_t* diagonal;   ///< [count] number of block (i, i)
    int32_t* foreign;    ///< [count] block whose column holds the bound of i, -1: none or own row
    int32_t* owner;      ///< [rows] interaction of each row
} SticScaled;

/// Condense (where W is missing) and scale a problem without shifts.
SticStatus stic_scaled_create(SticArena* arena, const SticProblem* folded, SticScaled* made,
                              SticError* error);
/// The same in the problem's own variables: all factors are 1.
SticStatus stic_scaled_create_plain(SticArena* arena, const SticProblem* folded, SticScaled* made,
                                    SticError* error);
/// x of r.
void stic_scaled_from(const SticScaled* scaled, const double* r, double* x);
/// r of x.
void stic_scaled_to(const SticScaled* scaled, const double* x, double* r);
/// y = W x + b.
void stic_scaled_velocity(const SticScaled* scaled, const double* x, double* y);
/// Natural map of interaction i with rho = 1: defect[] = x_i - step(y_i, x_i).
void stic_scaled_defect(const SticScaled* scaled, int32_t i, const double* x, const double* y,
                        double* defect);
/// Norm of the natural map with rho = 1.
double stic_scaled_error(const SticScaled* scaled, const double* x, const double* y);

#endif
