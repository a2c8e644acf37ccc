// SPDX-License-Identifier: Apache-2.0
// Islands against a search on the dense matrix; their problems against the rows they come from.
#include "helpers/problem.h"

#include <math.h>
#include <string.h>

#include "solver/islands.h"
#include "stiction/extend/sparse.h"

enum { MOST = 60 };

// reachable interactions by repeated sweeps over a dense table
static void reach(int32_t n, bool edge[MOST][MOST], int32_t island[MOST])
{
    for (int32_t i = 0; i < n; ++i)
        island[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t i = 0; i < n; ++i)
            for (int32_t j = 0; j < n; ++j)
                if (edge[i][j] && island[i] != island[j]) {
                    const int32_t low = island[i] < island[j] ? island[i] : island[j];
                    island[i] = island[j] = low;
                    changed = true;
                }
    }
}

// numbers rise with the first member, members rise, places count them
static void check_islands(const SticProblem* problem, const SticIslands* islands,
                          const int32_t expected[MOST])
{
    int32_t seen = 0, last_first = -1;
    for (int32_t k = 0; k < islands->count; ++k) {
        const int32_t first = islands->member[islands->begin[k]];
        test_greater(first, last_first);
        last_first = first;
        for (int32_t m = islands->begin[k]; m < islands->begin[k + 1]; ++m, ++seen) {
            const int32_t i = islands->member[m];
            assert_int_equal(expected[i], first);
            assert_int_equal(islands->place[i], m - islands->begin[k]);
            if (m != islands->begin[k]) {
                test_less(islands->member[m - 1], i);
            }
        }
    }
    assert_int_equal(seen, problem->count);
    for (int32_t i = 0; i < problem->count; ++i)
        for (int32_t j = 0; j < problem->count; ++j)
            if (expected[i] != expected[j])
                assert_true(problem->W == NULL || stic_block_csr_find(problem->W, i, j) < 0);
}

static void test_local(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(3);
    for (int trial = 0; trial < 40; ++trial) {
        SticArena* arena = NULL;
        static bool edge[MOST][MOST];
        int32_t row_at[MOST + 1] = {0}, bound_row[MOST], expected[MOST];
        uint8_t law[MOST];
        double coef[MOST][4], bound[MOST], b[3 * MOST];
        static double dense[9 * MOST * MOST];
        assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
        const int32_t n = 1 + (int32_t)(stic_random_uniform(&random) * (MOST - 1));
        for (int32_t i = 0; i < n; ++i) {
            const bool ball = i > 0 && stic_random_uniform(&random) < 0.2;
            law[i] = ball ? STIC_LAW_BALL : STIC_LAW_CONE;
            row_at[i + 1] = row_at[i] + (ball ? 2 : 3);
            coef[i][0] = 0.1 * i;
            coef[i][1] = coef[i][2] = coef[i][3] = 0.0;
            bound[i] = i;
            bound_row[i] = ball ? row_at[(int32_t)(stic_random_uniform(&random) * i)] : -1;
        }
        const int32_t rows = row_at[n];
        memset(dense, 0, sizeof dense);
        memset(edge, 0, sizeof edge);
        test_random_vector(&random, rows, -1.0, 1.0, b);
        for (int32_t i = 0; i < n; ++i)
            for (int32_t j = 0; j <= i; ++j) {
                if (i != j && stic_random_uniform(&random) > 0.8 / n)
                    continue;
                // one of the two triangles is enough
                const bool flip = stic_random_uniform(&random) < 0.5;
                const int32_t from = flip ? j : i, to = flip ? i : j;
                edge[i][j] = edge[j][i] = true;
                dense[row_at[from] * rows + row_at[to]] = 1.0 + i + j;
            }
        for (int32_t i = 0; i < n; ++i)
            for (int32_t j = 0; j < n && bound_row[i] >= 0; ++j)
                if (bound_row[i] == row_at[j])
                    edge[i][j] = edge[j][i] = true;
        SticBlockCsr W;
        const SticPartition partition = {n, n, row_at, row_at};
        assert_int_equal(stic_block_csr_from_dense(&partition, dense, arena, &W), STIC_OK);
        const SticProblem problem = {.count = n,
                                     .rows = rows,
                                     .row_at = row_at,
                                     .law = law,
                                     .coef = (const double(*)[4])coef,
                                     .bound = bound,
                                     .bound_row = bound_row,
                                     .W = &W,
                                     .b = b};
        SticIslands islands;
        assert_int_equal(stic_islands_find(arena, &problem, &islands), STIC_OK);
        reach(n, edge, expected);
        check_islands(&problem, &islands, expected);
        double back[3 * MOST];
        for (int32_t k = 0; k < islands.count; ++k) {
            SticProblem part;
            double gathered[3 * MOST];
            assert_int_equal(stic_islands_extract(arena, &problem, &islands, k, &part), STIC_OK);
            stic_islands_gather(&problem, &islands, k, b, gathered);
            assert_memory_equal(gathered, part.b, (size_t)part.rows * sizeof(double));
            stic_islands_scatter(&problem, &islands, k, part.b, back);
            for (int32_t i = 0; i < part.count; ++i) {
                const int32_t old = islands.member[islands.begin[k] + i];
                assert_int_equal(part.law[i], law[old]);
                test_equal(part.coef[i][0], coef[old][0]);
                test_equal(part.bound[i], bound[old]);
                // a bound still comes from the row that had it
                if (bound_row[old] >= 0)
                    test_equal(part.b[part.bound_row[i]], b[bound_row[old]]);
                else
                    assert_int_equal(part.bound_row[i], -1);
                for (int32_t j = 0; j < part.count; ++j) {
                    const int32_t other = islands.member[islands.begin[k] + j];
                    const int32_t e = stic_block_csr_find(part.W, i, j);
                    const int32_t f = stic_block_csr_find(&W, old, other);
                    assert_int_equal(e < 0, f < 0);
                    if (e >= 0)
                        test_equal(part.W->value[part.W->value_at[e]], W.value[W.value_at[f]]);
                }
            }
        }
        assert_memory_equal(back, b, (size_t)rows * sizeof(double));
        if (trial % 8 == 0)
            print_message("%d interactions: %d islands\n", n, islands.count);
        stic_arena_destroy(arena);
    }
}

// global form: bodies that nothing moves connect nothing; parts give the same velocities
static void test_global(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(8);
    int32_t most = 0;
    for (int trial = 0; trial < 20; ++trial) {
        SticArena* arena = NULL;
        SticProblemStore* store = NULL;
        SticError error = {0};
        assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
        const TestProblemDef def = {STIC_LAW_CONE, 12, 3, 3, 24, false};
        const SticProblem made = test_problem_random(arena, &random, &def);
        assert_int_equal(stic_problem_copy(&context, &made, &store), STIC_OK);
        SticProblem problem = *stic_problem_view(store);
        // body 0 does not move
        SticMass M = *problem.M;
        SticBlockCsr inverse = *M.inverse;
        double* values = NULL;
        const int64_t size = inverse.value_at[stic_block_csr_count(&inverse)];
        assert_int_equal(STIC_TAKE(arena, &values, size), STIC_OK);
        memcpy(values, inverse.value, (size_t)size * sizeof(double));
        memset(values, 0, 36 * sizeof(double));
        inverse.value = values;
        M.inverse = &inverse;
        problem.M = &M;
        SticProblem whole;
        assert_int_equal(stic_problem_condense(arena, &problem, &whole, &error), STIC_OK);
        SticIslands islands;
        assert_int_equal(stic_islands_find(arena, &problem, &islands), STIC_OK);
        most = islands.count > most ? islands.count : most;
        for (int32_t k = 0; k < islands.count; ++k) {
            SticProblem part, local;
            assert_int_equal(stic_islands_extract(arena, &problem, &islands, k, &part), STIC_OK);
            assert_int_equal(stic_problem_check(&part, &error), STIC_OK);
            assert_int_equal(stic_problem_condense(arena, &part, &local, &error), STIC_OK);
            for (int32_t i = 0; i < part.count; ++i) {
                const int32_t old = islands.member[islands.begin[k] + i];
                for (int32_t a = 0; a < 3; ++a)
                    test_equal(local.b[part.row_at[i] + a], whole.b[problem.row_at[old] + a]);
                for (int32_t j = 0; j < part.count; ++j) {
                    const int32_t other = islands.member[islands.begin[k] + j];
                    const int32_t e = stic_block_csr_find(local.W, i, j);
                    const int32_t f = stic_block_csr_find(whole.W, old, other);
                    for (int32_t v = 0; v < 9 && e >= 0 && f >= 0; ++v)
                        test_equal(local.W->value[local.W->value_at[e] + v],
                                   whole.W->value[whole.W->value_at[f] + v]);
                    // a block between islands would have to be 0
                    for (int32_t v = 0; v < 9 && e < 0 && f >= 0; ++v)
                        test_equal(whole.W->value[whole.W->value_at[f] + v], 0.0);
                }
            }
        }
        stic_problem_destroy(store);
        stic_arena_destroy(arena);
    }
    print_message("up to %d islands of 15 interactions\n", most);
    test_at_least(most, 2);
}

// a box of 4 kg on one of 100 kg that stands on the ground, one normal row each, then as W
static void test_share(void** state)
{
    (void)state;
    const int32_t row_at[] = {0, 1, 2}, body_at[] = {0, 1, 2}, begin_h[] = {0, 1, 3},
                  col_h[] = {0, 0, 1}, begin_m[] = {0, 1, 2}, col_m[] = {0, 1};
    const int64_t at[] = {0, 1, 2, 3, 4};
    const double h[] = {1.0, -1.0, 1.0}, mass[] = {100.0, 4.0}, inverse[] = {0.01, 0.25},
                 coef[2][4] = {{0.0}}, zero[2] = {0.0};
    const uint8_t law[] = {STIC_LAW_NONNEG, STIC_LAW_NONNEG};
    const SticBlockCsr Ht = {2, 2, row_at, body_at, begin_h, col_h, at, h},
                       A = {2, 2, body_at, body_at, begin_m, col_m, at, mass},
                       I = {2, 2, body_at, body_at, begin_m, col_m, at, inverse};
    const SticMass M = {.kind = STIC_MASS_BLOCKS, .A = &A, .inverse = &I};
    SticProblem problem = {.count = 2,
                           .rows = 2,
                           .dof = 2,
                           .row_at = row_at,
                           .law = law,
                           .coef = coef,
                           .M = &M,
                           .Ht = &Ht,
                           .f = zero,
                           .w = zero};
    test_near(stic_islands_share(&problem, NULL, NULL, 0), sqrt(0.01 / 0.26), 1e-15);
    const int32_t begin_w[] = {0, 2, 4}, col_w[] = {0, 1, 0, 1};
    const double w[] = {0.01, -0.01, -0.01, 0.26};
    const SticBlockCsr W = {2, 2, row_at, row_at, begin_w, col_w, at, w};
    problem.W = &W;
    test_near(stic_islands_share(&problem, NULL, NULL, 0), sqrt(0.01 / 0.26), 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_local), cmocka_unit_test(test_global),
                                       cmocka_unit_test(test_share)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
