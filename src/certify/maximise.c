// SPDX-License-Identifier: Apache-2.0
// Largest margin by a primal-dual interior point: a linear program where cones have one or two rows
// (A' and planar contacts), a second-order cone program else.
//
//     max s    y = A v + c - s e in the cones, y = 0 in joints, y_0 = 1 - s >= 0
//     dual     min c . x + x_0,   A' x = 0,  e . x + x_0 = 1,  x in the cones, x_0 >= 0
// (Acary and Cadoux 2013, eq. 4.39, s bounded by 1 in units of max|w|). Per iteration, with the
// Nesterov-Todd points P x = P^-1 y = lam, G = P^-2, k = x + dx and rp = A v + c - s e - y:
//     (G^-1 + A D^-1 A'/rho) k = P (rc + lam) - rp + e ds         rho D dv = A' k
//     e . k + k_0 = 1                                              one border for ds
// predictor rc = -lam, Mehrotra's corrector, separate steps for (v, s, y) and x. rho D is a
// proximal term around the present v: it leaves the solution as it is and bounds v where the
// largest margin is reached at infinity. Joints are rows with G = 1/delta, delta a proximal term of
// their multipliers. The linear system is solved
//     global form          in velocities, (A' G A + rho D) dv = A' G h: the pattern of the bodies
//     local, symmetric W   in multipliers, D = A = W: the pattern of W
//
// The interior point of solver/ cannot serve: its matrix has the pattern of W, and the variable s
// couples all contacts, so that W would be full; it keeps one step length for the sake of De
// Saxcé's term. The algebra of the cones is the same (solver/cone_kernel.h).
// Cost: one LDL' and seven solves per iteration, 15 to 40 iterations. Workspace: the factor and
// some twenty vectors.
#include <math.h>
#include <string.h>

#include "certify/gram.h"
#include "certify/program.h"
#include "solver/arena_context.h"
#include "solver/cone_kernel.h"
#include "stiction/extend/sparse.h"

enum { MOST = STIC_CONE_MOST };

// solution k, dv of the linear system, with z = A dv
typedef struct Direction {
    double *k, *z; // [rows]
    double* dv;    // [cols]
} Direction;

typedef struct Central {
    const SticProgram* program;
    int32_t cones;
    double rho, rho_least, delta;
    double (*P)[2][MOST * MOST];             // [count]
    double *x, *y, *dx, *dy, *lam, *rc, *rp; // [rows]
    double *h, *lack, *rest;                 // [rows] right-hand side, what is missing, scratch
    double* lack_v;                          // [cols]
    double* v;                               // [cols]
    double s, x_bound, y_bound;              // bound: the row 1 - s
    double ds, dx_bound, dy_bound;
    double lam_bound, rc_bound, rp_bound;
    Direction border, part, move; // of e, of one right-hand side, the sum
    // the matrix
    SticBlockCsr K;
    double* value; // symmetric form
    SticGram gram; // global form
    SticSymbolic* symbolic;
    SticFactor* factor;
} Central;

/* ---- the matrix ---- */

static SticStatus take_pattern(SticArena* arena, Central* made, SticError* error)
{
    const SticBlockCsr* A = &made->program->A;
    if (made->program->symmetric) {
        made->K = *A;
        return STIC_TAKE(arena, &made->value, A->value_at[stic_block_csr_count(A)] + 1);
    }
    STIC_TRY(stic_gram_create(arena, A, &made->gram, error));
    made->K = made->gram.K;
    return STIC_OK;
}

// G of block p times a block of A with n columns: G A
static void scaled_block(const void* self, int32_t p, int32_t n, const double* a, double* GA)
{
    const Central* central = self;
    const SticProgram* program = central->program;
    const int32_t m = program->row_at[p + 1] - program->row_at[p];
    for (int32_t j = 0; j < n; ++j) {
        double column[STIC_CONDITION_ROWS], once[MOST], twice[MOST];
        for (int32_t k = 0; k < m; ++k)
            column[k] = a[k * n + j];
        if (program->equality[p]) {
            for (int32_t k = 0; k < m; ++k)
                GA[k * n + j] = column[k] / central->delta;
            continue;
        }
        stic_cone_multiply(m, central->P[p][1], column, once);
        stic_cone_multiply(m, central->P[p][1], once, twice);
        for (int32_t k = 0; k < m; ++k)
            GA[k * n + j] = twice[k];
    }
}

static void assemble_multipliers(Central* central)
{
    const SticProgram* program = central->program;
    const SticBlockCsr* A = &program->A;
    const int64_t values = A->value_at[stic_block_csr_count(A)];
    for (int64_t k = 0; k < values; ++k)
        central->value[k] = A->value[k] / central->rho;
    central->K.value = central->value;
    for (int32_t p = 0; p < A->rows; ++p) {
        const int32_t n = A->row_at[p + 1] - A->row_at[p];
        double* to = central->value + A->value_at[stic_block_csr_find(A, p, p)];
        for (int32_t i = 0; i < n && program->equality[p]; ++i)
            to[i * n + i] += central->delta;
        for (int32_t i = 0; i < n && !program->equality[p]; ++i)
            for (int32_t j = 0; j < n; ++j)
                for (int32_t k = 0; k < n; ++k)
                    to[i * n + j] += central->P[p][0][i * n + k] * central->P[p][0][k * n + j];
    }
}

static bool factorise(Central* central)
{
    SticFactorInfo info;
    if (central->program->symmetric)
        assemble_multipliers(central);
    else
        stic_gram_assemble(&central->gram, scaled_block, central, central->rho,
                           central->program->metric);
    // positive definite by construction: small pivots are right, above all in the null space of W
    const SticPivotSettings pivots = {.tiny = 0.0, .replacement = 0x1p-26};
    return stic_factor_compute(central->factor, &central->K, &pivots, &info) == STIC_OK;
}

// y = G x (side 1) or G^-1 x (side 0), block by block
static void apply_scaling(const Central* central, int side, const double* x, double* y)
{
    const SticProgram* program = central->program;
    const double joint = side == 1 ? 1.0 / central->delta : central->delta;
    for (int32_t p = 0; p < program->count; ++p) {
        const int32_t at = program->row_at[p], n = program->row_at[p + 1] - at;
        double once[MOST];
        if (program->equality[p]) {
            for (int32_t k = 0; k < n; ++k)
                y[at + k] = joint * x[at + k];
            continue;
        }
        stic_cone_multiply(n, central->P[p][side], x + at, once);
        stic_cone_multiply(n, central->P[p][side], once, y + at);
    }
}

// G^-1 k + A dv = h and rho D dv - A' k = g with z = A dv; in the symmetric form g = 0
static void solve(const Central* central, const double* h, const double* g, const Direction* to)
{
    const SticProgram* program = central->program;
    if (program->symmetric) {
        memcpy(to->k, h, (size_t)program->rows * sizeof *h);
        stic_factor_solve(central->factor, to->k);
        for (int32_t row = 0; row < program->rows; ++row)
            to->dv[row] = to->k[row] / central->rho;
        stic_block_csr_multiply(1.0, &program->A, to->dv, 0.0, to->z);
        return;
    }
    apply_scaling(central, 1, h, to->k);
    memcpy(to->dv, g, (size_t)program->cols * sizeof *g);
    stic_block_csr_multiply_transpose(1.0, &program->A, to->k, 1.0, to->dv);
    stic_factor_solve(central->factor, to->dv);
    stic_block_csr_multiply(1.0, &program->A, to->dv, 0.0, to->z);
    for (int32_t row = 0; row < program->rows; ++row)
        central->rest[row] = h[row] - to->z[row];
    apply_scaling(central, 1, central->rest, to->k);
}

/* ---- directions ---- */

static double axis_sum(const SticProgram* program, const double* x)
{
    double sum = 0.0;
    for (int32_t p = 0; p < program->count; ++p)
        sum += program->equality[p] ? 0.0 : x[program->row_at[p]];
    return sum;
}

// scaling points of all cones; false at a boundary
static bool scale(Central* central)
{
    const SticProgram* program = central->program;
    for (int32_t p = 0; p < program->count; ++p) {
        const int32_t at = program->row_at[p], n = program->row_at[p + 1] - at;
        if (!program->equality[p] && !stic_cone_scaling(n, central->x + at, central->y + at,
                                                        central->P[p], central->lam + at))
            return false;
    }
    central->lam_bound = sqrt(central->x_bound * central->y_bound);
    return central->lam_bound > 0.0;
}

// h = P (rc + lam) - rp, joints delta x - rp
static void fill_right(Central* central)
{
    const SticProgram* program = central->program;
    for (int32_t p = 0; p < program->count; ++p) {
        const int32_t at = program->row_at[p], n = program->row_at[p + 1] - at;
        double sum[MOST] = {0.0}, image[MOST] = {0.0};
        for (int32_t k = 0; k < n && !program->equality[p]; ++k)
            sum[k] = central->rc[at + k] + central->lam[at + k];
        if (!program->equality[p])
            stic_cone_multiply(n, central->P[p][0], sum, image);
        for (int32_t k = 0; k < n; ++k)
            central->h[at + k] =
                (program->equality[p] ? central->delta * central->x[at + k] : image[k]) -
                central->rp[at + k];
    }
}

// what the three equations lack for (k, dv, ds): rows in `lack`, velocities in `lack_v`
static double fill_lack(Central* central, double h_bound, double ratio)
{
    const SticProgram* program = central->program;
    const Direction* move = &central->move;
    // z from the sum itself: its parts are far larger where the border does the work
    stic_block_csr_multiply(1.0, &program->A, move->dv, 0.0, move->z);
    apply_scaling(central, 0, move->k, central->rest);
    for (int32_t row = 0; row < program->rows; ++row)
        central->lack[row] = central->h[row] - central->rest[row] - move->z[row];
    for (int32_t p = 0; p < program->count; ++p)
        if (!program->equality[p])
            central->lack[program->row_at[p]] += central->ds;
    for (int32_t k = 0; k < program->cols; ++k)
        central->lack_v[k] = -central->rho * program->metric[k] * move->dv[k];
    if (!program->symmetric)
        stic_block_csr_multiply_transpose(1.0, &program->A, move->k, 1.0, central->lack_v);
    return 1.0 - axis_sum(program, move->k) - (h_bound + central->ds) / ratio;
}

// k, dv, ds by the border, then corrected by what the equations lack: the border hides a part that
// is nearly singular without it
static void solve_bordered(Central* central, double h_bound, double ratio)
{
    enum { CORRECTIONS = 2 };
    const SticProgram* program = central->program;
    const Direction *border = &central->border, *part = &central->part, *move = &central->move;
    const double pivot = axis_sum(program, border->k) + 1.0 / ratio;
    memset(move->k, 0, (size_t)program->rows * sizeof *move->k);
    memset(move->dv, 0, (size_t)program->cols * sizeof *move->dv);
    central->ds = 0.0;
    for (int32_t round = 0; round <= CORRECTIONS; ++round) {
        const double lack = fill_lack(central, h_bound, ratio);
        solve(central, central->lack, central->lack_v, part);
        const double ds = (lack - axis_sum(program, part->k)) / pivot;
        for (int32_t row = 0; row < program->rows; ++row)
            move->k[row] += part->k[row] + ds * border->k[row];
        for (int32_t k = 0; k < program->cols; ++k)
            move->dv[k] += part->dv[k] + ds * border->dv[k];
        central->ds += ds;
    }
    if (program->symmetric)
        for (int32_t k = 0; k < program->cols; ++k)
            move->dv[k] = move->k[k] / central->rho;
    stic_block_csr_multiply(1.0, &program->A, move->dv, 0.0, move->z);
}

// dx, dy, ds, dv of the right-hand side rc
static void find_direction(Central* central)
{
    const SticProgram* program = central->program;
    const Direction* move = &central->move;
    // the row 1 - s: P^2 = y/x
    const double ratio = central->y_bound / central->x_bound, root = sqrt(ratio);
    const double h_bound = root * (central->rc_bound + central->lam_bound) - central->rp_bound;
    fill_right(central);
    solve_bordered(central, h_bound, ratio);
    central->dx_bound = (h_bound + central->ds) / ratio - central->x_bound;
    central->dy_bound = central->rp_bound - central->ds;
    for (int32_t row = 0; row < program->rows; ++row) {
        central->dx[row] = move->k[row] - central->x[row];
        central->dy[row] = move->z[row] + central->rp[row];
    }
    for (int32_t p = 0; p < program->count; ++p)
        if (!program->equality[p])
            central->dy[program->row_at[p]] -= central->ds;
}

// steps to the boundary along x and along y
static void step_lengths(const Central* central, double* along_x, double* along_y)
{
    const SticProgram* program = central->program;
    *along_x = central->dx_bound < 0.0 ? -central->x_bound / central->dx_bound : INFINITY;
    *along_y = central->dy_bound < 0.0 ? -central->y_bound / central->dy_bound : INFINITY;
    for (int32_t p = 0; p < program->count; ++p) {
        const int32_t at = program->row_at[p], n = program->row_at[p + 1] - at;
        if (program->equality[p])
            continue;
        const double x = stic_cone_step(n, central->x + at, central->dx + at);
        const double y = stic_cone_step(n, central->y + at, central->dy + at);
        *along_x = x < *along_x ? x : *along_x;
        *along_y = y < *along_y ? y : *along_y;
    }
}

// full steps where the boundary is far
static double damped(double step, double to_boundary)
{
    return step * to_boundary < 1.0 ? step * to_boundary : 1.0;
}

// mean of <x, y> after steps along the direction
static double mean_after(const Central* central, double along_x, double along_y)
{
    const SticProgram* program = central->program;
    double sum = (central->x_bound + along_x * central->dx_bound) *
                 (central->y_bound + along_y * central->dy_bound);
    for (int32_t p = 0; p < program->count; ++p)
        for (int32_t row = program->row_at[p]; row < program->row_at[p + 1]; ++row)
            if (!program->equality[p])
                sum += (central->x[row] + along_x * central->dx[row]) *
                       (central->y[row] + along_y * central->dy[row]);
    return sum / (central->cones + 1);
}

// rc = lam \ (target e - (P dx) o (P^-1 dy)) - lam
static void correct(Central* central, double target)
{
    const SticProgram* program = central->program;
    for (int32_t p = 0; p < program->count; ++p) {
        const int32_t at = program->row_at[p], n = program->row_at[p + 1] - at;
        double a[MOST], b[MOST], v[MOST] = {target, 0.0, 0.0};
        if (program->equality[p])
            continue;
        stic_cone_multiply(n, central->P[p][0], central->dx + at, a);
        stic_cone_multiply(n, central->P[p][1], central->dy + at, b);
        for (int32_t k = 0; k < n; ++k)
            v[0] -= a[k] * b[k];
        for (int32_t k = 1; k < n; ++k)
            v[k] -= a[0] * b[k] + b[0] * a[k];
        stic_cone_divide(n, central->lam + at, v, central->rc + at);
        for (int32_t k = 0; k < n; ++k)
            central->rc[at + k] -= central->lam[at + k];
    }
    central->rc_bound =
        (target - central->dx_bound * central->dy_bound) / central->lam_bound - central->lam_bound;
}

/* ---- the iteration ---- */

static SticStatus create(SticArena* arena, const SticProgram* program, Central* made,
                         SticError* error)
{
    const int32_t rows = program->rows + 1, cols = program->cols + 1;
    const SticContext context = stic_arena_context_make(arena);
    *made = (Central){.program = program};
    double** const by_row[] = {&made->x,      &made->y,      &made->dx,       &made->dy,
                               &made->lam,    &made->rc,     &made->rp,       &made->h,
                               &made->lack,   &made->rest,   &made->border.k, &made->border.z,
                               &made->part.k, &made->part.z, &made->move.k,   &made->move.z};
    double** const by_col[] = {&made->v, &made->lack_v, &made->border.dv, &made->part.dv,
                               &made->move.dv};
    for (size_t k = 0; k < sizeof by_row / sizeof by_row[0]; ++k)
        STIC_TRY(STIC_TAKE(arena, by_row[k], rows));
    for (size_t k = 0; k < sizeof by_col / sizeof by_col[0]; ++k)
        STIC_TRY(STIC_TAKE(arena, by_col[k], cols));
    STIC_TRY(STIC_TAKE(arena, &made->P, program->count + 1));
    STIC_TRY(take_pattern(arena, made, error));
    STIC_TRY(stic_symbolic_create(&context, &made->K, STIC_ORDERING_AMD, &made->symbolic, error));
    return stic_factor_create(made->symbolic, STIC_FACTOR_LDL, &made->factor, error);
}

// start from v = 0, s one below its margin, multipliers equal
static void start(Central* central)
{
    const SticProgram* program = central->program;
    double joint = 0.0;
    memset(central->v, 0, (size_t)program->cols * sizeof *central->v);
    stic_program_velocity(program, central->v, central->y);
    const double margin = stic_program_margin(program, central->y, &joint);
    central->s = (margin < 1.0 ? margin : 1.0) - 1.0;
    central->cones = 0;
    for (int32_t p = 0; p < program->count; ++p)
        central->cones += !program->equality[p];
    memset(central->x, 0, (size_t)program->rows * sizeof *central->x);
    memset(central->dx, 0, (size_t)program->rows * sizeof *central->dx);
    memset(central->dy, 0, (size_t)program->rows * sizeof *central->dy);
    for (int32_t p = 0; p < program->count; ++p)
        if (!program->equality[p]) {
            central->x[program->row_at[p]] = 1.0 / (central->cones + 1);
            central->y[program->row_at[p]] -= central->s;
        }
    central->x_bound = 1.0 / (central->cones + 1);
    central->y_bound = 1.0 - central->s;
    // the first steps may move u by some thousand times max|w|, or they would run away; the last
    // ones must not be held back on the way to a far optimum. In multipliers 1/rho stands beside
    // y/x, which vanishes in active contacts: it must stay moderate
    central->rho = 1e-4 / sqrt(central->cones + 1.0);
    central->rho_least = central->rho * (program->symmetric ? 1e-3 : 1e-7);
    central->delta = 1e-8 * (central->cones + 1);
    if (program->symmetric) {
        double trace = 0.0;
        for (int32_t row = 0; row < program->rows; ++row)
            trace += sqrt(program->metric[row]);
        central->rho *= program->rows > 0 && trace > 0.0 ? trace / program->rows : 1.0;
        central->rho_least *= program->rows > 0 && trace > 0.0 ? trace / program->rows : 1.0;
    }
}

// residuals; y of joints is 0. Gives the mean of <x, y>
static double measure(Central* central)
{
    const SticProgram* program = central->program;
    stic_program_velocity(program, central->v, central->rp);
    for (int32_t p = 0; p < program->count; ++p)
        for (int32_t row = program->row_at[p]; row < program->row_at[p + 1]; ++row)
            if (!program->equality[p])
                central->rp[row] -=
                    central->y[row] + (row == program->row_at[p] ? central->s : 0.0);
    central->rp_bound = 1.0 - central->s - central->y_bound;
    return mean_after(central, 0.0, 0.0);
}

static void move(Central* central, double along_x, double along_y)
{
    const SticProgram* program = central->program;
    for (int32_t row = 0; row < program->rows; ++row) {
        central->x[row] += along_x * central->dx[row];
        central->y[row] += along_y * central->dy[row];
    }
    for (int32_t k = 0; k < program->cols; ++k)
        central->v[k] += along_y * central->move.dv[k];
    central->s += along_y * central->ds;
    central->x_bound += along_x * central->dx_bound;
    central->y_bound += along_y * central->dy_bound;
}

// whether what was asked for is known
static bool reached(const SticProgramGoal* goal, const SticProgramPoint* point)
{
    // a margin at its bound is as good as any: the problem may be homogeneous
    const double top = 0.999, gap = 0.01 * goal->tolerance;
    if (point->margin >= top || point->most - point->margin <= gap)
        return true;
    return !goal->margin &&
           (point->margin > 2.0 * goal->tolerance || point->most < -2.0 * goal->tolerance);
}

// one predictor-corrector step; false if it cannot be made
static bool advance(Central* central, double mean)
{
    const SticProgram* program = central->program;
    double along_x = 0.0, along_y = 0.0;
    if (!scale(central) || !factorise(central))
        return false;
    memset(central->h, 0, (size_t)program->rows * sizeof(double));
    memset(central->lack_v, 0, (size_t)program->cols * sizeof(double));
    for (int32_t p = 0; p < program->count; ++p)
        if (!program->equality[p])
            central->h[program->row_at[p]] = 1.0;
    solve(central, central->h, central->lack_v, &central->border);
    for (int32_t row = 0; row < program->rows; ++row)
        central->rc[row] = -central->lam[row];
    central->rc_bound = -central->lam_bound;
    find_direction(central);
    step_lengths(central, &along_x, &along_y);
    const double gain = mean_after(central, damped(1.0, along_x), damped(1.0, along_y)) / mean;
    double sig = gain > 0.0 ? gain * gain * gain : 0.0;
    sig = sig > 1.0 ? 1.0 : sig < 1e-6 ? 1e-6 : sig;
    correct(central, sig * mean);
    find_direction(central);
    step_lengths(central, &along_x, &along_y);
    if (!isfinite(central->ds) || !(along_x + along_y > 1e-6))
        return false;
    move(central, damped(0.99, along_x), damped(0.99, along_y));
    return true;
}

SticStatus stic_program_maximise(SticArena* arena, const SticProgram* program,
                                 const SticProgramGoal* goal, SticProgramPoint* point,
                                 int32_t* steps, SticError* error)
{
    Central central;
    double* u = NULL;
    STIC_TRY(create(arena, program, &central, error));
    STIC_TRY(STIC_TAKE(arena, &u, program->rows + 1));
    start(&central);
    for (int32_t step = 0; step < goal->steps; ++step) {
        STIC_TRY(stic_context_ask(stic_arena_context(arena), error));
        const double mean = measure(&central);
        stic_program_velocity(program, central.v, u);
        stic_program_keep(program, goal, central.v, u, point);
        stic_program_keep_dual(program, goal, central.x, point);
        if (reached(goal, point) || !(mean > 0x1p-60) || !advance(&central, mean))
            break;
        *steps += 1;
        central.rho = 0.3 * central.rho > central.rho_least ? 0.3 * central.rho : central.rho_least;
    }
    return STIC_OK;
}
