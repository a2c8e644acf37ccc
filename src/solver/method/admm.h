// SPDX-License-Identifier: Apache-2.0
// Alternating directions: settings, and what both sides share.
#ifndef STIC_SOLVER_METHOD_ADMM_H
#define STIC_SOLVER_METHOD_ADMM_H

#include "solver/methods.h"

/// Which variables the linear system is solved for.
typedef enum SticAdmmSide {
    STIC_ADMM_AUTO,
    STIC_ADMM_VELOCITIES,
    STIC_ADMM_REACTIONS
} SticAdmmSide;

typedef struct SticAdmmSettings {
    int32_t side;         ///< SticAdmmSide
    double rho;           ///< penalty to start with; 0: chosen from the problem
    double alpha;         ///< over-relaxation
    int32_t refactor;     ///< factorisations at most for balanced residuals
    int32_t patience;     ///< iterations without progress before another penalty is tried
    double factor_values; ///< largest factor, in numbers
} SticAdmmSettings;

/// State of the choice of the penalty.
typedef struct SticAdmmPenalty {
    double rho;
    int32_t changed;  ///< iteration of the last change
    int32_t balanced; ///< changes for balance so far
    int32_t tried;    ///< other penalties tried so far
    double error;     ///< best error at the last progress
    int32_t at;       ///< iteration of it
    int32_t first;    ///< iteration at the start
} SticAdmmPenalty;

/// Rows of contacts per velocity above which faces touch: piles of spheres have at most 1.8, stacks
/// and arches 2, pyramids and walls 4.
static const double stic_admm_faces = 1.9;

/// Whether bodies meet in few points, as spheres and capsules do.
static inline bool stic_admm_is_pile(const SticProblem* problem)
{
    return problem->dof > 0 && (double)problem->rows <= stic_admm_faces * (double)problem->dof;
}

/// The penalty at the start of a run.
SticAdmmPenalty stic_admm_penalty(const SticSolveTask* task, double rho);
/// Take the next of `count` other penalties if nothing was gained for long; returns whether it
/// changed.
bool stic_admm_retry(const SticSolveTask* task, SticAdmmPenalty* penalty, const double* others,
                     int32_t count);

/// The iteration in reactions, admm_reactions.c.
SticStatus stic_admm_run_reactions(SticSolveTask* task);

#endif
