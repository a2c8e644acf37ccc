// SPDX-License-Identifier: Apache-2.0
// Names of the files that commands make.
#ifndef STIC_CLI_FILES_H
#define STIC_CLI_FILES_H

#include "options.h"

enum { CLI_PATH = 4096 };

#define CLI_OPTION_FORCE                                                                           \
    {                                                                                              \
        "force", 'f', NULL, "replace files that exist already"                                     \
    }

/// Whether a name ends like this.
bool cli_name_ends(const char* name, const char* end);
/// Name of the file a command makes: what --output says, or `base` with another ending. The file
/// named by the first operand is never replaced, whatever other name it goes by.
CliExit cli_file_name(const CliCall* call, const char* base, const char* ending,
                      char name[CLI_PATH]);
/// Keep the files NAME + ending[i] that exist already (an empty ending is `name` itself): a name
/// given by --output is refused then, any other gets the next free number, and that is said.
CliExit cli_file_free(const CliCall* call, const char* const* ending, int32_t count,
                      char name[CLI_PATH]);
/// Refuse to replace the plain file `name` (NULL: none) if it exists, unless --force is given.
CliExit cli_file_keep(const CliCall* call, const char* name);
/// The same for the files NAME + ending[i].
CliExit cli_file_keep_all(const CliCall* call, const char* const* ending, int32_t count,
                          const char* name);
/// Refuse a first operand that is no result file. Commands call it before they look at the name of
/// what they make, so that the first mistake is the one reported.
CliExit cli_result_check(const CliCall* call);
/// Report the name of a file that was made from the first operand, or what went wrong.
CliExit cli_file_made(const CliCall* call, SticStatus status, const SticError* error,
                      const char* name);

#endif
