// SPDX-License-Identifier: Apache-2.0
// Histories and reference values of a scene.
#include "run_histories.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "print.h"
#include "stiction/extend/file.h"
#include "stiction/extend/result.h"
#include "stiction/extend/run.h"

enum { NAME = 160, NUMBER = 40 };

/* ---- names ---- */

static const char* component_name(const SticSceneHistory* what, char text[NUMBER])
{
    static const char* const letters[] = {"x", "y", "z", "length"};
    const bool vector = stic_quantity_is_vector((SticQuantity)what->quantity);
    if (what->quantity == STIC_QUANTITY_STATE_Q || what->quantity == STIC_QUANTITY_STATE_U)
        snprintf(text, NUMBER, "%d", (int)what->component + 1);
    else
        snprintf(text, NUMBER, "%s",
                 vector && what->component >= 0 && what->component < 4 ? letters[what->component]
                                                                       : "");
    return text;
}

// heading of a column: as given, or body.quantity.component
static void history_name(const SticSceneDef* def, const SticSceneHistory* what, char text[NAME])
{
    char component[NUMBER];
    const char *owner = "", *quantity = stic_quantity_name((SticQuantity)what->quantity);
    if (what->name != NULL) {
        snprintf(text, NAME, "%s", what->name);
        return;
    }
    if (what->body >= 0 && def->body[what->body].name != NULL)
        owner = def->body[what->body].name;
    if (what->joint >= 0 && def->joint[what->joint].name != NULL)
        owner = def->joint[what->joint].name;
    component_name(what, component);
    snprintf(text, NAME, "%.60s%s%s%s%s", owner, owner[0] != '\0' ? "." : "", quantity,
             component[0] != '\0' ? "." : "", component);
}

/* ---- the file ---- */

static CliExit file_failed(const char* path)
{
    cli_message("%s: cannot be written (%s)", path, strerror(errno));
    return CLI_INPUT;
}

static void put_heading(FILE* file, const SticSceneDef* def)
{
    fputs("time", file);
    for (int32_t i = 0; i < def->history_count; ++i) {
        char name[NAME];
        history_name(def, &def->history[i], name);
        putc(',', file);
        cli_csv_cell(file, name);
    }
    putc('\n', file);
}

// whether a file begins with the heading of these histories; `known` is false if there is no memory
// to find out
static bool is_own(const SticText* text, const SticSceneDef* def, bool* known)
{
    char* heading = NULL;
    size_t size = 0;
    FILE* memory = open_memstream(&heading, &size);
    *known = memory != NULL;
    if (memory == NULL)
        return false;
    put_heading(memory, def);
    *known = fclose(memory) == 0;
    const bool own = *known && text->size >= size && memcmp(text->bytes, heading, size) == 0;
    free(heading);
    return own;
}

// rows of an earlier part of the run, up to the time it is resumed at; the last state of that part
// is a row of the whole only if one was due
static size_t kept_bytes(const SticText* text, CliHistoriesStart start, int64_t* rows)
{
    *rows = 0;
    const char* at = text->bytes;
    const char* line = strchr(at, '\n');
    while (line != NULL && line[1] != '\0' && strchr(line + 1, '\n') != NULL) {
        char* end = NULL;
        const double time = strtod(line + 1, &end);
        if (end == line + 1 || time > start.at || (time == start.at && !start.due))
            break;
        line = strchr(line + 1, '\n');
        *rows += 1;
    }
    return line == NULL ? 0 : (size_t)(line + 1 - at);
}

static bool cut_after(FILE* csv, size_t keep)
{
    int result = 0;
    while ((result = ftruncate(fileno(csv), (off_t)keep)) != 0 && errno == EINTR)
        ;
    return result == 0 && fseek(csv, 0, SEEK_END) == 0;
}

static bool keep_rows(const SticContext* context, const SticSceneDef* def, CliHistories* histories,
                      CliHistoriesStart start)
{
    SticText text = {0};
    bool known = true;
    if (start.at < 0.0)
        return false;
    const SticStatus status =
        stic_text_load(context, histories->path, STIC_TEXT_LIMIT, &text, NULL);
    // rows that are there and cannot be read are not to be written over
    if (status != STIC_OK)
        return status == STIC_OUT_OF_MEMORY || access(histories->path, F_OK) == 0;
    int64_t rows = 0;
    const size_t keep = is_own(&text, def, &known) ? kept_bytes(&text, start, &rows) : 0;
    stic_text_unload(&text);
    // rows that cannot be read must not be overwritten
    if (!known)
        return true;
    if (keep == 0)
        return false;
    // each frame came with a row, but for a last state that was not due
    if (rows + 1 < start.frames)
        cli_message(
            "%s has lost rows: %lld of %lld are there before t = %g s, the others are missing",
            histories->path, (long long)rows, (long long)start.frames, start.at);
    // truncate instead of writing anew: a kill in between must not lose rows
    histories->csv = fopen(histories->path, "r+b");
    if (histories->csv != NULL && !cut_after(histories->csv, keep)) {
        fclose(histories->csv);
        histories->csv = NULL;
    }
    return true;
}

static CliExit open_csv(const SticContext* context, const SticSceneDef* def, const char* result,
                        CliHistoriesStart start, CliHistories* histories)
{
    SticError error = {0};
    const SticStatus status =
        stic_output_beside(result, ".csv", histories->path, sizeof histories->path, &error);
    if (status != STIC_OK)
        return cli_report(&error, status, result);
    if (keep_rows(context, def, histories, start))
        return histories->csv != NULL ? CLI_DONE : file_failed(histories->path);
    histories->csv = fopen(histories->path, "wb");
    if (histories->csv == NULL)
        return file_failed(histories->path);
    if (start.at > 0.0)
        cli_message("%s holds no rows of this run; it begins anew at t = %g s", histories->path,
                    start.at);
    put_heading(histories->csv, def);
    return CLI_DONE;
}

CliExit cli_histories_open(const SticContext* context, SticSimulation* simulation,
                           const char* result, CliHistoriesStart start, CliHistories* histories)
{
    const SticSceneDef* def = stic_scene_def(stic_simulation_scene(simulation));
    *histories = (CliHistories){.partial = start.at > 0.0, .resume_at = start.at, .stored = -1};
    if (start.at >= 0.0 && start.due)
        histories->stored = stic_run_totals(stic_simulation_run(simulation))->steps;
    if (def->history_count == 0)
        return CLI_DONE;
    return open_csv(context, def, result, start, histories);
}

bool cli_histories_close(CliHistories* histories)
{
    if (histories->csv == NULL)
        return true;
    const bool good = ferror(histories->csv) == 0;
    const bool closed = fclose(histories->csv) == 0;
    histories->csv = NULL;
    return good && closed;
}

/* ---- measuring ---- */

CliExit cli_histories_row(CliHistories* histories, SticSimulation* simulation)
{
    const int64_t step = stic_run_totals(stic_simulation_run(simulation))->steps;
    if (histories->csv == NULL || histories->stored == step)
        return CLI_DONE;
    histories->stored = step;
    const SticSceneDef* def = stic_scene_def(stic_simulation_scene(simulation));
    fprintf(histories->csv, "%.17g", stic_run_now(stic_simulation_run(simulation))->t);
    for (int32_t i = 0; i < def->history_count; ++i) {
        double value = 0.0;
        if (stic_simulation_measure(simulation, &def->history[i], &value) != STIC_OK)
            value = NAN;
        fprintf(histories->csv, ",%.17g", value);
    }
    fputs("\n", histories->csv);
    // whole rows on the disk before the snapshot that counts them
    const bool stored = fflush(histories->csv) == 0 && !ferror(histories->csv);
    return stored ? CLI_DONE : file_failed(histories->path);
}

CliChecked cli_histories_checked(const CliHistories* histories, const SticSimulation* simulation,
                                 int32_t i)
{
    const SticSceneDef* def = stic_scene_def(stic_simulation_scene(simulation));
    const SticSceneCheck* check = &def->check[i];
    const double end = check->at > 0.0 ? check->at : def->run.until;
    // to half a step, as the times of checks are taken
    if (histories->partial && end <= histories->resume_at + 0.5 * def->run.step)
        return CLI_CHECK_BEFORE;
    if (!stic_simulation_check(simulation, i).done)
        return CLI_CHECK_AHEAD;
    return histories->partial && check->reduction != STIC_REDUCE_LAST ? CLI_CHECK_PARTLY_SEEN
                                                                      : CLI_CHECK_JUDGED;
}

// a check that was not judged gets a word where a reader would miss it; one that still lies ahead
// has a notice
static void print_skipped(const CliHistories* histories, CliChecked how, const char* name)
{
    if (how == CLI_CHECK_BEFORE)
        cli_print_fact(CLI_TONE_FAINT, "check",
                       "%s: skipped, its time was before the resume at t = %.9g s", name,
                       histories->resume_at);
    else if (how == CLI_CHECK_PARTLY_SEEN)
        cli_print_fact(CLI_TONE_FAINT, "check",
                       "%s: skipped, its values before the resume at t = %.9g s are not known",
                       name, histories->resume_at);
}

int32_t cli_histories_checks(const CliHistories* histories, const SticSimulation* simulation,
                             bool quiet)
{
    const SticSceneDef* def = stic_scene_def(stic_simulation_scene(simulation));
    int32_t failed = 0;
    for (int32_t i = 0; i < def->check_count; ++i) {
        const SticSceneCheck* check = &def->check[i];
        const CliChecked how = cli_histories_checked(histories, simulation, i);
        char name[NAME];
        history_name(def, &check->what, name);
        if (how != CLI_CHECK_JUDGED && !quiet)
            print_skipped(histories, how, name);
        if (how != CLI_CHECK_JUDGED)
            continue;
        const SticCheckResult result = stic_simulation_check(simulation, i);
        failed += result.passed ? 0 : 1;
        if (!quiet)
            cli_print_fact(result.passed ? CLI_TONE_GOOD : CLI_TONE_BAD, "check",
                           "%s = %.10g, expected %.10g ± %.2g%s%s%s: %s", name, result.value,
                           check->value, check->tolerance, check->source != NULL ? " (" : "",
                           check->source != NULL ? check->source : "",
                           check->source != NULL ? ")" : "", result.passed ? "passed" : "FAILED");
    }
    return failed;
}
