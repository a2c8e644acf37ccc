// SPDX-License-Identifier: Apache-2.0
// Parts that the schemes share: sets and their laws, memory, records, the end of a one-stage step.
#ifndef STIC_STEP_PARTS_H
#define STIC_STEP_PARTS_H

#include "step/balance.h"
#include "step/bonds.h"
#include "step/directions.h"
#include "step/stage.h"

/// Overlap that is never taken back, as a part of the size of the touching bodies: far above what
/// solvers leave and far below what can be seen.
#define STIC_OVERLAP_PART 1e-5

/// Reset an info at the beginning of a step.
void stic_step_info_clear(SticStepInfo* info);
/// Compare info->violation of a solved step with what rounding and tolerances explain; anything
/// beyond that is a broken promise.
void stic_promise_judge(const SticStepper* stepper, SticPromise promise, double limit,
                        SticStepInfo* info);
/// The interactions of a set that are marked in keep [count], without those that refer to one that
/// is not, with references renumbered.
SticStatus stic_parts_keep(SticArena* arena, const SticSet* set, const uint8_t* keep,
                           SticSet* part);
/// The interactions of a set whose level is in the mask of bits 1 << SticLevel, with references
/// renumbered.
SticStatus stic_parts_select(SticArena* arena, const SticSet* set, uint32_t levels, SticSet* part);
/// Groups of blocks that the interactions of a set join, of levels in the mask of bits 1 <<
/// SticLevel: parent [blocks] for base/disjoint.h.
void stic_parts_join(const SticSet* set, uint32_t levels, int32_t* parent, int32_t blocks);
/// Laws of a set as a problem without matrices: row_at, law, coef, bound and cohesion times `h`,
/// bound_row; u_shift zeroed and writable through `shift`.
SticStatus stic_parts_problem(SticStepper* stepper, const SticDirections* directions, double h,
                              SticProblem* problem, double** shift);
/// Newton's impact law in inclusion form: the law acts on gammaE + eps gammaB (Möller 3.133);
/// `before` is gammaB.
void stic_parts_restitution(const SticSet* set, const double* before, double* shift);
/// Let contacts that carried a load in the last step, and whose gap g at detection exceeds half of
/// their slack, return to that half within a step of length h: the law acts on
/// gamma + (g - slack/2)/h, with the largest g of a pair. Velocities that are zero only up to the
/// solver's tolerance add up: contacts of a resting body would leave the slack, and the body would
/// fall for a step. Bonds stay as they are.
void stic_parts_close_gaps(const SticSet* set, const double* gap, double h,
                           const SticMemory* memory, double* shift);
/// Rows of an interaction along earlier tangents, in the present ones; in place.
void stic_parts_turn(const SticInteraction* interaction, const double tangent[6],
                     const double earlier[3], double* r);
/// Index of an interaction of a set by its id, -1 if it is not there.
int32_t stic_parts_find(const SticSet* set, uint64_t id);
/// Fill r from the memory of the last step (zero where nothing is known).
void stic_parts_warm_start(const SticSet* set, const SticMemory* memory, double* r);
/// Write the memory of a step, with the bonds that are left.
SticStatus stic_parts_remember(const SticSet* set, const SticReactions* reactions,
                               SticMemory* memory);

/// What the end of a one-stage velocity step needs.
typedef struct SticClosing {
    const SticDirections* directions;
    const double* r;         ///< impulses
    const double* before;    ///< relative velocities at the beginning
    const SticState* at;     ///< where applied forces were evaluated
    const double* force;     ///< [nu] these; NULL: they are asked for again
    const double* chi;       ///< [rows] mean of chi over the step; NULL: that of the directions
    const double* after;     ///< [rows] relative velocities at the end; NULL: from the end's u
    const double* u[2];      ///< [nu] velocities before and after the reactions; NULL: of the ends
    const double* velocity;  ///< see SticStepRecord
    const double* last;      ///< see SticStepRecord
    const double* allowance; ///< see SticStepRecord
    const uint8_t* opens;    ///< of the stage
} SticClosing;

/// Memory and ledger of a one-stage velocity step: reactions work on the mean relative velocity,
/// which is exact for M constant (Koziara 10.5, Möller 3.152).
SticStatus stic_parts_close(SticStepper* stepper, const SticSystem* system,
                            const SticClosing* closing, const SticState* from, SticState* to,
                            SticStepInfo* info);
/// q_new = q moved by h at velocity u, every block along its chart.
void stic_parts_drift(const SticLayout* layout, const double* q, const double* u, double h,
                      double* q_new);
/// Leave the interactions of a step with their impulses where the stepper keeps them; those of an
/// earlier stage of the step are added by id.
void stic_parts_record(SticStepper* stepper, const SticDirections* directions, const double* r,
                       const SticState* at, double h);
/// Count the overlap of a contact; `allowance` and a part of its size do not count as excess.
void stic_parts_count_depth(const SticInteraction* interaction, double depth, double allowance,
                            SticStepInfo* info);
/// Count contacts and the deepest penetration from measured gaps.
void stic_parts_count(const SticDirections* directions, SticStepInfo* info);

#endif
