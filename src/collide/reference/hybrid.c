// SPDX-License-Identifier: Apache-2.0
// HYBRID: streamed segment trees with scans (Zomorodian and Edelsbrunner; Koziara's thesis, section
// 9.3.4, algorithms 9.3.29 to 9.3.32).
//
// For each axis from the last to the second, a segment tree over the boxes' low ends is walked
// without being built: a node [lo, hi) gets the points (low ends) inside it and the intervals that
// meet it. Intervals that cover the node meet all its points on this axis; they go on to the next
// axis, once as intervals and once as points. The others are passed to the halves at an approximate
// median of the points. Small sets, and all sets on the first axis, are scanned. O(n log^3 n +
// pairs).
//
// Order. Low ends are ordered by (coordinate, handle), so that of two boxes exactly one has its low
// end "in" the other, also when they are equal; high ends are closed. Lists stay sorted along the
// first axis because they are only ever filtered; the scans sort nothing.
//
// Departures from the thesis: closed intervals; a median that does not divide the points (all
// equal) ends in a scan; the cutoff, not given there, was measured; the medians' random choices
// come from the context's seed. Memory is O(n log n) in the worst case (filtered copies), O(n)
// typically.
#include "collide/broad_internal.h"

enum {
    CUTOFF = 256,   // sets below this are scanned
    MEDIAN_BASE = 6 // points per leaf of the median tree, as a power of two
};

// a place on the line of low ends
typedef struct End {
    double x;
    int32_t slot;
} End;

struct SticHybrid {
    SticSortRecord* record;
    size_t record_capacity;
    SticSortRecord* scratch;
    size_t scratch_capacity;
    SticHandleList stack; // the sets of the running calls, one behind the other
    SticBroad* broad;
};

// part of the stack
typedef struct Set {
    size_t begin, count;
} Set;

SticStatus stic_hybrid_create(SticBroad* broad)
{
    return STIC_ALLOCATE(&broad->context, &broad->hybrid, 1);
}

void stic_hybrid_destroy(SticBroad* broad)
{
    const SticContext* context = &broad->context;
    SticHybrid* hybrid = broad->hybrid;
    if (hybrid == NULL)
        return;
    STIC_RELEASE(context, hybrid->record, hybrid->record_capacity);
    STIC_RELEASE(context, hybrid->scratch, hybrid->scratch_capacity);
    STIC_RELEASE(context, hybrid->stack.handle, hybrid->stack.capacity);
    STIC_RELEASE(context, hybrid, 1);
    broad->hybrid = NULL;
}

static bool before(double x, int32_t slot, const End* end)
{
    return x < end->x || (x == end->x && slot < end->slot);
}

// whether the low end of b lies in the interval of a on an axis
static bool holds(const SticBox* box, int32_t a, int32_t b, int axis)
{
    const double low = box[a].low[axis], point = box[b].low[axis];
    return (low < point || (low == point && a < b)) && point <= box[a].high[axis];
}

static SticStatus add_pair(SticHybrid* hybrid, int32_t a, int32_t b)
{
    return stic_keys_add(&hybrid->broad->context, &hybrid->broad->found, stic_pair_key(a, b));
}

/* ---- scans along the first axis; both lists are sorted by low end ---- */

// report i with p if the low end of p lies in i on the first axis; they meet on the others already
static SticStatus scan(SticHybrid* hybrid, Set intervals, Set points)
{
    const SticBox* box = hybrid->broad->box;
    const int32_t* list = hybrid->stack.handle;
    size_t first = 0;
    for (size_t i = 0; i < intervals.count; ++i) {
        const int32_t a = list[intervals.begin + i];
        const End start = {box[a].low[0], a};
        while (first < points.count &&
               before(box[list[points.begin + first]].low[0], list[points.begin + first], &start))
            first += 1;
        for (size_t j = first; j < points.count; ++j) {
            const int32_t b = list[points.begin + j];
            if (box[b].low[0] > box[a].high[0])
                break;
            if (a != b)
                STIC_TRY(add_pair(hybrid, a, b));
        }
    }
    return STIC_OK;
}

// Small sets on axis `axis`: report i with p if the low end of p lies in i on this axis and the
// boxes meet on the axes below. Both ways along the first axis.
static SticStatus scan_both(SticHybrid* hybrid, Set intervals, Set points, int axis)
{
    const SticBox* box = hybrid->broad->box;
    const int32_t* list = hybrid->stack.handle;
    for (size_t i = 0, j = 0; i < intervals.count && j < points.count;) {
        const int32_t a = list[intervals.begin + i], b = list[points.begin + j];
        const bool interval_first =
            box[a].low[0] < box[b].low[0] || (box[a].low[0] == box[b].low[0] && a < b);
        // the one that starts first meets whatever starts before its end
        const Set* others = interval_first ? &points : &intervals;
        const int32_t own = interval_first ? a : b;
        for (size_t k = interval_first ? j : i; k < others->count; ++k) {
            const int32_t other = list[others->begin + k];
            if (box[other].low[0] > box[own].high[0])
                break;
            const int32_t interval = interval_first ? own : other;
            const int32_t point = interval_first ? other : own;
            if (interval == point || !holds(box, interval, point, axis) ||
                (axis == 2 && !stic_box_meets_along(&box[interval], &box[point], 1)))
                continue;
            STIC_TRY(add_pair(hybrid, interval, point));
        }
        i += interval_first;
        j += !interval_first;
    }
    return STIC_OK;
}

/* ---- medians ---- */

static End end_of(const SticHybrid* hybrid, int32_t slot, int axis)
{
    return (End){hybrid->broad->box[slot].low[axis], slot};
}

static End middle_of(End a, End b, End c)
{
    if (before(b.x, b.slot, &a)) {
        const End swapped = a;
        a = b;
        b = swapped;
    }
    // a < b
    if (before(c.x, c.slot, &a))
        return a;
    return before(c.x, c.slot, &b) ? c : b;
}

// median of three medians of three … of random points (algorithm 9.3.30)
static End rough_median(SticHybrid* hybrid, Set points, int axis, int height)
{
    if (height == 0) {
        const size_t at = (size_t)(stic_random_bits(&hybrid->broad->random) % points.count);
        return end_of(hybrid, hybrid->stack.handle[points.begin + at], axis);
    }
    const End a = rough_median(hybrid, points, axis, height - 1);
    const End b = rough_median(hybrid, points, axis, height - 1);
    const End c = rough_median(hybrid, points, axis, height - 1);
    return middle_of(a, b, c);
}

/* ---- the walk ---- */

typedef struct Node {
    End low, high; // its points are in [low, high)
} Node;

static const Node whole_line = {{-INFINITY, -1}, {INFINITY, INT32_MAX}};

typedef enum Part { COVER, LEFT, RIGHT } Part;

// What is taken from a set: the intervals that cover a node; or the points of one half, and the
// intervals that meet it without covering the node.
typedef struct Choice {
    Part part;
    int axis;
    Node node;
    End cut;
} Choice;

// node ends other than the infinite ones are low ends of points
static bool takes_interval(const Choice* choice, const SticBox* box, int32_t slot)
{
    const double low = box[slot].low[choice->axis], high = box[slot].high[choice->axis];
    const End* start = &choice->node.low;
    const bool covers = (before(low, slot, start) || (low == start->x && slot == start->slot)) &&
                        high >= choice->node.high.x;
    if (choice->part == COVER || covers)
        return choice->part == COVER && covers;
    if (choice->part == LEFT)
        return before(low, slot, &choice->cut) && high >= start->x;
    return high >= choice->cut.x && before(low, slot, &choice->node.high);
}

static SticStatus reserve_stack(SticHybrid* hybrid, size_t more)
{
    SticHandleList* stack = &hybrid->stack;
    return STIC_RESERVE(&hybrid->broad->context, &stack->handle, &stack->capacity,
                        stack->count + more);
}

// points of one side of the cut
static bool takes_point(const Choice* choice, const SticBox* box, int32_t slot)
{
    const bool left = before(box[slot].low[choice->axis], slot, &choice->cut);
    return left == (choice->part == LEFT);
}

// filtered copy on top of the stack; inline: `takes` is known where it is called
static inline SticStatus take(SticHybrid* hybrid, Set from, const Choice* choice,
                              bool (*takes)(const Choice*, const SticBox*, int32_t), Set* to)
{
    STIC_TRY(reserve_stack(hybrid, from.count));
    int32_t* list = hybrid->stack.handle;
    size_t top = hybrid->stack.count;
    to->begin = top;
    for (size_t i = 0; i < from.count; ++i) {
        const int32_t slot = list[from.begin + i];
        list[top] = slot;
        top += takes(choice, hybrid->broad->box, slot);
    }
    to->count = top - to->begin;
    hybrid->stack.count = top;
    return STIC_OK;
}

static SticStatus take_intervals(SticHybrid* hybrid, Set from, const Choice* choice, Set* to)
{
    return take(hybrid, from, choice, takes_interval, to);
}

static SticStatus take_points(SticHybrid* hybrid, Set from, const Choice* choice, Set* to)
{
    return take(hybrid, from, choice, takes_point, to);
}

static int median_height(size_t count)
{
    int height = 0;
    for (size_t left = count >> MEDIAN_BASE; left > 0; left >>= 2)
        height += 1;
    return height;
}

// pairs (interval, point) with the point's low end in the interval on `axis`, meeting below
static SticStatus walk(SticHybrid* hybrid, Set intervals, Set points, const Node* node, int axis)
{
    if (intervals.count == 0 || points.count == 0)
        return STIC_OK;
    if (axis == 0)
        return scan(hybrid, intervals, points);
    if (intervals.count < CUTOFF || points.count < CUTOFF)
        return scan_both(hybrid, intervals, points, axis);

    const size_t top = hybrid->stack.count;
    const End cut = rough_median(hybrid, points, axis, median_height(points.count));
    Choice choice = {.part = COVER, .axis = axis, .node = *node, .cut = cut};
    Set part = {0}, side = {0};
    // intervals over the whole node meet all its points here: next axis, both ways
    STIC_TRY(take_intervals(hybrid, intervals, &choice, &part));
    STIC_TRY(walk(hybrid, part, points, &whole_line, axis - 1));
    STIC_TRY(walk(hybrid, points, part, &whole_line, axis - 1));
    hybrid->stack.count = top;

    const Part parts[2] = {LEFT, RIGHT};
    for (int k = 0; k < 2; ++k) {
        const Node half = k == 0 ? (Node){node->low, cut} : (Node){cut, node->high};
        choice.part = parts[k];
        STIC_TRY(take_points(hybrid, points, &choice, &side));
        STIC_TRY(take_intervals(hybrid, intervals, &choice, &part));
        // a cut at the first point divides nothing
        if (side.count == points.count)
            STIC_TRY(scan_both(hybrid, part, side, axis));
        else
            STIC_TRY(walk(hybrid, part, side, &half, axis));
        hybrid->stack.count = top;
    }
    return STIC_OK;
}

SticStatus stic_hybrid_find(SticBroad* broad)
{
    SticHybrid* hybrid = broad->hybrid;
    const SticContext* context = &broad->context;
    const size_t live = (size_t)broad->live;
    hybrid->broad = broad;
    STIC_TRY(STIC_RESERVE(context, &hybrid->record, &hybrid->record_capacity, live));
    STIC_TRY(STIC_RESERVE(context, &hybrid->scratch, &hybrid->scratch_capacity, live));
    hybrid->stack.count = 0;
    STIC_TRY(reserve_stack(hybrid, live));
    size_t count = 0;
    for (int32_t i = 0; i < broad->slots; ++i)
        if (broad->state[i] & STIC_SLOT_LIVE)
            hybrid->record[count++] =
                (SticSortRecord){.key = stic_sort_key(broad->box[i].low[0]), .tag = (uint32_t)i};
    stic_sort_records(hybrid->record, hybrid->scratch, count);
    for (size_t i = 0; i < count; ++i)
        hybrid->stack.handle[i] = (int32_t)hybrid->record[i].tag;
    hybrid->stack.count = count;
    const Set all = {.begin = 0, .count = count};
    return walk(hybrid, all, all, &whole_line, 2);
}
