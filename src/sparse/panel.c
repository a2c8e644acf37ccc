// SPDX-License-Identifier: Apache-2.0
// Dense kernels for the base instruction set; packing and blocking around the kernels.
//
// Updates are cut into slices of PANEL columns and DEPTH of the inner index, so that the packed
// slice stays in the L2 cache and a tile of it in L1 (Goto and van de Geijn, ACM TOMS 34, 2008;
// only B is packed: the panels here are narrow enough to be read in place).
#define PANEL_TARGET
#define PANEL_ROWS 1
#include "sparse/panel_template.h"

#include <stddef.h>
#include <string.h>

const SticPanelKernels* stic_panel_kernels(bool plain)
{
#if defined(__x86_64__)
    if (!plain && __builtin_cpu_supports("avx2"))
        return stic_panel_kernels_avx2();
#else
    (void)plain;
#endif
    return &kernels;
}

// rows [first, first + n) and inner indices [depth, depth + k) of the source, in groups of four
static void pack(const SticPanelSource* source, int64_t first, int32_t n, int64_t depth, int32_t k,
                 double* packed)
{
    for (int32_t group = 0; group < n; group += COLUMNS)
        for (int32_t p = 0; p < k; ++p) {
            const double scale = source->scale != NULL ? source->scale[depth + p] : 1.0;
            const double* from =
                source->value + (first + group) * source->row_step + (depth + p) * source->col_step;
            for (int32_t j = 0; j < COLUMNS; ++j)
                *packed++ = group + j < n ? from[j * source->row_step] * scale : 0.0;
        }
}

void stic_panel_update(const SticPanelKernels* use, const SticPanelUpdate* shape,
                       const SticPanelSource* source, double* packed)
{
    for (int32_t col = 0; col < shape->n; col += STIC_PANEL_WIDE) {
        const int32_t n = shape->n - col < STIC_PANEL_WIDE ? shape->n - col : STIC_PANEL_WIDE;
        const int32_t row = shape->lower ? col : 0;
        SticPanelUpdate part = *shape;
        part.n = n;
        part.m = shape->m - row;
        part.B = packed;
        part.to = shape->to + col * shape->to_ld + row;
        if (shape->from != NULL)
            part.from = shape->from + col * shape->from_ld + row;
        for (int32_t depth = 0; depth < shape->k; depth += STIC_PANEL_DEPTH) {
            part.k = shape->k - depth < STIC_PANEL_DEPTH ? shape->k - depth : STIC_PANEL_DEPTH;
            part.A = shape->A + depth * shape->lda + row;
            pack(source, col, n, depth, part.k, packed);
            use->update(&part);
            // later slices go on from what the first one left
            part.from = part.to;
            part.from_ld = part.to_ld;
        }
    }
}

// columns [first, first + n) of X by the n x n triangle of the source that starts at (first, first)
static void solve_narrow(const SticPanelKernels* use, const SticPanelUpdate* shape,
                         const SticPanelSource* source, const double* inverse, int32_t first,
                         int32_t n)
{
    double T[STIC_PANEL_NARROW][STIC_PANEL_NARROW] = {{0}};
    for (int32_t p = 0; p < n; ++p)
        for (int32_t j = p + 1; j < n; ++j)
            T[p][j] =
                source->value[(first + j) * source->row_step + (first + p) * source->col_step] *
                (source->scale != NULL ? source->scale[first + p] : 1.0);
    use->solve_rows(shape->m, n, (const double(*)[STIC_PANEL_NARROW])T, inverse + first,
                    shape->to + first * shape->to_ld, shape->to_ld);
}

// subtract what columns [from, first) contribute to columns [first, first + n)
static void update_columns(const SticPanelKernels* use, const SticPanelUpdate* shape,
                           const SticPanelSource* source, const int32_t range[3], double* packed)
{
    const int32_t from = range[0], first = range[1], n = range[2];
    if (from == first)
        return;
    SticPanelSource part_source = *source;
    part_source.value += first * source->row_step + from * source->col_step;
    part_source.scale = source->scale != NULL ? source->scale + from : NULL;
    double* X = shape->to;
    const SticPanelUpdate part = {
        .m = shape->m,
        .n = n,
        .k = first - from,
        .A = X + from * shape->to_ld,
        .lda = shape->to_ld,
        .from = X + first * shape->to_ld,
        .from_ld = shape->to_ld,
        .to = X + first * shape->to_ld,
        .to_ld = shape->to_ld,
    };
    stic_panel_update(use, &part, &part_source, packed);
}

void stic_panel_solve_right(const SticPanelKernels* use, const SticPanelUpdate* shape,
                            const SticPanelSource* source, const double* inverse, double* packed)
{
    for (int32_t panel = 0; panel < shape->n; panel += STIC_PANEL_WIDE) {
        const int32_t end = shape->n - panel < STIC_PANEL_WIDE ? shape->n : panel + STIC_PANEL_WIDE;
        update_columns(use, shape, source, (const int32_t[3]){0, panel, end - panel}, packed);
        for (int32_t first = panel; first < end; first += STIC_PANEL_NARROW) {
            const int32_t n = end - first < STIC_PANEL_NARROW ? end - first : STIC_PANEL_NARROW;
            update_columns(use, shape, source, (const int32_t[3]){panel, first, n}, packed);
            solve_narrow(use, shape, source, inverse, first, n);
        }
    }
}
