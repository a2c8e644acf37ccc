// SPDX-License-Identifier: Apache-2.0
// H2DPST, H1DPST and PST2D: rectangles in priority search trees, one per list of a two- or
// one-dimensional hash, or a single one (Koziara's thesis, algorithms 9.3.16 to 9.3.22).
//
// A tree holds the intervals of one axis: [low, high] is the point (high, -low), and the intervals
// that meet [a, b] are the points with x >= a and y >= -b. The other axis is compared for each of
// them. Departures from the thesis: the box itself may be found, as two of its voxels may share a
// tree, and is skipped; in H1DPST the hash and the tree use different axes as its prose says (the
// listing uses one twice); intervals are closed.
#include "collide/reference/rectangle.h"

// report what is stored in one tree on axis `along`, then store
static SticStatus enter_tree(SticBroad* broad, SticRectangles* set, uint32_t tree, int32_t slot,
                             int along)
{
    const SticContext* context = &broad->context;
    const SticBox* box = &broad->box[slot];
    const int across = along == set->first ? set->second : set->first;
    set->found.count = 0;
    STIC_TRY(stic_pst_query(context, &set->pool, set->head[tree], box->low[along],
                            -box->high[along], &set->found));
    for (size_t i = 0; i < set->found.count; ++i) {
        const int32_t other = set->found.handle[i];
        if (other == slot || set->mark[other] == slot ||
            !stic_box_meets_along(box, &broad->box[other], across))
            continue;
        set->mark[other] = slot;
        STIC_TRY(stic_keys_add(context, &broad->found, stic_pair_key(slot, other)));
    }
    return stic_pst_insert(context, &set->pool, &set->head[tree], box->high[along],
                           -box->low[along], slot);
}

SticStatus stic_rectangle_h2dpst_insert(SticBroad* broad, SticRectangles* set, int32_t slot)
{
    STIC_ASSERT(slot >= 0);
    const SticVoxelRange range = stic_rectangle_range(set, &broad->box[slot]);
    for (int32_t i = range.low[0]; i <= range.high[0]; ++i)
        for (int32_t j = range.low[1]; j <= range.high[1]; ++j)
            STIC_TRY(
                enter_tree(broad, set, stic_voxel_hash(i, j, 0) & set->mask, slot, set->first));
    return STIC_OK;
}

void stic_rectangle_h2dpst_delete(SticBroad* broad, SticRectangles* set, int32_t slot)
{
    const SticVoxelRange range = stic_rectangle_range(set, &broad->box[slot]);
    const double x = broad->box[slot].high[set->first];
    for (int32_t i = range.low[0]; i <= range.high[0]; ++i)
        for (int32_t j = range.low[1]; j <= range.high[1]; ++j)
            stic_pst_delete(&set->pool, &set->head[stic_voxel_hash(i, j, 0) & set->mask], x, slot);
}

SticStatus stic_rectangle_h1dpst_insert(SticBroad* broad, SticRectangles* set, int32_t slot)
{
    STIC_ASSERT(slot >= 0);
    const SticVoxelRange range = stic_rectangle_range(set, &broad->box[slot]);
    for (int32_t i = range.low[0]; i <= range.high[0]; ++i)
        STIC_TRY(enter_tree(broad, set, stic_voxel_hash(i, 0, 0) & set->mask, slot, set->second));
    return STIC_OK;
}

void stic_rectangle_h1dpst_delete(SticBroad* broad, SticRectangles* set, int32_t slot)
{
    const SticVoxelRange range = stic_rectangle_range(set, &broad->box[slot]);
    const double x = broad->box[slot].high[set->second];
    for (int32_t i = range.low[0]; i <= range.high[0]; ++i)
        stic_pst_delete(&set->pool, &set->head[stic_voxel_hash(i, 0, 0) & set->mask], x, slot);
}

SticStatus stic_rectangle_pst2d_insert(SticBroad* broad, SticRectangles* set, int32_t slot)
{
    return enter_tree(broad, set, 0, slot, set->first);
}

void stic_rectangle_pst2d_delete(SticBroad* broad, SticRectangles* set, int32_t slot)
{
    stic_pst_delete(&set->pool, &set->head[0], broad->box[slot].high[set->first], slot);
}
