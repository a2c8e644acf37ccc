// SPDX-License-Identifier: Apache-2.0
// stiction help, stiction version.
#include "commands.h"
#include "print.h"

static const CliOption no_options[] = {{NULL, 0, NULL, NULL}};

static CliExit run_help(const CliCall* call)
{
    if (call->operand_count == 0) {
        cli_overview(stdout);
        return CLI_DONE;
    }
    const CliCommand* command = cli_command_find(call->operand[0]);
    if (command == NULL)
        return CLI_USAGE;
    cli_command_help(stdout, command);
    return CLI_DONE;
}

static CliExit run_version(const CliCall* call)
{
    (void)call;
    printf("stiction %s\n", stic_version());
    return CLI_DONE;
}

const CliCommand cli_command_help_page = {
    .name = "help",
    .operands = "[COMMAND]",
    .text = "Explain the program or one of its commands.",
    .most = 1,
    .options = no_options,
    .run = run_help,
};

const CliCommand cli_command_version = {
    .name = "version",
    .operands = "",
    .text = "Print the version.",
    .options = no_options,
    .run = run_version,
};
