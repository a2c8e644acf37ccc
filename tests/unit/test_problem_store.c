// SPDX-License-Identifier: Apache-2.0
// Stored problems: deep copies, division into bodies, inverse blocks and factorisation of M.
#include "helpers/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem/store.h"
#include "sparse/sparse.h"

static void copies_are_deep(void** state)
{
    (void)state;
    static const TestProblemDef defs[] = {{STIC_LAW_CONE, 6, 3, 2, 0, true},
                                          {STIC_LAW_CONE, 6, 3, 2, 4, true}};
    for (size_t i = 0; i < sizeof defs / sizeof defs[0]; ++i) {
        TestMemory memory;
        const SticContext context = test_memory_context(&memory);
        SticArena* arena = NULL;
        SticRandom random = stic_random_create(4);
        assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
        SticProblem problem = test_problem_random(arena, &random, &defs[i]);
        SticProblemStore *copy = NULL, *second = NULL;
        assert_int_equal(stic_problem_copy(&context, &problem, &copy), STIC_OK);
        test_problem_compare(&problem, stic_problem_view(copy), 0.0);
        stic_arena_destroy(arena);
        // the original is gone; the copy still is whole
        assert_int_equal(stic_problem_copy(&context, stic_problem_view(copy), &second), STIC_OK);
        test_problem_compare(stic_problem_view(second), stic_problem_view(copy), 0.0);
        assert_int_equal(stic_problem_check(stic_problem_view(second), NULL), STIC_OK);
        stic_problem_destroy(copy);
        stic_problem_destroy(second);
        stic_problem_destroy(NULL);
        test_memory_check(&memory);
    }
}

// a global problem from a dense M; one contact touches the velocities `touched` (up to 12)
static SticStatus try_build(int32_t dof, const double* M, const int32_t* touched, int32_t count,
                            SticProblemStore** store, SticError* error)
{
    SticRaw raw = {.context = stic_context_default(),
                   .global = true,
                   .law = STIC_LAW_CONE,
                   .contacts = 1,
                   .contact_rows = 3};
    raw.M.rows = raw.M.cols = raw.H.rows = dof;
    raw.H.cols = 3;
    for (int32_t i = 0; i < dof; ++i)
        for (int32_t j = 0; j < dof; ++j)
            assert_int_equal(stic_entries_add(&raw.context, &raw.M, i, j, M[i * dof + j]), STIC_OK);
    for (int32_t k = 0; k < count; ++k)
        for (int32_t row = 0; row < 3; ++row)
            assert_int_equal(
                stic_entries_add(&raw.context, &raw.H, touched[k], row, 1.0 + 0.1 * k + row),
                STIC_OK);
    for (int32_t i = 0; i < dof; ++i)
        assert_int_equal(stic_reals_add(&raw.context, &raw.f, 1.0), STIC_OK);
    for (int32_t i = 0; i < 3; ++i)
        assert_int_equal(stic_reals_add(&raw.context, &raw.w, 1.0), STIC_OK);
    assert_int_equal(stic_reals_add(&raw.context, &raw.mu, 0.5), STIC_OK);
    const SticStatus status = stic_problem_build(&raw, store, error);
    stic_raw_clear(&raw);
    return status;
}

static SticProblemStore* build(int32_t dof, const double* M, const int32_t* touched, int32_t count)
{
    SticProblemStore* store = NULL;
    SticError error = {0};
    if (try_build(dof, M, touched, count, &store, &error) != STIC_OK)
        fail_msg("%s", error.text);
    return store;
}

static void solve_mass(const SticMass* mass, double* x)
{
    if (mass->kind == STIC_MASS_FACTOR) {
        assert_int_equal(mass->solve(mass->factor, x), STIC_OK);
        return;
    }
    const size_t n = (size_t)stic_block_csr_height(mass->A);
    double* y = calloc(n, sizeof *y);
    stic_block_csr_multiply(1.0, mass->inverse, x, 0.0, y);
    memcpy(x, y, n * sizeof *y);
    free(y);
}

// M (M^-1 x) = x, relative to the condition number of M
static double mass_defect(const SticMass* mass)
{
    const int32_t n = stic_block_csr_height(mass->A);
    double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y);
    SticRandom random = stic_random_create(8);
    test_random_vector(&random, n, -1.0, 1.0, x);
    memcpy(y, x, (size_t)n * sizeof *y);
    solve_mass(mass, y);
    stic_block_csr_multiply(1.0, mass->A, y, -1.0, x);
    double worst = 0.0;
    for (int32_t i = 0; i < n; ++i)
        worst = test_worse(worst, fabs(x[i]));
    free(x);
    free(y);
    return worst;
}

static void bodies_are_found(void** state)
{
    (void)state;
    typedef struct Division {
        const char* text;
        int32_t dof, coupled; // M has full diagonal blocks of `coupled` rows
        int32_t touched[12], count;
        int32_t bodies;
        SticMassKind kind;
    } Division;
    static const Division divisions[] = {
        {"diagonal M, bodies of 6",
         18,
         1,
         {0, 1, 2, 3, 4, 5, 12, 13, 14, 15, 16, 17},
         12,
         3,
         STIC_MASS_BLOCKS},
        {"diagonal M, bodies of 3", 18, 1, {0, 1, 2, 12, 13, 14}, 6, 6, STIC_MASS_BLOCKS},
        {"full blocks of 6", 12, 6, {0, 1, 2}, 3, 2, STIC_MASS_BLOCKS},
        {"full blocks of 4", 12, 4, {0, 1, 2}, 3, 3, STIC_MASS_BLOCKS},
        {"affine bodies", 24, 12, {0, 1, 2}, 3, 2, STIC_MASS_BLOCKS},
        {"one body of 13", 13, 13, {0, 1, 2}, 3, 5, STIC_MASS_FACTOR},
        {"two of 15", 30, 15, {0, 1, 2}, 3, 10, STIC_MASS_FACTOR},
    };
    TestTable table =
        test_table_begin("division of velocities", "case                    |dof|bodies|defect  ");
    for (size_t i = 0; i < sizeof divisions / sizeof divisions[0]; ++i) {
        const Division* division = &divisions[i];
        const int32_t n = division->dof, c = division->coupled;
        double* M = calloc((size_t)(n * n), sizeof *M);
        double block[15 * 15];
        SticRandom random = stic_random_create(9);
        for (int32_t at = 0; at < n; at += c) {
            test_random_spd(&random, c, 10.0, block);
            for (int32_t k = 0; k < c * c; ++k)
                M[(at + k / c) * n + at + k % c] = block[k];
        }
        SticProblemStore* store = build(n, M, division->touched, division->count);
        const SticMass* mass = stic_problem_view(store)->M;
        const double defect = mass_defect(mass);
        test_table_row(&table, "%s|%d|%d|%.1e", division->text, (int)n, (int)mass->A->rows, defect);
        assert_int_equal(mass->kind, division->kind);
        assert_int_equal(mass->A->rows, division->bodies);
        // ten is the condition number of every block
        test_less(defect, 10.0 * 20.0 * 2.3e-16);
        SticProblemStore* copy = NULL;
        const SticContext context = stic_context_default();
        assert_int_equal(stic_problem_copy(&context, stic_problem_view(store), &copy), STIC_OK);
        test_equal(mass_defect(stic_problem_view(copy)->M), defect);
        stic_problem_destroy(copy);
        stic_problem_destroy(store);
        free(M);
    }
}

// inverse blocks of symmetric blocks are symmetric to the last bit
static void inverses_are_symmetric(void** state)
{
    (void)state;
    double M[36];
    const int32_t touched[3] = {0, 1, 2};
    SticRandom random = stic_random_create(10);
    test_random_spd(&random, 6, 1e6, M);
    SticProblemStore* store = build(6, M, touched, 3);
    const SticBlockCsr* inverse = stic_problem_view(store)->M->inverse;
    test_equal(stic_block_csr_asymmetry(inverse), 0.0);
    stic_problem_destroy(store);
}

// a large M that is unsymmetric, indefinite or singular
static void difficult_masses(void** state)
{
    (void)state;
    enum { N = 20 };
    const int32_t touched[3] = {0, 1, 2};
    double M[N * N];
    SticRandom random = stic_random_create(12);
    test_random_spd(&random, N, 10.0, M);
    for (int32_t i = 0; i < N; ++i)
        for (int32_t j = 0; j < i; ++j)
            M[i * N + j] += 0.1;
    SticProblemStore* store = build(N, M, touched, 3);
    const double unsymmetric = mass_defect(stic_problem_view(store)->M);
    stic_problem_destroy(store);

    // zero diagonal: no LDL' without pivoting
    for (int32_t i = 0; i < N; ++i)
        for (int32_t j = 0; j < N; ++j)
            M[i * N + j] = i == j ? 0.0 : 1.0;
    store = build(N, M, touched, 3);
    const double indefinite = mass_defect(stic_problem_view(store)->M);
    stic_problem_destroy(store);
    print_message("defects: %.1e unsymmetric, %.1e indefinite\n", unsymmetric, indefinite);
    test_less(unsymmetric, 1e-13);
    test_less(indefinite, 1e-13);

    for (int32_t k = 0; k < N * N; ++k)
        M[k] = 1.0;
    SticError error = {0};
    assert_int_equal(try_build(N, M, touched, 3, &store, &error), STIC_SINGULAR);
    assert_null(store);
    print_message("%s\n", error.text);
}

// eigenvalues of a + d and a - d: masses must not be negative, tangents may be anything
static void negative_masses(void** state)
{
    (void)state;
    static const struct {
        double M[4];
        const char* said; // NULL: accepted
    } cases[] = {{{2.0, 1.0, 1.0, 2.0}, NULL},
                 {{-1.0, 0.0, 0.0, -1.0}, "2 of its 2 eigenvalues are negative"},
                 {{1.0, 2.0, 2.0, 1.0}, "1 of its 2 eigenvalues is negative"},
                 {{0.0, 1.0, -1.0, 0.0}, NULL}};
    static const double H[2] = {1.0, 0.5}, f[2] = {-1.0, 0.0}, w[1] = {0.0};
    const int32_t row[4] = {0, 0, 1, 1}, col[4] = {0, 1, 0, 1}, zero[2] = {0, 0}, up[2] = {0, 1};
    TestMemory memory;
    const SticContext context = test_memory_context(&memory);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        SticProblemStore *dense = NULL, *sparse = NULL;
        SticError error[2] = {{0}, {0}};
        const SticProblemDef def = {
            .contacts = 1, .contact_rows = 1, .dof = 2, .M = cases[k].M, .H = H, .f = f, .w = w};
        const SticSparseProblemDef same = {.contacts = 1,
                                           .contact_rows = 1,
                                           .dof = 2,
                                           .M = {4, row, col, cases[k].M},
                                           .H = {2, up, zero, H},
                                           .f = f,
                                           .w = w};
        const SticStatus expected = cases[k].said == NULL ? STIC_OK : STIC_BAD_DATA;
        assert_int_equal(stic_problem_create(&context, &def, &dense, &error[0]), expected);
        assert_int_equal(stic_problem_create_sparse(&context, &same, &sparse, &error[1]), expected);
        assert_int_equal(dense == NULL, expected != STIC_OK);
        assert_int_equal(sparse == NULL, expected != STIC_OK);
        for (int e = 0; e < 2 && cases[k].said != NULL; ++e)
            assert_non_null(strstr(error[e].text, cases[k].said));
        stic_problem_destroy(dense);
        stic_problem_destroy(sparse);
    }
    test_memory_check(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_deep),        cmocka_unit_test(bodies_are_found),
        cmocka_unit_test(inverses_are_symmetric), cmocka_unit_test(difficult_masses),
        cmocka_unit_test(negative_masses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
