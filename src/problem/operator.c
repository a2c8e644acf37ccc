// SPDX-License-Identifier: Apache-2.0
// The operator u = W r + b in explicit or factored form.
//
// Factored form: with M^-1 = S S' by body, W = (S'H)'(S'H); one Gauss-Seidel visit of a contact
// reads and writes two bodies and its own two blocks, whatever the number of neighbours. The
// explicit form reads one block of W per neighbour (eq. 7.1.4-7.1.7 of Koziara's thesis for the
// blocks). Set-up costs one pass over H, memory is that of H (two times H where P differs from H).
//
// Applying the factored form gathers v by body and u by interaction, so that both loops run in
// chunks on the pool without two chunks writing the same number; each sum has a fixed order.
#include "problem/operator_kernel.h"

#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"

#include <math.h>
#include <string.h>

/* ---- shared by both forms ---- */

SticStatus stic_diagonal_take(SticArena* arena, const SticProblem* problem, const int64_t** at,
                              double** diagonal)
{
    int64_t* begin = NULL;
    STIC_TRY(STIC_TAKE(arena, &begin, problem->count + 1));
    begin[0] = 0;
    for (int32_t i = 0; i < problem->count; ++i) {
        const int64_t rows = problem->row_at[i + 1] - problem->row_at[i];
        begin[i + 1] = begin[i] + rows * rows;
    }
    STIC_TRY(STIC_TAKE(arena, diagonal, begin[problem->count]));
    memset(*diagonal, 0, (size_t)begin[problem->count] * sizeof **diagonal);
    *at = begin;
    return STIC_OK;
}

void stic_diagonal_copy(const SticBlockCsr* W, const int64_t* at, double* diagonal)
{
    for (int32_t i = 0; i < W->rows; ++i) {
        const int32_t k = stic_block_csr_find(W, i, i);
        if (k >= 0)
            memcpy(diagonal + at[i], W->value + W->value_at[k],
                   (size_t)(at[i + 1] - at[i]) * sizeof *diagonal);
    }
}

double stic_diagonal_first(const SticProblem* problem, int32_t i)
{
    STIC_ASSERT(i >= 0 && i < problem->count);
    if (problem->W != NULL) {
        const int32_t e = stic_block_csr_find(problem->W, i, i);
        return e < 0 ? 0.0 : problem->W->value[problem->W->value_at[e]];
    }
    const SticBlockCsr *Ht = problem->Ht, *inverse = problem->M->inverse;
    double sum = 0.0;
    for (int32_t e = Ht->begin[i]; e < Ht->begin[i + 1]; ++e) {
        const int32_t k = Ht->col[e], n = Ht->col_at[k + 1] - Ht->col_at[k];
        const double* row = Ht->value + Ht->value_at[e];
        const int32_t m = stic_block_csr_find(inverse, k, k);
        const double* B = m < 0 ? NULL : inverse->value + inverse->value_at[m];
        for (int32_t r = 0; B != NULL && r < n; ++r)
            for (int32_t c = 0; c < n; ++c)
                sum += row[r] * B[r * n + c] * row[c];
    }
    return sum;
}

static SticStatus take_common(SticArena* arena, const SticProblem* problem, SticOperator* op)
{
    op->pool = stic_arena_context(arena)->pool;
    op->count = problem->count;
    op->rows = problem->rows;
    op->row_at = problem->row_at;
    return stic_diagonal_take(arena, problem, &op->diagonal_at, &op->diagonal);
}

/* ---- explicit form ---- */

static SticStatus make_explicit(SticArena* arena, const SticProblem* problem, SticOperator* op,
                                SticError* error)
{
    op->form = STIC_FORM_EXPLICIT;
    STIC_TRY(stic_problem_condense(arena, problem, &op->local, error));
    op->W = op->local.W;
    op->b = op->local.b;
    stic_diagonal_copy(op->W, op->diagonal_at, op->diagonal);
    return STIC_OK;
}

/* ---- factored form: the bodies ---- */

// what is known of each block column of H while the operator is built
typedef struct Body {
    const double* inverse; // M^-1, NULL where nothing moves the body
    int32_t index;         // among the bodies that move, -1 for the others
    int32_t at, dof;
    double* S;   // M^-1 = S S', lower triangular, by rows
    bool rooted; // there is one
    bool rigid;  // six velocities, translations and rotations apart: most of S is zero
} Body;

// the same for a diagonal of six positive numbers, as rigid bodies have it in their own axes
static bool root_of_diagonal(const double* A, double* S)
{
    for (int32_t i = 0; i < 6; ++i)
        for (int32_t j = 0; j < 6; ++j)
            if (i == j ? !(A[7 * i] > 0.0) : A[6 * i + j] != 0.0)
                return false;
    for (int32_t i = 0; i < 6; ++i)
        S[7 * i] = sqrt(A[7 * i]);
    return true;
}

// lower triangular S with S S' = A; a pivot that vanishes to rounding gives a zero column, which is
// right only if A is semidefinite: false if A is not symmetric or indefinite
static bool square_root(const double* A, int32_t n, double* S)
{
    memset(S, 0, (size_t)(n * n) * sizeof *S);
    if (n == 6 && root_of_diagonal(A, S))
        return true;
    double largest = 0.0;
    for (int32_t i = 0; i < n; ++i)
        largest = A[i * n + i] > largest ? A[i * n + i] : largest;
    // rounding of n products of size `largest`, with a margin for the inverse having been computed
    const double tiny = 64.0 * n * 0x1p-53 * largest;
    for (int32_t j = 0; j < n; ++j)
        for (int32_t i = j; i < n; ++i) {
            if (fabs(A[i * n + j] - A[j * n + i]) > tiny)
                return false;
            double sum = A[i * n + j];
            for (int32_t k = 0; k < j; ++k)
                sum -= S[i * n + k] * S[j * n + k];
            if (i == j) {
                if (sum < -tiny)
                    return false;
                S[j * n + j] = sum > 0x1p-53 * A[j * n + j] ? sqrt(sum) : 0.0;
            } else if (S[j * n + j] > 0.0) {
                S[i * n + j] = sum / S[j * n + j];
            } else if (fabs(sum) > tiny) {
                return false;
            }
        }
    return true;
}

// whether a lower triangular S of six rows is a diagonal and a triangle of three
static bool falls_apart(const double* S)
{
    return S[6] == 0.0 && S[12] == 0.0 && S[13] == 0.0 && S[18] == 0.0 && S[19] == 0.0 &&
           S[20] == 0.0 && S[24] == 0.0 && S[25] == 0.0 && S[26] == 0.0 && S[30] == 0.0 &&
           S[31] == 0.0 && S[32] == 0.0;
}

// x' S of such a body: the sums of stic_row_times_66 without their zeros
static inline void row_times_rigid(const double* x, const double* S, double* out)
{
    out[0] = x[0] * S[0];
    out[1] = x[1] * S[7];
    out[2] = x[2] * S[14];
    out[3] = x[3] * S[21] + x[4] * S[27] + x[5] * S[33];
    out[4] = x[4] * S[28] + x[5] * S[34];
    out[5] = x[5] * S[35];
}

static int32_t padded(int32_t dof)
{
    int32_t size = 1;
    while (size < dof)
        size *= 2;
    return size;
}

// block (i, k) of A, NULL if it is not stored
static const double* block_at(const SticBlockCsr* A, int32_t i, int32_t k)
{
    const int32_t e = stic_block_csr_find(A, i, k);
    return e < 0 ? NULL : A->value + A->value_at[e];
}

static bool is_zero(const double* x, int32_t count)
{
    for (int32_t i = 0; i < count; ++i)
        if (x[i] != 0.0)
            return false;
    return true;
}

// pieces of parallel work
static int32_t chunk_count(int32_t items)
{
    return (items + STIC_OPERATOR_CHUNK - 1) / STIC_OPERATOR_CHUNK;
}

static int32_t chunk_end(int32_t chunk, int32_t items)
{
    const int32_t rest = items - chunk * STIC_OPERATOR_CHUNK;
    return chunk * STIC_OPERATOR_CHUNK + (rest < STIC_OPERATOR_CHUNK ? rest : STIC_OPERATOR_CHUNK);
}

typedef struct Bodies {
    Body* body;
    int32_t count;
} Bodies;

static void root_chunk(void* self, int32_t chunk)
{
    const Bodies* bodies = self;
    for (int32_t k = chunk * STIC_OPERATOR_CHUNK; k < chunk_end(chunk, bodies->count); ++k) {
        Body* body = &bodies->body[k];
        if (body->index < 0)
            continue;
        body->rooted = square_root(body->inverse, body->dof, body->S);
        body->rigid = body->rooted && body->dof == 6 && falls_apart(body->S);
    }
}

// S of all bodies; false where one has none
static SticStatus root_bodies(SticArena* arena, const SticOperator* op, Bodies* bodies, bool* all)
{
    int64_t values = 0;
    double* S = NULL;
    for (int32_t k = 0; k < bodies->count; ++k)
        values += (int64_t)bodies->body[k].dof * bodies->body[k].dof;
    STIC_TRY(STIC_TAKE(arena, &S, values));
    for (int32_t k = 0; k < bodies->count; ++k) {
        bodies->body[k].S = S;
        S += bodies->body[k].dof * bodies->body[k].dof;
    }
    stic_pool_run(op->pool, chunk_count(bodies->count), root_chunk, bodies);
    for (int32_t k = 0; k < bodies->count; ++k)
        *all = *all && (bodies->body[k].index < 0 || bodies->body[k].rooted);
    return STIC_OK;
}

// places of the moving bodies in v
static SticStatus place_bodies(SticArena* arena, const SticProblem* problem, SticOperator* op,
                               Body** made)
{
    const SticBlockCsr* inverse = problem->M->inverse;
    Body* bodies = NULL;
    int32_t *body_v = NULL, *column_v = NULL, *column_body = NULL;
    uint8_t* body_dof = NULL;
    STIC_TRY(STIC_TAKE(arena, &bodies, inverse->rows));
    STIC_TRY(STIC_TAKE(arena, &column_v, inverse->rows));
    STIC_TRY(STIC_TAKE(arena, &column_body, inverse->rows));
    STIC_TRY(STIC_TAKE(arena, &body_v, inverse->rows));
    STIC_TRY(STIC_TAKE(arena, &body_dof, inverse->rows));
    for (int32_t k = 0; k < inverse->rows; ++k) {
        Body* body = &bodies[k];
        body->dof = inverse->row_at[k + 1] - inverse->row_at[k];
        body->inverse = block_at(inverse, k, k);
        body->index = column_v[k] = column_body[k] = -1;
        if (body->inverse == NULL || is_zero(body->inverse, body->dof * body->dof))
            continue;
        const int32_t size = padded(body->dof);
        body->index = column_body[k] = op->bodies;
        body->at = (op->velocities + size - 1) / size * size;
        op->velocities = body->at + size;
        body_v[op->bodies] = column_v[k] = body->at;
        body_dof[op->bodies] = (uint8_t)body->dof;
        op->bodies += 1;
    }
    op->body_v = body_v;
    op->column_v = column_v;
    op->column_body = column_body;
    op->body_dof = body_dof;
    *made = bodies;
    return STIC_OK;
}

// v_free = S' f or M^-1 f
static void fill_free_velocity(const SticProblem* problem, const Body* bodies, bool one_block,
                               SticOperator* op, double* v_free)
{
    memset(v_free, 0, (size_t)op->velocities * sizeof *v_free);
    memset(op->v, 0, (size_t)op->velocities * sizeof *v_free);
    for (int32_t k = 0; k < problem->M->inverse->rows; ++k) {
        const Body* body = &bodies[k];
        const double* f = problem->f + problem->M->inverse->row_at[k];
        if (body->index < 0)
            continue;
        if (one_block)
            stic_tile_add_transposed(body->S, body->dof, body->dof, f, v_free + body->at);
        else
            stic_tile_add(body->inverse, body->dof, body->dof, f, v_free + body->at);
    }
}

/* ---- factored form: the blocks ---- */

// block columns of row i of H' and P' together, ascending; returns the number, `from` holds them if
// not NULL
static int32_t merged_columns(const SticBlockCsr* Ht, const SticBlockCsr* Pt, int32_t i,
                              int32_t* columns)
{
    int32_t h = Ht->begin[i], count = 0;
    int32_t p = Pt == NULL ? 0 : Pt->begin[i];
    const int32_t h_end = Ht->begin[i + 1], p_end = Pt == NULL ? 0 : Pt->begin[i + 1];
    while (h < h_end || p < p_end) {
        int32_t next = 0;
        if (p == p_end || (h < h_end && Ht->col[h] <= Pt->col[p]))
            next = Ht->col[h];
        else
            next = Pt->col[p];
        h += h < h_end && Ht->col[h] == next;
        p += p < p_end && Pt->col[p] == next;
        if (columns != NULL)
            columns[count] = next;
        count += 1;
    }
    return count;
}

// out = H' S (rows x dof) or the transpose of M^-1 H
static void push_block(const double* Ht, int32_t rows, const Body* body, bool one_block,
                       double* out)
{
    const int32_t n = body->dof;
    if (n == 6 && one_block && Ht != NULL) {
        for (int32_t a = 0; a < rows && body->rigid; ++a)
            row_times_rigid(Ht + 6 * a, body->S, out + 6 * a);
        for (int32_t a = 0; a < rows && !body->rigid; ++a)
            stic_row_times_66(Ht + 6 * a, body->S, out + 6 * a);
        return;
    }
    for (int32_t a = 0; a < rows; ++a)
        for (int32_t c = 0; c < n; ++c) {
            double sum = 0.0;
            for (int32_t d = 0; Ht != NULL && d < n; ++d)
                sum += Ht[a * n + d] * (one_block ? body->S[d * n + c] : body->inverse[c * n + d]);
            out[a * n + c] = sum;
        }
}

// offsets of the blocks of every interaction; *values: length of the value arrays
static SticStatus place_blocks(SticArena* arena, const SticProblem* problem, const Body* bodies,
                               SticOperator* op, int64_t* values)
{
    const SticBlockCsr* Pt = problem->Pt == problem->Ht ? NULL : problem->Pt;
    int32_t* begin = NULL;
    int32_t* columns = NULL;
    int64_t total = 0;
    for (int32_t i = 0; i < op->count; ++i)
        total += merged_columns(problem->Ht, Pt, i, NULL);
    STIC_TRY(STIC_TAKE(arena, &begin, op->count + 1));
    STIC_TRY(STIC_TAKE(arena, &op->block, total));
    STIC_TRY(STIC_TAKE(arena, &columns, problem->Ht->cols));
    int32_t used = 0;
    *values = 0;
    for (int32_t i = 0; i < op->count; ++i) {
        begin[i] = used;
        const int32_t rows = op->row_at[i + 1] - op->row_at[i];
        const int32_t count = merged_columns(problem->Ht, Pt, i, columns);
        for (int32_t e = 0; e < count; ++e) {
            const Body* body = &bodies[columns[e]];
            if (body->index < 0)
                continue;
            // the column number stays in `at` until the values are filled in
            op->block[used++] =
                (SticBodyBlock){.at = columns[e], .dof = body->dof, .value_at = *values};
            *values += (int64_t)rows * body->dof;
        }
    }
    begin[op->count] = used;
    op->begin = begin;
    return STIC_OK;
}

// what is filled
typedef struct Filling {
    const SticProblem* problem;
    const Body* bodies;
    SticOperator* op;
    bool one_block;
    double *pull, *push;
} Filling;

static void fill_chunk(void* self, int32_t chunk)
{
    const Filling* filling = self;
    const SticProblem* problem = filling->problem;
    const Body* bodies = filling->bodies;
    SticOperator* op = filling->op;
    const bool one_block = filling->one_block;
    double *pull = filling->pull, *push = filling->push;
    const SticBlockCsr* Pt = problem->Pt == NULL ? problem->Ht : problem->Pt;
    for (int32_t i = chunk * STIC_OPERATOR_CHUNK; i < chunk_end(chunk, op->count); ++i) {
        const int32_t rows = op->row_at[i + 1] - op->row_at[i];
        double* D = op->diagonal + op->diagonal_at[i];
        for (int32_t e = op->begin[i]; e < op->begin[i + 1]; ++e) {
            SticBodyBlock* block = &op->block[e];
            const int32_t k = block->at, n = block->dof;
            double *P = pull + block->value_at, *Q = push + block->value_at;
            push_block(block_at(problem->Ht, i, k), rows, &bodies[k], one_block, Q);
            if (!one_block) {
                const double* from = block_at(Pt, i, k);
                memset(P, 0, (size_t)(rows * n) * sizeof *P);
                if (from != NULL)
                    memcpy(P, from, (size_t)(rows * n) * sizeof *P);
            }
            for (int32_t a = 0; a < rows; ++a)
                if (rows == 3 && n == 6)
                    stic_tile_add(Q, 3, 6, P + a * 6, D + a * 3);
                else
                    stic_tile_add(Q, rows, n, P + a * n, D + a * rows);
            block->at = bodies[k].at;
        }
    }
}

// Values of all blocks, the diagonal blocks W_ii = sum P_i' Q_i, and the free velocities. S of the
// bodies is behind all that stays, and given back, unless M^-1 = S S' fails and blocks of P follow.
static SticStatus fill_blocks(SticArena* arena, const SticProblem* problem, Body* bodies,
                              SticOperator* op)
{
    int64_t values = 0;
    double *v_free = NULL, *push = NULL;
    Bodies all = {bodies, problem->M->inverse->rows};
    Filling filling = {problem, bodies, op, problem->Pt == NULL || problem->Pt == problem->Ht,
                       NULL,    NULL};
    STIC_TRY(STIC_TAKE(arena, &v_free, op->velocities));
    STIC_TRY(STIC_TAKE(arena, &op->v, op->velocities));
    STIC_TRY(place_blocks(arena, problem, bodies, op, &values));
    STIC_TRY(STIC_TAKE(arena, &push, values));
    filling.pull = filling.push = push;
    const SticArenaMark mark = stic_arena_mark(arena);
    if (filling.one_block)
        STIC_TRY(root_bodies(arena, op, &all, &filling.one_block));
    if (!filling.one_block)
        STIC_TRY(STIC_TAKE(arena, &filling.pull, values));
    fill_free_velocity(problem, bodies, filling.one_block, op, v_free);
    stic_pool_run(op->pool, chunk_count(op->count), fill_chunk, &filling);
    if (filling.one_block)
        stic_arena_rewind(arena, mark);
    op->v_free = v_free;
    op->pull = filling.pull;
    op->push = push;
    return STIC_OK;
}

// lists of the blocks of each body, by ascending interaction
static SticStatus transpose_blocks(SticArena* arena, SticOperator* op)
{
    const int32_t blocks = op->begin[op->count];
    int32_t *begin = NULL, *list = NULL, *item = NULL, *body_of = NULL;
    STIC_TRY(STIC_TAKE(arena, &begin, op->bodies + 2));
    STIC_TRY(STIC_TAKE(arena, &list, blocks));
    STIC_TRY(STIC_TAKE(arena, &item, blocks));
    STIC_TRY(STIC_TAKE(arena, &body_of, op->velocities));
    for (int32_t k = 0; k < op->bodies; ++k)
        body_of[op->body_v[k]] = k;
    memset(begin, 0, (size_t)(op->bodies + 2) * sizeof *begin);
    // counts shifted by two, so that filling leaves the starts in place
    for (int32_t e = 0; e < blocks; ++e)
        begin[body_of[op->block[e].at] + 2] += 1;
    for (int32_t k = 0; k < op->bodies; ++k)
        begin[k + 2] += begin[k + 1];
    for (int32_t i = 0; i < op->count; ++i)
        for (int32_t e = op->begin[i]; e < op->begin[i + 1]; ++e) {
            const int32_t place = begin[body_of[op->block[e].at] + 1]++;
            list[place] = e;
            item[place] = i;
        }
    op->body_begin = begin;
    op->body_block = list;
    op->body_item = item;
    return STIC_OK;
}

static SticStatus make_factored(SticArena* arena, const SticProblem* problem, SticOperator* op)
{
    Body* bodies = NULL;
    op->form = STIC_FORM_FACTORED;
    op->w = problem->w;
    STIC_TRY(place_bodies(arena, problem, op, &bodies));
    STIC_TRY(fill_blocks(arena, problem, bodies, op));
    return transpose_blocks(arena, op);
}

// why the factored form cannot be used, or NULL
static const char* factored_obstacle(const SticProblem* problem)
{
    if (problem->M == NULL || problem->Ht == NULL)
        return "the problem has no global form M, H";
    if (problem->M->kind != STIC_MASS_BLOCKS || problem->M->inverse == NULL)
        return "M is not block diagonal with inverse blocks";
    const SticBlockCsr* inverse = problem->M->inverse;
    if (inverse->rows != problem->Ht->cols)
        return "the blocks of M are not the block columns of H";
    for (int32_t k = 0; k < inverse->rows; ++k) {
        if (inverse->row_at[k + 1] != problem->Ht->col_at[k + 1])
            return "the blocks of M are not the block columns of H";
        if (inverse->row_at[k + 1] - inverse->row_at[k] > STIC_MAX_BODY_DOF)
            return "a block of M has more than 12 rows";
    }
    return NULL;
}

/* ---- public ---- */

SticStatus stic_operator_create(SticArena* arena, const SticProblem* problem, SticForm form,
                                SticOperator** made, SticError* error)
{
    STIC_ASSERT(arena != NULL);
    STIC_ASSERT(problem != NULL);
    STIC_ASSERT(made != NULL);
    *made = NULL;
    const char* obstacle = factored_obstacle(problem);
    if (form == STIC_FORM_FACTORED && obstacle != NULL)
        return stic_error_set(error, STIC_UNSUPPORTED, "the factored form is not possible: %s",
                              obstacle);
    SticOperator* op = NULL;
    STIC_TRY(STIC_TAKE(arena, &op, 1));
    *op = (SticOperator){.form = form};
    STIC_TRY(take_common(arena, problem, op));
    if (obstacle == NULL && form != STIC_FORM_EXPLICIT)
        STIC_TRY(make_factored(arena, problem, op));
    else
        STIC_TRY(make_explicit(arena, problem, op, error));
    *made = op;
    return STIC_OK;
}

const double* stic_operator_diagonal(const SticOperator* op, int32_t i)
{
    STIC_ASSERT(op != NULL);
    return op->diagonal + op->diagonal_at[i];
}

SticForm stic_operator_form(const SticOperator* op)
{
    STIC_ASSERT(op != NULL);
    return op->form;
}

typedef struct ApplyWork {
    const SticOperator* op;
    const double* r;
    double* out; // u, or v while starting
} ApplyWork;

static void gather_velocities(void* self, int32_t chunk)
{
    const ApplyWork* work = self;
    const SticOperator* op = work->op;
    const int32_t end = chunk_end(chunk, op->bodies);
    for (int32_t k = chunk * STIC_OPERATOR_CHUNK; k < end; ++k)
        stic_operator_gather(op, k, work->r, work->out + op->body_v[k]);
}

static void gather_rows(void* self, int32_t chunk)
{
    const ApplyWork* work = self;
    const SticOperator* op = work->op;
    const int32_t end = chunk_end(chunk, op->count);
    for (int32_t i = chunk * STIC_OPERATOR_CHUNK; i < end; ++i) {
        const int32_t rows = op->row_at[i + 1] - op->row_at[i];
        if (op->form == STIC_FORM_EXPLICIT)
            stic_operator_row(op, i, rows, work->r, work->out + op->row_at[i]);
        else
            stic_operator_pull(op, i, rows, op->v, work->out + op->row_at[i]);
    }
}

void stic_operator_start(const SticOperator* op, const double* r, double* v)
{
    ApplyWork work = {.op = op, .r = r, .out = v};
    stic_pool_run(op->pool, chunk_count(op->bodies), gather_velocities, &work);
}

void stic_operator_apply(const SticOperator* op, const double* r, double* u)
{
    STIC_ASSERT(op != NULL);
    if (op->form == STIC_FORM_FACTORED)
        stic_operator_start(op, r, op->v);
    ApplyWork work = {.op = op, .r = r, .out = u};
    stic_pool_run(op->pool, chunk_count(op->count), gather_rows, &work);
}

size_t stic_operator_sweep_bytes(const SticOperator* op)
{
    STIC_ASSERT(op != NULL);
    const size_t rows = (size_t)op->rows;
    size_t bytes = (size_t)op->diagonal_at[op->count] * sizeof(double);
    if (op->form == STIC_FORM_EXPLICIT) {
        const size_t blocks = (size_t)op->W->begin[op->count];
        // W with its column numbers, b, and r read and written once; r of neighbours stays in cache
        return bytes + (size_t)op->W->value_at[blocks] * sizeof(double) +
               blocks * (sizeof(int32_t) + sizeof(int64_t)) + 3 * rows * sizeof(double);
    }
    // blocks once, w, r read and written, each body's velocities read and written
    const size_t blocks = (size_t)op->begin[op->count];
    size_t values = 0;
    for (int32_t i = 0; i < op->count; ++i)
        for (int32_t e = op->begin[i]; e < op->begin[i + 1]; ++e)
            values += (size_t)(op->block[e].dof * (op->row_at[i + 1] - op->row_at[i]));
    bytes += (op->pull == op->push ? 1 : 2) * values * sizeof(double);
    return bytes + blocks * sizeof(SticBodyBlock) + 3 * rows * sizeof(double) +
           2 * (size_t)op->velocities * sizeof(double);
}

double stic_operator_apply_work(const SticOperator* op)
{
    STIC_ASSERT(op != NULL);
    if (op->form == STIC_FORM_EXPLICIT)
        return (double)op->W->value_at[op->W->begin[op->count]];
    double work = 0.0;
    for (int32_t i = 0; i < op->count; ++i)
        for (int32_t e = op->begin[i]; e < op->begin[i + 1]; ++e)
            work += 2.0 * op->block[e].dof * (op->row_at[i + 1] - op->row_at[i]);
    return work;
}
