// SPDX-License-Identifier: Apache-2.0
// Work of contacts by pairs of surfaces.
#include "step/parts.h"

#include "stiction/extend/base.h"

// place of a surface in the sorted list, where it is or belongs
static int32_t place_of(const SticClasses* classes, int32_t surface)
{
    int32_t low = 0, high = classes->count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (classes->item[middle].surface < surface)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

SticStatus stic_classes_add(SticClasses* classes, const SticClassLedger* part)
{
    const int32_t at = place_of(classes, part->surface);
    if (at == classes->count || classes->item[at].surface != part->surface) {
        STIC_TRY(STIC_RESERVE(&classes->context, &classes->item, &classes->capacity,
                              classes->count + 1));
        for (int32_t k = classes->count++; k > at; --k)
            classes->item[k] = classes->item[k - 1];
        classes->item[at] = (SticClassLedger){.surface = part->surface};
    }
    classes->item[at].impact += part->impact;
    classes->item[at].friction += part->friction;
    return STIC_OK;
}

void stic_classes_release(SticClasses* classes)
{
    STIC_RELEASE(&classes->context, classes->item, classes->capacity);
    *classes = (SticClasses){.context = classes->context};
}
