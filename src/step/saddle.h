// SPDX-License-Identifier: Apache-2.0
// Accelerations under conditions that hold as equations, some of them redundant.
#ifndef STIC_STEP_SADDLE_H
#define STIC_STEP_SADDLE_H

#include "stiction/extend/problem.h"

/// Factor of M a = f + H lambda, P' a + w = 0, in the arena it was made in.
typedef struct SticSaddle SticSaddle;

/// Factorise for a mass and directions of forces (H') and of conditions (P'), which stay the
/// caller's. SINGULAR where the conditions have no factor.
SticStatus stic_saddle_create(SticArena* arena, const SticMass* mass, const SticBlockCsr* Ht,
                              const SticBlockCsr* Pt, SticSaddle** made);
/// a [dof] and lambda [rows] for f [dof] and w [rows]. Of the forces that redundant conditions
/// leave open, the least ones in the metric of the mobilities: the most even ones.
void stic_saddle_solve(SticSaddle* saddle, const double* f, const double* w, double* a,
                       double* lambda);

#endif
