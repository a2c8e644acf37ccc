// SPDX-License-Identifier: Apache-2.0
// What acted in a step on the bodies of a world: contacts and joints in world axes.
#include "world/acting.h"

#include <math.h>
#include <string.h>

#include "stiction/extend/base.h"
#include "system/push.h"
#include "world/world.h"

double stic_acting_speed(const SticActing* acting, const SticWorld* world)
{
    double scale = world == NULL ? 0.0 : acting->h * stic_vec3_norm(world->gravity);
    for (int32_t i = 0; i < acting->set.rows; ++i)
        if (fabs(acting->velocity[i]) > scale)
            scale = fabs(acting->velocity[i]);
    return scale;
}

/* ---- contacts ---- */

// reaction and relative velocity of a contact in its axes: normal, tangents, further rows
typedef struct Rows {
    double r[6], u[6];
    int32_t count;
} Rows;

// rows of interaction i; where the tangents are an interaction of their own, its rows follow
static Rows rows_of(const SticActing* acting, int32_t i, int32_t tangents)
{
    Rows rows = {.count = 0};
    for (int32_t k = acting->set.row_at[i]; k < acting->set.row_at[i + 1]; ++k) {
        rows.r[rows.count] = acting->r[k];
        rows.u[rows.count++] = acting->velocity[k];
    }
    for (int32_t k = 0; tangents >= 0 && k < 2; ++k) {
        rows.r[rows.count] = acting->r[acting->set.row_at[tangents] + k];
        rows.u[rows.count++] = acting->velocity[acting->set.row_at[tangents] + k];
    }
    return rows;
}

// A contact sticks where its slip is small against the speeds of the step. How small depends on how
// far its reaction is inside the cone: a reaction of a converged step that is well inside leaves a
// slip of the solver's tolerance, one on the border leaves any. Forces of a step are means and an
// impact may be among them, so that a reaction inside its cone alone does not show that nothing
// slides at the end.
static SticContactStatus status_of(const SticInteraction* interaction, const Rows* rows,
                                   double slip, double scale)
{
    if (!(rows->r[0] > 0.0))
        return STIC_CONTACT_OPEN;
    const double friction = sqrt(rows->r[1] * rows->r[1] + rows->r[2] * rows->r[2]);
    const double most = interaction->coef[0] * rows->r[0];
    const bool cone = interaction->law == STIC_LAW_CONE || interaction->law == STIC_LAW_ROLLING;
    double part = STIC_ACTING_SLIP;
    if (cone && most > 0.0) {
        const double inside = 1.0 - friction / most;
        part = inside > STIC_ACTING_CREEP ? STIC_ACTING_CREEP : inside > part ? inside : part;
    }
    return slip <= part * scale ? STIC_CONTACT_STICK : STIC_CONTACT_SLIP;
}

// impulse that an interaction gives to what it is told of, and its moment there
static void push_of(const SticActing* acting, int32_t i, SticVec3* impulse, SticVec3* moment)
{
    const SticPushRows rows = {acting->system, &acting->set, &acting->Ht, &acting->at};
    double push[6] = {0.0};
    if (acting->given != NULL)
        memcpy(push, acting->given[i], sizeof push);
    else
        stic_push_add_rows(&rows, i, acting->r + acting->set.row_at[i], push);
    *impulse = stic_vec3_load(push);
    *moment = stic_vec3_load(push + 3);
}

// The impulse on A: what its momentum changed by. Directions of a step may be means over it, and
// the axes that are shown are those of one place.
static SticVec3 impulse_of(const SticActing* acting, int32_t i, int32_t tangents)
{
    SticVec3 sum, more, moment;
    push_of(acting, i, &sum, &moment);
    if (tangents >= 0) {
        push_of(acting, tangents, &more, &moment);
        sum = stic_vec3_add(sum, more);
    }
    return acting->set.interaction[i].block[0] >= 0 ? sum : stic_vec3_scale(-1.0, sum);
}

static SticContactForce contact_force(const SticActing* acting, int32_t i, int32_t tangents,
                                      double scale)
{
    const SticInteraction* interaction = &acting->set.interaction[i];
    const SticContactView seen = stic_world_contact(acting->system, &acting->set, i, &acting->at);
    const Rows rows = rows_of(acting, i, tangents);
    SticContactForce row = {.id = interaction->id,
                            .body = {seen.body[0], seen.body[1]},
                            .shape = {seen.shape[0], seen.shape[1]},
                            .point = seen.point,
                            .axis = {seen.axis[0], seen.axis[1], seen.axis[2]},
                            .gap = acting->gap[acting->set.row_at[i]],
                            .impulse = impulse_of(acting, i, tangents)};
    for (int32_t k = 1; k < 3 && k < rows.count; ++k)
        row.slip = stic_vec3_add_scaled(row.slip, rows.u[k], seen.axis[k]);
    // a fourth row alone is drilling, about the normal; two rows are rolling, about the tangents
    if (rows.count == 4)
        row.moment = stic_vec3_scale(rows.r[3] / acting->h, seen.axis[0]);
    for (int32_t k = 3; rows.count == 5 && k < 5; ++k)
        row.moment =
            stic_vec3_add(row.moment, stic_vec3_scale(rows.r[k] / acting->h, seen.axis[k - 2]));
    row.force = stic_vec3_scale(1.0 / acting->h, row.impulse);
    row.status = (int32_t)status_of(interaction, &rows, stic_vec3_norm(row.slip), scale);
    return row;
}

// interaction number n in the order of ids
static int32_t by_id(const SticSet* set, int32_t n)
{
    return set->by_id == NULL ? n : set->by_id[n];
}

// contacts of this part of the step
static SticStatus own_contacts(const SticActing* acting, const SticWorld* world, SticArena* arena,
                               SticContactForce** contact, int32_t* count)
{
    const SticInteraction* interaction = acting->set.interaction;
    const uint64_t flag = (uint64_t)STIC_KERNEL_TANGENT << STIC_KERNEL_SHIFT;
    const double scale = stic_acting_speed(acting, world);
    // tangents on their own have the id of their contact and a flag in its upper bits: both lists
    // ascend together
    int32_t tangents = 0;
    *count = 0;
    STIC_TRY(STIC_TAKE(arena, contact, acting->set.count + 1));
    for (int32_t n = 0; n < acting->set.count; ++n) {
        const int32_t i = by_id(&acting->set, n);
        if (interaction[i].level != STIC_LEVEL_CONTACT ||
            interaction[i].kernel >= STIC_KERNEL_JOINT)
            continue;
        const uint64_t wanted = interaction[i].id | flag;
        while (tangents < acting->set.count &&
               interaction[by_id(&acting->set, tangents)].id < wanted)
            ++tangents;
        int32_t apart = -1;
        if (tangents < acting->set.count && interaction[i].rows == 1 &&
            interaction[by_id(&acting->set, tangents)].id == wanted)
            apart = by_id(&acting->set, tangents);
        (*contact)[(*count)++] = contact_force(acting, i, apart, scale);
    }
    return STIC_OK;
}

SticStatus stic_acting_contacts(const SticActing* acting, const SticWorld* world, SticArena* arena,
                                SticContactForce** contact, int32_t* count)
{
    const SticActed* before = acting->before;
    SticContactForce *own = NULL, *all = NULL;
    int32_t owned = 0, early = 0;
    STIC_TRY(own_contacts(acting, world, arena, &own, &owned));
    *contact = own;
    *count = owned;
    if (before == NULL || before->contacts == 0)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &all, owned + before->contacts));
    *count = 0;
    for (int32_t i = 0; i < owned || early < before->contacts;) {
        const SticContactForce* known = early < before->contacts ? &before->contact[early] : NULL;
        const bool first = i == owned || (known != NULL && known->id <= own[i].id);
        const bool both = first && i < owned && known->id == own[i].id;
        all[(*count)++] = both ? stic_contact_force_join(known, &own[i]) : first ? *known : own[i];
        early += first;
        i += both || !first;
    }
    *contact = all;
    return STIC_OK;
}

/* ---- joints ---- */

// part of a joint that acts on its coordinate, or its constraint
static void add_part(const SticActing* acting, int32_t i, SticJointSum* sum)
{
    const SticInteraction* interaction = &acting->set.interaction[i];
    const double* r = acting->r + acting->set.row_at[i];
    SticJointForce* joint = &sum->force;
    switch ((SticJointPart)(interaction->id & ((1u << STIC_PART_BITS) - 1u))) {
    case STIC_PART_LOWER:
        joint->limit += r[0] / acting->h;
        break;
    case STIC_PART_UPPER:
        joint->limit -= r[0] / acting->h;
        break;
    case STIC_PART_FRICTION:
        joint->friction += r[0] / acting->h;
        break;
    case STIC_PART_DRIVE:
        joint->drive += r[0] / acting->h;
        break;
    default:
        for (int32_t row = 0; row < interaction->rows; ++row)
            sum->row[row] += r[row] / acting->h;
        break;
    }
}

static void add_joint(const SticActing* acting, int32_t i, SticJointSum* sum)
{
    const SticInteraction* interaction = &acting->set.interaction[i];
    // a joint whose A is the ground is seen from B, with the opposite sign
    if (stic_push_block(interaction) < 0)
        return;
    SticVec3 impulse, moment;
    push_of(acting, i, &impulse, &moment);
    const double scale = (interaction->block[0] >= 0 ? 1.0 : -1.0) / acting->h;
    sum->force.force = stic_vec3_add_scaled(sum->force.force, scale, impulse);
    sum->force.torque = stic_vec3_add_scaled(sum->force.torque, scale, moment);
    add_part(acting, i, sum);
}

void stic_acting_add_joints(const SticActing* acting, const SticWorld* world, SticJointSum* sum)
{
    for (int32_t i = 0; i < acting->set.count; ++i) {
        const SticInteraction* interaction = &acting->set.interaction[i];
        if (interaction->kernel != STIC_KERNEL_JOINT)
            continue;
        const uint32_t slot =
            (uint32_t)(interaction->id >> (STIC_JOINT_GENERATION_BITS + STIC_PART_BITS));
        if (slot < world->joints && world->joint[slot].alive)
            add_joint(acting, i, &sum[slot]);
    }
}

// where a joint is now
static void place_joint(const SticActing* acting, const SticWorld* world, const SticState* now,
                        uint32_t slot, SticJointForce* joint)
{
    const SticJointDef* def = &world->joint[slot].def;
    joint->joint = (SticJointId){slot, world->joint[slot].generation};
    const SticJointView seen = stic_world_joint(acting->system, now, joint->joint);
    const SticPose pose = stic_world_pose(acting->system, now, def->body[0]);
    joint->point = stic_pose_apply(&pose, def->frame[0].point);
    joint->coordinate = seen.coordinate;
    joint->rate = seen.rate;
    for (int32_t k = 0; k < seen.rows; ++k)
        if (fabs(seen.gap[k]) > joint->gap)
            joint->gap = fabs(seen.gap[k]);
}

SticStatus stic_acting_joints(const SticActing* acting, const SticWorld* world,
                              const SticState* now, SticArena* arena, SticJointForce* joint)
{
    const SticActed* before = acting->before;
    SticJointSum* sum = NULL;
    STIC_TRY(STIC_TAKE(arena, &sum, world->joints + 1));
    for (uint32_t slot = 0; slot < world->joints; ++slot)
        sum[slot] = before != NULL && (int32_t)slot < before->joints ? before->joint[slot]
                                                                     : (SticJointSum){.row = {0.0}};
    stic_acting_add_joints(acting, world, sum);
    for (uint32_t slot = 0; slot < world->joints; ++slot) {
        joint[slot] = (SticJointForce){.gap = 0.0};
        if (!world->joint[slot].alive)
            continue;
        joint[slot] = sum[slot].force;
        for (int k = 0; k < 6; ++k)
            if (fabs(sum[slot].row[k]) > joint[slot].reaction)
                joint[slot].reaction = fabs(sum[slot].row[k]);
        place_joint(acting, world, now, slot, &joint[slot]);
    }
    return STIC_OK;
}
