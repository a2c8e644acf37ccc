// SPDX-License-Identifier: Apache-2.0
// What the files of shape/ share while a shape is made.
#ifndef STIC_SHAPE_BUILD_H
#define STIC_SHAPE_BUILD_H

#include "base/sort.h"
#include "shape/shape.h"

/// What every function that makes part of a shape is handed.
typedef struct SticShapeWork {
    const SticContext* context; ///< memory of the result
    SticArena* arena;           ///< temporary memory
    SticError* error;           ///< may be NULL
} SticShapeWork;

/// Volume with its first and second moments about `centre`, for density 1.
typedef struct SticMoments {
    double volume;
    SticVec3 centre;
    SticMat3 euler;
} SticMoments;

/// Polygons over shared vertices.
typedef struct SticFaces {
    const SticVec3* vertex;
    int32_t vertex_count;
    const int32_t* begin;  ///< [count+1] into corner; NULL: triangles
    const int32_t* corner; ///< vertices of each face, counter-clockwise seen from outside
    int32_t count;
} SticFaces;

/// Mass properties of a volume for a density.
SticMassProperties stic_inertia_from_moments(const SticMoments* moments, double density);
/// Moments of what a closed surface encloses; negative volume if it is inside out.
SticMoments stic_moments_of_faces(const SticFaces* faces);
/// Twice the area of a polygon times its normal.
SticVec3 stic_area_vector(const SticFaces* faces, int32_t face);

/// Unit normal of a polygon, zero if it has no area.
SticVec3 stic_face_normal(const SticFaces* faces, int32_t face);

/// A shape of a kind with nothing else in it.
SticStatus stic_shape_allocate(const SticContext* context, SticShapeKind kind, SticShape** shape,
                               SticError* error);
/// OUT_OF_MEMORY with a sentence.
SticStatus stic_shape_no_memory(SticError* error);
/// NOT_FINITE with a sentence unless all points are finite.
SticStatus stic_shape_check_points(const SticVec3* point, int32_t count, const char* what,
                                   SticError* error);

/// BAD_ARGUMENT with a sentence unless the tolerance is in [0, 0.1).
SticStatus stic_shape_check_tolerance(double tolerance, SticError* error);
/// Hand out a finished shape, or destroy it and report.
SticStatus stic_shape_finish(SticStatus status, SticShape* made, SticShape** shape,
                             SticError* error);
/// Fills a fresh shape from a definition of its kind.
typedef SticStatus SticShapeBuild(const SticShapeWork* work, const void* def, SticShape* shape);
/// A shape that needs temporary memory while it is built.
SticStatus stic_shape_build(const SticContext* context, SticShapeKind kind, SticShapeBuild* build,
                            const void* def, SticShape** shape, SticError* error);
/// Copy of a convex shape.
SticStatus stic_shape_copy(const SticContext* context, const SticShape* from, SticShape** to);
/// Unit mass properties and centre from moments.
void stic_shape_set_moments(SticShape* shape, const SticMoments* moments);
/// All common fields of a shape whose polyhedron is complete.
void stic_shape_set_polyhedron(SticShape* shape, const SticMoments* moments);

/// How a polyhedron is made from faces.
typedef struct SticPolyhedronOptions {
    double tolerance; ///< relative to the diameter
    bool merge;       ///< join coplanar faces and drop vertices that are no corners
    bool given;       ///< faces come from the user: none may be thin or bent
    const int32_t*
        node;          ///< [vertex_count] names of the vertices in messages and in `node`, or NULL
    const char* owner; ///< start of messages, such as "element 7: " or ""
} SticPolyhedronOptions;

/// Checked polyhedron with all its arrays, and its moments.
SticStatus stic_polyhedron_build(const SticShapeWork* work, const SticFaces* faces,
                                 const SticPolyhedronOptions* options, SticPolyhedron* polyhedron,
                                 SticMoments* moments);
/// Flag a face as internal, next to an element of the compound being made.
void stic_polyhedron_mark_face(SticPolyhedron* polyhedron, int32_t face, int32_t neighbour);
/// Copy with memory of its own.
SticStatus stic_polyhedron_copy(const SticContext* context, const SticPolyhedron* from,
                                SticPolyhedron* to);
void stic_polyhedron_release(const SticContext* context, SticPolyhedron* polyhedron);

/// Result of joining coplanar faces: polygons over a subset of the vertices.
typedef struct SticMergedFaces {
    int32_t count;
    int32_t* begin;  ///< [count+1]
    int32_t* corner; ///< [begin[count]]
    int32_t* first;  ///< [count] lowest index among the faces that became this one
} SticMergedFaces;

enum {
    STIC_TWIN_NONE = -1, ///< no other face has this edge
    STIC_TWIN_MANY = -2  ///< more than one has it, or one in the same direction
};

/// Half-edges sorted by their edge: those of one edge have one key, lower vertex before higher
/// vertex. The arrays are from `work`.
SticStatus stic_faces_sort_edges(SticArena* work, const SticFaces* faces, uint64_t** key,
                                 int32_t** half_edge);
/// Face and twin of every half-edge; twins are STIC_TWIN_* where the surface is open or branches.
SticStatus stic_faces_pair(SticArena* work, const SticFaces* faces, int32_t* face_of,
                           int32_t* twin);
/// Join faces of a closed surface that lie in one plane up to `distance`. The result is from
/// `work`.
SticStatus stic_faces_merge(SticArena* work, const SticFaces* faces, const int32_t* face_of,
                            const int32_t* twin, double distance, SticMergedFaces* merged);
/// Faces of the convex hull of points, in the arena.
SticStatus stic_qhull_faces(const SticShapeWork* work, const SticVec3* point, int32_t count,
                            SticFaces* faces);

/// Split a polygon into sides - 2 triangles; false if it crosses itself or has no area. `scratch`
/// has `sides` entries.
bool stic_polygon_split(const SticVec3* vertex, const int32_t* corner, int32_t sides,
                        int32_t* scratch, int32_t (*triangle)[3]);

/// Static tree over boxes.
SticStatus stic_tree_build(const SticShapeWork* work, const SticBounds* box, int32_t count,
                           SticTree* tree);
void stic_tree_release(const SticContext* context, SticTree* tree);

/// Offsets of arrays inside one block, each aligned to 64 bytes.
typedef struct SticBlockPlan {
    unsigned char* base; ///< NULL: only measure
    size_t used;
} SticBlockPlan;

/// Next array of count * size bytes; NULL while measuring.
static inline void* stic_block_plan_next(SticBlockPlan* plan, size_t count, size_t size)
{
    void* place = plan->base == NULL ? NULL : plan->base + plan->used;
    plan->used += (count * size + 63) / 64 * 64;
    return place;
}

/// First entry of face f.
static inline int32_t stic_face_begin(const SticFaces* faces, int32_t f)
{
    return faces->begin == NULL ? 3 * f : faces->begin[f];
}

/// Half-edge after k in face f.
static inline int32_t stic_face_next(const SticFaces* faces, int32_t f, int32_t k)
{
    return k + 1 < stic_face_begin(faces, f + 1) ? k + 1 : stic_face_begin(faces, f);
}

/// Everything that follows from the elements of a compound: mass, bounds, tree, surface elements.
SticStatus stic_compound_complete(const SticShapeWork* work, SticShape* shape);
void stic_compound_release(const SticContext* context, SticCompound* compound);
void stic_mesh_release(const SticContext* context, SticMesh* mesh);

#endif
