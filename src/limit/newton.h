// SPDX-License-Identifier: Apache-2.0
// The linear system of a step of the interior point (limit/newton.c).
#ifndef STIC_LIMIT_NEWTON_H
#define STIC_LIMIT_NEWTON_H

#include "certify/gram.h"
#include "limit/limit.h"
#include "solver/cone_kernel.h"

/// Unknowns, or right-hand sides: v by columns of A, x by its rows.
typedef struct SticLimitVector {
    double *v, *x; ///< [cols], [rows], one behind the other, with room for s and tau
    double s, tau;
} SticLimitVector;

/// The system at one point, with its factor.
typedef struct SticLimitNewton {
    const SticLimitProgram* program;
    int32_t rows, cols;
    double aim;                                      ///< 1: s is maximised, 0: not
    double ratio;                                    ///< kappa over tau
    double (*P)[2][STIC_CONE_MOST * STIC_CONE_MOST]; ///< [count] scaling points
    double* metric;                                  ///< [cols]
    double* image;                                   ///< [rows] scratch
    SticLimitVector live, dead;                      ///< answers to the borders
    double* work;                                    ///< of the Krylov method
    SticGram gram;
    SticSymbolic* symbolic;
    SticFactor* factor;
} SticLimitNewton;

/// Room for vectors of a program.
SticStatus stic_limit_vector_take(const SticLimitProgram* program, SticArena* arena,
                                  SticLimitVector* vector);
/// Room and pattern.
SticStatus stic_limit_newton_create(SticArena* arena, const SticLimitProgram* program,
                                    SticLimitNewton* newton, SticError* error);
/// Factorise at the scaling points and the ratio that `newton` holds; false if that fails.
bool stic_limit_newton_factorise(SticLimitNewton* newton);
/// Solve, to what rounding leaves.
void stic_limit_newton_solve(SticLimitNewton* newton, const SticLimitVector* right,
                             SticLimitVector* answer);

static inline double stic_limit_dot(int32_t n, const double* a, const double* b)
{
    double sum = 0.0;
    for (int32_t k = 0; k < n; ++k)
        sum += a[k] * b[k];
    return sum;
}

static inline double stic_limit_largest(int32_t n, const double* a)
{
    double most = 0.0;
    for (int32_t k = 0; k < n; ++k)
        most = fabs(a[k]) > most ? fabs(a[k]) : most;
    return most;
}

#endif
