// SPDX-License-Identifier: Apache-2.0
// Joints of a result of limit analysis: all contacts of two bodies, what they carry and how they move.
//
// The resultant acts at the centre of pressure. Its eccentricity is measured from the centroid of the
// convex hull of the contact points, as a part of the way to the border of the hull (the gauge of the
// hull about its centroid): Heyman's geometrical factor of safety is the inverse of the largest one.
#include <math.h>
#include <stdlib.h>

#include "limit/limit.h"
#include "stiction/extend/base.h"
#include "stiction/extend/law.h"
#include "stiction/extend/vec3.h"

// a contact of a result
typedef struct Touch {
    int32_t interaction;
    SticContactView view;
} Touch;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* ---- where a force acts in its joint ---- */

// width over length below which contacts lie on one edge; places are known to some 1e-16
#define THIN 1e-9

// a point in the plane of a joint
typedef struct Spot {
    double x, y;
} Spot;

static int compare_spots(const void* first, const void* second)
{
    const Spot *a = first, *b = second;
    return a->x != b->x ? (a->x > b->x) - (a->x < b->x) : (a->y > b->y) - (a->y < b->y);
}

// twice the area of a triangle, positive counter-clockwise
static double turn(Spot o, Spot a, Spot b)
{
    return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
}

// corners of the convex hull of sorted points, counter-clockwise (Andrew's chains); room for 2 count
static int32_t hull_of(const Spot* spot, int32_t count, Spot* corner)
{
    int32_t corners = 0;
    for (int32_t chain = 0; chain < 2; ++chain) {
        const int32_t start = corners;
        for (int32_t k = 0; k < count; ++k) {
            const Spot next = spot[chain == 0 ? k : count - 1 - k];
            while (corners > start + 1 &&
                   turn(corner[corners - 2], corner[corners - 1], next) <= 0.0)
                --corners;
            corner[corners++] = next;
        }
        // the last one begins the other chain
        --corners;
    }
    return corners;
}

// a hull thinner than rounding of places is a segment: its ends become the only corners
static int32_t segment_of(Spot* corner, int32_t corners)
{
    double area = 0.0, farthest = 0.0;
    Spot ends[2] = {{0.0, 0.0}, {0.0, 0.0}};
    for (int32_t k = 0; k < corners; ++k) {
        area += turn(corner[0], corner[k], corner[(k + 1) % corners]);
        for (int32_t l = 0; l < k; ++l) {
            const double x = corner[k].x - corner[l].x, y = corner[k].y - corner[l].y;
            if (x * x + y * y > farthest) {
                farthest = x * x + y * y;
                ends[0] = corner[k];
                ends[1] = corner[l];
            }
        }
    }
    if (corners < 3 || area > THIN * farthest)
        return corners;
    corner[0] = ends[0];
    corner[1] = ends[1];
    return 2;
}

// centroid of a hull; of one without area the mean of its corners
static Spot middle_of(const Spot* corner, int32_t corners)
{
    Spot mean = {0.0, 0.0}, sum = {0.0, 0.0};
    double area = 0.0;
    for (int32_t k = 0; k < corners; ++k) {
        const Spot a = corner[k], b = corner[(k + 1) % corners];
        const double part = turn(corner[0], a, b);
        area += part;
        sum.x += part * (corner[0].x + a.x + b.x) / 3.0;
        sum.y += part * (corner[0].y + a.y + b.y) / 3.0;
        mean.x += a.x / corners;
        mean.y += a.y / corners;
    }
    return area > 0.0 ? (Spot){sum.x / area, sum.y / area} : mean;
}

// part of the way from the middle of the hull to its border at which a point lies
static double eccentricity_of(const Spot* corner, int32_t corners, Spot point)
{
    const Spot middle = corners > 0 ? middle_of(corner, corners) : point;
    double most = 0.0;
    for (int32_t k = 0; k < corners; ++k) {
        const Spot a = corner[k], b = corner[(k + 1) % corners];
        // outwards; along a hull that is a segment
        const Spot n =
            corners > 2 ? (Spot){b.y - a.y, a.x - b.x} : (Spot){a.x - middle.x, a.y - middle.y};
        const double room = n.x * (a.x - middle.x) + n.y * (a.y - middle.y);
        if (room > 0.0)
            most = larger(most, (n.x * (point.x - middle.x) + n.y * (point.y - middle.y)) / room);
    }
    return most;
}

static double eccentricity(const Touch* touch, int32_t count, SticVec3 point, Spot* scratch)
{
    const SticVec3 origin = touch->view.point, *axis = touch->view.axis;
    Spot* corner = scratch + count;
    for (int32_t c = 0; c < count; ++c) {
        const SticVec3 d = stic_vec3_sub(touch[c].view.point, origin);
        scratch[c] = (Spot){stic_vec3_dot(d, axis[1]), stic_vec3_dot(d, axis[2])};
    }
    qsort(scratch, (size_t)count, sizeof *scratch, compare_spots);
    const int32_t corners = segment_of(corner, hull_of(scratch, count, corner));
    const SticVec3 d = stic_vec3_sub(point, origin);
    return eccentricity_of(corner, corners,
                           (Spot){stic_vec3_dot(d, axis[1]), stic_vec3_dot(d, axis[2])});
}

/* ---- joints ---- */

// by the pair of bodies, whichever of them comes first
static int compare_bodies(const SticBodyId a[2], const SticBodyId b[2])
{
    const int first = a[0].index > a[1].index, other = b[0].index > b[1].index;
    for (int k = 0; k < 2; ++k) {
        const SticBodyId p = a[k ^ first], q = b[k ^ other];
        if (p.index != q.index)
            return p.index < q.index ? -1 : 1;
    }
    return 0;
}

static int compare_touches(const void* first, const void* second)
{
    const Touch *a = first, *b = second;
    const int bodies = compare_bodies(a->view.body, b->view.body);
    return bodies != 0 ? bodies
                       : (a->interaction > b->interaction) - (a->interaction < b->interaction);
}

static int compare_joints(const void* first, const void* second)
{
    const SticLimitJoint *a = first, *b = second;
    const double p = larger(a->slide, a->open), q = larger(b->slide, b->open);
    if (p != q)
        return p > q ? -1 : 1;
    return compare_bodies(a->body, b->body);
}

// the joint of `count` contacts of one pair; u are relative velocities, r forces
static SticLimitJoint joint_of(const SticLimit* limit, const Touch* touch, int32_t count,
                               const double* u, const double* r)
{
    SticLimitJoint joint = {.body = {touch->view.body[0], touch->view.body[1]}, .contacts = count};
    SticVec3 middle = stic_vec3_zero();
    double load = 0.0, largest = 0.0, least = INFINITY, most = -INFINITY;
    for (int32_t c = 0; c < count; ++c)
        largest = larger(largest, r[limit->set.row_at[touch[c].interaction]]);
    for (int32_t c = 0; c < count; ++c) {
        const SticContactView* view = &touch[c].view;
        const int32_t at = limit->set.row_at[touch[c].interaction];
        const int32_t rows = limit->set.row_at[touch[c].interaction + 1] - at;
        // its reaction may act on the second body of the joint
        const double sign = view->body[0].index == joint.body[0].index ? 1.0 : -1.0;
        double across = 0.0;
        for (int32_t k = 0; k < rows; ++k) {
            joint.force = stic_vec3_add_scaled(joint.force, sign * r[at + k], view->axis[k]);
            across += k > 0 ? u[at + k] * u[at + k] : 0.0;
        }
        const double normal = larger(r[at], 0.0);
        middle = stic_vec3_add_scaled(middle, 1.0 / count, view->point);
        joint.point = stic_vec3_add_scaled(joint.point, normal, view->point);
        load += normal;
        least = -larger(-least, -u[at]);
        most = larger(most, u[at]);
        // what slides is seen where the joint is pressed: open corners swing
        if (normal > 1e-3 * largest)
            joint.slide = larger(joint.slide, sqrt(across));
    }
    joint.point = load > 0.0 ? stic_vec3_scale(1.0 / load, joint.point) : middle;
    joint.open = most - least;
    return joint;
}

SticStatus stic_limit_joints(const SticLimit* limit, const SticLimitResult* result, double part,
                             SticArena* arena, const SticLimitJoint** joint, int32_t* count)
{
    STIC_ASSERT(limit != NULL && result != NULL && arena != NULL && joint != NULL && count != NULL);
    Touch* touch = NULL;
    SticLimitJoint* made = NULL;
    Spot* scratch = NULL;
    double *u = NULL, largest = 0.0;
    int32_t touches = 0;
    STIC_TRY(STIC_TAKE(arena, &touch, limit->set.count + 1));
    STIC_TRY(STIC_TAKE(arena, &made, limit->set.count + 1));
    STIC_TRY(STIC_TAKE(arena, &scratch, 3 * limit->set.count + 1));
    STIC_TRY(STIC_TAKE(arena, &u, limit->set.rows + 1));
    stic_block_csr_multiply(1.0, &limit->A, result->v, 0.0, u);
    for (int32_t i = 0; i < limit->set.count; ++i)
        if (limit->set.interaction[i].law != STIC_LAW_FREE)
            touch[touches++] =
                (Touch){i, stic_world_contact(limit->system, &limit->set, i, limit->state)};
    qsort(touch, (size_t)touches, sizeof *touch, compare_touches);
    *count = 0;
    for (int32_t c = 0, end; c < touches; c = end) {
        for (end = c + 1;
             end < touches && compare_bodies(touch[end].view.body, touch[c].view.body) == 0;)
            ++end;
        made[*count] = joint_of(limit, touch + c, end - c, u, result->r);
        made[*count].eccentricity = eccentricity(touch + c, end - c, made[*count].point, scratch);
        largest = larger(largest, larger(made[*count].slide, made[*count].open));
        *count += 1;
    }
    for (int32_t j = 0; j < *count; ++j) {
        made[j].slides = made[j].slide > part * largest;
        made[j].hinges = made[j].open > part * largest;
    }
    qsort(made, (size_t)*count, sizeof *made, compare_joints);
    *joint = made;
    return STIC_OK;
}
