// SPDX-License-Identifier: Apache-2.0
// How fast bodies swing under the tension of their joints.
#ifndef STIC_STEP_TENSION_H
#define STIC_STEP_TENSION_H

#include "step/parts.h"

/// The pull on bodies in a step of length h; directions and mass are those of the step.
typedef struct SticPulls {
    const SticDirections* directions;
    const SticMass* mass;
    const SticLayout* layout;
    const double* r; ///< [rows] impulses
    uint32_t levels; ///< bits 1 << SticLevel of interactions that count
} SticPulls;

/// The largest h omega^2 of a block that they pull back.
SticStatus stic_tension(const SticPulls* pulls, SticArena* arena, double* most);

#endif
