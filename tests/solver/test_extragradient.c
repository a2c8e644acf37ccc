// SPDX-License-Identifier: Apache-2.0
// labels: threads
// extragradient: published contact, random problems of several laws, bits for one and two threads.
#include "large.h"

#include "helpers/helpers.h"
#include "stiction/extend/sparse.h"

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
        test_less(fabs(run.r[a] - expected[a]), 1e-9);
    test_greater(run.info.lipschitz, 0.0);
    test_at_most(run.info.lipschitz, 0.9);
    stic_arena_destroy(arena);
}

static void test_random(void** state)
{
    (void)state;
    static const RandomCase cases[] = {
        {"cones, local", {STIC_LAW_CONE, 30, 3, 0, 0, true}},
        {"planar cones with joints, local", {STIC_LAW_CONE, 30, 2, 4, 0, true}},
        {"rolling, local", {STIC_LAW_ROLLING, 12, 5, 0, 0, false}},
        {"unilateral, local", {STIC_LAW_NONNEG, 40, 1, 0, 0, true}},
        {"cones, bodies", {STIC_LAW_CONE, 30, 3, 0, 20, true}},
        {0},
    };
    // the step finds its size from any start
    static const char* const steps[] = {"step=1", "step=1000", "step=0.001", NULL};
    random_solve_all(&(RandomPlan){"extragradient", cases, 41, steps});
}

static void test_threads(void** state)
{
    (void)state;
    // the same for gcc and clang at every optimisation level; a change belongs into the change log
    test_equal(large_threads("extragradient", "", 1e-1), 0x30d71be8a9685f01);
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
