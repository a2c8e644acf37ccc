// SPDX-License-Identifier: Apache-2.0
// Dense path of nsgs for problems of a few rows, without set-up cost.
#ifndef STIC_SOLVER_METHOD_TINY_H
#define STIC_SOLVER_METHOD_TINY_H

#include "stiction/extend/solver.h"

/// Whether a problem fits: few rows, laws with a direct projection, block-diagonal mass or local
/// form.
bool stic_tiny_takes(const SticProblem* problem);
/// Try to solve within `max_iterations` and 200 sweeps; true if the recomputed error passes, and
/// then r, u and info are complete. Otherwise r and u are untouched and the general path takes
/// over.
bool stic_tiny_solve(const SticProblem* problem, const SticSolveSettings* settings, double* r,
                     double* u, SticSolveInfo* info);

#endif
