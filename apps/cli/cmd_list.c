// SPDX-License-Identifier: Apache-2.0
// stiction list: what the tables of the library hold.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "json.h"
#include "list_values.h"
#include "print.h"
#include "scenes.h"
#include "stiction/extend/certify.h"
#include "stiction/extend/law.h"
#include "stiction/extend/result.h"
#include "stiction/extend/scene.h"
#include "stiction/extend/solver.h"
#include "stiction/extend/step.h"
#include "stiction/extend/system.h"

enum { NAME_COLUMN = 26, FIELD_COLUMN = 34, FIELD_TEXT = 640, NUMBER = 32 };

static const CliOption options[] = {
    {"json", 0, NULL, "print one JSON object per line"},
    {"names", 0, NULL, "print only the names, one per line"},
    {"values", 0, "COMMAND",
     "of settings: print what --set of COMMAND takes, one per line: NAME=VALUE for words, NAME= "
     "for "
     "numbers"},
    {NULL, 0, NULL, NULL},
};

// the form of a list: for people, JSON lines, or names alone
typedef struct List {
    CliJson json;
    bool is_json, is_names;
} List;

static const char* determinism_name(SticDeterminism determinism)
{
    static const char* const names[] = {"strict", "library", "free"};
    return names[determinism];
}

/* ---- fields of settings ---- */

static const char* field_type(const SticField* field)
{
    static const char* const names[] = {"real", "integer", "flag", "choice"};
    return names[field->type];
}

// the default as one would write it
static void field_initial(const SticField* field, char text[NUMBER])
{
    if (field->type == STIC_FIELD_CHOICE)
        snprintf(text, NUMBER, "%s", field->choices[(int32_t)field->initial]);
    else if (field->type == STIC_FIELD_BOOL)
        snprintf(text, NUMBER, "%s", field->initial != 0.0 ? "true" : "false");
    else if (field->type == STIC_FIELD_INT)
        snprintf(text, NUMBER, "%.0f", field->initial);
    else
        cli_number_format(field->initial, text, NUMBER);
}

// the accepted values as one would write them
static void field_range(const SticField* field, char* text, size_t size)
{
    char low[NUMBER], high[NUMBER];
    size_t used = 0;
    if (field->type == STIC_FIELD_BOOL) {
        snprintf(text, size, "true or false");
    } else if (field->type == STIC_FIELD_CHOICE) {
        for (int32_t i = 0; field->choices[i] != NULL && used < size; ++i)
            used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "",
                                     field->choices[i]);
    } else if (field->type == STIC_FIELD_INT) {
        snprintf(text, size, "%.0f to %.0f", field->low, field->high);
    } else {
        cli_number_format(field->low, low, sizeof low);
        cli_number_format(field->high, high, sizeof high);
        snprintf(text, size, "%s to %s", low, high);
    }
}

static void json_number(CliJson* json, const char* name, const SticField* field, double value)
{
    if (field->type == STIC_FIELD_INT)
        cli_json_integer(json, name, (int64_t)value);
    else
        cli_json_real(json, name, value);
}

static void json_field(CliJson* json, const SticField* field)
{
    char initial[NUMBER];
    field_initial(field, initial);
    cli_json_begin(json, NULL, '{');
    cli_json_text(json, "name", field->name);
    cli_json_text(json, "type", field_type(field));
    if (field->type == STIC_FIELD_CHOICE)
        cli_json_text(json, "default", initial);
    else if (field->type == STIC_FIELD_BOOL)
        cli_json_bool(json, "default", field->initial != 0.0);
    else
        json_number(json, "default", field, field->initial);
    if (field->type == STIC_FIELD_DOUBLE || field->type == STIC_FIELD_INT) {
        json_number(json, "low", field, field->low);
        json_number(json, "high", field, field->high);
    }
    if (field->type == STIC_FIELD_CHOICE) {
        cli_json_begin(json, "choices", '[');
        for (int32_t i = 0; field->choices[i] != NULL; ++i)
            cli_json_text(json, NULL, field->choices[i]);
        cli_json_end(json, ']');
    }
    cli_json_text(json, "unit", field->unit);
    cli_json_text(json, "text", field->text);
    cli_json_end(json, '}');
}

static void json_fields(CliJson* json, const char* name, const SticFieldTable* table)
{
    cli_json_begin(json, name, '[');
    for (int32_t i = 0; table != NULL && i < table->count; ++i)
        json_field(json, &table->fields[i]);
    cli_json_end(json, ']');
}

// `name` is what the command line and scenes call the table
static void print_fields(const SticFieldTable* table, const char* name)
{
    for (int32_t i = 0; i < table->count; ++i) {
        const SticField* field = &table->fields[i];
        char left[NUMBER * 3], initial[NUMBER], range[FIELD_TEXT / 2], text[FIELD_TEXT * 2];
        field_initial(field, initial);
        field_range(field, range, sizeof range);
        snprintf(left, sizeof left, "  %s.%s = %s", name, field->name, initial);
        snprintf(text, sizeof text, "%s (%s%s%s)", field->text, range,
                 strcmp(field->unit, "-") != 0 ? "; " : "",
                 strcmp(field->unit, "-") != 0 ? field->unit : "");
        cli_print_item(stdout, left, text, FIELD_COLUMN);
    }
}

/* ---- the topics ---- */

// an entry of a list for people, or its name alone; false: it is to be an object of JSON
static bool print_entry(const List* list, const char* name, const char* note, const char* text)
{
    if (list->is_json)
        return false;
    if (list->is_names) {
        puts(name);
        return true;
    }
    char left[NUMBER * 2];
    snprintf(left, sizeof left, "%-16s%s", name, note != NULL ? note : "");
    cli_print_item(stdout, left, text, NAME_COLUMN);
    return true;
}

static void json_start(CliJson* json, const char* name, const char* text)
{
    cli_json_begin(json, NULL, '{');
    cli_json_text(json, "name", name);
    cli_json_text(json, "text", text);
}

static void json_laws(CliJson* json, uint32_t laws)
{
    cli_json_begin(json, "laws", '[');
    for (int32_t i = 0; i < STIC_LAW_COUNT; ++i)
        if ((laws & STIC_LAW_BIT(i)) != 0)
            cli_json_text(json, NULL, stic_law_name((SticLaw)i));
    cli_json_end(json, ']');
}

static void json_facts(CliJson* json, uint32_t facts)
{
    static const char* const names[] = {"symmetric", "positive-definite", "foreign-bound",
                                        "convex"};
    cli_json_begin(json, "needs", '[');
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if ((facts & (1u << i)) != 0)
            cli_json_text(json, NULL, names[i]);
    cli_json_end(json, ']');
}

static void list_solvers(List* list)
{
    CliJson* json = &list->json;
    for (const SticSolver* solver = stic_solver_table; solver->name != NULL; ++solver) {
        if (print_entry(list, solver->name, determinism_name(solver->determinism), solver->text))
            continue;
        json_start(json, solver->name, solver->text);
        cli_json_text(json, "determinism", determinism_name(solver->determinism));
        json_laws(json, solver->laws);
        json_facts(json, solver->facts);
        cli_json_text(json, "table", solver->fields->name);
        json_fields(json, "settings", solver->fields);
        cli_json_line(json);
    }
}

static void list_laws(List* list)
{
    CliJson* json = &list->json;
    for (int32_t i = 0; i < STIC_LAW_COUNT; ++i) {
        const SticLaw law = (SticLaw)i;
        if (print_entry(list, stic_law_name(law), NULL, stic_law_text(law)))
            continue;
        json_start(json, stic_law_name(law), stic_law_text(law));
        cli_json_begin(json, "rows", '[');
        for (int32_t rows = 1; rows <= 6; ++rows)
            if (stic_law_takes_rows(law, rows))
                cli_json_integer(json, NULL, rows);
        cli_json_end(json, ']');
        cli_json_bool(json, "has_normal", stic_law_has_normal(law));
        cli_json_line(json);
    }
}

// what a scheme keeps in every solved step, with the defaults of its settings
static void print_promises(uint32_t promises)
{
    for (int k = 0; k < STIC_PROMISE_COUNT; ++k)
        if (promises & STIC_PROMISE_BIT(k))
            cli_print_item(stdout, "    promises:", stic_promise_texts[k], 14);
}

static void list_schemes(List* list)
{
    CliJson* json = &list->json;
    for (const SticScheme* scheme = stic_scheme_table; scheme->name != NULL; ++scheme) {
        if (print_entry(list, scheme->name, determinism_name(scheme->determinism), scheme->text)) {
            if (list->is_names)
                continue;
            print_promises(scheme->promises);
            if (scheme->fields != NULL)
                print_fields(scheme->fields, "scheme");
            continue;
        }
        json_start(json, scheme->name, scheme->text);
        cli_json_text(json, "determinism", determinism_name(scheme->determinism));
        cli_json_begin(json, "promises", '[');
        for (int k = 0; k < STIC_PROMISE_COUNT; ++k)
            if (scheme->promises & STIC_PROMISE_BIT(k))
                cli_json_text(json, NULL, stic_promise_names[k]);
        cli_json_end(json, ']');
        json_fields(json, "settings", scheme->fields);
        cli_json_line(json);
    }
}

static void list_models(List* list)
{
    CliJson* json = &list->json;
    for (int32_t i = 0; stic_model_table[i] != NULL; ++i) {
        const SticModel* model = stic_model_table[i];
        if (print_entry(list, model->name, NULL, model->text))
            continue;
        json_start(json, model->name, model->text);
        json_fields(json, "parameters", model->fields);
        cli_json_line(json);
    }
}

// `group` is the word before the dot in --set
static void list_table(List* list, const SticFieldTable* table, const char* group, const char* text)
{
    CliJson* json = &list->json;
    if (table == NULL || table->count == 0)
        return;
    if (!list->is_json) {
        const bool same = strcmp(group, table->name) == 0;
        char heading[NUMBER * 3];
        snprintf(heading, sizeof heading, "%s%s%s:", same ? "" : group, same ? "" : " ",
                 table->name);
        cli_print_item(stdout, heading, text, cli_text_width(heading) + 1);
        print_fields(table, group);
        return;
    }
    json_start(json, table->name, text);
    cli_json_text(json, "group", group);
    json_fields(json, "settings", table);
    cli_json_line(json);
}

// fields of run{}, which scenes set and --set changes
static void list_run(List* list)
{
    CliJson* json = &list->json;
    static const char text[] = "of run{} in a scene";
    SticSceneField field;
    if (list->is_json) {
        json_start(json, "run", text);
        cli_json_text(json, "group", "run");
        cli_json_begin(json, "settings", '[');
    } else {
        cli_print_heading(stdout, "run:");
        printf(" %s\n", text);
    }
    for (int32_t i = 0; stic_scene_field(i, &field); ++i) {
        if (strcmp(field.statement, "run") != 0)
            continue;
        if (list->is_json) {
            cli_json_begin(json, NULL, '{');
            cli_json_text(json, "name", field.name);
            cli_json_text(json, "accepted", field.accepted);
            cli_json_text(json, "unit", field.unit);
            cli_json_text(json, "text", field.text);
            cli_json_end(json, '}');
            continue;
        }
        char left[NUMBER * 3], right[FIELD_TEXT * 2];
        const bool unit = field.unit[0] != '-' && field.unit[0] != '*';
        snprintf(left, sizeof left, "  run.%s", field.name);
        snprintf(right, sizeof right, "%s (%s%s%s)", field.text, field.accepted, unit ? "; " : "",
                 unit ? field.unit : "");
        cli_print_item(stdout, left, right, FIELD_COLUMN);
    }
    if (list->is_json) {
        cli_json_end(json, ']');
        cli_json_line(json);
    }
}

static void list_settings(List* list)
{
    list_run(list);
    list_table(list, &stic_output_fields, "output", "result files of runs");
    for (const SticScheme* scheme = stic_scheme_table; scheme->name != NULL; ++scheme)
        list_table(list, scheme->fields, "scheme", scheme->text);
    list_table(list, &stic_solve_fields, "solve", "common to all solvers");
    for (const SticSolver* solver = stic_solver_table; solver->name != NULL; ++solver)
        if (solver->fields != NULL)
            list_table(list, solver->fields, solver->fields->name, solver->text);
    list_table(list, &stic_existence_fields, "existence", "of 'stiction existence'");
    list_table(list, &stic_enumerate_fields, "enumerate", "of 'stiction enumerate'");
}

// fields of the statements of scenes, as one would write them
static void list_statements(List* list)
{
    CliJson* json = &list->json;
    SticSceneField field;
    for (int32_t i = 0; stic_scene_field(i, &field); ++i) {
        char name[NUMBER * 3], text[FIELD_TEXT];
        snprintf(name, sizeof name, "%s%s%s{%s}", field.statement, field.kind != NULL ? "." : "",
                 field.kind != NULL ? field.kind : "", field.name);
        snprintf(text, sizeof text, "%s: %s%s%s", field.text, field.accepted,
                 field.unit[0] == '-' || field.unit[0] == '*' ? "" : "; ",
                 field.unit[0] == '-' || field.unit[0] == '*' ? "" : field.unit);
        if (list->is_names) {
            puts(name);
            continue;
        }
        if (!list->is_json) {
            cli_print_item(stdout, name, text, FIELD_COLUMN);
            continue;
        }
        json_start(json, name, text);
        cli_json_line(json);
    }
}

static void list_quantities(List* list)
{
    CliJson* json = &list->json;
    for (int32_t i = 0; i < STIC_QUANTITY_COUNT; ++i) {
        const char* name = stic_quantity_name((SticQuantity)i);
        const char* text = stic_quantity_text((SticQuantity)i);
        if (print_entry(list, name, NULL, text))
            continue;
        json_start(json, name, text);
        cli_json_line(json);
    }
}

/* ---- scenes ---- */

enum { MOST_SCENES = 512, SCENE_NAME = 128, SCENE_LINE = CLI_FOLDER };

// what a scene says about itself: its first line of comment
static void scene_text(const char* folder, const char* name, char text[SCENE_LINE])
{
    char path[2 * SCENE_LINE], line[SCENE_LINE];
    text[0] = '\0';
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "r");
    while (file != NULL && text[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        const char* start = line;
        line[strcspn(line, "\r\n")] = '\0';
        if (strncmp(start, "--", 2) != 0)
            break;
        while (*start == '-' || *start == ' ')
            ++start;
        if (strncmp(start, "SPDX", 4) != 0)
            snprintf(text, SCENE_LINE, "%s", start);
    }
    if (file != NULL)
        fclose(file);
}

static int compare_names(const void* a, const void* b)
{
    return strcmp(a, b);
}

static void list_scenes(List* list)
{
    CliJson* json = &list->json;
    char folder[SCENE_LINE];
    static const char end[] = ".lua";
    char(*names)[SCENE_NAME] = calloc(MOST_SCENES, SCENE_NAME);
    DIR* open = cli_scenes_open(folder);
    size_t count = 0;
    for (const struct dirent* entry;
         names != NULL && open != NULL && count < MOST_SCENES && (entry = readdir(open)) != NULL;) {
        const size_t length = strlen(entry->d_name);
        if (length > strlen(end) && length < SCENE_NAME &&
            strcmp(entry->d_name + length - strlen(end), end) == 0)
            memcpy(names[count++], entry->d_name, length + 1);
    }
    if (names != NULL)
        qsort(names, count, SCENE_NAME, compare_names);
    if (!list->is_json && !list->is_names && count > 0)
        cli_message("stiction run NAME runs one of these scenes of %s", folder);
    for (size_t i = 0; i < count; ++i) {
        char text[SCENE_LINE], path[2 * SCENE_LINE];
        if (list->is_names) {
            printf("%.*s\n", (int)(strlen(names[i]) - strlen(end)), names[i]);
            continue;
        }
        scene_text(folder, names[i], text);
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (!list->is_json) {
            cli_print_item(stdout, names[i], text, NAME_COLUMN);
            continue;
        }
        json_start(json, names[i], text);
        cli_json_text(json, "path", path);
        cli_json_line(json);
    }
    if (count == 0)
        cli_message("no scenes found: set STICTION_SCENES to their folder");
    if (open != NULL)
        closedir(open);
    free(names);
}

// the parameters that a scene asks for, with their defaults
static CliExit list_parameters(const CliCall* call, List* list)
{
    SticError error = {0};
    SticScene* scene = NULL;
    SticSceneAssignment one;
    char found[2 * CLI_FOLDER];
    const char* path = call->operand_count > 1 ? call->operand[1] : NULL;
    if (path == NULL)
        return cli_usage_error(call->command->name, "parameters are those of a scene: name one");
    if (cli_scene_find(path, found))
        path = found;
    const SticStatus status = stic_scene_load(call->context, path, NULL, &scene, &error);
    if (status != STIC_OK)
        return cli_report(&error, status, path);
    for (int32_t i = 0; stic_scene_parameter(scene, i, &one); ++i) {
        if (list->is_names) {
            printf("%s=\n", one.name);
        } else if (list->is_json) {
            json_start(&list->json, one.name, "");
            cli_json_text(&list->json, "default", one.value);
            cli_json_line(&list->json);
        } else {
            cli_print_item(stdout, one.name, one.value, NAME_COLUMN);
        }
    }
    stic_scene_destroy(scene);
    return CLI_DONE;
}

static const struct {
    const char* name;
    void (*list)(List* list); // NULL: list_parameters
} topics[] = {
    {"solvers", list_solvers},       {"settings", list_settings},     {"laws", list_laws},
    {"schemes", list_schemes},       {"models", list_models},         {"scenes", list_scenes},
    {"statements", list_statements}, {"quantities", list_quantities}, {"parameters", NULL},
};
enum { TOPICS = sizeof topics / sizeof topics[0] };

static CliExit run(const CliCall* call)
{
    List list = {.json = {.file = stdout},
                 .is_json = cli_call_option(call, "json") != NULL,
                 .is_names = cli_call_option(call, "names") != NULL};
    const char *names[TOPICS + 1] = {NULL}, *values = cli_call_option(call, "values");
    for (int32_t i = 0; i < TOPICS; ++i) {
        names[i] = topics[i].name;
        if (strcmp(names[i], call->operand[0]) != 0)
            continue;
        if (list.is_json && list.is_names)
            return cli_usage_error(call->command->name, "--json and --names exclude each other");
        if (values != NULL && topics[i].list != list_settings)
            return cli_usage_error(call->command->name, "--values goes with settings, not with %s",
                                   topics[i].name);
        if (topics[i].list == NULL)
            return list_parameters(call, &list);
        if (call->operand_count > 1)
            return cli_usage_error(call->command->name, "a scene goes with parameters, not with %s",
                                   topics[i].name);
        if (values != NULL)
            return cli_list_setting_values(call, values);
        if (list.is_names && topics[i].list == list_settings)
            return cli_list_setting_names(call->context);
        topics[i].list(&list);
        return CLI_DONE;
    }
    const char* near = stic_suggest(call->operand[0], names);
    if (near != NULL)
        return cli_usage_error(call->command->name, "nothing to list as '%s'; did you mean '%s'?",
                               call->operand[0], near);
    return cli_usage_error(call->command->name,
                           "nothing to list as '%s'; there are solvers, settings, laws, schemes, "
                           "models, scenes, statements, quantities and parameters",
                           call->operand[0]);
}

const CliCommand cli_command_list = {
    .name = "list",
    .operands = "WHAT [SCENE]",
    .words = "scenes schemes solvers settings laws models statements quantities parameters",
    .text = "List scenes, schemes, solvers, contact laws, settings, models, or what scenes hold.",
    .details = "WHAT is one of\n"
               "  scenes      that come with the program, or of a folder\n"
               "  schemes     how time advances: promises and settings of each\n"
               "  solvers     of the contact problem of a step\n"
               "  settings    everything --set changes: name, default, range and meaning\n"
               "  laws        of contacts and joints\n"
               "  models      small systems that a scene can name\n"
               "  statements  of scenes, with their fields\n"
               "  quantities  that histories and checks of a scene can measure\n"
               "  parameters  that SCENE asks for, with their defaults: what --param changes\n\n"
               "Behind a solver or scheme stands what it promises to reproduce: strict (same bits "
               "for any thread count, compiler and optimisation level), library (same bits with "
               "the same installed libraries), or free. Scenes are those of the folder "
               "$STICTION_SCENES, of the folder scenes, or those installed with the program.",
    .least = 1,
    .most = 2,
    .options = options,
    .run = run,
};
