// SPDX-License-Identifier: Apache-2.0
// Elementary functions with the same bits everywhere, rotation maps, 3x3 decompositions, small
// dense kernels and polynomial roots. Vectors, matrices and quaternions are in vec3.h.
#ifndef STICTION_EXTEND_MATH_H
#define STICTION_EXTEND_MATH_H

#include <stdbool.h>
#include <stdint.h>

#include "stiction/base.h"
#include "stiction/vec3.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- elementary functions ---- */

// They use only + - * / sqrt and operations on bits, so that compilers, optimisation levels and C
// libraries do not matter. Errors are in units of the last place (ulp) of the result: rounded up
// from the largest found on a million arguments per function and range against quadruple
// precision, not proven. Arguments outside the domain and NaN give NaN. -0 is kept where the
// function is odd.

/// Sine, error < 0.6 ulp for every finite argument.
STIC_API double stic_sin(double x);
/// Cosine, error < 0.6 ulp for every finite argument.
STIC_API double stic_cos(double x);
/// Sine and cosine together, the same bits as stic_sin and stic_cos.
STIC_API void stic_sincos(double x, double* sine, double* cosine);
/// Tangent, error < 0.75 ulp.
STIC_API double stic_tan(double x);
/// Arc sine in [-pi/2, pi/2], error < 0.6 ulp.
STIC_API double stic_asin(double x);
/// Arc cosine in [0, pi], error < 0.6 ulp.
STIC_API double stic_acos(double x);
/// Arc tangent in [-pi/2, pi/2], error < 0.6 ulp.
STIC_API double stic_atan(double x);
/// Angle of the point (x, y) in [-pi, pi], error < 0.6 ulp; special values of C17, F.10.1.4.
STIC_API double stic_atan2(double y, double x);
/// e^x, error < 0.7 ulp (1 ulp where the result is subnormal).
STIC_API double stic_exp(double x);
/// Natural logarithm, error < 0.6 ulp; -infinity at 0. (stic_log is the log of messages.)
STIC_API double stic_ln(double x);
/// x^y for x >= 0, error < 0.7 ulp (1 ulp if the result is subnormal); NaN for x < 0, 1 for y = 0.
STIC_API double stic_pow(double x, double y);
/// Hyperbolic sine, error < 0.7 ulp.
STIC_API double stic_sinh(double x);
/// Hyperbolic cosine, error < 0.7 ulp.
STIC_API double stic_cosh(double x);
/// Inverse hyperbolic cosine, x >= 1, error < 0.6 ulp.
STIC_API double stic_acosh(double x);

/* ---- rotations ---- */

// psi is a rotation vector: axis times angle a = |psi| (Koziara's thesis, eqs. 3.1.17, 3.1.25).

/// exp[psi], the rotation matrix (Rodrigues).
STIC_API SticMat3 stic_rotation_exp(SticVec3 psi);
/// Unit quaternion of exp[psi].
STIC_API SticQuat stic_rotation_exp_quat(SticVec3 psi);
/// T(psi): for psi + dpsi the spatial rotation increment is T dpsi, the one in body axes T' dpsi.
STIC_API SticMat3 stic_rotation_tangent(SticVec3 psi);
/// T(psi)^-1; singular at |psi| = 2 pi n, n >= 1.
STIC_API SticMat3 stic_rotation_tangent_inverse(SticVec3 psi);
/// Rotation vector with |psi| <= pi of a rotation matrix; at pi one of the two is chosen.
STIC_API SticVec3 stic_rotation_log(SticMat3 rotation);
/// Rotation vector with |psi| <= pi of a quaternion of any norm but 0.
STIC_API SticVec3 stic_rotation_log_quat(SticQuat a);
/// a (1, s)(1, -s)^-1 with s = h omega / 4: the solution of a_E - a = h/4 (a_E + a)(0, omega),
/// omega in body axes. Keeps |a|; the angle of the step is 4 atan(h |omega| / 4).
STIC_API SticQuat stic_rotation_cayley(SticQuat a, SticVec3 omega, double h);
/// One Newton step R (3 I - R'R) / 2 towards the nearest rotation: the defect e of R'R becomes e^2.
STIC_API SticMat3 stic_rotation_clean(SticMat3 rotation);

#ifdef __cplusplus
}
#endif

#endif
