// SPDX-License-Identifier: Apache-2.0
// Names of the laws between reactions and relative velocities.
#ifndef STICTION_LAW_H
#define STICTION_LAW_H

#include "stiction/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- laws ---- */

/// The relation between the reaction r and the relative velocity u of one interaction. Sets hold r
/// itself. B below is the bound: bound + max(r_k + r_shift_k, 0) with k the interaction's
/// `bound_row` (B = bound if it is -1); for the CONE laws and ROLLING it is max(r_N + r_shift_N, 0)
/// of the own first row. Every law reads: -(u + u_shift) in N_C(r + r_shift), with C depending on B
/// where B occurs, and with De Saxcé's term for the cones (Coulomb friction is not associated).
typedef enum SticLaw {
    STIC_LAW_FREE,      ///< 1-6 rows; r free, u = 0: joints, bilateral constraints
    STIC_LAW_NONNEG,    ///< 1 row; r >= 0, u >= 0, r u = 0: unilateral contact, sprag clutch
    STIC_LAW_INTERVAL,  ///< 1 row; -coef[0] B <= r <= coef[1] B: planar friction, motor with limit
    STIC_LAW_BALL,      ///< 2-3 rows; |r| <= coef[0] B: Tresca, Coulomb disc
    STIC_LAW_ELLIPSE,   ///< 2 rows; semi-axes coef[0] B, coef[1] B: anisotropic friction
    STIC_LAW_ELLIPSOID, ///< 3 rows; semi-axes coef[0..2] B: approximation of CONTENSOU
    STIC_LAW_CYLINDER,  ///< 3 rows; disc coef[0] B times interval coef[2] B: decoupled drilling
    STIC_LAW_CONTENSOU, ///< 3 rows (T1, T2, drilling); mu = coef[0], patch radius coef[3]
    STIC_LAW_CONE,      ///< 2-3 rows (N, T…); Coulomb friction, mu = coef[0]
    STIC_LAW_CONE_ELLIPSE,   ///< 3 rows; anisotropic Coulomb, mu1 = coef[0], mu2 = coef[1]
    STIC_LAW_CONE_CONTENSOU, ///< 4 rows (N, T1, T2, drilling); mu = coef[0], patch radius coef[3]
    STIC_LAW_ROLLING,        ///< 5 rows (N, T1, T2, R1, R2) or 3 (N, T, R); mu = coef[0], mu_roll =
                             ///< coef[2]
    STIC_LAW_COUNT
} SticLaw;

#ifdef __cplusplus
}
#endif

#endif
