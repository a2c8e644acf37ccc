// SPDX-License-Identifier: Apache-2.0
// A factor of a tangent matrix that outlives the step, with columns of the inverse.
#ifndef STIC_STEP_KEPT_FACTOR_H
#define STIC_STEP_KEPT_FACTOR_H

#include "stiction/extend/sparse.h"

/// The last matrix that was factorised. The analysis is made anew where the pattern changes, the
/// factor where a value does: what it gives never depends on what was there before.
typedef struct SticKeptFactor {
    SticContext context;
    SticSymbolic* symbolic;
    SticFactor* factor;
    SticFactorInfo info; ///< of the factor
    double* value;       ///< [values] of the matrix
    size_t values, room;
    int32_t blocks, size;     ///< columns of the matrix, by blocks and scalars
    int32_t* width;           ///< [blocks]
    int32_t* first;           ///< [blocks] first column
    double** column;          ///< [blocks] columns of the inverse, NULL: never asked for
    uint64_t *stamp, edition; ///< [blocks] edition of the factor that they belong to
    size_t kept;              ///< doubles in all columns
} SticKeptFactor;

/// One without a matrix.
SticStatus stic_kept_factor_create(const SticContext* context, SticKeptFactor** kept);
/// Factorise a matrix with a square pattern of blocks, unless it is the last one.
SticStatus stic_kept_factor_make(SticKeptFactor* kept, const SticBlockCsr* A, SticError* error);
/// Release it; NULL is allowed.
void stic_kept_factor_destroy(SticKeptFactor* kept);
/// SticMass.solve.
SticStatus stic_kept_factor_solve(const void* self, double* x);
/// SticMass.columns.
SticStatus stic_kept_factor_columns(const void* self, int32_t block, const double** columns);

#endif
