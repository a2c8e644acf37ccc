// SPDX-License-Identifier: Apache-2.0
// Runs assembled from a system, a scheme and a solver; what observers and files need of a run.
#ifndef STICTION_EXTEND_RUN_H
#define STICTION_EXTEND_RUN_H

#include "stiction/base.h"
#include "stiction/extend/step.h"
#include "stiction/extend/system.h"
#include "stiction/run.h"
#include "stiction/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Word of a policy, such as "adapt".
STIC_API const char* stic_policy_name(SticPolicy policy);

/// The parts that a run is assembled from. System, scheme and solvers are borrowed.
typedef struct SticRunParts {
    const SticSystem* system;    ///< what moves
    const SticScheme* scheme;    ///< how time advances
    const void* scheme_settings; ///< the struct of scheme->fields; NULL: its defaults
    const SticSolver* solver;    ///< of the one-step problems
    const void* solver_settings; ///< the struct of solver->fields; NULL: its defaults
    SticSolveSettings solve;     ///< limits of every one-step problem; a tolerance other than 0
                                 ///< decides instead of the level of accuracy
    SticAccuracy accuracy;       ///< what the run promises, see step.h
    const SticSolver* second;    ///< solver of STIC_POLICY_RETRY
    double step;                 ///< length of a step, s
    SticPolicy policy;           ///< on unsolved steps
    int32_t max_halvings;        ///< of STIC_POLICY_HALVE and ADAPT
    SticContactLaw law;          ///< of contacts in moreau, koziara and theta
    bool projection;             ///< joints are closed and overlaps taken back after every step
    SticCorrection correction;   ///< after every step; rate 0: none, below 0: STIC_CORRECTION_RATE
                                 ///< where `projection` is on and the scheme projects, else none
    SticLoads loads;             ///< that change with time
    double energy_alarm;         ///< share of the energy exchanged that the integration term of the
                                 ///< ledger may reach before a notice; 0: any
    int32_t sleep;               ///< steps at rest after which an island is left alone; 0: never
} SticRunParts;

/// Part of an overlap that is taken back per step unless a run says otherwise: gone within tens of
/// steps, without the jerk of a whole correction.
#define STIC_CORRECTION_RATE 0.2

/// Defaults: auto with warm start, accuracy STANDARD; policy ADAPT, three halvings, the law on
/// gaps, positions projected.
STIC_API SticRunParts stic_run_default_parts(void);

/* ---- notices ---- */

/// Word of a kind, such as "overlap".
STIC_API const char* stic_notice_word(SticNoticeKind kind);
/// Sentence of a kind.
STIC_API const char* stic_notice_text(SticNoticeKind kind);
/// Unit of the worst value of a kind.
STIC_API const char* stic_notice_unit(SticNoticeKind kind);
/// A notice of one occurrence between two blocks; -1 stands for none.
STIC_API SticNotice stic_notice_make(double value, int32_t a, int32_t b);
/// Add occurrences to those before.
STIC_API void stic_notice_add(SticNotice* sum, const SticNotice* more);
/// The integration term of the ledger, beyond what rounding makes, as a share of what was
/// exchanged: of the largest amounts of the other terms, the kinetic energy and `idle` together.
STIC_API double stic_totals_energy_error(const SticRunTotals* totals);
/// Set up a run of any system. Its state must be written before the first step.
STIC_API SticStatus stic_run_assemble(const SticContext* context, const SticRunParts* def,
                                      SticRun** run, SticError* error);
/// The present state; write it before the first step.
STIC_API SticState* stic_run_state(SticRun* run);
/// The present state, to read.
STIC_API const SticState* stic_run_now(const SticRun* run);
/// Work of the contacts of each pair of surfaces over the steps made so far, sorted by surface.
STIC_API const SticClassLedger* stic_run_classes(const SticRun* run, int32_t* count);
/// The level that decides on the tolerances of a run: TOLERANCE if its definition has one.
STIC_API SticAccuracy stic_run_accuracy(const SticRunParts* def);
/// Add a notice that does not come from a step; its time is that of the present state.
STIC_API void stic_run_note(SticRun* run, SticNoticeKind kind, const SticNotice* notice);
/// What the run was set up with.
STIC_API const SticRunParts* stic_run_parts(const SticRun* run);
/// Show the one-step problems of all later steps to an observer; `see` NULL ends it.
STIC_API void stic_run_observe(SticRun* run, SticObserver observer);
/// Interactions of the last step, valid until the next one; empty before the first.
STIC_API const SticStepRecord* stic_run_record(const SticRun* run);

/// Hand over to the caller the memory that stic_run_contacts and stic_run_joints returned: it stays
/// as it is until stic_arena_destroy, and later calls return other memory. NULL if there is none.
STIC_API SticArena* stic_run_detach(SticRun* run);

/* ---- snapshots ---- */

/// Name what the run was set up from by a number, such as the hash of a scene. Snapshots carry that
/// number, and a snapshot of another origin is refused: a system of the same size need not be the
/// same system. 0 means unknown and is not compared. Without this call it is a hash of the world's
/// bodies and joints, and 0 for runs of stic_run_assemble.
STIC_API void stic_run_set_origin(SticRun* run, uint64_t origin);
/// Bytes of a snapshot of the present state: everything needed to go on with the same bits.
STIC_API SticStatus stic_run_save(const SticRun* run, SticArena* arena, const void** bytes,
                                  size_t* count);
/// Restore a snapshot of a run with the same system, scheme and step.
STIC_API SticStatus stic_run_load(SticRun* run, const void* bytes, size_t count, SticError* error);

#ifdef __cplusplus
}
#endif

#endif
