// SPDX-License-Identifier: Apache-2.0
// Sets of boxes for tests and benchmarks of the broad phase.
//
// Equal cubes in a 2 x 2 x 2 cube as in Koziara's thesis, section 13.2: at random, adjacent (a
// shaken lattice) and spherical (a rough spherical shell), sized for ten overlaps a box. Frames
// move every box by a share of its size (with coherence) or deal all places anew (without).
#ifndef STIC_BENCH_BROAD_SETS_H
#define STIC_BENCH_BROAD_SETS_H

#include <math.h>
#include <stdlib.h>

#include "collide/broad.h"
#include "stiction/extend/base.h"

typedef enum SetKind { SET_RANDOM, SET_ADJACENT, SET_SPHERICAL, SET_COUNT } SetKind;

static const char* const set_names[] = {"random", "adjacent", "spherical"};

typedef struct BoxSet {
    int32_t count;
    double side;
    SticVec3 *centre, *velocity;
    SticBounds* box;
} BoxSet;

static inline void set_boxes(BoxSet* set)
{
    const double half = 0.5 * set->side;
    for (int32_t i = 0; i < set->count; ++i) {
        const SticVec3 c = set->centre[i];
        set->box[i] = (SticBounds){{c.x - half, c.y - half, c.z - half},
                                   {c.x + half, c.y + half, c.z + half}};
    }
}

static inline SticVec3 random_unit(SticRandom* random)
{
    for (;;) {
        const SticVec3 v = {stic_random_range(random, -1.0, 1.0),
                            stic_random_range(random, -1.0, 1.0),
                            stic_random_range(random, -1.0, 1.0)};
        const double square = v.x * v.x + v.y * v.y + v.z * v.z;
        if (square > 1e-4 && square <= 1.0) {
            const double scale = 1.0 / sqrt(square);
            return (SticVec3){v.x * scale, v.y * scale, v.z * scale};
        }
    }
}

static inline SticVec3 set_place(SetKind kind, int32_t i, int32_t count, SticRandom* random)
{
    const int32_t row = (int32_t)ceil(cbrt((double)count) - 1e-9);
    const double step = 2.0 / row, shake = 0.2 * step;
    switch (kind) {
    case SET_RANDOM:
        return (SticVec3){stic_random_range(random, -1.0, 1.0),
                          stic_random_range(random, -1.0, 1.0),
                          stic_random_range(random, -1.0, 1.0)};
    case SET_ADJACENT:
        return (SticVec3){
            (i % row + 0.5) * step - 1.0 + stic_random_range(random, -shake, shake),
            (i / row % row + 0.5) * step - 1.0 + stic_random_range(random, -shake, shake),
            (i / row / row + 0.5) * step - 1.0 + stic_random_range(random, -shake, shake)};
    default: {
        const SticVec3 n = random_unit(random);
        const double radius = stic_random_range(random, 0.95, 1.0);
        return (SticVec3){radius * n.x, radius * n.y, radius * n.z};
    }
    }
}

/// Centres; handles are dealt at random so that neighbours in space are not neighbours in memory.
static inline BoxSet set_create(SetKind kind, int32_t count, uint64_t seed)
{
    SticRandom random = stic_random_create(seed);
    BoxSet set = {.count = count};
    set.centre = malloc((size_t)count * sizeof *set.centre);
    set.velocity = malloc((size_t)count * sizeof *set.velocity);
    set.box = malloc((size_t)count * sizeof *set.box);
    for (int32_t i = 0; i < count; ++i) {
        set.centre[i] = set_place(kind, i, count, &random);
        set.velocity[i] = random_unit(&random);
    }
    for (int32_t i = count - 1; i > 0; --i) {
        const int32_t j = (int32_t)(stic_random_bits(&random) % (uint64_t)(i + 1));
        const SticVec3 moved = set.centre[i];
        set.centre[i] = set.centre[j];
        set.centre[j] = moved;
    }
    return set;
}

static inline void set_destroy(BoxSet* set)
{
    free(set->centre);
    free(set->velocity);
    free(set->box);
}

/// Move every box by `share` of its side.
static inline void set_move(BoxSet* set, double share)
{
    const double step = share * set->side;
    for (int32_t i = 0; i < set->count; ++i) {
        set->centre[i].x += step * set->velocity[i].x;
        set->centre[i].y += step * set->velocity[i].y;
        set->centre[i].z += step * set->velocity[i].z;
    }
    set_boxes(set);
}

/// Deal the places anew.
static inline void set_shuffle(BoxSet* set, SticRandom* random)
{
    for (int32_t i = set->count - 1; i > 0; --i) {
        const int32_t j = (int32_t)(stic_random_bits(random) % (uint64_t)(i + 1));
        const SticVec3 moved = set->centre[i];
        set->centre[i] = set->centre[j];
        set->centre[j] = moved;
    }
    set_boxes(set);
}

/// Number of pairs, by the default method.
static inline int64_t set_pairs(const BoxSet* set)
{
    const SticContext context = stic_context_default();
    const SticBroadSettings settings = stic_broad_default_settings();
    SticBroad* broad = NULL;
    SticBroadChanges changes = {0};
    if (stic_broad_create(&context, &settings, &broad, NULL) != STIC_OK)
        return -1;
    for (int32_t i = 0; i < set->count; ++i) {
        int32_t handle = 0;
        const SticBroadItem item = {.box = set->box[i]};
        if (stic_broad_insert(broad, &item, &handle, NULL) != STIC_OK)
            break;
    }
    const SticStatus status = stic_broad_update(broad, NULL, &changes, NULL);
    const int64_t count = status == STIC_OK ? changes.pair_count : -1;
    stic_broad_destroy(broad);
    return count;
}

/// Choose the side, so that a box overlaps `overlaps` others in the mean up to one part in 2000:
/// the number grows about as the cube of the side, by which the next side is chosen inside a
/// bracket.
static inline void set_size(BoxSet* set, double overlaps)
{
    double low = 0.0, high = 8.0 / cbrt((double)set->count);
    set->side = cbrt(overlaps / set->count);
    for (int i = 0; i < 20; ++i) {
        set_boxes(set);
        const double ratio = 2.0 * (double)set_pairs(set) / (overlaps * set->count);
        if (fabs(ratio - 1.0) < 5e-4)
            return;
        if (ratio > 1.0)
            high = set->side;
        else
            low = set->side;
        const double next = ratio > 0.0 ? set->side / cbrt(ratio) : 2.0 * set->side;
        // half of the bracket where the guess leaves it or has not come near after a few steps
        set->side = next > low && next < high && i < 8 ? next : 0.5 * (low + high);
    }
}

#endif
