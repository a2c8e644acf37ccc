// SPDX-License-Identifier: Apache-2.0
// Elastic bodies: meshes whose nodes are blocks of a world.
#ifndef STIC_WORLD_SOFT_H
#define STIC_WORLD_SOFT_H

#include "shape/shape.h"
#include "system/solid/solid.h"
#include "world/world.h"

/// An elastic body of a view. Coordinates of its nodes are displacements along the axes of space
/// from where the body is put; `solid` reads them from states of the world.
struct SticSoftBody {
    uint32_t body; ///< slot
    SticSolid* solid;
    int32_t block;    ///< of its first node that can move; the others follow in the order of nodes
    int32_t part;     ///< SticInteraction.part of node 0; the others follow
    int32_t surfaces; ///< nodes of the surface
    int32_t* surface; ///< [surfaces] ascending
    SticShape point;  ///< a node: a sphere without radius, as thick as a cell
    SticMassProperties mass; ///< without load, in the body's frame
    SticVec3 centre;         ///< of mass without load, in space
    SticMat3 spread; ///< inverse of the sum of m Y Y' over nodes, Y from the centre in space
    double size;     ///< diameter, m
    int32_t facet;   ///< the first of its facets; the next four only if there are any
    int32_t *around_at, *around; ///< [nodes+1] facets around each node
    int32_t arounds;             ///< room of `around`
    uint8_t* sharp;              ///< [nodes] 1: on a ridge of the surface
};

/// Refuse what an elastic body cannot have.
SticStatus stic_soft_check(const SticBodyDef* def, const char* name, SticError* error);
/// Copy mesh, supports and loads of a definition into a slot, whose arrays are released on failure.
SticStatus stic_soft_copy(const SticContext* context, const SticBodyDef* def, SticBodySlot* slot,
                          SticError* error);
/// Release these copies; a slot without any is allowed.
void stic_soft_release(const SticContext* context, SticBodySlot* slot);
/// Forces at points of an elastic body: each at the node that is nearest without load.
void stic_soft_set_points(SticBodySlot* slot, const SticPointForce* at, int32_t count);
/// The surface of a mesh as a shape; its vertices are the nodes of the surface, ascending.
SticStatus stic_soft_surface(const SticContext* context, const SticSolidMesh* mesh,
                             SticShape** shape, SticError* error);

/// Prepare the elastic bodies of a view, whose blocks are not numbered yet.
SticStatus stic_soft_build(SticView* view, SticError* error);
/// Give their nodes blocks from `block` on; returns the next one.
int32_t stic_soft_number(SticView* view, uint32_t body, int32_t block);
/// Their coordinates, once the layout is known.
SticStatus stic_soft_place(SticView* view);
/// Blocks of all terms of the potential, once springs are known; nothing without elastic bodies.
SticStatus stic_soft_terms(SticView* view);
/// Release them.
void stic_soft_drop(SticView* view);
/// The elastic body in a slot, or NULL.
const SticSoftBody* stic_soft_of(const SticView* view, uint32_t body);
/// Shapes of their nodes behind those of other bodies: `shape` has room for all; returns the count.
int32_t stic_soft_shapes(const SticView* view, SticBlockShape* shape);
/// Number of such shapes.
int32_t stic_soft_count_shapes(const SticView* view);

/// A body that moves on as a whole: every node gets the velocity of a rigid one.
void stic_soft_push(const SticView* view, const SticSoftBody* elastic, const SticTwist* twist,
                    SticState* state);
/// Without deformation, with the origin of its frame at a place.
void stic_soft_put(const SticView* view, const SticSoftBody* elastic, const SticPose* pose,
                   SticState* state);
/// Affine pose nearest to the places of the nodes, in the mean weighted by mass.
SticPose stic_soft_pose(const SticView* view, const SticSoftBody* elastic, const SticState* state);
/// Momentum by mass, and angular momentum by inertia.
SticTwist stic_soft_twist(const SticView* view, const SticSoftBody* elastic,
                          const SticState* state);
/// Mean Cauchy stress.
SticMat3 stic_soft_stress(const SticSoftBody* elastic, const SticState* state);
/// Places of the nodes of its surface in space, in the order of the vertices of its shape; returns
/// their number. The slot is that of an elastic body.
int32_t stic_soft_surface_places(const SticView* view, uint32_t body, const SticState* state,
                                 SticVec3* place);
/// Add loads at nodes, and the force on the body shared by mass.
void stic_soft_add_loads(const SticView* view, double* f);

#endif
