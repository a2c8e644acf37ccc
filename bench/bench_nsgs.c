// SPDX-License-Identifier: Apache-2.0
// Time and bytes per contact and sweep of nsgs, explicit and factored, next to the memory
// bandwidth.
//
// Times on one thread are CPU times of that thread, so that other programs on the machine disturb
// less; with two threads they are wall-clock times. Explicit forms are measured up to 50000
// contacts.
//
//     bench_nsgs [largest number of contacts]
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "helpers/scenes.h"
#include "solver/sweep.h"

enum { TRIAD = 1 << 23 }; // 3 arrays of 64 MiB: larger than the caches

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// bandwidth of a[i] = b[i] + s c[i], bytes per second, best of five
static double triad_bandwidth(void)
{
    double* a = malloc(TRIAD * sizeof *a);
    double* b = malloc(TRIAD * sizeof *b);
    double* c = malloc(TRIAD * sizeof *c);
    double best = 0.0;
    for (int32_t i = 0; a && b && c && i < TRIAD; ++i) {
        a[i] = 0.0;
        b[i] = i;
        c[i] = 1.0;
    }
    for (int run = 0; a && b && c && run < 5; ++run) {
        const double start = cpu_seconds();
        for (int32_t i = 0; i < TRIAD; ++i)
            a[i] = b[i] + 3.0 * c[i];
        const double rate = 3.0 * sizeof(double) * TRIAD / (cpu_seconds() - start);
        best = rate > best ? rate : best;
    }
    // the result is used, so that the loop stays
    if (a && a[TRIAD / 2] < 0.0)
        printf("impossible\n");
    free(a);
    free(b);
    free(c);
    return best;
}

// best seconds per sweep over batches that last a few hundredths of a second, after `warm` sweeps
static double time_sweep(SticSweep* sweep, int32_t contacts, int32_t warm, bool threads)
{
    const int32_t batch = 1 + 200000 / contacts;
    double best = 1e30;
    for (int32_t k = 0; k < warm; ++k)
        stic_sweep_run(sweep);
    for (int32_t run = 0; run < 9; ++run) {
        const double start = threads ? stic_timer_seconds() : cpu_seconds();
        for (int32_t k = 0; k < batch; ++k)
            stic_sweep_run(sweep);
        const double end = threads ? stic_timer_seconds() : cpu_seconds();
        const double seconds = (end - start) / batch;
        best = seconds < best ? seconds : best;
    }
    return best;
}

typedef struct Case {
    const char* name;
    SticForm form;
    bool coloured;
    int32_t threads;
} Case;

static void measure(const char* name, const Scene* scene, const Case* form, double bandwidth)
{
    SticContext context = stic_context_default();
    SticArena* arena = NULL;
    SticSweep* sweep = NULL;
    SticError error = {0};
    if (form->threads > 1 && stic_pool_create(&context, form->threads, &context.pool) != STIC_OK)
        return;
    const SticSweepOptions options = {.form = form->form, .coloured = form->coloured, .omega = 1.0};
    if (stic_arena_create(&context, 0, &arena) != STIC_OK)
        return;
    const double start = stic_timer_seconds();
    if (stic_sweep_create(arena, &scene->problem, &options, &sweep, &error) != STIC_OK) {
        printf("%s: %s\n", name, error.text);
        stic_arena_destroy(arena);
        return;
    }
    const double setup = stic_timer_seconds() - start;
    const int32_t n = scene->contacts;
    double* r = calloc((size_t)n * 3, sizeof *r);
    if (r != NULL) {
        stic_sweep_start(sweep, r);
        // first sweeps with many slips, then late ones with nearly all contacts sticking
        const double early = time_sweep(sweep, n, 2, form->threads > 1);
        const double late = time_sweep(sweep, n, 300, form->threads > 1);
        const double bytes = (double)stic_sweep_bytes(sweep);
        printf("  %-12s %-18s %7d %8.1f %8.1f %8.0f %7.1f %9.1f %8.1f %6lld\n", name, form->name, n,
               early / n * 1e9, late / n * 1e9, bytes / n, bytes / late * 1e-9,
               bytes / bandwidth / n * 1e9, setup / n * 1e9,
               (long long)stic_sweep_fallbacks(sweep));
        fflush(stdout);
    }
    free(r);
    stic_arena_destroy(arena);
    stic_pool_destroy(context.pool);
}

int main(int count, char** argument)
{
    static const char* const scenes[] = {
        "stack250",      "pyramid20", "pyramid20-hit", "wall20", "pyramid50",
        "pyramid50-hit", "wall50",    "pyramid100",    "wall92", "wall200"};
    static const Case forms[] = {{"factored", STIC_FORM_FACTORED, false, 1},
                                 {"factored coloured", STIC_FORM_FACTORED, true, 1},
                                 {"  two threads", STIC_FORM_FACTORED, true, 2},
                                 {"explicit", STIC_FORM_EXPLICIT, false, 1}};
    const int32_t largest = count > 1 ? atoi(argument[1]) : 120000;
    const double bandwidth = triad_bandwidth();
    printf("triad on one core: %.1f GB/s\n", bandwidth * 1e-9);
    printf("  scene        form               contacts  ns early  ns late  bytes    GB/s  ns at "
           "triad  set-up  fallbacks   (all per contact and sweep)\n");
    for (size_t s = 0; s < sizeof scenes / sizeof scenes[0]; ++s) {
        Scene scene;
        SceneDef def;
        SceneMore more;
        if (!scene_parse(scenes[s], &def, &more))
            return 1;
        scene_create_more(&scene, &def, &more);
        for (size_t k = 0; k < sizeof forms / sizeof forms[0] && scene.contacts <= largest; ++k)
            if (forms[k].form != STIC_FORM_EXPLICIT || scene.contacts <= 50000)
                measure(scenes[s], &scene, &forms[k], bandwidth);
        scene_release(&scene);
    }
    return 0;
}
