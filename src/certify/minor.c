// SPDX-License-Identifier: Apache-2.0
// A small problem as dense matrices, and the unknowns of its branches.
#include "certify/branch.h"

#include <math.h>
#include <string.h>

#include "math/math.h"
#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"

double stic_minor_mu(const SticMinor* minor, int32_t i)
{
    return minor->problem->law[i] == STIC_LAW_CONE ? minor->problem->coef[i][0] : 0.0;
}

bool stic_minor_slips(const SticMinor* minor, const uint8_t* state, int32_t i)
{
    return state[i] == STIC_STATE_SLIDE &&
           minor->problem->row_at[i + 1] - minor->problem->row_at[i] == 3;
}

static SticStatus take(SticArena* arena, SticMinor* made)
{
    const size_t n = (size_t)made->rows + 1, square = n * n;
    // rows of a branch as a condition: equations, and at most two inequalities per row
    const size_t conditions = 3 * n;
    double** const squares[] = {&made->W, &made->C, &made->WC, &made->E, &made->factor};
    double** const vectors[] = {&made->b, &made->scale, &made->x,   &made->y,
                                &made->g, &made->z,     &made->back};
    for (size_t k = 0; k < sizeof squares / sizeof squares[0]; ++k)
        STIC_TRY(STIC_TAKE(arena, squares[k], square));
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k)
        STIC_TRY(STIC_TAKE(arena, vectors[k], n));
    STIC_TRY(STIC_TAKE(arena, &made->pivot, n));
    STIC_TRY(STIC_TAKE(arena, &made->row, n));
    STIC_TRY(STIC_TAKE(arena, &made->S, conditions * n));
    STIC_TRY(STIC_TAKE(arena, &made->c, conditions));
    STIC_TRY(STIC_TAKE(arena, &made->multiplier, conditions));
    STIC_TRY(STIC_TAKE(arena, &made->row_at, conditions + 1));
    STIC_TRY(STIC_TAKE(arena, &made->col_at, n + 1));
    STIC_TRY(STIC_TAKE(arena, &made->law, conditions));
    return STIC_TAKE(arena, &made->coef, conditions);
}

SticStatus stic_minor_create(SticArena* arena, const SticProblem* folded, SticMinor* made)
{
    const int32_t n = folded->rows;
    made->problem = folded;
    made->arena = arena;
    made->rows = n;
    made->count = folded->count;
    STIC_TRY(take(arena, made));
    stic_block_csr_to_dense(folded->W, made->W);
    for (int32_t i = 0; i < folded->count; ++i) {
        double trace = 0.0;
        for (int32_t k = folded->row_at[i]; k < folded->row_at[i + 1]; ++k)
            trace += fabs(made->W[k * n + k]);
        trace /= folded->row_at[i + 1] - folded->row_at[i];
        for (int32_t k = folded->row_at[i]; k < folded->row_at[i + 1]; ++k)
            made->scale[k] = trace > 0.0 ? 1.0 / sqrt(trace) : 1.0;
    }
    made->size = 0.0;
    for (int32_t k = 0; k < n; ++k) {
        made->b[k] = folded->b[k] * made->scale[k];
        made->size = fabs(made->b[k]) > made->size ? fabs(made->b[k]) : made->size;
        for (int32_t j = 0; j < n; ++j)
            made->W[k * n + j] *= made->scale[k] * made->scale[j];
    }
    made->size = made->size > 0.0 ? made->size : 1.0;
    for (int32_t k = 0; k < n; ++k)
        made->b[k] /= made->size;
    return STIC_OK;
}

void stic_minor_velocity(const SticMinor* minor, const double* x, double* y)
{
    stic_dense_mul_vec(minor->rows, minor->rows, minor->W, x, y);
    for (int32_t k = 0; k < minor->rows; ++k)
        y[k] += minor->b[k];
}

double stic_minor_row_size(const SticMinor* minor, const double* x, int32_t k)
{
    STIC_ASSERT(k >= 0 && k < minor->rows);
    double most = fabs(minor->b[k]);
    for (int32_t j = 0; j < minor->rows; ++j) {
        const double term = fabs(minor->W[k * minor->rows + j] * x[j]);
        most = term > most ? term : most;
    }
    return most;
}

bool stic_minor_obeys(const SticMinor* minor, const uint8_t* state, const double* x,
                      const double* y)
{
    const SticProblem* problem = minor->problem;
    double largest = 0.0;
    for (int32_t k = 0; k < minor->rows; ++k)
        largest = fabs(x[k]) > largest ? fabs(x[k]) : largest;
    const double slack = minor->settings->tolerance * largest;
    for (int32_t i = 0; i < minor->count; ++i) {
        const int32_t at = problem->row_at[i], rows = problem->row_at[i + 1] - at;
        const double mu = stic_minor_mu(minor, i);
        double across = 0.0, along = 0.0;
        for (int32_t k = 1; k < rows; ++k) {
            across += x[at + k] * x[at + k];
            along += y[at + k] * x[at + k];
        }
        const double normal = minor->settings->tolerance * stic_minor_row_size(minor, x, at);
        if (state[i] == STIC_STATE_OPEN && y[at] < -normal)
            return false;
        if (state[i] != STIC_STATE_OPEN && state[i] != STIC_STATE_JOINT && x[at] < -slack)
            return false;
        if (state[i] == STIC_STATE_STICK && sqrt(across) > mu * x[at] + slack)
            return false;
        const double tangent =
            rows > 1 ? minor->settings->tolerance * stic_minor_row_size(minor, x, at + 1) : 0.0;
        if (rows == 2 && state[i] == STIC_STATE_SLIDE && y[at + 1] < -tangent)
            return false;
        if (rows == 2 && state[i] == STIC_STATE_BACK && y[at + 1] > tangent)
            return false;
        if (rows == 3 && state[i] == STIC_STATE_SLIDE && along > slack * tangent)
            return false;
    }
    return true;
}

// columns of C: one per unknown; their number
int32_t stic_minor_unknowns(SticMinor* minor, const uint8_t* state)
{
    const SticProblem* problem = minor->problem;
    const int32_t n = minor->rows;
    int32_t unknowns = 0;
    memset(minor->C, 0, (size_t)(n * n) * sizeof *minor->C);
    for (int32_t i = 0; i < minor->count; ++i) {
        const int32_t at = problem->row_at[i], rows = problem->row_at[i + 1] - at;
        const bool all = state[i] == STIC_STATE_STICK || state[i] == STIC_STATE_JOINT;
        for (int32_t k = 0; k < rows && state[i] != STIC_STATE_OPEN; ++k) {
            if (k > 0 && !all)
                break;
            minor->C[(at + k) * n + unknowns] = 1.0;
            if (state[i] == STIC_STATE_SLIDE)
                minor->C[(at + 1) * n + unknowns] = -stic_minor_mu(minor, i);
            if (state[i] == STIC_STATE_BACK)
                minor->C[(at + 1) * n + unknowns] = stic_minor_mu(minor, i);
            minor->row[unknowns++] = at + k;
        }
    }
    stic_dense_mul(n, n, n, minor->W, minor->C, minor->WC);
    return unknowns;
}
