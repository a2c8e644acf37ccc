// SPDX-License-Identifier: Apache-2.0
// Problems made of matrices: dense ones, and sparse ones by their entries.
#include "problem/store.h"

#include <math.h>

#include "sparse/sparse.h"
#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"

// found later, an entry that is not finite would be called a singular block
static SticStatus check_entry(const char* name, int32_t i, int32_t j, double value,
                              SticError* error)
{
    return isfinite(value) ? STIC_OK
                           : stic_error_set(error, STIC_NOT_FINITE,
                                            "%s is %g at (%d, %d), counted from 0; it must be a "
                                            "finite number",
                                            name, value, i, j);
}

// `values` may be NULL for a matrix that is not of this form of the problem
static SticStatus check_matrix(const char* name, const double* values, int32_t rows, int32_t cols,
                               SticError* error)
{
    for (int32_t i = 0; values != NULL && i < rows; ++i)
        for (int32_t j = 0; j < cols; ++j)
            STIC_TRY(check_entry(name, i, j, values[(int64_t)i * cols + j], error));
    return STIC_OK;
}

static SticStatus check_matrices(const SticProblemDef* def, SticError* error)
{
    const int32_t rows = def->contacts * def->contact_rows;
    if (def->dof == 0)
        return check_matrix("W", def->W, rows, rows, error);
    STIC_TRY(check_matrix("M", def->M, def->dof, def->dof, error));
    return check_matrix("H", def->H, def->dof, rows, error);
}

static SticStatus add_matrix(const SticContext* context, const double* values, SticEntries* to)
{
    for (int32_t i = 0; i < to->rows; ++i)
        for (int32_t j = 0; j < to->cols; ++j)
            STIC_TRY(stic_entries_add(context, to, i, j, values[(int64_t)i * to->cols + j]));
    return STIC_OK;
}

static SticStatus add_vector(const SticContext* context, const double* values, int32_t count,
                             SticReals* to)
{
    for (int32_t i = 0; i < count; ++i)
        STIC_TRY(stic_reals_add(context, to, values[i]));
    return STIC_OK;
}

static SticStatus fill(const SticProblemDef* def, int32_t rows, SticRaw* raw)
{
    const SticContext* context = &raw->context;
    if (def->contact_rows > 1)
        STIC_TRY(add_vector(context, def->mu, def->contacts, &raw->mu));
    if (!raw->global) {
        raw->W.rows = raw->W.cols = rows;
        STIC_TRY(add_matrix(context, def->W, &raw->W));
        return add_vector(context, def->b, rows, &raw->b);
    }
    raw->M.rows = raw->M.cols = raw->H.rows = def->dof;
    raw->H.cols = rows;
    STIC_TRY(add_matrix(context, def->M, &raw->M));
    STIC_TRY(add_matrix(context, def->H, &raw->H));
    STIC_TRY(add_vector(context, def->f, def->dof, &raw->f));
    return add_vector(context, def->w, rows, &raw->w);
}

static SticStatus check_def(const SticProblemDef* def, SticError* error)
{
    if (def->contacts < 0 || def->dof < 0 || def->contact_rows < 1 || def->contact_rows > 3 ||
        def->contacts > INT32_MAX / 3)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "a problem has contacts of one to three rows, not %d of %d rows with "
                              "%d velocities",
                              def->contacts, def->contact_rows, def->dof);
    const bool global = def->dof > 0 && def->M != NULL && def->H != NULL && def->f != NULL;
    const bool given = def->dof > 0 ? global && def->w != NULL : def->W != NULL && def->b != NULL;
    if (def->contacts > 0 && (!given || (def->contact_rows > 1 && def->mu == NULL)))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "a problem needs M, H, f and w, or W and b, and mu where it has "
                              "friction");
    return STIC_OK;
}

/* ---- the mass matrix ---- */

// negative pivots of LDL', as many as negative eigenvalues (Sylvester's law of inertia)
static SticStatus count_negative(const SticContext* context, const SticBlockCsr* A,
                                 int32_t* negative, SticError* error)
{
    SticSymbolic* symbolic = NULL;
    SticFactor* factor = NULL;
    SticFactorInfo info = {0};
    SticStatus status = stic_symbolic_create(context, A, STIC_ORDERING_AMD, &symbolic, error);
    if (status == STIC_OK)
        status = stic_factor_create(symbolic, STIC_FACTOR_LDL, &factor, error);
    if (status == STIC_OK)
        status = stic_factor_compute(factor, A, NULL, &info);
    stic_factor_destroy(factor);
    stic_symbolic_destroy(symbolic);
    *negative = (int32_t)info.negative;
    // a matrix whose pivots overflow is left to the solvers
    return status == STIC_NOT_FINITE ? STIC_OK : status;
}

// with a negative mass a body moves against the push: solvers would answer nonsense.
// A tangent that is not symmetric has no such sign and passes.
static SticStatus check_mass(const SticContext* context, const SticProblemStore* store,
                             SticError* error)
{
    const SticMass* M = store->view.M;
    int32_t negative = 0;
    if (M == NULL || stic_block_csr_asymmetry(M->A) != 0.0)
        return STIC_OK;
    STIC_TRY(count_negative(context, M->A, &negative, error));
    if (negative > 0)
        return stic_error_set(error, STIC_BAD_DATA,
                              "M is not positive definite: %d of its %d eigenvalues %s negative",
                              (int)negative, (int)stic_block_csr_height(M->A),
                              negative == 1 ? "is" : "are");
    return STIC_OK;
}

static SticStatus build(SticRaw* raw, SticProblemStore** store, SticError* error)
{
    STIC_TRY(stic_problem_build(raw, store, error));
    const SticStatus status = check_mass(&raw->context, *store, error);
    if (status != STIC_OK) {
        stic_problem_destroy(*store);
        *store = NULL;
    }
    return status;
}

/* ---- dense ---- */

SticStatus stic_problem_create(const SticContext* context, const SticProblemDef* def,
                               SticProblemStore** store, SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(def, error);
    STIC_GIVEN(store, error);
    *store = NULL;
    STIC_TRY(check_def(def, error));
    STIC_TRY(check_matrices(def, error));
    SticRaw raw = {.context = *context,
                   .global = def->dof > 0,
                   .law = def->contact_rows > 1 ? STIC_LAW_CONE : STIC_LAW_NONNEG,
                   .contacts = def->contacts,
                   .contact_rows = def->contact_rows};
    SticStatus status = fill(def, def->contacts * def->contact_rows, &raw);
    if (status == STIC_OK)
        status = build(&raw, store, error);
    else
        stic_error_set(error, status, "no memory for a problem");
    stic_raw_clear(&raw);
    return status;
}

/* ---- sparse ---- */

static SticStatus add_triplets(const SticContext* context, const SticTriplets* from,
                               const char* name, SticEntries* to, SticError* error)
{
    for (int32_t k = 0; k < from->count; ++k) {
        const int32_t i = from->row[k], j = from->col[k];
        if (i < 0 || i >= to->rows || j < 0 || j >= to->cols)
            return stic_error_set(error, STIC_BAD_DATA,
                                  "entry %d of %s is at (%d, %d), outside of %d x %d", k, name, i,
                                  j, to->rows, to->cols);
        STIC_TRY(check_entry(name, i, j, from->value[k], error));
        if (stic_entries_add(context, to, i, j, from->value[k]) != STIC_OK)
            return stic_error_set(error, STIC_OUT_OF_MEMORY, "no memory for a problem");
    }
    return STIC_OK;
}

static SticStatus fill_matrices(const SticSparseProblemDef* def, int32_t rows, SticRaw* raw,
                                SticError* error)
{
    const SticContext* context = &raw->context;
    if (!raw->global) {
        raw->W.rows = raw->W.cols = rows;
        return add_triplets(context, &def->W, "W", &raw->W, error);
    }
    raw->M.rows = raw->M.cols = raw->H.rows = def->dof;
    raw->H.cols = rows;
    STIC_TRY(add_triplets(context, &def->M, "M", &raw->M, error));
    return add_triplets(context, &def->H, "H", &raw->H, error);
}

static SticStatus fill_vectors(const SticSparseProblemDef* def, int32_t rows, SticRaw* raw)
{
    const SticContext* context = &raw->context;
    if (def->contact_rows > 1)
        STIC_TRY(add_vector(context, def->mu, def->contacts, &raw->mu));
    if (!raw->global)
        return add_vector(context, def->b, rows, &raw->b);
    STIC_TRY(add_vector(context, def->f, def->dof, &raw->f));
    return add_vector(context, def->w, rows, &raw->w);
}

// the vectors as those of a dense problem; its matrices are only asked whether they are there
static SticStatus check_sparse(const SticSparseProblemDef* def, SticError* error)
{
    static const double none = 0.0; // of a matrix without entries
    const SticProblemDef dense = {.contacts = def->contacts,
                                  .contact_rows = def->contact_rows,
                                  .dof = def->dof,
                                  .mu = def->mu,
                                  .M = def->M.count == 0 ? &none : def->M.value,
                                  .H = def->H.count == 0 ? &none : def->H.value,
                                  .f = def->f,
                                  .w = def->w,
                                  .W = def->W.count == 0 ? &none : def->W.value,
                                  .b = def->b};
    return check_def(&dense, error);
}

SticStatus stic_problem_create_sparse(const SticContext* context, const SticSparseProblemDef* def,
                                      SticProblemStore** store, SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(def, error);
    STIC_GIVEN(store, error);
    *store = NULL;
    STIC_TRY(check_sparse(def, error));
    const int32_t rows = def->contacts * def->contact_rows;
    SticRaw raw = {.context = *context,
                   .global = def->dof > 0,
                   .law = def->contact_rows > 1 ? STIC_LAW_CONE : STIC_LAW_NONNEG,
                   .contacts = def->contacts,
                   .contact_rows = def->contact_rows};
    SticStatus status = fill_matrices(def, rows, &raw, error);
    if (status == STIC_OK && (status = fill_vectors(def, rows, &raw)) != STIC_OK)
        stic_error_set(error, status, "no memory for a problem");
    if (status == STIC_OK)
        status = build(&raw, store, error);
    stic_raw_clear(&raw);
    return status;
}
