// SPDX-License-Identifier: Apache-2.0
// A factor of a tangent matrix that outlives the step, with columns of the inverse.
//
// A solid of linear material has the same tangent matrix in every step of one length, all solids
// the same pattern. The contact problem needs the columns of the inverse that belong to the nodes
// in contact; they are solved for once for each factor and stay until the next one. Each is a solve
// of its own, so that its bits do not depend on which others are there. Memory of columns is kept
// from factor to factor.
#include "step/kept_factor.h"

#include <string.h>

#include "stiction/extend/base.h"

/// Doubles of columns that are kept: 1 GiB. Beyond it the contact problem solves for each row.
#define MOST ((size_t)1 << 27)

static void release_columns(SticKeptFactor* kept)
{
    const size_t blocks = (size_t)kept->blocks;
    for (int32_t k = 0; kept->column != NULL && k < kept->blocks; ++k)
        if (kept->column[k] != NULL)
            STIC_RELEASE(&kept->context, kept->column[k],
                         (size_t)kept->width[k] * (size_t)kept->size);
    STIC_RELEASE(&kept->context, kept->column, kept->column == NULL ? 0 : blocks);
    STIC_RELEASE(&kept->context, kept->stamp, kept->stamp == NULL ? 0 : blocks);
    STIC_RELEASE(&kept->context, kept->width, kept->width == NULL ? 0 : blocks);
    STIC_RELEASE(&kept->context, kept->first, kept->first == NULL ? 0 : blocks);
    kept->column = NULL;
    kept->stamp = NULL;
    kept->width = kept->first = NULL;
    kept->kept = 0;
}

static void drop(SticKeptFactor* kept)
{
    release_columns(kept);
    stic_factor_destroy(kept->factor);
    stic_symbolic_destroy(kept->symbolic);
    kept->factor = NULL;
    kept->symbolic = NULL;
}

void stic_kept_factor_destroy(SticKeptFactor* kept)
{
    if (kept == NULL)
        return;
    const SticContext context = kept->context;
    drop(kept);
    STIC_RELEASE(&context, kept->value, kept->room);
    STIC_RELEASE(&context, kept, 1);
}

// analysis and room for a pattern
static SticStatus analyse(SticKeptFactor* kept, const SticBlockCsr* A, SticError* error)
{
    drop(kept);
    kept->blocks = A->rows;
    kept->size = A->row_at[A->rows];
    const size_t blocks = (size_t)A->rows;
    STIC_TRY(STIC_ALLOCATE(&kept->context, &kept->column, blocks));
    STIC_TRY(STIC_ALLOCATE(&kept->context, &kept->stamp, blocks));
    STIC_TRY(STIC_ALLOCATE(&kept->context, &kept->width, blocks));
    STIC_TRY(STIC_ALLOCATE(&kept->context, &kept->first, blocks));
    for (int32_t k = 0; k < A->rows; ++k) {
        kept->first[k] = A->row_at[k];
        kept->width[k] = A->row_at[k + 1] - A->row_at[k];
    }
    STIC_TRY(stic_symbolic_create(&kept->context, A, STIC_ORDERING_AMD, &kept->symbolic, error));
    return stic_factor_create(kept->symbolic, STIC_FACTOR_LU, &kept->factor, error);
}

SticStatus stic_kept_factor_create(const SticContext* context, SticKeptFactor** kept)
{
    STIC_TRY(STIC_ALLOCATE(context, kept, 1));
    (*kept)->context = *context;
    return STIC_OK;
}

SticStatus stic_kept_factor_make(SticKeptFactor* kept, const SticBlockCsr* A, SticError* error)
{
    STIC_ASSERT(kept != NULL);
    STIC_ASSERT(A != NULL);
    STIC_ASSERT(A->rows == A->cols);
    const size_t values = (size_t)A->value_at[A->begin[A->rows]];
    const bool fits = kept->symbolic != NULL && stic_symbolic_fits(kept->symbolic, A);
    if (fits && kept->edition > 0 && values == kept->values &&
        memcmp(kept->value, A->value, values * sizeof *A->value) == 0)
        return STIC_OK;
    // until it is made there is no factor
    kept->values = 0;
    if (!fits)
        STIC_TRY(analyse(kept, A, error));
    STIC_TRY(STIC_RESERVE(&kept->context, &kept->value, &kept->room, values));
    STIC_TRY(stic_factor_compute(kept->factor, A, NULL, &kept->info));
    memcpy(kept->value, A->value, values * sizeof *A->value);
    kept->values = values;
    kept->edition += 1;
    return STIC_OK;
}

SticStatus stic_kept_factor_solve(const void* self, double* x)
{
    stic_factor_solve(((const SticKeptFactor*)self)->factor, x);
    return STIC_OK;
}

SticStatus stic_kept_factor_columns(const void* self, int32_t block, const double** columns)
{
    // what is kept affects only time
    SticKeptFactor* kept = (SticKeptFactor*)self;
    STIC_ASSERT(block >= 0 && block < kept->blocks);
    const size_t size = (size_t)kept->size, width = (size_t)kept->width[block];
    *columns = NULL;
    if (kept->column[block] == NULL) {
        if (kept->kept + width * size > MOST)
            return STIC_OK;
        STIC_TRY(STIC_ALLOCATE(&kept->context, &kept->column[block], width * size));
        kept->kept += width * size;
    }
    double* own = kept->column[block];
    *columns = own;
    if (kept->stamp[block] == kept->edition)
        return STIC_OK;
    memset(own, 0, width * size * sizeof *own);
    for (size_t k = 0; k < width; ++k) {
        own[k * size + (size_t)kept->first[block] + k] = 1.0;
        stic_factor_solve(kept->factor, own + k * size);
    }
    kept->stamp[block] = kept->edition;
    return STIC_OK;
}
