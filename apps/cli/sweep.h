// SPDX-License-Identifier: Apache-2.0
// A sweep: one scene at many values of its parameters, each point a result file of its own.
//
// What was done lies in the folder and nowhere else: a point is finished when its result has reached
// its end, begun when there is a result that has not, and open when there is none. A sweep that was
// killed goes on with the same command, and so does one whose workers were.
#ifndef STIC_CLI_SWEEP_H
#define STIC_CLI_SWEEP_H

#include <sys/types.h>

#include "files.h"
#include "options.h"

enum { CLI_SWEEP_PARAMS = 16, CLI_SWEEP_NAME = 64, CLI_SWEEP_VALUE = 64, CLI_SWEEP_WORDS = 256 };

/// One parameter with the values it takes.
typedef struct CliSweepParam {
    char name[CLI_SWEEP_NAME];
    int32_t count;
    char (*value)[CLI_SWEEP_VALUE]; ///< [count] as text
} CliSweepParam;

/// How a point stands.
typedef enum CliPointState {
    CLI_POINT_OPEN,  ///< there is no result yet
    CLI_POINT_BEGUN, ///< its result has not reached its end
    CLI_POINT_DONE,  ///< it has
    CLI_POINT_FAILED ///< it will not
} CliPointState;

/// One point of a sweep.
typedef struct CliPoint {
    CliPointState state;
    int32_t exit;   ///< exit code of the last process; -1: none, or it was killed
    int32_t tries;  ///< processes started for it by this sweep
    double reached; ///< time of its last frame when the last process began; below 0: none
    pid_t child;    ///< process at work; 0: none
} CliPoint;

/// A sweep.
typedef struct CliSweep {
    const CliCall* call;
    char folder[CLI_PATH];
    int32_t params;
    CliSweepParam param[CLI_SWEEP_PARAMS]; ///< the last one changes fastest
    int32_t points;
    CliPoint* point; ///< [points]
    int32_t jobs;    ///< processes at a time
    int lock;        ///< descriptor of the folder's lock, -1: none; children inherit it
    int point_lock;  ///< the same of one point, for a sweep of that point alone
} CliSweep;

/* ---- plan ---- */

/// Read the --param options into a plan of points, all open.
CliExit cli_sweep_plan(const CliCall* call, CliSweep* sweep);
/// Give the memory of a plan back.
void cli_sweep_clear(CliSweep* sweep);
/// Value of parameter p at point k.
const char* cli_sweep_value(const CliSweep* sweep, int32_t k, int32_t p);
/// Name of a file of point k: DIR/point-0001 + ending.
void cli_sweep_file(const CliSweep* sweep, int32_t k, const char* ending, char name[CLI_PATH]);
/// Make the folder, take its lock and keep the plan there, or check that it is the one it holds;
/// see how its points stand. `only` below 0: no other sweep may be at work in the folder; else at
/// this point only, and that one is waited for.
CliExit cli_sweep_open(CliSweep* sweep, int32_t only);
/// See in the folder how point k stands.
void cli_sweep_look(CliSweep* sweep, int32_t k);

/* ---- work ---- */

/// Run all points that are not done, or only point `only` (-1: all), and say how far it is. True if
/// it was told to stop.
bool cli_sweep_work(CliSweep* sweep, int32_t only);

/* ---- table ---- */

/// Write DIR/sweep.csv: one row per point with its parameters, how it ended and what it holds.
CliExit cli_sweep_table(const CliSweep* sweep);
/// Write a job script for SLURM with one task per point.
CliExit cli_sweep_slurm(const CliSweep* sweep, const char* path);

#endif
