// SPDX-License-Identifier: Apache-2.0
// convex and fixed-point: Coulomb friction through convex problems, each by interior points.
//
// For a given s >= 0 the problem  K* ∋ u + s n  ⊥  r ∈ K  is, for symmetric W, a convex quadratic
// program on second-order cones (Acary and Cadoux 2013, eqs. 4.6-4.10).
//   convex       s = 0: the relaxation of Anitescu and Tasora (Comput. Optim. Appl. 47, 2010). Its
//                solutions obey the cone but slide with u_N = mu |u_T|: a sliding contact lifts
//                off. It is exact where nothing slides, and passes the check of the exact error
//                only there.
//   fixed-point  s := |u_T(s)| until it stays, accelerated: with g = F(s) - s and differences
//                dg, ds of the last five steps,  s := s + g - (ds + dg) gamma,
//                gamma = argmin |g - dg gamma| (Anderson, J. ACM 12, 1965). An accelerated step
//                that makes g larger is replaced by a plain one; plain steps that do so are damped.
// A convex problem is solved by interior.c with K symmetric, by block LDL' if W is symmetric too.
// Contacts with x and y both on the boundary of their cones (all that slide) leave an error of
// 1e-9; proximal Newton steps on the natural map take it to rounding.
// Cost: 8 to 20 factorisations per convex problem.
#include <math.h>
#include <string.h>

#include "solver/method/interior.h"
#include "solver/method/prox_newton.h"
#include "solver/methods.h"

typedef struct ConvexSettings {
    int32_t steps;    ///< interior point iterations per problem
    double tolerance; ///< error at which a convex problem is solved
} ConvexSettings;

static const SticField convex_fields[] = {
    STIC_FIELD_COUNT(ConvexSettings, steps, 60, 1, 100000, "steps", "interior point iterations"),
    STIC_FIELD_REAL(ConvexSettings, tolerance, 1e-13, 0.0, 1.0, "-",
                    "error of the relaxed problem at which it ends"),
};

const SticFieldTable stic_convex_fields = {
    .name = "convex",
    .fields = convex_fields,
    .count = sizeof convex_fields / sizeof convex_fields[0],
    .size = sizeof(ConvexSettings),
};

// what both methods work with
typedef struct Convex {
    SticScaled scaled;
    SticNewtonSystem system;
    SticInterior interior;
    SticInteriorLimits limits;
    SticNewtonSystem general; // LU, where `system` is LDL'
    SticProxNewton newton;
    SticProxNewtonSettings newton_settings;
    bool round; // all cones are round, so that the natural map exists
    double* x;
    double* term; // [count] s in the natural scaling, per interaction
    double error;
} Convex;

static SticStatus create(SticSolveTask* task, SticInteriorLimits limits, Convex* convex)
{
    SticError* error = &task->info->error;
    *convex = (Convex){.limits = limits, .round = true};
    STIC_TRY(stic_scaled_create(task->arena, task->problem, &convex->scaled, error));
    const bool symmetric = stic_interior_symmetric(&convex->scaled);
    STIC_TRY(stic_newton_system_create(task->arena, &convex->scaled,
                                       symmetric ? STIC_FACTOR_LDL : STIC_FACTOR_LU,
                                       &convex->system, error));
    convex->general = convex->system;
    if (symmetric)
        STIC_TRY(stic_newton_system_create(task->arena, &convex->scaled, STIC_FACTOR_LU,
                                           &convex->general, error));
    STIC_TRY(stic_interior_create(task, &convex->scaled, &convex->system, &convex->interior));
    STIC_TRY(stic_prox_newton_create(task, &convex->scaled, &convex->general, &convex->newton));
    STIC_TRY(STIC_TAKE(task->arena, &convex->x, task->problem->rows));
    STIC_TRY(STIC_TAKE(task->arena, &convex->term, task->problem->count));
    stic_fields_default(&stic_prox_newton_fields, &convex->newton_settings);
    convex->newton_settings.map = STIC_MAP_NATURAL;
    convex->newton_settings.outer_steps = 20;
    convex->newton.term = convex->term;
    convex->newton.goal = limits.error;
    for (int32_t i = 0; i < task->problem->count; ++i)
        if (task->problem->law[i] == STIC_LAW_CONE_ELLIPSE)
            convex->round = false;
    return STIC_OK;
}

// the terms in the scaling of prox-newton
static void set_terms(Convex* convex)
{
    const SticInterior* interior = &convex->interior;
    const SticScaled *dual = &interior->dual, *natural = &convex->scaled;
    memset(convex->term, 0, (size_t)natural->problem.count * sizeof *convex->term);
    if (convex->limits.term == STIC_TERM_NONE)
        return;
    // normal rows have the same factor in both
    for (int32_t c = 0; c < interior->cones; ++c)
        convex->term[interior->cone[c].block] += interior->s[c] * (dual->size / natural->size);
}

// solve the convex problem of the terms into task->r; false if the task stopped it
static bool solve_convex(SticSolveTask* task, Convex* convex)
{
    SticInterior* interior = &convex->interior;
    const bool running = stic_interior_run(interior, &convex->limits);
    stic_interior_get(interior, convex->x);
    convex->error = interior->best_error;
    stic_scaled_to(&convex->scaled, convex->x, task->r);
    // from farther away Newton's method on the natural map has no advantage
    const bool near = interior->best_error <= 1e-4 && interior->best_error > convex->limits.error;
    if (!running || !convex->round || !near)
        return running;
    set_terms(convex);
    const double c = interior->best_error > 1e-9 ? interior->best_error : 1e-9;
    const SticStageEnd end =
        stic_prox_newton_stage(&convex->newton, &convex->newton_settings, c, convex->x);
    if (convex->newton.best_error < convex->error) {
        convex->error = convex->newton.best_error;
        stic_scaled_to(&convex->scaled, convex->x, task->r);
    }
    return end != STIC_STAGE_STOPPED;
}

SticStatus stic_convex_run(SticSolveTask* task)
{
    const ConvexSettings* settings = task->method;
    const SticInteriorLimits limits = {
        .term = STIC_TERM_NONE, .steps = settings->steps, .error = settings->tolerance};
    Convex convex;
    STIC_TRY(create(task, limits, &convex));
    const bool running = solve_convex(task, &convex);
    stic_log(task->context, STIC_LOG_DEBUG,
             "convex: the relaxed problem has an error of %.2e after %d factorisations",
             convex.error, task->info->factorisations);
    if (running && !stic_task_settle(task, task->r))
        stic_task_stop(task, STIC_OUTCOME_STALLED);
    return STIC_OK;
}

/* ---- fixed point on s ---- */

enum { DEPTH_MOST = 20 };

typedef struct FixedPointSettings {
    int32_t values;   ///< convex problems
    int32_t depth;    ///< differences kept
    int32_t steps;    ///< interior point iterations per problem
    double tolerance; ///< error at which a convex problem is solved
} FixedPointSettings;

static const SticField fixed_point_fields[] = {
    STIC_FIELD_COUNT(FixedPointSettings, values, 300, 1, 1000000, "problems",
                     "convex problems at most"),
    STIC_FIELD_COUNT(FixedPointSettings, depth, 5, 0, DEPTH_MOST, "steps",
                     "steps that the acceleration looks back; 0: plain iteration"),
    STIC_FIELD_COUNT(FixedPointSettings, steps, 60, 1, 100000, "steps",
                     "interior point iterations per convex problem"),
    STIC_FIELD_REAL(FixedPointSettings, tolerance, 1e-13, 0.0, 1.0, "-",
                    "error at which a convex problem ends"),
};

const SticFieldTable stic_fixed_point_fields = {
    .name = "fixed-point",
    .fields = fixed_point_fields,
    .count = sizeof fixed_point_fields / sizeof fixed_point_fields[0],
    .size = sizeof(FixedPointSettings),
};

// Anderson's acceleration of s = F(s)
typedef struct Anderson {
    int32_t n, depth, count; // entries, differences kept, differences there
    double *s, *g;           // [n] last point and its step
    double *ds, *dg;         // [depth][n]
    double norm, least;      // of g, and the least so far
    double damping;
    bool accelerated; // the last step was
} Anderson;

static SticStatus create_anderson(SticArena* arena, int32_t n, int32_t depth, Anderson* made)
{
    *made = (Anderson){.n = n, .depth = depth, .least = INFINITY, .damping = 1.0};
    STIC_TRY(STIC_TAKE(arena, &made->s, n));
    STIC_TRY(STIC_TAKE(arena, &made->g, n));
    STIC_TRY(STIC_TAKE(arena, &made->ds, (size_t)n * (size_t)depth));
    return STIC_TAKE(arena, &made->dg, (size_t)n * (size_t)depth);
}

static double dot(int32_t n, const double* a, const double* b)
{
    double sum = 0.0;
    for (int32_t k = 0; k < n; ++k)
        sum += a[k] * b[k];
    return sum;
}

// gamma = argmin |g - dg gamma| by normal equations with a trace of regularisation
static void fit(const Anderson* a, const double* g, double gamma[DEPTH_MOST])
{
    double A[DEPTH_MOST][DEPTH_MOST];
    const int32_t m = a->count, n = a->n;
    double trace = 0.0;
    for (int32_t i = 0; i < m; ++i) {
        for (int32_t k = 0; k <= i; ++k)
            A[i][k] = dot(n, a->dg + (size_t)i * (size_t)n, a->dg + (size_t)k * (size_t)n);
        gamma[i] = dot(n, a->dg + (size_t)i * (size_t)n, g);
        trace += A[i][i];
    }
    // Cholesky; normal equations keep half of the digits, the shift is at their rounding
    for (int32_t i = 0; i < m; ++i) {
        A[i][i] += 1e-14 * trace;
        for (int32_t k = 0; k < i; ++k) {
            for (int32_t l = 0; l < k; ++l)
                A[i][k] -= A[i][l] * A[k][l];
            A[i][k] /= A[k][k];
            A[i][i] -= A[i][k] * A[i][k];
        }
        A[i][i] = A[i][i] > 1e-15 * trace ? sqrt(A[i][i]) : INFINITY;
        for (int32_t l = 0; l < i; ++l)
            gamma[i] -= A[i][l] * gamma[l];
        gamma[i] /= A[i][i];
    }
    for (int32_t i = m - 1; i >= 0; --i) {
        for (int32_t l = i + 1; l < m; ++l)
            gamma[i] -= isfinite(A[l][l]) ? A[l][i] * gamma[l] : 0.0;
        gamma[i] /= A[i][i];
    }
}

static void remember(Anderson* a, const double* s, const double* g)
{
    const size_t n = (size_t)a->n;
    if (a->count == a->depth) {
        memmove(a->ds, a->ds + n, (size_t)(a->depth - 1) * n * sizeof *a->ds);
        memmove(a->dg, a->dg + n, (size_t)(a->depth - 1) * n * sizeof *a->dg);
        a->count -= 1;
    }
    for (size_t k = 0; k < n; ++k) {
        a->ds[(size_t)a->count * n + k] = s[k] - a->s[k];
        a->dg[(size_t)a->count * n + k] = g[k] - a->g[k];
    }
    a->count += 1;
}

// s + damping g, forgetting what was learnt
static void plain_step(Anderson* a, double* s)
{
    a->count = 0;
    a->accelerated = false;
    for (int32_t k = 0; k < a->n; ++k)
        s[k] = a->s[k] + a->damping * a->g[k] > 0.0 ? a->s[k] + a->damping * a->g[k] : 0.0;
}

// the next s from s and its value; s is overwritten, `value` is scratch afterwards
static void advance(Anderson* a, bool first, double* s, double* value)
{
    const int32_t n = a->n;
    double gamma[DEPTH_MOST] = {0.0};
    for (int32_t k = 0; k < n; ++k)
        value[k] -= s[k];
    const double norm = sqrt(dot(n, value, value));
    // an accelerated step that made it worse is replaced by a plain one from the point before
    if (!(norm <= a->norm) && a->accelerated) {
        plain_step(a, s);
        return;
    }
    if (!first && a->depth > 0)
        remember(a, s, value);
    // the plain iteration does not contract here
    if (norm > 2.0 * a->least)
        a->damping = 0.5 * a->damping > 0.05 ? 0.5 * a->damping : 0.05;
    a->least = norm < a->least ? norm : a->least;
    a->norm = norm;
    memcpy(a->s, s, (size_t)n * sizeof *s);
    memcpy(a->g, value, (size_t)n * sizeof *s);
    fit(a, value, gamma);
    for (int32_t k = 0; k < n; ++k) {
        double next = s[k] + a->damping * value[k];
        for (int32_t i = 0; i < a->count; ++i) {
            const size_t at = (size_t)i * (size_t)n + (size_t)k;
            next -= gamma[i] * (a->ds[at] + a->damping * a->dg[at]);
        }
        s[k] = next > 0.0 ? next : 0.0;
    }
    a->accelerated = a->count > 0;
}

// |u_T| per cone of the r found, in the self-dual variables
static void measure_slip(const SticSolveTask* task, Convex* convex, double* value)
{
    stic_scaled_from(&convex->interior.dual, task->r, convex->interior.best);
    stic_interior_slip(&convex->interior, value);
}

SticStatus stic_fixed_point_run(SticSolveTask* task)
{
    const FixedPointSettings* settings = task->method;
    const SticInteriorLimits limits = {
        .term = STIC_TERM_GIVEN, .steps = settings->steps, .error = settings->tolerance};
    Convex convex;
    Anderson anderson;
    double* value = NULL;
    STIC_TRY(create(task, limits, &convex));
    SticInterior* interior = &convex.interior;
    STIC_TRY(create_anderson(task->arena, interior->cones, settings->depth, &anderson));
    STIC_TRY(STIC_TAKE(task->arena, &value, interior->cones));
    memset(interior->s, 0, (size_t)interior->cones * sizeof *interior->s);
    for (int32_t k = 0; k < settings->values; ++k) {
        if (!solve_convex(task, &convex) || stic_task_check(task, task->r) || task->stopped)
            return STIC_OK;
        measure_slip(task, &convex, value);
        advance(&anderson, k == 0, interior->s, value);
    }
    stic_task_stop(task, STIC_OUTCOME_STALLED);
    return STIC_OK;
}
