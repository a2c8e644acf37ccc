// SPDX-License-Identifier: Apache-2.0
// What a factorisation knows from the pattern alone.
//
// Block columns in elimination order are grouped into supernodes: neighbours with (almost) the same
// rows below them. A supernode of `w` scalar columns and `m` scalar rows below is kept as a w x w
// diagonal block and one (LDL') or two (LU) m x w panels, by columns, rows padded to a multiple of
// four. Its front is the (w+m) x (w+m) matrix of its columns and rows; "front position" counts
// scalars from the first column of the supernode.
#ifndef STIC_SPARSE_SYMBOLIC_H
#define STIC_SPARSE_SYMBOLIC_H

#include "sparse/sparse.h"

struct SticSymbolic {
    SticContext context;
    SticArena* arena;      // everything below
    uint64_t pattern;      // hash of the pattern it was made from
    int32_t blocks;        // block columns
    int32_t size;          // scalar columns
    int32_t block_count;   // blocks of the matrix
    int32_t* scalar_order; // [size] scalar index in the matrix of each scalar in elimination order

    int32_t supernodes;   // in postorder: children come before their parent
    int32_t* first;       // [supernodes+1] first scalar column
    int32_t* parent;      // [supernodes] -1 for a root
    int32_t* children;    // [supernodes] how many
    int32_t* row_begin;   // [supernodes+1] into row and relative
    int32_t* row;         // scalar rows below the supernode in elimination order, rising
    int32_t* relative;    // their positions in the parent's front
    int32_t* split;       // [supernodes] how many of them are columns of the parent
    int64_t* diagonal_at; // [supernodes+1] start of the diagonal block
    int64_t* panel_at;    // [supernodes+1] start of the panel

    int32_t* source_begin; // [supernodes+1] into source*
    int32_t* source;       // blocks of the matrix that enter each supernode's front
    int32_t* source_block; // block row of each
    int32_t* source_row;   // front position of the first row of each
    int32_t* source_col;   // front position of its first column

    int64_t stack_size;  // values of the stack of updates
    int64_t update_size; // values of the largest update
    int32_t widest;      // columns of the widest supernode
    int32_t tallest;     // rows below the tallest supernode, padded
    SticSymbolicInfo info;
};

// rows or columns padded to whole vectors
static inline int32_t stic_padded(int32_t count)
{
    return (count + 3) & ~3;
}
// scalar columns of supernode s
static inline int32_t stic_supernode_width(const SticSymbolic* symbolic, int32_t s)
{
    return symbolic->first[s + 1] - symbolic->first[s];
}
// scalar rows below supernode s
static inline int32_t stic_supernode_height(const SticSymbolic* symbolic, int32_t s)
{
    return symbolic->row_begin[s + 1] - symbolic->row_begin[s];
}

/// Hash of sizes and pattern, not of the values.
uint64_t stic_symbolic_hash(const SticBlockCsr* A);

#endif
