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

/// What fixes a direction on the side of one set: 0 nothing, 1 a line it is normal to, 2 a flat.
typedef struct SticKink {
    int order;
    SticVec3 line; ///< unit
} SticKink;

/// The best direction so far.
typedef struct SticRefine {
    const SticCore* core[2];
    double size;
    double height; ///< of the support plane: an upper bound of the depth
    SticVec3 n;    ///< unit, outward of A - B
    SticDifference support;
    SticKink kink[2];
} SticRefine;

/// Try all directions that faces, caps, and products of edges and sides fix.
SticRefine stic_refine_start(const SticCore* A, const SticCore* B, double size);
/// Newton's method from a direction.
void stic_refine_from(SticRefine* refine, SticVec3 n);
/// Depth, normal and points of the best direction; `depth` holds nearby points before.
void stic_refine_finish(const SticRefine* refine, SticDepth* depth);

/// Depth of two overlapping cores without margins, from the simplex of their distance.
SticStatus stic_depth(SticArena* arena, const SticCore* A, const SticCore* B, const SticGjk* gjk,
                      SticDepth* depth);

#endif
