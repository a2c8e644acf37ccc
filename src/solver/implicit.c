// SPDX-License-Identifier: Apache-2.0
// Nonlinear equations coupled to laws: Newton outside, the linear inclusion inside.
//
//   f(x, r) = 0,  g(x) obeys the laws with r          (Möller 2.69)
//   repeat: tangent problem at x -> r; x += dx(r)      until the change of x is small
//
// The reactions are those of the last tangent problem, not increments, so that nothing accumulates;
// the laws are never differentiated. Möller's literal form takes one projected step on r per Newton
// step instead of solving the inclusion; with the same fixed points it needs many more iterations
// and fails now and then (2.8). Cost: one linearisation and one linear inclusion per iteration, 2
// to 5 iterations as a rule.
#include "stiction/solver.h"

#include <math.h>

// Converged at the tolerance; or when the changes no longer shrink at a level that rounding
// explains: that of the tangent system (1e-9 leaves room for condition numbers up to 1e7), what the
// equations state themselves, or the tolerance of the inner solve
static bool converged(const SticImplicit* implicit, const SticImplicitChange* change,
                      double smallest, double inner_tolerance)
{
    double level = change->floor > 1e-9 ? change->floor : 1e-9;
    level = level > 100.0 * inner_tolerance ? level : 100.0 * inner_tolerance;
    return change->size <= implicit->tolerance ||
           (change->size <= level && change->size >= 0.5 * smallest);
}

SticStatus stic_implicit_solve(const SticImplicit* implicit, const SticSolveRequest* request,
                               double* x, double* r, SticSolveInfo* info)
{
    double smallest = INFINITY;
    for (int32_t iteration = 1;; ++iteration) {
        const SticArenaMark mark = stic_arena_mark(implicit->arena);
        SticProblem tangent;
        SticImplicitChange change = {0};
        double* u = NULL;
        STIC_TRY(implicit->linearise(implicit->self, x, implicit->arena, &tangent));
        STIC_TRY(STIC_TAKE(implicit->arena, &u, tangent.rows));
        STIC_TRY(stic_solve(&tangent, request, r, u, info));
        STIC_TRY(implicit->advance(implicit->self, r, x, &change));
        stic_arena_rewind(implicit->arena, mark);
        info->newton = iteration;
        if (converged(implicit, &change, smallest, request->settings.tolerance))
            return STIC_OK;
        if (iteration == implicit->max_iterations) {
            // the inclusion may be solved, the equations are not
            info->outcome = STIC_OUTCOME_STALLED;
            return STIC_OK;
        }
        smallest = change.size < smallest ? change.size : smallest;
    }
}
