// SPDX-License-Identifier: Apache-2.0
// The three error measures of a reaction, recomputed from the problem's own data.
//
// With x = r + r_shift, y = u + u_shift, B the bounds at x and step(rho; y, x) the projected step
// of the law (the natural map; De Saxcé's term for the cones), each interaction's defect is
//     D_i = x_i - step(rho; y_i, x_i)            D_i = 0 for all i  <=>  r solves the problem
//   relative   rho = 1:                    |D| / |b|
//   siconos    rho = 1:                    |D| / max(|b|, |x|, |y|)
//   unit-free  rho from the diagonal blocks (1/W_NN, 1/lambda_max(W_TT), …), D_i an impulse:
//              sqrt( sum <W_ii D_i, D_i> / sum <W_ii^-1 b_i, b_i> )
//              Where W_ii is singular to rounding, W_ii is replaced by diag(1/rho): a defect along
//              its null space must not go unseen.
//              Contacts with a gap (u_shift_N > 0) that the free motion does not close do not count
//              in the denominators: b_N holds gap/h there, which no reaction changes, and an error is
//              measured against the velocities that the step has to change.
// b is the free velocity with the shifts folded in, P' M^-1 (f - H r_shift) + w + u_shift: the
// numbers are those of the equivalent problem without shifts. A norm that is 0 is replaced by 1.
//
// u is computed from W, b or, where the problem has them, from M, H, f, w. Errors far above
// rounding are found in plain arithmetic, and so are those that pass whatever the rounding; others
// are computed again with one step of refinement for M and compensated sums over neighbours
// (Neumaier 1974): the rounding left is that of single products, which is of the size of the
// rounding of r itself, 5e-16 |r|/|b| in the relative measure. Cost: one product with W or H' and
// H; no memory beyond what was prepared.
//
// A part is an island, measured by itself in the arrays of the whole. Norms of b are kept by
// interaction, so that those of a part are sums; what rounding leaves of u is computed when an
// error comes near it.
#include "problem/gauge.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "law/law_kernel.h"
#include "problem/mass.h"
#include "problem/operator_kernel.h"
#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"

// above this an error is not rounding: plain sums are off by some units in the last place of the
// largest of a few hundred terms, 1e-13 of them
static const double plain_error = 1e-8;
// and this many times what rounding makes of reactions that are large beside b
static const double plain_rounding = 1e5 * DBL_EPSILON;

struct SticGauge {
    const SticProblem* problem;
    SticPool* pool;
    const SticOperator* op;     // factored form of the same problem; NULL: none was given
    bool global;                // u through M and H
    const int64_t* diagonal_at; // [count+1]
    const double* diagonal;     // W_ii
    double (*rho)[3];           // step lengths of the unit-free measure
    uint8_t* singular;          // [count] W_ii is
    double (*b_square)[2];      // [count] |b_i|^2 and its energy
    SticGaugePart whole;
    double work;
    // scratch of a measurement
    double *x, *y;              // [rows]
    double* free;               // [rows] u at r = 0, NULL with shifts of r
    double *g_high, *g_low, *v; // [dof] global form
    double *v_free, *v_size;    // [dof] M^-1 f and the sizes of its sums, if `sized`
    double (*sums)[5];          // [count] see Sum
    bool sized;
};

// what a measurement adds up over the interactions
typedef enum Sum { SUM_DEFECT, SUM_ENERGY, SUM_SIZE, SUM_X, SUM_Y, SUMS } Sum;

// interaction at place p of a part
static inline int32_t member_at(const SticGaugePart* part, int32_t p)
{
    return part->member != NULL ? part->member[p] : p;
}

/* ---- u = W r + b ---- */

// sum += x, the rounding error goes to *rest; the same error as Neumaier's, without his branch
// (Knuth)
static inline void add_compensated(double* sum, double* rest, double x)
{
    const double total = *sum + x, added = total - *sum;
    *rest += (*sum - (total - added)) + (x - added);
    *sum = total;
}

// three rows between bodies of six velocities: the sums of the rows side by side
static void compensated_contact(const SticBlockCsr* A, int32_t i, const double* c, const double* x,
                                double* out)
{
    double sum[3] = {c[0], c[1], c[2]}, rest[3] = {0.0, 0.0, 0.0};
    for (int32_t e = A->begin[i]; e < A->begin[i + 1]; ++e) {
        const double *B = A->value + A->value_at[e], *v = x + A->col_at[A->col[e]];
        for (int32_t k = 0; k < 6; ++k)
            for (int32_t a = 0; a < 3; ++a)
                add_compensated(&sum[a], &rest[a], B[6 * a + k] * v[k]);
    }
    for (int32_t a = 0; a < 3; ++a)
        out[a] = sum[a] + rest[a];
}

// whether interaction i has three rows and meets bodies of six velocities only
static inline bool is_contact(const SticBlockCsr* A, int32_t i)
{
    bool six = A->row_at[i + 1] - A->row_at[i] == 3;
    for (int32_t e = A->begin[i]; e < A->begin[i + 1]; ++e)
        six = six && A->col_at[A->col[e] + 1] - A->col_at[A->col[e]] == 6;
    return six;
}

// out = c + A x for one block row
static void compensated_row(const SticBlockCsr* A, int32_t i, const double* c, const double* x,
                            double* out)
{
    const int32_t rows = A->row_at[i + 1] - A->row_at[i];
    if (is_contact(A, i)) {
        compensated_contact(A, i, c, x, out);
        return;
    }
    for (int32_t a = 0; a < rows; ++a) {
        double sum = c[a], rest = 0.0;
        for (int32_t e = A->begin[i]; e < A->begin[i + 1]; ++e) {
            const int32_t at = A->col_at[A->col[e]], cols = A->col_at[A->col[e] + 1] - at;
            const double* B = A->value + A->value_at[e] + (int64_t)a * cols;
            for (int32_t k = 0; k < cols; ++k)
                add_compensated(&sum, &rest, B[k] * x[at + k]);
        }
        out[a] = sum + rest;
    }
}

// the same in plain arithmetic
static void plain_row(const SticBlockCsr* A, int32_t i, const double* c, const double* x,
                      double* out)
{
    const int32_t rows = A->row_at[i + 1] - A->row_at[i];
    for (int32_t a = 0; a < rows; ++a)
        out[a] = c[a];
    for (int32_t e = A->begin[i]; e < A->begin[i + 1]; ++e) {
        const int32_t at = A->col_at[A->col[e]], cols = A->col_at[A->col[e] + 1] - at;
        const double* B = A->value + A->value_at[e];
        if (rows == 3 && cols == 6)
            stic_tile_add_36(B, x + at, out);
        else
            stic_tile_add(B, rows, cols, x + at, out);
    }
}

typedef struct RowWork {
    const SticGauge* gauge;
    const SticGaugePart* part;
    const double* r;
    double* u;
    bool fine; // compensated
} RowWork;

static void compute_rows(void* self, int32_t chunk)
{
    const RowWork* work = self;
    const SticGauge* gauge = work->gauge;
    const SticProblem* problem = gauge->problem;
    const SticBlockCsr* A = problem->W;
    if (gauge->global)
        A = problem->Pt != NULL ? problem->Pt : problem->Ht;
    const double* c = gauge->global ? problem->w : problem->b;
    const double* x = gauge->global ? gauge->v : work->r;
    const int32_t first = chunk * STIC_OPERATOR_CHUNK;
    for (int32_t p = first; p < work->part->count && p < first + STIC_OPERATOR_CHUNK; ++p) {
        const int32_t i = member_at(work->part, p), row = problem->row_at[i];
        (work->fine ? compensated_row : plain_row)(A, i, c + row, x, work->u + row);
    }
}

static inline bool is_zero(const double* r, int32_t rows)
{
    for (int32_t a = 0; a < rows; ++a)
        if (r[a] != 0.0)
            return false;
    return true;
}

// g += B' r for a block of `rows` x `cols`, with compensation
static inline void scatter_compensated(const double* B, int32_t rows, int32_t cols, const double* r,
                                       double* restrict high, double* restrict low)
{
    for (int32_t a = 0; a < rows; ++a)
        for (int32_t k = 0; k < cols; ++k)
            add_compensated(&high[k], &low[k], B[a * cols + k] * r[a]);
}

// g_high + g_low += H r of interaction i; `column`: of this one only, of all if negative
static void scatter(const RowWork* work, int32_t i, int32_t column)
{
    const SticGauge* gauge = work->gauge;
    const SticProblem* problem = gauge->problem;
    const SticBlockCsr* Ht = problem->Ht;
    const int32_t row = problem->row_at[i], rows = problem->row_at[i + 1] - row;
    const double* r = work->r + row;
    // true for most contacts of a cold start, and for those that are open
    if (is_zero(r, rows))
        return;
    for (int32_t e = Ht->begin[i]; e < Ht->begin[i + 1]; ++e) {
        if (column >= 0 && Ht->col[e] != column)
            continue;
        const int32_t at = Ht->col_at[Ht->col[e]], cols = Ht->col_at[Ht->col[e] + 1] - at;
        const double* B = Ht->value + Ht->value_at[e];
        const bool contact = rows == 3 && cols == 6;
        if (!work->fine && contact)
            stic_tile_add_transposed_36(B, r, gauge->g_high + at);
        else if (!work->fine)
            stic_tile_add_transposed(B, rows, cols, r, gauge->g_high + at);
        else if (contact)
            scatter_compensated(B, 3, 6, r, gauge->g_high + at, gauge->g_low + at);
        else
            scatter_compensated(B, rows, cols, r, gauge->g_high + at, gauge->g_low + at);
    }
}

// block (k, k) of a block-diagonal matrix
static const double* own_block(const SticBlockCsr* A, int32_t k)
{
    const int32_t first = A->begin[k];
    const int32_t e =
        first < A->begin[k + 1] && A->col[first] == k ? first : stic_block_csr_find(A, k, k);
    return e < 0 ? NULL : A->value + A->value_at[e];
}

// v of body k from g_high, with one step of iterative refinement by the residual of M itself
static void divide_body(const RowWork* work, int32_t k)
{
    const SticGauge* gauge = work->gauge;
    const SticMass* M = gauge->problem->M;
    const int32_t at = M->A->row_at[k], n = M->A->row_at[k + 1] - at;
    double *g = gauge->g_high + at, *v = gauge->v + at;
    if (M->inverse_diagonal != NULL) {
        for (int32_t c = 0; c < n; ++c)
            v[c] = M->inverse_diagonal[at + c] * g[c];
        return; // rounded once already
    }
    const double *inverse = own_block(M->inverse, k), *A = own_block(M->A, k);
    memset(v, 0, (size_t)n * sizeof *v);
    if (inverse == NULL)
        return;
    stic_tile_add(inverse, n, n, g, v);
    if (!work->fine || A == NULL)
        return;
    for (int32_t a = 0; a < n; ++a)
        for (int32_t c = 0; c < n; ++c)
            g[a] -= A[a * n + c] * v[c];
    stic_tile_add(inverse, n, n, g, v);
}

static SticStatus divide_whole(const SticGauge* gauge, bool fine)
{
    const SticMass* M = gauge->problem->M;
    STIC_TRY(stic_mass_solve(M, gauge->g_high, gauge->v));
    if (!fine || M->diagonal != NULL)
        return STIC_OK;
    // residual into g_high, correction into g_low
    stic_block_csr_multiply(-1.0, M->A, gauge->v, 1.0, gauge->g_high);
    STIC_TRY(stic_mass_solve(M, gauge->g_high, gauge->g_low));
    for (int32_t k = 0; k < gauge->problem->dof; ++k)
        gauge->v[k] += gauge->g_low[k];
    return STIC_OK;
}

static inline int32_t part_bodies(const RowWork* work)
{
    return work->part->body != NULL ? work->part->bodies : work->gauge->problem->M->A->rows;
}

// body at place p of a part
static inline int32_t body_at(const SticGaugePart* part, int32_t p)
{
    return part->body != NULL ? part->body[p] : p;
}

// g of body k: f, before anything is added
static void start_body(const RowWork* work, int32_t k)
{
    const SticGauge* gauge = work->gauge;
    const SticProblem* problem = gauge->problem;
    const int32_t at = problem->M->A->row_at[k], n = problem->M->A->row_at[k + 1] - at;
    memcpy(gauge->g_high + at, problem->f + at, (size_t)n * sizeof(double));
    memset(gauge->g_low + at, 0, (size_t)n * sizeof(double));
}

static void finish_body(const RowWork* work, int32_t k)
{
    const SticGauge* gauge = work->gauge;
    const SticMass* M = gauge->problem->M;
    for (int32_t c = M->A->row_at[k]; work->fine && c < M->A->row_at[k + 1]; ++c)
        gauge->g_high[c] += gauge->g_low[c];
    if (M->kind == STIC_MASS_BLOCKS)
        divide_body(work, k);
}

// the sums of single bodies, in the order in which scatter makes them
static void gather_chunk(void* self, int32_t chunk)
{
    const RowWork* work = self;
    const SticOperator* op = work->gauge->op;
    const int32_t first = chunk * STIC_OPERATOR_CHUNK;
    for (int32_t p = first; p < part_bodies(work) && p < first + STIC_OPERATOR_CHUNK; ++p) {
        const int32_t k = body_at(work->part, p), body = op->column_body[k];
        start_body(work, k);
        for (int32_t e = body < 0 ? 0 : op->body_begin[body];
             e < (body < 0 ? 0 : op->body_begin[body + 1]); ++e)
            scatter(work, op->body_item[e], k);
        finish_body(work, k);
    }
}

// v = M^-1 (f + H r) of the bodies of a part
static SticStatus compute_velocity(const RowWork* work)
{
    const SticGauge* gauge = work->gauge;
    const SticGaugePart* part = work->part;
    const int32_t bodies = part_bodies(work);
    // the same sums body by body read H' out of order, which pays with several threads only
    if (gauge->op != NULL && bodies > STIC_OPERATOR_CHUNK && stic_pool_threads(gauge->pool) > 1) {
        RowWork own = *work;
        const int32_t chunks = (bodies + STIC_OPERATOR_CHUNK - 1) / STIC_OPERATOR_CHUNK;
        stic_pool_run(gauge->pool, chunks, gather_chunk, &own);
        return STIC_OK;
    }
    for (int32_t p = 0; p < bodies; ++p)
        start_body(work, body_at(part, p));
    for (int32_t p = 0; p < part->count; ++p)
        scatter(work, member_at(part, p), -1);
    for (int32_t p = 0; p < bodies; ++p)
        finish_body(work, body_at(part, p));
    return gauge->problem->M->kind == STIC_MASS_BLOCKS ? STIC_OK : divide_whole(gauge, work->fine);
}

static SticStatus compute_u(const RowWork* work)
{
    if (work->gauge->global)
        STIC_TRY(compute_velocity(work));
    RowWork rows = *work;
    const int32_t chunks = (work->part->count + STIC_OPERATOR_CHUNK - 1) / STIC_OPERATOR_CHUNK;
    stic_pool_run(work->gauge->pool, chunks, compute_rows, &rows);
    return STIC_OK;
}

/* ---- diagonal blocks and norms of b ---- */

// W_ii = sum over bodies P_i' M^-1 H_i
static void diagonal_from_blocks(const SticProblem* problem, int32_t i, double* D)
{
    const SticBlockCsr *Ht = problem->Ht, *inverse = problem->M->inverse;
    const SticBlockCsr* Pt = problem->Pt != NULL ? problem->Pt : Ht;
    const int32_t rows = problem->row_at[i + 1] - problem->row_at[i];
    for (int32_t e = Pt->begin[i]; e < Pt->begin[i + 1]; ++e) {
        const int32_t k = Pt->col[e], n = Pt->col_at[k + 1] - Pt->col_at[k];
        const int32_t h = Pt == Ht ? e : stic_block_csr_find(Ht, i, k);
        const int32_t own = inverse->begin[k];
        const int32_t m = own < inverse->begin[k + 1] && inverse->col[own] == k
                              ? own
                              : stic_block_csr_find(inverse, k, k);
        if (h < 0 || m < 0)
            continue;
        const double *P = Pt->value + Pt->value_at[e], *H = Ht->value + Ht->value_at[h];
        const double* I = inverse->value + inverse->value_at[m];
        // row a of P' M^-1, then its products with the rows of H'
        for (int32_t a = 0; a < rows && n == 6; ++a) {
            double row[6];
            stic_row_times_66(P + (int64_t)6 * a, I, row);
            if (rows == 3)
                stic_tile_add(H, 3, 6, row, D + a * 3);
            else
                stic_tile_add(H, rows, 6, row, D + a * rows);
        }
        for (int32_t a = 0; a < rows && n != 6; ++a) {
            double row[STIC_BLOCK_MAX] = {0.0};
            stic_tile_add_transposed(I, n, n, P + (int64_t)a * n, row);
            stic_tile_add(H, rows, n, row, D + a * rows);
        }
    }
}

static SticStatus prepare_diagonal(SticArena* arena, const SticOperator* op, SticGauge* gauge,
                                   SticError* error)
{
    const SticProblem* problem = gauge->problem;
    double* diagonal = NULL;
    if (op != NULL) {
        gauge->diagonal_at = op->diagonal_at;
        gauge->diagonal = op->diagonal;
        return STIC_OK;
    }
    STIC_TRY(stic_diagonal_take(arena, problem, &gauge->diagonal_at, &diagonal));
    gauge->diagonal = diagonal;
    if (gauge->global && problem->M->kind == STIC_MASS_BLOCKS) {
        for (int32_t i = 0; i < problem->count; ++i)
            diagonal_from_blocks(problem, i, diagonal + gauge->diagonal_at[i]);
        return STIC_OK;
    }
    SticProblem local = *problem;
    const SticArenaMark mark = stic_arena_mark(arena);
    STIC_TRY(stic_problem_condense(arena, problem, &local, error));
    stic_diagonal_copy(local.W, gauge->diagonal_at, diagonal);
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

bool stic_gauge_inverse_energy(const double* A, int32_t n, const double* b, double* energy)
{
    STIC_ASSERT(n >= 1);
    double L[STIC_MAX_ROWS][STIC_MAX_ROWS], d[STIC_MAX_ROWS], z[STIC_MAX_ROWS];
    *energy = n == 1 ? *b * *b / *A : 0.0;
    if (n == 1)
        return *A > 0.0;
    for (int32_t j = 0; j < n; ++j) {
        d[j] = A[j * n + j];
        z[j] = b[j];
        for (int32_t k = 0; k < j; ++k) {
            L[j][k] = 0.5 * (A[j * n + k] + A[k * n + j]);
            for (int32_t m = 0; m < k; ++m)
                L[j][k] -= L[j][m] * d[m] * L[k][m];
            L[j][k] /= d[k];
            d[j] -= L[j][k] * L[j][k] * d[k];
            z[j] -= L[j][k] * z[k];
        }
        // a pivot that is rounding of the diagonal entry is no stiffness
        if (!(d[j] > 1e-12 * A[j * n + j]))
            return false;
        *energy += z[j] * z[j] / d[j];
    }
    return true;
}

double stic_gauge_scaled_square(const SticGaugePoint* point, const double* x, bool divide)
{
    int32_t at[4];
    if (point->block.rows == 1)
        return *x * *x * (divide ? 1.0 / *point->rho : *point->rho);
    const int32_t groups = stic_law_groups(point->block.law, point->block.rows, at);
    double sum = 0.0;
    for (int32_t g = 0; g < groups; ++g)
        for (int32_t a = at[g]; a < at[g + 1]; ++a)
            sum += x[a] * x[a] * (divide ? 1.0 / point->rho[g] : point->rho[g]);
    return sum;
}

static const double unit[3] = {1.0, 1.0, 1.0};

// stic_gauge_point for spatial contacts, the bulk of most problems, with everything inline
static void measure_contact(const SticGaugePoint* point, const double* x, const double* y,
                            double* square, double* energy)
{
    const double mu = point->block.coef[0];
    double p[3], D[3], WD[3] = {0.0};
    stic_kernel_cone3_step(mu, unit, y, x, p);
    *square = (x[0] - p[0]) * (x[0] - p[0]) + (x[1] - p[1]) * (x[1] - p[1]);
    *square += (x[2] - p[2]) * (x[2] - p[2]);
    stic_kernel_cone3_step(mu, point->rho, y, x, p);
    for (int32_t a = 0; a < 3; ++a)
        D[a] = x[a] - p[a];
    stic_tile_add(point->W, 3, 3, D, WD);
    *energy = WD[0] * D[0] + WD[1] * D[1] + WD[2] * D[2];
    if (point->singular)
        *energy = stic_gauge_scaled_square(point, D, true);
    if (!(*energy > 0.0) && !isnan(*energy))
        *energy = 0.0;
}

void stic_gauge_point(const SticGaugePoint* point, const double* x, const double* y, double* square,
                      double* energy)
{
    const int32_t n = point->block.rows;
    double p[STIC_MAX_ROWS], D[STIC_MAX_ROWS], WD[STIC_MAX_ROWS] = {0.0};
    *square = *energy = 0.0;
    if (n == 3 && point->block.law == STIC_LAW_CONE) {
        measure_contact(point, x, y, square, energy);
        return;
    }
    if (n == 1) {
        // a number: with rho = 1/W its energy is the square of the defect over rho, singular or not
        stic_law_step(&point->block, unit, y, x, p);
        stic_law_step(&point->block, point->rho, y, x, D);
        *square = (*x - *p) * (*x - *p);
        *energy = (*x - *D) * (*x - *D) / *point->rho;
        return;
    }
    stic_law_step(&point->block, unit, y, x, p);
    for (int32_t a = 0; a < n; ++a)
        *square += (x[a] - p[a]) * (x[a] - p[a]);
    stic_law_step(&point->block, point->rho, y, x, p);
    for (int32_t a = 0; a < n; ++a)
        D[a] = x[a] - p[a];
    stic_tile_add(point->W, n, n, D, WD);
    for (int32_t a = 0; a < n; ++a)
        *energy += WD[a] * D[a];
    if (point->singular)
        *energy = stic_gauge_scaled_square(point, D, true);
    if (!(*energy > 0.0) && !isnan(*energy))
        *energy = 0.0;
}

// interaction i of the problem as a point; B at the reactions r, NULL: not needed
static SticGaugePoint point_of(const SticGauge* gauge, int32_t i, const double* r)
{
    const SticProblem* problem = gauge->problem;
    return (SticGaugePoint){.block = {.law = (SticLaw)problem->law[i],
                                      .rows = problem->row_at[i + 1] - problem->row_at[i],
                                      .coef = problem->coef[i],
                                      .B = r == NULL ? 0.0 : stic_problem_bound(problem, i, r)},
                            .rho = gauge->rho[i],
                            .W = gauge->diagonal + gauge->diagonal_at[i],
                            .singular = gauge->singular[i]};
}

// step lengths, and square and energy of b_i in y, of the interactions of one piece
static void norm_chunk(void* self, int32_t chunk)
{
    SticGauge* gauge = self;
    const SticProblem* problem = gauge->problem;
    const int32_t first = chunk * STIC_OPERATOR_CHUNK;
    for (int32_t i = first; i < problem->count && i < first + STIC_OPERATOR_CHUNK; ++i) {
        const int32_t at = problem->row_at[i], n = problem->row_at[i + 1] - at;
        const double* W = gauge->diagonal + gauge->diagonal_at[i];
        double energy = 0.0, square = 0.0;
        stic_law_rho((SticLaw)problem->law[i], n, W, gauge->rho[i]);
        gauge->singular[i] = !stic_gauge_inverse_energy(W, n, gauge->y + at, &energy);
        const SticGaugePoint point = point_of(gauge, i, NULL);
        if (point.singular)
            energy = stic_gauge_scaled_square(&point, gauge->y + at, false);
        const double shift = problem->u_shift != NULL ? problem->u_shift[at] : 0.0;
        if (stic_gauge_opens(point.block.law, shift, gauge->y + at))
            energy = 0.0;
        for (int32_t a = 0; a < n; ++a)
            square += gauge->y[at + a] * gauge->y[at + a];
        gauge->b_square[i][0] = square;
        gauge->b_square[i][1] = energy;
    }
}

// square and energy of b_i with the shifts folded in: y for x = 0, that is r = -r_shift
static SticStatus prepare_norms(SticGauge* gauge)
{
    const SticProblem* problem = gauge->problem;
    const size_t rows = (size_t)problem->rows;
    const RowWork work = {
        .gauge = gauge, .part = &gauge->whole, .r = gauge->x, .u = gauge->y, .fine = false};
    memset(gauge->x, 0, rows * sizeof(double));
    for (size_t k = 0; problem->r_shift != NULL && k < rows; ++k)
        gauge->x[k] = -problem->r_shift[k];
    STIC_TRY(compute_u(&work));
    if (gauge->free != NULL)
        memcpy(gauge->free, gauge->y, rows * sizeof(double));
    for (size_t k = 0; problem->u_shift != NULL && k < rows; ++k)
        gauge->y[k] += problem->u_shift[k];
    const int32_t chunks = (problem->count + STIC_OPERATOR_CHUNK - 1) / STIC_OPERATOR_CHUNK;
    stic_pool_run(gauge->pool, chunks, norm_chunk, gauge);
    return STIC_OK;
}

// e[0] += |B| |v| and e[1] += |B| size for a block of `rows` x `cols`
static inline void add_sizes(const double* B, int32_t rows, int32_t cols, const double* v,
                             const double* size, double e[2][STIC_MAX_ROWS])
{
    for (int32_t c = 0; c < cols; ++c)
        for (int32_t a = 0; a < rows; ++a) {
            e[0][a] += fabs(B[a * cols + c] * v[c]);
            e[1][a] += fabs(B[a * cols + c]) * size[c];
        }
}

// What rounding leaves of u in the global form: each product of P'v is known to half a unit in the
// last place, and so is the velocity itself. Where b is a small difference of large velocities (a
// contact that neither opens nor closes) no r can do better than this. The unit-free measure, which
// schemes use with an f that was computed, counts what the rounding of f makes of v too.
static void add_rounding(const SticGauge* gauge, SticGaugePart* part)
{
    const SticProblem* problem = gauge->problem;
    const SticBlockCsr* Pt = problem->Pt != NULL ? problem->Pt : problem->Ht;
    double square = 0.0, energy = 0.0;
    const double *v = gauge->v_free, *size = gauge->v_size;
    for (int32_t p = 0; p < part->count; ++p) {
        const int32_t i = member_at(part, p);
        const int32_t at = problem->row_at[i], n = problem->row_at[i + 1] - at;
        double e[2][STIC_MAX_ROWS] = {{0.0}};
        for (int32_t k = Pt->begin[i]; k < Pt->begin[i + 1]; ++k) {
            const int32_t col = Pt->col_at[Pt->col[k]], cols = Pt->col_at[Pt->col[k] + 1] - col;
            const double* B = Pt->value + Pt->value_at[k];
            if (n == 3 && cols == 6)
                add_sizes(B, 3, 6, v + col, size + col, e);
            else
                add_sizes(B, n, cols, v + col, size + col, e);
        }
        for (int32_t a = 0; a < n; ++a) {
            const double shift = problem->u_shift != NULL ? fabs(problem->u_shift[at + a]) : 0.0;
            const double rest = fabs(problem->w[at + a]) + shift;
            e[0][a] = DBL_EPSILON * (e[0][a] + rest);
            e[1][a] = DBL_EPSILON * (e[1][a] + rest);
            square += e[0][a] * e[0][a];
        }
        const SticGaugePoint point = point_of(gauge, i, NULL);
        energy += stic_gauge_scaled_square(&point, e[1], false);
    }
    part->rounding_norm = sqrt(square);
    part->rounding_energy = sqrt(energy);
}

SticStatus stic_gauge_size(SticGauge* gauge)
{
    if (!gauge->global || gauge->sized)
        return STIC_OK;
    STIC_TRY(stic_mass_solve(gauge->problem->M, gauge->problem->f, gauge->v_free));
    stic_mass_sizes(gauge->problem->M, gauge->problem->f, gauge->v_free, gauge->v_size);
    gauge->sized = true;
    return STIC_OK;
}

SticStatus stic_gauge_round(SticGauge* gauge, SticGaugePart* part)
{
    if (part->rounded)
        return STIC_OK;
    part->rounded = true;
    STIC_TRY(stic_gauge_size(gauge));
    if (gauge->global)
        add_rounding(gauge, part);
    return STIC_OK;
}

bool stic_gauge_counts(const SticGauge* gauge, int32_t i)
{
    STIC_ASSERT(i >= 0);
    return gauge->b_square[i][1] > 0.0;
}

void stic_gauge_part(const SticGauge* gauge, SticGaugePart* part)
{
    double square = 0.0, energy = 0.0;
    for (int32_t p = 0; p < part->count; ++p) {
        const int32_t i = member_at(part, p);
        square += gauge->b_square[i][0];
        energy += gauge->b_square[i][1];
    }
    part->b_norm = sqrt(square);
    part->b_energy = sqrt(energy);
    part->rounded = part->fine = false;
    part->rounding_norm = part->rounding_energy = 0.0;
}

static SticStatus take_scratch(SticArena* arena, SticGauge* gauge)
{
    const SticProblem* problem = gauge->problem;
    STIC_TRY(STIC_TAKE(arena, &gauge->rho, problem->count));
    STIC_TRY(STIC_TAKE(arena, &gauge->singular, problem->count));
    STIC_TRY(STIC_TAKE(arena, &gauge->x, problem->rows));
    STIC_TRY(STIC_TAKE(arena, &gauge->y, problem->rows));
    STIC_TRY(STIC_TAKE(arena, &gauge->b_square, problem->count));
    STIC_TRY(STIC_TAKE(arena, &gauge->sums, problem->count));
    if (problem->r_shift == NULL)
        STIC_TRY(STIC_TAKE(arena, &gauge->free, problem->rows));
    if (!gauge->global)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &gauge->g_high, problem->dof));
    STIC_TRY(STIC_TAKE(arena, &gauge->g_low, problem->dof));
    STIC_TRY(STIC_TAKE(arena, &gauge->v_free, problem->dof));
    STIC_TRY(STIC_TAKE(arena, &gauge->v_size, problem->dof));
    return STIC_TAKE(arena, &gauge->v, problem->dof);
}

static double values_of(const SticBlockCsr* A)
{
    return (double)A->value_at[stic_block_csr_count(A)];
}

SticStatus stic_gauge_create(SticArena* arena, const SticProblem* problem, const SticOperator* op,
                             SticGauge** made, SticError* error)
{
    *made = NULL;
    SticGauge* gauge = NULL;
    STIC_TRY(STIC_TAKE(arena, &gauge, 1));
    *gauge = (SticGauge){.problem = problem,
                         .pool = stic_arena_context(arena)->pool,
                         .op = op != NULL && op->form == STIC_FORM_FACTORED ? op : NULL,
                         .global = problem->M != NULL,
                         .whole = {.count = problem->count}};
    if (gauge->global)
        STIC_TRY(stic_mass_check(problem, error));
    STIC_TRY(prepare_diagonal(arena, op, gauge, error));
    STIC_TRY(take_scratch(arena, gauge));
    STIC_TRY(prepare_norms(gauge));
    stic_gauge_part(gauge, &gauge->whole);
    // an addition with compensation weighs like three plain products, two projections per row
    gauge->work = 40.0 * problem->rows;
    gauge->work += gauge->global ? 6.0 * values_of(problem->Ht) + 3.0 * values_of(problem->M->A)
                                 : 3.0 * values_of(problem->W);
    *made = gauge;
    return STIC_OK;
}

double stic_gauge_work(const SticGauge* gauge)
{
    return gauge->work;
}

SticGaugePart* stic_gauge_whole(SticGauge* gauge)
{
    return &gauge->whole;
}

/* ---- the measures ---- */

double stic_problem_bound(const SticProblem* problem, int32_t i, const double* r)
{
    STIC_ASSERT(problem != NULL);
    double bound = problem->bound != NULL ? problem->bound[i] : 0.0;
    int32_t row = problem->bound_row != NULL ? problem->bound_row[i] : -1;
    if (stic_law_has_normal((SticLaw)problem->law[i]))
        row = problem->row_at[i];
    if (row < 0)
        return bound;
    const double reaction = r[row] + (problem->r_shift != NULL ? problem->r_shift[row] : 0.0);
    return bound + (reaction > 0.0 ? reaction : 0.0);
}

static void measure_chunk(void* self, int32_t chunk)
{
    const RowWork* work = self;
    const SticGauge* gauge = work->gauge;
    const SticProblem* problem = gauge->problem;
    const int32_t first = chunk * STIC_OPERATOR_CHUNK;
    for (int32_t p = first; p < work->part->count && p < first + STIC_OPERATOR_CHUNK; ++p) {
        const int32_t i = member_at(work->part, p);
        const int32_t at = problem->row_at[i], n = problem->row_at[i + 1] - at;
        double *x = gauge->x + at, *y = gauge->y + at, *sums = gauge->sums[i];
        sums[SUM_X] = sums[SUM_Y] = 0.0;
        for (int32_t a = 0; a < n; ++a) {
            x[a] = work->r[at + a] + (problem->r_shift != NULL ? problem->r_shift[at + a] : 0.0);
            y[a] = work->u[at + a] + (problem->u_shift != NULL ? problem->u_shift[at + a] : 0.0);
            sums[SUM_X] += x[a] * x[a];
            sums[SUM_Y] += y[a] * y[a];
        }
        const SticGaugePoint point = point_of(gauge, i, work->r);
        stic_gauge_point(&point, x, y, &sums[SUM_DEFECT], &sums[SUM_ENERGY]);
        sums[SUM_SIZE] = stic_gauge_energy(&point, x);
    }
}

// a / b with 0 replaced by 1, and anything that is not a number by infinity
static double ratio(double a, double b)
{
    const double value = a / (b > 0.0 ? b : 1.0);
    return isfinite(value) ? value : INFINITY;
}

SticErrors stic_gauge_errors(const SticErrorParts* parts)
{
    double largest = parts->b_norm > parts->x_norm ? parts->b_norm : parts->x_norm;
    largest = largest > parts->y_norm ? largest : parts->y_norm;
    return (SticErrors){.relative = ratio(parts->defect, parts->b_norm),
                        .siconos = ratio(parts->defect, largest),
                        .unit_free = ratio(parts->energy, parts->b_energy),
                        .growth = ratio(parts->x_energy, parts->b_energy),
                        .floor = ratio(5e-16 * parts->x_norm + parts->rounding_norm, parts->b_norm),
                        .floor_unit_free = ratio(5e-16 * parts->x_energy + parts->rounding_energy,
                                                 parts->b_energy)};
}

double stic_gauge_energy(const SticGaugePoint* point, const double* x)
{
    const int32_t n = point->block.rows;
    double Wx[STIC_MAX_ROWS] = {0.0}, sum = 0.0;
    // in the null space of W_ii reactions can grow without bound without any energy
    if (point->singular)
        return stic_gauge_scaled_square(point, x, true);
    if (n == 3)
        stic_tile_add(point->W, 3, 3, x, Wx);
    else
        stic_tile_add(point->W, n, n, x, Wx);
    for (int32_t a = 0; a < n; ++a)
        sum += Wx[a] * x[a];
    return sum;
}

// u and the parts of the errors in the arithmetic of `work`
static SticStatus measure(const RowWork* work, SticErrors* errors)
{
    const SticGauge* gauge = work->gauge;
    const SticGaugePart* part = work->part;
    const SticProblem* problem = gauge->problem;
    // the first check of a cold start: u was computed for the norms of b
    if (!work->fine && gauge->free != NULL && part->member == NULL &&
        is_zero(work->r, problem->rows))
        memcpy(work->u, gauge->free, (size_t)problem->rows * sizeof *work->u);
    else
        STIC_TRY(compute_u(work));
    RowWork points = *work;
    const int32_t chunks = (part->count + STIC_OPERATOR_CHUNK - 1) / STIC_OPERATOR_CHUNK;
    stic_pool_run(gauge->pool, chunks, measure_chunk, &points);
    double sum[SUMS] = {0.0}, rest[SUMS] = {0.0};
    for (int32_t p = 0; p < part->count; ++p)
        for (int s = 0; s < SUMS; ++s)
            add_compensated(&sum[s], &rest[s], gauge->sums[member_at(part, p)][s]);
    for (int s = 0; s < SUMS; ++s)
        sum[s] += rest[s];
    // only rounding where W_ii is nearly singular
    if (!(sum[SUM_SIZE] > 0.0) && !isnan(sum[SUM_SIZE]))
        sum[SUM_SIZE] = 0.0;
    const SticErrorParts parts = {.defect = sqrt(sum[SUM_DEFECT]),
                                  .energy = sqrt(sum[SUM_ENERGY]),
                                  .x_norm = sqrt(sum[SUM_X]),
                                  .x_energy = sqrt(sum[SUM_SIZE]),
                                  .y_norm = sqrt(sum[SUM_Y]),
                                  .b_norm = part->b_norm,
                                  .b_energy = part->b_energy,
                                  .rounding_norm = part->rounding_norm,
                                  .rounding_energy = part->rounding_energy};
    *errors = stic_gauge_errors(&parts);
    return STIC_OK;
}

SticStatus stic_gauge_measure(const SticGauge* gauge, SticGaugePart* part, const double* r,
                              double* u, SticErrors* errors)
{
    RowWork work = {.gauge = gauge, .part = part, .r = r, .u = u, .fine = part->fine};
    STIC_TRY(measure(&work, errors));
    const double least = errors->siconos < errors->unit_free ? errors->siconos : errors->unit_free;
    const double most =
        errors->floor > errors->floor_unit_free ? errors->floor : errors->floor_unit_free;
    const double rounding = plain_rounding * (1.0 + errors->growth);
    if (part->fine || (least > plain_error && least > rounding && least > 100.0 * most))
        return STIC_OK;
    if (errors->unit_free + rounding <= part->enough)
        return STIC_OK;
    work.fine = part->fine = true;
    return measure(&work, errors);
}

SticStatus stic_errors_compute(SticArena* scratch, const SticProblem* problem, const double* r,
                               double* u, SticErrors* errors)
{
    STIC_GIVEN(scratch, NULL);
    STIC_GIVEN(problem, NULL);
    STIC_GIVEN(errors, NULL);
    if (problem->count > 0 || problem->rows > 0) {
        STIC_GIVEN(r, NULL);
        STIC_GIVEN(u, NULL);
    }
    const SticArenaMark mark = stic_arena_mark(scratch);
    SticGauge* gauge = NULL;
    SticStatus status = stic_gauge_create(scratch, problem, NULL, &gauge, NULL);
    if (status == STIC_OK)
        status = stic_gauge_round(gauge, &gauge->whole);
    // one measurement, as accurate as possible
    if (status == STIC_OK)
        gauge->whole.fine = true;
    if (status == STIC_OK)
        status = stic_gauge_measure(gauge, &gauge->whole, r, u, errors);
    stic_arena_rewind(scratch, mark);
    return status;
}

double stic_errors_get(const SticErrors* errors, SticNorm norm)
{
    STIC_ASSERT(errors != NULL);
    switch (norm) {
    case STIC_NORM_RELATIVE:
        return errors->relative;
    case STIC_NORM_SICONOS:
        return errors->siconos;
    case STIC_NORM_UNIT_FREE:
        return errors->unit_free;
    }
    return errors->relative;
}
