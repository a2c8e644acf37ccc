// SPDX-License-Identifier: Apache-2.0
// Contacts of cylinders, ellipsoids and deformed round shapes, with everything convex.
//
//   1  normal and nearest (deepest) points from the distance or the depth of the two sets
//   2  the feature of each shape along the normal (feature.c)
//   3  where both are more than a point, the contacts of the two (overlap.c), else the nearest
//      points
// Features may lean, unless they would then report more than the depth.
//
// The distance loses its direction where shapes touch: it is a difference of points of the size of
// the shapes. There, and where they overlap by less than SHALLOW, the direction comes from the
// distance of the shapes moved apart, and is made exact by Newton's method for the shapes at their
// true places (refine.c). Only deeper overlaps need a polytope (depth.c), which a touching pair
// cannot give: a point of the surface is not inside any simplex.
#include <math.h>

#include "collide/depth.h"
#include "collide/overlap.h"
#include "stiction/extend/base.h"

/// Parts of the smaller size: distances below the first have no direction that can be trusted,
/// shapes are moved apart by the second, and depths up to the third are shallow.
#define NO_DIRECTION 0x1p-20
#define APART        0x1p-10
#define SHALLOW      0x1p-20
/// A distance is as good as its direction if its lower bound is no less than this part of it.
#define CONVERGED 0.9
/// Angle by which the direction of a distance that is exact up to 2^-40 is wrong: the root of twice
/// that.
#define GJK_SINE 0x1.8p-20

static SticCore core_of(const SticPart* part, const SticPose* pose)
{
    if (part->shape != NULL)
        return stic_core_of(part->shape, pose, stic_vec3_zero());
    SticCore core = stic_core_points(part->polyhedron->vertex, part->polyhedron->vertex_count);
    core.polyhedron = part->polyhedron;
    return core;
}

/* ---- direction ---- */

static SticCore moved_by(const SticCore* core, SticVec3 d)
{
    SticCore moved = *core;
    moved.origin = stic_vec3_add(core->origin, d);
    return moved;
}

// direction from B to A of shapes that touch or overlap a little: that of their distance after a
// step apart, first along their centres, then along the direction found
static bool direction_apart(const SticCore* A, const SticCore* B, double step, SticVec3* n)
{
    *n = stic_vec3_sub(stic_core_middle(A), stic_core_middle(B));
    for (int k = 0; k < 2; ++k) {
        const double length = stic_vec3_norm(*n);
        if (!(length > 0.0))
            return false;
        const SticVec3 d = stic_vec3_scale(step / length, *n);
        // points have no origin to move
        const SticCore a = moved_by(A, d), b = moved_by(B, stic_vec3_neg(d));
        const bool first = A->shape != NULL;
        const SticGjk gjk =
            stic_gjk(first ? &a : A, first ? B : &b, (double)INFINITY, STIC_SUBDISTANCE_FACES);
        if (gjk.overlap || !(gjk.bound > CONVERGED * stic_vec3_norm(gjk.v)))
            return false;
        *n = gjk.v;
    }
    *n = stic_vec3_normalize(*n);
    return true;
}

static bool is_polytope(const SticCore* core)
{
    return core->polyhedron != NULL || core->margin > 0.0;
}

// depth of cores that touch or overlap, or distance of those that are apart
static SticStatus find_depth(SticPairWork* work, const SticCore core[2], const SticGjk* gjk,
                             const double radius[2], SticDepth* depth, bool* exact)
{
    *exact = true;
    const double size = radius[0] < radius[1] ? radius[0] : radius[1];
    const double distance = stic_vec3_norm(gjk->v);
    const bool near =
        gjk->overlap || distance <= NO_DIRECTION * size || !(gjk->bound > CONVERGED * distance);
    SticVec3 n = stic_vec3_zero();
    *depth = (SticDepth){.a = gjk->a, .b = gjk->b};
    // of segments and polyhedra the distance itself is exact
    if (!near && is_polytope(&core[0]) && is_polytope(&core[1])) {
        depth->normal = stic_vec3_scale(1.0 / distance, gjk->v);
        depth->depth = -gjk->bound;
        depth->found = true;
        *exact = false;
        return STIC_OK;
    }
    const bool apart = near && direction_apart(&core[0], &core[1], APART * size, &n);
    if (!gjk->overlap || apart) {
        // the distance is the height of a support plane too, below the origin
        SticRefine refine = stic_refine_start(&core[0], &core[1], radius[0] + radius[1]);
        if (!gjk->overlap)
            stic_refine_from(&refine, stic_vec3_scale(-1.0 / distance, gjk->v));
        if (apart)
            stic_refine_from(&refine, stic_vec3_neg(n));
        stic_refine_finish(&refine, depth);
    }
    if (!gjk->overlap || (apart && depth->depth <= SHALLOW * size))
        return STIC_OK;
    return stic_depth(work->arena, &core[0], &core[1], gjk, depth);
}

/* ---- contacts ---- */

// features that lean must not report more than the depth
static bool too_deep(const SticPairWork* work, const SticSides* sides, const SticNearest* near,
                     int32_t first)
{
    const double least = (near->apart < 0.0 ? near->apart : 0.0) - sides->rounding;
    for (int32_t k = first; k < work->count; ++k)
        if (work->contact[k].gap < least)
            return true;
    return false;
}

// whether the nearest points are nearer than all contacts from `first` on
static bool is_nearer(const SticPairWork* work, const SticSides* sides, const SticNearest* near,
                      int32_t first)
{
    for (int32_t k = first; k < work->count; ++k)
        if (work->contact[k].gap <= near->apart + sides->same)
            return false;
    return true;
}

// contacts of features that lie along each other, with faces that lean by up to `sine`
static SticStatus touch_features(SticPairWork* work, const SticSides* sides,
                                 const SticNearest* near, double sine, SticLeft* left)
{
    SticFeature feature[2];
    for (int k = 0; k < 2; ++k) {
        const SticVec3 n = k == 0 ? stic_vec3_neg(near->n) : near->n;
        STIC_TRY(stic_feature_of(work, sides->part[k], &sides->pose[k], n, sine, &feature[k]));
    }
    const int r = feature[0].kind > feature[1].kind ? 0 : 1;
    return stic_features_touch(work, sides, r, feature, near, left);
}

SticStatus stic_near_touch(SticPairWork* work, const SticSides* sides, const SticNearest* near)
{
    const int32_t first = work->count;
    SticLeft left;
    STIC_TRY(touch_features(work, sides, near, STIC_LEAN, &left));
    // beside a face that leans there is an edge
    if (work->count == first && left == STIC_LEFT_MAYBE)
        STIC_TRY(touch_features(work, sides, near, near->sine, &left));
    if (too_deep(work, sides, near, first))
        work->count = first;
    else if (left == STIC_LEFT_NOTHING ||
             (left == STIC_LEFT_MAYBE && !is_nearer(work, sides, near, first)))
        return STIC_OK;
    return stic_nearest_touch(work, sides, near);
}

SticStatus stic_smooth_touch(SticPairWork* work, const SticPart* first, const SticPart* second)
{
    SticSides sides = {.part = {first, second}, .pose = {first->pose, second->pose}};
    // in the frame of a triangle if there is one: its vertices are not posed
    const int fixed = first->shape == NULL                          ? 0
                      : second->shape == NULL || second->pose.rigid ? 1
                                                                    : -1;
    if (fixed >= 0) {
        sides.pose[1 - fixed] = stic_part_seen_from(sides.part[1 - fixed], sides.part[fixed]);
        sides.pose[fixed] = stic_pose_identity();
    }
    const SticCore core[2] = {core_of(first, &sides.pose[0]), core_of(second, &sides.pose[1])};
    const double radius[2] = {stic_part_radius(first), stic_part_radius(second)};
    stic_sides_measure(&sides);
    const double enough = work->reach + sides.slack + core[0].margin + core[1].margin;
    const SticGjk gjk = stic_gjk(&core[0], &core[1], enough, STIC_SUBDISTANCE_FACES);
    // the bound, not the distance: that of round shapes that almost touch may be too large
    if (!gjk.overlap && gjk.bound > enough)
        return STIC_OK;
    SticDepth depth;
    bool exact;
    STIC_TRY(find_depth(work, core, &gjk, radius, &depth, &exact));
    if (!depth.found)
        return STIC_OK;
    const SticNearest near = {.n = depth.normal,
                              .a = stic_vec3_add_scaled(depth.a, -core[0].margin, depth.normal),
                              .b = stic_vec3_add_scaled(depth.b, core[1].margin, depth.normal),
                              .sine = exact ? STIC_NORMAL_EQUAL : GJK_SINE,
                              .apart = -depth.depth - (core[0].margin + core[1].margin)};
    return stic_near_touch(work, &sides, &near);
}

/* ---- half-spaces ---- */

SticStatus stic_smooth_on_plane(SticPairWork* work, const SticPart* part, const SticPart* plane)
{
    const int i = part->side, r = 1 - i;
    const SticPlane* p = &plane->shape->as.half_space;
    const double size = 2.0 * part->shape->radius;
    SticSides sides = {.slack = STIC_TOUCH_PART * size, .same = STIC_SAME_PART * size};
    sides.part[i] = part;
    sides.part[r] = plane;
    sides.pose[i] = stic_part_seen_from(part, plane);
    sides.pose[r] = stic_pose_identity();
    SticFeature feature[2];
    const SticVec3 down = stic_vec3_neg(p->normal);
    STIC_TRY(stic_feature_of(work, part, &sides.pose[i], down, STIC_LEAN, &feature[i]));
    feature[r] = (SticFeature){.kind = STIC_FEATURE_PLANE,
                               .code = STIC_FEATURE_POLYGON,
                               .normal = p->normal,
                               .x = {stic_vec3_scale(p->offset, p->normal)}};
    SticLeft left;
    if (feature[i].kind != STIC_FEATURE_POINT)
        return stic_features_touch(work, &sides, r, feature, NULL, &left);
    const SticVec3 d = stic_mat3_transpose_mul_vec(sides.pose[i].F, down);
    SticContact contact = {.kernel = STIC_CONTACT_PLANE, .swapped = i == 1};
    stic_vec3_store(stic_shape_support(part->shape, d), contact.local);
    stic_vec3_store(feature[r].x[0], contact.local + 3);
    stic_vec3_store(p->normal, contact.local + 6);
    return stic_contact_put(work, &contact, sides.slack);
}
