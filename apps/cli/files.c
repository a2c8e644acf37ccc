// SPDX-License-Identifier: Apache-2.0
// Names of the files that commands make.
#include "files.h"

#include <string.h>
#include <sys/stat.h>

#include "print.h"
#include "stiction/extend/file.h"
#include "stiction/extend/result.h"

enum { MOST_NUMBER = 9999 };

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
        // snapshot, histories and more are named after a result: its ending must not be theirs
        if (strcmp(ending, ".h5") == 0 && !cli_name_ends(name, ".h5") &&
            !cli_name_ends(name, ".hdf5"))
            return cli_usage_error(call->command->name,
                                   "%s: the name of a result must end in .h5 or .hdf5", name);
    } else {
        const SticStatus status = stic_output_beside(base, ending, name, CLI_PATH, &error);
        if (status != STIC_OK)
            return cli_report(&error, status, base);
    }
    if (is_same_file(name, call->operand[0]))
        return cli_usage_error(call->command->name, "%s would replace the file it is made from",
                               name);
    stic_replace_sweep(name);
    return CLI_DONE;
}

// whether a file that would be written is there, and its name
static bool is_taken(const char* name, const char* const* ending, int32_t count,
                     char taken[CLI_PATH])
{
    for (int32_t i = 0; i < count; ++i) {
        struct stat facts;
        if (ending[i][0] == '\0')
            snprintf(taken, CLI_PATH, "%s", name);
        else if (stic_output_beside(name, ending[i], taken, CLI_PATH, NULL) != STIC_OK)
            continue;
        // devices and pipes are written, not replaced
        if (stat(taken, &facts) == 0 && S_ISREG(facts.st_mode))
            return true;
    }
    return false;
}

CliExit cli_file_free(const CliCall* call, const char* const* ending, int32_t count,
                      char name[CLI_PATH])
{
    char taken[CLI_PATH], stem[CLI_PATH], wanted[CLI_PATH];
    if (!is_taken(name, ending, count, taken))
        return CLI_DONE;
    if (cli_call_option(call, "output") != NULL)
        return cli_usage_error(call->command->name,
                               "%s exists; --force replaces it, another -o keeps it", taken);
    const char* dot = strrchr(name, '.');
    const int length = (int)(dot == NULL ? strlen(name) : (size_t)(dot - name));
    snprintf(wanted, sizeof wanted, "%s", taken);
    snprintf(stem, sizeof stem, "%.*s", length, name);
    for (int number = 2; number <= MOST_NUMBER; ++number) {
        const int bytes = snprintf(name, CLI_PATH, "%s-%d.h5", stem, number);
        if (bytes >= CLI_PATH)
            break;
        if (!is_taken(name, ending, count, taken)) {
            cli_message("%s exists; the result goes to %s", wanted, name);
            return CLI_DONE;
        }
    }
    return cli_usage_error(call->command->name, "%s exists, and no number up to %d is free", wanted,
                           MOST_NUMBER);
}

CliExit cli_file_keep_all(const CliCall* call, const char* const* ending, int32_t count,
                          const char* name)
{
    char taken[CLI_PATH];
    if (cli_call_option(call, "force") != NULL || !is_taken(name, ending, count, taken))
        return CLI_DONE;
    return cli_usage_error(call->command->name, "%s exists; --force replaces it", taken);
}

CliExit cli_file_keep(const CliCall* call, const char* name)
{
    return name == NULL ? CLI_DONE : cli_file_keep_all(call, (const char*[]){""}, 1, name);
}

CliExit cli_result_check(const CliCall* call)
{
    SticError error = {0};
    SticResult* result = NULL;
    const SticStatus status = stic_result_open(call->context, call->operand[0], &result, &error);
    stic_result_close(result);
    return status == STIC_OK ? CLI_DONE : cli_report(&error, status, call->operand[0]);
}

CliExit cli_file_made(const CliCall* call, SticStatus status, const SticError* error,
                      const char* name)
{
    if (status == STIC_BAD_ARGUMENT)
        return cli_usage_error(call->command->name, "%s", error->text);
    if (status != STIC_OK)
        return cli_report(error, status, call->operand[0]);
    cli_print_name(name);
    return CLI_DONE;
}
