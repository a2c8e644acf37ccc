// SPDX-License-Identifier: Apache-2.0
// Bilateral constraints of the energy-consistent schemes, on position and velocity level.
//
//   g_S(q_E) = 0                      multiplier lambda, force F*' Dg_S(q_B,q_E)'
//   gamma_S(uE, q_E) = 0              multiplier kappa,  gamma_S(u,q) = dg_S/dq F(q) u
//
// Dgamma_S(uE; q_B,q_E) is the discrete derivative of gamma_S(uE, .): its value at the beginning is
// B uE. The same rows serve joints of bodies in any chart and |A|^2 = 1 of scalable blocks, where
// gamma_S = nu (Möller 5.87-5.89). Times of prescribed motions: g at the end is that of the end
// time, discrete derivatives are those of mid-time.
#include "step/consistent.h"

#include <math.h>
#include <string.h>

#include "math/math.h"
#include "stiction/extend/base.h"
#include "system/push.h"

static int32_t coordinates(const SticMotion* m, int32_t block)
{
    return m->system->layout.q_at[block + 1] - m->system->layout.q_at[block];
}

static int32_t velocities(const SticMotion* m, int32_t block)
{
    return m->system->layout.u_at[block + 1] - m->system->layout.u_at[block];
}

static double dot(int32_t n, const double* a, const double* b)
{
    double sum = 0.0;
    for (int32_t i = 0; i < n; ++i)
        sum += a[i] * b[i];
    return sum;
}

/* ---- room ---- */

static SticStatus take_rows(SticMotion* m, SticTieRows* tie)
{
    SticArena* arena = m->stepper->arena;
    for (int s = 0; s < 2; ++s) {
        if (tie->block[s] < 0)
            continue;
        const int64_t q = tie->rows * coordinates(m, tie->block[s]),
                      u = tie->rows * velocities(m, tie->block[s]);
        double* room = NULL;
        STIC_TRY(STIC_TAKE(arena, &room, 4 * q + 2 * u));
        memset(room, 0, (size_t)(4 * q + 2 * u) * sizeof *room);
        tie->Dg[s] = room;
        tie->Dgamma[s] = room + q;
        tie->GE[s] = room + 2 * q;
        tie->CE[s] = room + 3 * q;
        tie->B[s] = room + 4 * q;
        tie->HE[s] = room + 4 * q + u;
    }
    return STIC_OK;
}

// values of a pattern to the matrices of the joints
static void copy_values(const SticMotion* m, const SticPattern* pattern, const double* value,
                        size_t member)
{
    for (int32_t i = 0; i < m->joints.set.count; ++i) {
        SticTieRows* tie = &m->tie[i];
        double** to = (double**)(void*)((unsigned char*)tie + member);
        for (int s = 0; s < 2; ++s) {
            if (tie->block[s] < 0)
                continue;
            const int32_t* col_at = pattern->csr.col_at + tie->block[s];
            memcpy(to[s], value + pattern->at[i][s],
                   (size_t)(tie->rows * (col_at[1] - col_at[0])) * sizeof *value);
        }
    }
}

SticStatus stic_ties_prepare(SticMotion* m)
{
    const SticLayout* layout = &m->system->layout;
    SticArena* arena = m->stepper->arena;
    const SticSet* set = &m->joints.set;
    m->ties = set->count;
    for (int32_t i = 0; i < layout->blocks; ++i)
        m->ties += layout->chart[i] == STIC_CHART_SCALABLE;
    STIC_TRY(STIC_TAKE(arena, &m->tie, m->ties));
    memset(m->tie, 0, (size_t)m->ties * sizeof *m->tie);
    m->rows = 0;
    m->unknowns = layout->nu;
    for (int32_t i = 0, k = 0; k < m->ties; ++k) {
        SticTieRows* tie = &m->tie[k];
        *tie = (SticTieRows){.block = {-1, -1}, .rows = 1, .levels = 2, .at = m->rows};
        if (k < set->count) {
            tie->levels = m->settings->levels == 0 ? 2 : 1;
            tie->rows = set->interaction[k].rows;
            for (int s = 0; s < 2; ++s)
                tie->block[s] =
                    set->interaction[k].block[s] < 0 ? -1 : set->interaction[k].block[s];
        } else {
            while (layout->chart[i] != STIC_CHART_SCALABLE)
                ++i;
            tie->block[0] = i++;
        }
        m->rows += tie->rows;
        m->unknowns += tie->levels * tie->rows;
        STIC_TRY(take_rows(m, tie));
    }
    STIC_TRY(STIC_TAKE(arena, &m->g, m->rows));
    STIC_TRY(STIC_TAKE(arena, &m->gamma, m->rows));
    STIC_TRY(STIC_TAKE(arena, &m->tie_chi, m->rows));
    STIC_TRY(STIC_TAKE(arena, &m->g_begin, m->rows));
    STIC_TRY(STIC_TAKE(arena, &m->chi_begin, m->rows));
    for (int32_t k = 0; k < m->rows; ++k)
        m->tie_chi[k] = m->chi_begin[k] = 0.0;
    if (set->count > 0) {
        // everything once, so that memory is taken before the iterations
        STIC_TRY(stic_directions_measure(m->stepper, m->system, m->from,
                                         STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_H | STIC_WANT_G |
                                             STIC_WANT_C,
                                         m->from->q, &m->joints));
        copy_values(m, &m->joints.u_pattern, m->joints.measures.H, offsetof(SticTieRows, B));
        memcpy(m->g_begin, m->joints.measures.gap, (size_t)set->rows * sizeof *m->g_begin);
        memcpy(m->chi_begin, m->joints.measures.chi, (size_t)set->rows * sizeof *m->chi_begin);
    }
    for (int32_t k = set->count; k < m->ties; ++k) {
        const double* A = m->from->q + layout->q_at[m->tie[k].block[0]] + 3;
        m->tie[k].B[0][3] = m->tie[k].HE[0][3] = 1.0;
        m->g_begin[m->tie[k].at] = dot(4, A, A) - 1.0;
    }
    return STIC_OK;
}

/* ---- measures ---- */

// G, and the gradient by q of gamma(uE, .) = G F uE, of the joints at a state
static SticStatus measure_rates(SticMotion* m, const SticState* at, uint32_t more, size_t slope)
{
    const SticLayout* layout = &m->system->layout;
    SticDirections* d = &m->joints;
    const SticState moving = {at->t, at->q, m->end.u, at->memory};
    stic_system_rate(m->system, &moving, m->scratch);
    STIC_TRY(stic_directions_measure(m->stepper, m->system, at, more | STIC_WANT_G | STIC_WANT_C,
                                     m->scratch, d));
    copy_values(m, &d->q_pattern, d->measures.C, slope);
    for (int32_t i = 0; i < d->set.count; ++i) {
        double** to = (double**)(void*)((unsigned char*)&m->tie[i] + slope);
        for (int s = 0; s < 2; ++s) {
            const int32_t block = m->tie[i].block[s];
            if (block < 0)
                continue;
            const int32_t n = coordinates(m, block);
            const double* G = d->measures.G + d->q_pattern.at[i][s];
            for (int32_t k = 0; k < m->tie[i].rows; ++k) {
                double part[STIC_CHART_MAX_Q];
                stic_chart_rate_gradient((SticChart)layout->chart[block], velocities(m, block),
                                         at->q + layout->q_at[block],
                                         m->end.u + layout->u_at[block], G + k * n, part);
                for (int32_t c = 0; c < n; ++c)
                    to[s][k * n + c] += part[c];
            }
        }
    }
    return STIC_OK;
}

// HE = GE F(q_E), and gamma = HE uE + chi
static void end_rates(SticMotion* m, SticTieRows* tie, const double* chi)
{
    const SticLayout* layout = &m->system->layout;
    for (int32_t k = 0; k < tie->rows; ++k) {
        m->gamma[tie->at + k] = chi[k];
        for (int s = 0; s < 2; ++s) {
            const int32_t block = tie->block[s];
            if (block < 0)
                continue;
            double* row = tie->HE[s] + k * velocities(m, block);
            stic_chart_pull_back((SticChart)layout->chart[block], velocities(m, block),
                                 m->end.q + layout->q_at[block],
                                 tie->GE[s] + k * coordinates(m, block), row);
            m->gamma[tie->at + k] += dot(velocities(m, block), row, m->end.u + layout->u_at[block]);
        }
    }
}

// correct the slope of gamma(uE, .) at the middle so that it is exact along the step
static void correct_rates(SticMotion* m, const SticEnds* ends, SticTieRows* tie)
{
    const SticLayout* layout = &m->system->layout;
    for (int32_t k = 0; k < tie->rows; ++k) {
        double begin = 0.0, products = 0.0, *value[2] = {NULL, NULL};
        for (int s = 0; s < 2; ++s) {
            const int32_t block = tie->block[s], n = block < 0 ? 0 : velocities(m, block);
            if (block < 0)
                continue;
            const double *B = tie->B[s] + k * n, *u = m->end.u + layout->u_at[block];
            value[s] = tie->Dgamma[s] + k * coordinates(m, block);
            begin += dot(n, B, u);
            for (int32_t c = 0; c < n; ++c)
                products += fabs(B[c] * u[c]);
        }
        SticDiscreteRow row = stic_discrete_row(layout, ends, tie->block, value);
        row.products = products;
        SticDiscreteChange made;
        stic_discrete_correct(
            &row, m->gamma[tie->at + k] - m->joints.measures.chi[tie->at + k] - begin, &made);
    }
}

static SticStatus measure_joints(SticMotion* m)
{
    SticDirections* d = &m->joints;
    const SticEnds ends = stic_motion_ends(m);
    const bool both = m->settings->levels == 0;
    if (d->set.count == 0)
        return STIC_OK;
    if (both)
        STIC_TRY(measure_rates(m, &m->middle, 0, offsetof(SticTieRows, Dgamma)));
    const SticGapsAsked asked = {m->moving ? NULL : m->g_begin, m->moving ? m->tie_chi : NULL};
    STIC_TRY(stic_discrete_gaps(m->stepper, m->system, &ends, &asked, d));
    copy_values(m, &d->q_pattern, d->measures.G, offsetof(SticTieRows, Dg));
    STIC_TRY(measure_rates(m, &m->end, STIC_WANT_GAP | STIC_WANT_CHI, offsetof(SticTieRows, CE)));
    copy_values(m, &d->q_pattern, d->measures.G, offsetof(SticTieRows, GE));
    memcpy(m->g, d->measures.gap, (size_t)d->set.rows * sizeof *m->g);
    for (int32_t i = 0; i < d->set.count; ++i) {
        end_rates(m, &m->tie[i], d->measures.chi + m->tie[i].at);
        if (both)
            correct_rates(m, &ends, &m->tie[i]);
    }
    return STIC_OK;
}

SticStatus stic_ties_measure(SticMotion* m)
{
    const SticLayout* layout = &m->system->layout;
    STIC_TRY(measure_joints(m));
    for (int32_t k = m->joints.set.count; k < m->ties; ++k) {
        SticTieRows* tie = &m->tie[k];
        const int32_t at = layout->q_at[tie->block[0]] + 3;
        m->g[tie->at] = dot(4, m->end.q + at, m->end.q + at) - 1.0;
        m->gamma[tie->at] = m->end.u[layout->u_at[tie->block[0]] + 3];
        for (int c = 0; c < 4; ++c) {
            tie->Dg[0][3 + c] = m->from->q[at + c] + m->end.q[at + c];
            tie->GE[0][3 + c] = 2.0 * m->end.q[at + c];
        }
    }
    return STIC_OK;
}

void stic_ties_rates(const SticMotion* m, const double* u, bool end, double* gamma)
{
    const SticLayout* layout = &m->system->layout;
    const double* chi = end ? m->joints.measures.chi : m->chi_begin;
    for (int32_t i = 0; i < m->ties; ++i) {
        const SticTieRows* tie = &m->tie[i];
        for (int32_t k = 0; k < tie->rows; ++k) {
            double* rate = &gamma[tie->at + k];
            *rate = i < m->joints.set.count ? chi[tie->at + k] : 0.0;
            for (int s = 0; s < 2; ++s)
                if (tie->block[s] >= 0)
                    *rate += dot(velocities(m, tie->block[s]),
                                 (end ? tie->HE[s] : tie->B[s]) + k * velocities(m, tie->block[s]),
                                 u + layout->u_at[tie->block[s]]);
        }
    }
}

/* ---- equations ---- */

void stic_ties_multipliers(const SticMotion* m, double* lambda, double* kappa)
{
    const double* y = m->x + m->system->layout.nu;
    for (int32_t i = 0; i < m->ties; ++i) {
        const SticTieRows* tie = &m->tie[i];
        for (int32_t k = 0; k < tie->rows; ++k) {
            lambda[tie->at + k] = y[k];
            kappa[tie->at + k] = tie->levels == 2 ? y[tie->rows + k] : 0.0;
        }
        y += tie->levels * tie->rows;
    }
}

// force on the coordinates of one side by lambda and kappa (`y`) of a tie, without B' kappa
static void tie_covector(const SticMotion* m, const SticTieRows* tie, int s, const double* y,
                         double covector[STIC_CHART_MAX_Q])
{
    const int32_t nq = coordinates(m, tie->block[s]);
    memset(covector, 0, STIC_CHART_MAX_Q * sizeof *covector);
    for (int32_t k = 0; k < tie->rows; ++k)
        for (int32_t e = 0; e < nq; ++e) {
            covector[e] += y[k] * tie->Dg[s][k * nq + e];
            if (tie->levels == 2)
                covector[e] += 0.5 * m->h * y[tie->rows + k] * tie->Dgamma[s][k * nq + e];
        }
}

// the same in velocities [n]
static void tie_force(const SticMotion* m, const SticTieRows* tie, int s, const double* y,
                      double* force)
{
    const int32_t block = tie->block[s];
    double covector[STIC_CHART_MAX_Q];
    tie_covector(m, tie, s, y, covector);
    const SticKinematics kinematics = stic_motion_block(m, block);
    stic_kinematics_force(&kinematics, m->end.q + m->system->layout.q_at[block], covector, force);
}

void stic_ties_residual(const SticMotion* m, double* momentum, double* conditions)
{
    const SticLayout* layout = &m->system->layout;
    const double* y = m->x + layout->nu;
    double* c = conditions;
    for (int32_t i = 0; i < m->ties; ++i) {
        const SticTieRows* tie = &m->tie[i];
        memcpy(c, m->g + tie->at, (size_t)tie->rows * sizeof *c);
        if (tie->levels == 2)
            memcpy(c + tie->rows, m->gamma + tie->at, (size_t)tie->rows * sizeof *c);
        for (int s = 0; s < 2; ++s) {
            const int32_t block = tie->block[s];
            if (block < 0)
                continue;
            const int32_t n = velocities(m, block);
            double force[STIC_CHART_MAX_U];
            tie_force(m, tie, s, y, force);
            for (int32_t k = 0; tie->levels == 2 && k < tie->rows; ++k)
                for (int32_t e = 0; e < n; ++e)
                    force[e] -= y[tie->rows + k] * tie->B[s][k * n + e];
            for (int32_t e = 0; e < n; ++e)
                momentum[layout->u_at[block] + e] -= force[e];
        }
        y += tie->levels * tie->rows;
        c += tie->levels * tie->rows;
    }
}

// whether a side is the one that impulses of a joint are told of
static bool is_told(const SticTieRows* tie, int s)
{
    return tie->block[s] >= 0 && (s == 0 || tie->block[0] < 0);
}

// Add what joint i gives at a state to what it gave. A moment is that of a force on coordinates in
// the pose that is told of, whatever pose turns velocities into rates of coordinates.
static void add_own(const SticMotion* m, int32_t i, const SticState* at, double own[6],
                    double given[6])
{
    stic_push_shift(m->system, &m->joints.set.interaction[i], at, own);
    for (int k = 0; k < 6; ++k)
        given[k] += own[k];
}

// (1) and (2) together: B' kappa is in both, and cancels
void stic_ties_push(const SticMotion* m, double (*given)[6])
{
    const double* y = m->x + m->system->layout.nu;
    for (int32_t i = 0; i < m->joints.set.count; ++i) {
        const SticTieRows* tie = &m->tie[i];
        const SticInteraction* interaction = &m->joints.set.interaction[i];
        const int32_t s = tie->block[0] >= 0 ? 0 : 1, block = stic_push_block(interaction);
        double covector[STIC_CHART_MAX_Q], own[6] = {0.0};
        if (block >= 0) {
            tie_covector(m, tie, s, y, covector);
            stic_push_add_covector(&m->system->layout, block, m->middle.q, covector, own);
            add_own(m, i, &m->middle, own, given[i]);
        }
        y += tie->levels * tie->rows;
    }
}

void stic_ties_push_instant(const SticMotion* m, bool end, const double* r, double (*given)[6])
{
    for (int32_t i = 0; i < m->joints.set.count; ++i)
        for (int s = 0; s < 2; ++s) {
            const SticTieRows* tie = &m->tie[i];
            double force[STIC_CHART_MAX_U] = {0.0};
            if (!is_told(tie, s))
                continue;
            const double* matrix = end ? tie->HE[s] : tie->B[s];
            const int32_t n = velocities(m, tie->block[s]);
            for (int32_t e = 0; e < tie->rows * n; ++e)
                force[e % n] += r[tie->at + e / n] * matrix[e];
            const SticState* at = end ? &m->end : m->from;
            double own[6] = {0.0};
            stic_push_add(&m->system->layout, tie->block[s], at->q, force, own);
            add_own(m, i, at, own, given[i]);
        }
}

// row . M^-1 of a block
static void divide(const SticMotion* m, int32_t block, const double* row, double* out)
{
    const SticBlockCsr* inverse = m->mass.inverse;
    stic_dense_mul_vec(velocities(m, block), velocities(m, block),
                       inverse->value + inverse->value_at[inverse->begin[block]], row, out);
}

void stic_ties_add_velocity(const SticMotion* m, double* u)
{
    const SticLayout* layout = &m->system->layout;
    const double* y = m->x + layout->nu;
    for (int32_t i = 0; i < m->ties; ++i) {
        const SticTieRows* tie = &m->tie[i];
        for (int s = 0; tie->levels == 2 && s < 2; ++s) {
            const int32_t block = tie->block[s];
            if (block < 0)
                continue;
            const int32_t n = velocities(m, block);
            double impulse[STIC_CHART_MAX_U] = {0.0}, change[STIC_CHART_MAX_U];
            for (int32_t k = 0; k < tie->rows; ++k)
                for (int32_t e = 0; e < n; ++e)
                    impulse[e] += y[tie->rows + k] * tie->B[s][k * n + e];
            divide(m, block, impulse, change);
            for (int32_t e = 0; e < n; ++e)
                u[layout->u_at[block] + e] += change[e];
        }
        y += tie->levels * tie->rows;
    }
}

// matrices of one tie on one side: force, rate, late, carry
static SticStatus side_tangent(const SticMotion* m, const SticTieRows* tie, int s, SticTie* out)
{
    const int32_t block = tie->block[s], n = velocities(m, block), nq = coordinates(m, block);
    const SticLayout* layout = &m->system->layout;
    const SticKinematics kinematics = stic_motion_block(m, block);
    const double *w = m->middle.u + layout->u_at[block], *q_end = m->end.q + layout->q_at[block];
    const int64_t size = (int64_t)tie->levels * tie->rows * n;
    double* room = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &room, 4 * size));
    memset(room, 0, (size_t)(4 * size) * sizeof *room);
    double *force = room, *rate = room + size, *late = room + 2 * size, *carry = room + 3 * size;
    for (int32_t k = 0; k < tie->rows; ++k) {
        double part[STIC_CHART_MAX_U];
        stic_kinematics_force(&kinematics, q_end, tie->Dg[s] + k * nq, force + k * n);
        stic_kinematics_pull(&kinematics, w, tie->GE[s] + k * nq, rate + k * n);
        for (int32_t e = 0; e < n; ++e)
            rate[k * n + e] *= 0.5;
        if (tie->levels == 1)
            continue;
        const int32_t at = (tie->rows + k) * n;
        stic_kinematics_force(&kinematics, q_end, tie->Dgamma[s] + k * nq, part);
        for (int32_t e = 0; e < n; ++e)
            force[at + e] = 0.5 * m->h * part[e] - tie->B[s][k * n + e];
        stic_kinematics_pull(&kinematics, w, tie->CE[s] + k * nq, part);
        for (int32_t e = 0; e < n; ++e)
            rate[at + e] = 0.5 * part[e] + tie->HE[s][k * n + e];
        memcpy(late + at, tie->HE[s] + k * n, (size_t)n * sizeof *late);
        divide(m, block, tie->B[s] + k * n, carry + at);
    }
    out->force[s] = force;
    out->rate[s] = rate;
    out->late[s] = tie->levels == 2 ? late : NULL;
    out->carry[s] = carry;
    return STIC_OK;
}

SticStatus stic_ties_tangent(const SticMotion* m, SticTie** tie)
{
    STIC_TRY(STIC_TAKE(m->stepper->arena, tie, m->ties));
    for (int32_t i = 0; i < m->ties; ++i) {
        const SticTieRows* rows = &m->tie[i];
        SticTie* out = &(*tie)[i];
        *out =
            (SticTie){.block = {rows->block[0], rows->block[1]}, .rows = rows->levels * rows->rows};
        for (int s = 0; s < 2; ++s)
            if (rows->block[s] >= 0)
                STIC_TRY(side_tangent(m, rows, s, out));
    }
    return STIC_OK;
}

SticStatus stic_ties_instant(const SticMotion* m, bool end, SticTie** tie)
{
    STIC_TRY(STIC_TAKE(m->stepper->arena, tie, m->ties));
    for (int32_t i = 0; i < m->ties; ++i) {
        const SticTieRows* rows = &m->tie[i];
        (*tie)[i] = (SticTie){.block = {rows->block[0], rows->block[1]}, .rows = rows->rows};
        for (int s = 0; s < 2; ++s)
            (*tie)[i].force[s] = (*tie)[i].rate[s] = end ? rows->HE[s] : rows->B[s];
    }
    return STIC_OK;
}
