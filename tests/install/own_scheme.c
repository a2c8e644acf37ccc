// SPDX-License-Identifier: Apache-2.0
// A scheme outside the library: implicit contact, explicit forces, for a ball over a floor. Built by
// test_install.py against the installed headers alone.
#include <stdio.h>

#include "stiction/extend/extend.h"

static double weight(const void* self, int32_t term, const double* q, double* slope, double* bend)
{
    (void)self, (void)term, (void)bend;
    if (slope != NULL)
        slope[0] = 2.0 * 9.81;
    return 2.0 * 9.81 * q[0];
}

static void measure(const void* self, int32_t i, const SticState* state, uint32_t want,
                    const double* y, SticPointMeasures* out)
{
    (void)self, (void)i, (void)want, (void)y;
    out->gap[0] = state->q[0];
    out->H[0][0] = out->G[0][0] = 1.0;
}

// impulse of the floor with u + g/h >= 0, r >= 0, their product 0, by the solver of the run
static SticStatus push(SticStepper* stepper, double inverse, double velocity, double shift,
                       double* r, SticStepInfo* info)
{
    const int32_t at[2] = {0, 1}, begin[2] = {0, 1}, col[1] = {0};
    const int64_t value_at[2] = {0, 1};
    const SticBlockCsr W = {.rows = 1,
                            .cols = 1,
                            .row_at = at,
                            .col_at = at,
                            .begin = begin,
                            .col = col,
                            .value_at = value_at,
                            .value = &inverse};
    const uint8_t law[1] = {STIC_LAW_NONNEG};
    const double coef[1][4] = {{0}};
    const SticProblem problem = {.count = 1,
                                 .rows = 1,
                                 .row_at = at,
                                 .law = law,
                                 .coef = coef,
                                 .u_shift = &shift,
                                 .W = &W,
                                 .b = &velocity};
    double u = 0.0;
    return stic_solve(&problem, &stepper->solve, r, &u, &info->solve);
}

static SticStatus advance(SticStepper* stepper, const SticSystem* system, const SticState* from,
                          double t_to, SticState* to, SticStepInfo* info)
{
    const double h = t_to - from->t;
    const SticReach all = {.gap = 1e9};
    SticMass mass = {0};
    SticSet set = {0};
    double f[1] = {0}, r[1] = {0};
    STIC_TRY(stic_state_copy(&system->layout, from, to));
    STIC_TRY(system->ops->mass(system, from, stepper->arena, &mass));
    STIC_TRY(stic_system_force(system, from, stepper->arena, f));
    STIC_TRY(system->ops->detect(system, from, &all, stepper->arena, &set));
    const double inverse = mass.inverse->value[0], velocity = from->u[0] + h * inverse * f[0];
    if (set.count > 0)
        STIC_TRY(push(stepper, inverse, velocity, from->q[0] / h, r, info));
    to->u[0] = velocity + inverse * r[0];
    to->q[0] = from->q[0] + h * to->u[0];
    to->t = t_to;
    info->contacts = set.count;
    return STIC_OK;
}

int main(void)
{
    const SticScheme scheme = {.name = "own",
                               .text = "implicit contact, explicit forces",
                               .needs = STIC_OFFERS_CONSTANT_MASS,
                               .charts = STIC_CHART_BIT(STIC_CHART_LINEAR),
                               .advance = advance};
    SticInteraction floor = {.id = 1, .law = STIC_LAW_NONNEG, .level = STIC_LEVEL_CONTACT};
    floor.rows = 1;
    floor.block[1] = floor.bound_of = floor.surface = -1;
    const SticSmallDef def = {.name = "ball",
                              .offers = STIC_OFFERS_CONSTANT_MASS | STIC_OFFERS_POTENTIAL |
                                        STIC_OFFERS_OPEN_GAPS,
                              .blocks = 1,
                              .chart = (const uint8_t[]){STIC_CHART_LINEAR},
                              .size = (const int32_t[]){1},
                              .mass = (const double[]){2.0},
                              .terms = 1,
                              .term_block = (const int32_t[][2]){{0, -1}},
                              .potential = weight,
                              .interactions = 1,
                              .interaction = &floor,
                              .measure = measure};
    const SticContext context = stic_context_default();
    SticError error = {0};
    SticSystem* system = NULL;
    SticRun* run = NULL;
    SticRunParts parts = stic_run_default_parts();
    int failed = stic_small_create(&context, &def, &system, &error) != STIC_OK;
    parts.system = system;
    parts.scheme = &scheme;
    parts.step = 0.01;
    failed = failed || stic_run_assemble(&context, &parts, &run, &error);
    if (!failed)
        stic_run_state(run)->q[0] = 1.0;
    failed = failed || stic_run_advance(run, 1.0, &error);
    if (!failed)
        printf("height %.9f m, velocity %.9f m/s\n", stic_run_now(run)->q[0],
               stic_run_now(run)->u[0]);
    fputs(error.text, stderr);
    stic_run_destroy(run);
    stic_small_destroy(system);
    return failed;
}
