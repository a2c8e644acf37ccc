// SPDX-License-Identifier: Apache-2.0
// Numbers that a scene wants measured: the CSV of histories and the reference values.
#ifndef STIC_CLI_RUN_HISTORIES_H
#define STIC_CLI_RUN_HISTORIES_H

#include <stdio.h>

#include "options.h"
#include "stiction/extend/scene.h"

/// Histories of a run.
typedef struct CliHistories {
    FILE* csv; ///< NULL: the scene names no histories
    char path[4096];
    bool partial;     ///< the run was resumed: extremes before that are not known
    double resume_at; ///< when, s
    int64_t stored;   ///< steps made at the last row; -1: there is none
} CliHistories;

/// Where the rows of an earlier part of a run end.
typedef struct CliHistoriesStart {
    double at;      ///< time of the state that the run goes on from, s; negative: it begins
    bool due;       ///< that state is a row of the schedule, and not only the last one of that part
    int64_t frames; ///< of the result up to that state: as many as there should be rows
} CliHistoriesStart;

/// Open NAME.csv beside a result; rows of an earlier part of the run stay.
CliExit cli_histories_open(const SticContext* context, SticSimulation* simulation,
                           const char* result, CliHistoriesStart start, CliHistories* histories);
/// A row of the present state, unless it is the last row already.
CliExit cli_histories_row(CliHistories* histories, SticSimulation* simulation);
/// Close the file; false if it could not be written.
bool cli_histories_close(CliHistories* histories);
/// What became of a check.
typedef enum CliChecked {
    CLI_CHECK_JUDGED,      ///< its time has come
    CLI_CHECK_AHEAD,       ///< its time has not come
    CLI_CHECK_BEFORE,      ///< it was before the run was resumed
    CLI_CHECK_PARTLY_SEEN, ///< it is about an extreme, and part of that was before
} CliChecked;
/// What became of check i.
CliChecked cli_histories_checked(const CliHistories* histories, const SticSimulation* simulation,
                                 int32_t i);
/// Print the checks that were measured; the number of those that failed.
int32_t cli_histories_checks(const CliHistories* histories, const SticSimulation* simulation,
                             bool quiet);

#endif
