// SPDX-License-Identifier: Apache-2.0
// Radix sort of 64-bit keys, alone or with values.
//
// Digits of eight bits from the lowest up, stable, so that the order is a function of the keys and
// the input order alone. All digits are counted in one reading; a digit that all keys share costs
// no pass. Values, where there are any, move with their keys.
#include "base/sort.h"

#include <string.h>

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, MOST_PASSES = 8, SHORT = 48 };

// the arrays of a pass; the values are NULL for keys alone
typedef struct Arrays {
    uint64_t* key;
    int32_t* value;
} Arrays;

// one pass by the digit at `shift`; false if all keys share it
static bool radix_pass(const Arrays* from, const Arrays* to, size_t count, int shift,
                       const size_t histogram[DIGITS])
{
    size_t place[DIGITS];
    size_t total = 0;
    if (histogram[from->key[0] >> shift & (DIGITS - 1)] == count)
        return false;
    for (int i = 0; i < DIGITS; ++i) {
        place[i] = total;
        total += histogram[i];
    }
    if (from->value == NULL) {
        for (size_t i = 0; i < count; ++i)
            to->key[place[from->key[i] >> shift & (DIGITS - 1)]++] = from->key[i];
        return true;
    }
    for (size_t i = 0; i < count; ++i) {
        const size_t at = place[from->key[i] >> shift & (DIGITS - 1)]++;
        to->key[at] = from->key[i];
        to->value[at] = from->value[i];
    }
    return true;
}

// by the bits [first_bit, first_bit + bits); the result is in `data`
static void radix_sort(Arrays data, Arrays scratch, size_t count, int first_bit, int bits)
{
    size_t histogram[MOST_PASSES][DIGITS];
    const int passes = (bits + DIGIT_BITS - 1) / DIGIT_BITS;
    memset(histogram, 0, (size_t)passes * sizeof histogram[0]);
    for (size_t i = 0; i < count; ++i)
        for (int pass = 0; pass < passes; ++pass)
            histogram[pass][data.key[i] >> (first_bit + pass * DIGIT_BITS) & (DIGITS - 1)] += 1;

    Arrays from = data, to = scratch;
    for (int pass = 0; pass < passes; ++pass)
        if (radix_pass(&from, &to, count, first_bit + pass * DIGIT_BITS, histogram[pass])) {
            const Arrays swapped = from;
            from = to;
            to = swapped;
        }
    if (from.key == data.key)
        return;
    memcpy(data.key, from.key, count * sizeof *data.key);
    if (data.value != NULL)
        memcpy(data.value, from.value, count * sizeof *data.value);
}

void stic_radix_sort(uint64_t* keys, uint64_t* scratch, size_t count, int first_bit, int bits)
{
    if (count < SHORT)
        stic_few_sort(keys, count, first_bit);
    else
        radix_sort((Arrays){keys, NULL}, (Arrays){scratch, NULL}, count, first_bit, bits);
}

void stic_radix_sort_values(int32_t count, uint64_t* key, int32_t* value, uint64_t* key_scratch,
                            int32_t* value_scratch)
{
    if (count > 1)
        radix_sort((Arrays){key, value}, (Arrays){key_scratch, value_scratch}, (size_t)count, 0,
                   64);
}
