// SPDX-License-Identifier: Apache-2.0
#include "collide/part.h"
SticStatus stic_smooth_touch(SticPairWork* work, const SticPart* first, const SticPart* second)
{
    (void)work;
    (void)first;
    (void)second;
    return STIC_UNSUPPORTED;
}
SticStatus stic_smooth_on_plane(SticPairWork* work, const SticPart* part, const SticPart* plane)
{
    (void)work;
    (void)part;
    (void)plane;
    return STIC_UNSUPPORTED;
}
