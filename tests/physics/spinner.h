// SPDX-License-Identifier: Apache-2.0
// One rotating body with a torque in space, advanced by a rotation scheme of koziara.
#ifndef STIC_TESTS_PHYSICS_SPINNER_H
#define STIC_TESTS_PHYSICS_SPINNER_H

#include "helpers/helpers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/math.h"
#include "step/step.h"
#include "stiction/extend/vec3.h"

/// Inertia, start and torque.
typedef struct SpinnerDef {
    double J[3];
    double start[3]; // rotation vector of L(0)
    double omega[3]; // in body axes
    SticVec3 (*torque)(const struct SpinnerDef* def, double t, SticMat3 L); // in space; NULL: none
    double h; // for torques that depend on the step
} SpinnerDef;

typedef struct Spinner {
    SpinnerDef def;
    SticContext context;
    SticSystem* system;
    SticStepper* stepper;
    SticState *now, *next;
    int32_t settings[16];
    SticStepInfo info;
} Spinner;

static inline void spinner_force(const void* self, double t, const double* q, const double* u,
                                 double* f)
{
    const SpinnerDef* def = self;
    const SticMat3 L = stic_mat3_load(q + 3);
    (void)u;
    if (def->torque != NULL)
        stic_vec3_store(stic_mat3_transpose_mul_vec(L, def->torque(def, t, L)), f + 3);
}

static inline void spinner_open(Spinner* spinner, const SpinnerDef* def, const char* rotation)
{
    static const uint8_t chart[] = {STIC_CHART_ROTATION};
    double mass[36] = {0};
    SticError error = {0};
    memset(spinner, 0, sizeof *spinner);
    spinner->def = *def;
    spinner->context = stic_context_default();
    for (int k = 0; k < 3; ++k) {
        mass[7 * k] = 1.0;
        mass[7 * (3 + k)] = def->J[k];
    }
    const SticSmallDef small = {.name = "spinner",
                                .offers = STIC_OFFERS_CONSTANT_MASS | STIC_OFFERS_SCLERONOMIC,
                                .blocks = 1,
                                .chart = chart,
                                .mass = mass,
                                .force = spinner_force,
                                .self = def,
                                .self_size = sizeof *def};
    assert_int_equal(stic_small_create(&spinner->context, &small, &spinner->system, &error),
                     STIC_OK);
    const SticScheme* scheme = stic_scheme_find("koziara", &error);
    stic_fields_default(scheme->fields, spinner->settings);
    assert_int_equal(
        stic_fields_set(scheme->fields, spinner->settings, "rotation", rotation, &error), STIC_OK);
    assert_int_equal(stic_stepper_create(&spinner->context, scheme, &spinner->stepper), STIC_OK);
    spinner->stepper->settings = spinner->settings;
    assert_int_equal(stic_state_create(&spinner->context, &spinner->system->layout, &spinner->now),
                     STIC_OK);
    assert_int_equal(stic_state_create(&spinner->context, &spinner->system->layout, &spinner->next),
                     STIC_OK);
    stic_mat3_store(stic_rotation_exp(stic_vec3_load(def->start)), spinner->now->q + 3);
    memcpy(spinner->now->u + 3, def->omega, sizeof def->omega);
}

static inline void spinner_close(Spinner* spinner)
{
    stic_stepper_destroy(spinner->stepper);
    stic_state_destroy(spinner->now, &spinner->system->layout);
    stic_state_destroy(spinner->next, &spinner->system->layout);
    stic_small_destroy(spinner->system);
}

static inline void spinner_step(Spinner* spinner, double t_to)
{
    assert_int_equal(stic_step(spinner->stepper, spinner->system, spinner->now, t_to, spinner->next,
                               &spinner->info),
                     STIC_OK);
    SticState* old = spinner->now;
    spinner->now = spinner->next;
    spinner->next = old;
}

static inline SticMat3 spinner_rotation(const Spinner* spinner)
{
    return stic_mat3_load(spinner->now->q + 3);
}

/// J Om in body axes.
static inline SticVec3 spinner_momentum(const Spinner* spinner)
{
    const double* J = spinner->def.J;
    return stic_vec3_mul(stic_vec3(J[0], J[1], J[2]), stic_vec3_load(spinner->now->u + 3));
}

static inline double spinner_energy(const Spinner* spinner)
{
    return 0.5 * stic_vec3_dot(spinner_momentum(spinner), stic_vec3_load(spinner->now->u + 3));
}

/// |L'L - I|
static inline double spinner_defect(const Spinner* spinner)
{
    const SticMat3 L = spinner_rotation(spinner);
    return stic_mat3_norm(stic_mat3_sub(stic_mat3_transpose_mul(L, L), stic_mat3_identity()));
}

#endif
