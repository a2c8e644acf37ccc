// SPDX-License-Identifier: Apache-2.0
// Raw data of a file, and the problem they describe.
//
// Steps of the build: divide the velocities into bodies, the rows into interactions, then make the
// block matrices. Memory is allocated for rows only after the vectors of those rows were read, so a
// size that a file merely declares costs nothing.
#include "problem/store.h"

#include "stiction/extend/base.h"

#include <string.h>

static SticStatus append(const SticContext* context, SticEntries* entries, int32_t row, int32_t col,
                         double value)
{
    if (entries->count == INT32_MAX)
        return STIC_OUT_OF_MEMORY;
    const int32_t at = entries->count;
    STIC_TRY(STIC_RESERVE(context, &entries->row, &entries->row_room, at + 1));
    STIC_TRY(STIC_RESERVE(context, &entries->col, &entries->col_room, at + 1));
    STIC_TRY(STIC_RESERVE(context, &entries->value, &entries->value_room, at + 1));
    entries->row[at] = row;
    entries->col[at] = col;
    entries->value[at] = value;
    entries->count = at + 1;
    return STIC_OK;
}

SticStatus stic_entries_add(const SticContext* context, SticEntries* entries, int32_t row,
                            int32_t col, double value)
{
    STIC_ASSERT(row >= 0 && col >= 0);
    return value == 0.0 ? STIC_OK : append(context, entries, row, col, value);
}

SticStatus stic_reals_add(const SticContext* context, SticReals* reals, double value)
{
    STIC_TRY(STIC_RESERVE(context, &reals->value, &reals->capacity, reals->count + 1));
    reals->value[reals->count++] = value;
    return STIC_OK;
}

void stic_raw_clear(SticRaw* raw)
{
    const SticContext context = raw->context;
    SticEntries* const entries[] = {&raw->W, &raw->M, &raw->H};
    SticReals* const reals[] = {&raw->b, &raw->f, &raw->w, &raw->mu, &raw->mu_roll};
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; ++i) {
        STIC_RELEASE(&context, entries[i]->row, entries[i]->row_room);
        STIC_RELEASE(&context, entries[i]->col, entries[i]->col_room);
        STIC_RELEASE(&context, entries[i]->value, entries[i]->value_room);
    }
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; ++i)
        STIC_RELEASE(&context, reals[i]->value, reals[i]->capacity);
    *raw = (SticRaw){.context = context};
}

/* ---- block matrices ---- */

// the builder keeps every touched block: touch the diagonal ones
static SticStatus touch_diagonal(const SticContext* context, SticEntries* entries, SticCuts cuts)
{
    for (int32_t i = 0; i < cuts.count; ++i)
        STIC_TRY(append(context, entries, cuts.at[i], cuts.at[i], 0.0));
    return STIC_OK;
}

// made in scratch memory, which holds the work of the builder too, then copied to its exact size
static SticStatus make_matrix(SticProblemStore* store, SticArena* scratch,
                              const SticScalarTriplets* triplets, const SticPartition* partition,
                              SticBlockCsr* made)
{
    const SticArenaMark mark = stic_arena_mark(scratch);
    SticBlockCsr rough;
    STIC_TRY(stic_block_csr_from_scalars(partition, triplets, scratch, &rough, NULL));
    STIC_TRY(stic_store_matrix(store, &rough, made));
    stic_arena_rewind(scratch, mark);
    return STIC_OK;
}

// block of every scalar
static SticStatus take_owners(SticArena* scratch, SticCuts cuts, int32_t** owner)
{
    STIC_TRY(STIC_TAKE(scratch, owner, cuts.at[cuts.count]));
    for (int32_t i = 0; i < cuts.count; ++i)
        for (int32_t k = cuts.at[i]; k < cuts.at[i + 1]; ++k)
            (*owner)[k] = i;
    return STIC_OK;
}

/* ---- interactions ---- */

// first and last body that a bilateral row touches (local form: first and last row it couples with
// among the bilateral ones); equal for the rows of one joint
typedef struct Span {
    int32_t first, last;
} Span;

static SticStatus free_spans(SticArena* scratch, const SticRaw* raw, SticCuts bodies, Span** spans)
{
    const int32_t first_row = raw->contacts * raw->contact_rows;
    STIC_TRY(STIC_TAKE(scratch, spans, raw->free_rows));
    for (int32_t i = 0; i < raw->free_rows; ++i)
        (*spans)[i] = (Span){.first = INT32_MAX, .last = -1};
    int32_t* body = NULL;
    if (raw->global)
        STIC_TRY(take_owners(scratch, bodies, &body));
    const SticEntries* entries = raw->global ? &raw->H : &raw->W;
    for (int32_t k = 0; k < entries->count; ++k) {
        const int32_t row = entries->col[k] - first_row;
        const int32_t other = raw->global ? body[entries->row[k]] : entries->row[k] - first_row;
        if (row < 0 || other < 0)
            continue;
        Span* span = &(*spans)[row];
        span->first = other < span->first ? other : span->first;
        span->last = other > span->last ? other : span->last;
    }
    return STIC_OK;
}

// contacts of equal size, then bilateral rows: neighbours with one span form a joint of up to 6
// rows
static SticStatus divide_rows(SticProblemStore* store, SticArena* scratch, const SticRaw* raw,
                              SticCuts bodies)
{
    enum { MOST_FREE_ROWS = 6 };
    SticProblem* view = &store->view;
    int32_t* row_at = NULL;
    Span* spans = NULL;
    STIC_TRY(STIC_OWN(store, &row_at, (size_t)raw->contacts + (size_t)raw->free_rows + 1));
    STIC_TRY(free_spans(scratch, raw, bodies, &spans));
    for (int32_t i = 0; i <= raw->contacts; ++i)
        row_at[i] = i * raw->contact_rows;
    int32_t count = raw->contacts, start = 0;
    for (int32_t i = 0; i < raw->free_rows; ++i) {
        const bool joined = i > start && i - start < MOST_FREE_ROWS &&
                            spans[i].first == spans[start].first &&
                            spans[i].last == spans[start].last;
        if (!joined) {
            start = i;
            count += 1;
        }
        row_at[count] = row_at[raw->contacts] + i + 1;
    }
    view->count = count;
    view->rows = row_at[count];
    view->row_at = row_at;
    return STIC_OK;
}

static SticStatus fill_laws(SticProblemStore* store, const SticRaw* raw)
{
    SticProblem* view = &store->view;
    uint8_t* law = NULL;
    double(*coef)[4] = NULL;
    STIC_TRY(STIC_OWN(store, &law, view->count));
    STIC_TRY(STIC_OWN(store, &coef, view->count));
    for (int32_t i = 0; i < view->count; ++i) {
        law[i] = (uint8_t)(i < raw->contacts ? raw->law : STIC_LAW_FREE);
        if (i < raw->contacts && raw->law != STIC_LAW_NONNEG)
            coef[i][0] = raw->mu.value[i];
        if (i < raw->contacts && raw->law == STIC_LAW_ROLLING)
            coef[i][2] = raw->mu_roll.value[i];
    }
    view->law = law;
    view->coef = (const double(*)[4])coef;
    return STIC_OK;
}

/* ---- the build ---- */

// an empty problem still has its vectors
static SticStatus keep_vector(SticProblemStore* store, const SticReals* reals, const double** kept)
{
    const double none[1] = {0.0};
    return STIC_OWN_COPY(store, reals->value != NULL ? reals->value : none, reals->count, kept);
}

static SticStatus fill_local(SticProblemStore* store, SticArena* scratch, SticRaw* raw)
{
    SticProblem* view = &store->view;
    const SticCuts cuts = {.count = view->count, .at = view->row_at};
    STIC_TRY(touch_diagonal(&raw->context, &raw->W, cuts));
    const SticPartition partition = {view->count, view->count, view->row_at, view->row_at};
    const SticScalarTriplets W = {raw->W.count, raw->W.row, raw->W.col, raw->W.value};
    STIC_TRY(make_matrix(store, scratch, &W, &partition, &store->W));
    view->W = &store->W;
    return keep_vector(store, &raw->b, &view->b);
}

static SticStatus fill_global(SticProblemStore* store, SticArena* scratch, SticRaw* raw,
                              SticCuts bodies)
{
    SticProblem* view = &store->view;
    view->dof = raw->M.rows;
    STIC_TRY(keep_vector(store, &raw->f, &view->f));
    STIC_TRY(keep_vector(store, &raw->w, &view->w));
    STIC_TRY(touch_diagonal(&raw->context, &raw->M, bodies));
    const SticPartition square = {bodies.count, bodies.count, bodies.at, bodies.at};
    const SticPartition flat = {view->count, bodies.count, view->row_at, bodies.at};
    const SticScalarTriplets M = {raw->M.count, raw->M.row, raw->M.col, raw->M.value};
    const SticScalarTriplets Ht = {raw->H.count, raw->H.col, raw->H.row, raw->H.value};
    STIC_TRY(make_matrix(store, scratch, &M, &square, &store->A));
    STIC_TRY(make_matrix(store, scratch, &Ht, &flat, &store->Ht));
    view->Ht = &store->Ht;
    return STIC_OK;
}

static SticStatus build(SticProblemStore* store, SticArena* scratch, SticRaw* raw, SticError* error)
{
    SticCuts bodies = {0};
    SticMassKind kind = STIC_MASS_BLOCKS;
    if (raw->global)
        STIC_TRY(stic_store_bodies(scratch, raw, &bodies, &kind));
    STIC_TRY(divide_rows(store, scratch, raw, bodies));
    STIC_TRY(fill_laws(store, raw));
    if (raw->global) {
        STIC_TRY(fill_global(store, scratch, raw, bodies));
        STIC_TRY(stic_store_mass(store, scratch, kind, error));
        store->view.M = &store->mass;
    } else {
        STIC_TRY(fill_local(store, scratch, raw));
    }
    STIC_TRY(stic_store_metadata(store, &raw->metadata));
    return stic_problem_check(&store->view, error);
}

SticStatus stic_problem_build(SticRaw* raw, SticProblemStore** store, SticError* error)
{
    *store = NULL;
    SticProblemStore* made = NULL;
    SticArena* scratch = NULL;
    SticStatus status = STIC_OK;
    STIC_TRY_GOTO(status, done, stic_store_create(&raw->context, &made));
    STIC_TRY_GOTO(status, done, stic_arena_create(&raw->context, 0, &scratch));
    STIC_TRY_GOTO(status, done, build(made, scratch, raw, error));
done:
    stic_arena_destroy(scratch);
    if (status != STIC_OK) {
        stic_problem_destroy(made);
        return status;
    }
    *store = made;
    return STIC_OK;
}
