// SPDX-License-Identifier: Apache-2.0
// Intersection of two convex polyhedra.
#ifndef STIC_COLLIDE_INTERSECT_H
#define STIC_COLLIDE_INTERSECT_H

#include "collide/hull.h"
#include "stiction/extend/base.h"
#include "stiction/extend/vec3.h"

/// The part of a face that lies in the intersection.
typedef struct SticOverlapFace {
    double area;
    SticVec3 moment; ///< integral of the position
} SticOverlapFace;

/// The part of the boundary on the surface faces of one of the two, as integrals over it.
typedef struct SticOverlapSide {
    double area;
    SticVec3 normal;             ///< integral of the normal
    SticVec3 moment;             ///< integral of the position
    const SticOverlapFace* face; ///< [faces of the hull] also those inside the body
} SticOverlapSide;

/// Boundary of the intersection, a point of it per entry.
typedef struct SticOverlap {
    SticOverlapSide side[2]; ///< surface faces only
    double volume;           ///< of the whole intersection
    int32_t count;           ///< points
    const SticVec3* point;   ///< [count] corners of surface faces, a corner of two faces twice
    const uint8_t* owner;    ///< [count] which hull the face is of
} SticOverlap;

/// The surface of a hull on the inner side of a plane, as side 0; without points.
SticStatus stic_overlap_with_plane(SticArena* arena, const SticHull* hull, const SticPlane* plane,
                                   SticOverlap* overlap);
/// Faces of each hull cut by the planes of the other; all zero if they do not overlap.
SticStatus stic_overlap_by_clipping(SticArena* arena, const SticHull hull[2], SticOverlap* overlap);
/// The same from the hull of the dual points of all planes.
SticStatus stic_overlap_by_polarity(SticArena* arena, const SticHull hull[2], SticOverlap* overlap);

/// Add a triangle of a face with the normal n to an overlap and to what is there of this face.
static inline void stic_overlap_add(SticOverlap* overlap, SticOverlapFace* face, SticVec3 n,
                                    const SticVec3 corner[3])
{
    const SticVec3 a = stic_vec3_sub(corner[1], corner[0]), b = stic_vec3_sub(corner[2], corner[0]);
    const double area = 0.5 * stic_vec3_dot(n, stic_vec3_cross(a, b));
    const SticVec3 sum = stic_vec3_add(corner[0], stic_vec3_add(corner[1], corner[2]));
    overlap->volume += area * stic_vec3_dot(n, corner[0]) / 3.0;
    face->area += area;
    face->moment = stic_vec3_add_scaled(face->moment, area / 3.0, sum);
}

/// Sums over the surface faces of a hull.
static inline SticOverlapSide stic_overlap_side(const SticHull* hull, const SticOverlapFace* face)
{
    SticOverlapSide side = {.face = face};
    for (int32_t f = 0; f < hull->topology->face_count; ++f) {
        if (hull->topology->face_flag[f] & STIC_FACE_INTERNAL)
            continue;
        side.area += face[f].area;
        side.normal = stic_vec3_add_scaled(side.normal, face[f].area, hull->plane[f].normal);
        side.moment = stic_vec3_add(side.moment, face[f].moment);
    }
    return side;
}

/// Entries for the faces of a hull, all zero.
static inline SticStatus stic_overlap_open(SticArena* arena, const SticHull* hull,
                                           SticOverlapFace** face)
{
    STIC_TRY(STIC_TAKE(arena, face, hull->topology->face_count));
    for (int32_t f = 0; f < hull->topology->face_count; ++f)
        (*face)[f] = (SticOverlapFace){0};
    return STIC_OK;
}

#endif
