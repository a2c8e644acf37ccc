// SPDX-License-Identifier: Apache-2.0
// Names and values of settings, line by line for completion.
#ifndef STIC_CLI_LIST_VALUES_H
#define STIC_CLI_LIST_VALUES_H

#include "options.h"

/// Names of all settings, each once.
CliExit cli_list_setting_names(const SticContext* context);
/// What --set of a command takes: NAME=VALUE for each word that a setting can be, NAME= for
/// numbers. A command without such settings is a wrong command line.
CliExit cli_list_setting_values(const CliCall* call, const char* command);

#endif
