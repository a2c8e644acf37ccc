// SPDX-License-Identifier: Apache-2.0
// Bilateral interactions of a sweep that are solved together, by one sparse factor: joints.c.
#ifndef STIC_SOLVER_JOINTS_H
#define STIC_SOLVER_JOINTS_H

#include "problem/operator_kernel.h"
#include "solver/patterns.h"

/// A group of interactions u = 0 in factored form.
typedef struct SticJoints {
    int32_t count;       ///< 0: not worth it, or not possible
    const int32_t* item; ///< [count] interactions
    SticFactor* factor;  ///< of their block of W
    double *u, *x;       ///< [rows of the group]
} SticJoints;

/// Factor the block of W that belongs to `item` [count], in `arena` or, if `patterns` is not NULL,
/// with the analysis that is kept there; made->count is 0 if the factor would be too large.
SticStatus stic_joints_create(SticArena* arena, const SticOperator* op, const int32_t* item,
                              int32_t count, SticPatternCache* patterns, SticJoints* made);
/// x = W^-1 u for the group.
void stic_joints_solve(const SticJoints* joints);

#endif
