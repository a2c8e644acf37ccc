// SPDX-License-Identifier: Apache-2.0
// Order of the items of a packed tree.
//
// Items are grouped by shape class first (powers of eight of the largest extent, about the median
// of all; and which extents are within a factor eight of their box's largest), so that a huge or a
// long box does not widen a block of small ones; inside a class they follow a Hilbert curve over
// the centres, ten bits an axis (a Morton curve makes twice as many pairs of blocks overlap). Items
// left in one cell of the curve (one far outlier does that) are ordered by a curve of their own;
// each such level divides the extent by 1024, so that there are at most 28 of them between the
// largest and the smallest float. O(n) by radix sort.
#include "collide/tree.h"

enum {
    CURVE_BITS = 10, // per axis
    CURVE_CELLS = 1 << CURVE_BITS,
    CELL_ITEMS = 4 * STIC_LANES, // more in one cell are ordered further
    EXPONENTS = 256,
    CLASSES = 8 * 176, // 8 shapes; sizes from (0 - 254 + 259) / 3 to (254 - 0 + 259) / 3
    ITEMS_A_CHUNK = 4096
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

/* ---- along the curve ---- */

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

// a range of items and the cube around their centres
typedef struct Range {
    const SticContext* context;
    const SticFloatBox* boxes;
    int32_t* items;
    int32_t count;
    uint64_t *keys, *scratch; // [count]
    double low[3], scale;
} Range;

// false if all centres are one point
static bool find_cube(Range* range)
{
    float low[3] = {FLT_MAX, FLT_MAX, FLT_MAX}, high[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
    for (int32_t i = 0; i < range->count; ++i)
        for (int k = 0; k < 3; ++k) {
            const float c = middle(&range->boxes[range->items[i]], k);
            low[k] = c < low[k] ? c : low[k];
            high[k] = c > high[k] ? c : high[k];
        }
    // one scale for all axes keeps the cells cubes
    double side = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double length = (double)high[k] - (double)low[k];
        side = length > side ? length : side;
        range->low[k] = (double)low[k];
    }
    range->scale = side > 0.0 ? CURVE_CELLS / side : 0.0;
    return side > 0.0;
}

// keys: cell on the curve << 32 | item
static void make_keys(void* self, int32_t index)
{
    const Range* range = self;
    const int32_t first = index * ITEMS_A_CHUNK;
    const int32_t last =
        range->count - first < ITEMS_A_CHUNK ? range->count : first + ITEMS_A_CHUNK;
    for (int32_t i = first; i < last; ++i) {
        const SticFloatBox* box = &range->boxes[range->items[i]];
        uint32_t cell[3];
        for (int k = 0; k < 3; ++k) {
            const double place = ((double)middle(box, k) - range->low[k]) * range->scale;
            cell[k] = place < CURVE_CELLS - 1 ? (uint32_t)place : CURVE_CELLS - 1;
        }
        range->keys[i] = (uint64_t)curve_number(cell) << 32 | (uint32_t)range->items[i];
    }
}

static void order_range(Range* range)
{
    if (!find_cube(range))
        return;
    stic_pool_run(range->context->pool, stic_chunk_count(range->count, ITEMS_A_CHUNK), make_keys,
                  range);
    uint64_t* keys = range->keys;
    stic_radix_sort(keys, range->scratch, (size_t)range->count, 32, 3 * CURVE_BITS);
    for (int32_t i = 0; i < range->count; ++i)
        range->items[i] = (int32_t)(keys[i] & 0xffffffffu);

    // crowded cells; each uses its own part of the keys
    int32_t end = range->count;
    while (end > 0) {
        const uint64_t cell = keys[end - 1] >> 32;
        int32_t begin = end - 1;
        while (begin > 0 && keys[begin - 1] >> 32 == cell)
            begin -= 1;
        if (end - begin > CELL_ITEMS && end - begin < range->count) {
            Range crowd = *range;
            crowd.items += begin;
            crowd.count = end - begin;
            crowd.keys += begin;
            crowd.scratch += begin;
            order_range(&crowd);
        }
        end = begin;
    }
}

/* ---- classes ---- */

static int32_t exponent_of(float value)
{
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return (int32_t)(bits >> 23 & 0xff);
}

// sizes within a factor two of the median are always one class
static int32_t class_of(const SticFloatBox* box, int32_t median)
{
    const float largest = largest_extent(box);
    int32_t shape = 0;
    for (int k = 0; k < 3; ++k)
        shape |= (extent(box, k) >= 0.125f * largest) << k;
    return (exponent_of(largest) - median + 1 + 3 * 86) / 3 * 8 + shape;
}

static int32_t median_exponent(const SticFloatBox* boxes, const int32_t* items, int32_t count)
{
    int32_t histogram[EXPONENTS] = {0};
    for (int32_t i = 0; i < count; ++i)
        histogram[exponent_of(largest_extent(&boxes[items[i]]))] += 1;
    int32_t median = 0;
    for (int32_t below = histogram[0]; below <= count / 2 && median < EXPONENTS - 2;)
        below += histogram[++median];
    return median;
}

// group items by class; fills the first place of each class
static void group_classes(const Range* all, int32_t begin[CLASSES + 1])
{
    const int32_t median = median_exponent(all->boxes, all->items, all->count);
    memset(begin, 0, (CLASSES + 1) * sizeof *begin);
    for (int32_t i = 0; i < all->count; ++i) {
        const int32_t kind = class_of(&all->boxes[all->items[i]], median);
        all->keys[i] = (uint64_t)kind << 32 | (uint32_t)all->items[i];
        begin[kind + 1] += 1;
    }
    for (int32_t i = 0; i < CLASSES; ++i)
        begin[i + 1] += begin[i];
    int32_t place[CLASSES];
    memcpy(place, begin, sizeof place);
    for (int32_t i = 0; i < all->count; ++i)
        all->items[place[all->keys[i] >> 32]++] = (int32_t)(all->keys[i] & 0xffffffffu);
}

SticStatus stic_packed_order(const SticContext* context, SticPackedOrder* order,
                             const SticFloatBox* boxes, int32_t* items, int32_t count)
{
    STIC_ASSERT(count >= 0);
    int32_t begin[CLASSES + 1];
    STIC_TRY(STIC_RESERVE(context, &order->keys.key, &order->keys.capacity, count));
    STIC_TRY(STIC_RESERVE(context, &order->scratch.key, &order->scratch.capacity, count));
    Range all = {.context = context,
                 .boxes = boxes,
                 .items = items,
                 .count = count,
                 .keys = order->keys.key,
                 .scratch = order->scratch.key};
    group_classes(&all, begin);
    for (int32_t i = 0; i < CLASSES; ++i) {
        if (begin[i + 1] - begin[i] < 2)
            continue;
        Range range = all;
        range.items = items + begin[i];
        range.count = begin[i + 1] - begin[i];
        order_range(&range);
    }
    return STIC_OK;
}

void stic_packed_order_release(const SticContext* context, SticPackedOrder* order)
{
    STIC_RELEASE(context, order->keys.key, order->keys.capacity);
    STIC_RELEASE(context, order->scratch.key, order->scratch.capacity);
}
