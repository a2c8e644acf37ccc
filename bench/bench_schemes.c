// SPDX-License-Identifier: Apache-2.0
// What a step of a scheme costs in units of moreau, from one run.
//
//     bench_schemes [rocks [repeats [level]]]
//
// The tippe top for 2 s at 1e-3 s (with the thesis' scheme, and with settling), a heap of 100 rocks
// for 400 steps with consistent and decomposed, and one of `rocks` (1000) for 400 steps with
// consistent. Schemes take turns, `repeats` (3) times; the figure is the ratio of the least CPU
// times, of the steps alone. Heaps are solved to one tolerance for all (1e-8), or to a level of
// accuracy. Each scheme follows its own motion, so that heaps differ in the end: contacts are
// printed, too.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rock_heap.h"
#include "stiction/extend/scene.h"

enum { MOST = 4 };

// a scene's text with %s for the scheme, and what is compared
typedef struct Case {
    const char *name, *text;
    int count;
    const char* scheme[MOST];
    double target[MOST]; // 0: none
} Case;

static const char* const top =
    "system \"tippe-top\"\nscheme %s\nsolver \"auto\" {tolerance = 1e-10}\n"
    "run{step = 1e-3, duration = 2}\n";

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// CPU seconds of the steps of a scene; contacts of the last one
static double run(const char* text, int32_t* contacts, int64_t* unsolved)
{
    const SticContext context = stic_context_default();
    const SticSceneOptions options = stic_scene_default_options();
    const SticText bytes = {.bytes = (char*)text, .size = strlen(text)};
    SticError error = {0};
    SticScene* scene = NULL;
    SticSimulation* simulation = NULL;
    SticStepInfo info;
    if (stic_scene_parse(&context, &bytes, "scene.lua", &options, &scene, &error) != STIC_OK ||
        stic_simulation_create(&context, scene, &simulation, &error) != STIC_OK) {
        fprintf(stderr, "bench_schemes: %s\n", error.text);
        exit(1);
    }
    const double start = cpu_seconds();
    while (!stic_simulation_is_done(simulation))
        if (stic_simulation_step(simulation, &info) != STIC_OK) {
            fprintf(stderr, "bench_schemes: %s\n", info.error.text);
            exit(1);
        }
    const double seconds = cpu_seconds() - start;
    *contacts = info.contacts;
    *unsolved = stic_run_totals(stic_simulation_run(simulation))->unsolved;
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
    return seconds;
}

static void compare(const Case* c, int rocks, int repeats, const char* level)
{
    double least[MOST] = {0.0};
    int32_t contacts[MOST] = {0};
    int64_t unsolved[MOST] = {0};
    int columns = 1;
    char accuracy[64];
    if (level == NULL)
        snprintf(accuracy, sizeof accuracy, "solver 'auto' {tolerance = 1e-8}");
    else
        snprintf(accuracy, sizeof accuracy, "accuracy '%s'", level);
    while (columns * columns * columns < rocks)
        ++columns;
    for (int k = 0; k < repeats; ++k)
        for (int i = 0; i < c->count; ++i) {
            char text[2048];
            if (rocks > 0)
                snprintf(text, sizeof text, c->text, 0, rocks, columns, c->scheme[i], accuracy, "");
            else
                snprintf(text, sizeof text, c->text, c->scheme[i]);
            const double seconds = run(text, &contacts[i], &unsolved[i]);
            least[i] = k == 0 || seconds < least[i] ? seconds : least[i];
        }
    for (int i = 0; i < c->count; ++i) {
        printf("%-10s %5d  %-28s %9.3f s  %6.2f of moreau", c->name, rocks, c->scheme[i], least[i],
               least[i] / least[0]);
        if (c->target[i] > 0.0)
            printf(" (at most %g wanted)", c->target[i]);
        printf("; %d contacts at the end, %lld steps not solved\n", (int)contacts[i],
               (long long)unsolved[i]);
    }
    fflush(stdout);
}

int main(int argc, char** argv)
{
    const int rocks = argc > 1 ? atoi(argv[1]) : 1000, repeats = argc > 2 ? atoi(argv[2]) : 3;
    const char* level = argc > 3 ? argv[3] : NULL;
    const Case tippe_top = {
        "tippe top",
        top,
        3,
        {"\"moreau\"", "\"consistent\" {settle = false, friction = 'begin'}", "\"consistent\""},
        {0.0, 4.0, 4.0}};
    const Case small = {"rocks",
                        rock_heap,
                        3,
                        {"\"moreau\"", "\"consistent\"", "\"decomposed\""},
                        {0.0, 3.0, 20.0}};
    const Case large = {"rocks", rock_heap, 2, {"\"moreau\"", "\"consistent\""}, {0.0, 3.0}};
    compare(&tippe_top, 0, repeats, level);
    compare(&small, 100, repeats, level);
    if (rocks > 0)
        compare(&large, rocks, repeats, level);
    return 0;
}
