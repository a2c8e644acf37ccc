// SPDX-License-Identifier: Apache-2.0
// Contacts of many pairs of shapes, shared among threads.
#ifndef STIC_WORLD_NARROW_H
#define STIC_WORLD_NARROW_H

#include "collide/broad.h"
#include "collide/collide.h"
#include "world/swing.h"
#include "world/world.h"

/// A contact that was found.
typedef struct SticFound {
    uint64_t id;
    double local[12]; ///< in the frames of the blocks, see contact.h
    double area, exit, slack, size, thin, passes;
    double cohesion; ///< of a bond
    int32_t a, b;    ///< shapes A and B
    uint8_t kernel;
    bool touches; ///< the shapes are in touch, not only within reach
    bool bonded;
} SticFound;

/// One share of the work: a workspace of the narrow phase and the contacts it found.
typedef struct SticLane {
    SticCollide* collide;
    SticFound* found; ///< [count] in the order of its pairs
    size_t count, capacity;
    SticContact* facing; ///< contacts of the last pair with a facet
    size_t facing_capacity;
    SticStatus status;
} SticLane;

/// Where the contacts of a pair are.
typedef struct SticPairFound {
    int32_t count;
    size_t at; ///< in the list of its lane
} SticPairFound;

typedef struct SticBondList SticBondList;

/// Pairs of shapes to be tested.
typedef struct SticNarrow {
    const SticView* view;
    const SticBondList* bonds; ///< that hold
    bool first;                ///< touching shapes will be bonded: nothing is left out
    const SticPose* pose;      ///< [shapes] in space
    double reach;              ///< gap that counts
    double time;               ///< and contacts that close within this time
    const SticSwing* swing;    ///< [shapes] if `time` is not 0
    const uint8_t* among;      ///< [blocks] see SticReach
    bool beside;               ///< the same
    const uint64_t* known;     ///< [knowns] ascending keys of pairs that are left out
    int32_t knowns;
    const SticBoxPair* pair; ///< [pairs]
    int32_t pairs;
    SticPairFound* found; ///< [pairs] the result
} SticNarrow;

/// Key of a pair of parts, the same in either order.
static inline uint64_t stic_narrow_key(int32_t part, int32_t other)
{
    const uint32_t a = (uint32_t)part, b = (uint32_t)other;
    return (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
}

/// Find the contacts of all pairs.
SticStatus stic_narrow_find(SticNarrow* narrow);
/// All contacts of one pair with its shapes at given poses, whatever their gaps; the list lives
/// until the next call of the narrow phase. To be called from one thread at a time.
SticStatus stic_narrow_again(const SticView* view, SticBoxPair pair, const SticPose pose[2],
                             const SticFound** found, int32_t* count);
/// The gap of a contact of one pair with its shapes at two poses, and the smallest gap of all
/// contacts of the pair; infinite if there is none. To be called from one thread at a time.
SticStatus stic_narrow_gap(const SticView* view, SticBoxPair pair, const SticPose pose[2],
                           uint64_t id, bool beside, double gap[2]);
/// The contacts of pair k after stic_narrow_find.
const SticFound* stic_narrow_contacts(const SticNarrow* narrow, int32_t k);

#endif
