// SPDX-License-Identifier: Apache-2.0
// Joints in a Gauss-Seidel sweep: all bilateral interactions of an island are one visit.
//
// Visited one by one, a chain of n links takes n^2 sweeps, since each visit passes a force on to
// its neighbour only. The block of W that belongs to the joints has the pattern of the graph "two
// joints on one body": for trees its factor has no fill (an order that eliminates leaves first, as
// minimum degree does, removes joints one after the other), so that factor and solve cost O(n);
// loops add the fill of their closure. A visit is then
//     u = P' v + w of all joints,   W_JJ x = u,   r_J -= x,   v -= Q x
// and leaves every joint exact. Redundant joints (closed loops of hinges) make W_JJ singular: small
// pivots are replaced, and later visits remove the error that this leaves: their fixed point does
// not depend on it.
//
// Cost: one factorisation per solve, and an analysis when the joints have changed; memory: the
// factor. Bodies with many joints would fill W_JJ: groups of more than 24 blocks per joint are left
// to single visits.
#include "solver/joints.h"

#include <string.h>

#include "solver/arena_context.h"

enum { MOST_BLOCKS = 24 }; // of W_JJ per joint

// joints of each body: next[e] chains the blocks e of the operator, last[at] begins the chain
typedef struct Chains {
    int32_t* last;  // [velocities] block whose body begins there, -1
    int32_t* next;  // [blocks of the group]
    int32_t* joint; // [blocks of the group] number of the joint in the group
    int32_t* block; // [blocks of the group] block of the operator
    int32_t count;
} Chains;

static SticStatus make_chains(SticArena* arena, const SticOperator* op, const int32_t* item,
                              int32_t count, Chains* chains)
{
    int32_t blocks = 0;
    for (int32_t k = 0; k < count; ++k)
        blocks += op->begin[item[k] + 1] - op->begin[item[k]];
    STIC_TRY(STIC_TAKE(arena, &chains->last, op->velocities));
    STIC_TRY(STIC_TAKE(arena, &chains->next, blocks));
    STIC_TRY(STIC_TAKE(arena, &chains->joint, blocks));
    STIC_TRY(STIC_TAKE(arena, &chains->block, blocks));
    chains->count = 0;
    for (int32_t k = 0; k < count; ++k)
        for (int32_t e = op->begin[item[k]]; e < op->begin[item[k] + 1]; ++e)
            chains->last[op->block[e].at] = -1;
    for (int32_t k = 0; k < count; ++k)
        for (int32_t e = op->begin[item[k]]; e < op->begin[item[k] + 1]; ++e) {
            int32_t* last = &chains->last[op->block[e].at];
            const int32_t own = chains->count++;
            chains->joint[own] = k;
            chains->block[own] = e;
            chains->next[own] = *last;
            *last = own;
        }
    return STIC_OK;
}

// P_i' Q_j of one body
static void multiply(const SticOperator* op, int32_t e, int32_t f, const int32_t rows[2],
                     double* out)
{
    const int32_t n = op->block[e].dof;
    const double *P = op->pull + op->block[e].value_at, *Q = op->push + op->block[f].value_at;
    if (n == 6 && rows[1] == 3) {
        for (int32_t a = 0; a < rows[0]; ++a, out += 3) {
            out[0] = out[1] = out[2] = 0.0;
            stic_tile_add_36(Q, P + (int64_t)6 * a, out);
        }
        return;
    }
    for (int32_t a = 0; a < rows[0]; ++a)
        for (int32_t b = 0; b < rows[1]; ++b) {
            double sum = 0.0;
            for (int32_t c = 0; c < n; ++c)
                sum += P[a * n + c] * Q[b * n + c];
            *out++ = sum;
        }
}

static int32_t rows_of(const SticOperator* op, int32_t i)
{
    return op->row_at[i + 1] - op->row_at[i];
}

// blocks of W_JJ, to be added up
typedef struct Pairs {
    int32_t *row, *col; // NULL: they are counted only
    double* value;
    int64_t count, values;
} Pairs;

// blocks (i, j), j <= i, of all pairs on one body
static void pair_blocks(const SticOperator* op, const SticJoints* joints, const Chains* chains,
                        Pairs* to)
{
    to->count = to->values = 0;
    for (int32_t own = 0; own < chains->count; ++own)
        // those before it on the same body, and itself
        for (int32_t other = own; other >= 0; other = chains->next[other]) {
            const int32_t i = chains->joint[own], j = chains->joint[other];
            const int32_t rows[2] = {rows_of(op, joints->item[i]), rows_of(op, joints->item[j])};
            if (to->row != NULL) {
                to->row[to->count] = i;
                to->col[to->count] = j;
                multiply(op, chains->block[own], chains->block[other], rows,
                         to->value + to->values);
            }
            to->count += 1;
            to->values += (int64_t)rows[0] * rows[1];
        }
}

// lower triangle of W_JJ
static SticStatus form(SticArena* arena, const SticOperator* op, const SticJoints* joints,
                       const SticPartition* partition, SticBlockCsr* A)
{
    Chains chains;
    Pairs pairs = {.row = NULL};
    STIC_TRY(make_chains(arena, op, joints->item, joints->count, &chains));
    pair_blocks(op, joints, &chains, &pairs);
    if (pairs.count > (int64_t)MOST_BLOCKS * joints->count)
        return STIC_UNSUPPORTED;
    STIC_TRY(STIC_TAKE(arena, &pairs.row, pairs.count));
    STIC_TRY(STIC_TAKE(arena, &pairs.col, pairs.count));
    STIC_TRY(STIC_TAKE(arena, &pairs.value, pairs.values));
    pair_blocks(op, joints, &chains, &pairs);
    const SticBlockTriplets list = {
        .count = (int32_t)pairs.count, .row = pairs.row, .col = pairs.col, .value = pairs.value};
    return stic_block_csr_from_blocks(partition, &list, arena, A, NULL);
}

// analysis of the pattern of A: the one that is kept, or in the arena
static SticStatus analyse(SticArena* arena, SticPatternCache* patterns, const SticBlockCsr* A,
                          SticSymbolic** symbolic)
{
    const SticContext context = stic_arena_context_make(arena);
    if (patterns == NULL)
        return stic_symbolic_create(&context, A, STIC_ORDERING_AMD, symbolic, NULL);
    return stic_patterns_symbolic(patterns, stic_arena_context(arena), STIC_PATTERN_JOINTS, A,
                                  symbolic, NULL);
}

static SticStatus factorise(SticArena* arena, const SticOperator* op, int32_t rows,
                            SticPatternCache* patterns, SticJoints* made)
{
    SticPivotSettings pivots = stic_pivot_default_settings();
    SticSymbolic* symbolic = NULL;
    SticFactorInfo info;
    SticBlockCsr A;
    int32_t* at = NULL;
    int8_t* sign = NULL;
    STIC_TRY(STIC_TAKE(arena, &at, made->count + 1));
    STIC_TRY(STIC_TAKE(arena, &sign, rows));
    memset(sign, 1, (size_t)rows);
    at[0] = 0;
    for (int32_t k = 0; k < made->count; ++k)
        at[k + 1] = at[k] + rows_of(op, made->item[k]);
    const SticPartition partition = {
        .rows = made->count, .cols = made->count, .row_at = at, .col_at = at};
    STIC_TRY(form(arena, op, made, &partition, &A));
    STIC_TRY(analyse(arena, patterns, &A, &symbolic));
    STIC_TRY(stic_factor_create(symbolic, STIC_FACTOR_LDL, &made->factor, NULL));
    pivots.sign = sign;
    return stic_factor_compute(made->factor, &A, &pivots, &info);
}

SticStatus stic_joints_create(SticArena* arena, const SticOperator* op, const int32_t* item,
                              int32_t count, SticPatternCache* patterns, SticJoints* made)
{
    STIC_ASSERT(count >= 0);
    int32_t rows = 0;
    *made = (SticJoints){.count = 0};
    // a single joint is exact by itself; unsymmetric W needs another factor
    if (count < 2 || op->form != STIC_FORM_FACTORED || op->pull != op->push)
        return STIC_OK;
    for (int32_t k = 0; k < count; ++k)
        rows += rows_of(op, item[k]);
    made->item = item;
    made->count = count;
    STIC_TRY(STIC_TAKE(arena, &made->u, rows));
    STIC_TRY(STIC_TAKE(arena, &made->x, rows));
    const SticStatus status = factorise(arena, op, rows, patterns, made);
    if (status != STIC_OK)
        made->count = 0; // visited one by one
    return status == STIC_OUT_OF_MEMORY ? status : STIC_OK;
}

void stic_joints_solve(const SticJoints* joints)
{
    stic_factor_solve(joints->factor, joints->x);
}
