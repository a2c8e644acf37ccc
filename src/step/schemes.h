// SPDX-License-Identifier: Apache-2.0
// Entry points of the schemes, one per file of this folder, for the table.
#ifndef STIC_STEP_SCHEMES_H
#define STIC_STEP_SCHEMES_H

#include "step/step.h"

SticStatus stic_moreau_advance(SticStepper* stepper, const SticSystem* system,
                               const SticState* from, double t_to, SticState* to,
                               SticStepInfo* info);
SticStatus stic_koziara_advance(SticStepper* stepper, const SticSystem* system,
                                const SticState* from, double t_to, SticState* to,
                                SticStepInfo* info);
SticStatus stic_consistent_advance(SticStepper* stepper, const SticSystem* system,
                                   const SticState* from, double t_to, SticState* to,
                                   SticStepInfo* info);
uint32_t stic_consistent_keeps(const SticScheme* scheme, const void* settings);
SticStatus stic_consistent_agree(const void* settings, uint32_t given, SticError* error);
SticStatus stic_consistent_suits(const void* settings, const SticSystem* system, SticError* error);
SticStatus stic_relaxed_advance(SticStepper* stepper, const SticSystem* system,
                                const SticState* from, double t_to, SticState* to,
                                SticStepInfo* info);
SticStatus stic_event_advance(SticStepper* stepper, const SticSystem* system, const SticState* from,
                              double t_to, SticState* to, SticStepInfo* info);
SticStatus stic_penalty_advance(SticStepper* stepper, const SticSystem* system,
                                const SticState* from, double t_to, SticState* to,
                                SticStepInfo* info);
SticStatus stic_relaxed_create(const SticContext* context, void** own);
void stic_relaxed_destroy(void* memory);
/// Restitution of a relaxed contact: for a body that starts on the surface, or arrives there.
double stic_relaxed_restitution(double zeta, bool touching);
/// Damping that gives a restitution.
double stic_relaxed_damping(double restitution, bool touching);
/// What event and relaxed promise about bits with their settings.
SticDeterminism stic_event_determinism(const void* settings);
SticDeterminism stic_relaxed_determinism(const void* settings);
const char* stic_relaxed_remark(const void* settings);
SticStatus stic_event_create(const SticContext* context, void** own);
void stic_event_destroy(void* memory);
SticStatus stic_theta_advance(SticStepper* stepper, const SticSystem* system, const SticState* from,
                              double t_to, SticState* to, SticStepInfo* info);
SticStatus stic_quasistatic_advance(SticStepper* stepper, const SticSystem* system,
                                    const SticState* from, double t_to, SticState* to,
                                    SticStepInfo* info);

extern const SticFieldTable stic_moreau_fields;
extern const SticFieldTable stic_koziara_fields;
extern const SticFieldTable stic_theta_fields;
extern const SticFieldTable stic_quasistatic_fields;
extern const SticFieldTable stic_consistent_fields;
extern const SticFieldTable stic_decomposed_fields;
extern const SticFieldTable stic_relaxed_fields;
extern const SticFieldTable stic_event_fields;
extern const SticFieldTable stic_penalty_fields;

#endif
