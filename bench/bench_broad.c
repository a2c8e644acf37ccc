// SPDX-License-Identifier: Apache-2.0
// Time of the broad phases per box and update, next to Bullet's dynamic trees.
//
//   bench_broad [n=1000000] [threads=1] [frames=20] [warm=3] [method=all|tree|…|bullet] [motion=x]
//               [set=random|adjacent|spherical] [seconds=20]
//
// The three distributions of Koziara's thesis, section 13.2, each box with ten overlaps, for n =
// 1e4, 3e4, 1e5 … up to the given one. Two motions: coherent (each box moves by 1 % of its side per
// update, or by `motion` sides) and without coherence (all places are dealt anew). Times are
// processor time of one thread (wall time with more), the mean over the frames after `warm` that
// are not counted. A method is left out where an update would take more than `seconds`. Bullet
// keeps pairs of enlarged boxes in single precision; ours are exact, sorted and come with events.
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "broad_sets.h"
#ifdef STIC_PEER_BULLET
#include "bullet_broad.h"
#endif

enum { BULLET = STIC_BROAD_METHOD_COUNT, BULLET_DEFERRED, CANDIDATES };

typedef struct Options {
    int32_t most, threads, frames, warm;
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
} Figures;

typedef struct Case {
    int kind;
    int32_t count;
    double side;
    bool coherent;
} Case;

// the same motion for every candidate: the set is made anew from its seed
static Figures measure(int candidate, const Case* test, const Options* options,
                       const SticContext* context)
{
    BoxSet set = set_create((SetKind)test->kind, test->count, 7);
    SticRandom random = stic_random_create(3);
    Subject subject;
    Figures figures = {0};
    set.side = test->side;
    set_boxes(&set);
    subject_create(&subject, candidate, context, &set);
    // without coherence every update costs the same
    int frames = test->coherent || options->frames < 3 ? options->frames : 3;
    for (int frame = 0; frame < frames + options->warm; ++frame) {
        if (test->coherent)
            set_move(&set, options->motion);
        else
            set_shuffle(&set, &random);
        const double start = seconds_now(options);
        subject_update(&subject, &set);
        const double time = seconds_now(options) - start;
        if (frame >= options->warm) {
            figures.mean += time;
            figures.worst = time > figures.worst ? time : figures.worst;
        } else if (time > 0.05 * options->seconds && frames > 5) {
            frames = 5;
        }
    }
    figures.mean *= 1e9 / frames / test->count;
    figures.worst *= 1e9 / test->count;
    figures.overlaps = 2.0 * (double)subject.pairs / test->count;
    subject_destroy(&subject);
    set_destroy(&set);
    return figures;
}

static void run_set(int kind, const Options* options, const SticContext* context)
{
    // expected seconds of an update, from the size before
    double expected[CANDIDATES][2] = {{0.0}};
    int32_t before = 0;
    for (int32_t count = 10000; count <= options->most;
         count = count % 9 == 1 ? 3 * count : count / 3 * 10) {
        BoxSet set = set_create((SetKind)kind, count, 7);
        set_size(&set, 10.0);
        printf("\n%s, %d boxes of side %.4g: ns per box and update\n", set_names[kind], (int)count,
               set.side);
        printf("  %-12s %11s %11s %11s %11s %9s\n", "method", "coherent", "its worst", "incoherent",
               "its worst", "overlaps");
        for (int candidate = 0; candidate < CANDIDATES; ++candidate) {
            if (options->method >= 0 && candidate != options->method)
                continue;
#ifndef STIC_PEER_BULLET
            if (candidate >= BULLET)
                continue;
#endif
            Figures figures[2] = {{0}};
            for (int m = 0; m < 2; ++m) {
                const double growth = before > 0 ? (double)count / before : 1.0;
                const double guess = expected[candidate][m] * growth * growth;
                if ((candidate == STIC_BROAD_BRUTE && count > 10000) || guess > options->seconds) {
                    expected[candidate][m] = INFINITY;
                    continue;
                }
                const Case test = {kind, count, set.side, m == 0};
                figures[m] = measure(candidate, &test, options, context);
                expected[candidate][m] = figures[m].mean * 1e-9 * count;
            }
            printf("  %-12s %11.1f %11.1f %11.1f %11.1f %9.2f\n", candidate_name(candidate),
                   figures[0].mean, figures[0].worst, figures[1].mean, figures[1].worst,
                   figures[1].overlaps);
            fflush(stdout);
        }
        before = count;
        set_destroy(&set);
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

int main(int argc, char** argv)
{
    Options options = {.most = 1000000,
                       .threads = 1,
                       .frames = 20,
                       .warm = 3,
                       .method = -1,
                       .set = -1,
                       .motion = 0.01,
                       .seconds = 20.0};
    for (int i = 1; i < argc; ++i) {
        const char* value = strchr(argv[i], '=');
        value = value != NULL ? value + 1 : argv[i];
        if (strncmp(argv[i], "n=", 2) == 0)
            options.most = atoi(value);
        else if (strncmp(argv[i], "threads=", 8) == 0)
            options.threads = atoi(value);
        else if (strncmp(argv[i], "frames=", 7) == 0)
            options.frames = atoi(value);
        else if (strncmp(argv[i], "warm=", 5) == 0)
            options.warm = atoi(value);
        else if (strncmp(argv[i], "method=", 7) == 0)
            options.method = find_name(value, CANDIDATES, candidate_name);
        else if (strncmp(argv[i], "set=", 4) == 0)
            options.set = find_name(value, SET_COUNT, set_name);
        else if (strncmp(argv[i], "motion=", 7) == 0)
            options.motion = atof(value);
        else if (strncmp(argv[i], "seconds=", 8) == 0)
            options.seconds = atof(value);
    }
    SticContext context = stic_context_default();
    SticPool* pool = NULL;
    if (options.threads > 1 && stic_pool_create(&context, options.threads, &pool) == STIC_OK)
        context.pool = pool;
    printf("%d thread(s), %d frames, coherent motion of %g sides per update\n",
           (int)options.threads, (int)options.frames, options.motion);
    for (int kind = 0; kind < SET_COUNT; ++kind)
        if (options.set < 0 || options.set == kind)
            run_set(kind, &options, &context);
    stic_pool_destroy(pool);
    return 0;
}
