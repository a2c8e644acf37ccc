// SPDX-License-Identifier: Apache-2.0
// Event-driven scheme: accelerations between events.
//
// Modes are fixed: closed normals, sticking rows and joints are equations on acceleration level.
// A sliding contact pushes along N + T t(d), with t the friction force per unit of normal force
// against the slip d (Studer and Glocker leave it out for brevity): H differs from P. Friction with
// a given bound that slides is an applied force.
#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/mass.h"
#include "step/event.h"
#include "step/saddle.h"
#include "stiction/extend/base.h"
#include "system/push.h"

/* ---- active rows ---- */

// rows of an interaction that are not its own: across the slip of a group
enum { ACROSS = 6 };

// slip direction at this instant: that of the velocity as long as it has not turned against the
// direction known before; beyond an event the smooth branch is continued, so that root finding sees
// a change of sign
static void slip_direction(const SticEventMotion* m, const SticEventInstant* now, int32_t i,
                           const SticEventLaw* law, int32_t group, double d[2])
{
    const double* known = m->contact[i].direction[group];
    const double* gamma = now->gamma + now->all.set.row_at[i] + law->first[group];
    const double speed = stic_event_size(law, group, now->gamma + now->all.set.row_at[i]);
    double along = 0.0;
    for (int k = 0; k < law->rows[group]; ++k)
        along += gamma[k] * known[k];
    // below this the direction is only rounding
    const bool same =
        !m->contact[i].guided[group] && along > 0.0 && speed > 1e-4 * stic_event_velocity(m, i);
    for (int k = 0; k < 2; ++k)
        d[k] = k >= law->rows[group] ? 0.0 : same ? gamma[k] / speed : known[k];
}

// friction of a sliding group per unit of its bound; a guided one has the rest of it across
static void resistance(const SticEventMotion* m, const SticEventInstant* now, int32_t i,
                       const SticEventLaw* law, int32_t group, double push[2])
{
    double d[2];
    slip_direction(m, now, i, law, group, d);
    stic_event_resistance(law, group, d, push);
    for (int k = 0; m->contact[i].guided[group] && k < 2; ++k)
        push[k] *= m->hold[i][group];
}

// the law of the rest of an interaction when sliding groups are taken out
static void reduce_law(const SticEventLaw* law, const SticEventContact* contact,
                       SticInteraction* interaction)
{
    if (!law->normal)
        return;
    const bool second = law->groups == 2 && !contact->slides[1];
    if (law->groups == 0 || (contact->slides[0] && !second)) {
        interaction->law = STIC_LAW_NONNEG;
    } else if (law->groups == 2 && contact->slides[0]) {
        interaction->law = STIC_LAW_CONE;
        interaction->coef[0] = law->mu[1][0];
    } else if (law->groups == 2 && !second) {
        interaction->law = STIC_LAW_CONE;
    }
}

static SticStatus select_active(SticEventMotion* m, bool candidates, SticEventInstant* now)
{
    const SticSet* all = &now->all.set;
    SticArena* arena = m->stepper->arena;
    SticInteraction* interaction = NULL;
    int32_t *row_at = NULL, *of = NULL, count = 0, rows = 0;
    STIC_TRY(STIC_TAKE(arena, &interaction, all->count));
    STIC_TRY(STIC_TAKE(arena, &row_at, all->count + 1));
    STIC_TRY(STIC_TAKE(arena, &of, all->count));
    STIC_TRY(STIC_TAKE(arena, &now->row, all->count));
    for (int32_t i = 0; i < all->count; ++i) {
        const SticEventContact* contact = &m->contact[i];
        SticEventLaw law;
        if (contact->phase == STIC_PHASE_OPEN || (contact->idle && !candidates))
            continue;
        STIC_TRY(stic_event_law(&all->interaction[i], &law));
        int32_t* row = now->row[count];
        int32_t used = 0;
        for (int32_t r = 0; r < all->interaction[i].rows; ++r) {
            bool slides = false;
            for (int32_t g = 0; g < law.groups; ++g)
                slides = slides || (contact->slides[g] && r >= law.first[g] &&
                                    r < law.first[g] + law.rows[g]);
            if (!slides)
                row[used++] = r;
        }
        for (int32_t g = 0; !candidates && g < law.groups; ++g)
            if (contact->slides[g] && contact->guided[g])
                row[used++] = ACROSS + g;
        if (used == 0)
            continue;
        of[count] = i;
        interaction[count] = all->interaction[i];
        interaction[count].rows = (uint8_t)used;
        reduce_law(&law, contact, &interaction[count]);
        row_at[count++] = rows;
        rows += used;
    }
    row_at[count] = rows;
    now->of = of;
    now->active =
        (SticSet){.count = count, .rows = rows, .interaction = interaction, .row_at = row_at};
    return STIC_OK;
}

// rows of H' of one side of interaction i in the list
static const double* list_row(const SticEventInstant* now, int32_t i, int side, int32_t row,
                              int32_t n)
{
    return now->all.measures.H + now->all.u_pattern.at[i][side] + (int64_t)row * n;
}

// sliding friction: onto the direction of the normal force, or into the applied forces
static void add_slide(SticEventMotion* m, const SticEventInstant* now, int32_t i, int32_t k,
                      double* force)
{
    const SticInteraction* interaction = &now->all.set.interaction[i];
    const SticLayout* layout = &m->system->layout;
    SticEventLaw law;
    if (stic_event_law(interaction, &law) != STIC_OK)
        return;
    for (int32_t g = 0; g < law.groups; ++g) {
        double push[2];
        if (!m->contact[i].slides[g])
            continue;
        resistance(m, now, i, &law, g, push);
        for (int side = 0; side < 2; ++side) {
            const int32_t block = interaction->block[side];
            if (block < 0)
                continue;
            const int32_t n = layout->u_at[block + 1] - layout->u_at[block];
            double* to =
                law.normal ? force + now->pattern.at[k][side] : now->f + layout->u_at[block];
            const double size = law.normal ? 1.0 : law.bound;
            for (int32_t r = 0; r < law.rows[g]; ++r) {
                const double* from = list_row(now, i, side, law.first[g] + r, n);
                for (int32_t c = 0; c < n; ++c)
                    to[c] += size * push[r] * from[c];
                // a bond presses the two together
                for (int32_t c = 0; law.pull > 0.0 && c < n; ++c)
                    now->f[layout->u_at[block] + c] += law.pull * push[r] * from[c];
            }
        }
    }
}

// row r of active interaction k as a combination of two rows of the list
static void compose(const SticEventMotion* m, const SticEventInstant* now, int32_t k, int32_t r,
                    int32_t row[2], double part[2])
{
    const int32_t i = now->of[k], own = now->row[k][r];
    SticEventLaw law;
    row[0] = row[1] = own;
    part[0] = 1.0;
    part[1] = 0.0;
    if (own < ACROSS || stic_event_law(&now->all.set.interaction[i], &law) != STIC_OK)
        return;
    const double* d = m->contact[i].direction[own - ACROSS];
    row[0] = law.first[own - ACROSS];
    row[1] = row[0] + 1;
    part[0] = -d[1];
    part[1] = d[0];
}

double stic_event_row(const SticEventMotion* m, const SticEventInstant* now, int32_t k, int32_t r,
                      const double* values)
{
    STIC_ASSERT(k >= 0 && r >= 0);
    int32_t row[2];
    double part[2];
    compose(m, now, k, r, row, part);
    const double* from = values + now->all.set.row_at[now->of[k]];
    return part[1] == 0.0 ? part[0] * from[row[0]]
                          : part[0] * from[row[0]] + part[1] * from[row[1]];
}

static void copy_rows(SticEventMotion* m, const SticEventInstant* now, int32_t k, double* to)
{
    const int32_t i = now->of[k];
    const SticLayout* layout = &m->system->layout;
    for (int side = 0; side < 2; ++side) {
        const int32_t block = now->active.interaction[k].block[side];
        if (block < 0)
            continue;
        const int32_t n = layout->u_at[block + 1] - layout->u_at[block];
        for (int32_t r = 0; r < now->active.interaction[k].rows; ++r) {
            int32_t row[2];
            double part[2];
            compose(m, now, k, r, row, part);
            const double *first = list_row(now, i, side, row[0], n),
                         *second = list_row(now, i, side, row[1], n);
            double* at = to + now->pattern.at[k][side] + (int64_t)r * n;
            for (int32_t c = 0; c < n; ++c)
                at[c] =
                    part[1] == 0.0 ? part[0] * first[c] : part[0] * first[c] + part[1] * second[c];
        }
    }
}

SticStatus stic_event_activate(SticEventMotion* m, const SticState* state, bool candidates,
                               SticEventInstant* now)
{
    SticArena* arena = m->stepper->arena;
    const SticSystem* system = m->system;
    const SticState at = stic_event_inside(m, state);
    double *force = NULL, *velocity = NULL;
    STIC_TRY(select_active(m, candidates, now));
    STIC_TRY(stic_pattern_create(arena, &now->active, &system->layout, system->layout.u_at,
                                 &now->pattern));
    STIC_TRY(STIC_TAKE(arena, &force, now->pattern.values));
    STIC_TRY(STIC_TAKE(arena, &velocity, now->pattern.values));
    STIC_TRY(STIC_TAKE(arena, &now->f, system->layout.nu));
    STIC_TRY(STIC_TAKE(arena, &now->acceleration, system->layout.nu));
    STIC_TRY(STIC_TAKE(arena, &now->w, now->active.rows));
    STIC_TRY(STIC_TAKE(arena, &now->lambda, now->active.rows));
    STIC_TRY(STIC_TAKE(arena, &now->relative, now->active.rows));
    STIC_TRY(STIC_TAKE(arena, &now->reaction, now->all.set.rows));
    STIC_TRY(system->ops->mass(system, &at, arena, &now->mass));
    STIC_TRY(stic_system_force(system, &at, arena, now->f));
    STIC_TRY(stic_system_add_gyro(system, &at, &now->mass, arena, now->f));
    for (int32_t k = 0; k < now->active.count; ++k) {
        copy_rows(m, now, k, velocity);
        copy_rows(m, now, k, force);
        for (int32_t r = 0; r < now->active.interaction[k].rows; ++r)
            now->w[now->active.row_at[k] + r] =
                stic_event_row(m, now, k, r, now->all.measures.bias);
    }
    // friction of an interaction all of whose rows slide has no active row
    for (int32_t i = 0, k = 0; i < now->all.set.count; ++i) {
        while (k < now->active.count && now->of[k] < i)
            ++k;
        const bool here = k < now->active.count && now->of[k] == i;
        if (here || m->contact[i].phase == STIC_PHASE_ALWAYS)
            add_slide(m, now, i, k, force);
    }
    now->Ht = now->Pt = now->pattern.csr;
    now->Ht.value = force;
    now->Pt.value = velocity;
    return STIC_OK;
}

// reactions of all rows from the forces of the active ones
static void spread(SticEventMotion* m, SticEventInstant* now)
{
    const SticSet* all = &now->all.set;
    memset(now->reaction, 0, (size_t)all->rows * sizeof *now->reaction);
    for (int32_t k = 0; k < now->active.count; ++k)
        for (int32_t r = 0; r < now->active.interaction[k].rows; ++r) {
            int32_t row[2];
            double part[2];
            compose(m, now, k, r, row, part);
            for (int c = 0; c < 2; ++c)
                now->reaction[all->row_at[now->of[k]] + row[c]] +=
                    part[c] * now->lambda[now->active.row_at[k] + r];
        }
    for (int32_t i = 0; i < all->count; ++i) {
        SticEventLaw law;
        if (m->contact[i].phase == STIC_PHASE_OPEN ||
            stic_event_law(&all->interaction[i], &law) != STIC_OK)
            continue;
        for (int32_t g = 0; g < law.groups; ++g) {
            double push[2];
            if (!m->contact[i].slides[g])
                continue;
            resistance(m, now, i, &law, g, push);
            const double bound = law.normal ? now->reaction[all->row_at[i]] + law.pull : law.bound;
            for (int32_t r = 0; r < law.rows[g]; ++r)
                now->reaction[all->row_at[i] + law.first[g] + r] += bound * push[r];
        }
    }
}

/* ---- guided slips ----
 *
 * The direction of a guided slip is held by friction across it. Both parts together are at the
 * bound: what is left for the part along the slip follows from the part across, and is found by
 * iteration, which converges with the square of the part across.
 */

// friction across per unit of the bound, and its product with that along in the metric of the law
static bool split_guided(const SticEventMotion* m, const SticEventInstant* now, int32_t i,
                         int32_t g, double part[2])
{
    const double* r = now->reaction + now->all.set.row_at[i];
    SticEventLaw law;
    double push[2];
    if (!m->contact[i].slides[g] || !m->contact[i].guided[g] ||
        stic_event_law(&now->all.set.interaction[i], &law) != STIC_OK)
        return false;
    const double bound = law.normal ? r[0] + law.pull : law.bound;
    if (!(bound > 0.0))
        return false;
    stic_event_resistance(&law, g, m->contact[i].direction[g], push);
    part[0] = part[1] = 0.0;
    for (int k = 0; k < law.rows[g]; ++k) {
        const double mu = law.mu[g][k];
        const double along = mu > 0.0 ? push[k] / mu : 0.0;
        const double across =
            mu > 0.0 ? r[law.first[g] + k] / (mu * bound) - m->hold[i][g] * along : 0.0;
        part[0] += across * across;
        part[1] += along * across;
    }
    return true;
}

double stic_event_across(const SticEventMotion* m, const SticEventInstant* now, int32_t i,
                         int32_t g)
{
    double part[2];
    return split_guided(m, now, i, g, part) ? sqrt(part[0]) : 0.0;
}

// the largest change of what is left for the parts along
static double hold_guided(SticEventMotion* m, const SticEventInstant* now)
{
    double most = 0.0;
    for (int32_t i = 0; i < now->all.set.count; ++i)
        for (int32_t g = 0; m->contact[i].phase != STIC_PHASE_OPEN && g < STIC_EVENT_GROUPS; ++g) {
            double part[2];
            if (!split_guided(m, now, i, g, part))
                continue;
            const double left = part[1] * part[1] + 1.0 - part[0];
            const double hold = left > 0.0 ? stic_event_more(sqrt(left) - part[1], 0.0) : 0.0;
            most = stic_event_more(most, fabs(hold - m->hold[i][g]));
            m->hold[i][g] = hold;
        }
    return most;
}

// part of a bound that friction along guided slips may be wrong by
#define UNSETTLED 1e-9

SticStatus stic_event_accelerate(SticEventMotion* m, const SticState* state, SticEventInstant* now)
{
    // with a part across of TURN in event_find.c the change falls by a factor of some hundreds
    enum { PASSES = 10 };
    SticArena* arena = m->stepper->arena;
    double change = 0.0;
    STIC_TRY(stic_event_look(m, state, now));
    for (int pass = 0; pass < PASSES; ++pass) {
        const SticArenaMark mark = stic_arena_mark(arena);
        SticSaddle* saddle = NULL;
        STIC_TRY(stic_event_activate(m, state, false, now));
        STIC_TRY(stic_saddle_create(arena, &now->mass, &now->Ht, &now->Pt, &saddle));
        stic_saddle_solve(saddle, now->f, now->w, now->acceleration, now->lambda);
        spread(m, now);
        change = hold_guided(m, now);
        if (!(change > 4.0 * DBL_EPSILON))
            break;
        if (pass + 1 < PASSES)
            stic_arena_rewind(arena, mark);
    }
    m->unsettled = m->unsettled || change > UNSETTLED;
    return STIC_OK;
}

/* ---- the slope ---- */

// powers of reactions and applied forces at an instant, times `weight` seconds
static SticStatus add_works(SticEventMotion* m, const SticState* state, const SticEventInstant* now,
                            double weight, double* scratch)
{
    for (int32_t row = 0; row < now->all.set.rows; ++row) {
        m->impulse[row] += weight * now->reaction[row];
        m->work[row] += weight * now->reaction[row] * now->gamma[row];
    }
    const SticPushRows rows = {m->system, &now->all.set, &now->all.Ht, state};
    stic_push_add_all(&rows, now->reaction, weight, m->given);
    stic_ledger_add_prescribed(now->all.set.rows, now->reaction, now->all.measures.chi, weight,
                               &m->trial);
    for (int32_t c = 0; c < m->system->layout.nu; ++c)
        scratch[c] = weight * state->u[c];
    return stic_ledger_add_applied(m->stepper, m->system, state, scratch, &m->trial);
}

// what a stage of the step on trial shows, for what may happen between its ends
static SticStatus note_stage(SticEventMotion* m, double t, const SticEventInstant* now)
{
    const SticSet* set = &now->all.set;
    SticEventJudgement judgement;
    STIC_TRY(stic_event_judge(m, now, &judgement));
    m->between = m->between || judgement.geometry > 0.0 || judgement.force > 0.0;
    if (m->stage >= STIC_RK_STAGES)
        return STIC_OK;
    const int32_t s = m->stage++;
    m->stage_at[s] = (t - m->step->t) / m->step->h;
    for (int32_t i = 0; i < set->count; ++i)
        m->stage_rate[(int64_t)s * set->count + i] = now->gamma[set->row_at[i]];
    memcpy(m->stage_reaction + (int64_t)s * set->rows, now->reaction,
           (size_t)set->rows * sizeof *now->reaction);
    stic_mass_divide(&now->mass, now->f, m->stage_load + (int64_t)s * m->system->layout.nu);
    return STIC_OK;
}

SticStatus stic_event_slope(void* self, double t, const double* y, double weight, double* slope)
{
    SticEventMotion* m = self;
    const SticLayout* layout = &m->system->layout;
    const SticArenaMark mark = stic_arena_mark(m->stepper->arena);
    double* q = NULL;
    // integrators see y as constant, systems take states that may be written
    STIC_TRY(STIC_TAKE(m->stepper->arena, &q, layout->nq + layout->nu));
    memcpy(q, y, (size_t)(layout->nq + layout->nu) * sizeof *q);
    const SticState asked = {t, q, q + layout->nq, &m->own->force};
    const SticState state = stic_event_inside(m, &asked);
    SticEventInstant now;
    const SticStatus status = stic_event_accelerate(m, &state, &now);
    // stages of a step that is far too long overflow: a shorter one is tried
    if (status == STIC_SINGULAR && m->works)
        return STIC_NOT_FINITE;
    STIC_TRY(status);
    double push = 0.0;
    for (int32_t c = 0; c < layout->nu; ++c)
        push = stic_event_more(push, fabs(now.acceleration[c]));
    // beyond an event a stage may have no solution, which says nothing about the states before it
    m->push = isfinite(push) ? push : m->push;
    if (m->works)
        STIC_TRY(note_stage(m, t, &now));
    if (m->works && weight != 0.0)
        STIC_TRY(add_works(m, &state, &now, weight, slope + layout->nq));
    stic_system_rate(m->system, &state, slope);
    memcpy(slope + layout->nq, now.acceleration, (size_t)layout->nu * sizeof *slope);
    stic_arena_rewind(m->stepper->arena, mark);
    return STIC_OK;
}
