// SPDX-License-Identifier: Apache-2.0
// Meshes of finite elements, and what elastic bodies are made of (STIC_BODY_ELASTIC of world.h).
//
//     SticSolidMesh mesh = {0};
//     stic_solid_box(&context, &(SticSolidBox){low, high, {4, 4, 4}, STIC_SOLID_HEX8}, &mesh, &error);
//     SticBodyDef block = stic_body_default_def();
//     block.kind = STIC_BODY_ELASTIC;
//     block.mesh = &mesh;
//     block.elastic = (SticElastic){.young = 1e9, .poisson = 0.3};
#ifndef STICTION_SOLID_H
#define STICTION_SOLID_H

#include "stiction/base.h"
#include "stiction/vec3.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- meshes ---- */

/// Cells of a mesh, with the node order of Gmsh.
typedef enum SticSolidCell {
    STIC_SOLID_TET4,  ///< tetrahedron, linear
    STIC_SOLID_TET10, ///< tetrahedron, quadratic with straight edges
    STIC_SOLID_HEX8,  ///< hexahedron, trilinear
    STIC_SOLID_HEX20, ///< hexahedron, quadratic with nodes on edges only (serendipity)
    STIC_SOLID_CELL_COUNT
} SticSolidCell;

/// Most nodes of a cell.
enum { STIC_SOLID_CELL_NODES = 20 };

/// Nodes and cells of one kind. Zero-initialise, or fill with one of the functions below.
typedef struct SticSolidMesh {
    SticContext context; ///< memory of the arrays
    SticSolidCell kind;  ///< of all cells
    SticVec3* node;      ///< [nodes] places without load, m
    int32_t* cell;       ///< [cells * nodes of a cell]
    int32_t nodes;       ///< number of nodes
    int32_t cells;       ///< number of cells
} SticSolidMesh;

/// A box to be filled with cells.
typedef struct SticSolidBox {
    SticVec3 low;       ///< corner with the least coordinates, m
    SticVec3 high;      ///< opposite corner, m
    int32_t count[3];   ///< parts along each axis, >= 1
    SticSolidCell kind; ///< tetrahedra: six per part
} SticSolidBox;

/// Name of a kind of cell, such as "hex8".
STIC_API const char* stic_solid_cell_name(SticSolidCell kind);
/// Nodes of a cell.
STIC_API int32_t stic_solid_cell_nodes(SticSolidCell kind);
/// Fill a box; the nodes of a linear mesh run along x first, then y, then z, and those on the edges
/// of a quadratic one follow.
STIC_API SticStatus stic_solid_box(const SticContext* context, const SticSolidBox* box,
                                   SticSolidMesh* mesh, SticError* error);
/// The tetrahedra or hexahedra of a Gmsh file, all of one kind; `quadratic` adds nodes in the middle
/// of edges.
STIC_API SticStatus stic_solid_mesh_read(const SticContext* context, const char* path,
                                         bool quadratic, SticSolidMesh* mesh, SticError* error);
/// Append a mesh of the same kind: a second solid, whose nodes and cells follow.
STIC_API SticStatus stic_solid_mesh_append(SticSolidMesh* mesh, const SticSolidMesh* other,
                                           SticError* error);
/// Free the arrays; a zeroed mesh is allowed.
STIC_API void stic_solid_mesh_release(SticSolidMesh* mesh);

/* ---- materials ---- */

/// Stored energy of an isotropic material with Young's modulus and Poisson's ratio at rest.
typedef enum SticSolidMaterialKind {
    STIC_SOLID_LINEAR,    ///< small strains and small rotations: sigma = lambda tr(e) I + 2 mu e
    STIC_SOLID_KIRCHHOFF, ///< St Venant-Kirchhoff: the same law between S and the Green strain
    STIC_SOLID_NEO_HOOKE, ///< mu/2 (|F|^2 - 3 - 2 ln J) + lambda/2 (ln J)^2
    STIC_SOLID_COROTATED, ///< mu |F - R|^2 + lambda/2 (tr(R'F) - 3)^2 with the rotation R of F
    STIC_SOLID_MATERIAL_COUNT
} SticSolidMaterialKind;

/// Name of a kind of material, such as "neo-hooke".
STIC_API const char* stic_solid_material_name(SticSolidMaterialKind kind);
/* ---- supports and loads ---- */

/// Axes of a support, as a mask.
enum { STIC_SOLID_X = 1, STIC_SOLID_Y = 2, STIC_SOLID_Z = 4, STIC_SOLID_XYZ = 7 };

/// A node held along some axes, or moved along them.
typedef struct SticSolidSupport {
    int32_t node;  ///< which
    uint8_t axes;  ///< mask of STIC_SOLID_*
    SticVec3 rate; ///< velocity along these axes, m/s
} SticSolidSupport;

/// A force that keeps its direction.
typedef struct SticSolidForce {
    int32_t node;   ///< where
    SticVec3 force; ///< N
} SticSolidForce;

#ifdef __cplusplus
}
#endif

#endif
