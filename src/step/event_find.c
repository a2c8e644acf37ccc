// SPDX-License-Identifier: Apache-2.0
// Event-driven scheme: smooth steps with error control, and where an event lies inside.
//
// A step of the pair 8(5,3) is accepted by the error of every block in the metric of its mass; then
// the end is judged:
//
//   open      a gap closes (also between the ends, if it shrank and grew)
//   slide     the slip turns against its direction, or dies out
//   closed    the even share of the forces leaves a cone: then the inclusion is asked whether
//             other shares of the same resultant exist, and only if none does it is an event
//   elsewhere a detection at the end finds what the list does not know (event_afresh.c)
//
// If something is violated, the event lies where that begins: inverse quadratic interpolation and
// bisection (Chandrupatla) on the dense output, then the step once more with that length, so that
// the state at the event has the order of the method and not that of the dense output.
#include <float.h>
#include <math.h>
#include <string.h>

#include "step/event.h"

#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"

// share of the largest force by which one may leave its cone before the inclusion is asked:
// rounding
#define FORCE_SLACK 1e-13
// acceleration of planned modes, as a part of the free ones, up to which they were due a moment ago
#define DUE 1e-9
// acceleration of planned modes, as a part of the free ones, above which forces that do without
// them can be distinguished from those that do not: far above what solvers leave
#define TELLS_APART 1e-5
// part of the call below which CVODE's steps do not pay
#define LEAST_MULTISTEP 1e-6

/* ---- judging a state ---- */

static SticStatus note_start(SticEventMotion* m, const SticState* state)
{
    SticEventStart* start = &m->start;
    SticEventInstant now;
    SticArena* arena = m->stepper->arena;
    const int32_t count = m->list.set.count;
    STIC_TRY(STIC_TAKE(arena, &start->gap, count));
    STIC_TRY(STIC_TAKE(arena, &start->rate, count));
    STIC_TRY(STIC_TAKE(arena, &start->slip, count));
    const SticArenaMark mark = stic_arena_mark(arena);
    STIC_TRY(stic_event_look(m, state, &now));
    for (int32_t i = 0; i < count; ++i) {
        const int32_t at = now.all.set.row_at[i];
        SticEventLaw law;
        start->gap[i] = now.all.measures.gap[at];
        start->rate[i] = now.gamma[at];
        if (stic_event_law(&now.all.set.interaction[i], &law) != STIC_OK)
            continue;
        for (int32_t g = 0; g < law.groups; ++g)
            start->slip[i][g] = stic_event_size(&law, g, now.gamma + at);
    }
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

// an open gap: positive where it is closed and closing
static double judge_gap(const SticEventMotion* m, const SticEventInstant* now,
                        const SticEventStart* start, int32_t i)
{
    const int32_t at = now->all.set.row_at[i];
    const double within = stic_event_gap(m, &now->all.set.interaction[i]);
    // a clutch closes when its velocity comes back
    if (now->all.set.interaction[i].level != STIC_LEVEL_CONTACT)
        return start->rate[i] > stic_event_velocity(m, i)
                   ? -now->gamma[at]
                   : -now->gamma[at] - stic_event_velocity(m, i);
    // a contact that has just opened without a velocity is at zero up to rounding and drift; an
    // overlap that it had before is not its doing
    const bool away = start->gap[i] > within || start->rate[i] > stic_event_velocity(m, i);
    const double before = start->gap[i] < 0.0 ? start->gap[i] : 0.0;
    const double gap = now->all.measures.gap[at] + (away ? 0.0 : within - before);
    return now->gamma[at] < 0.0 ? -gap : -fabs(gap) - DBL_MIN;
}

static double judge_slip(const SticEventMotion* m, const SticEventInstant* now,
                         const SticEventStart* start, int32_t i, const SticEventLaw* law, int32_t g)
{
    const double* gamma = now->gamma + now->all.set.row_at[i] + law->first[g];
    const double speed = stic_event_size(law, g, now->gamma + now->all.set.row_at[i]);
    const double none = stic_event_velocity(m, i);
    double along = 0.0;
    for (int k = 0; k < law->rows[g]; ++k)
        along += gamma[k] * m->contact[i].direction[g][k];
    // what remains across the direction is drift
    const double dies = speed < start->slip[i][g] && speed < none ? 1e-3 * none - along : -DBL_MAX;
    return stic_event_more(-along, dies);
}

// the largest force at an instant
double stic_event_force_size(const SticSet* set, const double* reaction)
{
    double size = 0.0;
    for (int32_t row = 0; row < set->rows; ++row)
        size = stic_event_more(size, fabs(reaction[row]));
    for (int32_t i = 0; i < set->count; ++i)
        size = stic_event_more(size, set->interaction[i].cohesion);
    return size;
}

bool stic_event_pulls(const SticEventMotion* m, const SticEventInstant* now, int32_t i)
{
    SticEventLaw law;
    const SticSet* set = &now->all.set;
    return !m->contact[i].idle && stic_event_law(&set->interaction[i], &law) == STIC_OK &&
           law.normal &&
           -(now->reaction[set->row_at[i]] + law.pull) >
               FORCE_SLACK * stic_event_force_size(set, now->reaction);
}

bool stic_event_bound(const SticEventMotion* m, int32_t i, const SticEventLaw* law, int32_t part)
{
    const SticEventContact* contact = &m->contact[i];
    if (contact->phase == STIC_PHASE_OPEN || contact->idle)
        return false;
    return part == 0 ? law->normal : part <= law->groups && !contact->slides[part - 1];
}

double stic_event_excess(const SticEventLaw* law, int32_t part, const double* r, double size)
{
    const double beyond =
        part == 0 ? -(r[0] + law->pull) : stic_event_beyond(law, part - 1, r, 1.0);
    return beyond / (law->normal ? size : law->bound) - FORCE_SLACK;
}

double stic_event_judge_forces(const SticEventMotion* m, const SticEventInstant* now)
{
    const SticSet* set = &now->all.set;
    const double size = stic_event_force_size(set, now->reaction);
    double worst = -1.0;
    for (int32_t i = 0; size > 0.0 && i < set->count; ++i) {
        SticEventLaw law;
        if (stic_event_law(&set->interaction[i], &law) != STIC_OK)
            continue;
        for (int32_t part = 0; part <= STIC_EVENT_GROUPS; ++part)
            if (stic_event_bound(m, i, &law, part))
                worst = stic_event_more(
                    worst, stic_event_excess(&law, part, now->reaction + set->row_at[i], size));
    }
    return worst;
}

// accelerations of idle contacts must stay zero: they follow from those of their patch
static SticStatus judge_idle(SticEventMotion* m, const SticEventInstant* now, double* worst)
{
    const SticSet* set = &now->all.set;
    double* rate = NULL;
    bool any = false;
    for (int32_t i = 0; i < set->count; ++i)
        any = any || m->contact[i].idle;
    if (!any || m->scale_most == 0.0)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &rate, set->rows));
    memcpy(rate, now->all.measures.bias, (size_t)set->rows * sizeof *rate);
    stic_block_csr_multiply(1.0, &now->all.Ht, now->acceleration, 1.0, rate);
    for (int32_t i = 0; i < set->count; ++i)
        if (m->contact[i].idle)
            *worst = stic_event_more(*worst, fabs(rate[set->row_at[i]]) / m->scale_most - 1e-6);
    return STIC_OK;
}

// gaps and slips: needs no forces
static double judge_geometry(const SticEventMotion* m, const SticEventInstant* now)
{
    const SticEventStart* start = &m->start;
    double worst = -DBL_MAX;
    for (int32_t i = 0; i < now->all.set.count; ++i) {
        SticEventLaw law;
        if (m->contact[i].phase == STIC_PHASE_OPEN) {
            if (!m->contact[i].phantom)
                worst = stic_event_more(worst, judge_gap(m, now, start, i));
            continue;
        }
        if (stic_event_law(&now->all.set.interaction[i], &law) != STIC_OK)
            continue;
        for (int32_t g = 0; g < law.groups; ++g)
            if (m->contact[i].slides[g])
                worst = stic_event_more(worst, judge_slip(m, now, start, i, &law, g));
    }
    return worst;
}

SticStatus stic_event_judge(SticEventMotion* m, const SticEventInstant* now,
                            SticEventJudgement* judgement)
{
    *judgement = (SticEventJudgement){judge_geometry(m, now), stic_event_judge_forces(m, now)};
    return judge_idle(m, now, &judgement->force);
}

// how far gaps and slips are behind an event
static SticStatus geometry_behind(SticEventMotion* m, const SticState* state, double* value)
{
    const SticArenaMark mark = stic_arena_mark(m->stepper->arena);
    SticEventInstant now;
    STIC_TRY(stic_event_look(m, state, &now));
    *value = judge_geometry(m, &now);
    stic_arena_rewind(m->stepper->arena, mark);
    return STIC_OK;
}

// others may begin a step at their limits
SticStatus stic_event_gap_behind(SticEventMotion* m, const SticState* state, double* value)
{
    const SticArenaMark mark = stic_arena_mark(m->stepper->arena);
    SticEventInstant now;
    STIC_TRY(stic_event_look(m, state, &now));
    *value = judge_gap(m, &now, &m->start, m->leaving);
    stic_arena_rewind(m->stepper->arena, mark);
    return STIC_OK;
}

// value[0]: forces leave their cones; value[1]: contacts without a share of the load move; `part`
// (NULL: not asked): what forces that leave their cones are short of when they are shared anew
SticStatus stic_event_force_behind(SticEventMotion* m, const SticState* state, double value[2],
                                   double* part)
{
    const SticArenaMark mark = stic_arena_mark(m->stepper->arena);
    SticEventInstant now;
    STIC_TRY(stic_event_accelerate(m, state, &now));
    value[0] = stic_event_judge_forces(m, &now);
    value[1] = -1.0;
    STIC_TRY(judge_idle(m, &now, &value[1]));
    if (part != NULL && value[0] > 0.0)
        STIC_TRY(stic_event_short_of_shares(m, state, &now, part));
    stic_arena_rewind(m->stepper->arena, mark);
    return STIC_OK;
}

// how far a state is behind an event; negative: none yet
SticStatus stic_event_behind(SticEventMotion* m, const SticState* state, double* value)
{
    double force[2], part = INFINITY;
    STIC_TRY(geometry_behind(m, state, value));
    if (*value > 0.0)
        return STIC_OK;
    STIC_TRY(stic_event_force_behind(m, state, force, &part));
    m->uneven = force[0] > 0.0 || force[1] > 0.0;
    bool holds = part <= STIC_EVENT_SHARED && !(force[1] > 0.0);
    if (holds)
        m->planned = false;
    if (m->uneven && !holds) {
        STIC_TRY(stic_event_holds(m, state, &holds));
        // that the laws have a solution with the modes as they are says nothing about a motion in
        // which contacts without a share leave their patch: shares must be computed again
        if (!holds || force[1] > 0.0) {
            m->planned = m->planned && !holds;
            *value = holds ? force[1] : stic_event_more(force[0], force[1]);
            return STIC_OK;
        }
    }
    double afresh = 0.0;
    STIC_TRY(stic_event_afresh(m, state, &afresh));
    *value = afresh > 0.0 ? afresh : *value;
    return STIC_OK;
}

/* ---- the time of an event ---- */

SticStatus stic_event_prepare_dense(SticEventMotion* m)
{
    return m->multistep ? STIC_OK : stic_runge_kutta_prepare(m->step);
}

SticStatus stic_event_dense(SticEventMotion* m, double theta, double* y, SticState* state)
{
    const SticLayout* layout = &m->system->layout;
    if (m->multistep)
        STIC_TRY(stic_cvode_at(m->own->cvode, m->step->t + theta * m->step->h, y));
    else
        stic_runge_kutta_at(m->step, theta, y);
    for (int32_t i = 0; i < layout->blocks; ++i)
        stic_chart_normalize((SticChart)layout->chart[i], y + layout->q_at[i]);
    *state = (SticState){m->step->t + theta * m->step->h, y, y + layout->nq, &m->own->force};
    return STIC_OK;
}

// where to look next: inverse quadratic interpolation through the ends and the point that was left
// last, where it can be trusted, else the middle (Chandrupatla 1997)
static double next_guess(const double x[3], const double f[3])
{
    const double a = (x[0] - x[1]) / (x[2] - x[1]), b = (f[0] - f[1]) / (f[2] - f[1]);
    if (!(b * b < a && (1.0 - b) * (1.0 - b) < 1.0 - a))
        return 0.5;
    return f[0] / (f[1] - f[0]) * f[2] / (f[1] - f[2]) +
           (x[2] - x[0]) / (x[1] - x[0]) * (f[0] / (f[2] - f[0])) * (f[1] / (f[2] - f[1]));
}

// where the answer becomes positive between theta[0] and theta[1]; value[1] > 0
SticStatus stic_event_locate(SticEventMotion* m, SticEventAsk* ask, double theta[2],
                             double value[2])
{
    double* y = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &y, m->step->ode.n));
    const double t = stic_event_more(fabs(m->step->t), m->step->h);
    const double least = 2.0 * DBL_EPSILON * t / m->step->h;
    // the newest point, the other end, and the one that the newest took the place of
    double x[3] = {theta[1], theta[0], theta[0]}, f[3] = {value[1], value[0], value[0]};
    double part = 0.5;
    for (int k = 0; k < 100 && theta[1] - theta[0] > least; ++k) {
        const double shy = 0.5 * least / (theta[1] - theta[0]);
        part = part < shy ? shy : part > 1.0 - shy ? 1.0 - shy : part;
        const double at = x[0] + part * (x[1] - x[0]);
        double now = 0.0;
        SticState state;
        if (!(at > theta[0] && at < theta[1]))
            break;
        STIC_TRY(stic_event_dense(m, at, y, &state));
        STIC_TRY(ask(m, &state, &now));
        const int end = now > 0.0 ? 1 : 0;
        theta[end] = at;
        value[end] = now;
        const bool same = (now > 0.0) == (f[0] > 0.0);
        x[2] = same ? x[0] : x[1];
        f[2] = same ? f[0] : f[1];
        if (!same) {
            x[1] = x[0];
            f[1] = f[0];
        }
        x[0] = at;
        f[0] = now;
        part = f[0] == 0.0 || f[2] == f[0] || f[2] == f[1] ? 0.5 : next_guess(x, f);
    }
    return STIC_OK;
}

// Whether the state at theta is behind an event only because of a contact that left its feature a
// moment ago. Then the gap of a neighbouring feature, which closes at theta, is the border, and
// known better.
static SticStatus at_border(SticEventMotion* m, double theta, double* y, bool* border)
{
    SticState state;
    double force[2], dt = 0.0, value = 0.0;
    *border = false;
    STIC_TRY(stic_event_dense(m, theta, y, &state));
    STIC_TRY(stic_event_force_behind(m, &state, force, NULL));
    if (force[0] > 0.0 || force[1] > 0.0)
        return STIC_OK;
    // an overlap that the list did not foresee is an earlier impact, however far the next one is
    STIC_TRY(stic_event_afresh(m, &state, &value));
    if (!m->left)
        return STIC_OK;
    STIC_TRY(stic_event_border_time(m, &state, &dt));
    STIC_TRY(stic_event_dense(m, stic_event_more(theta - dt / m->step->h, 0.0), y, &state));
    STIC_TRY(stic_event_afresh(m, &state, &value));
    *border = !(value > 0.0);
    return STIC_OK;
}

// Where the plan given by a state behind the event begins to move away, in `theta`. A plan that
// does so from the start was due there.
static SticStatus locate_plan(SticEventMotion* m, double* y, double theta[2], bool* found)
{
    SticState state;
    double at[2] = {theta[0], theta[1]}, rate[2];
    STIC_TRY(stic_event_dense(m, at[1], y, &state));
    STIC_TRY(stic_event_plan_rate(m, &state, &rate[1]));
    STIC_TRY(stic_event_dense(m, at[0], y, &state));
    STIC_TRY(stic_event_plan_rate(m, &state, &rate[0]));
    *found = rate[1] > 0.0 && rate[0] <= DUE;
    if (*found && rate[0] > 0.0)
        at[1] = theta[0] + m->least / m->step->h;
    else if (*found)
        STIC_TRY(stic_event_locate(m, stic_event_plan_rate, at, rate));
    theta[0] = at[0];
    theta[1] = at[1];
    return STIC_OK;
}

// Whether the present modes cannot go on behind the root of a plan at theta[0]: the plan may be
// another solution of the laws, while shares of the load that keep everything as it is exist. Looks
// where the accelerations of the plan distinguish the two, if they do before theta[1].
static SticStatus must_change(SticEventMotion* m, double* y, const double theta[2], bool* must)
{
    SticState state;
    double rate = 0.0, force[2], part = INFINITY;
    STIC_TRY(stic_event_dense(m, theta[1], y, &state));
    STIC_TRY(stic_event_plan_rate(m, &state, &rate));
    // the end itself is behind the event
    *must = true;
    if (!(rate > TELLS_APART))
        return STIC_OK;
    const double ahead = TELLS_APART / rate * (theta[1] - theta[0]);
    STIC_TRY(stic_event_dense(m, theta[0] + ahead, y, &state));
    STIC_TRY(stic_event_force_behind(m, &state, force, &part));
    *must = force[1] > 0.0 || (force[0] > 0.0 && part > 1e-3 * TELLS_APART);
    return STIC_OK;
}

// part of a resultant that shares must be short of for an event to be told from rounding, in units of
// STIC_EVENT_SHARED
#define CLEARLY 4.0

// Where forces cease to hold only by rounding the modes could go on at the very instant, and the
// same event would come again and again: it is taken a moment later, where shares are clearly
// missing.
static SticStatus pass_clearly(SticEventMotion* m, double* y, double end, double theta[2])
{
    const double least = m->least / m->step->h;
    double ahead = 0.0, next = least;
    m->planned = false;
    for (; theta[1] + ahead < end; next *= 2.0) {
        double force[2], part = INFINITY, broken = 0.0;
        SticState state;
        STIC_TRY(stic_event_dense(m, theta[1] + ahead, y, &state));
        STIC_TRY(stic_event_force_behind(m, &state, force, &part));
        // something else is the event, or another one before shares are missing
        if (!(force[0] > 0.0) || force[1] > 0.0)
            return STIC_OK;
        if (part <= CLEARLY * STIC_EVENT_SHARED) {
            ahead = next;
            continue;
        }
        STIC_TRY(stic_event_behind(m, &state, &broken));
        m->planned = m->planned && broken > 0.0;
        m->rootless = true;
        theta[1] += ahead;
        return STIC_OK;
    }
    return STIC_OK;
}

// A change of modes that the laws on acceleration level ask for: the root of the accelerations with
// the new modes; a state behind the event has shown which contact changes to what, with directions
// of slips as they are there. Another change may come before: then the same from there.
static SticStatus locate_change(SticEventMotion* m, double theta[2], double value[2])
{
    enum { CHANGES = 8, TURNS = 2 };
    double *y = NULL, broken = 0.0;
    SticState state;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &y, m->step->ode.n));
    m->rootless = false;
    for (int k = 0; k < CHANGES; ++k) {
        double at[2];
        bool found = true;
        m->planned = false;
        STIC_TRY(stic_event_dense(m, theta[1], y, &state));
        STIC_TRY(stic_event_behind(m, &state, &broken));
        if (!m->planned || !(broken > 0.0))
            break;
        for (int turn = 0; turn <= TURNS && found; ++turn) {
            at[0] = theta[0];
            at[1] = theta[1];
            STIC_TRY(locate_plan(m, y, at, &found));
            STIC_TRY(stic_event_dense(m, at[1], y, &state));
            if (found && turn < TURNS)
                STIC_TRY(stic_event_turn_plan(m, &state));
        }
        if (found)
            STIC_TRY(stic_event_plan_fits(m, &state, &found));
        if (found)
            STIC_TRY(must_change(m, y, (const double[]){at[1], theta[1]}, &found));
        if (!found)
            break;
        theta[1] = at[1];
        value[1] = broken;
        broken = -1.0;
        if (at[0] > theta[0]) {
            STIC_TRY(stic_event_dense(m, at[0], y, &state));
            STIC_TRY(stic_event_behind(m, &state, &broken));
        }
        // looking there has left the plan as it was
        m->planned = true;
        if (!(broken > 0.0))
            return STIC_OK;
        theta[1] = at[0];
        value[1] = broken;
    }
    const double end = theta[1];
    STIC_TRY(stic_event_locate(m, stic_event_behind, theta, value));
    return pass_clearly(m, y, end, theta);
}

// the first event of a step that ends behind one: gaps and slips are the cheapest to examine;
// forces and new contacts are only checked at the time that these give
static SticStatus locate_first(SticEventMotion* m, double theta[2], double value[2])
{
    double *y = NULL, early[2] = {theta[0], theta[1]}, first[2] = {value[0], 0.0};
    SticState state;
    bool border = false;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &y, m->step->ode.n));
    STIC_TRY(stic_event_dense(m, theta[1], y, &state));
    STIC_TRY(geometry_behind(m, &state, &first[1]));
    if (!(first[1] > 0.0))
        return locate_change(m, theta, value);
    STIC_TRY(stic_event_locate(m, geometry_behind, early, first));
    double before = -DBL_MAX;
    if (early[0] > theta[0]) {
        STIC_TRY(stic_event_dense(m, early[0], y, &state));
        STIC_TRY(stic_event_behind(m, &state, &before));
    }
    if (before > 0.0)
        STIC_TRY(at_border(m, early[0], y, &border));
    const bool other = before > 0.0 && !border;
    theta[1] = other ? early[0] : early[1];
    value[1] = other ? before : first[1];
    m->planned = false;
    return other ? locate_change(m, theta, value) : STIC_OK;
}

/* ---- a step ---- */

static void begin_trial(SticEventMotion* m)
{
    const size_t rows = (size_t)m->list.set.rows;
    memset(&m->trial, 0, sizeof m->trial);
    memset(m->impulse, 0, rows * sizeof *m->impulse);
    memset(m->given, 0, (size_t)m->list.set.count * sizeof *m->given);
    memset(m->work, 0, rows * sizeof *m->work);
    m->works = true;
    m->between = false;
    m->stage = 0;
}

static SticStatus try_step(SticEventMotion* m, double t, double h)
{
    begin_trial(m);
    m->unsettled = false;
    const SticStatus status = stic_runge_kutta_try(m->step, t, h);
    m->works = false;
    return status;
}

// works and impulses of CVODE's last step, from its beginning over `h`, and what its ends show
static SticStatus sum_multistep(SticEventMotion* m, double h)
{
    double* scratch = NULL;
    const double ends[2] = {m->step->t, m->step->t + h};
    STIC_TRY(STIC_TAKE(m->stepper->arena, &scratch, 2 * (int64_t)m->step->ode.n));
    begin_trial(m);
    m->step->h = h;
    SticStatus status = STIC_OK;
    for (int k = 0; k < 2 && status == STIC_OK; ++k) {
        status = stic_cvode_at(m->own->cvode, ends[k], scratch);
        if (status == STIC_OK)
            status = m->step->ode.slope(m->step->ode.self, ends[k], scratch, 0.0,
                                        scratch + m->step->ode.n);
    }
    if (status == STIC_OK)
        status = stic_cvode_sum(m->own->cvode, &m->step->ode, ends, scratch);
    m->works = false;
    return status;
}

// one step of CVODE of at most h; it continues if the state is as its last step left it
static SticStatus try_multistep(SticEventMotion* m, SticErrorScale* scale, double t, double h)
{
    SticRungeKutta* step = m->step;
    SticCvode* cvode = m->own->cvode;
    const SticState at = {t, step->begin, step->begin + m->system->layout.nq, &m->own->force};
    double *allowed = NULL, end = 0.0;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &allowed, step->ode.n));
    STIC_TRY(stic_step_allowed(m->system, m->stepper->arena, &at, scale, allowed));
    const bool same =
        m->goes_on && t == m->left_t &&
        memcmp(step->begin, m->own->left, (size_t)step->ode.n * sizeof *step->begin) == 0;
    if (!same)
        STIC_TRY(stic_cvode_start(cvode, &step->ode, t, step->begin, &m->info->error));
    STIC_TRY(stic_cvode_step(cvode, &step->ode, allowed, t + h, &end, step->end));
    step->t = t;
    step->h = end - t;
    return sum_multistep(m, step->h);
}

static SticState end_state(SticEventMotion* m)
{
    const SticLayout* layout = &m->system->layout;
    for (int32_t i = 0; i < layout->blocks; ++i)
        stic_chart_normalize((SticChart)layout->chart[i], m->step->end + layout->q_at[i]);
    return (SticState){m->step->t + m->step->h, m->step->end, m->step->end + layout->nq,
                       &m->own->force};
}

// works and impulses of an accepted step
static SticStatus commit(SticEventMotion* m, SticState* state)
{
    const SticLayout* layout = &m->system->layout;
    const SticSet* set = &m->list.set;
    double* one = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &one, set->rows));
    for (int32_t row = 0; row < set->rows; ++row)
        one[row] = 1.0;
    STIC_TRY(stic_ledger_add_reactions(m->stepper, set, m->work, one, &m->trial));
    stic_ledger_add(&m->info->ledger, &m->trial);
    STIC_TRY(stic_seen_add(&m->own->seen, set, m->impulse, (const double(*)[6])m->given));
    memcpy(state->q, m->step->end, (size_t)layout->nq * sizeof *state->q);
    memcpy(state->u, m->step->end + layout->nq, (size_t)layout->nu * sizeof *state->u);
    m->info->substeps += 1;
    return STIC_OK;
}

/* ---- directions of slip ----
 *
 * Friction turns the direction of a slip of speed v to that of its own force within about
 * v/(mu g), which makes slow slips stiff. Below a speed for which this time is a small part of that
 * over which loads are smooth, the slip is guided: straight along its direction over a step, and
 * the direction of the next step is that of the friction force, across included. What that leaves
 * out is the friction across, c of its bound, and the velocity is off by c v: this is kept below
 * what it may be of slips too slow to matter, so that faster ones must be straighter. A slip that
 * turns faster is followed by the integrator, in steps of the order of v/(mu g).
 */

// time of turning, as a part of that over which loads are smooth, below which slips are guided
#define GUIDED_PART 1e-2
// friction across a slip, as a part of its bound, up to which the slip is guided, however slow
#define TURN 0.05
// speed up to which that holds, in units of that below which slips are guided
#define SLOW 1e-4
// speed, in units of that below which slips are guided, that a guided step may end with
#define GUIDED_GAIN 4.0
// length of a step, in times of turning, from which on guiding pays: the pair is stable up to six
#define STIFF 6.0

// what friction with a bound of its own weight does to a slip, m/s2
static double friction_rate(const SticEventMotion* m, int32_t i, const SticEventLaw* law, int32_t g)
{
    const double mu = law->normal ? stic_event_more(law->mu[g][0], law->mu[g][1]) : 1.0;
    // velocities that count as none within the time of rest, as a rate
    return 2.0 * mu * stic_event_velocity(m, i) / m->rest;
}

// speed below which a slip is guided
static double guided_speed(const SticEventMotion* m, int32_t i, const SticEventLaw* law, int32_t g)
{
    const double time = m->smooth[1] - m->smooth[0];
    return GUIDED_PART * friction_rate(m, i, law, g) * (time < m->length ? time : m->length);
}

// friction across a guided slip of some speed that is left out
static double allowed_across(const SticEventMotion* m, int32_t i, const SticEventLaw* law,
                             int32_t g, double speed)
{
    const double slow = SLOW * guided_speed(m, i, law, g);
    return speed > slow ? TURN * slow / speed : TURN;
}

static bool any_guided(const SticEventMotion* m)
{
    bool any = false;
    for (int32_t i = 0; i < m->list.set.count; ++i)
        any = any || m->contact[i].guided[0] || m->contact[i].guided[1];
    return any;
}

// how far friction across the slips of interaction i is beyond what is left out, as a quotient
static double turning(const SticEventMotion* m, const SticEventInstant* now, int32_t i)
{
    SticEventLaw law;
    double most = 0.0;
    if (stic_event_law(&now->all.set.interaction[i], &law) != STIC_OK)
        return 0.0;
    for (int32_t g = 0; g < law.groups; ++g) {
        const double speed = stic_event_size(&law, g, now->gamma + now->all.set.row_at[i]);
        most = stic_event_more(most, stic_event_across(m, now, i, g) /
                                         allowed_across(m, i, &law, g, speed));
    }
    return most;
}

static void release(SticEventMotion* m)
{
    for (int32_t i = 0; i < m->list.set.count; ++i)
        m->contact[i].guided[0] = m->contact[i].guided[1] = 0;
}

// part of the call below which steps are stopped by friction across guided slips that is noise
#define NOISY 1e-4

// Lets go of all slips where friction across them has not been found: shares of points that slip
// together are open, and what rounding makes of them is noise that stops the integrator.
static bool let_all_turn(SticEventMotion* m)
{
    const bool any = m->unsettled && any_guided(m);
    if (any)
        release(m);
    return any;
}

// lets go of slips whose friction across would be more than is left out, and of those of the same
// bodies, which would hold them; returns whether there are any
static bool let_turn(SticEventMotion* m, const SticEventInstant* now)
{
    const SticSet* set = &m->list.set;
    bool any = false;
    for (int32_t i = 0; i < set->count; ++i) {
        if (!(turning(m, now, i) > 1.0))
            continue;
        any = true;
        for (int32_t k = 0; k < set->count; ++k)
            for (int s = 0; s < 4; ++s) {
                const int32_t block = m->contact[k].block[s / 2];
                if (block >= 0 && block == m->contact[i].block[s % 2])
                    m->contact[k].guided[0] = m->contact[k].guided[1] = 0;
            }
    }
    return any;
}

static SticStatus guide(SticEventMotion* m, const SticState* state)
{
    const SticEventStart* start = &m->start;
    bool turns = true;
    for (int32_t i = 0; i < m->list.set.count; ++i) {
        SticEventContact* contact = &m->contact[i];
        SticEventLaw law;
        if (stic_event_law(&m->list.set.interaction[i], &law) != STIC_OK)
            continue;
        for (int32_t g = 0; g < law.groups; ++g) {
            contact->guided[g] = contact->slides[g] && law.rows[g] == 2 &&
                                 start->slip[i][g] < guided_speed(m, i, &law, g);
        }
    }
    while (turns && any_guided(m)) {
        const SticArenaMark mark = stic_arena_mark(m->stepper->arena);
        SticEventInstant now;
        STIC_TRY(stic_event_accelerate(m, state, &now));
        turns = let_turn(m, &now);
        stic_arena_rewind(m->stepper->arena, mark);
    }
    return STIC_OK;
}

// a guided step ends before its slips become much faster than guided slips may be
static SticStatus shorten_guided(SticEventMotion* m, const SticState* state, double* h)
{
    const SticArenaMark mark = stic_arena_mark(m->stepper->arena);
    const SticSet* set = &m->list.set;
    SticEventInstant now;
    double* rate = NULL;
    if (!any_guided(m))
        return STIC_OK;
    STIC_TRY(stic_event_accelerate(m, state, &now));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &rate, set->rows));
    memcpy(rate, now.all.measures.bias, (size_t)set->rows * sizeof *rate);
    stic_block_csr_multiply(1.0, &now.all.Ht, now.acceleration, 1.0, rate);
    for (int32_t i = 0; i < set->count; ++i) {
        SticEventLaw law;
        if (stic_event_law(&set->interaction[i], &law) != STIC_OK)
            continue;
        for (int32_t g = 0; g < law.groups; ++g) {
            const double gain = stic_event_size(&law, g, rate + set->row_at[i]) * *h;
            const double most = GUIDED_GAIN * guided_speed(m, i, &law, g);
            if (m->contact[i].guided[g] && gain > most)
                *h = stic_event_more(*h * most / gain, 1e-6 * m->length);
        }
    }
    stic_arena_rewind(m->stepper->arena, mark);
    return STIC_OK;
}

// Slips begin with accelerations that grow from nothing: whether a guided step was too long shows
// at its end. `pays`: length below which the integrator follows the slips at no more cost.
static SticStatus guided_too_long(SticEventMotion* m, const SticState* end, bool* too_long,
                                  double* pays)
{
    const SticArenaMark mark = stic_arena_mark(m->stepper->arena);
    const SticSet* set = &m->list.set;
    SticEventInstant now;
    *too_long = false;
    *pays = 0.0;
    if (!any_guided(m))
        return STIC_OK;
    STIC_TRY(stic_event_accelerate(m, end, &now));
    for (int32_t i = 0; i < set->count; ++i) {
        SticEventLaw law;
        if (stic_event_law(&set->interaction[i], &law) != STIC_OK)
            continue;
        *too_long = *too_long || turning(m, &now, i) > 2.0;
        for (int32_t g = 0; g < law.groups; ++g) {
            if (!m->contact[i].guided[g])
                continue;
            const double speed = stic_event_size(&law, g, now.gamma + set->row_at[i]);
            *too_long = *too_long || speed > 2.0 * GUIDED_GAIN * guided_speed(m, i, &law, g);
            *pays = stic_event_more(*pays, STIFF * speed / friction_rate(m, i, &law, g));
        }
    }
    stic_arena_rewind(m->stepper->arena, mark);
    return STIC_OK;
}

// The direction of friction, across included, where a slip is too slow to have one of its own.
static void turn_to_force(const SticEventInstant* now, int32_t i, const SticEventLaw* law,
                          int32_t g, SticEventContact* contact)
{
    const double *force = now->reaction + now->all.set.row_at[i] + law->first[g], *mu = law->mu[g];
    double d[2] = {0.0, 0.0}, size = 0.0, same = 0.0;
    for (int k = 0; k < law->rows[g]; ++k) {
        d[k] = mu[k] > 0.0 ? -force[k] / (mu[k] * mu[k]) : 0.0;
        size += d[k] * d[k];
        same += d[k] * contact->direction[g][k];
    }
    // a force that pushes along the slip says nothing about its direction
    for (int k = 0; same > 0.0 && k < law->rows[g]; ++k)
        contact->direction[g][k] = d[k] / sqrt(size);
}

static bool has_direction(const SticEventMotion* m, int32_t i, double speed)
{
    return speed > 1e-4 * stic_event_velocity(m, i);
}

// How long guided slips would have to be released to turn to the direction of their friction;
// `rate`: what releasing them adds to the accelerations of all rows.
static double turning_time(const SticEventMotion* m, const SticEventInstant* held,
                           const double* rate)
{
    double time = INFINITY;
    for (int32_t i = 0; i < m->list.set.count; ++i) {
        const int32_t at = held->all.set.row_at[i];
        SticEventLaw law;
        if (m->contact[i].phase == STIC_PHASE_OPEN ||
            stic_event_law(&held->all.set.interaction[i], &law) != STIC_OK)
            continue;
        for (int32_t g = 0; g < law.groups; ++g) {
            const double *d = m->contact[i].direction[g],
                         *force = held->reaction + at + law.first[g];
            const double speed = stic_event_size(&law, g, held->gamma + at);
            const double freed = stic_event_size(&law, g, rate + at);
            if (!m->contact[i].guided[g] || !has_direction(m, i, speed) || !(freed > 0.0))
                continue;
            const double across = fabs(d[0] * force[1] - d[1] * force[0]),
                         along = fabs(d[0] * force[0] + d[1] * force[1]);
            const double turn = across < along ? across / along : 1.0;
            time = turn * speed / freed < time ? turn * speed / freed : time;
        }
    }
    // friction turns slips within the step, or, where there is next to none, not at all
    return time < m->step->h ? time : time < INFINITY ? m->step->h : 0.0;
}

// Works and impulses of forces that were given for a time beside those of a step; `gamma` are the
// velocities behind them.
static SticStatus count_release(SticEventMotion* m, const SticState* state,
                                const SticEventInstant* held, const SticEventInstant* free,
                                double time, const double* gamma)
{
    const SticSet* set = &held->all.set;
    double *full = NULL, *mean = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &full, set->rows));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &mean, set->rows));
    for (int32_t row = 0; row < set->rows; ++row) {
        full[row] = time * (free->reaction[row] - held->reaction[row]);
        mean[row] = 0.5 * (held->gamma[row] + gamma[row]);
    }
    STIC_TRY(stic_ledger_add_reactions(m->stepper, set, full, mean, &m->info->ledger));
    stic_ledger_add_prescribed(set->rows, full, held->all.measures.chi, 1.0, &m->info->ledger);
    return stic_event_report(m, state, held, full, full);
}

// Turns guided slips to where friction turns them: all of them are released for the same short
// time, so that points of one body keep directions that the body can have.
static SticStatus let_go(SticEventMotion* m, const SticEventInstant* held, SticState* state)
{
    SticArena* arena = m->stepper->arena;
    const SticSet* set = &m->list.set;
    const int32_t nu = m->system->layout.nu;
    SticEventInstant free;
    SticEventContact* guided = NULL;
    double* rate = NULL;
    STIC_TRY(STIC_TAKE(arena, &guided, set->count));
    STIC_TRY(STIC_TAKE(arena, &rate, set->rows));
    memcpy(guided, m->contact, (size_t)set->count * sizeof *guided);
    release(m);
    STIC_TRY(stic_event_accelerate(m, state, &free));
    memcpy(m->contact, guided, (size_t)set->count * sizeof *guided);
    for (int32_t c = 0; c < nu; ++c)
        free.acceleration[c] -= held->acceleration[c];
    memset(rate, 0, (size_t)set->rows * sizeof *rate);
    stic_block_csr_multiply(1.0, &held->all.Ht, free.acceleration, 1.0, rate);
    const double time = turning_time(m, held, rate);
    for (int32_t c = 0; c < nu; ++c)
        state->u[c] += time * free.acceleration[c];
    stic_directions_velocity(&held->all, state->u, rate);
    return count_release(m, state, held, &free, time, rate);
}

// directions of the next step
static SticStatus follow(SticEventMotion* m, SticState* state)
{
    const SticArenaMark mark = stic_arena_mark(m->stepper->arena);
    SticEventInstant now;
    STIC_TRY(stic_event_accelerate(m, state, &now));
    if (any_guided(m)) {
        STIC_TRY(let_go(m, &now, state));
        stic_directions_velocity(&now.all, state->u, now.gamma);
    }
    for (int32_t i = 0; i < now.all.set.count; ++i) {
        const double* gamma = now.gamma + now.all.set.row_at[i];
        SticEventContact* contact = &m->contact[i];
        SticEventLaw law;
        if (contact->phase == STIC_PHASE_OPEN ||
            stic_event_law(&now.all.set.interaction[i], &law) != STIC_OK)
            continue;
        for (int32_t g = 0; g < law.groups; ++g) {
            const double speed = stic_event_size(&law, g, gamma);
            double along = 0.0;
            for (int k = 0; k < law.rows[g]; ++k)
                along += gamma[law.first[g] + k] * contact->direction[g][k];
            if (contact->slides[g] && contact->guided[g] && !has_direction(m, i, speed))
                turn_to_force(&now, i, &law, g, contact);
            else if (contact->slides[g] && along > 0.0 && has_direction(m, i, speed))
                for (int k = 0; k < law.rows[g]; ++k)
                    contact->direction[g][k] = gamma[law.first[g] + k] / speed;
        }
    }
    stic_arena_rewind(m->stepper->arena, mark);
    return STIC_OK;
}

// an attempt of a length that the error allows, at most *length
static SticStatus attempt(SticEventMotion* m, SticErrorScale* scale, double t, double* length,
                          double* error)
{
    if (m->multistep) {
        const SticError before = m->info->error;
        const SticStatus status = try_multistep(m, scale, t, *length);
        const bool tiny =
            status == STIC_OK && m->step->h < LEAST_MULTISTEP * m->length && m->step->h < *length;
        *error = 0.0;
        if (status != STIC_BAD_ARGUMENT && !tiny) {
            *length = status == STIC_OK ? m->step->h : *length;
            return status;
        }
        // steps that CVODE refuses, or creeps through, are made by the pair
        m->info->error = before;
        m->multistep = m->goes_on = false;
    }
    for (;;) {
        STIC_TRY(try_step(m, t, *length));
        STIC_TRY(stic_step_error(m->step, m->system, m->stepper->arena, scale, error));
        if (m->stage == STIC_RK_STAGES)
            STIC_TRY(stic_step_load_error(m->step, m->system, m->stepper->arena, scale,
                                          m->stage_load, error));
        if (*length <= m->least && !isfinite(*error))
            return stic_error_set(&m->info->error, STIC_NOT_FINITE,
                                  "the motion has no finite values after t = %g s, whatever the "
                                  "step",
                                  t);
        if (*error <= 1.0 || *length <= m->least || (m->unsettled && *length < NOISY * m->length))
            return STIC_OK;
        *length *= stic_runge_kutta_factor(isfinite(*error) ? *error : 1e300);
        *length = stic_event_more(*length, m->least);
    }
}

// an event that only a new detection knows: borders are not exact enough to ask again at once
static SticStatus note_border(SticEventMotion* m, double theta)
{
    double *y = NULL, broken = 0.0, force[2], dt = 0.0;
    SticState state;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &y, m->step->ode.n));
    STIC_TRY(stic_event_dense(m, theta, y, &state));
    STIC_TRY(geometry_behind(m, &state, &broken));
    if (broken > 0.0)
        return STIC_OK;
    STIC_TRY(stic_event_force_behind(m, &state, force, NULL));
    if (force[0] > 0.0 || force[1] > 0.0)
        return STIC_OK;
    STIC_TRY(stic_event_border_time(m, &state, &dt));
    m->decided = state.t + dt;
    return STIC_OK;
}

// whether an event lies in the step that was made; then the step ends there. Behind an event the
// smooth branch was continued, which may hide that a step up to it is too long: then `*length` is
// what remains of the step, and another attempt must be made.
static SticStatus cut(SticEventMotion* m, SticErrorScale* scale, double* length, bool* event,
                      bool* again)
{
    const SticState end = end_state(m);
    double theta[2] = {0.0, 1.0}, value[2] = {-DBL_MAX, 0.0}, error = 0.0, found = 1.0;
    *again = false;
    STIC_TRY(stic_event_behind(m, &end, &value[1]));
    m->ends_uneven = m->uneven;
    // uneven shares are the rule there, and would be seen at the end if they were an event
    m->between = m->between && !m->ends_uneven;
    if (value[1] > 0.0)
        STIC_TRY(stic_event_prepare_dense(m));
    else
        STIC_TRY(stic_event_look_between(m, &end, theta, value));
    *event = value[1] > 0.0;
    m->planned = false;
    if (!*event)
        return STIC_OK;
    // other gaps may have been closed before
    while (value[1] > 0.0) {
        STIC_TRY(locate_first(m, theta, value));
        theta[0] = 0.0;
        value[0] = -DBL_MAX;
        found = theta[1];
        value[1] = -1.0;
        STIC_TRY(stic_event_look_at_turns(m, theta, value));
        m->planned = m->planned && !(value[1] > 0.0);
    }
    if (!m->planned)
        STIC_TRY(note_border(m, found));
    const double part = stic_event_more(found * *length, m->least);
    if (m->multistep) {
        STIC_TRY(sum_multistep(m, part));
        STIC_TRY(stic_cvode_at(m->own->cvode, m->step->t + part, m->step->end));
        m->step->h = part;
        return STIC_OK;
    }
    STIC_TRY(try_step(m, m->step->t, part));
    STIC_TRY(stic_step_error(m->step, m->system, m->stepper->arena, scale, &error));
    *again = !(error <= 1.0) && part > m->least;
    if (*again)
        *length = stic_event_more(part * stic_runge_kutta_factor(isfinite(error) ? error : 1e300),
                                  m->least);
    return STIC_OK;
}

// A step ends where the stretch does over which loads and prescribed motions are smooth: its stages
// see all of that. A stretch may be longer than the call.
static void stay_smooth(SticEventMotion* m, double t, double* length)
{
    if (!(t >= m->smooth[0] && t + m->least < m->smooth[1])) {
        m->smooth[0] = t;
        m->smooth[1] = stic_stepper_smooth(m->stepper, m->system, t, t + m->length);
    }
    if (*length > m->smooth[1] - t)
        *length = m->smooth[1] - t;
}

SticStatus stic_event_advance_smooth(SticEventMotion* m, double* h, SticState* state, bool* event)
{
    const SticLayout* layout = &m->system->layout;
    double length = *h, error = 0.0;
    SticErrorScale scale = {m->settings->tolerance, m->length, m->speed, 1.0 / m->length,
                            &m->own->force};
    bool again = true;
    m->least = 16.0 * DBL_EPSILON * stic_event_more(fabs(state->t), m->length);
    stay_smooth(m, state->t, &length);
    STIC_TRY(note_start(m, state));
    STIC_TRY(guide(m, state));
    STIC_TRY(shorten_guided(m, state, &length));
    STIC_TRY(stic_event_shorten(m, state, &length));
    m->within = length;
    memcpy(m->step->begin, state->q, (size_t)layout->nq * sizeof *state->q);
    memcpy(m->step->begin + layout->nq, state->u, (size_t)layout->nu * sizeof *state->u);
    // CVODE starts with short steps of low order: of no use for the straight pieces of slow slips
    m->multistep = m->settings->integrator == STIC_EVENT_CVODE && !any_guided(m) &&
                   length > LEAST_MULTISTEP * m->length;
    while (again) {
        const double tried = length;
        STIC_TRY(attempt(m, &scale, state->t, &length, &error));
        if (length < NOISY * m->length && let_all_turn(m)) {
            length = tried;
            continue;
        }
        const SticState end = end_state(m);
        double pays = 0.0;
        STIC_TRY(guided_too_long(m, &end, &again, &pays));
        if (again && length > 2.0 * pays && length > 1e-6 * m->length)
            length *= 0.5;
        else if (again)
            release(m);
        else
            STIC_TRY(cut(m, &scale, &length, event, &again));
    }
    m->speed = scale.speed;
    const SticState end = end_state(m);
    STIC_TRY(stic_event_share_impulses(m, &end, m->step->h));
    STIC_TRY(commit(m, state));
    state->t = end.t;
    m->goes_on = m->goes_on && m->multistep;
    if (m->multistep) {
        memcpy(m->own->left, m->step->end, (size_t)m->step->ode.n * sizeof *m->step->end);
        m->left_t = state->t;
        m->goes_on = !*event;
    }
    // CVODE makes the next step ten times longer at most
    *h = m->multistep ? 20.0 * length : length * stic_runge_kutta_factor(error);
    if (*event)
        return STIC_OK;
    STIC_TRY(follow(m, state));
    return m->ends_uneven ? stic_event_share(m, state) : STIC_OK;
}
