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
    const double* push;   ///< [nu] accelerations; NULL: none
    const double* gap;    ///< [set.rows] at the state
    const double* rate;   ///< [set.rows] relative velocities
    const uint8_t* asked; ///< [set.count] what is examined
    bool beside;          ///< the set has what SticReach.beside asks for
    double horizon;       ///< contacts that close later are not, s
    double after;         ///< least time after closing at which they are looked at, s
} SticBorderMotion;

/// Marks contacts of a set that approach, are found no more behind the place where they close (or
/// closed, up to `after` ago), and do not overlap there either; any: whether there are some.
SticStatus stic_border_leave(const SticBorderMotion* motion, const SticSet* set, uint8_t* leaves,
                             bool* any);

/// Whether a contact of those asked for, `motion->asked`, is found no more at the state: it has left
/// its feature. Asks for `arena`, `system`, `state`, `asked` and `beside`.
SticStatus stic_border_left(const SticBorderMotion* motion, const SticSet* set, bool* any);

#endif
