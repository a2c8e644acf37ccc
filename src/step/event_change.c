// SPDX-License-Identifier: Apache-2.0
// Event-driven scheme: when the laws on acceleration level ask for other modes, and for which.
//
// The solver's answer shows accelerations down to its tolerance. Accelerations below NONE of the
// free ones are examined twice: the modes that they suggest are tried as equations, which are exact
// to rounding, and count only if the changing contacts move away with them. That also gives the
// instant: accelerations are continuous where a contact begins to slip or to open, so that the
// accelerations of the changing contacts, with the new modes as equations, are zero there and not
// before. They are smooth functions of time, however the points of a patch share a load, and their
// root is found like that of a gap.
//
// Conditioning: a share s of the weight that is rounding (1e-13) is passed s m g/(dF/dt) late.
#include <math.h>
#include <string.h>

#include "step/event.h"
#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"

// Part of the largest free acceleration below which an acceleration counts as none: well above what
// the solver leaves. Ignoring one for too long is an error of second order: modes change late by a
// time dt, velocities are wrong by NONE dt g/2.
#define NONE 1e-6
// part of it above which an acceleration that is exact to rounding counts
#define EXACT 1e-13
// the same for planned modes up to which their instant is now
#define DUE 1e-9
// acceleration across a slip, as the same part, that is none: it takes half of its square away
#define STRAIGHT 1e-8
// part of the strength of a bond by which the solver's answer may miss its limit
#define BREAKS 1e-8
// error of the solver, in these, above which its answer suggests other modes
#define SUGGESTS 30.0

double stic_event_no_acceleration(const SticEventMotion* m)
{
    return stic_event_more(NONE, 100.0 * m->stepper->solve.settings.tolerance) * m->scale_most;
}

// the same for a bond: when it breaks, its force is gone at once, and being late counts
static double no_opening(const SticEventMotion* m)
{
    return stic_event_more(1e-13, 100.0 * m->info->solve.errors.unit_free) * m->scale_most;
}

// rows of active interaction k in the order of its law, zeros where a group slides
static void full_rows(const SticEventInstant* now, int32_t k, const double* from, double to[6])
{
    memset(to, 0, 6 * sizeof *to);
    for (int32_t r = 0; r < now->active.interaction[k].rows; ++r)
        to[now->row[k][r]] = from[now->active.row_at[k] + r];
}

// Slip direction of a group that slips away: against its friction force, which the solver knows to
// its tolerance, or, where that is too small to tell, that of its acceleration.
static void start_slip(const SticEventLaw* law, int32_t g, const double lambda[6],
                       const double rate[6], double small, SticEventContact* contact)
{
    const double* mu = law->mu[g];
    double d[2] = {0.0, 0.0}, size = 0.0, along = 0.0;
    contact->slides[g] = 1;
    contact->speed[g] = 0.0;
    for (int k = 0; k < law->rows[g]; ++k) {
        const double axis = law->interval || mu[k] == 0.0 ? 1.0 : mu[k] * mu[k];
        d[k] = -lambda[law->first[g] + k] / axis;
        along += d[k] * rate[law->first[g] + k];
    }
    if (!(along > 0.0) || stic_event_size(law, g, lambda) < small)
        for (int k = 0; k < law->rows[g]; ++k)
            d[k] = rate[law->first[g] + k];
    for (int k = 0; k < law->rows[g]; ++k)
        size += d[k] * d[k];
    for (int k = 0; k < 2; ++k)
        contact->direction[g][k] = size > 0.0 ? d[k] / sqrt(size) : 0.0;
}

// Bonds of a patch that carry all they can break together with the first of them: otherwise the
// rounding that keeps some of the others just below the limit would decide how the bodies turn.
static void break_together(SticEventMotion* m, const SticEventInstant* now)
{
    for (int32_t k = 0; k < now->active.count; ++k) {
        SticEventContact* contact = &m->contact[now->of[k]];
        const double pull = now->all.set.interaction[now->of[k]].cohesion;
        double lambda[6];
        full_rows(now, k, now->lambda, lambda);
        bool breaks = false;
        for (int32_t other = 0; other < now->active.count && pull > 0.0 && !breaks; ++other) {
            const SticEventContact* broken = &m->contact[now->of[other]];
            breaks = broken->phase == STIC_PHASE_OPEN && stic_event_same_pair(contact, broken);
        }
        if (breaks && lambda[0] + pull <= BREAKS * pull)
            contact->phase = STIC_PHASE_OPEN;
    }
}

// Modes change with the first contact that moves away by more than `none`; points of a patch that
// is found to slip slip together, including those that rounding keeps just below the limit.
static bool settle(SticEventMotion* m, const SticEventInstant* now, double none)
{
    bool any = false;
    double most = 0.0;
    for (int32_t row = 0; row < now->active.rows; ++row)
        most = stic_event_more(most, fabs(now->lambda[row]));
    for (int32_t k = 0; k < now->active.count; ++k) {
        const int32_t i = now->of[k];
        SticEventContact* contact = &m->contact[i];
        SticEventLaw law;
        double lambda[6], rate[6];
        if (stic_event_law(&now->all.set.interaction[i], &law) != STIC_OK)
            continue;
        full_rows(now, k, now->lambda, lambda);
        full_rows(now, k, now->relative, rate);
        if (law.normal && rate[0] > (law.pull > 0.0 ? no_opening(m) : none)) {
            contact->phase = STIC_PHASE_OPEN;
            any = true;
            continue;
        }
        for (int32_t g = 0; g < law.groups; ++g)
            if (!contact->slides[g] && stic_event_size(&law, g, rate) > none) {
                start_slip(&law, g, lambda, rate, 1e-6 * most, contact);
                any = true;
            }
    }
    break_together(m, now);
    return any;
}

// the largest acceleration away that the solver left
static double most_away(const SticEventMotion* m, const SticEventInstant* now)
{
    double most = 0.0;
    for (int32_t k = 0; k < now->active.count; ++k) {
        const int32_t i = now->of[k];
        SticEventLaw law;
        double rate[6];
        if (stic_event_law(&now->all.set.interaction[i], &law) != STIC_OK)
            continue;
        full_rows(now, k, now->relative, rate);
        // a bond has a limit of its own
        if (law.normal && law.pull > 0.0 && rate[0] > no_opening(m))
            return INFINITY;
        most = stic_event_more(most, law.normal ? rate[0] : 0.0);
        for (int32_t g = 0; g < law.groups; ++g)
            if (!m->contact[i].slides[g])
                most = stic_event_more(most, stic_event_size(&law, g, rate));
    }
    return most;
}

/* ---- islands ----
 *
 * Bodies that nothing ties to each other change modes at times of their own: what changes is
 * judged island by island, and the first of them counts.
 */

// the island of the blocks of each contact: one of its blocks, -1 for none
static SticStatus find_islands(SticEventMotion* m, const SticEventContact* before, int32_t** island)
{
    const SticSet* set = &m->list.set;
    const int32_t blocks = m->system->layout.blocks;
    int32_t* root = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &root, blocks));
    STIC_TRY(STIC_TAKE(m->stepper->arena, island, set->count));
    for (int32_t i = 0; i < blocks; ++i)
        root[i] = i;
    for (int32_t i = 0; i < set->count; ++i) {
        int32_t a = before[i].block[0], b = before[i].block[1];
        if (before[i].phase == STIC_PHASE_OPEN || a < 0 || b < 0)
            continue;
        while (root[a] != a)
            a = root[a] = root[root[a]];
        while (root[b] != b)
            b = root[b] = root[root[b]];
        root[a > b ? a : b] = a < b ? a : b;
    }
    for (int32_t i = 0; i < set->count; ++i) {
        int32_t block = before[i].block[0] >= 0 ? before[i].block[0] : before[i].block[1];
        while (block >= 0 && root[block] != block)
            block = root[block];
        (*island)[i] = block;
    }
    return STIC_OK;
}

// Accelerations of changing contacts away from where they were, summed up by islands.
typedef struct Away {
    double* sum;    // [blocks]
    int32_t* count; // [blocks]
    int32_t* island;
} Away;

static SticStatus begin_away(SticEventMotion* m, const SticEventContact* before, Away* away)
{
    const int32_t blocks = m->system->layout.blocks;
    STIC_TRY(find_islands(m, before, &away->island));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &away->sum, blocks));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &away->count, blocks));
    memset(away->sum, 0, (size_t)blocks * sizeof *away->sum);
    memset(away->count, 0, (size_t)blocks * sizeof *away->count);
    return STIC_OK;
}

// the mean of the island that moves away fastest; 0: nothing changes
static double fastest_away(const SticEventMotion* m, const Away* away)
{
    double most = -INFINITY;
    for (int32_t i = 0; i < m->system->layout.blocks; ++i)
        if (away->count[i] > 0)
            most = stic_event_more(most, away->sum[i] / away->count[i]);
    return most > -INFINITY ? most : 0.0;
}

// Motion of the changing contacts with the new modes as equations.
typedef struct Trial {
    double least;  // acceleration away, as a part of the free ones; INFINITY: none changes
    double mean;   // of the island where it is largest; 0: none changes
    bool straight; // slips that begin have the directions of their accelerations
    Away away;
} Trial;

// acceleration of interaction i away from where it was, in group g; -1: its normal
static double away_of(const SticEventMotion* m, int32_t i, int32_t g, const double* rate,
                      const SticEventLaw* law)
{
    double away = g < 0 ? rate[0] : 0.0;
    for (int k = 0; g >= 0 && k < law->rows[g]; ++k)
        away += rate[law->first[g] + k] * m->contact[i].direction[g][k];
    return away / m->scale_most;
}

// Accelerations of all rows at a state with the modes of m->contact, other than `before`.
static SticStatus try_modes(SticEventMotion* m, const SticState* state,
                            const SticEventContact* before, Trial* trial, double* all)
{
    const SticSet* set = &m->list.set;
    SticEventInstant now;
    *trial = (Trial){.least = INFINITY};
    STIC_TRY(begin_away(m, before, &trial->away));
    STIC_TRY(stic_event_accelerate(m, state, &now));
    memcpy(all, now.all.measures.bias, (size_t)set->rows * sizeof *all);
    stic_block_csr_multiply(1.0, &now.all.Ht, now.acceleration, 1.0, all);
    for (int32_t i = 0; i < set->count; ++i) {
        SticEventLaw law;
        if (before[i].phase == STIC_PHASE_OPEN ||
            stic_event_law(&set->interaction[i], &law) != STIC_OK)
            continue;
        const bool opens = m->contact[i].phase == STIC_PHASE_OPEN;
        for (int32_t g = opens ? -1 : 0; g < (opens ? 0 : law.groups); ++g) {
            if (!opens && (before[i].slides[g] || !m->contact[i].slides[g]))
                continue;
            const double away = away_of(m, i, g, all + set->row_at[i], &law);
            const int32_t island = trial->away.island[i];
            trial->least = away < trial->least ? away : trial->least;
            if (island >= 0) {
                trial->away.sum[island] += away;
                trial->away.count[island] += 1;
            }
        }
    }
    trial->mean = fastest_away(m, &trial->away);
    return STIC_OK;
}

/* ---- directions of slips that begin ----
 *
 * A slip begins along its acceleration, and points of one body have directions that the body can
 * have. Near the instant of its beginning the solver knows forces to the root of its tolerance
 * only, and a direction that is wrong by e takes e^2/2 of the friction away. So the slips that
 * begin are a field S of velocities, from accelerations of the bodies, and friction against S gives
 * accelerations R, again a field that the bodies can have. S is turned until R has nothing across
 * it (what motion itself would do within |S|/(mu g)), by steps of Barzilai and Borwein.
 */

// rows of all slips that begin: their accelerations as parts of the free ones, else zero
static void beginning(const SticEventMotion* m, const SticEventContact* before, const double* all,
                      double* field)
{
    const SticSet* set = &m->list.set;
    memset(field, 0, (size_t)set->rows * sizeof *field);
    for (int32_t i = 0; i < set->count; ++i) {
        SticEventLaw law;
        if (m->contact[i].phase == STIC_PHASE_OPEN ||
            stic_event_law(&set->interaction[i], &law) != STIC_OK)
            continue;
        for (int32_t g = 0; g < law.groups; ++g)
            for (int32_t k = 0; m->contact[i].slides[g] && !before[i].slides[g] && k < law.rows[g];
                 ++k) {
                const int32_t row = set->row_at[i] + law.first[g] + k;
                field[row] = all[row] / m->scale_most;
            }
    }
}

static double product(int32_t count, const double* x, const double* y)
{
    double sum = 0.0;
    for (int32_t k = 0; k < count; ++k)
        sum += x[k] * y[k];
    return sum;
}

// directions of the slips that begin from a field
static void point_along(SticEventMotion* m, const SticEventContact* before, const double* field)
{
    const SticSet* set = &m->list.set;
    const double small = 1e-9 * sqrt(product(set->rows, field, field));
    for (int32_t i = 0; i < set->count; ++i) {
        SticEventLaw law;
        if (stic_event_law(&set->interaction[i], &law) != STIC_OK)
            continue;
        for (int32_t g = 0; g < law.groups; ++g) {
            const double size = stic_event_size(&law, g, field + set->row_at[i]);
            if (!m->contact[i].slides[g] || before[i].slides[g] || !(size > small))
                continue;
            m->contact[i].speed[g] = size;
            for (int k = 0; k < law.rows[g]; ++k)
                m->contact[i].direction[g][k] = field[set->row_at[i] + law.first[g] + k] / size;
        }
    }
}

// the field from which the directions of the slips that begin are taken
static void field_of(const SticEventMotion* m, const SticEventContact* before, double* field)
{
    const SticSet* set = &m->list.set;
    memset(field, 0, (size_t)set->rows * sizeof *field);
    for (int32_t i = 0; i < set->count; ++i) {
        SticEventLaw law;
        if (stic_event_law(&set->interaction[i], &law) != STIC_OK)
            continue;
        for (int32_t g = 0; g < law.groups; ++g)
            for (int k = 0; m->contact[i].slides[g] && !before[i].slides[g] && k < law.rows[g]; ++k)
                field[set->row_at[i] + law.first[g] + k] =
                    m->contact[i].speed[g] * m->contact[i].direction[g][k];
    }
}

// the same as try_modes, with directions of accelerations; `field` is that of slips
static SticStatus try_turned(SticEventMotion* m, const SticState* state,
                             const SticEventContact* before, Trial* trial, double* all)
{
    enum { TURNS = 20 };
    SticArena* arena = m->stepper->arena;
    const int32_t rows = m->list.set.rows;
    double *field = NULL, *rate = NULL, *last = NULL, part = 1.0;
    STIC_TRY(STIC_TAKE(arena, &field, rows));
    STIC_TRY(STIC_TAKE(arena, &rate, rows));
    STIC_TRY(STIC_TAKE(arena, &last, rows));
    field_of(m, before, field);
    for (int k = 0; k < TURNS; ++k) {
        STIC_TRY(try_modes(m, state, before, trial, all));
        beginning(m, before, all, rate);
        const double square = product(rows, field, field);
        if (square == 0.0) {
            // no field is known yet: take that of the first accelerations
            memcpy(field, rate, (size_t)rows * sizeof *field);
            trial->straight = product(rows, field, field) == 0.0;
            if (trial->straight)
                return STIC_OK;
            point_along(m, before, field);
            continue;
        }
        const double along = product(rows, field, rate) / square;
        for (int32_t c = 0; c < rows; ++c)
            rate[c] = (rate[c] - along * field[c]) / sqrt(square);
        const double across = product(rows, rate, rate);
        trial->straight = !(across * square > STRAIGHT * STRAIGHT);
        if (trial->straight)
            return STIC_OK;
        const double gone = product(rows, last, last) - product(rows, last, rate);
        if (product(rows, last, last) > 0.0)
            part *= gone > 0.0 ? product(rows, last, last) / gone : 0.5;
        part = part < 10.0 ? part : 10.0;
        memcpy(last, rate, (size_t)rows * sizeof *last);
        for (int32_t c = 0; c < rows; ++c)
            field[c] = field[c] / sqrt(square) + part * rate[c] * sqrt(square);
        point_along(m, before, field);
    }
    return STIC_OK;
}

// directions leave single contacts of a field this much either way
static bool moves_away(const Trial* trial, double mean)
{
    return trial->mean > mean && trial->least > -10.0 * STRAIGHT;
}

// modes that an answer of the solver suggests, with directions as they are
static SticStatus try_answer(SticEventMotion* m, const SticState* state,
                             const SticEventContact* before, Trial* trial)
{
    SticArena* arena = m->stepper->arena;
    const SticArenaMark mark = stic_arena_mark(arena);
    double* all = NULL;
    STIC_TRY(STIC_TAKE(arena, &all, m->list.set.rows));
    STIC_TRY(try_turned(m, state, before, trial, all));
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

SticStatus stic_event_change(SticEventMotion* m, const SticState* state,
                             const SticEventInstant* now, bool* changed)
{
    SticArena* arena = m->stepper->arena;
    const int32_t count = m->list.set.count;
    const double error = stic_event_more(m->info->solve.errors.unit_free, 1e-13);
    const double noise = SUGGESTS * error * m->scale_most, limit = stic_event_no_acceleration(m);
    const double most = most_away(m, now);
    SticEventContact* before = NULL;
    Trial trial;
    *changed = false;
    if (!(most > noise) || (most <= limit && noise > limit))
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &before, count));
    memcpy(before, m->contact, (size_t)count * sizeof *before);
    const double part = 1e-2 * most,
                 none = part > limit ? limit : stic_event_more(part, 0.1 * noise);
    *changed = settle(m, now, none);
    if (!*changed || most > limit)
        return STIC_OK;
    STIC_TRY(try_answer(m, state, before, &trial));
    *changed = trial.straight && moves_away(&trial, EXACT);
    if (!*changed)
        memcpy(m->contact, before, (size_t)count * sizeof *before);
    return STIC_OK;
}

/* ---- what is going to change ---- */

// writes what the present modes would become into the contacts that are as `before`
static void note_plan(SticEventMotion* m, const SticEventContact* before)
{
    m->planned = true;
    for (int32_t i = 0; i < m->list.set.count; ++i) {
        const SticEventContact next = m->contact[i];
        SticEventContact* contact = &m->contact[i];
        *contact = before[i];
        contact->opens = before[i].phase != STIC_PHASE_OPEN && next.phase == STIC_PHASE_OPEN;
        // a bond that breaks takes its force with it: accelerations jump
        if (contact->opens && m->list.set.interaction[i].cohesion > 0.0)
            m->planned = false;
        for (int g = 0; g < STIC_EVENT_GROUPS; ++g) {
            contact->slips[g] = !contact->opens && next.slides[g] && !before[i].slides[g];
            memcpy(contact->toward[g], next.direction[g], sizeof contact->toward[g]);
            contact->speed[g] = next.speed[g];
        }
    }
}

bool stic_event_follow_plan(SticEventMotion* m, const SticEventContact* plan)
{
    bool any = false;
    for (int32_t i = 0; i < m->list.set.count; ++i) {
        SticEventContact* contact = &m->contact[i];
        if (contact->phase == STIC_PHASE_OPEN)
            continue;
        if (plan[i].opens)
            contact->phase = STIC_PHASE_OPEN;
        any = any || plan[i].opens;
        for (int g = 0; g < STIC_EVENT_GROUPS; ++g) {
            if (!plan[i].slips[g] || contact->slides[g])
                continue;
            contact->slides[g] = 1;
            memcpy(contact->direction[g], plan[i].toward[g], sizeof contact->direction[g]);
            contact->speed[g] = plan[i].speed[g];
            any = true;
        }
    }
    return any;
}

// removes from a plan what islands would do whose time has not come yet
static void keep_due(SticEventMotion* m, const Away* away, SticEventContact* plan)
{
    for (int32_t i = 0; i < m->list.set.count; ++i) {
        const int32_t at = away->island[i];
        if (at >= 0 && away->count[at] > 0 && away->sum[at] / away->count[at] < -DUE)
            plan[i].opens = plan[i].slips[0] = plan[i].slips[1] = 0;
    }
}

// the plan tried at a state; `turn`: with the directions that slips have there, which are kept
static SticStatus try_plan(SticEventMotion* m, const SticState* state, bool turn, Trial* trial)
{
    SticArena* arena = m->stepper->arena;
    const SticArenaMark mark = stic_arena_mark(arena);
    const int32_t count = m->list.set.count;
    SticEventContact* before = NULL;
    double* all = NULL;
    STIC_TRY(STIC_TAKE(arena, &before, count));
    STIC_TRY(STIC_TAKE(arena, &all, m->list.set.rows));
    memcpy(before, m->contact, (size_t)count * sizeof *before);
    stic_event_follow_plan(m, before);
    STIC_TRY(turn ? try_turned(m, state, before, trial, all)
                  : try_modes(m, state, before, trial, all));
    for (int32_t i = 0; turn && i < count; ++i)
        for (int g = 0; g < STIC_EVENT_GROUPS; ++g)
            if (before[i].slips[g]) {
                memcpy(before[i].toward[g], m->contact[i].direction[g], sizeof before[i].toward[g]);
                before[i].speed[g] = m->contact[i].speed[g];
            }
    memcpy(m->contact, before, (size_t)count * sizeof *before);
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

SticStatus stic_event_plan_rate(SticEventMotion* m, const SticState* state, double* value)
{
    Trial trial;
    STIC_TRY(try_plan(m, state, false, &trial));
    *value = trial.mean;
    return STIC_OK;
}

SticStatus stic_event_turn_plan(SticEventMotion* m, const SticState* state)
{
    Trial trial;
    return try_plan(m, state, true, &trial);
}

SticStatus stic_event_take_plan(SticEventMotion* m, const SticState* state,
                                const SticEventContact* plan, bool* taken)
{
    SticArena* arena = m->stepper->arena;
    const int32_t count = m->list.set.count;
    SticEventContact *before = NULL, *due = NULL;
    double* all = NULL;
    Trial trial;
    *taken = false;
    STIC_TRY(STIC_TAKE(arena, &before, count));
    STIC_TRY(STIC_TAKE(arena, &due, count));
    STIC_TRY(STIC_TAKE(arena, &all, m->list.set.rows));
    memcpy(before, m->contact, (size_t)count * sizeof *before);
    memcpy(due, plan, (size_t)count * sizeof *due);
    // all of it, or the part of the islands whose time has come
    for (int pass = 0; pass < 2 && !*taken && stic_event_follow_plan(m, due); ++pass) {
        STIC_TRY(try_turned(m, state, before, &trial, all));
        // at the instant itself these are zero up to rounding
        *taken = trial.least < INFINITY && moves_away(&trial, -DUE);
        if (!*taken)
            memcpy(m->contact, before, (size_t)count * sizeof *before);
        keep_due(m, &trial.away, due);
    }
    return STIC_OK;
}

SticStatus stic_event_plan_fits(SticEventMotion* m, const SticState* state, bool* fits)
{
    SticArena* arena = m->stepper->arena;
    const SticArenaMark mark = stic_arena_mark(arena);
    const int32_t count = m->list.set.count;
    SticEventContact* plan = NULL;
    STIC_TRY(STIC_TAKE(arena, &plan, count));
    memcpy(plan, m->contact, (size_t)count * sizeof *plan);
    STIC_TRY(stic_event_take_plan(m, state, plan, fits));
    memcpy(m->contact, plan, (size_t)count * sizeof *plan);
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

SticStatus stic_event_holds(SticEventMotion* m, const SticState* state, bool* holds)
{
    SticArena* arena = m->stepper->arena;
    const SticArenaMark mark = stic_arena_mark(arena);
    const int32_t count = m->list.set.count;
    SticEventContact* before = NULL;
    SticEventInstant now;
    bool solved = false, changed = true;
    m->planned = false;
    STIC_TRY(STIC_TAKE(arena, &before, count));
    memcpy(before, m->contact, (size_t)count * sizeof *before);
    STIC_TRY(stic_event_look(m, state, &now));
    STIC_TRY(stic_event_activate(m, state, true, &now));
    STIC_TRY(stic_event_include(m, state, false, &now, &solved));
    if (solved)
        STIC_TRY(stic_event_change(m, state, &now, &changed));
    *holds = !changed;
    if (*holds)
        STIC_TRY(stic_event_remember(m, &now));
    if (!*holds && solved) {
        Trial trial;
        STIC_TRY(try_answer(m, state, before, &trial));
        note_plan(m, before);
    }
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}
