// SPDX-License-Identifier: Apache-2.0
// Krylov methods, orderings, and what only the library needs of block matrices.
#ifndef STIC_SPARSE_H
#define STIC_SPARSE_H

#include "stiction/base.h"
#include "stiction/extend/sparse.h"

/* ---- block CSR ---- */

/// Check that blocks have 1 to STIC_BLOCK_MAX rows and columns and follow each other.
SticStatus stic_partition_check(const SticPartition* partition, SticError* error);
/// As stic_block_csr_from_blocks into arrays of the caller, which have room for every triplet;
/// `scratch` is left as it was.
SticStatus stic_block_csr_fill_blocks(const SticPartition* partition,
                                      const SticBlockTriplets* triplets, SticArena* scratch,
                                      const SticBlockArrays* arrays, SticBlockCsr* A,
                                      SticError* error);
/// W = Pt Minv Ht' for block-diagonal Minv, in memory of `arena`. With Pt == Ht and symmetric
/// blocks of Minv, W is symmetric to the last bit. Block rows whose Minv block is missing count as
/// 0.
SticStatus stic_block_csr_product3(const SticBlockCsr* Pt, const SticBlockCsr* Minv,
                                   const SticBlockCsr* Ht, SticArena* arena, SticBlockCsr* W);
/// Inverses of the diagonal blocks as a block-diagonal matrix in memory of `arena`; symmetric
/// blocks give symmetric inverses to the last bit. SINGULAR, with the block named, where a block is
/// missing or has a pivot of at most n epsilon times its 1-norm.
SticStatus stic_block_csr_invert_diagonal(const SticBlockCsr* A, SticArena* arena,
                                          SticBlockCsr* inverse, SticError* error);
/// |A - A'| / |A| in the Frobenius norm; 0 for A = 0, infinite if the shapes do not allow it.
double stic_block_csr_asymmetry(const SticBlockCsr* A);
/// Largest column sum of absolute values; `work` has as many entries as A has scalar columns.
double stic_block_csr_norm1(const SticBlockCsr* A, double* work);
/// Frobenius norm, free of overflow.
double stic_block_csr_norm_frobenius(const SticBlockCsr* A);

/* ---- orderings and symbolic analysis ---- */

/// Elimination order of the blocks of a square matrix: order[p] is eliminated as number p.
SticStatus stic_ordering_compute(const SticBlockCsr* A, SticOrdering ordering, int32_t* order,
                                 SticError* error);

/* ---- Krylov methods ---- */

/// y = A x for a SticBlockCsr, as a SticApply.
void stic_block_csr_apply(const void* A, const double* x, double* y);
/// Tolerance 1e-10, 1000 iterations, restart 30.
SticKrylovSettings stic_krylov_default_settings(void);
/// Doubles of workspace of stic_cg_solve.
size_t stic_cg_work(int32_t size);
/// Conjugate gradients for a symmetric positive definite operator; x is the start.
void stic_cg_solve(const SticLinearOperator* A, const double* b, const SticKrylovSettings* settings,
                   double* work, double* x, SticKrylovInfo* info);
/// Doubles of workspace of stic_gmres_solve.
size_t stic_gmres_work(int32_t size, int32_t restart);
/// Restarted GMRES for any operator, preconditioned from the right; x is the start.
void stic_gmres_solve(const SticLinearOperator* A, const double* b,
                      const SticKrylovSettings* settings, double* work, double* x,
                      SticKrylovInfo* info);

#endif
