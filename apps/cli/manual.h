// SPDX-License-Identifier: Apache-2.0
// The help of all commands in other forms: manual page, completions of shells.
#ifndef STIC_CLI_MANUAL_H
#define STIC_CLI_MANUAL_H

#include <stdio.h>

/// Manual page in roff.
void cli_manual_roff(FILE* file);
/// Completion for bash.
void cli_manual_bash(FILE* file);
/// Completion for zsh.
void cli_manual_zsh(FILE* file);

#endif
