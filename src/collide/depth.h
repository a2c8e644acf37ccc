// SPDX-License-Identifier: Apache-2.0
// Depth of two overlapping convex sets.
#ifndef STIC_COLLIDE_DEPTH_H
#define STIC_COLLIDE_DEPTH_H

#include "collide/gjk.h"

/// Smallest translation that separates two sets.
typedef struct SticDepth {
    SticVec3 normal; ///< unit, from B to A
    double depth;    ///< > 0
    SticVec3 a, b;   ///< deepest points, a - b = -depth normal
    bool found;      ///< false if the difference has no volume
} SticDepth;

/// Depth of two overlapping cores without margins, from the simplex of their distance.
SticStatus stic_depth(SticArena* arena, const SticCore* A, const SticCore* B, const SticGjk* gjk,
                      SticDepth* depth);

#endif
