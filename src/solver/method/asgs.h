// SPDX-License-Identifier: Apache-2.0
// Accelerated Gauss-Seidel: its settings.
#ifndef STIC_SOLVER_METHOD_ASGS_H
#define STIC_SOLVER_METHOD_ASGS_H

#include "solver/methods.h"

typedef struct SticAsgsSettings {
    int32_t form;             ///< SticForm
    int32_t order;            ///< 0 natural, 1 coloured
    int32_t direction;        ///< 0 by the problem, 1 symmetric, 2 forward
    double beta;              ///< largest momentum of the first stage
    int32_t patience;         ///< iterations without progress before the next stage; 0: none
    int32_t local_iterations; ///< projected steps of laws without a closed form
    double local_tolerance;   ///< fraction of the first step at which they stop
} SticAsgsSettings;

#endif
