// SPDX-License-Identifier: Apache-2.0
// How deep bodies lie in each other after a step.
//
// A step moves contacts along the directions of its middle. A body whose surface moves by a part p
// of its size in it leaves them by about p^2 size^2 / (2 R) where something is curved with the
// radius R, or turns. With R = size / 4 that is below 0.5 % of the size for p < 0.05; only what
// moves further is looked at, where the step ends. Cost of a step without: none.
#include <string.h>

#include "step/parts.h"
#include "stiction/math.h"

#define FAR_PART 0.05

// how far the surface of a block moves in a time
static double way_of(const SticSystem* system, int32_t block, const double* velocities, double time)
{
    const SticLayout* layout = &system->layout;
    const double* u = velocities + layout->u_at[block];
    const bool turns = layout->chart[block] == STIC_CHART_ROTATION ||
                       layout->chart[block] == STIC_CHART_QUATERNION;
    const double spin = turns ? stic_vec3_norm(stic_vec3_load(u + 3)) : 0.0;
    return time * (stic_vec3_norm(stic_vec3_load(u)) + 0.5 * system->size[block] * spin);
}

// blocks with contacts that move far in a time at the velocities of either end
static bool find_far(const SticSystem* system, const SticSet* set, const SticState* const ends[2],
                     double time, uint8_t* far)
{
    bool any = false;
    memset(far, 0, (size_t)system->layout.blocks);
    for (int32_t i = 0; i < 2 * set->count; ++i) {
        const int32_t block = set->interaction[i / 2].block[i % 2];
        if (set->interaction[i / 2].level != STIC_LEVEL_CONTACT || block < 0 || far[block])
            continue;
        for (int k = 0; k < 2 && !far[block]; ++k)
            far[block] = way_of(system, block, ends[k]->u, time) > FAR_PART * system->size[block];
        any = any || far[block];
    }
    return any;
}

// What bounces overlaps until its impact, and leaves by and by; only what keeps being pressed
// counts.
static bool is_pressed(const SticStepRecord* record, uint64_t id)
{
    const int32_t i = stic_parts_find(&record->set, id);
    const int32_t row = i >= 0 ? record->set.row_at[i] : 0;
    return i >= 0 && record->last != NULL && record->last[row] > 0.0 && record->r[row] > 0.0;
}

static bool concerns(const SticInteraction* contact, const uint8_t* far,
                     const SticStepRecord* record)
{
    bool concerned = false;
    for (int k = 0; k < 2; ++k)
        concerned = concerned || (contact->block[k] >= 0 && far[contact->block[k]]);
    return concerned && contact->level == STIC_LEVEL_CONTACT && contact->size > 0.0 &&
           (contact->restitution[0] == 0.0 || is_pressed(record, contact->id));
}

SticStatus stic_step_depth(SticStepper* stepper, const SticSystem* system, const SticState* from,
                           const SticState* to, double time, SticStepInfo* info)
{
    const SticStepRecord* record = stepper->record;
    SticArena* arena = stepper->arena;
    uint8_t* far = NULL;
    SticSet set;
    info->depth_part = 0.0;
    if (record == NULL || !record->filled || system->size == NULL)
        return STIC_OK;
    // behind the record that the step has left in the arena
    const SticArenaMark mark = stic_arena_mark(arena);
    STIC_TRY(STIC_TAKE(arena, &far, system->layout.blocks));
    if (find_far(system, &record->set, (const SticState*[]){from, to}, time, far)) {
        SticMeasures measures = {.want = STIC_WANT_GAP};
        STIC_TRY(system->ops->detect(system, to, &(SticReach){.gap = 0.0}, arena, &set));
        STIC_TRY(STIC_TAKE(arena, &measures.gap, set.rows));
        STIC_TRY(system->ops->measure(system, &set, to, &measures));
        for (int32_t i = 0; i < set.count; ++i) {
            const SticInteraction* contact = &set.interaction[i];
            const double depth = -measures.gap[set.row_at[i]];
            if (concerns(contact, far, record) && depth > info->depth_part * contact->size)
                info->depth_part = depth / contact->size;
        }
    }
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}
