// SPDX-License-Identifier: Apache-2.0
// Dense path of nsgs for problems of a few rows: the one-step problems of small hand-written
// systems.
//
//   form     W and b on the stack from the blocks, the shifts folded in: y = W x + b with
//            x = r + r_shift, y = u + u_shift
//   sweep    projected Gauss-Seidel (Möller 2.67): friction after its normal force, ellipsoids as
//            balls (Möller 2.50-2.53), cones by the exact solution of one contact
//   measure  u from the original data, v = M^-1 (f + H r) with one step of refinement, and the
//            errors by the same formulas as for large problems (problem/gauge.h)
//
// What this path cannot do is left to the general one: it accepts only data that it has checked,
// and gives up after 200 sweeps. Cost: 2 n^2 k + n^2 multiplications for n rows on k velocities,
// n^2 per sweep; no memory, no symbolic work.
#include "solver/method/tiny.h"

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
    const double* W;               // its diagonal block, row by row
    double inverse[STIC_MAX_ROWS]; // 1/W_aa
    // ellipsoid with semi-axes axis B: z = x/axis is in the ball of radius B, its step is `step`
    double axis[3], unit[3], step[3];
    SticContactBlock contact; // CONE: its block, regularised where singular
} Visit;

typedef struct Tiny {
    const SticProblem* problem;
    int32_t rows, dof;
    const double *H, *P; // dense H' and P' by rows: the problem's own values, or these copies
    double H_copy[ROWS * DOF], P_copy[ROWS * DOF];
    int32_t padded;        // rows rounded up to a multiple of 4; what lies behind the last is 0
    double W[ROWS * ROWS]; // row by row, ROWS apart
    double b[ROWS], x[ROWS];
    double v[DOF];             // free velocities
    double diagonal[ROWS * 6]; // diagonal blocks of more than one row
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

/* ---- what it takes ---- */

// everything that the sweeps rely on; faults are reported by the general path
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

/* ---- u = W r + b from the problem's own data ---- */

// row of W times x; both are 0 behind the last
static inline double row_dot(const Tiny* tiny, int32_t row, const double* x)
{
    const double* W = tiny->W + row * ROWS;
    double even = 0.0, odd = 0.0;
    for (int32_t c = 0; c < tiny->padded; c += 4) {
        even += W[c] * x[c] + W[c + 2] * x[c + 2];
        odd += W[c + 1] * x[c + 1] + W[c + 3] * x[c + 3];
    }
    return even + odd;
}

// v = M^-1 p, with one step of refinement where that is a sum
static void compute_velocity(const Tiny* tiny, const double* p, double* v)
{
    const SticMass* M = tiny->problem->M;
    for (int32_t c = 0; M->diagonal != NULL && c < tiny->dof; ++c)
        v[c] = M->inverse_diagonal[c] * p[c];
    for (int32_t k = 0; M->diagonal == NULL && k < M->A->rows; ++k) {
        const int32_t at = M->A->row_at[k], n = M->A->row_at[k + 1] - at;
        const double* inverse = M->inverse->value + M->inverse->value_at[M->inverse->begin[k]];
        double residual[STIC_MAX_BODY_DOF], Mv[STIC_MAX_BODY_DOF] = {0.0};
        memset(v + at, 0, (size_t)n * sizeof *v);
        block_gather(n, n, inverse, p + at, v + at);
        block_gather(n, n, M->A->value + M->A->value_at[M->A->begin[k]], v + at, Mv);
        for (int32_t c = 0; c < n; ++c)
            residual[c] = p[at + c] - Mv[c];
        block_gather(n, n, inverse, residual, v + at);
    }
}

// u for r; the velocities stay in v
static void compute_u(const Tiny* tiny, const double* r, double* v, double* u)
{
    const SticProblem* problem = tiny->problem;
    if (problem->M == NULL) {
        for (int32_t row = 0; row < tiny->rows; ++row)
            u[row] = problem->b[row] + row_dot(tiny, row, r);
        return;
    }
    double p[DOF];
    memcpy(p, problem->f, (size_t)tiny->dof * sizeof *p);
    block_scatter(tiny->rows, tiny->dof, tiny->H, r, p);
    compute_velocity(tiny, p, v);
    memcpy(u, problem->w, (size_t)tiny->rows * sizeof *u);
    block_gather(tiny->rows, tiny->dof, tiny->P, v, u);
}

/* ---- W and b ---- */

// W from the local form
static void copy_W(Tiny* tiny)
{
    const SticBlockCsr* W = tiny->problem->W;
    for (int32_t i = 0; i < W->rows; ++i)
        for (int32_t e = W->begin[i]; e < W->begin[i + 1]; ++e) {
            const double* value = W->value + W->value_at[e];
            for (int32_t row = W->row_at[i]; row < W->row_at[i + 1]; ++row)
                for (int32_t c = W->col_at[W->col[e]]; c < W->col_at[W->col[e] + 1]; ++c)
                    tiny->W[row * ROWS + c] = *value++;
        }
}

// dense rows of H' or P'; with one body the values are that already
static const double* dense_rows(const Tiny* tiny, const SticBlockCsr* A, double* copy)
{
    if (A->cols == 1 && A->begin[A->rows] == A->rows)
        return A->value + A->value_at[0];
    memset(copy, 0, (size_t)(tiny->rows * tiny->dof) * sizeof *copy);
    for (int32_t i = 0; i < A->rows; ++i)
        for (int32_t e = A->begin[i]; e < A->begin[i + 1]; ++e) {
            const int32_t col = A->col_at[A->col[e]], n = A->col_at[A->col[e] + 1] - col;
            const double* value = A->value + A->value_at[e];
            for (int32_t row = A->row_at[i]; row < A->row_at[i + 1]; ++row, value += n)
                memcpy(copy + row * tiny->dof + col, value, (size_t)n * sizeof *copy);
        }
    return copy;
}

// W = P' M^-1 H, row by row: M^-T times a row of P', then its products with the rows of H'
static void form_W(Tiny* tiny)
{
    const SticMass* M = tiny->problem->M;
    const int32_t dof = tiny->dof;
    tiny->H = dense_rows(tiny, tiny->problem->Ht, tiny->H_copy);
    tiny->P =
        tiny->problem->Pt == NULL ? tiny->H : dense_rows(tiny, tiny->problem->Pt, tiny->P_copy);
    for (int32_t row = 0; row < tiny->rows; ++row) {
        const double* P = tiny->P + row * dof;
        double z[DOF] = {0.0};
        for (int32_t c = 0; M->diagonal != NULL && c < dof; ++c)
            z[c] = P[c] * M->inverse_diagonal[c];
        for (int32_t k = 0; M->diagonal == NULL && k < M->A->rows; ++k) {
            const int32_t at = M->A->row_at[k], n = M->A->row_at[k + 1] - at;
            block_scatter(n, n, M->inverse->value + M->inverse->value_at[M->inverse->begin[k]],
                          P + at, z + at);
        }
        block_gather(tiny->rows, dof, tiny->H, z, tiny->W + row * ROWS);
    }
}

static void form(Tiny* tiny)
{
    const SticProblem* problem = tiny->problem;
    double origin[ROWS] = {0.0};
    tiny->padded = (tiny->rows + 3) / 4 * 4;
    memset(tiny->W, 0, (size_t)(tiny->rows * ROWS) * sizeof *tiny->W);
    if (problem->M == NULL)
        copy_W(tiny);
    else
        form_W(tiny);
    // b is y where x is 0
    for (int32_t row = 0; problem->r_shift != NULL && row < tiny->rows; ++row)
        origin[row] = -problem->r_shift[row];
    compute_u(tiny, origin, tiny->v, tiny->b);
    for (int32_t row = 0; problem->u_shift != NULL && row < tiny->rows; ++row)
        tiny->b[row] += problem->u_shift[row];
}

// the diagonal block of some rows, copied where it is more than a number
static const double* diagonal_block(const Tiny* tiny, int32_t at, int32_t n, double* copy)
{
    const double* W = tiny->W + at * ROWS + at;
    if (n == 1)
        return W;
    for (int32_t row = 0; row < n; ++row)
        for (int32_t c = 0; c < n; ++c)
            copy[row * n + c] = W[row * ROWS + c];
    return copy;
}

// semi-axes, and the step length of the ball
static void prepare_ball(Visit* visit)
{
    const double *coef = visit->coef, *W = visit->W;
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
    Visit* visit = &tiny->visit[i];
    visit->law = (SticLaw)problem->law[i];
    visit->at = problem->row_at[i];
    visit->n = problem->row_at[i + 1] - visit->at;
    visit->bound_row = problem->bound_row == NULL ? -1 : problem->bound_row[i];
    visit->bound = shift_of(problem->bound, i);
    visit->coef = problem->coef[i];
    // blocks of up to 6 rows, one after the other: the rows above take no more than 6 each
    visit->W = diagonal_block(tiny, visit->at, visit->n, tiny->diagonal + 6 * visit->at);
    const double* W = visit->W;
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
        prepare_ball(visit);
    }
    return true;
}

/* ---- sweeps ---- */

// y of a row: b + W x
static double velocity(const Tiny* tiny, int32_t row)
{
    return tiny->b[row] + row_dot(tiny, row, tiny->x);
}

// x of a row becomes `value`; returns the change of y in this row
static double move_row(Tiny* tiny, int32_t row, double value)
{
    const double change = value - tiny->x[row];
    tiny->x[row] = value;
    return fabs(change) * tiny->W[row * ROWS + row];
}

static double bound_of(const Visit* visit, const double* x)
{
    const double other = visit->bound_row < 0 ? 0.0 : x[visit->bound_row];
    return visit->bound + (other > 0.0 ? other : 0.0);
}

// projected step of rows in an ellipsoid, in the variables in which it is a ball
static double visit_ball(Tiny* tiny, const Visit* visit)
{
    const double radius = bound_of(visit, tiny->x);
    double z[3], square = 0.0, change = 0.0;
    for (int32_t a = 0; a < visit->n; ++a) {
        z[a] = tiny->x[visit->at + a] * visit->unit[a] -
               velocity(tiny, visit->at + a) * visit->step[a];
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
    const double x = tiny->x[row] - velocity(tiny, row) * visit->inverse[a];
    return move_row(tiny, row, x < low ? low : x > high ? high : x);
}

// one contact solved exactly, as in the sweeps of large problems
static double visit_contact(Tiny* tiny, const Visit* visit)
{
    const int32_t at = visit->at, n = visit->n;
    const double* D = visit->contact.D;
    double q[3] = {0.0}, found[3], change = 0.0;
    for (int32_t a = 0; a < n; ++a) {
        q[a] = velocity(tiny, at + a);
        for (int32_t c = 0; c < n; ++c)
            q[a] -= D[a * n + c] * tiny->x[at + c];
    }
    if (n == 2)
        stic_local_contact_solve_planar(visit->coef[0], visit->contact.inverse_NN, D, q, found);
    else
        stic_local_contact_solve(&visit->contact, q, false, found);
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
        const double B = bound_of(visit, tiny->x);
        return visit_row(tiny, visit, 0, -visit->coef[0] * B, visit->coef[1] * B);
    }
    case STIC_LAW_CONE:
        return visit_contact(tiny, visit);
    default:
        return visit_ball(tiny, visit);
    }
}

/* ---- errors ---- */

// rounding of P' v per row for velocities of the given sizes
static void compute_rounding(const Tiny* tiny, const double* size, double* e)
{
    const SticProblem* problem = tiny->problem;
    const double* P = tiny->P;
    for (int32_t row = 0; row < tiny->rows; ++row, P += tiny->dof) {
        double sum = fabs(problem->w[row]) + fabs(shift_of(problem->u_shift, row));
        for (int32_t c = 0; c < tiny->dof; ++c)
            sum += fabs(P[c] * size[c]);
        e[row] = DBL_EPSILON * sum;
    }
}

// as for large problems: the norm with v as it is, the energy with the effect of rounding of f
static void measure_rounding(const Tiny* tiny, double* e, SticErrorParts* parts)
{
    const SticProblem* problem = tiny->problem;
    double size[DOF];
    memset(e, 0, ROWS * sizeof *e);
    if (problem->M == NULL)
        return;
    compute_rounding(tiny, tiny->v, e);
    for (int32_t row = 0; row < tiny->rows; ++row)
        parts->rounding_norm += e[row] * e[row];
    if (problem->M->diagonal != NULL)
        return;
    stic_mass_sizes(problem->M, problem->f, tiny->v, size);
    compute_rounding(tiny, size, e);
}

static SticErrors measure(const Tiny* tiny, const double* r, double* u)
{
    const SticProblem* problem = tiny->problem;
    SticErrorParts parts = {0};
    double v[DOF], y[ROWS], x[ROWS], e[ROWS];
    compute_u(tiny, r, v, u);
    measure_rounding(tiny, e, &parts);
    for (int32_t row = 0; row < tiny->rows; ++row) {
        y[row] = u[row] + shift_of(problem->u_shift, row);
        x[row] = r[row] + shift_of(problem->r_shift, row);
        parts.y_norm += y[row] * y[row];
        parts.x_norm += x[row] * x[row];
        parts.b_norm += tiny->b[row] * tiny->b[row];
    }
    for (int32_t i = 0; i < problem->count; ++i) {
        const Visit* visit = &tiny->visit[i];
        double square, energy, b_energy, rho[3];
        stic_law_rho(visit->law, visit->n, visit->W, rho);
        SticGaugePoint point = {.block = {.law = visit->law,
                                          .rows = visit->n,
                                          .coef = visit->coef,
                                          .B = bound_of(visit, x)},
                                .rho = rho,
                                .W = visit->W};
        point.singular =
            !stic_gauge_inverse_energy(point.W, visit->n, tiny->b + visit->at, &b_energy);
        if (point.singular)
            b_energy = stic_gauge_scaled_square(&point, tiny->b + visit->at, false);
        if (stic_gauge_opens(visit->law, shift_of(problem->u_shift, visit->at),
                             tiny->b + visit->at))
            b_energy = 0.0;
        stic_gauge_point(&point, x + visit->at, y + visit->at, &square, &energy);
        parts.x_energy += stic_gauge_energy(&point, x + visit->at);
        parts.rounding_energy += stic_gauge_scaled_square(&point, e + visit->at, false);
        parts.defect += square;
        parts.energy += energy;
        parts.b_energy += b_energy;
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

/* ---- solve ---- */

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
    double found[ROWS] = {0.0}, found_u[ROWS], scale = 0.0;
    memset(tiny.x, 0, sizeof tiny.x);
    for (int32_t row = 0; row < tiny.rows; ++row) {
        scale = larger(scale, fabs(tiny.b[row]));
        if (settings->warm_start)
            tiny.x[row] = r[row] + shift_of(problem->r_shift, row);
    }
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
        // every sweep and every check multiplies once with the whole matrix
        info->work = (double)(sweep + info->checks) * tiny.rows * tiny.rows;
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
