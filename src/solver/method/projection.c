// SPDX-License-Identifier: Apache-2.0
// projection: the reactions that would stop all relative motion, projected on the cones.
//
//     r = lim proj_C^X(-W^-1 b)      with U = diag(1/eps on normal rows, 1 on friction rows)
//
//   metric = contact   X = U      Nakaoka et al. 2007 (Kikuuwe & Brogliato 2017, eqs. 80, 81): in
//                                 the limit the normal rows are projected first, r_N = max(r_N, 0),
//                                 then the friction rows on the section that r_N bounds. It
//                                 neglects W as a metric: not Coulomb's law where a contact opens
//                                 or slides and acts on others. The error left is measured, and
//                                 only an exact error that passes counts as solved.
//   metric = product   X = W U    eq. 66, exact, if W U is symmetric and positive definite for
//                                 every eps: W symmetric and regular, without entries between
//                                 normal and friction rows. Then the normal problem is a convex one
//                                 of its own, and friction a convex one with the bounds that it
//                                 gives: the two stages of FIX in koziara_newton.c, whose bounds
//                                 move once.
//
// Any W that does not fit is refused with a sentence. Cost: one LU (contact); that of FIX
// (product).
#include <math.h>
#include <string.h>

#include "solver/method/koziara_newton.h"
#include "solver/methods.h"
#include "solver/newton_system.h"
#include "sparse/sparse.h"

enum { METRIC_CONTACT, METRIC_PRODUCT };

typedef struct ProjectionSettings {
    int32_t metric; ///< METRIC_*
} ProjectionSettings;

static const char* const metric_names[] = {"contact", "product", NULL};

static const SticField projection_fields[] = {
    STIC_FIELD_PICK(ProjectionSettings, metric, METRIC_CONTACT, METRIC_PRODUCT, metric_names,
                    "metric of the projection: that of the contacts (Nakaoka), or its product with "
                    "W (exact, for W without entries between normal and friction rows)"),
};

const SticFieldTable stic_projection_fields = {
    .name = "projection",
    .fields = projection_fields,
    .count = sizeof projection_fields / sizeof projection_fields[0],
    .size = sizeof(ProjectionSettings),
};

// in scaled variables the diagonal of W is about 1: entries below this are rounding of products
static const double least_entry = 1e-12;

/* ---- what the product metric needs ---- */

static bool is_normal(const SticProblem* problem, int32_t i, int32_t a)
{
    const SticLaw law = (SticLaw)problem->law[i];
    return law == STIC_LAW_NONNEG || (a == 0 && stic_law_has_normal(law));
}

// whether a block of W has entries between normal and friction rows
static bool couples(const SticScaled* scaled, int32_t i, int32_t e)
{
    const SticBlockCsr* W = &scaled->W;
    const int32_t j = W->col[e], n = W->row_at[i + 1] - W->row_at[i];
    const int32_t m = W->col_at[j + 1] - W->col_at[j];
    for (int32_t a = 0; a < n; ++a)
        for (int32_t c = 0; c < m; ++c)
            if (is_normal(&scaled->problem, i, a) != is_normal(&scaled->problem, j, c) &&
                fabs(W->value[W->value_at[e] + a * m + c]) > least_entry)
                return true;
    return false;
}

static SticStatus check_product(const SticScaled* scaled, SticError* error)
{
    const SticProblem* problem = &scaled->problem;
    if (stic_block_csr_asymmetry(&scaled->W) > least_entry)
        return stic_error_set(
            error, STIC_UNSUPPORTED,
            "projection with the product metric needs a symmetric W, and this one "
            "is not");
    for (int32_t i = 0; i < problem->count; ++i)
        if (problem->law[i] == STIC_LAW_FREE)
            return stic_error_set(error, STIC_UNSUPPORTED,
                                  "projection with the product metric takes contacts only, and "
                                  "interaction %d is bilateral",
                                  i);
    for (int32_t i = 0; i < problem->count; ++i)
        for (int32_t e = scaled->W.begin[i]; e < scaled->W.begin[i + 1]; ++e)
            if (couples(scaled, i, e))
                return stic_error_set(
                    error, STIC_UNSUPPORTED,
                    "projection with the product metric needs a W without entries "
                    "between normal and friction rows, and interactions %d and %d "
                    "have some",
                    i, scaled->W.col[e]);
    return STIC_OK;
}

/* ---- projection ---- */

// x = -W^-1 b
static SticStatus stop_all(SticSolveTask* task, const SticScaled* scaled, double* x)
{
    const int32_t rows = scaled->problem.rows;
    SticNewtonSystem system;
    double *right = NULL, L[36];
    STIC_TRY(stic_newton_system_create(task->arena, scaled, STIC_FACTOR_LU, &system,
                                       &task->info->error));
    STIC_TRY(STIC_TAKE(task->arena, &right, rows));
    for (int32_t i = 0; i < scaled->problem.count; ++i) {
        const int32_t n = scaled->problem.row_at[i + 1] - scaled->problem.row_at[i];
        memset(L, 0, sizeof L);
        for (int32_t a = 0; a < n; ++a)
            L[a * n + a] = 1.0;
        stic_newton_system_row(&system, i, L);
    }
    for (int32_t k = 0; k < rows; ++k)
        right[k] = -scaled->problem.b[k];
    task->info->factorisations += 1;
    task->info->work += system.factor_work + 3.0 * system.solve_work;
    const bool regular = stic_newton_system_factor(&system) && system.info.replaced == 0;
    if (!regular || stic_factor_condition(system.factor, &system.K) > 1.0 / least_entry)
        return stic_error_set(&task->info->error, STIC_UNSUPPORTED,
                              "projection needs a regular W, and this one is not");
    stic_newton_system_solve(&system, right, 2, x);
    return STIC_OK;
}

// normal rows, then friction rows on the sections that the projected normal rows bound
static void project(const SticScaled* scaled, const double* x, double* p)
{
    static const double rho[3] = {1.0, 1.0, 1.0}, rest[6] = {0.0};
    const SticProblem* problem = &scaled->problem;
    memcpy(p, x, (size_t)problem->rows * sizeof *p);
    // twice: a bound may come from an interaction that is projected later
    for (int pass = 0; pass < 2; ++pass)
        for (int32_t i = 0; i < problem->count; ++i) {
            const int32_t at = problem->row_at[i], rows = problem->row_at[i + 1] - at;
            const SticLawBlock block = {.law = (SticLaw)problem->law[i],
                                        .rows = rows,
                                        .coef = problem->coef[i],
                                        .B = stic_problem_bound(problem, i, p)};
            stic_law_step_split(&block, rho, rest, x + at, p + at);
        }
}

SticStatus stic_projection_run(SticSolveTask* task)
{
    const ProjectionSettings* settings = task->method;
    SticScaled scaled;
    double *x = NULL, *p = NULL;
    STIC_TRY(stic_scaled_create(task->arena, task->problem, &scaled, &task->info->error));
    if (settings->metric == METRIC_PRODUCT) {
        STIC_TRY(check_product(&scaled, &task->info->error));
        return stic_koziara_newton_fix(task);
    }
    STIC_TRY(STIC_TAKE(task->arena, &x, task->problem->rows));
    STIC_TRY(STIC_TAKE(task->arena, &p, task->problem->rows));
    STIC_TRY(stop_all(task, &scaled, x));
    project(&scaled, x, p);
    stic_scaled_to(&scaled, p, task->r);
    // one projection is all there is, whatever its error
    stic_task_count(task, 20.0 * task->problem->rows, -1.0);
    if (!stic_task_settle(task, task->r))
        stic_task_stop(task, STIC_OUTCOME_STALLED);
    return STIC_OK;
}
