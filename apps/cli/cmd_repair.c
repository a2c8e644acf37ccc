// SPDX-License-Identifier: Apache-2.0
// stiction repair: results of killed runs become ordinary files.
#include "commands.h"
#include "json.h"
#include "print.h"
#include "stiction/extend/result.h"

static const CliOption options[] = {
    {"json", 0, NULL, "print one JSON object per line"},
    {NULL, 0, NULL, NULL},
};

static void report(const CliCall* call, const char* path, const SticRepair* repair)
{
    CliJson json = {.file = stdout};
    if (cli_call_option(call, "json") != NULL) {
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "result", path);
        cli_json_bool(&json, "was_open", repair->was_open);
        cli_json_integer(&json, "frames", repair->frames);
        cli_json_integer(&json, "steps", repair->steps);
        cli_json_integer(&json, "dropped", repair->dropped);
        cli_json_line(&json);
        return;
    }
    char done[96] = "nothing to repair";
    if (repair->was_open || repair->dropped > 0)
        snprintf(done, sizeof done, "%s%s%lld incomplete row%s cut off",
                 repair->was_open ? "the mark of its writer removed" : "",
                 repair->was_open ? ", " : "", (long long)repair->dropped,
                 repair->dropped == 1 ? "" : "s");
    cli_print_line("%s: %lld complete frame%s, %lld steps; %s", path, (long long)repair->frames,
                   repair->frames == 1 ? "" : "s", (long long)repair->steps, done);
}

static CliExit run(const CliCall* call)
{
    CliExit result = CLI_DONE;
    for (int32_t i = 0; i < call->operand_count; ++i) {
        SticRepair repair;
        SticError error = {0};
        const SticStatus status = stic_result_repair(call->operand[i], &repair, &error);
        if (status == STIC_OK)
            report(call, call->operand[i], &repair);
        else
            result = cli_worse(result, cli_report(&error, status, call->operand[i]));
    }
    return result;
}

const CliCommand cli_command_repair = {
    .name = "repair",
    .operands = "FILE.h5…",
    .text = "Make the results of killed runs ordinary files again.",
    .details = "A killed run leaves the mark 'open for writing' in its result, and perhaps a frame "
               "that is not complete. Both are removed; what is incomplete is cut off in a copy, "
               "which then takes the place of the file. A file that a running program writes is "
               "left alone.",
    .least = 1,
    .most = INT32_MAX,
    .options = options,
    .run = run,
};
