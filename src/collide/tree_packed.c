// SPDX-License-Identifier: Apache-2.0
// Packed tree: its levels, removal, queries.
//
// Items are cut into blocks of eight in the order given (tree_order.c), those into blocks of eight,
// and so on up to a single one. A query descends all lanes that it meets.
#include "collide/tree.h"

enum { BLOCKS_A_CHUNK = 512 };

static void clear_lane(SticBlock* block, int lane)
{
    for (int k = 0; k < 3; ++k) {
        block->low[k][lane] = INFINITY;
        block->high[k][lane] = -INFINITY;
    }
}

// number of blocks of every level
static size_t plan_levels(SticPackedTree* tree, int32_t count)
{
    int32_t blocks = count / STIC_LANES + (count % STIC_LANES != 0);
    int32_t total = 0;
    tree->count = count;
    tree->levels = 0;
    do {
        blocks = blocks < 1 ? 1 : blocks;
        tree->begin[tree->levels] = total;
        tree->blocks[tree->levels] = blocks;
        total += blocks;
        tree->levels += 1;
        blocks = (blocks + STIC_LANES - 1) / STIC_LANES;
    } while (tree->levels < 2 || tree->blocks[tree->levels - 1] > 1);
    return (size_t)total;
}

// a block of level 0 from its items
static void fill_block(SticBlock* block, const SticFloatBox* boxes, const int32_t* item)
{
    for (int lane = 0; lane < STIC_LANES; ++lane) {
        if (item[lane] < 0) {
            clear_lane(block, lane);
            continue;
        }
        const SticFloatBox* box = &boxes[item[lane]];
        for (int k = 0; k < 3; ++k) {
            block->low[k][lane] = box->low[k];
            block->high[k][lane] = box->high[k];
        }
    }
}

// the box around a block into a lane one level up
static void enclose_block(const SticBlock* block, SticBlock* above, int lane)
{
    for (int k = 0; k < 3; ++k) {
        float low = block->low[k][0], high = block->high[k][0];
        for (int i = 1; i < STIC_LANES; ++i) {
            low = block->low[k][i] < low ? block->low[k][i] : low;
            high = block->high[k][i] > high ? block->high[k][i] : high;
        }
        above->low[k][lane] = low;
        above->high[k][lane] = high;
    }
}

typedef struct Build {
    SticPackedTree* tree;
    const SticFloatBox* boxes;
} Build;

static void fill_chunk(void* self, int32_t index)
{
    const Build* build = self;
    SticPackedTree* tree = build->tree;
    const int32_t first = index * BLOCKS_A_CHUNK, left = tree->blocks[0] - first;
    for (int32_t b = first; b < first + (left < BLOCKS_A_CHUNK ? left : BLOCKS_A_CHUNK); ++b)
        fill_block(&tree->block[b], build->boxes, tree->item + (size_t)b * STIC_LANES);
}

SticStatus stic_packed_build(const SticContext* context, SticPackedTree* tree,
                             const SticFloatBox* boxes, const int32_t* items, int32_t count)
{
    STIC_ASSERT(count >= 0);
    const size_t total = plan_levels(tree, count);
    const size_t lanes = (size_t)tree->blocks[0] * STIC_LANES;
    STIC_TRY(STIC_RESERVE(context, &tree->block, &tree->block_capacity, total));
    // the search reads one item beyond a block
    STIC_TRY(STIC_RESERVE(context, &tree->item, &tree->item_capacity, lanes + 1));
    if (count > 0)
        memcpy(tree->item, items, (size_t)count * sizeof *items);
    for (size_t i = (size_t)count; i < lanes; ++i)
        tree->item[i] = -1;

    Build build = {.tree = tree, .boxes = boxes};
    stic_pool_run(context->pool, stic_chunk_count(tree->blocks[0], BLOCKS_A_CHUNK), fill_chunk,
                  &build);
    for (int32_t level = 1; level < tree->levels; ++level) {
        const SticBlock* below = tree->block + tree->begin[level - 1];
        SticBlock* blocks = tree->block + tree->begin[level];
        for (int32_t b = 0; b < tree->blocks[level] * STIC_LANES; ++b) {
            if (b < tree->blocks[level - 1])
                enclose_block(&below[b], &blocks[b / STIC_LANES], b % STIC_LANES);
            else
                clear_lane(&blocks[b / STIC_LANES], b % STIC_LANES);
        }
    }
    return STIC_OK;
}

void stic_packed_release(const SticContext* context, SticPackedTree* tree)
{
    STIC_RELEASE(context, tree->block, tree->block_capacity);
    STIC_RELEASE(context, tree->item, tree->item_capacity);
}

void stic_packed_remove(SticPackedTree* tree, int32_t position)
{
    clear_lane(&tree->block[position / STIC_LANES], position % STIC_LANES);
    tree->item[position] = -1;
}

/* ---- queries ---- */

// a mapped lane back in double precision, at least as large as what was mapped
static SticBox unmapped_lane(const SticBlock* block, int lane, const double origin[3])
{
    SticBox box;
    for (int k = 0; k < 3; ++k) {
        const double low = (double)block->low[k][lane], high = (double)block->high[k][lane];
        // half a unit of single precision, and the roundings of the shift by the origin
        const double shift = 4.0 * DBL_EPSILON * fabs(origin[k]);
        box.low[k] = low + origin[k] - (fabs(low) * (double)FLT_EPSILON + (double)FLT_MIN + shift);
        box.high[k] =
            high + origin[k] + (fabs(high) * (double)FLT_EPSILON + (double)FLT_MIN + shift);
        // numbers beyond single precision were brought to its end
        if (low <= -(double)FLT_MAX)
            box.low[k] = -INFINITY;
        if (high >= (double)FLT_MAX)
            box.high[k] = INFINITY;
    }
    return box;
}

typedef struct Question {
    const SticFloatBox* box; // NULL: the ray is asked for
    const SticRay* ray;
    const double* origin;
} Question;

static uint32_t ask_block(const Question* question, const SticBlock* block)
{
    uint32_t mask = 0;
    if (question->box != NULL)
        return stic_packed_meets(block, question->box);
    for (int lane = 0; lane < STIC_LANES; ++lane) {
        double entry = 0.0;
        // unused lanes are empty
        if (block->low[0][lane] > block->high[0][lane])
            continue;
        const SticBox box = unmapped_lane(block, lane, question->origin);
        mask |= (uint32_t)stic_ray_meets(question->ray, &box, &entry) << lane;
    }
    return mask;
}

static SticStatus ask_tree(const SticContext* context, const SticPackedTree* tree,
                           const Question* question, SticHandleList* out)
{
    struct {
        int32_t level, block;
    } stack[STIC_TREE_LEVELS * STIC_LANES];
    int32_t depth = 0;
    stack[depth].level = tree->levels - 1;
    stack[depth++].block = 0;
    while (depth > 0) {
        depth -= 1;
        const int32_t level = stack[depth].level, block = stack[depth].block;
        uint32_t mask = ask_block(question, &tree->block[tree->begin[level] + block]);
        if (level == 0)
            STIC_TRY(STIC_RESERVE(context, &out->handle, &out->capacity, out->count + STIC_LANES));
        for (int lane = 0; mask != 0; ++lane, mask >>= 1) {
            if (!(mask & 1))
                continue;
            if (level == 0) {
                out->handle[out->count++] = tree->item[block * STIC_LANES + lane];
            } else {
                stack[depth].level = level - 1;
                stack[depth++].block = block * STIC_LANES + lane;
            }
        }
    }
    return STIC_OK;
}

SticStatus stic_packed_query(const SticContext* context, const SticPackedTree* tree,
                             const SticFloatBox* box, SticHandleList* out)
{
    const Question question = {.box = box};
    return ask_tree(context, tree, &question, out);
}

SticStatus stic_packed_ray(const SticContext* context, const SticPackedTree* tree,
                           const SticRay* ray, const double origin[3], SticHandleList* out)
{
    const Question question = {.ray = ray, .origin = origin};
    return ask_tree(context, tree, &question, out);
}
