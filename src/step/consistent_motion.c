// SPDX-License-Identifier: Apache-2.0
// The motion stage of the energy-consistent schemes, and linear stages in an instant.
//
// Newton outside, the linear inclusion inside. The tangent of equation (1) by v is
//
//   J = M + h/2 (slopes of gyroscopic forces) + h/2 F*' d(DV)/dq_E dq_E/dw - h/2 df/du
//
// with springs, dampers and potentials of any pair of bodies as blocks off the diagonal. Where
// nothing couples bodies the inclusion is given in its global form, with one block per body; else
// bodies and constraints are eliminated cluster by cluster (bordered.h) and the laws get their W.
// Left out of J: the turning of the laws' directions, of the order h^2 and of the reactions, and,
// where they are small, that of F* and the curvature of constraints under load (consistent_bend.c);
// Newton converges linearly in these.
#include "step/consistent.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "problem/mass.h"
#include "sparse/sparse.h"
#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"

SticKinematics stic_motion_block(const SticMotion* m, int32_t i)
{
    const SticLayout* layout = &m->system->layout;
    return (SticKinematics){.chart = (SticChart)layout->chart[i],
                            .n = layout->u_at[i + 1] - layout->u_at[i],
                            .h = m->h,
                            .middle = m->settings->midpoint,
                            .q = m->from->q + layout->q_at[i]};
}

SticEnds stic_motion_ends(const SticMotion* m)
{
    return (SticEnds){m->from, &m->middle, &m->end, m->weight, m->system->size != NULL, m->place};
}

/* ---- the iterate ---- */

// mean velocity, velocity at the end, coordinates in the middle and at the end for x; SINGULAR if
// no turn belongs to them
static SticStatus place(SticMotion* m)
{
    bool turns = true;
    const SticLayout* layout = &m->system->layout;
    for (int32_t c = 0; c < layout->nu; ++c) {
        m->middle.u[c] = 0.5 * (m->x[c] + m->u_impact[c]);
        m->end.u[c] = m->x[c];
    }
    stic_ties_add_velocity(m, m->end.u);
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const SticKinematics block = stic_motion_block(m, i);
        const double* w = m->middle.u + layout->u_at[i];
        stic_kinematics_move(&block, w, m->end.q + layout->q_at[i]);
        turns = turns && stic_kinematics_turns(&block, w);
    }
    for (int32_t c = 0; c < layout->nq; ++c)
        m->middle.q[c] = 0.5 * (m->from->q[c] + m->end.q[c]);
    return turns ? STIC_OK : STIC_SINGULAR;
}

// The middle with bodies of full size: between two quaternions they are smaller, and a body that
// rolls on the smaller one would be braked at the end, where it rolls on the full one
static SticStatus middle_of_size(const SticMotion* m, SticState* state)
{
    const SticLayout* layout = &m->system->layout;
    *state = m->middle;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &state->q, layout->nq));
    memcpy(state->q, m->middle.q, (size_t)layout->nq * sizeof *state->q);
    for (int32_t i = 0; i < layout->blocks; ++i) {
        double* A = state->q + layout->q_at[i] + 3;
        if (layout->chart[i] != STIC_CHART_QUATERNION && layout->chart[i] != STIC_CHART_SCALABLE)
            continue;
        const double length = sqrt(A[0] * A[0] + A[1] * A[1] + A[2] * A[2] + A[3] * A[3]);
        for (int c = 0; length > 0.0 && c < 4; ++c)
            A[c] /= length;
    }
    return STIC_OK;
}

// Directions of scalable blocks are covectors of coordinates (Möller 5.107): those of the beginning
// are different directions of velocities if structure matrices are those of the middle.
static void turn_directions(SticMotion* m)
{
    SticDirections* d = &m->laws;
    const SticLayout* layout = &m->system->layout;
    for (int32_t e = 0; m->settings->midpoint && e < 2 * d->set.count; ++e) {
        const int32_t i = e / 2, block = d->set.interaction[i].block[e % 2];
        if (d->u_pattern.at[i][e % 2] < 0 || layout->chart[block] != STIC_CHART_SCALABLE)
            continue;
        const SticKinematics kinematics = stic_motion_block(m, block);
        for (int32_t row = 0; row < d->set.interaction[i].rows; ++row)
            stic_kinematics_turn(&kinematics, m->end.q + layout->q_at[block],
                                 d->measures.H + d->u_pattern.at[i][e % 2] + row * kinematics.n);
    }
}

// Rows of H and chi in the middle, where the points of contact are then. A body that turns about a
// point moves along the tangent of the middle: that of the beginning would lead it off its circle
// by (h omega)^2/2 of the radius in every step. The mean angular velocity is along the axis of the
// turn in every chart, and has the same components in the body's frames of beginning and middle.
static SticStatus measure_middle(SticMotion* m)
{
    SticDirections *d = &m->laws, there = *d;
    SticState middle;
    memcpy(m->chi, m->begin_chi, (size_t)d->set.rows * sizeof *m->chi);
    STIC_TRY(middle_of_size(m, &middle));
    STIC_TRY(stic_discrete_trace(m->stepper, m->system, &d->set, &middle, &there.set));
    there.measures.chi = m->chi;
    there.measures.lead = 0.0;
    const uint32_t want = m->moving ? STIC_WANT_H | STIC_WANT_CHI : STIC_WANT_H;
    return stic_directions_measure(m->stepper, m->system, &middle, want, NULL, &there);
}

// Directions that turn with the iterate are not in the tangent: under a load that is large compared
// with the body it rests on, they would not let Newton settle. After this many iterations without
// progress they stay as they are, or are those of the beginning if the iterate is still far off:
// second order is lost in such a step, energy is right with any directions.
enum { MOST_SETBACKS = 4 };
static const double near_enough = 1e-3;
// and below this change they are known: further changes move them by less
static const double settled = 1e-9;
// Rows of gaps have corrections that make them exact along the step: what a gap changes by beyond
// the slope of the middle, over what is left of the step where motions are taken away that leave the
// gap as it is. Where a body slides, next to nothing is left, and such a correction is different in
// every iterate. After this many iterations without progress these rows stay as well: the gap of the
// end is then that of a neighbouring iterate, which is judged like any other. In the literal form
// reactions lag behind the iterates: progress is slow for their sake, and rows follow to the end
enum { MOST_GAP_SETBACKS = 12 };

static void follow_or_stay(SticMotion* m)
{
    const bool begin =
        m->settings->begin_directions || m->settings->friction == STIC_FRICTION_BEGIN;
    m->setbacks += m->change >= m->nearest && isfinite(m->nearest) ? 1 : 0;
    m->nearest = m->change < m->nearest ? m->change : m->nearest;
    m->gaps_stay = m->stepper->solve.settings.implicit == STIC_IMPLICIT_NESTED &&
                   m->setbacks >= MOST_GAP_SETBACKS && m->nearest < near_enough;
    if (m->directions != STIC_DIRECTIONS_FOLLOW)
        return;
    if (begin)
        m->directions = STIC_DIRECTIONS_BEGIN;
    else if (m->nearest < settled)
        m->directions = STIC_DIRECTIONS_STAY;
    else if (m->setbacks >= MOST_SETBACKS)
        m->directions = m->nearest < near_enough ? STIC_DIRECTIONS_STAY : STIC_DIRECTIONS_BEGIN;
}

// directions beside the gaps
static SticStatus place_directions(SticMotion* m)
{
    SticDirections* d = &m->laws;
    if (m->directions == STIC_DIRECTIONS_FOLLOW)
        return measure_middle(m);
    if (m->directions == STIC_DIRECTIONS_STAY)
        return STIC_OK;
    memcpy(m->chi, m->begin_chi, (size_t)d->set.rows * sizeof *m->chi);
    memcpy(d->measures.H, m->begin_H, (size_t)d->u_pattern.values * sizeof *d->measures.H);
    turn_directions(m);
    return STIC_OK;
}

// rows of gaps, and of slips of bonds, from discrete derivatives, pulled back; others in the middle
static SticStatus update_directions(SticMotion* m)
{
    SticDirections* d = &m->laws;
    const SticLayout* layout = &m->system->layout;
    if (d->set.count == 0)
        return STIC_OK;
    follow_or_stay(m);
    if (m->gaps_stay)
        return STIC_OK;
    STIC_TRY(place_directions(m));
    if (m->settings->begin_directions)
        return STIC_OK;
    const SticEnds ends = stic_motion_ends(m);
    const SticGapsAsked asked = {m->moving ? NULL : m->begin_gap, m->moving ? m->chi : NULL};
    STIC_TRY(stic_discrete_gaps(m->stepper, m->system, &ends, &asked, d));
    for (int32_t i = 0; i < d->set.count; ++i) {
        const SticBlockCsr *u = &d->u_pattern.csr, *q = &d->q_pattern.csr;
        if (d->set.interaction[i].level != STIC_LEVEL_CONTACT)
            continue;
        for (int32_t e = u->begin[i]; e < u->begin[i + 1]; ++e) {
            const SticKinematics kinematics = stic_motion_block(m, u->col[e]);
            const int32_t* q_at = layout->q_at + u->col[e];
            for (int32_t k = 0; k < stic_discrete_rows(&d->set.interaction[i]); ++k)
                stic_kinematics_force(&kinematics, m->end.q + q_at[0],
                                      d->measures.G + q->value_at[e] +
                                          (int64_t)k * (q_at[1] - q_at[0]),
                                      d->measures.H + u->value_at[e] + (int64_t)k * kinematics.n);
        }
    }
    return STIC_OK;
}

/* ---- the tangent ---- */

// where parts of J go
typedef struct Parts {
    const SticMotion* m;
    SticCoupling* coupling; // room for all
    int32_t couplings;
} Parts;

// the block (a, b) of J: on the diagonal, or a new coupling of zeros
static SticStatus part_of(Parts* parts, int32_t a, int32_t b, double** value)
{
    const SticMotion* m = parts->m;
    const SticLayout* layout = &m->system->layout;
    const SticBlockCsr* M = m->mass.A;
    if (a == b) {
        *value = m->diagonal + M->value_at[M->begin[a]];
        return STIC_OK;
    }
    const int64_t size =
        (int64_t)(layout->u_at[a + 1] - layout->u_at[a]) * (layout->u_at[b + 1] - layout->u_at[b]);
    STIC_TRY(STIC_TAKE(m->stepper->arena, value, size));
    memset(*value, 0, (size_t)size * sizeof **value);
    parts->coupling[parts->couplings++] = (SticCoupling){a, b, *value};
    return STIC_OK;
}

// value += h/2 F_a' P dq_b/dw_b for the part P of a term's matrix with `size` columns
static void add_stiffness(const SticMotion* m, const int32_t block[2], const double* P,
                          int32_t size, double* value)
{
    const SticLayout* layout = &m->system->layout;
    const SticKinematics a = stic_motion_block(m, block[0]), b = stic_motion_block(m, block[1]);
    const int32_t rows = layout->q_at[block[0] + 1] - layout->q_at[block[0]];
    double bent[STIC_CHART_MAX_Q][STIC_CHART_MAX_U], column[STIC_CHART_MAX_Q],
        force[STIC_CHART_MAX_U];
    for (int32_t r = 0; r < rows; ++r)
        stic_kinematics_pull(&b, m->middle.u + layout->u_at[block[1]], P + (int64_t)r * size,
                             bent[r]);
    for (int32_t c = 0; c < b.n; ++c) {
        for (int32_t r = 0; r < rows; ++r)
            column[r] = bent[r][c];
        stic_kinematics_force(&a, m->end.q + layout->q_at[block[0]], column, force);
        for (int32_t r = 0; r < a.n; ++r)
            value[r * b.n + c] += 0.5 * m->h * force[r];
    }
}

static void add_slope(const SticMotion* m, const int32_t block[2], const double* P, int32_t size,
                      double* value)
{
    const SticLayout* layout = &m->system->layout;
    const int32_t na = layout->u_at[block[0] + 1] - layout->u_at[block[0]],
                  nb = layout->u_at[block[1] + 1] - layout->u_at[block[1]];
    for (int32_t r = 0; r < na; ++r)
        for (int32_t c = 0; c < nb; ++c)
            value[r * nb + c] -= 0.5 * m->h * P[r * size + c];
}

static bool all_zero(int32_t count, const double* values)
{
    for (int32_t k = 0; k < count; ++k)
        if (values[k] != 0.0)
            return false;
    return true;
}

static int32_t width_of(const int32_t* at, int32_t block)
{
    return block < 0 ? 0 : at[block + 1] - at[block];
}

// local terms of one kind: of the potential by coordinates, of forces by velocities
static SticStatus add_terms(Parts* parts, const SticTerms* terms, const int32_t* at,
                            void (*add)(const SticMotion*, const int32_t*, const double*, int32_t,
                                        double*))
{
    const double* matrix = terms->hessian;
    for (int32_t k = 0; matrix != NULL && k < terms->count; ++k) {
        const int32_t* member = NULL;
        const int32_t members = stic_terms_blocks(terms, k, &member);
        int32_t size = 0, first[2] = {0, 0};
        for (int32_t s = 0; s < members; ++s)
            size += width_of(at, member[s]);
        // the weight of a body has no second derivative
        const bool bends = !all_zero(size * size, matrix);
        for (int32_t s = 0; bends && s < members; first[0] += width_of(at, member[s++])) {
            first[1] = 0;
            for (int32_t e = 0; e < members; first[1] += width_of(at, member[e++])) {
                const int32_t block[2] = {member[s], member[e]};
                double* value = NULL;
                if (block[0] < 0 || block[1] < 0)
                    continue;
                STIC_TRY(part_of(parts, block[0], block[1], &value));
                add(parts->m, block, matrix + (int64_t)first[0] * size + first[1], size, value);
            }
        }
        matrix += (int64_t)size * size;
    }
    return STIC_OK;
}

// T of one block with the velocity of the end and the mass at some coordinates
static double kinetic_of(const SticMotion* m, const SticMass* mass, int32_t i)
{
    const double* u = m->end.u + m->system->layout.u_at[i];
    const double* M = mass->A->value + mass->A->value_at[mass->A->begin[i]];
    const int32_t n = m->system->layout.u_at[i + 1] - m->system->layout.u_at[i];
    double sum = 0.0;
    for (int32_t e = 0; e < n * n; ++e)
        sum += 0.5 * u[e / n] * M[e] * u[e % n];
    return sum;
}

// inertia terms of blocks whose mass depends on their coordinates (Möller 5.58): G(uC,qB) w, which
// does no work, and the discrete derivative of T(uE, .), which telescopes. Newton does without the
// derivative of the latter
static SticStatus add_inertia(SticMotion* m)
{
    const SticLayout* layout = &m->system->layout;
    SticArena* arena = m->stepper->arena;
    const SticBlockCsr* M = m->mass.A;
    const SticEnds ends = stic_motion_ends(m);
    const SticState bent = {m->middle.t, m->middle.q, m->end.u, m->from->memory};
    const SticState begin = {m->from->t, m->from->q, m->u_impact, m->from->memory};
    SticMass late;
    double *slope = NULL, *unused = NULL, *G = NULL;
    if (m->system->ops->inertia == NULL)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &slope, layout->nq));
    STIC_TRY(STIC_TAKE(arena, &unused, layout->nq));
    STIC_TRY(STIC_TAKE(arena, &G, M->value_at[M->begin[M->rows]]));
    STIC_TRY(m->system->ops->inertia(m->system, &begin, unused, G));
    STIC_TRY(m->system->ops->inertia(m->system, &bent, slope, NULL));
    STIC_TRY(m->system->ops->mass(m->system, &m->end, arena, &late));
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const int32_t u = layout->u_at[i], n = layout->u_at[i + 1] - u;
        if (layout->chart[i] != STIC_CHART_GENERAL)
            continue;
        double* const value[2] = {slope + layout->q_at[i], NULL};
        SticDiscreteRow row = stic_discrete_row(layout, &ends, (const int32_t[]){i, -1}, value);
        SticDiscreteChange made;
        stic_discrete_correct(&row, kinetic_of(m, &late, i) - kinetic_of(m, &m->mass, i), &made);
        const int64_t at = M->value_at[M->begin[i]];
        for (int32_t r = 0; r < n; ++r) {
            m->residual[u + r] += m->h * value[0][r];
            for (int32_t c = 0; c < n; ++c) {
                m->residual[u + r] += m->h * G[at + r * n + c] * m->middle.u[u + c];
                m->diagonal[at + r * n + c] += 0.5 * m->h * G[at + r * n + c];
            }
        }
    }
    return STIC_OK;
}

// residual of (1) without reactions and ties, and the diagonal blocks of J
static SticStatus momentum_rows(SticMotion* m)
{
    const SticLayout* layout = &m->system->layout;
    const SticBlockCsr* M = m->mass.A;
    const SticEnds ends = stic_motion_ends(m);
    STIC_TRY(stic_discrete_potential(m->stepper, m->system, &ends, &m->potential));
    STIC_TRY(m->system->ops->force(m->system, &m->middle, m->force));
    memcpy(m->diagonal, M->value, (size_t)M->value_at[M->begin[M->rows]] * sizeof *m->diagonal);
    for (int32_t c = 0; c < layout->nu; ++c)
        m->residual[c] = m->x[c] - m->u_impact[c];
    memcpy(m->scratch, m->residual, (size_t)layout->nu * sizeof *m->scratch);
    stic_block_csr_multiply(1.0, M, m->scratch, 0.0, m->residual);
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const SticKinematics block = stic_motion_block(m, i);
        const int32_t u = layout->u_at[i];
        double pulled[STIC_CHART_MAX_U];
        stic_kinematics_gyro(&block, M->value + M->value_at[M->begin[i]], m->u_impact + u,
                             m->middle.u + u, m->force + u, m->diagonal + M->value_at[M->begin[i]]);
        stic_kinematics_force(&block, m->end.q + layout->q_at[i],
                              m->potential.gradient + layout->q_at[i], pulled);
        for (int32_t c = 0; c < block.n; ++c)
            m->residual[u + c] += m->h * (pulled[c] - m->force[u + c]);
    }
    return add_inertia(m);
}

static int32_t count_pairs(const SticTerms* terms)
{
    int32_t count = 0;
    for (int32_t k = 0; k < terms->count; ++k) {
        const int32_t* member = NULL;
        const int32_t members = stic_terms_blocks(terms, k, &member);
        int32_t blocks = 0;
        for (int32_t s = 0; s < members; ++s)
            blocks += member[s] >= 0 ? 1 : 0;
        count += blocks * (blocks - 1);
    }
    return count;
}

// inverse of a part of three rows and columns of a block of six; that of a translation is diagonal
static SticStatus invert_part(const double* A, double* inverse)
{
    double part[9], whole[9] = {0.0};
    bool diagonal = true;
    for (int e = 0; e < 9; ++e) {
        part[e] = A[e / 3 * 6 + e % 3];
        diagonal = diagonal && (e % 4 == 0 || part[e] == 0.0);
    }
    for (int k = 0; diagonal && k < 3; ++k) {
        if (part[4 * k] == 0.0)
            return STIC_SINGULAR;
        whole[4 * k] = 1.0 / part[4 * k];
    }
    if (!diagonal)
        STIC_TRY(stic_dense_inverse(3, part, whole));
    for (int e = 0; e < 9; ++e)
        inverse[e / 3 * 6 + e % 3] = whole[e];
    return STIC_OK;
}

// inverse of a block; that of a rigid body mostly splits into translation and rotation
static SticStatus invert(int32_t n, const double* A, double* inverse)
{
    bool apart = n == 6;
    for (int32_t e = 0; apart && e < 18; ++e) {
        const int32_t r = e / 6, c = e % 6;
        apart = c < 3 || (A[r * 6 + c] == 0.0 && A[c * 6 + r] == 0.0);
    }
    if (!apart)
        return stic_dense_inverse(n, A, inverse);
    memset(inverse, 0, 36 * sizeof *inverse);
    STIC_TRY(invert_part(A, inverse));
    return invert_part(A + 21, inverse + 21);
}

// forces of ties under load turn with their bodies
static SticStatus add_bend(Parts* parts, SticMotion* m)
{
    SticBend* bend = NULL;
    STIC_TRY(stic_ties_bend(m, &bend));
    for (int32_t k = 0; k < m->ties; ++k) {
        const int32_t size = bend[k].size;
        // of the force -Dg'lambda, half of which belongs to the end, in the form that add_stiffness
        // takes
        for (int32_t e = 0; e < size * size; ++e)
            bend[k].K[e] *= -0.5 / m->h;
        for (int e = 0; e < 4; ++e) {
            const int32_t block[2] = {m->tie[k].block[e / 2], m->tie[k].block[e % 2]};
            double* value = NULL;
            if (block[0] < 0 || block[1] < 0)
                continue;
            STIC_TRY(part_of(parts, block[0], block[1], &value));
            add_stiffness(m, block,
                          bend[k].K + (int64_t)bend[k].first[e / 2] * size + bend[k].first[e % 2],
                          size, value);
        }
    }
    return stic_motion_turn(m);
}

// J from its parts, factorised
static SticStatus build_tangent(SticMotion* m)
{
    const SticLayout* layout = &m->system->layout;
    SticArena* arena = m->stepper->arena;
    SticTerms slopes;
    SticTie* tie = NULL;
    Parts parts = {.m = m};
    memset(&slopes, 0, sizeof slopes);
    if (m->system->ops->tangent != NULL)
        STIC_TRY(m->system->ops->tangent(m->system, &m->middle, arena, &slopes));
    STIC_TRY(STIC_TAKE(arena, &parts.coupling,
                       count_pairs(&m->potential.terms) + count_pairs(&slopes) + 2 * m->ties));
    STIC_TRY(add_terms(&parts, &m->potential.terms, layout->q_at, add_stiffness));
    STIC_TRY(add_terms(&parts, &slopes, layout->u_at, add_slope));
    STIC_TRY(stic_motion_is_bent(m));
    if (m->bent)
        STIC_TRY(add_bend(&parts, m));
    m->coupled = parts.couplings > 0 || m->ties > 0 || m->delta != NULL;
    if (!m->coupled) {
        const SticBlockCsr* M = m->mass.A;
        for (int32_t i = 0; i < layout->blocks; ++i) {
            const int64_t at = M->value_at[M->begin[i]];
            STIC_TRY(
                invert(layout->u_at[i + 1] - layout->u_at[i], m->diagonal + at, m->inverse + at));
        }
        return STIC_OK;
    }
    STIC_TRY(stic_ties_tangent(m, &tie));
    const SticBorderedDef def = {.M = m->mass.A,
                                 .diagonal = m->diagonal,
                                 .ties = m->ties,
                                 .tie = tie,
                                 .couplings = parts.couplings,
                                 .coupling = parts.coupling};
    return stic_bordered_create(arena, &def, &m->bordered);
}

/* ---- the inclusion ---- */

// W + delta^(1/2) H'M^-1 H delta^(1/2) (E1, Möller 5.141). With one delta this is his law; rows
// that differ, such as those of a normal and its friction, are weighed from both sides, so that the
// form stays positive and no impact gains energy. Ties pass impulses on: with ties, M^-1 is the
// inverse on the motions that they leave free.
static SticStatus add_dissipation(SticMotion* m, SticBlockCsr* W, SticError* error)
{
    SticArena* arena = m->stepper->arena;
    const SticBlockCsr* Ht = &m->laws.Ht;
    SticBlockCsr extra;
    if (m->held != NULL)
        STIC_TRY(stic_bordered_condense(m->held, arena, Ht, &extra, error));
    else
        STIC_TRY(stic_block_csr_product3(Ht, m->mass.inverse, Ht, arena, &extra));
    const int32_t blocks[2] = {W->begin[W->rows], extra.begin[extra.rows]};
    const int64_t values[2] = {W->value_at[blocks[0]], extra.value_at[blocks[1]]};
    int32_t *row = NULL, *col = NULL, count = 0;
    double *value = NULL, *to;
    STIC_TRY(STIC_TAKE(arena, &row, blocks[0] + blocks[1]));
    STIC_TRY(STIC_TAKE(arena, &col, blocks[0] + blocks[1]));
    STIC_TRY(STIC_TAKE(arena, &value, values[0] + values[1]));
    to = value;
    for (int part = 0; part < 2; ++part) {
        const SticBlockCsr* from = part == 0 ? W : &extra;
        for (int32_t i = 0; i < from->rows; ++i)
            for (int32_t e = from->begin[i]; e < from->begin[i + 1]; ++e) {
                const int32_t n = from->col_at[from->col[e] + 1] - from->col_at[from->col[e]];
                const double* entry = from->value + from->value_at[e];
                row[count] = i;
                col[count++] = from->col[e];
                const double *left = m->delta + from->row_at[i],
                             *right = m->delta + from->col_at[from->col[e]];
                for (int64_t k = 0; k < from->value_at[e + 1] - from->value_at[e]; ++k)
                    *to++ = (part == 0 ? 1.0 : left[k / n] * right[k % n]) * entry[k];
            }
    }
    const SticPartition partition = {Ht->rows, Ht->rows, Ht->row_at, Ht->row_at};
    const SticBlockTriplets triplets = {count, row, col, value};
    return stic_block_csr_from_blocks(&partition, &triplets, arena, W, error);
}

// x += solution of the bordered system for the forces r of the laws; into `change`
static SticStatus solve_for(SticMotion* m, const double* r, double* change)
{
    const int32_t nu = m->system->layout.nu;
    for (int32_t c = 0; c < m->unknowns; ++c)
        change[c] = -m->residual[c];
    if (r != NULL && m->laws.set.rows > 0)
        stic_block_csr_multiply_transpose(1.0, &m->laws.Ht, r, 1.0, change);
    if (m->coupled)
        return stic_bordered_solve(m->bordered, m->stepper->arena, change, change + nu);
    memcpy(m->scratch, change, (size_t)nu * sizeof *change);
    stic_mass_divide(&m->tangent, m->scratch, change);
    return STIC_OK;
}

// The laws hold for twice the mean velocity. In mixed schemes those of contacts hold for that of the
// end, along directions of the middle: fit for impacts and friction, but what turns with a drive or
// a bond does not move along them at the end
static SticStatus velocity_of_laws(SticMotion* m, SticArena* arena, double* w)
{
    const SticDirections* d = &m->laws;
    const bool mixed = m->stages == STIC_STAGES_MIXED;
    double* first = NULL;
    if (d->set.rows == 0)
        return STIC_OK;
    for (int32_t c = 0; c < m->system->layout.nu; ++c)
        m->scratch[c] = m->x[c] + (mixed ? 0.0 : m->u_impact[c]);
    for (int32_t row = 0; row < d->set.rows; ++row)
        w[row] = (mixed ? 1.0 : 2.0) * m->chi[row];
    stic_block_csr_multiply(1.0, &d->Ht, m->scratch, 1.0, w);
    if (!mixed)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &first, d->set.rows));
    memcpy(first, m->chi, (size_t)d->set.rows * sizeof *first);
    stic_block_csr_multiply(1.0, &d->Ht, m->u_impact, 1.0, first);
    for (int32_t i = 0; i < d->set.count; ++i)
        for (int32_t row = d->set.row_at[i];
             stic_motion_is_steady(&d->set.interaction[i]) && row < d->set.row_at[i + 1]; ++row)
            w[row] += first[row];
    return STIC_OK;
}

static SticStatus tangent_at(void* self, const double* x, SticArena* arena, SticProblem* tangent)
{
    SticMotion* m = self;
    const SticLayout* layout = &m->system->layout;
    SticDirections* d = &m->laws;
    double *w = NULL, *b = NULL, *free = NULL;
    SticBlockCsr* W = NULL;
    (void)x; // the unknowns are the motion's own
    STIC_TRY(place(m));
    STIC_TRY(update_directions(m));
    STIC_TRY(stic_ties_measure(m));
    STIC_TRY(momentum_rows(m));
    stic_ties_residual(m, m->residual, m->residual + layout->nu);
    if (!stic_dense_is_finite(m->unknowns, m->residual))
        return STIC_SINGULAR;
    STIC_TRY(build_tangent(m));
    d->Ht = d->u_pattern.csr;
    d->Ht.value = d->measures.H;

    STIC_TRY(STIC_TAKE(arena, &w, d->set.rows));
    STIC_TRY(velocity_of_laws(m, arena, w));
    *tangent = m->problem;
    tangent->w = w;
    if (!m->coupled) {
        for (int32_t c = 0; c < layout->nu; ++c)
            m->force[c] = -m->residual[c];
        tangent->dof = layout->nu;
        tangent->M = &m->tangent;
        tangent->Ht = &d->Ht;
        tangent->f = m->force;
        return STIC_OK;
    }
    STIC_TRY(STIC_TAKE(arena, &W, 1));
    STIC_TRY(STIC_TAKE(arena, &b, d->set.rows));
    STIC_TRY(STIC_TAKE(arena, &free, m->unknowns));
    STIC_TRY(solve_for(m, NULL, free));
    memcpy(b, w, (size_t)d->set.rows * sizeof *b);
    if (d->set.rows > 0) {
        stic_block_csr_multiply(1.0, &d->Ht, free, 1.0, b);
        STIC_TRY(stic_bordered_condense(m->bordered, arena, &d->Ht, W, NULL));
        if (m->delta != NULL)
            STIC_TRY(add_dissipation(m, W, NULL));
    }
    tangent->W = W;
    tangent->b = b;
    return STIC_OK;
}

// The scheme makes the change of kinetic energy equal to that of -V, and V(end) - V(begin) is known
// only to `rounding`: with m u du = dT, velocities that belong to a small kinetic energy beside a
// large potential are known to rounding / |u|_M^2, however long one iterates. Twice that for the
// difference of two iterates, twice again for the operations inside V.
// Ties are known to the rounding of the coordinates, which in a step is a velocity: m->shaken.
// Reactions that hold a body at rest are as exact as the velocity that they take away: `driven`,
// the change without them, counts as a size where there are laws.
static SticImplicitChange change_of(const SticMotion* m, const double* change, const double* driven)
{
    const double from = sqrt(stic_mass_form(&m->mass, m->u_impact, m->u_impact));
    const double to = sqrt(stic_mass_form(&m->mass, m->x, m->x));
    const double moved = sqrt(stic_mass_form(&m->mass, change, change));
    double size = from > to ? from : to;
    if (m->laws.set.rows > 0) {
        const double held = sqrt(stic_mass_form(&m->mass, driven, driven));
        size = held > size ? held : size;
    }
    if (!(size > 0.0))
        return (SticImplicitChange){.size = moved <= 4.0 * m->shaken ? 0.0 : 1.0};
    return (SticImplicitChange){.size = moved / size,
                                .floor = 4.0 * m->potential.rounding / (size * size) +
                                         4.0 * m->shaken / size};
}

static SticStatus advance_by(void* self, const double* r, double* x, SticImplicitChange* change)
{
    SticMotion* m = self;
    double *dx = NULL, *driven = NULL;
    const SticArenaMark mark = stic_arena_mark(m->stepper->arena);
    STIC_TRY(STIC_TAKE(m->stepper->arena, &dx, m->unknowns));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &driven, m->unknowns));
    if (m->laws.set.rows > 0)
        STIC_TRY(solve_for(m, NULL, driven));
    STIC_TRY(solve_for(m, r, dx));
    for (int32_t c = 0; c < m->unknowns; ++c)
        x[c] += dx[c];
    *change = change_of(m, dx, driven);
    m->last_change = m->change;
    m->change = change->size;
    stic_arena_rewind(m->stepper->arena, mark);
    return STIC_OK;
}

// work of the laws in the motion beyond what they may do
static SticStatus gain_of(SticMotion* m, double* gain)
{
    const int32_t rows = m->laws.set.rows;
    double* mean = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &mean, rows));
    // the last change of x is below Newton's tolerance, and H is that of before it
    for (int32_t c = 0; c < m->system->layout.nu; ++c)
        m->scratch[c] = 0.5 * (m->x[c] + m->u_impact[c]);
    memcpy(mean, m->chi, (size_t)rows * sizeof *mean);
    stic_block_csr_multiply(1.0, &m->laws.Ht, m->scratch, 1.0, mean);
    *gain = stic_motion_gain(&m->laws.set, m->r, mean);
    return STIC_OK;
}

// The motion once more, from its solution on, with a part of the error of `first`; a result that is
// not better is dropped
static SticStatus solve_again(SticMotion* m, const SticImplicit* implicit,
                              const SticSolveInfo* first, double part, double* gain,
                              SticStepInfo* info)
{
    SticArena* arena = m->stepper->arena;
    double *x = NULL, *r = NULL, again = 0.0;
    STIC_TRY(STIC_TAKE(arena, &x, m->unknowns));
    STIC_TRY(STIC_TAKE(arena, &r, m->laws.set.rows));
    memcpy(x, m->x, (size_t)m->unknowns * sizeof *x);
    memcpy(r, m->r, (size_t)m->laws.set.rows * sizeof *r);
    // directions stay those of the first solution, whichever of the two is taken
    if (m->directions == STIC_DIRECTIONS_FOLLOW)
        m->directions = STIC_DIRECTIONS_STAY;
    const SticAsked before = stic_motion_ask_more(m, first, part);
    const SticStatus status = stic_parts_implicit(m->stepper, implicit, m->x, m->r, info);
    stic_motion_ask(m, before);
    STIC_TRY(status);
    STIC_TRY(gain_of(m, &again));
    if (info->solve.outcome == STIC_OUTCOME_SOLVED && again < *gain) {
        *gain = again;
        return STIC_OK;
    }
    memcpy(m->x, x, (size_t)m->unknowns * sizeof *x);
    memcpy(m->r, r, (size_t)m->laws.set.rows * sizeof *r);
    return STIC_OK;
}

// A motion whose laws give energy is solved more accurately, and then as far as rounding allows;
// with laws of the velocity at the end that would not help
static SticStatus repeat_motion(SticMotion* m, const SticImplicit* implicit, SticStepInfo* info)
{
    const SticSolveInfo first = info->solve;
    double gain = 0.0;
    if (m->laws.set.rows == 0 || first.outcome != STIC_OUTCOME_SOLVED)
        return STIC_OK;
    const double kinetic = 0.5 * stic_mass_form(&m->mass, m->x, m->x) +
                           0.5 * stic_mass_form(&m->mass, m->u_impact, m->u_impact),
                 potential = m->potential.rounding / DBL_EPSILON,
                 allowed = STIC_GAIN_PART * (kinetic + m->idle + potential);
    STIC_TRY(gain_of(m, &gain));
    if (m->stages == STIC_STAGES_MIXED) {
        m->gives = gain > allowed;
        return STIC_OK;
    }
    for (int pass = 0; pass < 2 && gain > allowed; ++pass)
        STIC_TRY(solve_again(m, implicit, &first, pass == 0 ? allowed / gain : 0.0, &gain, info));
    info->solve = first;
    return STIC_OK;
}

SticStatus stic_motion_solve(SticMotion* m, SticStepInfo* info)
{
    const SticSolveInfo impact = info->solve;
    const bool level = m->stepper->accuracy != STIC_ACCURACY_TOLERANCE;
    const SticImplicit implicit = {.self = m,
                                   .linearise = tangent_at,
                                   .advance = advance_by,
                                   .arena = m->stepper->arena,
                                   .unknowns = m->unknowns,
                                   .max_iterations = m->settings->max_newton,
                                   .tolerance = m->settings->newton_tolerance,
                                   .inner = level ? m->settings->newton_tolerance : 0.0,
                                   .once = m->settings->linearised};
    STIC_TRY(stic_parts_implicit(m->stepper, &implicit, m->x, m->r, info));
    STIC_TRY(repeat_motion(m, &implicit, info));
    // an impact that was not solved is not hidden by the motion
    if (impact.method != NULL && impact.outcome != STIC_OUTCOME_SOLVED)
        info->solve = impact;
    if (place(m) == STIC_SINGULAR)
        info->solve.outcome = STIC_OUTCOME_STALLED;
    if (info->solve.outcome != STIC_OUTCOME_SOLVED)
        STIC_TRY(stic_motion_swing(m, true, &info->swing));
    if (m->laws.set.count > 0)
        STIC_TRY(update_directions(m));
    return stic_ties_measure(m);
}

/* ---- instants ---- */

SticStatus stic_motion_hold(SticMotion* m, bool end, SticBordered** held)
{
    SticTie* tie = NULL;
    STIC_TRY(stic_ties_instant(m, end, &tie));
    const SticBorderedDef def = {
        .M = m->mass.A, .diagonal = m->mass.A->value, .ties = m->ties, .tie = tie};
    return stic_bordered_create(m->stepper->arena, &def, held);
}

// Rates of the ties after an instant: those that prescribed motions ask for, and the part that is
// kept of those of joints that are held for positions alone. Such rates are not zero, and with
// other coefficients than those of the contacts they would give energy to an impact
static SticStatus rates_after(const SticMotion* m, const SticInstant* instant, double** rate)
{
    STIC_TRY(STIC_TAKE(m->stepper->arena, rate, m->rows));
    stic_ties_rates(m, instant->u_before, instant->end, *rate);
    for (int32_t k = 0; k < m->rows; ++k) {
        const bool joint = k < m->joints.set.rows;
        (*rate)[k] *= joint && m->settings->levels == 1 ? instant->kept : 0.0;
        (*rate)[k] -= joint ? m->joints.measures.chi[k] : 0.0;
    }
    return STIC_OK;
}

SticStatus stic_motion_instant(SticMotion* m, SticInstant* instant, double* r, double* u,
                               SticStepInfo* info)
{
    SticArena* arena = m->stepper->arena;
    const SticLayout* layout = &m->system->layout;
    SticDirections* laws = instant->laws;
    double *momentum = NULL, *y = NULL, *b = NULL, *free = NULL, *relative = NULL, *rate = NULL;
    SticBordered* bordered = NULL;
    SticBlockCsr W;
    STIC_TRY(STIC_TAKE(arena, &momentum, layout->nu));
    stic_block_csr_multiply(1.0, m->mass.A, instant->u_before, 0.0, momentum);
    if (m->ties == 0) {
        const SticStage stage = {laws, &m->mass, momentum, instant->problem, instant->start, NULL};
        return stic_parts_stage(m->stepper, &stage, r, u, info);
    }
    STIC_TRY(STIC_TAKE(arena, &y, m->rows));
    STIC_TRY(STIC_TAKE(arena, &b, laws->set.rows));
    STIC_TRY(STIC_TAKE(arena, &relative, laws->set.rows));
    STIC_TRY(STIC_TAKE(arena, &free, layout->nu));
    STIC_TRY(rates_after(m, instant, &rate));
    STIC_TRY(stic_motion_hold(m, instant->end, &bordered));
    SticProblem problem = *instant->problem;
    for (int pass = 0; pass < 2; ++pass) {
        memcpy(y, rate, (size_t)m->rows * sizeof *y);
        memcpy(free, momentum, (size_t)layout->nu * sizeof *free);
        if (pass == 1 && laws->set.rows > 0)
            stic_block_csr_multiply_transpose(1.0, &laws->Ht, r, 1.0, free);
        STIC_TRY(stic_bordered_solve(bordered, arena, free, y));
        if (pass == 1 || laws->set.rows == 0)
            break;
        memcpy(b, laws->measures.chi, (size_t)laws->set.rows * sizeof *b);
        stic_block_csr_multiply(1.0, &laws->Ht, free, 1.0, b);
        STIC_TRY(stic_bordered_condense(bordered, arena, &laws->Ht, &W, NULL));
        problem.W = &W;
        problem.b = b;
        if (instant->start != NULL)
            stic_parts_warm_start(&laws->set, instant->start, r);
        STIC_TRY(stic_parts_solve(m->stepper, &problem, r, relative, info));
    }
    memcpy(u, free, (size_t)layout->nu * sizeof *u);
    instant->tie_r = y;
    return STIC_OK;
}
