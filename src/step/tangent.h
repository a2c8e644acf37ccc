// SPDX-License-Identifier: Apache-2.0
// Tangent matrices of implicit steps: the mass with what forces add within bodies and between them.
#ifndef STIC_STEP_TANGENT_H
#define STIC_STEP_TANGENT_H

#include "step/step.h"
#include "stiction/extend/sparse.h"

/// J = M + stiffness K - slope S at a state, with K = F' (Hessian of the potential) F and
/// S = df/du.
typedef struct SticTangentWeights {
    double stiffness, slope;
} SticTangentWeights;

/// A tangent matrix; all memory is the step's arena, but for factors of solids (kept_factor.h).
typedef struct SticTangent {
    const SticBlockCsr* M;
    SticTangentWeights weights;
    SticBlockCsr blocks, inverse; ///< of single bodies
    double *value, *inverse_value;
    int64_t pairs;                ///< parts of forces between two bodies
    int64_t pair_values;          ///< their values
    bool decided;                 ///< `coupled` is known
    bool coupled;                 ///< they are in the matrix
    SticTerms potential, dampers; ///< of the last stic_tangent_fill
    SticBlockCsr J;               ///< the whole matrix, if it is coupled
    SticMass mass;                ///< what solves with it
    const SticFactor* factor;     ///< of J, if it is coupled
    int32_t replaced;             ///< pivots of J that were too small
} SticTangent;

/// K of all blocks at a state on the blocks of the mass M.
SticStatus stic_tangent_stiffness(SticStepper* stepper, const SticSystem* system,
                                  const SticState* at, const SticBlockCsr* M, double* K);
/// Room for the blocks; `M` and its pattern are kept by reference.
SticStatus stic_tangent_create(SticStepper* stepper, const SticBlockCsr* M,
                               SticTangentWeights weights, SticTangent* tangent);
/// The blocks of single bodies at a state, to which the caller may add before the next call.
SticStatus stic_tangent_fill(SticStepper* stepper, const SticSystem* system, const SticState* at,
                             SticTangent* tangent);
/// Couple bodies where that is worth it and factorise: `mass` is ready. `rows` of the problem that
/// will be solved with it; `at` is the state of the last call above.
SticStatus stic_tangent_finish(SticStepper* stepper, const SticSystem* system, const SticState* at,
                               int32_t rows, SticTangent* tangent);

#endif
