// SPDX-License-Identifier: Apache-2.0
// admm: alternating direction method of multipliers with one sparse factor.
//
// In velocities, for block diagonal masses. With mass-scaled H (operator_kernel.h) and D the step
// lengths of the laws from the diagonal blocks of W (law.h), one number per group of rows:
//     A = I + rho H D H'                      pattern of the graph of bodies; LDL' once per rho
//     v = A^-1 ( v_free + H (r + rho D (z - w)) )
//     u = H'v + w;   q = alpha u + (1 - alpha) z                        over-relaxation
//     r+ = prox( r - rho D (q + De Saxcé's term of q) )                 law by law, stic_law_step
//     z+ = q + (r+ - r) / (rho D)
// The fixed points are u = z and the laws between u and r. r is in its set after each iteration,
// and its error is what is checked. Source: Gabay and Mercier 1976; Eckstein and Bertsekas 1992
// (over-relaxation); He, Yang and Wang 2000 (balanced residuals); Acary, Brémond and Huber 2018 for
// the friction problem. Departure: De Saxcé's term is refreshed in every iteration, from the same
// velocities that are projected, so that there is no outer fixed-point iteration; all laws of law.h
// are treated. A scene that rests needs a few tens of iterations whatever its size. Since the term
// is refreshed, over-relaxation does not pay as it does for convex problems: 1.6 takes 4 times the
// iterations of 1 on pyramids and more than 10 times on walls, and two thirds of them on spheres.
//
// rho has no unit, thanks to D. It starts at 1e5 where faces touch (1.9 rows of contacts or more
// per velocity: without over-relaxation the iterations of scenes at rest fall with rho up to this
// value and stay constant above it, docs/theory/solvers.md), at 30 elsewhere, and grows where
// |u - z| stays far above |z+ - z|, both in the metric D, a few times at most: each change costs a
// factorisation. If nothing is gained for a long time, other values are tried in turn.
//
// Cost: two triangular solves and one pass over H per iteration, which pulls u, projects and pushes
// the next right-hand side; memory: the factor. With threads the push is a second pass, by body;
// the additions are the same ones in the same order, and so are the results. Where M is not block
// diagonal, or P differs from H: in reactions, admm_reactions.c.
#include "solver/method/admm.h"

#include <math.h>
#include <string.h>

#include "law/law_kernel.h"
#include "problem/operator_kernel.h"
#include "solver/arena_context.h"

static const char* const side_names[] = {"auto", "velocities", "reactions", NULL};

static const SticField admm_fields[] = {
    STIC_FIELD_PICK(SticAdmmSettings, side, STIC_ADMM_AUTO, STIC_ADMM_REACTIONS, side_names,
                    "variables of the linear system: of the bodies, or of the contacts"),
    STIC_FIELD_REAL(SticAdmmSettings, rho, 0.0, 0.0, 1e12, "-",
                    "penalty to start with; 0: 1e5 for face contacts, else 30; in reactions 0.1"),
    STIC_FIELD_REAL(SticAdmmSettings, alpha, 1.0, 0.5, 1.95, "-", "over-relaxation"),
    STIC_FIELD_COUNT(SticAdmmSettings, refactor, 3, 0, 1000, "factorisations",
                     "changes of the penalty at most that balance the residuals"),
    STIC_FIELD_COUNT(SticAdmmSettings, patience, 300, 1, 2147483647, "iterations",
                     "iterations without progress before another penalty is tried"),
    STIC_FIELD_REAL(SticAdmmSettings, factor_values, 1e9, 0.0, 1e15, "numbers",
                    "largest factor; a problem that needs a larger one is refused"),
};

const SticFieldTable stic_admm_fields = {
    .name = "admm",
    .fields = admm_fields,
    .count = sizeof admm_fields / sizeof admm_fields[0],
    .size = sizeof(SticAdmmSettings),
};

enum { BALANCE_EVERY = 10 };

SticAdmmPenalty stic_admm_penalty(const SticSolveTask* task, double rho)
{
    return (SticAdmmPenalty){.rho = rho,
                             .changed = task->info->iterations,
                             .error = task->best_error,
                             .at = task->info->iterations,
                             .first = task->info->iterations};
}

bool stic_admm_retry(const SticSolveTask* task, SticAdmmPenalty* penalty, const double* others,
                     int32_t count)
{
    const SticAdmmSettings* settings = task->method;
    const int32_t now = task->info->iterations;
    if (task->best_error <= 0.9 * penalty->error) {
        penalty->error = task->best_error;
        penalty->at = now;
    }
    const int32_t half = (now - penalty->first) / 2;
    const int32_t wait = half > settings->patience ? half : settings->patience;
    if (now - penalty->at < wait)
        return false;
    penalty->at = now;
    penalty->rho = others[penalty->tried++ % count];
    return true;
}

/* ---- the matrix ---- */

typedef struct Admm {
    const SticProblem* problem;
    SticOperator* op;
    double (*length)[3]; // [count] D by group
    double* D;           // [rows] the same by row
    // A by bodies
    int32_t* body_of; // [velocities] body that starts there
    int32_t* place;   // blocks of A that the pairs of blocks of each interaction add to
    SticBlockArrays A;
    SticBlockCsr view;
    SticFactor* factor;
    double* packed; // [dof of the bodies]
    // the iteration
    double (*lengths)[6];   // [count] rho D by group, then one over it
    double *r, *r_next, *z; // [rows]
    double* target;         // [rows] r + rho D (z - w)
    double *v, *load;       // [velocities] solution; next right-hand side v_free + H target
    double (*sums)[3];      // [chunks] |u - z|_D^2, |dz|_D^2, rho^2 |dz|^2 + |u - z|^2
    bool threads;           // chunks run side by side: they may not push
    SticAdmmPenalty penalty;
    double solve_work;
    double alpha;
} Admm;

static int32_t chunks_of(const Admm* a)
{
    return (a->problem->count + STIC_OPERATOR_CHUNK - 1) / STIC_OPERATOR_CHUNK;
}

// partition by bodies, blocks (k, l) with l <= k wherever an interaction has both, and the diagonal
static SticStatus make_pattern(SticArena* arena, Admm* a, SticError* error)
{
    const SticOperator* op = a->op;
    int64_t pairs = op->bodies;
    for (int32_t i = 0; i < op->count; ++i) {
        const int64_t blocks = op->begin[i + 1] - op->begin[i];
        pairs += blocks * (blocks + 1) / 2;
    }
    int32_t *at = NULL, *row = NULL, *col = NULL;
    if (pairs > INT32_MAX)
        return stic_error_set(error, STIC_UNSUPPORTED, "admm: the graph of bodies is too large");
    STIC_TRY(STIC_TAKE(arena, &at, op->bodies + 1));
    STIC_TRY(STIC_TAKE(arena, &row, pairs));
    STIC_TRY(STIC_TAKE(arena, &col, pairs));
    STIC_TRY(STIC_TAKE(arena, &a->place, pairs));
    STIC_TRY(STIC_TAKE(arena, &a->body_of, op->velocities));
    at[0] = 0;
    int32_t count = 0;
    for (int32_t k = 0; k < op->bodies; ++k) {
        at[k + 1] = at[k] + op->body_dof[k];
        a->body_of[op->body_v[k]] = k;
        row[count] = col[count] = k;
        count += 1;
    }
    for (int32_t i = 0; i < op->count; ++i)
        for (int32_t e = op->begin[i]; e < op->begin[i + 1]; ++e)
            for (int32_t f = op->begin[i]; f <= e; ++f) {
                row[count] = a->body_of[op->block[e].at];
                col[count++] = a->body_of[op->block[f].at];
            }
    const SticPartition partition = {op->bodies, op->bodies, at, at};
    const SticBlockTriplets triplets = {.count = count, .row = row, .col = col};
    STIC_TRY(stic_block_csr_from_blocks(&partition, &triplets, arena, &a->view, error));
    for (int32_t p = 0; p < count - op->bodies; ++p)
        a->place[p] = stic_block_csr_find(&a->view, row[op->bodies + p], col[op->bodies + p]);
    double* value = NULL;
    STIC_TRY(STIC_TAKE(arena, &value, a->view.value_at[stic_block_csr_count(&a->view)]));
    a->A.value = value;
    a->view.value = value;
    return STIC_OK;
}

// out += E'F for blocks of `rows` rows
static inline void add_sized(int32_t rows, int32_t m, int32_t n, const double* E, const double* F,
                             double* restrict out)
{
    for (int32_t a = 0; a < rows; ++a)
        for (int32_t c = 0; c < m; ++c)
            for (int32_t d = 0; d < n; ++d)
                out[c * n + d] += E[a * m + c] * F[a * n + d];
}

// out += rho E' D F for the blocks E and F of one interaction, D by rows
static void add_product(const SticOperator* op, const double* D, int32_t rows,
                        const int32_t pair[2], double rho, double* out)
{
    const int32_t m = op->block[pair[0]].dof, n = op->block[pair[1]].dof;
    const double* E = op->push + op->block[pair[0]].value_at;
    const double* F = op->push + op->block[pair[1]].value_at;
    double left[STIC_MAX_ROWS * STIC_MAX_BODY_DOF];
    for (int32_t a = 0; a < rows; ++a)
        for (int32_t c = 0; c < m; ++c)
            left[a * m + c] = rho * D[a] * E[a * m + c];
    if (rows == 3 && m == 6 && n == 6)
        add_sized(3, 6, 6, left, F, out);
    else
        add_sized(rows, m, n, left, F, out);
}

// rho D and its inverse
static void scale_lengths(Admm* a)
{
    for (int32_t i = 0; i < a->problem->count; ++i)
        for (int g = 0; g < 3; ++g) {
            const double length = a->penalty.rho * a->length[i][g];
            a->lengths[i][g] = length;
            a->lengths[i][3 + g] = 1.0 / length;
        }
}

// the right-hand side of the next solve from r and z
static void aim(Admm* a)
{
    for (int32_t k = 0; k < a->problem->rows; ++k)
        a->target[k] = a->r[k] + a->penalty.rho * a->D[k] * (a->z[k] - a->op->w[k]);
    stic_operator_start(a->op, a->target, a->load);
}

// A = I + rho H D H', its factor and what depends on rho; false if that failed
static bool factorise(SticSolveTask* task, Admm* a)
{
    const SticOperator* op = a->op;
    const SticBlockCsr* A = &a->view;
    memset(a->A.value, 0, (size_t)A->value_at[stic_block_csr_count(A)] * sizeof(double));
    for (int32_t k = 0; k < op->bodies; ++k) {
        double* block = a->A.value + A->value_at[stic_block_csr_find(A, k, k)];
        for (int32_t d = 0; d < op->body_dof[k]; ++d)
            block[d * op->body_dof[k] + d] = 1.0;
    }
    const int32_t* place = a->place;
    for (int32_t i = 0; i < op->count; ++i) {
        const int32_t at = op->row_at[i], rows = op->row_at[i + 1] - at;
        for (int32_t e = op->begin[i]; e < op->begin[i + 1]; ++e)
            for (int32_t f = op->begin[i]; f <= e; ++f)
                add_product(op, a->D + at, rows, (const int32_t[2]){e, f}, a->penalty.rho,
                            a->A.value + A->value_at[*place++]);
    }
    SticFactorInfo info;
    scale_lengths(a);
    aim(a);
    task->info->factorisations += 1;
    a->penalty.changed = task->info->iterations;
    return stic_factor_compute(a->factor, A, NULL, &info) == STIC_OK;
}

/* ---- the iteration ---- */

// v = A^-1 load
static void solve_velocities(Admm* a)
{
    const SticOperator* op = a->op;
    for (int32_t k = 0, at = 0; k < op->bodies; at += op->body_dof[k++])
        memcpy(a->packed + at, a->load + op->body_v[k], op->body_dof[k] * sizeof(double));
    stic_factor_solve(a->factor, a->packed);
    for (int32_t k = 0, at = 0; k < op->bodies; at += op->body_dof[k++])
        memcpy(a->v + op->body_v[k], a->packed + at, op->body_dof[k] * sizeof(double));
}

// one interaction: where its rows begin, rho D and one over it by row
typedef struct Visit {
    int32_t i, at;
    const double *length, *inverse;
} Visit;

// new z and target from u and the projected r; residuals are added to sums
static inline void settle(const Admm* a, const Visit* visit, int32_t rows, const double* u,
                          const double* q, double sums[3])
{
    const int32_t at = visit->at;
    double target[STIC_MAX_ROWS];
    for (int32_t k = 0; k < rows; ++k) {
        const double z = q[k] + (a->r_next[at + k] - a->r[at + k]) * visit->inverse[k];
        const double gap = u[k] - z, move = z - a->z[at + k], length = visit->length[k];
        const double wide = gap * gap, far = move * move;
        sums[0] += length * wide;
        sums[1] += length * far;
        sums[2] += wide + a->penalty.rho * a->penalty.rho * far;
        a->z[at + k] = z;
        target[k] = a->r_next[at + k] + length * (z - a->op->w[at + k]);
    }
    if (a->threads)
        memcpy(a->target + at, target, (size_t)rows * sizeof *target);
    else
        stic_operator_push(a->op, visit->i, rows, target, a->load);
}

// a spatial contact with friction
static inline void visit_contact(const Admm* a, int32_t i, double sums[3])
{
    const double* by_group = a->lengths[i];
    const double length[3] = {by_group[0], by_group[1], by_group[1]};
    const double inverse[3] = {by_group[3], by_group[4], by_group[4]};
    const Visit visit = {i, a->op->row_at[i], length, inverse};
    double u[3], q[3];
    stic_operator_pull(a->op, i, 3, a->v, u);
    for (int32_t k = 0; k < 3; ++k)
        q[k] = a->alpha * u[k] + (1.0 - a->alpha) * a->z[visit.at + k];
    stic_kernel_cone3_step(a->problem->coef[i][0], length, q, a->r + visit.at,
                           a->r_next + visit.at);
    settle(a, &visit, 3, u, q, sums);
}

// any law
static void visit_any(const Admm* a, int32_t i, double sums[3])
{
    const SticProblem* problem = a->problem;
    const int32_t at = problem->row_at[i], rows = problem->row_at[i + 1] - at;
    const SticLawBlock block = {.law = (SticLaw)problem->law[i],
                                .rows = rows,
                                .coef = problem->coef[i],
                                .B = stic_problem_bound(problem, i, a->r)};
    double u[STIC_MAX_ROWS], q[STIC_MAX_ROWS], length[STIC_MAX_ROWS], inverse[STIC_MAX_ROWS];
    int32_t group_at[4];
    const int32_t groups = stic_law_groups(block.law, rows, group_at);
    for (int32_t g = 0; g < groups; ++g)
        for (int32_t k = group_at[g]; k < group_at[g + 1]; ++k) {
            length[k] = a->lengths[i][g];
            inverse[k] = a->lengths[i][3 + g];
        }
    const Visit visit = {i, at, length, inverse};
    stic_operator_pull(a->op, i, rows, a->v, u);
    for (int32_t k = 0; k < rows; ++k)
        q[k] = a->alpha * u[k] + (1.0 - a->alpha) * a->z[at + k];
    stic_law_step(&block, a->lengths[i], q, a->r + at, a->r_next + at);
    settle(a, &visit, rows, u, q, sums);
}

// velocities, projection and the new z of the interactions of a chunk
static void project_chunk(void* self, int32_t chunk)
{
    const Admm* a = self;
    const SticProblem* problem = a->problem;
    const int32_t first = chunk * STIC_OPERATOR_CHUNK;
    double sums[3] = {0.0, 0.0, 0.0};
    for (int32_t i = first; i < problem->count && i < first + STIC_OPERATOR_CHUNK; ++i)
        if (problem->law[i] == STIC_LAW_CONE && problem->row_at[i + 1] - problem->row_at[i] == 3)
            visit_contact(a, i, sums);
        else
            visit_any(a, i, sums);
    memcpy(a->sums[chunk], sums, sizeof sums);
}

static void iterate(Admm* a, double sums[3])
{
    solve_velocities(a);
    if (!a->threads)
        memcpy(a->load, a->op->v_free, (size_t)a->op->velocities * sizeof *a->load);
    stic_pool_run(a->op->pool, chunks_of(a), project_chunk, a);
    if (a->threads)
        stic_operator_start(a->op, a->target, a->load);
    double* r = a->r;
    a->r = a->r_next;
    a->r_next = r;
    sums[0] = sums[1] = sums[2] = 0.0;
    for (int32_t c = 0; c < chunks_of(a); ++c)
        for (int k = 0; k < 3; ++k)
            sums[k] += a->sums[c][k];
}

// the penalty grows where the velocities lag behind; whether it changed
static bool balance(const SticSolveTask* task, Admm* a, const double sums[3])
{
    const SticAdmmSettings* settings = task->method;
    if ((task->info->iterations - a->penalty.first) % BALANCE_EVERY != 0 ||
        a->penalty.balanced >= settings->refactor)
        return false;
    const double ratio = sqrt(sums[0] / sums[1]);
    if (!(ratio > 5.0))
        return false;
    const double factor = sqrt(ratio);
    a->penalty.rho *= factor < 10.0 ? factor : 10.0;
    a->penalty.balanced += 1;
    return true;
}

/* ---- set-up ---- */

static double first_penalty(const SticOperator* op)
{
    int64_t dof = 0;
    for (int32_t k = 0; k < op->bodies; ++k)
        dof += op->body_dof[k];
    return (double)op->rows > stic_admm_faces * (double)dof ? 1e5 : 30.0;
}

static SticStatus take_arrays(SticSolveTask* task, Admm* a)
{
    const int32_t rows = task->problem->rows;
    STIC_TRY(STIC_TAKE(task->arena, &a->length, a->problem->count));
    STIC_TRY(STIC_TAKE(task->arena, &a->lengths, a->problem->count));
    STIC_TRY(STIC_TAKE(task->arena, &a->D, rows));
    STIC_TRY(STIC_TAKE(task->arena, &a->packed, 12 * (int64_t)a->op->bodies));
    STIC_TRY(STIC_TAKE(task->arena, &a->r_next, rows));
    STIC_TRY(STIC_TAKE(task->arena, &a->z, rows));
    STIC_TRY(STIC_TAKE(task->arena, &a->target, rows));
    STIC_TRY(STIC_TAKE(task->arena, &a->v, a->op->velocities));
    STIC_TRY(STIC_TAKE(task->arena, &a->load, a->op->velocities));
    // places between the bodies are copied, but never used
    memset(a->load, 0, (size_t)a->op->velocities * sizeof *a->load);
    return STIC_TAKE(task->arena, &a->sums, chunks_of(a));
}

// r and z of the start satisfy the laws, split with the penalty 1: a velocity that is only due to
// forces out of balance must not be multiplied by rho; the first solve balances them
static void start_from(Admm* a)
{
    stic_operator_apply(a->op, a->r, a->z);
    for (int32_t i = 0; i < a->problem->count; ++i) {
        const int32_t at = a->problem->row_at[i], rows = a->problem->row_at[i + 1] - at;
        const SticLawBlock block = {.law = (SticLaw)a->problem->law[i],
                                    .rows = rows,
                                    .coef = a->problem->coef[i],
                                    .B = stic_problem_bound(a->problem, i, a->r)};
        stic_law_step(&block, a->length[i], a->z + at, a->r + at, a->r_next + at);
    }
    for (int32_t k = 0; k < a->problem->rows; ++k)
        a->z[k] += (a->r_next[k] - a->r[k]) / a->D[k];
    memcpy(a->r, a->r_next, (size_t)a->problem->rows * sizeof *a->r);
}

static SticStatus prepare(SticSolveTask* task, Admm* a)
{
    const SticAdmmSettings* settings = task->method;
    SticSymbolic* symbolic = NULL;
    const SticContext context = stic_arena_context_make(task->arena);
    STIC_TRY(take_arrays(task, a));
    for (int32_t i = 0; i < a->problem->count; ++i) {
        const int32_t at = a->problem->row_at[i], rows = a->problem->row_at[i + 1] - at;
        const SticLaw law = (SticLaw)a->problem->law[i];
        int32_t group_at[4];
        stic_law_rho(law, rows, stic_operator_diagonal(a->op, i), a->length[i]);
        const int32_t groups = stic_law_groups(law, rows, group_at);
        for (int32_t g = 0; g < groups; ++g)
            for (int32_t k = group_at[g]; k < group_at[g + 1]; ++k)
                a->D[at + k] = a->length[i][g];
    }
    STIC_TRY(make_pattern(task->arena, a, &task->info->error));
    STIC_TRY(
        stic_symbolic_create(&context, &a->view, STIC_ORDERING_AMD, &symbolic, &task->info->error));
    const SticSymbolicInfo info = stic_symbolic_info(symbolic);
    if ((double)info.values > settings->factor_values)
        return stic_error_set(&task->info->error, STIC_UNSUPPORTED,
                              "admm: a factor of %.2e numbers, %.2e are allowed (factor_values)",
                              (double)info.values, settings->factor_values);
    STIC_TRY(stic_factor_create(symbolic, STIC_FACTOR_LDL, &a->factor, &task->info->error));
    a->r = task->r;
    a->threads = stic_pool_threads(a->op->pool) > 1;
    start_from(a);
    a->alpha = settings->alpha;
    a->penalty =
        stic_admm_penalty(task, settings->rho > 0.0 ? settings->rho : first_penalty(a->op));
    task->info->work += info.work;
    a->solve_work = 2.0 * (double)info.values;
    return STIC_OK;
}

static SticStatus run_velocities(SticSolveTask* task, SticOperator* op)
{
    // small for loose piles and impacts
    static const double others[] = {30.0, 1e4, 300.0, 1e3, 3.0};
    Admm a = {.problem = task->problem, .op = op};
    STIC_TRY(prepare(task, &a));
    const double scale = task->b_norm > 0.0 ? 1.0 / task->b_norm : 1.0;
    const double work =
        a.solve_work + stic_operator_apply_work(op) + 30.0 * (double)task->problem->rows;
    bool fresh = factorise(task, &a);
    while (fresh) {
        double sums[3];
        iterate(&a, sums);
        if (stic_task_count(task, work, scale * sqrt(sums[2]))) {
            if (!stic_task_judge(task, a.r))
                return STIC_OK;
            if (stic_admm_retry(task, &a.penalty, others, sizeof others / sizeof *others)) {
                fresh = factorise(task, &a);
                continue;
            }
        }
        if (balance(task, &a, sums))
            fresh = factorise(task, &a);
    }
    stic_task_stop(task, STIC_OUTCOME_BROKE_DOWN);
    return STIC_OK;
}

SticStatus stic_admm_run(SticSolveTask* task)
{
    const SticAdmmSettings* settings = task->method;
    SticOperator* op = NULL;
    if (settings->side == STIC_ADMM_REACTIONS)
        return stic_admm_run_reactions(task);
    STIC_TRY(stic_task_operator(
        task, settings->side == STIC_ADMM_AUTO ? STIC_FORM_AUTO : STIC_FORM_FACTORED, &op));
    if (stic_operator_form(op) == STIC_FORM_FACTORED && op->pull == op->push)
        return run_velocities(task, op);
    if (settings->side == STIC_ADMM_VELOCITIES)
        return stic_error_set(&task->info->error, STIC_UNSUPPORTED,
                              "admm in velocities needs P = H and symmetric masses");
    return stic_admm_run_reactions(task);
}
