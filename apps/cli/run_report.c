// SPDX-License-Identifier: Apache-2.0
// Progress and summary of a run.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "print.h"
#include "run.h"
#include "stiction/extend/problem.h"
#include "stiction/extend/run.h"

/* ---- progress ---- */

static void format_time(double seconds, char text[32])
{
    if (!(seconds < 360000.0))
        snprintf(text, 32, "long");
    else if (seconds >= 3600.0)
        snprintf(text, 32, "%d:%02d h", (int)(seconds / 3600.0), (int)(seconds / 60.0) % 60);
    else if (seconds >= 60.0)
        snprintf(text, 32, "%d:%02d min", (int)(seconds / 60.0), (int)seconds % 60);
    else
        snprintf(text, 32, "%.1f s", seconds);
}

static void format_line(const CliRun* run, const SticStepInfo* info, char* text, size_t size)
{
    const SticRun* inner = stic_simulation_run(run->simulation);
    const SticRunParts* def = stic_run_parts(inner);
    const int64_t step = stic_run_totals(inner)->steps,
                  steps = stic_simulation_steps(run->simulation);
    const double spent = stic_timer_seconds() - run->begin;
    const double speed = spent > 0.0 ? (double)(step - run->first_step) / spent : 0.0;
    char left[32];
    format_time(speed > 0.0 ? (double)(steps - step) / speed : INFINITY, left);
    snprintf(text, size,
             "step %lld of %lld, t %.6g s, %d contacts, error %.1e, %.4g steps/s, %s left",
             (long long)step, (long long)steps, stic_run_now(inner)->t, (int)info->contacts,
             stic_errors_get(&info->solve.errors, (SticNorm)def->solve.norm), speed, left);
}

static void json_progress(const CliRun* run, const SticStepInfo* info)
{
    const SticRun* inner = stic_simulation_run(run->simulation);
    CliJson json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "event", "progress");
    cli_json_integer(&json, "step", stic_run_totals(inner)->steps);
    cli_json_integer(&json, "steps", stic_simulation_steps(run->simulation));
    cli_json_real(&json, "time", stic_run_now(inner)->t);
    cli_json_integer(&json, "contacts", info->contacts);
    cli_json_integer(&json, "iterations", info->solve.iterations);
    cli_json_real(
        &json, "error",
        stic_errors_get(&info->solve.errors, (SticNorm)stic_run_parts(inner)->solve.norm));
    cli_json_line(&json);
    fflush(stdout);
}

void cli_run_progress(const CliRun* run, const SticStepInfo* info, double* last)
{
    char text[256];
    const int64_t step = stic_run_totals(stic_simulation_run(run->simulation))->steps;
    const int64_t steps = stic_simulation_steps(run->simulation);
    if (!run->json && isatty(STDERR_FILENO)) {
        const double now = stic_timer_seconds();
        if (now - *last < 0.2)
            return;
        *last = now;
        format_line(run, info, text, sizeof text);
        fprintf(stderr, "\r%s\033[K", text);
        fflush(stderr);
        return;
    }
    // a tenth of the run has passed
    if (step * 10 / steps == (step - 1) * 10 / steps || step == steps)
        return;
    if (run->json) {
        json_progress(run, info);
        return;
    }
    format_line(run, info, text, sizeof text);
    fprintf(stderr, "%s\n", text);
}

void cli_run_progress_end(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

/* ---- summary ---- */

static const char* determinism_name(const CliRun* run)
{
    static const char* const names[] = {"strict", "library", "free"};
    return names[stic_simulation_determinism(run->simulation)];
}

// steps by verdict, and what decides that of the last one
static void json_verdicts(CliJson* json, const CliRun* run)
{
    cli_json_begin(json, "existence", '{');
    for (int32_t i = 0; i < STIC_VERDICT_COUNT; ++i)
        cli_json_integer(json, stic_verdict_name((SticVerdict)i), run->verdicts[i + 1]);
    cli_json_end(json, '}');
    cli_json_text(json, "certificate", cli_certificate_name(run->certificate));
}

static void json_summary(const CliRun* run, const char* why, double seconds)
{
    SticRun* inner = stic_simulation_run(run->simulation);
    const SticRunTotals* totals = stic_run_totals(inner);
    CliJson json = {.file = stdout};
    char hash[32];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)stic_run_hash(inner));
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "event", "end");
    cli_json_text(&json, "reason", why == NULL ? "done" : why);
    cli_json_text(&json, "outcome",
                  run->failed == STIC_OUTCOME_SOLVED ? NULL : stic_outcome_name(run->failed));
    json_verdicts(&json, run);
    cli_json_text(&json, "result", run->result);
    cli_json_integer(&json, "steps", totals->steps);
    cli_json_real(&json, "time", stic_run_now(inner)->t);
    const SticRunParts* setup = stic_run_parts(inner);
    const SticAccuracy level = stic_run_accuracy(setup);
    cli_json_text(&json, "accuracy", stic_accuracy_promise(level)->name);
    cli_json_real(&json, "tolerance", setup->solve.tolerance);
    cli_json_real(&json, "worst_error", totals->worst_error);
    cli_json_real(&json, "worst_ratio", totals->worst_ratio);
    cli_json_integer(&json, "loose", totals->loose);
    cli_json_integer(&json, "unsolved", totals->unsolved);
    cli_json_integer(&json, "newton_missed", totals->newton_missed);
    cli_json_integer(&json, "retried", totals->retried);
    cli_json_integer(&json, "halved", totals->halved);
    cli_json_integer(&json, "uncorrected", totals->uncorrected);
    cli_json_real(&json, "penetration", totals->penetration);
    cli_json_real(&json, "penetration_part", totals->penetration_part);
    cli_json_begin(&json, "violation", '{');
    for (int k = 0; k <= STIC_PROMISE_MOMENTUM; ++k)
        cli_json_real(&json, stic_promise_names[k], totals->violation[k]);
    cli_json_end(&json, '}');
    cli_json_begin(&json, "broken_promises", '[');
    for (int k = 0; k <= STIC_PROMISE_MOMENTUM; ++k)
        if ((totals->broken_promises & STIC_PROMISE_BIT(k)) != 0)
            cli_json_text(&json, NULL, stic_promise_names[k]);
    cli_json_end(&json, ']');
    cli_json_begin(&json, "ledger", '{');
    for (int32_t i = 0; i < STIC_LEDGER_TERMS; ++i)
        cli_json_real(&json, stic_ledger_names[i], stic_ledger_term(&totals->ledger, i));
    cli_json_end(&json, '}');
    cli_json_real(&json, "energy_error", stic_totals_energy_error(totals));
    cli_json_real(&json, "energy_alarm", setup->energy_alarm);
    cli_json_text(&json, "determinism", determinism_name(run));
    cli_json_text(&json, "hash", hash);
    cli_json_real(&json, "seconds", seconds);
    cli_json_real(&json, "solve_seconds", run->solving);
    cli_json_real(&json, "output_seconds", run->writing);
    cli_json_integer(&json, "dumped", run->dumped);
    cli_notices_json(&json, run);
    cli_json_begin(&json, "checks", '[');
    const SticSceneDef* def = stic_scene_def(run->scene);
    for (int32_t i = 0; i < def->check_count; ++i) {
        if (cli_histories_checked(&run->histories, run->simulation, i) != CLI_CHECK_JUDGED)
            continue;
        cli_json_begin(&json, NULL, '{');
        const SticCheckResult result = stic_simulation_check(run->simulation, i);
        cli_json_text(&json, "name", def->check[i].what.name);
        cli_json_text(&json, "source", def->check[i].source);
        cli_json_real(&json, "value", result.value);
        cli_json_real(&json, "expected", def->check[i].value);
        cli_json_real(&json, "tolerance", def->check[i].tolerance);
        cli_json_bool(&json, "passed", result.passed);
        cli_json_end(&json, '}');
    }
    cli_json_end(&json, ']');
    cli_json_line(&json);
}

static void print_energy(const SticRunTotals* totals)
{
    const SticLedger* l = &totals->ledger;
    printf("  energy      %.6g J at the start, %+.6g kinetic, %+.6g potential; work:",
           totals->energy_start, l->kinetic, l->potential);
    // the first two are the changes printed above
    for (int32_t i = 2; i < STIC_LEDGER_TERMS; ++i)
        if (stic_ledger_term(l, i) != 0.0)
            printf(" %s %+.4g", stic_ledger_names[i], stic_ledger_term(l, i));
    printf("\n");
}

// worst violations of what the scheme promises with its settings; none promises angular momentum
static void print_promises(const SticRunParts* def, const SticRunTotals* totals)
{
    const uint32_t promised = stic_scheme_promises(def->scheme, def->scheme_settings);
    const char* before = "  promises    missed at most by";
    for (int k = 0; k <= STIC_PROMISE_MOMENTUM; ++k)
        if ((promised & STIC_PROMISE_BIT(k)) != 0) {
            printf("%s %s %.1e%s", before, stic_promise_names[k], totals->violation[k],
                   (totals->broken_promises & STIC_PROMISE_BIT(k)) != 0 ? " (broken)" : "");
            before = ",";
        }
    printf("%s", promised != 0 ? "\n" : "");
}

static void print_verdicts(const CliRun* run)
{
    const int64_t made =
        stic_run_totals(stic_simulation_run(run->simulation))->steps - run->first_step;
    if (run->verdicts[0] == made)
        return;
    printf("  existence   ");
    for (int32_t i = 0; i < STIC_VERDICT_COUNT; ++i)
        printf("%s%lld %s", i > 0 ? ", " : "", (long long)run->verdicts[i + 1],
               stic_verdict_name((SticVerdict)i));
    printf(" (%lld steps not asked)\n", (long long)run->verdicts[0]);
}

// the promise of the run and how far it was kept
static void print_accuracy(const CliRun* run)
{
    const SticRun* inner = stic_simulation_run(run->simulation);
    const SticRunParts* def = stic_run_parts(inner);
    const SticAccuracy level = stic_run_accuracy(def);
    const SticAccuracyPromise* promise = stic_accuracy_promise(level);
    if (level == STIC_ACCURACY_TOLERANCE)
        printf("  accuracy    by the solver's tolerance of %.0e in every step, not by a level\n",
               def->solve.tolerance);
    else
        printf(
            "  accuracy    %s: errors of %.0e in motion, creep of %.0e of the size in a second\n",
            promise->name, promise->motion, promise->creep);
    const SticRunTotals* totals = stic_run_totals(inner);
    if (totals->unsolved > 0)
        printf("              missed in %lld of %lld steps, by a factor of %.3g at most",
               (long long)totals->unsolved, (long long)totals->steps, totals->worst_ratio);
    if (totals->newton_missed > 0)
        printf("; %lld of them by Newton's iteration", (long long)totals->newton_missed);
    printf("%s", totals->unsolved > 0 ? "\n" : "");
    if (totals->retried + totals->halved > 0)
        printf("              repaired: %lld steps by halving, %lld by the second solver\n",
               (long long)totals->halved, (long long)totals->retried);
    if (totals->loose > 0)
        printf("              kept in motion only, not what rests, in %lld steps\n",
               (long long)totals->loose);
}

static void print_summary(const CliRun* run, double seconds)
{
    const SticRun* inner = stic_simulation_run(run->simulation);
    const SticRunTotals* totals = stic_run_totals(inner);
    const SticSceneDef* def = stic_scene_def(run->scene);
    const int64_t made = totals->steps - run->first_step;
    if (def->title != NULL && def->title[0] != '\0')
        cli_print_line("%s", def->title);
    printf("  steps       %lld to t = %.9g s, scheme %s, h = %.6g s\n", (long long)totals->steps,
           stic_run_now(inner)->t, def->scheme, def->run.step);
    const char* remark =
        stic_scheme_remark(stic_scheme_find(def->scheme, NULL), def->scheme_settings);
    if (remark != NULL)
        cli_print_line("  scheme      %s", remark);
    print_accuracy(run);
    printf("  solver      %s, worst error %.2e, %.1f iterations a step", def->solver,
           totals->worst_error,
           totals->steps > 0 ? (double)totals->iterations / (double)totals->steps : 0.0);
    if (totals->at_floor > 0)
        printf("; %lld steps at the floor of double precision", (long long)totals->at_floor);
    printf("\n  penetration %.3e m at most", totals->penetration);
    if (totals->penetration_part > 0.0)
        printf(", %.2g %% of the smaller body", 100.0 * totals->penetration_part);
    printf("\n");
    if (def->run.correction > 0.0)
        printf(
            "  correction  %.4g J put in by position correction (%.4g of what is beyond %.4g m); "
            "not solved in %lld steps\n",
            totals->ledger.correction, def->run.correction, def->run.allowance,
            (long long)totals->uncorrected);
    print_energy(totals);
    print_promises(stic_run_parts(inner), totals);
    print_verdicts(run);
    printf("  wall time   %.3g s: solver %.3g, rest of the steps %.3g, output %.3g; %.4g steps/s\n",
           seconds, run->solving, run->stepping - run->solving, run->writing,
           seconds > 0.0 ? (double)made / seconds : 0.0);
    printf("  bits        %s, state %016llx\n", determinism_name(run),
           (unsigned long long)stic_run_hash(inner));
    cli_notices_print(run);
    if (run->dumped > 0)
        printf("  problems    %lld written beside the result\n", (long long)run->dumped);
    cli_print_line("  result      %s", run->result);
}

void cli_run_summary(CliRun* run, const char* why)
{
    const double seconds = stic_timer_seconds() - run->begin;
    if (run->json)
        json_summary(run, why, seconds);
    else
        print_summary(run, seconds);
}
