// SPDX-License-Identifier: Apache-2.0
// Moreau's midpoint rule (Möller 5.3-5.8).
//
//   qM = qB + h/2 F(qB) uB                       contacts with a gap <= 0 at qM take part
//   M (uE - uB) = h f(qM, uB, tM) + H r          gammaE + eps gammaB obeys the law, H and chi at
//   (qM, tM) qE = qM + h/2 F(qM) uE                       quaternions are scaled back to length one
//
// Forces are explicit: a linear oscillator is stable for omega h < 2. Energy is conserved exactly
// for constant mass, constant potential forces and elastic frictionless contacts; otherwise it may
// rise or fall.
#include "step/parts.h"
#include "step/schemes.h"

SticStatus stic_moreau_advance(SticStepper* stepper, const SticSystem* system,
                               const SticState* from, double t_to, SticState* to,
                               SticStepInfo* info)
{
    SticArena* arena = stepper->arena;
    const SticLayout* layout = &system->layout;
    const double h = t_to - from->t;
    double *q_middle = NULL, *momentum = NULL;
    STIC_TRY(STIC_TAKE(arena, &q_middle, layout->nq));
    STIC_TRY(STIC_TAKE(arena, &momentum, layout->nu));

    // everything is evaluated at the midpoint with the velocity of the beginning
    stic_parts_drift(layout, from->q, from->u, 0.5 * h, q_middle);
    const SticState middle = {
        .t = from->t + 0.5 * h, .q = q_middle, .u = from->u, .memory = from->memory};
    SticMass mass;
    SticDirections directions;
    STIC_TRY(system->ops->mass(system, &middle, arena, &mass));
    STIC_TRY(stic_system_force(system, &middle, arena, momentum));
    STIC_TRY(stic_system_add_gyro(system, &middle, &mass, arena, momentum));
    STIC_TRY(stic_directions_detect(stepper, system, &middle, 0.0, &directions));
    STIC_TRY(stic_directions_measure(
        stepper, system, &middle, STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_H, NULL, &directions));
    stic_parts_count(&directions, info);

    // M uE = M uB + h f + H r
    for (int32_t c = 0; c < layout->nu; ++c)
        momentum[c] *= h;
    stic_block_csr_multiply(1.0, mass.A, from->u, 1.0, momentum);
    SticProblem laws;
    double *shift = NULL, *before = NULL, *r = NULL;
    STIC_TRY(stic_parts_problem(stepper, &directions, h, &laws, &shift));
    STIC_TRY(STIC_TAKE(arena, &before, directions.set.rows));
    STIC_TRY(STIC_TAKE(arena, &r, directions.set.rows));
    stic_directions_velocity(&directions, from->u, before);
    stic_parts_restitution(&directions.set, before, shift);
    const SticStage stage = {&directions, &mass, momentum, &laws, from->memory};
    STIC_TRY(stic_parts_stage(stepper, &stage, r, to->u, info));

    // second half step
    stic_parts_drift(layout, q_middle, to->u, 0.5 * h, to->q);
    for (int32_t i = 0; i < layout->blocks; ++i)
        stic_chart_normalize((SticChart)layout->chart[i], to->q + layout->q_at[i]);
    to->t = t_to;
    const SticClosing closing = {&directions, r, before, &middle};
    return stic_parts_close(stepper, system, &closing, from, to, info);
}
