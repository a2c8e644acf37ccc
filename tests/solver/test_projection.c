// SPDX-License-Identifier: Apache-2.0
// projection: both metrics against the formulas of Kikuuwe and Brogliato written out again, what is
// refused, the public collection.
#include "collection.h"
#include "helpers/helpers.h"
#include "run.h"
#include "stiction/extend/sparse.h"

enum { CONTACTS = 8, ROWS = 3 * CONTACTS };

// contacts with a dense W
typedef struct Dense {
    double W[ROWS * ROWS], b[ROWS];
    double coef[CONTACTS][4];
    int32_t row_at[CONTACTS + 1];
    uint8_t law[CONTACTS];
    SticBlockCsr matrix;
    SticProblem problem;
    SticArena* arena;
} Dense;

static void dense_create(Dense* dense, double mu)
{
    const SticContext context = stic_context_default();
    for (int32_t i = 0; i < CONTACTS; ++i) {
        dense->row_at[i + 1] = 3 * (i + 1);
        dense->law[i] = STIC_LAW_CONE;
        memcpy(dense->coef[i], (const double[4]){mu}, sizeof dense->coef[i]);
    }
    dense->row_at[0] = 0;
    const SticPartition partition = {CONTACTS, CONTACTS, dense->row_at, dense->row_at};
    assert_int_equal(stic_arena_create(&context, 0, &dense->arena), STIC_OK);
    assert_int_equal(stic_block_csr_from_dense(&partition, dense->W, dense->arena, &dense->matrix),
                     STIC_OK);
    dense->problem = (SticProblem){.count = CONTACTS,
                                   .rows = ROWS,
                                   .row_at = dense->row_at,
                                   .law = dense->law,
                                   .coef = (const double(*)[4])dense->coef,
                                   .W = &dense->matrix,
                                   .b = dense->b};
}

// x = -W^-1 b by elimination with row exchanges
static void stop_all(const Dense* dense, double* x)
{
    static double A[ROWS][ROWS + 1];
    for (int a = 0; a < ROWS; ++a) {
        memcpy(A[a], dense->W + ROWS * a, ROWS * sizeof(double));
        A[a][ROWS] = -dense->b[a];
    }
    for (int k = 0; k < ROWS; ++k) {
        int best = k;
        for (int a = k + 1; a < ROWS; ++a)
            best = fabs(A[a][k]) > fabs(A[best][k]) ? a : best;
        for (int c = 0; c <= ROWS; ++c) {
            const double swap = A[k][c];
            A[k][c] = A[best][c];
            A[best][c] = swap;
        }
        for (int a = 0; a < ROWS; ++a) {
            const double factor = a == k ? 0.0 : A[a][k] / A[k][k];
            for (int c = k; c <= ROWS; ++c)
                A[a][c] -= factor * A[k][c];
        }
    }
    for (int a = 0; a < ROWS; ++a)
        x[a] = A[a][ROWS] / A[a][a];
}

// the limit of proj_C in the metric diag(1/eps, 1, 1): the normal first
static void limit_projection(double mu, const double* x, double* p)
{
    p[0] = x[0] > 0.0 ? x[0] : 0.0;
    const double length = hypot(x[1], x[2]), most = mu * p[0];
    const double cut = length > most ? most / length : 1.0;
    p[1] = cut * x[1];
    p[2] = cut * x[2];
}

// the same limit taken numerically: the nearest point of the cone in the metric diag(1/eps, 1, 1)
// lies on it at height h where |x_T| > mu h; d/dh of (h - x_N)^2/eps + (|x_T| - mu h)^2 is 0
static void finite_projection(double mu, double eps, const double* x, double* p)
{
    const double length = hypot(x[1], x[2]);
    double h = x[0];
    if (length > mu * h)
        h = (x[0] / eps + mu * length) / (1.0 / eps + mu * mu);
    h = h > 0.0 ? h : 0.0;
    const double cut = length > mu * h ? mu * h / length : 1.0;
    p[0] = h;
    p[1] = cut * x[1];
    p[2] = cut * x[2];
}

static double apart_from(const double* r, const double* expected)
{
    double apart = 0.0;
    for (int k = 0; k < ROWS; ++k)
        apart = test_worse(apart, fabs(r[k] - expected[k]));
    return apart;
}

/* ---- metric of the contacts ---- */

static void test_contact_metric(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(8);
    static Run run;
    for (int trial = 0; trial < 5; ++trial) {
        Dense dense;
        double x[ROWS], expected[ROWS], limit[ROWS];
        test_random_spd(&random, ROWS, 20.0, dense.W);
        test_random_vector(&random, ROWS, -1.0, 1.0, dense.b);
        dense_create(&dense, 0.4);
        stop_all(&dense, x);
        for (int i = 0; i < CONTACTS; ++i) {
            limit_projection(0.4, x + 3 * i, expected + 3 * i);
            finite_projection(0.4, 1e-9, x + 3 * i, limit + 3 * i);
        }
        run_solver(&context, &dense.problem, "projection", "", 1e-8, &run);
        print_message("trial %d: %s, error %.1e, off eq. 80 by %.1e, eps = 1e-9 off its limit by "
                      "%.1e\n",
                      trial, stic_outcome_name(run.info.outcome), run.info.errors.relative,
                      apart_from(run.r, expected), apart_from(limit, expected));
        test_less(apart_from(run.r, expected), 1e-13 * 20.0);
        test_less(apart_from(limit, expected), 1e-8);
        // coupled contacts that slide: not Coulomb's law, and not called solved
        assert_int_equal(run.info.outcome, STIC_OUTCOME_STALLED);
        test_greater(run.info.errors.relative, 1e-3);
        stic_arena_destroy(dense.arena);
    }
}

// a multiple of the identity: both metrics are the same and the projection is exact (eq. 66)
static void test_identity(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(9);
    static Run run;
    Dense dense;
    double expected[ROWS];
    memset(dense.W, 0, sizeof dense.W);
    for (int k = 0; k < ROWS; ++k)
        dense.W[(ROWS + 1) * k] = 2.5;
    test_random_vector(&random, ROWS, -1.0, 1.0, dense.b);
    dense_create(&dense, 0.6);
    for (int i = 0; i < CONTACTS; ++i) {
        const double x[3] = {-dense.b[3 * i] / 2.5, -dense.b[3 * i + 1] / 2.5,
                             -dense.b[3 * i + 2] / 2.5};
        limit_projection(0.6, x, expected + 3 * i);
    }
    for (int metric = 0; metric < 2; ++metric) {
        run_solver(&context, &dense.problem, "projection",
                   metric == 0 ? "metric=contact" : "metric=product", 1e-12, &run);
        print_message("W = 2.5 I, %s: %s, off eq. 66 by %.1e\n",
                      metric == 0 ? "contact" : "product", stic_outcome_name(run.info.outcome),
                      apart_from(run.r, expected));
        assert_int_equal(run.info.outcome, STIC_OUTCOME_SOLVED);
        test_less(apart_from(run.r, expected), 1e-15);
    }
    stic_arena_destroy(dense.arena);
}

/* ---- product metric ---- */

// W without entries between normal and friction rows: normal rows every third
static void decouple(Dense* dense)
{
    for (int a = 0; a < ROWS; ++a)
        for (int c = 0; c < ROWS; ++c)
            if ((a % 3 == 0) != (c % 3 == 0))
                dense->W[ROWS * a + c] = 0.0;
}

static void test_product_metric(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(10);
    static Run run, reference, wrong;
    for (int trial = 0; trial < 5; ++trial) {
        Dense dense;
        test_random_spd(&random, ROWS, 20.0, dense.W);
        test_random_vector(&random, ROWS, -1.0, 1.0, dense.b);
        decouple(&dense);
        dense_create(&dense, 0.4);
        run_solver(&context, &dense.problem, "projection", "metric=product", 1e-9, &run);
        run_solver(&context, &dense.problem, "projection", "metric=contact", 1e-9, &wrong);
        run_solver(&context, &dense.problem, "nsgs", "", 1e-12, &reference);
        print_message("trial %d: product %s after %d steps, error %.1e, off nsgs by %.1e; contact "
                      "error %.1e\n",
                      trial, stic_outcome_name(run.info.outcome), run.info.iterations,
                      run.info.errors.relative, apart_from(run.r, reference.r),
                      wrong.info.errors.relative);
        assert_int_equal(run.info.outcome, STIC_OUTCOME_SOLVED);
        assert_int_equal(reference.info.outcome, STIC_OUTCOME_SOLVED);
        test_less(apart_from(run.r, reference.r), 1e-6);
        test_greater(wrong.info.errors.relative, 1e-3);
        // two convex problems, a few Newton steps each
        test_at_most(run.info.iterations, 16);
        stic_arena_destroy(dense.arena);
    }
}

/* ---- refusals ---- */

static void refuse(const SticProblem* problem, const char* metric, const char* sentence)
{
    const SticContext context = stic_context_default();
    static double r[ROWS], u[ROWS];
    SticError error = {0};
    SticSolveInfo info = {0};
    SticWorkspace* workspace = NULL;
    int32_t settings[4] = {0};
    assert_int_equal(stic_workspace_create(&context, &workspace), STIC_OK);
    const SticSolver* solver = stic_solver_find("projection", &error);
    assert_int_equal(stic_fields_set(solver->fields, settings, "metric", metric, &error), STIC_OK);
    SticSolveRequest request = {.solver = solver,
                                .settings = test_solve_settings(),
                                .method_settings = settings,
                                .workspace = workspace};
    assert_int_equal(stic_solve(problem, &request, r, u, &info), STIC_UNSUPPORTED);
    print_message("%s\n", info.error.text);
    assert_non_null(strstr(info.error.text, sentence));
    stic_workspace_destroy(workspace);
}

static void test_refused(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(11);
    Dense dense;
    test_random_spd(&random, ROWS, 20.0, dense.W);
    test_random_vector(&random, ROWS, -1.0, 1.0, dense.b);
    dense_create(&dense, 0.4);
    refuse(&dense.problem, "product", "entries between normal and friction rows");
    dense.law[2] = STIC_LAW_FREE;
    stic_arena_destroy(dense.arena);
    decouple(&dense);
    dense_create(&dense, 0.4);
    dense.law[2] = STIC_LAW_FREE;
    refuse(&dense.problem, "product", "interaction 2 is bilateral");
    stic_arena_destroy(dense.arena);
    dense.W[1] = 0.25;
    dense_create(&dense, 0.4);
    refuse(&dense.problem, "product", "needs a symmetric W");
    stic_arena_destroy(dense.arena);
    // contacts 0 and 1 are the same one
    for (int a = 0; a < ROWS; ++a)
        for (int c = 0; c < ROWS; ++c)
            dense.W[ROWS * a + c] = a == c || (a < 6 && c < 6 && a % 3 == c % 3) ? 1.0 : 0.0;
    dense_create(&dense, 0.4);
    refuse(&dense.problem, "contact", "needs a regular W");
    stic_arena_destroy(dense.arena);
}

/* ---- the public collection ---- */

// all others end with what the projection leaves: stalled
static const char* const solved[] = {
    "fc2d/FrictionContactProblem00394.dat",
    "fc2d/gfc2d_granularflowonwall_00000_00117.dat",
    "fc3d-global/GFC3D_Example0.dat",
    "fc3d-global/GFC3D_Example00.dat",
    "fc3d-global/GFC3D_Example0_SBM.dat",
    "fc3d-local-dat/FC3D_Example1.dat",
    "fc3d-local-dat/FC3D_Example1_SBM.dat",
    "lcp/lcp_CPS_3.dat",
    "lcp/lcp_CPS_4.dat",
    "lcp/lcp_CPS_4bis.dat",
    "lcp/lcp_deudeu.dat",
    "lcp/lcp_deudeu_block.dat",
    "lcp/lcp_trivial.dat",
    "lcp/lcp_trivial_block.dat",
    "rolling/RFC3D_sphere_1.dat",
};

static const char* const refused[] = {
    "fc2d/FC2D_SliderCrankLagrangian00000.dat",
    "fc2d/FC2D_SliderCrankLagrangian00001.dat",
    "fc2d/gfc2d_granularflowonwall_00069_00350.dat",
    "fc3d-global/Box_Stacks-i0122-82-5.hdf5",
    "fc3d-local-dat/Capsules-i100-1090.dat",
    "fc3d-local-dat/Capsules-i101-404.dat",
    "fc3d-local-dat/Capsules-i103-990.dat",
    "fc3d-local-dat/KaplasTower-i1061-4.hdf5.dat.gz",
    "fc3d-local-dat/OneObject-i100000-499.hdf5.dat",
    "fc3d-local-dat/RockPile_tob1.dat.gz",
    "fc3d-local-dat/Rover1040.dat",
    "fc3d-local-dat/Rover3865.dat",
    "fc3d-local-dat/Rover4609.dat",
    "fc3d-local-hdf5/Capsules-i125-1213.hdf5",
    "fc3d-local-hdf5/local_problem_test.hdf5",
    "lcp/lcp_CPS_1.dat",
    "lcp/lcp_CPS_5.dat",
    "lcp/lcp_Pang_isolated_sol.dat",
    "lcp/lcp_Pang_isolated_sol_perturbed.dat",
    "lcp/lcp_enum_fails.dat",
    "lcp/lcp_inf_sol_perturbed.dat",
    "rolling/RFC3D_cube_1.dat",
    "rolling/rfc3d_sphere_from_grfc3d.dat",
    "rolling/rfc3d_sphere_from_grfc3d_dense.dat",
    "rolling/rockfall_14_25792.dat",
};

static bool is_listed(const char* name, const char* const* list, size_t count)
{
    for (size_t k = 0; k < count; ++k)
        if (strcmp(name, list[k]) == 0)
            return true;
    return false;
}

static void test_collection(void** state)
{
    (void)state;
    const TestTable table = collection_table("projection, tolerance 1e-8");
    int32_t wrong = 0;
    for (size_t k = 0; k < sizeof collection / sizeof collection[0]; ++k) {
        const char* name = collection[k].name;
        const char expected = is_listed(name, solved, sizeof solved / sizeof solved[0])      ? 'S'
                              : is_listed(name, refused, sizeof refused / sizeof refused[0]) ? 'R'
                                                                                             : '-';
        wrong += collection_solve(&table, name, "projection", expected);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contact_metric), cmocka_unit_test(test_identity),
        cmocka_unit_test(test_product_metric), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_collection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
