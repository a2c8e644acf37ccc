// SPDX-License-Identifier: Apache-2.0
// Extent of everything that forces do not move: the box of fixed and prescribed shapes at the
// start.
//
// A half-space has no box; its points below the bodies count, at the places they start from.
#include <math.h>

#include "math/math.h"
#include "shape/shape.h"
#include "world/world.h"

static void include(SticBounds* box, SticVec3 point)
{
    box->low = stic_vec3_min(box->low, point);
    box->high = stic_vec3_max(box->high, point);
}

// feet of the perpendiculars from all bodies that move
static void include_feet(const SticView* view, const SticPlane* plane, const SticPose* pose,
                         SticBounds* box)
{
    const SticVec3 on = stic_pose_apply(pose, stic_vec3_scale(plane->offset, plane->normal));
    const SticVec3 n =
        stic_vec3_normalize(stic_mat3_mul_vec(stic_mat3_cofactor(pose->F), plane->normal));
    for (int32_t i = 0; i < view->blocks; ++i) {
        const SticVec3 x = stic_view_is_node(view, i)
                               ? stic_vec3_load(view->origin[i])
                               : view->world->body[view->body_of[i]].def.position;
        const double height = stic_vec3_dot(n, stic_vec3_sub(x, on));
        include(box, stic_vec3_sub(x, stic_vec3_scale(height, n)));
    }
}

void stic_view_measure_extent(SticView* view)
{
    const double most = (double)INFINITY;
    SticBounds box = {stic_vec3(most, most, most), stic_vec3(-most, -most, -most)};
    for (int32_t i = 0; i < view->shapes; ++i) {
        const SticBlockShape* shape = &view->shape[i];
        if (shape->block >= 0 || shape->facet != NULL)
            continue;
        // shapes of fixed bodies lie in world axes, of prescribed ones in their body's
        const SticPose pose = shape->block == -1
                                  ? shape->pose
                                  : stic_pose_compose(&view->fixed[shape->body], &shape->pose);
        if (stic_shape_kind(shape->shape) == STIC_SHAPE_HALF_SPACE) {
            include_feet(view, &shape->shape->as.half_space, &pose, &box);
            continue;
        }
        const SticBounds bounds = stic_shape_bounds(shape->shape, &pose, 0.0);
        include(&box, bounds.low);
        include(&box, bounds.high);
    }
    stic_vec3_store(box.low, view->box[0]);
    stic_vec3_store(box.high, view->box[1]);
    view->system.box = box.low.x <= box.high.x ? (const double(*)[3])view->box : NULL;
}
