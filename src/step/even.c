// SPDX-License-Identifier: Apache-2.0
// A problem whose solution is followed: equal contacts get equal reactions.
//
// Impacts and inclusions with friction may have several solutions, and points of a patch share a
// load in many ways. Sweeps from contact to contact find one that depends on the order of the
// contacts: a row of dominoes that falls straight was left to rock from corner to corner, thousands
// of impacts for nothing, and a body that slides between two equal pads turned. Interior points
// follow the central path, which knows no order: what is symmetric stays so, up to rounding. They
// are asked first where the run leaves the choice of the solver open; where they do not reach the
// tolerance, its own solver is.
#include <string.h>

#include "step/stage.h"

#include "stiction/extend/base.h"

// error, unit-free, from which on the rest is left to the run's solver
#define NEAR 1e-6

SticStatus stic_parts_solve_evenly(SticStepper* stepper, const SticProblem* problem, double* r,
                                   double* u, SticStepInfo* info)
{
    SticArena* arena = stepper->arena;
    const SticArenaMark mark = stic_arena_mark(arena);
    const SticSolveRequest request = stepper->solve;
    double* start = NULL;
    // one contact shares nothing
    if (problem->count < 2 || strcmp(request.solver->name, "auto") != 0 ||
        stepper->branch.rule != STIC_BRANCH_SOLVER)
        return stic_parts_solve(stepper, problem, r, u, info);
    STIC_TRY(STIC_TAKE(arena, &start, problem->rows));
    if (problem->rows > 0)
        memcpy(start, r, (size_t)problem->rows * sizeof *start);
    stepper->solve.solver = stic_solver_find("interior-point", &info->error);
    stepper->solve.method_settings = NULL;
    const SticStatus status = stic_parts_solve(stepper, problem, r, u, info);
    stepper->solve = request;
    if (status == STIC_OK && info->solve.outcome == STIC_OUTCOME_SOLVED) {
        stic_arena_rewind(arena, mark);
        return STIC_OK;
    }
    if (status != STIC_OK && status != STIC_UNSUPPORTED)
        return status;
    // a law that interior points do not know is no fault of the step
    stic_error_clear(&info->error);
    // a solution that is not yet exact is the start
    if (problem->rows > 0 && !(status == STIC_OK && info->solve.errors.unit_free <= NEAR))
        memcpy(r, start, (size_t)problem->rows * sizeof *start);
    stic_arena_rewind(arena, mark);
    return stic_parts_solve(stepper, problem, r, u, info);
}
