// SPDX-License-Identifier: Apache-2.0
// The clock of all measurements; no decision of the library depends on it.
#include "stiction/extend/base.h"

#include <time.h>

double stic_timer_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
