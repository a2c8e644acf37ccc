// SPDX-License-Identifier: Apache-2.0
// Inverses of diagonal blocks: block-Jacobi preconditioner, inverse of a block-diagonal mass.
//
// LU with exchanges of rows, n^3 multiplications a block. A symmetric block gets the mean of the
// inverse and its transpose: the two differ by rounding only, and products like H' M^-1 H are then
// symmetric to the last bit.
#include "math/math.h"
#include "sparse/sparse.h"
#include "stiction/extend/base.h"

#include <float.h>
#include <math.h>
#include <string.h>

static bool is_symmetric(int32_t n, const double* B)
{
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < i; ++j)
            if (B[i * n + j] != B[j * n + i])
                return false;
    return true;
}

static bool invert_block(int32_t n, const double* B, double* inverse)
{
    double factor[STIC_BLOCK_MAX * STIC_BLOCK_MAX];
    int32_t pivot[STIC_BLOCK_MAX];
    memcpy(factor, B, (size_t)(n * n) * sizeof *B);
    if (stic_dense_lu(n, factor, pivot) != STIC_OK)
        return false;
    // a pivot that is rounding only
    const double least = n * DBL_EPSILON * stic_dense_norm1(n, B);
    for (int32_t i = 0; i < n; ++i)
        if (!(fabs(factor[i * n + i]) > least))
            return false;
    stic_dense_lu_invert(n, factor, pivot, inverse);
    if (!is_symmetric(n, B))
        return true;
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < i; ++j)
            inverse[i * n + j] = inverse[j * n + i] =
                0.5 * (inverse[i * n + j] + inverse[j * n + i]);
    return true;
}

SticStatus stic_block_csr_invert_diagonal(const SticBlockCsr* A, SticArena* arena,
                                          SticBlockCsr* inverse, SticError* error)
{
    if (A->rows != A->cols)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "the matrix has %d x %d blocks", A->rows,
                              A->cols);
    int64_t values = 0;
    for (int32_t i = 0; i < A->rows; ++i) {
        if (A->row_at[i + 1] != A->col_at[i + 1])
            return stic_error_set(error, STIC_BAD_ARGUMENT,
                                  "block row and block column %d differ in size", i);
        const int64_t n = A->row_at[i + 1] - A->row_at[i];
        values += n * n;
    }
    const SticPartition partition = {A->rows, A->cols, A->row_at, A->col_at};
    SticBlockArrays to;
    STIC_TRY(stic_block_csr_take(&partition, A->rows, values, arena, &to));
    to.begin[0] = 0;
    to.value_at[0] = 0;
    for (int32_t i = 0; i < A->rows; ++i) {
        const int32_t n = A->row_at[i + 1] - A->row_at[i], k = stic_block_csr_find(A, i, i);
        if (k < 0 || !invert_block(n, A->value + A->value_at[k], to.value + to.value_at[i]))
            return stic_error_set(error, STIC_SINGULAR, "diagonal block %d is singular", i);
        to.begin[i + 1] = i + 1;
        to.col[i] = i;
        to.value_at[i + 1] = to.value_at[i] + (int64_t)n * n;
    }
    *inverse = stic_block_csr_view(&partition, &to);
    return STIC_OK;
}
