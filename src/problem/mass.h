// SPDX-License-Identifier: Apache-2.0
// The matrix M of the global form: whether it can be used, and solving with it.
#ifndef STIC_PROBLEM_MASS_H
#define STIC_PROBLEM_MASS_H

#include "stiction/extend/problem.h"

/// STIC_OK if the global form of a problem has what its kind of M needs.
SticStatus stic_mass_check(const SticProblem* problem, SticError* error);
/// x = M^-1 from; both of `dof` entries, not overlapping.
SticStatus stic_mass_solve(const SticMass* M, const double* from, double* x);
/// y = M^-1 x for the blocks of a block-diagonal M; not overlapping.
void stic_mass_divide(const SticMass* M, const double* x, double* y);
/// y = M x + b y.
void stic_mass_multiply(const SticMass* M, const double* x, double b, double* y);
/// x . M y.
double stic_mass_form(const SticMass* M, const double* x, const double* y);
/// Sizes of the sums behind v = M^-1 f: |M^-1| |f| for blocks (|v| where the inverse is not at
/// hand), at least |v|. Rounding of f moves v by units in the last place of these, not of v.
void stic_mass_sizes(const SticMass* M, const double* f, const double* v, double* size);

#endif
