// SPDX-License-Identifier: Apache-2.0
// Prescribed bodies: where they are and how they move at a time, and the sides of contacts.
#include "math/math.h"
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

SticStatus stic_view_move(const SticView* view, double t, double lead)
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
        moved->turn =
            stic_mat3_mul_transpose(stic_quat_to_matrix(moved->late.orientation), moved->R);
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
