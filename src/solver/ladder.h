// SPDX-License-Identifier: Apache-2.0
// The ladder of auto: one method after the other on one problem, ladder.c.
#ifndef STIC_SOLVER_LADDER_H
#define STIC_SOLVER_LADDER_H

#include "solver/interior.h"
#include "solver/prox_newton.h"
#include "solver/sweep.h"

/// The ladder with the memory of its rungs.
typedef struct SticLadder {
    SticSolveTask* task;
    double factor_values; ///< largest factor, in numbers
    bool near;            ///< the caller gave a start value
    SticStatus status;    ///< of a rung that ran out of memory
    SticSweep* sweep;     ///< NULL: a diagonal block cannot be solved with
    double* u;            ///< [rows] where there is a sweep
    bool probe;           ///< the first sweeps of all: whether they are worth going on
    bool slow;            ///< they were not
    int32_t paths;        ///< of states followed so far: each has another seed
    // methods with a factor of W
    bool direct; ///< their memory was taken
    bool factor; ///< and a factor is small enough
    bool cones;  ///< laws that interior points know
    SticScaled scaled;
    SticNewtonSystem system;
    SticInterior interior;
    SticProxNewton newton;
    SticProxNewtonSettings newton_settings;
    double* x;       ///< [rows]
    double followed; ///< error where the last path of the proximal parameter began
} SticLadder;

/// Begin a ladder for a task: takes the memory of the sweeps.
SticStatus stic_ladder_begin(SticSolveTask* task, double factor_values, bool near,
                             SticLadder* ladder);
/// `count` Gauss-Seidel sweeps, and again as long as they converge fast; false if the task stopped.
bool stic_ladder_sweep(SticLadder* ladder, int32_t count);
/// All rungs, until one solves the task.
SticStatus stic_ladder_climb(SticLadder* ladder);

#endif
