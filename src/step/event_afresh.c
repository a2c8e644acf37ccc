// SPDX-License-Identifier: Apache-2.0
// Event-driven scheme: where a new detection knows more than the list of the step.
//
// Features are frozen over a step of the integrator, and planes and edges have no ends there: a
// ball that has rolled beyond the border of a face still lies on its plane. At the end of a step,
// and where an event is looked for, contacts are detected again:
//
//   overlap   of a contact that is open and approaches: an impact that the list did not foresee
//   left      a closed contact is no longer found. Often that changes nothing: a corner of a
//             box that slides over the edge of a table leaves its load to others. Whether it
//             matters is decided by the inclusion on acceleration level over the existing contacts:
//             if its accelerations differ from those of the list, the motion ends here.
//
// A ball on a face has curvature 0, the same ball on the edge of that face 1/r: at the border
// normal and velocity are continuous, the acceleration -v^2/r that the edge asks for is not, and
// the ball takes off if its weight cannot provide it.
#include <float.h>
#include <math.h>
#include <string.h>

#include "step/event.h"

#include "stiction/extend/base.h"

// part of the accelerations by which two motions differ: well above what the solver leaves
#define SAME_MOTION 1e-6

// Part of the size of the smaller body by which bodies may move in a step beyond their distance: an
// overlap that the list does not foresee is then seen from the right side.
#define FAR_PART 0.25

static bool closed_before(const SticEventMotion* m, uint64_t id)
{
    const int32_t i = stic_event_find(&m->list.set, id);
    return i >= 0 && m->contact[i].phase == STIC_PHASE_CLOSED;
}

static SticStatus overlaps(SticEventMotion* m, const SticState* state, bool* found)
{
    const SticState inside = stic_event_inside(m, state);
    SticDirections d;
    double* gamma = NULL;
    STIC_TRY(stic_directions_detect(m->stepper, m->system, &inside, 0.0, &d));
    STIC_TRY(stic_directions_measure(m->stepper, m->system, &inside,
                                     STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_H, NULL, &d));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &gamma, d.set.rows));
    stic_directions_velocity(&d, state->u, gamma);
    *found = false;
    for (int32_t i = 0; i < d.set.count && !*found; ++i) {
        const SticInteraction* interaction = &d.set.interaction[i];
        const int32_t at = d.set.row_at[i];
        if (interaction->level != STIC_LEVEL_CONTACT ||
            d.measures.gap[at] >= -stic_event_gap(m, interaction) || gamma[at] >= 0.0)
            continue;
        // points of a patch that come and go move with it: their approach is rounding
        *found = !closed_before(m, interaction->id) && -gamma[at] > m->rest * m->scale_most;
    }
    return STIC_OK;
}

/* ---- borders ---- */

// whether the features of a contact end somewhere; joints have no place
static bool bordered(const SticSet* set, int32_t i)
{
    return set->interaction[i].level == STIC_LEVEL_CONTACT && set->interaction[i].surface >= 0 &&
           set->exit != NULL && set->exit[i] < DBL_MAX;
}

// how fast a contact may move over its features: velocities of its blocks, m/s
static double speed_over(const SticEventMotion* m, const SticEventInstant* now, const double* rate,
                         int32_t i)
{
    const SticSet* set = &m->list.set;
    const SticInteraction* interaction = &set->interaction[i];
    double speed = 0.0;
    for (int32_t row = set->row_at[i]; row < set->row_at[i + 1]; ++row)
        speed += fabs(now->all.measures.chi[row]);
    for (int side = 0; side < 2; ++side) {
        const int32_t block = interaction->block[side];
        for (int k = 0; block >= 0 && k < 3; ++k)
            speed += fabs(rate[m->system->layout.q_at[block] + k]);
    }
    return speed;
}

// bound of the speed at which the bodies of a contact turn towards each other, m/s
static double turning_speed(const SticEventMotion* m, const SticState* state,
                            const SticInteraction* interaction)
{
    const SticLayout* layout = &m->system->layout;
    double speed = 0.0;
    for (int side = 0; side < 2; ++side) {
        const int32_t block = interaction->block[side];
        if (block < 0 || m->system->size == NULL ||
            (SticChart)layout->chart[block] != STIC_CHART_QUATERNION)
            continue;
        const double* spin = state->u + layout->u_at[block] + 3;
        speed += m->system->size[block] *
                 sqrt(spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2]);
    }
    return speed;
}

// the shortest time in which a contact of the phase moves by a part of its size
static SticStatus time_over(SticEventMotion* m, const SticState* state, SticPhase phase,
                            double part, double* dt)
{
    const SticArenaMark mark = stic_arena_mark(m->stepper->arena);
    const SticSet* set = &m->list.set;
    SticEventInstant now;
    double* rate = NULL;
    STIC_TRY(stic_event_look(m, state, &now));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &rate, m->system->layout.nq));
    stic_system_rate(m->system, state, rate);
    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* interaction = &set->interaction[i];
        if (m->contact[i].phase != phase || !bordered(set, i))
            continue;
        const double speed = speed_over(m, &now, rate, i) + turning_speed(m, state, interaction) +
                             0.5 * m->push * *dt;
        if (speed * *dt > part * interaction->size)
            *dt = part * interaction->size / speed;
    }
    stic_arena_rewind(m->stepper->arena, mark);
    return STIC_OK;
}

/* ---- contacts beside their features ----
 *
 * A corner that slides over the edge of a table with its side on that edge meets the level of the
 * table where it leaves it. The gap between corner and table closes there, with an approach, and
 * nothing is hit: convex bodies are apart as long as one of their gaps is not negative. What closes
 * with an approach has an impact only if bodies that go on as they are overlap a moment later.
 */

// the state a moment later with the present velocities
static SticStatus ahead(SticEventMotion* m, const SticState* state, double dt, SticState* later)
{
    const SticLayout* layout = &m->system->layout;
    double *q = NULL, *rate = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &q, layout->nq));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &rate, layout->nq));
    stic_system_rate(m->system, state, rate);
    for (int32_t c = 0; c < layout->nq; ++c)
        q[c] = state->q[c] + dt * rate[c];
    for (int32_t i = 0; i < layout->blocks; ++i)
        stic_chart_normalize((SticChart)layout->chart[i], q + layout->q_at[i]);
    *later = (SticState){state->t + dt, q, state->u, state->memory};
    return STIC_OK;
}

// marks what closes with an approach and has a border to pass
static bool mark_new(const SticEventMotion* m, const SticEventInstant* now, const uint8_t* closed,
                     uint8_t* marked)
{
    const SticSet* set = &m->list.set;
    bool any = false;
    for (int32_t i = 0; i < set->count; ++i) {
        const double rate = now->gamma[set->row_at[i]];
        marked[i] = closed[i] && m->contact[i].phase == STIC_PHASE_OPEN && bordered(set, i) &&
                    -rate > stic_event_velocity(m, i);
        any = any || marked[i];
    }
    return any;
}

// unmarks what overlaps a moment later
static SticStatus find_hit(SticEventMotion* m, const SticState* state, const SticEventInstant* now,
                           uint8_t* marked)
{
    const SticSet* set = &m->list.set;
    SticDirections d;
    SticState later;
    double dt = m->length;
    STIC_TRY(time_over(m, state, STIC_PHASE_OPEN, STIC_EVENT_BORDER, &dt));
    STIC_TRY(ahead(m, state, dt, &later));
    STIC_TRY(stic_directions_detect(m->stepper, m->system, &later, 0.0, &d));
    STIC_TRY(stic_directions_measure(m->stepper, m->system, &later, STIC_WANT_GAP, NULL, &d));
    for (int32_t k = 0; k < d.set.count; ++k) {
        const SticEventContact found = stic_event_contact(&d.set.interaction[k], STIC_PHASE_OPEN);
        for (int32_t i = 0; i < set->count; ++i)
            if (marked[i] && stic_event_same_pair(&m->contact[i], &found) &&
                d.measures.gap[d.set.row_at[k]] < 0.25 * dt * now->gamma[set->row_at[i]])
                marked[i] = 0;
    }
    return STIC_OK;
}

// marks contacts that are closed by their gap but not found where the bodies are: a list holds
// whatever may be met on the way, and its features are longer
static SticStatus find_beside(SticEventMotion* m, const SticState* state,
                              const SticEventInstant* now, const uint8_t* closed, uint8_t* marked)
{
    const SticSet* set = &m->list.set;
    SticSet here;
    double gap = -1.0;
    for (int32_t i = 0; i < set->count; ++i)
        if (closed[i] && bordered(set, i))
            gap = stic_event_more(stic_event_more(gap, 0.0), now->all.measures.gap[set->row_at[i]]);
    if (gap < 0.0)
        return STIC_OK;
    STIC_TRY(stic_event_find_here(m, state, gap, closed, &here));
    for (int32_t i = 0; i < set->count; ++i)
        if (closed[i] && bordered(set, i))
            marked[i] = stic_event_find(&here, m->contact[i].id) < 0;
    return STIC_OK;
}

SticStatus stic_event_confirm(SticEventMotion* m, const SticState* state,
                              const SticEventInstant* now, uint8_t* closed, uint8_t* phantom)
{
    const SticArenaMark mark = stic_arena_mark(m->stepper->arena);
    const int32_t count = m->list.set.count;
    memset(phantom, 0, (size_t)count);
    if (mark_new(m, now, closed, phantom))
        STIC_TRY(find_hit(m, state, now, phantom));
    for (int32_t i = 0; i < count; ++i)
        closed[i] = closed[i] && !phantom[i];
    STIC_TRY(find_beside(m, state, now, closed, phantom));
    for (int32_t i = 0; i < count; ++i)
        closed[i] = closed[i] && !phantom[i];
    stic_arena_rewind(m->stepper->arena, mark);
    return STIC_OK;
}

/* ---- contacts that left their features ---- */

static bool has_left(const SticEventMotion* m, const SticSet* fresh, int32_t i)
{
    return m->contact[i].phase == STIC_PHASE_CLOSED &&
           m->list.set.interaction[i].level == STIC_LEVEL_CONTACT &&
           stic_event_find(fresh, m->contact[i].id) < 0;
}

SticStatus stic_event_left(SticEventMotion* m, const SticState* state, int32_t i, double* value)
{
    const SticArenaMark mark = stic_arena_mark(m->stepper->arena);
    SticDirections d;
    *value = 1.0;
    STIC_TRY(stic_event_find_list(m, state, 0.0, &d));
    for (int32_t k = 0; k < m->list.set.count; ++k)
        if (m->contact[k].phase == STIC_PHASE_CLOSED &&
            stic_event_same_pair(&m->contact[k], &m->contact[i]) && !has_left(m, &d.set, k))
            *value = -1.0;
    stic_arena_rewind(m->stepper->arena, mark);
    return STIC_OK;
}

SticStatus stic_event_border_time(SticEventMotion* m, const SticState* state, double* dt)
{
    *dt = m->length;
    return time_over(m, state, STIC_PHASE_CLOSED, STIC_EVENT_BORDER, dt);
}

// how far the two shapes of a contact are apart
static SticStatus distance_of(const SticEventMotion* m, const SticState* state,
                              const SticEventInstant* now, int32_t i, double* distance)
{
    const SticInteraction* interaction = &m->list.set.interaction[i];
    double gap[2];
    *distance = now->all.measures.gap[m->list.set.row_at[i]];
    if (m->system->ops->gap != NULL) {
        STIC_TRY(
            m->system->ops->gap(m->system, state, interaction->part, interaction->id, false, gap));
        *distance = gap[1] < INFINITY ? gap[1] : *distance;
    }
    *distance = stic_event_more(*distance, 0.0);
    return STIC_OK;
}

// Conservative advancement: shapes at a distance d that approach at v cannot touch before d/v.
SticStatus stic_event_shorten(SticEventMotion* m, const SticState* state, double* h)
{
    const SticArenaMark mark = stic_arena_mark(m->stepper->arena);
    const SticSet* set = &m->list.set;
    const SticInteraction* last = NULL;
    SticEventInstant now;
    double *rate = NULL, apart = 0.0;
    STIC_TRY(stic_event_look(m, state, &now));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &rate, m->system->layout.nq));
    stic_system_rate(m->system, state, rate);
    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* interaction = &set->interaction[i];
        if (m->contact[i].phase != STIC_PHASE_OPEN || !bordered(set, i))
            continue;
        const double speed = speed_over(m, &now, rate, i) + turning_speed(m, state, interaction);
        const double part = FAR_PART * interaction->size;
        // most pairs are slow
        if (speed * *h + 0.5 * m->push * *h * *h <= part)
            continue;
        if (last == NULL || last->part[0] != interaction->part[0] ||
            last->part[1] != interaction->part[1])
            STIC_TRY(distance_of(m, state, &now, i, &apart));
        last = interaction;
        // contacts that have no gap yet are listed anew before they are met
        const bool blind = now.all.measures.gap[set->row_at[i]] >= STIC_EVENT_BLIND;
        const double way = blind ? 0.5 * apart + 1e-3 * interaction->size : apart + part;
        const double time = 2.0 * way / (speed + sqrt(speed * speed + 2.0 * m->push * way));
        *h = time < *h ? time : *h;
    }
    stic_arena_rewind(m->stepper->arena, mark);
    return STIC_OK;
}

// modes of the list as those that a detection finds by id
static SticStatus hand_over(const SticEventMotion* m, SticEventOwn* own)
{
    const SticSet* set = &m->list.set;
    *own = *m->own;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &own->mode, set->count));
    own->modes = set->count;
    for (int32_t k = 0; k < set->count; ++k)
        own->mode[k] = m->contact[set->by_id == NULL ? k : set->by_id[k]];
    return STIC_OK;
}

// contacts that were not known: closed where they touch and do not part
static void close_new(SticEventMotion* probe, const SticEventInstant* now)
{
    for (int32_t i = 0; i < now->all.set.count; ++i) {
        const SticInteraction* interaction = &now->all.set.interaction[i];
        const double* gamma = now->gamma + now->all.set.row_at[i];
        SticEventContact* contact = &probe->contact[i];
        SticEventLaw law;
        if (interaction->level != STIC_LEVEL_CONTACT || contact->phase != STIC_PHASE_OPEN ||
            now->all.measures.gap[now->all.set.row_at[i]] > stic_event_gap(probe, interaction) ||
            gamma[0] > stic_event_velocity(probe, i) ||
            stic_event_law(interaction, &law) != STIC_OK)
            continue;
        contact->phase = STIC_PHASE_CLOSED;
        for (int32_t g = 0; g < law.groups; ++g) {
            const double speed = stic_event_size(&law, g, gamma);
            contact->slides[g] = speed > stic_event_velocity(probe, i);
            for (int k = 0; contact->slides[g] && k < law.rows[g]; ++k)
                contact->direction[g][k] = gamma[law.first[g] + k] / speed;
        }
    }
}

// how far the accelerations of the bodies here are from those of the list; positive: they differ
static SticStatus other_motion(SticEventMotion* m, const SticState* state, double* value)
{
    SticArena* arena = m->stepper->arena;
    const int32_t nu = m->system->layout.nu;
    SticEventOwn own;
    SticEventMotion probe = *m;
    SticEventInstant frozen, now;
    // the free accelerations give a scale even where nothing moves
    double *a = NULL, *scratch = NULL, apart = 0.0, size = m->scale_most;
    bool changed = false, solved = false;
    STIC_TRY(hand_over(m, &own));
    probe.own = &own;
    STIC_TRY(stic_event_accelerate(m, state, &frozen));
    STIC_TRY(stic_event_detect(&probe, state, 0.0, &changed));
    STIC_TRY(stic_event_look(&probe, state, &now));
    close_new(&probe, &now);
    STIC_TRY(stic_event_activate(&probe, state, true, &now));
    STIC_TRY(stic_event_include(&probe, state, false, &now, &solved));
    STIC_TRY(STIC_TAKE(arena, &a, nu));
    STIC_TRY(STIC_TAKE(arena, &scratch, nu));
    stic_parts_velocity(&now.mass, &now.Ht, now.f, now.lambda, a, scratch);
    for (int32_t c = 0; c < nu; ++c) {
        apart = stic_event_more(apart, fabs(a[c] - frozen.acceleration[c]));
        size = stic_event_more(size, fabs(a[c]) + fabs(frozen.acceleration[c]));
    }
    // where nothing can be said, the next list decides
    *value = solved && size > 0.0 ? apart / size - SAME_MOTION : -1.0;
    return STIC_OK;
}

// whether a closed contact is not where the list has it
static SticStatus any_left(SticEventMotion* m, const SticState* state, bool* left)
{
    SticDirections d;
    bool any = false;
    *left = false;
    for (int32_t i = 0; i < m->list.set.count && !any; ++i)
        any = m->contact[i].phase == STIC_PHASE_CLOSED;
    // contacts examined a moment ago were decided then
    if (!any || state->t <= m->decided)
        return STIC_OK;
    STIC_TRY(stic_event_find_list(m, state, 0.0, &d));
    for (int32_t i = 0; i < m->list.set.count && !*left; ++i)
        *left = has_left(m, &d.set, i);
    return STIC_OK;
}

SticStatus stic_event_afresh(SticEventMotion* m, const SticState* state, double* value)
{
    const SticArenaMark mark = stic_arena_mark(m->stepper->arena);
    bool found = false;
    m->left = false;
    STIC_TRY(overlaps(m, state, &found));
    *value = found ? 1.0 : -1.0;
    if (!found)
        STIC_TRY(any_left(m, state, &m->left));
    if (m->left)
        STIC_TRY(other_motion(m, state, value));
    stic_arena_rewind(m->stepper->arena, mark);
    return STIC_OK;
}
