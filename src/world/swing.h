// SPDX-License-Identifier: Apache-2.0
// How far shapes move in a time, and where two of them meet on their way.
#ifndef STIC_WORLD_SWING_H
#define STIC_WORLD_SWING_H

#include "collide/collide.h"
#include "shape/private.h"
#include "world/side.h"

/// A shape under way: the velocity at a place P is velocity + gradient (P - origin).
typedef struct SticSwing {
    SticVec3 origin, velocity;
    SticMat3 gradient;
    double spin;           ///< bound of |gradient|, 1/s
    SticVec3 centre;       ///< of a ball around the shape
    double radius;         ///< of that ball; infinite for a half-space
    double inner;          ///< of a ball inside; 0 if it is not convex
    double thin;           ///< what moves further can pass the shape
    SticVec3 off;          ///< by which the velocity may differ, at the origin
    SticMat3 off_gradient; ///< and elsewhere
    double off_spin;       ///< bound of its turning, 1/s
    bool round;            ///< a sphere: turning about its centre does not move its surface
} SticSwing;

/// The swing of a shape at a pose, as part of a side with rates; `off` is that side with the rates
/// by which they may differ, or NULL.
SticSwing stic_swing_of(const SticShape* shape, const SticPose* pose, const SticSide* side,
                        const SticSide* off);
/// Bound of the speed at which two shapes can approach each other, m/s.
double stic_swing_speed(const SticSwing* a, const SticSwing* b);
/// By how much that speed may be larger.
double stic_swing_off(const SticSwing* a, const SticSwing* b);
/// A distance as a multiple of the thickness of the thinner shape: beyond 1, two shapes that
/// approach by it may pass each other, or meet with other features than those that are nearest now.
double stic_swing_passes(const SticSwing* a, const SticSwing* b, double way);
/// Widen the box of a shape by how far it moves in a time.
void stic_swing_widen(const SticSwing* swing, double time, SticBounds* box);

/// Two shapes on their way.
typedef struct SticEncounter {
    SticCollider collider[2]; ///< at time 0
    const SticSwing* swing[2];
    double begin, end; ///< s
} SticEncounter;

/// Contacts of two shapes where they first meet between `begin` and `end`, by conservative
/// advancement: the list of the workspace, with the features of that place; none if they do not
/// meet. Shapes in touch at `begin` cannot pass: their contacts are those of time 0, up to the gap
/// `reach`.
SticStatus stic_swing_meet(SticCollide* collide, const SticEncounter* encounter, double reach,
                           const SticContact** contact, int32_t* count);

#endif
