// SPDX-License-Identifier: Apache-2.0
// LDL' and LU of block matrices against elimination with full pivoting and Jacobi eigenvalues on
// dense copies: mixed block sizes, definite, quasi-definite, indefinite, singular, unsymmetric.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/helpers.h"
#include "sparse/factor.h"

enum { MAX_PARTS = 64, MAX_SIZE = 400 };

// ---- dense reference

typedef struct Dense {
    int32_t n;
    double value[MAX_SIZE * MAX_SIZE];
} Dense;

// x = A^-1 b by elimination with full pivoting; gives the smallest pivot over the largest
static double gauss(const Dense* A, const double* b, double* x)
{
    static double M[MAX_SIZE][MAX_SIZE + 1];
    static int32_t order[MAX_SIZE];
    const int32_t n = A->n;
    double first = 0, ratio = 1;
    for (int32_t i = 0; i < n; ++i) {
        memcpy(M[i], A->value + (size_t)i * (size_t)n, (size_t)n * sizeof(double));
        M[i][n] = b[i];
        order[i] = i;
    }
    for (int32_t k = 0; k < n; ++k) {
        int32_t row = k, col = k;
        for (int32_t i = k; i < n; ++i)
            for (int32_t j = k; j < n; ++j)
                if (fabs(M[i][j]) > fabs(M[row][col])) {
                    row = i;
                    col = j;
                }
        for (int32_t j = 0; j <= n; ++j) {
            const double kept = M[k][j];
            M[k][j] = M[row][j];
            M[row][j] = kept;
        }
        for (int32_t i = 0; i < n; ++i) {
            const double kept = M[i][k];
            M[i][k] = M[i][col];
            M[i][col] = kept;
        }
        const int32_t kept = order[k];
        order[k] = order[col];
        order[col] = kept;
        first = k == 0 ? fabs(M[k][k]) : first;
        ratio = fmin(ratio, fabs(M[k][k]) / first);
        for (int32_t i = k + 1; i < n; ++i) {
            const double f = M[i][k] / M[k][k];
            for (int32_t j = k; j <= n; ++j)
                M[i][j] -= f * M[k][j];
        }
    }
    for (int32_t k = n - 1; k >= 0; --k) {
        double sum = M[k][n];
        for (int32_t j = k + 1; j < n; ++j)
            sum -= M[k][j] * x[order[j]];
        x[order[k]] = sum / M[k][k];
    }
    return ratio;
}

// eigenvalues of a symmetric matrix by cyclic Jacobi rotations
static void eigenvalues(const Dense* A, double* value)
{
    static double M[MAX_SIZE][MAX_SIZE];
    const int32_t n = A->n;
    for (int32_t i = 0; i < n; ++i)
        memcpy(M[i], A->value + (size_t)i * (size_t)n, (size_t)n * sizeof(double));
    for (int sweep = 0; sweep < 30; ++sweep)
        for (int32_t p = 0; p < n; ++p)
            for (int32_t q = p + 1; q < n; ++q) {
                if (M[p][q] == 0)
                    continue;
                const double theta = (M[q][q] - M[p][p]) / (2 * M[p][q]);
                const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
                const double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int32_t k = 0; k < n; ++k) {
                    const double a = M[k][p], b = M[k][q];
                    M[k][p] = c * a - s * b;
                    M[k][q] = s * a + c * b;
                }
                for (int32_t k = 0; k < n; ++k) {
                    const double a = M[p][k], b = M[q][k];
                    M[p][k] = c * a - s * b;
                    M[q][k] = s * a + c * b;
                }
            }
    for (int32_t i = 0; i < n; ++i)
        value[i] = M[i][i];
}

// ---- samples

typedef enum Kind { DEFINITE, QUASI_DEFINITE, INDEFINITE, SINGULAR, UNSYMMETRIC } Kind;
static const char* const kind_name[] = {"definite", "quasi-definite", "indefinite", "singular",
                                        "unsymmetric"};

typedef struct Sample {
    SticArena* arena;
    int32_t parts, at[MAX_PARTS + 1];
    SticBlockCsr A;
    Dense dense;
    int8_t sign[MAX_SIZE];
} Sample;

static Sample sample; // large; one at a time

// dense += c J'J-like coupling of two parts, or random values for the unsymmetric kind
static void couple(SticRandom* random, Kind kind, int32_t a, int32_t b)
{
    double* M = sample.dense.value;
    const int32_t n = sample.dense.n;
    if (kind == UNSYMMETRIC) {
        for (int32_t i = sample.at[a]; i < sample.at[a + 1]; ++i)
            for (int32_t j = sample.at[b]; j < sample.at[b + 1]; ++j)
                M[i * n + j] += stic_random_range(random, -1, 1);
        return;
    }
    // one rank-one term g g' over both parts; of the quasi-definite kind only its off-diagonal part
    // couples a part of the other sign
    double g[2 * STIC_BLOCK_MAX];
    int32_t index[2 * STIC_BLOCK_MAX], count = 0;
    for (int32_t i = sample.at[a]; i < sample.at[a + 1]; ++i)
        index[count++] = i;
    for (int32_t i = sample.at[b]; i < sample.at[b + 1] && a != b; ++i)
        index[count++] = i;
    test_random_vector(random, count, -1, 1, g);
    for (int32_t i = 0; i < count; ++i)
        for (int32_t j = 0; j < count; ++j) {
            const int8_t si = sample.sign[index[i]], sj = sample.sign[index[j]];
            const double value = si == sj ? si * g[i] * g[j] : g[i] * g[j];
            if (kind != INDEFINITE || index[i] != index[j])
                M[index[i] * n + index[j]] += value;
        }
}

static void make_sample(SticRandom* random, Kind kind, int32_t parts, int32_t size, int32_t links)
{
    sample.parts = parts;
    sample.at[0] = 0;
    for (int32_t i = 0; i < parts; ++i)
        sample.at[i + 1] =
            sample.at[i] + (size > 0 ? size : test_random_index(random, 1, STIC_BLOCK_MAX));
    const int32_t n = sample.dense.n = sample.at[parts];
    test_at_most(n, MAX_SIZE);
    double* M = sample.dense.value;
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    for (int32_t p = 0; p < parts; ++p) {
        const int8_t sign = kind == QUASI_DEFINITE || kind == INDEFINITE
                                ? (int8_t)(test_random_index(random, 0, 1) ? 1 : -1)
                                : 1;
        for (int32_t i = sample.at[p]; i < sample.at[p + 1]; ++i)
            sample.sign[i] = sign;
    }
    for (int32_t k = 0; k < links && parts > 1; ++k) {
        const int32_t a = test_random_index(random, 0, parts - 1),
                      b = test_random_index(random, 0, parts - 1);
        couple(random, kind, a, b);
    }
    for (int32_t p = 0; p < parts; ++p)
        couple(random, kind, p, p);
    for (int32_t i = 0; i < n && kind != SINGULAR; ++i)
        M[i * n + i] += kind == UNSYMMETRIC ? stic_random_range(random, -2, 2) : sample.sign[i];
    const SticContext context = stic_context_default();
    assert_int_equal(stic_arena_create(&context, 1 << 16, &sample.arena), STIC_OK);
    const SticPartition partition = {parts, parts, sample.at, sample.at};
    assert_int_equal(stic_block_csr_from_dense(&partition, M, sample.arena, &sample.A), STIC_OK);
}

static void multiply(const Dense* A, const double* x, double* y)
{
    for (int32_t i = 0; i < A->n; ++i) {
        y[i] = 0;
        for (int32_t j = 0; j < A->n; ++j)
            y[i] += A->value[i * A->n + j] * x[j];
    }
}

// |b - A x| / (|A| |x| + |b|) in the maximum norm
static double residual_of(const Dense* A, const double* b, const double* x)
{
    double worst = 0, norm_x = 0, norm_b = 0, norm_A = 0;
    for (int32_t i = 0; i < A->n; ++i) {
        double sum = b[i], row = 0;
        for (int32_t j = 0; j < A->n; ++j) {
            sum -= A->value[i * A->n + j] * x[j];
            row += fabs(A->value[i * A->n + j]);
        }
        worst = test_worse(worst, isfinite(sum) ? fabs(sum) : INFINITY);
        norm_x = test_worse(norm_x, fabs(x[i]));
        norm_b = test_worse(norm_b, fabs(b[i]));
        norm_A = test_worse(norm_A, row);
    }
    return worst == 0 ? 0 : worst / (norm_A * norm_x + norm_b);
}

static double difference(int32_t n, const double* a, const double* b)
{
    double most = 0, size = 0;
    for (int32_t i = 0; i < n; ++i) {
        most = test_worse(most, isfinite(a[i]) ? fabs(a[i] - b[i]) : INFINITY);
        size = test_worse(size, fabs(b[i]));
    }
    return most / size;
}

typedef struct Factored {
    SticSymbolic* symbolic;
    SticFactor* factor;
    SticFactorInfo info;
} Factored;

static Factored factorise(SticFactorKind kind, SticOrdering ordering, const int8_t* sign)
{
    const SticContext context = stic_context_default();
    Factored f = {0};
    SticError error = {0};
    SticPivotSettings settings = stic_pivot_default_settings();
    settings.sign = sign;
    assert_int_equal(stic_symbolic_create(&context, &sample.A, ordering, &f.symbolic, &error),
                     STIC_OK);
    assert_int_equal(stic_factor_create(f.symbolic, kind, &f.factor, &error), STIC_OK);
    assert_int_equal(stic_factor_compute(f.factor, &sample.A, &settings, &f.info), STIC_OK);
    return f;
}

static void drop(Factored* f)
{
    stic_factor_destroy(f->factor);
    stic_symbolic_destroy(f->symbolic);
    stic_arena_destroy(sample.arena);
}

// ---- tests

typedef struct Case {
    Kind kind;
    int32_t parts, size, links;
} Case;

static const Case cases[] = {
    {DEFINITE, 1, 1, 0},          {DEFINITE, 1, 12, 0},        {DEFINITE, 30, 3, 60},
    {DEFINITE, 40, 6, 70},        {DEFINITE, 40, 0, 60},       {DEFINITE, 60, 6, 900},
    {DEFINITE, 33, 12, 800},      {QUASI_DEFINITE, 20, 3, 40}, {QUASI_DEFINITE, 40, 0, 80},
    {QUASI_DEFINITE, 60, 6, 900}, {UNSYMMETRIC, 1, 1, 0},      {UNSYMMETRIC, 1, 7, 0},
    {UNSYMMETRIC, 30, 3, 90},     {UNSYMMETRIC, 40, 6, 80},    {UNSYMMETRIC, 40, 0, 60},
    {UNSYMMETRIC, 60, 6, 1500},
};

static void solutions_agree_with_full_pivoting(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(1);
    const TestTable table = test_table_begin(
        "solve against elimination with full pivoting",
        "matrix            |rows|supernodes|factor| residual |refined  |difference");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c)
        for (int pass = 0; pass < 4; ++pass) {
            const SticOrdering ordering = pass % 2 ? STIC_ORDERING_NATURAL : STIC_ORDERING_AMD;
            const SticFactorKind kind = pass / 2 ? STIC_FACTOR_LU : STIC_FACTOR_LDL;
            if (cases[c].kind == UNSYMMETRIC && kind == STIC_FACTOR_LDL)
                continue;
            make_sample(&random, cases[c].kind, cases[c].parts, cases[c].size, cases[c].links);
            const int32_t n = sample.dense.n;
            double b[MAX_SIZE], x[MAX_SIZE], refined[MAX_SIZE], reference[MAX_SIZE];
            test_random_vector(&random, n, -1, 1, b);
            Factored f = factorise(kind, ordering, sample.sign);
            memcpy(x, b, sizeof x);
            stic_factor_solve(f.factor, x);
            const double before = residual_of(&sample.dense, b, x);
            stic_factor_refine(f.factor, &sample.A, b, 10, refined);
            const double after = residual_of(&sample.dense, b, refined);
            const double worst_pivot = gauss(&sample.dense, b, reference);
            const double apart = difference(n, refined, reference);
            test_table_row(&table, "%s|%d|%d|%s|%.1e|%.1e|%.1e", kind_name[cases[c].kind], n,
                           stic_symbolic_info(f.symbolic).supernodes,
                           kind == STIC_FACTOR_LU ? "LU" : "LDL'", before, after, apart);
            assert_int_equal(f.info.replaced, 0);
            assert_int_equal(f.info.unexpected, 0);
            test_less(before, (cases[c].kind == UNSYMMETRIC ? 1e-11 : 1e-13));
            test_less(after, 1e-15);
            test_less(apart * worst_pivot, 1e-13);

            // A' x = b by the same factor
            static Dense flipped;
            flipped.n = n;
            for (int32_t i = 0; i < n; ++i)
                for (int32_t j = 0; j < n; ++j)
                    flipped.value[i * n + j] = sample.dense.value[j * n + i];
            memcpy(x, b, sizeof x);
            stic_factor_solve_transpose(f.factor, x);
            test_less(residual_of(&flipped, b, x), (cases[c].kind == UNSYMMETRIC ? 1e-11 : 1e-13));
            drop(&f);
        }
}

static void inertia_is_that_of_the_eigenvalues(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(2);
    const TestTable table =
        test_table_begin("signs of pivots and eigenvalues",
                         "matrix            |rows|smallest |positive|negative|replaced|unexpected");
    static const Case list[] = {{DEFINITE, 12, 0, 20},       {QUASI_DEFINITE, 10, 0, 20},
                                {QUASI_DEFINITE, 20, 3, 60}, {INDEFINITE, 8, 6, 30},
                                {INDEFINITE, 12, 0, 30},     {INDEFINITE, 20, 3, 60},
                                {INDEFINITE, 40, 1, 60}};
    for (size_t c = 0; c < sizeof list / sizeof *list; ++c) {
        make_sample(&random, list[c].kind, list[c].parts, list[c].size, list[c].links);
        const int32_t n = sample.dense.n;
        double value[MAX_SIZE], least = INFINITY, most = 0;
        eigenvalues(&sample.dense, value);
        for (int32_t i = 0; i < n; ++i)
            most = test_worse(most, fabs(value[i]));
        int32_t positive = 0, negative = 0;
        for (int32_t i = 0; i < n; ++i) {
            positive += value[i] > 0;
            negative += value[i] < 0;
            least = fmin(least, fabs(value[i]) / most);
        }
        Factored f = factorise(STIC_FACTOR_LDL, STIC_ORDERING_AMD,
                               list[c].kind == INDEFINITE ? NULL : sample.sign);
        test_table_row(&table, "%s|%d|%.1e|%d = %d|%d = %d|%d|%d", kind_name[list[c].kind], n,
                       least, f.info.positive, positive, f.info.negative, negative, f.info.replaced,
                       f.info.unexpected);
        test_greater(least, 1e-6); // else the signs of the reference mean nothing
        assert_int_equal(f.info.positive, positive);
        assert_int_equal(f.info.negative, negative);
        assert_int_equal(f.info.replaced, 0);
        drop(&f);
    }
}

static void free_motions_of_a_mesh_are_counted(void** state)
{
    (void)state;
    // springs with full 3 x 3 stiffness between neighbours of three unconnected strips: every strip
    // moves freely in 3 directions, so that 9 pivots vanish whatever the order
    SticRandom random = stic_random_create(12);
    const int32_t n = sample.dense.n = 3 * 60;
    double* M = sample.dense.value;
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    for (int32_t i = 0; i <= 60; ++i)
        sample.at[i] = 3 * i;
    for (int32_t i = 0; i < 60; ++i)
        for (int32_t step = 1; step <= 2; ++step) {
            const int32_t j = i + step;
            if (j / 20 != i / 20)
                continue;
            double K[9];
            test_random_spd(&random, 3, 10, K);
            for (int32_t e = 0; e < 9; ++e) {
                const int32_t r = e / 3, c = e % 3;
                M[(3 * i + r) * n + 3 * i + c] += K[e];
                M[(3 * j + r) * n + 3 * j + c] += K[e];
                M[(3 * i + r) * n + 3 * j + c] -= K[e];
                M[(3 * j + r) * n + 3 * i + c] -= K[e];
            }
        }
    const SticContext context = stic_context_default();
    for (int pass = 0; pass < 4; ++pass) {
        assert_int_equal(stic_arena_create(&context, 1 << 16, &sample.arena), STIC_OK);
        const SticPartition partition = {60, 60, sample.at, sample.at};
        assert_int_equal(stic_block_csr_from_dense(&partition, M, sample.arena, &sample.A),
                         STIC_OK);
        Factored f = factorise(pass / 2 ? STIC_FACTOR_LU : STIC_FACTOR_LDL,
                               pass % 2 ? STIC_ORDERING_NATURAL : STIC_ORDERING_AMD, NULL);
        print_message("%s: %d positive, %d negative, %d replaced\n", pass / 2 ? "LU" : "LDL'",
                      f.info.positive, f.info.negative, f.info.replaced);
        assert_int_equal(f.info.replaced, 9);
        assert_int_equal(f.info.positive, pass / 2 ? 0 : n - 9);
        assert_int_equal(f.info.negative, 0);
        drop(&f);
    }
}

static void consistent_singular_systems_are_solved(void** state)
{
    (void)state;
    // LDL' leaves x = 0 where a pivot was replaced and solves every such system. LU may pair a
    // dependent column with a row that is not: the equation of that row is then met to about the
    // size of the replacement, sqrt(epsilon)
    enum { EACH = 40 };
    SticRandom random = stic_random_create(3);
    int32_t solved[2] = {0, 0}, fewest = MAX_SIZE;
    double worst[2] = {0, 0};
    for (int pass = 0; pass < 2 * EACH; ++pass) {
        make_sample(&random, SINGULAR, 24, pass % 2 ? 0 : 6, 40);
        const int32_t n = sample.dense.n, lu = pass >= EACH;
        double b[MAX_SIZE], x[MAX_SIZE], y[MAX_SIZE];
        test_random_vector(&random, n, -1, 1, y);
        multiply(&sample.dense, y, b);
        Factored f = factorise(lu ? STIC_FACTOR_LU : STIC_FACTOR_LDL, STIC_ORDERING_AMD, NULL);
        stic_factor_refine(f.factor, &sample.A, b, 10, x);
        const double residual = residual_of(&sample.dense, b, x);
        solved[lu] += residual < 1e-13;
        worst[lu] = test_worse(worst[lu], residual);
        fewest = f.info.replaced < fewest ? f.info.replaced : fewest;
        drop(&f);
    }
    print_message("of %d singular systems with at least %d replaced pivots: LDL' solved %d, worst "
                  "residual %.1e; LU solved %d, worst %.1e\n",
                  EACH, fewest, solved[0], worst[0], solved[1], worst[1]);
    test_greater(fewest, 0);
    assert_int_equal(solved[0], EACH);
    test_at_least(solved[1], EACH * 9 / 10);
    test_less(worst[1], 1.5e-8);
}

static void signs_of_replaced_pivots_are_as_expected(void** state)
{
    (void)state;
    // KKT matrix [1 0 1; 0 0 0; 1 0 0] with an empty row and a zero that elimination fills
    const double M[9] = {1, 0, 1, 0, 0, 0, 1, 0, 1};
    const int32_t at[4] = {0, 1, 2, 3};
    const SticPartition partition = {3, 3, at, at};
    const SticContext context = stic_context_default();
    for (int8_t sign = -1; sign <= 1; sign = (int8_t)(sign + 2)) {
        sample.parts = 3;
        const int8_t expected[3] = {1, 1, sign};
        assert_int_equal(stic_arena_create(&context, 0, &sample.arena), STIC_OK);
        assert_int_equal(stic_block_csr_from_dense(&partition, M, sample.arena, &sample.A),
                         STIC_OK);
        Factored f = factorise(STIC_FACTOR_LDL, STIC_ORDERING_NATURAL, expected);
        assert_int_equal(f.info.replaced, 2);
        assert_int_equal(f.info.positive, 1);
        double pivot = 0;
        for (int32_t p = 0; p < 3; ++p)
            if (f.symbolic->scalar_order[p] == 2)
                pivot = f.factor->pivot[p];
        test_equal(pivot, sign * stic_pivot_default_settings().replacement);
        drop(&f);
    }
}

static void the_scale_of_the_matrix_does_not_matter(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(4);
    for (int pass = 0; pass < 4; ++pass) {
        make_sample(&random, pass % 2 ? SINGULAR : QUASI_DEFINITE, 20, 0, 40);
        const SticFactorKind kind = pass / 2 ? STIC_FACTOR_LU : STIC_FACTOR_LDL;
        Factored f = factorise(kind, STIC_ORDERING_AMD, NULL);
        const SticFactorInfo plain = f.info;
        const int64_t values = sample.A.value_at[stic_block_csr_count(&sample.A)];
        double* scaled = NULL;
        assert_int_equal(STIC_TAKE(sample.arena, &scaled, values), STIC_OK);
        for (int64_t v = 0; v < values; ++v)
            scaled[v] = ldexp(sample.A.value[v], pass % 2 ? 300 : -300);
        sample.A.value = scaled;
        SticFactorInfo info;
        assert_int_equal(stic_factor_compute(f.factor, &sample.A, NULL, &info), STIC_OK);
        assert_int_equal(info.replaced, plain.replaced);
        assert_int_equal(info.positive, plain.positive);
        assert_int_equal(info.negative, plain.negative);
        drop(&f);
    }
}

static void condition_is_estimated(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(6);
    const TestTable table = test_table_begin("1-norm condition numbers",
                                             "matrix            |  exact  | estimate|ratio");
    for (int pass = 0; pass < 8; ++pass) {
        const Kind kind = pass % 2 ? UNSYMMETRIC : QUASI_DEFINITE;
        make_sample(&random, kind, pass + 2, pass < 4 ? 0 : 6, 3 * pass);
        const int32_t n = sample.dense.n;
        double norm = 0, inverse = 0;
        for (int32_t j = 0; j < n; ++j) {
            double e[MAX_SIZE] = {0}, x[MAX_SIZE], sum = 0, column = 0;
            e[j] = 1;
            gauss(&sample.dense, e, x);
            for (int32_t i = 0; i < n; ++i) {
                sum += fabs(x[i]);
                column += fabs(sample.dense.value[i * n + j]);
            }
            inverse = test_worse(inverse, sum);
            norm = test_worse(norm, column);
        }
        Factored f = factorise(kind == UNSYMMETRIC ? STIC_FACTOR_LU : STIC_FACTOR_LDL,
                               STIC_ORDERING_AMD, NULL);
        const double estimate = stic_factor_condition(f.factor, &sample.A);
        const double ratio = estimate / (norm * inverse);
        test_table_row(&table, "%s|%.3e|%.3e|%.3f", kind_name[kind], norm * inverse, estimate,
                       ratio);
        test_less(ratio, 1 + 1e-10);
        test_greater(ratio, 1.0 / 3);
        drop(&f);
    }
}

static void cholmod_agrees_where_it_is_built_in(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(13);
    for (int pass = 0; pass < 6; ++pass) {
        make_sample(&random, DEFINITE, 5 + 7 * pass, pass % 2 ? 6 : 0, 12 * pass);
        SticSymbolic* symbolic = NULL;
        SticFactor *own = NULL, *other = NULL;
        SticError error = {0};
        assert_int_equal(
            stic_symbolic_create(&context, &sample.A, STIC_ORDERING_AMD, &symbolic, NULL), STIC_OK);
        const SticStatus status = stic_factor_create(symbolic, STIC_FACTOR_CHOLMOD, &other, &error);
        if (status == STIC_UNSUPPORTED) {
            print_message("%s\n", error.text);
            assert_null(other);
            stic_symbolic_destroy(symbolic);
            stic_arena_destroy(sample.arena);
            return;
        }
        assert_int_equal(status, STIC_OK);
        assert_int_equal(stic_factor_create(symbolic, STIC_FACTOR_LDL, &own, NULL), STIC_OK);
        double b[MAX_SIZE], x[MAX_SIZE], y[MAX_SIZE];
        const int32_t n = sample.dense.n;
        test_random_vector(&random, n, -1, 1, b);
        SticFactorInfo info;
        // twice, because the second time the analysis is there
        for (int again = 0; again < 2; ++again) {
            assert_int_equal(stic_factor_compute(other, &sample.A, NULL, &info), STIC_OK);
            assert_int_equal(info.positive, n);
        }
        assert_int_equal(stic_factor_compute(own, &sample.A, NULL, NULL), STIC_OK);
        memcpy(x, b, sizeof x);
        stic_factor_solve(other, x);
        memcpy(y, b, sizeof y);
        stic_factor_solve(own, y);
        print_message("%d rows: residual %.1e, difference to LDL' %.1e, conditions %.4g %.4g\n", n,
                      residual_of(&sample.dense, b, x), difference(n, x, y),
                      stic_factor_condition(other, &sample.A),
                      stic_factor_condition(own, &sample.A));
        test_less(residual_of(&sample.dense, b, x), 1e-15);
        test_less(difference(n, x, y), 1e-12);
        // a negative pivot is not for CHOLMOD
        double* value = NULL;
        const int64_t values = sample.A.value_at[stic_block_csr_count(&sample.A)];
        assert_int_equal(STIC_TAKE(sample.arena, &value, values), STIC_OK);
        for (int64_t v = 0; v < values; ++v)
            value[v] = -sample.A.value[v];
        sample.A.value = value;
        assert_int_equal(stic_factor_compute(other, &sample.A, NULL, &info), STIC_SINGULAR);
        stic_factor_destroy(own);
        stic_factor_destroy(other);
        stic_symbolic_destroy(symbolic);
        stic_arena_destroy(sample.arena);
    }
}

// results that must be the same everywhere: hash of the solution
static uint64_t solve_hash(SticFactorKind kind, bool plain)
{
    SticRandom random = stic_random_create(7);
    uint64_t hash = 0;
    for (int pass = 0; pass < 4; ++pass) {
        const int32_t sizes[4] = {0, 6, 3, 12}, parts[4] = {40, 60, 60, 33};
        make_sample(&random, kind == STIC_FACTOR_LU ? UNSYMMETRIC : QUASI_DEFINITE, parts[pass],
                    sizes[pass], pass % 2 ? 700 : 70);
        Factored f = factorise(kind, STIC_ORDERING_AMD, NULL);
        f.factor->kernels = stic_panel_kernels(plain);
        assert_int_equal(stic_factor_compute(f.factor, &sample.A, NULL, NULL), STIC_OK);
        double x[MAX_SIZE];
        for (int32_t i = 0; i < sample.dense.n; ++i)
            x[i] = 1 + i % 5;
        stic_factor_solve(f.factor, x);
        hash = stic_hash_doubles(hash, x, (size_t)sample.dense.n);
        drop(&f);
    }
    return hash;
}

static void results_have_the_same_bits_everywhere(void** state)
{
    (void)state;
    // recorded; the same for gcc and clang, -O0 to -O3, both instruction sets
    const uint64_t recorded[2] = {0x9fdc8e20f231282d, 0x2f2b15b25a19a06d};
    for (int k = 0; k < 2; ++k) {
        const SticFactorKind kind = k ? STIC_FACTOR_LU : STIC_FACTOR_LDL;
        const uint64_t wide = solve_hash(kind, false), again = solve_hash(kind, false);
        const uint64_t plain = solve_hash(kind, true);
        print_message("%s: %016llx, again %016llx, base instructions %016llx\n", k ? "LU" : "LDL'",
                      (unsigned long long)wide, (unsigned long long)again,
                      (unsigned long long)plain);
        test_equal(wide, again);
        test_equal(wide, plain);
        test_equal(wide, recorded[k]);
    }
}

static void empty_and_wrong_matrices_are_handled(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    const int32_t zero[1] = {0}, at[3] = {0, 3, 6}, other[3] = {0, 2, 6};
    const int32_t begin[3] = {0, 0, 0};
    SticError error = {0};
    SticSymbolic* symbolic = NULL;
    SticFactor* factor = NULL;
    SticFactorInfo info;
    const int64_t value_at[1] = {0};
    const SticBlockCsr nothing = {0, 0, zero, zero, zero, NULL, value_at, NULL};
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(
            stic_symbolic_create(&context, &nothing, STIC_ORDERING_AMD, &symbolic, &error),
            STIC_OK);
        assert_int_equal(
            stic_factor_create(symbolic, k ? STIC_FACTOR_LU : STIC_FACTOR_LDL, &factor, &error),
            STIC_OK);
        assert_int_equal(stic_factor_compute(factor, &nothing, NULL, &info), STIC_OK);
        stic_factor_solve(factor, NULL);
        test_equal(stic_factor_condition(factor, &nothing), 1);
        stic_factor_destroy(factor);
        stic_symbolic_destroy(symbolic);
    }
    // a matrix without any block is zero: every pivot is replaced by 1
    const SticBlockCsr zeros = {2, 2, at, at, begin, NULL, value_at, NULL};
    assert_int_equal(stic_symbolic_create(&context, &zeros, STIC_ORDERING_AMD, &symbolic, &error),
                     STIC_OK);
    assert_int_equal(stic_factor_create(symbolic, STIC_FACTOR_LDL, &factor, &error), STIC_OK);
    assert_int_equal(stic_factor_compute(factor, &zeros, NULL, &info), STIC_OK);
    assert_int_equal(info.replaced, 6);
    assert_int_equal(stic_factor_compute(factor, &nothing, NULL, &info), STIC_BAD_ARGUMENT);
    stic_factor_destroy(factor);
    stic_symbolic_destroy(symbolic);

    const SticBlockCsr wide = {1, 2, at, at, begin, NULL, value_at, NULL};
    assert_int_equal(stic_symbolic_create(&context, &wide, STIC_ORDERING_AMD, &symbolic, &error),
                     STIC_BAD_ARGUMENT);
    print_message("%s\n", error.text);
    const SticBlockCsr uneven = {2, 2, at, other, begin, NULL, value_at, NULL};
    assert_int_equal(stic_symbolic_create(&context, &uneven, STIC_ORDERING_AMD, &symbolic, &error),
                     STIC_BAD_ARGUMENT);
    print_message("%s\n", error.text);
    assert_null(symbolic);

    // not a number
    const int32_t one[2] = {0, 1}, first[1] = {0};
    const int64_t one_at[2] = {0, 1};
    const double bad = NAN;
    const SticBlockCsr nan = {1, 1, one, one, one, first, one_at, &bad};
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(stic_symbolic_create(&context, &nan, STIC_ORDERING_AMD, &symbolic, &error),
                         STIC_OK);
        assert_int_equal(
            stic_factor_create(symbolic, k ? STIC_FACTOR_LU : STIC_FACTOR_LDL, &factor, &error),
            STIC_OK);
        assert_int_equal(stic_factor_compute(factor, &nan, NULL, &info), STIC_NOT_FINITE);
        stic_factor_destroy(factor);
        stic_symbolic_destroy(symbolic);
    }
}

static SticStatus analyse_and_factor(const SticContext* context, void* self)
{
    const SticFactorKind kind = *(SticFactorKind*)self;
    SticSymbolic* symbolic = NULL;
    SticFactor* factor = NULL;
    STIC_TRY(stic_symbolic_create(context, &sample.A, STIC_ORDERING_AMD, &symbolic, NULL));
    SticStatus status = stic_factor_create(symbolic, kind, &factor, NULL);
    if (status == STIC_OK)
        status = stic_factor_compute(factor, &sample.A, NULL, NULL);
    stic_factor_destroy(factor);
    stic_symbolic_destroy(symbolic);
    return status;
}

static void memory_may_fail_and_is_not_taken_by_computing(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(9);
    make_sample(&random, DEFINITE, 40, 6, 80);
    for (int k = 0; k < 2; ++k) {
        SticFactorKind kind = k ? STIC_FACTOR_LU : STIC_FACTOR_LDL;
        test_at_least(test_fail_every_allocation(analyse_and_factor, &kind), 6);

        TestMemory memory;
        const SticContext context = test_memory_context(&memory);
        SticSymbolic* symbolic = NULL;
        SticFactor* factor = NULL;
        assert_int_equal(
            stic_symbolic_create(&context, &sample.A, STIC_ORDERING_AMD, &symbolic, NULL), STIC_OK);
        assert_int_equal(stic_factor_create(symbolic, kind, &factor, NULL), STIC_OK);
        const int64_t calls = memory.calls;
        double b[MAX_SIZE], x[MAX_SIZE];
        test_random_vector(&random, sample.dense.n, -1, 1, b);
        assert_int_equal(stic_factor_compute(factor, &sample.A, NULL, NULL), STIC_OK);
        stic_factor_refine(factor, &sample.A, b, 3, x);
        stic_factor_condition(factor, &sample.A);
        assert_int_equal(memory.calls, calls);
        stic_factor_destroy(factor);
        stic_symbolic_destroy(symbolic);
        test_memory_check(&memory);
    }
    stic_arena_destroy(sample.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_agree_with_full_pivoting),
        cmocka_unit_test(inertia_is_that_of_the_eigenvalues),
        cmocka_unit_test(free_motions_of_a_mesh_are_counted),
        cmocka_unit_test(consistent_singular_systems_are_solved),
        cmocka_unit_test(signs_of_replaced_pivots_are_as_expected),
        cmocka_unit_test(the_scale_of_the_matrix_does_not_matter),
        cmocka_unit_test(condition_is_estimated),
        cmocka_unit_test(cholmod_agrees_where_it_is_built_in),
        cmocka_unit_test(results_have_the_same_bits_everywhere),
        cmocka_unit_test(empty_and_wrong_matrices_are_handled),
        cmocka_unit_test(memory_may_fail_and_is_not_taken_by_computing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
