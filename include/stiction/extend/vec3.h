// SPDX-License-Identifier: Apache-2.0
// More of vectors, matrices and quaternions.
#ifndef STICTION_EXTEND_VEC3_H
#define STICTION_EXTEND_VEC3_H

#include <math.h>
#include <stdbool.h>

#include "stiction/vec3.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The zero vector.
static inline SticVec3 stic_vec3_zero(void)
{
    const SticVec3 made = {0.0, 0.0, 0.0};
    return made;
}

/// a + b
static inline SticVec3 stic_vec3_add(SticVec3 a, SticVec3 b)
{
    const SticVec3 made = {a.x + b.x, a.y + b.y, a.z + b.z};
    return made;
}

/// a - b
static inline SticVec3 stic_vec3_sub(SticVec3 a, SticVec3 b)
{
    const SticVec3 made = {a.x - b.x, a.y - b.y, a.z - b.z};
    return made;
}

/// s a
static inline SticVec3 stic_vec3_scale(double s, SticVec3 a)
{
    const SticVec3 made = {s * a.x, s * a.y, s * a.z};
    return made;
}

/// a x b
static inline SticVec3 stic_vec3_cross(SticVec3 a, SticVec3 b)
{
    const SticVec3 made = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return made;
}

/// |a|, without protection against overflow of the squares.
static inline double stic_vec3_norm(SticVec3 a)
{
    return sqrt(stic_vec3_dot(a, a));
}

/// The identity.
static inline SticMat3 stic_mat3_identity(void)
{
    const SticMat3 made = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    return made;
}

/// a x
static inline SticVec3 stic_mat3_mul_vec(SticMat3 a, SticVec3 x)
{
    const SticVec3 made = {a.m[0][0] * x.x + a.m[0][1] * x.y + a.m[0][2] * x.z,
                           a.m[1][0] * x.x + a.m[1][1] * x.y + a.m[1][2] * x.z,
                           a.m[2][0] * x.x + a.m[2][1] * x.y + a.m[2][2] * x.z};
    return made;
}

/// The unit quaternion of no rotation.
static inline SticQuat stic_quat_identity(void)
{
    const SticQuat made = {1.0, 0.0, 0.0, 0.0};
    return made;
}

/* ---- vectors ---- */

/// Vector from three consecutive doubles.
static inline SticVec3 stic_vec3_load(const double from[3])
{
    const SticVec3 made = {from[0], from[1], from[2]};
    return made;
}

/// Write a vector to three consecutive doubles.
static inline void stic_vec3_store(SticVec3 a, double to[3])
{
    to[0] = a.x;
    to[1] = a.y;
    to[2] = a.z;
}

/// Component 0, 1 or 2.
static inline double stic_vec3_get(SticVec3 a, int i)
{
    return i == 0 ? a.x : i == 1 ? a.y : a.z;
}

/// -a
static inline SticVec3 stic_vec3_neg(SticVec3 a)
{
    const SticVec3 made = {-a.x, -a.y, -a.z};
    return made;
}

/// a + s b
static inline SticVec3 stic_vec3_add_scaled(SticVec3 a, double s, SticVec3 b)
{
    const SticVec3 made = {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
    return made;
}

/// Component-wise product.
static inline SticVec3 stic_vec3_mul(SticVec3 a, SticVec3 b)
{
    const SticVec3 made = {a.x * b.x, a.y * b.y, a.z * b.z};
    return made;
}

/// Component-wise smaller value.
static inline SticVec3 stic_vec3_min(SticVec3 a, SticVec3 b)
{
    const SticVec3 made = {a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
    return made;
}

/// Component-wise larger value.
static inline SticVec3 stic_vec3_max(SticVec3 a, SticVec3 b)
{
    const SticVec3 made = {a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z};
    return made;
}

/// Component-wise absolute value.
static inline SticVec3 stic_vec3_abs(SticVec3 a)
{
    const SticVec3 made = {fabs(a.x), fabs(a.y), fabs(a.z)};
    return made;
}

/// a + t (b - a)
static inline SticVec3 stic_vec3_lerp(SticVec3 a, SticVec3 b, double t)
{
    return stic_vec3_add_scaled(a, t, stic_vec3_sub(b, a));
}

/// a . (b x c)
static inline double stic_vec3_triple(SticVec3 a, SticVec3 b, SticVec3 c)
{
    return stic_vec3_dot(a, stic_vec3_cross(b, c));
}

/// |a|^2
static inline double stic_vec3_norm2(SticVec3 a)
{
    return stic_vec3_dot(a, a);
}

/// Largest absolute component.
static inline double stic_vec3_norm_max(SticVec3 a)
{
    const SticVec3 b = stic_vec3_abs(a);
    const double xy = b.x > b.y ? b.x : b.y;
    return xy > b.z ? xy : b.z;
}

/// |a - b|
static inline double stic_vec3_distance(SticVec3 a, SticVec3 b)
{
    return stic_vec3_norm(stic_vec3_sub(a, b));
}

/// a / |a|; the zero vector stays zero, and vectors whose square under- or overflows are scaled
/// first.
static inline SticVec3 stic_vec3_normalize(SticVec3 a)
{
    double square = stic_vec3_dot(a, a);
    if (!(square > 0x1p-900 && square < 0x1p900)) {
        const double top = stic_vec3_norm_max(a);
        if (top == 0.0)
            return a;
        a = stic_vec3(a.x / top, a.y / top, a.z / top);
        square = stic_vec3_dot(a, a);
    }
    const double norm = sqrt(square);
    const SticVec3 made = {a.x / norm, a.y / norm, a.z / norm};
    return made;
}

/// True if no component is infinite or NaN.
static inline bool stic_vec3_is_finite(SticVec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/// True if all components are equal (0 equals -0).
static inline bool stic_vec3_is_equal(SticVec3 a, SticVec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* ---- matrices ---- */

/// The zero matrix.
static inline SticMat3 stic_mat3_zero(void)
{
    const SticMat3 made = {{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
    return made;
}

/// Diagonal matrix.
static inline SticMat3 stic_mat3_diag(SticVec3 d)
{
    const SticMat3 made = {{{d.x, 0.0, 0.0}, {0.0, d.y, 0.0}, {0.0, 0.0, d.z}}};
    return made;
}

/// Matrix from its rows.
static inline SticMat3 stic_mat3_from_rows(SticVec3 a, SticVec3 b, SticVec3 c)
{
    const SticMat3 made = {{{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}}};
    return made;
}

/// Matrix from its columns.
static inline SticMat3 stic_mat3_from_columns(SticVec3 a, SticVec3 b, SticVec3 c)
{
    const SticMat3 made = {{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
    return made;
}

/// Matrix from nine consecutive doubles, by rows.
static inline SticMat3 stic_mat3_load(const double from[9])
{
    const SticMat3 made = {
        {{from[0], from[1], from[2]}, {from[3], from[4], from[5]}, {from[6], from[7], from[8]}}};
    return made;
}

/// Write a matrix to nine consecutive doubles, by rows.
static inline void stic_mat3_store(SticMat3 a, double to[9])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            to[3 * i + j] = a.m[i][j];
}

/// Row i.
static inline SticVec3 stic_mat3_row(SticMat3 a, int i)
{
    const SticVec3 made = {a.m[i][0], a.m[i][1], a.m[i][2]};
    return made;
}

/// Column j.
static inline SticVec3 stic_mat3_column(SticMat3 a, int j)
{
    const SticVec3 made = {a.m[0][j], a.m[1][j], a.m[2][j]};
    return made;
}

/// a + b
static inline SticMat3 stic_mat3_add(SticMat3 a, SticMat3 b)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            a.m[i][j] += b.m[i][j];
    return a;
}

/// a - b
static inline SticMat3 stic_mat3_sub(SticMat3 a, SticMat3 b)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            a.m[i][j] -= b.m[i][j];
    return a;
}

/// s a
static inline SticMat3 stic_mat3_scale(double s, SticMat3 a)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            a.m[i][j] *= s;
    return a;
}

/// a + s b
static inline SticMat3 stic_mat3_add_scaled(SticMat3 a, double s, SticMat3 b)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            a.m[i][j] += s * b.m[i][j];
    return a;
}

/// a'
static inline SticMat3 stic_mat3_transpose(SticMat3 a)
{
    const SticMat3 made = {{{a.m[0][0], a.m[1][0], a.m[2][0]},
                            {a.m[0][1], a.m[1][1], a.m[2][1]},
                            {a.m[0][2], a.m[1][2], a.m[2][2]}}};
    return made;
}

/// a b
static inline SticMat3 stic_mat3_mul(SticMat3 a, SticMat3 b)
{
    SticMat3 c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
    return c;
}

/// a b'
static inline SticMat3 stic_mat3_mul_transpose(SticMat3 a, SticMat3 b)
{
    return stic_mat3_mul(a, stic_mat3_transpose(b));
}

/// a' b
static inline SticMat3 stic_mat3_transpose_mul(SticMat3 a, SticMat3 b)
{
    return stic_mat3_mul(stic_mat3_transpose(a), b);
}

/// a' x
static inline SticVec3 stic_mat3_transpose_mul_vec(SticMat3 a, SticVec3 x)
{
    const SticVec3 made = {a.m[0][0] * x.x + a.m[1][0] * x.y + a.m[2][0] * x.z,
                           a.m[0][1] * x.x + a.m[1][1] * x.y + a.m[2][1] * x.z,
                           a.m[0][2] * x.x + a.m[1][2] * x.y + a.m[2][2] * x.z};
    return made;
}

/// a b'
static inline SticMat3 stic_mat3_outer(SticVec3 a, SticVec3 b)
{
    const SticMat3 made = {{{a.x * b.x, a.x * b.y, a.x * b.z},
                            {a.y * b.x, a.y * b.y, a.y * b.z},
                            {a.z * b.x, a.z * b.y, a.z * b.z}}};
    return made;
}

/// hat(a): hat(a) b = a x b
static inline SticMat3 stic_mat3_skew(SticVec3 a)
{
    const SticMat3 made = {{{0.0, -a.z, a.y}, {a.z, 0.0, -a.x}, {-a.y, a.x, 0.0}}};
    return made;
}

/// Axial vector of the skew part: the a for which hat(a) = (A - A') / 2.
static inline SticVec3 stic_mat3_axial(SticMat3 a)
{
    const SticVec3 made = {0.5 * (a.m[2][1] - a.m[1][2]), 0.5 * (a.m[0][2] - a.m[2][0]),
                           0.5 * (a.m[1][0] - a.m[0][1])};
    return made;
}

/// (a + a') / 2
static inline SticMat3 stic_mat3_symmetric(SticMat3 a)
{
    return stic_mat3_scale(0.5, stic_mat3_add(a, stic_mat3_transpose(a)));
}

/// Trace.
static inline double stic_mat3_trace(SticMat3 a)
{
    return a.m[0][0] + a.m[1][1] + a.m[2][2];
}

/// A : B, the sum of products of entries.
static inline double stic_mat3_contract(SticMat3 a, SticMat3 b)
{
    double sum = 0.0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            sum += a.m[i][j] * b.m[i][j];
    return sum;
}

/// Frobenius norm.
static inline double stic_mat3_norm(SticMat3 a)
{
    return sqrt(stic_mat3_contract(a, a));
}

/// Largest power of two that does not exceed the largest absolute entry; 0 for the zero matrix.
static inline double stic_mat3_power(SticMat3 a)
{
    double top = 0.0;
    for (int i = 0; i < 3; ++i) {
        const double row = stic_vec3_norm_max(stic_mat3_row(a, i));
        top = row > top ? row : top;
    }
    int exponent = 0;
    (void)frexp(top, &exponent);
    return top == 0.0 ? 0.0 : ldexp(1.0, exponent - 1);
}

/// Determinant.
static inline double stic_mat3_det(SticMat3 a)
{
    return stic_vec3_triple(stic_mat3_row(a, 0), stic_mat3_row(a, 1), stic_mat3_row(a, 2));
}

/// Cofactor matrix: cof(A) = det(A) A^-T for regular A, defined for every A.
static inline SticMat3 stic_mat3_cofactor(SticMat3 a)
{
    const SticVec3 p = stic_mat3_row(a, 0), q = stic_mat3_row(a, 1), r = stic_mat3_row(a, 2);
    return stic_mat3_from_rows(stic_vec3_cross(q, r), stic_vec3_cross(r, p), stic_vec3_cross(p, q));
}

/// True if no entry is infinite or NaN.
static inline bool stic_mat3_is_finite(SticMat3 a)
{
    return stic_vec3_is_finite(stic_mat3_row(a, 0)) && stic_vec3_is_finite(stic_mat3_row(a, 1)) &&
           stic_vec3_is_finite(stic_mat3_row(a, 2));
}

/// Inverse by cofactors; false (and `inverse` zero) if the determinant is 0 or the result not
/// finite.
static inline bool stic_mat3_inverse(SticMat3 a, SticMat3* inverse)
{
    const SticMat3 cofactor = stic_mat3_cofactor(a);
    const double det = stic_vec3_dot(stic_mat3_row(a, 0), stic_mat3_row(cofactor, 0));
    *inverse = stic_mat3_scale(1.0 / det, stic_mat3_transpose(cofactor));
    if (det != 0.0 && stic_mat3_is_finite(*inverse))
        return true;
    *inverse = stic_mat3_zero();
    return false;
}

/// Right-handed orthonormal frame with the unit vector n as first column and tangents as second and
/// third. A continuous function of n except at n = (0, 0, -1) (Duff et al. 2017).
static inline SticMat3 stic_mat3_frame(SticVec3 n)
{
    const double sign = n.z < 0.0 ? -1.0 : 1.0;
    const double a = -1.0 / (sign + n.z);
    const double b = n.x * n.y * a;
    const SticVec3 t1 = {1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x};
    const SticVec3 t2 = {b, sign + n.y * n.y * a, -n.y};
    return stic_mat3_from_columns(n, t1, t2);
}

/* ---- quaternions ---- */

/// Vector part.
static inline SticVec3 stic_quat_vector(SticQuat a)
{
    const SticVec3 made = {a.x, a.y, a.z};
    return made;
}

/// Quaternion from four consecutive doubles, scalar first.
static inline SticQuat stic_quat_load(const double from[4])
{
    const SticQuat made = {from[0], from[1], from[2], from[3]};
    return made;
}

/// Write a quaternion to four consecutive doubles, scalar first.
static inline void stic_quat_store(SticQuat a, double to[4])
{
    to[0] = a.w;
    to[1] = a.x;
    to[2] = a.y;
    to[3] = a.z;
}

/// a + b
static inline SticQuat stic_quat_add(SticQuat a, SticQuat b)
{
    const SticQuat made = {a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z};
    return made;
}

/// s a
static inline SticQuat stic_quat_scale(double s, SticQuat a)
{
    const SticQuat made = {s * a.w, s * a.x, s * a.y, s * a.z};
    return made;
}

/// Inner product of the four components.
static inline double stic_quat_dot(SticQuat a, SticQuat b)
{
    return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}

/// Hamilton product a b (Möller 2011, section 4.3: (a0 b0 - a.b, a0 b + b0 a + a x b)).
static inline SticQuat stic_quat_mul(SticQuat a, SticQuat b)
{
    const SticQuat made = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                           a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                           a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                           a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    return made;
}

/// Conjugate.
static inline SticQuat stic_quat_conjugate(SticQuat a)
{
    const SticQuat made = {a.w, -a.x, -a.y, -a.z};
    return made;
}

/// Norm |a|.
static inline double stic_quat_norm(SticQuat a)
{
    return sqrt(stic_quat_dot(a, a));
}

/// a / |a|; the zero quaternion gives the identity.
static inline SticQuat stic_quat_normalize(SticQuat a)
{
    const double norm = stic_quat_norm(a);
    if (norm == 0.0)
        return stic_quat_identity();
    const SticQuat made = {a.w / norm, a.x / norm, a.y / norm, a.z / norm};
    return made;
}

/// Scaled rotation s R with s = |a|^2, of A (0,x) A* = (0, s R x); the rotation itself if a is a
/// unit.
static inline SticMat3 stic_quat_to_scaled_matrix(SticQuat a)
{
    const double ww = a.w * a.w, xx = a.x * a.x, yy = a.y * a.y, zz = a.z * a.z;
    const double xy = a.x * a.y, xz = a.x * a.z, yz = a.y * a.z;
    const double wx = a.w * a.x, wy = a.w * a.y, wz = a.w * a.z;
    const SticMat3 made = {{{ww + xx - yy - zz, 2.0 * (xy - wz), 2.0 * (xz + wy)},
                            {2.0 * (xy + wz), ww - xx + yy - zz, 2.0 * (yz - wx)},
                            {2.0 * (xz - wy), 2.0 * (yz + wx), ww - xx - yy + zz}}};
    return made;
}

/// Rotation matrix of a quaternion of any norm but 0 (Möller 2011, section 4.3).
static inline SticMat3 stic_quat_to_matrix(SticQuat a)
{
    return stic_mat3_scale(1.0 / stic_quat_dot(a, a), stic_quat_to_scaled_matrix(a));
}

/// A (0,x) A*: x rotated, and scaled by |a|^2.
static inline SticVec3 stic_quat_rotate(SticQuat a, SticVec3 x)
{
    const SticVec3 v = stic_quat_vector(a);
    const SticVec3 t = stic_vec3_add_scaled(stic_vec3_cross(v, x), a.w, x);
    return stic_vec3_add(stic_vec3_add_scaled(stic_vec3_cross(v, t), a.w, t),
                         stic_vec3_scale(stic_vec3_dot(v, x), v));
}

/// Unit quaternion of a rotation matrix, with w >= 0: the largest of the four components is found
/// first (Shepperd 1978), so that no division is by a small number.
static inline SticQuat stic_quat_from_matrix(SticMat3 r)
{
    const double trace = stic_mat3_trace(r);
    SticQuat q;
    if (trace >= r.m[0][0] && trace >= r.m[1][1] && trace >= r.m[2][2]) {
        q = stic_quat(1.0 + trace, stic_vec3(r.m[2][1] - r.m[1][2], r.m[0][2] - r.m[2][0],
                                             r.m[1][0] - r.m[0][1]));
    } else if (r.m[0][0] >= r.m[1][1] && r.m[0][0] >= r.m[2][2]) {
        q = stic_quat(
            r.m[2][1] - r.m[1][2],
            stic_vec3(1.0 + 2.0 * r.m[0][0] - trace, r.m[0][1] + r.m[1][0], r.m[0][2] + r.m[2][0]));
    } else if (r.m[1][1] >= r.m[2][2]) {
        q = stic_quat(
            r.m[0][2] - r.m[2][0],
            stic_vec3(r.m[0][1] + r.m[1][0], 1.0 + 2.0 * r.m[1][1] - trace, r.m[1][2] + r.m[2][1]));
    } else {
        q = stic_quat(r.m[1][0] - r.m[0][1], stic_vec3(r.m[0][2] + r.m[2][0], r.m[1][2] + r.m[2][1],
                                                       1.0 + 2.0 * r.m[2][2] - trace));
    }
    q = stic_quat_normalize(q);
    return q.w < 0.0 ? stic_quat_scale(-1.0, q) : q;
}

/// phi(A), 4x4 by rows, with psi(A B) = phi(A) psi(B) (Möller 2011, section 4.3).
static inline void stic_quat_left_matrix(SticQuat a, double phi[4][4])
{
    const double rows[4][4] = {{a.w, -a.x, -a.y, -a.z},
                               {a.x, a.w, -a.z, a.y},
                               {a.y, a.z, a.w, -a.x},
                               {a.z, -a.y, a.x, a.w}};
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            phi[i][j] = rows[i][j];
}

#ifdef __cplusplus
}
#endif

#endif
