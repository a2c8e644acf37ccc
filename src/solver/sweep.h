// SPDX-License-Identifier: Apache-2.0
// One Gauss-Seidel sweep over all interactions, one kernel per stretch of equal laws.
//
// Used by every method that visits interactions one after the other.
#ifndef STIC_SOLVER_SWEEP_H
#define STIC_SOLVER_SWEEP_H

#include "solver/islands.h"
#include "solver/local.h"
#include "solver/order.h"
#include "solver/patterns.h"
#include "stiction/extend/base.h"

/// How a spatial contact is solved.
typedef enum SticLocalSolver {
    STIC_LOCAL_NEWTON,    ///< scalar Newton for the slip equation
    STIC_LOCAL_QUARTIC,   ///< roots of a quartic, Newton where they do not qualify
    STIC_LOCAL_PROJECTION ///< one projected step per visit, for every law
} SticLocalSolver;

/// What a sweep is made for.
typedef struct SticSweepOptions {
    SticForm form;
    SticLocalSolver local;
    bool coloured;
    double omega;           ///< relaxation of each visit, 1: none
    SticLocalLimits limits; ///< of laws that are solved by projected steps
    SticOperator* op;       ///< made of the same problem, to share; NULL: none
    /// Natural order: interactions island by island, so that sweeps over one of them are possible;
    /// NULL: as numbered.
    const SticIslands* islands;
    SticPatternCache* patterns; ///< keeps the analysis of the joints; NULL: none
} SticSweepOptions;

/// How far a sweep moved, over the interactions visited.
typedef struct SticSweepChange {
    double square; ///< sum of |W_NN dr|^2: changes of u at the own contact
    double energy; ///< sum of <W_ii dr, dr>
} SticSweepChange;

/// How an island is swept.
typedef struct SticSweepStep {
    double beta;         ///< momentum: visits start from x + beta (x - x_before)
    double accuracy;     ///< of slip equations, see SticSlip
    SticRandom* shuffle; ///< blocks of visits in another order every time; NULL: as they come
} SticSweepStep;

typedef struct SticSweep SticSweep;

/// Prepare a sweep over `problem` (no shifts) in `arena`.
SticStatus stic_sweep_create(SticArena* arena, const SticProblem* problem,
                             const SticSweepOptions* options, SticSweep** made, SticError* error);
/// Sweeps that share all data of `sweep`, for threads that each run over islands of their own.
SticStatus stic_sweep_twins(SticArena* arena, const SticSweep* sweep, int32_t count,
                            SticSweep** made);
/// One of them.
SticSweep* stic_sweep_twin(SticSweep* twins, int32_t k);
/// Take r as the present reactions: velocities and records follow.
void stic_sweep_start(SticSweep* sweep, const double* r);
/// Iterative refinement, right after stic_sweep_start: u is the exact velocity of the present
/// reactions; its difference from the result of the operator's own arithmetic (ill-conditioned
/// masses) is added to the constant part.
void stic_sweep_correct(SticSweep* sweep, const double* u);
/// Change the relaxation of the visits to come.
void stic_sweep_relax(SticSweep* sweep, double omega);
/// Visit every interaction once; returns the norm of the changes of u they made at their own
/// contact, |W_NN dr|, a cheap measure of how far the iteration still is.
double stic_sweep_run(SticSweep* sweep);
/// Take the rows of island k of r as its present reactions, at rest: the one before is the same.
void stic_sweep_start_island(SticSweep* sweep, int32_t k, const double* r);
/// Recompute the velocities of island k, present and before, from the reactions: free of
/// accumulated rounding.
void stic_sweep_renew_island(SticSweep* sweep, int32_t k);
/// Sweep over island k with momentum, for reactions and velocities alike, in each visit.
SticSweepChange stic_sweep_run_island(SticSweep* sweep, int32_t k, const SticSweepStep* step);
/// The present reactions of island k into its rows of r.
void stic_sweep_get_island(const SticSweep* sweep, int32_t k, double* r);
/// Multiplications of one sweep over island k.
double stic_sweep_island_work(const SticSweep* sweep, int32_t k);
/// Visit every interaction once in the opposite order.
double stic_sweep_run_back(SticSweep* sweep);
/// Replace the reactions alone; the caller makes the velocities follow.
void stic_sweep_put(SticSweep* sweep, const double* r);
/// Momentum: with x the present reactions and y, before the vectors [rows] of the last call, put y
/// := x + beta (x - before) in their place, before := x, and give <y - x, x - before> of the old y
/// and before, each interaction weighed by the first entry of its block of W, so that rows of
/// different units may be added. The caller makes the velocities follow.
double stic_sweep_extrapolate(SticSweep* sweep, double beta, double* y, double* before);
/// The velocities that belong to the present reactions, an affine function of them: [*count], to
/// read and to write; *count is 0 in the explicit form, which has none.
double* stic_sweep_velocities(SticSweep* sweep, int32_t* count);
/// Local block of interaction i, row by row.
const double* stic_sweep_block(const SticSweep* sweep, int32_t i);
/// The present reactions.
void stic_sweep_get(SticSweep* sweep, double* r);
/// Multiplications of one sweep.
double stic_sweep_work(const SticSweep* sweep);
/// Bytes read and written by one sweep.
size_t stic_sweep_bytes(const SticSweep* sweep);
/// Local solves that needed their second choice so far.
int64_t stic_sweep_fallbacks(const SticSweep* sweep);
/// The operator it runs on, corrections included.
const SticOperator* stic_sweep_operator(const SticSweep* sweep);
/// The operator as it was made, for methods that share it.
SticOperator* stic_sweep_given(const SticSweep* sweep);
/// Whether the sweep was made with these options, whatever its relaxation is now.
bool stic_sweep_serves(const SticSweep* sweep, const SticSweepOptions* options);

#endif
