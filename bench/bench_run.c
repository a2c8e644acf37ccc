// SPDX-License-Identifier: Apache-2.0
// A run of a scene, step by step: CPU time, counted work and quality of each.
//
//     bench_run [options] SCENE
//       --set GROUP.FIELD=VALUE   as in `stiction run`; may be repeated
//       --param NAME=VALUE        value of a parameter of the scene; may be repeated
//       --steps N                 end after N steps
//       --seconds S               end after S seconds of CPU time
//       --threads N               1 by default; times are then wall-clock times
//       --log FILE                a line per step (CSV)
//       --state FILE              state of the bodies at three quarters (FILE.75) and at the end, and
//                                 of one more step the contacts (FILE.contacts) and bodies (FILE.after);
//                                 bench/peers/run_peer.h says what the lines hold
//
// Prints one JSON object. It is the driver behind bench/runs/compare; nothing is written to result
// files, so that the times are those of the steps alone.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "math/math.h"
#include "stiction/extend/run.h"
#include "stiction/extend/scene.h"
#include "stiction/extend/world.h"

enum { MOST_SETS = 16 };

// bytes that the library holds from the allocator of its context, the same on every machine
typedef struct Held {
    size_t now, most;
} Held;

static void* take_memory(void* self, size_t bytes)
{
    Held* held = self;
    void* memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (memory == NULL)
        return NULL;
    const size_t now = __atomic_add_fetch(&held->now, bytes, __ATOMIC_RELAXED);
    if (now > held->most)
        held->most = now;
    return memory;
}

static void give_memory(void* self, void* memory, size_t bytes)
{
    Held* held = self;
    __atomic_sub_fetch(&held->now, bytes, __ATOMIC_RELAXED);
    free(memory);
}

typedef struct Options {
    const char *scene, *log, *state;
    long steps, threads;
    double seconds;
    SticSceneAssignment set[MOST_SETS], param[MOST_SETS];
    int32_t sets, params;
} Options;

typedef struct Sum {
    double *ms, solve, work, penetration, ratio;
    long steps, all, unsolved, parts;
    int64_t sweeps, factors, checks;
    int32_t contacts, most_contacts;
} Sum;

static void fail(const char* what, const SticError* error)
{
    fprintf(stderr, "bench_run: %s%s%s\n", what, error != NULL ? ": " : "",
            error != NULL ? error->text : "");
    exit(2);
}

static double now(const Options* options)
{
    struct timespec time;
    clock_gettime(options->threads > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// NAME=VALUE, split in place
static void assign(char* word, SticSceneAssignment* list, int32_t* count)
{
    char* value = strchr(word, '=');
    if (value == NULL || *count == MOST_SETS)
        fail("an assignment is NAME=VALUE, at most 16 of them", NULL);
    *value = '\0';
    list[(*count)++] = (SticSceneAssignment){.name = word, .value = value + 1};
}

static Options parse(int count, char** word)
{
    Options options = {.steps = -1, .threads = 1, .seconds = INFINITY};
    for (int i = 1; i < count; ++i) {
        char* value = i + 1 < count ? word[i + 1] : NULL;
        if (word[i][0] != '-') {
            options.scene = word[i];
            continue;
        }
        if (value == NULL)
            fail("an option without a value", NULL);
        if (strcmp(word[i], "--set") == 0)
            assign(value, options.set, &options.sets);
        else if (strcmp(word[i], "--param") == 0)
            assign(value, options.param, &options.params);
        else if (strcmp(word[i], "--steps") == 0)
            options.steps = strtol(value, NULL, 10);
        else if (strcmp(word[i], "--seconds") == 0)
            options.seconds = strtod(value, NULL);
        else if (strcmp(word[i], "--threads") == 0)
            options.threads = strtol(value, NULL, 10);
        else if (strcmp(word[i], "--log") == 0)
            options.log = value;
        else if (strcmp(word[i], "--state") == 0)
            options.state = value;
        else
            fail("unknown option", NULL);
        i += 1;
    }
    if (options.scene == NULL)
        fail("usage: bench_run [options] SCENE", NULL);
    return options;
}

// position, orientation (w x y z), velocity and angular velocity of every body of the scene
static void write_state(SticSimulation* simulation, const char* path, const char* end)
{
    char name[4096];
    snprintf(name, sizeof name, "%s%s", path, end);
    FILE* file = fopen(name, "w");
    if (file == NULL)
        fail(name, NULL);
    const SticSystem* system = stic_simulation_system(simulation);
    const SticState* state = stic_run_now(stic_simulation_run(simulation));
    const SticSceneDef* def = stic_scene_def(stic_simulation_scene(simulation));
    for (int32_t i = 0; i < def->body_count; ++i) {
        const SticBodyId body = stic_simulation_body(simulation, i);
        const SticPose pose = stic_world_pose(system, state, body);
        const SticTwist twist = stic_world_twist(system, state, body);
        const SticQuat q = stic_rotation_exp_quat(stic_rotation_log(pose.F));
        const SticVec3 x = pose.origin, v = twist.velocity, omega = twist.angular_velocity;
        const double number[] = {x.x, x.y, x.z, q.w,     q.x,     q.y,    q.z,
                                 v.x, v.y, v.z, omega.x, omega.y, omega.z};
        for (size_t k = 0; k < sizeof number / sizeof number[0]; ++k)
            fprintf(file, "%.17g%s", number[k], number + k + 1 == number + 13 ? "\n" : " ");
    }
    fclose(file);
}

// place in the scene of every slot of the world
static int32_t* places(SticSimulation* simulation)
{
    const SticSceneDef* def = stic_scene_def(stic_simulation_scene(simulation));
    uint32_t most = 0;
    for (int32_t i = 0; i < def->body_count; ++i) {
        const uint32_t index = stic_simulation_body(simulation, i).index;
        most = index > most ? index : most;
    }
    int32_t* place = calloc((size_t)most + 1, sizeof *place);
    if (place == NULL)
        fail("out of memory", NULL);
    for (int32_t i = 0; i < def->body_count; ++i)
        place[stic_simulation_body(simulation, i).index] = i;
    return place;
}

// bodies A and B by their place in the scene, point, normal, impulse on A, gap
static void write_contacts(SticSimulation* simulation, const char* path)
{
    char name[4096];
    snprintf(name, sizeof name, "%s.contacts", path);
    FILE* file = fopen(name, "w");
    const SticContactForce* contact = NULL;
    int32_t count = 0;
    int32_t* place = places(simulation);
    if (file == NULL ||
        stic_run_contacts(stic_simulation_run(simulation), &contact, &count) != STIC_OK)
        fail(name, NULL);
    for (const SticContactForce* at = contact; at < contact + count; ++at) {
        const SticVec3 x = at->point, n = at->axis[0], r = at->impulse;
        fprintf(file, "%d %d %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n",
                place[at->body[0].index], place[at->body[1].index], x.x, x.y, x.z, n.x, n.y, n.z,
                r.x, r.y, r.z, at->gap);
    }
    free(place);
    fclose(file);
}

static void note_step(Sum* sum, const SticStepInfo* info, double ms, FILE* log)
{
    const SticSolveInfo* solve = &info->solve;
    sum->ms[sum->steps++] = ms;
    sum->solve += 1e3 * solve->seconds;
    sum->sweeps += solve->iterations;
    sum->factors += solve->factorisations;
    sum->checks += solve->checks;
    sum->work += solve->work;
    sum->parts += info->substeps;
    sum->unsolved += info->interactions > 0 && solve->outcome != STIC_OUTCOME_SOLVED;
    sum->penetration = fmax(sum->penetration, info->penetration);
    sum->ratio = fmax(sum->ratio, solve->ratio);
    sum->contacts = info->contacts;
    sum->most_contacts = info->contacts > sum->most_contacts ? info->contacts : sum->most_contacts;
    if (log != NULL)
        fprintf(log, "%ld,%.4f,%.4f,%d,%lld,%d,%d,%.3g,%.3g,%.3g,%d,%s,%.4g,%d,%d,%.3g\n",
                sum->steps, ms, 1e3 * solve->seconds, info->contacts, (long long)solve->iterations,
                solve->factorisations, solve->checks, solve->tolerance, solve->ratio,
                solve->aim_ratio, (int)solve->outcome, solve->method != NULL ? solve->method : "-",
                info->penetration, info->substeps, info->interactions, info->corrected);
}

// largest memory of this process; ru_maxrss would count that of its parent, too
static long largest_mb(void)
{
    char line[256];
    long kb = 0;
    FILE* file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "VmHWM:", 6) == 0)
            kb = strtol(line + 6, NULL, 10);
    if (file != NULL)
        fclose(file);
    return kb / 1024;
}

static int compare(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static void print_sum(const Options* options, Sum* sum, const Held* held, uint64_t hash)
{
    double total = 0.0, last = 0.0;
    const long quarter = sum->steps < 4 ? 1 : sum->steps / 4;
    for (long i = 0; i < sum->steps; ++i) {
        total += sum->ms[i];
        if (i >= sum->steps - quarter)
            last += sum->ms[i];
    }
    qsort(sum->ms, (size_t)sum->steps, sizeof *sum->ms, compare);
    const double n = (double)(sum->steps > 0 ? sum->steps : 1);
    printf("{\"scene\": \"%s\", \"steps\": %ld, \"of\": %ld, \"ms_mean\": %.5g, \"ms_last\": %.5g, "
           "\"ms_median\": %.5g, \"ms_worst\": %.5g, \"ms_solve\": %.5g, \"contacts\": %d, "
           "\"most_contacts\": %d, \"sweeps\": %.4g, \"factors\": %.4g, \"checks\": %.4g, "
           "\"work\": %.6g, \"unsolved\": %ld, \"ratio\": %.3g, \"penetration\": %.4g, "
           "\"parts\": %ld, \"mb\": %ld, \"bytes\": %zu, \"bytes_end\": %zu, "
           "\"hash\": \"%016llx\"}\n",
           options->scene, sum->steps, sum->all, total / n, last / (double)quarter,
           sum->ms[sum->steps / 2], sum->ms[sum->steps - 1], sum->solve / n, sum->contacts,
           sum->most_contacts, (double)sum->sweeps / n, (double)sum->factors / n,
           (double)sum->checks / n, sum->work, sum->unsolved, sum->ratio, sum->penetration,
           sum->parts, largest_mb(), held->most, held->now, (unsigned long long)hash);
}

static void run(const Options* options, SticSimulation* simulation, const Held* held)
{
    FILE* log = options->log != NULL ? fopen(options->log, "w") : NULL;
    Sum sum = {.all = (long)stic_simulation_steps(simulation)};
    if (options->steps >= 0 && options->steps < sum.all)
        sum.all = options->steps;
    sum.ms = calloc((size_t)sum.all + 1, sizeof *sum.ms);
    if (sum.ms == NULL)
        fail("out of memory", NULL);
    if (log != NULL)
        fprintf(log, "step,ms,solve_ms,contacts,iterations,factorisations,checks,tolerance,ratio,"
                     "aim_ratio,outcome,method,penetration,parts,interactions,corrected\n");
    const double start = now(options);
    double last = start;
    while (sum.steps < sum.all && last - start < options->seconds) {
        SticStepInfo info;
        const SticStatus status = stic_simulation_step(simulation, &info);
        const double end = now(options);
        if (status != STIC_OK)
            fail("step", &info.error);
        note_step(&sum, &info, 1e3 * (end - last), log);
        if (options->state != NULL && sum.steps == sum.all * 3 / 4)
            write_state(simulation, options->state, ".75");
        last = now(options);
    }
    if (options->state != NULL)
        write_state(simulation, options->state, "");
    print_sum(options, &sum, held, stic_run_hash(stic_simulation_run(simulation)));
    SticStepInfo after;
    if (options->state != NULL && stic_simulation_step(simulation, &after) == STIC_OK) {
        write_contacts(simulation, options->state);
        write_state(simulation, options->state, ".after");
    }
    if (log != NULL)
        fclose(log);
    free(sum.ms);
}

int main(int count, char** word)
{
    const Options options = parse(count, word);
    Held held = {0, 0};
    SticContext context = stic_context_default();
    context.allocator = (SticAllocator){&held, take_memory, give_memory};
    SticSceneOptions reading = stic_scene_default_options();
    SticScene* scene = NULL;
    SticSimulation* simulation = NULL;
    SticError error = {.status = STIC_OK};
    reading.set = options.set;
    reading.set_count = options.sets;
    reading.param = options.param;
    reading.param_count = options.params;
    if (options.threads > 1 &&
        stic_pool_create(&context, (int32_t)options.threads, &context.pool) != STIC_OK)
        fail("no threads", NULL);
    if (stic_scene_load(&context, options.scene, &reading, &scene, &error) != STIC_OK ||
        stic_simulation_create(&context, scene, &simulation, &error) != STIC_OK)
        fail(options.scene, &error);
    run(&options, simulation, &held);
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
    stic_pool_destroy(context.pool);
    return 0;
}
