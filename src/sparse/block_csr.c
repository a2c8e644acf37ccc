// SPDX-License-Identifier: Apache-2.0
// Block CSR: check, transpose, products with vectors, norms.
//
// All sums run in the order in which blocks are stored. Cost of everything here is one or two
// passes over the values; the symmetry measure adds a binary search per block.
#include "sparse/block_kernel.h"
#include "sparse/lists.h"
#include "sparse/sparse.h"
#include "stiction/extend/base.h"

#include <math.h>
#include <string.h>

static SticStatus check_offsets(const char* what, int32_t count, const int32_t* at,
                                SticError* error)
{
    if (count < 0)
        return stic_error_set(error, STIC_BAD_DATA, "the number of block %ss is %d", what, count);
    if (at == NULL || at[0] != 0)
        return stic_error_set(error, STIC_BAD_DATA, "the offsets of block %ss do not start at 0",
                              what);
    for (int32_t i = 0; i < count; ++i) {
        const int64_t size = (int64_t)at[i + 1] - at[i];
        if (size < 1 || size > STIC_BLOCK_MAX)
            return stic_error_set(error, STIC_BAD_DATA,
                                  "block %s %d has %lld scalar %ss, not 1 to %d", what, i,
                                  (long long)size, what, (int)STIC_BLOCK_MAX);
    }
    return STIC_OK;
}

static SticStatus check_block(const SticBlockCsr* A, int32_t i, int32_t k, SticError* error)
{
    const int32_t j = A->col[k];
    if (j < 0 || j >= A->cols)
        return stic_error_set(error, STIC_BAD_DATA,
                              "a block of block row %d is in block column %d of %d", i, j, A->cols);
    if (k > A->begin[i] && j <= A->col[k - 1])
        return stic_error_set(error, STIC_BAD_DATA,
                              "the block columns of block row %d are not in rising order", i);
    const int64_t size =
        (int64_t)(A->row_at[i + 1] - A->row_at[i]) * (A->col_at[j + 1] - A->col_at[j]);
    if (A->value_at[k] < 0 || A->value_at[k + 1] - A->value_at[k] != size)
        return stic_error_set(error, STIC_BAD_DATA,
                              "block (%d, %d) has %lld values instead of %lld", i, j,
                              (long long)(A->value_at[k + 1] - A->value_at[k]), (long long)size);
    return STIC_OK;
}

// whether values are finite: their sum is if they are, unless it overflows
static bool are_finite(const double* value, int64_t count)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int64_t v = 0;
    for (; v + 4 <= count; v += 4)
        for (int k = 0; k < 4; ++k)
            sum[k] += value[v + k];
    for (; v < count; ++v)
        sum[0] += value[v];
    return isfinite(sum[0] + sum[1] + sum[2] + sum[3]);
}

// the first block with a value that is not finite
static SticStatus check_values(const SticBlockCsr* A, SticError* error)
{
    const int32_t count = A->begin[A->rows];
    if (count == 0 || are_finite(A->value + A->value_at[0], A->value_at[count] - A->value_at[0]))
        return STIC_OK;
    for (int32_t i = 0; i < A->rows; ++i)
        for (int32_t k = A->begin[i]; k < A->begin[i + 1]; ++k)
            for (int64_t v = A->value_at[k]; v < A->value_at[k + 1]; ++v)
                if (!isfinite(A->value[v]))
                    return stic_error_set(error, STIC_NOT_FINITE,
                                          "block (%d, %d) holds a value that is %s", i, A->col[k],
                                          isnan(A->value[v]) ? "not a number" : "infinite");
    return STIC_OK;
}

SticStatus stic_partition_check(const SticPartition* partition, SticError* error)
{
    STIC_TRY(check_offsets("row", partition->rows, partition->row_at, error));
    return check_offsets("column", partition->cols, partition->col_at, error);
}

SticStatus stic_block_csr_check(const SticBlockCsr* A, SticError* error)
{
    STIC_ASSERT(A != NULL);
    const SticPartition partition = {A->rows, A->cols, A->row_at, A->col_at};
    STIC_TRY(stic_partition_check(&partition, error));
    if (A->begin == NULL || A->begin[0] != 0)
        return stic_error_set(error, STIC_BAD_DATA, "the list of blocks does not start at 0");
    for (int32_t i = 0; i < A->rows; ++i) {
        if (A->begin[i + 1] < A->begin[i])
            return stic_error_set(error, STIC_BAD_DATA, "block row %d ends before it begins", i);
        for (int32_t k = A->begin[i]; k < A->begin[i + 1]; ++k)
            STIC_TRY(check_block(A, i, k, error));
    }
    return check_values(A, error);
}

SticBlockCsr stic_block_csr_view(const SticPartition* partition, const SticBlockArrays* arrays)
{
    STIC_ASSERT(partition != NULL);
    STIC_ASSERT(arrays != NULL);
    const SticBlockCsr A = {
        .rows = partition->rows,
        .cols = partition->cols,
        .row_at = partition->row_at,
        .col_at = partition->col_at,
        .begin = arrays->begin,
        .col = arrays->col,
        .value_at = arrays->value_at,
        .value = arrays->value,
    };
    return A;
}

SticStatus stic_block_csr_take(const SticPartition* partition, int32_t blocks, int64_t values,
                               SticArena* arena, SticBlockArrays* arrays)
{
    STIC_ASSERT(partition != NULL);
    STIC_ASSERT(arena != NULL);
    STIC_ASSERT(arrays != NULL);
    STIC_TRY(STIC_TAKE(arena, &arrays->begin, (size_t)partition->rows + 1));
    STIC_TRY(STIC_TAKE(arena, &arrays->col, blocks));
    STIC_TRY(STIC_TAKE(arena, &arrays->value_at, (size_t)blocks + 1));
    return STIC_TAKE(arena, &arrays->value, values);
}

int32_t stic_block_csr_find(const SticBlockCsr* A, int32_t i, int32_t j)
{
    STIC_ASSERT(A != NULL);
    const int32_t first = A->begin[i], count = A->begin[i + 1] - first;
    const int32_t place = list_find(count, A->col + first, j);
    return place < count && A->col[first + place] == j ? first + place : -1;
}

void stic_block_csr_to_dense(const SticBlockCsr* A, double* dense)
{
    STIC_ASSERT(A != NULL);
    const size_t width = (size_t)stic_block_csr_width(A);
    memset(dense, 0, width * (size_t)stic_block_csr_height(A) * sizeof *dense);
    for (int32_t i = 0; i < A->rows; ++i)
        for (int32_t k = A->begin[i]; k < A->begin[i + 1]; ++k) {
            const double* value = A->value + A->value_at[k];
            const int32_t j = A->col[k];
            for (int32_t row = A->row_at[i]; row < A->row_at[i + 1]; ++row)
                for (int32_t col = A->col_at[j]; col < A->col_at[j + 1]; ++col)
                    dense[(size_t)row * width + (size_t)col] = *value++;
        }
}

static void copy_block_transposed(int32_t m, int32_t n, const double* B, double* Bt)
{
    for (int32_t i = 0; i < m; ++i)
        for (int32_t j = 0; j < n; ++j)
            Bt[j * m + i] = B[i * n + j];
}

SticStatus stic_block_csr_transpose(const SticBlockCsr* A, SticArena* arena, SticBlockCsr* At)
{
    STIC_ASSERT(A != NULL);
    STIC_ASSERT(arena != NULL);
    STIC_ASSERT(At != NULL);
    const int32_t count = stic_block_csr_count(A);
    const SticPartition flipped = {A->cols, A->rows, A->col_at, A->row_at};
    const int64_t first = count > 0 ? A->value_at[0] : 0;
    SticBlockArrays to;
    STIC_TRY(stic_block_csr_take(&flipped, count, count > 0 ? A->value_at[count] - first : 0, arena,
                                 &to));
    const SticArenaMark mark = stic_arena_mark(arena);
    int32_t* next = NULL; // place of the next block in each row of the transpose
    int32_t* from = NULL; // block of A behind each block of the transpose
    STIC_TRY(STIC_TAKE(arena, &next, A->cols));
    STIC_TRY(STIC_TAKE(arena, &from, count));

    // rows of A are met in rising order, so that the columns of each new row are sorted
    memset(to.begin, 0, ((size_t)A->cols + 1) * sizeof *to.begin);
    for (int32_t k = 0; k < count; ++k)
        to.begin[A->col[k] + 1] += 1;
    for (int32_t j = 0; j < A->cols; ++j) {
        to.begin[j + 1] += to.begin[j];
        next[j] = to.begin[j];
    }
    for (int32_t i = 0; i < A->rows; ++i)
        for (int32_t k = A->begin[i]; k < A->begin[i + 1]; ++k) {
            const int32_t place = next[A->col[k]]++;
            to.col[place] = i;
            from[place] = k;
        }
    to.value_at[0] = 0;
    for (int32_t j = 0; j < A->cols; ++j)
        for (int32_t p = to.begin[j]; p < to.begin[j + 1]; ++p) {
            const int32_t i = to.col[p];
            copy_block_transposed(A->row_at[i + 1] - A->row_at[i], A->col_at[j + 1] - A->col_at[j],
                                  A->value + A->value_at[from[p]], to.value + to.value_at[p]);
            to.value_at[p + 1] = to.value_at[p] + (A->value_at[from[p] + 1] - A->value_at[from[p]]);
        }
    stic_arena_rewind(arena, mark);
    *At = stic_block_csr_view(&flipped, &to);
    return STIC_OK;
}

// sum = row i of A times x; inlined with a constant height
static inline void gather_row(const SticBlockCsr* A, int32_t i, int32_t m, const double* x,
                              double* sum)
{
    for (int32_t row = 0; row < m; ++row)
        sum[row] = 0.0;
    for (int32_t k = A->begin[i]; k < A->begin[i + 1]; ++k) {
        const int32_t at = A->col_at[A->col[k]];
        block_gather(m, A->col_at[A->col[k] + 1] - at, A->value + A->value_at[k], x + at, sum);
    }
}

// y = a sum + b y
static inline void put_row(int32_t m, double a, const double* sum, double b, double* y)
{
    for (int32_t row = 0; row < m; ++row)
        y[row] = b == 0.0 ? a * sum[row] : a * sum[row] + b * y[row];
}

typedef struct Product {
    const SticBlockCsr* A;
    const double* x;
    double a, b, *y;
} Product;

// block rows of one piece of parallel work: some ten microseconds
enum { PIECE = 1024 };

static void multiply_piece(void* self, int32_t piece)
{
    const Product* product = self;
    const SticBlockCsr* A = product->A;
    const double *x = product->x, a = product->a, b = product->b;
    double* y = product->y;
    for (int32_t i = piece * PIECE; i < A->rows && i < (piece + 1) * PIECE; ++i) {
        const int32_t m = A->row_at[i + 1] - A->row_at[i];
        double sum[STIC_BLOCK_MAX];
        if (m == 3) {
            gather_row(A, i, 3, x, sum);
            put_row(3, a, sum, b, y + A->row_at[i]);
        } else if (m == 6) {
            gather_row(A, i, 6, x, sum);
            put_row(6, a, sum, b, y + A->row_at[i]);
        } else {
            gather_row(A, i, m, x, sum);
            put_row(m, a, sum, b, y + A->row_at[i]);
        }
    }
}

void stic_block_csr_multiply_on(SticPool* pool, double a, const SticBlockCsr* A, const double* x,
                                double b, double* y)
{
    STIC_ASSERT(A != NULL);
    Product product = {A, x, a, b, y};
    stic_pool_run(pool, (A->rows + PIECE - 1) / PIECE, multiply_piece, &product);
}

void stic_block_csr_multiply(double a, const SticBlockCsr* A, const double* x, double b, double* y)
{
    stic_block_csr_multiply_on(NULL, a, A, x, b, y);
}

// the blocks of a row of contacts
static inline void scatter_three(const SticBlockCsr* A, int32_t i, double a, const double* x,
                                 double* y)
{
    const double scaled[3] = {a * x[0], a * x[1], a * x[2]};
    const int32_t end = A->begin[i + 1];
    for (int32_t k = A->begin[i]; k < end; ++k) {
        const int32_t at = A->col_at[A->col[k]], n = A->col_at[A->col[k] + 1] - at;
        if (n == 6)
            block_scatter_36(A->value + A->value_at[k], scaled, y + at);
        else
            block_scatter(3, n, A->value + A->value_at[k], scaled, y + at);
    }
}

void stic_block_csr_multiply_transpose(double a, const SticBlockCsr* A, const double* x, double b,
                                       double* y)
{
    STIC_ASSERT(A != NULL);
    const int32_t width = stic_block_csr_width(A);
    for (int32_t col = 0; col < width; ++col)
        y[col] = b == 0.0 ? 0.0 : b * y[col];
    for (int32_t i = 0; i < A->rows; ++i) {
        const int32_t m = A->row_at[i + 1] - A->row_at[i];
        double scaled[STIC_BLOCK_MAX];
        if (m == 3) {
            scatter_three(A, i, a, x + A->row_at[i], y);
            continue;
        }
        for (int32_t row = 0; row < m; ++row)
            scaled[row] = a * x[A->row_at[i] + row];
        for (int32_t k = A->begin[i]; k < A->begin[i + 1]; ++k) {
            const int32_t at = A->col_at[A->col[k]];
            block_scatter(m, A->col_at[A->col[k] + 1] - at, A->value + A->value_at[k], scaled,
                          y + at);
        }
    }
}

// largest absolute value
static double largest(const SticBlockCsr* A)
{
    double most = 0.0;
    const int32_t count = stic_block_csr_count(A);
    for (int32_t k = 0; k < count; ++k)
        for (int64_t v = A->value_at[k]; v < A->value_at[k + 1]; ++v)
            if (fabs(A->value[v]) > most)
                most = fabs(A->value[v]);
    return most;
}

double stic_block_csr_norm_frobenius(const SticBlockCsr* A)
{
    const double most = largest(A);
    if (most == 0.0)
        return 0.0;
    double sum = 0.0;
    const int32_t count = stic_block_csr_count(A);
    for (int32_t k = 0; k < count; ++k)
        for (int64_t v = A->value_at[k]; v < A->value_at[k + 1]; ++v) {
            const double part = A->value[v] / most;
            sum += part * part;
        }
    return most * sqrt(sum);
}

double stic_block_csr_norm1(const SticBlockCsr* A, double* work)
{
    const int32_t width = stic_block_csr_width(A);
    memset(work, 0, (size_t)width * sizeof *work);
    for (int32_t i = 0; i < A->rows; ++i)
        for (int32_t k = A->begin[i]; k < A->begin[i + 1]; ++k) {
            const double* value = A->value + A->value_at[k];
            const int32_t j = A->col[k];
            for (int32_t row = A->row_at[i]; row < A->row_at[i + 1]; ++row)
                for (int32_t col = A->col_at[j]; col < A->col_at[j + 1]; ++col)
                    work[col] += fabs(*value++);
        }
    double most = 0.0;
    for (int32_t col = 0; col < width; ++col)
        if (work[col] > most)
            most = work[col];
    return most;
}

// sum of squares of (B - C') / scale for blocks (i, j) and (j, i); C may be missing
static double squared_difference(int32_t m, int32_t n, const double* B, const double* C,
                                 double scale)
{
    double sum = 0.0;
    for (int32_t i = 0; i < m; ++i)
        for (int32_t j = 0; j < n; ++j) {
            const double other = C != NULL ? C[j * m + i] : 0.0;
            const double part = B[i * n + j] / scale - other / scale;
            sum += part * part;
        }
    return sum;
}

double stic_block_csr_asymmetry(const SticBlockCsr* A)
{
    if (A->rows != A->cols)
        return INFINITY;
    for (int32_t i = 0; i < A->rows; ++i)
        if (A->row_at[i + 1] != A->col_at[i + 1])
            return INFINITY;
    const double scale = largest(A);
    if (scale == 0.0)
        return 0.0;

    // a block without partner counts twice: once here and once for the partner that is 0
    double sum = 0.0;
    for (int32_t i = 0; i < A->rows; ++i)
        for (int32_t k = A->begin[i]; k < A->begin[i + 1]; ++k) {
            const int32_t j = A->col[k];
            const int32_t partner = stic_block_csr_find(A, j, i);
            const double* C = partner < 0 ? NULL : A->value + A->value_at[partner];
            const double part =
                squared_difference(A->row_at[i + 1] - A->row_at[i], A->col_at[j + 1] - A->col_at[j],
                                   A->value + A->value_at[k], C, scale);
            sum += partner < 0 ? 2.0 * part : part;
        }
    return scale * sqrt(sum) / stic_block_csr_norm_frobenius(A);
}
