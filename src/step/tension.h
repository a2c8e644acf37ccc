// SPDX-License-Identifier: Apache-2.0
// How fast bodies swing under the tension of their joints.
#ifndef STIC_STEP_TENSION_H
#define STIC_STEP_TENSION_H

#include "step/parts.h"

/// The largest h omega^2 of a block that impulses r [rows] of joints in a step of length h pull
/// back; directions and mass are those of the step.
SticStatus stic_tension(const SticDirections* directions, const SticMass* mass,
                        const SticLayout* layout, const double* r, SticArena* arena, double* most);

#endif
