// SPDX-License-Identifier: Apache-2.0
// Pairs that are never reported: listed ones, parts of one rigid group, adjacent elements of a
// mesh.
//
// Listed pairs are a sorted array of keys searched by bisection, and only if both boxes occur in
// some listed pair. Changes wait in a second array until the next update, which sorts both together
// (the last word on a pair counts), so that many changes cost no more than a few.
#include "collide/broad_internal.h"

enum { EDIT_INCLUDE = 1 }; // flag of a key in the changes

SticStatus stic_filter_reserve(const SticContext* context, SticFilter* filter, int32_t slots)
{
    STIC_ASSERT(slots >= 0);
    STIC_TRY(STIC_RESERVE(context, &filter->group, &filter->group_capacity, slots));
    STIC_TRY(STIC_RESERVE(context, &filter->node_count, &filter->node_count_capacity, slots));
    STIC_TRY(STIC_RESERVE(context, &filter->listed, &filter->listed_capacity, slots));
    // nodes take memory only where meshes are used
    if (filter->node != NULL)
        STIC_TRY(STIC_RESERVE(context, &filter->node, &filter->node_capacity, slots));
    return STIC_OK;
}

SticStatus stic_filter_insert(const SticContext* context, SticFilter* filter, int32_t slot,
                              const SticBroadItem* item)
{
    STIC_ASSERT(slot >= 0);
    STIC_ASSERT(item != NULL);
    if (item->node_count > 0 && (size_t)slot >= filter->node_capacity)
        STIC_TRY(STIC_RESERVE(context, &filter->node, &filter->node_capacity, slot + 1));
    filter->group[slot] = item->group;
    filter->node_count[slot] = (uint8_t)item->node_count;
    filter->listed[slot] = 0;
    for (int32_t i = 0; i < item->node_count; ++i)
        filter->node[slot][i] = item->node[i];
    filter->grouped += item->group != 0;
    return STIC_OK;
}

void stic_filter_delete(SticFilter* filter, int32_t slot)
{
    STIC_ASSERT(slot >= 0);
    filter->grouped -= filter->group[slot] != 0;
    filter->group[slot] = 0;
    if (filter->listed[slot])
        filter->listed[slot] = STIC_LISTED_GONE;
}

SticStatus stic_filter_edit(const SticContext* context, SticFilter* filter, uint64_t key,
                            bool exclude)
{
    // room for settling too, which must not fail
    const size_t all = filter->excluded.count + filter->edits.count + 1;
    STIC_TRY(STIC_RESERVE(context, &filter->edits.key, &filter->edits.capacity, all));
    STIC_TRY(STIC_RESERVE(context, &filter->excluded.key, &filter->excluded.capacity, all));
    filter->edits.key[filter->edits.count++] = key | (exclude ? 0 : EDIT_INCLUDE);
    filter->listed[stic_pair_low(key)] = STIC_LISTED;
    filter->listed[stic_pair_high(key)] = STIC_LISTED;
    return STIC_OK;
}

static bool names_gone(const SticFilter* filter, uint64_t key)
{
    return filter->listed[stic_pair_low(key)] == STIC_LISTED_GONE ||
           filter->listed[stic_pair_high(key)] == STIC_LISTED_GONE;
}

void stic_filter_settle(SticFilter* filter, const SticHandleList* gone)
{
    bool purge = false;
    for (size_t i = 0; i < gone->count; ++i)
        purge |= filter->listed[gone->handle[i]] == STIC_LISTED_GONE;
    if (filter->edits.count == 0 && !purge)
        return;
    // old pairs, then changes in their order: the sort is stable for equal pairs
    SticKeyList* list = &filter->excluded;
    if (filter->edits.count > 0)
        memcpy(list->key + list->count, filter->edits.key, filter->edits.count * sizeof *list->key);
    list->count += filter->edits.count;
    filter->edits.count = 0;
    stic_radix_sort(list->key, filter->edits.key, list->count, STIC_PAIR_HIGH_SHIFT,
                    64 - STIC_PAIR_HIGH_SHIFT);
    const uint64_t flags = STIC_PAIR_FLAGS;
    size_t kept = 0;
    for (size_t i = 0; i < list->count; ++i) {
        const uint64_t key = list->key[i];
        const bool last = i + 1 == list->count || (list->key[i + 1] & ~flags) != (key & ~flags);
        if (last && !(key & EDIT_INCLUDE) && !names_gone(filter, key))
            list->key[kept++] = key;
    }
    list->count = kept;
    for (size_t i = 0; i < gone->count; ++i)
        filter->listed[gone->handle[i]] = 0;
}

// whether a sorted list holds a key
static bool holds(const SticKeyList* list, uint64_t key)
{
    size_t first = 0, count = list->count;
    while (count > 0) {
        const size_t half = count / 2;
        if (list->key[first + half] < key) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first < list->count && list->key[first] == key;
}

static bool share_node(const SticFilter* filter, int32_t a, int32_t b)
{
    for (int32_t i = 0; i < filter->node_count[a]; ++i)
        for (int32_t j = 0; j < filter->node_count[b]; ++j)
            if (filter->node[a][i] == filter->node[b][j])
                return true;
    return false;
}

bool stic_filter_skips(const SticFilter* filter, int32_t a, int32_t b)
{
    STIC_ASSERT(a >= 0 && b >= 0);
    if (filter->group[a] != 0 && filter->group[a] == filter->group[b]) {
        if (filter->node_count[a] == 0 || filter->node_count[b] == 0 || share_node(filter, a, b))
            return true;
    }
    if (!filter->listed[a] || !filter->listed[b])
        return false;
    return holds(&filter->excluded, stic_pair_key(a, b));
}

void stic_filter_release(const SticContext* context, SticFilter* filter)
{
    STIC_RELEASE(context, filter->group, filter->group_capacity);
    STIC_RELEASE(context, filter->node, filter->node_capacity);
    STIC_RELEASE(context, filter->node_count, filter->node_count_capacity);
    STIC_RELEASE(context, filter->listed, filter->listed_capacity);
    STIC_RELEASE(context, filter->excluded.key, filter->excluded.capacity);
    STIC_RELEASE(context, filter->edits.key, filter->edits.capacity);
}
