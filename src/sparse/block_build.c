// SPDX-License-Identifier: Apache-2.0
// Building block CSR matrices from block triplets, scalar triplets and dense arrays.
//
// The places are sorted by column and then, keeping that order, by row (two counting passes, linear
// cost); equal places become one block. Values are then added in the order of the list, so that the
// sums do not depend on how places were sorted. Workspace: one int32 per triplet and per block
// column.
#include "sparse/sparse.h"

#include "stiction/extend/base.h"

#include <string.h>

static int32_t part_size(const int32_t* at, int32_t i)
{
    return at[i + 1] - at[i];
}

// begin and col (with room for every pair) of the sorted, distinct pairs
static SticStatus sort_pairs(const SticPartition* partition, const SticBlockTriplets* pairs,
                             SticArena* scratch, int32_t* begin, int32_t* col)
{
    const int32_t rows = partition->rows, cols = partition->cols;
    const SticArenaMark mark = stic_arena_mark(scratch);
    int32_t *next = NULL, *order = NULL;
    STIC_TRY(STIC_TAKE(scratch, &next, (size_t)(rows > cols ? rows : cols) + 1));
    STIC_TRY(STIC_TAKE(scratch, &order, pairs->count));

    // by column
    memset(next, 0, ((size_t)cols + 1) * sizeof *next);
    for (int32_t k = 0; k < pairs->count; ++k)
        next[pairs->col[k] + 1] += 1;
    for (int32_t j = 0; j < cols; ++j)
        next[j + 1] += next[j];
    for (int32_t k = 0; k < pairs->count; ++k)
        order[next[pairs->col[k]]++] = k;

    // by row
    memset(begin, 0, ((size_t)rows + 1) * sizeof *begin);
    for (int32_t k = 0; k < pairs->count; ++k)
        begin[pairs->row[k] + 1] += 1;
    for (int32_t i = 0; i < rows; ++i)
        begin[i + 1] += begin[i];
    memcpy(next, begin, (size_t)rows * sizeof *next);
    for (int32_t k = 0; k < pairs->count; ++k)
        col[next[pairs->row[order[k]]]++] = pairs->col[order[k]];

    // equal neighbours become one block
    int32_t kept = 0;
    for (int32_t i = 0; i < rows; ++i) {
        const int32_t first = begin[i], last = begin[i + 1];
        begin[i] = kept;
        for (int32_t k = first; k < last; ++k)
            if (k == first || col[k] != col[k - 1])
                col[kept++] = col[k];
    }
    begin[rows] = kept;
    stic_arena_rewind(scratch, mark);
    return STIC_OK;
}

static void place_values(const SticPartition* partition, const SticBlockArrays* arrays)
{
    arrays->value_at[0] = 0;
    for (int32_t i = 0; i < partition->rows; ++i)
        for (int32_t k = arrays->begin[i]; k < arrays->begin[i + 1]; ++k)
            arrays->value_at[k + 1] =
                arrays->value_at[k] + (int64_t)part_size(partition->row_at, i) *
                                          part_size(partition->col_at, arrays->col[k]);
}

static void add_blocks(const SticBlockTriplets* triplets, const SticBlockCsr* A, double* value)
{
    const double* from = triplets->value;
    memset(value, 0, (size_t)A->value_at[stic_block_csr_count(A)] * sizeof *value);
    for (int32_t k = 0; k < triplets->count && from != NULL; ++k) {
        const int32_t block = stic_block_csr_find(A, triplets->row[k], triplets->col[k]);
        for (int64_t v = A->value_at[block]; v < A->value_at[block + 1]; ++v)
            value[v] += *from++;
    }
}

static SticStatus check_blocks(const SticPartition* partition, const SticBlockTriplets* triplets,
                               SticError* error)
{
    STIC_TRY(stic_partition_check(partition, error));
    if (triplets->count < 0)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "the number of triplets is %d",
                              triplets->count);
    for (int32_t k = 0; k < triplets->count; ++k)
        if (triplets->row[k] < 0 || triplets->row[k] >= partition->rows || triplets->col[k] < 0 ||
            triplets->col[k] >= partition->cols)
            return stic_error_set(
                error, STIC_BAD_DATA, "triplet %d is at block (%d, %d) of a %d x %d block matrix",
                k, triplets->row[k], triplets->col[k], partition->rows, partition->cols);
    return STIC_OK;
}

SticStatus stic_block_csr_fill_blocks(const SticPartition* partition,
                                      const SticBlockTriplets* triplets, SticArena* scratch,
                                      const SticBlockArrays* arrays, SticBlockCsr* A,
                                      SticError* error)
{
    STIC_TRY(check_blocks(partition, triplets, error));
    STIC_TRY(sort_pairs(partition, triplets, scratch, arrays->begin, arrays->col));
    place_values(partition, arrays);
    *A = stic_block_csr_view(partition, arrays);
    add_blocks(triplets, A, arrays->value);
    return STIC_OK;
}

// pattern first, because only it tells how many values there are
static SticStatus take_pattern(const SticPartition* partition, const SticBlockTriplets* pairs,
                               SticArena* arena, SticBlockArrays* arrays)
{
    STIC_TRY(STIC_TAKE(arena, &arrays->begin, (size_t)partition->rows + 1));
    STIC_TRY(STIC_TAKE(arena, &arrays->col, pairs->count));
    STIC_TRY(sort_pairs(partition, pairs, arena, arrays->begin, arrays->col));
    const int32_t blocks = arrays->begin[partition->rows];
    STIC_TRY(STIC_TAKE(arena, &arrays->value_at, (size_t)blocks + 1));
    place_values(partition, arrays);
    return STIC_TAKE(arena, &arrays->value, arrays->value_at[blocks]);
}

SticStatus stic_block_csr_from_blocks(const SticPartition* partition,
                                      const SticBlockTriplets* triplets, SticArena* arena,
                                      SticBlockCsr* A, SticError* error)
{
    STIC_ASSERT(partition != NULL);
    STIC_ASSERT(triplets != NULL);
    STIC_ASSERT(arena != NULL);
    STIC_ASSERT(A != NULL);
    STIC_TRY(check_blocks(partition, triplets, error));
    SticBlockArrays arrays;
    STIC_TRY(take_pattern(partition, triplets, arena, &arrays));
    *A = stic_block_csr_view(partition, &arrays);
    add_blocks(triplets, A, arrays.value);
    return STIC_OK;
}

// block that holds each scalar index
static SticStatus take_owners(int32_t count, const int32_t* at, SticArena* arena, int32_t** owner)
{
    STIC_TRY(STIC_TAKE(arena, owner, at[count]));
    for (int32_t i = 0; i < count; ++i)
        for (int32_t k = at[i]; k < at[i + 1]; ++k)
            (*owner)[k] = i;
    return STIC_OK;
}

static SticStatus check_scalars(const SticPartition* partition, const SticScalarTriplets* triplets,
                                SticError* error)
{
    STIC_TRY(stic_partition_check(partition, error));
    const int32_t height = partition->row_at[partition->rows];
    const int32_t width = partition->col_at[partition->cols];
    for (int32_t k = 0; k < triplets->count; ++k)
        if (triplets->row[k] < 0 || triplets->row[k] >= height || triplets->col[k] < 0 ||
            triplets->col[k] >= width)
            return stic_error_set(error, STIC_BAD_DATA,
                                  "entry %d is at (%d, %d) of a %d x %d matrix", k,
                                  triplets->row[k], triplets->col[k], height, width);
    return STIC_OK;
}

SticStatus stic_block_csr_from_scalars(const SticPartition* partition,
                                       const SticScalarTriplets* triplets, SticArena* arena,
                                       SticBlockCsr* A, SticError* error)
{
    STIC_ASSERT(partition != NULL);
    STIC_ASSERT(triplets != NULL);
    STIC_ASSERT(arena != NULL);
    STIC_ASSERT(A != NULL);
    STIC_TRY(check_scalars(partition, triplets, error));
    // the block of every entry; this scratch lies below the result and stays taken
    int32_t *row_owner = NULL, *col_owner = NULL, *row = NULL, *col = NULL;
    STIC_TRY(take_owners(partition->rows, partition->row_at, arena, &row_owner));
    STIC_TRY(take_owners(partition->cols, partition->col_at, arena, &col_owner));
    STIC_TRY(STIC_TAKE(arena, &row, triplets->count));
    STIC_TRY(STIC_TAKE(arena, &col, triplets->count));
    for (int32_t k = 0; k < triplets->count; ++k) {
        row[k] = row_owner[triplets->row[k]];
        col[k] = col_owner[triplets->col[k]];
    }
    const SticBlockTriplets pairs = {triplets->count, row, col, NULL};
    SticBlockArrays arrays;
    STIC_TRY(take_pattern(partition, &pairs, arena, &arrays));
    *A = stic_block_csr_view(partition, &arrays);
    add_blocks(&pairs, A, arrays.value);
    for (int32_t k = 0; k < triplets->count; ++k) {
        const int64_t width = part_size(partition->col_at, col[k]);
        arrays.value[A->value_at[stic_block_csr_find(A, row[k], col[k])] +
                     (triplets->row[k] - partition->row_at[row[k]]) * width +
                     (triplets->col[k] - partition->col_at[col[k]])] += triplets->value[k];
    }
    return STIC_OK;
}

static bool block_is_zero(const SticPartition* partition, const double* dense, int32_t i, int32_t j)
{
    const size_t width = (size_t)partition->col_at[partition->cols];
    for (int32_t row = partition->row_at[i]; row < partition->row_at[i + 1]; ++row)
        for (int32_t col = partition->col_at[j]; col < partition->col_at[j + 1]; ++col)
            if (dense[(size_t)row * width + (size_t)col] != 0.0)
                return false;
    return true;
}

SticStatus stic_block_csr_from_dense(const SticPartition* partition, const double* dense,
                                     SticArena* arena, SticBlockCsr* A)
{
    STIC_ASSERT(partition != NULL);
    STIC_ASSERT(arena != NULL);
    STIC_ASSERT(A != NULL);
    int32_t blocks = 0;
    int64_t values = 0;
    for (int32_t i = 0; i < partition->rows; ++i)
        for (int32_t j = 0; j < partition->cols; ++j)
            if (!block_is_zero(partition, dense, i, j)) {
                blocks += 1;
                values +=
                    (int64_t)part_size(partition->row_at, i) * part_size(partition->col_at, j);
            }
    SticBlockArrays arrays;
    STIC_TRY(stic_block_csr_take(partition, blocks, values, arena, &arrays));
    const size_t width = (size_t)partition->col_at[partition->cols];
    int32_t place = 0;
    double* to = arrays.value;
    arrays.begin[0] = 0;
    arrays.value_at[0] = 0;
    for (int32_t i = 0; i < partition->rows; ++i) {
        for (int32_t j = 0; j < partition->cols; ++j) {
            if (block_is_zero(partition, dense, i, j))
                continue;
            for (int32_t row = partition->row_at[i]; row < partition->row_at[i + 1]; ++row)
                for (int32_t col = partition->col_at[j]; col < partition->col_at[j + 1]; ++col)
                    *to++ = dense[(size_t)row * width + (size_t)col];
            arrays.col[place] = j;
            arrays.value_at[++place] = to - arrays.value;
        }
        arrays.begin[i + 1] = place;
    }
    *A = stic_block_csr_view(partition, &arrays);
    return STIC_OK;
}
