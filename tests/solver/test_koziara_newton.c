// SPDX-License-Identifier: Apache-2.0
// koziara-newton: one contact with known reactions, every law against nsgs, the CUBE problems with
// the numbers of steps of the thesis' study, singular systems, the public collection.
#include "certain.h"
#include "collection.h"
#include "helpers/cubes.h"
#include "helpers/helpers.h"
#include "large.h"
#include "laws.h"
#include "run.h"
#include "stiction/extend/law.h"

// where the defaults depart from table 2 of the thesis
#define THESIS "shortest=0.034 patience=0"

static const char* const variants[] = {"variant=newt", "variant=hyb", "variant=fix"};

/* ---- one contact ---- */

// Koziara's thesis, fig. 10.3.3: W_ii = 0.8, W_ij = 0.4, b_N = -2; slip for mu = 0.1 and stick for
// mu = 0.9 with the reactions that the equations give
static void test_one_contact(void** state)
{
    (void)state;
    static const double W_value[9] = {0.8, 0.4, 0.4, 0.4, 0.8, 0.4, 0.4, 0.4, 0.8};
    static const double b[3] = {-2.0, 0.0, 0.0};
    static const double expected[2][3] = {{2.690227834, -0.190227834, -0.190227834},
                                          {3.75, -1.25, -1.25}};
    static const int32_t row_at[2] = {0, 3}, begin[2] = {0, 1}, col[1] = {0};
    static const int64_t value_at[2] = {0, 9};
    static const uint8_t law[1] = {STIC_LAW_CONE};
    static Run run;
    const SticContext context = stic_context_default();
    const SticBlockCsr W = {1, 1, row_at, row_at, begin, col, value_at, W_value};
    for (int k = 0; k < 2; ++k) {
        const double coef[1][4] = {{k == 0 ? 0.1 : 0.9}};
        const SticProblem problem = {
            .count = 1, .rows = 3, .row_at = row_at, .law = law, .coef = coef, .W = &W, .b = b};
        for (int variant = 0; variant < 3; ++variant) {
            // FIX ends at a relative change of 1e-10
            run_solver(&context, &problem, "koziara-newton", variants[variant],
                       variant < 2 ? 1e-13 : 1e-10, &run);
            print_message("mu %.1f %s: %d steps, r = %.9f %.9f %.9f\n", coef[0][0],
                          variants[variant], run.info.iterations, run.r[0], run.r[1], run.r[2]);
            assert_int_equal(run.info.outcome, STIC_OUTCOME_SOLVED);
            // nine digits are given
            for (int row = 0; row < 3; ++row)
                test_less(fabs(run.r[row] - expected[k][row]), 1e-9);
        }
    }
}

/* ---- every law ---- */

static void test_laws(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(6);
    static Run reference, run;
    const TestTable table = test_table_begin(
        "random problems with regular W, tolerance 1e-11, FIX 1e-9",
        "law             |rows|variant     |steps|outcome        |error  |reactions differ by");
    for (size_t k = 0; k < sizeof law_cases / sizeof law_cases[0]; ++k) {
        SticArena* arena = NULL;
        if (law_cases[k].law == STIC_LAW_CONTENSOU || law_cases[k].law == STIC_LAW_CONE_CONTENSOU)
            continue;
        assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
        const SticProblem problem = law_case_problem(arena, &random, &law_cases[k], 15);
        run_solver(&context, &problem, "nsgs", "", 1e-12, &reference);
        assert_int_equal(reference.info.outcome, STIC_OUTCOME_SOLVED);
        for (int variant = 0; variant < 3; ++variant) {
            run_solver(&context, &problem, "koziara-newton", variants[variant],
                       variant < 2 ? 1e-11 : 1e-9, &run);
            double apart = 0.0;
            for (int32_t row = 0; row < problem.rows; ++row)
                apart = test_worse(apart, fabs(run.r[row] - reference.r[row]));
            test_table_row(&table, "%s|%d|%s|%d|%s|%.1e|%.1e", stic_law_name(law_cases[k].law),
                           law_cases[k].rows, variants[variant] + 8, run.info.iterations,
                           stic_outcome_name(run.info.outcome), run.info.errors.relative, apart);
            assert_int_equal(run.info.outcome, STIC_OUTCOME_SOLVED);
            // condition number 30 times the tolerance, |b| up to 6
            test_less(apart, (variant < 2 ? 1e-8 : 1e-6));
        }
        stic_arena_destroy(arena);
    }
}

// joints between contacts, local and global form, shifts; the other units and merit
static void test_random(void** state)
{
    (void)state;
    large_random("koziara-newton", "");
    large_random("koziara-newton", "units=scaled");
    large_random("koziara-newton", "merit=projection");
}

// a law whose rows have another form is refused with a sentence
static void test_refused(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(6);
    SticArena* arena = NULL;
    SticError error = {0};
    const LawCase contensou = {STIC_LAW_CONE_CONTENSOU, 4, {0.5, 0.0, 0.0, 0.4}, false};
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    const SticProblem problem = law_case_problem(arena, &random, &contensou, 2);
    const SticSolver* solver = stic_solver_find("koziara-newton", &error);
    assert_int_equal(stic_solver_accepts(solver, &problem, arena, &error), STIC_UNSUPPORTED);
    assert_non_null(strstr(error.text, "koziara-newton does not handle the law 'cone-contensou'"));
    stic_arena_destroy(arena);
}

/* ---- CUBE ---- */

enum { MOST_ROWS = 3 * 931 };

typedef struct Study {
    SticWorkspace* workspace;
    SticSolveInfo info;
    double r[MOST_ROWS], u[MOST_ROWS];
} Study;

// steps until |dR| <= 1e-10 |R| as the thesis counts them: with the siconos norm, which has no
// floor, the recomputed error never ends the iteration; 0 if it did not converge
static int32_t count_steps(Study* study, const SticProblem* problem, const char* text, bool warm)
{
    TestSettings settings;
    SticSolveRequest request = {.solver = stic_solver_find("koziara-newton", NULL),
                                .settings = test_solve_settings(),
                                .method_settings = settings.bytes,
                                .workspace = study->workspace};
    test_settings(request.solver, text, &settings);
    request.settings.tolerance = 0.0;
    request.settings.norm = STIC_NORM_SICONOS;
    request.settings.warm_start = warm;
    assert_int_equal(stic_solve(problem, &request, study->r, study->u, &study->info), STIC_OK);
    // solved to 0: the recomputed error vanished
    const bool converged =
        study->info.outcome == STIC_OUTCOME_STALLED || study->info.outcome == STIC_OUTCOME_SOLVED;
    return converged ? study->info.iterations : 0;
}

// 1-norm condition number of W by its factor
static double condition_of(const SticProblem* problem)
{
    const SticContext context = stic_context_default();
    SticArena* arena = NULL;
    SticProblem local;
    SticError error = {0};
    SticSymbolic* symbolic = NULL;
    SticFactor* factor = NULL;
    SticFactorInfo info;
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    assert_int_equal(stic_problem_condense(arena, problem, &local, &error), STIC_OK);
    assert_int_equal(stic_symbolic_create(&context, local.W, STIC_ORDERING_AMD, &symbolic, &error),
                     STIC_OK);
    assert_int_equal(stic_factor_create(symbolic, STIC_FACTOR_LDL, &factor, &error), STIC_OK);
    assert_int_equal(stic_factor_compute(factor, local.W, NULL, &info), STIC_OK);
    const double condition = stic_factor_condition(factor, local.W);
    stic_factor_destroy(factor);
    stic_symbolic_destroy(symbolic);
    stic_arena_destroy(arena);
    return condition;
}

typedef struct CubeRun {
    int32_t size;
    const char* settings;
    int32_t steps[3]; // for mu = 1/3, 2/3, 1; 0: does not converge, -1: not stated
} CubeRun;

// An independent implementation with dense LU in the order T, T, N gave these numbers, among them
// the published 10/9/8 and 20/12/11 of HYB with the non-monotone search. NEWT depends on rounding:
// it cycles through contact states for hundreds of steps, and whether and when it gets out is not
// reproducible between two correct implementations (641 steps or failure there, 52 or failure in
// another one).
static const CubeRun cube_runs[] = {
    {3, "variant=hyb search=nonmonotone", {10, 9, 8}},
    {3, "variant=hyb search=armijo " THESIS, {63, 14, 50}},
    {3, "variant=fix", {139, 60, 37}},
    {3, "variant=newt search=armijo", {-1, -1, -1}},
    {3, "variant=newt search=nonmonotone", {0, 0, 0}},
    {3, "variant=hyb units=scaled merit=projection", {-1, -1, -1}},
    {5, "variant=hyb search=nonmonotone", {20, 12, 11}},
    {7, "variant=hyb search=nonmonotone", {-1, -1, -1}},
};

static void test_cube_first_run(void** state)
{
    (void)state;
    static Study study;
    const SticContext context = stic_context_default();
    SticError error = {0};
    assert_int_equal(stic_workspace_create(&context, &study.workspace), STIC_OK);
    const TestTable table =
        test_table_begin("CUBE, first increment from R = U = 0",
                         "cubes|settings                                 |mu   |steps|expected|"
                         "relative|independent");
    int32_t wrong = 0;
    for (size_t k = 0; k < sizeof cube_runs / sizeof cube_runs[0]; ++k)
        for (int m = 0; m < 3; ++m) {
            Cubes cubes;
            assert_int_equal(
                cubes_create(&context, cube_runs[k].size, (m + 1) / 3.0, &cubes, &error), STIC_OK);
            const int32_t expected = cube_runs[k].steps[m];
            const int32_t steps = count_steps(&study, &cubes.problem, cube_runs[k].settings, false);
            const double independent = test_residual_relative(&cubes.problem, study.r);
            test_table_row(&table, "%d|%s|%.3f|%d|%d|%.1e|%.1e", cubes.bodies,
                           cube_runs[k].settings, (m + 1) / 3.0, steps, expected,
                           study.info.errors.relative, independent);
            // the changes that FIX looks at are within a condition number of 2e7 of rounding
            const int32_t slack = strstr(cube_runs[k].settings, "fix") != NULL ? 1 : 0;
            wrong += expected >= 0 && abs(steps - expected) > slack;
            // HYB never fails
            assert_true(steps > 0 || strstr(cube_runs[k].settings, "hyb") == NULL);
            // |r| is 1e4 |b| here; FIX, which converges linearly, has no digits beyond its 1e-10
            // |r|
            if (steps > 0)
                test_less(independent,
                          (strstr(cube_runs[k].settings, "fix") != NULL ? 1e-5 : 1e-10));
            cubes_release(&cubes);
        }
    stic_workspace_destroy(study.workspace);
    assert_int_equal(wrong, 0);
}

// mu = 0: the active set of UNIL; condition numbers of table 13.3.1, estimates with one digit as
// ours are
static void test_cube_frictionless(void** state)
{
    (void)state;
    static Study study;
    static const double condition[3] = {2e7, 5e7, 9e7};
    const SticContext context = stic_context_default();
    SticError error = {0};
    assert_int_equal(stic_workspace_create(&context, &study.workspace), STIC_OK);
    for (int k = 0; k < 3; ++k) {
        Cubes cubes;
        assert_int_equal(cubes_create(&context, 3 + 2 * k, 0.0, &cubes, &error), STIC_OK);
        const int32_t steps = count_steps(&study, &cubes.problem, "variant=unil", false);
        const double got = condition_of(&cubes.problem);
        const double independent = test_residual_relative(&cubes.problem, study.r);
        print_message("CUBE%d: %d contacts, condition number %.3g, UNIL %d steps, error %.1e\n",
                      k + 1, cubes.contacts, got, steps, independent);
        assert_int_equal(cubes.contacts, k == 0 ? 63 : k == 1 ? 325 : 931);
        test_near(got, condition[k], 0.5e7);
        assert_int_equal(steps, 2);
        test_less(independent, 1e-8);
        cubes_release(&cubes);
    }
    stic_workspace_destroy(study.workspace);
}

typedef struct CubeSequence {
    int32_t size, increments;
    double mu, low, high; // mean of the steps
} CubeSequence;

// increments from the solution before: the independent implementation, which starts from W R + b,
// has means of 2.2, 2.1, 2.0 over 100 increments of CUBE1, and 7 to 8 over 10 of CUBE2; none fails
static const CubeSequence sequences[] = {
    {3, 100, 1.0 / 3.0, 2.15, 2.25}, {3, 100, 2.0 / 3.0, 2.05, 2.15}, {3, 100, 1.0, 1.95, 2.05},
    {5, 10, 1.0 / 3.0, 6.5, 8.5},    {5, 10, 2.0 / 3.0, 6.5, 8.5},    {5, 10, 1.0, 6.5, 8.5},
};

static void test_cube_increments(void** state)
{
    (void)state;
    static Study study;
    const SticContext context = stic_context_default();
    SticError error = {0};
    assert_int_equal(stic_workspace_create(&context, &study.workspace), STIC_OK);
    for (size_t k = 0; k < sizeof sequences / sizeof sequences[0]; ++k) {
        const CubeSequence* sequence = &sequences[k];
        const bool fresh = k == 0 || sequence->size != sequences[k - 1].size;
        Cubes cubes;
        int32_t sum = 0, most = 0;
        double worst = 0.0;
        assert_int_equal(cubes_create(&context, sequence->size, sequence->mu, &cubes, &error), 0);
        for (int32_t increment = 0; increment < sequence->increments; ++increment) {
            const int32_t steps =
                count_steps(&study, &cubes.problem, "start=velocity " THESIS, increment > 0);
            // one analysis for all increments
            assert_int_equal(study.info.analyses, increment == 0 && fresh ? 1 : 0);
            if (steps == 0)
                fail_msg("increment %d: %s after %d", increment,
                         stic_outcome_name(study.info.outcome), study.info.iterations);
            sum += steps;
            most = steps > most ? steps : most;
            worst = test_worse(worst, test_residual_relative(&cubes.problem, study.r));
            assert_int_equal(cubes_advance(&cubes, study.r, &error), STIC_OK);
        }
        const double mean = (double)sum / sequence->increments;
        print_message(
            "%d cubes, mu %.3f: mean %.2f steps over %d increments, most %d, error %.1e\n",
            cubes.bodies, sequence->mu, mean, sequence->increments, most, worst);
        test_greater(mean, sequence->low);
        test_less(mean, sequence->high);
        test_less(worst, 1e-10);
        cubes_release(&cubes);
    }
    stic_workspace_destroy(study.workspace);
}

/* ---- singular systems ---- */

// stacked boxes with four points per face: the systems of closed contacts are singular
static void test_singular(void** state)
{
    (void)state;
    static Run run;
    const SticContext context = stic_context_default();
    char path[TEST_PATH_SIZE];
    test_problem_path("fc3d-global/Box_Stacks-i0122-82-5.hdf5", path);
    SticProblemStore* store = test_problem_read(&context, path);
    const SticProblem* problem = stic_problem_view(store);
    run_solver(&context, problem, "koziara-newton", "", 1e-8, &run);
    print_message("82 contacts of boxes: %s after %d steps, %d systems regularised\n",
                  stic_outcome_name(run.info.outcome), run.info.iterations,
                  (int)run.info.fallbacks);
    assert_int_equal(run.info.outcome, STIC_OUTCOME_SOLVED);
    test_greater(run.info.fallbacks, 0);
    test_less(test_residual_relative(problem, run.r), 1.001e-8);
    run_solver(&context, problem, "koziara-newton", "regularise=0", 1e-8, &run);
    print_message("without: %s\n", stic_outcome_name(run.info.outcome));
    assert_int_equal(run.info.outcome, STIC_OUTCOME_BROKE_DOWN);
    stic_problem_destroy(store);
}

/* ---- the public collection ---- */

// what the method does not solve at 1e-8, with the reason
static const char* const unsolved[] = {
    // hyperstatic: the regularised steps do not find the contact states
    "fc2d/FrictionContactProblem00727.dat",
    "fc3d-local-dat/Capsules-i103-990.dat",
    "fc3d-local-dat/RockPile_tob1.dat.gz",
    // W has no diagonal to regularise with
    "lcp/lcp_CPS_2.dat",
    "lcp/lcp_Pang_isolated_sol.dat",
    "lcp/lcp_Pang_isolated_sol_perturbed.dat",
    "lcp/lcp_enum_fails.dat",
    "lcp/lcp_inf_sol_perturbed.dat",
};

static void test_collection(void** state)
{
    (void)state;
    const TestTable table = collection_table("koziara-newton, tolerance 1e-8");
    int32_t wrong = 0;
    for (size_t k = 0; k < sizeof collection / sizeof collection[0]; ++k) {
        char expected = 'S';
        for (size_t j = 0; j < sizeof unsolved / sizeof unsolved[0]; ++j)
            if (strcmp(unsolved[j], collection[k].name) == 0)
                expected = '-';
        wrong += collection_solve(&table, collection[k].name, "koziara-newton", expected);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_contact),     cmocka_unit_test(test_laws),
        cmocka_unit_test(test_random),          cmocka_unit_test(test_refused),
        cmocka_unit_test(test_cube_first_run),  cmocka_unit_test(test_cube_frictionless),
        cmocka_unit_test(test_cube_increments), cmocka_unit_test(test_singular),
        cmocka_unit_test(test_collection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
