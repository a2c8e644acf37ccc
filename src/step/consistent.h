// SPDX-License-Identifier: Apache-2.0
// What the energy-consistent schemes share: settings and the impact stage.
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

/// Stage 1 (Möller 5.106, 5.157): impact with frozen coordinates. M uC = M uB + H Lambda, laws on
/// gammaC + eps gammaB; adds its work to the ledger.
SticStatus stic_consistent_impact(SticStepper* stepper, const SticMass* mass,
                                  const SticDirections* directions, const SticState* from,
                                  double* u_impact, SticStepInfo* info);

/// Change of the velocities relative to the larger of two velocities. `rounding` is the energy lost
/// in V(end) - V(begin) by rounding; scratch [dof].
SticImplicitChange stic_consistent_change(const SticMass* mass, const double* change,
                                          const double* u_old, const double* u_new, double rounding,
                                          double* scratch);

#endif
