// SPDX-License-Identifier: Apache-2.0
// stiction resume: go on with a run that was interrupted, killed, or is to last longer.
#include <string.h>

#include "commands.h"
#include "live.h"
#include "print.h"
#include "run.h"
#include "stiction/extend/base.h"
#include "stiction/extend/file.h"
#include "stiction/extend/run.h"

static const CliOption options[] = {
    {"until", 0, "T", "a later end of the run in seconds"},
    CLI_VIEW_OPTION,
    CLI_RUN_OPTIONS,
    {NULL, 0, NULL, NULL},
};

// the scene as stored in the result
static SticStatus read_scene(CliRun* run, SticError* error)
{
    SticResult* result = NULL;
    SticSceneOptions given = stic_scene_default_options();
    given.until = run->until;
    STIC_TRY(stic_result_open(run->call->context, run->result, &result, error));
    const char* text = stic_result_info(result)->definition;
    run->fresh = stic_result_info(result)->frames <= 1 && stic_result_info(result)->steps == 0;
    run->origin = stic_hash_bytes(0, text, strlen(text));
    SticStatus status = STIC_OK;
    if (text[0] == '\0')
        status = stic_error_set_at(error, STIC_BAD_DATA, run->result, 0, 0,
                                   "holds no scene: it was not written by 'stiction run'");
    if (status == STIC_OK) {
        // the parser only reads
        const union {
            const char* stored;
            char* bytes;
        } all = {text};
        SticText copy = {.context = *run->call->context, .bytes = all.bytes, .size = strlen(text)};
        status =
            stic_scene_parse(run->call->context, &copy, run->result, &given, &run->scene, error);
    }
    stic_result_close(result);
    return status;
}

// the state of the last snapshot; a result that holds only the start needs none, and one that lies
// beside it may be of the result that had the name before
static CliExit load_state(CliRun* run)
{
    SticError error = {0};
    char snapshot[CLI_PATH];
    stic_run_set_origin(stic_simulation_run(run->simulation), run->origin);
    SticStatus status =
        stic_output_beside(run->result, ".snapshot", snapshot, sizeof snapshot, &error);
    if (status == STIC_OK && !run->fresh)
        status = stic_run_load_file(stic_simulation_run(run->simulation), snapshot, &error);
    if (status == STIC_OK)
        return CLI_DONE;
    const CliExit result = cli_report(&error, status, snapshot);
    cli_message("a run goes on from its snapshot only; what %s holds stays as it is, and its scene "
                "can be run again",
                run->result);
    return result;
}

// the state, then the file up to it
static CliExit take_up(CliRun* run)
{
    SticError error = {0};
    SticRun* inner = stic_simulation_run(run->simulation);
    CliExit result = load_state(run);
    if (result != CLI_DONE)
        return result;
    const double now = stic_run_now(inner)->t;
    if (run->until > 0.0 && run->until < now - 0.5 * stic_scene_def(run->scene)->run.step)
        return cli_usage_error(run->call->command->name,
                               "--until %.9g: the run is at t = %.9g s already", run->until, now);
    const SticOutputDef def = cli_run_output(run);
    const SticStatus status = stic_output_reopen(run->call->context, &def, &run->output, &error);
    if (status != STIC_OK)
        return cli_report(&error, status, run->result);
    const CliHistoriesStart start = {.at = run->fresh ? -1.0 : now,
                                     .due = stic_output_is_due(run->output, inner),
                                     .frames = stic_output_frames(run->output)};
    result = cli_histories_open(run->call->context, run->simulation, run->result, start,
                                &run->histories);
    if (result == CLI_DONE && run->fresh)
        result = cli_histories_row(&run->histories, run->simulation);
    if (!run->json)
        fprintf(stderr, "resumed at step %lld, t = %.9g s\n",
                (long long)stic_run_totals(inner)->steps, now);
    return result;
}

static CliExit resume(CliRun* run)
{
    SticError error = {0};
    if (strlen(run->call->operand[0]) >= sizeof run->result)
        return cli_usage_error(run->call->command->name, "the name is too long");
    memcpy(run->result, run->call->operand[0], strlen(run->call->operand[0]) + 1);
    const SticStatus status = read_scene(run, &error);
    if (status != STIC_OK)
        return cli_report(&error, status, run->result);
    CliExit result = cli_run_build(run);
    cli_run_hold(run);
    if (result == CLI_DONE)
        result = take_up(run);
    if (result == CLI_DONE && cli_call_option(run->call, "view") != NULL)
        result = cli_live_open(run);
    return result == CLI_DONE ? cli_run_loop(run) : result;
}

static CliExit run_command(const CliCall* call)
{
    CliRun run;
    CliExit result = cli_run_options(call, &run);
    if (result == CLI_DONE)
        result = resume(&run);
    cli_run_clear(&run);
    return result;
}

const CliCommand cli_command_resume = {
    .name = "resume",
    .operands = "FILE.h5",
    .text = "Go on with a run from its last snapshot.",
    .details = "The scene and its settings are read from the result, the state from the snapshot "
               "NAME.snapshot beside it. Frames after the snapshot are computed again. A strict "
               "run that was resumed ends with the same bits as one that was not interrupted.",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run_command,
};
