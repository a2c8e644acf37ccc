// SPDX-License-Identifier: Apache-2.0
// Contacts of spheres and capsules.
//
// A ball touches one feature of a polyhedron: the face, edge or vertex nearest to its centre, or,
// with the centre inside, the face it is least deep under. Internal faces and the edges and
// vertices next to them are no features: a ball that rolls over them feels the faces only.
//
// A capsule is a segment with a radius. Over a face it touches with the two ends of the part of the
// segment that lies over it; elsewhere with one point, an end of the segment or the nearest point
// of its inside, which slides along (frozen where it is: the gap keeps its value to second order in
// the motion). Two capsules that are parallel up to PARALLEL touch with the two ends of the part
// they run along each other. If the segment itself is inside, the face or pair of edges of least
// depth takes the place of the nearest features.
#include <math.h>

#include "collide/depth.h"
#include "collide/part.h"

/// Sine of the angle below which a segment is parallel to another, or a normal to that of a face.
#define PARALLEL     1e-3
#define NORMAL_EQUAL 1e-6
/// Angle between a segment and a face up to which both ends of the part over it carry load, slope
/// up to which one of them is then a pair of features, and least sine between segment and side.
#define TILT 1e-2
/// Part of the radius that a segment must be above an edge to pass it.
#define LEAST_HEIGHT 0.1
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

static bool edge_counts(const SticPolyhedron* p, int32_t edge)
{
    const int32_t* face = p->edge[edge].face;
    return ((p->face_flag[face[0]] | p->face_flag[face[1]]) & STIC_FACE_INTERNAL) == 0;
}

// nearest point of a face to a point above its plane; false if it is no better than `near`
static void nearest_of_face(const SticHull* hull, int32_t face, SticVec3 c, double height,
                            Nearest* near)
{
    const SticPolyhedron* p = hull->topology;
    const SticVec3 n = hull->plane[face].normal;
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
        if (in >= 0.0)
            continue;
        inside = false;
        double t = stic_vec3_dot(d, e) / length2;
        // an end belongs to the edge: on a seam the vertex itself may be no feature
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

static Nearest nearest_of_hull(const SticHull* hull, SticVec3 c)
{
    const SticPolyhedron* p = hull->topology;
    Nearest near = {.kind = -1, .distance = (double)INFINITY};
    double highest = -(double)INFINITY;
    int32_t top = -1;
    for (int32_t f = 0; f < p->face_count; ++f) {
        const double h = stic_vec3_dot(hull->plane[f].normal, c) - hull->plane[f].offset;
        if (!stic_face_counts(p, f))
            continue;
        if (h > highest) {
            highest = h;
            top = f;
        }
        if (h >= 0.0 && h < near.distance)
            nearest_of_face(hull, f, c, h, &near);
    }
    if (near.kind >= 0 || top < 0)
        return near;
    // inside: the face of least depth
    nearest_of_face(hull, top, c, highest, &near);
    near.exit = near.kind == TOUCH_FACE ? near.exit : 0.0;
    near.kind = TOUCH_FACE;
    near.index = near.face = top;
    near.distance = highest;
    return near;
}

static bool vertex_counts(const SticPolyhedron* p, int32_t vertex)
{
    for (int32_t k = p->vertex_begin[vertex]; k < p->vertex_begin[vertex + 1]; ++k)
        if (!edge_counts(p, p->vertex_edge[k]))
            return false;
    return true;
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
    const Nearest near = nearest_of_hull(hull, ball->x);
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
    } else if (near.kind == TOUCH_EDGE) {
        if (!edge_counts(p, near.index))
            return STIC_OK;
        const int32_t* v = p->edge[near.index].vertex;
        contact = start(ball, STIC_CONTACT_ROUND_EDGE, TOUCH_EDGE, near.index);
        stic_vec3_store(p->vertex[v[0]], contact.local + 3);
        stic_vec3_store(stic_vec3_sub(p->vertex[v[1]], p->vertex[v[0]]), contact.local + 6);
        contact.local[9] = ball->radius;
        contact.exit = near.exit;
    } else {
        if (!vertex_counts(p, near.index))
            return STIC_OK;
        contact = start(ball, STIC_CONTACT_ROUND, TOUCH_VERTEX, near.index);
        stic_vec3_store(p->vertex[near.index], contact.local + 3);
        contact.local[6] = ball->radius;
        contact.exit = vertex_exit(hull, near.index, ball->x);
    }
    return stic_contact_put(work, &contact, slack);
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

// the part of a segment over a face; false if none
static bool clip_segment(const SticHull* hull, int32_t face, const Segment* s, double t[2],
                         int32_t line[2])
{
    const SticPolyhedron* p = hull->topology;
    const SticVec3 n = hull->plane[face].normal;
    const int32_t from = p->face_begin[face], to = p->face_begin[face + 1];
    t[0] = 0.0;
    t[1] = 1.0;
    line[0] = 0;
    line[1] = 1;
    for (int32_t k = from; k < to; ++k) {
        const SticVec3 a = hull->vertex[p->face_vertex[k]];
        const SticVec3 b = hull->vertex[p->face_vertex[k + 1 < to ? k + 1 : from]];
        const SticVec3 out = stic_vec3_cross(stic_vec3_sub(b, a), n);
        const double u = stic_vec3_dot(out, stic_vec3_sub(s->x[0], a));
        const double v = stic_vec3_dot(out, stic_vec3_sub(s->x[1], a));
        if (u > 0.0 && v > 0.0)
            return false;
        if (u > 0.0 && u / (u - v) > t[0]) {
            t[0] = u / (u - v);
            line[0] = 2 + p->face_edge[k];
        }
        if (v > 0.0 && u / (u - v) < t[1]) {
            t[1] = u / (u - v);
            line[1] = 2 + p->face_edge[k];
        }
    }
    return t[0] <= t[1];
}

// where a segment and an edge pass each other
typedef struct Passing {
    SticVec3 x[2]; // nearest points of the two lines
    double t, u;   // on the segment and on the edge, 0 to 1
    double sine2;  // of the angle between them
} Passing;

static Passing pass(const SticHull* hull, int32_t edge, const Segment* s)
{
    const int32_t* v = hull->topology->edge[edge].vertex;
    const SticVec3 a = hull->vertex[v[0]], e = stic_vec3_sub(hull->vertex[v[1]], a);
    const SticVec3 d = stic_vec3_sub(s->x[1], s->x[0]), o = stic_vec3_sub(s->x[0], a);
    const double dd = stic_vec3_norm2(d), ee = stic_vec3_norm2(e), de = stic_vec3_dot(d, e);
    const double f = stic_vec3_dot(d, o), g = stic_vec3_dot(e, o), det = dd * ee - de * de;
    Passing p = {.t = (de * g - ee * f) / det, .u = (dd * g - de * f) / det};
    p.sine2 = det / (dd * ee);
    p.x[0] = stic_vec3_add_scaled(s->x[0], p.t, d);
    p.x[1] = stic_vec3_add_scaled(a, p.u, e);
    return p;
}

// the place where a segment leaves the space over a face, as a pair of segment and side; `done` if
// it is one, or need not be: above a face that the segment is tilted against only the lowest point
// is active, and along it the normals of the two places must agree (manifold.c)
static SticStatus segment_on_side(SticPairWork* work, const SticHull* hull, int32_t face,
                                  int32_t edge, const Segment* s, bool* done)
{
    const SticVec3 n = hull->plane[face].normal, d = stic_vec3_sub(s->x[1], s->x[0]);
    *done = false;
    if (!edge_counts(hull->topology, edge))
        return STIC_OK;
    const Passing p = pass(hull, edge, s);
    const SticVec3 across = stic_vec3_sub(p.x[0], p.x[1]);
    const double height = stic_vec3_dot(n, across), length2 = stic_vec3_norm2(across);
    const double rise = stic_vec3_dot(n, d);
    const bool tilted = rise * rise > TILT * TILT * stic_vec3_norm2(d);
    // the distance says nothing where the segment is at the edge or below
    const bool pair = p.sine2 >= TILT * TILT && p.t >= 0.0 && p.t <= 1.0 && p.u >= 0.0 &&
                      p.u <= 1.0 && height >= LEAST_HEIGHT * s->radius &&
                      (tilted || length2 <= (1.0 + TILT * TILT) * height * height);
    *done = pair || tilted;
    if (!pair)
        return STIC_OK;
    const Ball ball = ball_at(s, p.t, 2);
    SticContact contact = start(&ball, STIC_CONTACT_ROUND, TOUCH_INSIDE, edge);
    stic_vec3_store(stic_hull_local(hull, p.x[1]), contact.local + 3);
    contact.local[6] = s->radius;
    const double size = 2.0 * s->radius;
    return stic_contact_put(work, &contact, STIC_TOUCH_PART * size);
}

static SticStatus segment_on_plane(SticPairWork* work, const SticHull* hull, int32_t face,
                                   const Ball* ball, double slack)
{
    const SticPolyhedron* p = hull->topology;
    SticContact contact = start(ball, STIC_CONTACT_PLANE, TOUCH_FACE, face);
    stic_vec3_store(p->vertex[p->face_vertex[p->face_begin[face]]], contact.local + 3);
    stic_vec3_store(p->plane[face].normal, contact.local + 6);
    contact.local[9] = ball->radius;
    return stic_contact_put(work, &contact, slack);
}

static SticStatus segment_on_face(SticPairWork* work, const SticHull* hull, int32_t face,
                                  const Segment* s, double slack)
{
    const SticVec3 n = hull->plane[face].normal;
    const int32_t low = stic_vec3_dot(n, s->x[0]) <= stic_vec3_dot(n, s->x[1]) ? 0 : 1;
    const int32_t first = work->count;
    double t[2];
    int32_t line[2];
    // deep and beside the face: the deeper end
    if (!clip_segment(hull, face, s, t, line)) {
        const Ball ball = ball_at(s, low, low);
        return segment_on_plane(work, hull, face, &ball, slack);
    }
    const int32_t count = (t[1] - t[0]) * 2.0 * s->h <= STIC_SAME_PART * 2.0 * s->radius ? 1 : 2;
    bool dropped = false;
    for (int k = 0; k < count; ++k) {
        bool done = false;
        const int32_t before = work->count;
        // the first two numbers are the ends of the segment
        if (line[k] >= 2 && count == 2)
            STIC_TRY(segment_on_side(work, hull, face, line[k] - 2, s, &done));
        dropped = dropped || (done && work->count == before);
        const Ball ball = ball_at(s, t[k], line[k]);
        if (!done)
            STIC_TRY(segment_on_plane(work, hull, face, &ball, slack));
    }
    if (!dropped || work->count > first)
        return STIC_OK;
    // no place is a pair of features: the lower
    const Ball ball = ball_at(s, t[low], line[low]);
    return segment_on_plane(work, hull, face, &ball, slack);
}

// a frozen ball of the segment against a frozen point of the hull
static SticStatus segment_on_point(SticPairWork* work, const SticHull* hull, const Segment* s,
                                   double t, SticVec3 x, double slack)
{
    const SticPolyhedron* p = hull->topology;
    int32_t best = 0;
    double least = (double)INFINITY;
    for (int32_t i = 0; i < p->edge_count; ++i) {
        const SticVec3 a = hull->vertex[p->edge[i].vertex[0]];
        const SticVec3 e = stic_vec3_sub(hull->vertex[p->edge[i].vertex[1]], a);
        double u = stic_vec3_dot(stic_vec3_sub(x, a), e) / stic_vec3_norm2(e);
        u = u < 0.0 ? 0.0 : u > 1.0 ? 1.0 : u;
        const double d = stic_vec3_distance(x, stic_vec3_add_scaled(a, u, e));
        // near a vertex all its edges are as near: the first, whatever rounding says
        if (d < least - slack) {
            least = d;
            best = i;
        }
    }
    if (!edge_counts(p, best))
        return STIC_OK;
    const Ball ball = ball_at(s, t, 2);
    SticContact contact = start(&ball, STIC_CONTACT_ROUND, TOUCH_INSIDE, best);
    stic_vec3_store(stic_hull_local(hull, x), contact.local + 3);
    contact.local[6] = s->radius;
    return stic_contact_put(work, &contact, slack);
}

// segment inside the hull: the face of least depth
static int32_t least_deep_face(const SticHull* hull, const Segment* s)
{
    int32_t best = -1;
    double highest = -(double)INFINITY;
    for (int32_t f = 0; f < hull->topology->face_count; ++f) {
        const SticVec3 n = hull->plane[f].normal;
        const double u = stic_vec3_dot(n, s->x[0]), v = stic_vec3_dot(n, s->x[1]);
        const double h = (u < v ? u : v) - hull->plane[f].offset;
        if (h > highest && stic_face_counts(hull->topology, f)) {
            highest = h;
            best = f;
        }
    }
    return best;
}

static int32_t face_along(const SticHull* hull, SticVec3 n)
{
    int32_t best = -1;
    double most = 0.0;
    for (int32_t f = 0; f < hull->topology->face_count; ++f) {
        const double here = stic_vec3_dot(n, hull->plane[f].normal);
        if (here > most && stic_face_counts(hull->topology, f)) {
            most = here;
            best = f;
        }
    }
    return best;
}

// the segment meets the hull: the translation of least length that takes it out
static SticStatus segment_inside(SticPairWork* work, const SticHull* hull, const Segment* s,
                                 const SticGjk* gjk, double slack)
{
    const SticCore a = stic_core_points(s->x, 2);
    SticCore b = stic_core_points(hull->vertex, hull->topology->vertex_count);
    b.polyhedron = hull->topology;
    b.F = hull->F;
    SticDepth depth;
    STIC_TRY(stic_depth(work->arena, &a, &b, gjk, &depth));
    int32_t face = depth.found ? face_along(hull, depth.normal) : least_deep_face(hull, s);
    if (face < 0)
        return STIC_OK;
    const SticVec3 across = stic_vec3_cross(depth.normal, hull->plane[face].normal);
    if (!depth.found || stic_vec3_norm(across) <= NORMAL_EQUAL)
        return segment_on_face(work, hull, face, s, slack);
    // an edge: its plane is frozen in the polyhedron
    const SticVec3 e = stic_vec3_sub(s->x[1], s->x[0]);
    const double t = stic_vec3_dot(stic_vec3_sub(depth.a, s->x[0]), e) / stic_vec3_norm2(e);
    const Ball ball = ball_at(s, t, 2);
    SticContact contact = start(&ball, STIC_CONTACT_PLANE, TOUCH_INSIDE, face);
    stic_vec3_store(stic_hull_local(hull, depth.b), contact.local + 3);
    const SticVec3 n =
        hull->moved ? stic_mat3_transpose_mul_vec(hull->F, depth.normal) : depth.normal;
    stic_vec3_store(stic_vec3_normalize(n), contact.local + 6);
    contact.local[9] = s->radius;
    return stic_contact_put(work, &contact, slack);
}

static SticStatus capsule_on_hull(SticPairWork* work, const SticHull* hull, const Segment* s,
                                  double slack)
{
    const SticCore a = stic_core_points(s->x, 2);
    const SticCore b = stic_core_points(hull->vertex, hull->topology->vertex_count);
    const double enough = work->reach + slack + s->radius;
    const SticGjk gjk = stic_gjk(&a, &b, enough, STIC_SUBDISTANCE_FACES);
    if (gjk.overlap)
        return segment_inside(work, hull, s, &gjk, slack);
    const double distance = stic_vec3_norm(gjk.v);
    if (distance > enough || gjk.bound > enough)
        return STIC_OK;
    const SticVec3 n = stic_vec3_scale(1.0 / distance, gjk.v);
    const int32_t face = face_along(hull, n);
    if (face >= 0 && stic_vec3_norm(stic_vec3_cross(n, hull->plane[face].normal)) <= NORMAL_EQUAL)
        return segment_on_face(work, hull, face, s, slack);
    const SticVec3 e = stic_vec3_sub(s->x[1], s->x[0]);
    const double t = stic_vec3_dot(stic_vec3_sub(gjk.a, s->x[0]), e) / stic_vec3_norm2(e);
    if (!(t > STIC_TOUCH_PART && t < 1.0 - STIC_TOUCH_PART)) {
        const Ball ball = ball_at(s, t > 0.5 ? 1.0 : 0.0, t > 0.5);
        return ball_on_hull(work, hull, &ball, slack);
    }
    return segment_on_point(work, hull, s, t, gjk.b, slack);
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

static SticStatus capsule_on_capsule(SticPairWork* work, const Segment* s, const SticPart* other,
                                     double slack)
{
    const double h = other->shape->as.capsule.half_length;
    const Segment r = {.x = {{0.0, 0.0, -h}, {0.0, 0.0, h}},
                       .h = h,
                       .radius = other->shape->as.capsule.radius,
                       .side = other->side};
    const SticVec3 d = stic_vec3_sub(s->x[1], s->x[0]);
    const double length = stic_vec3_norm(d);
    const bool parallel =
        h > 0.0 && sqrt(d.x * d.x + d.y * d.y) < PARALLEL * length && length > 0.0;
    if (parallel) {
        // where s runs along r: |z| <= h
        const double at = (-h - s->x[0].z) / d.z, to = (h - s->x[0].z) / d.z;
        double t[2] = {at < to ? at : to, at < to ? to : at};
        const int32_t line[2] = {t[0] > 0.0 ? 2 : 0, t[1] < 1.0 ? 3 : 1};
        t[0] = t[0] > 0.0 ? t[0] : 0.0;
        t[1] = t[1] < 1.0 ? t[1] : 1.0;
        for (int k = 0; k < 2 && t[0] < t[1]; ++k) {
            const Ball ball = ball_at(s, t[k], line[k]);
            STIC_TRY(ball_on_axis(work, &ball, r.radius, 0.0, slack));
        }
        if (t[0] < t[1])
            return STIC_OK;
    }
    double t[2];
    nearest_on_segments(s, &r, t);
    const int32_t place[2] = {t[0] <= 0.0   ? 0
                              : t[0] >= 1.0 ? 1
                                            : 2,
                              t[1] <= 0.0   ? 0
                              : t[1] >= 1.0 ? 1
                                            : 2};
    const Ball ball = ball_at(s, t[0], place[0]);
    if (place[0] < 2)
        return ball_on_capsule(work, &ball, other->shape, slack);
    Ball second = ball_at(&r, t[1], place[1]);
    SticContact contact = start(&ball, STIC_CONTACT_ROUND, TOUCH_INSIDE, place[1]);
    stic_vec3_store(second.local, contact.local + 3);
    contact.local[6] = s->radius;
    contact.local[7] = r.radius;
    return stic_contact_put(work, &contact, slack);
}

SticStatus stic_capsule_touch(SticPairWork* work, const SticPart* capsule, const SticPart* other)
{
    if (other->polyhedron != NULL) {
        SticHull hull;
        SticPose seen;
        STIC_TRY(place_pair(work, capsule, other, &hull, &seen));
        const Segment s = segment_of(capsule, &seen);
        return capsule_on_hull(work, &hull, &s, slack_of(capsule, other));
    }
    const SticPose seen = stic_part_seen_from(capsule, other);
    const Segment s = segment_of(capsule, &seen);
    if (other->shape->kind != STIC_SHAPE_HALF_SPACE)
        return capsule_on_capsule(work, &s, other, slack_of(capsule, other));
    for (int32_t k = 0; k < 2; ++k) {
        const Ball ball = ball_at(&s, k, k);
        STIC_TRY(ball_on_plane(work, &ball, &other->shape->as.half_space,
                               STIC_TOUCH_PART * 2.0 * capsule->shape->radius));
    }
    return STIC_OK;
}
