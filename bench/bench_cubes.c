// SPDX-License-Identifier: Apache-2.0
// The CUBE problems of Koziara's solver study: steps and milliseconds of the variants of
// koziara-newton over a sequence of increments, next to other solvers at the same error.
//
//     bench_cubes [largest edge, 3, 5 or 7 [increments]]
//     bench_cubes write FOLDER        CUBE1 to CUBE3 for mu = 0, 1/3, 2/3, 1 as FCLIB files
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/cubes.h"
#include "stiction/extend/solver.h"

enum { MOST_ROWS = 3 * 931 };

typedef struct Method {
    const char *name, *solver, *settings;
} Method;

static const Method methods[] = {
    {"HYB(G)", "koziara-newton", ""},
    {"HYB(A)", "koziara-newton", "search=armijo"},
    {"HYB scaled", "koziara-newton", "units=scaled"},
    {"NEWT(G)", "koziara-newton", "variant=newt"},
    {"NEWT(A)", "koziara-newton", "variant=newt search=armijo"},
    {"FIX", "koziara-newton", "variant=fix"},
    {"prox-newton", "prox-newton", ""},
    {"nsgs", "nsgs", ""},
    {"auto", "auto", ""},
};

static void set_words(const SticSolver* solver, const char* text, void* settings)
{
    SticError error = {0};
    char words[128];
    stic_fields_default(solver->fields, settings);
    snprintf(words, sizeof words, "%s", text);
    for (char* word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) {
        char* value = strchr(word, '=');
        *value = '\0';
        if (stic_fields_set(solver->fields, settings, word, value + 1, &error) != STIC_OK)
            printf("%s\n", error.text);
    }
}

// a sequence of increments by one method
static void measure(SticWorkspace* workspace, const Method* method, Cubes* cubes, double mu,
                    int32_t increments)
{
    static double r[MOST_ROWS], u[MOST_ROWS];
    static unsigned char settings[512];
    SticError error = {0};
    SticSolveInfo info = {0};
    const SticSolver* solver = stic_solver_find(method->solver, &error);
    SticSolveRequest request = {
        .solver = solver, .settings = stic_solve_default_settings(), .workspace = workspace};
    set_words(solver, method->settings, settings);
    request.method_settings = settings;
    // 1e-6 of the velocities, about 1e-10 of the reactions
    request.settings.norm = STIC_NORM_RELATIVE;
    request.settings.tolerance = 1e-6;
    request.settings.max_seconds = 20.0;
    int32_t first = 0, sum = 0, failed = 0;
    double seconds = 0.0, first_seconds = 0.0;
    for (int32_t k = 0; k < increments; ++k) {
        request.settings.warm_start = k > 0;
        if (stic_solve(&cubes->problem, &request, r, u, &info) != STIC_OK) {
            printf("%s\n", info.error.text);
            return;
        }
        failed += info.outcome != STIC_OUTCOME_SOLVED;
        first = k == 0 ? info.iterations : first;
        first_seconds = k == 0 ? info.seconds : first_seconds;
        sum += info.iterations;
        seconds += info.seconds;
        // the next increment of a failed one means nothing
        if (failed > 0 || cubes_advance(cubes, r, &error) != STIC_OK)
            break;
    }
    printf("  CUBE%d mu %.3f  %-12s", (cubes->size - 1) / 2, mu, method->name);
    if (failed > 0)
        printf(" %s after %d\n", stic_outcome_name(info.outcome), info.iterations);
    else
        printf(" first %6d in %8.2f ms   mean %8.2f in %8.2f ms\n", first, 1e3 * first_seconds,
               (double)sum / increments, 1e3 * seconds / increments);
    fflush(stdout);
}

static int write_cubes(const char* folder)
{
    const SticContext context = stic_context_default();
    for (int32_t size = 3; size <= 7; size += 2)
        for (int32_t m = 0; m <= 3; ++m) {
            char path[1024], title[64];
            SticError error = {0};
            Cubes cubes;
            snprintf(title, sizeof title, "CUBE%d-mu%d-3", (size - 1) / 2, m);
            snprintf(path, sizeof path, "%s/%s.hdf5", folder, title);
            const SticMetadata metadata = {
                .title = title,
                .description = "first increment of the CUBE problem of Koziara's thesis, 13.3"};
            SticStatus status = cubes_create(&context, size, m / 3.0, &cubes, &error);
            if (status == STIC_OK)
                status = stic_problem_write(&context, &cubes.problem, &metadata, path, &error);
            if (status != STIC_OK)
                printf("%s: %s\n", path, error.text);
            cubes_release(&cubes);
        }
    return 0;
}

int main(int count, char** argument)
{
    if (count > 2 && strcmp(argument[1], "write") == 0)
        return write_cubes(argument[2]);
    const int32_t largest = count > 1 ? atoi(argument[1]) : 5;
    const int32_t increments = count > 2 ? atoi(argument[2]) : 10;
    const SticContext context = stic_context_default();
    SticWorkspace* workspace = NULL;
    if (stic_workspace_create(&context, &workspace) != STIC_OK)
        return 1;
    for (int32_t size = 3; size <= largest && size <= 7; size += 2)
        for (int32_t m = 1; m <= 3; ++m)
            for (size_t k = 0; k < sizeof methods / sizeof methods[0]; ++k) {
                SticError error = {0};
                Cubes cubes;
                if (cubes_create(&context, size, m / 3.0, &cubes, &error) == STIC_OK)
                    measure(workspace, &methods[k], &cubes, m / 3.0, increments);
                else
                    printf("%s\n", error.text);
                cubes_release(&cubes);
            }
    stic_workspace_destroy(workspace);
    return 0;
}
