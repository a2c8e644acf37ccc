// SPDX-License-Identifier: Apache-2.0
// The table of solvers, what is needed to write a solver, and projected Newton for nonlinear
// equations with laws.
#ifndef STICTION_EXTEND_SOLVER_H
#define STICTION_EXTEND_SOLVER_H

#include "stiction/base.h"
#include "stiction/extend/problem.h"
#include "stiction/problem.h"
#include "stiction/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Reset an info to its state before a solve; the bytes behind the ends of its texts are left
/// alone.
STIC_API void stic_solve_info_clear(SticSolveInfo* info);
/// The table, ended by a NULL name.
STIC_API extern const SticSolver stic_solver_table[];
/// STIC_OK if a solver handles this problem; if not, STIC_UNSUPPORTED and one sentence in `error`
/// names the solver and the law or the fact. `scratch` is left as it was; it may be NULL if the
/// solver needs no facts.
STIC_API SticStatus stic_solver_accepts(const SticSolver* solver, const SticProblem* problem,
                                        SticArena* scratch, SticError* error);

/* ---- your own solver ---- */

// A solver is a SticSolver that need not be in the table: SticSolveRequest.solver and
// SticRunParts.solver take any. Its method looks like this (all memory is taken before the first
// iteration):
//
//     SticStatus method(SticSolveTask* task)
//     {
//         const SticTaskView view = stic_task_view(task);
//         STIC_TRY(stic_task_operator(task, STIC_FORM_AUTO, &op));
//         STIC_TRY(STIC_TAKE(view.arena, &u, view.problem->rows));
//         do {
//             … one iteration on view.r; `change` measures how far it still moves
//         } while (stic_task_next(task, view.r, work, change));
//         return STIC_OK;
//     }
//
// stic_task_next counts, recomputes the error from the original data when that is due, keeps the
// best r, and says when to stop. No method decides that it has solved the problem. A problem of a
// kind that the method cannot treat at all is returned as STIC_UNSUPPORTED, with a sentence in
// view.info->error.

/// What a method reads and writes.
typedef struct SticTaskView {
    const SticContext* context;        ///< memory, log, seed and threads
    const SticProblem* problem;        ///< shifts folded in: laws hold between r and u as they are
    const SticSolveSettings* settings; ///< common settings
    const void* method;                ///< the struct of solver->fields; NULL: it has none
    SticArena* arena;                  ///< memory that lives as long as the solve
    bool warm;                         ///< the caller gave a start value, else r is 0
    bool brief;                        ///< the caller has another way where this is dear
    double* r;                         ///< [rows] start value; a method may iterate in place
    SticSolveInfo* info;               ///< a method may count factorisations and fallbacks
} SticTaskView;

/// The parts of a task that a method works with.
STIC_API SticTaskView stic_task_view(SticSolveTask* task);
/// The operator of the folded problem in the wanted form, in the task's arena.
STIC_API SticStatus stic_task_operator(SticSolveTask* task, SticForm form, SticOperator** op);
/// End of one iteration that cost `work` multiplications and left `r`: false if the method must
/// stop. `estimate` is a cheap guess of the relative size of the error (any fixed multiple of it
/// will do); negative if there is none.
STIC_API bool stic_task_next(SticSolveTask* task, const double* r, double work, double estimate);
/// The first half of stic_task_next, for methods that must first put r together: count, and say
/// whether stic_task_judge is due.
STIC_API bool stic_task_count(SticSolveTask* task, double work, double estimate);
/// The second half: check r; false if the method must stop.
STIC_API bool stic_task_judge(SticSolveTask* task, const double* r);
/// Recompute the error of r now; true if it meets the tolerance.
STIC_API bool stic_task_check(SticSolveTask* task, const double* r);
/// Stop with an outcome that the method found out (broke down, stalled, …); the error still decides
/// whether r counts as solved.
STIC_API void stic_task_stop(SticSolveTask* task, SticOutcome outcome);
/// Whether the best error did not halve in the last `iterations`.
STIC_API bool stic_task_stalled(const SticSolveTask* task, int32_t iterations);
/// Velocity of the last checked r in the folded problem, as the accurate arithmetic of the check
/// gave it.
STIC_API void stic_task_velocity(const SticSolveTask* task, double* u);
/// The best r seen so far, in the variables of task->problem.
STIC_API void stic_task_best(const SticSolveTask* task, double* r);

/* ---- nonlinear equations with laws ---- */

/// One change of an outer iteration, relative to the size of x.
typedef struct SticImplicitChange {
    double size;  ///< of the change
    double floor; ///< what rounding alone can cause
} SticImplicitChange;

/// f(x, r) = 0 with laws between g(x) and r: nonlinear stages of schemes, nonlinear quasi-statics.
typedef struct SticImplicit {
    void* self; ///< for the callbacks
    /// Tangent at x: M dx = f + H r, u = P' dx + w with M = df/dx, H = -df/dr, f = -f(x, 0), P =
    /// (dg/dx)', w = g(x); global or condensed, then with w where LITERAL is to be used. Memory of
    /// `arena`, valid until the next call.
    SticStatus (*linearise)(void* self, const double* x, SticArena* arena, SticProblem* tangent);
    /// x += dx for the reactions r of the tangent; says how large dx was.
    SticStatus (*advance)(void* self, const double* r, double* x, SticImplicitChange* change);
    SticArena* arena;       ///< memory of one iteration, rewound after it
    int32_t unknowns;       ///< length of x; 0: NESTED cannot go back, and does not damp
    int32_t max_iterations; ///< outer iterations; NESTED: those that may pass without progress
    double tolerance;       ///< relative change that ends them
    double inner; ///< tolerance of the reactions: smaller changes are due to their errors; 0: that
                  ///< of the request
    bool once;    ///< NESTED: stop after the first tangent
} SticImplicit;

/// Projected Newton for equations with laws (Möller 2.5.5) in the form of
/// request->settings.implicit. NESTED: linearise, solve the tangent problem by `request`, advance.
/// It ends when changes are small or at the level of rounding, and continues for as long as the
/// smallest change halves within max_iterations; when changes stop falling it returns to the best x
/// and halves every step from there on. LITERAL: linearise, one projected step on r, advance; the
/// solver of the request is not used. x and r hold start values; info->newton counts. An outer
/// iteration that does not converge gives the outcome STALLED where damping did not help, else
/// ITERATION_LIMIT.
STIC_API SticStatus stic_implicit_solve(const SticImplicit* implicit,
                                        const SticSolveRequest* request, double* x, double* r,
                                        SticSolveInfo* info);

#ifdef __cplusplus
}
#endif

#endif
