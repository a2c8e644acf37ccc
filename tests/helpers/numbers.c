// SPDX-License-Identifier: Apache-2.0
// Assertions on numbers that tell what was measured.
#include "helpers/helpers.h"

static bool holds(double value, TestRelation relation, double bound)
{
    switch (relation) {
    case TEST_LESS:
        return value < bound;
    case TEST_AT_MOST:
        return value <= bound;
    case TEST_GREATER:
        return value > bound;
    default:
        return value >= bound;
    }
}

void test_compare(double value, TestRelation relation, double bound, const char* words,
                  const char* file, int line)
{
    if (holds(value, relation, bound))
        return;
    print_error("%s does not hold: %.17g against %.17g\n", words, value, bound);
    _fail(file, line);
}

void test_compare_near(double value, double expected, double bound, const char* words,
                       const char* file, int line)
{
    if (fabs(value - expected) <= bound)
        return;
    print_error("%s within %.3g does not hold: %.17g, expected %.17g, off by %.3g\n", words, bound,
                value, expected, fabs(value - expected));
    _fail(file, line);
}

void test_compare_reals(double value, double expected, const char* words, const char* file,
                        int line)
{
    if (value == expected)
        return;
    print_error("%s does not hold: %.17g, expected %.17g\n", words, value, expected);
    _fail(file, line);
}

void test_compare_integers(intmax_t value, intmax_t expected, const char* words, const char* file,
                           int line)
{
    if (value == expected)
        return;
    print_error("%s does not hold: %jd (0x%jx), expected %jd (0x%jx)\n", words, value,
                (uintmax_t)value, expected, (uintmax_t)expected);
    _fail(file, line);
}

double test_dot(int32_t n, const double* x, const double* y)
{
    double sum = 0.0;
    for (int32_t k = 0; k < n; ++k)
        sum += x[k] * y[k];
    return sum;
}

double test_largest_difference(int32_t n, const double* x, const double* y)
{
    double most = 0.0;
    for (int32_t k = 0; k < n; ++k)
        most = test_worse(most, fabs(x[k] - y[k]));
    return most;
}

int test_order_keys(const void* a, const void* b)
{
    const uint64_t p = *(const uint64_t*)a, q = *(const uint64_t*)b;
    return p < q ? -1 : p > q;
}
