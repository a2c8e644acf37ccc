// SPDX-License-Identifier: Apache-2.0
// What acted in a step on the bodies of a world: contacts and joints in world axes.
#include "world/acting.h"

#include <math.h>
#include <string.h>

#include "stiction/extend/base.h"
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
                            .impulse = stic_vec3_scale(rows.r[0], seen.axis[0])};
    for (int32_t k = 1; k < 3 && k < rows.count; ++k) {
        row.impulse = stic_vec3_add(row.impulse, stic_vec3_scale(rows.r[k], seen.axis[k]));
        row.slip = stic_vec3_add(row.slip, stic_vec3_scale(rows.u[k], seen.axis[k]));
    }
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

SticStatus stic_acting_contacts(const SticActing* acting, const SticWorld* world, SticArena* arena,
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

/* ---- joints ---- */

// impulse and its moment about the centre of mass, world axes, that interaction i gives a block
static void block_impulse(const SticActing* acting, int32_t i, int32_t block, SticVec3* impulse,
                          SticVec3* moment)
{
    const SticView* view = stic_view_of(acting->system);
    const SticLayout* layout = &acting->system->layout;
    const int32_t nu = layout->u_at[block + 1] - layout->u_at[block];
    const SticBodyId id = {view->body_of[block], view->generation[view->body_of[block]]};
    const SticPose pose = stic_world_pose(acting->system, &acting->at, id);
    const double* r = acting->r + acting->set.row_at[i];
    double sum[STIC_CHART_MAX_U] = {0.0};
    for (int32_t k = acting->Ht.begin[i]; k < acting->Ht.begin[i + 1]; ++k) {
        const double* H = acting->Ht.value + acting->Ht.value_at[k];
        if (acting->Ht.col[k] != block)
            continue;
        for (int32_t row = 0; row < acting->set.interaction[i].rows; ++row)
            for (int32_t c = 0; c < nu; ++c)
                sum[c] += r[row] * H[row * nu + c];
    }
    *impulse = stic_vec3_load(sum);
    *moment = stic_vec3(0.0, 0.0, 0.0);
    if (layout->chart[block] != STIC_CHART_LINEAR) {
        *moment = stic_mat3_mul_vec(pose.F, stic_vec3_load(sum + nu - 3));
    } else if (nu == 12) {
        // P : F' = (P F') : [w]x for a rotation with the velocity w
        const SticMat3 P = stic_mat3_load(sum + 3);
        const SticMat3 power = stic_mat3_mul(P, stic_mat3_transpose(pose.F));
        double p[9];
        stic_mat3_store(power, p);
        *moment = stic_vec3(p[7] - p[5], p[2] - p[6], p[3] - p[1]);
    }
}

// part of a joint that acts on its coordinate, or its constraint
static void add_part(const SticActing* acting, int32_t i, SticJointForce* joint)
{
    const SticInteraction* interaction = &acting->set.interaction[i];
    const double force = acting->r[acting->set.row_at[i]] / acting->h;
    switch ((SticJointPart)(interaction->id & ((1u << STIC_PART_BITS) - 1u))) {
    case STIC_PART_LOWER:
        joint->limit += force;
        break;
    case STIC_PART_UPPER:
        joint->limit -= force;
        break;
    case STIC_PART_FRICTION:
        joint->friction += force;
        break;
    case STIC_PART_DRIVE:
        joint->drive += force;
        break;
    default:
        for (int32_t row = 0; row < interaction->rows; ++row) {
            const double own = fabs(acting->r[acting->set.row_at[i] + row]) / acting->h;
            joint->reaction = own > joint->reaction ? own : joint->reaction;
        }
        break;
    }
}

static void add_joint(const SticActing* acting, const SticWorld* world, int32_t i,
                      SticJointForce* joint)
{
    const SticInteraction* interaction = &acting->set.interaction[i];
    const SticJointDef* def = &world->joint[joint->joint.index].def;
    // a joint whose A is the ground is seen from B, with the opposite sign
    const int side = interaction->block[0] >= 0 ? 0 : 1;
    const int32_t block = interaction->block[side];
    if (block < 0)
        return;
    SticVec3 impulse, moment;
    block_impulse(acting, i, block, &impulse, &moment);
    const SticPose pose = stic_world_pose(acting->system, &acting->at, def->body[0]);
    const SticVec3 point = stic_pose_apply(&pose, def->frame[0].point);
    const double* centre = acting->at.q + acting->system->layout.q_at[block];
    const SticVec3 arm = stic_vec3_sub(stic_vec3_load(centre), point);
    moment = stic_vec3_add(moment, stic_vec3_cross(arm, impulse));
    const double scale = (side == 0 ? 1.0 : -1.0) / acting->h;
    joint->force = stic_vec3_add(joint->force, stic_vec3_scale(scale, impulse));
    joint->torque = stic_vec3_add(joint->torque, stic_vec3_scale(scale, moment));
    add_part(acting, i, joint);
}

void stic_acting_joints(const SticActing* acting, const SticWorld* world, const SticState* now,
                        SticJointForce* joint)
{
    for (uint32_t slot = 0; slot < world->joints; ++slot) {
        joint[slot] = (SticJointForce){.gap = 0.0};
        if (!world->joint[slot].alive)
            continue;
        joint[slot].joint = (SticJointId){slot, world->joint[slot].generation};
        const SticJointDef* def = &world->joint[slot].def;
        const SticJointView seen = stic_world_joint(acting->system, now, joint[slot].joint);
        const SticPose pose = stic_world_pose(acting->system, now, def->body[0]);
        joint[slot].point = stic_pose_apply(&pose, def->frame[0].point);
        joint[slot].coordinate = seen.coordinate;
        joint[slot].rate = seen.rate;
        for (int32_t k = 0; k < seen.rows; ++k)
            if (fabs(seen.gap[k]) > joint[slot].gap)
                joint[slot].gap = fabs(seen.gap[k]);
    }
    for (int32_t i = 0; i < acting->set.count; ++i) {
        const SticInteraction* interaction = &acting->set.interaction[i];
        if (interaction->kernel != STIC_KERNEL_JOINT)
            continue;
        const uint32_t slot =
            (uint32_t)(interaction->id >> (STIC_JOINT_GENERATION_BITS + STIC_PART_BITS));
        if (slot < world->joints && joint[slot].joint.generation > 0)
            add_joint(acting, world, i, &joint[slot]);
    }
}
