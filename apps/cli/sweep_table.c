// SPDX-License-Identifier: Apache-2.0
// Table of a sweep, and its script for SLURM.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "print.h"
#include "stiction/extend/result.h"
#include "sweep.h"

enum { LINE = 65536 };

static const char* state_word(const CliPoint* point)
{
    static const char* const words[] = {[CLI_POINT_OPEN] = "open",
                                        [CLI_POINT_BEGUN] = "begun",
                                        [CLI_POINT_DONE] = "done",
                                        [CLI_POINT_FAILED] = "failed"};
    return words[point->state];
}

// a cell; quoted where commas or quotes are in it
static void put_text(FILE* file, const char* text)
{
    if (strpbrk(text, ",\"\n") == NULL) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text != '\0'; ++text) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

static void put_number(FILE* file, double value)
{
    char text[64];
    cli_number_format(value, text, sizeof text);
    fprintf(file, ",%s", text);
}

// first and last line of the histories of a point; false if there are none
static bool read_histories(const CliSweep* sweep, int32_t k, char* head, char* last)
{
    char name[CLI_PATH], line[LINE];
    cli_sweep_file(sweep, k, ".csv", name);
    FILE* file = fopen(name, "r");
    head[0] = last[0] = '\0';
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        // without the time, which the table has
        const char* rest = strchr(line, ',');
        rest = rest == NULL ? line + strlen(line) : rest + 1;
        memcpy(head[0] == '\0' ? head : last, rest, strlen(rest) + 1);
    }
    if (file != NULL)
        fclose(file);
    return head[0] != '\0' && last[0] != '\0';
}

// columns of what the result of a point holds
static void put_result(FILE* file, const CliSweep* sweep, int32_t k)
{
    char name[CLI_PATH];
    SticError error = {0};
    SticResult* result = NULL;
    SticResultSteps steps = {0};
    SticResultFrame frame = {0};
    SticArena* arena = NULL;
    cli_sweep_file(sweep, k, ".h5", name);
    bool good = sweep->point[k].state != CLI_POINT_OPEN &&
                stic_arena_create(sweep->call->context, 0, &arena) == STIC_OK &&
                stic_result_open(sweep->call->context, name, &result, &error) == STIC_OK;
    const SticResultInfo* info = good ? stic_result_info(result) : NULL;
    good = good && info->frames > 0 && stic_result_steps(result, &steps, &error) == STIC_OK &&
           stic_result_read(result, info->frames - 1, arena, &frame, &error) == STIC_OK;
    if (good) {
        put_number(file, frame.time);
        fprintf(file, ",%lld,%lld", (long long)steps.count, (long long)steps.unsolved);
        put_number(file, steps.worst_error);
        put_number(file, steps.penetration);
        put_number(file, frame.energy[0]);
        put_number(file, frame.energy[1]);
        fprintf(file, ",%016llx", (unsigned long long)frame.hash);
    } else {
        fputs(",,,,,,,,", file);
    }
    stic_result_close(result);
    stic_arena_destroy(arena);
}

static void put_head(FILE* file, const CliSweep* sweep, const char* histories)
{
    fputs("point", file);
    for (int32_t p = 0; p < sweep->params; ++p) {
        fputc(',', file);
        put_text(file, sweep->param[p].name);
    }
    fputs(",state,exit,time,steps,unsolved,worst_error,penetration,kinetic,potential,hash", file);
    if (histories[0] != '\0')
        fprintf(file, ",%s", histories);
    fputc('\n', file);
}

// `last`: values of the histories, as many as `columns` has names; none of a point without them
static void put_row(FILE* file, const CliSweep* sweep, int32_t k, const char* columns,
                    const char* last)
{
    fprintf(file, "%d", (int)k + 1);
    for (int32_t p = 0; p < sweep->params; ++p) {
        fputc(',', file);
        put_text(file, cli_sweep_value(sweep, k, p));
    }
    fprintf(file, ",%s,", state_word(&sweep->point[k]));
    if (sweep->point[k].exit >= 0)
        fprintf(file, "%d", (int)sweep->point[k].exit);
    put_result(file, sweep, k);
    if (last[0] != '\0')
        fprintf(file, ",%s", last);
    else if (columns[0] != '\0')
        for (const char* at = columns; at != NULL; at = strchr(at + 1, ','))
            fputc(',', file);
    fputc('\n', file);
}

static CliExit write_rows(const CliSweep* sweep, FILE* file)
{
    char *head = NULL, *last = NULL, *own = NULL;
    const SticContext* context = sweep->call->context;
    CliExit result = CLI_DONE;
    if (STIC_ALLOCATE(context, &head, LINE) != STIC_OK ||
        STIC_ALLOCATE(context, &last, LINE) != STIC_OK ||
        STIC_ALLOCATE(context, &own, LINE) != STIC_OK)
        result = cli_out_of_memory();
    for (int32_t k = 0; k < sweep->points && result == CLI_DONE && head[0] == '\0'; ++k)
        read_histories(sweep, k, head, last);
    if (result == CLI_DONE)
        put_head(file, sweep, head);
    for (int32_t k = 0; k < sweep->points && result == CLI_DONE; ++k) {
        read_histories(sweep, k, own, last);
        put_row(file, sweep, k, head, last);
    }
    STIC_RELEASE(context, head, LINE);
    STIC_RELEASE(context, last, LINE);
    STIC_RELEASE(context, own, LINE);
    return result;
}

CliExit cli_sweep_table(const CliSweep* sweep)
{
    char name[CLI_PATH], made[CLI_PATH];
    snprintf(name, sizeof name, "%.*s/sweep.csv", CLI_PATH - 64, sweep->folder);
    snprintf(made, sizeof made, "%.*s/sweep.csv.new", CLI_PATH - 64, sweep->folder);
    FILE* file = fopen(made, "w");
    CliExit result = file == NULL ? CLI_INPUT : write_rows(sweep, file);
    const bool good = file != NULL && ferror(file) == 0;
    if (file != NULL && (fclose(file) != 0 || !good))
        result = CLI_INPUT;
    if (result == CLI_DONE && rename(made, name) != 0)
        result = CLI_INPUT;
    if (result == CLI_INPUT)
        cli_message("%s: %s", name, strerror(errno));
    else if (result == CLI_DONE)
        cli_print_name(name);
    return result;
}

/* ---- SLURM ---- */

// a word for a shell
static void put_word(FILE* file, const char* word)
{
    fputs(" '", file);
    for (; *word != '\0'; ++word)
        if (*word == '\'')
            fputs("'\\''", file);
        else
            fputc(*word, file);
    fputc('\'', file);
}

static void put_command(FILE* file, const CliSweep* sweep)
{
    fputs("stiction sweep", file);
    put_word(file, sweep->call->operand[0]);
    for (int32_t i = 0; i < sweep->call->given_count; ++i) {
        const CliGiven* given = &sweep->call->given[i];
        const char* const passed[] = {"param", "set", "until", "accuracy"};
        for (size_t n = 0; n < sizeof passed / sizeof *passed; ++n)
            if (strcmp(given->option->name, passed[n]) == 0) {
                fprintf(file, " --%s", passed[n]);
                put_word(file, given->value);
            }
    }
    fputs(" -o", file);
    put_word(file, sweep->folder);
}

CliExit cli_sweep_slurm(const CliSweep* sweep, const char* path)
{
    FILE* file = fopen(path, "w");
    if (file == NULL) {
        cli_message("%s: %s", path, strerror(errno));
        return CLI_INPUT;
    }
    fprintf(file,
            "#!/bin/sh\n#SBATCH --job-name=stiction-sweep\n#SBATCH --array=1-%d\n"
            "#SBATCH --cpus-per-task=1\n#SBATCH --output=stiction-sweep-%%A.log\n"
            "#SBATCH --open-mode=append\n"
            "# one task per point; a task that is put back into the queue goes on from its last "
            "snapshot.\n# When all are over, the same command without --only writes the table.\n",
            (int)sweep->points);
    put_command(file, sweep);
    fputs(" --only \"$SLURM_ARRAY_TASK_ID\"\n", file);
    const bool good = ferror(file) == 0;
    if (fclose(file) != 0 || !good || chmod(path, 0755) != 0) {
        cli_message("%s: %s", path, strerror(errno));
        return CLI_INPUT;
    }
    cli_print_name(path);
    return CLI_DONE;
}
