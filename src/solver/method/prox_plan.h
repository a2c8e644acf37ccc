// SPDX-License-Identifier: Apache-2.0
// Step lengths of the prox iterations: the r strategies, the transformation of ellipsoids, the
// factors of recovered Jacobi, the Lipschitz estimate.
#ifndef STIC_SOLVER_METHOD_PROX_PLAN_H
#define STIC_SOLVER_METHOD_PROX_PLAN_H

#include "solver/task.h"

/// How the step length of a set is chosen; W_hh and so on are the rows of the set.
typedef enum SticRhoRule {
    STIC_RHO_DOMINANCE, ///< DIAGONAL where W is strictly diagonally dominant, else ROW_SUM
    STIC_RHO_DIAGONAL,  ///< omega / max W_hh (Studer & Glocker 2006, eq. 69)
    STIC_RHO_ROW_SUM,   ///< omega / max sum_k |W_hk| (eq. 70)
    STIC_RHO_BLOCK,     ///< omega / lambda_max of the set's diagonal block
    STIC_RHO_SPECTRAL,  ///< omega / lambda_max(W), one value for all
    STIC_RHO_ADAPTIVE,  ///< BLOCK to begin with, tuned while iterating
    STIC_RHO_MEAN       ///< omega / mean W_hh: the splitting W_ii = alpha I + B_ii with small B_ii
} SticRhoRule;

/// Names of the rules up to ADAPTIVE, for settings.
extern const char* const stic_rho_names[];

/// What to plan.
typedef struct SticProxChoice {
    SticRhoRule rule;
    double omega;
    bool transform; ///< ellipsoids as balls (Möller 2011, section 2.5.2)
} SticProxChoice;

/// Step lengths by interaction and group, and what the iterations derive from them.
typedef struct SticProxPlan {
    double (*rho)[3]; ///< [count] by group of rows, see stic_law_groups
    double* gain;     ///< [rows] how much further a row may go where nothing is projected
    double lipschitz; ///< row-sum norm of I - R W (eq. 68)
} SticProxPlan;

/// Rows of an interaction whose set needs one step length: [at[k], at[k+1]); returns how many.
int32_t stic_prox_parts(SticLaw law, int32_t rows, int32_t at[4]);

/// Plan for an operator in explicit form.
SticStatus stic_prox_plan(SticSolveTask* task, const SticOperator* op, SticProxChoice choice,
                          SticProxPlan* plan);

#endif
