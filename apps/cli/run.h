// SPDX-License-Identifier: Apache-2.0
// A run on the command line: what `stiction run` and `stiction resume` share.
#ifndef STIC_CLI_RUN_H
#define STIC_CLI_RUN_H

#include "certify_options.h"
#include "files.h"
#include "interrupt.h"
#include "json.h"
#include "options.h"
#include "run_histories.h"
#include "stiction/extend/live.h"
#include "stiction/extend/result.h"
#include "stiction/extend/scene.h"

/// Options of both commands; cli_run_options reads them.
#define CLI_RUN_OPTIONS                                                                            \
    {"threads", 0, "N", "threads (default 1); the results do not depend on it"},                   \
        CLI_OPTION_EXISTENCE,                                                                      \
        {"dump-problems", 0, "STEPS",                                                              \
         "write one-step problems as files for 'stiction solve' (FCLIB) beside the result: "       \
         "when-hard, or 'every N' steps"},                                                         \
    {                                                                                              \
        "json", 0, NULL, "print JSON objects, one per line"                                        \
    }

/// The option that shows a run in the browser.
#define CLI_VIEW_OPTION                                                                            \
    {                                                                                              \
        "view", 0, NULL, "show the run in a browser while it goes on, with pause and stop"         \
    }

/// When the one-step problems of a run are written.
typedef enum CliWhen {
    CLI_WHEN_NEVER,
    CLI_WHEN_HARD, ///< not solved, or more than half of the iterations allowed
    CLI_WHEN_DUE   ///< every `dump_every` steps
} CliWhen;

/// What the progress of a run remembers between two measurements of its rate.
typedef struct CliProgress {
    double at;    ///< clock at the last one, s; 0: none yet
    int64_t step; ///< steps made then
    double rate;  ///< steps a second of late
} CliProgress;

/// A run with everything that belongs to it.
typedef struct CliRun {
    const CliCall* call;
    SticContext context; ///< with the threads
    SticScene* scene;
    SticSimulation* simulation;
    SticOutput* output;
    char result[CLI_PATH];
    CliInquiry inquiry;
    CliWhen dump;
    int64_t dump_every;
    bool json;
    double until;            ///< --until, 0: not given
    CliInterrupt* interrupt; ///< NULL: interrupts end the program
    CliHistories histories;
    SticLive* live; ///< NULL: nobody looks
    // of the step that runs
    SticArena* scratch;
    int32_t verdict;              ///< as SticStepExtra.existence
    SticCertificate certificate;  ///< what decides it
    int64_t dumped;               ///< problems written so far
    bool undumped;                ///< a problem could not be held by a file, said once
    bool said[STIC_NOTICE_COUNT]; ///< notices that need not be printed when they come
    bool renamed;                 ///< the default name was taken
    SticError watch_error;
    bool not_finite;    ///< the run stopped at a number that is not finite
    bool refused;       ///< the run stopped at a step that its solver or scheme does not take
    SticOutcome failed; ///< outcome of the step that stopped the run; SOLVED: another reason
    // sums
    double begin, stepping, solving, writing; ///< clock at the first step; seconds
    double opening;                           ///< seconds of `writing` that were spent before it
    bool fresh;                               ///< resume: begins at the start
    uint64_t origin;                          ///< resume: of the scene in the result
    int64_t first_step;                       ///< steps made when this run began
    CliProgress progress;
    int64_t verdicts[1 + STIC_VERDICT_COUNT];
} CliRun;

/// Options of both commands into a cleared run; --until is checked.
CliExit cli_run_options(const CliCall* call, CliRun* run);
/// Build the simulation of run->scene.
CliExit cli_run_build(CliRun* run);
/// What goes into the result file; texts are the caller's.
SticOutputDef cli_run_output(const CliRun* run);
/// From here on an interrupt ends the run after a step, with a snapshot; cli_run_clear undoes it.
/// To be called before the result is touched.
void cli_run_hold(CliRun* run);
/// Steps until the end, an interrupt or a failure, then the summary. The output is closed.
CliExit cli_run_loop(CliRun* run);
/// Whether SIGINT or SIGTERM has come since cli_run_hold.
bool cli_run_interrupted(const CliRun* run);
/// Give everything back.
void cli_run_clear(CliRun* run);

/// Show the one-step problems to run_watch.c.
void cli_run_watch(CliRun* run);
/// After a step: a bar for people who watch, or lines at every tenth of the run.
void cli_run_progress(CliRun* run, const SticStepInfo* info);
/// Remove the bar.
void cli_run_progress_end(void);
/// Leave out what an earlier part of the run has said.
void cli_notices_begin(CliRun* run);
/// Print what there is to notice for the first time.
void cli_notices_step(CliRun* run);
/// All of it, at the end of the summary.
void cli_notices_print(const CliRun* run);
/// The same as an array of objects.
void cli_notices_json(CliJson* json, const CliRun* run);
/// What was done, and what to do next.
void cli_run_summary(CliRun* run, const char* why);

#endif
