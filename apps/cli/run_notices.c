// SPDX-License-Identifier: Apache-2.0
// Notices of a run: each once when it first happens, and all of them folded at the end.
#include "print.h"
#include "run.h"
#include "stiction/extend/run.h"

enum { LINE = 400 };

static const SticNotice* notice_of(const CliRun* run, int kind)
{
    return &stic_run_totals(stic_simulation_run(run->simulation))->notice[kind];
}

static void line_of(const CliRun* run, int kind, char text[LINE])
{
    stic_output_notice_line(stic_simulation_run(run->simulation),
                            stic_simulation_world(run->simulation), (SticNoticeKind)kind, text,
                            LINE);
}

void cli_notices_begin(CliRun* run)
{
    if (stic_run_totals(stic_simulation_run(run->simulation))->steps == 0)
        return;
    for (int k = 0; k < STIC_NOTICE_COUNT; ++k)
        run->said[k] = notice_of(run, k)->count > 0;
}

void cli_notices_step(CliRun* run)
{
    for (int k = 0; k < STIC_NOTICE_COUNT; ++k) {
        char text[LINE];
        if (run->said[k] || notice_of(run, k)->count == 0)
            continue;
        run->said[k] = true;
        if (run->json)
            continue;
        line_of(run, k, text);
        cli_run_progress_end();
        cli_message("note: %s", text);
    }
}

void cli_notices_print(const CliRun* run)
{
    bool first = true;
    for (int k = 0; k < STIC_NOTICE_COUNT; ++k) {
        char text[LINE];
        line_of(run, k, text);
        // do not repeat what the lines about accuracy say
        if (text[0] == '\0' || k == STIC_NOTICE_MISSED || k == STIC_NOTICE_LOOSE)
            continue;
        cli_print_fact(CLI_TONE_WARNING, first ? "notes" : "", "%s", text);
        first = false;
    }
}

void cli_notices_json(CliJson* json, const CliRun* run)
{
    cli_json_begin(json, "notices", '[');
    for (int k = 0; k < STIC_NOTICE_COUNT; ++k) {
        const SticNotice* notice = notice_of(run, k);
        char text[LINE];
        if (notice->count == 0)
            continue;
        line_of(run, k, text);
        cli_json_begin(json, NULL, '{');
        cli_json_text(json, "kind", stic_notice_word((SticNoticeKind)k));
        cli_json_integer(json, "count", notice->count);
        cli_json_real(json, "worst", notice->worst);
        cli_json_text(json, "unit", stic_notice_unit((SticNoticeKind)k));
        cli_json_real(json, "first", notice->first);
        cli_json_text(json, "text", text);
        cli_json_end(json, '}');
    }
    cli_json_end(json, ']');
}
