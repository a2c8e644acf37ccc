// SPDX-License-Identifier: Apache-2.0
// Arithmetic with about 106 bits: error-free sums and products, and pairs of doubles.
//
// Sum: Knuth's and Dekker's error-free transformations. Product: Dekker's product with Veltkamp's
// splitting; it does not rely on a fused multiply-add, so that the bits are the same on every
// machine. Products are exact while no part over- or underflows: |a|, |b| < 2^995 and |a b| >
// 2^-969 (or 0).
#ifndef STIC_MATH_EXTENDED_H
#define STIC_MATH_EXTENDED_H

#include <math.h>
#include <stddef.h>

/// Unevaluated sum high + low with |low| <= ulp(high)/2.
typedef struct SticExtended {
    double high, low;
} SticExtended;

/// a + b without error.
static inline SticExtended stic_extended_sum(double a, double b)
{
    const double sum = a + b;
    const double part = sum - a;
    return (SticExtended){sum, (a - (sum - part)) + (b - part)};
}

/// a + b without error, for |a| >= |b| or a = 0.
static inline SticExtended stic_extended_sum_ordered(double a, double b)
{
    const double sum = a + b;
    return (SticExtended){sum, b - (sum - a)};
}

/// a b without error.
static inline SticExtended stic_extended_product(double a, double b)
{
    // 2^27 + 1 cuts 53 bits into halves whose products are exact
    const double a_cut = 134217729.0 * a, b_cut = 134217729.0 * b;
    const double a_high = a_cut - (a_cut - a), b_high = b_cut - (b_cut - b);
    const double a_low = a - a_high, b_low = b - b_high;
    const double product = a * b;
    const double error =
        ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    return (SticExtended){product, error};
}

/// Pair from a double.
static inline SticExtended stic_extended_from(double a)
{
    return (SticExtended){a, 0.0};
}

/// -a
static inline SticExtended stic_extended_neg(SticExtended a)
{
    return (SticExtended){-a.high, -a.low};
}

/// a + b with relative error < 2^-104 (also after cancellation: both low parts are summed exactly).
static inline SticExtended stic_extended_add(SticExtended a, SticExtended b)
{
    const SticExtended high = stic_extended_sum(a.high, b.high);
    const SticExtended low = stic_extended_sum(a.low, b.low);
    const SticExtended first = stic_extended_sum_ordered(high.high, high.low + low.high);
    return stic_extended_sum_ordered(first.high, first.low + low.low);
}

/// a - b
static inline SticExtended stic_extended_sub(SticExtended a, SticExtended b)
{
    return stic_extended_add(a, stic_extended_neg(b));
}

/// a + b for a double b.
static inline SticExtended stic_extended_add_double(SticExtended a, double b)
{
    const SticExtended high = stic_extended_sum(a.high, b);
    return stic_extended_sum_ordered(high.high, high.low + a.low);
}

/// a b with relative error < 2^-102.
static inline SticExtended stic_extended_mul(SticExtended a, SticExtended b)
{
    const SticExtended product = stic_extended_product(a.high, b.high);
    return stic_extended_sum_ordered(product.high, product.low + (a.high * b.low + a.low * b.high));
}

/// a b for a double b.
static inline SticExtended stic_extended_mul_double(SticExtended a, double b)
{
    const SticExtended product = stic_extended_product(a.high, b);
    return stic_extended_sum_ordered(product.high, product.low + a.low * b);
}

/// a / b with relative error < 2^-101.
static inline SticExtended stic_extended_div(SticExtended a, SticExtended b)
{
    const double quotient = a.high / b.high;
    const SticExtended back = stic_extended_product(quotient, b.high);
    const double rest = ((a.high - back.high) - back.low) + (a.low - quotient * b.low);
    return stic_extended_sum_ordered(quotient, rest / b.high);
}

/// Square root with relative error < 2^-101; 0 for a <= 0.
static inline SticExtended stic_extended_sqrt(SticExtended a)
{
    if (!(a.high > 0.0))
        return stic_extended_from(0.0);
    const double root = sqrt(a.high);
    const SticExtended square = stic_extended_product(root, root);
    const double rest = ((a.high - square.high) - square.low) + a.low;
    return stic_extended_sum_ordered(root, rest / (2.0 * root));
}

/// Rounded value of a pair.
static inline double stic_extended_value(SticExtended a)
{
    return a.high + a.low;
}

/// start + a . b in twice the working precision (Ogita, Rump, Oishi 2005, algorithm 5.3), as a
/// pair, so that long sums can be continued.
SticExtended stic_extended_dot_pair(SticExtended start, const double* a, const double* b,
                                    size_t count);

#endif
