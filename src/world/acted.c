// SPDX-License-Identifier: Apache-2.0
// What acted in a step that is made in parts: sums over the parts.
//
// Every part has its own contacts, axes and points. Its impulses are taken in world axes, so that
// the sum over the parts of a step, by contacts, is what it did to the momentum of a body, whatever
// turned meanwhile. A contact that carried in an earlier part is there even if it has opened since.
// Cost: one look at the contacts of each part but the last.
#include "world/acting.h"

#include <string.h>

#include "stiction/extend/base.h"
#include "world/world.h"

static bool carries(const SticContactForce* contact)
{
    return stic_vec3_norm2(contact->impulse) > 0.0 || stic_vec3_norm2(contact->moment) > 0.0;
}

// the point is the centre of the impulses, for their moments
SticContactForce stic_contact_force_join(const SticContactForce* early,
                                         const SticContactForce* late)
{
    const double before = stic_vec3_norm(early->impulse), after = stic_vec3_norm(late->impulse);
    SticContactForce sum = carries(late) ? *late : *early;
    sum.impulse = stic_vec3_add(early->impulse, late->impulse);
    sum.force = stic_vec3_add(early->force, late->force);
    sum.moment = stic_vec3_add(early->moment, late->moment);
    if (before > 0.0 && after > 0.0)
        sum.point = stic_vec3_add_scaled(early->point, after / (before + after),
                                         stic_vec3_sub(late->point, early->point));
    return sum;
}

void stic_acted_clear(SticActed* acted)
{
    acted->parts = acted->contacts = acted->joints = acted->rows = 0;
}

void stic_acted_release(SticActed* acted)
{
    STIC_RELEASE(&acted->context, acted->contact, acted->contact_room);
    STIC_RELEASE(&acted->context, acted->scratch, acted->scratch_room);
    STIC_RELEASE(&acted->context, acted->joint, acted->joint_room);
    STIC_RELEASE(&acted->context, acted->row, acted->row_room);
    *acted = (SticActed){.context = acted->context};
}

static void swap_contacts(SticActed* acted, int32_t count)
{
    SticContactForce* list = acted->contact;
    const size_t room = acted->contact_room;
    acted->contact = acted->scratch;
    acted->contact_room = acted->scratch_room;
    acted->scratch = list;
    acted->scratch_room = room;
    acted->contacts = count;
}

// contacts of a part with those before it, which are in it already
static SticStatus keep_contacts(SticActed* acted, const SticActing* acting, const SticWorld* world,
                                SticArena* arena)
{
    SticContactForce* contact = NULL;
    int32_t count = 0, kept = 0;
    SticActing all = *acting;
    all.before = acted;
    STIC_TRY(stic_acting_contacts(&all, world, arena, &contact, &count));
    STIC_TRY(STIC_RESERVE(&acted->context, &acted->scratch, &acted->scratch_room, (size_t)count));
    for (int32_t i = 0; i < count; ++i)
        if (carries(&contact[i]))
            acted->scratch[kept++] = contact[i];
    swap_contacts(acted, kept);
    return STIC_OK;
}

static SticStatus keep_joints(SticActed* acted, const SticActing* acting, const SticWorld* world)
{
    STIC_TRY(STIC_RESERVE(&acted->context, &acted->joint, &acted->joint_room, world->joints));
    for (; acted->joints < (int32_t)world->joints; ++acted->joints)
        acted->joint[acted->joints] = (SticJointSum){.row = {0.0}};
    stic_acting_add_joints(acting, world, acted->joint);
    return STIC_OK;
}

/* ---- systems that are no world ---- */

// place of the first row whose id is not less
static int32_t place_of(const SticActed* acted, uint64_t id)
{
    int32_t low = 0, high = acted->rows;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (acted->row[middle].interaction.id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const SticRowSum* find_row(const SticActed* acted, uint64_t id)
{
    const int32_t at = acted == NULL ? 0 : place_of(acted, id);
    return acted != NULL && at < acted->rows && acted->row[at].interaction.id == id
               ? &acted->row[at]
               : NULL;
}

// interaction i with what it gave before
static SticRowSum row_of(const SticActing* acting, int32_t i, bool* carried)
{
    const SticInteraction* interaction = &acting->set.interaction[i];
    const SticRowSum* known = find_row(acting->before, interaction->id);
    const int32_t at = acting->set.row_at[i];
    bool acts = false;
    for (int32_t c = 0; c < interaction->rows; ++c)
        acts = acts || acting->r[at + c] != 0.0;
    *carried = acts || known != NULL;
    if (!acts && known != NULL)
        return *known;
    SticRowSum sum = {.interaction = *interaction, .gap = acting->gap[at]};
    for (int32_t c = 0; c < interaction->rows; ++c) {
        sum.impulse[c] = (known == NULL ? 0.0 : known->impulse[c]) + acting->r[at + c];
        sum.velocity[c] = acting->velocity[at + c];
    }
    return sum;
}

static SticStatus keep_rows(SticActed* acted, const SticActing* acting)
{
    SticActing all = *acting;
    all.before = acted;
    for (int32_t i = 0; i < acting->set.count; ++i) {
        bool carried = false;
        const SticRowSum sum = row_of(&all, i, &carried);
        const int32_t at = place_of(acted, sum.interaction.id);
        const bool known = find_row(acted, sum.interaction.id) != NULL;
        if (carried && !known) {
            STIC_TRY(STIC_RESERVE(&acted->context, &acted->row, &acted->row_room,
                                  (size_t)acted->rows + 1));
            memmove(acted->row + at + 1, acted->row + at,
                    (size_t)(acted->rows - at) * sizeof *acted->row);
            acted->rows += 1;
        }
        if (carried)
            acted->row[at] = sum;
    }
    return STIC_OK;
}

SticStatus stic_acting_rows(const SticActing* acting, SticArena* arena, SticRowSum** row,
                            int32_t* count)
{
    const SticActed* before = acting->before;
    const int32_t early = before == NULL ? 0 : before->rows;
    uint8_t* told = NULL;
    bool carried = false;
    STIC_TRY(STIC_TAKE(arena, row, acting->set.count + early + 1));
    STIC_TRY(STIC_TAKE(arena, &told, early + 1));
    memset(told, 0, (size_t)early + 1);
    for (*count = 0; *count < acting->set.count; ++*count) {
        (*row)[*count] = row_of(acting, *count, &carried);
        const SticRowSum* known = find_row(before, (*row)[*count].interaction.id);
        if (known != NULL)
            told[known - before->row] = 1;
    }
    for (int32_t k = 0; k < early; ++k)
        if (told[k] == 0)
            (*row)[(*count)++] = before->row[k];
    return STIC_OK;
}

/* ---- a part ---- */

SticStatus stic_acted_add(SticActed* acted, const SticActing* acting, const SticWorld* world,
                          SticArena* arena)
{
    STIC_ASSERT(acting->h > 0.0);
    const SticArenaMark mark = stic_arena_mark(arena);
    acted->parts += 1;
    acted->h = acting->h;
    if (world == NULL)
        return keep_rows(acted, acting);
    const SticStatus status = keep_contacts(acted, acting, world, arena);
    stic_arena_rewind(arena, mark);
    return status == STIC_OK ? keep_joints(acted, acting, world) : status;
}
