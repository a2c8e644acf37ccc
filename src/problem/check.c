// SPDX-License-Identifier: Apache-2.0
// Validation of a problem: shapes, laws, ranges, finiteness, diagonal blocks.
#include "problem/check.h"

#include "stiction/extend/base.h"
#include "stiction/extend/law.h"
#include "stiction/extend/sparse.h"

#include <math.h>

static SticStatus check_shape(const SticProblem* problem, SticError* error)
{
    if (problem->count < 0 || problem->rows < 0 || problem->dof < 0)
        return stic_error_set(error, STIC_BAD_DATA,
                              "%d interactions, %d rows, %d velocities: none may be negative",
                              (int)problem->count, (int)problem->rows, (int)problem->dof);
    if (problem->row_at == NULL ||
        (problem->count > 0 && (problem->law == NULL || problem->coef == NULL)))
        return stic_error_set(error, STIC_BAD_DATA, "row_at, law and coef are needed");
    const bool local = problem->W != NULL && problem->b != NULL;
    const bool global =
        problem->M != NULL && problem->Ht != NULL && problem->f != NULL && problem->w != NULL;
    if (!local && !global)
        return stic_error_set(
            error, STIC_BAD_DATA,
            "neither the local form (W, b) nor the global form (M, H, f, w) is given");
    if (problem->row_at[0] != 0 || problem->row_at[problem->count] != problem->rows)
        return stic_error_set(error, STIC_BAD_DATA, "row_at runs from %d to %d instead of 0 to %d",
                              (int)problem->row_at[0], (int)problem->row_at[problem->count],
                              (int)problem->rows);
    return STIC_OK;
}

/* ---- laws ---- */

static SticStatus check_coefficients(const SticProblem* problem, int32_t i, SticError* error)
{
    static const char* const names[4] = {"mu", "second mu", "rolling mu", "radius"};
    const double* coef = problem->coef[i];
    // the usual case at once
    if (coef[0] >= 0.0 && coef[1] >= 0.0 && coef[2] >= 0.0 && coef[3] >= 0.0 &&
        coef[0] + coef[1] + coef[2] + coef[3] < INFINITY)
        return STIC_OK;
    for (int k = 0; k < 4; ++k) {
        const double value = problem->coef[i][k];
        if (!isfinite(value))
            return stic_error_set(error, STIC_NOT_FINITE, "the %s of interaction %d is not finite",
                                  names[k], (int)i);
        if (value < 0.0)
            return stic_error_set(error, STIC_BAD_DATA, "the %s of interaction %d is %g, below 0",
                                  names[k], (int)i, value);
    }
    return STIC_OK;
}

static SticStatus check_bound(const SticProblem* problem, int32_t i, SticError* error)
{
    if (problem->bound != NULL && !(problem->bound[i] >= 0.0 && problem->bound[i] < INFINITY))
        return stic_error_set(
            error, STIC_BAD_DATA,
            "the bound of interaction %d is %g; it must be finite and not negative", (int)i,
            problem->bound[i]);
    if (problem->bound_row == NULL)
        return STIC_OK;
    const int32_t row = problem->bound_row[i];
    if (row < -1 || row >= problem->rows)
        return stic_error_set(error, STIC_BAD_DATA,
                              "interaction %d takes its bound from row %d of %d", (int)i, (int)row,
                              (int)problem->rows);
    return STIC_OK;
}

static SticStatus check_laws(const SticProblem* problem, SticError* error)
{
    int32_t last = -1, last_rows = 0;
    for (int32_t i = 0; i < problem->count; ++i) {
        const int32_t rows = problem->row_at[i + 1] - problem->row_at[i];
        // neighbours mostly have one law
        if (problem->law[i] == last && rows == last_rows &&
            problem->row_at[i + 1] <= problem->rows) {
            STIC_TRY(check_coefficients(problem, i, error));
            STIC_TRY(check_bound(problem, i, error));
            continue;
        }
        if (rows < 1 || rows > 6 || problem->row_at[i + 1] > problem->rows)
            return stic_error_set(error, STIC_BAD_DATA, "interaction %d has %d rows, not 1 to 6",
                                  (int)i, (int)rows);
        if (problem->law[i] >= STIC_LAW_COUNT)
            return stic_error_set(error, STIC_BAD_DATA, "interaction %d has the unknown law %d",
                                  (int)i, (int)problem->law[i]);
        const SticLaw law = (SticLaw)problem->law[i];
        if (!stic_law_takes_rows(law, rows))
            return stic_error_set(error, STIC_BAD_DATA,
                                  "interaction %d has %d rows, which its law '%s' does not take",
                                  (int)i, (int)rows, stic_law_name(law));
        STIC_TRY(check_coefficients(problem, i, error));
        STIC_TRY(check_bound(problem, i, error));
        last = problem->law[i];
        last_rows = rows;
    }
    return STIC_OK;
}

/* ---- vectors and matrices ---- */

static SticStatus check_vector(const double* x, int32_t count, const char* name, SticError* error)
{
    double even = 0.0, odd = 0.0;
    int32_t k = 0;
    for (; x != NULL && k + 2 <= count; k += 2) {
        even += x[k];
        odd += x[k + 1];
    }
    // the sum is finite if they are, unless it overflows
    if (x == NULL || isfinite(even + odd + (k < count ? x[k] : 0.0)))
        return STIC_OK;
    for (int32_t i = 0; x != NULL && i < count; ++i)
        if (!isfinite(x[i]))
            return stic_error_set(error, STIC_NOT_FINITE, "%s is not finite in row %d", name,
                                  (int)i);
    return STIC_OK;
}

static SticStatus check_matrix(const SticBlockCsr* A, int32_t rows, int32_t cols, const char* name,
                               SticError* error)
{
    SticError wrong = {0};
    const SticStatus status = stic_block_csr_check(A, &wrong);
    if (status != STIC_OK)
        return stic_error_set(error, status, "%s: %s", name, wrong.text);
    if (stic_block_csr_height(A) != rows || stic_block_csr_width(A) != cols)
        return stic_error_set(error, STIC_BAD_DATA, "%s is %d x %d instead of %d x %d", name,
                              (int)stic_block_csr_height(A), (int)stic_block_csr_width(A),
                              (int)rows, (int)cols);
    return STIC_OK;
}

// block rows of `A` must be the interactions
static SticStatus check_rows_agree(const SticProblem* problem, const SticBlockCsr* A,
                                   const char* name, SticError* error)
{
    bool good = A->rows == problem->count;
    for (int32_t i = 0; good && i < problem->count; ++i)
        good = A->row_at[i + 1] == problem->row_at[i + 1];
    if (!good)
        return stic_error_set(error, STIC_BAD_DATA, "the block rows of %s are not the interactions",
                              name);
    return STIC_OK;
}

/* ---- diagonal blocks ---- */

// a contact with W_NN <= 0 would need an infinite reaction
static SticStatus check_local_diagonal(const SticProblem* problem, int32_t i, SticError* error)
{
    const SticBlockCsr* W = problem->W;
    for (int32_t k = W->begin[i]; k < W->begin[i + 1]; ++k)
        if (W->col[k] == i && W->value[W->value_at[k]] > 0.0)
            return STIC_OK;
    return stic_error_set(error, STIC_SINGULAR,
                          "contact %d has a singular diagonal block: W_NN is not positive", (int)i);
}

static SticStatus check_global_diagonal(const SticProblem* problem, int32_t i, SticError* error)
{
    // M is regular, so W_NN vanishes where the normal row of H' does
    const SticBlockCsr* Ht = problem->Ht;
    for (int32_t k = Ht->begin[i]; k < Ht->begin[i + 1]; ++k) {
        const int32_t width = Ht->col_at[Ht->col[k] + 1] - Ht->col_at[Ht->col[k]];
        for (int32_t j = 0; j < width; ++j)
            if (Ht->value[Ht->value_at[k] + j] != 0.0)
                return STIC_OK;
    }
    return stic_error_set(error, STIC_SINGULAR,
                          "contact %d has a singular diagonal block: its normal moves no body",
                          (int)i);
}

static SticStatus check_diagonals(const SticProblem* problem, SticError* error)
{
    for (int32_t i = 0; i < problem->count; ++i) {
        // the usual case at once
        if (problem->W == NULL && problem->Ht->begin[i] < problem->Ht->begin[i + 1] &&
            problem->Ht->value[problem->Ht->value_at[problem->Ht->begin[i]]] != 0.0)
            continue;
        if (!stic_law_has_normal((SticLaw)problem->law[i]))
            continue;
        if (problem->W != NULL)
            STIC_TRY(check_local_diagonal(problem, i, error));
        else
            STIC_TRY(check_global_diagonal(problem, i, error));
    }
    return STIC_OK;
}

static SticStatus check_local(const SticProblem* problem, SticError* error)
{
    STIC_TRY(check_matrix(problem->W, problem->rows, problem->rows, "W", error));
    STIC_TRY(check_rows_agree(problem, problem->W, "W", error));
    return check_vector(problem->b, problem->rows, "b", error);
}

// whether a square block is diagonal, with these entries
static inline bool is_diagonal(const double* block, int32_t n, const double* diagonal)
{
    double others = 0.0;
    bool good = true;
    for (int32_t k = 0; k < n; ++k)
        good = good && block[k * (n + 1)] == diagonal[k];
    // n entries lie between two of the diagonal, and a sum of sizes is 0 only if they are
    for (int32_t k = 0; k + 1 < n; ++k)
        for (int32_t c = 0; c < n; ++c)
            others += fabs(block[k * (n + 1) + 1 + c]);
    return good && others == 0.0;
}

// the diagonal of M, where it is given, is all there is of M
static SticStatus check_mass_diagonal(const SticMass* M, SticError* error)
{
    bool good = M->diagonal == NULL || (M->kind == STIC_MASS_BLOCKS && M->inverse_diagonal != NULL);
    for (int32_t i = 0; good && M->diagonal != NULL && i < M->A->rows; ++i) {
        const int32_t at = M->A->row_at[i], n = M->A->row_at[i + 1] - at, e = M->A->begin[i];
        good = M->A->begin[i + 1] == e + 1 && M->A->col[e] == i && M->A->col_at[i] == at &&
               M->A->col_at[i + 1] == at + n;
        const double* block = M->A->value + M->A->value_at[e];
        if (good)
            good = n == 6 ? is_diagonal(block, 6, M->diagonal + at)
                          : is_diagonal(block, n, M->diagonal + at);
    }
    if (!good)
        return stic_error_set(error, STIC_BAD_DATA, "M is not the diagonal it claims to be");
    return STIC_OK;
}

static SticStatus check_global(const SticProblem* problem, SticError* error)
{
    STIC_TRY(check_matrix(problem->M->A, problem->dof, problem->dof, "M", error));
    STIC_TRY(check_mass_diagonal(problem->M, error));
    STIC_TRY(check_matrix(problem->Ht, problem->rows, problem->dof, "H'", error));
    STIC_TRY(check_rows_agree(problem, problem->Ht, "H'", error));
    if (problem->Pt != NULL) {
        STIC_TRY(check_matrix(problem->Pt, problem->rows, problem->dof, "P'", error));
        STIC_TRY(check_rows_agree(problem, problem->Pt, "P'", error));
    }
    STIC_TRY(check_vector(problem->f, problem->dof, "f", error));
    return check_vector(problem->w, problem->rows, "w", error);
}

SticStatus stic_problem_check_laws(const SticProblem* problem, SticError* error)
{
    STIC_ASSERT(problem != NULL);
    STIC_TRY(check_shape(problem, error));
    return check_laws(problem, error);
}

SticStatus stic_problem_check(const SticProblem* problem, SticError* error)
{
    STIC_TRY(stic_problem_check_laws(problem, error));
    STIC_TRY(check_vector(problem->u_shift, problem->rows, "u_shift", error));
    STIC_TRY(check_vector(problem->r_shift, problem->rows, "r_shift", error));
    if (problem->W != NULL)
        STIC_TRY(check_local(problem, error));
    if (problem->M != NULL)
        STIC_TRY(check_global(problem, error));
    return check_diagonals(problem, error);
}
