// SPDX-License-Identifier: Apache-2.0
// The reference library of the format reads what we write, and we read what it writes.
#include "helpers/problem.h"

#include "stiction/extend/sparse.h"

#include <fclib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char path[TEST_PATH_SIZE];

// dense copy by rows of their triplets: i = row, p = column
static double* dense_of(const struct fclib_matrix* matrix)
{
    test_at_least(matrix->nz, 0);
    test_at_least(matrix->nzmax, matrix->nz);
    double* dense = calloc((size_t)matrix->m * (size_t)matrix->n + 1, sizeof *dense);
    for (int k = 0; k < matrix->nz; ++k)
        dense[matrix->i[k] * matrix->n + matrix->p[k]] += matrix->x[k];
    return dense;
}

// their matrix (its transpose) equals a window of ours that begins at a column
static void assert_same(const struct fclib_matrix* theirs, const SticBlockCsr* ours, int32_t row,
                        int32_t col, bool transposed)
{
    double *a = dense_of(theirs), *b = test_problem_dense(ours);
    const int32_t width = stic_block_csr_width(ours);
    for (int32_t i = 0; i < theirs->m; ++i)
        for (int32_t j = 0; j < theirs->n; ++j) {
            const int32_t at =
                transposed ? (row + j) * width + col + i : (row + i) * width + col + j;
            test_equal(a[i * theirs->n + j], b[at]);
        }
    free(a);
    free(b);
}

static SticArena* make_problem(const TestProblemDef* def, const SticMetadata* metadata,
                               SticProblem* problem)
{
    const SticContext context = stic_context_default();
    SticArena* arena = NULL;
    SticRandom random = stic_random_create(5);
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    *problem = test_problem_random(arena, &random, def);
    SticError error = {0};
    if (stic_problem_write(&context, problem, metadata, path, &error) != STIC_OK)
        fail_msg("%s", error.text);
    return arena;
}

static void reads_our_local(void** state)
{
    (void)state;
    const double r[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, u[9] = {9, 8, 7, 6, 5, 4, 3, 2, 1};
    const SticGuess guess = {.r = r, .u = u};
    const SticMetadata metadata = {
        .title = "peer", .guess_count = 1, .guesses = &guess, .solution = &guess};
    const TestProblemDef def = {STIC_LAW_CONE, 3, 3, 0, 0, false};
    SticProblem problem;
    SticArena* arena = make_problem(&def, &metadata, &problem);
    struct fclib_local* read = fclib_read_local(path);
    assert_non_null(read);
    assert_int_equal(read->spacedim, 3);
    assert_same(read->W, problem.W, 0, 0, false);
    assert_memory_equal(read->q, problem.b, 9 * sizeof(double));
    for (int i = 0; i < 3; ++i)
        test_equal(read->mu[i], problem.coef[i][0]);
    assert_string_equal(read->info->title, "peer");
    struct fclib_solution* solution = fclib_read_solution(path);
    assert_non_null(solution);
    assert_memory_equal(solution->r, r, sizeof r);
    assert_memory_equal(solution->u, u, sizeof u);
    int count = 0;
    struct fclib_solution* guesses = fclib_read_guesses(path, &count);
    assert_int_equal(count, 1);
    assert_memory_equal(guesses[0].r, r, sizeof r);
    fclib_delete_solutions(guesses, count);
    fclib_delete_solutions(solution, 1);
    fclib_delete_local(read);
    free(read);
    stic_arena_destroy(arena);
}

static void reads_our_bilateral_local(void** state)
{
    (void)state;
    // one contact, one joint behind it: no reordering
    const TestProblemDef def = {STIC_LAW_CONE, 1, 3, 1, 0, false};
    SticProblem problem;
    SticArena* arena = make_problem(&def, NULL, &problem);
    struct fclib_local* read = fclib_read_local(path);
    assert_non_null(read);
    assert_same(read->W, problem.W, 0, 0, false);
    assert_same(read->V, problem.W, 0, 3, false);
    assert_same(read->R, problem.W, 3, 3, false);
    assert_memory_equal(read->q, problem.b, 3 * sizeof(double));
    assert_memory_equal(read->s, problem.b + 3, 3 * sizeof(double));
    fclib_delete_local(read);
    free(read);
    stic_arena_destroy(arena);
}

static void reads_our_global(void** state)
{
    (void)state;
    const TestProblemDef def = {STIC_LAW_CONE, 1, 3, 1, 3, false};
    SticProblem problem;
    SticArena* arena = make_problem(&def, NULL, &problem);
    struct fclib_global* read = fclib_read_global(path);
    assert_non_null(read);
    assert_same(read->M, problem.M->A, 0, 0, false);
    assert_same(read->H, problem.Ht, 0, 0, true);
    assert_same(read->G, problem.Ht, 3, 0, true);
    assert_memory_equal(read->f, problem.f, 18 * sizeof(double));
    assert_memory_equal(read->w, problem.w, 3 * sizeof(double));
    assert_memory_equal(read->b, problem.w + 3, 3 * sizeof(double));
    fclib_delete_global(read);
    free(read);
    stic_arena_destroy(arena);
}

// theirs: two contacts in the plane, one bilateral row, compressed columns for W
static void we_read_theirs(void** state)
{
    (void)state;
    int p[] = {0, 1, 2, 3, 4}, i[] = {0, 1, 2, 3}, zero[] = {0}, third[] = {2};
    double x[] = {1, 2, 3, 4}, v[] = {0.5}, c[] = {6.0};
    double q[] = {-1, 1, -2, 2}, s[] = {0.25}, mu[] = {0.1, 0.2};
    double r[] = {1, 2, 3, 4}, u[] = {5, 6, 7, 8}, l[] = {9};
    struct fclib_matrix W = {.nzmax = 4, .m = 4, .n = 4, .p = p, .i = i, .x = x, .nz = -1};
    struct fclib_matrix V = {.nzmax = 1, .m = 4, .n = 1, .p = zero, .i = third, .x = v, .nz = 1};
    struct fclib_matrix R = {.nzmax = 1, .m = 1, .n = 1, .p = zero, .i = zero, .x = c, .nz = 1};
    struct fclib_info info = {.title = "theirs", .description = "d", .math_info = ""};
    struct fclib_local local = {
        .W = &W, .V = &V, .R = &R, .mu = mu, .q = q, .s = s, .spacedim = 2, .info = &info};
    struct fclib_solution solution = {.u = u, .r = r, .l = l};
    remove(path);
    assert_int_equal(fclib_write_local(&local, path), 1);
    assert_int_equal(fclib_write_solution(&solution, path), 1);
    assert_int_equal(fclib_write_guesses(1, &solution, path), 1);

    const SticContext context = stic_context_default();
    SticProblemStore* store = test_problem_read(&context, path);
    const SticProblem* problem = stic_problem_view(store);
    const SticMetadata* metadata = stic_problem_metadata(store);
    assert_int_equal(problem->count, 3);
    assert_int_equal(problem->law[2], STIC_LAW_FREE);
    const double expected[25] = {1, 0,   0, 0, 0, 0, 2, 0, 0, 0,   0, 0, 3,
                                 0, 0.5, 0, 0, 0, 4, 0, 0, 0, 0.5, 0, 6};
    double* dense = test_problem_dense(problem->W);
    assert_memory_equal(dense, expected, sizeof expected);
    free(dense);
    test_equal(problem->b[4], 0.25);
    test_equal(problem->coef[1][0], 0.2);
    assert_string_equal(metadata->title, "theirs");
    assert_null(metadata->math_info);
    const double all[5] = {1, 2, 3, 4, 9};
    assert_memory_equal(metadata->solution->r, all, sizeof all);
    assert_memory_equal(metadata->guesses[0].u, u, sizeof u);
    stic_problem_destroy(store);
}

int main(void)
{
    test_scratch_path("peer.h5", path);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_our_local),
        cmocka_unit_test(reads_our_bilateral_local),
        cmocka_unit_test(reads_our_global),
        cmocka_unit_test(we_read_theirs),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return failed;
}
