// SPDX-License-Identifier: Apache-2.0
// How deep bodies lie in each other after a step.
//
// A step moves contacts along the directions of its middle. A body whose surface moves by a part p
// of its size leaves these directions by about p^2 size^2 / (2 R) where something is curved with
// the radius R, or turns: 0.1 % of the size for p = 0.02 and R = size / 4. Corners that took no
// part may arrive first, and overlap by less than p. Pairs of bodies that move further are examined
// again at the end of the step; steps without such bodies cost nothing. Schemes that promise gaps
// learn of every contact that closed in a step without taking part in it, whatever moved.
#include <math.h>
#include <string.h>

#include "body/body.h"
#include "math/math.h"
#include "step/parts.h"
#include "step/touched.h"
#include "stiction/extend/base.h"
#include "stiction/extend/vec3.h"

#define FAR_PART 0.02
// and below this part it does not move, apart from the rounding of places
#define STILL_PART 1e-12
// places of a pair that are looked at in a step, which has at most half as many parts
#define MOST_PLACES 2048.0
// weight of the overlap of a contact with restitution, relative to one without
#define BOUNCING 0.1

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double spin_of(const SticLayout* layout, int32_t block, const double* velocities)
{
    const SticChart chart = (SticChart)layout->chart[block];
    const bool turns = chart == STIC_CHART_ROTATION || chart == STIC_CHART_QUATERNION ||
                       chart == STIC_CHART_SCALABLE;
    // the last three of its velocities
    return turns ? stic_vec3_norm(stic_vec3_load(velocities + layout->u_at[block + 1] - 3)) : 0.0;
}

// how far the surface of a block moves in a time
static double way_of(const SticSystem* system, int32_t block, const double* velocities, double time)
{
    const double speed = stic_vec3_norm(stic_vec3_load(velocities + system->layout.u_at[block]));
    return time * (speed + 0.5 * system->size[block] * spin_of(&system->layout, block, velocities));
}

// the larger angle that the two bodies of a contact turn by in a time
static double turn_of(const SticSystem* system, const SticInteraction* contact,
                      const SticState* state, double time)
{
    double most = 0.0;
    for (int k = 0; k < 2; ++k) {
        if (contact->block[k] < 0)
            continue;
        const double own = time * spin_of(&system->layout, contact->block[k], state->u);
        most = own > most ? own : most;
    }
    return most;
}

// blocks that move by a part of their size, or by a tenth of what is inside the thinnest shape, in a
// time at the velocities of either end, while what is prescribed comes nearer by `swept`
static bool find_far(const SticSystem* system, const SticState* const ends[2], double time,
                     double part, double swept, uint8_t* far)
{
    bool any = false;
    for (int32_t i = 0; i < system->layout.blocks; ++i) {
        const double own = part * system->size[i], thin = 0.1 * system->thin,
                     least = thin > 0.0 && thin < own ? thin : own;
        far[i] = way_of(system, i, ends[0]->u, time) + swept > least ||
                 way_of(system, i, ends[1]->u, time) + swept > least;
        any = any || far[i];
    }
    return any;
}

// whether a contact is to be looked at again
static bool concerns(const SticStepRecord* record, int32_t i, const uint8_t* far)
{
    const SticInteraction* contact = &record->set.interaction[i];
    const int32_t row = record->set.row_at[i];
    bool concerned = false;
    for (int k = 0; k < 2; ++k)
        concerned = concerned || (contact->block[k] >= 0 && far[contact->block[k]]);
    // a bouncing contact overlaps until its impact and parts gradually; only one that keeps being
    // pressed counts
    const bool counts = contact->restitution[0] == 0.0 ||
                        (record->last != NULL && record->last[row] > 0.0 && record->r[row] > 0.0);
    return concerned && counts && contact->level == STIC_LEVEL_CONTACT && !contact->bonded &&
           contact->size > 0.0;
}

// the deepest overlap of the pairs that moved far
static SticStatus measure_far(const SticSystem* system, const SticStepRecord* record,
                              const SticState* to, const uint8_t* far, SticStepInfo* info)
{
    const SticInteraction* looked = NULL;
    for (int32_t i = 0; i < record->set.count; ++i) {
        const SticInteraction* contact = &record->set.interaction[i];
        double gap[2];
        if (!concerns(record, i, far) || (looked != NULL && looked->part[0] == contact->part[0] &&
                                          looked->part[1] == contact->part[1]))
            continue;
        looked = contact;
        STIC_TRY(system->ops->gap(system, to, contact->part, contact->id, false, gap));
        if (-gap[1] > info->depth_part * contact->size) {
            info->depth_part = -gap[1] / contact->size;
            info->depth_turn = turn_of(system, contact, to, record->h);
        }
    }
    return STIC_OK;
}

// gaps of the contacts of a set at a state
static SticStatus gaps_of(const SticSystem* system, const SticSet* set, const SticState* state,
                          SticArena* arena, const double** gap)
{
    SticMeasures measures = {.want = STIC_WANT_GAP};
    STIC_TRY(STIC_TAKE(arena, &measures.gap, set->rows));
    STIC_TRY(system->ops->measure(system, set, state, &measures));
    *gap = measures.gap;
    return STIC_OK;
}

// What overlaps are a part of: the size of the smaller body, or ten times the radius of the ball that
// fits into the thinner one where it is a plate or a rod
static double measure_of(const SticInteraction* contact)
{
    const double thick = 10.0 * contact->thin;
    return thick > 0.0 && thick < contact->size ? thick : contact->size;
}

// How much deeper a contact is than its pair was at the beginning of the step. A bouncing contact
// parts again: it is allowed ten times as much.
static double deeper_by(const SticInteraction* contact, double depth, const SticTouched* touched)
{
    if (contact->level != STIC_LEVEL_CONTACT || contact->bonded || !(contact->size > 0.0))
        return 0.0;
    const double before = stic_touched_depth(touched, contact);
    return (depth - before) / measure_of(contact) *
           (contact->restitution[0] > 0.0 ? BOUNCING : 1.0);
}

// By how much contacts of the end that took no part in the step grew deeper, each compared with the
// same features at the beginning. The scheme knows those that took part
static SticStatus measure_closed(const SticSystem* system, const SticStepRecord* record,
                                 const SticState* const ends[2], const SticSet* now,
                                 SticArena* arena, SticStepInfo* info)
{
    const SticState* from = ends[0];
    SticSet then = *now;
    const double *before = NULL, *gap = NULL;
    uint8_t* known = NULL;
    STIC_TRY(STIC_TAKE(arena, &known, now->count));
    if (system->ops->retrace != NULL && now->count > 0)
        STIC_TRY(system->ops->retrace(system, now, from, arena, &then, known));
    STIC_TRY(gaps_of(system, &then, from, arena, &before));
    STIC_TRY(gaps_of(system, now, ends[1], arena, &gap));
    for (int32_t i = 0; i < now->count; ++i) {
        const SticInteraction* contact = &now->interaction[i];
        const int32_t row = now->row_at[i];
        if (contact->level != STIC_LEVEL_CONTACT || contact->bonded ||
            stic_parts_find(&record->set, contact->id) >= 0)
            continue;
        const double grown = (before[row] < 0.0 ? before[row] : 0.0) - gap[row];
        if (grown > info->violation[STIC_PROMISE_GAP])
            info->violation[STIC_PROMISE_GAP] = grown;
    }
    return STIC_OK;
}

// For schemes that find contacts where they overlap, and keep the overlap: by how much the end of a
// step is deeper than its beginning. Contacts of the step do not grow deeper, others of a pair may:
// the corners of a box that tumbles. `far`: something moved far enough for parts of a step
static SticStatus measure_new(const SticSystem* system, const SticStepRecord* record,
                              const SticState* const ends[2], bool far, SticArena* arena,
                              SticStepInfo* info)
{
    const SticReach reach = {.gap = 0.0};
    SticSet now;
    SticTouched touched;
    const double* gap[2] = {NULL, NULL};
    STIC_TRY(system->ops->detect(system, ends[1], &reach, arena, &now));
    STIC_TRY(measure_closed(system, record, ends, &now, arena, info));
    if (!far)
        return STIC_OK;
    STIC_TRY(gaps_of(system, &record->set, ends[0], arena, &gap[0]));
    STIC_TRY(gaps_of(system, &now, ends[1], arena, &gap[1]));
    STIC_TRY(stic_touched_list(arena, &record->set, gap[0], &touched));
    for (int32_t i = 0; i < now.count; ++i) {
        const SticInteraction* contact = &now.interaction[i];
        const double part = deeper_by(contact, -gap[1][now.row_at[i]], &touched);
        if (!(part > info->depth_part))
            continue;
        info->depth_part = part;
        info->depth_turn = turn_of(system, contact, ends[1], record->h);
    }
    return STIC_OK;
}

// Bodies that may be through a thin one before they are found in it: as a part beyond any limit, which
// halves with the step
static SticStatus measure_passes(const SticSystem* system, const SticStepRecord* record,
                                 const SticState* const ends[2], const uint8_t* far,
                                 SticArena* arena, SticStepInfo* info)
{
    const double h = ends[1]->t - ends[0]->t;
    // after an impact where the step begins, bodies move with the velocities of its end
    const SticReach reach = {.time = h, .u = ends[1]->u, .among = far, .known = &record->set};
    SticSet met;
    STIC_TRY(system->ops->detect(system, ends[0], &reach, arena, &met));
    for (int32_t i = 0; i < met.count; ++i) {
        const double passes = met.interaction[i].passes;
        if (!(passes > 1.0 && passes > info->depth_part))
            continue;
        info->depth_part = passes;
        info->depth_turn = larger(passes, turn_of(system, &met.interaction[i], ends[1], h));
    }
    return STIC_OK;
}

// a pair of bodies on its way to the end of a step
typedef struct Way {
    const SticInteraction* contact;
    const SticState* end;
    double* q;        // [nq] coordinates of the end but for those of the pair
    double time, way; // from the beginning to the end
} Way;

// the least gap of the pair some time before the end
static SticStatus gap_before(const SticSystem* system, const Way* way, double time, double* least)
{
    const SticLayout* layout = &system->layout;
    const SticState then = {way->end->t - time, way->q, way->end->u, way->end->memory};
    double gap[2];
    for (int k = 0; k < 2; ++k) {
        const int32_t i = way->contact->block[k];
        if (i >= 0)
            stic_chart_drift((SticChart)layout->chart[i], layout->u_at[i + 1] - layout->u_at[i],
                             way->end->q + layout->q_at[i], way->end->u + layout->u_at[i], -time,
                             way->q + layout->q_at[i]);
    }
    STIC_TRY(system->ops->gap(system, &then, way->contact->part, way->contact->id, false, gap));
    *least = gap[1];
    return STIC_OK;
}

// places on the way that are half of the thickness apart, from the end backwards, until one is deeper
// than that: what goes through is so somewhere, and arcs between contacts that keep their gaps are not
static SticStatus look_back(const SticSystem* system, const Way* way, const SticTouched* touched,
                            SticStepInfo* info)
{
    const double half = 0.5 * way->contact->thin, most = ceil(way->way / half),
                 count = most < MOST_PLACES ? most : MOST_PLACES,
                 before = stic_touched_depth(touched, way->contact);
    bool found = false;
    for (double k = 0.0; k < count && !found; ++k) {
        double least = 0.0;
        STIC_TRY(gap_before(system, way, way->time * k / count, &least));
        const double part = deeper_by(way->contact, -least, touched);
        found = -least - before > half && part > info->depth_part;
        if (!found)
            continue;
        info->depth_part = part;
        info->depth_turn = way->way / way->contact->thin;
    }
    for (int k = 0; k < 2; ++k) {
        const int32_t i = way->contact->block[k];
        if (i >= 0)
            memcpy(way->q + system->layout.q_at[i], way->end->q + system->layout.q_at[i],
                   (size_t)(system->layout.q_at[i + 1] - system->layout.q_at[i]) * sizeof *way->q);
    }
    return STIC_OK;
}

// Pairs that touch pass each other with their other features: the other end of a plate that falls on
// a corner goes through another one, or a surface without a volume, and out of it within a step
static SticStatus measure_ways(const SticSystem* system, const SticStepRecord* record,
                               const SticState* const ends[2], double swept, SticArena* arena,
                               SticStepInfo* info)
{
    const double h = ends[1]->t - ends[0]->t;
    Way way = {.end = ends[1], .time = h};
    SticTouched touched;
    const double* gap = NULL;
    STIC_TRY(STIC_TAKE(arena, &way.q, system->layout.nq));
    memcpy(way.q, ends[1]->q, (size_t)system->layout.nq * sizeof *way.q);
    STIC_TRY(gaps_of(system, &record->set, ends[0], arena, &gap));
    STIC_TRY(stic_touched_list(arena, &record->set, gap, &touched));
    for (int32_t i = 0; i < record->set.count; ++i) {
        const SticInteraction *contact = &record->set.interaction[i], *last = way.contact;
        if (contact->level != STIC_LEVEL_CONTACT || contact->bonded || !(contact->thin > 0.0) ||
            (last != NULL && last->part[0] == contact->part[0] &&
             last->part[1] == contact->part[1]))
            continue;
        way.contact = contact;
        way.way = 0.0;
        for (int k = 0; k < 2; ++k)
            way.way += contact->block[k] >= 0   ? way_of(system, contact->block[k], ends[1]->u, h)
                       : contact->block[k] < -1 ? swept
                                                : 0.0;
        if (way.way > contact->thin && isfinite(way.way))
            STIC_TRY(look_back(system, &way, &touched, info));
    }
    return STIC_OK;
}

// what bodies may have gone through, if some move further than the thinnest is thick
static SticStatus measure_thin(const SticSystem* system, const SticStepRecord* record,
                               const SticState* const ends[2], double swept, SticArena* arena,
                               SticStepInfo* info)
{
    const double h = ends[1]->t - ends[0]->t;
    uint8_t* far = NULL;
    bool any = false;
    STIC_TRY(STIC_TAKE(arena, &far, system->layout.blocks));
    for (int32_t i = 0; i < system->layout.blocks; ++i) {
        far[i] = way_of(system, i, ends[1]->u, h) + swept > system->thin;
        any = any || far[i];
    }
    if (!any || system->thin == 0.0)
        return STIC_OK;
    STIC_TRY(measure_passes(system, record, ends, far, arena, info));
    return system->ops->gap == NULL ? STIC_OK
                                    : measure_ways(system, record, ends, swept, arena, info);
}

// `fresh`: all contacts of the end, else those of the step
static SticStatus look(SticStepper* stepper, const SticSystem* system,
                       const SticState* const ends[2], double time, bool fresh, SticStepInfo* info)
{
    const SticStepRecord* record = stepper->record;
    SticArena* arena = stepper->arena;
    uint8_t* far = NULL;
    info->depth_part = info->depth_turn = 0.0;
    // systems that are not bodies have no sizes to move by
    const bool sized = system->size != NULL;
    if (record == NULL || !record->filled || (!fresh && (!sized || system->ops->gap == NULL)))
        return STIC_OK;
    // after the record that the step left in the arena
    const SticArenaMark mark = stic_arena_mark(arena);
    STIC_TRY(STIC_TAKE(arena, &far, system->layout.blocks));
    double swept = 0.0;
    if (fresh && sized && system->ops->sweep != NULL)
        STIC_TRY(system->ops->sweep(system, ends[0]->t, ends[1]->t, &swept));
    const bool any = sized && find_far(system, ends, time, FAR_PART, swept, far);
    if (fresh && (any || !sized || find_far(system, ends, time, STILL_PART, swept, far)))
        STIC_TRY(measure_new(system, record, ends, any, arena, info));
    else if (any)
        STIC_TRY(measure_far(system, record, ends[1], far, info));
    if (fresh && sized)
        STIC_TRY(measure_thin(system, record, ends, swept, arena, info));
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

SticStatus stic_step_depth(SticStepper* stepper, const SticSystem* system, const SticState* from,
                           const SticState* to, double time, SticStepInfo* info)
{
    STIC_ASSERT(time >= 0.0);
    return look(stepper, system, (const SticState* const[]){from, to}, time, false, info);
}

SticStatus stic_step_meet(SticStepper* stepper, const SticSystem* system, const SticState* from,
                          const SticState* to, double time, SticStepInfo* info)
{
    STIC_ASSERT(time >= 0.0);
    return look(stepper, system, (const SticState* const[]){from, to}, time, true, info);
}
