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
// most of them: rows of n bodies contract by SOFTNESS n^2 only
enum { REFINEMENTS = 40 };
// the first solution misses the conditions by SOFTNESS; squares of errors that are only rounding of
// the conditions are this part of its square
#define EXACT (DBL_EPSILON * DBL_EPSILON / (SOFTNESS * SOFTNESS))

typedef struct Island {
    int32_t n;
    double* matrix;  // [n n] its factor
    int32_t* pivot;  // [n]
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

static SticStatus fill_mass(SticArena* arena, SticSaddle* s)
{
    const SticBlockCsr* M = s->mass->A;
    for (int32_t k = 0; k < s->islands; ++k) {
        Island* island = &s->island[k];
        const int64_t n = island->n;
        STIC_TRY(STIC_TAKE(arena, &island->matrix, n * n));
        STIC_TRY(STIC_TAKE(arena, &island->pivot, n));
        STIC_TRY(STIC_TAKE(arena, &island->column, n));
        STIC_TRY(STIC_TAKE(arena, &island->x, n));
        memset(island->matrix, 0, (size_t)(n * n) * sizeof(double));
    }
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

// p . M^-1 p of row r of interaction i of P or H; M^-1 is block-diagonal
static double mobility(const SticSaddle* s, const SticBlockCsr* P, int32_t i, int32_t r)
{
    const SticBlockCsr* inverse = s->mass->inverse;
    const double* diagonal = s->mass->inverse_diagonal;
    double sum = 0.0;
    for (int32_t e = P->begin[i]; e < P->begin[i + 1]; ++e) {
        const int32_t j = P->col[e], n = P->col_at[j + 1] - P->col_at[j];
        const double* p = P->value + P->value_at[e] + (int64_t)r * n;
        for (int32_t a = 0; diagonal != NULL && a < n; ++a)
            sum += p[a] * diagonal[P->col_at[j] + a] * p[a];
        if (diagonal != NULL)
            continue;
        const double* block = inverse->value + inverse->value_at[inverse->begin[j]];
        for (int32_t a = 0; a < n; ++a)
            for (int32_t b = 0; b < n; ++b)
                sum += p[a] * block[a * n + b] * p[b];
    }
    return sum;
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
            add_dyad(s, &s->row[r], s->row[r].push, s->row[r].h, soft);
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
    for (int32_t r = 0; r < s->rows; ++r) {
        const Row* row = &s->row[r];
        if (row->island != k)
            continue;
        for (int32_t c = 0; c < n; ++c) {
            line[c] = 0.0;
            for (int32_t b = 0; b < row->count; ++b)
                line[c] += row->p[b] * soft[(int64_t)c * n + s->place[row->column[b]]];
        }
        for (int32_t a = 0; a < row->count; ++a) {
            double* to = island->matrix + (int64_t)s->place[row->column[a]] * n;
            const double part = row->weight * row->p[a];
            for (int32_t c = 0; c < n; ++c)
                to[c] += part * line[c];
        }
    }
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

static SticStatus factorise(SticArena* arena, SticSaddle* s)
{
    for (int32_t r = 0; r < s->rows; ++r)
        if (s->row[r].island >= 0 && !s->island[s->row[r].island].least)
            add_dyad(s, &s->row[r], s->row[r].weight, s->row[r].p,
                     s->island[s->row[r].island].matrix);
    for (int32_t k = 0; k < s->islands; ++k) {
        if (s->island[k].least)
            STIC_TRY(fill_least(arena, s, k));
        STIC_TRY(stic_dense_lu(s->island[k].n, s->island[k].matrix, s->island[k].pivot));
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
                      .dof = mass->A->row_at[mass->A->rows],
                      .rows = Ht->rows == 0 ? 0 : Ht->row_at[Ht->rows]};
    *made = s;
    STIC_TRY(STIC_TAKE(arena, &s->scratch, s->dof));
    STIC_TRY(STIC_TAKE(arena, &s->change, s->dof));
    STIC_TRY(STIC_TAKE(arena, &s->row, s->rows));
    STIC_TRY(STIC_TAKE(arena, &s->residual, s->rows));
    STIC_TRY(find_islands(arena, s));
    STIC_TRY(fill_mass(arena, s));
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
        stic_dense_lu_solve(island->n, island->matrix, island->pivot, island->x);
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

// One step of the method of multipliers, in the islands with the least forces. `again`: the
// residual is that of the step before, which the multipliers y do not have yet.
static void refine_least(SticSaddle* s, const double* f, bool again, double* a, double* lambda)
{
    stic_mass_multiply(s->mass, s->x, 0.0, s->scratch);
    for (int32_t r = 0; r < s->rows; ++r) {
        const Row* row = &s->row[r];
        if (!is_least(s, r))
            continue;
        s->y[r] += again ? row->weight * s->residual[r] : 0.0;
        for (int32_t c = 0; c < row->count; ++c)
            s->scratch[row->column[c]] += row->p[c] * (s->y[r] + row->weight * s->residual[r]);
    }
    divide(s, s->scratch, s->change);
    for (int32_t k = 0; k < s->islands; ++k)
        for (int32_t c = 0; s->island[k].least && c < s->island[k].n; ++c)
            s->x[s->island[k].column[c]] -= s->change[s->island[k].column[c]];
    // lambda = F^-1 H' x and a = M^-1 (f + H lambda)
    memcpy(s->scratch, f, (size_t)s->dof * sizeof *f);
    for (int32_t r = 0; r < s->rows; ++r) {
        const Row* row = &s->row[r];
        double sum = 0.0;
        if (!is_least(s, r))
            continue;
        for (int32_t c = 0; c < row->count; ++c)
            sum += row->h[c] * s->x[row->column[c]];
        lambda[r] = row->push * sum;
        for (int32_t c = 0; c < row->count; ++c)
            s->scratch[row->column[c]] += row->h[c] * lambda[r];
    }
    stic_mass_divide(s->mass, s->scratch, s->change);
    for (int32_t k = 0; k < s->islands; ++k)
        for (int32_t c = 0; s->island[k].least && c < s->island[k].n; ++c)
            a[s->island[k].column[c]] = s->change[s->island[k].column[c]];
}

void stic_saddle_solve(SticSaddle* s, const double* f, const double* w, double* a, double* lambda)
{
    memset(lambda, 0, (size_t)s->rows * sizeof *lambda);
    memset(a, 0, (size_t)s->dof * sizeof *a);
    if (s->rows == 0) {
        stic_mass_divide(s->mass, f, a);
        return;
    }
    if (s->any_least)
        start_least(s, f, a);
    double last = INFINITY, first = INFINITY;
    for (int k = 0; k <= REFINEMENTS; ++k) {
        const double error = condition_error(s, w, a);
        first = k == 1 ? error : first;
        // a quarter: residuals that no longer halve are rounding
        if (k > 1 && (!(error < 0.25 * last) || error <= EXACT * first))
            break;
        last = error;
        refine(s, f, a, lambda);
        if (s->any_least)
            refine_least(s, f, k > 0, a, lambda);
    }
}
