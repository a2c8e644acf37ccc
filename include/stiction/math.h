// SPDX-License-Identifier: Apache-2.0
// Elementary functions with the same bits everywhere, rotation maps, 3x3 decompositions, small
// dense kernels and polynomial roots. Vectors, matrices and quaternions are in vec3.h.
#ifndef STICTION_MATH_H
#define STICTION_MATH_H

#include <stdbool.h>
#include <stdint.h>

#include "stiction/base.h"
#include "stiction/vec3.h"

/// pi, rounded to double.
#define STIC_PI 3.14159265358979323846
/// Half the distance from 1 to the next double: the relative rounding error of one operation.
#define STIC_ROUNDING 0x1p-53

/* ---- elementary functions
 * ---------------------------------------------------------------------------- */

// They use only + - * / sqrt and operations on bits, so that compilers, optimisation levels and C
// libraries do not matter. Stated errors are in units of the last place (ulp) of the result and
// hold for all arguments; arguments outside the domain and NaN give NaN. -0 is kept where the
// function is odd.

/// Sine, error < 0.8 ulp for every finite argument.
STIC_API double stic_sin(double x);
/// Cosine, error < 0.8 ulp for every finite argument.
STIC_API double stic_cos(double x);
/// Sine and cosine together, the same bits as stic_sin and stic_cos.
STIC_API void stic_sincos(double x, double* sine, double* cosine);
/// Tangent, error < 0.9 ulp.
STIC_API double stic_tan(double x);
/// Arc sine in [-pi/2, pi/2], error < 0.6 ulp.
STIC_API double stic_asin(double x);
/// Arc cosine in [0, pi], error < 0.6 ulp.
STIC_API double stic_acos(double x);
/// Arc tangent in [-pi/2, pi/2], error < 0.6 ulp.
STIC_API double stic_atan(double x);
/// Angle of the point (x, y) in [-pi, pi], error < 0.6 ulp; signed zeros and infinities as in C17
/// F.10.1.4.
STIC_API double stic_atan2(double y, double x);
/// e^x, error < 0.65 ulp (1 ulp where the result is subnormal).
STIC_API double stic_exp(double x);
/// Natural logarithm, error < 0.6 ulp; -infinity at 0. (stic_log is the log of messages.)
STIC_API double stic_ln(double x);
/// x^y for x >= 0, error < 0.65 ulp (1 ulp where the result is subnormal); NaN for x < 0 unless y
/// is 0.
STIC_API double stic_pow(double x, double y);
/// Hyperbolic sine, error < 1 ulp.
STIC_API double stic_sinh(double x);
/// Hyperbolic cosine, error < 1 ulp.
STIC_API double stic_cosh(double x);
/// Inverse hyperbolic cosine, x >= 1, error < 1 ulp.
STIC_API double stic_acosh(double x);

#endif
