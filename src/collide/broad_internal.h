// SPDX-License-Identifier: Apache-2.0
// What the files of the broad phase share: boxes by slot, keys of pairs, the interface of a method.
//
// A handle is a slot number below 2^30. A pair travels as one 64-bit key (low << 33 | high << 3 |
// three flag bits), so that sorting pairs is sorting integers.
#ifndef STIC_COLLIDE_BROAD_INTERNAL_H
#define STIC_COLLIDE_BROAD_INTERNAL_H

#include <math.h>
#include <string.h>

#include "collide/broad.h"
#include "collide/sort.h"

/// A box with its axes as indices.
typedef struct SticBox {
    double low[3], high[3];
} SticBox;

_Static_assert(sizeof(SticBox) == sizeof(SticBounds), "SticBounds is six doubles");

/// True if two closed boxes share a point.
static inline bool stic_box_meets(const SticBox* a, const SticBox* b)
{
    return a->low[0] <= b->high[0] && b->low[0] <= a->high[0] && a->low[1] <= b->high[1] &&
           b->low[1] <= a->high[1] && a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

/// True if two closed boxes overlap along one axis.
static inline bool stic_box_meets_along(const SticBox* a, const SticBox* b, int axis)
{
    return a->low[axis] <= b->high[axis] && b->low[axis] <= a->high[axis];
}

/// The points origin + s direction, 0 <= s <= reach.
typedef struct SticRay {
    double origin[3], direction[3], reach;
} SticRay;

/// Clip a ray to a box, slab by slab; false if nothing is left. A ray in the plane of a face
/// touches the box. Rounding is monotone, so that a larger box is met whenever a smaller one is.
static inline bool stic_ray_meets(const SticRay* ray, const SticBox* box, double* entry)
{
    double first = 0.0, last = ray->reach;
    for (int k = 0; k < 3; ++k) {
        const double from = ray->origin[k], along = ray->direction[k];
        if (along == 0.0) {
            if (from < box->low[k] || from > box->high[k])
                return false;
            continue;
        }
        const double one = (box->low[k] - from) / along, two = (box->high[k] - from) / along;
        const double near = one < two ? one : two, far = one < two ? two : one;
        first = near > first ? near : first;
        last = far < last ? far : last;
    }
    *entry = first;
    return first <= last;
}

/// True if a box is not inverted, has no NaN, and does not lie at infinity.
static inline bool stic_box_valid(const SticBox* box)
{
    bool valid = true;
    for (int k = 0; k < 3; ++k)
        valid &=
            (box->low[k] <= box->high[k]) & (box->low[k] < INFINITY) & (box->high[k] > -INFINITY);
    return valid;
}

/// STIC_OK if a box is valid, else the sentence that says what is wrong.
SticStatus stic_box_check(const SticBounds* bounds, int32_t handle, SticError* error);

/* ---- keys and lists of pairs ---- */

enum { STIC_PAIR_LOW_SHIFT = 33, STIC_PAIR_HIGH_SHIFT = 3, STIC_HANDLE_BITS = 30 };
enum {
    STIC_PAIR_NOW = 1,    ///< overlaps at this update
    STIC_PAIR_BEFORE = 2, ///< overlapped at the one before
    STIC_PAIR_DEAD = 4,   ///< no longer a candidate, kept only to report its release
    STIC_PAIR_FLAGS = 7
};

static inline uint64_t stic_pair_key(int32_t a, int32_t b)
{
    const uint64_t low = (uint64_t)(a < b ? a : b), high = (uint64_t)(a < b ? b : a);
    return low << STIC_PAIR_LOW_SHIFT | high << STIC_PAIR_HIGH_SHIFT;
}

static inline int32_t stic_pair_low(uint64_t key)
{
    return (int32_t)(key >> STIC_PAIR_LOW_SHIFT);
}

static inline int32_t stic_pair_high(uint64_t key)
{
    return (int32_t)(key >> STIC_PAIR_HIGH_SHIFT & ((1u << STIC_HANDLE_BITS) - 1u));
}

/// Growable list of keys.
typedef struct SticKeyList {
    uint64_t* key;
    size_t count, capacity;
} SticKeyList;

/// Growable list of pairs as the user sees them.
typedef struct SticPairArray {
    SticBoxPair* pair;
    size_t count, capacity;
} SticPairArray;

/// Growable list of handles.
typedef struct SticHandleList {
    int32_t* handle;
    size_t count, capacity;
} SticHandleList;

/* ---- what is never reported ---- */

enum {
    STIC_LISTED = 1,
    STIC_LISTED_GONE = 2 ///< deleted since the last update
};

/// Groups, nodes and listed pairs.
typedef struct SticFilter {
    int32_t* group; ///< by slot
    size_t group_capacity;
    int32_t (*node)[STIC_BROAD_NODES]; ///< by slot; empty until an item has nodes
    size_t node_capacity;
    uint8_t* node_count; ///< by slot
    size_t node_count_capacity;
    uint8_t* listed; ///< by slot: whether some excluded pair may name it
    size_t listed_capacity;
    SticKeyList excluded; ///< sorted keys without flags
    SticKeyList edits;    ///< changes since the last update; also scratch memory
    int32_t grouped;      ///< live items with a group
} SticFilter;

/// Room for `slots` items.
SticStatus stic_filter_reserve(const SticContext* context, SticFilter* filter, int32_t slots);
/// Take up an item; the room was reserved. Fails only for want of memory for the nodes.
SticStatus stic_filter_insert(const SticContext* context, SticFilter* filter, int32_t slot,
                              const SticBroadItem* item);
/// Forget an item; the excluded pairs that name it go when they are settled.
void stic_filter_delete(SticFilter* filter, int32_t slot);
/// Note that a pair is to be excluded, or no longer.
SticStatus stic_filter_edit(const SticContext* context, SticFilter* filter, uint64_t key,
                            bool exclude);
/// Bring the excluded pairs up to date before an update; `gone` are the deleted slots.
void stic_filter_settle(SticFilter* filter, const SticHandleList* gone);
/// Whether anything at all is filtered.
static inline bool stic_filter_active(const SticFilter* filter)
{
    return filter->grouped > 1 || filter->excluded.count > 0;
}
/// Whether a pair is never reported.
bool stic_filter_skips(const SticFilter* filter, int32_t a, int32_t b);
void stic_filter_release(const SticContext* context, SticFilter* filter);

/* ---- sorting pairs ---- */

/// Sorted keys in segments of low handles: segment s holds the keys whose low >> shift is s.
typedef struct SticSegments {
    SticKeyList keys;
    size_t* begin; ///< [segments]
    size_t begin_capacity;
    size_t* count; ///< [segments]; segments may leave gaps between them
    size_t count_capacity;
    int32_t segments, shift;
} SticSegments;

/// Scratch memory of the sort.
typedef struct SticPairSort {
    SticKeyList scattered;
    size_t* place; ///< [lists][segments] where a list puts its keys of a segment
    size_t place_capacity;
} SticPairSort;

/// Sort the keys of `lists` into `segments` for `slots` slots. Keys may repeat.
SticStatus stic_pairs_sort(const SticContext* context, SticPairSort* sort, const SticKeyList* lists,
                           int32_t list_count, int32_t slots, SticSegments* segments);
void stic_pairs_sort_release(const SticContext* context, SticPairSort* sort);
void stic_segments_release(const SticContext* context, SticSegments* segments);
/// Segments to a chunk of work: as many as hold 4096 low handles.
static inline int32_t stic_segments_chunk(const SticSegments* segments)
{
    return 4096 >> segments->shift;
}
/// Width of segments for a number of slots: a function of the data only.
int32_t stic_segments_shift(int32_t slots);

/* ---- methods ---- */

enum {
    STIC_SLOT_LIVE = 1,    ///< belongs to a box
    STIC_SLOT_FRESH = 2,   ///< inserted since the last update
    STIC_SLOT_TOUCHED = 4, ///< tree: its candidates must be found anew
    STIC_SLOT_COARSE = 8   ///< tree: too small for single precision where it is
};

typedef struct SticTreeMethod SticTreeMethod;
typedef struct SticHash3d SticHash3d;
typedef struct SticSweep3d SticSweep3d;
typedef struct SticHybrid SticHybrid;

/// A query's answer.
typedef struct SticHitList {
    SticBroadHit* hit;
    size_t count, capacity;
} SticHitList;

struct SticBroad {
    SticContext context;
    SticBroadSettings settings;
    SticRandom random; ///< for the refreshes of hash and sweep, and for medians

    // by slot
    int32_t slots, live;
    SticBox* box;
    size_t box_capacity;
    SticBox* staged; ///< boxes of a running update; swapped with `box` once all of them are valid
    size_t staged_capacity;
    uint8_t* state;
    size_t state_capacity;
    SticHandleList free; ///< slots to give out again, a heap
    SticHandleList gone; ///< deleted since the last update
    SticFilter filter;

    // result of the last update
    SticPairArray pairs, created, released;

    // pairs of a method that finds them from scratch
    SticKeyList found;
    SticPairSort sort;
    SticSegments sorted;
    SticPairArray next;
    bool complete; ///< the last update was completed
    bool resumed;  ///< so was the one before the running one

    // adjacency of the last update, made on demand
    bool adjacency_valid;
    size_t* adjacent_begin;
    size_t adjacent_begin_capacity;
    SticHandleList adjacent;
    int32_t adjacent_slots;

    // queries
    SticHandleList query;
    SticHitList hits;
    SticSortRecord* record;
    size_t record_capacity;
    SticSortRecord* record_scratch;
    size_t record_scratch_capacity;

    // state of the method in use; the others stay NULL
    SticTreeMethod* tree;
    SticHash3d* hash3d;
    SticSweep3d* sweep3d;
    SticHybrid* hybrid;
};

/// Entry of the table of methods. `find` appends the keys of all overlapping pairs, each once or
/// more, to broad->found; the tree has `update` instead and fills pairs, created and released.
typedef struct SticBroadOps {
    const char* name;
    SticStatus (*create)(SticBroad* broad);
    void (*destroy)(SticBroad* broad);
    SticStatus (*find)(SticBroad* broad);
} SticBroadOps;

/// Append a key to a list.
static inline SticStatus stic_keys_add(const SticContext* context, SticKeyList* list, uint64_t key)
{
    if (list->count == list->capacity)
        STIC_TRY(STIC_RESERVE(context, &list->key, &list->capacity, list->count + 1));
    list->key[list->count++] = key;
    return STIC_OK;
}

/// Run `work` over `items` in chunks of `width` items, on the pool if there is more than one.
static inline int32_t stic_chunk_count(int64_t items, int64_t width)
{
    return (int32_t)((items + width - 1) / width);
}

SticStatus stic_brute_find(SticBroad* broad);

SticStatus stic_hash3d_create(SticBroad* broad);
void stic_hash3d_destroy(SticBroad* broad);
SticStatus stic_hash3d_find(SticBroad* broad);

SticStatus stic_sweep3d_create(SticBroad* broad);
void stic_sweep3d_destroy(SticBroad* broad);
SticStatus stic_sweep3d_find(SticBroad* broad);

SticStatus stic_hybrid_create(SticBroad* broad);
void stic_hybrid_destroy(SticBroad* broad);
SticStatus stic_hybrid_find(SticBroad* broad);

SticStatus stic_tree_method_create(SticBroad* broad);
void stic_tree_method_destroy(SticBroad* broad);
/// Room for `slots` boxes.
SticStatus stic_tree_method_reserve(SticBroad* broad, int32_t slots);
/// A box was put into a slot.
void stic_tree_method_insert(SticBroad* broad, int32_t slot);
/// Take over the new boxes and fill pairs, created and released.
SticStatus stic_tree_method_update(SticBroad* broad, const SticBounds* boxes, SticError* error);
/// Whether the trees are ready for queries.
bool stic_tree_method_ready(const SticBroad* broad);
/// Boxes that may meet `box`, by enlarged box: appended to broad->query.
SticStatus stic_tree_method_query(SticBroad* broad, const SticBox* box);
/// Boxes that may be met by a ray: appended to broad->query.
SticStatus stic_tree_method_ray(SticBroad* broad, const SticRay* ray);

#endif
