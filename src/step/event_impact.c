// SPDX-License-Identifier: Apache-2.0
// Event-driven scheme: impacts by Newton's law with friction, at one instant.
//
//   M (u+ - u-) = H r,   gamma+ + e gamma-  obeys the law with r     (Möller 3.133)
//
// Simultaneous: one problem over all closed contacts and joints. Sequential: the contact that
// approaches fastest alone (with the joints), again and again until none approaches. The solver's
// answer tells which rows carry impulses; with these as equations it is made exact to rounding, so
// that contacts stay closed behind a plastic impact instead of flying off at the solver's
// tolerance.
#include <math.h>
#include <string.h>

#include "problem/mass.h"
#include "step/event.h"
#include "step/saddle.h"
#include "stiction/extend/base.h"

// visits of sequential impacts before all remaining ones are resolved at once
enum { VISITS = 1000 };

typedef struct Impact {
    SticEventInstant* now;
    double* before; // [active.rows] gamma-
    double* target; // [active.rows] -e gamma-
    double* r;      // [active.rows]
    double* u;      // [nu] u+
} Impact;

// the chosen contacts with all rows, and joints; friction with given bounds has no impulse
static void choose(SticEventMotion* m, const SticSet* set, const uint8_t* chosen)
{
    for (int32_t i = 0; i < set->count; ++i) {
        SticEventLaw law;
        const bool contact = stic_event_unilateral(&set->interaction[i]);
        const bool known = stic_event_law(&set->interaction[i], &law) == STIC_OK;
        m->contact[i] = stic_event_contact(&set->interaction[i], !contact    ? STIC_PHASE_ALWAYS
                                                                 : chosen[i] ? STIC_PHASE_CLOSED
                                                                             : STIC_PHASE_OPEN);
        m->contact[i].slides[0] = known && !law.normal && law.groups > 0;
    }
}

static SticStatus solve(SticEventMotion* m, const SticState* state, Impact* impact)
{
    SticArena* arena = m->stepper->arena;
    SticEventInstant* now = impact->now;
    const int32_t rows = now->active.rows, nu = m->system->layout.nu;
    SticDirections active = {.set = now->active};
    SticProblem problem;
    double *shift = NULL, *chi = NULL, *momentum = NULL, *scratch = NULL;
    STIC_TRY(stic_parts_problem(m->stepper, &active, 0.0, &problem, &shift));
    STIC_TRY(STIC_TAKE(arena, &impact->before, rows));
    STIC_TRY(STIC_TAKE(arena, &impact->target, rows));
    STIC_TRY(STIC_TAKE(arena, &impact->r, rows));
    STIC_TRY(STIC_TAKE(arena, &impact->u, nu));
    STIC_TRY(STIC_TAKE(arena, &chi, rows));
    STIC_TRY(STIC_TAKE(arena, &momentum, nu));
    STIC_TRY(STIC_TAKE(arena, &scratch, nu));
    for (int32_t k = 0; k < now->active.count; ++k)
        for (int32_t r = 0; r < now->active.interaction[k].rows; ++r) {
            const int32_t from = now->all.set.row_at[now->of[k]] + now->row[k][r];
            chi[now->active.row_at[k] + r] = now->all.measures.chi[from];
            impact->before[now->active.row_at[k] + r] = now->gamma[from];
        }
    stic_parts_restitution(&now->active, impact->before, shift);
    // contacts that do not approach do not bounce
    for (int32_t k = 0; k < now->active.count; ++k)
        for (int32_t row = now->active.row_at[k]; row < now->active.row_at[k + 1]; ++row)
            if (impact->before[now->active.row_at[k]] >= 0.0)
                shift[row] = 0.0;
    for (int32_t row = 0; row < rows; ++row)
        impact->target[row] = -shift[row];
    stic_mass_multiply(&now->mass, state->u, 0.0, momentum);
    problem.dof = nu;
    problem.M = &now->mass;
    problem.Ht = &now->Pt;
    problem.f = momentum;
    problem.w = chi;
    memset(impact->r, 0, (size_t)rows * sizeof *impact->r);
    m->stepper->branch.velocity = NULL;
    m->stepper->branch.tell = true;
    m->stepper->branch.t = state->t;
    STIC_TRY(stic_parts_solve_evenly(m->stepper, &problem, impact->r, now->relative, m->info));
    if (m->info->solve.outcome != STIC_OUTCOME_SOLVED && !(m->info->solve.errors.unit_free <= 1e-8))
        m->unsolved = m->info->solve.outcome;
    stic_parts_velocity(&now->mass, &now->Pt, momentum, impact->r, impact->u, scratch);
    return STIC_OK;
}

// modes that the impulses show: rows that carry one are equations, those at the bound slide
static void read_modes(SticEventMotion* m, const Impact* impact)
{
    const SticEventInstant* now = impact->now;
    double most = 0.0;
    for (int32_t k = 0; k < now->active.count; ++k)
        most = stic_event_more(most, fabs(impact->r[now->active.row_at[k]]));
    for (int32_t k = 0; k < now->active.count; ++k) {
        const int32_t i = now->of[k];
        const double* r = impact->r + now->active.row_at[k];
        SticEventContact* contact = &m->contact[i];
        SticEventLaw law;
        if (contact->phase != STIC_PHASE_CLOSED ||
            stic_event_law(&now->all.set.interaction[i], &law) != STIC_OK)
            continue;
        if (r[0] <= 1e-7 * most) {
            contact->phase = STIC_PHASE_OPEN;
            continue;
        }
        for (int32_t g = 0; g < law.groups; ++g) {
            const double size = stic_event_size(&law, g, r);
            double used = 0.0;
            for (int32_t c = 0; c < law.rows[g]; ++c) {
                const double part = law.mu[g][c] > 0.0 ? r[law.first[g] + c] / law.mu[g][c] : 0.0;
                used += part * part;
            }
            contact->slides[g] = size > 0.0 && sqrt(used) > r[0] * (1.0 - 1e-6);
            for (int32_t c = 0; contact->slides[g] && c < law.rows[g]; ++c)
                contact->direction[g][c] =
                    -r[law.first[g] + c] / (size * law.mu[g][c] * law.mu[g][c]);
        }
    }
}

// the impulses again with the modes as equations; taken if no law is broken by more than the
// solver's answer may
static SticStatus polish(SticEventMotion* m, const SticState* state, Impact* impact)
{
    SticArena* arena = m->stepper->arena;
    const SticEventInstant* rough = impact->now;
    SticEventInstant fine = {.all = rough->all};
    SticSaddle* saddle = NULL;
    double *zero = NULL, *still = NULL;
    STIC_TRY(STIC_TAKE(arena, &zero, m->system->layout.nu));
    STIC_TRY(STIC_TAKE(arena, &still, rough->all.set.rows));
    memset(zero, 0, (size_t)m->system->layout.nu * sizeof *zero);
    memset(still, 0, (size_t)rough->all.set.rows * sizeof *still);
    read_modes(m, impact);
    // directions are those of the impulses, not of the velocities before
    fine.gamma = still;
    STIC_TRY(stic_event_activate(m, state, true, &fine));
    for (int32_t k = 0, j = 0; k < fine.active.count; ++k) {
        while (rough->of[j] != fine.of[k])
            ++j;
        for (int32_t r = 0; r < fine.active.interaction[k].rows; ++r) {
            const int32_t from = rough->active.row_at[j] + fine.row[k][r];
            fine.w[fine.active.row_at[k] + r] = impact->before[from] - impact->target[from];
        }
    }
    if (stic_saddle_create(arena, &fine.mass, &fine.Ht, &fine.Pt, &saddle) != STIC_OK)
        return STIC_OK;
    stic_saddle_solve(saddle, zero, fine.w, fine.acceleration, fine.lambda);
    double apart = 0.0, size = 0.0;
    for (int32_t c = 0; c < m->system->layout.nu; ++c) {
        const double change = impact->u[c] - state->u[c];
        apart = stic_event_more(apart, fabs(fine.acceleration[c] - change));
        size = stic_event_more(size, fabs(change));
    }
    const double allowed = stic_event_more(1e3 * m->stepper->solve.settings.tolerance, 1e-9);
    if (!(apart <= allowed * size))
        return STIC_OK;
    for (int32_t c = 0; c < m->system->layout.nu; ++c)
        impact->u[c] = state->u[c] + fine.acceleration[c];
    return STIC_OK;
}

// impulses and velocities of one problem; works into the ledger
static SticStatus resolve(SticEventMotion* m, const uint8_t* chosen, SticEventInstant* now,
                          SticState* state)
{
    SticArena* arena = m->stepper->arena;
    const SticArenaMark mark = stic_arena_mark(arena);
    const SticSet* all = &now->all.set;
    Impact impact = {.now = now};
    double *mean = NULL, *full = NULL;
    choose(m, all, chosen);
    STIC_TRY(stic_event_activate(m, state, true, now));
    STIC_TRY(solve(m, state, &impact));
    STIC_TRY(polish(m, state, &impact));
    STIC_TRY(STIC_TAKE(arena, &mean, all->rows));
    STIC_TRY(STIC_TAKE(arena, &full, all->rows));
    memset(full, 0, (size_t)all->rows * sizeof *full);
    stic_directions_velocity(&now->all, impact.u, mean);
    for (int32_t row = 0; row < all->rows; ++row)
        mean[row] = 0.5 * (mean[row] + now->gamma[row]);
    for (int32_t k = 0; k < now->active.count; ++k)
        for (int32_t r = 0; r < now->active.interaction[k].rows; ++r)
            full[all->row_at[now->of[k]] + now->row[k][r]] = impact.r[now->active.row_at[k] + r];
    STIC_TRY(stic_ledger_add_reactions(m->stepper, all, full, mean, &m->info->ledger));
    stic_ledger_add_prescribed(all->rows, full, now->all.measures.chi, 1.0, &m->info->ledger);
    STIC_TRY(stic_seen_add(&m->own->seen, all, full));
    memcpy(state->u, impact.u, (size_t)m->system->layout.nu * sizeof *state->u);
    stic_directions_velocity(&now->all, state->u, now->gamma);
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

// the closed contact that approaches fastest; -1: none does
static int32_t fastest(const SticEventMotion* m, const SticEventInstant* now, const uint8_t* closed)
{
    int32_t best = -1;
    double most = 0.0;
    for (int32_t i = 0; i < now->all.set.count; ++i) {
        const double rate = now->gamma[now->all.set.row_at[i]];
        if (closed[i] && -rate > stic_event_velocity(m, i) && -rate > most) {
            best = i;
            most = -rate;
        }
    }
    return best;
}

// joints that a kink of a prescribed motion pulls at, which are reported
static SticStatus find_jerks(SticEventMotion* m, const SticEventInstant* now, double t, bool* any)
{
    const SticSet* set = &now->all.set;
    *any = false;
    for (int32_t i = 0; m->kink && i < set->count; ++i) {
        SticEventLaw law;
        double most = 0.0;
        if (stic_event_unilateral(&set->interaction[i]) ||
            stic_event_law(&set->interaction[i], &law) != STIC_OK || law.groups > 0)
            continue;
        for (int32_t row = set->row_at[i]; row < set->row_at[i + 1]; ++row)
            most = stic_event_more(most, fabs(now->gamma[row]));
        if (!(most > stic_event_velocity(m, i)))
            continue;
        *any = true;
        STIC_TRY(stic_event_tell(m, t, STIC_EVENT_IMPACT, i, most));
    }
    return STIC_OK;
}

SticStatus stic_event_impact(SticEventMotion* m, SticEventInstant* now, const uint8_t* closed,
                             SticState* state)
{
    SticArena* arena = m->stepper->arena;
    const int32_t count = now->all.set.count;
    int32_t i = fastest(m, now, closed);
    bool jerked = false;
    m->struck = 0;
    memset(m->hit, 0, (size_t)m->system->layout.blocks);
    STIC_TRY(find_jerks(m, now, state->t, &jerked));
    if (i < 0)
        return jerked ? resolve(m, closed, now, state) : STIC_OK;
    for (int32_t k = 0; k < count; ++k) {
        const double rate = now->gamma[now->all.set.row_at[k]];
        if (!closed[k] || !(-rate > stic_event_velocity(m, k)))
            continue;
        const uint64_t id = now->all.set.interaction[k].id;
        m->struck += stic_hash_bytes(0, &id, sizeof id);
        for (int side = 0; side < 2; ++side)
            if (now->all.set.interaction[k].block[side] >= 0)
                m->hit[now->all.set.interaction[k].block[side]] = 1;
        if (m->settings->impact != STIC_IMPACT_SEQUENTIAL)
            STIC_TRY(stic_event_tell(m, state->t, STIC_EVENT_IMPACT, k, -rate));
    }
    if (m->settings->impact == STIC_IMPACT_SEQUENTIAL) {
        uint8_t* one = NULL;
        STIC_TRY(STIC_TAKE(arena, &one, count));
        for (int visit = 0; i >= 0 && visit < VISITS; ++visit) {
            memset(one, 0, (size_t)count);
            one[i] = 1;
            STIC_TRY(stic_event_tell(m, state->t, STIC_EVENT_IMPACT, i,
                                     -now->gamma[now->all.set.row_at[i]]));
            STIC_TRY(resolve(m, one, now, state));
            i = fastest(m, now, closed);
        }
        if (i < 0)
            return STIC_OK;
    }
    return resolve(m, closed, now, state);
}
