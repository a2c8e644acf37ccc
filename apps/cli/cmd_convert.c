// SPDX-License-Identifier: Apache-2.0
// stiction convert: a problem from one file format to another.
#include "commands.h"
#include "files.h"
#include "print.h"
#include "problem_file.h"
#include "stiction/extend/file.h"

static const CliOption options[] = {
    CLI_OPTION_FORMAT,
    CLI_OPTION_FORCE,
    {NULL, 0, NULL, NULL},
};

static void say_what_is_lost(const SticMetadata* metadata, const char* path)
{
    if (metadata->solution != NULL || metadata->guess_count > 0)
        cli_message("%s: the format has no place for the solution and start values of the input",
                    path);
}

static CliExit run(const CliCall* call)
{
    const char *const from = call->operand[0], *const to = call->operand[1];
    const bool ascii = cli_name_ends(to, ".dat");
    SticProblemStore* store = NULL;
    SticFormat format = STIC_FORMAT_AUTO;
    SticError error = {0};
    CliExit result = cli_format_option(call, &format);
    if (result != CLI_DONE)
        return result;
    if (!ascii && !cli_name_ends(to, ".h5") && !cli_name_ends(to, ".hdf5"))
        return cli_usage_error(call->command->name,
                               "%s: the name must end in .h5 or .hdf5 (FCLIB) or in .dat (ASCII)",
                               to);
    result = cli_file_keep(call, to);
    if (result != CLI_DONE)
        return result;
    stic_replace_sweep(to);
    result = cli_problem_read(call->context, from, format, &store);
    if (result != CLI_DONE)
        return result;
    const SticMetadata* metadata = stic_problem_metadata(store);
    const SticStatus status =
        stic_problem_write(call->context, stic_problem_view(store), metadata, to, &error);
    if (status != STIC_OK)
        result = cli_report(&error, status, to);
    if (status == STIC_UNSUPPORTED && !ascii)
        cli_message("a .dat file can hold this problem");
    if (status == STIC_OK && ascii)
        say_what_is_lost(metadata, to);
    stic_problem_destroy(store);
    return result;
}

const CliCommand cli_command_convert = {
    .name = "convert",
    .operands = "IN OUT",
    .text = "Write a problem in another file format.",
    .details = "The name of OUT decides: .h5 and .hdf5 are FCLIB, .dat is the ASCII format of "
               "Siconos. An OUT that exists is replaced with --force only, at once, or left as it "
               "is if anything fails. What a "
               "format cannot hold is refused.",
    .least = 2,
    .most = 2,
    .options = options,
    .run = run,
};
