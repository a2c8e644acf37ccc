// SPDX-License-Identifier: Apache-2.0
// Event-driven scheme: impulses as they are reported.
//
// Equations leave the shares of redundant points open, and the most even ones are taken: the motion
// does not depend on them. They need not be possible contact forces: a box that rests on a slope
// has most of its weight on the lower points but as much friction on the upper ones. Where even
// shares of a step leave their cones, new ones are computed inside:
//
//   least |H (r' - r)| in the metric of M^-1, with r' in the cones
//
// which is a convex problem (the laws without De Saxcé's term), and zero if there are such shares.
// Whether there are is also what decides if modes can go on: the laws themselves may have other
// solutions besides, and without a reason to change nothing changes. At the end of a call every
// impulse is checked against its law; if one exceeds it by more than rounding, the step counts as
// not solved.
#include <math.h>
#include <string.h>

#include "problem/mass.h"
#include "step/event.h"
#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"
#include "system/push.h"

// part of the impulses that other shares may add to their resultant where they are only reported:
// the effect of a turning slip
#define REPORTED_RESULTANT 1e-6

// part of the largest free acceleration by which equations may be missed: well above what is left
// of them where they are redundant
#define CONTRADICTS 1e-8

// how far impulses r leave their law, N s; h: time in which they were given
static double excess(const SticEventLaw* law, const double* r, double h)
{
    double worst = law->normal ? -(r[0] + law->pull * h) : -INFINITY;
    for (int32_t g = 0; law->normal && g < law->groups; ++g)
        worst = stic_event_more(worst, stic_event_beyond(law, g, r, h));
    return worst;
}

// the largest impulse of contacts and the largest excess of one
static void judge_impulses(const SticSet* set, const double* impulse, double h, double* most,
                           double* worst)
{
    *most = *worst = 0.0;
    for (int32_t i = 0; i < set->count; ++i) {
        SticEventLaw law;
        if (stic_event_law(&set->interaction[i], &law) != STIC_OK || !law.normal)
            continue;
        const double* r = impulse + set->row_at[i];
        for (int32_t c = 0; c < set->interaction[i].rows; ++c)
            *most = stic_event_more(*most, fabs(r[c]));
        *most = stic_event_more(*most, law.pull * h);
        *worst = stic_event_more(*worst, excess(&law, r, h));
    }
}

// Slips have the directions of their impulses, and as much friction as goes with their normal ones:
// over a step in which a slip turns that is less than the bound.
static void turn_to_impulses(SticEventMotion* m, double h, const double* impulse)
{
    const SticSet* set = &m->list.set;
    for (int32_t i = 0; i < set->count; ++i) {
        SticEventContact* contact = &m->contact[i];
        SticEventLaw law;
        if (contact->phase == STIC_PHASE_OPEN ||
            stic_event_law(&set->interaction[i], &law) != STIC_OK || !law.normal)
            continue;
        const double* r = impulse + set->row_at[i];
        for (int32_t g = 0; g < law.groups; ++g) {
            double d[2] = {0.0, 0.0}, size = 0.0, used = 0.0;
            for (int k = 0; k < law.rows[g]; ++k) {
                const double mu = law.mu[g][k];
                d[k] = mu > 0.0 ? (r[0] < 0.0 ? 1.0 : -1.0) * r[law.first[g] + k] / (mu * mu) : 0.0;
                size += d[k] * d[k];
                used += mu * d[k] * (mu * d[k]);
            }
            const double bound = r[0] + law.pull * h;
            m->hold[i][g] = used > 0.0 && sqrt(used) < bound ? sqrt(used) / bound : 1.0;
            contact->guided[g] = contact->slides[g];
            for (int k = 0; contact->slides[g] && size > 0.0 && k < 2; ++k)
                contact->direction[g][k] = d[k] / sqrt(size);
        }
    }
}

// impulses of all rows from those of the active ones
static void take_impulses(SticEventMotion* m, const SticEventInstant* now, double h,
                          double* impulse)
{
    const SticSet* set = &m->list.set;
    for (int32_t k = 0; k < now->active.count; ++k) {
        const int32_t i = now->of[k];
        double* r = impulse + set->row_at[i];
        SticEventLaw law;
        for (int32_t c = 0; c < now->active.interaction[k].rows; ++c)
            r[now->row[k][c]] = now->lambda[now->active.row_at[k] + c];
        if (stic_event_law(&set->interaction[i], &law) != STIC_OK || !law.normal)
            continue;
        for (int32_t g = 0; g < law.groups; ++g) {
            double push[2];
            if (!m->contact[i].slides[g])
                continue;
            stic_event_resistance(&law, g, m->contact[i].direction[g], push);
            for (int32_t c = 0; c < law.rows[g]; ++c)
                r[law.first[g] + c] = m->hold[i][g] * (r[0] + law.pull * h) * push[c];
        }
    }
}

// the convex problem by interior points, which keep symmetries; problems that they do not take are
// solved by the run's solver
static SticStatus solve_convex(SticEventMotion* m, const SticProblem* problem, double* r, double* u)
{
    SticStepper* stepper = m->stepper;
    const SticSolveRequest request = stepper->solve;
    const SticBranching branch = stepper->branch;
    const SticSolveInfo solve = m->info->solve;
    stepper->branch.rule = STIC_BRANCH_SOLVER;
    stepper->solve.solver = stic_solver_find("convex", &m->info->error);
    stepper->solve.method_settings = NULL;
    SticStatus status = stic_parts_solve(stepper, problem, r, u, m->info);
    stepper->solve = request;
    if (status == STIC_UNSUPPORTED) {
        stic_error_clear(&m->info->error);
        status = stic_parts_solve(stepper, problem, r, u, m->info);
    }
    stepper->branch = branch;
    m->info->solve = solve;
    return status;
}

// What impulses of interactions give that have a share: a drive or dry friction at a bound of its own
// gives what it gives.
static SticStatus resultant_of_shares(SticEventMotion* m, const SticEventInstant* now,
                                      const double* impulse, double* f)
{
    const SticSet* set = &now->all.set;
    double* shared = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &shared, set->rows));
    memset(shared, 0, (size_t)set->rows * sizeof *shared);
    for (int32_t k = 0; k < now->active.count; ++k) {
        const int32_t at = set->row_at[now->of[k]];
        memcpy(shared + at, impulse + at,
               (size_t)set->interaction[now->of[k]].rows * sizeof *shared);
    }
    stic_block_csr_multiply_transpose(-1.0, &now->all.Ht, shared, 0.0, f);
    return STIC_OK;
}

// other shares with the same resultant, into now->lambda; `added`: to the resultant,
// as a part of it
static SticStatus find_shares(SticEventMotion* m, const SticState* state, double h,
                              const double* impulse, SticEventInstant* now, double* added)
{
    SticDirections active;
    SticProblem problem;
    double *shift = NULL, *v = NULL, *given = NULL, *scratch = NULL, left = 0.0, size = 0.0;
    const int32_t nu = m->system->layout.nu;
    SticArena* arena = m->stepper->arena;
    STIC_TRY(stic_event_look(m, state, now));
    STIC_TRY(stic_event_activate(m, state, true, now));
    STIC_TRY(STIC_TAKE(arena, &v, nu));
    STIC_TRY(STIC_TAKE(arena, &given, nu));
    STIC_TRY(STIC_TAKE(arena, &scratch, nu));
    active = (SticDirections){.set = now->active};
    STIC_TRY(stic_parts_problem(m->stepper, &active, h, &problem, &shift));
    STIC_TRY(resultant_of_shares(m, now, impulse, now->f));
    memset(now->w, 0, (size_t)now->active.rows * sizeof *now->w);
    problem.dof = nu;
    problem.M = &now->mass;
    problem.Ht = problem.Pt = &now->Ht;
    problem.f = now->f;
    problem.w = now->w;
    memset(now->lambda, 0, (size_t)now->active.rows * sizeof *now->lambda);
    STIC_TRY(solve_convex(m, &problem, now->lambda, now->relative));
    // velocities that the impulses alone would give, and the remainder
    stic_parts_velocity(&now->mass, &now->Ht, now->f, now->lambda, v, scratch);
    stic_mass_divide(&now->mass, now->f, given);
    for (int32_t c = 0; c < nu; ++c) {
        left = stic_event_more(left, fabs(v[c]));
        size = stic_event_more(size, fabs(given[c]));
    }
    *added = size > 0.0 ? left / size : 0.0;
    return STIC_OK;
}

// what other shares than `before` give more or less
static void add_change(const SticEventMotion* m, const SticState* state,
                       const SticEventInstant* now, const double* before, const double* after)
{
    const SticPushRows rows = {m->system, &now->all.set, &now->all.Ht, state};
    stic_push_add_all(&rows, before, -1.0, m->given);
    stic_push_add_all(&rows, after, 1.0, m->given);
}

// impulses inside their cones with the resultant of the given ones up to a part of it, `added`;
// `told`: they are those of the step, and what they give is kept with them
static SticStatus share(SticEventMotion* m, const SticState* state, double h, bool told,
                        double* impulse, double* added)
{
    SticArena* arena = m->stepper->arena;
    const SticArenaMark mark = stic_arena_mark(arena);
    const int32_t count = m->list.set.count;
    SticEventContact* before = NULL;
    double* r = NULL;
    SticEventInstant now;
    STIC_TRY(STIC_TAKE(arena, &before, count));
    memcpy(before, m->contact, (size_t)count * sizeof *before);
    STIC_TRY(STIC_TAKE(arena, &r, m->list.set.rows));
    memcpy(r, impulse, (size_t)m->list.set.rows * sizeof *r);
    turn_to_impulses(m, h, impulse);
    STIC_TRY(find_shares(m, state, h, impulse, &now, added));
    if (*added <= REPORTED_RESULTANT)
        take_impulses(m, &now, h, impulse);
    if (told)
        add_change(m, state, &now, r, impulse);
    memcpy(m->contact, before, (size_t)count * sizeof *before);
    for (int32_t i = 0; i < count; ++i)
        m->hold[i][0] = m->hold[i][1] = 1.0;
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

SticStatus stic_event_share_impulses(SticEventMotion* m, const SticState* state, double h)
{
    double most = 0.0, worst = 0.0, added = 0.0;
    judge_impulses(&m->list.set, m->impulse, h, &most, &worst);
    return worst > STIC_EVENT_BEYOND * most ? share(m, state, h, true, m->impulse, &added)
                                            : STIC_OK;
}

// Whether modes contradict each other: a drive and dry friction that both stick ask for two motions,
// and equations have an answer between them that is neither, however its forces are shared.
static bool contradict(const SticEventMotion* m, const SticEventInstant* now)
{
    const SticPattern* pattern = &now->pattern;
    for (int32_t k = 0; k < now->active.count; ++k)
        for (int32_t r = 0; r < now->active.interaction[k].rows; ++r) {
            double left = now->w[now->active.row_at[k] + r];
            for (int side = 0; side < 2; ++side) {
                const int32_t block = now->active.interaction[k].block[side];
                if (block < 0)
                    continue;
                const int32_t at = m->system->layout.u_at[block],
                              n = m->system->layout.u_at[block + 1] - at;
                const double* row = now->Pt.value + pattern->at[k][side] + (int64_t)r * n;
                for (int32_t c = 0; c < n; ++c)
                    left += row[c] * now->acceleration[at + c];
            }
            if (fabs(left) > CONTRADICTS * m->scale_most)
                return true;
        }
    return false;
}

SticStatus stic_event_short_of_shares(SticEventMotion* m, const SticState* state,
                                      const SticEventInstant* now, double* part)
{
    double* force = NULL;
    *part = INFINITY;
    // a bond that breaks takes its force with it: being late by a rounding matters, and its own
    // limit is checked
    for (int32_t i = 0; i < now->all.set.count; ++i)
        if (m->contact[i].phase == STIC_PHASE_CLOSED && now->all.set.interaction[i].cohesion > 0.0)
            return STIC_OK;
    if (contradict(m, now))
        return STIC_OK;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &force, now->all.set.rows));
    memcpy(force, now->reaction, (size_t)now->all.set.rows * sizeof *force);
    return share(m, state, 1.0, false, force, part);
}

// whether a contact gives something together with contact i
static bool gives_with(const SticEventMotion* m, const SticSet* set, const double (*push)[6],
                       int32_t i, int32_t k)
{
    bool gives = false;
    for (int c = 0; c < 6; ++c)
        gives = gives || push[k][c] != 0.0;
    return gives && stic_event_unilateral(&set->interaction[k]) &&
           set->interaction[k].block[0] == set->interaction[i].block[0] &&
           stic_event_same_pair(&m->contact[i], &m->contact[k]);
}

// What contacts of a pair give together, evenly among them. Redundant points are brought to rest by
// impulses that cancel each other up to rounding, and may be larger than what they give.
static void share_evenly(const SticEventMotion* m, const SticSet* set, double (*push)[6])
{
    for (int32_t i = 0; i < set->count; ++i) {
        double sum[6] = {0.0};
        int32_t count = 0, first = -1;
        for (int32_t k = 0; k < set->count; ++k) {
            if (!gives_with(m, set, (const double(*)[6])push, i, k))
                continue;
            first = first < 0 ? k : first;
            count += 1;
            for (int c = 0; c < 6; ++c)
                sum[c] += push[k][c];
        }
        for (int32_t k = i; first == i && k < set->count; ++k)
            if (gives_with(m, set, (const double(*)[6])push, i, k))
                for (int c = 0; c < 6; ++c)
                    push[k][c] = sum[c] / count;
    }
}

SticStatus stic_event_report(SticEventMotion* m, const SticState* state,
                             const SticEventInstant* now, const double* r, const double* given)
{
    const SticSet* all = &now->all.set;
    double(*push)[6] = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &push, all->count));
    memset(push, 0, (size_t)all->count * sizeof *push);
    const SticPushRows rows = {m->system, all, &now->all.Ht, state};
    stic_push_add_all(&rows, given, 1.0, push);
    if (given != r)
        share_evenly(m, all, push);
    return stic_seen_add(&m->own->seen, all, r, (const double(*)[6])push);
}

double stic_event_reported_excess(const SticSeen* seen, double h)
{
    double most = 0.0, worst = 0.0;
    for (int32_t k = 0; k < seen->count; ++k) {
        const SticSet one = {.count = 1,
                             .interaction = &seen->item[k].interaction,
                             .row_at = (const int32_t[]){0, seen->item[k].interaction.rows}};
        double size = 0.0, beyond = 0.0;
        judge_impulses(&one, seen->item[k].impulse, h, &size, &beyond);
        most = stic_event_more(most, size);
        worst = stic_event_more(worst, beyond);
    }
    return most > 0.0 ? worst / most : 0.0;
}
