// SPDX-License-Identifier: Apache-2.0
// stiction enumerate: all solutions of a small problem.
#include <math.h>
#include <string.h>

#include "certify_options.h"
#include "commands.h"
#include "json.h"
#include "print.h"
#include "problem_file.h"
#include "stiction/extend/certify.h"

static const CliOption options[] = {
    {"set", 0, "A.B=V",
     "set field B of the table enumerate; may be repeated; see 'stiction list settings'"},
    CLI_OPTION_FORMAT,
    {"json", 0, NULL, "print one JSON object"},
    {NULL, 0, NULL, NULL},
};

/* ---- for programs ---- */

static void json_vector(CliJson* json, const char* name, const double* x, int32_t count)
{
    cli_json_begin(json, name, '[');
    for (int32_t k = 0; k < count; ++k)
        cli_json_real(json, NULL, x[k]);
    cli_json_end(json, ']');
}

static void print_json(const char* path, const SticProblem* problem, const SticEnumeration* result)
{
    CliJson json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "problem", path);
    cli_json_integer(&json, "contacts", cli_problem_sizes(problem).contacts);
    cli_json_integer(&json, "motions", result->motions);
    cli_json_bool(&json, "complete", result->complete);
    cli_json_text(&json, "verdict", stic_verdict_name(result->verdict));
    cli_json_integer(&json, "branches", result->branches);
    cli_json_integer(&json, "refuted", result->refuted);
    cli_json_integer(&json, "undecided", result->undecided);
    cli_json_begin(&json, "solutions", '[');
    for (int32_t m = 0; m < result->motions; ++m) {
        const SticSolution* solution = &result->solution[m];
        cli_json_begin(&json, NULL, '{');
        cli_json_begin(&json, "states", '[');
        for (int32_t i = 0; i < problem->count; ++i)
            cli_json_text(&json, NULL, stic_branch_state_name((SticBranchState)solution->state[i]));
        cli_json_end(&json, ']');
        cli_json_integer(&json, "force_dimension", solution->force_dimension);
        cli_json_integer(&json, "motion_dimension", solution->motion_dimension);
        cli_json_real(&json, "error_unit_free", solution->error);
        json_vector(&json, "r", solution->r, problem->rows);
        json_vector(&json, "u", solution->u, problem->rows);
        cli_json_end(&json, '}');
    }
    cli_json_end(&json, ']');
    cli_json_real(&json, "seconds", result->seconds);
    cli_json_line(&json);
}

/* ---- for people ---- */

static void print_count(const char* path, const SticEnumeration* result)
{
    char name[CLI_CELL * 4];
    cli_text_fit(path, CLI_CELL - 1, name, sizeof name);
    const char* plural = result->motions == 1 ? "" : "s";
    if (result->verdict == STIC_VERDICT_NONE)
        printf("%s: no solution: each of %lld combinations is refuted\n", name,
               (long long)result->branches);
    else if (result->motions == 0)
        printf("%s: no solution found; %lld of %lld combinations are not refuted\n", name,
               (long long)(result->branches - result->refuted), (long long)result->branches);
    else
        printf("%s: %s %d solution%s%s\n", name, result->complete ? "exactly" : "at least",
               (int)result->motions, plural, result->motions > 1 ? ", with different motions" : "");
}

static void print_solution(const SticProblem* problem, const SticSolution* solution, int32_t number)
{
    printf("\nsolution %d, error %.1e", (int)number, solution->error);
    if (solution->force_dimension > 0)
        printf(", its reactions form a set of dimension %d", (int)solution->force_dimension);
    if (solution->motion_dimension > 0)
        printf(", one of a continuum of motions of dimension %d", (int)solution->motion_dimension);
    printf("\n");
    CliTable table = {0};
    cli_table_column(&table, "contact", 0, false);
    cli_table_column(&table, "state", 6, true);
    for (int32_t k = 0; k < 6; ++k)
        cli_table_column(&table, "", 12, false);
    const char* const heads[] = {"contact", "state", "r_N",  "r_T1", "r_T2",
                                 "u_N",     "u_T1",  "u_T2", NULL};
    cli_table_row(&table, heads);
    for (int32_t i = 0; i < problem->count; ++i) {
        const int32_t at = problem->row_at[i], rows = problem->row_at[i + 1] - at;
        char cell[8][32] = {{0}};
        snprintf(cell[0], sizeof cell[0], "%d", (int)i);
        snprintf(cell[1], sizeof cell[1], "%s",
                 stic_branch_state_name((SticBranchState)solution->state[i]));
        for (int32_t k = 0; k < 3 && k < rows; ++k) {
            snprintf(cell[2 + k], sizeof cell[0], "%.5g", solution->r[at + k]);
            snprintf(cell[5 + k], sizeof cell[0], "%.5g", solution->u[at + k]);
        }
        const char* const cells[] = {cell[0], cell[1], cell[2], cell[3], cell[4],
                                     cell[5], cell[6], cell[7], NULL};
        cli_table_row(&table, cells);
    }
}

// contacts whose state is not the same in all solutions
static void print_differences(const SticProblem* problem, const SticEnumeration* result)
{
    if (result->motions < 2)
        return;
    printf("\nthe motions differ in\n");
    for (int32_t i = 0; i < problem->count; ++i) {
        bool differs = false;
        for (int32_t m = 1; m < result->motions; ++m)
            differs = differs || result->solution[m].state[i] != result->solution[0].state[i];
        if (!differs)
            continue;
        printf("  contact %d:", (int)i);
        for (int32_t m = 0; m < result->motions; ++m)
            printf("%s %s", m > 0 ? " |" : "",
                   stic_branch_state_name((SticBranchState)result->solution[m].state[i]));
        printf("\n");
    }
}

/* ---- the file ---- */

static CliExit run(const CliCall* call)
{
    const char* path = call->operand[0];
    SticEnumerateSettings settings = stic_enumerate_default_settings();
    SticEnumeration result;
    SticFormat format = STIC_FORMAT_AUTO;
    SticProblemStore* store = NULL;
    SticArena* arena = NULL;
    SticError error = {0};
    CliExit end = cli_format_option(call, &format);
    if (end == CLI_DONE)
        end = cli_set_fields(call, &stic_enumerate_fields, &settings);
    if (end == CLI_DONE)
        end = cli_problem_read(call->context, path, format, &store);
    if (end != CLI_DONE)
        return end;
    const SticProblem* problem = stic_problem_view(store);
    SticStatus status = stic_arena_create(call->context, 0, &arena);
    if (status == STIC_OK)
        status = stic_solutions_enumerate(problem, &settings, arena, &result, &error);
    if (status == STIC_OK && cli_call_option(call, "json") != NULL) {
        print_json(path, problem, &result);
    } else if (status == STIC_OK) {
        print_count(path, &result);
        for (int32_t m = 0; m < result.motions; ++m)
            print_solution(problem, &result.solution[m], m + 1);
        print_differences(problem, &result);
    }
    stic_arena_destroy(arena);
    stic_problem_destroy(store);
    if (status != STIC_OK)
        return cli_report(&error, status, path);
    return result.motions > 0 ? CLI_DONE : CLI_UNSOLVED;
}

const CliCommand cli_command_enumerate = {
    .name = "enumerate",
    .operands = "FILE",
    .text = "List all solutions of a small problem.",
    .details =
        "Tries every combination of contact states: open, stick and sliding in the plane both "
        "ways; "
        "in space one or two sliding contacts. Each solution is checked by its residual; solutions "
        "with the same motion count once, with the dimension of the set of their reactions. "
        "'exactly' means that every other combination was decided; 'at least', that two contacts "
        "slide in space at once in one of them, where directions are only sampled, or that a "
        "combination was too close to call. The exit code is 1 if no solution was found.",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
