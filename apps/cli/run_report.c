// SPDX-License-Identifier: Apache-2.0
// The summary of a run.
#include <stdarg.h>
#include <stdio.h>

#include "json.h"
#include "print.h"
#include "run.h"
#include "stiction/extend/run.h"

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
    cli_json_real(&json, "held_gap", totals->held_gap);
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

// text of a line that is put together from parts
typedef struct Words {
    char text[1024];
    size_t used;
} Words;

STIC_PRINTF(2, 3) static void add(Words* words, const char* format, ...)
{
    va_list list;
    va_start(list, format);
    const int length =
        vsnprintf(words->text + words->used, sizeof words->text - words->used, format, list);
    va_end(list);
    const size_t room = sizeof words->text - words->used - 1;
    words->used += length < 0 ? 0 : (size_t)length < room ? (size_t)length : room;
}

static void print_energy(const SticRunTotals* totals)
{
    const SticLedger* l = &totals->ledger;
    Words line = {0};
    add(&line, "%.6g J at the start, since then %+.6g kinetic, %+.6g potential; work:",
        totals->energy_start, l->kinetic, l->potential);
    // the first two are the changes printed above
    for (int32_t i = 2; i < STIC_LEDGER_TERMS; ++i)
        if (stic_ledger_term(l, i) != 0.0)
            add(&line, " %s %+.4g", stic_ledger_names[i], stic_ledger_term(l, i));
    const bool alarm = totals->notice[STIC_NOTICE_ENERGY].count > 0;
    cli_print_fact(alarm ? CLI_TONE_BAD : CLI_TONE_PLAIN, "energy", "%s", line.text);
}

// worst violations of what the scheme promises with its settings; none promises angular momentum
static void print_promises(const SticRunParts* def, const SticRunTotals* totals)
{
    const uint32_t promised = stic_scheme_promises(def->scheme, def->scheme_settings);
    Words line = {0};
    for (int k = 0; k <= STIC_PROMISE_MOMENTUM; ++k) {
        if ((promised & STIC_PROMISE_BIT(k)) == 0)
            continue;
        add(&line, "%s %s %.1e%s", line.used == 0 ? "largest deviations:" : ",",
            stic_promise_names[k], totals->violation[k],
            (totals->broken_promises & STIC_PROMISE_BIT(k)) != 0 ? " (broken)" : "");
        // contacts that close in a step are found at its end
        if (k == STIC_PROMISE_GAP && totals->violation[k] > totals->held_gap)
            add(&line, " (%.1e for contacts that were closed before)", totals->held_gap);
    }
    if (promised != 0)
        cli_print_fact(totals->broken_promises != 0 ? CLI_TONE_BAD : CLI_TONE_PLAIN, "promises",
                       "%s", line.text);
}

static void print_verdicts(const CliRun* run)
{
    const int64_t made =
        stic_run_totals(stic_simulation_run(run->simulation))->steps - run->first_step;
    Words line = {0};
    if (run->verdicts[0] == made)
        return;
    for (int32_t i = 0; i < STIC_VERDICT_COUNT; ++i)
        add(&line, "%s%lld %s", i > 0 ? ", " : "", (long long)run->verdicts[i + 1],
            stic_verdict_name((SticVerdict)i));
    cli_print_fact(CLI_TONE_PLAIN, "existence", "%s (%lld steps not asked)", line.text,
                   (long long)run->verdicts[0]);
}

// the promise of the run and how far it was kept
static void print_accuracy(const CliRun* run)
{
    const SticRun* inner = stic_simulation_run(run->simulation);
    const SticRunParts* def = stic_run_parts(inner);
    const SticAccuracy level = stic_run_accuracy(def);
    const SticAccuracyPromise* promise = stic_accuracy_promise(level);
    const SticRunTotals* totals = stic_run_totals(inner);
    const CliTone tone = totals->unsolved > 0 ? CLI_TONE_BAD : CLI_TONE_PLAIN;
    if (level == STIC_ACCURACY_TOLERANCE)
        cli_print_fact(tone, "accuracy",
                       "by the solver's tolerance of %.0e in every step, not by a level",
                       def->solve.tolerance);
    else if (def->scheme->still || def->scheme->instants)
        // their problems do not tell what rests
        cli_print_fact(tone, "accuracy", "%s: a tolerance of %.0e in every step", promise->name,
                       promise->uniform);
    else
        cli_print_fact(tone, "accuracy",
                       "%s: errors of %.0e in motion, creep of %.0e of the size in a second",
                       promise->name, promise->motion, promise->creep);
    Words line = {0};
    if (totals->newton_missed > 0)
        add(&line, "; %lld of them by Newton's iteration", (long long)totals->newton_missed);
    if (totals->unsolved > 0)
        cli_print_fact(tone, "", "missed in %lld of %lld steps, by a factor of %.3g at most%s",
                       (long long)totals->unsolved, (long long)totals->steps, totals->worst_ratio,
                       line.text);
    if (totals->retried + totals->halved > 0)
        cli_print_fact(tone, "", "repaired: %lld %s by halving, %lld by the second solver",
                       (long long)totals->halved, totals->halved == 1 ? "step" : "steps",
                       (long long)totals->retried);
    if (totals->loose > 0)
        cli_print_fact(tone, "",
                       "in %lld of %lld steps kept for what moves only, not for what rests",
                       (long long)totals->loose, (long long)totals->steps);
}

static void print_solver(const SticSceneDef* def, const SticRunTotals* totals)
{
    Words line = {0};
    if (totals->at_floor > 0)
        add(&line, "; %lld %s to the floor of double precision", (long long)totals->at_floor,
            totals->at_floor == 1 ? "step" : "steps");
    cli_print_fact(CLI_TONE_PLAIN, "solver", "%s, worst error %.2e, %.1f iterations a step%s",
                   def->solver, totals->worst_error,
                   totals->steps > 0 ? (double)totals->iterations / (double)totals->steps : 0.0,
                   line.text);
    line.used = 0;
    line.text[0] = '\0';
    if (totals->penetration_part > 0.0)
        add(&line, ", %.2g %% of the smaller body", 100.0 * totals->penetration_part);
    cli_print_fact(CLI_TONE_PLAIN, "penetration", "%.3e m at most%s", totals->penetration,
                   line.text);
    if (def->run.correction > 0.0)
        cli_print_fact(CLI_TONE_PLAIN, "correction",
                       "%.4g J put in by position correction (%.4g of what is beyond %.4g m); not "
                       "solved in %lld steps",
                       totals->ledger.correction, def->run.correction, def->run.allowance,
                       (long long)totals->uncorrected);
}

static void print_summary(const CliRun* run, double seconds)
{
    const SticRun* inner = stic_simulation_run(run->simulation);
    const SticRunTotals* totals = stic_run_totals(inner);
    const SticSceneDef* def = stic_scene_def(run->scene);
    const int64_t made = totals->steps - run->first_step;
    if (def->title != NULL && def->title[0] != '\0')
        cli_print_line("%s", def->title);
    cli_print_fact(CLI_TONE_PLAIN, "steps", "%lld to t = %.9g s, scheme %s, h = %.6g s",
                   (long long)totals->steps, stic_run_now(inner)->t, def->scheme, def->run.step);
    const char* remark =
        stic_scheme_remark(stic_scheme_find(def->scheme, NULL), def->scheme_settings);
    if (remark != NULL)
        cli_print_fact(CLI_TONE_PLAIN, "scheme", "%s", remark);
    print_accuracy(run);
    print_solver(def, totals);
    print_energy(totals);
    print_promises(stic_run_parts(inner), totals);
    print_verdicts(run);
    cli_print_fact(CLI_TONE_PLAIN, "wall time",
                   "%.3g s: solver %.3g, rest of the steps %.3g, output %.3g; %.4g steps/s",
                   seconds, run->solving, run->stepping - run->solving, run->writing,
                   seconds > 0.0 ? (double)made / seconds : 0.0);
    cli_print_fact(CLI_TONE_PLAIN, "bits", "%s, state %016llx", determinism_name(run),
                   (unsigned long long)stic_run_hash(inner));
    cli_notices_print(run);
    if (run->dumped > 0)
        cli_print_fact(CLI_TONE_PLAIN, "problems", "%lld written beside the result",
                       (long long)run->dumped);
    cli_print_fact(CLI_TONE_PLAIN, "result", "%s", run->result);
}

void cli_run_summary(CliRun* run, const char* why)
{
    const double seconds = stic_timer_seconds() - run->begin + run->opening;
    if (run->json)
        json_summary(run, why, seconds);
    else
        print_summary(run, seconds);
}
