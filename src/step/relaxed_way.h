// SPDX-License-Identifier: Apache-2.0
// Ways to solve the algebraic inclusion of the relaxed scheme.
#ifndef STIC_STEP_RELAXED_WAY_H
#define STIC_STEP_RELAXED_WAY_H

#include "step/step.h"

/// The ways, in the order of their table; the first is the solver of the run.
enum { STIC_WAY_RUN, STIC_WAY_LAST = 7 };

/// Names of the ways for tables of settings, terminated by NULL.
extern const char* const stic_way_names[];

/// Whether a way solves the inclusion exactly, or only an approximation of it.
bool stic_way_is_exact(int32_t way);
/// A sentence about a way that is not exact; NULL for others.
const char* stic_way_remark(int32_t way);
/// Make a stepper solve in a given way; the settings of its solver live in the step's arena.
SticStatus stic_way_take(int32_t way, SticStepper* stepper, SticError* error);

#endif
