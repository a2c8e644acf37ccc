// SPDX-License-Identifier: Apache-2.0
// Natural and coloured orders of a Gauss-Seidel sweep.
//
// Colouring: greedy in the natural order. Each resource (a body in the factored form, an
// interaction's row in the explicit form, the row that supplies a bound) has a mask of the colours
// that use it; an interaction takes the lowest colour that none of its resources has. Contacts for
// which none of 63 colours is free (a body with more contacts than that) go into a last phase that
// is visited in order. Cost: one pass over the blocks of H or W.
//
// Long stretches of a natural order are cut into pieces of some hundred visits, and the pieces are
// coloured instead: neighbours in the list are neighbours in space, so that a sweep by pieces goes
// through a pile much like the natural one, whereas single contacts by colours take a third more
// sweeps. A second pass spreads the pieces evenly over the colours that the first one needed. Where
// faces rest on each other the natural order stays: it carries loads through all courses of a stack
// in one sweep, which pieces do not (first step of a pyramid of 100 courses: 2661 sweeps, in pieces
// 4097).
#include "solver/order.h"

#include "stiction/extend/base.h"

#include <string.h>

enum {
    COLOURS = 63,     // one bit each
    CHUNK = 128,      // visits of one piece of work: about 5 microseconds
    PIECE = 512,      // visits of a piece of a long stretch: about 25 microseconds
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

static void add_phase(SticOrder* order, int32_t first, bool parallel)
{
    order->phase[order->phases++] =
        (SticOrderPhase){.first = first, .end = order->chunks, .parallel = parallel};
}

/* ---- pieces of long stretches ---- */

typedef struct Pieces {
    const SticOperator* op;
    const SticOrder* order;
    int32_t first, count; // chunks
    uint64_t* used;       // [velocities] colours that use a body, by its first velocity
    uint8_t* colour;      // [chunks]
    int32_t load[COLOURS + 1];
} Pieces;

static uint64_t piece_mask(const Pieces* pieces, int32_t c)
{
    const SticOperator* op = pieces->op;
    const SticOrderChunk* chunk = &pieces->order->chunk[c];
    uint64_t mask = 0;
    for (int32_t p = chunk->first; p < chunk->end; ++p)
        for (int32_t i = pieces->order->item[p], e = op->begin[i]; e < op->begin[i + 1]; ++e)
            mask |= pieces->used[op->block[e].at];
    return mask;
}

static void mark_piece(const Pieces* pieces, int32_t c, uint64_t bit)
{
    const SticOperator* op = pieces->op;
    const SticOrderChunk* chunk = &pieces->order->chunk[c];
    for (int32_t p = chunk->first; p < chunk->end; ++p)
        for (int32_t i = pieces->order->item[p], e = op->begin[i]; e < op->begin[i + 1]; ++e)
            pieces->used[op->block[e].at] |= bit;
}

// the free colour below `most` with the least work, else the lowest free one, else COLOURS
static uint8_t choose_colour(const Pieces* pieces, uint64_t mask, int32_t most)
{
    uint8_t best = COLOURS;
    for (int32_t c = 0; c < COLOURS; ++c) {
        if ((mask >> c & 1u) != 0)
            continue;
        if (c >= most)
            return best < COLOURS ? best : (uint8_t)c;
        if (best == COLOURS || pieces->load[c] < pieces->load[best])
            best = (uint8_t)c;
    }
    return best;
}

// colours of the pieces; returns how many were needed
static int32_t paint_pieces(Pieces* pieces, int32_t most)
{
    int32_t colours = 0;
    memset(pieces->used, 0, (size_t)pieces->op->velocities * sizeof *pieces->used);
    memset(pieces->load, 0, sizeof pieces->load);
    for (int32_t k = 0; k < pieces->count; ++k) {
        const int32_t c = pieces->first + k;
        const uint8_t colour = choose_colour(pieces, piece_mask(pieces, c), most);
        pieces->colour[k] = colour;
        pieces->load[colour] += pieces->order->chunk[c].end - pieces->order->chunk[c].first;
        if (colour < COLOURS)
            mark_piece(pieces, c, (uint64_t)1 << colour);
        colours = colour >= colours ? colour + 1 : colours;
    }
    return colours;
}

// chunks [first, …) of the order, made as listed, by their colours; `item` and `chunk` are scratch
static void arrange_pieces(const Pieces* pieces, int32_t colours, SticOrder* order, int32_t* item,
                           SticOrderChunk* chunk)
{
    const int32_t from = order->chunk[pieces->first].first;
    int32_t at = from;
    memcpy(chunk, order->chunk + pieces->first, (size_t)pieces->count * sizeof *chunk);
    memcpy(item, order->item + from, (size_t)(chunk[pieces->count - 1].end - from) * sizeof *item);
    order->chunks = pieces->first;
    for (int32_t colour = 0; colour < colours; ++colour) {
        const int32_t first = order->chunks;
        for (int32_t k = 0; k < pieces->count; ++k) {
            if (pieces->colour[k] != colour)
                continue;
            const int32_t count = chunk[k].end - chunk[k].first;
            memcpy(order->item + at, item + (chunk[k].first - from), (size_t)count * sizeof *item);
            order->chunk[order->chunks++] = (SticOrderChunk){at, at + count, chunk[k].kernel};
            at += count;
        }
        if (order->chunks > first)
            add_phase(order, first, colour < COLOURS);
    }
}

// the stretch whose chunks from `first` on were made as listed
static SticStatus cut_stretch(SticArena* arena, const SticOperator* op, int32_t first,
                              SticOrder* order)
{
    Pieces pieces = {.op = op, .order = order, .first = first, .count = order->chunks - first};
    const int32_t from = order->chunk[first].first, end = order->chunk[order->chunks - 1].end;
    const SticArenaMark mark = stic_arena_mark(arena);
    int32_t* item = NULL;
    SticOrderChunk* chunk = NULL;
    STIC_TRY(STIC_TAKE(arena, &pieces.used, op->velocities));
    STIC_TRY(STIC_TAKE(arena, &pieces.colour, pieces.count));
    STIC_TRY(STIC_TAKE(arena, &chunk, pieces.count));
    STIC_TRY(STIC_TAKE(arena, &item, end - from));
    const int32_t needed = paint_pieces(&pieces, 0);
    const int32_t colours = paint_pieces(&pieces, needed < COLOURS ? needed : COLOURS);
    arrange_pieces(&pieces, colours, order, item, chunk);
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

// whether two interactions are between the same bodies
static bool is_same_pair(const SticOperator* op, int32_t i, int32_t j)
{
    const int32_t count = op->begin[i + 1] - op->begin[i];
    bool same = op->begin[j + 1] - op->begin[j] == count;
    for (int32_t e = 0; same && e < count; ++e)
        same = op->block[op->begin[i] + e].at == op->block[op->begin[j] + e].at;
    return same;
}

// Whether a stretch is worth cutting: long, of laws that come in runs, and of bodies that meet in
// points, 1 contact of each pair in piles of spheres, 1.1 to 1.3 in piles of rocks, 4 in walls.
static bool is_cut(const SticOrderList* list, const SticOrder* order, int32_t k, int32_t first)
{
    const int32_t from = list->begin[k], count = list->begin[k + 1] - from;
    int32_t pairs = 1;
    if (list->op == NULL || list->op->form != STIC_FORM_FACTORED || count < STIC_ORDER_LONG ||
        order->chunks - first > 2 * (count / PIECE + 1))
        return false;
    for (int32_t p = from + 1; p < from + count; ++p)
        pairs += !is_same_pair(list->op, list->item[p], list->item[p - 1]);
    return 2 * count < 3 * pairs;
}

SticStatus stic_order_listed(SticArena* arena, const SticOrderList* list, SticOrder* order)
{
    const int32_t stretches = list->stretches, count = list->begin[stretches];
    STIC_TRY(take_order(arena, count, count, stretches + (COLOURS + 1) * (count / STIC_ORDER_LONG),
                        order));
    STIC_TRY(STIC_TAKE(arena, &order->stretch_chunk, stretches + 1));
    STIC_TRY(STIC_TAKE(arena, &order->stretch_phase, stretches + 1));
    if (count > 0)
        memcpy(order->item, list->item, (size_t)count * sizeof *list->item);
    for (int32_t k = 0; k < stretches; ++k) {
        const int32_t first = order->chunks, from = list->begin[k], end = list->begin[k + 1];
        order->stretch_chunk[k] = first;
        order->stretch_phase[k] = order->phases;
        add_chunks(order, from, end, list->kernel, PIECE);
        if (is_cut(list, order, k, first)) {
            STIC_TRY(cut_stretch(arena, list->op, first, order));
            continue;
        }
        order->chunks = first;
        add_chunks(order, from, end, list->kernel, count);
        add_phase(order, first, false);
    }
    order->stretch_chunk[stretches] = order->chunks;
    order->stretch_phase[stretches] = order->phases;
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
