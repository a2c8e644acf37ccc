// SPDX-License-Identifier: Apache-2.0
// Equations F(x, y) = 0 that are equivalent to the laws, with their generalised derivatives.
#ifndef STIC_SOLVER_NEWTON_MAP_H
#define STIC_SOLVER_NEWTON_MAP_H

#include "solver/scaled.h"

/// Which equation.
typedef enum SticMap {
    STIC_MAP_JEAN_MOREAU,       ///< normal law and friction apart, disc of radius mu max(x_N, 0)
    STIC_MAP_ALART_CURNIER,     ///< the same with radius mu max(x_N - rho y_N, 0)
    STIC_MAP_NATURAL,           ///< one projection on the cone, with De Saxcé's term
    STIC_MAP_FISCHER_BURMEISTER ///< a + b - sqrt(a^2 + b^2) in the algebra of the cone
} SticMap;

/// F of one interaction, and dF = A dx + B dy + bound dx_k with k the row of a foreign bound.
typedef struct SticMapBlock {
    double F[6];
    double A[36], B[36]; ///< rows x rows
    double bound[6];
} SticMapBlock;

/// Where a map is evaluated.
typedef struct SticMapPoint {
    const SticScaled* scaled;
    SticMap map;
    double rho;          ///< weight of the velocities
    const double *x, *y; ///< [rows] reactions and velocities
    const double* term;  ///< [count] NULL: De Saxcé's term is mu |y_T|; natural map: given numbers
} SticMapPoint;

/// F of interaction i alone.
void stic_map_value(const SticMapPoint* point, int32_t i, double F[6]);
/// F and its derivatives.
void stic_map_linearise(const SticMapPoint* point, int32_t i, SticMapBlock* block);

#endif
