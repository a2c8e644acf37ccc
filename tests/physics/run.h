// SPDX-License-Identifier: Apache-2.0
// Running a registered model with a scheme in a test.
#ifndef STIC_TESTS_PHYSICS_RUN_H
#define STIC_TESTS_PHYSICS_RUN_H

#include "helpers/helpers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "step/step.h"

/// A model, a scheme and two states; `now` is the current one.
typedef struct TestRun {
    SticContext context;
    const SticModel* model;
    SticSystem* system;
    const SticScheme* scheme;
    SticStepper* stepper;
    SticState *now, *next;
    double parameters[64];
    double settings[64];
    SticContactLaw law;
    SticStepInfo info;
    SticLedger ledger;
    int unsolved;
} TestRun;

/// The chart a scheme wants for a model's rotating block.
static inline SticChart test_chart(const SticModel* model, const SticScheme* scheme)
{
    static const SticChart order[] = {STIC_CHART_QUATERNION, STIC_CHART_ROTATION,
                                      STIC_CHART_SCALABLE};
    for (int i = 0; i < 3; ++i)
        if (model->charts & scheme->charts & STIC_CHART_BIT(order[i]))
            return order[i];
    return (model->charts & STIC_CHART_BIT(STIC_CHART_QUATERNION)) ? STIC_CHART_QUATERNION
                                                                   : STIC_CHART_LINEAR;
}

/// Start a run; `parameters` is "name=value name=value …" for the model, `settings` for the scheme.
static inline SticStatus test_run_open(TestRun* run, const char* model, const char* scheme,
                                       const char* parameters, const char* settings,
                                       SticError* error)
{
    memset(run, 0, sizeof *run);
    run->context = stic_context_default();
    run->model = stic_model_find(model, error);
    run->scheme = stic_scheme_find(scheme, error);
    assert_non_null(run->model);
    assert_non_null(run->scheme);
    stic_fields_default(run->model->fields, run->parameters);
    if (run->scheme->fields != NULL)
        stic_fields_default(run->scheme->fields, run->settings);
    for (int k = 0; k < 2; ++k) {
        const SticFieldTable* table = k == 0 ? run->model->fields : run->scheme->fields;
        char text[512], *rest = text, *word;
        snprintf(text, sizeof text, "%s",
                 (k == 0 ? parameters : settings) == NULL ? "" : (k == 0 ? parameters : settings));
        while ((word = strtok_r(rest, " ", &rest)) != NULL) {
            // the law of the papers
            if (k == 1 && strcmp(word, "law=velocity") == 0) {
                run->law = STIC_CONTACT_LAW_VELOCITY;
                continue;
            }
            char* value = strchr(word, '=');
            *value++ = '\0';
            STIC_TRY(stic_fields_set(table, k == 0 ? run->parameters : run->settings, word, value,
                                     error));
        }
    }
    const SticChart chart = test_chart(run->model, run->scheme);
    STIC_TRY(run->model->create(&run->context, run->parameters, chart, &run->system, error));
    STIC_TRY(stic_scheme_accepts(run->scheme, run->system, error));
    STIC_TRY(stic_stepper_create(&run->context, run->scheme, &run->stepper));
    run->stepper->settings = run->settings;
    run->stepper->law = run->law;
    STIC_TRY(stic_state_create(&run->context, &run->system->layout, &run->now));
    STIC_TRY(stic_state_create(&run->context, &run->system->layout, &run->next));
    run->model->start(run->parameters, chart, run->now);
    return STIC_OK;
}

/// One step of length h.
static inline SticStatus test_run_step(TestRun* run, double t_to)
{
    const SticStatus status =
        stic_step(run->stepper, run->system, run->now, t_to, run->next, &run->info);
    if (status != STIC_OK)
        return status;
    if (run->info.solve.outcome != STIC_OUTCOME_SOLVED)
        run->unsolved += 1;
    SticState* old = run->now;
    run->now = run->next;
    run->next = old;
    return STIC_OK;
}

/// Steps of length h up to the time t (a whole number of steps).
static inline SticStatus test_run_until(TestRun* run, double t, double h)
{
    const long steps = lround((t - run->now->t) / h);
    const double begin = run->now->t;
    for (long k = 1; k <= steps; ++k)
        STIC_TRY(test_run_step(run, begin + (double)k * h));
    return STIC_OK;
}

static inline double test_run_energy(TestRun* run)
{
    double kinetic = 0.0, potential = 0.0;
    assert_int_equal(stic_system_kinetic(run->system, run->now, run->stepper->arena, &kinetic),
                     STIC_OK);
    assert_int_equal(stic_system_potential(run->system, run->now, run->stepper->arena, &potential),
                     STIC_OK);
    return kinetic + potential;
}

static inline void test_run_close(TestRun* run)
{
    stic_stepper_destroy(run->stepper);
    if (run->system != NULL) {
        stic_state_destroy(run->now, &run->system->layout);
        stic_state_destroy(run->next, &run->system->layout);
    }
    stic_model_destroy(run->model, run->system);
}

#endif
