// SPDX-License-Identifier: Apache-2.0
// D2: energy-consistent two-stage scheme for decomposed mass matrices Q'MQ, bilateral constraints
// on position and velocity level (Möller 5.106, 5.107; with Q = I it is B2 with contacts).
//
//   stage 1  impact at qB with bilateral constraints: uC
//   stage 2  unknowns dq = qE - qB, uE, lambda_S, kappa_S
//     (1)  Q' M (uE - uC) + H dq + h DV - h Q' f - Dg_S' lambda_S - Dgamma_S' kappa_S - W lambda =
//     0 (2)  -M Q dq + h/2 M (uC + uE) - (dgamma_S/du)' kappa_S = 0 (3)  g_S(qE) = 0      (4)
//     gamma_S(uE, qE) = 0      (5)  W' dq obeys the laws
//   Q, H at the beginning, or at mid-step with the setting `midpoint`.
//
// gamma_S = G F u; the scalable body brings its own constraint |A|^2 = 1 with nu. Newton outside,
// the linear inclusion inside, dense LU: meant for up to a few hundred unknowns. Terms of the
// Jacobian multiplied by lambda_S and kappa_S are dropped (a chord method). The rotation per step
// is limited: |omega| h <= 2 (no real solution beyond). Cost: n^3/3 per iteration with n = nq + nu
// + 2 s.
#include "step/consistent.h"
#include "step/discrete.h"
#include "step/schemes.h"

#include <string.h>

#include "stiction/math.h"

typedef struct Motion {
    SticStepper* stepper;
    const SticSystem* system;
    const SticConsistentSettings* settings;
    const SticMass* mass;
    const SticState* from;
    const double* u_impact;
    double h;
    SticDirections laws, joints; // set-valued laws; bilateral constraints
    const double* law_H;         // u-based directions of the laws at the beginning
    int32_t nq, nu, s, n, scalable;
    SticState end, middle;
    SticProblem law_problem;
    double *x, *f, *J, *W;         // unknowns, residual, Jacobian, law directions [rows][nq]
    double* X;                     // [rows][n] J^-1 of the law directions
    double *Dg, *Dgamma, *GE, *CE; // [s] rows of nq
    double *B, *HE;                // [s] rows of nu: dgamma_S/du at the beginning, at the end
    double* rate;                  // [nq] F uE where joints are measured
    double *g, *gamma;             // [s] at the end
    double *force, *gradient, *scratch;
    int32_t* pivot;
    SticTerms terms;
    double rounding; // energy that V(end) - V(begin) can miss
} Motion;

static const double* structure_q(const Motion* m)
{
    return m->settings->midpoint ? m->middle.q : m->from->q;
}

// dense row k of interaction i from block values in the pattern
static void expand_row(const SticPattern* pattern, const SticSet* set, const double* value,
                       int32_t i, int32_t k, double* row)
{
    for (int side = 0; side < 2; ++side) {
        const int64_t at = pattern->at[i][side];
        const int32_t block = set->interaction[i].block[side];
        if (at < 0)
            continue;
        const int32_t to = pattern->csr.col_at[block], n = pattern->csr.col_at[block + 1] - to;
        for (int32_t c = 0; c < n; ++c)
            row[to + c] = value[at + (int64_t)k * n + c];
    }
}

static void expand_all(const SticPattern* pattern, const SticSet* set, const double* value,
                       int32_t cols, double* rows)
{
    memset(rows, 0, (size_t)set->rows * (size_t)cols * sizeof *rows);
    for (int32_t i = 0; i < set->count; ++i)
        for (int32_t k = 0; k < set->interaction[i].rows; ++k)
            expand_row(pattern, set, value, i, k, rows + (int64_t)(set->row_at[i] + k) * cols);
}

static double dot(int32_t n, const double* a, const double* b)
{
    double sum = 0.0;
    for (int32_t i = 0; i < n; ++i)
        sum += a[i] * b[i];
    return sum;
}

// add the gradient of p . F(q) u by q to a row z, p and z [nq] of all blocks
static void add_rate_gradient(const SticLayout* layout, const double* q, const double* u,
                              const double* p, double* z)
{
    for (int32_t i = 0; i < layout->blocks; ++i) {
        double part[STIC_CHART_MAX_Q];
        const int32_t at = layout->q_at[i], n = layout->u_at[i + 1] - layout->u_at[i];
        if (layout->chart[i] != STIC_CHART_SCALABLE)
            continue;
        stic_chart_rate_gradient(STIC_CHART_SCALABLE, n, q + at, u + layout->u_at[i], p + at, part);
        for (int32_t c = 0; c < layout->q_at[i + 1] - at; ++c)
            z[at + c] += part[c];
    }
}

// G, the gradient of gamma(uE, .) = G F uE and, at the end, gamma and its gradient by u, at a state
static SticStatus measure_rates(Motion* m, const SticState* at, double* G, double* slope)
{
    SticDirections* d = &m->joints;
    const SticLayout* layout = &m->system->layout;
    const double* u_end = m->x + m->nq;
    const SticState moving = {at->t, at->q, m->x + m->nq, at->memory};
    stic_system_rate(m->system, &moving, m->rate);
    STIC_TRY(stic_directions_measure(m->stepper, m->system, at,
                                     STIC_WANT_GAP | STIC_WANT_G | STIC_WANT_C, m->rate, d));
    expand_all(&d->q_pattern, &d->set, d->measures.G, m->nq, G);
    expand_all(&d->q_pattern, &d->set, d->measures.C, m->nq, slope);
    for (int32_t k = 0; k < d->set.rows; ++k)
        add_rate_gradient(layout, at->q, u_end, G + (int64_t)k * m->nq, slope + (int64_t)k * m->nq);
    return STIC_OK;
}

// rows of joints: discrete derivatives of g and of gamma(uE, .), both evaluated on the coordinates
// a row touches
static SticStatus measure_joints(Motion* m)
{
    SticDirections* d = &m->joints;
    const SticLayout* layout = &m->system->layout;
    const int32_t rows = d->set.rows, nq = m->nq, nu = m->nu;
    const double* u_end = m->x + nq;
    const SticEnds ends = {m->from, &m->middle, &m->end};
    if (rows == 0)
        return STIC_OK;
    STIC_TRY(measure_rates(m, &m->middle, m->Dg, m->Dgamma));
    STIC_TRY(stic_discrete_gaps(m->stepper, m->system, &ends, d));
    expand_all(&d->q_pattern, &d->set, d->measures.G, nq, m->Dg);
    STIC_TRY(measure_rates(m, &m->end, m->GE, m->CE));
    memcpy(m->g, d->measures.gap, (size_t)rows * sizeof *m->g);
    for (int32_t k = 0; k < rows; ++k) {
        double *row = m->Dgamma + (int64_t)k * nq, square = 0.0;
        const double* used = m->GE + (int64_t)k * nq;
        m->gamma[k] = dot(nq, used, m->rate);
        for (int32_t i = 0; i < layout->blocks; ++i)
            stic_chart_pull_back((SticChart)layout->chart[i], layout->u_at[i + 1] - layout->u_at[i],
                                 m->end.q + layout->q_at[i], used + layout->q_at[i],
                                 m->HE + (int64_t)k * nu + layout->u_at[i]);
        // the coordinates with a non-zero direction are those the constraint depends on
        for (int32_t c = 0; c < nq; ++c)
            square += used[c] != 0.0 ? m->x[c] * m->x[c] : 0.0;
        const double begin = dot(nu, m->B + (int64_t)k * nu, u_end);
        const double miss = m->gamma[k] - begin - dot(nq, row, m->x);
        for (int32_t c = 0; square > 0.0 && c < nq; ++c)
            row[c] += used[c] != 0.0 ? miss / square * m->x[c] : 0.0;
    }
    return STIC_OK;
}

// constraint |A|^2 = 1 of the scalable blocks, Möller (5.87-5.89)
static void measure_scalable(Motion* m)
{
    const SticLayout* layout = &m->system->layout;
    int32_t k = m->joints.set.rows;
    for (int32_t i = 0; i < layout->blocks; ++i) {
        if (layout->chart[i] != STIC_CHART_SCALABLE)
            continue;
        const int32_t a = layout->q_at[i] + 3, nu = layout->u_at[i] + 3;
        m->g[k] = dot(4, m->end.q + a, m->end.q + a) - 1.0;
        m->gamma[k] = m->x[m->nq + nu];
        for (int32_t c = 0; c < 4; ++c) {
            m->Dg[(int64_t)k * m->nq + a + c] = 2.0 * m->middle.q[a + c];
            m->GE[(int64_t)k * m->nq + a + c] = 2.0 * m->end.q[a + c];
        }
        m->B[(int64_t)k * m->nu + nu] = 1.0;
        ++k;
    }
}

// q-based directions of the laws: discrete derivatives for gaps, Q' H for velocity rows
static SticStatus measure_laws(Motion* m)
{
    SticDirections* d = &m->laws;
    const SticLayout* layout = &m->system->layout;
    if (d->set.rows == 0)
        return STIC_OK;
    const SticEnds ends = {m->from, &m->middle, &m->end};
    if (m->settings->begin_directions)
        STIC_TRY(stic_directions_measure(m->stepper, m->system, m->from, STIC_WANT_G, NULL, d));
    else
        STIC_TRY(stic_discrete_gaps(m->stepper, m->system, &ends, d));
    for (int32_t i = 0; i < d->set.count; ++i) {
        const SticInteraction* interaction = &d->set.interaction[i];
        const int32_t first = interaction->level == STIC_LEVEL_CONTACT ? 1 : 0;
        for (int side = 0; side < 2; ++side) {
            const int32_t block = interaction->block[side];
            if (d->q_pattern.at[i][side] < 0)
                continue;
            const int32_t at = layout->q_at[block], size = layout->q_at[block + 1] - at;
            for (int32_t k = first; k < interaction->rows; ++k)
                stic_chart_lift((SticChart)layout->chart[block], size, structure_q(m) + at,
                                m->law_H + d->u_pattern.at[i][side] + k * size,
                                d->measures.G + d->q_pattern.at[i][side] + k * size);
        }
    }
    expand_all(&d->q_pattern, &d->set, d->measures.G, m->nq, m->W);
    return STIC_OK;
}

// gyro matrix H of a scalable block on (a0, a) from J omega (Möller 5.80)
static void fill_gyro(const double* momentum, double H[4][4])
{
    const double p = 4.0 * momentum[0], q = 4.0 * momentum[1], r = 4.0 * momentum[2];
    const double rows[4][4] = {{0, -p, -q, -r}, {p, 0, r, -q}, {q, -r, 0, p}, {r, q, -p, 0}};
    memcpy(H, rows, sizeof rows);
}

// Q, M Q, Q'M and H of one block into the Jacobian; n is the block's size (nq = nu for these
// charts)
static void add_block(Motion* m, int32_t i)
{
    const SticLayout* layout = &m->system->layout;
    const SticChart chart = (SticChart)layout->chart[i];
    const int32_t q = layout->q_at[i], u = layout->u_at[i], n = layout->u_at[i + 1] - u;
    const double* M = m->mass->A->value + m->mass->A->value_at[m->mass->A->begin[i]];
    double Q[STIC_CHART_MAX_U * STIC_CHART_MAX_U] = {0.0};
    double MQ[STIC_CHART_MAX_U * STIC_CHART_MAX_U];
    for (int32_t c = 0; c < n; ++c) {
        double unit[STIC_CHART_MAX_U] = {0.0}, column[STIC_CHART_MAX_U];
        unit[c] = 1.0;
        stic_chart_velocity(chart, n, structure_q(m) + q, unit, column);
        for (int32_t r = 0; r < n; ++r)
            Q[r * n + c] = column[r];
    }
    stic_dense_mul(n, n, n, M, Q, MQ);
    for (int32_t r = 0; r < n; ++r)
        for (int32_t c = 0; c < n; ++c) {
            m->J[(int64_t)(q + r) * m->n + m->nq + u + c] = MQ[c * n + r]; // Q'M, M symmetric
            m->J[(int64_t)(m->nq + u + r) * m->n + q + c] = -MQ[r * n + c];
            m->J[(int64_t)(m->nq + u + r) * m->n + m->nq + u + c] = 0.5 * m->h * M[r * n + c];
        }
    if (chart != STIC_CHART_SCALABLE)
        return;
    double omega[3], momentum[3], H[4][4];
    for (int c = 0; c < 3; ++c)
        omega[c] = m->settings->midpoint ? 0.5 * (m->u_impact[u + 4 + c] + m->x[m->nq + u + 4 + c])
                                         : m->u_impact[u + 4 + c];
    for (int r = 0; r < 3; ++r)
        momentum[r] = dot(3, M + (4 + r) * n + 4, omega);
    fill_gyro(momentum, H);
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c)
            m->J[(int64_t)(q + 3 + r) * m->n + q + 3 + c] = H[r][c];
}

static void add_stiffness(Motion* m)
{
    const SticLayout* layout = &m->system->layout;
    const double* hessian = m->terms.hessian;
    for (int32_t k = 0; hessian != NULL && k < m->terms.count; ++k) {
        int32_t index[2 * STIC_CHART_MAX_Q], size = 0;
        for (int side = 0; side < 2; ++side) {
            const int32_t block = m->terms.block[k][side];
            for (int32_t c = block < 0 ? 0 : layout->q_at[block];
                 block >= 0 && c < layout->q_at[block + 1]; ++c)
                index[size++] = c;
        }
        for (int32_t r = 0; r < size; ++r)
            for (int32_t c = 0; c < size; ++c)
                m->J[(int64_t)index[r] * m->n + index[c]] += 0.5 * m->h * hessian[r * size + c];
        hessian += size * size;
    }
}

// fill J; the linear parts of the residual are J times the unknowns
static void fill_jacobian(Motion* m)
{
    const int32_t nq = m->nq, nu = m->nu, n = m->n, lambda = nq + nu, kappa = lambda + m->s;
    memset(m->J, 0, (size_t)n * (size_t)n * sizeof *m->J);
    for (int32_t i = 0; i < m->system->layout.blocks; ++i)
        add_block(m, i);
    for (int32_t k = 0; k < m->s; ++k) {
        for (int32_t c = 0; c < nq; ++c) {
            m->J[(int64_t)c * n + lambda + k] = -m->Dg[(int64_t)k * nq + c];
            m->J[(int64_t)c * n + kappa + k] = -m->Dgamma[(int64_t)k * nq + c];
        }
        for (int32_t c = 0; c < nu; ++c)
            m->J[(int64_t)(nq + c) * n + kappa + k] = -m->B[(int64_t)k * nu + c];
    }
}

// residual without the laws' forces, then the rows of J that differ from the linear parts
static SticStatus linearise(Motion* m)
{
    const SticLayout* layout = &m->system->layout;
    const int32_t nq = m->nq, nu = m->nu, n = m->n, lambda = nq + nu, kappa = lambda + m->s;
    const SticEnds ends = {m->from, &m->middle, &m->end};
    STIC_TRY(stic_discrete_potential(m->stepper, m->system, &ends, m->gradient, &m->terms,
                                     &m->rounding));
    for (int32_t c = 0; c < nu; ++c)
        m->middle.u[c] = 0.5 * (m->u_impact[c] + m->x[nq + c]);
    STIC_TRY(m->system->ops->force(m->system, &m->middle, m->force));

    // rows (1) and (2): J [dq, uE, lambda, kappa] with uE replaced by uE -+ uC
    fill_jacobian(m);
    for (int32_t r = 0; r < nq + nu; ++r) {
        const double* row = m->J + (int64_t)r * n;
        const double impact = dot(nu, row + nq, m->u_impact);
        m->f[r] = dot(n, row, m->x) + (r < nq ? -impact : impact);
    }
    for (int32_t i = 0; i < layout->blocks; ++i) {
        double lifted[STIC_CHART_MAX_Q];
        const int32_t q = layout->q_at[i], size = layout->q_at[i + 1] - q;
        stic_chart_lift((SticChart)layout->chart[i], size, structure_q(m) + q,
                        m->force + layout->u_at[i], lifted);
        for (int32_t c = 0; c < size; ++c)
            m->f[q + c] += m->h * (m->gradient[q + c] - lifted[c]);
    }
    // rows (3) and (4)
    add_stiffness(m);
    for (int32_t k = 0; k < m->s; ++k) {
        m->f[lambda + k] = m->g[k];
        m->f[kappa + k] = m->gamma[k];
        const bool joint = k < m->joints.set.rows;
        for (int32_t c = 0; c < nq; ++c) {
            m->J[(int64_t)(lambda + k) * n + c] = m->GE[(int64_t)k * nq + c];
            m->J[(int64_t)(kappa + k) * n + c] = joint ? m->CE[(int64_t)k * nq + c] : 0.0;
        }
        for (int32_t c = 0; c < nu; ++c)
            m->J[(int64_t)(kappa + k) * n + nq + c] =
                joint ? m->HE[(int64_t)k * nu + c] : m->B[(int64_t)k * nu + c];
    }
    return stic_dense_lu(n, m->J, m->pivot);
}

// the inclusion W'(dq + J^-1 (-f + W r)), condensed to the laws' rows
static SticStatus condense(Motion* m, SticArena* arena, SticProblem* tangent)
{
    const int32_t rows = m->laws.set.rows, nq = m->nq, n = m->n;
    double *delassus = NULL, *b = NULL, *w = NULL;
    SticBlockCsr* W = NULL;
    STIC_TRY(STIC_TAKE(arena, &w, rows));
    STIC_TRY(STIC_TAKE(arena, &delassus, (int64_t)rows * rows));
    STIC_TRY(STIC_TAKE(arena, &b, rows));
    STIC_TRY(STIC_TAKE(arena, &W, 1));
    for (int32_t c = 0; c < n; ++c)
        m->f[c] = -m->f[c];
    stic_dense_lu_solve(n, m->J, m->pivot, m->f);
    for (int32_t k = 0; k < rows; ++k) {
        const double* row = m->W + (int64_t)k * nq;
        double* column = m->X + (int64_t)k * n;
        memset(column, 0, (size_t)n * sizeof *column);
        memcpy(column, row, (size_t)nq * sizeof *column);
        stic_dense_lu_solve(n, m->J, m->pivot, column);
        w[k] = dot(nq, row, m->x);
        b[k] = w[k] + dot(nq, row, m->f);
    }
    for (int32_t k = 0; k < rows; ++k)
        for (int32_t j = 0; j < rows; ++j)
            delassus[(int64_t)k * rows + j] =
                dot(nq, m->W + (int64_t)k * nq, m->X + (int64_t)j * n);
    *tangent = m->law_problem;
    const SticPartition partition = {.rows = tangent->count,
                                     .cols = tangent->count,
                                     .row_at = tangent->row_at,
                                     .col_at = tangent->row_at};
    if (rows > 0)
        STIC_TRY(stic_block_csr_from_dense(&partition, delassus, arena, W));
    tangent->W = W;
    tangent->b = b;
    tangent->w = w;
    return STIC_OK;
}

static SticStatus advance_by(void* self, const double* r, double* x, SticImplicitChange* change)
{
    Motion* m = self;
    for (int32_t k = 0; k < m->laws.set.rows; ++k)
        for (int32_t c = 0; c < m->n; ++c)
            m->f[c] += m->X[(int64_t)k * m->n + c] * r[k];
    for (int32_t c = 0; c < m->n; ++c)
        x[c] += m->f[c];
    *change = stic_consistent_change(m->mass, m->f + m->nq, m->u_impact, x + m->nq, m->rounding,
                                     m->scratch);
    return STIC_OK;
}

static void update_coordinates(Motion* m)
{
    for (int32_t c = 0; c < m->nq; ++c) {
        m->end.q[c] = m->from->q[c] + m->x[c];
        m->middle.q[c] = m->from->q[c] + 0.5 * m->x[c];
    }
}

static SticStatus take_memory(Motion* m)
{
    SticArena* arena = m->stepper->arena;
    const int64_t s = m->s, rows = m->laws.set.rows;
    const int32_t longest = m->nq + m->nu + m->n;
    STIC_TRY(STIC_TAKE(arena, &m->x, m->n));
    STIC_TRY(STIC_TAKE(arena, &m->f, m->n));
    STIC_TRY(STIC_TAKE(arena, &m->J, (int64_t)m->n * m->n));
    STIC_TRY(STIC_TAKE(arena, &m->pivot, m->n));
    STIC_TRY(STIC_TAKE(arena, &m->W, rows * m->nq));
    STIC_TRY(STIC_TAKE(arena, &m->X, rows * m->n));
    STIC_TRY(STIC_TAKE(arena, &m->Dg, s * m->nq));
    STIC_TRY(STIC_TAKE(arena, &m->Dgamma, s * m->nq));
    STIC_TRY(STIC_TAKE(arena, &m->GE, s * m->nq));
    STIC_TRY(STIC_TAKE(arena, &m->CE, s * m->nq));
    STIC_TRY(STIC_TAKE(arena, &m->B, s * m->nu));
    STIC_TRY(STIC_TAKE(arena, &m->HE, s * m->nu));
    STIC_TRY(STIC_TAKE(arena, &m->rate, m->nq));
    STIC_TRY(STIC_TAKE(arena, &m->g, s));
    STIC_TRY(STIC_TAKE(arena, &m->gamma, s));
    STIC_TRY(STIC_TAKE(arena, &m->force, m->nu));
    STIC_TRY(STIC_TAKE(arena, &m->gradient, m->nq));
    STIC_TRY(STIC_TAKE(arena, &m->scratch, longest));
    STIC_TRY(STIC_TAKE(arena, &m->end.q, m->nq));
    STIC_TRY(STIC_TAKE(arena, &m->middle.q, m->nq));
    STIC_TRY(STIC_TAKE(arena, &m->middle.u, m->nu));
    memset(m->Dg, 0, (size_t)(s * m->nq) * sizeof *m->Dg);
    memset(m->Dgamma, 0, (size_t)(s * m->nq) * sizeof *m->Dgamma);
    memset(m->GE, 0, (size_t)(s * m->nq) * sizeof *m->GE);
    memset(m->B, 0, (size_t)(s * m->nu) * sizeof *m->B);
    return STIC_OK;
}

// start of stage 2: dq = h F uC, uE = uC, multipliers 0; B = dgamma_S/du at the beginning
static SticStatus prepare(Motion* m)
{
    const SticLayout* layout = &m->system->layout;
    m->s = m->joints.set.rows + m->scalable;
    m->nq = layout->nq;
    m->nu = layout->nu;
    m->n = m->nq + m->nu + 2 * m->s;
    STIC_TRY(take_memory(m));
    memset(m->x, 0, (size_t)m->n * sizeof *m->x);
    const SticState start = {m->from->t, m->from->q, m->end.u, m->from->memory};
    stic_system_rate(m->system, &start, m->x);
    for (int32_t c = 0; c < m->nq; ++c)
        m->x[c] *= m->h;
    memcpy(m->x + m->nq, m->u_impact, (size_t)m->nu * sizeof *m->x);
    m->end.t = m->from->t + m->h;
    m->middle.t = m->from->t + 0.5 * m->h;
    m->end.memory = m->middle.memory = m->from->memory;
    // all kinds of measures once, so that their memory lies before the iterations
    if (m->laws.set.rows > 0)
        STIC_TRY(stic_directions_measure(m->stepper, m->system, m->from,
                                         STIC_WANT_GAP | STIC_WANT_G, NULL, &m->laws));
    if (m->joints.set.rows > 0) {
        STIC_TRY(stic_directions_measure(m->stepper, m->system, m->from,
                                         STIC_WANT_GAP | STIC_WANT_G | STIC_WANT_C | STIC_WANT_H,
                                         m->x, &m->joints));
        expand_all(&m->joints.u_pattern, &m->joints.set, m->joints.measures.H, m->nu, m->B);
    }
    return STIC_OK;
}

static SticStatus tangent_at(void* self, const double* x, SticArena* arena, SticProblem* tangent)
{
    Motion* m = self;
    (void)x; // the unknowns are the motion's own
    update_coordinates(m);
    STIC_TRY(measure_joints(m));
    measure_scalable(m);
    STIC_TRY(measure_laws(m));
    STIC_TRY(linearise(m));
    return condense(m, arena, tangent);
}

static SticStatus move(Motion* m, double* r, SticStepInfo* info)
{
    double* shift = NULL;
    STIC_TRY(stic_parts_problem(m->stepper, &m->laws, m->h, &m->law_problem, &shift));
    stic_parts_warm_start(&m->laws.set, m->from->memory, r);
    const SticImplicit motion = {.self = m, .linearise = tangent_at, .advance = advance_by};
    STIC_TRY(stic_consistent_move(m->stepper, &motion, m->x, r, info));
    update_coordinates(m);
    return STIC_OK;
}

// stage 1 sees all interactions; the scale of a scalable body takes no part in an impact since nu =
// 0 is a constraint whose impulse acts on nu alone
static void hide_scale(const SticLayout* layout, SticDirections* d)
{
    for (int32_t i = 0; i < d->set.count; ++i)
        for (int side = 0; side < 2; ++side) {
            const int32_t block = d->set.interaction[i].block[side];
            const int64_t at = d->u_pattern.at[i][side];
            if (at < 0 || layout->chart[block] != STIC_CHART_SCALABLE)
                continue;
            for (int32_t k = 0; k < d->set.interaction[i].rows; ++k)
                d->measures.H[at + 7 * k + 3] = 0.0;
        }
}

static SticStatus close(Motion* m, const SticState* from, const double* r, SticState* to,
                        SticStepInfo* info)
{
    const SticLayout* layout = &m->system->layout;
    const SticSet* set = &m->laws.set;
    double* mean = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &mean, set->rows));
    // Möller (5.111): laws work on W' dq / h, applied forces on Q dq
    for (int32_t k = 0; k < set->rows; ++k)
        mean[k] = dot(m->nq, m->W + (int64_t)k * m->nq, m->x) / m->h;
    for (int32_t i = 0; i < layout->blocks; ++i)
        stic_chart_velocity((SticChart)layout->chart[i], layout->u_at[i + 1] - layout->u_at[i],
                            structure_q(m) + layout->q_at[i], m->x + layout->q_at[i],
                            m->scratch + layout->u_at[i]);
    memcpy(to->q, m->end.q, (size_t)m->nq * sizeof *to->q);
    memcpy(to->u, m->x + m->nq, (size_t)m->nu * sizeof *to->u);
    to->t = m->end.t;
    SticDirections begin = m->laws;
    begin.Ht.value = m->law_H;
    const SticConsistentEnd end = {.laws = &m->laws,
                                   .bonds = &begin,
                                   .mass = m->mass,
                                   .r = r,
                                   .mean = mean,
                                   .middle = &m->middle,
                                   .displacement = m->scratch,
                                   .h = m->h};
    return stic_consistent_close(m->stepper, m->system, &end, from, to, info);
}

SticStatus stic_consistent_decomposed_advance(SticStepper* stepper, const SticSystem* system,
                                              const SticState* from, double t_to, SticState* to,
                                              SticStepInfo* info)
{
    const SticLayout* layout = &system->layout;
    SticConsistentStart start;
    double* r = NULL;
    STIC_TRY(stic_consistent_begin(stepper, system, from,
                                   STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_H, &start, info));
    SticDirections* all = &start.directions;
    Motion motion = {.stepper = stepper,
                     .system = system,
                     .settings = stepper->settings,
                     .mass = &start.mass,
                     .from = from,
                     .u_impact = start.u_impact,
                     .h = t_to - from->t};
    motion.end.u = start.u_impact;
    for (int32_t i = 0; i < layout->blocks; ++i)
        motion.scalable += layout->chart[i] == STIC_CHART_SCALABLE;

    // split into laws and joints; velocity rows of the laws keep their directions of the beginning
    STIC_TRY(stic_parts_select(stepper->arena, &all->set,
                               1u << STIC_LEVEL_CONTACT | 1u << STIC_LEVEL_RATE, &motion.laws.set));
    STIC_TRY(stic_parts_select(stepper->arena, &all->set, 1u << STIC_LEVEL_POSITION,
                               &motion.joints.set));
    STIC_TRY(stic_directions_prepare(stepper, system, &motion.laws));
    STIC_TRY(stic_directions_prepare(stepper, system, &motion.joints));
    STIC_TRY(stic_directions_measure(stepper, system, from, STIC_WANT_H, NULL, &motion.laws));
    motion.law_H = motion.laws.measures.H;

    hide_scale(layout, all);
    STIC_TRY(stic_consistent_impact(stepper, &start.mass, all, from, start.u_impact, info));
    STIC_TRY(prepare(&motion));
    STIC_TRY(STIC_TAKE(stepper->arena, &r, motion.laws.set.rows));
    const SticStatus status = move(&motion, r, info);
    if (status == STIC_SINGULAR)
        return stic_error_set(&info->error, status,
                              "scheme 'decomposed': the equations of system '%s' at t = %g are "
                              "singular; joints that repeat each other are too much for it",
                              system->name, from->t);
    STIC_TRY(status);
    return close(&motion, from, r, to, info);
}
