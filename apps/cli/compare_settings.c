// SPDX-License-Identifier: Apache-2.0
// Settings of a comparison, sorted by the scheme that they concern.
#include "compare_settings.h"

#include <string.h>

#include "print.h"
#include "stiction/extend/step.h"

enum { WORD = 64, LIST = 640 };

/* ---- from the command line ---- */

CliExit cli_compare_settings_take(const CliCall* call, SticArena* arena,
                                  CliCompareSettings* settings)
{
    for (int32_t i = 0; i < call->given_count; ++i) {
        const bool param = strcmp(call->given[i].option->name, "param") == 0;
        if (!param && strcmp(call->given[i].option->name, "set") != 0)
            continue;
        const char *text = call->given[i].value, *equals = strchr(text, '=');
        int32_t* count = param ? &settings->params : &settings->sets;
        char* name = NULL;
        if (equals == NULL || equals == text || *count == CLI_COMPARE_PAIRS)
            return cli_usage_error("compare", "--%s: '%s' is not NAME=VALUE, or one too many",
                                   call->given[i].option->name, text);
        if (STIC_TAKE(arena, &name, equals - text + 1) != STIC_OK)
            return cli_out_of_memory();
        memcpy(name, text, (size_t)(equals - text));
        name[equals - text] = '\0';
        SticSceneAssignment* to = param ? settings->param : settings->set;
        to[(*count)++] = (SticSceneAssignment){.name = name, .value = equals + 1};
    }
    return CLI_DONE;
}

/* ---- which scheme a setting is of ---- */

// Whether a setting is one of schemes. `group` gets its first word, "scheme" or the name of one,
// and `field` the rest; without a dot that is the name, as everywhere.
static bool is_of_schemes(const char* name, char group[WORD], const char** field)
{
    const size_t length = strcspn(name, ".");
    if (length >= WORD)
        return false;
    memcpy(group, name, length);
    group[length] = '\0';
    *field = name[length] == '.' ? name + length + 1 : "name";
    return strcmp(group, "scheme") == 0 || stic_scheme_find(group, NULL) != NULL;
}

static bool has_field(const char* scheme, const char* field)
{
    const SticFieldTable* table = stic_scheme_find(scheme, NULL)->fields;
    for (int32_t i = 0; table != NULL && i < table->count; ++i)
        if (strcmp(table->fields[i].name, field) == 0)
            return true;
    return false;
}

static bool concerns(const char* name, const char* scheme)
{
    char group[WORD];
    const char* field = NULL;
    if (!is_of_schemes(name, group, &field))
        return true;
    if (scheme == NULL)
        return false;
    return strcmp(group, "scheme") == 0 ? has_field(scheme, field) : strcmp(group, scheme) == 0;
}

void cli_compare_settings_filter(CliCompareSettings* settings, const char* scheme)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < settings->sets; ++i)
        if (concerns(settings->set[i].name, scheme))
            settings->set[kept++] = settings->set[i];
    settings->sets = kept;
}

/* ---- checks ---- */

// the schemes that run, each once, with the settings of each
static const char* list_schemes(const char* const* scheme, int32_t count, char text[LIST])
{
    size_t used = 0;
    text[0] = '\0';
    for (int32_t s = 0; s < count && used < LIST; ++s) {
        char names[256];
        bool again = false;
        for (int32_t before = 0; before < s; ++before)
            again = again || strcmp(scheme[before], scheme[s]) == 0;
        stic_fields_names(stic_scheme_find(scheme[s], NULL)->fields, names, sizeof names);
        if (!again)
            used += (size_t)snprintf(text + used, LIST - used, "%s%s (%s)", s > 0 ? ", " : "",
                                     scheme[s], names[0] != '\0' ? names : "no settings");
    }
    return text;
}

CliExit cli_compare_settings_check(const CliCompareSettings* settings, const char* const* scheme,
                                   int32_t count)
{
    for (int32_t i = 0; i < settings->sets; ++i) {
        const SticSceneAssignment* set = &settings->set[i];
        char group[WORD], text[LIST];
        const char* field = NULL;
        bool used = false;
        if (!is_of_schemes(set->name, group, &field))
            continue;
        if (strcmp(field, "name") == 0)
            return cli_usage_error("compare", "--set %s=%s: schemes are named with --schemes",
                                   set->name, set->value);
        for (int32_t s = 0; s < count; ++s)
            used = used || concerns(set->name, scheme[s]);
        if (used)
            continue;
        list_schemes(scheme, count, text);
        if (strcmp(group, "scheme") != 0)
            return cli_usage_error("compare", "--set %s=%s: %s does not run here; these do: %s",
                                   set->name, set->value, group, text);
        return cli_usage_error("compare",
                               "--set %s=%s: none of the schemes that run has a setting '%s': %s",
                               set->name, set->value, field, text);
    }
    return CLI_DONE;
}
