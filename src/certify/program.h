// SPDX-License-Identifier: Apache-2.0
// The margin program: max s with y = A v + c - s e in second-order cones, s <= 1; in units of
// max|w|.
#ifndef STIC_CERTIFY_PROGRAM_H
#define STIC_CERTIFY_PROGRAM_H

#include "certify/condition.h"

/// Rows of a condition as a cone program, in the memory of an arena.
typedef struct SticProgram {
    const SticProblem* problem;
    SticCondition condition;
    int32_t count, rows, cols; ///< blocks, rows, velocities
    int32_t* row_at;           ///< [count+1]
    uint8_t* equality;         ///< [count] y = 0 instead of y in a cone
    int32_t* source;           ///< [rows] row of the problem
    double* factor;            ///< [rows] y = factor * u
    SticBlockCsr A;            ///< rows x cols
    double* c;                 ///< [rows] divided by `size`
    double* metric;            ///< [cols] diagonal of A'A; not for the symmetric form
    double size;               ///< m/s
    /// A is symmetric and semi-definite (local form): velocities are v = A x, measured by A itself
    bool symmetric;
    double* column;     ///< [cols] scratch
    double *row, *full; ///< [rows of the problem] scratch
    /// velocities of a local form by stic_program_factor: A = B with W = B B', and the rows of the
    /// program that were its pivots [cols]; else NULL
    int32_t* pivot;
} SticProgram;

/// Gather the rows of a condition. `symmetric`: the problem is local with symmetric W.
SticStatus stic_program_create(SticArena* arena, const SticProblem* problem,
                               SticCondition condition, bool symmetric, SticProgram* made,
                               SticError* error);
/// The same program of a symmetric form in velocities: A A' = W to `tiny` of its largest diagonal
/// value, by a Cholesky factorisation with pivots. Dense: for some thousand rows at most.
SticStatus stic_program_factor(SticArena* arena, const SticProgram* symmetric, double tiny,
                               SticProgram* made);
/// y = A v + c.
void stic_program_velocity(const SticProgram* program, const double* v, double* y);
/// Steepest descent of |q|^2/2 in the metric: g [cols] and A g [rows]; gives q . A g.
double stic_program_pull(const SticProgram* program, const double* q, double* g, double* image);
/// Smallest y_0 - |(y_1, …)| of the cones; `joint` gets the largest |y| of the equalities.
double stic_program_margin(const SticProgram* program, const double* y, double* joint);
/// The velocity as stic_witness_verify takes it, [dof] or [rows].
void stic_program_witness(const SticProgram* program, const double* v, double* witness);
/// Multipliers x as stic_certificate_verify takes them, [rows of the problem], moved into their
/// cones where rounding left them outside.
void stic_program_certificate(const SticProgram* program, const double* x, double* r);

/// The best velocity and multipliers found, in the variables of the program.
typedef struct SticProgramPoint {
    double* v;     ///< [cols]
    double margin; ///< of v; -infinite: none yet
    double* x;     ///< [rows]
    double most;   ///< c . x / sum x_0, plus the defect for the reach; infinite: none yet
} SticProgramPoint;

/// When a method may stop, and the point it improves.
typedef struct SticProgramGoal {
    double tolerance; ///< margins within it are 0
    double reach;     ///< of certificates
    int32_t steps;
    bool margin; ///< look for the largest margin, not only for its sign
} SticProgramGoal;

/// Largest margin by an interior point; gives its steps.
SticStatus stic_program_maximise(SticArena* arena, const SticProgram* program,
                                 const SticProgramGoal* goal, SticProgramPoint* point,
                                 int32_t* steps, SticError* error);
/// A motion with A v + c = 0 in the least-squares sense, by conjugate gradients.
SticStatus stic_program_kinematic(SticArena* arena, const SticProgram* program, int32_t steps,
                                  double* v);
/// First-order search for a velocity of positive margin, or for multipliers that refute it.
SticStatus stic_program_search(SticArena* arena, const SticProgram* program,
                               const SticProgramGoal* goal, SticProgramPoint* point);
/// Keep v where its margin is the largest so far (joints met), x where its bound is the smallest.
void stic_program_keep(const SticProgram* program, const SticProgramGoal* goal, const double* v,
                       const double* y, SticProgramPoint* point);
void stic_program_keep_dual(const SticProgram* program, const SticProgramGoal* goal,
                            const double* x, SticProgramPoint* point);

#endif
