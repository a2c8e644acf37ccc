// SPDX-License-Identifier: Apache-2.0
// Raw data of a file, and the problem they describe.
//
// Steps of the build: divide the velocities into bodies, the rows into interactions, then make the
// block matrices. Memory is allocated for rows only after the vectors of those rows were read, so a
// size that a file merely declares costs nothing.
#include "problem/store.h"

#include <string.h>

SticStatus stic_entries_add(const SticContext* context, SticEntries* entries, int32_t row,
                            int32_t col, double value)
{
    // a stored zero says nothing
    if (value == 0.0)
        return STIC_OK;
    STIC_TRY(STIC_RESERVE(context, &entries->entry, &entries->capacity, entries->count + 1));
    entries->entry[entries->count++] = (SticEntry){.row = row, .col = col, .value = value};
    return STIC_OK;
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
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; ++i)
        STIC_RELEASE(&context, entries[i]->entry, entries[i]->capacity);
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; ++i)
        STIC_RELEASE(&context, reals[i]->value, reals[i]->capacity);
    *raw = (SticRaw){.context = context};
}

/* ---- block matrices
 * ------------------------------------------------------------------------------- */

// block of every scalar of a partition
static SticStatus block_of_scalar(SticArena* scratch, SticPartition partition, int32_t** block)
{
    STIC_TRY(STIC_TAKE(scratch, block, partition.at[partition.count]));
    for (int32_t i = 0; i < partition.count; ++i)
        for (int32_t k = partition.at[i]; k < partition.at[i + 1]; ++k)
            (*block)[k] = i;
    return STIC_OK;
}

typedef struct Sorter {
    const SticEntries* entries;
    const int32_t* block; // block of every scalar
    bool by_row;          // key: the entry's row, else its column
    int32_t blocks;
} Sorter;

static int32_t entry_key(const Sorter* sorter, size_t at)
{
    const SticEntry* entry = &sorter->entries->entry[at];
    return sorter->block[sorter->by_row ? entry->row : entry->col];
}

// stable counting sort of entry numbers by block; `from` NULL: in the order of the file
static SticStatus sort_by_block(SticArena* scratch, const Sorter* sorter, const size_t* from,
                                size_t* sorted)
{
    size_t* next = NULL;
    STIC_TRY(STIC_TAKE(scratch, &next, (size_t)sorter->blocks + 1));
    memset(next, 0, ((size_t)sorter->blocks + 1) * sizeof *next);
    const size_t count = sorter->entries->count;
    for (size_t i = 0; i < count; ++i)
        next[entry_key(sorter, i) + 1] += 1;
    for (int32_t i = 0; i < sorter->blocks; ++i)
        next[i + 1] += next[i];
    for (size_t i = 0; i < count; ++i) {
        const size_t at = from == NULL ? i : from[i];
        sorted[next[entry_key(sorter, at)]++] = at;
    }
    return STIC_OK;
}

typedef struct Filler {
    const SticBlockPlan* plan;
    const int32_t *row_block, *col_block; // block of every scalar row and column of the result
    const size_t* order;                  // entries by block row, then block column
    int32_t* begin;
    int32_t* col;      // NULL on the counting pass
    int64_t* value_at; // NULL on the counting pass
    int64_t blocks;
} Filler;

static void add_block(Filler* filler, int32_t row, int32_t col)
{
    if (filler->col != NULL) {
        const SticPartition rows = filler->plan->rows, cols = filler->plan->cols;
        const int64_t size =
            (int64_t)(rows.at[row + 1] - rows.at[row]) * (cols.at[col + 1] - cols.at[col]);
        filler->col[filler->blocks] = col;
        filler->value_at[filler->blocks + 1] = filler->value_at[filler->blocks] + size;
    }
    filler->blocks += 1;
}

// go through the sorted entries and lay out one block per new column of a row
static void lay_out(Filler* filler)
{
    const SticBlockPlan* plan = filler->plan;
    const SticEntries* entries = plan->entries;
    filler->blocks = 0;
    size_t next = 0;
    for (int32_t i = 0; i < plan->rows.count; ++i) {
        if (filler->col != NULL)
            filler->begin[i] = (int32_t)filler->blocks;
        int32_t last = -1;
        for (; next < entries->count; ++next) {
            const SticEntry* entry = &entries->entry[filler->order[next]];
            if (filler->row_block[plan->transpose ? entry->col : entry->row] != i)
                break;
            const int32_t col = filler->col_block[plan->transpose ? entry->row : entry->col];
            if (col == last)
                continue;
            if (plan->diagonal && last < i && col > i)
                add_block(filler, i, i);
            add_block(filler, i, col);
            last = col;
        }
        if (plan->diagonal && last < i)
            add_block(filler, i, i);
    }
    if (filler->col != NULL)
        filler->begin[plan->rows.count] = (int32_t)filler->blocks;
}

static void add_values(const Filler* filler, double* value)
{
    const SticBlockPlan* plan = filler->plan;
    int32_t block = 0, row_before = -1;
    for (size_t k = 0; k < plan->entries->count; ++k) {
        const SticEntry* entry = &plan->entries->entry[filler->order[k]];
        const int32_t row = plan->transpose ? entry->col : entry->row;
        const int32_t col = plan->transpose ? entry->row : entry->col;
        const int32_t i = filler->row_block[row], j = filler->col_block[col];
        if (i != row_before)
            block = filler->begin[i];
        row_before = i;
        while (filler->col[block] != j)
            block += 1;
        const int32_t width = plan->cols.at[j + 1] - plan->cols.at[j];
        value[filler->value_at[block] + (int64_t)(row - plan->rows.at[i]) * width +
              (col - plan->cols.at[j])] += entry->value;
    }
}

SticStatus stic_store_blocks(SticProblemStore* store, SticArena* scratch, const SticBlockPlan* plan,
                             SticBlockCsr* made)
{
    const SticArenaMark mark = stic_arena_mark(scratch);
    int32_t *row_block = NULL, *col_block = NULL;
    size_t *by_col = NULL, *order = NULL;
    STIC_TRY(block_of_scalar(scratch, plan->rows, &row_block));
    STIC_TRY(block_of_scalar(scratch, plan->cols, &col_block));
    STIC_TRY(STIC_TAKE(scratch, &by_col, plan->entries->count));
    STIC_TRY(STIC_TAKE(scratch, &order, plan->entries->count));
    const Sorter cols = {plan->entries, col_block, plan->transpose, plan->cols.count};
    const Sorter rows = {plan->entries, row_block, !plan->transpose, plan->rows.count};
    STIC_TRY(sort_by_block(scratch, &cols, NULL, by_col));
    STIC_TRY(sort_by_block(scratch, &rows, by_col, order));

    // count, allocate, fill
    Filler filler = {.plan = plan, .row_block = row_block, .col_block = col_block, .order = order};
    lay_out(&filler);
    if (filler.blocks > INT32_MAX)
        return STIC_OUT_OF_MEMORY;
    STIC_TRY(STIC_OWN(store, &filler.begin, (size_t)plan->rows.count + 1));
    STIC_TRY(STIC_OWN(store, &filler.col, filler.blocks));
    STIC_TRY(STIC_OWN(store, &filler.value_at, filler.blocks + 1));
    lay_out(&filler);
    double* value = NULL;
    STIC_TRY(STIC_OWN(store, &value, filler.value_at[filler.blocks]));
    add_values(&filler, value);
    *made = (SticBlockCsr){.rows = plan->rows.count,
                           .cols = plan->cols.count,
                           .row_at = plan->rows.at,
                           .col_at = plan->cols.at,
                           .begin = filler.begin,
                           .col = filler.col,
                           .value_at = filler.value_at,
                           .value = value};
    stic_arena_rewind(scratch, mark);
    return STIC_OK;
}

/* ---- interactions
 * --------------------------------------------------------------------------------- */

// first and last body that a bilateral row touches (local form: first and last row it couples with
// among the bilateral ones); equal for the rows of one joint
typedef struct Span {
    int32_t first, last;
} Span;

static SticStatus free_spans(SticArena* scratch, const SticRaw* raw, SticPartition bodies,
                             Span** spans)
{
    const int32_t first_row = raw->contacts * raw->contact_rows;
    STIC_TRY(STIC_TAKE(scratch, spans, raw->free_rows));
    for (int32_t i = 0; i < raw->free_rows; ++i)
        (*spans)[i] = (Span){.first = INT32_MAX, .last = -1};
    int32_t* body = NULL;
    if (raw->global)
        STIC_TRY(block_of_scalar(scratch, bodies, &body));
    const SticEntries* entries = raw->global ? &raw->H : &raw->W;
    for (size_t k = 0; k < entries->count; ++k) {
        const SticEntry* entry = &entries->entry[k];
        const int32_t row = entry->col - first_row;
        const int32_t other = raw->global ? body[entry->row] : entry->row - first_row;
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
                              SticPartition bodies)
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

/* ---- the build
 * ------------------------------------------------------------------------------------ */

static SticStatus fill_local(SticProblemStore* store, SticArena* scratch, const SticRaw* raw)
{
    SticProblem* view = &store->view;
    const SticPartition rows = {.count = view->count, .at = view->row_at};
    const SticBlockPlan plan = {.entries = &raw->W, .diagonal = true, .rows = rows, .cols = rows};
    STIC_TRY(stic_store_blocks(store, scratch, &plan, &store->W));
    view->W = &store->W;
    // an empty problem still has its vectors
    return stic_store_copy(store, raw->b.value != NULL ? raw->b.value : (const double[1]){0.0},
                           raw->b.count, sizeof(double), (const void**)&view->b);
}

static SticStatus fill_global(SticProblemStore* store, SticArena* scratch, const SticRaw* raw,
                              SticPartition bodies, SticMassKind kind, SticError* error)
{
    SticProblem* view = &store->view;
    const double none[1] = {0.0};
    view->dof = raw->M.rows;
    STIC_TRY(stic_store_copy(store, raw->f.value != NULL ? raw->f.value : none, raw->f.count,
                             sizeof(double), (const void**)&view->f));
    STIC_TRY(stic_store_copy(store, raw->w.value != NULL ? raw->w.value : none, raw->w.count,
                             sizeof(double), (const void**)&view->w));
    const SticPartition rows = {.count = view->count, .at = view->row_at};
    const SticBlockPlan H = {.entries = &raw->H, .transpose = true, .rows = rows, .cols = bodies};
    const SticBlockPlan M = {.entries = &raw->M, .diagonal = true, .rows = bodies, .cols = bodies};
    STIC_TRY(stic_store_blocks(store, scratch, &H, &store->Ht));
    STIC_TRY(stic_store_blocks(store, scratch, &M, &store->A));
    view->Ht = &store->Ht;
    STIC_TRY(stic_store_mass(store, scratch, kind, error));
    view->M = &store->mass;
    return STIC_OK;
}

static SticStatus build(SticProblemStore* store, SticArena* scratch, const SticRaw* raw,
                        SticError* error)
{
    SticPartition bodies = {0};
    SticMassKind kind = STIC_MASS_BLOCKS;
    if (raw->global)
        STIC_TRY(stic_store_bodies(store, scratch, raw, &bodies, &kind));
    STIC_TRY(divide_rows(store, scratch, raw, bodies));
    STIC_TRY(fill_laws(store, raw));
    if (raw->global)
        STIC_TRY(fill_global(store, scratch, raw, bodies, kind, error));
    else
        STIC_TRY(fill_local(store, scratch, raw));
    STIC_TRY(stic_store_metadata(store, &raw->metadata));
    return stic_problem_check(&store->view, error);
}

SticStatus stic_problem_build(const SticRaw* raw, SticProblemStore** store, SticError* error)
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
