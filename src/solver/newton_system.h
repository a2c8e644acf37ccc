// SPDX-License-Identifier: Apache-2.0
// Linear systems of the Newton-type methods: block rows of W times small matrices, plus blocks on
// the diagonal. One symbolic analysis, then one factorisation per step; no memory after creation.
#ifndef STIC_SOLVER_NEWTON_SYSTEM_H
#define STIC_SOLVER_NEWTON_SYSTEM_H

#include "solver/body_system.h"
#include "solver/newton_map.h"
#include "solver/task.h"

/// Matrix with the pattern of a scaled W and its factor, in the memory of an arena.
typedef struct SticNewtonSystem {
    const SticScaled* scaled;
    SticBlockCsr K;
    double* value; ///< of K
    SticSymbolic* symbolic;
    SticFactor* factor;
    double* product;      ///< [rows] scratch
    double factor_values; ///< numbers in L
    double factor_work;   ///< multiplications of one factorisation
    double solve_work;    ///< of one solve
    SticFactorInfo info;  ///< of the last factorisation
    SticBodySystem* body; ///< NULL: on the side of the contacts
} SticNewtonSystem;

/// Analyse the pattern; factor_values says what a factor needs.
SticStatus stic_newton_system_analyse(SticArena* arena, const SticScaled* scaled,
                                      SticNewtonSystem* made, SticError* error);
/// Side of the linear systems.
typedef enum SticSystemSide {
    STIC_SYSTEM_AUTO,    ///< the one with the cheaper factorisation
    STIC_SYSTEM_CONTACT, ///< a block row per interaction
    STIC_SYSTEM_BODY     ///< a block row per body; UNSUPPORTED where there is none
} SticSystemSide;

/// Analyse the side that is wanted, for the `scaled` of a task's problem, unless the task's
/// workspace knows the pattern; AUTO looks at both where there are two.
SticStatus stic_newton_system_choose(SticSolveTask* task, const SticScaled* scaled,
                                     SticSystemSide side, SticNewtonSystem* made);
/// Take the memory of the factor; LDL' for matrices that will be symmetric.
SticStatus stic_newton_system_prepare(SticArena* arena, SticFactorKind kind,
                                      SticNewtonSystem* system, SticError* error);
/// Both.
SticStatus stic_newton_system_create(SticArena* arena, const SticScaled* scaled,
                                     SticFactorKind kind, SticNewtonSystem* made, SticError* error);
/// Go on with other scaled variables of the same problem.
void stic_newton_system_scale(SticNewtonSystem* system, const SticScaled* scaled);
/// Block row i of K = L (row i of W), L of the size of the diagonal block, row by row.
void stic_newton_system_row(SticNewtonSystem* system, int32_t i, const double* L);
/// Add a block to the diagonal block of row i.
void stic_newton_system_add(SticNewtonSystem* system, int32_t i, const double* D);
/// Add `column` to the column of scalar row `row` in block row i (which is stored, see SticScaled).
void stic_newton_system_add_foreign(SticNewtonSystem* system, int32_t i, int32_t row,
                                    const double* column);
/// Factorise K; false if that is not possible.
bool stic_newton_system_factor(SticNewtonSystem* system);
/// Sign of det K of the last factorisation, 1 or -1.
int32_t stic_newton_system_sign(const SticNewtonSystem* system);
/// x = K^-1 b with at most `steps` steps of refinement; gives the backward error.
double stic_newton_system_solve(SticNewtonSystem* system, const double* b, int32_t steps,
                                double* x);

#endif
