// SPDX-License-Identifier: Apache-2.0
// The methods of the solver table: their run functions and settings tables.
#ifndef STIC_SOLVER_METHODS_H
#define STIC_SOLVER_METHODS_H

#include "solver/task.h"

// block Gauss-Seidel, nsgs.c
extern const SticFieldTable stic_nsgs_fields;
SticStatus stic_nsgs_run(SticSolveTask* task);

// extragradient with self-adapting step, extragradient.c
extern const SticFieldTable stic_extragradient_fields;
SticStatus stic_extragradient_run(SticSolveTask* task);
#endif
