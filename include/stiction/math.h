// SPDX-License-Identifier: Apache-2.0
// Elementary functions with the same bits everywhere, rotation maps, 3x3 decompositions, small
// dense kernels and polynomial roots. Vectors, matrices and quaternions are in vec3.h.
#ifndef STICTION_MATH_H
#define STICTION_MATH_H

#include <stdbool.h>
#include <stdint.h>

#include "stiction/base.h"
#include "stiction/vec3.h"

#ifdef __cplusplus
extern "C" {
#endif

/// pi, rounded to double.
#define STIC_PI 3.14159265358979323846
/// Half the distance from 1 to the next double: the relative rounding error of one operation.
#define STIC_ROUNDING 0x1p-53

/* ---- elementary functions -------------------------------------------------------------------- */

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

/* ---- rotations ------------------------------------------------------------------------------- */

// psi is a rotation vector: axis times angle a = |psi| (Koziara's thesis, eqs. 3.1.17, 3.1.25).

/// The scalar factors of the rotation maps for a < pi with a relative error below 2^-50, for sinc
/// an absolute one.
typedef struct SticRotationFactors {
    double sinc;    ///< sin a / a
    double cosc;    ///< (1 - cos a) / a^2
    double tanc;    ///< (a - sin a) / a^3
    double inverse; ///< (1 - a/2 cot(a/2)) / a^2, singular at a = 2 pi n, n >= 1
} SticRotationFactors;

/// Factors for the squared angle a^2.
STIC_API SticRotationFactors stic_rotation_factors(double angle2);
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

/* ---- 3x3 decompositions ---------------------------------------------------------------------- */

/// Eigenvalues in ascending order and, as columns with determinant 1, eigenvectors of a symmetric
/// matrix; only the upper triangle is read. A matrix that is not finite gives NaN.
STIC_API void stic_eigen3_symmetric(SticMat3 a, SticVec3* values, SticMat3* vectors);
/// Largest eigenvalue of [a b; b c].
STIC_API double stic_eigen2_largest(double a, double b, double c);

/// F = R S with R orthogonal, S symmetric positive definite. STIC_OK for det F > 0; STIC_BAD_DATA
/// for det F < 0, with R of determinant -1; STIC_SINGULAR (condition beyond 2^51) and
/// STIC_NOT_FINITE give identity and zero.
STIC_API SticStatus stic_polar3(SticMat3 f, SticMat3* rotation, SticMat3* stretch);

/* ---- small dense matrices -------------------------------------------------------------------- */

// n x n matrices by rows, of any n, in memory of the caller; made for n up to about 64. n = 3 and 6
// are compiled with constant size. A matrix that is not finite is reported as singular.

/// c = a b with a m x k and b k x n; c must not overlap them.
STIC_API void stic_dense_mul(int32_t m, int32_t k, int32_t n, const double* a, const double* b,
                             double* c);
/// y = a x with a m x n; y must not overlap x.
STIC_API void stic_dense_mul_vec(int32_t m, int32_t n, const double* a, const double* x, double* y);
/// Largest column sum of absolute values.
STIC_API double stic_dense_norm1(int32_t n, const double* a);
/// a := L with a = L L', lower triangle (the upper one is neither read nor written); STIC_SINGULAR
/// if a pivot is not positive, that is, if a is not positive definite.
STIC_API SticStatus stic_dense_cholesky(int32_t n, double* a);
/// x := (L L')^-1 x
STIC_API void stic_dense_cholesky_solve(int32_t n, const double* factor, double* x);
/// Inverse of a symmetric positive definite matrix, from its lower triangle; may be a itself.
STIC_API SticStatus stic_dense_spd_inverse(int32_t n, const double* a, double* inverse);
/// a := L U with rows exchanged (pivot[n]); STIC_SINGULAR if a pivot is 0 or not finite.
STIC_API SticStatus stic_dense_lu(int32_t n, double* a, int32_t* pivot);
/// x := a^-1 x
STIC_API void stic_dense_lu_solve(int32_t n, const double* factor, const int32_t* pivot, double* x);
/// x := a^-T x
STIC_API void stic_dense_lu_solve_transpose(int32_t n, const double* factor, const int32_t* pivot,
                                            double* x);
/// a^-1 from its factor.
STIC_API void stic_dense_lu_invert(int32_t n, const double* factor, const int32_t* pivot,
                                   double* inverse);
/// Estimate of |a|_1 |a^-1|_1 from below, rarely by more than a factor 3; norm1 = |a|_1, work[2 n].
STIC_API double stic_dense_lu_condition(int32_t n, const double* factor, const int32_t* pivot,
                                        double norm1, double* work);
/// Inverse of a general n x n matrix, n at most 12; SINGULAR if a pivot vanishes.
STIC_API SticStatus stic_dense_inverse(int32_t n, const double* a, double* inverse);
/// Eigenvalues of a symmetric matrix in ascending order; the matrix is overwritten.
STIC_API void stic_dense_eigenvalues(int32_t n, double* a, double* values);

/* ---- roots of polynomials -------------------------------------------------------------------- */

/// Highest degree that stic_polynomial_roots accepts.
#define STIC_POLYNOMIAL_DEGREE_MAX 8

/// c[0] + c[1] x + … + c[degree] x^degree
STIC_API double stic_polynomial_value(int32_t degree, const double* c, double x);
/// Distinct real roots in [low, high], ascending; returns how many. Infinite ends are allowed
/// (roots beyond 2^(1000/degree) are not looked for). A value that is 0 within the rounding error
/// of its evaluation counts as 0, so that a double root is found once. Leading zeros are allowed; a
/// constant, or a polynomial that is not finite, has no roots here.
STIC_API int32_t stic_polynomial_roots(int32_t degree, const double* c, double low, double high,
                                       double* roots);

#ifdef __cplusplus
}
#endif

#endif
