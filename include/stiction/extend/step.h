// SPDX-License-Identifier: Apache-2.0
// Schemes: how time advances. One table, one file per scheme.
//
//   detect   → interaction set      where and with which reach is the scheme's choice
//   measure  → gaps, directions
//   assemble → problem
//   solve    → reactions, outcome, residual
//   update   → state
//
// A scheme never writes the state it starts from; the caller swaps on success.
#ifndef STICTION_EXTEND_STEP_H
#define STICTION_EXTEND_STEP_H

#include "stiction/base.h"
#include "stiction/extend/system.h"
#include "stiction/problem.h"
#include "stiction/solver.h"
#include "stiction/sparse.h"
#include "stiction/step.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Term k of a ledger.
STIC_API double stic_ledger_term(const SticLedger* ledger, int32_t k);

/// What a level promises.
typedef struct SticAccuracyPromise {
    const char* name; ///< as in scenes
    const char* text; ///< a few words
    double motion;    ///< error of relative velocities in a step, relative
    double creep;     ///< of bodies at rest, in their own size per second
    double uniform;   ///< tolerance for schemes whose problems do not say what is at rest
} SticAccuracyPromise;

/// The promise of a level; its numbers are 0 for STIC_ACCURACY_TOLERANCE.
STIC_API const SticAccuracyPromise* stic_accuracy_promise(SticAccuracy level);

/// Add the terms of a part to those of a sum.
STIC_API void stic_ledger_add(SticLedger* sum, const SticLedger* part);

/// Work of the contacts of one pair of surfaces, J.
typedef struct SticClassLedger {
    int32_t surface; ///< SticInteraction.surface
    double impact;   ///< of normal reactions
    double friction; ///< of friction
} SticClassLedger;

/// The work of all pairs of surfaces, sorted by surface.
typedef struct SticClasses {
    SticContext context;   ///< of the list
    SticClassLedger* item; ///< [count]
    int32_t count;         ///< pairs of surfaces
    size_t capacity;       ///< room for them
} SticClasses;

/// Events of a step in the order of time.
typedef struct SticEvents {
    SticContext context; ///< of the list
    SticEvent* item;     ///< [count]
    int32_t count;       ///< events
    size_t capacity;     ///< room for them
} SticEvents;

/// Add an event; points of one pair at one time become one event, branches stay apart.
STIC_API SticStatus stic_events_add(SticEvents* events, const SticEvent* event);
/// Free the list.
STIC_API void stic_events_release(SticEvents* events);

/// Bit of a promise in a mask.
#define STIC_PROMISE_BIT(promise) (1u << (promise))

/// Words of the promises, in their order.
STIC_API extern const char* const stic_promise_names[STIC_PROMISE_COUNT];
/// Sentences of the promises.
STIC_API extern const char* const stic_promise_texts[STIC_PROMISE_COUNT];

/* ---- steps ---- */

/// How time advances: an entry of stic_scheme_table.
typedef struct SticScheme SticScheme;

/// Interactions of the last step as its scheme left them, for output; in the arena of the stepper,
/// valid until the next step.
typedef struct SticStepRecord {
    bool filled;       ///< whether the scheme left its interactions here
    bool first;        ///< no step was made before: velocities need not obey the joints
    SticSet set;       ///< those that took part
    SticBlockCsr Ht;   ///< H' at the state of `q`
    const double* chi; ///< [rows] u_rel = H' u + chi
    const double* gap; ///< [rows] at that state
    const double* r;   ///< [rows] impulses
    /// [count] what each interaction gave to the block of A, or of B where A is not moved by forces:
    /// its impulse, N s, and the moment of that, N m s, in world axes, about the point that
    /// SticSystemOps.lever has in the pose where it acted, or the block's origin; where the stages
    /// of a step had directions of their own. NULL: H r
    const double (*given)[6];
    const double* last; ///< [rows] those of the step before, where the law on gaps read them; NULL
    const double*
        velocity; ///< [rows] that the laws of the step hold for; NULL: H' u + chi of the end
    const double* allowance; ///< [count] overlap that the scheme leaves by itself, m; NULL: none
    const double* q;         ///< [nq] coordinates where gaps and directions were measured
    double t;                ///< time of that state
    double h;                ///< length of the step over which the impulses acted
} SticStepRecord;

/// Sees the one-step problems of a step, to store or to judge them.
typedef struct SticObserver {
    void* self; ///< first argument of `see`
    /// After a solve; `r` [rows] is NULL for the tangent problems of nonlinear schemes, which are
    /// shown before they are solved; `info` means nothing then. It may change the outcome of
    /// a solve that failed (stic_existence_conclude) and nothing else. A failure fails the step.
    SticStatus (*see)(void* self, const SticProblem* problem, const double* r, SticSolveInfo* info);
} SticObserver;

/// Loads that change with time: called before every attempt at a step, or at a part of a split one,
/// to set them for the time from `begin` to `end`; schemes that integrate inside a step call it for
/// every instant, with `end` equal to `begin`.
typedef struct SticLoads {
    SticStatus (*set)(void* self, double begin, double end, SticError* error); ///< NULL: none
    /// The first time after t at which they jump or have a kink, INFINITY: none; NULL: not known.
    double (*kink)(void* self, double t);
    /// The end, at most `end`, of the stretch from t over which they are so smooth that a dozen
    /// values show all they do; NULL: not known, all is.
    double (*smooth)(void* self, double t, double end);
    void* self;     ///< for the three above
    bool potential; ///< they change the potential as well: gravity that depends on time
} SticLoads;

/// Name of a SticContactLaw, such as "gap".
STIC_API const char* stic_contact_law_name(int32_t law);

/// Which solution is taken where a small one-step problem has several.
typedef enum SticBranchRule {
    STIC_BRANCH_SOLVER,       ///< what the solver finds; nothing is looked for
    STIC_BRANCH_LEAST_ENERGY, ///< the one that loses energy fastest
    STIC_BRANCH_STICK,        ///< the one with most sticking contacts
    STIC_BRANCH_NEAREST       ///< the one nearest to the last reactions
} SticBranchRule;

/// How schemes ask for that.
typedef struct SticBranching {
    int32_t rule;           ///< SticBranchRule
    const double* velocity; ///< [dof] where unknowns are accelerations; NULL: they are velocities
    bool tell;              ///< solutions become events
    double t;               ///< time of these events, s
    int32_t found;          ///< motions of the last problem; 0: not looked for, or fewer than two
} SticBranching;

/// What the interactions of a one-step problem are, for the tolerances of a level of accuracy.
typedef struct SticStepRows {
    const SticSet* set;   ///< in the order of the problem
    const double* before; ///< [rows] relative velocities where the step begins
    const double* gain;   ///< [rows] what forces add to them; NULL: found from the problem
    const double* size;   ///< [blocks] SticSystem.size
    int32_t blocks;       ///< of the layout
    double least;         ///< velocities that the equations leave open, m/s
    bool both;            ///< laws hold for the sum of the velocities of both ends of the step
} SticStepRows;

/// Scheme, solver and memory that a sequence of steps shares.
typedef struct SticStepper {
    SticContext context;      ///< of the memory below
    SticArena* arena;         ///< emptied at the start of every step
    SticSolveRequest solve;   ///< solver of the one-step problems
    const SticScheme* scheme; ///< how time advances
    const void* settings;     ///< the struct of scheme->fields; NULL: its defaults
    double next;              ///< length of the step that will follow; 0: that of this one
    double passed;            ///< largest kinetic energy so far, J: promises about what has come to
                              ///< rest are measured by it; 0: not known
    SticContactLaw law;       ///< of contacts; schemes with a law of their own do not read it
    SticObserver observer;    ///< sees the one-step problems; `see` NULL: nobody does
    SticStepRecord* record;   ///< where schemes leave their interactions; NULL: nowhere
    SticClasses* classes;     ///< work of the last step by pairs of surfaces
    SticEvents* events;       ///< of the last step; empty for schemes that do not find them
    SticLoads loads;          ///< for schemes that look inside a step
    void* own;                ///< memory of the scheme, see SticScheme
    struct SticKeptFactor* kept_factor; ///< of implicit steps of solids
    struct SticStray* stray;            ///< how far the step under way looks for contacts
    SticAccuracy accuracy;              ///< level that decides on tolerances
    SticBranching branch;               ///< of problems with several solutions; schemes set it
    bool
        bonded; ///< the first bonds were made for the step under way, and the memory has begun with
                ///< them: no step was made before
    SticStepRows rows; ///< of schemes, for the next solve only; `set` NULL: not told, the
                       ///< tolerance of the solver's settings is asked for
} SticStepper;

/// An entry of the table of schemes.
struct SticScheme {
    const char* name;             ///< as on the command line and in scenes
    const char* text;             ///< one sentence with its source
    uint32_t needs;               ///< STIC_OFFERS_* that a system must have
    uint32_t charts;              ///< mask of STIC_CHART_BIT it can move
    SticDeterminism determinism;  ///< what it promises about bits
    const SticFieldTable* fields; ///< its settings; NULL: none
    /// Advance from `from` to the time `t_to`; writes `to` and `info`.
    SticStatus (*advance)(SticStepper* stepper, const SticSystem* system, const SticState* from,
                          double t_to, SticState* to, SticStepInfo* info);
    /// Workspace that the scheme keeps between steps; results never depend on it. NULL: none.
    SticStatus (*create)(const SticContext* context, void** own);
    void (*destroy)(void* own); ///< give it back; NULL with `create`
    uint32_t promises;          ///< mask of STIC_PROMISE_BIT, with the defaults of its settings
    /// the same for given settings; NULL: they do not matter
    uint32_t (*keeps)(const SticScheme* scheme, const void* settings);
    /// what it promises about bits with given settings; NULL: `determinism`
    SticDeterminism (*bits)(const void* settings);
    /// a sentence about what a run with these settings gives up; NULL, or returns NULL: nothing
    const char* (*remark)(const void* settings);
    /// refuses settings that were given, bits of `given` by their places in `fields`, and that do
    /// nothing beside the others; NULL: all of them do something
    SticStatus (*agree)(const void* settings, uint32_t given, SticError* error);
    /// refuses what it cannot do with these settings on a system; NULL: `needs` and `charts` say all
    SticStatus (*suits)(const void* settings, const SticSystem* system, SticError* error);
    uint8_t lacks; ///< mask of SticRebound that it has no law for
    uint32_t laws; ///< mask of STIC_LAW_BIT that it can follow; 0: all
    bool projects; ///< positions are projected after its steps, see stic_step_close
    bool events;   ///< it finds events, see SticEvents
    bool soft;     ///< its contacts may overlap and carry nothing
    bool instants; ///< it asks for loads and motions at instants inside a step
    bool still;    ///< every step begins from rest: the energy of a motion is not followed
    bool pairs;    ///< it takes interactions of one or two blocks only
    bool narrow;   ///< it takes potentials of terms over one or two blocks only, unless a system
                   ///< has their discrete derivative
};

/// The table, ended by a NULL name.
STIC_API extern const SticScheme stic_scheme_table[];
/// Entry by name, or NULL with a suggestion in `error`.
STIC_API const SticScheme* stic_scheme_find(const char* name, SticError* error);
/// What a scheme promises with its settings (NULL: their defaults), as a mask.
STIC_API uint32_t stic_scheme_promises(const SticScheme* scheme, const void* settings);
/// What a scheme promises about bits with its settings (NULL: their defaults).
STIC_API SticDeterminism stic_scheme_determinism(const SticScheme* scheme, const void* settings);
/// What a run with these settings (NULL: the defaults) gives up, in a sentence; NULL: nothing.
STIC_API const char* stic_scheme_remark(const SticScheme* scheme, const void* settings);
/// Whether the settings that were given, as bits by their places in the scheme's table, do something
/// beside the others; if not, one sentence in `error` says which does not.
STIC_API SticStatus stic_scheme_agree(const SticScheme* scheme, const void* settings,
                                      uint32_t given, SticError* error);
/// Whether a scheme can advance a system with its settings (NULL: their defaults).
STIC_API SticStatus stic_scheme_suits(const SticScheme* scheme, const void* settings,
                                      const SticSystem* system, SticError* error);
/// Whether a scheme can advance a system; if not, one sentence in `error` names both.
STIC_API SticStatus stic_scheme_accepts(const SticScheme* scheme, const SticSystem* system,
                                        SticError* error);
/// A stepper with auto to 1e-8 in the unit-free measure of every island, warm-started.
STIC_API SticStatus stic_stepper_create(const SticContext* context, const SticScheme* scheme,
                                        SticStepper** stepper);
/// Destroy a stepper; NULL is allowed.
STIC_API void stic_stepper_destroy(SticStepper* stepper);
/// Set the loads of an instant inside a step.
STIC_API SticStatus stic_stepper_load(const SticStepper* stepper, double t, SticError* error);
/// The first time after t at which loads or prescribed motions are not smooth; INFINITY: none.
STIC_API double stic_stepper_kink(const SticStepper* stepper, const SticSystem* system, double t);
/// The end, at most `end`, of the stretch from t over which they are so smooth that a dozen values
/// show all they do: methods that look inside a step go no further at once.
STIC_API double stic_stepper_smooth(const SticStepper* stepper, const SticSystem* system, double t,
                                    double end);
/// Whether the step under way is to stop.
STIC_API bool stic_stepper_interrupted(const SticStepper* stepper);
/// One step with checks: refuses what does not fit, fails on non-finite results, and leaves `from`
/// as it is. An unsolved one-step problem is not a failure: info->solve.outcome tells.
STIC_API SticStatus stic_step(SticStepper* stepper, const SticSystem* system, const SticState* from,
                              double t_to, SticState* to, SticStepInfo* info);

/// Position correction: how much of overlaps and open joints is taken back after a step.
typedef struct SticCorrection {
    double rate; ///< part of what is beyond the allowance, per step, up to 1; 0: none
    double
        allowance; ///< overlap that is left, m (and rad), >= 0; contacts need some to stay closed
    bool by_size;  ///< leave 1e-5 of the size of what touches, and what the turning of a contact
                   ///< leaves by itself, too
} SticCorrection;

/// Bilateral conditions of a state: joints and prescribed velocities.
typedef struct SticProjection {
    int32_t rows;        ///< conditions
    int32_t rank;        ///< independent ones; -1: more than STIC_PROJECTION_ROWS, not determined
    uint64_t redundant;  ///< id of the first interaction with a dependent row; 0: none
    double gap;          ///< largest violation of a position, in the units of the rows
    double rate_before;  ///< largest violation of a velocity before the projection
    double rate_after;   ///< and after it: what contradicting conditions leave
    SticSolveInfo solve; ///< of the projection
} SticProjection;

enum { STIC_PROJECTION_ROWS = 1024 }; ///< most rows whose rank is determined: dense, n^3 / 3

/// Change the velocities of a state as little as the mass allows so that all bilateral conditions
/// hold (Koziara 8.2.5-8.2.6): M v = M u + H r, H' v + chi = 0. Conditions that depend on each
/// other are reported, not refused. The state's memory stays as it is.
STIC_API SticStatus stic_step_project(SticStepper* stepper, const SticSystem* system,
                                      SticState* state, SticProjection* report, SticError* error);

#ifdef __cplusplus
}
#endif

#endif
