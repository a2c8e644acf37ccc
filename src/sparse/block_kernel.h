// SPDX-License-Identifier: Apache-2.0
// Products of one small block with a vector or a block; the sizes that dominate are unrolled.
//
// Every sum runs over the inner index in rising order, so that the unrolled kernels and the generic
// one give the same bits.
#ifndef STIC_SPARSE_BLOCK_KERNEL_H
#define STIC_SPARSE_BLOCK_KERNEL_H

#include <stdint.h>

// y += B x, B is m x n by rows; inlined with constant sizes by the functions below
static inline void block_gather_sized(int32_t m, int32_t n, const double* restrict B,
                                      const double* restrict x, double* restrict y)
{
    for (int32_t i = 0; i < m; ++i) {
        double sum = y[i];
        for (int32_t k = 0; k < n; ++k)
            sum += B[i * n + k] * x[k];
        y[i] = sum;
    }
}

// y += B' x
static inline void block_scatter_sized(int32_t m, int32_t n, const double* restrict B,
                                       const double* restrict x, double* restrict y)
{
    for (int32_t i = 0; i < m; ++i)
        for (int32_t k = 0; k < n; ++k)
            y[k] += B[i * n + k] * x[i];
}

// two neighbours at once
typedef double BlockPair __attribute__((vector_size(16), aligned(8)));

// the same for three rows of six: each sum in the same order, kept in a register
static inline void block_scatter_36(const double* B, const double* x, double* y)
{
    const BlockPair *b0 = (const BlockPair*)B, *b1 = (const BlockPair*)(B + 6),
                    *b2 = (const BlockPair*)(B + 12);
    BlockPair* to = (BlockPair*)y;
    const double x0 = x[0], x1 = x[1], x2 = x[2];
    for (int32_t k = 0; k < 3; ++k)
        to[k] = to[k] + b0[k] * x0 + b1[k] * x1 + b2[k] * x2;
}

// C += A B, A is m x p, B is p x n
static inline void block_product_sized(int32_t m, int32_t p, int32_t n, const double* restrict A,
                                       const double* restrict B, double* restrict C)
{
    for (int32_t i = 0; i < m; ++i)
        for (int32_t k = 0; k < p; ++k)
            for (int32_t j = 0; j < n; ++j)
                C[i * n + j] += A[i * p + k] * B[k * n + j];
}

// C += A B', A is m x p, B is n x p
static inline void block_product_transposed_sized(int32_t m, int32_t p, int32_t n,
                                                  const double* restrict A,
                                                  const double* restrict B, double* restrict C)
{
    for (int32_t i = 0; i < m; ++i)
        for (int32_t j = 0; j < n; ++j) {
            double sum = C[i * n + j];
            for (int32_t k = 0; k < p; ++k)
                sum += A[i * p + k] * B[j * p + k];
            C[i * n + j] = sum;
        }
}

static inline void block_gather(int32_t m, int32_t n, const double* B, const double* x, double* y)
{
    if (m == 3 && n == 3)
        block_gather_sized(3, 3, B, x, y);
    else if (m == 3 && n == 6)
        block_gather_sized(3, 6, B, x, y);
    else if (n == 6)
        block_gather_sized(m, 6, B, x, y);
    else
        block_gather_sized(m, n, B, x, y);
}

static inline void block_scatter(int32_t m, int32_t n, const double* B, const double* x, double* y)
{
    if (m == 3 && n == 3)
        block_scatter_sized(3, 3, B, x, y);
    else if (m == 3 && n == 6)
        block_scatter_36(B, x, y);
    else if (n == 6)
        block_scatter_sized(m, 6, B, x, y);
    else
        block_scatter_sized(m, n, B, x, y);
}

static inline void block_product(int32_t m, int32_t p, int32_t n, const double* A, const double* B,
                                 double* C)
{
    if (m == 3 && p == 6 && n == 6)
        block_product_sized(3, 6, 6, A, B, C);
    else
        block_product_sized(m, p, n, A, B, C);
}

static inline void block_product_transposed(int32_t m, int32_t p, int32_t n, const double* A,
                                            const double* B, double* C)
{
    if (m == 3 && p == 6 && n == 3)
        block_product_transposed_sized(3, 6, 3, A, B, C);
    else
        block_product_transposed_sized(m, p, n, A, B, C);
}

#endif
