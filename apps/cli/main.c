// SPDX-License-Identifier: Apache-2.0
// The program stiction: the table of its commands, and the choice of one.
//
// A new command is a file cmd_<name>.c with a CliCommand, declared in commands.h and listed here.
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "print.h"
#include "scenes.h"

enum { MOST_COMMANDS = 32 };

const CliCommand* const cli_commands[] = {
    &cli_command_run,
    &cli_command_resume,
    &cli_command_sweep,
    &cli_command_repair,
    &cli_command_export,
    &cli_command_view,
    &cli_command_plot,
    &cli_command_events,
    &cli_command_compare,
    &cli_command_limit,
    &cli_command_solve,
    &cli_command_info,
    &cli_command_existence,
    &cli_command_enumerate,
    &cli_command_convert,
    &cli_command_list,
    &cli_command_help_page,
    &cli_command_version,
    NULL,
};

const CliCommand* cli_command_find(const char* name)
{
    const char* names[MOST_COMMANDS + 1] = {NULL};
    for (int32_t i = 0; cli_commands[i] != NULL && i < MOST_COMMANDS; ++i) {
        names[i] = cli_commands[i]->name;
        if (strcmp(names[i], name) == 0)
            return cli_commands[i];
    }
    const char* near = stic_suggest(name, names);
    if (near != NULL)
        cli_usage_error(NULL, "there is no command '%s'; did you mean '%s'?", name, near);
    else
        cli_usage_error(NULL, "there is no command '%s'", name);
    return NULL;
}

void cli_overview(FILE* file)
{
    cli_print_heading(file, "usage:");
    fputs(" stiction COMMAND [options] …\n\n"
          "Contact, friction and impact as set-valued laws, solved to a stated residual.\n\n",
          file);
    cli_print_heading(file, "commands:\n");
    for (int32_t i = 0; cli_commands[i] != NULL; ++i) {
        char left[64];
        snprintf(left, sizeof left, "  %s", cli_commands[i]->name);
        cli_print_item(file, left, cli_commands[i]->text, 12);
    }
    cli_print_heading(file, "\nfirst steps:\n");
    fputs("  stiction list scenes\n"
          "  stiction run arch\n"
          "  stiction view arch.h5 --open\n"
          "\n'stiction COMMAND --help' says more about a command.\n\n",
          file);
    cli_exit_help(file);
}

// --help and --version do what the commands of these names do
static const char* command_name(const char* word)
{
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return "help";
    return strcmp(word, "--version") == 0 ? "version" : word;
}

// a SCENE that is not a file may be one that comes with the program
static CliExit run_command(CliCall* call)
{
    char scene[2 * CLI_FOLDER];
    if (strcmp(call->command->operands, "SCENE") == 0 && cli_scene_find(call->operand[0], scene)) {
        cli_message("the scene is %s", scene);
        call->operand[0] = scene;
    }
    const CliExit result = call->command->run(call);
    if (result != CLI_DONE && strcmp(call->command->operands, "SCENE") == 0 &&
        cli_scene_suggest(call->operand[0], scene))
        cli_message("did you mean the scene '%s'? 'stiction list scenes' names them all", scene);
    return result;
}

// what a scene prints
static void show_log(void* self, SticLogLevel level, const char* text)
{
    (void)self;
    if (level != STIC_LOG_DEBUG)
        cli_message("%s", text);
}

static CliExit run(int32_t count, char* const* words)
{
    SticContext context = stic_context_default();
    context.log.write = show_log;
    CliCall call;
    if (count == 0) {
        cli_overview(stderr);
        return CLI_USAGE;
    }
    const CliCommand* command = cli_command_find(command_name(words[0]));
    if (command == NULL)
        return CLI_USAGE;
    CliExit result = cli_call_parse(&context, command, count - 1, words + 1, &call);
    if (result == CLI_DONE && call.help)
        cli_command_help(stdout, command);
    else if (result == CLI_DONE)
        result = run_command(&call);
    cli_call_clear(&call);
    return result;
}

int main(int argc, char** argv)
{
    // a reader that goes away must not kill the program between two files it writes
    signal(SIGPIPE, SIG_IGN);
    // nor must a limit on the size of files: the write fails and is reported
    signal(SIGXFSZ, SIG_IGN);
    const CliExit result = run(argc - 1, argv + 1);
    const CliExit code = cli_worse(result, cli_flush());
    // after a failure inside HDF5 its own clean-up at exit may never return
    if (code >= CLI_INPUT)
        _exit((int)code);
    return (int)code;
}
