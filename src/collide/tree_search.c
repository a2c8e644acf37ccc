// SPDX-License-Identifier: Apache-2.0
// All pairs of overlapping boxes between two packed trees, or within one.
//
// Blocks of level 1 (64 boxes) of the first tree descend the second tree together; a pair of such
// blocks is refined to pairs of level-0 blocks (leaves), those to boxes with leaves (rows), those
// to pairs of boxes, eight comparisons at a time, one stage after the other. When each box meets
// ten others there are about 1.7 pairs of leaves and 5 rows per box. Chunks are ranges of level-1
// blocks, each with a list of its own.
#include "collide/tree.h"

enum { BLOCKS_A_CHUNK = 64 }; // of level 1: 4096 boxes

int32_t stic_packed_search_chunks(const SticPackedSearch* search)
{
    return stic_chunk_count(search->a_blocks, BLOCKS_A_CHUNK);
}

// lowest set bit of a mask of eight, 8 if there is none
static int32_t first_lane(uint32_t mask)
{
#if defined(__GNUC__)
    return __builtin_ctz(mask | 1u << STIC_LANES);
#else
    int32_t lane = 0;
    while (lane < STIC_LANES && !(mask >> lane & 1))
        lane += 1;
    return lane;
#endif
}

// Two things that may overlap: a leaf block with a leaf block, or a box with a leaf block.
typedef struct Couple {
    int32_t first, second;
} Couple;

// Append a couple for every set lane. Masks follow no pattern, so that a loop over bits would be
// mispredicted each time: two couples are always written, and only counted if their lanes are set.
static Couple* expand(Couple* out, Couple base, int32_t first_step, uint32_t mask)
{
    const int32_t second_step = 1 - first_step;
    do {
        for (int k = 0; k < 2; ++k) {
            const int32_t lane = first_lane(mask);
            *out = (Couple){base.first + first_step * lane, base.second + second_step * lane};
            out += mask != 0;
            mask &= mask - 1;
        }
    } while (mask != 0);
    return out;
}

// append the keys of an item with the items of the set lanes, in the same way
static uint64_t* expand_keys(uint64_t* out, int32_t item, const int32_t* items, uint32_t mask)
{
    do {
        for (int k = 0; k < 2; ++k) {
            *out = stic_pair_key(item, items[first_lane(mask)]);
            out += mask != 0;
            mask &= mask - 1;
        }
    } while (mask != 0);
    return out;
}

enum {
    LEAVES = STIC_LANES * STIC_LANES, // pairs of leaves of two blocks of level 1
    ROWS = LEAVES * STIC_LANES        // boxes with leaves
};

// pairs of leaves of two blocks of level 1; `around` is the box around the second one
static size_t couple_leaves(const SticPackedSearch* search, int32_t a, int32_t b,
                            const SticFloatBox* around, Couple* leaves)
{
    const SticBlock* first = &search->a->block[search->a->begin[1] + a];
    const SticBlock* second = &search->b->block[search->b->begin[1] + b];
    Couple* out = leaves;
    for (uint32_t lanes = stic_packed_meets(first, around); lanes != 0; lanes &= lanes - 1) {
        const int32_t i = first_lane(lanes);
        const SticFloatBox box = stic_packed_lane(first, i);
        uint32_t hits = stic_packed_meets(second, &box);
        // within one block each pair once
        if (search->same && a == b)
            hits &= ~((1u << i) - 1u);
        out = expand(out, (Couple){a * STIC_LANES + i, b * STIC_LANES}, 0, hits);
    }
    return (size_t)(out - leaves);
}

// boxes of the first leaves that meet the box around the second ones
static size_t couple_rows(const SticPackedSearch* search, const Couple* leaves, size_t leaf_count,
                          Couple* rows)
{
    const SticBlock* nodes = search->b->block + search->b->begin[1];
    Couple* out = rows;
    for (size_t i = 0; i < leaf_count; ++i) {
        const int32_t second = leaves[i].second;
        const SticFloatBox around =
            stic_packed_lane(&nodes[second / STIC_LANES], second % STIC_LANES);
        const uint32_t hits = stic_packed_meets(&search->a->block[leaves[i].first], &around);
        out = expand(out, (Couple){leaves[i].first * STIC_LANES, second}, 1, hits);
    }
    return (size_t)(out - rows);
}

// whether a coarse box is in a pair that does not overlap
static bool only_seems(const SticBroad* broad, int32_t a, int32_t b)
{
    return ((broad->state[a] | broad->state[b]) & STIC_SLOT_COARSE) &&
           !stic_box_meets(&broad->box[a], &broad->box[b]);
}

// drop what the filter skips, and what only single precision takes for an overlap
static size_t filter_keys(const SticPackedSearch* search, uint64_t* keys, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const int32_t a = stic_pair_low(keys[i]), b = stic_pair_high(keys[i]);
        if (search->filter != NULL && stic_filter_skips(search->filter, a, b))
            continue;
        if (search->exact != NULL && only_seems(search->exact, a, b))
            continue;
        keys[kept++] = keys[i];
    }
    return kept;
}

// pairs between two blocks of level 1: leaves, then rows, then boxes
static SticStatus meet_nodes(const SticPackedSearch* search, int32_t a, int32_t b,
                             const SticFloatBox* around, SticKeyList* list)
{
    Couple leaves[LEAVES + 2], rows[ROWS + 2];
    const size_t leaf_count = couple_leaves(search, a, b, around, leaves);
    const size_t row_count = couple_rows(search, leaves, leaf_count, rows);
    STIC_TRY(STIC_RESERVE(search->context, &list->key, &list->capacity,
                          list->count + row_count * STIC_LANES + 2));
    uint64_t* const begin = list->key + list->count;
    uint64_t* out = begin;
    for (size_t i = 0; i < row_count; ++i) {
        const int32_t row = rows[i].first, leaf = rows[i].second;
        const SticFloatBox box =
            stic_packed_lane(&search->a->block[row / STIC_LANES], row % STIC_LANES);
        uint32_t hits = stic_packed_meets(&search->b->block[leaf], &box);
        // within one leaf each pair once, and no box with itself
        if (search->same && row / STIC_LANES == leaf)
            hits &= ~((2u << row % STIC_LANES) - 1u);
        out = expand_keys(out, search->a->item[row], search->b->item + (size_t)leaf * STIC_LANES,
                          hits);
    }
    const size_t found = (size_t)(out - begin);
    const bool all = search->filter == NULL && search->exact == NULL;
    list->count += all ? found : filter_keys(search, begin, found);
    return STIC_OK;
}

// the box around a block
static SticFloatBox block_bounds(const SticBlock* block)
{
    SticFloatBox box = stic_packed_lane(block, 0);
    for (int lane = 1; lane < STIC_LANES; ++lane)
        for (int k = 0; k < 3; ++k) {
            box.low[k] = block->low[k][lane] < box.low[k] ? block->low[k][lane] : box.low[k];
            box.high[k] = block->high[k][lane] > box.high[k] ? block->high[k][lane] : box.high[k];
        }
    return box;
}

// descend the second tree with one block of level 1 of the first
static SticStatus descend(const SticPackedSearch* search, int32_t a, SticKeyList* list)
{
    const SticPackedTree* tree = search->b;
    const SticFloatBox around = block_bounds(&search->a->block[search->a->begin[1] + a]);
    struct {
        int32_t level, block;
    } stack[STIC_TREE_LEVELS * STIC_LANES];
    int32_t depth = 0;
    if (tree->levels == 2)
        return meet_nodes(search, a, 0, &around, list);
    stack[depth].level = tree->levels - 1;
    stack[depth++].block = 0;
    while (depth > 0) {
        depth -= 1;
        const int32_t level = stack[depth].level, node = stack[depth].block;
        const SticBlock* block = &tree->block[tree->begin[level] + node];
        for (uint32_t hits = stic_packed_meets(block, &around); hits != 0; hits &= hits - 1) {
            const int32_t lane = first_lane(hits);
            const int32_t child = node * STIC_LANES + lane;
            // within one tree: only blocks that reach up to this one or beyond
            if (search->same && ((int64_t)(child + 1) << 3 * (level - 2)) <= a)
                continue;
            if (level > 2) {
                stack[depth].level = level - 1;
                stack[depth++].block = child;
                continue;
            }
            const SticFloatBox box = stic_packed_lane(block, lane);
            STIC_TRY(meet_nodes(search, a, child, &box, list));
        }
    }
    return STIC_OK;
}

void stic_packed_search_chunk(void* self, int32_t index)
{
    const SticPackedSearch* search = self;
    const int32_t first = index * BLOCKS_A_CHUNK;
    const int32_t last =
        search->a_blocks - first < BLOCKS_A_CHUNK ? search->a_blocks : first + BLOCKS_A_CHUNK;
    SticStatus status = STIC_OK;
    for (int32_t a = first; a < last && status == STIC_OK; ++a)
        status = descend(search, a, &search->lists[index]);
    search->status[index] = status;
}
