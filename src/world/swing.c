// SPDX-License-Identifier: Apache-2.0
// How far shapes move in a time, and where two of them meet on their way.
//
// Conservative advancement (Mirtich 1996): two shapes at a distance d that approach each other with
// at most V cannot meet within d/V; they are moved on by that time until they touch or the time is
// over. Poses on the way are those of constant velocities in space. Each round costs one call of
// the narrow phase; a head-on approach without rotation takes two of them.
#include "world/swing.h"

#include <math.h>

#include "math/math.h"
#include "shape/shape.h"
#include "stiction/extend/base.h"

// shapes have met if they are nearer than this part of the smaller one
#define MEET_PART 1e-4
// contacts that close soon after the first one belong to the same encounter
#define PATCH_PART 0.05

enum { MOST_ROUNDS = 200 };

// |L p| <= |L| |p| in Frobenius' norm, which for a rotation is sqrt 2 times too much
static double spin_of(const SticSide* side)
{
    double sum = 0.0;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            sum += side->L.m[r][c] * side->L.m[r][c];
    return side->affine ? sqrt(sum) : sqrt(0.5 * sum);
}

SticSwing stic_swing_of(const SticShape* shape, const SticPose* pose, const SticSide* side,
                        const SticSide* off)
{
    SticSwing swing = {.origin = side->x,
                       .velocity = side->v,
                       .gradient = side->L,
                       .spin = spin_of(side),
                       .centre = stic_pose_apply(pose, shape->centre),
                       .radius = shape->radius,
                       .inner = shape->inner_radius,
                       .thin = stic_shape_thickness(shape),
                       .round = shape->kind == STIC_SHAPE_SPHERE && pose->rigid};
    if (off != NULL) {
        swing.off = off->v;
        swing.off_gradient = off->L;
        swing.off_spin = spin_of(off);
    }
    if (!pose->rigid) {
        const SticBounds box = stic_shape_bounds(shape, pose, 0.0);
        swing.radius = 0.5 * stic_vec3_norm(stic_vec3_sub(box.high, box.low));
        swing.centre = stic_vec3_scale(0.5, stic_vec3_add(box.high, box.low));
    }
    return swing;
}

static SticVec3 velocity_at(const SticSwing* swing, SticVec3 place)
{
    return stic_vec3_add(swing->velocity,
                         stic_mat3_mul_vec(swing->gradient, stic_vec3_sub(place, swing->origin)));
}

static double off_at(const SticSwing* swing, SticVec3 place)
{
    const SticVec3 arm = stic_vec3_sub(place, swing->origin);
    return stic_vec3_norm(stic_vec3_add(swing->off, stic_mat3_mul_vec(swing->off_gradient, arm)));
}

double stic_swing_off(const SticSwing* a, const SticSwing* b)
{
    const SticSwing *small = a->radius <= b->radius ? a : b, *large = small == a ? b : a;
    const double turning = large->off_spin + (small->round ? 0.0 : small->off_spin);
    return off_at(small, small->centre) + off_at(large, small->centre) +
           (turning > 0.0 ? turning * small->radius : 0.0);
}

double stic_swing_speed(const SticSwing* a, const SticSwing* b)
{
    const SticSwing *small = a->radius <= b->radius ? a : b, *large = small == a ? b : a;
    // both touch within the ball around the smaller one: seen from the larger one, it moves with
    // its centre and turns with both
    const SticVec3 relative =
        stic_vec3_sub(velocity_at(small, small->centre), velocity_at(large, small->centre));
    const double turning = large->spin + (small->round ? 0.0 : small->spin);
    return stic_vec3_norm(relative) + (turning > 0.0 ? turning * small->radius : 0.0);
}

double stic_swing_passes(const SticSwing* a, const SticSwing* b, double way)
{
    return way / (a->thin < b->thin ? a->thin : b->thin);
}

// let a box reach as far as another one that is moved
static void widen_by(const SticBounds* from, SticVec3 way, SticBounds* box)
{
    box->low = stic_vec3_min(box->low, stic_vec3_add(from->low, way));
    box->high = stic_vec3_max(box->high, stic_vec3_add(from->high, way));
}

void stic_swing_widen(const SticSwing* swing, double time, SticBounds* box)
{
    STIC_ASSERT(time >= 0.0);
    if (!isfinite(swing->radius))
        return;
    const SticVec3 way = stic_vec3_scale(time, velocity_at(swing, swing->centre));
    const double turn = swing->round ? 0.0 : time * swing->spin * swing->radius;
    const double off = time * (off_at(swing, swing->centre) +
                               (swing->round ? 0.0 : swing->off_spin * swing->radius));
    const SticVec3 margin = stic_vec3(turn + off, turn + off, turn + off);
    const SticBounds now = *box;
    widen_by(&now, way, box);
    // a shape that may have passed something is followed from half of the time earlier
    if (stic_vec3_norm(way) + turn > swing->inner)
        widen_by(&now, stic_vec3_scale(-0.5, way), box);
    box->low = stic_vec3_sub(box->low, margin);
    box->high = stic_vec3_add(box->high, margin);
}

// pose of a shape a time later at constant velocities
static SticPose pose_later(const SticCollider* collider, const SticSwing* swing, double t)
{
    SticPose pose = collider->pose;
    const SticMat3 turn = stic_rotation_exp(stic_vec3_scale(t, stic_mat3_axial(swing->gradient)));
    const SticVec3 arm = stic_vec3_sub(pose.origin, swing->origin);
    pose.F = stic_mat3_mul(turn, pose.F);
    pose.origin = stic_vec3_add_scaled(stic_vec3_add(swing->origin, stic_mat3_mul_vec(turn, arm)),
                                       t, swing->velocity);
    return pose;
}

static double nearest(const SticContact* contact, int32_t count)
{
    double least = INFINITY;
    for (int32_t k = 0; k < count; ++k)
        least = contact[k].gap < least ? contact[k].gap : least;
    return least;
}

// narrow phase at a time of an encounter
static SticStatus collide_at(SticCollide* collide, const SticEncounter* encounter, double t,
                             double reach, const SticContact** contact, int32_t* count)
{
    SticCollider now[2] = {encounter->collider[0], encounter->collider[1]};
    for (int side = 0; side < 2 && t != 0.0; ++side)
        now[side].pose = pose_later(&encounter->collider[side], encounter->swing[side], t);
    return stic_collide_pair(collide, &now[0], &now[1], reach, contact, count);
}

// contacts of an encounter at the time t: if the same features are also near at time 0, they are
// measured there
static SticStatus take_meeting(SticCollide* collide, const SticEncounter* encounter, double t,
                               double reach, const SticContact** contact, int32_t* count)
{
    enum { MOST = 64 };
    uint64_t feature[MOST];
    int32_t known = 0, found = 0;
    const double r[2] = {encounter->swing[0]->radius, encounter->swing[1]->radius};
    const double patch = PATCH_PART * 2.0 * (r[0] < r[1] ? r[0] : r[1]);
    STIC_TRY(collide_at(collide, encounter, t, patch, contact, count));
    for (; known < *count && known < MOST; ++known)
        feature[known] = (*contact)[known].feature;
    STIC_TRY(collide_at(collide, encounter, 0.0, reach, contact, count));
    for (int32_t k = 0; k < known; ++k)
        for (int32_t i = 0; i < *count; ++i)
            found += (*contact)[i].feature == feature[k];
    return found == known ? STIC_OK : collide_at(collide, encounter, t, patch, contact, count);
}

SticStatus stic_swing_meet(SticCollide* collide, const SticEncounter* encounter, double reach,
                           const SticContact** contact, int32_t* count)
{
    const double speed = stic_swing_speed(encounter->swing[0], encounter->swing[1]);
    const double r[2] = {encounter->swing[0]->radius, encounter->swing[1]->radius};
    const double size = 2.0 * (r[0] < r[1] ? r[0] : r[1]);
    double t = encounter->begin;
    int k = 0;
    for (; k < MOST_ROUNDS && t < encounter->end; ++k) {
        const double way = speed * (encounter->end - t);
        STIC_TRY(collide_at(collide, encounter, t, way, contact, count));
        const double gap = nearest(*contact, *count);
        if (gap > way)
            break;
        if (gap <= MEET_PART * size && k == 0)
            return collide_at(collide, encounter, 0.0, reach, contact, count);
        if (gap <= MEET_PART * size)
            return take_meeting(collide, encounter, t, reach, contact, count);
        t += gap / speed;
    }
    // a corner that has just left keeps the rounds short, while another one may be on its way
    if (k == MOST_ROUNDS)
        return collide_at(collide, encounter, 0.0, reach, contact, count);
    *count = 0;
    return STIC_OK;
}
