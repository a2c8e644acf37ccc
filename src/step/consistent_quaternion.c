// SPDX-License-Identifier: Apache-2.0
// E2: energy-consistent two-stage scheme for Newton-Euler bodies with unit quaternions
// (Möller 5.157, 5.158).
//
//   stage 1  impact at qB:  M (uC - uB) = H Lambda,  H'(uC + eps uB) obeys the laws
//   stage 2  motion:        M (uE - uC) + h gyro(ub) + h F(qb)' DV(qB,qE) - h f - H lambda = 0
//                           qE - qB = h F(qb) ub,  H'(uE + uC) obeys the laws;  ub = (uE+uC)/2, qb
//                           = (qE+qB)/2
//
// The quaternion row is solved in closed form by the Cayley map, so that the unknowns are uE alone;
// the norm of the quaternion is kept exactly and |omega| h is not limited. Gap rows of H are F(qb)'
// Dg(qB,qE): then no penetration grows. Energy never increases for solved steps. Newton outside,
// the linear inclusion inside; the Jacobian holds the gyroscopic term and the potential's Hessian
// within each block, what couples blocks is lagged.
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
    double h;
    const double* u_impact;
    SticDirections* directions;
    const double* begin_H; // u-based directions at the beginning
    SticState end, middle; // coordinates at the current iterate
    double *u_mean, *residual, *gradient, *scratch;
    double rounding; // energy that V(end) - V(begin) can miss
    SticProblem laws;
    SticMass tangent;
    SticBlockCsr jacobian, inverse;
    double *jacobian_value, *inverse_value;
} Motion;

// coordinates at the end and the middle for the velocity uE
static void update_coordinates(Motion* m, const double* u_end)
{
    const SticLayout* layout = &m->system->layout;
    for (int32_t c = 0; c < layout->nu; ++c)
        m->u_mean[c] = 0.5 * (u_end[c] + m->u_impact[c]);
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const int32_t q = layout->q_at[i], u = layout->u_at[i];
        const bool turns = layout->chart[i] == STIC_CHART_QUATERNION;
        const int32_t straight = turns ? 3 : layout->u_at[i + 1] - u;
        for (int32_t c = 0; c < straight; ++c)
            m->end.q[q + c] = m->from->q[q + c] + m->h * m->u_mean[u + c];
        if (turns)
            stic_quat_store(stic_rotation_cayley(stic_quat_load(m->from->q + q + 3),
                                                 stic_vec3_load(m->u_mean + u + 3), m->h),
                            m->end.q + q + 3);
    }
    for (int32_t c = 0; c < layout->nq; ++c)
        m->middle.q[c] = 0.5 * (m->from->q[c] + m->end.q[c]);
}

// gap rows of H from discrete derivatives, pulled back at the middle; other rows stay at the
// beginning
static SticStatus update_directions(Motion* m)
{
    SticDirections* d = m->directions;
    const SticLayout* layout = &m->system->layout;
    memcpy(d->measures.H, m->begin_H, (size_t)d->u_pattern.values * sizeof *d->measures.H);
    if (m->settings->begin_directions || d->set.count == 0)
        return STIC_OK;
    const SticEnds ends = {m->from, &m->middle, &m->end};
    STIC_TRY(stic_discrete_gaps(m->stepper, m->system, &ends, d));
    for (int32_t i = 0; i < d->set.count; ++i) {
        const SticInteraction* interaction = &d->set.interaction[i];
        if (interaction->level == STIC_LEVEL_RATE)
            continue;
        const int32_t rows = interaction->level == STIC_LEVEL_CONTACT ? 1 : interaction->rows;
        for (int side = 0; side < 2; ++side) {
            const int32_t block = interaction->block[side];
            if (d->u_pattern.at[i][side] < 0)
                continue;
            const int32_t nq = layout->q_at[block + 1] - layout->q_at[block];
            const int32_t nu = layout->u_at[block + 1] - layout->u_at[block];
            for (int32_t k = 0; k < rows; ++k)
                stic_chart_pull_back((SticChart)layout->chart[block], nu,
                                     m->middle.q + layout->q_at[block],
                                     d->measures.G + d->q_pattern.at[i][side] + k * nq,
                                     d->measures.H + d->u_pattern.at[i][side] + k * nu);
        }
    }
    return STIC_OK;
}

// add h/2 d(gyro)/d(omega) to a rigid block: gyro = omega x J omega at the mean velocity
static void add_gyro_slope(double* block, const double* omega_mean, double h)
{
    const SticVec3 w = stic_vec3_load(omega_mean);
    SticMat3 J;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            J.m[r][c] = block[(3 + r) * 6 + 3 + c];
    const SticMat3 slope =
        stic_mat3_sub(stic_mat3_mul(stic_mat3_skew(w), J), stic_mat3_skew(stic_mat3_mul_vec(J, w)));
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            block[(3 + r) * 6 + 3 + c] += 0.5 * h * slope.m[r][c];
}

// add h^2/4 K of the one-block terms on linear blocks
static void add_stiffness(const SticLayout* layout, const SticTerms* terms, const SticBlockCsr* csr,
                          double h, double* value)
{
    const double* hessian = terms->hessian;
    for (int32_t k = 0; hessian != NULL && k < terms->count; ++k) {
        const int32_t a = terms->block[k][0], b = terms->block[k][1];
        const int32_t n = layout->q_at[a + 1] - layout->q_at[a];
        const int32_t size = n + (b < 0 ? 0 : layout->q_at[b + 1] - layout->q_at[b]);
        if (b < 0 && layout->chart[a] == STIC_CHART_LINEAR) {
            double* block = value + csr->value_at[csr->begin[a]];
            for (int32_t c = 0; c < n * n; ++c)
                block[c] += 0.25 * h * h * hessian[c];
        }
        hessian += size * size;
    }
}

// residual f0(uE) without reactions, and the Jacobian's blocks with their inverses
static SticStatus linearise(Motion* m, const double* u_end)
{
    const SticLayout* layout = &m->system->layout;
    const SticBlockCsr* A = m->mass->A;
    SticTerms terms;
    const SticEnds ends = {m->from, &m->middle, &m->end};
    STIC_TRY(
        stic_discrete_potential(m->stepper, m->system, &ends, m->gradient, &terms, &m->rounding));

    // forces at the middle of the step with the mean velocity
    const SticState at = {m->from->t + 0.5 * m->h, m->middle.q, m->u_mean, m->from->memory};
    STIC_TRY(m->system->ops->force(m->system, &at, m->scratch));
    STIC_TRY(stic_system_add_gyro(m->system, &at, m->mass, m->stepper->arena, m->scratch));
    for (int32_t c = 0; c < layout->nu; ++c)
        m->residual[c] = u_end[c] - m->u_impact[c];
    stic_block_csr_multiply(1.0, A, m->residual, -m->h, m->scratch);
    memcpy(m->residual, m->scratch, (size_t)layout->nu * sizeof *m->residual);

    // the Jacobian starts from M
    memcpy(m->jacobian_value, A->value, (size_t)A->value_at[A->begin[A->rows]] * sizeof(double));
    add_stiffness(layout, &terms, A, m->h, m->jacobian_value);
    for (int32_t i = 0; i < layout->blocks; ++i) {
        double part[STIC_CHART_MAX_U];
        const int32_t u = layout->u_at[i], n = layout->u_at[i + 1] - u;
        stic_chart_pull_back((SticChart)layout->chart[i], n, m->middle.q + layout->q_at[i],
                             m->gradient + layout->q_at[i], part);
        for (int32_t c = 0; c < n; ++c)
            m->residual[u + c] += m->h * part[c];
        double* block = m->jacobian_value + A->value_at[A->begin[i]];
        if (layout->chart[i] == STIC_CHART_QUATERNION)
            add_gyro_slope(block, m->u_mean + u + 3, m->h);
        STIC_TRY(stic_dense_inverse(n, block, m->inverse_value + A->value_at[A->begin[i]]));
    }
    return STIC_OK;
}

// tangent at uE = x: J dx = -f0 + H r with the laws on H'(uE + uC + dx)
static SticStatus tangent_at(void* self, const double* x, SticArena* arena, SticProblem* tangent)
{
    Motion* m = self;
    SticDirections* d = m->directions;
    double* w = NULL;
    update_coordinates(m, x);
    STIC_TRY(update_directions(m));
    STIC_TRY(linearise(m, x));
    d->Ht = d->u_pattern.csr;
    d->Ht.value = d->measures.H;
    STIC_TRY(STIC_TAKE(arena, &w, d->set.rows));
    for (int32_t c = 0; c < m->system->layout.nu; ++c) {
        m->residual[c] = -m->residual[c];
        m->scratch[c] = x[c] + m->u_impact[c];
    }
    if (d->set.rows > 0)
        stic_block_csr_multiply(1.0, &d->Ht, m->scratch, 0.0, w);
    *tangent = m->laws;
    tangent->dof = m->system->layout.nu;
    tangent->M = &m->tangent;
    tangent->Ht = &d->Ht;
    tangent->f = m->residual;
    tangent->w = w;
    return STIC_OK;
}

static SticStatus advance_by(void* self, const double* r, double* x, SticImplicitChange* change)
{
    Motion* m = self;
    const int32_t nu = m->system->layout.nu;
    double* dx = m->u_mean;
    stic_parts_velocity(&m->tangent, &m->directions->Ht, m->residual, r, dx, m->scratch);
    for (int32_t c = 0; c < nu; ++c)
        x[c] += dx[c];
    *change = stic_consistent_change(m->mass, dx, m->u_impact, x, m->rounding, m->scratch);
    return STIC_OK;
}

static SticStatus create_motion(Motion* m)
{
    const SticLayout* layout = &m->system->layout;
    SticArena* arena = m->stepper->arena;
    const SticBlockCsr* A = m->mass->A;
    const int64_t values = A->value_at[A->begin[A->rows]];
    double* begin_H = NULL;
    STIC_TRY(STIC_TAKE(arena, &m->end.q, layout->nq));
    STIC_TRY(STIC_TAKE(arena, &m->middle.q, layout->nq));
    STIC_TRY(STIC_TAKE(arena, &m->u_mean, layout->nu));
    STIC_TRY(STIC_TAKE(arena, &m->residual, layout->nu));
    STIC_TRY(STIC_TAKE(arena, &m->gradient, layout->nq));
    STIC_TRY(STIC_TAKE(arena, &m->scratch, layout->nu));
    STIC_TRY(STIC_TAKE(arena, &m->jacobian_value, values));
    STIC_TRY(STIC_TAKE(arena, &m->inverse_value, values));
    STIC_TRY(STIC_TAKE(arena, &begin_H, m->directions->u_pattern.values));
    if (m->directions->u_pattern.values > 0)
        memcpy(begin_H, m->directions->measures.H,
               (size_t)m->directions->u_pattern.values * sizeof *begin_H);
    m->begin_H = begin_H;
    m->jacobian = m->inverse = *A;
    m->jacobian.value = m->jacobian_value;
    m->inverse.value = m->inverse_value;
    m->tangent = (SticMass){.kind = STIC_MASS_BLOCKS, .A = &m->jacobian, .inverse = &m->inverse};
    m->end.u = m->middle.u = m->u_mean;
    m->end.memory = m->middle.memory = m->from->memory;
    m->end.t = m->from->t + m->h;
    m->middle.t = m->from->t + 0.5 * m->h;
    return STIC_OK;
}

// stage 2; u_end holds uC on entry
static SticStatus move(Motion* m, double* u_end, double* r, SticStepInfo* info)
{
    double* shift = NULL;
    STIC_TRY(stic_parts_problem(m->stepper, m->directions, m->h, &m->laws, &shift));
    stic_parts_warm_start(&m->directions->set, m->from->memory, r);
    const SticImplicit motion = {.self = m, .linearise = tangent_at, .advance = advance_by};
    STIC_TRY(stic_consistent_move(m->stepper, &motion, u_end, r, info));
    update_coordinates(m, u_end);
    return STIC_OK;
}

SticStatus stic_consistent_quaternion_advance(SticStepper* stepper, const SticSystem* system,
                                              const SticState* from, double t_to, SticState* to,
                                              SticStepInfo* info)
{
    const SticLayout* layout = &system->layout;
    SticConsistentStart start;
    double *r = NULL, *mean = NULL;
    STIC_TRY(stic_consistent_begin(stepper, system, from,
                                   STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_H | STIC_WANT_G,
                                   &start, info));
    SticDirections* directions = &start.directions;
    STIC_TRY(stic_consistent_impact(stepper, &start.mass, directions, from, start.u_impact, info));
    Motion motion = {.stepper = stepper,
                     .system = system,
                     .settings = stepper->settings,
                     .mass = &start.mass,
                     .from = from,
                     .h = t_to - from->t,
                     .u_impact = start.u_impact,
                     .directions = directions};
    STIC_TRY(create_motion(&motion));
    STIC_TRY(STIC_TAKE(stepper->arena, &r, directions->set.rows));
    STIC_TRY(STIC_TAKE(stepper->arena, &mean, directions->set.rows));
    memcpy(to->u, start.u_impact, (size_t)layout->nu * sizeof *to->u);
    STIC_TRY(move(&motion, to->u, r, info));
    memcpy(to->q, motion.end.q, (size_t)layout->nq * sizeof *to->q);
    to->t = t_to;

    // reactions of the motion stage work on the mean velocity (Möller 5.149)
    if (directions->set.rows > 0)
        stic_block_csr_multiply(1.0, &directions->Ht, motion.u_mean, 0.0, mean);
    for (int32_t c = 0; c < layout->nu; ++c)
        motion.scratch[c] = motion.h * motion.u_mean[c];
    const SticState middle = {motion.middle.t, motion.middle.q, motion.u_mean, from->memory};
    const SticConsistentEnd end = {.laws = directions,
                                   .bonds = directions,
                                   .mass = &start.mass,
                                   .r = r,
                                   .mean = mean,
                                   .middle = &middle,
                                   .displacement = motion.scratch,
                                   .h = motion.h};
    return stic_consistent_close(stepper, system, &end, from, to, info);
}
