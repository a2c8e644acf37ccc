// SPDX-License-Identifier: Apache-2.0
// Discrete derivative of Gonzalez: exact along the step, second-order accurate, local to the blocks
// involved.
//
//   Df(a,b) = f'(m) + (f(b) - f(a) - f'(m) d) / (d'N d) (N d)'   m = (a+b)/2, d = b - a
//
// so that Df(a,b) d = f(b) - f(a) (Möller 5.19 with N = I). Only the coordinates a term depends on
// enter d: directionality still holds and sparsity is kept. N is positive; the masses of the
// coordinates make d'N d a sum of terms of one unit where metres and quaternions meet. Two bodies
// whose common translation does not change f are weighed by their reduced mass and the difference
// of their displacements: the correction pulls them with opposite forces, and linear momentum is
// kept (the equivariant form of Gonzalez 1996 for translations).
#ifndef STIC_STEP_DISCRETE_H
#define STIC_STEP_DISCRETE_H

#include "step/parts.h"

/// The two ends of a step: coordinates and times matter.
typedef struct SticEnds {
    const SticState* begin;
    const SticState* middle; ///< (q_begin + q_end) / 2, quaternions not scaled back
    const SticState* end;
    const double* weight; ///< [nq] diagonal of N
    bool bodies;          ///< the first three coordinates of every block are the place of a body
    double place;         ///< the largest of these places, m: gaps are rounded as places are
} SticEnds;

/// One row on the one or two blocks it depends on.
typedef struct SticDiscreteRow {
    double* value[2];
    const double* begin[2]; ///< coordinates of the blocks at the two ends
    const double* end[2];
    const double* weight[2];
    int32_t size[2];
    int32_t shared; ///< leading coordinates whose difference alone matters: 3 for two bodies, or 0
    double place;   ///< of a gap: largest place of a body, m; else 0
} SticDiscreteRow;

/// The row of two blocks (-1: none) whose values are at `value`.
SticDiscreteRow stic_discrete_row(const SticLayout* layout, const SticEnds* ends,
                                  const int32_t block[2], double* const value[2]);
/// Add the correction that makes row . d equal to `change`; gives the factor of N d, 0 where the
/// difference is rounding.
double stic_discrete_correct(SticDiscreteRow* row, double change);

/// Weights N [nq]: masses of coordinates; 2 tr(J) for quaternions, since T = tr(J) |A'|^2 for a
/// body that scales (Möller 4.88).
void stic_discrete_weights(const SticLayout* layout, const SticMass* mass, double* weight);

/// The contacts of a set as they are at a state, with features of that place where the surface of a
/// curved body rolls; the set itself where frozen features are exact.
SticStatus stic_discrete_trace(SticStepper* stepper, const SticSystem* system, const SticSet* set,
                               const SticState* state, SticSet* there);

/// Rows of dg/dq replaced by discrete derivatives at the time of the middle: all rows of POSITION,
/// the first of CONTACT interactions; the other rows are zero. Contacts that roll are traced. Fills
/// directions->Gt (values in measures.G). `chi` [rows], unless NULL, gets what time alone adds to
/// these rows per second: Dg d + h chi = g(end) - g(begin).
SticStatus stic_discrete_gaps(SticStepper* stepper, const SticSystem* system, const SticEnds* ends,
                              SticDirections* directions, double* chi);

/// Discrete derivative of a potential.
typedef struct SticDiscretePotential {
    double* gradient; ///< [nq] DV/Dq; memory of the caller
    SticTerms terms;  ///< `hessian`: d(DV)/d(q_end) of each term, NULL where the system has none
    double rounding;  ///< energy that V(end) - V(begin) can miss because its terms are doubles
} SticDiscretePotential;
SticStatus stic_discrete_potential(SticStepper* stepper, const SticSystem* system,
                                   const SticEnds* ends, SticDiscretePotential* out);

#endif
