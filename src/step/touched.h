// SPDX-License-Identifier: Apache-2.0
// Pairs of parts with a contact in a set, for look-up.
#ifndef STIC_STEP_TOUCHED_H
#define STIC_STEP_TOUCHED_H

#include "stiction/extend/base.h"
#include "stiction/extend/system.h"

/// Pairs in ascending order.
typedef struct SticTouched {
    const uint64_t* key; ///< [count]
    const double* depth; ///< [count] of the first entry of a pair: its deepest overlap, m
    int32_t count;
} SticTouched;

/// The pairs of all contacts of a set; memory of the arena. `gap` [rows] of the set gives their
/// depths, all are 0 without it.
SticStatus stic_touched_list(SticArena* arena, const SticSet* set, const double* gap,
                             SticTouched* touched);
/// Whether the pair of a contact is among them.
bool stic_touched_has(const SticTouched* touched, const SticInteraction* contact);
/// The deepest overlap of the pair of a contact, 0 where it is not among them, m.
double stic_touched_depth(const SticTouched* touched, const SticInteraction* contact);

#endif
