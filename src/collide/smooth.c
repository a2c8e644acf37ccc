// SPDX-License-Identifier: Apache-2.0
// Contacts of cylinders, ellipsoids and deformed round shapes, with everything convex.
//
//   1  normal and nearest (deepest) points from the distance or the depth of the two sets
//   2  the feature of each shape along the normal: a polygon (face of a polyhedron, cap of a
//      cylinder), a segment (side of a cylinder, edge of nothing else), or a point
//   3  a polygon, or else a segment, is the reference; the other feature is cut by the planes
//      through its sides, and what is left are the contacts: points of one shape against a plane
//      of the other
// A cap is the regular polygon of RIM = 8 points of its rim, fixed in the cylinder: contacts keep
// their places while the cylinder stands. The moment at which it begins to tip is too small by 1 -
// cos(pi/8) = 7.6 % at worst, 2.6 % in the mean over directions; once it is tilted by FLAT_SINE it
// touches with the lowest point of the rim itself. The area of a patch with a cap is that of the
// polygon times the ratio of disc and octagon: exact if the whole cap is in it. Points share it
// equally.
// Features count as parallel up to FLAT_SINE, unless they would then report more than the depth. A
// point of a curved surface is frozen with the tangent plane of the other: the gap keeps its value
// to second order in the motion; it slides, so `exit` is 0.
#include <math.h>

#include "collide/depth.h"
#include "collide/part.h"
#include "stiction/math.h"

enum { RIM = 8 };

#define FLAT_SINE 1e-3
/// Sine of the angle below which a direction is the normal of a face up to rounding.
#define NORMAL_EQUAL 1e-9

// feature of a part in the frame of the pair
typedef struct Feature {
    SticVec3* p;
    int32_t count;
    SticVec3 normal; // outward, of a polygon; of others the contact's
    int32_t number;
} Feature;

static SticVec3 rim_point(const SticShape* cylinder, int k, double sign)
{
    double sine, cosine;
    stic_sincos(2.0 * STIC_PI * k / RIM, &sine, &cosine);
    const double r = cylinder->as.cylinder.radius;
    return stic_vec3(r * cosine, r * sine, sign * cylinder->as.cylinder.half_height);
}

static SticStatus cylinder_feature(SticPairWork* work, const SticPart* part, const SticPose* pose,
                                   SticVec3 n, Feature* feature)
{
    STIC_TRY(STIC_TAKE(work->arena, &feature->p, RIM));
    const SticShape* shape = part->shape;
    const SticVec3 d = stic_mat3_transpose_mul_vec(pose->F, n);
    const double across = sqrt(d.x * d.x + d.y * d.y), sign = d.z < 0.0 ? -1.0 : 1.0;
    if (across <= FLAT_SINE) {
        for (int k = 0; k < RIM; ++k)
            feature->p[sign > 0.0 ? k : RIM - 1 - k] =
                stic_pose_apply(pose, rim_point(shape, k, sign));
        feature->count = RIM;
        feature->normal = stic_mat3_mul_vec(pose->F, stic_vec3(0.0, 0.0, sign));
        feature->number = sign > 0.0;
    } else if (fabs(d.z) <= FLAT_SINE) {
        const double r = shape->as.cylinder.radius / across, h = shape->as.cylinder.half_height;
        feature->p[0] = stic_pose_apply(pose, stic_vec3(r * d.x, r * d.y, -h));
        feature->p[1] = stic_pose_apply(pose, stic_vec3(r * d.x, r * d.y, h));
        feature->count = 2;
        feature->number = 2;
    }
    return STIC_OK;
}

static SticStatus polyhedron_feature(SticPairWork* work, const SticPart* part, const SticPose* pose,
                                     SticVec3 n, Feature* feature)
{
    const SticPolyhedron* p = part->polyhedron;
    const SticVec3 d = stic_vec3_normalize(stic_mat3_transpose_mul_vec(pose->F, n));
    int32_t best = -1;
    for (int32_t f = 0; f < p->face_count; ++f)
        if (stic_face_counts(p, f) && stic_vec3_dot(p->plane[f].normal, d) > 0.0 &&
            stic_vec3_norm(stic_vec3_cross(p->plane[f].normal, d)) <= FLAT_SINE)
            best = f;
    if (best < 0)
        return STIC_OK;
    const int32_t begin = p->face_begin[best], end = p->face_begin[best + 1];
    STIC_TRY(STIC_TAKE(work->arena, &feature->p, end - begin));
    for (int32_t k = begin; k < end; ++k)
        feature->p[feature->count++] = stic_pose_apply(pose, p->vertex[p->face_vertex[k]]);
    feature->normal = stic_mat3_mul_vec(pose->F, p->plane[best].normal);
    feature->number = best;
    return STIC_OK;
}

// the feature of a part farthest along n; `point` if it is only a point
static SticStatus feature_of(SticPairWork* work, const SticPart* part, const SticPose* pose,
                             SticVec3 n, Feature* feature)
{
    *feature = (Feature){.normal = n};
    if (part->polyhedron != NULL && pose->rigid)
        return polyhedron_feature(work, part, pose, n, feature);
    if (stic_part_is(part, STIC_SHAPE_CYLINDER))
        return cylinder_feature(work, part, pose, n, feature);
    return STIC_OK;
}

/* ---- cutting ---- */

typedef struct Cut {
    SticVec3 *p, *spare;
    int32_t *number, *number_spare; // of the corner, or RIM-like numbers of crossings
    int32_t count;
} Cut;

static void cut(Cut* c, SticVec3 outward, double offset, int32_t line, bool closed)
{
    int32_t count = 0;
    const int32_t last = closed && c->count > 2 ? c->count : c->count - 1;
    for (int32_t i = 0; i < c->count; ++i) {
        const int32_t j = i + 1 < c->count ? i + 1 : 0;
        const double u = stic_vec3_dot(outward, c->p[i]) - offset;
        const double v = stic_vec3_dot(outward, c->p[j]) - offset;
        if (u <= 0.0) {
            c->spare[count] = c->p[i];
            c->number_spare[count++] = c->number[i];
        }
        if (i < last && ((u < 0.0 && v > 0.0) || (u > 0.0 && v < 0.0))) {
            c->spare[count] = stic_vec3_lerp(c->p[i], c->p[j], u / (u - v));
            c->number_spare[count++] = (line + 1) * 1024 + (u < 0.0 ? 512 : 0) +
                                       (u < 0.0 ? c->number[i] : c->number[j]) % 512;
        }
    }
    SticVec3* p = c->p;
    int32_t* number = c->number;
    c->p = c->spare;
    c->spare = p;
    c->number = c->number_spare;
    c->number_spare = number;
    c->count = count;
}

static SticStatus cut_feature(SticPairWork* work, const Feature* incident, const Feature* reference,
                              SticVec3 n, Cut* c)
{
    const int32_t room = 2 * (incident->count + reference->count) + 4;
    STIC_TRY(STIC_TAKE(work->arena, &c->p, room));
    STIC_TRY(STIC_TAKE(work->arena, &c->spare, room));
    STIC_TRY(STIC_TAKE(work->arena, &c->number, room));
    STIC_TRY(STIC_TAKE(work->arena, &c->number_spare, room));
    for (c->count = 0; c->count < incident->count; ++c->count) {
        c->p[c->count] = incident->p[c->count];
        c->number[c->count] = c->count;
    }
    for (int32_t k = 0; k < reference->count && c->count > 0; ++k) {
        const SticVec3 a = reference->p[k];
        const SticVec3 b = reference->p[k + 1 < reference->count ? k + 1 : 0];
        const SticVec3 e = stic_vec3_sub(b, a);
        // a segment cuts at its ends
        const SticVec3 outward =
            stic_vec3_normalize(reference->count > 2 ? stic_vec3_cross(e, n) : stic_vec3_neg(e));
        cut(c, outward, stic_vec3_dot(outward, a), k, true);
    }
    return STIC_OK;
}

/* ---- contacts ---- */

typedef struct Sides {
    const SticPart* part[2]; // side 0 and 1
    SticPose pose[2];        // in the frame of the pair
    double slack, rounding;
} Sides;

static SticVec3 to_local(const SticPose* pose, SticVec3 x)
{
    const SticVec3 d = stic_vec3_sub(x, pose->origin);
    SticMat3 inverse;
    if (pose->rigid)
        return stic_mat3_transpose_mul_vec(pose->F, d);
    stic_mat3_inverse(pose->F, &inverse);
    return stic_mat3_mul_vec(inverse, d);
}

// point of side `a` against a plane on the other side
typedef struct PointOnPlane {
    int a;
    SticVec3 point, base, normal;
    uint64_t feature;
} PointOnPlane;

static SticStatus put(SticPairWork* work, const Sides* sides, const PointOnPlane* touch)
{
    const int a = touch->a;
    SticContact contact = {
        .kernel = STIC_CONTACT_PLANE, .swapped = a == 1, .feature = touch->feature};
    const SticPose* B = &sides->pose[1 - a];
    const SticVec3 normal = stic_mat3_transpose_mul_vec(B->F, touch->normal);
    stic_vec3_store(to_local(&sides->pose[a], touch->point), contact.local);
    stic_vec3_store(to_local(B, touch->base), contact.local + 3);
    stic_vec3_store(stic_vec3_normalize(normal), contact.local + 6);
    return stic_contact_put(work, &contact, sides->slack);
}

// disc over octagon, for a cap
static double area_ratio(const Feature* feature, const SticPart* part)
{
    return part->polyhedron == NULL && feature->count == RIM ? STIC_PI / (2.0 * sqrt(2.0)) : 1.0;
}

// the area of what was cut out, shared by the contacts from `first` on
static void share_area(SticPairWork* work, const Cut* c, SticVec3 n, double ratio, int32_t first)
{
    double area = 0.0;
    for (int32_t k = 1; k + 1 < c->count; ++k)
        area += 0.5 * stic_vec3_triple(n, stic_vec3_sub(c->p[k], c->p[0]),
                                       stic_vec3_sub(c->p[k + 1], c->p[0]));
    for (int32_t k = first; k < work->count; ++k)
        work->contact[k].area = ratio * fabs(area) / (work->count - first);
}

static int rank_of(const Feature* feature, const SticPart* part)
{
    return feature->count > 2 ? 2 + (part->polyhedron != NULL) : feature->count / 2;
}

// the nearest or deepest points of the two sides, and the direction from side 1 to side 0
typedef struct Nearest {
    SticVec3 n, a, b;
} Nearest;

// one point; a flat reference along n gives the plane exactly
static SticStatus put_point(SticPairWork* work, const Sides* sides, const Nearest* near, int r,
                            const Feature* reference)
{
    const int i = 1 - r;
    const SticVec3 n = stic_vec3_scale(r == 1 ? 1.0 : -1.0, near->n);
    PointOnPlane touch = {.a = i,
                          .point = i == 0 ? near->a : near->b,
                          .base = i == 0 ? near->b : near->a,
                          .normal = n,
                          .feature = stic_feature(1, (uint32_t)r, reference->number, 0, 0)};
    if (reference->count > 2 &&
        stic_vec3_norm(stic_vec3_cross(reference->normal, n)) <= NORMAL_EQUAL) {
        touch.normal = reference->normal;
        touch.base = reference->p[0];
    }
    return put(work, sides, &touch);
}

// what is left of one feature over the other
static SticStatus put_overlap(SticPairWork* work, const Sides* sides, const Nearest* near, int r,
                              const Feature feature[2])
{
    const int i = 1 - r;
    const bool flat = feature[r].count > 2;
    PointOnPlane touch = {.a = i,
                          .normal = flat ? feature[r].normal
                                         : stic_vec3_scale(r == 1 ? 1.0 : -1.0, near->n),
                          .base = feature[r].p[0]};
    Cut c;
    STIC_TRY(cut_feature(work, &feature[i], &feature[r], touch.normal, &c));
    const int32_t first = work->count;
    for (int32_t k = 0; k < c.count; ++k) {
        touch.point = c.p[k];
        touch.feature =
            stic_feature(0, (uint32_t)r, feature[r].number, feature[i].number, c.number[k]);
        STIC_TRY(put(work, sides, &touch));
    }
    const double ratio[2] = {area_ratio(&feature[0], sides->part[0]),
                             area_ratio(&feature[1], sides->part[1])};
    if (flat && feature[i].count > 2)
        share_area(work, &c, touch.normal, ratio[0] > ratio[1] ? ratio[0] : ratio[1], first);
    return STIC_OK;
}

// features that are parallel up to FLAT_SINE only must not report more than the depth
static bool too_deep(const SticPairWork* work, const Sides* sides, const Nearest* near,
                     int32_t first)
{
    const double apart = stic_vec3_dot(near->n, stic_vec3_sub(near->a, near->b));
    const double least = (apart < 0.0 ? apart : 0.0) - sides->rounding;
    for (int32_t k = first; k < work->count; ++k)
        if (work->contact[k].gap < least)
            return true;
    return false;
}

// two sides that cross touch in one point
static bool cross_each_other(const Feature feature[2])
{
    if (feature[0].count != 2 || feature[1].count != 2)
        return false;
    const SticVec3 d = stic_vec3_sub(feature[0].p[1], feature[0].p[0]);
    const SticVec3 e = stic_vec3_sub(feature[1].p[1], feature[1].p[0]);
    return stic_vec3_norm(stic_vec3_cross(d, e)) >
           FLAT_SINE * stic_vec3_norm(d) * stic_vec3_norm(e);
}

static SticStatus put_patch(SticPairWork* work, const Sides* sides, const Nearest* near)
{
    Feature feature[2];
    const SticVec3 n = near->n;
    STIC_TRY(feature_of(work, sides->part[0], &sides->pose[0], stic_vec3_neg(n), &feature[0]));
    STIC_TRY(feature_of(work, sides->part[1], &sides->pose[1], n, &feature[1]));
    // polygons of polyhedra before those of cylinders before segments
    const int rank[2] = {rank_of(&feature[0], sides->part[0]),
                         rank_of(&feature[1], sides->part[1])};
    const int r = rank[0] > rank[1] ? 0 : 1;
    const int32_t first = work->count;
    if (rank[0] > 0 && rank[1] > 0 && !cross_each_other(feature))
        STIC_TRY(put_overlap(work, sides, near, r, feature));
    if (work->count > first && !too_deep(work, sides, near, first))
        return STIC_OK;
    work->count = first;
    return put_point(work, sides, near, r, &feature[r]);
}

static SticCore core_of(const SticPart* part, const SticPose* pose)
{
    if (part->shape != NULL)
        return stic_core_of(part->shape, pose, stic_vec3_zero());
    SticCore core = stic_core_points(part->polyhedron->vertex, part->polyhedron->vertex_count);
    core.polyhedron = part->polyhedron;
    return core;
}

SticStatus stic_smooth_touch(SticPairWork* work, const SticPart* first, const SticPart* second)
{
    Sides sides = {.part = {first, second}, .pose = {first->pose, second->pose}};
    // in the frame of a triangle if there is one, its vertices are not posed
    const int fixed = first->shape == NULL                          ? 0
                      : second->shape == NULL || second->pose.rigid ? 1
                                                                    : -1;
    if (fixed >= 0) {
        sides.pose[1 - fixed] = stic_part_seen_from(sides.part[1 - fixed], sides.part[fixed]);
        sides.pose[fixed] = stic_pose_identity();
    }
    const SticCore A = core_of(first, &sides.pose[0]), B = core_of(second, &sides.pose[1]);
    const double u = first->shape != NULL ? first->shape->radius : first->polyhedron->radius;
    const double v = second->shape != NULL ? second->shape->radius : second->polyhedron->radius;
    const double slack = STIC_TOUCH_PART * 2.0 * (u < v ? u : v), margin = A.margin + B.margin;
    const SticGjk gjk = stic_gjk(&A, &B, work->reach + slack + margin, STIC_SUBDISTANCE_FACES);
    const double distance = stic_vec3_norm(gjk.v);
    if (!gjk.overlap &&
        (distance > work->reach + slack + margin || gjk.bound > work->reach + slack + margin))
        return STIC_OK;
    // points nearer than this have no direction that could be trusted
    SticDepth depth = {.a = gjk.a, .b = gjk.b};
    if (gjk.overlap || distance <= 0x1p-40 * (u < v ? u : v)) {
        STIC_TRY(stic_depth(work->arena, &A, &B, &gjk, &depth));
        if (!depth.found)
            return STIC_OK;
    } else {
        // the distance is the height of a support plane too, below the origin
        SticRefine refine = stic_refine_start(&A, &B, u + v);
        stic_refine_from(&refine, stic_vec3_scale(-1.0 / distance, gjk.v));
        stic_refine_finish(&refine, &depth);
    }
    const Nearest near = {.n = depth.normal,
                          .a = stic_vec3_add_scaled(depth.a, -A.margin, depth.normal),
                          .b = stic_vec3_add_scaled(depth.b, B.margin, depth.normal)};
    sides.slack = slack;
    sides.rounding =
        STIC_DEPTH_PART * 2.0 * (u < v ? u : v) + STIC_DEPTH_ROUNDING * 2.0 * (u > v ? u : v);
    return put_patch(work, &sides, &near);
}

/* ---- half-spaces ---- */

static SticStatus put_on_plane(SticPairWork* work, const SticPart* part, const SticPlane* plane,
                               SticVec3 local, int32_t number)
{
    SticContact contact = {.kernel = STIC_CONTACT_PLANE,
                           .swapped = part->side == 1,
                           .feature = stic_feature(0, 0, number, 0, 0)};
    stic_vec3_store(local, contact.local);
    stic_vec3_store(stic_vec3_scale(plane->offset, plane->normal), contact.local + 3);
    stic_vec3_store(plane->normal, contact.local + 6);
    return stic_contact_put(work, &contact, STIC_TOUCH_PART * 2.0 * part->shape->radius);
}

SticStatus stic_smooth_on_plane(SticPairWork* work, const SticPart* part, const SticPart* plane)
{
    const SticPose seen = stic_part_seen_from(part, plane);
    const SticPlane* p = &plane->shape->as.half_space;
    const SticVec3 d = stic_mat3_transpose_mul_vec(seen.F, stic_vec3_neg(p->normal));
    if (!stic_part_is(part, STIC_SHAPE_CYLINDER))
        return put_on_plane(work, part, p, stic_shape_support(part->shape, d), 0);
    const double across = sqrt(d.x * d.x + d.y * d.y), sign = d.z < 0.0 ? -1.0 : 1.0;
    if (across <= FLAT_SINE) {
        const int32_t first = work->count;
        for (int k = 0; k < RIM; ++k)
            STIC_TRY(put_on_plane(work, part, p, rim_point(part->shape, k, sign),
                                  sign > 0.0 ? k : RIM + k));
        const double r = part->shape->as.cylinder.radius;
        for (int32_t i = first; i < work->count; ++i)
            work->contact[i].area = STIC_PI * r * r / (work->count - first);
        return STIC_OK;
    }
    // the lowest line of the side, from cap to cap
    const double r = part->shape->as.cylinder.radius / across;
    const double h = part->shape->as.cylinder.half_height;
    for (int k = 0; k < 2; ++k)
        STIC_TRY(
            put_on_plane(work, part, p, stic_vec3(r * d.x, r * d.y, k == 0 ? -h : h), 2 * RIM + k));
    return STIC_OK;
}
