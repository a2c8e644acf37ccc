// SPDX-License-Identifier: Apache-2.0
// Contacts of rest.c four at a time, for the base instruction set.
#define LANES_TARGET
#include "solver/rest_template.h"

SticRestLanes stic_rest_lanes(bool plain)
{
#if defined(__x86_64__)
    if (!plain && __builtin_cpu_supports("avx2"))
        return stic_rest_lanes_avx2();
#else
    (void)plain;
#endif
    return (SticRestLanes){fill_pack, measure_pack};
}
