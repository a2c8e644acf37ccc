// SPDX-License-Identifier: Apache-2.0
// labels: threads
// auto: the quick part of the public collection, many islands, starts that are near, unsolvable
// parts, the same bits for one and two threads.
#include "certain.h"
#include "helpers/helpers.h"
#include "helpers/scenes.h"
#include "run.h"
#include "stiction/extend/sparse.h"

/* ---- the public collection ---- */

static void test_collection(void** state)
{
    (void)state;
    const Certain certain = {.solver = "auto", .tolerance = 1e-10, .norm = STIC_NORM_SICONOS};
    const TestTable table = certain_table("auto, siconos norm 1e-10");
    for (size_t k = 0; k < CERTAIN_COUNT(certain_quick); ++k) {
        const CertainEnd end = certain_solve(certain_quick[k], &certain);
        certain_row(&table, certain_quick[k], &end);
        assert_int_equal(end.info.outcome, STIC_OUTCOME_SOLVED);
        assert_string_not_equal(end.info.method, "auto");
    }
    for (size_t k = 0; k < CERTAIN_COUNT(certain_rolling); ++k) {
        const CertainEnd end = certain_solve(certain_rolling[k], &certain);
        certain_row(&table, certain_rolling[k], &end);
        assert_int_equal(end.info.outcome, STIC_OUTCOME_SOLVED);
    }
}

// complementarity problems, some without a positive diagonal; one is known to be out of reach
static void test_lcp(void** state)
{
    (void)state;
    static const char* const names[] = {"lcp/lcp_CPS_1.dat",
                                        "lcp/lcp_CPS_2.dat",
                                        "lcp/lcp_CPS_3.dat",
                                        "lcp/lcp_CPS_4.dat",
                                        "lcp/lcp_CPS_4bis.dat",
                                        "lcp/lcp_CPS_5.dat",
                                        "lcp/lcp_deudeu.dat",
                                        "lcp/lcp_enum_fails.dat",
                                        "lcp/lcp_exp_murty.dat",
                                        "lcp/lcp_inf_sol_perturbed.dat",
                                        "lcp/lcp_Pang_isolated_sol.dat"};
    const Certain certain = {.solver = "auto", .tolerance = 1e-10, .norm = STIC_NORM_RELATIVE};
    const TestTable table = certain_table("auto, relative norm 1e-10");
    for (size_t k = 0; k < CERTAIN_COUNT(names); ++k) {
        const CertainEnd end = certain_solve(names[k], &certain);
        certain_row(&table, names[k], &end);
        assert_int_equal(end.info.outcome, STIC_OUTCOME_SOLVED);
    }
}

/* ---- islands ---- */

// `copies` copies of one problem side by side, b of copy k multiplied by scale[k]
static SticProblem repeat(SticArena* arena, const SticProblem* one, int32_t copies,
                          const double* scale)
{
    const int32_t n = one->count, rows = one->rows, blocks = stic_block_csr_count(one->W);
    const int64_t values = one->W->value_at[blocks];
    int32_t* row_at = NULL;
    uint8_t* law = NULL;
    double(*coef)[4] = NULL;
    double* b = NULL;
    SticBlockCsr* W = NULL;
    SticBlockArrays to;
    assert_int_equal(STIC_TAKE(arena, &row_at, n * copies + 1), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &law, n * copies), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &coef, n * copies), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &b, rows * copies), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &W, 1), STIC_OK);
    const SticPartition partition = {n * copies, n * copies, row_at, row_at};
    assert_int_equal(stic_block_csr_take(&partition, blocks * copies, values * copies, arena, &to),
                     STIC_OK);
    // interactions of the copies alternate, so that islands are not just stretches of numbers
    row_at[0] = to.begin[0] = 0;
    to.value_at[0] = 0;
    int32_t at = 0;
    for (int32_t i = 0; i < n; ++i)
        for (int32_t k = 0; k < copies; ++k) {
            const int32_t now = i * copies + k;
            const int32_t m = one->row_at[i + 1] - one->row_at[i];
            row_at[now + 1] = row_at[now] + m;
            law[now] = one->law[i];
            memcpy(coef[now], one->coef[i], sizeof coef[now]);
            for (int32_t a = 0; a < m; ++a)
                b[row_at[now] + a] = scale[k] * one->b[one->row_at[i] + a];
            for (int32_t e = one->W->begin[i]; e < one->W->begin[i + 1]; ++e) {
                const int64_t size = one->W->value_at[e + 1] - one->W->value_at[e];
                to.col[at] = one->W->col[e] * copies + k;
                memcpy(to.value + to.value_at[at], one->W->value + one->W->value_at[e],
                       (size_t)size * sizeof(double));
                to.value_at[at + 1] = to.value_at[at] + size;
                at += 1;
            }
            to.begin[now + 1] = at;
        }
    *W = stic_block_csr_view(&partition, &to);
    return (SticProblem){.count = n * copies,
                         .rows = rows * copies,
                         .row_at = row_at,
                         .law = law,
                         .coef = (const double(*)[4])coef,
                         .W = W,
                         .b = b};
}

// copies with b from 1 to 1e-6: the reactions of each are those of one, scaled
static void test_islands(void** state)
{
    (void)state;
    enum { COPIES = 7 };
    static const double scale[COPIES] = {1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
    SticRandom random = stic_random_create(12);
    static Run one, all;
    TestMemory memory;
    const SticContext context = test_memory_context(&memory);
    SticArena* arena = NULL;
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    const TestProblemDef def = {STIC_LAW_CONE, 20, 3, 0, 0, false};
    const SticProblem single = test_problem_random(arena, &random, &def);
    const SticProblem problem = repeat(arena, &single, COPIES, scale);
    for (int norm = STIC_NORM_RELATIVE; norm <= STIC_NORM_UNIT_FREE; ++norm) {
        SticError error = {0};
        run_solver(&context, &single, "prox-newton", "", 1e-13, &one);
        SticSolveRequest request = test_request(&context, "auto");
        request.settings.norm = norm;
        request.settings.tolerance = 1e-10;
        // without the sweeps that would solve all of them together
        unsigned char settings[256];
        stic_fields_default(request.solver->fields, settings);
        assert_int_equal(stic_fields_set(request.solver->fields, settings, "sweeps", "0", &error),
                         STIC_OK);
        request.method_settings = settings;
        assert_int_equal(stic_solve(&problem, &request, all.r, all.u, &all.info), STIC_OK);
        double apart = 0.0;
        for (int32_t i = 0; i < single.count; ++i)
            for (int32_t k = 0; k < COPIES; ++k)
                for (int32_t a = 0; a < 3; ++a)
                    apart = test_worse(
                        apart, fabs(all.r[3 * (i * COPIES + k) + a] - scale[k] * one.r[3 * i + a]));
        print_message("norm %d: %s by %s, %d iterations, %d factorisations, error %.1e, reactions "
                      "differ by %.1e\n",
                      norm, stic_outcome_name(all.info.outcome), all.info.method,
                      all.info.iterations, all.info.factorisations,
                      stic_errors_get(&all.info.errors, (SticNorm)norm), apart);
        assert_int_equal(all.info.outcome, STIC_OUTCOME_SOLVED);
        test_less(apart, 1e-7);
        // the second solve finds all memory where it left it
        const int64_t calls = memory.calls;
        assert_int_equal(stic_solve(&problem, &request, all.r, all.u, &all.info), STIC_OK);
        assert_int_equal(memory.calls, calls);
        stic_workspace_destroy(request.workspace);
    }
    stic_arena_destroy(arena);
    test_memory_check(&memory);
}

// one island without a solution: the whole is not solved, the others are as good as alone
static void test_unsolvable_island(void** state)
{
    (void)state;
    // u_1 = r_1 - r_2 - 1, u_2 = -r_1 + r_2 - 1: both cannot be >= 0; rows 2, 3 are regular
    static const double W[16] = {1.0, -1.0, 0.0, 0.0, -1.0, 1.0, 0.0, 0.0,
                                 0.0, 0.0,  2.0, 0.5, 0.0,  0.0, 0.5, 1.0};
    static const double b[4] = {-1.0, -1.0, -1.0, -2.0};
    static const int32_t at[5] = {0, 1, 2, 3, 4};
    static const uint8_t law[4] = {STIC_LAW_NONNEG, STIC_LAW_NONNEG, STIC_LAW_NONNEG,
                                   STIC_LAW_NONNEG};
    static const double coef[4][4] = {{0.0}};
    const SticContext context = stic_context_default();
    SticArena* arena = NULL;
    SticBlockCsr A;
    static Run run;
    const SticPartition partition = {4, 4, at, at};
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    assert_int_equal(stic_block_csr_from_dense(&partition, W, arena, &A), STIC_OK);
    const SticProblem problem = {
        .count = 4, .rows = 4, .row_at = at, .law = law, .coef = coef, .W = &A, .b = b};
    run_solver(&context, &problem, "auto", "", 1e-10, &run);
    print_message("%s, u = %.3f %.3f %.1e %.1e\n", stic_outcome_name(run.info.outcome), run.u[0],
                  run.u[1], run.u[2], run.u[3]);
    assert_int_not_equal(run.info.outcome, STIC_OUTCOME_SOLVED);
    test_less(fabs(run.u[2]), 1e-9);
    test_less(fabs(run.u[3]), 1e-9);
    stic_arena_destroy(arena);
}

/* ---- starts and bits ---- */

// the answer of a problem is a near start for one that differs by 1e-4
static void test_near_start(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticSolveInfo cold, warm;
    static double r[RUN_MOST_ROWS], u[RUN_MOST_ROWS];
    Scene scene;
    const SceneDef def = {SCENE_PYRAMID, 8, 0.5, 0.2, 0.0};
    scene_create(&scene, &def);
    test_at_most(scene.problem.rows, RUN_MOST_ROWS);
    SticSolveRequest request = test_request(&context, "auto");
    assert_int_equal(stic_solve(&scene.problem, &request, r, u, &cold), STIC_OK);
    assert_int_equal(cold.outcome, STIC_OUTCOME_SOLVED);
    for (int32_t k = 0; k < scene.problem.dof; ++k)
        scene.f[k] *= 1.0 + 1e-4 * (k % 3);
    request.settings.warm_start = true;
    assert_int_equal(stic_solve(&scene.problem, &request, r, u, &warm), STIC_OK);
    print_message("%d contacts: cold %.2e multiplications (%s, %.1e), warm %.2e (%s, %.1e)\n",
                  scene.contacts, cold.work, cold.method, cold.errors.relative, warm.work,
                  warm.method, warm.errors.relative);
    assert_int_equal(warm.outcome, STIC_OUTCOME_SOLVED);
    test_less(warm.work, 0.5 * cold.work);
    stic_workspace_destroy(request.workspace);
    scene_release(&scene);
}

static void test_threads(void** state)
{
    (void)state;
    static Run run[3];
    Scene scene;
    const SceneDef def = {SCENE_WALL, 5, 0.6, 0.3, 0.0};
    scene_create(&scene, &def);
    test_at_most(scene.problem.rows, RUN_MOST_ROWS);
    for (int threads = 0; threads < 3; ++threads) {
        SticContext context = stic_context_default();
        if (threads > 0)
            assert_int_equal(stic_pool_create(&context, threads, &context.pool), STIC_OK);
        run_solver(&context, &scene.problem, "auto", "", 1e-8, &run[threads]);
        assert_int_equal(run[threads].info.outcome, STIC_OUTCOME_SOLVED);
        assert_memory_equal(run[threads].r, run[0].r, (size_t)scene.problem.rows * sizeof(double));
        assert_int_equal(run[threads].info.iterations, run[0].info.iterations);
        stic_pool_destroy(context.pool);
    }
    print_message("wall of %d contacts: %d iterations, %d factorisations, hash %016llx\n",
                  scene.contacts, run[0].info.iterations, run[0].info.factorisations,
                  (unsigned long long)stic_hash_doubles(0, run[0].r, (size_t)scene.problem.rows));
    scene_release(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collection), cmocka_unit_test(test_lcp),
        cmocka_unit_test(test_islands),    cmocka_unit_test(test_unsolvable_island),
        cmocka_unit_test(test_near_start), cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
