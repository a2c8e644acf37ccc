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
#include "stiction/extend/law.h"

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

/* ---- peaks ----
 *
 * Forces of bodies that rest follow their loads, which are polynomials of degree eight over a step
 * (event_find.c, stay_smooth). So are the forces at the stages, by least squares, with orthogonal
 * polynomials (Forsythe 1957): where these come near their bounds between the stages, forces are
 * looked at. For the nodes of the pair such a fit is off by up to 35 times what the values are (by
 * 2.4 times for the six of CVODE's steps, whose polynomial has degree five).
 */

enum { FIT_DEGREE = 8, FIT_SAMPLES = 64 };

// changes of forces lower than this part of the largest are not told from rounding
#define PEAK 1e-6
// part of the range of forces that the polynomials may be off by: 35 times 1e-6 of a stretch, and
// that of degree five for half a period of a sine, (w a)^6/6! times the largest product of distances
// to its nodes, 0.086, with w a = 1.65
#define FITTED 3e-3

// p[k + 1] = (x - middle[k]) p[k] - last[k] p[k - 1], orthogonal over the stages
typedef struct Fit {
    int32_t degree;
    double middle[FIT_DEGREE], last[FIT_DEGREE];
    double at_stage[FIT_DEGREE + 1][STIC_RK_STAGES]; // divided by their squares
} Fit;

// a bound of the forces of an interaction over the step
typedef struct Bound {
    SticEventLaw law;
    int32_t rows, part;
    double size;                                      // of the largest force
    double coefficient[STIC_SET_DIM][FIT_DEGREE + 1]; // of its rows
} Bound;

// p[0] to p[degree] at x
static void evaluate(const Fit* fit, int32_t degree, double x, double p[FIT_DEGREE + 1])
{
    p[0] = 1.0;
    for (int32_t k = 0; k < degree; ++k)
        p[k + 1] = (x - fit->middle[k]) * p[k] - (k > 0 ? fit->last[k] * p[k - 1] : 0.0);
}

static void prepare_fit(const SticEventMotion* m, Fit* fit)
{
    double before = 1.0, p[FIT_DEGREE + 1];
    fit->degree = m->stage > FIT_DEGREE ? FIT_DEGREE : m->stage - 1;
    for (int32_t k = 0; k <= fit->degree; ++k) {
        double square = 0.0, moment = 0.0;
        for (int32_t s = 0; s < m->stage; ++s) {
            evaluate(fit, k, m->stage_at[s], p);
            fit->at_stage[k][s] = p[k];
            square += p[k] * p[k];
            moment += m->stage_at[s] * p[k] * p[k];
        }
        for (int32_t s = 0; s < m->stage; ++s)
            fit->at_stage[k][s] /= square;
        if (k < fit->degree) {
            fit->middle[k] = moment / square;
            fit->last[k] = square / before;
        }
        before = square;
    }
}

// the forces of interaction i over the step; whether they change
static bool fit_forces(const SticEventMotion* m, const Fit* fit, int32_t i, Bound* bound)
{
    const SticSet* set = &m->list.set;
    const double* r = m->stage_reaction + set->row_at[i];
    double change = 0.0;
    bound->rows = set->row_at[i + 1] - set->row_at[i];
    for (int32_t row = 0; row < bound->rows; ++row)
        for (int32_t s = 1; s < m->stage; ++s)
            change = stic_event_more(change, fabs(r[(int64_t)s * set->rows + row] - r[row]));
    if (!(change > PEAK * FITTED * bound->size))
        return false;
    for (int32_t row = 0; row < bound->rows; ++row)
        for (int32_t k = 0; k <= fit->degree; ++k) {
            double sum = 0.0;
            for (int32_t s = 0; s < m->stage; ++s)
                sum += fit->at_stage[k][s] * r[(int64_t)s * set->rows + row];
            bound->coefficient[row][k] = sum;
        }
    return true;
}

// how far forces are beyond a bound at x, by the polynomials
static double beyond_at(const Fit* fit, const Bound* bound, double x)
{
    double p[FIT_DEGREE + 1], r[STIC_SET_DIM] = {0.0};
    evaluate(fit, fit->degree, x, p);
    for (int32_t row = 0; row < bound->rows; ++row)
        for (int32_t k = 0; k <= fit->degree; ++k)
            r[row] += bound->coefficient[row][k] * p[k];
    return stic_event_excess(&bound->law, bound->part, r, bound->size);
}

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

// x[1] is moved to the largest force between x[0] and x[2], or to one beyond its bound: golden
// sections, by the polynomials where there is a bound
static SticStatus climb(SticEventMotion* m, const Fit* fit, const Bound* bound, double x[3],
                        double* y, double* f)
{
    enum { SECTIONS = 20 };
    const double part = 0.381966011250105;
    for (int k = -1; k < SECTIONS && (k < 0 || bound != NULL || *f <= 0.0); ++k) {
        const bool right = x[2] - x[1] > x[1] - x[0];
        const double next = k < 0 ? x[1] : x[1] + part * ((right ? x[2] : x[0]) - x[1]);
        double now = 0.0;
        if (bound != NULL)
            now = beyond_at(fit, bound, next);
        else
            STIC_TRY(force_at(m, next, y, &now));
        if (k < 0) {
            *f = now;
        } else if (now > *f) {
            x[right ? 0 : 2] = x[1];
            x[1] = next;
            *f = now;
        } else {
            x[right ? 2 : 0] = next;
        }
    }
    return STIC_OK;
}

// The peaks of one bound: theta[1] where it is passed before that.
static SticStatus look_at_bound(SticEventMotion* m, const Fit* fit, const Bound* bound, double* y,
                                double theta[2], double value[2])
{
    double f[FIT_SAMPLES + 1], least = INFINITY, most = -INFINITY;
    for (int k = 0; k <= FIT_SAMPLES; ++k) {
        f[k] = beyond_at(fit, bound, (double)k / FIT_SAMPLES);
        least = f[k] < least ? f[k] : least;
        most = stic_event_more(most, f[k]);
    }
    const double slack = -FITTED * (most - least);
    for (int k = 0; k <= FIT_SAMPLES && most + (most - least) > slack; ++k) {
        const int from = k > 0 ? k - 1 : 0, to = k < FIT_SAMPLES ? k + 1 : FIT_SAMPLES;
        double x[3] = {(double)from / FIT_SAMPLES, (double)k / FIT_SAMPLES,
                       (double)to / FIT_SAMPLES};
        double top = 0.0, broken = 0.0;
        SticState state;
        // higher by at most as much again as it is above its neighbours
        const double below = f[from] < f[to] ? f[from] : f[to];
        if (f[k] < f[from] || f[k] < f[to] || !(f[k] + (f[k] - below) > slack))
            continue;
        STIC_TRY(climb(m, fit, bound, x, y, &top));
        if (!(top > slack && top - f[0] > PEAK && top - f[FIT_SAMPLES] > PEAK && x[1] < theta[1]))
            continue;
        STIC_TRY(stic_event_prepare_dense(m));
        double near[3] = {(double)from / FIT_SAMPLES, x[1], (double)to / FIT_SAMPLES};
        STIC_TRY(climb(m, NULL, NULL, near, y, &top));
        if (!(top > 0.0 && near[1] < theta[1]))
            continue;
        STIC_TRY(stic_event_dense(m, near[1], y, &state));
        STIC_TRY(stic_event_behind(m, &state, &broken));
        if (!(broken > 0.0))
            continue;
        theta[1] = near[1];
        value[1] = broken;
        return STIC_OK;
    }
    return STIC_OK;
}

// Forces that come near their bounds between two stages and go back again.
static SticStatus look_at_peaks(SticEventMotion* m, double theta[2], double value[2])
{
    const SticSet* set = &m->list.set;
    double *y = NULL, size = 0.0;
    Fit* fit = NULL;
    Bound* bound = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &y, m->step->ode.n));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &fit, 1));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &bound, 1));
    for (int32_t s = 0; s < m->stage; ++s)
        size = stic_event_more(
            size, stic_event_force_size(set, m->stage_reaction + (int64_t)s * set->rows));
    if (!(size > 0.0))
        return STIC_OK;
    prepare_fit(m, fit);
    bound->size = size;
    for (int32_t i = 0; i < set->count; ++i) {
        if (m->contact[i].phase == STIC_PHASE_OPEN ||
            stic_event_law(&set->interaction[i], &bound->law) != STIC_OK ||
            !fit_forces(m, fit, i, bound))
            continue;
        for (bound->part = 0; bound->part <= STIC_EVENT_GROUPS; ++bound->part)
            if (stic_event_bound(m, i, &bound->law, bound->part))
                STIC_TRY(look_at_bound(m, fit, bound, y, theta, value));
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
