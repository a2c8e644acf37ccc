// SPDX-License-Identifier: Apache-2.0
// Body of the dense kernels. Included by one file per instruction set, which defines
//   PANEL_TARGET   attribute of every function
//   PANEL_ROWS     vectors of rows in a tile of the update: as many as the registers hold
//
// A vector holds four rows. Vector types and operators are those of gcc and clang; where the
// processor has narrower registers the compiler splits them, which changes no result.
#ifndef STIC_SPARSE_PANEL_TEMPLATE_H
#define STIC_SPARSE_PANEL_TEMPLATE_H

#include "sparse/panel.h"

#include <stddef.h>
#include <string.h>

typedef double Vector __attribute__((vector_size(32), aligned(32)));

#define PANEL_INLINE inline __attribute__((always_inline)) PANEL_TARGET

enum { LANES = 4, COLUMNS = 4 };

// one tile of `vectors` x COLUMNS entries at row 0, of which `n` columns are wanted
static PANEL_INLINE void update_tile(const SticPanelUpdate* u, int32_t vectors, int32_t col,
                                     int32_t n)
{
    const Vector zero = {0.0, 0.0, 0.0, 0.0};
    Vector sum[PANEL_ROWS][COLUMNS];
    for (int32_t v = 0; v < vectors; ++v)
        sum[v][0] = sum[v][1] = sum[v][2] = sum[v][3] = zero;
    const double* restrict A = u->A;
    const double* restrict B = u->B + (int64_t)col * u->k;
    for (int32_t p = 0; p < u->k; ++p, A += u->lda, B += COLUMNS)
        for (int32_t v = 0; v < vectors; ++v) {
            const Vector a = *(const Vector*)(A + v * LANES);
            sum[v][0] += a * B[0];
            sum[v][1] += a * B[1];
            sum[v][2] += a * B[2];
            sum[v][3] += a * B[3];
        }
    for (int32_t j = 0; j < n; ++j)
        for (int32_t v = 0; v < vectors; ++v) {
            Vector* to = (Vector*)(u->to + (col + j) * u->to_ld + v * LANES);
            if (u->from == NULL)
                *to = zero - sum[v][j];
            else
                *to = *(const Vector*)(u->from + (col + j) * u->from_ld + v * LANES) - sum[v][j];
        }
}

// all columns up to `end` of a row of tiles
static PANEL_INLINE void update_tiles(const SticPanelUpdate* u, int32_t vectors, int32_t end)
{
    // columns of A lie pages apart where the panel is tall: bring them together if they are used
    // often enough
    _Alignas(32) double near[PANEL_ROWS * LANES * STIC_PANEL_DEPTH];
    SticPanelUpdate part = *u;
    if (end >= 4 * COLUMNS) {
        for (int32_t p = 0; p < u->k; ++p)
            for (int32_t v = 0; v < vectors; ++v)
                *(Vector*)(near + (p * vectors + v) * LANES) =
                    *(const Vector*)(u->A + p * u->lda + v * LANES);
        part.A = near;
        part.lda = vectors * LANES;
    }
    int32_t col = 0;
    for (; col + COLUMNS <= end; col += COLUMNS)
        update_tile(&part, vectors, col, COLUMNS);
    if (col < end)
        update_tile(&part, vectors, col, end - col);
}

static PANEL_TARGET void update(const SticPanelUpdate* u)
{
    SticPanelUpdate part = *u;
    for (int32_t row = 0; row < u->m;) {
        // the two choices are one where PANEL_ROWS is 1
        // NOLINTNEXTLINE(bugprone-branch-clone)
        const int32_t vectors = row + PANEL_ROWS * LANES <= u->m ? PANEL_ROWS : 1;
        const int32_t next = row + vectors * LANES;
        // below the diagonal: columns up to the last row of the tiles
        const int32_t end = u->lower && next < u->n ? next : u->n;
        if (vectors == PANEL_ROWS) // NOLINT(bugprone-branch-clone)
            update_tiles(&part, PANEL_ROWS, end);
        else
            update_tiles(&part, 1, end);
        part.A += next - row;
        part.to += next - row;
        part.from = part.from != NULL ? part.from + (next - row) : NULL;
        row = next;
    }
}

// with a constant n the columns of four rows stay in registers
static PANEL_INLINE void solve_rows_sized(int32_t m, int32_t n, const double T[][STIC_PANEL_NARROW],
                                          const double* inverse, double* X, int64_t ld)
{
    for (int32_t i = 0; i < m; i += LANES) {
        Vector x[STIC_PANEL_NARROW];
        for (int32_t j = 0; j < n; ++j) {
            Vector value = *(const Vector*)(X + j * ld + i);
            for (int32_t p = 0; p < j; ++p)
                value -= x[p] * T[p][j];
            x[j] = value * inverse[j];
        }
        for (int32_t j = 0; j < n; ++j)
            *(Vector*)(X + j * ld + i) = x[j];
    }
}

static PANEL_TARGET void solve_rows(int32_t m, int32_t n, const double T[][STIC_PANEL_NARROW],
                                    const double* inverse, double* X, int64_t ld)
{
    switch (n) {
    case 1:
        solve_rows_sized(m, 1, T, inverse, X, ld);
        break;
    case 2:
        solve_rows_sized(m, 2, T, inverse, X, ld);
        break;
    case 3:
        solve_rows_sized(m, 3, T, inverse, X, ld);
        break;
    case 4:
        solve_rows_sized(m, 4, T, inverse, X, ld);
        break;
    case 5:
        solve_rows_sized(m, 5, T, inverse, X, ld);
        break;
    case 6:
        solve_rows_sized(m, 6, T, inverse, X, ld);
        break;
    case 7:
        solve_rows_sized(m, 7, T, inverse, X, ld);
        break;
    default:
        solve_rows_sized(m, 8, T, inverse, X, ld);
        break;
    }
}

// y += L x for n <= 4 columns
static PANEL_INLINE void gather_sized(int32_t m, int32_t n, const double* restrict L, int64_t ld,
                                      const double* restrict x, double* restrict y)
{
    for (int32_t i = 0; i < m; i += LANES) {
        Vector sum = *(const Vector*)(y + i);
        for (int32_t j = 0; j < n; ++j)
            sum += *(const Vector*)(L + j * ld + i) * x[j];
        *(Vector*)(y + i) = sum;
    }
}

static PANEL_TARGET void gather(int32_t m, int32_t n, const double* L, int64_t ld, const double* x,
                                double* y)
{
    int32_t j = 0;
    memset(y, 0, (size_t)m * sizeof *y);
    for (; j + 4 <= n; j += 4)
        gather_sized(m, 4, L + j * ld, ld, x + j, y);
    L += j * ld;
    if (n - j == 3)
        gather_sized(m, 3, L, ld, x + j, y);
    else if (n - j == 2)
        gather_sized(m, 2, L, ld, x + j, y);
    else if (n - j == 1)
        gather_sized(m, 1, L, ld, x + j, y);
}

// x -= L' y for n <= 4 columns
static PANEL_INLINE void project_sized(int32_t m, int32_t n, const double* restrict L, int64_t ld,
                                       const double* restrict y, double* restrict x)
{
    const Vector zero = {0.0, 0.0, 0.0, 0.0};
    Vector sum[COLUMNS] = {zero, zero, zero, zero};
    for (int32_t i = 0; i < m; i += LANES) {
        const Vector value = *(const Vector*)(y + i);
        for (int32_t j = 0; j < n; ++j)
            sum[j] += *(const Vector*)(L + j * ld + i) * value;
    }
    for (int32_t j = 0; j < n; ++j)
        x[j] -= (sum[j][0] + sum[j][1]) + (sum[j][2] + sum[j][3]);
}

static PANEL_TARGET void project(int32_t m, int32_t n, const double* L, int64_t ld, const double* y,
                                 double* x)
{
    int32_t j = 0;
    for (; j + 4 <= n; j += 4)
        project_sized(m, 4, L + j * ld, ld, y, x + j);
    if (n - j == 3)
        project_sized(m, 3, L + j * ld, ld, y, x + j);
    else if (n - j == 2)
        project_sized(m, 2, L + j * ld, ld, y, x + j);
    else if (n - j == 1)
        project_sized(m, 1, L + j * ld, ld, y, x + j);
}

static const SticPanelKernels kernels = {update, solve_rows, gather, project};

#endif
