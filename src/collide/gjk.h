// SPDX-License-Identifier: Apache-2.0
// Convex sets by their support points, and the distance of two of them.
#ifndef STIC_COLLIDE_GJK_H
#define STIC_COLLIDE_GJK_H

#include "collide/collide.h"
#include "shape/shape.h"

/// A convex set: a posed shape or a few points, widened by a ball of radius `margin`.
typedef struct SticCore {
    const SticShape* shape;           ///< NULL: the points
    const SticVec3* point;            ///< [point_count]
    const SticPolyhedron* polyhedron; ///< faces and edges of shape or points where known, or NULL
    int32_t point_count;
    SticMat3 F;
    SticVec3 origin;
    double margin;
} SticCore;

/// Core of a convex shape: a sphere becomes its centre, a capsule its segment, with the radius as
/// margin, if the pose is rigid. `shift` is subtracted from the origin.
SticCore stic_core_of(const SticShape* shape, const SticPose* pose, SticVec3 shift);
/// Core of a few points.
SticCore stic_core_points(const SticVec3* point, int32_t count);
/// Farthest point of a core, without margin.
SticVec3 stic_core_support(const SticCore* core, SticVec3 direction);
/// Any point of a core.
SticVec3 stic_core_middle(const SticCore* core);

/// A point of the difference A - B with the two points it came from.
typedef struct SticDifference {
    SticVec3 w, a, b;
} SticDifference;

/// Distance of two cores, without margins, and the simplex of the nearest point.
typedef struct SticGjk {
    SticVec3 v;    ///< nearest point of A - B to the origin
    SticVec3 a, b; ///< its points of A and B
    double bound;  ///< the distance is at least this
    bool overlap;  ///< the distance is 0 up to rounding
    int32_t count; ///< points of the simplex
    int32_t iterations;
    SticDifference simplex[4];
} SticGjk;

/// Distance of two cores; ends early once it is known to be larger than `enough`.
SticGjk stic_gjk(const SticCore* A, const SticCore* B, double enough, SticSubdistance method);

#endif
