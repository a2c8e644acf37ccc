// SPDX-License-Identifier: Apache-2.0
// Pairs of doubles against exact integers and long double; compensated sums with heavy
// cancellation.
#include "helpers/helpers.h"

#include <math.h>
#include <stdio.h>

#include "math/extended.h"

// a number with a random exponent
static double random_number(SticRandom* random, double range)
{
    return ldexp(stic_random_range(random, -1.0, 1.0),
                 (int)stic_random_range(random, -range, range));
}

static void error_free_sum(void** state)
{
    (void)state;
    // exponents within 9 of each other: long double holds the sum exactly
    SticRandom random = stic_random_create(1);
    for (int i = 0; i < 100000; ++i) {
        const double a = random_number(&random, 4.0), b = random_number(&random, 4.0);
        const long double exact = (long double)a + (long double)b;
        const SticExtended sum = stic_extended_sum(a, b);
        test_equal((long double)sum.high + (long double)sum.low, exact);
        test_equal(sum.high, a + b);
        const SticExtended ordered =
            fabs(a) >= fabs(b) ? stic_extended_sum_ordered(a, b) : stic_extended_sum_ordered(b, a);
        test_equal(ordered.high, sum.high);
        test_equal(ordered.low, sum.low);
    }
}

static void error_free_product(void** state)
{
    (void)state;
    // with integers modulo 2^64 and a product below 2^106: both halves must match
    SticRandom random = stic_random_create(2);
    for (int i = 0; i < 100000; ++i) {
        const int64_t a = (int64_t)(stic_random_bits(&random) >> 11);
        const int64_t b = (int64_t)(stic_random_bits(&random) >> 11);
        const SticExtended product = stic_extended_product((double)a, (double)b);
        test_equal(product.high, (double)a * (double)b);
        // the low 64 bits of the integer product, and of high + low; high is a multiple of 2^52 or
        // less
        const double cut = floor(product.high * 0x1p-64) * 0x1p64;
        const uint64_t high = (uint64_t)(product.high - cut);
        const uint64_t low = (uint64_t)(int64_t)product.low;
        test_equal(high + low, (uint64_t)a * (uint64_t)b);
    }
}

static void pair_arithmetic(void** state)
{
    (void)state;
    // identities that hold exactly for numbers and to 2^-100 for pairs
    SticRandom random = stic_random_create(3);
    double quotient = 0.0, root = 0.0, sum = 0.0;
    for (int i = 0; i < 100000; ++i) {
        const SticExtended a =
            stic_extended_sum(random_number(&random, 20.0), 0x1p-54 * random_number(&random, 20.0));
        const SticExtended b =
            stic_extended_sum(random_number(&random, 20.0), 0x1p-54 * random_number(&random, 20.0));
        // (a / b) b = a
        const SticExtended back = stic_extended_mul(stic_extended_div(a, b), b);
        quotient =
            test_worse(quotient, fabs(stic_extended_value(stic_extended_sub(back, a)) / a.high));
        // sqrt(a^2) = |a|
        const SticExtended size = a.high < 0.0 ? stic_extended_neg(a) : a;
        const SticExtended r = stic_extended_sqrt(stic_extended_mul(a, a));
        root = test_worse(root, fabs(stic_extended_value(stic_extended_sub(r, size)) / a.high));
        // (a + b)(a - b) = a^2 - b^2, error relative to a^2 + b^2
        const SticExtended left =
            stic_extended_mul(stic_extended_add(a, b), stic_extended_sub(a, b));
        const SticExtended right =
            stic_extended_sub(stic_extended_mul(a, a), stic_extended_mul(b, b));
        const double scale = a.high * a.high + b.high * b.high;
        sum = test_worse(sum, fabs(stic_extended_value(stic_extended_sub(left, right))) / scale);
    }
    printf("pairs: (a/b)b 2^%.1f, sqrt 2^%.1f, binomial 2^%.1f\n", log2(quotient), log2(root),
           log2(sum));
    test_less(quotient, 0x1p-99);
    test_less(root, 0x1p-99);
    test_less(sum, 0x1p-100);
}

static void golden_ratio(void** state)
{
    (void)state;
    // 1/sqrt(5) to 32 digits: 0.4472135954 9995793928 1834733746
    const SticExtended one = stic_extended_from(1.0), five = stic_extended_from(5.0);
    const SticExtended value = stic_extended_div(one, stic_extended_sqrt(five));
    const SticExtended digits = stic_extended_add(
        stic_extended_div(stic_extended_from(4472135954.0), stic_extended_from(1e10)),
        stic_extended_add(
            stic_extended_div(stic_extended_from(9995793928.0),
                              stic_extended_mul_double(stic_extended_from(1e10), 1e10)),
            stic_extended_from(1834733746e-30)));
    test_less(fabs(stic_extended_value(stic_extended_sub(value, digits))), 2e-30);
    // 1 + 2^-60 - 1
    const SticExtended tiny =
        stic_extended_add_double(stic_extended_add_double(one, 0x1p-60), -1.0);
    test_equal(stic_extended_value(tiny), 0x1p-60);
}

static void compensated_sums(void** state)
{
    (void)state;
    // integers of mixed size whose sum is known exactly; the plain sum is wrong in most digits
    enum { COUNT = 2001 };
    SticRandom random = stic_random_create(4);
    static double a[COUNT], b[COUNT];
    double plain_worst = 0.0;
    for (int trial = 0; trial < 100; ++trial) {
        int64_t exact = 0;
        double plain = 0.0;
        for (int i = 0; i < COUNT - 1; i += 2) {
            // large terms cancel in pairs, small ones remain
            const int64_t small = (int64_t)stic_random_range(&random, -1000.0, 1000.0);
            a[i] = random_number(&random, 10.0) * 0x1p45;
            b[i] = random_number(&random, 10.0);
            a[i + 1] = -a[i];
            b[i + 1] = b[i];
            if (i % 4 == 0) {
                a[i + 1] = 1.0;
                a[i] = (double)small;
                b[i] = b[i + 1] = 1.0;
                exact += small + 1;
            }
        }
        a[COUNT - 1] = 0.5;
        b[COUNT - 1] = 1.0;
        // shuffle, so that cancellation is far apart
        for (int i = COUNT - 1; i > 0; --i) {
            const int j = (int)stic_random_range(&random, 0.0, (double)i + 1.0);
            const double ta = a[i], tb = b[i];
            a[i] = a[j];
            b[i] = b[j];
            a[j] = ta;
            b[j] = tb;
        }
        for (int i = 0; i < COUNT; ++i)
            plain += a[i] * b[i];
        const double value = (double)exact + 0.5;
        plain_worst = test_worse(plain_worst, fabs(plain - value));
        // n^2 2^-106 times the sum of sizes, at most n 2^65
        const SticExtended whole = stic_extended_dot_pair(stic_extended_from(0.0), a, b, COUNT);
        test_less(fabs(stic_extended_value(whole) - value), 1e-3);
        const SticExtended half = stic_extended_dot_pair(stic_extended_from(0.0), a, b, COUNT / 2);
        const SticExtended rest =
            stic_extended_dot_pair(half, a + COUNT / 2, b + COUNT / 2, COUNT - COUNT / 2);
        test_less(fabs(stic_extended_value(rest) - value), 1e-3);
    }
    printf("dot products with cancellation: plain error up to %.1e, compensated below 1e-3\n",
           plain_worst);
    test_greater(plain_worst, 1e2);
    const double cancel[4] = {1.0, 1e100, 1.0, -1e100}, one[4] = {1.0, 1.0, 1.0, 1.0};
    test_equal(stic_extended_value(stic_extended_dot_pair(stic_extended_from(0.0), cancel, one, 4)),
               2.0);
    test_equal(stic_extended_value(stic_extended_dot_pair(stic_extended_from(0.0), cancel, one, 0)),
               0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_free_sum), cmocka_unit_test(error_free_product),
        cmocka_unit_test(pair_arithmetic), cmocka_unit_test(golden_ratio),
        cmocka_unit_test(compensated_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
