// SPDX-License-Identifier: Apache-2.0
// What `stiction solve` is asked to do, from its options.
#ifndef STIC_CLI_SOLVE_PLAN_H
#define STIC_CLI_SOLVE_PLAN_H

#include "certify_options.h"
#include "options.h"
#include "stiction/extend/problem.h"
#include "stiction/extend/solver.h"

/// The request, checked.
typedef struct CliSolvePlan {
    SticContext context; ///< with the threads asked for
    SticSolveSettings settings;
    const SticSolver* only; ///< NULL: every solver of the table
    int32_t solver_count;   ///< entries of the table of solvers
    void** method;          ///< [solver_count] their settings
    SticFormat format;
    CliInquiry inquiry;
    bool json;
    const char* output;  ///< NULL: none
    const char* history; ///< NULL: none
} CliSolvePlan;

/// Make the plan; what is wrong is reported. cli_solve_plan_clear in any case.
CliExit cli_solve_plan(const CliCall* call, CliSolvePlan* plan);
/// Free memory and threads.
void cli_solve_plan_clear(CliSolvePlan* plan);
/// Whether entry `index` of the table takes part.
bool cli_solve_plan_takes(const CliSolvePlan* plan, int32_t index);

#endif
