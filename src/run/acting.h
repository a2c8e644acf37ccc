// SPDX-License-Identifier: Apache-2.0
// What acted in the last step of a run.
#ifndef STIC_RUN_ACTING_H
#define STIC_RUN_ACTING_H

#include "stiction/extend/run.h"
#include "world/acting.h"

/// Collect what acted; memory from the arena. Empty before the first step.
SticStatus stic_run_acting(const SticRun* run, SticArena* arena, SticActing* acting);

#endif
