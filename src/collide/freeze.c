// SPDX-License-Identifier: Apache-2.0
// Contacts of balls and points with planes and lines, frozen in the frames of two parts.
//
// A plane keeps its normal n by F' n, a line its direction by F^-1 e, F the map of the pose.
#include "collide/freeze.h"

SticVec3 stic_to_local(const SticPose* pose, SticVec3 x)
{
    const SticVec3 d = stic_vec3_sub(x, pose->origin);
    SticMat3 inverse;
    if (pose->rigid)
        return stic_mat3_transpose_mul_vec(pose->F, d);
    stic_mat3_inverse(pose->F, &inverse);
    return stic_mat3_mul_vec(inverse, d);
}

SticVec3 stic_normal_to_local(const SticPose* pose, SticVec3 n)
{
    return stic_vec3_normalize(stic_mat3_transpose_mul_vec(pose->F, n));
}

SticVec3 stic_line_to_local(const SticPose* pose, SticVec3 e)
{
    SticMat3 inverse;
    if (pose->rigid)
        return stic_mat3_transpose_mul_vec(pose->F, e);
    stic_mat3_inverse(pose->F, &inverse);
    return stic_mat3_mul_vec(inverse, e);
}

SticStatus stic_freeze_ball_on_plane(SticPairWork* work, const SticSides* sides,
                                     const SticBallTouch* touch)
{
    const int a = touch->a;
    const SticPose* B = &sides->pose[1 - a];
    SticContact contact = {
        .kernel = STIC_CONTACT_PLANE, .swapped = a == 1, .feature = touch->feature};
    stic_vec3_store(stic_to_local(&sides->pose[a], touch->centre), contact.local);
    stic_vec3_store(stic_to_local(B, touch->base), contact.local + 3);
    stic_vec3_store(stic_normal_to_local(B, touch->normal), contact.local + 6);
    contact.local[9] = touch->radius;
    work->face_side = touch->whole ? 1 - a : -1;
    const SticStatus status = stic_contact_put(work, &contact, sides->slack);
    work->face_side = -1;
    return status;
}

// a ball of side `a` against a line with a radius on the other side
SticStatus stic_freeze_ball_on_line(SticPairWork* work, const SticSides* sides,
                                    const SticBallTouch* ball, SticVec3 line, double radius)
{
    const int a = ball->a;
    SticContact contact = {
        .kernel = STIC_CONTACT_ROUND_EDGE, .swapped = a == 1, .feature = ball->feature};
    stic_vec3_store(stic_to_local(&sides->pose[a], ball->centre), contact.local);
    stic_vec3_store(stic_to_local(&sides->pose[1 - a], ball->base), contact.local + 3);
    stic_vec3_store(stic_line_to_local(&sides->pose[1 - a], line), contact.local + 6);
    contact.local[9] = ball->radius;
    contact.local[10] = radius;
    return stic_contact_put(work, &contact, sides->slack);
}
