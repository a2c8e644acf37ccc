// SPDX-License-Identifier: Apache-2.0
// Prepared computation of the three error measures of a problem, for repeated use in one solve.
#ifndef STIC_PROBLEM_GAUGE_H
#define STIC_PROBLEM_GAUGE_H

#include "stiction/problem.h"

typedef struct SticGauge SticGauge;

/// Prepare in `arena`: diagonal blocks, step lengths, norms of b. `problem` must outlive it.
SticStatus stic_gauge_create(SticArena* arena, const SticProblem* problem, SticGauge** made,
                             SticError* error);
/// u = W r + b from the problem's own data and the errors of r; allocates nothing. A value that is
/// not finite gives infinite errors.
SticStatus stic_gauge_measure(const SticGauge* gauge, const double* r, double* u,
                              SticErrors* errors);
/// Multiplications of one measurement, to weigh it against an iteration.
double stic_gauge_work(const SticGauge* gauge);
/// Norm of b with the shifts folded in.
double stic_gauge_b_norm(const SticGauge* gauge);

#endif
