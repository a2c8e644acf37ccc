// SPDX-License-Identifier: Apache-2.0
// More ways to make shapes, and what is known of them.
#ifndef STICTION_EXTEND_SHAPE_H
#define STICTION_EXTEND_SHAPE_H

#include "stiction/base.h"
#include "stiction/extend/mesh.h"
#include "stiction/shape.h"
#include "stiction/vec3.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Kinds of shape, with their frames.
typedef enum SticShapeKind {
    STIC_SHAPE_SPHERE,       ///< centre at the origin
    STIC_SHAPE_BOX,          ///< centre at the origin, edges along the axes
    STIC_SHAPE_CAPSULE,      ///< points within `radius` of the segment from -z to +z
    STIC_SHAPE_CYLINDER,     ///< centre at the origin, axis along z
    STIC_SHAPE_ELLIPSOID,    ///< centre at the origin, semi-axes along the axes
    STIC_SHAPE_POLYHEDRON,   ///< convex polyhedron
    STIC_SHAPE_COMPOUND,     ///< union of the convex kinds above
    STIC_SHAPE_HALF_SPACE,   ///< normal . x <= offset; has no mass
    STIC_SHAPE_MESH,         ///< triangles that do not move in their frame
    STIC_SHAPE_HEIGHT_FIELD, ///< heights z over a regular grid in x and y; has no mass
    STIC_SHAPE_SURFACE,      ///< triangles whose vertices are given with each pose
    STIC_SHAPE_KIND_COUNT
} SticShapeKind;

/// Name of a kind, such as "half-space".
STIC_API const char* stic_shape_kind_name(SticShapeKind kind);

/* ---- creation ---- */

/// Default def with the vertices and faces of a mesh file; the arrays are borrowed.
STIC_API SticPolyhedronDef stic_polyhedron_def_from(const SticMeshData* mesh);
/// Default def with the faces of a mesh file; the arrays are borrowed.
STIC_API SticMeshDef stic_mesh_def_from(const SticMeshData* mesh);

/// Body made of convex elements that share nodes.
typedef struct SticElementsDef {
    const SticVec3* node;         ///< [node_count]
    int32_t node_count;           ///< number of nodes
    const uint8_t* kind;          ///< [element_count] SticElementKind
    const int32_t* element_begin; ///< [element_count+1] into element_node
    const int32_t* element_node;  ///< nodes of each element
    int32_t element_count;        ///< number of elements
    double tolerance; ///< faces plane and elements convex up to this part of the diameter [1e-9]
} SticElementsDef;

/// Tolerance 1e-9, nothing else set.
STIC_API SticElementsDef stic_elements_default_def(void);
/// Default def with the volume elements of a mesh file; the arrays are borrowed.
STIC_API SticElementsDef stic_elements_def_from(const SticMeshData* mesh);
/// Compound of polyhedra, one per element. Faces with the same nodes in two elements are internal.
STIC_API SticStatus stic_shape_create_elements(const SticContext* context,
                                               const SticElementsDef* def, SticShape** shape,
                                               SticError* error);

/// What is wrong with the faces of a mesh.
typedef struct SticMeshFlaws {
    int32_t faces;         ///< all of them
    int32_t open_edges;    ///< edges of one face only
    int32_t crowded_edges; ///< edges of more than two faces
    int32_t flipped_faces; ///< seen clockwise from outside, or against most faces of an open part
} SticMeshFlaws;

/// Look for flaws of a mesh that stic_shape_create_mesh accepts.
STIC_API SticStatus stic_mesh_flaws(const SticContext* context, const SticMeshDef* def,
                                    SticMeshFlaws* flaws);
/// The flaws as part of a sentence, such as "it is open: 4 edges belong to one face only"; empty if
/// there are none.
STIC_API void stic_mesh_flaws_text(const SticMeshFlaws* flaws, char* text, size_t size);

/* ---- questions ---- */

/// Kind of a shape.
STIC_API SticShapeKind stic_shape_kind(const SticShape* shape);
/// Diameter of the bounding sphere about the centre of mass; the length that tolerances refer to.
/// Infinite for a half-space.
STIC_API double stic_shape_size(const SticShape* shape);

/* ---- mass ---- */

/// Mass properties in the frame of the shape; tensors are about the centre (Koziara 2008, section
/// 4).
typedef struct SticMassProperties {
    double volume;    ///< m^3
    double mass;      ///< kg
    SticVec3 centre;  ///< m
    SticMat3 euler;   ///< E0 = integral of rho Y Y' over the body, Y from the centre, kg m^2
    SticMat3 inertia; ///< J = tr(E0) I - E0, kg m^2
} SticMassProperties;

/// Mass properties for a density > 0; BAD_DATA if the shape has no volume (half-space, height
/// field, open mesh).
STIC_API SticStatus stic_shape_mass(const SticShape* shape, double density,
                                    SticMassProperties* mass, SticError* error);

#ifdef __cplusplus
}
#endif

#endif
