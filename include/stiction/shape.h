// SPDX-License-Identifier: Apache-2.0
// Shapes: immutable geometry in a reference frame of its own, mass properties, poses.
//
// A shape never moves and never changes; a pose places it. The caller owns a shape and destroys it;
// whoever uses a shape (a body, a compound) does not own it, except that a compound keeps copies of
// its elements. Tolerances are relative to the size of the shape: the same data in millimetres and
// metres give the same result.
#ifndef STICTION_SHAPE_H
#define STICTION_SHAPE_H

#include "stiction/base.h"
#include "stiction/mesh.h"
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

/// An immutable shape.
typedef struct SticShape SticShape;

/// Axis-aligned box; low > high in a component if empty, infinite for a half-space.
typedef struct SticBounds {
    SticVec3 low, high;
} SticBounds;

/// Nodes of a SURFACE with the boxes of its triangles; see stic_surface_nodes_create.
typedef struct SticSurfaceNodes SticSurfaceNodes;

/// Placement of a shape, x = F X + origin, or, for SURFACE, the vertices themselves.
typedef struct SticPose {
    SticMat3 F;             ///< rotation, or deformation gradient with positive determinant
    SticVec3 origin;        ///< where the origin of the shape's frame lies
    bool rigid;             ///< F is a rotation; false: F is any map with det F > 0
    const SticVec3* vertex; ///< SURFACE: [vertices] current positions; NULL: F and origin apply
    const SticSurfaceNodes* nodes; ///< SURFACE: boxes that belong to `vertex`, or NULL
} SticPose;

/// The pose that leaves a shape where it was defined.
STIC_API SticPose stic_pose_identity(void);
/// Rigid pose.
STIC_API SticPose stic_pose_rigid(SticMat3 rotation, SticVec3 origin);
/// Affine pose of a pseudo-rigid body.
STIC_API SticPose stic_pose_affine(SticMat3 F, SticVec3 origin);
/// Pose of a SURFACE whose vertices lie at `vertex`; the array is borrowed. Every pair with it
/// fits the tree of the surface anew: where there are many, take stic_surface_nodes_pose.
STIC_API SticPose stic_pose_vertices(const SticVec3* vertex);
/// Pose of an element inside a posed compound: outer after inner.
STIC_API SticPose stic_pose_compose(const SticPose* outer, const SticPose* inner);
/// F X + origin
STIC_API SticVec3 stic_pose_apply(const SticPose* pose, SticVec3 X);

/* ---- creation ---- */

/// Ball of radius > 0.
STIC_API SticStatus stic_shape_create_sphere(const SticContext* context, double radius,
                                             SticShape** shape, SticError* error);
/// Box from its half edge lengths, all > 0.
STIC_API SticStatus stic_shape_create_box(const SticContext* context, SticVec3 half,
                                          SticShape** shape, SticError* error);
/// Capsule along z from the half length >= 0 of its segment and its radius > 0.
STIC_API SticStatus stic_shape_create_capsule(const SticContext* context, double radius,
                                              double half_length, SticShape** shape,
                                              SticError* error);
/// Cylinder along z from its radius > 0 and half height > 0.
STIC_API SticStatus stic_shape_create_cylinder(const SticContext* context, double radius,
                                               double half_height, SticShape** shape,
                                               SticError* error);
/// Ellipsoid from its semi-axes, all > 0.
STIC_API SticStatus stic_shape_create_ellipsoid(const SticContext* context, SticVec3 semi_axes,
                                                SticShape** shape, SticError* error);
/// Half-space normal . x <= offset |normal|; the normal need not have unit length.
STIC_API SticStatus stic_shape_create_half_space(const SticContext* context, SticVec3 normal,
                                                 double offset, SticShape** shape,
                                                 SticError* error);

/// Convex polyhedron: the hull of points, or given by its faces.
typedef struct SticPolyhedronDef {
    const SticVec3* vertex;     ///< [vertex_count] points
    int32_t vertex_count;       ///< number of vertices
    const int32_t* face_begin;  ///< [face_count+1] into face_vertex; NULL: hull of the points
    const int32_t* face_vertex; ///< vertices of each face, counter-clockwise seen from outside
    int32_t face_count;         ///< number of faces
    double tolerance; ///< coplanar, collinear and convex up to this part of the diameter [1e-9]
} SticPolyhedronDef;

/// Tolerance 1e-9, nothing else set.
STIC_API SticPolyhedronDef stic_polyhedron_default_def(void);
/// Default def with the vertices and faces of a mesh file; the arrays are borrowed.
STIC_API SticPolyhedronDef stic_polyhedron_def_from(const SticMeshData* mesh);
/// Convex polyhedron. Faces that lie in one plane are merged; open, inverted, flat and non-convex
/// input is refused with a sentence that names the face or vertex.
STIC_API SticStatus stic_shape_create_polyhedron(const SticContext* context,
                                                 const SticPolyhedronDef* def, SticShape** shape,
                                                 SticError* error);

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

/// Union of convex shapes (or of compounds, which are taken apart).
typedef struct SticCompoundDef {
    const SticShape* const* shape; ///< [count] copied, not kept
    const SticPose* pose;          ///< [count] where each lies in the frame of the compound
    int32_t count;                 ///< number of parts
    double tolerance; ///< faces coincide up to this part of the diameter of the compound [1e-9]
} SticCompoundDef;

/// Tolerance 1e-9, nothing else set.
STIC_API SticCompoundDef stic_compound_default_def(void);
/// Compound. Faces of two polyhedra that coincide, or that are covered by the face of a neighbour,
/// are internal. Mass is the sum over elements: what overlaps counts twice.
STIC_API SticStatus stic_shape_create_compound(const SticContext* context,
                                               const SticCompoundDef* def, SticShape** shape,
                                               SticError* error);

/// Polygons, which are split into triangles; for MESH and SURFACE.
typedef struct SticMeshDef {
    const SticVec3* vertex;     ///< [vertex_count]
    int32_t vertex_count;       ///< number of vertices
    const int32_t* face_begin;  ///< [face_count+1] into face_vertex; NULL: triangles
    const int32_t* face_vertex; ///< counter-clockwise seen from outside; 3 or more per face
    int32_t face_count;         ///< number of faces
    bool closed;                ///< refuse an open or inverted mesh; needed for mass [false]
    bool drop_degenerate; ///< leave out triangles without area instead of refusing them [false]
    double tolerance;     ///< edges flat, heights zero up to this part of the diameter [1e-9]
} SticMeshDef;

/// Tolerance 1e-9, open meshes accepted, degenerate triangles refused.
STIC_API SticMeshDef stic_mesh_default_def(void);
/// Default def with the faces of a mesh file; the arrays are borrowed.
STIC_API SticMeshDef stic_mesh_def_from(const SticMeshData* mesh);
/// Triangle mesh that does not change its form.
STIC_API SticStatus stic_shape_create_mesh(const SticContext* context, const SticMeshDef* def,
                                           SticShape** shape, SticError* error);
/// Triangle mesh whose vertices come with each pose; `def.vertex` is the reference form.
STIC_API SticStatus stic_shape_create_surface(const SticContext* context, const SticMeshDef* def,
                                              SticShape** shape, SticError* error);

/// Nodes of a SURFACE, at first those of its reference form; the shape is borrowed.
STIC_API SticStatus stic_surface_nodes_create(const SticContext* context, const SticShape* surface,
                                              SticSurfaceNodes** nodes);
/// Release nodes; NULL is allowed.
STIC_API void stic_surface_nodes_destroy(SticSurfaceNodes* nodes);
/// The nodes lie at `vertex` from now on (borrowed): fits all boxes, once for all pairs that
/// follow.
STIC_API void stic_surface_nodes_update(SticSurfaceNodes* nodes, const SticVec3* vertex);
/// Pose of the SURFACE at the last update; `nodes` is borrowed.
STIC_API SticPose stic_surface_nodes_pose(const SticSurfaceNodes* nodes);

/// Heights over a grid: the surface passes through (i dx, j dy, height[j * columns + i]).
typedef struct SticHeightFieldDef {
    const double* height;  ///< [rows * columns]
    int32_t columns, rows; ///< points along x and y, >= 2
    double dx, dy;         ///< distance of points, > 0
} SticHeightFieldDef;

/// Height field; each cell is cut into two triangles along the diagonal from (i, j) to (i+1, j+1),
/// normals point up.
STIC_API SticStatus stic_shape_create_height_field(const SticContext* context,
                                                   const SticHeightFieldDef* def, SticShape** shape,
                                                   SticError* error);

/// Release a shape; NULL is allowed.
STIC_API void stic_shape_destroy(SticShape* shape);

/* ---- questions ---- */

/// Kind of a shape.
STIC_API SticShapeKind stic_shape_kind(const SticShape* shape);
/// True for the kinds sphere to polyhedron.
STIC_API bool stic_shape_is_convex(const SticShape* shape);
/// Diameter of the bounding sphere about the centre of mass; the length that tolerances refer to.
/// Infinite for a half-space.
STIC_API double stic_shape_size(const SticShape* shape);
/// Farthest point of a bounded shape in a direction (any length but 0) of its own frame; for shapes
/// that are not convex the farthest point of their hull.
STIC_API SticVec3 stic_shape_support(const SticShape* shape, SticVec3 direction);
/// Farthest point of a posed bounded shape in a direction of space.
STIC_API SticVec3 stic_shape_support_posed(const SticShape* shape, const SticPose* pose,
                                           SticVec3 direction);
/// Smallest axis-aligned box around a posed shape, wider by `margin` on each side.
STIC_API SticBounds stic_shape_bounds(const SticShape* shape, const SticPose* pose, double margin);

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
/// Properties after the map x = F X + origin, det F > 0, with the mass kept.
STIC_API SticMassProperties stic_mass_transform(const SticMassProperties* mass,
                                                const SticPose* pose);
/// Properties of two bodies taken as one.
STIC_API SticMassProperties stic_mass_add(const SticMassProperties* a, const SticMassProperties* b);
/// Principal moments in ascending order and axes as columns of a rotation: J = R diag(moments) R'.
STIC_API void stic_mass_principal(const SticMassProperties* mass, SticVec3* moments,
                                  SticMat3* axes);

#ifdef __cplusplus
}
#endif

#endif
