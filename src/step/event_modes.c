// SPDX-License-Identifier: Apache-2.0
// Event-driven scheme: modes at an event, from the laws on position, velocity and acceleration
// level.
//
//   position      closed: the gap is zero, or will be within the time that counts as rest
//   velocity      closed contacts that approach: impact; those with gamma_N = 0 are candidates
//                 (P_N of Studer and Glocker), of these sticking ones have gamma_T = 0 (P_T)
//   acceleration  the inclusion over all candidates: contacts that open have gamma_N' > 0, those
//                 that slip away gamma_T' != 0; those that keep both at zero are equations until
//                 the next event, even if their force is zero: points of a patch share one state
#include <math.h>
#include <string.h>

#include "problem/mass.h"
#include "step/event.h"
#include "step/saddle.h"
#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"

// error of the inclusion, unit-free, up to which its solution shows the modes; the forces
// themselves come from equations
#define MODES_SHOW 1e-8

/* ---- the inclusion ---- */

SticStatus stic_event_include(SticEventMotion* m, const SticState* state, bool tell,
                              SticEventInstant* now, bool* solved)
{
    m->stepper->branch.velocity = state->u;
    m->stepper->branch.tell = tell;
    m->stepper->branch.t = state->t;
    SticDirections active = {.set = now->active};
    SticProblem problem;
    double* shift = NULL;
    STIC_TRY(stic_parts_problem(m->stepper, &active, 1.0, &problem, &shift));
    problem.dof = m->system->layout.nu;
    problem.M = &now->mass;
    problem.Ht = &now->Ht;
    problem.Pt = &now->Pt;
    problem.f = now->f;
    problem.w = now->w;
    memset(now->lambda, 0, (size_t)now->active.rows * sizeof *now->lambda);
    for (int32_t k = 0; k < now->active.count; ++k) {
        const SticMemoryRecord* known =
            stic_memory_find(&m->own->force, now->active.interaction[k].id);
        for (int32_t r = 0; known != NULL && r < now->active.interaction[k].rows; ++r)
            now->lambda[now->active.row_at[k] + r] = known->reaction[now->row[k][r]];
    }
    // where the solution is not followed, any will do
    STIC_TRY((tell ? stic_parts_solve_evenly : stic_parts_solve)(m->stepper, &problem, now->lambda,
                                                                 now->relative, m->info));
    *solved = m->info->solve.outcome == STIC_OUTCOME_SOLVED ||
              m->info->solve.errors.unit_free <= MODES_SHOW;
    return STIC_OK;
}

// keep the forces of the inclusion as the start of the next one
SticStatus stic_event_remember(SticEventMotion* m, const SticEventInstant* now)
{
    const SticSet* all = &now->all.set;
    double* full = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &full, all->rows));
    memset(full, 0, (size_t)all->rows * sizeof *full);
    for (int32_t k = 0; k < now->active.count; ++k)
        for (int32_t r = 0; r < now->active.interaction[k].rows; ++r)
            full[all->row_at[now->of[k]] + now->row[k][r]] = now->lambda[now->active.row_at[k] + r];
    // bonds are kept as they are
    const SticReactions reactions = {.r = full, .h = 0.0};
    return stic_parts_remember(all, &reactions, &m->own->force);
}

// if the even share of a load would pull at a point, leave that point out: others of its patch
// carry its share, and its condition follows from theirs
static void rest_idle(SticEventMotion* m, const SticEventInstant* now)
{
    double most = 0.0;
    for (int32_t k = 0; k < now->active.count; ++k)
        most = stic_event_more(most, fabs(now->lambda[now->active.row_at[k]]));
    for (int32_t k = 0; k < now->active.count; ++k) {
        const int32_t i = now->of[k];
        if (m->contact[i].phase == STIC_PHASE_CLOSED && now->all.set.interaction[i].cohesion == 0.0)
            m->contact[i].idle = now->lambda[now->active.row_at[k]] <= 1e-9 * most;
    }
}

SticStatus stic_event_share(SticEventMotion* m, const SticState* state)
{
    SticArena* arena = m->stepper->arena;
    const SticArenaMark mark = stic_arena_mark(arena);
    const int32_t nu = m->system->layout.nu;
    SticEventInstant even, now;
    double *a = NULL, *scratch = NULL, apart = 0.0, size = 0.0;
    bool solved = false;
    STIC_TRY(stic_event_accelerate(m, state, &even));
    STIC_TRY(stic_event_look(m, state, &now));
    STIC_TRY(stic_event_activate(m, state, true, &now));
    STIC_TRY(stic_event_include(m, state, false, &now, &solved));
    STIC_TRY(STIC_TAKE(arena, &a, nu));
    STIC_TRY(STIC_TAKE(arena, &scratch, nu));
    stic_parts_velocity(&now.mass, &now.Ht, now.f, now.lambda, a, scratch);
    for (int32_t c = 0; c < nu; ++c) {
        apart = stic_event_more(apart, fabs(a[c] - even.acceleration[c]));
        size = stic_event_more(size, fabs(a[c]) + fabs(even.acceleration[c]));
    }
    // the same motion needs no other shares
    if (solved && apart > 1e-6 * size)
        rest_idle(m, &now);
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

/* ---- candidates ---- */

static void find_closed(const SticEventMotion* m, const SticEventInstant* now, uint8_t* closed)
{
    for (int32_t i = 0; i < now->all.set.count; ++i) {
        const SticInteraction* interaction = &now->all.set.interaction[i];
        const int32_t at = now->all.set.row_at[i];
        // a clutch has no gap that could be open
        closed[i] = stic_event_unilateral(interaction);
        if (interaction->level != STIC_LEVEL_CONTACT)
            continue;
        const double gap = now->all.measures.gap[at],
                     rate = now->gamma[at] < 0.0 ? now->gamma[at] : 0.0;
        // contacts that were closed before may have drifted further than newly touching ones
        const double within =
            stic_event_gap(m, interaction) * (m->contact[i].phase == STIC_PHASE_CLOSED ? 1e3 : 1.0);
        closed[i] = gap <= within || gap + rate * m->rest <= 0.0;
    }
}

static void classify(SticEventMotion* m, const SticEventInstant* now, const uint8_t* closed,
                     const SticEventContact* before)
{
    for (int32_t i = 0; i < now->all.set.count; ++i) {
        const SticInteraction* interaction = &now->all.set.interaction[i];
        const double* gamma = now->gamma + now->all.set.row_at[i];
        const double none = stic_event_velocity(m, i);
        SticEventContact* contact = &m->contact[i];
        SticEventLaw law;
        *contact = stic_event_contact(interaction, STIC_PHASE_ALWAYS);
        if (stic_event_law(interaction, &law) != STIC_OK)
            continue;
        if (stic_event_unilateral(interaction))
            contact->phase = closed[i] && gamma[0] <= none ? STIC_PHASE_CLOSED : STIC_PHASE_OPEN;
        for (int32_t g = 0; contact->phase != STIC_PHASE_OPEN && g < law.groups; ++g) {
            const double speed = stic_event_size(&law, g, gamma);
            double along = 0.0;
            for (int k = 0; k < law.rows[g]; ++k)
                along += gamma[law.first[g] + k] * before[i].direction[g][k];
            // a slip that has just begun goes on, as does one that an event elsewhere meets at its
            // end: along its direction, for what remains across is drift. Where a run begins
            // nothing has happened
            const double goes_on = !m->told ? speed : before[i].slides[g] ? along : 0.0;
            contact->slides[g] = speed > none || goes_on > 2e-3 * none;
            for (int k = 0; contact->slides[g] && k < law.rows[g]; ++k)
                contact->direction[g][k] = gamma[law.first[g] + k] / speed;
        }
    }
}

// Points of a patch whose slips end come to rest together: what remains of the others is drift.
static void rest_together(SticEventMotion* m, const SticEventInstant* now,
                          const SticEventContact* before)
{
    const SticSet* set = &now->all.set;
    for (int32_t i = 0; m->told && i < set->count; ++i)
        for (int g = 0; g < STIC_EVENT_GROUPS; ++g) {
            if (m->contact[i].phase != STIC_PHASE_CLOSED || !before[i].slides[g] ||
                m->contact[i].slides[g])
                continue;
            for (int32_t k = 0; k < set->count; ++k) {
                SticEventLaw law;
                if (m->contact[k].slides[g] && before[k].slides[g] &&
                    stic_event_same_pair(&m->contact[i], &m->contact[k]) &&
                    stic_event_law(&set->interaction[k], &law) == STIC_OK &&
                    stic_event_size(&law, g, now->gamma + set->row_at[k]) <=
                        stic_event_velocity(m, k))
                    m->contact[k].slides[g] = 0;
            }
        }
}

// Velocities are brought to rest by an impulse like that of an impact: a drive whose speed was set
// anew gives the momentum that it asks for.
static SticStatus add_impulse(SticEventMotion* m, const SticState* state,
                              const SticEventInstant* now, const double* before)
{
    const SticSet* all = &now->all.set;
    double *full = NULL, *mean = NULL, *told = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &full, all->rows));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &told, all->rows));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &mean, all->rows));
    memset(full, 0, (size_t)all->rows * sizeof *full);
    for (int32_t k = 0; k < now->active.count; ++k)
        for (int32_t r = 0; r < now->active.interaction[k].rows; ++r)
            full[all->row_at[now->of[k]] + now->row[k][r]] = now->lambda[now->active.row_at[k] + r];
    for (int32_t row = 0; row < all->rows; ++row)
        mean[row] = 0.5 * (before[row] + now->gamma[row]);
    STIC_TRY(stic_ledger_add_reactions(m->stepper, all, full, mean, &m->info->ledger));
    stic_ledger_add_prescribed(all->rows, full, now->all.measures.chi, 1.0, &m->info->ledger);
    // for contacts it is not a force but what rest neglects: it may pull, and has no bound
    if (all->rows > 0)
        memcpy(told, full, (size_t)all->rows * sizeof *told);
    for (int32_t i = 0; i < all->count; ++i)
        if (stic_event_unilateral(&all->interaction[i]))
            memset(told + all->row_at[i], 0, (size_t)all->interaction[i].rows * sizeof *told);
    return stic_event_report(m, state, now, told, full);
}

SticStatus stic_event_still(SticEventMotion* m, SticState* state, bool candidates,
                            SticEventInstant* now)
{
    SticSaddle* saddle = NULL;
    double* before = NULL;
    STIC_TRY(stic_event_activate(m, state, candidates, now));
    if (now->active.rows == 0)
        return STIC_OK;
    for (int32_t k = 0; k < now->active.count; ++k)
        for (int32_t r = 0; r < now->active.interaction[k].rows; ++r)
            now->w[now->active.row_at[k] + r] = stic_event_row(m, now, k, r, now->gamma);
    memset(now->f, 0, (size_t)m->system->layout.nu * sizeof *now->f);
    STIC_TRY(stic_saddle_create(m->stepper->arena, &now->mass, &now->Pt, &now->Pt, &saddle));
    stic_saddle_solve(saddle, now->f, now->w, now->acceleration, now->lambda);
    STIC_TRY(STIC_TAKE(m->stepper->arena, &before, now->all.set.rows));
    memcpy(before, now->gamma, (size_t)now->all.set.rows * sizeof *before);
    for (int32_t c = 0; c < m->system->layout.nu; ++c)
        state->u[c] += now->acceleration[c];
    stic_directions_velocity(&now->all, state->u, now->gamma);
    const SticEventAsked asked = {state->u, now->gamma, NULL};
    STIC_TRY(stic_event_check(m, now, &asked));
    if (!m->contradiction)
        return add_impulse(m, state, now, before);
    for (int32_t c = 0; c < m->system->layout.nu; ++c)
        state->u[c] -= now->acceleration[c];
    return STIC_OK;
}

/* ---- events by name ---- */

SticStatus stic_event_tell(SticEventMotion* m, double t, SticEventKind kind, int32_t i,
                           double value)
{
    const SticInteraction* interaction = &m->list.set.interaction[i];
    const bool joint = interaction->surface < 0;
    const SticEvent event = {
        .t = t,
        .kind = (uint8_t)kind,
        .id = interaction->id,
        .block = {interaction->block[0], interaction->block[1]},
        .part = {joint ? -1 : interaction->part[0], joint ? -1 : interaction->part[1]},
        .value = value};
    return stic_events_add(m->stepper->events, &event);
}

static bool pair_closed(const SticEventContact* list, int32_t count, const SticEventContact* of)
{
    for (int32_t k = 0; k < count; ++k)
        if (list[k].phase == STIC_PHASE_CLOSED && stic_event_same_pair(&list[k], of))
            return true;
    return false;
}

// contacts that are no longer found have parted, unless others of their pair go on
static SticStatus tell_gone(SticEventMotion* m, double t)
{
    for (int32_t k = 0; k < m->own->modes; ++k) {
        const SticEventContact* was = &m->own->mode[k];
        if (was->phase != STIC_PHASE_CLOSED || stic_event_find(&m->list.set, was->id) >= 0 ||
            pair_closed(m->contact, m->list.set.count, was))
            continue;
        const SticEvent event = {.t = t,
                                 .kind = STIC_EVENT_TAKE_OFF,
                                 .id = was->id,
                                 .block = {was->block[0], was->block[1]},
                                 .part = {was->part[0], was->part[1]}};
        STIC_TRY(stic_events_add(m->stepper->events, &event));
    }
    return STIC_OK;
}

// changes of the modes since the last event, for readers of the list of events
static SticStatus tell_changes(SticEventMotion* m, double t, const SticEventContact* before)
{
    STIC_TRY(tell_gone(m, t));
    for (int32_t i = 0; i < m->list.set.count; ++i) {
        const SticEventContact *was = &before[i], *is = &m->contact[i];
        SticEventLaw law;
        if (stic_event_law(&m->list.set.interaction[i], &law) != STIC_OK)
            continue;
        // points of a patch that come and go do not touch anew
        if (was->phase == STIC_PHASE_OPEN && is->phase == STIC_PHASE_CLOSED &&
            !pair_closed(m->own->mode, m->own->modes, is))
            STIC_TRY(stic_event_tell(m, t, STIC_EVENT_TOUCH, i, 0.0));
        if (was->phase == STIC_PHASE_CLOSED && is->phase == STIC_PHASE_OPEN &&
            !(is->phantom && pair_closed(m->contact, m->list.set.count, is)))
            STIC_TRY(stic_event_tell(m, t, STIC_EVENT_TAKE_OFF, i, 0.0));
        if (was->phase == STIC_PHASE_OPEN || is->phase == STIC_PHASE_OPEN)
            continue;
        for (int32_t g = 0; g < law.groups; ++g) {
            const double same = was->direction[g][0] * is->direction[g][0] +
                                was->direction[g][1] * is->direction[g][1];
            // a slip that turns round begins anew
            if (was->slides[g] != is->slides[g] || (is->slides[g] && same < 0.0))
                STIC_TRY(stic_event_tell(m, t, is->slides[g] ? STIC_EVENT_SLIP : STIC_EVENT_STICK,
                                         i, 0.0));
        }
    }
    return STIC_OK;
}

/* ---- an event ---- */

// whether a sliding contact has several solutions, and the rule prefers one with an impulse
static bool wants_impulse(const SticEventMotion* m)
{
    const SticBranching* branch = &m->stepper->branch;
    bool slides = false;
    for (int32_t i = 0; i < m->list.set.count; ++i)
        slides = slides || (m->contact[i].phase == STIC_PHASE_CLOSED && m->contact[i].slides[0]);
    return branch->found > 1 && slides &&
           (branch->rule == STIC_BRANCH_STICK || branch->rule == STIC_BRANCH_LEAST_ENERGY);
}

// Normal accelerations of all interactions under the present modes.
static SticStatus normal_rates(SticEventMotion* m, const SticEventInstant* now, double** rate)
{
    const SticSet* set = &now->all.set;
    STIC_TRY(STIC_TAKE(m->stepper->arena, rate, set->rows));
    memcpy(*rate, now->all.measures.bias, (size_t)set->rows * sizeof **rate);
    if (set->rows > 0)
        stic_block_csr_multiply(1.0, &now->all.Ht, now->acceleration, 1.0, *rate);
    return STIC_OK;
}

// Opens contacts that pull and closes again those that were opened and come back; how many in all.
static int32_t exchange(SticEventMotion* m, const SticEventInstant* now, const double* rate,
                        uint8_t* opened)
{
    const SticSet* set = &now->all.set;
    const double none = stic_event_no_acceleration(m);
    int32_t count = 0;
    for (int32_t i = 0; i < set->count; ++i) {
        const bool change = opened[i] ? rate[set->row_at[i]] < none : stic_event_pulls(m, now, i);
        if (!change)
            continue;
        opened[i] = !opened[i];
        m->contact[i].phase = opened[i] ? STIC_PHASE_OPEN : STIC_PHASE_CLOSED;
        ++count;
    }
    return count;
}

// The modes nearest to the present ones: everything that is closed and sticks goes on, except
// contacts whose forces would pull (block pivoting of Júdice and Pires on the closed normals). With
// unsymmetric W the inclusion may have further solutions; without a reason to change, nothing
// changes, and symmetric states stay symmetric. `found` is false where this leads to none.
static SticStatus go_on(SticEventMotion* m, const SticState* state, SticEventInstant* now,
                        bool* found)
{
    // passes without fewer exchanges before the solver is asked
    enum { PATIENCE = 3 };
    SticArena* arena = m->stepper->arena;
    const int32_t count = m->list.set.count;
    SticEventContact* before = NULL;
    uint8_t* opened = NULL;
    int32_t least = count + 1, waits = 0, changes = 1;
    STIC_TRY(STIC_TAKE(arena, &before, count));
    STIC_TRY(STIC_TAKE(arena, &opened, count));
    memcpy(before, m->contact, (size_t)count * sizeof *before);
    memset(opened, 0, (size_t)count);
    while (changes > 0 && waits < PATIENCE) {
        const SticArenaMark mark = stic_arena_mark(arena);
        double* rate = NULL;
        STIC_TRY(stic_event_accelerate(m, state, now));
        STIC_TRY(normal_rates(m, now, &rate));
        changes = exchange(m, now, rate, opened);
        waits = changes < least ? 0 : waits + 1;
        least = changes < least ? changes : least;
        if (changes > 0)
            stic_arena_rewind(arena, mark);
    }
    *found = changes == 0 && stic_event_judge_forces(m, now) <= 0.0;
    if (changes == 0 && !*found) {
        double part = 0.0;
        STIC_TRY(stic_event_short_of_shares(m, state, now, &part));
        *found = part <= STIC_EVENT_SHARED;
    }
    if (!*found)
        memcpy(m->contact, before, (size_t)count * sizeof *before);
    return STIC_OK;
}

// Modes on acceleration level: the plan, those nearest to the present ones, or what the solver
// finds. A plan without a root is one of several solutions, whichever the solver came to while it
// only had to tell whether modes hold, and need not be symmetric where the state is. It is for
// where the solution with even shares shows nothing that is more than rounding.
static SticStatus find_modes(SticEventMotion* m, const SticState* state,
                             const SticEventContact* before, SticEventInstant* now, bool* solved)
{
    const bool planned = m->planned && m->settings->branch == STIC_BRANCH_SOLVER;
    bool found = false, changed = false;
    m->planned = m->planned && !planned;
    if (planned && !m->rootless) {
        STIC_TRY(stic_event_take_plan(m, state, before, &found));
        *solved = true;
        if (found)
            return STIC_OK;
    }
    if (m->settings->branch == STIC_BRANCH_SOLVER)
        STIC_TRY(go_on(m, state, now, &found));
    if (found) {
        *solved = true;
        return stic_event_remember(m, now);
    }
    // velocities have changed, and with them what depends on them
    STIC_TRY(stic_event_look(m, state, now));
    STIC_TRY(stic_event_activate(m, state, true, now));
    STIC_TRY(stic_event_include(m, state, true, now, solved));
    *solved = *solved && !wants_impulse(m);
    if (!*solved)
        return STIC_OK;
    STIC_TRY(stic_event_remember(m, now));
    STIC_TRY(stic_event_change(m, state, now, &changed));
    if (planned && m->rootless && !changed)
        STIC_TRY(stic_event_take_plan(m, state, before, &found));
    return STIC_OK;
}

/* ---- contacts that have just opened ----
 *
 * Another event may come before they have moved by anything: then gap and velocity are zero, and
 * the laws on acceleration level have both answers up to rounding. They stay open unless they
 * come back with the modes of the others.
 */

// acceleration, as a part of the free ones, at which they come back: it has no sign at the instant
#define COMES_BACK 1e-9

// marks them: they do not approach
static void find_parted(const SticEventMotion* m, const SticEventInstant* now,
                        const uint8_t* closed, uint8_t* parted)
{
    for (int32_t i = 0; i < now->all.set.count; ++i)
        parted[i] = closed[i] && m->contact[i].parted &&
                    -now->gamma[now->all.set.row_at[i]] <= stic_event_velocity(m, i);
}

static SticStatus leave_parted(SticEventMotion* m, SticState* state, uint8_t* parted,
                               SticEventInstant* now)
{
    const SticSet* set = &m->list.set;
    double* rate = NULL;
    bool any = false;
    for (int32_t i = 0; i < set->count; ++i) {
        // contacts thrown off by an impact do not come back at once
        parted[i] = parted[i] && m->contact[i].phase == STIC_PHASE_CLOSED;
        if (parted[i])
            m->contact[i].phase = STIC_PHASE_OPEN;
        any = any || parted[i];
    }
    if (!any)
        return STIC_OK;
    STIC_TRY(stic_event_accelerate(m, state, now));
    STIC_TRY(normal_rates(m, now, &rate));
    for (int32_t i = 0; i < set->count; ++i)
        if (parted[i] && rate[set->row_at[i]] < -COMES_BACK * m->scale_most)
            m->contact[i].phase = STIC_PHASE_CLOSED;
    return stic_event_look(m, state, now);
}

// contacts that are open now, were not before, and touch
static void note_parted(SticEventMotion* m, const SticEventContact* before, const uint8_t* closed)
{
    for (int32_t i = 0; i < m->list.set.count; ++i)
        m->contact[i].parted = closed[i] && m->contact[i].phase == STIC_PHASE_OPEN &&
                               (before[i].phase == STIC_PHASE_CLOSED || before[i].parted);
}

SticStatus stic_event_restart(SticEventMotion* m, SticState* state, bool* solved)
{
    SticArena* arena = m->stepper->arena;
    const SticArenaMark mark = stic_arena_mark(arena);
    const int32_t count = m->list.set.count;
    SticEventInstant now;
    SticEventContact* before = NULL;
    uint8_t *closed = NULL, *phantom = NULL, *parted = NULL;
    STIC_TRY(STIC_TAKE(arena, &before, count));
    STIC_TRY(STIC_TAKE(arena, &parted, count));
    STIC_TRY(STIC_TAKE(arena, &closed, count));
    STIC_TRY(STIC_TAKE(arena, &phantom, count));
    memcpy(before, m->contact, (size_t)count * sizeof *before);
    STIC_TRY(stic_event_look(m, state, &now));
    find_closed(m, &now, closed);
    STIC_TRY(stic_event_confirm(m, state, &now, closed, phantom));
    find_parted(m, &now, closed, parted);
    STIC_TRY(stic_event_impact(m, &now, closed, state));
    *solved = false;
    if (m->contradiction)
        return STIC_OK;
    classify(m, &now, closed, before);
    rest_together(m, &now, before);
    for (int32_t i = 0; i < count; ++i)
        m->contact[i].phantom = phantom[i];
    STIC_TRY(leave_parted(m, state, parted, &now));
    STIC_TRY(stic_event_still(m, state, true, &now));
    if (m->contradiction)
        return STIC_OK;
    // where a call begins velocities show what was before: resting contacts may slip or part at
    // once
    if (!m->told)
        memcpy(before, m->contact, (size_t)count * sizeof *before);
    STIC_TRY(find_modes(m, state, before, &now, solved));
    if (*solved) {
        STIC_TRY(tell_changes(m, state->t, before));
        note_parted(m, before, closed);
        m->told = true;
        STIC_TRY(stic_event_keep_bonds(m, state));
    }
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

/* ---- drift ---- */

// parts of a gap that counts as closed above which drift is taken back: at once, or, where CVODE
// would lose its history by that and begin again with short steps of low order, before it matters
#define DRIFT      1e-3
#define LATE_DRIFT 1e-1

SticStatus stic_event_project(SticEventMotion* m, SticState* state)
{
    const double part = m->goes_on ? LATE_DRIFT : DRIFT;
    const SticArenaMark mark = stic_arena_mark(m->stepper->arena);
    SticEventInstant now;
    SticSaddle* saddle = NULL;
    bool any = false;
    STIC_TRY(stic_event_look(m, state, &now));
    STIC_TRY(stic_event_activate(m, state, true, &now));
    for (int32_t k = 0; k < now.active.count; ++k) {
        const int32_t i = now.of[k];
        const SticInteraction* interaction = &now.all.set.interaction[i];
        const double within = stic_event_gap(m, interaction);
        for (int32_t r = 0; r < now.active.interaction[k].rows; ++r) {
            const double gap = stic_event_row(m, &now, k, r, now.all.measures.gap);
            // an overlap that was there from the start stays
            const bool drift = fabs(gap) <= 1e2 * within;
            now.w[now.active.row_at[k] + r] = drift ? gap : 0.0;
            any = any || (drift && fabs(gap) > part * within);
        }
    }
    if (any) {
        double potential[2];
        STIC_TRY(stic_system_potential(m->system, state, m->stepper->arena, &potential[0]));
        memset(now.f, 0, (size_t)m->system->layout.nu * sizeof *now.f);
        STIC_TRY(stic_saddle_create(m->stepper->arena, &now.mass, &now.Pt, &now.Pt, &saddle));
        stic_saddle_solve(saddle, now.f, now.w, now.acceleration, now.lambda);
        stic_parts_drift(&m->system->layout, state->q, now.acceleration, 1.0, state->q);
        for (int32_t i = 0; i < m->system->layout.blocks; ++i)
            stic_chart_normalize((SticChart)m->system->layout.chart[i],
                                 state->q + m->system->layout.q_at[i]);
        STIC_TRY(stic_system_potential(m->system, state, m->stepper->arena, &potential[1]));
        m->info->ledger.correction += potential[1] - potential[0];
        m->info->ledger.potential += potential[1] - potential[0];
    }
    stic_arena_rewind(m->stepper->arena, mark);
    return STIC_OK;
}
