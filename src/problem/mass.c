// SPDX-License-Identifier: Apache-2.0
// The matrix M of the global form: whether it can be used, and solving with it.
#include "problem/mass.h"

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

SticStatus stic_mass_solve(const SticMass* M, const double* from, double* x)
{
    if (M->kind == STIC_MASS_BLOCKS) {
        stic_block_csr_multiply(1.0, M->inverse, from, 0.0, x);
        return STIC_OK;
    }
    memcpy(x, from, (size_t)stic_block_csr_height(M->A) * sizeof *x);
    return M->solve(M->factor, x);
}

void stic_mass_sizes(const SticMass* M, const double* f, const double* v, double* size)
{
    const int32_t dof = stic_block_csr_height(M->A);
    for (int32_t c = 0; c < dof; ++c)
        size[c] = fabs(v[c]);
    if (M->kind != STIC_MASS_BLOCKS)
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
