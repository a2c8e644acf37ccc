// SPDX-License-Identifier: Apache-2.0
// The limit of a load by a primal-dual interior point on the homogeneous self-dual form.
//
//     max s    A'x + dead + s live = 0,  x in K
//     dual     min -dead . v    y = A v in K,  live . v = 1
//
//     A'x + tau dead + s live = 0        A v = y (0 in joints)
//     live . v = aim tau                 aim s + dead . v = kappa       x, y in K, tau, kappa >= 0
//
// always has solutions other than 0, and there x . y = tau kappa = 0: with tau > 0 both bounds, s/tau;
// with kappa > 0 a motion under which the dead loads alone do work (no equilibrium at any factor) or
// reactions that carry the live loads alone (no end to the factor). Nothing has to be known of the
// size of the answer. aim = 0 asks whether there is an equilibrium at all: reactions that carry the
// live loads do not show that.
//
// K is self-dual (limit/program.c). Steps: predictor, Mehrotra's corrector, one length for all
// unknowns (Andersen, Roos and Terlaky, Math. Program. 95, 2003). Cost: one LDL' per iteration
// (limit/newton.c), 10 to 25 iterations.
//
// Bounds are those of the iterates themselves, to first order: forces that lack a part of their
// balance bound less by the work of that part in the motion, motions that close contacts bound more
// by the work of the forces in that.
#include <math.h>
#include <string.h>

#include "limit/newton.h"
#include "math/math.h"
#include "stiction/extend/base.h"

enum { MOST = STIC_CONE_MOST, STEPS = 100, PATIENCE = 2 };

// part of its work by which a motion may miss its conditions, or of the loads by which forces may
// miss their balance, when the iteration ends
#define REFUTED 1e-6

typedef struct Inner {
    const SticLimitProgram* program;
    int32_t rows, cols;
    SticLimitVector at, step, right, lack; // lack: of the first three lines, lack.tau the fourth
    double *y, *dy, *lam, *rc;             // [rows]
    double kappa, dkappa, rc_kappa;
    SticLimitNewton newton;
} Inner;

// the best bounds so far, and what shows them; residual: of the forces, largest load 1
typedef struct Bounds {
    double lower, upper, residual;
    double *x, *v;
} Bounds;

/* ---- directions ---- */

// scaling points of all cones; false at a boundary
static bool scale(Inner* inner)
{
    const SticLimitProgram* program = inner->program;
    for (int32_t p = 0; p < program->count; ++p) {
        const int32_t at = program->row_at[p], n = program->row_at[p + 1] - at;
        if (!program->equality[p] && !stic_cone_scaling(n, inner->at.x + at, inner->y + at,
                                                        inner->newton.P[p], inner->lam + at))
            return false;
    }
    inner->newton.ratio = inner->kappa / inner->at.tau;
    return isfinite(inner->newton.ratio);
}

// the step that takes back `part` of what the lines lack, with the right-hand sides rc
static void find_direction(Inner* inner, double part)
{
    const SticLimitProgram* program = inner->program;
    SticLimitVector* right = &inner->right;
    for (int32_t k = 0; k < inner->cols; ++k)
        right->v[k] = -part * inner->lack.v[k];
    for (int32_t p = 0; p < program->count; ++p) {
        const int32_t at = program->row_at[p], n = program->row_at[p + 1] - at;
        double image[STIC_LIMIT_ROWS] = {0.0};
        if (!program->equality[p])
            stic_cone_multiply(n, inner->newton.P[p][0], inner->rc + at, image);
        for (int32_t k = 0; k < n; ++k)
            right->x[at + k] = image[k] - part * inner->lack.x[at + k];
    }
    right->s = -part * inner->lack.s;
    right->tau = -part * inner->lack.tau + inner->rc_kappa / inner->at.tau;
    stic_limit_newton_solve(&inner->newton, right, &inner->step);
    stic_block_csr_multiply(1.0, &program->A, inner->step.v, 0.0, inner->dy);
    for (int32_t row = 0; row < inner->rows; ++row)
        inner->dy[row] += part * inner->lack.x[row];
    inner->dkappa = (inner->rc_kappa - inner->kappa * inner->step.tau) / inner->at.tau;
}

// step to the boundary of a cone or of tau and kappa
static double step_length(const Inner* inner)
{
    const SticLimitProgram* program = inner->program;
    double most = stic_smaller(stic_cone_step(1, &inner->at.tau, &inner->step.tau),
                               stic_cone_step(1, &inner->kappa, &inner->dkappa));
    for (int32_t p = 0; p < program->count; ++p) {
        const int32_t at = program->row_at[p], n = program->row_at[p + 1] - at;
        if (program->equality[p])
            continue;
        most = stic_smaller(most, stic_cone_step(n, inner->at.x + at, inner->step.x + at));
        most = stic_smaller(most, stic_cone_step(n, inner->y + at, inner->dy + at));
    }
    return most;
}

// mean of <x, y>
static double mean_of(const Inner* inner)
{
    const SticLimitProgram* program = inner->program;
    double sum = inner->at.tau * inner->kappa;
    for (int32_t p = 0; p < program->count; ++p)
        for (int32_t row = program->row_at[p]; row < program->row_at[p + 1]; ++row)
            sum += program->equality[p] ? 0.0 : inner->at.x[row] * inner->y[row];
    return sum / (program->cones + 1);
}

// rc = lam \ (target e - (P dx) o (P^-1 dy)) - lam
static void correct(Inner* inner, double target)
{
    const SticLimitProgram* program = inner->program;
    for (int32_t p = 0; p < program->count; ++p) {
        const int32_t at = program->row_at[p], n = program->row_at[p + 1] - at;
        double a[MOST], b[MOST], w[MOST] = {target, 0.0, 0.0};
        if (program->equality[p])
            continue;
        stic_cone_multiply(n, inner->newton.P[p][0], inner->step.x + at, a);
        stic_cone_multiply(n, inner->newton.P[p][1], inner->dy + at, b);
        for (int32_t k = 0; k < n; ++k)
            w[0] -= a[k] * b[k];
        for (int32_t k = 1; k < n; ++k)
            w[k] -= a[0] * b[k] + b[0] * a[k];
        stic_cone_divide(n, inner->lam + at, w, inner->rc + at);
        for (int32_t k = 0; k < n; ++k)
            inner->rc[at + k] -= inner->lam[at + k];
    }
    inner->rc_kappa = target - inner->at.tau * inner->kappa - inner->step.tau * inner->dkappa;
}

/* ---- the iteration ---- */

static SticStatus create(SticArena* arena, const SticLimitProgram* program, Inner* made,
                         SticError* error)
{
    *made = (Inner){
        .program = program, .rows = program->rows, .cols = stic_block_csr_width(&program->A)};
    SticLimitVector* const vectors[] = {&made->at, &made->step, &made->right, &made->lack};
    double** const by_row[] = {&made->y, &made->dy, &made->lam, &made->rc};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k)
        STIC_TRY(stic_limit_vector_take(program, arena, vectors[k]));
    for (size_t k = 0; k < sizeof by_row / sizeof by_row[0]; ++k)
        STIC_TRY(STIC_TAKE(arena, by_row[k], made->rows + 1));
    return stic_limit_newton_create(arena, program, &made->newton, error);
}

static void start(Inner* inner, double aim)
{
    const SticLimitProgram* program = inner->program;
    memset(inner->at.v, 0, (size_t)inner->cols * sizeof *inner->at.v);
    memset(inner->at.x, 0, (size_t)inner->rows * sizeof *inner->at.x);
    memset(inner->y, 0, (size_t)inner->rows * sizeof *inner->y);
    memset(inner->rc, 0, (size_t)inner->rows * sizeof *inner->rc);
    for (int32_t p = 0; p < program->count; ++p)
        if (!program->equality[p])
            inner->at.x[program->row_at[p]] = inner->y[program->row_at[p]] = 1.0;
    inner->at.s = 0.0;
    inner->at.tau = inner->kappa = 1.0;
    inner->newton.aim = aim;
}

static void measure(Inner* inner)
{
    const SticLimitProgram* program = inner->program;
    const SticLimitVector* at = &inner->at;
    const double aim = inner->newton.aim;
    stic_block_csr_multiply(1.0, &program->A, at->v, 0.0, inner->lack.x);
    for (int32_t row = 0; row < inner->rows; ++row)
        inner->lack.x[row] -= inner->y[row];
    for (int32_t k = 0; k < inner->cols; ++k)
        inner->lack.v[k] = at->tau * program->dead[k] + at->s * program->live[k];
    stic_block_csr_multiply_transpose(1.0, &program->A, at->x, 1.0, inner->lack.v);
    inner->lack.s = stic_limit_dot(inner->cols, program->live, at->v) - aim * at->tau;
    inner->lack.tau =
        aim * at->s + stic_limit_dot(inner->cols, program->dead, at->v) - inner->kappa;
}

// z + along d in the interior of all cones, as far as rounding lets a scaling see it
static bool inside(const Inner* inner, const double* z, const double* d, double along)
{
    const SticLimitProgram* program = inner->program;
    for (int32_t p = 0; p < program->count; ++p) {
        const int32_t at = program->row_at[p], n = program->row_at[p + 1] - at;
        double end[MOST];
        for (int32_t k = 0; k < n && !program->equality[p]; ++k)
            end[k] = z[at + k] + along * d[at + k];
        if (!program->equality[p] && !(stic_cone_determinant(n, end) > 0.0 && end[0] > 0.0))
            return false;
    }
    return true;
}

static void move(Inner* inner, double along)
{
    for (int32_t k = 0; k < inner->cols; ++k)
        inner->at.v[k] += along * inner->step.v[k];
    for (int32_t row = 0; row < inner->rows; ++row) {
        inner->at.x[row] += along * inner->step.x[row];
        inner->y[row] += along * inner->dy[row];
    }
    inner->at.s += along * inner->step.s;
    inner->at.tau += along * inner->step.tau;
    inner->kappa += along * inner->dkappa;
}

// one predictor-corrector step; false if it cannot be made
static bool advance(Inner* inner)
{
    enum { TRIES = 20 };
    const double mean = mean_of(inner);
    if (!scale(inner) || !stic_limit_newton_factorise(&inner->newton))
        return false;
    for (int32_t row = 0; row < inner->rows; ++row)
        inner->rc[row] = -inner->lam[row];
    inner->rc_kappa = -inner->at.tau * inner->kappa;
    find_direction(inner, 1.0);
    const double reach = stic_smaller(step_length(inner), 1.0), left = 1.0 - reach;
    const double centre = stic_larger(left * left * left, 1e-6);
    correct(inner, centre * mean);
    find_direction(inner, 1.0 - centre);
    double along = stic_smaller(0.99 * step_length(inner), 1.0);
    if (!isfinite(inner->step.s) || !isfinite(inner->step.tau) || !(along > 1e-8))
        return false;
    for (int k = 0; k < TRIES && !(inside(inner, inner->at.x, inner->step.x, along) &&
                                   inside(inner, inner->y, inner->dy, along));
         ++k)
        along *= 0.8;
    move(inner, along);
    return true;
}

/* ---- what the iterates show ---- */

// by how much a motion leaves the cones, and the same times the forces there
static double violation(const Inner* inner, double* work)
{
    const SticLimitProgram* program = inner->program;
    double most = 0.0;
    *work = 0.0;
    for (int32_t p = 0; p < program->count; ++p) {
        const int32_t at = program->row_at[p], n = program->row_at[p + 1] - at;
        double image[STIC_LIMIT_ROWS], outside, force;
        for (int32_t k = 0; k < n; ++k)
            image[k] = inner->y[at + k] + inner->lack.x[at + k];
        if (program->equality[p]) {
            outside = stic_limit_largest(n, image);
            force = n * stic_limit_largest(n, inner->at.x + at);
        } else {
            outside = stic_larger(stic_cone_across(n, image) - image[0], 0.0);
            force = inner->at.x[at];
        }
        most = stic_larger(most, outside);
        *work += outside * force;
    }
    return most;
}

// a motion under which the dead loads work, the live ones do not and all contacts open
static bool refuted(const Inner* inner, double tolerance)
{
    double unused;
    const SticLimitProgram* program = inner->program;
    const double work = stic_limit_dot(inner->cols, program->dead, inner->at.v);
    return work > 0.0 &&
           fabs(stic_limit_dot(inner->cols, program->live, inner->at.v)) <= tolerance * work &&
           violation(inner, &unused) <= tolerance * work;
}

// forces that balance the live loads alone
static bool endless(const Inner* inner, double tolerance)
{
    const SticLimitProgram* program = inner->program;
    double most = 0.0;
    for (int32_t k = 0; k < inner->cols; ++k)
        most = stic_larger(most, fabs(inner->lack.v[k] - inner->at.tau * program->dead[k]));
    return inner->at.s > 0.0 && most <= tolerance * inner->at.s;
}

// largest force without balance, beside all forces
static double unbalanced(const Inner* inner)
{
    const double size =
        inner->at.tau + fabs(inner->at.s) + stic_limit_largest(inner->rows, inner->at.x);
    return stic_limit_largest(inner->cols, inner->lack.v) / size;
}

static void keep_forces(const Inner* inner, double tolerance, Bounds* bounds)
{
    const SticLimitVector* at = &inner->at;
    const double work = at->tau * stic_limit_dot(inner->cols, inner->program->live, at->v);
    double lost = 0.0;
    for (int32_t k = 0; k < inner->cols; ++k)
        lost += fabs(inner->lack.v[k] * at->v[k]);
    const double lower = at->s / at->tau - lost / work;
    if (!(work > 0.0) || unbalanced(inner) > tolerance || !(lower > bounds->lower))
        return;
    bounds->lower = lower;
    bounds->residual = stic_limit_largest(inner->cols, inner->lack.v) / at->tau;
    for (int32_t row = 0; row < inner->rows; ++row)
        bounds->x[row] = at->x[row] / at->tau;
}

static void keep_motion(const Inner* inner, double tolerance, Bounds* bounds)
{
    const SticLimitVector* at = &inner->at;
    const double work = stic_limit_dot(inner->cols, inner->program->live, at->v);
    double gained = 0.0;
    const double outside = violation(inner, &gained);
    const double upper =
        (gained / at->tau - stic_limit_dot(inner->cols, inner->program->dead, at->v)) / work;
    if (!(work > 0.0) || outside > tolerance * (work + stic_limit_largest(inner->rows, inner->y)) ||
        !(upper < bounds->upper))
        return;
    bounds->upper = upper;
    for (int32_t k = 0; k < inner->cols; ++k)
        bounds->v[k] = at->v[k] / work;
}

// whether the bounds agree to a part of the size given and of the limit
static bool agree(const Bounds* bounds, double part, double size)
{
    const double gap = bounds->upper - bounds->lower;
    return isfinite(gap) && gap <= part * (size + fabs(bounds->lower));
}

// whether the iteration has said what it can; a sign is enough of what contacts can spare
static bool decided(const Inner* inner, const SticLimitTask* task, Bounds* bounds)
{
    const double tolerance = task->tolerance;
    if (refuted(inner, tolerance) || endless(inner, tolerance))
        return true;
    if (inner->newton.aim == 0.0)
        return unbalanced(inner) <= tolerance && inner->kappa < inner->at.tau;
    keep_forces(inner, tolerance, bounds);
    keep_motion(inner, tolerance, bounds);
    if (task->live == NULL && (bounds->lower > 0.0 || bounds->upper < 0.0))
        return agree(bounds, tolerance, 1.0);
    return agree(bounds, tolerance, 0.0);
}

// Iterates until they have said what they can. A limit near 0 has no digits of its own: the end is
// then where nothing comes closer any more.
static SticStatus iterate(Inner* inner, const SticLimitTask* task, const SticContext* context,
                          Bounds* bounds, int32_t* steps, SticError* error)
{
    double closest = INFINITY;
    for (int32_t idle = 0, step = 0; step < STEPS && idle < PATIENCE; ++step, ++*steps) {
        STIC_TRY(stic_context_ask(context, error));
        measure(inner);
        if (decided(inner, task, bounds) || !advance(inner))
            break;
        const double gap = bounds->upper - bounds->lower;
        const bool closed = agree(bounds, task->tolerance, 1.0);
        idle = closed && !(gap < 0.5 * closest) ? idle + 1 : 0;
        closest = stic_smaller(closest, gap);
    }
    return STIC_OK;
}

static SticLimitOutcome outcome_of(const Inner* inner, const SticLimitTask* task,
                                   const Bounds* bounds)
{
    if (agree(bounds, task->tolerance, 1.0))
        return STIC_LIMIT_FOUND;
    if (refuted(inner, REFUTED))
        return STIC_LIMIT_NONE;
    return endless(inner, REFUTED) ? STIC_LIMIT_UNLIMITED : STIC_LIMIT_OPEN;
}

SticStatus stic_limit_maximise(const SticLimitProgram* program, const SticLimitTask* task,
                               SticArena* arena, SticLimitResult* result, SticError* error)
{
    Inner inner;
    const SticContext* context = stic_arena_context(arena);
    Bounds bounds = {.lower = -INFINITY, .upper = INFINITY, .residual = INFINITY};
    STIC_TRY(create(arena, program, &inner, error));
    STIC_TRY(STIC_TAKE(arena, &bounds.x, inner.rows + 1));
    STIC_TRY(STIC_TAKE(arena, &bounds.v, inner.cols + 1));
    start(&inner, 1.0);
    result->steps = 0;
    STIC_TRY(iterate(&inner, task, context, &bounds, &result->steps, error));
    result->outcome = outcome_of(&inner, task, &bounds);
    if (result->outcome == STIC_LIMIT_UNLIMITED) {
        // forces for the live loads: are there some for the dead ones as well?
        start(&inner, 0.0);
        STIC_TRY(iterate(&inner, task, context, &bounds, &result->steps, error));
        measure(&inner);
        if (unbalanced(&inner) > task->tolerance || inner.kappa > inner.at.tau)
            result->outcome = refuted(&inner, REFUTED) ? STIC_LIMIT_NONE : STIC_LIMIT_OPEN;
        bounds.lower = result->outcome == STIC_LIMIT_UNLIMITED ? INFINITY : -INFINITY;
        bounds.upper = INFINITY;
    }
    if (result->outcome == STIC_LIMIT_NONE)
        bounds.lower = bounds.upper = -INFINITY;
    const bool bounded = result->outcome == STIC_LIMIT_FOUND || result->outcome == STIC_LIMIT_OPEN;
    result->factor = isfinite(bounds.lower) ? program->unit * bounds.lower : bounds.lower;
    result->factor_most = isfinite(bounds.upper) ? program->unit * bounds.upper : bounds.upper;
    result->residual = bounds.residual;
    result->r = bounded && isfinite(bounds.lower) ? bounds.x : inner.at.x;
    result->v = bounded && isfinite(bounds.upper) ? bounds.v : inner.at.v;
    return STIC_OK;
}
