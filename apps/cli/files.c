// SPDX-License-Identifier: Apache-2.0
// Names of the files that commands make.
#include "files.h"

#include <string.h>
#include <sys/stat.h>

#include "print.h"
#include "stiction/output.h"

bool cli_name_ends(const char* name, const char* end)
{
    const size_t length = strlen(name), tail = strlen(end);
    return length >= tail && strcmp(name + length - tail, end) == 0;
}

// the same file, also by another path or a link
static bool is_same_file(const char* a, const char* b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

CliExit cli_file_name(const CliCall* call, const char* base, const char* ending,
                      char name[CLI_PATH])
{
    const char* given = cli_call_option(call, "output");
    SticError error = {0};
    if (given != NULL && (given[0] == '\0' || strlen(given) >= CLI_PATH))
        return cli_usage_error(call->command->name, "--output: the name is %s",
                               given[0] == '\0' ? "empty" : "too long");
    if (given != NULL) {
        memcpy(name, given, strlen(given) + 1);
    } else {
        const SticStatus status = stic_output_beside(base, ending, name, CLI_PATH, &error);
        if (status != STIC_OK)
            return cli_report(&error, status, base);
    }
    if (is_same_file(name, call->operand[0]))
        return cli_usage_error(call->command->name, "%s would replace the file it is made from",
                               name);
    return CLI_DONE;
}

CliExit cli_file_made(const CliCall* call, SticStatus status, const SticError* error,
                      const char* name)
{
    if (status == STIC_BAD_ARGUMENT)
        return cli_usage_error(call->command->name, "%s", error->text);
    if (status != STIC_OK)
        return cli_report(error, status, call->operand[0]);
    printf("%s\n", name);
    return CLI_DONE;
}
