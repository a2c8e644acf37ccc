// SPDX-License-Identifier: Apache-2.0
// Packed tree of boxes: eight boxes to a block, eight blocks to a block above, no pointers.
//
// Coordinates are single precision, after a map x -> (float)(x - origin) that is monotone: it never
// changes the order of two numbers, it can only make them equal. Boxes that share a point
// therefore still do after the map, and a strict inequality after it holds before it. A test in
// single precision is either certain or ends in an equality, and only then are doubles compared.
#ifndef STIC_COLLIDE_TREE_H
#define STIC_COLLIDE_TREE_H

#include <float.h>
#include <math.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "collide/broad_internal.h"

enum { STIC_LANES = 8, STIC_TREE_LEVELS = 12 };

/// A mapped box; the fourth numbers are low 0 and high 1, so that they never separate two boxes.
typedef struct SticFloatBox {
    _Alignas(32) float low[4];
    float high[4];
} SticFloatBox;

/// Eight mapped boxes. An unused lane has low +inf and high -inf and meets nothing, as mapped
/// coordinates are finite.
typedef struct SticBlock {
    _Alignas(64) float low[3][STIC_LANES];
    float high[3][STIC_LANES];
} SticBlock;

/// The tree. Level 0 holds the boxes of the items; block b of a level is enclosed by lane b % 8 of
/// block b / 8 one level up; there are at least two levels, the top one is one block.
typedef struct SticPackedTree {
    SticBlock* block; ///< all levels, level 0 first
    size_t block_capacity;
    int32_t* item; ///< [8 blocks of level 0]; -1 in unused lanes
    size_t item_capacity;
    int32_t count, levels;
    int32_t begin[STIC_TREE_LEVELS];  ///< first block of a level
    int32_t blocks[STIC_TREE_LEVELS]; ///< number of blocks
} SticPackedTree;

/// Scratch memory for ordering.
typedef struct SticPackedOrder {
    SticKeyList keys, scratch;
} SticPackedOrder;

/// Order `items` so that near boxes of similar shape follow each other. Cost O(n).
SticStatus stic_packed_order(const SticContext* context, SticPackedOrder* order,
                             const SticFloatBox* boxes, int32_t* items, int32_t count);
/// Build a tree over `items` in the order given.
SticStatus stic_packed_build(const SticContext* context, SticPackedTree* tree,
                             const SticFloatBox* boxes, const int32_t* items, int32_t count);
void stic_packed_release(const SticContext* context, SticPackedTree* tree);
void stic_packed_order_release(const SticContext* context, SticPackedOrder* order);
/// Take the item at a position (8 block + lane) out of the tree; the blocks above keep their size.
void stic_packed_remove(SticPackedTree* tree, int32_t position);

/// A search for pairs between two trees, or within one.
typedef struct SticPackedSearch {
    const SticContext* context;
    const SticPackedTree *a, *b;
    int32_t a_blocks;         ///< blocks of level 1 of `a` that take part, from 0
    bool same;                ///< a == b: each pair once
    const SticFilter* filter; ///< NULL: nothing is filtered
    const SticBroad* exact;   ///< NULL, or where coarse boxes are compared in double precision
    SticKeyList* lists;       ///< [chunks] found pairs, appended
    SticStatus* status;       ///< [chunks]
} SticPackedSearch;

/// Number of chunks, hence lists, of a search; depends on the trees only.
int32_t stic_packed_search_chunks(const SticPackedSearch* search);
/// Run one chunk: a SticChunkWork.
void stic_packed_search_chunk(void* self, int32_t index);

/// Append the items of all lanes that meet `box` to `out`.
SticStatus stic_packed_query(const SticContext* context, const SticPackedTree* tree,
                             const SticFloatBox* box, SticHandleList* out);

/// Append the items of all lanes that a ray may meet to `out`; `origin` is that of the map.
SticStatus stic_packed_ray(const SticContext* context, const SticPackedTree* tree,
                           const SticRay* ray, const double origin[3], SticHandleList* out);

static inline float stic_packed_map(double x, double origin)
{
    const double d = x - origin;
    return (float)(d < -(double)FLT_MAX  ? -(double)FLT_MAX
                   : d > (double)FLT_MAX ? (double)FLT_MAX
                                         : d);
}

static inline SticFloatBox stic_packed_map_box(const SticBox* box, const double origin[3])
{
    SticFloatBox mapped;
    for (int k = 0; k < 3; ++k) {
        mapped.low[k] = stic_packed_map(box->low[k], origin[k]);
        mapped.high[k] = stic_packed_map(box->high[k], origin[k]);
    }
    mapped.low[3] = 0.0f;
    mapped.high[3] = 1.0f;
    return mapped;
}

/// One lane as a box.
static inline SticFloatBox stic_packed_lane(const SticBlock* block, int lane)
{
    const SticFloatBox box = {
        .low = {block->low[0][lane], block->low[1][lane], block->low[2][lane], 0.0f},
        .high = {block->high[0][lane], block->high[1][lane], block->high[2][lane], 1.0f}};
    return box;
}

/// Ask for a cache line early.
static inline void stic_prefetch(const void* at)
{
#if defined(__GNUC__)
    __builtin_prefetch(at);
#else
    (void)at;
#endif
}

/// Bit set of the lanes that meet a box.
static inline uint32_t stic_packed_meets(const SticBlock* block, const SticFloatBox* box)
{
#if defined(__SSE2__)
    __m128 hit[2];
    for (int half = 0; half < 2; ++half) {
        const int at = 4 * half;
        const __m128 x =
            _mm_and_ps(_mm_cmple_ps(_mm_load_ps(&block->low[0][at]), _mm_set1_ps(box->high[0])),
                       _mm_cmpge_ps(_mm_load_ps(&block->high[0][at]), _mm_set1_ps(box->low[0])));
        const __m128 y =
            _mm_and_ps(_mm_cmple_ps(_mm_load_ps(&block->low[1][at]), _mm_set1_ps(box->high[1])),
                       _mm_cmpge_ps(_mm_load_ps(&block->high[1][at]), _mm_set1_ps(box->low[1])));
        const __m128 z =
            _mm_and_ps(_mm_cmple_ps(_mm_load_ps(&block->low[2][at]), _mm_set1_ps(box->high[2])),
                       _mm_cmpge_ps(_mm_load_ps(&block->high[2][at]), _mm_set1_ps(box->low[2])));
        hit[half] = _mm_and_ps(_mm_and_ps(x, y), z);
    }
    return (uint32_t)_mm_movemask_ps(hit[0]) | (uint32_t)_mm_movemask_ps(hit[1]) << 4;
#else
    uint32_t mask = 0;
    for (int lane = 0; lane < STIC_LANES; ++lane) {
        bool hit = true;
        for (int k = 0; k < 3; ++k)
            hit &= (block->low[k][lane] <= box->high[k]) & (block->high[k][lane] >= box->low[k]);
        mask |= (uint32_t)hit << lane;
    }
    return mask;
#endif
}

/// Whether two boxes share a point, as far as their mapped boxes tell: bit 0 if they may, bit 1 if
/// that is not certain because two coordinates are equal after the map.
static inline uint32_t stic_mapped_meet(const SticFloatBox* a, const SticFloatBox* b)
{
#if defined(__SSE2__)
    const __m128 a_low = _mm_load_ps(a->low), a_high = _mm_load_ps(a->high);
    const __m128 b_low = _mm_load_ps(b->low), b_high = _mm_load_ps(b->high);
    const __m128 apart = _mm_or_ps(_mm_cmpgt_ps(a_low, b_high), _mm_cmpgt_ps(b_low, a_high));
    const __m128 equal = _mm_or_ps(_mm_cmpeq_ps(a_low, b_high), _mm_cmpeq_ps(b_low, a_high));
    const uint32_t meet = _mm_movemask_ps(apart) == 0, unsure = _mm_movemask_ps(equal) != 0;
#else
    uint32_t meet = 1, unsure = 0;
    for (int k = 0; k < 3; ++k) {
        meet &= (uint32_t)(a->low[k] <= b->high[k]) & (uint32_t)(b->low[k] <= a->high[k]);
        unsure |= (uint32_t)(a->low[k] == b->high[k]) | (uint32_t)(b->low[k] == a->high[k]);
    }
#endif
    return meet | (meet & unsure) << 1;
}

#endif
