// SPDX-License-Identifier: Apache-2.0
// Measures of four contacts at a time for the base instruction set.
#define LANES_TARGET
#include "world/measure_template.h"

SticMeasureLanes* stic_measure_lanes(bool plain)
{
#if defined(__x86_64__)
    if (!plain && __builtin_cpu_supports("avx2"))
        return stic_measure_lanes_avx2();
#else
    (void)plain;
#endif
    return measure_lanes;
}
