// SPDX-License-Identifier: Apache-2.0
// Prints hashes of results: tools/check_bits compares what different compilers and optimisation
// levels print.
//
// One line per model and scheme and per world and scheme (state after some steps) and one per
// shipped problem and solver (reactions), solvers once without and once with two threads. Only what
// is marked strict takes part.
#include <stdio.h>
#include <string.h>

#include "stiction/extend/base.h"
#include "stiction/extend/body.h"
#include "stiction/extend/run.h"
#include "stiction/extend/solver.h"
#include "stiction/extend/world.h"
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
    SticRunParts def = stic_run_default_parts();
    SticStepInfo info;
    def.solve.tolerance = 1e-8;
    if (model->charts != 0 && chart == STIC_CHART_LINEAR)
        return 0;
    stic_fields_default(model->fields, parameters);
    if (model->create(&context, parameters, chart, &system, NULL) != STIC_OK)
        return 1;
    def.system = system;
    def.scheme = scheme;
    def.step = strcmp(model->name, "oscillator") == 0 ? 5e-5 : 1e-3;
    def.policy = STIC_POLICY_CONTINUE;
    if (stic_run_assemble(&context, &def, &run, NULL) == STIC_OK) {
        model->start(parameters, chart, stic_run_state(run));
        int steps = 0;
        while (steps < 50 && stic_run_step(run, &info) == STIC_OK)
            ++steps;
        printf("%-24s %-13s %2d steps %016llx\n", model->name, scheme->name, steps,
               (unsigned long long)stic_run_hash(run));
    }
    stic_run_destroy(run);
    stic_model_destroy(model, system);
    return 0;
}

// boxes that deform, a point and a rigid box on a turning, rising plate
static SticStatus fill_world(SticWorld* world, SticShape* const shape[3], SticError* error)
{
    static const int32_t kinds[] = {STIC_BODY_PRESCRIBED, STIC_BODY_PSEUDO_RIGID,
                                    STIC_BODY_PSEUDO_RIGID, STIC_BODY_POINT, STIC_BODY_RIGID};
    for (int i = 0; i < 5; ++i) {
        SticBodyDef def = stic_body_default_def();
        SticBodyId id;
        def.kind = kinds[i];
        def.elastic = (SticElastic){1e6, 0.3};
        def.velocity = stic_vec3(0.1, 0.2 * i, i == 0 ? 0.3 : -0.4);
        if (i == 0)
            def.angular_velocity = stic_vec3(0.0, 0.0, 2.0);
        else
            def.position = stic_vec3(0.15 * i, 0.0, 0.151);
        const SticAttachDef attach = {.shape = shape[i == 0   ? 0
                                                     : i == 3 ? 2
                                                              : 1],
                                      .pose = stic_pose_identity()};
        STIC_TRY(stic_body_create(world, &def, &id, error));
        STIC_TRY(stic_body_attach(world, id, &attach, NULL, error));
    }
    return STIC_OK;
}

static int run_world(const char* name)
{
    const SticContext context = stic_context_default();
    const SticWorldDef def = stic_world_default_def();
    SticWorld* world = NULL;
    SticShape* shape[3] = {NULL, NULL, NULL};
    SticSystem* system = NULL;
    SticRun* run = NULL;
    SticError error = {0};
    SticStepInfo info = {0};
    SticRunParts run_def = stic_run_default_parts();
    SticChart chart = STIC_CHART_LINEAR;
    run_def.scheme = stic_scheme_find(name, &error);
    run_def.step = 5e-4;
    run_def.policy = STIC_POLICY_CONTINUE;
    bool good =
        stic_shape_create_box(&context, stic_vec3(2.0, 2.0, 0.1), &shape[0], &error) == STIC_OK;
    good = good && stic_shape_create_box(&context, stic_vec3(0.05, 0.05, 0.05), &shape[1],
                                         &error) == STIC_OK;
    good = good && stic_shape_create_sphere(&context, 0.05, &shape[2], &error) == STIC_OK;
    good = good && stic_world_create(&context, &def, &world, &error) == STIC_OK;
    good = good && fill_world(world, shape, &error) == STIC_OK;
    good = good && stic_world_chart(run_def.scheme->charts, &chart);
    good = good && stic_world_system(world, chart, &system, &error) == STIC_OK;
    run_def.system = system;
    good = good && stic_run_assemble(&context, &run_def, &run, &error) == STIC_OK;
    if (good)
        stic_world_start(world, system, stic_run_state(run));
    for (int k = 0; good && k < 100; ++k)
        good = stic_run_step(run, &info) == STIC_OK;
    if (good)
        printf("%-24s %-13s 100 steps %016llx\n", "world-of-bodies", name,
               (unsigned long long)stic_run_hash(run));
    else
        fprintf(stderr, "world with %s: %s %s\n", name, error.text, info.error.text);
    stic_run_destroy(run);
    stic_world_system_destroy(system);
    stic_world_destroy(world);
    for (int k = 0; k < 3; ++k)
        stic_shape_destroy(shape[k]);
    return good ? 0 : 1;
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
    failed += run_world("koziara") + run_world("theta") + run_world("moreau");
    for (int f = 1; f < count; ++f)
        for (int s = 0; stic_solver_table[s].name != NULL; ++s)
            for (int32_t threads = 1; threads <= 2; ++threads)
                if (stic_solver_table[s].determinism == STIC_STRICT)
                    failed += solve_file(files[f], &stic_solver_table[s], threads);
    return failed == 0 ? 0 : 1;
}
