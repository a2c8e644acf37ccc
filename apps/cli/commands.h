// SPDX-License-Identifier: Apache-2.0
// The subcommands: one cmd_<name>.c each, and one line in the table of main.c.
#ifndef STIC_CLI_COMMANDS_H
#define STIC_CLI_COMMANDS_H

#include "options.h"

extern const CliCommand cli_command_run;
extern const CliCommand cli_command_resume;
extern const CliCommand cli_command_sweep;
extern const CliCommand cli_command_repair;
extern const CliCommand cli_command_export;
extern const CliCommand cli_command_view;
extern const CliCommand cli_command_events;
extern const CliCommand cli_command_plot;
extern const CliCommand cli_command_compare;
extern const CliCommand cli_command_limit;
extern const CliCommand cli_command_solve;
extern const CliCommand cli_command_info;
extern const CliCommand cli_command_existence;
extern const CliCommand cli_command_enumerate;
extern const CliCommand cli_command_convert;
extern const CliCommand cli_command_list;
extern const CliCommand cli_command_help_page;
extern const CliCommand cli_command_version;

/// The table of commands, ended by NULL.
extern const CliCommand* const cli_commands[];

/// Command by name; an unknown one is reported with a suggestion and gives NULL.
const CliCommand* cli_command_find(const char* name);
/// Overview of all commands.
void cli_overview(FILE* file);

#endif
