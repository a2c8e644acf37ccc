// SPDX-License-Identifier: Apache-2.0
// Numeric factors: what multifrontal.c fills and factor_solve.c reads.
#ifndef STIC_SPARSE_FACTOR_H
#define STIC_SPARSE_FACTOR_H

#include "sparse/panel.h"
#include "sparse/symbolic.h"

struct SticFactor {
    const SticSymbolic* symbolic;
    SticFactorKind kind;
    const SticPanelKernels* kernels;
    SticArena* arena;  // everything below
    double* diagonal;  // diagonal blocks: L (unit) for LDL', L and U for LU
    double* lower;     // panels of L
    double* upper;     // panels of U', LU only
    double* pivot;     // [size] D, or the diagonal of U
    double* inverse;   // [size] one over it
    double* row_size;  // [size] LDL': largest absolute value in each row of A, elimination order
    double* ones;      // [widest] LU: inverse diagonal of L
    double* row_scale; // [size] LU: powers of two that bring the rows of A to [1/2, 1)
    int32_t* swap;     // [size] LU: row of the supernode exchanged with each column's
    double* stack;     // updates of supernodes whose parent is still to come
    int64_t* stack_at; // [supernodes] where each of them starts
    int32_t* stacked;  // [supernodes] whose they are
    double* update;    // sum of the children's updates
    double* packed;    // slice of an update
    double* z;         // [size] right-hand side in elimination order
    double* y;         // [tallest or widest] rows of one supernode
    double* work[3];   // [size] vectors of refinement and condition estimate
    void* cholmod;     // see cholmod.c
    size_t bytes;      // of the arena
};

// what the dense factorisation of one diagonal block needs
typedef struct SticDiagonal {
    const SticPanelKernels* kernels;
    int32_t w;               // columns
    int64_t ld;              // padded
    double* value;           // the block
    double *pivot, *inverse; // [w]
    int32_t* swap;           // [w] LU
    const double* row_size;  // [w] LDL'
    const int32_t* row;      // [w] scalar row in the matrix, for the expected signs
    double* packed;
    const SticPivotSettings* settings;
    SticFactorInfo* info;
} SticDiagonal;

/// Block = L D L', unit L below the diagonal; D in pivot.
void stic_ldl_diagonal(const SticDiagonal* block);
/// P block = L U with exchanges of rows; U on and above the diagonal.
void stic_lu_diagonal(const SticDiagonal* block);
/// Fill the factor from A; symmetric or not by factor->kind.
void stic_multifrontal_compute(SticFactor* factor, const SticBlockCsr* A,
                               const SticPivotSettings* settings, SticFactorInfo* info);

#ifdef STIC_HAVE_CHOLMOD
SticStatus stic_cholmod_create(SticFactor* factor, SticError* error);
void stic_cholmod_destroy(SticFactor* factor);
SticStatus stic_cholmod_compute(SticFactor* factor, const SticBlockCsr* A, SticFactorInfo* info);
void stic_cholmod_solve(const SticFactor* factor, double* x);
#endif

#endif
