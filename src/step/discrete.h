// SPDX-License-Identifier: Apache-2.0
// Discrete derivative of Gonzalez: exact along the step, second-order accurate, local to the blocks
// involved.
//
//   Df(a,b) = f'(m) + (f(b) - f(a) - f'(m) d) / |d|^2 d'       m = (a+b)/2, d = b - a (Möller 5.19)
//
// so that Df(a,b) d = f(b) - f(a). Only the coordinates a term depends on enter d: directionality
// still holds and sparsity is kept.
#ifndef STIC_STEP_DISCRETE_H
#define STIC_STEP_DISCRETE_H

#include "step/parts.h"

/// The two ends of a step: coordinates only matter.
typedef struct SticEnds {
    const SticState* begin;
    const SticState* middle; ///< (q_begin + q_end) / 2, quaternions not scaled back
    const SticState* end;
} SticEnds;

/// Rows of dg/dq replaced by discrete derivatives: all rows of POSITION, the first of CONTACT
/// interactions; the other rows are zero. Fills directions->Gt (values in measures.G).
SticStatus stic_discrete_gaps(SticStepper* stepper, const SticSystem* system, const SticEnds* ends,
                              SticDirections* directions);

/// DV/Dq [nq], and the terms at the middle with their Hessians (where the system has them): half of
/// those is the derivative of DV with respect to the end as d -> 0. `rounding` is the energy that
/// V(end) - V(begin) can miss because its terms are doubles.
SticStatus stic_discrete_potential(SticStepper* stepper, const SticSystem* system,
                                   const SticEnds* ends, double* gradient, SticTerms* middle,
                                   double* rounding);

#endif
