// SPDX-License-Identifier: Apache-2.0
// The matrix A' G A + rho D of interior points in velocities, with G diagonal by the blocks of rows
// of A: its pattern is that of bodies that share an interaction.
#ifndef STIC_CERTIFY_GRAM_H
#define STIC_CERTIFY_GRAM_H

#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"

/// Most rows of a block of A.
enum { STIC_GRAM_ROWS = 6 };

/// The matrix and where its parts go.
typedef struct SticGram {
    const SticBlockCsr* A;
    SticBlockCsr K;
    double* value;     ///< of K
    int64_t* place;    ///< where A_e' G A_f goes, pairs of blocks of every row of A in turn
    int32_t* diagonal; ///< [cols of A] diagonal blocks of K
} SticGram;

/// G A_e for a block A_e = a of n columns in block row p of A.
typedef void (*SticGramScale)(const void* self, int32_t p, int32_t n, const double* a, double* GA);

/// Pattern of A' A, with all diagonal blocks; A is kept by reference.
SticStatus stic_gram_create(SticArena* arena, const SticBlockCsr* A, SticGram* gram,
                            SticError* error);
/// Values of A' G A + rho D; D is diagonal, [columns of A].
void stic_gram_assemble(SticGram* gram, SticGramScale scale, const void* self, double rho,
                        const double* D);
/// Add rho D.
void stic_gram_add(SticGram* gram, double rho, const double* D);

#endif
