// SPDX-License-Identifier: Apache-2.0
// Dynamic sets of rectangles for the plane sweep: an insertion reports all stored rectangles that
// it meets (Koziara's thesis, section 9.3.3.2).
#ifndef STIC_COLLIDE_REFERENCE_RECTANGLE_H
#define STIC_COLLIDE_REFERENCE_RECTANGLE_H

#include "collide/broad_voxel.h"
#include "collide/reference/priority_search_tree.h"

/// Entry of a list of H2D.
typedef struct SticRectangleEntry {
    int32_t slot, next;
} SticRectangleEntry;

/// The boxes' projections on the plane of two axes.
typedef struct SticRectangles {
    int first, second; ///< axes
    SticVoxels voxels[2];
    uint32_t mask; ///< lists or trees - 1
    int32_t* head; ///< [lists] first entry, or root of a tree; -1 if empty
    size_t head_capacity;
    int32_t* mark; ///< by slot: the last box that a box was reported to
    size_t mark_capacity;
    SticRectangleEntry* entry;
    size_t entry_capacity;
    int32_t entry_count, entry_free;
    SticPstPool pool;
    SticHandleList found;
} SticRectangles;

/// Empty the set for boxes projected along `axis`, with `lists` lists or trees.
SticStatus stic_rectangles_begin(SticBroad* broad, SticRectangles* set,
                                 const SticBoxMeasures* measures, int axis, double size,
                                 int32_t lists);
void stic_rectangles_release(const SticContext* context, SticRectangles* set);

/// Report every stored rectangle that meets that of a box to broad->found, then store it.
SticStatus stic_rectangle_h2d_insert(SticBroad* broad, SticRectangles* set, int32_t slot);
SticStatus stic_rectangle_h2dpst_insert(SticBroad* broad, SticRectangles* set, int32_t slot);
SticStatus stic_rectangle_h1dpst_insert(SticBroad* broad, SticRectangles* set, int32_t slot);
SticStatus stic_rectangle_pst2d_insert(SticBroad* broad, SticRectangles* set, int32_t slot);

void stic_rectangle_h2d_delete(SticBroad* broad, SticRectangles* set, int32_t slot);
void stic_rectangle_h2dpst_delete(SticBroad* broad, SticRectangles* set, int32_t slot);
void stic_rectangle_h1dpst_delete(SticBroad* broad, SticRectangles* set, int32_t slot);
void stic_rectangle_pst2d_delete(SticBroad* broad, SticRectangles* set, int32_t slot);

/// Voxels that a box covers.
typedef struct SticVoxelRange {
    int32_t low[2], high[2];
} SticVoxelRange;

static inline SticVoxelRange stic_rectangle_range(const SticRectangles* set, const SticBox* box)
{
    const SticVoxelRange range = {.low = {stic_voxel_at(&set->voxels[0], box->low[set->first]),
                                          stic_voxel_at(&set->voxels[1], box->low[set->second])},
                                  .high = {stic_voxel_at(&set->voxels[0], box->high[set->first]),
                                           stic_voxel_at(&set->voxels[1], box->high[set->second])}};
    return range;
}

#endif
