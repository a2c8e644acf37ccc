// SPDX-License-Identifier: Apache-2.0
// HASH3D: a spatial hash with a scan of every list (Koziara's thesis, section 9.3.5).
//
// Every box is entered in the lists of all voxels that it covers; each list is sorted along the
// axis on which extents differ least and scanned one way. Lists are made anew at each update, by
// counting and filling, so that they are contiguous and need O(n) memory. O(n log n + pairs) for
// boxes of similar size.
//
// Departures from the thesis: a box enters a list once even if two of its voxels share the list; a
// pair is reported only in the list of the voxel that holds the low corner of the boxes'
// intersection, which both entered, so that it is reported once without a search of adjacency
// lists; intervals are closed; the voxel loops run to the upper index on every axis; unbounded
// boxes are cut at the region of the others.
#include "collide/broad_voxel.h"

struct SticHash3d {
    double size; // of voxels; 0: not chosen yet
    int axis;    // of the scans
    SticVoxels voxels[3];
    uint32_t mask;
    size_t* begin; // [lists + 1]
    size_t begin_capacity;
    int32_t* last; // [lists] the box that entered a list last
    size_t last_capacity;
    SticSortRecord* entry;
    size_t entry_capacity;
    SticSortRecord* scratch;
    size_t scratch_capacity;
};

SticStatus stic_hash3d_create(SticBroad* broad)
{
    return STIC_ALLOCATE(&broad->context, &broad->hash3d, 1);
}

void stic_hash3d_destroy(SticBroad* broad)
{
    const SticContext* context = &broad->context;
    SticHash3d* hash = broad->hash3d;
    if (hash == NULL)
        return;
    STIC_RELEASE(context, hash->begin, hash->begin_capacity);
    STIC_RELEASE(context, hash->last, hash->last_capacity);
    STIC_RELEASE(context, hash->entry, hash->entry_capacity);
    STIC_RELEASE(context, hash->scratch, hash->scratch_capacity);
    STIC_RELEASE(context, hash, 1);
    broad->hash3d = NULL;
}

// voxel size and axis: at first, now and then, and when the sizes have changed by a factor two
static void choose_parameters(SticBroad* broad, SticHash3d* hash)
{
    SticBoxMeasures m;
    stic_boxes_measure(broad, &m);
    const bool refresh = stic_random_bits(&broad->random) % (uint64_t)broad->settings.refresh == 0;
    if (refresh || !(hash->size <= 2.0 * m.cube && m.cube <= 2.0 * hash->size)) {
        hash->size = m.cube;
        double best = INFINITY;
        hash->axis = 0;
        for (int k = 0; k < 3; ++k) {
            const double ratio = m.longest[k] / m.shortest[k];
            if (ratio < best) {
                best = ratio;
                hash->axis = k;
            }
        }
    }
    for (int k = 0; k < 3; ++k)
        hash->voxels[k] = stic_voxels_create(&m, k, hash->size);
}

// visit the lists of a box: count (`fill` false) or enter it
static void visit_lists(SticHash3d* hash, const SticBox* box, int32_t slot, bool fill)
{
    int32_t low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = stic_voxel_at(&hash->voxels[k], box->low[k]);
        high[k] = stic_voxel_at(&hash->voxels[k], box->high[k]);
    }
    const SticSortRecord record = {.key = stic_sort_key(box->low[hash->axis]),
                                   .tag = (uint32_t)slot};
    for (int32_t i = low[0]; i <= high[0]; ++i)
        for (int32_t j = low[1]; j <= high[1]; ++j)
            for (int32_t k = low[2]; k <= high[2]; ++k) {
                const uint32_t list = stic_voxel_hash(i, j, k) & hash->mask;
                if (hash->last[list] == slot)
                    continue;
                hash->last[list] = slot;
                if (fill)
                    hash->entry[hash->begin[list]] = record;
                hash->begin[list] += 1;
            }
}

static void visit_boxes(SticBroad* broad, SticHash3d* hash, bool fill)
{
    for (uint32_t list = 0; list <= hash->mask; ++list)
        hash->last[list] = -1;
    for (int32_t i = 0; i < broad->slots; ++i)
        if (broad->state[i] & STIC_SLOT_LIVE)
            visit_lists(hash, &broad->box[i], i, fill);
}

static SticStatus fill_lists(SticBroad* broad, SticHash3d* hash)
{
    const SticContext* context = &broad->context;
    hash->mask = stic_voxel_size(broad->live) - 1;
    const size_t lists = (size_t)hash->mask + 1;
    STIC_TRY(STIC_RESERVE(context, &hash->begin, &hash->begin_capacity, lists + 1));
    STIC_TRY(STIC_RESERVE(context, &hash->last, &hash->last_capacity, lists));
    memset(hash->begin, 0, (lists + 1) * sizeof *hash->begin);
    visit_boxes(broad, hash, false);
    // counts become begins
    size_t total = 0;
    for (size_t list = 0; list < lists; ++list) {
        const size_t count = hash->begin[list];
        hash->begin[list] = total;
        total += count;
    }
    STIC_TRY(STIC_RESERVE(context, &hash->entry, &hash->entry_capacity, total));
    STIC_TRY(STIC_RESERVE(context, &hash->scratch, &hash->scratch_capacity, total));
    // afterwards each begin is the end of its list, hence the begin of the next
    visit_boxes(broad, hash, true);
    memmove(hash->begin + 1, hash->begin, lists * sizeof *hash->begin);
    hash->begin[0] = 0;
    return STIC_OK;
}

// the list in which a pair is reported
static uint32_t home_list(const SticHash3d* hash, const SticBox* a, const SticBox* b)
{
    int32_t at[3];
    for (int k = 0; k < 3; ++k) {
        const double corner = a->low[k] > b->low[k] ? a->low[k] : b->low[k];
        at[k] = stic_voxel_at(&hash->voxels[k], corner);
    }
    return stic_voxel_hash(at[0], at[1], at[2]) & hash->mask;
}

static SticStatus scan_list(SticBroad* broad, const SticHash3d* hash, uint32_t list)
{
    const size_t begin = hash->begin[list], end = hash->begin[list + 1];
    SticSortRecord* entry = hash->entry;
    // without boxes there is not even a list
    if (end - begin < 2)
        return STIC_OK;
    const int second = (hash->axis + 1) % 3, third = (hash->axis + 2) % 3;
    stic_sort_records(entry + begin, hash->scratch + begin, end - begin);
    for (size_t i = begin; i < end; ++i) {
        const SticBox* box = &broad->box[entry[i].tag];
        const uint64_t reach = stic_sort_key(box->high[hash->axis]);
        for (size_t j = i + 1; j < end && entry[j].key <= reach; ++j) {
            const SticBox* other = &broad->box[entry[j].tag];
            if (!stic_box_meets_along(box, other, second) ||
                !stic_box_meets_along(box, other, third) || home_list(hash, box, other) != list)
                continue;
            STIC_TRY(stic_keys_add(&broad->context, &broad->found,
                                   stic_pair_key((int32_t)entry[i].tag, (int32_t)entry[j].tag)));
        }
    }
    return STIC_OK;
}

SticStatus stic_hash3d_find(SticBroad* broad)
{
    SticHash3d* hash = broad->hash3d;
    choose_parameters(broad, hash);
    STIC_TRY(fill_lists(broad, hash));
    for (uint32_t list = 0; list <= hash->mask; ++list)
        STIC_TRY(scan_list(broad, hash, list));
    return STIC_OK;
}
