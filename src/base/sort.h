// SPDX-License-Identifier: Apache-2.0
// Radix sort of 64-bit keys, alone or with values.
#ifndef STIC_BASE_SORT_H
#define STIC_BASE_SORT_H

#include "stiction/extend/base.h"

/// Sort keys ascending by bits [first_bit, first_bit + bits), above which all are equal; stable;
/// `scratch` has room for `count`. Cost O(count bits / 8).
void stic_radix_sort(uint64_t* keys, uint64_t* scratch, size_t count, int first_bit, int bits);
/// Sort keys ascending and move the values along; stable; the scratch arrays have room for `count`.
void stic_radix_sort_values(int32_t count, uint64_t* key, int32_t* value, uint64_t* key_scratch,
                            int32_t* value_scratch);

/// Sort a few keys by insertion, by the bits from `first_bit` up; stable.
static inline void stic_few_sort(uint64_t* keys, size_t count, int first_bit)
{
    for (size_t i = 1; i < count; ++i) {
        const uint64_t key = keys[i];
        size_t at = i;
        for (; at > 0 && keys[at - 1] >> first_bit > key >> first_bit; --at)
            keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

/// Index of the first of `count` ascending keys that is not below `wanted`; `count` if all are.
static inline int32_t stic_sorted_place(const uint64_t* key, int32_t count, uint64_t wanted)
{
    int32_t low = 0, high = count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (key[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
