// SPDX-License-Identifier: Apache-2.0
// Rows of `stiction solve`.
#include "solve_row.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "json.h"

enum { WIDEST_NAME = 48, NUMBER = 32 };

static const char* norm_text(const CliSolvePlan* plan)
{
    static const char* const texts[] = {"relative", "siconos", "unit-free"};
    return texts[plan->settings.norm];
}

/* ---- for people ---- */

// letters of the folders that all files share
static size_t common_folder(const CliCall* call)
{
    const char* first = call->operand[0];
    const char* slash = strrchr(first, '/');
    size_t length = slash != NULL ? (size_t)(slash - first) + 1 : 0;
    for (int32_t i = 1; i < call->operand_count; ++i)
        while (length > 0 && strncmp(first, call->operand[i], length) != 0)
            for (--length; length > 0 && first[length - 1] != '/';)
                --length;
    return length;
}

static int32_t problem_width(const CliCall* call, size_t folder)
{
    int32_t width = 0;
    for (int32_t i = 0; i < call->operand_count; ++i) {
        const int32_t next = cli_text_width(call->operand[i] + folder);
        width = next > width ? next : width;
    }
    return width < WIDEST_NAME ? width : WIDEST_NAME;
}

static int32_t solver_width(const CliSolvePlan* plan)
{
    int32_t width = 0;
    for (int32_t i = 0; i < plan->solver_count; ++i) {
        const int32_t next = cli_text_width(stic_solver_table[i].name);
        width = cli_solve_plan_takes(plan, i) && next > width ? next : width;
    }
    return width;
}

static const char* const heads[] = {"problem", "contacts",   "dim",     "solver",
                                    "outcome", "iterations", "seconds", "relative",
                                    "siconos", "unit-free",  NULL};

CliSolveTable cli_solve_table(const CliCall* call, const CliSolvePlan* plan)
{
    CliSolveTable table = {.folder = common_folder(call)};
    cli_table_column(&table.columns, heads[0], problem_width(call, table.folder), true);
    cli_table_column(&table.columns, heads[1], 0, false);
    cli_table_column(&table.columns, heads[2], 0, false);
    cli_table_column(&table.columns, heads[3], solver_width(plan), true);
    cli_table_column(&table.columns, heads[4], 15, true);
    for (int32_t i = 5; heads[i] != NULL; ++i)
        cli_table_column(&table.columns, heads[i], 8, false);
    return table;
}

static void print_heads(const CliSolvePlan* plan, const CliSolveTable* table)
{
    char tolerance[NUMBER];
    const int32_t threads = stic_pool_threads(plan->context.pool);
    cli_number_format(plan->settings.tolerance, tolerance, sizeof tolerance);
    printf("stiction %s: solved means that the %s error is at most %s; %d thread%s\n",
           stic_version(), norm_text(plan), tolerance, (int)threads, threads == 1 ? "" : "s");
    cli_table_row(&table->columns, heads);
}

static void print_table_row(const CliSolveTable* table, const CliSolveRow* row)
{
    char problem[CLI_CELL], contacts[NUMBER], dimension[NUMBER], iterations[NUMBER],
        seconds[NUMBER], error[3][NUMBER], refused[sizeof row->info->error.text + NUMBER];
    const SticSolveInfo* info = row->info;
    cli_text_fit(row->path + table->folder, table->columns.width[0], problem, sizeof problem);
    snprintf(contacts, sizeof contacts, "%d", (int)row->sizes.contacts);
    snprintf(dimension, sizeof dimension, "%d", (int)row->sizes.dimension);
    snprintf(iterations, sizeof iterations, "%d", (int)info->iterations);
    snprintf(seconds, sizeof seconds, "%.3g", info->seconds);
    for (int32_t i = 0; i < 3; ++i)
        snprintf(error[i], NUMBER, "%.2e", stic_errors_get(&info->errors, (SticNorm)i));
    const char* outcome = info->at_floor ? "solved at floor" : stic_outcome_name(info->outcome);
    const char* cells[] = {problem, contacts, dimension, row->solver->name, outcome, iterations,
                           seconds, error[0], error[1],  error[2],          NULL};
    if (row->refused) {
        snprintf(refused, sizeof refused, "refused: %s", info->error.text);
        cells[4] = refused;
        cells[5] = NULL;
    }
    cli_table_row(&table->columns, cells);
}

/* ---- for programs ---- */

static void json_errors(CliJson* json, const CliSolveRow* row)
{
    static const char* const names[] = {"error_relative", "error_siconos", "error_unit_free"};
    for (int32_t i = 0; i < 3; ++i)
        cli_json_real(json, names[i],
                      row->refused ? NAN : stic_errors_get(&row->info->errors, (SticNorm)i));
}

static void json_method(CliJson* json, const CliSolveRow* row)
{
    const SticSolveInfo* info = row->info;
    cli_json_text(json, "method", info->method);
    cli_json_bool(json, "at_floor", info->at_floor);
    cli_json_real(json, "work", info->work);
    cli_json_integer(json, "checks", info->checks);
    cli_json_integer(json, "factorisations", info->factorisations);
    cli_json_integer(json, "fallbacks", info->fallbacks);
    cli_json_real(json, "lipschitz", info->lipschitz > 0.0 ? info->lipschitz : NAN);
    const SticExistence* existence = row->existence;
    cli_json_text(json, "existence",
                  existence != NULL ? stic_verdict_name(existence->verdict) : NULL);
    cli_json_text(json, "certificate",
                  existence != NULL ? cli_certificate_name(existence->decided_by) : NULL);
    if (row->refused)
        cli_json_text(json, "reason", info->error.text);
}

static void json_problem(CliJson* json, const CliSolveRow* row)
{
    cli_json_text(json, "problem", row->path);
    cli_json_integer(json, "contacts", row->sizes.contacts);
    cli_json_integer(json, "dimension", row->sizes.dimension);
    cli_json_integer(json, "rows", row->problem->rows);
    cli_json_integer(json, "dof", row->problem->dof);
    cli_json_real(json, "density", row->sizes.density);
}

static void print_json_row(const CliSolvePlan* plan, const CliSolveRow* row)
{
    CliJson json = {.file = stdout};
    const SticSolveInfo* info = row->info;
    cli_json_begin(&json, NULL, '{');
    json_problem(&json, row);
    cli_json_text(&json, "solver", row->solver->name);
    cli_json_text(&json, "outcome", row->refused ? "refused" : stic_outcome_name(info->outcome));
    cli_json_integer(&json, "iterations", info->iterations);
    cli_json_real(&json, "seconds", info->seconds);
    json_errors(&json, row);
    cli_json_real(&json, "tolerance", plan->settings.tolerance);
    cli_json_text(&json, "norm", norm_text(plan));
    cli_json_integer(&json, "threads", stic_pool_threads(plan->context.pool));
    json_method(&json, row);
    cli_json_line(&json);
}

void cli_solve_print(const CliSolvePlan* plan, CliSolveTable* table, const CliSolveRow* row)
{
    if (plan->json) {
        print_json_row(plan, row);
    } else {
        if (table->rows == 0)
            print_heads(plan, table);
        print_table_row(table, row);
    }
    table->rows += 1;
    table->refused += row->refused;
    table->solved += !row->refused && row->info->outcome == STIC_OUTCOME_SOLVED;
    fflush(stdout);
}

void cli_solve_print_existence(const CliSolvePlan* plan, const SticExistence* existence)
{
    char text[CLI_CELL];
    if (plan->json)
        return;
    cli_existence_text(existence->verdict, existence->decided_by, text);
    printf("  %s\n", text);
}

void cli_solve_print_sum(const CliSolvePlan* plan, const CliSolveTable* table)
{
    if (plan->json || table->rows < 2)
        return;
    printf("%d of %d solved", (int)table->solved, (int)table->rows);
    if (table->refused > 0)
        printf(", %d refused", (int)table->refused);
    printf("\n");
}

/* ---- history ---- */

static SticStatus add_bytes(const SticContext* context, CliHistory* history, const char* bytes,
                            size_t count)
{
    STIC_TRY(STIC_RESERVE(context, &history->text, &history->capacity, history->size + count));
    memcpy(history->text + history->size, bytes, count);
    history->size += count;
    return STIC_OK;
}

// a field of a CSV file, quotes doubled
static SticStatus add_quoted(const SticContext* context, CliHistory* history, const char* text)
{
    STIC_TRY(add_bytes(context, history, "\"", 1));
    for (; *text != '\0'; ++text)
        STIC_TRY(add_bytes(context, history, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1));
    return add_bytes(context, history, "\",", 2);
}

SticStatus cli_history_add(const SticContext* context, CliHistory* history, const CliSolveRow* row)
{
    static const char head[] = "problem,solver,iteration,seconds,error\n";
    if (row == NULL)
        return add_bytes(context, history, head, strlen(head));
    const SticSolveInfo* info = row->info;
    for (int32_t i = 0; info->history != NULL && i < info->history_count; ++i) {
        const SticHistoryRecord* record = &info->history[i];
        char line[4 * NUMBER], error[NUMBER];
        cli_number_format(record->error, error, sizeof error);
        snprintf(line, sizeof line, "%s,%" PRId32 ",%.6f,%s\n", row->solver->name,
                 record->iteration, record->seconds, error);
        STIC_TRY(add_quoted(context, history, row->path));
        STIC_TRY(add_bytes(context, history, line, strlen(line)));
    }
    return STIC_OK;
}
