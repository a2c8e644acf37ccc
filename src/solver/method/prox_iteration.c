// SPDX-License-Identifier: Apache-2.0
// Prox iterations on the reactions: Jprox, JORprox, SORprox, with recovered and transformed sets.
//
// Solves r_i = prox_{C_i}( r_i - rho_i (W r + b)_i ) for all interactions i by fixed-point
// iteration (Studer & Glocker 2006, eqs. 43, 44):
//
//   jacobi-prox   r_i <- prox( -(1/alpha_i) (sum_{j != i} W_ij r_j + b_i + B_ii r_i) ) with the
//                 splitting W_ii = alpha_i I + B_ii (eqs. 57, 59; the paper prints -B_ii in 59,
//                 (39) has the right sign); that is r_i - u_i/alpha_i, JORprox with rho_i =
//                 1/alpha_i
//   jor-prox      r_i <- prox( r_i - rho_i u_i ), all from the old r (eqs. 60, 61)
//   sor-prox      the same with the newest r (eqs. 71, 72); Möller's projected Gauss-Seidel (2011,
//                 eq. 2.67)
//
// rho_i comes from prox_plan.c. Options: `recover` (Möller 2011, eqs. 2.61-2.63) takes the Jacobi
// step of each row where nothing was projected; `transform` (section 2.5.2) treats ellipsoids as
// balls; `friction` says whether a contact is projected in two stages, as in both sources, or on
// its cone with De Saxcé's term. Bounds that depend on r use its newest value. With W positive
// definite and bounds that do not depend on r, sor-prox converges for 0 < omega < 2 and jor-prox
// where |I - R W| < 1, which info->lipschitz estimates by the row-sum norm (eq. 68); Coulomb
// friction has no such proof.
//
// `adaptive` starts from lambda_max of the blocks and multiplies all lengths by one factor. Steps
// along one direction want to be longer, steps to and fro shorter: every five iterations the factor
// grows by 10 % if the mean cosine between successive steps is above 0.5, and shrinks by 20 % if it
// is below -0.2; the length that was too long then stays a ceiling, which rises by 0.5 % each time.
// (Ours; the numbers were chosen on the public problem collection.)
//
// Iterations are sweeps. Cost: one product with W and one projection per interaction. Workspace: 12
// numbers per row; W is formed.
#include <math.h>
#include <string.h>

#include "problem/operator_kernel.h"
#include "solver/method/prox_plan.h"
#include "solver/methods.h"

enum { FRICTION_SPLIT, FRICTION_CONE };
enum { SPLIT_LARGEST, SPLIT_MEAN, SPLIT_BLOCK };

typedef struct ProxSettings {
    double omega;
    int32_t rho;      // SticRhoRule; of jacobi-prox: the splitting
    int32_t friction; // FRICTION_…
    bool recover;     // Jacobi steps where nothing is projected
    bool transform;   // ellipsoids as balls
    double step_tolerance;
} ProxSettings;

static const char* const friction_names[] = {"split", "cone", NULL};
static const char* const splitting_names[] = {"largest", "mean", "block", NULL};

#define COMMON_FIELDS                                                                              \
    STIC_FIELD_PICK(ProxSettings, friction, FRICTION_SPLIT, FRICTION_CONE, friction_names,         \
                    "contacts: normal law first and friction then, or one projection on the "      \
                    "cone"),                                                                       \
        STIC_FIELD_FLAG(ProxSettings, recover, 1,                                                  \
                        "take the Jacobi step of each row where nothing is projected"),            \
        STIC_FIELD_FLAG(ProxSettings, transform, 1, "project ellipsoids as balls"),                \
        STIC_FIELD_REAL(ProxSettings, step_tolerance, 0.0, 0.0, 1.0, "-",                          \
                        "also stop when no reaction moves by more than this part of itself; 0: "   \
                        "never")
#define RELAXED_FIELDS(rule)                                                                       \
    STIC_FIELD_REAL(ProxSettings, omega, 1.0, 1e-6, 10.0, "-", "relaxation factor of rho"),        \
        STIC_FIELD_PICK(ProxSettings, rho, rule, STIC_RHO_ADAPTIVE, stic_rho_names,                \
                        "rule for the step lengths"),                                              \
        COMMON_FIELDS

static const SticField jacobi_fields[] = {
    STIC_FIELD_PICK(ProxSettings, rho, SPLIT_LARGEST, SPLIT_BLOCK, splitting_names,
                    "alpha of the splitting of a block: largest or mean diagonal entry, largest "
                    "eigenvalue"),
    COMMON_FIELDS,
};
static const SticField jor_fields[] = {RELAXED_FIELDS(STIC_RHO_DOMINANCE)};
static const SticField sor_fields[] = {RELAXED_FIELDS(STIC_RHO_DIAGONAL)};

const SticFieldTable stic_jacobi_prox_fields = {"jacobi-prox", jacobi_fields,
                                                sizeof jacobi_fields / sizeof jacobi_fields[0],
                                                sizeof(ProxSettings)};
const SticFieldTable stic_jor_prox_fields = {
    "jor-prox", jor_fields, sizeof jor_fields / sizeof jor_fields[0], sizeof(ProxSettings)};
const SticFieldTable stic_sor_prox_fields = {
    "sor-prox", sor_fields, sizeof sor_fields / sizeof sor_fields[0], sizeof(ProxSettings)};

typedef struct Iteration {
    const SticProblem* problem;
    const SticOperator* op;
    ProxSettings settings;
    SticProxPlan plan;
    double *u, *next; // [rows]
    double factor;    // of all lengths; adaptive
    double defect;    // sum of the squared steps over rho: a velocity
    bool settled;     // every step was within the step tolerance
} Iteration;

// one projected step of interaction i from (u, r), into p
static void step(Iteration* it, int32_t i, const double* all_r, const double* u, double* p)
{
    const SticProblem* problem = it->problem;
    const int32_t at = problem->row_at[i], rows = problem->row_at[i + 1] - at;
    const double* r = all_r + at;
    const SticLawBlock block = {.law = (SticLaw)problem->law[i],
                                .rows = rows,
                                .coef = problem->coef[i],
                                .B = stic_problem_bound(problem, i, all_r)};
    double rho[3], moved = 0.0, size = 0.0, q[STIC_MAX_ROWS];
    int32_t group_at[4];
    for (int g = 0; g < 3; ++g)
        rho[g] = it->factor * it->plan.rho[i][g];
    const bool inside = it->settings.friction == FRICTION_CONE
                            ? stic_law_step(&block, rho, u, r, q)
                            : stic_law_step_split(&block, rho, u, r, q);
    const int32_t groups = stic_law_groups(block.law, rows, group_at);
    for (int32_t g = 0; g < groups; ++g)
        for (int32_t k = group_at[g]; k < group_at[g + 1]; ++k) {
            const double change = q[k] - r[k];
            it->defect += change / rho[g] * (change / rho[g]);
            const double gain = inside && it->settings.recover ? it->plan.gain[at + k] : 1.0;
            p[k] = gain == 1.0 ? q[k] : r[k] + gain * change;
            moved += gain * change * (gain * change);
            size += p[k] * p[k];
        }
    const double limit = it->settings.step_tolerance;
    it->settled = it->settled && moved <= limit * limit * size;
}

static void jacobi_sweep(Iteration* it, double* r)
{
    const SticProblem* problem = it->problem;
    stic_operator_apply(it->op, r, it->u);
    for (int32_t i = 0; i < problem->count; ++i)
        step(it, i, r, it->u + problem->row_at[i], it->next + problem->row_at[i]);
    memcpy(r, it->next, (size_t)problem->rows * sizeof *r);
}

static void seidel_sweep(Iteration* it, double* r)
{
    const SticProblem* problem = it->problem;
    for (int32_t i = 0; i < problem->count; ++i) {
        const int32_t at = problem->row_at[i];
        double u[STIC_MAX_ROWS];
        stic_operator_row(it->op, i, problem->row_at[i + 1] - at, r, u);
        step(it, i, r, u, r + at);
    }
}

/* ---- adaptive factor ---- */

enum { WINDOW = 5 }; // iterations between two decisions
// beyond 2 a block overshoots its own solution by more than it was off
static const double most_factor = 1.9, least_factor = 1e-3;

typedef struct Tuner {
    double *from, *step; // [rows] r before the sweep, the step before
    double cosine;       // sum of the cosines between successive steps since the last decision
    double before;       // defect at the last decision
    double ceiling;      // of the factor: below the last one that was too long
} Tuner;

// cosine between this step and the last one, which it replaces
static double turn(Tuner* tuner, int32_t rows, const double* r)
{
    double product = 0.0, old_square = 0.0, new_square = 0.0;
    for (int32_t k = 0; k < rows; ++k) {
        const double step_k = r[k] - tuner->from[k];
        product += step_k * tuner->step[k];
        old_square += tuner->step[k] * tuner->step[k];
        new_square += step_k * step_k;
        tuner->step[k] = step_k;
    }
    const double scale = sqrt(old_square) * sqrt(new_square);
    return scale > 0.0 ? product / scale : 0.0;
}

// successive steps in one direction are too short, steps to and fro too long
static void tune(Tuner* tuner, Iteration* it, SticSolveTask* task)
{
    tuner->cosine += turn(tuner, it->problem->rows, task->r);
    if (task->info->iterations % WINDOW != 0)
        return;
    const double mean = tuner->cosine / WINDOW, now = sqrt(it->defect);
    tuner->ceiling = 1.005 * tuner->ceiling < most_factor ? 1.005 * tuner->ceiling : most_factor;
    if (mean < -0.2) {
        tuner->ceiling = 0.9 * it->factor;
        it->factor *= 0.8;
    } else if (mean > 0.5) {
        it->factor = 1.1 * it->factor < tuner->ceiling ? 1.1 * it->factor : tuner->ceiling;
    }
    // diverging: shorten at once, and continue from the best reactions known
    if (tuner->before > 0.0 && !(now < 10.0 * tuner->before)) {
        it->factor *= 0.5;
        stic_task_best(task, task->r);
    }
    it->factor = it->factor > most_factor    ? most_factor
                 : it->factor < least_factor ? least_factor
                                             : it->factor;
    tuner->cosine = 0.0;
    tuner->before = now;
}

static SticStatus create_tuner(SticSolveTask* task, Tuner* tuner)
{
    const int32_t rows = task->problem->rows;
    STIC_TRY(STIC_TAKE(task->arena, &tuner->from, rows));
    STIC_TRY(STIC_TAKE(task->arena, &tuner->step, rows));
    memset(tuner->step, 0, (size_t)rows * sizeof *tuner->step);
    return STIC_OK;
}

static SticStatus run(SticSolveTask* task, const ProxSettings* settings, bool seidel)
{
    Iteration it = {.problem = task->problem, .settings = *settings, .factor = 1.0};
    const bool adaptive = settings->rho == STIC_RHO_ADAPTIVE;
    Tuner tuner = {.ceiling = most_factor};
    SticOperator* op = NULL;
    STIC_TRY(stic_task_operator(task, STIC_FORM_EXPLICIT, &op));
    it.op = op;
    const SticProxChoice choice = {.rule = (SticRhoRule)settings->rho,
                                   .omega = settings->omega,
                                   .transform = settings->transform};
    STIC_TRY(stic_prox_plan(task, op, choice, &it.plan));
    STIC_TRY(STIC_TAKE(task->arena, &it.u, task->problem->rows));
    STIC_TRY(STIC_TAKE(task->arena, &it.next, task->problem->rows));
    if (adaptive)
        STIC_TRY(create_tuner(task, &tuner));
    task->info->lipschitz = it.plan.lipschitz;
    const double work = stic_operator_apply_work(op) + 20.0 * task->problem->rows;
    const double scale = task->b_norm > 0.0 ? task->b_norm : 1.0;
    bool going = true;
    while (going) {
        it.defect = 0.0;
        it.settled = settings->step_tolerance > 0.0;
        if (adaptive)
            memcpy(tuner.from, task->r, (size_t)task->problem->rows * sizeof *tuner.from);
        if (seidel)
            seidel_sweep(&it, task->r);
        else
            jacobi_sweep(&it, task->r);
        going = stic_task_next(task, task->r, work, sqrt(it.defect) / scale) && !it.settled;
        if (adaptive)
            tune(&tuner, &it, task);
    }
    return STIC_OK;
}

SticStatus stic_jacobi_prox_run(SticSolveTask* task)
{
    static const SticRhoRule rules[] = {
        [SPLIT_LARGEST] = STIC_RHO_DIAGONAL,
        [SPLIT_MEAN] = STIC_RHO_MEAN,
        [SPLIT_BLOCK] = STIC_RHO_BLOCK,
    };
    ProxSettings settings = *(const ProxSettings*)task->method;
    settings.omega = 1.0;
    settings.rho = (int32_t)rules[settings.rho];
    return run(task, &settings, false);
}

SticStatus stic_jor_prox_run(SticSolveTask* task)
{
    return run(task, task->method, false);
}

SticStatus stic_sor_prox_run(SticSolveTask* task)
{
    return run(task, task->method, true);
}
