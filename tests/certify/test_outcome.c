// SPDX-License-Identifier: Apache-2.0
// Outcomes of solves that failed: "no solution exists" is said of problems that have none, by the
// formulas of Acary and Cadoux 2013, and of no other; all other words stay.
#include "certify/build.h"

#include "helpers/helpers.h"
#include "helpers/scenes.h"

static const double pi = 3.14159265358979323846;

static SticExistence judge(SticArena* arena, const SticProblem* problem)
{
    return build_decide_by(arena, problem, stic_existence_quick_settings());
}

// outcomes before and after the verdict was asked for
typedef struct Tally {
    int32_t before[STIC_OUTCOME_COUNT], after[STIC_OUTCOME_COUNT];
    int32_t lenient; // solved in the measure of Siconos only
} Tally;

// every solver in every norm on one problem; whoever says "solved" must be right
static void solve_all(SticArena* arena, const SticProblem* problem, bool solvable, Tally* tally)
{
    const SticContext context = stic_context_default();
    const SticExistence existence = judge(arena, problem);
    SticWorkspace* workspace = NULL;
    double r[BUILD_ROWS], u[BUILD_ROWS];
    assert_int_equal(existence.verdict == STIC_VERDICT_NONE, !solvable);
    assert_int_equal(stic_workspace_create(&context, &workspace), STIC_OK);
    for (const SticSolver* solver = stic_solver_table; solver->name != NULL; ++solver)
        for (int32_t norm = STIC_NORM_RELATIVE; norm <= STIC_NORM_UNIT_FREE; ++norm) {
            SticSolveInfo info = {0};
            SticSolveRequest request = {.solver = solver,
                                        .settings = stic_solve_default_settings(),
                                        .workspace = workspace};
            request.settings.norm = norm;
            // enough for every iteration that runs away to do so
            request.settings.max_iterations = strcmp(solver->name, "uzawa") == 0 ? 100 : 10000;
            const SticStatus status = stic_solve(problem, &request, r, u, &info);
            if (status == STIC_UNSUPPORTED)
                continue;
            assert_int_equal(status, STIC_OK);
            // a solver never concludes it
            assert_int_not_equal(info.outcome, STIC_OUTCOME_NO_SOLUTION);
            const SticOutcome before = info.outcome;
            stic_existence_conclude(&existence, &info);
            tally->before[before] += 1;
            tally->after[info.outcome] += 1;
            // divided by a large |r|, a defect of a tenth of b may count as none: the measure of
            // Siconos lets that pass, and the relative error beside it tells
            const bool lenient = norm == STIC_NORM_SICONOS && before == STIC_OUTCOME_SOLVED &&
                                 info.errors.relative > request.settings.tolerance;
            tally->lenient += !solvable && lenient;
            if (!solvable && !lenient && info.outcome != STIC_OUTCOME_NO_SOLUTION)
                fail_msg("%s, norm %d: %s with errors %.1e %.1e %.1e and growth %.1e, and there is "
                         "no solution",
                         solver->name, norm, stic_outcome_name(before), info.errors.relative,
                         info.errors.siconos, info.errors.unit_free, info.errors.growth);
            if (solvable)
                assert_int_equal(info.outcome, before);
        }
    stic_workspace_destroy(workspace);
}

static void print_tally(const char* name, const Tally* tally)
{
    print_message("%s:", name);
    for (int32_t i = 0; i < STIC_OUTCOME_COUNT; ++i)
        print_message(" %s %d -> %d%s", stic_outcome_name((SticOutcome)i), tally->before[i],
                      tally->after[i], i + 1 < STIC_OUTCOME_COUNT ? "," : "; ");
    print_message("%d solved in the measure of Siconos only\n", tally->lenient);
}

// example 1: a solution exists iff u0 <= 0 or tan theta > mu; A' holds everywhere
static void test_bars(void** state)
{
    (void)state;
    SticArena* arena = build_arena();
    Tally tally[2] = {{{0}, {0}, 0}};
    for (int32_t a = 1; a <= 17; a += 4)
        for (int32_t m = 0; m <= 12; m += 3)
            for (int32_t s = -1; s <= 1; ++s) {
                const double theta = a * pi / 36.0, mu = 0.13 * m, u0 = 0.75 * s;
                const bool solvable = u0 <= 0.0 || tan(theta) > mu;
                const SticArenaMark mark = stic_arena_mark(arena);
                BuildDef def;
                Build bar;
                build_bar(arena, &(BuildBar){theta, mu, u0, -1.0}, &def, &bar);
                const SticProblem local = build_local(arena, &bar.problem);
                solve_all(arena, &bar.problem, solvable, &tally[solvable]);
                solve_all(arena, &local, solvable, &tally[solvable]);
                stic_arena_rewind(arena, mark);
            }
    print_tally("bars with a solution", &tally[1]);
    print_tally("bars without", &tally[0]);
    test_greater(tally[0].after[STIC_OUTCOME_NO_SOLUTION], 500);
    test_greater(tally[1].after[STIC_OUTCOME_SOLVED], 500);
    stic_arena_destroy(arena);
}

// example 3, over many speeds
static void test_balls(void** state)
{
    (void)state;
    SticArena* arena = build_arena();
    Tally tally[2] = {{{0}, {0}, 0}};
    for (double speed = 1e-6; speed < 1e7; speed *= 1000.0)
        for (int32_t side = -1; side <= 1; side += 2) {
            BuildDef def;
            Build ball;
            build_ball(arena, side * speed, 0.5, &def, &ball);
            const SticProblem local = build_local(arena, &ball.problem);
            const SticExistence existence = judge(arena, &ball.problem);
            assert_int_equal(existence.decided_by,
                             side > 0 ? STIC_CERTIFICATE_NECESSARY : STIC_CERTIFICATE_WITNESS);
            solve_all(arena, &ball.problem, side < 0, &tally[side < 0]);
            solve_all(arena, &local, side < 0, &tally[side < 0]);
        }
    print_tally("balls between planes that open", &tally[1]);
    print_tally("that close", &tally[0]);
    stic_arena_destroy(arena);
}

// what a verdict makes of every outcome
static void test_conclude(void** state)
{
    (void)state;
    for (int32_t outcome = 0; outcome < STIC_OUTCOME_COUNT; ++outcome)
        for (int32_t verdict = 0; verdict < STIC_VERDICT_COUNT; ++verdict)
            for (int32_t symmetrised = 0; symmetrised < 2; ++symmetrised)
                for (int32_t enumerated = 0; enumerated < 2; ++enumerated) {
                    const SticExistence existence = {
                        .verdict = (SticVerdict)verdict,
                        .symmetrised = symmetrised == 1,
                        .decided_by = enumerated == 1 ? STIC_CERTIFICATE_ENUMERATION
                                                      : STIC_CERTIFICATE_NECESSARY};
                    SticSolveInfo info = {.outcome = (SticOutcome)outcome};
                    const bool proved = verdict == STIC_VERDICT_NONE &&
                                        (symmetrised == 0 || enumerated == 1) &&
                                        outcome != STIC_OUTCOME_SOLVED;
                    stic_existence_conclude(&existence, &info);
                    assert_int_equal(info.outcome,
                                     proved ? STIC_OUTCOME_NO_SOLUTION : (SticOutcome)outcome);
                }
}

// each word for a failure on a problem that has a solution: it stays
static void test_words(void** state)
{
    (void)state;
    static const struct {
        const char* solver;
        int32_t iterations;
        double seconds;
        SticOutcome outcome;
    } cases[] = {{"nsgs", 3, 0.0, STIC_OUTCOME_ITERATION_LIMIT},
                 {"nsgs", 1000000, 1e-6, STIC_OUTCOME_TIME_LIMIT},
                 {"convex", 100000, 0.0, STIC_OUTCOME_STALLED},
                 {"jacobi-prox", 100000, 0.0, STIC_OUTCOME_DIVERGED}};
    const SticContext context = stic_context_default();
    SticArena* arena = build_arena();
    Scene scene;
    // a stack that slides: the relaxation lifts it and does not solve the problem itself
    scene_create_more(&scene, &(SceneDef){SCENE_STACK, 5, 0.5, 0.0, 0.0}, &(SceneMore){10.0, 0.0});
    const SticExistence existence = judge(arena, &scene.problem);
    test_at_most(existence.verdict, STIC_VERDICT_EXISTS_BORDERLINE);
    double* r = calloc(2 * (size_t)scene.problem.rows, sizeof *r);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        SticSolveInfo info = {0};
        SticSolveRequest request = test_request(&context, cases[k].solver);
        request.settings.max_iterations = cases[k].iterations;
        request.settings.max_seconds = cases[k].seconds;
        assert_int_equal(stic_solve(&scene.problem, &request, r, r + scene.problem.rows, &info),
                         STIC_OK);
        stic_existence_conclude(&existence, &info);
        print_message("%-12s %-16s after %d iterations, error %.1e; %s by %s\n", cases[k].solver,
                      stic_outcome_name(info.outcome), info.iterations, info.errors.relative,
                      stic_verdict_name(existence.verdict),
                      stic_certificate_name(existence.decided_by));
        assert_int_equal(info.outcome, cases[k].outcome);
        stic_workspace_destroy(request.workspace);
    }
    free(r);
    scene_release(&scene);
    stic_arena_destroy(arena);
}

static SticStatus judge_once(const SticContext* context, void* self)
{
    const SticExistenceSettings settings = stic_existence_quick_settings();
    SticArena* arena = NULL;
    SticExistence result;
    SticError error = {0};
    STIC_TRY(stic_arena_create(context, 0, &arena));
    const SticStatus status = stic_existence_decide(self, &settings, arena, &result, &error);
    if (status == STIC_OK)
        assert_int_equal(result.decided_by, STIC_CERTIFICATE_ENUMERATION);
    else
        assert_int_equal(result.verdict, STIC_VERDICT_UNKNOWN);
    stic_arena_destroy(arena);
    return status;
}

// without memory there is no verdict
static void test_memory(void** state)
{
    (void)state;
    SticArena* arena = build_arena();
    BuildDef def;
    Build bar;
    build_bar(arena, &(BuildBar){0.3, 1.0, 0.75, -1.0}, &def, &bar);
    print_message("%lld allocations\n",
                  (long long)test_fail_every_allocation(judge_once, &bar.problem));
    stic_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bars),     cmocka_unit_test(test_balls),
        cmocka_unit_test(test_conclude), cmocka_unit_test(test_words),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
