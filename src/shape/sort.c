// SPDX-License-Identifier: Apache-2.0
// Radix sort of 64-bit keys with values.
//
// Least significant byte first, stable, so that the order is a function of the keys and the input
// order alone. Bytes that are the same in all keys cost nothing.
#include "shape/build.h"

#include <string.h>

enum { DIGITS = 256 };

// true if the keys were moved to `key_out`
static bool sort_by_byte(int32_t count, int shift, const uint64_t* key, const int32_t* value,
                         uint64_t* key_out, int32_t* value_out)
{
    int32_t at[DIGITS] = {0};
    for (int32_t i = 0; i < count; ++i)
        at[(key[i] >> shift) & 0xff] += 1;
    if (at[(key[0] >> shift) & 0xff] == count)
        return false;
    int32_t sum = 0;
    for (int digit = 0; digit < DIGITS; ++digit) {
        const int32_t here = at[digit];
        at[digit] = sum;
        sum += here;
    }
    for (int32_t i = 0; i < count; ++i) {
        const int32_t place = at[(key[i] >> shift) & 0xff]++;
        key_out[place] = key[i];
        value_out[place] = value[i];
    }
    return true;
}

void stic_sort_keys(int32_t count, uint64_t* key, int32_t* value, uint64_t* key_scratch,
                    int32_t* value_scratch)
{
    if (count < 2)
        return;
    uint64_t* key_from = key;
    uint64_t* key_to = key_scratch;
    int32_t* value_from = value;
    int32_t* value_to = value_scratch;
    for (int shift = 0; shift < 64; shift += 8) {
        if (!sort_by_byte(count, shift, key_from, value_from, key_to, value_to))
            continue;
        uint64_t* const key_swap = key_from;
        key_from = key_to;
        key_to = key_swap;
        int32_t* const value_swap = value_from;
        value_from = value_to;
        value_to = value_swap;
    }
    if (key_from != key) {
        memcpy(key, key_from, (size_t)count * sizeof *key);
        memcpy(value, value_from, (size_t)count * sizeof *value);
    }
}
