// SPDX-License-Identifier: Apache-2.0
// Values of time functions.
#include <math.h>

#include "stiction/math.h"
#include "stiction/scene.h"

// last point whose time is at most t, by bisection; -1: t is before all of them
static int32_t point_before(const SticSignal* signal, double t)
{
    int32_t low = -1, high = signal->count;
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (signal->time[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static double table_value(const SticSignal* signal, double t)
{
    const int32_t k = point_before(signal, t);
    if (k < 0)
        return signal->value[0];
    if (k == signal->count - 1)
        return signal->value[k];
    const double part = (t - signal->time[k]) / (signal->time[k + 1] - signal->time[k]);
    return signal->value[k] + part * (signal->value[k + 1] - signal->value[k]);
}

static double steps_value(const SticSignal* signal, double t)
{
    const double k = floor(t / signal->interval);
    const int32_t last = signal->count - 1;
    return signal->value[k <= 0.0 ? 0 : k >= last ? last : (int32_t)k];
}

double stic_signal_value(const SticSignal* signal, double t)
{
    switch (signal->kind) {
    case STIC_SIGNAL_WAVE:
        return signal->offset + signal->amplitude * stic_sin(signal->frequency * t + signal->phase);
    case STIC_SIGNAL_TABLE:
        return signal->scale * table_value(signal, t);
    default:
        return steps_value(signal, t);
    }
}

double stic_signal_rate(const SticSignal* signal, double t)
{
    if (signal->kind == STIC_SIGNAL_WAVE)
        return signal->amplitude * signal->frequency *
               stic_cos(signal->frequency * t + signal->phase);
    if (signal->kind != STIC_SIGNAL_TABLE)
        return 0.0;
    const int32_t k = point_before(signal, t);
    if (k < 0 || k == signal->count - 1)
        return 0.0;
    return signal->scale * (signal->value[k + 1] - signal->value[k]) /
           (signal->time[k + 1] - signal->time[k]);
}
