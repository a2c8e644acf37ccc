// SPDX-License-Identifier: Apache-2.0
// Errors of a solution computed by code that shares nothing with the library.
#include "helpers/residual.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// y += A x or A' x, scalar by scalar
static void add_product(const SticBlockCsr* A, bool transposed, const double* x, double* y)
{
    for (int32_t i = 0; i < A->rows; ++i)
        for (int32_t k = A->begin[i]; k < A->begin[i + 1]; ++k) {
            const double* value = A->value + A->value_at[k];
            for (int32_t row = A->row_at[i]; row < A->row_at[i + 1]; ++row)
                for (int32_t c = A->col_at[A->col[k]]; c < A->col_at[A->col[k] + 1]; ++c) {
                    const double a = *value++;
                    if (transposed)
                        y[c] += a * x[row];
                    else
                        y[row] += a * x[c];
                }
        }
}

static double* zeros(int32_t count)
{
    double* x = calloc((size_t)count + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

void test_residual_velocity(const SticProblem* problem, const double* r, double* u)
{
    if (problem->M == NULL) {
        memcpy(u, problem->b, (size_t)problem->rows * sizeof *u);
        add_product(problem->W, false, r, u);
        return;
    }
    double* g = zeros(problem->dof);
    double* v = zeros(problem->dof);
    memcpy(g, problem->f, (size_t)problem->dof * sizeof *g);
    add_product(problem->Ht, true, r, g);
    if (problem->M->kind == STIC_MASS_BLOCKS)
        add_product(problem->M->inverse, false, g, v);
    else {
        memcpy(v, g, (size_t)problem->dof * sizeof *g);
        assert_int_equal(problem->M->solve(problem->M->factor, v), STIC_OK);
    }
    memcpy(u, problem->w, (size_t)problem->rows * sizeof *u);
    add_product(problem->Pt != NULL ? problem->Pt : problem->Ht, false, v, u);
    free(g);
    free(v);
}

static double length(const double* x, int32_t n)
{
    double sum = 0.0;
    for (int32_t k = 0; k < n; ++k)
        sum += x[k] * x[k];
    return sqrt(sum);
}

// projection on |x_T| <= mu x_N by cases; x = (N, T of n entries)
static void project_cone(double mu, int32_t n, double* N, double* T)
{
    const double across = length(T, n);
    if (across <= mu * *N)
        return;
    if (mu * across <= -*N) {
        *N = 0.0;
        memset(T, 0, (size_t)n * sizeof *T);
        return;
    }
    const double excess = (across - mu * *N) / (1.0 + mu * mu);
    for (int32_t k = 0; k < n; ++k)
        T[k] -= excess * T[k] / across;
    *N += mu * excess;
}

// two cones over one normal by Dykstra's alternating projections
static void project_rolling(const double* coef, int32_t n, double* x)
{
    double p[5] = {0.0}, q[5] = {0.0}, y[5];
    const int32_t rows = 1 + 2 * n;
    for (int32_t step = 0; step < 20000; ++step) {
        double change = 0.0;
        for (int32_t k = 0; k < rows; ++k)
            y[k] = x[k] + p[k];
        project_cone(coef[0], n, y, y + 1);
        for (int32_t k = 0; k < rows; ++k) {
            p[k] += x[k] - y[k];
            const double with = y[k] + q[k];
            x[k] = with;
        }
        double z[5];
        memcpy(z, x, sizeof z);
        project_cone(coef[2], n, z, z + 1 + n);
        for (int32_t k = 0; k < rows; ++k) {
            q[k] = x[k] - z[k];
            change = test_worse(change, fabs(z[k] - y[k]));
            x[k] = z[k];
        }
        if (change <= 1e-16 * length(x, rows))
            break;
    }
}

// squared defect of one interaction, x and y with shifts
static double natural_map(SticLaw law, const double* coef, int32_t rows, const double* x,
                          const double* y)
{
    const int32_t n = law == STIC_LAW_ROLLING ? (rows - 1) / 2 : rows - 1;
    double z[6], sum = 0.0;
    for (int32_t k = 0; k < rows; ++k)
        z[k] = x[k] - y[k];
    if (law == STIC_LAW_CONE) {
        z[0] -= coef[0] * length(y + 1, n);
        project_cone(coef[0], n, z, z + 1);
    } else if (law == STIC_LAW_ROLLING) {
        z[0] -= coef[0] * length(y + 1, n) + coef[2] * length(y + 1 + n, n);
        project_rolling(coef, n, z);
    } else if (law == STIC_LAW_NONNEG) {
        z[0] = fmax(z[0], 0.0);
    } else {
        assert_int_equal(law, STIC_LAW_FREE);
    }
    for (int32_t k = 0; k < rows; ++k)
        sum += (x[k] - z[k]) * (x[k] - z[k]);
    return sum;
}

double test_residual_relative(const SticProblem* problem, const double* r)
{
    const int32_t m = problem->rows;
    double *u = zeros(m), *x = zeros(m), *b = zeros(m), *none = zeros(m);
    for (int32_t k = 0; k < m; ++k) {
        const double shift = problem->r_shift != NULL ? problem->r_shift[k] : 0.0;
        x[k] = r[k] + shift;
        none[k] = -shift;
    }
    test_residual_velocity(problem, r, u);
    test_residual_velocity(problem, none, b);
    for (int32_t k = 0; k < m && problem->u_shift != NULL; ++k) {
        u[k] += problem->u_shift[k];
        b[k] += problem->u_shift[k];
    }
    double sum = 0.0;
    for (int32_t i = 0; i < problem->count; ++i)
        sum += natural_map((SticLaw)problem->law[i], problem->coef[i],
                           problem->row_at[i + 1] - problem->row_at[i], x + problem->row_at[i],
                           u + problem->row_at[i]);
    const double norm = length(b, m), error = sqrt(sum) / (norm > 0.0 ? norm : 1.0);
    free(u);
    free(x);
    free(b);
    free(none);
    return isfinite(error) ? error : INFINITY;
}

// |t| <= mu n, and t = -mu n w/|w| where w is not 0
static double friction_violation(double mu, double n, int32_t rows, const double* t,
                                 const double* w)
{
    double power = mu * n * length(w, rows);
    for (int32_t k = 0; k < rows; ++k)
        power += t[k] * w[k];
    return test_worse(test_worse(0.0, length(t, rows) - mu * n), sqrt(fabs(power)));
}

double test_residual_laws(const SticProblem* problem, const double* r, const double* u)
{
    double worst = 0.0;
    for (int32_t i = 0; i < problem->count; ++i) {
        const int32_t at = problem->row_at[i], rows = problem->row_at[i + 1] - at;
        const SticLaw law = (SticLaw)problem->law[i];
        const double* coef = problem->coef[i];
        if (law == STIC_LAW_FREE) {
            worst = test_worse(worst, length(u + at, rows));
            continue;
        }
        worst = test_worse(worst, test_worse(-r[at], -u[at]));
        worst = test_worse(worst, fabs(fmin(r[at], u[at])));
        if (law == STIC_LAW_CONE)
            worst = test_worse(
                worst, friction_violation(coef[0], r[at], rows - 1, r + at + 1, u + at + 1));
        if (law == STIC_LAW_ROLLING) {
            const int32_t n = (rows - 1) / 2;
            worst =
                test_worse(worst, friction_violation(coef[0], r[at], n, r + at + 1, u + at + 1));
            worst = test_worse(
                worst, friction_violation(coef[2], r[at], n, r + at + 1 + n, u + at + 1 + n));
        }
    }
    return worst;
}
