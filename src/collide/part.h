// SPDX-License-Identifier: Apache-2.0
// Convex parts of shapes, and the functions that find the contacts of two of them.
#ifndef STIC_COLLIDE_PART_H
#define STIC_COLLIDE_PART_H

#include "collide/gjk.h"
#include "collide/hull.h"

/// A convex part of one of the two shapes, or a half-space.
typedef struct SticPart {
    const SticShape* shape;           ///< NULL for a triangle
    const SticPolyhedron* polyhedron; ///< box, polyhedron or triangle, else NULL
    SticPose pose;                    ///< relative to the base of the pair
    int32_t side;                     ///< 0 or 1: of which shape
} SticPart;

/// Pose of a part in the frame of another with a rigid pose.
SticPose stic_part_seen_from(const SticPart* part, const SticPart* frame);
/// True if the part is of a kind and moves rigidly.
bool stic_part_is(const SticPart* part, SticShapeKind kind);

/// Sphere with a polyhedron, sphere, capsule, cylinder or half-space.
SticStatus stic_sphere_touch(SticPairWork* work, const SticPart* sphere, const SticPart* other);
/// Capsule with a capsule or half-space.
SticStatus stic_capsule_touch(SticPairWork* work, const SticPart* capsule, const SticPart* other);
/// Any two convex parts, one of them round and not a ball.
SticStatus stic_smooth_touch(SticPairWork* work, const SticPart* first, const SticPart* second);
/// Whether a part and a triangle overlap.
bool stic_part_cuts(const SticPart* part, const SticPart* triangle);
/// Any round part and a triangle without a contact: if it cuts it, what it has below the triangle.
SticStatus stic_below_touch(SticPairWork* work, const SticPart* round, const SticPart* triangle,
                            SticOnTriangle* kind);
/// Cylinder, ellipsoid or deformed round part on a half-space.
SticStatus stic_smooth_on_plane(SticPairWork* work, const SticPart* part, const SticPart* plane);
/// One point and averaged normal of two polyhedra (rule CENTROID).
SticStatus stic_centroid_touch(SticPairWork* work, const SticPart* first, const SticPart* second);
/// The same for a hull and a half-space, in the frame of the latter; `side` as in
/// stic_hull_on_plane.
SticStatus stic_centroid_on_plane(SticPairWork* work, const SticHull* hull, const SticPlane* plane,
                                  int32_t side);

/// Contacts of a convex part with the triangles of a mesh or height field.
SticStatus stic_part_touch_mesh(SticPairWork* work, const SticPart* convex, const SticShape* mesh,
                                const SticPose* pose);
/// Contacts of two convex parts.
SticStatus stic_part_touch(SticPairWork* work, const SticPart* first, const SticPart* second);

/// Merge contacts from `first` on that share a place and a normal; their areas are added.
void stic_contacts_join(SticPairWork* work, int32_t first, double same);
/// Add a contact that is complete except for its state.
SticStatus stic_contact_put(SticPairWork* work, const SticContact* contact, double slack);

#endif
