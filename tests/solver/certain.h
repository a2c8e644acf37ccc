// SPDX-License-Identifier: Apache-2.0
// Files of the public collection solved in the siconos norm and judged by independent code.
#ifndef STIC_TEST_SOLVER_CERTAIN_H
#define STIC_TEST_SOLVER_CERTAIN_H

#include "helpers/problem.h"
#include "helpers/residual.h"
#include "helpers/solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stiction/extend/solver.h"

/// What to solve a file with.
typedef struct Certain {
    const char* solver;
    const void* settings; ///< of the method, NULL: defaults
    double tolerance;
    SticNorm norm;
    double mu_factor; ///< every coefficient of friction times this; 0: as it is
    double seconds;   ///< limit
} Certain;

/// How it ended.
typedef struct CertainEnd {
    SticSolveInfo info;
    int32_t contacts;
    double relative, siconos; ///< independent errors
    double floor;             ///< of the relative one
    double r_over_b;
} CertainEnd;

static inline double certain_norm(int32_t n, const double* x)
{
    double sum = 0.0;
    for (int32_t k = 0; k < n; ++k)
        sum += x[k] * x[k];
    return sqrt(sum);
}

/// The first two error measures by independent code.
static inline void certain_judge(const SticProblem* problem, const double* r, CertainEnd* end)
{
    double* u = calloc((size_t)problem->rows + 1, sizeof *u);
    double* b = calloc((size_t)problem->rows + 1, sizeof *b);
    double* zero = calloc((size_t)problem->rows + 1, sizeof *zero);
    assert_true(u != NULL && b != NULL && zero != NULL);
    test_residual_velocity(problem, r, u);
    test_residual_velocity(problem, zero, b);
    const double b_norm = certain_norm(problem->rows, b), r_norm = certain_norm(problem->rows, r);
    const double most = fmax(b_norm, fmax(r_norm, certain_norm(problem->rows, u)));
    end->relative = test_residual_relative(problem, r);
    end->siconos = b_norm > 0.0 ? end->relative * b_norm / most : end->relative;
    end->r_over_b = b_norm > 0.0 ? r_norm / b_norm : 0.0;
    end->floor = end->info.errors.floor;
    free(u);
    free(b);
    free(zero);
}

/// Solve a view; never accepts a wrong "solved".
static inline CertainEnd certain_solve_problem(const SticProblem* problem, const Certain* certain,
                                               double* r)
{
    const SticContext context = stic_context_default();
    CertainEnd end = {.contacts = problem->count};
    double* u = calloc((size_t)problem->rows + 1, sizeof *u);
    assert_non_null(u);
    SticSolveRequest request = test_request(&context, certain->solver);
    request.method_settings = certain->settings;
    request.settings.tolerance = certain->tolerance;
    request.settings.norm = (int32_t)certain->norm;
    request.settings.max_seconds = certain->seconds;
    request.settings.max_iterations = 2000000000;
    const SticStatus status = stic_solve(problem, &request, r, u, &end.info);
    if (status != STIC_OK)
        fail_msg("%s: %s", certain->solver, end.info.error.text);
    certain_judge(problem, r, &end);
    if (end.info.outcome == STIC_OUTCOME_SOLVED) {
        const double got = certain->norm == STIC_NORM_SICONOS ? end.siconos : end.relative;
        // up to the rounding of the independent number
        test_at_most(got, 1.001 * certain->tolerance + 10.0 * end.floor);
    }
    stic_workspace_destroy(request.workspace);
    free(u);
    return end;
}

/// Solve a file of the collection.
static inline CertainEnd certain_solve(const char* name, const Certain* certain)
{
    const SticContext context = stic_context_default();
    char path[TEST_PATH_SIZE];
    test_problem_path(name, path);
    SticProblemStore* store = test_problem_read(&context, path);
    SticProblem problem = *stic_problem_view(store);
    double(*coef)[4] = calloc((size_t)problem.count + 1, sizeof *coef);
    double* r = calloc((size_t)problem.rows + 1, sizeof *r);
    assert_true(coef != NULL && r != NULL);
    for (int32_t i = 0; i < problem.count; ++i) {
        memcpy(coef[i], problem.coef[i], sizeof coef[i]);
        if (certain->mu_factor > 0.0 && problem.law[i] == STIC_LAW_CONE)
            coef[i][0] *= certain->mu_factor;
    }
    problem.coef = (const double(*)[4])coef;
    const CertainEnd end = certain_solve_problem(&problem, certain, r);
    free(coef);
    free(r);
    stic_problem_destroy(store);
    return end;
}

static inline TestTable certain_table(const char* title)
{
    return test_table_begin(title,
                            "problem                                  |contacts|outcome        |"
                            "method          |iterations|factors|ms      |relative|siconos|floor");
}

static inline void certain_row(const TestTable* table, const char* name, const CertainEnd* end)
{
    const char* slash = strchr(name, '/');
    test_table_row(table, "%s|%d|%s|%s|%d|%d|%.2f|%.1e|%.1e|%.1e", slash != NULL ? slash + 1 : name,
                   end->contacts, stic_outcome_name(end->info.outcome), end->info.method,
                   end->info.iterations, end->info.factorisations, 1e3 * end->info.seconds,
                   end->relative, end->siconos, end->floor);
}

/// Files with contacts that take a moment, and a few of each other kind.
static const char* const certain_quick[] = {
    "fc2d/FC2D_SliderCrankLagrangian00000.dat",
    "fc2d/FrictionContactProblem00071.dat",
    "fc2d/FrictionContactProblem00727.dat",
    "fc2d/fc2d_granularflowonwall_00667_00000.dat",
    "fc2d/gfc2d_granularflowonwall_00069_00350.dat",
    "fc3d-global/Box_Stacks-i0122-82-5.hdf5",
    "fc3d-global/GFC3D_OneContact.dat",
    "fc3d-global/Spheres-i099-356-679.hdf5",
    "fc3d-local-dat/Capsules-i100-1090.dat",
    "fc3d-local-dat/Capsules-i101-404.dat",
    "fc3d-local-dat/Confeti-ex03-Fc3D-SBM.dat",
    "fc3d-local-dat/KaplasTower-i1061-4.hdf5.dat.gz",
    "fc3d-local-dat/NESpheres_10_1.dat",
    "fc3d-local-dat/OneObject-i100000-499.hdf5.dat",
    "fc3d-local-dat/Rover1040.dat",
    "fc3d-local-dat/Rover11035.dat",
    "fc3d-local-hdf5/Capsules-i125-1213.hdf5",
    "fc3d-local-hdf5/local_problem_test.hdf5",
};
static const char* const certain_rolling[] = {
    "rolling/Chute-ndof-768-nc-4-3.hdf5", "rolling/RFC3D_cube_1.dat",
    "rolling/RFC3D_sphere_1.dat",         "rolling/rfc3d_sphere_from_grfc3d.dat",
    "rolling/rockfall_14_25792.dat",
};

#define CERTAIN_COUNT(names) (sizeof(names) / sizeof(names)[0])

#endif
