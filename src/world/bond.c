// SPDX-License-Identifier: Apache-2.0
// Bonds of a world: contacts of the start that stay where they were made.
//
// A contact lives from detection to detection: it is found where shapes touch, and its features may
// change their names where faces coincide (the vertex of A on the face of B, then the vertex of B
// on the face of A). A bond is matter: two points that were one at the start, with the plane of the
// contact. It is in the memory of the state, and every detection puts it into the set, whatever the
// distance; contacts that the narrow phase finds there, or between two bonds, are left out (they
// would add nothing: the bonds can carry whatever they could). Its kernel is that of a point on a
// plane, with the same point on both sides, so that its gap and its slip are zero where the bodies
// lie as they did at the start. Where friction let it slide in the last step, the point of B
// follows that of A within the plane.
//
// Cost O(bonds log bonds) per detection.
#include "world/bond.h"

#include <float.h>

#include "world/facet.h"

static SticSide unit_side(const SticView* view, const SticState* state, int32_t shape)
{
    SticSide side = stic_view_shape_side(view, state, &view->shape[shape], false);
    side.R = stic_mat3_scale(1.0 / side.s, side.R);
    side.s = 1.0;
    return side;
}

static uint64_t pair_key(int32_t a, int32_t b)
{
    const uint32_t low = (uint32_t)(a < b ? a : b), high = (uint32_t)(a < b ? b : a);
    return (uint64_t)low << 32 | high;
}

static SticVec3 place_of(const SticSide* side, const double* p)
{
    return stic_vec3_add(side->x, stic_side_turn(side, p));
}

// move the point of B under that of A, along the plane
static void follow(const SticSide side[2], double local[12])
{
    const SticVec3 tip = stic_side_material(&side[1], place_of(&side[0], local));
    const SticVec3 old = stic_vec3_load(local + 3), n = stic_vec3_load(local + 6);
    const SticVec3 d = stic_vec3_sub(tip, old);
    const SticVec3 along = stic_vec3_add_scaled(d, -stic_vec3_dot(n, d), n);
    stic_vec3_store(stic_vec3_add(old, along), local + 3);
}

SticStatus stic_bonds_place(const SticView* view, const SticState* state, SticArena* arena,
                            SticBondList* list)
{
    const SticMemory* memory = state->memory;
    SticSortRecord* scratch = NULL;
    *list = (SticBondList){.count = memory->bonds};
    STIC_TRY(STIC_TAKE(arena, &list->found, list->count));
    STIC_TRY(STIC_TAKE(arena, &list->place, list->count));
    STIC_TRY(STIC_TAKE(arena, &list->by_pair, list->count));
    STIC_TRY(STIC_TAKE(arena, &scratch, list->count));
    for (int32_t i = 0; i < list->count; ++i) {
        const SticBond* bond = &memory->bond[i];
        const int32_t a = stic_view_shape_of(view, bond->part[0]),
                      b = stic_view_shape_of(view, bond->part[1]);
        if (a < 0 || b < 0)
            return STIC_BAD_DATA;
        const SticSide side[2] = {unit_side(view, state, a), unit_side(view, state, b)};
        SticFound* found = &list->found[i];
        *found = (SticFound){.id = bond->id,
                             .area = bond->area,
                             .cohesion = bond->cohesion,
                             .exit = DBL_MAX,
                             .a = a,
                             .b = b,
                             .kernel = STIC_CONTACT_PLANE,
                             .touches = true,
                             .bonded = true};
        for (int k = 0; k < 12; ++k)
            found->local[k] = bond->local[k];
        if (bond->slid != 0)
            follow(side, found->local);
        list->place[i] = place_of(&side[0], found->local);
        list->by_pair[i] = (SticSortRecord){.key = pair_key(a, b), .tag = (uint32_t)i};
    }
    stic_sort_records(list->by_pair, scratch, (size_t)list->count);
    return STIC_OK;
}

// distance of a point from the line between two bonds
static double distance(SticVec3 from, SticVec3 to, SticVec3 point)
{
    const SticVec3 line = stic_vec3_sub(to, from), d = stic_vec3_sub(point, from);
    const double square = stic_vec3_dot(line, line), along = stic_vec3_dot(d, line);
    const double t = square > 0.0 ? along / square : 0.0;
    return stic_vec3_norm(stic_vec3_add_scaled(d, -(t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t), line));
}

bool stic_bonds_hold(const SticBondList* list, SticBoxPair pair, const SticContact* contact,
                     uint64_t id, double near)
{
    const uint64_t key = pair_key(pair.low, pair.high);
    int32_t low = 0, high = list->count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (list->by_pair[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    for (int32_t a = low; a < list->count && list->by_pair[a].key == key; ++a) {
        const uint32_t i = list->by_pair[a].tag;
        if (list->found[i].id == id)
            return true;
        for (int32_t b = low; b <= a; ++b)
            if (distance(list->place[i], list->place[list->by_pair[b].tag], contact->point) <= near)
                return true;
    }
    return false;
}

void stic_bond_freeze(const SticSide side[2], const SticTouch* touch, double local[12])
{
    const SticVec3 n = stic_mat3_transpose_mul_vec(side[1].R, touch->axis[0]);
    stic_vec3_store(stic_side_material(&side[0], touch->point), local);
    stic_vec3_store(stic_side_material(&side[1], touch->point), local + 3);
    stic_vec3_store(stic_vec3_normalize(n), local + 6);
    stic_vec3_store(stic_vec3_zero(), local + 9);
}
