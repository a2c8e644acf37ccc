// SPDX-License-Identifier: Apache-2.0
// Settings of the commands existence and enumerate.
#include "certify_options.h"

#include <string.h>

#include "print.h"

CliExit cli_set_fields(const CliCall* call, const SticFieldTable* table, void* settings)
{
    char name[64];
    for (int32_t i = 0; i < call->given_count; ++i) {
        const char* word = call->given[i].value;
        const size_t prefix = strlen(table->name);
        SticError error = {0};
        if (strcmp(call->given[i].option->name, "set") != 0)
            continue;
        const char* field = word + prefix + 1;
        const bool ours = strncmp(word, table->name, prefix) == 0 && word[prefix] == '.';
        const size_t length = ours ? strcspn(field, "=") : 0;
        if (!ours || field[length] != '=' || length >= sizeof name)
            return cli_usage_error(call->command->name,
                                   "--set %s: write it as %s.field=value, such as "
                                   "%s.tolerance=1e-10",
                                   word, table->name, table->name);
        memcpy(name, field, length);
        name[length] = '\0';
        if (stic_fields_set(table, settings, name, field + length + 1, &error) != STIC_OK)
            return cli_usage_error(call->command->name, "--set %s: %s", word, error.text);
    }
    return CLI_DONE;
}
