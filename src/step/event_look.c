// SPDX-License-Identifier: Apache-2.0
// Event-driven scheme: laws by rows, lists by id, and measurements at an instant.
//
// Features are frozen where they were detected, so that gaps and velocities are smooth functions
// of the state over a step of the integrator. A point that moves over a curved surface is not
// frozen in its body: there the feature is detected again at every instant, and the bias comes from
// central differences of the relative velocity along the motion, which knows the curvature of any
// shape.
#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/mass.h"
#include "step/event.h"
#include "stiction/extend/base.h"
#include "stiction/extend/law.h"
#include "stiction/extend/sparse.h"

/* ---- laws ---- */

static void one_group(SticEventLaw* law, int32_t group, int32_t first, int32_t rows,
                      const double mu[2])
{
    law->first[group] = first;
    law->rows[group] = rows;
    law->mu[group][0] = mu[0];
    law->mu[group][1] = mu[1];
    law->groups = group + 1;
}

SticStatus stic_event_law(const SticInteraction* interaction, SticEventLaw* law)
{
    const double* c = interaction->coef;
    const int32_t rows = interaction->rows;
    *law =
        (SticEventLaw){.normal = true, .bound = interaction->bound, .pull = interaction->cohesion};
    if (interaction->bound_of >= 0)
        return STIC_UNSUPPORTED;
    switch ((SticLaw)interaction->law) {
    case STIC_LAW_FREE:
        law->normal = false;
        return STIC_OK;
    case STIC_LAW_NONNEG:
        return STIC_OK;
    case STIC_LAW_CONE:
        one_group(law, 0, 1, rows - 1, (const double[]){c[0], c[0]});
        return STIC_OK;
    case STIC_LAW_CONE_ELLIPSE:
        one_group(law, 0, 1, rows - 1, c);
        return STIC_OK;
    case STIC_LAW_ROLLING:
        one_group(law, 0, 1, (rows - 1) / 2, (const double[]){c[0], c[0]});
        one_group(law, 1, 1 + (rows - 1) / 2, (rows - 1) / 2, (const double[]){c[2], c[2]});
        return STIC_OK;
    case STIC_LAW_INTERVAL:
        law->interval = true;
        law->normal = false;
        one_group(law, 0, 0, 1, c);
        return STIC_OK;
    case STIC_LAW_BALL:
        law->normal = false;
        one_group(law, 0, 0, rows, (const double[]){c[0], c[0]});
        return rows <= 2 ? STIC_OK : STIC_UNSUPPORTED;
    case STIC_LAW_ELLIPSE:
        law->normal = false;
        one_group(law, 0, 0, rows, c);
        return STIC_OK;
    default:
        return STIC_UNSUPPORTED;
    }
}

bool stic_event_unilateral(const SticInteraction* interaction)
{
    return interaction->level == STIC_LEVEL_CONTACT || interaction->law == STIC_LAW_NONNEG;
}

void stic_event_resistance(const SticEventLaw* law, int32_t group, const double d[2],
                           double force[2])
{
    const double* mu = law->mu[group];
    force[0] = force[1] = 0.0;
    if (law->interval) {
        force[0] = d[0] > 0.0 ? -mu[0] : mu[1];
        return;
    }
    // the point of the ellipse with the outward normal d, and its opposite
    double size = 0.0;
    for (int k = 0; k < law->rows[group]; ++k)
        size += mu[k] * d[k] * (mu[k] * d[k]);
    for (int k = 0; size > 0.0 && k < law->rows[group]; ++k)
        force[k] = -mu[k] * mu[k] * d[k] / sqrt(size);
}

double stic_event_beyond(const SticEventLaw* law, int32_t g, const double* r, double h)
{
    const double bound = law->normal ? r[0] + law->pull * h : law->bound * h;
    const double* force = r + law->first[g];
    if (law->interval)
        return stic_event_more(force[0] - law->mu[g][1] * bound, -law->mu[g][0] * bound - force[0]);
    double square = 0.0, most = 0.0;
    for (int k = 0; k < law->rows[g]; ++k) {
        const double mu = law->mu[g][k];
        square += mu > 0.0 ? force[k] / mu * (force[k] / mu) : 0.0;
        most = stic_event_more(most, mu);
    }
    return (sqrt(square) - bound) * most;
}

double stic_event_size(const SticEventLaw* law, int32_t group, const double* rows)
{
    const double* x = rows + law->first[group];
    return law->rows[group] == 1 ? fabs(x[0]) : sqrt(x[0] * x[0] + x[1] * x[1]);
}

double stic_event_gap(const SticEventMotion* m, const SticInteraction* interaction)
{
    return interaction->slack > 0.0 ? interaction->slack : m->settings->gap;
}

double stic_event_velocity(const SticEventMotion* m, int32_t i)
{
    STIC_ASSERT(i >= 0);
    // the velocity that the free acceleration removes within half of the time that counts as rest;
    // bodies that fall together have none of their own
    return stic_event_more(0.5 * stic_event_more(m->scale[i], m->scale_mean) * m->rest,
                           m->rounding[i]);
}

SticState stic_event_inside(const SticEventMotion* m, const SticState* state)
{
    SticState inside = *state;
    // signals take times within 16 roundings of a kink for the kink itself
    const double first = m->piece[0] + 0.5 * stic_event_instant(m->piece[0]),
                 last = m->piece[1] - 0.5 * stic_event_instant(m->piece[1]);
    if (m->piece[0] > -INFINITY && inside.t < first)
        inside.t = first;
    if (m->piece[1] < INFINITY && inside.t > last)
        inside.t = last;
    return inside;
}

/* ---- lists ---- */

SticEventContact stic_event_contact(const SticInteraction* interaction, SticPhase phase)
{
    return (SticEventContact){.id = interaction->id,
                              .block = {interaction->block[0], interaction->block[1]},
                              .part = {interaction->part[0], interaction->part[1]},
                              .phase = (uint8_t)phase};
}

bool stic_event_same_pair(const SticEventContact* a, const SticEventContact* b)
{
    // contacts of one pair may be seen from either side
    for (int s = 0; s < 2; ++s)
        if (a->block[0] == b->block[s] && a->block[1] == b->block[1 - s] &&
            a->part[0] == b->part[s] && a->part[1] == b->part[1 - s])
            return true;
    return false;
}

static const SticEventContact* known_mode(const SticEventOwn* own, uint64_t id)
{
    int32_t low = 0, high = own->modes;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (own->mode[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < own->modes && own->mode[low].id == id ? &own->mode[low] : NULL;
}

static int32_t by_id(const SticSet* set, int32_t k)
{
    return set->by_id == NULL ? k : set->by_id[k];
}

int32_t stic_event_find(const SticSet* set, uint64_t id)
{
    int32_t low = 0, high = set->count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (set->interaction[by_id(set, middle)].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < set->count && set->interaction[by_id(set, low)].id == id ? by_id(set, low) : -1;
}

static bool closed_now(const SticEventMotion* m, const SticEventInstant* now, int32_t i)
{
    const SticInteraction* interaction = &now->all.set.interaction[i];
    return interaction->level == STIC_LEVEL_CONTACT &&
           now->all.measures.gap[now->all.set.row_at[i]] <= stic_event_gap(m, interaction);
}

static SticStatus room_of_list(SticEventMotion* m)
{
    SticArena* arena = m->stepper->arena;
    const SticSet* set = &m->list.set;
    STIC_TRY(STIC_TAKE(arena, &m->contact, set->count));
    STIC_TRY(STIC_TAKE(arena, &m->hold, set->count));
    STIC_TRY(STIC_TAKE(arena, &m->curved, set->count));
    STIC_TRY(STIC_TAKE(arena, &m->scale, set->count));
    STIC_TRY(STIC_TAKE(arena, &m->rounding, set->count));
    STIC_TRY(STIC_TAKE(arena, &m->impulse, set->rows));
    STIC_TRY(STIC_TAKE(arena, &m->given, set->count));
    STIC_TRY(STIC_TAKE(arena, &m->work, set->rows));
    STIC_TRY(STIC_TAKE(arena, &m->stage_rate, (int64_t)STIC_RK_STAGES * set->count));
    STIC_TRY(STIC_TAKE(arena, &m->stage_load, (int64_t)STIC_RK_STAGES * m->system->layout.nu));
    STIC_TRY(STIC_TAKE(arena, &m->stage_reaction, (int64_t)STIC_RK_STAGES * set->rows));
    for (int32_t i = 0; i < set->count; ++i)
        m->hold[i][0] = m->hold[i][1] = 1.0;
    memset(m->curved, 0, (size_t)set->count);
    memset(m->scale, 0, (size_t)set->count * sizeof *m->scale);
    memset(m->rounding, 0, (size_t)set->count * sizeof *m->rounding);
    m->any_curved = false;
    m->scale_most = 0.0;
    return STIC_OK;
}

static SticStatus find_curved(SticEventMotion* m, const SticState* state);

double stic_event_mobility(const SticEventInstant* now, const SticMass* mass, int32_t i,
                           int32_t row, double* work[2], int32_t nu)
{
    STIC_ASSERT(i >= 0 && row >= 0);
    const SticBlockCsr* Ht = &now->all.Ht;
    double sum = 0.0;
    memset(work[0], 0, (size_t)nu * sizeof *work[0]);
    for (int32_t e = Ht->begin[i]; e < Ht->begin[i + 1]; ++e) {
        const int32_t at = Ht->col_at[Ht->col[e]], n = Ht->col_at[Ht->col[e] + 1] - at;
        memcpy(work[0] + at, Ht->value + Ht->value_at[e] + (int64_t)row * n,
               (size_t)n * sizeof *work[0]);
    }
    stic_mass_divide(mass, work[0], work[1]);
    for (int32_t c = 0; c < nu; ++c)
        sum += work[0][c] * work[1][c];
    return sum;
}

// What a bond, or friction with a bound of its own, can do to its rows: it does not depend on
// loads, which may cancel at an instant.
static double own_push(const SticEventInstant* now, const SticMass* mass, int32_t i,
                       double* work[2], int32_t nu)
{
    const SticInteraction* interaction = &now->all.set.interaction[i];
    SticEventLaw law;
    double most = 0.0;
    if (stic_event_law(interaction, &law) != STIC_OK)
        return 0.0;
    if (law.pull > 0.0)
        return law.pull * stic_event_mobility(now, mass, i, 0, work, nu);
    if (law.normal || law.groups == 0)
        return 0.0;
    for (int32_t r = 0; r < law.rows[0]; ++r) {
        const double bound = law.bound * stic_event_more(fabs(law.mu[0][0]), fabs(law.mu[0][1]));
        most = stic_event_more(
            most, bound * stic_event_mobility(now, mass, i, law.first[0] + r, work, nu));
    }
    return most;
}

// Velocities of interactions that are rounding: of the velocities that their blocks have had in the
// call, or of less than a rounding of their size over the whole call.
static void measure_rounding(SticEventMotion* m, const SticState* state,
                             const SticEventInstant* now)
{
    const SticBlockCsr* Ht = &now->all.Ht;
    const SticSet* set = &now->all.set;
    for (int32_t c = 0; c < m->system->layout.nu; ++c)
        m->fastest[c] = stic_event_more(m->fastest[c], fabs(state->u[c]));
    for (int32_t i = 0; i < set->count; ++i) {
        double most = set->interaction[i].size / (64.0 * m->length);
        for (int32_t r = 0; r < set->interaction[i].rows; ++r) {
            double sum = fabs(now->all.measures.chi[set->row_at[i] + r]);
            for (int32_t e = Ht->begin[i]; e < Ht->begin[i + 1]; ++e) {
                const int32_t at = Ht->col_at[Ht->col[e]], n = Ht->col_at[Ht->col[e] + 1] - at;
                const double* row = Ht->value + Ht->value_at[e] + (int64_t)r * n;
                for (int32_t c = 0; c < n; ++c)
                    sum += fabs(row[c]) * m->fastest[at + c];
            }
            most = stic_event_more(most, sum);
        }
        m->rounding[i] = 64.0 * DBL_EPSILON * most;
    }
}

// sizes of the accelerations that interactions would have without those of others
static SticStatus measure_scales(SticEventMotion* m, const SticState* state,
                                 const SticEventInstant* now)
{
    const SticSystem* system = m->system;
    SticArena* arena = m->stepper->arena;
    SticMass mass;
    double *f = NULL, *a = NULL, *rate = NULL, *work[2];
    STIC_TRY(STIC_TAKE(arena, &f, system->layout.nu));
    STIC_TRY(STIC_TAKE(arena, &a, system->layout.nu));
    STIC_TRY(STIC_TAKE(arena, &work[0], system->layout.nu));
    STIC_TRY(STIC_TAKE(arena, &work[1], system->layout.nu));
    STIC_TRY(STIC_TAKE(arena, &rate, now->all.set.rows));
    const SticState at = stic_event_inside(m, state);
    STIC_TRY(system->ops->mass(system, &at, arena, &mass));
    STIC_TRY(stic_system_force(system, &at, arena, f));
    STIC_TRY(stic_system_add_gyro(system, &at, &mass, arena, f));
    stic_mass_divide(&mass, f, a);
    if (now->all.set.rows > 0)
        stic_block_csr_multiply(1.0, &now->all.Ht, a, 0.0, rate);
    m->scale_most = m->scale_mean = 0.0;
    for (int32_t i = 0; i < now->all.set.count; ++i) {
        double size = 0.0;
        // an obstacle that falls with the body takes nothing of the size away
        for (int32_t row = now->all.set.row_at[i]; row < now->all.set.row_at[i + 1]; ++row) {
            const double most = fabs(rate[row]) + fabs(now->all.measures.bias[row]);
            size += most * most;
        }
        m->scale[i] = sqrt(size) + own_push(now, &mass, i, work, system->layout.nu);
        m->scale_most = stic_event_more(m->scale_most, m->scale[i]);
        m->scale_mean += m->scale[i] / now->all.set.count;
    }
    measure_rounding(m, state, now);
    return STIC_OK;
}

// size of the largest pair of wanted contacts of which a set has nothing; 0: all are there
static double missing_size(const SticSet* known, const SticEventContact* contact,
                           const uint8_t* wanted, const SticSet* set)
{
    double size = 0.0;
    for (int32_t i = 0; i < known->count; ++i) {
        const SticInteraction* interaction = &known->interaction[i];
        bool found = wanted != NULL ? !wanted[i] : contact[i].phase != STIC_PHASE_CLOSED;
        found = found || interaction->level != STIC_LEVEL_CONTACT || interaction->surface < 0;
        for (int32_t k = 0; k < set->count && !found; ++k) {
            const SticEventContact there =
                stic_event_contact(&set->interaction[k], STIC_PHASE_OPEN);
            found = stic_event_same_pair(&contact[i], &there);
        }
        if (!found)
            size = stic_event_more(size, interaction->size);
    }
    return size;
}

// Limits of joints have no borders that they could leave: those that are closed are found, also
// where rest, or drift, leaves a gap. `gap`: reach that finds them.
static SticStatus reach_limits(SticEventMotion* m, const SticState* at, double* gap)
{
    SticDirections d = m->list;
    bool measured = false;
    for (int32_t i = 0; m->contact != NULL && i < d.set.count; ++i) {
        const SticInteraction* interaction = &d.set.interaction[i];
        if (m->contact[i].phase != STIC_PHASE_CLOSED || interaction->surface >= 0 ||
            interaction->level != STIC_LEVEL_CONTACT)
            continue;
        if (!measured) {
            memset(&d.measures, 0, sizeof d.measures);
            STIC_TRY(stic_directions_measure(m->stepper, m->system, at, STIC_WANT_GAP, NULL, &d));
        }
        measured = true;
        // measured anew it may differ by rounding
        *gap = stic_event_more(*gap, d.measures.gap[d.set.row_at[i]] + m->settings->gap);
    }
    return STIC_OK;
}

SticStatus stic_event_find_here(SticEventMotion* m, const SticState* state, double gap,
                                const uint8_t* wanted, SticSet* here)
{
    const SticState at = stic_event_inside(m, state);
    const SticSet known = m->list.set;
    const SticEventContact* contact = m->contact;
    STIC_TRY(reach_limits(m, &at, &gap));
    SticReach reach = {.gap = gap};
    STIC_TRY(m->system->ops->detect(m->system, &at, &reach, m->stepper->arena, here));
    const double size = contact == NULL ? 0.0 : missing_size(&known, contact, wanted, here);
    if (!(STIC_EVENT_BORDER * size > gap))
        return STIC_OK;
    // where a side of a cylinder passes from a face to its edge, neither may be found
    reach.gap = STIC_EVENT_BORDER * size;
    return m->system->ops->detect(m->system, &at, &reach, m->stepper->arena, here);
}

SticStatus stic_event_find_list(SticEventMotion* m, const SticState* state, double h,
                                SticDirections* list)
{
    const SticState at = stic_event_inside(m, state);
    SticSet here;
    if (h == 0.0) {
        STIC_TRY(stic_event_find_here(m, state, 0.0, NULL, &here));
    } else {
        // contacts that present velocities and accelerations could close in twice the step; others
        // are found by the detection at its end
        const SticReach reach = {.gap = 2.0 * m->push * h * h, .time = 2.0 * h, .u = state->u};
        STIC_TRY(m->system->ops->detect(m->system, &at, &reach, m->stepper->arena, &here));
    }
    memset(list, 0, sizeof *list);
    list->set = here;
    return stic_directions_prepare(m->stepper, m->system, list);
}

// contacts that were beside their features and are there again
static SticStatus find_again(SticEventMotion* m, const SticState* state, bool* changed)
{
    SticDirections here = {.set.count = 0};
    bool looked = false;
    for (int32_t i = 0; i < m->list.set.count; ++i) {
        if (!m->contact[i].phantom)
            continue;
        if (!looked)
            STIC_TRY(stic_event_find_list(m, state, 0.0, &here));
        looked = true;
        if (stic_event_find(&here.set, m->contact[i].id) >= 0) {
            m->contact[i].phantom = 0;
            *changed = true;
        }
    }
    return STIC_OK;
}

// accelerations by forces alone: the first reach of a call
static SticStatus push_of_forces(SticEventMotion* m, const SticState* state)
{
    SticArena* arena = m->stepper->arena;
    const SticArenaMark mark = stic_arena_mark(arena);
    const int32_t nu = m->system->layout.nu;
    SticMass mass;
    double *f = NULL, *a = NULL;
    const SticState at = stic_event_inside(m, state);
    STIC_TRY(stic_stepper_load(m->stepper, at.t, &m->info->error));
    STIC_TRY(STIC_TAKE(arena, &f, nu));
    STIC_TRY(STIC_TAKE(arena, &a, nu));
    STIC_TRY(m->system->ops->mass(m->system, &at, arena, &mass));
    STIC_TRY(stic_system_force(m->system, &at, arena, f));
    stic_mass_divide(&mass, f, a);
    for (int32_t c = 0; c < nu; ++c)
        m->push = stic_event_more(m->push, fabs(a[c]));
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

SticStatus stic_event_detect(SticEventMotion* m, const SticState* state, double h, bool* changed)
{
    m->within = h;
    if (m->push == 0.0)
        STIC_TRY(push_of_forces(m, state));
    STIC_TRY(stic_event_find_list(m, state, h, &m->list));
    STIC_TRY(room_of_list(m));
    const SticSet* set = &m->list.set;
    int32_t closed = 0, still = 0;
    if (m->carried)
        STIC_TRY(stic_event_complete_modes(m, state, changed));
    for (int32_t k = 0; k < m->own->modes; ++k)
        closed += m->own->mode[k].phase == STIC_PHASE_CLOSED ? 1 : 0;
    for (int32_t i = 0; i < set->count; ++i) {
        const SticEventContact* known = known_mode(m->own, set->interaction[i].id);
        const bool contact = stic_event_unilateral(&set->interaction[i]);
        m->contact[i] = known != NULL
                            ? *known
                            : stic_event_contact(&set->interaction[i],
                                                 contact ? STIC_PHASE_OPEN : STIC_PHASE_ALWAYS);
        stic_event_turn_mode(set, i, &m->contact[i]);
        still += known != NULL && known->phase == STIC_PHASE_CLOSED ? 1 : 0;
        // an interaction that is always on and was not there before
        *changed = *changed || (known == NULL && !contact);
    }
    *changed = *changed || still != closed;
    STIC_TRY(find_curved(m, state));
    const SticArenaMark mark = stic_arena_mark(m->stepper->arena);
    SticEventInstant now;
    STIC_TRY(find_again(m, state, changed));
    STIC_TRY(stic_event_look(m, state, &now));
    STIC_TRY(measure_scales(m, state, &now));
    // at a kink velocities of obstacles jump, which says nothing about the modes before
    if (m->carried && !m->kink && !stic_event_modes_fit(m, &now)) {
        m->told = false;
        *changed = true;
    }
    m->carried = false;
    // a closed interaction that was not known
    for (int32_t i = 0; i < set->count && !*changed; ++i)
        *changed = m->contact[i].phase == STIC_PHASE_OPEN && closed_now(m, &now, i) &&
                   known_mode(m->own, set->interaction[i].id) == NULL;
    stic_arena_rewind(m->stepper->arena, mark);
    return STIC_OK;
}

// tangents of the list at a state; NULL where axes do not turn
static SticStatus frozen_tangents(SticEventMotion* m, const SticState* state, double (**tangent)[6])
{
    SticDirections d = m->list;
    *tangent = NULL;
    if (d.set.tangent == NULL)
        return STIC_OK;
    memset(&d.measures, 0, sizeof d.measures);
    STIC_TRY(stic_directions_measure(m->stepper, m->system, state, STIC_WANT_TANGENT, NULL, &d));
    *tangent = d.measures.tangent;
    return STIC_OK;
}

SticStatus stic_event_keep(SticEventMotion* m, const SticState* state)
{
    SticArena* arena = m->stepper->arena;
    const SticArenaMark mark = stic_arena_mark(arena);
    SticEventOwn* own = m->own;
    const SticSet* set = &m->list.set;
    const SticState at = stic_event_inside(m, state);
    double(*tangent)[6] = NULL;
    STIC_TRY(frozen_tangents(m, &at, &tangent));
    STIC_TRY(STIC_RESERVE(&own->context, &own->mode, &own->mode_capacity, (size_t)set->count));
    own->modes = set->count;
    for (int32_t k = 0; k < set->count; ++k) {
        const int32_t i = by_id(set, k);
        own->mode[k] = m->contact[i];
        if (tangent != NULL)
            memcpy(own->mode[k].tangent, tangent[i], sizeof own->mode[k].tangent);
    }
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

SticStatus stic_event_keep_bonds(SticEventMotion* m, SticState* state)
{
    SticArena* arena = m->stepper->arena;
    const SticArenaMark mark = stic_arena_mark(arena);
    const SticSet* set = &m->list.set;
    SticMemory *memory = state->memory, *own = &m->own->force;
    double* none = NULL;
    int32_t left = 0;
    m->broke = false;
    if (!m->system->bonds)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &none, set->rows));
    memset(none, 0, (size_t)set->rows * sizeof *none);
    const SticReactions all = {none, 0.0, NULL};
    STIC_TRY(stic_parts_keep_bonds(set, &all, memory));
    for (int32_t k = 0; k < memory->bonds; ++k) {
        const SticEventContact* contact = &m->contact[stic_event_find(set, memory->bond[k].id)];
        m->broke = m->broke || contact->phase == STIC_PHASE_OPEN;
        if (contact->phase == STIC_PHASE_OPEN)
            continue;
        memory->bond[left] = memory->bond[k];
        memory->bond[left++].slid = contact->slides[0];
    }
    memory->bonds = left;
    STIC_TRY(stic_memory_resize_bonds(own, left));
    if (left > 0)
        memcpy(own->bond, memory->bond, (size_t)left * sizeof *own->bond);
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

/* ---- curved surfaces ---- */

// Rows of interaction i along the tangents of the frozen feature instead of those of the fresh one:
// the latter are a function of a normal that moves over the surface, and jump at some normals.
static void turn_rows(const SticDirections* d, int32_t i, const double frozen[6])
{
    const SticInteraction* interaction = &d->set.interaction[i];
    const SticBlockCsr* Ht = &d->Ht;
    const double* fresh = d->measures.tangent[i];
    if (interaction->law == STIC_LAW_CONE_ELLIPSE)
        return;
    stic_parts_turn(interaction, frozen, fresh, d->measures.chi + d->set.row_at[i]);
    for (int32_t e = Ht->begin[i]; e < Ht->begin[i + 1]; ++e) {
        const int32_t n = Ht->col_at[Ht->col[e] + 1] - Ht->col_at[Ht->col[e]];
        double* value = d->measures.H + Ht->value_at[e];
        for (int32_t c = 0; c < n; ++c) {
            double column[STIC_SET_DIM];
            for (int32_t r = 0; r < interaction->rows; ++r)
                column[r] = value[r * n + c];
            stic_parts_turn(interaction, frozen, fresh, column);
            for (int32_t r = 0; r < interaction->rows; ++r)
                value[r * n + c] = column[r];
        }
    }
}

static bool differ(const double a[12], const double b[12])
{
    for (int k = 0; k < 12; ++k)
        if (a[k] != b[k])
            return true;
    return false;
}

// features of interactions of the list that are wanted and not yet found, where they are at a state
static SticStatus find_features(SticEventMotion* m, const SticState* at, double time,
                                const uint8_t* wanted, uint8_t* found, double (*local)[12])
{
    const SticSet* set = &m->list.set;
    const SticReach reach = {.gap = 1e3 * m->settings->gap, .time = time, .u = at->u};
    SticSet fresh;
    STIC_TRY(m->system->ops->detect(m->system, at, &reach, m->stepper->arena, &fresh));
    for (int32_t i = 0; i < set->count; ++i) {
        if (!wanted[i] || found[i])
            continue;
        const int32_t k = stic_event_find(&fresh, set->interaction[i].id);
        found[i] = k >= 0 && fresh.interaction[k].kernel == set->interaction[i].kernel;
        if (found[i])
            memcpy(local[i], fresh.local[k], sizeof local[i]);
    }
    return STIC_OK;
}

// relative velocities of the list at a state, with the features of wanted interactions detected
// there; `found` says which are wanted, and then which were found
static SticStatus relative_at(SticEventMotion* m, const SticState* state, SticDirections* d,
                              uint8_t* found, double* gamma)
{
    const SticState at = stic_event_inside(m, state);
    SticArena* arena = m->stepper->arena;
    const SticSet* set = &m->list.set;
    double(*local)[12] = NULL, (*frozen)[6] = NULL;
    uint8_t* wanted = NULL;
    bool moved = false, missing = false;
    *d = m->list;
    memset(&d->measures, 0, sizeof d->measures);
    STIC_TRY(STIC_TAKE(arena, &local, set->count));
    STIC_TRY(STIC_TAKE(arena, &wanted, set->count));
    memcpy(local, set->local, (size_t)set->count * sizeof *local);
    memcpy(wanted, found, (size_t)set->count);
    memset(found, 0, (size_t)set->count);
    // Curvature moves features by little over the differences taken here. Contacts that are still
    // apart matter if they may close in the step under way; a longer time only costs, most where
    // bodies turn far in it, and shapes that may pass each other have the contacts of where they
    // meet instead of those that they have now.
    STIC_TRY(find_features(m, &at, 0.0, wanted, found, local));
    for (int32_t i = 0; i < set->count; ++i)
        missing = missing || (wanted[i] && !found[i]);
    if (missing) {
        const double time = 2.0 * m->within < m->length ? 2.0 * m->within : m->length;
        STIC_TRY(find_features(m, &at, time, wanted, found, local));
    }
    for (int32_t i = 0; i < set->count; ++i)
        moved = moved || (found[i] && differ(local[i], set->local[i]));
    d->set.local = (const double(*)[12])local;
    const uint32_t turns = moved && set->tangent != NULL ? STIC_WANT_TANGENT : 0;
    STIC_TRY(stic_directions_measure(m->stepper, m->system, &at,
                                     STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_H | turns, NULL, d));
    if (turns)
        STIC_TRY(frozen_tangents(m, &at, &frozen));
    for (int32_t i = 0; frozen != NULL && i < set->count; ++i)
        if (found[i] && differ(local[i], set->local[i]))
            turn_rows(d, i, frozen[i]);
    stic_directions_velocity(d, at.u, gamma);
    return STIC_OK;
}

// A time over which the motion is the same up to 1e-3: bodies turn by that angle, or move by that
// part of their size. Differences of order four cost its fourth power, rounding 1e-16 through it.
static double short_time(const SticEventMotion* m, const SticState* state)
{
    const SticLayout* layout = &m->system->layout;
    double rate = 1e-1 / m->length;
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const double* u = state->u + layout->u_at[i];
        const double size = m->system->size != NULL ? m->system->size[i] : 0.0;
        if ((SticChart)layout->chart[i] != STIC_CHART_QUATERNION)
            continue;
        rate = stic_event_more(rate, sqrt(u[3] * u[3] + u[4] * u[4] + u[5] * u[5]));
        if (size > 0.0)
            rate = stic_event_more(rate, sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) / size);
    }
    return 1e-3 / rate;
}

// adds `weight` times the relative velocities at a time ahead with the present velocities
static SticStatus add_ahead(SticEventMotion* m, const SticState* state, double ahead, double weight,
                            uint8_t* found, double* sum)
{
    SticArena* arena = m->stepper->arena;
    const SticArenaMark mark = stic_arena_mark(arena);
    const SticLayout* layout = &m->system->layout;
    const int32_t rows = m->list.set.rows;
    SticDirections d;
    double *rate = NULL, *q = NULL, *gamma = NULL;
    STIC_TRY(STIC_TAKE(arena, &rate, layout->nq));
    STIC_TRY(STIC_TAKE(arena, &q, layout->nq));
    STIC_TRY(STIC_TAKE(arena, &gamma, rows));
    stic_system_rate(m->system, state, rate);
    for (int32_t c = 0; c < layout->nq; ++c)
        q[c] = state->q[c] + ahead * rate[c];
    for (int32_t i = 0; i < layout->blocks; ++i)
        stic_chart_normalize((SticChart)layout->chart[i], q + layout->q_at[i]);
    const SticState at = {state->t + ahead, q, state->u, state->memory};
    STIC_TRY(relative_at(m, &at, &d, found, gamma));
    for (int32_t row = 0; row < rows; ++row)
        sum[row] += weight * gamma[row];
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

// Differences along the motion: around the instant, or on one side of it.
typedef struct Stencil {
    int points;
    double at[5], weight[5];
} Stencil;

// of order four, and of order two for features that end within them
static const Stencil central[2] = {
    {4, {-2.0, -1.0, 1.0, 2.0}, {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0}},
    {2, {-1.0, 1.0}, {-0.5, 0.5}}};
static const Stencil onward[2] = {
    {5, {0.0, 1.0, 2.0, 3.0, 4.0}, {-25.0 / 12.0, 4.0, -3.0, 4.0 / 3.0, -0.25}},
    {3, {0.0, 1.0, 2.0}, {-1.5, 2.0, -0.5}}};

// differences that stay between the kinks; *dt may become shorter, and negative for those behind
static const Stencil* choose_stencil(const SticEventMotion* m, const SticState* state, double* dt)
{
    const double before = state->t - m->piece[0], behind = m->piece[1] - state->t;
    if (before >= 2.0 * *dt && behind >= 2.0 * *dt)
        return central;
    const double room = stic_event_more(before, behind);
    *dt = 4.0 * *dt < room ? *dt : 0.25 * room;
    *dt *= behind >= before ? 1.0 : -1.0;
    return onward;
}

// Differences in the order in which they are tried: a stencil and its time, as a part of the first.
typedef struct Attempt {
    const Stencil* stencil;
    double part;
} Attempt;

// where a feature ends, at a corner of its body or where the narrow phase sees another one, its
// contact is there on one side only
static const Attempt around[] = {{&central[0], 1.0}, {&central[1], 0.1}, {&onward[0], 0.5},
                                 {&onward[0], -0.5}, {&onward[1], 0.1},  {&onward[1], -0.1}};
static const Attempt aside[] = {{&onward[0], 1.0}, {&onward[1], 0.1}};

// Bias of the interactions with found[i] by differences along the motion over a time dt, of order
// four; where a feature ends within them, of order two over a shorter time, or on one side. `found`
// is cleared where that is lost, too.
static SticStatus curved_bias(SticEventMotion* m, const SticState* state, double dt, uint8_t* found,
                              double* bias)
{
    SticArena* arena = m->stepper->arena;
    const SticSet* set = &m->list.set;
    uint8_t* wanted = NULL;
    double* sum = NULL;
    const bool inside = choose_stencil(m, state, &dt) == central;
    const Attempt* attempt = inside ? around : aside;
    const int32_t attempts =
        (int32_t)(inside ? sizeof around / sizeof *around : sizeof aside / sizeof *aside);
    bool any = true;
    STIC_TRY(STIC_TAKE(arena, &wanted, set->count));
    STIC_TRY(STIC_TAKE(arena, &sum, set->rows));
    memcpy(wanted, found, (size_t)set->count);
    for (int32_t k = 0; k < attempts && any; ++k) {
        const Stencil* stencil = attempt[k].stencil;
        const double time = attempt[k].part * dt;
        memset(sum, 0, (size_t)set->rows * sizeof *sum);
        memcpy(found, wanted, (size_t)set->count);
        for (int p = 0; p < stencil->points; ++p)
            STIC_TRY(add_ahead(m, state, stencil->at[p] * time, stencil->weight[p], found, sum));
        any = false;
        for (int32_t i = 0; i < set->count; ++i) {
            for (int32_t row = set->row_at[i]; found[i] && row < set->row_at[i + 1]; ++row)
                bias[row] = sum[row] / time;
            wanted[i] = wanted[i] && !found[i];
            any = any || wanted[i];
        }
    }
    for (int32_t i = 0; i < set->count; ++i)
        found[i] = !wanted[i];
    return STIC_OK;
}

// marks the interactions whose normal bias at a state is not that of their frozen feature
static SticStatus mark_curved(SticEventMotion* m, const SticState* state, const uint8_t* movable)
{
    const SticSet* set = &m->list.set;
    SticArena* arena = m->stepper->arena;
    SticEventInstant now;
    uint8_t* found = NULL;
    double* bias = NULL;
    STIC_TRY(STIC_TAKE(arena, &found, set->count));
    STIC_TRY(STIC_TAKE(arena, &bias, set->rows));
    memcpy(found, movable, (size_t)set->count);
    STIC_TRY(stic_event_look(m, state, &now));
    // bodies may turn about points that are far from their contacts: these stay within reach
    STIC_TRY(curved_bias(m, state, 1e-4 * short_time(m, state), found, bias));
    for (int32_t i = 0; i < set->count; ++i) {
        const int32_t row = set->row_at[i];
        const double frozen = now.all.measures.bias[row];
        // far above the error of the differences, far below what curvature makes
        if (movable[i] && found[i] &&
            fabs(bias[row] - frozen) > 1e-3 * (fabs(bias[row]) + fabs(frozen)))
            m->curved[i] = 1;
    }
    return STIC_OK;
}

// Turns all bodies, as fast as the fastest of them moves, about axes that have nothing to do with
// their shapes, nor with each other.
static SticStatus add_turns(SticEventMotion* m, const SticState* state, double* u)
{
    const SticLayout* layout = &m->system->layout;
    const double golden = 0.618033988749894848;
    const SticArenaMark mark = stic_arena_mark(m->stepper->arena);
    double rate = 1e-3 / short_time(m, state);
    SticEventInstant now;
    STIC_TRY(stic_event_look(m, state, &now));
    for (int32_t i = 0; i < m->list.set.count; ++i)
        for (int32_t row = m->list.set.row_at[i]; row < m->list.set.row_at[i + 1]; ++row)
            if (m->list.set.interaction[i].size > 0.0)
                rate = stic_event_more(rate, fabs(now.all.measures.chi[row]) /
                                                 m->list.set.interaction[i].size);
    for (int32_t i = 0; i < layout->blocks; ++i)
        for (int32_t k = 0; k < 3 && (SticChart)layout->chart[i] == STIC_CHART_QUATERNION; ++k) {
            const double place = golden * (3.0 * i + k + 1.0);
            u[layout->u_at[i] + 3 + k] += rate * (0.5 + place - floor(place));
        }
    stic_arena_rewind(m->stepper->arena, mark);
    return STIC_OK;
}

// Interactions on curved surfaces: seen from the motion itself, and from one with other rotations,
// for there are motions that do not show it. A plank that slides on a ridge does not where it
// begins to slide back.
static SticStatus find_curved(SticEventMotion* m, const SticState* state)
{
    const SticSet* set = &m->list.set;
    const SticLayout* layout = &m->system->layout;
    SticArena* arena = m->stepper->arena;
    uint8_t* movable = NULL;
    double* u = NULL;
    if (set->exit == NULL || set->local == NULL)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &movable, set->count));
    bool any = false;
    for (int32_t i = 0; i < set->count; ++i) {
        movable[i] = set->exit[i] == 0.0 && set->interaction[i].level == STIC_LEVEL_CONTACT &&
                     m->contact[i].phase != STIC_PHASE_ALWAYS;
        any = any || movable[i];
    }
    if (!any)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &u, layout->nu));
    memcpy(u, state->u, (size_t)layout->nu * sizeof *u);
    STIC_TRY(mark_curved(m, state, movable));
    STIC_TRY(add_turns(m, state, u));
    const SticState turning = {state->t, state->q, u, state->memory};
    STIC_TRY(mark_curved(m, &turning, movable));
    for (int32_t i = 0; i < set->count; ++i)
        m->any_curved = m->any_curved || m->curved[i];
    return STIC_OK;
}

// features of curved surfaces where they are now, and their bias
static SticStatus refresh(SticEventMotion* m, const SticState* state, SticEventInstant* now)
{
    const SticSet* set = &m->list.set;
    SticArena* arena = m->stepper->arena;
    uint8_t* found = NULL;
    double* bias = now->all.measures.bias;
    STIC_TRY(STIC_TAKE(arena, &found, set->count));
    memcpy(found, m->curved, (size_t)set->count);
    SticDirections fresh;
    STIC_TRY(relative_at(m, state, &fresh, found, now->gamma));
    now->all.set = fresh.set;
    now->all.measures = fresh.measures;
    now->all.measures.bias = bias;
    now->all.Ht = fresh.Ht;
    return curved_bias(m, state, short_time(m, state), found, bias);
}

// A list has features that may meet later. Two edges that cross then may be parallel now, and have
// no normal: such a contact is far away and at rest.
static void blind_parallel(SticDirections* d)
{
    const SticSet* set = &d->set;
    for (int32_t i = 0; i < set->count; ++i) {
        const int32_t at = set->row_at[i], rows = set->row_at[i + 1] - at;
        if (isfinite(d->measures.gap[at]))
            continue;
        for (int32_t r = 0; r < rows; ++r)
            d->measures.gap[at + r] = d->measures.chi[at + r] = d->measures.bias[at + r] = 0.0;
        d->measures.gap[at] = STIC_EVENT_BLIND;
        for (int32_t e = d->Ht.begin[i]; e < d->Ht.begin[i + 1]; ++e) {
            const int32_t n = d->Ht.col_at[d->Ht.col[e] + 1] - d->Ht.col_at[d->Ht.col[e]];
            memset(d->measures.H + d->Ht.value_at[e], 0, (size_t)(rows * n) * sizeof(double));
        }
    }
}

SticStatus stic_event_look(SticEventMotion* m, const SticState* state, SticEventInstant* now)
{
    const SticState at = stic_event_inside(m, state);
    memset(now, 0, sizeof *now);
    STIC_TRY(stic_stepper_load(m->stepper, at.t, &m->info->error));
    now->all = m->list;
    STIC_TRY(stic_directions_measure(m->stepper, m->system, &at,
                                     STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_BIAS | STIC_WANT_H,
                                     NULL, &now->all));
    blind_parallel(&now->all);
    STIC_TRY(STIC_TAKE(m->stepper->arena, &now->gamma, now->all.set.rows));
    stic_directions_velocity(&now->all, state->u, now->gamma);
    return m->any_curved ? refresh(m, state, now) : STIC_OK;
}
