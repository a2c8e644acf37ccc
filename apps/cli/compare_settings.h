// SPDX-License-Identifier: Apache-2.0
// What --param and --set of a comparison change, and which of it concerns which scheme.
//
//     --set solver.tolerance=1e-10   every run
//     --set scheme.tolerance=1e-10   every scheme that has the setting
//     --set relaxed.delta=1e-4       the scheme of that name
#ifndef STIC_CLI_COMPARE_SETTINGS_H
#define STIC_CLI_COMPARE_SETTINGS_H

#include "options.h"
#include "stiction/scene.h"

enum { CLI_COMPARE_PAIRS = 256 }; ///< more of each kind are refused

/// Pairs NAME=VALUE in the order of the command line.
typedef struct CliCompareSettings {
    SticSceneAssignment param[CLI_COMPARE_PAIRS], set[CLI_COMPARE_PAIRS];
    int32_t params, sets;
} CliCompareSettings;

/// Take the pairs from the command line; names are copied into the arena.
CliExit cli_compare_settings_take(const CliCall* call, SticArena* arena,
                                  CliCompareSettings* settings);
/// Refuse settings of schemes that concern none of those that run.
CliExit cli_compare_settings_check(const CliCompareSettings* settings, const char* const* scheme,
                                   int32_t count);
/// Keep of `set` what concerns a run of `scheme`; NULL: what concerns no scheme.
void cli_compare_settings_filter(CliCompareSettings* settings, const char* scheme);

#endif
