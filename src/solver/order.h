// SPDX-License-Identifier: Apache-2.0
// Order in which a Gauss-Seidel sweep visits the interactions.
#ifndef STIC_SOLVER_ORDER_H
#define STIC_SOLVER_ORDER_H

#include "problem/operator_kernel.h"

/// Interactions of one kernel that are visited one after the other.
typedef struct SticOrderChunk {
    int32_t first, end; ///< positions in the order
    int32_t kernel;
} SticOrderChunk;

/// Chunks that may run at the same time (one colour), or that must follow each other.
typedef struct SticOrderPhase {
    int32_t first, end; ///< chunks
    bool parallel;
} SticOrderPhase;

typedef struct SticOrder {
    int32_t count;
    int32_t* item; ///< [count] interaction at each position
    SticOrderChunk* chunk;
    int32_t chunks;
    SticOrderPhase* phase;
    int32_t phases;
    int32_t colours;        ///< 0 for the natural order
    int32_t* stretch_chunk; ///< [stretches+1] first chunk of each, of a listed order
} SticOrder;

/// Interactions by their number; `kernel` [count] says which kernel each one wants.
SticStatus stic_order_natural(SticArena* arena, int32_t count, const uint8_t* kernel,
                              SticOrder* order);
/// Interactions as `item` [count] lists them, chunks within stretches [begin[k], begin[k+1]), those
/// of stretch k from stretch_chunk[k] on.
SticStatus stic_order_listed(SticArena* arena, const int32_t* item, const int32_t* begin,
                             int32_t stretches, const uint8_t* kernel, SticOrder* order);
/// Interactions by colour, then kernel, then number: no two of one colour share a body, a block of
/// W or a bound. The order is a function of the problem alone.
SticStatus stic_order_coloured(SticArena* arena, const SticOperator* op, const SticProblem* problem,
                               const uint8_t* kernel, SticOrder* order);

#endif
