// SPDX-License-Identifier: Apache-2.0
// The frame around every solver: table, refusals, limits, memory, outcomes that never lie.
#include "helpers/problem.h"
#include "helpers/residual.h"
#include "helpers/scenes.h"
#include "helpers/solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/task.h"
#include "stiction/extend/solver.h"

enum { MOST = 4096 };

static SticSolveRequest request_for(const char* name, SticWorkspace* workspace)
{
    SticError error = {0};
    SticSolveRequest request = {.solver = stic_solver_find(name, &error),
                                .settings = test_solve_settings(),
                                .workspace = workspace};
    assert_non_null(request.solver);
    return request;
}

// contacts with a regular W, which every solver of the table takes
static SticProblem regular_problem(SticArena* arena)
{
    SticRandom random = stic_random_create(31);
    const TestProblemDef def = {STIC_LAW_CONE, 30, 3, 0, 0, true};
    return test_problem_random(arena, &random, &def);
}

static void test_table(void** state)
{
    (void)state;
    SticError error = {0};
    int32_t count = 0;
    for (const SticSolver* solver = stic_solver_table; solver->name != NULL; ++solver, ++count) {
        assert_ptr_equal(stic_solver_find(solver->name, &error), solver);
        test_greater(strlen(solver->text), 20);
        assert_true(solver->laws != 0);
        assert_true(solver->run != NULL);
        // defaults are inside their own ranges
        unsigned char settings[512];
        test_at_most(solver->fields->size, sizeof settings);
        stic_fields_default(solver->fields, settings);
        assert_int_equal(stic_fields_check(solver->fields, settings, &error), STIC_OK);
        assert_string_equal(solver->fields->name, solver->name);
        print_message("%-16s %s\n", solver->name, solver->text);
    }
    test_at_least(count, 2);
    assert_null(stic_solver_find("nsgz", &error));
    print_message("%s\n", error.text);
    assert_non_null(strstr(error.text, "did you mean 'nsgs'"));
    for (int k = 0; k < STIC_OUTCOME_COUNT; ++k)
        test_greater(strlen(stic_outcome_name((SticOutcome)k)), 3);
    const SticSolveSettings defaults = stic_solve_default_settings();
    assert_int_equal(stic_fields_check(&stic_solve_fields, &defaults, &error), STIC_OK);
}

// a solver that takes cones only, positive definite ones
static void test_refusals(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticArena* arena = NULL;
    SticRandom random = stic_random_create(1);
    SticError error = {0};
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    SticSolver picky = stic_solver_table[0];
    picky.name = "picky";
    picky.laws = STIC_LAW_BIT(STIC_LAW_CONE);
    const TestProblemDef joints = {STIC_LAW_CONE, 4, 3, 2, 0, false};
    const SticProblem problem = test_problem_random(arena, &random, &joints);
    assert_int_equal(stic_solver_accepts(&picky, &problem, arena, &error), STIC_UNSUPPORTED);
    print_message("%s\n", error.text);
    assert_true(strstr(error.text, "picky") != NULL && strstr(error.text, "free") != NULL);
    // facts: this W is positive definite, that of a stack of boxes is not
    picky.laws = STIC_LAW_ALL;
    picky.facts = STIC_FACT_SYMMETRIC | STIC_FACT_SPD;
    assert_int_equal(stic_solver_accepts(&picky, &problem, arena, &error), STIC_OK);
    Scene scene;
    const SceneDef def = {SCENE_STACK, 3, 0.5, 0.0, 0.0};
    scene_create(&scene, &def);
    assert_int_equal(stic_solver_accepts(&picky, &scene.problem, arena, &error), STIC_UNSUPPORTED);
    print_message("%s\n", error.text);
    assert_true(strstr(error.text, "picky needs a positive definite W") != NULL);
    scene_release(&scene);
    stic_arena_destroy(arena);
}

static void test_bad_requests(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticWorkspace* workspace = NULL;
    SticSolveInfo info;
    double r[3] = {0.0}, u[3];
    Scene scene;
    const SceneDef def = {SCENE_STACK, 3, 0.5, 0.0, 0.0};
    scene_create(&scene, &def);
    double* start = calloc((size_t)scene.problem.rows, sizeof *start);
    double* out = calloc((size_t)scene.problem.rows, sizeof *out);
    assert_int_equal(stic_workspace_create(&context, &workspace), STIC_OK);
    SticSolveRequest request = request_for("nsgs", workspace);
    request.settings.tolerance = -1.0;
    assert_int_equal(stic_solve(&scene.problem, &request, start, out, &info), STIC_BAD_ARGUMENT);
    print_message("%s\n", info.error.text);
    request.settings.tolerance = 1e-8;
    request.settings.warm_start = true;
    start[5] = NAN;
    assert_int_equal(stic_solve(&scene.problem, &request, start, out, &info), STIC_NOT_FINITE);
    print_message("%s\n", info.error.text);
    // a contact whose normal moves nothing
    scene.f[0] = NAN;
    request.settings.warm_start = false;
    assert_int_not_equal(stic_solve(&scene.problem, &request, start, out, &info), STIC_OK);
    print_message("%s\n", info.error.text);
    assert_true(info.error.text[0] != '\0');
    // nothing to solve
    static const int32_t none_at[1] = {0};
    const SticBlockCsr nothing = {
        .row_at = none_at, .col_at = none_at, .begin = none_at, .value_at = (const int64_t[]){0}};
    const SticProblem empty = {.row_at = none_at, .W = &nothing, .b = r};
    assert_int_equal(stic_solve(&empty, &request, r, u, &info), STIC_OK);
    assert_int_equal(info.outcome, STIC_OUTCOME_SOLVED);
    assert_int_equal(info.iterations, 0);
    free(start);
    free(out);
    scene_release(&scene);
    stic_workspace_destroy(workspace);
}

// limits stop where they say, the best r is returned and its error is the one reported
static void test_limits(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    static double r[MOST], u[MOST];
    SticSolveInfo info;
    SticArena* arena = NULL;
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    const SticProblem problem = regular_problem(arena);
    for (const SticSolver* solver = stic_solver_table; solver->name != NULL; ++solver) {
        SticWorkspace* workspace = NULL;
        assert_int_equal(stic_workspace_create(&context, &workspace), STIC_OK);
        SticSolveRequest request = request_for(solver->name, workspace);
        request.settings.max_iterations = 7;
        request.settings.keep_history = true;
        request.settings.tolerance = 1e-12;
        assert_int_equal(stic_solve(&problem, &request, r, u, &info), STIC_OK);
        // one projection is all that this one does
        const bool direct = strcmp(solver->name, "projection") == 0;
        assert_int_equal(info.outcome,
                         direct ? STIC_OUTCOME_STALLED : STIC_OUTCOME_ITERATION_LIMIT);
        assert_int_equal(info.iterations, direct ? 1 : 7);
        test_at_least(info.history_count, 2);
        test_equal(info.history[0].iteration, 0);
        double best = INFINITY;
        for (int32_t k = 0; k < info.history_count; ++k)
            best = fmin(best, info.history[k].error);
        // its answer is the projection even where the start was nearer
        if (direct)
            best = info.history[info.history_count - 1].error;
        test_equal(best, info.errors.relative);
        const double independent = test_residual_relative(&problem, r);
        test_near(independent, info.errors.relative, 1e-12);
        // a solver that says "solved" has an error that passes, in each norm
        for (int norm = STIC_NORM_RELATIVE; norm <= STIC_NORM_UNIT_FREE; ++norm) {
            request.settings.norm = norm;
            request.settings.tolerance = 1e-6;
            request.settings.max_iterations = 20000;
            request.settings.max_seconds = 5.0;
            assert_int_equal(stic_solve(&problem, &request, r, u, &info), STIC_OK);
            const double error = stic_errors_get(&info.errors, (SticNorm)norm);
            print_message("%-16s norm %d: %-16s %6d iterations, %4d checks, error %.2e\n",
                          solver->name, norm, stic_outcome_name(info.outcome), info.iterations,
                          info.checks, error);
            assert_int_equal(info.outcome == STIC_OUTCOME_SOLVED, error <= 1e-6);
        }
        // starting at the answer takes no iteration
        request.settings.warm_start = true;
        if (info.outcome == STIC_OUTCOME_SOLVED) {
            assert_int_equal(stic_solve(&problem, &request, r, u, &info), STIC_OK);
            assert_int_equal(info.outcome, STIC_OUTCOME_SOLVED);
            assert_int_equal(info.iterations, 0);
        }
        // from 0: an answer at its floor counts as solved whatever is asked
        request.settings.warm_start = false;
        request.settings.max_seconds = 1e-9;
        request.settings.tolerance = 0.0;
        assert_int_equal(stic_solve(&problem, &request, r, u, &info), STIC_OK);
        assert_int_equal(info.outcome, STIC_OUTCOME_TIME_LIMIT);
        stic_workspace_destroy(workspace);
    }
    stic_arena_destroy(arena);
}

// the number of allocations does not depend on the iterations, and a second solve makes none
static void test_allocations(void** state)
{
    (void)state;
    static double r[MOST], u[MOST];
    SticSolveInfo info;
    SticArena* arena = NULL;
    const SticContext plain = stic_context_default();
    assert_int_equal(stic_arena_create(&plain, 0, &arena), STIC_OK);
    const SticProblem problem = regular_problem(arena);
    for (const SticSolver* solver = stic_solver_table; solver->name != NULL; ++solver) {
        int64_t calls[2];
        for (int k = 0; k < 2; ++k) {
            TestMemory memory;
            const SticContext context = test_memory_context(&memory);
            SticWorkspace* workspace = NULL;
            assert_int_equal(stic_workspace_create(&context, &workspace), STIC_OK);
            SticSolveRequest request = request_for(solver->name, workspace);
            request.settings.tolerance = 0.0;
            request.settings.max_iterations = k == 0 ? 1 : 60;
            request.settings.keep_history = k == 1;
            assert_int_equal(stic_solve(&problem, &request, r, u, &info), STIC_OK);
            calls[k] = memory.calls;
            assert_int_equal(stic_solve(&problem, &request, r, u, &info), STIC_OK);
            assert_int_equal(memory.calls, calls[k]);
            stic_workspace_destroy(workspace);
            test_memory_check(&memory);
        }
        print_message(
            "%-16s %lld allocations with 1 and with 60 iterations, 0 in the second solve\n",
            solver->name, (long long)calls[0]);
        assert_int_equal(calls[0], calls[1]);
    }
    stic_arena_destroy(arena);
}

typedef struct Failing {
    const SticProblem* problem;
    const char* solver;
    double *r, *u;
} Failing;

static SticStatus solve_once(const SticContext* context, void* self)
{
    const Failing* failing = self;
    SticWorkspace* workspace = NULL;
    SticSolveInfo info;
    STIC_TRY(stic_workspace_create(context, &workspace));
    SticSolveRequest request = request_for(failing->solver, workspace);
    request.settings.max_iterations = 3;
    const SticStatus status = stic_solve(failing->problem, &request, failing->r, failing->u, &info);
    if (status != STIC_OK && info.error.status != status)
        fail_msg("status %s, error says %s", stic_status_name(status),
                 stic_status_name(info.error.status));
    stic_workspace_destroy(workspace);
    return status;
}

static void test_memory(void** state)
{
    (void)state;
    static double r[MOST], u[MOST];
    SticArena* arena = NULL;
    const SticContext context = stic_context_default();
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    const SticProblem problem = regular_problem(arena);
    for (const SticSolver* solver = stic_solver_table; solver->name != NULL; ++solver) {
        Failing failing = {&problem, solver->name, r, u};
        test_greater(test_fail_every_allocation(solve_once, &failing), 3);
    }
    stic_arena_destroy(arena);
}

// a problem without a solution (contact pressed into a wall that cannot give way) is never solved
static void test_no_solution(void** state)
{
    (void)state;
    // u_1 = r_1 - r_2 - 1, u_2 = -r_1 + r_2 - 1: both cannot be >= 0
    static const double W[4] = {1.0, -1.0, -1.0, 1.0}, b[2] = {-1.0, -1.0};
    static const int32_t at[3] = {0, 1, 2};
    static const uint8_t law[2] = {STIC_LAW_NONNEG, STIC_LAW_NONNEG};
    static const double coef[2][4] = {{0.0}};
    const SticContext context = stic_context_default();
    SticArena* arena = NULL;
    SticBlockCsr A;
    const SticPartition partition = {2, 2, at, at};
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    assert_int_equal(stic_block_csr_from_dense(&partition, W, arena, &A), STIC_OK);
    const SticProblem problem = {
        .count = 2, .rows = 2, .row_at = at, .law = law, .coef = coef, .W = &A, .b = b};
    for (const SticSolver* solver = stic_solver_table; solver->name != NULL; ++solver) {
        SticWorkspace* workspace = NULL;
        SticSolveInfo info;
        double r[2], u[2];
        assert_int_equal(stic_workspace_create(&context, &workspace), STIC_OK);
        SticSolveRequest request = request_for(solver->name, workspace);
        for (int norm = STIC_NORM_RELATIVE; norm <= STIC_NORM_UNIT_FREE; ++norm) {
            request.settings.norm = norm;
            const SticStatus status = stic_solve(&problem, &request, r, u, &info);
            if (status != STIC_OK) {
                // W is singular, which some methods refuse
                assert_int_equal(status, STIC_UNSUPPORTED);
                print_message("%s\n", info.error.text);
                break;
            }
            print_message("%-16s norm %d: %-16s after %d iterations, errors %.1e %.1e %.1e\n",
                          solver->name, norm, stic_outcome_name(info.outcome), info.iterations,
                          info.errors.relative, info.errors.siconos, info.errors.unit_free);
            assert_int_not_equal(info.outcome, STIC_OUTCOME_SOLVED);
        }
        stic_workspace_destroy(workspace);
    }
    stic_arena_destroy(arena);
}

// One contact of a mass m that moves with b has r = m (1, -0.3, -0.4) in any unit of mass. Default
// settings never call another answer solved, and what solves it for one mass does for all of them.
static void test_units(void** state)
{
    (void)state;
    static const double masses[] = {1.0, 1e-9, 1e9}, b[3] = {-1.0, 3.0, 4.0};
    static const double exact[3] = {1.0, -0.3, -0.4};
    static const double coef[1][4] = {{0.5}};
    static const int32_t at[2] = {0, 3};
    static const uint8_t law[1] = {STIC_LAW_CONE};
    const SticContext context = stic_context_default();
    const SticPartition partition = {1, 1, at, at};
    SticArena* arena = NULL;
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    for (const SticSolver* solver = stic_solver_table; solver->name != NULL; ++solver) {
        bool solved[3];
        for (int k = 0; k < 3; ++k) {
            const double m = masses[k], W[9] = {1.0 / m, 0, 0, 0, 1.0 / m, 0, 0, 0, 1.0 / m};
            SticBlockCsr A;
            SticWorkspace* workspace = NULL;
            SticSolveInfo info;
            double r[3], u[3], off = 0.0;
            assert_int_equal(stic_block_csr_from_dense(&partition, W, arena, &A), STIC_OK);
            const SticProblem problem = {
                .count = 1, .rows = 3, .row_at = at, .law = law, .coef = coef, .W = &A, .b = b};
            assert_int_equal(stic_workspace_create(&context, &workspace), STIC_OK);
            SticSolveRequest request = request_for(solver->name, workspace);
            request.settings = stic_solve_default_settings();
            assert_int_equal(stic_solve(&problem, &request, r, u, &info), STIC_OK);
            for (int a = 0; a < 3; ++a)
                off = fmax(off, fabs(r[a] / m - exact[a]));
            solved[k] = info.outcome == STIC_OUTCOME_SOLVED;
            print_message("%-16s m = %-5.0e %-16s off by %.1e, errors %.1e %.1e\n", solver->name, m,
                          stic_outcome_name(info.outcome), off, info.errors.relative,
                          info.errors.unit_free);
            // the unit-free error is the defect over |b| = 5.1 here, to a factor of about 1
            if (solved[k])
                test_at_most(off, 1e-7);
            // no measure takes an answer for a solution whose defect is of the size of b
            for (int norm = STIC_NORM_RELATIVE; norm < STIC_NORM_UNIT_FREE; ++norm) {
                request.settings.norm = norm;
                assert_int_equal(stic_solve(&problem, &request, r, u, &info), STIC_OK);
                if (info.outcome == STIC_OUTCOME_SOLVED)
                    test_at_most(info.errors.unit_free, 0.1);
            }
            stic_workspace_destroy(workspace);
        }
        assert_int_equal(solved[1], solved[0]);
        assert_int_equal(solved[2], solved[0]);
    }
    stic_arena_destroy(arena);
}

// checks are spaced by the iterations of a stage, so that thousands of sweeps before do not leave a
// short one unseen, and the last iterate of a stage is judged, which is where Newton's best may be
static void test_stage_checks(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticArena* arena = NULL;
    SticWorkspace* workspace = NULL;
    SticSolveTask task;
    SticSolveInfo info = {0};
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    const SticProblem problem = regular_problem(arena);
    assert_int_equal(stic_workspace_create(&context, &workspace), STIC_OK);
    SticSolveRequest request = request_for("nsgs", workspace);
    request.settings.max_iterations = 1000000;
    double r[MOST] = {0.0};
    assert_int_equal(stic_task_begin(&task, &request, &problem, r, &info), STIC_OK);
    // an iteration costs as much as eight checks
    const double work = 8.0 * stic_gauge_work(task.gauge);
    for (int32_t k = 0; k < 20000; ++k)
        assert_true(stic_task_next(&task, task.r, work, -1.0));
    const int32_t before = info.checks;
    stic_task_stage(&task, 100, 0);
    int32_t done = 1;
    while (stic_task_next(&task, task.r, work, -1.0))
        done += 1;
    print_message("%d checks of 20000 iterations, %d of the stage of %d after them\n", before,
                  info.checks - before, done);
    assert_int_equal(done, 100);
    // 1, 2, …, 20 iterations apart is no more than one by one, then a twentieth of what was done
    test_greater(info.checks - before, 20);
    assert_int_equal(task.last_check, info.iterations);
    stic_workspace_destroy(workspace);
    stic_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_bad_requests), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_allocations),  cmocka_unit_test(test_memory),
        cmocka_unit_test(test_no_solution),  cmocka_unit_test(test_units),
        cmocka_unit_test(test_stage_checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
