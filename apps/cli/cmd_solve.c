// SPDX-License-Identifier: Apache-2.0
// stiction solve: read problems, solve them, say how well, write the solution.
#include <string.h>

#include "commands.h"
#include "files.h"
#include "solve_row.h"
#include "stiction/extend/file.h"
#include "stiction/extend/sparse.h"

static const CliOption options[] = {
    {"output", 'o', "OUT.h5", "write the problem with its solution in FCLIB form; one FILE only"},
    CLI_OPTION_FORCE,
    {"solver", 0, "NAME|all",
     "which solver, see 'stiction list solvers'; all: each that takes the problem (default: auto "
     "if there is one, else nsgs)"},
    {"tol", 0, "X", "a problem is solved when its error is at most X (default 1e-8)"},
    {"norm", 0, "NORM", "error that decides: unit-free, relative or siconos (default unit-free)"},
    {"max-seconds", 0, "S", "time limit of each solve in seconds (default 0: none)"},
    {"max-iterations", 0, "N", "iteration limit of each solve (default 100000)"},
    {"set", 0, "A.B=V",
     "set field B of the table A, solve or a solver's; may be repeated; see 'stiction list "
     "settings'"},
    {"threads", 0, "N", "threads of each solve (default 1); the results do not depend on it"},
    CLI_OPTION_EXISTENCE,
    CLI_OPTION_FORMAT,
    {"history", 0, "FILE.csv", "write the error after every check"},
    {"json", 0, NULL, "print one JSON object per line and solve instead of a table"},
    {NULL, 0, NULL, NULL},
};

// one run of the command
typedef struct Job {
    const CliCall* call;
    CliSolvePlan plan;
    CliSolveTable table;
    SticWorkspace* workspace;
    SticArena* scratch; // of the question whether there is a solution
    CliHistory history;
    bool progress;
} Job;

// the problem at hand
typedef struct Case {
    const char* path;
    const SticProblem* problem;
    const SticMetadata* metadata;
    CliSizes sizes;
    double *r, *u;           // of the solve that runs
    double *best_r, *best_u; // of the best solve so far
    double best_error;       // its error in the norm that decides
    bool any;                // there is a best one
    bool best_solved;
    bool asked; // whether it has a solution
    SticExistence existence;
} Case;

/* ---- progress, for people who watch ---- */

static void show_progress(const Job* job, const Case* now, const SticSolver* solver)
{
    char name[CLI_CELL];
    if (!job->progress)
        return;
    // one line, so that it can be removed
    const int32_t room =
        cli_terminal_width(stderr, 80) - cli_text_width(solver->name) - (int32_t)strlen(": … ");
    cli_text_fit(now->path, room > 48 ? 48 : room < 8 ? 8 : room, name, sizeof name);
    fprintf(stderr, "%s: %s …", name, solver->name);
    fflush(stderr);
}

static void clear_progress(const Job* job)
{
    if (job->progress)
        fputs("\r\033[K", stderr);
}

/* ---- one solve ---- */

static CliExit start_value(const Job* job, Case* now, SticSolveSettings* settings)
{
    const SticMetadata* metadata = now->metadata;
    const double* start = NULL;
    if (!job->plan.settings.warm_start)
        return CLI_DONE;
    for (int32_t i = 0; i < metadata->guess_count && start == NULL; ++i)
        start = metadata->guesses[i].r;
    if (start == NULL && metadata->solution != NULL)
        start = metadata->solution->r;
    if (start == NULL) {
        cli_message("%s: there is no start value in the file, starting from 0", now->path);
        settings->warm_start = false;
    } else {
        memcpy(now->r, start, (size_t)now->problem->rows * sizeof *start);
    }
    return CLI_DONE;
}

static void keep_best(const Job* job, Case* now, const SticSolveInfo* info)
{
    const double error = stic_errors_get(&info->errors, (SticNorm)job->plan.settings.norm);
    const bool solved = info->outcome == STIC_OUTCOME_SOLVED;
    const bool better = solved != now->best_solved ? solved : error < now->best_error;
    if (now->any && !better)
        return;
    double *const r = now->best_r, *const u = now->best_u;
    now->best_r = now->r;
    now->best_u = now->u;
    now->r = r;
    now->u = u;
    now->best_error = error;
    now->best_solved = solved;
    now->any = true;
}

// Whether there is a solution at all, asked once per problem; the outcome says so if it is proved
// that there is none.
static CliExit judge(Job* job, Case* now, SticSolveInfo* info)
{
    const SticExistenceSettings settings = cli_inquiry_settings(job->plan.inquiry);
    SticError error = {0};
    SticStatus status = STIC_OK;
    if (!cli_inquiry_asks(job->plan.inquiry, info))
        return CLI_DONE;
    if (!now->asked) {
        status = stic_arena_reset(job->scratch);
        if (status == STIC_OK)
            status = stic_existence_decide(now->problem, &settings, job->scratch, &now->existence,
                                           &error);
    }
    if (status != STIC_OK)
        return cli_report(&error, status, now->path);
    now->asked = true;
    stic_existence_conclude(&now->existence, info);
    return CLI_DONE;
}

static CliExit finish_row(Job* job, Case* now, const CliSolveRow* row)
{
    cli_solve_print(&job->plan, &job->table, row);
    if (row->refused)
        return job->plan.only != NULL ? CLI_UNSOLVED : CLI_DONE;
    if (job->plan.history != NULL &&
        cli_history_add(&job->plan.context, &job->history, row) != STIC_OK)
        return cli_out_of_memory();
    keep_best(job, now, row->info);
    return row->info->outcome == STIC_OUTCOME_SOLVED ? CLI_DONE : CLI_UNSOLVED;
}

static CliExit solve_with(Job* job, Case* now, int32_t index)
{
    const SticSolver* solver = &stic_solver_table[index];
    SticSolveRequest request = {.solver = solver,
                                .settings = job->plan.settings,
                                .method_settings = job->plan.method[index],
                                .workspace = job->workspace};
    SticSolveInfo info = {0};
    const CliExit started = start_value(job, now, &request.settings);
    if (started != CLI_DONE)
        return started;
    show_progress(job, now, solver);
    const double start = stic_timer_seconds();
    const SticStatus status = stic_solve(now->problem, &request, now->r, now->u, &info);
    // the dense path of a few rows does not look at the clock
    if (info.seconds == 0.0)
        info.seconds = stic_timer_seconds() - start;
    const CliExit judged = status == STIC_OK ? judge(job, now, &info) : CLI_DONE;
    clear_progress(job);
    if (status != STIC_OK && status != STIC_UNSUPPORTED)
        return cli_report(&info.error, status, now->path);
    if (judged != CLI_DONE)
        return judged;
    const bool asked = status == STIC_OK && cli_inquiry_asks(job->plan.inquiry, &info);
    const CliSolveRow row = {.path = now->path,
                             .problem = now->problem,
                             .sizes = now->sizes,
                             .solver = solver,
                             .info = &info,
                             .existence = asked ? &now->existence : NULL,
                             .refused = status == STIC_UNSUPPORTED};
    return finish_row(job, now, &row);
}

/* ---- the file with the solution ---- */

// v = M^-1 (f + H r), for problems that have velocities
static SticStatus velocities(const SticProblem* problem, const double* r, double* scratch,
                             double* v)
{
    memcpy(v, problem->f, (size_t)problem->dof * sizeof *v);
    stic_block_csr_multiply_transpose(1.0, problem->Ht, r, 1.0, v);
    if (problem->M->kind == STIC_MASS_FACTOR)
        return problem->M->solve(problem->M->factor, v);
    memcpy(scratch, v, (size_t)problem->dof * sizeof *v);
    stic_block_csr_multiply(1.0, problem->M->inverse, scratch, 0.0, v);
    return STIC_OK;
}

static SticStatus write_with(const Job* job, const Case* now, double* work, SticError* error)
{
    const int32_t dof = now->problem->M != NULL ? now->problem->dof : 0;
    SticMetadata metadata = *now->metadata;
    SticGuess solution = {.r = now->best_r, .u = now->best_u};
    if (dof > 0) {
        STIC_TRY(velocities(now->problem, now->best_r, work, work + dof));
        solution.v = work + dof;
    }
    metadata.solution = &solution;
    return stic_problem_write(&job->plan.context, now->problem, &metadata, job->plan.output, error);
}

static CliExit write_solution(const Job* job, const Case* now)
{
    const SticContext* context = &job->plan.context;
    const int32_t room = 2 * (now->problem->M != NULL ? now->problem->dof : 0);
    double* work = NULL;
    SticError error = {0};
    if (!now->any) {
        cli_message("%s: not written, no solver took the problem", job->plan.output);
        return CLI_UNSOLVED;
    }
    SticStatus status = STIC_ALLOCATE(context, &work, room);
    if (status == STIC_OK)
        status = write_with(job, now, work, &error);
    STIC_RELEASE(context, work, room);
    return status == STIC_OK ? CLI_DONE : cli_report(&error, status, job->plan.output);
}

/* ---- one problem ---- */

static CliExit solve_case(Job* job, Case* now)
{
    CliExit result = CLI_DONE;
    for (int32_t i = 0; i < job->plan.solver_count; ++i)
        if (cli_solve_plan_takes(&job->plan, i))
            result = cli_worse(result, solve_with(job, now, i));
    // a solution that was found says it too
    if (now->asked && (!now->best_solved || job->plan.inquiry == CLI_ASK_ALWAYS))
        cli_solve_print_existence(&job->plan, &now->existence);
    if (job->plan.output != NULL && result <= CLI_UNSOLVED)
        result = cli_worse(result, write_solution(job, now));
    return result;
}

static CliExit solve_file(Job* job, const char* path)
{
    const SticContext* context = &job->plan.context;
    SticProblemStore* store = NULL;
    double* memory = NULL;
    CliExit result = cli_problem_read(context, path, job->plan.format, &store);
    if (result != CLI_DONE)
        return result;
    const SticProblem* problem = stic_problem_view(store);
    const size_t rows = (size_t)problem->rows;
    // an empty problem has no rows, but solvers want addresses
    if (STIC_ALLOCATE(context, &memory, 4 * rows + 1) == STIC_OK) {
        Case now = {.path = path,
                    .problem = problem,
                    .metadata = stic_problem_metadata(store),
                    .sizes = cli_problem_sizes(problem),
                    .r = memory,
                    .u = memory + rows,
                    .best_r = memory + 2 * rows,
                    .best_u = memory + 3 * rows};
        result = solve_case(job, &now);
    } else {
        result = cli_out_of_memory();
    }
    STIC_RELEASE(context, memory, 4 * rows + 1);
    stic_problem_destroy(store);
    return result;
}

/* ---- the command ---- */

// find out before a long computation that its file cannot be written
static CliExit try_file(const Job* job, const char* path)
{
    SticReplace* replace = NULL;
    SticError error = {0};
    if (path == NULL)
        return CLI_DONE;
    stic_replace_sweep(path);
    const SticStatus status = stic_replace_begin(&job->plan.context, path, &replace, &error);
    stic_replace_abort(replace);
    return status == STIC_OK ? CLI_DONE : cli_report(&error, status, path);
}

static CliExit write_history(const Job* job)
{
    SticReplace* replace = NULL;
    SticError error = {0};
    if (job->plan.history == NULL)
        return CLI_DONE;
    SticStatus status = stic_replace_begin(&job->plan.context, job->plan.history, &replace, &error);
    if (status == STIC_OK)
        status = stic_replace_write(replace, job->history.text, job->history.size, &error);
    if (status == STIC_OK)
        status = stic_replace_commit(replace, &error);
    else
        stic_replace_abort(replace);
    return status == STIC_OK ? CLI_DONE : cli_report(&error, status, job->plan.history);
}

static CliExit solve_files(Job* job)
{
    const CliCall* call = job->call;
    CliExit result = cli_file_keep(call, job->plan.output);
    if (result == CLI_DONE)
        result = cli_file_keep(call, job->plan.history);
    if (result == CLI_DONE)
        result = cli_worse(try_file(job, job->plan.output), try_file(job, job->plan.history));
    if (result != CLI_DONE)
        return result;
    if (stic_workspace_create(&job->plan.context, &job->workspace) != STIC_OK ||
        stic_arena_create(&job->plan.context, 0, &job->scratch) != STIC_OK ||
        cli_history_add(&job->plan.context, &job->history, NULL) != STIC_OK)
        return cli_out_of_memory();
    job->table = cli_solve_table(call, &job->plan);
    // a bad file must not keep the others from being solved
    for (int32_t i = 0; i < call->operand_count && !cli_output_closed(); ++i)
        result = cli_worse(result, solve_file(job, call->operand[i]));
    cli_solve_print_sum(&job->plan, &job->table);
    return cli_worse(result, write_history(job));
}

static CliExit run(const CliCall* call)
{
    Job job = {.call = call, .progress = cli_terminal_is(stderr)};
    CliExit result = cli_solve_plan(call, &job.plan);
    if (result == CLI_DONE)
        result = solve_files(&job);
    stic_workspace_destroy(job.workspace);
    stic_arena_destroy(job.scratch);
    STIC_RELEASE(&job.plan.context, job.history.text, job.history.capacity);
    cli_solve_plan_clear(&job.plan);
    return result;
}

const CliCommand cli_command_solve = {
    .name = "solve",
    .operands = "FILE…",
    .text = "Solve one-step friction-contact problems and say how well they are solved.",
    .details =
        "Whether a problem is solved is decided by an error that is recomputed from the data of "
        "the file, never by a solver's own estimate. All three error measures are printed. With "
        "--solver all, solvers that do not take a problem are named with the reason, and --output "
        "gets the best result.\n\nAfter a solve that failed a certificate is looked for that there "
        "is "
        "no solution, and verified: only then the outcome is no-solution. The seconds and limits "
        "are those of the solver without that search.",
    .least = 1,
    .most = INT32_MAX,
    .options = options,
    .run = run,
};
