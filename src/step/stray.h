// SPDX-License-Identifier: Apache-2.0
// Contacts that a step did not expect: it looks for contacts that its bodies can reach by their
// free motion, and reactions may lead them elsewhere.
#ifndef STIC_STEP_STRAY_H
#define STIC_STEP_STRAY_H

#include "step/parts.h"

/// What a step looked for, as schemes with the law on gaps leave it, and what else it must look
/// for.
struct SticStray {
    SticSet set;          ///< what took part
    const double* free;   ///< [nu] velocities without reactions; NULL: the scheme has left nothing
    const double* added;  ///< [nu] part of them that forces make in the step
    double ahead;         ///< from the end to the place where the next step looks for contacts, s
    const double* change; ///< [nu] by which velocities may differ from `free`; NULL: by `added`
};

/// Velocities by which blocks may stray from their free motion, for SticReach: those that forces
/// add and reactions take away from stopped bodies, or more where a step has shown it.
static inline const double* stic_stray_change(const struct SticStray* stray, const double* added)
{
    return stray != NULL && stray->change != NULL ? stray->change : added;
}

/// Leave what a step looked for; `stray` may be NULL.
static inline void stic_stray_leave(struct SticStray* stray, const struct SticStray* left)
{
    if (stray == NULL)
        return;
    const double* change = stray->change;
    *stray = *left;
    stray->change = change;
}

/// Note how far bodies move on their way to contacts in a step, in info->passes; `share` is its
/// part of the time that contacts were looked for.
void stic_stray_note(const SticSet* set, double share, SticStepInfo* info);

/// Advance by the stepper's scheme, and once more with a wider search if bodies have left the
/// motion that contacts were searched for with, and pass into others that took no part.
SticStatus stic_stray_advance(SticStepper* stepper, const SticSystem* system, const SticState* from,
                              double t_to, SticState* to, SticStepInfo* info);

#endif
