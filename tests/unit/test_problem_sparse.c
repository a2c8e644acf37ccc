// SPDX-License-Identifier: Apache-2.0
// Problems of sparse matrices: the same as those of dense ones, whatever the order of the entries;
// what is refused; allocations that fail.
#include "helpers/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CONTACTS = 4, MOST_ROWS = 3 * CONTACTS, DOF = 12, MOST_ENTRIES = 2 * MOST_ROWS * DOF };

// entries of a matrix in a random order, some of them in two parts that add up without rounding
typedef struct Entries {
    int32_t row[MOST_ENTRIES], col[MOST_ENTRIES];
    double value[MOST_ENTRIES];
    int32_t count;
} Entries;

static void add(Entries* to, int32_t row, int32_t col, double value)
{
    to->row[to->count] = row;
    to->col[to->count] = col;
    to->value[to->count++] = value;
}

static void scatter(SticRandom* random, int32_t rows, int32_t cols, const double* A, Entries* to)
{
    to->count = 0;
    for (int32_t i = 0; i < rows; ++i)
        for (int32_t j = 0; j < cols; ++j) {
            const double value = A[i * cols + j];
            const bool twice = stic_random_uniform(random) < 0.3;
            if (value != 0.0)
                add(to, i, j, twice ? 0.5 * value : value);
            if (value != 0.0 && twice)
                add(to, i, j, 0.5 * value);
        }
    for (int32_t k = to->count - 1; k > 0; --k) {
        const int32_t other = (int32_t)(stic_random_uniform(random) * (k + 1));
        const Entries was = *to;
        to->row[k] = was.row[other], to->row[other] = was.row[k];
        to->col[k] = was.col[other], to->col[other] = was.col[k];
        to->value[k] = was.value[other], to->value[other] = was.value[k];
    }
}

static SticTriplets view(const Entries* from)
{
    return (SticTriplets){from->count, from->row, from->col, from->value};
}

// a problem as both functions take it
typedef struct Twin {
    double M[DOF * DOF], H[DOF * MOST_ROWS], W[MOST_ROWS * MOST_ROWS];
    double mu[CONTACTS], f[DOF], w[MOST_ROWS], b[MOST_ROWS];
    Entries m, h, big;
    SticProblemDef dense;
    SticSparseProblemDef sparse;
} Twin;

static void fill(Twin* twin, uint64_t seed, int32_t contact_rows, bool global)
{
    SticRandom random = stic_random_create(seed);
    const int32_t rows = CONTACTS * contact_rows;
    memset(twin, 0, sizeof *twin);
    // bodies of six velocities, each contact between two of them
    for (int32_t body = 0; body < DOF / 6; ++body) {
        double block[36];
        test_random_spd(&random, 6, 10.0, block);
        for (int32_t i = 0; i < 6; ++i)
            for (int32_t j = 0; j < 6; ++j)
                twin->M[(6 * body + i) * DOF + 6 * body + j] = block[6 * i + j];
    }
    for (int32_t i = 0; i < DOF; ++i)
        for (int32_t row = 0; row < rows; ++row)
            twin->H[i * rows + row] = (i / 6 + row / contact_rows) % 2 == 0
                                          ? 2.0 * stic_random_uniform(&random) - 1.0
                                          : 0.0;
    test_random_spd(&random, rows, 10.0, twin->W);
    test_random_vector(&random, CONTACTS, 0.1, 1.0, twin->mu);
    test_random_vector(&random, DOF, -1.0, 1.0, twin->f);
    test_random_vector(&random, rows, -1.0, 1.0, twin->w);
    test_random_vector(&random, rows, -1.0, 1.0, twin->b);
    scatter(&random, DOF, DOF, twin->M, &twin->m);
    scatter(&random, DOF, rows, twin->H, &twin->h);
    scatter(&random, rows, rows, twin->W, &twin->big);
    twin->dense = (SticProblemDef){CONTACTS, contact_rows, global ? DOF : 0, .mu = twin->mu};
    twin->sparse = (SticSparseProblemDef){CONTACTS, contact_rows, global ? DOF : 0, .mu = twin->mu};
    if (global) {
        twin->dense.M = twin->M, twin->dense.H = twin->H;
        twin->dense.f = twin->sparse.f = twin->f;
        twin->dense.w = twin->sparse.w = twin->w;
        twin->sparse.M = view(&twin->m), twin->sparse.H = view(&twin->h);
    } else {
        twin->dense.W = twin->W, twin->dense.b = twin->sparse.b = twin->b;
        twin->sparse.W = view(&twin->big);
    }
}

static void is_what_dense_matrices_give(void** state)
{
    (void)state;
    static Twin twin;
    for (int32_t contact_rows = 1; contact_rows <= 3; ++contact_rows)
        for (int global = 0; global < 2; ++global) {
            TestMemory memory;
            const SticContext context = test_memory_context(&memory);
            SticProblemStore *dense = NULL, *sparse = NULL;
            SticError error = {0};
            fill(&twin, 11 + (uint64_t)contact_rows, contact_rows, global == 1);
            assert_int_equal(stic_problem_create(&context, &twin.dense, &dense, &error), STIC_OK);
            if (stic_problem_create_sparse(&context, &twin.sparse, &sparse, &error) != STIC_OK)
                fail_msg("%s", error.text);
            test_problem_compare(stic_problem_view(dense), stic_problem_view(sparse), 0.0);
            assert_int_equal(stic_problem_check(stic_problem_view(sparse), NULL), STIC_OK);
            // nothing of what was given is looked at any more
            memset(&twin, 0xff, sizeof twin);
            assert_int_equal(stic_problem_check(stic_problem_view(sparse), NULL), STIC_OK);
            test_problem_compare(stic_problem_view(dense), stic_problem_view(sparse), 0.0);
            stic_problem_destroy(dense);
            stic_problem_destroy(sparse);
            test_memory_check(&memory);
        }
}

static void refuse(const SticSparseProblemDef* def, SticStatus expected, const char* words)
{
    TestMemory memory;
    const SticContext context = test_memory_context(&memory);
    SticProblemStore* store = NULL;
    SticError error = {0};
    assert_int_equal(stic_problem_create_sparse(&context, def, &store, &error), expected);
    assert_null(store);
    if (strstr(error.text, words) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, words);
    test_memory_check(&memory);
}

static void bad_data_are_refused(void** state)
{
    (void)state;
    static Twin twin;
    fill(&twin, 3, 3, true);
    // outside of the matrix, on each side; H has as many columns as rows
    const int32_t wrong[] = {-1, DOF, INT32_MAX, INT32_MIN};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; ++k) {
        twin.m.row[5] = wrong[k];
        refuse(&twin.sparse, STIC_BAD_DATA, "entry 5 of M");
        fill(&twin, 3, 3, true);
        twin.h.col[0] = wrong[k];
        refuse(&twin.sparse, STIC_BAD_DATA, "entry 0 of H");
        fill(&twin, 3, 3, true);
    }
    // what is missing
    SticSparseProblemDef def = twin.sparse;
    def.mu = NULL;
    refuse(&def, STIC_BAD_ARGUMENT, "mu where it has friction");
    def = twin.sparse;
    def.f = NULL;
    refuse(&def, STIC_BAD_ARGUMENT, "needs M, H, f and w");
    def = twin.sparse;
    def.contact_rows = 4;
    refuse(&def, STIC_BAD_ARGUMENT, "one to three rows");
    def = twin.sparse;
    def.contacts = -1;
    refuse(&def, STIC_BAD_ARGUMENT, "one to three rows");
    // numbers that are none, a mass that is no mass
    twin.m.value[2] = NAN;
    refuse(&twin.sparse, STIC_NOT_FINITE, "it must be a finite number");
    fill(&twin, 3, 3, true);
    twin.sparse.M.count = 0;
    refuse(&twin.sparse, STIC_SINGULAR, "singular");
}

static SticStatus create(const SticContext* context, void* self)
{
    SticProblemStore* store = NULL;
    const SticStatus status = stic_problem_create_sparse(context, self, &store, NULL);
    stic_problem_destroy(store);
    return status;
}

static void no_memory_is_a_status(void** state)
{
    (void)state;
    static Twin twin;
    for (int global = 0; global < 2; ++global) {
        fill(&twin, 5, 3, global == 1);
        const int64_t made = test_fail_every_allocation(create, &twin.sparse);
        printf("%s form: %lld allocations, each failed once\n", global ? "global" : "local",
               (long long)made);
        assert_true(made > 3);
    }
}

static void nothing_is_a_problem_too(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticProblemStore* store = NULL;
    SticError error = {0};
    const SticSparseProblemDef def = {.contact_rows = 3};
    assert_int_equal(stic_problem_create_sparse(&context, &def, &store, &error), STIC_OK);
    assert_int_equal(stic_problem_view(store)->count, 0);
    stic_problem_destroy(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_what_dense_matrices_give), cmocka_unit_test(bad_data_are_refused),
        cmocka_unit_test(no_memory_is_a_status), cmocka_unit_test(nothing_is_a_problem_too)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
