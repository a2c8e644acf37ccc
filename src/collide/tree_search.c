// SPDX-License-Identifier: Apache-2.0
// All pairs of overlapping boxes between two packed trees, or within one.
//
// Blocks of level 1 (64 boxes) of the first tree descend the second tree together; a pair of such
// blocks is refined to pairs of level-0 blocks, and those to pairs of boxes, eight comparisons at a
// time. About 20 pairs of level-0 blocks arise per block when each box meets ten others. Chunks are
// ranges of level-1 blocks, each with a list of its own.
#include "collide/tree.h"

enum { BLOCKS_A_CHUNK = 64 }; // of level 1: 4096 boxes

int32_t stic_packed_search_chunks(const SticPackedSearch* search)
{
    return stic_chunk_count(search->a_blocks, BLOCKS_A_CHUNK);
}

// lowest set bit of a mask of eight
static int first_lane(uint32_t mask)
{
#if defined(__GNUC__)
    return __builtin_ctz(mask);
#else
    int lane = 0;
    while (!(mask >> lane & 1))
        lane += 1;
    return lane;
#endif
}

// pairs between two blocks of level 0; `around` is the box around the second one
static SticStatus meet_leaves(const SticPackedSearch* search, int32_t a, int32_t b,
                              const SticFloatBox* around, SticKeyList* list)
{
    const SticBlock *first = &search->a->block[a], *second = &search->b->block[b];
    const int32_t* first_item = search->a->item + (size_t)a * STIC_LANES;
    const int32_t* second_item = search->b->item + (size_t)b * STIC_LANES;
    const bool self = search->same && a == b;
    STIC_TRY(STIC_RESERVE(search->context, &list->key, &list->capacity,
                          list->count + STIC_LANES * STIC_LANES));
    uint64_t* out = list->key + list->count;
    for (uint32_t rows = stic_block_meets(first, around); rows != 0; rows &= rows - 1) {
        const int i = first_lane(rows);
        const SticFloatBox box = stic_block_lane(first, i);
        uint32_t hits = stic_block_meets(second, &box);
        // within one block each pair once, and no box with itself
        if (self)
            hits &= ~((2u << i) - 1u);
        for (; hits != 0; hits &= hits - 1) {
            const int32_t other = second_item[first_lane(hits)];
            if (search->filter == NULL || !stic_filter_skips(search->filter, first_item[i], other))
                *out++ = stic_pair_key(first_item[i], other);
        }
    }
    list->count = (size_t)(out - list->key);
    return STIC_OK;
}

// pairs between two blocks of level 1; `around` is the box around the second one
static SticStatus meet_nodes(const SticPackedSearch* search, int32_t a, int32_t b,
                             const SticFloatBox* around, SticKeyList* list)
{
    const SticBlock* first = &search->a->block[search->a->begin[1] + a];
    const SticBlock* second = &search->b->block[search->b->begin[1] + b];
    for (uint32_t rows = stic_block_meets(first, around); rows != 0; rows &= rows - 1) {
        const int i = first_lane(rows);
        const SticFloatBox box = stic_block_lane(first, i);
        uint32_t hits = stic_block_meets(second, &box);
        if (search->same && a == b)
            hits &= ~((1u << i) - 1u);
        for (; hits != 0; hits &= hits - 1) {
            const int j = first_lane(hits);
            const SticFloatBox leaf = stic_block_lane(second, j);
            STIC_TRY(meet_leaves(search, a * STIC_LANES + i, b * STIC_LANES + j, &leaf, list));
        }
    }
    return STIC_OK;
}

// the box around a block
static SticFloatBox block_bounds(const SticBlock* block)
{
    SticFloatBox box = stic_block_lane(block, 0);
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
        for (uint32_t hits = stic_block_meets(block, &around); hits != 0; hits &= hits - 1) {
            const int lane = first_lane(hits);
            const int32_t child = node * STIC_LANES + lane;
            // within one tree: only blocks that reach up to this one or beyond
            if (search->same && ((int64_t)(child + 1) << 3 * (level - 2)) <= a)
                continue;
            if (level > 2) {
                stack[depth].level = level - 1;
                stack[depth++].block = child;
                continue;
            }
            const SticFloatBox box = stic_block_lane(block, lane);
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
