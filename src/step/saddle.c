// SPDX-License-Identifier: Apache-2.0
// Accelerations under conditions that hold as equations, some of them redundant.
//
//   M a = f + H lambda,   P' a + w = 0
//
// Several points of a patch repeat each other's conditions: W = P' M^-1 H is singular, forces are
// not unique. Soft conditions P' a + w + E lambda = 0, E = diag(e W_ii), give
//
//   (M + H E^-1 P') a = f - H E^-1 w,   lambda = -E^-1 (P' a + w)
//
// with as many unknowns as velocities, however many points there are; steps of refinement against
// the hard conditions (proximal point iterations) contract the error by about e and start from
// lambda = 0, so that lambda never gets a part along redundant conditions. Dense LU with pivots per
// island of blocks; n^3 per island of n velocities.
//
// With sliding friction H is not P. Redundant conditions, y' P' = 0, then leave forces open along
// another direction, W z = 0, and "no part along y" fails where y . E z = 0: forces between
// dominoes that lean on each other grew without bound as a row fell through such a state. There
// lambda is the least in a norm F = diag(e H_i' M^-1 H_i), which always exists:
//
//   min 1/2 lambda . F lambda  with  M a = f + H lambda,  P' a + w = 0
//   lambda = F^-1 H' x,  M x = -P y
//
// by the method of multipliers in x, as many unknowns again:
//
//   (M + K_P M^-1 K_H) dx = -(M x + P (y + E^-1 (P' a + w))),    K_H = H F^-1 H',  K_P = P E^-1 P'
//
// Rows of bodies and large ratios of masses have eigenvalues of W far below its diagonal: what
// remains of them contracts by e/(e + w) only. Where refinement is slow its steps become directions
// along which the residual is least, orthogonal to those before (GCR, with the refinement as its
// preconditioner): one step for each such eigenvalue. Conditions that are almost redundant, such as
// those of a face and of an edge in it, have small eigenvalues, too, and are to remain so: forces
// may become larger than those that stop free accelerations by the ratio of masses, not by more.
//
// F grows with the friction and E does not: neither K does, whatever the coefficient. Without
// redundancy both give the same forces; for H = P they always do.
#include "step/saddle.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/disjoint.h"
#include "math/math.h"
#include "problem/mass.h"

// e: soft enough that rounding of redundant conditions, divided by it, stays far below the forces
#define SOFTNESS 1e-4
// the same of the least forces where they need it: redundant conditions do not enter them
#define STIFF 1e-8
// most of them: rows of n bodies contract by SOFTNESS n^2 only
enum { REFINEMENTS = 40 };
// the first solution misses the conditions by SOFTNESS; squares of errors that are only rounding of
// the conditions are this part of its square
#define EXACT (DBL_EPSILON * DBL_EPSILON / (SOFTNESS * SOFTNESS))

// steps of GCR and directions that are kept
enum { DIRECTIONS = 12, STEPS = 60 };
// part of the residual of free accelerations, squared, above which what remains is not rounding
#define ROUGH 1e-22
// the same for what directions leave: divided by small eigenvalues it is noise in the forces
#define NOISE 1e-26
// how much larger forces may be than single conditions ask for where masses are equal
#define LARGE 1e3

typedef struct Island {
    int32_t n;
    double* matrix;  // [n n] its factor
    int32_t* pivot;  // [n]
    int32_t* first;  // [n] where rows of the factor begin
    int32_t* end;    // [n] and end: bodies that do not touch leave zeros
    int32_t* column; // [n] velocities of the system
    double* x;       // [n]
    bool least;      // H is not P: the matrix is M + K_P M^-1 K_H
} Island;

// one condition: entries of its rows of H' and P' and the velocities they belong to
typedef struct Row {
    int32_t count, column[2 * 12];
    double h[2 * 12], p[2 * 12];
    double weight;  // E^-1
    double push;    // F^-1
    int32_t island; // -1: none
} Row;

struct SticSaddle {
    const SticMass* mass;
    const SticBlockCsr *Ht, *Pt;
    int32_t dof, rows;
    int32_t* island_of; // [blocks] -1: no condition acts there
    int32_t* place;     // [dof] index in its island
    Island* island;
    int32_t islands;
    Row* row;                            // [rows]
    double *residual, *scratch, *change; // [rows], [dof], [dof]
    double *x, *y;                       // [dof], [rows] of islands with the least forces
    bool any_least;
    double stiff; // conditions of islands with the least forces are so much stiffer than SOFTNESS
    SticArena* arena;
};

// islands of blocks that conditions or the mass connect, numbered by their first block
static SticStatus find_islands(SticArena* arena, SticSaddle* s)
{
    const int32_t blocks = s->Ht->cols;
    int32_t *parent = NULL, *number = NULL;
    STIC_TRY(STIC_TAKE(arena, &parent, blocks));
    STIC_TRY(STIC_TAKE(arena, &number, blocks));
    STIC_TRY(STIC_TAKE(arena, &s->island_of, blocks));
    STIC_TRY(STIC_TAKE(arena, &s->place, s->dof));
    for (int32_t i = 0; i < blocks; ++i) {
        parent[i] = i;
        number[i] = -1;
        s->island_of[i] = -1;
    }
    for (int32_t i = 0; i < s->Ht->rows; ++i)
        for (int32_t k = s->Ht->begin[i]; k < s->Ht->begin[i + 1]; ++k) {
            stic_disjoint_join(parent, s->Ht->col[s->Ht->begin[i]], s->Ht->col[k]);
            s->island_of[s->Ht->col[k]] = 0;
        }
    for (int32_t i = 0; i < blocks; ++i) {
        if (s->island_of[i] < 0)
            continue;
        const int32_t root = stic_disjoint_root(parent, i);
        if (number[root] < 0)
            number[root] = s->islands++;
        s->island_of[i] = number[root];
    }
    STIC_TRY(STIC_TAKE(arena, &s->island, s->islands));
    for (int32_t k = 0; k < s->islands; ++k)
        s->island[k] = (Island){.n = 0};
    for (int32_t i = 0; i < blocks; ++i)
        for (int32_t c = s->Ht->col_at[i]; s->island_of[i] >= 0 && c < s->Ht->col_at[i + 1]; ++c)
            s->place[c] = s->island[s->island_of[i]].n++;
    return STIC_OK;
}

// the mass into the matrices of islands
static void add_mass(SticSaddle* s)
{
    const SticBlockCsr* M = s->mass->A;
    for (int32_t i = 0; i < M->rows; ++i) {
        if (s->island_of[i] < 0)
            continue;
        Island* island = &s->island[s->island_of[i]];
        for (int32_t c = M->row_at[i]; c < M->row_at[i + 1]; ++c)
            island->column[s->place[c]] = c;
        for (int32_t e = M->begin[i]; e < M->begin[i + 1]; ++e) {
            const double* value = M->value + M->value_at[e];
            const int32_t j = M->col[e];
            for (int32_t r = M->row_at[i]; r < M->row_at[i + 1]; ++r)
                for (int32_t c = M->col_at[j]; c < M->col_at[j + 1]; ++c)
                    island->matrix[s->place[r] * island->n + s->place[c]] += *value++;
        }
    }
}

static SticStatus make_islands(SticArena* arena, SticSaddle* s)
{
    for (int32_t k = 0; k < s->islands; ++k) {
        Island* island = &s->island[k];
        const int64_t n = island->n;
        STIC_TRY(STIC_TAKE(arena, &island->matrix, n * n));
        STIC_TRY(STIC_TAKE(arena, &island->pivot, n));
        STIC_TRY(STIC_TAKE(arena, &island->first, n));
        STIC_TRY(STIC_TAKE(arena, &island->end, n));
        STIC_TRY(STIC_TAKE(arena, &island->column, n));
        STIC_TRY(STIC_TAKE(arena, &island->x, n));
    }
    return STIC_OK;
}

static void fill_row(const SticSaddle* s, int32_t i, int32_t r, Row* row)
{
    const SticBlockCsr *H = s->Ht, *P = s->Pt;
    row->count = 0;
    for (int32_t e = H->begin[i]; e < H->begin[i + 1]; ++e) {
        const int32_t j = H->col[e], n = H->col_at[j + 1] - H->col_at[j];
        const double *h = H->value + H->value_at[e] + (int64_t)r * n,
                     *p = P->value + P->value_at[e] + (int64_t)r * n;
        for (int32_t c = 0; c < n; ++c) {
            row->column[row->count] = H->col_at[j] + c;
            row->h[row->count] = h[c];
            row->p[row->count++] = p[c];
        }
    }
}

// p . M^-1 p of row r of entry e of P or H; M^-1 is block-diagonal
static double mobility_of_side(const SticSaddle* s, const SticBlockCsr* P, int32_t e, int32_t r)
{
    const SticBlockCsr* inverse = s->mass->inverse;
    const double* diagonal = s->mass->inverse_diagonal;
    const int32_t j = P->col[e], n = P->col_at[j + 1] - P->col_at[j];
    const double* p = P->value + P->value_at[e] + (int64_t)r * n;
    double sum = 0.0;
    for (int32_t a = 0; diagonal != NULL && a < n; ++a)
        sum += p[a] * diagonal[P->col_at[j] + a] * p[a];
    if (diagonal != NULL)
        return sum;
    const double* block = inverse->value + inverse->value_at[inverse->begin[j]];
    for (int32_t a = 0; a < n; ++a)
        for (int32_t b = 0; b < n; ++b)
            sum += p[a] * block[a * n + b] * p[b];
    return sum;
}

// the same of interaction i
static double mobility(const SticSaddle* s, const SticBlockCsr* P, int32_t i, int32_t r)
{
    double sum = 0.0;
    for (int32_t e = P->begin[i]; e < P->begin[i + 1]; ++e)
        sum += mobility_of_side(s, P, e, r);
    return sum;
}

// how unlike the two sides of a condition are
static double side_ratio(const SticSaddle* s, int32_t i, int32_t r)
{
    double least = INFINITY, most = 0.0;
    for (int32_t e = s->Pt->begin[i]; e < s->Pt->begin[i + 1]; ++e) {
        const double side = mobility_of_side(s, s->Pt, e, r);
        least = side > 0.0 && side < least ? side : least;
        most = side > most ? side : most;
    }
    return most > least ? most / least : 1.0;
}

static void read_condition(SticSaddle* s, int32_t i, int32_t r)
{
    Row* row = &s->row[s->Ht->row_at[i] + r];
    fill_row(s, i, r, row);
    const double size = mobility(s, s->Pt, i, r), force = mobility(s, s->Ht, i, r);
    row->weight = size > 0.0 ? 1.0 / (SOFTNESS * size) : 0.0;
    row->push = force > 0.0 ? 1.0 / (SOFTNESS * force) : 0.0;
    row->island = row->count == 0 ? -1 : s->island_of[s->Ht->col[s->Ht->begin[i]]];
    for (int32_t c = 0; c < row->count; ++c)
        if (row->h[c] != row->p[c])
            s->any_least = s->island[row->island].least = true;
}

// adds h (weight) right' of a row to a matrix of its island
static void add_dyad(const SticSaddle* s, const Row* row, double weight, const double* right,
                     double* matrix)
{
    const int32_t n = s->island[row->island].n;
    for (int32_t a = 0; a < row->count; ++a) {
        double* to = matrix + (int64_t)s->place[row->column[a]] * n;
        const double part = weight * row->h[a];
        for (int32_t b = 0; b < row->count; ++b)
            to[s->place[row->column[b]]] += part * right[b];
    }
}

// where the rows of a matrix begin and end that are not zero
static void find_extent(int32_t n, const double* matrix, int32_t* first, int32_t* end)
{
    for (int32_t c = 0; c < n; ++c) {
        const double* of = matrix + (int64_t)c * n;
        first[c] = 0;
        end[c] = n;
        while (first[c] < n && of[first[c]] == 0.0)
            first[c] += 1;
        while (end[c] > first[c] && of[end[c] - 1] == 0.0)
            end[c] -= 1;
    }
}

// Adds the part of a row of K_P to the matrix of its island; `soft` [n n] is (M^-1 K_H)', whose rows
// have the extents of the island. Bodies far from those of the row have no part in it.
static void add_least(const SticSaddle* s, const Row* row, const double* soft, double* line)
{
    const Island* island = &s->island[row->island];
    const int32_t n = island->n;
    int32_t low = n, high = 0, from = n, to = 0;
    for (int32_t b = 0; b < row->count; ++b) {
        const int32_t place = s->place[row->column[b]];
        low = place < low ? place : low;
        high = place > high ? place : high;
    }
    for (int32_t c = 0; c < n; ++c) {
        line[c] = 0.0;
        if (island->end[c] <= low || island->first[c] > high)
            continue;
        from = from < c ? from : c;
        to = c + 1;
        for (int32_t b = 0; b < row->count; ++b)
            line[c] += row->p[b] * soft[(int64_t)c * n + s->place[row->column[b]]];
    }
    for (int32_t a = 0; a < row->count; ++a) {
        double* sum = island->matrix + (int64_t)s->place[row->column[a]] * n;
        const double part = s->stiff * row->weight * row->p[a];
        for (int32_t c = from; c < to; ++c)
            sum[c] += part * line[c];
    }
}

// M + K_P M^-1 K_H of island k, whose mass is in its matrix
static SticStatus fill_least(SticArena* arena, SticSaddle* s, int32_t k)
{
    Island* island = &s->island[k];
    const int32_t n = island->n;
    double *soft = NULL, *line = NULL;
    const SticArenaMark mark = stic_arena_mark(arena);
    STIC_TRY(STIC_TAKE(arena, &soft, (int64_t)n * n));
    STIC_TRY(STIC_TAKE(arena, &line, n));
    memset(soft, 0, (size_t)n * (size_t)n * sizeof *soft);
    for (int32_t r = 0; r < s->rows; ++r)
        if (s->row[r].island == k)
            add_dyad(s, &s->row[r], s->stiff * s->row[r].push, s->row[r].h, soft);
    // K_H is symmetric: rows of K_H M^-1 are columns of M^-1 K_H
    memset(s->scratch, 0, (size_t)s->dof * sizeof *s->scratch);
    for (int32_t c = 0; c < n; ++c) {
        double* of = soft + (int64_t)c * n;
        for (int32_t b = 0; b < n; ++b)
            s->scratch[island->column[b]] = of[b];
        stic_mass_divide(s->mass, s->scratch, s->change);
        for (int32_t b = 0; b < n; ++b)
            of[b] = s->change[island->column[b]];
    }
    find_extent(n, soft, island->first, island->end);
    for (int32_t r = 0; r < s->rows; ++r)
        if (s->row[r].island == k)
            add_least(s, &s->row[r], soft, line);
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

static SticStatus factorise(SticArena* arena, SticSaddle* s)
{
    for (int32_t k = 0; k < s->islands; ++k) {
        const size_t n = (size_t)s->island[k].n;
        memset(s->island[k].matrix, 0, n * n * sizeof(double));
    }
    add_mass(s);
    for (int32_t r = 0; r < s->rows; ++r)
        if (s->row[r].island >= 0 && !s->island[s->row[r].island].least)
            add_dyad(s, &s->row[r], s->row[r].weight, s->row[r].p,
                     s->island[s->row[r].island].matrix);
    for (int32_t k = 0; k < s->islands; ++k) {
        const Island* island = &s->island[k];
        if (island->least)
            STIC_TRY(fill_least(arena, s, k));
        STIC_TRY(stic_dense_lu(island->n, island->matrix, island->pivot));
        stic_dense_lu_extent(island->n, island->matrix, island->first, island->end);
    }
    return STIC_OK;
}

SticStatus stic_saddle_create(SticArena* arena, const SticMass* mass, const SticBlockCsr* Ht,
                              const SticBlockCsr* Pt, SticSaddle** made)
{
    SticSaddle* s = NULL;
    STIC_TRY(STIC_TAKE(arena, &s, 1));
    *s = (SticSaddle){.mass = mass,
                      .Ht = Ht,
                      .Pt = Pt,
                      .arena = arena,
                      .stiff = 1.0,
                      .dof = mass->A->row_at[mass->A->rows],
                      .rows = Ht->rows == 0 ? 0 : Ht->row_at[Ht->rows]};
    *made = s;
    STIC_TRY(STIC_TAKE(arena, &s->scratch, s->dof));
    STIC_TRY(STIC_TAKE(arena, &s->change, s->dof));
    STIC_TRY(STIC_TAKE(arena, &s->row, s->rows));
    STIC_TRY(STIC_TAKE(arena, &s->residual, s->rows));
    STIC_TRY(find_islands(arena, s));
    STIC_TRY(make_islands(arena, s));
    for (int32_t i = 0; i < Ht->rows; ++i)
        for (int32_t r = 0; r < Ht->row_at[i + 1] - Ht->row_at[i]; ++r)
            read_condition(s, i, r);
    if (s->any_least) {
        STIC_TRY(STIC_TAKE(arena, &s->x, s->dof));
        STIC_TRY(STIC_TAKE(arena, &s->y, s->rows));
    }
    return factorise(arena, s);
}

static bool is_least(const SticSaddle* s, int32_t r)
{
    return s->row[r].island >= 0 && s->island[s->row[r].island].least;
}

// x = A^-1 f with the matrices A of the islands
static void divide(SticSaddle* s, const double* f, double* x)
{
    stic_mass_divide(s->mass, f, x);
    for (int32_t k = 0; k < s->islands; ++k) {
        const Island* island = &s->island[k];
        for (int32_t c = 0; c < island->n; ++c)
            island->x[c] = f[island->column[c]];
        stic_dense_lu_solve_within(island->n, island->matrix, island->pivot, island->first,
                                   island->end, island->x);
        for (int32_t c = 0; c < island->n; ++c)
            x[island->column[c]] = island->x[c];
    }
}

// residual = P' a + w, and its largest entry in units of the condition's mobility
static double condition_error(SticSaddle* s, const double* w, const double* a)
{
    double worst = 0.0;
    for (int32_t r = 0; r < s->rows; ++r) {
        const Row* row = &s->row[r];
        double sum = 0.0;
        for (int32_t c = 0; c < row->count; ++c)
            sum += row->p[c] * a[row->column[c]];
        s->residual[r] = w[r] + sum;
        const double size = s->residual[r] * s->residual[r] * row->weight;
        worst = size > worst ? size : worst;
    }
    return worst;
}

// one refinement: (M + H E^-1 P') da = f + H lambda - M a - H E^-1 residual
static void refine(SticSaddle* s, const double* f, double* a, double* lambda)
{
    stic_mass_multiply(s->mass, a, 0.0, s->scratch);
    for (int32_t c = 0; c < s->dof; ++c)
        s->scratch[c] = f[c] - s->scratch[c];
    for (int32_t r = 0; r < s->rows; ++r) {
        const Row* row = &s->row[r];
        if (is_least(s, r))
            continue;
        lambda[r] -= row->weight * s->residual[r];
        for (int32_t c = 0; c < row->count; ++c)
            s->scratch[row->column[c]] += row->h[c] * lambda[r];
    }
    divide(s, s->scratch, s->change);
    for (int32_t c = 0; c < s->dof; ++c)
        a[c] += s->change[c];
    // lambda -= E^-1 P' da
    for (int32_t r = 0; r < s->rows; ++r) {
        const Row* row = &s->row[r];
        double sum = 0.0;
        if (is_least(s, r))
            continue;
        for (int32_t c = 0; c < row->count; ++c)
            sum += row->p[c] * s->change[row->column[c]];
        lambda[r] -= row->weight * sum;
    }
}

// lambda = 0: free accelerations
static void start_least(SticSaddle* s, const double* f, double* a)
{
    memset(s->x, 0, (size_t)s->dof * sizeof *s->x);
    memset(s->y, 0, (size_t)s->rows * sizeof *s->y);
    stic_mass_divide(s->mass, f, s->change);
    for (int32_t k = 0; k < s->islands; ++k)
        for (int32_t c = 0; s->island[k].least && c < s->island[k].n; ++c)
            a[s->island[k].column[c]] = s->change[s->island[k].column[c]];
}

// forces and accelerations of the multipliers x, in the islands with the least forces:
// lambda = F^-1 H' x and a = M^-1 (f + H lambda)
static void forces_of_least(SticSaddle* s, const double* f, double* a, double* lambda)
{
    memcpy(s->scratch, f, (size_t)s->dof * sizeof *f);
    for (int32_t r = 0; r < s->rows; ++r) {
        const Row* row = &s->row[r];
        double sum = 0.0;
        if (!is_least(s, r))
            continue;
        for (int32_t c = 0; c < row->count; ++c)
            sum += row->h[c] * s->x[row->column[c]];
        lambda[r] = s->stiff * row->push * sum;
        for (int32_t c = 0; c < row->count; ++c)
            s->scratch[row->column[c]] += row->h[c] * lambda[r];
    }
    stic_mass_divide(s->mass, s->scratch, s->change);
    for (int32_t k = 0; k < s->islands; ++k)
        for (int32_t c = 0; s->island[k].least && c < s->island[k].n; ++c)
            a[s->island[k].column[c]] = s->change[s->island[k].column[c]];
}

// One step of the method of multipliers, in the islands with the least forces. `again`: the
// residual is that of the step before, which the multipliers y do not have yet.
static void refine_least(SticSaddle* s, const double* f, bool again, double* a, double* lambda)
{
    stic_mass_multiply(s->mass, s->x, 0.0, s->scratch);
    for (int32_t r = 0; r < s->rows; ++r) {
        const Row* row = &s->row[r];
        if (!is_least(s, r))
            continue;
        const double asked = s->stiff * row->weight * s->residual[r];
        s->y[r] += again ? asked : 0.0;
        for (int32_t c = 0; c < row->count; ++c)
            s->scratch[row->column[c]] += row->p[c] * (s->y[r] + asked);
    }
    divide(s, s->scratch, s->change);
    for (int32_t k = 0; k < s->islands; ++k)
        for (int32_t c = 0; s->island[k].least && c < s->island[k].n; ++c)
            s->x[s->island[k].column[c]] -= s->change[s->island[k].column[c]];
    forces_of_least(s, f, a, lambda);
}

/* ---- where refinement is slow ---- */

// A state of the iteration, or a change of it: a, lambda, x, y and the residual.
typedef struct Iterate {
    double* part; // [size of s] the first four
    double* residual;
    double square; // of the residual
} Iterate;

static int32_t iterate_size(const SticSaddle* s)
{
    return (s->any_least ? 2 : 1) * (s->dof + s->rows);
}

static void store(const SticSaddle* s, const double* a, const double* lambda, Iterate* to)
{
    memcpy(to->part, a, (size_t)s->dof * sizeof *a);
    memcpy(to->part + s->dof, lambda, (size_t)s->rows * sizeof *lambda);
    if (s->any_least) {
        memcpy(to->part + s->dof + s->rows, s->x, (size_t)s->dof * sizeof *s->x);
        memcpy(to->part + 2 * s->dof + s->rows, s->y, (size_t)s->rows * sizeof *s->y);
    }
    memcpy(to->residual, s->residual, (size_t)s->rows * sizeof *s->residual);
}

static void restore(SticSaddle* s, const Iterate* from, double* a, double* lambda)
{
    memcpy(a, from->part, (size_t)s->dof * sizeof *a);
    memcpy(lambda, from->part + s->dof, (size_t)s->rows * sizeof *lambda);
    if (s->any_least) {
        memcpy(s->x, from->part + s->dof + s->rows, (size_t)s->dof * sizeof *s->x);
        memcpy(s->y, from->part + 2 * s->dof + s->rows, (size_t)s->rows * sizeof *s->y);
    }
}

// to += part from
static void add_iterate(const SticSaddle* s, double part, const Iterate* from, Iterate* to)
{
    const int32_t size = iterate_size(s);
    for (int32_t c = 0; c < size; ++c)
        to->part[c] += part * from->part[c];
    for (int32_t r = 0; r < s->rows; ++r)
        to->residual[r] += part * from->residual[r];
}

// product of two residuals in units of the mobilities
static double residual_product(const SticSaddle* s, const double* x, const double* y)
{
    double sum = 0.0;
    for (int32_t r = 0; r < s->rows; ++r)
        sum += x[r] * s->row[r].weight * y[r];
    return sum;
}

// The iteration under way.
typedef struct Hastening {
    SticSaddle* s;
    const double *f, *w;
    double *a, *lambda;
    double free; // what free accelerations miss conditions by
    Iterate state, best, direction[DIRECTIONS];
    int32_t known; // directions
} Hastening;

// whether forces are larger than ratios of masses explain
static bool too_large(const Hastening* all)
{
    const SticSaddle* s = all->s;
    double ratio = 1.0, most = 0.0;
    for (int32_t i = 0; i < s->Ht->rows; ++i)
        for (int32_t r = 0; r < s->Ht->row_at[i + 1] - s->Ht->row_at[i]; ++r) {
            const double here = side_ratio(s, i, r);
            ratio = here > ratio ? here : ratio;
        }
    for (int32_t r = 0; r < s->rows; ++r) {
        const double weight = s->row[r].weight * SOFTNESS;
        const double size = weight > 0.0 ? all->lambda[r] * all->lambda[r] / weight : 0.0;
        most = size > most ? size : most;
    }
    const double limit = LARGE * ratio;
    return most > limit * limit * all->free * SOFTNESS;
}

static SticStatus make_iterates(Hastening* all)
{
    SticSaddle* s = all->s;
    for (int k = 0; k < DIRECTIONS + 2; ++k) {
        Iterate* one = k < DIRECTIONS    ? &all->direction[k]
                       : k == DIRECTIONS ? &all->state
                                         : &all->best;
        STIC_TRY(STIC_TAKE(s->arena, &one->part, iterate_size(s)));
        STIC_TRY(STIC_TAKE(s->arena, &one->residual, s->rows));
    }
    return STIC_OK;
}

// One step: the refinement as a direction, orthogonal to those before, and the least residual along
// it; false where it leads nowhere.
static bool step_along(Hastening* all)
{
    SticSaddle* s = all->s;
    Iterate *d = &all->direction[all->known], *state = &all->state;
    refine(s, all->f, all->a, all->lambda);
    if (s->any_least)
        refine_least(s, all->f, true, all->a, all->lambda);
    condition_error(s, all->w, all->a);
    store(s, all->a, all->lambda, d);
    add_iterate(s, -1.0, state, d);
    for (int32_t k = 0; k < all->known; ++k) {
        const Iterate* before = &all->direction[k];
        const double along = residual_product(s, d->residual, before->residual);
        add_iterate(s, -along / before->square, before, d);
    }
    d->square = residual_product(s, d->residual, d->residual);
    if (d->square > 0.0 && isfinite(d->square))
        add_iterate(s, -residual_product(s, state->residual, d->residual) / d->square, d, state);
    restore(s, state, all->a, all->lambda);
    // the part along a direction may be large, and differences of iterates have their rounding: sums
    // of accelerations and of forces must not part by it
    if (s->any_least) {
        forces_of_least(s, all->f, all->a, all->lambda);
        store(s, all->a, all->lambda, state);
    }
    all->known = all->known + 1 < DIRECTIONS ? all->known + 1 : 0;
    return d->square > 0.0 && isfinite(d->square);
}

// Goes on from where refinement has become slow. Without room for it the answer is as exact as
// refinement has made it.
static void hasten(Hastening* all, double enough)
{
    SticSaddle* s = all->s;
    const SticArenaMark mark = stic_arena_mark(s->arena);
    int32_t waits = 0;
    if (make_iterates(all) != STIC_OK)
        return;
    condition_error(s, all->w, all->a);
    double last = residual_product(s, s->residual, s->residual);
    store(s, all->a, all->lambda, &all->state);
    store(s, all->a, all->lambda, &all->best);
    for (int k = 0; k < STEPS && last > enough && waits < 3 && step_along(all); ++k) {
        condition_error(s, all->w, all->a);
        const double error = residual_product(s, s->residual, s->residual);
        memcpy(all->state.residual, s->residual, (size_t)s->rows * sizeof *s->residual);
        waits = error < 0.25 * last ? 0 : waits + 1;
        // directions that are rounding lead anywhere
        if (!(error < last) || too_large(all))
            break;
        last = error;
        store(s, all->a, all->lambda, &all->best);
    }
    restore(s, &all->best, all->a, all->lambda);
    stic_arena_rewind(s->arena, mark);
}

// what conditions would be missed by without forces
static double free_error(SticSaddle* s, const double* f, const double* w)
{
    stic_mass_divide(s->mass, f, s->change);
    return condition_error(s, w, s->change);
}

// Refinements from nothing, and directions where they are slow; whether these leave more than
// rounding.
static bool solve_by(SticSaddle* s, const double* f, const double* w, double* a, double* lambda)
{
    memset(lambda, 0, (size_t)s->rows * sizeof *lambda);
    memset(a, 0, (size_t)s->dof * sizeof *a);
    if (s->any_least)
        start_least(s, f, a);
    double last = INFINITY, first = INFINITY;
    bool slow = false;
    for (int k = 0; k <= REFINEMENTS; ++k) {
        const double error = condition_error(s, w, a);
        first = k == 1 ? error : first;
        // a quarter: residuals that no longer halve are rounding, or slow
        slow = k > 1 && !(error < 0.25 * last);
        if (k > 1 && (!(error < 0.25 * last) || error <= EXACT * first))
            break;
        last = error;
        refine(s, f, a, lambda);
        if (s->any_least)
            refine_least(s, f, k > 0, a, lambda);
    }
    if (!slow)
        return false;
    Hastening all = {.s = s, .f = f, .w = w, .a = a, .lambda = lambda};
    all.free = free_error(s, f, w);
    // what is small against free accelerations is rounding
    if (!(condition_error(s, w, a) > ROUGH * all.free))
        return false;
    hasten(&all, EXACT * first);
    return condition_error(s, w, a) > NOISE * all.free;
}

// The least forces once more with stiffer conditions; the better of the two answers. Without room
// for it the first one stays.
static SticStatus solve_stiff(SticSaddle* s, const double* f, const double* w, double* a,
                              double* lambda)
{
    double *force = NULL, *acceleration = NULL;
    STIC_TRY(STIC_TAKE(s->arena, &force, s->rows));
    STIC_TRY(STIC_TAKE(s->arena, &acceleration, s->dof));
    const double before = condition_error(s, w, a);
    s->stiff = SOFTNESS / STIFF;
    const SticStatus status = factorise(s->arena, s);
    if (status == STIC_OK)
        solve_by(s, f, w, acceleration, force);
    Hastening all = {.s = s, .f = f, .w = w, .a = acceleration, .lambda = force};
    all.free = free_error(s, f, w);
    const bool better =
        status == STIC_OK && condition_error(s, w, acceleration) < before && !too_large(&all);
    // the next solve begins as this one did
    s->stiff = 1.0;
    STIC_TRY(factorise(s->arena, s));
    if (!better)
        return STIC_OK;
    memcpy(lambda, force, (size_t)s->rows * sizeof *force);
    memcpy(a, acceleration, (size_t)s->dof * sizeof *a);
    return STIC_OK;
}

void stic_saddle_solve(SticSaddle* s, const double* f, const double* w, double* a, double* lambda)
{
    if (s->rows == 0) {
        stic_mass_divide(s->mass, f, a);
        return;
    }
    if (solve_by(s, f, w, a, lambda) && s->any_least) {
        const SticArenaMark mark = stic_arena_mark(s->arena);
        (void)solve_stiff(s, f, w, a, lambda);
        stic_arena_rewind(s->arena, mark);
    }
}
