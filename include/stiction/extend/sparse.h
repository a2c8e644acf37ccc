// SPDX-License-Identifier: Apache-2.0
// Block sparse matrices, orderings, factorisations, Krylov methods.
//
// Blocks have 1 to 12 rows and columns: 1 to 6 for interactions, up to 12 for bodies. Every
// function here gives the same bits on every run, compiler and optimisation level unless it says
// otherwise.
#ifndef STICTION_EXTEND_SPARSE_H
#define STICTION_EXTEND_SPARSE_H

#include "stiction/base.h"
#include "stiction/sparse.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- block CSR ---- */

/// Largest number of rows or columns of a block.
enum { STIC_BLOCK_MAX = 12 };

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
/// The same in pieces on a pool; NULL: on the calling thread.
STIC_API void stic_block_csr_multiply_on(SticPool* pool, double a, const SticBlockCsr* A,
                                         const double* x, double b, double* y);
/// y = a A' x + b y; y is not read where b is 0.
STIC_API void stic_block_csr_multiply_transpose(double a, const SticBlockCsr* A, const double* x,
                                                double b, double* y);

/* ---- orderings and symbolic analysis ---- */

/// How the order of elimination is chosen.
typedef enum SticOrdering {
    STIC_ORDERING_AMD,    ///< approximate minimum degree on the graph of blocks of A + A'
    STIC_ORDERING_NATURAL ///< as the blocks come
} SticOrdering;

/// Analysis of a pattern: made once, shared by any number of factors with that pattern.
typedef struct SticSymbolic SticSymbolic;

/// Figures of an analysis.
typedef struct SticSymbolicInfo {
    int64_t values;        ///< values of one triangle of the factor, explicit zeros included
    double work;           ///< multiplications of an LDL' factorisation; LU takes twice as many
    int32_t supernodes;    ///< groups of columns with the same rows
    int32_t widest;        ///< columns of the widest group
    int32_t tallest_front; ///< rows of the largest dense matrix
} SticSymbolicInfo;

/// Analyse the pattern of A + A' (values are not read, the diagonal need not be stored).
STIC_API SticStatus stic_symbolic_create(const SticContext* context, const SticBlockCsr* A,
                                         SticOrdering ordering, SticSymbolic** symbolic,
                                         SticError* error);
/// Free its memory; NULL is allowed.
STIC_API void stic_symbolic_destroy(SticSymbolic* symbolic);
/// Whether a matrix has the sizes and the pattern of the analysis.
STIC_API bool stic_symbolic_fits(const SticSymbolic* symbolic, const SticBlockCsr* A);
/// Size and cost of a factorisation.
STIC_API SticSymbolicInfo stic_symbolic_info(const SticSymbolic* symbolic);

/* ---- factorisation ---- */

/// Which factorisation.
typedef enum SticFactorKind {
    STIC_FACTOR_LDL,    ///< symmetric: L D L' with the given order, no pivoting
    STIC_FACTOR_LU,     ///< general: pivoting by rows inside each supernode, rows scaled
    STIC_FACTOR_CHOLMOD ///< symmetric positive definite, only if built with CHOLMOD (determinism
                        ///< class `library`)
} SticFactorKind;

/// How small pivots are treated. A pivot of at most tiny * (largest absolute value of its row of A)
/// is replaced by +- replacement * (the same value).
typedef struct SticPivotSettings {
    double tiny;        ///< default 64 epsilon: what rounding leaves of a pivot that should be 0
    double replacement; ///< default sqrt(epsilon)
    const int8_t* sign; ///< LDL': [scalars] expected sign of each pivot (+1, -1, 0 unknown), used
                        ///< for replaced pivots; NULL: sign of the pivot itself, + if 0
} SticPivotSettings;

/// The defaults above.
STIC_API SticPivotSettings stic_pivot_default_settings(void);

/// What a factorisation met.
typedef struct SticFactorInfo {
    int32_t positive;    ///< positive pivots (LDL', CHOLMOD)
    int32_t negative;    ///< negative pivots (LDL')
    int32_t replaced;    ///< pivots that were too small: the matrix is singular or nearly so
    int32_t unexpected;  ///< pivots of the wrong sign, see SticPivotSettings (LDL')
    double pivot_growth; ///< LU: largest pivot of the matrix with its rows scaled to 1
    int32_t sign;        ///< LU: 1 or -1, that of the determinant
} SticFactorInfo;

/// Numeric factor of a matrix; holds all its workspace. Not for two threads at once.
typedef struct SticFactor SticFactor;

/// Room for a factor. `symbolic` is kept by reference.
STIC_API SticStatus stic_factor_create(const SticSymbolic* symbolic, SticFactorKind kind,
                                       SticFactor** factor, SticError* error);
/// Free its memory; NULL is allowed.
STIC_API void stic_factor_destroy(SticFactor* factor);
/// Factorise A; allocates nothing (CHOLMOD excepted). Of a symmetric matrix only blocks (i, j) with
/// j <= i are read, of diagonal blocks the lower triangle. `settings` NULL: defaults. NOT_FINITE if
/// the factor has values that are not finite; SINGULAR where CHOLMOD finds A not positive definite.
STIC_API SticStatus stic_factor_compute(SticFactor* factor, const SticBlockCsr* A,
                                        const SticPivotSettings* settings, SticFactorInfo* info);
/// x = A^-1 x in place, with the factor as it is.
STIC_API void stic_factor_solve(const SticFactor* factor, double* x);
/// x = A'^-1 x in place.
STIC_API void stic_factor_solve_transpose(const SticFactor* factor, double* x);
/// x = A^-1 b with at most `steps` steps of iterative refinement against A (all of it, not only one
/// triangle). Gives the last componentwise backward error, the largest |b - A x| / (|A| |x| + |b|)
/// of a row; stops when it no longer halves.
STIC_API double stic_factor_refine(const SticFactor* factor, const SticBlockCsr* A, const double* b,
                                   int32_t steps, double* x);
/// Estimate of the 1-norm condition number, a lower bound that is rarely off by more than 3.
STIC_API double stic_factor_condition(const SticFactor* factor, const SticBlockCsr* A);

/* ---- Krylov methods ---- */

/// y = A x for the operator behind `self`.
typedef void (*SticApply)(const void* self, const double* x, double* y);

/// Linear operator with an optional preconditioner.
typedef struct SticLinearOperator {
    int32_t size;                  ///< scalar rows and columns
    SticApply apply;               ///< y = A x
    const void* self;              ///< its first argument
    SticApply precondition;        ///< NULL: none. Symmetric positive definite for stic_cg_solve
    const void* precondition_self; ///< e.g. what stic_block_csr_invert_diagonal made
} SticLinearOperator;

/// When a Krylov method stops.
typedef struct SticKrylovSettings {
    double tolerance;       ///< stop when |b - A x| <= tolerance |b| (Euclidean norms)
    int32_t max_iterations; ///< products with A, without those that recompute the residual
    int32_t restart;        ///< stic_gmres_solve: directions kept
} SticKrylovSettings;

/// What a Krylov method did.
typedef struct SticKrylovInfo {
    int32_t iterations; ///< products with A
    double residual;    ///< |b - A x| / |b|, recomputed
    bool solved;        ///< the recomputed residual is at or below the tolerance
    bool not_definite;  ///< stic_cg_solve met a direction of no or negative curvature
} SticKrylovInfo;

#ifdef __cplusplus
}
#endif

#endif
