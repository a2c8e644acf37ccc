// SPDX-License-Identifier: Apache-2.0
// One-step problems in the structures of Siconos.
#include "convert.h"

#include <stdlib.h>
#include <string.h>

#include "NumericsMatrix.h"
#include "NumericsSparseMatrix.h"
#include "SparseBlockMatrix.h"
#include "stiction/extend/sparse.h"

static PeerKind contact_kind(SticLaw law, int32_t rows)
{
    if (law == STIC_LAW_CONE)
        return rows == 3 ? PEER_CONE_3D : PEER_CONE_2D;
    if (law == STIC_LAW_ROLLING)
        return rows == 5 ? PEER_ROLLING_3D : PEER_ROLLING_2D;
    return law == STIC_LAW_NONNEG ? PEER_LCP : PEER_OTHER;
}

PeerKind peer_kind(const SticProblem* problem)
{
    PeerKind kind = PEER_OTHER;
    for (int32_t i = 0; i < problem->count; ++i) {
        const int32_t rows = problem->row_at[i + 1] - problem->row_at[i];
        const PeerKind next = contact_kind((SticLaw)problem->law[i], rows);
        if (i > 0 && next != kind)
            return PEER_OTHER;
        // a constant part of the bound or a foreign row: Siconos has neither
        if (problem->bound != NULL && problem->bound[i] != 0.0)
            return PEER_OTHER;
        kind = next;
    }
    return kind;
}

int32_t peer_kind_rows(PeerKind kind)
{
    static const int32_t rows[] = {3, 2, 5, 3, 1, 0};
    return rows[kind];
}

double* peer_copy(const double* x, int32_t n)
{
    double* copy = malloc((size_t)(n + 1) * sizeof *copy);
    if (copy != NULL && n > 0)
        memcpy(copy, x, (size_t)n * sizeof *copy);
    return copy;
}

double* peer_coefficients(const SticProblem* problem, int32_t which)
{
    double* copy = malloc((size_t)(problem->count + 1) * sizeof *copy);
    for (int32_t i = 0; copy != NULL && i < problem->count; ++i)
        copy[i] = problem->coef[i][which];
    return copy;
}

/* ---- matrices ---- */

typedef void (*EntryVisit)(void* self, int32_t row, int32_t col, double value);

static void visit_entries(const SticBlockCsr* A, EntryVisit visit, void* self)
{
    for (int32_t i = 0; i < A->rows; ++i)
        for (int32_t k = A->begin[i]; k < A->begin[i + 1]; ++k) {
            const int32_t j = A->col[k];
            const double* value = A->value + A->value_at[k];
            for (int32_t row = A->row_at[i]; row < A->row_at[i + 1]; ++row)
                for (int32_t col = A->col_at[j]; col < A->col_at[j + 1]; ++col)
                    visit(self, row, col, *value++);
        }
}

typedef struct Dense {
    double* value;
    size_t height;
} Dense;

static void enter_dense(void* self, int32_t row, int32_t col, double value)
{
    const Dense* dense = self;
    dense->value[(size_t)row + (size_t)col * dense->height] = value;
}

static NumericsMatrix* dense_matrix(const SticBlockCsr* A)
{
    const int32_t height = stic_block_csr_height(A), width = stic_block_csr_width(A);
    Dense dense = {.height = (size_t)height};
    dense.value = calloc((size_t)height * (size_t)width + 1, sizeof *dense.value);
    if (dense.value == NULL)
        return NULL;
    visit_entries(A, enter_dense, &dense);
    return NM_create_from_data(NM_DENSE, height, width, dense.value);
}

// zeros are left out except on the diagonal, which Newton's methods of Siconos look for
static void enter_sparse(void* self, int32_t row, int32_t col, double value)
{
    if (value != 0.0 || row == col)
        NM_entry(self, row, col, value);
}

static void enter_transpose(void* self, int32_t row, int32_t col, double value)
{
    if (value != 0.0)
        NM_entry(self, col, row, value);
}

static NumericsMatrix* sparse_matrix(const SticBlockCsr* A, bool transpose)
{
    const int32_t height = stic_block_csr_height(A), width = stic_block_csr_width(A);
    NumericsMatrix* made =
        transpose ? NM_create(NM_SPARSE, width, height) : NM_create(NM_SPARSE, height, width);
    if (made == NULL)
        return NULL;
    NM_triplet_alloc(made, (CS_INT)A->value_at[stic_block_csr_count(A)] + 1);
    made->matrix2->origin = NSM_TRIPLET;
    visit_entries(A, transpose ? enter_transpose : enter_sparse, made);
    return made;
}

// ends of the parts of a partition: its offsets without the leading 0
static unsigned int* partition_ends(const int32_t* at, int32_t count)
{
    unsigned int* ends = malloc((size_t)(count + 1) * sizeof *ends);
    for (int32_t i = 0; ends != NULL && i < count; ++i)
        ends[i] = (unsigned int)at[i + 1];
    return ends;
}

// block k of block row i, column by column
static double* block_values(const SticBlockCsr* A, int32_t i, int32_t k)
{
    const int32_t j = A->col[k];
    const int32_t rows = A->row_at[i + 1] - A->row_at[i], cols = A->col_at[j + 1] - A->col_at[j];
    const double* value = A->value + A->value_at[k];
    double* made = malloc((size_t)(rows * cols) * sizeof *made);
    for (int32_t a = 0; made != NULL && a < rows; ++a)
        for (int32_t b = 0; b < cols; ++b)
            made[a + b * rows] = value[a * cols + b];
    return made;
}

static bool fill_blocks(const SticBlockCsr* A, SparseBlockStructuredMatrix* made)
{
    const size_t count = (size_t)stic_block_csr_count(A);
    made->nbblocks = (unsigned int)count;
    made->blocknumber0 = (unsigned int)A->rows;
    made->blocknumber1 = (unsigned int)A->cols;
    made->filled1 = (size_t)A->rows + 1;
    made->filled2 = count;
    made->blocksize0 = partition_ends(A->row_at, A->rows);
    made->blocksize1 = partition_ends(A->col_at, A->cols);
    made->block = calloc(count + 1, sizeof *made->block);
    made->index1_data = malloc(made->filled1 * sizeof *made->index1_data);
    made->index2_data = malloc((count + 1) * sizeof *made->index2_data);
    if (made->blocksize0 == NULL || made->blocksize1 == NULL || made->block == NULL ||
        made->index1_data == NULL || made->index2_data == NULL)
        return false;
    for (int32_t i = 0; i <= A->rows; ++i)
        made->index1_data[i] = (size_t)A->begin[i];
    for (int32_t i = 0; i < A->rows; ++i)
        for (int32_t k = A->begin[i]; k < A->begin[i + 1]; ++k) {
            made->index2_data[k] = (size_t)A->col[k];
            made->block[k] = block_values(A, i, k);
            if (made->block[k] == NULL)
                return false;
        }
    return true;
}

static NumericsMatrix* block_matrix(const SticBlockCsr* A)
{
    SparseBlockStructuredMatrix* made = SBM_new();
    if (made == NULL || !fill_blocks(A, made))
        return NULL;
    return NM_create_from_data(NM_SPARSE_BLOCK, stic_block_csr_height(A), stic_block_csr_width(A),
                               made);
}

NumericsMatrix* peer_matrix(const SticBlockCsr* A, PeerStorage storage)
{
    if (storage == PEER_DENSE)
        return dense_matrix(A);
    return storage == PEER_BLOCK ? block_matrix(A) : sparse_matrix(A, false);
}

NumericsMatrix* peer_transpose(const SticBlockCsr* A)
{
    return sparse_matrix(A, true);
}
