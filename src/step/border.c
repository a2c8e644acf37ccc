// SPDX-License-Identifier: Apache-2.0
// Contacts that leave their features before they close.
//
// Planes that contacts are frozen with have no ends. A corner of a body that tips over the edge of a
// table meets the level of the table where it leaves it, with an approach, and hits nothing: convex
// bodies are apart as long as one of their gaps is not negative, and here that of the edge is closed.
// A law that brakes what approaches, or stops it where it closes, would strike the corner all the
// same, the harder the later it looks.
//
// Such a contact is looked at BEYOND the time in which it closes, with the present velocities and
// accelerations, and where these are those of a step, half of that later at least: if the narrow phase no longer has it there and the two shapes do not overlap by what
// the approach would make of them, it has left. Whatever else closes there has a contact of its own.
#include "step/border.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "stiction/extend/base.h"

/// When it is looked at after it closes, in times in which it does so.
#define BEYOND 0.5
/// Overlap there that is one, as a part of that of a contact that goes on.
#define OVERLAP 0.25

// the state a time ahead
static SticStatus look_ahead(const SticBorderMotion* motion, double time, SticState* later)
{
    const SticLayout* layout = &motion->system->layout;
    const SticState* state = motion->state;
    double *q = NULL, *u = NULL;
    STIC_TRY(STIC_TAKE(motion->arena, &q, layout->nq));
    STIC_TRY(STIC_TAKE(motion->arena, &u, layout->nu));
    for (int32_t c = 0; c < layout->nu; ++c)
        u[c] = state->u[c] + (motion->push == NULL ? 0.0 : 0.5 * time * motion->push[c]);
    stic_parts_drift(layout, state->q, u, time, q);
    for (int32_t i = 0; i < layout->blocks; ++i)
        stic_chart_normalize((SticChart)layout->chart[i], q + layout->q_at[i]);
    *later = (SticState){state->t + time, q, u, state->memory};
    return STIC_OK;
}

// the time in which contact i closes, or INFINITY if nothing is to be examined
static double closing_time(const SticBorderMotion* motion, const SticSet* set, int32_t i)
{
    const SticInteraction* interaction = &set->interaction[i];
    const double gap = motion->gap[set->row_at[i]], speed = -motion->rate[set->row_at[i]];
    if (!motion->asked[i] || interaction->level != STIC_LEVEL_CONTACT || interaction->surface < 0 ||
        interaction->bonded || !(set->exit[i] < DBL_MAX) || !(speed > 0.0) ||
        gap < -motion->after * speed)
        return INFINITY;
    return gap > 0.0 ? gap / speed : 0.0;
}

SticStatus stic_border_leave(const SticBorderMotion* motion, const SticSet* set, uint8_t* leaves,
                             bool* any)
{
    const SticSystem* system = motion->system;
    *any = false;
    memset(leaves, 0, (size_t)set->count);
    if (set->exit == NULL || system->ops->gap == NULL)
        return STIC_OK;
    for (int32_t i = 0; i < set->count; ++i) {
        const SticArenaMark mark = stic_arena_mark(motion->arena);
        const double time = closing_time(motion, set, i),
                     beyond = BEYOND * time > motion->after ? BEYOND * time : motion->after,
                     overlap = OVERLAP * beyond * -motion->rate[set->row_at[i]];
        double there[2];
        SticState later;
        if (!(time < motion->horizon))
            continue;
        STIC_TRY(look_ahead(motion, time + beyond, &later));
        STIC_TRY(system->ops->gap(system, &later, set->interaction[i].part, set->interaction[i].id,
                                  there));
        leaves[i] = !isfinite(there[0]) && isfinite(there[1]) && there[1] > -overlap;
        *any = *any || leaves[i];
        stic_arena_rewind(motion->arena, mark);
    }
    return STIC_OK;
}
