// SPDX-License-Identifier: Apache-2.0
// Random local problems with regular W, one for every law.
#ifndef STIC_TEST_SOLVER_LAWS_H
#define STIC_TEST_SOLVER_LAWS_H

#include "helpers/helpers.h"

#include <string.h>

#include "stiction/extend/problem.h"
#include "stiction/extend/sparse.h"

/// A law with coefficients.
typedef struct LawCase {
    SticLaw law;
    int32_t rows;
    double coef[4];
    bool foreign; ///< bounded by a unilateral row in front
} LawCase;

static const LawCase law_cases[] = {
    {STIC_LAW_FREE, 3, {0.0}, false},
    {STIC_LAW_NONNEG, 1, {0.0}, false},
    {STIC_LAW_INTERVAL, 1, {0.3, 0.6}, true},
    {STIC_LAW_BALL, 2, {0.5}, true},
    {STIC_LAW_BALL, 3, {0.5}, true},
    {STIC_LAW_ELLIPSE, 2, {0.3, 0.7}, true},
    {STIC_LAW_ELLIPSOID, 3, {0.3, 0.7, 0.5}, true},
    {STIC_LAW_CYLINDER, 3, {0.4, 0.0, 0.2}, true},
    {STIC_LAW_CONTENSOU, 3, {0.5, 0.0, 0.0, 0.4}, true},
    {STIC_LAW_CONE, 2, {0.4}, false},
    {STIC_LAW_CONE, 3, {0.4}, false},
    {STIC_LAW_CONE_ELLIPSE, 3, {0.3, 0.6}, false},
    {STIC_LAW_CONE_CONTENSOU, 4, {0.5, 0.0, 0.0, 0.4}, false},
    {STIC_LAW_ROLLING, 3, {0.4, 0.0, 0.2}, false},
    {STIC_LAW_ROLLING, 5, {0.4, 0.0, 0.2}, false},
};

/// `n` contacts of one law, each behind a unilateral row of its own where its bound is foreign
static inline SticProblem law_case_problem(SticArena* arena, SticRandom* random,
                                           const LawCase* with, int32_t n)
{
    const int32_t count = with->foreign ? 2 * n : n;
    int32_t *row_at = NULL, *bound_row = NULL;
    uint8_t* law = NULL;
    double(*coef)[4] = NULL;
    double *dense = NULL, *b = NULL, *bound = NULL;
    SticBlockCsr* W = NULL;
    assert_int_equal(STIC_TAKE(arena, &row_at, count + 1), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &bound_row, count), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &law, count), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &coef, count), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &bound, count), STIC_OK);
    row_at[0] = 0;
    for (int32_t k = 0; k < count; ++k) {
        const bool front = with->foreign && k % 2 == 0;
        law[k] = (uint8_t)(front ? STIC_LAW_NONNEG : with->law);
        row_at[k + 1] = row_at[k] + (front ? 1 : with->rows);
        bound_row[k] = with->foreign && !front ? row_at[k - 1] : -1;
        bound[k] = with->foreign && !front && k % 3 == 0 ? 0.1 : 0.0;
        memcpy(coef[k], with->coef, sizeof coef[k]);
    }
    const int32_t rows = row_at[count];
    assert_int_equal(STIC_TAKE(arena, &dense, rows * rows), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &b, rows), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &W, 1), STIC_OK);
    test_random_spd(random, rows, 30.0, dense);
    test_random_vector(random, rows, -1.0, 1.0, b);
    const SticPartition partition = {count, count, row_at, row_at};
    assert_int_equal(stic_block_csr_from_dense(&partition, dense, arena, W), STIC_OK);
    return (SticProblem){.count = count,
                         .rows = rows,
                         .row_at = row_at,
                         .law = law,
                         .coef = (const double(*)[4])coef,
                         .bound = bound,
                         .bound_row = bound_row,
                         .W = W,
                         .b = b};
}

#endif
