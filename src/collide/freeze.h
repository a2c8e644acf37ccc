// SPDX-License-Identifier: Apache-2.0
// Contacts of balls and points with planes and lines, frozen in the frames of two parts.
#ifndef STIC_COLLIDE_FREEZE_H
#define STIC_COLLIDE_FREEZE_H

#include "collide/overlap.h"

/// A ball of side `a`, or a point, and what it touches on the other side.
typedef struct SticBallTouch {
    int a;
    SticVec3 centre, base, normal; ///< base: a point of the plane or line
    double radius;
    uint64_t feature;
    bool whole; ///< nothing but the face of the other side takes part
} SticBallTouch;

/// Point of the frame of the pair in the frame of a part.
SticVec3 stic_to_local(const SticPose* pose, SticVec3 x);
/// Normal of a plane in the frame of a part.
SticVec3 stic_normal_to_local(const SticPose* pose, SticVec3 n);
/// Direction of a line in the frame of a part.
SticVec3 stic_line_to_local(const SticPose* pose, SticVec3 e);
/// A ball against the plane through `base`.
SticStatus stic_freeze_ball_on_plane(SticPairWork* work, const SticSides* sides,
                                     const SticBallTouch* touch);
/// A ball against the line through `base` with a radius.
SticStatus stic_freeze_ball_on_line(SticPairWork* work, const SticSides* sides,
                                    const SticBallTouch* ball, SticVec3 line, double radius);

#endif
