// SPDX-License-Identifier: Apache-2.0
// Internals of a task: what the methods of the library know about it besides extend/solver.h, which
// shows the shape of a method.
#ifndef STIC_SOLVER_TASK_H
#define STIC_SOLVER_TASK_H

#include "problem/gauge.h"
#include "solver/sweep.h"
#include "stiction/extend/solver.h"
#include "stiction/extend/sparse.h"

enum { STIC_HISTORY_SIZE = 4096 };

enum {
    STIC_ATTEMPTS = 64,                     ///< rows that the table of `auto` may have, and
    STIC_ATTEMPT_SWEEPS = STIC_ATTEMPTS - 1 ///< the sweeps before them
};

/// What one attempt of `auto` did in all solves of a workspace.
typedef struct SticAttemptCount {
    int64_t tried, won; ///< times
    double work;        ///< multiplications
} SticAttemptCount;

struct SticWorkspace {
    SticContext context;
    SticArena* arena;           ///< memory of the solve that runs
    bool borrowed;              ///< the arena is the caller's, who goes on using it
    SticHistoryRecord* history; ///< [STIC_HISTORY_SIZE]
    SticPatternCache patterns;
    SticAttemptCount attempts[STIC_ATTEMPTS]; ///< of `auto`, by the number of the row
    uint64_t without;                         ///< rows that are left out, for ablations
    double
        most_work; ///< multiplications after which a task is interrupted, for comparisons; 0: none
    SticArena* kept;               ///< memory of what outlives a solve: the next line
    const struct SticChain* chain; ///< elimination of the last solve; NULL: it made none
};

/// A workspace whose solves take memory from the end of `arena`, and give it back: what is needed
/// before and after a solve and what it needs itself do not stand side by side. `arena` must outlive
/// it.
SticStatus stic_workspace_create_in(SticArena* arena, SticWorkspace** workspace);

/// Limits of a method that runs as one of several, in its own iterations; all 0: none.
typedef struct SticTaskLimits {
    int32_t start;       ///< iteration at which it began, also where it has no limits
    int32_t end;         ///< iteration at which it must end
    double since;        ///< multiplications at which it began
    double work;         ///< and at which it must end; 0: no limit
    int32_t window;      ///< iterations over which the convergence is looked at
    int32_t window_at;   ///< first of those that are looked at now
    double window_error; ///< best error there
} SticTaskLimits;

struct SticSolveTask {
    // what a method may read
    const SticContext* context;
    const SticProblem* problem; ///< shifts folded in: laws hold between r and u as they are
    const SticSolveSettings* settings;
    const void* method;         ///< its own settings, never NULL
    SticArena* arena;           ///< lives as long as the solve
    SticPatternCache* patterns; ///< of the workspace
    SticAttemptCount* attempts; ///< of the workspace
    uint64_t without;           ///< of the workspace
    double last_work;           ///< most_work of the workspace
    SticOperator* op;           ///< of `problem`, made by whoever shares it; NULL: none
    SticSweep* sweep;           ///< set up by whoever runs several methods, to share; NULL: none
    bool warm;                  ///< the caller gave a start value
    bool brief;                 ///< as SticSolveRequest.brief
    const double* given;        ///< [rows] that start, for those who begin again; NULL: none
    bool part;                  ///< an island of another task, whose factors of joints live on
    bool rests;                 ///< sweeps have found that faces rest on each other
    double b_norm;              ///< norm of b, what the relative error is divided by
    // what it may write
    double* r;           ///< [rows] start value; a method may iterate in place
    SticSolveInfo* info; ///< factorisations, fallbacks, lipschitz, method

    // kept by the functions below
    const SticProblem* original; ///< as handed in
    SticGauge* gauge;
    SticHistoryRecord* history;
    int32_t history_stride;
    double start;          ///< clock at the start
    double enough;         ///< error below which the work is limited; 0: none
    double most_work;      ///< that limit, from then on; 0: not yet
    double since_check;    ///< work since the last check
    int32_t last_check;    ///< iteration of it
    double estimate;       ///< of the method, at the last count
    double prediction;     ///< true error over estimate at the last check
    int32_t misses;        ///< checks that were predicted to pass and did not
    double error;          ///< chosen error at it
    double best_error;     ///< smallest seen
    double *best, *best_u; ///< [rows] the r and u that gave it, in original variables
    SticErrors best_errors;
    SticTaskLimits stage;
    double halved_error;     ///< best error when it last halved
    int32_t halved_at;       ///< iteration of that
    double *trial, *trial_u; ///< [rows] r and u of the last check, original variables
    SticErrors trial_errors; ///< of them
    bool measured;           ///< there was such a check
    bool solved;
    bool stopped;     ///< an outcome was decided
    bool interrupted; ///< by the context: the solve ends with that status
    double asked;     ///< info->work when the context was last asked
    SticOutcome outcome;
    SticStatus status; ///< of a check that could not be computed
};

/// Ask the context whether to stop, if enough work was done since; true: the task is stopped.
bool stic_task_interrupted(SticSolveTask* task, double work);
/// Whether errors are at or below the tolerance in the chosen norm, or (`at_floor`) as small as
/// double precision allows.
bool stic_task_passes(const SticSolveSettings* settings, const SticErrors* errors, bool* at_floor);
/// The same, and r is what the solve returns even if another one had a smaller error: for methods
/// whose answer is not the exact one.
bool stic_task_settle(SticSolveTask* task, const double* r);
/// Begin a stage of at most `iterations`: stic_task_judge ends it, without an outcome, there or
/// where the error falls too slowly over a window to reach the tolerance in the rest of them. Both
/// 0: no stage.
void stic_task_stage(SticSolveTask* task, int32_t iterations, int32_t window);
/// And where it has made so many multiplications.
void stic_task_stage_work(SticSolveTask* task, double work);

/// stic_patterns_symbolic of the workspace; counts the analyses.
SticStatus stic_task_symbolic(SticSolveTask* task, SticPatternSlot slot, const SticBlockCsr* A,
                              SticSymbolic** symbolic);

/// Fill in what every solve starts with; `r` is the caller's start value.
SticStatus stic_task_begin(SticSolveTask* task, const SticSolveRequest* request,
                           const SticProblem* problem, const double* r, SticSolveInfo* info);
/// Check the last iterate if it was not, and decide the outcome from the best.
SticStatus stic_task_end(SticSolveTask* task, double* r, double* u);

#endif
