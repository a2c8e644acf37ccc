// SPDX-License-Identifier: Apache-2.0
// Distance of convex sets (Gilbert, Johnson & Keerthi 1988; Koziara 2008, algorithm 9.4.4).
//
// The nearest point v of the difference A - B to the origin is approached by simplices of support
// points:
//   1  w = support of A - B against v; v.w / |v| is a lower bound of the distance
//   2  stop if the bound is as good as |v|, or if w brings nothing
//   3  v = nearest point of the simplex with w, the simplex shrinks to the part that holds v
// The nearest point of a simplex is sought among its parts that contain w (the others were answered
// before). FACES takes the nearest candidate with positive weights: rounding may make it choose the
// wrong part of two nearly equal ones, but never a point that is farther away; JOHNSON follows the
// thesis (determinants D_i of eq. 9.4.9 by recursion) and falls back on FACES where rounding leaves
// no valid part, or where all four points seem to hold the origin: near faces the determinants of
// four points are wrong below distances of 1e-6 sizes. If it ends with a lower bound that is off by
// more than 2^-30, FACES starts again.
//
// Tests are relative: |v|^2 - v.w <= 2^-40 |v|^2 ends the search (an error of the distance of
// 2^-40; with faces it ends on a repeated point, exact up to rounding), |v| <= 2^-46 max |w| is
// overlap, since v is a sum of terms of that size. Cost: about ten support points; no memory.
#include "collide/gjk.h"

#include "stiction/extend/base.h"

#include <float.h>
#include <math.h>

enum { MOST_ITERATIONS = 128 };

#define RELATIVE_END  0x1p-40
#define RELATIVE_ZERO 0x1p-46
#define JOHNSON_END   0x1p-30

/* ---- cores ---- */

SticCore stic_core_of(const SticShape* shape, const SticPose* pose, SticVec3 shift)
{
    SticCore core = {.shape = shape,
                     .F = pose->F,
                     .origin = stic_vec3_sub(pose->origin, shift),
                     .polyhedron = stic_shape_polyhedron(shape)};
    if (pose->rigid && shape->kind == STIC_SHAPE_SPHERE)
        core.margin = shape->as.sphere.radius;
    if (pose->rigid && shape->kind == STIC_SHAPE_CAPSULE)
        core.margin = shape->as.capsule.radius;
    return core;
}

SticCore stic_core_points(const SticVec3* point, int32_t count)
{
    return (SticCore){.point = point, .point_count = count, .F = stic_mat3_identity()};
}

static SticVec3 support_of_points(const SticCore* core, SticVec3 d)
{
    int32_t best = 0;
    double height = stic_vec3_dot(d, core->point[0]);
    for (int32_t i = 1; i < core->point_count; ++i) {
        const double other = stic_vec3_dot(d, core->point[i]);
        if (other > height) {
            height = other;
            best = i;
        }
    }
    return core->point[best];
}

SticVec3 stic_core_support(const SticCore* core, SticVec3 direction)
{
    if (core->shape == NULL)
        return support_of_points(core, direction);
    const SticVec3 d = stic_mat3_transpose_mul_vec(core->F, direction);
    SticVec3 local;
    if (core->margin == 0.0) {
        local = stic_shape_support(core->shape, d);
    } else if (core->shape->kind == STIC_SHAPE_SPHERE) {
        return core->origin;
    } else {
        const double h = core->shape->as.capsule.half_length;
        local = stic_vec3(0.0, 0.0, d.z < 0.0 ? -h : h);
    }
    return stic_vec3_add(stic_mat3_mul_vec(core->F, local), core->origin);
}

SticVec3 stic_core_middle(const SticCore* core)
{
    if (core->shape == NULL)
        return core->point[0];
    return stic_vec3_add(stic_mat3_mul_vec(core->F, core->shape->centre), core->origin);
}

/* ---- the nearest point of a simplex ---- */

// weights of the nearest point in the affine hull of a part; false if one is not positive. `part`
// lists 1 to 3 points; four points hold the origin if all weights are positive
static bool weigh(const SticDifference* s, const int32_t* part, int32_t count, double weight[4])
{
    const SticVec3 p = s[part[0]].w;
    double sum = 1.0;
    if (count == 2) {
        const SticVec3 e = stic_vec3_sub(s[part[1]].w, p);
        weight[1] = -stic_vec3_dot(p, e);
        weight[0] = stic_vec3_dot(s[part[1]].w, e);
        sum = stic_vec3_dot(e, e);
    } else if (count == 3) {
        const SticVec3 q = s[part[1]].w, r = s[part[2]].w;
        const SticVec3 n = stic_vec3_cross(stic_vec3_sub(q, p), stic_vec3_sub(r, p));
        weight[0] = stic_vec3_dot(n, stic_vec3_cross(q, r));
        weight[1] = stic_vec3_dot(n, stic_vec3_cross(r, p));
        weight[2] = stic_vec3_dot(n, stic_vec3_cross(p, q));
        sum = stic_vec3_dot(n, n);
    } else if (count == 4) {
        const SticVec3 q = s[part[1]].w, r = s[part[2]].w, t = s[part[3]].w;
        const double volume =
            stic_vec3_triple(stic_vec3_sub(q, p), stic_vec3_sub(r, p), stic_vec3_sub(t, p));
        const double sign = volume < 0.0 ? -1.0 : 1.0;
        weight[0] = sign * stic_vec3_triple(q, r, t);
        weight[1] = -sign * stic_vec3_triple(p, r, t);
        weight[2] = sign * stic_vec3_triple(p, q, t);
        weight[3] = -sign * stic_vec3_triple(p, q, r);
        sum = fabs(volume);
    } else {
        weight[0] = 1.0;
    }
    // normalise by their own sum: a convex combination whatever the rounding
    double total = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        if (!(weight[i] > 0.0))
            return false;
        total += weight[i];
    }
    for (int32_t i = 0; i < count; ++i)
        weight[i] /= total;
    return sum > 0.0;
}

typedef struct Choice {
    int32_t part[4], count;
    double weight[4], norm2;
    SticVec3 v;
} Choice;

static void consider(const SticDifference* s, uint32_t mask, int32_t points, Choice* best)
{
    Choice here = {.count = 0};
    for (int32_t i = 0; i < points; ++i)
        if (mask & 1u << i)
            here.part[here.count++] = i;
    if (!weigh(s, here.part, here.count, here.weight))
        return;
    here.v = stic_vec3_zero();
    for (int32_t i = 0; i < here.count; ++i)
        here.v = stic_vec3_add_scaled(here.v, here.weight[i], s[here.part[i]].w);
    here.norm2 = here.count == 4 ? 0.0 : stic_vec3_norm2(here.v);
    if (best->count == 0 || here.norm2 < best->norm2)
        *best = here;
}

// all parts that hold the last point
static Choice nearest_by_faces(const SticDifference* s, int32_t points)
{
    Choice best = {.count = 0};
    const uint32_t last = 1u << (points - 1);
    for (uint32_t mask = 0; mask < last; ++mask)
        consider(s, mask | last, points, &best);
    return best;
}

// determinants D_i(X) of every part X by recursion; a part is right if its own are positive and
// those of every point that could join it are not
static Choice nearest_by_johnson(const SticDifference* s, int32_t points)
{
    double D[16][4] = {{0.0}};
    const uint32_t all = (1u << points) - 1;
    for (uint32_t X = 1; X <= all; ++X) {
        int32_t k = 0;
        while (!(X & 1u << k))
            ++k;
        if (X == 1u << k)
            D[X][k] = 1.0;
        for (int32_t j = 0; j < points; ++j) {
            if (X & 1u << j)
                continue;
            double sum = 0.0;
            for (int32_t i = 0; i < points; ++i)
                if (X & 1u << i)
                    sum += D[X][i] * stic_vec3_dot(s[i].w, stic_vec3_sub(s[k].w, s[j].w));
            D[X | 1u << j][j] = sum;
        }
    }
    for (uint32_t X = 1; X <= all; ++X) {
        bool right = true;
        for (int32_t i = 0; i < points; ++i) {
            const bool inside = (X & 1u << i) != 0;
            right = right && (inside ? D[X][i] > 0.0 : D[X | 1u << i][i] <= 0.0);
        }
        if (!right)
            continue;
        Choice choice = {.count = 0, .v = stic_vec3_zero()};
        double sum = 0.0;
        for (int32_t i = 0; i < points; ++i)
            if (X & 1u << i) {
                choice.weight[choice.count] = D[X][i];
                choice.part[choice.count++] = i;
                sum += D[X][i];
            }
        for (int32_t i = 0; i < choice.count; ++i) {
            choice.weight[i] /= sum;
            choice.v = stic_vec3_add_scaled(choice.v, choice.weight[i], s[choice.part[i]].w);
        }
        choice.norm2 = stic_vec3_norm2(choice.v);
        // determinants of four points are of sixth order: volumes say whether the origin is inside
        return choice.count == 4 ? nearest_by_faces(s, points) : choice;
    }
    return nearest_by_faces(s, points);
}

/* ---- the iteration ---- */

static SticDifference support(const SticCore* A, const SticCore* B, SticVec3 v)
{
    SticDifference s = {.a = stic_core_support(A, stic_vec3_neg(v)), .b = stic_core_support(B, v)};
    s.w = stic_vec3_sub(s.a, s.b);
    return s;
}

static void keep(SticGjk* gjk, const Choice* choice)
{
    gjk->v = choice->v;
    gjk->a = gjk->b = stic_vec3_zero();
    for (int32_t i = 0; i < choice->count; ++i) {
        const SticDifference s = gjk->simplex[choice->part[i]];
        gjk->simplex[i] = s; // parts are in ascending order
        gjk->a = stic_vec3_add_scaled(gjk->a, choice->weight[i], s.a);
        gjk->b = stic_vec3_add_scaled(gjk->b, choice->weight[i], s.b);
    }
    gjk->count = choice->count;
}

static double largest_norm2(const SticGjk* gjk)
{
    double largest = 0.0;
    for (int32_t i = 0; i < gjk->count; ++i) {
        const double here = stic_vec3_norm2(gjk->simplex[i].a) + stic_vec3_norm2(gjk->simplex[i].b);
        largest = here > largest ? here : largest;
    }
    return largest;
}

static bool repeated(const SticGjk* gjk, SticVec3 w)
{
    for (int32_t i = 0; i < gjk->count; ++i)
        if (stic_vec3_is_equal(gjk->simplex[i].w, w))
            return true;
    return false;
}

SticGjk stic_gjk(const SticCore* A, const SticCore* B, double enough, SticSubdistance method)
{
    SticGjk gjk = {.count = 1};
    SticVec3 start = stic_vec3_sub(stic_core_middle(A), stic_core_middle(B));
    if (stic_vec3_norm2(start) == 0.0)
        start = stic_vec3(1.0, 0.0, 0.0);
    gjk.simplex[0] = support(A, B, start);
    keep(&gjk, &(Choice){.count = 1, .weight = {1.0}, .v = gjk.simplex[0].w});
    for (gjk.iterations = 1; gjk.iterations < MOST_ITERATIONS; ++gjk.iterations) {
        const double norm2 = stic_vec3_norm2(gjk.v);
        gjk.overlap =
            gjk.count == 4 || norm2 <= RELATIVE_ZERO * RELATIVE_ZERO * largest_norm2(&gjk);
        if (gjk.overlap)
            break;
        const SticDifference s = support(A, B, gjk.v);
        const double along = stic_vec3_dot(gjk.v, s.w), norm = sqrt(norm2);
        gjk.bound = along / norm > gjk.bound ? along / norm : gjk.bound;
        if (norm2 - along <= RELATIVE_END * norm2 || gjk.bound > enough || repeated(&gjk, s.w))
            break;
        gjk.simplex[gjk.count] = s;
        const Choice choice = method == STIC_SUBDISTANCE_JOHNSON
                                  ? nearest_by_johnson(gjk.simplex, gjk.count + 1)
                                  : nearest_by_faces(gjk.simplex, gjk.count + 1);
        // stop at the level of rounding, when nothing gets nearer
        if (choice.count == 0 || !(choice.norm2 < norm2))
            break;
        keep(&gjk, &choice);
    }
    const bool open = !gjk.overlap && gjk.bound <= enough &&
                      stic_vec3_norm(gjk.v) - gjk.bound > JOHNSON_END * stic_vec3_norm(gjk.v);
    return open && method == STIC_SUBDISTANCE_JOHNSON
               ? stic_gjk(A, B, enough, STIC_SUBDISTANCE_FACES)
               : gjk;
}

SticDistance stic_gjk_distance(const SticShape* A, const SticPose* pose_a, const SticShape* B,
                               const SticPose* pose_b, SticSubdistance method)
{
    STIC_ASSERT(stic_shape_is_convex(A) && stic_shape_is_convex(B));
    const SticVec3 base = pose_b->origin;
    const SticCore a = stic_core_of(A, pose_a, base), b = stic_core_of(B, pose_b, base);
    const SticGjk gjk = stic_gjk(&a, &b, (double)INFINITY, method);
    const double length = gjk.overlap ? 0.0 : stic_vec3_norm(gjk.v);
    SticDistance result = {.iterations = gjk.iterations, .normal = stic_vec3_zero()};
    result.distance = length - (a.margin + b.margin);
    if (result.distance <= 0.0) {
        const double part = a.margin + b.margin > 0.0 ? a.margin / (a.margin + b.margin) : 0.0;
        const SticVec3 common = stic_vec3_add(base, stic_vec3_lerp(gjk.a, gjk.b, part));
        result.distance = 0.0;
        result.point[0] = result.point[1] = common;
        return result;
    }
    result.normal = stic_vec3_scale(1.0 / length, gjk.v);
    result.point[0] = stic_vec3_add(base, stic_vec3_add_scaled(gjk.a, -a.margin, result.normal));
    result.point[1] = stic_vec3_add(base, stic_vec3_add_scaled(gjk.b, b.margin, result.normal));
    return result;
}
