// SPDX-License-Identifier: Apache-2.0
// Polar decomposition F = R S of a 3x3 matrix through one-sided Jacobi rotations.
//
// 1. Rotations V from the right make the columns of G = F V orthogonal, by pairs (Hestenes 1958).
// 2. With U the unit columns of G:  R = U V',  S = sym(R'F).
//
// Chosen over the scaled Newton iteration (Higham 1986), which was tried first: with an inverse by
// cofactors |R S - F| grows with the condition number, with one by elimination it is at times 20
// times larger than rounding, and it is not faster. Here it stays at rounding for every condition
// number. Three to six sweeps of three rotations, about 50 operations each; no workspace.
#include "math/math.h"
#include "stiction/extend/base.h"

#include "math/jacobi.h"
#include "stiction/extend/vec3.h"

// enough for any finite matrix: fewer than 12 sweeps have been seen
enum { SWEEPS_MAX = 40 };

static void turn_columns(SticMat3* a, SticJacobiTurn turn, int p, int q)
{
    for (int i = 0; i < 3; ++i) {
        const double ap = a->m[i][p], aq = a->m[i][q];
        a->m[i][p] = turn.c * ap - turn.s * aq;
        a->m[i][q] = turn.s * ap + turn.c * aq;
    }
}

// make the columns p and q of g orthogonal; false if they are, up to rounding
static bool turn_pair(SticMat3* g, SticMat3* v, int p, int q)
{
    const SticVec3 a = stic_mat3_column(*g, p), b = stic_mat3_column(*g, q);
    const double aa = stic_vec3_norm2(a), bb = stic_vec3_norm2(b), ab = stic_vec3_dot(a, b);
    // three products and two sums
    if (fabs(ab) <= 3.0 * STIC_ROUNDING * sqrt(aa) * sqrt(bb))
        return false;
    const SticJacobiTurn turn = stic_eigen_turn(aa, ab, bb);
    turn_columns(g, turn, p, q);
    turn_columns(v, turn, p, q);
    return true;
}

SticStatus stic_polar3(SticMat3 f, SticMat3* rotation, SticMat3* stretch)
{
    STIC_ASSERT(rotation != NULL);
    *rotation = stic_mat3_identity();
    *stretch = stic_mat3_zero();
    if (!stic_mat3_is_finite(f))
        return STIC_NOT_FINITE;
    // squares must not overflow
    const double scale = stic_mat3_power(f);
    if (scale == 0.0)
        return STIC_SINGULAR;
    SticMat3 g, v = stic_mat3_identity();
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            g.m[i][j] = f.m[i][j] / scale;
    bool turned = true;
    for (int sweep = 0; turned && sweep < SWEEPS_MAX; ++sweep) {
        const bool first = turn_pair(&g, &v, 0, 1), second = turn_pair(&g, &v, 0, 2);
        turned = turn_pair(&g, &v, 1, 2) || first || second;
    }

    // unit columns; a column that is only rounding error of the others has no direction
    const SticVec3 size = {stic_vec3_norm(stic_mat3_column(g, 0)),
                           stic_vec3_norm(stic_mat3_column(g, 1)),
                           stic_vec3_norm(stic_mat3_column(g, 2))};
    const double limit = 4.0 * STIC_ROUNDING * stic_vec3_norm_max(size);
    if (size.x <= limit || size.y <= limit || size.z <= limit)
        return STIC_SINGULAR;
    for (int i = 0; i < 3; ++i) {
        g.m[i][0] /= size.x;
        g.m[i][1] /= size.y;
        g.m[i][2] /= size.z;
    }
    *rotation = stic_rotation_clean(stic_mat3_mul_transpose(g, v));
    *stretch = stic_mat3_symmetric(stic_mat3_transpose_mul(*rotation, f));
    return stic_mat3_det(*rotation) > 0.0 ? STIC_OK : STIC_BAD_DATA;
}
