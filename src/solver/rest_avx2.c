// SPDX-License-Identifier: Apache-2.0
// Contacts of rest.c four at a time, for AVX2. Fused multiply-add stays off: it would round
// differently.
#if defined(__x86_64__)

#define LANES_TARGET __attribute__((target("avx2")))
#define LANES_AVX
#include "solver/rest_template.h"

SticRestLanes stic_rest_lanes_avx2(void)
{
    return (SticRestLanes){fill_pack, measure_pack};
}

#else

#include <stddef.h>

#include "solver/rest_pack.h"

SticRestLanes stic_rest_lanes_avx2(void)
{
    return (SticRestLanes){NULL, NULL};
}

#endif
