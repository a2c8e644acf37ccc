// SPDX-License-Identifier: Apache-2.0
// Islands: connected components of the graph of interactions.
//
// Cost: one pass over W or H'; extraction copies the data of the island.
#include "solver/islands.h"

#include <math.h>
#include <string.h>

#include "base/disjoint.h"
#include "problem/operator_kernel.h"
#include "stiction/extend/law.h"
#include "stiction/extend/sparse.h"

/* ---- components ---- */

// whether something moves body k
static bool moves(const SticProblem* problem, int32_t k)
{
    const SticBlockCsr* inverse = problem->M->inverse;
    const int32_t e = stic_block_csr_find(inverse, k, k);
    if (e < 0)
        return false;
    for (int64_t v = inverse->value_at[e]; v < inverse->value_at[e + 1]; ++v)
        if (inverse->value[v] != 0.0)
            return true;
    return false;
}

static inline bool same_bodies(const SticBlockCsr* Ht, int32_t i, int32_t j)
{
    const int32_t *a = Ht->begin + i, *b = Ht->begin + j;
    bool same = a[1] - a[0] == b[1] - b[0];
    for (int32_t k = 0; same && k < a[1] - a[0]; ++k)
        same = Ht->col[a[0] + k] == Ht->col[b[0] + k];
    return same;
}

// first[k]: an interaction at body k, -1 if there is none yet, -2 if it does not move
static void join_bodies(const SticProblem* problem, const SticBlockCsr* Ht, int32_t* first,
                        int32_t* parent)
{
    int32_t moved = -1; // body of the interaction before that moves
    for (int32_t i = 0; i < problem->count; ++i) {
        // the contacts of a pair follow each other: nothing new but themselves, which no other has
        // been joined to
        if (i > 0 && same_bodies(Ht, i - 1, i) && parent[i] == i) {
            parent[i] = moved < 0 ? i : stic_disjoint_root(parent, first[moved]);
            continue;
        }
        moved = -1;
        for (int32_t e = Ht->begin[i]; e < Ht->begin[i + 1]; ++e) {
            int32_t* at = &first[Ht->col[e]];
            if (*at >= 0)
                stic_disjoint_join(parent, i, *at);
            else if (*at == -1)
                *at = i;
            moved = *at >= 0 ? Ht->col[e] : moved;
        }
    }
}

// whether the bound of an interaction is a reaction of another one
static bool has_bounds(const SticProblem* problem)
{
    for (int32_t i = 0; problem->bound_row != NULL && i < problem->count; ++i)
        if (problem->bound_row[i] >= 0)
            return true;
    return false;
}

// parent[i]: sets of interactions; `first` is filled in the global form
static SticStatus connect(SticArena* arena, const SticProblem* problem, int32_t* first,
                          int32_t* parent)
{
    stic_disjoint_start(parent, problem->count);
    if (problem->W != NULL) {
        for (int32_t i = 0; i < problem->count; ++i)
            for (int32_t e = problem->W->begin[i]; e < problem->W->begin[i + 1]; ++e)
                stic_disjoint_join(parent, i, problem->W->col[e]);
    } else {
        for (int32_t k = 0; k < problem->Ht->cols; ++k)
            first[k] = moves(problem, k) ? -1 : -2;
        join_bodies(problem, problem->Ht, first, parent);
        if (problem->Pt != NULL)
            join_bodies(problem, problem->Pt, first, parent);
    }
    if (!has_bounds(problem))
        return STIC_OK;
    // a bound comes from the interaction that has its row
    int32_t* owner = NULL;
    STIC_TRY(STIC_TAKE(arena, &owner, problem->rows));
    for (int32_t i = 0; i < problem->count; ++i)
        for (int32_t row = problem->row_at[i]; row < problem->row_at[i + 1]; ++row)
            owner[row] = i;
    for (int32_t i = 0; i < problem->count; ++i)
        if (problem->bound_row[i] >= 0)
            stic_disjoint_join(parent, i, owner[problem->bound_row[i]]);
    return STIC_OK;
}

// bodies by island; first[] as join_bodies left it
static SticStatus sort_bodies(SticArena* arena, const SticProblem* problem, const int32_t* number,
                              const int32_t* first, SticIslands* islands)
{
    const int32_t bodies = problem->Ht->cols;
    STIC_TRY(STIC_TAKE(arena, &islands->body_begin, islands->count + 2));
    STIC_TRY(STIC_TAKE(arena, &islands->body, bodies));
    STIC_TRY(STIC_TAKE(arena, &islands->body_place, bodies));
    // begin[k + 2] counts, begin[k + 1] moves while they are placed
    int32_t* begin = islands->body_begin;
    memset(begin, 0, ((size_t)islands->count + 2) * sizeof *begin);
    for (int32_t k = 0; k < bodies; ++k)
        if (first[k] >= 0)
            begin[number[first[k]] + 2] += 1;
    for (int32_t k = 0; k < islands->count; ++k)
        begin[k + 2] += begin[k + 1];
    for (int32_t k = 0; k < bodies; ++k) {
        islands->body_place[k] = -1;
        if (first[k] < 0)
            continue;
        int32_t* at = &begin[number[first[k]] + 1];
        islands->body_place[k] = *at;
        islands->body[(*at)++] = k;
    }
    for (int32_t k = 0; k < islands->count; ++k)
        for (int32_t m = begin[k]; m < begin[k + 1]; ++m)
            islands->body_place[islands->body[m]] = m - begin[k];
    return STIC_OK;
}

// members of a single island: everything is in its place
static void sort_whole(const SticProblem* problem, SticIslands* islands)
{
    islands->begin[0] = 0;
    islands->begin[1] = problem->count;
    for (int32_t i = 0; i < problem->count; ++i)
        islands->member[i] = islands->place[i] = i;
    for (int32_t row = 0; row < problem->rows; ++row)
        islands->row_place[row] = row;
}

// members by island, and the place of every interaction and row; number[i] is the island of i
static void sort_members(const SticProblem* problem, const int32_t* number, SticIslands* islands)
{
    const int32_t n = problem->count;
    int32_t* begin = islands->begin;
    if (islands->count == 1) {
        sort_whole(problem, islands);
        return;
    }
    memset(begin, 0, ((size_t)islands->count + 2) * sizeof *begin);
    for (int32_t i = 0; i < n; ++i)
        begin[number[i] + 2] += 1;
    for (int32_t k = 0; k < islands->count; ++k)
        begin[k + 2] += begin[k + 1];
    for (int32_t i = 0; i < n; ++i)
        islands->member[begin[number[i] + 1]++] = i;
    for (int32_t k = 0; k < islands->count; ++k) {
        int32_t next = 0;
        for (int32_t m = begin[k]; m < begin[k + 1]; ++m) {
            const int32_t i = islands->member[m];
            islands->place[i] = m - begin[k];
            for (int32_t row = problem->row_at[i]; row < problem->row_at[i + 1]; ++row)
                islands->row_place[row] = next++;
        }
    }
}

SticStatus stic_islands_find(SticArena* arena, const SticProblem* problem, SticIslands* islands)
{
    const int32_t n = problem->count;
    int32_t *number = NULL, *first = NULL;
    *islands = (SticIslands){.count = 0};
    STIC_TRY(STIC_TAKE(arena, &islands->begin, n + 2));
    STIC_TRY(STIC_TAKE(arena, &islands->member, n));
    STIC_TRY(STIC_TAKE(arena, &islands->place, n));
    STIC_TRY(STIC_TAKE(arena, &islands->row_place, problem->rows));
    STIC_TRY(STIC_TAKE(arena, &number, n));
    if (problem->W == NULL)
        STIC_TRY(STIC_TAKE(arena, &first, problem->Ht->cols));
    STIC_TRY(connect(arena, problem, first, number));
    islands->count = stic_disjoint_number(number, n, islands->place);
    memcpy(number, islands->place, (size_t)n * sizeof *number);
    sort_members(problem, number, islands);
    return problem->W == NULL ? sort_bodies(arena, problem, number, first, islands) : STIC_OK;
}

SticStatus stic_islands_all(SticArena* arena, const SticProblem* problem, SticIslands* islands)
{
    const int32_t n = problem->count;
    int32_t *number = NULL, *first = NULL;
    *islands = (SticIslands){.count = 1};
    STIC_TRY(STIC_TAKE(arena, &islands->begin, n + 2));
    STIC_TRY(STIC_TAKE(arena, &islands->member, n));
    STIC_TRY(STIC_TAKE(arena, &islands->place, n));
    STIC_TRY(STIC_TAKE(arena, &islands->row_place, problem->rows));
    STIC_TRY(STIC_TAKE(arena, &number, n));
    if (n > 0)
        memset(number, 0, (size_t)n * sizeof *number);
    sort_members(problem, number, islands);
    if (problem->W != NULL)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &first, problem->Ht->cols));
    for (int32_t k = 0; k < problem->Ht->cols; ++k)
        first[k] = moves(problem, k) ? 0 : -2;
    return sort_bodies(arena, problem, number, first, islands);
}

/* ---- extraction ---- */

// what is copied
typedef struct Part {
    const SticProblem* whole;
    const SticIslands* islands;
    int32_t k;     // island
    int32_t count; // its interactions
    const int32_t* member;
    int32_t* row_at; // [count+1]
} Part;

// rows of A that belong to the part; new_col[j] -1: the column is left out
static SticStatus extract_rows(SticArena* arena, const SticBlockCsr* A, const Part* part,
                               const SticPartition* partition, const int32_t* new_col,
                               SticBlockCsr* made)
{
    int32_t blocks = 0;
    int64_t values = 0;
    for (int32_t m = 0; m < part->count; ++m) {
        const int32_t i = part->member[m];
        for (int32_t e = A->begin[i]; e < A->begin[i + 1]; ++e) {
            const int64_t size = A->value_at[e + 1] - A->value_at[e];
            blocks += new_col[A->col[e]] >= 0;
            values += new_col[A->col[e]] >= 0 ? size : 0;
        }
    }
    SticBlockArrays to;
    STIC_TRY(stic_block_csr_take(partition, blocks, values, arena, &to));
    int32_t at = 0;
    to.value_at[0] = 0;
    to.begin[0] = 0;
    for (int32_t m = 0; m < part->count; ++m) {
        const int32_t i = part->member[m];
        for (int32_t e = A->begin[i]; e < A->begin[i + 1]; ++e) {
            const int64_t size = A->value_at[e + 1] - A->value_at[e];
            if (new_col[A->col[e]] < 0)
                continue;
            to.col[at] = new_col[A->col[e]];
            to.value_at[at + 1] = to.value_at[at] + size;
            memcpy(to.value + to.value_at[at], A->value + A->value_at[e],
                   (size_t)size * sizeof(double));
            at += 1;
        }
        to.begin[m + 1] = at;
    }
    *made = stic_block_csr_view(partition, &to);
    return STIC_OK;
}

static SticStatus extract_local(SticArena* arena, const Part* part, SticProblem* made)
{
    SticBlockCsr* W = NULL;
    double* b = NULL;
    STIC_TRY(STIC_TAKE(arena, &W, 1));
    STIC_TRY(STIC_TAKE(arena, &b, made->rows));
    const SticPartition partition = {
        .rows = part->count, .cols = part->count, .row_at = part->row_at, .col_at = part->row_at};
    STIC_TRY(extract_rows(arena, part->whole->W, part, &partition, part->islands->place, W));
    stic_islands_gather(part->whole, part->islands, part->k, part->whole->b, b);
    made->W = W;
    made->b = b;
    return STIC_OK;
}

// diagonal blocks of the bodies of the part, which start at `at`
static SticStatus extract_diagonal(SticArena* arena, const SticBlockCsr* A, const Part* part,
                                   const int32_t* at, SticBlockCsr* made)
{
    const int32_t* body = part->islands->body + part->islands->body_begin[part->k];
    const int32_t bodies =
        part->islands->body_begin[part->k + 1] - part->islands->body_begin[part->k];
    const SticPartition partition = {.rows = bodies, .cols = bodies, .row_at = at, .col_at = at};
    int64_t values = 0;
    SticBlockArrays to;
    for (int32_t k = 0; k < bodies; ++k)
        values += (int64_t)(at[k + 1] - at[k]) * (at[k + 1] - at[k]);
    STIC_TRY(stic_block_csr_take(&partition, bodies, values, arena, &to));
    int32_t count = 0;
    to.begin[0] = 0;
    to.value_at[0] = 0;
    for (int32_t k = 0; k < bodies; ++k) {
        const int32_t e = stic_block_csr_find(A, body[k], body[k]);
        if (e >= 0) {
            const int64_t size = A->value_at[e + 1] - A->value_at[e];
            memcpy(to.value + to.value_at[count], A->value + A->value_at[e],
                   (size_t)size * sizeof(double));
            to.col[count] = k;
            to.value_at[count + 1] = to.value_at[count] + size;
            count += 1;
        }
        to.begin[k + 1] = count;
    }
    *made = stic_block_csr_view(&partition, &to);
    return STIC_OK;
}

static SticStatus extract_global(SticArena* arena, const Part* part, SticProblem* made)
{
    const SticProblem* whole = part->whole;
    const SticIslands* islands = part->islands;
    const int32_t* body = islands->body + islands->body_begin[part->k];
    const int32_t bodies = islands->body_begin[part->k + 1] - islands->body_begin[part->k];
    int32_t* at = NULL;
    SticBlockCsr* matrix = NULL; // A, inverse, Ht, Pt
    SticMass* M = NULL;
    double *f = NULL, *w = NULL;
    STIC_TRY(STIC_TAKE(arena, &at, bodies + 1));
    STIC_TRY(STIC_TAKE(arena, &matrix, 4));
    STIC_TRY(STIC_TAKE(arena, &M, 1));
    at[0] = 0;
    for (int32_t k = 0; k < bodies; ++k)
        at[k + 1] = at[k] + whole->Ht->col_at[body[k] + 1] - whole->Ht->col_at[body[k]];
    const SticPartition partition = {
        .rows = part->count, .cols = bodies, .row_at = part->row_at, .col_at = at};
    STIC_TRY(extract_diagonal(arena, whole->M->A, part, at, &matrix[0]));
    STIC_TRY(extract_diagonal(arena, whole->M->inverse, part, at, &matrix[1]));
    STIC_TRY(extract_rows(arena, whole->Ht, part, &partition, islands->body_place, &matrix[2]));
    if (whole->Pt != NULL)
        STIC_TRY(extract_rows(arena, whole->Pt, part, &partition, islands->body_place, &matrix[3]));
    STIC_TRY(STIC_TAKE(arena, &f, at[bodies]));
    STIC_TRY(STIC_TAKE(arena, &w, made->rows));
    for (int32_t k = 0; k < bodies; ++k)
        memcpy(f + at[k], whole->f + whole->Ht->col_at[body[k]],
               (size_t)(at[k + 1] - at[k]) * sizeof *f);
    stic_islands_gather(whole, islands, part->k, whole->w, w);
    *M = (SticMass){.kind = STIC_MASS_BLOCKS, .A = &matrix[0], .inverse = &matrix[1]};
    made->dof = at[bodies];
    made->M = M;
    made->Ht = &matrix[2];
    made->Pt = whole->Pt != NULL ? &matrix[3] : NULL;
    made->f = f;
    made->w = w;
    return STIC_OK;
}

static SticStatus extract_laws(SticArena* arena, const Part* part, SticProblem* made)
{
    const SticProblem* whole = part->whole;
    uint8_t* law = NULL;
    double(*coef)[4] = NULL;
    double* bound = NULL;
    int32_t* bound_row = NULL;
    STIC_TRY(STIC_TAKE(arena, &law, part->count));
    STIC_TRY(STIC_TAKE(arena, &coef, part->count));
    STIC_TRY(STIC_TAKE(arena, &bound, part->count));
    STIC_TRY(STIC_TAKE(arena, &bound_row, part->count));
    for (int32_t m = 0; m < part->count; ++m) {
        const int32_t i = part->member[m];
        const int32_t row = whole->bound_row != NULL ? whole->bound_row[i] : -1;
        law[m] = whole->law[i];
        memcpy(coef[m], whole->coef[i], sizeof coef[m]);
        bound[m] = whole->bound != NULL ? whole->bound[i] : 0.0;
        bound_row[m] = row >= 0 ? part->islands->row_place[row] : -1;
    }
    made->law = law;
    made->coef = (const double(*)[4])coef;
    made->bound = whole->bound != NULL ? bound : NULL;
    made->bound_row = whole->bound_row != NULL ? bound_row : NULL;
    return STIC_OK;
}

SticStatus stic_islands_extract(SticArena* arena, const SticProblem* problem,
                                const SticIslands* islands, int32_t k, SticProblem* made)
{
    STIC_ASSERT(k >= 0 && k < islands->count);
    Part part = {.whole = problem,
                 .islands = islands,
                 .k = k,
                 .count = islands->begin[k + 1] - islands->begin[k],
                 .member = islands->member + islands->begin[k]};
    STIC_TRY(STIC_TAKE(arena, &part.row_at, part.count + 1));
    part.row_at[0] = 0;
    for (int32_t m = 0; m < part.count; ++m)
        part.row_at[m + 1] =
            part.row_at[m] + problem->row_at[part.member[m] + 1] - problem->row_at[part.member[m]];
    *made =
        (SticProblem){.count = part.count, .rows = part.row_at[part.count], .row_at = part.row_at};
    STIC_TRY(extract_laws(arena, &part, made));
    if (problem->u_shift != NULL) {
        double* u_shift = NULL;
        STIC_TRY(STIC_TAKE(arena, &u_shift, made->rows));
        stic_islands_gather(problem, islands, k, problem->u_shift, u_shift);
        made->u_shift = u_shift;
    }
    return problem->W != NULL ? extract_local(arena, &part, made)
                              : extract_global(arena, &part, made);
}

/* ---- vectors ---- */

void stic_islands_gather(const SticProblem* problem, const SticIslands* islands, int32_t k,
                         const double* whole, double* part)
{
    STIC_ASSERT(k >= 0 && k < islands->count);
    STIC_ASSERT(whole != part);
    for (int32_t m = islands->begin[k]; m < islands->begin[k + 1]; ++m) {
        const int32_t i = islands->member[m];
        for (int32_t row = problem->row_at[i]; row < problem->row_at[i + 1]; ++row)
            *part++ = whole[row];
    }
}

void stic_islands_scatter(const SticProblem* problem, const SticIslands* islands, int32_t k,
                          const double* part, double* whole)
{
    STIC_ASSERT(k >= 0 && k < islands->count);
    STIC_ASSERT(whole != part);
    for (int32_t m = islands->begin[k]; m < islands->begin[k + 1]; ++m) {
        const int32_t i = islands->member[m];
        for (int32_t row = problem->row_at[i]; row < problem->row_at[i + 1]; ++row)
            whole[row] = *part++;
    }
}

/* ---- light and heavy contacts ---- */

// The measure is an energy: a contact of mass m may be off by tolerance sqrt(E/m), which grows as m
// falls. Energies come from velocities of one size v where E = m_most v^2.
double stic_islands_share(const SticProblem* problem, const SticOperator* op,
                          const SticIslands* islands, int32_t k)
{
    STIC_ASSERT(islands == NULL || (k >= 0 && k < islands->count));
    double least = INFINITY, most = 0.0;
    if (problem->W == NULL && problem->M->kind != STIC_MASS_BLOCKS)
        return 1.0;
    const int32_t first = islands != NULL ? islands->begin[k] : 0;
    const int32_t end = islands != NULL ? islands->begin[k + 1] : problem->count;
    for (int32_t m = first; m < end; ++m) {
        const int32_t i = islands != NULL ? islands->member[m] : m;
        if (!stic_law_has_normal((SticLaw)problem->law[i]) && problem->law[i] != STIC_LAW_NONNEG)
            continue;
        const double W =
            op != NULL ? *stic_operator_diagonal(op, i) : stic_diagonal_first(problem, i);
        if (W > 0.0) {
            least = W < least ? W : least;
            most = W > most ? W : most;
        }
    }
    return most > least ? sqrt(least / most) : 1.0;
}
