// SPDX-License-Identifier: Apache-2.0
// Proximal point iteration with semismooth Newton inside, as a method and as a stage of others.
#ifndef STIC_SOLVER_METHOD_PROX_NEWTON_H
#define STIC_SOLVER_METHOD_PROX_NEWTON_H

#include "solver/newton_system.h"
#include "solver/task.h"

/// Settings of the method.
typedef struct SticProxNewtonSettings {
    int32_t map;         ///< SticMap
    int32_t outer_steps; ///< proximal steps
    int32_t inner_steps; ///< Newton steps of one of them
    int32_t memory;      ///< values that the line search compares with
    double c_start;      ///< proximal parameter from a cold start
    double c_least;      ///< its lower end
    double c_most;       ///< its upper end
    double rho_most;     ///< largest rho
    double rho_error;    ///< error below which rho grows
    double rho_power;    ///< how fast
    int32_t system;      ///< SticSystemSide
} SticProxNewtonSettings;

/// How a stage ended.
typedef enum SticStageEnd {
    STIC_STAGE_STOPPED, ///< solved, or a limit of the task was reached
    STIC_STAGE_DONE,    ///< the problem with given terms is solved
    STIC_STAGE_LIMIT,   ///< its own steps are used up
    STIC_STAGE_STALLED, ///< it makes no progress any more
    STIC_STAGE_BROKEN   ///< a linear system could not be solved
} SticStageEnd;

/// The method with its memory.
typedef struct SticProxNewton {
    SticSolveTask* task;
    const SticScaled* scaled;
    SticNewtonSystem* system;
    const SticProxNewtonSettings* settings;
    const double* term;        ///< given terms of the natural map, NULL: the exact problem
    double goal;               ///< with given terms: the stage ends at this error
    double *centre, *y_centre; ///< [rows] proximal centre r and its velocity
    double *x, *y;             ///< [rows] iterate, and y_c = W x + b + c (x - centre)
    double *x_trial, *y_trial; ///< [rows]
    double *F, *dx, *dy;       ///< [rows]
    double* best;              ///< [rows] x with the smallest error so far
    double* past;              ///< [memory] norms of F
    double error;              ///< of the centre
    double best_error;
    double c, rho;  ///< of the step that runs
    int32_t newton; ///< Newton steps so far
} SticProxNewton;

/// Take memory; `system` may be shared with other methods.
SticStatus stic_prox_newton_create(SticSolveTask* task, const SticScaled* scaled,
                                   SticNewtonSystem* system, SticProxNewton* made);
/// Run from x (scaled) until the task stops or the stage ends; leaves the best x there.
SticStageEnd stic_prox_newton_stage(SticProxNewton* method, const SticProxNewtonSettings* settings,
                                    double c_start, double* x);
/// The same after another method that reached `error`: from x with a small c, or from 0 if that is
/// too far off.
SticStageEnd stic_prox_newton_continue(SticProxNewton* method,
                                       const SticProxNewtonSettings* settings, double error,
                                       double* x);

/// Parts of a stage, for other iterations on the same equation. x becomes the centre: its error.
double stic_prox_newton_begin(SticProxNewton* method, const SticProxNewtonSettings* settings,
                              const double* x);
/// Solve the regularised problem around the centre with a given c and the rho that is set: DONE,
/// STOPPED or BROKEN; x and y hold the solution.
SticStageEnd stic_prox_newton_regularised(SticProxNewton* method, double c);
/// rho for an error of the natural map.
double stic_prox_newton_weight(const SticProxNewtonSettings* settings, double phi, double error);
/// K = A + B (W + c I) into the system and -F into F, at x and y. `slope` (unless NULL) becomes
/// the derivative of -F with respect to ln c.
void stic_prox_newton_assemble(SticProxNewton* method, double* slope);
/// |F| at a point.
double stic_prox_newton_norm(const SticProxNewton* method, const double* x, const double* y);
/// Error of the natural map at x, without the proximal term; y_trial is scratch.
double stic_prox_newton_error(SticProxNewton* method);
/// Count a Newton step; `estimate` >= 0 marks an x that may be judged; false if the task stops.
bool stic_prox_newton_count(SticProxNewton* method, double estimate);

#endif
