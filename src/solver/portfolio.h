// SPDX-License-Identifier: Apache-2.0
// What `auto` tries, in which order, and how much each attempt may cost: portfolio.c, attempts.c.
#ifndef STIC_SOLVER_PORTFOLIO_H
#define STIC_SOLVER_PORTFOLIO_H

#include "solver/method/flow.h"
#include "solver/method/interior.h"
#include "solver/method/prox_newton.h"
#include "solver/task.h"

/// Sizes of problems, by contacts; a mask.
typedef enum SticSizeClass {
    STIC_SIZE_HANDFUL = 1, ///< up to 10
    STIC_SIZE_SMALL = 2,   ///< up to 99
    STIC_SIZE_MIDDLE = 4,  ///< up to 499
    STIC_SIZE_LARGE = 8,   ///< up to 1999: W is formed without asking what it costs
    STIC_SIZE_HUGE = 16,   ///< W is not formed before methods without it have failed
    STIC_SIZE_ANY = 31
} SticSizeClass;

/// Traits of a problem; a mask.
typedef enum SticTrait {
    STIC_TRAIT_BODIES = 1,  ///< block masses: factors on the graph of bodies
    STIC_TRAIT_POINTS = 2,  ///< bodies meet in points, as in piles of spheres
    STIC_TRAIT_RESTS = 4,   ///< faces rest on each other: sweeps found next to nothing that slides
    STIC_TRAIT_NEAR = 8,    ///< a start value of the caller, or an attempt that came near
    STIC_TRAIT_CONES = 16,  ///< laws that interior points know
    STIC_TRAIT_FACTOR = 32, ///< a factor of W is small enough
    STIC_TRAIT_LOOSE = 64,  ///< tolerance of 1e-3 or more
    STIC_TRAIT_TIGHT =
        128 ///< tolerance below 3e-5: sweeps take longer with each digit, Newton does not
} SticTrait;

/// Where an attempt starts.
typedef enum SticStart {
    STIC_START_BEST,   ///< the best r so far
    STIC_START_ZERO,   ///< r = 0
    STIC_START_GIVEN,  ///< the start of the caller
    STIC_START_CALLER, ///< the best r so far where the caller gave a start, else 0
    STIC_START_INSIDE, ///< where interior points ended, if that is near
    STIC_START_OWN     ///< the best r of earlier attempts of this kind by the same method, else 0
} SticStart;

/// How much a caller lets `auto` try.
typedef enum SticEffort {
    STIC_EFFORT_BRIEF,  ///< what goes on where the sweeps ended: there is another way, see
                        ///< SticSolveRequest.brief
    STIC_EFFORT_NORMAL, ///< everything that takes seconds
    STIC_EFFORT_HIGH    ///< walks and paths that take minutes, too
} SticEffort;

typedef struct SticPortfolio SticPortfolio;
typedef struct SticAttempt SticAttempt;

/// One row of the table of portfolio.c.
struct SticAttempt {
    const char* name;   ///< in ablations
    const char* method; ///< solver whose r it finds
    uint32_t sizes;     ///< SticSizeClass it is for
    uint32_t needs;     ///< SticTrait it cannot do without
    uint32_t avoids;    ///< SticTrait that rule it out
    int32_t start;      ///< SticStart
    /// The attempt; false: the task has stopped.
    bool (*run)(SticPortfolio* portfolio, const SticAttempt* attempt);
    int32_t steps;  ///< limit in its own iterations
    double factors; ///< and in the price of so many factorisations, 0: none
    double spent;   ///< and in multiples of all work before it, 0: none
    int32_t map;    ///< SticMap of prox-newton
    double c;       ///< first regularisation of prox-newton, 0: by the error; momentum of walks;
                    ///< sweeps: part of r that they begin with, 0: all
    int32_t round;  ///< members take turns: each may cost `spent` times the work before it, and
                    ///< the round is repeated for as long as that limit ends one of them
    int32_t effort; ///< SticEffort that it is made with at least
};

/// The portfolio at work on one task, with the memory of its attempts.
struct SticPortfolio {
    SticSolveTask* task;
    double factor_values; ///< largest factor, in numbers
    int32_t effort;       ///< SticEffort
    uint32_t traits, size;
    int32_t turns;              ///< times that a round was begun again
    double budget;              ///< multiplications that a member of a round may take; 0: no limit
    bool cut;                   ///< it ended a member of this round
    SticStatus status;          ///< of an attempt that ran out of memory
    SticSweep* sweep;           ///< NULL: a diagonal block cannot be solved with
    double* u;                  ///< [rows] where there is a sweep
    double *kept, *kept_u;      ///< [rows] best r and its u while an attempt begins elsewhere
    double* own[STIC_ATTEMPTS]; ///< [rows] see STIC_START_OWN, by the first row of a method
    int32_t paths;              ///< of states followed so far: each has another seed
    // methods with a factor of W
    bool direct; ///< their memory was taken
    SticScaled scaled;
    SticNewtonSystem system;
    SticInterior interior;
    SticProxNewton newton;
    SticProxNewtonSettings newton_settings;
    double* x;       ///< [rows]
    double followed; ///< error where the last path of the proximal parameter began
};

/// What the sweeps with momentum may take on an island; none where `sweeps` is 0. `enough`: error
/// that will do where the tolerance takes too long.
SticFlowLimits stic_portfolio_sweeps(const SticSolveTask* task, int32_t contacts, double tolerance,
                                     double enough);
/// Whether islands are solved separately where the whole is judged.
bool stic_portfolio_splits(const SticSolveTask* task);
/// The table, for those who print it, terminated by a NULL name.
extern const SticAttempt stic_portfolio_table[];

// the attempts, attempts.c
bool stic_attempt_admm(SticPortfolio* portfolio, const SticAttempt* attempt);
bool stic_attempt_flow(SticPortfolio* portfolio, const SticAttempt* attempt);
bool stic_attempt_plain(SticPortfolio* portfolio, const SticAttempt* attempt);
bool stic_attempt_asgs(SticPortfolio* portfolio, const SticAttempt* attempt);
bool stic_attempt_walk(SticPortfolio* portfolio, const SticAttempt* attempt);
bool stic_attempt_apgd(SticPortfolio* portfolio, const SticAttempt* attempt);
bool stic_attempt_newton(SticPortfolio* portfolio, const SticAttempt* attempt);
bool stic_attempt_near(SticPortfolio* portfolio, const SticAttempt* attempt);
bool stic_attempt_interior(SticPortfolio* portfolio, const SticAttempt* attempt);
bool stic_attempt_states(SticPortfolio* portfolio, const SticAttempt* attempt);
bool stic_attempt_path(SticPortfolio* portfolio, const SticAttempt* attempt);
bool stic_attempt_sweeps(SticPortfolio* portfolio, const SticAttempt* attempt);
/// Take the memory of the sweeps.
SticStatus stic_attempt_prepare(SticPortfolio* portfolio);
/// Take the memory of the methods with a factor, unless it is there; sets their traits.
SticStatus stic_attempt_prepare_direct(SticPortfolio* portfolio);

#endif
