// SPDX-License-Identifier: Apache-2.0
// Contacts of two parts one of which is round, from the direction in which they are nearest.
#ifndef STIC_COLLIDE_OVERLAP_H
#define STIC_COLLIDE_OVERLAP_H

#include "collide/feature.h"

/// Radius of the ball around a part.
static inline double stic_part_radius(const SticPart* part)
{
    return part->shape != NULL ? part->shape->radius : part->polyhedron->radius;
}

/// Types of contacts in their numbers.
enum { STIC_LYING_POINT, STIC_LYING_NEAREST, STIC_LYING_ENDS, STIC_LYING_CROSSING };

/// Depth, as a part of the radii, beyond which the distance of axes means nothing.
#define STIC_LYING_DEEP 0.5

/// The two parts of a pair.
typedef struct SticSides {
    const SticPart* part[2]; ///< side 0 and 1
    SticPose pose[2];        ///< in the frame of the pair
    double slack, rounding, same;
} SticSides;

/// Lengths that matter for two parts of given sizes.
static inline void stic_sides_measure(SticSides* sides)
{
    const double u = 2.0 * stic_part_radius(sides->part[0]);
    const double v = 2.0 * stic_part_radius(sides->part[1]);
    const double small = u < v ? u : v, large = u < v ? v : u;
    sides->slack = STIC_TOUCH_PART * small;
    sides->same = STIC_SAME_PART * small;
    sides->rounding = STIC_DEPTH_PART * small + STIC_DEPTH_ROUNDING * large;
}

/// The nearest or deepest points of the two sides, and the direction from side 1 to side 0.
typedef struct SticNearest {
    SticVec3 n, a, b;
    double sine;  ///< of the angle by which n may be wrong
    double apart; ///< separation along n: no more than the distance or minus the depth
} SticNearest;

/// What remains for the nearest points after two features were compared.
typedef enum SticLeft {
    STIC_LEFT_MAYBE,   ///< a contact if they are nearer than the others
    STIC_LEFT_NEAREST, ///< a contact
    STIC_LEFT_NOTHING  ///< another triangle in the same plane takes over
} SticLeft;

/// Contacts of two features, the one of higher rank on side `r`; none if they do not lie along each
/// other. `near` may be NULL if side r is a half-space.
SticStatus stic_features_touch(SticPairWork* work, const SticSides* sides, int r,
                               const SticFeature feature[2], const SticNearest* near,
                               SticLeft* left);
/// All contacts of two parts, from their nearest points.
SticStatus stic_near_touch(SticPairWork* work, const SticSides* sides, const SticNearest* near);
/// The contact of the nearest points.
SticStatus stic_nearest_touch(SticPairWork* work, const SticSides* sides, const SticNearest* near);

#endif
