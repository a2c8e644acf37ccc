// SPDX-License-Identifier: Apache-2.0
// Rotation schemes of one rigid body over one step.
#ifndef STIC_STEP_TURN_H
#define STIC_STEP_TURN_H

#include "stiction/extend/vec3.h"

/// How a rotation advances; SIMO_WONG and LIEMID are comparisons for bodies that nothing touches.
typedef enum SticTurnScheme {
    STIC_TURN_HALVES, ///< free rotation before and after the reactions: stic_turn_half
    STIC_TURN_NEW1,
    STIC_TURN_NEW2,
    STIC_TURN_NEW3,
    STIC_TURN_SIMO_WONG,
    STIC_TURN_LIEMID,
    STIC_TURN_EXPLICIT, ///< gyroscopic term at the beginning of the step, as a force
} SticTurnScheme;

/// Inertia in body axes with its inverse.
typedef struct SticTurnBody {
    SticMat3 J, inverse;
} SticTurnBody;

/// Free rotation over a time h: velocity in body axes at the end, and the unit quaternion of the
/// turn between, from the axes of the beginning. Energy and momentum are kept to rounding at any h.
SticVec3 stic_turn_half(const SticTurnBody* body, SticVec3 omega, double h, SticQuat* turn);

/// J Omf: the momentum that enters the contact problem (Koziara 5.2.11-5.2.12); `impulse` is h Tm.
SticVec3 stic_turn_free(const SticTurnBody* body, SticVec3 omega, SticVec3 impulse, double h);
/// End velocity of NEW1, NEW2, NEW3 (5.2.13-5.2.15): `omega1` contains the reactions, `impulse` is
/// h Tm + H_rot R.
SticVec3 stic_turn_end(SticTurnScheme scheme, const SticTurnBody* body, const SticVec3 omega[2],
                       SticVec3 impulse, double h);

/// A rotation on its way through a step of a comparison scheme.
typedef struct SticTurnState {
    SticMat3 L;            ///< rotation: of the beginning, then of the end
    SticVec3 momentum;     ///< in body axes
    SticVec3 acceleration; ///< Simo-Wong: carried from step to step, body axes
} SticTurnState;

/// First part of a comparison scheme: L at the end, and the momentum J Om + h/2 T of the beginning
/// carried there; `torque` acts at the beginning, in body axes.
void stic_turn_carry(SticTurnScheme scheme, const SticTurnBody* body, SticVec3 torque, double h,
                     SticVec3 omega, SticTurnState* state);

#endif
