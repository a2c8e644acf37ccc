// SPDX-License-Identifier: Apache-2.0
// Names and values of settings, line by line for completion.
#include "list_values.h"

#include <string.h>

#include "print.h"
#include "stiction/extend/certify.h"
#include "stiction/extend/result.h"
#include "stiction/extend/scene.h"
#include "stiction/extend/solver.h"
#include "stiction/extend/step.h"

enum { LINE = 96 };

// lines that were printed: schemes and solvers have settings of the same name
typedef struct Lines {
    const SticContext* context;
    char (*seen)[LINE];
    size_t count, capacity;
    bool with_values;
    SticStatus status;
} Lines;

static void put(Lines* lines, const char* group, const char* name, const char* value)
{
    char line[LINE];
    const bool dot = name[0] != '\0';
    snprintf(line, sizeof line, "%s%s%s%s%s", group, dot ? "." : "", name,
             lines->with_values ? "=" : "", lines->with_values ? value : "");
    for (size_t i = 0; i < lines->count; ++i)
        if (strcmp(lines->seen[i], line) == 0)
            return;
    if (lines->status == STIC_OK)
        lines->status =
            STIC_RESERVE(lines->context, &lines->seen, &lines->capacity, lines->count + 1);
    if (lines->status != STIC_OK)
        return;
    memcpy(lines->seen[lines->count++], line, sizeof line);
    puts(line);
}

static void put_table(Lines* lines, const char* group, const SticFieldTable* table)
{
    for (int32_t i = 0; table != NULL && i < table->count; ++i) {
        const SticField* field = &table->fields[i];
        static const char* const flags[] = {"true", "false", NULL};
        const char* const* words = field->type == STIC_FIELD_CHOICE ? field->choices
                                   : field->type == STIC_FIELD_BOOL ? flags
                                                                    : NULL;
        for (int32_t k = 0; words != NULL && words[k] != NULL; ++k)
            put(lines, group, field->name, words[k]);
        if (words == NULL)
            put(lines, group, field->name, "");
    }
}

// the words of "stop, retry, adapt; default adapt" or "true or false; …"; false: there are none
static bool put_accepted(Lines* lines, const SticSceneField* field)
{
    char text[sizeof field->accepted];
    bool any = false;
    // a range, "[0, 20]", has no words
    if (strchr(field->accepted, '[') != NULL)
        return false;
    snprintf(text, sizeof text, "%.*s", (int)strcspn(field->accepted, ";"), field->accepted);
    if (strcmp(text, "true or false") == 0)
        snprintf(text, sizeof text, "true, false");
    for (char* at = text; *at != '\0';) {
        const size_t length = strcspn(at, ",");
        const bool last = at[length] == '\0';
        at[length] = '\0';
        if (strchr(at, ' ') == NULL) {
            put(lines, field->statement, field->name, at);
            any = true;
        }
        at += length + (last ? 0 : 1);
        at += strspn(at, " ");
    }
    return any;
}

// of a scene: what runs, and with which settings
static void put_scene(Lines* lines)
{
    SticSceneField field;
    for (int32_t i = 0; stic_scene_field(i, &field); ++i)
        if (strcmp(field.statement, "run") == 0 && !put_accepted(lines, &field))
            put(lines, field.statement, field.name, "");
    put_table(lines, "output", &stic_output_fields);
    for (const SticScheme* scheme = stic_scheme_table; scheme->name != NULL; ++scheme)
        put_table(lines, "scheme", scheme->fields);
}

static void put_solver_names(Lines* lines)
{
    for (const SticScheme* scheme = stic_scheme_table; scheme->name != NULL; ++scheme)
        put(lines, "scheme", "", scheme->name);
    for (const SticSolver* solver = stic_solver_table; solver->name != NULL; ++solver)
        put(lines, "solver", "", solver->name);
    put_table(lines, "solver", &stic_solve_fields);
}

static void put_solvers(Lines* lines, const char* group)
{
    for (const SticSolver* solver = stic_solver_table; solver->name != NULL; ++solver)
        if (solver->fields != NULL)
            put_table(lines, group != NULL ? group : solver->fields->name, solver->fields);
}

static CliExit end(Lines* lines)
{
    STIC_RELEASE(lines->context, lines->seen, lines->capacity);
    return lines->status == STIC_OK ? CLI_DONE : cli_out_of_memory();
}

CliExit cli_list_setting_names(const SticContext* context)
{
    Lines lines = {.context = context};
    put_scene(&lines);
    put_table(&lines, "solve", &stic_solve_fields);
    put_solvers(&lines, NULL);
    put_table(&lines, "existence", &stic_existence_fields);
    put_table(&lines, "enumerate", &stic_enumerate_fields);
    return end(&lines);
}

CliExit cli_list_setting_values(const CliCall* call, const char* command)
{
    Lines lines = {.context = call->context, .with_values = true};
    static const char* const scenes[] = {"run", "sweep", "limit", "compare"};
    bool scene = false;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i)
        scene = scene || strcmp(command, scenes[i]) == 0;
    if (scene) {
        put_scene(&lines);
        put_solver_names(&lines);
        put_solvers(&lines, "solver");
    } else if (strcmp(command, "solve") == 0) {
        put_table(&lines, "solve", &stic_solve_fields);
        put_solvers(&lines, NULL);
    } else if (strcmp(command, "existence") == 0) {
        put_table(&lines, command, &stic_existence_fields);
    } else if (strcmp(command, "enumerate") == 0) {
        put_table(&lines, command, &stic_enumerate_fields);
    } else {
        return cli_usage_error(call->command->name,
                               "--values: '%s' has no --set; run, sweep, limit, compare, solve, "
                               "existence and enumerate have",
                               command);
    }
    return end(&lines);
}
