// SPDX-License-Identifier: Apache-2.0
// Islands of a step whose start is nearly a solution, and normal rows alone: a few sweeps without a
// set-up, judged by the measures of all solvers.
#include "helpers/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problem/mass.h"
#include "solver/rest.h"
#include "solver/rest_pack.h"
#include "stiction/extend/solver.h"

enum { CONTACTS = 24, BODIES = 10, ROWS = 3 * CONTACTS };

// masses of rigid bodies, with an inertia that has products
static void make_rigid(SticArena* arena, SticProblem* problem)
{
    SticMass* mass = (SticMass*)problem->M;
    SticBlockCsr* own = NULL;
    double *A = (double*)mass->A->value, *inverse = NULL;
    assert_int_equal(STIC_TAKE(arena, &own, 1), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &inverse, 36 * BODIES), STIC_OK);
    assert_int_equal(mass->A->begin[BODIES], BODIES);
    *own = *mass->A;
    own->value = inverse;
    mass->inverse = own;
    memset(A, 0, sizeof(double) * 36 * BODIES);
    memset(inverse, 0, sizeof(double) * 36 * BODIES);
    for (int k = 0; k < BODIES; ++k, A += 36, inverse += 36) {
        const double m = 1.0 + 0.3 * k, j = 0.4 + 0.1 * k, c = 0.1;
        for (int a = 0; a < 3; ++a) {
            A[7 * a] = m;
            inverse[7 * a] = 1.0 / m;
            A[7 * (a + 3)] = j;
            inverse[7 * (a + 3)] = a < 2 ? j / (j * j - c * c) : 1.0 / j;
        }
        A[22] = A[27] = c;
        inverse[22] = inverse[27] = -c / (j * j - c * c);
    }
}

typedef struct Case {
    SticWorkspace* workspace;
    SticArena* arena;
    SticProblem problem;
    double exact[ROWS], u[ROWS];
} Case;

static SticSolveRequest request_of(const Case* test, double tolerance, bool warm)
{
    SticSolveRequest request = {.solver = stic_solver_find("auto", NULL),
                                .settings = stic_solve_default_settings(),
                                .workspace = test->workspace};
    request.settings.tolerance = tolerance;
    request.settings.norm = STIC_NORM_UNIT_FREE;
    request.settings.per_island = true;
    request.settings.warm_start = warm;
    return request;
}

static Case make_case(uint64_t seed, bool normal)
{
    const SticContext context = stic_context_default();
    Case test = {.workspace = NULL};
    SticRandom random = stic_random_create(seed);
    SticSolveInfo info;
    assert_int_equal(stic_workspace_create(&context, &test.workspace), STIC_OK);
    assert_int_equal(stic_arena_create(&context, 0, &test.arena), STIC_OK);
    const TestProblemDef def = {.law = normal ? STIC_LAW_NONNEG : STIC_LAW_CONE,
                                .contacts = CONTACTS,
                                .contact_rows = normal ? 1 : 3,
                                .bodies = BODIES};
    test.problem = test_problem_random(test.arena, &random, &def);
    make_rigid(test.arena, &test.problem);
    const SticSolveRequest request = request_of(&test, 1e-12, false);
    assert_int_equal(stic_solve(&test.problem, &request, test.exact, test.u, &info), STIC_OK);
    assert_int_equal(info.outcome, STIC_OUTCOME_SOLVED);
    return test;
}

static void free_case(Case* test)
{
    stic_arena_destroy(test->arena);
    stic_workspace_destroy(test->workspace);
}

// a start that is off by little is swept once, and what is said of it is true
static void test_near_start(void** unused)
{
    (void)unused;
    double most = 0.0;
    int once = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        Case test = make_case(seed, false);
        SticRandom random = stic_random_create(seed);
        const SticSolveRequest request = request_of(&test, 1e-4, true);
        SticErrors errors;
        SticSolveInfo info;
        double r[ROWS], u[ROWS], again[ROWS];
        for (int k = 0; k < ROWS; ++k)
            r[k] = test.exact[k] * (1.0 + 1e-6 * stic_random_uniform(&random));
        assert_int_equal(stic_solve(&test.problem, &request, r, u, &info), STIC_OK);
        assert_int_equal(info.outcome, STIC_OUTCOME_SOLVED);
        assert_int_equal(stic_errors_compute(test.arena, &test.problem, r, again, &errors),
                         STIC_OK);
        test_at_most(errors.unit_free, 1e-4);
        for (int k = 0; k < ROWS; ++k)
            test_near(u[k], again[k], 1e-12 * (1.0 + fabs(again[k])));
        once += info.iterations == 1;
        most = fmax(most, errors.unit_free);
        free_case(&test);
    }
    printf("one sweep in %d of 20, largest error %.1e\n", once, most);
    test_at_least(once, 15);
}

// Errors of `sweeps` sweeps, from the data by the code of all solvers. Returns the largest of all
// seeds, over that of the start.
static double check_errors(bool normal, int32_t sweeps)
{
    double most = 0.0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        Case test = make_case(seed, normal);
        SticRandom random = stic_random_create(seed);
        SticRest* rest = NULL;
        SticErrors errors, first;
        double r[ROWS], u[ROWS] = {0.0}, again[ROWS];
        const int32_t rows = test.problem.rows;
        for (int k = 0; k < rows; ++k)
            r[k] = test.exact[k] * (1.0 + 1e-2 * stic_random_uniform(&random));
        assert_int_equal(stic_errors_compute(test.arena, &test.problem, r, again, &first), STIC_OK);
        assert_true(stic_rest_takes(&test.problem));
        assert_int_equal(stic_rest_sweep(test.arena, &test.problem, r, &rest), STIC_OK);
        const SticIslands* islands = stic_rest_islands(rest);
        // the measures are those of a problem: of one island where all hang together
        for (int32_t k = 0; k < islands->count; ++k) {
            assert_true(stic_rest_island(rest, k)->swept);
            assert_int_equal(stic_rest_island(rest, k)->normal, normal);
            for (int32_t sweep = 1; sweep < sweeps; ++sweep)
                assert_int_equal(stic_rest_again(rest, k), STIC_OK);
            assert_int_equal(stic_rest_island(rest, k)->sweeps, sweeps);
            stic_rest_measure(rest, k);
            stic_rest_get(rest, k, r, u);
        }
        assert_int_equal(stic_errors_compute(test.arena, &test.problem, r, again, &errors),
                         STIC_OK);
        most = fmax(most, errors.unit_free / first.unit_free);
        for (int k = 0; k < rows; ++k)
            test_near(u[k], again[k], 1e-12 * (1.0 + fabs(again[k])));
        if (islands->count == 1) {
            const SticErrors* own = &stic_rest_island(rest, 0)->errors;
            const double rounding = stic_rest_island(rest, 0)->rounding;
            test_near(own->unit_free, errors.unit_free, 1e-9 * errors.unit_free + rounding);
            test_near(own->relative, errors.relative, 1e-9 * errors.relative + rounding);
            test_near(own->siconos, errors.siconos, 1e-9 * errors.siconos + rounding);
            test_near(own->growth, errors.growth, 1e-9 * errors.growth);
        }
        free_case(&test);
    }
    return most;
}

static void test_errors(void** unused)
{
    (void)unused;
    for (int normal = 0; normal < 2; ++normal) {
        const double once = check_errors(normal == 1, 1), often = check_errors(normal == 1, 16);
        printf("%s: error over that of the start %.2g after one sweep, %.2g after 16\n",
               normal == 1 ? "normal rows" : "contacts", once, often);
        test_at_most(often, 0.1 * once);
    }
}

// normal rows are solved in place from no reactions, to what is asked for
static void test_normal(void** unused)
{
    (void)unused;
    int in_place = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        Case test = make_case(seed, true);
        const SticSolveRequest request = request_of(&test, 1e-2, false);
        SticErrors errors;
        SticSolveInfo info;
        double r[ROWS], u[ROWS], again[ROWS];
        for (int k = 0; k < ROWS; ++k)
            r[k] = NAN; // what is no start must not be looked at
        assert_int_equal(stic_solve(&test.problem, &request, r, u, &info), STIC_OK);
        assert_int_equal(info.outcome, STIC_OUTCOME_SOLVED);
        assert_int_equal(stic_errors_compute(test.arena, &test.problem, r, again, &errors),
                         STIC_OK);
        test_at_most(errors.unit_free, 1e-2);
        for (int k = 0; k < test.problem.rows; ++k)
            test_near(u[k], again[k], 1e-12 * (1.0 + fabs(again[k])));
        // the set-up of an operator factorises nothing, but counts its visits by itself
        in_place += info.checks == 1 && info.iterations <= 20;
        free_case(&test);
    }
    printf("%d of 20 in place\n", in_place);
    test_at_least(in_place, 15);
}

// v[0 .. dof-1] += M^-1 H_i x
static void push(const SticProblem* problem, int32_t i, double x, double* v)
{
    const SticBlockCsr *Ht = problem->Ht, *inverse = problem->M->inverse;
    for (int32_t e = Ht->begin[i]; e < Ht->begin[i + 1]; ++e)
        for (int a = 0; a < 6; ++a)
            for (int c = 0; c < 6; ++c)
                v[6 * Ht->col[e] + a] += inverse->value[36 * Ht->col[e] + 6 * a + c] *
                                         Ht->value[Ht->value_at[e] + c] * x;
}

// h_i v
static double pull(const SticProblem* problem, int32_t i, const double* v)
{
    const SticBlockCsr* Ht = problem->Ht;
    double y = 0.0;
    for (int32_t e = Ht->begin[i]; e < Ht->begin[i + 1]; ++e)
        for (int c = 0; c < 6; ++c)
            y += Ht->value[Ht->value_at[e] + c] * v[6 * Ht->col[e] + c];
    return y;
}

// sweeps over all rows with momentum, none passed over
static void sweep_plainly(const SticProblem* problem, int32_t sweeps, double* x)
{
    double v[6 * BODIES] = {0.0}, kept[6 * BODIES] = {0.0}, before[ROWS];
    stic_mass_divide(problem->M, problem->f, v);
    memset(x, 0, (size_t)problem->count * sizeof *x);
    memcpy(before, x, (size_t)problem->count * sizeof *x);
    for (int32_t sweep = 0; sweep < sweeps; ++sweep) {
        const double beta = sweep < 2 ? 0.0 : fmin(0.9, (sweep - 1.0) / (sweep + 2.0));
        for (int k = 0; k < 6 * BODIES; ++k) {
            const double now = v[k];
            v[k] += beta * (now - kept[k]);
            kept[k] = now;
        }
        for (int32_t i = 0; i < problem->count; ++i) {
            double unit[6 * BODIES] = {0.0};
            push(problem, i, 1.0, unit);
            const double last = x[i] + beta * (x[i] - before[i]);
            const double shift = problem->u_shift != NULL ? problem->u_shift[i] : 0.0;
            const double y = problem->w[i] + shift + pull(problem, i, v);
            before[i] = x[i];
            x[i] = fmax(0.0, last - y / pull(problem, i, unit));
            push(problem, i, x[i] - last, v);
        }
    }
}

// rows that are passed over while they are open would not have changed
static void test_open_rows(void** unused)
{
    (void)unused;
    int open = 0, all = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        Case test = make_case(seed, true);
        SticRest* rest = NULL;
        double r[ROWS] = {0.0}, plain[ROWS];
        for (int32_t sweeps = 2; sweeps <= 32; sweeps *= 2) {
            memset(r, 0, sizeof r);
            assert_int_equal(stic_rest_sweep(test.arena, &test.problem, r, &rest), STIC_OK);
            for (int32_t k = 0; k < stic_rest_islands(rest)->count; ++k) {
                for (int32_t sweep = 1; sweep < sweeps; ++sweep)
                    assert_int_equal(stic_rest_again(rest, k), STIC_OK);
                stic_rest_get(rest, k, r, NULL);
            }
            sweep_plainly(&test.problem, sweeps, plain);
            for (int32_t i = 0; i < test.problem.count; ++i) {
                test_near(r[i], plain[i], 1e-12 * (1.0 + plain[i]));
                open += plain[i] == 0.0;
                all += 1;
            }
        }
        free_case(&test);
    }
    printf("%d of %d open\n", open, all);
    test_at_least(4 * open, all);
}

// Contacts that are passed over while they are open are not passed over when they close: from half of
// the reactions, with every second contact open, the answer is that of the solver.
static void test_open_contacts(void** unused)
{
    (void)unused;
    double most = 0.0;
    int closed = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        Case test = make_case(seed, false);
        SticRest* rest = NULL;
        SticErrors errors;
        double r[ROWS], u[ROWS], start[ROWS];
        for (int k = 0; k < ROWS; ++k)
            start[k] = k / 3 % 2 == 0 ? 0.0 : 0.5 * test.exact[k];
        assert_int_equal(stic_rest_sweep(test.arena, &test.problem, start, &rest), STIC_OK);
        for (int32_t k = 0; k < stic_rest_islands(rest)->count; ++k) {
            for (int32_t sweep = 1; sweep < 400; ++sweep)
                assert_int_equal(stic_rest_again(rest, k), STIC_OK);
            stic_rest_get(rest, k, r, NULL);
        }
        assert_int_equal(stic_errors_compute(test.arena, &test.problem, r, u, &errors), STIC_OK);
        for (int k = 0; k < ROWS; k += 6)
            closed += r[k] > 0.0;
        most = fmax(most, errors.unit_free);
        free_case(&test);
    }
    printf("%d contacts that began open are closed, largest error %.1e\n", closed, most);
    test_at_most(most, 1e-9);
    test_at_least(closed, 20);
}

// a number that is none is never at rest
static void test_broken(void** unused)
{
    (void)unused;
    Case test = make_case(3, false);
    SticRest* rest = NULL;
    double* f = (double*)test.problem.f;
    f[0] = NAN;
    assert_int_equal(stic_rest_sweep(test.arena, &test.problem, test.exact, &rest), STIC_OK);
    bool passes = true;
    for (int32_t k = 0; k < stic_rest_islands(rest)->count; ++k) {
        stic_rest_measure(rest, k);
        passes = passes && stic_rest_island(rest, k)->errors.unit_free <= 1.0;
    }
    assert_false(passes);
    free_case(&test);
}

// what fits together is looked through only where sweeps in place fail: with the same bits where they
// do not, and the same sentence about a number that is none
static void test_fits(void** unused)
{
    (void)unused;
    for (int broken = 0; broken < 3; ++broken) {
        Case test = make_case(3, false);
        SticSolveRequest request = request_of(&test, 1e-4, true);
        double r[2][ROWS], u[2][ROWS];
        SticSolveInfo info[2];
        if (broken == 1)
            ((double*)test.problem.f)[7] = NAN;
        if (broken == 2)
            ((double*)test.problem.Ht->value)[5] = INFINITY;
        for (int fits = 0; fits < 2; ++fits) {
            request.fits = fits == 1;
            memcpy(r[fits], test.exact, sizeof r[fits]);
            assert_int_equal(stic_solve(&test.problem, &request, r[fits], u[fits], &info[fits]),
                             broken == 0 ? STIC_OK : STIC_NOT_FINITE);
        }
        assert_string_equal(info[0].error.text, info[1].error.text);
        if (broken == 0) {
            assert_memory_equal(r[0], r[1], sizeof r[0]);
            assert_memory_equal(u[0], u[1], sizeof u[0]);
        }
        free_case(&test);
    }
}

// both instruction sets give the same bits, whichever this processor takes
static void test_lanes(void** unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        Case test = make_case(seed, false);
        const int32_t bodies = test.problem.Ht->cols, dof = test.problem.dof;
        SticRandom random = stic_random_create(seed);
        SticRestBody* body = NULL;
        double *v = NULL, u[2][ROWS];
        assert_int_equal(STIC_TAKE(test.arena, &body, bodies), STIC_OK);
        assert_int_equal(STIC_TAKE(test.arena, &v, 2 * dof), STIC_OK);
        test_random_vector(&random, 2 * dof, -1.0, 1.0, v);
        for (int32_t k = 0; k < bodies; ++k)
            test_random_vector(&random, 7, 0.1, 1.0, &body[k].mass);
        for (int32_t i = 0; i + 3 < test.problem.count; ++i) {
            const int32_t contact[4] = {i, i + 3, i + 1, i};
            SticRestPack pack[2];
            SticRestErrors errors[2];
            for (int k = 0; k < 2; ++k) {
                const SticRestLanes lanes = stic_rest_lanes(k == 0);
                const SticRestData data = {&test.problem, body, test.exact, v, v + dof, u[k]};
                memset(u[k], 0, sizeof u[k]);
                lanes.fill(&data, contact, &pack[k]);
                lanes.measure(&data, contact, &pack[k], &errors[k]);
            }
            assert_memory_equal(&pack[0], &pack[1], sizeof pack[0]);
            assert_memory_equal(&errors[0], &errors[1], sizeof errors[0]);
            assert_memory_equal(u[0], u[1], sizeof u[0]);
        }
        free_case(&test);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_near_start),    cmocka_unit_test(test_errors),
        cmocka_unit_test(test_normal),        cmocka_unit_test(test_open_rows),
        cmocka_unit_test(test_open_contacts), cmocka_unit_test(test_broken),
        cmocka_unit_test(test_fits),          cmocka_unit_test(test_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
