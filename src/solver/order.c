// SPDX-License-Identifier: Apache-2.0
// Natural and coloured orders of a Gauss-Seidel sweep.
//
// Colouring: greedy in the natural order. Each resource (a body in the factored form, an
// interaction's row in the explicit form, the row that supplies a bound) has a mask of the colours
// that use it; an interaction takes the lowest colour that none of its resources has. Contacts for
// which none of 63 colours is free (a body with more contacts than that) go into a last phase that
// is visited in order. Cost: one pass over the blocks of H or W.
#include "solver/order.h"

#include "stiction/extend/base.h"

#include <string.h>

enum {
    COLOURS = 63,     // one bit each
    CHUNK = 128,      // visits of one piece of work: about 5 microseconds
    MOST_KERNELS = 16 // kernels a method may have
};

static SticStatus take_order(SticArena* arena, int32_t count, int32_t chunks, int32_t phases,
                             SticOrder* order)
{
    *order = (SticOrder){.count = count};
    STIC_TRY(STIC_TAKE(arena, &order->item, count));
    STIC_TRY(STIC_TAKE(arena, &order->chunk, chunks));
    return STIC_TAKE(arena, &order->phase, phases);
}

// cut positions [first, end) into chunks of one kernel
static void add_chunks(SticOrder* order, int32_t first, int32_t end, const uint8_t* kernel,
                       int32_t longest)
{
    while (first < end) {
        const uint8_t mine = kernel[order->item[first]];
        int32_t next = first + 1;
        while (next < end && next - first < longest && kernel[order->item[next]] == mine)
            next += 1;
        order->chunk[order->chunks++] =
            (SticOrderChunk){.first = first, .end = next, .kernel = mine};
        first = next;
    }
}

SticStatus stic_order_natural(SticArena* arena, int32_t count, const uint8_t* kernel,
                              SticOrder* order)
{
    STIC_TRY(take_order(arena, count, count, 1, order));
    for (int32_t i = 0; i < count; ++i)
        order->item[i] = i;
    add_chunks(order, 0, count, kernel, count);
    order->phase[order->phases++] =
        (SticOrderPhase){.first = 0, .end = order->chunks, .parallel = false};
    return STIC_OK;
}

SticStatus stic_order_listed(SticArena* arena, const int32_t* item, const int32_t* begin,
                             int32_t stretches, const uint8_t* kernel, SticOrder* order)
{
    const int32_t count = begin[stretches];
    STIC_TRY(take_order(arena, count, count, 1, order));
    STIC_TRY(STIC_TAKE(arena, &order->stretch_chunk, stretches + 1));
    if (count > 0)
        memcpy(order->item, item, (size_t)count * sizeof *item);
    for (int32_t k = 0; k < stretches; ++k) {
        order->stretch_chunk[k] = order->chunks;
        add_chunks(order, begin[k], begin[k + 1], kernel, count);
    }
    order->stretch_chunk[stretches] = order->chunks;
    order->phase[order->phases++] =
        (SticOrderPhase){.first = 0, .end = order->chunks, .parallel = false};
    return STIC_OK;
}

// interaction that owns each row, for bounds
static SticStatus row_owners(SticArena* arena, const SticProblem* problem, int32_t** made)
{
    int32_t* owner = NULL;
    STIC_TRY(STIC_TAKE(arena, &owner, problem->rows));
    for (int32_t i = 0; i < problem->count; ++i)
        for (int32_t row = problem->row_at[i]; row < problem->row_at[i + 1]; ++row)
            owner[row] = i;
    *made = owner;
    return STIC_OK;
}

typedef struct Painter {
    const SticOperator* op;
    const SticProblem* problem;
    const int32_t* owner; // of rows
    uint64_t* used;       // masks of bodies (by first velocity) or of interactions
    uint64_t*
        bound_used; // [count] colours of those that read the bound of an interaction, and its own
} Painter;

// interaction whose row bounds i, -1 if none or itself
static int32_t bound_owner(const Painter* painter, int32_t i)
{
    const SticProblem* problem = painter->problem;
    if (problem->bound_row == NULL || problem->bound_row[i] < 0)
        return -1;
    const int32_t owner = painter->owner[problem->bound_row[i]];
    return owner == i ? -1 : owner;
}

static uint64_t forbidden(const Painter* painter, int32_t i)
{
    const SticOperator* op = painter->op;
    uint64_t mask = painter->bound_used[i];
    const int32_t other = bound_owner(painter, i);
    if (other >= 0)
        mask |= painter->bound_used[other];
    if (op->form == STIC_FORM_EXPLICIT)
        return mask | painter->used[i];
    for (int32_t e = op->begin[i]; e < op->begin[i + 1]; ++e)
        mask |= painter->used[op->block[e].at];
    return mask;
}

static void mark(const Painter* painter, int32_t i, uint64_t bit)
{
    const SticOperator* op = painter->op;
    const int32_t other = bound_owner(painter, i);
    painter->bound_used[i] |= bit;
    if (other >= 0)
        painter->bound_used[other] |= bit;
    if (op->form == STIC_FORM_EXPLICIT) {
        // the pattern of W need not be symmetric: whoever reads i is marked through its own row too
        for (int32_t k = op->W->begin[i]; k < op->W->begin[i + 1]; ++k)
            painter->used[op->W->col[k]] |= bit;
        return;
    }
    for (int32_t e = op->begin[i]; e < op->begin[i + 1]; ++e)
        painter->used[op->block[e].at] |= bit;
}

// colour of each interaction, COLOURS where none was left
static void paint(const Painter* painter, uint8_t* colour)
{
    const SticOperator* op = painter->op;
    for (int32_t i = 0; i < painter->problem->count; ++i) {
        uint64_t mask = forbidden(painter, i);
        // an unsymmetric pattern: i reads j although j does not read i
        if (op->form == STIC_FORM_EXPLICIT)
            for (int32_t k = op->W->begin[i]; k < op->W->begin[i + 1]; ++k)
                if (op->W->col[k] < i && colour[op->W->col[k]] < COLOURS)
                    mask |= (uint64_t)1 << colour[op->W->col[k]];
        uint8_t lowest = 0;
        while (lowest < COLOURS && (mask >> lowest & 1u) != 0)
            lowest += 1;
        colour[i] = lowest;
        if (lowest < COLOURS)
            mark(painter, i, (uint64_t)1 << lowest);
    }
}

// positions by colour, then kernel, then number (counting sort), and the chunks of each colour
static void arrange(const uint8_t* colour, const uint8_t* kernel, SticOrder* order)
{
    int32_t start[(COLOURS + 1) * MOST_KERNELS + 1] = {0};
    for (int32_t i = 0; i < order->count; ++i)
        // the last colour keeps the natural order
        start[colour[i] * MOST_KERNELS + (colour[i] < COLOURS ? kernel[i] : 0) + 1] += 1;
    for (int32_t k = 0; k < (COLOURS + 1) * MOST_KERNELS; ++k)
        start[k + 1] += start[k];
    int32_t colour_start[COLOURS + 2];
    for (int32_t c = 0; c <= COLOURS + 1; ++c)
        colour_start[c] = start[c * MOST_KERNELS];
    for (int32_t i = 0; i < order->count; ++i)
        order->item[start[colour[i] * MOST_KERNELS + (colour[i] < COLOURS ? kernel[i] : 0)]++] = i;
    for (int32_t c = 0; c <= COLOURS; ++c) {
        if (colour_start[c] == colour_start[c + 1])
            continue;
        const int32_t first = order->chunks;
        add_chunks(order, colour_start[c], colour_start[c + 1], kernel, CHUNK);
        order->phase[order->phases++] =
            (SticOrderPhase){.first = first, .end = order->chunks, .parallel = c < COLOURS};
        order->colours += 1;
    }
}

SticStatus stic_order_coloured(SticArena* arena, const SticOperator* op, const SticProblem* problem,
                               const uint8_t* kernel, SticOrder* order)
{
    Painter painter = {.op = op, .problem = problem};
    const size_t resources = (size_t)(op->form == STIC_FORM_EXPLICIT ? op->count : op->velocities);
    int32_t* owner = NULL;
    uint8_t* colour = NULL;
    STIC_TRY(take_order(arena, problem->count, problem->count, COLOURS + 1, order));
    STIC_TRY(row_owners(arena, problem, &owner));
    STIC_TRY(STIC_TAKE(arena, &painter.used, resources));
    STIC_TRY(STIC_TAKE(arena, &painter.bound_used, problem->count));
    STIC_TRY(STIC_TAKE(arena, &colour, problem->count));
    memset(painter.used, 0, resources * sizeof *painter.used);
    memset(painter.bound_used, 0, (size_t)problem->count * sizeof *painter.bound_used);
    painter.owner = owner;
    paint(&painter, colour);
    arrange(colour, kernel, order);
    return STIC_OK;
}
