// SPDX-License-Identifier: Apache-2.0
// Scenes: one declarative definition of bodies, joints, loads, scheme, solver, run and output.
//
// The definition is plain data. A Lua script fills it (stic_scene_load), a program can fill it
// (stic_scene_create), and its text form (stic_scene_write) is what result files store and what can
// be read again, with or without Lua. A simulation owns everything a definition asks for:
//
//     SticScene* scene = NULL;
//     SticSimulation* simulation = NULL;
//     const SticSceneOptions options = stic_scene_default_options();
//     stic_scene_load(&context, "arch.lua", &options, &scene, &error);
//     stic_simulation_create(&context, scene, &simulation, &error);
//     while (!stic_simulation_is_done(simulation))
//         stic_simulation_step(simulation, &info);
//     stic_simulation_destroy(simulation);
//     stic_scene_destroy(scene);
//
// References between parts of a definition are indices, -1 for none. Units are the user's, any
// consistent set; the comments name those of the SI.
#ifndef STICTION_SCENE_H
#define STICTION_SCENE_H

#include "stiction/base.h"
#include "stiction/file.h"
#include "stiction/joint.h"
#include "stiction/output.h"
#include "stiction/run.h"
#include "stiction/shape.h"
#include "stiction/solver.h"
#include "stiction/step.h"
#include "stiction/system.h"
#include "stiction/vec3.h"
#include "stiction/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- time functions ---- */

/// How a time function is given.
typedef enum SticSignalKind {
    STIC_SIGNAL_WAVE,  ///< offset + amplitude sin(frequency t + phase)
    STIC_SIGNAL_TABLE, ///< straight lines between points, constant before and after them
    STIC_SIGNAL_STEPS, ///< one value per interval of equal length, from t = 0
    STIC_SIGNAL_CURVE, ///< a smooth curve through values at equal intervals, from t = 0
    STIC_SIGNAL_KIND_COUNT
} SticSignalKind;

/// A function of time. Loads are taken at the middle of each step and are constant over it.
typedef struct SticSignal {
    int32_t kind;        ///< SticSignalKind
    double offset;       ///< WAVE: constant part
    double amplitude;    ///< WAVE: largest deviation from it
    double frequency;    ///< WAVE: rad/s
    double phase;        ///< WAVE: rad
    double scale;        ///< TABLE: factor of the values
    double interval;     ///< STEPS, CURVE: length of an interval, s
    int32_t count;       ///< TABLE, STEPS, CURVE: number of values
    const double* time;  ///< TABLE: [count] ascending, s
    const double* value; ///< TABLE, STEPS, CURVE: [count]
} SticSignal;

/// Value at a time; STEPS has no value after its end: the last one.
STIC_API double stic_signal_value(const SticSignal* signal, double t);
/// SticJointControl that follows a time function: `self` is the SticSignal.
STIC_API double stic_signal_control(void* self, const SticRun* run, double t);
/// Its rate of change; the slope of the line in a TABLE, 0 in STEPS.
STIC_API double stic_signal_rate(const SticSignal* signal, double t);
/// Its second derivative; 0 but for WAVE and CURVE.
STIC_API double stic_signal_curvature(const SticSignal* signal, double t);

/// A number that is a constant plus a time function.
typedef struct SticSceneScalar {
    double constant; ///< constant part
    int32_t signal;  ///< added; -1: none
} SticSceneScalar;

/// Three components, each a constant plus a time function.
typedef struct SticSceneLoad {
    SticVec3 constant; ///< constant part
    int32_t signal[3]; ///< added to each component; -1: none
} SticSceneLoad;

/* ---- shapes and materials ---- */

/// Geometry in a frame of its own. Which members count depends on the kind.
typedef struct SticSceneShape {
    int32_t kind;                     ///< SticShapeKind
    double radius;                    ///< sphere, capsule, cylinder, m
    double length;                    ///< capsule: of its segment; cylinder: its height, m
    SticVec3 size;                    ///< box: edge lengths; ellipsoid: semi-axes, m
    SticVec3 normal;                  ///< half-space: normal . x <= offset |normal|
    double offset;                    ///< half-space, m
    int32_t vertex_count;             ///< polyhedron, mesh, compound of elements
    const SticVec3* vertex;           ///< [vertex_count] m
    int32_t face_count;               ///< polyhedron (0: hull of the points), mesh
    const int32_t* face_begin;        ///< [face_count+1] into face_vertex
    const int32_t* face_vertex;       ///< counter-clockwise seen from outside
    int32_t element_count;            ///< compound of elements with common nodes
    const uint8_t* element_kind;      ///< [element_count] SticElementKind
    const int32_t* element_begin;     ///< [element_count+1] into element_node
    const int32_t* element_node;      ///< vertices of each element
    int32_t part_count;               ///< compound of convex shapes
    const struct SticScenePart* part; ///< [part_count] materials are not used
    int32_t columns;                  ///< height field: points along x; rows follow from the count
    double dx, dy;                    ///< height field: distance of points, m
    int32_t height_count;             ///< height field
    const double* height;             ///< [height_count] row by row, m
    int32_t line;                     ///< of the script, for messages; 0: unknown
} SticSceneShape;

/// A shape as part of a body or of a compound.
typedef struct SticScenePart {
    int32_t shape;        ///< index in SticSceneDef.shape
    SticVec3 position;    ///< of its frame, m
    SticQuat orientation; ///< of its frame
    int32_t material;     ///< -1: that of the body, or the scene's own
} SticScenePart;

/// A material.
typedef struct SticSceneMaterial {
    const char* name;    ///< unique
    double density;      ///< kg/m3
    bool weighed;        ///< the density was stated and is not a guess
    bool rubbed;         ///< the same for its friction
    SticSurface surface; ///< mixed with that of the other material, unless the pair is set
    SticColour colour;   ///< of bodies without one; opacity 0: none
} SticSceneMaterial;

/// Contact of two materials.
typedef struct SticSceneSurface {
    int32_t material[2]; ///< in either order; -1: the scene's own
    SticSurface surface; ///< instead of what mixing gives
} SticSceneSurface;

/* ---- bodies and joints ---- */

/// A body; see SticBodyDef.
typedef struct SticSceneBody {
    const char* name;          ///< unique; NULL: none
    int32_t kind;              ///< SticBodyKind
    SticVec3 position;         ///< of the body's frame, m
    SticQuat orientation;      ///< from body to world axes
    SticVec3 velocity;         ///< of the centre of mass, m/s
    SticVec3 angular_velocity; ///< in world axes, rad/s
    double mass;               ///< kg; 0: from the shapes
    SticVec3 centre;           ///< centre of mass in the body's frame, m; used with `inertia`
    SticMat3 inertia;          ///< about the centre of mass in body axes, kg m2; 0: from the shapes
    SticSceneLoad force;       ///< at the centre of mass in world axes, N
    SticSceneLoad torque;      ///< in world axes, N m
    SticSceneLoad displacement; ///< prescribed: added to position + velocity t, m
    SticVec3 axis;              ///< prescribed: axis through the body's origin, in world axes
    SticSceneScalar angle;      ///< prescribed: turn about it, rad
    SticElastic elastic;        ///< pseudo-rigid
    double volume;              ///< pseudo-rigid: undeformed, m3; 0: from the shapes
    int32_t material;           ///< of parts without one; -1: the scene's own
    SticColour colour;          ///< in pictures; opacity 0: that of the material, or none
    int32_t part_count;         ///< shapes
    const SticScenePart* part;  ///< [part_count]
    int32_t line;               ///< of the script, for messages; 0: unknown
} SticSceneBody;

/// A joint, placed where the bodies are at the start; see SticJointDef.
typedef struct SticSceneJoint {
    const char* name;   ///< unique; NULL: none
    int32_t kind;       ///< SticJointKind
    int32_t body[2];    ///< A and B; -1: the ground
    SticVec3 point;     ///< in world axes, m
    SticVec3 axis;      ///< in world axes, any length but 0
    SticVec3 end;       ///< rods and spans: point on B in world axes, m
    double length;      ///< rod: m; 0: the distance at the start
    double limit[2];    ///< ends of the coordinate; infinite: none
    double restitution; ///< at the limits
    double friction;    ///< largest dry friction force or torque
    bool driven;        ///< whether the drive acts
    SticDrive drive;    ///< velocity of the coordinate
    double drive_force; ///< largest force or torque of the drive; infinite: prescribed
    SticSpring spring;  ///< on the coordinate
    bool contacts;      ///< whether the two bodies can touch
    int32_t line;       ///< of the script, for messages; 0: unknown
} SticSceneJoint;

/* ---- run and output ---- */

enum { STIC_SETTINGS_ROOM = 512 }; ///< bytes for any settings or parameter struct

/// How far and how.
typedef struct SticSceneRun {
    double step;          ///< length of a step, s
    double until;         ///< end, s
    double short_until;   ///< end of the short version that tests run, s; 0: `until`
    int32_t accuracy;     ///< SticAccuracy; a tolerance of the solver other than 0 wins
    int32_t policy;       ///< SticPolicy
    int32_t max_halvings; ///< of the policy `halve`
    double energy_alarm;  ///< share of the energy exchanged; 0: no alarm
    int32_t law;          ///< SticContactLaw of moreau, koziara and theta
    bool projection;      ///< close joints and take back overlaps after every step
    double correction;    ///< position correction: part of an overlap taken back per step; 0: none,
                          ///< below 0: the default with `projection`
    double allowance;     ///< of it: overlap that is left, m
    bool project;         ///< make the start velocities fit the joints
} SticSceneRun;

/// What a result file holds.
typedef SticOutputSettings SticSceneOutput;

/// What can be measured of a simulation: name and meaning.
#define STIC_QUANTITY_LIST(X)                                                                      \
    X(POSITION, "position", "origin of a body's frame, m")                                         \
    X(CENTRE, "centre", "centre of mass of a body, m")                                             \
    X(VELOCITY, "velocity", "of a body's centre of mass, m/s")                                     \
    X(ANGULAR_VELOCITY, "angular_velocity", "of a body in world axes, rad/s")                      \
    X(AXIS_X, "axis_x", "first body axis in world axes")                                           \
    X(AXIS_Y, "axis_y", "second body axis in world axes")                                          \
    X(AXIS_Z, "axis_z", "third body axis in world axes")                                           \
    X(KINETIC, "kinetic", "kinetic energy of all, J")                                              \
    X(POTENTIAL, "potential", "potential energy of all, J")                                        \
    X(ENERGY, "energy", "kinetic and potential energy of all, J")                                  \
    X(COORDINATE, "coordinate", "coordinate of a joint, m or rad")                                 \
    X(RATE, "rate", "rate of a joint's coordinate")                                                \
    X(REACTION, "reaction", "largest reaction force or torque of a joint's rows in the last step") \
    X(CONTACTS, "contacts", "contacts of the last step")                                           \
    X(PENETRATION, "penetration", "deepest penetration so far, m")                                 \
    X(ERROR, "error", "largest error of a solve so far")                                           \
    X(UNSOLVED, "unsolved", "steps that were accepted without being solved, so far")               \
    X(STATE_Q, "q", "a coordinate of a model, by its number")                                      \
    X(STATE_U, "u", "a velocity of a model, by its number")

/// What can be measured of a simulation.
typedef enum SticQuantity {
#define STIC_QUANTITY_ENUM(name, word, text) STIC_QUANTITY_##name,
    STIC_QUANTITY_LIST(STIC_QUANTITY_ENUM)
#undef STIC_QUANTITY_ENUM
        STIC_QUANTITY_COUNT
} SticQuantity;

/// Word of a quantity in scenes, such as "angular_velocity".
STIC_API const char* stic_quantity_name(SticQuantity quantity);
/// What a quantity is, in a few words with its unit.
STIC_API const char* stic_quantity_text(SticQuantity quantity);

/// A number that can be measured at any time of a simulation; column of the CSV of histories.
typedef struct SticSceneHistory {
    const char* name;  ///< heading; NULL: made of the rest
    int32_t quantity;  ///< SticQuantity
    int32_t body;      ///< index, where the quantity is of a body; -1: none
    int32_t joint;     ///< index, where the quantity is of a joint; -1: none
    int32_t component; ///< 0 x, 1 y, 2 z, 3 length of the vector; of a model: its number from 0
} SticSceneHistory;

/// What is made of a measured number over time.
typedef enum SticReduction {
    STIC_REDUCE_LAST,  ///< its value at the end
    STIC_REDUCE_LEAST, ///< the smallest value from the start on
    STIC_REDUCE_MOST,  ///< the largest value from the start on
    STIC_REDUCE_COUNT
} SticReduction;

/// A reference value: |measured - value| <= tolerance.
typedef struct SticSceneCheck {
    SticSceneHistory what; ///< the number
    int32_t reduction;     ///< SticReduction
    double at;             ///< time, s; 0: the end
    double value;          ///< expected
    double tolerance;      ///< accepted deviation
    const char* source;    ///< where the value comes from
} SticSceneCheck;

/* ---- the definition ---- */

/// A whole scene.
typedef struct SticSceneDef {
    const char* title;                 ///< one line
    const char* model;                 ///< registered model instead of a world; NULL: a world
    SticSceneLoad gravity;             ///< m/s2
    int32_t friction_mixing;           ///< SticMixing
    int32_t restitution_mixing;        ///< SticMixing
    int32_t cohesion_mixing;           ///< SticMixing
    int32_t contact_rule;              ///< SticWorldContacts
    const char* scheme;                ///< name in stic_scheme_table
    const char* solver;                ///< name in stic_solver_table
    const char* second;                ///< solver of the policy `retry`; NULL: none
    SticSolveSettings solve;           ///< common settings of the solver
    SticSceneRun run;                  ///< how far and how
    bool run_guessed;                  ///< read from a text that does not say how far and how
    SticSceneOutput output;            ///< what a result file holds
    const void* model_parameters;      ///< struct of the model's fields; NULL: defaults
    const void* scheme_settings;       ///< struct of the scheme's fields; NULL: defaults
    const void* solver_settings;       ///< struct of the solver's fields; NULL: defaults
    int32_t material_count;            ///< materials
    const SticSceneMaterial* material; ///< [material_count]
    int32_t surface_count;             ///< pairs of materials
    const SticSceneSurface* surface;   ///< [surface_count]
    int32_t signal_count;              ///< time functions
    const SticSignal* signal;          ///< [signal_count]
    int32_t shape_count;               ///< shapes, each used any number of times
    const SticSceneShape* shape;       ///< [shape_count]; compounds come after their parts
    int32_t body_count;                ///< bodies
    const SticSceneBody* body;         ///< [body_count]
    int32_t joint_count;               ///< joints
    const SticSceneJoint* joint;       ///< [joint_count]
    int32_t history_count;             ///< columns of the CSV of histories
    const SticSceneHistory* history;   ///< [history_count]
    int32_t check_count;               ///< reference values
    const SticSceneCheck* check;       ///< [check_count]
} SticSceneDef;

/// An empty world: gravity 9.81 along -z, scheme moreau, solver nsgs to 1e-8 with warm start, step
/// 1 ms, one second, policy stop, every tenth step stored.
STIC_API SticSceneDef stic_scene_default_def(void);

/// A definition that was checked, with its memory.
typedef struct SticScene SticScene;

/// Name and value given from outside.
typedef struct SticSceneAssignment {
    const char* name;  ///< of a parameter, or "group.field"
    const char* value; ///< as text
} SticSceneAssignment;

/// How a scene is read.
typedef struct SticSceneOptions {
    const SticSceneAssignment* param; ///< [param_count] for param(name, default) in the script
    int32_t param_count;              ///< a parameter that the script never asks for is an error
    const SticSceneAssignment* set;   ///< [set_count] changes made after the script, in their order
    int32_t set_count;                ///< groups: run, output, solver, scheme
    double until; ///< end of the run instead of the scene's, s; 0: the scene's. Checks at the end
                  ///< stay at the scene's own end.
    int64_t max_instructions; ///< of the script
    size_t max_bytes;         ///< memory of the script
} SticSceneOptions;

/// No parameters, no changes, 1e9 instructions, 1 GiB.
STIC_API SticSceneOptions stic_scene_default_options(void);

/// Whether this library reads Lua scenes; without it only the text form is read.
STIC_API bool stic_scene_has_lua(void);
/// A field of a statement of scenes.
typedef struct SticSceneField {
    const char* statement; ///< such as "shape"
    const char* kind;      ///< such as "box"; NULL: the statement has no kinds
    const char* name;      ///< such as "size"
    const char* unit;      ///< "-" if none, "*" if that of what it is used for
    const char* text;      ///< a few words
    char accepted[400];    ///< what it may be, and what it is where it is not stated
} SticSceneField;
/// Field number i of all statements, from 0; false after the last one.
STIC_API bool stic_scene_field(int32_t i, SticSceneField* field);

/// Read a scene: a Lua script, or the text form. Scripts read files of their own folder only.
STIC_API SticStatus stic_scene_load(const SticContext* context, const char* path,
                                    const SticSceneOptions* options, SticScene** scene,
                                    SticError* error);
/// As stic_scene_load from memory, ending with a 0 byte at text[size]; `name` is for messages. Such
/// a script reads no files.
STIC_API SticStatus stic_scene_parse(const SticContext* context, const SticText* text,
                                     const char* name, const SticSceneOptions* options,
                                     SticScene** scene, SticError* error);
/// Check a definition and copy it.
STIC_API SticStatus stic_scene_create(const SticContext* context, const SticSceneDef* def,
                                      SticScene** scene, SticError* error);
/// Release a scene; NULL is allowed.
STIC_API void stic_scene_destroy(SticScene* scene);
/// The definition; lives as long as the scene.
STIC_API const SticSceneDef* stic_scene_def(const SticScene* scene);
/// The definition as text, to be read again with the same bits; give it back with stic_text_unload.
STIC_API SticStatus stic_scene_write(const SticContext* context, const SticSceneDef* def,
                                     SticText* text, SticError* error);

/* ---- simulations ---- */

/// World or model, shapes, system and run of a scene.
typedef struct SticSimulation SticSimulation;

/// Build everything a scene asks for. The scene is borrowed and must outlive the simulation.
STIC_API SticStatus stic_simulation_create(const SticContext* context, const SticScene* scene,
                                           SticSimulation** simulation, SticError* error);
/// Release a simulation; NULL is allowed.
STIC_API void stic_simulation_destroy(SticSimulation* simulation);
/// One step with the loads of its time; see stic_run_step.
STIC_API SticStatus stic_simulation_step(SticSimulation* simulation, SticStepInfo* info);
/// Whether the state has reached the end of the run.
STIC_API bool stic_simulation_is_done(const SticSimulation* simulation);
/// Steps of the whole run: until / step, rounded to the nearest.
STIC_API int64_t stic_simulation_steps(const SticSimulation* simulation);
/// Its scene.
STIC_API const SticScene* stic_simulation_scene(const SticSimulation* simulation);
/// Its run: state, totals, snapshots.
STIC_API SticRun* stic_simulation_run(SticSimulation* simulation);
/// Its system.
STIC_API const SticSystem* stic_simulation_system(const SticSimulation* simulation);
/// Its world; NULL for a model. Forces and drives can be changed through it.
STIC_API const SticWorld* stic_simulation_world(const SticSimulation* simulation);
/// Body i of the scene in the world.
STIC_API SticBodyId stic_simulation_body(const SticSimulation* simulation, int32_t i);
/// Joint i of the scene in the world.
STIC_API SticJointId stic_simulation_joint(const SticSimulation* simulation, int32_t i);
/// Shape i of the scene.
STIC_API const SticShape* stic_simulation_shape(const SticSimulation* simulation, int32_t i);
/// What the run promises about its bits: the weaker of scheme and solver.
STIC_API SticDeterminism stic_simulation_determinism(const SticSimulation* simulation);
/// A number of the present state.
STIC_API SticStatus stic_simulation_measure(SticSimulation* simulation,
                                            const SticSceneHistory* what, double* value);

/// How a reference value of the scene was met so far.
typedef struct SticCheckResult {
    bool done;    ///< its time has come
    bool passed;  ///< done, and within the tolerance
    double value; ///< measured; smallest and largest values count from the first step on
} SticCheckResult;
/// Give an output the colours of the scene; they live as long as the simulation.
STIC_API void stic_simulation_colours(const SticSimulation* simulation, SticOutputDef* output);
/// Check i of the scene after the steps made by stic_simulation_step.
STIC_API SticCheckResult stic_simulation_check(const SticSimulation* simulation, int32_t i);

#ifdef __cplusplus
}
#endif

#endif
