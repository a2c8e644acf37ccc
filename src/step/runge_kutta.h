// SPDX-License-Identifier: Apache-2.0
// Classical Runge-Kutta step of order four on (q, u).
#ifndef STIC_STEP_RUNGE_KUTTA_H
#define STIC_STEP_RUNGE_KUTTA_H

#include "stiction/step.h"

/// A system of first order: slope [nq + nu] of (q, u) at a state. `weight` is the share of the step
/// that the stage has in the quadrature, s: works of forces are summed with it.
typedef struct SticRungeKutta {
    const SticLayout* layout;
    void* self;
    SticStatus (*slope)(void* self, const SticState* state, double weight, double* slope);
    double* memory; ///< 3 (nq + nu)
} SticRungeKutta;

/// One step of length h; quaternions are scaled back to length one at its end. `to` may be `from`.
SticStatus stic_runge_kutta_step(const SticRungeKutta* method, const SticState* from, double h,
                                 SticState* to);

#endif
