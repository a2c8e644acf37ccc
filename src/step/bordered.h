// SPDX-License-Identifier: Apache-2.0
// Linear systems of implicit steps: matrices of bodies, coupled by springs and dampers, bordered by
// the rows of bilateral constraints.
//
//   J x - force' y = f        J = blocks of bodies + couplings
//   rate x + D y   = c        D_ij = sum over shared bodies of late_i carry_j'
//
// Bodies that are connected form a cluster; clusters are factorised one by one, so that a joint in
// a large scene costs as much as in a small one. Everything lives in the arena.
#ifndef STIC_STEP_BORDERED_H
#define STIC_STEP_BORDERED_H

#include "stiction/extend/problem.h"
#include "stiction/extend/system.h"

/// Unknowns y of one bilateral interaction on one or two bodies, at most 12 of them; matrices are
/// [rows x velocities of the block], row by row.
typedef struct SticTie {
    int32_t block[2];       ///< -1: none
    int32_t rows;           ///< unknowns
    const double* force[2]; ///< what an unknown does to a body
    const double* rate[2];  ///< the condition by the body's unknowns
    const double* late[2];  ///< factors of D; NULL: none
    const double* carry[2]; ///< the other factors of D
} SticTie;

/// Off-diagonal block of J.
typedef struct SticCoupling {
    int32_t row, col;
    const double* value; ///< [n_row x n_col]
} SticCoupling;

/// What a system is made of; kept by reference.
typedef struct SticBorderedDef {
    const SticBlockCsr* M;  ///< block diagonal: pattern of the bodies' blocks
    const double* diagonal; ///< values of J's diagonal blocks on that pattern
    int32_t ties;
    const SticTie* tie;
    int32_t couplings;
    const SticCoupling* coupling;
} SticBorderedDef;

/// A factorised system.
typedef struct SticBordered SticBordered;

/// Analyse and factorise; SINGULAR where constraints repeat each other.
SticStatus stic_bordered_create(SticArena* arena, const SticBorderedDef* def, SticBordered** made);
/// x [dof] and y [rows of all ties] from f and c, in place; `scratch` of the arena is given back.
SticStatus stic_bordered_solve(const SticBordered* bordered, SticArena* arena, double* x,
                               double* y);
/// W = Ht J^-1 Ht' with the ties eliminated, in memory of the arena.
SticStatus stic_bordered_condense(const SticBordered* bordered, SticArena* arena,
                                  const SticBlockCsr* Ht, SticBlockCsr* W, SticError* error);

#endif
