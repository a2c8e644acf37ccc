// SPDX-License-Identifier: Apache-2.0
// Problem with its own memory: everything it points to is in one list and goes with it.
#include "problem/store.h"

#include "stiction/extend/base.h"

#include <string.h>

// header in front of every piece; a cache line, so that the piece keeps its alignment
typedef struct SticOwned {
    struct SticOwned* next;
    size_t bytes;
} SticOwned;

enum { HEADER = 64 };

SticStatus stic_store_create(const SticContext* context, SticProblemStore** store)
{
    *store = NULL;
    void* memory = NULL;
    STIC_TRY(stic_allocate(context, sizeof **store, &memory));
    *store = memory;
    (*store)->context = *context;
    return STIC_OK;
}

SticStatus stic_store_take(SticProblemStore* store, size_t count, size_t size, void** memory)
{
    *memory = NULL;
    if (size != 0 && count > (SIZE_MAX - HEADER) / size)
        return STIC_OUT_OF_MEMORY;
    void* piece = NULL;
    STIC_TRY(stic_allocate(&store->context, HEADER + count * size, &piece));
    SticOwned* owned = piece;
    owned->bytes = HEADER + count * size;
    owned->next = store->owned;
    store->owned = owned;
    *memory = (char*)piece + HEADER;
    return STIC_OK;
}

SticStatus stic_store_copy(SticProblemStore* store, const void* from, size_t count, size_t size,
                           const void** copy)
{
    *copy = NULL;
    if (from == NULL)
        return STIC_OK;
    void* memory = NULL;
    STIC_TRY(stic_store_take(store, count, size, &memory));
    memcpy(memory, from, count * size);
    *copy = memory;
    return STIC_OK;
}

void stic_problem_destroy(SticProblemStore* store)
{
    if (store == NULL)
        return;
    const SticContext context = store->context;
    stic_factor_destroy(store->factor);
    stic_symbolic_destroy(store->symbolic);
    while (store->owned != NULL) {
        SticOwned* owned = store->owned;
        store->owned = owned->next;
        stic_release(&context, owned, owned->bytes);
    }
    stic_release(&context, store, sizeof *store);
}

const SticProblem* stic_problem_view(const SticProblemStore* store)
{
    return store != NULL ? &store->view : NULL;
}

const SticMetadata* stic_problem_metadata(const SticProblemStore* store)
{
    STIC_ASSERT(store != NULL);
    return &store->metadata;
}

/* ---- metadata ---- */

static SticStatus copy_text(SticProblemStore* store, const char* text, const char** copy)
{
    return STIC_OWN_COPY(store, text, text == NULL ? 0 : strlen(text) + 1, copy);
}

static SticStatus copy_guess(SticProblemStore* store, const SticGuess* from, SticGuess* copy)
{
    STIC_TRY(STIC_OWN_COPY(store, from->r, store->view.rows, &copy->r));
    STIC_TRY(STIC_OWN_COPY(store, from->u, store->view.rows, &copy->u));
    return STIC_OWN_COPY(store, from->v, store->view.dof, &copy->v);
}

SticStatus stic_store_metadata(SticProblemStore* store, const SticMetadata* metadata)
{
    SticMetadata* made = &store->metadata;
    STIC_TRY(copy_text(store, metadata->title, &made->title));
    STIC_TRY(copy_text(store, metadata->description, &made->description));
    STIC_TRY(copy_text(store, metadata->math_info, &made->math_info));
    if (metadata->solution != NULL) {
        STIC_TRY(copy_guess(store, metadata->solution, &store->solution));
        made->solution = &store->solution;
    }
    if (metadata->guess_count == 0)
        return STIC_OK;
    SticGuess* guesses = NULL;
    STIC_TRY(STIC_OWN(store, &guesses, metadata->guess_count));
    for (int32_t i = 0; i < metadata->guess_count; ++i)
        STIC_TRY(copy_guess(store, &metadata->guesses[i], &guesses[i]));
    made->guesses = guesses;
    made->guess_count = metadata->guess_count;
    return STIC_OK;
}

/* ---- copy ---- */

SticStatus stic_store_matrix(SticProblemStore* store, const SticBlockCsr* from, SticBlockCsr* made)
{
    const int32_t blocks = from->begin[from->rows];
    *made = (SticBlockCsr){.rows = from->rows, .cols = from->cols};
    STIC_TRY(STIC_OWN_COPY(store, from->row_at, from->rows + 1, &made->row_at));
    STIC_TRY(STIC_OWN_COPY(store, from->col_at, from->cols + 1, &made->col_at));
    STIC_TRY(STIC_OWN_COPY(store, from->begin, from->rows + 1, &made->begin));
    STIC_TRY(STIC_OWN_COPY(store, from->col, blocks, &made->col));
    STIC_TRY(STIC_OWN_COPY(store, from->value_at, blocks + 1, &made->value_at));
    return STIC_OWN_COPY(store, from->value, from->value_at[blocks], &made->value);
}

static SticStatus copy_laws(SticProblemStore* store, const SticProblem* from)
{
    SticProblem* view = &store->view;
    const int32_t count = from->count, rows = from->rows;
    view->count = count;
    view->rows = rows;
    view->dof = from->dof;
    STIC_TRY(STIC_OWN_COPY(store, from->row_at, count + 1, &view->row_at));
    STIC_TRY(STIC_OWN_COPY(store, from->law, count, &view->law));
    STIC_TRY(STIC_OWN_COPY(store, from->coef, count, &view->coef));
    STIC_TRY(STIC_OWN_COPY(store, from->bound, count, &view->bound));
    STIC_TRY(STIC_OWN_COPY(store, from->bound_row, count, &view->bound_row));
    STIC_TRY(STIC_OWN_COPY(store, from->u_shift, rows, &view->u_shift));
    STIC_TRY(STIC_OWN_COPY(store, from->r_shift, rows, &view->r_shift));
    STIC_TRY(STIC_OWN_COPY(store, from->b, rows, &view->b));
    STIC_TRY(STIC_OWN_COPY(store, from->f, from->dof, &view->f));
    return STIC_OWN_COPY(store, from->w, rows, &view->w);
}

static SticStatus copy_matrices(SticProblemStore* store, SticArena* scratch,
                                const SticProblem* from)
{
    SticProblem* view = &store->view;
    if (from->W != NULL) {
        STIC_TRY(stic_store_matrix(store, from->W, &store->W));
        view->W = &store->W;
    }
    if (from->Ht != NULL) {
        STIC_TRY(stic_store_matrix(store, from->Ht, &store->Ht));
        view->Ht = &store->Ht;
    }
    if (from->Pt != NULL) {
        STIC_TRY(stic_store_matrix(store, from->Pt, &store->Pt));
        view->Pt = &store->Pt;
    }
    if (from->M != NULL) {
        // a factorisation is opaque: it is made again from M
        STIC_TRY(stic_store_matrix(store, from->M->A, &store->A));
        STIC_TRY(stic_store_mass(store, scratch, from->M->kind, NULL));
        view->M = &store->mass;
    }
    return STIC_OK;
}

SticStatus stic_problem_copy(const SticContext* context, const SticProblem* problem,
                             SticProblemStore** copy)
{
    context = stic_context_given(context);
    STIC_ASSERT(problem != NULL);
    STIC_ASSERT(copy != NULL);
    *copy = NULL;
    SticProblemStore* store = NULL;
    SticArena* scratch = NULL;
    SticStatus status = STIC_OK;
    STIC_TRY_GOTO(status, done, stic_store_create(context, &store));
    STIC_TRY_GOTO(status, done, stic_arena_create(context, 0, &scratch));
    STIC_TRY_GOTO(status, done, copy_laws(store, problem));
    STIC_TRY_GOTO(status, done, copy_matrices(store, scratch, problem));
done:
    stic_arena_destroy(scratch);
    if (status != STIC_OK) {
        stic_problem_destroy(store);
        return status;
    }
    *copy = store;
    return STIC_OK;
}
