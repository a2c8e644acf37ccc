// SPDX-License-Identifier: Apache-2.0
// A system written by hand, a ball over a floor, and the scheme that suits it: bounces are events.
#include <stdio.h>

#include "stiction/extend/extend.h"

static double weight(const void* self, int32_t term, const double* q, double* slope, double* bend)
{
    (void)self, (void)term, (void)bend;
    if (slope != NULL)
        slope[0] = 9.81;
    return 9.81 * q[0];
}

// gap = 1 + q, its direction 1, nothing else moves or bends
static void measure(const void* self, int32_t i, const SticState* state, uint32_t want,
                    const double* y, SticPointMeasures* out)
{
    (void)self, (void)i, (void)want, (void)y;
    out->gap[0] = 1.0 + state->q[0];
    out->H[0][0] = out->G[0][0] = 1.0;
}

int main(void)
{
    SticInteraction floor = {.id = 1, .law = STIC_LAW_NONNEG, .level = STIC_LEVEL_CONTACT};
    floor.rows = 1;
    floor.block[1] = floor.bound_of = floor.surface = -1;
    floor.restitution[0] = 0.5;
    const SticSmallDef def = {.name = "ball",
                              .offers = STIC_OFFERS_CONSTANT_MASS | STIC_OFFERS_POTENTIAL |
                                        STIC_OFFERS_BIAS | STIC_OFFERS_OPEN_GAPS,
                              .blocks = 1,
                              .chart = (const uint8_t[]){STIC_CHART_LINEAR},
                              .size = (const int32_t[]){1},
                              .mass = (const double[]){1.0},
                              .terms = 1,
                              .term_block = (const int32_t[][2]){{0, -1}},
                              .potential = weight,
                              .interactions = 1,
                              .interaction = &floor,
                              .measure = measure};
    SticError error = {0};
    SticSystem* system = NULL;
    SticRun* run = NULL;
    SticRunParts parts = stic_run_default_parts();
    int failed = stic_small_create(NULL, &def, &system, &error) != STIC_OK;
    parts.system = system;
    parts.scheme = stic_scheme_find("event", &error);
    parts.step = 0.01;
    failed = failed || stic_run_assemble(NULL, &parts, &run, &error) ||
             stic_run_advance(run, 1.0, &error);
    if (!failed)
        printf("height %.6f m, speed %.6f m/s\n", 1 + *stic_run_now(run)->q, *stic_run_now(run)->u);
    fputs(error.text, stderr);
    stic_run_destroy(run);
    stic_small_destroy(system);
    return failed;
}
