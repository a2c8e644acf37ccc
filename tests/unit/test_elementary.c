// SPDX-License-Identifier: Apache-2.0
// Elementary functions: errors in ulp against long double, special values, hard arguments, the same
// bits everywhere.
#include "helpers/helpers.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/math.h"

typedef double (*Function)(double);
typedef long double (*Reference)(long double);

typedef struct Range {
    const char* name;
    Function function;
    Reference reference;
    double low, high;
    bool exponents; ///< low and high are powers of two, both signs of the argument if `odd`
    bool odd;
    double bound; ///< what math.h promises
} Range;

static const Range ranges[] = {
    {"sin", stic_sin, sinl, -1.0, 1.0, false, false, 0.6},
    {"sin", stic_sin, sinl, -100.0, 100.0, false, false, 0.6},
    {"sin", stic_sin, sinl, -1100.0, 1023.0, true, true, 0.6},
    {"sin", stic_sin, sinl, 17.0, 23.0, true, true, 0.6},
    {"cos", stic_cos, cosl, -1.0, 1.0, false, false, 0.6},
    {"cos", stic_cos, cosl, -100.0, 100.0, false, false, 0.6},
    {"cos", stic_cos, cosl, -40.0, 1023.0, true, true, 0.6},
    {"tan", stic_tan, tanl, -10.0, 10.0, false, false, 0.75},
    {"tan", stic_tan, tanl, -1100.0, 1023.0, true, true, 0.75},
    {"asin", stic_asin, asinl, -1.0, 1.0, false, false, 0.6},
    {"asin", stic_asin, asinl, -1100.0, -1.0, true, true, 0.6},
    {"acos", stic_acos, acosl, -1.0, 1.0, false, false, 0.6},
    {"acos", stic_acos, acosl, -1100.0, -1.0, true, true, 0.6},
    {"atan", stic_atan, atanl, -2.0, 2.0, false, false, 0.6},
    {"atan", stic_atan, atanl, -1100.0, 1023.0, true, true, 0.6},
    {"exp", stic_exp, expl, -1.0, 1.0, false, false, 0.7},
    {"exp", stic_exp, expl, -708.0, 709.7, false, false, 0.7},
    {"exp", stic_exp, expl, -745.1, -708.4, false, false, 1.0},
    {"exp", stic_exp, expl, -1100.0, -1.0, true, true, 0.7},
    {"ln", stic_ln, logl, 0.5, 2.0, false, false, 0.6},
    {"ln", stic_ln, logl, 0.999, 1.001, false, false, 0.6},
    {"ln", stic_ln, logl, -1074.0, 1023.0, true, false, 0.6},
    {"sinh", stic_sinh, sinhl, -2.0, 2.0, false, false, 0.7},
    {"sinh", stic_sinh, sinhl, -710.0, 710.0, false, false, 0.7},
    {"sinh", stic_sinh, sinhl, -1100.0, 8.0, true, true, 0.7},
    {"cosh", stic_cosh, coshl, -2.0, 2.0, false, false, 0.7},
    {"cosh", stic_cosh, coshl, -710.0, 710.0, false, false, 0.7},
    {"acosh", stic_acosh, acoshl, 1.0, 1.001, false, false, 0.6},
    {"acosh", stic_acosh, acoshl, 1.0, 20.0, false, false, 0.6},
    {"acosh", stic_acosh, acoshl, 0.0, 1023.0, true, false, 0.6},
};
enum { RANGES = sizeof ranges / sizeof *ranges, POINTS = 40000 };

// |value - exact| in units of the last place that a double of the size of `exact` has
static double ulp_error(double value, long double exact)
{
    if (isnan(value) || isnan(exact))
        return isnan(value) && isnan(exact) ? 0.0 : HUGE_VAL;
    if (exact == 0.0L || isinf(value))
        return (long double)value == exact ? 0.0 : HUGE_VAL;
    int exponent;
    (void)frexpl(exact, &exponent);
    exponent = exponent - 53 < -1074 ? -1074 : exponent - 53;
    return (double)ldexpl(fabsl((long double)value - exact), -exponent);
}

static double random_argument(SticRandom* random, const Range* range)
{
    if (!range->exponents)
        return stic_random_range(random, range->low, range->high);
    const int exponent = (int)floor(stic_random_range(random, range->low, range->high));
    const double x = ldexp(stic_random_range(random, 1.0, 2.0), exponent);
    return range->odd && stic_random_bits(random) >> 63 ? -x : x;
}

static void errors_against_long_double(void** state)
{
    (void)state;
    if (LDBL_MANT_DIG < 64)
        skip();
    const TestTable table =
        test_table_begin("largest error in ulp, 40000 random points each",
                         "function|from    |to      |     ulp|promised|at                     ");
    SticRandom random = stic_random_create(1);
    bool kept = true;
    for (int i = 0; i < RANGES; ++i) {
        const Range* range = &ranges[i];
        double worst = 0.0, at = 0.0;
        for (int k = 0; k < POINTS; ++k) {
            const double x = random_argument(&random, range);
            const double error = ulp_error(range->function(x), range->reference((long double)x));
            if (!(error <= worst)) {
                worst = error;
                at = x;
            }
        }
        test_table_row(&table, "%s|%s%g|%s%g|%.4f|%.2f|%a", range->name,
                       range->exponents ? "2^" : "", range->low, range->exponents ? "2^" : "",
                       range->high, worst, range->bound, at);
        kept = kept && worst < range->bound;
    }
    assert_true(kept);
}

static void two_arguments(void** state)
{
    (void)state;
    if (LDBL_MANT_DIG < 64)
        skip();
    SticRandom random = stic_random_create(2);
    double atan2_worst = 0.0, pow_worst = 0.0, pow_small = 0.0;
    for (int k = 0; k < 3 * POINTS; ++k) {
        // neighbouring, any and extreme sizes
        const double spread = k % 3 == 0 ? 2.0 : k % 3 == 1 ? 60.0 : 1000.0;
        const double y = ldexp(stic_random_range(&random, -1.0, 1.0),
                               (int)stic_random_range(&random, -spread, spread));
        const double x = ldexp(stic_random_range(&random, -1.0, 1.0),
                               (int)stic_random_range(&random, -spread, spread));
        const double angle = stic_atan2(y, x);
        atan2_worst =
            test_worse(atan2_worst, ulp_error(angle, atan2l((long double)y, (long double)x)));
        // exponents that make the result run through the whole range
        const double power = stic_random_range(&random, -745.0, 709.0) / log(fabs(x));
        const double value = stic_pow(fabs(x), power);
        const long double exact = powl((long double)fabs(x), (long double)power);
        const double error = ulp_error(value, exact);
        if (fabsl(exact) < (long double)DBL_MIN)
            pow_small = test_worse(pow_small, error);
        else if (exact < (long double)DBL_MAX)
            pow_worst = test_worse(pow_worst, error);
    }
    printf("atan2 %.4f, pow %.4f (subnormal results %.4f) ulp\n", atan2_worst, pow_worst,
           pow_small);
    test_less(atan2_worst, 0.6);
    test_less(pow_worst, 0.7);
    test_less(pow_small, 1.0);
}

static void near_multiples_of_half_pi(void** state)
{
    (void)state;
    if (LDBL_MANT_DIG < 64)
        skip();
    // the doubles around n pi/2, n to 2^62: what is left after the reduction is as small as it gets
    SticRandom random = stic_random_create(3);
    const Function functions[3] = {stic_sin, stic_cos, stic_tan};
    const Reference references[3] = {sinl, cosl, tanl};
    const double bounds[3] = {0.6, 0.6, 0.75};
    double worst[3] = {0.0};
    for (int k = 0; k < 30000; ++k) {
        const double n = k < 10000 ? (double)k
                                   : floor(ldexp(stic_random_range(&random, 1.0, 2.0),
                                                 (int)stic_random_range(&random, 10.0, 62.0)));
        double x = (double)((long double)n * 1.57079632679489661923132169163975144L);
        for (int step = -2; step < 0; ++step)
            x = nextafter(x, 0.0);
        for (int step = 0; step < 5; ++step) {
            for (int f = 0; f < 3; ++f)
                worst[f] =
                    test_worse(worst[f], ulp_error(functions[f](x), references[f]((long double)x)));
            x = nextafter(x, HUGE_VAL);
        }
    }
    printf("around multiples of pi/2: sin %.4f, cos %.4f, tan %.4f ulp\n", worst[0], worst[1],
           worst[2]);
    for (int f = 0; f < 3; ++f)
        test_less(worst[f], bounds[f]);

    // the double that comes closest of all to a multiple of pi/2, and others, evaluated with 2000
    // bits
    const double hard = 0x1.6ac5b262ca1ffp+849;
    test_equal(stic_cos(hard), -0x1.14ae72e6ba22fp-61);
    test_equal(stic_sin(hard), 1.0);
    test_equal(stic_tan(hard), -0x1.d9ba9a7975636p+60);
    test_equal(stic_tan(-hard), 0x1.d9ba9a7975636p+60);
    const double exact[][3] = {
        {0x1.0f0cf064dd592p+73, -0x1.b453ab76bf397p-1, 0x1.0be2cef01c8f4p-1},
        {0x1.7e43c8800759cp+996, -0x1.a2c16b010e385p-1, -0x1.2699022adc4c1p-1},
        {0x1.fffffffffffffp+1023, 0x1.452fc98b34e97p-8, -0x1.fffe62ecfab75p-1},
        {0x1.0000000000000p+20, 0x1.526ccb2fc8656p-2, 0x1.e33ada92fe2aep-1},
        {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53, -0x1.0000000000000p+0},
        {0x1.fffffffffffffp+19, 0x1.526ccb2de52a8p-2, 0x1.e33ada9352c61p-1},
    };
    for (size_t i = 0; i < sizeof exact / sizeof *exact; ++i) {
        test_near(stic_sin(exact[i][0]) / exact[i][1], 1.0, 0x1p-52);
        test_near(stic_cos(exact[i][0]) / exact[i][2], 1.0, 0x1p-52);
    }
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void special_values(void** state)
{
    (void)state;
    const Function odd[] = {stic_sin, stic_tan, stic_asin, stic_atan, stic_sinh};
    for (int i = 0; i < 5; ++i) {
        // zeros keep their sign, subnormals come back, NaN stays
        assert_true(same_bits(odd[i](0.0), 0.0) && same_bits(odd[i](-0.0), -0.0));
        test_equal(odd[i](0x1p-1074), 0x1p-1074);
        test_equal(odd[i](-0x1p-1060), -0x1p-1060);
        assert_true(isnan(odd[i](NAN)));
        for (double x = 0.01; x < 1.0; x *= 1.3)
            test_equal(odd[i](-x), -odd[i](x));
    }
    const Function even[] = {stic_cos, stic_cosh};
    for (int i = 0; i < 2; ++i) {
        test_equal(even[i](0.0), 1.0);
        test_equal(even[i](0x1p-1074), 1.0);
        assert_true(isnan(even[i](NAN)));
        test_equal(even[i](-0.7), even[i](0.7));
    }
    const double inf = HUGE_VAL;
    assert_true(isnan(stic_sin(inf)) && isnan(stic_cos(-inf)) && isnan(stic_tan(inf)));
    test_equal(stic_atan(inf), 0.5 * STIC_PI);
    test_equal(stic_atan(-inf), -0.5 * STIC_PI);
    assert_true(isnan(stic_asin(1.0 + DBL_EPSILON)) && isnan(stic_acos(-1.1)));
    assert_true(isnan(stic_acos(NAN)));
    test_equal(stic_asin(-1.0), -0.5 * STIC_PI);
    test_equal(stic_acos(-1.0), STIC_PI);
    assert_true(same_bits(stic_acos(1.0), 0.0));
    test_equal(stic_acos(0.0), 0.5 * STIC_PI);
    test_equal(stic_exp(0.0), 1.0);
    test_equal(stic_exp(-inf), 0.0);
    test_equal(stic_exp(inf), inf);
    test_equal(stic_exp(710.0), inf);
    test_equal(stic_exp(-746.0), 0.0);
    assert_true(isnan(stic_exp(NAN)));
    assert_true(isfinite(stic_exp(709.78)));
    test_equal(stic_exp(-745.1), 0x1p-1074);
    assert_true(same_bits(stic_ln(1.0), 0.0));
    test_equal(stic_ln(0.0), -inf);
    test_equal(stic_ln(-0.0), -inf);
    test_equal(stic_ln(inf), inf);
    assert_true(isnan(stic_ln(-1.0)));
    assert_true(isnan(stic_ln(NAN)));
    test_equal(stic_sinh(-711.0), -inf);
    test_equal(stic_cosh(-inf), inf);
    test_equal(stic_sinh(inf), inf);
    assert_true(isfinite(stic_sinh(710.4)) && isfinite(stic_cosh(-710.4)));
    assert_true(same_bits(stic_acosh(1.0), 0.0));
    assert_true(isnan(stic_acosh(0.5)));
    test_equal(stic_acosh(inf), inf);
}

static void special_pairs(void** state)
{
    (void)state;
    const double inf = HUGE_VAL, pi = STIC_PI;
    // the list of C17, F.10.1.4
    assert_true(same_bits(stic_atan2(0.0, 1.0), 0.0) && same_bits(stic_atan2(-0.0, 1.0), -0.0));
    assert_true(same_bits(stic_atan2(0.0, 0.0), 0.0) && same_bits(stic_atan2(-0.0, 0.0), -0.0));
    test_equal(stic_atan2(0.0, -0.0), pi);
    test_equal(stic_atan2(-0.0, -0.0), -pi);
    test_equal(stic_atan2(0.0, -1.0), pi);
    test_equal(stic_atan2(-0.0, -1.0), -pi);
    test_equal(stic_atan2(1.0, 0.0), 0.5 * pi);
    test_equal(stic_atan2(-1.0, -0.0), -0.5 * pi);
    test_equal(stic_atan2(1.0, -inf), pi);
    test_equal(stic_atan2(-1.0, inf), 0.0);
    test_equal(stic_atan2(inf, 5.0), 0.5 * pi);
    test_equal(stic_atan2(inf, inf), 0.25 * pi);
    test_equal(stic_atan2(-inf, -inf), -0.75 * pi);
    assert_true(isnan(stic_atan2(NAN, 1.0)));
    assert_true(isnan(stic_atan2(1.0, NAN)));
    test_equal(stic_atan2(0x1p-1074, 0x1p-1074), 0.25 * pi);
    test_equal(stic_atan2(DBL_MAX, -DBL_MAX), 0.75 * pi);
    test_equal(stic_atan2(1e-300, 1e300), 0.0);
    test_equal(stic_atan2(0x1p-1074, -1e300), pi);
    test_equal(stic_atan2(1e300, 0x1p-1074), 0.5 * pi);
    // powers
    test_equal(stic_pow(2.0, 10.0), 1024.0);
    test_equal(stic_pow(0.25, -1.5), 8.0);
    test_equal(stic_pow(2.0, -1074.0), 0x1p-1074);
    test_equal(stic_pow(2.0, 1024.0), inf);
    test_equal(stic_pow(0.0, 2.0), 0.0);
    test_equal(stic_pow(0.0, -2.0), inf);
    test_equal(stic_pow(inf, 0.5), inf);
    test_equal(stic_pow(inf, -0.5), 0.0);
    test_equal(stic_pow(NAN, 0.0), 1.0);
    test_equal(stic_pow(1.0, NAN), 1.0);
    assert_true(isnan(stic_pow(NAN, 1.0)) && isnan(stic_pow(2.0, NAN)) &&
                isnan(stic_pow(-2.0, 2.0)));
    test_equal(stic_pow(2.0, inf), inf);
    test_equal(stic_pow(0.5, inf), 0.0);
    test_equal(stic_pow(0.5, -inf), inf);
    test_equal(stic_pow(1.0 + DBL_EPSILON, 1e300), inf);
    test_equal(stic_pow(7.0, 1e-300), 1.0);
    for (double x = 1.0; x < 200.0; x += 1.0) {
        test_equal(stic_pow(x, 2.0), x * x);
        test_greater(stic_pow(x * x * x, 1.0 / 3.0), x * (1.0 - 1e-15));
    }
}

static void sincos_is_sin_and_cos(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(4);
    for (int k = 0; k < POINTS; ++k) {
        const double x = random_argument(&random, &ranges[k % 3]);
        double s, c;
        stic_sincos(x, &s, &c);
        assert_true(same_bits(s, stic_sin(x)) && same_bits(c, stic_cos(x)));
    }
    double s, c;
    stic_sincos(-0.0, &s, &c);
    assert_true(same_bits(s, -0.0));
    test_equal(c, 1.0);
    stic_sincos(HUGE_VAL, &s, &c);
    assert_true(isnan(s) && isnan(c));
}

static void nearly_monotone(void** state)
{
    (void)state;
    // errors below 1 ulp allow a step back of 1 ulp between neighbours, never more
    const struct {
        const char* name;
        Function function;
        double low, high, sign;
    } cases[] = {{"sin", stic_sin, -1.57, 1.57, 1.0},   {"cos", stic_cos, 0.0, 3.14, -1.0},
                 {"tan", stic_tan, -1.57, 1.57, 1.0},   {"asin", stic_asin, -1.0, 1.0, 1.0},
                 {"acos", stic_acos, -1.0, 1.0, -1.0},  {"atan", stic_atan, -20.0, 20.0, 1.0},
                 {"exp", stic_exp, -700.0, 700.0, 1.0}, {"ln", stic_ln, 0.0, 100.0, 1.0},
                 {"sinh", stic_sinh, -20.0, 20.0, 1.0}, {"cosh", stic_cosh, 0.0, 20.0, 1.0},
                 {"acosh", stic_acosh, 1.0, 20.0, 1.0}};
    SticRandom random = stic_random_create(5);
    printf("steps back in 20000 pairs of neighbours:");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        int back = 0;
        for (int k = 0; k < 20000; ++k) {
            const double x = stic_random_range(&random, cases[i].low, cases[i].high);
            const double here = cases[i].sign * cases[i].function(x);
            const double next = cases[i].sign * cases[i].function(nextafter(x, HUGE_VAL));
            back += next < here;
            test_at_least(next, nextafter(here, -HUGE_VAL));
        }
        printf(" %s %d", cases[i].name, back);
    }
    printf("\n");
}

static void bits_are_fixed(void** state)
{
    (void)state;
    // 10000 fixed points through every function; the constant must hold for every compiler and
    // optimisation level
    uint64_t hash = 0;
    SticRandom random = stic_random_create(6);
    for (int k = 0; k < 10000; ++k) {
        const double u = stic_random_uniform(&random);
        const double wide = (u - 0.5) * 200.0, size = 0x1p-20 + 1e3 * u * u;
        const double huge = wide * (k % 2 == 0 ? 0x1p40 : 0x1p700);
        double r[20];
        stic_sincos(wide, &r[0], &r[1]);
        stic_sincos(huge, &r[2], &r[3]);
        r[4] = stic_tan(wide);
        r[5] = stic_tan(huge);
        r[6] = stic_asin(2.0 * u - 1.0);
        r[7] = stic_acos(2.0 * u - 1.0);
        r[8] = stic_atan(wide);
        r[9] = stic_atan2(wide, 3.0 - 7.0 * u * u);
        r[10] = stic_exp(3.0 * wide);
        r[11] = stic_exp(u);
        r[12] = stic_ln(size);
        r[13] = stic_ln(0.5 + u);
        r[14] = stic_pow(size, 40.0 * (u - 0.3));
        r[15] = stic_sinh(wide);
        r[16] = stic_sinh(u);
        r[17] = stic_cosh(wide);
        r[18] = stic_acosh(1.0 + size);
        r[19] = stic_acosh(1.0 + 0x1p-10 * u);
        hash = stic_hash_doubles(hash, r, 20);
    }
    printf("hash of 200000 results: 0x%016llx\n", (unsigned long long)hash);
    test_equal(hash, 0xa15a9126c8e9a1bcu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(errors_against_long_double),
                                       cmocka_unit_test(two_arguments),
                                       cmocka_unit_test(near_multiples_of_half_pi),
                                       cmocka_unit_test(special_values),
                                       cmocka_unit_test(special_pairs),
                                       cmocka_unit_test(sincos_is_sin_and_cos),
                                       cmocka_unit_test(nearly_monotone),
                                       cmocka_unit_test(bits_are_fixed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
