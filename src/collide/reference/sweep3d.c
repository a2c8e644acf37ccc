// SPDX-License-Identifier: Apache-2.0
// SWEEP3D: a plane sweeps the boxes along one axis, a dynamic set of rectangles holds those it cuts
// (Koziara's thesis, section 9.3.6).
//
// The ends of all boxes along the sweep axis are kept sorted from update to update: those of old
// boxes by insertion while they move little, those of new boxes by merging, then both are merged. A
// low end inserts the box into the set, which reports the rectangles it meets; a high end deletes
// it. Equal coordinates: low ends first, so that touching boxes meet; then by handle. Cost
// O(n b + m log m + pairs) for m new boxes, b the cost of the set (rectangle_*.c).
//
// The sweep axis is the one along which the boxes are spread most for their size; it and the voxel
// size are chosen anew at random with the mean period of the settings, or when sizes have changed
// by a factor two. Departures from the thesis: coordinates are taken after the axis is chosen, not
// before; boxes are updated before anything is tested; handles stay valid because nothing moves
// between lists.
#include "collide/reference/rectangle.h"

static const uint32_t HIGH_END = (uint32_t)1 << 31;

struct SticSweep3d {
    int axis;
    double size; // of voxels; 0: not chosen yet
    SticSortRecord* end;
    size_t end_capacity, end_count;
    SticSortRecord* fresh; // ends of new boxes; also scratch memory
    size_t fresh_capacity;
    SticSortRecord* merged;
    size_t merged_capacity;
    SticRectangles set;
};

SticStatus stic_sweep3d_create(SticBroad* broad)
{
    return STIC_ALLOCATE(&broad->context, &broad->sweep3d, 1);
}

void stic_sweep3d_destroy(SticBroad* broad)
{
    const SticContext* context = &broad->context;
    SticSweep3d* sweep = broad->sweep3d;
    if (sweep == NULL)
        return;
    STIC_RELEASE(context, sweep->end, sweep->end_capacity);
    STIC_RELEASE(context, sweep->fresh, sweep->fresh_capacity);
    STIC_RELEASE(context, sweep->merged, sweep->merged_capacity);
    stic_rectangles_release(context, &sweep->set);
    STIC_RELEASE(context, sweep, 1);
    broad->sweep3d = NULL;
}

// true if the axis changed
static bool choose_parameters(SticBroad* broad, const SticBoxMeasures* m)
{
    SticSweep3d* sweep = broad->sweep3d;
    const double fitting = m->square[sweep->axis];
    const bool refresh = stic_random_bits(&broad->random) % (uint64_t)broad->settings.refresh == 0;
    if (!refresh && sweep->size <= 2.0 * fitting && fitting <= 2.0 * sweep->size)
        return false;
    int axis = 0;
    double most = -1.0;
    for (int k = 0; k < 3; ++k) {
        const double spread = m->mean[k] > 0.0 ? (m->high[k] - m->low[k]) / m->mean[k] : 0.0;
        if (spread > most) {
            most = spread;
            axis = k;
        }
    }
    const bool changed = axis != sweep->axis;
    sweep->axis = axis;
    sweep->size = m->square[axis];
    return changed;
}

static SticSortRecord make_end(const SticBroad* broad, int axis, uint32_t tag)
{
    const SticBox* box = &broad->box[tag & ~HIGH_END];
    const double x = tag & HIGH_END ? box->high[axis] : box->low[axis];
    return (SticSortRecord){.key = stic_sort_key(x), .tag = tag};
}

// sorted ends of all live boxes
static SticStatus sort_ends(SticBroad* broad, bool axis_changed)
{
    SticSweep3d* sweep = broad->sweep3d;
    const SticContext* context = &broad->context;
    const size_t all = 2 * (size_t)broad->live;
    STIC_TRY(STIC_RESERVE(context, &sweep->end, &sweep->end_capacity, all));
    STIC_TRY(STIC_RESERVE(context, &sweep->fresh, &sweep->fresh_capacity, all));
    STIC_TRY(STIC_RESERVE(context, &sweep->merged, &sweep->merged_capacity, all));

    // old ends at their new places, without those of deleted boxes; after a failure all are new
    size_t kept = 0;
    for (size_t i = 0; broad->resumed && i < sweep->end_count; ++i) {
        const uint32_t tag = sweep->end[i].tag;
        if (broad->state[tag & ~HIGH_END] & STIC_SLOT_LIVE)
            sweep->end[kept++] = make_end(broad, sweep->axis, tag);
    }
    if (axis_changed)
        stic_sort_records(sweep->end, sweep->merged, kept);
    else
        stic_sort_coherent(sweep->end, sweep->merged, kept);

    // new ends
    size_t fresh = 0;
    for (int32_t i = 0; i < broad->slots; ++i) {
        const bool known = broad->resumed && !(broad->state[i] & STIC_SLOT_FRESH);
        if (!(broad->state[i] & STIC_SLOT_LIVE) || known)
            continue;
        sweep->fresh[fresh++] = make_end(broad, sweep->axis, (uint32_t)i);
        sweep->fresh[fresh++] = make_end(broad, sweep->axis, (uint32_t)i | HIGH_END);
    }
    sweep->end_count = kept + fresh;
    if (fresh == 0)
        return STIC_OK;
    stic_sort_records(sweep->fresh, sweep->merged, fresh);
    stic_merge_records(sweep->end, kept, sweep->fresh, fresh, sweep->merged);
    memcpy(sweep->end, sweep->merged, sweep->end_count * sizeof *sweep->end);
    return STIC_OK;
}

static SticStatus insert_rectangle(SticBroad* broad, SticRectangles* set, int32_t slot)
{
    switch (broad->settings.method) {
    case STIC_BROAD_SWEEP_H2D:
        return stic_rectangle_h2d_insert(broad, set, slot);
    case STIC_BROAD_SWEEP_H2DPST:
        return stic_rectangle_h2dpst_insert(broad, set, slot);
    case STIC_BROAD_SWEEP_H1DPST:
        return stic_rectangle_h1dpst_insert(broad, set, slot);
    default:
        return stic_rectangle_pst2d_insert(broad, set, slot);
    }
}

static void delete_rectangle(SticBroad* broad, SticRectangles* set, int32_t slot)
{
    switch (broad->settings.method) {
    case STIC_BROAD_SWEEP_H2D:
        stic_rectangle_h2d_delete(broad, set, slot);
        break;
    case STIC_BROAD_SWEEP_H2DPST:
        stic_rectangle_h2dpst_delete(broad, set, slot);
        break;
    case STIC_BROAD_SWEEP_H1DPST:
        stic_rectangle_h1dpst_delete(broad, set, slot);
        break;
    default:
        stic_rectangle_pst2d_delete(broad, set, slot);
        break;
    }
}

SticStatus stic_sweep3d_find(SticBroad* broad)
{
    SticSweep3d* sweep = broad->sweep3d;
    SticBoxMeasures measures;
    stic_boxes_measure(broad, &measures);
    const bool changed = choose_parameters(broad, &measures);
    const bool hashed = broad->settings.method != STIC_BROAD_SWEEP_PST2D;
    STIC_TRY(sort_ends(broad, changed));
    STIC_TRY(stic_rectangles_begin(broad, &sweep->set, &measures, sweep->axis, sweep->size,
                                   hashed ? broad->live : 1));
    for (size_t i = 0; i < sweep->end_count; ++i) {
        const uint32_t tag = sweep->end[i].tag;
        const int32_t slot = (int32_t)(tag & ~HIGH_END);
        if (tag & HIGH_END)
            delete_rectangle(broad, &sweep->set, slot);
        else
            STIC_TRY(insert_rectangle(broad, &sweep->set, slot));
    }
    return STIC_OK;
}
