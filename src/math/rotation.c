// SPDX-License-Identifier: Apache-2.0
// Rotation maps: exponential, its differential and its inverse, logarithm, Cayley update.
//
// With p = psi, a = |psi| and hat(p) x = p x x (Koziara's thesis, eqs. 3.1.17 and 3.1.25):
//
//   exp[p]  = I + sin a / a hat(p) + (1 - cos a) / a^2 hat(p)^2
//   T(p)    = I + (1 - cos a) / a^2 hat(p) + (a - sin a) / a^3 hat(p)^2
//   T(p)^-1 = I - 1/2 hat(p) + (1 - a/2 cot(a/2)) / a^2 hat(p)^2
//
// Departure from the thesis: it truncates the series of the factors after six terms at any angle;
// here they are exact to rounding. Where a series is left for the closed form is a balance of
// errors:
//
// - With s, c = sin, cos of a/2, sin a / a = 2 s c / a and (1 - cos a)/a^2 = 2 (s/a)^2 do not
//   cancel. Their series are there for speed, below a = 1, where the absolute sum of the
//   alternating terms exceeds the value by less than sinh(a)/sin(a) = 1.4.
// - (a - sin a)/a^3 loses the factor a / (a - sin a): 6.3 at a = 1 but 1.8 at a = 2, where its
//   series loses (sinh a - a) / (a - sin a) = 1.5. The switch is at a = 2.
// - The factor of T^-1 is g a^2 / (2 (1 - cos a)) with the entire function
//   g = (2 (1 - cos a) - a sin a) / a^4, whose closed form loses 2 (1 - cos a) / (a^4 g): 12 at
//   a = 1 but 2.8 at a = 2, where its series loses less than 1.7. The same switch.
//
// Series end where the first omitted term is below 2^-54 of the value.
#include "math/math.h"

#include "stiction/extend/vec3.h"

// sum of (-1)^k x^k / (2k+1)!
static double sinc_series(double x)
{
    double p = 1.0 / 355687428096000.0;
    p = 1.0 / 1307674368000.0 - x * p;
    p = 1.0 / 6227020800.0 - x * p;
    p = 1.0 / 39916800.0 - x * p;
    p = 1.0 / 362880.0 - x * p;
    p = 1.0 / 5040.0 - x * p;
    p = 1.0 / 120.0 - x * p;
    p = 1.0 / 6.0 - x * p;
    return 1.0 - x * p;
}

// sum of (-1)^k x^k / (2k+2)!
static double cosc_series(double x)
{
    double p = 1.0 / 6402373705728000.0;
    p = 1.0 / 20922789888000.0 - x * p;
    p = 1.0 / 87178291200.0 - x * p;
    p = 1.0 / 479001600.0 - x * p;
    p = 1.0 / 3628800.0 - x * p;
    p = 1.0 / 40320.0 - x * p;
    p = 1.0 / 720.0 - x * p;
    p = 1.0 / 24.0 - x * p;
    return 0.5 - x * p;
}

// sum of (-1)^k x^k / (2k+3)!
static double tanc_series(double x)
{
    double p = 1.0 / 25852016738884976640000.0;
    p = 1.0 / 51090942171709440000.0 - x * p;
    p = 1.0 / 121645100408832000.0 - x * p;
    p = 1.0 / 355687428096000.0 - x * p;
    p = 1.0 / 1307674368000.0 - x * p;
    p = 1.0 / 6227020800.0 - x * p;
    p = 1.0 / 39916800.0 - x * p;
    p = 1.0 / 362880.0 - x * p;
    p = 1.0 / 5040.0 - x * p;
    p = 1.0 / 120.0 - x * p;
    return 1.0 / 6.0 - x * p;
}

// sum of (-1)^(k+1) 2k x^(k-1) / (2k+2)!
static double inverse_series(double x)
{
    double p = 24.0 / 403291461126605635584000000.0;
    p = 22.0 / 620448401733239439360000.0 - x * p;
    p = 20.0 / 1124000727777607680000.0 - x * p;
    p = 18.0 / 2432902008176640000.0 - x * p;
    p = 16.0 / 6402373705728000.0 - x * p;
    p = 14.0 / 20922789888000.0 - x * p;
    p = 12.0 / 87178291200.0 - x * p;
    p = 10.0 / 479001600.0 - x * p;
    p = 8.0 / 3628800.0 - x * p;
    p = 6.0 / 40320.0 - x * p;
    p = 4.0 / 720.0 - x * p;
    return 2.0 / 24.0 - x * p;
}

// inline: a caller that needs two of the factors pays for two
static inline SticRotationFactors factors(double angle2)
{
    SticRotationFactors f;
    double sine = 0.0, angle = 0.0;
    if (angle2 < 1.0) {
        f.sinc = sinc_series(angle2);
        f.cosc = cosc_series(angle2);
    } else {
        double s, c;
        angle = sqrt(angle2);
        stic_sincos(0.5 * angle, &s, &c);
        sine = 2.0 * s * c;
        f.sinc = sine / angle;
        f.cosc = 2.0 * (s / angle) * (s / angle);
    }
    const bool series = angle2 < 4.0;
    f.tanc = series ? tanc_series(angle2) : (angle - sine) / (angle * angle2);
    const double g = series ? inverse_series(angle2) : (2.0 * f.cosc - f.sinc) / angle2;
    f.inverse = g / (2.0 * f.cosc);
    return f;
}

SticRotationFactors stic_rotation_factors(double angle2)
{
    return factors(angle2);
}

// I + a hat(p) + b hat(p)^2; the diagonal of hat(p)^2 is written as a sum of squares, without
// cancellation
static SticMat3 skew_polynomial(SticVec3 p, double a, double b)
{
    const double xx = b * p.x * p.x, yy = b * p.y * p.y, zz = b * p.z * p.z;
    const double xy = b * p.x * p.y, xz = b * p.x * p.z, yz = b * p.y * p.z;
    const SticVec3 v = stic_vec3_scale(a, p);
    return (SticMat3){{{1.0 - (yy + zz), xy - v.z, xz + v.y},
                       {xy + v.z, 1.0 - (xx + zz), yz - v.x},
                       {xz - v.y, yz + v.x, 1.0 - (xx + yy)}}};
}

SticMat3 stic_rotation_exp(SticVec3 psi)
{
    const SticRotationFactors f = factors(stic_vec3_norm2(psi));
    return skew_polynomial(psi, f.sinc, f.cosc);
}

SticQuat stic_rotation_exp_quat(SticVec3 psi)
{
    const double half2 = 0.25 * stic_vec3_norm2(psi);
    // cos a/2 = 1 - (a/2)^2 cosc(a/2)
    if (half2 < 1.0)
        return stic_quat(1.0 - half2 * cosc_series(half2),
                         stic_vec3_scale(0.5 * sinc_series(half2), psi));
    const double half = sqrt(half2);
    double s, c;
    stic_sincos(half, &s, &c);
    return stic_quat(c, stic_vec3_scale(0.5 * (s / half), psi));
}

SticMat3 stic_rotation_tangent(SticVec3 psi)
{
    const SticRotationFactors f = factors(stic_vec3_norm2(psi));
    return skew_polynomial(psi, f.cosc, f.tanc);
}

SticMat3 stic_rotation_tangent_inverse(SticVec3 psi)
{
    const SticRotationFactors f = factors(stic_vec3_norm2(psi));
    return skew_polynomial(psi, -0.5, f.inverse);
}

SticVec3 stic_rotation_log_quat(SticQuat a)
{
    // a and -a are one rotation: the one with w >= 0 has the angle in [0, pi]
    if (a.w < 0.0)
        a = stic_quat_scale(-1.0, a);
    const SticVec3 v = stic_quat_vector(a);
    const double sine = stic_vec3_norm(v);
    // below the square root of the smallest number the norm is lost, and the angle is its own sine
    if (sine < 0x1p-500 * a.w)
        return stic_vec3_scale(2.0 / a.w, v);
    return stic_vec3_scale(2.0 * stic_atan2(sine, a.w) / sine, v);
}

SticVec3 stic_rotation_log(SticMat3 rotation)
{
    return stic_rotation_log_quat(stic_quat_from_matrix(rotation));
}

SticQuat stic_rotation_cayley(SticQuat a, SticVec3 omega, double h)
{
    // Möller's kinematic equation of scheme E, solved for the end point: ((1 - |s|^2), 2 s) / (1 +
    // |s|^2)
    const SticVec3 s = stic_vec3_scale(0.25 * h, omega);
    const double square = stic_vec3_norm2(s);
    const SticQuat step = stic_quat(1.0 - square, stic_vec3_scale(2.0, s));
    return stic_quat_scale(1.0 / (1.0 + square), stic_quat_mul(a, step));
}

SticMat3 stic_rotation_clean(SticMat3 rotation)
{
    const SticMat3 square = stic_mat3_transpose_mul(rotation, rotation);
    const SticMat3 excess = stic_mat3_sub(square, stic_mat3_identity());
    return stic_mat3_add_scaled(rotation, -0.5, stic_mat3_mul(rotation, excess));
}
