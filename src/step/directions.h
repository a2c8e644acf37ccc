// SPDX-License-Identifier: Apache-2.0
// A set of interactions with its patterns and measures.
#ifndef STIC_STEP_DIRECTIONS_H
#define STIC_STEP_DIRECTIONS_H

#include "step/step.h"

/// A set with its patterns and measures, all in the step's arena.
typedef struct SticDirections {
    SticSet set;
    SticPool* pool; ///< for products with H'
    SticPattern u_pattern;
    SticPattern q_pattern; ///< from the first measure of G or C on
    SticMeasures measures;
    SticBlockCsr Ht; ///< H' with values
    SticBlockCsr Gt; ///< G with values, if asked for
} SticDirections;

/// Detect at a state what has a gap of at most `reach`.
SticStatus stic_directions_detect(SticStepper* stepper, const SticSystem* system,
                                  const SticState* state, double reach, SticDirections* directions);
/// Pattern of H of a set that is already in `directions`.
SticStatus stic_directions_prepare(SticStepper* stepper, const SticSystem* system,
                                   SticDirections* directions);
/// Measure at a state; memory is taken on the first call and used again by later ones.
SticStatus stic_directions_measure(SticStepper* stepper, const SticSystem* system,
                                   const SticState* state, uint32_t want, const double* y,
                                   SticDirections* directions);
/// chi [rows] alone at a state, with the velocities of prescribed motions `lead` later.
SticStatus stic_directions_chi(SticStepper* stepper, const SticSystem* system,
                               const SticDirections* directions, const SticState* state,
                               double lead, double* chi);
/// u_rel = H' u + chi, [rows].
void stic_directions_velocity(const SticDirections* directions, const double* u, double* relative);

#endif
