// SPDX-License-Identifier: Apache-2.0
// Resultants of the contacts between two bodies.
//
// Contact forces inside a patch are often not unique (a box on four points); force and torque of
// the whole patch usually are. The centre of the normal forces is sum (f_N x) / sum f_N, which lies
// inside the hull of the contact points.
#include <stdlib.h>

#include "output/output.h"

#include "stiction/extend/base.h"
#include "stiction/extend/vec3.h"

// contact by its pair of bodies
typedef struct Key {
    int32_t low, high, index;
} Key;

static int compare_keys(const void* a, const void* b)
{
    const Key *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

// resultant of the contacts key[0 .. count), with A the body of the lower row
static SticPairRow sum_pair(const SticContactRow* contact, const Key* key, int32_t count)
{
    SticPairRow pair = {.body = {key->low, key->high}, .contacts = count};
    SticVec3 middle = stic_vec3(0.0, 0.0, 0.0), centre = middle;
    double weight = 0.0;
    for (int32_t k = 0; k < count; ++k) {
        const SticContactRow* row = &contact[key[k].index];
        const double sign = row->body[0] == key->low ? 1.0 : -1.0;
        const double normal = stic_vec3_dot(row->force, row->normal);
        pair.force = stic_vec3_add(pair.force, stic_vec3_scale(sign, row->force));
        middle = stic_vec3_add(middle, row->point);
        centre = stic_vec3_add(centre, stic_vec3_scale(normal, row->point));
        weight += normal;
    }
    pair.point =
        weight > 0.0 ? stic_vec3_scale(1.0 / weight, centre) : stic_vec3_scale(1.0 / count, middle);
    for (int32_t k = 0; k < count; ++k) {
        const SticContactRow* row = &contact[key[k].index];
        const double sign = row->body[0] == key->low ? 1.0 : -1.0;
        const SticVec3 arm = stic_vec3_sub(row->point, pair.point);
        pair.torque =
            stic_vec3_add(pair.torque, stic_vec3_scale(sign, stic_vec3_cross(arm, row->force)));
    }
    return pair;
}

SticStatus stic_pair_row_sum(const SticContactRow* contact, int32_t count, SticArena* scratch,
                             SticPairRow* pair, int32_t* pairs)
{
    const SticArenaMark mark = stic_arena_mark(scratch);
    Key* key = NULL;
    *pairs = 0;
    STIC_TRY(STIC_TAKE(scratch, &key, count + 1));
    for (int32_t i = 0; i < count; ++i) {
        const int32_t a = contact[i].body[0], b = contact[i].body[1];
        key[i] = (Key){a < b ? a : b, a < b ? b : a, i};
    }
    qsort(key, (size_t)count, sizeof *key, compare_keys);
    for (int32_t i = 0, end; i < count; i = end) {
        for (end = i + 1;
             end < count && key[end].low == key[i].low && key[end].high == key[i].high;)
            ++end;
        pair[(*pairs)++] = sum_pair(contact, key + i, end - i);
    }
    stic_arena_rewind(scratch, mark);
    return STIC_OK;
}
