// SPDX-License-Identifier: Apache-2.0
// peer_siconos: solve one-step problems with the solvers of Siconos, judged by our errors.
//
// Files are read by our reader and handed over as they are; global ones are condensed to W for the
// solvers that want it, on their clock. Every solve runs in a child process with a time limit. One
// JSON line per problem and solver has the members of `stiction solve --json` and, besides,
// `claimed` (Siconos reported success) and `own_error` (its estimate). Linear algebra is kept on
// one thread.
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "json.h"
#include "print.h"
#include "problem_file.h"
#include "stiction/extend/base.h"
#include "stiction/extend/solver.h"

// defects larger than this are no solution however large |r| is, as in stic_solve
static const double largest_defect = 0.1;

typedef struct Plan {
    const PeerSolver* only; ///< NULL: all that are not marginal
    bool all;
    double tolerance;
    SticNorm norm;
    SticFormat format;
    int32_t max_iterations;
    int32_t storage;
    PeerLimits limits;
    SticContext context;
} Plan;

// a problem as Siconos gets it, and as it is judged
typedef struct Case {
    const char* path;
    const SticProblem* problem;
    SticProblem local; // without shifts, with W and b
    double condensing; // seconds that W took, 0 where the file has it
    PeerKind kind;
    CliSizes sizes;
    SticArena* arena;
    double *r, *u;
    PeerAnswer* answer;
} Case;

typedef struct Row {
    const char* solver;
    const char* outcome;
    char reason[96];
    SticErrors errors;
    bool tried; // false: refused
    bool local; // the solver works on W
    bool at_floor;
} Row;

/* ---- verdict ---- */

// the rule of stic_solve
static bool passes(const Plan* plan, const SticErrors* errors, bool* at_floor)
{
    const double error = stic_errors_get(errors, plan->norm);
    *at_floor = false;
    if (plan->norm == STIC_NORM_SICONOS && !(errors->relative <= largest_defect))
        return false;
    if (error <= plan->tolerance)
        return true;
    if (plan->norm == STIC_NORM_RELATIVE)
        *at_floor = error <= errors->floor && errors->floor <= 1e-8;
    if (plan->norm == STIC_NORM_UNIT_FREE)
        *at_floor = error <= errors->floor_unit_free;
    return *at_floor;
}

static SticStatus judge(const Plan* plan, Case* now, Row* row)
{
    const PeerAnswer* answer = now->answer;
    for (int32_t k = 0; k < now->problem->rows; ++k)
        now->r[k] = answer->r[k] - (now->problem->r_shift != NULL ? now->problem->r_shift[k] : 0.0);
    STIC_TRY(stic_errors_compute(now->arena, now->problem, now->r, now->u, &row->errors));
    SticOutcome outcome = STIC_OUTCOME_STALLED;
    if (passes(plan, &row->errors, &row->at_floor))
        outcome = STIC_OUTCOME_SOLVED;
    else if (!isfinite(row->errors.relative))
        outcome = STIC_OUTCOME_DIVERGED;
    else if (answer->iterations >= plan->max_iterations)
        outcome = STIC_OUTCOME_ITERATION_LIMIT;
    row->outcome = stic_outcome_name(outcome);
    return STIC_OK;
}

static const char* refusal(const Case* now, const PeerSolver* solver)
{
    if (now->kind == PEER_OTHER)
        return "Siconos has no driver for these laws";
    if (solver->id[now->kind] == 0)
        return "not for this kind of problem";
    if (solver->global && (now->problem->M == NULL || now->problem->Pt != NULL))
        return "needs M and H";
    return NULL;
}

/* ---- output ---- */

static void print_row(const Plan* plan, const Case* now, const Row* row)
{
    static const char* const norms[] = {"relative", "siconos", "unit-free"};
    static const char* const errors[] = {"error_relative", "error_siconos", "error_unit_free"};
    const PeerAnswer* answer = now->answer;
    const bool any = row->tried && answer->runs > 0;
    CliJson json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "problem", now->path);
    cli_json_integer(&json, "contacts", now->sizes.contacts);
    cli_json_integer(&json, "dimension", now->sizes.dimension);
    cli_json_integer(&json, "rows", now->problem->rows);
    cli_json_integer(&json, "dof", now->problem->dof);
    cli_json_real(&json, "density", now->sizes.density);
    cli_json_text(&json, "solver", row->solver);
    cli_json_text(&json, "outcome", row->outcome);
    cli_json_integer(&json, "iterations", any ? answer->iterations : 0);
    // the same start for everybody: what the file holds
    cli_json_real(&json, "seconds",
                  any ? answer->seconds + (row->local ? now->condensing : 0.0) : NAN);
    for (int32_t i = 0; i < 3; ++i)
        cli_json_real(&json, errors[i], any ? stic_errors_get(&row->errors, (SticNorm)i) : NAN);
    cli_json_real(&json, "tolerance", plan->tolerance);
    cli_json_text(&json, "norm", norms[plan->norm]);
    cli_json_integer(&json, "threads", 1);
    cli_json_text(&json, "method", row->solver);
    cli_json_bool(&json, "at_floor", row->at_floor);
    cli_json_bool(&json, "claimed", any && answer->status == 0);
    cli_json_real(&json, "own_error", any ? answer->own_error : NAN);
    if (row->reason[0] != '\0')
        cli_json_text(&json, "reason", row->reason);
    cli_json_line(&json);
    fflush(stdout);
}

/* ---- one problem ---- */

static SticStatus solve_with(const Plan* plan, Case* now, const PeerSolver* solver)
{
    const PeerRequest request = {.solver = solver,
                                 .kind = now->kind,
                                 .tolerance = plan->tolerance,
                                 .max_iterations = plan->max_iterations,
                                 .storage = plan->storage};
    Row row = {.solver = solver->name, .local = !solver->global};
    int32_t code = 0;
    const char* refused = refusal(now, solver);
    if (refused != NULL) {
        row.outcome = "refused";
        snprintf(row.reason, sizeof row.reason, "%s", refused);
        print_row(plan, now, &row);
        return STIC_OK;
    }
    row.tried = true;
    switch (peer_child_run(&now->local, &request, &plan->limits, now->answer, &code)) {
    case PEER_FINISHED:
        STIC_TRY(judge(plan, now, &row));
        break;
    case PEER_TIMED_OUT:
        row.outcome = stic_outcome_name(STIC_OUTCOME_TIME_LIMIT);
        break;
    case PEER_EXITED:
        row.outcome = stic_outcome_name(STIC_OUTCOME_BROKE_DOWN);
        snprintf(row.reason, sizeof row.reason, "ended the process with status %d", (int)code);
        break;
    case PEER_CRASHED:
        row.outcome = stic_outcome_name(STIC_OUTCOME_BROKE_DOWN);
        snprintf(row.reason, sizeof row.reason, "crashed: %s", strsignal(code));
        break;
    default:
        return STIC_OUT_OF_MEMORY;
    }
    print_row(plan, now, &row);
    return STIC_OK;
}

static SticStatus prepare(Case* now, SticError* error)
{
    SticProblem folded;
    STIC_TRY(STIC_TAKE(now->arena, &now->r, now->problem->rows));
    STIC_TRY(STIC_TAKE(now->arena, &now->u, now->problem->rows));
    STIC_TRY(stic_problem_fold(now->arena, now->problem, &folded));
    // least of a few times, as for the solves
    for (int32_t run = 0; run < (folded.W == NULL ? 5 : 1); ++run) {
        const double start = stic_timer_seconds();
        STIC_TRY(stic_problem_condense(now->arena, &folded, &now->local, error));
        const double taken = folded.W == NULL ? stic_timer_seconds() - start : 0.0;
        now->condensing = run == 0 || taken < now->condensing ? taken : now->condensing;
    }
    now->kind = peer_kind(&now->local);
    return STIC_OK;
}

static SticStatus solve_case(const Plan* plan, Case* now, SticError* error)
{
    STIC_TRY(prepare(now, error));
    for (const PeerSolver* solver = peer_table; solver->name != NULL; ++solver)
        if (solver == plan->only || (plan->only == NULL && (plan->all || !solver->marginal)))
            STIC_TRY(solve_with(plan, now, solver));
    return STIC_OK;
}

static CliExit solve_file(const Plan* plan, const char* path)
{
    SticProblemStore* store = NULL;
    SticError error = {0};
    const CliExit result = cli_problem_read(&plan->context, path, plan->format, &store);
    if (result != CLI_DONE)
        return result;
    const SticProblem* problem = stic_problem_view(store);
    Case now = {.path = path, .problem = problem, .sizes = cli_problem_sizes(problem)};
    SticStatus status = stic_arena_create(&plan->context, 1 << 20, &now.arena);
    now.answer = peer_answer_create(problem->rows);
    if (status == STIC_OK)
        status = now.answer != NULL ? solve_case(plan, &now, &error) : STIC_OUT_OF_MEMORY;
    peer_answer_destroy(now.answer, problem->rows);
    stic_arena_destroy(now.arena);
    stic_problem_destroy(store);
    return status == STIC_OK ? CLI_DONE : cli_report(&error, status, path);
}

/* ---- command line ---- */

static void usage(FILE* file)
{
    fputs("usage: peer_siconos [options] FILE…\n\n"
          "Solve one-step problems with the solvers of Siconos; one JSON line each.\n\n"
          "  --solver NAME       one solver (default: those that are not marginal)\n"
          "  --all               marginal ones too\n"
          "  --tol X             tolerance given to Siconos and used for the verdict (1e-8)\n"
          "  --norm NAME         error that decides: relative, siconos, unit-free (siconos)\n"
          "  --max-seconds S     wall-clock limit of a run (10)\n"
          "  --max-iterations N  limit in the solver's own unit (100000)\n"
          "  --repeat K          runs at most, the shortest counts (1)\n"
          "  --storage NAME      of W: dense, block, sparse (default: by solver)\n"
          "  --format NAME       of the input, as in stiction solve (auto)\n"
          "  --list              names and kinds of the solvers\n"
          "  --help              this page\n",
          file);
}

static void list_solvers(void)
{
    static const char* const kinds[] = {"cone-3d", "cone-2d", "rolling-3d", "rolling-2d", "lcp"};
    for (const PeerSolver* solver = peer_table; solver->name != NULL; ++solver) {
        CliJson json = {.file = stdout};
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "name", solver->name);
        cli_json_text(&json, "text", solver->text);
        cli_json_bool(&json, "global", solver->global);
        cli_json_bool(&json, "marginal", solver->marginal);
        cli_json_begin(&json, "kinds", '[');
        for (int32_t i = 0; i < PEER_KINDS; ++i)
            if (solver->id[i] != 0)
                cli_json_text(&json, NULL, kinds[i]);
        cli_json_end(&json, ']');
        cli_json_line(&json);
    }
}

// index of a word in a list ended by NULL, or -1 with a message
static int32_t choose(const char* option, const char* word, const char* const* list)
{
    for (int32_t i = 0; list[i] != NULL; ++i)
        if (strcmp(list[i], word) == 0)
            return i;
    fprintf(stderr, "peer_siconos: --%s %s: unknown\n", option, word);
    exit(CLI_USAGE);
}

static double positive(const char* option, const char* word)
{
    char* end = NULL;
    const double value = strtod(word, &end);
    if (end == word || *end != '\0' || !(value > 0.0) || !isfinite(value)) {
        fprintf(stderr, "peer_siconos: --%s %s: must be a positive number\n", option, word);
        exit(CLI_USAGE);
    }
    return value;
}

static void set_option(Plan* plan, const char* name, const char* value)
{
    static const char* const norms[] = {"relative", "siconos", "unit-free", NULL};
    static const char* const storages[] = {"dense", "block", "sparse", NULL};
    static const char* const formats[] = {"auto", "fclib",   "local", "global",
                                          "lcp",  "rolling", NULL};
    if (strcmp(name, "solver") == 0 && (plan->only = peer_find(value)) == NULL) {
        fprintf(stderr, "peer_siconos: there is no solver '%s', see --list\n", value);
        exit(CLI_USAGE);
    }
    if (strcmp(name, "all") == 0)
        plan->all = true;
    if (strcmp(name, "tol") == 0)
        plan->tolerance = positive(name, value);
    if (strcmp(name, "norm") == 0)
        plan->norm = (SticNorm)choose(name, value, norms);
    if (strcmp(name, "max-seconds") == 0)
        plan->limits.seconds = positive(name, value);
    if (strcmp(name, "max-iterations") == 0)
        plan->max_iterations = (int32_t)fmin(positive(name, value), 1e9);
    if (strcmp(name, "repeat") == 0)
        plan->limits.runs = (int32_t)fmin(positive(name, value), 1e6);
    if (strcmp(name, "storage") == 0)
        plan->storage = choose(name, value, storages);
    if (strcmp(name, "format") == 0)
        plan->format = (SticFormat)choose(name, value, formats);
}

static Plan read_options(int count, char** words)
{
    static const struct option options[] = {
        {"solver", required_argument, NULL, 0},
        {"all", no_argument, NULL, 0},
        {"tol", required_argument, NULL, 0},
        {"norm", required_argument, NULL, 0},
        {"max-seconds", required_argument, NULL, 0},
        {"max-iterations", required_argument, NULL, 0},
        {"repeat", required_argument, NULL, 0},
        {"storage", required_argument, NULL, 0},
        {"format", required_argument, NULL, 0},
        {"list", no_argument, NULL, 'l'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    Plan plan = {.tolerance = 1e-8,
                 .norm = STIC_NORM_SICONOS,
                 .max_iterations = 100000,
                 .storage = -1,
                 .limits = {.seconds = 10.0, .preparing = 60.0, .runs = 1, .runs_total = 0.5},
                 .context = stic_context_default()};
    int which = 0, letter = 0;
    while ((letter = getopt_long(count, words, "h", options, &which)) != -1) {
        if (letter == 'h' || letter == 'l') {
            letter == 'h' ? usage(stdout) : list_solvers();
            exit(CLI_DONE);
        }
        if (letter == '?') {
            usage(stderr);
            exit(CLI_USAGE);
        }
        set_option(&plan, options[which].name, optarg);
    }
    return plan;
}

// the BLAS reads its number of threads when it is loaded
static void use_one_thread(char** words)
{
    const char* threads = getenv("OPENBLAS_NUM_THREADS");
    if (threads != NULL && strcmp(threads, "1") == 0)
        return;
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    execv("/proc/self/exe", words);
    fputs("peer_siconos: set OPENBLAS_NUM_THREADS=1\n", stderr);
    exit(CLI_INTERNAL);
}

int main(int count, char** words)
{
    use_one_thread(words);
    const Plan plan = read_options(count, words);
    CliExit result = CLI_DONE;
    if (optind == count) {
        usage(stderr);
        return CLI_USAGE;
    }
    for (int i = optind; i < count; ++i) {
        const CliExit next = solve_file(&plan, words[i]);
        result = next > result ? next : result;
    }
    return (int)result;
}
