// SPDX-License-Identifier: Apache-2.0
// Inside of a run.
#ifndef STIC_RUN_RUN_H
#define STIC_RUN_RUN_H

#include "stiction/run.h"

/// A step is cut into at most 2^20 parts.
enum { STIC_MAX_HALVINGS = 20 };

/// Look at the state that a run begins with.
SticStatus stic_watch_begin(SticRun* run);
/// Look at the step from state 0 to state 1, before it is accepted.
void stic_watch_step(SticRun* run, const SticStepInfo* info);

struct SticRun {
    SticContext context;
    SticRunDef def;
    SticStepper* stepper;
    SticState* state[3]; ///< present, next, and one more for split steps
    double t_start;
    SticRunTotals totals;
    bool projects;             ///< positions are projected after every step
    SticCorrection correction; ///< with its defaults filled in
    int32_t level;             ///< halvings of the step under way that its bodies ask for
    SticClasses pending;       ///< of the step under way
    SticClasses classes;       ///< of all steps
    SticStepRecord record;     ///< of the last step
};

#endif
