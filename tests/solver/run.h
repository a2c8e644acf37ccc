// SPDX-License-Identifier: Apache-2.0
// One solve with settings given as text, for the tests of single methods.
#ifndef STIC_TEST_SOLVER_RUN_H
#define STIC_TEST_SOLVER_RUN_H

#include "helpers/solve.h"

enum { RUN_MOST_ROWS = 16384 };

/// Result of a solve.
typedef struct Run {
    SticSolveInfo info;
    double r[RUN_MOST_ROWS], u[RUN_MOST_ROWS];
} Run;

/// Solve with a method's settings as text, "form=explicit order=coloured".
static inline void run_solver(const SticContext* context, const SticProblem* problem,
                              const char* name, const char* text, double tolerance, Run* run)
{
    SticSolveRequest request = test_request(context, name);
    TestSettings settings;
    test_settings(request.solver, text, &settings);
    request.method_settings = settings.bytes;
    request.settings.tolerance = tolerance;
    test_at_most(problem->rows, RUN_MOST_ROWS);
    const SticStatus status = stic_solve(problem, &request, run->r, run->u, &run->info);
    if (status != STIC_OK)
        fail_msg("%s: %s", stic_status_name(status), run->info.error.text);
    stic_workspace_destroy(request.workspace);
}

#endif
