// SPDX-License-Identifier: Apache-2.0
// The ledger of a step: works and energies, each from its own definition.
#ifndef STIC_STEP_BALANCE_H
#define STIC_STEP_BALANCE_H

#include "step/step.h"

/// Split the work of reactions, r . mean relative velocity, into the ledger's terms by law and row,
/// and that of contacts into the stepper's classes.
SticStatus stic_ledger_add_reactions(SticStepper* stepper, const SticSet* set, const double* r,
                                     const double* mean, SticLedger* ledger);
/// The same for an instant. Normal and tangential impulses act on each other through the bodies, by
/// -r_N' W_NT r_T each, and only their sum shows whether energy is lost: where one of them would
/// have given energy, the whole is reported as an impact.
SticStatus stic_ledger_add_impact(SticStepper* stepper, const SticSet* set, const double* r,
                                  const double* mean, SticLedger* ledger);
/// The same for an instant that takes impulses of a motion back: friction that took too much there
/// may give, and what it gives is work of friction.
SticStatus stic_ledger_add_settling(SticStepper* stepper, const SticSet* set, const double* r,
                                    const double* mean, SticLedger* ledger);
/// Work of the motions in chi, which reactions pass on to the blocks, times `weight`.
void stic_ledger_add_prescribed(int32_t rows, const double* r, const double* chi, double weight,
                                SticLedger* ledger);
/// Work of the applied forces at `at` over the displacement of the step, h times the mean velocity
/// [nu]; that of dampers is reported separately.
SticStatus stic_ledger_add_applied(SticStepper* stepper, const SticSystem* system,
                                   const SticState* at, const double* displacement,
                                   SticLedger* ledger);
/// Fill in kinetic, potential and integration from the states at both ends.
SticStatus stic_ledger_close(SticStepper* stepper, const SticSystem* system, const SticState* from,
                             const SticState* to, SticLedger* ledger);
/// The same for schemes that take V at the time of the middle: its change at that time is theirs,
/// the rest is work of prescribed motions.
SticStatus stic_ledger_close_at(SticStepper* stepper, const SticSystem* system,
                                const SticState* const ends[2], bool middle, SticLedger* ledger);

#endif
