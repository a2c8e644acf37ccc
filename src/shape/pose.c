// SPDX-License-Identifier: Apache-2.0
// Poses of shapes.
#include "shape/private.h"

#include "math/math.h"
#include "stiction/extend/base.h"
#include "stiction/extend/vec3.h"

SticPose stic_pose_identity(void)
{
    return stic_pose_rigid(stic_mat3_identity(), stic_vec3_zero());
}

SticPose stic_pose_rigid(SticMat3 rotation, SticVec3 origin)
{
    return (SticPose){.F = rotation, .origin = origin, .rigid = true, .vertex = NULL};
}

SticPose stic_pose_affine(SticMat3 F, SticVec3 origin)
{
    return (SticPose){.F = F, .origin = origin, .rigid = false, .vertex = NULL};
}

SticPose stic_pose_vertices(const SticVec3* vertex)
{
    return (SticPose){
        .F = stic_mat3_identity(), .origin = stic_vec3_zero(), .rigid = false, .vertex = vertex};
}

SticPose stic_pose_compose(const SticPose* outer, const SticPose* inner)
{
    return (SticPose){.F = stic_mat3_mul(outer->F, inner->F),
                      .origin = stic_pose_apply(outer, inner->origin),
                      .rigid = outer->rigid && inner->rigid,
                      .vertex = NULL};
}

SticVec3 stic_pose_apply(const SticPose* pose, SticVec3 X)
{
    return pose == NULL ? X : stic_vec3_add(stic_mat3_mul_vec(pose->F, X), pose->origin);
}

SticQuat stic_pose_orientation(const SticPose* pose)
{
    if (pose == NULL)
        return stic_quat(1.0, stic_vec3(0.0, 0.0, 0.0));
    SticMat3 rotation = pose->F, stretch;
    if (!pose->rigid && stic_polar3(pose->F, &rotation, &stretch) != STIC_OK)
        rotation = pose->F;
    return stic_quat_from_matrix(rotation);
}
