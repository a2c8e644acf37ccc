// SPDX-License-Identifier: Apache-2.0
// Bordered systems of bodies, cluster by cluster.
//
// A body without ties and couplings is a cluster of its own: its block is inverted. Up to
// MOST_DENSE unknowns a cluster is a dense matrix with partial pivoting. Larger clusters are
// factorised as sparse matrices with all bodies before all ties: the blocks of bodies are close to
// their mass, and the remainder for the ties is close to rate M^-1 force', so that no pivot depends
// on an exchange between blocks. The order of the ties is that of least fill on their own graph.
//
// Ties that repeat each other (four hinges of a planar linkage) make the matrix singular, with
// equations that agree. Clusters of up to MOST_REDUNDANT unknowns then drop the dependent ones, by
// a dense elimination that finds them; larger ones replace the pivots of such ties, which Newton
// corrects as it does any error of the tangent, to some 1e-9.
//
// What is small is told in units of the masses: velocities are measured by the square roots of
// them, conditions and multipliers by the largest part of theirs. Beside rows of lengths and units,
// masses of 1e-12 kg would look like ties that repeat each other.
#include "step/bordered.h"

#include <math.h>
#include <string.h>

#include "base/disjoint.h"
#include "math/dense_rank.h"
#include "math/math.h"
#include "solver/arena_context.h"
#include "sparse/sparse.h"
#include "stiction/extend/sparse.h"

enum { MOST_DENSE = 64, MOST_REDUNDANT = 512 };

// a pivot below this part of its row or column indicates ties that repeat each other
static const double suspicious = 1e-11;

typedef struct Cluster {
    int32_t bodies, ties;          // how many
    const int32_t *body, *tie;     // which, in the order of elimination
    int32_t n;                     // unknowns
    double *row_scale, *col_scale; // [n] powers of two; NULL: a lone body
    double* lu;                    // dense, or the inverse of a lone body
    int32_t* pivot;
    SticDenseRank* redundant; // dense, where ties repeat each other
    SticFactor* factor;       // sparse
} Cluster;

struct SticBordered {
    SticBorderedDef def;
    int32_t* y_at;                   // [ties+1] first unknown of each tie
    int32_t* cluster_of;             // [bodies]
    int32_t *body_local, *tie_local; // first unknown within the cluster
    int32_t clusters;
    Cluster* cluster;
};

static int32_t size_of(const SticBordered* b, int32_t body)
{
    return b->def.M->row_at[body + 1] - b->def.M->row_at[body];
}

static const double* block_of(const SticBordered* b, int32_t body)
{
    return b->def.diagonal + b->def.M->value_at[b->def.M->begin[body]];
}

static const double* mass_of(const SticBordered* b, int32_t body)
{
    return b->def.M->value + b->def.M->value_at[b->def.M->begin[body]];
}

/* ---- clusters ---- */

// a body of a tie; every tie has one
static int32_t body_of(const SticTie* tie)
{
    return tie->block[0] >= 0 ? tie->block[0] : tie->block[1];
}

static SticStatus find_clusters(SticArena* arena, SticBordered* b)
{
    const SticBorderedDef* def = &b->def;
    const int32_t bodies = def->M->rows;
    int32_t* parent = NULL;
    STIC_TRY(STIC_TAKE(arena, &parent, bodies));
    stic_disjoint_start(parent, bodies);
    for (int32_t k = 0; k < def->ties; ++k)
        if (def->tie[k].block[0] >= 0 && def->tie[k].block[1] >= 0)
            stic_disjoint_join(parent, def->tie[k].block[0], def->tie[k].block[1]);
    for (int32_t k = 0; k < def->couplings; ++k)
        stic_disjoint_join(parent, def->coupling[k].row, def->coupling[k].col);
    b->clusters = stic_disjoint_number(parent, bodies, b->cluster_of);
    STIC_TRY(STIC_TAKE(arena, &b->cluster, b->clusters));
    memset(b->cluster, 0, (size_t)b->clusters * sizeof *b->cluster);
    return STIC_OK;
}

// lists of bodies and ties by cluster
static SticStatus list_members(SticArena* arena, SticBordered* b)
{
    const SticBorderedDef* def = &b->def;
    int32_t *body = NULL, *tie = NULL;
    STIC_TRY(STIC_TAKE(arena, &body, def->M->rows));
    STIC_TRY(STIC_TAKE(arena, &tie, def->ties));
    for (int32_t i = 0; i < def->M->rows; ++i)
        b->cluster[b->cluster_of[i]].bodies += 1;
    for (int32_t k = 0; k < def->ties; ++k)
        b->cluster[b->cluster_of[body_of(&def->tie[k])]].ties += 1;
    for (int32_t c = 0; c < b->clusters; ++c) {
        b->cluster[c].body = body;
        b->cluster[c].tie = tie;
        body += b->cluster[c].bodies;
        tie += b->cluster[c].ties;
        b->cluster[c].bodies = b->cluster[c].ties = 0;
    }
    for (int32_t i = 0; i < def->M->rows; ++i) {
        Cluster* cluster = &b->cluster[b->cluster_of[i]];
        ((int32_t*)cluster->body)[cluster->bodies++] = i;
        b->body_local[i] = cluster->n;
        cluster->n += size_of(b, i);
    }
    for (int32_t k = 0; k < def->ties; ++k) {
        Cluster* cluster = &b->cluster[b->cluster_of[body_of(&def->tie[k])]];
        ((int32_t*)cluster->tie)[cluster->ties++] = k;
    }
    return STIC_OK;
}

/* ---- matrices ---- */

// pieces of a cluster's matrix, as blocks or into a dense one
typedef struct Pieces {
    double* dense; // n x n; NULL: blocks are listed
    int32_t n;
    int32_t count, *row, *col; // numbers of blocks: bodies first, then ties
    double* value;
    int64_t values;
    const int32_t* place;                // first unknown of each block
    const double *row_scale, *col_scale; // of unknowns
} Pieces;

// add a block, or its transpose times -1
static void add_piece(Pieces* pieces, int32_t row, int32_t col, const int32_t size[2],
                      const double* value, bool turned)
{
    double* to = pieces->value == NULL ? NULL : pieces->value + pieces->values;
    for (int32_t r = 0; r < size[0]; ++r)
        for (int32_t c = 0; c < size[1]; ++c) {
            const int32_t i = pieces->place[row] + r, j = pieces->place[col] + c;
            const double entry = pieces->row_scale[i] * pieces->col_scale[j] *
                                 (turned ? -value[c * size[0] + r] : value[r * size[1] + c]);
            if (pieces->dense != NULL)
                pieces->dense[(int64_t)i * pieces->n + j] += entry;
            else
                *to++ = entry;
        }
    if (pieces->dense != NULL)
        return;
    pieces->row[pieces->count] = row;
    pieces->col[pieces->count++] = col;
    pieces->values += (int64_t)size[0] * size[1];
}

// late_i carry_j' of two ties on one body
static void add_product(Pieces* pieces, const SticTie* a, int sa, const SticTie* b, int sb,
                        const int32_t at[3])
{
    double D[STIC_BLOCK_MAX * STIC_BLOCK_MAX];
    const int32_t n = at[2];
    for (int32_t r = 0; r < a->rows; ++r)
        for (int32_t c = 0; c < b->rows; ++c) {
            double sum = 0.0;
            for (int32_t k = 0; k < n; ++k)
                sum += a->late[sa][r * n + k] * b->carry[sb][c * n + k];
            D[r * b->rows + c] = sum;
        }
    add_piece(pieces, at[0], at[1], (const int32_t[]){a->rows, b->rows}, D, false);
}

// numbers of the blocks of bodies and ties within their cluster
typedef struct Numbers {
    int32_t *body, *tie;
    int32_t *first, *next; // ties on a body as chains of (2 tie + side), -1: end
} Numbers;

static void add_ties(const SticBordered* b, const Cluster* cluster, const Numbers* numbers,
                     Pieces* pieces)
{
    const SticTie* tie = b->def.tie;
    for (int32_t k = 0; k < cluster->ties; ++k) {
        const SticTie* own = &tie[cluster->tie[k]];
        for (int s = 0; s < 2; ++s) {
            const int32_t body = own->block[s], row = numbers->tie[cluster->tie[k]];
            if (body < 0)
                continue;
            const int32_t n = size_of(b, body), at = numbers->body[body];
            add_piece(pieces, row, at, (const int32_t[]){own->rows, n}, own->rate[s], false);
            add_piece(pieces, at, row, (const int32_t[]){n, own->rows}, own->force[s], true);
            for (int32_t e = numbers->first[body]; own->late[s] != NULL && e >= 0;
                 e = numbers->next[e])
                add_product(pieces, own, s, &tie[e / 2], e % 2,
                            (const int32_t[]){row, numbers->tie[e / 2], n});
        }
    }
}

static void add_all(const SticBordered* b, const Cluster* cluster, const Numbers* numbers,
                    Pieces* pieces)
{
    for (int32_t k = 0; k < cluster->bodies; ++k) {
        const int32_t body = cluster->body[k], n = size_of(b, body);
        add_piece(pieces, numbers->body[body], numbers->body[body], (const int32_t[]){n, n},
                  block_of(b, body), false);
    }
    for (int32_t k = 0; k < b->def.couplings; ++k) {
        const SticCoupling* coupling = &b->def.coupling[k];
        if (&b->cluster[b->cluster_of[coupling->row]] == cluster)
            add_piece(pieces, numbers->body[coupling->row], numbers->body[coupling->col],
                      (const int32_t[]){size_of(b, coupling->row), size_of(b, coupling->col)},
                      coupling->value, false);
    }
    add_ties(b, cluster, numbers, pieces);
}

static void number_members(SticBordered* b, Cluster* cluster, Numbers* numbers)
{
    int32_t unknown = 0;
    for (int32_t k = 0; k < cluster->bodies; ++k) {
        numbers->body[cluster->body[k]] = k;
        numbers->first[cluster->body[k]] = -1;
        unknown += size_of(b, cluster->body[k]);
    }
    for (int32_t k = cluster->ties; k-- > 0;) {
        const int32_t tie = cluster->tie[k];
        for (int s = 0; s < 2; ++s) {
            const int32_t body = b->def.tie[tie].block[s];
            if (body < 0)
                continue;
            numbers->next[2 * tie + s] = numbers->first[body];
            numbers->first[body] = 2 * tie + s;
        }
    }
    for (int32_t k = 0; k < cluster->ties; ++k) {
        numbers->tie[cluster->tie[k]] = cluster->bodies + k;
        b->tie_local[cluster->tie[k]] = unknown;
        unknown += b->def.tie[cluster->tie[k]].rows;
    }
    cluster->n = unknown;
}

// the largest part of row k of a tie in units of the masses
static double largest_part(const SticBordered* b, const Cluster* cluster, const SticTie* tie,
                           const double* const matrix[2], int32_t k)
{
    double most = 0.0;
    for (int s = 0; s < 2; ++s) {
        const int32_t body = tie->block[s], n = body < 0 ? 0 : size_of(b, body);
        for (int32_t c = 0; c < n; ++c) {
            const double part =
                fabs(matrix[s][k * n + c]) * cluster->col_scale[b->body_local[body] + c];
            most = part > most ? part : most;
        }
    }
    return most;
}

// The mean of the least and the largest mass of a cluster, as roots. Bodies that are lighter count as
// this: where a light one is between heavy ones, conditions on it are nearly those of its own
// velocities, which in units of its mass leaves of the heavy ones the ratio of the masses.
static double mean_of_masses(const SticBordered* b, const Cluster* cluster)
{
    double least = INFINITY, most = 0.0;
    for (int32_t k = 0; k < cluster->bodies; ++k) {
        const double root = sqrt(mass_of(b, cluster->body[k])[0]);
        least = root < least ? root : least;
        most = root > most ? root : most;
    }
    return sqrt(least) * sqrt(most);
}

// units of a cluster's unknowns and equations
static SticStatus find_scales(SticArena* arena, const SticBordered* b, Cluster* cluster)
{
    STIC_TRY(STIC_TAKE(arena, &cluster->row_scale, cluster->n));
    STIC_TRY(STIC_TAKE(arena, &cluster->col_scale, cluster->n));
    const double mean = mean_of_masses(b, cluster);
    for (int32_t k = 0; k < cluster->bodies; ++k) {
        const int32_t body = cluster->body[k], n = size_of(b, body), at = b->body_local[body];
        const double *J = block_of(b, body), *M = mass_of(b, body), root = sqrt(M[0]),
                     heavier = root < mean ? mean / root : 1.0;
        for (int32_t c = 0; c < n; ++c) {
            const double j = fabs(J[c * (n + 1)]), m = fabs(M[c * (n + 1)]);
            cluster->row_scale[at + c] = cluster->col_scale[at + c] =
                stic_dense_unit(heavier * sqrt(j > m ? j : m));
        }
    }
    for (int32_t k = 0; k < cluster->ties; ++k) {
        const SticTie* tie = &b->def.tie[cluster->tie[k]];
        const int32_t at = b->tie_local[cluster->tie[k]];
        for (int32_t r = 0; r < tie->rows; ++r) {
            cluster->row_scale[at + r] =
                stic_dense_unit(largest_part(b, cluster, tie, tie->rate, r));
            cluster->col_scale[at + r] =
                stic_dense_unit(largest_part(b, cluster, tie, tie->force, r));
        }
    }
    return STIC_OK;
}

// order the ties of a cluster by least fill among themselves
static SticStatus order_ties(SticArena* arena, const SticBordered* b, Cluster* cluster,
                             const Numbers* numbers)
{
    const SticArenaMark mark = stic_arena_mark(arena);
    int32_t *row = NULL, *col = NULL, *at = NULL, *order = NULL, count = 0, room = 0;
    for (int32_t k = 0; k < cluster->ties; ++k)
        for (int s = 0; s < 2; ++s) {
            const int32_t body = b->def.tie[cluster->tie[k]].block[s];
            for (int32_t e = body < 0 ? -1 : numbers->first[body]; e >= 0; e = numbers->next[e])
                ++room;
        }
    STIC_TRY(STIC_TAKE(arena, &row, room));
    STIC_TRY(STIC_TAKE(arena, &col, room));
    STIC_TRY(STIC_TAKE(arena, &at, cluster->ties + 1));
    STIC_TRY(STIC_TAKE(arena, &order, cluster->ties));
    for (int32_t k = 0; k < cluster->ties; ++k) {
        at[k] = k;
        for (int s = 0; s < 2; ++s) {
            const int32_t body = b->def.tie[cluster->tie[k]].block[s];
            for (int32_t e = body < 0 ? -1 : numbers->first[body]; e >= 0; e = numbers->next[e]) {
                row[count] = k;
                col[count++] = numbers->tie[e / 2] - cluster->bodies;
            }
        }
    }
    at[cluster->ties] = cluster->ties;
    SticBlockCsr graph;
    const SticPartition partition = {cluster->ties, cluster->ties, at, at};
    const SticBlockTriplets triplets = {count, row, col, NULL};
    STIC_TRY(stic_block_csr_from_blocks(&partition, &triplets, arena, &graph, NULL));
    STIC_TRY(stic_ordering_compute(&graph, STIC_ORDERING_AMD, order, NULL));
    for (int32_t k = 0; k < cluster->ties; ++k)
        row[k] = cluster->tie[order[k]];
    memcpy((int32_t*)cluster->tie, row, (size_t)cluster->ties * sizeof *row);
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

static SticStatus count_pieces(SticArena* arena, const SticBordered* b, const Cluster* cluster,
                               const Numbers* numbers, Pieces* pieces)
{
    int64_t blocks = cluster->bodies + b->def.couplings, values = 0;
    for (int32_t k = 0; k < cluster->ties; ++k) {
        blocks += 4;
        for (int s = 0; s < 2; ++s) {
            const int32_t body = b->def.tie[cluster->tie[k]].block[s];
            for (int32_t e = body < 0 ? -1 : numbers->first[body]; e >= 0; e = numbers->next[e])
                ++blocks;
        }
    }
    values = blocks * STIC_BLOCK_MAX * STIC_BLOCK_MAX;
    STIC_TRY(STIC_TAKE(arena, &pieces->row, blocks));
    STIC_TRY(STIC_TAKE(arena, &pieces->col, blocks));
    return STIC_TAKE(arena, &pieces->value, values);
}

// the matrix of a dense cluster
static void fill_dense(const SticBordered* b, const Cluster* cluster, Numbers* numbers, double* a)
{
    int32_t place[2 * MOST_REDUNDANT];
    memset(a, 0, (size_t)cluster->n * (size_t)cluster->n * sizeof *a);
    for (int32_t k = 0; k < cluster->bodies; ++k)
        place[k] = b->body_local[cluster->body[k]];
    for (int32_t k = 0; k < cluster->ties; ++k)
        place[cluster->bodies + k] = b->tie_local[cluster->tie[k]];
    Pieces pieces = {.dense = a,
                     .n = cluster->n,
                     .place = place,
                     .row_scale = cluster->row_scale,
                     .col_scale = cluster->col_scale};
    add_all(b, cluster, numbers, &pieces);
}

static SticStatus factorise_redundant(SticArena* arena, const SticBordered* b, Cluster* cluster,
                                      Numbers* numbers)
{
    const int32_t n = cluster->n;
    SticDenseRank* made = NULL;
    STIC_TRY(STIC_TAKE(arena, &made, 1));
    made->n = n;
    made->a = cluster->lu;
    made->row = cluster->pivot;
    STIC_TRY(STIC_TAKE(arena, &made->col, n));
    STIC_TRY(STIC_TAKE(arena, &made->row_scale, n));
    STIC_TRY(STIC_TAKE(arena, &made->col_scale, n));
    STIC_TRY(STIC_TAKE(arena, &made->scratch, n));
    fill_dense(b, cluster, numbers, made->a);
    stic_dense_rank_factorise(made);
    cluster->redundant = made;
    return STIC_OK;
}

static SticStatus factorise_sparse(SticArena* arena, SticBordered* b, Cluster* cluster,
                                   Numbers* numbers)
{
    SticBlockCsr A;
    SticSymbolic* symbolic = NULL;
    SticFactorInfo info;
    Pieces pieces = {.n = cluster->n};
    int32_t* place = NULL;
    const int32_t blocks = cluster->bodies + cluster->ties;
    STIC_TRY(order_ties(arena, b, cluster, numbers));
    number_members(b, cluster, numbers);
    STIC_TRY(find_scales(arena, b, cluster));
    STIC_TRY(STIC_TAKE(arena, &place, blocks + 1));
    for (int32_t k = 0; k < cluster->bodies; ++k)
        place[k] = b->body_local[cluster->body[k]];
    for (int32_t k = 0; k < cluster->ties; ++k)
        place[cluster->bodies + k] = b->tie_local[cluster->tie[k]];
    place[blocks] = cluster->n;
    pieces.place = place;
    pieces.row_scale = cluster->row_scale;
    pieces.col_scale = cluster->col_scale;
    STIC_TRY(count_pieces(arena, b, cluster, numbers, &pieces));
    add_all(b, cluster, numbers, &pieces);
    const SticPartition partition = {blocks, blocks, place, place};
    const SticBlockTriplets triplets = {pieces.count, pieces.row, pieces.col, pieces.value};
    const SticContext context = stic_arena_context_make(arena);
    STIC_TRY(stic_block_csr_from_blocks(&partition, &triplets, arena, &A, NULL));
    STIC_TRY(stic_symbolic_create(&context, &A, STIC_ORDERING_NATURAL, &symbolic, NULL));
    STIC_TRY(stic_factor_create(symbolic, STIC_FACTOR_LU, &cluster->factor, NULL));
    // a tie that repeats others gets a multiplier of the size of rounding
    SticPivotSettings settings = stic_pivot_default_settings();
    settings.tiny = suspicious;
    settings.replacement = 1.0;
    STIC_TRY(stic_factor_compute(cluster->factor, &A, &settings, &info));
    if (info.replaced == 0 || cluster->n > MOST_REDUNDANT)
        return STIC_OK;
    cluster->factor = NULL;
    STIC_TRY(STIC_TAKE(arena, &cluster->lu, (int64_t)cluster->n * cluster->n));
    STIC_TRY(STIC_TAKE(arena, &cluster->pivot, cluster->n));
    return factorise_redundant(arena, b, cluster, numbers);
}

// Partial pivoting. A pivot that falls far below its column indicates ties that repeat each other,
// or masses far apart: the slower way finds out which.
static SticStatus factorise_dense(SticArena* arena, SticBordered* b, Cluster* cluster,
                                  Numbers* numbers)
{
    const int32_t n = cluster->n;
    double most[MOST_DENSE] = {0.0};
    STIC_TRY(STIC_TAKE(arena, &cluster->lu, (int64_t)n * n));
    STIC_TRY(STIC_TAKE(arena, &cluster->pivot, n));
    STIC_TRY(find_scales(arena, b, cluster));
    fill_dense(b, cluster, numbers, cluster->lu);
    for (int32_t e = 0; e < n * n; ++e)
        most[e % n] = fabs(cluster->lu[e]) > most[e % n] ? fabs(cluster->lu[e]) : most[e % n];
    const SticStatus status = stic_dense_lu(n, cluster->lu, cluster->pivot);
    bool plain = status == STIC_OK;
    for (int32_t k = 0; plain && k < n; ++k)
        plain = fabs(cluster->lu[k * n + k]) > suspicious * most[k];
    return plain ? STIC_OK : factorise_redundant(arena, b, cluster, numbers);
}

static SticStatus factorise(SticArena* arena, SticBordered* b, Cluster* cluster, Numbers* numbers)
{
    if (cluster->bodies == 1 && cluster->ties == 0) {
        const int32_t n = cluster->n;
        STIC_TRY(STIC_TAKE(arena, &cluster->lu, n * n));
        return stic_dense_inverse(n, block_of(b, cluster->body[0]), cluster->lu);
    }
    number_members(b, cluster, numbers);
    return cluster->n <= MOST_DENSE ? factorise_dense(arena, b, cluster, numbers)
                                    : factorise_sparse(arena, b, cluster, numbers);
}

SticStatus stic_bordered_create(SticArena* arena, const SticBorderedDef* def, SticBordered** made)
{
    SticBordered* b = NULL;
    Numbers numbers = {0};
    STIC_TRY(STIC_TAKE(arena, &b, 1));
    *b = (SticBordered){.def = *def};
    STIC_TRY(STIC_TAKE(arena, &b->y_at, def->ties + 1));
    STIC_TRY(STIC_TAKE(arena, &b->cluster_of, def->M->rows));
    STIC_TRY(STIC_TAKE(arena, &b->body_local, def->M->rows));
    STIC_TRY(STIC_TAKE(arena, &b->tie_local, def->ties));
    STIC_TRY(STIC_TAKE(arena, &numbers.body, def->M->rows));
    STIC_TRY(STIC_TAKE(arena, &numbers.first, def->M->rows));
    STIC_TRY(STIC_TAKE(arena, &numbers.tie, def->ties));
    STIC_TRY(STIC_TAKE(arena, &numbers.next, 2 * def->ties));
    b->y_at[0] = 0;
    for (int32_t k = 0; k < def->ties; ++k)
        b->y_at[k + 1] = b->y_at[k] + def->tie[k].rows;
    STIC_TRY(find_clusters(arena, b));
    STIC_TRY(list_members(arena, b));
    for (int32_t c = 0; c < b->clusters; ++c)
        STIC_TRY(factorise(arena, b, &b->cluster[c], &numbers));
    *made = b;
    return STIC_OK;
}

/* ---- solves ---- */

// z [n] of one cluster in place; `other` [n]
static void solve_cluster(const Cluster* cluster, double* z, double* other)
{
    for (int32_t i = 0; cluster->row_scale != NULL && i < cluster->n; ++i)
        z[i] *= cluster->row_scale[i];
    if (cluster->factor != NULL) {
        stic_factor_solve(cluster->factor, z);
    } else if (cluster->redundant != NULL) {
        stic_dense_rank_solve(cluster->redundant, z);
    } else if (cluster->pivot != NULL) {
        stic_dense_lu_solve(cluster->n, cluster->lu, cluster->pivot, z);
    } else {
        stic_dense_mul_vec(cluster->n, cluster->n, cluster->lu, z, other);
        memcpy(z, other, (size_t)cluster->n * sizeof *z);
    }
    for (int32_t i = 0; cluster->col_scale != NULL && i < cluster->n; ++i)
        z[i] *= cluster->col_scale[i];
}

static int32_t largest(const SticBordered* b)
{
    int32_t most = 0;
    for (int32_t c = 0; c < b->clusters; ++c)
        most = b->cluster[c].n > most ? b->cluster[c].n : most;
    return most;
}

// between the vectors of all and of a cluster
static void move(const SticBordered* b, const Cluster* cluster, bool gather, double* x, double* y,
                 double* z)
{
    for (int32_t k = 0; k < cluster->bodies + cluster->ties; ++k) {
        const bool body = k < cluster->bodies;
        const int32_t i = body ? cluster->body[k] : cluster->tie[k - cluster->bodies];
        double* all = body ? x + b->def.M->row_at[i] : y + b->y_at[i];
        double* own = z + (body ? b->body_local[i] : b->tie_local[i]);
        const size_t bytes = (size_t)(body ? size_of(b, i) : b->def.tie[i].rows) * sizeof(double);
        memcpy(gather ? own : all, gather ? all : own, bytes);
    }
}

SticStatus stic_bordered_solve(const SticBordered* b, SticArena* arena, double* x, double* y)
{
    double *z = NULL, *other = NULL;
    const SticArenaMark mark = stic_arena_mark(arena);
    STIC_TRY(STIC_TAKE(arena, &z, largest(b)));
    STIC_TRY(STIC_TAKE(arena, &other, largest(b)));
    for (int32_t c = 0; c < b->clusters; ++c) {
        move(b, &b->cluster[c], true, x, y, z);
        solve_cluster(&b->cluster[c], z, other);
        move(b, &b->cluster[c], false, x, y, z);
    }
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

/* ---- condensation ---- */

// interactions that touch each cluster
typedef struct Touching {
    int32_t *at, *item; // [clusters+1], sorted lists
    int64_t blocks, values;
} Touching;

typedef struct Condensing {
    const SticBordered* b;
    const SticBlockCsr* Ht;
    Touching touching;
    double *z, *other; // [unknowns of the largest cluster]
} Condensing;

// the clusters of an interaction: one or two
static int32_t clusters_of(const SticBordered* b, const SticBlockCsr* Ht, int32_t i, int32_t of[2])
{
    int32_t count = 0;
    for (int32_t e = Ht->begin[i]; e < Ht->begin[i + 1]; ++e) {
        const int32_t cluster = b->cluster_of[Ht->col[e]];
        if (count == 0 || of[0] != cluster)
            of[count++] = cluster;
    }
    return count;
}

static SticStatus find_touching(const SticBordered* b, SticArena* arena, const SticBlockCsr* Ht,
                                Touching* touching)
{
    int32_t of[2];
    STIC_TRY(STIC_TAKE(arena, &touching->at, b->clusters + 2));
    STIC_TRY(STIC_TAKE(arena, &touching->item, 2 * Ht->rows));
    int32_t* at = touching->at;
    memset(at, 0, (size_t)(b->clusters + 2) * sizeof *at);
    for (int32_t i = 0; i < Ht->rows; ++i)
        for (int32_t k = clusters_of(b, Ht, i, of); k-- > 0;)
            at[of[k] + 2] += 1;
    for (int32_t c = 0; c < b->clusters; ++c)
        at[c + 2] += at[c + 1];
    for (int32_t i = 0; i < Ht->rows; ++i)
        for (int32_t k = clusters_of(b, Ht, i, of); k-- > 0;)
            touching->item[at[of[k] + 1]++] = i;
    touching->blocks = touching->values = 0;
    for (int32_t c = 0; c < b->clusters; ++c) {
        int64_t rows = 0;
        for (int32_t k = at[c]; k < at[c + 1]; ++k)
            rows += Ht->row_at[touching->item[k] + 1] - Ht->row_at[touching->item[k]];
        touching->blocks += (int64_t)(at[c + 1] - at[c]) * (at[c + 1] - at[c]);
        touching->values += rows * rows;
    }
    return STIC_OK;
}

// effect of an impulse along row k of interaction j on a cluster
static void respond(const Condensing* all, const Cluster* cluster, const int32_t jk[2])
{
    const SticBordered* b = all->b;
    const SticBlockCsr* Ht = all->Ht;
    double* z = all->z;
    memset(z, 0, (size_t)cluster->n * sizeof *z);
    for (int32_t e = Ht->begin[jk[0]]; e < Ht->begin[jk[0] + 1]; ++e) {
        const int32_t body = Ht->col[e], n = size_of(b, body);
        if (&b->cluster[b->cluster_of[body]] == cluster)
            memcpy(z + b->body_local[body], Ht->value + Ht->value_at[e] + jk[1] * n,
                   (size_t)n * sizeof *z);
    }
    solve_cluster(cluster, z, all->other);
}

// column k of block (i, j) from the response z
static void collect(const Condensing* all, const Cluster* cluster, int32_t i, int32_t columns,
                    double* column)
{
    const SticBordered* b = all->b;
    const SticBlockCsr* Ht = all->Ht;
    const int32_t rows = Ht->row_at[i + 1] - Ht->row_at[i];
    for (int32_t r = 0; r < rows; ++r)
        column[r * columns] = 0.0;
    for (int32_t e = Ht->begin[i]; e < Ht->begin[i + 1]; ++e) {
        const int32_t body = Ht->col[e], n = size_of(b, body);
        if (&b->cluster[b->cluster_of[body]] != cluster)
            continue;
        const double *H = Ht->value + Ht->value_at[e], *x = all->z + b->body_local[body];
        for (int32_t r = 0; r < rows; ++r)
            for (int32_t c = 0; c < n; ++c)
                column[r * columns] += H[r * n + c] * x[c];
    }
}

// all blocks of one cluster, behind the existing ones
static void condense_cluster(const Condensing* all, int32_t c, Pieces* to)
{
    const SticBordered* b = all->b;
    const SticBlockCsr* Ht = all->Ht;
    const Cluster* cluster = &b->cluster[c];
    const int32_t* item = all->touching.item + all->touching.at[c];
    const int32_t count = all->touching.at[c + 1] - all->touching.at[c];
    for (int32_t j = 0; j < count; ++j) {
        const int32_t columns = Ht->row_at[item[j] + 1] - Ht->row_at[item[j]];
        for (int32_t k = 0; k < columns; ++k) {
            double* block = to->value + to->values;
            respond(all, cluster, (const int32_t[]){item[j], k});
            for (int32_t i = 0; i < count; ++i) {
                collect(all, cluster, item[i], columns, block + k);
                block += (int64_t)(Ht->row_at[item[i] + 1] - Ht->row_at[item[i]]) * columns;
            }
        }
        for (int32_t i = 0; i < count; ++i) {
            to->row[to->count] = item[i];
            to->col[to->count++] = item[j];
            to->values += (int64_t)(Ht->row_at[item[i] + 1] - Ht->row_at[item[i]]) * columns;
        }
    }
}

SticStatus stic_bordered_condense(const SticBordered* b, SticArena* arena, const SticBlockCsr* Ht,
                                  SticBlockCsr* W, SticError* error)
{
    Condensing all = {.b = b, .Ht = Ht};
    Pieces pieces = {.n = 0};
    STIC_TRY(find_touching(b, arena, Ht, &all.touching));
    STIC_TRY(STIC_TAKE(arena, &pieces.row, all.touching.blocks));
    STIC_TRY(STIC_TAKE(arena, &pieces.col, all.touching.blocks));
    STIC_TRY(STIC_TAKE(arena, &pieces.value, all.touching.values));
    STIC_TRY(STIC_TAKE(arena, &all.z, largest(b)));
    STIC_TRY(STIC_TAKE(arena, &all.other, largest(b)));
    for (int32_t c = 0; c < b->clusters; ++c)
        condense_cluster(&all, c, &pieces);
    const SticPartition partition = {Ht->rows, Ht->rows, Ht->row_at, Ht->row_at};
    const SticBlockTriplets triplets = {pieces.count, pieces.row, pieces.col, pieces.value};
    return stic_block_csr_from_blocks(&partition, &triplets, arena, W, error);
}
