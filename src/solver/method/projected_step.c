// SPDX-License-Identifier: Apache-2.0
// Projected steps of all laws and the search for their length.
//
// A trial costs one pass over the laws, one product with W and one pass for the sums. Passes run in
// chunks on the pool; sums are added up in the order of the chunks, so that the result is the same
// for any number of threads.
#include "solver/method/projected_step.h"

#include <string.h>

#include "problem/operator_kernel.h"

int32_t stic_projected_step_chunks(const SticProjectedStep* step)
{
    return (step->problem->count + STIC_OPERATOR_CHUNK - 1) / STIC_OPERATOR_CHUNK;
}

SticStatus stic_projected_step_create(SticSolveTask* task, double length, SticProjectedStep* made)
{
    STIC_ASSERT(length > 0.0);
    const SticProblem* problem = task->problem;
    *made = (SticProjectedStep){.problem = problem, .length = length};
    STIC_TRY(stic_task_operator(task, STIC_FORM_AUTO, &made->op));
    STIC_TRY(STIC_TAKE(task->arena, &made->rho, problem->count));
    STIC_TRY(STIC_TAKE(task->arena, &made->sums, stic_projected_step_chunks(made)));
    for (int32_t i = 0; i < problem->count; ++i)
        stic_law_rho((SticLaw)problem->law[i], problem->row_at[i + 1] - problem->row_at[i],
                     stic_operator_diagonal(made->op, i), made->rho[i]);
    return STIC_OK;
}

static void project_chunk(void* self, int32_t chunk)
{
    const SticProjectedStep* step = self;
    const SticProblem* problem = step->problem;
    const int32_t first = chunk * STIC_OPERATOR_CHUNK;
    for (int32_t i = first; i < problem->count && i < first + STIC_OPERATOR_CHUNK; ++i) {
        const int32_t at = problem->row_at[i];
        const SticLawBlock block = {.law = (SticLaw)problem->law[i],
                                    .rows = problem->row_at[i + 1] - at,
                                    .coef = problem->coef[i],
                                    .B = stic_problem_bound(problem, i, step->base)};
        const double rho[3] = {step->length * step->rho[i][0], step->length * step->rho[i][1],
                               step->length * step->rho[i][2]};
        stic_law_step(&block, rho, step->velocity + at, step->base + at, step->to + at);
    }
}

void stic_projected_step_run(SticProjectedStep* step, const double* base, const double* velocity,
                             double* to)
{
    step->base = base;
    step->velocity = velocity;
    step->to = to;
    stic_pool_run(step->op->pool, stic_projected_step_chunks(step), project_chunk, step);
}

int32_t stic_projected_step_search(SticProjectedStep* step, const SticStepSearch* search,
                                   double sums[STIC_STEP_SUMS])
{
    const int32_t chunks = stic_projected_step_chunks(step);
    int32_t trials = 0;
    do {
        stic_projected_step_run(step, search->base, search->velocity, search->to);
        stic_operator_apply(step->op, search->to, search->u_to);
        stic_pool_run(step->op->pool, chunks, search->sum, search->self);
        memset(sums, 0, STIC_STEP_SUMS * sizeof *sums);
        for (int32_t c = 0; c < chunks; ++c)
            for (int k = 0; k < STIC_STEP_SUMS; ++k)
                sums[k] += step->sums[c][k];
        trials += 1;
    } while (trials < search->trials && !search->accept(search->self, sums));
    return trials;
}
