// SPDX-License-Identifier: Apache-2.0
// stiction events: what happened in a run, and when.
#include <string.h>

#include "commands.h"
#include "json.h"
#include "print.h"
#include "stiction/extend/result.h"

enum { NAME = STIC_NAME_SIZE + 16, PAIR = 2 * NAME, NUMBER = 40 };

static const CliOption options[] = {
    {"kind", 0, "KINDS",
     "only these, with commas between: impact, touch, take-off, slip, stick, leap, branch, "
     "impact-branch"},
    {"body", 0, "BODY", "only what this body takes part in"},
    {"csv", 0, NULL, "print CSV"},
    {"json", 0, NULL, "print one JSON object per line and event"},
    {NULL, 0, NULL, NULL},
};

// what is asked for
typedef struct Filter {
    uint32_t kinds; // bits of SticEventKind
    int32_t body;   // row; -1: any
} Filter;

/* ---- options ---- */

static CliExit take_kinds(const CliCall* call, Filter* filter)
{
    const char* words = cli_call_option(call, "kind");
    const char* names[STIC_EVENT_COUNT + 1] = {NULL};
    for (int k = 0; k < STIC_EVENT_COUNT; ++k)
        names[k] = stic_event_name((SticEventKind)k);
    filter->kinds = words == NULL ? ~0u : 0u;
    while (words != NULL && *words != '\0') {
        char word[NUMBER];
        const size_t length = strcspn(words, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        int kind = 0;
        while (kind < STIC_EVENT_COUNT && strcmp(names[kind], word) != 0)
            ++kind;
        if (kind == STIC_EVENT_COUNT) {
            const char* near = stic_suggest(word, names);
            return cli_usage_error(call->command->name, "--kind: there is no kind '%s'%s%s%s", word,
                                   near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                                   near != NULL ? "'?" : "");
        }
        filter->kinds |= 1u << kind;
        words += length + (words[length] == ',' ? 1 : 0);
    }
    return CLI_DONE;
}

static CliExit take_body(const CliCall* call, const SticResult* result, SticArena* arena,
                         Filter* filter)
{
    const char* word = cli_call_option(call, "body");
    const int32_t count = stic_result_info(result)->bodies;
    const char** names = NULL;
    filter->body = -1;
    if (word == NULL)
        return CLI_DONE;
    if (STIC_TAKE(arena, &names, count + 1) != STIC_OK)
        return cli_out_of_memory();
    names[count] = NULL;
    for (int32_t b = 0; b < count; ++b) {
        names[b] = stic_result_body(result, b);
        if (strcmp(names[b], word) == 0) {
            filter->body = b;
            return CLI_DONE;
        }
    }
    const char* near = stic_suggest(word, names);
    return cli_usage_error(call->command->name, "--body: there is no body '%s'%s%s%s", word,
                           near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                           near != NULL ? "'?" : "");
}

/* ---- printing ---- */

// name of a body, or its number where it has none; "" for no body
static void name_body(const SticResult* result, int32_t body, char name[NAME])
{
    const char* own = stic_result_body(result, body);
    if (body < 0)
        name[0] = '\0';
    else if (own[0] != '\0')
        snprintf(name, NAME, "%s", own);
    else
        snprintf(name, NAME, "%s %d", stic_result_info(result)->bodies > 0 ? "body" : "coordinates",
                 (int)body);
}

// what the value of an event is; "" if it has none
static const char* unit_of(uint8_t kind)
{
    return kind == STIC_EVENT_IMPACT          ? "m/s"
           : kind == STIC_EVENT_LEAP          ? "s"
           : kind == STIC_EVENT_BRANCH        ? "W"
           : kind == STIC_EVENT_IMPACT_BRANCH ? "J"
                                              : "";
}

static void print_object(const SticResultEvents* events, int64_t i, char name[2][NAME])
{
    CliJson json = {.file = stdout};
    const char* unit = unit_of(events->kind[i]);
    cli_json_begin(&json, NULL, '{');
    cli_json_real(&json, "time", events->time[i]);
    cli_json_text(&json, "kind", stic_event_name((SticEventKind)events->kind[i]));
    cli_json_begin(&json, "bodies", '[');
    for (int k = 0; k < 2; ++k)
        if (events->body[i][k] >= 0)
            cli_json_text(&json, NULL, name[k]);
    cli_json_end(&json, ']');
    cli_json_integer(&json, "points", events->points[i]);
    if (unit[0] != '\0') {
        cli_json_real(&json, "value", events->value[i]);
        cli_json_text(&json, "unit", unit);
    }
    cli_json_line(&json);
}

static void print_csv(const SticResultEvents* events, int64_t i, char name[2][NAME])
{
    const char* unit = unit_of(events->kind[i]);
    printf("%.17g,%s,", events->time[i], stic_event_name((SticEventKind)events->kind[i]));
    cli_csv_cell(stdout, name[0]);
    putchar(',');
    cli_csv_cell(stdout, name[1]);
    printf(",%d,", (int)events->points[i]);
    if (unit[0] != '\0')
        printf("%.17g", events->value[i]);
    printf(",%s\n", unit);
}

static void print_row(const CliTable* table, const SticResultEvents* events, int64_t i,
                      char name[2][NAME])
{
    char time[NUMBER], value[NUMBER] = "", both[PAIR + 8], bodies[4 * PAIR];
    const char* unit = unit_of(events->kind[i]);
    snprintf(time, sizeof time, "%.9f", events->time[i]);
    if (unit[0] != '\0')
        snprintf(value, sizeof value, "%.6g %s", events->value[i], unit);
    snprintf(both, sizeof both, "%s%s%s", name[0],
             name[0][0] != '\0' && name[1][0] != '\0' ? " and " : "", name[1]);
    cli_text_fit(both, PAIR, bodies, sizeof bodies);
    const char* cells[] = {time, stic_event_name((SticEventKind)events->kind[i]), value, bodies,
                           NULL};
    cli_table_row(table, cells);
}

static void print_events(const CliCall* call, const SticResult* result,
                         const SticResultEvents* events, const Filter* filter)
{
    const bool json = cli_call_option(call, "json") != NULL;
    const bool csv = cli_call_option(call, "csv") != NULL;
    CliTable table = {0};
    const char* heads[] = {"time, s", "kind", "value", "bodies", NULL};
    cli_table_column(&table, heads[0], 14, false);
    cli_table_column(&table, heads[1], 8, true);
    cli_table_column(&table, heads[2], 14, false);
    cli_table_column(&table, heads[3], 0, true);
    if (csv)
        puts("time,kind,body_a,body_b,points,value,unit");
    else if (!json && events->count > 0)
        cli_table_row(&table, heads);
    for (int64_t i = 0; i < events->count && !cli_output_closed(); ++i) {
        char name[2][NAME];
        const int32_t* body = events->body[i];
        const bool part = filter->body < 0 || body[0] == filter->body || body[1] == filter->body;
        if (!part || (filter->kinds >> events->kind[i] & 1u) == 0)
            continue;
        name_body(result, body[0], name[0]);
        name_body(result, body[1], name[1]);
        if (json)
            print_object(events, i, name);
        else if (csv)
            print_csv(events, i, name);
        else
            print_row(&table, events, i, name);
    }
}

static CliExit list_events(const CliCall* call, SticResult* result, SticArena* arena)
{
    SticError error = {0};
    SticResultEvents events;
    Filter filter;
    CliExit code = take_kinds(call, &filter);
    if (code == CLI_DONE)
        code = take_body(call, result, arena, &filter);
    if (code != CLI_DONE)
        return code;
    const SticStatus status = stic_result_events(result, arena, &events, &error);
    if (status != STIC_OK)
        return cli_report(&error, status, call->operand[0]);
    print_events(call, result, &events, &filter);
    if (!events.stored)
        cli_message("%s: no events are stored; the schemes event and relaxed find them, with "
                    "output.solver on, and this run has the scheme %s",
                    call->operand[0], stic_result_info(result)->scheme);
    return CLI_DONE;
}

static CliExit run(const CliCall* call)
{
    SticError error = {0};
    SticResult* result = NULL;
    SticArena* arena = NULL;
    if (cli_call_option(call, "csv") != NULL && cli_call_option(call, "json") != NULL)
        return cli_usage_error(call->command->name, "either --csv or --json");
    const SticStatus status = stic_result_open(call->context, call->operand[0], &result, &error);
    if (status != STIC_OK)
        return cli_report(&error, status, call->operand[0]);
    CliExit code = CLI_DONE;
    if (stic_arena_create(call->context, 0, &arena) != STIC_OK)
        code = cli_out_of_memory();
    if (code == CLI_DONE)
        code = list_events(call, result, arena);
    stic_arena_destroy(arena);
    stic_result_close(result);
    return code;
}

const CliCommand cli_command_events = {
    .name = "events",
    .operands = "FILE.h5",
    .text = "List the events of a result: impacts, touches, take-offs, slip and stick.",
    .details =
        "The scheme event finds the instants at which contacts change; relaxed lists branches "
        "only. An "
        "impact comes with its largest approach, a leap over impacts that accumulate with its "
        "length, a branch (one of several solutions of an instant) with the power of its "
        "reactions, one of an impact or a leap with the kinetic energy behind it. Times are "
        "printed to a nanosecond; CSV and JSON hold all digits.",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
