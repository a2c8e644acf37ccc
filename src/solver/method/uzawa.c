// SPDX-License-Identifier: Apache-2.0
// Uzawa's method on the augmented Lagrangian, and the pair of iterations beside it.
//
// The saddle point of the augmented Lagrangian of the principle of least constraint satisfies
// (Studer & Glocker 2006, eqs. 89, 90, written with u = W r + b)
//
//     u = W prox_C(r - c u) + b          r = prox_C(r - c u)
//
// pair       both right-hand sides from the old u and r (eqs. 107, 108). As the two prox are the
//            same number, u is always W r + b of the new r: the pair is jor-prox in other words,
//            and gives its iterates bit for bit.
// augmented  Uzawa's method: the first equation is solved for u while r is fixed, then r is updated
//            once by the second. With p = prox_C(r - c u) the first equation is
//                p = prox_C( r - c (W p + b) )   <=>   -(W p + b + (p - r)/c) in N_C(p),
//            the problem itself with W + 1/c for W, and the update is r <- p: the proximal point
//            method. It converges for every penalty c > 0 if the problem is monotone, also where W
//            is singular; large c means few outer steps with harder inner problems.
//
// The inner problem is solved by projected Gauss-Seidel with lengths 1/(1/rho + 1/c), until its own
// defect is a tenth of |p - r|/c. c = penalty * rho of the group, rho from prox_plan.c. Contacts
// are projected in two stages; with Coulomb's bound this is a quasi-optimisation without proof.
// Iterations are outer steps. Cost: inner sweeps times one product with W. Workspace: 10 numbers
// per row; W is formed.
#include <math.h>
#include <string.h>

#include "problem/operator_kernel.h"
#include "solver/method/prox_plan.h"
#include "solver/methods.h"

enum { VARIANT_PAIR, VARIANT_AUGMENTED };

typedef struct UzawaSettings {
    int32_t variant; // VARIANT_…
    double omega;
    int32_t rho; // SticRhoRule, not ADAPTIVE
    double penalty;
    int32_t inner_sweeps;
} UzawaSettings;

static const char* const variant_names[] = {"pair", "augmented", NULL};

static const SticField uzawa_fields[] = {
    STIC_FIELD_PICK(UzawaSettings, variant, VARIANT_AUGMENTED, VARIANT_AUGMENTED, variant_names,
                    "the pair of iterations, or the augmented Lagrangian solved for u"),
    STIC_FIELD_REAL(UzawaSettings, omega, 1.0, 1e-6, 10.0, "-", "pair: relaxation factor of rho"),
    STIC_FIELD_PICK(UzawaSettings, rho, STIC_RHO_BLOCK, STIC_RHO_SPECTRAL, stic_rho_names,
                    "rule for the step lengths"),
    STIC_FIELD_REAL(UzawaSettings, penalty, 10.0, 1e-6, 1e12, "-",
                    "augmented: penalty as a multiple of rho"),
    STIC_FIELD_COUNT(UzawaSettings, inner_sweeps, 50, 1, 1000000, "sweeps",
                     "augmented: most sweeps of one inner problem"),
};

const SticFieldTable stic_uzawa_fields = {
    "uzawa", uzawa_fields, sizeof uzawa_fields / sizeof uzawa_fields[0], sizeof(UzawaSettings)};

typedef struct Uzawa {
    const SticProblem* problem;
    const SticOperator* op;
    SticProxPlan plan;
    double weight;   // 1/penalty; 0 for the pair
    const double* r; // multipliers held fixed by the inner problem
    double inner;    // squared defect of the last sweep, in velocities
    double outer;    // squared |p - r| / c
} Uzawa;

// one projected step of interaction i from all_p, with u of the plain problem; into p, which may be
// its part of all_p
static void step(Uzawa* it, int32_t i, const double* all_p, const double* u, double* p)
{
    const SticProblem* problem = it->problem;
    const int32_t at = problem->row_at[i], rows = problem->row_at[i + 1] - at;
    const SticLawBlock block = {.law = (SticLaw)problem->law[i],
                                .rows = rows,
                                .coef = problem->coef[i],
                                .B = stic_problem_bound(problem, i, all_p)};
    double rho[3], v[STIC_MAX_ROWS], q[STIC_MAX_ROWS];
    int32_t group_at[4];
    const int32_t groups = stic_law_groups(block.law, rows, group_at);
    for (int32_t g = 0; g < 3; ++g)
        rho[g] = it->plan.rho[i][g] / (1.0 + it->weight);
    for (int32_t g = 0; g < groups; ++g)
        for (int32_t k = group_at[g]; k < group_at[g + 1]; ++k) {
            const double pull = it->weight / it->plan.rho[i][g];
            v[k] = u[k] + (it->weight > 0.0 ? pull * (all_p[at + k] - it->r[at + k]) : 0.0);
        }
    stic_law_step_split(&block, rho, v, all_p + at, q);
    for (int32_t g = 0; g < groups; ++g)
        for (int32_t k = group_at[g]; k < group_at[g + 1]; ++k) {
            const double change = (q[k] - all_p[at + k]) / rho[g];
            const double away = it->weight / it->plan.rho[i][g] * (q[k] - it->r[at + k]);
            it->inner += change * change;
            it->outer += away * away;
            p[k] = q[k];
        }
}

static void run_pair(SticSolveTask* task, Uzawa* it, double* u, double* next)
{
    const int32_t rows = task->problem->rows;
    const double work = stic_operator_apply_work(it->op) + 20.0 * rows;
    const double scale = task->b_norm > 0.0 ? task->b_norm : 1.0;
    stic_operator_apply(it->op, task->r, u);
    do {
        it->inner = 0.0;
        for (int32_t i = 0; i < task->problem->count; ++i)
            step(it, i, task->r, u + task->problem->row_at[i], next + task->problem->row_at[i]);
        stic_operator_apply(it->op, next, u);
        memcpy(task->r, next, (size_t)rows * sizeof *next);
    } while (stic_task_next(task, task->r, work, sqrt(it->inner) / scale));
}

// inner problem from the present p; how many sweeps it took
static int32_t minimise(Uzawa* it, double floor, int32_t most_sweeps, double* p)
{
    const SticProblem* problem = it->problem;
    for (int32_t sweep = 1;; ++sweep) {
        it->inner = 0.0;
        it->outer = 0.0;
        for (int32_t i = 0; i < problem->count; ++i) {
            double u[STIC_MAX_ROWS];
            stic_operator_row(it->op, i, problem->row_at[i + 1] - problem->row_at[i], p, u);
            step(it, i, p, u, p + problem->row_at[i]);
        }
        const double goal = 0.1 * sqrt(it->outer);
        if (sqrt(it->inner) <= (goal > floor ? goal : floor) || sweep == most_sweeps)
            return sweep;
    }
}

static void run_augmented(SticSolveTask* task, Uzawa* it, const UzawaSettings* settings, double* p)
{
    const int32_t rows = task->problem->rows;
    const double scale = task->b_norm > 0.0 ? task->b_norm : 1.0;
    const double price = stic_operator_apply_work(it->op) + 30.0 * rows;
    const double floor = 0.1 * task->settings->tolerance * scale;
    double estimate = 0.0;
    int32_t sweeps = 0;
    memcpy(p, task->r, (size_t)rows * sizeof *p);
    do {
        it->r = task->r;
        sweeps = minimise(it, floor, settings->inner_sweeps, p);
        memcpy(task->r, p, (size_t)rows * sizeof *p);
        estimate = (sqrt(it->inner) + sqrt(it->outer)) / scale;
    } while (stic_task_next(task, task->r, sweeps * price, estimate));
}

SticStatus stic_uzawa_run(SticSolveTask* task)
{
    const UzawaSettings* settings = task->method;
    const bool pair = settings->variant == VARIANT_PAIR;
    Uzawa it = {.problem = task->problem, .weight = pair ? 0.0 : 1.0 / settings->penalty};
    double *u = NULL, *p = NULL;
    SticOperator* op = NULL;
    STIC_TRY(stic_task_operator(task, STIC_FORM_EXPLICIT, &op));
    it.op = op;
    const SticProxChoice choice = {.rule = (SticRhoRule)settings->rho,
                                   .omega = pair ? settings->omega : 1.0,
                                   .transform = true};
    STIC_TRY(stic_prox_plan(task, op, choice, &it.plan));
    STIC_TRY(STIC_TAKE(task->arena, &u, task->problem->rows));
    STIC_TRY(STIC_TAKE(task->arena, &p, task->problem->rows));
    it.r = task->r;
    if (pair) {
        task->info->lipschitz = it.plan.lipschitz;
        run_pair(task, &it, u, p);
    } else {
        run_augmented(task, &it, settings, p);
    }
    return STIC_OK;
}
