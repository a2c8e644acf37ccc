// SPDX-License-Identifier: Apache-2.0
// Dense kernels of the factorisations against plain loops; both instruction sets bit by bit.
#include <math.h>
#include <string.h>

#include "helpers/helpers.h"
#include "sparse/panel.h"

enum { ROWS = 100, INNER = 420, MAX = 256 };

static _Alignas(64) double A[ROWS * INNER], B[ROWS * INNER], C[ROWS * ROWS], D[2][ROWS * ROWS];
static _Alignas(64) double packed[STIC_PANEL_PACKED], X[2][MAX * ROWS], T[MAX * MAX];
static double scale[INNER], inverse[MAX];

static void updates_agree_with_plain_loops(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(41);
    test_random_vector(&random, ROWS * INNER, -1, 1, A);
    test_random_vector(&random, ROWS * INNER, -1, 1, B);
    test_random_vector(&random, ROWS * ROWS, -1, 1, C);
    test_random_vector(&random, INNER, -1, 1, scale);
    static const int32_t sizes[][3] = {{4, 1, 1},    {8, 3, 6},    {12, 12, 3},    {48, 47, 6},
                                       {52, 50, 8},  {100, 98, 7}, {100, 99, 192}, {100, 97, 193},
                                       {96, 5, 420}, {4, 2, 0}};
    double worst = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
        for (int variant = 0; variant < 8; ++variant) {
            const int32_t m = sizes[s][0], n = sizes[s][1], k = sizes[s][2];
            const bool lower = variant & 1, scaled = variant & 2, zero = variant & 4;
            const SticPanelSource source = {B, 1, ROWS, scaled ? scale : NULL};
            for (int pass = 0; pass < 2; ++pass) {
                memcpy(D[pass], C, sizeof C);
                const SticPanelUpdate update = {.m = m,
                                                .n = n,
                                                .k = k,
                                                .A = A,
                                                .lda = ROWS,
                                                .from = zero ? NULL : C,
                                                .from_ld = ROWS,
                                                .to = D[pass],
                                                .to_ld = ROWS,
                                                .lower = lower};
                stic_panel_update(stic_panel_kernels(pass == 1), &update, &source, packed);
            }
            for (int32_t j = 0; j < n; ++j)
                for (int32_t i = lower ? j : 0; i < m; ++i) {
                    double sum = zero && k > 0 ? 0 : C[j * ROWS + i];
                    for (int32_t p = 0; p < k; ++p)
                        sum -= A[p * ROWS + i] * B[p * ROWS + j] * (scaled ? scale[p] : 1);
                    worst = test_worse(worst, fabs(sum - D[0][j * ROWS + i]));
                    test_equal(D[0][j * ROWS + i], D[1][j * ROWS + i]);
                }
            // columns that were not asked for are untouched
            for (int32_t i = 0; i < ROWS; ++i)
                test_equal(D[0][n * ROWS + i], C[n * ROWS + i]);
        }
    print_message("largest difference of updates %.1e\n", worst);
    test_less(worst, 1e-12);
}

static void triangles_are_solved_from_the_right(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(42);
    for (int32_t n = 1; n <= MAX; n = n < 20 ? n + 1 : 2 * n - 7) {
        const int32_t m = 96;
        test_random_vector(&random, n * n, -1.0 / n, 1.0 / n, T);
        test_random_vector(&random, MAX * ROWS, -1, 1, X[0]);
        memcpy(X[1], X[0], sizeof X[0]);
        static double right[MAX * ROWS];
        memcpy(right, X[0], sizeof right);
        for (int32_t j = 0; j < n; ++j)
            inverse[j] = 1 / stic_random_range(&random, 1, 2);
        // T(p, j) = T[p * n + j] above the diagonal, 1 / inverse on it
        const SticPanelSource source = {T, 1, n, NULL};
        for (int pass = 0; pass < 2; ++pass) {
            const SticPanelUpdate shape = {.m = m, .n = n, .to = X[pass], .to_ld = ROWS};
            stic_panel_solve_right(stic_panel_kernels(pass == 1), &shape, &source, inverse, packed);
        }
        double worst = 0;
        for (int32_t j = 0; j < n; ++j)
            for (int32_t i = 0; i < m; ++i) {
                double sum = X[0][j * ROWS + i] / inverse[j];
                for (int32_t p = 0; p < j; ++p)
                    sum += X[0][p * ROWS + i] * T[p * n + j];
                worst = test_worse(worst, fabs(sum - right[j * ROWS + i]));
                test_equal(X[0][j * ROWS + i], X[1][j * ROWS + i]);
            }
        test_less(worst, 1e-13);
    }
}

static void panels_multiply_vectors(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(43);
    test_random_vector(&random, ROWS * INNER, -1, 1, A);
    for (int32_t n = 1; n <= 30; ++n)
        for (int32_t m = 4; m <= 40; m += 12) {
            double x[32];
            _Alignas(64) double y[2][40];
            double z[2][32];
            test_random_vector(&random, 32, -1, 1, x);
            for (int pass = 0; pass < 2; ++pass) {
                const SticPanelKernels* kernels = stic_panel_kernels(pass == 1);
                kernels->gather(m, n, A, ROWS, x, y[pass]);
                memcpy(z[pass], x, sizeof x);
                kernels->project(m, n, A, ROWS, y[pass], z[pass]);
            }
            assert_memory_equal(y[0], y[1], (size_t)m * sizeof(double));
            assert_memory_equal(z[0], z[1], (size_t)n * sizeof(double));
            for (int32_t i = 0; i < m; ++i) {
                double sum = 0;
                for (int32_t j = 0; j < n; ++j)
                    sum += A[j * ROWS + i] * x[j];
                test_less(fabs(sum - y[0][i]), 1e-14 * n);
            }
            for (int32_t j = 0; j < n; ++j) {
                double sum = x[j];
                for (int32_t i = 0; i < m; ++i)
                    sum -= A[j * ROWS + i] * y[0][i];
                test_less(fabs(sum - z[0][j]), 1e-13 * n);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(updates_agree_with_plain_loops),
        cmocka_unit_test(triangles_are_solved_from_the_right),
        cmocka_unit_test(panels_multiply_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
