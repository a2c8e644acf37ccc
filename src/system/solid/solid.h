// SPDX-License-Identifier: Apache-2.0
// Cells of solids: shape functions, points of integration, faces.
#ifndef STIC_SYSTEM_SOLID_H
#define STIC_SYSTEM_SOLID_H

#include "stiction/extend/solid.h"

/// Most points of integration of a cell.
enum { STIC_SOLID_POINTS = 27, STIC_SOLID_FACES = 6, STIC_SOLID_EDGES = 12 };

/// Points of integration of a kind of cell, in its own coordinates.
typedef struct SticSolidRule {
    int32_t count;
    double place[STIC_SOLID_POINTS][3];
    double weight[STIC_SOLID_POINTS];
} SticSolidRule;

/// Topology of a kind of cell.
typedef struct SticSolidTopology {
    int32_t corners, faces, face_corners, edges;
    uint8_t face[STIC_SOLID_FACES][4]; ///< corners, counter-clockwise seen from outside
    uint8_t edge[STIC_SOLID_EDGES][2]; ///< node `corners + e` of a quadratic cell is on edge e
} SticSolidTopology;

bool stic_solid_cell_is_quadratic(SticSolidCell kind);
const SticSolidTopology* stic_solid_cell_topology(SticSolidCell kind);
void stic_solid_cell_rule(SticSolidCell kind, SticSolidRule* rule);
/// Shape functions N [nodes] and their slopes dN [nodes][3] at a place.
void stic_solid_cell_shape(SticSolidCell kind, const double place[3], double* N, double (*dN)[3]);

/// Faces that one cell has, as 6 * cell + face, ascending; the caller releases [6 * cells].
SticStatus stic_solid_mesh_boundary(const SticSolidMesh* mesh, int32_t** face, int32_t* count);
/// Nodes of a face of a cell: its corners, then those on its edges; the number.
int32_t stic_solid_mesh_face(const SticSolidMesh* mesh, int32_t face, int32_t node[8]);

/// A node and what it may touch: an obstacle, or another node.
typedef struct SticSolidTouch {
    int32_t node[2];  ///< second -1: an obstacle
    int32_t obstacle; ///< -1: a pair
    SticVec3 normal;  ///< of a pair
    double friction;
} SticSolidTouch;

/// A solid with everything that can be prepared once.
typedef struct SticSolid {
    SticSystem system; ///< first: the public handle
    SticContext context;
    SticSolidMesh mesh;
    SticSolidMaterial material;
    SticVec3 gravity;
    int32_t points;      ///< of integration in a cell
    double* slope;       ///< [cells][points][nodes of a cell][3] of the shape functions, 1/m
    double* volume;      ///< [cells][points], m3
    double* mass;        ///< [nodes]
    double* stiffness;   ///< [cells] Hessians of cells of linear material; NULL: of another one
    SticVec3* force;     ///< [nodes]
    SticVec3* rate;      ///< [nodes] velocity along supported axes
    int32_t* coordinate; ///< [nodes][3] in q and u, -1: supported
    int32_t* block_of;   ///< [nodes], -1: supported along all axes
    int32_t* node_of;    ///< [blocks]
    uint8_t* chart;      ///< [blocks]
    int32_t *at, *begin, *col; ///< [blocks+1] of the layout and of the mass
    int64_t* value_at;
    double *mass_value, *inverse_value;       ///< of the blocks
    double *mass_diagonal, *inverse_diagonal; ///< [nu]
    SticBlockCsr mass_csr, inverse_csr;
    int32_t terms;               ///< cells, then weights of blocks
    int32_t *member_at, *member; ///< blocks of the terms
    int64_t gradients, hessians; ///< doubles of all terms
    int64_t *slope_at, *bend_at; ///< [cells+1] where the gradient and Hessian of a cell begin
    SticSolidObstacle* obstacle;
    SticSolidTouch* touch; ///< [touches] ascending by id
    int32_t obstacles, touches;
} SticSolid;

static inline const SticSolid* stic_solid_of(const SticSystem* system)
{
    return (const SticSolid*)system->self;
}

/// Energy of a cell at a state; unless NULL, gradient [3 n] and hessian [3 n][3 n] over the
/// displacements of its n nodes.
SticStatus stic_solid_cell_energy(const SticSolid* solid, const SticState* state, int32_t cell,
                                  double* energy, double* gradient, double* hessian);

/// Values, and unless NULL gradients and Hessians, of all cells; the pointers of `at` move on.
SticStatus stic_solid_add_cells(const SticSolid* solid, const SticState* state, SticArena* arena,
                                SticTerms* at);
/// Discrete derivatives of all cells between two states of one time, with the sums of both energies
/// in value [cells]; `gradient` moves on.
SticStatus stic_solid_put_between(const SticSolid* solid, const SticState* const ends[2],
                                  SticArena* arena, double* value, double** gradient);
/// 1 for nodes of the surface, on [nodes].
SticStatus stic_solid_find_surface(const SticSolid* solid, uint8_t* on);

SticStatus stic_solid_potential(const SticSystem* system, const SticState* state, int order,
                                SticArena* arena, SticTerms* terms);
SticStatus stic_solid_discrete(const SticSystem* system, const SticState* begin,
                               const SticState* end, SticArena* arena, SticTerms* terms);
SticStatus stic_solid_detect(const SticSystem* system, const SticState* state,
                             const SticReach* reach, SticArena* arena, SticSet* set);
SticStatus stic_solid_measure(const SticSystem* system, const SticSet* set, const SticState* state,
                              SticMeasures* measures);

#endif
