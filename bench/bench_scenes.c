// SPDX-License-Identifier: Apache-2.0
// Seconds to a given error of the solvers for large scenes, cold and from the solution of a step
// before, next to the memory bandwidth.
//
//     bench_scenes [largest number of contacts [seconds per solve [solver …]]]
//     bench_scenes write FOLDER [largest number of contacts]      the scenes as FCLIB files
//
// Times are CPU times of the one thread that is used, set-up and checks of the error included; "-":
// not reached in the time given.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "helpers/scenes.h"
#include "stiction/solver.h"

enum { TRIAD = 1 << 23, TOLERANCES = 3, MOST_SOLVERS = 8 };

static const double tolerances[TOLERANCES] = {1e-2, 1e-4, 1e-8};

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// bandwidth of a[i] = b[i] + s c[i], bytes per second, best of five
static double triad_bandwidth(void)
{
    double* a = calloc(3 * (size_t)TRIAD, sizeof *a);
    double best = 0.0;
    if (a == NULL)
        return 0.0;
    double *b = a + TRIAD, *c = b + TRIAD;
    for (int32_t i = 0; i < TRIAD; ++i) {
        a[i] = 0.0;
        b[i] = i;
        c[i] = 1.0;
    }
    for (int run = 0; run < 5; ++run) {
        const double start = cpu_seconds();
        for (int32_t i = 0; i < TRIAD; ++i)
            a[i] = b[i] + 3.0 * c[i];
        const double rate = 3.0 * sizeof(double) * TRIAD / (cpu_seconds() - start);
        best = rate > best ? rate : best;
    }
    // the result is used, so that the loop stays
    if (a[TRIAD / 2] < 0.0)
        printf("impossible\n");
    free(a);
    return best;
}

typedef struct Bench {
    SticWorkspace* workspace;
    double limit; // seconds per solve
    bool warm;    // start from r
    double *r, *u;
} Bench;

// one solve; true if the tolerance was met
static bool solve(Bench* bench, const SticProblem* problem, const char* name, double tolerance,
                  SticSolveInfo* info, double* seconds)
{
    SticError error = {0};
    SticSolveRequest request = {.solver = stic_solver_find(name, &error),
                                .settings = stic_solve_default_settings(),
                                .workspace = bench->workspace};
    if (request.solver == NULL) {
        printf("%s\n", error.text);
        exit(1);
    }
    request.settings.tolerance = tolerance;
    request.settings.max_iterations = 2000000000;
    request.settings.max_seconds = bench->limit;
    request.settings.warm_start = bench->warm;
    const double start = cpu_seconds();
    const SticStatus status = stic_solve(problem, &request, bench->r, bench->u, info);
    *seconds = cpu_seconds() - start;
    if (status != STIC_OK)
        printf("  %s: %s\n", name, info->error.text);
    return status == STIC_OK && info->outcome == STIC_OUTCOME_SOLVED;
}

static void measure(Bench* bench, const char* scene, const Scene* made, const char* solver,
                    const double* start)
{
    printf("  %-16s %7d %-8s %-5s", scene, made->problem.count, solver, start ? "warm" : "cold");
    bool going = true;
    bench->warm = start != NULL;
    for (int k = 0; k < TOLERANCES; ++k) {
        SticSolveInfo info;
        double seconds = 0.0;
        if (start != NULL)
            memcpy(bench->r, start, (size_t)made->problem.rows * sizeof *start);
        going = going && solve(bench, &made->problem, solver, tolerances[k], &info, &seconds);
        if (going)
            printf(" %7d %9.4f %8.1e", info.iterations, seconds, seconds / made->problem.count);
        else
            printf(" %7s %9s %8s", "-", "-", "-");
        fflush(stdout);
    }
    printf("\n");
}

static int write_scenes(const char* folder, int32_t largest)
{
    const SticContext context = stic_context_default();
    for (size_t s = 0; s < sizeof scene_list / sizeof scene_list[0]; ++s) {
        char path[1024];
        SticError error = {0};
        Scene scene;
        const SticMetadata metadata = {.title = scene_list[s].name,
                                       .description = "generated from closed-form geometry"};
        scene_create(&scene, &scene_list[s].def);
        snprintf(path, sizeof path, "%s/%s.hdf5", folder, scene_list[s].name);
        if (scene.problem.count <= largest &&
            stic_problem_write(&context, &scene.problem, &metadata, path, &error) != STIC_OK)
            printf("%s: %s\n", path, error.text);
        scene_release(&scene);
    }
    return 0;
}

int main(int count, char** argument)
{
    if (count > 2 && strcmp(argument[1], "write") == 0)
        return write_scenes(argument[2], count > 3 ? atoi(argument[3]) : 12000);
    const int32_t largest = count > 1 ? atoi(argument[1]) : 12000;
    const char* solvers[MOST_SOLVERS] = {"nsgs", "asgs", "apgd", "admm"};
    int32_t solver_count = 4;
    if (count > 3)
        for (solver_count = 0; solver_count < MOST_SOLVERS && solver_count + 3 < count;
             ++solver_count)
            solvers[solver_count] = argument[solver_count + 3];
    const SticContext context = stic_context_default();
    Bench bench = {.limit = count > 2 ? atof(argument[2]) : 5.0};
    if (stic_workspace_create(&context, &bench.workspace) != STIC_OK)
        return 1;
    printf("triad on one core: %.1f GB/s\n", 1e-9 * triad_bandwidth());
    printf("  scene           contacts solver         iterations, seconds, seconds per contact at "
           "1e-2, 1e-4, 1e-8\n");
    for (size_t s = 0; s < sizeof scene_list / sizeof scene_list[0]; ++s) {
        Scene scene;
        scene_create(&scene, &scene_list[s].def);
        const size_t rows = (size_t)scene.problem.rows;
        bench.r = calloc(rows, sizeof(double));
        bench.u = calloc(rows, sizeof(double));
        double* start = calloc(rows, sizeof(double));
        SceneDef later = scene_list[s].def;
        Scene moved;
        later.jitter = 1e-4;
        scene_create(&moved, &later);
        for (int32_t k = 0; k < solver_count && scene.problem.count <= largest; ++k) {
            SticSolveInfo info;
            double seconds = 0.0;
            measure(&bench, scene_list[s].name, &scene, solvers[k], NULL);
            // the state of a step before, solved to 1e-4 by this solver, contact points 1e-4 away
            bench.warm = false;
            if (!solve(&bench, &scene.problem, solvers[k], 1e-4, &info, &seconds))
                continue;
            memcpy(start, bench.r, rows * sizeof *start);
            measure(&bench, scene_list[s].name, &moved, solvers[k], start);
        }
        free(start);
        free(bench.r);
        free(bench.u);
        scene_release(&scene);
        scene_release(&moved);
    }
    stic_workspace_destroy(bench.workspace);
    return 0;
}
