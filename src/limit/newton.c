// SPDX-License-Identifier: Apache-2.0
// The linear system of a step of the interior point:
//
//     A'dx + live ds + dead dtau - rho D dv = v row   A dv + P^2 dx = x row  (A dv of joints)
//     live . dv - aim dtau = s row           dead . dv + aim ds + ratio dtau = tau row
//
// The factor is that of A'P^-2 A, whose pattern is that of bodies that touch; joints have
// P^2 = DELTA in it. It alone would lose forces: a contact that carries has P^-2 = 1e8 and more near
// the end, and its dx would be that times a difference of velocities which are large, so that
// forces would be out of balance by 1e-8. Where several blocks are about to move at once, as in a
// stack at its largest overhang, it also loses the motions that are not in the borders. Therefore dv
// and dx both are unknowns of a Krylov method that takes factor and borders for its preconditioner:
// one direction suffices in most steps, one for each lost motion near the end.
#include "limit/newton.h"

#include <math.h>
#include <string.h>

#include "math/math.h"
#include "solver/arena_context.h"
#include "sparse/sparse.h"
#include "stiction/extend/base.h"

enum { MOST = STIC_CONE_MOST, DIRECTIONS = 60, CYCLES = 3 };

// P^2 of joints in the factor, and the part of the stiffest motion by which all are held there: some
// 1e4 roundings. The Krylov method takes both back.
#define DELTA 1e-8
#define HELD  0x1p-40
// what rounding leaves of a right-hand side
#define ROUNDING 1e-15
// A proximal term, at which motions that no contact resists and no load drives stay: an arch whose
// contacts lie in one plane may fold out of it. Rounding of 1e-16 in the loads then moves them by
// 1e-3, beside collapses of order 1. It leaves solutions as they are.
#define PROXIMAL 1e-13

SticStatus stic_limit_vector_take(const SticLimitProgram* program, SticArena* arena,
                                  SticLimitVector* vector)
{
    const int32_t cols = stic_block_csr_width(&program->A);
    *vector = (SticLimitVector){0};
    STIC_TRY(STIC_TAKE(arena, &vector->v, cols + program->rows + 2));
    vector->x = vector->v + cols;
    return STIC_OK;
}

// squares of the columns of A: what makes velocities and turns comparable
static void fill_metric(SticLimitNewton* newton)
{
    const SticBlockCsr* A = &newton->program->A;
    memset(newton->metric, 0, (size_t)newton->cols * sizeof *newton->metric);
    for (int32_t p = 0; p < A->rows; ++p)
        for (int32_t e = A->begin[p]; e < A->begin[p + 1]; ++e) {
            const int32_t at = A->col_at[A->col[e]], n = A->col_at[A->col[e] + 1] - at;
            for (int64_t k = A->value_at[e]; k < A->value_at[e + 1]; ++k)
                newton->metric[at + (k - A->value_at[e]) % n] += A->value[k] * A->value[k];
        }
    for (int32_t k = 0; k < newton->cols; ++k)
        if (!(newton->metric[k] > 0.0))
            newton->metric[k] = 1.0;
}

SticStatus stic_limit_newton_create(SticArena* arena, const SticLimitProgram* program,
                                    SticLimitNewton* newton, SticError* error)
{
    const SticContext context = stic_arena_context_make(arena);
    *newton = (SticLimitNewton){.program = program,
                                .rows = program->rows,
                                .cols = stic_block_csr_width(&program->A),
                                .aim = 1.0};
    const int32_t size = newton->cols + newton->rows + 2;
    SticLimitVector* const vectors[] = {&newton->live, &newton->dead};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k)
        STIC_TRY(stic_limit_vector_take(program, arena, vectors[k]));
    STIC_TRY(STIC_TAKE(arena, &newton->metric, newton->cols + 1));
    STIC_TRY(STIC_TAKE(arena, &newton->image, newton->rows + 1));
    STIC_TRY(STIC_TAKE(arena, &newton->P, program->count + 1));
    STIC_TRY(STIC_TAKE(arena, &newton->work, stic_gmres_work(size, DIRECTIONS)));
    fill_metric(newton);
    STIC_TRY(stic_gram_create(arena, &program->A, &newton->gram, error));
    STIC_TRY(stic_symbolic_create(&context, &newton->gram.K, STIC_ORDERING_AMD, &newton->symbolic,
                                  error));
    return stic_factor_create(newton->symbolic, STIC_FACTOR_LDL, &newton->factor, error);
}

// P^2 x (side 0) or P^-2 x (side 1) of one block
static void apply_block(const SticLimitNewton* newton, int side, int32_t p, const double* x,
                        double* y)
{
    const SticLimitProgram* program = newton->program;
    const int32_t n = program->row_at[p + 1] - program->row_at[p];
    double once[MOST];
    if (program->equality[p]) {
        for (int32_t k = 0; k < n; ++k)
            y[k] = side == 0 ? 0.0 : x[k] / DELTA;
        return;
    }
    stic_cone_multiply(n, newton->P[p][side], x, once);
    stic_cone_multiply(n, newton->P[p][side], once, y);
}

static void scaled_block(const void* self, int32_t p, int32_t n, const double* a, double* GA)
{
    const SticLimitNewton* newton = self;
    const int32_t m = newton->program->row_at[p + 1] - newton->program->row_at[p];
    for (int32_t j = 0; j < n; ++j) {
        double column[STIC_LIMIT_ROWS] = {0.0}, image[STIC_LIMIT_ROWS] = {0.0};
        for (int32_t k = 0; k < m; ++k)
            column[k] = a[k * n + j];
        apply_block(newton, 1, p, column, image);
        for (int32_t k = 0; k < m; ++k)
            GA[k * n + j] = image[k];
    }
}

// largest diagonal value in units of the metric
static double steepest(const SticLimitNewton* newton)
{
    const SticBlockCsr* K = &newton->gram.K;
    double most = 0.0;
    for (int32_t b = 0; b < K->rows; ++b) {
        const int32_t n = K->row_at[b + 1] - K->row_at[b];
        const double* block = K->value + K->value_at[newton->gram.diagonal[b]];
        for (int32_t k = 0; k < n; ++k)
            most = stic_larger(most, block[k * n + k] / newton->metric[K->row_at[b] + k]);
    }
    return most;
}

// both lines of A with the factor: answer of the right-hand side (v, x)
static void solve_inner(const SticLimitNewton* newton, const double* v, const double* x,
                        SticLimitVector* answer)
{
    const SticLimitProgram* program = newton->program;
    for (int32_t p = 0; p < program->count; ++p)
        apply_block(newton, 1, p, x + program->row_at[p], newton->image + program->row_at[p]);
    for (int32_t k = 0; k < newton->cols; ++k)
        answer->v[k] = -v[k];
    stic_block_csr_multiply_transpose(1.0, &program->A, newton->image, 1.0, answer->v);
    stic_factor_solve(newton->factor, answer->v);
    memcpy(newton->image, x, (size_t)newton->rows * sizeof *x);
    stic_block_csr_multiply(-1.0, &program->A, answer->v, 1.0, newton->image);
    for (int32_t p = 0; p < program->count; ++p)
        apply_block(newton, 1, p, newton->image + program->row_at[p],
                    answer->x + program->row_at[p]);
}

bool stic_limit_newton_factorise(SticLimitNewton* newton)
{
    SticFactorInfo info;
    const SticPivotSettings pivots = {.tiny = 0.0, .replacement = 0x1p-26};
    stic_gram_assemble(&newton->gram, scaled_block, newton, 0.0, newton->metric);
    stic_gram_add(&newton->gram, stic_larger(HELD * steepest(newton), PROXIMAL), newton->metric);
    if (stic_factor_compute(newton->factor, &newton->gram.K, &pivots, &info) != STIC_OK)
        return false;
    memset(newton->live.x, 0, (size_t)newton->rows * sizeof *newton->live.x);
    memset(newton->dead.x, 0, (size_t)newton->rows * sizeof *newton->dead.x);
    solve_inner(newton, newton->program->live, newton->live.x, &newton->live);
    solve_inner(newton, newton->program->dead, newton->dead.x, &newton->dead);
    return true;
}

// a flat array as a vector
static SticLimitVector view(const SticLimitNewton* newton, double* flat)
{
    const int32_t at = newton->cols + newton->rows;
    return (SticLimitVector){
        .v = flat, .x = flat + newton->cols, .s = flat[at], .tau = flat[at + 1]};
}

// s and tau of a vector to their places behind v and x
static void settle(const SticLimitNewton* newton, const SticLimitVector* vector)
{
    vector->x[newton->rows] = vector->s;
    vector->x[newton->rows + 1] = vector->tau;
}

// the whole system with the factor and its borders
static void solve_roughly(const void* self, const double* given, double* found)
{
    const SticLimitNewton* newton = self;
    const int32_t n = newton->cols;
    const double *live = newton->program->live, *dead = newton->program->dead;
    const double *x = given + n, *rest = x + newton->rows;
    SticLimitVector answer = view(newton, found);
    solve_inner(newton, given, x, &answer);
    const double a = -stic_limit_dot(n, live, newton->live.v);
    const double b = -stic_limit_dot(n, live, newton->dead.v);
    const double c = newton->ratio - stic_limit_dot(n, dead, newton->dead.v);
    const double s = rest[0] - stic_limit_dot(n, live, answer.v);
    const double tau = rest[1] - stic_limit_dot(n, dead, answer.v);
    // a c >= b^2 + a ratio by Cauchy and Schwarz
    const double least = a * newton->ratio + newton->aim * newton->aim;
    const double determinant = stic_larger(a * c - (b - newton->aim) * (b + newton->aim), least);
    answer.s = (c * s - (b - newton->aim) * tau) / determinant;
    answer.tau = (a * tau - (b + newton->aim) * s) / determinant;
    for (int32_t k = 0; k < n; ++k)
        answer.v[k] -= answer.s * newton->live.v[k] + answer.tau * newton->dead.v[k];
    for (int32_t k = 0; k < newton->rows; ++k)
        answer.x[k] -= answer.s * newton->live.x[k] + answer.tau * newton->dead.x[k];
    settle(newton, &answer);
}

static void multiply(const void* self, const double* given, double* found)
{
    const SticLimitNewton* newton = self;
    const SticLimitProgram* program = newton->program;
    const double *x = given + newton->cols, *rest = x + newton->rows;
    SticLimitVector image = view(newton, found);
    for (int32_t k = 0; k < newton->cols; ++k)
        image.v[k] = rest[0] * program->live[k] + rest[1] * program->dead[k] -
                     PROXIMAL * newton->metric[k] * given[k];
    stic_block_csr_multiply_transpose(1.0, &program->A, x, 1.0, image.v);
    for (int32_t p = 0; p < program->count; ++p)
        apply_block(newton, 0, p, x + program->row_at[p], image.x + program->row_at[p]);
    stic_block_csr_multiply(1.0, &program->A, given, 1.0, image.x);
    image.s = stic_limit_dot(newton->cols, program->live, given) - newton->aim * rest[1];
    image.tau = stic_limit_dot(newton->cols, program->dead, given) + newton->aim * rest[0] +
                newton->ratio * rest[1];
    settle(newton, &image);
}

void stic_limit_newton_solve(SticLimitNewton* newton, const SticLimitVector* right,
                             SticLimitVector* answer)
{
    const SticKrylovSettings settings = {
        .tolerance = ROUNDING, .max_iterations = CYCLES * DIRECTIONS, .restart = DIRECTIONS};
    const SticLinearOperator system = {.size = newton->cols + newton->rows + 2,
                                       .apply = multiply,
                                       .self = newton,
                                       .precondition = solve_roughly,
                                       .precondition_self = newton};
    SticKrylovInfo info;
    settle(newton, right);
    memset(answer->v, 0, (size_t)system.size * sizeof *answer->v);
    stic_gmres_solve(&system, right->v, &settings, newton->work, answer->v, &info);
    *answer = view(newton, answer->v);
}
