// SPDX-License-Identifier: Apache-2.0
// What each attempt of `auto` is worth, and what `auto` costs next to the best single solver: one
// record a line, which bench/portfolio adds up to tables.
//
//     bench_portfolio [options] TOLERANCE PROBLEM...
//       --norm NAME     relative, siconos, unit-free (default)
//       --work W        limit per solve in multiplications, 1e10 by default (10 to 30 s)
//       --effort NAME   normal (default), high
//       --drop A,B      rows that are left out all the time
//       --without       each attempt that was tried left out in turn; leaving out what is not
//                       reached changes nothing
//       --regret        each single solver
//
// Problems are files in any format that `stiction solve` reads, or names of generated scenes such
// as wall20-hit; wall20-hit*3 has three times its friction. Records, separated by tabs:
//     solve  PROBLEM  auto | -ROW | SOLVER  solved (0, 1)  multiplications
//     row    PROBLEM  ROW  tried  won  multiplications
// Work is counted, and limits are in work, so that records are the same on every machine and under
// any load.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/scenes.h"
#include "solver/portfolio.h"
#include "stiction/extend/solver.h"

typedef struct Options {
    double tolerance, most_work;
    SticNorm norm;
    const char* effort;
    uint64_t drop; // rows, by their bits
    bool without, regret;
} Options;

// one solve
typedef struct Solve {
    const char* solver;
    uint64_t without;
    double limit;
    bool solved;
    double work;
    SticAttemptCount attempts[STIC_ATTEMPTS];
} Solve;

static void run(const SticProblem* problem, const Options* options, Solve* solve)
{
    const SticContext context = stic_context_default();
    SticSolveRequest request = {.solver = stic_solver_find(solve->solver, NULL),
                                .settings = stic_solve_default_settings()};
    unsigned char settings[256];
    SticSolveInfo info;
    double* r = calloc((size_t)problem->rows, sizeof *r);
    double* u = calloc((size_t)problem->rows, sizeof *u);
    stic_fields_default(request.solver->fields, settings);
    if (strcmp(solve->solver, "auto") == 0)
        stic_fields_set(request.solver->fields, settings, "effort", options->effort, NULL);
    request.method_settings = settings;
    request.settings.tolerance = options->tolerance;
    request.settings.norm = (int32_t)options->norm;
    request.settings.max_iterations = 1000000;
    if (stic_workspace_create(&context, &request.workspace) != STIC_OK || r == NULL || u == NULL)
        exit(1);
    request.workspace->without = options->drop | solve->without;
    request.workspace->most_work = solve->limit;
    const SticStatus status = stic_solve(problem, &request, r, u, &info);
    // islands are interrupted one by one: the sum counts
    solve->solved =
        status == STIC_OK && info.outcome == STIC_OUTCOME_SOLVED && info.work <= solve->limit;
    solve->work = info.work;
    memcpy(solve->attempts, request.workspace->attempts, sizeof solve->attempts);
    stic_workspace_destroy(request.workspace);
    free(r);
    free(u);
}

/* ---- records ---- */

static const char* file_of(const char* name)
{
    const char* slash = strrchr(name, '/');
    return slash != NULL ? slash + 1 : name;
}

static void print_solve(const char* name, const char* sign, const char* what, const Solve* solve)
{
    printf("solve\t%s\t%s%s\t%d\t%.6g\n", file_of(name), sign, what, solve->solved, solve->work);
    fflush(stdout);
}

static void print_row(const char* name, const char* row, const SticAttemptCount* count)
{
    if (count->tried > 0)
        printf("row\t%s\t%s\t%lld\t%lld\t%.6g\n", file_of(name), row, (long long)count->tried,
               (long long)count->won, count->work);
}

static void print_rows(const char* name, const Solve* solve)
{
    print_row(name, "(sweeps in place)", &solve->attempts[STIC_ATTEMPT_SWEEPS]);
    for (int k = 0; stic_portfolio_table[k].name != NULL; ++k)
        print_row(name, stic_portfolio_table[k].name, &solve->attempts[k]);
}

static void leave_out(const char* name, const SticProblem* problem, const Options* options,
                      const Solve* all)
{
    for (int k = 0; stic_portfolio_table[k].name != NULL; ++k) {
        Solve left = {.solver = "auto", .without = (uint64_t)1 << k, .limit = options->most_work};
        if (all->attempts[k].tried == 0)
            continue;
        run(problem, options, &left);
        print_solve(name, "-", stic_portfolio_table[k].name, &left);
    }
}

// the solvers a user would pick by hand
static const char* const singles[] = {"nsgs",        "asgs",           "apgd", "admm",
                                      "prox-newton", "interior-point", "lemke"};

static void compare(const char* name, const SticProblem* problem, const Options* options,
                    const Solve* all)
{
    double best = all->solved ? all->work : options->most_work;
    for (size_t k = 0; k < sizeof singles / sizeof *singles; ++k) {
        // nothing is learnt from those that take longer than `auto` or than the best so far
        Solve one = {.solver = singles[k], .limit = best};
        run(problem, options, &one);
        print_solve(name, "", singles[k], &one);
        if (one.solved && one.work < best)
            best = one.work;
    }
}

static void take_problem(const char* name, const SticProblem* problem, const Options* options)
{
    Solve all = {.solver = "auto", .limit = options->most_work};
    run(problem, options, &all);
    print_solve(name, "", "auto", &all);
    print_rows(name, &all);
    if (options->without)
        leave_out(name, problem, options, &all);
    if (options->regret)
        compare(name, problem, options, &all);
}

// with `factor` times its friction
static void take_rough(const char* name, const SticProblem* problem, double factor,
                       const Options* options)
{
    SticProblem rough = *problem;
    double(*coef)[4] = calloc((size_t)problem->count, sizeof *coef);
    if (coef == NULL)
        exit(1);
    for (int32_t i = 0; i < problem->count; ++i) {
        memcpy(coef[i], problem->coef[i], sizeof coef[i]);
        if (problem->law[i] == STIC_LAW_CONE)
            coef[i][0] *= factor;
    }
    rough.coef = (const double(*)[4])coef;
    take_problem(name, &rough, options);
    free(coef);
}

// a generated scene or a file, NAME or NAME*FACTOR
static void take(const char* argument, const Options* options)
{
    char name[4096];
    const char* star = strrchr(argument, '*');
    const double factor = star != NULL ? atof(star + 1) : 1.0;
    const size_t length = star != NULL ? (size_t)(star - argument) : strlen(argument);
    snprintf(name, sizeof name, "%.*s", (int)length, argument);
    const SticContext context = stic_context_default();
    SceneDef def = {0};
    SceneMore more = {0};
    SticProblemStore* store = NULL;
    SticError error = {0};
    if (scene_parse(name, &def, &more)) {
        Scene scene;
        scene_create_more(&scene, &def, &more);
        take_rough(argument, &scene.problem, factor, options);
        scene_release(&scene);
    } else if (stic_problem_read(&context, name, STIC_FORMAT_AUTO, &store, &error) == STIC_OK) {
        take_rough(argument, stic_problem_view(store), factor, options);
        stic_problem_destroy(store);
    } else {
        fprintf(stderr, "%s: %s\n", name, error.text);
    }
}

/* ---- options ---- */

// rows of a list of names; a name that is not in the table ends the program
static uint64_t rows_of(const char* list)
{
    uint64_t rows = 0;
    for (const char* at = list; *at != '\0';) {
        const size_t length = strcspn(at, ",");
        int k = 0;
        while (stic_portfolio_table[k].name != NULL &&
               (strlen(stic_portfolio_table[k].name) != length ||
                strncmp(stic_portfolio_table[k].name, at, length) != 0))
            ++k;
        if (stic_portfolio_table[k].name == NULL) {
            fprintf(stderr, "no row %.*s\n", (int)length, at);
            exit(2);
        }
        rows |= (uint64_t)1 << k;
        at += length + (at[length] == ',');
    }
    return rows;
}

static int read_options(int argc, char** argv, Options* options)
{
    static const char* const norms[] = {"relative", "siconos", "unit-free"};
    int at = 1;
    for (; at < argc && strncmp(argv[at], "--", 2) == 0; ++at) {
        if (strcmp(argv[at], "--without") == 0 || strcmp(argv[at], "--regret") == 0) {
            options->without = options->without || argv[at][2] == 'w';
            options->regret = options->regret || argv[at][2] == 'r';
            continue;
        }
        if (at + 1 == argc)
            return argc;
        const char* value = argv[at + 1];
        if (strcmp(argv[at], "--work") == 0)
            options->most_work = atof(value);
        else if (strcmp(argv[at], "--effort") == 0)
            options->effort = value;
        else if (strcmp(argv[at], "--drop") == 0)
            options->drop = rows_of(value);
        for (int n = 0; n < 3 && strcmp(argv[at], "--norm") == 0; ++n)
            if (strcmp(value, norms[n]) == 0)
                options->norm = (SticNorm)n;
        at += 1;
    }
    options->tolerance = at < argc ? atof(argv[at]) : 0.0;
    return at + 1;
}

int main(int argc, char** argv)
{
    Options options = {.most_work = 1e10, .norm = STIC_NORM_UNIT_FREE, .effort = "normal"};
    const int first = read_options(argc, argv, &options);
    if (first >= argc || !(options.tolerance > 0.0)) {
        fprintf(stderr, "usage: bench_portfolio [options] TOLERANCE PROBLEM...\n");
        return 2;
    }
    for (int k = first; k < argc; ++k)
        take(argv[k], &options);
    return 0;
}
