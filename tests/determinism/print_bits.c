// SPDX-License-Identifier: Apache-2.0
// Prints hashes of results: tools/check_bits compares what different compilers and optimisation
// levels print.
//
// One line per model and scheme (state after some steps) and one per shipped problem and solver
// (reactions), solvers once without and once with two threads. Only what is marked strict takes
// part.
#include <stdio.h>
#include <string.h>

#include "stiction/stiction.h"

static SticChart chart_for(const SticModel* model, const SticScheme* scheme)
{
    static const SticChart order[] = {STIC_CHART_QUATERNION, STIC_CHART_ROTATION,
                                      STIC_CHART_SCALABLE};
    for (int i = 0; i < 3; ++i)
        if (model->charts & scheme->charts & STIC_CHART_BIT(order[i]))
            return order[i];
    return STIC_CHART_LINEAR;
}

static int run_cell(const SticModel* model, const SticScheme* scheme)
{
    const SticContext context = stic_context_default();
    const SticChart chart = chart_for(model, scheme);
    double parameters[64];
    SticSystem* system = NULL;
    SticRun* run = NULL;
    SticRunDef def = stic_run_default_def();
    SticStepInfo info;
    if (model->charts != 0 && chart == STIC_CHART_LINEAR)
        return 0;
    stic_fields_default(model->fields, parameters);
    if (model->create(&context, parameters, chart, &system, NULL) != STIC_OK)
        return 1;
    def.system = system;
    def.scheme = scheme;
    def.step = strcmp(model->name, "oscillator") == 0 ? 5e-5 : 1e-3;
    def.policy = STIC_POLICY_CONTINUE;
    if (stic_run_create(&context, &def, &run, NULL) == STIC_OK) {
        model->start(parameters, chart, stic_run_state(run));
        int steps = 0;
        while (steps < 50 && stic_run_step(run, &info) == STIC_OK)
            ++steps;
        printf("%-24s %-13s %2d steps %016llx\n", model->name, scheme->name, steps,
               (unsigned long long)stic_run_hash(run));
    }
    stic_run_destroy(run);
    stic_small_destroy(system);
    return 0;
}

static int solve_file(const char* path, const SticSolver* solver, int32_t threads)
{
    SticContext context = stic_context_default();
    SticWorkspace* workspace = NULL;
    SticProblemStore* store = NULL;
    SticError error = {0};
    double *r = NULL, *u = NULL;
    if (stic_pool_create(&context, threads, &context.pool) != STIC_OK ||
        stic_workspace_create(&context, &workspace) != STIC_OK ||
        stic_problem_read(&context, path, STIC_FORMAT_AUTO, &store, &error) != STIC_OK) {
        fprintf(stderr, "%s: %s\n", path, error.text);
        return 1;
    }
    const SticProblem* problem = stic_problem_view(store);
    SticSolveRequest request = {
        .solver = solver, .settings = stic_solve_default_settings(), .workspace = workspace};
    request.settings.max_iterations = 500;
    if (STIC_ALLOCATE(&context, &r, problem->rows) != STIC_OK ||
        STIC_ALLOCATE(&context, &u, problem->rows) != STIC_OK)
        return 1;
    SticSolveInfo info = {0};
    if (stic_solve(problem, &request, r, u, &info) == STIC_OK) {
        const uint64_t hash = stic_hash_doubles(0, r, (size_t)problem->rows);
        const char* name = strrchr(path, '/');
        printf("%-24s %-13s %d threads, %d iterations %016llx\n", name ? name + 1 : path,
               solver->name, threads, info.iterations,
               (unsigned long long)stic_hash_doubles(hash, u, (size_t)problem->rows));
    }
    STIC_RELEASE(&context, r, problem->rows);
    STIC_RELEASE(&context, u, problem->rows);
    stic_problem_destroy(store);
    stic_workspace_destroy(workspace);
    stic_pool_destroy(context.pool);
    return 0;
}

int main(int count, char** files)
{
    int failed = 0;
    for (int i = 0; stic_model_table[i] != NULL; ++i)
        for (int s = 0; stic_scheme_table[s].name != NULL; ++s)
            if (stic_scheme_table[s].determinism == STIC_STRICT)
                failed += run_cell(stic_model_table[i], &stic_scheme_table[s]);
    for (int f = 1; f < count; ++f)
        for (int s = 0; stic_solver_table[s].name != NULL; ++s)
            for (int32_t threads = 1; threads <= 2; ++threads)
                if (stic_solver_table[s].determinism == STIC_STRICT)
                    failed += solve_file(files[f], &stic_solver_table[s], threads);
    return failed == 0 ? 0 : 1;
}
