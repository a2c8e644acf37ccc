// SPDX-License-Identifier: Apache-2.0
// Pairs of parts with a contact, see touched.h.
#include "step/touched.h"

#include "base/sort.h"

static uint64_t key_of(const SticInteraction* contact)
{
    const uint32_t a = (uint32_t)contact->part[0], b = (uint32_t)contact->part[1];
    return (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
}

// place of the first entry of a pair, or where it would be
static int32_t place_of(const SticTouched* touched, uint64_t wanted)
{
    return stic_sorted_place(touched->key, touched->count, wanted);
}

static bool has_at(const SticTouched* touched, int32_t place, uint64_t wanted)
{
    return place < touched->count && touched->key[place] == wanted;
}

SticStatus stic_touched_list(SticArena* arena, const SticSet* set, const double* gap,
                             SticTouched* touched)
{
    uint64_t *key = NULL, *scratch = NULL;
    double* depth = NULL;
    STIC_TRY(STIC_TAKE(arena, &key, set->count));
    STIC_TRY(STIC_TAKE(arena, &scratch, set->count));
    STIC_TRY(STIC_TAKE(arena, &depth, set->count));
    *touched = (SticTouched){.key = key, .depth = depth};
    for (int32_t i = 0; i < set->count; ++i)
        if (set->interaction[i].level == STIC_LEVEL_CONTACT) {
            depth[touched->count] = 0.0;
            key[touched->count++] = key_of(&set->interaction[i]);
        }
    stic_radix_sort(key, scratch, (size_t)touched->count, 0, 64);
    for (int32_t i = 0; gap != NULL && i < set->count; ++i) {
        if (set->interaction[i].level != STIC_LEVEL_CONTACT)
            continue;
        const int32_t place = place_of(touched, key_of(&set->interaction[i]));
        const double own = -gap[set->row_at[i]];
        depth[place] = own > depth[place] ? own : depth[place];
    }
    return STIC_OK;
}

bool stic_touched_has(const SticTouched* touched, const SticInteraction* contact)
{
    const uint64_t wanted = key_of(contact);
    return has_at(touched, place_of(touched, wanted), wanted);
}

double stic_touched_depth(const SticTouched* touched, const SticInteraction* contact)
{
    const uint64_t wanted = key_of(contact);
    const int32_t place = place_of(touched, wanted);
    return has_at(touched, place, wanted) ? touched->depth[place] : 0.0;
}
