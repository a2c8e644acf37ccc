// SPDX-License-Identifier: Apache-2.0
// The matrix M of a global problem: division of the velocities into bodies, inverse blocks.
//
// A file gives M as plain entries. Velocities that M couples must lie in one block; block columns
// are consecutive, so the finest possible division is the interval closure of M's entries. Where
// its blocks have at most 12 rows M is block diagonal. A diagonal M gives blocks of one row, which
// would cut the Jacobian of every contact into pieces: divisions into equal blocks of 12, 6 or 3
// that do not cut a coupling are tried too, and the one with the least to read per sweep over the
// contacts wins.
#include "problem/store.h"

#include <math.h>
#include <string.h>

enum {
    MOST_BODY_ROWS = 12, // SticMassKind: blocks of 1 to 12 rows
    FACTOR_BLOCK = 3,    // FACTOR: blocks of a node; only storage depends on it
    BLOCK_OVERHEAD = 4   // cost of a block besides its values: indices and loop start, in values
};

/* ---- division into bodies ---- */

// finest division into intervals that no entry of M crosses
static SticStatus close_intervals(SticArena* scratch, const SticEntries* M, int32_t* at,
                                  int32_t* count)
{
    int32_t* reach = NULL;
    STIC_TRY(STIC_TAKE(scratch, &reach, M->rows));
    for (int32_t i = 0; i < M->rows; ++i)
        reach[i] = i;
    for (int32_t k = 0; k < M->count; ++k) {
        const int32_t low = M->row[k] < M->col[k] ? M->row[k] : M->col[k];
        const int32_t high = M->row[k] < M->col[k] ? M->col[k] : M->row[k];
        reach[low] = high > reach[low] ? high : reach[low];
    }
    *count = 0;
    int32_t end = -1;
    for (int32_t i = 0; i < M->rows; ++i) {
        if (i > end)
            at[(*count)++] = i;
        end = reach[i] > end ? reach[i] : end;
    }
    at[*count] = M->rows;
    return STIC_OK;
}

// whether every interval lies inside one block of `size` rows
static bool fits_equal(SticCuts intervals, int32_t size)
{
    if (intervals.at[intervals.count] % size != 0)
        return false;
    for (int32_t i = 0; i < intervals.count; ++i)
        if (intervals.at[i] / size != (intervals.at[i + 1] - 1) / size)
            return false;
    return true;
}

// H's entries ordered by interaction, to count the blocks of a division
typedef struct Touch {
    const SticRaw* raw;
    int32_t* order; // [entries] entries by interaction
    int32_t* body;  // [dof] scratch: body of a velocity
    int32_t* seen;  // [dof] scratch: last interaction that touched a body
} Touch;

static int32_t interaction_of(const SticRaw* raw, int32_t row)
{
    const int32_t first_free = raw->contacts * raw->contact_rows;
    return row < first_free ? row / raw->contact_rows : raw->contacts + row - first_free;
}

static SticStatus order_touches(SticArena* scratch, const SticRaw* raw, Touch* touch)
{
    const size_t interactions = (size_t)raw->contacts + (size_t)raw->free_rows;
    int32_t* next = NULL;
    *touch = (Touch){.raw = raw};
    STIC_TRY(STIC_TAKE(scratch, &touch->order, raw->H.count));
    STIC_TRY(STIC_TAKE(scratch, &touch->body, raw->M.rows));
    STIC_TRY(STIC_TAKE(scratch, &touch->seen, raw->M.rows));
    STIC_TRY(STIC_TAKE(scratch, &next, interactions + 1));
    memset(next, 0, (interactions + 1) * sizeof *next);
    for (int32_t k = 0; k < raw->H.count; ++k)
        next[interaction_of(raw, raw->H.col[k]) + 1] += 1;
    for (size_t i = 0; i < interactions; ++i)
        next[i + 1] += next[i];
    for (int32_t k = 0; k < raw->H.count; ++k)
        touch->order[next[interaction_of(raw, raw->H.col[k])]++] = k;
    return STIC_OK;
}

// values and overhead that a sweep over H' reads in this division
static double sweep_cost(const Touch* touch, SticCuts bodies)
{
    const SticRaw* raw = touch->raw;
    double cost = 0.0;
    for (int32_t i = 0; i < bodies.count; ++i) {
        touch->seen[i] = -1;
        for (int32_t k = bodies.at[i]; k < bodies.at[i + 1]; ++k)
            touch->body[k] = i;
    }
    for (int32_t k = 0; k < raw->H.count; ++k) {
        const int32_t entry = touch->order[k];
        const int32_t interaction = interaction_of(raw, raw->H.col[entry]);
        const int32_t body = touch->body[raw->H.row[entry]];
        if (touch->seen[body] == interaction)
            continue;
        touch->seen[body] = interaction;
        const double rows = interaction < raw->contacts ? raw->contact_rows : 1;
        cost += rows * (bodies.at[body + 1] - bodies.at[body]) + BLOCK_OVERHEAD;
    }
    return cost;
}

static int32_t fill_equal(int32_t dof, int32_t size, int32_t* at)
{
    int32_t count = 0;
    for (int32_t k = 0; k < dof; k += size)
        at[count++] = k;
    at[count] = dof;
    return count;
}

SticStatus stic_store_bodies(SticArena* scratch, const SticRaw* raw, SticCuts* bodies,
                             SticMassKind* kind)
{
    static const int32_t sizes[] = {12, 6, 3};
    const int32_t dof = raw->M.rows;
    int32_t *at = NULL, *trial = NULL;
    STIC_TRY(STIC_TAKE(scratch, &at, (size_t)dof + 1));
    STIC_TRY(STIC_TAKE(scratch, &trial, (size_t)dof + 1));
    STIC_TRY(close_intervals(scratch, &raw->M, at, &bodies->count));
    bodies->at = at;
    *kind = STIC_MASS_BLOCKS;
    for (int32_t i = 0; i < bodies->count; ++i)
        if (at[i + 1] - at[i] > MOST_BODY_ROWS)
            *kind = STIC_MASS_FACTOR;
    if (*kind == STIC_MASS_FACTOR) {
        bodies->count = fill_equal(dof, FACTOR_BLOCK, at);
        return STIC_OK;
    }

    // equal blocks are tried against the intervals, whose count changes only when one wins
    Touch touch;
    STIC_TRY(order_touches(scratch, raw, &touch));
    double least = sweep_cost(&touch, *bodies);
    int32_t best = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
        if (!fits_equal(*bodies, sizes[s]))
            continue;
        const SticCuts equal = {.count = fill_equal(dof, sizes[s], trial), .at = trial};
        const double cost = sweep_cost(&touch, equal);
        if (cost < least) {
            least = cost;
            best = sizes[s];
        }
    }
    if (best != 0)
        bodies->count = fill_equal(dof, best, at);
    return STIC_OK;
}

/* ---- inverse of small blocks ---- */

static bool is_symmetric(int32_t n, const double* A)
{
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < i; ++j)
            if (A[i * n + j] != A[j * n + i])
                return false;
    return true;
}

static void swap_rows(int32_t n, double* A, int32_t i, int32_t j)
{
    for (int32_t k = 0; k < n && i != j; ++k) {
        const double kept = A[i * n + k];
        A[i * n + k] = A[j * n + k];
        A[j * n + k] = kept;
    }
}

// Gauss and Jordan with partial pivoting; false if a pivot vanishes to rounding
static bool invert_block(int32_t n, const double* A, double* inverse)
{
    double work[MOST_BODY_ROWS * MOST_BODY_ROWS];
    double largest = 0.0;
    for (int32_t k = 0; k < n * n; ++k) {
        work[k] = A[k];
        inverse[k] = k % (n + 1) == 0 ? 1.0 : 0.0;
    }
    for (int32_t k = 0; k < n; ++k) {
        int32_t pivot = k;
        for (int32_t i = k + 1; i < n; ++i)
            if (fabs(work[i * n + k]) > fabs(work[pivot * n + k]))
                pivot = i;
        // scale of this column before elimination decides what counts as zero
        double scale = 0.0;
        for (int32_t i = 0; i < n; ++i)
            scale = fabs(A[i * n + k]) > scale ? fabs(A[i * n + k]) : scale;
        largest = fabs(work[pivot * n + k]);
        if (!(largest > n * 2.3e-16 * scale))
            return false;
        swap_rows(n, work, k, pivot);
        swap_rows(n, inverse, k, pivot);
        const double factor = 1.0 / work[k * n + k];
        for (int32_t j = 0; j < n; ++j) {
            work[k * n + j] *= factor;
            inverse[k * n + j] *= factor;
        }
        for (int32_t i = 0; i < n; ++i) {
            const double part = work[i * n + k];
            for (int32_t j = 0; j < n && i != k && part != 0.0; ++j) {
                work[i * n + j] -= part * work[k * n + j];
                inverse[i * n + j] -= part * inverse[k * n + j];
            }
        }
    }
    // the inverse of a symmetric block is symmetric to the last bit
    for (int32_t i = 0; i < n && is_symmetric(n, A); ++i)
        for (int32_t j = 0; j < i; ++j)
            inverse[i * n + j] = inverse[j * n + i] =
                0.5 * (inverse[i * n + j] + inverse[j * n + i]);
    return true;
}

static SticStatus invert_blocks(SticProblemStore* store, SticError* error)
{
    const SticBlockCsr* A = &store->A;
    double* value = NULL;
    STIC_TRY(STIC_OWN(store, &value, A->value_at[A->begin[A->rows]]));
    for (int32_t i = 0; i < A->rows; ++i) {
        const int32_t n = A->row_at[i + 1] - A->row_at[i];
        if (A->begin[i + 1] - A->begin[i] != 1 || n > MOST_BODY_ROWS)
            return stic_error_set(error, STIC_BAD_DATA, "M is not block diagonal");
        const int64_t at = A->value_at[A->begin[i]];
        if (!invert_block(n, A->value + at, value + at))
            return stic_error_set(error, STIC_SINGULAR,
                                  "M is singular in the block of velocities %d to %d",
                                  (int)A->row_at[i], (int)A->row_at[i + 1] - 1);
    }
    store->inverse = *A;
    store->inverse.value = value;
    store->mass = (SticMass){.kind = STIC_MASS_BLOCKS, .A = A, .inverse = &store->inverse};
    return STIC_OK;
}

/* ---- factorisation ---- */

typedef struct DenseFactor {
    int32_t n;
    double* LU;     // by rows, unit lower triangle and upper triangle
    int32_t* pivot; // row exchanged with row k at step k
} DenseFactor;

static SticStatus dense_solve(const void* self, double* x)
{
    const DenseFactor* factor = self;
    const int32_t n = factor->n;
    // whole rows were exchanged: all exchanges come before the elimination
    for (int32_t k = 0; k < n; ++k) {
        const double kept = x[factor->pivot[k]];
        x[factor->pivot[k]] = x[k];
        x[k] = kept;
    }
    for (int32_t k = 0; k < n; ++k)
        for (int32_t i = k + 1; i < n; ++i)
            x[i] -= factor->LU[(size_t)i * (size_t)n + (size_t)k] * x[k];
    for (int32_t k = n - 1; k >= 0; --k) {
        for (int32_t j = k + 1; j < n; ++j)
            x[k] -= factor->LU[(size_t)k * (size_t)n + (size_t)j] * x[j];
        x[k] /= factor->LU[(size_t)k * (size_t)n + (size_t)k];
    }
    return STIC_OK;
}

static SticStatus eliminate(DenseFactor* factor, SticError* error)
{
    const size_t n = (size_t)factor->n;
    for (size_t k = 0; k < n; ++k) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; ++i)
            if (fabs(factor->LU[i * n + k]) > fabs(factor->LU[pivot * n + k]))
                pivot = i;
        factor->pivot[k] = (int32_t)pivot;
        if (!(fabs(factor->LU[pivot * n + k]) > 0.0))
            return stic_error_set(error, STIC_SINGULAR, "M is singular at velocity %zu", k);
        for (size_t j = 0; j < n && pivot != k; ++j) {
            const double kept = factor->LU[k * n + j];
            factor->LU[k * n + j] = factor->LU[pivot * n + j];
            factor->LU[pivot * n + j] = kept;
        }
        for (size_t i = k + 1; i < n; ++i) {
            const double part = factor->LU[i * n + k] /= factor->LU[k * n + k];
            for (size_t j = k + 1; j < n && part != 0.0; ++j)
                factor->LU[i * n + j] -= part * factor->LU[k * n + j];
        }
    }
    return STIC_OK;
}

static SticStatus factor_mass(SticProblemStore* store, SticError* error)
{
    const SticBlockCsr* A = &store->A;
    const size_t n = (size_t)A->row_at[A->rows];
    DenseFactor* factor = NULL;
    STIC_TRY(STIC_OWN(store, &factor, 1));
    STIC_TRY(STIC_OWN(store, &factor->LU, n * n));
    STIC_TRY(STIC_OWN(store, &factor->pivot, n));
    factor->n = (int32_t)n;
    for (int32_t i = 0; i < A->rows; ++i)
        for (int32_t k = A->begin[i]; k < A->begin[i + 1]; ++k) {
            const int32_t first = A->col_at[A->col[k]], last = A->col_at[A->col[k] + 1];
            const double* value = A->value + A->value_at[k];
            for (int32_t row = A->row_at[i]; row < A->row_at[i + 1]; ++row)
                for (int32_t col = first; col < last; ++col)
                    factor->LU[(size_t)row * n + (size_t)col] = *value++;
        }
    STIC_TRY(eliminate(factor, error));
    store->mass =
        (SticMass){.kind = STIC_MASS_FACTOR, .A = A, .solve = dense_solve, .factor = factor};
    return STIC_OK;
}

SticStatus stic_store_mass(SticProblemStore* store, SticArena* scratch, SticMassKind kind,
                           SticError* error)
{
    (void)scratch;
    return kind == STIC_MASS_BLOCKS ? invert_blocks(store, error) : factor_mass(store, error);
}
