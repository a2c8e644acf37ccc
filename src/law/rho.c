// SPDX-License-Identifier: Apache-2.0
// Step lengths rho from the diagonal block of one interaction.
//
// rho_g = 1 / lambda_max of the symmetric part of the block W_gg of each group of rows: the largest
// value for which the step on that group alone cannot overshoot. Groups have 1 to 6 rows; one row
// is direct, two are a quadratic equation, more go through cyclic Jacobi rotations on a copy on the
// stack.
#include "law/rho.h"
#include "stiction/extend/base.h"

#include <float.h>
#include <math.h>

#include "math/jacobi.h"
#include "math/math.h"

enum { MOST_ROWS = STIC_SET_DIM };

static void rotate(double A[MOST_ROWS][MOST_ROWS], int32_t n, int32_t p, int32_t q)
{
    if (A[p][q] == 0.0)
        return;
    const SticJacobiTurn turn = stic_eigen_turn(A[p][p], A[p][q], A[q][q]);
    const double c = turn.c, s = turn.s;
    for (int32_t k = 0; k < n; ++k) {
        const double x = A[k][p], y = A[k][q];
        A[k][p] = c * x - s * y;
        A[k][q] = s * x + c * y;
    }
    for (int32_t k = 0; k < n; ++k) {
        const double x = A[p][k], y = A[q][k];
        A[p][k] = c * x - s * y;
        A[q][k] = s * x + c * y;
    }
}

// up to rounding: nothing that is left moves an eigenvalue by more than its last digit
static bool is_diagonal(double A[MOST_ROWS][MOST_ROWS], int32_t n)
{
    double most = 0.0, off = 0.0;
    for (int32_t p = 0; p < n; ++p) {
        most = fabs(A[p][p]) > most ? fabs(A[p][p]) : most;
        for (int32_t q = p + 1; q < n; ++q)
            off += fabs(A[p][q]);
    }
    return off <= 0.25 * DBL_EPSILON * most;
}

double stic_largest_eigenvalue(int32_t n, double A[MOST_ROWS][MOST_ROWS])
{
    if (n == 2)
        return stic_eigen2_largest(A[0][0], A[0][1], A[1][1]);
    // quadratic convergence: eight sweeps are far more than six rows need
    for (int sweep = 0; sweep < 8 && n > 1 && !is_diagonal(A, n); ++sweep)
        for (int32_t p = 0; p < n; ++p)
            for (int32_t q = p + 1; q < n; ++q)
                rotate(A, n, p, q);
    double largest = A[0][0];
    for (int32_t k = 1; k < n; ++k)
        largest = A[k][k] > largest ? A[k][k] : largest;
    return largest;
}

void stic_law_rho(SticLaw law, int32_t rows, const double* W_ii, double rho[3])
{
    STIC_ASSERT(stic_law_takes_rows(law, rows));
    int32_t at[4];
    if (rows == 1) {
        rho[0] = *W_ii > 0.0 ? 1.0 / *W_ii : 1.0;
        rho[1] = rho[2] = 1.0;
        return;
    }
    const int32_t groups = stic_law_groups(law, rows, at);
    for (int32_t g = 0; g < 3; ++g) {
        rho[g] = 1.0;
        if (g >= groups)
            continue;
        const int32_t n = at[g + 1] - at[g];
        if (n == 1) {
            const double entry = W_ii[at[g] * (rows + 1)];
            rho[g] = entry > 0.0 ? 1.0 / entry : 1.0;
            continue;
        }
        double A[MOST_ROWS][MOST_ROWS] = {{0.0}};
        for (int32_t i = 0; i < n; ++i)
            for (int32_t j = 0; j < n; ++j)
                A[i][j] = 0.5 * (W_ii[(at[g] + i) * rows + at[g] + j] +
                                 W_ii[(at[g] + j) * rows + at[g] + i]);
        const double largest = stic_largest_eigenvalue(n, A);
        if (largest > 0.0)
            rho[g] = 1.0 / largest;
    }
}
