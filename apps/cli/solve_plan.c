// SPDX-License-Identifier: Apache-2.0
// Options of `stiction solve`. Settings go through their field tables, which check them.
#include "solve_plan.h"

#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "print.h"
#include "problem_file.h"

enum { LONGEST_NAME = 128, MOST_THREADS = 256, MOST_TABLES = 64 };

/* ---- solver ---- */

static CliExit choose_solver(const CliCall* call, CliSolvePlan* plan)
{
    static const char* const defaults[] = {"auto", "nsgs", NULL};
    const char* name = cli_call_option(call, "solver");
    SticError error = {0};
    if (name != NULL && strcmp(name, "all") == 0)
        return CLI_DONE;
    if (name != NULL) {
        plan->only = stic_solver_find(name, &error);
        return plan->only != NULL ? CLI_DONE
                                  : cli_usage_error(call->command->name, "%s", error.text);
    }
    for (int32_t i = 0; defaults[i] != NULL && plan->only == NULL; ++i)
        plan->only = stic_solver_find(defaults[i], NULL);
    return plan->only != NULL ? CLI_DONE : CLI_INTERNAL;
}

bool cli_solve_plan_takes(const CliSolvePlan* plan, int32_t index)
{
    return plan->only == NULL || plan->only == &stic_solver_table[index];
}

static CliExit take_settings(const CliCall* call, CliSolvePlan* plan)
{
    while (stic_solver_table[plan->solver_count].name != NULL)
        plan->solver_count += 1;
    if (STIC_ALLOCATE(call->context, &plan->method, plan->solver_count) != STIC_OK)
        return cli_out_of_memory();
    for (int32_t i = 0; i < plan->solver_count; ++i) {
        const SticFieldTable* fields = stic_solver_table[i].fields;
        if (stic_allocate(call->context, fields->size, &plan->method[i]) != STIC_OK)
            return cli_out_of_memory();
        stic_fields_default(fields, plan->method[i]);
    }
    return CLI_DONE;
}

/* ---- settings ---- */

static CliExit unknown_table(const CliCall* call, const char* word, const char* table)
{
    const char* names[MOST_TABLES + 2] = {stic_solve_fields.name};
    for (int32_t i = 0; i < MOST_TABLES && stic_solver_table[i].name != NULL; ++i)
        names[i + 1] = stic_solver_table[i].fields->name;
    const char* near = stic_suggest(table, names);
    if (near != NULL)
        return cli_usage_error(call->command->name,
                               "--set %s: nothing is called '%s'; did you mean '%s'?", word, table,
                               near);
    return cli_usage_error(call->command->name, "--set %s: nothing is called '%s'", word, table);
}

static CliExit set_method(const CliCall* call, CliSolvePlan* plan, const char* word,
                          const char* const part[3])
{
    bool found = false, used = false;
    for (int32_t i = 0; i < plan->solver_count; ++i) {
        const SticFieldTable* fields = stic_solver_table[i].fields;
        SticError error = {0};
        if (strcmp(fields->name, part[0]) != 0)
            continue;
        found = true;
        used = used || cli_solve_plan_takes(plan, i);
        if (stic_fields_set(fields, plan->method[i], part[1], part[2], &error) != STIC_OK)
            return cli_usage_error(call->command->name, "--set %s: %s", word, error.text);
    }
    if (!found)
        return unknown_table(call, word, part[0]);
    if (!used)
        return cli_usage_error(call->command->name,
                               "--set %s has no effect: the solver is %s, see --solver", word,
                               plan->only->name);
    return CLI_DONE;
}

// table.field=value
static CliExit set_by_name(const CliCall* call, CliSolvePlan* plan, const char* word)
{
    char name[LONGEST_NAME];
    const size_t length = strcspn(word, "=");
    char* dot = NULL;
    if (word[length] == '=' && length < sizeof name) {
        memcpy(name, word, length);
        name[length] = '\0';
        dot = strchr(name, '.');
    }
    if (dot == NULL)
        return cli_usage_error(call->command->name,
                               "--set %s: write it as table.field=value, such as "
                               "solve.tolerance=1e-10 or nsgs.omega=1.2",
                               word);
    *dot = '\0';
    const char* const part[3] = {name, dot + 1, word + length + 1};
    SticError error = {0};
    if (strcmp(part[0], stic_solve_fields.name) != 0)
        return set_method(call, plan, word, part);
    if (stic_fields_set(&stic_solve_fields, &plan->settings, part[1], part[2], &error) != STIC_OK)
        return cli_usage_error(call->command->name, "--set %s: %s", word, error.text);
    return CLI_DONE;
}

// options that are short names of common settings
static CliExit set_common(const CliCall* call, CliSolvePlan* plan, const CliGiven* given)
{
    static const struct {
        const char *option, *field;
    } shortcuts[] = {{"tol", "tolerance"},
                     {"norm", "norm"},
                     {"max-seconds", "max_seconds"},
                     {"max-iterations", "max_iterations"}};
    for (size_t i = 0; i < sizeof shortcuts / sizeof shortcuts[0]; ++i) {
        SticError error = {0};
        if (strcmp(given->option->name, shortcuts[i].option) == 0 &&
            stic_fields_set(&stic_solve_fields, &plan->settings, shortcuts[i].field, given->value,
                            &error) != STIC_OK)
            return cli_usage_error(call->command->name, "--%s %s: %s", given->option->name,
                                   given->value, error.text);
    }
    return CLI_DONE;
}

// in the order of the command line, so that the last word counts
static CliExit apply_settings(const CliCall* call, CliSolvePlan* plan)
{
    for (int32_t i = 0; i < call->given_count; ++i) {
        const CliGiven* given = &call->given[i];
        const CliExit result = strcmp(given->option->name, "set") == 0
                                   ? set_by_name(call, plan, given->value)
                                   : set_common(call, plan, given);
        if (result != CLI_DONE)
            return result;
    }
    return CLI_DONE;
}

/* ---- the rest ---- */

static CliExit start_threads(const CliCall* call, CliSolvePlan* plan)
{
    const char* text = cli_call_option(call, "threads");
    if (text == NULL)
        return CLI_DONE;
    char* end = NULL;
    const long threads = strtol(text, &end, 10);
    if (end == text || *end != '\0' || threads < 1 || threads > MOST_THREADS)
        return cli_usage_error(call->command->name,
                               "--threads %s: must be a whole number from 1 to %d", text,
                               MOST_THREADS);
    const SticStatus status =
        stic_pool_create(call->context, (int32_t)threads, &plan->context.pool);
    if (status == STIC_OK)
        return CLI_DONE;
    cli_message("%ld threads cannot be started", threads);
    return CLI_INTERNAL;
}

static CliExit choose_inquiry(const CliCall* call, CliSolvePlan* plan)
{
    return cli_existence_option(call, &plan->inquiry);
}

static CliExit choose_files(const CliCall* call, CliSolvePlan* plan)
{
    plan->json = cli_call_option(call, "json") != NULL;
    plan->output = cli_call_option(call, "output");
    plan->history = cli_call_option(call, "history");
    if (plan->history != NULL)
        plan->settings.keep_history = true;
    if (plan->output != NULL && call->operand_count > 1)
        return cli_usage_error(call->command->name,
                               "--output takes one problem, and there are %d files",
                               (int)call->operand_count);
    if (plan->output != NULL && cli_name_ends(plan->output, ".dat"))
        return cli_usage_error(call->command->name,
                               "--output %s: a .dat file cannot hold a solution, name it .h5",
                               plan->output);
    return cli_format_option(call, &plan->format);
}

CliExit cli_solve_plan(const CliCall* call, CliSolvePlan* plan)
{
    static CliExit (*const steps[])(const CliCall*, CliSolvePlan*) = {
        choose_solver, take_settings, apply_settings, choose_files, choose_inquiry, start_threads};
    *plan = (CliSolvePlan){.context = *call->context, .settings = stic_solve_default_settings()};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
        const CliExit result = steps[i](call, plan);
        if (result != CLI_DONE)
            return result;
    }
    return CLI_DONE;
}

void cli_solve_plan_clear(CliSolvePlan* plan)
{
    SticContext context = plan->context;
    stic_pool_destroy(plan->context.pool);
    context.pool = NULL;
    for (int32_t i = 0; plan->method != NULL && i < plan->solver_count; ++i)
        stic_release(&context, plan->method[i], stic_solver_table[i].fields->size);
    STIC_RELEASE(&context, plan->method, plan->solver_count);
    *plan = (CliSolvePlan){0};
}
