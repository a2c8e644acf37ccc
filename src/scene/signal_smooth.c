// SPDX-License-Identifier: Apache-2.0
// How long a time function is smooth: stretches over which it is a polynomial.
//
// A method that samples a function at the stages of its steps sees it only if it cannot vanish at
// all of them. A stretch is a time over which the function is the polynomial of degree eight
// through nine Chebyshev points, up to RESOLVED of what it does there: a polynomial of that degree
// has no more than eight roots, and the pair 8(5,3) has eleven different stages in a step. Steps
// that do not reach beyond a stretch therefore see all of it, however short a bump is.
//
// What a curve is between two of its values is known, and so is every value: none can be missed.
// Stretches are found by trying twice as many intervals each time, at a cost proportional to what
// is found. That of a sine follows from the error of its interpolation,
// 2 (w a/2)^9/9! over a half-length a: with 1e-6, w a = 1.66.
#include <float.h>
#include <math.h>

#include "scene/scene.h"
#include "stiction/extend/base.h"

enum { DEGREE = 8 };
// part of the range of a stretch that its polynomial may miss it by: that up to which integrals of
// loads are known (step_error.c)
#define RESOLVED 1e-6
// length of a stretch of a sine, times its angular frequency
#define WAVE_STRETCH 3.3

// cosines of k pi/8: the Chebyshev points from the right to the left
static const double point[DEGREE + 1] = {
    1.0, 0.92387953251128674,  0.70710678118654752,  0.38268343236508977,
    0.0, -0.38268343236508977, -0.70710678118654752, -0.92387953251128674,
    -1.0};

// the polynomial through values at the Chebyshev points, in the barycentric form (Berrut and
// Trefethen 2004, eq. 5.4); x in [-1, 1]
static double polynomial(const double value[DEGREE + 1], double x)
{
    double above = 0.0, below = 0.0;
    for (int j = 0; j <= DEGREE; ++j) {
        if (x == point[j])
            return value[j];
        const double sign = j % 2 == 0 ? 1.0 : -1.0;
        const double weight = (j == 0 || j == DEGREE ? 0.5 : 1.0) * sign / (x - point[j]);
        above += weight * value[j];
        below += weight;
    }
    return above / below;
}

// largest value of a curve beside an interval, which rounding is measured by
static double size_of(const SticSignal* signal, int32_t first, int32_t last)
{
    double size = 0.0;
    for (int32_t k = first; k <= last; ++k)
        size = fabs(signal->value[k]) > size ? fabs(signal->value[k]) : size;
    return size;
}

// whether a derivative of a curve is a polynomial between a time in interval `first` and value
// `last`
static bool is_smooth(const SticSignal* signal, int order, double t, int32_t first, int32_t last)
{
    const double end = stic_signal_knot(signal, last), half = 0.5 * (end - t), middle = t + half;
    double value[DEGREE + 1], least = INFINITY, most = -INFINITY, unit = end - t;
    for (int j = 0; j <= DEGREE; ++j) {
        value[j] = stic_signal_curve(signal, middle + half * point[j], order);
        least = value[j] < least ? value[j] : least;
        most = value[j] > most ? value[j] : most;
    }
    for (int32_t k = first; k < last; ++k) {
        const double length = stic_signal_knot(signal, k + 1) - stic_signal_knot(signal, k);
        unit = length < unit ? length : unit;
    }
    double rounding = 64.0 * DBL_EPSILON * size_of(signal, first, last);
    for (int k = 0; k < order; ++k)
        rounding /= 0.25 * unit;
    // values, and the middles between them
    for (int32_t k = first; k < last; ++k) {
        const double at = stic_signal_knot(signal, k), next = stic_signal_knot(signal, k + 1);
        const double look[2] = {at, 0.5 * (at + next)};
        for (int c = 0; c < 2; ++c) {
            if (!(look[c] > t))
                continue;
            const double here = stic_signal_curve(signal, look[c], order);
            least = here < least ? here : least;
            most = here > most ? here : most;
            if (fabs(here - polynomial(value, (look[c] - middle) / half)) >
                RESOLVED * (most - least) + rounding)
                return false;
        }
    }
    return true;
}

// the first value behind a time, but for rounding of it; the count of values: none
static int32_t value_behind(const SticSignal* signal, double t)
{
    int32_t low = -1, high = signal->count;
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        const double at = stic_signal_knot(signal, middle);
        if (at <= t + 64.0 * DBL_EPSILON * fabs(at))
            low = middle;
        else
            high = middle;
    }
    return high;
}

static double curve_smooth(const SticSignal* signal, int order, double t, double end)
{
    const int32_t behind = value_behind(signal, t), last = signal->count - 1;
    if (behind > last)
        return end;
    int32_t reached = behind;
    // constant before the first value
    for (int32_t more = 1; behind > 0 && reached < last && stic_signal_knot(signal, reached) < end;
         more *= 2) {
        const int32_t next = last - reached > more ? reached + more : last;
        if (!is_smooth(signal, order, t, behind - 1, next))
            break;
        reached = next;
    }
    const double until = stic_signal_knot(signal, reached);
    return until < end ? until : end;
}

double stic_signal_smooth(const SticSignal* signal, int order, double t, double end)
{
    STIC_ASSERT(signal != NULL);
    STIC_ASSERT(order >= 0 && order <= 2);
    if (signal->kind == STIC_SIGNAL_CURVE)
        return curve_smooth(signal, order, t, end);
    if (signal->kind != STIC_SIGNAL_WAVE || signal->amplitude == 0.0)
        return end;
    const double until = t + WAVE_STRETCH / fabs(signal->frequency);
    return until < end ? until : end;
}
