// SPDX-License-Identifier: Apache-2.0
// H2D: rectangles in the lists of a two-dimensional hash (Koziara's thesis, algorithms 9.3.14 and
// 9.3.15), and what all dynamic sets of rectangles share.
//
// A rectangle is in the list of every voxel it covers, once per list. Departures from the thesis:
// the inner voxel loop runs to the upper index (the text has the lower one), and rectangles are
// closed.
#include "collide/reference/rectangle.h"

SticStatus stic_rectangles_begin(SticBroad* broad, SticRectangles* set,
                                 const SticBoxMeasures* measures, int axis, double size,
                                 int32_t lists)
{
    STIC_ASSERT(axis >= 0 && axis < 3);
    const SticContext* context = &broad->context;
    set->first = (axis + 1) % 3;
    set->second = (axis + 2) % 3;
    set->voxels[0] = stic_voxels_create(measures, set->first, size);
    set->voxels[1] = stic_voxels_create(measures, set->second, size);
    set->mask = lists > 1 ? stic_voxel_size(lists) - 1 : 0;
    const size_t heads = (size_t)set->mask + 1;
    STIC_TRY(STIC_RESERVE(context, &set->head, &set->head_capacity, heads));
    STIC_TRY(STIC_RESERVE(context, &set->mark, &set->mark_capacity, broad->slots));
    for (size_t i = 0; i < heads; ++i)
        set->head[i] = -1;
    for (int32_t i = 0; i < broad->slots; ++i)
        set->mark[i] = -1;
    set->entry_count = 0;
    set->entry_free = -1;
    stic_pst_clear(&set->pool);
    return STIC_OK;
}

void stic_rectangles_release(const SticContext* context, SticRectangles* set)
{
    STIC_RELEASE(context, set->head, set->head_capacity);
    STIC_RELEASE(context, set->mark, set->mark_capacity);
    STIC_RELEASE(context, set->entry, set->entry_capacity);
    STIC_RELEASE(context, set->found.handle, set->found.capacity);
    stic_pst_release(context, &set->pool);
}

static SticStatus add_entry(const SticContext* context, SticRectangles* set, uint32_t list,
                            int32_t slot)
{
    int32_t at = set->entry_free;
    if (at >= 0) {
        set->entry_free = set->entry[at].next;
    } else {
        STIC_TRY(STIC_RESERVE(context, &set->entry, &set->entry_capacity, set->entry_count + 1));
        at = set->entry_count++;
    }
    set->entry[at] = (SticRectangleEntry){.slot = slot, .next = set->head[list]};
    set->head[list] = at;
    return STIC_OK;
}

static SticStatus enter_list(SticBroad* broad, SticRectangles* set, uint32_t list, int32_t slot)
{
    const SticBox* box = &broad->box[slot];
    for (int32_t at = set->head[list]; at >= 0; at = set->entry[at].next) {
        const int32_t other = set->entry[at].slot;
        // another of its voxels has the same list
        if (other == slot)
            return STIC_OK;
        const SticBox* stored = &broad->box[other];
        if (set->mark[other] == slot || !stic_box_meets_along(box, stored, set->first) ||
            !stic_box_meets_along(box, stored, set->second))
            continue;
        set->mark[other] = slot;
        STIC_TRY(stic_keys_add(&broad->context, &broad->found, stic_pair_key(slot, other)));
    }
    return add_entry(&broad->context, set, list, slot);
}

SticStatus stic_rectangle_h2d_insert(SticBroad* broad, SticRectangles* set, int32_t slot)
{
    STIC_ASSERT(slot >= 0);
    const SticVoxelRange range = stic_rectangle_range(set, &broad->box[slot]);
    for (int32_t i = range.low[0]; i <= range.high[0]; ++i)
        for (int32_t j = range.low[1]; j <= range.high[1]; ++j)
            STIC_TRY(enter_list(broad, set, stic_voxel_hash(i, j, 0) & set->mask, slot));
    return STIC_OK;
}

static void leave_list(SticRectangles* set, uint32_t list, int32_t slot)
{
    for (int32_t* link = &set->head[list]; *link >= 0; link = &set->entry[*link].next) {
        const int32_t at = *link;
        if (set->entry[at].slot != slot)
            continue;
        *link = set->entry[at].next;
        set->entry[at].next = set->entry_free;
        set->entry_free = at;
        return;
    }
}

void stic_rectangle_h2d_delete(SticBroad* broad, SticRectangles* set, int32_t slot)
{
    STIC_ASSERT(slot >= 0);
    const SticVoxelRange range = stic_rectangle_range(set, &broad->box[slot]);
    for (int32_t i = range.low[0]; i <= range.high[0]; ++i)
        for (int32_t j = range.low[1]; j <= range.high[1]; ++j)
            leave_list(set, stic_voxel_hash(i, j, 0) & set->mask, slot);
}
