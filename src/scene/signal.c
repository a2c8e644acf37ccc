// SPDX-License-Identifier: Apache-2.0
// Values of time functions.
#include <float.h>
#include <math.h>

#include "math/math.h"
#include "stiction/extend/base.h"
#include "stiction/extend/scene.h"

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

/* ---- curves: cubics whose slopes at the values are differences of order four ---- */

// slope at value k, times the interval; near the ends by parabolas and by fewer values
static double curve_slope(const SticSignal* signal, int32_t k)
{
    const double* v = signal->value + k;
    const int32_t before = k, after = signal->count - 1 - k;
    if (before >= 2 && after >= 2)
        return (v[-2] - 8.0 * v[-1] + 8.0 * v[1] - v[2]) / 12.0;
    if (before >= 1 && after >= 1)
        return 0.5 * (v[1] - v[-1]);
    if (after >= 2)
        return 0.5 * (4.0 * v[1] - 3.0 * v[0] - v[2]);
    if (before >= 2)
        return 0.5 * (3.0 * v[0] - 4.0 * v[-1] + v[-2]);
    return after >= 1 ? v[1] - v[0] : before >= 1 ? v[0] - v[-1] : 0.0;
}

// derivative of the given order; constant before and after the values
static double curve_at(const SticSignal* signal, double t, int order)
{
    const double at = t / signal->interval;
    const int32_t last = signal->count - 1;
    if (!(at >= 0.0) || at > last)
        return order > 0 ? 0.0 : signal->value[at > 0.0 ? last : 0];
    const int32_t k = last == 0 ? 0 : at >= last ? last - 1 : (int32_t)at;
    if (last == 0)
        return order > 0 ? 0.0 : signal->value[0];
    const double s = at - k, a = signal->value[k], b = curve_slope(signal, k);
    const double change = signal->value[k + 1] - a, end = curve_slope(signal, k + 1);
    const double c = 3.0 * change - 2.0 * b - end, d = b + end - 2.0 * change;
    if (order == 0)
        return a + s * (b + s * (c + s * d));
    if (order == 1)
        return (b + s * (2.0 * c + 3.0 * d * s)) / signal->interval;
    return (2.0 * c + 6.0 * d * s) / (signal->interval * signal->interval);
}

double stic_signal_value(const SticSignal* signal, double t)
{
    STIC_ASSERT(signal != NULL);
    switch (signal->kind) {
    case STIC_SIGNAL_WAVE:
        return signal->offset + signal->amplitude * stic_sin(signal->frequency * t + signal->phase);
    case STIC_SIGNAL_TABLE:
        return signal->scale * table_value(signal, t);
    case STIC_SIGNAL_CURVE:
        return curve_at(signal, t, 0);
    default:
        return steps_value(signal, t);
    }
}

// slope of a table behind its point k; 0 outside
static double slope_behind(const SticSignal* signal, int32_t k)
{
    if (k < 0 || k >= signal->count - 1)
        return 0.0;
    return (signal->value[k + 1] - signal->value[k]) / (signal->time[k + 1] - signal->time[k]);
}

// whether a time is that of point k but for rounding
static bool is_at(const SticSignal* signal, int32_t k, double t)
{
    if (k < 0 || k >= signal->count)
        return false;
    const int32_t from = k > 0 ? k - 1 : k, to = k < signal->count - 1 ? k + 1 : k;
    const double part = 1e-9 * (signal->time[to] - signal->time[from]);
    const double rounding = 8.0 * DBL_EPSILON * fabs(t);
    return fabs(t - signal->time[k]) <= (part > rounding ? part : rounding);
}

// at a point the mean of the slopes beside it, of second order for what was sampled; schemes ask
// there, and rounding must not choose one of the two. The ends have one slope only
static double table_rate(const SticSignal* signal, double t)
{
    const int32_t before = point_before(signal, t);
    const int32_t k = is_at(signal, before + 1, t) ? before + 1 : before;
    if (!is_at(signal, k, t))
        return slope_behind(signal, before);
    if (k == 0 || k == signal->count - 1)
        return slope_behind(signal, k == 0 ? 0 : k - 1);
    return 0.5 * (slope_behind(signal, k - 1) + slope_behind(signal, k));
}

double stic_signal_rate(const SticSignal* signal, double t)
{
    STIC_ASSERT(signal != NULL);
    if (signal->kind == STIC_SIGNAL_WAVE)
        return signal->amplitude * signal->frequency *
               stic_cos(signal->frequency * t + signal->phase);
    if (signal->kind == STIC_SIGNAL_CURVE)
        return curve_at(signal, t, 1);
    return signal->kind == STIC_SIGNAL_TABLE ? signal->scale * table_rate(signal, t) : 0.0;
}

double stic_signal_curvature(const SticSignal* signal, double t)
{
    STIC_ASSERT(signal != NULL);
    if (signal->kind == STIC_SIGNAL_WAVE)
        return -signal->amplitude * signal->frequency * signal->frequency *
               stic_sin(signal->frequency * t + signal->phase);
    return signal->kind == STIC_SIGNAL_CURVE ? curve_at(signal, t, 2) : 0.0;
}

double stic_signal_control(void* self, const SticRun* run, double t)
{
    STIC_ASSERT(run != NULL);
    (void)run;
    return stic_signal_value(self, t);
}
