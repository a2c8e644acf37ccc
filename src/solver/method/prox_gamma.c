// SPDX-License-Identifier: Apache-2.0
// Prox iteration on the relative velocities, for regular W.
//
// The laws read the other way round: with G = W^-1 the unknown is u, and r = G (u - b). For a set C
// of reactions, -u in N_C(r) is the same as
//
//     u = z + s prox_C(-z/s),     z = u - s r,     for any s > 0,
//
// which is max(u - s r, 0) for a unilateral contact and kappa_C(u - s r, s) for a disc (Studer &
// Glocker 2006, eqs. 45, 46; their footnote eq. 130, kappa = identity minus prox of the scaled set,
// for sets that are not symmetric). As -z/s = r - u/s, with p the projected step of length rho =
// 1/s that the reactions would take, this is
//
//     u <- u + s (p - r),
//
// so the laws need no second implementation. s_i = omega / max G_hh or omega / max sum_k |G_hk| by
// set, as eqs. 69 and 70 with G for W; Jacobi (all from the old u) or Gauss-Seidel (the newest u).
// info->lipschitz is the row-sum norm of I - S G. The check is given p, which is in its set. Cost:
// n^2 per sweep after an inversion of 2 n^3; workspace 2 n^2.
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "problem/operator_kernel.h"
#include "solver/method/prox_plan.h"
#include "solver/methods.h"

enum { MOST_ROWS = 4000 };                 // the inverse is dense: 128 MB
static const double most_inflation = 1e13; // a pivot below it is the rounding of a zero
enum { RULE_DOMINANCE, RULE_DIAGONAL, RULE_ROW_SUM };

typedef struct GammaSettings {
    double omega;
    int32_t rho; // RULE_…
    bool seidel;
    double step_tolerance;
} GammaSettings;

static const char* const rule_names[] = {"dominance", "diagonal", "row-sum", NULL};

static const SticField gamma_fields[] = {
    STIC_FIELD_REAL(GammaSettings, omega, 1.0, 1e-6, 10.0, "-", "relaxation factor"),
    STIC_FIELD_PICK(GammaSettings, rho, RULE_DIAGONAL, RULE_ROW_SUM, rule_names,
                    "rule for the step lengths"),
    STIC_FIELD_FLAG(GammaSettings, seidel, 1, "use the newest velocities within a sweep"),
    STIC_FIELD_REAL(GammaSettings, step_tolerance, 0.0, 0.0, 1.0, "-",
                    "also stop when no velocity moves by more than this part of itself; 0: never"),
};

const SticFieldTable stic_gamma_prox_fields = {"gamma-prox", gamma_fields,
                                               sizeof gamma_fields / sizeof gamma_fields[0],
                                               sizeof(GammaSettings)};

typedef struct Gamma {
    const SticProblem* problem;
    const GammaSettings* settings;
    const double* b;
    double* G;      // [n n] inverse of W
    double* length; // [count][3] s by group
    double *u, *r;  // r = G (u - b)
    double* p;      // projected reactions
    double defect;  // sum of the squared (p - r)/rho
    bool settled;
} Gamma;

// to rounding: entries are sums of a few products
static bool is_symmetric(int32_t n, const double* W)
{
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < i; ++j) {
            const double a = W[(size_t)i * (size_t)n + (size_t)j];
            const double b = W[(size_t)j * (size_t)n + (size_t)i];
            const double size =
                W[(size_t)i * (size_t)n + (size_t)i] * W[(size_t)j * (size_t)n + (size_t)j];
            if (!((a - b) * (a - b) <= 1e-24 * fabs(size)))
                return false;
        }
    return true;
}

static SticStatus invert(SticSolveTask* task, const SticOperator* op, double** inverse)
{
    const int32_t n = task->problem->rows;
    const SticBlockCsr* W = op->W;
    double *dense = NULL, *diagonal = NULL;
    STIC_TRY(STIC_TAKE(task->arena, &diagonal, n));
    STIC_TRY(STIC_TAKE(task->arena, &dense, (size_t)n * (size_t)n));
    memset(dense, 0, (size_t)n * (size_t)n * sizeof *dense);
    for (int32_t i = 0; i < W->rows; ++i)
        for (int32_t k = W->begin[i]; k < W->begin[i + 1]; ++k) {
            const int32_t row = W->row_at[i], rows = W->row_at[i + 1] - row;
            const int32_t at = W->col_at[W->col[k]], cols = W->col_at[W->col[k] + 1] - at;
            const double* value = W->value + W->value_at[k];
            for (int32_t a = 0; a < rows; ++a)
                memcpy(dense + (size_t)(row + a) * (size_t)n + at, value + a * cols,
                       (size_t)cols * sizeof *dense);
        }
    *inverse = dense;
    task->info->factorisations += 1;
    bool regular = is_symmetric(n, dense);
    for (int32_t h = 0; h < n; ++h)
        diagonal[h] = dense[(size_t)h * (size_t)n + (size_t)h];
    regular = regular && stic_dense_spd_inverse(n, dense, dense) == STIC_OK;
    // 1/(W_hh G_hh) is the part of row h that the other rows do not span
    for (int32_t h = 0; h < n && regular; ++h)
        regular = diagonal[h] * dense[(size_t)h * (size_t)n + (size_t)h] < most_inflation;
    if (!regular)
        return stic_error_set(&task->info->error, STIC_UNSUPPORTED,
                              "gamma-prox needs a symmetric positive definite W, and this one is "
                              "not");
    return STIC_OK;
}

// s by set and the Lipschitz estimate, from the rows of G
static SticStatus plan_lengths(SticSolveTask* task, Gamma* it)
{
    const SticProblem* problem = it->problem;
    const int32_t n = problem->rows;
    double *diagonal = NULL, *sum = NULL;
    bool dominant = true;
    STIC_TRY(STIC_TAKE(task->arena, &diagonal, n));
    STIC_TRY(STIC_TAKE(task->arena, &sum, n));
    STIC_TRY(STIC_TAKE(task->arena, &it->length, 3 * (size_t)problem->count));
    for (int32_t h = 0; h < n; ++h) {
        const double* row = it->G + (size_t)h * (size_t)n;
        diagonal[h] = row[h];
        sum[h] = 0.0;
        for (int32_t k = 0; k < n; ++k)
            sum[h] += fabs(row[k]);
        dominant = dominant && sum[h] < 2.0 * diagonal[h];
    }
    const int32_t rule = it->settings->rho;
    const bool by_sum = rule == RULE_ROW_SUM || (rule == RULE_DOMINANCE && !dominant);
    for (int32_t i = 0; i < problem->count; ++i) {
        int32_t part_at[4], group_at[4];
        const SticLaw law = (SticLaw)problem->law[i];
        const int32_t at = problem->row_at[i], rows = problem->row_at[i + 1] - at;
        const int32_t parts = stic_prox_parts(law, rows, part_at);
        const int32_t groups = stic_law_groups(law, rows, group_at);
        for (int32_t k = 0; k < parts; ++k) {
            double most = 0.0;
            for (int32_t h = at + part_at[k]; h < at + part_at[k + 1]; ++h) {
                const double size = by_sum ? sum[h] : diagonal[h];
                most = size > most ? size : most;
            }
            const double length = it->settings->omega / most;
            for (int32_t h = at + part_at[k]; h < at + part_at[k + 1]; ++h) {
                const double bound =
                    fabs(1.0 - length * diagonal[h]) + length * (sum[h] - diagonal[h]);
                if (bound > task->info->lipschitz)
                    task->info->lipschitz = bound;
            }
            for (int32_t g = 0; g < groups; ++g)
                if (group_at[g] >= part_at[k] && group_at[g] < part_at[k + 1])
                    it->length[3 * i + g] = length;
        }
    }
    return STIC_OK;
}

// r = G (u - b)
static void reactions(Gamma* it)
{
    const int32_t n = it->problem->rows;
    for (int32_t h = 0; h < n; ++h) {
        const double* row = it->G + (size_t)h * (size_t)n;
        double total = 0.0;
        for (int32_t k = 0; k < n; ++k)
            total += row[k] * (it->u[k] - it->b[k]);
        it->r[h] = total;
    }
}

// p and the new u of interaction i; du is what u moves by
static void step(Gamma* it, int32_t i, double* du)
{
    const SticProblem* problem = it->problem;
    const int32_t at = problem->row_at[i], rows = problem->row_at[i + 1] - at;
    const SticLawBlock block = {.law = (SticLaw)problem->law[i],
                                .rows = rows,
                                .coef = problem->coef[i],
                                .B = stic_problem_bound(problem, i, it->r)};
    const double* length = it->length + 3 * (size_t)i;
    double rho[3] = {1.0, 1.0, 1.0}, moved = 0.0, size = 0.0;
    int32_t group_at[4];
    const int32_t groups = stic_law_groups(block.law, rows, group_at);
    for (int32_t g = 0; g < groups; ++g)
        rho[g] = 1.0 / length[g];
    stic_law_step_split(&block, rho, it->u + at, it->r + at, it->p + at);
    for (int32_t g = 0; g < groups; ++g)
        for (int32_t k = group_at[g]; k < group_at[g + 1]; ++k) {
            du[k] = length[g] * (it->p[at + k] - it->r[at + k]);
            const double next = it->u[at + k] + du[k];
            moved += du[k] * du[k];
            size += next * next;
        }
    it->defect += moved;
    it->settled =
        it->settled && moved <= it->settings->step_tolerance * it->settings->step_tolerance * size;
}

static void sweep(Gamma* it)
{
    const SticProblem* problem = it->problem;
    const int32_t n = problem->rows;
    reactions(it);
    for (int32_t i = 0; i < problem->count; ++i) {
        const int32_t at = problem->row_at[i], rows = problem->row_at[i + 1] - at;
        double du[STIC_MAX_ROWS];
        step(it, i, du);
        for (int32_t k = 0; k < rows; ++k)
            it->u[at + k] += du[k];
        // Gauss-Seidel: the rows below see the new velocity through the reactions
        for (int32_t h = 0; it->settings->seidel && h < n; ++h)
            for (int32_t k = 0; k < rows; ++k)
                it->r[h] += it->G[(size_t)h * (size_t)n + (size_t)(at + k)] * du[k];
    }
}

SticStatus stic_gamma_prox_run(SticSolveTask* task)
{
    const int32_t n = task->problem->rows;
    Gamma it = {.problem = task->problem, .settings = task->method};
    SticOperator* op = NULL;
    if (n > MOST_ROWS)
        return stic_error_set(&task->info->error, STIC_UNSUPPORTED,
                              "gamma-prox inverts W and takes at most %d rows, not %d", MOST_ROWS,
                              n);
    STIC_TRY(stic_task_operator(task, STIC_FORM_EXPLICIT, &op));
    it.b = op->b;
    STIC_TRY(invert(task, op, &it.G));
    STIC_TRY(plan_lengths(task, &it));
    STIC_TRY(STIC_TAKE(task->arena, &it.u, n));
    STIC_TRY(STIC_TAKE(task->arena, &it.r, n));
    STIC_TRY(STIC_TAKE(task->arena, &it.p, n));
    stic_operator_apply(op, task->r, it.u);
    const double work = (it.settings->seidel ? 2.0 : 1.0) * n * n + 20.0 * n;
    const double scale = task->b_norm > 0.0 ? task->b_norm : 1.0;
    do {
        it.defect = 0.0;
        it.settled = it.settings->step_tolerance > 0.0;
        sweep(&it);
        memcpy(task->r, it.p, (size_t)n * sizeof *task->r);
    } while (stic_task_next(task, task->r, work, sqrt(it.defect) / scale) && !it.settled);
    return STIC_OK;
}
