// SPDX-License-Identifier: Apache-2.0
// Contacts that a step did not expect.
//
// A step looks for the contacts that bodies can close by their free motion u- + h M^-1 f, or by
// what is left of it if something stops the gain h M^-1 f of either body. Reactions may do more: a
// body is hit and passes on, or a drive pushes it. So after the step, for every body whose velocity
// differs from the free one by more than that gain, in the norm of its mass, the surroundings are
// examined where the next step will look. A pair that overlaps there and took no part is a missed
// contact, and the step is repeated with a search that includes it. Contacts that bounce are left
// to the next step, which sees them as impacts. Cost of a step in which bodies stray: one
// detection.
#include "step/stray.h"

#include <math.h>

#include "problem/mass.h"
#include "step/touched.h"

enum { MOST_ROUNDS = 2 };
// allowance for the error of the solver, which does not make a body stray
#define BEYOND 1.1

static double form(const SticMass* mass, int32_t block, const double* x)
{
    const SticBlockCsr* A = mass->A;
    const int32_t at = A->row_at[block], n = A->row_at[block + 1] - at;
    const double* value = A->value + A->value_at[A->begin[block]];
    double sum = 0.0;
    if (mass->diagonal != NULL) {
        for (int32_t r = 0; r < n; ++r)
            sum += x[r] * mass->diagonal[at + r] * x[r];
        return sum;
    }
    for (int32_t r = 0; r < n; ++r)
        for (int32_t c = 0; c < n; ++c)
            sum += x[r] * value[r * n + c] * x[c];
    return sum;
}

// mark the blocks that stray; `off` [nu] gets u - free
static bool find_strays(const SticMass* mass, const SticLayout* layout,
                        const struct SticStray* stray, const double* u, double* off,
                        uint8_t* strays)
{
    bool any = false;
    for (int32_t c = 0; c < layout->nu; ++c)
        off[c] = u[c] - stray->free[c];
    const double* change = stic_stray_change(stray, stray->added);
    // systems whose mass couples blocks report all of their contacts
    const bool apart = mass->A->begin[mass->A->rows] == mass->A->rows;
    for (int32_t i = 0; apart && i < layout->blocks; ++i) {
        const int32_t at = layout->u_at[i];
        strays[i] = form(mass, i, off + at) > BEYOND * BEYOND * form(mass, i, change + at);
        any = any || strays[i];
    }
    return any;
}

// mark contacts of blocks that stray whose pairs took no part
static SticStatus keep_unknown(SticArena* arena, const SticSet* taken, const SticSet* now,
                               const uint8_t* strays, uint8_t* keep, bool* any)
{
    SticTouched touched;
    STIC_TRY(stic_touched_list(arena, taken, NULL, &touched));
    *any = false;
    for (int32_t i = 0; i < now->count; ++i) {
        const SticInteraction* contact = &now->interaction[i];
        bool concerned = false;
        for (int k = 0; k < 2; ++k)
            concerned = concerned || (contact->block[k] >= 0 && strays[contact->block[k]]);
        keep[i] = contact->level == STIC_LEVEL_CONTACT && !contact->bonded && concerned &&
                  !stic_touched_has(&touched, contact);
        *any = *any || keep[i];
    }
    return STIC_OK;
}

// whether one of these contacts overlaps at a state, and its law would have acted
static SticStatus overlaps(SticStepper* stepper, const SticSystem* system, const SticState* state,
                           const SticSet* set, bool* missed)
{
    SticDirections directions = {.set = *set};
    double* r = NULL;
    STIC_TRY(STIC_TAKE(stepper->arena, &r, set->rows));
    STIC_TRY(stic_directions_prepare(stepper, system, &directions));
    STIC_TRY(stic_directions_measure(stepper, system, state, STIC_WANT_GAP, NULL, &directions));
    stic_parts_warm_start(set, state->memory, r);
    for (int32_t i = 0; i < set->count && !*missed; ++i) {
        const SticInteraction* contact = &set->interaction[i];
        const int32_t row = set->row_at[i];
        const bool bounces = contact->restitution[0] > 0.0 || contact->restitution[1] > 0.0;
        *missed = directions.measures.gap[row] < -contact->slack && (!bounces || r[row] > 0.0);
    }
    return STIC_OK;
}

// whether the end of a step leads into something that took no part; `change` [nu] then tells how
// far to look
static SticStatus find_missed(SticStepper* stepper, const SticSystem* system, const SticState* from,
                              const SticState* to, double* change, bool* missed)
{
    SticArena* arena = stepper->arena;
    const SticLayout* layout = &system->layout;
    const struct SticStray* stray = stepper->stray;
    uint8_t *strays = NULL, *keep = NULL;
    double* off = NULL;
    SticMass mass;
    SticSet now, unknown;
    bool any = false;
    STIC_TRY(STIC_TAKE(arena, &off, layout->nu));
    STIC_TRY(STIC_TAKE(arena, &strays, layout->blocks));
    STIC_TRY(system->ops->mass(system, to, arena, &mass));
    if (!find_strays(&mass, layout, stray, to->u, off, strays))
        return STIC_OK;
    SticState ahead = {to->t + stray->ahead, NULL, to->u, from->memory};
    STIC_TRY(STIC_TAKE(arena, &ahead.q, layout->nq));
    stic_parts_drift(layout, to->q, to->u, stray->ahead, ahead.q);
    const SticReach reach = {.gap = 0.0, .among = strays, .known = &stray->set};
    STIC_TRY(system->ops->detect(system, &ahead, &reach, arena, &now));
    STIC_TRY(STIC_TAKE(arena, &keep, now.count));
    STIC_TRY(keep_unknown(arena, &stray->set, &now, strays, keep, &any));
    if (!any)
        return STIC_OK;
    for (int32_t c = 0; c < layout->nu; ++c)
        change[c] = fabs(off[c]) > fabs(stray->added[c]) ? off[c] : stray->added[c];
    STIC_TRY(stic_parts_keep(arena, &now, keep, &unknown));
    return overlaps(stepper, system, &ahead, &unknown, missed);
}

void stic_stray_note(const SticSet* set, double share, SticStepInfo* info)
{
    for (int32_t i = 0; i < set->count; ++i)
        if (share * set->interaction[i].passes > info->passes)
            info->passes = share * set->interaction[i].passes;
}

SticStatus stic_stray_advance(SticStepper* stepper, const SticSystem* system, const SticState* from,
                              double t_to, SticState* to, SticStepInfo* info)
{
    STIC_ASSERT(from != to);
    STIC_ASSERT(t_to > from->t);
    struct SticStray stray = {.free = NULL};
    double* change = NULL;
    stepper->stray = &stray;
    STIC_TRY(STIC_TAKE(stepper->arena, &change, system->layout.nu));
    const SticArenaMark begin = stic_arena_mark(stepper->arena);
    for (int round = 0;; ++round) {
        bool missed = false;
        STIC_TRY(stepper->scheme->advance(stepper, system, from, t_to, to, info));
        if (round == MOST_ROUNDS || stray.free == NULL)
            return STIC_OK;
        // behind the record that the step has left
        const SticArenaMark end = stic_arena_mark(stepper->arena);
        STIC_TRY(find_missed(stepper, system, from, to, change, &missed));
        stic_arena_rewind(stepper->arena, missed ? begin : end);
        if (!missed)
            return STIC_OK;
        stray = (struct SticStray){.change = change};
        stic_step_info_clear(info);
        stepper->classes->count = 0;
        if (stepper->record != NULL)
            *stepper->record = (SticStepRecord){.filled = false};
    }
}
