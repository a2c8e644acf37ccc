// SPDX-License-Identifier: Apache-2.0
// Options of the form NAME=VALUE: parameters of scenes and fields of settings.
#ifndef STIC_CLI_ASSIGNMENTS_H
#define STIC_CLI_ASSIGNMENTS_H

#include "options.h"
#include "stiction/scene.h"

enum { CLI_MOST_ASSIGNMENTS = 256, CLI_LONGEST_NAME = 128 };

/// Assignments of the command line, split at '='.
typedef struct CliAssignments {
    SticSceneAssignment param[CLI_MOST_ASSIGNMENTS], set[CLI_MOST_ASSIGNMENTS];
    int32_t params, sets;
    char name[2 * CLI_MOST_ASSIGNMENTS][CLI_LONGEST_NAME];
    int32_t names;
} CliAssignments;

/// All --param and --set of a call, and --accuracy as the settings it stands for.
CliExit cli_assignments_take(const CliCall* call, CliAssignments* all);

#endif
