// SPDX-License-Identifier: Apache-2.0
// Progress of a run: a bar on a terminal, a line at every tenth of the run elsewhere.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "print.h"
#include "run.h"
#include "stiction/extend/problem.h"
#include "stiction/extend/run.h"
#include "terminal.h"

// pieces of the line beside the bar, the most wanted first
enum { PIECES = 6, PIECE = 64, LINE = 512, SHORTEST_BAR = 8, LONGEST_BAR = 40 };

// seconds between two drawings, and over which the rate is a mean
static const double REDRAW = 0.2, MEAN_OVER = 3.0;

static void format_time(double seconds, char text[PIECE])
{
    if (!(seconds < 360000.0))
        snprintf(text, PIECE, "long");
    else if (seconds >= 3600.0)
        snprintf(text, PIECE, "%d:%02d h", (int)(seconds / 3600.0), (int)(seconds / 60.0) % 60);
    else if (seconds >= 60.0)
        snprintf(text, PIECE, "%d:%02d min", (int)(seconds / 60.0), (int)seconds % 60);
    else
        snprintf(text, PIECE, "%.1f s", seconds);
}

static double error_of(const CliRun* run, const SticStepInfo* info)
{
    const SticRunParts* parts = stic_run_parts(stic_simulation_run(run->simulation));
    return stic_errors_get(&info->solve.errors, (SticNorm)parts->solve.norm);
}

// steps a second: a mean that forgets, so that it follows a run that becomes harder
static void measure_rate(CliProgress* progress, int64_t step, double now)
{
    const double passed = now - progress->at;
    const double rate = passed > 0.0 ? (double)(step - progress->step) / passed : progress->rate;
    const double weight = progress->rate > 0.0 ? passed / (passed + MEAN_OVER) : 1.0;
    progress->rate += weight * (rate - progress->rate);
    progress->at = now;
    progress->step = step;
}

/* ---- lines and objects ---- */

static void print_line(const CliRun* run, const SticStepInfo* info)
{
    const SticRun* inner = stic_simulation_run(run->simulation);
    const int64_t step = stic_run_totals(inner)->steps,
                  steps = stic_simulation_steps(run->simulation);
    const double speed = run->progress.rate;
    char left[PIECE];
    format_time(speed > 0.0 ? (double)(steps - step) / speed : INFINITY, left);
    fprintf(stderr, "step %lld of %lld, t %.6g s, %d %s, error %.1e, %.4g steps/s, %s left\n",
            (long long)step, (long long)steps, stic_run_now(inner)->t, (int)info->contacts,
            info->contacts == 1 ? "contact" : "contacts", error_of(run, info), speed, left);
}

static void print_object(const CliRun* run, const SticStepInfo* info)
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
    cli_json_real(&json, "error", error_of(run, info));
    cli_json_line(&json);
    fflush(stdout);
}

/* ---- the bar ---- */

static void format_pieces(const CliRun* run, const SticStepInfo* info, char piece[PIECES][PIECE])
{
    const SticRun* inner = stic_simulation_run(run->simulation);
    const int64_t step = stic_run_totals(inner)->steps,
                  steps = stic_simulation_steps(run->simulation);
    const double rate = run->progress.rate;
    char left[PIECE];
    format_time(rate > 0.0 ? (double)(steps - step) / rate : INFINITY, left);
    snprintf(piece[0], PIECE, "%3d %%", (int)(100.0 * (double)step / (double)steps));
    snprintf(piece[1], PIECE, "%8.20s left", left);
    snprintf(piece[2], PIECE, "%6.*f steps/s", rate < 10.0 ? 2 : rate < 100.0 ? 1 : 0, rate);
    snprintf(piece[3], PIECE, "t %6.4g of %.4g s", stic_run_now(inner)->t,
             stic_scene_def(run->scene)->run.until);
    snprintf(piece[4], PIECE, "%5d contact%s", (int)info->contacts,
             info->contacts == 1 ? " " : "s");
    snprintf(piece[5], PIECE, "error %.0e", error_of(run, info));
}

// as many pieces as fit beside the shortest bar, and a bar in what is left; nothing if the terminal
// is too narrow for one piece
static void draw(const CliRun* run, const SticStepInfo* info, int32_t room)
{
    char piece[PIECES][PIECE], line[LINE] = "", bar[LONGEST_BAR + 1];
    int32_t used = 0;
    format_pieces(run, info, piece);
    for (int k = 0; k < PIECES; ++k) {
        const int32_t width = (int32_t)strlen(piece[k]) + (k > 0 ? 2 : 0);
        if (used + width > room - (k > 1 ? SHORTEST_BAR + 3 : 0))
            break;
        snprintf(line + used, sizeof line - (size_t)used, "%s%s", k > 0 ? "  " : "", piece[k]);
        used += width;
    }
    int32_t length = room - used - 3;
    length = length > LONGEST_BAR ? LONGEST_BAR : length;
    if (length < SHORTEST_BAR) {
        fprintf(stderr, "\r%s\033[K", line);
        return;
    }
    const double part = (double)stic_run_totals(stic_simulation_run(run->simulation))->steps /
                        (double)stic_simulation_steps(run->simulation);
    const int32_t full = (int32_t)(part * length);
    memset(bar, '#', (size_t)full);
    memset(bar + full, '.', (size_t)(length - full));
    bar[length] = '\0';
    fprintf(stderr, "\r[%s%.*s%s%s] %s\033[K", cli_tone(stderr, CLI_TONE_GOOD), (int)full, bar,
            cli_tone(stderr, CLI_TONE_PLAIN), bar + full, line);
}

void cli_run_progress(CliRun* run, const SticStepInfo* info)
{
    CliProgress* progress = &run->progress;
    const int64_t step = stic_run_totals(stic_simulation_run(run->simulation))->steps;
    const int64_t steps = stic_simulation_steps(run->simulation);
    const bool bar = !run->json && cli_terminal_is(stderr);
    const bool tenth = step * 10 / steps != (step - 1) * 10 / steps && step != steps;
    const double now = stic_timer_seconds();
    // the first drawing comes a moment after the start: a short run needs none
    if (progress->at == 0.0) {
        progress->at = run->begin;
        progress->step = run->first_step;
    }
    const bool due = now - progress->at >= REDRAW;
    if (due || (tenth && progress->rate == 0.0))
        measure_rate(progress, step, now);
    if (bar && due) {
        // the last column stays free: some terminals go to the next line after it
        draw(run, info, cli_terminal_width(stderr, 80) - 1);
        fflush(stderr);
    } else if (!bar && tenth) {
        if (run->json)
            print_object(run, info);
        else
            print_line(run, info);
    }
}

void cli_run_progress_end(void)
{
    if (cli_terminal_is(stderr)) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
}
