// SPDX-License-Identifier: Apache-2.0
// One side of a contact: where a body is, and how it moves.
//
// A material point p of a body lies at x + R p. R is a rotation matrix, the scaled rotation s R of
// a quaternion, the deformation gradient of a pseudo-rigid body, or I for a point mass. Its
// velocity is V = v + L (P - x) at the place P; with the block's velocities held, V changes by
//
//   V' = a + A (P - x) + L (P' - v)
//
//   rigid          L = hat(w)           a = 0, A = 0
//   pseudo-rigid   L = Fdot F^-1        a = 0, A = -L L
//   prescribed     L = hat(w)           a and A = hat(dw/dt) are given
#ifndef STIC_WORLD_SIDE_H
#define STIC_WORLD_SIDE_H

#include "body/body.h"
#include "stiction/extend/vec3.h"

/// Pose and motion of one side.
typedef struct SticSide {
    SticVec3 x;   ///< origin of the block's frame
    SticMat3 R;   ///< s times a rotation, or a deformation gradient
    double s;     ///< 1 but for quaternions that are not of unit length
    bool affine;  ///< R is F of a block of 12 velocities
    bool deforms; ///< and not kept a rotation: normals are F^-T n
    SticVec3 v;   ///< velocity of the origin; this and the rest only with rates
    SticMat3 L;   ///< velocity gradient
    SticVec3 a;   ///< acceleration of a prescribed origin
    SticMat3 A;   ///< see above
} SticSide;

/// The side of a fixed body: the world itself.
static inline SticSide stic_side_world(void)
{
    return (SticSide){.x = stic_vec3_zero(), .R = stic_mat3_identity(), .s = 1.0};
}

/// Pose of a block with n velocities from its coordinates; not whether it deforms.
static inline void stic_side_place(SticChart chart, int32_t n, const double* q, SticSide* side)
{
    side->x = stic_vec3_load(q);
    side->s = 1.0;
    side->affine = false;
    if (chart == STIC_CHART_ROTATION) {
        side->R = stic_mat3_load(q + 3);
    } else if (chart == STIC_CHART_LINEAR) {
        side->affine = n == 12;
        side->R = side->affine ? stic_mat3_load(q + 3) : stic_mat3_identity();
    } else {
        const SticQuat a = stic_quat_load(q + 3);
        side->R = stic_quat_to_scaled_matrix(a);
        side->s = stic_quat_dot(a, a);
    }
}

/// Add the motion to a pose; the rate of the scale of a scalable block, which is 0 where steps begin
/// and end, is left out.
static inline void stic_side_move(SticChart chart, const double* u, SticSide* side)
{
    side->v = stic_vec3_load(u);
    if (side->affine) {
        SticMat3 inverse = stic_mat3_zero();
        (void)stic_mat3_inverse(side->R, &inverse);
        side->L = stic_mat3_mul(stic_mat3_load(u + 3), inverse);
        side->A = stic_mat3_scale(-1.0, stic_mat3_mul(side->L, side->L));
    } else if (chart == STIC_CHART_SCALABLE) {
        // omega is s times the angular velocity (Möller 4.76), and comes after the rate
        const SticVec3 w = stic_mat3_mul_vec(side->R, stic_vec3_load(u + 4));
        side->L = stic_mat3_skew(stic_vec3_scale(1.0 / (side->s * side->s), w));
    } else if (chart != STIC_CHART_LINEAR) {
        const SticVec3 w = stic_mat3_mul_vec(side->R, stic_vec3_load(u + 3));
        side->L = stic_mat3_skew(stic_vec3_scale(1.0 / side->s, w));
    }
}

/// R p of a point or direction of a side.
static inline SticVec3 stic_side_turn(const SticSide* side, const double* p)
{
    return stic_mat3_mul_vec(side->R, stic_vec3_load(p));
}

/// Rate of an arm R p.
static inline SticVec3 stic_side_spin(const SticSide* side, SticVec3 arm)
{
    return stic_mat3_mul_vec(side->L, arm);
}

/// The material point at a place, up to the factor s of scaled rotations.
static inline SticVec3 stic_side_material(const SticSide* side, SticVec3 place)
{
    const SticVec3 arm = stic_vec3_sub(place, side->x);
    SticMat3 inverse = stic_mat3_zero();
    if (!side->affine)
        return stic_mat3_transpose_mul_vec(side->R, arm);
    (void)stic_mat3_inverse(side->R, &inverse);
    return stic_mat3_mul_vec(inverse, arm);
}

#endif
