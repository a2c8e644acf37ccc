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
    int32_t* stretch_phase; ///< [stretches+1] first phase of each, of a listed order
} SticOrder;

/// What a listed order is made of.
typedef struct SticOrderList {
    const int32_t* item;  ///< [begin[stretches]] interactions
    const int32_t* begin; ///< [stretches+1] stretches of them
    int32_t stretches;
    const uint8_t* kernel;  ///< by interaction
    const SticOperator* op; ///< factored form: long stretches run in parallel; NULL: none does
} SticOrderList;

/// Interactions as they are listed, chunks within stretches, those of stretch k from
/// stretch_chunk[k] on. Stretches of STIC_ORDER_LONG and more between bodies that meet in points
/// are cut into pieces, and pieces that share no body run in parallel: by colours of pieces, and as
/// listed within each. The order is a function of the problem alone.
SticStatus stic_order_listed(SticArena* arena, const SticOrderList* list, SticOrder* order);

enum { STIC_ORDER_LONG = 4096 };
/// Interactions by colour, then kernel, then number: no two of one colour share a body, a block of
/// W or a bound. The order is a function of the problem alone.
SticStatus stic_order_coloured(SticArena* arena, const SticOperator* op, const SticProblem* problem,
                               const uint8_t* kernel, SticOrder* order);

#endif
