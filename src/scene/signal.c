// SPDX-License-Identifier: Apache-2.0
// Values of time functions.
#include <float.h>
#include <math.h>

#include "math/math.h"
#include "scene/scene.h"
#include "scene/simulation.h"
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

// times of runs are multiples of the step, but for rounding
static double steps_value(const SticSignal* signal, double t, bool before)
{
    const double part = t / signal->interval;
    const double k = before ? ceil(part - 1e-9) - 1.0 : floor(part);
    const int32_t last = signal->count - 1;
    return signal->value[k <= 0.0 ? 0 : k >= last ? last : (int32_t)k];
}

/* ---- curves ----
 *
 * Values are at equal intervals or at times of their own. Between two values a polynomial of degree five, with slopes and curvatures at the values from
 * Newton's interpolation through up to POINTS of them, the nearest first. Its terms are taken in
 * pairs as long as they fall as those of a smooth function that is sampled finely do: by SMOOTH
 * from pair to pair. Beside a jump they do not, and the curve is of low order there instead of
 * overshooting.
 */

enum { POINTS = 11 };
#define SMOOTH 0.1

// a derivative that is summed up in pairs of terms
typedef struct Sum {
    double value, pair; // so far, and of the pair under way
    double bound;       // of the next pair
    bool ended;
} Sum;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static void add_term(Sum* sum, int32_t j, double term)
{
    sum->pair += term;
    if (sum->ended || j % 2 == 1)
        return;
    // the first pair is a parabola
    sum->ended = j > 2 && !(fabs(sum->pair) <= SMOOTH * sum->bound);
    if (!sum->ended) {
        sum->value += sum->pair;
        if (j > 2)
            sum->bound = larger(fabs(sum->pair), SMOOTH * sum->bound);
    }
    sum->pair = 0.0;
}

// how far the values that the interpolation at value k may see are from it
static double range_around(const SticSignal* signal, int32_t k)
{
    const int32_t last = signal->count - 1, most = POINTS - 1;
    const int32_t right = k + most / 2 > last ? last : k + most / 2;
    const int32_t low = right - most > 0 ? right - most : 0,
                  high = low + most < last ? low + most : last;
    double range = 0.0;
    for (int32_t i = low; i <= high; ++i)
        range = larger(range, fabs(signal->value[i] - signal->value[k]));
    return range;
}

// time from value k to value i, in a unit
static double away(const SticSignal* signal, int32_t k, int32_t i, double unit)
{
    return signal->time == NULL ? i - k : (signal->time[i] - signal->time[k]) / unit;
}

// slope and curvature at value k, in a unit of time: the interval, or that of two values
static void curve_rates(const SticSignal* signal, int32_t k, double unit, double* slope,
                        double* curvature)
{
    const int32_t last = signal->count - 1;
    int32_t low = k, high = k;
    double x[POINTS] = {0.0}, row[POINTS] = {signal->value[k]}, product = 1.0, change = 0.0;
    const double range = range_around(signal, k);
    Sum first = {.bound = range}, second = {.bound = range};
    for (int32_t j = 1; j < POINTS && j <= last && !(first.ended && second.ended); ++j) {
        // the nearer one; of two at the same distance that on the right
        const bool right =
            low == 0 || (high < last && away(signal, k, high + 1, unit) <=
                                            -away(signal, k, low - 1, unit) * (1.0 + 1e-9));
        const int32_t at = right ? ++high : --low;
        // divided differences that end at this value
        double below = signal->value[at];
        x[j] = away(signal, k, at, unit);
        for (int32_t i = 1; i <= j; ++i) {
            const double above = row[i - 1];
            row[i - 1] = below;
            below = (below - above) / (x[j] - x[j - i]);
        }
        row[j] = below;
        // terms (x - x0)(x - x1)...(x - x_(j-1)) at x0 = 0
        add_term(&first, j, row[j] * product);
        add_term(&second, j, 2.0 * row[j] * change);
        change = product - x[j] * change;
        product *= -x[j];
    }
    // two values have a line
    *slope = last == 1 ? first.pair : first.value;
    *curvature = second.value;
}

double stic_signal_knot(const SticSignal* signal, int32_t k)
{
    STIC_ASSERT(k >= 0 && k < signal->count);
    return signal->time != NULL ? signal->time[k] : k * signal->interval;
}

// the interval that a time lies in, and its part before the time; false: before or after all
static bool find_interval(const SticSignal* signal, double t, int32_t* k, double* part)
{
    const int32_t last = signal->count - 1;
    if (signal->time != NULL) {
        const double end = signal->time[last];
        if (!(t >= signal->time[0]) || t > end + 8.0 * DBL_EPSILON * fabs(end))
            return false;
        *k = t >= end ? last - 1 : point_before(signal, t);
        *part = (t - signal->time[*k]) / (signal->time[*k + 1] - signal->time[*k]);
        return true;
    }
    const double at = t / signal->interval;
    if (!(at >= 0.0) || at > last * (1.0 + 8.0 * DBL_EPSILON))
        return false;
    *k = at >= last ? last - 1 : (int32_t)at;
    *part = at - *k;
    return true;
}

double stic_signal_curve(const SticSignal* signal, double t, int order)
{
    STIC_ASSERT(order >= 0 && order <= 2);
    const int32_t last = signal->count - 1;
    int32_t k = 0;
    double s = 0.0;
    // constant before and after the values
    if (last == 0 || !find_interval(signal, t, &k, &s))
        return order > 0 ? 0.0 : signal->value[t > stic_signal_knot(signal, 0) ? last : 0];
    const double a = signal->value[k], unit = signal->time != NULL
                                                  ? signal->time[k + 1] - signal->time[k]
                                                  : signal->interval;
    double b = 0.0, c = 0.0, slope = 0.0, curvature = 0.0;
    curve_rates(signal, k, unit, &b, &c);
    curve_rates(signal, k + 1, unit, &slope, &curvature);
    // what a + b s + c s^2/2 lacks at the other end: value, slope, curvature
    const double lacks[3] = {signal->value[k + 1] - a - b - 0.5 * c, slope - b - c, curvature - c};
    const double d = 10.0 * lacks[0] - 4.0 * lacks[1] + 0.5 * lacks[2];
    const double e = -15.0 * lacks[0] + 7.0 * lacks[1] - lacks[2];
    const double f = 6.0 * lacks[0] - 3.0 * lacks[1] + 0.5 * lacks[2];
    if (order == 0)
        return a + s * (b + s * (0.5 * c + s * (d + s * (e + s * f))));
    if (order == 1)
        return (b + s * (c + s * (3.0 * d + s * (4.0 * e + s * 5.0 * f)))) / unit;
    return (c + s * (6.0 * d + s * (12.0 * e + s * 20.0 * f))) / (unit * unit);
}

double stic_scene_signal_at(const SticSignal* signal, SticSceneTime at)
{
    return at.before && signal->kind == STIC_SIGNAL_STEPS ? steps_value(signal, at.t, true)
                                                          : stic_signal_value(signal, at.t);
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
        return stic_signal_curve(signal, t, 0);
    default:
        return steps_value(signal, t, false);
    }
}

// slope of a table behind its point k; 0 outside
static double slope_behind(const SticSignal* signal, int32_t k)
{
    if (k < 0 || k >= signal->count - 1)
        return 0.0;
    return (signal->value[k + 1] - signal->value[k]) / (signal->time[k + 1] - signal->time[k]);
}

// whether a time is that of point k but for rounding: times of runs are multiples of the step
static bool is_at(const SticSignal* signal, int32_t k, double t)
{
    return k >= 0 && k < signal->count && fabs(t - signal->time[k]) <= 16.0 * DBL_EPSILON * fabs(t);
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
        return stic_signal_curve(signal, t, 1);
    return signal->kind == STIC_SIGNAL_TABLE ? signal->scale * table_rate(signal, t) : 0.0;
}

double stic_signal_curvature(const SticSignal* signal, double t)
{
    STIC_ASSERT(signal != NULL);
    if (signal->kind == STIC_SIGNAL_WAVE)
        return -signal->amplitude * signal->frequency * signal->frequency *
               stic_sin(signal->frequency * t + signal->phase);
    return signal->kind == STIC_SIGNAL_CURVE ? stic_signal_curve(signal, t, 2) : 0.0;
}

// first point of a table after t at which the slope changes
static double table_kink(const SticSignal* signal, double t)
{
    for (int32_t k = point_before(signal, t) + 1; k < signal->count; ++k) {
        const double before = slope_behind(signal, k - 1), behind = slope_behind(signal, k);
        // slopes of values that were rounded
        if (fabs(behind - before) > 1e-12 * (fabs(behind) + fabs(before)))
            return signal->time[k];
    }
    return INFINITY;
}

static double steps_kink(const SticSignal* signal, double t)
{
    const double first = floor(t / signal->interval) + 1.0;
    for (int32_t k = first > 1.0 ? first < signal->count ? (int32_t)first : signal->count : 1;
         k < signal->count; ++k)
        if (signal->value[k] != signal->value[k - 1] && k * signal->interval > t)
            return k * signal->interval;
    return INFINITY;
}

double stic_signal_kink(const SticSignal* signal, double t)
{
    STIC_ASSERT(signal != NULL);
    if (signal->kind == STIC_SIGNAL_TABLE)
        return table_kink(signal, t);
    return signal->kind == STIC_SIGNAL_STEPS ? steps_kink(signal, t) : INFINITY;
}

double stic_signal_control(void* self, const SticRun* run, double t)
{
    (void)run;
    const SticSignal* signal = self;
    if (signal == NULL)
        return 0.0;
    // a run refuses a control that answers NAN, with its time and name
    const bool lists = signal->kind != STIC_SIGNAL_WAVE;
    if (lists && (signal->count < 1 || signal->value == NULL ||
                  (signal->kind == STIC_SIGNAL_TABLE && signal->time == NULL)))
        return NAN;
    return stic_signal_value(signal, t);
}
