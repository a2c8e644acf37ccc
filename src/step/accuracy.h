// SPDX-License-Identifier: Apache-2.0
// From a level of accuracy to tolerances of the one-step problem.
#ifndef STIC_STEP_ACCURACY_H
#define STIC_STEP_ACCURACY_H

#include "step/step.h"

/// Tolerance of each interaction of a problem, [count] in `arena`, the same for all of a group of
/// bodies that touch; see stiction/step.h. `rows` says what the problem is about.
SticStatus stic_accuracy_tolerances(const SticAccuracyPromise* promise, const SticStepRows* rows,
                                    const SticProblem* problem, SticArena* arena,
                                    const double** tolerance);

#endif
