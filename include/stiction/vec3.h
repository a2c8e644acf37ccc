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

/// a . b
static inline double stic_vec3_dot(SticVec3 a, SticVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* ---- quaternions ---- */

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
