// SPDX-License-Identifier: Apache-2.0
// One table of solvers for the one-step problem.
//
// No solver decides by itself that a problem is solved: stic_solve recomputes the error from the
// original data, and that number decides the outcome.
#ifndef STICTION_SOLVER_H
#define STICTION_SOLVER_H

#include "stiction/base.h"
#include "stiction/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Numerical outcome of a solve; not an error.
typedef enum SticOutcome {
    STIC_OUTCOME_SOLVED, ///< the recomputed error is at or below the tolerance (SICONOS: and the
                         ///< relative one at or below 0.1, so that no diverging r passes)
    STIC_OUTCOME_ITERATION_LIMIT, ///< iterations used up
    STIC_OUTCOME_TIME_LIMIT,      ///< seconds used up
    STIC_OUTCOME_STALLED,         ///< the error no longer falls
    STIC_OUTCOME_DIVERGED,        ///< the iterates grew without bound or became non-finite
    STIC_OUTCOME_BROKE_DOWN,      ///< a linear system could not be solved
    STIC_OUTCOME_NO_SOLUTION,     ///< proved by a certificate that was verified; no solver says so,
                                  ///< stic_existence_conclude does
    STIC_OUTCOME_COUNT ///< how many there are; also that of a solve that could not be tried
} SticOutcome;

/// Name of an outcome, such as "iteration-limit"; "not-tried" for STIC_OUTCOME_COUNT.
STIC_API const char* stic_outcome_name(SticOutcome outcome);

/// How stic_implicit_solve couples equations and laws.
typedef enum SticImplicitForm {
    STIC_IMPLICIT_NESTED, ///< Newton outside, the linear inclusion inside
    STIC_IMPLICIT_LITERAL ///< one projected step on the reactions per Newton step (Möller 2.72)
} SticImplicitForm;

/// Settings common to all solvers.
typedef struct SticSolveSettings {
    double tolerance;       ///< stop when the chosen error is at or below this
    int32_t norm;           ///< SticNorm, STIC_NORM_UNIT_FREE unless set
    int32_t max_iterations; ///< iterations in the method's own unit (sweeps, Newton steps)
    double max_seconds;     ///< wall-clock limit; 0: none (a limit makes the result `free`)
    bool warm_start;        ///< start from the r passed in instead of 0
    bool keep_history;      ///< record the error at each check
    bool per_island;        ///< every island (bodies connected by interactions) is solved and must
                            ///< pass by itself; errors are those of the worst one
    int32_t implicit;       ///< SticImplicitForm, for nonlinear equations with laws
    double implicit_alpha;  ///< LITERAL: alpha of its projected steps
} SticSolveSettings;

/// Names, ranges and defaults of SticSolveSettings.
STIC_API extern const SticFieldTable stic_solve_fields;
/// Defaults of stic_solve_fields.
STIC_API SticSolveSettings stic_solve_default_settings(void);

/// One line of a solver's history.
typedef struct SticHistoryRecord {
    int32_t iteration; ///< iterations done
    double error;      ///< in the chosen norm, recomputed in full
    double seconds;    ///< since the start
} SticHistoryRecord;

/// What a solve did. Zero-initialise before the first solve. The history, if kept, lives in the
/// workspace until its next solve.
typedef struct SticSolveInfo {
    SticOutcome outcome;    ///< decided by `errors`
    int32_t iterations;     ///< in the method's own unit
    int32_t newton;         ///< outer iterations of stic_implicit_solve
    double newton_change;   ///< the last relative change of its unknowns
    double newton_floor;    ///< what rounding alone can make of that change
    double newton_part;     ///< part of each step that it took in the end: 1 unless it had to be
                            ///< damped
    double newton_ratio;    ///< that change over the limit that ends the iteration, if it did not
                            ///< converge; else 0
    int32_t factorisations; ///< numerical factorisations of a large matrix
    int32_t analyses;       ///< symbolic analyses of a pattern that the workspace did not know
    int32_t checks;         ///< times the error was recomputed
    int64_t fallbacks;      ///< local solves that needed the fallback method
    double seconds;         ///< wall clock, set-up included; 0 for a few rows, see stic_solve
    double work;            ///< counted work, in multiplications; the same on every machine
    SticErrors errors;      ///< recomputed
    double tolerance;       ///< asked of the island with the largest `ratio`, or of the whole
    double ratio;           ///< largest error over tolerance of an island; one that is at its floor
                            ///< counts as at most 1
    int32_t islands_short;  ///< islands that were solved, but missed their aim
    double aim_ratio;       ///< as `ratio`, against the aims
    bool at_floor;          ///< solved only to what double precision allows, errors.floor
    const char* method;     ///< name of the solver whose r is returned (auto names its winner)
    double lipschitz;       ///< estimate of the contraction factor, 0 if the method has none
    const SticHistoryRecord* history; ///< [history_count] if asked for, thinned out when long
    int32_t history_count;            ///< records kept
    SticError error;                  ///< filled when stic_solve does not return STIC_OK
} SticSolveInfo;

/// Which results a solver promises to reproduce.
typedef enum SticDeterminism {
    STIC_STRICT,  ///< same bits for any thread count, compiler and optimisation level
    STIC_LIBRARY, ///< same bits for identical installed libraries and CPU type
    STIC_FREE     ///< no promise
} SticDeterminism;

/// What a method gets to work with; see extend/solver.h.
typedef struct SticSolveTask SticSolveTask;

/// A solver: an entry of the table, or one of your own.
typedef struct SticSolver {
    const char* name;                       ///< as on the command line
    const char* text;                       ///< one sentence with its source
    uint32_t laws;                          ///< mask of STIC_LAW_BIT it handles
    uint32_t facts;                         ///< STIC_FACT_* it needs of the problem
    SticDeterminism determinism;            ///< what it promises to reproduce
    const SticFieldTable* fields;           ///< its own settings; NULL: none
    SticStatus (*run)(SticSolveTask* task); ///< the method
    bool keeps_start; ///< a start value with a larger error than 0 is used all the same: it tells
                      ///< which contacts are closed, stick and slip
} SticSolver;

/// Entry by name, or NULL with a suggestion in `error`.
STIC_API const SticSolver* stic_solver_find(const char* name, SticError* error);

/// Memory and symbolic factorisations that a sequence of solves shares, so that repeated solves of
/// problems of one size allocate nothing.
typedef struct SticWorkspace SticWorkspace;

/// Make a workspace with the context's memory and threads.
STIC_API SticStatus stic_workspace_create(const SticContext* context, SticWorkspace** workspace);
/// Destroy a workspace; NULL is allowed.
STIC_API void stic_workspace_destroy(SticWorkspace* workspace);

/// What to solve with.
typedef struct SticSolveRequest {
    const SticSolver* solver;    ///< of the table, or any other
    SticSolveSettings settings;  ///< common settings
    const void* method_settings; ///< the struct of solver->fields; NULL: its defaults
    SticWorkspace* workspace;    ///< memory
    /// [interactions of the problem] what to aim at in each, in [0, 1]; an island aims at the
    /// largest of its own. Where that is below settings.tolerance, the island counts as solved once
    /// it has reached settings.tolerance, and continues towards its aim for a limited amount of
    /// work only. NULL: settings.tolerance for all.
    const double* tolerance;
    /// The caller has another way where a problem in motion (a tolerance of 1e-3 or more) is dear, as
    /// runs have that make the step in halves: `auto` then stops where it would begin anew from
    /// another start, and the outcome is STIC_OUTCOME_ITERATION_LIMIT.
    bool brief;
    /// The matrices of the problem fit together, as those that steps make do: `auto` looks through
    /// them, and for numbers that are not finite, only where sweeps or elimination straight from the
    /// data do not solve the problem.
    bool fits;
} SticSolveRequest;

/// Solve: r (start value if warm_start) and u are [rows] each. The status is STIC_OK whatever the
/// outcome, which is in `info`; any other status means that the solve could not be tried (law not
/// handled, bad data, out of memory): the outcome is STIC_OUTCOME_COUNT then, and info->error says
/// why. Problems of a few rows take a dense path of nsgs that costs about as much as reading the
/// clock would, so they report no time.
STIC_API SticStatus stic_solve(const SticProblem* problem, const SticSolveRequest* request,
                               double* r, double* u, SticSolveInfo* info);
/// The same by the name of a solver, with the defaults of all settings and a workspace of its own.
STIC_API SticStatus stic_solve_named(const SticContext* context, const SticProblem* problem,
                                     const char* solver, double* r, double* u, SticSolveInfo* info);

#ifdef __cplusplus
}
#endif

#endif
