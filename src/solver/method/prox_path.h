// SPDX-License-Identifier: Apache-2.0
// The path of solutions of the regularised problem for a falling proximal parameter, prox_path.c.
#ifndef STIC_SOLVER_METHOD_PROX_PATH_H
#define STIC_SOLVER_METHOD_PROX_PATH_H

#include "solver/method/prox_newton.h"

/// The method with its memory.
typedef struct SticProxPath {
    SticProxNewton* newton; ///< equation, linear systems and iterate
    double* point;          ///< [rows] last point of the path
    double* base;           ///< [rows] where the step that is tried starts
    double* along;          ///< [rows] direction of the path at the last point
    double* tangent;        ///< [rows] that of the step that is tried
    double* slope;          ///< [rows] derivative of -F with respect to ln c
    double *toward, *rise;  ///< [rows] K^-1 (-F), K^-1 slope
    double tau;             ///< ln c
    double point_tau, base_tau, along_tau, tangent_tau;
    double error; ///< of the natural map at the last point
    double step;  ///< length along the path
    int32_t side; ///< sign of det K times the direction of tau: the same along the whole path
    bool fresh;   ///< `along` belongs to the point itself
    bool halted;  ///< by the task
    int32_t points, folds, kinks;
} SticProxPath;

/// Take memory; `newton` is shared.
SticStatus stic_prox_path_create(SticProxNewton* newton, SticProxPath* made);
/// Follow the path from the centre x until the task stops or the path is lost; leaves the x with
/// the smallest error there.
SticStageEnd stic_prox_path_run(SticProxPath* path, const SticProxNewtonSettings* settings,
                                double* x);

#endif
