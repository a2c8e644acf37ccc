// SPDX-License-Identifier: Apache-2.0
// The dense path of nsgs for problems of a few rows against the general path: random problems with
// mixed laws, bounds from other interactions, constant bounds, shifts, local and global form.
#include "helpers/solve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/math.h"
#include "solver/method/tiny.h"
#include "stiction/extend/problem.h"
#include "stiction/extend/solver.h"

enum { PROBLEMS = 600, MOST = 12, MOST_DOF = 24 };

/* ---- random problems ---- */

// a problem with the memory of its arrays
typedef struct Sample {
    SticProblem problem;
    int32_t row_at[MOST + 1], bound_row[MOST], begin[MOST + 1], col[MOST * MOST], body_at[5];
    int32_t body_begin[5], body_col[4];
    int64_t value_at[MOST * MOST + 1], body_value_at[5];
    uint8_t law[MOST];
    double coef[MOST][4], bound[MOST], u_shift[MOST], r_shift[MOST], b[MOST], w[MOST], f[MOST_DOF];
    double value[MOST * MOST], H[MOST * 12], P[MOST * 12], A[4 * 36], inverse[4 * 36];
    SticBlockCsr W, Ht, Pt, M, M_inverse;
    SticMass mass;
} Sample;

static int32_t pick(SticRandom* random, int32_t count)
{
    return (int32_t)(stic_random_bits(random) % (uint64_t)count);
}

static void add_law(Sample* s, SticRandom* random, SticLaw law, int32_t rows, int32_t bound_row)
{
    const int32_t i = s->problem.count++;
    s->law[i] = (uint8_t)law;
    s->row_at[i + 1] = s->row_at[i] + rows;
    s->bound_row[i] = bound_row;
    s->bound[i] = bound_row < 0 || pick(random, 3) == 0 ? stic_random_range(random, 0.0, 1.0) : 0.0;
    for (int k = 0; k < 4; ++k)
        s->coef[i][k] = pick(random, 12) == 0 ? 0.0 : stic_random_range(random, 0.1, 0.5);
    s->problem.rows = s->row_at[i + 1];
}

// laws until the rows are used up; friction in rows of its own comes after its normal row
static void choose_laws(Sample* s, SticRandom* random)
{
    static const SticLaw friction[] = {STIC_LAW_INTERVAL, STIC_LAW_BALL, STIC_LAW_ELLIPSE,
                                       STIC_LAW_ELLIPSOID};
    const int32_t most = 1 + pick(random, MOST);
    while (s->problem.rows < most) {
        const int32_t left = most - s->problem.rows, kind = pick(random, 4);
        const int32_t free_rows = 1 + pick(random, left < 6 ? left : 6);
        if (kind == 0) {
            add_law(s, random, STIC_LAW_FREE, free_rows, -1);
        } else if (kind == 1 && left >= 2) {
            add_law(s, random, STIC_LAW_CONE, left >= 3 ? 2 + pick(random, 2) : 2, -1);
        } else {
            const int32_t normal = s->problem.rows, which = pick(random, 4);
            const bool foreign = kind == 2;
            const int32_t rows = which == 1 ? 2 + pick(random, 2) : 1 + which - (which > 1);
            if (foreign)
                add_law(s, random, STIC_LAW_NONNEG, 1, -1);
            if (rows <= left - (foreign ? 1 : 0))
                add_law(s, random, friction[which], rows, foreign ? normal : -1);
        }
    }
}

static void fill_local(Sample* s, SticRandom* random)
{
    const int32_t n = s->problem.rows, count = s->problem.count;
    double dense[MOST * MOST];
    test_random_spd(random, n, 20.0, dense);
    int64_t used = 0;
    for (int32_t i = 0, e = 0; i < count; ++i)
        for (int32_t j = 0; j < count; ++j) {
            s->begin[i + 1] = e + 1;
            s->col[e] = j;
            s->value_at[e++] = used;
            for (int32_t a = s->row_at[i]; a < s->row_at[i + 1]; ++a)
                for (int32_t c = s->row_at[j]; c < s->row_at[j + 1]; ++c)
                    s->value[used++] = dense[a * n + c];
            s->value_at[e] = used;
        }
    s->W = (SticBlockCsr){.rows = count,
                          .cols = count,
                          .row_at = s->row_at,
                          .col_at = s->row_at,
                          .begin = s->begin,
                          .col = s->col,
                          .value_at = s->value_at,
                          .value = s->value};
    s->problem.W = &s->W;
    s->problem.b = s->b;
    test_random_vector(random, n, -1.0, 1.0, s->b);
}

// bodies of 1 to 6 velocities, at least as many in all as there are rows, so that W is regular
static int32_t fill_bodies(Sample* s, SticRandom* random)
{
    int32_t bodies = 0;
    int64_t used = 0;
    while (bodies < 4 && (bodies == 0 || s->body_at[bodies] < s->problem.rows + 2)) {
        const int32_t n = s->problem.rows > 6 ? 6 : 1 + pick(random, 6);
        test_random_spd(random, n, 5.0, s->inverse + used);
        assert_int_equal(stic_dense_spd_inverse(n, s->inverse + used, s->A + used), STIC_OK);
        s->body_value_at[bodies] = used;
        s->body_begin[bodies] = s->body_col[bodies] = bodies;
        used += n * n;
        ++bodies;
        s->body_at[bodies] = s->body_at[bodies - 1] + n;
        s->body_begin[bodies] = bodies;
        s->body_value_at[bodies] = used;
    }
    s->M = (SticBlockCsr){.rows = bodies,
                          .cols = bodies,
                          .row_at = s->body_at,
                          .col_at = s->body_at,
                          .begin = s->body_begin,
                          .col = s->body_col,
                          .value_at = s->body_value_at,
                          .value = s->A};
    s->M_inverse = s->M;
    s->M_inverse.value = s->inverse;
    s->mass = (SticMass){.kind = STIC_MASS_BLOCKS, .A = &s->M, .inverse = &s->M_inverse};
    return bodies;
}

static void fill_global(Sample* s, SticRandom* random)
{
    const int32_t bodies = fill_bodies(s, random), count = s->problem.count;
    int64_t used = 0;
    int32_t blocks = 0;
    for (int32_t i = 0; i < count; ++i) {
        const int32_t rows = s->row_at[i + 1] - s->row_at[i];
        const int32_t first = pick(random, bodies), second = pick(random, bodies);
        for (int32_t k = 0; k < bodies; ++k) {
            if (k != first && k != second)
                continue;
            s->value_at[blocks] = used;
            s->col[blocks++] = k;
            used += rows * (s->body_at[k + 1] - s->body_at[k]);
        }
        s->begin[i + 1] = blocks;
    }
    s->value_at[blocks] = used;
    test_random_vector(random, (int32_t)used, -1.0, 1.0, s->H);
    s->Ht = (SticBlockCsr){.rows = count,
                           .cols = bodies,
                           .row_at = s->row_at,
                           .col_at = s->body_at,
                           .begin = s->begin,
                           .col = s->col,
                           .value_at = s->value_at,
                           .value = s->H};
    s->problem.dof = s->body_at[bodies];
    s->problem.M = &s->mass;
    s->problem.Ht = &s->Ht;
    s->problem.f = s->f;
    s->problem.w = s->w;
    test_random_vector(random, s->problem.dof, -1.0, 1.0, s->f);
    test_random_vector(random, s->problem.rows, -0.5, 0.5, s->w);
    // now and then directions of forces that differ a little from those of velocities
    if (pick(random, 4) != 0)
        return;
    for (int64_t k = 0; k < used; ++k)
        s->P[k] = s->H[k] + stic_random_range(random, -0.02, 0.02);
    s->Pt = s->Ht;
    s->Pt.value = s->P;
    s->problem.Pt = &s->Pt;
}

static void make_sample(SticRandom* random, Sample* s)
{
    memset(s, 0, sizeof *s);
    choose_laws(s, random);
    s->problem.row_at = s->row_at;
    s->problem.law = s->law;
    s->problem.coef = (const double(*)[4])s->coef;
    s->problem.bound = s->bound;
    s->problem.bound_row = s->bound_row;
    if (pick(random, 2) == 0)
        fill_local(s, random);
    else
        fill_global(s, random);
    if (pick(random, 2) == 0) {
        test_random_vector(random, s->problem.rows, -0.3, 0.3, s->u_shift);
        s->problem.u_shift = s->u_shift;
    }
    if (pick(random, 2) == 0) {
        test_random_vector(random, s->problem.rows, 0.0, 0.2, s->r_shift);
        s->problem.r_shift = s->r_shift;
    }
}

// W = P' M^-1 H can be singular or nearly so when too many rows act on one body
static bool is_regular(SticArena* arena, const SticProblem* problem)
{
    SticProblemStatistics statistics;
    assert_int_equal(stic_problem_statistics(arena, problem, &statistics, NULL), STIC_OK);
    return statistics.condition < 1e4 && statistics.negative == 0;
}

/* ---- comparison ---- */

typedef struct Result {
    SticSolveInfo info;
    double r[MOST], u[MOST];
} Result;

static double distance(int32_t n, const double* a, const double* b)
{
    double most = 0.0, size = 0.0;
    for (int32_t k = 0; k < n; ++k) {
        most = test_worse(most, fabs(a[k] - b[k]));
        size = test_worse(size, fmax(fabs(a[k]), fabs(b[k])));
    }
    return most / fmax(size, 1.0);
}

// 0 if the same to rounding: an absolute part for errors that are rounding themselves
static double difference(double a, double b)
{
    return fmax(0.0, fabs(a - b) - 1e-13) / fmax(fabs(b), 1e-300);
}

static double errors_differ(const SticErrors* a, const SticErrors* b)
{
    double most = difference(a->relative, b->relative);
    most = test_worse(most, difference(a->siconos, b->siconos));
    most = test_worse(most, difference(a->unit_free, b->unit_free));
    most = test_worse(most, difference(a->floor, b->floor));
    return fmax(most, difference(a->floor_unit_free, b->floor_unit_free));
}

// the same r and u as the general path, for every norm
static void test_same_solution(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(7);
    SticArena* arena = NULL;
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    SticSolveRequest request = test_request(&context, "nsgs");
    int32_t compared = 0, dense = 0;
    double r_most = 0.0, u_most = 0.0;
    for (int32_t k = 0; k < PROBLEMS; ++k) {
        Sample s;
        Result fast = {0}, slow = {0}, through = {0};
        make_sample(&random, &s);
        if (!is_regular(arena, &s.problem))
            continue;
        request.settings.norm = k % 3;
        request.settings.tolerance = 1e-13;
        request.settings.max_iterations = 20000;
        // asking for a history leaves the dense path out
        request.settings.keep_history = true;
        assert_int_equal(stic_solve(&s.problem, &request, slow.r, slow.u, &slow.info), STIC_OK);
        if (slow.info.outcome != STIC_OUTCOME_SOLVED)
            continue;
        ++compared;
        request.settings.keep_history = false;
        assert_true(stic_tiny_takes(&s.problem));
        if (!stic_tiny_solve(&s.problem, &request.settings, fast.r, fast.u, &fast.info))
            continue;
        ++dense;
        assert_int_equal(stic_solve(&s.problem, &request, through.r, through.u, &through.info),
                         STIC_OK);
        assert_memory_equal(through.r, fast.r, sizeof fast.r);
        const double r = distance(s.problem.rows, fast.r, slow.r);
        const double u = distance(s.problem.rows, fast.u, slow.u);
        if (!(r <= 1e-10 && u <= 1e-10))
            print_message("problem %d: r differs by %.2e, u by %.2e\n", k, r, u);
        r_most = test_worse(r_most, r);
        u_most = test_worse(u_most, u);
    }
    print_message("%d problems, %d solved by the dense path; r differs by %.2e, u by %.2e\n",
                  compared, dense, r_most, u_most);
    test_at_least(compared, 300);
    test_at_least(dense, 9 * compared / 10);
    test_at_most(r_most, 1e-10);
    test_at_most(u_most, 1e-10);
    stic_workspace_destroy(request.workspace);
    stic_arena_destroy(arena);
}

// the errors it reports are those of the general measure, at r that are far from solved too
static void test_same_errors(void** state)
{
    (void)state;
    static const double tolerances[] = {0.5, 1e-3, 1e-8};
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(11);
    SticArena* arena = NULL;
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    int32_t compared = 0, visible = 0;
    double most = 0.0, u_most = 0.0;
    for (int32_t k = 0; k < PROBLEMS; ++k) {
        Sample s;
        Result fast = {0};
        double u[MOST];
        SticErrors errors;
        SticSolveSettings settings = stic_solve_default_settings();
        make_sample(&random, &s);
        settings.norm = k % 3;
        settings.tolerance = tolerances[k % 7 % 3];
        if (!stic_tiny_solve(&s.problem, &settings, fast.r, fast.u, &fast.info))
            continue;
        assert_int_equal(stic_errors_compute(arena, &s.problem, fast.r, u, &errors), STIC_OK);
        ++compared;
        visible += errors.unit_free > 1e-10 ? 1 : 0;
        most = test_worse(most, errors_differ(&fast.info.errors, &errors));
        u_most = test_worse(u_most, distance(s.problem.rows, fast.u, u));
        if (!fast.info.at_floor) {
            test_at_most(stic_errors_get(&errors, (SticNorm)settings.norm), settings.tolerance);
        }
    }
    print_message("%d problems, %d with an error above 1e-10: errors differ by %.1e of their size, "
                  "u by %.1e\n",
                  compared, visible, most, u_most);
    test_at_least(compared, 400);
    test_at_least(visible, 100);
    test_at_most(most, 1e-6);
    test_at_most(u_most, 1e-13);
    stic_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_solution),
        cmocka_unit_test(test_same_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
