// SPDX-License-Identifier: Apache-2.0
// Internals of a world: its slots, and the view of it that is a system.
#ifndef STIC_WORLD_H
#define STIC_WORLD_H

#include "collide/broad.h"
#include "stiction/extend/joint.h"
#include "stiction/extend/solid.h"
#include "stiction/extend/world.h"
#include "world/side.h"

/* ---- slots ---- */

/// Slot of a body; the rest is meaningful while it is alive.
typedef struct SticBodySlot {
    uint32_t generation; ///< of the id given out last
    bool alive;
    char name[STIC_NAME_SIZE];
    SticBodyDef def;           ///< with a unit quaternion; its name is not used
    SticVec3 pushed;           ///< sum of the forces at points
    SticMat3 lever;            ///< sum of force (x) point about the origin of the body's frame
    SticSolidMesh mesh;        ///< elastic: a copy, as are the next two
    SticSolidSupport* support; ///< [def.supports]
    SticSolidForce* load;      ///< [def.loads]
    SticVec3* push;            ///< [nodes of the mesh] forces at points
    int32_t facets;            ///< triangles of its surface, see facet.h
} SticBodySlot;

/// Slot of a shape of a body.
typedef struct SticShapeSlot {
    uint32_t generation;
    bool alive;
    uint32_t body;     ///< slot of its body
    uint32_t material; ///< slot of its material
    const SticShape* shape;
    SticPose pose;
} SticShapeSlot;

/// Slot of a material; materials are never removed, number 0 is the world's own.
typedef struct SticMaterialSlot {
    char name[STIC_NAME_SIZE];
    SticMaterialDef def; ///< its name is not used
} SticMaterialSlot;

/// Contact of two materials that was set, first <= second.
typedef struct SticPairSlot {
    uint32_t first, second;
    uint32_t grain; ///< the material in whose bodies the grain lies
    SticSurface surface;
} SticPairSlot;

/// Contact of two materials.
typedef struct SticPairSurface {
    SticSurface surface;
    uint32_t grain; ///< the material in whose body's frame the grain lies
} SticPairSurface;

/// Slot of a joint.
typedef struct SticJointSlot {
    uint32_t generation;
    bool alive;
    char name[STIC_NAME_SIZE];
    SticJointDef def; ///< its name is not used
} SticJointSlot;

struct SticWorld {
    SticContext context;
    SticVec3 gravity;
    SticMixing friction_mixing, restitution_mixing, cohesion_mixing;
    SticWorldContacts contact_rule;
    SticWorldIntersection intersection;
    SticWorldSearch search;
    uint64_t edition; ///< counts changes of bodies and shapes
    int32_t runs;     ///< runs of this world that are alive
    bool abandoned;   ///< destroyed by its owner; released with the last of these runs
    SticBodySlot* body;
    SticShapeSlot* shape;
    SticMaterialSlot* material;
    SticPairSlot* pair; ///< in the order in which they were set
    SticJointSlot* joint;
    uint32_t bodies, shapes, materials, pairs, joints;
    uint32_t free_bodies, free_shapes, free_joints; ///< slots that are not alive
    SticShape** kept;                               ///< [kept_count] released with the world
    int32_t kept_count;
    size_t kept_capacity;
    size_t body_capacity, shape_capacity, material_capacity, pair_capacity, joint_capacity;
};

/// Copy a name, or refuse one that is too long.
SticStatus stic_name_set(char to[STIC_NAME_SIZE], const char* from, SticError* error);
/// Refuse coefficients outside their ranges.
SticStatus stic_surface_check(const SticSurface* surface, SticError* error);
/// Refuse a material with values outside their ranges.
SticStatus stic_material_check(const SticMaterialDef* def, SticError* error);
/// The contact of two materials by their slots, in either order.
SticPairSurface stic_surface_of(const SticWorld* world, uint32_t a, uint32_t b);
/// Law of the contacts of a surface; Tresca's friction is an interaction of its own.
SticLaw stic_surface_law(const SticSurface* surface);
/// Mass properties of the shapes of every body, in its frame: sum [bodies]; half-spaces have none.
SticStatus stic_body_add_shapes(const SticWorld* world, SticMassProperties* sum, SticError* error);
/// Mass, centre and inertia of a rigid body in its frame: `mass` holds those of its shapes on
/// entry.
SticStatus stic_body_mass(const SticWorld* world, uint32_t body, SticMassProperties* mass,
                          SticError* error);

/// Remove the joints of a body.
void stic_joint_drop_of(SticWorld* world, uint32_t body);

/// Name of a body or joint in messages: in quotes, or its number where it has none.
typedef struct SticLabel {
    char text[STIC_NAME_SIZE + 16];
} SticLabel;

/// The label of what is in slot `index`; `name` may be NULL.
SticLabel stic_label(const char* name, uint32_t index);

/// A run of the world ends; an abandoned world ends with its last run.
void stic_world_leave(SticWorld* world);

/// Release the shapes that belong to a world.
void stic_world_drop_shapes(SticWorld* world);

/* ---- the view ---- */

/// Chart and sizes of a block.
typedef struct SticBlockForm {
    SticChart chart;
    int32_t nq, nu;
} SticBlockForm;

/// How a prescribed body moves at one time.
typedef struct SticMovedStage {
    double weight; ///< part of the mean
    SticVec3 velocity, angular_velocity;
    SticMat3 turn; ///< rotation from where bodies are to there
} SticMovedStage;

/// A prescribed body at the time of a call, and at a later one.
typedef struct SticMoved {
    uint32_t body;  ///< slot
    double t, lead; ///< now, and how much later `late` is
    SticBodyMotion now, late;
    SticVec3 origin; ///< where bodies are, see SticMeasures.since; `now` but for that
    SticMat3 R;      ///< axes now
    SticMat3 turn;   ///< rotation from there to `late`
    int32_t stages;  ///< 1: `late`, or 3 along the way since then, whose mean counts
    SticMovedStage stage[3];
    SticVec3 spin; ///< mean angular velocity
} SticMoved;

/// A triangle of the surface of an elastic body, see facet.h.
typedef struct SticFacet SticFacet;

/// A shape of a body in the frame of its block: axes of the body, origin at its centre of mass. A
/// fixed body's block is the world itself, a prescribed body's its own frame.
typedef struct SticBlockShape {
    const SticShape* shape;
    SticPose pose;          ///< in the frame of the block
    bool centred;           ///< that pose is the identity
    int32_t block;          ///< -1: fixed; -2 - k: prescribed body k
    int32_t material;       ///< slot
    uint32_t slot;          ///< of the shape
    uint32_t body;          ///< slot of the body
    int32_t part;           ///< number for ids, ascending: the slot, or behind all slots a node
    bool node;              ///< a point of an elastic body
    const SticFacet* facet; ///< a triangle of the surface of one; NULL: something else
} SticBlockShape;

/// What an interaction of a joint is; the last bits of its id.
typedef enum SticJointPart {
    STIC_PART_CONSTRAINT,
    STIC_PART_LOWER, ///< limits
    STIC_PART_UPPER,
    STIC_PART_FRICTION,
    STIC_PART_DRIVE,
    STIC_PART_COUNT
} SticJointPart;

/// SticInteraction.kernel of joints, behind those of contacts, and the bits of their ids: kernel
/// (the upper 4, as for contacts), slot (32), generation (16), part.
enum {
    STIC_KERNEL_JOINT = 4,
    STIC_KERNEL_RIGIDITY = 5, ///< six constraints of a rigid body in linear coordinates
    STIC_KERNEL_TANGENT = 8,  ///< flag: the tangents of a contact as an interaction of their own
    STIC_KERNEL_SHIFT = 60,
    STIC_PART_BITS = 3,
    STIC_JOINT_GENERATION_BITS = 16
};

/// A joint in the frames of its blocks.
typedef struct SticBlockJoint {
    SticJoint joint;
    int32_t block[2]; ///< -1: fixed; -2 - k: prescribed body k
    uint64_t id;      ///< of its constraint
    double size;      ///< of the smaller body, m; what gaps of the constraint are compared with
    double limit[2], restitution, friction;
    bool driven;
    SticSpring spring;
    uint32_t slot; ///< in the world, where drive and actuator are read, since they may change
    int32_t turn;  ///< place of its angle among those whose turns are counted, -1: it has none
} SticBlockJoint;

/// Contacts by id as the last look ahead had them: mostly those of the next.
typedef struct SticKeptOrder {
    int32_t* item; ///< [count]
    size_t capacity;
    int32_t count;
} SticKeptOrder;

/// Who is left out of detection and loads, see stic_world_set_asleep.
typedef struct SticLeftOut {
    const uint8_t* asleep; ///< [blocks] NULL: nobody
} SticLeftOut;

/// An elastic body of a view, see soft.h.
typedef struct SticSoftBody SticSoftBody;

struct SticLane;
struct SticSide;
struct SticTouch;

/// A system of a world: a copy of everything that has a fixed form.
typedef struct SticView {
    SticSystem system; ///< first: the public handle
    SticSystemOps ops; ///< of the system
    SticContext context;
    const SticWorld* world; ///< gravity and forces are read from it
    uint64_t edition;       ///< of the world this is a view of
    SticChart chart;        ///< of the blocks of rigid bodies
    int32_t stiff;          ///< rigid bodies in linear coordinates
    int32_t bodies;         ///< slots of the world
    int32_t* block_of;      ///< [bodies] -1: fixed or not alive; -2 - k: prescribed body k
    uint32_t* generation;   ///< [bodies] 0: not alive
    SticPose* fixed;        ///< [bodies] pose of fixed bodies
    int32_t prescribed;
    SticMoved* moved; ///< [prescribed] as stic_view_move left them
    int32_t blocks;
    uint32_t* body_of;           ///< [blocks] slot
    SticMassProperties* mass_of; ///< [blocks]
    double* size;                ///< [blocks] diameter of the largest shape, 0: none
    double box[2][3];            ///< of everything that forces do not move, at the start
    uint8_t* charts;             ///< [blocks]
    uint8_t* jointed;            ///< [blocks] bound by a joint
    int32_t *q_at, *u_at;        ///< [blocks+1]
    int32_t (*term_block)[2];    ///< [blocks]
    int32_t *begin, *col;        ///< pattern of the mass
    int64_t* value_at;
    double *mass_value, *inverse_value;
    double* diagonal; ///< [2 nu] of mass and inverse, where these are diagonal; NULL: they are not
    SticBlockCsr mass, inverse;
    int32_t shapes;
    SticBlockShape* shape; ///< [shapes] by slot
    int32_t materials;
    SticPairSurface* surface; ///< [materials * materials]
    SticBroad* broad;         ///< handle k is shape k
    int32_t lanes;
    struct SticLane* lane; ///< [lanes] workspaces of the narrow phase, see narrow.h
    SticKeptOrder* order;  ///< it affects only time
    SticLeftOut* left_out;
    int32_t joint_slots; ///< slots of the world
    int32_t* joint_of;   ///< [joint_slots] index in `joint`, -1: not alive
    int32_t joints;
    SticBlockJoint* joint; ///< [joints] by slot
    int32_t springs;
    int32_t* spring; ///< [springs] joints with a potential
    int32_t elastics;
    SticSoftBody* elastic; ///< [elastics] by slot
    SticFacet* facet;      ///< [facets] body by body; NULL: nothing touches faces
    size_t facet_room;
    int32_t facets;
    int32_t facet_shape; ///< index of the first in `shape`
    int32_t facet_part;  ///< SticInteraction.part of the first; the others follow
    int32_t* elastic_of; ///< [blocks] -1: no node of one; NULL: no elastic bodies
    double (*origin)[3]; ///< [blocks] where displacements count from; NULL: no elastic bodies
    int32_t terms;       ///< of the potential: blocks, springs, cells
    int32_t *member_at, *member; ///< their blocks; NULL: no elastic bodies
    int32_t members;
    int64_t slopes, bends; ///< doubles of all terms
} SticView;

/// The view behind a system.
static inline const SticView* stic_view_of(const SticSystem* system)
{
    return system->self;
}
/// NOT_FINITE with a sentence if the prescribed motions, as they were last asked for, are not
/// finite; `system` is of a world.
SticStatus stic_world_check_motions(const SticSystem* system, SticError* error);
/// The world that a system is of; NULL: it is of none.
const SticWorld* stic_world_of(const SticSystem* system);
/// BAD_DATA with a sentence if bodies, shapes or joints have changed since the system was made;
/// STIC_OK for systems that are of no world.
SticStatus stic_world_check(const SticSystem* system, SticError* error);
/// BAD_DATA if bodies or shapes of the world have changed.
SticStatus stic_view_check(const SticView* view);

/// From now on leave out blocks that sleep: no interactions among themselves and with what is fixed,
/// no loads on them. asleep [blocks] stays the caller's; NULL: nobody sleeps. The system is of a
/// world.
void stic_world_set_asleep(const SticSystem* system, const uint8_t* asleep);
/// Whether what an interaction does to blocks at rest may change although their loads do not: a
/// drive, a bond, a prescribed body.
bool stic_world_changes(const SticInteraction* interaction);

/// Whether a block of a view, or the fixed world for -1, sleeps.
static inline bool stic_view_sleeps(const SticView* view, int32_t block)
{
    return view->left_out->asleep != NULL &&
           (block == -1 || (block >= 0 && view->left_out->asleep[block]));
}

/// Index of a shape by its part, -1: there is none.
int32_t stic_view_shape_of(const SticView* view, int32_t part);
/// Slot of the shape that a part belongs to, -1: there is none.
int32_t stic_world_part_slot(const SticWorld* world, int32_t part);
/// Whether a block is a node of an elastic body.
static inline bool stic_view_is_node(const SticView* view, int32_t block)
{
    return view->elastic_of != NULL && view->elastic_of[block] >= 0;
}
/// Mass properties of a body in its frame; zero for bodies that forces do not move.
SticMassProperties stic_view_mass(const SticView* view, uint32_t body);

/// Chart and sizes of a block.
static inline SticBlockForm stic_view_form(const SticView* view, int32_t block)
{
    return (SticBlockForm){.chart = (SticChart)view->charts[block],
                           .nq = view->q_at[block + 1] - view->q_at[block],
                           .nu = view->u_at[block + 1] - view->u_at[block]};
}

/// Ask all prescribed bodies where they are at t and how they move at t + lead or, where `since` is
/// not 0, in the mean from t - since on, with arms from places that bodies had then (SticMeasures);
/// NOT_FINITE if a motion is not finite. Must be called before the functions below, from one thread
/// at a time.
SticStatus stic_view_move(const SticView* view, double t, double lead, double since);
/// A prescribed body by its negative block.
static inline const SticMoved* stic_view_moved(const SticView* view, int32_t block)
{
    return &view->moved[-2 - block];
}
/// How far surfaces of prescribed bodies move at most between two times; SticSystemOps.sweep.
SticStatus stic_view_sweep(const SticSystem* system, double t, double until, double* way);
/// Motion of one prescribed body at a time.
SticBodyMotion stic_body_motion_at(const SticBodyDef* def, double t);
/// Pose of a block, a prescribed body or the world; with rates its motion.
SticSide stic_view_side(const SticView* view, const SticState* state, int32_t block, bool rates);
/// The pose alone; rates are left as they were.
void stic_view_place(const SticView* view, const SticState* state, int32_t block, SticSide* side);
/// Velocity of a prescribed body at a place where it touches a body with its centre at `centre`, at
/// the later time, or its mean on the way since the earlier one: rigid in the place, exact at the
/// centre, like the velocity of the other side itself.
static inline SticVec3 stic_moved_velocity(const SticMoved* moved, SticVec3 centre, SticVec3 place)
{
    const SticVec3 arm = stic_vec3_sub(centre, moved->origin);
    SticVec3 V = stic_vec3_cross(moved->spin, stic_vec3_sub(place, centre));
    for (int32_t k = 0; k < moved->stages; ++k) {
        const SticMovedStage* stage = &moved->stage[k];
        const SticVec3 at_centre =
            stic_vec3_add(stage->velocity, stic_vec3_cross(stage->angular_velocity,
                                                           stic_mat3_mul_vec(stage->turn, arm)));
        V = stic_vec3_add_scaled(V, stage->weight, at_centre);
    }
    return V;
}

/// Workspaces of the narrow phase, one per thread.
SticStatus stic_lanes_create(SticView* view);
/// Measure the box of everything that forces do not move.
void stic_view_measure_extent(SticView* view);
/// Release the workspaces, however many there are.
void stic_lanes_destroy(SticView* view);

/// Whether bodies of a kind move by forces and have a block.
static inline bool stic_body_moves(SticBodyKind kind)
{
    return kind != STIC_BODY_FIXED && kind != STIC_BODY_PRESCRIBED;
}
/// Where the frame of a body is at t = 0.
SticPose stic_body_start(const SticBodyDef* def);

/// Applied forces; SticSystemOps.force.
SticStatus stic_view_force(const SticSystem* system, const SticState* state, double* f);
/// Forces of the dampers alone; SticSystemOps.damping.
SticStatus stic_view_damping(const SticSystem* system, const SticState* state, double* f);
/// Slopes of the dampers; SticSystemOps.tangent.
SticStatus stic_view_tangent(const SticSystem* system, const SticState* state, SticArena* arena,
                             SticTerms* terms);
/// Stable steps of bodies that deform; SticSystemOps.limit.
SticStatus stic_view_limit(const SticSystem* system, const SticState* state, double h,
                           double* step);
/// Potential; SticSystemOps.potential.
SticStatus stic_view_potential(const SticSystem* system, const SticState* state, int order,
                               SticArena* arena, SticTerms* terms);
/// Discrete derivatives of cells; SticSystemOps.discrete.
SticStatus stic_view_discrete(const SticSystem* system, const SticState* begin,
                              const SticState* end, SticArena* arena, SticTerms* terms);
/// Interactions within reach; SticSystemOps.detect.
SticStatus stic_world_detect(const SticSystem* system, const SticState* state,
                             const SticReach* reach, SticArena* arena, SticSet* set);
/// Contacts of a set at another state; SticSystemOps.retrace.
SticStatus stic_world_retrace(const SticSystem* system, const SticSet* set, const SticState* state,
                              SticArena* arena, SticSet* there, uint8_t* known);
/// The gap of a contact, see SticSystemOps.
SticStatus stic_world_gap(const SticSystem* system, const SticState* state, const int32_t part[2],
                          uint64_t id, bool beside, double gap[2]);
/// Pose of a shape in space for the side of its block.
SticPose stic_view_shape_pose(const SticBlockShape* shape, const SticSide* side);
/// Measures of a set; SticSystemOps.measure.
SticStatus stic_world_measure(const SticSystem* system, const SticSet* set, const SticState* state,
                              SticMeasures* measures);

/// Turn the tangents of an anisotropic contact along the grain of its surfaces.
void stic_view_align(const SticView* view, const SticInteraction* interaction,
                     const struct SticSide* side, bool rates, struct SticTouch* touch);

/// Joints of the world in the frames of the blocks; masses and shapes are there already.
SticStatus stic_view_build_joints(SticView* view, SticError* error);
/// Joints with a spring; before the view has them.
int32_t stic_view_count_springs(const SticWorld* world);
/// Interactions of joints at a state, limits with a gap of at most `reach`: `list` [room of
/// STIC_PART_COUNT * joints] in the order of ids; returns how many.
int32_t stic_view_find_joints(const SticView* view, const SticState* state, double reach,
                              SticInteraction* list);
/// Whether a block is a rigid body in linear coordinates, with six constraints.
bool stic_view_is_stiff(const SticView* view, int32_t block);
/// Interactions of those constraints: `list` [room for one of each block]; returns how many.
int32_t stic_view_find_rigidity(const SticView* view, SticInteraction* list);
/// Measures of one of them.
void stic_view_measure_rigidity(const SticView* view, const SticSet* set, int32_t i,
                                const SticState* state, const SticMeasures* out);
/// Measures of one interaction of a joint.
void stic_view_measure_joint(const SticView* view, const SticSet* set, int32_t i,
                             const SticState* state, const SticMeasures* out);
/// SticSystemOps.follow of a world.
SticStatus stic_view_follow(const SticSystem* system, SticState* state);
/// SticSystemOps.winding of a world.
void stic_view_lever(const SticSystem* system, const SticInteraction* interaction,
                     const SticState* state, double arm[3]);
SticStatus stic_view_winding(const SticSystem* system, const SticState* state, double* rate);
/// Turns of the joints of a block, or of all (-1), where a state was set by hand: rates, and with
/// `anew` angles that lie in (-pi, pi] again.
void stic_view_begin_turns(const SticView* view, int32_t block, bool anew, SticState* state);
/// Terms of the springs; `gradient` and `hessian` NULL below their orders.
void stic_view_add_springs(const SticView* view, const SticState* state, SticTerms* terms,
                           double* gradient, double* hessian);
/// Add the forces of actuators.
void stic_view_add_actuators(const SticView* view, const SticState* state, double* f);
/// Add the forces of dampers.
void stic_view_add_dampers(const SticView* view, const SticState* state, double* f);
/// Their derivatives by the velocities, as terms over the blocks they join.
SticStatus stic_view_damper_slopes(const SticView* view, const SticState* state, SticArena* arena,
                                   SticTerms* terms);

#endif
