// SPDX-License-Identifier: Apache-2.0
// One combination of contact states of a small problem: linear equations and inequalities.
#ifndef STIC_CERTIFY_BRANCH_H
#define STIC_CERTIFY_BRANCH_H

#include "stiction/extend/certify.h"

enum { STIC_BRANCH_ROWS = 64 };

/// A small problem as dense matrices, in units of its own: r = size scale x, u = size y / scale
/// with one scale per interaction, so that the blocks of W have unit diagonals and max|b| is 1.
typedef struct SticMinor {
    const SticProblem* problem; ///< folded
    const SticEnumerateSettings* settings;
    SticArena* arena;
    SticError* error;
    bool singular_too; ///< also branches with singular equations
    int32_t rows, count;
    double *W, *b; ///< [rows*rows], [rows]
    double* scale; ///< [rows]
    double size;
    double *x, *y;              ///< [rows] scratch: the solution of a branch
    double *C, *WC;             ///< [rows*rows] x = C z and W C
    double *E, *g;              ///< [rows*rows], [rows] equations E z = g
    double *factor, *z, *back;  ///< [rows*rows], [rows], [rows]
    int32_t *pivot, *row;       ///< [rows] row of y behind each equation
    double *S, *c, *multiplier; ///< rows of the branch as a condition: see stic_branch_inspect
    int32_t *row_at, *col_at;
    uint8_t* law;
    double (*coef)[4];
} SticMinor;

/// How a branch ended.
typedef enum SticBranchEnd {
    STIC_BRANCH_SOLVED,    ///< x and y hold a solution
    STIC_BRANCH_REFUTED,   ///< a verified inequality excludes it
    STIC_BRANCH_UNDECIDED, ///< neither
    STIC_BRANCH_LATER      ///< its equations are singular, and the minor asks for regular ones
} SticBranchEnd;

/// Scale and densify; `folded` has W and b.
SticStatus stic_minor_create(SticArena* arena, const SticProblem* folded, SticMinor* made);
/// Columns of C, one per unknown of the linear states, and W C; gives their number.
int32_t stic_minor_unknowns(SticMinor* minor, const uint8_t* state);
/// Friction coefficient of contact i, 0 for laws without.
double stic_minor_mu(const SticMinor* minor, int32_t i);
/// y = W x + b.
void stic_minor_velocity(const SticMinor* minor, const double* x, double* y);
/// Largest term of row k of W x + b: what rounding is relative to.
double stic_minor_row_size(const SticMinor* minor, const double* x, int32_t k);
/// Whether x, y obey the states to the tolerance.
bool stic_minor_obeys(const SticMinor* minor, const uint8_t* state, const double* x,
                      const double* y);

/// Whether contact i slides in space in this state: not linear.
bool stic_minor_slips(const SticMinor* minor, const uint8_t* state, int32_t i);

/// Columns C, W C and equations E (copied to `factor`) of the linear states; gives the unknowns.
int32_t stic_branch_equations(SticMinor* minor, const uint8_t* state);
/// Solve a branch whose states are linear (no SLIDE of three rows). `motion` gets the dimension of
/// its velocities.
SticStatus stic_branch_solve(SticMinor* minor, const uint8_t* state, SticBranchEnd* end,
                             int32_t* motion);
/// Dimension of the velocities in the branch whose unknowns are set up: 0 where they are unique.
SticStatus stic_branch_spread(SticMinor* minor, const uint8_t* state, int32_t unknowns,
                              int32_t* motion);
/// Dimension of the reactions that belong to the motion y with these states; x gets one inside.
SticStatus stic_branch_forces(SticMinor* minor, const uint8_t* state, const double* y, double* x,
                              int32_t* dimension);
/// Refute a branch with contacts that slide in space by its convex relaxation u_N = 0, r in its
/// cone.
SticStatus stic_branch_relax(SticMinor* minor, const uint8_t* state, bool* refuted);
/// Contacts that slide in space: the solutions of a branch with one or two of them, one after the
/// other by `found`; false in `sure` if some may be missing.
typedef SticStatus (*SticBranchFound)(void* self, const uint8_t* state, const double* x,
                                      const double* y);
SticStatus stic_branch_slide(SticMinor* minor, const uint8_t* state, SticBranchFound found,
                             void* self, bool* sure);

#endif
