// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients and GMRES against known solutions and known iteration counts.
#include <math.h>
#include <string.h>

#include "helpers/helpers.h"
#include "sparse/sparse.h"

enum { PARTS = 40, SIZE = 3 * PARTS, RESTART = 30 };

typedef struct Sample {
    SticArena* arena;
    int32_t at[PARTS + 1];
    SticBlockCsr A, inverse;
    double x[SIZE], b[SIZE];
} Sample;

// chain of 3 x 3 blocks; `skew` makes it unsymmetric, `spread` multiplies part i by
// spread^(i/PARTS)
static void make_sample(Sample* sample, double skew, double spread)
{
    SticRandom random = stic_random_create(21);
    const SticContext context = stic_context_default();
    static double dense[SIZE * SIZE];
    memset(dense, 0, sizeof dense);
    for (int32_t i = 0; i <= PARTS; ++i)
        sample->at[i] = 3 * i;
    for (int32_t i = 0; i < PARTS; ++i) {
        double K[9];
        test_random_spd(&random, 3, 10, K);
        for (int32_t e = 0; e < 9; ++e) {
            const int32_t r = 3 * i + e / 3, c = 3 * i + e % 3;
            dense[r * SIZE + c] += K[e];
            dense[r * SIZE + r] += e % 4 == 0 ? 0.1 : 0;
            if (i + 1 < PARTS) {
                dense[(r + 3) * SIZE + c + 3] += K[e];
                dense[r * SIZE + c + 3] -= K[e] * (1 + skew);
                dense[(r + 3) * SIZE + c] -= K[e] * (1 - skew);
            }
        }
    }
    for (int32_t i = 0; i < SIZE; ++i)
        for (int32_t j = 0; j < SIZE; ++j)
            dense[i * SIZE + j] *= pow(spread, (i / 3 + j / 3) / (2.0 * PARTS));
    assert_int_equal(stic_arena_create(&context, 1 << 16, &sample->arena), STIC_OK);
    const SticPartition partition = {PARTS, PARTS, sample->at, sample->at};
    assert_int_equal(stic_block_csr_from_dense(&partition, dense, sample->arena, &sample->A),
                     STIC_OK);
    assert_int_equal(
        stic_block_csr_invert_diagonal(&sample->A, sample->arena, &sample->inverse, NULL), STIC_OK);
    test_random_vector(&random, SIZE, -1, 1, sample->x);
    for (int32_t i = 0; i < SIZE; ++i) {
        sample->b[i] = 0;
        for (int32_t j = 0; j < SIZE; ++j)
            sample->b[i] += dense[i * SIZE + j] * sample->x[j];
    }
}

static SticLinearOperator operator_of(const Sample* sample, bool preconditioned)
{
    const SticLinearOperator A = {
        .size = SIZE,
        .apply = stic_block_csr_apply,
        .self = &sample->A,
        .precondition = preconditioned ? stic_block_csr_apply : NULL,
        .precondition_self = &sample->inverse,
    };
    return A;
}

static double error_of(const Sample* sample, const double* x)
{
    double most = 0;
    for (int32_t i = 0; i < SIZE; ++i)
        most = test_worse(most, fabs(x[i] - sample->x[i]));
    return most;
}

static double residual_of(const Sample* sample, const double* x)
{
    double r[SIZE], square = 0, size = 0;
    memcpy(r, sample->b, sizeof r);
    stic_block_csr_multiply(-1, &sample->A, x, 1, r);
    for (int32_t i = 0; i < SIZE; ++i) {
        square += r[i] * r[i];
        size += sample->b[i] * sample->b[i];
    }
    return sqrt(square / size);
}

static void both_solve_and_the_preconditioner_helps(void** state)
{
    (void)state;
    const TestTable table = test_table_begin(
        "iterations", "method|   skew |spread|preconditioned|iterations|residual |error    ");
    static const struct {
        double skew, spread;
        bool gmres;
    } cases[] = {{0, 1, false}, {0, 1e6, false}, {0, 1, true}, {0.3, 1, true}, {0.3, 1e4, true}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        int32_t iterations[2];
        for (int pass = 0; pass < 2; ++pass) {
            Sample sample;
            make_sample(&sample, cases[c].skew, cases[c].spread);
            const SticLinearOperator A = operator_of(&sample, pass == 1);
            SticKrylovSettings settings = stic_krylov_default_settings();
            settings.tolerance = 1e-12;
            settings.restart = SIZE;
            settings.max_iterations = 3000;
            static double work[(SIZE + 2) * SIZE + SIZE * (SIZE + 1) + 4 * SIZE + 1];
            test_equal(stic_gmres_work(SIZE, SIZE), sizeof work / sizeof *work);
            test_at_most(stic_cg_work(SIZE), sizeof work / sizeof *work);
            double x[SIZE] = {0};
            SticKrylovInfo info;
            (cases[c].gmres ? stic_gmres_solve : stic_cg_solve)(&A, sample.b, &settings, work, x,
                                                                &info);
            iterations[pass] = info.iterations;
            test_table_row(&table, "%s|%g|%g|%s|%d|%.1e|%.1e", cases[c].gmres ? "GMRES" : "CG",
                           cases[c].skew, cases[c].spread, pass ? "yes" : "no", info.iterations,
                           info.residual, error_of(&sample, x));
            assert_true(info.solved && !info.not_definite);
            test_less(fabs(info.residual - residual_of(&sample, x)), 1e-15);
            if (cases[c].spread <= 1)
                test_less(error_of(&sample, x), 1e-10);
            // full GMRES ends after at most SIZE steps but for rounding
            if (cases[c].gmres) {
                test_at_most(info.iterations, SIZE + 5);
            }
            stic_arena_destroy(sample.arena);
        }
        if (cases[c].spread != 1) {
            test_less(iterations[1], iterations[0]);
        }
    }
}

static void diagonal_with_k_values_takes_k_steps(void** state)
{
    (void)state;
    // eigenvalues 1, 2, 3, 4: both methods end after four steps
    int32_t at[SIZE + 1], col[SIZE], begin[SIZE + 1];
    int64_t value_at[SIZE + 1];
    double value[SIZE], b[SIZE];
    for (int32_t i = 0; i <= SIZE; ++i) {
        at[i] = begin[i] = i;
        value_at[i] = i;
        if (i < SIZE) {
            col[i] = i;
            value[i] = 1 + i % 4;
            b[i] = 1 + 0.1 * i;
        }
    }
    const SticBlockCsr A = {SIZE, SIZE, at, at, begin, col, value_at, value};
    const SticLinearOperator op = {.size = SIZE, .apply = stic_block_csr_apply, .self = &A};
    const SticKrylovSettings settings = {1e-14, 100, RESTART};
    static double work[(RESTART + 2) * SIZE + RESTART * (RESTART + 1) + 4 * RESTART + 1];
    for (int pass = 0; pass < 2; ++pass) {
        double x[SIZE] = {0};
        SticKrylovInfo info;
        (pass ? stic_gmres_solve : stic_cg_solve)(&op, b, &settings, work, x, &info);
        assert_int_equal(info.iterations, 4);
        for (int32_t i = 0; i < SIZE; ++i)
            test_less(fabs(x[i] * value[i] - b[i]), 1e-13 * 13);
        // the solution as start: nothing to do; b = 0 gives x = 0
        (pass ? stic_gmres_solve : stic_cg_solve)(&op, b, &settings, work, x, &info);
        test_at_most(info.iterations, 1);
        double zero[SIZE] = {0};
        memset(x, 0, sizeof x);
        (pass ? stic_gmres_solve : stic_cg_solve)(&op, zero, &settings, work, x, &info);
        assert_true(info.solved);
        test_equal(info.iterations, 0);
        test_equal(info.residual, 0);
    }
    // indefinite: CG says so, GMRES solves
    for (int32_t i = 0; i < SIZE; ++i)
        value[i] = i % 2 ? 2 : -1;
    double x[SIZE] = {0};
    SticKrylovInfo info;
    stic_cg_solve(&op, b, &settings, work, x, &info);
    assert_true(info.not_definite || info.solved);
    value[0] = 0; // singular and inconsistent: no solution, but an end
    memset(x, 0, sizeof x);
    stic_gmres_solve(&op, b, &settings, work, x, &info);
    print_message("inconsistent system: residual %.3e after %d steps\n", info.residual,
                  info.iterations);
    assert_true(!info.solved && isfinite(info.residual));
    double size = 0;
    for (int32_t i = 0; i < SIZE; ++i)
        size += b[i] * b[i];
    test_less(fabs(info.residual - fabs(b[0]) / sqrt(size)), 1e-12); // the rest of b is met
}

static void restarts_reach_the_tolerance(void** state)
{
    (void)state;
    Sample sample;
    make_sample(&sample, 0.1, 1);
    const SticLinearOperator A = operator_of(&sample, true);
    const SticKrylovSettings settings = {1e-10, 3000, 20};
    static double work[22 * SIZE + 20 * 21 + 81];
    double x[SIZE] = {0};
    SticKrylovInfo info;
    stic_gmres_solve(&A, sample.b, &settings, work, x, &info);
    print_message("GMRES(20): %d iterations, residual %.1e\n", info.iterations, info.residual);
    assert_true(info.solved);
    test_at_most(residual_of(&sample, x), 1.0000001e-10);
    // too few iterations are reported as such
    const SticKrylovSettings few = {1e-10, 7, 20};
    memset(x, 0, sizeof x);
    stic_gmres_solve(&A, sample.b, &few, work, x, &info);
    assert_true(!info.solved);
    test_equal(info.iterations, 7);
    memset(x, 0, sizeof x);
    stic_cg_solve(&A, sample.b, &few, work, x, &info);
    test_at_most(info.iterations, 7);
    assert_true(!info.solved);
    stic_arena_destroy(sample.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_solve_and_the_preconditioner_helps),
        cmocka_unit_test(diagonal_with_k_values_takes_k_steps),
        cmocka_unit_test(restarts_reach_the_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
