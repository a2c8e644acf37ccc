// SPDX-License-Identifier: Apache-2.0
// The matrix M of a global problem: division of the velocities into bodies, inverse blocks or
// factorisation.
//
// A file gives M as plain entries. Velocities that M couples must lie in one block; block columns
// are consecutive, so the finest possible division is the interval closure of M's entries. Where
// its blocks have at most 12 rows M is block diagonal. A diagonal M gives blocks of one row, which
// would cut the Jacobian of every contact into pieces: divisions into equal blocks of 12, 6 or 3
// that do not cut a coupling are tried too, and the one with the least to read per sweep over the
// contacts wins.
#include "problem/store.h"

#include "sparse/sparse.h"
#include "stiction/extend/base.h"

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

/* ---- inverse blocks or factorisation ---- */

static SticStatus invert_blocks(SticProblemStore* store, SticArena* scratch, SticError* error)
{
    const SticBlockCsr* A = &store->A;
    if (stic_block_csr_count(A) != A->rows)
        return stic_error_set(error, STIC_BAD_DATA, "M is not block diagonal");
    SticBlockCsr inverse;
    SticError wrong = {0};
    const SticStatus status = stic_block_csr_invert_diagonal(A, scratch, &inverse, &wrong);
    if (status != STIC_OK)
        return stic_error_set(error, status, "M: %s", wrong.text);
    STIC_TRY(stic_store_matrix(store, &inverse, &store->inverse));
    store->mass = (SticMass){.kind = STIC_MASS_BLOCKS, .A = A, .inverse = &store->inverse};
    return STIC_OK;
}

static SticStatus solve_with_factor(const void* factor, double* x)
{
    stic_factor_solve(factor, x);
    return STIC_OK;
}

static SticStatus try_factor(SticProblemStore* store, SticFactorKind kind, SticFactorInfo* info,
                             SticError* error)
{
    stic_factor_destroy(store->factor);
    store->factor = NULL;
    STIC_TRY(stic_factor_create(store->symbolic, kind, &store->factor, error));
    return stic_factor_compute(store->factor, &store->A, NULL, info);
}

// LDL' needs no pivoting where M is positive definite; anything else is factorised with pivoting
static SticStatus factor_mass(SticProblemStore* store, SticError* error)
{
    SticFactorInfo info = {0};
    const bool symmetric = stic_block_csr_asymmetry(&store->A) == 0.0;
    STIC_TRY(stic_symbolic_create(&store->context, &store->A, STIC_ORDERING_AMD, &store->symbolic,
                                  error));
    SticStatus status =
        try_factor(store, symmetric ? STIC_FACTOR_LDL : STIC_FACTOR_LU, &info, error);
    if (symmetric && status != STIC_OUT_OF_MEMORY &&
        (status != STIC_OK || info.negative > 0 || info.replaced > 0))
        status = try_factor(store, STIC_FACTOR_LU, &info, error);
    if (status == STIC_OUT_OF_MEMORY)
        return status;
    if (status != STIC_OK || info.replaced > 0)
        return stic_error_set(error, STIC_SINGULAR, "M is singular: %d of %d pivots vanish",
                              (int)info.replaced, (int)stic_block_csr_height(&store->A));
    store->mass = (SticMass){.kind = STIC_MASS_FACTOR,
                             .A = &store->A,
                             .solve = solve_with_factor,
                             .factor = store->factor};
    return STIC_OK;
}

SticStatus stic_store_mass(SticProblemStore* store, SticArena* scratch, SticMassKind kind,
                           SticError* error)
{
    return kind == STIC_MASS_BLOCKS ? invert_blocks(store, scratch, error)
                                    : factor_mass(store, error);
}
