// SPDX-License-Identifier: Apache-2.0
// Dense kernels for AVX2. Fused multiply-add stays off: it would round differently.
#include "sparse/dense.h"

#include <stddef.h>

#if defined(__x86_64__)

#define DENSE_TARGET __attribute__((target("avx2")))
#define DENSE_ROWS   2
#include "sparse/dense_template.h"

const SticDenseKernels* stic_dense_kernels_avx2(void)
{
    return &kernels;
}

#else

const SticDenseKernels* stic_dense_kernels_avx2(void)
{
    return NULL;
}

#endif
