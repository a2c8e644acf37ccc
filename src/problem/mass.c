// SPDX-License-Identifier: Apache-2.0
// The matrix M of the global form: whether it can be used, and solving with it.
#include "problem/mass.h"

#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"

#include <math.h>
#include <string.h>

SticStatus stic_mass_check(const SticProblem* problem, SticError* error)
{
    const SticMass* M = problem->M;
    if (M == NULL || problem->Ht == NULL || problem->f == NULL || problem->w == NULL)
        return stic_error_set(error, STIC_BAD_DATA,
                              "the problem has neither W, b nor a complete M, H, f, w");
    if (M->A == NULL || (M->kind == STIC_MASS_BLOCKS && M->inverse == NULL) ||
        (M->kind == STIC_MASS_FACTOR && M->solve == NULL))
        return stic_error_set(error, STIC_BAD_DATA, "M comes without its %s",
                              M->A == NULL                  ? "matrix"
                              : M->kind == STIC_MASS_BLOCKS ? "inverse blocks"
                                                            : "solver");
    const int32_t rows = stic_block_csr_height(M->A);
    if (rows != problem->dof || stic_block_csr_width(problem->Ht) != problem->dof)
        return stic_error_set(error, STIC_BAD_DATA, "M has %d rows and H %d for %d velocities",
                              rows, stic_block_csr_width(problem->Ht), problem->dof);
    return STIC_OK;
}

void stic_mass_divide(const SticMass* M, const double* x, double* y)
{
    if (M->inverse_diagonal == NULL) {
        stic_block_csr_multiply(1.0, M->inverse, x, 0.0, y);
        return;
    }
    for (int32_t c = 0; c < M->A->row_at[M->A->rows]; ++c)
        y[c] = M->inverse_diagonal[c] * x[c];
}

SticStatus stic_mass_solve(const SticMass* M, const double* from, double* x)
{
    if (M->kind == STIC_MASS_BLOCKS) {
        stic_mass_divide(M, from, x);
        return STIC_OK;
    }
    memcpy(x, from, (size_t)M->A->row_at[M->A->rows] * sizeof *x);
    return M->solve(M->factor, x);
}

void stic_mass_multiply(const SticMass* M, const double* x, double b, double* y)
{
    STIC_ASSERT(M != NULL);
    const int32_t dof = M->A->row_at[M->A->rows];
    if (M->diagonal == NULL) {
        stic_block_csr_multiply(1.0, M->A, x, b, y);
        return;
    }
    for (int32_t c = 0; c < dof; ++c)
        y[c] = M->diagonal[c] * x[c] + (b == 0.0 ? 0.0 : b * y[c]);
}

double stic_mass_form(const SticMass* M, const double* x, const double* y)
{
    const SticBlockCsr* A = M->A;
    double sum = 0.0;
    for (int32_t c = 0; M->diagonal != NULL && c < A->row_at[A->rows]; ++c)
        sum += x[c] * M->diagonal[c] * y[c];
    for (int32_t i = 0; M->diagonal == NULL && i < A->rows; ++i)
        for (int32_t e = A->begin[i]; e < A->begin[i + 1]; ++e) {
            const double* value = A->value + A->value_at[e];
            const int32_t first = A->col_at[A->col[e]], end = A->col_at[A->col[e] + 1];
            for (int32_t row = A->row_at[i]; row < A->row_at[i + 1]; ++row)
                for (int32_t c = first; c < end; ++c)
                    sum += x[row] * *value++ * y[c];
        }
    return sum;
}

void stic_mass_sizes(const SticMass* M, const double* f, const double* v, double* size)
{
    const int32_t dof = M->A->row_at[M->A->rows];
    for (int32_t c = 0; c < dof; ++c)
        size[c] = fabs(v[c]);
    // a diagonal M has no sums in which anything could cancel
    if (M->kind != STIC_MASS_BLOCKS || M->diagonal != NULL)
        return;
    const SticBlockCsr* A = M->inverse;
    for (int32_t k = 0; k < A->rows; ++k) {
        const int32_t at = A->row_at[k], n = A->row_at[k + 1] - at;
        const double* row = A->value + A->value_at[A->begin[k]];
        for (int32_t c = 0; c < n; ++c, row += n) {
            double sum = 0.0;
            for (int32_t j = 0; j < n; ++j)
                sum += fabs(row[j] * f[at + j]);
            size[at + c] = sum > size[at + c] ? sum : size[at + c];
        }
    }
}
