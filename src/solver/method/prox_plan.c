// SPDX-License-Identifier: Apache-2.0
// Step lengths of the prox iterations.
//
// One length rho per set, because a projection on a disc is Euclidean only in a metric that is the
// same in all its rows (Studer & Glocker 2006, eq. 62; Möller 2011, section 2.5.1). Rows of one
// interaction that are bounded independently of each other count as several sets: the normal row,
// the disc behind it, the rolling disc.
//
// Transformation (Möller 2011, section 2.5.2): with r = A x, A diagonal, an ellipse becomes a disc
// and W becomes A W A. A step of length rho^ on x is a step with rho_h = rho^ A_h^2 on r in the
// metric 1/rho, in which the ellipse is a disc. So all rules below are applied to A W A, and the
// lengths multiplied by A_h^2; without transformation A = I.
//
// Recovered Jacobi (Möller 2011, eqs. 2.61-2.63): where nothing is projected, row h may take the
// Jacobi step of its own diagonal entry instead of the largest one of the set; the gain is the
// ratio of the two.
//
// Cost: one pass over W; SPECTRAL adds 60 products with W. Workspace: 8 numbers per row.
#include "solver/method/prox_plan.h"

#include <math.h>

#include "law/rho.h"
#include "problem/operator_kernel.h"

const char* const stic_rho_names[] = {"dominance", "diagonal", "row-sum", "block",
                                      "spectral",  "adaptive", NULL};

// rows of A W A seen by the rules
typedef struct Rows {
    double* scale;    // A_h
    double* diagonal; // (A W A)_hh
    double* sum;      // sum_k |(A W A)_hk|
    double spectral;  // largest eigenvalue of A W A, if the rule wants it
} Rows;

int32_t stic_prox_parts(SticLaw law, int32_t rows, int32_t at[4])
{
    int32_t count = 0;
    at[count++] = 0;
    if (stic_law_has_normal(law))
        at[count++] = 1;
    if (law == STIC_LAW_ROLLING)
        at[count++] = (rows + 1) / 2;
    if (law == STIC_LAW_CYLINDER)
        at[count++] = 2;
    at[count] = rows;
    return count;
}

// A: semi-axes of an ellipsoid relative to the largest, the lever of a drilling moment; else 1
static void fill_scale(const SticProblem* problem, bool transform, double* scale)
{
    for (int32_t i = 0; i < problem->count; ++i) {
        const SticLaw law = (SticLaw)problem->law[i];
        const int32_t at = problem->row_at[i], rows = problem->row_at[i + 1] - at;
        const int32_t first = stic_law_has_normal(law) ? 1 : 0;
        const double* coef = problem->coef[i];
        for (int32_t k = 0; k < rows; ++k)
            scale[at + k] = 1.0;
        if (!transform)
            continue;
        const bool ellipse =
            law == STIC_LAW_ELLIPSE || law == STIC_LAW_ELLIPSOID || law == STIC_LAW_CONE_ELLIPSE;
        double most = 0.0;
        for (int32_t k = first; ellipse && k < rows; ++k)
            most = coef[k - first] > most ? coef[k - first] : most;
        for (int32_t k = first; ellipse && k < rows; ++k)
            if (coef[k - first] > 0.0)
                scale[at + k] = coef[k - first] / most;
        if ((law == STIC_LAW_CONTENSOU || law == STIC_LAW_CONE_CONTENSOU) && coef[3] > 0.0)
            scale[at + first + 2] = stic_contensou_lever(coef[3]);
    }
}

static void fill_rows(const SticBlockCsr* W, Rows* rows)
{
    for (int32_t i = 0; i < W->rows; ++i)
        for (int32_t h = W->row_at[i]; h < W->row_at[i + 1]; ++h) {
            rows->diagonal[h] = 0.0;
            rows->sum[h] = 0.0;
            for (int32_t k = W->begin[i]; k < W->begin[i + 1]; ++k) {
                const int32_t at = W->col_at[W->col[k]], cols = W->col_at[W->col[k] + 1] - at;
                const double* value = W->value + W->value_at[k] + (h - W->row_at[i]) * cols;
                for (int32_t c = 0; c < cols; ++c) {
                    const double entry = rows->scale[h] * value[c] * rows->scale[at + c];
                    rows->sum[h] += fabs(entry);
                    if (at + c == h)
                        rows->diagonal[h] = entry;
                }
            }
        }
}

static bool is_dominant(int32_t count, const Rows* rows)
{
    for (int32_t h = 0; h < count; ++h)
        if (!(rows->sum[h] < 2.0 * rows->diagonal[h]))
            return false;
    return true;
}

// largest eigenvalue of A W A by the power method, from below
static SticStatus largest_eigenvalue(SticArena* arena, const SticBlockCsr* W, const double* scale,
                                     double* largest)
{
    const int32_t n = W->row_at[W->rows];
    double *x = NULL, *y = NULL;
    const SticArenaMark mark = stic_arena_mark(arena);
    STIC_TRY(STIC_TAKE(arena, &x, n));
    STIC_TRY(STIC_TAKE(arena, &y, n));
    // a start that no symmetry of the problem makes orthogonal to the eigenvector
    for (int32_t k = 0; k < n; ++k) {
        const double golden = 0.6180339887498949 * (k + 1);
        x[k] = 0.5 + golden - floor(golden);
    }
    double length = 0.0;
    for (int step = 0; step < 60; ++step) {
        length = 0.0;
        for (int32_t k = 0; k < n; ++k)
            length += x[k] * x[k];
        length = sqrt(length);
        if (!(length > 0.0))
            break;
        for (int32_t k = 0; k < n; ++k)
            x[k] *= scale[k] / length;
        stic_block_csr_multiply(1.0, W, x, 0.0, y);
        for (int32_t k = 0; k < n; ++k)
            x[k] = scale[k] * y[k];
    }
    *largest = length;
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

// what omega is divided by for the rows [from, to) of interaction i
static double part_size(const SticOperator* op, const Rows* rows, SticRhoRule rule, int32_t i,
                        const int32_t range[2])
{
    const int32_t first = op->row_at[i], n = range[1] - range[0];
    double most = 0.0, mean = 0.0, A[STIC_SET_DIM][STIC_SET_DIM];
    const double* D = stic_operator_diagonal(op, i);
    const int32_t all = op->row_at[i + 1] - first;
    for (int32_t a = 0; a < n; ++a) {
        const int32_t h = first + range[0] + a;
        const double size = rule == STIC_RHO_ROW_SUM ? rows->sum[h] : rows->diagonal[h];
        most = size > most ? size : most;
        mean += rows->diagonal[h] / n;
        for (int32_t c = 0; c < n; ++c)
            A[a][c] =
                0.5 * rows->scale[h] * rows->scale[first + range[0] + c] *
                (D[(range[0] + a) * all + range[0] + c] + D[(range[0] + c) * all + range[0] + a]);
    }
    if (rule == STIC_RHO_MEAN)
        return mean;
    if (rule == STIC_RHO_BLOCK || rule == STIC_RHO_ADAPTIVE)
        return stic_largest_eigenvalue(n, A);
    return most;
}

// lengths, gains and the Lipschitz estimate of one part
static void plan_part(const Rows* rows, int32_t from, int32_t to, double length, SticProxPlan* plan)
{
    double most = 0.0;
    for (int32_t h = from; h < to; ++h)
        most = rows->diagonal[h] > most ? rows->diagonal[h] : most;
    for (int32_t h = from; h < to; ++h) {
        const double d = rows->diagonal[h], off = rows->sum[h] - fabs(d);
        const double bound = fabs(1.0 - length * d) + length * off;
        plan->gain[h] = d > 0.0 ? most / d : 1.0;
        plan->lipschitz = bound > plan->lipschitz ? bound : plan->lipschitz;
    }
}

static void plan_interaction(const SticProblem* problem, const SticOperator* op, const Rows* rows,
                             const SticProxChoice* choice, int32_t i, SticProxPlan* plan)
{
    const SticLaw law = (SticLaw)problem->law[i];
    const int32_t first = problem->row_at[i], n = problem->row_at[i + 1] - first;
    int32_t part_at[4], group_at[4];
    const int32_t parts = stic_prox_parts(law, n, part_at);
    const int32_t groups = stic_law_groups(law, n, group_at);
    for (int32_t g = 0; g < 3; ++g)
        plan->rho[i][g] = 1.0;
    for (int32_t k = 0; k < parts; ++k) {
        const double size = choice->rule == STIC_RHO_SPECTRAL
                                ? rows->spectral
                                : part_size(op, rows, choice->rule, i, part_at + k);
        const double length = size > 0.0 ? choice->omega / size : 1.0;
        plan_part(rows, first + part_at[k], first + part_at[k + 1], length, plan);
        for (int32_t g = 0; g < groups; ++g)
            if (group_at[g] >= part_at[k] && group_at[g] < part_at[k + 1]) {
                const double scale = rows->scale[first + group_at[g]];
                plan->rho[i][g] = length * scale * scale;
            }
    }
}

SticStatus stic_prox_plan(SticSolveTask* task, const SticOperator* op, SticProxChoice choice,
                          SticProxPlan* plan)
{
    const SticProblem* problem = task->problem;
    Rows rows;
    rows.spectral = 0.0;
    STIC_TRY(STIC_TAKE(task->arena, &plan->rho, problem->count));
    STIC_TRY(STIC_TAKE(task->arena, &plan->gain, problem->rows));
    STIC_TRY(STIC_TAKE(task->arena, &rows.scale, problem->rows));
    STIC_TRY(STIC_TAKE(task->arena, &rows.diagonal, problem->rows));
    STIC_TRY(STIC_TAKE(task->arena, &rows.sum, problem->rows));
    fill_scale(problem, choice.transform, rows.scale);
    fill_rows(op->W, &rows);
    if (choice.rule == STIC_RHO_DOMINANCE)
        choice.rule = is_dominant(problem->rows, &rows) ? STIC_RHO_DIAGONAL : STIC_RHO_ROW_SUM;
    if (choice.rule == STIC_RHO_SPECTRAL)
        STIC_TRY(largest_eigenvalue(task->arena, op->W, rows.scale, &rows.spectral));
    plan->lipschitz = 0.0;
    for (int32_t i = 0; i < problem->count; ++i)
        plan_interaction(problem, op, &rows, &choice, i, plan);
    return STIC_OK;
}
