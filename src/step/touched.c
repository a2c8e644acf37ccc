// SPDX-License-Identifier: Apache-2.0
// Pairs of parts with a contact, see touched.h.
#include "step/touched.h"

#include "base/sort.h"

static uint64_t key_of(const SticInteraction* contact)
{
    const uint32_t a = (uint32_t)contact->part[0], b = (uint32_t)contact->part[1];
    return (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
}

SticStatus stic_touched_list(SticArena* arena, const SticSet* set, SticTouched* touched)
{
    uint64_t *key = NULL, *scratch = NULL;
    STIC_TRY(STIC_TAKE(arena, &key, set->count));
    STIC_TRY(STIC_TAKE(arena, &scratch, set->count));
    *touched = (SticTouched){.key = key};
    for (int32_t i = 0; i < set->count; ++i)
        if (set->interaction[i].level == STIC_LEVEL_CONTACT)
            key[touched->count++] = key_of(&set->interaction[i]);
    stic_radix_sort(key, scratch, (size_t)touched->count, 0, 64);
    return STIC_OK;
}

bool stic_touched_has(const SticTouched* touched, const SticInteraction* contact)
{
    const uint64_t wanted = key_of(contact);
    int32_t low = 0, high = touched->count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (touched->key[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low < touched->count && touched->key[low] == wanted;
}
