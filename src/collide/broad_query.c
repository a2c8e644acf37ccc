// SPDX-License-Identifier: Apache-2.0
// Questions between updates: neighbours of a box, boxes that meet a box or a ray.
//
// Neighbours come from a compressed adjacency list of all pairs, made when first asked for after an
// update, O(n + pairs). Boxes and rays descend the trees of the default method; the other methods
// keep no structure between updates, and every box is looked at.
#include "collide/broad_internal.h"

static SticStatus index_pairs(SticBroad* broad)
{
    const SticContext* context = &broad->context;
    const size_t slots = (size_t)broad->slots;
    STIC_TRY(
        STIC_RESERVE(context, &broad->adjacent_begin, &broad->adjacent_begin_capacity, slots + 2));
    STIC_TRY(STIC_RESERVE(context, &broad->adjacent.handle, &broad->adjacent.capacity,
                          2 * broad->pairs.count));
    // begin[i + 2] counts, then begin[i + 1] is the place of the next neighbour of i
    size_t* begin = broad->adjacent_begin;
    memset(begin, 0, (slots + 2) * sizeof *begin);
    for (size_t i = 0; i < broad->pairs.count; ++i) {
        begin[broad->pairs.pair[i].low + 2] += 1;
        begin[broad->pairs.pair[i].high + 2] += 1;
    }
    for (size_t i = 2; i < slots + 2; ++i)
        begin[i] += begin[i - 1];
    // the smaller neighbours of every box, then the larger ones: pairs are sorted, so lists are too
    for (size_t i = 0; i < broad->pairs.count; ++i) {
        const SticBoxPair pair = broad->pairs.pair[i];
        broad->adjacent.handle[begin[pair.high + 1]++] = pair.low;
    }
    for (size_t i = 0; i < broad->pairs.count; ++i) {
        const SticBoxPair pair = broad->pairs.pair[i];
        broad->adjacent.handle[begin[pair.low + 1]++] = pair.high;
    }
    broad->adjacency_valid = true;
    broad->adjacent_slots = broad->slots;
    return STIC_OK;
}

SticStatus stic_broad_neighbours(SticBroad* broad, int32_t handle, const int32_t** list,
                                 int32_t* count)
{
    STIC_ASSERT(list != NULL && count != NULL);
    *list = NULL;
    *count = 0;
    if (handle < 0 || handle >= broad->slots)
        return STIC_BAD_ARGUMENT;
    if (!broad->adjacency_valid)
        STIC_TRY(index_pairs(broad));
    // a box inserted since the update has none yet
    if (handle >= broad->adjacent_slots)
        return STIC_OK;
    *list = broad->adjacent.handle + broad->adjacent_begin[handle];
    *count = (int32_t)(broad->adjacent_begin[handle + 1] - broad->adjacent_begin[handle]);
    return STIC_OK;
}

/* ---- boxes and rays ---- */

static SticStatus list_all(SticBroad* broad)
{
    SticHandleList* out = &broad->query;
    STIC_TRY(STIC_RESERVE(&broad->context, &out->handle, &out->capacity, broad->slots));
    for (int32_t i = 0; i < broad->slots; ++i)
        out->handle[out->count++] = i;
    return STIC_OK;
}

static SticStatus reserve_records(SticBroad* broad)
{
    const size_t need = broad->query.count;
    STIC_TRY(STIC_RESERVE(&broad->context, &broad->record, &broad->record_capacity, need));
    return STIC_RESERVE(&broad->context, &broad->record_scratch, &broad->record_scratch_capacity,
                        need);
}

// boxes that count: present at the last update and still there
static bool present(const SticBroad* broad, int32_t slot)
{
    return (broad->state[slot] & (STIC_SLOT_LIVE | STIC_SLOT_FRESH)) == STIC_SLOT_LIVE;
}

SticStatus stic_broad_query_box(SticBroad* broad, const SticBounds* bounds, const int32_t** list,
                                int32_t* count)
{
    STIC_ASSERT(bounds != NULL);
    STIC_ASSERT(list != NULL && count != NULL);
    SticBox box;
    memcpy(&box, bounds, sizeof box);
    *list = NULL;
    *count = 0;
    if (!stic_box_valid(&box))
        return STIC_BAD_ARGUMENT;
    broad->query.count = 0;
    if (stic_tree_method_ready(broad))
        STIC_TRY(stic_tree_method_query(broad, &box));
    else
        STIC_TRY(list_all(broad));
    STIC_TRY(reserve_records(broad));
    size_t kept = 0;
    for (size_t i = 0; i < broad->query.count; ++i) {
        const int32_t slot = broad->query.handle[i];
        if (present(broad, slot) && stic_box_meets(&box, &broad->box[slot]))
            broad->record[kept++] = (SticSortRecord){.tag = (uint32_t)slot};
    }
    stic_sort_records(broad->record, broad->record_scratch, kept);
    for (size_t i = 0; i < kept; ++i)
        broad->query.handle[i] = (int32_t)broad->record[i].tag;
    *list = broad->query.handle;
    *count = (int32_t)kept;
    return STIC_OK;
}

SticStatus stic_broad_query_ray(SticBroad* broad, SticVec3 origin, SticVec3 direction, double reach,
                                const SticBroadHit** hits, int32_t* count)
{
    STIC_ASSERT(hits != NULL && count != NULL);
    const SticRay ray = {.origin = {origin.x, origin.y, origin.z},
                         .direction = {direction.x, direction.y, direction.z},
                         .reach = reach};
    *hits = NULL;
    *count = 0;
    for (int k = 0; k < 3; ++k)
        if (!isfinite(ray.origin[k]) || !isfinite(ray.direction[k]))
            return STIC_BAD_ARGUMENT;
    if (!(reach >= 0.0))
        return STIC_BAD_ARGUMENT;
    broad->query.count = 0;
    if (stic_tree_method_ready(broad))
        STIC_TRY(stic_tree_method_ray(broad, &ray));
    else
        STIC_TRY(list_all(broad));
    STIC_TRY(reserve_records(broad));
    SticHitList* out = &broad->hits;
    STIC_TRY(STIC_RESERVE(&broad->context, &out->hit, &out->capacity, broad->query.count));
    size_t kept = 0;
    for (size_t i = 0; i < broad->query.count; ++i) {
        const int32_t slot = broad->query.handle[i];
        double entry = 0.0;
        if (present(broad, slot) && stic_ray_meets(&ray, &broad->box[slot], &entry))
            broad->record[kept++] =
                (SticSortRecord){.key = stic_sort_key(entry), .tag = (uint32_t)slot};
    }
    stic_sort_records(broad->record, broad->record_scratch, kept);
    for (size_t i = 0; i < kept; ++i)
        out->hit[i] = (SticBroadHit){.handle = (int32_t)broad->record[i].tag,
                                     .entry = stic_sort_value(broad->record[i].key)};
    *hits = out->hit;
    *count = (int32_t)kept;
    return STIC_OK;
}
