// SPDX-License-Identifier: Apache-2.0
// Elementary functions from + - * / sqrt and bit operations: the same bits with every compiler.
//
// Method, the same for all: (1) reduce the argument exactly, keeping what does not fit as a low
// part; (2) a Taylor polynomial in double for the part of the result that is small compared with
// the result; (3) add the leading terms as pairs of doubles, so that the final rounding is the only
// one that counts.
//
// Coefficients are those of the Taylor series, written as quotients of integers, so that they can
// be checked by eye and the compiler rounds them; each series is cut where the first omitted term
// is below 2^-60 of the result. Constants with many digits (pi, ln 2, atan(i/8)) were evaluated
// with 1500 bits and split.
//
// sin, cos: x = n pi/2 + r, |r| <= pi/4, with four parts of pi/2 for |x| < 2^20 (Cody and Waite
// 1980), else with 192 bits of 2/pi times the integer significand (Payne and Hanek 1983).
//
// atan: in the first octant, n/d in [0, 1], with i = nearest(8 n/d) and
// t = (n - i d/8) / (d + i n/8):  atan(n/d) = atan(i/8) + atan(t), |t| <= 1/16. atan2, asin and
// acos are angles of points; asin and acos take the other coordinate sqrt(1 - x^2) as a pair.
//
// exp: x = k ln 2 + r, |r| <= ln(2)/2.
//
// log: x = 2^k m, sqrt(1/2) <= m < sqrt(2), log m = 2 atanh(s), s = (m - 1)/(m + 1), |s| < 0.1716.
// For x^y = exp(y log x) the first three terms of atanh are pairs, which gives 2^-68.
#include "math/math.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/extended.h"

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// 2^k for -1022 <= k <= 1023
static double power_of_two(int k)
{
    return double_of((uint64_t)(k + 1023) << 52);
}

// x 2^k; two factors where one is not representable, so that subnormal results are rounded once
static double scaled(double x, int k)
{
    if (k > 1023)
        return x * 0x1p1023 * power_of_two(k - 1023 > 1023 ? 1023 : k - 1023);
    if (k < -1022)
        return x * power_of_two(k + 1022 < -1022 ? -1022 : k + 1022) * 0x1p-1022;
    return x * power_of_two(k);
}

// nearest integer, ties to even, for |x| < 2^51
static double nearest(double x)
{
    return (x + 0x1.8p52) - 0x1.8p52;
}

static double not_a_number(void)
{
    return double_of(0x7ff8000000000000u);
}

/* ---- sine, cosine, tangent ---- */

static const SticExtended half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

// 2/pi by 64-bit words, most significant first, after one word of zeros
static const uint64_t two_over_pi[21] = {
    0x0000000000000000u, 0xa2f9836e4e441529u, 0xfc2757d1f534ddc0u, 0xdb6295993c439041u,
    0xfe5163abdebbc561u, 0xb7246e3a424dd2e0u, 0x06492eea09d1921cu, 0xfe1deb1cb129a73eu,
    0xe88235f52ebb4484u, 0xe99c7026b45f7e41u, 0x3991d639835339f4u, 0x9c845f8bbdf9283bu,
    0x1ff897ffde05980fu, 0xef2f118b5a0a6d1fu, 0x6d367ecf27cb09b7u, 0x4f463f669e5fea2du,
    0x7527bac7ebe5f17bu, 0x3d0739f78a5292eau, 0x6bfb5fb11f8d5d08u, 0x56033046fc7b6babu,
    0xf0cfbc209af4361du};

// high word of a 64 x 64 bit product
static uint64_t product_high(uint64_t a, uint64_t b)
{
    const uint64_t a_low = a & 0xffffffffu, a_high = a >> 32;
    const uint64_t b_low = b & 0xffffffffu, b_high = b >> 32;
    const uint64_t cross = (a_low * b_low >> 32) + (a_high * b_low & 0xffffffffu) + a_low * b_high;
    return a_high * b_high + (a_high * b_low >> 32) + (cross >> 32);
}

// significand times a window of 2/pi, modulo 4, as a fixed-point number with two integer bits
static void multiply_window(uint64_t significand, int exponent, uint64_t product[3])
{
    // bits of 2/pi whose product with the significand is a multiple of 4 are left out; the table
    // starts 64 bits before the binary point
    const int start = exponent - 2 + 64;
    const int word = start / 64, shift = start % 64;
    uint64_t window[3];
    for (int i = 0; i < 3; ++i)
        window[i] =
            shift == 0 ? two_over_pi[word + i]
                       : two_over_pi[word + i] << shift | two_over_pi[word + i + 1] >> (64 - shift);
    product[2] = window[2] * significand;
    const uint64_t carry_middle = product_high(window[2], significand);
    product[1] = window[1] * significand + carry_middle;
    product[0] = window[0] * significand + product_high(window[1], significand) +
                 (product[1] < carry_middle);
}

// the 53 bits of a 192-bit number that start at bit `from` (0: most significant)
static double take_bits(const uint64_t number[3], int from)
{
    if (from >= 192 - 53)
        return 0.0;
    const int word = from / 64, shift = from % 64;
    const uint64_t next = word < 2 ? number[word + 1] : 0;
    const uint64_t run = shift == 0 ? number[word] : number[word] << shift | next >> (64 - shift);
    return (double)(run >> 11);
}

// x = n pi/2 + rest for |x| >= 2^20; returns n modulo 4
static int reduce_large(double x, SticExtended* rest)
{
    const uint64_t bits = bits_of(x);
    const uint64_t significand = (bits & 0xfffffffffffffu) | 0x10000000000000u;
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1075;
    uint64_t product[3];
    multiply_window(significand, exponent, product);

    // integer part and, as a signed fraction in [-1/2, 1/2], what remains
    int quadrant = (int)(product[0] >> 62);
    product[0] = product[0] << 2 | product[1] >> 62;
    product[1] = product[1] << 2 | product[2] >> 62;
    product[2] <<= 2;
    bool negative = product[0] >> 63 != 0;
    if (negative) {
        ++quadrant;
        product[2] = ~product[2];
        product[1] = ~product[1];
        product[0] = ~product[0];
    }

    // the closest a double comes to a multiple of pi/2 leaves more than 100 significant bits
    int lead = 0;
    while (lead < 127 && (product[lead / 64] << lead % 64 >> 63) == 0)
        ++lead;
    const double high = take_bits(product, lead) * power_of_two(-53 - lead);
    const double low = take_bits(product, lead + 53) * power_of_two(-106 - lead);
    *rest = stic_extended_mul((SticExtended){high, low}, half_pi);
    if (negative != (bits >> 63 != 0))
        *rest = stic_extended_neg(*rest);
    return (bits >> 63 != 0 ? -quadrant : quadrant) & 3;
}

// x = n pi/2 + rest with |rest| <= pi/4 (1 + 2^-50), for finite x; returns n modulo 4
static int reduce(double x, SticExtended* rest)
{
    if (fabs(x) <= 0.78539816339744828) {
        *rest = stic_extended_from(x);
        return 0;
    }
    if (fabs(x) >= 0x1p20)
        return reduce_large(x, rest);
    // 33 bits in each of the first three parts: their products with n < 2^20 are exact
    const double n = nearest(x * 0x1.45f306dc9c883p-1);
    const SticExtended first =
        stic_extended_sum(x - n * 0x1.921fb54400000p+0, -n * 0x1.0b4611a600000p-34);
    const SticExtended second = stic_extended_sum(first.high, -n * 0x1.3198a2e000000p-69);
    *rest = stic_extended_sum(second.high, second.low + (first.low - n * 0x1.b839a252049c1p-104));
    return (int)((int64_t)n & 3);
}

// sin(r), Taylor to r^17: omitted (pi/4)^18 / 19! = 2^-63. The cubic term is the one whose error
// would count: h is cut to a multiple a of 2^-17, so that a^3 is exact, and h^3 - a^3 is small
static SticExtended sine_kernel(SticExtended r)
{
    const double h = r.high, z = h * h;
    double p = 1.0 / 355687428096000.0;
    p = p * z - 1.0 / 1307674368000.0;
    p = p * z + 1.0 / 6227020800.0;
    p = p * z - 1.0 / 39916800.0;
    p = p * z + 1.0 / 362880.0;
    p = p * z - 1.0 / 5040.0;
    p = p * z + 1.0 / 120.0;
    const double a = (h + 0x1.8p35) - 0x1.8p35;
    const double cube = a * a * a, cube_rest = (h - a) * (z + a * (h + a));
    const SticExtended sixth = {0x1.5555555555555p-3, 0x1.5555555555555p-57};
    const double rest = h * z * (z * p) - cube_rest * sixth.high - cube * sixth.low;
    const SticExtended lead = stic_extended_sum_ordered(h, -cube * sixth.high);
    return stic_extended_sum_ordered(lead.high, lead.low + (rest + r.low * (1.0 - 0.5 * z)));
}

// cos(r), Taylor to r^18: omitted (pi/4)^20 / 20! = 2^-68
static SticExtended cosine_kernel(SticExtended r)
{
    const double h = r.high;
    const SticExtended square = stic_extended_product(h, h);
    const double z = square.high;
    double p = -1.0 / 6402373705728000.0;
    p = p * z + 1.0 / 20922789888000.0;
    p = p * z - 1.0 / 87178291200.0;
    p = p * z + 1.0 / 479001600.0;
    p = p * z - 1.0 / 3628800.0;
    p = p * z + 1.0 / 40320.0;
    p = p * z - 1.0 / 720.0;
    p = p * z + 1.0 / 24.0;
    const SticExtended lead = stic_extended_sum_ordered(1.0, -0.5 * z);
    const double rest = z * z * p - (0.5 * square.low + h * r.low);
    return stic_extended_sum_ordered(lead.high, lead.low + rest);
}

static void sine_and_cosine(double x, SticExtended* sine, SticExtended* cosine)
{
    SticExtended rest;
    const int quadrant = reduce(x, &rest);
    const SticExtended s = sine_kernel(rest), c = cosine_kernel(rest);
    *sine = quadrant & 1 ? c : s;
    *cosine = quadrant & 1 ? s : c;
    if (quadrant & 2)
        *sine = stic_extended_neg(*sine);
    if ((quadrant + 1) & 2)
        *cosine = stic_extended_neg(*cosine);
}

// below 2^-28 the second term of every odd function here, at most x^3/3, is less than 0.05 ulp
static bool is_tiny(double x)
{
    return fabs(x) < 0x1p-28;
}

double stic_sin(double x)
{
    if (is_tiny(x))
        return x;
    if (!isfinite(x))
        return not_a_number();
    SticExtended rest;
    const int quadrant = reduce(x, &rest);
    const double value = quadrant & 1 ? cosine_kernel(rest).high : sine_kernel(rest).high;
    return quadrant & 2 ? -value : value;
}

double stic_cos(double x)
{
    if (!isfinite(x))
        return not_a_number();
    SticExtended rest;
    const int quadrant = reduce(x, &rest);
    const double value = quadrant & 1 ? sine_kernel(rest).high : cosine_kernel(rest).high;
    return (quadrant + 1) & 2 ? -value : value;
}

void stic_sincos(double x, double* sine, double* cosine)
{
    if (!isfinite(x)) {
        *sine = *cosine = not_a_number();
        return;
    }
    SticExtended s, c;
    sine_and_cosine(x, &s, &c);
    *sine = is_tiny(x) ? x : s.high;
    *cosine = c.high;
}

double stic_tan(double x)
{
    if (is_tiny(x))
        return x;
    if (!isfinite(x))
        return not_a_number();
    SticExtended s, c;
    sine_and_cosine(x, &s, &c);
    return stic_extended_div(s, c).high;
}

/* ---- inverse circular functions ---- */

// atan(i/8)
static const SticExtended atan_table[9] = {{0.0, 0.0},
                                           {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                           {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                           {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                           {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                           {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                           {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                           {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                           {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};

// atan(n/d) for 0 <= n <= d, d in [2^-100, 2^100]; Taylor to t^15, omitted 2^-64 / 17
static SticExtended octant_angle(SticExtended n, SticExtended d)
{
    const double i = nearest(8.0 * (n.high / d.high));
    const SticExtended t =
        i == 0.0 ? stic_extended_div(n, d)
                 : stic_extended_div(stic_extended_sub(n, stic_extended_mul_double(d, 0.125 * i)),
                                     stic_extended_add(d, stic_extended_mul_double(n, 0.125 * i)));
    const double z = t.high * t.high;
    double p = -1.0 / 15.0;
    p = p * z + 1.0 / 13.0;
    p = p * z - 1.0 / 11.0;
    p = p * z + 1.0 / 9.0;
    p = p * z - 1.0 / 7.0;
    p = p * z + 1.0 / 5.0;
    p = p * z - 1.0 / 3.0;
    const SticExtended table = atan_table[(int)i];
    const SticExtended lead = stic_extended_sum(table.high, t.high);
    return stic_extended_sum_ordered(lead.high, lead.low + (table.low + (t.low + t.high * z * p)));
}

// angle of (x, y) with y >= 0 and max(|x|, y) in [2^-100, 2^100]
static double half_plane_angle(SticExtended y, SticExtended x)
{
    const bool left = x.high < 0.0;
    if (left)
        x = stic_extended_neg(x);
    // pairs compare by their high parts, which is enough: either octant is accurate on the diagonal
    SticExtended angle;
    if (y.high > x.high)
        angle = stic_extended_sub(half_pi, octant_angle(x, y));
    else
        angle = octant_angle(y, x);
    if (left)
        angle = stic_extended_sub((SticExtended){2.0 * half_pi.high, 2.0 * half_pi.low}, angle);
    return angle.high;
}

double stic_atan(double x)
{
    if (isnan(x) || is_tiny(x))
        return x;
    // beyond 2^60 the angle is pi/2 to the last bit
    const double size = fabs(x) > 0x1p60 ? 0x1p60 : fabs(x);
    return copysign(half_plane_angle(stic_extended_from(size), stic_extended_from(1.0)), x);
}

double stic_atan2(double y, double x)
{
    if (isnan(x) || isnan(y))
        return not_a_number();
    double ay = fabs(y), ax = fabs(x);
    if (isinf(ax) || isinf(ay)) {
        ay = isinf(ay) ? 1.0 : 0.0;
        ax = isinf(ax) ? 1.0 : 0.0;
    }
    if (ay == 0.0)
        return copysign(signbit(x) ? STIC_PI : 0.0, y);
    // bring the larger component to [1/2, 1), unless the angle is just the quotient
    const double top = ay > ax ? ay : ax;
    int exponent;
    (void)frexp(top, &exponent);
    const bool right = !signbit(x);
    if (right && is_tiny(ay / ax))
        return copysign(ay / ax, y);
    ay = scaled(ay, -exponent);
    ax = scaled(ax, -exponent);
    ax = ax < 0x1p-80 ? 0.0 : ax;
    ay = ay < 0x1p-80 ? 0.0 : ay;
    return copysign(half_plane_angle(stic_extended_from(ay), stic_extended_from(right ? ax : -ax)),
                    y);
}

// sqrt(1 - x^2) as a pair
static SticExtended unit_complement(double x)
{
    const SticExtended square = stic_extended_product(x, x);
    return stic_extended_sqrt(stic_extended_sub(stic_extended_from(1.0), square));
}

double stic_asin(double x)
{
    if (is_tiny(x))
        return x;
    if (!(fabs(x) <= 1.0))
        return not_a_number();
    return copysign(half_plane_angle(stic_extended_from(fabs(x)), unit_complement(x)), x);
}

double stic_acos(double x)
{
    if (!(fabs(x) <= 1.0))
        return not_a_number();
    if (fabs(x) < 0x1p-80)
        return half_pi.high;
    return half_plane_angle(unit_complement(x), stic_extended_from(x));
}

/* ---- exponential and logarithm ---- */

// e^(x.high + x.low) = 2^k value, |x| < 1100; Taylor to r^14: omitted (ln(2)/2)^15 / 15! = 2^-63
static SticExtended exp_kernel(SticExtended x, int* k)
{
    const double n = nearest(x.high * 0x1.71547652b82fep+0);
    // ln 2 in 42 + 53 bits: the first product is exact
    const SticExtended r =
        stic_extended_sum(x.high - n * 0x1.62e42fefa3800p-1, x.low - n * 0x1.ef35793c76730p-45);
    const double h = r.high;
    double p = 1.0 / 87178291200.0;
    p = p * h + 1.0 / 6227020800.0;
    p = p * h + 1.0 / 479001600.0;
    p = p * h + 1.0 / 39916800.0;
    p = p * h + 1.0 / 3628800.0;
    p = p * h + 1.0 / 362880.0;
    p = p * h + 1.0 / 40320.0;
    p = p * h + 1.0 / 5040.0;
    p = p * h + 1.0 / 720.0;
    p = p * h + 1.0 / 120.0;
    p = p * h + 1.0 / 24.0;
    p = p * h + 1.0 / 6.0;
    p = p * h + 0.5;
    *k = (int)n;
    const SticExtended lead = stic_extended_sum_ordered(1.0, h);
    return stic_extended_sum_ordered(lead.high, lead.low + (h * h * p + r.low * (1.0 + h)));
}

// e^(x.high + x.low) with overflow to infinity and underflow to 0
static double exp_pair(SticExtended x)
{
    if (x.high > 710.0)
        return HUGE_VAL;
    if (x.high < -750.0)
        return 0.0;
    int k;
    const SticExtended value = exp_kernel(x, &k);
    return scaled(value.high, k);
}

double stic_exp(double x)
{
    return isnan(x) ? x : exp_pair(stic_extended_from(x));
}

// x = 2^k m with m in [sqrt(1/2), sqrt(2)); returns s = (m - 1)/(m + 1), so that log x = k ln 2 + 2
// atanh(s)
static SticExtended log_reduce(SticExtended x, int* k)
{
    // subnormals are scaled up first
    *k = 0;
    if (x.high < DBL_MIN) {
        x = (SticExtended){x.high * 0x1p54, x.low * 0x1p54};
        *k = -54;
    }
    const uint64_t bits = bits_of(x.high);
    int power = (int)(bits >> 52) - 1023;
    if ((bits & 0xfffffffffffffu) >= 0x6a09e667f3bcdu)
        ++power;
    *k += power;
    const SticExtended m = {scaled(x.high, -power), scaled(x.low, -power)};
    const SticExtended above = stic_extended_sum(m.high - 1.0, m.low);
    const SticExtended below = stic_extended_add_double(stic_extended_sum(m.high, 1.0), m.low);
    return stic_extended_div(above, below);
}

// atanh(s) = s (1 + z/3 + z^2/5 + z^3 p(z)), z = s^2 < 0.0295; omitted z^13 / 27 = 2^-70
static double atanh_tail(double z)
{
    double p = 1.0 / 25.0;
    p = p * z + 1.0 / 23.0;
    p = p * z + 1.0 / 21.0;
    p = p * z + 1.0 / 19.0;
    p = p * z + 1.0 / 17.0;
    p = p * z + 1.0 / 15.0;
    p = p * z + 1.0 / 13.0;
    p = p * z + 1.0 / 11.0;
    p = p * z + 1.0 / 9.0;
    return p * z + 1.0 / 7.0;
}

// log of a pair in (0, infinity), as a pair with relative error < 2^-68
static SticExtended log_kernel(SticExtended x)
{
    int k;
    const SticExtended s = log_reduce(x, &k);
    const SticExtended z = stic_extended_mul(s, s);
    const SticExtended fifth = {0x1.999999999999ap-3, -0x1.999999999999ap-57};
    const SticExtended third = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
    SticExtended q = stic_extended_add(fifth, stic_extended_mul_double(z, atanh_tail(z.high)));
    q = stic_extended_add(third, stic_extended_mul(z, q));
    const SticExtended half = stic_extended_add(s, stic_extended_mul(stic_extended_mul(s, z), q));

    // k ln 2 in 42 + 42 + 53 bits
    const SticExtended scale =
        stic_extended_sum(k * 0x1.62e42fefa3800p-1, k * 0x1.ef35793c76000p-45);
    const SticExtended whole =
        stic_extended_add(scale, (SticExtended){2.0 * half.high, 2.0 * half.low});
    return stic_extended_add_double(whole, k * 0x1.cc01f97b57a08p-87);
}

double stic_ln(double x)
{
    if (x == 0.0)
        return -HUGE_VAL;
    if (!(x > 0.0))
        return not_a_number();
    if (isinf(x))
        return x;
    // as log_kernel, but with z/3 and what follows, 1 % of the result, in double
    int k;
    const SticExtended s = log_reduce(stic_extended_from(x), &k);
    const double z = s.high * s.high;
    const double tail = 2.0 * s.high * z * (1.0 / 3.0 + z * (1.0 / 5.0 + z * atanh_tail(z)));
    const SticExtended lead = stic_extended_sum(k * 0x1.62e42fefa3800p-1, 2.0 * s.high);
    return lead.high + (lead.low + (tail + (2.0 * s.low + k * 0x1.ef35793c76730p-45)));
}

double stic_pow(double x, double y)
{
    if (y == 0.0 || x == 1.0)
        return 1.0;
    if (isnan(y) || !(x >= 0.0))
        return not_a_number();
    // 0 and infinity: the limit
    if (x == 0.0 || isinf(x))
        return (x == 0.0) == (y > 0.0) ? 0.0 : HUGE_VAL;
    const SticExtended log_x = log_kernel(stic_extended_from(x));
    // beyond these the result is 0, infinity, or 1 to the last bit, and the product might not be
    // exact
    const double estimate = log_x.high * y;
    if (!(fabs(estimate) < 750.0))
        return estimate > 0.0 ? HUGE_VAL : 0.0;
    if (fabs(estimate) < 0x1p-60)
        return 1.0 + estimate;
    return exp_pair(stic_extended_mul_double(log_x, y));
}

/* ---- hyperbolic functions ---- */

// 2^k (e + sign / e) / 2 for e = e^x, k chosen by exp_kernel; x >= 0
static double half_sum(double x, double sign)
{
    if (x > 711.0)
        return HUGE_VAL;
    int k;
    const SticExtended e = exp_kernel(stic_extended_from(x), &k);
    // e^-x is below half an ulp of e^x beyond 20
    SticExtended sum = e;
    if (x < 40.0) {
        const double factor = sign * power_of_two(-2 * k);
        const SticExtended inverse = stic_extended_div(stic_extended_from(1.0), e);
        sum = stic_extended_add(e, (SticExtended){factor * inverse.high, factor * inverse.low});
    }
    return scaled(sum.high, k - 1);
}

double stic_sinh(double x)
{
    const double size = fabs(x);
    if (isnan(x) || is_tiny(x))
        return x;
    if (size >= 0.6)
        return copysign(half_sum(size, -1.0), x);
    // Taylor to x^15: omitted 0.6^16 / 17! = 2^-60
    const double z = x * x;
    double p = 1.0 / 1307674368000.0;
    p = p * z + 1.0 / 6227020800.0;
    p = p * z + 1.0 / 39916800.0;
    p = p * z + 1.0 / 362880.0;
    p = p * z + 1.0 / 5040.0;
    p = p * z + 1.0 / 120.0;
    p = p * z + 1.0 / 6.0;
    return x + x * z * p;
}

double stic_cosh(double x)
{
    return isnan(x) ? x : half_sum(fabs(x), 1.0);
}

double stic_acosh(double x)
{
    if (!(x >= 1.0))
        return not_a_number();
    // beyond 2^60, x + sqrt(x^2 - 1) = 2 x to the last bit
    if (x > 0x1p60) {
        const SticExtended ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
        return isinf(x) ? x : stic_extended_add(log_kernel(stic_extended_from(x)), ln2).high;
    }
    const SticExtended square = stic_extended_product(x, x);
    const SticExtended root = stic_extended_sqrt(stic_extended_add_double(square, -1.0));
    const SticExtended sum = stic_extended_add_double(root, x);
    return sum.high == 1.0 && sum.low == 0.0 ? 0.0 : log_kernel(sum).high;
}
