// SPDX-License-Identifier: Apache-2.0
// The matrix M of the global form: whether it can be used, and solving with it.
#ifndef STIC_PROBLEM_MASS_H
#define STIC_PROBLEM_MASS_H

#include "stiction/problem.h"

/// STIC_OK if the global form of a problem has what its kind of M needs.
SticStatus stic_mass_check(const SticProblem* problem, SticError* error);
/// x = M^-1 from; both of `dof` entries, not overlapping.
SticStatus stic_mass_solve(const SticMass* M, const double* from, double* x);

#endif
