// SPDX-License-Identifier: Apache-2.0
// The step that moreau and koziara share: half a step, reactions, half a step.
#ifndef STIC_STEP_LEAPFROG_H
#define STIC_STEP_LEAPFROG_H

#include "step/parts.h"
#include "step/turn.h"

/// The differences between the two schemes.
typedef struct SticLeapStyle {
    SticTurnScheme rotation;
    bool limit; ///< refuse steps beyond the stability limit of bodies that deform
    /// STIC_CONTACT_LAW_VELOCITY: shifts of all rows for the relative velocities of the beginning
    void (*velocity_law)(const SticSet* set, const double* before, double* shift);
    bool ends; ///< that law sees prescribed velocities of the ends of the step, not of its middle
} SticLeapStyle;

/// One step on its way.
typedef struct SticLeap {
    SticStepper* stepper;
    const SticSystem* system;
    const SticState* from;
    SticState* to;
    SticStepInfo* info;
    SticLeapStyle style;
    double h;
    SticState middle;          ///< q at mid-step, u before the reactions
    SticMass mass;             ///< there
    double* applied;           ///< [nu] applied forces there
    double* impulse;           ///< [nu] h times applied and potential forces, later with reactions
    double* momentum;          ///< [nu] before the reactions, with what forces add
    SticDirections directions; ///< of what takes part, measured at mid-step
    double* added;             ///< [nu] what forces add to the velocities; with the law on gaps
    double* delay;             ///< [blocks] of timed impacts, in parts of h; NULL: none
    double* before;            ///< [rows] relative velocities before the reactions
    double* after;             ///< [rows] and after them
    double* slip;              ///< [rows] velocities of the laws; with the law on gaps
    SticTurnState* turns;      ///< [blocks] of the comparison schemes
} SticLeap;

/// The whole step, from leap->from to leap->to at t_to.
SticStatus stic_leap(SticLeap* leap, double t_to);

/// First half: coordinates and velocities of the middle.
SticStatus stic_rotate_begin(SticLeap* leap);
/// leap->momentum: M u with what forces and gyroscopic terms add in the step; impulse is h f.
SticStatus stic_rotate_momentum(SticLeap* leap);
/// Whether the bodies of a timed impact can be moved to where it happens.
bool stic_rotate_can_delay(const SticLeap* leap);
/// Move blocks from the middle by their delay, freely; their momentum follows.
void stic_rotate_delay(SticLeap* leap);
/// Work of applied forces on the part of the way that the delays add to a step, J; to->u holds the
/// velocities after the reactions, impulse h f.
double stic_rotate_delay_work(const SticLeap* leap);
/// Second half: coordinates and velocities of the end; to->u holds those after the reactions.
SticStatus stic_rotate_end(SticLeap* leap);
/// What a rotation scheme carries to the next step, behind all other memory.
SticStatus stic_rotate_remember(const SticLeap* leap);
/// The velocities after the reactions are not those of the end.
bool stic_rotate_changes_velocity(const SticLeap* leap);

#endif
