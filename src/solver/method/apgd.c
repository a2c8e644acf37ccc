// SPDX-License-Identifier: Apache-2.0
// apgd: accelerated projected gradient.
//
//     p = prox( y - s rho (u(y) + De Saxcé's term) )    law by law in the metric of its rho (law.h)
//     <W d, d> <= |d|^2 / (s rho),  d = p - y?           else s := s/2 (at least), again
//     y = p + beta (p - p_before);  u(y) the same, since u is affine: one product with W per step
//     s := 1.02 s
//
// beta and its guard: momentum.h. Source: Nesterov 1983; Beck and Teboulle 2009 (backtracking);
// Mazhar, Heyn, Negrut and Tasora 2015 for contacts, where friction is convex; here the exact law
// is kept by De Saxcé's term at the current velocity. Convex problems: error 1/k^2; Coulomb
// friction: a heuristic, quick for resting scenes, unsafe where much slides.
// Cost: one product with W and one pass over the laws; both run on the pool with fixed sums.
// Workspace: eight vectors.
#include "solver/method/momentum.h"
#include "solver/method/projected_step.h"
#include "solver/methods.h"

#include <string.h>

#include "problem/operator_kernel.h"

typedef struct ApgdSettings {
    double step;      ///< first value of s
    double grow;      ///< factor per iteration
    int32_t patience; ///< iterations without progress before the next stage
} ApgdSettings;

static const SticField apgd_fields[] = {
    STIC_FIELD_REAL(ApgdSettings, step, 1.0, 1e-12, 1e12, "-",
                    "first step length, in units of 1/W_ii"),
    STIC_FIELD_REAL(ApgdSettings, grow, 1.02, 1.0, 2.0, "-", "growth of the step per iteration"),
    STIC_FIELD_COUNT(ApgdSettings, patience, 1000, 1, 2147483647, "iterations",
                     "iterations without progress before momentum is limited"),
};

const SticFieldTable stic_apgd_fields = {
    .name = "apgd",
    .fields = apgd_fields,
    .count = sizeof apgd_fields / sizeof apgd_fields[0],
    .size = sizeof(ApgdSettings),
};

// caps of the stages that the guard goes through
static const double caps[] = {1.0, 0.95, 0.8, 0.0};
enum { STAGES = sizeof caps / sizeof caps[0], TRIALS = 100 };

typedef struct Apgd {
    const SticProblem* problem;
    SticProjectedStep step;
    double *p, *u_p;           // [rows] new point and its velocity
    double *before, *u_before; // [rows] the last one
    double *y, *u_y;           // [rows] extrapolated
    double beta;
    SticNesterov momentum;
    SticGuard guard;
    int32_t stage;
} Apgd;

// <d, W d>, |d|^2/rho, <y - p, p - before>/rho, |d / rho|^2 for d = p - y
static void sum_chunk(void* self, int32_t chunk)
{
    const Apgd* a = self;
    const SticProblem* problem = a->problem;
    const int32_t first = chunk * STIC_OPERATOR_CHUNK;
    double sums[STIC_STEP_SUMS] = {0.0, 0.0, 0.0, 0.0};
    for (int32_t i = first; i < problem->count && i < first + STIC_OPERATOR_CHUNK; ++i) {
        const int32_t at = problem->row_at[i], rows = problem->row_at[i + 1] - at;
        int32_t group_at[4];
        const int32_t groups = stic_law_groups((SticLaw)problem->law[i], rows, group_at);
        for (int32_t g = 0; g < groups; ++g)
            for (int32_t k = at + group_at[g]; k < at + group_at[g + 1]; ++k) {
                const double d = a->p[k] - a->y[k], weight = 1.0 / a->step.rho[i][g];
                sums[0] += d * (a->u_p[k] - a->u_y[k]);
                sums[1] += weight * d * d;
                sums[2] -= weight * d * (a->p[k] - a->before[k]);
                sums[3] += weight * d * weight * d;
            }
    }
    memcpy(a->step.sums[chunk], sums, sizeof sums);
}

// whether the curvature allows the step
static bool accept(void* self, const double sums[STIC_STEP_SUMS])
{
    Apgd* a = self;
    // the slack covers the rounding of velocities that hardly differ
    if (!(sums[0] * a->step.length > (1.0 + 1e-6) * sums[1]))
        return true;
    const double allowed = sums[1] / sums[0];
    a->step.length = allowed < 0.5 * a->step.length ? allowed : 0.5 * a->step.length;
    return false;
}

// p from y with the longest step that is allowed; returns the work it took
static double descend(Apgd* a, double product, double sums[STIC_STEP_SUMS])
{
    const SticStepSearch search = {.base = a->y,
                                   .velocity = a->u_y,
                                   .to = a->p,
                                   .u_to = a->u_p,
                                   .sum = sum_chunk,
                                   .accept = accept,
                                   .self = a,
                                   .trials = TRIALS};
    return product * stic_projected_step_search(&a->step, &search, sums);
}

static void extrapolate(Apgd* a, double beta)
{
    for (int32_t k = 0; k < a->problem->rows; ++k) {
        a->y[k] = a->p[k] + beta * (a->p[k] - a->before[k]);
        a->u_y[k] = a->u_p[k] + beta * (a->u_p[k] - a->u_before[k]);
    }
    double *p = a->before, *u = a->u_before;
    a->before = a->p;
    a->u_before = a->u_p;
    a->p = p;
    a->u_p = u;
}

// begin at r without momentum
static void begin(Apgd* a, const double* r)
{
    const size_t bytes = (size_t)a->problem->rows * sizeof *r;
    memmove(a->before, r, bytes);
    stic_operator_apply(a->step.op, a->before, a->u_before);
    memcpy(a->y, a->before, bytes);
    memcpy(a->u_y, a->u_before, bytes);
    a->momentum.t = 1.0;
}

static SticStatus prepare(SticSolveTask* task, Apgd* a)
{
    const ApgdSettings* settings = task->method;
    const int32_t rows = task->problem->rows;
    *a = (Apgd){.problem = task->problem,
                .momentum = {.t = 1.0, .cap = 1.0, .most = 1.0},
                .guard = {.error = task->best_error,
                          .at = task->info->iterations,
                          .first = task->info->iterations,
                          .patience = settings->patience}};
    STIC_TRY(stic_projected_step_create(task, settings->step, &a->step));
    STIC_TRY(STIC_TAKE(task->arena, &a->p, rows));
    STIC_TRY(STIC_TAKE(task->arena, &a->u_p, rows));
    STIC_TRY(STIC_TAKE(task->arena, &a->before, rows));
    STIC_TRY(STIC_TAKE(task->arena, &a->u_before, rows));
    STIC_TRY(STIC_TAKE(task->arena, &a->y, rows));
    return STIC_TAKE(task->arena, &a->u_y, rows);
}

SticStatus stic_apgd_run(SticSolveTask* task)
{
    const ApgdSettings* settings = task->method;
    Apgd a;
    STIC_TRY(prepare(task, &a));
    const double product = stic_operator_apply_work(a.step.op) + 40.0 * (double)task->problem->rows;
    const double scale = task->b_norm > 0.0 ? 1.0 / task->b_norm : 1.0;
    begin(&a, task->r);
    for (;;) {
        double sums[STIC_STEP_SUMS];
        const double work = descend(&a, product, sums);
        const double length = a.step.length;
        a.step.length *= settings->grow;
        if (stic_task_count(task, work, scale * sqrt(sums[3]) / length)) {
            if (!stic_task_judge(task, a.p))
                break;
            const SticGuardVerdict verdict = stic_guard_look(&a.guard, task, a.beta, &a.momentum);
            if (verdict == STIC_GUARD_CAREFUL) {
                a.stage = a.stage + 1 < STAGES ? a.stage + 1 : 1;
                a.momentum.cap = caps[a.stage];
            }
            if (verdict != STIC_GUARD_GO_ON) {
                stic_task_best(task, a.p);
                begin(&a, a.p);
                continue;
            }
        }
        a.beta = stic_nesterov_next(&a.momentum, sums[2] > 0.0);
        extrapolate(&a, a.beta);
    }
    return STIC_OK;
}
