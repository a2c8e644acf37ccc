// SPDX-License-Identifier: Apache-2.0
// Contacts that leave their features before they close.
//
// Planes that contacts are frozen with have no ends. A corner of a body that tips over the edge of a
// table meets the level of the table where it leaves it, with an approach, and hits nothing: convex
// bodies are apart as long as one of their gaps is not negative, and here that of the edge is closed.
// A law that brakes what approaches, or stops it where it closes, would strike the corner all the
// same, the harder the later it looks.
//
// Such a contact is looked at behind the place where it closes, with the present velocities and
// accelerations of its bodies, by BEYOND of the time in which it closes and at least as late as the
// caller says: if the narrow phase no longer has it there and the two shapes do not overlap by what
// the approach would make of them, it has left. Whatever else closes there has a contact of its own.
// A look costs one pair in the narrow phase.
#include "step/border.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "stiction/extend/base.h"

/// When it is looked at after it closes, in times in which it does so.
#define BEYOND 0.5
/// Overlap there that is one, as a part of that of a contact that goes on.
#define OVERLAP 0.25

// the blocks of a contact; their number
static int32_t blocks_of(const SticInteraction* interaction, int32_t block[2 + STIC_ALSO_BLOCKS])
{
    int32_t count = 0;
    for (int32_t k = 0; k < 2 + interaction->alsos; ++k) {
        const int32_t b = k < 2 ? interaction->block[k] : interaction->also[k - 2];
        if (b >= 0)
            block[count++] = b;
    }
    return count;
}

// a block a time ahead, or where it is
static void move(const SticBorderMotion* motion, int32_t block, double time, SticState* later)
{
    const SticLayout* layout = &motion->system->layout;
    const SticState* state = motion->state;
    const int32_t q = layout->q_at[block], u = layout->u_at[block];
    const int32_t size = layout->u_at[block + 1] - u;
    memcpy(later->u + u, state->u + u, (size_t)size * sizeof *later->u);
    if (time == 0.0) {
        memcpy(later->q + q, state->q + q,
               (size_t)(layout->q_at[block + 1] - q) * sizeof *later->q);
        return;
    }
    for (int32_t c = u; motion->push != NULL && c < u + size; ++c)
        later->u[c] += 0.5 * time * motion->push[c];
    stic_chart_drift((SticChart)layout->chart[block], size, state->q + q, later->u + u, time,
                     later->q + q);
    stic_chart_normalize((SticChart)layout->chart[block], later->q + q);
}

// a copy of the state
static SticStatus copy_state(const SticBorderMotion* motion, SticState* later)
{
    const SticLayout* layout = &motion->system->layout;
    *later = *motion->state;
    STIC_TRY(STIC_TAKE(motion->arena, &later->q, layout->nq));
    STIC_TRY(STIC_TAKE(motion->arena, &later->u, layout->nu));
    memcpy(later->q, motion->state->q, (size_t)layout->nq * sizeof *later->q);
    memcpy(later->u, motion->state->u, (size_t)layout->nu * sizeof *later->u);
    return STIC_OK;
}

// gaps of a contact a time ahead, [2]
static SticStatus gaps_ahead(const SticBorderMotion* motion, const SticInteraction* interaction,
                             double time, SticState* later, double there[2])
{
    const SticSystem* system = motion->system;
    int32_t block[2 + STIC_ALSO_BLOCKS];
    const int32_t count = blocks_of(interaction, block);
    for (int32_t k = 0; k < count; ++k)
        move(motion, block[k], time, later);
    later->t = motion->state->t + time;
    STIC_TRY(
        system->ops->gap(system, later, interaction->part, interaction->id, motion->beside, there));
    for (int32_t k = 0; k < count; ++k)
        move(motion, block[k], 0.0, later);
    return STIC_OK;
}

// whether a contact is one of two bodies on a feature that ends
static bool ends(const SticSet* set, int32_t i)
{
    const SticInteraction* interaction = &set->interaction[i];
    return interaction->level == STIC_LEVEL_CONTACT && interaction->surface >= 0 &&
           !interaction->bonded && set->exit[i] < DBL_MAX;
}

// the time in which contact i closes, or INFINITY if nothing is to be examined
static double closing_time(const SticBorderMotion* motion, const SticSet* set, int32_t i)
{
    const double gap = motion->gap[set->row_at[i]], speed = -motion->rate[set->row_at[i]];
    if (!motion->asked[i] || !ends(set, i) || !(speed > 0.0) || gap < -motion->after * speed)
        return INFINITY;
    return gap > 0.0 ? gap / speed : 0.0;
}

SticStatus stic_border_leave(const SticBorderMotion* motion, const SticSet* set, uint8_t* leaves,
                             bool* any)
{
    const SticArenaMark mark = stic_arena_mark(motion->arena);
    SticState later = {.q = NULL};
    *any = false;
    memset(leaves, 0, (size_t)set->count);
    if (set->exit == NULL || motion->system->ops->gap == NULL)
        return STIC_OK;
    for (int32_t i = 0; i < set->count; ++i) {
        const double time = closing_time(motion, set, i),
                     beyond = BEYOND * time > motion->after ? BEYOND * time : motion->after,
                     overlap = OVERLAP * beyond * -motion->rate[set->row_at[i]];
        double there[2];
        if (!(time < motion->horizon))
            continue;
        if (later.q == NULL)
            STIC_TRY(copy_state(motion, &later));
        STIC_TRY(gaps_ahead(motion, &set->interaction[i], time + beyond, &later, there));
        leaves[i] = !isfinite(there[0]) && isfinite(there[1]) && there[1] > -overlap;
        *any = *any || leaves[i];
    }
    stic_arena_rewind(motion->arena, mark);
    return STIC_OK;
}

SticStatus stic_border_left(const SticBorderMotion* motion, const SticSet* set, bool* any)
{
    const SticSystem* system = motion->system;
    *any = false;
    if (set->exit == NULL || system->ops->gap == NULL)
        return STIC_OK;
    for (int32_t i = 0; i < set->count && !*any; ++i) {
        const SticInteraction* interaction = &set->interaction[i];
        double there[2];
        if (!motion->asked[i] || !ends(set, i))
            continue;
        STIC_TRY(system->ops->gap(system, motion->state, interaction->part, interaction->id,
                                  motion->beside, there));
        *any = !isfinite(there[0]);
    }
    return STIC_OK;
}
