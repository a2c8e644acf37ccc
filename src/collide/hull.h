// SPDX-License-Identifier: Apache-2.0
// Polyhedra in a common frame: separating axes and contact patches.
#ifndef STIC_COLLIDE_HULL_H
#define STIC_COLLIDE_HULL_H

#include "collide/collide.h"
#include "shape/shape.h"

/// Shapes that touch up to this part of the smaller size are in contact whatever `reach` is: the
/// rounding of a position 1e6 sizes from the origin.
#define STIC_TOUCH_PART 1e-9
/// Points of a patch nearer than this part of the smaller size are one, and a vertex outside the
/// other face by less counts as inside: small noise does not change features.
#define STIC_SAME_PART 1e-6

/// Parts of the smaller and of the larger size by which rounding may make a depth larger.
#define STIC_DEPTH_PART     1e-12
#define STIC_DEPTH_ROUNDING 1e-15

/// Sine of the angle below which edges are parallel.
#define STIC_PARALLEL 1e-6

enum {
    STIC_FACE_FLAT = 2 ///< stands for a neighbour in the same plane, beside STIC_FACE_INTERNAL
};

/// True if an edge takes part in contact: those of internal faces do not.
static inline bool stic_edge_counts(const SticPolyhedron* p, int32_t edge)
{
    const int32_t* face = p->edge[edge].face;
    return ((p->face_flag[face[0]] | p->face_flag[face[1]]) & STIC_FACE_INTERNAL) == 0;
}

/// True if a vertex takes part in contact: all its edges do.
static inline bool stic_vertex_counts(const SticPolyhedron* p, int32_t vertex)
{
    for (int32_t k = p->vertex_begin[vertex]; k < p->vertex_begin[vertex + 1]; ++k)
        if (!stic_edge_counts(p, p->vertex_edge[k]))
            return false;
    return true;
}

/// True if a face takes part in contact. Faces without sides only carry the normal of a neighbour.
static inline bool stic_hull_face_counts(const SticPolyhedron* p, int32_t face)
{
    return p->face_begin[face + 1] > p->face_begin[face] &&
           !(p->face_flag[face] & STIC_FACE_INTERNAL);
}

/// A polyhedron placed in the frame in which a pair is looked at.
typedef struct SticHull {
    const SticPolyhedron* topology;
    const SticVec3* vertex; ///< placed; NULL for a rigid hull of which only some are needed
    const SticPlane* plane; ///< placed; NULL as `vertex`
    SticVec3 centre, origin;
    SticMat3 F;
    bool moved, rigid; ///< moved: F and origin are not the identity
    bool box;          ///< rigid, a box without internal faces: numbered -x +x -y +y -z +z
    double inner;      ///< radius of a ball about the centre inside it
    double size;       ///< diameter
} SticHull;

/// What the functions of a pair share.
typedef struct SticPairWork {
    const SticCollideSettings* settings;
    SticArena* arena; ///< scratch, rewound after each pair
    const SticContext* context;
    SticContact* contact; ///< the list
    size_t capacity;
    int32_t count;
    double reach;
    SticVec3 base;            ///< poses are relative to it
    SticPose pose[2];         ///< of the two shapes, lower key first
    const SticPose* place[2]; ///< of the parts looked at, in their shapes; NULL: the identity
    uint32_t element[2];      ///< number of the part, mixed into the features
    uint32_t region[2];       ///< the same for its face: of a mesh that of the flat region
    bool corners;             ///< corners may touch corners: not those of triangles
    int32_t face_side;        ///< of the contact that is added: whose face takes part, or -1
} SticPairWork;

/// The axis of largest separation.
typedef struct SticAxis {
    int32_t kind;     ///< 0, 1: face of hull 0 or 1; 2: two edges
    int32_t index[2]; ///< face, or the two edges
    SticVec3 normal;  ///< unit, from hull 1 to hull 0
    double separation;
} SticAxis;

enum { STIC_AXIS_EDGES = 2 };

/// Place a polyhedron; vertices and planes are from the arena unless nothing moves.
SticStatus stic_hull_place(SticArena* arena, const SticPolyhedron* p, const SticPose* pose,
                           SticHull* hull);
/// The same for a rigid pose, without the arrays and the centre.
void stic_hull_outline(const SticPolyhedron* p, const SticPose* pose, SticHull* hull);
/// A polyhedron that stays where it was defined.
void stic_hull_rest(const SticPolyhedron* p, SticHull* hull);
/// A placed vertex.
static inline SticVec3 stic_hull_vertex(const SticHull* hull, int32_t i)
{
    if (hull->vertex != NULL)
        return hull->vertex[i];
    return stic_vec3_add(stic_mat3_mul_vec(hull->F, hull->topology->vertex[i]), hull->origin);
}
/// Index of the farthest vertex.
int32_t stic_hull_support(const SticHull* hull, SticVec3 direction);
/// Point of the frame of the pair in the frame of the polyhedron.
SticVec3 stic_hull_local(const SticHull* hull, SticVec3 x);

/// The axis to take, the best face, and the axis of largest separation, which equals the first
/// unless another was preferred; `apart` if it is larger than `reach`.
SticStatus stic_hulls_separate(SticArena* arena, const SticHull hull[2], double reach,
                               SticAxis axis[3], bool* apart);
/// The same for two boxes, the first placed in the frame of the second; true if they are apart.
bool stic_boxes_separate(const SticPolyhedron* const p[2], const SticVec3 half[2],
                         const SticPose* pose, double reach, SticAxis axis[3]);
/// The axis to take among the best faces of the two, with their areas, and the best edges.
void stic_axis_choose(const SticAxis face[2], const double area[2], const SticAxis* edges,
                      double size, SticAxis axis[3]);
/// Contacts of two hulls for a given axis.
SticStatus stic_hulls_touch_along(SticPairWork* work, const SticHull hull[2],
                                  const SticAxis axis[3]);
/// Contacts of corners and parallel edges, or only of the latter, that are the nearest features of
/// two hulls; if there are any, they replace those from `first` on.
SticStatus stic_corners_touch(SticPairWork* work, const SticHull hull[2], const SticAxis* axis,
                              int32_t first, bool only_edges);
/// What the contacts with a triangle of a mesh are.
typedef enum SticOnTriangle {
    STIC_ON_FEATURE, ///< with its face, an edge or a vertex
    STIC_ON_LOWEST,  ///< the lowest point below it, which may be that of a neighbour
    STIC_ON_COVERED  ///< the same, of what lies on it and touches others in its plane: no contact
} SticOnTriangle;

/// Hull `side` is a triangle: if contacts from `first` on are deeper than what the other hull has
/// below it, inside the prism over it, the lowest point there replaces them, or nothing if that is
/// out of reach.
SticStatus stic_hull_limit_depth(SticPairWork* work, const SticHull hull[2], int32_t side,
                                 int32_t first, SticOnTriangle* kind);
/// Contacts of two hulls.
SticStatus stic_hulls_touch(SticPairWork* work, const SticHull hull[2]);

/// Contacts of a polyhedron, side 0, with the half-space of side 1.
SticStatus stic_hull_on_plane(SticPairWork* work, const SticHull* hull, const SticPlane* plane,
                              int32_t side);

/// Pack a feature: two bits of type, one of side, three numbers of 19 bits.
static inline uint64_t stic_feature(uint32_t type, uint32_t side, int32_t a, int32_t b, int32_t c)
{
    const uint64_t mask = ((uint64_t)1 << 19) - 1;
    return (uint64_t)type << 58 | (uint64_t)side << 57 | ((uint64_t)(uint32_t)a & mask) << 38 |
           ((uint64_t)(uint32_t)b & mask) << 19 | ((uint64_t)(uint32_t)c & mask);
}

#endif
