// SPDX-License-Identifier: Apache-2.0
// Scaled variables: factors, coefficients, matrix, error.
//
// With d_g the mean diagonal of W over the rows of group g, scale_g = 1/sqrt(d_g). A law between r
// and u is one between x and y with
//     bound B of row k:   B = size s_k (bound / (size s_k) + max(x_k, 0)),   s_k = scale of row k
//     coefficient of g:   coef s_k / scale_g        (cones: k is the own normal row)
// and the lever of a Coulomb-Contensou patch turns into lever scale_T / scale_drilling. Normal and
// tangential parts get factors of their own; De Saxcé's term keeps its form since u_N and mu |u_T|
// carry the same factor: mu' |y_T| = (mu s_N / s_T)(s_T |u_T|) = s_N mu |u_T|.
// A diagonal that is not positive, or vanishes beside its row, is replaced by the largest entry of
// the row. Rows of FREE have a factor each. Cost: one pass over W.
#include "solver/scaled.h"

#include "stiction/extend/base.h"
#include "stiction/extend/law.h"
#include "stiction/extend/sparse.h"

#include <math.h>
#include <string.h>

/* ---- pattern ---- */

// interaction whose row bounds i, -1 if none or itself
static int32_t bounding(const SticProblem* problem, const int32_t* owner, int32_t i)
{
    if (problem->bound_row == NULL || problem->bound_row[i] < 0 ||
        stic_law_has_normal((SticLaw)problem->law[i]))
        return -1;
    const int32_t j = owner[problem->bound_row[i]];
    return j != i ? j : -1;
}

// room for the pattern of W plus at most two blocks per row
static SticStatus take_matrix(SticArena* arena, const SticProblem* local, SticBlockArrays* arrays)
{
    const SticBlockCsr* W = local->W;
    const SticPartition partition = {
        .rows = W->rows, .cols = W->cols, .row_at = local->row_at, .col_at = local->row_at};
    const int64_t values = W->value_at[stic_block_csr_count(W)] + (int64_t)36 * 2 * W->rows;
    return stic_block_csr_take(&partition, stic_block_csr_count(W) + 2 * W->rows, values, arena,
                               arrays);
}

// next column of row i: the smallest of the stored one and of the two that must be there
static int32_t next_column(const SticBlockCsr* W, int32_t i, int32_t e, const int32_t extra[2])
{
    int32_t column = e < W->begin[i + 1] ? W->col[e] : INT32_MAX;
    for (int k = 0; k < 2; ++k)
        if (extra[k] >= 0 && extra[k] < column)
            column = extra[k];
    return column;
}

static void merge_row(const SticProblem* local, int32_t i, int32_t foreign,
                      const SticBlockArrays* to, SticScaled* made)
{
    const SticBlockCsr* W = local->W;
    const int32_t rows = local->row_at[i + 1] - local->row_at[i];
    int32_t extra[2] = {i, foreign};
    int32_t e = W->begin[i], at = to->begin[i];
    for (;;) {
        const int32_t j = next_column(W, i, e, extra);
        if (j == INT32_MAX)
            break;
        const int32_t size = rows * (local->row_at[j + 1] - local->row_at[j]);
        double* value = to->value + to->value_at[at];
        if (e < W->begin[i + 1] && W->col[e] == j)
            memcpy(value, W->value + W->value_at[e++], (size_t)size * sizeof *value);
        else
            memset(value, 0, (size_t)size * sizeof *value);
        if (j == i)
            made->diagonal[i] = at;
        if (j == foreign)
            made->foreign[i] = at;
        for (int k = 0; k < 2; ++k)
            extra[k] = extra[k] == j ? -1 : extra[k];
        to->col[at] = j;
        to->value_at[at + 1] = to->value_at[at] + size;
        at += 1;
    }
    to->begin[i + 1] = at;
}

static SticStatus copy_matrix(SticArena* arena, const SticProblem* local, SticScaled* made)
{
    SticBlockArrays arrays;
    STIC_TRY(take_matrix(arena, local, &arrays));
    arrays.begin[0] = 0;
    arrays.value_at[0] = 0;
    for (int32_t i = 0; i < local->count; ++i) {
        made->foreign[i] = -1;
        merge_row(local, i, bounding(local, made->owner, i), &arrays, made);
    }
    const SticPartition partition = {.rows = local->count,
                                     .cols = local->count,
                                     .row_at = local->row_at,
                                     .col_at = local->row_at};
    made->W = stic_block_csr_view(&partition, &arrays);
    made->value = arrays.value;
    return STIC_OK;
}

/* ---- factors ---- */

static double largest_in_row(const SticScaled* made, int32_t i, int32_t a)
{
    const SticBlockCsr* W = &made->W;
    double most = 0.0;
    for (int32_t e = W->begin[i]; e < W->begin[i + 1]; ++e) {
        const int32_t cols = W->col_at[W->col[e] + 1] - W->col_at[W->col[e]];
        const double* value = made->value + W->value_at[e] + (int64_t)a * cols;
        for (int32_t k = 0; k < cols; ++k)
            most = fabs(value[k]) > most ? fabs(value[k]) : most;
    }
    return most;
}

// one over the root of the mean diagonal of rows [first, last) of interaction i
static double group_scale(const SticScaled* made, int32_t i, int32_t first, int32_t last)
{
    // a diagonal below this part of its row is taken for 0: half of the digits
    const double least = 1e-8;
    const SticBlockCsr* W = &made->W;
    const int32_t rows = W->row_at[i + 1] - W->row_at[i];
    const double* D = made->value + W->value_at[made->diagonal[i]];
    double mean = 0.0, most = 0.0;
    for (int32_t a = first; a < last; ++a) {
        const double top = largest_in_row(made, i, a);
        mean += D[a * rows + a] / (last - first);
        most = top > most ? top : most;
    }
    const double d = mean > least * most ? mean : most;
    return d > 0.0 ? 1.0 / sqrt(d) : 1.0;
}

static void find_scales(SticScaled* made)
{
    const SticProblem* problem = &made->problem;
    for (int32_t i = 0; i < problem->count; ++i) {
        const int32_t at = problem->row_at[i], rows = problem->row_at[i + 1] - at;
        int32_t group_at[4];
        const SticLaw law = (SticLaw)problem->law[i];
        if (law == STIC_LAW_FREE) {
            for (int32_t a = 0; a < rows; ++a)
                made->scale[at + a] = group_scale(made, i, a, a + 1);
            continue;
        }
        const int32_t groups = stic_law_groups(law, rows, group_at);
        for (int32_t g = 0; g < groups; ++g) {
            const double scale = group_scale(made, i, group_at[g], group_at[g + 1]);
            for (int32_t a = group_at[g]; a < group_at[g + 1]; ++a)
                made->scale[at + a] = scale;
        }
    }
}

static void apply_scales(SticScaled* made, double* b)
{
    const SticBlockCsr* W = &made->W;
    double sum = 0.0;
    for (int32_t i = 0; i < W->rows; ++i) {
        for (int32_t e = W->begin[i]; e < W->begin[i + 1]; ++e) {
            double* value = made->value + W->value_at[e];
            for (int32_t row = W->row_at[i]; row < W->row_at[i + 1]; ++row)
                for (int32_t col = W->col_at[W->col[e]]; col < W->col_at[W->col[e] + 1]; ++col)
                    *value++ *= made->scale[row] * made->scale[col];
        }
        for (int32_t row = W->row_at[i]; row < W->row_at[i + 1]; ++row) {
            b[row] *= made->scale[row];
            sum += b[row] * b[row];
        }
    }
    made->size = sum > 0.0 && isfinite(sum) ? sqrt(sum) : 1.0;
    for (int32_t row = 0; row < made->problem.rows; ++row)
        b[row] /= made->size;
}

// coefficients and constant bounds of interaction i
static void scale_law(const SticScaled* made, const SticProblem* local, int32_t i, double coef[4],
                      double* bound)
{
    const SticLaw law = (SticLaw)local->law[i];
    const int32_t at = local->row_at[i], rows = local->row_at[i + 1] - at;
    const bool normal = stic_law_has_normal(law);
    const int32_t row = local->bound_row != NULL ? local->bound_row[i] : -1;
    const double s = normal ? made->scale[at] : row >= 0 ? made->scale[row] : 1.0;
    const double* scale = made->scale + at + (normal ? 1 : 0);
    *bound = (local->bound != NULL ? local->bound[i] : 0.0) / (made->size * s);
    memcpy(coef, local->coef[i], 4 * sizeof *coef);
    switch (law) {
    case STIC_LAW_INTERVAL:
        coef[0] *= s / scale[0];
        coef[1] *= s / scale[0];
        break;
    case STIC_LAW_ELLIPSE:
    case STIC_LAW_ELLIPSOID:
    case STIC_LAW_CONE_ELLIPSE:
        for (int32_t a = 0; a < rows - (normal ? 1 : 0); ++a)
            coef[a] *= s / scale[a];
        break;
    case STIC_LAW_ROLLING:
        coef[0] *= s / scale[0];
        coef[2] *= s / scale[rows / 2];
        break;
    case STIC_LAW_CYLINDER:
        coef[0] *= s / scale[0];
        coef[2] *= s / scale[2];
        break;
    case STIC_LAW_CONTENSOU:
    case STIC_LAW_CONE_CONTENSOU:
        coef[0] *= s / scale[0];
        coef[3] *= scale[0] / scale[2];
        break;
    case STIC_LAW_BALL:
    case STIC_LAW_CONE:
        coef[0] *= s / scale[0];
        break;
    default:
        break;
    }
}

static SticStatus create(SticArena* arena, const SticProblem* folded, bool plain, SticScaled* made,
                         SticError* error)
{
    SticProblem local;
    double *b = NULL, *bound = NULL;
    double(*coef)[4] = NULL;
    STIC_TRY(stic_problem_condense(arena, folded, &local, error));
    STIC_TRY(STIC_TAKE(arena, &b, local.rows));
    STIC_TRY(STIC_TAKE(arena, &bound, local.count));
    STIC_TRY(STIC_TAKE(arena, &coef, local.count));
    STIC_TRY(STIC_TAKE(arena, &made->scale, local.rows));
    STIC_TRY(STIC_TAKE(arena, &made->diagonal, local.count));
    STIC_TRY(STIC_TAKE(arena, &made->foreign, local.count));
    STIC_TRY(STIC_TAKE(arena, &made->owner, local.rows));
    for (int32_t i = 0; i < local.count; ++i)
        for (int32_t row = local.row_at[i]; row < local.row_at[i + 1]; ++row)
            made->owner[row] = i;
    STIC_TRY(copy_matrix(arena, &local, made));
    made->problem = local;
    memcpy(b, local.b, (size_t)local.rows * sizeof *b);
    if (plain) {
        made->size = 1.0;
        for (int32_t row = 0; row < local.rows; ++row)
            made->scale[row] = 1.0;
    } else {
        find_scales(made);
        apply_scales(made, b);
    }
    for (int32_t i = 0; i < local.count; ++i)
        scale_law(made, &local, i, coef[i], &bound[i]);
    made->problem.W = &made->W;
    made->problem.b = b;
    made->problem.coef = (const double(*)[4])coef;
    made->problem.bound = bound;
    made->problem.dof = 0;
    made->problem.M = NULL;
    made->problem.Ht = made->problem.Pt = NULL;
    made->problem.f = made->problem.w = NULL;
    return STIC_OK;
}

SticStatus stic_scaled_create(SticArena* arena, const SticProblem* folded, SticScaled* made,
                              SticError* error)
{
    return create(arena, folded, false, made, error);
}

SticStatus stic_scaled_create_plain(SticArena* arena, const SticProblem* folded, SticScaled* made,
                                    SticError* error)
{
    return create(arena, folded, true, made, error);
}

/* ---- use ---- */

void stic_scaled_from(const SticScaled* scaled, const double* r, double* x)
{
    for (int32_t k = 0; k < scaled->problem.rows; ++k)
        x[k] = r[k] / (scaled->size * scaled->scale[k]);
}

void stic_scaled_to(const SticScaled* scaled, const double* x, double* r)
{
    for (int32_t k = 0; k < scaled->problem.rows; ++k)
        r[k] = x[k] * (scaled->size * scaled->scale[k]);
}

void stic_scaled_velocity(const SticScaled* scaled, const double* x, double* y)
{
    memcpy(y, scaled->problem.b, (size_t)scaled->problem.rows * sizeof *y);
    stic_block_csr_multiply(1.0, &scaled->W, x, 1.0, y);
}

void stic_scaled_defect(const SticScaled* scaled, int32_t i, const double* x, const double* y,
                        double* defect)
{
    STIC_ASSERT(i >= 0 && i < scaled->problem.count);
    static const double rho[3] = {1.0, 1.0, 1.0};
    const SticProblem* problem = &scaled->problem;
    const int32_t at = problem->row_at[i], rows = problem->row_at[i + 1] - at;
    const SticLawBlock block = {.law = (SticLaw)problem->law[i],
                                .rows = rows,
                                .coef = problem->coef[i],
                                .B = stic_problem_bound(problem, i, x)};
    stic_law_step(&block, rho, y + at, x + at, defect);
    for (int32_t a = 0; a < rows; ++a)
        defect[a] = x[at + a] - defect[a];
}

double stic_scaled_error(const SticScaled* scaled, const double* x, const double* y)
{
    double sum = 0.0, defect[6];
    for (int32_t i = 0; i < scaled->problem.count; ++i) {
        stic_scaled_defect(scaled, i, x, y, defect);
        for (int32_t a = 0; a < scaled->problem.row_at[i + 1] - scaled->problem.row_at[i]; ++a)
            sum += defect[a] * defect[a];
    }
    return sqrt(sum);
}
