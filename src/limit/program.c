// SPDX-License-Identifier: Apache-2.0
// The cones of a task. With x = (r_N + c, r_T/mu) Coulomb's cone is x_0 >= |x_T|, which is self-dual,
// and y = (u_N, mu u_T) lies in it for associated motions. A pyramid of n sides is n half-lines along
// its edges, (1, mu cos, mu sin) for one inside the cone, longer by 1/cos(pi/n) for one around it.
//
// Loads are divided by the largest one, live ones by theirs, and rotations multiplied by the size of
// their body, so that nothing has a unit.
#include <math.h>
#include <string.h>

#include "limit/limit.h"
#include "math/math.h"
#include "stiction/extend/base.h"
#include "stiction/extend/law.h"

// blocks and rows of one interaction
static void size_cones(const SticInteraction* one, const SticLimitTask* task, int32_t* blocks,
                       int32_t* rows)
{
    const bool flat = task->cone == STIC_LIMIT_EXACT || one->law == STIC_LAW_FREE || one->rows < 3;
    *blocks = flat ? 1 : task->facets;
    *rows = flat ? one->rows : task->facets;
}

static void edge(const SticLimitTask* task, const double mu[2], int32_t k, double* coef)
{
    const double turn = STIC_PI / task->facets;
    const double length = task->cone == STIC_LIMIT_OUTSIDE ? 1.0 / stic_cos(turn) : 1.0;
    coef[0] = 1.0;
    coef[1] = length * mu[0] * stic_cos(2.0 * turn * k);
    coef[2] = length * mu[1] * stic_sin(2.0 * turn * k);
}

static void add_cones(const SticInteraction* one, const SticLimitTask* task, int32_t source,
                      SticLimitProgram* made)
{
    int32_t blocks, rows;
    const bool free = one->law == STIC_LAW_FREE;
    const double mu[2] = {one->coef[0],
                          one->law == STIC_LAW_CONE_ELLIPSE ? one->coef[1] : one->coef[0]};
    size_cones(one, task, &blocks, &rows);
    for (int32_t k = 0; k < rows; ++k) {
        double* coef = made->coef[made->rows + k];
        memset(coef, 0, sizeof made->coef[0]);
        if (blocks > 1)
            edge(task, mu, k, coef);
        else
            coef[k] = free || k == 0 ? 1.0 : mu[k - 1];
    }
    for (int32_t b = 0; b < blocks; ++b) {
        made->source[made->count] = source;
        made->equality[made->count] = free;
        made->rows += blocks > 1 ? 1 : rows;
        made->row_at[++made->count] = made->rows;
    }
    made->cones += free ? 0 : blocks;
}

static SticStatus fill_matrix(const SticLimit* limit, SticArena* arena, SticLimitProgram* made,
                              SticError* error)
{
    const SticBlockCsr* S = &limit->A;
    int32_t *row = NULL, *col = NULL, used = 0;
    int64_t values = 0, blocks = 0;
    double* value = NULL;
    for (int32_t p = 0; p < made->count; ++p) {
        const int32_t i = made->source[p];
        for (int32_t e = S->begin[i]; e < S->begin[i + 1]; ++e, ++blocks)
            values += (int64_t)(made->row_at[p + 1] - made->row_at[p]) *
                      (S->col_at[S->col[e] + 1] - S->col_at[S->col[e]]);
    }
    STIC_TRY(STIC_TAKE(arena, &row, blocks + 1));
    STIC_TRY(STIC_TAKE(arena, &col, blocks + 1));
    STIC_TRY(STIC_TAKE(arena, &value, values + 1));
    double* to = value;
    for (int32_t p = 0; p < made->count; ++p) {
        const int32_t i = made->source[p], m = S->row_at[i + 1] - S->row_at[i];
        for (int32_t e = S->begin[i]; e < S->begin[i + 1]; ++e) {
            const int32_t n = S->col_at[S->col[e] + 1] - S->col_at[S->col[e]];
            const double* from = S->value + S->value_at[e];
            row[used] = p;
            col[used++] = S->col[e];
            for (int32_t k = made->row_at[p]; k < made->row_at[p + 1]; ++k)
                for (int32_t j = 0; j < n; ++j, ++to) {
                    *to = 0.0;
                    for (int32_t l = 0; l < m; ++l)
                        *to += made->coef[k][l] * from[l * n + j];
                    *to *= made->size[S->col_at[S->col[e]] + j];
                }
        }
    }
    const SticPartition partition = {
        .rows = made->count, .cols = S->cols, .row_at = made->row_at, .col_at = S->col_at};
    const SticBlockTriplets triplets = {.count = used, .row = row, .col = col, .value = value};
    return stic_block_csr_from_blocks(&partition, &triplets, arena, &made->A, error);
}

// largest force; torques count by what they do on the lever of the contacts, a row of A
static double largest(const SticLimit* limit, const double* f)
{
    double most = 0.0;
    for (int32_t b = 0; b < limit->system->layout.blocks; ++b) {
        const int32_t at = limit->col_at[b], n = limit->col_at[b + 1] - at;
        const double size = limit->system->size[b];
        for (int32_t k = 0; k < n; ++k) {
            const double value = fabs(f[at + k]) / (k < 3 || !(size > 0.0) ? 1.0 : size);
            most = value > most ? value : most;
        }
    }
    return most;
}

// H y of a force y on the first row of every contact, added
static SticStatus press(const SticLimit* limit, SticArena* arena, bool cohesion, double factor,
                        double* f)
{
    double* r = NULL;
    const SticArenaMark mark = stic_arena_mark(arena);
    STIC_TRY(STIC_TAKE(arena, &r, limit->set.rows + 1));
    memset(r, 0, (size_t)limit->set.rows * sizeof *r);
    for (int32_t i = 0; i < limit->set.count; ++i) {
        const SticInteraction* one = &limit->set.interaction[i];
        if (one->law != STIC_LAW_FREE)
            r[limit->set.row_at[i]] = cohesion ? one->cohesion : 1.0;
    }
    stic_block_csr_multiply_transpose(factor, &limit->A, r, 1.0, f);
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

// H y of cohesion, or of 1 N on every contact
static SticStatus press_all(const SticLimit* limit, SticArena* arena, bool cohesion, double** f)
{
    STIC_TRY(STIC_TAKE(arena, f, limit->dof + 1));
    memset(*f, 0, (size_t)limit->dof * sizeof **f);
    return press(limit, arena, cohesion, cohesion ? -1.0 : 1.0, *f);
}

// Dead loads with what cohesion adds, and live ones, each divided by their largest: the factor of
// the program is one of order 1 whatever the unit of either.
static SticStatus fill_loads(const SticLimit* limit, const SticLimitTask* task, SticArena* arena,
                             SticLimitProgram* made)
{
    double *cohesion = NULL, *pressed = NULL;
    STIC_TRY(STIC_TAKE(arena, &made->dead, limit->dof + 1));
    STIC_TRY(STIC_TAKE(arena, &made->live, limit->dof + 1));
    STIC_TRY(press_all(limit, arena, true, &cohesion));
    // r = x + s e with s >= 0: what all contacts can spare, in units of the loads
    if (task->live == NULL)
        STIC_TRY(press_all(limit, arena, false, &pressed));
    const double* live = task->live == NULL ? pressed : task->live;
    made->force = stic_larger(largest(limit, task->dead), largest(limit, cohesion));
    const double most = largest(limit, live);
    made->unit = most > 0.0 ? (task->live == NULL ? 1.0 : made->force) / most : 1.0;
    for (int32_t k = 0; k < limit->dof; ++k) {
        made->dead[k] =
            made->force > 0.0 ? made->size[k] * (task->dead[k] + cohesion[k]) / made->force : 0.0;
        made->live[k] = most > 0.0 ? made->size[k] * live[k] / most : 0.0;
    }
    return STIC_OK;
}

// rotations are measured by the way that a point at the size of the body makes
static SticStatus fill_sizes(const SticLimit* limit, SticArena* arena, SticLimitProgram* made)
{
    STIC_TRY(STIC_TAKE(arena, &made->size, limit->dof + 1));
    for (int32_t b = 0; b < limit->system->layout.blocks; ++b)
        for (int32_t k = limit->col_at[b]; k < limit->col_at[b + 1]; ++k)
            made->size[k] = k < limit->col_at[b] + 3 || !(limit->system->size[b] > 0.0)
                                ? 1.0
                                : 1.0 / limit->system->size[b];
    return STIC_OK;
}

SticStatus stic_limit_program(const SticLimit* limit, const SticLimitTask* task, SticArena* arena,
                              SticLimitProgram* program, SticError* error)
{
    int64_t count = 0, rows = 0;
    *program = (SticLimitProgram){0};
    for (int32_t i = 0; i < limit->set.count; ++i) {
        int32_t more, more_rows;
        size_cones(&limit->set.interaction[i], task, &more, &more_rows);
        count += more;
        rows += more_rows;
    }
    if (rows > INT32_MAX)
        return STIC_OUT_OF_MEMORY;
    STIC_TRY(STIC_TAKE(arena, &program->row_at, count + 1));
    STIC_TRY(STIC_TAKE(arena, &program->equality, count + 1));
    STIC_TRY(STIC_TAKE(arena, &program->source, count + 1));
    STIC_TRY(STIC_TAKE(arena, &program->coef, rows + 1));
    program->row_at[0] = 0;
    for (int32_t i = 0; i < limit->set.count; ++i)
        add_cones(&limit->set.interaction[i], task, i, program);
    STIC_TRY(fill_sizes(limit, arena, program));
    STIC_TRY(fill_matrix(limit, arena, program, error));
    return fill_loads(limit, task, arena, program);
}
