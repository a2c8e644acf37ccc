// SPDX-License-Identifier: Apache-2.0
// Sorted lists of block indices.
#ifndef STIC_SPARSE_LISTS_H
#define STIC_SPARSE_LISTS_H

#include <stdint.h>

// union of two sorted lists without duplicates; gives its length
static inline int32_t list_merge(int32_t na, const int32_t* a, int32_t nb, const int32_t* b,
                                 int32_t* to)
{
    int32_t i = 0, j = 0, n = 0;
    while (i < na && j < nb) {
        const int32_t least = a[i] < b[j] ? a[i] : b[j];
        i += a[i] == least;
        j += b[j] == least;
        to[n++] = least;
    }
    while (i < na)
        to[n++] = a[i++];
    while (j < nb)
        to[n++] = b[j++];
    return n;
}

// place of the first entry of a sorted list that is not below `wanted`
static inline int32_t list_find(int32_t n, const int32_t* list, int32_t wanted)
{
    int32_t low = 0, high = n;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (list[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
