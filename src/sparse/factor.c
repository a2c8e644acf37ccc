// SPDX-License-Identifier: Apache-2.0
// Factors as objects: creation, computation, iterative refinement, condition estimate.
//
// Refinement: x += A^-1 (b - A x) in working precision. It is stopped by the componentwise backward
// error max_i |b - A x|_i / (|A| |x| + |b|)_i (Oettli and Prager, Numer. Math. 6, 1964; Arioli,
// Demmel and Duff, SIAM J. Matrix Anal. Appl. 10, 1989, eq. 2.2).
// Condition: |A|_1 times an estimate of |A^-1|_1 from a few solves (Hager, SIAM J. Sci. Stat.
// Comput. 5, 1984; Higham, ACM TOMS 14, 1988, algorithm 4.1).
#include "sparse/factor.h"

#include "stiction/extend/base.h"

#include <float.h>
#include <math.h>
#include <string.h>

SticPivotSettings stic_pivot_default_settings(void)
{
    const SticPivotSettings settings = {
        .tiny = 64.0 * DBL_EPSILON,
        .replacement = 1.4901161193847656e-8, // sqrt(DBL_EPSILON) = 2^-26
        .sign = NULL,
    };
    return settings;
}

static SticStatus take_arrays(SticFactor* to)
{
    const SticSymbolic* symbolic = to->symbolic;
    const int32_t count = symbolic->supernodes;
    const int32_t tall = stic_padded(symbolic->widest);
    const bool general = to->kind == STIC_FACTOR_LU;
    STIC_TRY(STIC_TAKE(to->arena, &to->diagonal, symbolic->diagonal_at[count]));
    STIC_TRY(STIC_TAKE(to->arena, &to->lower, symbolic->panel_at[count]));
    STIC_TRY(STIC_TAKE(to->arena, &to->pivot, symbolic->size));
    STIC_TRY(STIC_TAKE(to->arena, &to->inverse, symbolic->size));
    STIC_TRY(STIC_TAKE(to->arena, &to->stack, symbolic->stack_size));
    STIC_TRY(STIC_TAKE(to->arena, &to->stack_at, count));
    STIC_TRY(STIC_TAKE(to->arena, &to->stacked, count));
    STIC_TRY(STIC_TAKE(to->arena, &to->update, symbolic->update_size));
    STIC_TRY(STIC_TAKE(to->arena, &to->packed, STIC_PANEL_PACKED));
    STIC_TRY(STIC_TAKE(to->arena, &to->y, symbolic->tallest > tall ? symbolic->tallest : tall));
    if (!general)
        return STIC_TAKE(to->arena, &to->row_size, symbolic->size);
    STIC_TRY(STIC_TAKE(to->arena, &to->upper, symbolic->panel_at[count]));
    STIC_TRY(STIC_TAKE(to->arena, &to->row_scale, symbolic->size));
    STIC_TRY(STIC_TAKE(to->arena, &to->swap, symbolic->size));
    STIC_TRY(STIC_TAKE(to->arena, &to->ones, symbolic->widest));
    for (int32_t j = 0; j < symbolic->widest; ++j)
        to->ones[j] = 1.0;
    return STIC_OK;
}

// everything a factor takes from its arena, so that it comes as one block
static size_t arena_bytes(const SticSymbolic* symbolic, SticFactorKind kind)
{
    const size_t size = (size_t)symbolic->size, count = (size_t)symbolic->supernodes;
    size_t values = 8 * size + STIC_PANEL_PACKED + (size_t)symbolic->tallest +
                    (size_t)symbolic->widest + 2 * count;
    if (kind != STIC_FACTOR_CHOLMOD)
        values +=
            (size_t)(symbolic->diagonal_at[count] + symbolic->stack_size + symbolic->update_size +
                     symbolic->panel_at[count] * (kind == STIC_FACTOR_LU ? 2 : 1));
    return (values + 32 * 8) * sizeof(double);
}

static SticStatus fill_factor(SticFactor* to, SticError* error)
{
    STIC_TRY(
        stic_arena_create(&to->symbolic->context, arena_bytes(to->symbolic, to->kind), &to->arena));
    STIC_TRY(STIC_TAKE(to->arena, &to->z, to->symbolic->size));
    for (int32_t k = 0; k < 3; ++k)
        STIC_TRY(STIC_TAKE(to->arena, &to->work[k], to->symbolic->size));
    (void)error;
    if (to->kind != STIC_FACTOR_CHOLMOD)
        return take_arrays(to);
#ifdef STIC_HAVE_CHOLMOD
    return stic_cholmod_create(to, error);
#else
    return stic_error_set(error, STIC_UNSUPPORTED, "this build has no CHOLMOD");
#endif
}

SticStatus stic_factor_create(const SticSymbolic* symbolic, SticFactorKind kind,
                              SticFactor** factor, SticError* error)
{
    STIC_ASSERT(symbolic != NULL);
    STIC_ASSERT(factor != NULL);
    *factor = NULL;
    SticFactor* made = NULL;
    STIC_TRY(STIC_ALLOCATE(&symbolic->context, &made, 1));
    made->symbolic = symbolic;
    made->kind = kind;
    made->kernels = stic_panel_kernels(false);
    const SticStatus status = fill_factor(made, error);
    if (status != STIC_OK) {
        stic_factor_destroy(made);
        return status;
    }
    *factor = made;
    return STIC_OK;
}

void stic_factor_destroy(SticFactor* factor)
{
    if (factor == NULL)
        return;
#ifdef STIC_HAVE_CHOLMOD
    if (factor->kind == STIC_FACTOR_CHOLMOD)
        stic_cholmod_destroy(factor);
#endif
    const SticContext context = factor->symbolic->context;
    stic_arena_destroy(factor->arena);
    STIC_RELEASE(&context, factor, 1);
}

// largest entry of U over 1, the bound of the scaled matrix; infinite if any pivot is not finite
static double measure_growth(const SticFactor* factor)
{
    double most = 0.0;
    for (int32_t p = 0; p < factor->symbolic->size; ++p) {
        if (!isfinite(factor->pivot[p]) || !isfinite(factor->inverse[p]))
            return INFINITY;
        if (fabs(factor->pivot[p]) > most)
            most = fabs(factor->pivot[p]);
    }
    return most;
}

// sign of the determinant: negative pivots and exchanged rows
static int32_t find_sign(const SticFactor* factor)
{
    const SticSymbolic* symbolic = factor->symbolic;
    bool negative = false;
    for (int32_t s = 0; s < symbolic->supernodes; ++s)
        for (int32_t p = symbolic->first[s]; p < symbolic->first[s + 1]; ++p) {
            const bool exchanged = factor->swap[p] != p - symbolic->first[s];
            negative = negative != ((factor->pivot[p] < 0.0) != exchanged);
        }
    return negative ? -1 : 1;
}

SticStatus stic_factor_compute(SticFactor* factor, const SticBlockCsr* A,
                               const SticPivotSettings* settings, SticFactorInfo* info)
{
    const SticPivotSettings defaults = stic_pivot_default_settings();
    SticFactorInfo ignored;
    info = info != NULL ? info : &ignored;
    memset(info, 0, sizeof *info);
    if (!stic_symbolic_fits(factor->symbolic, A))
        return STIC_BAD_ARGUMENT;
#ifdef STIC_HAVE_CHOLMOD
    if (factor->kind == STIC_FACTOR_CHOLMOD)
        return stic_cholmod_compute(factor, A, info);
#endif
    stic_multifrontal_compute(factor, A, settings != NULL ? settings : &defaults, info);
    const double growth = measure_growth(factor);
    info->pivot_growth = factor->kind == STIC_FACTOR_LU ? growth : 0.0;
    if (factor->kind == STIC_FACTOR_LU)
        info->sign = find_sign(factor);
    return isfinite(growth) ? STIC_OK : STIC_NOT_FINITE;
}

// residual = b - A x; gives the componentwise backward error
static double backward_error(const SticBlockCsr* A, const double* b, const double* x,
                             double* residual, double* bound)
{
    double worst = 0.0;
    for (int32_t i = 0; i < A->rows; ++i) {
        const int32_t first = A->row_at[i], m = A->row_at[i + 1] - first;
        for (int32_t r = 0; r < m; ++r) {
            residual[first + r] = b[first + r];
            bound[first + r] = fabs(b[first + r]);
        }
        for (int32_t k = A->begin[i]; k < A->begin[i + 1]; ++k) {
            const int32_t at = A->col_at[A->col[k]], n = A->col_at[A->col[k] + 1] - at;
            const double* value = A->value + A->value_at[k];
            for (int32_t r = 0; r < m; ++r)
                for (int32_t c = 0; c < n; ++c) {
                    const double product = *value++ * x[at + c];
                    residual[first + r] -= product;
                    bound[first + r] += fabs(product);
                }
        }
        for (int32_t r = first; r < first + m; ++r) {
            const double error = residual[r] == 0.0 ? 0.0 : fabs(residual[r]) / bound[r];
            if (!(error <= worst))
                worst = error;
        }
    }
    return worst;
}

double stic_factor_refine(const SticFactor* factor, const SticBlockCsr* A, const double* b,
                          int32_t steps, double* x)
{
    STIC_ASSERT(factor != NULL);
    STIC_ASSERT(A != NULL);
    const size_t bytes = (size_t)factor->symbolic->size * sizeof *x;
    double *residual = factor->work[0], *bound = factor->work[1], *before = factor->work[2];
    memcpy(x, b, bytes);
    stic_factor_solve(factor, x);
    double error = backward_error(A, b, x, residual, bound);
    // below this the error is that of computing the residual itself
    const double floor_error = DBL_EPSILON;
    for (int32_t step = 0; step < steps && error > floor_error; ++step) {
        memcpy(before, x, bytes);
        stic_factor_solve(factor, residual);
        for (int32_t p = 0; p < factor->symbolic->size; ++p)
            x[p] += residual[p];
        const double next = backward_error(A, b, x, residual, bound);
        // a step that made it worse is undone; one that hardly helped is the last
        if (!(next < error)) {
            memcpy(x, before, bytes);
            break;
        }
        const bool slow = next > 0.5 * error;
        error = next;
        if (slow)
            break;
    }
    return error;
}

static double sum_absolute(int32_t n, const double* x)
{
    double sum = 0.0;
    for (int32_t i = 0; i < n; ++i)
        sum += fabs(x[i]);
    return sum;
}

// y = signs of x; false if they were these already
static bool take_signs(int32_t n, const double* x, double* y)
{
    bool changed = false;
    for (int32_t i = 0; i < n; ++i) {
        const double sign = x[i] < 0.0 ? -1.0 : 1.0;
        changed = changed || y[i] != sign;
        y[i] = sign;
    }
    return changed;
}

// estimate of |A^-1|_1
static double inverse_norm(const SticFactor* factor)
{
    const int32_t n = factor->symbolic->size;
    double *x = factor->work[0], *sign = factor->work[1], *z = factor->work[2];
    for (int32_t i = 0; i < n; ++i) {
        x[i] = 1.0 / n;
        sign[i] = 0.0;
    }
    stic_factor_solve(factor, x);
    double norm = sum_absolute(n, x);
    int32_t column = -1;
    // Higham stops after five steps; more hardly ever change the estimate
    for (int32_t step = 0; step < 5 && take_signs(n, x, sign); ++step) {
        memcpy(z, sign, (size_t)n * sizeof *z);
        stic_factor_solve_transpose(factor, z);
        int32_t best = 0;
        for (int32_t i = 1; i < n; ++i)
            if (fabs(z[i]) > fabs(z[best]))
                best = i;
        if (column >= 0 && fabs(z[best]) <= fabs(z[column]))
            break;
        column = best;
        memset(x, 0, (size_t)n * sizeof *x);
        x[column] = 1.0;
        stic_factor_solve(factor, x);
        const double next = sum_absolute(n, x);
        if (!(next > norm))
            break;
        norm = next;
    }
    // a second vector catches the cases that are known to fool the first
    for (int32_t i = 0; i < n; ++i)
        x[i] = (i % 2 == 0 ? 1.0 : -1.0) * (1.0 + (n > 1 ? (double)i / (n - 1) : 0.0));
    stic_factor_solve(factor, x);
    const double other = 2.0 * sum_absolute(n, x) / (3.0 * n);
    return other > norm ? other : norm;
}

double stic_factor_condition(const SticFactor* factor, const SticBlockCsr* A)
{
    STIC_ASSERT(factor != NULL);
    STIC_ASSERT(A != NULL);
    if (factor->symbolic->size == 0)
        return 1.0;
    const double norm = stic_block_csr_norm1(A, factor->work[0]);
    return norm * inverse_norm(factor);
}
