// SPDX-License-Identifier: Apache-2.0
// The end of a step of the energy-consistent schemes: its works, its memory, and how far it kept
// what the scheme promises.
//
// Works of the motion stage. Laws work on the mean velocity (Möller 5.111, 5.149). Ties do no work
// from a start that satisfies them; from any other start their works are
//
//   lambda'[g_S(q_E) - g_S(q_B)]/h + kappa'[gamma_S(uE,q_E) - gamma_S(uC,q_B)]/2
//
// which is what the proof of the energy multiplies them with (docs/theory/consistent.md), minus
// what time alone does to g_S and gamma_S: that is work of prescribed motions.
#include "step/consistent.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/mass.h"
#include "step/momentum.h"
#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"
#include "system/push.h"

static double larger(double a, double b)
{
    return a > b ? a : b;
}

double stic_motion_largest(int32_t count, const double* values)
{
    STIC_ASSERT(count >= 0);
    double most = 0.0;
    for (int32_t k = 0; k < count; ++k)
        most = larger(most, fabs(values[k]));
    return most;
}

static bool is_alone(const int32_t block[2])
{
    return block[0] < 0 || block[1] < 0;
}

/* ---- instants ---- */

// what laws give along their directions
static void push_laws(SticMotion* m, const SticDirections* laws, const int32_t* law_of,
                      const double* r, const SticState* at)
{
    const SticPushRows rows = {m->system, &laws->set, &laws->Ht, at};
    for (int32_t i = 0; i < laws->set.count; ++i)
        stic_push_add_rows(&rows, i, r + laws->set.row_at[i],
                           m->law_given[law_of == NULL ? i : law_of[i]]);
}

SticStatus stic_motion_account(SticMotion* m, const SticInstant* instant, const double* r,
                               const double* u, SticStepInfo* info)
{
    SticArena* arena = m->stepper->arena;
    const SticDirections* laws = instant->laws;
    const SticLayout* layout = &m->system->layout;
    double *mean = NULL, *middle = NULL, *rate = NULL;
    STIC_TRY(STIC_TAKE(arena, &middle, layout->nu));
    STIC_TRY(STIC_TAKE(arena, &mean, laws->set.rows));
    STIC_TRY(STIC_TAKE(arena, &rate, m->rows));
    for (int32_t c = 0; c < layout->nu; ++c)
        middle[c] = 0.5 * (instant->u_before[c] + u[c]);
    if (laws->set.rows > 0) {
        stic_directions_velocity(laws, middle, mean);
        stic_ledger_add_prescribed(laws->set.rows, r, laws->measures.chi, 1.0, &info->ledger);
        STIC_TRY((instant->end ? stic_ledger_add_settling : stic_ledger_add_impact)(
            m->stepper, &laws->set, r, mean, &info->ledger));
        stic_momentum_outside(laws, r, &m->outside);
        push_laws(m, laws, instant->law_of, r, instant->end ? &m->end : m->from);
    }
    if (instant->tie_r == NULL)
        return STIC_OK;
    stic_ties_push_instant(m, instant->end, instant->tie_r, m->tie_given);
    stic_ties_rates(m, middle, instant->end, rate);
    for (int32_t k = 0; k < m->rows; ++k) {
        info->ledger.constraint += instant->tie_r[k] * rate[k];
        m->tie_struck[k] += instant->tie_r[k];
    }
    stic_ledger_add_prescribed(m->joints.set.rows, instant->tie_r, m->joints.measures.chi, 1.0,
                               &info->ledger);
    for (int32_t i = 0; i < m->joints.set.count; ++i)
        for (int s = 0; s < 2 && is_alone(m->tie[i].block); ++s) {
            const SticTieRows* tie = &m->tie[i];
            if (tie->block[s] < 0)
                continue;
            const int32_t n = layout->u_at[tie->block[s] + 1] - layout->u_at[tie->block[s]];
            const double* matrix = instant->end ? tie->HE[s] : tie->B[s];
            for (int32_t k = 0; k < (n < 3 ? 0 : 3 * tie->rows); ++k)
                stic_momentum_push(k % 3,
                                   instant->tie_r[tie->at + k / 3] * matrix[k / 3 * n + k % 3],
                                   &m->outside);
        }
    return STIC_OK;
}

/* ---- works and memory ---- */

// values of laws and of ties in the rows of all interactions
static void merge(const SticMotion* m, const double* of_laws, const double* of_ties, double* merged)
{
    const SticSet* set = &m->all.set;
    int32_t law = 0, tie = 0;
    for (int32_t i = 0; i < set->count; ++i) {
        const int32_t rows = set->interaction[i].rows;
        const bool joint = set->interaction[i].level == STIC_LEVEL_POSITION;
        int32_t* at = joint ? &tie : &law;
        for (int32_t k = 0; k < rows; ++k)
            merged[set->row_at[i] + k] = joint ? of_ties[*at + k] : of_laws[*at + k];
        *at += rows;
    }
}

// what all interactions gave, with the stage of the motion
static SticStatus merge_given(SticMotion* m, double (**merged)[6])
{
    const SticSet* set = &m->all.set;
    int32_t law = 0, tie = 0;
    push_laws(m, &m->laws, NULL, m->r, &m->middle);
    stic_ties_push(m, m->tie_given);
    STIC_TRY(STIC_TAKE(m->stepper->arena, merged, set->count));
    for (int32_t i = 0; i < set->count; ++i) {
        const bool joint = set->interaction[i].level == STIC_LEVEL_POSITION;
        memcpy((*merged)[i], joint ? m->tie_given[tie++] : m->law_given[law++], sizeof(*merged)[i]);
    }
    return STIC_OK;
}

// works of the ties over the motion
static SticStatus add_ties(SticMotion* m, const double* lambda, const double* kappa,
                           SticLedger* ledger)
{
    double* rate = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &rate, m->rows));
    stic_ties_rates(m, m->u_impact, false, rate);
    for (int32_t k = 0; k < m->rows; ++k) {
        const bool joint = k < m->joints.set.rows;
        const double turned = joint ? m->joints.measures.chi[k] - m->chi_begin[k] : 0.0;
        ledger->constraint +=
            lambda[k] * (m->g[k] - m->g_begin[k]) / m->h + 0.5 * kappa[k] * (m->gamma[k] - rate[k]);
        ledger->prescribed -= lambda[k] * m->tie_chi[k] + 0.5 * kappa[k] * turned;
    }
    return STIC_OK;
}

SticStatus stic_motion_close(SticMotion* m, const double* total, SticState* to, SticStepInfo* info)
{
    const SticLayout* layout = &m->system->layout;
    SticArena* arena = m->stepper->arena;
    const int32_t rows = m->all.set.rows, laws = m->laws.set.rows;
    double *lambda = NULL, *kappa = NULL, *mean = NULL, *still = NULL, *r = NULL, *all_mean = NULL,
           *record = NULL;
    STIC_TRY(STIC_TAKE(arena, &lambda, m->rows));
    STIC_TRY(STIC_TAKE(arena, &kappa, m->rows));
    STIC_TRY(STIC_TAKE(arena, &still, m->rows));
    STIC_TRY(STIC_TAKE(arena, &mean, laws));
    STIC_TRY(STIC_TAKE(arena, &r, rows));
    STIC_TRY(STIC_TAKE(arena, &all_mean, rows));
    STIC_TRY(STIC_TAKE(arena, &record, rows));
    memcpy(to->q, m->end.q, (size_t)layout->nq * sizeof *to->q);
    memcpy(to->u, m->end.u, (size_t)layout->nu * sizeof *to->u);
    to->t = m->end.t;

    stic_ties_multipliers(m, lambda, kappa);
    for (int32_t k = 0; k < m->rows; ++k)
        still[k] = 0.0;
    if (laws > 0) {
        memcpy(mean, m->chi, (size_t)laws * sizeof *mean);
        stic_block_csr_multiply(1.0, &m->laws.Ht, m->middle.u, 1.0, mean);
    }
    for (int32_t c = 0; c < layout->nu; ++c)
        m->scratch[c] = m->h * m->middle.u[c];
    STIC_TRY(stic_ledger_add_reactions(m->stepper, &m->laws.set, m->r, mean, &info->ledger));
    stic_ledger_add_prescribed(laws, m->r, m->chi, 1.0, &info->ledger);
    STIC_TRY(add_ties(m, lambda, kappa, &info->ledger));
    STIC_TRY(stic_ledger_add_applied(m->stepper, m->system, &m->middle, m->scratch, &info->ledger));
    STIC_TRY(stic_ledger_close_at(m->stepper, m->system, (const SticState* const[]){m->from, to},
                                  true, &info->ledger));

    merge(m, m->r, lambda, r);
    merge(m, mean, still, all_mean);
    for (int32_t k = 0; k < m->rows; ++k)
        m->tie_struck[k] += lambda[k];
    merge(m, total, m->tie_struck, record);
    stic_parts_record(m->stepper, &m->all, record, m->from, m->h);
    if (m->stepper->record != NULL) {
        double(*given)[6] = NULL;
        STIC_TRY(merge_given(m, &given));
        m->stepper->record->given = (const double(*)[6])given;
        // end velocities along directions of the beginning would slide by h omega of what turns
        m->stepper->record->velocity = all_mean;
    }
    SticReactions reactions = {.r = r, .h = m->h};
    STIC_TRY(stic_parts_opening_of(m->stepper, &m->all, &m->mass, all_mean, &reactions));
    return stic_parts_remember(&m->all.set, &reactions, to->memory);
}

/* ---- promises ---- */

// Normals of contacts with what does not move, at one place of the motion [count x 3]
static SticStatus normals_at(SticMotion* m, const SticState* at, bool traced, double (*normal)[3])
{
    SticDirections there = m->laws;
    there.measures.G = NULL;
    if (traced)
        STIC_TRY(stic_discrete_trace(m->stepper, m->system, &m->laws.set, at, &there.set));
    STIC_TRY(stic_directions_measure(m->stepper, m->system, at, STIC_WANT_G, NULL, &there));
    for (int32_t i = 0; i < there.set.count; ++i)
        for (int s = 0; s < 2; ++s)
            for (int k = 0; there.q_pattern.at[i][s] >= 0 && k < 3; ++k)
                normal[i][k] = there.measures.G[there.q_pattern.at[i][s] + k];
    return STIC_OK;
}

// the normal row of a contact with what does not move; NULL for others
static const double* normal_row(const SticMotion* m, const double* H, int32_t i)
{
    const SticInteraction* interaction = &m->laws.set.interaction[i];
    // the rows of a face's nodes say what they push without a normal of each
    if (interaction->level != STIC_LEVEL_CONTACT || !is_alone(interaction->block) ||
        interaction->alsos > 0)
        return NULL;
    return H + m->laws.u_pattern.at[i][interaction->block[0] >= 0 ? 0 : 1];
}

// Contacts push along their normals: those of both ends and the middle, and nothing else. They do
// not explain what corrections of discrete derivatives add beyond these
static SticStatus add_astray(SticMotion* m, SticMomentum* momentum)
{
    const SticSet* set = &m->laws.set;
    double(*normal[3])[3] = {NULL, NULL, NULL};
    bool bent = false;
    for (int32_t i = 0; i < set->count; ++i) {
        const double *row = normal_row(m, m->laws.measures.H, i), *begin;
        if (row == NULL || m->r[set->row_at[i]] == 0.0)
            continue;
        begin = normal_row(m, m->begin_H, i);
        bent = bent || row[0] != begin[0] || row[1] != begin[1] || row[2] != begin[2];
    }
    if (!bent)
        return STIC_OK;
    for (int s = 0; s < 3; ++s) {
        const SticState* at = s == 0 ? m->from : s == 1 ? &m->middle : &m->end;
        STIC_TRY(STIC_TAKE(m->stepper->arena, &normal[s], set->count));
        const SticState then = {m->middle.t, at->q, at->u, at->memory};
        STIC_TRY(normals_at(m, &then, s > 0, normal[s]));
    }
    for (int32_t i = 0; i < set->count; ++i) {
        const double* row = normal_row(m, m->laws.measures.H, i);
        double along[3][3], astray[3];
        if (row == NULL)
            continue;
        for (int e = 0; e < 9; ++e)
            along[e / 3][e % 3] = normal[e / 3][i][e % 3];
        stic_momentum_astray(row, 3, (const double(*)[3])along, astray);
        for (int k = 0; k < 3; ++k)
            momentum->sum[k] += m->r[set->row_at[i]] * astray[k];
    }
    return STIC_OK;
}

// what came from outside in the motion: forces, potentials of single bodies, laws, ties
static SticStatus add_motion(SticMotion* m, SticMomentum* momentum)
{
    const SticLayout* layout = &m->system->layout;
    const SticEnds ends = stic_motion_ends(m);
    double *lambda = NULL, *kappa = NULL;
    SticOutside outside = {.size = 0.0};
    STIC_TRY(STIC_TAKE(m->stepper->arena, &lambda, m->rows));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &kappa, m->rows));
    STIC_TRY(stic_discrete_potential(m->stepper, m->system, &ends, &m->potential));
    STIC_TRY(m->system->ops->force(m->system, &m->middle, m->force));
    stic_momentum_explain(m->system, m->force, m->h, momentum);
    const SticTerms* terms = &m->potential.terms;
    const double* gradient = terms->gradient;
    // terms of two bodies have no resultant, those of cells that are held have one
    for (int32_t k = 0; k < terms->count; ++k) {
        const int32_t* member = NULL;
        const int32_t members = stic_terms_blocks(terms, k, &member);
        const bool counts = terms->member_at != NULL ? members != 2 : terms->block[k][1] < 0;
        for (int32_t s = 0; s < members; ++s) {
            if (member[s] < 0)
                continue;
            for (int c = 0; c < 3 && counts; ++c) {
                momentum->sum[c] += m->h * gradient[c];
                momentum->size += m->h * fabs(gradient[c]);
            }
            gradient += layout->q_at[member[s] + 1] - layout->q_at[member[s]];
        }
    }
    for (int k = 0; k < 3; ++k)
        momentum->sum[k] -= m->h * m->potential.astray[k];
    stic_momentum_outside(&m->laws, m->r, &outside);
    STIC_TRY(add_astray(m, momentum));
    stic_ties_multipliers(m, lambda, kappa);
    for (int32_t i = 0; i < m->joints.set.count; ++i)
        for (int s = 0; s < 2 && is_alone(m->tie[i].block); ++s) {
            const SticTieRows* tie = &m->tie[i];
            if (tie->block[s] < 0)
                continue;
            const int32_t n = layout->q_at[tie->block[s] + 1] - layout->q_at[tie->block[s]];
            for (int32_t k = 0; k < 3 * tie->rows; ++k) {
                const int32_t row = tie->at + k / 3, at = k / 3 * n + k % 3;
                stic_momentum_push(k % 3,
                                   lambda[row] * tie->Dg[s][at] +
                                       0.5 * m->h * kappa[row] * tie->Dgamma[s][at],
                                   &outside);
            }
        }
    stic_momentum_take(&outside, momentum);
    stic_momentum_take(&m->outside, momentum);
    return STIC_OK;
}

// change of linear momentum beyond what came from outside, as a part of what momentum there is
static SticStatus judge_momentum(SticMotion* m, double* missed)
{
    SticMomentum momentum = {.size = 0.0};
    *missed = 0.0;
    if (m->system->size == NULL)
        return STIC_OK;
    stic_momentum_add(m->system, &m->mass, m->end.u, 1.0, &momentum);
    stic_momentum_add(m->system, &m->mass, m->from->u, -1.0, &momentum);
    STIC_TRY(add_motion(m, &momentum));
    // ties are closed up to the rounding of coordinates, also where nothing has moved yet
    momentum.size += sqrt(momentum.mass) * m->shaken;
    *missed = stic_momentum_missed(m->system, &momentum, m->stepper->passed);
    return STIC_OK;
}

// by how much gaps of closed contacts fell, and those of open ones below zero
static SticStatus judge_gaps(SticMotion* m, double* missed)
{
    SticDirections* laws = &m->laws;
    double* gap = NULL;
    *missed = 0.0;
    if (laws->set.count == 0)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &gap, laws->set.rows));
    STIC_TRY(stic_directions_measure(m->stepper, m->system, m->from, STIC_WANT_GAP, NULL, laws));
    memcpy(gap, laws->measures.gap, (size_t)laws->set.rows * sizeof *gap);
    const SticSet frozen = laws->set;
    STIC_TRY(stic_discrete_trace(m->stepper, m->system, &frozen, &m->end, &laws->set));
    STIC_TRY(stic_directions_measure(m->stepper, m->system, &m->end, STIC_WANT_GAP, NULL, laws));
    laws->set = frozen;
    for (int32_t i = 0; i < laws->set.count; ++i) {
        const int32_t row = laws->set.row_at[i];
        const bool contact = laws->set.interaction[i].level == STIC_LEVEL_CONTACT;
        const double least = gap[row] < 0.0 ? gap[row] : 0.0;
        if (contact && (gap[row] <= 0.0 || stic_motion_is_open(m, i)))
            *missed = larger(*missed, least - laws->measures.gap[row]);
    }
    return STIC_OK;
}

// Errors that the tolerances of Newton and the inclusion leave, relative to how far bodies move;
// energy is judged by `sizes` times the scale that it is reported in
static void judge_all(const SticMotion* m, double sizes, double way, SticStepInfo* info)
{
    const SticLayout* layout = &m->system->layout;
    const double tolerance = 1e3 * larger(m->stepper->solve.settings.tolerance, 1e-9),
                 speed = stic_motion_largest(layout->nu, m->middle.u) +
                         stic_motion_largest(layout->nu, m->end.u),
                 // rows may be angles
        place = larger(1.0, stic_motion_largest(layout->nq, m->from->q));
    const double limit[STIC_PROMISE_COUNT] = {
        // Newton's tolerance, and what laws may give, with room for sums over many of them
        [STIC_PROMISE_ENERGY] = 1e-8 * sizes,
        [STIC_PROMISE_POSITION] = tolerance * (m->h * speed + place),
        [STIC_PROMISE_RATE] = tolerance * (speed + place / m->h),
        [STIC_PROMISE_GAP] = tolerance * (m->h * speed + place) + way};
    // unit length and momentum are judged for all schemes
    for (int k = 0; k <= STIC_PROMISE_GAP; ++k)
        stic_promise_judge(m->stepper, (SticPromise)k, limit[k], info);
    // Runs solve equations that miss their promises again in parts, and report them if that does
    // not help. A gap that sinks although the equations hold, at Newton's default tolerance, is a
    // fault of the program
    STIC_ASSERT(info->broken_promises != STIC_PROMISE_BIT(STIC_PROMISE_GAP) ||
                m->settings->newton_tolerance > 1e-12);
}

// forces of the motion, those of potentials by their discrete derivatives: in the middle itself a
// turning body would be strained
static SticStatus forces_of(SticMotion* m, double* force)
{
    const SticLayout* layout = &m->system->layout;
    STIC_TRY(m->system->ops->force(m->system, &m->middle, force));
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const SticKinematics block = stic_motion_block(m, i);
        double pulled[STIC_CHART_MAX_U];
        stic_kinematics_force(&block, m->end.q + layout->q_at[i],
                              m->potential.gradient + layout->q_at[i], pulled);
        for (int32_t c = 0; c < block.n; ++c)
            force[layout->u_at[i] + c] -= pulled[c];
    }
    return STIC_OK;
}

// the velocities that forces give in the step
static SticStatus velocities_of_loads(SticMotion* m, double** loads)
{
    const int32_t nu = m->system->layout.nu;
    double* force = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &force, nu));
    STIC_TRY(STIC_TAKE(m->stepper->arena, loads, nu));
    STIC_TRY(forces_of(m, force));
    stic_mass_divide(&m->mass, force, *loads);
    for (int32_t c = 0; c < nu; ++c)
        (*loads)[c] *= m->h;
    return STIC_OK;
}

// Change of a gap in a step that is possible if a level of accuracy lets laws be loose: velocities
// of contacts are known to a part of those of all contacts, of both ends, and of what `loads` give in
// the step, which reactions take back where things rest
static SticStatus loose_way(const SticMotion* m, const double* loads, double* way)
{
    const double part = stic_accuracy_promise(m->stepper->accuracy)->motion;
    const double* const given[] = {m->from->u, m->end.u, loads};
    const int32_t rows = m->laws.set.rows;
    double *velocity = NULL, sum = 0.0;
    *way = 0.0;
    if (part == 0.0 || rows == 0)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &velocity, rows));
    for (int side = 0; side < 3; ++side) {
        stic_directions_velocity(&m->laws, given[side], velocity);
        for (int32_t row = 0; row < rows; ++row)
            sum += velocity[row] * velocity[row];
    }
    *way = part * m->h * sqrt(sum);
    return STIC_OK;
}

// T + |V|, the scale that misses are reported in, and the scale that they are judged by. V is known
// to the unit in the last place of the products of forces and places that it consists of, and
// forces of stiff springs change much in a step. Where next to nothing is left of T + |V|, as for
// bodies at rest where V is 0, misses are reported in the scale that they are judged by: the energy
// that forces would give in a step, and that of the rounding of coordinates; for a body that has
// come to rest, a small part of the energy it had; and a small part of the works, since a drive that
// presses against a limit passes on as much as its friction takes, and rounding is all that is left.
// `loads`: the velocities that forces give in the step.
static SticStatus energy_sizes(SticMotion* m, const SticLedger* ledger, const double* loads,
                               double* told, double* judged)
{
    static const double least_part = 1e-6, work_part = 1e-4;
    const double kinetic = 0.5 * stic_mass_form(&m->mass, m->from->u, m->from->u) +
                           0.5 * stic_mass_form(&m->mass, m->u_impact, m->u_impact) +
                           0.5 * stic_mass_form(&m->mass, m->end.u, m->end.u),
                 idle = 0.5 * stic_mass_form(&m->mass, loads, loads) + 0.5 * m->shaken * m->shaken;
    *told = kinetic / 3.0 + m->potential.size;
    *judged = larger(kinetic + idle + m->potential.rounding / DBL_EPSILON,
                     STIC_REST_PART * m->stepper->passed) +
              work_part * (fabs(ledger->prescribed) + fabs(ledger->friction));
    if (*told < least_part * *judged)
        *told = *judged;
    return STIC_OK;
}

// work of bonds in what they take back of their gaps and slips
static double work_of_slips(const SticMotion* m)
{
    const SticSet* set = &m->laws.set;
    double work = 0.0;
    for (int32_t i = 0; i < set->count; ++i)
        for (int32_t row = set->row_at[i]; set->interaction[i].bonded && row < set->row_at[i + 1];
             ++row)
            work -= 0.5 * m->r[row] * m->problem.u_shift[row];
    return work;
}

SticStatus stic_motion_judge(SticMotion* m, SticStepInfo* info)
{
    const SticLedger* ledger = &info->ledger;
    double *missed = info->violation, told = 0.0, judged = 0.0, way = 0.0, *loads = NULL;
    STIC_TRY(velocities_of_loads(m, &loads));
    STIC_TRY(energy_sizes(m, ledger, loads, &told, &judged));
    // impacts with different coefficients of restitution may gain (Möller 3.163-3.168), and dampers
    // pass on the work of what moves them; bonds are corrected
    const double gained = ledger->impact + ledger->friction - m->struck - work_of_slips(m) +
                          (m->moving ? 0.0 : ledger->damping);
    if (told > 0.0)
        missed[STIC_PROMISE_ENERGY] =
            larger(fabs(ledger->integration), larger(gained, 0.0) + m->gain) / told;
    missed[STIC_PROMISE_POSITION] = stic_motion_largest(m->rows, m->g);
    stic_ties_rates(m, m->end.u, true, m->gamma);
    missed[STIC_PROMISE_RATE] = stic_motion_largest(m->rows, m->gamma);
    STIC_TRY(judge_momentum(m, &missed[STIC_PROMISE_MOMENTUM]));
    STIC_TRY(judge_gaps(m, &missed[STIC_PROMISE_GAP]));
    info->held_gap = missed[STIC_PROMISE_GAP];
    STIC_TRY(loose_way(m, loads, &way));
    judge_all(m, told > 0.0 ? judged / told : 1.0, way, info);
    return STIC_OK;
}
