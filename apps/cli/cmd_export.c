// SPDX-License-Identifier: Apache-2.0
// stiction export: results for ParaView and spreadsheets.
#include "commands.h"
#include "files.h"
#include "print.h"
#include "stiction/extend/result.h"

static const CliOption options[] = {
    {"csv", 0, "COLUMNS",
     "write histories as CSV instead: words with commas between, such as "
     "time,energy,BODY.position; also step, contacts, q0, u0, BODY.orientation, BODY.velocity, "
     "BODY.spin, BODY.force"},
    {"output", 'o', "FILE.csv",
     "name of the CSV file (default: the result's name with .frames.csv)"},
    CLI_OPTION_FORCE,
    {NULL, 0, NULL, NULL},
};

static CliExit run(const CliCall* call)
{
    SticError error = {0};
    char name[CLI_PATH];
    static const char* const xdmf[] = {".xdmf", ".contacts.xdmf", ".xdmf.h5"};
    enum { XDMF_FILES = sizeof xdmf / sizeof *xdmf };
    const char *path = call->operand[0], *columns = cli_call_option(call, "csv");
    if (cli_call_option(call, "output") != NULL && columns == NULL)
        return cli_usage_error(call->command->name, "--output goes with --csv");
    CliExit result = cli_file_name(call, path, columns != NULL ? ".frames.csv" : ".xdmf", name);
    if (result == CLI_DONE)
        result = cli_result_check(call);
    if (result == CLI_DONE)
        result = columns != NULL ? cli_file_keep(call, name)
                                 : cli_file_keep_all(call, xdmf, XDMF_FILES, path);
    if (result != CLI_DONE)
        return result;
    const SticStatus status =
        columns != NULL ? stic_result_export_csv(call->context, path, columns, name, &error)
                        : stic_result_export_xdmf(call->context, path, &error);
    result = cli_file_made(call, status, &error, name);
    for (int k = 1; result == CLI_DONE && columns == NULL && k < XDMF_FILES; ++k)
        if (stic_output_beside(path, xdmf[k], name, sizeof name, NULL) == STIC_OK)
            cli_print_name(name);
    return result;
}

const CliCommand cli_command_export = {
    .name = "export",
    .operands = "FILE.h5",
    .text = "Write a result for ParaView (XDMF), or histories as CSV.",
    .details = "XDMF: NAME.xdmf shows the surfaces with their velocities, NAME.contacts.xdmf the "
               "contacts with their forces; NAME.xdmf.h5 holds the data of both.",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
