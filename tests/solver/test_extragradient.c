// SPDX-License-Identifier: Apache-2.0
// labels: threads
// extragradient: published contact, random problems of several laws, bits for one and two threads.
#include "helpers/boxes.h"
#include "helpers/problem.h"
#include "helpers/residual.h"
#include "run.h"

#include <math.h>

// Koziara's thesis, data of fig. 10.3.3: W_ii = 0.8, W_ij = 0.4, b = (0, 0, -2), rows T, T, N there
static void test_koziara(void** state)
{
    (void)state;
    static const double W[9] = {0.8, 0.4, 0.4, 0.4, 0.8, 0.4, 0.4, 0.4, 0.8};
    static const double b[3] = {-2.0, 0.0, 0.0}, coef[1][4] = {{0.1}};
    static const double expected[3] = {2.690227834, -0.190227834, -0.190227834};
    static const int32_t at[2] = {0, 3};
    static const uint8_t law[1] = {STIC_LAW_CONE};
    const SticContext context = stic_context_default();
    SticArena* arena = NULL;
    SticBlockCsr A;
    const SticPartition partition = {1, 1, at, at};
    static Run run;
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    assert_int_equal(stic_block_csr_from_dense(&partition, W, arena, &A), STIC_OK);
    const SticProblem problem = {
        .count = 1, .rows = 3, .row_at = at, .law = law, .coef = coef, .W = &A, .b = b};
    run_solver(&context, &problem, "extragradient", "", 1e-12, &run);
    print_message("%d iterations, r = %.9f %.9f %.9f, last Lipschitz ratio %.3f\n",
                  run.info.iterations, run.r[0], run.r[1], run.r[2], run.info.lipschitz);
    assert_int_equal(run.info.outcome, STIC_OUTCOME_SOLVED);
    for (int a = 0; a < 3; ++a)
        assert_true(fabs(run.r[a] - expected[a]) < 1e-9);
    assert_true(run.info.lipschitz > 0.0 && run.info.lipschitz <= 0.9);
    stic_arena_destroy(arena);
}

static void test_random(void** state)
{
    (void)state;
    static const struct {
        const char* name;
        TestProblemDef def;
    } randoms[] = {
        {"cones, local", {STIC_LAW_CONE, 30, 3, 0, 0, true}},
        {"planar cones with joints, local", {STIC_LAW_CONE, 30, 2, 4, 0, true}},
        {"rolling, local", {STIC_LAW_ROLLING, 12, 5, 0, 0, false}},
        {"unilateral, local", {STIC_LAW_NONNEG, 40, 1, 0, 0, true}},
        {"cones, bodies", {STIC_LAW_CONE, 30, 3, 0, 20, true}},
    };
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(41);
    const TestTable table = test_table_begin(
        "extragradient on random problems, tolerance 1e-10",
        "problem                        |first step|iterations|error  |independent");
    static Run run, gauss_seidel;
    for (size_t k = 0; k < sizeof randoms / sizeof randoms[0]; ++k) {
        SticArena* arena = NULL;
        SticProblemStore* store = NULL;
        assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
        const SticProblem made = test_problem_random(arena, &random, &randoms[k].def);
        assert_int_equal(stic_problem_copy(&context, &made, &store), STIC_OK);
        const SticProblem* problem = stic_problem_view(store);
        run_solver(&context, problem, "nsgs", "", 1e-10, &gauss_seidel);
        // the step finds its size from any start
        static const char* const steps[] = {"step=1", "step=1000", "step=0.001"};
        for (int s = 0; s < 3; ++s) {
            run_solver(&context, problem, "extragradient", steps[s], 1e-10, &run);
            const double independent = test_residual_relative(problem, run.r);
            test_table_row(&table, "%s|%s|%d|%.1e|%.1e", randoms[k].name, steps[s] + 5,
                           run.info.iterations, run.info.errors.relative, independent);
            assert_int_equal(run.info.outcome, STIC_OUTCOME_SOLVED);
            assert_true(fabs(independent - run.info.errors.relative) <= 1e-13);
            double apart = 0.0;
            for (int32_t a = 0; a < problem->rows; ++a)
                apart = fmax(apart, fabs(run.u[a] - gauss_seidel.u[a]));
            assert_true(apart < 1e-6);
        }
        stic_problem_destroy(store);
        stic_arena_destroy(arena);
    }
}

static void test_threads(void** state)
{
    (void)state;
    static Run run[3];
    Boxes boxes;
    boxes_create(&boxes, BOX_PYRAMID, 20, 0.5, 0.3);
    for (int threads = 0; threads < 3; ++threads) {
        SticContext context = stic_context_default();
        if (threads > 0)
            assert_int_equal(stic_pool_create(&context, threads, &context.pool), STIC_OK);
        run_solver(&context, &boxes.problem, "extragradient", "", 1e-1, &run[threads]);
        stic_pool_destroy(context.pool);
        assert_int_equal(run[threads].info.iterations, run[0].info.iterations);
        assert_memory_equal(run[threads].r, run[0].r, (size_t)boxes.problem.rows * sizeof(double));
    }
    const uint64_t hash = stic_hash_doubles(0, run[0].r, (size_t)boxes.problem.rows);
    print_message("%d contacts, %d iterations, error %.2e, hash %016llx\n", boxes.contacts,
                  run[0].info.iterations, run[0].info.errors.relative, (unsigned long long)hash);
    // the same for gcc and clang at every optimisation level; a change belongs into the change log
    assert_true(hash == 0x30d71be8a9685f01);
    boxes_release(&boxes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_koziara),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
