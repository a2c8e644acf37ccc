// SPDX-License-Identifier: Apache-2.0
// Surfaces of shapes as triangles with their sharp edges, for drawing.
#ifndef STIC_OUTPUT_SURFACE_H
#define STIC_OUTPUT_SURFACE_H

#include "shape/private.h"
#include "stiction/extend/base.h"

/// Triangles of many shapes one after the other, in growing arrays. Vertices of a face count from
/// the first vertex of its shape.
typedef struct SticSurfaceFaces {
    SticContext context;
    SticVec3* vertex;
    int32_t (*face)[3]; ///< counter-clockwise seen from outside
    int32_t (*edge)[2]; ///< sharp edges
    int32_t vertices, faces, edges;
    size_t vertex_room, face_room, edge_room;
} SticSurfaceFaces;

/// Append the surface of a shape in its own frame; a half-space has none.
SticStatus stic_surface_faces_add(SticSurfaceFaces* faces, const SticShape* shape);
/// Free the memory.
void stic_surface_faces_clear(SticSurfaceFaces* faces);
/// The four numbers that describe a shape of a simple kind; see docs/reference/result-format.md.
void stic_primitive_parameters(const SticShape* shape, double parameter[4]);

#endif
