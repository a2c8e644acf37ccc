// SPDX-License-Identifier: Apache-2.0
// Dense kernels for AVX2. Fused multiply-add stays off: it would round differently.
#include "sparse/panel.h"

#include <stddef.h>

#if defined(__x86_64__)

#define PANEL_TARGET __attribute__((target("avx2")))
#define PANEL_ROWS   2
#include "sparse/panel_template.h"

const SticPanelKernels* stic_panel_kernels_avx2(void)
{
    return &kernels;
}

#else

const SticPanelKernels* stic_panel_kernels_avx2(void)
{
    return NULL;
}

#endif
