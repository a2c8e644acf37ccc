// SPDX-License-Identifier: Apache-2.0
// Iterations of JORprox and SORprox against the relaxation factor on a block with two corners
// (Studer & Glocker 2006, section 5.8, figs. 7 and 8), as comma-separated values for a plot.
//
//     bench_block_omega > block_omega.csv
//
// Columns: state of the block, method, omega, iterations until the recomputed error is 1e-9 (empty:
// not within 2000), iterations until no force moves by more than 1e-9 of itself, and the error that
// is left then. Loads are in the table below; docs/theory/prox-iterations.md discusses the result.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stiction/extend/base.h"
#include "stiction/extend/solver.h"

enum { LIMIT = 2000, ROWS = 4 };

typedef struct Block {
    SticProblem problem;
    SticBlockCsr W;
    double value[ROWS * ROWS], b[ROWS], coef[ROWS][4];
} Block;

typedef union Settings {
    double align;
    unsigned char bytes[256];
} Settings;

// m = 2.1, J = 0.018, half width 0.15, half height 0.05; contacts 1, 2, friction 3, 4 with
// |lambda_3| <= mu lambda_1 and |lambda_4| <= mu lambda_2
static void make_block(Block* block, double mu, const double load[3])
{
    static const int32_t at[ROWS + 1] = {0, 1, 2, 3, 4}, begin[ROWS + 1] = {0, 4, 8, 12, 16};
    static const int32_t col[ROWS * ROWS] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
    static const int64_t value_at[ROWS * ROWS + 1] = {0, 1,  2,  3,  4,  5,  6,  7, 8,
                                                      9, 10, 11, 12, 13, 14, 15, 16};
    static const uint8_t law[ROWS] = {STIC_LAW_NONNEG, STIC_LAW_NONNEG, STIC_LAW_INTERVAL,
                                      STIC_LAW_INTERVAL};
    static const int32_t bound_row[ROWS] = {-1, -1, 0, 1};
    const double directions[3][ROWS] = {{0, 0, 1, 1}, {1, 1, 0, 0}, {-0.15, 0.15, 0.05, 0.05}};
    const double inverse_mass[3] = {1 / 2.1, 1 / 2.1, 1 / 0.018};
    memset(block, 0, sizeof *block);
    for (int i = 0; i < ROWS; ++i) {
        block->coef[i][0] = block->coef[i][1] = i < 2 ? 0.0 : mu;
        for (int k = 0; k < 3; ++k) {
            block->b[i] += directions[k][i] * inverse_mass[k] * load[k];
            for (int j = 0; j < ROWS; ++j)
                block->value[ROWS * i + j] += directions[k][i] * inverse_mass[k] * directions[k][j];
        }
    }
    block->W = (SticBlockCsr){ROWS, ROWS, at, at, begin, col, value_at, block->value};
    block->problem = (SticProblem){.count = ROWS,
                                   .rows = ROWS,
                                   .row_at = at,
                                   .law = law,
                                   .coef = (const double(*)[4])block->coef,
                                   .bound_row = bound_row,
                                   .W = &block->W,
                                   .b = block->b};
}

// one solve; a step tolerance of 0 leaves the decision to the recomputed error
static SticStatus solve(const Block* block, SticSolveRequest* request, double omega,
                        const char* step_tolerance, SticSolveInfo* info)
{
    Settings settings;
    char text[32];
    double r[ROWS], u[ROWS];
    const SticFieldTable* fields = request->solver->fields;
    stic_fields_default(fields, settings.bytes);
    snprintf(text, sizeof text, "%.17g", omega);
    STIC_TRY(stic_fields_set(fields, settings.bytes, "omega", text, &info->error));
    STIC_TRY(stic_fields_set(fields, settings.bytes, "rho", "diagonal", &info->error));
    STIC_TRY(
        stic_fields_set(fields, settings.bytes, "step_tolerance", step_tolerance, &info->error));
    request->method_settings = settings.bytes;
    return stic_solve(&block->problem, request, r, u, info);
}

static SticStatus scan(const char* state, const Block* block, const char* method,
                       SticWorkspace* workspace, SticError* error)
{
    SticSolveRequest request = {.solver = stic_solver_find(method, error),
                                .settings = stic_solve_default_settings(),
                                .workspace = workspace};
    if (request.solver == NULL)
        return error->status;
    request.settings.norm = STIC_NORM_RELATIVE;
    request.settings.max_iterations = LIMIT;
    for (int step = 1; step <= 110; ++step) {
        const double omega = 0.02 * step;
        SticSolveInfo by_error = {0}, by_step = {0};
        request.settings.tolerance = 1e-9;
        STIC_TRY(solve(block, &request, omega, "0", &by_error));
        request.settings.tolerance = 0.0;
        STIC_TRY(solve(block, &request, omega, "1e-9", &by_step));
        printf("%s,%s,%.2f,", state, method, omega);
        if (by_error.outcome == STIC_OUTCOME_SOLVED)
            printf("%d", by_error.iterations);
        printf(",");
        if (by_step.iterations < LIMIT && by_step.outcome != STIC_OUTCOME_DIVERGED)
            printf("%d,%.1e", by_step.iterations, by_step.errors.relative);
        else
            printf(",");
        printf("\n");
    }
    return STIC_OK;
}

int main(void)
{
    // weight 2.1 * 9.81 N and mu = 0.4: the block slides beyond 8.24 N and tips beyond 3.09 N m
    static const struct {
        const char* name;
        double load[3]; // force along x and y in N, moment in N m
    } states[] = {{"stick", {2.0, -2.1 * 9.81, 0.0}},
                  {"slide", {12.0, -2.1 * 9.81, 0.0}},
                  {"one-opens", {2.0, -2.1 * 9.81, 4.0}}};
    const SticContext context = stic_context_default();
    SticWorkspace* workspace = NULL;
    SticError error = {0};
    if (stic_workspace_create(&context, &workspace) != STIC_OK)
        return 1;
    SticStatus status = STIC_OK;
    printf("state,method,omega,iterations,iterations_by_step,error_by_step\n");
    for (size_t s = 0; s < sizeof states / sizeof states[0] && status == STIC_OK; ++s) {
        Block block;
        make_block(&block, 0.4, states[s].load);
        status = scan(states[s].name, &block, "jor-prox", workspace, &error);
        if (status == STIC_OK)
            status = scan(states[s].name, &block, "sor-prox", workspace, &error);
    }
    stic_workspace_destroy(workspace);
    if (status != STIC_OK)
        fprintf(stderr, "%s\n", stic_status_text(status));
    return status == STIC_OK ? 0 : 1;
}
