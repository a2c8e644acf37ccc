// SPDX-License-Identifier: Apache-2.0
// Dense path of nsgs for problems of a few rows: the one-step problems of small hand-written
// systems.
//
// W and b are formed on the stack from the blocks; sweeps of projected Gauss-Seidel (Möller 2.67)
// run on them, friction after its normal force, ellipsoids as balls (Möller 2.50-2.53); the errors
// are then recomputed from the original data with v = M^-1 (f + H r) and one step of refinement, by
// the same formulas as for large problems (problem/gauge.h). No memory, no symbolic work: about a
// microsecond for one contact.
#include "solver/tiny.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/gauge.h"
#include "problem/operator_kernel.h"
#include "solver/local.h"

enum { ROWS = 12, DOF = 24, SWEEPS = 200 };

typedef struct Tiny {
    const SticProblem* problem;
    const SticBlockCsr *Ht, *Pt;
    int32_t rows, dof;
    double W[ROWS][ROWS], b[ROWS], x[ROWS];
    double v[DOF];             // free velocities
    double diagonal[ROWS * 6]; // diagonal blocks one after the other
    double local[ROWS * 6];    // the same, regularised where singular, for contacts
    int32_t diagonal_at[ROWS];
} Tiny;

bool stic_tiny_takes(const SticProblem* problem)
{
    const uint32_t laws = STIC_LAW_BIT(STIC_LAW_FREE) | STIC_LAW_BIT(STIC_LAW_NONNEG) |
                          STIC_LAW_BIT(STIC_LAW_INTERVAL) | STIC_LAW_BIT(STIC_LAW_BALL) |
                          STIC_LAW_BIT(STIC_LAW_ELLIPSE) | STIC_LAW_BIT(STIC_LAW_ELLIPSOID) |
                          STIC_LAW_BIT(STIC_LAW_CONE);
    if (problem->rows > ROWS || problem->dof > DOF || problem->rows < 1)
        return false;
    if (problem->M != NULL && problem->M->kind != STIC_MASS_BLOCKS)
        return false;
    for (int32_t i = 0; i < problem->count; ++i)
        if ((laws & STIC_LAW_BIT(problem->law[i])) == 0)
            return false;
    return true;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double shift_of(const double* shift, int32_t row)
{
    return shift == NULL ? 0.0 : shift[row];
}

/* ---- W and b
 * ------------------------------------------------------------------------------------------------
 */

// y += A x on the blocks of a block-diagonal matrix
static void multiply_mass(const SticBlockCsr* A, const double* x, double* y)
{
    for (int32_t k = 0; k < A->rows; ++k) {
        const int32_t at = A->row_at[k], n = A->row_at[k + 1] - at;
        stic_block_add(A->value + A->value_at[A->begin[k]], n, n, x + at, y + at);
    }
}

// u = w + P' v
static void pull_rows(const Tiny* tiny, const double* v, double* u)
{
    const SticBlockCsr* Pt = tiny->Pt;
    for (int32_t i = 0; i < tiny->problem->count; ++i) {
        const int32_t at = Pt->row_at[i], rows = Pt->row_at[i + 1] - at;
        for (int32_t row = at; row < at + rows; ++row)
            u[row] = tiny->problem->w[row];
        for (int32_t e = Pt->begin[i]; e < Pt->begin[i + 1]; ++e) {
            const int32_t col = Pt->col_at[Pt->col[e]], n = Pt->col_at[Pt->col[e] + 1] - col;
            stic_block_add(Pt->value + Pt->value_at[e], rows, n, v + col, u + at);
        }
    }
}

// p = f + H r
static void push_rows(const Tiny* tiny, const double* r, double* p)
{
    const SticBlockCsr* Ht = tiny->Ht;
    memcpy(p, tiny->problem->f, (size_t)tiny->dof * sizeof *p);
    for (int32_t i = 0; i < tiny->problem->count; ++i)
        for (int32_t e = Ht->begin[i]; e < Ht->begin[i + 1]; ++e) {
            const int32_t col = Ht->col_at[Ht->col[e]], n = Ht->col_at[Ht->col[e] + 1] - col;
            stic_block_add_transposed(Ht->value + Ht->value_at[e],
                                      Ht->row_at[i + 1] - Ht->row_at[i], n, r + Ht->row_at[i],
                                      p + col);
        }
}

// rows of W from one row of H': H'_row M^-1, then its products with the rows of P that share the
// body
static void form_columns(Tiny* tiny, int32_t j)
{
    const SticBlockCsr *Ht = tiny->Ht, *Pt = tiny->Pt, *inverse = tiny->problem->M->inverse;
    for (int32_t e = Ht->begin[j]; e < Ht->begin[j + 1]; ++e) {
        const int32_t body = Ht->col[e], n = Ht->col_at[body + 1] - Ht->col_at[body];
        const double* A = inverse->value + inverse->value_at[inverse->begin[body]];
        for (int32_t row = Ht->row_at[j]; row < Ht->row_at[j + 1]; ++row) {
            const double* h = Ht->value + Ht->value_at[e] + (int64_t)(row - Ht->row_at[j]) * n;
            double y[STIC_MAX_BODY_DOF] = {0.0};
            stic_block_add(A, n, n, h, y);
            for (int32_t i = 0; i < tiny->problem->count; ++i)
                for (int32_t k = Pt->begin[i]; k < Pt->begin[i + 1]; ++k)
                    for (int32_t a = Pt->row_at[i]; Pt->col[k] == body && a < Pt->row_at[i + 1];
                         ++a) {
                        const double* p =
                            Pt->value + Pt->value_at[k] + (int64_t)(a - Pt->row_at[i]) * n;
                        for (int32_t c = 0; c < n; ++c)
                            tiny->W[a][row] += p[c] * y[c];
                    }
        }
    }
}

static void form(Tiny* tiny)
{
    const SticProblem* problem = tiny->problem;
    if (problem->M != NULL) {
        for (int32_t j = 0; j < problem->count; ++j)
            form_columns(tiny, j);
        memset(tiny->v, 0, sizeof tiny->v);
        multiply_mass(problem->M->inverse, problem->f, tiny->v);
        pull_rows(tiny, tiny->v, tiny->b);
    } else {
        const SticBlockCsr* W = problem->W;
        for (int32_t i = 0; i < problem->count; ++i)
            for (int32_t e = W->begin[i]; e < W->begin[i + 1]; ++e) {
                const int32_t col = W->col_at[W->col[e]], n = W->col_at[W->col[e] + 1] - col;
                for (int32_t a = W->row_at[i]; a < W->row_at[i + 1]; ++a)
                    memcpy(&tiny->W[a][col], W->value + W->value_at[e] + (a - W->row_at[i]) * n,
                           (size_t)n * sizeof(double));
            }
        memcpy(tiny->b, problem->b, (size_t)tiny->rows * sizeof(double));
    }
    // fold the shifts: x = r + r_shift, y = W x + b
    for (int32_t a = 0; a < tiny->rows; ++a) {
        tiny->b[a] += shift_of(problem->u_shift, a);
        for (int32_t c = 0; problem->r_shift != NULL && c < tiny->rows; ++c)
            tiny->b[a] -= tiny->W[a][c] * problem->r_shift[c];
    }
    for (int32_t i = 0, used = 0; i < problem->count; ++i) {
        const int32_t at = problem->row_at[i], n = problem->row_at[i + 1] - at;
        tiny->diagonal_at[i] = used;
        for (int32_t a = 0; a < n; ++a)
            for (int32_t c = 0; c < n; ++c)
                tiny->diagonal[used++] = tiny->W[at + a][at + c];
        const int32_t first = tiny->diagonal_at[i];
        if (problem->law[i] == STIC_LAW_CONE)
            stic_local_block(tiny->diagonal + first, n, tiny->local + first);
    }
}

/* ---- sweeps
 * ---------------------------------------------------------------------------------------------------
 */

static double velocity(const Tiny* tiny, int32_t row)
{
    double sum = tiny->b[row];
    for (int32_t c = 0; c < tiny->rows; ++c)
        sum += tiny->W[row][c] * tiny->x[c];
    return sum;
}

static double bound_of(const Tiny* tiny, int32_t i)
{
    const SticProblem* problem = tiny->problem;
    const int32_t row = problem->bound_row == NULL ? -1 : problem->bound_row[i];
    const double bound = problem->bound == NULL ? 0.0 : problem->bound[i];
    return bound + (row >= 0 && tiny->x[row] > 0.0 ? tiny->x[row] : 0.0);
}

// projected step of rows on an ellipsoid with semi-axes `axis`, in the variables in which it is a
// ball of radius 1; a semi-axis 0 holds its row at 0
static double project_ball(Tiny* tiny, int32_t at, int32_t n, const double* axis)
{
    double largest = 0.0, z[3], size = 0.0, change = 0.0;
    for (int32_t a = 0; a < n; ++a)
        largest = larger(largest, axis[a] * axis[a] * tiny->W[at + a][at + a]);
    if (!(largest > 0.0))
        largest = 1.0;
    for (int32_t a = 0; a < n; ++a) {
        const double unit = axis[a] > 0.0 ? tiny->x[at + a] / axis[a] : 0.0;
        z[a] = unit - axis[a] * velocity(tiny, at + a) / largest;
        size += z[a] * z[a];
    }
    size = size > 1.0 ? sqrt(size) : 1.0;
    for (int32_t a = 0; a < n; ++a) {
        const double x = axis[a] * z[a] / size;
        change += fabs(x - tiny->x[at + a]) * tiny->W[at + a][at + a];
        tiny->x[at + a] = x;
    }
    return change;
}

// one row on the interval [low, high]
static double project_row(Tiny* tiny, int32_t row, double low, double high)
{
    const double old = tiny->x[row];
    double x = old - velocity(tiny, row) / tiny->W[row][row];
    x = x < low ? low : x > high ? high : x;
    tiny->x[row] = x;
    return fabs(x - old) * tiny->W[row][row];
}

// one contact solved exactly, as in the sweeps of large problems
static double solve_contact(Tiny* tiny, int32_t i)
{
    const int32_t at = tiny->problem->row_at[i], n = tiny->problem->row_at[i + 1] - at;
    const double mu = tiny->problem->coef[i][0];
    const double* D = tiny->local + tiny->diagonal_at[i];
    double q[3], found[3], change = 0.0;
    for (int32_t a = 0; a < n; ++a) {
        q[a] = velocity(tiny, at + a);
        for (int32_t c = 0; c < n; ++c)
            q[a] -= D[a * n + c] * tiny->x[at + c];
    }
    if (n == 2) {
        stic_contact_solve_planar(mu, 1.0 / D[0], D, q, found);
    } else {
        const SticContactBlock block = stic_local_contact(D, mu);
        stic_contact_solve(&block, q, false, found);
    }
    for (int32_t a = 0; a < n; ++a) {
        change += fabs(found[a] - tiny->x[at + a]) * D[0];
        tiny->x[at + a] = found[a];
    }
    return change;
}

static double visit(Tiny* tiny, int32_t i)
{
    const SticProblem* problem = tiny->problem;
    const int32_t at = problem->row_at[i], n = problem->row_at[i + 1] - at;
    const double* coef = problem->coef[i];
    const double B = bound_of(tiny, i);
    double change = 0.0;
    switch (problem->law[i]) {
    case STIC_LAW_FREE:
        for (int32_t a = 0; a < n; ++a)
            change += project_row(tiny, at + a, -INFINITY, INFINITY);
        return change;
    case STIC_LAW_NONNEG:
        return project_row(tiny, at, 0.0, INFINITY);
    case STIC_LAW_INTERVAL:
        return project_row(tiny, at, -coef[0] * B, coef[1] * B);
    case STIC_LAW_CONE:
        return solve_contact(tiny, i);
    default: {
        const double other = problem->law[i] == STIC_LAW_BALL ? coef[0] : coef[1];
        const double last = problem->law[i] == STIC_LAW_BALL ? coef[0] : coef[2];
        const double axis[3] = {coef[0] * B, other * B, last * B};
        return project_ball(tiny, at, n, axis);
    }
    }
}

/* ---- errors
 * ----------------------------------------------------------------------------------------------------
 */

// u of the original data for r: v = M^-1 (f + H r) with one step of refinement, u = w + P' v
static void compute_u(const Tiny* tiny, const double* r, double* v, double* u)
{
    const SticProblem* problem = tiny->problem;
    if (problem->M == NULL) {
        for (int32_t i = 0; i < tiny->rows; ++i) {
            u[i] = problem->b[i];
            for (int32_t c = 0; c < tiny->rows; ++c)
                u[i] += tiny->W[i][c] * r[c];
        }
        return;
    }
    double p[DOF], Mv[DOF] = {0.0};
    push_rows(tiny, r, p);
    memset(v, 0, (size_t)tiny->dof * sizeof *v);
    multiply_mass(problem->M->inverse, p, v);
    multiply_mass(problem->M->A, v, Mv);
    for (int32_t c = 0; c < tiny->dof; ++c)
        p[c] -= Mv[c];
    multiply_mass(problem->M->inverse, p, v);
    pull_rows(tiny, v, u);
}

// rounding of P'v per row, as for large problems
static double rounding_of(const Tiny* tiny, int32_t row, int32_t i, const double* v)
{
    const SticProblem* problem = tiny->problem;
    const SticBlockCsr* Pt = tiny->Pt;
    if (problem->M == NULL)
        return 0.0;
    double sum = fabs(problem->w[row]) + fabs(shift_of(problem->u_shift, row));
    for (int32_t e = Pt->begin[i]; e < Pt->begin[i + 1]; ++e) {
        const int32_t col = Pt->col_at[Pt->col[e]], n = Pt->col_at[Pt->col[e] + 1] - col;
        const double* p = Pt->value + Pt->value_at[e] + (int64_t)(row - Pt->row_at[i]) * n;
        for (int32_t c = 0; c < n; ++c)
            sum += fabs(p[c] * v[col + c]);
    }
    return DBL_EPSILON * sum;
}

static SticErrors measure(const Tiny* tiny, const double* r, double* u)
{
    const SticProblem* problem = tiny->problem;
    SticErrorParts parts = {0};
    double v[DOF] = {0.0}, y[ROWS], x[ROWS];
    compute_u(tiny, r, v, u);
    for (int32_t row = 0; row < tiny->rows; ++row) {
        y[row] = u[row] + shift_of(problem->u_shift, row);
        x[row] = r[row] + shift_of(problem->r_shift, row);
        parts.y_norm += y[row] * y[row];
        parts.x_norm += x[row] * x[row];
        parts.b_norm += tiny->b[row] * tiny->b[row];
    }
    for (int32_t i = 0; i < problem->count; ++i) {
        const int32_t at = problem->row_at[i], n = problem->row_at[i + 1] - at;
        double square, energy, b_energy, e[STIC_MAX_ROWS], rho[3];
        const double* W = tiny->diagonal + tiny->diagonal_at[i];
        stic_law_rho((SticLaw)problem->law[i], n, W, rho);
        SticGaugePoint point = {.block = {.law = (SticLaw)problem->law[i],
                                          .rows = n,
                                          .coef = problem->coef[i],
                                          .B = stic_problem_bound(problem, i, r)},
                                .rho = rho,
                                .W = W};
        point.singular = !stic_gauge_inverse_energy(W, n, tiny->b + at, &b_energy);
        if (point.singular)
            b_energy = stic_gauge_scaled_square(&point, tiny->b + at, false);
        stic_gauge_point(&point, x + at, y + at, &square, &energy);
        for (int32_t a = 0; a < n; ++a) {
            e[a] = rounding_of(tiny, at + a, i, tiny->v);
            parts.rounding_norm += e[a] * e[a];
        }
        parts.rounding_energy += stic_gauge_scaled_square(&point, e, false);
        parts.defect += square;
        parts.energy += energy;
        parts.b_energy += b_energy;
    }
    double* const roots[] = {&parts.defect,        &parts.energy,         &parts.x_norm,
                             &parts.y_norm,        &parts.b_norm,         &parts.b_energy,
                             &parts.rounding_norm, &parts.rounding_energy};
    for (size_t k = 0; k < sizeof roots / sizeof roots[0]; ++k)
        *roots[k] = sqrt(*roots[k]);
    return stic_gauge_errors(&parts);
}

static bool passes(const SticSolveSettings* settings, const SticErrors* errors, bool* at_floor)
{
    const double error = stic_errors_get(errors, (SticNorm)settings->norm);
    *at_floor = settings->norm == STIC_NORM_UNIT_FREE && error <= errors->floor_unit_free &&
                !(error <= settings->tolerance);
    return error <= settings->tolerance || *at_floor;
}

bool stic_tiny_solve(const SticProblem* problem, const SticSolveSettings* settings, double* r,
                     double* u, SticSolveInfo* info)
{
    Tiny tiny;
    memset(&tiny, 0, sizeof tiny);
    tiny.problem = problem;
    tiny.Ht = problem->Ht;
    tiny.Pt = problem->Pt != NULL ? problem->Pt : problem->Ht;
    tiny.rows = problem->rows;
    tiny.dof = problem->dof;
    form(&tiny);
    double scale = 0.0, found[ROWS], found_u[ROWS];
    for (int32_t row = 0; row < tiny.rows; ++row) {
        if (!(tiny.W[row][row] > 0.0))
            return false;
        scale = larger(scale, fabs(tiny.b[row]));
        tiny.x[row] = settings->warm_start ? r[row] + shift_of(problem->r_shift, row) : 0.0;
    }
    const int32_t limit = settings->max_iterations < SWEEPS ? settings->max_iterations : SWEEPS;
    for (int32_t sweep = 1; sweep <= limit; ++sweep) {
        double change = 0.0;
        for (int32_t i = 0; i < problem->count; ++i)
            change += visit(&tiny, i);
        // a check costs as much as a few sweeps: make it when the change promises success by two
        // digits
        if (change > 0.01 * settings->tolerance * scale && sweep < limit)
            continue;
        for (int32_t row = 0; row < tiny.rows; ++row)
            found[row] = tiny.x[row] - shift_of(problem->r_shift, row);
        info->errors = measure(&tiny, found, found_u);
        info->checks += 1;
        info->iterations = sweep;
        if (!passes(settings, &info->errors, &info->at_floor)) {
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
