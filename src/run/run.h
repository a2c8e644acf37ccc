// SPDX-License-Identifier: Apache-2.0
// Inside of a run.
#ifndef STIC_RUN_RUN_H
#define STIC_RUN_RUN_H

#include "stiction/run.h"

/// A step is cut into at most 2^20 parts.
enum { STIC_MAX_HALVINGS = 20 };

/// A contact that carried something in a step.
typedef struct SticLoaded {
    uint64_t id;      ///< as in SticInteraction
    int32_t part[2];  ///< what touches there
    int32_t block[2]; ///< what it belongs to
    double size;      ///< of the smaller one, m
} SticLoaded;

/// Such contacts, by ascending id.
typedef struct SticLoadedList {
    SticLoaded* item; ///< [count]
    int32_t count;
    size_t capacity;
} SticLoadedList;

/// Look at the state that a run begins with.
SticStatus stic_watch_begin(SticRun* run);
/// Look at the step from state 0 to state 1, before it is accepted: notices of it, and into
/// run->loaded[1] the contacts that carried something.
SticStatus stic_watch_step(SticRun* run, SticStepInfo* info, SticNotice notice[STIC_NOTICE_COUNT]);
/// Accept what was seen.
void stic_watch_accept(SticRun* run, const SticNotice notice[STIC_NOTICE_COUNT]);

/// What the energy alarm compares with, from the kinetic energy and the loads of the start.
SticStatus stic_alarm_begin(SticRun* run, double kinetic);
/// Look at the sums after a step.
void stic_alarm_step(SticRun* run);

struct SticRun {
    SticContext context;
    SticRunDef def;
    SticStepper* stepper;
    SticState* state[3]; ///< present, next, and one more for split steps
    double t_start;
    SticRunTotals totals;
    bool projects;             ///< positions are projected after every step
    SticCorrection correction; ///< with its defaults filled in
    double t_end;              ///< time at the end of the step under way
    int32_t level;             ///< halvings of the step under way that its bodies ask for
    SticClasses pending;       ///< of the step under way
    SticClasses classes;       ///< of all steps
    SticStepRecord record;     ///< of the last step
    SticLoadedList loaded[2];  ///< contacts that carried something in the last step; in the one
                               ///< under way
};

#endif
