// SPDX-License-Identifier: Apache-2.0
// Requests for solvers by name, and their settings from words.
#ifndef STIC_TEST_HELPERS_SOLVE_H
#define STIC_TEST_HELPERS_SOLVE_H

#include "helpers/helpers.h"

#include <stdio.h>
#include <string.h>

#include "stiction/extend/solver.h"

/// Settings of any method.
typedef union TestSettings {
    double align;
    unsigned char bytes[256];
} TestSettings;

/// Default settings, but judged by the relative error: the one that residual.h computes again, and
/// that counts of iterations and hashes in tests were published with.
static inline SticSolveSettings test_solve_settings(void)
{
    SticSolveSettings settings = stic_solve_default_settings();
    settings.norm = STIC_NORM_RELATIVE;
    return settings;
}

/// A request for the solver of a name, with the settings above and a new workspace; the caller
/// destroys the workspace.
static inline SticSolveRequest test_request(const SticContext* context, const char* solver)
{
    SticError error = {0};
    SticSolveRequest request = {.solver = stic_solver_find(solver, &error),
                                .settings = test_solve_settings()};
    if (request.solver == NULL)
        fail_msg("%s", error.text);
    assert_int_equal(stic_workspace_create(context, &request.workspace), STIC_OK);
    return request;
}

/// Settings of a method from words, "form=explicit order=coloured".
static inline void test_settings(const SticSolver* solver, const char* text, TestSettings* settings)
{
    SticError error = {0};
    char words[256];
    test_at_most(solver->fields->size, sizeof settings->bytes);
    test_less(strlen(text), sizeof words);
    stic_fields_default(solver->fields, settings->bytes);
    memcpy(words, text, strlen(text) + 1);
    for (char* word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) {
        char* value = strchr(word, '=');
        assert_non_null(value);
        *value = '\0';
        if (stic_fields_set(solver->fields, settings->bytes, word, value + 1, &error) != STIC_OK)
            fail_msg("%s", error.text);
    }
}

#endif
