// SPDX-License-Identifier: Apache-2.0
// Intersection of two convex polyhedra by polarity (Muller & Preparata 1978; Koziara 2008, section
// 9.4.3).
//
//   1  a point deep inside both: Newton's method on -w t - sum log(offset - normal.x - t) over the
//      m planes of both, which starts anywhere; the weight w grows from 8 m until t > 0. No such
//      point: no intersection. (The thesis takes the common point of GJK, which lies on the border;
//      an inner one keeps the duals bounded.)
//   2  with the origin there each plane n.x <= o has the dual point n / o
//   3  the convex hull of the dual points, by qhull
//   4  its polar: a face with the plane n.y = o is the corner n / o, a vertex is a face of the
//      intersection in the plane it came from; the edge between corners f and g belongs to the
//      faces of both its ends
// Cost O(m log m); planes that do not bound the intersection are dual points inside the hull.
#include <math.h>

#include "collide/intersect.h"
#include "math/math.h"
#include "shape/build.h"

enum { MOST_NEWTON = 200 };

typedef struct Planes {
    SticPlane* plane; // of both hulls, scaled to unit size about the middle
    int32_t count, first;
    SticVec3 middle;
    double size;
} Planes;

static SticStatus collect(SticArena* arena, const SticHull hull[2], Planes* planes)
{
    const SticHull* small = hull[0].size < hull[1].size ? &hull[0] : &hull[1];
    planes->first = hull[0].topology->face_count;
    planes->count = planes->first + hull[1].topology->face_count;
    planes->middle = small->centre;
    planes->size = small->size;
    STIC_TRY(STIC_TAKE(arena, &planes->plane, planes->count));
    for (int32_t i = 0; i < planes->count; ++i) {
        const SticPlane p = i < planes->first ? hull[0].plane[i] : hull[1].plane[i - planes->first];
        const double offset = p.offset - stic_vec3_dot(p.normal, planes->middle);
        planes->plane[i] = (SticPlane){p.normal, offset / planes->size};
    }
    return STIC_OK;
}

// gradient and Hessian of the barrier at (x, t)
static void barrier(const Planes* planes, double weight, const double x[4], double g[4],
                    double H[16])
{
    for (int i = 0; i < 16; ++i)
        H[i] = 0.0;
    g[0] = g[1] = g[2] = 0.0;
    g[3] = -weight;
    for (int32_t k = 0; k < planes->count; ++k) {
        const SticPlane* p = &planes->plane[k];
        const double a[4] = {p->normal.x, p->normal.y, p->normal.z, 1.0};
        double s = p->offset;
        for (int i = 0; i < 4; ++i)
            s -= a[i] * x[i];
        for (int i = 0; i < 4; ++i) {
            g[i] += a[i] / s;
            for (int j = 0; j <= i; ++j)
                H[4 * i + j] += a[i] * a[j] / (s * s);
        }
    }
}

// a point with positive distance to all planes; false if there is none
static bool inner_point(const Planes* planes, SticVec3* point)
{
    double x[4] = {0.0, 0.0, 0.0, (double)INFINITY};
    for (int32_t k = 0; k < planes->count; ++k)
        x[3] = planes->plane[k].offset < x[3] ? planes->plane[k].offset : x[3];
    x[3] -= 0.1;
    double weight = 8.0 * planes->count;
    for (int step = 0; step < MOST_NEWTON; ++step) {
        double g[4], H[16], d[4], decrement = 0.0;
        barrier(planes, weight, x, g, H);
        for (int i = 0; i < 4; ++i)
            d[i] = -g[i];
        if (stic_dense_cholesky(4, H) != STIC_OK)
            break;
        stic_dense_cholesky_solve(4, H, d);
        for (int i = 0; i < 4; ++i)
            decrement -= g[i] * d[i];
        decrement = sqrt(decrement > 0.0 ? decrement : 0.0);
        for (int i = 0; i < 4; ++i)
            x[i] += d[i] / (decrement > 0.25 ? 1.0 + decrement : 1.0);
        if (decrement < 0.25 && x[3] > 0.0)
            break;
        // t falls short of its maximum by less than m / w
        if (decrement < 0.25 && x[3] + 2.0 * planes->count / weight < 0.0)
            break;
        weight = decrement < 0.25 ? 8.0 * weight : weight;
    }
    *point = stic_vec3_load(x);
    return x[3] > 0x1p-40;
}

// corners of the intersection: polar of the faces of the dual hull
static SticStatus polarise(SticArena* arena, const Planes* planes, SticVec3 inner,
                           const SticFaces* dual, SticVec3** corner)
{
    STIC_TRY(STIC_TAKE(arena, corner, dual->count));
    for (int32_t f = 0; f < dual->count; ++f) {
        const SticVec3 n = stic_area_vector(dual, f);
        double offset = 0.0;
        const int32_t from = stic_face_begin(dual, f), to = stic_face_begin(dual, f + 1);
        for (int32_t k = from; k < to; ++k)
            offset += stic_vec3_dot(n, dual->vertex[dual->corner[k]]) / (to - from);
        const SticVec3 y = stic_vec3_add_scaled(inner, 1.0 / offset, n);
        (*corner)[f] = stic_vec3_add_scaled(planes->middle, planes->size, y);
    }
    return STIC_OK;
}

static SticStatus read_faces(SticArena* arena, const SticHull hull[2], const Planes* planes,
                             const SticFaces* dual, const SticVec3* corner, SticOverlap* overlap)
{
    const int32_t sides = stic_face_begin(dual, dual->count);
    int32_t *face_of, *twin, *first;
    SticVec3* point;
    uint8_t* owner;
    SticOverlapFace* face[2];
    for (int side = 0; side < 2; ++side)
        STIC_TRY(stic_overlap_open(arena, &hull[side], &face[side]));
    STIC_TRY(STIC_TAKE(arena, &face_of, sides));
    STIC_TRY(STIC_TAKE(arena, &twin, sides));
    STIC_TRY(STIC_TAKE(arena, &first, planes->count));
    STIC_TRY(STIC_TAKE(arena, &point, sides));
    STIC_TRY(STIC_TAKE(arena, &owner, sides));
    STIC_TRY(stic_faces_pair(arena, dual, face_of, twin));
    overlap->point = point;
    overlap->owner = owner;
    for (int32_t i = 0; i < planes->count; ++i)
        first[i] = -1;
    for (int32_t k = 0; k < sides; ++k) {
        const int32_t plane = dual->corner[k], f = face_of[k];
        if (twin[k] < 0)
            continue;
        const int side = plane < planes->first ? 0 : 1;
        const int32_t own = side == 0 ? plane : plane - planes->first;
        const bool surface = !(hull[side].topology->face_flag[own] & STIC_FACE_INTERNAL);
        if (first[plane] < 0)
            first[plane] = f;
        // around the vertex of the dual hull, that is, around a face of the intersection
        const SticVec3 triangle[3] = {corner[first[plane]], corner[face_of[twin[k]]], corner[f]};
        stic_overlap_add(overlap, &face[side][own], hull[side].plane[own].normal, triangle);
        if (surface) {
            point[overlap->count] = corner[f];
            owner[overlap->count++] = (uint8_t)side;
        }
    }
    for (int side = 0; side < 2; ++side)
        overlap->side[side] = stic_overlap_side(&hull[side], face[side]);
    return STIC_OK;
}

SticStatus stic_overlap_by_polarity(SticArena* arena, const SticHull hull[2], SticOverlap* overlap)
{
    Planes planes;
    SticVec3 inner, *point, *corner;
    *overlap = (SticOverlap){.volume = 0.0};
    STIC_TRY(collect(arena, hull, &planes));
    if (!inner_point(&planes, &inner))
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &point, planes.count));
    for (int32_t i = 0; i < planes.count; ++i) {
        const SticPlane* p = &planes.plane[i];
        const double offset = p->offset - stic_vec3_dot(p->normal, inner);
        point[i] = stic_vec3_scale(1.0 / offset, p->normal);
    }
    const SticShapeWork work = {.context = stic_arena_context(arena), .arena = arena};
    SticFaces dual;
    STIC_TRY(stic_qhull_faces(&work, point, planes.count, &dual));
    STIC_TRY(polarise(arena, &planes, inner, &dual, &corner));
    return read_faces(arena, hull, &planes, &dual, corner, overlap);
}
