// SPDX-License-Identifier: Apache-2.0
// Measures of four contacts at a time for AVX2. Fused multiply-add stays off: it would round
// differently.
#if defined(__x86_64__)

#define LANES_TARGET __attribute__((target("avx2")))
#define LANES_AVX
#include "world/measure_template.h"

SticMeasureLanes* stic_measure_lanes_avx2(void)
{
    return measure_lanes;
}

#else

#include <stddef.h>

#include "world/measure.h"

SticMeasureLanes* stic_measure_lanes_avx2(void)
{
    return NULL;
}

#endif
