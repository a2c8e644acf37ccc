// SPDX-License-Identifier: Apache-2.0
// Contacts of spheres and capsules.
//
// A ball touches one feature of a polyhedron: the face, edge or vertex nearest to its centre, or,
// with the centre inside, the face it is least deep under. Internal faces and the edges and
// vertices next to them are not features: a ball that rolls over them feels only the faces.
//
// A capsule is a segment with a radius, and a half-space touches its two ends. For two capsules the
// nearest points are known in closed form; contacts of sides along each other are found in
// overlap.c, as for all other shapes that have sides.
#include <math.h>

#include "collide/overlap.h"

#include "stiction/extend/base.h"

/// Part of an edge by which rounding may put a point beyond its end.
#define AT_END 1e-12

enum { TOUCH_FACE, TOUCH_EDGE, TOUCH_VERTEX, TOUCH_INSIDE };

typedef struct Ball {
    SticVec3 x;     // centre in the frame of the pair
    SticVec3 local; // centre in the frame of its shape
    double radius;
    int32_t number; // of the balls of one shape
    int32_t side;
} Ball;

// the feature of a hull nearest to a point
typedef struct Nearest {
    int32_t kind, index;
    int32_t face;
    SticVec3 x; // nearest point of the hull
    double distance;
    double exit;
} Nearest;

static double slack_of(const SticPart* a, const SticPart* b)
{
    const double u = a->shape != NULL ? a->shape->radius : a->polyhedron->radius;
    const double v = b->shape != NULL ? b->shape->radius : b->polyhedron->radius;
    return STIC_TOUCH_PART * 2.0 * (u < v ? u : v);
}

static SticContact start(const Ball* ball, SticContactKernel kernel, uint32_t type, int32_t index)
{
    SticContact contact = {.kernel = (uint8_t)kernel, .swapped = ball->side == 1};
    contact.feature = stic_feature(type, 0, index, ball->number, 0);
    stic_vec3_store(ball->local, contact.local);
    return contact;
}

/* ---- a ball and a polyhedron ---- */

// nearest point of a face to a point above its plane; false if it is no better than `near`
static void nearest_of_face(const SticHull* hull, int32_t face, SticVec3 c, double same,
                            Nearest* near)
{
    const SticPolyhedron* p = hull->topology;
    const SticVec3 n = hull->plane[face].normal;
    const double height = stic_vec3_dot(n, c) - hull->plane[face].offset;
    const int32_t from = p->face_begin[face], to = p->face_begin[face + 1];
    double left = (double)INFINITY;
    bool inside = true;
    for (int32_t k = from; k < to; ++k) {
        const int32_t v = p->face_vertex[k], w = p->face_vertex[k + 1 < to ? k + 1 : from];
        const SticVec3 a = hull->vertex[v], e = stic_vec3_sub(hull->vertex[w], a);
        const SticVec3 d = stic_vec3_sub(c, a);
        const double length2 = stic_vec3_norm2(e);
        const double in = stic_vec3_dot(stic_vec3_cross(n, e), d) / sqrt(length2);
        left = in < left ? in : left;
        // a face that ends inside a compound or mesh continues there: rounding must not lose the
        // ball
        if (in >= 0.0 || (in >= -same && !stic_edge_counts(p, p->face_edge[k])))
            continue;
        inside = false;
        double t = stic_vec3_dot(d, e) / length2;
        // an end belongs to the edge: on a seam the vertex itself may not be a feature
        const int32_t kind = t < -AT_END || t > 1.0 + AT_END ? TOUCH_VERTEX : TOUCH_EDGE;
        t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
        const SticVec3 x = stic_vec3_add_scaled(a, t, e);
        const double distance = stic_vec3_distance(c, x);
        if (distance < near->distance)
            *near = (Nearest){.kind = kind,
                              .index = kind == TOUCH_EDGE ? p->face_edge[k]
                                       : t > 0.0          ? w
                                                          : v,
                              .face = face,
                              .x = x,
                              .distance = distance,
                              .exit = (t < 0.5 ? t : 1.0 - t) * sqrt(length2)};
    }
    if (inside && height < near->distance)
        *near = (Nearest){.kind = TOUCH_FACE,
                          .index = face,
                          .face = face,
                          .x = stic_vec3_add_scaled(c, -height, n),
                          .distance = height,
                          .exit = left};
}

static Nearest nearest_of_hull(const SticHull* hull, SticVec3 c, double same)
{
    const SticPolyhedron* p = hull->topology;
    Nearest near = {.kind = -1, .distance = (double)INFINITY};
    double highest = -(double)INFINITY;
    int32_t top = -1;
    for (int32_t f = 0; f < p->face_count; ++f) {
        const double h = stic_vec3_dot(hull->plane[f].normal, c) - hull->plane[f].offset;
        if (!stic_hull_face_counts(p, f))
            continue;
        if (h > highest) {
            highest = h;
            top = f;
        }
        if (h >= 0.0 && h < near.distance)
            nearest_of_face(hull, f, c, same, &near);
    }
    if (near.kind >= 0 || top < 0)
        return near;
    // inside: the face of least depth
    nearest_of_face(hull, top, c, same, &near);
    near.exit = near.kind == TOUCH_FACE ? near.exit : 0.0;
    near.kind = TOUCH_FACE;
    near.index = near.face = top;
    near.distance = highest;
    return near;
}

// distance until a point leaves the region of a vertex
static double vertex_exit(const SticHull* hull, int32_t vertex, SticVec3 c)
{
    const SticPolyhedron* p = hull->topology;
    double least = (double)INFINITY;
    for (int32_t k = p->vertex_begin[vertex]; k < p->vertex_begin[vertex + 1]; ++k) {
        const SticVec3 e = stic_vec3_normalize(
            stic_vec3_sub(hull->vertex[p->vertex_neighbour[k]], hull->vertex[vertex]));
        const double left = -stic_vec3_dot(stic_vec3_sub(c, hull->vertex[vertex]), e);
        least = left < least ? left : least;
    }
    return least > 0.0 ? least : 0.0;
}

static SticStatus ball_on_hull(SticPairWork* work, const SticHull* hull, const Ball* ball,
                               double slack)
{
    const SticPolyhedron* p = hull->topology;
    const Nearest near = nearest_of_hull(hull, ball->x, STIC_SAME_PART / STIC_TOUCH_PART * slack);
    if (near.kind < 0 || near.distance - ball->radius > work->reach + slack)
        return STIC_OK;
    SticContact contact;
    if (near.kind == TOUCH_FACE) {
        contact = start(ball, STIC_CONTACT_PLANE, TOUCH_FACE, near.index);
        const int32_t v = p->face_vertex[p->face_begin[near.index]];
        stic_vec3_store(p->vertex[v], contact.local + 3);
        stic_vec3_store(p->plane[near.index].normal, contact.local + 6);
        contact.local[9] = ball->radius;
        contact.exit = near.exit;
        work->face_side = 1 - ball->side;
    } else if (near.kind == TOUCH_EDGE) {
        if (!stic_edge_counts(p, near.index))
            return STIC_OK;
        const int32_t* v = p->edge[near.index].vertex;
        contact = start(ball, STIC_CONTACT_ROUND_EDGE, TOUCH_EDGE, near.index);
        stic_vec3_store(p->vertex[v[0]], contact.local + 3);
        stic_vec3_store(stic_vec3_sub(p->vertex[v[1]], p->vertex[v[0]]), contact.local + 6);
        contact.local[9] = ball->radius;
        contact.exit = near.exit;
    } else {
        if (!stic_vertex_counts(p, near.index))
            return STIC_OK;
        contact = start(ball, STIC_CONTACT_ROUND, TOUCH_VERTEX, near.index);
        stic_vec3_store(p->vertex[near.index], contact.local + 3);
        contact.local[6] = ball->radius;
        contact.exit = vertex_exit(hull, near.index, ball->x);
    }
    const SticStatus status = stic_contact_put(work, &contact, slack);
    work->face_side = -1;
    return status;
}

/* ---- balls and other shapes ---- */

static SticStatus ball_on_plane(SticPairWork* work, const Ball* ball, const SticPlane* plane,
                                double slack)
{
    SticContact contact = start(ball, STIC_CONTACT_PLANE, TOUCH_FACE, 0);
    stic_vec3_store(stic_vec3_scale(plane->offset, plane->normal), contact.local + 3);
    stic_vec3_store(plane->normal, contact.local + 6);
    contact.local[9] = ball->radius;
    contact.exit = (double)INFINITY;
    return stic_contact_put(work, &contact, slack);
}

static SticStatus ball_on_ball(SticPairWork* work, const Ball* ball, const Ball* other,
                               double slack)
{
    SticContact contact = start(ball, STIC_CONTACT_ROUND, TOUCH_VERTEX, other->number);
    stic_vec3_store(other->local, contact.local + 3);
    contact.local[6] = ball->radius;
    contact.local[7] = other->radius;
    contact.exit = (double)INFINITY;
    return stic_contact_put(work, &contact, slack);
}

// a ball and the infinite cylinder of a radius about the z axis of the other shape
static SticStatus ball_on_axis(SticPairWork* work, const Ball* ball, double radius, double exit,
                               double slack)
{
    SticContact contact = start(ball, STIC_CONTACT_ROUND_EDGE, TOUCH_EDGE, 0);
    contact.local[8] = 1.0;
    contact.local[9] = ball->radius;
    contact.local[10] = radius;
    contact.exit = exit;
    return stic_contact_put(work, &contact, slack);
}

static SticStatus ball_on_capsule(SticPairWork* work, const Ball* ball, const SticShape* capsule,
                                  double slack)
{
    const double h = capsule->as.capsule.half_length, radius = capsule->as.capsule.radius;
    if (fabs(ball->x.z) <= h)
        return ball_on_axis(work, ball, radius, h - fabs(ball->x.z), slack);
    const bool low = ball->x.z < 0.0;
    const Ball end = {.local = stic_vec3(0.0, 0.0, low ? -h : h),
                      .radius = radius,
                      .number = low ? 0 : 1,
                      .side = 1 - ball->side};
    return ball_on_ball(work, ball, &end, slack);
}

static SticStatus ball_on_cylinder(SticPairWork* work, const Ball* ball, const SticShape* cylinder,
                                   double slack)
{
    const double h = cylinder->as.cylinder.half_height, radius = cylinder->as.cylinder.radius;
    const double rho = sqrt(ball->x.x * ball->x.x + ball->x.y * ball->x.y);
    const double beyond = fabs(ball->x.z) - h, outside = rho - radius;
    const double sign = ball->x.z < 0.0 ? -1.0 : 1.0;
    if (outside > 0.0 && beyond > 0.0) {
        const SticVec3 rim =
            stic_vec3(ball->x.x * radius / rho, ball->x.y * radius / rho, sign * h);
        SticContact contact = start(ball, STIC_CONTACT_ROUND, TOUCH_VERTEX, sign > 0.0);
        stic_vec3_store(rim, contact.local + 3);
        contact.local[6] = ball->radius;
        return stic_contact_put(work, &contact, slack);
    }
    if (outside > beyond)
        return ball_on_axis(work, ball, radius, -beyond, slack);
    const SticPlane cap = {stic_vec3(0.0, 0.0, sign), h};
    SticContact contact = start(ball, STIC_CONTACT_PLANE, TOUCH_FACE, sign > 0.0);
    stic_vec3_store(stic_vec3_scale(cap.offset, cap.normal), contact.local + 3);
    stic_vec3_store(cap.normal, contact.local + 6);
    contact.local[9] = ball->radius;
    contact.exit = -outside;
    return stic_contact_put(work, &contact, slack);
}

// hull of the other part in a frame in which `pose` places the first
static SticStatus place_pair(SticPairWork* work, const SticPart* part, const SticPart* other,
                             SticHull* hull, SticPose* pose)
{
    if (other->pose.rigid) {
        *pose = stic_part_seen_from(part, other);
        return stic_hull_place(work->arena, other->polyhedron, NULL, hull);
    }
    *pose = part->pose;
    return stic_hull_place(work->arena, other->polyhedron, &other->pose, hull);
}

SticStatus stic_sphere_touch(SticPairWork* work, const SticPart* sphere, const SticPart* other)
{
    Ball ball = {
        .local = stic_vec3_zero(), .radius = sphere->shape->as.sphere.radius, .side = sphere->side};
    const bool plane = other->shape != NULL && other->shape->kind == STIC_SHAPE_HALF_SPACE;
    const double slack = plane ? STIC_TOUCH_PART * 2.0 * ball.radius : slack_of(sphere, other);
    if (other->polyhedron != NULL) {
        SticHull hull;
        SticPose seen;
        STIC_TRY(place_pair(work, sphere, other, &hull, &seen));
        ball.x = seen.origin;
        return ball_on_hull(work, &hull, &ball, slack);
    }
    ball.x = stic_part_seen_from(sphere, other).origin;
    if (plane)
        return ball_on_plane(work, &ball, &other->shape->as.half_space, slack);
    if (other->shape->kind == STIC_SHAPE_CAPSULE)
        return ball_on_capsule(work, &ball, other->shape, slack);
    if (other->shape->kind == STIC_SHAPE_CYLINDER)
        return ball_on_cylinder(work, &ball, other->shape, slack);
    const Ball second = {.radius = other->shape->as.sphere.radius, .side = other->side};
    return ball_on_ball(work, &ball, &second, slack);
}

/* ---- capsules ---- */

typedef struct Segment {
    SticVec3 x[2]; // ends in the frame of the pair
    double h, radius;
    int32_t side;
} Segment;

static Segment segment_of(const SticPart* capsule, const SticPose* seen)
{
    Segment s = {.h = capsule->shape->as.capsule.half_length,
                 .radius = capsule->shape->as.capsule.radius,
                 .side = capsule->side};
    s.x[0] = stic_pose_apply(seen, stic_vec3(0.0, 0.0, -s.h));
    s.x[1] = stic_pose_apply(seen, stic_vec3(0.0, 0.0, s.h));
    return s;
}

static Ball ball_at(const Segment* s, double t, int32_t number)
{
    return (Ball){.x = stic_vec3_lerp(s->x[0], s->x[1], t),
                  .local = stic_vec3(0.0, 0.0, (2.0 * t - 1.0) * s->h),
                  .radius = s->radius,
                  .number = number,
                  .side = s->side};
}

// nearest points of two segments that are not parallel (Ericson 2005, section 5.1.9)
static void nearest_on_segments(const Segment* s, const Segment* r, double t[2])
{
    const SticVec3 d = stic_vec3_sub(s->x[1], s->x[0]), e = stic_vec3_sub(r->x[1], r->x[0]);
    const SticVec3 o = stic_vec3_sub(s->x[0], r->x[0]);
    const double a = stic_vec3_norm2(d), b = stic_vec3_dot(d, e), c = stic_vec3_norm2(e);
    const double f = stic_vec3_dot(d, o), g = stic_vec3_dot(e, o);
    const double det = a * c - b * b;
    double u = det > 0.0 ? (b * g - c * f) / det : 0.0;
    u = u < 0.0 ? 0.0 : u > 1.0 ? 1.0 : u;
    double v = c > 0.0 ? (b * u + g) / c : 0.0;
    if (v < 0.0 || v > 1.0 || c == 0.0) {
        v = v < 0.0 ? 0.0 : v > 1.0 ? 1.0 : v;
        u = a > 0.0 ? (b * v - f) / a : 0.0;
        u = u < 0.0 ? 0.0 : u > 1.0 ? 1.0 : u;
    }
    t[0] = u;
    t[1] = v;
}

static double lowest(const Segment* s, SticVec3 n)
{
    const double u = stic_vec3_dot(n, s->x[0]), v = stic_vec3_dot(n, s->x[1]);
    return u < v ? u : v;
}

static SticStatus capsule_on_capsule(SticPairWork* work, const SticPart* first,
                                     const SticPart* second)
{
    SticSides sides = {.part = {first, second}};
    sides.pose[0] = stic_part_seen_from(first, second);
    sides.pose[1] = stic_pose_identity();
    stic_sides_measure(&sides);
    const Segment s = segment_of(first, &sides.pose[0]), r = segment_of(second, &sides.pose[1]);
    double t[2];
    nearest_on_segments(&s, &r, t);
    SticNearest near = {.a = stic_vec3_lerp(s.x[0], s.x[1], t[0]),
                        .b = stic_vec3_lerp(r.x[0], r.x[1], t[1]),
                        .sine = STIC_NORMAL_EQUAL};
    const SticVec3 d = stic_vec3_sub(near.a, near.b);
    const double distance = stic_vec3_norm(d);
    if (distance - (s.radius + r.radius) > work->reach + sides.slack)
        return STIC_OK;
    // where axes meet, only their common normal is left as a direction
    const SticVec3 across =
        stic_vec3_cross(stic_vec3_sub(s.x[1], s.x[0]), stic_vec3_sub(r.x[1], r.x[0]));
    near.n = distance > 0.0                 ? stic_vec3_scale(1.0 / distance, d)
             : stic_vec3_norm(across) > 0.0 ? stic_vec3_normalize(across)
                                            : stic_vec3(1.0, 0.0, 0.0);
    near.apart = lowest(&s, near.n) + lowest(&r, stic_vec3_neg(near.n)) - (s.radius + r.radius);
    near.a = stic_vec3_add_scaled(near.a, -s.radius, near.n);
    near.b = stic_vec3_add_scaled(near.b, r.radius, near.n);
    return stic_near_touch(work, &sides, &near);
}

SticStatus stic_capsule_touch(SticPairWork* work, const SticPart* capsule, const SticPart* other)
{
    if (other->shape->kind != STIC_SHAPE_HALF_SPACE)
        return capsule->side == 0 ? capsule_on_capsule(work, capsule, other)
                                  : capsule_on_capsule(work, other, capsule);
    const SticPose seen = stic_part_seen_from(capsule, other);
    const Segment s = segment_of(capsule, &seen);
    for (int32_t k = 0; k < 2; ++k) {
        const Ball ball = ball_at(&s, k, k);
        STIC_TRY(ball_on_plane(work, &ball, &other->shape->as.half_space,
                               STIC_TOUCH_PART * 2.0 * capsule->shape->radius));
    }
    return STIC_OK;
}
