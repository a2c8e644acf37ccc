// SPDX-License-Identifier: Apache-2.0
// admm in reactions: the linear system has the pattern of W.
//
// In the scaled variables of scaled.h (x for r, W with unit mean diagonal, |b| = 1):
//     (W + s I) x = s z + y - b              y is the present velocity; one factor per s
//     q = alpha x + (1 - alpha) z
//     z+ = prox( q - (y + De Saxcé's term of y) / s )                   law by law, stic_law_step
//     y+ = y - s (q - z+)
// The fixed points are x = z, y = W x + b and the laws between them; z is in its set, and its error
// is what is checked. s = 0.1 to start with; where the relative residuals |q - z| and s |dz|
// differ by more than nine times, s is multiplied by the root of their ratio. The system is
// symmetric where W is (LDL'), else LU. Sources and departures: as admm.c.
#include "solver/method/admm.h"

#include <math.h>
#include <string.h>

#include "solver/newton_system.h"
#include "sparse/sparse.h"

enum { BALANCE_EVERY = 10, REST = 30 };

typedef struct Reactions {
    SticScaled scaled;
    SticNewtonSystem system;
    double *x, *y, *z, *next, *q; // [rows]
    SticAdmmPenalty penalty;      // rho is s
    double alpha;
} Reactions;

// K = W + s I and its factor; false if that failed
static bool factorise(SticSolveTask* task, Reactions* a)
{
    const SticProblem* problem = &a->scaled.problem;
    double unit[36], shift[36];
    for (int32_t i = 0; i < problem->count; ++i) {
        const int32_t rows = problem->row_at[i + 1] - problem->row_at[i];
        memset(unit, 0, sizeof unit);
        memset(shift, 0, sizeof shift);
        for (int32_t k = 0; k < rows; ++k) {
            unit[k * rows + k] = 1.0;
            shift[k * rows + k] = a->penalty.rho;
        }
        stic_newton_system_row(&a->system, i, unit);
        stic_newton_system_add(&a->system, i, shift);
    }
    task->info->factorisations += 1;
    task->info->work += a->system.factor_work;
    a->penalty.changed = task->info->iterations;
    return stic_newton_system_factor(&a->system);
}

static double norm(const double* x, int32_t count)
{
    double sum = 0.0;
    for (int32_t k = 0; k < count; ++k)
        sum += x[k] * x[k];
    return sqrt(sum);
}

// one iteration; the norms of q - z and of the step of z
static void iterate(Reactions* a, double* primal, double* dual)
{
    const SticProblem* problem = &a->scaled.problem;
    const double s = a->penalty.rho, lengths[3] = {1.0 / s, 1.0 / s, 1.0 / s};
    for (int32_t k = 0; k < problem->rows; ++k)
        a->q[k] = s * a->z[k] + a->y[k] - problem->b[k];
    stic_newton_system_solve(&a->system, a->q, 0, a->x);
    for (int32_t k = 0; k < problem->rows; ++k)
        a->q[k] = a->alpha * a->x[k] + (1.0 - a->alpha) * a->z[k];
    for (int32_t i = 0; i < problem->count; ++i) {
        const int32_t at = problem->row_at[i];
        const SticLawBlock block = {.law = (SticLaw)problem->law[i],
                                    .rows = problem->row_at[i + 1] - at,
                                    .coef = problem->coef[i],
                                    .B = stic_problem_bound(problem, i, a->z)};
        stic_law_step(&block, lengths, a->y + at, a->q + at, a->next + at);
    }
    double gap = 0.0, move = 0.0;
    for (int32_t k = 0; k < problem->rows; ++k) {
        const double difference = a->q[k] - a->next[k], step = a->next[k] - a->z[k];
        gap += difference * difference;
        move += step * step;
        a->y[k] -= s * difference;
    }
    double* z = a->z;
    a->z = a->next;
    a->next = z;
    *primal = sqrt(gap);
    *dual = s * sqrt(move);
}

// s follows the ratio of the relative residuals; whether it changed
static bool balance(const SticSolveTask* task, Reactions* a, double primal, double dual)
{
    const SticAdmmSettings* settings = task->method;
    const int32_t now = task->info->iterations, rows = a->scaled.problem.rows;
    if ((now - a->penalty.first) % BALANCE_EVERY != 0 || now - a->penalty.changed < REST ||
        a->penalty.balanced >= settings->refactor)
        return false;
    const double factor = sqrt(primal / norm(a->z, rows) * norm(a->y, rows) / dual);
    if (!(factor > 3.0 || factor < 1.0 / 3.0) || !isfinite(factor))
        return false;
    a->penalty.rho *= factor < 0.1 ? 0.1 : factor > 10.0 ? 10.0 : factor;
    a->penalty.balanced += 1;
    return true;
}

static SticStatus prepare(SticSolveTask* task, Reactions* a)
{
    const SticAdmmSettings* settings = task->method;
    const int32_t rows = task->problem->rows;
    STIC_TRY(stic_scaled_create(task->arena, task->problem, &a->scaled, &task->info->error));
    // unsymmetric by more than rounding of the products that made W
    const bool symmetric = stic_block_csr_asymmetry(&a->scaled.W) <= 1e-14;
    SticError* error = &task->info->error;
    STIC_TRY(stic_newton_system_analyse(task->arena, &a->scaled, &a->system, error));
    if (a->system.factor_values > settings->factor_values)
        return stic_error_set(error, STIC_UNSUPPORTED,
                              "admm: a factor of %.2e numbers, %.2e are allowed (factor_values)",
                              a->system.factor_values, settings->factor_values);
    STIC_TRY(stic_newton_system_prepare(task->arena, symmetric ? STIC_FACTOR_LDL : STIC_FACTOR_LU,
                                        &a->system, error));
    STIC_TRY(STIC_TAKE(task->arena, &a->x, rows));
    STIC_TRY(STIC_TAKE(task->arena, &a->y, rows));
    STIC_TRY(STIC_TAKE(task->arena, &a->z, rows));
    STIC_TRY(STIC_TAKE(task->arena, &a->next, rows));
    STIC_TRY(STIC_TAKE(task->arena, &a->q, rows));
    stic_scaled_from(&a->scaled, task->r, a->z);
    stic_scaled_velocity(&a->scaled, a->z, a->y);
    a->alpha = settings->alpha;
    a->penalty = stic_admm_penalty(task, settings->rho > 0.0 ? settings->rho : 0.1);
    return STIC_OK;
}

SticStatus stic_admm_run_reactions(SticSolveTask* task)
{
    static const double others[] = {1.0, 0.01, 10.0, 1e-3};
    Reactions a = {.alpha = 1.0};
    STIC_TRY(prepare(task, &a));
    const double work = a.system.solve_work + 30.0 * (double)task->problem->rows;
    bool fresh = factorise(task, &a);
    while (fresh) {
        double primal = 0.0, dual = 0.0;
        iterate(&a, &primal, &dual);
        if (stic_task_count(task, work, primal + dual)) {
            stic_scaled_to(&a.scaled, a.z, task->r);
            if (!stic_task_judge(task, task->r))
                return STIC_OK;
            if (stic_admm_retry(task, &a.penalty, others, sizeof others / sizeof *others)) {
                fresh = factorise(task, &a);
                continue;
            }
        }
        if (balance(task, &a, primal, dual))
            fresh = factorise(task, &a);
    }
    stic_task_stop(task, STIC_OUTCOME_BROKE_DOWN);
    return STIC_OK;
}
