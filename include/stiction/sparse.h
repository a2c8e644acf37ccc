// SPDX-License-Identifier: Apache-2.0
// Block sparse matrices, orderings, factorisations, Krylov methods.
//
// Blocks have 1 to 12 rows and columns: 1 to 6 for interactions, up to 12 for bodies. Every
// function here gives the same bits on every run, compiler and optimisation level unless it says
// otherwise.
#ifndef STICTION_SPARSE_H
#define STICTION_SPARSE_H

#include "stiction/base.h"

/* ---- block CSR
 * ------------------------------------------------------------------------------------- */

/// Largest number of rows or columns of a block.
enum { STIC_BLOCK_MAX = 12 };

/// Read-only view of a block CSR matrix. Block row i covers the scalar rows row_at[i] …
/// row_at[i+1]-1, block column j likewise; blocks of a row are sorted by column and stored row by
/// row.
typedef struct SticBlockCsr {
    int32_t rows;            ///< block rows
    int32_t cols;            ///< block columns
    const int32_t* row_at;   ///< [rows+1] first scalar row of each block row
    const int32_t* col_at;   ///< [cols+1] first scalar column of each block column
    const int32_t* begin;    ///< [rows+1] first block of each block row
    const int32_t* col;      ///< [blocks] block column of each block
    const int64_t* value_at; ///< [blocks+1] first value of each block
    const double* value;     ///< values, each block row by row
} SticBlockCsr;

/// How scalar rows and columns are grouped into blocks.
typedef struct SticPartition {
    int32_t rows;          ///< block rows
    int32_t cols;          ///< block columns
    const int32_t* row_at; ///< [rows+1] first scalar row of each block row
    const int32_t* col_at; ///< [cols+1] first scalar column of each block column
} SticPartition;

/// Writable arrays of a block CSR matrix, of the caller or from stic_block_csr_take.
typedef struct SticBlockArrays {
    int32_t* begin;    ///< [rows+1]
    int32_t* col;      ///< [blocks]
    int64_t* value_at; ///< [blocks+1]
    double* value;     ///< [values]
} SticBlockArrays;

/// Blocks in any order; blocks at the same place are added in the order of the list.
typedef struct SticBlockTriplets {
    int32_t count;       ///< number of blocks
    const int32_t* row;  ///< [count] block row
    const int32_t* col;  ///< [count] block column
    const double* value; ///< the blocks one after the other, each row by row; NULL: all 0
} SticBlockTriplets;

/// Scalar entries in any order; entries at the same place are added in the order of the list.
typedef struct SticScalarTriplets {
    int32_t count;       ///< number of entries
    const int32_t* row;  ///< [count] scalar row
    const int32_t* col;  ///< [count] scalar column
    const double* value; ///< [count]
} SticScalarTriplets;

/// Number of blocks.
static inline int32_t stic_block_csr_count(const SticBlockCsr* A)
{
    return A->begin[A->rows];
}
/// Number of scalar rows.
static inline int32_t stic_block_csr_height(const SticBlockCsr* A)
{
    return A->row_at[A->rows];
}
/// Number of scalar columns.
static inline int32_t stic_block_csr_width(const SticBlockCsr* A)
{
    return A->col_at[A->cols];
}

/// Check that blocks have 1 to STIC_BLOCK_MAX rows and columns and follow each other.
STIC_API SticStatus stic_partition_check(const SticPartition* partition, SticError* error);
/// Check offsets, block sizes, sorted columns and finite values; names the block that is wrong.
STIC_API SticStatus stic_block_csr_check(const SticBlockCsr* A, SticError* error);
/// View of arrays that hold a matrix.
STIC_API SticBlockCsr stic_block_csr_view(const SticPartition* partition,
                                          const SticBlockArrays* arrays);
/// Room for a matrix of `blocks` blocks and `values` values, uninitialised.
STIC_API SticStatus stic_block_csr_take(const SticPartition* partition, int32_t blocks,
                                        int64_t values, SticArena* arena, SticBlockArrays* arrays);
/// Sum of block triplets in memory of `arena`. The partition's arrays are kept by reference.
STIC_API SticStatus stic_block_csr_from_blocks(const SticPartition* partition,
                                               const SticBlockTriplets* triplets, SticArena* arena,
                                               SticBlockCsr* A, SticError* error);
/// As stic_block_csr_from_blocks into arrays of the caller, which have room for every triplet;
/// `scratch` is left as it was.
STIC_API SticStatus stic_block_csr_fill_blocks(const SticPartition* partition,
                                               const SticBlockTriplets* triplets,
                                               SticArena* scratch, const SticBlockArrays* arrays,
                                               SticBlockCsr* A, SticError* error);
/// Sum of scalar triplets in memory of `arena`; the rest of every touched block is 0.
STIC_API SticStatus stic_block_csr_from_scalars(const SticPartition* partition,
                                                const SticScalarTriplets* triplets,
                                                SticArena* arena, SticBlockCsr* A,
                                                SticError* error);
/// Matrix from a dense one stored row by row; blocks that are all 0 are left out.
STIC_API SticStatus stic_block_csr_from_dense(const SticPartition* partition, const double* dense,
                                              SticArena* arena, SticBlockCsr* A);
/// Dense copy, row by row.
STIC_API void stic_block_csr_to_dense(const SticBlockCsr* A, double* dense);
/// Transpose in memory of `arena`; the arrays of offsets are shared with A.
STIC_API SticStatus stic_block_csr_transpose(const SticBlockCsr* A, SticArena* arena,
                                             SticBlockCsr* At);
/// Index of block (i, j), -1 if it is not stored.
STIC_API int32_t stic_block_csr_find(const SticBlockCsr* A, int32_t i, int32_t j);
/// y = a A x + b y; y is not read where b is 0.
STIC_API void stic_block_csr_multiply(double a, const SticBlockCsr* A, const double* x, double b,
                                      double* y);
/// y = a A' x + b y; y is not read where b is 0.
STIC_API void stic_block_csr_multiply_transpose(double a, const SticBlockCsr* A, const double* x,
                                                double b, double* y);
/// W = Pt Minv Ht' for block-diagonal Minv, in memory of `arena`. With Pt == Ht and symmetric
/// blocks of Minv, W is symmetric to the last bit. Block rows whose Minv block is missing count as
/// 0.
STIC_API SticStatus stic_block_csr_product3(const SticBlockCsr* Pt, const SticBlockCsr* Minv,
                                            const SticBlockCsr* Ht, SticArena* arena,
                                            SticBlockCsr* W);
/// |A - A'| / |A| in the Frobenius norm; 0 for A = 0, infinite if the shapes do not allow it.
STIC_API double stic_block_csr_asymmetry(const SticBlockCsr* A);
/// Largest column sum of absolute values; `work` has as many entries as A has scalar columns.
STIC_API double stic_block_csr_norm1(const SticBlockCsr* A, double* work);
/// Frobenius norm, free of overflow.
STIC_API double stic_block_csr_norm_frobenius(const SticBlockCsr* A);

#endif
