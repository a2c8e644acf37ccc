// SPDX-License-Identifier: Apache-2.0
// Large coefficients of friction. auto solves RockPile_tob1 with up to 15 times its friction, in
// both norms. By continuation, from a solution with less friction in steps that grow and shrink,
// each by prox-newton from the last solution, RockPile_tob1 reaches five times its friction; the
// branch of FrictionContactProblem00727 runs to infinite reactions at 1.144 times. The
// continuations are printed as CSV, stored in docs/theory/friction-continuation.csv.
#include "certain.h"
#include "helpers/helpers.h"
#include "helpers/solve.h"

#include <stdio.h>

typedef struct Path {
    SticProblem problem;
    const double (*whole)[4];
    double (*coef)[4];
    double *r, *u, *good;
    SticWorkspace* workspace;
    const char* start; // solver of the first one
    double factor;     // of the last solution
} Path;

static SticOutcome solve_at(Path* path, const char* name, double factor, SticSolveInfo* info)
{
    SticError error = {0};
    const bool first = path->factor == 0.0;
    const SticSolver* solver = stic_solver_find(first ? path->start : "prox-newton", &error);
    unsigned char settings[512];
    test_at_most(solver->fields->size, sizeof settings);
    stic_fields_default(solver->fields, settings);
    // solutions are many: of the starts that were tried, the branch from this map's reaches the end
    if (first && strcmp(path->start, "prox-newton") == 0)
        assert_int_equal(
            stic_fields_set(solver->fields, settings, "map", "fischer-burmeister", &error), 0);
    if (!first)
        assert_int_equal(stic_fields_set(solver->fields, settings, "outer_steps", "300", &error),
                         0);
    SticSolveRequest request = {.solver = solver,
                                .settings = test_solve_settings(),
                                .method_settings = settings,
                                .workspace = path->workspace};
    request.settings.warm_start = path->factor > 0.0;
    for (int32_t i = 0; i < path->problem.count; ++i) {
        memcpy(path->coef[i], path->whole[i], sizeof path->coef[i]);
        path->coef[i][0] *= factor;
    }
    memcpy(path->r, path->good, (size_t)path->problem.rows * sizeof *path->r);
    assert_int_equal(stic_solve(&path->problem, &request, path->r, path->u, info), STIC_OK);
    printf("%s,%.5f,%s,%.2e,%d\n", name, factor, stic_outcome_name(info->outcome),
           info->errors.relative, info->factorisations);
    return info->outcome;
}

// the largest factor reached
static double follow(const char* file, const char* start, double from, double to)
{
    const char* slash = strchr(file, '/');
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(slash + 1, "."), slash + 1);
    const SticContext context = stic_context_default();
    char full[TEST_PATH_SIZE];
    test_problem_path(file, full);
    SticProblemStore* store = test_problem_read(&context, full);
    Path path = {.problem = *stic_problem_view(store), .start = start};
    const size_t rows = (size_t)path.problem.rows;
    path.whole = path.problem.coef;
    path.coef = calloc((size_t)path.problem.count, sizeof *path.coef);
    path.r = calloc(rows, sizeof(double));
    path.u = calloc(rows, sizeof(double));
    path.good = calloc(rows, sizeof(double));
    assert_true(path.coef != NULL && path.r != NULL && path.u != NULL && path.good != NULL);
    path.problem.coef = (const double(*)[4])path.coef;
    assert_int_equal(stic_workspace_create(&context, &path.workspace), STIC_OK);
    double step = 0.1 * from, next = from;
    printf("problem,mu_factor,outcome,error_relative,factorisations\n");
    for (int32_t k = 0; k < 200 && step >= 1e-5 && path.factor < to; ++k) {
        SticSolveInfo info;
        const bool first = path.factor == 0.0;
        if (solve_at(&path, name, next, &info) == STIC_OUTCOME_SOLVED) {
            memcpy(path.good, path.r, rows * sizeof(double));
            path.factor = next;
            test_at_most(test_residual_relative(&path.problem, path.r), 1.001e-8);
            step *= first ? 1.0 : 1.5;
        } else {
            step *= 0.25;
        }
        next = fmin(path.factor + step, to);
    }
    const double reached = path.factor;
    stic_workspace_destroy(path.workspace);
    stic_problem_destroy(store);
    free(path.coef);
    free(path.r);
    free(path.u);
    free(path.good);
    return reached;
}

static void test_rock_pile(void** state)
{
    (void)state;
    const double reached = follow("fc3d-local-dat/RockPile_tob1.dat.gz", "prox-newton", 2.0, 5.0);
    test_equal(reached, 5.0);
}

// two eigenvalues of W are negative (-5e-8), so that no theorem promises a solution
static void test_pole(void** state)
{
    (void)state;
    const double reached = follow("fc2d/FrictionContactProblem00727.dat", "auto", 1.0, 2.0);
    test_greater(reached, 1.1441);
    test_less(reached, 1.1443);
}

// no limit of time: the rungs of auto count factorisations
static void test_auto(void** state)
{
    (void)state;
    static const double factors[] = {2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0};
    static const SticNorm norms[] = {STIC_NORM_SICONOS, STIC_NORM_RELATIVE};
    for (size_t n = 0; n < CERTAIN_COUNT(norms); ++n) {
        const TestTable table =
            certain_table(n == 0 ? "auto, friction of RockPile_tob1 multiplied, siconos norm 1e-8"
                                 : "the same, relative norm 1e-8");
        for (size_t f = 0; f < CERTAIN_COUNT(factors); ++f) {
            const Certain certain = {
                .solver = "auto", .tolerance = 1e-8, .norm = norms[n], .mu_factor = factors[f]};
            char name[32];
            const CertainEnd end = certain_solve("fc3d-local-dat/RockPile_tob1.dat.gz", &certain);
            snprintf(name, sizeof name, "RockPile_tob1 x %g", factors[f]);
            certain_row(&table, name, &end);
            assert_int_equal(end.info.outcome, STIC_OUTCOME_SOLVED);
            test_at_most((n == 0 ? end.siconos : end.relative), 1.001e-8);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_auto), cmocka_unit_test(test_pole),
                                       cmocka_unit_test(test_rock_pile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
