// SPDX-License-Identifier: Apache-2.0
// Bonds of a world: contacts of the start that stay where they were made.
#ifndef STIC_WORLD_BOND_H
#define STIC_WORLD_BOND_H

#include "collide/sort.h"
#include "world/contact.h"
#include "world/narrow.h"

/// The bonds of a state at its coordinates.
struct SticBondList {
    int32_t count;
    SticFound* found;        ///< [count] as contacts, in the order of ids
    SticVec3* place;         ///< [count] where they are
    SticSortRecord* by_pair; ///< [count] by pair of shapes; tag: which
};

/// Place the bonds of a state; BAD_DATA if they belong to another world.
SticStatus stic_bonds_place(const SticView* view, const SticState* state, SticArena* arena,
                            SticBondList* list);
/// Whether bonds stand for a contact of shapes low < high: one with the same id, or within `near`
/// of a bond of the two shapes or of the line between two of them.
bool stic_bonds_hold(const SticBondList* list, SticBoxPair pair, const SticContact* contact,
                     uint64_t id, double near);
/// Features of a bond made from a contact as it is: the same material point on both sides, and the
/// plane of the contact in B.
void stic_bond_freeze(const SticSide side[2], const SticTouch* touch, double local[12]);

#endif
