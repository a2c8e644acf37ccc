// SPDX-License-Identifier: Apache-2.0
// Matrices of the Newton-type methods on the pattern of W, factorised by the block LU of sparse/.
#include "solver/newton_system.h"

#include <math.h>
#include <string.h>

// symbolic analysis and factor live in the arena of the solve: the next one of this size takes the
// same memory again
static void* arena_allocate(void* self, size_t bytes)
{
    void* memory = NULL;
    return stic_arena_take(self, bytes, &memory) == STIC_OK ? memory : NULL;
}

static void arena_release(void* self, void* memory, size_t bytes)
{
    (void)self;
    (void)memory;
    (void)bytes;
}

static SticContext arena_context(SticArena* arena)
{
    SticContext context = *stic_arena_context(arena);
    context.allocator =
        (SticAllocator){.self = arena, .allocate = arena_allocate, .release = arena_release};
    return context;
}

SticStatus stic_newton_system_analyse(SticArena* arena, const SticScaled* scaled,
                                      SticNewtonSystem* made, SticError* error)
{
    const SticContext context = arena_context(arena);
    *made = (SticNewtonSystem){.scaled = scaled, .K = scaled->W};
    STIC_TRY(stic_symbolic_create(&context, &scaled->W, STIC_ORDERING_AMD, &made->symbolic, error));
    made->factor_values = (double)stic_symbolic_info(made->symbolic).values;
    return STIC_OK;
}

SticStatus stic_newton_system_prepare(SticArena* arena, SticFactorKind kind,
                                      SticNewtonSystem* system, SticError* error)
{
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

void stic_newton_system_row(SticNewtonSystem* system, int32_t i, const double* L)
{
    const SticBlockCsr* W = &system->scaled->W;
    const int32_t n = W->row_at[i + 1] - W->row_at[i];
    for (int32_t e = W->begin[i]; e < W->begin[i + 1]; ++e) {
        const int32_t m = W->col_at[W->col[e] + 1] - W->col_at[W->col[e]];
        const double* from = W->value + W->value_at[e];
        double* to = system->value + W->value_at[e];
        for (int32_t a = 0; a < n; ++a)
            for (int32_t c = 0; c < m; ++c) {
                double sum = 0.0;
                for (int32_t k = 0; k < n; ++k)
                    sum += L[a * n + k] * from[k * m + c];
                to[a * m + c] = sum;
            }
    }
}

void stic_newton_system_add(SticNewtonSystem* system, int32_t i, const double* D)
{
    const SticBlockCsr* W = &system->scaled->W;
    const int32_t n = W->row_at[i + 1] - W->row_at[i];
    double* to = system->value + W->value_at[system->scaled->diagonal[i]];
    for (int32_t k = 0; k < n * n; ++k)
        to[k] += D[k];
}

void stic_newton_system_add_foreign(SticNewtonSystem* system, int32_t i, int32_t row,
                                    const double* column)
{
    const SticBlockCsr* W = &system->scaled->W;
    const int32_t e = system->scaled->foreign[i], j = W->col[e];
    const int32_t n = W->row_at[i + 1] - W->row_at[i], m = W->col_at[j + 1] - W->col_at[j];
    double* to = system->value + W->value_at[e] + (row - W->col_at[j]);
    for (int32_t a = 0; a < n; ++a)
        to[a * m] += column[a];
}

bool stic_newton_system_factor(SticNewtonSystem* system)
{
    return stic_factor_compute(system->factor, &system->K, NULL, &system->info) == STIC_OK;
}

double stic_newton_system_solve(SticNewtonSystem* system, const double* b, int32_t steps, double* x)
{
    if (steps > 0)
        return stic_factor_refine(system->factor, &system->K, b, steps, x);
    memcpy(x, b, (size_t)system->scaled->problem.rows * sizeof *x);
    stic_factor_solve(system->factor, x);
    return 0.0;
}
