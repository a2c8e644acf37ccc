// SPDX-License-Identifier: Apache-2.0
// The limit of a load by a primal-dual interior point.
//
//     max s    A'x + dead + s live = 0,  x in K,  x_b = most - s >= 0
//     dual     min -dead . v + most y_b,  y = A v in K,  y_b = 1 - live . v >= 0
//
// K is self-dual (limit/program.c). Per iteration, with the Nesterov-Todd points P x = P^-1 y = lam,
// G = P^-2 and the residuals rp = A v - y, rd = A'x + dead + s live:
//
//     (A'G A + rho D) dv - ds live = A'(P^-1 rc - G rp) + rd
//     live . dv + (y_b/x_b) ds = rest of the bound                    one border
//     dy = A dv + rp,  dx = P^-1 rc - G dy
//
// predictor rc = -lam, Mehrotra's corrector, separate steps for (x, s) and (y, v). rho D dv is a
// proximal term; joints have G = 1/delta around their present force. The matrix has the pattern of
// bodies that touch. It is the method of certify/maximise.c with a load in the border instead of a
// margin in every contact.
//
// Near the end A'G A is nearly singular along the motion of collapse, which only the border holds:
// solutions are corrected by what the whole system lacks. Cost: one LDL' per iteration, 15 to 40
// iterations.
#include <math.h>
#include <string.h>

#include "certify/gram.h"
#include "limit/limit.h"
#include "solver/arena_context.h"
#include "solver/cone_kernel.h"
#include "stiction/extend/base.h"

enum { MOST = STIC_CONE_MOST, STEPS = 200, CORRECTIONS = 5 };

#define HELD 0x1p-40

// share of the work of the loads by which a motion may miss its conditions when the iteration ends
#define REFUTED 1e-6

typedef struct Inner {
    const SticLimitProgram* program;
    int32_t rows, cols;
    double rho, delta, most;
    double (*P)[2][MOST * MOST];                          // [count]
    double *x, *y, *dx, *dy, *lam, *rc, *rp;              // [rows]
    double *g, *image;                                    // [rows] scratch
    double *v, *dv, *rd, *right, *part, *border, *metric; // [cols]
    double s, ds, x_bound, y_bound, dx_bound, dy_bound, rc_bound;
    SticGram gram;
    SticSymbolic* symbolic;
    SticFactor* factor;
} Inner;

static double dot(int32_t n, const double* a, const double* b)
{
    double sum = 0.0;
    for (int32_t k = 0; k < n; ++k)
        sum += a[k] * b[k];
    return sum;
}

static double largest(int32_t n, const double* a)
{
    double most = 0.0;
    for (int32_t k = 0; k < n; ++k)
        most = fabs(a[k]) > most ? fabs(a[k]) : most;
    return most;
}

/* ---- the matrix ---- */

static void scaled_block(const void* self, int32_t p, int32_t n, const double* a, double* GA)
{
    const Inner* inner = self;
    const SticLimitProgram* program = inner->program;
    const int32_t m = program->row_at[p + 1] - program->row_at[p];
    for (int32_t j = 0; j < n; ++j) {
        double column[STIC_LIMIT_ROWS], once[MOST], twice[MOST];
        for (int32_t k = 0; k < m; ++k)
            column[k] = a[k * n + j];
        if (program->equality[p]) {
            for (int32_t k = 0; k < m; ++k)
                GA[k * n + j] = column[k] / inner->delta;
            continue;
        }
        stic_cone_multiply(m, inner->P[p][1], column, once);
        stic_cone_multiply(m, inner->P[p][1], once, twice);
        for (int32_t k = 0; k < m; ++k)
            GA[k * n + j] = twice[k];
    }
}

// y = G x, block by block
static void apply_scaling(const Inner* inner, const double* x, double* y)
{
    const SticLimitProgram* program = inner->program;
    for (int32_t p = 0; p < program->count; ++p) {
        const int32_t at = program->row_at[p], n = program->row_at[p + 1] - at;
        double once[MOST];
        if (program->equality[p]) {
            for (int32_t k = 0; k < n; ++k)
                y[at + k] = x[at + k] / inner->delta;
            continue;
        }
        stic_cone_multiply(n, inner->P[p][1], x + at, once);
        stic_cone_multiply(n, inner->P[p][1], once, y + at);
    }
}

// largest diagonal value in units of the metric
static double steepest(const Inner* inner)
{
    const SticBlockCsr* K = &inner->gram.K;
    double most = 0.0;
    for (int32_t b = 0; b < K->rows; ++b) {
        const int32_t n = K->row_at[b + 1] - K->row_at[b];
        const double* block = K->value + K->value_at[inner->gram.diagonal[b]];
        for (int32_t k = 0; k < n; ++k) {
            const double value = block[k * n + k] / inner->metric[K->row_at[b] + k];
            most = value > most ? value : most;
        }
    }
    return most;
}

// the factor holds every motion by some 1e4 roundings of the stiffest one; corrections take that back
static bool factorise(Inner* inner)
{
    SticFactorInfo info;
    const SticPivotSettings pivots = {.tiny = 0.0, .replacement = 0x1p-26};
    stic_gram_assemble(&inner->gram, scaled_block, inner, 0.0, inner->metric);
    const double held = HELD * steepest(inner);
    stic_gram_add(&inner->gram, held > inner->rho ? held : inner->rho, inner->metric);
    return stic_factor_compute(inner->factor, &inner->gram.K, &pivots, &info) == STIC_OK;
}

/* ---- directions ---- */

// scaling points of all cones; false at a boundary
static bool scale(Inner* inner)
{
    const SticLimitProgram* program = inner->program;
    for (int32_t p = 0; p < program->count; ++p) {
        const int32_t at = program->row_at[p], n = program->row_at[p + 1] - at;
        if (!program->equality[p] &&
            !stic_cone_scaling(n, inner->x + at, inner->y + at, inner->P[p], inner->lam + at))
            return false;
    }
    return inner->x_bound > 0.0 && inner->y_bound > 0.0;
}

// g = P^-1 rc - G rp; of joints -G A v
static void fill_forces(Inner* inner)
{
    const SticLimitProgram* program = inner->program;
    apply_scaling(inner, inner->rp, inner->g);
    for (int32_t p = 0; p < program->count; ++p) {
        const int32_t at = program->row_at[p], n = program->row_at[p + 1] - at;
        double image[STIC_LIMIT_ROWS] = {0.0};
        if (!program->equality[p])
            stic_cone_multiply(n, inner->P[p][1], inner->rc + at, image);
        for (int32_t k = 0; k < n; ++k)
            inner->g[at + k] = image[k] - inner->g[at + k];
    }
}

// what (A'G A + rho D) dv - ds live lacks of inner->right, into `part`
static void fill_lack(Inner* inner)
{
    const SticLimitProgram* program = inner->program;
    stic_block_csr_multiply(1.0, &program->A, inner->dv, 0.0, inner->dy);
    apply_scaling(inner, inner->dy, inner->image);
    for (int32_t k = 0; k < inner->cols; ++k)
        inner->part[k] = inner->right[k] + inner->ds * program->live[k] -
                         inner->rho * inner->metric[k] * inner->dv[k];
    stic_block_csr_multiply_transpose(-1.0, &program->A, inner->image, 1.0, inner->part);
}

// dv and ds of the bordered system with the right-hand sides `right` and `bound`
static void solve_bordered(Inner* inner, double bound)
{
    const double* live = inner->program->live;
    const double ratio = inner->y_bound / inner->x_bound;
    const double pivot = dot(inner->cols, live, inner->border) + ratio;
    memset(inner->dv, 0, (size_t)inner->cols * sizeof *inner->dv);
    inner->ds = 0.0;
    for (int32_t round = 0; round <= CORRECTIONS; ++round) {
        fill_lack(inner);
        const double lack = bound - dot(inner->cols, live, inner->dv) - ratio * inner->ds;
        stic_factor_solve(inner->factor, inner->part);
        const double ds = (lack - dot(inner->cols, live, inner->part)) / pivot;
        for (int32_t k = 0; k < inner->cols; ++k)
            inner->dv[k] += inner->part[k] + ds * inner->border[k];
        inner->ds += ds;
    }
}

// dx, dy, ds, dv of the right-hand side rc
static void find_direction(Inner* inner)
{
    const SticLimitProgram* program = inner->program;
    const double rb = inner->most - inner->s - inner->x_bound;
    const double rvb = 1.0 - dot(inner->cols, program->live, inner->v) - inner->y_bound;
    fill_forces(inner);
    memcpy(inner->right, inner->rd, (size_t)inner->cols * sizeof *inner->right);
    stic_block_csr_multiply_transpose(1.0, &program->A, inner->g, 1.0, inner->right);
    solve_bordered(inner, rvb + (inner->y_bound * rb - inner->rc_bound) / inner->x_bound);
    inner->dx_bound = rb - inner->ds;
    inner->dy_bound = rvb - dot(inner->cols, program->live, inner->dv);
    stic_block_csr_multiply(1.0, &program->A, inner->dv, 0.0, inner->dy);
    apply_scaling(inner, inner->dy, inner->image);
    for (int32_t row = 0; row < inner->rows; ++row) {
        inner->dx[row] = inner->g[row] - inner->image[row];
        inner->dy[row] += inner->rp[row];
    }
}

// steps to the boundary along x and along y
static void step_lengths(const Inner* inner, double* along_x, double* along_y)
{
    const SticLimitProgram* program = inner->program;
    *along_x = stic_cone_step(1, &inner->x_bound, &inner->dx_bound);
    *along_y = stic_cone_step(1, &inner->y_bound, &inner->dy_bound);
    for (int32_t p = 0; p < program->count; ++p) {
        const int32_t at = program->row_at[p], n = program->row_at[p + 1] - at;
        if (program->equality[p])
            continue;
        const double x = stic_cone_step(n, inner->x + at, inner->dx + at);
        const double y = stic_cone_step(n, inner->y + at, inner->dy + at);
        *along_x = x < *along_x ? x : *along_x;
        *along_y = y < *along_y ? y : *along_y;
    }
}

static double damped(double step, double to_boundary)
{
    return step * to_boundary < 1.0 ? step * to_boundary : 1.0;
}

// mean of <x, y> after steps along the direction
static double mean_after(const Inner* inner, double along_x, double along_y)
{
    const SticLimitProgram* program = inner->program;
    double sum =
        (inner->x_bound + along_x * inner->dx_bound) * (inner->y_bound + along_y * inner->dy_bound);
    for (int32_t p = 0; p < program->count; ++p)
        for (int32_t row = program->row_at[p]; row < program->row_at[p + 1]; ++row)
            if (!program->equality[p])
                sum += (inner->x[row] + along_x * inner->dx[row]) *
                       (inner->y[row] + along_y * inner->dy[row]);
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
        stic_cone_multiply(n, inner->P[p][0], inner->dx + at, a);
        stic_cone_multiply(n, inner->P[p][1], inner->dy + at, b);
        for (int32_t k = 0; k < n; ++k)
            w[0] -= a[k] * b[k];
        for (int32_t k = 1; k < n; ++k)
            w[k] -= a[0] * b[k] + b[0] * a[k];
        stic_cone_divide(n, inner->lam + at, w, inner->rc + at);
        for (int32_t k = 0; k < n; ++k)
            inner->rc[at + k] -= inner->lam[at + k];
    }
    inner->rc_bound = target - inner->dx_bound * inner->dy_bound - inner->x_bound * inner->y_bound;
}

/* ---- the iteration ---- */

static SticStatus create(SticArena* arena, const SticLimitProgram* program, Inner* made,
                         SticError* error)
{
    const SticContext context = stic_arena_context_make(arena);
    *made = (Inner){
        .program = program, .rows = program->rows, .cols = stic_block_csr_width(&program->A)};
    double** const by_row[] = {&made->x,  &made->y,  &made->dx, &made->dy,   &made->lam,
                               &made->rc, &made->rp, &made->g,  &made->image};
    double** const by_col[] = {&made->v,    &made->dv,     &made->rd,    &made->right,
                               &made->part, &made->border, &made->metric};
    for (size_t k = 0; k < sizeof by_row / sizeof by_row[0]; ++k)
        STIC_TRY(STIC_TAKE(arena, by_row[k], made->rows + 1));
    for (size_t k = 0; k < sizeof by_col / sizeof by_col[0]; ++k)
        STIC_TRY(STIC_TAKE(arena, by_col[k], made->cols + 1));
    STIC_TRY(STIC_TAKE(arena, &made->P, program->count + 1));
    STIC_TRY(stic_gram_create(arena, &program->A, &made->gram, error));
    STIC_TRY(
        stic_symbolic_create(&context, &made->gram.K, STIC_ORDERING_AMD, &made->symbolic, error));
    return stic_factor_create(made->symbolic, STIC_FACTOR_LDL, &made->factor, error);
}

// squares of the columns of A: what makes velocities and turns comparable
static void fill_metric(Inner* inner)
{
    const SticBlockCsr* A = &inner->program->A;
    memset(inner->metric, 0, (size_t)inner->cols * sizeof *inner->metric);
    for (int32_t p = 0; p < A->rows; ++p)
        for (int32_t e = A->begin[p]; e < A->begin[p + 1]; ++e) {
            const int32_t at = A->col_at[A->col[e]], n = A->col_at[A->col[e] + 1] - at;
            for (int64_t k = A->value_at[e]; k < A->value_at[e + 1]; ++k)
                inner->metric[at + (k - A->value_at[e]) % n] += A->value[k] * A->value[k];
        }
    for (int32_t k = 0; k < inner->cols; ++k)
        if (!(inner->metric[k] > 0.0))
            inner->metric[k] = 1.0;
}

static void start(Inner* inner)
{
    const SticLimitProgram* program = inner->program;
    memset(inner->v, 0, (size_t)inner->cols * sizeof *inner->v);
    memset(inner->x, 0, (size_t)inner->rows * sizeof *inner->x);
    memset(inner->y, 0, (size_t)inner->rows * sizeof *inner->y);
    memset(inner->rc, 0, (size_t)inner->rows * sizeof *inner->rc);
    for (int32_t p = 0; p < program->count; ++p)
        if (!program->equality[p])
            inner->x[program->row_at[p]] = inner->y[program->row_at[p]] = 1.0;
    inner->s = 0.0;
    inner->x_bound = inner->most;
    inner->y_bound = 1.0 / inner->most;
    inner->rho = 1e-6;
    inner->delta = 1e-8;
    fill_metric(inner);
}

// residuals; largest of equilibrium (loads have size 1) and of kinematics
static void measure(Inner* inner, double* balance, double* kinematics)
{
    const SticLimitProgram* program = inner->program;
    stic_block_csr_multiply(1.0, &program->A, inner->v, 0.0, inner->rp);
    for (int32_t row = 0; row < inner->rows; ++row)
        inner->rp[row] -= inner->y[row];
    for (int32_t k = 0; k < inner->cols; ++k)
        inner->rd[k] = program->dead[k] + inner->s * program->live[k];
    stic_block_csr_multiply_transpose(1.0, &program->A, inner->x, 1.0, inner->rd);
    const double rvb = 1.0 - dot(inner->cols, program->live, inner->v) - inner->y_bound;
    const double size = 1.0 + fabs(inner->s) + largest(inner->rows, inner->x);
    *balance = largest(inner->cols, inner->rd) / size;
    *kinematics = largest(inner->rows, inner->rp) / (1.0 + largest(inner->rows, inner->y));
    *kinematics = fabs(rvb) > *kinematics ? fabs(rvb) : *kinematics;
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

// nearly to the boundary; less where rounding would leave a cone
static double step_inside(const Inner* inner, const double* z, const double* d, double to_boundary)
{
    enum { TRIES = 20 };
    double along = damped(0.99, to_boundary);
    for (int k = 0; k < TRIES && !inside(inner, z, d, along); ++k)
        along *= 0.8;
    return along;
}

// one predictor-corrector step; false if it cannot be made
static bool advance(Inner* inner)
{
    double along_x = 0.0, along_y = 0.0;
    memset(inner->dx, 0, (size_t)inner->rows * sizeof *inner->dx);
    memset(inner->dy, 0, (size_t)inner->rows * sizeof *inner->dy);
    inner->dx_bound = inner->dy_bound = 0.0;
    const double mean = mean_after(inner, 0.0, 0.0);
    if (!scale(inner) || !factorise(inner))
        return false;
    memcpy(inner->border, inner->program->live, (size_t)inner->cols * sizeof *inner->border);
    stic_factor_solve(inner->factor, inner->border);
    for (int32_t row = 0; row < inner->rows; ++row)
        inner->rc[row] = -inner->lam[row];
    inner->rc_bound = -inner->x_bound * inner->y_bound;
    find_direction(inner);
    step_lengths(inner, &along_x, &along_y);
    const double gain = mean_after(inner, damped(1.0, along_x), damped(1.0, along_y)) / mean;
    double sig = gain > 0.0 ? gain * gain * gain : 0.0;
    sig = sig > 1.0 ? 1.0 : sig < 1e-6 ? 1e-6 : sig;
    correct(inner, sig * mean);
    find_direction(inner);
    step_lengths(inner, &along_x, &along_y);
    if (!isfinite(inner->ds) || !(along_x + along_y > 1e-8))
        return false;
    along_x = step_inside(inner, inner->x, inner->dx, along_x);
    along_y = step_inside(inner, inner->y, inner->dy, along_y);
    for (int32_t row = 0; row < inner->rows; ++row) {
        inner->x[row] += along_x * inner->dx[row];
        inner->y[row] += along_y * inner->dy[row];
    }
    for (int32_t k = 0; k < inner->cols; ++k)
        inner->v[k] += along_y * inner->dv[k];
    inner->s += along_x * inner->ds;
    inner->x_bound += along_x * inner->dx_bound;
    inner->y_bound += along_y * inner->dy_bound;
    return true;
}

// a motion under which the dead loads work, the live ones do not and all contacts open: no factor
// has an equilibrium
static bool refuted(const Inner* inner, double tolerance)
{
    const SticLimitProgram* program = inner->program;
    const double work = dot(inner->cols, program->dead, inner->v);
    if (!(work > 0.0) || fabs(dot(inner->cols, program->live, inner->v)) > tolerance * work)
        return false;
    for (int32_t p = 0; p < program->count; ++p) {
        const int32_t at = program->row_at[p], n = program->row_at[p + 1] - at;
        double image[STIC_LIMIT_ROWS];
        for (int32_t k = 0; k < n; ++k)
            image[k] = inner->y[at + k] + inner->rp[at + k];
        const double across = stic_cone_across(n, image);
        const double outside = across + (program->equality[p] ? fabs(image[0]) : -image[0]);
        if (outside > tolerance * work)
            return false;
    }
    return true;
}

SticStatus stic_limit_maximise(const SticLimitProgram* program, const SticLimitTask* task,
                               SticArena* arena, SticLimitResult* result, SticError* error)
{
    Inner inner;
    STIC_TRY(create(arena, program, &inner, error));
    inner.most = task->most / program->unit;
    start(&inner);
    result->outcome = STIC_LIMIT_OPEN;
    for (result->steps = 0;; result->steps += 1) {
        double balance, kinematics;
        STIC_TRY(stic_context_ask(stic_arena_context(arena), error));
        measure(&inner, &balance, &kinematics);
        const double upper = inner.most * inner.y_bound - dot(inner.cols, program->dead, inner.v);
        result->residual = balance;
        result->factor = program->unit * inner.s;
        result->factor_most = kinematics <= task->tolerance ? program->unit * upper : INFINITY;
        if (balance <= task->tolerance && kinematics <= task->tolerance &&
            fabs(upper - inner.s) <= task->tolerance * (1.0 + fabs(inner.s))) {
            const bool capped = inner.x_bound <= 1e-6 * inner.most;
            result->outcome = capped ? STIC_LIMIT_UNLIMITED : STIC_LIMIT_FOUND;
            break;
        }
        if (refuted(&inner, task->tolerance) || result->steps >= STEPS || !advance(&inner)) {
            result->outcome = refuted(&inner, REFUTED) ? STIC_LIMIT_NONE : STIC_LIMIT_OPEN;
            break;
        }
        inner.rho = 0.3 * inner.rho > 1e-14 ? 0.3 * inner.rho : 1e-14;
    }
    result->r = inner.x;
    result->v = inner.v;
    return STIC_OK;
}
