// SPDX-License-Identifier: Apache-2.0
// What acted in a step, and its meaning in world axes.
#ifndef STIC_WORLD_ACTING_H
#define STIC_WORLD_ACTING_H

#include "stiction/extend/world.h"

/// Slip below this part of stic_acting_speed is rounding and the solver's tolerance.
#define STIC_ACTING_SLIP 1e-6
/// The same for reactions well inside their cones, which solvers at the preview's tolerance leave.
#define STIC_ACTING_CREEP 1e-3

/// The constraint of a joint, row by row, beside what it gives in all.
typedef struct SticJointSum {
    SticJointForce force;
    double row[6]; ///< N or N m
} SticJointSum;

/// An interaction of a system that is no world.
typedef struct SticRowSum {
    SticInteraction interaction;
    double gap, impulse[6], velocity[6];
} SticRowSum;

/// What acted in the parts of a step before its last one, as forces over the whole step. An
/// interaction that took part in several of them is one entry: impulses are added, and everything
/// else is that of the last part in which it carried something.
typedef struct SticActed {
    SticContext context;
    int32_t parts;             ///< 0: the step was made in one piece
    double h;                  ///< length of the step
    SticContactForce* contact; ///< [contacts] that carried something, by ascending id
    SticContactForce* scratch; ///< room to merge
    SticJointSum* joint;       ///< [joints] by slot
    SticRowSum* row;           ///< [rows] that carried something, by ascending id
    int32_t contacts, joints, rows;
    size_t contact_room, scratch_room, joint_room, row_room;
} SticActed;

/// What acted in a step, or a part of it, at the state where it was measured.
typedef struct SticActing {
    const SticSystem* system;
    SticSet set;
    SticBlockCsr Ht;
    const double* r;          ///< [rows] impulses
    const double* velocity;   ///< [rows] relative velocities at the end of the step
    const double* gap;        ///< [rows]
    SticState at;             ///< where directions were measured
    double h;                 ///< length of the step
    const double (*given)[6]; ///< [count] see SticStepRecord; NULL: H r
    const SticActed* before;  ///< parts before this one; NULL: none
} SticActing;

/// The largest relative speed, or the speed that gravity gives in a step, whichever is larger: the
/// scale for slips. `world` may be NULL.
double stic_acting_speed(const SticActing* acting, const SticWorld* world);
/// Forget the parts of the step before.
void stic_acted_clear(SticActed* acted);
/// Add a part of a step. `world` NULL: the system is none; memory of the arena is given back.
SticStatus stic_acted_add(SticActed* acted, const SticActing* acting, const SticWorld* world,
                          SticArena* arena);
/// Free its memory.
void stic_acted_release(SticActed* acted);

/// Contacts in the order of their ids, those of all parts; `contact` in memory of the arena.
SticStatus stic_acting_contacts(const SticActing* acting, const SticWorld* world, SticArena* arena,
                                SticContactForce** contact, int32_t* count);
/// Forces of all joints: `joint` [slots of the world's joints] by slot, with null ids for empty
/// slots. Gaps and coordinates are those of `now`.
SticStatus stic_acting_joints(const SticActing* acting, const SticWorld* world,
                              const SticState* now, SticArena* arena, SticJointForce* joint);
/// Interactions of a system that is no world in the order of the set, behind them those of earlier
/// parts alone; `row` in memory of the arena.
SticStatus stic_acting_rows(const SticActing* acting, SticArena* arena, SticRowSum** row,
                            int32_t* count);
/// Add what interactions of this part of the step give to each joint: `sum` [slots].
void stic_acting_add_joints(const SticActing* acting, const SticWorld* world, SticJointSum* sum);
/// Two entries of one contact as one.
SticContactForce stic_contact_force_join(const SticContactForce* early,
                                         const SticContactForce* late);

#endif
