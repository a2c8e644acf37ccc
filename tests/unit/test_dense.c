// SPDX-License-Identifier: Apache-2.0
// Small dense kernels: backward errors, singular data, condition estimates, constant against
// general sizes.
#include "helpers/helpers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/math.h"

enum { TOP = 64 };

// |a x - b|_max / (|a|_1 |x|_max): the backward error of a solution, in long double
static double backward_error(int32_t n, const double* a, const double* x, const double* b)
{
    double worst = 0.0, size = 0.0;
    for (int32_t i = 0; i < n; ++i) {
        long double sum = -(long double)b[i];
        for (int32_t j = 0; j < n; ++j)
            sum += (long double)a[i * n + j] * (long double)x[j];
        worst = test_worse(worst, (double)fabsl(sum));
        size = test_worse(size, fabs(x[i]));
    }
    return worst / (stic_dense_norm1(n, a) * size);
}

static void cholesky_solves(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(1);
    static double a[TOP * TOP], factor[TOP * TOP], inverse[TOP * TOP];
    double worst = 0.0, inverse_error = 0.0;
    for (int32_t n = 1; n <= TOP; n += n < 12 ? 1 : 13) {
        double b[TOP], x[TOP];
        test_random_spd(&random, n, 1e4, a);
        test_random_vector(&random, n, -1.0, 1.0, b);
        memcpy(factor, a, sizeof factor);
        // the upper triangle is not read
        for (int32_t i = 0; i < n; ++i)
            for (int32_t j = i + 1; j < n; ++j)
                factor[i * n + j] = NAN;
        assert_int_equal(stic_dense_spd_inverse(n, factor, inverse), STIC_OK);
        assert_int_equal(stic_dense_cholesky(n, factor), STIC_OK);
        memcpy(x, b, sizeof x);
        stic_dense_cholesky_solve(n, factor, x);
        worst = test_worse(worst, backward_error(n, a, x, b));
        double y[TOP];
        stic_dense_mul_vec(n, n, inverse, b, y);
        for (int32_t i = 0; i < n; ++i) {
            inverse_error = test_worse(inverse_error, fabs(y[i] - x[i]) / 1e4);
            test_equal(inverse[i], inverse[i * n]);
        }
    }
    printf("cholesky: backward error %.1e, inverse %.1e x condition\n", worst, inverse_error);
    test_less(worst, 1e-15);
    test_less(inverse_error, 1e-14);
}

static void cholesky_refuses(void** state)
{
    (void)state;
    // positive diagonal, but an eigenvalue -1; the same with n = 3 and 6 embedded
    for (int32_t n = 2; n <= 7; ++n) {
        double a[49] = {0.0};
        for (int32_t i = 0; i < n; ++i)
            a[i * n + i] = 1.0;
        a[(n - 1) * n + n - 2] = a[(n - 2) * n + n - 1] = 2.0;
        assert_int_equal(stic_dense_cholesky(n, a), STIC_SINGULAR);
    }
    double zero[9] = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0};
    assert_int_equal(stic_dense_cholesky(3, zero), STIC_SINGULAR);
    double nan_entry[4] = {1.0, 0.0, NAN, 1.0};
    assert_int_equal(stic_dense_cholesky(2, nan_entry), STIC_SINGULAR);
    double inverse[9];
    memset(zero, 0, sizeof zero);
    assert_int_equal(stic_dense_spd_inverse(3, zero, inverse), STIC_SINGULAR);
}

static void transpose(int32_t n, const double* a, double* at)
{
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < n; ++j)
            at[j * n + i] = a[i * n + j];
}

static void lu_solves(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(2);
    static double a[TOP * TOP], at[TOP * TOP], factor[TOP * TOP];
    int32_t pivot[TOP];
    double worst = 0.0;
    for (int32_t n = 1; n <= TOP; n += n < 12 ? 1 : 13) {
        double b[TOP], x[TOP];
        test_random_vector(&random, n * n, -1.0, 1.0, a);
        a[0] = 0.0; // needs an exchange at once
        if (n == 1)
            a[0] = -3.0;
        test_random_vector(&random, n, -1.0, 1.0, b);
        memcpy(factor, a, sizeof factor);
        assert_int_equal(stic_dense_lu(n, factor, pivot), STIC_OK);
        memcpy(x, b, sizeof x);
        stic_dense_lu_solve(n, factor, pivot, x);
        worst = test_worse(worst, backward_error(n, a, x, b));
        memcpy(x, b, sizeof x);
        stic_dense_lu_solve_transpose(n, factor, pivot, x);
        transpose(n, a, at);
        worst = test_worse(worst, backward_error(n, at, x, b));
    }
    printf("lu: backward error %.1e\n", worst);
    test_less(worst, 2e-15);
}

// Banded matrices, as chains of bodies have them: what is left out where entries are zero changes
// nothing, and an entry that is not finite is refused wherever it is.
static void lu_bands(void** state)
{
    (void)state;
    enum { WIDE = 3, N = TOP };
    SticRandom random = stic_random_create(7);
    static double a[N * N], factor[N * N];
    int32_t pivot[N], first[N], end[N];
    double b[N], x[N], y[N], worst = 0.0;
    int32_t taken = 0;
    for (int trial = 0; trial < 10; ++trial) {
        test_random_vector(&random, N * N, -1.0, 1.0, a);
        for (int32_t i = 0; i < N; ++i)
            for (int32_t j = 0; j < N; ++j)
                a[i * N + j] *= i - j > WIDE || j - i > WIDE ? 0.0 : 1.0;
        test_random_vector(&random, N, -1.0, 1.0, b);
        memcpy(factor, a, sizeof factor);
        assert_int_equal(stic_dense_lu(N, factor, pivot), STIC_OK);
        stic_dense_lu_extent(N, factor, first, end);
        memcpy(x, b, sizeof x);
        memcpy(y, b, sizeof y);
        stic_dense_lu_solve(N, factor, pivot, x);
        stic_dense_lu_solve_within(N, factor, pivot, first, end, y);
        assert_memory_equal(x, y, sizeof x);
        worst = test_worse(worst, backward_error(N, a, x, b));
        for (int32_t i = 0; i < N; ++i)
            taken += end[i] - first[i];
        a[(N - 1) * N] = 0.0;
        a[N - 1] = trial % 2 == 0 ? NAN : HUGE_VAL;
        assert_int_equal(stic_dense_lu(N, a, pivot), STIC_SINGULAR);
    }
    printf("lu of bands: backward error %.1e, %d of %d entries\n", worst, taken, 10 * N * N);
    test_less(worst, 2e-15);
    test_less(taken, 0.7 * 10 * N * N);
}

static void lu_refuses(void** state)
{
    (void)state;
    int32_t pivot[6];
    double equal_rows[9] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 1.0, 2.0, 3.0};
    assert_int_equal(stic_dense_lu(3, equal_rows, pivot), STIC_SINGULAR);
    double inverse[36], zero[36] = {0.0};
    assert_int_equal(stic_dense_inverse(6, zero, inverse), STIC_SINGULAR);
    assert_int_equal(stic_dense_lu(6, zero, pivot), STIC_SINGULAR);
    // an infinite or NaN entry anywhere
    for (int at = 0; at < 9; ++at)
        for (int kind = 0; kind < 2; ++kind) {
            double a[9] = {2.0, 1.0, 0.5, -1.0, 3.0, 0.25, 0.125, 1.0, 4.0};
            a[at] = kind == 0 ? NAN : HUGE_VAL;
            assert_int_equal(stic_dense_lu(3, a, pivot), STIC_SINGULAR);
        }
}

static void condition_estimate(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(3);
    static double a[TOP * TOP], factor[TOP * TOP], work[2 * TOP], column[TOP];
    int32_t pivot[TOP];
    double lowest = 1.0, highest = 0.0;
    for (int i = 0; i < 400; ++i) {
        const int32_t n = 1 + (int32_t)stic_random_range(&random, 0.0, 24.0);
        if (i % 2 == 0)
            test_random_spd(&random, n, pow(10.0, stic_random_range(&random, 0.0, 12.0)), a);
        else
            test_random_vector(&random, n * n, -1.0, 1.0, a);
        memcpy(factor, a, sizeof factor);
        assert_int_equal(stic_dense_lu(n, factor, pivot), STIC_OK);
        // exact: all columns of the inverse
        double inverse_norm = 0.0;
        for (int32_t j = 0; j < n; ++j) {
            double sum = 0.0;
            for (int32_t k = 0; k < n; ++k)
                column[k] = k == j ? 1.0 : 0.0;
            stic_dense_lu_solve(n, factor, pivot, column);
            for (int32_t k = 0; k < n; ++k)
                sum += fabs(column[k]);
            inverse_norm = test_worse(inverse_norm, sum);
        }
        const double norm = stic_dense_norm1(n, a);
        const double estimate = stic_dense_lu_condition(n, factor, pivot, norm, work);
        lowest = fmin(lowest, estimate / (norm * inverse_norm));
        highest = test_worse(highest, estimate / (norm * inverse_norm));
    }
    printf("condition estimate / exact: %.3f to %.3f\n", lowest, highest);
    test_greater(lowest, 1.0 / 3.0);
    test_less(highest, 1.0 + 1e-6);
    // Hilbert matrix of order 8: norms of matrix and inverse are rational, their product is
    // 33872791095
    for (int32_t i = 0; i < 8; ++i)
        for (int32_t j = 0; j < 8; ++j)
            a[i * 8 + j] = 1.0 / (double)(i + j + 1);
    const double norm = stic_dense_norm1(8, a);
    assert_int_equal(stic_dense_lu(8, a, pivot), STIC_OK);
    const double hilbert = stic_dense_lu_condition(8, a, pivot, norm, work);
    printf("hilbert 8: %.4e\n", hilbert);
    test_less(fabs(hilbert / 33872791095.0 - 1.0), 1e-5);
}

static void constant_sizes(void** state)
{
    (void)state;
    // a 3x3 or 6x6 matrix embedded in a larger one goes through the general code: the same bits
    SticRandom random = stic_random_create(4);
    for (int i = 0; i < 200; ++i) {
        const int32_t n = i % 2 == 0 ? 3 : 6, m = n + 1;
        double a[36], large[49] = {0.0}, x[6], y[7];
        int32_t pivot[6], large_pivot[7];
        test_random_vector(&random, n * n, -1.0, 1.0, a);
        test_random_vector(&random, n, -1.0, 1.0, x);
        for (int32_t k = 0; k < n * n; ++k)
            large[k / n * m + k % n] = a[k];
        large[m * m - 1] = 1.0;
        memcpy(y, x, sizeof x);
        y[n] = 0.0;
        assert_int_equal(stic_dense_lu(n, a, pivot), STIC_OK);
        assert_int_equal(stic_dense_lu(m, large, large_pivot), STIC_OK);
        stic_dense_lu_solve(n, a, pivot, x);
        stic_dense_lu_solve(m, large, large_pivot, y);
        assert_memory_equal(x, y, (size_t)n * sizeof *x);
    }
}

static void six_by_six(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(5);
    double worst = 0.0;
    for (int i = 0; i < 500; ++i) {
        double a[36], inverse[36], product[36];
        test_random_vector(&random, 36, -1.0, 1.0, a);
        assert_int_equal(stic_dense_inverse(6, a, inverse), STIC_OK);
        stic_dense_mul(6, 6, 6, a, inverse, product);
        const double condition = stic_dense_norm1(6, a) * stic_dense_norm1(6, inverse);
        for (int k = 0; k < 36; ++k)
            worst = test_worse(worst, fabs(product[k] - (k % 7 == 0 ? 1.0 : 0.0)) / condition);
    }
    printf("6x6 inverse %.1e x condition\n", worst);
    test_less(worst, 4e-16);
}

static void products(void** state)
{
    (void)state;
    const double a[6] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, b[6] = {1.0, -1.0, 0.0, 2.0, 2.0, 0.0};
    const double exact[4] = {7.0, 3.0, 16.0, 6.0};
    double c[4], y[2];
    stic_dense_mul(2, 3, 2, a, b, c);
    assert_memory_equal(c, exact, sizeof c);
    stic_dense_mul_vec(2, 3, a, b, y);
    test_equal(y[0], -1.0);
    test_equal(y[1], -1.0);
    test_equal(stic_dense_norm1(2, a), 6.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cholesky_solves), cmocka_unit_test(cholesky_refuses),
        cmocka_unit_test(lu_solves),       cmocka_unit_test(lu_bands),
        cmocka_unit_test(lu_refuses),      cmocka_unit_test(condition_estimate),
        cmocka_unit_test(constant_sizes),  cmocka_unit_test(six_by_six),
        cmocka_unit_test(products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
