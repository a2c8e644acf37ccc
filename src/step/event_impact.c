// SPDX-License-Identifier: Apache-2.0
// Event-driven scheme: impacts by Newton's law with friction, at one instant.
//
//   M (u+ - u-) = H r,   gamma+ + e gamma-  obeys the law with r     (Möller 3.133)
//
// Simultaneous: one problem over all closed contacts and joints. Sequential: the contact that
// approaches fastest alone (with the joints), again and again until none approaches.
//
// With friction such a problem may have several solutions. The nearest is tried first: what slips
// goes on, what sticks goes on sticking, and only what breaks a law changes (block pivoting, as at
// other events). Equal contacts then have equal impulses: in a row of dominoes
// that stands in a plane, weak impacts had solutions aside of it, from rounding. Where modes change the
// solver is asked; its answer tells which rows carry impulses, and with these as equations it is made
// exact to rounding, so that contacts stay closed behind a plastic impact instead of flying off at
// the solver's tolerance.
#include <math.h>
#include <string.h>

#include "problem/mass.h"
#include "step/event.h"
#include "step/saddle.h"
#include "stiction/extend/base.h"

// visits of sequential impacts before all remaining ones are resolved at once
enum { VISITS = 1000 };

// part of the largest impulse that is rounding
#define ROUNDING 1e-13

typedef struct Impact {
    SticEventInstant* now;
    SticProblem problem;
    double* before;   // [active.rows] gamma-
    double* target;   // [active.rows] -e gamma-
    double* momentum; // [nu] M u-
    double* r;        // [active.rows]
    double* u;        // [nu] u+
    double* gamma;    // [all.set.rows] gamma+ of an attempt
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

static SticStatus prepare(SticEventMotion* m, const SticState* state, Impact* impact)
{
    SticArena* arena = m->stepper->arena;
    SticEventInstant* now = impact->now;
    SticProblem* problem = &impact->problem;
    const int32_t rows = now->active.rows, nu = m->system->layout.nu;
    SticDirections active = {.set = now->active};
    double *shift = NULL, *chi = NULL;
    STIC_TRY(stic_parts_problem(m->stepper, &active, 0.0, problem, &shift));
    STIC_TRY(STIC_TAKE(arena, &impact->before, rows));
    STIC_TRY(STIC_TAKE(arena, &impact->target, rows));
    STIC_TRY(STIC_TAKE(arena, &impact->r, rows));
    STIC_TRY(STIC_TAKE(arena, &impact->u, nu));
    STIC_TRY(STIC_TAKE(arena, &impact->momentum, nu));
    STIC_TRY(STIC_TAKE(arena, &impact->gamma, now->all.set.rows));
    STIC_TRY(STIC_TAKE(arena, &chi, rows));
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
    stic_mass_multiply(&now->mass, state->u, 0.0, impact->momentum);
    problem->dof = nu;
    problem->M = &now->mass;
    problem->Ht = &now->Pt;
    problem->f = impact->momentum;
    problem->w = chi;
    memset(impact->r, 0, (size_t)rows * sizeof *impact->r);
    return STIC_OK;
}

static SticStatus solve(SticEventMotion* m, const SticState* state, Impact* impact)
{
    SticEventInstant* now = impact->now;
    double* scratch = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &scratch, m->system->layout.nu));
    m->stepper->branch.velocity = NULL;
    m->stepper->branch.tell = true;
    m->stepper->branch.t = state->t;
    STIC_TRY(
        stic_parts_solve_evenly(m->stepper, &impact->problem, impact->r, now->relative, m->info));
    if (m->info->solve.outcome != STIC_OUTCOME_SOLVED && !(m->info->solve.errors.unit_free <= 1e-8))
        m->unsolved = m->info->solve.outcome;
    stic_parts_velocity(&now->mass, &now->Pt, impact->momentum, impact->r, impact->u, scratch);
    return STIC_OK;
}

// Impulses, and changes of velocities in `fine->acceleration`, with the present modes as
// equations; `known` is false where they have no finite solution.
static SticStatus by_equations(SticEventMotion* m, const SticState* state, const Impact* impact,
                               SticEventInstant* fine, bool* known)
{
    SticArena* arena = m->stepper->arena;
    const SticEventInstant* rough = impact->now;
    SticSaddle* saddle = NULL;
    double *zero = NULL, *still = NULL;
    *fine = (SticEventInstant){.all = rough->all};
    STIC_TRY(STIC_TAKE(arena, &zero, m->system->layout.nu));
    STIC_TRY(STIC_TAKE(arena, &still, rough->all.set.rows));
    memset(zero, 0, (size_t)m->system->layout.nu * sizeof *zero);
    memset(still, 0, (size_t)rough->all.set.rows * sizeof *still);
    // directions are those of the modes, not of the velocities before
    fine->gamma = still;
    STIC_TRY(stic_event_activate(m, state, true, fine));
    for (int32_t k = 0, j = 0; k < fine->active.count; ++k) {
        while (rough->of[j] != fine->of[k])
            ++j;
        for (int32_t r = 0; r < fine->active.interaction[k].rows; ++r) {
            const int32_t from = rough->active.row_at[j] + fine->row[k][r];
            fine->w[fine->active.row_at[k] + r] = impact->before[from] - impact->target[from];
        }
    }
    *known = stic_saddle_create(arena, &fine->mass, &fine->Ht, &fine->Pt, &saddle) == STIC_OK;
    if (*known)
        stic_saddle_solve(saddle, zero, fine->w, fine->acceleration, fine->lambda);
    return STIC_OK;
}

/* ---- the nearest solution ---- */

// every contact goes on as it is
static void assume_modes(SticEventMotion* m, const Impact* impact)
{
    const SticEventInstant* now = impact->now;
    for (int32_t k = 0; k < now->active.count; ++k) {
        const int32_t i = now->of[k];
        const double* slip = now->gamma + now->all.set.row_at[i];
        SticEventContact* contact = &m->contact[i];
        SticEventLaw law;
        if (contact->phase != STIC_PHASE_CLOSED ||
            stic_event_law(&now->all.set.interaction[i], &law) != STIC_OK)
            continue;
        if (slip[0] > stic_event_velocity(m, i))
            contact->phase = STIC_PHASE_OPEN;
        for (int32_t g = 0; g < law.groups; ++g) {
            const double speed = stic_event_size(&law, g, slip);
            contact->slides[g] = speed > stic_event_velocity(m, i);
            for (int32_t c = 0; contact->slides[g] && c < law.rows[g]; ++c)
                contact->direction[g][c] = slip[law.first[g] + c] / speed;
        }
    }
}

// impulses of all rows of the problem from those of equations
static void take_impulses(const SticEventMotion* m, const SticEventInstant* fine, Impact* impact)
{
    const SticEventInstant* rough = impact->now;
    memset(impact->r, 0, (size_t)rough->active.rows * sizeof *impact->r);
    for (int32_t k = 0, j = 0; k < fine->active.count; ++k) {
        const int32_t i = fine->of[k];
        SticEventLaw law;
        while (rough->of[j] != i)
            ++j;
        double* r = impact->r + rough->active.row_at[j];
        for (int32_t c = 0; c < fine->active.interaction[k].rows; ++c)
            r[fine->row[k][c]] = fine->lambda[fine->active.row_at[k] + c];
        if (stic_event_law(&fine->all.set.interaction[i], &law) != STIC_OK || !law.normal)
            continue;
        for (int32_t g = 0; g < law.groups; ++g) {
            double push[2] = {0.0, 0.0};
            if (m->contact[i].slides[g])
                stic_event_resistance(&law, g, m->contact[i].direction[g], push);
            for (int32_t c = 0; m->contact[i].slides[g] && c < law.rows[g]; ++c)
                r[law.first[g] + c] = r[0] * push[c];
        }
    }
}

// whether active contact k would pull, or, open, would go on approaching
static bool is_wrong(const SticEventMotion* m, const Impact* impact, int32_t k, double most)
{
    const SticEventInstant* now = impact->now;
    const int32_t i = now->of[k], row = now->active.row_at[k];
    if (m->contact[i].phase == STIC_PHASE_ALWAYS)
        return false;
    if (m->contact[i].phase == STIC_PHASE_CLOSED)
        return impact->r[row] < -ROUNDING * most;
    return impact->gamma[now->all.set.row_at[i]] - impact->target[row] < -m->rounding[i];
}

// Opens contacts that would pull and closes those that would go on approaching; `one`: only those of
// the last pair that has any (Murty), which does not go round in circles. How many in all.
static int32_t exchange(SticEventMotion* m, const Impact* impact, double most, bool one)
{
    const SticEventInstant* now = impact->now;
    int32_t count = 0, last = -1;
    for (int32_t k = now->active.count - 1; k >= 0; --k) {
        const int32_t i = now->of[k];
        SticEventContact* contact = &m->contact[i];
        if (!is_wrong(m, impact, k, most) ||
            (one && last >= 0 && !stic_event_same_pair(contact, &m->contact[last])))
            continue;
        contact->phase = contact->phase == STIC_PHASE_OPEN ? STIC_PHASE_CLOSED : STIC_PHASE_OPEN;
        last = i;
        ++count;
    }
    return count;
}

// the slip of a group behind the impact that its friction is against
static double slip_behind(const Impact* impact, const SticEventLaw* law, int32_t k, int32_t g,
                          double slip[2])
{
    const SticEventInstant* now = impact->now;
    const int32_t first = law->first[g];
    slip[0] = slip[1] = 0.0;
    for (int32_t c = 0; c < law->rows[g]; ++c)
        slip[c] = impact->gamma[now->all.set.row_at[now->of[k]] + first + c] -
                  impact->target[now->active.row_at[k] + first + c];
    return sqrt(slip[0] * slip[0] + slip[1] * slip[1]);
}

// lets a group slip against its friction impulse
static void begin_slip(const SticEventLaw* law, int32_t g, const double* r,
                       SticEventContact* contact)
{
    double d[2] = {0.0, 0.0};
    for (int32_t c = 0; c < law->rows[g]; ++c)
        d[c] = law->mu[g][c] > 0.0 ? -r[law->first[g] + c] / (law->mu[g][c] * law->mu[g][c]) : 0.0;
    const double size = sqrt(d[0] * d[0] + d[1] * d[1]);
    contact->slides[g] = size > 0.0;
    for (int c = 0; c < 2 && size > 0.0; ++c)
        contact->direction[g][c] = d[c] / size;
}

// How many groups of friction stick, or slip, that did not before; slips are turned to the
// directions that they have behind the impact: `turned` if one changes by more than rounding.
static int32_t change_slips(SticEventMotion* m, const Impact* impact, double most, bool* turned)
{
    const SticEventInstant* now = impact->now;
    int32_t count = 0;
    *turned = false;
    for (int32_t k = 0; k < now->active.count; ++k) {
        const int32_t i = now->of[k];
        const double* r = impact->r + now->active.row_at[k];
        SticEventContact* contact = &m->contact[i];
        SticEventLaw law;
        if (contact->phase != STIC_PHASE_CLOSED ||
            stic_event_law(&now->all.set.interaction[i], &law) != STIC_OK)
            continue;
        for (int32_t g = 0; g < law.groups; ++g) {
            double* d = contact->direction[g];
            double slip[2];
            if (!contact->slides[g]) {
                const bool slips = stic_event_beyond(&law, g, r, 0.0) > ROUNDING * most;
                if (slips)
                    begin_slip(&law, g, r, contact);
                count += slips ? 1 : 0;
                continue;
            }
            const double speed = slip_behind(impact, &law, k, g, slip);
            const double along = slip[0] * d[0] + (law.rows[g] == 2 ? slip[1] * d[1] : 0.0);
            contact->slides[g] = along > stic_event_velocity(m, i);
            count += contact->slides[g] ? 0 : 1;
            for (int32_t c = 0; contact->slides[g] && c < law.rows[g]; ++c) {
                *turned = *turned || fabs(slip[c] - speed * d[c]) > m->rounding[i];
                d[c] = slip[c] / speed;
            }
        }
    }
    return count;
}

// the solution with the modes nearest to the present ones, if a few changes lead to one
static SticStatus go_through(SticEventMotion* m, const SticState* state, Impact* impact,
                             bool* found)
{
    enum { PASSES = 40, PATIENCE = 3 };
    const SticEventInstant* now = impact->now;
    SticArena* arena = m->stepper->arena;
    int32_t least = now->active.count + 1, waits = 0;
    bool known = true;
    *found = false;
    assume_modes(m, impact);
    for (int pass = 0; pass < PASSES && known && !*found; ++pass) {
        const SticArenaMark mark = stic_arena_mark(arena);
        SticEventInstant fine;
        double most = 0.0;
        bool turned = false;
        STIC_TRY(by_equations(m, state, impact, &fine, &known));
        for (int32_t c = 0; c < m->system->layout.nu && known; ++c) {
            impact->u[c] = state->u[c] + fine.acceleration[c];
            known = isfinite(impact->u[c]);
        }
        if (known) {
            take_impulses(m, &fine, impact);
            stic_directions_velocity(&now->all, impact->u, impact->gamma);
            for (int32_t row = 0; row < now->active.rows; ++row)
                most = stic_event_more(most, fabs(impact->r[row]));
            const bool one = waits >= PATIENCE;
            int32_t changes = exchange(m, impact, most, one);
            if (changes == 0 || !one)
                changes += change_slips(m, impact, most, &turned);
            waits = changes < least ? 0 : waits + 1;
            least = changes < least ? changes : least;
            *found = changes == 0 && !turned;
            // equations that contradict each other have an answer, too
            const SticEventAsked asked = {impact->u, impact->gamma, impact->target};
            int32_t worst = -1;
            if (*found)
                STIC_TRY(stic_event_unmet(m, now, &asked, &worst, &most));
            known = worst < 0;
            *found = *found && known;
        }
        stic_arena_rewind(arena, mark);
    }
    return STIC_OK;
}

/* ---- the solver's solution ---- */

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
    SticEventInstant fine;
    bool known = false;
    read_modes(m, impact);
    STIC_TRY(by_equations(m, state, impact, &fine, &known));
    double apart = 0.0, size = 0.0;
    for (int32_t c = 0; c < m->system->layout.nu && known; ++c) {
        const double change = impact->u[c] - state->u[c];
        apart = stic_event_more(apart, fabs(fine.acceleration[c] - change));
        size = stic_event_more(size, fabs(change));
    }
    const double allowed = stic_event_more(1e3 * m->stepper->solve.settings.tolerance, 1e-9);
    if (!known || !(apart <= allowed * size))
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
    bool found = false;
    choose(m, all, chosen);
    STIC_TRY(stic_event_activate(m, state, true, now));
    STIC_TRY(prepare(m, state, &impact));
    if (m->settings->branch == STIC_BRANCH_SOLVER)
        STIC_TRY(go_through(m, state, &impact, &found));
    if (!found) {
        choose(m, all, chosen);
        STIC_TRY(solve(m, state, &impact));
        STIC_TRY(polish(m, state, &impact));
    }
    STIC_TRY(STIC_TAKE(arena, &mean, all->rows));
    STIC_TRY(STIC_TAKE(arena, &full, all->rows));
    memset(full, 0, (size_t)all->rows * sizeof *full);
    stic_directions_velocity(&now->all, impact.u, mean);
    const SticEventAsked asked = {impact.u, mean, impact.target};
    STIC_TRY(stic_event_check(m, now, &asked));
    if (m->contradiction)
        return STIC_OK;
    for (int32_t row = 0; row < all->rows; ++row)
        mean[row] = 0.5 * (mean[row] + now->gamma[row]);
    for (int32_t k = 0; k < now->active.count; ++k)
        for (int32_t r = 0; r < now->active.interaction[k].rows; ++r)
            full[all->row_at[now->of[k]] + now->row[k][r]] = impact.r[now->active.row_at[k] + r];
    STIC_TRY(stic_ledger_add_reactions(m->stepper, all, full, mean, &m->info->ledger));
    stic_ledger_add_prescribed(all->rows, full, now->all.measures.chi, 1.0, &m->info->ledger);
    STIC_TRY(stic_event_report(m, state, now, full, full));
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
        for (int visit = 0; i >= 0 && visit < VISITS && !m->contradiction; ++visit) {
            memset(one, 0, (size_t)count);
            one[i] = 1;
            STIC_TRY(stic_event_tell(m, state->t, STIC_EVENT_IMPACT, i,
                                     -now->gamma[now->all.set.row_at[i]]));
            STIC_TRY(resolve(m, one, now, state));
            i = fastest(m, now, closed);
        }
        if (i < 0 || m->contradiction)
            return STIC_OK;
    }
    return resolve(m, closed, now, state);
}
