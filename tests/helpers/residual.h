// SPDX-License-Identifier: Apache-2.0
// Errors of a solution computed by code that shares nothing with the library: plain loops, laws
// from their textbook form. For the laws of the public collection: FREE, NONNEG, CONE, ROLLING.
#ifndef STIC_TEST_HELPERS_RESIDUAL_H
#define STIC_TEST_HELPERS_RESIDUAL_H

#include "helpers/helpers.h"

#include "stiction/extend/problem.h"

/// u = W r + b, or through M and H; shifts are not used.
void test_residual_velocity(const SticProblem* problem, const double* r, double* u);
/// |r - P_K(r - (u + mu |u_T| n))| / |b|, the first error measure; shifts are used. Infinite if a
/// value is not finite.
double test_residual_relative(const SticProblem* problem, const double* r);
/// Largest violation of the laws in words: r_N, u_N not negative, one of them 0, |r_T| <= mu r_N,
/// slip against r_T at the bound. In the units of r and u.
double test_residual_laws(const SticProblem* problem, const double* r, const double* u);

#endif
