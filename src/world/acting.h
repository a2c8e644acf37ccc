// SPDX-License-Identifier: Apache-2.0
// What acted in a step, and its meaning in world axes.
#ifndef STIC_WORLD_ACTING_H
#define STIC_WORLD_ACTING_H

#include "stiction/extend/world.h"

/// Slip below this part of stic_acting_speed is rounding and the solver's tolerance.
#define STIC_ACTING_SLIP 1e-6
/// The same for reactions well inside their cones, which solvers at the preview's tolerance leave.
#define STIC_ACTING_CREEP 1e-3

/// What acted in a step, at the state where it was measured.
typedef struct SticActing {
    const SticSystem* system;
    SticSet set;
    SticBlockCsr Ht;
    const double* r;        ///< [rows] impulses
    const double* velocity; ///< [rows] relative velocities at the end of the step
    const double* gap;      ///< [rows]
    SticState at;           ///< where directions were measured
    double h;               ///< length over which the impulses acted
} SticActing;

/// The largest relative speed, or the speed that gravity gives in a step, whichever is larger: the
/// scale for slips. `world` may be NULL.
double stic_acting_speed(const SticActing* acting, const SticWorld* world);
/// Contacts in the order of their ids; `contact` in memory of the arena.
SticStatus stic_acting_contacts(const SticActing* acting, const SticWorld* world, SticArena* arena,
                                SticContactForce** contact, int32_t* count);
/// Forces of all joints: `joint` [slots of the world's joints] by slot, with null ids for empty
/// slots. Gaps and coordinates are those of `now`.
void stic_acting_joints(const SticActing* acting, const SticWorld* world, const SticState* now,
                        SticJointForce* joint);

#endif
