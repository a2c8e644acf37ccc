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
#include "stiction/solid.h"
#include "stiction/vec3.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- meshes ---- */

/// The tetrahedra or hexahedra of a mesh that was read from a file, all of one kind; `quadratic`
/// adds nodes in the middle of edges. Nodes that no cell has are left out.
STIC_API SticStatus stic_solid_mesh_from(const SticContext* context, const SticMeshData* data,
                                         bool quadratic, SticSolidMesh* mesh, SticError* error);

/* ---- materials ---- */

/// A material.
typedef struct SticSolidMaterial {
    SticSolidMaterialKind kind; ///< of its stored energy
    double young;               ///< Young's modulus, Pa, > 0
    double poisson;             ///< Poisson's ratio, in (-1, 1/2)
    double density;             ///< without load, kg/m3, > 0
} SticSolidMaterial;

/// Stored energy, J/m3, at the gradient D = F - I of the displacements. Unless NULL, P [9] is
/// d psi/dF and K [81] is dP/dF, both over entries by rows. SINGULAR where the material has no
/// energy: F turned inside out (neo-Hooke), or without a rotation (corotated).
STIC_API SticStatus stic_solid_material_energy(const SticSolidMaterial* material, SticMat3 D,
                                               double* psi, double* P, double* K);

/* ---- solids ---- */

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
