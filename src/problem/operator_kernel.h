// SPDX-License-Identifier: Apache-2.0
// The prepared operator u = W r + b and its inline kernels: pull, push, start.
//
// EXPLICIT  rows of W:                 u_i = b_i + sum_j W_ij r_j
// FACTORED  scaled velocities v of the bodies:
//           start   v = v_free + Q r        pull   u_i = w_i + P_i' v        push   v += Q_i dr
//           where P == H and every M^-1 is symmetric, with M^-1 = S S' by body (Cholesky):
//             P_i = Q_i = S' H_i, v_free = S' f, v = S^-1 velocity: one block serves both, and
//             |Q dr|^2 = <W dr, dr>
//           else P_i = P_i, Q_i = M^-1 H_i, v_free = M^-1 f: two blocks per body.
//           Bodies that nothing moves (M^-1 = 0) have no block.
//
// A body's velocities start at a multiple of its padded size (a power of two up to 16 doubles), so
// that six of them never straddle a cache line. A block is stored row by row: rows of the
// interaction, columns of the body.
#ifndef STIC_PROBLEM_OPERATOR_KERNEL_H
#define STIC_PROBLEM_OPERATOR_KERNEL_H

#include "stiction/extend/problem.h"

enum {
    STIC_OPERATOR_CHUNK = 256, ///< interactions or bodies of one piece of parallel work
    STIC_MAX_ROWS = 6,         ///< rows of an interaction
    STIC_MAX_BODY_DOF = 12     ///< velocities of a body in the factored form
};

/// One body seen from one interaction.
typedef struct SticBodyBlock {
    int32_t at;       ///< first scaled velocity of the body
    int32_t dof;      ///< how many
    int64_t value_at; ///< first value of the block, in pull and in push
} SticBodyBlock;

struct SticOperator {
    SticForm form; ///< EXPLICIT or FACTORED
    SticPool* pool;
    int32_t count, rows;
    const int32_t* row_at;
    const int64_t* diagonal_at; ///< [count+1]
    double* diagonal;           ///< W_ii row by row
    // explicit form
    SticProblem local; ///< keeps W and b alive where they were condensed
    const SticBlockCsr* W;
    const double* b;
    // factored form
    int32_t bodies;             ///< bodies with a block of their own
    int32_t velocities;         ///< padded
    const int32_t* begin;       ///< [count+1] blocks of each interaction, by ascending body
    SticBodyBlock* block;       ///< [blocks]
    const double* pull;         ///< values of P
    const double* push;         ///< values of Q; the same array where one block serves both
    const double* w;            ///< [rows]
    const double* v_free;       ///< [velocities]
    const int32_t* body_v;      ///< [bodies] first velocity of each body
    const int32_t* column_v;    ///< [columns of H] the same by column, -1: nothing moves it
    const int32_t* column_body; ///< [columns of H] its body, -1: nothing moves it
    const int32_t* body_begin;  ///< [bodies+1] blocks of each body, by ascending interaction
    const int32_t* body_block;  ///< [blocks] index into `block`
    const int32_t* body_item;   ///< [blocks] its interaction
    const uint8_t* body_dof;    ///< [bodies]
    double* v;                  ///< [velocities] scratch of apply
};

/// Room for the blocks W_ii one after the other, all zero, and where each begins.
SticStatus stic_diagonal_take(SticArena* arena, const SticProblem* problem, const int64_t** at,
                              double** diagonal);
/// Copy the blocks on the diagonal of an explicit W; those it does not have stay as they are.
void stic_diagonal_copy(const SticBlockCsr* W, const int64_t* at, double* diagonal);
/// First entry of W_ii, W_NN of a contact: the velocity that an impulse along its first row gives
/// to that row. For an explicit W, or a block-diagonal M without forming W.
double stic_diagonal_first(const SticProblem* problem, int32_t i);

/// out += B x for a block of `rows` x `cols`.
static inline void stic_tile_add(const double* B, int32_t rows, int32_t cols, const double* x,
                                 double* out)
{
    for (int32_t a = 0; a < rows; ++a) {
        double sum = 0.0;
        for (int32_t c = 0; c < cols; ++c)
            sum += B[a * cols + c] * x[c];
        out[a] += sum;
    }
}

/// out += B' x for a block of `rows` x `cols`.
static inline void stic_tile_add_transposed(const double* B, int32_t rows, int32_t cols,
                                            const double* x, double* out)
{
    for (int32_t c = 0; c < cols; ++c) {
        double sum = 0.0;
        for (int32_t a = 0; a < rows; ++a)
            sum += B[a * cols + c] * x[a];
        out[c] += sum;
    }
}

/// out += B x for 3 x 3 blocks, the case of nearly every row of W.
static inline void stic_tile_add_33(const double* B, const double* x, double* out)
{
    out[0] += B[0] * x[0] + B[1] * x[1] + B[2] * x[2];
    out[1] += B[3] * x[0] + B[4] * x[1] + B[5] * x[2];
    out[2] += B[6] * x[0] + B[7] * x[1] + B[8] * x[2];
}

/// Two neighbouring numbers anywhere in an array of doubles.
typedef double SticPair __attribute__((vector_size(16), aligned(8), may_alias));

/// out += B v for a contact of three rows and a body of six velocities: two interleaved sums per
/// row, so that the additions need not wait for each other and run in pairs.
static inline void stic_tile_add_36(const double* B, const double* v, double* out)
{
    const SticPair* x = (const SticPair*)v;
    const SticPair x0 = x[0], x1 = x[1], x2 = x[2];
    for (int32_t a = 0; a < 3; ++a) {
        const SticPair* row = (const SticPair*)(B + 6 * a);
        const SticPair sum = row[0] * x0 + row[1] * x1 + row[2] * x2;
        out[a] += sum[0] + sum[1];
    }
}

/// v += B' dr for the same shape.
static inline void stic_tile_add_transposed_36(const double* B, const double* dr, double* v)
{
    const SticPair *row0 = (const SticPair*)B, *row1 = (const SticPair*)(B + 6),
                   *row2 = (const SticPair*)(B + 12);
    SticPair* to = (SticPair*)v;
    const double d0 = dr[0], d1 = dr[1], d2 = dr[2];
    for (int32_t c = 0; c < 3; ++c)
        to[c] += row0[c] * d0 + row1[c] * d1 + row2[c] * d2;
}

/// out = x' A for a body of six velocities, A by rows: the six sums side by side, each in the order
/// of the rows.
static inline void stic_row_times_66(const double* x, const double* A, double* out)
{
    double sum[6] = {0.0};
    for (int32_t d = 0; d < 6; ++d)
        for (int32_t c = 0; c < 6; ++c)
            sum[c] += x[d] * A[6 * d + c];
    for (int32_t c = 0; c < 6; ++c)
        out[c] = sum[c];
}

// The kernels take the number of rows of the interaction, so that it is a constant where the caller
// knows it. One row on a rigid body, a normal alone, is told apart for the loops that the compiler
// then unrolls.

/// Row i of the explicit form: u_i = b_i + sum_j W_ij r_j, the diagonal block included.
static inline void stic_operator_row(const SticOperator* op, int32_t i, int32_t rows,
                                     const double* r, double* u)
{
    const SticBlockCsr* W = op->W;
    const int32_t first = op->row_at[i];
    for (int32_t a = 0; a < rows; ++a)
        u[a] = op->b[first + a];
    for (int32_t k = W->begin[i]; k < W->begin[i + 1]; ++k) {
        const int32_t at = W->col_at[W->col[k]], cols = W->col_at[W->col[k] + 1] - at;
        const double* B = W->value + W->value_at[k];
        if (rows == 3 && cols == 3)
            stic_tile_add_33(B, r + at, u);
        else
            stic_tile_add(B, rows, cols, r + at, u);
    }
}

/// Factored form: u_i = w_i + P_i' v.
static inline void stic_operator_pull(const SticOperator* op, int32_t i, int32_t rows,
                                      const double* v, double* u)
{
    const int32_t first = op->row_at[i];
    for (int32_t a = 0; a < rows; ++a)
        u[a] = op->w[first + a];
    for (int32_t k = op->begin[i]; k < op->begin[i + 1]; ++k) {
        const SticBodyBlock block = op->block[k];
        const double* B = op->pull + block.value_at;
        if (rows == 3 && block.dof == 6)
            stic_tile_add_36(B, v + block.at, u);
        else if (rows == 1 && block.dof == 6)
            stic_tile_add(B, 1, 6, v + block.at, u);
        else
            stic_tile_add(B, rows, block.dof, v + block.at, u);
    }
}

/// Factored form: v += Q_i dr.
static inline void stic_operator_push(const SticOperator* op, int32_t i, int32_t rows,
                                      const double* dr, double* v)
{
    for (int32_t k = op->begin[i]; k < op->begin[i + 1]; ++k) {
        const SticBodyBlock block = op->block[k];
        const double* B = op->push + block.value_at;
        if (rows == 3 && block.dof == 6)
            stic_tile_add_transposed_36(B, dr, v + block.at);
        else if (rows == 1 && block.dof == 6)
            stic_tile_add_transposed(B, 1, 6, dr, v + block.at);
        else
            stic_tile_add_transposed(B, rows, block.dof, dr, v + block.at);
    }
}

/// Factored form: v = v_free + Q r, by body and therefore in parallel; the order of the additions
/// is fixed.
void stic_operator_start(const SticOperator* op, const double* r, double* v);

/// Start for body k alone: v = v_free + the sum of Q_i r_i over its interactions, by ascending i.
static inline void stic_operator_gather(const SticOperator* op, int32_t k, const double* r,
                                        double* v)
{
    const int32_t dof = op->body_dof[k];
    for (int32_t c = 0; c < dof; ++c)
        v[c] = op->v_free[op->body_v[k] + c];
    for (int32_t e = op->body_begin[k]; e < op->body_begin[k + 1]; ++e) {
        const int32_t at = op->row_at[op->body_item[e]];
        const int32_t rows = op->row_at[op->body_item[e] + 1] - at;
        const double* B = op->push + op->block[op->body_block[e]].value_at;
        if (dof == 6 && rows == 3)
            stic_tile_add_transposed_36(B, r + at, v);
        else
            stic_tile_add_transposed(B, rows, dof, r + at, v);
    }
}

#endif
