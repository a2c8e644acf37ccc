// SPDX-License-Identifier: Apache-2.0
// Supports, bounds, surfaces whose nodes move, sums of mass properties.
#ifndef STIC_SHAPE_PRIVATE_H
#define STIC_SHAPE_PRIVATE_H

#include "stiction/base.h"
#include "stiction/extend/shape.h"
#include "stiction/vec3.h"

/// Axis-aligned box; low > high in a component if empty, infinite for a half-space.
typedef struct SticBounds {
    SticVec3 low, high;
} SticBounds;

/// Affine pose of a pseudo-rigid body.
SticPose stic_pose_affine(SticMat3 F, SticVec3 origin);
/// Pose of a SURFACE whose vertices lie at `vertex`; the array is borrowed. Every pair with it
/// fits the tree of the surface anew: where there are many, take stic_surface_nodes_pose.
SticPose stic_pose_vertices(const SticVec3* vertex);
/// Pose of an element inside a posed compound: outer after inner.
SticPose stic_pose_compose(const SticPose* outer, const SticPose* inner);

/* ---- creation ---- */

/// Triangle mesh whose vertices come with each pose; `def.vertex` is the reference form.
SticStatus stic_shape_create_surface(const SticContext* context, const SticMeshDef* def,
                                     SticShape** shape, SticError* error);
/// Nodes of a SURFACE, at first those of its reference form; the shape is borrowed.
SticStatus stic_surface_nodes_create(const SticContext* context, const SticShape* surface,
                                     SticSurfaceNodes** nodes);
/// Release nodes; NULL is allowed.
void stic_surface_nodes_destroy(SticSurfaceNodes* nodes);
/// The nodes lie at `vertex` from now on (borrowed): fits all boxes, once for all pairs that
/// follow.
void stic_surface_nodes_update(SticSurfaceNodes* nodes, const SticVec3* vertex);
/// Pose of the SURFACE at the last update; `nodes` is borrowed.
SticPose stic_surface_nodes_pose(const SticSurfaceNodes* nodes);

/* ---- questions ---- */

/// True for the kinds sphere to polyhedron.
bool stic_shape_is_convex(const SticShape* shape);
/// Farthest point of a bounded shape in a direction (any length but 0) of its own frame; for shapes
/// that are not convex the farthest point of their hull.
SticVec3 stic_shape_support(const SticShape* shape, SticVec3 direction);
/// Farthest point of a posed bounded shape in a direction of space.
SticVec3 stic_shape_support_posed(const SticShape* shape, const SticPose* pose, SticVec3 direction);
/// Smallest axis-aligned box around a posed shape, wider by `margin` on each side.
SticBounds stic_shape_bounds(const SticShape* shape, const SticPose* pose, double margin);

/* ---- mass ---- */

/// Properties after the map x = F X + origin, det F > 0, with the mass kept.
SticMassProperties stic_inertia_transform(const SticMassProperties* mass, const SticPose* pose);
/// Properties of two bodies taken as one.
SticMassProperties stic_inertia_add(const SticMassProperties* a, const SticMassProperties* b);
/// Principal moments in ascending order and axes as columns of a rotation: J = R diag(moments) R'.
void stic_inertia_principal(const SticMassProperties* mass, SticVec3* moments, SticMat3* axes);

#endif
