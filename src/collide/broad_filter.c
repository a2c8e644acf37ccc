// SPDX-License-Identifier: Apache-2.0
// Pairs that are never reported: listed ones, parts of one rigid group, adjacent elements of a
// mesh.
//
// Listed pairs are a sorted array of keys searched by bisection, and only if both boxes occur in
// some listed pair; they are few (joints), so that inserting by moving is cheap enough.
#include "collide/broad_internal.h"

SticStatus stic_filter_reserve(const SticContext* context, SticFilter* filter, int32_t slots)
{
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
    filter->grouped -= filter->group[slot] != 0;
    filter->group[slot] = 0;
    if (!filter->listed[slot])
        return;
    size_t kept = 0;
    for (size_t i = 0; i < filter->excluded.count; ++i) {
        const uint64_t key = filter->excluded.key[i];
        if (stic_pair_low(key) != slot && stic_pair_high(key) != slot)
            filter->excluded.key[kept++] = key;
    }
    filter->excluded.count = kept;
    filter->listed[slot] = 0;
}

// position of the first key that is not less
static size_t lower_bound(const SticKeyList* list, uint64_t key)
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
    return first;
}

SticStatus stic_filter_exclude(const SticContext* context, SticFilter* filter, uint64_t key,
                               bool* changed)
{
    SticKeyList* list = &filter->excluded;
    const size_t at = lower_bound(list, key);
    *changed = at == list->count || list->key[at] != key;
    if (!*changed)
        return STIC_OK;
    STIC_TRY(STIC_RESERVE(context, &list->key, &list->capacity, list->count + 1));
    memmove(list->key + at + 1, list->key + at, (list->count - at) * sizeof *list->key);
    list->key[at] = key;
    list->count += 1;
    filter->listed[stic_pair_low(key)] = 1;
    filter->listed[stic_pair_high(key)] = 1;
    return STIC_OK;
}

bool stic_filter_include(SticFilter* filter, uint64_t key)
{
    SticKeyList* list = &filter->excluded;
    const size_t at = lower_bound(list, key);
    if (at == list->count || list->key[at] != key)
        return false;
    memmove(list->key + at, list->key + at + 1, (list->count - at - 1) * sizeof *list->key);
    list->count -= 1;
    return true;
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
    if (filter->group[a] != 0 && filter->group[a] == filter->group[b]) {
        if (filter->node_count[a] == 0 || filter->node_count[b] == 0 || share_node(filter, a, b))
            return true;
    }
    if (!filter->listed[a] || !filter->listed[b])
        return false;
    const uint64_t key = stic_pair_key(a, b);
    const size_t at = lower_bound(&filter->excluded, key);
    return at < filter->excluded.count && filter->excluded.key[at] == key;
}

void stic_filter_release(const SticContext* context, SticFilter* filter)
{
    STIC_RELEASE(context, filter->group, filter->group_capacity);
    STIC_RELEASE(context, filter->node, filter->node_capacity);
    STIC_RELEASE(context, filter->node_count, filter->node_count_capacity);
    STIC_RELEASE(context, filter->listed, filter->listed_capacity);
    STIC_RELEASE(context, filter->excluded.key, filter->excluded.capacity);
}
