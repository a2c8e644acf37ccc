// SPDX-License-Identifier: Apache-2.0
// Intersection of two convex polyhedra by clipping (Koziara 2008, section 9.4.1).
//
// Every face of each is cut by all planes of the other (Sutherland & Hodgman 1974); the scraps are
// the boundary of the intersection. A scrap in the plane of a face of the other that looks the same
// way belongs to the first hull only. Cost O(f_A f_B) cuts; a plane that a polygon does not meet
// costs one dot product per corner.
#include "collide/intersect.h"

#include "stiction/extend/base.h"

typedef struct Polygon {
    SticVec3 *p, *spare;
    double* height;
    int32_t count;
} Polygon;

static void cut(Polygon* polygon, const SticPlane* plane, double tolerance)
{
    bool outside = false;
    for (int32_t i = 0; i < polygon->count; ++i) {
        polygon->height[i] =
            stic_vec3_dot(plane->normal, polygon->p[i]) - plane->offset - tolerance;
        outside = outside || polygon->height[i] > 0.0;
    }
    if (!outside)
        return;
    int32_t count = 0;
    SticVec3* out = polygon->spare;
    for (int32_t i = 0; i < polygon->count; ++i) {
        const int32_t j = i + 1 < polygon->count ? i + 1 : 0;
        const double u = polygon->height[i], v = polygon->height[j];
        if (u <= 0.0)
            out[count++] = polygon->p[i];
        if ((u < 0.0 && v > 0.0) || (u > 0.0 && v < 0.0))
            out[count++] = stic_vec3_lerp(polygon->p[i], polygon->p[j], u / (u - v));
    }
    polygon->spare = polygon->p;
    polygon->p = out;
    polygon->count = count;
}

static void open_face(const SticHull* own, int32_t face, Polygon* polygon)
{
    const SticPolyhedron* p = own->topology;
    polygon->count = 0;
    for (int32_t k = p->face_begin[face]; k < p->face_begin[face + 1]; ++k)
        polygon->p[polygon->count++] = own->vertex[p->face_vertex[k]];
}

static void cut_face(const SticHull* own, int32_t face, const SticHull* other, double tolerance,
                     Polygon* polygon)
{
    open_face(own, face, polygon);
    for (int32_t f = 0; f < other->topology->face_count && polygon->count > 0; ++f) {
        // planes that look the same way: a small tolerance decides who owns a common scrap
        const bool same = stic_vec3_dot(own->plane[face].normal, other->plane[f].normal) > 0.5;
        cut(polygon, &other->plane[f], same ? tolerance : 0.0);
    }
}

static SticStatus open_polygon(SticArena* arena, int32_t most, Polygon* polygon)
{
    STIC_TRY(STIC_TAKE(arena, &polygon->p, most + 1));
    STIC_TRY(STIC_TAKE(arena, &polygon->spare, most + 1));
    return STIC_TAKE(arena, &polygon->height, most + 1);
}

SticStatus stic_overlap_with_plane(SticArena* arena, const SticHull* hull, const SticPlane* plane,
                                   SticOverlap* overlap)
{
    Polygon polygon;
    SticOverlapFace* face;
    STIC_TRY(open_polygon(arena, 2 * hull->topology->edge_count, &polygon));
    STIC_TRY(stic_overlap_open(arena, hull, &face));
    *overlap = (SticOverlap){.count = 0};
    for (int32_t f = 0; f < hull->topology->face_count; ++f) {
        open_face(hull, f, &polygon);
        cut(&polygon, plane, 0.0);
        for (int32_t i = 1; i + 1 < polygon.count; ++i) {
            const SticVec3 corner[3] = {polygon.p[0], polygon.p[i], polygon.p[i + 1]};
            stic_overlap_add(overlap, &face[f], hull->plane[f].normal, corner);
        }
    }
    overlap->side[0] = stic_overlap_side(hull, face);
    return STIC_OK;
}

SticStatus stic_overlap_by_clipping(SticArena* arena, const SticHull hull[2], SticOverlap* overlap)
{
    const int32_t most = 2 * (hull[0].topology->edge_count + hull[1].topology->edge_count);
    const double size = hull[0].size < hull[1].size ? hull[0].size : hull[1].size;
    Polygon polygon;
    SticVec3* point;
    uint8_t* owner;
    STIC_TRY(open_polygon(arena, most, &polygon));
    // corners of a convex polyhedron with f faces: at most 6 f - 12 in all faces together
    const int32_t room = 6 * (hull[0].topology->face_count + hull[1].topology->face_count);
    STIC_TRY(STIC_TAKE(arena, &point, room + most));
    STIC_TRY(STIC_TAKE(arena, &owner, room + most));
    *overlap = (SticOverlap){.point = point, .owner = owner};
    for (int side = 0; side < 2; ++side) {
        const SticHull* own = &hull[side];
        const double tolerance = (side == 0 ? 1.0 : -1.0) * 0x1p-44 * size;
        SticOverlapFace* face;
        STIC_TRY(stic_overlap_open(arena, own, &face));
        for (int32_t f = 0; f < own->topology->face_count; ++f) {
            const bool surface = !(own->topology->face_flag[f] & STIC_FACE_INTERNAL);
            cut_face(own, f, &hull[1 - side], tolerance, &polygon);
            for (int32_t i = 1; i + 1 < polygon.count; ++i) {
                const SticVec3 corner[3] = {polygon.p[0], polygon.p[i], polygon.p[i + 1]};
                stic_overlap_add(overlap, &face[f], own->plane[f].normal, corner);
            }
            for (int32_t i = 0; surface && i < polygon.count && overlap->count < room + most; ++i) {
                point[overlap->count] = polygon.p[i];
                owner[overlap->count++] = (uint8_t)side;
            }
        }
        overlap->side[side] = stic_overlap_side(own, face);
    }
    return STIC_OK;
}
