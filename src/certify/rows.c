// SPDX-License-Identifier: Apache-2.0
// Equations and inequalities of a branch as a condition, for the margin program and the verifier.
//
// Rows of S z + c: 0 in joints, not negative in unilateral contacts, in the cone of 1/mu where a
// reaction sticks. Largest margin by the interior point of maximise.c; the multipliers it gives are
// substituted by verify.c.
#include "certify/rows.h"

#include <math.h>
#include <string.h>

#include "certify/program.h"
#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"

// add a row of x (velocity false) or y, times `sign`; a first row of a block gets its law
void stic_rows_add(SticRows* rows, int32_t k, double sign, bool velocity)
{
    STIC_ASSERT(k >= 0 && k < rows->minor->rows);
    const SticMinor* minor = rows->minor;
    const double* from = (velocity ? minor->WC : minor->C) + k * minor->rows;
    double* to = minor->S + rows->rows * rows->unknowns;
    for (int32_t j = 0; j < rows->unknowns; ++j)
        to[j] = sign * from[j];
    minor->c[rows->rows++] = velocity ? sign * minor->b[k] : 0.0;
}

// add f x_N + h x_T
static void add_edge(SticRows* rows, int32_t at, double f, double h)
{
    const SticMinor* minor = rows->minor;
    const double *N = minor->C + at * minor->rows, *T = N + minor->rows;
    double* to = minor->S + rows->rows * rows->unknowns;
    for (int32_t j = 0; j < rows->unknowns; ++j)
        to[j] = f * N[j] + h * T[j];
    minor->c[rows->rows++] = 0.0;
}

void stic_rows_end(SticRows* rows, SticLaw law, double mu)
{
    rows->minor->law[rows->count] = (uint8_t)law;
    memset(rows->minor->coef[rows->count], 0, sizeof rows->minor->coef[0]);
    rows->minor->coef[rows->count][0] = mu;
    rows->minor->row_at[++rows->count] = rows->rows;
}

// reactions of contact i in their set, and velocities where `moving`
void stic_rows_inequalities(SticRows* rows, const uint8_t* state, int32_t i, bool moving)
{
    STIC_ASSERT(i >= 0 && i < rows->minor->count);
    const SticProblem* problem = rows->minor->problem;
    const int32_t at = problem->row_at[i], n = problem->row_at[i + 1] - at;
    const double mu = stic_minor_mu(rows->minor, i);
    if (state[i] == STIC_STATE_OPEN && moving) {
        stic_rows_add(rows, at, 1.0, true);
        stic_rows_end(rows, STIC_LAW_NONNEG, 0.0);
    }
    if (state[i] == STIC_STATE_CLOSED || state[i] == STIC_STATE_SLIDE ||
        state[i] == STIC_STATE_BACK) {
        stic_rows_add(rows, at, 1.0, false);
        stic_rows_end(rows, STIC_LAW_NONNEG, 0.0);
    }
    for (int32_t side = -1; side <= 1 && state[i] == STIC_STATE_STICK && n == 2; side += 2) {
        add_edge(rows, at, mu, side);
        stic_rows_end(rows, STIC_LAW_NONNEG, 0.0);
    }
    if (state[i] == STIC_STATE_STICK && n == 3) {
        // |r_T| <= mu r_N as a contact with 1/mu between "velocities" r
        for (int32_t k = 0; k < n; ++k)
            stic_rows_add(rows, at + k, 1.0, false);
        stic_rows_end(rows, STIC_LAW_CONE, 1.0 / mu);
    }
    if (moving && n == 2 && (state[i] == STIC_STATE_SLIDE || state[i] == STIC_STATE_BACK)) {
        stic_rows_add(rows, at + 1, state[i] == STIC_STATE_SLIDE ? 1.0 : -1.0, true);
        stic_rows_end(rows, STIC_LAW_NONNEG, 0.0);
    }
}

// equations, then inequalities of all contacts, as a problem that the verifier reads
SticStatus stic_rows_condition(SticRows* rows, SticBlockCsr* S, SticProblem* made)
{
    const SticMinor* minor = rows->minor;
    for (int32_t k = 0; k <= rows->unknowns; ++k)
        minor->col_at[k] = k;
    const SticPartition partition = {.rows = rows->count,
                                     .cols = rows->unknowns,
                                     .row_at = minor->row_at,
                                     .col_at = minor->col_at};
    STIC_TRY(stic_block_csr_from_dense(&partition, minor->S, minor->arena, S));
    *made = (SticProblem){.count = rows->count,
                          .rows = rows->rows,
                          .row_at = minor->row_at,
                          .law = minor->law,
                          .coef = (const double(*)[4])minor->coef,
                          .W = S,
                          .b = minor->c};
    return STIC_OK;
}

SticRows stic_rows_begin(SticMinor* minor, int32_t unknowns)
{
    minor->row_at[0] = 0;
    return (SticRows){.minor = minor, .unknowns = unknowns};
}

// largest margin of the inequalities; z inside, multipliers in `multiplier`
SticStatus stic_rows_inspect(SticRows* rows, SticCertificateCheck* check, double* margin)
{
    SticMinor* minor = rows->minor;
    const SticArenaMark mark = stic_arena_mark(minor->arena);
    const SticProgramGoal goal = {.tolerance = minor->settings->tolerance,
                                  .reach = minor->settings->reach,
                                  .steps = 100,
                                  .margin = true};
    SticBlockCsr S;
    SticProblem condition;
    SticProgram program;
    SticProgramPoint point = {.margin = -INFINITY, .most = INFINITY};
    int32_t steps = 0;
    STIC_TRY(stic_rows_condition(rows, &S, &condition));
    STIC_TRY(stic_program_create(minor->arena, &condition, STIC_CONDITION_SUFFICIENT, false,
                                 &program, minor->error));
    STIC_TRY(STIC_TAKE(minor->arena, &point.v, program.cols + 1));
    STIC_TRY(STIC_TAKE(minor->arena, &point.x, program.rows + 1));
    memset(point.v, 0, ((size_t)program.cols + 1) * sizeof *point.v);
    memset(point.x, 0, ((size_t)program.rows + 1) * sizeof *point.x);
    STIC_TRY(stic_program_maximise(minor->arena, &program, &goal, &point, &steps, minor->error));
    *margin = point.margin * program.size;
    if (point.margin > -INFINITY)
        stic_program_witness(&program, point.v, minor->z);
    stic_program_certificate(&program, point.x, minor->multiplier);
    STIC_TRY(stic_certificate_verify(minor->arena, &condition, STIC_CONDITION_SUFFICIENT,
                                     minor->settings->reach, minor->multiplier, check));
    stic_arena_rewind(minor->arena, mark);
    return STIC_OK;
}

/* ---- rank ---- */

// rank of an m x n matrix by rows, by elimination with complete pivoting; destroys it
int32_t stic_rows_rank(int32_t m, int32_t n, double* A)
{
    STIC_ASSERT(m >= 0 && n >= 0);
    // W is scaled to 1: the rounding of its products, with room to spare
    const double tiny = 1e-10;
    double largest = 0.0;
    for (int32_t k = 0; k < m * n; ++k)
        largest = fabs(A[k]) > largest ? fabs(A[k]) : largest;
    int32_t rank = 0;
    for (; rank < m && rank < n; ++rank) {
        int32_t row = rank, col = rank;
        for (int32_t i = rank; i < m; ++i)
            for (int32_t j = rank; j < n; ++j)
                if (fabs(A[i * n + j]) > fabs(A[row * n + col]))
                    row = i, col = j;
        if (!(fabs(A[row * n + col]) > tiny * largest))
            break;
        for (int32_t j = 0; j < n; ++j) {
            const double swap = A[rank * n + j];
            A[rank * n + j] = A[row * n + j];
            A[row * n + j] = swap;
        }
        for (int32_t i = 0; i < m; ++i) {
            const double swap = A[i * n + rank];
            A[i * n + rank] = A[i * n + col];
            A[i * n + col] = swap;
        }
        for (int32_t i = rank + 1; i < m; ++i) {
            const double f = A[i * n + rank] / A[rank * n + rank];
            for (int32_t j = rank; j < n; ++j)
                A[i * n + j] -= f * A[rank * n + j];
        }
    }
    return rank;
}
