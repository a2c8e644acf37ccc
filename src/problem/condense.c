// SPDX-License-Identifier: Apache-2.0
// Local form from the global one: W = P' M^-1 H, b = P' M^-1 f + w.
//
// Block-diagonal M: sums of small products over the bodies two interactions share (Koziara's
// thesis, eqs. 7.1.4-7.1.7, summed over all shared bodies), W as sparse as the contact graph.
// Sparse M with a solver: one solve per row of r, or sums of columns of M^-1 where M keeps them; W
// is in general full within a connected structure, blocks that vanish exactly are left out. Cost:
// rows solves and rows x rows numbers while it runs.
#include "problem/mass.h"

#include "sparse/sparse.h"
#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"

#include <string.h>

// b = P' M^-1 f + w
static SticStatus condense_free(SticArena* arena, const SticProblem* problem, double* b)
{
    const SticBlockCsr* Pt = problem->Pt != NULL ? problem->Pt : problem->Ht;
    const SticArenaMark mark = stic_arena_mark(arena);
    double* v = NULL;
    STIC_TRY(STIC_TAKE(arena, &v, problem->dof));
    STIC_TRY(stic_mass_solve(problem->M, problem->f, v));
    memcpy(b, problem->w, (size_t)problem->rows * sizeof *b);
    stic_block_csr_multiply(1.0, Pt, v, 1.0, b);
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

// row `a` of interaction j as a column of H, spread over all velocities
static void spread_column(const SticBlockCsr* Ht, int32_t j, int32_t a, double* column)
{
    memset(column, 0, (size_t)stic_block_csr_width(Ht) * sizeof *column);
    for (int32_t e = Ht->begin[j]; e < Ht->begin[j + 1]; ++e) {
        const int32_t at = Ht->col_at[Ht->col[e]], cols = Ht->col_at[Ht->col[e] + 1] - at;
        memcpy(column + at, Ht->value + Ht->value_at[e] + (int64_t)a * cols,
               (size_t)cols * sizeof *column);
    }
}

// column += the columns of M^-1 of row `a` of interaction j; `all`: none of them had to be left out
static SticStatus add_columns(const SticProblem* problem, int32_t j, int32_t a, double* column,
                              bool* all)
{
    const SticBlockCsr* Ht = problem->Ht;
    const int32_t dof = problem->dof;
    *all = problem->M->columns != NULL;
    for (int32_t e = Ht->begin[j]; *all && e < Ht->begin[j + 1]; ++e) {
        const int32_t cols = Ht->col_at[Ht->col[e] + 1] - Ht->col_at[Ht->col[e]];
        const double* H = Ht->value + Ht->value_at[e] + (int64_t)a * cols;
        const double* own = NULL;
        STIC_TRY(problem->M->columns(problem->M->factor, Ht->col[e], &own));
        *all = own != NULL;
        for (int32_t k = 0; *all && k < cols; ++k, own += dof)
            for (int32_t c = 0; H[k] != 0.0 && c < dof; ++c)
                column[c] += H[k] * own[c];
    }
    return STIC_OK;
}

// M^-1 times row `a` of interaction j as a column of H: from columns that are kept, or by a solve
static SticStatus image_of(const SticProblem* problem, int32_t j, int32_t a, double* column)
{
    bool all;
    memset(column, 0, (size_t)problem->dof * sizeof *column);
    STIC_TRY(add_columns(problem, j, a, column, &all));
    if (all)
        return STIC_OK;
    spread_column(problem->Ht, j, a, column);
    return problem->M->solve(problem->M->factor, column);
}

// W column by column through the solver of M
static SticStatus condense_by_solves(SticArena* arena, const SticProblem* problem, SticBlockCsr* W)
{
    const SticBlockCsr* Pt = problem->Pt != NULL ? problem->Pt : problem->Ht;
    const int32_t rows = problem->rows;
    double *column = NULL, *image = NULL, *dense = NULL;
    STIC_TRY(STIC_TAKE(arena, &column, problem->dof));
    STIC_TRY(STIC_TAKE(arena, &image, rows));
    STIC_TRY(STIC_TAKE(arena, &dense, (size_t)rows * (size_t)rows));
    for (int32_t j = 0; j < problem->count; ++j)
        for (int32_t row = problem->row_at[j]; row < problem->row_at[j + 1]; ++row) {
            STIC_TRY(image_of(problem, j, row - problem->row_at[j], column));
            stic_block_csr_multiply(1.0, Pt, column, 0.0, image);
            for (int32_t i = 0; i < rows; ++i)
                dense[(size_t)i * (size_t)rows + (size_t)row] = image[i];
        }
    const SticPartition partition = {.rows = problem->count,
                                     .cols = problem->count,
                                     .row_at = problem->row_at,
                                     .col_at = problem->row_at};
    return stic_block_csr_from_dense(&partition, dense, arena, W);
}

SticStatus stic_problem_condense(SticArena* arena, const SticProblem* problem, SticProblem* local,
                                 SticError* error)
{
    STIC_ASSERT(arena != NULL);
    STIC_ASSERT(problem != NULL);
    STIC_ASSERT(local != NULL);
    *local = *problem;
    if (problem->W != NULL && problem->b != NULL)
        return STIC_OK;
    STIC_TRY(stic_mass_check(problem, error));
    SticBlockCsr* W = NULL;
    double* b = NULL;
    STIC_TRY(STIC_TAKE(arena, &W, 1));
    STIC_TRY(STIC_TAKE(arena, &b, problem->rows));
    SticStatus status = STIC_OK;
    if (problem->M->kind == STIC_MASS_BLOCKS)
        status = stic_block_csr_product3(problem->Pt != NULL ? problem->Pt : problem->Ht,
                                         problem->M->inverse, problem->Ht, arena, W);
    else
        status = condense_by_solves(arena, problem, W);
    if (status == STIC_OK)
        status = condense_free(arena, problem, b);
    if (status != STIC_OK)
        return stic_error_set(error, status, "W = P' M^-1 H could not be formed: %s",
                              stic_status_text(status));
    local->W = W;
    local->b = b;
    return STIC_OK;
}
