// SPDX-License-Identifier: Apache-2.0
// Contacts of two shapes: how many there may be, and which.
#ifndef STIC_WORLD_NARROW_H
#define STIC_WORLD_NARROW_H

#include "world/contact.h"
#include "world/world.h"

/// A shape in world axes.
typedef struct SticPlaced {
    SticMat3 R;      ///< box: axes as columns
    SticVec3 centre; ///< of a sphere or box; a point of the plane of a half-space
    SticVec3 normal; ///< half-space
} SticPlaced;

/// What the pair functions read.
typedef struct SticNarrow {
    const SticBlockShape* shape;
    const SticPlaced* placed; ///< [shapes]
    double reach;
} SticNarrow;

/// A contact that was found.
typedef struct SticFound {
    uint64_t id;
    double local[12]; ///< see contact.h
    double exit;      ///< distance to the border of the feature
    int32_t a, b;     ///< shapes A and B
    uint8_t kernel;
} SticFound;

enum { STIC_PAIR_CONTACTS = 8 }; ///< most contacts of a pair

/// The result of the first look at a pair.
typedef struct SticPairLook {
    int32_t most; ///< no more contacts than this; 0: farther apart than `reach`
    int32_t axis; ///< two boxes: the separating axis, see box_box.c
} SticPairLook;

/// Look at a pair of shapes.
SticPairLook stic_pair_look(const SticNarrow* narrow, int32_t a, int32_t b);
/// Contacts of a pair, sorted by id; returns how many.
int32_t stic_pair_find(const SticNarrow* narrow, int32_t a, int32_t b, SticPairLook look,
                       SticFound* found);

/// First look at two boxes.
SticPairLook stic_boxes_look(const SticNarrow* narrow, int32_t a, int32_t b);
/// Contacts of two boxes.
int32_t stic_boxes_find(const SticNarrow* narrow, int32_t a, int32_t b, SticPairLook look,
                        SticFound* found);

/// Corner `k` (bits: signs along x, y, z) of a box with half edges `half`.
static inline SticVec3 stic_box_corner(SticVec3 half, int k)
{
    return stic_vec3(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z);
}

/// Point of a shape, given along its axes, in the frame of its block.
static inline SticVec3 stic_shape_point(const SticBlockShape* shape, SticVec3 p)
{
    return stic_vec3_add(shape->origin, stic_mat3_mul_vec(shape->R, p));
}

/// A contact of kernel PLANE: point and radius in the frame of A, plane in that of B.
static inline SticFound stic_found_plane(const SticNarrow* narrow, int32_t a, int32_t b,
                                         uint32_t feature)
{
    SticFound found = {.a = a, .b = b, .kernel = STIC_CONTACT_PLANE};
    found.id =
        stic_contact_id(STIC_CONTACT_PLANE, narrow->shape[a].slot, narrow->shape[b].slot, feature);
    return found;
}

/// Keep contacts sorted by id.
static inline void stic_found_insert(SticFound* list, int32_t count, const SticFound* found)
{
    int32_t at = count;
    for (; at > 0 && list[at - 1].id > found->id; --at)
        list[at] = list[at - 1];
    list[at] = *found;
}

#endif
