// SPDX-License-Identifier: Apache-2.0
// The system of a world, its states, and what outputs need of them.
#ifndef STICTION_EXTEND_WORLD_H
#define STICTION_EXTEND_WORLD_H

#include "stiction/base.h"
#include "stiction/extend/body.h"
#include "stiction/extend/system.h"
#include "stiction/shape.h"
#include "stiction/vec3.h"
#include "stiction/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the world ---- */

/// Name of a SticFriction, such as "coulomb".
STIC_API const char* stic_friction_name(int32_t law);

/* ---- materials ---- */

/// Whether an id names a material of the world; the null id does.
STIC_API bool stic_material_is_valid(const SticWorld* world, SticMaterialId id);
/// The contact of two materials, as set or mixed; both ids must be valid.
STIC_API SticSurface stic_surface_get(const SticWorld* world, SticMaterialId a, SticMaterialId b);

/* ---- bodies ---- */

/// Name of the body that a part of an interaction belongs to, "" if there is none.
STIC_API const char* stic_world_part_name(const SticWorld* world, int32_t part);
/// Name of the body that a block of a system of this world moves, "" if there is none.
STIC_API const char* stic_world_block_name(const SticSystem* system, int32_t block);
/// Take a shape away from its body; invalidates systems built before.
STIC_API SticStatus stic_body_detach(SticWorld* world, SticShapeId id, SticError* error);
/// Whether an id names a shape of a body of the world.
STIC_API bool stic_body_has_shape(const SticWorld* world, SticShapeId id);

/* ---- systems ---- */

/// The chart of rigid bodies for a scheme's mask of charts: quaternion, rotation or scalable, in
/// this order of preference; linear (x and F with six constraints) if there is nothing else; false
/// if the scheme can move none of them. Points and pseudo-rigid bodies are always linear.
STIC_API bool stic_world_chart(uint32_t charts, SticChart* chart);
/// Build the system of all bodies in a chart. It uses the context of the world, with its threads,
/// and reads gravity and the bodies' forces from the world. Once bodies or shapes have been added or
/// removed it fails with BAD_DATA and must be built anew. Not for two threads at once.
STIC_API SticStatus stic_world_system(const SticWorld* world, SticChart chart, SticSystem** system,
                                      SticError* error);
/// Release a system of a world; NULL is allowed.
STIC_API void stic_world_system_destroy(SticSystem* system);
/// Write the bodies' start into a state of the system: time 0, no memory.
STIC_API void stic_world_start(const SticWorld* world, const SticSystem* system, SticState* state);
/// The block of a body in the system's layout, -1 for fixed bodies and ids that are not valid.
STIC_API int32_t stic_world_block(const SticSystem* system, SticBodyId body);
/// Mass of a rigid body in the system, kg; 0 for others.
STIC_API double stic_world_mass(const SticSystem* system, SticBodyId body);
/// Where a body's frame is in a state; the identity if the id is not valid.
STIC_API SticPose stic_world_pose(const SticSystem* system, const SticState* state,
                                  SticBodyId body);
/// How a body moves in a state; zero for fixed bodies and ids that are not valid.
STIC_API SticTwist stic_world_twist(const SticSystem* system, const SticState* state,
                                    SticBodyId body);
/// Move a body to another place in a state. Its velocities in world axes stay, a deformation is
/// lost. Fixed and prescribed bodies are refused.
STIC_API SticStatus stic_world_set_pose(const SticSystem* system, SticBodyId body,
                                        SticVec3 position, SticQuat orientation, SticState* state,
                                        SticError* error);
/// Change the velocities of such a body in a state.
STIC_API SticStatus stic_world_set_twist(const SticSystem* system, SticBodyId body,
                                         const SticTwist* twist, SticState* state,
                                         SticError* error);
/// Nodes of an elastic body in a state, see stic_run_nodes.
STIC_API int32_t stic_world_nodes(const SticSystem* system, const SticState* state, SticBodyId body,
                                  SticVec3* place, SticVec3* velocity, int32_t room);
/// Mean Cauchy stress of a cell of an elastic body, Pa; zero for other bodies and cells.
STIC_API SticMat3 stic_world_cell_stress(const SticSystem* system, const SticState* state,
                                         SticBodyId body, int32_t cell);
/// Mean Cauchy stress of a body that deforms, Pa; zero for all others.
STIC_API SticMat3 stic_world_stress(const SticSystem* system, const SticState* state,
                                    SticBodyId body);

/// A contact of a set as seen in space.
typedef struct SticContactView {
    SticBodyId body[2];   ///< A and B; the reaction acts on A, its opposite on B
    SticShapeId shape[2]; ///< their shapes
    SticVec3 point;       ///< where the reaction acts
    SticVec3 axis[3];     ///< normal from B to A, first and second tangent
    double gap;           ///< m
    double area;          ///< share of the patch, m2
    double cohesion;      ///< of an unbroken bond, N
} SticContactView;

/// Contact i of a set that the system detected, at any state.
STIC_API SticContactView stic_world_contact(const SticSystem* system, const SticSet* set, int32_t i,
                                            const SticState* state);
/// The two materials of a pair of surfaces, SticInteraction.surface and SticClassLedger.surface,
/// the one that was made first in front; false if there is no such pair.
STIC_API bool stic_world_surface(const SticSystem* system, int32_t surface, SticMaterialId pair[2]);
/// A joint in a state; all 0 if the id is not valid.
STIC_API SticJointView stic_world_joint(const SticSystem* system, const SticState* state,
                                        SticJointId joint);

#ifdef __cplusplus
}
#endif

#endif
