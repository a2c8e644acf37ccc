// SPDX-License-Identifier: Apache-2.0
// Chains of joints by block elimination: chain.c.
#ifndef STIC_SOLVER_METHOD_CHAIN_H
#define STIC_SOLVER_METHOD_CHAIN_H

#include "stiction/extend/solver.h"

/// The elimination of a chain, in the memory of a solve.
typedef struct SticChain SticChain;

/// Try to solve a problem whose laws are all FREE and whose joints are one chain; *solved: the
/// recomputed error passes, and r, u and info are complete. Otherwise r and u are untouched and the
/// general path takes over.
SticStatus stic_chain_solve(const SticProblem* problem, const SticSolveRequest* request, double* r,
                            double* u, SticSolveInfo* info, bool* solved);
/// Impulses r with W r = -u, by the elimination of the last solve of a workspace, if that was one of
/// a chain with these H' (the same memory, unchanged); false: it was not.
bool stic_chain_again(const SticWorkspace* workspace, const SticBlockCsr* Ht, const double* u,
                      double* r);

#endif
