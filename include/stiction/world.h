// SPDX-License-Identifier: Apache-2.0
// A world of bodies: ids, materials and surfaces, gravity; it provides systems.
//
// A world holds definitions; the state belongs to a run. Units are the user's, any consistent
// set; the comments name those of the SI.
//
//     SticWorldDef def = stic_world_default_def();
//     stic_world_create(&context, &def, &world, &error);
//     SticBodyDef brick = stic_body_default_def();
//     brick.shape = box;
//     stic_body_create(world, &brick, &body, &error);
//     stic_run_create(&context, world, &run_def, &run, &error);      see run.h
//
// Contacts have a normal row, two tangents where there is friction, and rows of drilling or rolling
// where their law has them. Their features are frozen in the frames of the two bodies, so that gaps
// and directions can be measured at any state near the one where they were detected.
#ifndef STICTION_WORLD_H
#define STICTION_WORLD_H

#include "stiction/base.h"
#include "stiction/body.h"
#include "stiction/joint.h"
#include "stiction/shape.h"
#include "stiction/solid.h"
#include "stiction/vec3.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A world.
typedef struct SticWorld SticWorld;

/// A body of a world; generation 0 stands for none, and the id of a destroyed body is not valid. An
/// id does not tell which world gave it: the same slot of another world may take it for its own.
typedef struct SticBodyId {
    uint32_t index;      ///< slot in the world
    uint32_t generation; ///< how often the slot was given out; 0: null
} SticBodyId;

/// A shape as part of a body; generation 0 is none.
typedef struct SticShapeId {
    uint32_t index;      ///< slot in the world
    uint32_t generation; ///< how often the slot was given out; 0: null
} SticShapeId;

/// A material; generation 0 stands for the world's own material, SticWorldDef.material.
typedef struct SticMaterialId {
    uint32_t index;      ///< slot in the world
    uint32_t generation; ///< how often the slot was given out; 0: null
} SticMaterialId;

/// A joint of a world; generation 0 is none.
typedef struct SticJointId {
    uint32_t index;      ///< slot in the world
    uint32_t generation; ///< how often the slot was given out; 0: null
} SticJointId;

enum { STIC_NAME_SIZE = 64 }; ///< longest name, with its closing zero

/* ---- the world ---- */

/// How the coefficients of two materials give that of their pair.
typedef enum SticMixing {
    STIC_MIXING_GEOMETRIC, ///< sqrt(a b)
    STIC_MIXING_MEAN,      ///< (a + b) / 2
    STIC_MIXING_LEAST,     ///< the smaller one
    STIC_MIXING_LARGEST,   ///< the larger one
    STIC_MIXING_COUNT
} SticMixing;

/// Which contacts two bodies get where faces touch.
typedef enum SticWorldContacts {
    STIC_WORLD_MANIFOLD, ///< the whole patch
    STIC_WORLD_REDUCED,  ///< the patch without points that are nearly within the hull of the others
    STIC_WORLD_CENTROID, ///< one point and an averaged normal (Koziara 2008, section 9.4)
    STIC_WORLD_CONTACTS_COUNT
} SticWorldContacts;

/// Law of friction of a contact, which acts with the law of the normal direction. Where the laws of
/// two materials differ, the one later in this list applies.
typedef enum SticFriction {
    STIC_FRICTION_COULOMB,     ///< the friction force is at most `friction` times the normal force
    STIC_FRICTION_ANISOTROPIC, ///< an ellipse: `friction` along the grain, `across` across it
    STIC_FRICTION_ROLLING,     ///< Coulomb's, and a rolling moment of at most `rolling` times the
                               ///< normal force
    STIC_FRICTION_CONTENSOU,   ///< sliding and drilling coupled over a patch of radius `patch`
    STIC_FRICTION_TRESCA,      ///< a force of at most `shear` times the area, whatever the normal
                               ///< force; none where points or edges touch
    STIC_FRICTION_NONE,        ///< no friction
    STIC_FRICTION_COUNT
} SticFriction;

/// Contact of two surfaces, or what one material brings into it.
typedef struct SticSurface {
    double friction;       ///< Coulomb's coefficient, >= 0; 0: contacts have a normal row only
    double restitution[2]; ///< Newton's coefficients, normal and tangential, in [0, 1]
    int32_t law;           ///< SticFriction
    double across;         ///< ANISOTROPIC: coefficient across the grain, > 0
    SticVec3 grain;        ///< ANISOTROPIC: direction of `friction` in the frame of the body with
                           ///< the material (of a pair: the first body), not 0; its projection on
                           ///< the contact plane counts
    double rolling;        ///< ROLLING: length, m
    double patch;          ///< CONTENSOU: radius of the patch, m, > 0
    double shear;          ///< TRESCA: strength, Pa
    double cohesion;       ///< tensile strength of what touches at the start, Pa, shared by area;
                           ///< a contact that broke stays broken
} SticSurface;

/// A material.
typedef struct SticMaterialDef {
    const char* name;    ///< copied; NULL: none
    double density;      ///< kg/m3, > 0
    SticSurface surface; ///< mixed with that of the other material, unless the pair is set
} SticMaterialDef;

/// How the rule CENTROID intersects convex elements; both give the same contacts.
typedef enum SticWorldIntersection {
    STIC_WORLD_CLIPPING, ///< faces of each cut by the planes of the other
    STIC_WORLD_POLARITY, ///< hull of the dual points of all planes
    STIC_WORLD_INTERSECTION_COUNT
} SticWorldIntersection;

/// How boxes that overlap are found; all give the same pairs.
typedef enum SticWorldSearch {
    STIC_SEARCH_TREE,         ///< packed tree of enlarged boxes: the fastest
    STIC_SEARCH_HASH3D,       ///< spatial hash
    STIC_SEARCH_SWEEP_H2D,    ///< plane sweep, 2D hash of lists
    STIC_SEARCH_SWEEP_H2DPST, ///< plane sweep, 2D hash of priority search trees
    STIC_SEARCH_SWEEP_H1DPST, ///< plane sweep, 1D hash of priority search trees
    STIC_SEARCH_SWEEP_PST2D,  ///< plane sweep, one priority search tree
    STIC_SEARCH_HYBRID,       ///< streamed segment trees
    STIC_SEARCH_BRUTE,        ///< every pair
    STIC_SEARCH_COUNT
} SticWorldSearch;

/// Definition of a world.
typedef struct SticWorldDef {
    SticVec3 gravity;           ///< m/s2
    SticMaterialDef material;   ///< of shapes attached without one
    int32_t friction_mixing;    ///< SticMixing of the numbers of friction
    int32_t restitution_mixing; ///< SticMixing of both restitution coefficients
    int32_t cohesion_mixing;    ///< SticMixing of cohesions
    int32_t contact_rule;       ///< SticWorldContacts
    int32_t intersection;       ///< SticWorldIntersection of the rule CENTROID
    int32_t search;             ///< SticWorldSearch
} SticWorldDef;

/// Gravity 9.81 along -z, density 1000, friction 0.5, no restitution; friction mixes by the
/// geometric mean, restitution takes the larger one, cohesion the smaller one; whole patches.
STIC_API SticWorldDef stic_world_default_def(void);
/// An empty world. `context` and `def` may be NULL: their defaults.
STIC_API SticStatus stic_world_create(const SticContext* context, const SticWorldDef* def,
                                      SticWorld** world, SticError* error);
/// Release a world. If runs of it are alive, it is released together with the last of them; systems
/// of stic_world_system must be destroyed before. NULL is allowed.
STIC_API void stic_world_destroy(SticWorld* world);
/// Hand a shape over to a world, which destroys it together with itself; on failure the shape stays
/// the caller's.
STIC_API SticStatus stic_world_keep(SticWorld* world, SticShape* shape, SticError* error);
/// A box from its half edge lengths that belongs to the world; NULL if that fails.
STIC_API const SticShape* stic_world_box(SticWorld* world, SticVec3 half, SticError* error);
/// A sphere that belongs to the world.
STIC_API const SticShape* stic_world_sphere(SticWorld* world, double radius, SticError* error);
/// The half-space normal . x <= offset |normal| that belongs to the world.
STIC_API const SticShape* stic_world_half_space(SticWorld* world, SticVec3 normal, double offset,
                                                SticError* error);
/// Change gravity; existing systems see it too.
STIC_API void stic_world_set_gravity(SticWorld* world, SticVec3 gravity);

/* ---- materials ---- */

/// Density 1000, friction 0.5, no restitution.
STIC_API SticMaterialDef stic_material_default_def(void);
/// Add a material; a name that another one has is refused. `id` may be NULL.
STIC_API SticStatus stic_material_create(SticWorld* world, const SticMaterialDef* def,
                                         SticMaterialId* id, SticError* error);
/// Set the contact of two materials, in either order, instead of mixing it.
STIC_API SticStatus stic_surface_set(SticWorld* world, SticMaterialId a, SticMaterialId b,
                                     const SticSurface* surface, SticError* error);

/* ---- bodies ---- */

/// What moves a body.
typedef enum SticBodyKind {
    STIC_BODY_RIGID,        ///< moves by forces and contacts
    STIC_BODY_FIXED,        ///< stays where it is
    STIC_BODY_PRESCRIBED,   ///< moves as `motion` says, whatever acts on it
    STIC_BODY_POINT,        ///< a mass without rotation: its frame keeps the world's axes
    STIC_BODY_PSEUDO_RIGID, ///< deforms by one homogeneous gradient, St Venant-Kirchhoff
    STIC_BODY_ELASTIC,      ///< deforms as its `mesh` of finite elements does
    STIC_BODY_KIND_COUNT
} SticBodyKind;

/// Where a prescribed body is and how it moves, in world axes. Velocities need not be the rates of
/// the places: the surface of a conveyor moves while the body stays.
typedef struct SticBodyMotion {
    SticVec3 position;             ///< of the origin of the body's frame, m
    SticQuat orientation;          ///< from body to world axes; any length but 0
    SticVec3 velocity;             ///< of that origin, m/s
    SticVec3 angular_velocity;     ///< rad/s
    SticVec3 acceleration;         ///< used by event-driven and relaxed schemes only, m/s2
    SticVec3 angular_acceleration; ///< the same, rad/s2
} SticBodyMotion;

/// A body. Its frame is the one its shapes are placed in; the centre of mass may lie anywhere.
typedef struct SticBodyDef {
    const char* name;          ///< copied; NULL: none
    int32_t kind;              ///< SticBodyKind
    SticVec3 position;         ///< where the origin of the body's frame lies, m
    SticQuat orientation;      ///< from body to world axes; any length but 0
    SticVec3 velocity;         ///< of the centre of mass, m/s
    SticVec3 angular_velocity; ///< in world axes, rad/s
    double mass;               ///< kg; 0: from the shapes and the densities of their materials
    SticVec3 centre;           ///< centre of mass in the body's frame, m; used with `inertia`
    SticMat3 inertia; ///< about the centre of mass in body axes, kg m2; all 0: from the shapes,
                      ///< scaled to `mass` where that is given
    SticVec3 force;   ///< constant force at the centre of mass in world axes, N
    SticVec3 torque;  ///< constant torque in world axes, N m
    /// prescribed: a function of the time alone; NULL: at `velocity` of the body's origin and
    /// `angular_velocity` from `position` and `orientation` at t = 0 on. What is not finite fails
    /// the step.
    void (*motion)(const void* motion_self, double t, SticBodyMotion* at);
    /// the first time after t at which velocities of `motion` jump, INFINITY if there is none;
    /// NULL: they never jump. Schemes that find instants cut their steps there.
    double (*motion_kink)(const void* motion_self, double t);
    /// the end, at most `end`, of the stretch from t over which `motion` is so smooth that a dozen
    /// values show all it does; NULL: all is. Such schemes do not step beyond it.
    double (*motion_smooth)(const void* motion_self, double t, double end);
    const void* motion_self; ///< for `motion` and these; borrowed, must outlive the world
    SticElastic elastic;     ///< pseudo-rigid: of the whole body; elastic: of all cells
    double volume;           ///< pseudo-rigid: undeformed, m3; 0: from the shapes
    const SticSolidMesh*
        mesh;       ///< elastic: nodes and cells in the body's frame; copied. Its surface
                    ///< is the body's shape, with `material`, which has the density
    int32_t stored; ///< elastic: SticSolidMaterialKind
    const SticSolidSupport* support; ///< [supports] elastic: nodes held along all axes; copied
    const SticSolidForce* load;      ///< [loads] elastic: forces at nodes; copied
    int32_t supports;                ///< number of supports
    int32_t loads;                   ///< number of loads
    const SticShape* shape;  ///< at the origin of the body's frame; NULL: none, or more than one by
                             ///< stic_body_attach; borrowed, must outlive the world
    SticMaterialId material; ///< of `shape`; null: the world's own
} SticBodyDef;

/// A rigid body at rest at the origin; mass and inertia from its shapes.
STIC_API SticBodyDef stic_body_default_def(void);
/// Add a body; invalidates systems built before. `id` may be NULL. An inertia that is given is
/// checked here; a mass that comes from shapes is checked when a run is made, since shapes may be
/// attached until then.
STIC_API SticStatus stic_body_create(SticWorld* world, const SticBodyDef* def, SticBodyId* id,
                                     SticError* error);
/// Remove a body with its shapes; invalidates systems built before.
STIC_API SticStatus stic_body_destroy(SticWorld* world, SticBodyId id, SticError* error);
/// Whether an id names a body of the world. An id of another world is not told apart: it names
/// whatever has the same slot and generation here.
STIC_API bool stic_body_is_valid(const SticWorld* world, SticBodyId id);
/// Name of a body; empty if it has none or the id is not valid.
STIC_API const char* stic_body_name(const SticWorld* world, SticBodyId id);
/// The first body with a name, the null id if there is none or `name` is NULL.
STIC_API SticBodyId stic_body_find(const SticWorld* world, const char* name);
/// Change the constant force and torque of a body, in world axes; existing systems see it too. A
/// value that is not finite is refused as NOT_FINITE, and the old ones stay.
STIC_API SticStatus stic_body_set_force(SticWorld* world, SticBodyId id, SticVec3 force,
                                        SticVec3 torque, SticError* error);

/// A force at a point of a body.
typedef struct SticPointForce {
    SticVec3 point; ///< in the body's frame, where it moves with the body, m
    SticVec3 force; ///< in world axes, N
} SticPointForce;

/// Change the forces at points of a body, which act beside those of stic_body_set_force and keep
/// their direction; systems built before see it too. A body that deforms is stressed by them. A
/// uniform traction on a plane face is its resultant at the centroid of the face, exactly, since
/// the gradient is the same everywhere. On an elastic body each acts at the node that is nearest
/// without load. What is not finite is refused, and the old ones stay.
STIC_API SticStatus stic_body_set_point_forces(SticWorld* world, SticBodyId id,
                                               const SticPointForce* at, int32_t count,
                                               SticError* error);

/// A shape as part of a body.
typedef struct SticAttachDef {
    const SticShape* shape;  ///< any kind but SURFACE; borrowed, must outlive the world
    SticPose pose;           ///< place in the body's frame; rigid
    SticMaterialId material; ///< null: the world's own
} SticAttachDef;

/// Give a body a shape; invalidates systems built before. `id` may be NULL.
STIC_API SticStatus stic_body_attach(SticWorld* world, SticBodyId body, const SticAttachDef* def,
                                     SticShapeId* id, SticError* error);

/* ---- joints ---- */

/// Whether two bodies that a joint connects can touch each other.
typedef enum SticJoined {
    STIC_JOINED_BY_KIND, ///< rods and kinds without constraint (axial, turning, span) leave contacts
                         ///< as they are; kinds that hold bodies to each other take them away
    STIC_JOINED_TOUCH,
    STIC_JOINED_APART ///< no contacts
} SticJoined;

/// A joint between two bodies, or a body and the ground. Frames are given in the frames of the
/// bodies, for the ground in world axes; stic_joint_place fills them.
typedef struct SticJointDef {
    const char* name;        ///< copied; NULL: none
    int32_t kind;            ///< SticJointKind
    SticBodyId body[2];      ///< A and B; null: the ground; at least one must move
    SticJointFrame frame[2]; ///< point and axes in A and B
    double length;           ///< of a rod, m; 0: the distance of its points at the start
    double limit[2];         ///< ends of the coordinate, m or rad; infinite: none
    double restitution;      ///< Newton's coefficient at the limits, in [0, 1]
    double friction;         ///< largest dry friction force or torque, N or N m
    bool driven;             ///< whether `drive` acts on the coordinate
    SticDrive drive;         ///< velocity of the coordinate
    double drive_force; ///< largest force or torque of the drive; infinite: prescribed velocity
    double force;       ///< constant force or torque of an actuator on the coordinate, N or N m
    SticSpring spring;  ///< on the coordinate
    int32_t contacts;   ///< SticJoined; one joint that takes contacts away is enough
} SticJointDef;

/// A spherical joint that connects nothing yet, with identity frames: no limits, friction, drive or
/// spring, contacts by kind; the force of a drive is unbounded once it is switched on.
STIC_API SticJointDef stic_joint_default_def(void);
/// Put both frames at a point in world axes, with the joint's axis along `axis`, where the bodies
/// are at the start; the second point of rods and spans must be set afterwards.
STIC_API SticStatus stic_joint_place(const SticWorld* world, SticVec3 point, SticVec3 axis,
                                     SticJointDef* def, SticError* error);
/// A point in world axes, expressed in the frame that a body (the ground if null) has at the start.
STIC_API SticVec3 stic_joint_point(const SticWorld* world, SticBodyId body, SticVec3 point);
/// Add a joint, which must be closed at the start; invalidates systems built before. `id`
/// may be NULL.
STIC_API SticStatus stic_joint_create(SticWorld* world, const SticJointDef* def, SticJointId* id,
                                      SticError* error);
/// Remove a joint; invalidates systems built before. Joints end with their bodies.
STIC_API SticStatus stic_joint_destroy(SticWorld* world, SticJointId id, SticError* error);
/// Whether an id names a joint of the world; see stic_body_is_valid.
STIC_API bool stic_joint_is_valid(const SticWorld* world, SticJointId id);
/// Change the drive of a joint that was made with `driven`; existing systems see it too. What is not
/// finite is refused as NOT_FINITE, and the old drive stays.
STIC_API SticStatus stic_joint_set_drive(SticWorld* world, SticJointId id, const SticDrive* drive,
                                         SticError* error);
/// Change the force or torque of the actuator on a joint's coordinate; existing systems see it too.
/// A value that is not finite is refused as NOT_FINITE, and the old one stays.
STIC_API SticStatus stic_joint_set_force(SticWorld* world, SticJointId id, double force,
                                         SticError* error);

/* ---- systems ---- */

/// Velocity of a body.
typedef struct SticTwist {
    SticVec3 velocity;         ///< of the centre of mass, m/s
    SticVec3 angular_velocity; ///< in world axes, rad/s
} SticTwist;

/// A body in a state, in world axes.
typedef struct SticBodyState {
    SticBodyId body;           ///< which one
    SticVec3 position;         ///< of the origin of the body's frame, m
    SticQuat orientation;      ///< from body to world axes, of length 1
    SticVec3 velocity;         ///< of the centre of mass, m/s
    SticVec3 angular_velocity; ///< rad/s
} SticBodyState;

/// What a contact does.
typedef enum SticContactStatus {
    STIC_CONTACT_OPEN,  ///< carries nothing
    STIC_CONTACT_STICK, ///< carries load without sliding
    STIC_CONTACT_SLIP,  ///< slides under load
    STIC_CONTACT_STATUS_COUNT
} SticContactStatus;

/// A contact of the last step in world axes.
typedef struct SticContactForce {
    uint64_t id;          ///< stays the same for as long as the two features touch
    SticBodyId body[2];   ///< A and B; forces are those on A, B gets the opposite
    SticShapeId shape[2]; ///< their shapes
    SticVec3 point;       ///< where the force acts, m
    SticVec3 axis[3];     ///< normal from B to A, first and second tangent
    double gap;           ///< m
    SticVec3 impulse; ///< of the step, N s: the sum over the parts that it was made in. Gap, axes,
                      ///< slip and status are those of the last one in which it carried something
    SticVec3 force;   ///< impulse over length of the step, N
    SticVec3 moment;  ///< of rolling and drilling friction, N m
    SticVec3 slip;    ///< tangential velocity of A relative to B, m/s
    int32_t status;   ///< SticContactStatus
} SticContactForce;

/// A joint in the last step in world axes.
typedef struct SticJointForce {
    SticJointId joint; ///< which one
    SticVec3 point;    ///< the joint's point on A, m
    SticVec3 force;    ///< on A, of constraint, limits, friction and drive together, N
    SticVec3 torque;   ///< on A about `point`, N m
    double gap;        ///< largest violation of the constraint, m or cosines
    double coordinate; ///< m or rad; 0 where the kind has none
    double rate;       ///< of the coordinate
    double limit;      ///< force or torque of the limits on the coordinate, N or N m
    double friction;   ///< of its friction
    double drive;      ///< of its drive
    double reaction;   ///< largest one of a row of its constraint, N or N m
} SticJointForce;

/// What a joint does in a state.
typedef struct SticJointView {
    int32_t rows;      ///< of its constraint
    double gap[6];     ///< of the constraint, m or cosines
    double coordinate; ///< m or rad, with whole turns; 0 where the kind has none
    double rate;       ///< of the coordinate
    double
        reaction[6]; ///< impulse of the last step, or of its last part, in the constraint, N s or
                     ///< N m s; forces over whole steps are those of stic_run_joints
    double friction; ///< impulse of the friction
    double drive;    ///< impulse of the drive
} SticJointView;

#ifdef __cplusplus
}
#endif

#endif
