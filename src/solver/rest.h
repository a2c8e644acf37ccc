// SPDX-License-Identifier: Apache-2.0
// A few sweeps from the start, island by island, before anything is set up: rest.c.
#ifndef STIC_SOLVER_REST_H
#define STIC_SOLVER_REST_H

#include "solver/islands.h"

/// Result of the sweeps over an island.
typedef struct SticRestIsland {
    bool swept;        ///< contacts between rigid bodies alone; otherwise nothing else is filled in
    bool normal;       ///< their normal rows only
    bool warm;         ///< some reaction of the start is not 0
    int32_t sweeps;    ///< made so far
    double estimate;   ///< energy of the last change over that of b, as flow.c has it
    double b;          ///< |b|^2
    double b_energy;   ///< energy of b
    double share;      ///< stic_islands_share
    bool measured;     ///< errors are known
    SticErrors errors; ///< without what rounding leaves of b
    double rounding;   ///< bound on what plain arithmetic adds to the unit-free error
} SticRestIsland;

typedef struct SticRest SticRest;

/// Whether a checked problem has the form that is swept: the global one without shifts of r, each
/// body with a mass of its own.
bool stic_rest_takes(const SticProblem* problem);
/// Sweep all islands of contacts once, from r, which is not changed.
SticStatus stic_rest_sweep(SticArena* arena, const SticProblem* problem, const double* r,
                           SticRest** made);
/// Sweep island k once more, islands one after the other. Memory is taken from the arena, and
/// replaced when the next island begins.
SticStatus stic_rest_again(SticRest* rest, int32_t k);
/// The islands of the problem.
const SticIslands* stic_rest_islands(const SticRest* rest);
/// The result for island k.
const SticRestIsland* stic_rest_island(const SticRest* rest, int32_t k);
/// Measure island k by the formulas of problem/errors.c, in plain arithmetic.
void stic_rest_measure(SticRest* rest, int32_t k);
/// Reactions and, where it was measured and u is not NULL, velocities of island k into arrays of
/// the whole.
void stic_rest_get(const SticRest* rest, int32_t k, double* r, double* u);
/// Give back all memory but that of the islands: only they and the work may be asked for from now on.
void stic_rest_drop(SticRest* rest, SticArena* arena);
/// Multiplications of all that was done.
double stic_rest_work(const SticRest* rest);

#endif
