// SPDX-License-Identifier: Apache-2.0
// A' G A + rho D, its pattern made once. Cost: one small product per pair of bodies and interaction.
#include "certify/gram.h"

#include <string.h>

SticStatus stic_gram_create(SticArena* arena, const SticBlockCsr* A, SticGram* gram,
                            SticError* error)
{
    // pairs of bodies that share a contact, and every body with itself
    int64_t pairs = A->cols;
    int32_t *row = NULL, *col = NULL, used = 0;
    *gram = (SticGram){.A = A};
    for (int32_t p = 0; p < A->rows; ++p)
        pairs += (int64_t)(A->begin[p + 1] - A->begin[p]) * (A->begin[p + 1] - A->begin[p]);
    if (pairs > INT32_MAX)
        return STIC_OUT_OF_MEMORY;
    STIC_TRY(STIC_TAKE(arena, &row, pairs + 1));
    STIC_TRY(STIC_TAKE(arena, &col, pairs + 1));
    STIC_TRY(STIC_TAKE(arena, &gram->place, pairs + 1));
    STIC_TRY(STIC_TAKE(arena, &gram->diagonal, A->cols + 1));
    for (int32_t p = 0; p < A->rows; ++p)
        for (int32_t e = A->begin[p]; e < A->begin[p + 1]; ++e)
            for (int32_t f = A->begin[p]; f < A->begin[p + 1]; ++f) {
                row[used] = A->col[e];
                col[used++] = A->col[f];
            }
    for (int32_t j = 0; j < A->cols; ++j)
        row[used] = col[used] = j, used += 1;
    const SticPartition partition = {
        .rows = A->cols, .cols = A->cols, .row_at = A->col_at, .col_at = A->col_at};
    const SticBlockTriplets triplets = {.count = used, .row = row, .col = col};
    SticBlockCsr* K = &gram->K;
    STIC_TRY(stic_block_csr_from_blocks(&partition, &triplets, arena, K, error));
    STIC_TRY(STIC_TAKE(arena, &gram->value, K->value_at[stic_block_csr_count(K)] + 1));
    K->value = gram->value;
    for (int32_t k = 0; k < used; ++k) {
        const int32_t e = stic_block_csr_find(K, row[k], col[k]);
        if (k < used - A->cols)
            gram->place[k] = K->value_at[e];
        else
            gram->diagonal[row[k]] = e;
    }
    return STIC_OK;
}

void stic_gram_assemble(SticGram* gram, SticGramScale scale, const void* self, double rho,
                        const double* D)
{
    const SticBlockCsr *A = gram->A, *K = &gram->K;
    const int64_t* place = gram->place;
    memset(gram->value, 0, (size_t)K->value_at[stic_block_csr_count(K)] * sizeof(double));
    for (int32_t p = 0; p < A->rows; ++p)
        for (int32_t e = A->begin[p]; e < A->begin[p + 1]; ++e) {
            const int32_t m = A->row_at[p + 1] - A->row_at[p];
            const int32_t n = A->col_at[A->col[e] + 1] - A->col_at[A->col[e]];
            double GA[STIC_GRAM_ROWS * STIC_BLOCK_MAX];
            scale(self, p, n, A->value + A->value_at[e], GA);
            for (int32_t f = A->begin[p]; f < A->begin[p + 1]; ++f) {
                const int32_t l = A->col_at[A->col[f] + 1] - A->col_at[A->col[f]];
                const double* a = A->value + A->value_at[f];
                double* to = gram->value + *place++;
                for (int32_t i = 0; i < n; ++i)
                    for (int32_t k = 0; k < m; ++k)
                        for (int32_t j = 0; j < l; ++j)
                            to[i * l + j] += GA[k * n + i] * a[k * l + j];
            }
        }
    stic_gram_add(gram, rho, D);
}

void stic_gram_add(SticGram* gram, double rho, const double* D)
{
    const SticBlockCsr* K = &gram->K;
    for (int32_t b = 0; b < K->rows; ++b) {
        const int32_t n = K->row_at[b + 1] - K->row_at[b];
        double* to = gram->value + K->value_at[gram->diagonal[b]];
        for (int32_t k = 0; k < n; ++k)
            to[k * n + k] += rho * D[K->row_at[b] + k];
    }
}
