// SPDX-License-Identifier: Apache-2.0
// Seconds and memory of the existence verdict on beds of spheres between two moving walls.
//
//     bench_existence [largest number of contacts [largest one for the interior point]]
//
// Prints CSV. Times are CPU times of the one thread that is used. `search`: only the word, by
// candidates and the first-order search; `program`: the largest margin, by the interior point.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "certify/bed.h"
#include "stiction/extend/certify.h"

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void measure(const Scene* scene, const char* motion, bool program)
{
    const SticContext context = stic_context_default();
    SticExistenceSettings settings = stic_existence_default_settings();
    SticArena* arena = NULL;
    SticExistence result;
    SticError error = {0};
    settings.margin = program;
    settings.program_most = program ? 1000000000 : 0;
    if (stic_arena_create(&context, 0, &arena) != STIC_OK)
        return;
    const double start = cpu_seconds();
    const SticStatus status =
        stic_existence_decide(&scene->problem, &settings, arena, &result, &error);
    const double seconds = cpu_seconds() - start;
    if (status != STIC_OK)
        fprintf(stderr, "%s\n", error.text);
    else
        printf("%s,%d,%d,%s,%s,%s,%.6e,%.6e,%d,%.3f,%.1f\n", motion, scene->bodies, scene->contacts,
               program ? "program" : "search", stic_verdict_name(result.verdict),
               stic_evidence_name(result.found_by), result.margin, result.margin_most, result.steps,
               seconds, (double)result.bytes / 1048576.0);
    fflush(stdout);
    stic_arena_destroy(arena);
}

int main(int argc, char** argv)
{
    const int32_t most = argc > 1 ? atoi(argv[1]) : 10000;
    const int32_t most_program = argc > 2 ? atoi(argv[2]) : 5000;
    // half cells along each side
    static const int32_t sizes[] = {6, 9, 13, 18, 22, 28, 34, 40};
    printf("walls,spheres,contacts,method,verdict,witness,margin,margin_most,steps,seconds,MiB\n");
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        Scene scene;
        bed_create(&scene, sizes[k], 2 * sizes[k] / 3, 0.4);
        for (int closing = 0; closing < 2 && scene.contacts <= most; ++closing) {
            bed_move(&scene, closing ? &bed_closing : &bed_opening);
            measure(&scene, closing ? "closing" : "opening", false);
            if (scene.contacts <= most_program)
                measure(&scene, closing ? "closing" : "opening", true);
        }
        scene_release(&scene);
    }
    return 0;
}
