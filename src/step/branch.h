// SPDX-License-Identifier: Apache-2.0
// Which solution to take if a one-step problem has several.
#ifndef STIC_STEP_BRANCH_H
#define STIC_STEP_BRANCH_H

#include "step/step.h"

/// Names of SticBranchRule for tables of settings, terminated by NULL.
extern const char* const stic_branch_names[];

/// Look for all solutions of a small problem and take the one that stepper->branch names. `r` holds
/// the last reactions; r, u and info->solve are filled if `taken`. `taken` stays false if there are
/// fewer than two motions, or if the problem cannot be enumerated.
SticStatus stic_choice_make(SticStepper* stepper, const SticProblem* problem, double* r, double* u,
                            SticStepInfo* info, bool* taken);

#endif
