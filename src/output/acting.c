// SPDX-License-Identifier: Apache-2.0
// What acted in the last step as rows of the tables of a result.
#include "run/acting.h"
#include "output/least_norm.h"
#include "output/writer.h"

SticStatus stic_output_acting(const SticRun* run, const SticWorld* world, bool least_norm,
                              SticArena* arena, SticActing* acting)
{
    SticLeastNorm how;
    STIC_TRY(stic_run_acting(run, arena, acting));
    if (!least_norm)
        return STIC_OK;
    return stic_least_norm(acting, STIC_ACTING_SLIP * stic_acting_speed(acting, world), arena,
                           &how);
}

static SticContactRow row_of(const SticContactForce* from, const SticTableRows* rows)
{
    SticContactRow row = {.id = from->id,
                          .point = from->point,
                          .normal = from->axis[0],
                          .gap = from->gap,
                          .impulse = from->impulse,
                          .force = from->force,
                          .moment = from->moment,
                          .slip = from->slip,
                          .status = (uint8_t)from->status};
    for (int k = 0; k < 2; ++k) {
        row.body[k] = rows->body_of[from->body[k].index];
        row.shape[k] = rows->shape_of[from->shape[k].index];
    }
    return row;
}

SticStatus stic_output_contacts(const SticActing* acting, const SticWorld* world,
                                const SticTableRows* rows, SticArena* arena,
                                SticContactRow** contact, int32_t* count)
{
    SticContactForce* force = NULL;
    STIC_TRY(stic_acting_contacts(acting, world, arena, &force, count));
    STIC_TRY(STIC_TAKE(arena, contact, *count + 1));
    for (int32_t i = 0; i < *count; ++i)
        (*contact)[i] = row_of(&force[i], rows);
    return STIC_OK;
}
