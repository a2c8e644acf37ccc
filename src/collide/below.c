// SPDX-License-Identifier: Apache-2.0
// What a round part has below a triangle.
//
// The direction in which a part gets out of a triangle at least cost may lead across an edge that
// touches nothing, since the surface goes on there, or through the back. Then the part is as deep
// as its lowest point in the prism over the triangle, along the normal. With the plane of the
// triangle as z = 0 that point is where the line z < 0 leaves the difference of part and triangle:
//   1  the lowest point of the part, if it is over the triangle
//   2  three support points of the difference around the line, found in the plane as the distance
//      of a point is found (gjk.c); none: the part is beside the triangle
//   3  the support point along the normal of these three replaces one of them, so that the line
//      still passes between them, until it brings nothing (Snethen 2008)
// A part that cuts a surface has such a point below one of its triangles at least: it has a contact
// if the lowest of those that meet on an edge stays (mesh.c). That of a part which lies on the whole
// triangle and has no contact with it, since those with others in the same plane suffice, is only
// listed to be compared with. Cost: about 20 support points, of
// triangles that round parts cut without another contact.
#include <math.h>

#include "collide/freeze.h"

#include "stiction/extend/base.h"

enum { MOST_TURNS = 64, MOST_POINTS = 128 };

/// Part of the size by which the point may lie too high.
#define RELATIVE_END 1e-12

typedef struct Below {
    SticCore core;
    const SticVec3* corner; // [3] of the triangle
    SticVec3 x, y, m;       // m: its normal
    SticVec3 o;             // a point of its plane
    double size;
} Below;

// a support point of the difference, seen along the normal of the triangle
typedef struct Seen {
    SticVec3 a; // of the part
    double x, y, z;
} Seen;

static SticVec3 support_of_part(const Below* below, SticVec3 n)
{
    const SticVec3 s = stic_core_support(&below->core, n);
    return below->core.margin > 0.0
               ? stic_vec3_add_scaled(s, below->core.margin / stic_vec3_norm(n), n)
               : s;
}

static Seen see(const Below* below, SticVec3 n)
{
    Seen seen = {.a = support_of_part(below, n)};
    const SticVec3* corner = below->corner;
    SticVec3 b = corner[0];
    for (int j = 1; j < 3; ++j)
        b = stic_vec3_dot(n, corner[j]) < stic_vec3_dot(n, b) ? corner[j] : b;
    const SticVec3 w = stic_vec3_sub(seen.a, b);
    seen.x = stic_vec3_dot(below->x, w);
    seen.y = stic_vec3_dot(below->y, w);
    seen.z = stic_vec3_dot(below->m, stic_vec3_sub(seen.a, below->o));
    return seen;
}

// along a direction of the plane
static Seen see_across(const Below* below, double x, double y)
{
    return see(below, stic_vec3_add(stic_vec3_scale(x, below->x), stic_vec3_scale(y, below->y)));
}

// twice the area of a triangle with the line as its third corner, seen along the normal
static double turn(const Seen* p, const Seen* q)
{
    return p->x * q->y - p->y * q->x;
}

// three points around the line, counter-clockwise; false if there are none
static bool surround(const Below* below, Seen p[3])
{
    p[0] = see(below, stic_vec3_neg(below->m));
    const bool on = p[0].x == 0.0 && p[0].y == 0.0;
    p[1] = see_across(below, on ? 1.0 : -p[0].x, -p[0].y);
    if (turn(&p[0], &p[1]) < 0.0) {
        const Seen first = p[0];
        p[0] = p[1];
        p[1] = first;
    }
    for (int k = 0; k < MOST_TURNS; ++k) {
        // on the left of the side from the first to the second, where the origin is
        const double x = p[0].y - p[1].y, y = p[1].x - p[0].x;
        p[2] = see_across(below, x, y);
        if (!(x * p[2].x + y * p[2].y > 0.0))
            return false;
        // a side that leaves the origin on its left again
        if (turn(&p[1], &p[2]) < 0.0)
            p[0] = p[2];
        else if (turn(&p[2], &p[0]) < 0.0)
            p[1] = p[2];
        else
            return true;
    }
    return false;
}

// the part of the three that the line passes between, with the new point in place of one of them
static bool replace(Seen p[3], const Seen* w)
{
    int best = -1;
    double most = -(double)INFINITY;
    for (int k = 0; k < 3; ++k) {
        const Seen *u = &p[(k + 1) % 3], *v = &p[(k + 2) % 3];
        // all positive: the line passes between the new point, u and v
        const double a = turn(u, v), b = turn(v, w), c = turn(w, u);
        const double lower = a < b ? a : b, least = lower < c ? lower : c;
        if (least > most && a + b + c > 0.0) {
            most = least;
            best = k;
        }
    }
    if (best >= 0)
        p[best] = *w;
    return best >= 0;
}

// the point of the part on the line, lowest of what lies over the triangle
static bool find_lowest(const Below* below, SticVec3* point, double* depth)
{
    Seen p[3];
    *depth = 0.0;
    if (!surround(below, p))
        return false;
    for (int k = 0; k < MOST_POINTS; ++k) {
        const double weight[3] = {turn(&p[1], &p[2]), turn(&p[2], &p[0]), turn(&p[0], &p[1])};
        const double sum = weight[0] + weight[1] + weight[2];
        if (!(sum > 0.0))
            break;
        SticVec3 x = stic_vec3_zero();
        double z = 0.0;
        for (int i = 0; i < 3; ++i) {
            x = stic_vec3_add_scaled(x, weight[i] / sum, p[i].a);
            z += weight[i] / sum * p[i].z;
        }
        if (k == 0 || -z > *depth) {
            *depth = -z;
            *point = x;
        }
        // downward normal of the plane of the three: (s, t, -1)
        const double ux = p[1].x - p[0].x, uy = p[1].y - p[0].y, uz = p[1].z - p[0].z;
        const double vx = p[2].x - p[0].x, vy = p[2].y - p[0].y, vz = p[2].z - p[0].z;
        const double s = (uz * vy - vz * uy) / sum, t = (vz * ux - uz * vx) / sum;
        const SticVec3 n = stic_vec3_add_scaled(stic_vec3_scale(s, below->x), t, below->y);
        const Seen w = see(below, stic_vec3_sub(n, below->m));
        if (!(s * w.x + t * w.y - w.z + z > RELATIVE_END * below->size) || !replace(p, &w))
            break;
    }
    return true;
}

static bool is_over(const Below* below, SticVec3 x)
{
    for (int j = 0; j < 3; ++j) {
        const SticVec3 a = below->corner[j];
        const SticVec3 e = stic_vec3_sub(below->corner[(j + 1) % 3], a);
        if (stic_vec3_triple(below->m, e, stic_vec3_sub(x, a)) < 0.0)
            return false;
    }
    return true;
}

// the lowest point of the part lies over the triangle: what it belongs to stands on it
static SticStatus touch_whole(SticPairWork* work, const SticSides* sides, const Below* below,
                              SticVec3 low, double depth)
{
    const int own = sides->part[0]->shape == NULL ? 0 : 1;
    const SticVec3 foot = stic_vec3_add_scaled(low, depth, below->m);
    const SticNearest near = {.n = own == 1 ? below->m : stic_vec3_neg(below->m),
                              .a = own == 1 ? low : foot,
                              .b = own == 1 ? foot : low,
                              .sine = STIC_NORMAL_EQUAL,
                              .apart = -depth};
    return stic_near_touch(work, sides, &near);
}

bool stic_part_cuts(const SticPart* part, const SticPart* triangle)
{
    const SticPose seen = stic_part_seen_from(part, triangle);
    const SticCore core = stic_core_of(part->shape, &seen, stic_vec3_zero());
    const SticCore corners = stic_core_points(triangle->polyhedron->vertex, 3);
    const SticGjk gjk = stic_gjk(&core, &corners, core.margin, STIC_SUBDISTANCE_FACES);
    return gjk.overlap || stic_vec3_norm(gjk.v) < core.margin;
}

SticStatus stic_below_touch(SticPairWork* work, const SticPart* round, const SticPart* triangle,
                            SticOnTriangle* kind)
{
    const SticPolyhedron* t = triangle->polyhedron;
    const int own = triangle->side, other = round->side;
    SticSides sides;
    sides.part[own] = triangle;
    sides.part[other] = round;
    sides.pose[own] = stic_pose_identity();
    sides.pose[other] = stic_part_seen_from(round, triangle);
    stic_sides_measure(&sides);
    const SticVec3 m = t->plane[0].normal;
    const SticMat3 frame = stic_mat3_frame(m);
    const Below below = {.core = stic_core_of(round->shape, &sides.pose[other], stic_vec3_zero()),
                         .corner = t->vertex,
                         .x = stic_mat3_column(frame, 1),
                         .y = stic_mat3_column(frame, 2),
                         .m = m,
                         .o = t->vertex[0],
                         .size = 2.0 * stic_part_radius(round)};
    SticVec3 low = support_of_part(&below, stic_vec3_neg(m));
    const double whole = -stic_vec3_dot(m, stic_vec3_sub(low, below.o));
    double depth = whole;
    // it may reach below the triangle from beside
    if (!(whole > sides.slack) || !stic_part_cuts(round, triangle))
        return STIC_OK;
    const int32_t first = work->count;
    if (is_over(&below, low)) {
        STIC_TRY(touch_whole(work, &sides, &below, low, depth));
        if (work->count > first)
            return STIC_OK;
    } else if (!find_lowest(&below, &low, &depth) || !(depth > sides.slack)) {
        return STIC_OK;
    }
    *kind = depth >= whole - sides.slack ? STIC_ON_COVERED : STIC_ON_LOWEST;
    const SticBallTouch touch = {.a = other,
                                 .centre = low,
                                 .base = below.o,
                                 .normal = m,
                                 .feature = stic_feature(STIC_LYING_NEAREST, 0, 0, 0, 1),
                                 .whole = true};
    return stic_freeze_ball_on_plane(work, &sides, &touch);
}
