// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM while a run goes on.
#ifndef STIC_CLI_INTERRUPT_H
#define STIC_CLI_INTERRUPT_H

#include "stiction/extend/base.h"

/// Watch over the signals of a run; inside interrupt.c.
typedef struct CliInterrupt CliInterrupt;

/// From here on the first signal is only noted, and a second one ends the program at once; so does
/// the first if the run then spends too long on a file. `name` is that of the result, for the
/// message. NULL if no thread can be started: signals then end the program as usual.
CliInterrupt* cli_interrupt_open(const SticContext* context, const char* name);
/// Whether a signal has come; NULL: none.
bool cli_interrupt_came(const CliInterrupt* interrupt);
/// Say that the run begins to use files or has finished with them; NULL is allowed.
void cli_interrupt_in_file(CliInterrupt* interrupt, bool in_file);
/// Stop watching; signals end the program again, but one that was noted no longer does.
void cli_interrupt_close(CliInterrupt* interrupt);

#endif
