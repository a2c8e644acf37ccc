// SPDX-License-Identifier: Apache-2.0
// Random problems, solved with every one of some settings: the error again by independent code, and
// the velocities of nsgs.
#ifndef STIC_TEST_SOLVER_RANDOMS_H
#define STIC_TEST_SOLVER_RANDOMS_H

#include "helpers/problem.h"
#include "helpers/residual.h"
#include "run.h"

#include <math.h>

/// A kind of random problem.
typedef struct RandomCase {
    const char* name;
    TestProblemDef def;
} RandomCase;

/// Which problems, by which solver; both lists end with a NULL name.
typedef struct RandomPlan {
    const char* solver;
    const RandomCase* cases;
    uint64_t seed;
    const char* const* settings;
} RandomPlan;

/// One problem with one text of settings, to 1e-10; `reference` is that of nsgs.
static inline void random_solve(const SticProblem* problem, const char* name, const char* solver,
                                const char* settings, const Run* reference, const TestTable* table)
{
    const SticContext context = stic_context_default();
    static Run run;
    run_solver(&context, problem, solver, settings, 1e-10, &run);
    const double independent = test_residual_relative(problem, run.r);
    test_table_row(table, "%s|%s|%d|%.1e|%.1e", name, settings, run.info.iterations,
                   run.info.errors.relative, independent);
    assert_int_equal(run.info.outcome, STIC_OUTCOME_SOLVED);
    // the independent number has its own rounding, 1e-16 |r| / |b|
    test_near(independent, run.info.errors.relative, 1e-13);
    // velocities depend neither on the method nor on how the problem is written down
    double apart = 0.0;
    for (int32_t a = 0; a < problem->rows; ++a)
        apart = test_worse(apart, fabs(run.u[a] - reference->u[a]));
    test_less(apart, 1e-6);
}

/// All problems of a plan with all its settings.
static inline void random_solve_all(const RandomPlan* plan)
{
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(plan->seed);
    char title[128];
    snprintf(title, sizeof title, "%s on random problems, tolerance 1e-10", plan->solver);
    const TestTable table =
        test_table_begin(title, "problem                        |settings                      "
                                "           |iterations|error  |independent");
    for (const RandomCase* one = plan->cases; one->name != NULL; ++one) {
        SticArena* arena = NULL;
        SticProblemStore* store = NULL;
        assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
        const SticProblem made = test_problem_random(arena, &random, &one->def);
        // a copy has the inverse blocks of M
        assert_int_equal(stic_problem_copy(&context, &made, &store), STIC_OK);
        const SticProblem* problem = stic_problem_view(store);
        static Run reference;
        run_solver(&context, problem, "nsgs", "", 1e-10, &reference);
        for (const char* const* settings = plan->settings; *settings != NULL; ++settings)
            random_solve(problem, one->name, plan->solver, *settings, &reference, &table);
        stic_problem_destroy(store);
        stic_arena_destroy(arena);
    }
}

#endif
