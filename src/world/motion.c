// SPDX-License-Identifier: Apache-2.0
// Prescribed bodies: where they are and how they move at a time, and the sides of contacts.
#include "collide/hull.h"
#include "math/math.h"
#include "shape/shape.h"
#include "stiction/extend/base.h"
#include "world/world.h"

// straight on and about a fixed axis
static SticBodyMotion uniform_motion(const SticBodyDef* def, double t)
{
    const SticQuat turn = stic_rotation_exp_quat(stic_vec3_scale(t, def->angular_velocity));
    return (SticBodyMotion){.position = stic_vec3_add_scaled(def->position, t, def->velocity),
                            .orientation = stic_quat_mul(turn, def->orientation),
                            .velocity = def->velocity,
                            .angular_velocity = def->angular_velocity};
}

SticBodyMotion stic_body_motion_at(const SticBodyDef* def, double t)
{
    STIC_ASSERT(isfinite(t));
    if (def->motion == NULL)
        return uniform_motion(def, t);
    SticBodyMotion at = {.position = def->position, .orientation = def->orientation};
    def->motion(def->motion_self, t, &at);
    at.orientation = stic_quat_normalize(at.orientation);
    return at;
}

SticPose stic_body_start(const SticBodyDef* def)
{
    if (def->kind != STIC_BODY_PRESCRIBED)
        return stic_pose_rigid(stic_quat_to_matrix(def->orientation), def->position);
    const SticBodyMotion at = stic_body_motion_at(def, 0.0);
    return stic_pose_rigid(stic_quat_to_matrix(at.orientation), at.position);
}

// the first member that is not finite; NULL: none
static const char* broken_member(const SticBodyMotion* at)
{
    const SticVec3 vector[] = {at->position, at->velocity, at->angular_velocity, at->acceleration,
                               at->angular_acceleration};
    static const char* const name[] = {"position", "velocity", "angular velocity", "acceleration",
                                       "angular acceleration"};
    for (size_t k = 0; k < sizeof vector / sizeof vector[0]; ++k)
        if (!stic_vec3_is_finite(vector[k]))
            return name[k];
    return stic_quat_dot(at->orientation, at->orientation) > 0.5 ? NULL : "orientation";
}

SticStatus stic_world_check_motions(const SticSystem* system, SticError* error)
{
    STIC_ASSERT(system != NULL);
    const SticView* view = stic_view_of(system);
    for (int32_t k = 0; k < view->prescribed; ++k) {
        const SticMoved* moved = &view->moved[k];
        const char* now = broken_member(&moved->now);
        const char* member = now != NULL ? now : broken_member(&moved->late);
        if (member == NULL)
            continue;
        return stic_error_set(error, STIC_NOT_FINITE,
                              "the motion of body %s: its %s is not finite at t = %g s",
                              stic_label(view->world->body[moved->body].name, moved->body).text,
                              member, now != NULL ? moved->t : moved->t + moved->lead);
    }
    return STIC_OK;
}

// How a body moves at `late`, or where `since` is not 0 on its way there from t - since, by the rule
// of Gauss with three points: of a turn by an angle a it leaves the place where it should by a^7/2e6
// of its radius. Velocities and not places, since surfaces of conveyors have the former alone.
static void find_stages(const SticBodyDef* def, double since, SticMoved* moved)
{
    const SticBodyMotion from =
        since == 0.0 ? moved->now : stic_body_motion_at(def, moved->t - since);
    const SticMat3 back = stic_quat_to_matrix(from.orientation);
    moved->origin = from.position;
    moved->turn = stic_mat3_mul_transpose(stic_quat_to_matrix(moved->late.orientation), back);
    moved->stages = since == 0.0 ? 1 : 3;
    moved->spin = stic_vec3(0.0, 0.0, 0.0);
    for (int32_t k = 0; k < moved->stages; ++k) {
        const double off = 0.5 * (k - 1) * sqrt(0.6);
        const SticBodyMotion at =
            since == 0.0 ? moved->late : stic_body_motion_at(def, moved->t + (off - 0.5) * since);
        SticMovedStage* stage = &moved->stage[k];
        stage->weight = since == 0.0 ? 1.0 : k == 1 ? 8.0 / 18.0 : 5.0 / 18.0;
        stage->velocity = at.velocity;
        stage->angular_velocity = at.angular_velocity;
        stage->turn = stic_mat3_mul_transpose(stic_quat_to_matrix(at.orientation), back);
        moved->spin = stic_vec3_add_scaled(moved->spin, stage->weight, at.angular_velocity);
    }
}

SticStatus stic_view_move(const SticView* view, double t, double lead, double since)
{
    STIC_ASSERT(isfinite(t));
    for (int32_t k = 0; k < view->prescribed; ++k) {
        SticMoved* moved = &view->moved[k];
        const SticBodyDef* def = &view->world->body[moved->body].def;
        moved->now = stic_body_motion_at(def, t);
        moved->late = lead == 0.0 ? moved->now : stic_body_motion_at(def, t + lead);
        moved->t = t;
        moved->lead = lead;
        if (broken_member(&moved->now) != NULL || broken_member(&moved->late) != NULL)
            return STIC_NOT_FINITE;
        moved->R = stic_quat_to_matrix(moved->now.orientation);
        find_stages(def, since, moved);
        for (int32_t s = 0; s < moved->stages; ++s)
            if (!stic_vec3_is_finite(moved->stage[s].velocity) ||
                !stic_vec3_is_finite(moved->stage[s].angular_velocity))
                return STIC_NOT_FINITE;
    }
    return STIC_OK;
}

// How far the surface of a shape lies from an axis through the origin of its body. A half-space has
// no end, and turning about its normal does not move it.
static double arm_of(const SticBlockShape* shape, SticVec3 turn)
{
    if (shape->shape->kind == STIC_SHAPE_HALF_SPACE) {
        const SticVec3 normal =
            stic_mat3_mul_vec(shape->pose.F, shape->shape->as.half_space.normal);
        const SticVec3 off = stic_vec3_cross(turn, normal);
        return stic_vec3_norm(off) > STIC_TOUCH_PART * stic_vec3_norm(turn) ? INFINITY : 0.0;
    }
    const SticVec3 centre = stic_pose_apply(&shape->pose, shape->shape->centre);
    return stic_vec3_norm(centre) + shape->shape->radius;
}

// distance by which a shape moves with a shift and a turn of its body, which are in body axes
static double way_with(const SticBlockShape* shape, double shift, SticVec3 turn)
{
    const double angle = stic_vec3_norm(turn);
    return angle > 0.0 ? shift + angle * arm_of(shape, turn) : shift;
}

// by velocities at the beginning and the end, and by what lies between: either of them may vanish
static double way_of(const SticMoved* moved, const SticBlockShape* shape)
{
    const SticBodyMotion* const ends[] = {&moved->now, &moved->late};
    const SticQuat back = stic_quat_conjugate(moved->now.orientation);
    double most =
        way_with(shape, stic_vec3_norm(stic_vec3_sub(moved->late.position, moved->now.position)),
                 stic_quat_rotate(back, stic_rotation_log(moved->turn)));
    for (int k = 0; k < 2; ++k) {
        const SticQuat own = stic_quat_conjugate(ends[k]->orientation);
        const SticVec3 turn = stic_vec3_scale(moved->lead, ends[k]->angular_velocity);
        const double way = way_with(shape, moved->lead * stic_vec3_norm(ends[k]->velocity),
                                    stic_quat_rotate(own, turn));
        most = way > most ? way : most;
    }
    return most;
}

SticStatus stic_view_sweep(const SticSystem* system, double t, double until, double* way)
{
    STIC_ASSERT(until >= t);
    const SticView* view = stic_view_of(system);
    *way = 0.0;
    STIC_TRY(stic_view_move(view, t, until - t, 0.0));
    for (int32_t k = 0; k < view->shapes && view->prescribed > 0; ++k) {
        const SticBlockShape* shape = &view->shape[k];
        const double own =
            shape->block < -1 ? way_of(stic_view_moved(view, shape->block), shape) : 0.0;
        *way = own > *way ? own : *way;
    }
    return STIC_OK;
}

static SticSide moved_side(const SticMoved* moved, bool rates)
{
    SticSide side = {.x = moved->now.position, .R = moved->R, .s = 1.0};
    if (rates) {
        side.v = moved->now.velocity;
        side.L = stic_mat3_skew(moved->now.angular_velocity);
        side.a = moved->now.acceleration;
        side.A = stic_mat3_skew(moved->now.angular_acceleration);
    }
    return side;
}

// nodes of elastic bodies have displacements
static void shift(const SticView* view, int32_t block, SticSide* side)
{
    if (view->origin != NULL)
        side->x = stic_vec3_add(stic_vec3_load(view->origin[block]), side->x);
}

SticSide stic_view_side(const SticView* view, const SticState* state, int32_t block, bool rates)
{
    if (block == -1)
        return stic_side_world();
    if (block < -1)
        return moved_side(stic_view_moved(view, block), rates);
    const SticBlockForm form = stic_view_form(view, block);
    SticSide side = {.s = 1.0};
    stic_side_place(form.chart, form.nu, state->q + view->q_at[block], &side);
    shift(view, block, &side);
    side.deforms = side.affine && !stic_view_is_stiff(view, block);
    if (rates)
        stic_side_move(form.chart, state->u + view->u_at[block], &side);
    return side;
}

void stic_view_place(const SticView* view, const SticState* state, int32_t block, SticSide* side)
{
    if (block < 0) {
        *side = stic_view_side(view, state, block, false);
        return;
    }
    const SticBlockForm form = stic_view_form(view, block);
    stic_side_place(form.chart, form.nu, state->q + view->q_at[block], side);
    shift(view, block, side);
    side->deforms = side->affine && !stic_view_is_stiff(view, block);
}

/* ---- what rests ---- */

void stic_world_set_asleep(const SticSystem* system, const uint8_t* asleep)
{
    STIC_ASSERT(stic_world_of(system) != NULL);
    stic_view_of(system)->left_out->asleep = asleep;
}

bool stic_world_changes(const SticInteraction* interaction)
{
    const uint64_t part = interaction->id & ((1u << STIC_PART_BITS) - 1u);
    return interaction->bonded || interaction->block[0] < -1 || interaction->block[1] < -1 ||
           (interaction->kernel == STIC_KERNEL_JOINT && part == STIC_PART_DRIVE);
}
