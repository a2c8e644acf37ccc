// SPDX-License-Identifier: Apache-2.0
// From a request to tasks that methods can run: shifts folded, islands apart, few rows densely.
#ifndef STIC_SOLVER_REDUCE_H
#define STIC_SOLVER_REDUCE_H

#include "solver/task.h"

/// Solve a request that was checked, whose settings are filled in.
SticStatus stic_reduce_solve(const SticProblem* problem, const SticSolveRequest* request, double* r,
                             double* u, SticSolveInfo* info);
/// The same for chains of joints, by elimination; `*solved` is false if request or problem are not
/// plain enough, or if it failed.
SticStatus stic_reduce_chain(const SticProblem* problem, const SticSolveRequest* request, double* r,
                             double* u, SticSolveInfo* info, bool* solved);
/// The same for problems of a few rows, by the dense path, if request and problem are plain enough;
/// false: they are not, or it failed.
bool stic_reduce_tiny(const SticProblem* problem, const SticSolveRequest* request, double* r,
                      double* u, SticSolveInfo* info);

#endif
