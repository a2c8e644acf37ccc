// SPDX-License-Identifier: Apache-2.0
// States: time, coordinates, velocities and the memory of interactions.
#include "stiction/extend/system.h"

#include <math.h>
#include <string.h>

#include "body/body.h"
#include "math/math.h"
#include "stiction/extend/base.h"

SticStatus stic_state_create(const SticContext* context, const SticLayout* layout,
                             SticState** state)
{
    context = stic_context_given(context);
    STIC_ASSERT(layout != NULL);
    STIC_ASSERT(state != NULL);
    SticState* made = NULL;
    *state = NULL;
    STIC_TRY(STIC_ALLOCATE(context, &made, 1));
    SticStatus status = STIC_ALLOCATE(context, &made->memory, 1);
    if (status == STIC_OK) {
        made->memory->context = *context;
        // one number more: a system without coordinates has an array all the same
        status = STIC_ALLOCATE(context, &made->q, layout->nq + 1);
    }
    if (status == STIC_OK)
        status = STIC_ALLOCATE(context, &made->u, layout->nu + 1);
    if (status == STIC_OK && layout->turns > 0)
        status = STIC_ALLOCATE(context, &made->memory->turn, layout->turns);
    if (status != STIC_OK) {
        if (made->memory != NULL) {
            STIC_RELEASE(context, made->u, layout->nu + 1);
            STIC_RELEASE(context, made->q, layout->nq + 1);
            STIC_RELEASE(context, made->memory, 1);
        }
        STIC_RELEASE(context, made, 1);
        return status;
    }
    for (int32_t i = 0; i < layout->blocks; ++i)
        stic_chart_identity((SticChart)layout->chart[i], made->q + layout->q_at[i]);
    *state = made;
    return STIC_OK;
}

void stic_state_destroy(SticState* state, const SticLayout* layout)
{
    if (state == NULL)
        return;
    const SticContext context = state->memory->context;
    STIC_RELEASE(&context, state->memory->record, state->memory->capacity);
    STIC_RELEASE(&context, state->memory->bond, state->memory->bond_capacity);
    STIC_RELEASE(&context, state->memory->turn, layout->turns);
    STIC_RELEASE(&context, state->memory, 1);
    STIC_RELEASE(&context, state->q, layout->nq + 1);
    STIC_RELEASE(&context, state->u, layout->nu + 1);
    STIC_RELEASE(&context, state, 1);
}

SticStatus stic_memory_resize(SticMemory* memory, int32_t count)
{
    STIC_ASSERT(memory != NULL);
    STIC_TRY(STIC_RESERVE(&memory->context, &memory->record, &memory->capacity, count));
    memory->count = count;
    return STIC_OK;
}

SticStatus stic_memory_resize_bonds(SticMemory* memory, int32_t count)
{
    STIC_ASSERT(memory != NULL);
    STIC_TRY(STIC_RESERVE(&memory->context, &memory->bond, &memory->bond_capacity, count));
    memory->bonds = count;
    return STIC_OK;
}

void stic_memory_copy_turns(const SticLayout* layout, const SticMemory* from, SticMemory* to)
{
    STIC_ASSERT(layout != NULL);
    STIC_ASSERT(from != NULL);
    STIC_ASSERT(to != NULL);
    if (layout->turns > 0)
        memcpy(to->turn, from->turn, (size_t)layout->turns * sizeof *to->turn);
}

SticStatus stic_state_copy(const SticLayout* layout, const SticState* from, SticState* to)
{
    STIC_ASSERT(layout != NULL);
    STIC_ASSERT(from != NULL);
    STIC_ASSERT(to != NULL);
    STIC_TRY(stic_memory_resize(to->memory, from->memory->count));
    STIC_TRY(stic_memory_resize_bonds(to->memory, from->memory->bonds));
    if (from->memory->bonds > 0)
        memcpy(to->memory->bond, from->memory->bond,
               (size_t)from->memory->bonds * sizeof *from->memory->bond);
    if (from->memory->count > 0)
        memcpy(to->memory->record, from->memory->record,
               (size_t)from->memory->count * sizeof *from->memory->record);
    stic_memory_copy_turns(layout, from->memory, to->memory);
    to->memory->begun = from->memory->begun;
    to->t = from->t;
    memcpy(to->q, from->q, (size_t)layout->nq * sizeof *to->q);
    memcpy(to->u, from->u, (size_t)layout->nu * sizeof *to->u);
    return STIC_OK;
}

uint64_t stic_state_hash(const SticLayout* layout, const SticState* state)
{
    STIC_ASSERT(layout != NULL);
    STIC_ASSERT(state != NULL);
    uint64_t hash = stic_hash_doubles(0, &state->t, 1);
    hash = stic_hash_doubles(hash, state->q, (size_t)layout->nq);
    hash = stic_hash_doubles(hash, state->u, (size_t)layout->nu);
    hash = stic_hash_bytes(hash, &state->memory->begun, sizeof state->memory->begun);
    for (int32_t i = 0; i < state->memory->count; ++i) {
        const SticMemoryRecord* record = &state->memory->record[i];
        hash = stic_hash_bytes(hash, &record->id, sizeof record->id);
        hash = stic_hash_doubles(hash, record->reaction, 6);
        hash = stic_hash_doubles(hash, record->tangent, 3);
        // included only where there are some: schemes without them keep their hashes
        if (record->deviation[0] != 0.0 || record->deviation[1] != 0.0 ||
            record->deviation[2] != 0.0)
            hash = stic_hash_doubles(hash, record->deviation, 3);
    }
    for (int32_t i = 0; i < state->memory->bonds; ++i) {
        const SticBond* bond = &state->memory->bond[i];
        hash = stic_hash_bytes(hash, &bond->id, sizeof bond->id);
        hash = stic_hash_doubles(hash, bond->local, 12);
        hash = stic_hash_doubles(hash, &bond->cohesion, 1);
        hash = stic_hash_bytes(hash, &bond->slid, sizeof bond->slid);
    }
    // angles are those of the coordinates but for whole turns
    for (int32_t i = 0; i < layout->turns; ++i) {
        const double turns = floor(state->memory->turn[i].angle / (2.0 * STIC_PI) + 0.5);
        if (turns != 0.0)
            hash = stic_hash_doubles(stic_hash_bytes(hash, &i, sizeof i), &turns, 1);
    }
    return hash;
}

int32_t stic_memory_first(const SticMemory* memory, uint64_t id)
{
    int32_t low = 0, high = memory->count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (memory->record[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const SticMemoryRecord* stic_memory_find(const SticMemory* memory, uint64_t id)
{
    const int32_t k = stic_memory_first(memory, id);
    return k < memory->count && memory->record[k].id == id ? &memory->record[k] : NULL;
}
