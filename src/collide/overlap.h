// SPDX-License-Identifier: Apache-2.0
// Contacts of two parts one of which is round, from the direction in which they are nearest.
#ifndef STIC_COLLIDE_OVERLAP_H
#define STIC_COLLIDE_OVERLAP_H

#include "collide/feature.h"

/// The two parts of a pair.
typedef struct SticSides {
    const SticPart* part[2]; ///< side 0 and 1
    SticPose pose[2];        ///< in the frame of the pair
    double slack, rounding, same;
} SticSides;

/// The nearest or deepest points of the two sides, and the direction from side 1 to side 0.
typedef struct SticNearest {
    SticVec3 n, a, b;
} SticNearest;

/// Contacts of two features, the one of higher rank on side `r`; none if they do not lie along each
/// other, or `beyond`: where they do, another triangle in the same plane takes over.
SticStatus stic_features_touch(SticPairWork* work, const SticSides* sides, int r,
                               const SticFeature feature[2], const SticNearest* near, bool* beyond);
/// The contact of the nearest points.
SticStatus stic_nearest_touch(SticPairWork* work, const SticSides* sides, const SticNearest* near);

#endif
