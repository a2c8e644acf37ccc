// SPDX-License-Identifier: Apache-2.0
// Bonds of a step: their shifts, which of them open, and the memory of reactions.
#ifndef STIC_STEP_BONDS_H
#define STIC_STEP_BONDS_H

#include "step/directions.h"

/// Reactions of a step, as its memory is made of them.
typedef struct SticReactions {
    const double* r;      ///< [rows] impulses
    double h;             ///< that of stic_parts_problem
    const uint8_t* opens; ///< [count] of stic_parts_opening; NULL: not known
} SticReactions;

/// Relative velocities, gaps and slips of all rows where a step begins; NULL: nothing is bonded.
typedef struct SticBondStart {
    double *velocity, *gap; ///< [rows]
} SticBondStart;

/// Measure them if a set has bonds.
SticStatus stic_parts_bonds(SticStepper* stepper, const SticSystem* system, const SticState* from,
                            const SticSet* set, SticBondStart* start);
/// Write the shifts of bonded rows: factor[0] times the turning of the directions contained in
/// `before`, factor[1] = 1 / h times the part of gap and slip that is to be taken back.
void stic_parts_bond_shift(const SticSet* set, const SticBondStart* start, const double* before,
                           const double factor[2], double* shift);
/// Which bonds open: u [rows] of the solved problem moves them apart, by more than a small part of
/// their force explains. `opens` [count]; NULL if there are no bonds.
SticStatus stic_parts_opening(SticStepper* stepper, const SticProblem* problem, const double* u,
                              const uint8_t** opens);
/// The same for velocities along the directions of a set that its laws hold for without shifts;
/// into reactions->opens.
SticStatus stic_parts_opening_of(SticStepper* stepper, const SticDirections* directions,
                                 const SticMass* mass, const double* u, SticReactions* reactions);
/// The part of stic_parts_remember that is about bonds; h = 0: all are kept.
SticStatus stic_parts_keep_bonds(const SticSet* set, const SticReactions* reactions,
                                 SticMemory* memory);
/// Memory of a state that no step was made from, with bonds where things touch. It lives in the
/// step's arena.
SticStatus stic_parts_first_bonds(SticStepper* stepper, const SticSystem* system,
                                  const SticState* from, SticMemory* memory);

#endif
