// SPDX-License-Identifier: Apache-2.0
// What is done to the one-step problems of a run: verdicts on existence, dumps in FCLIB.
#include <stdio.h>
#include <string.h>

#include "print.h"
#include "run.h"
#include "stiction/extend/run.h"

// whether there is a solution at all; the outcome says so if it is proved that there is none
static SticStatus judge(CliRun* run, const SticProblem* problem, SticSolveInfo* info)
{
    const SticExistenceSettings settings = cli_inquiry_settings(run->inquiry);
    SticExistence existence;
    if (problem->count == 0 || !cli_inquiry_asks(run->inquiry, info))
        return STIC_OK;
    STIC_TRY(stic_arena_reset(run->scratch));
    STIC_TRY(
        stic_existence_decide(problem, &settings, run->scratch, &existence, &run->watch_error));
    stic_existence_conclude(&existence, info);
    run->verdict = 1 + (int32_t)existence.verdict;
    run->certificate = existence.decided_by;
    return STIC_OK;
}

static bool wants_dump(const CliRun* run, const SticSolveInfo* info, int64_t step)
{
    const int32_t most = stic_scene_def(run->scene)->solve.max_iterations;
    if (run->dump == CLI_WHEN_HARD)
        return info->outcome != STIC_OUTCOME_SOLVED || info->iterations > most / 2;
    return run->dump == CLI_WHEN_DUE && step % run->dump_every == 0;
}

static SticStatus dump(CliRun* run, const SticProblem* problem, const double* r, int64_t step)
{
    char name[CLI_PATH + 32], suffix[64], title[128], text[256];
    snprintf(suffix, sizeof suffix, ".step-%06lld.h5", (long long)step);
    STIC_TRY(stic_output_beside(run->result, suffix, name, sizeof name, &run->watch_error));
    const char* scene = stic_scene_def(run->scene)->title;
    snprintf(title, sizeof title, "step %lld of %.80s", (long long)step,
             scene == NULL ? "a scene" : scene);
    snprintf(text, sizeof text, "one-step problem of scheme %s, written by stiction %s",
             stic_scene_def(run->scene)->scheme, stic_version());
    const SticGuess solution = {.r = r};
    const SticMetadata metadata = {
        .title = title, .description = text, .solution = r == NULL ? NULL : &solution};
    const SticStatus status =
        stic_problem_write(&run->context, problem, &metadata, name, &run->watch_error);
    if (status == STIC_UNSUPPORTED) {
        // a law that FCLIB cannot hold: said once, the run goes on
        if (!run->undumped)
            cli_message("step %lld cannot be dumped: %s", (long long)step, run->watch_error.text);
        run->undumped = true;
        stic_error_clear(&run->watch_error);
        return STIC_OK;
    }
    run->dumped += status == STIC_OK ? 1 : 0;
    return status;
}

static SticStatus see(void* self, const SticProblem* problem, const double* r, SticSolveInfo* info)
{
    CliRun* run = self;
    const int64_t step = stic_run_totals(stic_simulation_run(run->simulation))->steps + 1;
    if (r != NULL)
        STIC_TRY(judge(run, problem, info));
    // tangent problems have no outcome of their own yet
    const bool due = r != NULL || run->dump == CLI_WHEN_DUE;
    if (problem->count > 0 && due && wants_dump(run, info, step))
        return dump(run, problem, r, step);
    return STIC_OK;
}

void cli_run_watch(CliRun* run)
{
    if (run->inquiry == CLI_ASK_NEVER && run->dump == CLI_WHEN_NEVER)
        return;
    stic_run_observe(stic_simulation_run(run->simulation), (SticObserver){.self = run, .see = see});
}
