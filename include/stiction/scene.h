// SPDX-License-Identifier: Apache-2.0
// Scenes: one declarative definition of bodies, joints, loads, scheme, solver, run and output.
//
// The definition is plain data. A Lua script fills it (stic_scene_load), or a program does
// (stic_scene_create of stiction/extend/scene.h). Its text form (stic_scene_write) is what result
// files store; it can be read again with or without Lua. A simulation owns everything that a
// definition asks for. The shortest way is stic_simulation_open; with parameters and changes:
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
#include "stiction/run.h"
#include "stiction/step.h"
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
    STIC_SIGNAL_CURVE, ///< a smooth curve through values, at equal intervals from t = 0 or at times
    STIC_SIGNAL_KIND_COUNT
} SticSignalKind;

/// A function of time. Loads are taken at the middle of each step, by quasi-static at its end, and
/// are constant over it.
typedef struct SticSignal {
    int32_t kind;        ///< SticSignalKind
    double offset;       ///< WAVE: constant part
    double amplitude;    ///< WAVE: largest deviation from it
    double frequency;    ///< WAVE: rad/s
    double phase;        ///< WAVE: rad
    double scale;        ///< TABLE: factor of the values
    double interval;     ///< STEPS, CURVE without times: length of an interval, s
    int32_t count;       ///< TABLE, STEPS, CURVE: number of values
    const double* time;  ///< TABLE, CURVE (NULL: by interval): [count] ascending, s
    const double* value; ///< TABLE, STEPS, CURVE: [count]
    double until;        ///< TABLE: no run may go on beyond this time, s; 0: the last value stays
} SticSignal;

/// SticJointControl that follows a time function: `self` is the SticSignal. NULL gives 0.
STIC_API double stic_signal_control(void* self, const SticRun* run, double t);

/* ---- run and output ---- */

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
    X(STATE_U, "u", "a velocity of a model, by its number")                                        \
    X(STRESS_X, "stress_x", "Cauchy stress of a body on planes across x, Pa")                      \
    X(STRESS_Y, "stress_y", "Cauchy stress of a body on planes across y, Pa")                      \
    X(STRESS_Z, "stress_z", "Cauchy stress of a body on planes across z, Pa")                      \
    X(STRESS_LEAST, "stress_least", "least principal stress of a body, compression, Pa")           \
    X(STRESS_MOST, "stress_most", "largest principal stress of a body, tension, Pa")               \
    X(CONTACT_FORCE, "contact_force",                                                              \
      "of the contacts on a body, all or those with `other`, in the last step, N")                 \
    X(LOAD, "load", "force that the scene puts on a body, without its weight, N")                  \
    X(DRIVE, "drive", "force or torque of a joint's drive in the last step, N or N m")             \
    X(LOAD_FACTOR, "load_factor",                                                                  \
      "of the last step, that the scheme multiplied loads by; 1 where it does not")

/// What can be measured of a simulation.
typedef enum SticQuantity {
#define STIC_QUANTITY_ENUM(name, word, text) STIC_QUANTITY_##name,
    STIC_QUANTITY_LIST(STIC_QUANTITY_ENUM)
#undef STIC_QUANTITY_ENUM
        STIC_QUANTITY_COUNT
} SticQuantity;

/// A number that can be measured at any time of a simulation: a column of the CSV of histories.
typedef struct SticSceneHistory {
    const char* name;  ///< heading; NULL: made of the rest
    int32_t quantity;  ///< SticQuantity
    int32_t body;      ///< index, where the quantity is of a body; -1: none
    int32_t other;     ///< index of the body that touches it, of contact forces; -1: all
    int32_t joint;     ///< index, where the quantity is of a joint; -1: none
    int32_t component; ///< 0 x, 1 y, 2 z, 3 length of the vector; of a model: its number from 0
} SticSceneHistory;

/* ---- the definition ---- */

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
    int32_t param_count;              ///< it is an error if the script never asks for a parameter
    const SticSceneAssignment* set;   ///< [set_count] changes made after the script, in their order
    int32_t set_count;                ///< groups: run, output, solver, scheme
    double until; ///< end of the run instead of that of the scene, s; 0: that of the scene. Checks
                  ///< at the end stay where the scene has its own end.
    int64_t max_instructions; ///< of the script
    size_t max_bytes;         ///< memory of the script
} SticSceneOptions;

/// No parameters, no changes, 1e9 instructions, 1 GiB.
STIC_API SticSceneOptions stic_scene_default_options(void);
/// Read a scene: a Lua script, or the text form. Scripts read files of their own folder only.
/// `options` may be NULL: their defaults.
STIC_API SticStatus stic_scene_load(const SticContext* context, const char* path,
                                    const SticSceneOptions* options, SticScene** scene,
                                    SticError* error);
/// As stic_scene_load, from text in memory that ends with a 0 byte at text[size]; `name` is for
/// messages. Such a script reads no files.
STIC_API SticStatus stic_scene_parse(const SticContext* context, const SticText* text,
                                     const char* name, const SticSceneOptions* options,
                                     SticScene** scene, SticError* error);
/// Release a scene; NULL is allowed.
STIC_API void stic_scene_destroy(SticScene* scene);

/* ---- simulations ---- */

/// World or model, shapes, system and run of a scene.
typedef struct SticSimulation SticSimulation;

/// Build everything a scene asks for. The scene is borrowed and must outlive the simulation.
STIC_API SticStatus stic_simulation_create(const SticContext* context, const SticScene* scene,
                                           SticSimulation** simulation, SticError* error);
/// Read a scene as stic_scene_load does, with its defaults, and build it in one call; the simulation
/// owns the scene. NULL if that fails.
STIC_API SticSimulation* stic_simulation_open(const SticContext* context, const char* path,
                                              SticError* error);
/// Release a simulation; NULL is allowed.
STIC_API void stic_simulation_destroy(SticSimulation* simulation);
/// One step with the loads of its time; see stic_run_step.
STIC_API SticStatus stic_simulation_step(SticSimulation* simulation, SticStepInfo* info);
/// Whether the state has reached the end of the run. NULL is done.
STIC_API bool stic_simulation_is_done(const SticSimulation* simulation);
/// Its run: state, totals, snapshots. NULL gives NULL.
STIC_API SticRun* stic_simulation_run(SticSimulation* simulation);
/// Its world; NULL for a model and for NULL. Forces and drives can be changed through it.
STIC_API SticWorld* stic_simulation_world(const SticSimulation* simulation);
/// Where the body of this name is now; the identity if there is none.
STIC_API SticPose stic_simulation_pose(const SticSimulation* simulation, const char* body);
#ifdef __cplusplus
}
#endif

#endif
