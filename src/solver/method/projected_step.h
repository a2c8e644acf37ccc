// SPDX-License-Identifier: Apache-2.0
// One projected step of all laws, r - s rho (u + De Saxcé's term), and the search for its length s.
//
// Shared by the gradient-type methods: apgd, extragradient.
#ifndef STIC_SOLVER_METHOD_PROJECTED_STEP_H
#define STIC_SOLVER_METHOD_PROJECTED_STEP_H

#include "solver/task.h"
#include "stiction/extend/base.h"

enum { STIC_STEP_SUMS = 4 }; ///< sums that a search may look at

/// Operator, metric and length of the steps of one run.
typedef struct SticProjectedStep {
    const SticProblem* problem;
    SticOperator* op;
    double (*rho)[3];               ///< [count] metric from the diagonal blocks (law.h)
    double length;                  ///< s
    double (*sums)[STIC_STEP_SUMS]; ///< [chunks] for chunks of a search to fill
    const double *base, *velocity;  ///< of the pass that runs
    double* to;                     ///< of the pass that runs
} SticProjectedStep;

/// What a search projects, and when it accepts a step.
typedef struct SticStepSearch {
    const double *base, *velocity; ///< [rows] where it starts
    double *to, *u_to;             ///< [rows] where it ends, and the velocity there
    SticChunkWork sum;             ///< fills sums[chunk], 0 is the first of them
    bool (*accept)(void* self, const double sums[STIC_STEP_SUMS]); ///< else it shortens the length
    void* self;                                                    ///< of both
    int32_t trials;                                                ///< at most
} SticStepSearch;

/// Take the operator of the task and the memory of the steps.
SticStatus stic_projected_step_create(SticSolveTask* task, double length, SticProjectedStep* made);
/// Chunks of a pass over all interactions.
int32_t stic_projected_step_chunks(const SticProjectedStep* step);
/// to = projection of base - length rho (velocity + De Saxcé's term), law by law; bounds are those
/// at base, which must not be `to`.
void stic_projected_step_run(SticProjectedStep* step, const double* base, const double* velocity,
                             double* to);
/// Steps of ever smaller length until one is accepted; gives the sums of the last one and how many
/// were tried.
int32_t stic_projected_step_search(SticProjectedStep* step, const SticStepSearch* search,
                                   double sums[STIC_STEP_SUMS]);

#endif
