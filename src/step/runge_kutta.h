// SPDX-License-Identifier: Apache-2.0
// Explicit Runge-Kutta steps of order eight with error estimates and dense output.
//
// Only + - * / in a fixed order: the same bits everywhere.
#ifndef STIC_STEP_RUNGE_KUTTA_H
#define STIC_STEP_RUNGE_KUTTA_H

#include "step/step.h"

/// y' = slope(t, y). `weight` is the share of the step that the stage has in the quadrature of
/// the method, s: works of forces are summed with it.
typedef struct SticOde {
    int32_t n;
    void* self;
    SticStatus (*slope)(void* self, double t, const double* y, double weight, double* slope);
} SticOde;

/// Stages of a step of the pair.
enum { STIC_RK_STAGES = 12 };

/// One step of the pair: where it begins, its stages, its end and what the errors are.
typedef struct SticRungeKutta {
    SticOde ode;
    double t, h;
    double* begin; ///< [n]
    double* end;   ///< [n]
    double*
        error[2];  ///< [n] estimates of order five and three, to be combined by the caller's norm
    double* stage; ///< [16 n] slopes
    double* dense; ///< [7 n] polynomials of the dense output
    bool ready;    ///< they are those of the last step
} SticRungeKutta;

/// Room for steps of an equation.
SticStatus stic_runge_kutta_create(SticArena* arena, const SticOde* ode, SticRungeKutta** made);
/// The step from (t, begin) to t + h, into `end` and `error`. `begin` is filled by the caller.
SticStatus stic_runge_kutta_try(SticRungeKutta* step, double t, double h);
/// Part of the step at which stage s is evaluated.
double stic_runge_kutta_node(int s);
/// Estimate k, of order five or three, of the error of the integral over the last step of functions
/// whose values at the stages are known: `value` [STIC_RK_STAGES n], `error` [n].
void stic_runge_kutta_estimate(const SticRungeKutta* step, int k, int32_t n, const double* value,
                               double* error);
/// Prepare the dense output of the last step, if it is not: four slopes more.
SticStatus stic_runge_kutta_prepare(SticRungeKutta* step);
/// y at t + theta h, 0 <= theta <= 1, to order seven.
void stic_runge_kutta_at(const SticRungeKutta* step, double theta, double* y);
/// Error of the step from norms of its two estimates, as Hairer combines them.
double stic_runge_kutta_combine(double fifth, double third);
/// How much longer the next step may be, given the error in units of the tolerance.
double stic_runge_kutta_factor(double error);

/// What the error of a step is compared to.
typedef struct SticErrorScale {
    double tolerance;   ///< relative
    double length;      ///< time over which the motion is looked at, s
    double speed;       ///< largest velocity of a block so far, in the metric of its mass
    double per;         ///< 1/s: velocities below a rounding of coordinates times this are none
    SticMemory* memory; ///< of the states that systems are asked at
} SticErrorScale;

/// Error of the last step in units of the tolerance; `scale->speed` follows the motion.
SticStatus stic_step_error(const SticRungeKutta* step, const SticSystem* system, SticArena* arena,
                           SticErrorScale* scale, double* error);

/// The same for loads, given as the accelerations that they alone would give at the stages,
/// [STIC_RK_STAGES nu]: what rests does not show how they change. Enlarges `error`.
SticStatus stic_step_load_error(const SticRungeKutta* step, const SticSystem* system,
                                SticArena* arena, SticErrorScale* scale, const double* load,
                                double* error);

/// Errors of all unknowns (q, u) at a state that are within the tolerance, for integrators with a
/// norm of their own; `scale->speed` follows the motion.
SticStatus stic_step_allowed(const SticSystem* system, SticArena* arena, const SticState* at,
                             SticErrorScale* scale, double* allowed);

/// A step of length h of the classical method of order four; `work` [3 n], y in place.
SticStatus stic_runge_kutta_classic(const SticOde* ode, double t, double h, double* work,
                                    double* y);

#endif
