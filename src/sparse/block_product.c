// SPDX-License-Identifier: Apache-2.0
// W = Pt Minv Ht' for block-diagonal Minv: the condensed matrix of a one-step problem.
//
// Row i of W couples interaction i with every interaction j that shares a body with it:
//     W_ij = sum over bodies b of (Pt_ib Minv_b) Ht_jb'
// Steps: list the interactions of each body; merge these lists into the sorted pattern of each row;
// add the products body by body in rising order. With Pt == Ht and symmetric Minv only j >= i is
// computed and mirrored, which halves the work and makes W symmetric to the last bit.
// Cost: one small product per (interaction, body, interaction). Workspace: two int32 per block of
// Ht and per block row.
#include "sparse/block_kernel.h"
#include "sparse/lists.h"
#include "sparse/sparse.h"
#include "stiction/extend/base.h"

#include <string.h>

// interactions of each body in rising order: rows and blocks of Ht by column
typedef struct ColumnList {
    int32_t* begin; // [cols+1]
    int32_t* row;   // [blocks]
    int32_t* block; // [blocks]
} ColumnList;

static SticStatus take_columns(const SticBlockCsr* Ht, SticArena* arena, ColumnList* list)
{
    const int32_t count = stic_block_csr_count(Ht);
    STIC_TRY(STIC_TAKE(arena, &list->begin, (size_t)Ht->cols + 2));
    STIC_TRY(STIC_TAKE(arena, &list->row, count));
    STIC_TRY(STIC_TAKE(arena, &list->block, count));
    // counted two places up: the filling pass then leaves begin[j] at the start of column j
    memset(list->begin, 0, ((size_t)Ht->cols + 2) * sizeof *list->begin);
    for (int32_t k = 0; k < count; ++k)
        list->begin[Ht->col[k] + 2] += 1;
    for (int32_t j = 0; j < Ht->cols; ++j)
        list->begin[j + 2] += list->begin[j + 1];
    for (int32_t i = 0; i < Ht->rows; ++i)
        for (int32_t k = Ht->begin[i]; k < Ht->begin[i + 1]; ++k) {
            const int32_t place = list->begin[Ht->col[k] + 1]++;
            list->row[place] = i;
            list->block[place] = k;
        }
    return STIC_OK;
}

// sorted columns of row i of W into one of the two buffers; gives their number
static int32_t merge_row(const SticBlockCsr* Pt, const ColumnList* columns, int32_t i,
                         int32_t* buffer[2], const int32_t** merged)
{
    int32_t n = 0, current = 0;
    for (int32_t k = Pt->begin[i]; k < Pt->begin[i + 1]; ++k) {
        const int32_t body = Pt->col[k];
        const int32_t first = columns->begin[body];
        n = list_merge(n, buffer[current], columns->begin[body + 1] - first, columns->row + first,
                       buffer[1 - current]);
        current = 1 - current;
    }
    *merged = buffer[current];
    return n;
}

static bool shapes_fit(const SticBlockCsr* Pt, const SticBlockCsr* Minv, const SticBlockCsr* Ht)
{
    if (Pt->cols != Minv->rows || Minv->rows != Minv->cols || Ht->cols != Minv->cols)
        return false;
    for (int32_t j = 0; j <= Minv->cols; ++j)
        if (Minv->row_at[j] != Minv->col_at[j] || Pt->col_at[j] != Minv->col_at[j] ||
            Ht->col_at[j] != Minv->col_at[j])
            return false;
    for (int32_t j = 0; j < Minv->rows; ++j)
        for (int32_t k = Minv->begin[j]; k < Minv->begin[j + 1]; ++k)
            if (Minv->col[k] != j)
                return false;
    return true;
}

static bool blocks_are_symmetric(const SticBlockCsr* D)
{
    for (int32_t i = 0; i < D->rows; ++i)
        for (int32_t k = D->begin[i]; k < D->begin[i + 1]; ++k) {
            const int32_t n = D->row_at[i + 1] - D->row_at[i];
            const double* B = D->value + D->value_at[k];
            for (int32_t r = 0; r < n; ++r)
                for (int32_t c = 0; c < r; ++c)
                    if (B[r * n + c] != B[c * n + r])
                        return false;
        }
    return true;
}

// what a product works with
typedef struct Product {
    const SticBlockCsr *Pt, *Minv, *Ht;
    ColumnList columns;
    int32_t* buffer[2]; // [rows of Ht] each
    SticBlockArrays to;
} Product;

static int32_t part_size(const int32_t* at, int32_t i)
{
    return at[i + 1] - at[i];
}

// row offsets of W; gives its number of values, -1 if there are too many blocks
static int64_t count_product(Product* product)
{
    const SticBlockCsr *Pt = product->Pt, *Ht = product->Ht;
    const int32_t* merged = NULL;
    int64_t blocks = 0, values = 0;
    product->to.begin[0] = 0;
    for (int32_t i = 0; i < Pt->rows; ++i) {
        const int32_t n = merge_row(Pt, &product->columns, i, product->buffer, &merged);
        blocks += n;
        if (blocks > INT32_MAX)
            return -1;
        product->to.begin[i + 1] = (int32_t)blocks;
        for (int32_t k = 0; k < n; ++k)
            values += (int64_t)part_size(Pt->row_at, i) * part_size(Ht->row_at, merged[k]);
    }
    return values;
}

// pattern and room for the values of W
static SticStatus take_product(Product* product, SticArena* arena)
{
    const SticBlockCsr *Pt = product->Pt, *Ht = product->Ht;
    SticBlockArrays* to = &product->to;
    STIC_TRY(take_columns(Ht, arena, &product->columns));
    STIC_TRY(STIC_TAKE(arena, &product->buffer[0], Ht->rows));
    STIC_TRY(STIC_TAKE(arena, &product->buffer[1], Ht->rows));
    STIC_TRY(STIC_TAKE(arena, &to->begin, (size_t)Pt->rows + 1));
    const int64_t values = count_product(product);
    if (values < 0)
        return STIC_OUT_OF_MEMORY;
    const int32_t blocks = to->begin[Pt->rows];
    STIC_TRY(STIC_TAKE(arena, &to->col, blocks));
    STIC_TRY(STIC_TAKE(arena, &to->value_at, (size_t)blocks + 1));
    STIC_TRY(STIC_TAKE(arena, &to->value, values));
    memset(to->value, 0, (size_t)values * sizeof *to->value);
    to->value_at[0] = 0;
    for (int32_t i = 0; i < Pt->rows; ++i) {
        const int32_t* merged = NULL;
        const int32_t n = merge_row(Pt, &product->columns, i, product->buffer, &merged);
        for (int32_t k = 0; k < n; ++k) {
            const int32_t place = to->begin[i] + k;
            to->col[place] = merged[k];
            to->value_at[place + 1] = to->value_at[place] + (int64_t)part_size(Pt->row_at, i) *
                                                                part_size(Ht->row_at, merged[k]);
        }
    }
    return STIC_OK;
}

// row i of W, only its columns >= i if `upper`
static void add_row(const Product* product, int32_t i, bool upper)
{
    const SticBlockCsr *Pt = product->Pt, *Minv = product->Minv, *Ht = product->Ht;
    const ColumnList* columns = &product->columns;
    const SticBlockArrays* to = &product->to;
    const int32_t m = part_size(Pt->row_at, i);
    for (int32_t k = Pt->begin[i]; k < Pt->begin[i + 1]; ++k) {
        const int32_t body = Pt->col[k];
        if (Minv->begin[body] == Minv->begin[body + 1])
            continue;
        const int32_t n = part_size(Minv->row_at, body);
        double left[STIC_BLOCK_MAX * STIC_BLOCK_MAX] = {0};
        block_product(m, n, n, Pt->value + Pt->value_at[k],
                      Minv->value + Minv->value_at[Minv->begin[body]], left);
        // both lists are sorted: one pass finds the place of every product
        int32_t place = to->begin[i];
        for (int32_t p = columns->begin[body]; p < columns->begin[body + 1]; ++p) {
            const int32_t j = columns->row[p];
            if (upper && j < i)
                continue;
            while (to->col[place] != j)
                ++place;
            block_product_transposed(m, n, part_size(Ht->row_at, j), left,
                                     Ht->value + Ht->value_at[columns->block[p]],
                                     to->value + to->value_at[place]);
        }
    }
}

// lower blocks from upper ones; diagonal blocks from their upper triangle
static void mirror(const SticBlockCsr* W, double* value)
{
    for (int32_t i = 0; i < W->rows; ++i)
        for (int32_t k = W->begin[i]; k < W->begin[i + 1] && W->col[k] <= i; ++k) {
            const int32_t j = W->col[k];
            const int32_t m = W->row_at[i + 1] - W->row_at[i];
            const int32_t n = W->row_at[j + 1] - W->row_at[j];
            const double* from = value + W->value_at[stic_block_csr_find(W, j, i)];
            double* B = value + W->value_at[k];
            for (int32_t r = 0; r < m; ++r)
                for (int32_t c = 0; c < (i == j ? r : n); ++c)
                    B[r * n + c] = from[c * m + r];
        }
}

SticStatus stic_block_csr_product3(const SticBlockCsr* Pt, const SticBlockCsr* Minv,
                                   const SticBlockCsr* Ht, SticArena* arena, SticBlockCsr* W)
{
    if (!shapes_fit(Pt, Minv, Ht))
        return STIC_BAD_ARGUMENT;
    Product product = {.Pt = Pt, .Minv = Minv, .Ht = Ht};
    STIC_TRY(take_product(&product, arena));
    const bool symmetric = Pt == Ht && blocks_are_symmetric(Minv);
    for (int32_t i = 0; i < Pt->rows; ++i)
        add_row(&product, i, symmetric);
    const SticPartition partition = {Pt->rows, Ht->rows, Pt->row_at, Ht->row_at};
    *W = stic_block_csr_view(&partition, &product.to);
    if (symmetric)
        mirror(W, product.to.value);
    return STIC_OK;
}
