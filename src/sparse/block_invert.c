// SPDX-License-Identifier: Apache-2.0
// Inverses of diagonal blocks: block-Jacobi preconditioner, inverse of a block-diagonal mass.
//
// Gauss-Jordan with exchanges of rows on [B | I], n^3 multiplications a block. A symmetric block
// gets the mean of the inverse and its transpose: the two differ by rounding only, and products
// like H' M^-1 H are then symmetric to the last bit.
#include "stiction/sparse.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX = STIC_BLOCK_MAX };

typedef double Wide[MAX][2 * MAX];

static void exchange(int32_t n, double* a, double* b)
{
    for (int32_t j = 0; j < 2 * n; ++j) {
        const double kept = a[j];
        a[j] = b[j];
        b[j] = kept;
    }
}

// reduce the left half to the identity; false if a pivot is at most `least`
static bool reduce(int32_t n, Wide M, double least)
{
    for (int32_t k = 0; k < n; ++k) {
        int32_t best = k;
        for (int32_t i = k + 1; i < n; ++i)
            if (fabs(M[i][k]) > fabs(M[best][k]))
                best = i;
        if (!(fabs(M[best][k]) > least))
            return false;
        if (best != k)
            exchange(n, M[k], M[best]);
        const double inverse = 1.0 / M[k][k];
        for (int32_t j = 0; j < 2 * n; ++j)
            M[k][j] *= inverse;
        for (int32_t i = 0; i < n; ++i) {
            const double factor = M[i][k];
            for (int32_t j = 0; j < 2 * n && i != k; ++j)
                M[i][j] -= factor * M[k][j];
        }
    }
    return true;
}

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
    Wide M = {{0}};
    double most = 0.0;
    for (int32_t i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int32_t j = 0; j < n; ++j) {
            M[i][j] = B[i * n + j];
            sum += fabs(B[i * n + j]);
        }
        M[i][n + i] = 1.0;
        most = sum > most ? sum : most;
    }
    if (!isfinite(most) || !reduce(n, M, n * DBL_EPSILON * most))
        return false;
    const bool symmetric = is_symmetric(n, B);
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < n; ++j)
            inverse[i * n + j] = symmetric ? 0.5 * (M[i][n + j] + M[j][n + i]) : M[i][n + j];
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
