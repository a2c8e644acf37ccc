// SPDX-License-Identifier: Apache-2.0
// The table of solvers, and projected Newton for nonlinear equations with laws.
#ifndef STICTION_EXTEND_SOLVER_H
#define STICTION_EXTEND_SOLVER_H

#include "stiction/base.h"
#include "stiction/problem.h"
#include "stiction/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Make an info say that nothing was done; memory behind the end of its texts is left as it is.
STIC_API void stic_solve_info_clear(SticSolveInfo* info);
/// The table, ended by a NULL name.
STIC_API extern const SticSolver stic_solver_table[];
/// STIC_OK if a solver handles this problem; if not, STIC_UNSUPPORTED and one sentence in `error`
/// names the solver and the law or the fact. `scratch` is left as it was; it may be NULL if the
/// solver needs no facts.
STIC_API SticStatus stic_solver_accepts(const SticSolver* solver, const SticProblem* problem,
                                        SticArena* scratch, SticError* error);

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
    double inner; ///< tolerance of reactions below which changes are theirs; 0: that of the request
    bool once;    ///< NESTED: the first tangent is all that is wanted
} SticImplicit;

/// Projected Newton for equations with laws (Möller 2.5.5) in the form of
/// request->settings.implicit. NESTED: linearise, solve the tangent problem by `request`, advance.
/// It ends where changes are small or rounding, and goes on for as long as the smallest change
/// halves within max_iterations; where changes stop falling it goes back to the best x and takes
/// half of every step from there on. LITERAL: linearise, one projected step on r, advance; the
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
