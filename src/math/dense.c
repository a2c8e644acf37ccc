// SPDX-License-Identifier: Apache-2.0
// Small dense kernels: products, Cholesky, LU with partial pivoting, condition estimate.
//
// Textbook algorithms by rows (Golub and Van Loan, Matrix Computations, sections 3.4 and 4.2):
// n^3/3 operations for Cholesky, 2 n^3/3 for LU, 2 n^2 a solve; no workspace but what the caller
// gives. Each is written once as an inline function of n; sizes 3 and 6 call it with a constant, so
// that the compiler unrolls it, and give the same bits as the general size. Sums run in index
// order.
#include "math/math.h"

#include "stiction/extend/base.h"

#include <string.h>

void stic_dense_mul(int32_t m, int32_t k, int32_t n, const double* a, const double* b, double* c)
{
    STIC_ASSERT(m >= 0 && k >= 0 && n >= 0);
    STIC_ASSERT(k == 0 || m == 0 || n == 0 || (c != a && c != b));
    for (int32_t i = 0; i < m; ++i) {
        double* row = c + (size_t)i * (size_t)n;
        for (int32_t j = 0; j < n; ++j)
            row[j] = 0.0;
        for (int32_t l = 0; l < k; ++l) {
            const double factor = a[i * k + l];
            for (int32_t j = 0; j < n; ++j)
                row[j] += factor * b[l * n + j];
        }
    }
}

void stic_dense_mul_vec(int32_t m, int32_t n, const double* a, const double* x, double* y)
{
    STIC_ASSERT(m >= 0 && n >= 0);
    STIC_ASSERT(m == 0 || n == 0 || y != x);
    for (int32_t i = 0; i < m; ++i) {
        double sum = 0.0;
        for (int32_t j = 0; j < n; ++j)
            sum += a[i * n + j] * x[j];
        y[i] = sum;
    }
}

bool stic_dense_is_finite(int32_t n, const double* x)
{
    // the sum of all values times zero is NaN exactly if one of them is not finite
    double sum = 0.0;
    for (int32_t k = 0; k < n; ++k)
        sum += 0.0 * x[k];
    return sum == 0.0;
}

double stic_dense_norm1(int32_t n, const double* a)
{
    STIC_ASSERT(n >= 0);
    double top = 0.0;
    for (int32_t j = 0; j < n; ++j) {
        double sum = 0.0;
        for (int32_t i = 0; i < n; ++i)
            sum += fabs(a[i * n + j]);
        top = sum <= top ? top : sum; // keeps NaN
    }
    return top;
}

/* ---- Cholesky ---- */

static inline SticStatus cholesky(int32_t n, double* a)
{
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t j = 0; j <= i; ++j) {
            double sum = a[i * n + j];
            for (int32_t k = 0; k < j; ++k)
                sum -= a[i * n + k] * a[j * n + k];
            if (j < i) {
                a[i * n + j] = sum / a[j * n + j];
                continue;
            }
            if (!(sum > 0.0) || !isfinite(sum))
                return STIC_SINGULAR;
            a[i * n + i] = sqrt(sum);
        }
    }
    return STIC_OK;
}

static inline void cholesky_solve(int32_t n, const double* l, double* x)
{
    for (int32_t i = 0; i < n; ++i) {
        double sum = x[i];
        for (int32_t k = 0; k < i; ++k)
            sum -= l[i * n + k] * x[k];
        x[i] = sum / l[i * n + i];
    }
    for (int32_t i = n - 1; i >= 0; --i) {
        double sum = x[i];
        for (int32_t k = i + 1; k < n; ++k)
            sum -= l[k * n + i] * x[k];
        x[i] = sum / l[i * n + i];
    }
}

// a^-1 = L^-T L^-1, from the lower triangle of `inverse`, in place
static inline SticStatus spd_inverse(int32_t n, double* inverse)
{
    STIC_TRY(cholesky(n, inverse));
    // L := L^-1, column by column; entries below in the column are not needed as L any more
    for (int32_t j = 0; j < n; ++j) {
        inverse[j * n + j] = 1.0 / inverse[j * n + j];
        for (int32_t i = j + 1; i < n; ++i) {
            double sum = 0.0;
            for (int32_t k = j; k < i; ++k)
                sum -= inverse[i * n + k] * inverse[k * n + j];
            inverse[i * n + j] = sum / inverse[i * n + i];
        }
    }
    // lower triangle of L^-T L^-1, row by row; row i needs only rows from i on
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j <= i; ++j) {
            double sum = 0.0;
            for (int32_t k = i; k < n; ++k)
                sum += inverse[k * n + i] * inverse[k * n + j];
            inverse[i * n + j] = sum;
        }
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = i + 1; j < n; ++j)
            inverse[i * n + j] = inverse[j * n + i];
    return STIC_OK;
}

SticStatus stic_dense_cholesky(int32_t n, double* a)
{
    return n == 3 ? cholesky(3, a) : n == 6 ? cholesky(6, a) : cholesky(n, a);
}

void stic_dense_cholesky_solve(int32_t n, const double* factor, double* x)
{
    STIC_ASSERT(n >= 0);
    if (n == 3)
        cholesky_solve(3, factor, x);
    else if (n == 6)
        cholesky_solve(6, factor, x);
    else
        cholesky_solve(n, factor, x);
}

SticStatus stic_dense_spd_inverse(int32_t n, const double* a, double* inverse)
{
    if (inverse != a)
        memcpy(inverse, a, (size_t)n * (size_t)n * sizeof *a);
    return n == 3   ? spd_inverse(3, inverse)
           : n == 6 ? spd_inverse(6, inverse)
                    : spd_inverse(n, inverse);
}

/* ---- LU ---- */

// up to which every entry is taken, without a look whether it is zero
enum { SMALL = 6 };

static inline void exchange_rows(int32_t n, double* a, int32_t i, int32_t j)
{
    for (int32_t k = 0; i != j && k < n; ++k) {
        const double entry = a[i * n + k];
        a[i * n + k] = a[j * n + k];
        a[j * n + k] = entry;
    }
}

static inline SticStatus lu(int32_t n, double* a, int32_t* pivot)
{
    for (int32_t k = 0; k < n; ++k) {
        int32_t best = k;
        for (int32_t i = k + 1; i < n; ++i)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k]))
                best = i;
        pivot[k] = best;
        exchange_rows(n, a, k, best);
        const double diagonal = a[k * n + k];
        if (diagonal == 0.0 || !isfinite(diagonal))
            return STIC_SINGULAR;
        // matrices of chains and rows of bodies are banded: what adds zeros is passed over
        int32_t end = n;
        while (n > SMALL && end > k + 1 && a[k * n + end - 1] == 0.0)
            --end;
        for (int32_t j = k + 1; n > SMALL && j < end; ++j)
            if (!isfinite(a[k * n + j]))
                return STIC_SINGULAR;
        for (int32_t i = k + 1; i < n; ++i) {
            if (n > SMALL && a[i * n + k] == 0.0)
                continue;
            const double factor = a[i * n + k] / diagonal;
            a[i * n + k] = factor;
            for (int32_t j = k + 1; j < end; ++j)
                a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return STIC_OK;
}

// rows in the order of the factor
static inline void exchange(int32_t n, const int32_t* pivot, double* x)
{
    for (int32_t k = 0; k < n; ++k) {
        const double entry = x[pivot[k]];
        x[pivot[k]] = x[k];
        x[k] = entry;
    }
}

static inline void lu_solve(int32_t n, const double* a, const int32_t* pivot, double* x)
{
    exchange(n, pivot, x);
    for (int32_t i = 1; i < n; ++i) {
        double sum = x[i];
        for (int32_t k = 0; k < i; ++k)
            sum -= a[i * n + k] * x[k];
        x[i] = sum;
    }
    for (int32_t i = n - 1; i >= 0; --i) {
        double sum = x[i];
        for (int32_t k = i + 1; k < n; ++k)
            sum -= a[i * n + k] * x[k];
        x[i] = sum / a[i * n + i];
    }
}

SticStatus stic_dense_lu(int32_t n, double* a, int32_t* pivot)
{
    return n == 3 ? lu(3, a, pivot) : n == 6 ? lu(6, a, pivot) : lu(n, a, pivot);
}

void stic_dense_lu_solve(int32_t n, const double* factor, const int32_t* pivot, double* x)
{
    STIC_ASSERT(n >= 0);
    if (n == 3)
        lu_solve(3, factor, pivot, x);
    else if (n == 6)
        lu_solve(6, factor, pivot, x);
    else
        lu_solve(n, factor, pivot, x);
}

void stic_dense_lu_extent(int32_t n, const double* factor, int32_t* first, int32_t* end)
{
    STIC_ASSERT(n >= 0);
    for (int32_t i = 0; i < n; ++i) {
        first[i] = 0;
        end[i] = n;
        while (first[i] < i && factor[i * n + first[i]] == 0.0)
            first[i] += 1;
        while (end[i] > i + 1 && factor[i * n + end[i] - 1] == 0.0)
            end[i] -= 1;
    }
}

void stic_dense_lu_solve_within(int32_t n, const double* factor, const int32_t* pivot,
                                const int32_t* first, const int32_t* end, double* x)
{
    STIC_ASSERT(n >= 0);
    exchange(n, pivot, x);
    for (int32_t i = 1; i < n; ++i) {
        double sum = x[i];
        for (int32_t k = first[i]; k < i; ++k)
            sum -= factor[i * n + k] * x[k];
        x[i] = sum;
    }
    for (int32_t i = n - 1; i >= 0; --i) {
        double sum = x[i];
        for (int32_t k = i + 1; k < end[i]; ++k)
            sum -= factor[i * n + k] * x[k];
        x[i] = sum / factor[i * n + i];
    }
}

void stic_dense_lu_solve_transpose(int32_t n, const double* factor, const int32_t* pivot, double* x)
{
    STIC_ASSERT(n >= 0);
    // a = P'L U: solve U' y = x, L' z = y, then undo the exchanges in reverse
    for (int32_t i = 0; i < n; ++i) {
        double sum = x[i];
        for (int32_t k = 0; k < i; ++k)
            sum -= factor[k * n + i] * x[k];
        x[i] = sum / factor[i * n + i];
    }
    for (int32_t i = n - 1; i >= 0; --i) {
        double sum = x[i];
        for (int32_t k = i + 1; k < n; ++k)
            sum -= factor[k * n + i] * x[k];
        x[i] = sum;
    }
    for (int32_t k = n - 1; k >= 0; --k) {
        const double entry = x[pivot[k]];
        x[pivot[k]] = x[k];
        x[k] = entry;
    }
}

static double sum_of_sizes(int32_t n, const double* x)
{
    double sum = 0.0;
    for (int32_t i = 0; i < n; ++i)
        sum += fabs(x[i]);
    return sum;
}

// |a^-1|_1 from below: Hager's ascent to a vertex of the unit ball, at most five steps, and
// Higham's vector with alternating signs against symmetric accidents (Higham 1988, algorithm 4.1)
static double inverse_norm1(int32_t n, const double* factor, const int32_t* pivot, double* work)
{
    double *x = work, *y = work + n;
    double estimate = 0.0;
    for (int32_t i = 0; i < n; ++i)
        x[i] = 1.0 / (double)n;
    for (int step = 0; step < 5; ++step) {
        memcpy(y, x, (size_t)n * sizeof *x);
        stic_dense_lu_solve(n, factor, pivot, y);
        const double size = sum_of_sizes(n, y);
        if (step > 0 && !(size > estimate))
            break;
        estimate = size;
        // the gradient of |a^-1 x|_1 says whether another vertex is higher
        for (int32_t i = 0; i < n; ++i)
            y[i] = y[i] < 0.0 ? -1.0 : 1.0;
        stic_dense_lu_solve_transpose(n, factor, pivot, y);
        int32_t best = 0;
        double slope = 0.0;
        for (int32_t i = 0; i < n; ++i) {
            best = fabs(y[i]) > fabs(y[best]) ? i : best;
            slope += y[i] * x[i];
        }
        if (fabs(y[best]) <= slope)
            break;
        for (int32_t i = 0; i < n; ++i)
            x[i] = i == best ? 1.0 : 0.0;
    }
    for (int32_t i = 0; i < n; ++i)
        x[i] = (i % 2 == 0 ? 1.0 : -1.0) * (1.0 + (n > 1 ? (double)i / (double)(n - 1) : 0.0));
    stic_dense_lu_solve(n, factor, pivot, x);
    const double other = 2.0 * sum_of_sizes(n, x) / (3.0 * (double)n);
    return other > estimate ? other : estimate;
}

double stic_dense_lu_condition(int32_t n, const double* factor, const int32_t* pivot, double norm1,
                               double* work)
{
    return norm1 * inverse_norm1(n, factor, pivot, work);
}

void stic_dense_lu_invert(int32_t n, const double* factor, const int32_t* pivot, double* inverse)
{
    STIC_ASSERT(n >= 0);
    STIC_ASSERT(n == 0 || inverse != factor);
    // all right-hand sides at once, so that the inner loop runs along a row
    for (int32_t i = 0; i < n * n; ++i)
        inverse[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    for (int32_t i = 0; i < n; ++i)
        exchange_rows(n, inverse, i, pivot[i]);
    for (int32_t i = 1; i < n; ++i)
        for (int32_t k = 0; k < i; ++k)
            for (int32_t j = 0; j < n; ++j)
                inverse[i * n + j] -= factor[i * n + k] * inverse[k * n + j];
    for (int32_t i = n - 1; i >= 0; --i) {
        for (int32_t k = i + 1; k < n; ++k)
            for (int32_t j = 0; j < n; ++j)
                inverse[i * n + j] -= factor[i * n + k] * inverse[k * n + j];
        for (int32_t j = 0; j < n; ++j)
            inverse[i * n + j] /= factor[i * n + i];
    }
}

SticStatus stic_dense_inverse(int32_t n, const double* a, double* inverse)
{
    enum { LARGEST = 12 };
    double factor[LARGEST * LARGEST];
    int32_t pivot[LARGEST];
    STIC_ASSERT(n <= LARGEST);
    memcpy(factor, a, (size_t)(n * n) * sizeof *a);
    STIC_TRY(lu(n, factor, pivot));
    stic_dense_lu_invert(n, factor, pivot, inverse);
    return STIC_OK;
}
