// SPDX-License-Identifier: Apache-2.0
// Options of the form NAME=VALUE.
#include "assignments.h"

#include <string.h>

#include "print.h"

static CliExit split(const CliCall* call, const CliGiven* given, CliAssignments* all)
{
    const char* equals = strchr(given->value, '=');
    const bool param = strcmp(given->option->name, "param") == 0;
    int32_t* count = param ? &all->params : &all->sets;
    const size_t length = equals == NULL ? 0 : (size_t)(equals - given->value);
    if (length == 0 || length >= CLI_LONGEST_NAME)
        return cli_usage_error(call->command->name, "--%s: '%s' is not NAME=VALUE",
                               given->option->name, given->value);
    if (*count >= CLI_MOST_ASSIGNMENTS)
        return cli_usage_error(call->command->name, "--%s: more than %d", given->option->name,
                               CLI_MOST_ASSIGNMENTS);
    char* name = all->name[all->names++];
    memcpy(name, given->value, length);
    name[length] = '\0';
    SticSceneAssignment* to = param ? &all->param[*count] : &all->set[*count];
    *to = (SticSceneAssignment){.name = name, .value = equals + 1};
    *count += 1;
    return CLI_DONE;
}

CliExit cli_assignments_take(const CliCall* call, CliAssignments* all)
{
    for (int32_t i = 0; i < call->given_count; ++i) {
        const char* name = call->given[i].option->name;
        if (strcmp(name, "param") != 0 && strcmp(name, "set") != 0)
            continue;
        const CliExit result = split(call, &call->given[i], all);
        if (result != CLI_DONE)
            return result;
    }
    const char* accuracy = cli_call_option(call, "accuracy");
    if (all->sets + 2 > CLI_MOST_ASSIGNMENTS)
        return cli_usage_error(call->command->name, "--set: more than %d",
                               CLI_MOST_ASSIGNMENTS - 2);
    if (accuracy != NULL) {
        // before a tolerance that was set by hand
        memmove(all->set + 2, all->set, (size_t)all->sets * sizeof *all->set);
        all->set[0] = (SticSceneAssignment){.name = "solver.tolerance", .value = "0"};
        all->set[1] = (SticSceneAssignment){.name = "run.accuracy", .value = accuracy};
        all->sets += 2;
    }
    return CLI_DONE;
}
