// SPDX-License-Identifier: Apache-2.0
// Symbolic analysis of a block matrix for multifrontal LDL' and LU.
//
// Steps, all on blocks and on the pattern of A + A':
//   1. order (AMD or natural), elimination tree with path compression (Liu, ACM TOMS 12, 1986),
//      postorder;
//   2. rows below each column, counted by walking the row subtrees;
//   3. supernodes: neighbours with the same rows, then relaxed: a supernode joins the one that
//      starts behind it if that one holds its parent and few zeros are stored (Ashcraft and Grimes,
//      ACM TOMS 15, 1989);
//   4. rows of each supernode by walking the row subtrees of the tree of supernodes;
//   5. where each row lies in the parent's front, where each block of A enters, and the room that
//      the stack of updates needs.
// Cost: proportional to the number of blocks of the factor in step 2, else to the compressed
// pattern.
#include "sparse/symbolic.h"
#include "sparse/lists.h"
#include "stiction/extend/base.h"

#include <string.h>

// a supernode of up to these many scalar columns takes up to this share of zeros; found by timing
// bench_sparse (wide supernodes pay for zeros in flops, narrow ones in copies of small updates)
typedef struct Relaxation {
    int32_t width;
    double zeros;
} Relaxation;

static const Relaxation relaxed[] = {{12, 0.4}, {24, 0.2}, {48, 0.08}, {INT32_MAX, 0.02}};

// scratch of one analysis
typedef struct Analysis {
    const SticBlockCsr* A;
    SticArena* scratch;
    int32_t n;
    int32_t *begin, *col; // graph of A + A' without diagonal, in the matrix' numbering
    int32_t* order;       // [n] block of the matrix at each place of the elimination
    int32_t* place;       // [n] its inverse
    int32_t* parent;      // [n] elimination tree, by place
    int32_t* below;       // [n] blocks below the diagonal of each column, by place
    int32_t* height;      // [n] their scalar rows
    int32_t* at;          // [n+1] first scalar of each place
    int32_t* mark;        // [n]
    int32_t* owner;       // [n] supernode of each place
    int32_t* first;       // [supernodes+1] first place of each supernode
    int32_t supernodes;
    int32_t *list_begin, *list; // rows of each supernode as places
} Analysis;

uint64_t stic_symbolic_hash(const SticBlockCsr* A)
{
    uint64_t hash = stic_hash_bytes(0, &A->rows, sizeof A->rows);
    hash = stic_hash_bytes(hash, A->row_at, ((size_t)A->rows + 1) * sizeof *A->row_at);
    hash = stic_hash_bytes(hash, A->begin, ((size_t)A->rows + 1) * sizeof *A->begin);
    return stic_hash_bytes(hash, A->col, (size_t)stic_block_csr_count(A) * sizeof *A->col);
}

static SticStatus build_graph(Analysis* work)
{
    const SticBlockCsr* A = work->A;
    const int32_t n = work->n, count = stic_block_csr_count(A);
    int32_t *flipped_begin = NULL, *flipped = NULL;
    STIC_TRY(STIC_TAKE(work->scratch, &work->begin, (size_t)n + 1));
    STIC_TRY(STIC_TAKE(work->scratch, &work->col, 2 * (size_t)count));
    STIC_TRY(STIC_TAKE(work->scratch, &flipped_begin, (size_t)n + 2));
    STIC_TRY(STIC_TAKE(work->scratch, &flipped, count));

    // pattern of A': counted two places up, so that filling leaves the starts behind
    memset(flipped_begin, 0, ((size_t)n + 2) * sizeof *flipped_begin);
    for (int32_t k = 0; k < count; ++k)
        flipped_begin[A->col[k] + 2] += 1;
    for (int32_t j = 0; j < n; ++j)
        flipped_begin[j + 2] += flipped_begin[j + 1];
    for (int32_t i = 0; i < n; ++i)
        for (int32_t k = A->begin[i]; k < A->begin[i + 1]; ++k)
            flipped[flipped_begin[A->col[k] + 1]++] = i;

    // rows of A + A' without their diagonal
    work->begin[0] = 0;
    for (int32_t i = 0; i < n; ++i) {
        int32_t* row = work->col + work->begin[i];
        const int32_t length =
            list_merge(A->begin[i + 1] - A->begin[i], A->col + A->begin[i],
                       flipped_begin[i + 1] - flipped_begin[i], flipped + flipped_begin[i], row);
        int32_t kept = 0;
        for (int32_t k = 0; k < length; ++k)
            if (row[k] != i)
                row[kept++] = row[k];
        work->begin[i + 1] = work->begin[i] + kept;
    }
    return STIC_OK;
}

static void invert_order(Analysis* work)
{
    for (int32_t p = 0; p < work->n; ++p)
        work->place[work->order[p]] = p;
}

// parents in the elimination tree; mark[] shortcuts to the highest known ancestor
static void build_tree(Analysis* work)
{
    int32_t* ancestor = work->mark;
    for (int32_t p = 0; p < work->n; ++p) {
        work->parent[p] = -1;
        ancestor[p] = -1;
        const int32_t i = work->order[p];
        for (int32_t k = work->begin[i]; k < work->begin[i + 1]; ++k) {
            int32_t q = work->place[work->col[k]];
            while (q < p && q != -1) {
                const int32_t next = ancestor[q];
                ancestor[q] = p;
                if (next == -1)
                    work->parent[q] = p;
                q = next == p ? -1 : next;
            }
        }
    }
}

// renumber so that every subtree is contiguous and ends with its root
static SticStatus postorder(Analysis* work)
{
    const int32_t n = work->n;
    int32_t *child = NULL, *sibling = NULL, *post = NULL, *renumbered = NULL;
    STIC_TRY(STIC_TAKE(work->scratch, &child, (size_t)n + 1));
    STIC_TRY(STIC_TAKE(work->scratch, &sibling, n));
    STIC_TRY(STIC_TAKE(work->scratch, &post, n));
    STIC_TRY(STIC_TAKE(work->scratch, &renumbered, n));

    // children in rising order; the roots are children of place n
    for (int32_t p = 0; p <= n; ++p)
        child[p] = -1;
    for (int32_t p = n - 1; p >= 0; --p) {
        const int32_t up = work->parent[p] < 0 ? n : work->parent[p];
        sibling[p] = child[up];
        child[up] = p;
    }
    // descend to the first leaf; a node is numbered when no child is left, then its sibling follows
    int32_t p = n;
    for (int32_t count = 0; count < n;) {
        while (child[p] != -1) {
            const int32_t down = child[p];
            child[p] = sibling[down];
            p = down;
        }
        renumbered[p] = count;
        post[count++] = work->order[p];
        p = work->parent[p] < 0 ? n : work->parent[p];
    }
    // the old parent of each node, by its new number; mark[] is free here
    for (int32_t q = 0; q < n; ++q)
        work->mark[renumbered[q]] = work->parent[q] < 0 ? -1 : renumbered[work->parent[q]];
    memcpy(work->parent, work->mark, (size_t)n * sizeof *work->parent);
    memcpy(work->order, post, (size_t)n * sizeof *work->order);
    invert_order(work);
    return STIC_OK;
}

// row p holds column q for every q on the paths from its entries up to p
static void count_rows(Analysis* work)
{
    const int32_t n = work->n;
    work->at[0] = 0;
    for (int32_t p = 0; p < n; ++p) {
        const int32_t i = work->order[p];
        work->at[p + 1] = work->at[p] + (work->A->row_at[i + 1] - work->A->row_at[i]);
        work->below[p] = work->height[p] = 0;
    }
    for (int32_t p = 0; p < n; ++p) {
        const int32_t i = work->order[p];
        work->mark[p] = p;
        for (int32_t k = work->begin[i]; k < work->begin[i + 1]; ++k)
            for (int32_t q = work->place[work->col[k]]; q < p && work->mark[q] != p;
                 q = work->parent[q]) {
                work->below[q] += 1;
                work->height[q] += work->at[p + 1] - work->at[p];
                work->mark[q] = p;
            }
    }
}

// values of w columns that have m rows below them
static double trapezoid(double w, double m)
{
    return 0.5 * w * (w + 1) + w * m;
}

static bool few_zeros(int32_t width, double share)
{
    size_t k = 0;
    while (width > relaxed[k].width)
        ++k;
    return share <= relaxed[k].zeros;
}

// maximal supernodes: a column whose parent is the next one joins it if it has one row more
static int32_t find_maximal(const Analysis* work, int32_t* start)
{
    int32_t count = 0;
    for (int32_t p = 0; p < work->n; ++p)
        if (p == 0 || work->parent[p - 1] != p || work->below[p - 1] != work->below[p] + 1)
            start[count++] = p;
    start[count] = work->n;
    return count;
}

// sets joins[s] where supernode s joins the group that starts behind it
static void relax(const Analysis* work, int32_t count, const int32_t* start, double* stored,
                  int32_t* joins)
{
    int32_t end = work->n; // end of the group that starts behind s
    for (int32_t s = count - 1; s >= 0; --s) {
        const int32_t p = start[s], next = start[s + 1];
        const int32_t up = work->parent[next - 1];
        const double below = work->height[end - 1];
        stored[s] = trapezoid(work->at[next] - work->at[p], work->height[next - 1]);
        joins[s] = 0;
        if (up >= next && up < end) {
            const int32_t width = work->at[end] - work->at[p];
            const double used = stored[s] + stored[s + 1];
            joins[s] = few_zeros(width, 1.0 - used / trapezoid(width, below));
            if (joins[s])
                stored[s] = used;
        }
        if (!joins[s])
            end = next;
    }
}

// groups of neighbouring columns; sets first, owner, supernodes
static SticStatus find_supernodes(Analysis* work)
{
    int32_t *start = NULL, *joins = work->mark;
    double* stored = NULL;
    STIC_TRY(STIC_TAKE(work->scratch, &start, (size_t)work->n + 1));
    STIC_TRY(STIC_TAKE(work->scratch, &stored, work->n));
    const int32_t count = find_maximal(work, start);
    relax(work, count, start, stored, joins);
    work->supernodes = 0;
    for (int32_t s = 0; s < count; ++s) {
        if (s == 0 || !joins[s - 1])
            work->first[work->supernodes++] = start[s];
        for (int32_t p = start[s]; p < start[s + 1]; ++p)
            work->owner[p] = work->supernodes - 1;
    }
    work->first[work->supernodes] = work->n;
    return STIC_OK;
}

// rows of every supernode as places; parents of supernodes into `parent`
static SticStatus list_rows(Analysis* work, int32_t* parent)
{
    const int32_t count = work->supernodes;
    int32_t* next = NULL;
    STIC_TRY(STIC_TAKE(work->scratch, &work->list_begin, (size_t)count + 1));
    STIC_TRY(STIC_TAKE(work->scratch, &next, count));
    // a relaxed supernode has the rows of its last column
    int64_t total = 0;
    for (int32_t s = 0; s < count; ++s) {
        const int32_t last = work->first[s + 1] - 1;
        parent[s] = work->parent[last] < 0 ? -1 : work->owner[work->parent[last]];
        work->list_begin[s] = next[s] = (int32_t)total;
        total += work->below[last];
        work->mark[s] = -1;
        if (total > INT32_MAX)
            return STIC_OUT_OF_MEMORY;
    }
    work->list_begin[count] = (int32_t)total;
    STIC_TRY(STIC_TAKE(work->scratch, &work->list, total));
    // rows are met in rising order, so that every list is sorted
    for (int32_t p = 0; p < work->n; ++p) {
        const int32_t i = work->order[p], top = work->owner[p];
        work->mark[top] = p;
        for (int32_t k = work->begin[i]; k < work->begin[i + 1]; ++k) {
            if (work->place[work->col[k]] >= p)
                continue;
            for (int32_t s = work->owner[work->place[work->col[k]]]; work->mark[s] != p;
                 s = parent[s]) {
                work->list[next[s]++] = p;
                work->mark[s] = p;
            }
        }
    }
    return STIC_OK;
}

// scalar columns, rows, children, positions in the parent's front
static SticStatus place_rows(const Analysis* work, SticSymbolic* to)
{
    const int32_t count = work->supernodes;
    int64_t rows = 0;
    for (int32_t s = 0; s <= count; ++s)
        to->first[s] = work->at[work->first[s]];
    memset(to->children, 0, (size_t)count * sizeof *to->children);
    for (int32_t s = 0; s < count; ++s) {
        to->row_begin[s] = (int32_t)rows;
        for (int32_t k = work->list_begin[s]; k < work->list_begin[s + 1]; ++k)
            rows += work->at[work->list[k] + 1] - work->at[work->list[k]];
        if (to->parent[s] >= 0)
            to->children[to->parent[s]] += 1;
        if (rows > INT32_MAX)
            return STIC_OUT_OF_MEMORY;
    }
    to->row_begin[count] = (int32_t)rows;
    STIC_TRY(STIC_TAKE(to->arena, &to->row, rows));
    STIC_TRY(STIC_TAKE(to->arena, &to->relative, rows));
    for (int32_t s = 0, r = 0; s < count; ++s)
        for (int32_t k = work->list_begin[s]; k < work->list_begin[s + 1]; ++k)
            for (int32_t i = work->at[work->list[k]]; i < work->at[work->list[k] + 1]; ++i)
                to->row[r++] = i;

    // both lists rise, so one pass finds every row in the parent
    for (int32_t s = 0; s < count; ++s) {
        const int32_t up = to->parent[s];
        to->split[s] = 0;
        if (up < 0)
            continue;
        const int32_t width = stic_supernode_width(to, up);
        const int32_t end = to->first[up + 1];
        int32_t q = to->row_begin[up];
        for (int32_t r = to->row_begin[s]; r < to->row_begin[s + 1]; ++r) {
            if (to->row[r] < end) {
                to->relative[r] = to->row[r] - to->first[up];
                to->split[s] += 1;
                continue;
            }
            while (to->row[q] != to->row[r])
                ++q;
            to->relative[r] = width + (q - to->row_begin[up]);
        }
    }
    return STIC_OK;
}

// position of place p in the front of supernode s
static int32_t front_position(const Analysis* work, const SticSymbolic* to, int32_t s, int32_t p)
{
    if (p < work->first[s + 1])
        return work->at[p] - to->first[s];
    const int32_t begin = to->row_begin[s];
    return stic_supernode_width(to, s) +
           list_find(to->row_begin[s + 1] - begin, to->row + begin, work->at[p]);
}

// where every block of A enters, grouped by supernode
static void place_sources(const Analysis* work, SticSymbolic* to)
{
    const SticBlockCsr* A = work->A;
    int32_t* next = work->mark;
    memset(to->source_begin, 0, ((size_t)to->supernodes + 1) * sizeof *to->source_begin);
    for (int32_t pass = 0; pass < 2; ++pass) {
        for (int32_t i = 0; i < work->n; ++i)
            for (int32_t k = A->begin[i]; k < A->begin[i + 1]; ++k) {
                const int32_t p = work->place[i], q = work->place[A->col[k]];
                const int32_t s = work->owner[p < q ? p : q];
                if (pass == 0) {
                    to->source_begin[s + 1] += 1;
                    continue;
                }
                const int32_t entry = next[s]++;
                to->source[entry] = k;
                to->source_block[entry] = i;
                to->source_row[entry] = front_position(work, to, s, p);
                to->source_col[entry] = front_position(work, to, s, q);
            }
        for (int32_t s = 0; s < to->supernodes && pass == 0; ++s) {
            to->source_begin[s + 1] += to->source_begin[s];
            next[s] = to->source_begin[s];
        }
    }
}

// offsets of the values, room for the stack, figures
static SticStatus size_storage(SticSymbolic* to, SticArena* scratch)
{
    // the updates of the children lie on top of the stack; the own one takes their place
    int64_t top = 0;
    int64_t* start = NULL; // of the update of each supernode in the stack
    STIC_TRY(STIC_TAKE(scratch, &start, (size_t)to->supernodes + 1));
    int32_t open = 0; // updates on the stack
    to->diagonal_at[0] = to->panel_at[0] = 0;
    for (int32_t s = 0; s < to->supernodes; ++s) {
        const int64_t w = stic_supernode_width(to, s), m = stic_supernode_height(to, s);
        const int64_t padded = stic_padded((int32_t)m);
        to->diagonal_at[s + 1] = to->diagonal_at[s] + w * stic_padded((int32_t)w);
        to->panel_at[s + 1] = to->panel_at[s] + w * padded;
        open -= to->children[s];
        if (to->children[s] > 0)
            top = start[open];
        start[open] = top;
        if (m > 0)
            open += 1;
        top += m * padded;
        to->stack_size = top > to->stack_size ? top : to->stack_size;
        to->update_size = m * padded > to->update_size ? m * padded : to->update_size;
        to->widest = w > to->widest ? (int32_t)w : to->widest;
        to->tallest = padded > to->tallest ? (int32_t)padded : to->tallest;
        to->info.tallest_front =
            w + m > to->info.tallest_front ? (int32_t)(w + m) : to->info.tallest_front;
        to->info.values += (int64_t)trapezoid((double)w, (double)m);
        for (int64_t c = w + m; c > m; --c)
            to->info.work += 0.5 * (double)c * (double)(c + 1);
    }
    to->info.supernodes = to->supernodes;
    to->info.widest = to->widest;
    return STIC_OK;
}

static SticStatus take_supernodes(SticSymbolic* to, int32_t count)
{
    const size_t n = (size_t)count;
    to->supernodes = count;
    STIC_TRY(STIC_TAKE(to->arena, &to->scalar_order, to->size));
    STIC_TRY(STIC_TAKE(to->arena, &to->first, n + 1));
    STIC_TRY(STIC_TAKE(to->arena, &to->parent, n));
    STIC_TRY(STIC_TAKE(to->arena, &to->children, n));
    STIC_TRY(STIC_TAKE(to->arena, &to->row_begin, n + 1));
    STIC_TRY(STIC_TAKE(to->arena, &to->split, n));
    STIC_TRY(STIC_TAKE(to->arena, &to->diagonal_at, n + 1));
    STIC_TRY(STIC_TAKE(to->arena, &to->panel_at, n + 1));
    STIC_TRY(STIC_TAKE(to->arena, &to->source_begin, n + 1));
    STIC_TRY(STIC_TAKE(to->arena, &to->source, to->block_count));
    STIC_TRY(STIC_TAKE(to->arena, &to->source_block, to->block_count));
    STIC_TRY(STIC_TAKE(to->arena, &to->source_row, to->block_count));
    return STIC_TAKE(to->arena, &to->source_col, to->block_count);
}

static SticStatus take_analysis(Analysis* work)
{
    const size_t n = (size_t)work->n;
    STIC_TRY(STIC_TAKE(work->scratch, &work->order, n));
    STIC_TRY(STIC_TAKE(work->scratch, &work->place, n));
    STIC_TRY(STIC_TAKE(work->scratch, &work->parent, n));
    STIC_TRY(STIC_TAKE(work->scratch, &work->below, n));
    STIC_TRY(STIC_TAKE(work->scratch, &work->height, n));
    STIC_TRY(STIC_TAKE(work->scratch, &work->at, n + 1));
    STIC_TRY(STIC_TAKE(work->scratch, &work->mark, n));
    STIC_TRY(STIC_TAKE(work->scratch, &work->owner, n));
    return STIC_TAKE(work->scratch, &work->first, n + 1);
}

static SticStatus analyse(Analysis* work, SticOrdering ordering, SticSymbolic* to, SticError* error)
{
    const SticBlockCsr* A = work->A;
    STIC_TRY(take_analysis(work));
    STIC_TRY(build_graph(work));
    STIC_TRY(stic_ordering_compute(A, ordering, work->order, error));
    invert_order(work);
    build_tree(work);
    STIC_TRY(postorder(work));
    count_rows(work);
    STIC_TRY(find_supernodes(work));
    STIC_TRY(take_supernodes(to, work->supernodes));
    STIC_TRY(list_rows(work, to->parent));
    STIC_TRY(place_rows(work, to));
    place_sources(work, to);
    for (int32_t p = 0; p < work->n; ++p)
        for (int32_t k = 0; k < work->at[p + 1] - work->at[p]; ++k)
            to->scalar_order[work->at[p] + k] = A->row_at[work->order[p]] + k;
    return size_storage(to, work->scratch);
}

SticStatus stic_symbolic_create(const SticContext* context, const SticBlockCsr* A,
                                SticOrdering ordering, SticSymbolic** symbolic, SticError* error)
{
    context = stic_context_given(context);
    STIC_ASSERT(A != NULL);
    STIC_ASSERT(symbolic != NULL);
    *symbolic = NULL;
    if (A->rows != A->cols)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "only a square matrix can be factorised, this one has %d x %d blocks",
                              A->rows, A->cols);
    for (int32_t i = 0; i < A->rows; ++i)
        if (A->row_at[i + 1] != A->col_at[i + 1])
            return stic_error_set(error, STIC_BAD_ARGUMENT,
                                  "block row and block column %d differ in size", i);
    SticSymbolic* made = NULL;
    SticArena* scratch = NULL;
    SticStatus status = STIC_ALLOCATE(context, &made, 1);
    STIC_TRY(status);
    made->context = *context;
    made->pattern = stic_symbolic_hash(A);
    made->blocks = A->rows;
    made->size = stic_block_csr_height(A);
    made->block_count = stic_block_csr_count(A);
    STIC_TRY_GOTO(status, end, stic_arena_create(context, 0, &made->arena));
    STIC_TRY_GOTO(status, end, stic_arena_create(context, 0, &scratch));
    Analysis work = {.A = A, .scratch = scratch, .n = A->rows};
    STIC_TRY_GOTO(status, end, analyse(&work, ordering, made, error));
    *symbolic = made;
end:
    stic_arena_destroy(scratch);
    if (status != STIC_OK) {
        stic_symbolic_destroy(made);
        if (error != NULL && error->status == STIC_OK)
            stic_error_set(error, status, "no memory to analyse %d blocks", A->rows);
    }
    return status;
}

void stic_symbolic_destroy(SticSymbolic* symbolic)
{
    if (symbolic == NULL)
        return;
    const SticContext context = symbolic->context;
    stic_arena_destroy(symbolic->arena);
    STIC_RELEASE(&context, symbolic, 1);
}

bool stic_symbolic_fits(const SticSymbolic* symbolic, const SticBlockCsr* A)
{
    STIC_ASSERT(symbolic != NULL);
    STIC_ASSERT(A != NULL);
    return A->rows == symbolic->blocks && A->cols == symbolic->blocks &&
           stic_block_csr_count(A) == symbolic->block_count &&
           stic_symbolic_hash(A) == symbolic->pattern;
}

SticSymbolicInfo stic_symbolic_info(const SticSymbolic* symbolic)
{
    STIC_ASSERT(symbolic != NULL);
    return symbolic->info;
}
