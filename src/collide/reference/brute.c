// SPDX-License-Identifier: Apache-2.0
// Every pair of boxes tested: the oracle of the other methods. O(n^2).
#include "collide/broad_internal.h"

SticStatus stic_brute_find(SticBroad* broad)
{
    for (int32_t a = 0; a < broad->slots; ++a) {
        if (!(broad->state[a] & STIC_SLOT_LIVE))
            continue;
        const SticBox* box = &broad->box[a];
        for (int32_t b = a + 1; b < broad->slots; ++b)
            if ((broad->state[b] & STIC_SLOT_LIVE) && stic_box_meets(box, &broad->box[b]))
                STIC_TRY(stic_keys_add(&broad->context, &broad->found, stic_pair_key(a, b)));
    }
    return STIC_OK;
}
