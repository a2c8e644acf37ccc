// SPDX-License-Identifier: Apache-2.0
// Sweeps with capped momentum over the islands of a problem, each judged by itself: flow.c.
#ifndef STIC_SOLVER_METHOD_FLOW_H
#define STIC_SOLVER_METHOD_FLOW_H

#include "solver/islands.h"
#include "solver/task.h"

/// The islands of a task, prepared for sweeps.
typedef struct SticFlow {
    SticSolveTask* task;
    const SticIslands* islands;
    SticSweep* sweep;
    bool alone;  ///< one island: its checks are those of the task
    bool beside; ///< others run at the same time: nobody is asked whether to stop
} SticFlow;

/// What an island may take.
typedef struct SticFlowLimits {
    double tolerance;
    double enough;  ///< error that will do where the tolerance takes too long; 0: none
    int32_t sweeps; ///< at most
    bool yields;    ///< leave it to a factor where faces rest on each other and sweeps are slow
    bool impatient; ///< end where the tolerance is out of reach at the present rate
    bool plain;     ///< without momentum
} SticFlowLimits;

/// Why the sweeps over an island ended.
typedef enum SticFlowEnd {
    STIC_FLOW_SOLVED,
    STIC_FLOW_ENOUGH, ///< not at the tolerance, but at what will do
    STIC_FLOW_RESTS,  ///< nothing slides: a factor does better
    STIC_FLOW_SLOW,   ///< limit of sweeps, or the tolerance is out of reach
    STIC_FLOW_STOPPED ///< time or iterations of the solve are used up
} SticFlowEnd;

/// Result of the sweeps.
typedef struct SticFlowResult {
    SticFlowEnd end;
    SticOutcome outcome; ///< where it was stopped
    SticErrors errors;   ///< of the r that is left in task->r, best of all checks
    bool at_floor;
    int32_t sweeps, checks;
    double work;
} SticFlowResult;

/// Prepare sweeps over `islands` of a task in its arena; *possible is false where a diagonal block
/// cannot be solved with.
SticStatus stic_flow_create(SticSolveTask* task, const SticIslands* islands, SticFlow* flow,
                            bool* possible);
/// Sweep island k from its rows of task->r, which hold the best r found afterwards; u of it in
/// task->trial_u, r in original variables in task->trial.
SticStatus stic_flow_run(const SticFlow* flow, int32_t k, const SticFlowLimits* limits,
                         SticFlowResult* result);

#endif
