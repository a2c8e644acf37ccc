// SPDX-License-Identifier: Apache-2.0
// The plane rotation that diagonalises a symmetric 2x2 matrix, shared by the Jacobi methods.
#ifndef STIC_MATH_JACOBI_H
#define STIC_MATH_JACOBI_H

#include <math.h>

/// Cosine, sine and tangent of an angle of at most pi/4.
typedef struct SticJacobiTurn {
    double c, s, t;
} SticJacobiTurn;

/// The turn J = [c s; -s c] that makes J' [pp pq; pq qq] J diagonal, for pq != 0 (Golub and Van
/// Loan, Matrix Computations, algorithm 8.5.1).
static inline SticJacobiTurn stic_eigen_turn(double pp, double pq, double qq)
{
    const double theta = (qq - pp) / (2.0 * pq);
    // beyond 2^500 the square would overflow, and the 1 is long lost
    const double t = fabs(theta) > 0x1p500
                         ? 0.5 / theta
                         : copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0);
    return (SticJacobiTurn){c, t * c, t};
}

#endif
