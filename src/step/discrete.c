// SPDX-License-Identifier: Apache-2.0
// Discrete derivatives of gaps and potentials.
#include "step/discrete.h"

#include <float.h>
#include <math.h>
#include <string.h>

// one row of a gradient, on the one or two blocks it depends on
typedef struct Row {
    double* value[2];
    const double* begin[2]; // coordinates of the blocks at the two ends
    const double* end[2];
    int32_t size[2];
} Row;

// add the correction that makes row . d equal to `change`
static void correct_row(const Row* row, double change)
{
    double along = 0.0, square = 0.0, scale = 0.0;
    for (int side = 0; side < 2; ++side)
        for (int32_t c = 0; c < row->size[side]; ++c) {
            const double d = row->end[side][c] - row->begin[side][c];
            const double size = row->end[side][c] * row->end[side][c];
            along += row->value[side][c] * d;
            square += d * d;
            scale += size;
        }
    // below this |d| is rounding noise of the coordinates themselves (1e-13 relative)
    if (square <= 1e-26 * scale || square == 0.0)
        return;
    const double factor = (change - along) / square;
    for (int side = 0; side < 2; ++side)
        for (int32_t c = 0; c < row->size[side]; ++c)
            row->value[side][c] += factor * (row->end[side][c] - row->begin[side][c]);
}

// sum of |derivative times coordinate| at both ends: what the value is made of, also where its
// parts cancel
static double row_size(const Row* row)
{
    double sum = 0.0;
    for (int side = 0; side < 2; ++side)
        for (int32_t c = 0; c < row->size[side]; ++c)
            sum +=
                fabs(row->value[side][c]) * (fabs(row->begin[side][c]) + fabs(row->end[side][c]));
    return sum;
}

static Row row_of(const SticDirections* directions, const SticLayout* layout, const SticEnds* ends,
                  int32_t i, int32_t k)
{
    Row row;
    memset(&row, 0, sizeof row);
    for (int side = 0; side < 2; ++side) {
        const int64_t at = directions->q_pattern.at[i][side];
        const int32_t block = directions->set.interaction[i].block[side];
        if (at < 0)
            continue;
        row.size[side] = layout->q_at[block + 1] - layout->q_at[block];
        row.value[side] = directions->measures.G + at + (int64_t)k * row.size[side];
        row.begin[side] = ends->begin->q + layout->q_at[block];
        row.end[side] = ends->end->q + layout->q_at[block];
    }
    return row;
}

SticStatus stic_discrete_gaps(SticStepper* stepper, const SticSystem* system, const SticEnds* ends,
                              SticDirections* directions)
{
    const SticSet* set = &directions->set;
    double *gap_begin = NULL, *gap_end = NULL;
    const size_t bytes = (size_t)set->rows * sizeof(double);
    // the first call takes the memory of the measures, so that the mark lies behind it
    STIC_TRY(stic_directions_measure(stepper, system, ends->middle, STIC_WANT_GAP | STIC_WANT_G,
                                     NULL, directions));
    const SticArenaMark mark = stic_arena_mark(stepper->arena);
    STIC_TRY(STIC_TAKE(stepper->arena, &gap_begin, set->rows));
    STIC_TRY(STIC_TAKE(stepper->arena, &gap_end, set->rows));
    STIC_TRY(
        stic_directions_measure(stepper, system, ends->begin, STIC_WANT_GAP, NULL, directions));
    memcpy(gap_begin, directions->measures.gap, bytes);
    STIC_TRY(stic_directions_measure(stepper, system, ends->end, STIC_WANT_GAP, NULL, directions));
    memcpy(gap_end, directions->measures.gap, bytes);

    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* interaction = &set->interaction[i];
        const int32_t with_gap = interaction->level == STIC_LEVEL_POSITION  ? interaction->rows
                                 : interaction->level == STIC_LEVEL_CONTACT ? 1
                                                                            : 0;
        for (int32_t k = 0; k < with_gap; ++k) {
            const Row row = row_of(directions, &system->layout, ends, i, k);
            const int32_t at = set->row_at[i] + k;
            correct_row(&row, gap_end[at] - gap_begin[at]);
        }
    }
    stic_arena_rewind(stepper->arena, mark);
    return STIC_OK;
}

SticStatus stic_discrete_potential(SticStepper* stepper, const SticSystem* system,
                                   const SticEnds* ends, double* gradient, SticTerms* middle,
                                   double* rounding)
{
    const SticLayout* layout = &system->layout;
    memset(gradient, 0, (size_t)layout->nq * sizeof *gradient);
    memset(middle, 0, sizeof *middle);
    *rounding = 0.0;
    if ((system->offers & STIC_OFFERS_POTENTIAL) == 0)
        return STIC_OK;
    SticTerms begin, end;
    const int order = system->offers & STIC_OFFERS_HESSIAN ? 2 : 1;
    STIC_TRY(system->ops->potential(system, ends->begin, 0, stepper->arena, &begin));
    STIC_TRY(system->ops->potential(system, ends->end, 0, stepper->arena, &end));
    STIC_TRY(system->ops->potential(system, ends->middle, order, stepper->arena, middle));
    double* value = middle->gradient;
    for (int32_t k = 0; k < middle->count; ++k) {
        Row row;
        memset(&row, 0, sizeof row);
        for (int side = 0; side < 2; ++side) {
            const int32_t block = middle->block[k][side];
            if (block < 0)
                continue;
            row.size[side] = layout->q_at[block + 1] - layout->q_at[block];
            row.value[side] = value;
            row.begin[side] = ends->begin->q + layout->q_at[block];
            row.end[side] = ends->end->q + layout->q_at[block];
            value += row.size[side];
        }
        correct_row(&row, end.value[k] - begin.value[k]);
        *rounding += DBL_EPSILON * (fabs(begin.value[k]) + fabs(end.value[k]) + row_size(&row));
        for (int side = 0; side < 2; ++side)
            for (int32_t c = 0; c < row.size[side]; ++c)
                gradient[layout->q_at[middle->block[k][side]] + c] += row.value[side][c];
    }
    return STIC_OK;
}
