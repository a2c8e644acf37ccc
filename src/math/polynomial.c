// SPDX-License-Identifier: Apache-2.0
// Real roots of polynomials of low degree, by the roots of their derivatives.
//
// Problem: all distinct real x in [low, high] with c_0 + c_1 x + … + c_d x^d = 0, also where roots
// are double or nearly so, without a tolerance to choose.
//
// 1. The roots of p' cut the interval into pieces where p is monotone. They are found by the same
//    method, down to degree 1. An infinite interval is replaced by a bound on the roots (Fujiwara
//    1916, to a power of two).
// 2. At cuts and ends, |p| below the bound of its own rounding error (Horner's scheme; Higham,
//    Accuracy and Stability, section 5.1) means a root that the coefficients cannot tell from one
//    here, at cuts one of even multiplicity: the point is the root, and the pieces beside it have
//    no other.
// 3. A piece with a change of sign holds one simple root: Newton steps as long as each is less
//    than half of the one before and stays inside the bracket, else bisection.
//
// Cost: about d^2/2 pieces of 5 to 10 evaluations. Workspace: d^2 numbers on the stack.
#include "math/math.h"

#include "stiction/extend/base.h"

enum { SIZE = STIC_POLYNOMIAL_DEGREE_MAX + 1 };

double stic_polynomial_value(int32_t degree, const double* c, double x)
{
    STIC_ASSERT(degree >= 0);
    double value = c[degree];
    for (int32_t i = degree - 1; i >= 0; --i)
        value = value * x + c[i];
    return value;
}

// p(x), p'(x) and a bound on the error of p(x)
typedef struct Sample {
    double value, slope, bound;
} Sample;

static Sample sample_at(int32_t degree, const double* c, double x)
{
    double value = c[degree], slope = 0.0, size = fabs(value);
    for (int32_t i = degree - 1; i >= 0; --i) {
        slope = slope * x + value;
        value = value * x + c[i];
        size = size * fabs(x) + fabs(c[i]);
    }
    // 2 d operations, and coefficients that are rounded themselves
    return (Sample){value, slope, (2.0 * degree + 1.0) * STIC_ROUNDING * size};
}

// p(x), or 0 where it cannot be told from 0
static double value_or_zero(int32_t degree, const double* c, double x)
{
    const Sample s = sample_at(degree, c, x);
    return fabs(s.value) <= s.bound ? 0.0 : s.value;
}

// the root of p in [a, b], where p is monotone and changes sign; value_a = p(a)
static double bracketed_root(int32_t degree, const double* c, double a, double b, double value_a)
{
    double x = 0.5 * (a + b), last = b - a;
    while (x > a && x < b) {
        const Sample s = sample_at(degree, c, x);
        if (s.value == 0.0)
            return x;
        if ((s.value < 0.0) == (value_a < 0.0))
            a = x;
        else
            b = x;
        const double step = s.value / s.slope, next = x - step;
        if (next == x)
            return x;
        const bool shrinks = fabs(step) < 0.5 * last;
        // steps that no longer shrink where p is nothing but rounding error: there is no more to
        // gain
        if (!shrinks && fabs(s.value) <= s.bound)
            return x;
        const bool newton = shrinks && next > a && next < b;
        x = newton ? next : 0.5 * (a + b);
        last = newton ? fabs(step) : b - a;
    }
    return x <= a ? a : b;
}

// roots in [ends[0], ends[count - 1]]; p is monotone between neighbouring ends
static int32_t roots_between(int32_t degree, const double* c, const double* ends, int32_t count,
                             double* roots)
{
    int32_t found = 0;
    double left = ends[0];
    double value_left = value_or_zero(degree, c, left);
    if (value_left == 0.0)
        roots[found++] = left;
    for (int32_t i = 1; i < count; ++i) {
        const double right = ends[i];
        const double value_right = value_or_zero(degree, c, right);
        if (value_right == 0.0) {
            // neighbours that are both 0 are one multiple root if p is 0 between them too
            const bool same =
                value_left == 0.0 && value_or_zero(degree, c, 0.5 * (left + right)) == 0.0;
            if (!same)
                roots[found++] = right;
        } else if (value_left != 0.0 && (value_left < 0.0) != (value_right < 0.0)) {
            roots[found++] = bracketed_root(degree, c, left, right, value_left);
        }
        left = right;
        value_left = value_right;
    }
    return found;
}

// all real roots are in [-b, b], b = 2^e with e >= 1 + log2 |c_{d-i} / c_d| / i for all i > 0;
// limited so that b^d neither over- nor underflows
static double root_bound(int32_t degree, const double* c)
{
    const int highest = 1000 / degree, lowest = -500 / degree;
    int lead, power = lowest;
    (void)frexp(c[degree], &lead);
    for (int32_t i = 1; i <= degree; ++i) {
        if (c[degree - i] == 0.0)
            continue;
        int exponent;
        (void)frexp(c[degree - i], &exponent);
        // the quotient is below 2^difference; division rounded upwards
        const int difference = exponent - lead + 1;
        const int part = difference > 0 ? (difference + i - 1) / i : -(-difference / i);
        power = part > power ? part : power;
    }
    return ldexp(1.0, power + 1 < highest ? power + 1 : highest);
}

// multiply by a power of two so that the largest coefficient is near 1; false if one is not finite
static bool scale_coefficients(int32_t degree, const double* c, double* scaled)
{
    double top = 0.0;
    for (int32_t i = 0; i <= degree; ++i) {
        if (!isfinite(c[i]))
            return false;
        top = fabs(c[i]) > top ? fabs(c[i]) : top;
    }
    int exponent;
    (void)frexp(top, &exponent);
    for (int32_t i = 0; i <= degree; ++i)
        scaled[i] = ldexp(c[i], -exponent);
    return true;
}

int32_t stic_polynomial_roots(int32_t degree, const double* c, double low, double high,
                              double* roots)
{
    STIC_ASSERT(degree >= 0 && degree <= STIC_POLYNOMIAL_DEGREE_MAX);
    // derivatives of all orders, row k of degree k, divided by factorials
    double derivative[SIZE][SIZE] = {{0.0}};
    if (!scale_coefficients(degree, c, derivative[degree]))
        return 0;
    int32_t top = degree;
    while (top > 0 && derivative[degree][top] == 0.0)
        --top;
    if (top == 0)
        return 0;
    for (int32_t i = 0; i <= top; ++i)
        derivative[top][i] = derivative[degree][i];
    for (int32_t k = top; k > 1; --k)
        for (int32_t i = 1; i <= k; ++i)
            derivative[k - 1][i - 1] = derivative[k][i] * (double)i / (double)k;

    const double bound = root_bound(top, derivative[top]);
    low = low > -bound ? low : -bound;
    high = high < bound ? high : bound;
    if (!(low <= high))
        return 0;
    // from the linear one upwards: the roots on one level cut the interval on the next
    double ends[SIZE + 1];
    int32_t found = 0;
    for (int32_t k = 1; k <= top; ++k) {
        int32_t count = 0;
        ends[count++] = low;
        for (int32_t i = 0; i < found; ++i)
            if (roots[i] > low && roots[i] < high)
                ends[count++] = roots[i];
        ends[count++] = high;
        found = roots_between(k, derivative[k], ends, count, roots);
    }
    return found;
}
