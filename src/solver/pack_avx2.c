// SPDX-License-Identifier: Apache-2.0
// Visits of packs for AVX2. Fused multiply-add stays off: it would round differently.
#include "solver/pack.h"

#include <stddef.h>

#if defined(__x86_64__)

#include <immintrin.h>

#define PACK_TARGET __attribute__((target("avx2")))
#define PACK_AVX
#include "solver/pack_template.h"

SticPackKernel* stic_pack_kernel_avx2(void)
{
    return visit_packs;
}

#else

SticPackKernel* stic_pack_kernel_avx2(void)
{
    return NULL;
}

#endif
