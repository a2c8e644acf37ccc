// SPDX-License-Identifier: Apache-2.0
// Placeholder until the method is written: all pairs.
#include "collide/broad_internal.h"

SticStatus stic_sweep3d_create(SticBroad* broad)
{
    (void)broad;
    return STIC_OK;
}

void stic_sweep3d_destroy(SticBroad* broad)
{
    (void)broad;
}

SticStatus stic_sweep3d_find(SticBroad* broad)
{
    return stic_brute_find(broad);
}
