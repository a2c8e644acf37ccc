// SPDX-License-Identifier: Apache-2.0
// interior-point, convex and fixed-point: the public collection, random problems against nsgs, the
// relaxation against its own conditions and a closed form.
#include "certain.h"
#include "run.h"

#include "helpers/helpers.h"
#include "math/math.h"
#include "stiction/extend/sparse.h"

/* ---- the public collection ---- */

static void test_collection(void** state)
{
    (void)state;
    const Certain certain = {
        .solver = "interior-point", .tolerance = 1e-10, .norm = STIC_NORM_SICONOS};
    const TestTable table = certain_table("interior-point, siconos norm 1e-10");
    int32_t factors = 0;
    for (size_t k = 0; k < CERTAIN_COUNT(certain_quick); ++k) {
        const CertainEnd end = certain_solve(certain_quick[k], &certain);
        certain_row(&table, certain_quick[k], &end);
        assert_int_equal(end.info.outcome, STIC_OUTCOME_SOLVED);
        factors += end.info.factorisations;
    }
    for (size_t k = 0; k < CERTAIN_COUNT(certain_rolling); ++k) {
        const CertainEnd end = certain_solve(certain_rolling[k], &certain);
        certain_row(&table, certain_rolling[k], &end);
        assert_int_equal(end.info.outcome, STIC_OUTCOME_SOLVED);
        factors += end.info.factorisations;
    }
    print_message("%d factorisations in all\n", factors);
    // 340 when written; twice that would be another method
    test_less(factors, 500);
}

// without prox-newton it gets near, not to the last digits
static void test_alone(void** state)
{
    (void)state;
    static const struct {
        int32_t steps;
        double hand_over;
        bool polish;
    } settings = {60, 1e-9, false};
    const Certain certain = {.solver = "interior-point",
                             .settings = &settings,
                             .tolerance = 1e-6,
                             .norm = STIC_NORM_SICONOS};
    const TestTable table = certain_table("interior points alone, siconos norm 1e-6");
    int32_t solved = 0;
    for (size_t k = 0; k < CERTAIN_COUNT(certain_quick); ++k) {
        const CertainEnd end = certain_solve(certain_quick[k], &certain);
        certain_row(&table, certain_quick[k], &end);
        solved += end.info.outcome == STIC_OUTCOME_SOLVED;
    }
    print_message("%d of %d\n", solved, (int)CERTAIN_COUNT(certain_quick));
    assert_int_equal(solved, CERTAIN_COUNT(certain_quick));
}

/* ---- random problems ---- */

static const struct {
    const char* name;
    TestProblemDef def;
} randoms[] = {
    {"cones, local", {STIC_LAW_CONE, 20, 3, 0, 0, false}},
    {"cones with joints, local", {STIC_LAW_CONE, 20, 3, 6, 0, true}},
    {"planar cones, local", {STIC_LAW_CONE, 20, 2, 0, 0, true}},
    {"rolling, local", {STIC_LAW_ROLLING, 12, 5, 0, 0, false}},
    {"planar rolling, local", {STIC_LAW_ROLLING, 12, 3, 2, 0, false}},
    {"unilateral, local", {STIC_LAW_NONNEG, 40, 1, 4, 0, true}},
    {"cones with joints, bodies", {STIC_LAW_CONE, 24, 3, 5, 20, true}},
};

static void test_random(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(41);
    static Run reference, run;
    static const char* const solvers[] = {"interior-point", "fixed-point"};
    for (size_t k = 0; k < sizeof randoms / sizeof randoms[0]; ++k) {
        SticArena* arena = NULL;
        SticProblemStore* store = NULL;
        assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
        SticProblem made = test_problem_random(arena, &random, &randoms[k].def);
        assert_int_equal(stic_problem_copy(&context, &made, &store), STIC_OK);
        const SticProblem* problem = stic_problem_view(store);
        run_solver(&context, problem, "nsgs", "", 1e-12, &reference);
        for (int s = 0; s < 2; ++s) {
            const double tolerance = s == 0 ? 1e-10 : 1e-8;
            run_solver(&context, problem, solvers[s], "", tolerance, &run);
            double apart = 0.0;
            for (int32_t row = 0; row < problem->rows; ++row)
                apart = test_worse(apart, fabs(run.u[row] - reference.u[row]));
            print_message("%-28s %-16s %-10s %4d iterations, error %.1e, velocities differ by "
                          "%.1e\n",
                          randoms[k].name, solvers[s], stic_outcome_name(run.info.outcome),
                          run.info.iterations, run.info.errors.relative, apart);
            assert_int_equal(run.info.outcome, STIC_OUTCOME_SOLVED);
            // condition number 100 times the tolerance times |b|
            test_less(apart, 1e3 * tolerance);
        }
        stic_problem_destroy(store);
        stic_arena_destroy(arena);
    }
}

// friction coefficients of 0, also one of two of an ellipse: rows without friction carry nothing
static void test_no_friction(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(43);
    static Run reference, run;
    for (int kind = 0; kind < 3; ++kind) {
        SticArena* arena = NULL;
        assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
        const TestProblemDef def = {STIC_LAW_CONE, 12, 3, 0, 0, false};
        SticProblem problem = test_problem_random(arena, &random, &def);
        double(*coef)[4] = NULL;
        uint8_t* law = NULL;
        assert_int_equal(STIC_TAKE(arena, &coef, problem.count), STIC_OK);
        assert_int_equal(STIC_TAKE(arena, &law, problem.count), STIC_OK);
        for (int32_t i = 0; i < problem.count; ++i) {
            law[i] = kind == 0 ? STIC_LAW_CONE : STIC_LAW_CONE_ELLIPSE;
            memset(coef[i], 0, sizeof coef[i]);
            coef[i][0] = kind == 2 ? 0.5 : 0.0;
            coef[i][1] = kind == 1 ? 0.5 : 0.0;
        }
        problem.law = law;
        problem.coef = (const double(*)[4])coef;
        run_solver(&context, &problem, "nsgs", "", 1e-12, &reference);
        run_solver(&context, &problem, "interior-point", "", 1e-10, &run);
        double apart = 0.0, none = 0.0;
        for (int32_t row = 0; row < problem.rows; ++row) {
            apart = test_worse(apart, fabs(run.r[row] - reference.r[row]));
            if (row % 3 > 0 && coef[row / 3][row % 3 - 1] == 0.0)
                none = test_worse(none, fabs(run.r[row]));
        }
        print_message("kind %d: %d iterations, reactions differ by %.1e, without friction %.1e\n",
                      kind, run.info.iterations, apart, none);
        assert_int_equal(run.info.outcome, STIC_OUTCOME_SOLVED);
        test_less(apart, 1e-7);
        test_less(none, 1e-12);
        stic_arena_destroy(arena);
    }
}

/* ---- the relaxation ---- */

// one contact with W = I: r = P_K(-b), whose sliding contact lifts off with u_N = mu |u_T|
static void test_relaxation(void** state)
{
    (void)state;
    static const double W[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    static const double b[3] = {-1.0, 3.0, -4.0};
    static const int32_t at[2] = {0, 3};
    static const uint8_t law[1] = {STIC_LAW_CONE};
    static const double coef[1][4] = {{0.5}};
    const SticContext context = stic_context_default();
    SticArena* arena = NULL;
    SticBlockCsr A;
    static Run run;
    const SticPartition partition = {1, 1, at, at};
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    assert_int_equal(stic_block_csr_from_dense(&partition, W, arena, &A), STIC_OK);
    const SticProblem problem = {
        .count = 1, .rows = 3, .row_at = at, .law = law, .coef = coef, .W = &A, .b = b};
    run_solver(&context, &problem, "convex", "", 1e-8, &run);
    // P_K(1, -3, 4) with mu = 1/2: height (1 + 5/2)/(1 + 1/4) = 2.8, across 1.4
    const double expected[3] = {2.8, -1.4 * 0.6, 1.4 * 0.8};
    for (int k = 0; k < 3; ++k)
        test_less(fabs(run.r[k] - expected[k]), 1e-9);
    const double slip = sqrt(run.u[1] * run.u[1] + run.u[2] * run.u[2]);
    print_message(
        "relaxed r = %.9f %.9f %.9f, u_N = %.9f = mu |u_T| = %.9f; %s, exact error %.2f\n",
        run.r[0], run.r[1], run.r[2], run.u[0], 0.5 * slip, stic_outcome_name(run.info.outcome),
        run.info.errors.relative);
    test_less(fabs(run.u[0] - 0.5 * slip), 1e-9);
    // it says that this is no solution of the exact problem
    assert_int_not_equal(run.info.outcome, STIC_OUTCOME_SOLVED);
    stic_arena_destroy(arena);
}

// many contacts: K* contains u, orthogonal to r in K; exact only if nothing slides
static void test_relaxed_conditions(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(47);
    static Run run;
    for (int trial = 0; trial < 5; ++trial) {
        SticArena* arena = NULL;
        const TestProblemDef def = {STIC_LAW_CONE, 25, 3, 0, 0, false};
        assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
        const SticProblem problem = test_problem_random(arena, &random, &def);
        run_solver(&context, &problem, "convex", "", 1e-8, &run);
        double outside = 0.0, product = 0.0;
        for (int32_t i = 0; i < problem.count; ++i) {
            const double mu = problem.coef[i][0];
            const double *r = run.r + 3 * i, *u = run.u + 3 * i;
            outside = test_worse(outside, hypot(r[1], r[2]) - mu * r[0]);
            outside = test_worse(outside, mu * hypot(u[1], u[2]) - u[0]);
            product = test_worse(product, fabs(r[0] * u[0] + r[1] * u[1] + r[2] * u[2]));
        }
        print_message("relaxation: %2d iterations, outside of the cones by %.1e, products %.1e, "
                      "exact error %.1e\n",
                      run.info.iterations, outside, product, run.info.errors.relative);
        test_less(outside, 1e-10);
        test_less(product, 1e-10);
        assert_int_not_equal(run.info.outcome, STIC_OUTCOME_SOLVED);
        stic_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collection), cmocka_unit_test(test_alone),
        cmocka_unit_test(test_random),     cmocka_unit_test(test_no_friction),
        cmocka_unit_test(test_relaxation), cmocka_unit_test(test_relaxed_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
