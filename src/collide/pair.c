// SPDX-License-Identifier: Apache-2.0
// Contacts of two shapes: taken apart into convex parts, pair by pair, sorted by feature.
//
// The pair is looked at from the shape with the lower key, relative to the origin of the other: the
// result depends neither on the order of the arguments nor, up to the rounding of coordinates, on
// where the scene lies. Elements of compounds and triangles of meshes are found by the boxes of
// their trees. Features of parts are mixed with the number of the part.
#include <math.h>
#include <string.h>

#include "collide/part.h"

#include "stiction/extend/base.h"

struct SticCollide {
    SticContext context;
    SticCollideSettings settings;
    SticArena* arena;
    SticContact *contact, *sorted; // as found, and by feature
    size_t capacity, sorted_capacity;
};

SticCollideSettings stic_collide_default_settings(void)
{
    return (SticCollideSettings){
        .rule = STIC_RULE_MANIFOLD, .intersection = STIC_INTERSECTION_CLIPPING, .reduce = false};
}

SticStatus stic_collide_create(const SticContext* context, const SticCollideSettings* settings,
                               SticCollide** collide)
{
    *collide = NULL;
    SticCollide* made;
    STIC_TRY(STIC_ALLOCATE(context, &made, 1));
    made->context = *context;
    made->settings = *settings;
    const SticStatus status = stic_arena_create(context, 1 << 14, &made->arena);
    if (status != STIC_OK) {
        STIC_RELEASE(context, made, 1);
        return status;
    }
    *collide = made;
    return STIC_OK;
}

void stic_collide_destroy(SticCollide* collide)
{
    if (collide == NULL)
        return;
    const SticContext context = collide->context;
    stic_arena_destroy(collide->arena);
    STIC_RELEASE(&context, collide->contact, collide->capacity);
    STIC_RELEASE(&context, collide->sorted, collide->sorted_capacity);
    STIC_RELEASE(&context, collide, 1);
}

void stic_collide_beside(SticCollide* collide, bool beside)
{
    collide->settings.beside = beside;
}

/* ---- the list ---- */

static bool is_sorted(const SticContact* list, int32_t count)
{
    int32_t i = 1;
    while (i < count && list[i - 1].feature <= list[i].feature)
        ++i;
    return i >= count;
}

// by feature: each contact goes to the place that the number of smaller ones gives it. Lists are
// short, and merely counting comparisons avoids branches that cannot be predicted.
static SticStatus sort_contacts(SticCollide* collide, int32_t count)
{
    const SticContact* list = collide->contact;
    int32_t* rank;
    STIC_TRY(STIC_RESERVE(&collide->context, &collide->sorted, &collide->sorted_capacity, count));
    STIC_TRY(STIC_TAKE(collide->arena, &rank, count));
    for (int32_t i = 0; i < count; ++i) {
        int32_t smaller = 0;
        for (int32_t j = 0; j < i; ++j) {
            const int32_t before = list[j].feature <= list[i].feature;
            smaller += before;
            rank[j] += 1 - before;
        }
        rank[i] = smaller;
    }
    for (int32_t i = 0; i < count; ++i)
        collide->sorted[rank[i]] = list[i];
    return STIC_OK;
}

/* ---- convex parts ---- */

SticPose stic_part_seen_from(const SticPart* part, const SticPart* frame)
{
    const SticVec3 d = stic_vec3_sub(part->pose.origin, frame->pose.origin);
    return (SticPose){.F = stic_mat3_transpose_mul(frame->pose.F, part->pose.F),
                      .origin = stic_mat3_transpose_mul_vec(frame->pose.F, d),
                      .rigid = part->pose.rigid};
}

bool stic_part_is(const SticPart* part, SticShapeKind kind)
{
    return part->shape != NULL && part->shape->kind == kind && part->pose.rigid;
}

static bool is_whole_box(const SticPart* part)
{
    if (!stic_part_is(part, STIC_SHAPE_BOX))
        return false;
    const uint8_t* flag = part->polyhedron->face_flag;
    return (flag[0] | flag[1] | flag[2] | flag[3] | flag[4] | flag[5]) == 0;
}

static SticStatus touch_boxes(SticPairWork* work, const SticPart* first, const SticPart* second)
{
    const SticPose seen = stic_part_seen_from(first, second);
    const SticPolyhedron* const p[2] = {first->polyhedron, second->polyhedron};
    const SticVec3 half[2] = {first->shape->as.box.half, second->shape->as.box.half};
    const double radius = p[0]->radius < p[1]->radius ? p[0]->radius : p[1]->radius;
    SticAxis axis[3];
    SticHull hull[2];
    if (stic_boxes_separate(p, half, &seen, work->reach + STIC_TOUCH_PART * 2.0 * radius, axis))
        return STIC_OK;
    stic_hull_outline(p[0], &seen, &hull[0]);
    stic_hull_rest(p[1], &hull[1]);
    hull[0].box = hull[1].box = true;
    return stic_hulls_touch_along(work, hull, axis);
}

static SticStatus touch_polyhedra(SticPairWork* work, const SticPart* first, const SticPart* second)
{
    SticHull hull[2];
    const bool box[2] = {is_whole_box(first), is_whole_box(second)};
    if (box[0] && box[1])
        return touch_boxes(work, first, second);
    if (second->pose.rigid) {
        const SticPose seen = stic_part_seen_from(first, second);
        STIC_TRY(stic_hull_place(work->arena, first->polyhedron, &seen, &hull[0]));
        STIC_TRY(stic_hull_place(work->arena, second->polyhedron, NULL, &hull[1]));
    } else {
        STIC_TRY(stic_hull_place(work->arena, first->polyhedron, &first->pose, &hull[0]));
        STIC_TRY(stic_hull_place(work->arena, second->polyhedron, &second->pose, &hull[1]));
    }
    hull[0].box = box[0];
    hull[1].box = box[1];
    return stic_hulls_touch(work, hull);
}

static SticStatus touch_half_space(SticPairWork* work, const SticPart* part, const SticPart* plane)
{
    if (!plane->pose.rigid)
        return STIC_UNSUPPORTED;
    if (part->polyhedron != NULL) {
        const SticPose seen = stic_part_seen_from(part, plane);
        SticHull hull;
        STIC_TRY(stic_hull_place(work->arena, part->polyhedron, &seen, &hull));
        const SticPlane* flat = &plane->shape->as.half_space;
        return work->settings->rule == STIC_RULE_CENTROID
                   ? stic_centroid_on_plane(work, &hull, flat, part->side)
                   : stic_hull_on_plane(work, &hull, flat, part->side);
    }
    if (stic_part_is(part, STIC_SHAPE_SPHERE))
        return stic_sphere_touch(work, part, plane);
    if (stic_part_is(part, STIC_SHAPE_CAPSULE))
        return stic_capsule_touch(work, part, plane);
    return stic_smooth_on_plane(work, part, plane);
}

static bool round_with(const SticPart* part)
{
    return part->polyhedron != NULL || stic_part_is(part, STIC_SHAPE_SPHERE) ||
           stic_part_is(part, STIC_SHAPE_CAPSULE);
}

SticStatus stic_part_touch(SticPairWork* work, const SticPart* first, const SticPart* second)
{
    STIC_ASSERT(first != second);
    const bool plane[2] = {first->shape != NULL && first->shape->kind == STIC_SHAPE_HALF_SPACE,
                           second->shape != NULL && second->shape->kind == STIC_SHAPE_HALF_SPACE};
    if (plane[0] && plane[1])
        return STIC_UNSUPPORTED;
    if (plane[0] || plane[1])
        return plane[0] ? touch_half_space(work, second, first)
                        : touch_half_space(work, first, second);
    if (first->polyhedron != NULL && second->polyhedron != NULL)
        return work->settings->rule == STIC_RULE_CENTROID ? stic_centroid_touch(work, first, second)
                                                          : touch_polyhedra(work, first, second);
    if (stic_part_is(first, STIC_SHAPE_SPHERE) &&
        (round_with(second) || stic_part_is(second, STIC_SHAPE_CYLINDER)))
        return stic_sphere_touch(work, first, second);
    if (stic_part_is(second, STIC_SHAPE_SPHERE) &&
        (round_with(first) || stic_part_is(first, STIC_SHAPE_CYLINDER)))
        return stic_sphere_touch(work, second, first);
    if (stic_part_is(first, STIC_SHAPE_CAPSULE) && stic_part_is(second, STIC_SHAPE_CAPSULE))
        return stic_capsule_touch(work, first, second);
    return stic_smooth_touch(work, first, second);
}

/* ---- taking apart ---- */

static bool is_mesh(const SticShape* shape)
{
    return shape->kind == STIC_SHAPE_MESH || shape->kind == STIC_SHAPE_SURFACE ||
           shape->kind == STIC_SHAPE_HEIGHT_FIELD;
}

// a round part meets two elements of a compound in one point on their seam
static void join_on_seams(SticPairWork* work, const SticShape* shape, int32_t first)
{
    if (stic_shape_is_convex(shape) && stic_shape_polyhedron(shape) == NULL)
        stic_contacts_join(work, first, STIC_SAME_PART * 2.0 * shape->radius);
}

// one convex part against the other shape, whole or in elements
static SticStatus touch_shape(SticPairWork* work, const SticPart* part, const SticShape* other,
                              const SticPose* pose)
{
    const int32_t side = 1 - part->side;
    if (is_mesh(other))
        return stic_part_touch_mesh(work, part, other, pose);
    const bool whole = other->kind != STIC_SHAPE_COMPOUND;
    const bool endless = part->shape->kind == STIC_SHAPE_HALF_SPACE;
    const SticCompound* compound = &other->as.compound;
    SticBounds box = {stic_vec3_zero(), stic_vec3_zero()};
    const int32_t first = work->count;
    if (!whole && !endless)
        box = stic_shape_bounds(part->shape, &part->pose,
                                work->reach + STIC_TOUCH_PART * 2.0 * part->shape->radius);
    for (int32_t i = 0; i < (whole ? 1 : compound->count); ++i) {
        const SticShape* shape = whole ? other : compound->element[i].shape;
        SticPart second = {shape, stic_shape_polyhedron(shape), *pose, side};
        if (!whole) {
            if (!compound->element[i].surface)
                continue;
            second.pose = stic_pose_compose(pose, &compound->element[i].pose);
            if (!endless && !stic_bounds_meet(box, stic_shape_bounds(shape, &second.pose, 0.0)))
                continue;
            work->place[side] = &compound->element[i].pose;
            work->element[side] = work->region[side] = (uint32_t)i + 1;
        }
        STIC_TRY(side == 1 ? stic_part_touch(work, part, &second)
                           : stic_part_touch(work, &second, part));
    }
    if (!whole)
        join_on_seams(work, part->shape, first);
    return STIC_OK;
}

// the first of the two is taken apart here, the other by touch_shape
static SticStatus touch_all(SticPairWork* work, const SticShape* const shape[2])
{
    const int side = is_mesh(shape[0]) ? 1 : 0;
    const SticShape *own = shape[side], *other = shape[1 - side];
    if (is_mesh(own))
        return STIC_UNSUPPORTED;
    const bool whole = own->kind != STIC_SHAPE_COMPOUND;
    for (int32_t i = 0; i < (whole ? 1 : own->as.compound.count); ++i) {
        const SticElement* element = whole ? NULL : &own->as.compound.element[i];
        const SticShape* shape_i = whole ? own : element->shape;
        SticPart part = {shape_i, stic_shape_polyhedron(shape_i), work->pose[side], side};
        if (!whole) {
            if (!element->surface)
                continue;
            part.pose = stic_pose_compose(&work->pose[side], &element->pose);
            work->place[side] = &element->pose;
            work->element[side] = work->region[side] = (uint32_t)i + 1;
        }
        work->element[1 - side] = work->region[1 - side] = 0;
        STIC_TRY(touch_shape(work, &part, other, &work->pose[1 - side]));
    }
    if (!whole)
        join_on_seams(work, other, 0);
    return STIC_OK;
}

// set field by field: clearing the whole struct first would take as long as a separating axis
static void open_pair(SticCollide* collide, const SticPose* low, const SticPose* high,
                      SticPairWork* work)
{
    work->settings = &collide->settings;
    work->arena = collide->arena;
    work->context = &collide->context;
    work->contact = collide->contact;
    work->capacity = collide->capacity;
    work->count = 0;
    work->base = high->origin;
    work->pose[0] = *low;
    work->pose[1] = *high;
    for (int k = 0; k < 2; ++k) {
        work->pose[k].origin = stic_vec3_sub(work->pose[k].origin, work->base);
        work->place[k] = NULL;
        work->element[k] = work->region[k] = 0;
    }
    work->face_side = -1;
    work->corners = true;
}

SticStatus stic_collide_pair(SticCollide* collide, const SticCollider* first,
                             const SticCollider* second, double reach, const SticContact** contacts,
                             int32_t* count)
{
    STIC_ASSERT(first != NULL && second != NULL);
    STIC_ASSERT(contacts != NULL && count != NULL);
    STIC_ASSERT(!isnan(reach));
    const bool exchanged = second->key < first->key;
    const SticCollider* low = exchanged ? second : first;
    const SticCollider* high = exchanged ? first : second;
    SticPairWork work;
    open_pair(collide, &low->pose, &high->pose, &work);
    work.reach = reach;
    const SticShape* const shape[2] = {low->shape, high->shape};
    const SticArenaMark mark = stic_arena_mark(collide->arena);
    SticStatus status = touch_all(&work, shape);
    collide->contact = work.contact;
    collide->capacity = work.capacity;
    SticContact* list = work.contact;
    if (status == STIC_OK && !is_sorted(list, work.count)) {
        status = sort_contacts(collide, work.count);
        list = collide->sorted;
    }
    stic_arena_rewind(collide->arena, mark);
    *count = status == STIC_OK ? work.count : 0;
    for (int32_t i = 0; exchanged && i < *count; ++i)
        list[i].swapped = !list[i].swapped;
    *contacts = list;
    return status;
}
