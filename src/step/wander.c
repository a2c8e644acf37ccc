// SPDX-License-Identifier: Apache-2.0
// Measures of contacts whose points wander over curved surfaces.
//
// A feature that is frozen in its body is exact at other states for corners, edges, faces and
// balls. The point at which a cylinder or an ellipsoid touches moves over the body; there the pair
// goes through the narrow phase again at every state that is asked for. What the frozen feature
// lacks in the bias, d/dt(H')u + d/dt chi, comes from differences of the relative velocity along
// the motion, with the velocities of the state: central ones of order two, over a time in which
// bodies turn by TURN or move by that part of their size. They leave its square, 1e-8 of v^2/r, and
// as much by rounding. Cost: three searches for such pairs instead of none, nothing for others.
#include "step/wander.h"

#include <math.h>
#include <string.h>

#include "math/math.h"
#include "stiction/extend/base.h"

#define TURN 1e-4

// a time over which bodies turn, or move as a part of their size, by TURN
static double short_time(const SticSystem* system, const SticState* state, double longest)
{
    const SticLayout* layout = &system->layout;
    double rate = TURN / longest;
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const double* u = state->u + layout->u_at[i];
        const double size = system->size != NULL ? system->size[i] : 0.0;
        if ((SticChart)layout->chart[i] != STIC_CHART_QUATERNION)
            continue;
        rate = stic_larger(rate, sqrt(u[3] * u[3] + u[4] * u[4] + u[5] * u[5]));
        if (size > 0.0)
            rate = stic_larger(rate, sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) / size);
    }
    return TURN / rate;
}

// a list at a state
typedef struct Wander {
    SticStepper* stepper;
    const SticSystem* system;
    const SticState* state;
    SticDirections* here;
    uint8_t* found; // [count] 1: the point of the contact wanders, and exists
    double* sum;    // [rows] of relative velocities
} Wander;

// the list as it is at a state, measured
static SticStatus measure_there(const Wander* w, const SticState* state, uint32_t want,
                                SticDirections* d, uint8_t* found)
{
    const SticSet list = d->set;
    memset(found, 0, (size_t)list.count);
    d->measures = (SticMeasures){.carried = true};
    if (w->system->ops->retrace != NULL && list.count > 0)
        STIC_TRY(
            w->system->ops->retrace(w->system, &list, state, w->stepper->arena, &d->set, found));
    return stic_directions_measure(w->stepper, w->system, state, want, NULL, d);
}

// adds `weight` times the relative velocities at a time ahead, with the velocities of the state and
// in its axes
static SticStatus add_ahead(const Wander* w, double ahead, double weight)
{
    SticArena* arena = w->stepper->arena;
    const SticLayout* layout = &w->system->layout;
    const SticSet* set = &w->here->set;
    const SticState* state = w->state;
    SticDirections d = *w->here;
    uint8_t* there = NULL;
    double *rate = NULL, *q = NULL, *gamma = NULL;
    STIC_TRY(STIC_TAKE(arena, &rate, layout->nq));
    STIC_TRY(STIC_TAKE(arena, &q, layout->nq));
    STIC_TRY(STIC_TAKE(arena, &gamma, set->rows));
    STIC_TRY(STIC_TAKE(arena, &there, set->count));
    stic_system_rate(w->system, state, rate);
    for (int32_t c = 0; c < layout->nq; ++c)
        q[c] = state->q[c] + ahead * rate[c];
    for (int32_t i = 0; i < layout->blocks; ++i)
        stic_chart_normalize((SticChart)layout->chart[i], q + layout->q_at[i]);
    const SticState at = {state->t + ahead, q, state->u, state->memory};
    const uint32_t want = STIC_WANT_CHI | STIC_WANT_H | STIC_WANT_TANGENT;
    STIC_TRY(measure_there(w, &at, want, &d, there));
    stic_directions_velocity(&d, state->u, gamma);
    for (int32_t i = 0; i < set->count; ++i) {
        w->found[i] = w->found[i] && there[i];
        if (w->found[i] && w->here->measures.tangent != NULL)
            stic_parts_turn(&set->interaction[i], w->here->measures.tangent[i],
                            d.measures.tangent[i], gamma + set->row_at[i]);
    }
    for (int32_t row = 0; row < set->rows; ++row)
        w->sum[row] += weight * gamma[row];
    return STIC_OK;
}

SticStatus stic_wander_measure(SticStepper* stepper, const SticSystem* system,
                               const SticState* state, double longest, const double between[2],
                               SticDirections* d)
{
    STIC_ASSERT(longest > 0.0);
    const int32_t count = d->set.count;
    const uint32_t want = STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_BIAS | STIC_WANT_H;
    const uint32_t axes = d->set.tangent != NULL ? STIC_WANT_TANGENT : 0;
    Wander w = {.stepper = stepper, .system = system, .state = state, .here = d};
    bool any = false;
    STIC_TRY(STIC_TAKE(stepper->arena, &w.found, count));
    STIC_TRY(measure_there(&w, state, want | axes, d, w.found));
    for (int32_t i = 0; i < count; ++i)
        any = any || w.found[i];
    const double wanted = short_time(system, state, longest);
    const double room = 0.5 * stic_smaller(state->t - between[0], between[1] - state->t);
    // an instant at which velocities jump has no differences on both sides
    if (!any || room < 0.01 * wanted)
        return STIC_OK;
    const double dt = stic_smaller(wanted, room);
    STIC_TRY(STIC_TAKE(stepper->arena, &w.sum, d->set.rows));
    memset(w.sum, 0, (size_t)d->set.rows * sizeof *w.sum);
    for (int side = -1; side <= 1; side += 2)
        STIC_TRY(add_ahead(&w, side * dt, 0.5 * side / dt));
    for (int32_t i = 0; i < count; ++i)
        for (int32_t row = d->set.row_at[i]; w.found[i] && row < d->set.row_at[i + 1]; ++row)
            d->measures.bias[row] = w.sum[row];
    return STIC_OK;
}
