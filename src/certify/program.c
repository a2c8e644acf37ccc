// SPDX-License-Identifier: Apache-2.0
// The rows of condition A or A' as one cone program, and what every method on it shares.
//
// Every contact gives y = (u_N, mu u_T) in the cone y_0 >= |(y_1, …)|, which is self-dual; every
// joint gives y = 0. In global form the velocities are those of the problem. In local form with
// symmetric W = B B' they are B' x, of which only y = A x + c is ever needed (A is W with its rows
// and columns scaled): the range of W is that of the kinematics.
#include "certify/program.h"

#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"

#include <math.h>
#include <string.h>

/* ---- rows ---- */

static SticStatus take_rows(SticArena* arena, SticProgram* made)
{
    const SticProblem* problem = made->problem;
    STIC_TRY(STIC_TAKE(arena, &made->row_at, problem->count + 1));
    STIC_TRY(STIC_TAKE(arena, &made->equality, problem->count + 1));
    STIC_TRY(STIC_TAKE(arena, &made->source, problem->rows + 1));
    STIC_TRY(STIC_TAKE(arena, &made->factor, problem->rows + 1));
    STIC_TRY(STIC_TAKE(arena, &made->c, problem->rows + 1));
    STIC_TRY(STIC_TAKE(arena, &made->row, problem->rows + 1));
    STIC_TRY(STIC_TAKE(arena, &made->full, problem->rows + 1));
    made->row_at[0] = 0;
    for (int32_t i = 0; i < problem->count; ++i) {
        const SticConditionRows rows = stic_condition_rows(problem, made->condition, i);
        if (rows.count == 0)
            continue;
        for (int32_t k = 0; k < rows.count; ++k) {
            made->source[made->rows] = rows.row[k];
            made->factor[made->rows] = rows.factor[k];
            made->c[made->rows] =
                stic_condition_offset(problem, rows.row[k]) * rows.factor[k] / made->size;
            made->rows += 1;
        }
        made->equality[made->count++] = rows.equality;
        made->row_at[made->count] = made->rows;
    }
    return STIC_OK;
}

// interaction of each block of the program, and block of each interaction (-1: none)
static SticStatus map_blocks(SticArena* arena, const SticProgram* made, int32_t** owner,
                             int32_t** block)
{
    const SticProblem* problem = made->problem;
    STIC_TRY(STIC_TAKE(arena, owner, made->count + 1));
    STIC_TRY(STIC_TAKE(arena, block, problem->count + 1));
    for (int32_t i = 0, p = 0; i < problem->count; ++i) {
        const bool in = p < made->count && made->source[made->row_at[p]] < problem->row_at[i + 1];
        (*block)[i] = in ? p : -1;
        if (in)
            (*owner)[p++] = i;
    }
    return STIC_OK;
}

// scaled rows (and, in the symmetric form, columns) of one block of S
static double* copy_block(const SticProgram* made, int32_t p, int32_t i, int32_t e, int32_t q,
                          double* to)
{
    const SticBlockCsr* S = stic_condition_matrix(made->problem);
    const int32_t j = S->col[e], n = S->col_at[j + 1] - S->col_at[j];
    for (int32_t row = made->row_at[p]; row < made->row_at[p + 1]; ++row) {
        const double* from =
            S->value + S->value_at[e] + (int64_t)(made->source[row] - S->row_at[i]) * n;
        if (!made->symmetric)
            for (int32_t k = 0; k < n; ++k)
                *to++ = made->factor[row] * from[k];
        else
            for (int32_t col = made->row_at[q]; col < made->row_at[q + 1]; ++col)
                *to++ =
                    made->factor[row] * made->factor[col] * from[made->source[col] - S->col_at[j]];
    }
    return to;
}

// the symmetric form gets all diagonal blocks, so that matrices of its pattern can be added to
static SticStatus fill_matrix(SticArena* arena, SticProgram* made, SticError* error)
{
    const SticBlockCsr* S = stic_condition_matrix(made->problem);
    int32_t *owner = NULL, *block = NULL, *row = NULL, *col = NULL, used = 0;
    double* value = NULL;
    STIC_TRY(map_blocks(arena, made, &owner, &block));
    const int64_t values =
        S->value_at[stic_block_csr_count(S)] + (int64_t)STIC_CONDITION_ROWS * made->rows;
    STIC_TRY(STIC_TAKE(arena, &row, stic_block_csr_count(S) + made->count + 1));
    STIC_TRY(STIC_TAKE(arena, &col, stic_block_csr_count(S) + made->count + 1));
    STIC_TRY(STIC_TAKE(arena, &value, values + 1));
    double* to = value;
    for (int32_t p = 0; p < made->count; ++p) {
        const int32_t i = owner[p], n = made->row_at[p + 1] - made->row_at[p];
        for (int32_t e = S->begin[i]; e < S->begin[i + 1]; ++e) {
            const int32_t q = made->symmetric ? block[S->col[e]] : S->col[e];
            if (q < 0)
                continue;
            row[used] = p;
            col[used++] = q;
            to = copy_block(made, p, i, e, q, to);
        }
        if (!made->symmetric)
            continue;
        row[used] = col[used] = p;
        used += 1;
        memset(to, 0, (size_t)(n * n) * sizeof *to);
        to += n * n;
    }
    const SticPartition partition = {.rows = made->count,
                                     .cols = made->symmetric ? made->count : S->cols,
                                     .row_at = made->row_at,
                                     .col_at = made->symmetric ? made->row_at : S->col_at};
    const SticBlockTriplets triplets = {.count = used, .row = row, .col = col, .value = value};
    return stic_block_csr_from_blocks(&partition, &triplets, arena, &made->A, error);
}

static SticStatus fill_metric(SticArena* arena, SticProgram* made)
{
    const SticBlockCsr* A = &made->A;
    made->cols = stic_block_csr_width(A);
    STIC_TRY(STIC_TAKE(arena, &made->column, made->cols + 1));
    STIC_TRY(STIC_TAKE(arena, &made->metric, made->cols + 1));
    memset(made->metric, 0, (size_t)made->cols * sizeof *made->metric);
    for (int32_t p = 0; p < A->rows; ++p)
        for (int32_t e = A->begin[p]; e < A->begin[p + 1]; ++e) {
            const int32_t at = A->col_at[A->col[e]], n = A->col_at[A->col[e] + 1] - at;
            for (int64_t k = A->value_at[e]; k < A->value_at[e + 1]; ++k)
                made->metric[at + (k - A->value_at[e]) % n] += A->value[k] * A->value[k];
        }
    for (int32_t k = 0; k < made->cols; ++k)
        if (!(made->metric[k] > 0.0))
            made->metric[k] = 1.0;
    return STIC_OK;
}

SticStatus stic_program_create(SticArena* arena, const SticProblem* problem,
                               SticCondition condition, bool symmetric, SticProgram* made,
                               SticError* error)
{
    *made = (SticProgram){.problem = problem,
                          .condition = condition,
                          .size = stic_condition_size(problem, condition),
                          .symmetric = symmetric && problem->M == NULL};
    STIC_TRY(take_rows(arena, made));
    STIC_TRY(fill_matrix(arena, made, error));
    return fill_metric(arena, made);
}

/* ---- velocities of a local form ---- */

// L with W = L L' by rows, rank columns; d gets the diagonal
typedef struct Factor {
    int32_t rows, rank;
    double *L, *d; // [rows*rows], [rows]
    int32_t* pivot;
} Factor;

// row by row products of L: cost rows rank^2 / 2
static void factorise(Factor* factor, const double* W, double tiny)
{
    const int32_t n = factor->rows;
    double most = 0.0;
    for (int32_t i = 0; i < n; ++i) {
        factor->d[i] = W[(int64_t)i * n + i];
        most = factor->d[i] > most ? factor->d[i] : most;
    }
    for (factor->rank = 0; factor->rank < n; ++factor->rank) {
        const int32_t k = factor->rank;
        int32_t p = 0;
        for (int32_t i = 1; i < n; ++i)
            p = factor->d[i] > factor->d[p] ? i : p;
        if (!(factor->d[p] > tiny * most))
            break;
        const double root = sqrt(factor->d[p]);
        const double* row = factor->L + (int64_t)p * n;
        factor->pivot[k] = p;
        for (int32_t i = 0; i < n; ++i) {
            double* to = factor->L + (int64_t)i * n;
            double sum = W[(int64_t)i * n + p];
            if (i == p)
                continue;
            for (int32_t j = 0; j < k; ++j)
                sum -= to[j] * row[j];
            // rows that were pivots have nothing left
            to[k] = factor->d[i] > -INFINITY ? sum / root : 0.0;
            factor->d[i] -= to[k] * to[k];
        }
        factor->L[(int64_t)p * n + k] = root;
        factor->d[p] = -INFINITY;
    }
}

SticStatus stic_program_factor(SticArena* arena, const SticProgram* symmetric, double tiny,
                               SticProgram* made)
{
    const size_t n = (size_t)symmetric->rows;
    Factor factor = {.rows = symmetric->rows};
    double* W = NULL;
    int32_t* col_at = NULL;
    *made = *symmetric;
    made->symmetric = false;
    STIC_TRY(STIC_TAKE(arena, &W, n * n + 1));
    STIC_TRY(STIC_TAKE(arena, &factor.L, n * n + 1));
    STIC_TRY(STIC_TAKE(arena, &factor.d, n + 1));
    STIC_TRY(STIC_TAKE(arena, &factor.pivot, n + 1));
    STIC_TRY(STIC_TAKE(arena, &col_at, n + 2));
    stic_block_csr_to_dense(&symmetric->A, W);
    memset(factor.L, 0, n * n * sizeof *factor.L);
    factorise(&factor, W, tiny);
    // columns in the largest blocks there are
    int32_t blocks = 0;
    col_at[0] = 0;
    while (col_at[blocks] < factor.rank) {
        const int32_t next = col_at[blocks] + STIC_BLOCK_MAX;
        col_at[++blocks] = next < factor.rank ? next : factor.rank;
    }
    for (int32_t i = 0; i < factor.rows; ++i)
        memmove(W + (int64_t)i * factor.rank, factor.L + (int64_t)i * factor.rows,
                (size_t)factor.rank * sizeof *W);
    const SticPartition partition = {
        .rows = made->count, .cols = blocks, .row_at = made->row_at, .col_at = col_at};
    STIC_TRY(stic_block_csr_from_dense(&partition, W, arena, &made->A));
    made->pivot = factor.pivot;
    return fill_metric(arena, made);
}

// row of L that was pivot k, its first k + 1 values
static void pivot_row(const SticProgram* program, int32_t k, double* to)
{
    const SticBlockCsr* A = &program->A;
    const int32_t row = program->pivot[k];
    int32_t p = 0;
    for (int32_t low = 0, high = program->count; low < high;) {
        p = (low + high) / 2;
        if (row >= program->row_at[p] && row < program->row_at[p + 1])
            break;
        if (row < program->row_at[p])
            high = p;
        else
            low = p + 1;
    }
    memset(to, 0, ((size_t)k + 1) * sizeof *to);
    for (int32_t e = A->begin[p]; e < A->begin[p + 1]; ++e) {
        const int32_t at = A->col_at[A->col[e]], n = A->col_at[A->col[e] + 1] - at;
        const double* from = A->value + A->value_at[e] + (row - program->row_at[p]) * n;
        for (int32_t j = 0; j < n && at + j <= k; ++j)
            to[at + j] = from[j];
    }
}

// x with W x = L v, on the pivots: L_p' x_p = v, from the last one back; destroys v
static void pivot_solve(const SticProgram* program, double* v, double* x)
{
    double* L = program->row;
    memset(x, 0, (size_t)program->problem->rows * sizeof *x);
    for (int32_t k = program->cols - 1; k >= 0; --k) {
        pivot_row(program, k, L);
        const double value = v[k] / L[k];
        x[program->pivot[k]] = value;
        for (int32_t j = 0; j < k; ++j)
            v[j] -= L[j] * value;
    }
}

/* ---- products ---- */

void stic_program_velocity(const SticProgram* program, const double* v, double* y)
{
    memcpy(y, program->c, (size_t)program->rows * sizeof *y);
    stic_block_csr_multiply(1.0, &program->A, v, 1.0, y);
}

double stic_program_pull(const SticProgram* program, const double* q, double* g, double* image)
{
    if (program->symmetric) {
        memcpy(g, q, (size_t)program->rows * sizeof *g);
    } else {
        stic_block_csr_multiply_transpose(1.0, &program->A, q, 0.0, g);
        for (int32_t k = 0; k < program->cols; ++k)
            g[k] /= program->metric[k];
    }
    stic_block_csr_multiply(1.0, &program->A, g, 0.0, image);
    double product = 0.0;
    for (int32_t row = 0; row < program->rows; ++row)
        product += q[row] * image[row];
    return product;
}

double stic_program_margin(const SticProgram* program, const double* y, double* joint)
{
    double margin = INFINITY;
    *joint = 0.0;
    for (int32_t p = 0; p < program->count; ++p) {
        const int32_t at = program->row_at[p], n = program->row_at[p + 1] - at;
        double sum = 0.0;
        for (int32_t k = program->equality[p] ? 0 : 1; k < n; ++k)
            sum += y[at + k] * y[at + k];
        const double slack = y[at] - sqrt(sum);
        // a value that is not a number is no margin
        if (isnan(slack))
            return -INFINITY;
        if (program->equality[p])
            *joint = sqrt(sum) > *joint ? sqrt(sum) : *joint;
        else if (slack < margin)
            margin = slack;
    }
    return margin;
}

/* ---- results ---- */

void stic_program_witness(const SticProgram* program, const double* v, double* witness)
{
    if (!program->symmetric && program->pivot == NULL) {
        for (int32_t k = 0; k < program->cols; ++k)
            witness[k] = program->size * v[k];
        return;
    }
    const double* x = v;
    if (program->pivot != NULL) {
        memcpy(program->column, v, (size_t)program->cols * sizeof *v);
        pivot_solve(program, program->column, program->full);
        x = program->full;
    }
    memset(witness, 0, (size_t)program->problem->rows * sizeof *witness);
    for (int32_t row = 0; row < program->rows; ++row)
        witness[program->source[row]] = program->size * program->factor[row] * x[row];
}

void stic_program_certificate(const SticProgram* program, const double* x, double* r)
{
    // a few roundings inside the cone, so that the verifier finds it there
    const double inside = 1.0 - 8.0 * 0x1p-52;
    memset(r, 0, (size_t)program->problem->rows * sizeof *r);
    for (int32_t p = 0; p < program->count; ++p) {
        const int32_t at = program->row_at[p], n = program->row_at[p + 1] - at;
        double sum = 0.0, shrink = 1.0;
        for (int32_t k = 1; k < n; ++k)
            sum += x[at + k] * x[at + k];
        if (!program->equality[p] && sqrt(sum) > inside * x[at])
            shrink = x[at] > 0.0 ? inside * x[at] / sqrt(sum) : 0.0;
        for (int32_t k = 0; k < n; ++k)
            r[program->source[at + k]] = program->factor[at + k] * x[at + k] *
                                         (program->equality[p] || k == 0 ? 1.0 : shrink);
        if (!program->equality[p] && !(x[at] > 0.0))
            r[program->source[at]] = 0.0;
    }
}

void stic_program_keep(const SticProgram* program, const SticProgramGoal* goal, const double* v,
                       const double* y, SticProgramPoint* point)
{
    double joint = 0.0, most = 0.0;
    // roughly as the verifier does: what the last bits of the data amount to
    for (int32_t k = 0; k < program->cols; ++k) {
        const double part = fabs(v[k]) * sqrt(program->metric[k]);
        most = part > most ? part : most;
    }
    const double margin = stic_program_margin(program, y, &joint) - 0x1p-48 * most;
    if (!(margin > point->margin) || joint > 0.5 * goal->tolerance)
        return;
    point->margin = margin;
    memcpy(point->v, v, (size_t)program->cols * sizeof *v);
}

void stic_program_keep_dual(const SticProgram* program, const SticProgramGoal* goal,
                            const double* x, SticProgramPoint* point)
{
    double value = 0.0, normal = 0.0, defect = 0.0;
    for (int32_t p = 0; p < program->count; ++p) {
        for (int32_t row = program->row_at[p]; row < program->row_at[p + 1]; ++row)
            value += program->c[row] * x[row];
        normal += program->equality[p] ? 0.0 : x[program->row_at[p]];
    }
    stic_block_csr_multiply_transpose(1.0, &program->A, x, 0.0, program->column);
    for (int32_t k = 0; k < program->cols; ++k)
        defect += fabs(program->column[k]) / sqrt(program->metric[k]);
    const double most = (value + goal->reach * defect) / (normal > 0.0 ? normal : 1.0);
    if (!(most < point->most))
        return;
    point->most = most;
    memcpy(point->x, x, (size_t)program->rows * sizeof *x);
}
