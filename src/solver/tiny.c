// SPDX-License-Identifier: Apache-2.0
// Dense path of nsgs for problems of a few rows: the one-step problems of small hand-written
// systems.
//
//   form     W and b on the stack from the blocks, the shifts folded in: y = W x + b with
//            x = r + r_shift, y = u + u_shift
//   sweep    projected Gauss-Seidel (Möller 2.67): one interaction after the other takes its step
//            from y, and y follows with the columns of W; friction comes after its normal force,
//            ellipsoids as balls (Möller 2.50-2.53), cones by the exact solution of one contact
//   measure  u from the original data, v = M^-1 (f + H r) with one step of refinement, and the
//            errors by the same formulas as for large problems (problem/gauge.h)
//
// What this path cannot do it leaves to the general one: it takes only data that it has checked,
// and gives up after 200 sweeps. Cost: 2 n^2 k + n^2 multiplications for n rows on k velocities,
// n^2 per sweep; no memory, no symbolic work.
#include "solver/tiny.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/gauge.h"
#include "problem/mass.h"
#include "problem/operator_kernel.h"
#include "solver/local.h"
#include "solver/task.h"
#include "sparse/block_kernel.h"

enum { ROWS = 12, DOF = 24, SWEEPS = 200 };

// one interaction, prepared for its visits
typedef struct Visit {
    SticLaw law;
    int32_t at, n;     // its rows
    int32_t bound_row; // -1: none
    double bound;
    const double* coef;
    double inverse[STIC_MAX_ROWS]; // 1/W_aa: rows that are visited one by one
    // ellipsoid with semi-axes axis B: z = x/axis is in the ball of radius B, its step is `step`
    double axis[3], unit[3], step[3];
    SticContactBlock contact; // CONE: its block, regularised where singular
} Visit;

typedef struct Tiny {
    const SticProblem* problem;
    int32_t rows, dof;
    int32_t padded; // entries of a column: rows rounded up to a multiple of 4, zeros at the end
    double W[ROWS * ROWS];                   // column by column, ROWS apart
    double P[DOF * ROWS];                    // columns of P' likewise
    double inverse[DOF * STIC_MAX_BODY_DOF]; // blocks of M^-1, column by column, unless diagonal
    double b[ROWS], x[ROWS], y[ROWS];
    double v[DOF];             // free velocities
    double diagonal[ROWS * 6]; // diagonal blocks one after the other, row by row
    const double* block[ROWS]; // where that of each interaction is
    Visit visit[ROWS];
} Tiny;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double shift_of(const double* shift, int32_t row)
{
    return shift == NULL ? 0.0 : shift[row];
}

/* ---- what it takes
 * ----------------------------------------------------------------------------------------- */

// everything the sweeps rely on; what is wrong here is named by the general path
static bool laws_fit(const SticProblem* problem)
{
    const uint32_t laws = STIC_LAW_BIT(STIC_LAW_FREE) | STIC_LAW_BIT(STIC_LAW_NONNEG) |
                          STIC_LAW_BIT(STIC_LAW_INTERVAL) | STIC_LAW_BIT(STIC_LAW_BALL) |
                          STIC_LAW_BIT(STIC_LAW_ELLIPSE) | STIC_LAW_BIT(STIC_LAW_ELLIPSOID) |
                          STIC_LAW_BIT(STIC_LAW_CONE);
    for (int32_t i = 0; i < problem->count; ++i) {
        const uint32_t law = problem->law[i];
        const double *coef = problem->coef[i], bound = shift_of(problem->bound, i);
        const int32_t row = problem->bound_row == NULL ? -1 : problem->bound_row[i];
        if (law >= STIC_LAW_COUNT || (laws & STIC_LAW_BIT(law)) == 0 ||
            !stic_law_takes_rows((SticLaw)law, problem->row_at[i + 1] - problem->row_at[i]))
            return false;
        for (int k = 0; k < 4; ++k)
            if (!(coef[k] >= 0.0 && coef[k] <= DBL_MAX))
                return false;
        if (!(bound >= 0.0 && bound <= DBL_MAX) || row < -1 || row >= problem->rows)
            return false;
    }
    return problem->row_at[0] == 0 && problem->row_at[problem->count] == problem->rows;
}

// block rows are the interactions, block columns are those of `width`
static bool rows_fit(const SticProblem* problem, const SticBlockCsr* A, const SticBlockCsr* width)
{
    if (A->rows != problem->count || A->cols != width->rows)
        return false;
    for (int32_t k = 0; k < A->cols; ++k)
        if (A->col_at[k + 1] != width->row_at[k + 1])
            return false;
    for (int32_t i = 0; i < A->rows; ++i) {
        if (A->row_at[i + 1] != problem->row_at[i + 1])
            return false;
        for (int32_t e = A->begin[i]; e < A->begin[i + 1]; ++e)
            if (A->col[e] < 0 || A->col[e] >= A->cols)
                return false;
    }
    return true;
}

static bool is_block_diagonal(const SticBlockCsr* A, int32_t dof)
{
    for (int32_t k = 0; k < A->rows; ++k) {
        const int32_t n = A->row_at[k + 1] - A->row_at[k];
        if (A->begin[k + 1] != A->begin[k] + 1 || A->col[A->begin[k]] != k || n < 1 ||
            n > STIC_MAX_BODY_DOF)
            return false;
    }
    return A->row_at[A->rows] == dof;
}

static bool mass_fits(const SticProblem* problem)
{
    const SticMass* M = problem->M;
    if (M->diagonal != NULL && M->inverse_diagonal == NULL)
        return false;
    return M->kind == STIC_MASS_BLOCKS && M->A != NULL && M->inverse != NULL &&
           M->inverse->rows == M->A->rows && is_block_diagonal(M->A, problem->dof) &&
           is_block_diagonal(M->inverse, problem->dof);
}

bool stic_tiny_takes(const SticProblem* problem)
{
    if (problem->rows < 1 || problem->rows > ROWS || problem->count < 1 || problem->dof < 0 ||
        problem->dof > DOF || problem->row_at == NULL || problem->law == NULL ||
        problem->coef == NULL || problem->count > problem->rows || !laws_fit(problem))
        return false;
    if (problem->M == NULL)
        return problem->W != NULL && problem->b != NULL &&
               rows_fit(problem, problem->W, problem->W);
    return problem->Ht != NULL && problem->f != NULL && problem->w != NULL && mass_fits(problem) &&
           rows_fit(problem, problem->Ht, problem->M->A) &&
           (problem->Pt == NULL || rows_fit(problem, problem->Pt, problem->M->A));
}

/* ---- u = W r + b from the problem's own data
 * --------------------------------------------------------------- */

// out += the columns of B times x, four rows at a time: loops of one length, sums side by side
static void add_columns(const Tiny* tiny, int32_t n, const double* B, const double* x, double* out)
{
    for (int32_t row = 0; row < tiny->padded; row += 4) {
        double sum[4] = {out[row], out[row + 1], out[row + 2], out[row + 3]};
        for (int32_t c = 0; c < n; ++c) {
            const double* column = B + c * ROWS + row;
            sum[0] += column[0] * x[c];
            sum[1] += column[1] * x[c];
            sum[2] += column[2] * x[c];
            sum[3] += column[3] * x[c];
        }
        memcpy(out + row, sum, sizeof sum);
    }
}

// columns of the inverse block of a body
static const double* inverse_of(const Tiny* tiny, int32_t body)
{
    const SticBlockCsr* A = tiny->problem->M->inverse;
    const double* block = tiny->inverse;
    for (int32_t k = 0; k < body; ++k)
        block += (A->row_at[k + 1] - A->row_at[k]) * (A->row_at[k + 1] - A->row_at[k]);
    return block;
}

// v += M^-1 p
static void add_inverse(const Tiny* tiny, const double* p, double* v)
{
    const SticMass* M = tiny->problem->M;
    for (int32_t c = 0; M->diagonal != NULL && c < tiny->dof; ++c)
        v[c] += M->inverse_diagonal[c] * p[c];
    const double* block = tiny->inverse;
    for (int32_t k = 0; M->diagonal == NULL && k < M->A->rows; ++k) {
        const int32_t at = M->A->row_at[k], n = M->A->row_at[k + 1] - at;
        block_scatter(n, n, block, p + at, v + at);
        block += n * n;
    }
}

// p = f + H r
static void push_rows(const SticProblem* problem, const double* r, double* p)
{
    const SticBlockCsr* Ht = problem->Ht;
    memcpy(p, problem->f, (size_t)problem->dof * sizeof *p);
    for (int32_t i = 0; i < Ht->rows; ++i)
        for (int32_t e = Ht->begin[i]; e < Ht->begin[i + 1]; ++e) {
            const int32_t col = Ht->col_at[Ht->col[e]], n = Ht->col_at[Ht->col[e] + 1] - col;
            block_scatter(Ht->row_at[i + 1] - Ht->row_at[i], n, Ht->value + Ht->value_at[e],
                          r + Ht->row_at[i], p + col);
        }
}

// one step of refinement for v = M^-1 p: v += M^-1 (p - M v)
static void refine(const Tiny* tiny, const double* p, double* v)
{
    const SticBlockCsr* A = tiny->problem->M->A;
    double residual[DOF], Mv[DOF] = {0.0};
    for (int32_t k = 0; k < A->rows; ++k) {
        const int32_t at = A->row_at[k], n = A->row_at[k + 1] - at;
        block_gather(n, n, A->value + A->value_at[A->begin[k]], v + at, Mv + at);
    }
    for (int32_t c = 0; c < tiny->dof; ++c)
        residual[c] = p[c] - Mv[c];
    add_inverse(tiny, residual, v);
}

// u [padded] = w + P' M^-1 p, or b + W r
static void compute_u(const Tiny* tiny, const double* r, double* u)
{
    const SticProblem* problem = tiny->problem;
    memset(u, 0, (size_t)tiny->padded * sizeof *u);
    if (problem->M == NULL) {
        memcpy(u, problem->b, (size_t)tiny->rows * sizeof *u);
        add_columns(tiny, tiny->rows, tiny->W, r, u);
        return;
    }
    double p[DOF], v[DOF] = {0.0};
    push_rows(problem, r, p);
    add_inverse(tiny, p, v);
    if (problem->M->diagonal == NULL)
        refine(tiny, p, v);
    memcpy(u, problem->w, (size_t)tiny->rows * sizeof *u);
    add_columns(tiny, tiny->dof, tiny->P, v, u);
}

/* ---- W and b
 * ------------------------------------------------------------------------------------------------
 */

// dense columns of a matrix whose block rows are the interactions
static void copy_columns(const Tiny* tiny, const SticBlockCsr* A, double* column)
{
    const int32_t width = A->col_at[A->cols];
    for (int32_t c = 0; c < width; ++c)
        memset(column + c * ROWS, 0, (size_t)tiny->padded * sizeof(double));
    for (int32_t i = 0; i < A->rows; ++i)
        for (int32_t e = A->begin[i]; e < A->begin[i + 1]; ++e) {
            const double* value = A->value + A->value_at[e];
            const int32_t col = A->col_at[A->col[e]], n = A->col_at[A->col[e] + 1] - col;
            for (int32_t row = A->row_at[i]; row < A->row_at[i + 1]; ++row, value += n)
                for (int32_t c = 0; c < n; ++c)
                    column[(col + c) * ROWS + row] = value[c];
        }
}

static void copy_inverse(Tiny* tiny)
{
    const SticBlockCsr* A = tiny->problem->M->inverse;
    double* to = tiny->inverse;
    for (int32_t k = 0; tiny->problem->M->diagonal == NULL && k < A->rows; ++k) {
        const int32_t n = A->row_at[k + 1] - A->row_at[k];
        const double* from = A->value + A->value_at[A->begin[k]];
        for (int32_t c = 0; c < n; ++c)
            for (int32_t row = 0; row < n; ++row)
                *to++ = from[row * n + c];
    }
}

// columns of W: M^-1 times a row of H', then P' times that
static void form_columns(Tiny* tiny)
{
    const SticBlockCsr* Ht = tiny->problem->Ht;
    const double* diagonal = tiny->problem->M->inverse_diagonal;
    for (int32_t j = 0; j < Ht->rows; ++j)
        for (int32_t row = Ht->row_at[j]; row < Ht->row_at[j + 1]; ++row) {
            memset(tiny->W + row * ROWS, 0, (size_t)tiny->padded * sizeof(double));
            for (int32_t e = Ht->begin[j]; e < Ht->begin[j + 1]; ++e) {
                const int32_t col = Ht->col_at[Ht->col[e]], n = Ht->col_at[Ht->col[e] + 1] - col;
                const double* h = Ht->value + Ht->value_at[e] + (row - Ht->row_at[j]) * n;
                double y[STIC_MAX_BODY_DOF] = {0.0};
                for (int32_t c = 0; diagonal != NULL && c < n; ++c)
                    y[c] = diagonal[col + c] * h[c];
                if (diagonal == NULL)
                    block_scatter(n, n, inverse_of(tiny, Ht->col[e]), h, y);
                add_columns(tiny, n, tiny->P + col * ROWS, y, tiny->W + row * ROWS);
            }
        }
}

// b is y where x is 0, that is for r = -r_shift
static void form_b(Tiny* tiny)
{
    const SticProblem* problem = tiny->problem;
    double origin[ROWS] = {0.0}, p[DOF];
    for (int32_t row = 0; problem->r_shift != NULL && row < tiny->rows; ++row)
        origin[row] = -problem->r_shift[row];
    memset(tiny->b, 0, sizeof tiny->b);
    if (problem->M == NULL) {
        compute_u(tiny, origin, tiny->b);
    } else {
        // no refinement: b is a start for the sweeps and a scale for the errors
        memcpy(p, problem->f, (size_t)tiny->dof * sizeof *p);
        if (problem->r_shift != NULL)
            push_rows(problem, origin, p);
        memset(tiny->v, 0, sizeof tiny->v);
        add_inverse(tiny, p, tiny->v);
        memcpy(tiny->b, problem->w, (size_t)tiny->rows * sizeof *tiny->b);
        add_columns(tiny, tiny->dof, tiny->P, tiny->v, tiny->b);
    }
    for (int32_t row = 0; problem->u_shift != NULL && row < tiny->rows; ++row)
        tiny->b[row] += problem->u_shift[row];
}

static void form(Tiny* tiny)
{
    const SticProblem* problem = tiny->problem;
    tiny->padded = (tiny->rows + 3) / 4 * 4;
    if (problem->M == NULL) {
        copy_columns(tiny, problem->W, tiny->W);
    } else {
        copy_columns(tiny, problem->Pt != NULL ? problem->Pt : problem->Ht, tiny->P);
        copy_inverse(tiny);
        form_columns(tiny);
    }
    form_b(tiny);
    double* value = tiny->diagonal;
    for (int32_t i = 0; i < problem->count; ++i) {
        const int32_t first = problem->row_at[i], end = problem->row_at[i + 1];
        tiny->block[i] = value;
        for (int32_t row = first; row < end; ++row)
            for (int32_t c = first; c < end; ++c)
                *value++ = tiny->W[c * ROWS + row];
    }
}

// semi-axes, and the step length of the ball
static void prepare_ball(Visit* visit, const double* W)
{
    const double* coef = visit->coef;
    const bool round = visit->law == STIC_LAW_BALL;
    double largest = 0.0;
    for (int32_t a = 0; a < visit->n; ++a) {
        visit->axis[a] = coef[round ? 0 : a];
        largest = larger(largest, visit->axis[a] * visit->axis[a] * W[a * (visit->n + 1)]);
    }
    // a semi-axis 0 holds its row at 0
    const double length = largest > 0.0 ? 1.0 / largest : 0.0;
    for (int32_t a = 0; a < visit->n; ++a) {
        visit->unit[a] = visit->axis[a] > 0.0 ? 1.0 / visit->axis[a] : 0.0;
        visit->step[a] = visit->axis[a] * length;
    }
}

// false if a diagonal entry is not positive
static bool prepare(Tiny* tiny, int32_t i)
{
    const SticProblem* problem = tiny->problem;
    const double* W = tiny->block[i];
    Visit* visit = &tiny->visit[i];
    visit->law = (SticLaw)problem->law[i];
    visit->at = problem->row_at[i];
    visit->n = problem->row_at[i + 1] - visit->at;
    visit->bound_row = problem->bound_row == NULL ? -1 : problem->bound_row[i];
    visit->bound = shift_of(problem->bound, i);
    visit->coef = problem->coef[i];
    for (int32_t a = 0; a < visit->n; ++a) {
        if (!(W[a * (visit->n + 1)] > 0.0))
            return false;
        visit->inverse[a] = 1.0 / W[a * (visit->n + 1)];
    }
    if (visit->law == STIC_LAW_CONE) {
        double D[9];
        stic_local_block(W, visit->n, D);
        if (visit->n == 3) {
            visit->contact = stic_local_contact(D, visit->coef[0]);
        } else {
            memcpy(visit->contact.D, D, 4 * sizeof *D);
            visit->contact.inverse_NN = 1.0 / D[0];
        }
    } else if (visit->law == STIC_LAW_BALL || visit->law == STIC_LAW_ELLIPSE ||
               visit->law == STIC_LAW_ELLIPSOID) {
        prepare_ball(visit, W);
    }
    return true;
}

/* ---- sweeps
 * ---------------------------------------------------------------------------------------------------
 */

// x of a row becomes `value`, y follows; returns the change of y in this row
static double move_row(Tiny* tiny, int32_t row, double value)
{
    const double change = value - tiny->x[row];
    tiny->x[row] = value;
    add_columns(tiny, 1, tiny->W + row * ROWS, &change, tiny->y);
    return fabs(change) * tiny->W[row * ROWS + row];
}

static double bound_of(const Tiny* tiny, const Visit* visit)
{
    const double other = visit->bound_row < 0 ? 0.0 : tiny->x[visit->bound_row];
    return visit->bound + (other > 0.0 ? other : 0.0);
}

// projected step of rows in an ellipsoid, in the variables in which it is a ball
static double visit_ball(Tiny* tiny, const Visit* visit)
{
    const double radius = bound_of(tiny, visit);
    double z[3], square = 0.0, change = 0.0;
    for (int32_t a = 0; a < visit->n; ++a) {
        z[a] = tiny->x[visit->at + a] * visit->unit[a] - tiny->y[visit->at + a] * visit->step[a];
        square += z[a] * z[a];
    }
    const double cut = square > radius * radius ? radius / sqrt(square) : 1.0;
    for (int32_t a = 0; a < visit->n; ++a)
        change += move_row(tiny, visit->at + a, visit->axis[a] * (z[a] * cut));
    return change;
}

// one row in the interval [low, high]
static double visit_row(Tiny* tiny, const Visit* visit, int32_t a, double low, double high)
{
    const int32_t row = visit->at + a;
    const double x = tiny->x[row] - tiny->y[row] * visit->inverse[a];
    return move_row(tiny, row, x < low ? low : x > high ? high : x);
}

// one contact solved exactly, as in the sweeps of large problems
static double visit_contact(Tiny* tiny, const Visit* visit)
{
    const int32_t at = visit->at, n = visit->n;
    const double* D = visit->contact.D;
    double q[3] = {0.0}, found[3], change = 0.0;
    for (int32_t a = 0; a < n; ++a) {
        q[a] = tiny->y[at + a];
        for (int32_t c = 0; c < n; ++c)
            q[a] -= D[a * n + c] * tiny->x[at + c];
    }
    if (n == 2)
        stic_contact_solve_planar(visit->coef[0], visit->contact.inverse_NN, D, q, found);
    else
        stic_contact_solve(&visit->contact, q, false, found);
    for (int32_t a = 0; a < n; ++a)
        change += move_row(tiny, at + a, found[a]);
    return change;
}

static double visit_one(Tiny* tiny, const Visit* visit)
{
    double change = 0.0;
    switch (visit->law) {
    case STIC_LAW_FREE:
        for (int32_t a = 0; a < visit->n; ++a)
            change += visit_row(tiny, visit, a, -INFINITY, INFINITY);
        return change;
    case STIC_LAW_NONNEG:
        return visit_row(tiny, visit, 0, 0.0, INFINITY);
    case STIC_LAW_INTERVAL: {
        const double B = bound_of(tiny, visit);
        return visit_row(tiny, visit, 0, -visit->coef[0] * B, visit->coef[1] * B);
    }
    case STIC_LAW_CONE:
        return visit_contact(tiny, visit);
    default:
        return visit_ball(tiny, visit);
    }
}

/* ---- errors
 * ----------------------------------------------------------------------------------------------------
 */

// rounding of P'v per row, as for large problems: of v as it is, and with what rounding of f makes
// of it
static void compute_rounding(const Tiny* tiny, double* e, double* e_data)
{
    const SticProblem* problem = tiny->problem;
    double size[DOF];
    memset(e, 0, (size_t)tiny->padded * sizeof *e);
    memset(e_data, 0, (size_t)tiny->padded * sizeof *e);
    if (problem->M == NULL)
        return;
    stic_mass_sizes(problem->M, problem->f, tiny->v, size);
    for (int32_t c = 0; c < tiny->dof; ++c)
        for (int32_t row = 0; row < tiny->padded; ++row) {
            e[row] += fabs(tiny->P[c * ROWS + row] * tiny->v[c]);
            e_data[row] += fabs(tiny->P[c * ROWS + row]) * size[c];
        }
    for (int32_t row = 0; row < tiny->rows; ++row) {
        const double rest = fabs(problem->w[row]) + fabs(shift_of(problem->u_shift, row));
        e[row] = DBL_EPSILON * (e[row] + rest);
        e_data[row] = DBL_EPSILON * (e_data[row] + rest);
    }
}

static SticErrors measure(const Tiny* tiny, const double* r, double* u)
{
    const SticProblem* problem = tiny->problem;
    SticErrorParts parts = {0};
    double y[ROWS], x[ROWS], e[ROWS], e_data[ROWS];
    compute_u(tiny, r, u);
    compute_rounding(tiny, e, e_data);
    for (int32_t row = 0; row < tiny->rows; ++row) {
        y[row] = u[row] + shift_of(problem->u_shift, row);
        x[row] = r[row] + shift_of(problem->r_shift, row);
        parts.y_norm += y[row] * y[row];
        parts.x_norm += x[row] * x[row];
        parts.b_norm += tiny->b[row] * tiny->b[row];
        parts.rounding_norm += e[row] * e[row];
    }
    for (int32_t i = 0; i < problem->count; ++i) {
        const Visit* visit = &tiny->visit[i];
        double square, energy, b_energy, rho[3];
        stic_law_rho(visit->law, visit->n, tiny->block[i], rho);
        SticGaugePoint point = {.block = {.law = visit->law,
                                          .rows = visit->n,
                                          .coef = visit->coef,
                                          .B = stic_problem_bound(problem, i, r)},
                                .rho = rho,
                                .W = tiny->block[i]};
        point.singular =
            !stic_gauge_inverse_energy(point.W, visit->n, tiny->b + visit->at, &b_energy);
        if (point.singular)
            b_energy = stic_gauge_scaled_square(&point, tiny->b + visit->at, false);
        stic_gauge_point(&point, x + visit->at, y + visit->at, &square, &energy);
        for (int32_t a = 0; a < visit->n; ++a)
            for (int32_t c = 0; c < visit->n; ++c)
                parts.x_energy += point.W[a * visit->n + c] * x[visit->at + a] * x[visit->at + c];
        parts.defect += square;
        parts.energy += energy;
        parts.b_energy += b_energy;
        parts.rounding_energy += stic_gauge_scaled_square(&point, e_data + visit->at, false);
    }
    if (!(parts.x_energy > 0.0) && !isnan(parts.x_energy))
        parts.x_energy = 0.0;
    double* const roots[] = {&parts.defect,   &parts.energy,        &parts.x_norm,
                             &parts.y_norm,   &parts.x_energy,      &parts.b_norm,
                             &parts.b_energy, &parts.rounding_norm, &parts.rounding_energy};
    for (size_t k = 0; k < sizeof roots / sizeof roots[0]; ++k)
        *roots[k] = sqrt(*roots[k]);
    return stic_gauge_errors(&parts);
}

/* ---- solve
 * -----------------------------------------------------------------------------------------------------
 */

// start value, and y that belongs to it
static void start(Tiny* tiny, const double* r)
{
    memset(tiny->x, 0, sizeof tiny->x);
    memcpy(tiny->y, tiny->b, sizeof tiny->y);
    for (int32_t row = 0; r != NULL && row < tiny->rows; ++row)
        tiny->x[row] = r[row] + shift_of(tiny->problem->r_shift, row);
    if (r != NULL)
        add_columns(tiny, tiny->rows, tiny->W, tiny->x, tiny->y);
}

bool stic_tiny_solve(const SticProblem* problem, const SticSolveSettings* settings, double* r,
                     double* u, SticSolveInfo* info)
{
    Tiny tiny;
    tiny.problem = problem;
    tiny.rows = problem->rows;
    tiny.dof = problem->dof;
    form(&tiny);
    for (int32_t i = 0; i < problem->count; ++i)
        if (!prepare(&tiny, i))
            return false;
    double found[ROWS], found_u[ROWS], scale = 0.0;
    start(&tiny, settings->warm_start ? r : NULL);
    for (int32_t row = 0; row < tiny.rows; ++row)
        scale = larger(scale, fabs(tiny.b[row]));
    const int32_t limit = settings->max_iterations < SWEEPS ? settings->max_iterations : SWEEPS;
    for (int32_t sweep = 1; sweep <= limit; ++sweep) {
        double change = 0.0;
        for (int32_t i = 0; i < problem->count; ++i)
            change += visit_one(&tiny, &tiny.visit[i]);
        // a check costs as much as a few sweeps: make it when the change promises success by two
        // digits
        if (change > 0.01 * settings->tolerance * scale && sweep < limit)
            continue;
        for (int32_t row = 0; row < tiny.rows; ++row)
            found[row] = tiny.x[row] - shift_of(problem->r_shift, row);
        info->errors = measure(&tiny, found, found_u);
        info->checks += 1;
        info->iterations = sweep;
        if (!stic_task_passes(settings, &info->errors, &info->at_floor)) {
            if (change == 0.0)
                break;
            continue;
        }
        memcpy(r, found, (size_t)tiny.rows * sizeof *r);
        memcpy(u, found_u, (size_t)tiny.rows * sizeof *u);
        info->outcome = STIC_OUTCOME_SOLVED;
        return true;
    }
    return false;
}
