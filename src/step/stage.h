// SPDX-License-Identifier: Apache-2.0
// The velocity-level problem of a step and its solution.
#ifndef STIC_STEP_STAGE_H
#define STIC_STEP_STAGE_H

#include "step/directions.h"
#include "stiction/extend/solver.h"

/// v = M^-1 (f + H r) for a block-diagonal mass; scratch [dof].
void stic_parts_velocity(const SticMass* mass, const SticBlockCsr* Ht, const double* f,
                         const double* r, double* v, double* scratch);
/// Say what the next problem is about, so that the stepper's level of accuracy can judge it: its
/// set and the relative velocities [rows] at the beginning of the step, both read until it is
/// solved.
void stic_parts_tell(SticStepper* stepper, const SticSystem* system, const SticSet* set,
                     const double* before);
/// Solve the problem with the stepper's solver.
SticStatus stic_parts_solve(SticStepper* stepper, const SticProblem* problem, double* r, double* u,
                            SticStepInfo* info);
/// The same with equal reactions of equal contacts, where the choice of the solver is open.
SticStatus stic_parts_solve_evenly(SticStepper* stepper, const SticProblem* problem, double* r,
                                   double* u, SticStepInfo* info);
/// The same for nonlinear equations with laws; x and r hold start values.
SticStatus stic_parts_implicit(SticStepper* stepper, const SticImplicit* implicit, double* x,
                               double* r, SticStepInfo* info);
/// The step that explicit schemes are stable with at a state, into `info`; BAD_ARGUMENT if that is
/// less than h, and steps beyond are to be refused.
SticStatus stic_parts_check_step(const SticSystem* system, const SticState* state, double h,
                                 bool refuse, SticStepInfo* info);

/// A linear velocity stage M v = momentum + H r with laws on H' v + chi + shift.
typedef struct SticStage {
    const SticDirections* directions;
    const SticMass* mass;
    const double* momentum;
    const SticProblem* laws;  ///< from stic_parts_problem
    const SticMemory* memory; ///< for the start value; NULL: r holds it
    const uint8_t** opens;    ///< where to leave which bonds open; NULL: not asked
} SticStage;

/// Solve a stage: r [rows] and v [dof], NULL: not asked for.
SticStatus stic_parts_stage(SticStepper* stepper, const SticStage* stage, double* r, double* v,
                            SticStepInfo* info);
/// The same, with H' v + chi [rows] as the solver has it, in the arena.
SticStatus stic_parts_stage_relative(SticStepper* stepper, const SticStage* stage, double* r,
                                     double* v, double** relative, SticStepInfo* info);

#endif
