// SPDX-License-Identifier: Apache-2.0
// Time of the broad phases per box and update, next to Bullet's dynamic trees, as lines of CSV.
//
//   bench_broad [n=1000000] [threads=1] [frames=20] [method=all|tree|…|bullet] [motion=x]
//               [set=all|random|adjacent|spherical] [seconds=40]
//
// The three distributions of Koziara's thesis, section 13.2, each box with ten overlaps, for n =
// 1e4, 3e4, 1e5 … up to the given one. Two motions: coherent (each box moves by 1 % of its side per
// update, or by `motion` sides) and incoherent (all places are dealt anew). Times are processor
// time of one thread (wall time with more) in ns per box and update: the mean and the worst of up
// to `frames` updates after up to three that are not counted, as many as fit into a quarter of
// `seconds`, at least two after one, and eight where enlarged boxes make coherent updates differ in
// cost. Where even that is expected to take more than `seconds`, from the growth between the two
// sizes before, the expected time is printed with 0 frames. One process for a set and a method
// needs no other: bench/broad starts them and draws. Bullet keeps pairs of enlarged boxes in single
// precision; ours are exact, sorted and come with events.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "broad_sets.h"
#ifdef STIC_PEER_BULLET
#include "bullet_broad.h"
#endif

enum { BULLET = STIC_BROAD_METHOD_COUNT, BULLET_DEFERRED, CANDIDATES };

typedef struct Options {
    int32_t most, threads, frames;
    int method, set; // -1: all
    double motion, seconds;
} Options;

static const char* candidate_name(int candidate)
{
    return candidate == BULLET            ? "bullet"
           : candidate == BULLET_DEFERRED ? "bullet-late"
                                          : stic_broad_method_name(candidate);
}

static double seconds_now(const Options* options)
{
    struct timespec now;
    if (options->threads > 1)
        return stic_timer_seconds();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// one of ours, or Bullet
typedef struct Subject {
    SticBroad* broad;
#ifdef STIC_PEER_BULLET
    PeerBullet* bullet;
#endif
    int64_t pairs, events;
} Subject;

static void subject_create(Subject* subject, int candidate, const SticContext* context,
                           const BoxSet* set)
{
    *subject = (Subject){0};
#ifdef STIC_PEER_BULLET
    if (candidate >= BULLET) {
        subject->bullet = peer_bullet_create(1.0 / set->side, candidate == BULLET_DEFERRED);
        peer_bullet_insert(subject->bullet, (const double(*)[6])(const void*)set->box, set->count);
        return;
    }
#endif
    SticBroadSettings settings = stic_broad_default_settings();
    settings.method = candidate;
    if (stic_broad_create(context, &settings, &subject->broad, NULL) != STIC_OK)
        exit(1);
    for (int32_t i = 0; i < set->count; ++i) {
        int32_t handle = 0;
        const SticBroadItem item = {.box = set->box[i]};
        if (stic_broad_insert(subject->broad, &item, &handle, NULL) != STIC_OK)
            exit(1);
    }
}

static void subject_destroy(Subject* subject)
{
#ifdef STIC_PEER_BULLET
    if (subject->bullet != NULL)
        peer_bullet_destroy(subject->bullet);
#endif
    stic_broad_destroy(subject->broad);
}

static void subject_update(Subject* subject, const BoxSet* set)
{
#ifdef STIC_PEER_BULLET
    if (subject->bullet != NULL) {
        peer_bullet_update(subject->bullet, (const double(*)[6])(const void*)set->box, set->count);
        subject->pairs = peer_bullet_pairs(subject->bullet);
        return;
    }
#endif
    SticBroadChanges changes;
    if (stic_broad_update(subject->broad, set->box, &changes, NULL) != STIC_OK)
        exit(1);
    subject->pairs = changes.pair_count;
    subject->events = changes.created_count + changes.released_count;
}

typedef struct Figures {
    double mean, worst, overlaps; // ns per box, ns per box, per box
    int frames;
} Figures;

typedef struct Case {
    int kind;
    int32_t count;
    double side;
    bool coherent;
} Case;

enum { MOST_WARM = 3, SHARE = 4 };

// updates that are counted at least
static int least_frames(int candidate, const Case* test)
{
    return test->coherent && (candidate == STIC_BROAD_TREE || candidate >= BULLET) ? 8 : 2;
}

// the same motion for every candidate: the set is made anew from its seed
static Figures measure(int candidate, const Case* test, const Options* options,
                       const SticContext* context)
{
    BoxSet set = set_create((SetKind)test->kind, test->count, 7);
    SticRandom random = stic_random_create(3);
    Subject subject;
    Figures figures = {0};
    const int least = least_frames(candidate, test);
    const double enough = options->seconds / SHARE;
    double spent = 0.0, sum = 0.0;
    set.side = test->side;
    set_boxes(&set);
    subject_create(&subject, candidate, context, &set);
    for (int warm = 0; figures.frames < options->frames;) {
        if (test->coherent)
            set_move(&set, options->motion);
        else
            set_shuffle(&set, &random);
        const double start = seconds_now(options);
        subject_update(&subject, &set);
        const double time = seconds_now(options) - start;
        spent += time;
        if (warm < MOST_WARM && (warm == 0 || spent + least * time < enough)) {
            ++warm;
            continue;
        }
        sum += time;
        figures.frames += 1;
        figures.worst = time > figures.worst ? time : figures.worst;
        if (figures.frames >= least && spent + time > enough)
            break;
    }
    figures.mean = sum * 1e9 / figures.frames / test->count;
    figures.worst *= 1e9 / test->count;
    figures.overlaps = 2.0 * (double)subject.pairs / test->count;
    subject_destroy(&subject);
    set_destroy(&set);
    return figures;
}

// what is known of one method and motion from smaller sets
typedef struct Growth {
    double count, time; // of the largest so far: boxes, ns per box
    double power;       // of the time of an update; quadratic until it is known
} Growth;

static double expect(const Growth* growth, double count)
{
    return growth->count > 0.0 ? growth->time * pow(count / growth->count, growth->power - 1.0)
                               : 0.0;
}

static void learn(Growth* growth, double count, double time)
{
    growth->power = 2.0;
    if (growth->count > 0.0) {
        const double seen = 1.0 + log(time / growth->time) / log(count / growth->count);
        growth->power = seen > 1.0 ? seen : 1.0;
    }
    growth->count = count;
    growth->time = time;
}

static void run_case(int candidate, const Case* test, const Options* options,
                     const SticContext* context, Growth* growth)
{
    const double guess = expect(growth, test->count);
    const double least = 1e-9 * guess * test->count * (1 + least_frames(candidate, test));
    Figures figures = {.mean = guess, .worst = 0.0};
    if (least <= options->seconds) {
        figures = measure(candidate, test, options, context);
        learn(growth, test->count, figures.mean);
    }
    printf("%s,%s,%d,%s,%.1f,%.1f,%d,%.3f\n", set_names[test->kind], candidate_name(candidate),
           (int)test->count, test->coherent ? "coherent" : "incoherent", figures.mean,
           figures.worst, figures.frames, figures.overlaps);
    fflush(stdout);
}

static bool is_there(int candidate)
{
#ifdef STIC_PEER_BULLET
    return candidate < CANDIDATES;
#else
    return candidate < BULLET;
#endif
}

static void run_set(int kind, const Options* options, const SticContext* context)
{
    Growth growth[CANDIDATES][2] = {{{0}}};
    for (int32_t count = 10000; count <= options->most;
         count = count % 9 == 1 ? 3 * count : count / 3 * 10) {
        BoxSet set = set_create((SetKind)kind, count, 7);
        set_size(&set, 10.0);
        const double side = set.side;
        set_destroy(&set);
        for (int candidate = 0; candidate < CANDIDATES; ++candidate) {
            if (!is_there(candidate) || (options->method >= 0 && candidate != options->method))
                continue;
            for (int m = 0; m < 2; ++m) {
                const Case test = {kind, count, side, m == 0};
                run_case(candidate, &test, options, context, &growth[candidate][m]);
            }
        }
    }
}

static int find_name(const char* name, int count, const char* (*get)(int))
{
    for (int i = 0; i < count; ++i)
        if (strcmp(name, get(i)) == 0)
            return i;
    return -1;
}

static const char* set_name(int kind)
{
    return set_names[kind];
}

static int name_or_all(const char* name, int count, const char* (*get)(int))
{
    const int found = find_name(name, count, get);
    if (found < 0 && strcmp(name, "all") != 0) {
        fprintf(stderr, "bench_broad: no %s\n", name);
        exit(1);
    }
    return found;
}

static void read_option(const char* argument, Options* options)
{
    const char* value = strchr(argument, '=');
    value = value != NULL ? value + 1 : argument;
    if (strncmp(argument, "n=", 2) == 0)
        options->most = atoi(value);
    else if (strncmp(argument, "threads=", 8) == 0)
        options->threads = atoi(value);
    else if (strncmp(argument, "frames=", 7) == 0)
        options->frames = atoi(value);
    else if (strncmp(argument, "method=", 7) == 0)
        options->method = name_or_all(value, CANDIDATES, candidate_name);
    else if (strncmp(argument, "set=", 4) == 0)
        options->set = name_or_all(value, SET_COUNT, set_name);
    else if (strncmp(argument, "motion=", 7) == 0)
        options->motion = atof(value);
    else if (strncmp(argument, "seconds=", 8) == 0)
        options->seconds = atof(value);
}

int main(int argc, char** argv)
{
    Options options = {.most = 1000000,
                       .threads = 1,
                       .frames = 20,
                       .method = -1,
                       .set = -1,
                       .motion = 0.01,
                       .seconds = 40.0};
    for (int i = 1; i < argc; ++i)
        read_option(argv[i], &options);
    SticContext context = stic_context_default();
    SticPool* pool = NULL;
    if (options.threads > 1 && stic_pool_create(&context, options.threads, &pool) == STIC_OK)
        context.pool = pool;
    printf("set,method,boxes,motion,ns,worst_ns,frames,overlaps\n");
    for (int kind = 0; kind < SET_COUNT; ++kind)
        if (options.set < 0 || options.set == kind)
            run_set(kind, &options, &context);
    stic_pool_destroy(pool);
    return 0;
}
