// SPDX-License-Identifier: Apache-2.0
// Elimination orders of block matrices.
//
// Approximate minimum degree on the graph of blocks of A + A' (Amestoy, Davis and Duff, SIAM J.
// Matrix Anal. Appl. 17, 1996). It works on integers only, so that the same pattern gives the same
// order everywhere. AMD takes its workspace from the C library.
#include "sparse/sparse.h"

#include "stiction/extend/base.h"

#include <amd.h>

SticStatus stic_ordering_compute(const SticBlockCsr* A, SticOrdering ordering, int32_t* order,
                                 SticError* error)
{
    if (A->rows != A->cols)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "an order needs a square matrix, this one has %d x %d blocks",
                              A->rows, A->cols);
    for (int32_t i = 0; i < A->rows; ++i)
        order[i] = i;
    if (ordering == STIC_ORDERING_NATURAL || stic_block_csr_count(A) == 0)
        return STIC_OK;
    const int result = amd_order(A->rows, A->begin, A->col, order, NULL, NULL);
    if (result == AMD_OUT_OF_MEMORY)
        return stic_error_set(error, STIC_OUT_OF_MEMORY, "no memory to order %d blocks", A->rows);
    if (result == AMD_INVALID)
        return stic_error_set(error, STIC_BAD_DATA, "the pattern of the matrix is malformed");
    return STIC_OK;
}
