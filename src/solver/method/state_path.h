// SPDX-License-Identifier: Apache-2.0
// The path of the proximal parameter from event to event, state_path.c.
#ifndef STIC_SOLVER_METHOD_STATE_PATH_H
#define STIC_SOLVER_METHOD_STATE_PATH_H

#include "solver/method/prox_newton.h"
#include "solver/method/state_law.h"

/// The path with its memory.
typedef struct SticStatePath {
    SticProxNewton* newton;                 ///< centre, x, y, c, rho, linear systems and the best x
    uint8_t* state;                         ///< [count] SticPathState
    SticStateSeries series;                 ///< powers of the length s at the last point
    double tau_power[STIC_STATE_ORDER + 1]; ///< those of ln c
    double c_power[STIC_STATE_ORDER + 1];   ///< those of c
    double *rise, *rise_y;                  ///< [rows] derivatives of x and y by ln c
    double *toward, *toward_y;              ///< [rows] a step, of the corrector or of a power
    double* slope;                          ///< [rows] derivative of -F by ln c
    double tau;                             ///< ln c of x
    double weight;                          ///< square of the weight of x in the length
    double step;                            ///< longest one that is tried next
    double small;                           ///< what rounding may leave of F
    double judged;                          ///< error of the natural map when it was last judged
    int32_t side;   ///< sign of det K times that of d ln c: the same on the whole path
    int32_t flips;  ///< of states in a row without a step
    bool halted;    ///< by the task
    int32_t points; ///< of the path
    int32_t events; ///< changes of a state
    int32_t folds;  ///< changes between falling and rising c
} SticStatePath;

/// Whether all laws of a problem have states that are known here.
bool stic_state_path_takes(const SticProblem* problem);
/// Take memory; `newton` is shared.
SticStatus stic_state_path_create(SticProxNewton* newton, SticStatePath* made);
/// Follow the path of a centre near x, one for every seed, until the task stops, c vanishes, or the
/// path is lost; leaves the x with the smallest error there.
SticStageEnd stic_state_path_run(SticStatePath* path, const SticProxNewtonSettings* settings,
                                 uint64_t seed, double* x);

#endif
