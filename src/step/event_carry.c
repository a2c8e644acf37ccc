// SPDX-License-Identifier: Apache-2.0
// Event-driven scheme: modes from one step of the run to the next.
//
// What happens at an instant must not depend on where steps end. Modes are therefore part of the
// state, in the records of its memory: the next step goes on with them and examines no law anew
// unless something breaks. An event belongs to the half-open interval [t, t + h) that it lies in:
// one at the very end of a step is handled, and reported, where the next one begins, with the modes
// before it. Modes that do not fit the velocities (somebody changed the state) are not taken over;
// then velocities show what was before, as at the start of a run.
#include <math.h>
#include <string.h>

#include "step/event.h"
#include "stiction/extend/base.h"
#include "stiction/extend/law.h"
#include "stiction/extend/math.h"

// Code of a mode in deviation[0] of a record, above what other schemes leave there; the directions
// of slips follow as angles.
enum { CODE = 32, SLIDES = 1, SLIDES_SECOND = 2, IDLE = 4, PENDING = 8, PARTED = 16 };

// part of the velocities by which a smooth step may leave its conditions, in its tolerances
#define DRIFT 10.0

static bool read_mode(const SticMemoryRecord* record, SticEventContact* contact, bool* pending)
{
    const double code = record->deviation[0];
    if (!(code >= CODE && code < 2 * CODE && floor(code) == code))
        return false;
    const int bits = (int)code - CODE;
    *contact = (SticEventContact){.id = record->id,
                                  .block = {-1, -1},
                                  .part = {-1, -1},
                                  .phase = bits & PARTED ? STIC_PHASE_OPEN : STIC_PHASE_CLOSED,
                                  .parted = (bits & PARTED) != 0,
                                  .slides = {(bits & SLIDES) != 0, (bits & SLIDES_SECOND) != 0},
                                  .idle = (bits & IDLE) != 0};
    memcpy(contact->tangent, record->tangent, sizeof contact->tangent);
    for (int g = 0; g < STIC_EVENT_GROUPS; ++g)
        if (contact->slides[g])
            stic_sincos(record->deviation[1 + g], &contact->direction[g][1],
                        &contact->direction[g][0]);
    *pending = (bits & PENDING) != 0;
    return true;
}

void stic_event_turn_mode(const SticSet* set, int32_t i, SticEventContact* contact)
{
    SticEventLaw law;
    double rows[STIC_SET_DIM] = {0.0};
    // grains do not turn in their surfaces
    if (set->tangent == NULL || set->interaction[i].law == STIC_LAW_CONE_ELLIPSE ||
        stic_event_law(&set->interaction[i], &law) != STIC_OK)
        return;
    for (int32_t g = 0; g < law.groups; ++g)
        memcpy(rows + law.first[g], contact->direction[g],
               (size_t)law.rows[g] * sizeof contact->direction[g][0]);
    stic_parts_turn(&set->interaction[i], set->tangent[i], contact->tangent, rows);
    for (int32_t g = 0; g < law.groups; ++g)
        memcpy(contact->direction[g], rows + law.first[g],
               (size_t)law.rows[g] * sizeof contact->direction[g][0]);
    memcpy(contact->tangent, set->tangent[i], sizeof contact->tangent);
}

SticStatus stic_event_take_modes(SticEventMotion* m, const SticMemory* memory, bool* event)
{
    SticEventOwn* own = m->own;
    bool pending = false;
    own->modes = 0;
    STIC_TRY(STIC_RESERVE(&own->context, &own->mode, &own->mode_capacity, (size_t)memory->count));
    for (int32_t k = 0; k < memory->count; ++k)
        if (read_mode(&memory->record[k], &own->mode[own->modes], &pending))
            own->modes += 1;
    m->carried = own->modes > 0;
    // that nothing was closed is known, too, but for the start of a run
    m->told = m->carried || (memory->begun && !m->stepper->bonded);
    *event = !m->carried || pending;
    return STIC_OK;
}

static void write_mode(const SticEventContact* contact, bool pending, SticMemoryRecord* record)
{
    const int bits = (contact->slides[0] ? SLIDES : 0) | (contact->slides[1] ? SLIDES_SECOND : 0) |
                     (contact->idle ? IDLE : 0) | (pending ? PENDING : 0) |
                     (contact->parted ? PARTED : 0);
    record->deviation[0] = CODE + bits;
    for (int g = 0; g < STIC_EVENT_GROUPS; ++g)
        record->deviation[1 + g] =
            contact->slides[g] ? stic_atan2(contact->direction[g][1], contact->direction[g][0])
                               : 0.0;
}

// what the next call must know: modes of closed contacts, and which have just opened
static bool is_left(const SticEventContact* mode)
{
    return mode->phase != STIC_PHASE_OPEN || mode->parted;
}

SticStatus stic_event_leave_modes(const SticEventMotion* m, bool pending, SticMemory* memory)
{
    const SticEventOwn* own = m->own;
    // contacts that are closed without a force have no record yet
    int32_t count = memory->count, left = memory->count;
    for (int32_t k = 0; k < own->modes; ++k)
        count +=
            is_left(&own->mode[k]) && stic_memory_find(memory, own->mode[k].id) == NULL ? 1 : 0;
    STIC_TRY(stic_memory_resize(memory, count));
    // merged from the end, both by ascending id
    for (int32_t k = own->modes - 1, to = count - 1; k >= 0; --k) {
        const SticEventContact* mode = &own->mode[k];
        if (!is_left(mode))
            continue;
        while (left > 0 && memory->record[left - 1].id > mode->id)
            memory->record[to--] = memory->record[--left];
        SticMemoryRecord record = {.id = mode->id};
        memcpy(record.tangent, mode->tangent, sizeof record.tangent);
        if (left > 0 && memory->record[left - 1].id == mode->id)
            record = memory->record[--left];
        write_mode(mode, pending, &record);
        memory->record[to--] = record;
    }
    return STIC_OK;
}

/* ---- whether they fit ---- */

// part of a call over which one looks back from its beginning
#define BACK 1e-4

// interactions a moment before the state, including contacts that end at it
static SticStatus look_back(SticEventMotion* m, const SticState* state, SticSet* set)
{
    const SticLayout* layout = &m->system->layout;
    SticArena* arena = m->stepper->arena;
    const double dt = BACK * m->length;
    double *q = NULL, *rate = NULL;
    STIC_TRY(STIC_TAKE(arena, &q, layout->nq));
    STIC_TRY(STIC_TAKE(arena, &rate, layout->nq));
    stic_system_rate(m->system, state, rate);
    for (int32_t c = 0; c < layout->nq; ++c)
        q[c] = state->q[c] - dt * rate[c];
    for (int32_t i = 0; i < layout->blocks; ++i)
        stic_chart_normalize((SticChart)layout->chart[i], q + layout->q_at[i]);
    const SticState before = {state->t - dt, q, state->u, state->memory};
    const SticReach reach = {.gap = 1e3 * m->settings->gap + m->push * dt * dt};
    return m->system->ops->detect(m->system, &before, &reach, arena, set);
}

SticStatus stic_event_complete_modes(SticEventMotion* m, const SticState* state, bool* changed)
{
    SticEventOwn* own = m->own;
    SticSet past = {.count = 0};
    bool looked = false;
    int32_t left = 0;
    for (int32_t k = 0; k < own->modes; ++k) {
        const SticSet* set = &m->list.set;
        int32_t i = stic_event_find(set, own->mode[k].id);
        if (i < 0 && !own->mode[k].parted) {
            *changed = true;
            if (!looked)
                STIC_TRY(look_back(m, state, &past));
            looked = true;
            set = &past;
            i = stic_event_find(set, own->mode[k].id);
        }
        if (i < 0)
            continue;
        const SticInteraction* interaction = &set->interaction[i];
        const SticEventContact bare =
            stic_event_contact(interaction, stic_event_unilateral(interaction) ? STIC_PHASE_CLOSED
                                                                               : STIC_PHASE_ALWAYS);
        SticEventContact mode = own->mode[k];
        memcpy(mode.block, bare.block, sizeof mode.block);
        memcpy(mode.part, bare.part, sizeof mode.part);
        mode.phase = mode.parted ? STIC_PHASE_OPEN : bare.phase;
        own->mode[left++] = mode;
    }
    own->modes = left;
    return STIC_OK;
}

bool stic_event_modes_fit(SticEventMotion* m, const SticEventInstant* now)
{
    const SticSet* set = &now->all.set;
    // rounding[] holds 64 roundings of velocities
    const double drift = DRIFT * m->settings->tolerance / (64.0 * 2.220446049250313e-16);
    for (int32_t i = 0; i < set->count; ++i) {
        const double* gamma = now->gamma + set->row_at[i];
        const double none = stic_event_more(stic_event_velocity(m, i), drift * m->rounding[i]);
        SticEventContact* contact = &m->contact[i];
        SticEventLaw law;
        if (contact->phase == STIC_PHASE_OPEN ||
            stic_event_law(&set->interaction[i], &law) != STIC_OK)
            continue;
        if (law.normal && fabs(gamma[0]) > none)
            return false;
        for (int32_t g = 0; g < law.groups; ++g) {
            const double speed = stic_event_size(&law, g, gamma);
            if (!contact->slides[g] && speed > none)
                return false;
            // a slip has the direction of its velocity, or its own where that velocity is rounding
            double along = 0.0;
            for (int k = 0; k < law.rows[g]; ++k)
                along += gamma[law.first[g] + k] * contact->direction[g][k];
            if (contact->slides[g] && along < 0.0 && speed > none)
                return false;
        }
    }
    return true;
}
