// SPDX-License-Identifier: Apache-2.0
// Visits of packs for AVX2. Fused multiply-add stays off: it would round differently.
#if defined(__x86_64__)

#define LANES_TARGET __attribute__((target("avx2")))
#define LANES_AVX
#include "solver/pack_template.h"

SticPackKernel* stic_pack_kernel_avx2(void)
{
    return visit_packs;
}

#else

#include <stddef.h>

#include "solver/pack.h"

SticPackKernel* stic_pack_kernel_avx2(void)
{
    return NULL;
}

#endif
