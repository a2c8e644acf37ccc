// SPDX-License-Identifier: Apache-2.0
// A run in the browser while it goes on: `stiction run --view`.
#ifndef STIC_CLI_LIVE_H
#define STIC_CLI_LIVE_H

#include "run.h"

/// Listen on 127.0.0.1 and print the address; the run waits until the page is open.
CliExit cli_live_open(CliRun* run);
/// Between steps: answer the browser, wait while the run is paused. True: the page asks to stop.
bool cli_live_turn(CliRun* run);
/// Send what is left and say goodbye; the output must still be open. Without a server: nothing.
void cli_live_close(CliRun* run);

#endif
