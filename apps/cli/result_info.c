// SPDX-License-Identifier: Apache-2.0
// What a result file holds.
#include "result_info.h"

#include <stdio.h>
#include <string.h>

#include "json.h"
#include "print.h"
#include "stiction/extend/result.h"
#include "stiction/extend/step.h"

// lines of a result as an array
static void json_notices(CliJson* json, const char* notices)
{
    cli_json_begin(json, "notices", '[');
    for (const char* at = notices; *at != '\0' && *at != ' ';) {
        char line[512];
        const size_t length = strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, at);
        cli_json_text(json, NULL, line);
        at += length + (at[length] == '\n' ? 1 : 0);
    }
    cli_json_end(json, ']');
}

static void print_json(const char* path, const SticResultInfo* info, const SticResultSteps* steps,
                       const SticResultFrame* last)
{
    CliJson json = {.file = stdout};
    char hash[32];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)last->hash);
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "result", path);
    cli_json_text(&json, "title", info->title);
    cli_json_text(&json, "program", info->program);
    cli_json_text(&json, "system", info->system);
    cli_json_text(&json, "scene", info->scene_path);
    cli_json_text(&json, "scheme", info->scheme);
    cli_json_text(&json, "solver", info->solver);
    cli_json_text(&json, "determinism", info->determinism);
    cli_json_text(&json, "force_choice", info->force_choice);
    cli_json_bool(&json, "in_use", info->in_use);
    cli_json_integer(&json, "frames", info->frames);
    cli_json_integer(&json, "steps", last->step);
    cli_json_real(&json, "step", info->step);
    cli_json_real(&json, "begin", info->begin);
    cli_json_real(&json, "end", info->end);
    cli_json_real(&json, "until", info->until);
    cli_json_integer(&json, "bodies", info->bodies);
    cli_json_integer(&json, "shapes", info->shapes);
    cli_json_integer(&json, "joints", info->joints);
    cli_json_integer(&json, "coordinates", info->nq);
    cli_json_text(&json, "hash", hash);
    cli_json_integer(&json, "recorded_steps", steps->count);
    cli_json_integer(&json, "unsolved", steps->unsolved);
    cli_json_real(&json, "worst_error", steps->worst_error);
    cli_json_real(&json, "penetration", steps->penetration);
    cli_json_real(&json, "mean_contacts", steps->mean_contacts);
    cli_json_real(&json, "seconds", steps->seconds);
    cli_json_real(&json, "solve_seconds", steps->solving);
    json_notices(&json, info->notices);
    cli_json_begin(&json, "ledger", '{');
    for (int32_t i = 0; i < STIC_LEDGER_TERMS; ++i)
        cli_json_real(&json, stic_ledger_names[i], stic_ledger_term(&steps->ledger, i));
    cli_json_end(&json, '}');
    cli_json_line(&json);
}

// lines of a result as texts
static void print_notices(const char* notices)
{
    const char* heading = "notes        ";
    for (const char* at = notices; *at != '\0' && *at != ' ';) {
        const size_t length = strcspn(at, "\n");
        cli_print_fact(CLI_TONE_WARNING, heading, "%.*s", (int)length, at);
        heading = "             ";
        at += length + (at[length] == '\n' ? 1 : 0);
    }
}

static void print_fact_of_solver(const SticResultSteps* steps)
{
    cli_print_fact(
        steps->unsolved > 0 ? CLI_TONE_BAD : CLI_TONE_PLAIN, "solver       ",
        "worst error %.2e, %lld of %lld steps not solved, %.1f iterations and %.1f contacts a step",
        steps->worst_error, (long long)steps->unsolved, (long long)steps->count,
        (double)steps->iterations / (double)steps->count, steps->mean_contacts);
    if (steps->at_floor > 0)
        cli_print_fact(CLI_TONE_PLAIN, "             ",
                       "%lld %s solved to the floor of double precision",
                       (long long)steps->at_floor, steps->at_floor == 1 ? "step" : "steps");
}

static void print_steps(const SticResultSteps* steps)
{
    char line[1024] = "";
    size_t used = 0;
    if (steps->count == 0)
        return;
    print_fact_of_solver(steps);
    cli_print_fact(CLI_TONE_PLAIN, "penetration  ", "%.3e m at most", steps->penetration);
    for (int32_t i = 0; i < STIC_LEDGER_TERMS && used < sizeof line; ++i)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s %+.4g", i > 0 ? ", " : "",
                                 stic_ledger_names[i], stic_ledger_term(&steps->ledger, i));
    cli_print_fact(CLI_TONE_PLAIN, "energy       ", "%s J", line);
    cli_print_fact(CLI_TONE_PLAIN, "wall time    ", "%.3g s, of it %.3g s in the solver",
                   steps->seconds, steps->solving);
    const int64_t asked = steps->count - steps->verdict[0];
    if (asked == 0)
        return;
    used = 0;
    for (int32_t i = 0; i < STIC_VERDICT_COUNT && used < sizeof line; ++i)
        used +=
            (size_t)snprintf(line + used, sizeof line - used, "%s%lld %s", i > 0 ? ", " : "",
                             (long long)steps->verdict[i + 1], stic_verdict_name((SticVerdict)i));
    cli_print_fact(CLI_TONE_PLAIN, "existence    ", "%s (of %lld steps)", line, (long long)asked);
}

static void print_result(const char* path, const SticResultInfo* info, const SticResultSteps* steps,
                         const SticResultFrame* last)
{
    const CliTone plain = CLI_TONE_PLAIN;
    cli_print_line("%s", path);
    if (info->title[0] != '\0')
        cli_print_fact(plain, "title        ", "%s", info->title);
    cli_print_fact(plain, "written by   ", "%s%s%s", info->program,
                   info->scene_path[0] != '\0' ? " from " : "", info->scene_path);
    if (info->bodies > 0)
        cli_print_fact(plain, "world        ", "%d %s, %d %s, %d %s", (int)info->bodies,
                       info->bodies == 1 ? "body" : "bodies", (int)info->shapes,
                       info->shapes == 1 ? "shape" : "shapes", (int)info->joints,
                       info->joints == 1 ? "joint" : "joints");
    else
        cli_print_fact(plain, "system       ", "%s, %d coordinate%s", info->system, (int)info->nq,
                       info->nq == 1 ? "" : "s");
    cli_print_fact(plain, "run          ", "scheme %s, solver %s, h = %.6g s, %s", info->scheme,
                   info->solver, info->step, info->determinism);
    cli_print_fact(plain, "frames       ", "%lld from t = %.9g to %.9g s of %.9g s, %lld steps",
                   (long long)info->frames, info->begin, info->end, info->until,
                   (long long)last->step);
    print_steps(steps);
    print_notices(info->notices);
    cli_print_fact(plain, "last frame   ", "%d %s, kinetic %.6g J, potential %.6g J, state %016llx",
                   (int)last->contact_count, last->contact_count == 1 ? "contact" : "contacts",
                   last->energy[0], last->energy[1], (unsigned long long)last->hash);
    if (info->in_use)
        cli_print_fact(CLI_TONE_WARNING, "open         ",
                       "it is being written, or its writer was killed: then 'stiction repair' or "
                       "'stiction resume'");
}

CliExit cli_result_show(const SticContext* context, const char* path, bool json)
{
    SticError error = {0};
    SticResult* result = NULL;
    SticArena* arena = NULL;
    SticResultSteps steps;
    SticResultFrame last = {0};
    SticStatus status = stic_result_open(context, path, &result, &error);
    if (status != STIC_OK)
        return cli_report(&error, status, path);
    const SticResultInfo* info = stic_result_info(result);
    status = stic_result_steps(result, &steps, &error);
    if (status == STIC_OK)
        status = stic_arena_create(context, 0, &arena);
    if (status == STIC_OK && info->frames > 0)
        status = stic_result_read(result, info->frames - 1, arena, &last, &error);
    if (status == STIC_OK && json)
        print_json(path, info, &steps, &last);
    else if (status == STIC_OK)
        print_result(path, info, &steps, &last);
    stic_arena_destroy(arena);
    stic_result_close(result);
    return status == STIC_OK ? CLI_DONE : cli_report(&error, status, path);
}
