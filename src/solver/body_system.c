// SPDX-License-Identifier: Apache-2.0
// Newton-type systems on the side of the bodies.
//
// Block rows K = D + B W with W = P' M^-1 H and D block-diagonal. With dv = M^-1 H x
//     D x + B P' dv = b,   M dv = H x     =>     (M + H E P') dv = H D^-1 b,   E = D^-1 B
//     x = D^-1 b - E P' dv
// The matrix in brackets has a block per body and per pair of bodies that touch, however many
// points they touch in: for faces that meet in four points a quarter of the rows and far less fill.
// Contacts that are open have E = 0, those that stick E = I/c with the proximal parameter c: a
// stiff penalty, whose condition number grows like 1/c. Refinement against K itself, on the side of
// the contacts, restores the digits that this costs.
//
// Cost: the factor of the body graph; per interaction of n rows between two bodies of m velocities
// 2 n^2 m + 4 n m^2 for the assembly. Workspace: four times the diagonal blocks of W, the factor.
#include "solver/body_system.h"

#include <math.h>
#include <string.h>

#include "math/math.h"
#include "stiction/extend/base.h"

bool stic_body_system_fits(const SticScaled* scaled, const SticProblem* folded)
{
    if (folded->M == NULL || folded->M->kind != STIC_MASS_BLOCKS || folded->Ht == NULL)
        return false;
    for (int32_t i = 0; i < scaled->problem.count; ++i)
        if (scaled->foreign[i] >= 0)
            return false;
    return true;
}

/* ---- pattern ---- */

static int32_t width_of(const SticBlockCsr* A, int32_t i)
{
    return A->begin[i + 1] - A->begin[i];
}

// blocks of the mass, then all pairs of bodies of every interaction
static SticStatus build_pattern(SticArena* arena, SticBodySystem* system, int32_t bodies,
                                SticError* error)
{
    const SticBlockCsr *Ht = system->Ht, *Pt = system->Pt;
    const int32_t count = Ht->rows;
    int32_t *row = NULL, *col = NULL, at = 0;
    const int32_t most = bodies + system->pair_at[count];
    STIC_TRY(STIC_TAKE(arena, &row, most));
    STIC_TRY(STIC_TAKE(arena, &col, most));
    for (; at < bodies; ++at)
        row[at] = col[at] = at;
    for (int32_t i = 0; i < count; ++i)
        for (int32_t a = Ht->begin[i]; a < Ht->begin[i + 1]; ++a)
            for (int32_t c = Pt->begin[i]; c < Pt->begin[i + 1]; ++c) {
                row[at] = Ht->col[a];
                col[at++] = Pt->col[c];
            }
    const SticPartition partition = {
        .rows = bodies, .cols = bodies, .row_at = system->M->row_at, .col_at = system->M->row_at};
    const SticBlockTriplets triplets = {.count = at, .row = row, .col = col};
    STIC_TRY(stic_block_csr_from_blocks(&partition, &triplets, arena, &system->S, error));
    for (int32_t b = 0; b < bodies; ++b)
        system->mass[b] = stic_block_csr_find(&system->S, b, b);
    for (int32_t k = bodies; k < at; ++k)
        system->pair[k - bodies] = stic_block_csr_find(&system->S, row[k], col[k]);
    return STIC_OK;
}

SticStatus stic_body_system_create(SticArena* arena, const SticScaled* scaled,
                                   const SticProblem* folded, SticBodySystem* made,
                                   SticError* error)
{
    const int32_t count = scaled->problem.count, bodies = folded->M->A->rows;
    *made = (SticBodySystem){.scaled = scaled,
                             .M = folded->M->A,
                             .Ht = folded->Ht,
                             .Pt = folded->Pt != NULL ? folded->Pt : folded->Ht};
    STIC_TRY(STIC_TAKE(arena, &made->mass, bodies));
    STIC_TRY(STIC_TAKE(arena, &made->pair_at, count + 1));
    STIC_TRY(STIC_TAKE(arena, &made->block_at, count + 1));
    made->pair_at[0] = 0;
    made->block_at[0] = 0;
    for (int32_t i = 0; i < count; ++i) {
        const int32_t n = scaled->problem.row_at[i + 1] - scaled->problem.row_at[i];
        made->pair_at[i + 1] = made->pair_at[i] + width_of(made->Ht, i) * width_of(made->Pt, i);
        made->block_at[i + 1] = made->block_at[i] + n * n;
        for (int32_t a = made->Ht->begin[i]; a < made->Ht->begin[i + 1]; ++a) {
            const double m =
                made->M->row_at[made->Ht->col[a] + 1] - made->M->row_at[made->Ht->col[a]];
            made->assembly_work += n * n * m + width_of(made->Pt, i) * n * m * m;
        }
    }
    STIC_TRY(STIC_TAKE(arena, &made->pair, made->pair_at[count]));
    return build_pattern(arena, made, bodies, error);
}

SticStatus stic_body_system_prepare(SticArena* arena, SticBodySystem* system, SticError* error)
{
    const int32_t count = system->scaled->problem.count, rows = system->scaled->problem.rows;
    const int64_t values = system->S.value_at[stic_block_csr_count(&system->S)];
    double** const blocks[] = {&system->D, &system->B, &system->inverse, &system->E};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; ++k)
        STIC_TRY(STIC_TAKE(arena, blocks[k], system->block_at[count]));
    STIC_TRY(STIC_TAKE(arena, &system->value, values));
    STIC_TRY(STIC_TAKE(arena, &system->g, rows));
    STIC_TRY(STIC_TAKE(arena, &system->residual, rows));
    STIC_TRY(STIC_TAKE(arena, &system->product, rows));
    STIC_TRY(STIC_TAKE(arena, &system->v, system->M->row_at[system->M->rows]));
    system->S.value = system->value;
    return stic_factor_create(system->symbolic, STIC_FACTOR_LU, &system->factor, error);
}

/* ---- factor ---- */

// D^-1 and E = D^-1 B of interaction i; whether E differs from 0
static bool invert_block(SticBodySystem* system, int32_t i, bool* regular)
{
    const int32_t n = system->scaled->problem.row_at[i + 1] - system->scaled->problem.row_at[i];
    const int64_t at = system->block_at[i];
    bool acts = false;
    *regular = stic_dense_inverse(n, system->D + at, system->inverse + at) == STIC_OK;
    if (!*regular)
        return false;
    stic_dense_mul(n, n, n, system->inverse + at, system->B + at, system->E + at);
    for (int32_t k = 0; k < n * n; ++k)
        acts = acts || system->E[at + k] != 0.0;
    return acts;
}

// S += H_i E_i P_i' in scaled variables
static void add_interaction(SticBodySystem* system, int32_t i)
{
    const SticBlockCsr *Ht = system->Ht, *Pt = system->Pt;
    const int32_t row = Ht->row_at[i], n = Ht->row_at[i + 1] - row;
    const double *E = system->E + system->block_at[i], *scale = system->scaled->scale + row;
    double scaled[36], part[6 * STIC_BLOCK_MAX];
    for (int32_t a = 0; a < n; ++a)
        for (int32_t c = 0; c < n; ++c)
            scaled[a * n + c] = scale[a] * E[a * n + c] * scale[c];
    const int32_t wide = width_of(Pt, i);
    for (int32_t c = 0; c < wide; ++c) {
        const int32_t p = Pt->begin[i] + c, body = Pt->col[p];
        const int32_t m = Pt->col_at[body + 1] - Pt->col_at[body];
        stic_dense_mul(n, n, m, scaled, Pt->value + Pt->value_at[p], part);
        for (int32_t a = 0; a < width_of(Ht, i); ++a) {
            const int32_t h = Ht->begin[i] + a, left = Ht->col[h];
            const int32_t l = Ht->col_at[left + 1] - Ht->col_at[left];
            const double* H = Ht->value + Ht->value_at[h];
            double* to =
                system->value + system->S.value_at[system->pair[system->pair_at[i] + a * wide + c]];
            for (int32_t k = 0; k < n; ++k)
                for (int32_t x = 0; x < l; ++x) {
                    const double factor = H[k * l + x];
                    for (int32_t y = 0; y < m; ++y)
                        to[x * m + y] += factor * part[k * m + y];
                }
        }
    }
}

bool stic_body_system_factor(SticBodySystem* system, SticFactorInfo* info)
{
    const SticBlockCsr* M = system->M;
    const int64_t values = system->S.value_at[stic_block_csr_count(&system->S)];
    memset(system->value, 0, (size_t)values * sizeof *system->value);
    for (int32_t b = 0; b < M->rows; ++b) {
        const int32_t e = M->begin[b];
        memcpy(system->value + system->S.value_at[system->mass[b]], M->value + M->value_at[e],
               (size_t)(M->value_at[e + 1] - M->value_at[e]) * sizeof *system->value);
    }
    for (int32_t i = 0; i < system->scaled->problem.count; ++i) {
        bool regular = false;
        if (invert_block(system, i, &regular))
            add_interaction(system, i);
        if (!regular)
            return false;
    }
    return stic_factor_compute(system->factor, &system->S, NULL, info) == STIC_OK;
}

/* ---- solution ---- */

// x += K^-1 b by the factor as it is
static void add_solution(SticBodySystem* system, const double* b, double* x)
{
    const SticProblem* problem = &system->scaled->problem;
    const double* scale = system->scaled->scale;
    for (int32_t i = 0; i < problem->count; ++i) {
        const int32_t at = problem->row_at[i], n = problem->row_at[i + 1] - at;
        stic_dense_mul(n, n, 1, system->inverse + system->block_at[i], b + at, system->g + at);
        for (int32_t a = at; a < at + n; ++a)
            system->product[a] = scale[a] * system->g[a];
    }
    stic_block_csr_multiply_transpose(1.0, system->Ht, system->product, 0.0, system->v);
    stic_factor_solve(system->factor, system->v);
    stic_block_csr_multiply(1.0, system->Pt, system->v, 0.0, system->product);
    for (int32_t i = 0; i < problem->count; ++i) {
        const int32_t at = problem->row_at[i], n = problem->row_at[i + 1] - at;
        const double* E = system->E + system->block_at[i];
        for (int32_t a = 0; a < n; ++a) {
            double sum = system->g[at + a];
            for (int32_t c = 0; c < n; ++c)
                sum -= E[a * n + c] * scale[at + c] * system->product[at + c];
            x[at + a] += sum;
        }
    }
}

// residual = b - K x; its norm
static double find_residual(SticBodySystem* system, const double* b, const double* x)
{
    const SticProblem* problem = &system->scaled->problem;
    double square = 0.0;
    stic_block_csr_multiply(1.0, &system->scaled->W, x, 0.0, system->product);
    for (int32_t i = 0; i < problem->count; ++i) {
        const int32_t at = problem->row_at[i], n = problem->row_at[i + 1] - at;
        const double *D = system->D + system->block_at[i], *B = system->B + system->block_at[i];
        for (int32_t a = 0; a < n; ++a) {
            double sum = b[at + a];
            for (int32_t c = 0; c < n; ++c)
                sum -= D[a * n + c] * x[at + c] + B[a * n + c] * system->product[at + c];
            system->residual[at + a] = sum;
            square += sum * sum;
        }
    }
    return sqrt(square);
}

double stic_body_system_solve(SticBodySystem* system, const double* b, int32_t steps, double* x)
{
    STIC_ASSERT(steps >= 0);
    STIC_ASSERT(x != b);
    const int32_t rows = system->scaled->problem.rows;
    double size = 0.0, left = 0.0;
    for (int32_t k = 0; k < rows; ++k)
        size += b[k] * b[k];
    size = sqrt(size);
    memset(x, 0, (size_t)rows * sizeof *x);
    add_solution(system, b, x);
    for (int32_t step = 0; step < steps; ++step) {
        left = find_residual(system, b, x);
        // this is the rounding of the products: nothing to gain
        if (!(left > 1e-15 * size))
            break;
        add_solution(system, system->residual, x);
    }
    return size > 0.0 ? left / size : 0.0;
}
