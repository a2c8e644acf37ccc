// SPDX-License-Identifier: Apache-2.0
// Dense kernels, eigenvalues, polynomials.
#ifndef STIC_MATH_H
#define STIC_MATH_H

#include <stdbool.h>
#include <stdint.h>

#include "stiction/base.h"
#include "stiction/extend/math.h"
#include "stiction/vec3.h"

/* ---- the larger and the smaller of two ---- */

/// Unlike fmax, which may take either zero, the same bits everywhere; `a` where b is not a number.
static inline double stic_larger(double a, double b)
{
    return b > a ? b : a;
}

static inline double stic_smaller(double a, double b)
{
    return b < a ? b : a;
}

/// pi, rounded to double.
#define STIC_PI 3.14159265358979323846

/// Half the distance from 1 to the next double: the relative rounding error of one operation.
#define STIC_ROUNDING 0x1p-53

/* ---- rotations ---- */

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
SticRotationFactors stic_rotation_factors(double angle2);

/* ---- 3x3 decompositions ---- */

/// Eigenvalues in ascending order and, as columns with determinant 1, eigenvectors of a symmetric
/// matrix; only the upper triangle is read. A matrix that is not finite gives NaN.
void stic_eigen3_symmetric(SticMat3 a, SticVec3* values, SticMat3* vectors);
/// Largest eigenvalue of [a b; b c].
double stic_eigen2_largest(double a, double b, double c);
/// F = R S with R orthogonal, S symmetric positive definite. STIC_OK for det F > 0; STIC_BAD_DATA
/// for det F < 0, with R of determinant -1; STIC_SINGULAR (condition beyond 2^51) and
/// STIC_NOT_FINITE give identity and zero.
SticStatus stic_polar3(SticMat3 f, SticMat3* rotation, SticMat3* stretch);

/* ---- small dense matrices ---- */

// n x n matrices by rows, of any n, in memory of the caller; made for n up to about 64. n = 3 and 6
// are compiled with constant size. A matrix that is not finite is reported as singular.

/// c = a b with a m x k and b k x n; c must not overlap them.
void stic_dense_mul(int32_t m, int32_t k, int32_t n, const double* a, const double* b, double* c);
/// y = a x with a m x n; y must not overlap x.
void stic_dense_mul_vec(int32_t m, int32_t n, const double* a, const double* x, double* y);
/// Largest column sum of absolute values.
double stic_dense_norm1(int32_t n, const double* a);
/// Whether all n values are finite.
bool stic_dense_is_finite(int32_t n, const double* x);
/// a := L with a = L L', lower triangle (the upper one is neither read nor written); STIC_SINGULAR
/// if a pivot is not positive, that is, if a is not positive definite.
SticStatus stic_dense_cholesky(int32_t n, double* a);
/// x := (L L')^-1 x
void stic_dense_cholesky_solve(int32_t n, const double* factor, double* x);
/// Inverse of a symmetric positive definite matrix, from its lower triangle; may be a itself.
SticStatus stic_dense_spd_inverse(int32_t n, const double* a, double* inverse);
/// a := L U with rows exchanged (pivot[n]); STIC_SINGULAR if a pivot is 0 or not finite.
SticStatus stic_dense_lu(int32_t n, double* a, int32_t* pivot);
/// x := a^-1 x
void stic_dense_lu_solve(int32_t n, const double* factor, const int32_t* pivot, double* x);
/// Where rows of a factor begin and end: entries of L before `first` [n] and of U from `end` [n] on are
/// zero.
void stic_dense_lu_extent(int32_t n, const double* factor, int32_t* first, int32_t* end);
/// x := a^-1 x, without the zeros of a factor.
void stic_dense_lu_solve_within(int32_t n, const double* factor, const int32_t* pivot,
                                const int32_t* first, const int32_t* end, double* x);
/// x := a^-T x
void stic_dense_lu_solve_transpose(int32_t n, const double* factor, const int32_t* pivot,
                                   double* x);
/// a^-1 from its factor.
void stic_dense_lu_invert(int32_t n, const double* factor, const int32_t* pivot, double* inverse);
/// Estimate of |a|_1 |a^-1|_1 from below, rarely by more than a factor 3; norm1 = |a|_1, work[2 n].
double stic_dense_lu_condition(int32_t n, const double* factor, const int32_t* pivot, double norm1,
                               double* work);
/// Inverse of a general n x n matrix, n at most 12; SINGULAR if a pivot vanishes.
SticStatus stic_dense_inverse(int32_t n, const double* a, double* inverse);
/// Eigenvalues of a symmetric matrix in ascending order; the matrix is overwritten.
void stic_dense_eigenvalues(int32_t n, double* a, double* values);

/* ---- roots of polynomials ---- */

/// Highest degree that stic_polynomial_roots accepts.
#define STIC_POLYNOMIAL_DEGREE_MAX 8

/// c[0] + c[1] x + … + c[degree] x^degree
double stic_polynomial_value(int32_t degree, const double* c, double x);
/// Distinct real roots in [low, high], ascending; returns how many. Infinite ends are allowed
/// (roots beyond 2^(1000/degree) are not looked for). A value that is 0 within the rounding error
/// of its evaluation counts as 0, so that a double root is found once. Leading zeros are allowed; a
/// constant, or a polynomial that is not finite, has no roots here.
int32_t stic_polynomial_roots(int32_t degree, const double* c, double low, double high,
                              double* roots);

#endif
