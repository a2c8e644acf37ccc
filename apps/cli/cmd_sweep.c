// SPDX-License-Identifier: Apache-2.0
// stiction sweep: a scene at many values of its parameters.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assignments.h"
#include "commands.h"
#include "print.h"
#include "stiction/extend/file.h"
#include "stiction/extend/scene.h"
#include "stiction/result.h"
#include "sweep.h"

static const CliOption options[] = {
    {"param", 0, "K=VALUES",
     "values of a parameter that the scene asks for: FROM:TO:COUNT, ends included, or V1,V2,…; "
     "may be repeated, every combination is a point"},
    {"output", 'o', "DIR", "folder of the results (default: the scene's name with -sweep)"},
    {"jobs", 'j', "N", "runs at a time (default: all cores)"},
    {"set", 0, "A.B=V", "as for 'stiction run', for all points; may be repeated"},
    {"until", 0, "T", "end of every run in seconds instead of the scene's"},
    {"accuracy", 0, "LEVEL", "preview, standard or strict, for all points"},
    {"only", 0, "K", "run point K alone, counted from 1, and write no table"},
    {"slurm", 0, "FILE", "run nothing: write a job script with one task per point"},
    {"force", 'f', NULL, "replace a job script that exists already"},
    {NULL, 0, NULL, NULL},
};

// whole number of an option in [least, most]; the default if it is not given
static CliExit read_count(const CliCall* call, const char* name, long least, long most,
                          int32_t* value)
{
    const char* text = cli_call_option(call, name);
    char* end = NULL;
    if (text == NULL)
        return CLI_DONE;
    const long given = strtol(text, &end, 10);
    if (end == text || *end != '\0' || given < least || given > most)
        return cli_usage_error(call->command->name, "--%s: '%s' is no whole number from %ld to %ld",
                               name, text, least, most);
    *value = (int32_t)given;
    return CLI_DONE;
}

static CliExit name_folder(const CliCall* call, CliSweep* sweep)
{
    const char* given = cli_call_option(call, "output");
    const char* slash = strrchr(call->operand[0], '/');
    const char* scene = slash == NULL ? call->operand[0] : slash + 1;
    const char* dot = strrchr(scene, '.');
    const int stem = dot == NULL || dot == scene ? (int)strlen(scene) : (int)(dot - scene);
    const int length =
        given != NULL ? snprintf(sweep->folder, sizeof sweep->folder, "%s", given)
                      : snprintf(sweep->folder, sizeof sweep->folder, "%.*s-sweep", stem, scene);
    // room for the names inside
    if (length <= 0 || length >= CLI_PATH - 64)
        return cli_usage_error(call->command->name, "the name of the folder is empty or too long");
    return CLI_DONE;
}

// a last line on what became of the points; the exit code
static CliExit conclude(const CliSweep* sweep, bool stopped)
{
    CliExit result = stopped ? CLI_UNSOLVED : CLI_DONE;
    int32_t left = 0;
    for (int32_t k = 0; k < sweep->points; ++k) {
        const CliPoint* point = &sweep->point[k];
        char log[CLI_PATH];
        left += point->state < CLI_POINT_DONE;
        if (point->state == CLI_POINT_FAILED) {
            cli_sweep_file(sweep, k, ".log", log);
            cli_message("point %d failed: %s says why", (int)k + 1, log);
        }
        if (point->state == CLI_POINT_FAILED || point->exit == CLI_UNSOLVED)
            result = cli_worse(result, CLI_UNSOLVED);
    }
    if (stopped)
        cli_message("stopped with %d %s left; the same command goes on", (int)left,
                    left == 1 ? "point" : "points");
    return result;
}

// the scene of point k
static CliExit load_point(const CliSweep* sweep, int32_t k, SticScene** scene, SticStatus* status,
                          SticError* error)
{
    const CliCall* call = sweep->call;
    const char* until = cli_call_option(call, "until");
    CliAssignments* all = NULL;
    if (STIC_ALLOCATE(call->context, &all, 1) != STIC_OK)
        return cli_out_of_memory();
    const CliExit result = cli_assignments_take(call, all);
    for (int32_t p = 0; result == CLI_DONE && p < all->params && p < sweep->params; ++p)
        all->param[p].value = cli_sweep_value(sweep, k, p);
    if (result == CLI_DONE) {
        SticSceneOptions given = stic_scene_default_options();
        given.param = all->param;
        given.param_count = all->params;
        given.set = all->set;
        given.set_count = all->sets;
        if (until != NULL)
            given.until = strtod(until, NULL);
        *status = stic_scene_load(call->context, call->operand[0], &given, scene, error);
    }
    STIC_RELEASE(call->context, all, 1);
    return result;
}

// what no point would take is refused before the first one: a parameter or a setting that does not
// exist. What else a scene refuses may be the matter of single values.
static CliExit check_scene(const CliSweep* sweep)
{
    SticScene* scene = NULL;
    SticError error = {0};
    SticStatus status = STIC_OK;
    CliExit result = load_point(sweep, 0, &scene, &status, &error);
    if (result == CLI_DONE && status == STIC_BAD_ARGUMENT)
        result = cli_report(&error, status, sweep->call->operand[0]);
    stic_scene_destroy(scene);
    return result;
}

// whether a result is of the scene as it is now: its definition has the meshes and tables that the
// scene reads, which the text of the scene has not
static bool is_of(const CliSweep* sweep, int32_t k, const SticScene* scene)
{
    char name[CLI_PATH];
    SticResult* result = NULL;
    SticText now = {0};
    bool same = true;
    cli_sweep_file(sweep, k, ".h5", name);
    if (stic_result_open(sweep->call->context, name, &result, NULL) != STIC_OK)
        return true;
    const char* then = stic_result_info(result)->definition;
    if (then != NULL && then[0] != '\0' &&
        stic_scene_write(sweep->call->context, stic_scene_def(scene), &now, NULL) == STIC_OK) {
        same = strcmp(then, now.bytes) == 0;
        stic_text_unload(&now);
    }
    stic_result_close(result);
    return same;
}

static CliExit check_point(const CliSweep* sweep, int32_t k)
{
    SticScene* scene = NULL;
    SticStatus status = STIC_OK;
    CliExit result = load_point(sweep, k, &scene, &status, NULL);
    if (result == CLI_DONE && status == STIC_OK && !is_of(sweep, k, scene)) {
        cli_message("a file that %s reads was changed since the sweep in %s began (point %d): its "
                    "points would not belong together. Name another folder with -o, or remove "
                    "this one to run all anew",
                    sweep->call->operand[0], sweep->folder, (int)k + 1);
        result = CLI_USAGE;
    }
    stic_scene_destroy(scene);
    return result;
}

// points that have results: they must be of the scene and of its files as they are now
static CliExit check_results(const CliSweep* sweep, int32_t only)
{
    CliExit result = CLI_DONE;
    for (int32_t k = 0; k < sweep->points && result == CLI_DONE; ++k)
        if ((only < 0 || k == only) && sweep->point[k].reached >= 0.0)
            result = check_point(sweep, k);
    return result;
}

static CliExit sweep_scene(CliSweep* sweep, int32_t only)
{
    CliExit result = cli_sweep_open(sweep, only);
    if (result == CLI_DONE)
        result = check_results(sweep, only);
    if (result != CLI_DONE)
        return result;
    const bool stopped = cli_sweep_work(sweep, only);
    if (only >= 0)
        return sweep->point[only].state == CLI_POINT_DONE ? CLI_DONE : CLI_UNSOLVED;
    result = cli_sweep_table(sweep);
    return cli_worse(result, conclude(sweep, stopped));
}

static CliExit run(const CliCall* call)
{
    CliSweep sweep = {.lock = -1, .point_lock = -1};
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int32_t only = 0;
    sweep.jobs = cores > 0 ? (int32_t)cores : 1;
    CliExit result = cli_sweep_plan(call, &sweep);
    if (result == CLI_DONE)
        result = name_folder(call, &sweep);
    if (result == CLI_DONE)
        result = read_count(call, "jobs", 1, 4096, &sweep.jobs);
    if (result == CLI_DONE)
        result = read_count(call, "only", 1, sweep.points, &only);
    if (result == CLI_DONE && access(call->operand[0], R_OK) != 0) {
        cli_message("%s cannot be read", call->operand[0]);
        result = CLI_INPUT;
    }
    const char* slurm = cli_call_option(call, "slurm");
    if (result == CLI_DONE && only == 0)
        result = check_scene(&sweep);
    if (result == CLI_DONE)
        result = cli_file_keep(call, slurm);
    if (result == CLI_DONE)
        result = slurm != NULL ? cli_sweep_slurm(&sweep, slurm) : sweep_scene(&sweep, only - 1);
    cli_sweep_clear(&sweep);
    return result;
}

const CliCommand cli_command_sweep = {
    .name = "sweep",
    .operands = "SCENE",
    .text = "Run a scene at many values of its parameters.",
    .details =
        "Every point is a process and a result of its own in the folder, point-0001.h5 and so on, "
        "with a log beside it; sweep.csv at the end has one row per point: its parameters, how it "
        "ended, energies, errors, and the last values of the scene's histories. Points that are "
        "there are not run again, and points that were begun go on from their last snapshot: after "
        "a power cut, a killed worker or Ctrl-C, the same command finishes the rest.",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
