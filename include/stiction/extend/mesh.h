// SPDX-License-Identifier: Apache-2.0
// Meshes in files: STL, OBJ and Gmsh, read into plain arrays and written from them.
#ifndef STICTION_EXTEND_MESH_H
#define STICTION_EXTEND_MESH_H

#include "stiction/base.h"
#include "stiction/vec3.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Convex elements as in finite-element meshes, in the node order of Gmsh.
typedef enum SticElementKind {
    STIC_ELEMENT_TETRAHEDRON, ///< 4 nodes: triangle 0 1 2, apex 3 on the side of its normal
    STIC_ELEMENT_PYRAMID,     ///< 5 nodes: quadrilateral 0 1 2 3, apex 4 on the side of its normal
    STIC_ELEMENT_WEDGE,       ///< 6 nodes: triangle 0 1 2, its normal points to triangle 3 4 5
    STIC_ELEMENT_HEXAHEDRON,  ///< 8 nodes: quadrilateral 0 1 2 3, its normal points to 4 5 6 7
    STIC_ELEMENT_KIND_COUNT
} SticElementKind;

/// Vertices, polygons and volume elements. Zero-initialise, or fill with stic_mesh_data_begin.
typedef struct SticMeshData {
    SticContext context;    ///< memory of the arrays
    SticVec3* vertex;       ///< [vertex_count]
    int32_t* face_begin;    ///< [face_count+1] into face_vertex
    int32_t* face_vertex;   ///< vertices of each face, counter-clockwise seen from outside
    int32_t* face_tag;      ///< [face_count] solid (STL), group (OBJ) or physical group (Gmsh)
    int32_t* element_begin; ///< [element_count+1] into element_node
    int32_t* element_node;  ///< vertices of each element
    int32_t* element_tag;   ///< [element_count] physical group (Gmsh)
    uint8_t* element_kind;  ///< [element_count] SticElementKind
    int32_t vertex_count;   ///< number of vertices
    int32_t face_count;     ///< number of polygons
    int32_t element_count;  ///< number of volume elements
    size_t capacity[8];     ///< of the arrays, in their order
} SticMeshData;

/// Free all memory; a zeroed mesh is allowed.
STIC_API void stic_mesh_data_release(SticMeshData* mesh);
/// Read an .stl, .obj or .msh file, plain or gzip. STL has no topology: its equal corners are
/// joined. Errors name the line. Nothing is left in `mesh` on failure.
STIC_API SticStatus stic_mesh_data_read(const SticContext* context, const char* path,
                                        SticMeshData* mesh, SticError* error);

#ifdef __cplusplus
}
#endif

#endif
