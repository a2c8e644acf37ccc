// SPDX-License-Identifier: Apache-2.0
// Contacts of solids at nodes: with planes and balls that move at constant velocities, and with
// nodes of facing surfaces.
//
//   plane   g = n . (x - p(t))           ball   g = |x - p(t)| - radius, n from the centre to x
//   pair    g = n . (x_A - x_B)
//
// The gap of a ball is a convex function of the place: the tangent plane never finds a contact too
// late. Tangents are those that belong to the normal (stic_mat3_frame).
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "stiction/extend/base.h"
#include "stiction/extend/vec3.h"
#include "system/solid/solid.h"

/// A contact at a state: gap, axes in rows, velocity that does not come from coordinates.
typedef struct Place {
    double gap, distance;
    SticMat3 axes;
    SticVec3 drift;
} Place;

static SticVec3 held_velocity(const SticSolid* solid, int32_t node)
{
    double v[3];
    for (int axis = 0; axis < 3; ++axis)
        v[axis] =
            solid->coordinate[3 * node + axis] < 0 ? stic_vec3_get(solid->rate[node], axis) : 0.0;
    return stic_vec3_load(v);
}

static Place place_of(const SticSolid* solid, const SticSolidTouch* touch, const SticState* state)
{
    Place place = {.distance = INFINITY};
    SticVec3 normal = touch->normal;
    SticVec3 x = stic_vec3_add(solid->mesh.node[touch->node[0]],
                               stic_solid_displacement(&solid->system, state, touch->node[0]));
    place.drift = held_velocity(solid, touch->node[0]);
    if (touch->obstacle < 0) {
        const int32_t other = touch->node[1];
        // differences of places and of displacements apart: small gaps keep their digits
        const SticVec3 between =
            stic_vec3_sub(solid->mesh.node[touch->node[0]], solid->mesh.node[other]);
        const SticVec3 moved =
            stic_vec3_sub(stic_solid_displacement(&solid->system, state, touch->node[0]),
                          stic_solid_displacement(&solid->system, state, other));
        place.gap = stic_vec3_dot(normal, between) + stic_vec3_dot(normal, moved);
        place.drift = stic_vec3_sub(place.drift, held_velocity(solid, other));
    } else {
        const SticSolidObstacle* obstacle = &solid->obstacle[touch->obstacle];
        const SticVec3 from =
            stic_vec3_sub(x, stic_vec3_add_scaled(obstacle->place, state->t, obstacle->velocity));
        normal = obstacle->normal;
        place.drift = stic_vec3_sub(place.drift, obstacle->velocity);
        if (obstacle->radius > 0.0) {
            place.distance = stic_vec3_norm(from);
            normal = stic_vec3_scale(1.0 / place.distance, from);
            place.gap = place.distance - obstacle->radius;
        } else {
            place.gap = stic_vec3_dot(normal, from);
        }
    }
    place.axes = stic_mat3_transpose(stic_mat3_frame(normal));
    return place;
}

// how fast a contact opens at least, within the reach
static double opening(const SticSolid* solid, const SticSolidTouch* touch, const Place* place,
                      const SticReach* reach)
{
    const SticVec3 n = stic_mat3_row(place->axes, 0);
    double speed = stic_vec3_dot(n, place->drift);
    for (int side = 0; side < 2; ++side)
        for (int axis = 0; touch->node[side] >= 0 && axis < 3; ++axis) {
            const int32_t at = solid->coordinate[3 * touch->node[side] + axis];
            const double along = (side == 0 ? 1.0 : -1.0) * stic_vec3_get(n, axis);
            if (at < 0)
                continue;
            speed += along * reach->u[at];
            if (reach->change != NULL)
                speed -= fabs(along * reach->change[at]);
        }
    return speed;
}

static SticInteraction interaction_of(const SticSolid* solid, int32_t k)
{
    const SticSolidTouch* touch = &solid->touch[k];
    SticInteraction made = {.id = (uint64_t)k + 1,
                            .law = touch->friction > 0.0 ? STIC_LAW_CONE : STIC_LAW_NONNEG,
                            .level = STIC_LEVEL_CONTACT,
                            .rows = touch->friction > 0.0 ? 3 : 1,
                            .block = {-1, -1},
                            .bound_of = -1,
                            .part = {k, -1},
                            .coef = {touch->friction}};
    bool moves =
        touch->obstacle >= 0 && stic_vec3_norm(solid->obstacle[touch->obstacle].velocity) > 0.0;
    for (int side = 0; side < 2; ++side)
        if (touch->node[side] >= 0) {
            made.block[side] = solid->block_of[touch->node[side]];
            moves = moves || stic_vec3_norm(held_velocity(solid, touch->node[side])) > 0.0;
        }
    // -2: what does not move by forces moves by itself
    if (moves && made.block[1] < 0)
        made.block[1] = -2;
    return made;
}

SticStatus stic_solid_detect(const SticSystem* system, const SticState* state,
                             const SticReach* reach, SticArena* arena, SticSet* set)
{
    const SticSolid* solid = stic_solid_of(system);
    uint8_t* chosen = NULL;
    int32_t count = 0, rows = 0, *row_at = NULL;
    SticInteraction* interaction = NULL;
    STIC_TRY(STIC_TAKE(arena, &chosen, solid->touches));
    for (int32_t k = 0; k < solid->touches; ++k) {
        const Place place = place_of(solid, &solid->touch[k], state);
        double gap = place.gap;
        if (reach->time > 0.0) {
            const double speed = opening(solid, &solid->touch[k], &place, reach);
            gap += speed < 0.0 ? reach->time * speed : 0.0;
        }
        chosen[k] = gap <= reach->gap ? 1 : 0;
        count += chosen[k];
    }
    STIC_TRY(STIC_TAKE(arena, &interaction, count));
    STIC_TRY(STIC_TAKE(arena, &row_at, count + 1));
    count = 0;
    for (int32_t k = 0; k < solid->touches; ++k) {
        if (chosen[k] == 0)
            continue;
        interaction[count] = interaction_of(solid, k);
        row_at[count] = rows;
        rows += interaction[count++].rows;
    }
    row_at[count] = rows;
    *set = (SticSet){.count = count, .rows = rows, .interaction = interaction, .row_at = row_at};
    return STIC_OK;
}

// rows of the axes over the free axes of a node
static void write_block(const SticSolid* solid, int32_t node, double sign, int32_t rows,
                        SticMat3 axes, double* value)
{
    for (int32_t r = 0; r < rows; ++r)
        for (int axis = 0; axis < 3; ++axis)
            if (solid->coordinate[3 * node + axis] >= 0)
                *value++ = sign * axes.m[r][axis];
}

// derivative of n . y: it turns as a ball's point moves
static void write_bend(const SticSolid* solid, const SticSolidTouch* touch, const Place* place,
                       const double* y, double* value)
{
    const int32_t node = touch->node[0];
    const SticVec3 n = stic_mat3_row(place->axes, 0);
    double full[3] = {0.0, 0.0, 0.0};
    for (int axis = 0; axis < 3; ++axis) {
        const int32_t at = solid->coordinate[3 * node + axis];
        full[axis] = at >= 0 ? y[at] : 0.0;
    }
    const SticVec3 along = stic_vec3_load(full);
    const SticVec3 bend = stic_vec3_scale(1.0 / place->distance,
                                          stic_vec3_add_scaled(along, -stic_vec3_dot(n, along), n));
    for (int axis = 0; axis < 3; ++axis)
        if (solid->coordinate[3 * node + axis] >= 0)
            *value++ = stic_vec3_get(bend, axis);
}

static void measure_one(const SticSolid* solid, const SticSet* set, int32_t i,
                        const SticState* state, SticMeasures* measures)
{
    const SticInteraction* interaction = &set->interaction[i];
    const SticSolidTouch* touch = &solid->touch[interaction->part[0]];
    const Place place = place_of(solid, touch, state);
    const int32_t at = set->row_at[i], rows = interaction->rows;
    const uint32_t want = measures->want;
    for (int32_t r = 0; r < rows; ++r) {
        if (want & STIC_WANT_GAP)
            measures->gap[at + r] = r == 0 ? place.gap : 0.0;
        if (want & STIC_WANT_CHI)
            measures->chi[at + r] = stic_vec3_dot(stic_mat3_row(place.axes, r), place.drift);
        if (want & STIC_WANT_BIAS)
            measures->bias[at + r] = 0.0;
    }
    for (int side = 0; side < 2; ++side) {
        const double sign = side == 0 ? 1.0 : -1.0;
        if (interaction->block[side] < 0)
            continue;
        if (want & STIC_WANT_H)
            write_block(solid, touch->node[side], sign, rows, place.axes,
                        measures->H + measures->u_pattern->at[i][side]);
        if (want & STIC_WANT_G)
            write_block(solid, touch->node[side], sign, rows, place.axes,
                        measures->G + measures->q_pattern->at[i][side]);
        if (want & STIC_WANT_C) {
            double* C = measures->C + measures->q_pattern->at[i][side];
            const int32_t* q_at = solid->at + interaction->block[side];
            memset(C, 0, (size_t)(rows * (q_at[1] - q_at[0])) * sizeof *C);
            if (place.distance < INFINITY)
                write_bend(solid, touch, &place, measures->y, C);
        }
    }
}

SticStatus stic_solid_measure(const SticSystem* system, const SticSet* set, const SticState* state,
                              SticMeasures* measures)
{
    const SticSolid* solid = stic_solid_of(system);
    for (int32_t i = 0; i < set->count; ++i)
        measure_one(solid, set, i, state, measures);
    return STIC_OK;
}
