// SPDX-License-Identifier: Apache-2.0
// Disjoint sets of the numbers 0, 1, …: parent[i] = i is a root, and every other parent is smaller.
// The smallest member is the root, so that sets and their order do not depend on that of the joins.
#ifndef STIC_BASE_DISJOINT_H
#define STIC_BASE_DISJOINT_H

#include "stiction/extend/base.h"

/// Every number by itself.
static inline void stic_disjoint_start(int32_t* parent, int32_t count)
{
    for (int32_t i = 0; i < count; ++i)
        parent[i] = i;
}

/// The smallest member of the set of i; halves the path to it.
static inline int32_t stic_disjoint_root(int32_t* parent, int32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/// Join the sets of i and j.
static inline void stic_disjoint_join(int32_t* parent, int32_t i, int32_t j)
{
    const int32_t a = stic_disjoint_root(parent, i), b = stic_disjoint_root(parent, j);
    parent[a < b ? b : a] = a < b ? a : b;
}

/// Number the sets by their smallest members: set_of [count]; returns how many there are.
static inline int32_t stic_disjoint_number(int32_t* parent, int32_t count, int32_t* set_of)
{
    int32_t sets = 0;
    for (int32_t i = 0; i < count; ++i)
        set_of[i] = parent[i] == i ? sets++ : set_of[stic_disjoint_root(parent, i)];
    return sets;
}

#endif
