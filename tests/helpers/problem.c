// SPDX-License-Identifier: Apache-2.0
// Random one-step problems for tests, and their comparison.
#include "helpers/problem.h"

#include "stiction/extend/sparse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void* take(SticArena* arena, size_t count, size_t size)
{
    void* memory = NULL;
    assert_int_equal(stic_arena_take(arena, (count + 1) * size, &memory), STIC_OK);
    memset(memory, 0, (count + 1) * size);
    return memory;
}

static double* take_random(SticArena* arena, SticRandom* random, int32_t count)
{
    double* x = take(arena, (size_t)count, sizeof *x);
    test_random_vector(random, count, -1.0, 1.0, x);
    return x;
}

static void fill_laws(SticArena* arena, SticRandom* random, const TestProblemDef* def,
                      SticProblem* problem)
{
    enum { JOINT_ROWS = 3 };
    const int32_t count = def->contacts + def->joints;
    int32_t* row_at = take(arena, (size_t)count + 1, sizeof *row_at);
    uint8_t* law = take(arena, (size_t)count, sizeof *law);
    double(*coef)[4] = take(arena, (size_t)count, sizeof *coef);
    int32_t contacts = 0, joints = 0;
    for (int32_t i = 0; i < count; ++i) {
        // joints as evenly between contacts as possible
        const bool joint = joints < def->joints && (contacts == def->contacts || i % 2 == 1);
        law[i] = (uint8_t)(joint ? STIC_LAW_FREE : def->law);
        row_at[i + 1] = row_at[i] + (joint ? JOINT_ROWS : def->contact_rows);
        joints += joint;
        contacts += !joint;
        if (!joint && def->law != STIC_LAW_NONNEG)
            coef[i][0] = stic_random_range(random, 0.1, 1.0);
        if (!joint && def->law == STIC_LAW_ROLLING)
            coef[i][2] = stic_random_range(random, 0.1, 1.0);
    }
    problem->count = count;
    problem->rows = row_at[count];
    problem->row_at = row_at;
    problem->law = law;
    problem->coef = (const double(*)[4])coef;
}

static const SticBlockCsr* dense_blocks(SticArena* arena, const SticPartition* partition,
                                        const double* dense)
{
    SticBlockCsr* A = take(arena, 1, sizeof *A);
    assert_int_equal(stic_block_csr_from_dense(partition, dense, arena, A), STIC_OK);
    return A;
}

static void fill_local(SticArena* arena, SticRandom* random, SticProblem* problem)
{
    const int32_t n = problem->rows;
    double* W = take(arena, (size_t)n * (size_t)n, sizeof *W);
    if (n > 0)
        test_random_spd(random, n, 100.0, W);
    const SticPartition partition = {problem->count, problem->count, problem->row_at,
                                     problem->row_at};
    problem->W = dense_blocks(arena, &partition, W);
    problem->b = take_random(arena, random, n);
}

static void fill_mass(SticArena* arena, SticRandom* random, int32_t bodies, SticProblem* problem)
{
    enum { BODY = 6 };
    const size_t n = (size_t)bodies * BODY;
    double* M = take(arena, n * n, sizeof *M);
    int32_t* at = take(arena, (size_t)bodies + 1, sizeof *at);
    for (int32_t i = 0; i < bodies; ++i) {
        double block[BODY * BODY];
        at[i + 1] = at[i] + BODY;
        test_random_spd(random, BODY, 10.0, block);
        for (size_t k = 0; k < BODY * BODY; ++k)
            M[((size_t)i * BODY + k / BODY) * n + (size_t)i * BODY + k % BODY] = block[k];
    }
    const SticPartition partition = {bodies, bodies, at, at};
    SticMass* mass = take(arena, 1, sizeof *mass);
    *mass = (SticMass){.kind = STIC_MASS_BLOCKS, .A = dense_blocks(arena, &partition, M)};
    problem->M = mass;
    problem->dof = at[bodies];
    problem->f = take_random(arena, random, problem->dof);
    problem->w = take_random(arena, random, problem->rows);
}

static void fill_jacobian(SticArena* arena, SticRandom* random, int32_t bodies,
                          SticProblem* problem)
{
    const size_t n = (size_t)problem->dof;
    double* Ht = take(arena, n * (size_t)problem->rows, sizeof *Ht);
    for (int32_t i = 0; i < problem->count; ++i)
        for (int side = 0; side < 2; ++side) {
            const size_t body = (size_t)(stic_random_uniform(random) * bodies);
            for (int32_t row = problem->row_at[i]; row < problem->row_at[i + 1]; ++row)
                test_random_vector(random, 6, -1.0, 1.0, Ht + (size_t)row * n + 6 * body);
        }
    const int32_t* at = problem->M->A->row_at;
    const SticPartition partition = {problem->count, bodies, problem->row_at, at};
    problem->Ht = dense_blocks(arena, &partition, Ht);
}

SticProblem test_problem_random(SticArena* arena, SticRandom* random, const TestProblemDef* def)
{
    SticProblem problem = {0};
    fill_laws(arena, random, def, &problem);
    if (def->bodies > 0) {
        fill_mass(arena, random, def->bodies, &problem);
        fill_jacobian(arena, random, def->bodies, &problem);
    } else {
        fill_local(arena, random, &problem);
    }
    if (def->shifts) {
        problem.u_shift = take_random(arena, random, problem.rows);
        problem.r_shift = take_random(arena, random, problem.rows);
    }
    return problem;
}

/* ---- comparison ---- */

static void compare_reals(const char* name, const double* a, const double* b, int64_t count,
                          double tolerance)
{
    if ((a == NULL) != (b == NULL))
        fail_msg("%s is given once only", name);
    double scale = 0.0;
    for (int64_t i = 0; a != NULL && i < count; ++i)
        scale = test_worse(scale, fabs(a[i]));
    for (int64_t i = 0; a != NULL && i < count; ++i)
        if (!(fabs(a[i] - b[i]) <= tolerance * scale))
            fail_msg("%s[%lld] is %.17g and %.17g", name, (long long)i, a[i], b[i]);
}

static void compare_matrix(const char* name, const SticBlockCsr* a, const SticBlockCsr* b,
                           double tolerance)
{
    if ((a == NULL) != (b == NULL))
        fail_msg("%s is given once only", name);
    if (a == NULL)
        return;
    const size_t rows = (size_t)a->rows + 1, cols = (size_t)a->cols + 1;
    if (a->rows != b->rows || a->cols != b->cols ||
        memcmp(a->row_at, b->row_at, rows * sizeof(int32_t)) != 0 ||
        memcmp(a->col_at, b->col_at, cols * sizeof(int32_t)) != 0 ||
        memcmp(a->begin, b->begin, rows * sizeof(int32_t)) != 0 ||
        memcmp(a->col, b->col, (size_t)stic_block_csr_count(a) * sizeof(int32_t)) != 0)
        fail_msg("%s has different blocks: %d in %d rows and %d columns, %d in %d and %d", name,
                 stic_block_csr_count(a), a->rows, a->cols, stic_block_csr_count(b), b->rows,
                 b->cols);
    compare_reals(name, a->value, b->value, a->value_at[stic_block_csr_count(a)], tolerance);
}

void test_problem_compare(const SticProblem* a, const SticProblem* b, double tolerance)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->dof, b->dof);
    for (int32_t i = 0; i < a->count; ++i) {
        assert_int_equal(a->row_at[i + 1], b->row_at[i + 1]);
        assert_int_equal(a->law[i], b->law[i]);
    }
    if (a->count > 0)
        compare_reals("coef", a->coef[0], b->coef[0], 4 * (int64_t)a->count, tolerance);
    compare_reals("u_shift", a->u_shift, b->u_shift, a->rows, tolerance);
    compare_reals("r_shift", a->r_shift, b->r_shift, a->rows, tolerance);
    compare_reals("b", a->b, b->b, a->rows, tolerance);
    compare_reals("f", a->f, b->f, a->dof, tolerance);
    compare_reals("w", a->w, b->w, a->rows, tolerance);
    compare_matrix("W", a->W, b->W, tolerance);
    compare_matrix("H'", a->Ht, b->Ht, tolerance);
    compare_matrix("P'", a->Pt, b->Pt, tolerance);
    if ((a->M == NULL) != (b->M == NULL))
        fail_msg("M is given once only");
    if (a->M != NULL)
        compare_matrix("M", a->M->A, b->M->A, tolerance);
}

double* test_problem_dense(const SticBlockCsr* A)
{
    const size_t count = (size_t)stic_block_csr_height(A) * (size_t)stic_block_csr_width(A);
    double* dense = calloc(count + 1, sizeof *dense);
    assert_non_null(dense);
    stic_block_csr_to_dense(A, dense);
    return dense;
}

SticProblemStore* test_problem_read(const SticContext* context, const char* path)
{
    SticProblemStore* store = NULL;
    SticError error = {0};
    const SticStatus status = stic_problem_read(context, path, STIC_FORMAT_AUTO, &store, &error);
    if (status != STIC_OK)
        fail_msg("%s: %s:%d:%d: %s", stic_status_name(status), error.file, (int)error.line,
                 (int)error.column, error.text);
    return store;
}

void test_file_write(const char* path, const void* bytes, size_t count)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}
