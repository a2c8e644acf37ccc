// SPDX-License-Identifier: Apache-2.0
// Facts and statistics of problems: dense references, published ranks of the collection.
#include "helpers/problem.h"
#include "helpers/scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/math.h"
#include "stiction/extend/sparse.h"

static SticProblem problem_of(SticArena* arena, int32_t contacts, const double* W, const double* mu)
{
    int32_t* row_at = NULL;
    uint8_t* law = NULL;
    double(*coef)[4] = NULL;
    double* b = NULL;
    SticBlockCsr* A = NULL;
    assert_int_equal(STIC_TAKE(arena, &row_at, contacts + 1), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &law, contacts), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &coef, contacts), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &b, 3 * contacts), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &A, 1), STIC_OK);
    memset(coef, 0, (size_t)contacts * sizeof *coef);
    row_at[0] = 0;
    for (int32_t i = 0; i < contacts; ++i) {
        row_at[i + 1] = 3 * (i + 1);
        law[i] = STIC_LAW_CONE;
        coef[i][0] = mu[i];
        for (int a = 0; a < 3; ++a)
            b[3 * i + a] = a == 0 ? -1.0 : 0.0;
    }
    const SticPartition partition = {contacts, contacts, row_at, row_at};
    assert_int_equal(stic_block_csr_from_dense(&partition, W, arena, A), STIC_OK);
    return (SticProblem){.count = contacts,
                         .rows = 3 * contacts,
                         .row_at = row_at,
                         .law = law,
                         .coef = (const double(*)[4])coef,
                         .W = A,
                         .b = b};
}

static SticArena* new_arena(void)
{
    const SticContext context = stic_context_default();
    SticArena* arena = NULL;
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    return arena;
}

// the contact of Koziara's fig. 10.3.3: eigenvalues 0.4, 0.4, 1.6, unique up to mu = sqrt(1/15)
static void test_single_contact(void** state)
{
    (void)state;
    static const double W[9] = {0.8, 0.4, 0.4, 0.4, 0.8, 0.4, 0.4, 0.4, 0.8};
    static const double mu[1] = {0.1};
    SticArena* arena = new_arena();
    SticProblemStatistics s;
    SticError error = {0};
    const SticProblem problem = problem_of(arena, 1, W, mu);
    assert_int_equal(stic_problem_statistics(arena, &problem, &s, &error), STIC_OK);
    print_message("eigenvalues %.15f %.15f, unique up to mu = %.15f, condition %.3f\n",
                  s.eigenvalue_least, s.eigenvalue_most, s.mu_unique, s.condition);
    test_less(fabs(s.eigenvalue_least - 0.4), 1e-14);
    test_less(fabs(s.eigenvalue_most - 1.6), 1e-14);
    test_less(fabs(s.mu_unique - sqrt(1.0 / 15.0)), 1e-14);
    // largest column sum of W is 1.6
    double inverse[9];
    assert_int_equal(stic_dense_spd_inverse(3, W, inverse), STIC_OK);
    test_less(fabs(s.condition - 1.6 * stic_dense_norm1(3, inverse)), 1e-12);
    assert_int_equal(s.rank, 3);
    assert_int_equal(s.contacts, 1);
    assert_int_equal(s.law[STIC_LAW_CONE], 1);
    test_equal(s.mu_least, 0.1);
    test_equal(s.mu_most, 0.1);
    test_equal(s.density, 0.0);
    test_equal(s.asymmetry, 0.0);
    test_equal(s.negative, 0);
    stic_arena_destroy(arena);
}

// spectra that are known: reflections of a diagonal matrix
static void test_spectra(void** state)
{
    (void)state;
    enum { CONTACTS = 40, N = 3 * CONTACTS };
    static const double conditions[] = {1.0, 10.0, 1e4, 1e7};
    static double W[N * N], mu[CONTACTS];
    SticRandom random = stic_random_create(2);
    for (int k = 0; k < CONTACTS; ++k)
        mu[k] = 0.1 + 0.01 * k;
    for (size_t c = 0; c < sizeof conditions / sizeof conditions[0]; ++c) {
        SticArena* arena = new_arena();
        SticProblemStatistics s;
        uint32_t facts = 0;
        test_random_spd(&random, N, conditions[c], W);
        SticProblem problem = problem_of(arena, CONTACTS, W, mu);
        assert_int_equal(stic_problem_statistics(arena, &problem, &s, NULL), STIC_OK);
        print_message("condition %.0e: eigenvalues %.6e %.6f, 1-norm condition %.2e, rank %d\n",
                      conditions[c], s.eigenvalue_least, s.eigenvalue_most, s.condition, s.rank);
        test_less(fabs(s.eigenvalue_most - 1.0), 1e-9);
        test_less(fabs(s.eigenvalue_least * conditions[c] - 1.0), 1e-6);
        test_at_least(s.condition, 0.3 * conditions[c]);
        test_at_most(s.condition, N * conditions[c]);
        test_near(s.mu_least, 0.1, 1e-15);
        test_near(s.mu_most, 0.49, 1e-15);
        assert_int_equal(s.rank, N);
        assert_int_equal(stic_problem_facts(arena, &problem, &facts), STIC_OK);
        assert_int_equal(facts, STIC_FACT_SYMMETRIC | STIC_FACT_SPD);
        // one row and column taken out: rank N - 1; one sign changed: indefinite
        for (int k = 0; k < N; ++k)
            W[7 * N + k] = W[k * N + 7] = 0.0;
        problem = problem_of(arena, CONTACTS, W, mu);
        assert_int_equal(stic_problem_statistics(arena, &problem, &s, NULL), STIC_OK);
        assert_int_equal(s.rank, N - 1);
        assert_true(isinf(s.condition));
        test_equal(s.mu_unique, 0.0);
        test_equal(s.eigenvalue_least, 0.0);
        assert_int_equal(stic_problem_facts(arena, &problem, &facts), STIC_OK);
        assert_int_equal(facts, STIC_FACT_SYMMETRIC);
        W[7 * N + 7] = -0.25;
        problem = problem_of(arena, CONTACTS, W, mu);
        assert_int_equal(stic_problem_statistics(arena, &problem, &s, NULL), STIC_OK);
        print_message("  with -0.25: least eigenvalue %.4f\n", s.eigenvalue_least);
        assert_int_equal(s.negative, 1);
        test_less(fabs(s.eigenvalue_least + 0.25), 0.005);
        test_equal(s.mu_unique, 0.0);
        // an unsymmetric entry
        W[7 * N + 3] = 0.5;
        problem = problem_of(arena, CONTACTS, W, mu);
        assert_int_equal(stic_problem_facts(arena, &problem, &facts), STIC_OK);
        assert_int_equal(facts, 0);
        stic_arena_destroy(arena);
    }
}

static void test_bounds(void** state)
{
    (void)state;
    static const int32_t at[4] = {0, 1, 3, 4};
    static const uint8_t law[3] = {STIC_LAW_NONNEG, STIC_LAW_BALL, STIC_LAW_INTERVAL};
    static const double coef[3][4] = {{0.0}, {0.5}, {1.0, 1.0}};
    static const double bound[3] = {0.0, 2.0, 1.0}, b[4] = {-1.0, 0.0, 0.0, 1.0};
    static const double W[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    int32_t bound_row[3] = {-1, -1, -1};
    SticArena* arena = new_arena();
    SticBlockCsr A;
    uint32_t facts = 0;
    const SticPartition partition = {3, 3, at, at};
    assert_int_equal(stic_block_csr_from_dense(&partition, W, arena, &A), STIC_OK);
    const SticProblem problem = {.count = 3,
                                 .rows = 4,
                                 .row_at = at,
                                 .law = law,
                                 .coef = coef,
                                 .bound = bound,
                                 .bound_row = bound_row,
                                 .W = &A,
                                 .b = b};
    const double r[4] = {3.0, 0.0, 0.0, 0.0};
    assert_int_equal(stic_problem_facts(arena, &problem, &facts), STIC_OK);
    assert_int_equal(facts, STIC_FACT_SYMMETRIC | STIC_FACT_SPD | STIC_FACT_CONVEX);
    test_equal(stic_problem_bound(&problem, 1, r), 2.0);
    bound_row[1] = 0;
    assert_int_equal(stic_problem_facts(arena, &problem, &facts), STIC_OK);
    assert_int_equal(facts, STIC_FACT_SYMMETRIC | STIC_FACT_SPD | STIC_FACT_FOREIGN_BOUND);
    test_equal(stic_problem_bound(&problem, 1, r), 5.0);
    stic_arena_destroy(arena);
}

// numerical ranks at 1e-9 of the largest singular value, by singular value decomposition elsewhere
static void test_collection_ranks(void** state)
{
    (void)state;
    static const struct {
        const char* name;
        int32_t rank, rows;
    } known[] = {
        {"fc3d-local-dat/KaplasTower-i1061-4.hdf5.dat.gz", 504, 1710},
        {"fc3d-global/Spheres-i099-356-679.hdf5", 1068, 1068},
        {"fc3d-local-hdf5/Capsules-i125-1213.hdf5", 570, 858},
        {"fc3d-local-dat/Capsules-i100-1090.dat", 552, 828},
        {"fc3d-local-dat/Capsules-i101-404.dat", 478, 675},
        {"fc3d-global/Box_Stacks-i0122-82-5.hdf5", 175, 246},
        {"fc3d-local-dat/Confeti-ex03-Fc3D-SBM.dat", 162, 162},
        {"fc3d-local-hdf5/local_problem_test.hdf5", 72, 144},
        {"fc3d-local-dat/OneObject-i100000-499.hdf5.dat", 49, 72},
        {"fc3d-local-dat/Rover1040.dat", 14, 15},
        {"fc3d-local-dat/Rover3865.dat", 13, 15},
        {"fc3d-local-dat/Rover4609.dat", 14, 15},
    };
    const SticContext context = stic_context_default();
    const TestTable table =
        test_table_begin("statistics of the collection",
                         "problem                                       |rank|rows|density|least "
                         "eigenvalue|largest  |asymmetry|unique to mu");
    for (size_t k = 0; k < sizeof known / sizeof known[0]; ++k) {
        char path[TEST_PATH_SIZE];
        SticProblemStatistics s;
        test_problem_path(known[k].name, path);
        SticArena* arena = new_arena();
        SticProblemStore* store = test_problem_read(&context, path);
        assert_int_equal(stic_problem_statistics(arena, stic_problem_view(store), &s, NULL), 0);
        test_table_row(&table, "%s|%d|%d|%.2f|%.2e|%.2e|%.1e|%.2e", known[k].name, s.rank, s.rows,
                       s.density, s.eigenvalue_least, s.eigenvalue_most, s.asymmetry, s.mu_unique);
        assert_int_equal(s.rank, known[k].rank);
        assert_int_equal(s.rows, known[k].rows);
        stic_problem_destroy(store);
        stic_arena_destroy(arena);
    }
}

static SticStatus measure(const SticContext* context, void* self)
{
    SticArena* arena = NULL;
    SticProblemStatistics s;
    uint32_t facts = 0;
    STIC_TRY(stic_arena_create(context, 0, &arena));
    SticStatus status = stic_problem_statistics(arena, self, &s, NULL);
    if (status == STIC_OK)
        status = stic_problem_facts(arena, self, &facts);
    stic_arena_destroy(arena);
    return status;
}

static void test_memory(void** state)
{
    (void)state;
    Scene scene;
    const SceneDef def = {SCENE_STACK, 6, 0.5, 0.0, 0.0};
    scene_create(&scene, &def);
    test_greater(test_fail_every_allocation(measure, &scene.problem), 3);
    scene_release(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_contact), cmocka_unit_test(test_spectra),
        cmocka_unit_test(test_bounds),         cmocka_unit_test(test_collection_ranks),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
