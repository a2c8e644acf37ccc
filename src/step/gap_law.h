// SPDX-License-Identifier: Apache-2.0
// The law of contacts that knows the gap and the motion of the contact.
#ifndef STIC_STEP_GAP_LAW_H
#define STIC_STEP_GAP_LAW_H

#include "step/parts.h"

/// What a contact does in a step.
typedef enum SticGapRole {
    STIC_GAP_OUT,   ///< takes no part
    STIC_GAP_CLOSE, ///< may close, up to gap = 0 in the middle of the next step
    STIC_GAP_IMPACT ///< hits within half a step of the middle: Newton's law on velocities
} SticGapRole;

/// Contacts of a step as the law sees them; [rows] unless said otherwise.
typedef struct SticGapLaw {
    const SticSet* set;
    double h;             ///< length of the step
    double until;         ///< from the middle to where the next step looks for contacts, s
    double share;         ///< turning of directions that is left after the middle, in parts of that
                          ///< before it; 1 where reactions act in the middle of the step
    const double* gap;    ///< in the middle
    const double* before; ///< U-: along the directions of the middle, before the reactions
    const double* start;  ///< U0: relative velocities of the beginning, where the contact was then;
                          ///< not of contacts that are still
    const double* start_gap; ///< gaps then
    const uint8_t* known;    ///< [count] the contact was known then
    const uint8_t* still;    ///< [count] its bodies move so slowly that s is 0 up to rounding
    double* gain;            ///< what forces and prescribed motions add to U- in the step
    bool may_time;           ///< impacts of bodies that meet nothing else can be timed
    const double* r;         ///< impulses of the last step
    uint8_t* role;           ///< [count] SticGapRole, by stic_gap_law_choose
    double* delay;           ///< [count] of impacts that are timed: from the middle, in parts of h
} SticGapLaw;

/// From the place where a step of length h looks for contacts, at 1 - theta of it, to that of the
/// next one: a contact closes no earlier, however long that one is.
static inline double stic_gap_law_until(const SticStepper* stepper, double h, double theta)
{
    return theta * h + (1.0 - theta) * (stepper->next > 0.0 ? stepper->next : h);
}
/// Decide what takes part, and how; role and delay are taken from the arena. Returns through `all`
/// whether everything does. `blocks` is the number of blocks of the system.
SticStatus stic_gap_law_choose(SticGapLaw* law, int32_t blocks, SticArena* arena, bool* all);
/// Take out what leaves its feature before it closes; `all` becomes false if there is some. `look`:
/// where contacts are looked for, with the velocities of the beginning.
SticStatus stic_gap_law_leave(const SticSystem* system, const SticState* look, SticArena* arena,
                              SticGapLaw* law, bool* all);
/// Shifts of all rows.
void stic_gap_law_shift(const SticGapLaw* law, double* shift);
/// Fill start, start_gap, known and still: relative velocities at the beginning of the step with the
/// contacts where they were then, along the tangents of the set.
SticStatus stic_gap_law_start(SticStepper* stepper, const SticSystem* system,
                              const SticDirections* directions, const SticState* from,
                              SticGapLaw* law);
/// Count contacts that touch or carry, the deepest of them and excessive overlaps, and compute the
/// overlap that the turning of each contact leaves, for the correction of positions.
SticStatus stic_gap_law_count(const SticGapLaw* law, const double* r, SticArena* arena,
                              double** allowance, SticStepInfo* info);

#endif
