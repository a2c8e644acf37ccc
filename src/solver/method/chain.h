// SPDX-License-Identifier: Apache-2.0
// Chains of joints by block elimination: chain.c.
#ifndef STIC_SOLVER_METHOD_CHAIN_H
#define STIC_SOLVER_METHOD_CHAIN_H

#include "stiction/extend/solver.h"

/// Try to solve a checked problem whose laws are all FREE and whose joints are one chain; *solved:
/// the recomputed error passes, and r, u and info are complete. Otherwise r and u are untouched and
/// the general path takes over.
SticStatus stic_chain_solve(const SticProblem* problem, const SticSolveRequest* request, double* r,
                            double* u, SticSolveInfo* info, bool* solved);

#endif
