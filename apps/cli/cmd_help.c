// SPDX-License-Identifier: Apache-2.0
// stiction help, stiction version.
#include <string.h>

#include "commands.h"
#include "manual.h"
#include "print.h"

static const CliOption no_options[] = {{NULL, 0, NULL, NULL}};
static const CliOption help_options[] = {
    {"form", 0, "FORM", "the help of all commands as man (roff), or completion for bash or zsh"},
    {NULL, 0, NULL, NULL},
};

static CliExit print_form(const CliCall* call, const char* form)
{
    static const struct {
        const char* name;
        void (*print)(FILE* file);
    } forms[] = {{"man", cli_manual_roff}, {"bash", cli_manual_bash}, {"zsh", cli_manual_zsh}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; ++i)
        if (strcmp(forms[i].name, form) == 0) {
            forms[i].print(stdout);
            return CLI_DONE;
        }
    return cli_usage_error(call->command->name, "there is no form '%s': man, bash or zsh", form);
}

static CliExit run_help(const CliCall* call)
{
    const char* form = cli_call_option(call, "form");
    if (form != NULL)
        return print_form(call, form);
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
    .options = help_options,
    .run = run_help,
};

const CliCommand cli_command_version = {
    .name = "version",
    .operands = "",
    .text = "Print the version.",
    .options = no_options,
    .run = run_version,
};
