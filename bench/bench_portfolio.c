// SPDX-License-Identifier: Apache-2.0
// What each attempt of `auto` is worth: problems it solved, and the work it took, on two sets.
//
//     bench_portfolio [options] TOLERANCE TRAINING... [-- HELD-OUT...]
//       --norm NAME     relative (default), siconos, unit-free
//       --work W        limit per problem in multiplications, 1e10 by default (10 to 30 s)
//       --effort NAME   normal (default), high
//       --without       each attempt that won left out in turn: what is solved then, and the work
//       --regret        `auto` next to each single solver: its work over that of the best one
//
// Problems are files in any format that `stiction solve` reads, or names of generated scenes such
// as wall20-hit. An attempt that wins nothing on either set has no place in the table. Prints
// Markdown; work is counted, and limits are in work, so that outcomes and tables are the same on
// every machine and under any load.
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
    const char *effort, *solver;
    bool without, regret;
} Options;

// what came of a set
typedef struct Total {
    int32_t problems, solved;
    double work;
    SticAttemptCount attempts[STIC_ATTEMPTS];
} Total;

static bool solve(const SticProblem* problem, const Options* options, uint64_t without,
                  Total* total)
{
    const SticContext context = stic_context_default();
    SticSolveRequest request = {.solver = stic_solver_find(options->solver, NULL),
                                .settings = stic_solve_default_settings()};
    unsigned char settings[256];
    SticSolveInfo info;
    double* r = calloc((size_t)problem->rows, sizeof *r);
    double* u = calloc((size_t)problem->rows, sizeof *u);
    stic_fields_default(request.solver->fields, settings);
    if (strcmp(options->solver, "auto") == 0)
        stic_fields_set(request.solver->fields, settings, "effort", options->effort, NULL);
    request.method_settings = settings;
    request.settings.tolerance = options->tolerance;
    request.settings.norm = (int32_t)options->norm;
    request.settings.max_iterations = 1000000;
    if (stic_workspace_create(&context, &request.workspace) != STIC_OK || r == NULL || u == NULL)
        exit(1);
    request.workspace->without = without;
    request.workspace->most_work = options->most_work;
    const SticStatus status = stic_solve(problem, &request, r, u, &info);
    // islands are interrupted one by one: the sum counts
    const bool solved =
        status == STIC_OK && info.outcome == STIC_OUTCOME_SOLVED && info.work <= options->most_work;
    total->problems += 1;
    total->solved += solved;
    total->work += info.work;
    for (int k = 0; k < STIC_ATTEMPTS; ++k) {
        total->attempts[k].tried += request.workspace->attempts[k].tried;
        total->attempts[k].won += request.workspace->attempts[k].won;
        total->attempts[k].work += request.workspace->attempts[k].work;
    }
    stic_workspace_destroy(request.workspace);
    free(r);
    free(u);
    return solved;
}

// a generated scene or a file; false: neither
static bool solve_named(const char* name, const Options* options, uint64_t without, bool say,
                        Total* total)
{
    const SticContext context = stic_context_default();
    SceneDef def = {0};
    SceneMore more = {0};
    SticProblemStore* store = NULL;
    SticError error = {0};
    bool solved = false;
    if (scene_parse(name, &def, &more)) {
        Scene scene;
        scene_create_more(&scene, &def, &more);
        solved = solve(&scene.problem, options, without, total);
        scene_release(&scene);
    } else {
        if (stic_problem_read(&context, name, STIC_FORMAT_AUTO, &store, &error) != STIC_OK) {
            fprintf(stderr, "%s: %s\n", name, error.text);
            return false;
        }
        solved = solve(stic_problem_view(store), options, without, total);
        stic_problem_destroy(store);
    }
    if (say && !solved)
        fprintf(stderr, "not solved: %s\n", name);
    return true;
}

static Total solve_set(char** names, int count, const Options* options, uint64_t without, bool say)
{
    Total total = {.problems = 0};
    for (int k = 0; k < count; ++k)
        solve_named(names[k], options, without, say, &total);
    return total;
}

static const char* name_of(int k)
{
    return k == STIC_ATTEMPT_SWEEPS ? "(sweeps in place)" : stic_portfolio_table[k].name;
}

static void print_row(int k, const Total sets[2])
{
    printf("| %s |", name_of(k));
    for (int s = 0; s < 2; ++s)
        printf(" %lld | %lld | %.1f %% |", (long long)sets[s].attempts[k].tried,
               (long long)sets[s].attempts[k].won,
               sets[s].work > 0.0 ? 100.0 * sets[s].attempts[k].work / sets[s].work : 0.0);
    printf("\n");
}

static void print_table(const Total sets[2])
{
    printf("training: %d of %d solved, work %.3g; held out: %d of %d, %.3g\n\n", sets[0].solved,
           sets[0].problems, sets[0].work, sets[1].solved, sets[1].problems, sets[1].work);
    printf("| attempt | tried | won | of the work | held out: tried | won | of the work |\n");
    printf("|---|---|---|---|---|---|---|\n");
    print_row(STIC_ATTEMPT_SWEEPS, sets);
    for (int k = 0; stic_portfolio_table[k].name != NULL; ++k)
        print_row(k, sets);
}

static void print_ablation(int k, const Total sets[2], const Total left[2])
{
    printf("| %s |", name_of(k));
    for (int s = 0; s < 2; ++s)
        printf(" %+d | %.2f |", left[s].solved - sets[s].solved,
               sets[s].work > 0.0 ? left[s].work / sets[s].work : 1.0);
    printf("\n");
    fflush(stdout);
}

/* ---- regret ---- */

// the solvers a user would pick by hand
static const char* const singles[] = {"nsgs",        "asgs",           "apgd", "admm",
                                      "prox-newton", "interior-point", "lemke"};

// work of `auto` over that of the best single solver
typedef struct Regret {
    int problems, twice, five, missed; // within 2 and 5 times; solved by another one only
    double worst;
} Regret;

// multiplications of a solver on a problem, INFINITY where it fails
static double work_of(const char* name, const char* solver, double limit, const Options* options)
{
    Options own = *options;
    Total total = {.problems = 0};
    own.solver = solver;
    own.most_work = limit;
    solve_named(name, &own, 0, false, &total);
    return total.solved == 0 ? INFINITY : total.work;
}

static void add_regret(const char* name, const Options* options, Regret* sum)
{
    const double mine = work_of(name, "auto", options->most_work, options);
    double best = INFINITY;
    const char* who = "-";
    for (size_t k = 0; k < sizeof singles / sizeof *singles; ++k) {
        // nothing is learnt from those that take longer than `auto` or than the best so far
        const double least = best < mine ? best : mine,
                     limit = least < options->most_work ? least : options->most_work;
        const double work = work_of(name, singles[k], limit, options);
        if (work < best) {
            best = work;
            who = singles[k];
        }
    }
    const double regret = best < INFINITY ? mine / best : mine < INFINITY ? 0.0 : 1.0;
    const char* file = strrchr(name, '/');
    sum->problems += 1;
    sum->twice += regret <= 2.0;
    sum->five += regret <= 5.0;
    sum->missed += mine == INFINITY && best < INFINITY;
    sum->worst = regret > sum->worst ? regret : sum->worst;
    if (regret > 2.0)
        printf("| %s | %.3g | %.3g | %s | %.1f |\n", file != NULL ? file + 1 : name, mine, best,
               who, regret);
    fflush(stdout);
}

static void print_regret(char** names, int count, const Options* options)
{
    Regret sum = {.problems = 0};
    printf("| problem | auto | best | by | regret |\n|---|---|---|---|---|\n");
    for (int k = 0; k < count; ++k)
        add_regret(names[k], options, &sum);
    printf("\nof %d at %g: %d within 2, %d within 5 times the best single solver, worst %.1f, %d "
           "solved by another one only\n\n",
           sum.problems, options->tolerance, sum.twice, sum.five, sum.worst, sum.missed);
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
    Options options = {
        .most_work = 1e10, .norm = STIC_NORM_RELATIVE, .effort = "normal", .solver = "auto"};
    const int first = read_options(argc, argv, &options);
    int split = first;
    while (split < argc && strcmp(argv[split], "--") != 0)
        split += 1;
    if (first >= argc || !(options.tolerance > 0.0)) {
        fprintf(stderr,
                "usage: bench_portfolio [options] TOLERANCE TRAINING... [-- HELD-OUT...]\n");
        return 2;
    }
    char** names[2] = {argv + first, argv + split + 1};
    const int counts[2] = {split - first, argc > split + 1 ? argc - split - 1 : 0};
    Total sets[2], left[2];
    for (int s = 0; s < 2 && options.regret; ++s)
        print_regret(names[s], counts[s], &options);
    if (options.regret)
        return 0;
    for (int s = 0; s < 2; ++s)
        sets[s] = solve_set(names[s], counts[s], &options, 0, true);
    print_table(sets);
    if (!options.without)
        return 0;
    printf("\n| without | solved | work | held out: solved | work |\n|---|---|---|---|---|\n");
    for (int k = 0; stic_portfolio_table[k].name != NULL; ++k) {
        if (sets[0].attempts[k].won + sets[1].attempts[k].won == 0)
            continue;
        for (int s = 0; s < 2; ++s)
            left[s] = solve_set(names[s], counts[s], &options, (uint64_t)1 << k, false);
        print_ablation(k, sets, left);
    }
    return 0;
}
