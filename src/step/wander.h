// SPDX-License-Identifier: Apache-2.0
// Measures of contacts whose points wander over curved surfaces.
#ifndef STIC_STEP_WANDER_H
#define STIC_STEP_WANDER_H

#include "step/parts.h"

/// Gaps, chi, bias and H of a list at a state; points that wander are where they are there, whatever
/// the state that the list was detected at. `longest`: time that differences along the motion may
/// take at most, 0 < longest; `between`: times that they must not leave.
SticStatus stic_wander_measure(SticStepper* stepper, const SticSystem* system,
                               const SticState* state, double longest, const double between[2],
                               SticDirections* d);

#endif
