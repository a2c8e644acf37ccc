// SPDX-License-Identifier: Apache-2.0
// Commands and their options as tables; one parser and one help page for all of them.
//
//     static const CliOption options[] = {
//         {"output", 'o', "OUT.h5", "write the problem with its solution"},
//         {"json", 0, NULL, "one object per line"},
//         {NULL, 0, NULL, NULL},
//     };
//     const CliCommand cli_command_solve = {.name = "solve", .options = options, .run = run, …};
//
// Long options take their value after '=' or as the next word, short ones directly or as the next
// word. `--` ends the options. Of an option that is given several times the last value counts,
// unless the command reads them all. Every command knows --help.
#ifndef STIC_CLI_OPTIONS_H
#define STIC_CLI_OPTIONS_H

#include <stdio.h>

#include "stiction/extend/base.h"

/// What the program returns to its caller; the larger one wins where several apply.
typedef enum CliExit {
    CLI_DONE = 0,     ///< everything that was asked for was done, every problem solved
    CLI_UNSOLVED = 1, ///< something was not solved; the outcome is in the output
    CLI_USAGE = 2,    ///< the command line is wrong
    CLI_INPUT = 3,    ///< a file is bad, or reading or writing failed
    CLI_INTERNAL = 4  ///< out of memory, or a failure inside the program
} CliExit;

/// One option of a command. A table of options ends with a NULL name.
typedef struct CliOption {
    const char* name;  ///< without the dashes
    char letter;       ///< short form, 0: none
    const char* value; ///< what the help calls its value; NULL: takes none
    const char* text;  ///< one sentence for the help, lower case, no full stop
} CliOption;

typedef struct CliCall CliCall;

/// A subcommand.
typedef struct CliCommand {
    const char* name;
    const char* operands;     ///< for the help, such as "FILE…"
    const char* words;        ///< operands to choose from, for completion; NULL: files
    const char* text;         ///< one line for the list of commands
    const char* details;      ///< paragraphs for the help, may be NULL
    int32_t least, most;      ///< number of operands
    const CliOption* options; ///< ended by a NULL name
    CliExit (*run)(const CliCall* call);
} CliCommand;

/// One option as it was given.
typedef struct CliGiven {
    const CliOption* option;
    const char* value; ///< "" for options without a value
} CliGiven;

/// A parsed command line; the words belong to the caller of cli_call_parse.
struct CliCall {
    const CliCommand* command;
    const SticContext* context;
    const char** operand; ///< [operand_count]
    int32_t operand_count;
    CliGiven* given; ///< [given_count] in the order of the command line
    int32_t given_count;
    bool help;    ///< --help was given: the rest was not looked at
    int32_t room; ///< entries allocated for each of both arrays
};

/// Parse the words after the command's name. What is wrong is said on stderr.
CliExit cli_call_parse(const SticContext* context, const CliCommand* command, int32_t count,
                       char* const* words, CliCall* call);
/// Free the memory of a call.
void cli_call_clear(CliCall* call);
/// Last value of an option, "" for one without value, NULL if it was not given.
const char* cli_call_option(const CliCall* call, const char* name);
/// Help page of a command, made from its table.
void cli_command_help(FILE* file, const CliCommand* command);
/// The exit codes, as every help page ends with.
void cli_exit_help(FILE* file);

#endif
