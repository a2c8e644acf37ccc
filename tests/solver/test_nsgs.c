// SPDX-License-Identifier: Apache-2.0
// labels: threads
// nsgs: published contact, random problems in both forms and with every local solver, all laws,
// bits for one and two threads.
#include "helpers/scenes.h"
#include "randoms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/helpers.h"
#include "math/math.h"
#include "stiction/extend/solver.h"
#include "stiction/extend/sparse.h"

static void solve_with(const SticContext* context, const SticProblem* problem, const char* text,
                       double tolerance, Run* run)
{
    run_solver(context, problem, "nsgs", text, tolerance, run);
}

/* ---- one contact ---- */

static SticProblem one_block(SticArena* arena, SticLaw law, int32_t rows, const double* coef,
                             const double* W, const double* b)
{
    SticProblem problem = {.count = 1, .rows = rows, .b = b};
    int32_t* row_at = NULL;
    uint8_t* kind = NULL;
    double(*coefs)[4] = NULL;
    SticBlockCsr* A = NULL;
    assert_int_equal(STIC_TAKE(arena, &row_at, 2), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &kind, 1), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &coefs, 1), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &A, 1), STIC_OK);
    row_at[0] = 0;
    row_at[1] = rows;
    kind[0] = (uint8_t)law;
    memcpy(coefs[0], coef, sizeof coefs[0]);
    const SticPartition partition = {1, 1, row_at, row_at};
    assert_int_equal(stic_block_csr_from_dense(&partition, W, arena, A), STIC_OK);
    problem.row_at = row_at;
    problem.law = kind;
    problem.coef = (const double(*)[4])coefs;
    problem.W = A;
    return problem;
}

// Koziara's thesis, data of fig. 10.3.3: W_ii = 0.8, W_ij = 0.4, b = (0, 0, -2), rows T, T, N there
static void test_koziara(void** state)
{
    (void)state;
    static const double W[9] = {0.8, 0.4, 0.4, 0.4, 0.8, 0.4, 0.4, 0.4, 0.8};
    static const double b[3] = {-2.0, 0.0, 0.0};
    static const double slip_r[3] = {2.690227834, -0.190227834, -0.190227834};
    static const double slip_u[3] = {0.0, 0.847817732, 0.847817732};
    static const double stick_r[3] = {3.75, -1.25, -1.25};
    static const char* const locals[] = {"local=newton", "local=quartic", "local=projection"};
    const SticContext context = stic_context_default();
    for (int k = 0; k < 3; ++k) {
        SticArena* arena = NULL;
        static Run run;
        assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
        const double low[4] = {0.1}, high[4] = {0.9};
        SticProblem problem = one_block(arena, STIC_LAW_CONE, 3, low, W, b);
        solve_with(&context, &problem, locals[k], 1e-12, &run);
        assert_int_equal(run.info.outcome, STIC_OUTCOME_SOLVED);
        print_message("%-16s slip  %d sweeps, r = %.9f %.9f %.9f\n", locals[k], run.info.iterations,
                      run.r[0], run.r[1], run.r[2]);
        for (int a = 0; a < 3; ++a) {
            test_less(fabs(run.r[a] - slip_r[a]), 1e-9);
            test_less(fabs(run.u[a] - slip_u[a]), 1e-9);
        }
        problem = one_block(arena, STIC_LAW_CONE, 3, high, W, b);
        solve_with(&context, &problem, locals[k], 1e-12, &run);
        assert_int_equal(run.info.outcome, STIC_OUTCOME_SOLVED);
        for (int a = 0; a < 3; ++a) {
            test_less(fabs(run.r[a] - stick_r[a]), 1e-9);
            test_less(fabs(run.u[a]), 1e-9);
        }
        test_less(fabs(hypot(run.r[1], run.r[2]) / (0.9 * run.r[0]) - 0.5238), 5e-5);
        stic_arena_destroy(arena);
    }
}

// ill-conditioned and unsymmetric blocks, small and large friction, thousands of them
static void test_local_solvers(void** state)
{
    (void)state;
    // a form keeps nsgs from its dense path, which has a local method of its own
    static const char* const locals[] = {"local=newton form=explicit",
                                         "local=quartic form=explicit"};
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(17);
    int64_t fallbacks[2] = {0, 0}, solved[2] = {0, 0};
    double worst = 0.0;
    enum { TRIALS = 3000 };
    for (int trial = 0; trial < TRIALS; ++trial) {
        SticArena* arena = NULL;
        double W[9], b[3], coef[4] = {0.0};
        assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
        test_random_spd(&random, 3, pow(10.0, stic_random_range(&random, 0.0, 4.0)), W);
        // a skew part leaves <W r, r> > 0
        for (int a = 0; a < 3 && trial % 3 == 0; ++a)
            for (int c = 0; c < a; ++c) {
                const double skew = 0.2 * stic_random_range(&random, -1.0, 1.0);
                W[3 * a + c] += skew;
                W[3 * c + a] -= skew;
            }
        test_random_vector(&random, 3, -1.0, 1.0, b);
        b[0] = -fabs(b[0]);
        coef[0] = pow(10.0, stic_random_range(&random, -2.0, 1.0));
        const SticProblem problem = one_block(arena, STIC_LAW_CONE, 3, coef, W, b);
        for (int k = 0; k < 2; ++k) {
            static Run run;
            solve_with(&context, &problem, locals[k], 1e-10, &run);
            fallbacks[k] += run.info.fallbacks;
            solved[k] += run.info.outcome == STIC_OUTCOME_SOLVED;
            // one visit solves it; more are made where rounding keeps r moving
            test_at_most(run.info.iterations, 30);
            const double allowed = fmax(1e-10, run.info.errors.floor);
            worst = test_worse(worst, test_residual_relative(&problem, run.r) / allowed);
        }
        stic_arena_destroy(arena);
    }
    print_message("%d single contacts, solved: newton %lld (fallbacks %lld), quartic "
                  "%lld (fallbacks %lld), largest independent error %.2f of the allowed one\n",
                  TRIALS, (long long)solved[0], (long long)fallbacks[0], (long long)solved[1],
                  (long long)fallbacks[1], worst);
    test_equal(solved[0], TRIALS);
    test_equal(solved[1], TRIALS);
    test_at_most(worst, 1.0);
}

/* ---- random problems ---- */

static const RandomCase random_cases[] = {
    {"cones, local", {STIC_LAW_CONE, 30, 3, 0, 0, false}},
    {"cones with joints, local", {STIC_LAW_CONE, 20, 3, 6, 0, true}},
    {"planar cones, local", {STIC_LAW_CONE, 30, 2, 0, 0, true}},
    {"rolling, local", {STIC_LAW_ROLLING, 12, 5, 0, 0, false}},
    {"planar rolling, local", {STIC_LAW_ROLLING, 12, 3, 2, 0, false}},
    {"unilateral, local", {STIC_LAW_NONNEG, 60, 1, 4, 0, true}},
    {"cones, bodies", {STIC_LAW_CONE, 30, 3, 0, 20, false}},
    {"cones with joints, bodies", {STIC_LAW_CONE, 24, 3, 5, 20, true}},
    {"rolling, bodies", {STIC_LAW_ROLLING, 10, 5, 0, 14, true}},
    {0},
};

static void test_random(void** state)
{
    (void)state;
    static const char* const settings[] = {"form=auto",
                                           "form=explicit",
                                           "form=explicit order=coloured",
                                           "form=auto omega=0.8",
                                           "form=auto local=quartic",
                                           "form=auto local=projection order=coloured",
                                           NULL};
    random_solve_all(&(RandomPlan){"nsgs", random_cases, 23, settings});
}

/* ---- the same contacts in other words ---- */

// how the contacts of a cone problem are written down
typedef enum Wording {
    AS_CONE_ELLIPSE,   // both friction coefficients equal
    AS_CONE_CONTENSOU, // a patch without radius: its drilling row carries nothing
    AS_ROLLING,        // rolling friction 0: its moments are 0
    AS_PAIRS,          // unilateral row, and a disc or interval bounded by its reaction
    WORDINGS
} Wording;

static const char* const wording_names[] = {"cone-ellipse", "cone-contensou", "rolling",
                                            "unilateral and friction rows"};

// where row `a` of contact i of the cones is in the rewritten problem
static int32_t new_row(Wording wording, int32_t i, int32_t a)
{
    static const int32_t rows[WORDINGS] = {3, 4, 5, 3};
    return rows[wording] * i + a;
}

static SticProblem rewrite(SticArena* arena, const SticProblem* cones, Wording wording)
{
    static const SticLaw laws[WORDINGS] = {STIC_LAW_CONE_ELLIPSE, STIC_LAW_CONE_CONTENSOU,
                                           STIC_LAW_ROLLING, STIC_LAW_NONNEG};
    const int32_t n = cones->count, per = new_row(wording, 1, 0);
    const int32_t count = wording == AS_PAIRS ? 2 * n : n, m = per * n;
    int32_t *row_at = NULL, *bound_row = NULL;
    uint8_t* law = NULL;
    double(*coef)[4] = NULL;
    double *dense = NULL, *from = NULL, *b = NULL;
    SticBlockCsr* W = NULL;
    assert_int_equal(STIC_TAKE(arena, &row_at, count + 1), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &bound_row, count), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &law, count), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &coef, count), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &dense, m * m), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &from, 9 * n * n), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &b, m), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &W, 1), STIC_OK);
    row_at[0] = 0;
    for (int32_t k = 0; k < count; ++k) {
        const int32_t i = wording == AS_PAIRS ? k / 2 : k;
        const bool friction = wording == AS_PAIRS && k % 2 == 1;
        const double mu = cones->coef[i][0];
        row_at[k + 1] = row_at[k] + (wording != AS_PAIRS ? per : friction ? 2 : 1);
        law[k] = (uint8_t)(friction ? STIC_LAW_BALL : laws[wording]);
        bound_row[k] = friction ? row_at[k - 1] : -1;
        memset(coef[k], 0, sizeof coef[k]);
        coef[k][0] = wording == AS_PAIRS && !friction ? 0.0 : mu;
        coef[k][1] = wording == AS_CONE_ELLIPSE ? mu : 0.0;
    }
    // added rows have a block of their own that nothing else sees
    stic_block_csr_to_dense(cones->W, from);
    memset(dense, 0, (size_t)(m * m) * sizeof *dense);
    for (int32_t k = 0; k < m; ++k) {
        dense[k * m + k] = 0.3;
        b[k] = 0.7;
    }
    for (int32_t i = 0; i < n; ++i)
        for (int32_t a = 0; a < 3; ++a) {
            b[new_row(wording, i, a)] = cones->b[3 * i + a];
            for (int32_t j = 0; j < n; ++j)
                for (int32_t c = 0; c < 3; ++c)
                    dense[new_row(wording, i, a) * m + new_row(wording, j, c)] =
                        from[(3 * i + a) * 3 * n + 3 * j + c];
        }
    const SticPartition partition = {count, count, row_at, row_at};
    assert_int_equal(stic_block_csr_from_dense(&partition, dense, arena, W), STIC_OK);
    return (SticProblem){.count = count,
                         .rows = m,
                         .row_at = row_at,
                         .law = law,
                         .coef = (const double(*)[4])coef,
                         .bound_row = bound_row,
                         .W = W,
                         .b = b};
}

static void test_wordings(void** state)
{
    (void)state;
    static const char* const settings[] = {"order=natural", "order=coloured", "local=projection"};
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(29);
    static Run cone, other;
    for (int trial = 0; trial < 4; ++trial) {
        SticArena* arena = NULL;
        const TestProblemDef def = {STIC_LAW_CONE, 12, 3, 0, 0, false};
        assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
        const SticProblem problem = test_problem_random(arena, &random, &def);
        solve_with(&context, &problem, "", 1e-12, &cone);
        for (int wording = 0; wording < WORDINGS; ++wording) {
            const SticProblem rewritten = rewrite(arena, &problem, (Wording)wording);
            for (int k = 0; k < 3; ++k) {
                solve_with(&context, &rewritten, settings[k], 1e-12, &other);
                double apart = 0.0;
                for (int32_t row = 0; row < problem.rows; ++row) {
                    const int32_t at = new_row((Wording)wording, row / 3, row % 3);
                    apart = test_worse(apart, fabs(other.r[at] - cone.r[row]));
                }
                print_message("%-30s %-18s %5d sweeps, reactions differ by %.1e\n",
                              wording_names[wording], settings[k], other.info.iterations, apart);
                assert_int_equal(other.info.outcome, STIC_OUTCOME_SOLVED);
                // condition number 100 times the tolerance, |b| is about 3
                test_less(apart, 1e-8);
            }
        }
        stic_arena_destroy(arena);
    }
}

/* ---- threads ---- */

// coloured order: the same bits for one and two threads, and without a pool
static void test_threads(void** state)
{
    (void)state;
    static const char* const settings[] = {"order=coloured form=factored",
                                           "order=coloured form=explicit"};
    // the same for gcc and clang at every optimisation level; a change belongs into the change log
    static const uint64_t expected[] = {0x95c8048b9410b371, 0xc202b44dc7c19768};
    static Run run[3];
    Scene scene;
    // large enough for several chunks per colour
    const SceneDef def = {SCENE_WALL, 20, 0.6, 0.3, 0.0};
    scene_create(&scene, &def);
    test_at_most(scene.problem.rows, RUN_MOST_ROWS);
    for (int form = 0; form < 2; ++form) {
        for (int threads = 0; threads < 3; ++threads) {
            SticContext context = stic_context_default();
            if (threads > 0)
                assert_int_equal(stic_pool_create(&context, threads, &context.pool), STIC_OK);
            solve_with(&context, &scene.problem, settings[form], 3e-2, &run[threads]);
            stic_pool_destroy(context.pool);
        }
        const uint64_t hash = stic_hash_doubles(0, run[0].r, (size_t)scene.problem.rows);
        print_message("%s: %d contacts, %d sweeps, error %.2e, hash %016llx\n", settings[form],
                      scene.contacts, run[0].info.iterations, run[0].info.errors.relative,
                      (unsigned long long)hash);
        test_equal(hash, expected[form]);
        for (int threads = 1; threads < 3; ++threads) {
            assert_int_equal(run[threads].info.iterations, run[0].info.iterations);
            assert_memory_equal(run[threads].r, run[0].r,
                                (size_t)scene.problem.rows * sizeof(double));
            assert_memory_equal(run[threads].u, run[0].u,
                                (size_t)scene.problem.rows * sizeof(double));
        }
    }
    scene_release(&scene);
}

// a wall at rest: weights are carried, both forms give the same velocities
static void test_wall(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    static Run run;
    Scene scene;
    const SceneDef def = {SCENE_WALL, 4, 0.6, 0.0, 0.0};
    scene_create(&scene, &def);
    solve_with(&context, &scene.problem, "form=factored", 1e-10, &run);
    assert_int_equal(run.info.outcome, STIC_OUTCOME_SOLVED);
    double carried = 0.0, weight = 0.0, fastest = 0.0;
    for (int32_t c = 0; c < scene.contacts; ++c)
        carried += scene.contact[c].a < 0 ? run.r[3 * c] : 0.0;
    for (int32_t b = 0; b < scene.bodies; ++b)
        weight += scene.body[b].mass;
    for (int32_t k = 0; k < scene.problem.rows; ++k)
        fastest = test_worse(fastest, fabs(run.u[k]));
    print_message("wall of %d boxes, %d contacts: %d sweeps, the ground carries %.12f of %.1f, "
                  "fastest contact %.1e\n",
                  scene.bodies, scene.contacts, run.info.iterations, carried, weight, fastest);
    test_less(fabs(carried - weight), 1e-7 * weight);
    test_less(fastest, 1e-7);
    scene_release(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_koziara), cmocka_unit_test(test_local_solvers),
        cmocka_unit_test(test_random),  cmocka_unit_test(test_wordings),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_wall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
