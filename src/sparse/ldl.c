// SPDX-License-Identifier: Apache-2.0
// Dense L D L' of the diagonal block of a supernode, with pivots taken in the given order.
//
// Strongly quasi-definite matrices have such a factorisation for every order (Vanderbei, SIAM J.
// Optim. 5, 1995), so that the order can be chosen for sparsity and nothing is exchanged here. A
// pivot that is lost in rounding is replaced: at most tiny * s it becomes +- replacement * s, where
// s is the largest absolute value in its row of the matrix. Rounding errors of a pivot are a small
// multiple of epsilon s when no entry grows, which holds for (semi-)definite matrices.
//
// Steps, by panels of columns: subtract the columns to the left (one product with a deep inner
// index), then by narrow blocks inside the panel: subtract, factorise the narrow triangle, solve
// for the rows below it.
#include "sparse/factor.h"

#include <math.h>

// pivot j of the block, replaced if it is too small
static double accept_pivot(const SticDiagonal* block, int32_t j, double value)
{
    const SticPivotSettings* settings = block->settings;
    const double size = block->row_size[j];
    const int8_t expected = settings->sign != NULL ? settings->sign[block->row[j]] : 0;
    if (!(fabs(value) <= settings->tiny * size)) {
        if (value > 0.0)
            block->info->positive += 1;
        else
            block->info->negative += 1;
        if ((expected > 0 && value < 0.0) || (expected < 0 && value > 0.0))
            block->info->unexpected += 1;
        return value;
    }
    // a row of zeros has no scale: 1 sets its unknown to the right-hand side
    block->info->replaced += 1;
    const double repaired = size > 0.0 ? settings->replacement * size : 1.0;
    return expected < 0 || (expected == 0 && value < 0.0) ? -repaired : repaired;
}

// the n x n triangle at (first, first), n <= NARROW
static void factor_narrow(const SticDiagonal* block, int32_t first, int32_t n)
{
    double* value = block->value + first * block->ld + first;
    double scaled[STIC_PANEL_NARROW][STIC_PANEL_NARROW]; // L times D
    for (int32_t j = 0; j < n; ++j) {
        double sum = value[j * block->ld + j];
        for (int32_t p = 0; p < j; ++p)
            sum -= scaled[j][p] * value[p * block->ld + j];
        const double pivot = accept_pivot(block, first + j, sum);
        block->pivot[first + j] = pivot;
        block->inverse[first + j] = 1.0 / pivot;
        value[j * block->ld + j] = 1.0;
        for (int32_t i = j + 1; i < n; ++i) {
            double entry = value[j * block->ld + i];
            for (int32_t p = 0; p < j; ++p)
                entry -= scaled[i][p] * value[p * block->ld + j];
            scaled[i][j] = entry;
            value[j * block->ld + i] = entry * block->inverse[first + j];
        }
    }
}

// subtract what columns [from, first) contribute to the lower part of columns [first, first + n)
static void subtract_left(const SticDiagonal* block, int32_t from, int32_t first, int32_t n)
{
    if (from == first)
        return;
    double* value = block->value + first;
    const SticPanelSource rows = {value + from * block->ld, 1, block->ld, block->pivot + from};
    const SticPanelUpdate update = {
        .m = (int32_t)block->ld - first,
        .n = n,
        .k = first - from,
        .A = value + from * block->ld,
        .lda = block->ld,
        .from = value + first * block->ld,
        .from_ld = block->ld,
        .to = value + first * block->ld,
        .to_ld = block->ld,
        .lower = true,
    };
    stic_panel_update(block->kernels, &update, &rows, block->packed);
}

// rows below the narrow triangle
static void solve_below(const SticDiagonal* block, int32_t first, int32_t n)
{
    const int32_t below = first + n;
    if (below >= block->w)
        return;
    const SticPanelSource triangle = {block->value + first * block->ld + first, 1, block->ld,
                                      block->pivot + first};
    double* X = block->value + first * block->ld + below;
    const SticPanelUpdate shape = {
        .m = (int32_t)block->ld - below, .n = n, .to = X, .to_ld = block->ld};
    stic_panel_solve_right(block->kernels, &shape, &triangle, block->inverse + first,
                           block->packed);
}

void stic_ldl_diagonal(const SticDiagonal* block)
{
    for (int32_t panel = 0; panel < block->w; panel += STIC_PANEL_WIDE) {
        const int32_t rest = block->w - panel;
        const int32_t end = rest < STIC_PANEL_WIDE ? block->w : panel + STIC_PANEL_WIDE;
        subtract_left(block, 0, panel, end - panel);
        for (int32_t first = panel; first < end; first += STIC_PANEL_NARROW) {
            const int32_t n = end - first < STIC_PANEL_NARROW ? end - first : STIC_PANEL_NARROW;
            subtract_left(block, panel, first, n);
            factor_narrow(block, first, n);
            solve_below(block, first, n);
        }
    }
}
