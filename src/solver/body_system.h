// SPDX-License-Identifier: Apache-2.0
// Newton-type systems solved on the side of the bodies: one block row per body instead of one per
// contact.
#ifndef STIC_SOLVER_BODY_SYSTEM_H
#define STIC_SOLVER_BODY_SYSTEM_H

#include "solver/scaled.h"
#include "stiction/extend/sparse.h"

/// Matrix M + H E P' on the pattern of the bodies and its factor, in the memory of an arena.
typedef struct SticBodySystem {
    const SticScaled* scaled;
    const SticBlockCsr *M, *Ht, *Pt;
    SticBlockCsr S;
    double* value;           ///< of S
    int32_t* mass;           ///< [bodies] block of S that starts from block i of M
    int64_t* block_at;       ///< [count+1] first value of D, B, … of each interaction
    double *D, *B;           ///< block rows of K are D + B W
    double *inverse, *E;     ///< D^-1 and D^-1 B
    int32_t *pair_at, *pair; ///< [count+1] and blocks of S for the pairs of bodies of i
    SticSymbolic* symbolic;
    SticFactor* factor;
    double *g, *v, *residual, *product; ///< [rows], [dof], [rows], [rows]
    double assembly_work;               ///< multiplications
} SticBodySystem;

/// Whether systems of this problem have a body side: a block-diagonal mass, and no bound that comes
/// from another interaction.
bool stic_body_system_fits(const SticScaled* scaled, const SticProblem* folded);
/// Build the pattern S, whose analysis `symbolic` the caller fills in.
SticStatus stic_body_system_create(SticArena* arena, const SticScaled* scaled,
                                   const SticProblem* folded, SticBodySystem* made,
                                   SticError* error);
/// Take the memory of the factor.
SticStatus stic_body_system_prepare(SticArena* arena, SticBodySystem* system, SticError* error);
/// Factorise for the D and B that are set; false if that is not possible.
bool stic_body_system_factor(SticBodySystem* system, SticFactorInfo* info);
/// x = K^-1 b with at most `steps` steps of refinement; gives |b - K x| / |b|.
double stic_body_system_solve(SticBodySystem* system, const double* b, int32_t steps, double* x);

#endif
