// SPDX-License-Identifier: Apache-2.0
// stiction existence: does a one-step problem have a solution?
#include <math.h>
#include <string.h>

#include "certify_options.h"
#include "commands.h"
#include "json.h"
#include "print.h"
#include "problem_file.h"

static const CliOption options[] = {
    {"enumerate", 0, NULL,
     "where the verdict is unknown and the problem is small, try every combination of contact "
     "states"},
    {"set", 0, "A.B=V",
     "set field B of the table existence; may be repeated; see 'stiction list settings'"},
    CLI_OPTION_FORMAT,
    {"json", 0, NULL, "print one JSON object per line and file instead of a table"},
    {NULL, 0, NULL, NULL},
};

enum { WIDEST_NAME = 48, NUMBER = 32 };

typedef struct Job {
    const CliCall* call;
    SticExistenceSettings settings;
    SticFormat format;
    CliTable table;
} Job;

// what is known about a file
typedef struct Answer {
    const char* path;
    CliSizes sizes;
    const SticProblem* problem;
    SticExistence existence;
} Answer;

/* ---- output ---- */

static void print_json(const Answer* answer)
{
    const SticExistence* result = &answer->existence;
    CliJson json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "problem", answer->path);
    cli_json_integer(&json, "contacts", answer->sizes.contacts);
    cli_json_integer(&json, "dimension", answer->sizes.dimension);
    cli_json_integer(&json, "rows", answer->problem->rows);
    cli_json_integer(&json, "dof", answer->problem->dof);
    cli_json_text(&json, "verdict", stic_verdict_name(result->verdict));
    cli_json_text(&json, "certificate", cli_certificate_name(result->decided_by));
    cli_json_real(&json, "margin", result->margin);
    cli_json_real(&json, "margin_most", result->margin_most);
    cli_json_real(&json, "necessary_most", result->necessary_most);
    cli_json_real(&json, "size", result->size);
    cli_json_text(&json, "witness_by", stic_evidence_name(result->found_by));
    cli_json_text(&json, "multipliers_by", stic_evidence_name(result->refuted_by));
    cli_json_bool(&json, "applies", result->applies);
    cli_json_bool(&json, "symmetrised", result->symmetrised);
    cli_json_integer(&json, "steps", result->steps);
    cli_json_real(&json, "seconds", result->seconds);
    cli_json_integer(&json, "bytes", (int64_t)result->bytes);
    cli_json_line(&json);
}

static const char* const heads[] = {"problem", "contacts",    "verdict", "margin",
                                    "at most", "certificate", "seconds", NULL};

static void print_row(const Job* job, const Answer* answer)
{
    const SticExistence* result = &answer->existence;
    char name[CLI_CELL], contacts[NUMBER], margin[NUMBER], most[NUMBER], seconds[NUMBER];
    const char* kind = cli_certificate_name(result->decided_by);
    cli_text_fit(answer->path, WIDEST_NAME, name, sizeof name);
    snprintf(contacts, sizeof contacts, "%d", (int)answer->sizes.contacts);
    snprintf(margin, sizeof margin, "%.3e", result->margin);
    snprintf(most, sizeof most, "%.3e", result->margin_most);
    snprintf(seconds, sizeof seconds, "%.3f", result->seconds);
    // a margin beyond the bound of the program says no more than the bound
    const bool far = result->margin_most > result->size;
    const char* const cells[] = {name,
                                 contacts,
                                 stic_verdict_name(result->verdict),
                                 result->applies ? margin : "-",
                                 result->applies && !far ? most : "-",
                                 kind != NULL ? kind : "-",
                                 seconds,
                                 NULL};
    cli_table_row(&job->table, cells);
}

/* ---- one file ---- */

static CliExit show_file(const Job* job, const char* path)
{
    Answer answer = {.path = path};
    SticProblemStore* store = NULL;
    SticArena* arena = NULL;
    SticError error = {0};
    const CliExit result = cli_problem_read(job->call->context, path, job->format, &store);
    if (result != CLI_DONE)
        return result;
    answer.problem = stic_problem_view(store);
    answer.sizes = cli_problem_sizes(answer.problem);
    SticStatus status = stic_arena_create(job->call->context, 0, &arena);
    if (status == STIC_OK)
        status =
            stic_existence_decide(answer.problem, &job->settings, arena, &answer.existence, &error);
    if (status == STIC_OK && cli_call_option(job->call, "json") != NULL)
        print_json(&answer);
    else if (status == STIC_OK)
        print_row(job, &answer);
    stic_arena_destroy(arena);
    stic_problem_destroy(store);
    if (status != STIC_OK)
        return cli_report(&error, status, path);
    return answer.existence.verdict <= STIC_VERDICT_EXISTS_BORDERLINE ? CLI_DONE : CLI_UNSOLVED;
}

static CliExit run(const CliCall* call)
{
    Job job = {.call = call, .settings = stic_existence_default_settings()};
    CliExit result = cli_format_option(call, &job.format);
    if (result == CLI_DONE)
        result = cli_set_fields(call, &stic_existence_fields, &job.settings);
    if (result != CLI_DONE)
        return result;
    if (cli_call_option(call, "enumerate") != NULL && job.settings.branches == 0)
        job.settings.branches = stic_enumerate_default_settings().most_branches;
    int32_t width = 0;
    for (int32_t i = 0; i < call->operand_count; ++i) {
        const int32_t next = cli_text_width(call->operand[i]);
        width = next > width ? next : width;
    }
    cli_table_column(&job.table, heads[0], width < WIDEST_NAME ? width : WIDEST_NAME, true);
    cli_table_column(&job.table, heads[1], 0, false);
    cli_table_column(&job.table, heads[2], 17, true);
    cli_table_column(&job.table, heads[3], 10, false);
    cli_table_column(&job.table, heads[4], 10, false);
    cli_table_column(&job.table, heads[5], 22, true);
    cli_table_column(&job.table, heads[6], 8, false);
    if (cli_call_option(call, "json") == NULL)
        cli_table_row(&job.table, heads);
    for (int32_t i = 0; i < call->operand_count && !cli_output_closed(); ++i) {
        result = cli_worse(result, show_file(&job, call->operand[i]));
        fflush(stdout);
    }
    return result;
}

const CliCommand cli_command_existence = {
    .name = "existence",
    .operands = "FILE…",
    .text = "Say whether problems have a solution, with a certificate.",
    .details =
        "exists-robust and exists-borderline: a velocity was found that every contact admits "
        "(condition A of Acary and Cadoux), with a positive margin or one of 0. none: even "
        "non-negative normal velocities are impossible. unknown: neither. Velocities and "
        "multipliers are checked by substitution in twice the precision, and only that decides the "
        "word.\n\n"
        "The margin is in m/s; '-' where there is no bound below max|w|, or where the theorem does "
        "not apply (other laws, an unsymmetric W). The exit code is 1 if a verdict is unknown or "
        "none.",
    .least = 1,
    .most = INT32_MAX,
    .options = options,
    .run = run,
};
