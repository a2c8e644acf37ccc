// SPDX-License-Identifier: Apache-2.0
// CHOLMOD behind the interface of the factors: symmetric positive definite matrices, build option.
//
// The lower triangle of A is handed over by scalar columns. The analysis is made at the first
// factorisation and kept; CHOLMOD takes its memory from the C library and its dense kernels from
// the installed BLAS, so that results are of determinism class `library`.
#include "sparse/factor.h"

#include "stiction/extend/base.h"

#ifdef STIC_HAVE_CHOLMOD

#include <cholmod.h>
#include <math.h>
#include <string.h>

typedef struct Cholmod {
    cholmod_common common;
    cholmod_sparse* A;
    cholmod_factor* L;
    cholmod_dense *X, *Y, *E; // result and workspace of solves
    int* next;                // [size] place of the next entry of each column
} Cholmod;

SticStatus stic_cholmod_create(SticFactor* factor, SticError* error)
{
    Cholmod* made = NULL;
    STIC_TRY(STIC_TAKE(factor->arena, &made, 1));
    memset(made, 0, sizeof *made);
    STIC_TRY(STIC_TAKE(factor->arena, &made->next, factor->symbolic->size));
    if (!cholmod_start(&made->common))
        return stic_error_set(error, STIC_OUT_OF_MEMORY, "CHOLMOD could not be started");
    // silent, one ordering, L L' for small matrices too, so that it stops at the first pivot that
    // is not positive
    made->common.print = 0;
    made->common.nmethods = 1;
    made->common.method[0].ordering = CHOLMOD_AMD;
    made->common.final_ll = 1;
    made->common.quick_return_if_not_posdef = 1;
    factor->cholmod = made;
    return STIC_OK;
}

void stic_cholmod_destroy(SticFactor* factor)
{
    Cholmod* own = factor->cholmod;
    if (own == NULL)
        return;
    cholmod_free_dense(&own->X, &own->common);
    cholmod_free_dense(&own->Y, &own->common);
    cholmod_free_dense(&own->E, &own->common);
    cholmod_free_factor(&own->L, &own->common);
    cholmod_free_sparse(&own->A, &own->common);
    cholmod_finish(&own->common);
    factor->cholmod = NULL;
}

// entries of the lower triangle of A in column c of block (i, j)
static int first_row(const SticBlockCsr* A, int32_t i, int32_t j, int32_t c)
{
    return i == j ? c : A->row_at[i];
}

// column starts of the lower triangle
static SticStatus make_pattern(Cholmod* own, const SticBlockCsr* A)
{
    const int32_t n = stic_block_csr_height(A);
    size_t count = 0;
    memset(own->next, 0, (size_t)n * sizeof *own->next);
    for (int32_t i = 0; i < A->rows; ++i)
        for (int32_t k = A->begin[i]; k < A->begin[i + 1] && A->col[k] <= i; ++k)
            for (int32_t c = A->col_at[A->col[k]]; c < A->col_at[A->col[k] + 1]; ++c)
                own->next[c] += A->row_at[i + 1] - first_row(A, i, A->col[k], c);
    for (int32_t c = 0; c < n; ++c)
        count += (size_t)own->next[c];
    own->A =
        cholmod_allocate_sparse((size_t)n, (size_t)n, count, 1, 1, -1, CHOLMOD_REAL, &own->common);
    if (own->A == NULL)
        return STIC_OUT_OF_MEMORY;
    int* start = own->A->p;
    start[0] = 0;
    for (int32_t c = 0; c < n; ++c)
        start[c + 1] = start[c] + own->next[c];
    return STIC_OK;
}

// rows and values; block rows come in rising order, so that columns are sorted
static void fill_values(Cholmod* own, const SticBlockCsr* A)
{
    int* row_of = own->A->i;
    double* value_of = own->A->x;
    memcpy(own->next, own->A->p, (size_t)stic_block_csr_height(A) * sizeof *own->next);
    for (int32_t i = 0; i < A->rows; ++i)
        for (int32_t k = A->begin[i]; k < A->begin[i + 1] && A->col[k] <= i; ++k) {
            const int32_t j = A->col[k], from = A->col_at[j], cols = A->col_at[j + 1] - from;
            const double* value = A->value + A->value_at[k];
            for (int32_t c = 0; c < cols; ++c)
                for (int32_t r = first_row(A, i, j, from + c); r < A->row_at[i + 1]; ++r) {
                    const int place = own->next[from + c]++;
                    row_of[place] = r;
                    value_of[place] = value[(r - A->row_at[i]) * cols + c];
                }
        }
}

SticStatus stic_cholmod_compute(SticFactor* factor, const SticBlockCsr* A, SticFactorInfo* info)
{
    Cholmod* own = factor->cholmod;
    if (own->A == NULL)
        STIC_TRY(make_pattern(own, A));
    fill_values(own, A);
    if (own->L == NULL) {
        own->L = cholmod_analyze(own->A, &own->common);
        if (own->L == NULL)
            return STIC_OUT_OF_MEMORY;
    }
    if (!cholmod_factorize(own->A, own->L, &own->common))
        return own->common.status == CHOLMOD_OUT_OF_MEMORY ? STIC_OUT_OF_MEMORY : STIC_NOT_FINITE;
    info->positive = (int32_t)own->L->minor;
    return own->common.status == CHOLMOD_OK ? STIC_OK : STIC_SINGULAR;
}

void stic_cholmod_solve(const SticFactor* factor, double* x)
{
    Cholmod* own = factor->cholmod;
    const size_t n = (size_t)factor->symbolic->size;
    cholmod_dense b = {.nrow = n,
                       .ncol = 1,
                       .nzmax = n,
                       .d = n,
                       .x = x,
                       .xtype = CHOLMOD_REAL,
                       .dtype = CHOLMOD_DOUBLE};
    if (n > 0 && cholmod_solve2(CHOLMOD_A, own->L, &b, NULL, &own->X, NULL, &own->Y, &own->E,
                                &own->common)) {
        memcpy(x, own->X->x, n * sizeof *x);
        return;
    }
    // out of memory: return nothing that could pass for a solution
    for (size_t i = 0; i < n; ++i)
        x[i] = NAN;
}

#else

// a translation unit must hold something
typedef int stic_no_cholmod;

#endif
