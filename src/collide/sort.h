// SPDX-License-Identifier: Apache-2.0
// Sorts by total-order integer keys, so that the result never depends on the algorithm.
#ifndef STIC_COLLIDE_SORT_H
#define STIC_COLLIDE_SORT_H

#include <string.h>

#include "base/sort.h"

/// A thing to sort: by key, then by tag.
typedef struct SticSortRecord {
    uint64_t key;
    uint32_t tag;
    uint32_t spare;
} SticSortRecord;

static inline bool stic_record_less(const SticSortRecord* a, const SticSortRecord* b)
{
    return a->key < b->key || (a->key == b->key && a->tag < b->tag);
}

/// Key that orders doubles; -0 and 0 are equal. Not for NaN.
static inline uint64_t stic_sort_key(double value)
{
    const double plain = value + 0.0; // -0 becomes 0
    uint64_t bits = 0;
    memcpy(&bits, &plain, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/// The double of a key.
static inline double stic_sort_value(uint64_t key)
{
    const uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double value = 0.0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/// Sort records ascending; `scratch` has room for `count`. Cost O(count log count).
void stic_sort_records(SticSortRecord* records, SticSortRecord* scratch, size_t count);
/// Sort records that are nearly sorted, cost O(count + moves); past about eight moves per record
/// the rest is left to stic_sort_records.
void stic_sort_coherent(SticSortRecord* records, SticSortRecord* scratch, size_t count);
/// Merge two sorted runs into `out`.
void stic_merge_records(const SticSortRecord* a, size_t a_count, const SticSortRecord* b,
                        size_t b_count, SticSortRecord* out);

#endif
