// SPDX-License-Identifier: Apache-2.0
// Momentum of accelerated methods, y = x + beta (x - x_before), and the guard that limits it.
//
//     t+ = (1 + sqrt(1 + 4 t^2))/2,  beta = (t - 1)/t+          (Nesterov 1983)
//     t = 1 where <y - x, x - x_before> > 0                     (gradient restart, O'Donoghue and
//                                                                Candès 2015, eq. 12)
//
// For a convex problem this is safe. Coulomb friction is not one: with many sliding contacts the
// momentum can walk away from a good point. The guard looks at the recomputed error: where it is
// ten times the best one, the method goes back to the best iterate and doubles 1 - beta, which
// shrinks again by a tenth with every tenth that the error falls; where the error no longer falls,
// the method moves on to its next, more careful stage.
#ifndef STIC_SOLVER_METHOD_MOMENTUM_H
#define STIC_SOLVER_METHOD_MOMENTUM_H

#include <math.h>

#include "solver/task.h"

/// Momentum of one run.
typedef struct SticNesterov {
    double t;    ///< Nesterov's sequence
    double cap;  ///< largest beta at present
    double most; ///< largest beta ever
} SticNesterov;

/// The next beta; `restart` begins the sequence anew.
static inline double stic_nesterov_next(SticNesterov* momentum, bool restart)
{
    if (restart)
        momentum->t = 1.0;
    const double t = momentum->t;
    momentum->t = 0.5 * (1.0 + sqrt(1.0 + 4.0 * t * t));
    const double beta = (t - 1.0) / momentum->t;
    return beta < momentum->cap ? beta : momentum->cap;
}

/// What the guard has seen.
typedef struct SticGuard {
    double error;     ///< best error at the last progress
    int32_t at;       ///< iteration of it, or of the last new stage
    int32_t first;    ///< iteration at the start
    int32_t patience; ///< iterations without progress before the next stage, at least
} SticGuard;

/// Verdict after a check.
typedef enum SticGuardVerdict {
    STIC_GUARD_GO_ON,  ///< continue
    STIC_GUARD_RETURN, ///< go back to the best iterate; the cap was lowered
    STIC_GUARD_CAREFUL ///< go back and take the next stage
} SticGuardVerdict;

/// Look at the error of the last check; `beta` is the momentum in use.
static inline SticGuardVerdict stic_guard_look(SticGuard* guard, const SticSolveTask* task,
                                               double beta, SticNesterov* momentum)
{
    const int32_t now = task->info->iterations;
    if (task->best_error <= 0.9 * guard->error) {
        guard->error = task->best_error;
        guard->at = now;
        const double cap = 1.0 - 0.9 * (1.0 - momentum->cap);
        momentum->cap = cap < momentum->most ? cap : momentum->most;
    }
    // tall stacks need more and more iterations to progress: patience grows with the iterations
    // spent
    const int32_t half = (now - guard->first) / 2;
    const int32_t wait = half > guard->patience ? half : guard->patience;
    if (now - guard->at >= wait) {
        guard->at = now;
        guard->error = task->best_error;
        return STIC_GUARD_CAREFUL;
    }
    if (task->error > 10.0 * task->best_error) {
        const double cap = 1.0 - 2.0 * (1.0 - beta);
        momentum->cap = cap > 0.5 ? cap : momentum->cap < 0.5 ? momentum->cap : 0.5;
        return STIC_GUARD_RETURN;
    }
    return STIC_GUARD_GO_ON;
}

#endif
