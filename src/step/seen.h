// SPDX-License-Identifier: Apache-2.0
// Impulses of a step that is made of many smaller ones, by the ids of interactions.
#ifndef STIC_STEP_SEEN_H
#define STIC_STEP_SEEN_H

#include "step/parts.h"

/// An interaction seen in the step, with the impulse that it passed on.
typedef struct SticSeenItem {
    SticInteraction interaction;
    double local[12], tangent[6], impulse[6];
    double given[6]; ///< see SticStepRecord
    int32_t part;    ///< of the step that it was seen in last
} SticSeenItem;

/// All of them.
typedef struct SticSeen {
    SticContext context;
    SticSeenItem* item; ///< [count] by id
    int32_t part;       ///< sets added so far
    int32_t count;
    size_t capacity;
} SticSeen;

/// Add impulses of a set to what was seen, and what they gave [count], see SticStepRecord.
SticStatus stic_seen_add(SticSeen* seen, const SticSet* set, const double* impulse,
                         const double (*given)[6]);
/// Store what was seen where the stepper and the memory of the state keep it: contacts, gaps and
/// impulses, like those of a time-stepping step of length h.
SticStatus stic_seen_record(const SticSeen* seen, SticStepper* stepper, const SticSystem* system,
                            double h, SticState* to, SticStepInfo* info);
/// Free its memory.
void stic_seen_release(SticSeen* seen);

#endif
