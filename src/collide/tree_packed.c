// SPDX-License-Identifier: Apache-2.0
// Packed tree: order of the items, levels, queries.
//
// Order. Items are grouped by shape class first (powers of eight of the largest extent below the
// largest of all, and which extents are within a factor eight of their box's largest), so that a
// huge or a long box does not widen a block of small ones; inside a class they follow a Morton
// curve over the centres, ten bits an axis. Items left in one cell of the curve (one far outlier
// does that) are ordered by a curve of their own; each such level divides the extent by 1024, so
// that there are at most 28 of them between the largest and the smallest float. O(n) by radix sort.
#include "collide/tree.h"

enum {
    CURVE_BITS = 10, // per axis
    CURVE_CELLS = 1 << CURVE_BITS,
    CELL_ITEMS = 4 * STIC_LANES, // more in one cell are ordered further
    CLASSES = 1024               // 85 sizes x 8 shapes, rounded up
};

// the middle of an axis without overflow
static float middle(const SticFloatBox* box, int axis)
{
    return 0.5f * box->low[axis] + 0.5f * box->high[axis];
}

static float extent(const SticFloatBox* box, int axis)
{
    const float length = box->high[axis] - box->low[axis];
    return length > FLT_MAX ? FLT_MAX : length;
}

static float largest_extent(const SticFloatBox* box)
{
    float largest = 0.0f;
    for (int k = 0; k < 3; ++k) {
        const float length = extent(box, k);
        largest = length > largest ? length : largest;
    }
    return largest;
}

static int exponent_of(float value)
{
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return (int)(bits >> 23 & 0xff);
}

static int32_t class_of(const SticFloatBox* box, int top)
{
    const float largest = largest_extent(box);
    int32_t shape = 0;
    for (int k = 0; k < 3; ++k)
        shape |= (extent(box, k) >= 0.125f * largest) << k;
    return (top - exponent_of(largest)) / 3 * 8 + shape;
}

// Hilbert curve: from the state of a cube and an octant (x + 2 y + 4 z) to 8 x the state of that
// octant + its number along the curve; derived from the transform of Skilling (2004).
static const uint8_t hilbert[24][8] = {
    {8, 23, 27, 36, 41, 54, 2, 5},
    {56, 67, 73, 10, 87, 44, 94, 13},
    {100, 111, 21, 78, 51, 112, 18, 89},
    {110, 79, 29, 124, 113, 88, 26, 3},
    {72, 57, 123, 34, 95, 86, 4, 37},
    {32, 131, 143, 12, 1, 42, 150, 45},
    {156, 31, 19, 160, 53, 6, 50, 145},
    {0, 33, 151, 142, 171, 58, 76, 61},
    {126, 69, 177, 66, 39, 132, 136, 11},
    {40, 55, 9, 22, 107, 60, 74, 77},
    {188, 85, 91, 82, 127, 38, 176, 137},
    {116, 83, 93, 90, 71, 96, 14, 17},
    {98, 121, 101, 182, 155, 24, 20, 167},
    {30, 7, 161, 144, 109, 172, 106, 75},
    {114, 187, 117, 92, 25, 120, 166, 183},
    {70, 97, 125, 122, 15, 16, 28, 35},
    {174, 133, 63, 68, 185, 130, 80, 43},
    {180, 141, 175, 62, 147, 138, 184, 81},
    {164, 139, 135, 152, 149, 146, 46, 49},
    {154, 169, 99, 104, 157, 190, 52, 119},
    {162, 179, 105, 168, 165, 148, 118, 191},
    {134, 153, 47, 48, 173, 170, 108, 59},
    {178, 181, 65, 102, 163, 140, 128, 159},
    {186, 189, 115, 84, 129, 158, 64, 103},
};

// number of a cell along the curve
static uint32_t curve_number(const uint32_t cell[3])
{
    uint32_t number = 0, state = 0;
    for (int bit = CURVE_BITS - 1; bit >= 0; --bit) {
        const uint32_t octant =
            (cell[0] >> bit & 1) | (cell[1] >> bit & 1) << 1 | (cell[2] >> bit & 1) << 2;
        const uint32_t next = hilbert[state][octant];
        number = number << 3 | (next & 7);
        state = next >> 3;
    }
    return number;
}

// keys (cell on the curve << 32 | item) of a range; false if all centres are one point
static bool make_keys(const SticFloatBox* boxes, const int32_t* items, int32_t count,
                      uint64_t* keys)
{
    float low[3] = {FLT_MAX, FLT_MAX, FLT_MAX}, high[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
    for (int32_t i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            const float c = middle(&boxes[items[i]], k);
            low[k] = c < low[k] ? c : low[k];
            high[k] = c > high[k] ? c : high[k];
        }
    double side = 0.0;
    for (int k = 0; k < 3; ++k)
        side = (double)high[k] - (double)low[k] > side ? (double)high[k] - (double)low[k] : side;
    if (side <= 0.0)
        return false;
    // one scale for all axes keeps the cells cubes
    const double scale = CURVE_CELLS / side;
    for (int32_t i = 0; i < count; ++i) {
        uint32_t cell[3];
        for (int k = 0; k < 3; ++k) {
            const double place = ((double)middle(&boxes[items[i]], k) - (double)low[k]) * scale;
            cell[k] = place < CURVE_CELLS - 1 ? (uint32_t)place : CURVE_CELLS - 1;
        }
        keys[i] = (uint64_t)curve_number(cell) << 32 | (uint32_t)items[i];
    }
    return true;
}

static void order_range(const SticFloatBox* boxes, int32_t* items, int32_t count,
                        SticPackedOrder* order)
{
    uint64_t* keys = order->keys.key;
    if (!make_keys(boxes, items, count, keys))
        return;
    stic_radix_sort(keys, order->scratch.key, (size_t)count, 32, 3 * CURVE_BITS);
    for (int32_t i = 0; i < count; ++i)
        items[i] = (int32_t)(keys[i] & 0xffffffffu);

    // crowded cells; each uses its own part of the keys
    int32_t end = count;
    while (end > 0) {
        const uint64_t cell = keys[end - 1] >> 32;
        int32_t begin = end - 1;
        while (begin > 0 && keys[begin - 1] >> 32 == cell)
            begin -= 1;
        if (end - begin > CELL_ITEMS && end - begin < count) {
            SticPackedOrder rest = {.keys = {.key = keys + begin},
                                    .scratch = {.key = order->scratch.key + begin}};
            order_range(boxes, items + begin, end - begin, &rest);
        }
        end = begin;
    }
}

// group items by class; fills the first place of each class
static void group_classes(const SticFloatBox* boxes, int32_t* items, int32_t count,
                          SticPackedOrder* order, int32_t begin[CLASSES + 1])
{
    int top = 0;
    for (int32_t i = 0; i < count; ++i) {
        const int exponent = exponent_of(largest_extent(&boxes[items[i]]));
        top = exponent > top ? exponent : top;
    }
    memset(begin, 0, (CLASSES + 1) * sizeof *begin);
    for (int32_t i = 0; i < count; ++i) {
        const int32_t kind = class_of(&boxes[items[i]], top);
        order->keys.key[i] = (uint64_t)kind << 32 | (uint32_t)items[i];
        begin[kind + 1] += 1;
    }
    for (int32_t i = 0; i < CLASSES; ++i)
        begin[i + 1] += begin[i];
    int32_t place[CLASSES];
    memcpy(place, begin, sizeof place);
    for (int32_t i = 0; i < count; ++i)
        items[place[order->keys.key[i] >> 32]++] = (int32_t)(order->keys.key[i] & 0xffffffffu);
}

SticStatus stic_packed_order(const SticContext* context, SticPackedOrder* order,
                             const SticFloatBox* boxes, int32_t* items, int32_t count)
{
    int32_t begin[CLASSES + 1];
    STIC_TRY(STIC_RESERVE(context, &order->keys.key, &order->keys.capacity, count));
    STIC_TRY(STIC_RESERVE(context, &order->scratch.key, &order->scratch.capacity, count));
    group_classes(boxes, items, count, order, begin);
    for (int32_t i = 0; i < CLASSES; ++i)
        if (begin[i + 1] - begin[i] > 1)
            order_range(boxes, items + begin[i], begin[i + 1] - begin[i], order);
    return STIC_OK;
}

void stic_packed_order_release(const SticContext* context, SticPackedOrder* order)
{
    STIC_RELEASE(context, order->keys.key, order->keys.capacity);
    STIC_RELEASE(context, order->scratch.key, order->scratch.capacity);
}

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

SticStatus stic_packed_build(const SticContext* context, SticPackedTree* tree,
                             const SticFloatBox* boxes, const int32_t* items, int32_t count)
{
    const size_t total = plan_levels(tree, count);
    const size_t lanes = (size_t)tree->blocks[0] * STIC_LANES;
    STIC_TRY(STIC_RESERVE(context, &tree->block, &tree->block_capacity, total));
    // the search reads one item beyond a block
    STIC_TRY(STIC_RESERVE(context, &tree->item, &tree->item_capacity, lanes + 1));
    if (count > 0)
        memcpy(tree->item, items, (size_t)count * sizeof *items);
    for (size_t i = (size_t)count; i < lanes; ++i)
        tree->item[i] = -1;

    for (int32_t b = 0; b < tree->blocks[0]; ++b)
        fill_block(&tree->block[b], boxes, tree->item + (size_t)b * STIC_LANES);
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
        return stic_block_meets(block, question->box);
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
