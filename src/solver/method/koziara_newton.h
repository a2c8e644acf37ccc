// SPDX-License-Identifier: Apache-2.0
// Koziara's Newton methods: the linearised rows of one interaction, their merit, their parameters.
#ifndef STIC_SOLVER_METHOD_KOZIARA_NEWTON_H
#define STIC_SOLVER_METHOD_KOZIARA_NEWTON_H

#include "solver/newton_map.h"
#include "stiction/extend/law.h"
#include "stiction/solver.h"

/// Which linear system gives the direction.
typedef enum SticKoziaraVariant {
    STIC_KOZIARA_UNIL, ///< normal rows only, friction ignored
    STIC_KOZIARA_NEWT, ///< Newton's method on C(U, R)
    STIC_KOZIARA_HYB,  ///< slip rows of NEWT, stick rows that aim at U_T = 0, bound from R_N
    STIC_KOZIARA_FIX   ///< friction with a bound that is frozen until the iteration has converged
} SticKoziaraVariant;

/// What a friction part of an interaction does, as far as the linear system is concerned.
typedef enum SticKoziaraMode {
    STIC_KOZIARA_OPEN,
    STIC_KOZIARA_STICK,
    STIC_KOZIARA_SLIP
} SticKoziaraMode;

enum { STIC_KOZIARA_PARTS = 2 };

/// Laws with rows of this form: all but the Coulomb-Contensou ones, whose set is no ellipsoid.
#define STIC_KOZIARA_LAWS                                                                          \
    (STIC_LAW_ALL & ~(STIC_LAW_BIT(STIC_LAW_CONTENSOU) | STIC_LAW_BIT(STIC_LAW_CONE_CONTENSOU)))

/// Where an interaction is linearised.
typedef struct SticKoziaraPoint {
    const SticScaled* scaled; ///< the problem, in its own units or scaled
    SticKoziaraVariant variant;
    bool row_scaling;       ///< multiply rows that hold reactions by the diagonal of W
    const double (*rho)[3]; ///< [count] of the normal row and the two friction parts
    const double *R, *U;    ///< [rows]
    const double* T;        ///< [rows] W R + b - U
    const double* frozen;   ///< [rows] reactions that give the bounds of FIX
} SticKoziaraPoint;

/// What a study of the method counts in one solve.
typedef struct SticKoziaraStudy {
    int32_t systems;   ///< linear systems solved
    int32_t negative;  ///< of them those with det Omega < 0
    int32_t backward;  ///< of them those with dR' Omega dR < 0
    double conditions; ///< sum of ln cond_1(Omega), estimated
    double merit;      ///< the thesis' M where the iteration ended
    int32_t scaled;    ///< contacts whose rho grew
    bool converged;    ///< it ended by its own criterion
} SticKoziaraStudy;

/// The method with its settings, and what a study counts.
SticStatus stic_koziara_newton_study(SticSolveTask* task, SticKoziaraStudy* study);

/// rho of the normal row and the friction parts of interaction i.
void stic_koziara_newton_rho(const SticScaled* scaled, int32_t i, double rho[3]);
/// Rows of interaction i: block->A + block->B W (and block->bound in the column of a foreign bound)
/// is its part of Omega, block->F its part of Pi; mode[0] says whether the contact is OPEN, the
/// others what the friction parts do.
void stic_koziara_newton_linearise(const SticKoziaraPoint* point, int32_t i, SticMapBlock* block,
                                   uint8_t mode[1 + STIC_KOZIARA_PARTS]);
/// Velocities U of interaction i, on entry W R + b, so that they and R obey its law: 0 where R
/// presses or sticks, slip against R_T where it lies on the border. R = 0 leaves them.
void stic_koziara_newton_start(const SticKoziaraPoint* point, int32_t i, double* U);
/// |C_i|^2 at (R, U); `projected`: with the friction rows divided by max(mu d_N, |d_T|), so that
/// all rows are reactions.
double stic_koziara_newton_merit(const SticKoziaraPoint* point, int32_t i, bool projected);

#endif
