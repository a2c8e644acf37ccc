// SPDX-License-Identifier: Apache-2.0
// What a step reports: ledger of energies, events, accuracy, info.
#ifndef STICTION_STEP_H
#define STICTION_STEP_H

#include "stiction/base.h"
#include "stiction/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Energy that one step (or a whole run) exchanged, J. Each term is computed from its own
/// definition; `integration` is what is left: the error of the time discretisation, named and
/// visible.
#define STIC_LEDGER_LIST(X)                                                                        \
    X(kinetic, "change of kinetic energy")                                                         \
    X(potential, "change of potential energy")                                                     \
    X(applied, "work of applied forces")                                                           \
    X(impact, "work of normal reactions")                                                          \
    X(friction, "work of friction and other bounded reactions")                                    \
    X(damping, "work of viscous damping")                                                          \
    X(constraint, "work of bilateral reactions")                                                   \
    X(prescribed, "work that prescribed motions and drives put in through reactions")              \
    X(correction, "energy that taking back overlaps put in")                                       \
    X(integration, "kinetic + potential - all the works")

/// The terms of STIC_LEDGER_LIST, in its order, as doubles: also readable as an array.
typedef struct SticLedger {
#define STIC_LEDGER_MEMBER(name, text) double name;
    STIC_LEDGER_LIST(STIC_LEDGER_MEMBER)
#undef STIC_LEDGER_MEMBER
} SticLedger;

enum { STIC_LEDGER_TERMS = sizeof(SticLedger) / sizeof(double) }; ///< terms of a ledger

/// Names of the terms of a ledger, in their order.
STIC_API extern const char* const stic_ledger_names[STIC_LEDGER_TERMS];

/// What happens at an event.
typedef enum SticEventKind {
    STIC_EVENT_IMPACT,        ///< a closing contact meets resistance
    STIC_EVENT_TOUCH,         ///< a contact closes and stays so
    STIC_EVENT_TAKE_OFF,      ///< a contact opens
    STIC_EVENT_SLIP,          ///< what stuck begins to slide
    STIC_EVENT_STICK,         ///< what slid sticks or rolls
    STIC_EVENT_LEAP,          ///< a step of Moreau's rule over events that accumulate
    STIC_EVENT_BRANCH,        ///< one of several solutions of an instant, the one taken first
    STIC_EVENT_IMPACT_BRANCH, ///< the same of an impact or a leap, which impulses solve
    STIC_EVENT_COUNT
} SticEventKind;

/// One event of a scheme that finds them.
typedef struct SticEvent {
    double t;         ///< when, s
    uint8_t kind;     ///< SticEventKind
    int32_t points;   ///< interactions of the pair that took part; branches: closed contacts
    uint64_t id;      ///< of the first of them
    int32_t block[2]; ///< A and B, as in SticInteraction; -1, -1: none
    int32_t part[2];  ///< which parts of A and B touch
    double value;     ///< IMPACT: largest approach, m/s; LEAP: its length, s; BRANCH: power of
                      ///< the reactions, W; IMPACT_BRANCH: kinetic energy behind it, J
} SticEvent;

/// Word for a kind of event, such as "take-off".
STIC_API const char* stic_event_name(SticEventKind kind);

/// What schemes can promise of every solved step, whatever its length.
#define STIC_PROMISE_LIST(X)                                                                       \
    X(ENERGY, energy, "energy changes only by the works of the ledger, and contacts only take it") \
    X(POSITION, position, "joints hold for positions at the end of a step")                        \
    X(RATE, rate, "joints hold for velocities at the end of a step")                               \
    X(GAP, gap, "what is closed where a step begins does not sink in it")                          \
    X(UNIT, unit, "quaternions keep their length")                                                 \
    X(MOMENTUM, momentum, "linear momentum changes only by forces")                                \
    X(SPIN, spin, "angular momentum changes only by torques")

/// Numbers of the promises.
typedef enum SticPromise {
#define STIC_PROMISE_ENUM(name, word, text) STIC_PROMISE_##name,
    STIC_PROMISE_LIST(STIC_PROMISE_ENUM)
#undef STIC_PROMISE_ENUM
        STIC_PROMISE_COUNT
} SticPromise;

/* ---- accuracy ---- */

// How accurate a run is, as promises about motion instead of tolerances of solvers.
//
// A contact problem that is solved with some error moves bodies that ought to stay: they creep. A
// level of accuracy bounds that by two numbers. In a group of bodies that touch, with U the relative
// velocities of its contacts where the step begins, V those that the step would end with if nothing
// pushed back (each the root of the sum of their squares), and L the smallest body, the reactions
// are computed until their error is worth a velocity of
//
//     max(motion * U, creep * L)        and motion * V at most
//
// so that errors are small compared with the motion, however slow it is, and bodies at rest creep by
// less than creep * L in a second. V is the speed that gravity and other loads give in a step where
// everything rests, and the speed of an impact where something hits.

/// Levels of accuracy.
typedef enum SticAccuracy {
    STIC_ACCURACY_TOLERANCE, ///< none: the tolerance of the solver's settings for every step
    STIC_ACCURACY_PREVIEW,   ///< to look at
    STIC_ACCURACY_STANDARD,  ///< the default of runs
    STIC_ACCURACY_STRICT,    ///< to compare with
    STIC_ACCURACY_COUNT
} SticAccuracy;

/* ---- steps ---- */

/// What a step did.
typedef struct SticStepInfo {
    SticSolveInfo solve;  ///< of the last one-step problem
    int32_t contacts;     ///< interactions of level CONTACT that took part
    int32_t interactions; ///< all that took part
    int32_t newton;       ///< outer iterations of nonlinear schemes
    int32_t broken;       ///< STIC_NOT_FINITE: a block that is not finite or causes it; else -1
    int32_t substeps;     ///< internal steps (events, error control); 1 for one-step schemes
    double unsearched;    ///< number of combinations of states where that was too large to try
                          ///< them all; 0: it never was
    double contradiction; ///< schemes with events: largest relative velocity left where motions
                          ///< that are prescribed, drives, joints and limits asked for what no
                          ///< motion gives, m/s or rad/s; 0: they never did
    int32_t contradiction_block[2]; ///< blocks of the interaction that it was left at
    int32_t contradiction_part[2];  ///< what touches there, as in SticInteraction; -1: a joint
    bool scales_loads;       ///< the scheme found a factor of applied forces (quasi-static with
                             ///< control = way or arc)
    double load_factor;      ///< that factor
    double unsettled;        ///< quasi-static: forces without balance at the end of a step over the
                             ///< ones that act; with a factor and masses their work over that
                             ///< of loads or weights along the step, by which it may be wrong
    double penetration;      ///< deepest negative gap seen, m, as a positive number
    double penetration_part; ///< deepest, as a part of the size of the smaller body
    double step_limit;       ///< explicit schemes: a stable step for bodies deformed as they are
                             ///< now, s; exact if below the step; 0: nothing deforms
    double excess;           ///< deepest overlap beyond what the scheme leaves by itself, m
    double passes;           ///< largest SticInteraction.passes of what was found
    double swing;      ///< h omega of the fastest swing of a body on its joints; stable below 2
    double turn;       ///< h times the angular velocity of the fastest body, where the scheme
                       ///< has steps below 2 only (scalable blocks)
    double depth_part; ///< of stic_step_depth
    double depth_turn; ///< angle that one of these two turned by in the step, rad, or their path as
                       ///< a multiple of the thickness of the thinner one, if that is more
    double joint_gap;  ///< largest violation of a joint that is left, m or rad
    double joint_part; ///< largest, as a part of the size of the joint's smaller body
    int32_t joint_block[2]; ///< blocks of that joint
    double corrected;       ///< largest overlap that position correction took back, m
    SticOutcome correction; ///< of its problem; it moves nothing unless that is solved
    /// by how much a solved step missed what its scheme promises, all parts of the step together:
    /// energy as a part of T + |V|, joints and gaps in their units, |A|^2 - 1, linear momentum of
    /// bodies as a part of the sum of all momenta and impulses
    double violation[STIC_PROMISE_COUNT];
    /// gaps of the contacts that took part; `violation` also has those that closed within the step
    /// without taking part, which break no promise
    double held_gap;
    uint32_t broken_promises; ///< STIC_PROMISE_BIT of those that it missed by more than arithmetic
                              ///< and tolerances explain
    double broken_ratio;      ///< the worst of them, in units of what arithmetic and tolerances
                              ///< explain
    SticLedger ledger;        ///< of this step
    SticError error;          ///< filled when the status is not STIC_OK
} SticStepInfo;

/// What the contacts of moreau, koziara and theta hold to.
typedef enum SticContactLaw {
    STIC_CONTACT_LAW_GAP,     ///< what may close within the step takes part with its gap, and the
                              ///< turning of the directions within the step is accounted for
    STIC_CONTACT_LAW_VELOCITY ///< velocities alone, of what is closed: the law of the papers
} SticContactLaw;

#ifdef __cplusplus
}
#endif

#endif
