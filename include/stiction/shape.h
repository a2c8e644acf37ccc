// SPDX-License-Identifier: Apache-2.0
// Shapes: immutable geometry in a reference frame of its own, mass properties, poses.
//
// A shape never moves and never changes; a pose places it. The caller owns a shape and destroys it.
// Bodies borrow shapes; compounds copy their elements. Tolerances are relative to the size of the
// shape: the same data in millimetres and metres give the same result.
#ifndef STICTION_SHAPE_H
#define STICTION_SHAPE_H

#include "stiction/base.h"
#include "stiction/vec3.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An immutable shape.
typedef struct SticShape SticShape;

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
/// F X + origin
STIC_API SticVec3 stic_pose_apply(const SticPose* pose, SticVec3 X);
/// Rotation of a pose; that of the polar decomposition of F where it deforms.
STIC_API SticQuat stic_pose_orientation(const SticPose* pose);

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
/// Convex polyhedron. Faces that lie in one plane are merged; open, inverted, flat and non-convex
/// input is refused with a sentence that names the face or vertex.
STIC_API SticStatus stic_shape_create_polyhedron(const SticContext* context,
                                                 const SticPolyhedronDef* def, SticShape** shape,
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
/// Triangle mesh that does not change its form.
STIC_API SticStatus stic_shape_create_mesh(const SticContext* context, const SticMeshDef* def,
                                           SticShape** shape, SticError* error);

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
/// Shape from an .stl, .obj or .msh file, plain or gzip: the convex polyhedron that its faces bound
/// (`convex`), or a triangle mesh.
STIC_API SticStatus stic_shape_load(const SticContext* context, const char* path, bool convex,
                                    SticShape** shape, SticError* error);
/// Release a shape; NULL is allowed.
STIC_API void stic_shape_destroy(SticShape* shape);

#ifdef __cplusplus
}
#endif

#endif
