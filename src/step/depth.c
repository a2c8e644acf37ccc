// SPDX-License-Identifier: Apache-2.0
// How deep bodies lie in each other after a step.
//
// A step moves contacts along the directions of its middle. A body whose surface moves by a part p
// of its size leaves these directions by about p^2 size^2 / (2 R) where something is curved with
// the radius R, or turns: 0.1 % of the size for p = 0.02 and R = size / 4. Corners that took no
// part may arrive first, and overlap by less than p. Pairs of bodies that move further are examined
// again at the end of the step; steps without such bodies cost nothing. Schemes that promise gaps
// learn of every contact that closed in a step without taking part in it, whatever moved.
#include "math/math.h"
#include "step/parts.h"
#include "step/touched.h"
#include "stiction/extend/base.h"
#include "stiction/extend/vec3.h"

#define FAR_PART 0.02
// and below this part it does not move, apart from the rounding of places
#define STILL_PART 1e-12
// weight of the overlap of a contact with restitution, relative to one without
#define BOUNCING 0.1

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
// time at the velocities of either end
static bool find_far(const SticSystem* system, const SticState* const ends[2], double time,
                     double part, uint8_t* far)
{
    bool any = false;
    for (int32_t i = 0; i < system->layout.blocks; ++i) {
        const double own = part * system->size[i], thin = 0.1 * system->thin,
                     least = thin > 0.0 && thin < own ? thin : own;
        far[i] = way_of(system, i, ends[0]->u, time) > least ||
                 way_of(system, i, ends[1]->u, time) > least;
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
        STIC_TRY(system->ops->gap(system, to, contact->part, contact->id, gap));
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
// halves with the step. Pairs that touch already cannot pass each other.
static SticStatus measure_passes(const SticSystem* system, const SticStepRecord* record,
                                 const SticState* const ends[2], SticArena* arena, uint8_t* far,
                                 SticStepInfo* info)
{
    const double h = ends[1]->t - ends[0]->t;
    bool any = false;
    for (int32_t i = 0; i < system->layout.blocks; ++i) {
        far[i] = way_of(system, i, ends[1]->u, h) > system->thin;
        any = any || far[i];
    }
    if (!any || system->thin == 0.0)
        return STIC_OK;
    // after an impact where the step begins, bodies move with the velocities of its end
    const SticReach reach = {.time = h, .u = ends[1]->u, .among = far, .known = &record->set};
    SticSet met;
    STIC_TRY(system->ops->detect(system, ends[0], &reach, arena, &met));
    for (int32_t i = 0; i < met.count; ++i) {
        const double passes = met.interaction[i].passes;
        if (passes > 1.0 && passes > info->depth_part)
            info->depth_part = passes;
    }
    return STIC_OK;
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
    const bool any = sized && find_far(system, ends, time, FAR_PART, far);
    if (fresh && (any || !sized || find_far(system, ends, time, STILL_PART, far)))
        STIC_TRY(measure_new(system, record, ends, any, arena, info));
    else if (any)
        STIC_TRY(measure_far(system, record, ends[1], far, info));
    if (fresh && sized)
        STIC_TRY(measure_passes(system, record, ends, arena, far, info));
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
