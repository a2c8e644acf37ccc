// SPDX-License-Identifier: Apache-2.0
// Vectors, 3x3 matrices and quaternions by value; everything here is inline.
#ifndef STICTION_VEC3_H
#define STICTION_VEC3_H

#include <math.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Vector of three components.
typedef struct SticVec3 {
    double x, y, z;
} SticVec3;

/// 3x3 matrix by rows: m[row][column].
typedef struct SticMat3 {
    double m[3][3];
} SticMat3;

/// Quaternion w + x i + y j + z k, scalar first, Hamilton product (i j = k).
typedef struct SticQuat {
    double w, x, y, z;
} SticQuat;

/* ---- vectors ---- */

/// Vector from its components.
static inline SticVec3 stic_vec3(double x, double y, double z)
{
    const SticVec3 made = {x, y, z};
    return made;
}

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

/// a . b
static inline double stic_vec3_dot(SticVec3 a, SticVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
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

/* ---- matrices ---- */

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

/* ---- quaternions ---- */

/// The unit quaternion of no rotation.
static inline SticQuat stic_quat_identity(void)
{
    const SticQuat made = {1.0, 0.0, 0.0, 0.0};
    return made;
}

/// Quaternion from scalar and vector part.
static inline SticQuat stic_quat(double scalar, SticVec3 vector)
{
    const SticQuat made = {scalar, vector.x, vector.y, vector.z};
    return made;
}

#ifdef __cplusplus
}
#endif

#endif
