// SPDX-License-Identifier: Apache-2.0
// Laws: states that obey them are fixed points of the step, states that do not are not; published
// single-contact numbers.
#include "helpers/helpers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stiction/extend/law.h"

enum { SAMPLES = 500, N = 6 };

/* ---- states that obey a law, made from its words ---- */

enum { OPEN, STICK, SLIP, STATES };
static const char* const state_name[STATES] = {"open", "stick", "slip"};

typedef struct State {
    SticLaw law;
    int32_t rows;
    double coef[4], B;
    double u[N], r[N];
} State;

// friction of one row pair or more: r inside the ball of `limit` and u = 0, or r on it against u
static void friction_state(SticRandom* random, int kind, int32_t n, double limit, double* u,
                           double* r)
{
    test_random_unit(random, n, r);
    const double length = kind == STICK ? stic_random_range(random, 0.0, 0.999) : 1.0;
    const double speed = kind == STICK ? 0.0 : stic_random_range(random, 0.1, 2.0);
    for (int32_t k = 0; k < n; ++k) {
        u[k] = -speed * r[k];
        r[k] *= limit * length;
    }
}

// the same for an ellipse: the velocity is normal to it, not parallel to r
static void ellipse_state(SticRandom* random, int kind, int32_t n, const double* axes, double* u,
                          double* r)
{
    friction_state(random, kind, n, 1.0, u, r);
    for (int32_t k = 0; k < n; ++k) {
        r[k] *= axes[k];
        u[k] /= axes[k];
    }
}

// sliding and drilling of a patch of radius R with v = |u_T| / (R |u_tau|)
static void contensou_state(SticRandom* random, int kind, double force, double R, double* u,
                            double* r)
{
    double e[2], bT, btau;
    test_random_unit(random, 2, e);
    const double v = tan(stic_random_range(random, 0.0, 1.57));
    const double speed = kind == STICK ? 0.0 : stic_random_range(random, 0.1, 2.0);
    const double turn = stic_random_uniform(random) < 0.5 ? -1.0 : 1.0;
    stic_contensou_boundary(v, &bT, &btau);
    const double length = kind == STICK ? stic_random_range(random, 0.0, 0.999) : 1.0;
    const double slide = speed * v / sqrt(1.0 + v * v), spin = speed / sqrt(1.0 + v * v) / R;
    for (int k = 0; k < 2; ++k) {
        u[k] = -slide * e[k];
        r[k] = length * force * bT * e[k];
    }
    u[2] = -spin * turn;
    r[2] = length * force * 3.0 * acos(-1.0) / 16.0 * R * btau * turn;
}

static void tangential_state(State* s, SticRandom* random, int kind, int32_t first, double B)
{
    const double axes[3] = {s->coef[0] * B, s->coef[1] * B, s->coef[2] * B};
    double* u = s->u + first;
    double* r = s->r + first;
    switch (s->law) {
    case STIC_LAW_INTERVAL:
        friction_state(random, kind, 1, 1.0, u, r);
        r[0] *= r[0] < 0.0 ? axes[0] : axes[1];
        break;
    case STIC_LAW_BALL:
    case STIC_LAW_CONE:
        friction_state(random, kind, s->rows - first, axes[0], u, r);
        break;
    case STIC_LAW_ELLIPSE:
    case STIC_LAW_CONE_ELLIPSE:
        ellipse_state(random, kind, 2, axes, u, r);
        break;
    case STIC_LAW_ELLIPSOID:
        ellipse_state(random, kind, 3, axes, u, r);
        break;
    case STIC_LAW_CYLINDER:
        friction_state(random, kind, 2, axes[0], u, r);
        friction_state(random, stic_random_uniform(random) < 0.5 ? kind : STICK, 1, axes[2], u + 2,
                       r + 2);
        break;
    case STIC_LAW_CONTENSOU:
    case STIC_LAW_CONE_CONTENSOU:
        contensou_state(random, kind, axes[0], s->coef[3], u, r);
        break;
    case STIC_LAW_ROLLING: {
        const int32_t half = (s->rows - 1) / 2;
        friction_state(random, kind, half, axes[0], u, r);
        friction_state(random, stic_random_uniform(random) < 0.5 ? kind : STICK, half, axes[2],
                       u + half, r + half);
        break;
    }
    default:
        break;
    }
}

static State lawful(SticLaw law, int32_t rows, SticRandom* random, int kind)
{
    State s;
    memset(&s, 0, sizeof s);
    s.law = law;
    s.rows = rows;
    s.B = stic_random_range(random, 0.1, 3.0);
    for (int k = 0; k < 4; ++k)
        s.coef[k] = stic_random_range(random, 0.05, 1.5);
    const double normal = kind == OPEN ? 0.0 : stic_random_range(random, 0.1, 3.0);
    if (law == STIC_LAW_FREE) {
        test_random_vector(random, rows, -2.0, 2.0, s.r);
    } else if (law == STIC_LAW_NONNEG || stic_law_has_normal(law)) {
        s.r[0] = normal;
        if (kind != OPEN)
            tangential_state(&s, random, kind, 1, normal);
        else
            test_random_vector(random, rows, -2.0, 2.0, s.u);
        s.u[0] = kind == OPEN ? stic_random_range(random, 0.1, 2.0) : 0.0;
    } else {
        tangential_state(&s, random, kind == OPEN ? STICK : kind, 0, s.B);
    }
    return s;
}

static void random_rho(SticRandom* random, double rho[3])
{
    for (int g = 0; g < 3; ++g)
        rho[g] = exp(stic_random_range(random, -3.0, 3.0));
}

static bool step_of(const State* s, const double rho[3], double* p)
{
    const SticLawBlock block = {.law = s->law, .rows = s->rows, .coef = s->coef, .B = s->B};
    return stic_law_step(&block, rho, s->u, s->r, p);
}

static bool split_step_of(const State* s, const double rho[3], double* p)
{
    const SticLawBlock block = {.law = s->law, .rows = s->rows, .coef = s->coef, .B = s->B};
    return stic_law_step_split(&block, rho, s->u, s->r, p);
}

// lawful states are fixed points for every rho; the same states with u or r changed are not
static void test_fixed_points(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(31);
    const TestTable table =
        test_table_begin("laws", "law              |rows|state|   moved|  least move when broken");
    for (int l = 0; l < STIC_LAW_COUNT; ++l)
        for (int32_t rows = 1; rows <= N; ++rows)
            for (int kind = 0; kind < STATES; ++kind) {
                const SticLaw law = (SticLaw)l;
                if (!stic_law_takes_rows(law, rows))
                    continue;
                double moved = 0.0, broken = INFINITY;
                for (int i = 0; i < SAMPLES; ++i) {
                    const State s = lawful(law, rows, &random, kind);
                    double rho[3], p[N];
                    random_rho(&random, rho);
                    // nothing is projected in the inside of the set
                    assert_true(step_of(&s, rho, p) || kind != STICK);
                    moved = test_worse(moved, test_largest_difference(rows, p, s.r));
                    assert_true(split_step_of(&s, rho, p) || kind != STICK);
                    moved = test_worse(moved, test_largest_difference(rows, p, s.r));
                    // a velocity that pushes, or a reaction that pulls the wrong way
                    State wrong = s;
                    wrong.r[i % rows] += 10.0;
                    wrong.u[i % rows] += 1.0 + fabs(wrong.u[i % rows]);
                    step_of(&wrong, rho, p);
                    broken = fmin(broken, test_largest_difference(rows, p, wrong.r));
                    // in place gives the same
                    SticLawBlock block = {law, rows, wrong.coef, wrong.B};
                    stic_law_step(&block, rho, wrong.u, wrong.r, wrong.r);
                    assert_memory_equal(wrong.r, p, (size_t)rows * sizeof(double));
                }
                test_table_row(&table, "%s|%d|%s|%.1e|%.1e", stic_law_name(law), rows,
                               state_name[kind], moved, broken);
                test_less(moved, 2e-13);
                test_greater(broken, 1e-3);
            }
}

// the step in the metric equals a plain projection in scaled coordinates
static void test_metric(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(37);
    for (int l = 0; l < STIC_LAW_COUNT; ++l)
        for (int32_t rows = 1; rows <= N; ++rows) {
            const SticLaw law = (SticLaw)l;
            if (!stic_law_takes_rows(law, rows))
                continue;
            for (int i = 0; i < 100; ++i) {
                State s = lawful(law, rows, &random, i % STATES);
                double rho[3], p[N], q[N];
                int32_t at[4];
                test_random_vector(&random, rows, -1.0, 1.0, s.u);
                test_random_vector(&random, rows, -1.0, 1.0, s.r);
                random_rho(&random, rho);
                step_of(&s, rho, p);
                // divide r by a = sqrt(rho), multiply u by it, change the coefficients, use rho = 1
                const int32_t groups = stic_law_groups(law, rows, at);
                State t = s;
                for (int32_t g = 0; g < groups; ++g)
                    for (int32_t k = at[g]; k < at[g + 1]; ++k) {
                        t.r[k] /= sqrt(rho[g]);
                        t.u[k] *= sqrt(rho[g]);
                    }
                const bool normal = stic_law_has_normal(law);
                const bool by_row = law == STIC_LAW_ELLIPSE || law == STIC_LAW_ELLIPSOID ||
                                    law == STIC_LAW_CONE_ELLIPSE;
                const double a = normal ? sqrt(rho[0]) : 1.0;
                const double b = sqrt(rho[normal ? 1 : 0]), c = sqrt(rho[normal ? 2 : 1]);
                t.coef[0] *= a / b;
                t.coef[1] *= by_row ? a / c : a / b;
                t.coef[2] *= by_row ? a / sqrt(rho[2]) : a / c;
                t.coef[3] *= b / c;
                const double one[3] = {1.0, 1.0, 1.0};
                step_of(&t, one, q);
                for (int32_t g = 0; g < groups; ++g)
                    for (int32_t k = at[g]; k < at[g + 1]; ++k)
                        q[k] *= sqrt(rho[g]);
                test_less(test_largest_difference(rows, p, q),
                          1e-13 * (1.0 + rho[0] + rho[1] + rho[2]));
            }
        }
}

/* ---- published numbers ---- */

// r <- step until it no longer moves
static int iterate(const SticLawBlock* block, const double* W, const double* b, const double* rho,
                   double* u, double* r)
{
    const int32_t n = block->rows;
    for (int sweep = 1; sweep < 10000; ++sweep) {
        double p[N];
        for (int32_t i = 0; i < n; ++i) {
            u[i] = b[i];
            for (int32_t j = 0; j < n; ++j)
                u[i] += W[i * n + j] * r[j];
        }
        stic_law_step(block, rho, u, r, p);
        const double moved = test_largest_difference(n, p, r);
        memcpy(r, p, (size_t)n * sizeof *r);
        if (moved < 1e-15)
            return sweep;
    }
    return -1;
}

// Koziara 2008, data of fig. 10.3.3; normal first here
static void test_single_point(void** state)
{
    (void)state;
    const double W[9] = {0.8, 0.4, 0.4, 0.4, 0.8, 0.4, 0.4, 0.4, 0.8}, b[3] = {-2.0, 0.0, 0.0};
    static const struct {
        double mu, r[3], u[3];
    } known[2] = {{0.1, {2.690227834, -0.190227834, -0.190227834}, {0.0, 0.847817732, 0.847817732}},
                  {0.9, {3.75, -1.25, -1.25}, {0.0, 0.0, 0.0}}};
    const SticLaw laws[2] = {STIC_LAW_CONE, STIC_LAW_CONE_ELLIPSE};
    for (int i = 0; i < 2; ++i)
        for (int l = 0; l < 2; ++l) {
            const double coef[4] = {known[i].mu, known[i].mu, 0.0, 0.0};
            const SticLawBlock block = {laws[l], 3, coef, 0.0};
            double rho[3], u[3], r[3] = {0.0, 0.0, 0.0};
            stic_law_rho(laws[l], 3, W, rho);
            rho[0] *= 0.5;
            rho[1] *= 0.5;
            const int sweeps = iterate(&block, W, b, rho, u, r);
            print_message("%-12s mu %.1f: %d steps, R %.9f %.9f %.9f, U %.9f %.9f %.9f\n",
                          stic_law_name(laws[l]), known[i].mu, sweeps, r[1], r[2], r[0], u[1], u[2],
                          u[0]);
            test_greater(sweeps, 0);
            test_less(test_largest_difference(3, r, known[i].r), 5.1e-10);
            test_less(test_largest_difference(3, u, known[i].u), 5.1e-10);
        }
}

// Studer & Glocker 2006, eqs. 28, 30, 32: one particle, solved in one evaluation
static void test_particle_forms(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(41);
    for (int i = 0; i < SAMPLES; ++i) {
        const double m = stic_random_range(&random, 0.1, 5.0),
                     a = stic_random_range(&random, 0.1, 3.0);
        const double zero[2] = {0.0, 0.0}, rho[3] = {m, m, m}, coef[4] = {1.0, 1.0, 0.0, 0.0};
        double F[2], lambda[2], acceleration[2];
        test_random_vector(&random, 2, -4.0, 4.0, F);

        // (28): m du = lambda - F, one step of length m from 0 lands on max(F, 0)
        const SticLawBlock contact = {STIC_LAW_NONNEG, 1, coef, 0.0};
        const double push = -F[0] / m;
        stic_law_step(&contact, rho, &push, zero, lambda);
        test_less(fabs(lambda[0] - fmax(F[0], 0.0)), 1e-15);

        // (32): m du = lambda + F
        const SticLawBlock friction = {STIC_LAW_BALL, 2, coef, a};
        const double free[2] = {F[0] / m, F[1] / m};
        const double size = sqrt(F[0] * F[0] + F[1] * F[1]);
        stic_law_step(&friction, rho, free, zero, lambda);
        // (30): du = kappa(F/m, 1/m)
        const SticConvexSet disc = stic_set_ball(2, a);
        stic_set_kappa(&disc, free, 1.0 / m, acceleration);
        for (int k = 0; k < 2; ++k) {
            const double expected = size <= a ? -F[k] : -a * F[k] / size;
            test_less(fabs(lambda[k] - expected), 1e-14);
            test_less(fabs(m * acceleration[k] - (lambda[k] + F[k])), 1e-14);
        }
    }
}

// eigenvalues known by construction
static void test_rho(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(43);
    for (int32_t n = 1; n <= N; ++n) {
        double A[N * N], rho[3];
        test_random_spd(&random, n, 1e4, A);
        stic_law_rho(STIC_LAW_FREE, n, A, rho);
        test_less(fabs(rho[0] - 1.0), 1e-13);
        test_equal(rho[1], 1.0);
        test_equal(rho[2], 1.0);
    }
    const double W[25] = {2, 9, 9, 9, 9, 9, 3, 1, 9, 9, 9, 1, 3,
                          9, 9, 9, 9, 9, 5, 0, 9, 9, 9, 0, 6};
    double rho[3];
    stic_law_rho(STIC_LAW_ROLLING, 5, W, rho);
    test_near(rho[0], 0.5, 1e-15);
    test_near(rho[1], 0.25, 1e-15);
    test_near(rho[2], 1.0 / 6.0, 1e-15);
}

static void test_names_and_shapes(void** state)
{
    (void)state;
    SticError error = {0};
    const double coef[4] = {0.3, 0.3, 0.1, 0.01}, bad[4] = {-0.3, 0.3, 0.1, 0.01};
    for (int l = 0; l < STIC_LAW_COUNT; ++l) {
        SticLaw found;
        assert_true(stic_law_find(stic_law_name((SticLaw)l), &found));
        assert_int_equal(found, l);
        test_greater(strlen(stic_law_text((SticLaw)l)), 10);
        for (int32_t rows = 1; rows <= N; ++rows) {
            int32_t at[4];
            if (!stic_law_takes_rows((SticLaw)l, rows)) {
                assert_int_equal(stic_law_check((SticLaw)l, rows, coef, 0.0, &error),
                                 STIC_BAD_DATA);
                continue;
            }
            assert_int_equal(stic_law_check((SticLaw)l, rows, coef, 0.0, &error), STIC_OK);
            assert_int_equal(stic_law_check((SticLaw)l, rows, coef, -1.0, &error), STIC_BAD_DATA);
            const int32_t groups = stic_law_groups((SticLaw)l, rows, at);
            test_equal(at[0], 0);
            test_equal(at[groups], rows);
            for (int32_t g = 0; g < groups; ++g)
                test_less(at[g], at[g + 1]);
        }
    }
    assert_int_equal(stic_law_check(STIC_LAW_CONE, 3, bad, 0.0, &error), STIC_BAD_DATA);
    print_message("%s\n", error.text);
    assert_false(stic_law_takes_rows(STIC_LAW_ROLLING, 4));
    assert_string_equal(stic_law_name((SticLaw)99), "unknown");
}

// every named force law makes an admissible interaction
static void test_force_table(void** state)
{
    (void)state;
    const double parameter[3] = {1.0, 0.5, 0.0};
    SticError error = {0};
    int count = 0;
    for (const SticForceEntry* entry = stic_force_table; entry->name != NULL; ++entry) {
        const SticForceLaw made = entry->make(parameter);
        assert_int_equal(stic_law_check(made.law, made.rows, made.coef, made.bound, &error),
                         STIC_OK);
        assert_ptr_equal(stic_force_find(entry->name, &error), entry);
        print_message("  %-14s %s, %d rows: %s\n", entry->name, stic_law_name(made.law), made.rows,
                      entry->text);
        count += 1;
    }
    assert_int_equal(count, 12);
    assert_null(stic_force_find("coulom", &error));
    assert_non_null(strstr(error.text, "'coulomb'"));
    // a Tresca bound of 2 and a motor between -1 and 0.5
    const SticForceLaw tresca = stic_force_tresca(2, 2.0), motor = stic_force_motor(1.0, 0.5);
    const SticConvexSet disc = stic_law_set(tresca.law, 2, tresca.coef, tresca.bound);
    const SticConvexSet range = stic_law_set(motor.law, 1, motor.coef, motor.bound);
    test_equal(disc.kind, STIC_SET_BALL);
    test_equal(disc.size[0], 2.0);
    test_equal(range.low[0], -1.0);
    test_equal(range.size[0], 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed_points), cmocka_unit_test(test_metric),
        cmocka_unit_test(test_single_point), cmocka_unit_test(test_particle_forms),
        cmocka_unit_test(test_rho),          cmocka_unit_test(test_names_and_shapes),
        cmocka_unit_test(test_force_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
