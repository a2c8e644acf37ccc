// SPDX-License-Identifier: Apache-2.0
// Solving with a factor: forward and backward passes over the supernodes.
//
// LDL':  L D L' z = z          LU:  P'L U z = z with P the exchanges inside supernodes.
// Each pass reads every panel once; it runs at the speed of memory. Rows below a supernode are
// gathered into y and scattered back. Diagonal blocks are done four columns at a time: the 4 x 4
// triangle by scalars, the rest by the panel kernels.
#include "sparse/factor.h"
#include "stiction/extend/base.h"

#include <string.h>

enum { STEP = 4 };

// one triangular solve with a diagonal block
typedef struct Block {
    const SticPanelKernels* kernels;
    int32_t w;
    int64_t ld;
    const double* value;
    const double* inverse; // of its diagonal; NULL: unit
    double* y;             // [ld]
} Block;

// x = T^-1 x for the lower triangle T(i, j) = value[j * ld + i] with unit diagonal
static void solve_lower(const Block* block, double* x)
{
    for (int32_t first = 0; first < block->w; first += STEP) {
        const int32_t end = block->w - first < STEP ? block->w : first + STEP;
        for (int32_t j = first; j < end; ++j)
            for (int32_t i = j + 1; i < end; ++i)
                x[i] -= block->value[j * block->ld + i] * x[j];
        if (end == block->w)
            return;
        block->kernels->gather((int32_t)block->ld - end, STEP,
                               block->value + first * block->ld + end, block->ld, x + first,
                               block->y);
        for (int32_t i = end; i < block->w; ++i)
            x[i] -= block->y[i - end];
    }
}

// x = T'^-1 x for the same triangle
static void solve_lower_transpose(const Block* block, double* x)
{
    for (int32_t first = (block->w - 1) / STEP * STEP; first >= 0; first -= STEP) {
        const int32_t end = block->w - first < STEP ? block->w : first + STEP;
        if (end < block->w) {
            memset(block->y, 0, (size_t)(block->ld - end) * sizeof *block->y);
            memcpy(block->y, x + end, (size_t)(block->w - end) * sizeof *block->y);
            block->kernels->project((int32_t)block->ld - end, STEP,
                                    block->value + first * block->ld + end, block->ld, block->y,
                                    x + first);
        }
        for (int32_t j = end - 1; j >= first; --j)
            for (int32_t i = j + 1; i < end; ++i)
                x[j] -= block->value[j * block->ld + i] * x[i];
    }
}

// x = T^-1 x for the upper triangle T(i, j) = value[j * ld + i]
static void solve_upper(const Block* block, double* x)
{
    for (int32_t first = (block->w - 1) / STEP * STEP; first >= 0; first -= STEP) {
        const int32_t end = block->w - first < STEP ? block->w : first + STEP;
        for (int32_t j = end - 1; j >= first; --j) {
            x[j] *= block->inverse[j];
            for (int32_t i = first; i < j; ++i)
                x[i] -= block->value[j * block->ld + i] * x[j];
        }
        if (first == 0)
            return;
        block->kernels->gather(first, end - first, block->value + first * block->ld, block->ld,
                               x + first, block->y);
        for (int32_t i = 0; i < first; ++i)
            x[i] -= block->y[i];
    }
}

// x = T'^-1 x for the same triangle
static void solve_upper_transpose(const Block* block, double* x)
{
    for (int32_t first = 0; first < block->w; first += STEP) {
        const int32_t end = block->w - first < STEP ? block->w : first + STEP;
        if (first > 0) {
            memcpy(block->y, x, (size_t)first * sizeof *block->y);
            block->kernels->project(first, end - first, block->value + first * block->ld, block->ld,
                                    block->y, x + first);
        }
        for (int32_t j = first; j < end; ++j) {
            for (int32_t i = first; i < j; ++i)
                x[j] -= block->value[j * block->ld + i] * x[i];
            x[j] *= block->inverse[j];
        }
    }
}

static Block make_block(const SticFactor* factor, int32_t s)
{
    const SticSymbolic* symbolic = factor->symbolic;
    const int32_t w = stic_supernode_width(symbolic, s);
    return (Block){factor->kernels,
                   w,
                   stic_padded(w),
                   factor->diagonal + symbolic->diagonal_at[s],
                   factor->inverse + symbolic->first[s],
                   factor->y};
}

// rows below supernode s: z -= panel x
static void subtract_below(const SticFactor* factor, const double* panels, int32_t s)
{
    const SticSymbolic* symbolic = factor->symbolic;
    const int32_t m = stic_supernode_height(symbolic, s), w = stic_supernode_width(symbolic, s);
    if (m == 0)
        return;
    const int32_t* row = symbolic->row + symbolic->row_begin[s];
    factor->kernels->gather(stic_padded(m), w, panels + symbolic->panel_at[s], stic_padded(m),
                            factor->z + symbolic->first[s], factor->y);
    for (int32_t i = 0; i < m; ++i)
        factor->z[row[i]] -= factor->y[i];
}

// columns of supernode s: x -= panel' z
static void subtract_from_below(const SticFactor* factor, const double* panels, int32_t s)
{
    const SticSymbolic* symbolic = factor->symbolic;
    const int32_t m = stic_supernode_height(symbolic, s), w = stic_supernode_width(symbolic, s);
    if (m == 0)
        return;
    const int32_t* row = symbolic->row + symbolic->row_begin[s];
    for (int32_t i = 0; i < m; ++i)
        factor->y[i] = factor->z[row[i]];
    for (int32_t i = m; i < stic_padded(m); ++i)
        factor->y[i] = 0.0;
    factor->kernels->project(stic_padded(m), w, panels + symbolic->panel_at[s], stic_padded(m),
                             factor->y, factor->z + symbolic->first[s]);
}

static void exchange(const SticFactor* factor, int32_t p, int32_t first)
{
    const int32_t other = first + factor->swap[p];
    const double kept = factor->z[p];
    factor->z[p] = factor->z[other];
    factor->z[other] = kept;
}

static void solve_ldl(const SticFactor* factor)
{
    const SticSymbolic* symbolic = factor->symbolic;
    for (int32_t s = 0; s < symbolic->supernodes; ++s) {
        const Block block = make_block(factor, s);
        solve_lower(&block, factor->z + symbolic->first[s]);
        subtract_below(factor, factor->lower, s);
    }
    for (int32_t s = symbolic->supernodes - 1; s >= 0; --s) {
        for (int32_t p = symbolic->first[s]; p < symbolic->first[s + 1]; ++p)
            factor->z[p] *= factor->inverse[p];
        const Block block = make_block(factor, s);
        subtract_from_below(factor, factor->lower, s);
        solve_lower_transpose(&block, factor->z + symbolic->first[s]);
    }
}

static void solve_lu(const SticFactor* factor)
{
    const SticSymbolic* symbolic = factor->symbolic;
    for (int32_t s = 0; s < symbolic->supernodes; ++s) {
        const Block block = make_block(factor, s);
        for (int32_t p = symbolic->first[s]; p < symbolic->first[s + 1]; ++p)
            exchange(factor, p, symbolic->first[s]);
        solve_lower(&block, factor->z + symbolic->first[s]);
        subtract_below(factor, factor->lower, s);
    }
    for (int32_t s = symbolic->supernodes - 1; s >= 0; --s) {
        const Block block = make_block(factor, s);
        subtract_from_below(factor, factor->upper, s);
        solve_upper(&block, factor->z + symbolic->first[s]);
    }
}

static void solve_lu_transpose(const SticFactor* factor)
{
    const SticSymbolic* symbolic = factor->symbolic;
    for (int32_t s = 0; s < symbolic->supernodes; ++s) {
        const Block block = make_block(factor, s);
        solve_upper_transpose(&block, factor->z + symbolic->first[s]);
        subtract_below(factor, factor->upper, s);
    }
    for (int32_t s = symbolic->supernodes - 1; s >= 0; --s) {
        const Block block = make_block(factor, s);
        subtract_from_below(factor, factor->lower, s);
        solve_lower_transpose(&block, factor->z + symbolic->first[s]);
        for (int32_t p = symbolic->first[s + 1] - 1; p >= symbolic->first[s]; --p)
            exchange(factor, p, symbolic->first[s]);
    }
}

void stic_factor_solve(const SticFactor* factor, double* x)
{
    STIC_ASSERT(factor != NULL);
#ifdef STIC_HAVE_CHOLMOD
    if (factor->kind == STIC_FACTOR_CHOLMOD) {
        stic_cholmod_solve(factor, x);
        return;
    }
#endif
    const SticSymbolic* symbolic = factor->symbolic;
    const bool symmetric = factor->kind == STIC_FACTOR_LDL;
    for (int32_t p = 0; p < symbolic->size; ++p)
        factor->z[p] = x[symbolic->scalar_order[p]] * (symmetric ? 1.0 : factor->row_scale[p]);
    if (symmetric)
        solve_ldl(factor);
    else
        solve_lu(factor);
    for (int32_t p = 0; p < symbolic->size; ++p)
        x[symbolic->scalar_order[p]] = factor->z[p];
}

void stic_factor_solve_transpose(const SticFactor* factor, double* x)
{
    STIC_ASSERT(factor != NULL);
    if (factor->kind != STIC_FACTOR_LU) {
        stic_factor_solve(factor, x);
        return;
    }
    const SticSymbolic* symbolic = factor->symbolic;
    for (int32_t p = 0; p < symbolic->size; ++p)
        factor->z[p] = x[symbolic->scalar_order[p]];
    solve_lu_transpose(factor);
    for (int32_t p = 0; p < symbolic->size; ++p)
        x[symbolic->scalar_order[p]] = factor->z[p] * factor->row_scale[p];
}
