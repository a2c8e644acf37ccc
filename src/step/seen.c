// SPDX-License-Identifier: Apache-2.0
// Impulses of a step that is made of many smaller ones, by the ids of interactions.
#include "step/seen.h"

#include "stiction/extend/base.h"

#include <string.h>

static int32_t place_of(const SticSeen* seen, uint64_t id)
{
    int32_t low = 0, high = seen->count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (seen->item[middle].interaction.id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

SticStatus stic_seen_add(SticSeen* seen, const SticSet* set, const double* impulse,
                         const double (*given)[6])
{
    seen->part += 1;
    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* interaction = &set->interaction[i];
        const double* r = impulse + set->row_at[i];
        bool acts = interaction->level != STIC_LEVEL_CONTACT;
        for (int32_t c = 0; c < interaction->rows; ++c)
            acts = acts || r[c] != 0.0;
        for (int c = 0; c < 6; ++c)
            acts = acts || given[i][c] != 0.0;
        if (!acts)
            continue;
        const int32_t at = place_of(seen, interaction->id);
        if (at == seen->count || seen->item[at].interaction.id != interaction->id) {
            STIC_TRY(STIC_RESERVE(&seen->context, &seen->item, &seen->capacity,
                                  (size_t)seen->count + 1));
            for (int32_t k = seen->count++; k > at; --k)
                seen->item[k] = seen->item[k - 1];
            seen->item[at] = (SticSeenItem){.interaction = *interaction};
        }
        SticSeenItem* item = &seen->item[at];
        item->interaction = *interaction;
        item->part = seen->part;
        item->interaction.bound_of = -1;
        if (set->local != NULL)
            memcpy(item->local, set->local[i], sizeof item->local);
        if (set->tangent != NULL) {
            stic_parts_turn(interaction, set->tangent[i], item->tangent, item->impulse);
            memcpy(item->tangent, set->tangent[i], sizeof item->tangent);
        }
        for (int32_t c = 0; c < interaction->rows; ++c)
            item->impulse[c] += r[c];
        for (int c = 0; c < 6; ++c)
            item->given[c] += given[i][c];
    }
    return STIC_OK;
}

// the set of everything that acted; systems measure sets in any order
static SticStatus set_of(const SticSeen* seen, SticArena* arena, SticSet* set, double** impulse,
                         double (**given)[6])
{
    SticInteraction* interaction = NULL;
    int32_t *row_at = NULL, rows = 0;
    double(*local)[12] = NULL, (*tangent)[6] = NULL;
    STIC_TRY(STIC_TAKE(arena, &interaction, seen->count));
    STIC_TRY(STIC_TAKE(arena, &row_at, seen->count + 1));
    STIC_TRY(STIC_TAKE(arena, &local, seen->count));
    STIC_TRY(STIC_TAKE(arena, &tangent, seen->count));
    STIC_TRY(STIC_TAKE(arena, impulse, 6 * (int64_t)seen->count));
    STIC_TRY(STIC_TAKE(arena, given, seen->count));
    for (int32_t k = 0; k < seen->count; ++k) {
        const SticSeenItem* item = &seen->item[k];
        interaction[k] = item->interaction;
        memcpy(local[k], item->local, sizeof local[k]);
        memcpy(tangent[k], item->tangent, sizeof tangent[k]);
        memcpy(*impulse + rows, item->impulse, (size_t)interaction[k].rows * sizeof(double));
        memcpy((*given)[k], item->given, sizeof(*given)[k]);
        row_at[k] = rows;
        rows += interaction[k].rows;
    }
    row_at[seen->count] = rows;
    *set = (SticSet){.count = seen->count,
                     .rows = rows,
                     .interaction = interaction,
                     .row_at = row_at,
                     .local = (const double(*)[12])local,
                     .tangent = (const double(*)[6])tangent};
    return STIC_OK;
}

// Points that wander over curved surfaces are where they are at the end, and not where they would be
// had they stayed on their bodies since the last part began. *moved: there are some.
static SticStatus retrace(const SticSeen* seen, SticArena* arena, const SticSystem* system,
                          const SticState* to, SticSet* set, bool* moved)
{
    SticSet there;
    SticInteraction* interaction = NULL;
    double(*local)[12] = NULL;
    uint8_t* known = NULL;
    *moved = false;
    if (system->ops->retrace == NULL || seen->count == 0)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &known, seen->count));
    STIC_TRY(STIC_TAKE(arena, &interaction, seen->count));
    STIC_TRY(STIC_TAKE(arena, &local, seen->count));
    memset(known, 0, (size_t)seen->count);
    STIC_TRY(system->ops->retrace(system, set, to, arena, &there, known));
    for (int32_t k = 0; k < seen->count; ++k) {
        const bool moves = known[k] && seen->item[k].part == seen->part;
        const SticSet* from = moves ? &there : set;
        interaction[k] = from->interaction[k];
        memcpy(local[k], from->local[k], sizeof local[k]);
        *moved = *moved || moves;
    }
    set->interaction = interaction;
    set->local = (const double(*)[12])local;
    return STIC_OK;
}

SticStatus stic_seen_record(const SticSeen* seen, SticStepper* stepper, const SticSystem* system,
                            double h, SticState* to, SticStepInfo* info)
{
    STIC_ASSERT(h > 0.0);
    const uint32_t want =
        STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_H | (system->speeds ? STIC_WANT_TANGENT : 0u);
    SticDirections d = {0};
    double *impulse = NULL, (*given)[6] = NULL, (*tangent)[6] = NULL;
    bool moved = false;
    STIC_TRY(set_of(seen, stepper->arena, &d.set, &impulse, &given));
    STIC_TRY(stic_directions_prepare(stepper, system, &d));
    STIC_TRY(stic_directions_measure(stepper, system, to, want, NULL, &d));
    tangent = d.measures.tangent;
    STIC_TRY(retrace(seen, stepper->arena, system, to, &d.set, &moved));
    if (moved) {
        memset(&d.measures, 0, sizeof d.measures);
        STIC_TRY(stic_directions_measure(stepper, system, to, want, NULL, &d));
    }
    stic_parts_count(&d, info);
    // features that did not last to the end are no longer where their bodies touch
    info->penetration = info->penetration_part = info->excess = 0.0;
    for (int32_t i = 0; i < d.set.count; ++i)
        if (d.set.interaction[i].level == STIC_LEVEL_CONTACT && seen->item[i].part == seen->part)
            stic_parts_count_depth(&d.set.interaction[i], -d.measures.gap[d.set.row_at[i]], 0.0,
                                   info);
    stic_parts_record(stepper, &d, impulse, to, h);
    if (stepper->record != NULL)
        stepper->record->given = (const double(*)[6])given;
    // bonds are up to the scheme
    STIC_TRY(stic_memory_resize(to->memory, seen->count));
    to->memory->begun = true;
    for (int32_t k = 0; k < seen->count; ++k) {
        SticMemoryRecord record = {.id = seen->item[k].interaction.id};
        memcpy(record.reaction, seen->item[k].impulse, sizeof record.reaction);
        // rows went on with their features to the end
        memcpy(record.tangent, system->speeds ? tangent[k] : (const double*)seen->item[k].tangent,
               sizeof record.tangent);
        to->memory->record[k] = record;
    }
    return STIC_OK;
}

void stic_seen_release(SticSeen* seen)
{
    STIC_RELEASE(&seen->context, seen->item, seen->capacity);
    *seen = (SticSeen){.context = seen->context};
}
