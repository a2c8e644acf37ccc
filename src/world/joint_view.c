// SPDX-License-Identifier: Apache-2.0
// Joints in the system of a world: interactions, measures, springs, dampers, exclusions.
//
// A joint gives up to five interactions, in the order of their ids:
//
//   constraint   FREE      level POSITION   its rows
//   lower, upper NONNEG    level CONTACT    c - lower >= 0, upper - c >= 0; in the set when the gap
//                                           is at most `reach`
//   friction     INTERVAL  level RATE       c' = 0 within +- friction
//   drive        INTERVAL  level RATE       c' = v(t) within +- drive_force; FREE without a bound
//
// All but the constraint act on the joint's coordinate c; v(t) enters through chi.
#include <math.h>
#include <string.h>

#include "shape/shape.h"
#include "world/contact.h"
#include "world/world.h"

_Static_assert((int)STIC_KERNEL_JOINT == (int)STIC_CONTACT_KERNEL_COUNT,
               "joints follow the contacts in the order of ids");

static uint64_t joint_id(uint32_t slot, uint32_t generation)
{
    const uint64_t kernel = (uint64_t)STIC_KERNEL_JOINT << STIC_KERNEL_SHIFT;
    const uint64_t age = generation & ((1u << STIC_JOINT_GENERATION_BITS) - 1u);
    return kernel | (uint64_t)slot << (STIC_JOINT_GENERATION_BITS + STIC_PART_BITS) |
           age << STIC_PART_BITS;
}

static SticJointPart part_of(uint64_t id)
{
    return (SticJointPart)(id & ((1u << STIC_PART_BITS) - 1u));
}

static const SticBlockJoint* joint_of(const SticView* view, uint64_t id)
{
    const uint64_t slot = (uint32_t)(id >> (STIC_JOINT_GENERATION_BITS + STIC_PART_BITS));
    return &view->joint[view->joint_of[slot]];
}

/* ---- building ---- */

static bool has_potential(const SticJointSlot* slot)
{
    return slot->alive && slot->def.spring.stiffness > 0.0;
}

int32_t stic_view_count_springs(const SticWorld* world)
{
    int32_t count = 0;
    for (uint32_t k = 0; k < world->joints; ++k)
        count += has_potential(&world->joint[k]) ? 1 : 0;
    return count;
}

static SticBlockJoint place_joint(const SticView* view, uint32_t slot)
{
    const SticJointDef* def = &view->world->joint[slot].def;
    SticBlockJoint made = {.id = joint_id(slot, view->world->joint[slot].generation),
                           .limit = {def->limit[0], def->limit[1]},
                           .restitution = def->restitution,
                           .friction = def->friction,
                           .driven = def->driven,
                           .drive = def->drive,
                           .drive_force = def->drive_force,
                           .spring = def->spring};
    made.joint.kind = def->kind;
    made.joint.length = def->kind == STIC_JOINT_ROD ? def->length : 0.0;
    for (int k = 0; k < 2; ++k) {
        const SticBodyId body = def->body[k];
        SticJointFrame frame = def->frame[k];
        made.block[k] = body.generation == 0 ? -1 : view->block_of[body.index];
        if (made.block[k] >= 0) {
            frame.point = stic_vec3_sub(frame.point, view->mass_of[made.block[k]].centre);
        } else if (body.generation > 0) {
            const SticPose* pose = &view->fixed[body.index];
            frame.point = stic_vec3_add(pose->origin, stic_mat3_mul_vec(pose->F, frame.point));
            frame.axes = stic_mat3_mul(pose->F, frame.axes);
        }
        made.joint.frame[k] = frame;
    }
    return made;
}

// joined bodies do not touch each other
static SticStatus exclude(SticView* view, const SticJointDef* def, SticError* error)
{
    if (def->contacts || def->body[0].generation == 0 || def->body[1].generation == 0)
        return STIC_OK;
    for (int32_t a = 0; a < view->shapes; ++a) {
        if (view->shape[a].body != def->body[0].index)
            continue;
        for (int32_t b = 0; b < view->shapes; ++b)
            if (view->shape[b].body == def->body[1].index)
                STIC_TRY(stic_broad_exclude(view->broad, a, b, error));
    }
    return STIC_OK;
}

static void add_spring_term(SticView* view, int32_t joint, int32_t at)
{
    const int32_t* block = view->joint[joint].block;
    int32_t* term = view->term_block[view->blocks + at];
    view->spring[at] = joint;
    term[0] = block[0] >= 0 ? block[0] : block[1];
    term[1] = block[0] >= 0 ? block[1] : -1;
}

SticStatus stic_view_build_joints(SticView* view, SticError* error)
{
    const SticWorld* world = view->world;
    view->joint_slots = (int32_t)world->joints;
    STIC_TRY(STIC_ALLOCATE(&view->context, &view->joint_of, view->joint_slots));
    int32_t count = 0, springs = 0;
    for (int32_t k = 0; k < view->joint_slots; ++k)
        view->joint_of[k] = world->joint[k].alive ? count++ : -1;
    STIC_TRY(STIC_ALLOCATE(&view->context, &view->joint, count));
    view->joints = count;
    STIC_TRY(STIC_ALLOCATE(&view->context, &view->spring, view->springs));
    for (int32_t k = 0; k < view->joint_slots; ++k) {
        const int32_t at = view->joint_of[k];
        if (at < 0)
            continue;
        view->joint[at] = place_joint(view, (uint32_t)k);
        if (has_potential(&world->joint[k]))
            add_spring_term(view, at, springs++);
        if (world->joint[k].def.driven)
            view->system.offers &= ~(uint32_t)STIC_OFFERS_SCLERONOMIC;
        STIC_TRY(exclude(view, &world->joint[k].def, error));
    }
    // contacts have no second derivatives, joints do
    if (view->shapes == 0)
        view->system.offers |= STIC_OFFERS_CURVATURE;
    return STIC_OK;
}

/* ---- interactions ---- */

static void load_sides(const SticView* view, const SticBlockJoint* joint, const SticState* state,
                       const double* y, SticJointSide side[2])
{
    for (int k = 0; k < 2; ++k) {
        const int32_t block = joint->block[k];
        side[k] = (SticJointSide){.chart = view->chart, .n = view->nu};
        if (block < 0)
            continue;
        side[k].q = state->q + view->q_at[block];
        side[k].u = state->u == NULL ? NULL : state->u + view->u_at[block];
        side[k].y = y == NULL ? NULL : y + view->q_at[block];
    }
}

static double coordinate_of(const SticView* view, const SticBlockJoint* joint,
                            const SticState* state)
{
    SticJointSide side[2];
    double value = 0.0;
    load_sides(view, joint, state, NULL, side);
    stic_joint_measure_coordinate(&joint->joint, side, &(SticJointMeasures){.gap = &value});
    return value;
}

static SticInteraction interaction_of(const SticBlockJoint* joint, SticJointPart part)
{
    SticInteraction made = {.id = joint->id | part,
                            .law = STIC_LAW_FREE,
                            .level = STIC_LEVEL_POSITION,
                            .rows = 1,
                            .kernel = STIC_KERNEL_JOINT,
                            .block = {joint->block[0], joint->block[1]},
                            .bound_of = -1,
                            .surface = -1};
    if (part == STIC_PART_CONSTRAINT) {
        made.rows = (uint8_t)stic_joint_rows((SticJointKind)joint->joint.kind);
    } else if (part == STIC_PART_LOWER || part == STIC_PART_UPPER) {
        made.law = STIC_LAW_NONNEG;
        made.level = STIC_LEVEL_CONTACT;
        made.restitution[0] = joint->restitution;
    } else {
        const double bound = part == STIC_PART_FRICTION ? joint->friction : joint->drive_force;
        made.level = STIC_LEVEL_RATE;
        if (isfinite(bound)) {
            made.law = STIC_LAW_INTERVAL;
            made.coef[0] = made.coef[1] = 1.0;
            made.bound = bound;
        }
    }
    return made;
}

int32_t stic_view_find_joints(const SticView* view, const SticState* state, double reach,
                              SticInteraction* list)
{
    int32_t count = 0;
    for (int32_t k = 0; k < view->joints; ++k) {
        const SticBlockJoint* joint = &view->joint[k];
        if (stic_joint_rows((SticJointKind)joint->joint.kind) > 0)
            list[count++] = interaction_of(joint, STIC_PART_CONSTRAINT);
        if (isfinite(joint->limit[0]) || isfinite(joint->limit[1])) {
            const double c = coordinate_of(view, joint, state);
            if (c - joint->limit[0] <= reach)
                list[count++] = interaction_of(joint, STIC_PART_LOWER);
            if (joint->limit[1] - c <= reach)
                list[count++] = interaction_of(joint, STIC_PART_UPPER);
        }
        if (joint->friction > 0.0)
            list[count++] = interaction_of(joint, STIC_PART_FRICTION);
        if (joint->driven)
            list[count++] = interaction_of(joint, STIC_PART_DRIVE);
    }
    return count;
}

/* ---- measures ---- */

static void scale(double factor, int32_t count, double* values)
{
    for (int32_t c = 0; values != NULL && c < count; ++c)
        values[c] *= factor;
}

// a limit is measured as c - lower or upper - c; friction and drives have no gap
static void finish_coordinate(const SticView* view, const SticBlockJoint* joint, SticJointPart part,
                              const SticJointMeasures* to)
{
    const bool upper = part == STIC_PART_UPPER, limit = upper || part == STIC_PART_LOWER;
    const double sign = upper ? -1.0 : 1.0, placed = limit ? sign : 0.0;
    if (to->gap != NULL)
        *to->gap = limit ? sign * (*to->gap - joint->limit[upper ? 1 : 0]) : 0.0;
    scale(sign, 1, to->bias);
    for (int k = 0; k < 2; ++k) {
        scale(sign, view->nu, to->H[k]);
        scale(placed, view->nq, to->G[k]);
        scale(placed, view->nq, to->C[k]);
    }
}

// where the measures of an interaction go
static SticJointMeasures places(const SticSet* set, int32_t i, const SticMeasures* out)
{
    const int32_t at = set->row_at[i];
    SticJointMeasures to = {.gap = out->want & STIC_WANT_GAP ? out->gap + at : NULL,
                            .bias = out->want & STIC_WANT_BIAS ? out->bias + at : NULL};
    for (int k = 0; k < 2; ++k) {
        if (set->interaction[i].block[k] < 0)
            continue;
        if (out->want & STIC_WANT_H)
            to.H[k] = out->H + out->u_pattern->at[i][k];
        if (out->want & STIC_WANT_G)
            to.G[k] = out->G + out->q_pattern->at[i][k];
        if (out->want & STIC_WANT_C)
            to.C[k] = out->C + out->q_pattern->at[i][k];
    }
    return to;
}

void stic_view_measure_joint(const SticView* view, const SticSet* set, int32_t i,
                             const SticState* state, const SticMeasures* out)
{
    const SticInteraction* interaction = &set->interaction[i];
    const SticBlockJoint* joint = joint_of(view, interaction->id);
    const SticJointPart part = part_of(interaction->id);
    const int32_t at = set->row_at[i];
    SticJointSide side[2];
    load_sides(view, joint, state, out->want & STIC_WANT_C ? out->y : NULL, side);
    const SticJointMeasures to = places(set, i, out);
    for (int32_t row = 0; (out->want & STIC_WANT_CHI) && row < interaction->rows; ++row)
        out->chi[at + row] = 0.0;
    if (part == STIC_PART_CONSTRAINT) {
        stic_joint_measure(&joint->joint, side, &to);
        return;
    }
    stic_joint_measure_coordinate(&joint->joint, side, &to);
    finish_coordinate(view, joint, part, &to);
    if (part == STIC_PART_DRIVE && (out->want & STIC_WANT_CHI))
        out->chi[at] = -stic_drive_velocity(&joint->drive, state->t);
    if (part == STIC_PART_DRIVE && (out->want & STIC_WANT_BIAS))
        out->bias[at] -= stic_drive_acceleration(&joint->drive, state->t);
}

SticJointView stic_world_joint(const SticSystem* system, const SticState* state, SticJointId id)
{
    const SticView* view = stic_view_of(system);
    SticJointView seen = {.rows = 0};
    if (id.generation == 0 || id.index >= (uint32_t)view->joint_slots ||
        view->joint_of[id.index] < 0 || !stic_joint_is_valid(view->world, id))
        return seen;
    const SticBlockJoint* joint = &view->joint[view->joint_of[id.index]];
    SticJointSide side[2];
    load_sides(view, joint, state, NULL, side);
    seen.rows = stic_joint_rows((SticJointKind)joint->joint.kind);
    stic_joint_measure(&joint->joint, side, &(SticJointMeasures){.gap = seen.gap});
    if (stic_joint_coordinate((SticJointKind)joint->joint.kind) != STIC_JOINT_NO_COORDINATE) {
        double H[2][STIC_CHART_MAX_U];
        stic_joint_measure_coordinate(
            &joint->joint, side, &(SticJointMeasures){.gap = &seen.coordinate, .H = {H[0], H[1]}});
        for (int k = 0; k < 2; ++k)
            for (int32_t c = 0; side[k].q != NULL && c < side[k].n; ++c)
                seen.rate += H[k][c] * side[k].u[c];
    }
    const SticMemoryRecord* record = stic_memory_find(state->memory, joint->id);
    if (record != NULL)
        memcpy(seen.reaction, record->reaction, sizeof seen.reaction);
    record = stic_memory_find(state->memory, joint->id | STIC_PART_FRICTION);
    seen.friction = record == NULL ? 0.0 : record->reaction[0];
    record = stic_memory_find(state->memory, joint->id | STIC_PART_DRIVE);
    seen.drive = record == NULL ? 0.0 : record->reaction[0];
    return seen;
}

/* ---- springs and dampers ---- */

void stic_view_add_springs(const SticView* view, const SticState* state, double* value,
                           double* gradient, double* hessian)
{
    for (int32_t k = 0; k < view->springs; ++k) {
        const SticBlockJoint* joint = &view->joint[view->spring[k]];
        SticJointSide side[2];
        double* slope[2] = {gradient, gradient};
        load_sides(view, joint, state, NULL, side);
        const int32_t first = joint->block[0] >= 0 ? view->nq : 0;
        const int32_t size = first + (joint->block[1] >= 0 ? view->nq : 0);
        if (gradient != NULL)
            slope[1] = gradient + first;
        value[k] = stic_joint_potential(&joint->joint, &joint->spring, side,
                                        gradient == NULL ? NULL : slope, hessian);
        gradient = gradient == NULL ? NULL : gradient + size;
        hessian = hessian == NULL ? NULL : hessian + size * size;
    }
}

void stic_view_add_dampers(const SticView* view, const SticState* state, double* f)
{
    for (int32_t k = 0; k < view->joints; ++k) {
        const SticBlockJoint* joint = &view->joint[k];
        if (joint->spring.damping == 0.0)
            continue;
        SticJointSide side[2];
        double* to[2] = {NULL, NULL};
        load_sides(view, joint, state, NULL, side);
        for (int s = 0; s < 2; ++s)
            if (joint->block[s] >= 0)
                to[s] = f + view->u_at[joint->block[s]];
        stic_joint_add_damping(&joint->joint, &joint->spring, side, to);
    }
}
