// SPDX-License-Identifier: Apache-2.0
// What the energy-consistent schemes share: settings, the impact stage, and what frames both
// stages.
#ifndef STIC_STEP_CONSISTENT_H
#define STIC_STEP_CONSISTENT_H

#include "step/parts.h"

typedef struct SticConsistentSettings {
    int32_t max_newton;      ///< outer iterations of the motion stage
    double newton_tolerance; ///< relative change of the velocities that ends them
    double activation;       ///< contacts with a gap at most this take part, m
    bool midpoint;           ///< D2: structure matrices at mid-step instead of the beginning
    bool begin_directions;   ///< gap directions at the beginning instead of the discrete derivative
} SticConsistentSettings;

/// A step at its beginning.
typedef struct SticConsistentStart {
    SticMass mass;
    SticDirections directions; ///< interactions that take part, measured as asked for
    double* u_impact;          ///< [nu] room for the velocities after the impact
} SticConsistentStart;

/// Mass and interactions at the beginning of a step.
SticStatus stic_consistent_begin(SticStepper* stepper, const SticSystem* system,
                                 const SticState* from, uint32_t want, SticConsistentStart* start,
                                 SticStepInfo* info);

/// Stage 1 (Möller 5.106, 5.157): impact with frozen coordinates. M uC = M uB + H Lambda, laws on
/// gammaC + eps gammaB; adds its work to the ledger.
SticStatus stic_consistent_impact(SticStepper* stepper, const SticMass* mass,
                                  const SticDirections* directions, const SticState* from,
                                  double* u_impact, SticStepInfo* info);

/// Stage 2: solve for the motion by the callbacks of `motion`, whose limits are those of the
/// settings; x and r hold start values. An impact that was not solved is not hidden by it.
SticStatus stic_consistent_move(SticStepper* stepper, const SticImplicit* motion, double* x,
                                double* r, SticStepInfo* info);

/// A step at its end, for the ledger and the memory.
typedef struct SticConsistentEnd {
    const SticDirections* laws;  ///< what the reactions acted on
    const SticDirections* bonds; ///< the same with H at the place where bonds are judged
    const SticMass* mass;
    const double *r, *mean;     ///< [rows] reactions, and the velocities they worked on
    const SticState* middle;    ///< where applied forces acted
    const double* displacement; ///< [nu] what they worked on
    double h;
} SticConsistentEnd;

/// Add the works of a step whose end is in `to`, record its interactions and remember them.
SticStatus stic_consistent_close(SticStepper* stepper, const SticSystem* system,
                                 const SticConsistentEnd* end, const SticState* from, SticState* to,
                                 SticStepInfo* info);

/// Change of the velocities relative to the larger of two velocities. `rounding` is the energy lost
/// in V(end) - V(begin) by rounding; scratch [dof].
SticImplicitChange stic_consistent_change(const SticMass* mass, const double* change,
                                          const double* u_old, const double* u_new, double rounding,
                                          double* scratch);

#endif
