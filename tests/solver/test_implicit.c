// SPDX-License-Identifier: Apache-2.0
// stic_implicit_solve: the literal form of projected Newton against a Jacobi iteration on linear
// equations, and against the nested form on the nonlinear stages of the consistent schemes.
#include "helpers/helpers.h"
#include "helpers/residual.h"

#include "physics/run.h"
#include "stiction/extend/solver.h"

/* ---- linear equations ---- */

enum { ROWS = 6 };

// f = x - W r - c, g = x: two spatial contacts
typedef struct Linear {
    double W[ROWS * ROWS], c[ROWS], mu;
    double f[ROWS], w[ROWS], identity[ROWS * ROWS], Ht[ROWS * ROWS];
    int32_t linearised;
    SticMass mass;
    SticBlockCsr A, H, P;
} Linear;

static const int32_t linear_row_at[3] = {0, 3, 6}, linear_begin[3] = {0, 2, 4};
static const int32_t linear_col[4] = {0, 1, 0, 1}, linear_mass_begin[3] = {0, 1, 2},
                     linear_mass_col[2] = {0, 1};
static const int64_t linear_value_at[5] = {0, 9, 18, 27, 36}, linear_mass_at[3] = {0, 9, 18};
static const uint8_t linear_law[2] = {STIC_LAW_CONE, STIC_LAW_CONE};

// blocks of 3 x 3 in the order of the block CSR
static void to_blocks(const double* dense, double* blocks)
{
    for (int32_t a = 0; a < ROWS; ++a)
        for (int32_t b = 0; b < ROWS; ++b)
            blocks[9 * (2 * (a / 3) + b / 3) + 3 * (a % 3) + b % 3] = dense[ROWS * a + b];
}

static SticStatus linear_tangent(void* self, const double* x, SticArena* arena,
                                 SticProblem* tangent)
{
    Linear* linear = self;
    (void)arena;
    static const double coef[2][4] = {{0.4}, {0.4}};
    double transposed[ROWS * ROWS];
    linear->linearised += 1;
    for (int32_t a = 0; a < ROWS; ++a) {
        linear->f[a] = linear->c[a] - x[a];
        linear->w[a] = x[a];
        for (int32_t b = 0; b < ROWS; ++b)
            transposed[ROWS * a + b] = linear->W[ROWS * b + a];
    }
    for (int32_t k = 0; k < 18; ++k)
        linear->identity[k] = k % 9 % 4 == 0 ? 1.0 : 0.0;
    to_blocks(transposed, linear->Ht);
    linear->A = (SticBlockCsr){2,
                               2,
                               linear_row_at,
                               linear_row_at,
                               linear_mass_begin,
                               linear_mass_col,
                               linear_mass_at,
                               linear->identity};
    linear->P = linear->A;
    linear->H = (SticBlockCsr){
        2, 2, linear_row_at, linear_row_at, linear_begin, linear_col, linear_value_at, linear->Ht};
    linear->mass = (SticMass){.kind = STIC_MASS_BLOCKS, .A = &linear->A, .inverse = &linear->A};
    *tangent = (SticProblem){.count = 2,
                             .rows = ROWS,
                             .dof = ROWS,
                             .row_at = linear_row_at,
                             .law = linear_law,
                             .coef = coef,
                             .M = &linear->mass,
                             .Ht = &linear->H,
                             .Pt = &linear->P,
                             .f = linear->f,
                             .w = linear->w};
    return STIC_OK;
}

static SticStatus linear_advance(void* self, const double* r, double* x, SticImplicitChange* change)
{
    const Linear* linear = self;
    double moved = 0.0, size = 0.0;
    for (int32_t a = 0; a < ROWS; ++a) {
        double next = linear->c[a];
        for (int32_t b = 0; b < ROWS; ++b)
            next += linear->W[ROWS * a + b] * r[b];
        moved += (next - x[a]) * (next - x[a]);
        size += next * next;
        x[a] = next;
    }
    *change = (SticImplicitChange){.size = sqrt(moved / size)};
    return STIC_OK;
}

// r := prox(r - rho (W r + c)), all contacts at once, normal before friction (Möller 2.45): what
// projected Newton is for linear equations; rho = alpha / largest diagonal entry of each law
static void jacobi(const Linear* linear, double alpha, int32_t steps, double* r)
{
    for (int32_t step = 0; step < steps; ++step) {
        double u[ROWS];
        for (int32_t a = 0; a < ROWS; ++a) {
            u[a] = linear->c[a];
            for (int32_t b = 0; b < ROWS; ++b)
                u[a] += linear->W[ROWS * a + b] * r[b];
        }
        for (int32_t at = 0; at < ROWS; at += 3) {
            const double rho_N = alpha / linear->W[(ROWS + 1) * at];
            const double rho_T =
                alpha / fmax(linear->W[(ROWS + 1) * (at + 1)], linear->W[(ROWS + 1) * (at + 2)]);
            r[at] = fmax(r[at] - rho_N * u[at], 0.0);
            const double d1 = r[at + 1] - rho_T * u[at + 1], d2 = r[at + 2] - rho_T * u[at + 2];
            const double most = 0.4 * r[at], length = hypot(d1, d2);
            const double cut = length > most ? most / length : 1.0;
            r[at + 1] = cut * d1;
            r[at + 2] = cut * d2;
        }
    }
}

static void test_linear(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(4);
    SticError error = {0};
    SticWorkspace* workspace = NULL;
    SticArena* arena = NULL;
    Linear linear = {.mu = 0.4};
    test_random_spd(&random, ROWS, 3.0, linear.W);
    test_random_vector(&random, ROWS, -1.0, 1.0, linear.c);
    linear.c[0] = linear.c[3] = -1.0;
    assert_int_equal(stic_workspace_create(&context, &workspace), STIC_OK);
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    for (int k = 0; k < 2; ++k) {
        const double alpha = k == 0 ? 1.0 : 0.5;
        double x[ROWS] = {0.0}, r[ROWS] = {0.0}, expected[ROWS] = {0.0};
        SticSolveInfo info = {0};
        SticSolveRequest request = {.solver = stic_solver_find("nsgs", &error),
                                    .settings = stic_solve_default_settings(),
                                    .workspace = workspace};
        request.settings.implicit = STIC_IMPLICIT_LITERAL;
        request.settings.implicit_alpha = alpha;
        request.settings.tolerance = 1e-11;
        const SticImplicit implicit = {.self = &linear,
                                       .linearise = linear_tangent,
                                       .advance = linear_advance,
                                       .arena = arena,
                                       .max_iterations = 500,
                                       .tolerance = 1e-12};
        assert_int_equal(stic_implicit_solve(&implicit, &request, x, r, &info), STIC_OK);
        // the first Newton step has no projection behind it
        jacobi(&linear, alpha, info.newton - 1, expected);
        double apart = 0.0;
        for (int32_t a = 0; a < ROWS; ++a)
            apart = test_worse(apart, fabs(r[a] - expected[a]));
        print_message("alpha %.1f: %s after %d steps, error %.1e, off the Jacobi iterate by %.1e\n",
                      alpha, stic_outcome_name(info.outcome), info.newton, info.errors.relative,
                      apart);
        assert_int_equal(info.outcome, STIC_OUTCOME_SOLVED);
        assert_string_equal(info.method, "projected-newton");
        // the same iterates, up to the order of sums
        test_less(apart, 1e-14);
        test_greater(info.newton, 10);
    }
    stic_arena_destroy(arena);
    stic_workspace_destroy(workspace);
}

/* ---- stages of the schemes ---- */

typedef struct Stage {
    const char *model, *scheme;
    double end, h;
    double nested_most, literal_least, literal_most; // mean numbers of iterations
} Stage;

// An independent implementation with a Jacobian kept for the whole step has 2 to 5 nested
// iterations for the tippe top, and in the literal form 6.5 (double pendulum, 1e-2 s), 12 and 61
// (tippe top, D2, 1e-4 and 1e-3 s) with 14 unsolved steps of 8000. With a Jacobian of every iterate
// the literal form needs about half of that, and no step stays unsolved
static const Stage stages[] = {
    {"double-pendulum", "decomposed", 5.0, 1e-2, 5.5, 4.0, 6.5},
    {"double-pendulum", "consistent", 1.0, 1e-2, 5.5, 4.0, 6.5},
    {"tippe-top", "decomposed", 0.2, 1e-4, 4.5, 5.0, 12.0},
    {"tippe-top", "decomposed", 8.0, 1e-3, 5.5, 20.0, 61.0},
    {"tippe-top", "consistent", 4.0, 1e-3, 5.5, 6.0, 61.0},
    {"woodpecker", "decomposed", 0.05, 1e-4, 4.0, 20.0, 80.0},
};

// mean number of iterations; the last state in q
static double run_stage(const Stage* stage, int32_t form, const char* settings, double* q,
                        int* unsolved, int32_t* most)
{
    TestRun run;
    SticError error = {0};
    int64_t sum = 0;
    assert_int_equal(test_run_open(&run, stage->model, stage->scheme, "", settings, &error),
                     STIC_OK);
    run.stepper->solve.settings.tolerance = 1e-10;
    run.stepper->solve.settings.implicit = form;
    const long steps = lround(stage->end / stage->h);
    *most = 0;
    for (long k = 1; k <= steps; ++k) {
        assert_int_equal(test_run_step(&run, (double)k * stage->h), STIC_OK);
        sum += run.info.newton;
        *most = run.info.newton > *most ? run.info.newton : *most;
    }
    memcpy(q, run.now->q, (size_t)run.system->layout.nq * sizeof *q);
    *unsolved = run.unsolved;
    test_run_close(&run);
    return (double)sum / (double)steps;
}

static void test_stages(void** state)
{
    (void)state;
    const TestTable table = test_table_begin(
        "projected Newton, nested and literal, iterations per step",
        "model           |scheme    |step   |nested|literal|most|unsolved|q apart");
    for (size_t k = 0; k < sizeof stages / sizeof stages[0]; ++k) {
        double q[2][64] = {{0.0}}, apart = 0.0;
        int unsolved[2];
        int32_t most[2];
        const double nested =
            run_stage(&stages[k], STIC_IMPLICIT_NESTED, "max_newton=1000 settle=0 friction=begin",
                      q[0], &unsolved[0], &most[0]);
        const double literal =
            run_stage(&stages[k], STIC_IMPLICIT_LITERAL, "max_newton=1000 settle=0 friction=begin",
                      q[1], &unsolved[1], &most[1]);
        for (int c = 0; c < 64; ++c)
            apart = test_worse(apart, fabs(q[0][c] - q[1][c]));
        test_table_row(&table, "%s|%s|%g|%.2f|%.2f|%d|%d|%.1e", stages[k].model, stages[k].scheme,
                       stages[k].h, nested, literal, most[1], unsolved[1], apart);
        assert_int_equal(unsolved[0], 0);
        assert_int_equal(unsolved[1], 0);
        test_at_most(nested, stages[k].nested_most);
        test_at_least(literal, stages[k].literal_least);
        test_at_most(literal, stages[k].literal_most);
        // the same fixed points: what 1e-10 per step adds up to over 8000 steps, amplified by the
        // motion itself
        test_less(apart, 1e-7);
    }
}

// too few iterations are said to be too few
static void test_stalled(void** state)
{
    (void)state;
    const Stage stage = {"tippe-top", "decomposed", 0.02, 1e-3, 0.0, 0.0, 0.0};
    double q[64];
    int unsolved = 0;
    int32_t most = 0;
    run_stage(&stage, STIC_IMPLICIT_LITERAL, "max_newton=3", q, &unsolved, &most);
    print_message("three iterations: %d of 20 steps unsolved\n", unsolved);
    assert_int_equal(unsolved, 20);
    assert_int_equal(most, 3);
}

/* ---- slow linear convergence ---- */

// x := q x without any law: all that is left after a change of size s is s q / (1 - q)
typedef struct Slow {
    double q;
    int32_t advanced;
} Slow;

static SticStatus slow_tangent(void* self, const double* x, SticArena* arena, SticProblem* tangent)
{
    (void)self;
    (void)x;
    (void)arena;
    static const int32_t none[1] = {0};
    static const int64_t none_at[1] = {0};
    static const SticBlockCsr empty = {0, 0, none, none, none, NULL, none_at, NULL};
    *tangent = (SticProblem){.row_at = none, .W = &empty};
    return STIC_OK;
}

static SticStatus slow_advance(void* self, const double* r, double* x, SticImplicitChange* change)
{
    Slow* slow = self;
    (void)r;
    slow->advanced += 1;
    *change = (SticImplicitChange){.size = (1.0 - slow->q) * fabs(*x)};
    *x *= slow->q;
    return STIC_OK;
}

// however slow, it goes on to the tolerance of the inner solve; a hundred times that is no end
static void test_slow(void** state)
{
    (void)state;
    static const double q[] = {0.3, 0.6, 0.8, 0.95};
    const SticContext context = stic_context_default();
    for (size_t k = 0; k < sizeof q / sizeof q[0]; ++k) {
        SticArena* arena = NULL;
        SticWorkspace* workspace = NULL;
        SticError error = {0};
        SticSolveInfo info;
        Slow slow = {.q = q[k]};
        double x = 1.0, r = 0.0;
        assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
        assert_int_equal(stic_workspace_create(&context, &workspace), STIC_OK);
        SticSolveRequest request = {.solver = stic_solver_find("auto", &error),
                                    .settings = stic_solve_default_settings(),
                                    .workspace = workspace};
        request.settings.tolerance = 1e-6;
        const SticImplicit implicit = {.self = &slow,
                                       .linearise = slow_tangent,
                                       .advance = slow_advance,
                                       .arena = arena,
                                       .max_iterations = 1000,
                                       .tolerance = 1e-12};
        assert_int_equal(stic_implicit_solve(&implicit, &request, &x, &r, &info), STIC_OK);
        print_message("factor %.2f: %d iterations, x = %.1e\n", q[k], slow.advanced, x);
        assert_int_equal(info.outcome, STIC_OUTCOME_SOLVED);
        test_at_most(x, 1.001 * request.settings.tolerance);
        stic_workspace_destroy(workspace);
        stic_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_stages),
        cmocka_unit_test(test_stalled),
        cmocka_unit_test(test_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
