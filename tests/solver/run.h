// SPDX-License-Identifier: Apache-2.0
// One solve with settings given as text, for the tests of single methods.
#ifndef STIC_TEST_SOLVER_RUN_H
#define STIC_TEST_SOLVER_RUN_H

#include "helpers/helpers.h"

#include <stdio.h>
#include <string.h>

#include "stiction/solver.h"

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
    SticError error = {0};
    SticWorkspace* workspace = NULL;
    const SticSolver* solver = stic_solver_find(name, &error);
    assert_non_null(solver);
    unsigned char settings[256];
    assert_true(solver->fields->size <= sizeof settings);
    stic_fields_default(solver->fields, settings);
    char words[256];
    snprintf(words, sizeof words, "%s", text);
    for (char* word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) {
        char* value = strchr(word, '=');
        *value = '\0';
        assert_int_equal(stic_fields_set(solver->fields, settings, word, value + 1, &error), 0);
    }
    assert_int_equal(stic_workspace_create(context, &workspace), STIC_OK);
    SticSolveRequest request = {.solver = solver,
                                .settings = stic_solve_default_settings(),
                                .method_settings = settings,
                                .workspace = workspace};
    request.settings.tolerance = tolerance;
    assert_true(problem->rows <= RUN_MOST_ROWS);
    const SticStatus status = stic_solve(problem, &request, run->r, run->u, &run->info);
    if (status != STIC_OK)
        fail_msg("%s: %s", stic_status_name(status), run->info.error.text);
    stic_workspace_destroy(workspace);
}

#endif
