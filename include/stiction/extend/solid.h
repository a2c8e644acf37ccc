// SPDX-License-Identifier: Apache-2.0
// Elastic solids of finite elements as a system: meshes, materials, supports, loads, contacts.
//
// A node is a block of coordinates: its displacements along the axes that are free. The mass is
// lumped, each cell is one term of the potential, and contacts act at nodes with the laws that all
// bodies have. Every scheme that takes potentials of any number of blocks runs a solid.
#ifndef STICTION_EXTEND_SOLID_H
#define STICTION_EXTEND_SOLID_H

#include "stiction/base.h"
#include "stiction/extend/mesh.h"
#include "stiction/extend/system.h"
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
/// The tetrahedra or hexahedra of a mesh that was read from a file, all of one kind; `quadratic`
/// adds nodes in the middle of edges. Nodes that no cell has are left out.
STIC_API SticStatus stic_solid_mesh_from(const SticContext* context, const SticMeshData* data,
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

/// A material.
typedef struct SticSolidMaterial {
    SticSolidMaterialKind kind; ///< of its stored energy
    double young;               ///< Young's modulus, Pa, > 0
    double poisson;             ///< Poisson's ratio, in (-1, 1/2)
    double density;             ///< without load, kg/m3, > 0
} SticSolidMaterial;

/// Name of a kind of material, such as "neo-hooke".
STIC_API const char* stic_solid_material_name(SticSolidMaterialKind kind);
/// Stored energy, J/m3, at the gradient D = F - I of the displacements. Unless NULL, P [9] is
/// d psi/dF and K [81] is dP/dF, both over entries by rows. SINGULAR where the material has no
/// energy: F turned inside out (neo-Hooke), or without a rotation (corotated).
STIC_API SticStatus stic_solid_material_energy(const SticSolidMaterial* material, SticMat3 D,
                                               double* psi, double* P, double* K);

/* ---- solids ---- */

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

/// Something rigid that the surface nodes touch.
typedef struct SticSolidObstacle {
    SticVec3 place;    ///< a point of a plane, or the centre of a ball, at t = 0, m
    SticVec3 normal;   ///< of a plane, out of the obstacle; not read for a ball
    double radius;     ///< of a ball, m; 0: a plane
    SticVec3 velocity; ///< m/s
    double friction;   ///< coefficient
    double reach;      ///< nodes farther than this without load are left out, m; 0: none is
} SticSolidObstacle;

/// Two nodes that cannot pass each other along a direction: facing surfaces with matching meshes.
typedef struct SticSolidPair {
    int32_t node[2]; ///< A and B
    SticVec3 normal; ///< from B to A
    double friction; ///< coefficient
} SticSolidPair;

/// What a solid is made of; all is copied but the name.
typedef struct SticSolidDef {
    const char* name;                  ///< for messages
    const SticSolidMesh* mesh;         ///< nodes and cells
    SticSolidMaterial material;        ///< of all cells
    SticVec3 gravity;                  ///< m/s2
    const SticSolidSupport* support;   ///< [supports]; a node may have several
    const SticSolidForce* force;       ///< [forces]
    const SticSolidObstacle* obstacle; ///< [obstacles]
    const SticSolidPair* pair;         ///< [pairs]
    int32_t supports;                  ///< number of supports
    int32_t forces;                    ///< number of forces
    int32_t obstacles;                 ///< number of obstacles
    int32_t pairs;                     ///< number of pairs
} SticSolidDef;

/// Build the system; a state of zeros is the solid without load, at rest.
STIC_API SticStatus stic_solid_create(const SticContext* context, const SticSolidDef* def,
                                      SticSystem** system, SticError* error);
/// Give back a system made by stic_solid_create; NULL is allowed.
STIC_API void stic_solid_destroy(SticSystem* system);
/// First coordinate of each node along an axis in q and u, or -1 where it is supported.
STIC_API int32_t stic_solid_coordinate(const SticSystem* system, int32_t node, int axis);
/// Displacement of a node, m.
STIC_API SticVec3 stic_solid_displacement(const SticSystem* system, const SticState* state,
                                          int32_t node);
/// Mean Cauchy stress of a cell, Pa; its strains are weighted by the volumes of its points.
STIC_API SticStatus stic_solid_stress(const SticSystem* system, const SticState* state,
                                      int32_t cell, SticMat3* stress);
/// Force of the cells on a node, N: what a support has to hold, with the sign turned.
STIC_API SticStatus stic_solid_inner_force(const SticSystem* system, const SticState* state,
                                           int32_t node, SticVec3* force);
/// Mass of a node, kg.
STIC_API double stic_solid_mass(const SticSystem* system, int32_t node);
/// Share of each node in a unit traction on the surface where n . x >= d - 1e-9 of the size of the
/// mesh, m2; it is added to area [mesh->nodes].
STIC_API SticStatus stic_solid_areas(const SticSolidMesh* mesh, SticVec3 n, double d, double* area,
                                     SticError* error);

#ifdef __cplusplus
}
#endif

#endif
