// SPDX-License-Identifier: Apache-2.0
// Structures of a scene in which one number varies: what `stiction limit` analyses and runs.
#ifndef STIC_CLI_LIMIT_SCENE_H
#define STIC_CLI_LIMIT_SCENE_H

#include "assignments.h"
#include "options.h"
#include "stiction/extend/limit.h"
#include "stiction/extend/scene.h"

/// What varies.
typedef enum CliVary {
    CLI_VARY_LOAD,         ///< factor of the forces and torques on bodies
    CLI_VARY_ACCELERATION, ///< added to gravity, m/s2
    CLI_VARY_TILT,         ///< turn of gravity, degrees
    CLI_VARY_FRICTION,     ///< of all contacts
    CLI_VARY_PARAMETER     ///< a parameter of the scene
} CliVary;

/// Words of --vary by CliVary, ended by NULL; anything else is a parameter.
extern const char* const cli_vary_names[];

/// A scene and the number that varies in it.
typedef struct CliVaried {
    const CliCall* call;
    CliAssignments* all; ///< with room for one more parameter
    CliVary vary;
    const char* name;   ///< of the parameter
    SticVec3 direction; ///< of acceleration and tilt, of length 1
    double until;       ///< end of runs, 0: the scene's
} CliVaried;

/// The scene at one value, with its world and the structure in it.
typedef struct CliStructure {
    SticScene* source; ///< as read; what varies by itself is changed in a copy
    SticScene* scene;
    SticArena* arena;
    SticSimulation* simulation;
    SticLimit* limit;
} CliStructure;

/// Build a structure; what goes wrong is reported. To be cleared in any case.
CliExit cli_structure_build(const CliVaried* varied, double value, CliStructure* made);
/// Give it back.
void cli_structure_clear(CliStructure* structure);

#endif
