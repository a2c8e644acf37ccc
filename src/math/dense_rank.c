// SPDX-License-Identifier: Apache-2.0
// Gaussian elimination with complete pivoting, which reveals the rank: equations of joints that
// repeat each other are dependent, and all of their solutions give the same motion.
//
// The matrix is scaled first, twice by rows and columns, so that its entries are of the order of
// one whatever the units and masses are.
#include "math/dense_rank.h"
#include "stiction/extend/base.h"

#include <math.h>
#include <stdbool.h>

double stic_dense_unit(double size)
{
    int exponent = 0;
    if (!(size > 0.0) || !isfinite(size))
        return 1.0;
    (void)frexp(size, &exponent);
    return ldexp(1.0, -exponent);
}

// one pass: scale rows (or columns) by the root of their largest entry
static void scale(SticDenseRank* f, bool rows)
{
    const int32_t n = f->n;
    for (int32_t i = 0; i < n; ++i) {
        double most = 0.0;
        for (int32_t j = 0; j < n; ++j) {
            const double entry = fabs(rows ? f->a[i * n + j] : f->a[j * n + i]);
            most = entry > most ? entry : most;
        }
        const double factor = stic_dense_unit(sqrt(most));
        (rows ? f->row_scale : f->col_scale)[i] *= factor;
        for (int32_t j = 0; j < n; ++j)
            f->a[rows ? i * n + j : j * n + i] *= factor;
    }
}

static void exchange(SticDenseRank* f, int32_t k, int32_t row, int32_t col)
{
    const int32_t n = f->n, r = f->row[k], c = f->col[k];
    for (int32_t j = 0; row != k && j < n; ++j) {
        const double entry = f->a[k * n + j];
        f->a[k * n + j] = f->a[row * n + j];
        f->a[row * n + j] = entry;
    }
    for (int32_t i = 0; col != k && i < n; ++i) {
        const double entry = f->a[i * n + k];
        f->a[i * n + k] = f->a[i * n + col];
        f->a[i * n + col] = entry;
    }
    f->row[k] = f->row[row];
    f->row[row] = r;
    f->col[k] = f->col[col];
    f->col[col] = c;
}

// the largest entry of the rows and columns from k on
static int32_t largest(const SticDenseRank* f, int32_t k)
{
    int32_t best = k * f->n + k;
    for (int32_t i = k; i < f->n; ++i)
        for (int32_t j = k; j < f->n; ++j)
            if (fabs(f->a[i * f->n + j]) > fabs(f->a[best]))
                best = i * f->n + j;
    return best;
}

// eliminate column k from the rows below; returns the largest remaining entry
static int32_t eliminate(SticDenseRank* f, int32_t k)
{
    const int32_t n = f->n;
    const double* pivot = f->a + k * n;
    int32_t best = k * n + k;
    double most = -1.0;
    for (int32_t i = k + 1; i < n; ++i) {
        double *row = f->a + i * n, here = 0.0;
        const double factor = row[k] / pivot[k];
        row[k] = factor;
        for (int32_t j = k + 1; j < n; ++j) {
            row[j] -= factor * pivot[j];
            here = fabs(row[j]) > here ? fabs(row[j]) : here;
        }
        if (!(here > most))
            continue;
        most = here;
        for (int32_t j = k + 1; j < n; ++j)
            if (fabs(row[j]) == here)
                best = i * n + j;
    }
    return best;
}

void stic_dense_rank_factorise(SticDenseRank* f)
{
    STIC_ASSERT(f != NULL);
    static const double nothing = 1e-10;
    const int32_t n = f->n;
    for (int32_t i = 0; i < n; ++i) {
        f->row[i] = f->col[i] = i;
        f->row_scale[i] = f->col_scale[i] = 1.0;
    }
    for (int pass = 0; pass < 6; ++pass)
        scale(f, pass % 2 == 0);
    f->rank = n;
    int32_t best = largest(f, 0);
    for (int32_t k = 0; k < n; ++k) {
        if (!(fabs(f->a[best]) > nothing)) {
            f->rank = k;
            return;
        }
        exchange(f, k, best / n, best % n);
        best = eliminate(f, k);
    }
}

void stic_dense_rank_solve(const SticDenseRank* f, double* x)
{
    const int32_t n = f->n;
    double* y = f->scratch;
    for (int32_t i = 0; i < f->rank; ++i) {
        double sum = f->row_scale[f->row[i]] * x[f->row[i]];
        for (int32_t k = 0; k < i; ++k)
            sum -= f->a[i * n + k] * y[k];
        y[i] = sum;
    }
    for (int32_t i = f->rank - 1; i >= 0; --i) {
        double sum = y[i];
        for (int32_t k = i + 1; k < f->rank; ++k)
            sum -= f->a[i * n + k] * y[k];
        y[i] = sum / f->a[i * n + i];
    }
    for (int32_t i = 0; i < n; ++i)
        x[f->col[i]] = i < f->rank ? f->col_scale[f->col[i]] * y[i] : 0.0;
}
