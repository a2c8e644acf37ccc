// SPDX-License-Identifier: Apache-2.0
// What `auto` tries, in which order, and how much each attempt may cost: portfolio.c.
#ifndef STIC_SOLVER_PORTFOLIO_H
#define STIC_SOLVER_PORTFOLIO_H

#include "solver/flow.h"
#include "solver/task.h"

/// What the sweeps with momentum may take on an island; none where `sweeps` is 0.
SticFlowLimits stic_portfolio_sweeps(const SticSolveTask* task, int32_t contacts, double tolerance);
/// Whether islands are solved apart where the whole is judged.
bool stic_portfolio_splits(const SticSolveTask* task);

#endif
