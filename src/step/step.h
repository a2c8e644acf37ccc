// SPDX-License-Identifier: Apache-2.0
// What a run does around a step: closing joints, taking back overlaps, splitting.
#ifndef STIC_STEP_H
#define STIC_STEP_H

#include "stiction/base.h"
#include "stiction/extend/step.h"
#include "stiction/extend/system.h"

/// Add the work of one pair.
SticStatus stic_classes_add(SticClasses* classes, const SticClassLedger* part);
/// Give back the list.
void stic_classes_release(SticClasses* classes);

/* ---- steps ---- */

/// Close the joints of a state after a step by moving its coordinates, in the metric of the mass:
/// one iteration of Newton's method, more where that leaves more than 1e-9 of the size of a body.
/// The change of the potential energy is added to info->ledger, in `potential` and `correction`,
/// what is left to info->joint_gap. Velocities stay but for those of bodies whose joints reach to a
/// contact that has just been struck, and for all in the first step: these are put on the joints,
/// and what that takes is added to `kinetic` and `constraint`. The step must have left a record.
SticStatus stic_step_close(SticStepper* stepper, const SticSystem* system, SticState* state,
                           SticStepInfo* info);
/// Measure the joints of a state after a step as they are, into info->joint_gap, joint_part and
/// joint_block. The step must have left a record; without one they are 0.
SticStatus stic_step_joints(SticStepper* stepper, const SticSystem* system, const SticState* state,
                            SticStepInfo* info);
/// The deepest overlap at the end of a step, relative to the size of the smaller body, into
/// info->depth_part: of contacts of bodies that moved far in the step, or turned; where something
/// bounces, only of contacts that were pressed in the step before, too. The step must have left a
/// record; without one it is 0.
SticStatus stic_step_depth(SticStepper* stepper, const SticSystem* system, const SticState* from,
                           const SticState* to, double time, SticStepInfo* info);
/// By how much the contacts of the end of a step are deeper than their pairs were before it, those
/// with restitution counted a tenth: for schemes that find contacts where they overlap and then
/// keep the overlap. Contacts that closed in the step without taking part in it count in the
/// promise of gaps.
SticStatus stic_step_meet(SticStepper* stepper, const SticSystem* system, const SticState* from,
                          const SticState* to, double time, SticStepInfo* info);
/// How often a step of length h is to be halved so that no body with joints turns by more than 0.3
/// rad in a part: the projection of positions would put energy into a chain that whips.
int32_t stic_step_halvings(const SticSystem* system, const SticState* state, double h);
/// Move the coordinates of a state by the smallest displacement, in the metric of the mass, that
/// takes back overlaps and open joints; velocities and memory stay. The change of the potential
/// energy is added to info->ledger, in `potential` and `correction`. With the law on gaps, 1e-5 of
/// the size of the touching bodies, and what the turning of a contact leaves by itself, are allowed
/// too.
SticStatus stic_step_correct(SticStepper* stepper, const SticSystem* system,
                             const SticCorrection* correction, SticState* state,
                             SticStepInfo* info);

#endif
