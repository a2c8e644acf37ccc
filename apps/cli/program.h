// SPDX-License-Identifier: Apache-2.0
// Other programs that commands call on.
#ifndef STIC_CLI_PROGRAM_H
#define STIC_CLI_PROGRAM_H

#include <stdbool.h>

/// Run a program found on the PATH with its words, ended by NULL, and wait for it; no shell sees
/// them. Whether it is there and ended well.
bool cli_program_run(const char* const* words);

#endif
