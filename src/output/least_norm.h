// SPDX-License-Identifier: Apache-2.0
// Contact impulses of least norm among those that give the same motion.
#ifndef STIC_OUTPUT_LEAST_NORM_H
#define STIC_OUTPUT_LEAST_NORM_H

#include "output/writer.h"

/// How it went.
typedef struct SticLeastNorm {
    bool found;      ///< false: the impulses are those of the solver
    int32_t newton;  ///< iterations
    double residual; ///< |H (z - r)| / |H r|, rows scaled to unit length
} SticLeastNorm;

/// Replace acting->r by impulses of least norm; `slip` is the speed above which a contact slides.
SticStatus stic_least_norm(SticActing* acting, double slip, SticArena* arena, SticLeastNorm* how);

#endif
