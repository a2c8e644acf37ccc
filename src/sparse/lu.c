// SPDX-License-Identifier: Apache-2.0
// Dense P A = L U of the diagonal block of a supernode, with exchanges of rows inside it.
//
// Rows are not exchanged across supernodes, so that the pattern found by the analysis stays valid;
// what this loses in stability is won back by iterative refinement. Rows were scaled to a largest
// entry in [1/2, 1) before, so that a pivot is compared with 1: at most tiny it becomes +-
// replacement (as in static pivoting, Li and Demmel, ACM TOMS 29, 2003, section 2).
//
// Steps, by narrow blocks of columns: eliminate inside the block with exchanges, exchange the other
// columns likewise, solve for the rows of U to the right, subtract their product.
#include "sparse/factor.h"

#include <math.h>

static void exchange_rows(const SticDiagonal* block, int32_t a, int32_t b, int32_t from, int32_t to)
{
    for (int32_t j = from; j < to; ++j) {
        double* column = block->value + j * block->ld;
        const double kept = column[a];
        column[a] = column[b];
        column[b] = kept;
    }
}

// row of the largest entry of column j at or below the diagonal; the first of equals
static int32_t find_pivot(const SticDiagonal* block, int32_t j)
{
    const double* column = block->value + j * block->ld;
    int32_t best = j;
    for (int32_t i = j + 1; i < block->w; ++i)
        if (fabs(column[i]) > fabs(column[best]))
            best = i;
    return best;
}

static void accept_pivot(const SticDiagonal* block, int32_t j)
{
    double* value = block->value + j * block->ld + j;
    if (fabs(*value) <= block->settings->tiny) {
        block->info->replaced += 1;
        *value = *value < 0.0 ? -block->settings->replacement : block->settings->replacement;
    }
    block->pivot[j] = *value;
    block->inverse[j] = 1.0 / *value;
}

// columns [first, end) by themselves, rows first … w
static void factor_narrow(const SticDiagonal* block, int32_t first, int32_t end)
{
    for (int32_t j = first; j < end; ++j) {
        const int32_t row = find_pivot(block, j);
        block->swap[j] = row;
        if (row != j)
            exchange_rows(block, j, row, 0, block->w);
        accept_pivot(block, j);
        double* restrict column = block->value + j * block->ld;
        for (int32_t i = j + 1; i < block->w; ++i)
            column[i] *= block->inverse[j];
        for (int32_t c = j + 1; c < end; ++c) {
            double* restrict other = block->value + c * block->ld;
            const double factor = other[j];
            for (int32_t i = j + 1; i < block->w; ++i)
                other[i] -= column[i] * factor;
        }
    }
}

// rows [first, end) of U in the columns to the right
static void solve_upper(const SticDiagonal* block, int32_t first, int32_t end)
{
    for (int32_t c = end; c < block->w; ++c) {
        double* other = block->value + c * block->ld;
        for (int32_t j = first; j < end; ++j)
            for (int32_t i = j + 1; i < end; ++i)
                other[i] -= block->value[j * block->ld + i] * other[j];
    }
}

void stic_lu_diagonal(const SticDiagonal* block)
{
    for (int32_t first = 0; first < block->w; first += STIC_DENSE_NARROW) {
        const int32_t rest = block->w - first;
        const int32_t end = rest < STIC_DENSE_NARROW ? block->w : first + STIC_DENSE_NARROW;
        factor_narrow(block, first, end);
        if (end == block->w)
            break;
        solve_upper(block, first, end);
        double* corner = block->value + end * block->ld + end;
        const SticDenseSource U = {block->value + end * block->ld + first, block->ld, 1, NULL};
        const SticDenseUpdate update = {
            .m = (int32_t)block->ld - end,
            .n = block->w - end,
            .k = end - first,
            .A = block->value + first * block->ld + end,
            .lda = block->ld,
            .from = corner,
            .from_ld = block->ld,
            .to = corner,
            .to_ld = block->ld,
        };
        stic_dense_update(block->kernels, &update, &U, block->packed);
    }
}
