// SPDX-License-Identifier: Apache-2.0
// What the files of simulations share.
#ifndef STIC_SCENE_SIMULATION_H
#define STIC_SCENE_SIMULATION_H

#include "stiction/extend/scene.h"

/// What a prescribed body asks for its motion.
typedef struct SticSceneMotion {
    const SticSceneDef* def;
    const SticSceneBody* body;
} SticSceneMotion;

/// What a driven joint asks for its velocity.
typedef struct SticSceneDriven {
    const SticSceneDef* def;
    int32_t signal; ///< of its speed
} SticSceneDriven;

/// When loads are taken.
typedef struct SticSceneTime {
    double t;
    bool before; ///< what jumps there is taken as it was before: t is the end of a step
} SticSceneTime;

/// Value of a time function.
double stic_scene_signal_at(const SticSignal* signal, SticSceneTime at);

/// Where a load acts.
typedef struct SticScenePlace {
    int32_t body, load; ///< indices in the definition
    SticVec3 point;     ///< in the frame of the body
    double area;        ///< of its faces; 1: a point
} SticScenePlace;

/// The mesh of an elastic body in its frame; released by the caller, also on failure.
SticStatus stic_simulation_solid(const SticSimulation* simulation, const SticSceneBody* body,
                                 SticSolidMesh* mesh, SticError* error);
/// Its nodes that are held: support [nodes of the mesh], released by the caller, also on failure.
SticStatus stic_simulation_hold(const SticSimulation* simulation, const SticSceneBody* body,
                                const SticSolidMesh* mesh, SticSolidSupport** support,
                                int32_t* count, SticError* error);

/// A scene under way.
struct SticSimulation {
    SticContext context;
    const SticScene* scene;
    SticScene* owned; ///< the same where it belongs to the simulation
    const SticSceneDef* def;
    SticShape** shape; ///< [shape_count]
    SticWorld* world;
    SticBodyId* body;         ///< [body_count]
    SticJointId* joint;       ///< [joint_count]
    SticMaterialId* material; ///< [material_count]
    SticSceneMotion* motion;  ///< [body_count]
    SticSceneDriven* driven;  ///< [joint_count]
    SticScenePlace* place;    ///< [places] sorted by body, with room for place_room
    SticPointForce* pushing;  ///< [place_room] of one body
    int32_t places, place_room;
    const SticSystem* system;
    const SticModel* model; ///< NULL: a world
    SticRun* run;
    SticArena* scratch;          ///< of measurements
    int64_t steps;               ///< of the whole run
    double known;                ///< time until which all time functions are, s
    SticCheckResult* check;      ///< [check_count]
    SticColour* body_colour;     ///< [body_count] by slot of the world
    SticLook* body_look;         ///< [body_count] by slot of the world
    SticColour* material_colour; ///< [material_count + 1] the world's own first
    int32_t contacts;            ///< of the last step
    double load_factor;          ///< of the last step; 1: loads as they are
    bool gravity_changes;
    bool still; ///< the scheme finds equilibria
    int32_t loaded_count;
    int32_t* loaded; ///< [loaded_count] bodies whose loads change with time
    int32_t acting_count;
    int32_t* acting; ///< [acting_count] joints whose actuators change with time
};

/// Shape i of a definition; compounds need the shapes before them.
SticStatus stic_simulation_build_shape(SticSimulation* simulation, int32_t i, SticError* error);
/// World, bodies, materials and joints.
SticStatus stic_simulation_build_world(SticSimulation* simulation, SticError* error);
/// Places of the loads at points and faces, and their forces at the start.
SticStatus stic_simulation_build_loads(SticSimulation* simulation, SticError* error);
/// When the loads of a step are taken: in its middle, with schemes for equilibria at its end.
SticSceneTime stic_simulation_load_time(const SticSimulation* simulation, double begin, double end);
/// Set the forces of these loads for a time: those that change, or `all`.
SticStatus stic_simulation_push(SticSimulation* simulation, SticSceneTime at, bool all,
                                SticError* error);
/// The first kink of these loads after t, or `first` if that is sooner.
double stic_simulation_push_kink(const SticSimulation* simulation, double t, double first);
/// The end, at most `end`, of the stretch from t over which they are smooth.
double stic_simulation_push_smooth(const SticSimulation* simulation, double t, double end);
/// Sum of these loads on a body at a time.
SticVec3 stic_simulation_point_force(const SticSimulation* simulation, int32_t body,
                                     SticSceneTime at);
/// A load at a time, whether it changes, and its first kink after t or `first` if that is sooner.
SticVec3 stic_scene_load_at(const SticSceneDef* def, const SticSceneLoad* load, SticSceneTime at);
double stic_scene_scalar_at(const SticSceneDef* def, const SticSceneScalar* scalar,
                            SticSceneTime at);
bool stic_scene_load_changes(const SticSceneLoad* load);
double stic_scene_load_kink(const SticSceneDef* def, const SticSceneLoad* load, double t,
                            double first);
/// The end, at most `end`, of the stretch from t over which it is smooth, see stic_signal_smooth.
double stic_scene_load_smooth(const SticSceneDef* def, const SticSceneLoad* load, double t,
                              double end);
/// What a world refuses is the fault of the scene, at a line of its script (0: unknown).
SticStatus stic_scene_blame(SticStatus status, int32_t line, SticError* error);
/// Whether a number can be measured: a system has so many coordinates with its scheme, and not
/// every model is a body.
SticStatus stic_simulation_can_measure(const SticSimulation* simulation,
                                       const SticSceneHistory* what, SticError* error);

#endif
