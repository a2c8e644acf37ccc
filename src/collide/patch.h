// SPDX-License-Identifier: Apache-2.0
// Overlap of two faces as a polygon, and its area.
#ifndef STIC_COLLIDE_PATCH_H
#define STIC_COLLIDE_PATCH_H

#include "collide/hull.h"

/// What a corner of the overlap is.
typedef enum SticCornerKind {
    STIC_CORNER_VERTEX,    ///< vertex of the incident face
    STIC_CORNER_CROSSING,  ///< crossing of two edges
    STIC_CORNER_REFERENCE, ///< vertex of the reference face
    STIC_CORNER_DEEPEST    ///< stands for an overlap that is not over the face
} SticCornerKind;

/// Corner of the overlap; before and after are edges of the incident hull (>= 0) or -1 - side of
/// the reference face.
typedef struct SticCorner {
    SticVec3 p;     ///< z is the height above the reference face
    int32_t vertex; ///< of the incident hull, or -1
    int32_t before, after;
    double height; ///< above the line that cuts
    double share;  ///< of the area
} SticCorner;

/// Side of the reference face: the corner where it begins, and the line x . outward <= offset.
typedef struct SticPatchSide {
    double corner[2], outward[2], offset;
} SticPatchSide;

/// The overlap of two faces. All vectors are in the frame of the reference face: x and y in the
/// face, z outward, 0 on its plane.
typedef struct SticPatch {
    const SticHull *reference, *incident;
    int32_t reference_side; ///< which hull is the reference
    int32_t face, incident_face;
    const SticPatchSide* side; ///< of the reference face, in the order of its vertices
    int32_t sides;
    SticMat3 F; ///< place of the incident polyhedron
    SticVec3 origin;
    bool rigid;  ///< F is a rotation
    double same; ///< points nearer than this are one
    SticCorner *list, *spare;
    int32_t count;
    bool fuzzy; ///< not the exact overlap: a tolerance was used beyond rounding, or corners were
                ///< dropped
    bool flat;  ///< all corners lie on one side of the reference face
} SticPatch;

/// Choose the frame and the face of the incident hull for a face of hull `side`; no room is taken
/// and incident_face is -1 if no face looks at it.
SticStatus stic_patch_open(SticArena* arena, const SticHull hull[2], int32_t side, int32_t face,
                           SticPatch* patch);
/// Cut the incident face by the sides of the reference face; points outside by `tolerance` stay.
void stic_patch_overlap(SticPatch* patch, double tolerance);
/// Lowest point of the whole incident hull over or below the reference face, cut without tolerance;
/// the face that it lies on becomes incident_face. Not `found`: nothing is there.
SticStatus stic_patch_lowest(SticArena* arena, SticPatch* patch, SticCorner* lowest, bool* found);
/// Merge corners that coincide.
void stic_patch_merge(SticPatch* patch);
/// Drop corners that lie almost on the line of their neighbours.
void stic_patch_reduce(SticPatch* patch);
/// Give each corner its share of the area of the polygon.
void stic_patch_share(SticPatch* patch);
/// Area of the exact overlap where the gap is at most `reach`; the polygon is lost.
double stic_patch_area(SticPatch* patch, double reach);

/// What a corner is.
SticCornerKind stic_corner_kind(const SticCorner* corner);
/// Rotation into the frame of a face with this normal, which becomes z.
SticMat3 stic_patch_frame(SticVec3 normal);
/// A point of the frame of the patch in the frame of the incident polyhedron.
SticVec3 stic_patch_local(const SticPatch* patch, SticVec3 x);
/// The same for a vertex of the incident polyhedron, the other way.
static inline SticVec3 stic_patch_placed(const SticPatch* patch, SticVec3 X)
{
    return stic_vec3_add(stic_mat3_mul_vec(patch->F, X), patch->origin);
}

/// The face of a rigid hull that looks most against a direction of its own frame, at its farthest
/// vertex there; or -1.
int32_t stic_hull_face_against(const SticHull* hull, SticVec3 n);

#endif
