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
#include "stiction/extend/base.h"
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

// a frame in the axes of its body, seen in world axes
static SticJointFrame turned_frame(const SticJointFrame* frame, SticMat3 R, SticVec3 origin)
{
    return (SticJointFrame){stic_vec3_add(origin, stic_mat3_mul_vec(R, frame->point)),
                            stic_mat3_mul(R, frame->axes)};
}

static SticBlockJoint place_joint(const SticView* view, uint32_t slot)
{
    const SticJointDef* def = &view->world->joint[slot].def;
    SticBlockJoint made = {.id = joint_id(slot, view->world->joint[slot].generation),
                           .limit = {def->limit[0], def->limit[1]},
                           .restitution = def->restitution,
                           .friction = def->friction,
                           .driven = def->driven,
                           .spring = def->spring,
                           .slot = slot,
                           .turn = -1};
    made.joint.kind = def->kind;
    made.joint.length = def->kind == STIC_JOINT_ROD ? def->length : 0.0;
    for (int k = 0; k < 2; ++k) {
        const SticBodyId body = def->body[k];
        SticJointFrame frame = def->frame[k];
        made.block[k] = body.generation == 0 ? -1 : view->block_of[body.index];
        if (made.block[k] >= 0) {
            frame.point = stic_vec3_sub(frame.point, view->mass_of[made.block[k]].centre);
        } else if (made.block[k] == -1 && body.generation > 0) {
            frame = turned_frame(&frame, view->fixed[body.index].F, view->fixed[body.index].origin);
        }
        made.joint.frame[k] = frame;
    }
    return made;
}

// Bodies that a joint holds to each other may overlap where it is: they do not touch. Rods, springs
// and drives between bodies leave them to their contacts.
static bool takes_contacts(const SticJointDef* def)
{
    const bool holds = def->kind != STIC_JOINT_ROD && def->kind != STIC_JOINT_AXIAL &&
                       def->kind != STIC_JOINT_TURNING && def->kind != STIC_JOINT_SPAN;
    return def->contacts == STIC_JOINED_APART || (def->contacts == STIC_JOINED_BY_KIND && holds);
}

static SticStatus exclude(SticView* view, const SticJointDef* def, SticError* error)
{
    if (!takes_contacts(def) || def->body[0].generation == 0 || def->body[1].generation == 0)
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
    term[1] = block[0] >= 0 && block[1] >= 0 ? block[1] : -1;
}

// length of the smaller moving body: its radius of gyration plus the distance from its centre to
// where it is held
static double size_of(const SticView* view, const SticBlockJoint* joint)
{
    double size = 0.0;
    for (int side = 0; side < 2; ++side) {
        const int32_t block = joint->block[side];
        if (block < 0)
            continue;
        const SticMassProperties* mass = &view->mass_of[block];
        const double trace = mass->inertia.m[0][0] + mass->inertia.m[1][1] + mass->inertia.m[2][2];
        const double own =
            sqrt(trace / mass->mass) + stic_vec3_norm(joint->joint.frame[side].point);
        size = size == 0.0 || own < size ? own : size;
    }
    return size;
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
        view->joint[at].size = size_of(view, &view->joint[at]);
        if (stic_joint_kind_coordinate((SticJointKind)view->joint[at].joint.kind) ==
            STIC_JOINT_ANGLE)
            view->joint[at].turn = view->system.layout.turns++;
        if (view->joint[at].restitution > 0.0)
            view->system.bounces |= STIC_REBOUND_NORMAL;
        for (int side = 0; side < 2; ++side)
            if (view->joint[at].block[side] >= 0 &&
                stic_joint_kind_rows((SticJointKind)view->joint[at].joint.kind) > 0)
                view->jointed[view->joint[at].block[side]] = 1;
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

// a joint at a state: its geometry with the frames of prescribed bodies in world axes, and its
// sides
typedef struct Placed {
    const SticJoint* joint; // as it was made, or `own`
    SticJoint own;          // filled in only where the state changes it
    SticJointSide side[2];
} Placed;

// the geometry of a joint that the state changes
static SticJoint* own_of(const SticBlockJoint* joint, Placed* placed)
{
    if (placed->joint != &placed->own)
        placed->own = joint->joint;
    placed->joint = &placed->own;
    return &placed->own;
}

static void place_at(const SticView* view, const SticBlockJoint* joint, const SticState* state,
                     const double* y, Placed* placed)
{
    placed->joint = &joint->joint;
    if (joint->turn >= 0 && state->memory != NULL && state->memory->turn != NULL) {
        const SticTurn* turn = &state->memory->turn[joint->turn];
        own_of(joint, placed)->about = turn->angle + turn->rate * (state->t - turn->t);
    }
    for (int k = 0; k < 2; ++k) {
        const int32_t block = joint->block[k];
        if (block < -1) {
            const SticMoved* moved = stic_view_moved(view, block);
            own_of(joint, placed)->frame[k] =
                turned_frame(&joint->joint.frame[k], moved->R, moved->now.position);
        }
        if (block < 0) {
            placed->side[k] = (SticJointSide){.n = 0};
            continue;
        }
        const SticBlockForm form = stic_view_form(view, block);
        placed->side[k] =
            (SticJointSide){.chart = form.chart,
                            .n = form.nu,
                            .q = state->q + view->q_at[block],
                            .u = state->u == NULL ? NULL : state->u + view->u_at[block],
                            .y = y == NULL ? NULL : y + view->q_at[block]};
    }
}

// coordinates and velocities of prescribed sides
typedef struct Moving {
    double q[2][12], now[2][6], late[2][6], rate[2][6];
} Moving;

static void write_velocity(const SticBodyMotion* at, double u[6])
{
    const SticMat3 R = stic_quat_to_matrix(at->orientation);
    stic_vec3_store(at->velocity, u);
    stic_vec3_store(stic_mat3_transpose_mul_vec(R, at->angular_velocity), u + 3);
}

// the same with prescribed bodies as sides of the rotation chart, for the contribution of their
// motion
static void place_moving(const SticView* view, const SticBlockJoint* joint, const SticState* state,
                         Moving* moving, Placed* placed)
{
    place_at(view, joint, state, NULL, placed);
    for (int k = 0; k < 2; ++k) {
        if (joint->block[k] >= -1)
            continue;
        const SticMoved* moved = stic_view_moved(view, joint->block[k]);
        own_of(joint, placed)->frame[k] = joint->joint.frame[k];
        stic_vec3_store(moved->now.position, moving->q[k]);
        stic_mat3_store(moved->R, moving->q[k] + 3);
        write_velocity(&moved->now, moving->now[k]);
        write_velocity(&moved->late, moving->late[k]);
        stic_vec3_store(moved->now.acceleration, moving->rate[k]);
        stic_vec3_store(stic_mat3_transpose_mul_vec(moved->R, moved->now.angular_acceleration),
                        moving->rate[k] + 3);
        placed->side[k] = (SticJointSide){
            .chart = STIC_CHART_ROTATION, .n = 6, .q = moving->q[k], .u = moving->now[k]};
    }
}

static double coordinate_of(const SticView* view, const SticBlockJoint* joint,
                            const SticState* state)
{
    Placed placed;
    place_at(view, joint, state, NULL, &placed);
    double value = 0.0;
    stic_joint_measures_coordinate(placed.joint, placed.side, &(SticJointMeasures){.gap = &value});
    return value;
}

// values of a joint that may change while it is in use
static const SticJointDef* def_of(const SticView* view, const SticBlockJoint* joint)
{
    return &view->world->joint[joint->slot].def;
}

// what a limit is as thick as, in rad or as a part of the smaller body: schemes that find limits where
// they are passed keep a tenth of it at most
#define LIMIT_PART 0.01

// gaps are rounded as the places of both pivots are, also where only one of them is on a body that
// coordinates tell of
static double place_of(const SticView* view, const SticBlockJoint* joint)
{
    double place = 0.0;
    for (int k = 0; k < 2; ++k) {
        if (joint->block[k] >= 0)
            continue;
        SticVec3 point = joint->joint.frame[k].point;
        if (joint->block[k] < -1) {
            const SticMoved* moved = stic_view_moved(view, joint->block[k]);
            point = stic_vec3_add(moved->now.position, stic_mat3_mul_vec(moved->R, point));
        }
        const double far = stic_vec3_norm(point);
        place = far > place ? far : place;
    }
    return place;
}

static SticInteraction interaction_of(const SticView* view, const SticBlockJoint* joint,
                                      SticJointPart part)
{
    SticInteraction made = {.id = joint->id | part,
                            .law = STIC_LAW_FREE,
                            .level = STIC_LEVEL_POSITION,
                            .rows = 1,
                            .kernel = STIC_KERNEL_JOINT,
                            .block = {joint->block[0], joint->block[1]},
                            .bound_of = -1,
                            .surface = -1,
                            .size = joint->size,
                            .place = place_of(view, joint)};
    if (part == STIC_PART_CONSTRAINT) {
        made.rows = (uint8_t)stic_joint_kind_rows((SticJointKind)joint->joint.kind);
    } else if (part == STIC_PART_LOWER || part == STIC_PART_UPPER) {
        made.law = STIC_LAW_NONNEG;
        made.level = STIC_LEVEL_CONTACT;
        made.restitution[0] = joint->restitution;
        made.thin = joint->turn >= 0 ? LIMIT_PART : LIMIT_PART * joint->size;
    } else {
        const double bound =
            part == STIC_PART_FRICTION ? joint->friction : def_of(view, joint)->drive_force;
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
        if (stic_joint_kind_rows((SticJointKind)joint->joint.kind) > 0)
            list[count++] = interaction_of(view, joint, STIC_PART_CONSTRAINT);
        if (isfinite(joint->limit[0]) || isfinite(joint->limit[1])) {
            const double c = coordinate_of(view, joint, state);
            if (isfinite(joint->limit[0]) && c - joint->limit[0] <= reach)
                list[count++] = interaction_of(view, joint, STIC_PART_LOWER);
            if (isfinite(joint->limit[1]) && joint->limit[1] - c <= reach)
                list[count++] = interaction_of(view, joint, STIC_PART_UPPER);
        }
        if (joint->friction > 0.0)
            list[count++] = interaction_of(view, joint, STIC_PART_FRICTION);
        if (joint->driven)
            list[count++] = interaction_of(view, joint, STIC_PART_DRIVE);
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
static void finish_coordinate(const Placed* placed, const double limit[2], SticJointPart part,
                              const SticJointMeasures* to)
{
    const bool upper = part == STIC_PART_UPPER, limited = upper || part == STIC_PART_LOWER;
    const double sign = upper ? -1.0 : 1.0, kept = limited ? sign : 0.0;
    if (to->gap != NULL)
        *to->gap = limited ? sign * (*to->gap - limit[upper ? 1 : 0]) : 0.0;
    scale(sign, 1, to->bias);
    for (int k = 0; k < 2; ++k) {
        const SticJointSide* side = &placed->side[k];
        const int32_t nq = stic_chart_q_size(side->chart, side->n);
        scale(sign, side->n, to->H[k]);
        scale(kept, nq, to->G[k]);
        scale(kept, nq, to->C[k]);
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

// contribution of the motion of prescribed bodies: chi = H u at the later time, and all of the bias
static void add_motion(const SticView* view, const SticBlockJoint* joint, const SticState* state,
                       bool coordinate, double* chi, double* bias)
{
    Moving moving;
    double H[2][STIC_JOINT_ROWS * STIC_CHART_MAX_U];
    Placed placed;
    place_moving(view, joint, state, &moving, &placed);
    const SticJointMeasures to = {.bias = bias, .H = {H[0], H[1]}};
    const int32_t rows = coordinate ? 1 : stic_joint_kind_rows((SticJointKind)joint->joint.kind);
    if (coordinate)
        stic_joint_measures_coordinate(placed.joint, placed.side, &to);
    else
        stic_joint_measures_fill(placed.joint, placed.side, &to);
    for (int k = 0; k < 2; ++k)
        for (int32_t c = 0; joint->block[k] < -1 && c < 6 * rows; ++c) {
            if (chi != NULL)
                chi[c / 6] += H[k][c] * moving.late[k][c % 6];
            if (bias != NULL)
                bias[c / 6] += H[k][c] * moving.rate[k][c % 6];
        }
}

// chi and bias of a drive
static void add_drive(const SticDrive* drive, double t, double lead, double* chi, double* bias)
{
    if (chi != NULL)
        *chi -= stic_drive_velocity(drive, t + lead);
    if (bias != NULL)
        *bias -= stic_drive_acceleration(drive, t);
}

void stic_view_measure_joint(const SticView* view, const SticSet* set, int32_t i,
                             const SticState* state, const SticMeasures* out)
{
    STIC_ASSERT(i >= 0 && i < set->count);
    const SticInteraction* interaction = &set->interaction[i];
    const SticBlockJoint* joint = joint_of(view, interaction->id);
    const SticJointPart part = part_of(interaction->id);
    const bool coordinate = part != STIC_PART_CONSTRAINT;
    Placed placed;
    place_at(view, joint, state, out->want & STIC_WANT_C ? out->y : NULL, &placed);
    const SticJointMeasures to = places(set, i, out);
    double* chi = out->want & STIC_WANT_CHI ? out->chi + set->row_at[i] : NULL;
    for (int32_t row = 0; chi != NULL && row < interaction->rows; ++row)
        chi[row] = 0.0;
    if (coordinate)
        stic_joint_measures_coordinate(placed.joint, placed.side, &to);
    else
        stic_joint_measures_fill(placed.joint, placed.side, &to);
    if (joint->block[0] < -1 || joint->block[1] < -1)
        add_motion(view, joint, state, coordinate, chi, to.bias);
    if (part == STIC_PART_UPPER)
        scale(-1.0, 1, chi);
    if (coordinate)
        finish_coordinate(&placed, joint->limit, part, &to);
    if (part == STIC_PART_DRIVE)
        add_drive(&def_of(view, joint)->drive, state->t, out->lead, chi, to.bias);
}

// rate of the coordinate of a joint
static double coordinate_rate(const SticView* view, const SticBlockJoint* joint,
                              const SticState* state)
{
    double H[2][STIC_CHART_MAX_U], rate = 0.0;
    Moving moving;
    Placed placed;
    place_moving(view, joint, state, &moving, &placed);
    stic_joint_measures_coordinate(placed.joint, placed.side,
                                   &(SticJointMeasures){.H = {H[0], H[1]}});
    for (int k = 0; k < 2; ++k)
        for (int32_t c = 0; placed.side[k].q != NULL && c < placed.side[k].n; ++c)
            rate += H[k][c] * placed.side[k].u[c];
    return rate;
}

/* ---- turns ----
 *
 * Coordinates of bodies know an angle up to whole turns. Its memory is the angle where the last
 * step ended; within the next one it is the angle nearest to where the rate of that instant leads.
 * The rates of both ends tell how far a joint has come in a step: no turn is lost unless they
 * differ by more than a turn per step.
 */

SticStatus stic_view_follow(const SticSystem* system, SticState* state)
{
    const SticView* view = stic_view_of(system);
    if (system->layout.turns == 0)
        return STIC_OK;
    STIC_TRY(stic_view_move(view, state->t, 0.0, 0.0));
    for (int32_t k = 0; k < view->joints; ++k) {
        const SticBlockJoint* joint = &view->joint[k];
        if (joint->turn < 0)
            continue;
        SticTurn* turn = &state->memory->turn[joint->turn];
        const double rate = coordinate_rate(view, joint, state);
        turn->rate = 0.5 * (turn->rate + rate);
        *turn = (SticTurn){coordinate_of(view, joint, state), rate, state->t};
    }
    return STIC_OK;
}

SticStatus stic_view_winding(const SticSystem* system, const SticState* state, double* rate)
{
    const SticView* view = stic_view_of(system);
    *rate = 0.0;
    if (system->layout.turns == 0)
        return STIC_OK;
    STIC_TRY(stic_view_move(view, state->t, 0.0, 0.0));
    for (int32_t k = 0; k < view->joints; ++k) {
        const SticBlockJoint* joint = &view->joint[k];
        if (joint->turn < 0 || !(has_potential(&view->world->joint[joint->slot]) ||
                                 isfinite(joint->limit[0]) || isfinite(joint->limit[1])))
            continue;
        const double own = fabs(coordinate_rate(view, joint, state));
        *rate = own > *rate ? own : *rate;
    }
    return STIC_OK;
}

void stic_view_lever(const SticSystem* system, const SticInteraction* interaction,
                     const SticState* state, double arm[3])
{
    const SticView* view = stic_view_of(system);
    arm[0] = arm[1] = arm[2] = 0.0;
    // a motion that is not finite fails the step
    if (interaction->kernel != STIC_KERNEL_JOINT ||
        stic_view_move(view, state->t, 0.0, 0.0) != STIC_OK)
        return;
    const SticBlockJoint* joint = joint_of(view, interaction->id);
    Placed placed;
    if (joint->block[0] < 0 && joint->block[1] < 0)
        return;
    place_at(view, joint, state, NULL, &placed);
    stic_vec3_store(stic_joint_measures_lever(placed.joint, placed.side), arm);
}

void stic_view_begin_turns(const SticView* view, int32_t block, bool anew, SticState* state)
{
    // a motion that is not finite fails the step
    const bool placed = stic_view_move(view, state->t, 0.0, 0.0) == STIC_OK;
    for (int32_t k = 0; k < view->joints; ++k) {
        const SticBlockJoint* joint = &view->joint[k];
        if (joint->turn < 0 || (block >= 0 && joint->block[0] != block && joint->block[1] != block))
            continue;
        SticTurn* turn = &state->memory->turn[joint->turn];
        if (anew)
            *turn = (SticTurn){.t = state->t};
        if (!placed)
            continue;
        turn->angle = coordinate_of(view, joint, state);
        turn->rate = coordinate_rate(view, joint, state);
        turn->t = state->t;
    }
}

SticJointView stic_world_joint(const SticSystem* system, const SticState* state, SticJointId id)
{
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(state != NULL);
    const SticView* view = stic_view_of(system);
    SticJointView seen = {.rows = 0};
    if (id.generation == 0 || id.index >= (uint32_t)view->joint_slots ||
        view->joint_of[id.index] < 0 || !stic_joint_is_valid(view->world, id))
        return seen;
    const SticBlockJoint* joint = &view->joint[view->joint_of[id.index]];
    if (stic_view_move(view, state->t, 0.0, 0.0) != STIC_OK)
        return seen;
    Placed placed;
    place_at(view, joint, state, NULL, &placed);
    seen.rows = stic_joint_kind_rows((SticJointKind)joint->joint.kind);
    stic_joint_measures_fill(placed.joint, placed.side, &(SticJointMeasures){.gap = seen.gap});
    if (stic_joint_kind_coordinate((SticJointKind)joint->joint.kind) != STIC_JOINT_NO_COORDINATE) {
        seen.coordinate = coordinate_of(view, joint, state);
        seen.rate = coordinate_rate(view, joint, state);
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

// |force| times |coordinate|, from V = k s^2/2 with the stretch s and the coordinate rest + s
static double spring_products(const SticSpring* spring, double value)
{
    return sqrt(2.0 * spring->stiffness * value) * fabs(spring->rest) + 2.0 * value;
}

void stic_view_add_springs(const SticView* view, const SticState* state, SticTerms* terms,
                           double* gradient, double* hessian)
{
    double* value = terms->value + view->blocks;

    for (int32_t k = 0; k < view->springs; ++k) {
        const SticBlockJoint* joint = &view->joint[view->spring[k]];
        Placed placed;
        place_at(view, joint, state, NULL, &placed);
        double* slope[2] = {gradient, gradient};
        int32_t size[2] = {0, 0};
        for (int s = 0; s < 2; ++s)
            if (joint->block[s] >= 0)
                size[s] = stic_view_form(view, joint->block[s]).nq;
        if (gradient != NULL)
            slope[1] = gradient + size[0];
        value[k] = stic_spring_potential(placed.joint, &joint->spring, placed.side,
                                         gradient == NULL ? NULL : slope, hessian);
        terms->products[view->blocks + k] = spring_products(&joint->spring, value[k]);
        const int32_t all = size[0] + size[1];
        gradient = gradient == NULL ? NULL : gradient + all;
        hessian = hessian == NULL ? NULL : hessian + all * all;
    }
}

void stic_view_add_actuators(const SticView* view, const SticState* state, double* f)
{
    for (int32_t k = 0; k < view->joints; ++k) {
        const SticBlockJoint* joint = &view->joint[k];
        const double force = def_of(view, joint)->force;
        if (force == 0.0)
            continue;
        double H[2][STIC_CHART_MAX_U];
        Placed placed;
        place_at(view, joint, state, NULL, &placed);
        stic_joint_measures_coordinate(placed.joint, placed.side,
                                       &(SticJointMeasures){.H = {H[0], H[1]}});
        for (int s = 0; s < 2; ++s)
            for (int32_t c = 0; joint->block[s] >= 0 && c < placed.side[s].n; ++c)
                f[view->u_at[joint->block[s]] + c] += force * H[s][c];
    }
}

void stic_view_add_dampers(const SticView* view, const SticState* state, double* f)
{
    for (int32_t k = 0; k < view->joints; ++k) {
        const SticBlockJoint* joint = &view->joint[k];
        if (joint->spring.damping == 0.0)
            continue;
        Moving moving;
        double unused[2][6] = {{0.0}};
        double* to[2] = {unused[0], unused[1]};
        Placed placed;
        place_moving(view, joint, state, &moving, &placed);
        for (int s = 0; s < 2; ++s)
            if (joint->block[s] >= 0)
                to[s] = f + view->u_at[joint->block[s]];
        stic_spring_add_damping(placed.joint, &joint->spring, placed.side, to);
    }
}

SticStatus stic_view_damper_slopes(const SticView* view, const SticState* state, SticArena* arena,
                                   SticTerms* terms)
{
    int32_t count = 0, (*block)[2] = NULL;
    memset(terms, 0, sizeof *terms);
    for (int32_t k = 0; k < view->joints; ++k)
        count += view->joint[k].spring.damping != 0.0 ? 1 : 0;
    STIC_TRY(STIC_TAKE(arena, &block, count));
    STIC_TRY(STIC_TAKE(arena, &terms->hessian,
                       4 * (int64_t)count * STIC_CHART_MAX_U * STIC_CHART_MAX_U));
    double* matrix = terms->hessian;
    for (int32_t k = 0; k < view->joints; ++k) {
        const SticBlockJoint* joint = &view->joint[k];
        if (joint->spring.damping == 0.0)
            continue;
        // rates of the coordinate by the velocities of both blocks, one after the other
        double H[2][STIC_CHART_MAX_U], slope[2 * STIC_CHART_MAX_U];
        Placed placed;
        place_at(view, joint, state, NULL, &placed);
        stic_joint_measures_coordinate(placed.joint, placed.side,
                                       &(SticJointMeasures){.H = {H[0], H[1]}});
        int32_t n = 0;
        for (int s = 0; s < 2; ++s) {
            block[terms->count][s] = joint->block[s];
            for (int32_t c = 0; joint->block[s] >= 0 && c < placed.side[s].n; ++c)
                slope[n++] = H[s][c];
        }
        for (int32_t c = 0; c < n * n; ++c)
            *matrix++ = -joint->spring.damping * slope[c / n] * slope[c % n];
        terms->count += 1;
    }
    terms->block = (const int32_t(*)[2])block;
    return STIC_OK;
}
