// SPDX-License-Identifier: Apache-2.0
// Resultants of pairs of bodies.
#ifndef STIC_OUTPUT_H
#define STIC_OUTPUT_H

#include "stiction/base.h"
#include "stiction/extend/result.h"
#include "stiction/vec3.h"

/* ---- forces ---- */

/// All contacts between two bodies as one force.
typedef struct SticPairRow {
    int32_t body[2];  ///< rows of A and B, A < B
    int32_t contacts; ///< how many
    SticVec3 force;   ///< sum on A, N
    SticVec3 point;   ///< centre of the normal forces, m
    SticVec3 torque;  ///< about `point` on A, N m
} SticPairRow;

/// Resultants of pairs: `pair` has room for `count` rows; returns how many there are. Sorted by
/// bodies. `scratch` is left as it was.
SticStatus stic_pair_row_sum(const SticContactRow* contact, int32_t count, SticArena* scratch,
                             SticPairRow* pair, int32_t* pairs);

#endif
