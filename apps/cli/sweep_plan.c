// SPDX-License-Identifier: Apache-2.0
// Plan of a sweep: parameters, points, the folder they are kept in.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "print.h"
#include "stiction/extend/base.h"
#include "stiction/extend/result.h"
#include "sweep.h"

enum { MOST_POINTS = 1000000, LOCK_TRIES = 100, LOCK_PAUSE = 100000000, PLAN = 65536 };

/* ---- parameters ---- */

static CliExit take_values(const CliCall* call, CliSweepParam* param, int32_t count)
{
    if (STIC_ALLOCATE(call->context, &param->value, count) != STIC_OK)
        return cli_out_of_memory();
    param->count = count;
    return CLI_DONE;
}

// FROM:TO:COUNT, ends included; false if the text is none
static bool read_range(const char* text, double* from, double* to, long* count)
{
    char *colon = NULL, *second = NULL, *end = NULL;
    *from = strtod(text, &colon);
    if (colon == text || *colon != ':')
        return false;
    *to = strtod(colon + 1, &second);
    if (second == colon + 1 || *second != ':')
        return false;
    *count = strtol(second + 1, &end, 10);
    return end != second + 1 && *end == '\0';
}

static CliExit fill_range(const CliCall* call, CliSweepParam* param, const double ends[2],
                          long count)
{
    if (count < 1 || count > MOST_POINTS || (count == 1 && ends[0] != ends[1]))
        return cli_usage_error(call->command->name, "--param %s: %ld values from %g to %g",
                               param->name, count, ends[0], ends[1]);
    const CliExit result = take_values(call, param, (int32_t)count);
    for (int32_t i = 0; result == CLI_DONE && i < param->count; ++i) {
        // both ends as they were given
        const double part = count == 1 ? 0.0 : (double)i / (double)(count - 1);
        const double value = i + 1 == count ? ends[1] : ends[0] + part * (ends[1] - ends[0]);
        cli_number_format(value, param->value[i], sizeof param->value[i]);
    }
    return result;
}

static CliExit fill_list(const CliCall* call, CliSweepParam* param, const char* text)
{
    int32_t count = 1;
    for (const char* c = text; *c != '\0'; ++c)
        count += *c == ',';
    CliExit result = take_values(call, param, count);
    for (int32_t i = 0; result == CLI_DONE && i < count; ++i) {
        const size_t length = strcspn(text, ",");
        if (memchr(text, ':', length) != NULL)
            result = cli_usage_error(call->command->name,
                                     "--param %s=%.*s: a range is FROM:TO:COUNT, three numbers, "
                                     "such as 0:1:11",
                                     param->name, (int)length, text);
        else if (length == 0 || length >= CLI_SWEEP_VALUE)
            result = cli_usage_error(call->command->name,
                                     "--param %s: a value is empty or longer "
                                     "than %d letters",
                                     param->name, CLI_SWEEP_VALUE - 1);
        else
            memcpy(param->value[i], text, length);
        text += length + (text[length] == ',');
    }
    return result;
}

static CliExit read_param(CliSweep* sweep, const char* text)
{
    const CliCall* call = sweep->call;
    const char* equals = strchr(text, '=');
    const size_t length = equals == NULL ? 0 : (size_t)(equals - text);
    double ends[2];
    long count = 0;
    if (length == 0 || length >= CLI_SWEEP_NAME)
        return cli_usage_error(call->command->name,
                               "--param: '%s' is neither NAME=FROM:TO:COUNT nor NAME=VALUE,…",
                               text);
    if (sweep->params >= CLI_SWEEP_PARAMS)
        return cli_usage_error(call->command->name, "--param: more than %d", CLI_SWEEP_PARAMS);
    CliSweepParam* param = &sweep->param[sweep->params++];
    memcpy(param->name, text, length);
    for (int32_t p = 0; p + 1 < sweep->params; ++p)
        if (strcmp(sweep->param[p].name, param->name) == 0)
            return cli_usage_error(call->command->name, "--param %s: given twice", param->name);
    if (read_range(equals + 1, &ends[0], &ends[1], &count))
        return fill_range(call, param, ends, count);
    return fill_list(call, param, equals + 1);
}

CliExit cli_sweep_plan(const CliCall* call, CliSweep* sweep)
{
    CliExit result = CLI_DONE;
    int64_t points = 1;
    sweep->call = call;
    sweep->lock = sweep->point_lock = -1;
    for (int32_t i = 0; i < call->given_count && result == CLI_DONE; ++i)
        if (strcmp(call->given[i].option->name, "param") == 0)
            result = read_param(sweep, call->given[i].value);
    for (int32_t p = 0; p < sweep->params && result == CLI_DONE && points <= MOST_POINTS; ++p)
        points *= sweep->param[p].count;
    if (result == CLI_DONE && (sweep->params == 0 || points > MOST_POINTS))
        return cli_usage_error(call->command->name, sweep->params == 0
                                                        ? "a sweep needs --param NAME=FROM:TO:COUNT"
                                                        : "more than a million points");
    if (result == CLI_DONE && STIC_ALLOCATE(call->context, &sweep->point, points) != STIC_OK)
        return cli_out_of_memory();
    sweep->points = result == CLI_DONE ? (int32_t)points : 0;
    for (int32_t k = 0; k < sweep->points; ++k)
        sweep->point[k] = (CliPoint){.exit = -1, .reached = -1.0};
    return result;
}

void cli_sweep_clear(CliSweep* sweep)
{
    for (int32_t p = 0; p < sweep->params; ++p)
        STIC_RELEASE(sweep->call->context, sweep->param[p].value, sweep->param[p].count);
    STIC_RELEASE(sweep->call->context, sweep->point, sweep->points);
    if (sweep->lock >= 0)
        close(sweep->lock);
    if (sweep->point_lock >= 0)
        close(sweep->point_lock);
}

const char* cli_sweep_value(const CliSweep* sweep, int32_t k, int32_t p)
{
    for (int32_t later = sweep->params - 1; later > p; --later)
        k /= sweep->param[later].count;
    return sweep->param[p].value[k % sweep->param[p].count];
}

void cli_sweep_file(const CliSweep* sweep, int32_t k, const char* ending, char name[CLI_PATH])
{
    snprintf(name, CLI_PATH, "%.*s/point-%04d%s", CLI_PATH - 64, sweep->folder, (int)k + 1, ending);
}

/* ---- the folder ---- */

// of the scene's text: points of a scene that was edited in between do not belong together
static uint64_t hash_scene(const char* path)
{
    uint64_t hash = 0;
    char part[4096];
    FILE* file = fopen(path, "rb");
    for (size_t count; file != NULL && (count = fread(part, 1, sizeof part, file)) > 0;)
        hash = stic_hash_bytes(hash, part, count);
    if (file != NULL)
        fclose(file);
    return hash;
}

// what must be the same for results to belong together; the scene's text comes last
static int32_t write_plan(const CliSweep* sweep, char* text, size_t size)
{
    int length = snprintf(text, size, "scene=%s\n", sweep->call->operand[0]);
    for (int32_t i = 0; i < sweep->call->given_count && length < (int)size; ++i) {
        const CliGiven* given = &sweep->call->given[i];
        const char* const kept[] = {"param", "set", "until", "accuracy"};
        for (size_t n = 0; n < sizeof kept / sizeof *kept; ++n)
            if (strcmp(given->option->name, kept[n]) == 0 && length < (int)size)
                length += snprintf(text + length, size - (size_t)length, "%s=%s\n", kept[n],
                                   given->value);
    }
    if (length < (int)size)
        length += snprintf(text + length, size - (size_t)length, "text=%016llx\n",
                           (unsigned long long)hash_scene(sweep->call->operand[0]));
    return length < (int)size ? length : -1;
}

static CliExit refuse_plan(const CliSweep* sweep, const char* name, bool only_text)
{
    if (only_text)
        cli_message("%s was edited since the sweep in %s began: its points would not belong "
                    "together. Name another folder with -o, or remove this one to run all anew",
                    sweep->call->operand[0], sweep->folder);
    else
        cli_message("%s holds another sweep, of other parameters or settings; %s says which. Name "
                    "another folder with -o",
                    sweep->folder, name);
    return CLI_USAGE;
}

static CliExit keep_plan(const CliSweep* sweep)
{
    char name[CLI_PATH], now[PLAN], old[PLAN + 1];
    const int32_t length = write_plan(sweep, now, sizeof now);
    snprintf(name, sizeof name, "%.*s/sweep.txt", CLI_PATH - 64, sweep->folder);
    if (length < 0)
        return cli_usage_error(sweep->call->command->name, "the plan is too long");
    FILE* file = fopen(name, "r");
    if (file == NULL) {
        file = fopen(name, "w");
        const bool good = file != NULL && fwrite(now, 1, (size_t)length, file) == (size_t)length;
        if (file != NULL && fclose(file) == 0 && good)
            return CLI_DONE;
        cli_message("%s: %s", name, strerror(errno));
        return CLI_INPUT;
    }
    const size_t count = fread(old, 1, sizeof old, file);
    fclose(file);
    if (count == (size_t)length && memcmp(now, old, count) == 0)
        return CLI_DONE;
    const size_t same = (size_t)length - strlen("text=0123456789abcdef\n");
    return refuse_plan(sweep, name,
                       count >= same && memcmp(now, old, same) == 0 &&
                           (count == same || count == (size_t)length));
}

// the lock goes on to the workers, so that a sweep whose master was killed is over when they are
static CliExit take_lock(CliSweep* sweep, bool alone)
{
    char name[CLI_PATH];
    snprintf(name, sizeof name, "%.*s/sweep.lock", CLI_PATH - 64, sweep->folder);
    const struct timespec pause = {.tv_nsec = LOCK_PAUSE};
    sweep->lock = open(name, O_RDWR | O_CREAT, 0666);
    for (int i = 0; sweep->lock >= 0 && i < LOCK_TRIES; ++i) {
        if (flock(sweep->lock, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0)
            return CLI_DONE;
        if (errno != EWOULDBLOCK && errno != EINTR)
            break;
        nanosleep(&pause, NULL);
    }
    cli_message(errno == EWOULDBLOCK ? "another sweep is at work in %s" : "%s cannot be locked",
                sweep->folder);
    return CLI_INPUT;
}

// whoever else is at the point ends first: a worker that outlived its master is not disturbed
static CliExit take_point(CliSweep* sweep, int32_t k)
{
    char name[CLI_PATH];
    cli_sweep_file(sweep, k, ".lock", name);
    sweep->point_lock = open(name, O_RDWR | O_CREAT, 0666);
    int taken = -1;
    while (sweep->point_lock >= 0 && (taken = flock(sweep->point_lock, LOCK_EX)) != 0 &&
           errno == EINTR)
        ;
    if (taken == 0)
        return CLI_DONE;
    cli_message("%s cannot be locked", name);
    return CLI_INPUT;
}

CliExit cli_sweep_open(CliSweep* sweep, int32_t only)
{
    if (mkdir(sweep->folder, 0777) != 0 && errno != EEXIST) {
        cli_message("%s: %s", sweep->folder, strerror(errno));
        return CLI_INPUT;
    }
    CliExit result = take_lock(sweep, only < 0);
    if (result == CLI_DONE)
        result = keep_plan(sweep);
    if (result == CLI_DONE && only >= 0)
        result = take_point(sweep, only);
    for (int32_t k = 0; k < sweep->points && result == CLI_DONE; ++k)
        if (only < 0 || k == only)
            cli_sweep_look(sweep, k);
    return result;
}

void cli_sweep_look(CliSweep* sweep, int32_t k)
{
    char name[CLI_PATH];
    SticResult* result = NULL;
    SticError error = {0};
    CliPoint* point = &sweep->point[k];
    cli_sweep_file(sweep, k, ".h5", name);
    point->state = CLI_POINT_OPEN;
    point->reached = -1.0;
    if (access(name, F_OK) != 0)
        return;
    point->state = CLI_POINT_BEGUN;
    if (stic_result_open(sweep->call->context, name, &result, &error) != STIC_OK)
        return;
    const SticResultInfo* info = stic_result_info(result);
    point->reached = info->end;
    if (info->end + 0.5 * info->step >= info->until)
        point->state = CLI_POINT_DONE;
    stic_result_close(result);
}
