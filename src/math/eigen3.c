// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and eigenvectors of symmetric 3x3 matrices by cyclic Jacobi rotations.
//
// Each rotation zeroes one off-diagonal entry (Golub and Van Loan, Matrix Computations,
// section 8.5); the sum of squares off the diagonal falls monotonically, at the end quadratically.
// Five or six sweeps of three rotations are usual. Chosen over the closed form by trigonometry,
// which loses half of the digits when eigenvalues cluster; for positive definite matrices small
// eigenvalues come out with small relative errors too (Demmel and Veselic 1992). No workspace.
#include "math/math.h"

#include "math/jacobi.h"
#include "stiction/extend/vec3.h"

// enough for any finite matrix: fewer than 10 sweeps have been seen
enum { SWEEPS_MAX = 40 };

// true if adding `part` to either diagonal entry changes nothing that matters
static bool is_negligible(double part, double p, double q)
{
    return fabs(part) <= 0.5 * STIC_ROUNDING * sqrt(fabs(p)) * sqrt(fabs(q)) ||
           fabs(part) < 0x1p-1000;
}

// zero a[p][q], p < q, by a rotation in that plane, and turn the vectors with it
static void rotate_plane(SticMat3* a, SticMat3* vectors, int p, int q)
{
    const int r = 3 - p - q;
    const double apq = a->m[p][q];
    const SticJacobiTurn turn = stic_eigen_turn(a->m[p][p], apq, a->m[q][q]);
    const double c = turn.c, s = turn.s, t = turn.t;
    a->m[p][p] -= t * apq;
    a->m[q][q] += t * apq;
    a->m[p][q] = a->m[q][p] = 0.0;
    const double arp = a->m[r][p], arq = a->m[r][q];
    a->m[r][p] = a->m[p][r] = c * arp - s * arq;
    a->m[r][q] = a->m[q][r] = s * arp + c * arq;
    for (int i = 0; i < 3; ++i) {
        const double vip = vectors->m[i][p], viq = vectors->m[i][q];
        vectors->m[i][p] = c * vip - s * viq;
        vectors->m[i][q] = s * vip + c * viq;
    }
}

static void exchange(SticMat3* a, SticMat3* vectors, int p, int q)
{
    if (a->m[p][p] <= a->m[q][q])
        return;
    const double value = a->m[p][p];
    a->m[p][p] = a->m[q][q];
    a->m[q][q] = value;
    for (int i = 0; i < 3; ++i) {
        const double entry = vectors->m[i][p];
        vectors->m[i][p] = vectors->m[i][q];
        vectors->m[i][q] = entry;
    }
}

void stic_eigen3_symmetric(SticMat3 a, SticVec3* values, SticMat3* vectors)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < i; ++j)
            a.m[i][j] = a.m[j][i];
    *vectors = stic_mat3_identity();
    if (!stic_mat3_is_finite(a)) {
        *values = stic_vec3(NAN, NAN, NAN);
        return;
    }
    // squares must neither over- nor underflow
    const double scale = stic_mat3_power(a);
    for (int i = 0; scale != 0.0 && i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            a.m[i][j] /= scale;

    bool turned = true;
    for (int sweep = 0; turned && sweep < SWEEPS_MAX; ++sweep) {
        turned = false;
        for (int p = 0; p < 2; ++p)
            for (int q = p + 1; q < 3; ++q)
                if (!is_negligible(a.m[p][q], a.m[p][p], a.m[q][q])) {
                    rotate_plane(&a, vectors, p, q);
                    turned = true;
                }
    }

    // ascending order, right-handed vectors
    exchange(&a, vectors, 0, 1);
    exchange(&a, vectors, 1, 2);
    exchange(&a, vectors, 0, 1);
    *values = stic_vec3(scale * a.m[0][0], scale * a.m[1][1], scale * a.m[2][2]);
    if (stic_mat3_det(*vectors) < 0.0)
        for (int i = 0; i < 3; ++i)
            vectors->m[i][2] = -vectors->m[i][2];
}

double stic_eigen2_largest(double a, double b, double c)
{
    const double half = 0.5 * (a - c);
    // the larger of the two squares is taken out of the root
    const double x = fabs(half), y = fabs(b);
    const double top = x > y ? x : y, low = x > y ? y : x;
    const double ratio = top > 0.0 ? low / top : 0.0;
    return 0.5 * (a + c) + top * sqrt(1.0 + ratio * ratio);
}
