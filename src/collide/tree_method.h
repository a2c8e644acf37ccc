// SPDX-License-Identifier: Apache-2.0
// State of the default method, shared by its two files.
#ifndef STIC_COLLIDE_TREE_METHOD_H
#define STIC_COLLIDE_TREE_METHOD_H

#include "collide/tree.h"

/// What one segment of candidates contributes to the result.
typedef struct SticSegmentCount {
    size_t now, created, released;                   ///< how many
    size_t now_begin, created_begin, released_begin; ///< where they stand in the result
    bool stale;                                      ///< the result must be written anew
} SticSegmentCount;

struct SticTreeMethod {
    double origin[3]; ///< of the map to single precision
    float typical;    ///< median of the smallest extents, floor of the margins
    bool coarse;      ///< some box is too small for single precision
    bool ready;       ///< trees and enlarged boxes are valid
    uint32_t update;  ///< number of updates so far

    // by slot
    SticFloatBox* tight; ///< mapped box; of a free slot: empty
    size_t tight_capacity;
    SticFloatBox* fat; ///< enlarged box, the one the trees hold
    size_t fat_capacity;
    int32_t* position; ///< in the main tree, -1 if not there
    size_t position_capacity;
    uint32_t* renewed; ///< update at which `fat` was made; 0: never
    size_t renewed_capacity;

    SticPackedTree main; ///< boxes that stayed in their enlarged boxes since the last full search
    SticPackedTree late; ///< those that left, and new ones
    SticHandleList late_items;
    SticHandleList touched; ///< live boxes that must be searched for, ascending
    SticHandleList items;   ///< scratch
    SticPackedOrder order;

    // chunks of the staging pass
    int32_t* chunk_touched;
    size_t chunk_touched_capacity;
    int32_t* chunk_bad;
    size_t chunk_bad_capacity;

    // found candidates
    SticKeyList* lists;
    size_t lists_capacity;
    SticStatus* list_status;
    size_t list_status_capacity;
    SticPairSort sort;
    SticSegments found;

    // candidates: pairs whose enlarged boxes overlap, with flags
    SticSegments candidates, merged;
    SticSegmentCount* count; ///< [segments]
    size_t count_capacity;
    int32_t written_shift; ///< width of the segments in broad->pairs, -1: nothing is reusable
};

/// Candidates after a search: keep, drop and add, test all of them, write pairs and events.
/// `full`: every candidate was searched for anew; `changed`: some were.
SticStatus stic_candidates_update(SticBroad* broad, bool changed, bool full);

#endif
