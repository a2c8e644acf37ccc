// SPDX-License-Identifier: Apache-2.0
// Islands at rest that a run leaves alone.
#ifndef STIC_RUN_SLEEP_H
#define STIC_RUN_SLEEP_H

#include "stiction/extend/run.h"
#include "world/acting.h"

/// An interaction of an island that sleeps, as its last step had it.
typedef struct SticFrozen {
    SticInteraction interaction;
    double local[12], tangent[6], exit; ///< as in SticSet
} SticFrozen;

/// Who sleeps in a run, and what is known of them.
typedef struct SticSleep {
    int32_t* still;     ///< [blocks] steps at rest so far
    uint8_t* asleep;    ///< [blocks]
    double* force;      ///< [nu] loads that sleepers fell asleep under; of others anything
    SticFrozen* frozen; ///< [count] their interactions by ascending id
    size_t capacity;
    int32_t count, contacts, sleepers; ///< contacts: of these; sleepers: blocks
} SticSleep;

/// Refuse what a run cannot sleep with: levels of accuracy and schemes that do not say what rests.
SticStatus stic_sleep_check(const SticRunParts* def, SticError* error);
/// Room for who sleeps, where the run asks for it.
SticStatus stic_sleep_create(SticRun* run);
/// Give it back.
void stic_sleep_destroy(SticRun* run);
/// Let the world leave sleepers out, or see them as all others.
void stic_sleep_mask(const SticRun* run, bool on);
/// Wake the island of a block, if it sleeps.
SticStatus stic_sleep_wake(SticRun* run, int32_t block);
/// Before an attempt at a step, its loads set: wake those whose loads are others than when they fell
/// asleep.
SticStatus stic_sleep_look(SticRun* run, const SticState* from);
/// After it: wake those that something has pushed, and tell whether there are any, for whom the
/// attempt is to be made again; else keep place and memory of all sleepers.
SticStatus stic_sleep_follow(SticRun* run, const SticState* from, SticState* to, bool* woken);
/// Whether nothing can happen in a step: everything sleeps, and no prescribed body moves.
bool stic_sleep_rests(const SticRun* run);
/// Such a step: time passes.
SticStatus stic_sleep_pass(SticRun* run, const SticState* from, double t_to, SticState* to,
                           SticStepInfo* info);
/// When a step is accepted: wake what a correction moved, let islands that have rested long enough
/// fall asleep in state 1; the energy that stops them is in the ledger.
SticStatus stic_sleep_settle(SticRun* run, SticStepInfo* info);
/// Add the interactions of sleepers to those that took part, with their last reactions; memory from
/// the arena.
SticStatus stic_sleep_add(const SticRun* run, SticArena* arena, SticSet* set, double** r);

#endif
