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
#include "problem/mass.h"
#include "step/parts.h"
#include "step/schemes.h"

SticStatus stic_moreau_advance(SticStepper* stepper, const SticSystem* system,
                               const SticState* from, double t_to, SticState* to,
                               SticStepInfo* info)
{
    const SticLayout* layout = &system->layout;
    const double h = t_to - from->t;
    SticMiddle middle;
    STIC_TRY(stic_parts_check_step(system, from, h, true, info));
    STIC_TRY(stic_parts_middle(stepper, system, from, h, &middle));
    stic_parts_count(&middle.directions, info);

    // M uE = M uB + h f + H r
    double* momentum = middle.force;
    STIC_TRY(stic_system_add_gyro(system, &middle.state, &middle.mass, stepper->arena, momentum));
    stic_mass_multiply(&middle.mass, from->u, h, momentum);
    SticProblem laws;
    double *shift = NULL, *r = NULL, *after = NULL;
    STIC_TRY(stic_parts_problem(stepper, &middle.directions, h, &laws, &shift));
    STIC_TRY(STIC_TAKE(stepper->arena, &r, middle.directions.set.rows));
    const SticSet* set = &middle.directions.set;
    SticBondStart bonds;
    STIC_TRY(stic_parts_bonds(stepper, system, from, set, &bonds));
    stic_parts_restitution(set, middle.before, shift);
    stic_parts_close_gaps(set, middle.directions.measures.gap, h, from->memory, shift);
    stic_parts_bond_shift(set, &bonds, middle.before, (const double[]){1.0, 1.0 / h}, shift);
    const uint8_t* opens = NULL;
    const SticStage stage = {&middle.directions, &middle.mass, momentum, &laws,
                             from->memory,       &opens};
    STIC_TRY(stic_parts_stage_relative(stepper, &stage, r, to->u, &after, info));

    // second half step
    stic_parts_drift(layout, middle.state.q, to->u, 0.5 * h, to->q);
    for (int32_t i = 0; i < layout->blocks; ++i)
        stic_chart_normalize((SticChart)layout->chart[i], to->q + layout->q_at[i]);
    to->t = t_to;
    const SticClosing closing = {
        &middle.directions, r, middle.before, &middle.state, NULL, after, opens};
    return stic_parts_close(stepper, system, &closing, from, to, info);
}
