// SPDX-License-Identifier: Apache-2.0
// Meshes under construction, and their file formats.
#ifndef STIC_FILE_MESH_H
#define STIC_FILE_MESH_H

#include "stiction/base.h"
#include "stiction/extend/mesh.h"
#include "stiction/vec3.h"

/// Number of nodes of an element: 4, 5, 6 or 8; 0 for an unknown kind.
int32_t stic_element_nodes(SticElementKind kind);
/// An empty mesh.
SticStatus stic_mesh_data_begin(const SticContext* context, SticMeshData* mesh);
/// Append a vertex.
SticStatus stic_mesh_data_add_vertex(SticMeshData* mesh, SticVec3 x);
/// Append a polygon of `sides` vertices.
SticStatus stic_mesh_data_add_face(SticMeshData* mesh, int32_t sides, const int32_t* vertex,
                                   int32_t tag);
/// Append an element with its nodes.
SticStatus stic_mesh_data_add_element(SticMeshData* mesh, SticElementKind kind, const int32_t* node,
                                      int32_t tag);
/// Join vertices that are equal in all coordinates, keeping the first of each.
SticStatus stic_mesh_data_weld(SticMeshData* mesh);

/// File formats of meshes.
typedef enum SticMeshFormat {
    STIC_MESH_STL_BINARY, ///< triangles, coordinates in single precision
    STIC_MESH_STL_TEXT,   ///< triangles
    STIC_MESH_OBJ,        ///< polygons
    STIC_MESH_GMSH_2,     ///< Gmsh 2.2 text: triangles, quadrilaterals, volume elements
    STIC_MESH_GMSH_4,     ///< Gmsh 4.1 text; read also as 4.0
    STIC_MESH_FORMAT_COUNT
} SticMeshFormat;

/// A mesh file in memory.
typedef struct SticMeshSource {
    const char* bytes; ///< [size + 1] with a 0 byte at the end
    size_t size;       ///< bytes without the final 0
    const char* name;  ///< for messages and, by its ending, the format; a last ".gz" is ignored
} SticMeshSource;

/// As stic_mesh_data_read, from memory.
SticStatus stic_mesh_data_parse(const SticContext* context, const SticMeshSource* source,
                                SticMeshData* mesh, SticError* error);
/// Write a mesh; the file is replaced in one go or not at all. What a format cannot hold is refused.
SticStatus stic_mesh_data_write(const SticMeshData* mesh, SticMeshFormat format, const char* path,
                                SticError* error);

#endif
