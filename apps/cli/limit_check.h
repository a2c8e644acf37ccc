// SPDX-License-Identifier: Apache-2.0
// The exact check of a limit: runs on both sides of it, with Coulomb's friction as it is.
#ifndef STIC_CLI_LIMIT_CHECK_H
#define STIC_CLI_LIMIT_CHECK_H

#include "limit_scene.h"

/// What a run did.
typedef struct CliLimitRun {
    double value;    ///< of what varies
    double time;     ///< how long, s
    double moved;    ///< largest way of a point of a body, turns included, m
    double size;     ///< of the structure, m
    bool falls;      ///< something moved by more than CLI_LIMIT_STILL of the size
    bool stands;     ///< nothing did until the end of the run
    bool solved;     ///< every step was
    SticError error; ///< why it ended early, if it did
} CliLimitRun;

/// Way that rounding and tolerances explain, as a part of the size of the structure.
#define CLI_LIMIT_STILL 1e-7

/// Run the scene at a value.
CliExit cli_limit_check(const CliVaried* varied, double value, CliLimitRun* run);

#endif
