// SPDX-License-Identifier: Apache-2.0
// Scenes as plain data, and what the program needs of a simulation.
#ifndef STICTION_EXTEND_SCENE_H
#define STICTION_EXTEND_SCENE_H

#include "stiction/base.h"
#include "stiction/body.h"
#include "stiction/extend/shape.h"
#include "stiction/extend/system.h"
#include "stiction/file.h"
#include "stiction/joint.h"
#include "stiction/result.h"
#include "stiction/scene.h"
#include "stiction/shape.h"
#include "stiction/solver.h"
#include "stiction/vec3.h"
#include "stiction/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Value at a time. After its end, STEPS keeps its last value.
STIC_API double stic_signal_value(const SticSignal* signal, double t);

/* ---- time functions ---- */

/// Its rate of change; the slope of the line in a TABLE, 0 in STEPS.
STIC_API double stic_signal_rate(const SticSignal* signal, double t);
/// Its second derivative; 0 except for WAVE and CURVE.
STIC_API double stic_signal_curvature(const SticSignal* signal, double t);
/// The first time after t at which its rate (TABLE) or its value (STEPS) jumps; INFINITY: none.
STIC_API double stic_signal_kink(const SticSignal* signal, double t);
/// The end, at most `end`, of the stretch from t over which a derivative of the given order (0: it
/// itself, 2 at most) is a polynomial of degree eight up to 1e-6 of what it does there. Kinks do
/// not count.
STIC_API double stic_signal_smooth(const SticSignal* signal, int order, double t, double end);

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
    const char* file;                 ///< it was read from, for messages; NULL: none
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
    bool weighed;        ///< the scene states the density; it was not assumed
    bool rubbed;         ///< the same for the coefficient of friction
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
    SticElastic elastic;        ///< pseudo-rigid and elastic
    int32_t stored;             ///< elastic: SticSolidMaterialKind
    int32_t cell;               ///< elastic: SticSolidCell
    SticVec3 cells;             ///< elastic: cells along the edges of a box
    int32_t hold_count;         ///< elastic: corners below
    const SticVec3* hold;       ///< [hold_count] opposite corners of boxes in the body's frame, m
    double volume;              ///< pseudo-rigid: undeformed, m3; 0: from the shapes
    int32_t material;           ///< of parts without one; -1: the scene's own
    SticColour colour;          ///< in pictures; opacity 0: that of the material, or none
    double opacity;             ///< in pictures, from 0, clear, to 1, solid
    bool visible;               ///< false: hidden in pictures until all bodies are asked for
    int32_t part_count;         ///< shapes
    const SticScenePart* part;  ///< [part_count]
    int32_t line;               ///< of the script, for messages; 0: unknown
} SticSceneBody;

/// A joint, placed where the bodies are at the start; see SticJointDef.
typedef struct SticSceneJoint {
    const char* name;      ///< unique; NULL: none
    int32_t kind;          ///< SticJointKind
    int32_t body[2];       ///< A and B; -1: the ground
    SticVec3 point;        ///< in world axes, m
    SticVec3 axis;         ///< in world axes, any length but 0
    SticVec3 end;          ///< rods and spans: point on B in world axes, m
    double length;         ///< rod: m; 0: the distance at the start
    double limit[2];       ///< ends of the coordinate; infinite: none
    double restitution;    ///< at the limits
    double friction;       ///< largest dry friction force or torque
    bool driven;           ///< whether the drive acts
    SticSceneScalar speed; ///< of the drive: a constant plus any function of time
    SticDrive drive;       ///< the rest of its velocity; its own speed and functions are not used
    double drive_force;    ///< largest force or torque of the drive; infinite: prescribed
    SticSceneScalar force; ///< of an actuator on the coordinate, N or N m
    SticSpring spring;     ///< on the coordinate
    int32_t contacts;      ///< SticJoined: whether the two bodies can touch
    int32_t line;          ///< of the script, for messages; 0: unknown
} SticSceneJoint;

/// A load at a point of a body, or a uniform traction on its plane faces with a normal; both keep
/// their direction.
typedef struct SticScenePoint {
    int32_t body;           ///< index
    SticVec3 point;         ///< at the start, in world axes, m; not used with `face`
    SticVec3 face;          ///< outward normal at the start, in world axes, any length; 0: a point
    SticSceneLoad force;    ///< at the point in world axes, N
    SticSceneLoad traction; ///< on the faces in world axes, Pa of the undeformed area
    int32_t line;           ///< of the script, for messages; 0: unknown
} SticScenePoint;

/* ---- run and output ---- */

enum { STIC_SETTINGS_ROOM = 512 }; ///< bytes for any settings or parameter struct

/// How far and how.
typedef struct SticSceneRun {
    double step;        ///< length of a step, s
    double until;       ///< end, s
    double short_until; ///< end of the short version that tests run, s; 0: `until`
    double resolution;  ///< of functions of time of a script where schemes look inside steps: what
                        ///< is shorter may be missed, s; 0: a 128th of the step
    int32_t accuracy;   ///< SticAccuracy; a tolerance of the solver other than 0 wins
    int32_t policy;     ///< SticPolicy
    int32_t max_halvings; ///< of the policy `halve`
    double energy_alarm;  ///< share of the energy exchanged; 0: no alarm
    int32_t sleep;        ///< steps at rest after which islands are left alone; 0: never
    int32_t law;          ///< SticContactLaw of moreau, koziara and theta
    bool projection;      ///< close joints and take back overlaps after every step
    double correction;    ///< position correction: part of an overlap taken back per step; 0: none,
                          ///< below 0: the default with `projection`
    double allowance;     ///< of it: overlap that is left, m
    bool project;         ///< make the start velocities fit the joints
} SticSceneRun;

/// What a result file holds.
typedef SticOutputSettings SticSceneOutput;

/// Word of a quantity in scenes, such as "angular_velocity".
STIC_API const char* stic_quantity_name(SticQuantity quantity);
/// What a quantity is, in a few words with its unit.
STIC_API const char* stic_quantity_text(SticQuantity quantity);

/// Whether a quantity is a vector, with the components x, y, z and length.
STIC_API bool stic_quantity_is_vector(SticQuantity quantity);

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
    int32_t intersection;              ///< SticWorldIntersection
    int32_t search;                    ///< SticWorldSearch
    const char* scheme;                ///< name in stic_scheme_table
    const char* solver;                ///< name in stic_solver_table
    const char* second;                ///< solver of the policy `retry`; NULL: none
    SticSolveSettings solve;           ///< common settings of the solver
    SticSceneRun run;                  ///< how far and how
    bool run_guessed;                  ///< read from a text that does not say how far and how to
                                       ///< run
    SticSceneOutput output;            ///< what a result file holds
    const void* model_parameters;      ///< struct of the model's fields; NULL: defaults
    const void* scheme_settings;       ///< struct of the scheme's fields; NULL: defaults
    const void* solver_settings;       ///< struct of the solver's fields; NULL: defaults
    int32_t material_count;            ///< materials
    const SticSceneMaterial* material; ///< [material_count]
    int32_t surface_count;             ///< pairs of materials
    const SticSceneSurface* surface;   ///< [surface_count]
    int32_t signal_count;              ///< time functions
    int32_t rough;                     ///< of a script that jump
    double rough_at;                   ///< where the first of them does, s
    const SticSignal* signal;          ///< [signal_count]
    int32_t shape_count;               ///< shapes, each used any number of times
    const SticSceneShape* shape;       ///< [shape_count]; compounds come after their parts
    int32_t body_count;                ///< bodies
    const SticSceneBody* body;         ///< [body_count]
    int32_t joint_count;               ///< joints
    const SticSceneJoint* joint;       ///< [joint_count]
    int32_t point_count;               ///< loads at points and faces
    const SticScenePoint* point;       ///< [point_count]
    int32_t history_count;             ///< columns of the CSV of histories
    const SticSceneHistory* history;   ///< [history_count]
    int32_t check_count;               ///< reference values
    const SticSceneCheck* check;       ///< [check_count]
} SticSceneDef;

/// An empty world: gravity 9.81 along -z, scheme moreau, solver auto at the accuracy `standard`,
/// steps of 1 ms for one second, policy adapt, default settings of results.
STIC_API SticSceneDef stic_scene_default_def(void);
/// Whether this library reads Lua scenes; without Lua only the text form can be read.
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
/// Check a definition and copy it.
STIC_API SticStatus stic_scene_create(const SticContext* context, const SticSceneDef* def,
                                      SticScene** scene, SticError* error);
/// The definition; lives as long as the scene.
STIC_API const SticSceneDef* stic_scene_def(const SticScene* scene);
/// The text that the scene was read from, as it was then; lives as long as the scene.
STIC_API const char* stic_scene_source(const SticScene* scene);
/// Parameter i, from 0, that the script asked for: its name and its default; false after the last
/// one.
STIC_API bool stic_scene_parameter(const SticScene* scene, int32_t i,
                                   SticSceneAssignment* parameter);
/// The definition as text, to be read again with the same bits; give it back with stic_text_unload.
STIC_API SticStatus stic_scene_write(const SticContext* context, const SticSceneDef* def,
                                     SticText* text, SticError* error);

/* ---- simulations ---- */

/// Flaws of a shape that is a mesh; none for other kinds.
STIC_API SticStatus stic_scene_mesh_flaws(const SticContext* context, const SticSceneShape* shape,
                                          SticMeshFlaws* flaws);

/// Body i of the scene in the world.
STIC_API SticBodyId stic_simulation_body(const SticSimulation* simulation, int32_t i);
/// Joint i of the scene in the world.
STIC_API SticJointId stic_simulation_joint(const SticSimulation* simulation, int32_t i);
/// A number of the present state.
STIC_API SticStatus stic_simulation_measure(SticSimulation* simulation,
                                            const SticSceneHistory* what, double* value);

/// How a reference value of the scene was met so far.
typedef struct SticCheckResult {
    bool done;    ///< its time has come
    bool passed;  ///< done, and within the tolerance
    double value; ///< measured; smallest and largest values count from the first step on
} SticCheckResult;

/// Check i of the scene after the steps made by stic_simulation_step.
STIC_API SticCheckResult stic_simulation_check(const SticSimulation* simulation, int32_t i);

/// Steps of the whole run: until / step, rounded to the nearest.
STIC_API int64_t stic_simulation_steps(const SticSimulation* simulation);
/// Its scene.
STIC_API const SticScene* stic_simulation_scene(const SticSimulation* simulation);
/// Its system.
STIC_API const SticSystem* stic_simulation_system(const SticSimulation* simulation);
/// Shape i of the scene.
STIC_API const SticShape* stic_simulation_shape(const SticSimulation* simulation, int32_t i);
/// What the run promises about its bits: the weaker of scheme and solver.
STIC_API SticDeterminism stic_simulation_determinism(const SticSimulation* simulation);
/// Give an output the colours of the scene; they live as long as the simulation.
STIC_API void stic_simulation_colours(const SticSimulation* simulation, SticOutputDef* output);

#ifdef __cplusplus
}
#endif

#endif
