// SPDX-License-Identifier: Apache-2.0
// Discrete derivatives of gaps and potentials.
//
// The derivative by the end point, which Newton wants (R = f(b) - f(a) - f'(m) d, S = e'N e,
// e = P d with NP symmetric; that of P, smaller by the turn of a step, is left out):
//
//   d(Df')/db = f''/2 + N e (f'(b) - f'(m) - d'f''/2) / S + R/S N P - 2 R/S^2 N e e'N
#include "step/discrete.h"

#include "step/momentum.h"
#include "step/stretch.h"
#include "stiction/extend/base.h"

#include <float.h>
#include <math.h>
#include <string.h>

// a block as a side of a row
static void add_block(const SticLayout* layout, const SticEnds* ends, int32_t block, double* value,
                      int side, SticDiscreteRow* row)
{
    const int32_t at = layout->q_at[block];
    row->size[side] = layout->q_at[block + 1] - at;
    row->value[side] = value;
    row->begin[side] = ends->begin->q + at;
    row->end[side] = ends->end->q + at;
    row->weight[side] = ends->weight + at;
}

SticDiscreteRow stic_discrete_row(const SticLayout* layout, const SticEnds* ends,
                                  const int32_t block[2], double* const value[2])
{
    SticDiscreteRow row = {.motions = ends->bodies ? 3 : 0};
    for (int side = 0; side < 2; ++side)
        if (block[side] >= 0)
            add_block(layout, ends, block[side], value[side], side, &row);
    return row;
}

// |derivative| times |coordinates| at an end, from coordinate `first` of a side on
static double turned_size(const SticDiscreteRow* row, int side, int32_t first, const double* q)
{
    double slope = 0.0, place = 0.0;
    for (int32_t c = first; c < row->size[side]; ++c) {
        slope += row->value[side][c] * row->value[side][c];
        place += q[c] * q[c];
    }
    return sqrt(slope * place);
}

// Sum of |derivative times coordinate| at both ends: what the value is made of, also where its
// parts cancel. How a body is turned counts as a whole: a product of two axes has slopes along
// quaternions that are zero, and products that are not, in a frame that happens to suit.
static double row_size(const SticDiscreteRow* row)
{
    double sum = 0.0;
    for (int side = 0; side < STIC_SYMMETRY_BLOCKS; ++side) {
        const int32_t turns = row->motions > 0 ? 3 : row->size[side];
        for (int32_t c = 0; c < row->size[side] && c < turns; ++c)
            sum +=
                fabs(row->value[side][c]) * (fabs(row->begin[side][c]) + fabs(row->end[side][c]));
        if (row->size[side] > turns)
            sum += turned_size(row, side, turns, row->begin[side]) +
                   turned_size(row, side, turns, row->end[side]);
    }
    return sum;
}

static double displacement(const SticDiscreteRow* row, int side, int32_t c)
{
    return row->end[side][c] - row->begin[side][c];
}

static bool is_pair(const SticDiscreteRow* row)
{
    return row->size[0] > 0 && row->size[1] > 0 && row->size[2] == 0;
}

// A function of two bodies has no wrench in the middle, and so none elsewhere. A function of a body
// and the world pushes along some motions, and only three places show which.
static void find_symmetry(const SticDiscreteRow* row, int32_t places, SticMovable* movable,
                          SticSymmetry* symmetry)
{
    SticSlope slope[3];
    int32_t n = 0;
    *movable = (SticMovable){.motions = row->motions};
    memcpy(movable->size, row->size, sizeof movable->size);
    for (int side = 0; side < STIC_SYMMETRY_BLOCKS; ++side)
        for (int32_t c = 0; c < row->size[side]; ++c, ++n) {
            const double begin = row->begin[side][c], end = row->end[side][c];
            movable->weight[n] = row->weight[side][c];
            slope[0].q[n] = 0.5 * (begin + end);
            slope[0].derivative[n] = row->value[side][c];
            for (int32_t s = 1; s < places; ++s) {
                slope[s].q[n] = s == 1 ? begin : end;
                slope[s].derivative[n] = row->slope[s - 1][side][c];
            }
        }
    stic_symmetry_find(movable, places, slope, symmetry);
}

// whether a miss may still be mostly rounding
static bool is_rounding(double miss, double unit)
{
    return fabs(miss) <= 64.0 * unit;
}

// A change that the rounding of both values explains says nothing about the derivative, and divided
// by a small |d| it would be large. The rounding is at most that of f if f is made of products with
// q; gaps are also made of places that are not coordinates: those of pivots, walls and the features
// of a body. Rates are made of products with velocities, also where their slopes vanish.
static double rounding_of(const SticDiscreteRow* row)
{
    double size = row_size(row) + row->products;
    for (int side = 0; side < STIC_SYMMETRY_BLOCKS && row->place > 0.0; ++side)
        for (int32_t c = 0; c < 3 && c < row->size[side]; ++c)
            size += row->place * fabs(row->value[side][c]);
    return DBL_EPSILON * size;
}

// change of the value beyond what the row predicts; 0 if it is rounding
static double miss_of(const SticDiscreteRow* row, double change, double* unit)
{
    double miss = change;
    *unit = rounding_of(row);
    for (int side = 0; side < STIC_SYMMETRY_BLOCKS; ++side)
        for (int32_t c = 0; c < row->size[side]; ++c)
            miss -= row->value[side][c] * displacement(row, side, c);
    return fabs(miss) <= 2.0 * *unit ? 0.0 : miss;
}

// N e and e'N e for a displacement e
static void weigh(const SticDiscreteRow* row, const double* e, SticDiscreteChange* made)
{
    int32_t n = 0;
    made->square = 0.0;
    for (int side = 0; side < STIC_SYMMETRY_BLOCKS; ++side)
        for (int32_t c = 0; c < row->size[side]; ++c, ++n) {
            made->Ne[n] = row->weight[side][c] * e[n];
            made->square += e[n] * made->Ne[n];
        }
}

// N e for d without the part that symmetric motions explain. A miss that may be rounding is left
// alone where they explain nearly all of d, as for bodies that move together: divided by the rest
// it would be large, and divided by the whole it would push along motions that leave f as it is.
static void find_direction(const SticDiscreteRow* row, double miss, double unit,
                           SticDiscreteChange* made)
{
    static const double most_part = 0.99;
    double d[STIC_SYMMETRY_WIDTH], e[STIC_SYMMETRY_WIDTH];
    const bool rounding = is_rounding(miss, unit),
               known = is_pair(row) || row->slope[0][row->size[0] > 0 ? 0 : 1] != NULL;
    SticMovable movable;
    int32_t n = 0;
    made->symmetry.count = 0;
    for (int side = 0; side < STIC_SYMMETRY_BLOCKS; ++side)
        for (int32_t c = 0; c < row->size[side]; ++c, ++n)
            d[n] = e[n] = displacement(row, side, c);
    weigh(row, d, made);
    const double whole = made->square;
    if (row->motions == 0 || !(rounding || known))
        return;
    find_symmetry(row, rounding || is_pair(row) ? 1 : 3, &movable, &made->symmetry);
    stic_symmetry_remove(&movable, &made->symmetry, e);
    weigh(row, e, made);
    if (rounding && made->square < (1.0 - most_part) * whole)
        made->square = 0.0;
}

// A miss that may be rounding, with a displacement that is hardly larger, would turn the derivative
// by any angle, and with it the force along it, differently for every iterate: this happens to
// bodies that stand still between joints and contacts. The miss is then left to the ledger, where
// it is rounding as well.
static bool is_noise(const SticDiscreteRow* row, double miss, double square)
{
    static const double most_part = 1e-9;
    double slope = 0.0;
    for (int side = 0; side < STIC_SYMMETRY_BLOCKS; ++side)
        for (int32_t c = 0; c < row->size[side]; ++c)
            slope += row->value[side][c] * row->value[side][c] / row->weight[side][c];
    return miss * miss > most_part * most_part * slope * square;
}

void stic_discrete_correct(SticDiscreteRow* row, double change, SticDiscreteChange* made)
{
    double unit;
    const double miss = miss_of(row, change, &unit);
    int32_t n = 0;
    made->factor = 0.0;
    made->symmetry.count = 0;
    if (miss == 0.0)
        return;
    find_direction(row, miss, unit, made);
    if (!(made->square > 0.0) || (is_rounding(miss, unit) && is_noise(row, miss, made->square)))
        return;
    made->factor = miss / made->square;
    for (int side = 0; side < STIC_SYMMETRY_BLOCKS; ++side)
        for (int32_t c = 0; c < row->size[side]; ++c)
            row->value[side][c] += made->factor * made->Ne[n++];
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

int32_t stic_discrete_rows(const SticInteraction* interaction)
{
    if (interaction->level == STIC_LEVEL_POSITION)
        return interaction->rows;
    if (interaction->level != STIC_LEVEL_CONTACT)
        return 0;
    // the two points of a bond were one, so that its slips are lengths as its gap is
    const int32_t lengths = interaction->rows < 3 ? interaction->rows : 3;
    return interaction->bonded ? lengths : 1;
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

// effect of time on gaps while coordinates stay, half a step at each end
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
            const int32_t rows = stic_discrete_rows(&directions->set.interaction[i]);
            for (int32_t row = first; row < first + rows; ++row)
                chi[row] = side == 0 ? (gap[0][row] - other[row]) / h
                                     : chi[row] + (other[row] - gap[1][row]) / h;
        }
    }
    return STIC_OK;
}

// the row of one gap, with derivatives at both ends where they were measured
static SticDiscreteRow gap_row(const SticLayout* layout, const SticEnds* ends,
                               const SticDirections* d, const double* const slope[2], int32_t i,
                               int32_t k)
{
    const SticInteraction* interaction = &d->set.interaction[i];
    SticDiscreteRow row = {.motions = ends->bodies ? 3 : 0,
                           .place =
                               interaction->place > ends->place ? interaction->place : ends->place};
    for (int side = 0; side < 2 + interaction->alsos; ++side) {
        const int32_t block = side < 2 ? interaction->block[side] : interaction->also[side - 2];
        int64_t at = side < 2 ? d->q_pattern.at[i][side] : d->q_pattern.also_at[i][side - 2];
        if (at < 0)
            continue;
        at += (int64_t)k * (layout->q_at[block + 1] - layout->q_at[block]);
        add_block(layout, ends, block, d->measures.G + at, side, &row);
        for (int e = 0; e < 2; ++e)
            row.slope[e][side] = slope[e] == NULL ? NULL : slope[e] + at;
    }
    return row;
}

/// Gaps at both ends of a step, and the sets that they belong to.
typedef struct Gaps {
    SticSet set[2];
    const double* gap[2];
    const double* slope[2]; // of all rows; NULL: not measured
} Gaps;

// Correct rows that need no slopes, or those that wait for them; returns whether some wait
static bool correct_rows(const SticSystem* system, const SticEnds* ends, SticDirections* d,
                         const Gaps* gaps)
{
    bool wait = false;
    const bool again = gaps->slope[0] != NULL;
    for (int32_t i = 0; i < d->set.count; ++i)
        for (int32_t k = 0; k < stic_discrete_rows(&d->set.interaction[i]); ++k) {
            const int32_t at = d->set.row_at[i] + k;
            const double change = gaps->gap[1][at] - gaps->gap[0][at];
            SticDiscreteRow row = gap_row(&system->layout, ends, d, gaps->slope, i, k);
            SticDiscreteChange made;
            double unit;
            const double miss = is_pair(&row) ? 0.0 : miss_of(&row, change, &unit);
            const bool waits = miss != 0.0 && row.motions > 0 && !is_rounding(miss, unit);
            wait = wait || waits;
            if (waits == again)
                stic_discrete_correct(&row, change, &made);
        }
    return wait;
}

// derivatives at both ends, in the arena
static SticStatus measure_slopes(SticStepper* stepper, const SticSystem* system,
                                 const SticEnds* ends, const SticDirections* d, Gaps* gaps)
{
    for (int side = 0; side < 2; ++side) {
        const SticState* at = side == 0 ? ends->begin : ends->end;
        const SticState then = {ends->middle->t, at->q, at->u, at->memory};
        SticDirections there = *d;
        there.set = gaps->set[side];
        there.measures.G = NULL;
        STIC_TRY(stic_directions_measure(stepper, system, &then, STIC_WANT_G, NULL, &there));
        gaps->slope[side] = there.measures.G;
    }
    return STIC_OK;
}

SticStatus stic_discrete_gaps(SticStepper* stepper, const SticSystem* system, const SticEnds* ends,
                              const SticGapsAsked* asked, SticDirections* directions)
{
    const SticSet frozen = directions->set;
    Gaps gaps = {.set = {frozen, frozen}};
    // the first call takes the memory of the measures, so that the mark lies behind it
    STIC_TRY(stic_discrete_trace(stepper, system, &frozen, ends->middle, &directions->set));
    STIC_TRY(stic_directions_measure(stepper, system, ends->middle, STIC_WANT_GAP | STIC_WANT_G,
                                     NULL, directions));
    const SticArenaMark mark = stic_arena_mark(stepper->arena);
    STIC_TRY(stic_discrete_trace(stepper, system, &frozen, ends->end, &gaps.set[1]));
    gaps.gap[0] = asked->begin;
    for (int side = 0; side < 2; ++side) {
        const SticState* at = side == 0 ? ends->begin : ends->end;
        double* gap = NULL;
        if (gaps.gap[side] != NULL)
            continue;
        STIC_TRY(STIC_TAKE(stepper->arena, &gap, frozen.rows));
        directions->set = gaps.set[side];
        STIC_TRY(gaps_at(stepper, system, at, ends->middle->t, directions, gap));
        gaps.gap[side] = gap;
    }
    directions->set = frozen;
    if (correct_rows(system, ends, directions, &gaps)) {
        STIC_TRY(measure_slopes(stepper, system, ends, directions, &gaps));
        correct_rows(system, ends, directions, &gaps);
    }
    if (asked->chi != NULL)
        STIC_TRY(add_time(stepper, system, ends, directions, gaps.gap, asked->chi));
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

// a term's Hessian f'' replaced by the derivative of its discrete gradient
static void bend(const SticDiscreteRow* row, const double* middle, const double* end,
                 const SticDiscreteChange* made, double* hessian)
{
    double d[STIC_SYMMETRY_WIDTH], N[STIC_SYMMETRY_WIDTH], slope[STIC_SYMMETRY_WIDTH];
    int32_t n = 0;
    for (int side = 0; side < STIC_SYMMETRY_BLOCKS; ++side)
        for (int32_t c = 0; c < row->size[side]; ++c, ++n) {
            d[n] = displacement(row, side, c);
            N[n] = row->weight[side][c];
        }
    for (int32_t c = 0; c < n; ++c) {
        slope[c] = end[c] - middle[c];
        for (int32_t r = 0; r < n; ++r)
            slope[c] -= 0.5 * d[r] * hessian[r * n + c];
    }
    const double factor = made->factor;
    for (int32_t r = 0; r < n; ++r)
        for (int32_t c = 0; c < n; ++c) {
            double* entry = &hessian[r * n + c];
            *entry *= 0.5;
            if (factor == 0.0)
                continue;
            *entry += made->Ne[r] * (slope[c] - 2.0 * factor * made->Ne[c]) / made->square;
            *entry += r == c ? factor * N[r] : 0.0;
            for (int32_t k = 0; k < made->symmetry.count; ++k)
                *entry -= factor * N[r] * made->symmetry.motion[k][r] * N[c] *
                          made->symmetry.motion[k][c];
        }
}

// directions in which a corrected term of one body pushes it beyond the slopes of the step
static void add_astray(const double* const slope[4], double astray[3])
{
    double along[3][3], left[3];
    for (int e = 0; e < 9; ++e)
        along[e / 3][e % 3] = slope[1 + e / 3][e % 3];
    stic_momentum_astray(slope[0], 3, (const double(*)[3])along, left);
    for (int k = 0; k < 3; ++k)
        astray[k] += left[k];
}

// values and slopes of a potential at both ends; time is held at the middle: its effect on V is
// work of prescribed motions
static SticStatus potential_at(SticStepper* stepper, const SticSystem* system, const SticEnds* ends,
                               SticTerms terms[2])
{
    for (int side = 0; side < 2; ++side) {
        const SticState* at = side == 0 ? ends->begin : ends->end;
        const SticState then = {ends->middle->t, at->q, at->u, at->memory};
        STIC_TRY(system->ops->potential(system, &then, 1, stepper->arena, &terms[side]));
    }
    return STIC_OK;
}

// the discrete derivative that a system provides itself
static SticStatus own_potential(SticStepper* stepper, const SticSystem* system,
                                const SticEnds* ends, SticDiscretePotential* out)
{
    const double t = ends->middle->t;
    const SticState begin = {t, ends->begin->q, ends->begin->u, ends->begin->memory};
    const SticState end = {t, ends->end->q, ends->end->u, ends->end->memory};
    const int32_t* q_at = system->layout.q_at;
    SticTerms* terms = &out->terms;
    STIC_TRY(system->ops->discrete(system, &begin, &end, stepper->arena, terms));
    const double* value = terms->gradient;
    for (int32_t k = 0; k < terms->count; ++k) {
        const int32_t* member = NULL;
        const int32_t members = stic_terms_blocks(terms, k, &member);
        const bool open = terms->open != NULL && terms->open[k] != 0;
        out->rounding += open ? 0.0 : DBL_EPSILON * terms->value[k];
        for (int32_t s = 0; s < members; ++s)
            for (int32_t c = q_at[member[s]]; c < q_at[member[s] + 1]; ++c, ++value) {
                if (open)
                    continue;
                out->gradient[c] += *value;
                out->rounding += DBL_EPSILON * fabs(*value) * (fabs(begin.q[c]) + fabs(end.q[c]));
            }
    }
    return STIC_OK;
}

// where the known values of one term are
typedef struct Term {
    const int32_t* block;
    double *value, *hessian; // derivatives in the middle
    const double* slope[2];  // at both ends
    const double* there[2];  // slope and Hessian in the stretched middle; NULL: there is none
    double begin, end;       // values
    double products;         // sizes of the products that they are made of
} Term;

// whether a block is a body with x and F as coordinates
static bool is_stretched(const SticLayout* layout, int32_t block)
{
    return layout->chart[block] == STIC_CHART_LINEAR &&
           layout->q_at[block + 1] - layout->q_at[block] == STIC_STRETCH_WIDTH;
}

// the potential where bodies that deform have the mean of their stretches (step/stretch.h); terms
// stay empty where there are none
static SticStatus stretched_potential(SticStepper* stepper, const SticSystem* system,
                                      const SticEnds* ends, SticTerms* terms)
{
    const SticLayout* layout = &system->layout;
    SticState there = *ends->middle;
    bool any = false;
    memset(terms, 0, sizeof *terms);
    for (int32_t i = 0; ends->bodies && i < layout->blocks; ++i)
        any = any || is_stretched(layout, i);
    if (!any || (system->offers & STIC_OFFERS_HESSIAN) == 0)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(stepper->arena, &there.q, layout->nq));
    memcpy(there.q, ends->middle->q, (size_t)layout->nq * sizeof *there.q);
    for (int32_t i = 0; i < layout->blocks; ++i)
        if (is_stretched(layout, i) &&
            !stic_stretch_middle(ends->begin->q + layout->q_at[i], ends->end->q + layout->q_at[i],
                                 there.q + layout->q_at[i]))
            return STIC_OK;
    return system->ops->potential(system, &there, 2, stepper->arena, terms);
}

// the discrete derivative of the energy of one body that deforms; false if it is not such a term
static bool derive_stretched(const SticLayout* layout, const SticEnds* ends, const Term* term)
{
    const int32_t block = term->block[0];
    if (term->there[0] == NULL || term->block[1] >= 0 || !is_stretched(layout, block))
        return false;
    const SticStretch stretch = {.begin = ends->begin->q + layout->q_at[block],
                                 .end = ends->end->q + layout->q_at[block],
                                 .slope = {term->slope[0], term->slope[1], term->there[0]},
                                 .hessian = term->there[1],
                                 .change = term->end - term->begin};
    return stic_stretch_derive(&stretch, term->value, term->hessian);
}

// one term: its derivatives become discrete ones
static void derive_term(const SticLayout* layout, const SticEnds* ends, const Term* term,
                        SticDiscretePotential* out)
{
    const int32_t* block = term->block;
    const int32_t first_size = layout->q_at[block[0] + 1] - layout->q_at[block[0]];
    double* const places[2] = {term->value, term->value + first_size};
    SticDiscreteRow row = stic_discrete_row(layout, ends, block, places);
    const int32_t size = row.size[0] + row.size[1];
    if (!derive_stretched(layout, ends, term)) {
        double before[STIC_SYMMETRY_WIDTH];
        SticDiscreteChange made;
        for (int e = 0; e < 4; ++e)
            row.slope[e / 2][e % 2] = term->slope[e / 2] + (e % 2 == 0 ? 0 : first_size);
        memcpy(before, term->value, (size_t)size * sizeof *before);
        row.products = term->products;
        stic_discrete_correct(&row, term->end - term->begin, &made);
        if (term->hessian != NULL && (!all_zero(size * size, term->hessian) || made.factor != 0.0))
            bend(&row, before, term->slope[1], &made, term->hessian);
        if (row.size[1] == 0 && row.motions > 0 && made.factor != 0.0)
            add_astray((const double* const[]){term->value, before, term->slope[0], term->slope[1]},
                       out->astray);
    }
    const double values = fabs(term->begin) + fabs(term->end);
    out->size += 0.5 * values;
    out->rounding += DBL_EPSILON * (values + term->products + row_size(&row));
    for (int s = 0; s < 2; ++s)
        for (int32_t c = 0; c < row.size[s]; ++c)
            out->gradient[layout->q_at[block[s]] + c] += row.value[s][c];
}

// What the values of a term are rounded as. A spring that is held at a distance is made of that, and
// of its force: neither its energy nor the coordinates of a body at the origin tell of them.
static double products_of(const SticTerms side[2], int32_t k)
{
    double most = 0.0;
    for (int e = 0; e < 2 && side[e].products != NULL; ++e)
        most = side[e].products[k] > most ? side[e].products[k] : most;
    return most;
}

// derive the terms, or only those that are open; `middle` holds all of them
static SticStatus derive_terms(SticStepper* stepper, const SticSystem* system, const SticEnds* ends,
                               const uint8_t* open, SticDiscretePotential* out)
{
    const SticLayout* layout = &system->layout;
    SticTerms side[2], there, *middle = &out->terms;
    STIC_TRY(potential_at(stepper, system, ends, side));
    STIC_TRY(stretched_potential(stepper, system, ends, &there));
    int64_t slopes = 0, bends = 0;
    for (int32_t k = 0; k < middle->count; ++k) {
        const int32_t* member = NULL;
        const int32_t members = stic_terms_blocks(middle, k, &member);
        const int32_t block[2] = {members > 0 ? member[0] : -1, members > 1 ? member[1] : -1};
        const Term term = {.block = block,
                           .value = middle->gradient + slopes,
                           .hessian = middle->hessian == NULL ? NULL : middle->hessian + bends,
                           .slope = {side[0].gradient + slopes, side[1].gradient + slopes},
                           .there = {there.count == 0 ? NULL : there.gradient + slopes,
                                     there.count == 0 ? NULL : there.hessian + bends},
                           .begin = side[0].value[k],
                           .end = side[1].value[k],
                           .products = products_of(side, k)};
        if (open == NULL || open[k] != 0)
            derive_term(layout, ends, &term, out);
        int64_t size = 0;
        for (int32_t s = 0; s < members; ++s)
            size += member[s] < 0 ? 0 : layout->q_at[member[s] + 1] - layout->q_at[member[s]];
        slopes += size;
        bends += size * size;
    }
    return STIC_OK;
}

// terms that the system has left open: those of the middle take the place of what it gave
static SticStatus open_terms(SticStepper* stepper, const SticSystem* system, const SticEnds* ends,
                             SticDiscretePotential* out)
{
    const SticLayout* layout = &system->layout;
    const SticTerms* terms = &out->terms;
    SticTerms middle;
    double *gradient = terms->gradient, *hessian = terms->hessian;
    STIC_TRY(system->ops->potential(system, ends->middle, 2, stepper->arena, &middle));
    const double *slope = middle.gradient, *bend = middle.hessian;
    for (int32_t k = 0; k < terms->count; ++k) {
        const int32_t* member = NULL;
        const int32_t members = stic_terms_blocks(terms, k, &member);
        size_t size = 0;
        for (int32_t s = 0; s < members; ++s)
            size += (size_t)(layout->q_at[member[s] + 1] - layout->q_at[member[s]]);
        if (terms->open[k] != 0) {
            memcpy(gradient, slope, size * sizeof *gradient);
            memcpy(hessian, bend, size * size * sizeof *hessian);
        }
        gradient += size;
        slope += size;
        hessian += size * size;
        bend += size * size;
    }
    return derive_terms(stepper, system, ends, terms->open, out);
}

SticStatus stic_discrete_potential(SticStepper* stepper, const SticSystem* system,
                                   const SticEnds* ends, SticDiscretePotential* out)
{
    memset(out->gradient, 0, (size_t)system->layout.nq * sizeof *out->gradient);
    memset(&out->terms, 0, sizeof out->terms);
    memset(out->astray, 0, sizeof out->astray);
    out->size = out->rounding = 0.0;
    if ((system->offers & STIC_OFFERS_POTENTIAL) == 0)
        return STIC_OK;
    if (system->ops->discrete != NULL) {
        STIC_TRY(own_potential(stepper, system, ends, out));
        return out->terms.open == NULL ? STIC_OK : open_terms(stepper, system, ends, out);
    }
    const int order = system->offers & STIC_OFFERS_HESSIAN ? 2 : 1;
    STIC_TRY(system->ops->potential(system, ends->middle, order, stepper->arena, &out->terms));
    return derive_terms(stepper, system, ends, NULL, out);
}
