// SPDX-License-Identifier: Apache-2.0
// Parts of the validation of a problem.
#ifndef STIC_PROBLEM_CHECK_H
#define STIC_PROBLEM_CHECK_H

#include "stiction/extend/problem.h"

/// The part of stic_problem_check that takes no look at vectors and matrices.
SticStatus stic_problem_check_laws(const SticProblem* problem, SticError* error);

#endif
