// SPDX-License-Identifier: Apache-2.0
// The path of the proximal parameter: the sign of determinants it is oriented by, monotone problems
// without folds, and sliding piles whose paths turn back and come to a solution all the same.
#include "paths.h"

#include "solver/method/prox_path.h"

static void run(SticProxNewton* newton, const SticProxNewtonSettings* settings, double* x,
                PathEnd* end)
{
    SticProxPath path;
    assert_int_equal(stic_prox_path_create(newton, &path), STIC_OK);
    stic_prox_path_run(&path, settings, x);
    end->points = path.points;
    end->folds = path.folds;
    end->changes = path.kinks;
}

// sign of the determinant of random dense matrices, as blocks, against cofactors of order 4
static double determinant(int n, const double* a)
{
    double sum = 0.0, minor[9];
    if (n == 1)
        return a[0];
    for (int k = 0; k < n; ++k) {
        for (int i = 1, m = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                if (j != k)
                    minor[m++] = a[n * i + j];
        sum += (k % 2 == 0 ? 1.0 : -1.0) * a[k] * determinant(n - 1, minor);
    }
    return sum;
}

static void test_sign(void** state)
{
    (void)state;
    static const int32_t row_at[3] = {0, 2, 4}, begin[3] = {0, 2, 4}, col[4] = {0, 1, 0, 1};
    static const int64_t value_at[5] = {0, 4, 8, 12, 16};
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(3);
    SticError error = {0};
    int negative = 0;
    for (int trial = 0; trial < 200; ++trial) {
        double dense[16], value[16];
        SticSymbolic* symbolic = NULL;
        SticFactor* factor = NULL;
        SticFactorInfo info;
        test_random_vector(&random, 16, -1.0, 1.0, dense);
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                value[4 * (2 * (i / 2) + j / 2) + 2 * (i % 2) + j % 2] = dense[4 * i + j];
        const SticBlockCsr A = {2, 2, row_at, row_at, begin, col, value_at, value};
        assert_int_equal(stic_symbolic_create(&context, &A, STIC_ORDERING_AMD, &symbolic, &error),
                         STIC_OK);
        assert_int_equal(stic_factor_create(symbolic, STIC_FACTOR_LU, &factor, &error), STIC_OK);
        assert_int_equal(stic_factor_compute(factor, &A, NULL, &info), STIC_OK);
        assert_int_equal(info.sign, determinant(4, dense) < 0.0 ? -1 : 1);
        negative += info.sign < 0;
        stic_factor_destroy(factor);
        stic_symbolic_destroy(symbolic);
    }
    print_message("200 determinants, %d negative\n", negative);
    test_greater(negative, 50);
    test_less(negative, 150);
}

static void test_monotone(void** state)
{
    (void)state;
    path_monotone(run, 1e-10);
}

// from where a few sweeps end, on which the number of folds depends
static void test_piles(void** state)
{
    (void)state;
    static const char* const names[] = {"spheres50-slide",  "capsules100-slide", "wall5-slide",
                                        "pyramid5-slide",   "spheres50-hit",     "spheres200-hit",
                                        "spheres100-slide", "spheres200-slide"};
    path_scenes(run, names, sizeof names / sizeof names[0], 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sign), cmocka_unit_test(test_monotone),
                                       cmocka_unit_test(test_piles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
