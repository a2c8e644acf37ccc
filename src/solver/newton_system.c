// SPDX-License-Identifier: Apache-2.0
// Matrices of the Newton-type methods on the pattern of W, factorised by the block LU of sparse/.
#include "solver/newton_system.h"

#include <math.h>
#include <string.h>

#include "math/math.h"
#include "solver/arena_context.h"

SticStatus stic_newton_system_analyse(SticArena* arena, const SticScaled* scaled,
                                      SticNewtonSystem* made, SticError* error)
{
    const SticContext context = stic_arena_context_make(arena);
    *made = (SticNewtonSystem){.scaled = scaled, .K = scaled->W};
    STIC_TRY(stic_symbolic_create(&context, &scaled->W, STIC_ORDERING_AMD, &made->symbolic, error));
    made->factor_values = (double)stic_symbolic_info(made->symbolic).values;
    return STIC_OK;
}

static SticStatus analyse_contact(SticSolveTask* task, const SticScaled* scaled,
                                  SticNewtonSystem* made)
{
    *made = (SticNewtonSystem){.scaled = scaled, .K = scaled->W};
    STIC_TRY(stic_task_symbolic(task, STIC_PATTERN_CONTACTS, &scaled->W, &made->symbolic));
    made->factor_values = (double)stic_symbolic_info(made->symbolic).values;
    return STIC_OK;
}

static SticStatus analyse_body(SticSolveTask* task, const SticScaled* scaled,
                               SticNewtonSystem* made)
{
    *made = (SticNewtonSystem){.scaled = scaled, .K = scaled->W};
    STIC_TRY(STIC_TAKE(task->arena, &made->body, 1));
    STIC_TRY(stic_body_system_create(task->arena, scaled, task->problem, made->body,
                                     &task->info->error));
    STIC_TRY(stic_task_symbolic(task, STIC_PATTERN_BODIES, &made->body->S, &made->body->symbolic));
    made->factor_values = (double)stic_symbolic_info(made->body->symbolic).values;
    return STIC_OK;
}

// multiplications of a factorisation
static double price_of(const SticNewtonSystem* system)
{
    if (system->body != NULL)
        return 2.0 * stic_symbolic_info(system->body->symbolic).work + system->body->assembly_work;
    const SticBlockCsr* W = &system->scaled->W;
    return 2.0 * stic_symbolic_info(system->symbolic).work +
           4.0 * (double)W->value_at[stic_block_csr_count(W)];
}

SticStatus stic_newton_system_choose(SticSolveTask* task, const SticScaled* scaled,
                                     SticSystemSide side, SticNewtonSystem* made)
{
    const bool fits = stic_body_system_fits(scaled, task->problem);
    SticNewtonSystem body = {0};
    if (side == STIC_SYSTEM_BODY && !fits)
        return stic_error_set(&task->info->error, STIC_UNSUPPORTED,
                              "systems on the side of the bodies need masses in blocks and no "
                              "bounds from other interactions");
    if (side != STIC_SYSTEM_CONTACT && fits)
        STIC_TRY(analyse_body(task, scaled, &body));
    if (side != STIC_SYSTEM_BODY)
        STIC_TRY(analyse_contact(task, scaled, made));
    if (body.body != NULL && (side == STIC_SYSTEM_BODY || price_of(&body) < price_of(made)))
        *made = body;
    return STIC_OK;
}

static SticStatus prepare_body(SticArena* arena, SticNewtonSystem* system, SticError* error)
{
    const SticBlockCsr* W = &system->scaled->W;
    STIC_TRY(stic_body_system_prepare(arena, system->body, error));
    system->factor_work = price_of(system);
    // a residual costs a product with W
    system->solve_work = 2.0 * system->factor_values + (double)W->value_at[stic_block_csr_count(W)];
    return STIC_OK;
}

SticStatus stic_newton_system_prepare(SticArena* arena, SticFactorKind kind,
                                      SticNewtonSystem* system, SticError* error)
{
    if (system->body != NULL)
        return prepare_body(arena, system, error);
    const SticBlockCsr* W = &system->scaled->W;
    const int64_t values = W->value_at[stic_block_csr_count(W)];
    const SticSymbolicInfo info = stic_symbolic_info(system->symbolic);
    STIC_TRY(STIC_TAKE(arena, &system->value, values));
    STIC_TRY(STIC_TAKE(arena, &system->product, system->scaled->problem.rows));
    system->K.value = system->value;
    STIC_TRY(stic_factor_create(system->symbolic, kind, &system->factor, error));
    system->factor_work = (kind == STIC_FACTOR_LU ? 2.0 : 1.0) * info.work + 4.0 * (double)values;
    system->solve_work = 2.0 * (double)info.values + (double)values;
    return STIC_OK;
}

SticStatus stic_newton_system_create(SticArena* arena, const SticScaled* scaled,
                                     SticFactorKind kind, SticNewtonSystem* made, SticError* error)
{
    STIC_TRY(stic_newton_system_analyse(arena, scaled, made, error));
    return stic_newton_system_prepare(arena, kind, made, error);
}

void stic_newton_system_scale(SticNewtonSystem* system, const SticScaled* scaled)
{
    system->scaled = scaled;
    if (system->body != NULL)
        system->body->scaled = scaled;
}

void stic_newton_system_row(SticNewtonSystem* system, int32_t i, const double* L)
{
    STIC_ASSERT(i >= 0 && i < system->scaled->problem.count);
    const SticBlockCsr* W = &system->scaled->W;
    const int32_t n = W->row_at[i + 1] - W->row_at[i];
    if (system->body != NULL) {
        const int64_t at = system->body->block_at[i];
        memcpy(system->body->B + at, L, (size_t)(n * n) * sizeof *L);
        memset(system->body->D + at, 0, (size_t)(n * n) * sizeof *L);
        return;
    }
    for (int32_t e = W->begin[i]; e < W->begin[i + 1]; ++e) {
        const int32_t m = W->col_at[W->col[e] + 1] - W->col_at[W->col[e]];
        stic_dense_mul(n, n, m, L, W->value + W->value_at[e], system->value + W->value_at[e]);
    }
}

void stic_newton_system_add(SticNewtonSystem* system, int32_t i, const double* D)
{
    STIC_ASSERT(i >= 0 && i < system->scaled->problem.count);
    const SticBlockCsr* W = &system->scaled->W;
    const int32_t n = W->row_at[i + 1] - W->row_at[i];
    double* to = system->body != NULL ? system->body->D + system->body->block_at[i]
                                      : system->value + W->value_at[system->scaled->diagonal[i]];
    for (int32_t k = 0; k < n * n; ++k)
        to[k] += D[k];
}

void stic_newton_system_add_foreign(SticNewtonSystem* system, int32_t i, int32_t row,
                                    const double* column)
{
    STIC_ASSERT(i >= 0 && i < system->scaled->problem.count);
    STIC_ASSERT(row >= 0 && row < system->scaled->problem.rows);
    const SticBlockCsr* W = &system->scaled->W;
    const int32_t e = system->scaled->foreign[i], j = W->col[e];
    const int32_t n = W->row_at[i + 1] - W->row_at[i], m = W->col_at[j + 1] - W->col_at[j];
    double* to = system->value + W->value_at[e] + (row - W->col_at[j]);
    for (int32_t a = 0; a < n; ++a)
        to[a * m] += column[a];
}

bool stic_newton_system_factor(SticNewtonSystem* system)
{
    if (system->body != NULL)
        return stic_body_system_factor(system->body, &system->info);
    return stic_factor_compute(system->factor, &system->K, NULL, &system->info) == STIC_OK;
}

int32_t stic_newton_system_sign(const SticNewtonSystem* system)
{
    const SticBodySystem* body = system->body;
    int32_t sign = system->info.sign;
    if (body == NULL)
        return sign;
    // det K = det D det(M + H D^-1 B P') / det M, and det M > 0
    for (int32_t i = 0; i < system->scaled->problem.count; ++i) {
        const int32_t n = system->scaled->problem.row_at[i + 1] - system->scaled->problem.row_at[i];
        double D[36];
        int32_t pivot[6];
        memcpy(D, body->D + body->block_at[i], (size_t)(n * n) * sizeof *D);
        if (stic_dense_lu(n, D, pivot) != STIC_OK)
            continue;
        for (int32_t k = 0; k < n; ++k)
            if ((D[k * n + k] < 0.0) != (pivot[k] != k))
                sign = -sign;
    }
    return sign;
}

double stic_newton_system_solve(SticNewtonSystem* system, const double* b, int32_t steps, double* x)
{
    STIC_ASSERT(steps >= 0);
    STIC_ASSERT(x != b);
    if (system->body != NULL)
        return stic_body_system_solve(system->body, b, steps, x);
    if (steps > 0)
        return stic_factor_refine(system->factor, &system->K, b, steps, x);
    memcpy(x, b, (size_t)system->scaled->problem.rows * sizeof *x);
    stic_factor_solve(system->factor, x);
    return 0.0;
}
