// SPDX-License-Identifier: Apache-2.0
// Roots of polynomials: known roots, multiple roots, counts against Sturm chains, degenerate data.
#include "helpers/helpers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/math.h"

enum { TOP = STIC_POLYNOMIAL_DEGREE_MAX };

// coefficients of lead (x - r_0)(x - r_1)…, in long double, rounded at the end
static void expand(int32_t degree, const double* r, double lead, double* c)
{
    long double product[TOP + 1] = {(long double)lead};
    for (int32_t k = 0; k < degree; ++k)
        for (int32_t i = k + 1; i >= 0; --i)
            product[i] = (i > 0 ? product[i - 1] : 0.0L) - (long double)r[k] * product[i];
    for (int32_t i = 0; i <= degree; ++i)
        c[i] = (double)product[i];
}

// sum of |c_i| |x|^i: what a relative change of the coefficients by 1 can do to p(x)
static double size_at(int32_t degree, const double* c, double x)
{
    double size = 0.0;
    for (int32_t i = degree; i >= 0; --i)
        size = size * fabs(x) + fabs(c[i]);
    return size;
}

static double slope_at(int32_t degree, const double* c, double x)
{
    double slope = 0.0;
    for (int32_t i = degree; i >= 1; --i)
        slope = slope * x + (double)i * c[i];
    return slope;
}

static void simple_roots(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(1);
    double worst = 0.0;
    for (int n = 0; n < 20000; ++n) {
        const int32_t degree = 1 + n % TOP;
        double r[TOP], c[TOP + 1], found[TOP];
        // separated roots, at any scale
        const double scale = pow(10.0, stic_random_range(&random, -10.0, 10.0));
        double at = stic_random_range(&random, -4.0, 0.0);
        for (int32_t i = 0; i < degree; ++i) {
            r[i] = scale * at;
            at += stic_random_range(&random, 0.3, 1.5);
        }
        expand(degree, r, pow(10.0, stic_random_range(&random, -20.0, 20.0)), c);
        assert_int_equal(stic_polynomial_roots(degree, c, -HUGE_VAL, HUGE_VAL, found), degree);
        for (int32_t i = 0; i < degree; ++i) {
            const double move =
                STIC_ROUNDING * size_at(degree, c, r[i]) / fabs(slope_at(degree, c, r[i]));
            worst = test_worse(worst, fabs(found[i] - r[i]) / (move + STIC_ROUNDING * fabs(r[i])));
        }
    }
    printf("simple roots, degree 1 to 8: error %.2f x (condition + 1) x 2^-53\n", worst);
    test_less(worst, 6.0);
}

static int count_distinct(int32_t degree, double* r)
{
    // insertion sort, then drop equals
    for (int32_t i = 1; i < degree; ++i)
        for (int32_t j = i; j > 0 && r[j] < r[j - 1]; --j) {
            const double t = r[j];
            r[j] = r[j - 1];
            r[j - 1] = t;
        }
    int32_t count = 0;
    for (int32_t i = 0; i < degree; ++i)
        if (count == 0 || r[i] != r[count - 1])
            r[count++] = r[i];
    return count;
}

static void multiple_roots(void** state)
{
    (void)state;
    // roots on a grid of 1/4, so that the coefficients are exact; about half of the cases have
    // multiple roots
    SticRandom random = stic_random_create(2);
    double worst[5] = {0.0};
    int multiple = 0;
    for (int n = 0; n < 20000; ++n) {
        const int32_t degree = 2 + n % 3;
        double r[4] = {0.0}, c[5], found[4];
        for (int32_t i = 0; i < degree; ++i)
            r[i] = 0.25 * floor(stic_random_range(&random, -6.0, 6.0));
        expand(degree, r, 1.0, c);
        double all[4];
        memcpy(all, r, sizeof all);
        const int32_t count = count_distinct(degree, r);
        multiple += count < degree;
        assert_int_equal(stic_polynomial_roots(degree, c, -HUGE_VAL, HUGE_VAL, found), count);
        for (int32_t i = 0; i < count; ++i) {
            int times = 0;
            for (int32_t k = 0; k < degree; ++k)
                times += all[k] == r[i];
            worst[times] = test_worse(worst[times], fabs(found[i] - r[i]));
        }
    }
    printf(
        "multiple roots (%d cases): error %.1e simple, %.1e double, %.1e triple, %.1e fourfold\n",
        multiple, worst[1], worst[2], worst[3], worst[4]);
    // an m-fold root moves by the m-th root of the rounding of p, here of size at most 200
    for (int m = 1; m <= 4; ++m)
        test_less(worst[m], 4.0 * pow(200.0 * 9.0 * STIC_ROUNDING, 1.0 / m));
}

static void nearly_double_roots(void** state)
{
    (void)state;
    // two roots a distance apart, and two more: found as two or, below the resolution of the
    // coefficients, as one; and a complex pair with a small imaginary part: none or one
    SticRandom random = stic_random_create(3);
    int merged = 0, touching = 0;
    for (int n = 0; n < 20000; ++n) {
        const double gap = pow(10.0, stic_random_range(&random, -12.0, -1.0));
        const double m = stic_random_range(&random, -1.0, 1.0);
        double r[4] = {m - gap, m + gap, -2.0, 2.5}, c[5], found[4];
        expand(4, r, 1.0, c);
        int32_t count = stic_polynomial_roots(4, c, -HUGE_VAL, HUGE_VAL, found);
        if (count != 4) {
            test_equal(count, 3);
            test_less(gap, 1e-7);
        }
        merged += count == 3;
        // (x^2 - 2 m x + m^2 + gap^2)(x + 2)(x - 2.5)
        const double k = m * m + gap * gap;
        const double pair[5] = {-5.0 * k, 10.0 * m - 0.5 * k, k + m - 5.0, -0.5 - 2.0 * m, 1.0};
        count = stic_polynomial_roots(4, pair, -HUGE_VAL, HUGE_VAL, found);
        if (count != 2) {
            test_equal(count, 3);
            test_less(gap, 1e-7);
        }
        touching += count == 3;
    }
    printf("pairs merged %d, complex pairs taken as touching %d, all with gaps below 1e-7\n",
           merged, touching);
}

// number of distinct real roots by Sturm's theorem, in long double
static int sturm_count(int32_t degree, const double* c)
{
    long double chain[TOP + 1][TOP + 1] = {{0.0L}};
    int32_t order[TOP + 1] = {degree, degree - 1}, last = 1;
    for (int32_t i = 0; i <= degree; ++i)
        chain[0][i] = (long double)c[i];
    for (int32_t i = 1; i <= degree; ++i)
        chain[1][i - 1] = (long double)i * (long double)c[i];
    // negative remainders
    while (order[last] > 0) {
        long double rest[TOP + 1];
        memcpy(rest, chain[last - 1], sizeof rest);
        for (int32_t k = order[last - 1]; k >= order[last]; --k) {
            const long double q = rest[k] / chain[last][order[last]];
            for (int32_t i = 0; i <= order[last]; ++i)
                rest[k - order[last] + i] -= q * chain[last][i];
        }
        ++last;
        order[last] = order[last - 1] - 1;
        for (int32_t i = 0; i <= order[last]; ++i)
            chain[last][i] = -rest[i];
    }
    int low = 0, high = 0;
    for (int32_t k = 1; k <= last; ++k) {
        const long double a = chain[k - 1][order[k - 1]], b = chain[k][order[k]];
        high += (a < 0.0L) != (b < 0.0L);
        low += ((a < 0.0L) != (order[k - 1] % 2 == 1)) != ((b < 0.0L) != (order[k] % 2 == 1));
    }
    return low - high;
}

static void counts_against_sturm(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(4);
    int histogram[TOP + 1] = {0};
    for (int n = 0; n < 20000; ++n) {
        const int32_t degree = 2 + n % 4;
        double c[TOP + 1], found[TOP];
        for (int32_t i = 0; i <= degree; ++i)
            c[i] = test_random_normal(&random);
        const int32_t count = stic_polynomial_roots(degree, c, -HUGE_VAL, HUGE_VAL, found);
        assert_int_equal(count, sturm_count(degree, c));
        ++histogram[count];
        // ascending, and a sub-interval gives the sub-list
        for (int32_t i = 1; i < count; ++i)
            test_less(found[i - 1], found[i]);
        double part[TOP];
        const double low = stic_random_range(&random, -2.0, 0.0), high = low + 1.5;
        const int32_t parts = stic_polynomial_roots(degree, c, low, high, part);
        int32_t inside = 0;
        for (int32_t i = 0; i < count; ++i)
            if (found[i] >= low && found[i] <= high)
                test_less(fabs(part[inside++] - found[i]), 1e-9 * (1.0 + fabs(found[i])));
        assert_int_equal(inside, parts);
    }
    printf("random coefficients: 0 to 5 roots in %d %d %d %d %d %d cases, as Sturm chains say\n",
           histogram[0], histogram[1], histogram[2], histogram[3], histogram[4], histogram[5]);
}

static void degenerate_polynomials(void** state)
{
    (void)state;
    double r[TOP];
    const double inf = HUGE_VAL;
    // constants, zero, not finite, empty interval
    assert_int_equal(stic_polynomial_roots(0, (double[]){1.0}, -inf, inf, r), 0);
    assert_int_equal(stic_polynomial_roots(4, (double[5]){0.0}, -inf, inf, r), 0);
    assert_int_equal(stic_polynomial_roots(2, (double[]){1.0, NAN, 1.0}, -inf, inf, r), 0);
    assert_int_equal(stic_polynomial_roots(1, (double[]){-1.0, 1.0}, 2.0, 0.0, r), 0);
    // leading zeros: 2 - x
    assert_int_equal(stic_polynomial_roots(4, (double[]){2.0, -1.0, 0.0, 0.0, 0.0}, -inf, inf, r),
                     1);
    test_equal(r[0], 2.0);
    // x^4 and x^4 - 1e-120, a root of size 1e-30
    assert_int_equal(stic_polynomial_roots(4, (double[]){0.0, 0.0, 0.0, 0.0, 1.0}, -inf, inf, r),
                     1);
    test_equal(r[0], 0.0);
    assert_int_equal(
        stic_polynomial_roots(4, (double[]){-1e-120, 0.0, 0.0, 0.0, 1.0}, -inf, inf, r), 2);
    test_near(r[1] / 1e-30, 1.0, 4e-16);
    test_equal(r[0], -r[1]);
    // a leading coefficient that hardly matters: roots near 1, 2 and 1e20
    const double far[4] = {2.0, -3.0, 1.0, -1e-20};
    assert_int_equal(stic_polynomial_roots(3, far, -inf, inf, r), 3);
    test_equal(r[0], 1.0);
    test_equal(r[1], 2.0);
    test_near(r[2] / 1e20, 1.0, 1e-15);
    // coefficients near overflow and underflow
    assert_int_equal(stic_polynomial_roots(2, (double[]){-1e300, 0.0, 4e300}, 0.0, inf, r), 1);
    test_equal(r[0], 0.5);
    assert_int_equal(stic_polynomial_roots(2, (double[]){-1e-300, 0.0, 4e-300}, -1.0, 0.0, r), 1);
    test_equal(r[0], -0.5);
    // ends belong to the interval
    const double ends[3] = {2.0, -3.0, 1.0};
    assert_int_equal(stic_polynomial_roots(2, ends, 1.0, 2.0, r), 2);
    test_equal(r[0], 1.0);
    test_equal(r[1], 2.0);
    assert_int_equal(stic_polynomial_roots(2, ends, 1.5, 1.9, r), 0);
    test_equal(stic_polynomial_value(2, ends, 3.0), 2.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simple_roots), cmocka_unit_test(multiple_roots),
        cmocka_unit_test(nearly_double_roots), cmocka_unit_test(counts_against_sturm),
        cmocka_unit_test(degenerate_polynomials)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
