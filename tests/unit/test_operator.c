// SPDX-License-Identifier: Apache-2.0
// labels: threads
// Operators in explicit and factored form against dense sums, condensation, folded shifts.
#include "helpers/helpers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/math.h"
#include "stiction/extend/problem.h"
#include "stiction/extend/sparse.h"

enum { MOST = 400 };

// a random global problem of any block sizes, with dense copies of what it is made of
typedef struct Sample {
    SticProblem problem;
    SticMass mass;
    SticBlockCsr A, inverse, Ht, Pt;
    int32_t row_at[MOST], dof_at[MOST];
    uint8_t law[MOST];
    double coef[MOST][4];
    double *Ht_dense, *Pt_dense, *inverse_dense, *mass_dense; // in the arena
    double f[MOST], w[MOST], b[MOST];
    double* W_dense; // rows x rows
} Sample;

typedef struct SampleDef {
    int32_t count, bodies;
    const int32_t* dof; // sizes of the bodies in turn, ended by 0
    bool other_P;       // P differs from H
    bool unsymmetric;   // M^-1 is not symmetric
    bool fixed;         // every third body cannot move
    bool factor;        // M as a whole with a solver
} SampleDef;

static double* take_zeros(SticArena* arena, int32_t count)
{
    double* x = NULL;
    assert_int_equal(STIC_TAKE(arena, &x, count), STIC_OK);
    memset(x, 0, (size_t)count * sizeof *x);
    return x;
}

// x = M^-1 x by the dense inverse
static SticStatus dense_solve(const void* self, double* x)
{
    const Sample* sample = self;
    const int32_t n = sample->problem.dof;
    double y[MOST];
    stic_dense_mul_vec(n, n, sample->inverse_dense, x, y);
    memcpy(x, y, (size_t)n * sizeof *x);
    return STIC_OK;
}

static void fill_mass(Sample* sample, const SampleDef* def, SticArena* arena, SticRandom* random)
{
    const int32_t n = sample->dof_at[def->bodies];
    sample->inverse_dense = take_zeros(arena, n * n);
    sample->mass_dense = take_zeros(arena, n * n);
    for (int32_t k = 0; k < def->bodies; ++k) {
        const int32_t at = sample->dof_at[k], size = sample->dof_at[k + 1] - at;
        double block[144], mass[144];
        test_random_spd(random, size, 20.0, block);
        if (def->unsymmetric)
            for (int32_t e = 0; e < size * size; ++e)
                block[e] += e % (size + 1) == 0 ? 0.0 : stic_random_range(random, -0.02, 0.02);
        // M from its inverse by LU
        int32_t pivot[12];
        double factor[144];
        memcpy(factor, block, sizeof factor);
        assert_int_equal(stic_dense_lu(size, factor, pivot), STIC_OK);
        for (int32_t c = 0; c < size; ++c) {
            double x[12] = {0.0};
            x[c] = 1.0;
            stic_dense_lu_solve(size, factor, pivot, x);
            for (int32_t a = 0; a < size; ++a)
                mass[a * size + c] = x[a];
        }
        for (int32_t a = 0; a < size; ++a)
            for (int32_t c = 0; c < size; ++c) {
                const int32_t place = (at + a) * n + at + c;
                sample->mass_dense[place] = mass[a * size + c];
                if (!(def->fixed && k % 3 == 1))
                    sample->inverse_dense[place] = block[a * size + c];
            }
    }
}

// two random bodies per interaction
static double* random_jacobian(const Sample* sample, const SampleDef* def, SticArena* arena,
                               SticRandom* random)
{
    const int32_t n = sample->dof_at[def->bodies];
    double* J = take_zeros(arena, n * sample->row_at[def->count]);
    for (int32_t i = 0; i < def->count; ++i)
        for (int32_t side = 0; side < 2; ++side) {
            const int32_t k = (int32_t)(stic_random_uniform(random) * def->bodies);
            for (int32_t row = sample->row_at[i]; row < sample->row_at[i + 1]; ++row)
                test_random_vector(random, sample->dof_at[k + 1] - sample->dof_at[k], -1.0, 1.0,
                                   J + row * n + sample->dof_at[k]);
        }
    return J;
}

// W = P' M^-1 H, b = P' M^-1 f + w by plain sums
static void dense_reference(Sample* sample, SticArena* arena)
{
    const int32_t n = sample->problem.dof, m = sample->problem.rows;
    double* half = take_zeros(arena, n * m); // M^-1 H by columns
    double free_velocity[MOST];
    sample->W_dense = take_zeros(arena, m * m);
    for (int32_t j = 0; j < m; ++j)
        stic_dense_mul_vec(n, n, sample->inverse_dense, sample->Ht_dense + j * n, half + j * n);
    stic_dense_mul_vec(n, n, sample->inverse_dense, sample->f, free_velocity);
    for (int32_t i = 0; i < m; ++i) {
        sample->b[i] = sample->w[i];
        for (int32_t k = 0; k < n; ++k)
            sample->b[i] += sample->Pt_dense[i * n + k] * free_velocity[k];
        for (int32_t j = 0; j < m; ++j)
            for (int32_t k = 0; k < n; ++k)
                sample->W_dense[i * m + j] += sample->Pt_dense[i * n + k] * half[j * n + k];
    }
}

static void make_sample(Sample* sample, const SampleDef* def, SticArena* arena, SticRandom* random)
{
    static const int32_t rows[] = {3, 1, 3, 2, 3, 6, 5, 3};
    memset(sample, 0, sizeof *sample);
    const int32_t* dof = def->dof;
    for (int32_t k = 0; k < def->bodies; ++k) {
        sample->dof_at[k + 1] = sample->dof_at[k] + *dof++;
        dof = *dof == 0 ? def->dof : dof;
    }
    for (int32_t i = 0; i < def->count; ++i)
        sample->row_at[i + 1] = sample->row_at[i] + rows[i % 8];
    const int32_t n = sample->dof_at[def->bodies], m = sample->row_at[def->count];
    test_less(n, MOST);
    test_less(m, MOST);
    fill_mass(sample, def, arena, random);
    sample->Ht_dense = random_jacobian(sample, def, arena, random);
    sample->Pt_dense =
        def->other_P ? random_jacobian(sample, def, arena, random) : sample->Ht_dense;
    test_random_vector(random, n, -1.0, 1.0, sample->f);
    test_random_vector(random, m, -1.0, 1.0, sample->w);
    const SticPartition square = {def->bodies, def->bodies, sample->dof_at, sample->dof_at};
    const SticPartition wide = {def->count, def->bodies, sample->row_at, sample->dof_at};
    assert_int_equal(stic_block_csr_from_dense(&square, sample->mass_dense, arena, &sample->A), 0);
    assert_int_equal(
        stic_block_csr_from_dense(&square, sample->inverse_dense, arena, &sample->inverse), 0);
    assert_int_equal(stic_block_csr_from_dense(&wide, sample->Ht_dense, arena, &sample->Ht), 0);
    assert_int_equal(stic_block_csr_from_dense(&wide, sample->Pt_dense, arena, &sample->Pt), 0);
    sample->mass = (SticMass){.kind = def->factor ? STIC_MASS_FACTOR : STIC_MASS_BLOCKS,
                              .A = &sample->A,
                              .inverse = def->factor ? NULL : &sample->inverse,
                              .solve = dense_solve,
                              .factor = sample};
    sample->problem = (SticProblem){.count = def->count,
                                    .rows = m,
                                    .dof = n,
                                    .row_at = sample->row_at,
                                    .law = sample->law,
                                    .coef = (const double(*)[4])sample->coef,
                                    .M = &sample->mass,
                                    .Ht = &sample->Ht,
                                    .Pt = def->other_P ? &sample->Pt : NULL,
                                    .f = sample->f,
                                    .w = sample->w};
    dense_reference(sample, arena);
}

// largest difference of an operator from the dense sums, its diagonal blocks included
static double operator_defect(const Sample* sample, const SticOperator* op, SticRandom* random)
{
    const int32_t m = sample->problem.rows;
    double r[MOST], u[MOST], worst = 0.0;
    test_random_vector(random, m, -1.0, 1.0, r);
    stic_operator_apply(op, r, u);
    for (int32_t i = 0; i < m; ++i) {
        double sum = sample->b[i];
        for (int32_t j = 0; j < m; ++j)
            sum += sample->W_dense[i * m + j] * r[j];
        worst = test_worse(worst, fabs(sum - u[i]));
    }
    for (int32_t i = 0; i < sample->problem.count; ++i) {
        const int32_t at = sample->row_at[i], rows = sample->row_at[i + 1] - at;
        const double* D = stic_operator_diagonal(op, i);
        for (int32_t e = 0; e < rows * rows; ++e)
            worst = test_worse(worst,
                               fabs(D[e] - sample->W_dense[(at + e / rows) * m + at + e % rows]));
    }
    return worst;
}

static const int32_t six[] = {6, 0};
static const int32_t mixed[] = {6, 3, 12, 1, 7, 6, 2, 0};

static const struct {
    const char* name;
    SampleDef def;
} samples[] = {
    {"bodies of six", {.count = 40, .bodies = 12, .dof = six}},
    {"mixed bodies", {.count = 40, .bodies = 20, .dof = mixed}},
    {"fixed bodies", {.count = 40, .bodies = 20, .dof = mixed, .fixed = true}},
    {"P differs from H", {.count = 40, .bodies = 12, .dof = six, .other_P = true}},
    {"unsymmetric M", {.count = 40, .bodies = 12, .dof = mixed, .unsymmetric = true}},
    {"M with a solver", {.count = 30, .bodies = 12, .dof = mixed, .factor = true}},
};

// both forms agree with plain sums to rounding
static void test_forms(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(3);
    const TestTable table = test_table_begin("largest difference from dense sums",
                                             "problem             |explicit|factored");
    static Sample sample;
    for (size_t s = 0; s < sizeof samples / sizeof samples[0]; ++s) {
        SticArena* arena = NULL;
        SticOperator *op = NULL, *factored = NULL;
        SticError error = {0};
        assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
        make_sample(&sample, &samples[s].def, arena, &random);
        assert_int_equal(
            stic_operator_create(arena, &sample.problem, STIC_FORM_EXPLICIT, &op, &error), 0);
        const double first = operator_defect(&sample, op, &random);
        assert_int_equal(stic_operator_form(op), STIC_FORM_EXPLICIT);
        const SticStatus status =
            stic_operator_create(arena, &sample.problem, STIC_FORM_FACTORED, &factored, &error);
        double second = 0.0;
        if (samples[s].def.factor) {
            assert_int_equal(status, STIC_UNSUPPORTED);
            assert_non_null(strstr(error.text, "not block diagonal"));
        } else {
            assert_int_equal(status, STIC_OK);
            assert_int_equal(stic_operator_form(factored), STIC_FORM_FACTORED);
            second = operator_defect(&sample, factored, &random);
            test_greater(stic_operator_sweep_bytes(factored), 0);
            test_greater(stic_operator_apply_work(factored), 0.0);
        }
        test_table_row(&table, "%s|%.1e|%.1e", samples[s].name, first, second);
        // about 100 products of size 1 per number
        test_less(first, 1e-13);
        test_less(second, 1e-13);
        stic_arena_destroy(arena);
    }
}

// two threads give the same bits as one
static void test_threads(void** state)
{
    (void)state;
    static Sample sample;
    double u[2][MOST], r[MOST];
    for (int form = STIC_FORM_EXPLICIT; form <= STIC_FORM_FACTORED; ++form) {
        for (int threads = 1; threads <= 2; ++threads) {
            SticContext context = stic_context_default();
            SticArena* arena = NULL;
            SticOperator* op = NULL;
            SticRandom random = stic_random_create(5);
            const SampleDef def = {.count = 60, .bodies = 30, .dof = six};
            assert_int_equal(stic_pool_create(&context, threads, &context.pool), STIC_OK);
            assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
            make_sample(&sample, &def, arena, &random);
            test_random_vector(&random, sample.problem.rows, -1.0, 1.0, r);
            assert_int_equal(
                stic_operator_create(arena, &sample.problem, (SticForm)form, &op, NULL), STIC_OK);
            stic_operator_apply(op, r, u[threads - 1]);
            stic_arena_destroy(arena);
            stic_pool_destroy(context.pool);
        }
        assert_memory_equal(u[0], u[1], (size_t)sample.problem.rows * sizeof(double));
    }
}

// x = r + r_shift, y = u + u_shift solve the folded problem's u = W r + b
static void test_fold(void** state)
{
    (void)state;
    static Sample sample;
    const SticContext context = stic_context_default();
    SticArena* arena = NULL;
    SticRandom random = stic_random_create(9);
    const SampleDef def = {.count = 20, .bodies = 8, .dof = mixed};
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    make_sample(&sample, &def, arena, &random);
    const int32_t m = sample.problem.rows;
    double r_shift[MOST], u_shift[MOST], r[MOST], x[MOST], u[MOST], y[MOST], worst = 0.0;
    test_random_vector(&random, m, -1.0, 1.0, r_shift);
    test_random_vector(&random, m, -1.0, 1.0, u_shift);
    test_random_vector(&random, m, -1.0, 1.0, r);
    for (int32_t i = 0; i < m; ++i)
        x[i] = r[i] + r_shift[i];
    SticProblem problem = sample.problem, folded, local;
    problem.r_shift = r_shift;
    problem.u_shift = u_shift;
    for (int form = 0; form < 2; ++form) {
        SticOperator *op = NULL, *op_folded = NULL;
        assert_int_equal(stic_problem_fold(arena, &problem, &folded), STIC_OK);
        assert_null(folded.r_shift);
        assert_int_equal(stic_operator_create(arena, &problem, STIC_FORM_AUTO, &op, NULL), 0);
        assert_int_equal(stic_operator_create(arena, &folded, STIC_FORM_AUTO, &op_folded, NULL), 0);
        stic_operator_apply(op, r, u);
        stic_operator_apply(op_folded, x, y);
        for (int32_t i = 0; i < m; ++i)
            worst = test_worse(worst, fabs(u[i] + u_shift[i] - y[i]));
        // the second time in local form alone
        assert_int_equal(stic_problem_condense(arena, &problem, &local, NULL), STIC_OK);
        problem = local;
        problem.M = NULL;
        problem.Ht = NULL;
        problem.dof = 0;
    }
    print_message("folded shifts: largest difference %.1e\n", worst);
    test_less(worst, 1e-13);
    stic_arena_destroy(arena);
}

static void test_bad_data(void** state)
{
    (void)state;
    static Sample sample;
    const SticContext context = stic_context_default();
    SticArena* arena = NULL;
    SticOperator* op = NULL;
    SticError error = {0};
    SticRandom random = stic_random_create(9);
    const SampleDef def = {.count = 8, .bodies = 8, .dof = six};
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    make_sample(&sample, &def, arena, &random);
    sample.mass.inverse = NULL;
    assert_int_equal(stic_operator_create(arena, &sample.problem, STIC_FORM_AUTO, &op, &error),
                     STIC_BAD_DATA);
    assert_non_null(strstr(error.text, "inverse"));
    sample.problem.Ht = NULL;
    assert_int_equal(stic_operator_create(arena, &sample.problem, STIC_FORM_AUTO, &op, &error),
                     STIC_BAD_DATA);
    stic_arena_destroy(arena);
}

static SticStatus make_both(const SticContext* context, void* self)
{
    const Sample* sample = self;
    SticArena* arena = NULL;
    SticOperator* op = NULL;
    STIC_TRY(stic_arena_create(context, 0, &arena));
    SticStatus status =
        stic_operator_create(arena, &sample->problem, STIC_FORM_FACTORED, &op, NULL);
    if (status == STIC_OK)
        status = stic_operator_create(arena, &sample->problem, STIC_FORM_EXPLICIT, &op, NULL);
    stic_arena_destroy(arena);
    return status;
}

static void test_memory(void** state)
{
    (void)state;
    static Sample sample;
    const SticContext context = stic_context_default();
    SticArena* arena = NULL;
    SticRandom random = stic_random_create(11);
    const SampleDef def = {.count = 40, .bodies = 20, .dof = mixed};
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    make_sample(&sample, &def, arena, &random);
    test_greater(test_fail_every_allocation(make_both, &sample), 3);
    stic_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),  cmocka_unit_test(test_threads),
        cmocka_unit_test(test_fold),   cmocka_unit_test(test_bad_data),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
