// SPDX-License-Identifier: Apache-2.0
// A solver written by hand, projected Jacobi, on a problem of two blocks on top of each other.
#include <stdio.h>
#include <string.h>

#include "stiction/extend/extend.h"

// r_i := projected step of its law, half as long as one contact alone allows
static SticStatus run(SticSolveTask* task)
{
    const SticTaskView view = stic_task_view(task);
    const SticProblem* problem = view.problem;
    SticOperator* op = NULL;
    double *u = NULL, *next = NULL;
    STIC_TRY(stic_task_operator(task, STIC_FORM_AUTO, &op));
    STIC_TRY(STIC_TAKE(view.arena, &u, problem->rows));
    STIC_TRY(STIC_TAKE(view.arena, &next, problem->rows));
    do {
        stic_operator_apply(op, view.r, u);
        for (int32_t i = 0; i < problem->count; ++i) {
            const int32_t at = problem->row_at[i], rows = problem->row_at[i + 1] - at;
            const double bound = stic_problem_bound(problem, i, view.r);
            const SticLawBlock law = {(SticLaw)problem->law[i], rows, problem->coef[i], bound};
            double rho[3];
            stic_law_rho(law.law, rows, stic_operator_diagonal(op, i), rho);
            for (int g = 0; g < 3; ++g)
                rho[g] *= 0.5;
            stic_law_step(&law, rho, u + at, view.r + at, next + at);
        }
        memcpy(view.r, next, sizeof *next * (size_t)problem->rows);
    } while (stic_task_next(task, view.r, stic_operator_apply_work(op), -1.0));
    return STIC_OK;
}

int main(void)
{
    const SticSolver solver = {
        "jacobi", "projected Jacobi", STIC_LAW_ALL, 0, STIC_STRICT, NULL, run, false};
    const double M[4] = {1, 0, 0, 2};     // heights of the upper and of the lower block
    const double H[4] = {1, 0, -1, 1};    // contact of the two, contact with the floor
    const double f[2] = {-0.981, -1.962}; // weight in a tenth of a second
    const SticProblemDef def = {2, 1, 2, NULL, M, H, f, (const double[2]){0, 0}, NULL, NULL};
    const SticContext context = stic_context_default();
    SticError error = {0};
    SticProblemStore* store = NULL;
    SticSolveInfo info = {0};
    SticSolveRequest request = {.solver = &solver, .settings = stic_solve_default_settings()};
    double r[2] = {0}, u[2] = {0};
    const int failed = stic_problem_create(&context, &def, &store, &error) ||
                       stic_workspace_create(&context, &request.workspace) ||
                       stic_solve(stic_problem_view(store), &request, r, u, &info);
    printf("%s: %s, r = %.4f %.4f N s\n", info.method, stic_outcome_name(info.outcome), r[0], r[1]);
    fputs(error.text, stderr);
    fputs(info.error.text, stderr);
    stic_workspace_destroy(request.workspace);
    stic_problem_destroy(store);
    return failed;
}
