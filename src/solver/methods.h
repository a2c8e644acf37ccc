// SPDX-License-Identifier: Apache-2.0
// The methods of the solver table: their run functions and settings tables.
#ifndef STIC_SOLVER_METHODS_H
#define STIC_SOLVER_METHODS_H

#include "solver/task.h"

// islands, then one method after the other, portfolio.c
extern const SticFieldTable stic_auto_fields;
SticStatus stic_auto_run(SticSolveTask* task);

// block Gauss-Seidel, nsgs.c
extern const SticFieldTable stic_nsgs_fields;
SticStatus stic_nsgs_run(SticSolveTask* task);

// accelerated symmetric Gauss-Seidel, asgs.c
extern const SticFieldTable stic_asgs_fields;
SticStatus stic_asgs_run(SticSolveTask* task);

// alternating directions with one factor, admm.c
extern const SticFieldTable stic_admm_fields;
SticStatus stic_admm_run(SticSolveTask* task);

// accelerated projected gradient, apgd.c
extern const SticFieldTable stic_apgd_fields;
SticStatus stic_apgd_run(SticSolveTask* task);

// complementary pivoting, lemke.c
extern const SticFieldTable stic_lemke_fields;
SticStatus stic_lemke_run(SticSolveTask* task);

// extragradient with self-adapting step, extragradient.c
extern const SticFieldTable stic_extragradient_fields;
SticStatus stic_extragradient_run(SticSolveTask* task);

// prox iterations on the reactions, prox_iteration.c
extern const SticFieldTable stic_jacobi_prox_fields, stic_jor_prox_fields, stic_sor_prox_fields;
SticStatus stic_jacobi_prox_run(SticSolveTask* task);
SticStatus stic_jor_prox_run(SticSolveTask* task);
SticStatus stic_sor_prox_run(SticSolveTask* task);

// prox iteration on the velocities, prox_gamma.c
extern const SticFieldTable stic_gamma_prox_fields;
SticStatus stic_gamma_prox_run(SticSolveTask* task);

// Uzawa's method and pair, uzawa.c
extern const SticFieldTable stic_uzawa_fields;
SticStatus stic_uzawa_run(SticSolveTask* task);

// proximal points with semismooth Newton, prox_newton.c
extern const SticFieldTable stic_prox_newton_fields;
SticStatus stic_prox_newton_run(SticSolveTask* task);

// Koziara's Newton methods, koziara_newton.c
extern const SticFieldTable stic_koziara_newton_fields;
SticStatus stic_koziara_newton_run(SticSolveTask* task);
/// Its variant FIX in scaled variables, for other methods.
SticStatus stic_koziara_newton_fix(SticSolveTask* task);

// projections of Nakaoka and in the product metric, projection.c
extern const SticFieldTable stic_projection_fields;
SticStatus stic_projection_run(SticSolveTask* task);

// interior points on the exact problem, interior_point.c
extern const SticFieldTable stic_interior_point_fields;
SticStatus stic_interior_point_run(SticSolveTask* task);

// interior points on convex problems: the relaxation, and the fixed point on s, convex.c
extern const SticFieldTable stic_convex_fields, stic_fixed_point_fields;
SticStatus stic_convex_run(SticSolveTask* task);
SticStatus stic_fixed_point_run(SticSolveTask* task);
#endif
