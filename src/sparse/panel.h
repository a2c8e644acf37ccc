// SPDX-License-Identifier: Apache-2.0
// Dense kernels of the factorisations: matrices by columns, rows padded to whole vectors.
//
// Every entry is the result of one fixed sequence of roundings: sums run over the inner index in
// rising order in slices of PANEL_DEPTH, sums over rows in four lanes that are added at the end.
// The kernels are compiled twice, for the base instruction set and for AVX2 without fused
// operations; both give the same bits.
#ifndef STIC_SPARSE_PANEL_H
#define STIC_SPARSE_PANEL_H

#include <stdbool.h>
#include <stdint.h>

enum {
    STIC_PANEL_NARROW = 8, // columns solved in registers
    STIC_PANEL_WIDE = 48,  // columns updated together by everything to their left
    STIC_PANEL_DEPTH =
        192, // slice of the inner index: 4 columns of it fill a fifth of the L1 cache
    STIC_PANEL_PACKED = STIC_PANEL_WIDE * STIC_PANEL_DEPTH // values of a packed slice
};

// to = from - A B': m x n, inner size k. B is packed: groups of four columns, in each the k rows
// one after the other.
typedef struct SticPanelUpdate {
    int32_t m, n, k; // m is a multiple of 4
    const double* A;
    int64_t lda;
    const double* B;
    const double* from; // may be `to`; NULL: 0
    int64_t from_ld;
    double* to;
    int64_t to_ld;
    bool lower; // only the part with row >= column is wanted
} SticPanelUpdate;

typedef struct SticPanelKernels {
    void (*update)(const SticPanelUpdate* update);
    // X = X T^-1 for X of m x n (n <= NARROW): column j is (X_j - sum_p<j X_p T[p][j]) inverse[j]
    void (*solve_rows)(int32_t m, int32_t n, const double T[][STIC_PANEL_NARROW],
                       const double* inverse, double* X, int64_t ld);
    // y = L x for L of m x n; m is a multiple of 4
    void (*gather)(int32_t m, int32_t n, const double* L, int64_t ld, const double* x, double* y);
    // x -= L' y
    void (*project)(int32_t m, int32_t n, const double* L, int64_t ld, const double* y, double* x);
} SticPanelKernels;

/// The fastest kernels this processor runs; `plain` asks for the base instruction set.
const SticPanelKernels* stic_panel_kernels(bool plain);
/// Kernels for AVX2; NULL where the compiler has no such target.
const SticPanelKernels* stic_panel_kernels_avx2(void);

// one matrix as seen by a packing: entry (i, p) is at value[i * row_step + p * col_step], times
// scale[p] if there is a scale
typedef struct SticPanelSource {
    const double* value;
    int64_t row_step, col_step;
    const double* scale;
} SticPanelSource;

/// to = from - A B' (see SticPanelUpdate) for any sizes, with B taken from `source`; `packed` has
/// STIC_PANEL_PACKED values.
void stic_panel_update(const SticPanelKernels* use, const SticPanelUpdate* shape,
                       const SticPanelSource* source, double* packed);
/// X = X T^-1 for the upper triangle T(p, j) = source(j, p), X of m x n. `inverse` holds 1 / T(j,
/// j).
void stic_panel_solve_right(const SticPanelKernels* use, const SticPanelUpdate* shape,
                            const SticPanelSource* source, const double* inverse, double* packed);

#endif
