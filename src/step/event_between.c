// SPDX-License-Identifier: Apache-2.0
// Event-driven scheme: what happens between the ends of a step of the integrator.
//
//   turns     a gap that shrinks at one stage and grows at the next is least between them, and may
//             be closed there
//   peaks     loads that go up and down may exceed what friction holds, or lift what rests,
//             between two stages: forces are looked at where they are nearest to their bounds
//   borders   a pair that lost its contacts on the way and has others at the end
//
// Stages of the pair are not exact inside a step, and only show where to look: what is found is
// examined on the dense output.
#include <float.h>
#include <math.h>

#include "step/event.h"
#include "stiction/extend/base.h"

// stages in the order of their times
static const int in_time[STIC_RK_STAGES] = {0, 1, 2, 3, 6, 4, 7, 5, 9, 8, 10, 11};

/* ---- borders ---- */

static SticStatus pair_left(SticEventMotion* m, const SticState* state, double* value)
{
    return stic_event_left(m, state, m->leaving, value);
}

// A pair that lost its contacts on the way and is found as before at the end, or elsewhere: a ball
// that crossed the gap between two tables. Looks right behind the border of each.
static SticStatus look_behind_borders(SticEventMotion* m, const SticState* end, double theta[2],
                                      double value[2])
{
    double *y = NULL, first = 2.0;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &y, m->step->ode.n));
    STIC_TRY(stic_event_prepare_dense(m));
    for (m->leaving = 0; m->leaving < m->list.set.count; ++m->leaving) {
        double at[2] = {0.0, 1.0}, left[2] = {-1.0, 0.0}, broken = 0.0;
        SticState state;
        bool again = m->contact[m->leaving].phase != STIC_PHASE_CLOSED ||
                     m->list.set.interaction[m->leaving].level != STIC_LEVEL_CONTACT;
        // once for every pair
        for (int32_t k = 0; k < m->leaving && !again; ++k)
            again = m->contact[k].phase == STIC_PHASE_CLOSED &&
                    stic_event_same_pair(&m->contact[k], &m->contact[m->leaving]);
        if (again)
            continue;
        STIC_TRY(pair_left(m, end, &left[1]));
        if (!(left[1] > 0.0))
            continue;
        STIC_TRY(stic_event_locate(m, pair_left, at, left));
        STIC_TRY(stic_event_dense(m, at[1], y, &state));
        STIC_TRY(stic_event_behind(m, &state, &broken));
        if (broken > 0.0 && at[1] < first) {
            first = at[1];
            theta[0] = at[0];
            theta[1] = at[1];
            value[1] = broken;
        }
    }
    return STIC_OK;
}

/* ---- turns ---- */

static SticStatus rate_of(SticEventMotion* m, const SticState* state, double* value)
{
    const SticArenaMark mark = stic_arena_mark(m->stepper->arena);
    SticEventInstant now;
    STIC_TRY(stic_event_look(m, state, &now));
    *value = now.gamma[now.all.set.row_at[m->leaving]];
    stic_arena_rewind(m->stepper->arena, mark);
    return STIC_OK;
}

// Where the gap of m->leaving is least between at[0] and at[1]: theta[1] if it is closed there.
static SticStatus look_at_least(SticEventMotion* m, double at[2], double* y, double theta[2],
                                double value[2])
{
    SticState state;
    double rate[2] = {-1.0, 0.0}, broken = 0.0;
    STIC_TRY(stic_event_dense(m, at[1], y, &state));
    STIC_TRY(rate_of(m, &state, &rate[1]));
    if (rate[1] < -stic_event_velocity(m, m->leaving))
        return STIC_OK;
    if (at[0] > 0.0) {
        STIC_TRY(stic_event_dense(m, at[0], y, &state));
        STIC_TRY(rate_of(m, &state, &rate[0]));
    }
    // it may be least at the very end
    if (rate[1] > 0.0)
        STIC_TRY(stic_event_locate(m, rate_of, at, rate));
    else
        at[0] = at[1];
    // a moment before, while it still closes
    at[0] *= 1.0 - 1e-9;
    STIC_TRY(stic_event_dense(m, at[0], y, &state));
    STIC_TRY(stic_event_gap_behind(m, &state, &broken));
    if (broken > 0.0) {
        theta[1] = at[0];
        value[1] = broken;
    }
    return STIC_OK;
}

// time, as a part of the step, of the k-th point in time at which rates are known
static double point_at(const SticEventMotion* m, int k)
{
    return m->multistep ? (double)k : stic_runge_kutta_node(in_time[k]);
}

// Rate of the gap of interaction i there. The end of a step of CVODE is not known: it may grow.
static double point_rate(const SticEventMotion* m, int k, int32_t i)
{
    if (k == 0)
        return m->start.rate[i];
    return m->multistep ? 1.0 : m->stage_rate[(int64_t)in_time[k] * m->list.set.count + i];
}

// Interaction m->leaving between points that it shrinks at and those at which it grows. Where round
// bodies pass through each other's middle the rate is none, or none is known.
static SticStatus look_at_gap(SticEventMotion* m, double* y, double theta[2], double value[2])
{
    const int points = m->multistep ? 2 : STIC_RK_STAGES;
    // slower than this is rounding
    const double none = stic_event_velocity(m, m->leaving);
    double shrinks = m->start.rate[m->leaving] < -none ? 0.0 : 2.0;
    for (int k = 1; k < points && shrinks < theta[1]; ++k) {
        const double rate = point_rate(m, k, m->leaving), here = point_at(m, k);
        // the end of what is looked at lies between two points
        const bool last = here >= theta[1] && theta[1] < 1.0;
        const bool turns = rate > none || (k + 1 == points && rate >= -none);
        if (shrinks < here && (turns || last)) {
            double at[2] = {shrinks, last ? theta[1] : here};
            STIC_TRY(stic_event_prepare_dense(m));
            STIC_TRY(look_at_least(m, at, y, theta, value));
        }
        shrinks = rate < -none ? here : rate > none ? 2.0 : shrinks;
    }
    return STIC_OK;
}

SticStatus stic_event_look_at_turns(SticEventMotion* m, double theta[2], double value[2])
{
    double* y = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &y, m->step->ode.n));
    for (m->leaving = 0; m->leaving < m->list.set.count; ++m->leaving) {
        const SticEventContact* contact = &m->contact[m->leaving];
        if (contact->phase == STIC_PHASE_OPEN && !contact->phantom)
            STIC_TRY(look_at_gap(m, y, theta, value));
    }
    return STIC_OK;
}

/* ---- peaks ---- */

// peaks of forces lower than this part of the largest are not told from rounding
#define PEAK 1e-6

// how far even shares are beyond their bounds after a part of the step
static SticStatus force_at(SticEventMotion* m, double theta, double* y, double* value)
{
    SticState state;
    double force[2];
    STIC_TRY(stic_event_dense(m, theta, y, &state));
    STIC_TRY(stic_event_force_behind(m, &state, force, NULL));
    *value = force[0];
    return STIC_OK;
}

// where a parabola through three points is largest
static double summit(const double x[3], const double f[3])
{
    const double a = (x[1] - x[0]) * (f[1] - f[2]), b = (x[1] - x[2]) * (f[1] - f[0]);
    return x[1] - 0.5 * ((x[1] - x[0]) * a - (x[1] - x[2]) * b) / (a - b);
}

// the largest force between x[0] and x[2], larger in the middle: golden sections
static SticStatus climb(SticEventMotion* m, double x[3], double* y, double* at)
{
    enum { SECTIONS = 20 };
    const double part = 0.381966011250105;
    double f = 0.0;
    STIC_TRY(force_at(m, x[1], y, &f));
    for (int k = 0; k < SECTIONS && f <= 0.0; ++k) {
        const bool right = x[2] - x[1] > x[1] - x[0];
        const double next = x[1] + part * ((right ? x[2] : x[0]) - x[1]);
        double now = 0.0;
        STIC_TRY(force_at(m, next, y, &now));
        const bool higher = now > f;
        if (higher) {
            x[right ? 0 : 2] = x[1];
            x[1] = next;
            f = now;
        } else {
            x[right ? 2 : 0] = next;
        }
    }
    *at = x[1];
    return STIC_OK;
}

// Forces that come near their bounds between two stages and go back again.
static SticStatus look_at_peaks(SticEventMotion* m, double theta[2], double value[2])
{
    const double *force = m->stage_force, first = force[in_time[0]],
                 last = force[in_time[STIC_RK_STAGES - 1]];
    double* y = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &y, m->step->ode.n));
    for (int k = 1; !m->multistep && k + 1 < STIC_RK_STAGES; ++k) {
        double x[3], f[3], at = 0.0, broken = 0.0;
        SticState state;
        for (int c = 0; c < 3; ++c) {
            x[c] = stic_runge_kutta_node(in_time[k - 1 + c]);
            f[c] = force[in_time[k - 1 + c]];
        }
        if (!(f[1] >= f[0] && f[1] > f[2] && f[1] - first > PEAK && f[1] - last > PEAK))
            continue;
        // higher by at most as much again as it is above its neighbours
        if (f[1] + (f[1] - (f[0] < f[2] ? f[0] : f[2])) <= 0.0)
            continue;
        STIC_TRY(stic_event_prepare_dense(m));
        const double top = summit(x, f);
        x[1] = top > x[0] && top < x[2] ? top : x[1];
        STIC_TRY(climb(m, x, y, &at));
        STIC_TRY(stic_event_dense(m, at, y, &state));
        STIC_TRY(stic_event_behind(m, &state, &broken));
        if (broken > 0.0) {
            theta[1] = at;
            value[1] = broken;
            return STIC_OK;
        }
    }
    return STIC_OK;
}

/* ---- all of it ---- */

SticStatus stic_event_look_between(SticEventMotion* m, const SticState* end, double theta[2],
                                   double value[2])
{
    double* y = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &y, m->step->ode.n));
    STIC_TRY(stic_event_look_at_turns(m, theta, value));
    if (!(value[1] > 0.0))
        STIC_TRY(look_at_peaks(m, theta, value));
    if (value[1] > 0.0)
        return STIC_OK;
    if (!m->between)
        return m->left ? look_behind_borders(m, end, theta, value) : STIC_OK;
    STIC_TRY(stic_event_prepare_dense(m));
    enum { SAMPLES = 16 };
    for (int k = 1; k < SAMPLES; ++k) {
        double at = 0.0;
        SticState state;
        STIC_TRY(stic_event_dense(m, (double)k / SAMPLES, y, &state));
        STIC_TRY(stic_event_behind(m, &state, &at));
        theta[at > 0.0 ? 1 : 0] = (double)k / SAMPLES;
        value[at > 0.0 ? 1 : 0] = at;
        if (at > 0.0)
            return STIC_OK;
    }
    theta[0] = 0.0;
    value[0] = -DBL_MAX;
    return STIC_OK;
}
