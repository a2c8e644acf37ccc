// SPDX-License-Identifier: Apache-2.0
// LU factors of dense matrices of any rank.
#ifndef STIC_MATH_DENSE_RANK_H
#define STIC_MATH_DENSE_RANK_H

#include <stdint.h>

/// Factors of a matrix whose rows and columns were exchanged; all arrays are the caller's.
typedef struct SticDenseRank {
    int32_t n, rank;
    double* a;                     ///< [n x n] the matrix, then its factors
    int32_t *row, *col;            ///< [n] which row and column came first, second, …
    double *row_scale, *col_scale; ///< [n] powers of two
    double* scratch;               ///< [n] of solves
} SticDenseRank;

/// The power of two next to the inverse of a size, 1 for what is none: scales without rounding.
double stic_dense_unit(double size);
/// Factorise with both rows and columns exchanged. The remainder after `rank` columns is below
/// 1e-10 of the scaled matrix, and counts as zero.
void stic_dense_rank_factorise(SticDenseRank* factor);
/// x := a solution of A x = b, b given in x; unknowns beyond the rank are 0, and rows that depend
/// on others are taken to agree with them.
void stic_dense_rank_solve(const SticDenseRank* factor, double* x);

#endif
