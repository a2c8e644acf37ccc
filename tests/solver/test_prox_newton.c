// SPDX-License-Identifier: Apache-2.0
// prox-newton: derivatives of its maps against differences, every law against nsgs, the quick part
// of the public collection and RockPile_tob1 at 1e-10.
#include "certain.h"
#include "laws.h"
#include "run.h"

#include "solver/newton_map.h"

static const char* const map_settings[] = {"map=jean-moreau", "map=alart-curnier", "map=natural",
                                           "map=fischer-burmeister"};

// dF = A dx + B dy + bound dx_k against central differences in random directions
static void test_derivatives(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(5);
    for (size_t k = 0; k < sizeof law_cases / sizeof law_cases[0]; ++k) {
        SticArena* arena = NULL;
        SticScaled scaled;
        SticError error = {0};
        assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
        const SticProblem problem = law_case_problem(arena, &random, &law_cases[k], 4);
        assert_int_equal(stic_scaled_create(arena, &problem, &scaled, &error), STIC_OK);
        double worst[4] = {0.0};
        enum { MOST = 64 };
        for (int trial = 0; trial < 400; ++trial) {
            double x[MOST], y[MOST], dx[MOST], dy[MOST], step[2][MOST], other[2][MOST], F[2][6];
            test_random_vector(&random, problem.rows, -1.0, 1.0, x);
            test_random_vector(&random, problem.rows, -1.0, 1.0, y);
            test_random_vector(&random, problem.rows, -1.0, 1.0, dx);
            test_random_vector(&random, problem.rows, -1.0, 1.0, dy);
            const double h = 1e-6;
            for (int32_t a = 0; a < problem.rows; ++a)
                for (int side = 0; side < 2; ++side) {
                    step[side][a] = x[a] + (side == 0 ? -h : h) * dx[a];
                    other[side][a] = y[a] + (side == 0 ? -h : h) * dy[a];
                }
            for (int map = 0; map < 4; ++map)
                for (int32_t i = 0; i < problem.count; ++i) {
                    const int32_t at = problem.row_at[i], n = problem.row_at[i + 1] - at;
                    const double rho = trial % 2 == 0 ? 1.0 : 7.0;
                    SticMapBlock block;
                    const SticMapPoint point = {&scaled, (SticMap)map, rho, x, y, NULL};
                    stic_map_linearise(&point, i, &block);
                    for (int side = 0; side < 2; ++side) {
                        const SticMapPoint near = {&scaled,    (SticMap)map, rho,
                                                   step[side], other[side],  NULL};
                        stic_map_value(&near, i, F[side]);
                    }
                    for (int32_t a = 0; a < n; ++a) {
                        double expected = 0.0;
                        for (int32_t c = 0; c < n; ++c)
                            expected +=
                                block.A[a * n + c] * dx[at + c] + block.B[a * n + c] * dy[at + c];
                        if (scaled.foreign[i] >= 0)
                            expected += block.bound[a] * dx[problem.bound_row[i]];
                        const double got = (F[1][a] - F[0][a]) / (2.0 * h);
                        worst[map] = fmax(worst[map], fabs(got - expected) / rho);
                    }
                }
        }
        print_message("%-16s %d rows: derivatives off by %.1e %.1e %.1e %.1e\n",
                      stic_law_name(law_cases[k].law), law_cases[k].rows, worst[0], worst[1],
                      worst[2], worst[3]);
        // h^2 times the third derivative, 1e-16/h of rounding; no random point is within h of a
        // kink
        for (int map = 0; map < 4; ++map)
            assert_true(worst[map] < 2e-5);
        stic_arena_destroy(arena);
    }
}

// every law and map: the reactions are those of nsgs
static void test_laws(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(6);
    static Run reference, run;
    const TestTable table = test_table_begin(
        "random problems with regular W, tolerance 1e-11",
        "law             |rows|map                   |Newton steps|error  |reactions differ by");
    for (size_t k = 0; k < sizeof law_cases / sizeof law_cases[0]; ++k) {
        SticArena* arena = NULL;
        assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
        const SticProblem problem = law_case_problem(arena, &random, &law_cases[k], 15);
        run_solver(&context, &problem, "nsgs", "", 1e-12, &reference);
        assert_int_equal(reference.info.outcome, STIC_OUTCOME_SOLVED);
        for (int map = 0; map < 4; ++map) {
            run_solver(&context, &problem, "prox-newton", map_settings[map], 1e-11, &run);
            double apart = 0.0;
            for (int32_t row = 0; row < problem.rows; ++row)
                apart = fmax(apart, fabs(run.r[row] - reference.r[row]));
            test_table_row(&table, "%s|%d|%s|%d|%.1e|%.1e", stic_law_name(law_cases[k].law),
                           law_cases[k].rows, map_settings[map], run.info.iterations,
                           run.info.errors.relative, apart);
            assert_int_equal(run.info.outcome, STIC_OUTCOME_SOLVED);
            // condition number 30 times the tolerance, |b| up to 6
            assert_true(apart < 1e-8);
        }
        stic_arena_destroy(arena);
    }
}

/* ---- the public collection ---- */

static void test_collection(void** state)
{
    (void)state;
    const Certain certain = {
        .solver = "prox-newton", .tolerance = 1e-10, .norm = STIC_NORM_SICONOS};
    const TestTable table = certain_table("prox-newton, siconos norm 1e-10");
    for (size_t k = 0; k < CERTAIN_COUNT(certain_quick); ++k) {
        const CertainEnd end = certain_solve(certain_quick[k], &certain);
        certain_row(&table, certain_quick[k], &end);
        assert_int_equal(end.info.outcome, STIC_OUTCOME_SOLVED);
    }
    for (size_t k = 0; k < CERTAIN_COUNT(certain_rolling); ++k) {
        const CertainEnd end = certain_solve(certain_rolling[k], &certain);
        certain_row(&table, certain_rolling[k], &end);
        assert_int_equal(end.info.outcome, STIC_OUTCOME_SOLVED);
    }
}

// 463 contacts, rank 743 of 1389, unsymmetric W: the hardest file
static void test_rock_pile(void** state)
{
    (void)state;
    const char* name = "fc3d-local-dat/RockPile_tob1.dat.gz";
    const Certain certain = {
        .solver = "prox-newton", .tolerance = 1e-10, .norm = STIC_NORM_RELATIVE};
    const TestTable table = certain_table("relative norm 1e-10");
    const CertainEnd end = certain_solve(name, &certain);
    certain_row(&table, name, &end);
    assert_int_equal(end.info.outcome, STIC_OUTCOME_SOLVED);
    assert_true(end.info.factorisations <= 700);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_collection),
        cmocka_unit_test(test_rock_pile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
