// SPDX-License-Identifier: Apache-2.0
// Discrete derivative of the energy of a body that deforms, with x and F (by rows) as coordinates.
//
// Such an energy is a weight and a function of C = F'F alone, so that its discrete derivative is
// one by C (Gonzalez 1996, 5; Simo and Tarnow 1992 for St Venant-Kirchhoff):
//
//   DV = F_M (S + alpha dC)      F_M = (F_B + F_E)/2,  dC = C_E - C_B,  S = 2 V'(C_M),
//                                C_M = (C_B + C_E)/2
//   alpha = (V_E - V_B - S:dC/2) / (dC:dC/2)
//
// Since F_M'(F_E - F_B) has dC/2 as its symmetric part, DV:(F_E - F_B) = V_E - V_B; and DV F_M' is
// symmetric, so that angular momentum is kept. A body that turns is not strained by the step: with
// V' at F_M, which is shorter by the square of the angle, stiff bodies would be strained, by E
// theta^2/8, which Newton would have to undo. For a material whose energy is quadratic in C, alpha
// is rounding.
#ifndef STIC_STEP_STRETCH_H
#define STIC_STEP_STRETCH_H

#include "stiction/extend/vec3.h"

enum { STIC_STRETCH_WIDTH = 12 }; ///< coordinates of such a body

/// What is known of a value in a step.
typedef struct SticStretch {
    const double* begin;    ///< [12] coordinates
    const double* end;      ///< [12]
    const double* slope[3]; ///< [12] derivatives at the beginning, the end and the stretched middle
    const double* hessian;  ///< [12 x 12] at the stretched middle
    double change;          ///< of the value over the step
} SticStretch;

/// The coordinates [12] of a stretched middle: any F with F'F = C_M. False where there is none.
bool stic_stretch_middle(const double* begin, const double* end, double* q);

/// Discrete derivative [12], and its derivative by the end [12 x 12]. False, with nothing written,
/// if the value is not such an energy.
bool stic_stretch_derive(const SticStretch* stretch, double* value, double* hessian);

#endif
