// SPDX-License-Identifier: Apache-2.0
// labels: threads
// The three error measures: independent formulas, units, shifts, extreme values, threads.
#include "helpers/problem.h"
#include "helpers/residual.h"
#include "helpers/scenes.h"
#include "stiction/extend/sparse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 600 };

static SticArena* new_arena(const SticContext* context)
{
    SticArena* arena = NULL;
    assert_int_equal(stic_arena_create(context, 0, &arena), STIC_OK);
    return arena;
}

// the relative measure equals that of plain loops, for each law they know and with shifts
static void test_relative(void** state)
{
    (void)state;
    static const TestProblemDef defs[] = {
        {STIC_LAW_CONE, 30, 3, 4, 0, true},     {STIC_LAW_CONE, 30, 2, 0, 0, true},
        {STIC_LAW_ROLLING, 20, 5, 3, 0, true},  {STIC_LAW_ROLLING, 20, 3, 0, 0, false},
        {STIC_LAW_NONNEG, 40, 1, 3, 0, true},   {STIC_LAW_CONE, 30, 3, 4, 12, true},
        {STIC_LAW_ROLLING, 20, 5, 0, 12, true},
    };
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(51);
    double worst = 0.0;
    for (size_t k = 0; k < sizeof defs / sizeof defs[0]; ++k) {
        SticArena* arena = new_arena(&context);
        SticProblemStore* store = NULL;
        const SticProblem made = test_problem_random(arena, &random, &defs[k]);
        assert_int_equal(stic_problem_copy(&context, &made, &store), STIC_OK);
        const SticProblem* problem = stic_problem_view(store);
        double r[MOST], u[MOST], v[MOST];
        for (int trial = 0; trial < 20; ++trial) {
            SticErrors errors;
            test_random_vector(&random, problem->rows, -1.0, 2.0, r);
            // at 0 nothing is computed twice
            if (trial == 0)
                memset(r, 0, (size_t)problem->rows * sizeof *r);
            assert_int_equal(stic_errors_compute(arena, problem, r, u, &errors), STIC_OK);
            const double independent = test_residual_relative(problem, r);
            test_residual_velocity(problem, r, v);
            for (int32_t a = 0; a < problem->rows; ++a)
                worst = test_worse(worst, fabs(u[a] - v[a]));
            worst = test_worse(worst, fabs(errors.relative - independent));
            test_at_most(errors.siconos, errors.relative);
            test_equal(stic_errors_get(&errors, STIC_NORM_SICONOS), errors.siconos);
            test_equal(stic_errors_get(&errors, STIC_NORM_UNIT_FREE), errors.unit_free);
        }
        stic_problem_destroy(store);
        stic_arena_destroy(arena);
    }
    print_message("largest difference from plain loops %.1e\n", worst);
    // Dykstra's projections in the reference stop at 1e-16 per step
    test_less(worst, 1e-11);
}

// one contact by hand: natural map in the scaled variables x_N / sqrt(rho_N), x_T / sqrt(rho_T)
static void test_unit_free(void** state)
{
    (void)state;
    static const double W[9] = {2.0, 0.3, -0.2, 0.3, 1.5, 0.4, -0.2, 0.4, 1.1};
    static const double b[3] = {-1.0, 0.4, 0.2}, r[3] = {0.7, -0.5, 0.1};
    static const double coef[1][4] = {{0.6}};
    static const int32_t at[2] = {0, 3};
    static const uint8_t law[1] = {STIC_LAW_CONE};
    const SticContext context = stic_context_default();
    SticArena* arena = new_arena(&context);
    const SticPartition partition = {1, 1, at, at};
    SticBlockCsr A;
    SticErrors errors;
    double u[3];
    assert_int_equal(stic_block_csr_from_dense(&partition, W, arena, &A), STIC_OK);
    const SticProblem problem = {
        .count = 1, .rows = 3, .row_at = at, .law = law, .coef = coef, .W = &A, .b = b};
    assert_int_equal(stic_errors_compute(arena, &problem, r, u, &errors), STIC_OK);

    const double most = 0.5 * (1.5 + 1.1) + sqrt(0.25 * 0.4 * 0.4 + 0.4 * 0.4);
    const double s_N = sqrt(1.0 / 2.0), s_T = sqrt(1.0 / most);
    double z[3], D[3];
    z[0] = r[0] / s_N - s_N * (u[0] + 0.6 * hypot(u[1], u[2]));
    for (int a = 1; a < 3; ++a)
        z[a] = r[a] / s_T - s_T * u[a];
    // cone with mu s_N / s_T
    const double mu = 0.6 * s_N / s_T, across = hypot(z[1], z[2]);
    if (mu * across <= -z[0]) {
        z[0] = z[1] = z[2] = 0.0;
    } else if (across > mu * z[0]) {
        const double excess = (across - mu * z[0]) / (1.0 + mu * mu);
        z[1] -= excess * z[1] / across;
        z[2] -= excess * z[2] / across;
        z[0] += mu * excess;
    }
    D[0] = r[0] - s_N * z[0];
    D[1] = r[1] - s_T * z[1];
    D[2] = r[2] - s_T * z[2];
    double energy = 0.0;
    for (int e = 0; e < 9; ++e)
        energy += W[e] * D[e / 3] * D[e % 3];
    // <W^-1 b, b> by Cramer's rule
    const double det = W[0] * (W[4] * W[8] - W[5] * W[7]) - W[1] * (W[3] * W[8] - W[5] * W[6]) +
                       W[2] * (W[3] * W[7] - W[4] * W[6]);
    double scale = 0.0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int p = (j + 1) % 3, q = (j + 2) % 3, k = (i + 1) % 3, l = (i + 2) % 3;
            scale +=
                b[i] * b[j] * (W[3 * p + k] * W[3 * q + l] - W[3 * p + l] * W[3 * q + k]) / det;
        }
    const double expected = sqrt(energy / scale);
    print_message("unit-free error %.15f, by hand %.15f\n", errors.unit_free, expected);
    test_less(fabs(errors.unit_free - expected), 1e-13);
    stic_arena_destroy(arena);
}

// other units of mass and time change the first measure, not the third
static void test_units(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticArena* arena = new_arena(&context);
    SticRandom random = stic_random_create(61);
    const TestProblemDef def = {STIC_LAW_CONE, 20, 3, 3, 0, false};
    const SticProblem problem = test_problem_random(arena, &random, &def);
    const int32_t m = problem.rows;
    double r[MOST], r_other[MOST], b[MOST], u[MOST];
    SticErrors errors, other;
    test_random_vector(&random, m, -1.0, 1.0, r);
    assert_int_equal(stic_errors_compute(arena, &problem, r, u, &errors), STIC_OK);
    // r in units of 1/c, u in units of 1/d: W c'/d'
    const double c = 1000.0, d = 60.0;
    SticBlockCsr W = *problem.W;
    const int64_t values = W.value_at[stic_block_csr_count(&W)];
    double* value = malloc((size_t)values * sizeof *value);
    for (int64_t k = 0; k < values; ++k)
        value[k] = problem.W->value[k] * d / c;
    W.value = value;
    for (int32_t k = 0; k < m; ++k) {
        b[k] = d * problem.b[k];
        r_other[k] = c * r[k];
    }
    SticProblem scaled = problem;
    scaled.W = &W;
    scaled.b = b;
    assert_int_equal(stic_errors_compute(arena, &scaled, r_other, u, &other), STIC_OK);
    print_message("relative %.6f and %.6f, unit-free %.12f and %.12f\n", errors.relative,
                  other.relative, errors.unit_free, other.unit_free);
    test_less(fabs(errors.unit_free - other.unit_free), 1e-12 * errors.unit_free);
    test_greater(fabs(errors.relative - other.relative), 0.01 * errors.relative);
    free(value);
    stic_arena_destroy(arena);
}

static void test_extremes(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticArena* arena = new_arena(&context);
    SticRandom random = stic_random_create(71);
    const TestProblemDef def = {STIC_LAW_CONE, 10, 3, 0, 0, false};
    SticProblem problem = test_problem_random(arena, &random, &def);
    double r[MOST] = {0.0}, u[MOST], zero[MOST] = {0.0};
    SticErrors errors;
    // b = 0: divided by 1, and r = 0 solves it
    problem.b = zero;
    assert_int_equal(stic_errors_compute(arena, &problem, r, u, &errors), STIC_OK);
    test_equal(errors.relative, 0.0);
    test_equal(errors.siconos, 0.0);
    test_equal(errors.unit_free, 0.0);
    r[0] = -1.0;
    assert_int_equal(stic_errors_compute(arena, &problem, r, u, &errors), STIC_OK);
    test_at_least(errors.relative, 1.0);
    test_equal(errors.floor, 5e-16);
    // reactions that are known to 5e-16 of themselves only, in both measures
    test_greater(errors.growth, 0.0);
    test_equal(errors.floor_unit_free, 5e-16 * errors.growth);
    // what is not a number is infinitely wrong
    r[0] = NAN;
    assert_int_equal(stic_errors_compute(arena, &problem, r, u, &errors), STIC_OK);
    assert_true(isinf(errors.relative) && isinf(errors.unit_free) && isinf(errors.siconos));
    r[0] = INFINITY;
    assert_int_equal(stic_errors_compute(arena, &problem, r, u, &errors), STIC_OK);
    assert_true(isinf(errors.relative) && isinf(errors.unit_free) && isinf(errors.siconos));
    // a defect that costs no energy is seen: W_ii = 0 in a contact without friction
    static const double W[4] = {0.0, 1.0, -1.0, 0.0}, q[2] = {-1.0, 1.0};
    static const int32_t at[3] = {0, 1, 2};
    static const uint8_t law[2] = {STIC_LAW_NONNEG, STIC_LAW_NONNEG};
    static const double coef[2][4] = {{0.0}};
    const SticPartition partition = {2, 2, at, at};
    SticBlockCsr A;
    assert_int_equal(stic_block_csr_from_dense(&partition, W, arena, &A), STIC_OK);
    const SticProblem lcp = {
        .count = 2, .rows = 2, .row_at = at, .law = law, .coef = coef, .W = &A, .b = q};
    assert_int_equal(stic_errors_compute(arena, &lcp, zero, u, &errors), STIC_OK);
    test_greater(errors.unit_free, 0.1);
    const double answer[2] = {1.0, 1.0};
    assert_int_equal(stic_errors_compute(arena, &lcp, answer, u, &errors), STIC_OK);
    test_equal(errors.unit_free, 0.0);
    test_equal(errors.relative, 0.0);
    stic_arena_destroy(arena);
}

// a sum that cancels: compensated to the last bit
static void test_cancellation(void** state)
{
    (void)state;
    enum { N = 60 };
    static double W[N * N], r[N], b[N], u[N];
    static int32_t at[N + 1];
    static uint8_t law[N];
    static double coef[N][4];
    const SticContext context = stic_context_default();
    SticArena* arena = new_arena(&context);
    SticRandom random = stic_random_create(81);
    // row 0 adds up large numbers to 1
    for (int k = 0; k < N; ++k) {
        at[k + 1] = k + 1;
        law[k] = STIC_LAW_NONNEG;
        W[k * N + k] = 1.0;
        r[k] = 1.0;
    }
    for (int k = 1; k < N - 1; k += 2) {
        const double large = ldexp(stic_random_range(&random, 1.0, 2.0), (int)(50.0 * k / N));
        W[k] = large;
        W[k + 1] = -large;
    }
    const SticPartition partition = {N, N, at, at};
    SticBlockCsr A;
    SticErrors errors;
    assert_int_equal(stic_block_csr_from_dense(&partition, W, arena, &A), STIC_OK);
    const SticProblem problem = {.count = N,
                                 .rows = N,
                                 .row_at = at,
                                 .law = law,
                                 .coef = (const double(*)[4])coef,
                                 .W = &A,
                                 .b = b};
    b[0] = 0x1p-40;
    assert_int_equal(stic_errors_compute(arena, &problem, r, u, &errors), STIC_OK);
    print_message("u_0 - 1 = %.17e\n", u[0] - 1.0);
    test_equal(u[0], 1.0 + 0x1p-40);
    stic_arena_destroy(arena);
}

static void test_threads(void** state)
{
    (void)state;
    Scene scene;
    SticErrors errors[3];
    const SceneDef def = {SCENE_WALL, 12, 0.6, 0.5, 0.0};
    scene_create(&scene, &def);
    const size_t rows = (size_t)scene.problem.rows;
    double* r = calloc(rows, sizeof *r);
    double* u[3];
    SticRandom random = stic_random_create(91);
    test_random_vector(&random, scene.problem.rows, -1.0, 1.0, r);
    for (int threads = 0; threads < 3; ++threads) {
        SticContext context = stic_context_default();
        if (threads > 0)
            assert_int_equal(stic_pool_create(&context, threads, &context.pool), STIC_OK);
        SticArena* arena = new_arena(&context);
        u[threads] = calloc(rows, sizeof *r);
        assert_int_equal(
            stic_errors_compute(arena, &scene.problem, r, u[threads], &errors[threads]), 0);
        stic_arena_destroy(arena);
        stic_pool_destroy(context.pool);
        assert_memory_equal(u[threads], u[0], rows * sizeof *r);
        assert_memory_equal(&errors[threads], &errors[0], sizeof errors[0]);
    }
    for (int threads = 0; threads < 3; ++threads)
        free(u[threads]);
    free(r);
    scene_release(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relative),     cmocka_unit_test(test_unit_free),
        cmocka_unit_test(test_units),        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_cancellation), cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
