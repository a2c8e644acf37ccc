// SPDX-License-Identifier: Apache-2.0
// What `stiction limit` says: bounds, mode of failure in words, runs on both sides.
#ifndef STIC_CLI_LIMIT_REPORT_H
#define STIC_CLI_LIMIT_REPORT_H

#include "files.h"
#include "limit_check.h"
#include "limit_search.h"

/// Everything that is known in the end.
typedef struct CliLimitAnswer {
    const CliLimitSearch* search;
    CliLimit limit[STIC_LIMIT_CONE_COUNT];
    int32_t contacts, bodies;
    const SticWorld* world;
    const SticLimitJoint* joint; ///< [joints] those that move first
    int32_t joints;
    int32_t hinging, sliding, both; ///< joints that move
    bool disordered;                ///< a smaller cone stands further than a larger one
    int32_t runs;                   ///< 0: none were made
    double part;                    ///< distance of the runs from the limit
    CliLimitRun run[2]; ///< on the standing side, on the falling one; where there is no limit and
                        ///< all stands: at values that were asked for
    char result[CLI_PATH];
} CliLimitAnswer;

/// The value that is the limit: the middle of both bounds, or the one that is known.
double cli_limit_value(const CliLimit* limit);
/// Count how joints move.
void cli_limit_count(CliLimitAnswer* answer);
/// For people.
void cli_limit_print(const CliLimitAnswer* answer);
/// For programs.
void cli_limit_json(const CliLimitAnswer* answer);

#endif
