// SPDX-License-Identifier: Apache-2.0
// Discrete derivatives of gaps and potentials.
//
// The derivative by the end point, which Newton wants (R = f(b) - f(a) - f'(m) d, S = d'N d):
//
//   d(Df')/db = f''/2 + N d (f'(b) - f'(m) - d'f''/2) / S + R/S N - 2 R/S^2 N d d'N
#include "step/discrete.h"

#include "stiction/extend/base.h"

#include <float.h>
#include <math.h>
#include <string.h>

SticDiscreteRow stic_discrete_row(const SticLayout* layout, const SticEnds* ends,
                                  const int32_t block[2], double* const value[2])
{
    const bool pair = block[0] >= 0 && block[1] >= 0;
    SticDiscreteRow row = {.size = {0, 0}, .shared = ends->bodies && pair ? 3 : 0};
    for (int side = 0; side < 2; ++side) {
        if (block[side] < 0)
            continue;
        const int32_t at = layout->q_at[block[side]];
        row.size[side] = layout->q_at[block[side] + 1] - at;
        row.value[side] = value[side];
        row.begin[side] = ends->begin->q + at;
        row.end[side] = ends->end->q + at;
        row.weight[side] = ends->weight + at;
    }
    return row;
}

// sum of |derivative times coordinate| at both ends: what the value is made of, also where its
// parts cancel
static double row_size(const SticDiscreteRow* row)
{
    double sum = 0.0;
    for (int side = 0; side < 2; ++side)
        for (int32_t c = 0; c < row->size[side]; ++c)
            sum +=
                fabs(row->value[side][c]) * (fabs(row->begin[side][c]) + fabs(row->end[side][c]));
    return sum;
}

// whether a common translation of the two bodies leaves the value as it is
static bool is_relative(const SticDiscreteRow* row)
{
    double sum = 0.0, size = 0.0;
    for (int32_t c = 0; c < row->shared; ++c) {
        sum += fabs(row->value[0][c] + row->value[1][c]);
        size += fabs(row->value[0][c]) + fabs(row->value[1][c]);
    }
    // a value that does depend on it would differ visibly, not in the last digits
    return sum <= 1e-8 * size;
}

static double displacement(const SticDiscreteRow* row, int side, int32_t c)
{
    return row->end[side][c] - row->begin[side][c];
}

// the component of N d
static double weighed(const SticDiscreteRow* row, int side, int32_t c)
{
    const double d = displacement(row, side, c);
    if (c >= row->shared)
        return row->weight[side][c] * d;
    const double m = row->weight[side][c], other = row->weight[1 - side][c];
    return m * other / (m + other) * (d - displacement(row, 1 - side, c));
}

// d'N d
static double square_of(const SticDiscreteRow* row)
{
    double square = 0.0;
    for (int side = 0; side < 2; ++side)
        for (int32_t c = 0; c < row->size[side]; ++c)
            square += weighed(row, side, c) * displacement(row, side, c);
    return square;
}

// What the rounding of both values explains says nothing about the derivative, and divided by a
// small |d| it would be large. So much is f at most if it is made of products with q; gaps are made
// of places that are no coordinates, too: those of pivots, walls and the features of a body.
static double rounding_of(const SticDiscreteRow* row)
{
    double size = row_size(row);
    for (int side = 0; side < 2 && row->place > 0.0; ++side)
        for (int32_t c = 0; c < 3 && c < row->size[side]; ++c)
            size += row->place * fabs(row->value[side][c]);
    return DBL_EPSILON * size;
}

double stic_discrete_correct(SticDiscreteRow* row, double change)
{
    const double unit = rounding_of(row);
    double miss = change;
    for (int side = 0; side < 2; ++side)
        for (int32_t c = 0; c < row->size[side]; ++c)
            miss -= row->value[side][c] * displacement(row, side, c);
    if (fabs(miss) <= 2.0 * unit)
        return 0.0;
    // a miss that may still be mostly rounding is divided by the displacement of both, not by the
    // small one between bodies that move together
    if (row->shared > 0 && (fabs(miss) <= 64.0 * unit || !is_relative(row)))
        row->shared = 0;
    const double square = square_of(row);
    if (!(square > 0.0))
        return 0.0;
    const double factor = miss / square;
    for (int side = 0; side < 2; ++side)
        for (int32_t c = 0; c < row->size[side]; ++c)
            row->value[side][c] += factor * weighed(row, side, c);
    return factor;
}

void stic_discrete_weights(const SticLayout* layout, const SticMass* mass, double* weight)
{
    const SticBlockCsr* M = mass->A;
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const double* block = M->value + M->value_at[M->begin[i]];
        const int32_t q = layout->q_at[i], n = layout->u_at[i + 1] - layout->u_at[i];
        const bool flat =
            layout->chart[i] == STIC_CHART_LINEAR || layout->chart[i] == STIC_CHART_GENERAL;
        for (int32_t c = 0; c < (flat ? n : 3); ++c)
            weight[q + c] = block[c * (n + 1)];
        double trace = 0.0;
        for (int32_t c = n - 3; !flat && c < n; ++c)
            trace += block[c * (n + 1)];
        for (int32_t c = q + 3; !flat && c < layout->q_at[i + 1]; ++c)
            weight[c] = 2.0 * trace;
    }
}

/* ---- gaps ---- */

static int32_t rows_with_gap(const SticInteraction* interaction)
{
    return interaction->level == STIC_LEVEL_POSITION  ? interaction->rows
           : interaction->level == STIC_LEVEL_CONTACT ? 1
                                                      : 0;
}

// gaps of all rows at the coordinates of a state and a time
static SticStatus gaps_at(SticStepper* stepper, const SticSystem* system, const SticState* state,
                          double t, SticDirections* directions, double* gap)
{
    const SticState at = {t, state->q, state->u, state->memory};
    STIC_TRY(stic_directions_measure(stepper, system, &at, STIC_WANT_GAP, NULL, directions));
    memcpy(gap, directions->measures.gap, (size_t)directions->set.rows * sizeof *gap);
    return STIC_OK;
}

SticStatus stic_discrete_trace(SticStepper* stepper, const SticSystem* system, const SticSet* set,
                               const SticState* state, SticSet* there)
{
    uint8_t* known = NULL;
    *there = *set;
    if (system->ops->retrace == NULL || set->count == 0)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(stepper->arena, &known, set->count));
    return system->ops->retrace(system, set, state, stepper->arena, there, known);
}

// what the passing of time does to gaps while coordinates stay, half a step at each end
static SticStatus add_time(SticStepper* stepper, const SticSystem* system, const SticEnds* ends,
                           SticDirections* directions, const double* const gap[2], double* chi)
{
    double* other = NULL;
    const double h = ends->end->t - ends->begin->t;
    STIC_TRY(STIC_TAKE(stepper->arena, &other, directions->set.rows));
    for (int side = 0; side < 2; ++side) {
        const SticState* at = side == 0 ? ends->begin : ends->end;
        STIC_TRY(gaps_at(stepper, system, at, at->t, directions, other));
        for (int32_t i = 0; i < directions->set.count; ++i) {
            const int32_t first = directions->set.row_at[i];
            const int32_t rows = rows_with_gap(&directions->set.interaction[i]);
            for (int32_t row = first; row < first + rows; ++row)
                chi[row] = side == 0 ? (gap[0][row] - other[row]) / h
                                     : chi[row] + (other[row] - gap[1][row]) / h;
        }
    }
    return STIC_OK;
}

SticStatus stic_discrete_gaps(SticStepper* stepper, const SticSystem* system, const SticEnds* ends,
                              SticDirections* directions, double* chi)
{
    const SticSet* set = &directions->set;
    const SticSet frozen = *set;
    double* gap[2] = {NULL, NULL};
    // the first call takes the memory of the measures, so that the mark lies behind it
    STIC_TRY(stic_discrete_trace(stepper, system, &frozen, ends->middle, &directions->set));
    STIC_TRY(stic_directions_measure(stepper, system, ends->middle, STIC_WANT_GAP | STIC_WANT_G,
                                     NULL, directions));
    const SticArenaMark mark = stic_arena_mark(stepper->arena);
    for (int side = 0; side < 2; ++side) {
        const SticState* at = side == 0 ? ends->begin : ends->end;
        STIC_TRY(STIC_TAKE(stepper->arena, &gap[side], set->rows));
        directions->set = frozen;
        if (side == 1)
            STIC_TRY(stic_discrete_trace(stepper, system, &frozen, at, &directions->set));
        STIC_TRY(gaps_at(stepper, system, at, ends->middle->t, directions, gap[side]));
    }
    directions->set = frozen;
    for (int32_t i = 0; i < set->count; ++i)
        for (int32_t k = 0; k < rows_with_gap(&set->interaction[i]); ++k) {
            const int32_t* block = set->interaction[i].block;
            double* value[2] = {NULL, NULL};
            int32_t of[2] = {-1, -1};
            for (int side = 0; side < 2; ++side) {
                const int64_t at = directions->q_pattern.at[i][side];
                if (at < 0)
                    continue;
                of[side] = block[side];
                value[side] = directions->measures.G + at +
                              (int64_t)k * (system->layout.q_at[block[side] + 1] -
                                            system->layout.q_at[block[side]]);
            }
            SticDiscreteRow row = stic_discrete_row(&system->layout, ends, of, value);
            const int32_t at = set->row_at[i] + k;
            row.place = ends->place;
            stic_discrete_correct(&row, gap[1][at] - gap[0][at]);
        }
    if (chi != NULL)
        STIC_TRY(add_time(stepper, system, ends, directions, (const double* const*)gap, chi));
    stic_arena_rewind(stepper->arena, mark);
    return STIC_OK;
}

/* ---- potential ---- */

static bool all_zero(int32_t count, const double* values)
{
    for (int32_t k = 0; k < count; ++k)
        if (values[k] != 0.0)
            return false;
    return true;
}

// a term's Hessian f'' replaced by the derivative of its discrete gradient; `factor` is R/S
static void bend(const SticDiscreteRow* row, const double* middle, const double* end, double factor,
                 double* hessian)
{
    double d[2 * STIC_CHART_MAX_Q], Nd[2 * STIC_CHART_MAX_Q], N[2 * STIC_CHART_MAX_Q],
        slope[2 * STIC_CHART_MAX_Q], square = 0.0;
    int32_t n = 0;
    for (int side = 0; side < 2; ++side)
        for (int32_t c = 0; c < row->size[side]; ++c, ++n) {
            const double m = row->weight[side][c],
                         other = c < row->shared ? row->weight[1 - side][c] : 0.0;
            d[n] = displacement(row, side, c);
            N[n] = c < row->shared ? m * other / (m + other) : m;
            Nd[n] = weighed(row, side, c);
            square += d[n] * Nd[n];
        }
    for (int32_t c = 0; c < n; ++c) {
        slope[c] = end[c] - middle[c];
        for (int32_t r = 0; r < n; ++r)
            slope[c] -= 0.5 * d[r] * hessian[r * n + c];
    }
    for (int32_t r = 0; r < n; ++r)
        for (int32_t c = 0; c < n; ++c) {
            double* entry = &hessian[r * n + c];
            *entry *= 0.5;
            if (factor != 0.0)
                *entry += Nd[r] * (slope[c] - 2.0 * factor * Nd[c]) / square;
            if (r == c)
                *entry += factor * N[r];
            else if (r < row->shared && c == r + row->size[0])
                *entry -= factor * N[r];
            else if (c < row->shared && r == c + row->size[0])
                *entry -= factor * N[c];
        }
}

SticStatus stic_discrete_potential(SticStepper* stepper, const SticSystem* system,
                                   const SticEnds* ends, SticDiscretePotential* out)
{
    const SticLayout* layout = &system->layout;
    SticTerms begin, end, *middle = &out->terms;
    memset(out->gradient, 0, (size_t)layout->nq * sizeof *out->gradient);
    memset(middle, 0, sizeof *middle);
    out->rounding = 0.0;
    if ((system->offers & STIC_OFFERS_POTENTIAL) == 0)
        return STIC_OK;
    // time is held at the middle: what its passing does to V is work of prescribed motions
    const double t = ends->middle->t;
    const SticState first = {t, ends->begin->q, ends->begin->u, ends->begin->memory};
    const SticState last = {t, ends->end->q, ends->end->u, ends->end->memory};
    const int order = system->offers & STIC_OFFERS_HESSIAN ? 2 : 1;
    STIC_TRY(system->ops->potential(system, &first, 0, stepper->arena, &begin));
    STIC_TRY(system->ops->potential(system, &last, order - 1, stepper->arena, &end));
    STIC_TRY(system->ops->potential(system, ends->middle, order, stepper->arena, middle));
    double *value = middle->gradient, *hessian = middle->hessian;
    const double* slope = end.gradient;
    for (int32_t k = 0; k < middle->count; ++k) {
        const int32_t* block = middle->block[k];
        const int32_t first_size = layout->q_at[block[0] + 1] - layout->q_at[block[0]];
        double* const places[2] = {value, value + first_size};
        SticDiscreteRow row = stic_discrete_row(layout, ends, block, places);
        const int32_t size = row.size[0] + row.size[1];
        double before[2 * STIC_CHART_MAX_Q];
        memcpy(before, value, (size_t)size * sizeof *before);
        const double factor = stic_discrete_correct(&row, end.value[k] - begin.value[k]);
        if (hessian != NULL && (!all_zero(size * size, hessian) || factor != 0.0))
            bend(&row, before, slope, factor, hessian);
        out->rounding += DBL_EPSILON * (fabs(begin.value[k]) + fabs(end.value[k]) + row_size(&row));
        for (int side = 0; side < 2; ++side)
            for (int32_t c = 0; c < row.size[side]; ++c)
                out->gradient[layout->q_at[block[side]] + c] += row.value[side][c];
        value += size;
        slope = hessian == NULL ? NULL : slope + size;
        hessian = hessian == NULL ? NULL : hessian + size * size;
    }
    return STIC_OK;
}
