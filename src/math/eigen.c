// SPDX-License-Identifier: Apache-2.0
// Eigenvalues of small symmetric matrices of any size by cyclic Jacobi rotations.
//
// The method of eigen3.c (Golub and Van Loan, Matrix Computations, section 8.5) without vectors.
// Each sweep costs 4 n^3; six to ten are usual. Works in the memory of the matrix.
#include "math/math.h"
#include "stiction/extend/base.h"

#include "math/jacobi.h"

// quadratic convergence: fewer than 12 sweeps have been seen
enum { SWEEPS_MAX = 40 };

// zero a[p][q] by a rotation in that plane
static void rotate_plane(int32_t n, double* a, int32_t p, int32_t q)
{
    const double apq = a[p * n + q];
    const SticJacobiTurn turn = stic_eigen_turn(a[p * n + p], apq, a[q * n + q]);
    a[p * n + p] -= turn.t * apq;
    a[q * n + q] += turn.t * apq;
    a[p * n + q] = a[q * n + p] = 0.0;
    for (int32_t r = 0; r < n; ++r) {
        if (r == p || r == q)
            continue;
        const double arp = a[r * n + p], arq = a[r * n + q];
        a[r * n + p] = a[p * n + r] = turn.c * arp - turn.s * arq;
        a[r * n + q] = a[q * n + r] = turn.s * arp + turn.c * arq;
    }
}

void stic_dense_eigenvalues(int32_t n, double* a, double* values)
{
    STIC_ASSERT(n >= 0);
    STIC_ASSERT(n == 0 || values != a);
    double size = 0.0;
    for (int32_t i = 0; i < n * n; ++i)
        size = fabs(a[i]) > size ? fabs(a[i]) : size;
    // entries below the rounding of the largest one move no eigenvalue
    const double small = 0.5 * STIC_ROUNDING * size;
    bool turned = true;
    for (int sweep = 0; turned && sweep < SWEEPS_MAX; ++sweep) {
        turned = false;
        for (int32_t p = 0; p + 1 < n; ++p)
            for (int32_t q = p + 1; q < n; ++q)
                if (fabs(a[p * n + q]) > small) {
                    rotate_plane(n, a, p, q);
                    turned = true;
                }
    }
    // ascending, by insertion
    for (int32_t i = 0; i < n; ++i) {
        const double value = a[i * n + i];
        int32_t at = i;
        for (; at > 0 && values[at - 1] > value; --at)
            values[at] = values[at - 1];
        values[at] = value;
    }
}
