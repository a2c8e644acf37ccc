// SPDX-License-Identifier: Apache-2.0
// Koziara's study of Newton methods (2008, section 13.3) on a scene: all methods solve the problems of
// the same run, each from the reactions of the increment before.
//
//     bench_newton SCENE.lua INCREMENTS STEPS [NAME=VALUE …]
//
// STEPS is the limit of the thesis' methods but HYB, which have 1000; 0: HYB(G) or UNIL alone. The run goes
// on with the reactions of HYB(G), or of the next method that ends. Prints one JSON object per method, and one
// for W.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"
#include "solver/method/koziara_newton.h"
#include "solver/newton_system.h"
#include "stiction/extend/math.h"
#include "stiction/extend/run.h"
#include "stiction/extend/scene.h"
#include "stiction/extend/solver.h"

typedef struct Method {
    const char *name, *solver, *settings;
    double tolerance;
} Method;

// the thesis' criterion is |dR| <= 1e-10 |R|; the error of others in velocities means about the same
// at 1e-6 (bench_cubes)
static const Method methods[] = {
    {"HYB(G)", "koziara-newton", "steps=1000", 1e-15},
    {"HYB(A)", "koziara-newton", "search=armijo steps=1000", 1e-15},
    {"HYB(G), thesis", "koziara-newton", "shortest=0.034 patience=0", 1e-15},
    {"NEWT(G)", "koziara-newton", "variant=newt", 1e-15},
    {"NEWT(A)", "koziara-newton", "variant=newt search=armijo", 1e-15},
    {"FIX", "koziara-newton", "variant=fix", 1e-15},
    {"UNIL", "koziara-newton", "variant=unil", 1e-15},
    {"prox-newton", "prox-newton", "", 1e-6},
    {"auto", "auto", "", 1e-6},
};
enum { METHODS = sizeof methods / sizeof methods[0], MOST_ROWS = 3 * 1000, AUTO = METHODS - 1 };

// sums over the increments of a run
typedef struct Sums {
    int32_t solves, failed, first, worst;
    double iterations, seconds, ln_merit, worst_error;
    int64_t systems, negative, backward, contacts, scaled;
    double conditions;
} Sums;

typedef struct Study {
    SticSolver solver[METHODS];
    unsigned char settings[METHODS][STIC_SETTINGS_ROOM];
    SticWorkspace* workspace[METHODS];
    SticKoziaraStudy seen; // of the solve under way
    Sums sums[METHODS];
    bool frictionless;
    bool alone;                 // nothing but HYB(G) or UNIL
    double condition, estimate; // of W in the first increment
    int32_t increments, contacts;
} Study;

// solvers have no state of their own: that of a program that runs one study
static Study study;

static SticStatus run_studied(SticSolveTask* task)
{
    return stic_koziara_newton_study(task, &study.seen);
}

// the 1-norm of the inverse, column by column: estimates are off by up to a factor of three
static double norm_inverse(const SticNewtonSystem* system, int32_t rows)
{
    static double column[MOST_ROWS];
    double most = 0.0;
    for (int32_t k = 0; k < rows; ++k) {
        double sum = 0.0;
        memset(column, 0, sizeof column);
        column[k] = 1.0;
        stic_factor_solve(system->factor, column);
        for (int32_t i = 0; i < rows; ++i)
            sum += fabs(column[i]);
        most = fmax(most, sum);
    }
    return most;
}

static double norm_of(const SticBlockCsr* A, int32_t rows)
{
    static double sum[MOST_ROWS];
    double most = 0.0;
    memset(sum, 0, sizeof sum);
    for (int32_t i = 0; i < A->rows; ++i)
        for (int32_t e = A->begin[i]; e < A->begin[i + 1]; ++e) {
            const int32_t m = A->row_at[i + 1] - A->row_at[i], at = A->col_at[A->col[e]],
                          n = A->col_at[A->col[e] + 1] - at;
            for (int32_t k = 0; k < m * n; ++k)
                sum[at + k % n] += fabs(A->value[A->value_at[e] + k]);
        }
    for (int32_t k = 0; k < rows; ++k)
        most = fmax(most, sum[k]);
    return most;
}

// of W: the whole, and the estimate from below that a solver would print
static double condition_of(const SticProblem* problem, double* estimate)
{
    SticArena* arena = NULL;
    SticScaled scaled;
    SticNewtonSystem system;
    SticError error = {0};
    const SticContext context = stic_context_default();
    double found = NAN;
    if (stic_arena_create(&context, 0, &arena) != STIC_OK)
        return found;
    if (stic_scaled_create_plain(arena, problem, &scaled, &error) == STIC_OK &&
        stic_newton_system_create(arena, &scaled, STIC_FACTOR_LU, &system, &error) == STIC_OK) {
        static const double unit[6][36] = {{1.0}, {1, 0, 0, 1}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        for (int32_t i = 0; i < problem->count; ++i)
            stic_newton_system_row(&system, i,
                                   unit[problem->row_at[i + 1] - problem->row_at[i] - 1]);
        if (stic_newton_system_factor(&system)) {
            *estimate = stic_factor_condition(system.factor, &system.K);
            found = norm_of(&system.K, problem->rows) * norm_inverse(&system, problem->rows);
        }
    }
    stic_arena_destroy(arena);
    return found;
}

static void add(int k, const SticSolveInfo* info, int32_t contacts, bool thesis)
{
    Sums* sums = &study.sums[k];
    const bool good = info->outcome == STIC_OUTCOME_SOLVED || (thesis && study.seen.converged);
    // linear systems, as in the thesis
    const int32_t iterations = thesis ? study.seen.systems : info->iterations;
    sums->failed += !good;
    sums->first = sums->solves == 0 ? iterations : sums->first;
    sums->worst = iterations > sums->worst ? iterations : sums->worst;
    sums->solves += 1;
    sums->iterations += iterations;
    sums->seconds += info->seconds;
    sums->worst_error = fmax(sums->worst_error, good ? info->errors.relative : 0.0);
    if (!thesis)
        return;
    // exactly zero counts as the least number
    sums->ln_merit += log(fmax(study.seen.merit, 1e-300));
    sums->systems += study.seen.systems;
    sums->negative += study.seen.negative;
    sums->backward += study.seen.backward;
    sums->conditions += study.seen.conditions;
    sums->contacts += contacts;
    sums->scaled += study.seen.scaled;
}

// one increment: SticSolver.run of the study
static SticStatus solve_all(SticSolveTask* task)
{
    static double r[MOST_ROWS], u[MOST_ROWS], next[MOST_ROWS];
    const SticTaskView view = stic_task_view(task);
    const size_t bytes = (size_t)view.problem->rows * sizeof *r;
    bool found = false;
    if (view.problem->rows > MOST_ROWS)
        return STIC_UNSUPPORTED;
    if (study.increments == 0) {
        study.condition = condition_of(view.problem, &study.estimate);
        study.contacts = view.problem->count;
    }
    study.increments += 1;
    for (int k = 0; k < METHODS; ++k) {
        const bool thesis = strcmp(methods[k].solver, "koziara-newton") == 0;
        SticSolveInfo info = {0};
        SticSolveRequest request = {.solver = &study.solver[k],
                                    .settings = stic_solve_default_settings(),
                                    .method_settings = study.settings[k],
                                    .workspace = study.workspace[k]};
        request.settings.norm = STIC_NORM_RELATIVE;
        // UNIL is for mu = 0, which needs nothing else
        if (study.frictionless != (strcmp(methods[k].name, "UNIL") == 0) &&
            (k != AUTO || study.alone))
            continue;
        if (study.alone && k > 0 && !study.frictionless)
            continue;
        request.settings.tolerance = methods[k].tolerance;
        request.settings.warm_start = view.warm;
        memcpy(r, view.r, bytes);
        study.seen = (SticKoziaraStudy){0};
        STIC_TRY(stic_solve(view.problem, &request, r, u, &info));
        add(k, &info, view.problem->count, thesis);
        const bool good = info.outcome == STIC_OUTCOME_SOLVED || (thesis && study.seen.converged);
        if (good && !found)
            memcpy(next, r, bytes);
        found = found || good;
    }
    if (found)
        memcpy(view.r, next, bytes);
    (void)stic_task_next(task, view.r, 1.0, -1.0);
    return STIC_OK;
}

static int prepare(const char* steps)
{
    const SticContext context = stic_context_default();
    for (int k = 0; k < METHODS; ++k) {
        SticError error = {0};
        const SticSolver* solver = stic_solver_find(methods[k].solver, &error);
        const bool thesis = strcmp(methods[k].solver, "koziara-newton") == 0;
        char words[128];
        study.solver[k] = *solver;
        if (thesis)
            study.solver[k].run = run_studied;
        stic_fields_default(solver->fields, study.settings[k]);
        if (thesis && !study.alone)
            stic_fields_set(solver->fields, study.settings[k], "steps", steps, &error);
        snprintf(words, sizeof words, "%s", methods[k].settings);
        for (char* word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) {
            char* value = strchr(word, '=');
            *value = '\0';
            if (stic_fields_set(solver->fields, study.settings[k], word, value + 1, &error) !=
                STIC_OK) {
                fprintf(stderr, "%s\n", error.text);
                return 1;
            }
        }
        if (stic_workspace_create(&context, &study.workspace[k]) != STIC_OK)
            return 1;
    }
    return 0;
}

static void print_all(void)
{
    printf("{\"contacts\": %d, \"condition\": %.4g, \"estimate\": %.4g}\n", study.contacts,
           study.condition, study.estimate);
    for (int k = 0; k < METHODS; ++k) {
        const Sums* s = &study.sums[k];
        if (s->solves == 0)
            continue;
        printf("{\"method\": \"%s\", \"mean\": %.4g, \"first\": %d, \"worst\": %d, \"failed\": %d, "
               "\"seconds\": %.4g, \"error\": %.3g",
               methods[k].name, s->iterations / s->solves, s->first, s->worst, s->failed,
               s->seconds / s->solves, s->worst_error);
        if (s->systems > 0)
            printf(", \"omega\": %.4g, \"merit\": %.4g, \"scaled\": %.4g, "
                   "\"negative\": %.4g, \"backward\": %.4g",
                   exp(s->conditions / (double)s->systems), exp(s->ln_merit / s->solves),
                   (double)s->scaled / (double)s->contacts,
                   (double)s->negative / (double)s->systems,
                   (double)s->backward / (double)s->systems);
        printf("}\n");
    }
}

// a run of the scene whose solver is the study
static int run_scene(const char* path, SticSceneOptions* options)
{
    const SticContext context = stic_context_default();
    SticError error = {0};
    SticScene* scene = NULL;
    SticSimulation* simulation = NULL;
    SticStepInfo info = {0};
    SticSolver all = *stic_solver_find("prox-newton", &error);
    all.run = solve_all;
    all.keeps_start = true;
    int code = 1;
    if (stic_scene_load(&context, path, options, &scene, &error) == STIC_OK &&
        stic_simulation_create(&context, scene, &simulation, &error) == STIC_OK) {
        const SticSceneDef* def = stic_scene_def(scene);
        study.frictionless = def->material[0].surface.friction == 0.0;
        stic_simulation_run(simulation)->def.solver = &all;
        // the thesis solves the whole at once
        stic_simulation_run(simulation)->def.solve.per_island = false;
        SticStatus status = STIC_OK;
        while (status == STIC_OK && !stic_simulation_is_done(simulation))
            status = stic_simulation_step(simulation, &info);
        if (status != STIC_OK)
            error = info.error;
        code = status == STIC_OK ? 0 : 1;
    }
    if (code != 0)
        fprintf(stderr, "%s: %s\n", path, error.text);
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
    return code;
}

int main(int count, char** argument)
{
    enum { MOST = 8 };
    SticSceneAssignment param[MOST + 1] = {{"increments", "1"}};
    SticSceneOptions options = stic_scene_default_options();
    if (count < 4 || count > 4 + MOST) {
        fprintf(stderr, "usage: bench_newton SCENE.lua INCREMENTS STEPS [NAME=VALUE …]\n");
        return 2;
    }
    param[0].value = argument[2];
    for (int k = 4; k < count; ++k) {
        char* value = strchr(argument[k], '=');
        if (value == NULL)
            return 2;
        *value = '\0';
        param[k - 3] = (SticSceneAssignment){argument[k], value + 1};
    }
    options.param = param;
    options.param_count = count - 3;
    study.alone = strcmp(argument[3], "0") == 0;
    int code = prepare(argument[3]);
    if (code == 0)
        code = run_scene(argument[1], &options);
    if (code == 0)
        print_all();
    for (int k = 0; k < METHODS; ++k)
        stic_workspace_destroy(study.workspace[k]);
    return code;
}
