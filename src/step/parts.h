// SPDX-License-Identifier: Apache-2.0
// Parts that the schemes share: directions of a set, the velocity-level problem, its ledger and
// memory.
#ifndef STIC_STEP_PARTS_H
#define STIC_STEP_PARTS_H

#include "step/step.h"
#include "stiction/extend/solver.h"

/// Overlap that is never taken back, as a part of the size of what touches: far above what solvers
/// leave and far below what can be seen.
#define STIC_OVERLAP_PART 1e-5

/// Nothing has happened yet in a step.
void stic_step_info_clear(SticStepInfo* info);

/// Compare info->violation of a solved step with what rounding and tolerances explain; more of it
/// is a promise that was broken.
void stic_promise_judge(const SticStepper* stepper, SticPromise promise, double limit,
                        SticStepInfo* info);

/// A set with its patterns and measures, all in the step's arena.
typedef struct SticDirections {
    SticSet set;
    SticPattern u_pattern;
    SticPattern q_pattern; ///< from the first measure of G or C on
    SticMeasures measures;
    SticBlockCsr Ht; ///< H' with values
    SticBlockCsr Gt; ///< G with values, if asked for
} SticDirections;

/// Detect at a state what has a gap of at most `reach`.
SticStatus stic_directions_detect(SticStepper* stepper, const SticSystem* system,
                                  const SticState* state, double reach, SticDirections* directions);
/// Pattern of H of a set that is already in `directions`.
SticStatus stic_directions_prepare(SticStepper* stepper, const SticSystem* system,
                                   SticDirections* directions);
/// Measure at a state; memory is taken on the first call and used again by later ones.
SticStatus stic_directions_measure(SticStepper* stepper, const SticSystem* system,
                                   const SticState* state, uint32_t want, const double* y,
                                   SticDirections* directions);
/// chi [rows] alone at a state, with the velocities of prescribed motions `lead` later.
SticStatus stic_directions_chi(SticStepper* stepper, const SticSystem* system,
                               const SticDirections* directions, const SticState* state,
                               double lead, double* chi);
/// u_rel = H' u + chi, [rows].
void stic_directions_velocity(const SticDirections* directions, const double* u, double* relative);

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
/// Let contacts whose gap g where they were detected is beyond half of their slack, and that
/// carried something in the last step, come back to there in a step of length h: the law acts on
/// gamma + (g - slack/2)/h, with the largest g of a pair. Velocities that are zero up to the
/// solver's tolerance add up; contacts of what rests would leave the slack, and the body fall for a
/// step. Bonds stay as they are.
void stic_parts_close_gaps(const SticSet* set, const double* gap, double h,
                           const SticMemory* memory, double* shift);
/// Rows of an interaction along earlier tangents, in the present ones; in place.
void stic_parts_turn(const SticInteraction* interaction, const double tangent[6],
                     const double earlier[3], double* r);
/// Index of an interaction of a set by its id, -1 if it is not there.
int32_t stic_parts_find(const SticSet* set, uint64_t id);
/// Fill r from the memory of the last step (zero where nothing is known).
void stic_parts_warm_start(const SticSet* set, const SticMemory* memory, double* r);
/// Reactions of a step, as its memory is made of them.
typedef struct SticReactions {
    const double* r;      ///< [rows] impulses
    double h;             ///< that of stic_parts_problem
    const uint8_t* opens; ///< [count] of stic_parts_opening; NULL: not known
} SticReactions;
/// Write the memory of a step, with the bonds that are left.
SticStatus stic_parts_remember(const SticSet* set, const SticReactions* reactions,
                               SticMemory* memory);
/// Relative velocities, gaps and slips of all rows where a step begins; NULL: nothing is bonded.
typedef struct SticBondStart {
    double *velocity, *gap; ///< [rows]
} SticBondStart;
/// Measure them if a set has bonds.
SticStatus stic_parts_bonds(SticStepper* stepper, const SticSystem* system, const SticState* from,
                            const SticSet* set, SticBondStart* start);
/// Write the shifts of bonded rows: factor[0] times what the turning of the directions is in
/// `before`, factor[1] = 1 / h times what is to be taken back of gap and slip.
void stic_parts_bond_shift(const SticSet* set, const SticBondStart* start, const double* before,
                           const double factor[2], double* shift);
/// Which bonds open: u [rows] of the solved problem moves them apart, by more than what a small
/// part of their force makes of it. `opens` [count]; NULL if there are no bonds.
SticStatus stic_parts_opening(SticStepper* stepper, const SticProblem* problem, const double* u,
                              const uint8_t** opens);
/// The same for velocities along the directions of a set that its laws hold for without shifts;
/// into reactions->opens.
SticStatus stic_parts_opening_of(SticStepper* stepper, const SticDirections* directions,
                                 const SticMass* mass, const double* u, SticReactions* reactions);
/// The part of stic_parts_remember that is about bonds; h = 0: all are kept.
SticStatus stic_parts_keep_bonds(const SticSet* set, const SticReactions* reactions,
                                 SticMemory* memory);
/// Memory of a state that no step was made from, with the bonds of what touches there. It lives in
/// the step's arena.
SticStatus stic_parts_first_bonds(SticStepper* stepper, const SticSystem* system,
                                  const SticState* from, SticMemory* memory);
/// v = M^-1 (f + H r) for a block-diagonal mass; scratch [dof].
void stic_parts_velocity(const SticMass* mass, const SticBlockCsr* Ht, const double* f,
                         const double* r, double* v, double* scratch);
/// Tell what the next problem is about, so that the stepper's level of accuracy can judge it: its
/// set and the relative velocities [rows] where the step begins, both read until it is solved.
void stic_parts_tell(SticStepper* stepper, const SticSystem* system, const SticSet* set,
                     const double* before);
/// Solve the problem with the stepper's solver.
SticStatus stic_parts_solve(SticStepper* stepper, const SticProblem* problem, double* r, double* u,
                            SticStepInfo* info);

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
/// Solve a stage: r [rows] and v [dof].
SticStatus stic_parts_stage(SticStepper* stepper, const SticStage* stage, double* r, double* v,
                            SticStepInfo* info);
/// The same, with H' v + chi [rows] as the solver has it, in the arena.
SticStatus stic_parts_stage_relative(SticStepper* stepper, const SticStage* stage, double* r,
                                     double* v, double** relative, SticStepInfo* info);

/// Split the work of reactions, r . mean relative velocity, into the ledger's terms by law and row,
/// and that of contacts into the stepper's classes.
SticStatus stic_ledger_add_reactions(SticStepper* stepper, const SticSet* set, const double* r,
                                     const double* mean, SticLedger* ledger);
/// Work of the motions in chi, which reactions pass on to the blocks, times `weight`.
void stic_ledger_add_prescribed(int32_t rows, const double* r, const double* chi, double weight,
                                SticLedger* ledger);
/// Work of the applied forces at `at` over the displacement of the step, h times the mean velocity
/// [nu]; dampers are told apart.
SticStatus stic_ledger_add_applied(SticStepper* stepper, const SticSystem* system,
                                   const SticState* at, const double* displacement,
                                   SticLedger* ledger);
/// Fill kinetic, potential and integration from the states at the two ends.
SticStatus stic_ledger_close(SticStepper* stepper, const SticSystem* system, const SticState* from,
                             const SticState* to, SticLedger* ledger);
/// The same for schemes that take V at the time of the middle: what it changes by there is theirs,
/// the rest is work of prescribed motions.
SticStatus stic_ledger_close_at(SticStepper* stepper, const SticSystem* system,
                                const SticState* const ends[2], bool middle, SticLedger* ledger);
/// What the end of a one-stage velocity step needs.
typedef struct SticClosing {
    const SticDirections* directions;
    const double* r;         ///< impulses
    const double* before;    ///< relative velocities at the beginning
    const SticState* at;     ///< where applied forces were evaluated
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
/// Leave the interactions of a step with their impulses where the stepper keeps them; what an
/// earlier stage of the step left is added by id.
void stic_parts_record(SticStepper* stepper, const SticDirections* directions, const double* r,
                       const SticState* at, double h);
/// Count the overlap of a contact, of which `allowance` and a part of its size are no excess.
void stic_parts_count_depth(const SticInteraction* interaction, double depth, double allowance,
                            SticStepInfo* info);
/// Count contacts and the deepest penetration from measured gaps.
void stic_parts_count(const SticDirections* directions, SticStepInfo* info);

#endif
