// SPDX-License-Identifier: Apache-2.0
// Contacts that leave their features before they close.
#ifndef STIC_STEP_BORDER_H
#define STIC_STEP_BORDER_H

#include "step/parts.h"

/// The motion that is looked ahead along.
typedef struct SticBorderMotion {
    SticArena* arena;
    const SticSystem* system;
    const SticState* state;
    const double* push;  ///< [nu] accelerations
    const double* force; ///< [set.count] normal forces; what carries a load is not examined
    double horizon;      ///< contacts that close later are not examined, s
} SticBorderMotion;

/// Marks contacts of a measured set that are open and approach, are found no more where they would
/// have closed, and do not overlap there either; any: whether there are some. `rate`: [set.rows]
/// relative velocities.
SticStatus stic_border_leave(const SticBorderMotion* motion, const SticDirections* list,
                             const double* rate, uint8_t* leaves, bool* any);

#endif
