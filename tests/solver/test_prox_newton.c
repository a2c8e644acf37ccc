// SPDX-License-Identifier: Apache-2.0
// prox-newton: derivatives of its maps against differences, every law against nsgs, systems per
// contact and per body, the quick part of the public collection and RockPile_tob1 at 1e-10.
#include "certain.h"
#include "helpers/scenes.h"
#include "laws.h"
#include "run.h"

#include "helpers/helpers.h"
#include "solver/newton_system.h"

static const char* const map_settings[] = {"map=jean-moreau", "map=alart-curnier", "map=natural",
                                           "map=fischer-burmeister"};

// dF = A dx + B dy + bound dx_k against central differences in random directions
static void test_derivatives(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(5);
    for (size_t k = 0; k < sizeof law_cases / sizeof law_cases[0]; ++k) {
        SticArena* arena = NULL;
        SticScaled scaled;
        SticError error = {0};
        assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
        const SticProblem problem = law_case_problem(arena, &random, &law_cases[k], 4);
        assert_int_equal(stic_scaled_create(arena, &problem, &scaled, &error), STIC_OK);
        double worst[4] = {0.0};
        enum { MOST = 64 };
        for (int trial = 0; trial < 400; ++trial) {
            double x[MOST], y[MOST], dx[MOST], dy[MOST], step[2][MOST], other[2][MOST], F[2][6];
            test_random_vector(&random, problem.rows, -1.0, 1.0, x);
            test_random_vector(&random, problem.rows, -1.0, 1.0, y);
            test_random_vector(&random, problem.rows, -1.0, 1.0, dx);
            test_random_vector(&random, problem.rows, -1.0, 1.0, dy);
            const double h = 1e-6;
            for (int32_t a = 0; a < problem.rows; ++a)
                for (int side = 0; side < 2; ++side) {
                    step[side][a] = x[a] + (side == 0 ? -h : h) * dx[a];
                    other[side][a] = y[a] + (side == 0 ? -h : h) * dy[a];
                }
            for (int map = 0; map < 4; ++map)
                for (int32_t i = 0; i < problem.count; ++i) {
                    const int32_t at = problem.row_at[i], n = problem.row_at[i + 1] - at;
                    const double rho = trial % 2 == 0 ? 1.0 : 7.0;
                    SticMapBlock block;
                    const SticMapPoint point = {&scaled, (SticMap)map, rho, x, y, NULL};
                    stic_map_linearise(&point, i, &block);
                    for (int side = 0; side < 2; ++side) {
                        const SticMapPoint near = {&scaled,    (SticMap)map, rho,
                                                   step[side], other[side],  NULL};
                        stic_map_value(&near, i, F[side]);
                    }
                    for (int32_t a = 0; a < n; ++a) {
                        double expected = 0.0;
                        for (int32_t c = 0; c < n; ++c)
                            expected +=
                                block.A[a * n + c] * dx[at + c] + block.B[a * n + c] * dy[at + c];
                        if (scaled.foreign[i] >= 0)
                            expected += block.bound[a] * dx[problem.bound_row[i]];
                        const double got = (F[1][a] - F[0][a]) / (2.0 * h);
                        worst[map] = test_worse(worst[map], fabs(got - expected) / rho);
                    }
                }
        }
        print_message("%-16s %d rows: derivatives off by %.1e %.1e %.1e %.1e\n",
                      stic_law_name(law_cases[k].law), law_cases[k].rows, worst[0], worst[1],
                      worst[2], worst[3]);
        // h^2 times the third derivative, 1e-16/h of rounding; no random point is within h of a
        // kink
        for (int map = 0; map < 4; ++map)
            test_less(worst[map], 2e-5);
        stic_arena_destroy(arena);
    }
}

// every law and map: the reactions are those of nsgs
static void test_laws(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(6);
    static Run reference, run;
    const TestTable table = test_table_begin(
        "random problems with regular W, tolerance 1e-11",
        "law             |rows|map                   |Newton steps|error  |reactions differ by");
    for (size_t k = 0; k < sizeof law_cases / sizeof law_cases[0]; ++k) {
        SticArena* arena = NULL;
        assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
        const SticProblem problem = law_case_problem(arena, &random, &law_cases[k], 15);
        run_solver(&context, &problem, "nsgs", "", 1e-12, &reference);
        assert_int_equal(reference.info.outcome, STIC_OUTCOME_SOLVED);
        for (int map = 0; map < 4; ++map) {
            run_solver(&context, &problem, "prox-newton", map_settings[map], 1e-11, &run);
            double apart = 0.0;
            for (int32_t row = 0; row < problem.rows; ++row)
                apart = test_worse(apart, fabs(run.r[row] - reference.r[row]));
            test_table_row(&table, "%s|%d|%s|%d|%.1e|%.1e", stic_law_name(law_cases[k].law),
                           law_cases[k].rows, map_settings[map], run.info.iterations,
                           run.info.errors.relative, apart);
            assert_int_equal(run.info.outcome, STIC_OUTCOME_SOLVED);
            // condition number 30 times the tolerance, |b| up to 6
            test_less(apart, 1e-8);
        }
        stic_arena_destroy(arena);
    }
}

/* ---- systems per contact and per body ---- */

// one random system K = D + B W by both factors
static void test_sides(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(12);
    // two points per pair of bodies, joints between them; W is singular, K is not
    const TestProblemDef def = {STIC_LAW_CONE, 60, 3, 8, 12, false};
    SticArena* arena = NULL;
    SticError error = {0};
    SticScaled scaled;
    SticNewtonSystem system[2];
    double *right = NULL, *x[2] = {NULL, NULL};
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    const SticProblem made = test_problem_random(arena, &random, &def);
    // the copy inverts the masses
    SticProblemStore* store = NULL;
    assert_int_equal(stic_problem_copy(&context, &made, &store), STIC_OK);
    const SticProblem problem = *stic_problem_view(store);
    assert_int_equal(stic_scaled_create(arena, &problem, &scaled, &error), STIC_OK);
    SticPatternCache patterns = {0};
    SticSolveInfo info = {0};
    SticSolveTask task = {.context = &context,
                          .arena = arena,
                          .problem = &problem,
                          .info = &info,
                          .patterns = &patterns};
    assert_int_equal(STIC_TAKE(arena, &right, problem.rows), STIC_OK);
    test_random_vector(&random, problem.rows, -1.0, 1.0, right);
    for (int side = 0; side < 2; ++side) {
        assert_int_equal(STIC_TAKE(arena, &x[side], problem.rows), STIC_OK);
        const SticSystemSide wanted = side == 0 ? STIC_SYSTEM_CONTACT : STIC_SYSTEM_BODY;
        assert_int_equal(stic_newton_system_choose(&task, &scaled, wanted, &system[side]), STIC_OK);
        assert_int_equal(stic_newton_system_prepare(arena, STIC_FACTOR_LU, &system[side], &error),
                         STIC_OK);
    }
    for (int32_t i = 0; i < problem.count; ++i) {
        double D[36], B[36];
        test_random_vector(&random, 9, -1.0, 1.0, B);
        test_random_vector(&random, 9, -0.2, 0.2, D);
        for (int a = 0; a < 3; ++a)
            D[4 * a] += 1.0;
        for (int k = 0; k < 9 && i % 4 == 0; ++k)
            B[k] = 0.0;
        for (int side = 0; side < 2; ++side) {
            stic_newton_system_row(&system[side], i, B);
            stic_newton_system_add(&system[side], i, D);
        }
    }
    double apart = 0.0, size = 0.0;
    for (int side = 0; side < 2; ++side) {
        assert_true(stic_newton_system_factor(&system[side]));
        stic_newton_system_solve(&system[side], right, 2, x[side]);
    }
    for (int32_t k = 0; k < problem.rows; ++k) {
        apart = test_worse(apart, fabs(x[0][k] - x[1][k]));
        size = test_worse(size, fabs(x[0][k]));
    }
    print_message("%d rows of contacts, %d of bodies: solutions differ by %.1e of %.1e\n",
                  problem.rows, problem.dof, apart, size);
    test_less(apart, 1e-11 * size);
    for (int slot = 0; slot < STIC_PATTERNS; ++slot)
        stic_arena_destroy(patterns.arena[slot]);
    stic_problem_destroy(store);
    stic_arena_destroy(arena);
}

typedef struct SideCase {
    const char* name;
    SceneDef def;
    bool same; // rounding does not lead the two to other contact states on the way
} SideCase;

static const SideCase side_cases[] = {
    {"chain", {SCENE_CHAIN, 10, 0.4, 0.0, 0.0}, true},
    {"arch", {SCENE_ARCH, 15, 0.7, 0.0, 0.0}, true},
    {"bridge", {SCENE_BRIDGE, 10, 0.5, 0.0, 0.0}, true},
    {"pyramid", {SCENE_PYRAMID, 8, 0.5, 0.0, 0.0}, true},
    {"wall", {SCENE_WALL, 8, 0.6, 0.0, 0.0}, true},
    {"wall, hit", {SCENE_WALL, 6, 0.6, 1.0, 0.0}, true},
    {"spheres", {SCENE_SPHERES, 100, 0.4, 0.0, 0.0}, false},
};

// whole solves: the same steps, the same reactions, less work where contacts are many
static void test_system_setting(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    static Run run[3];
    static const char* const settings[3] = {"system=contact", "system=body", "system=auto"};
    const TestTable table = test_table_begin(
        "prox-newton at 1e-9, systems per contact and per body",
        "scene      |contacts|bodies|steps|steps|work   |work   |reactions differ by");
    for (size_t k = 0; k < sizeof side_cases / sizeof side_cases[0]; ++k) {
        Scene scene;
        double apart = 0.0, size = 0.0;
        scene_create(&scene, &side_cases[k].def);
        for (int s = 0; s < 3; ++s) {
            run_solver(&context, &scene.problem, "prox-newton", settings[s], 1e-9, &run[s]);
            assert_int_equal(run[s].info.outcome, STIC_OUTCOME_SOLVED);
            test_less(test_residual_relative(&scene.problem, run[s].r), 1.01e-9);
        }
        for (int32_t row = 0; row < scene.problem.rows; ++row) {
            apart = test_worse(apart, fabs(run[0].r[row] - run[1].r[row]));
            size = test_worse(size, fabs(run[0].r[row]));
        }
        test_table_row(&table, "%s|%d|%d|%d|%d|%.1e|%.1e|%.1e", side_cases[k].name, scene.contacts,
                       scene.bodies, run[0].info.iterations, run[1].info.iterations,
                       run[0].info.work, run[1].info.work, apart / size);
        // auto has taken the body side; contacts in four points make it the cheaper one
        test_equal(run[2].info.work, run[1].info.work);
        test_less(run[1].info.work, run[0].info.work);
        // on the same path even reactions that are not unique agree
        if (side_cases[k].same) {
            assert_int_equal(run[0].info.iterations, run[1].info.iterations);
            test_less(apart, 1e-6 * size);
        }
        scene_release(&scene);
    }
}

// a problem without bodies has no such side
static void test_body_refused(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(6);
    SticArena* arena = NULL;
    SticError error = {0};
    SticScaled scaled;
    SticNewtonSystem system;
    const LawCase cone = {STIC_LAW_CONE, 3, {0.5}, false};
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    const SticProblem problem = law_case_problem(arena, &random, &cone, 4);
    assert_int_equal(stic_scaled_create(arena, &problem, &scaled, &error), STIC_OK);
    SticPatternCache patterns = {0};
    SticSolveInfo info = {0};
    SticSolveTask task = {.context = &context,
                          .arena = arena,
                          .problem = &problem,
                          .info = &info,
                          .patterns = &patterns};
    assert_int_equal(stic_newton_system_choose(&task, &scaled, STIC_SYSTEM_BODY, &system),
                     STIC_UNSUPPORTED);
    print_message("%s\n", info.error.text);
    assert_int_equal(stic_newton_system_choose(&task, &scaled, STIC_SYSTEM_AUTO, &system), STIC_OK);
    assert_null(system.body);
    stic_arena_destroy(patterns.arena[0]);
    stic_arena_destroy(arena);
}

/* ---- the public collection ---- */

static void test_collection(void** state)
{
    (void)state;
    const Certain certain = {
        .solver = "prox-newton", .tolerance = 1e-10, .norm = STIC_NORM_SICONOS};
    const TestTable table = certain_table("prox-newton, siconos norm 1e-10");
    for (size_t k = 0; k < CERTAIN_COUNT(certain_quick); ++k) {
        const CertainEnd end = certain_solve(certain_quick[k], &certain);
        certain_row(&table, certain_quick[k], &end);
        assert_int_equal(end.info.outcome, STIC_OUTCOME_SOLVED);
    }
    for (size_t k = 0; k < CERTAIN_COUNT(certain_rolling); ++k) {
        const CertainEnd end = certain_solve(certain_rolling[k], &certain);
        certain_row(&table, certain_rolling[k], &end);
        assert_int_equal(end.info.outcome, STIC_OUTCOME_SOLVED);
    }
}

// 463 contacts, rank 743 of 1389, unsymmetric W: the hardest file
static void test_rock_pile(void** state)
{
    (void)state;
    const char* name = "fc3d-local-dat/RockPile_tob1.dat.gz";
    const Certain certain = {
        .solver = "prox-newton", .tolerance = 1e-10, .norm = STIC_NORM_RELATIVE};
    const TestTable table = certain_table("relative norm 1e-10");
    const CertainEnd end = certain_solve(name, &certain);
    certain_row(&table, name, &end);
    assert_int_equal(end.info.outcome, STIC_OUTCOME_SOLVED);
    test_at_most(end.info.factorisations, 700);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),  cmocka_unit_test(test_laws),
        cmocka_unit_test(test_sides),        cmocka_unit_test(test_system_setting),
        cmocka_unit_test(test_body_refused), cmocka_unit_test(test_collection),
        cmocka_unit_test(test_rock_pile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
