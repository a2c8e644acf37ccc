// SPDX-License-Identifier: Apache-2.0
// The loop of a run: steps, output, progress, and an end that leaves nothing half done.
//
// Interrupts are noted while steps run (interrupt.h) and looked for between them: one finishes the
// step (or leaves one that takes many internal steps), stores a snapshot and says how to go on.
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "live.h"
#include "print.h"
#include "run.h"
#include "stiction/extend/run.h"
#include "stiction/extend/world.h"

enum { MOST_THREADS = 256, QUOTED = 4 * CLI_PATH + 5 };

/* ---- options ---- */

static void block_interrupts(sigset_t* old)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, old);
}

static CliExit take_threads(const CliCall* call, CliRun* run)
{
    const char* word = cli_call_option(call, "threads");
    char* end = NULL;
    if (word == NULL)
        return CLI_DONE;
    const long threads = strtol(word, &end, 10);
    if (end == word || *end != '\0' || threads < 1 || threads > MOST_THREADS)
        return cli_usage_error(call->command->name, "--threads: '%s' is not a number from 1 to %d",
                               word, MOST_THREADS);
    if (threads == 1)
        return CLI_DONE;
    // threads inherit the mask: an interrupt is for the thread that runs the steps
    sigset_t old;
    block_interrupts(&old);
    const SticStatus status = stic_pool_create(call->context, (int32_t)threads, &run->context.pool);
    sigprocmask(SIG_SETMASK, &old, NULL);
    return status == STIC_OK ? CLI_DONE : cli_out_of_memory();
}

// "when-hard", "every N" or a number
static CliExit take_dumps(const CliCall* call, CliRun* run)
{
    const char* word = cli_call_option(call, "dump-problems");
    if (word == NULL)
        return CLI_DONE;
    if (strcmp(word, "when-hard") == 0) {
        run->dump = CLI_WHEN_HARD;
        return CLI_DONE;
    }
    const char* number = strncmp(word, "every", 5) == 0 ? word + 5 : word;
    char* end = NULL;
    while (*number == ' ' || *number == '=')
        ++number;
    run->dump_every = strtoll(number, &end, 10);
    run->dump = CLI_WHEN_DUE;
    if (end != number && *end == '\0' && run->dump_every > 0)
        return CLI_DONE;
    return cli_usage_error(call->command->name,
                           "--dump-problems: '%s' is neither 'when-hard' nor 'every N'", word);
}

static CliExit take_until(const CliCall* call, CliRun* run)
{
    const char* word = cli_call_option(call, "until");
    char* end = NULL;
    if (word == NULL)
        return CLI_DONE;
    run->until = strtod(word, &end);
    if (end != word && *end == '\0' && isfinite(run->until) && run->until > 0.0)
        return CLI_DONE;
    return cli_usage_error(call->command->name, "--until: '%s' is not a number of seconds above 0",
                           word);
}

static bool asked(void* self)
{
    return cli_run_interrupted((const CliRun*)self);
}

CliExit cli_run_options(const CliCall* call, CliRun* run)
{
    memset(run, 0, sizeof *run);
    run->call = call;
    run->context = *call->context;
    run->context.interrupt = (SticInterrupt){.self = run, .asked = asked};
    run->json = cli_call_option(call, "json") != NULL;
    CliExit result = take_until(call, run);
    if (result == CLI_DONE)
        result = cli_existence_option(call, &run->inquiry);
    if (result == CLI_DONE)
        result = take_dumps(call, run);
    if (result == CLI_DONE)
        result = take_threads(call, run);
    if (result == CLI_DONE && stic_arena_create(&run->context, 0, &run->scratch) != STIC_OK)
        result = cli_out_of_memory();
    return result;
}

CliExit cli_run_build(CliRun* run)
{
    SticError error = {0};
    const SticStatus status =
        stic_simulation_create(&run->context, run->scene, &run->simulation, &error);
    if (status != STIC_OK)
        return cli_report(&error, status, run->call->operand[0]);
    cli_run_watch(run);
    return CLI_DONE;
}

SticOutputDef cli_run_output(const CliRun* run)
{
    const SticSceneDef* scene = stic_scene_def(run->scene);
    SticOutputDef def = stic_output_default_def();
    def.path = run->result;
    def.world = stic_simulation_world(run->simulation);
    def.run = stic_simulation_run(run->simulation);
    def.settings = scene->output;
    def.until = scene->run.until;
    def.title = scene->title;
    def.replace = cli_call_option(run->call, "force") != NULL;
    stic_simulation_colours(run->simulation, &def);
    return def;
}

/* ---- interrupts ---- */

bool cli_run_interrupted(const CliRun* run)
{
    return cli_interrupt_came(run->interrupt);
}

void cli_run_hold(CliRun* run)
{
    run->interrupt = cli_interrupt_open(run->call->context, run->result);
    cli_interrupt_in_file(run->interrupt, true);
}

void cli_run_clear(CliRun* run)
{
    cli_live_close(run);
    stic_output_close(run->output, NULL);
    cli_histories_close(&run->histories);
    stic_simulation_destroy(run->simulation);
    stic_scene_destroy(run->scene);
    stic_arena_destroy(run->scratch);
    stic_pool_destroy(run->context.pool);
    cli_interrupt_close(run->interrupt);
}

/* ---- the end ---- */

// a name as the shell takes it
static const char* quoted(const char* name, char text[QUOTED])
{
    const bool plain = strpbrk(name, " \t\n'\"\\$&;()<>|*?[]{}`~#!") == NULL;
    // a dash would begin an option
    size_t used = name[0] == '-' ? 2 : 0;
    memcpy(text, "./", 2);
    if (!plain)
        text[used++] = '\'';
    for (; *name != '\0'; ++name)
        if (*name == '\'') {
            // end the quotes, a quote by itself, go on
            memcpy(text + used, "'\\''", 4);
            used += 4;
        } else {
            text[used++] = *name;
        }
    if (!plain)
        text[used++] = '\'';
    text[used] = '\0';
    return text;
}

static CliExit output_failed(CliRun* run, const SticError* error, SticStatus status)
{
    char name[QUOTED];
    const CliExit result = cli_report(error, status, run->result);
    cli_message("the run stopped at step %lld; %s can be read up to its last complete frame. When "
                "the cause is gone, 'stiction resume %s' goes on from the last snapshot",
                (long long)stic_run_totals(stic_simulation_run(run->simulation))->steps,
                run->result, quoted(run->result, name));
    return result;
}

// store the last state, a snapshot, and close
static CliExit finish_output(CliRun* run)
{
    SticError error = {0};
    const SticRun* inner = stic_simulation_run(run->simulation);
    const CliExit row = cli_histories_row(&run->histories, run->simulation);
    SticStatus status = stic_output_frame(run->output, inner, &error);
    cli_live_close(run);
    if (status == STIC_OK)
        status = stic_output_snapshot(run->output, inner, &error);
    SticOutput* output = run->output;
    run->output = NULL;
    run->writing = stic_output_seconds(output);
    const SticStatus closed = stic_output_close(output, status == STIC_OK ? &error : NULL);
    if (status == STIC_OK)
        status = closed;
    if (status == STIC_OK && stic_scene_def(run->scene)->output.xdmf)
        status = stic_result_export_xdmf(&run->context, run->result, &error);
    if (!cli_histories_close(&run->histories))
        cli_message("%s: cannot be written", run->histories.path);
    return status == STIC_OK ? row : cli_worse(row, output_failed(run, &error, status));
}

// numbers beyond double precision are an outcome of the computation: nothing is wrong with the
// files, and continuing from here would end the same way
static CliExit not_finite(CliRun* run, const SticStepInfo* info, const SticError* error)
{
    const SticRun* inner = stic_simulation_run(run->simulation);
    const char* body =
        stic_simulation_world(run->simulation) == NULL
            ? ""
            : stic_world_block_name(stic_simulation_system(run->simulation), info->broken);
    cli_message("step %lld, t = %.9g s%s%s%s: %s", (long long)stic_run_totals(inner)->steps + 1,
                stic_run_now(inner)->t, body[0] != '\0' ? ", body '" : "", body,
                body[0] != '\0' ? "'" : "", error->text);
    cli_message("the result holds everything before that step; a smaller run.step, other units or "
                "another scheme may help");
    run->not_finite = true;
    return CLI_UNSOLVED;
}

// a solver or scheme that meets what it does not handle; the run ends as it is
static CliExit refused(CliRun* run, const SticError* error)
{
    const SticRun* inner = stic_simulation_run(run->simulation);
    cli_message("%s: step %lld, t = %.9g s: %s", run->call->operand[0],
                (long long)stic_run_totals(inner)->steps + 1, stic_run_now(inner)->t, error->text);
    cli_message("%s holds everything before that step; another solver or scheme may take it",
                run->result);
    run->refused = true;
    return CLI_INPUT;
}

// what may help where a step was not solved: solvers where something touches, parts of steps where
// they were not tried
static const char* stuck_advice(const SticStepInfo* info, int32_t policy)
{
    const bool adapts = policy == STIC_POLICY_ADAPT;
    if (info->contacts > 0)
        return adapts ? "a smaller run.step or another solver or scheme may help, and "
                        "--dump-problems when-hard keeps the problem"
                      : "a smaller run.step, another solver, or --set run.policy=adapt may help, "
                        "and --dump-problems when-hard keeps the problem";
    return adapts ? "a smaller run.step or another scheme may help"
                  : "a smaller run.step, another scheme, or --set run.policy=adapt may help";
}

static CliExit step_failed(CliRun* run, const SticStepInfo* info, SticStatus status)
{
    const SticError* error = run->watch_error.status != STIC_OK ? &run->watch_error : &info->error;
    // equations that become singular during a run are an outcome; if those of the first step are,
    // the scene is wrong
    const bool begun = stic_run_totals(stic_simulation_run(run->simulation))->steps > 0;
    if (status == STIC_NOT_FINITE || (status == STIC_SINGULAR && begun))
        return not_finite(run, info, error);
    if (status == STIC_UNSUPPORTED)
        return refused(run, error);
    if (status != STIC_STEP_FAILED)
        return cli_report(error, status, run->call->operand[0]);
    cli_message("%s", error->text);
    run->failed = info->solve.outcome;
    if (run->verdict > 0) {
        char text[CLI_CELL];
        cli_existence_text((SticVerdict)(run->verdict - 1), run->certificate, text);
        cli_message("%s", text);
    }
    if (info->solve.outcome == STIC_OUTCOME_NO_SOLUTION)
        cli_message("the result holds everything before that step; no solver can go on: what moves "
                    "the bodies (prescribed motions, walls, joints) leaves them no velocity. "
                    "--set run.policy=continue takes the best reactions found");
    else
        cli_message("the result holds everything before that step; %s",
                    stuck_advice(info, stic_scene_def(run->scene)->run.policy));
    return CLI_UNSOLVED;
}

static void say_next(const CliRun* run, const char* why)
{
    char name[QUOTED];
    quoted(run->result, name);
    if (run->json)
        return;
    if (why == NULL)
        cli_print_line("next: stiction view %s, info %s, or export %s for ParaView", name, name,
                       name);
    else if (!run->not_finite && !run->refused)
        cli_print_line("next: stiction resume %s", name);
}

// reference values whose time has not come, or whose past is not known; what is told at the end of
// the run is not told as it comes
static void note_unchecked(CliRun* run)
{
    const SticSceneDef* def = stic_scene_def(run->scene);
    SticRun* inner = stic_simulation_run(run->simulation);
    const SticNotice one = stic_notice_make(0.0, -1, -1);
    for (int32_t i = 0; i < def->check_count; ++i) {
        const CliChecked how = cli_histories_checked(&run->histories, run->simulation, i);
        if (how == CLI_CHECK_AHEAD || how == CLI_CHECK_PARTLY_SEEN)
            stic_run_note(inner, STIC_NOTICE_CHECKS, &one);
    }
}

/* ---- the loop ---- */

static CliExit one_step(CliRun* run, SticStepInfo* info)
{
    SticError error = {0};
    SticRun* inner = stic_simulation_run(run->simulation);
    const double begin = stic_timer_seconds();
    run->verdict = 0;
    run->certificate = STIC_CERTIFICATE_NOTHING;
    SticStatus status = stic_simulation_step(run->simulation, info);
    // a request to stop inside the step: the state is that of its beginning, and the loop ends
    if (status == STIC_INTERRUPTED && cli_run_interrupted(run))
        return CLI_DONE;
    if (status != STIC_OK)
        return step_failed(run, info, status);
    const double seconds = stic_timer_seconds() - begin;
    run->stepping += seconds;
    run->solving += info->solve.seconds;
    // a verdict on an attempt that was replaced by another is not about this step
    if (!cli_inquiry_asks(run->inquiry, &info->solve)) {
        run->verdict = 0;
        run->certificate = STIC_CERTIFICATE_NOTHING;
    }
    run->verdicts[run->verdict] += 1;
    const SticStepExtra extra = {
        .seconds = seconds, .existence = run->verdict, .certificate = run->certificate};
    // histories before the result: a snapshot is never ahead of them
    cli_interrupt_in_file(run->interrupt, true);
    const CliExit result = stic_output_is_due(run->output, inner)
                               ? cli_histories_row(&run->histories, run->simulation)
                               : CLI_DONE;
    if (result == CLI_DONE)
        status = stic_output_step(run->output, inner, info, &extra, &error);
    cli_interrupt_in_file(run->interrupt, false);
    if (result != CLI_DONE)
        return result;
    return status == STIC_OK ? CLI_DONE : output_failed(run, &error, status);
}

CliExit cli_run_loop(CliRun* run)
{
    SticStepInfo info = {0};
    const char* why = NULL;
    CliExit result = CLI_DONE;
    cli_interrupt_in_file(run->interrupt, false);
    run->begin = stic_timer_seconds();
    run->opening = stic_output_seconds(run->output);
    run->first_step = stic_run_totals(stic_simulation_run(run->simulation))->steps;
    cli_notices_begin(run);
    while (result == CLI_DONE && why == NULL && !stic_simulation_is_done(run->simulation)) {
        // the first turn waits for the page
        if (cli_live_turn(run) || cli_run_interrupted(run)) {
            why = "interrupted";
            break;
        }
        result = one_step(run, &info);
        cli_notices_step(run);
        if (cli_run_interrupted(run))
            why = "interrupted";
        else if (result == CLI_DONE)
            cli_run_progress(run, &info);
    }
    cli_run_progress_end();
    if (result == CLI_UNSOLVED || run->refused)
        why = run->refused ? "refused" : run->not_finite ? "not-finite" : "unsolved";
    // after a failed write there is nothing to finish
    if (result == CLI_DONE || result == CLI_UNSOLVED || run->refused) {
        note_unchecked(run);
        cli_interrupt_in_file(run->interrupt, true);
        const CliExit finished = finish_output(run);
        cli_interrupt_in_file(run->interrupt, false);
        cli_run_summary(run, why);
        const int32_t failed = cli_histories_checks(&run->histories, run->simulation, run->json);
        const SticRunTotals* totals = stic_run_totals(stic_simulation_run(run->simulation));
        const bool missed = totals->unsolved > 0,
                   alarm = totals->notice[STIC_NOTICE_ENERGY].count > 0,
                   broken = totals->broken_promises != 0;
        if (failed > 0 || why != NULL || missed || alarm || broken)
            result = cli_worse(result, CLI_UNSOLVED);
        if (finished == CLI_DONE)
            say_next(run, why);
        result = cli_worse(result, finished);
    }
    return result;
}
