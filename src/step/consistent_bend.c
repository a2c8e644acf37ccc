// SPDX-License-Identifier: Apache-2.0
// Contribution of ties under load to the tangent of the motion stage.
//
// The forces F*' Dg_S' lambda turn with the bodies. Their derivative by v is, with p = Dg_S' lambda
// of a body and K the Hessian of lambda'g_S,
//
//   1/4 [d(F*'p)/dq* + F*' K] dq_E/dw
//
// (the minus sign of the equation aside), and that of h/2 F*' Dgamma_S' kappa by the velocity of
// the end h/2 F*' (K + d(F*'p)'/dq*) F* with kappa in the place of lambda. The first is of the
// order h lambda a/J against 1, with the lever a of a tie and the inertia J of its body: (h
// omega/2)^2 for the frequency omega that the body swings with under the tension (tension.c). A
// load of a tonne on links of a gram has 1e4 of that, and Newton without it runs away; where it is
// small, Newton is fast without it, and it is left out (stic_motion_is_bent).
//
// K comes from the curvature that systems offer, C(y) = d/dq(G y): one measure for every
// coordinate, of all blocks at once that no tie connects (colours of blocks, first fit in their
// order). Potentials turn with F* as well, and are part of p.
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "step/consistent.h"
#include "step/tension.h"
#include "stiction/extend/base.h"

// (h omega/2)^2 from which on the tangent is bent: without it Newton gains a digit and a half in an
// iteration
static const double strong = 0.03;
// and the part of the last change that a change may be until it is bent
static const double slow = 0.1;

static int32_t coordinates(const SticMotion* m, int32_t block)
{
    return m->system->layout.q_at[block + 1] - m->system->layout.q_at[block];
}

SticStatus stic_motion_swing(const SticMotion* m, bool contacts, double* swing)
{
    SticArena* arena = m->stepper->arena;
    const SticArenaMark mark = stic_arena_mark(arena);
    double *lambda = NULL, *kappa = NULL, most = 0.0, more = 0.0;
    STIC_TRY(STIC_TAKE(arena, &lambda, m->rows));
    STIC_TRY(STIC_TAKE(arena, &kappa, m->rows));
    stic_ties_multipliers(m, lambda, kappa);
    SticPulls pulls = {&m->joints, &m->mass, &m->system->layout, lambda, 1u << STIC_LEVEL_POSITION};
    if (m->joints.set.count > 0)
        STIC_TRY(stic_tension(&pulls, arena, &most));
    pulls = (SticPulls){&m->laws, &m->mass, &m->system->layout, m->r, 1u << STIC_LEVEL_CONTACT};
    if (contacts && m->laws.set.count > 0)
        STIC_TRY(stic_tension(&pulls, arena, &more));
    *swing = sqrt(m->h * (most + more));
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

// whether a potential turns a body, as a spring attached off its centre does
static bool is_turned(const SticMotion* m)
{
    const SticLayout* layout = &m->system->layout;
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const SticKinematics block = stic_motion_block(m, i);
        const double* turning = m->potential.gradient + layout->q_at[i] + 3;
        if (stic_kinematics_in_middle(&block) &&
            (turning[0] != 0.0 || turning[1] != 0.0 || turning[2] != 0.0 || turning[3] != 0.0))
            return true;
    }
    return false;
}

SticStatus stic_motion_is_bent(SticMotion* m)
{
    double swing = 0.0;
    if (m->bent)
        return STIC_OK;
    const bool is_slow = m->change > slow * m->last_change;
    if (m->ties == 0) {
        m->bent = is_slow && is_turned(m);
        return STIC_OK;
    }
    STIC_TRY(stic_motion_swing(m, false, &swing));
    m->bent = 0.25 * swing * swing > strong || is_slow;
    return STIC_OK;
}

/* ---- curvature ---- */

// colours of blocks so that no tie has one twice; gives their number
static SticStatus colour_blocks(const SticMotion* m, int32_t* colour, int32_t* colours)
{
    const int32_t blocks = m->system->layout.blocks;
    SticArena* arena = m->stepper->arena;
    int32_t *begin = NULL, *neighbour = NULL, *taken = NULL;
    STIC_TRY(STIC_TAKE(arena, &begin, blocks + 2));
    STIC_TRY(STIC_TAKE(arena, &neighbour, 2 * (int64_t)m->ties));
    STIC_TRY(STIC_TAKE(arena, &taken, blocks + 1));
    memset(begin, 0, (size_t)(blocks + 2) * sizeof *begin);
    // neighbours of every block, by counting
    for (int32_t k = 0; k < m->ties; ++k)
        for (int s = 0; s < 2; ++s)
            if (m->tie[k].block[0] >= 0 && m->tie[k].block[1] >= 0)
                begin[m->tie[k].block[s] + 2] += 1;
    for (int32_t i = 0; i < blocks; ++i)
        begin[i + 2] += begin[i + 1];
    for (int32_t k = 0; k < m->ties; ++k)
        for (int s = 0; s < 2; ++s)
            if (m->tie[k].block[0] >= 0 && m->tie[k].block[1] >= 0)
                neighbour[begin[m->tie[k].block[s] + 1]++] = m->tie[k].block[1 - s];
    *colours = 0;
    for (int32_t i = 0; i <= blocks; ++i)
        taken[i] = -1;
    for (int32_t i = 0; i < blocks; ++i) {
        for (int32_t e = begin[i]; e < begin[i + 1]; ++e)
            if (neighbour[e] < i)
                taken[colour[neighbour[e]]] = i;
        colour[i] = 0;
        while (taken[colour[i]] == i)
            ++colour[i];
        *colours = colour[i] + 1 > *colours ? colour[i] + 1 : *colours;
    }
    return STIC_OK;
}

// column (s, c) of the matrices K of all joints that have a block of the colour at side s
static void take_column(const SticMotion* m, const int32_t* colour, int32_t of, int32_t c,
                        const double* lambda, SticBend* bend)
{
    const SticDirections* d = &m->joints;
    for (int32_t i = 0; i < d->set.count; ++i)
        for (int s = 0; s < 2; ++s) {
            const int32_t* block = m->tie[i].block;
            if (block[s] < 0 || colour[block[s]] != of || c >= coordinates(m, block[s]))
                continue;
            const int32_t column = bend[i].first[s] + c;
            for (int t = 0; t < 2; ++t) {
                const int32_t n = block[t] < 0 ? 0 : coordinates(m, block[t]);
                const double* C = d->measures.C + (n > 0 ? d->q_pattern.at[i][t] : 0);
                for (int32_t e = 0; e < n * m->tie[i].rows; ++e)
                    bend[i].K[(bend[i].first[t] + e % n) * bend[i].size + column] +=
                        lambda[m->tie[i].at + e / n] * C[e];
            }
        }
}

static SticStatus curve_joints(SticMotion* m, const double* lambda, SticBend* bend)
{
    const SticLayout* layout = &m->system->layout;
    SticArena* arena = m->stepper->arena;
    int32_t *colour = NULL, colours = 0, most = 0;
    double* y = NULL;
    if (m->joints.set.count == 0)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &colour, layout->blocks));
    STIC_TRY(STIC_TAKE(arena, &y, layout->nq));
    STIC_TRY(colour_blocks(m, colour, &colours));
    for (int32_t i = 0; i < layout->blocks; ++i)
        most = coordinates(m, i) > most ? coordinates(m, i) : most;
    for (int32_t k = 0; k < colours * most; ++k) {
        const int32_t of = k / most, c = k % most;
        memset(y, 0, (size_t)layout->nq * sizeof *y);
        for (int32_t i = 0; i < layout->blocks; ++i)
            if (colour[i] == of && c < coordinates(m, i))
                y[layout->q_at[i] + c] = 1.0;
        STIC_TRY(
            stic_directions_measure(m->stepper, m->system, &m->middle, STIC_WANT_C, y, &m->joints));
        take_column(m, colour, of, c, lambda, bend);
    }
    return STIC_OK;
}

SticStatus stic_ties_bend(SticMotion* m, SticBend** made)
{
    SticArena* arena = m->stepper->arena;
    double *lambda = NULL, *kappa = NULL;
    STIC_TRY(STIC_TAKE(arena, &lambda, m->rows));
    STIC_TRY(STIC_TAKE(arena, &kappa, m->rows));
    STIC_TRY(STIC_TAKE(arena, made, m->ties));
    stic_ties_multipliers(m, lambda, kappa);
    for (int32_t k = 0; k < m->rows; ++k)
        lambda[k] += 2.0 * kappa[k];
    for (int32_t k = 0; k < m->ties; ++k) {
        SticBend* bend = &(*made)[k];
        *bend = (SticBend){.size = 0};
        for (int s = 0; s < 2; ++s) {
            bend->first[s] = bend->size;
            bend->size += m->tie[k].block[s] < 0 ? 0 : coordinates(m, m->tie[k].block[s]);
        }
        STIC_TRY(STIC_TAKE(arena, &bend->K, bend->size * bend->size));
        memset(bend->K, 0, (size_t)(bend->size * bend->size) * sizeof *bend->K);
        // |A|^2 = 1 of a scalable block
        for (int32_t c = 3; k >= m->joints.set.count && c < bend->size; ++c)
            bend->K[c * (bend->size + 1)] =
                2.0 * (lambda[m->tie[k].at] - 2.0 * kappa[m->tie[k].at]);
    }
    return curve_joints(m, lambda, *made);
}

/* ---- turning ---- */

// covectors of all that acts on coordinates: potentials and ties; and those of kappa along Dg_S
static SticStatus sum_covectors(const SticMotion* m, double* p, double* carried)
{
    const SticLayout* layout = &m->system->layout;
    double *lambda = NULL, *kappa = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &lambda, m->rows));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &kappa, m->rows));
    stic_ties_multipliers(m, lambda, kappa);
    for (int32_t c = 0; c < layout->nq; ++c) {
        p[c] = m->h * m->potential.gradient[c];
        carried[c] = 0.0;
    }
    for (int32_t k = 0; k < m->ties; ++k)
        for (int s = 0; s < 2; ++s) {
            const SticTieRows* tie = &m->tie[k];
            const int32_t block = tie->block[s], n = block < 0 ? 0 : coordinates(m, block);
            for (int32_t e = 0; e < n * tie->rows; ++e) {
                const int32_t at = layout->q_at[block] + e % n, row = tie->at + e / n;
                p[at] -= lambda[row] * tie->Dg[s][e] + 0.5 * m->h * kappa[row] * tie->Dgamma[s][e];
                if (k < m->joints.set.count)
                    carried[at] += kappa[row] * tie->Dg[s][e];
            }
        }
    return STIC_OK;
}

SticStatus stic_motion_turn(SticMotion* m)
{
    const SticLayout* layout = &m->system->layout;
    const SticBlockCsr* M = m->mass.A;
    const SticArenaMark mark = stic_arena_mark(m->stepper->arena);
    double *p = NULL, *carried = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &p, layout->nq));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &carried, layout->nq));
    STIC_TRY(sum_covectors(m, p, carried));
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const SticKinematics block = stic_motion_block(m, i);
        double* value = m->diagonal + M->value_at[M->begin[i]];
        if (!stic_kinematics_in_middle(&block))
            continue;
        for (int32_t e = 0; e < block.n; ++e) {
            double unit[STIC_CHART_MAX_U] = {0.0}, z[STIC_CHART_MAX_Q], row[STIC_CHART_MAX_U];
            unit[e] = 1.0;
            stic_chart_rate_gradient(block.chart, block.n, m->middle.q + layout->q_at[i], unit,
                                     p + layout->q_at[i], z);
            stic_kinematics_pull(&block, m->middle.u + layout->u_at[i], z, row);
            for (int32_t c = 0; c < block.n; ++c)
                value[e * block.n + c] += 0.25 * row[c];
            // Dgamma_S changes with the velocity that it belongs to
            stic_chart_rate_gradient(block.chart, block.n, m->middle.q + layout->q_at[i], unit,
                                     carried + layout->q_at[i], z);
            stic_kinematics_force(&block, m->end.q + layout->q_at[i], z, row);
            for (int32_t c = 0; c < block.n; ++c)
                value[c * block.n + e] -= 0.5 * m->h * row[c];
        }
    }
    stic_arena_rewind(m->stepper->arena, mark);
    return STIC_OK;
}
