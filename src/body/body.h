// SPDX-License-Identifier: Apache-2.0
// Energy and stress of bodies that deform, and what joints need of charts.
#ifndef STIC_BODY_H
#define STIC_BODY_H

#include "stiction/base.h"
#include "stiction/extend/body.h"
#include "stiction/vec3.h"

/// Gradient of D : R with respect to the turning coordinates, D 3x3 by rows: R is Lambda (9
/// values), the scaled rotation s R of the quaternion at `turn` (4 values), or F of an affine block
/// (9 values).
void stic_chart_turn_gradient(SticChart chart, const double* turn, const double D[9],
                              double* gradient);
/// p = Q(q)' f: a covector on velocities seen on coordinates; LINEAR, GENERAL and SCALABLE only.
void stic_chart_lift(SticChart chart, int32_t n, const double* q, const double* f, double* p);

/* ---- material ---- */

/// Stored energy at the deformation gradient F, J/m3 of the undeformed body.
double stic_elastic_energy(const SticElastic* elastic, SticMat3 F);
/// First Piola-Kirchhoff stress P = d psi / dF, Pa.
SticMat3 stic_elastic_stress(const SticElastic* elastic, SticMat3 F);
/// dP/dF over the entries of P and F by rows: K[9 (3 i + j) + 3 k + l] = dP_ij/dF_kl.
void stic_elastic_tangent(const SticElastic* elastic, SticMat3 F, double K[81]);
/// Cauchy stress, Pa.
SticMat3 stic_elastic_cauchy(const SticElastic* elastic, SticMat3 F);
/// Largest stable step of explicit schemes at F for a body with the undeformed volume and the Euler
/// tensor about its centre: 2 / sqrt(lambda_max(M^-1 K)), s; 0 if the tensor is not positive.
double stic_elastic_step(const SticElastic* elastic, double volume, SticMat3 euler, SticMat3 F);
/// A step that is at most that of stic_elastic_step at F, and close to it where F is close to a
/// rotation, for a tenth of the work; `rest` is that of F = I.
double stic_elastic_step_bound(const SticElastic* elastic, double volume, SticMat3 euler,
                               double rest, SticMat3 F);

#endif
