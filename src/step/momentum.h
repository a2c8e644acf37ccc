// SPDX-License-Identifier: Apache-2.0
// Linear momentum over a step: its change beyond what came from outside.
//
// Where blocks are bodies (SticSystem.size) the first three velocities of each are those of its
// centre along fixed axes. What pairs do to each other must cancel: the sum of all momenta changes
// by forces and by reactions of what does not move.
#ifndef STIC_STEP_MOMENTUM_H
#define STIC_STEP_MOMENTUM_H

#include "step/parts.h"

/// Part of the largest kinetic energy of a run that serves as the scale for the rest of it, once it
/// comes to rest: velocities that friction or an impact has stopped are known to some 1e-5 of those
/// before.
#define STIC_REST_PART 1e-9

/// A sum of momenta; all zero at the start.
typedef struct SticMomentum {
    double sum[3]; ///< what is not explained, N s
    double size;   ///< amounts of what was added
    double mass;   ///< of all bodies, once for every time that they were added, kg
} SticMomentum;

/// Impulses from what does not move: their sum, in which those of walls that press against each other
/// cancel, and their amounts.
typedef struct SticOutside {
    double sum[3], size; ///< N s
} SticOutside;

/// Momentum of all bodies at velocities u [nu], with a sign. Its size is that of bodies whose whole
/// kinetic energy is translation: a body that only turns about its centre has none, up to rounding.
void stic_momentum_add(const SticSystem* system, const SticMass* mass, const double* u, double sign,
                       SticMomentum* momentum);
/// Forces [nu] that acted for a time; those of pairs cancel in the sum.
void stic_momentum_explain(const SticSystem* system, const double* force, double time,
                           SticMomentum* momentum);
/// Impulses r [rows] of interactions with what does not move.
void stic_momentum_outside(const SticDirections* directions, const double* r, SticOutside* outside);
/// One impulse, along an axis.
void stic_momentum_push(int32_t axis, double impulse, SticOutside* outside);
/// What came from outside.
void stic_momentum_take(const SticOutside* outside, SticMomentum* momentum);
/// What is left of a force from outside beyond the span of `count` <= 3 directions: those that its
/// law gives it, at places of the step. Zero if it pushes along these alone.
void stic_momentum_astray(const double force[3], int32_t count, const double (*along)[3],
                          double astray[3]);
/// The unexplained change as a part of what was added, 0 for systems without bodies. Bodies that
/// have come to rest are known to a small part of the momentum that they had: `passed` is the
/// largest kinetic energy so far.
double stic_momentum_missed(const SticSystem* system, const SticMomentum* momentum, double passed);

#endif
