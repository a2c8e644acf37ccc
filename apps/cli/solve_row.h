// SPDX-License-Identifier: Apache-2.0
// Results of `stiction solve` as a table for people, JSON lines for programs, and a history file.
#ifndef STIC_CLI_SOLVE_ROW_H
#define STIC_CLI_SOLVE_ROW_H

#include "print.h"
#include "problem_file.h"
#include "solve_plan.h"
#include "stiction/file.h"

/// What one solver did with one problem.
typedef struct CliSolveRow {
    const char* path;
    const SticProblem* problem;
    CliSizes sizes;
    const SticSolver* solver;
    const SticSolveInfo* info;
    bool refused; ///< the solver does not take this problem; info->error says why
} CliSolveRow;

/// The table that people get.
typedef struct CliSolveTable {
    CliTable columns;
    size_t folder; ///< letters of the folders that all files share; not printed
    bool begun;    ///< header line and headings were printed
} CliSolveTable;

/// Table for the files and solvers of a call.
CliSolveTable cli_solve_table(const CliCall* call, const CliSolvePlan* plan);
/// Print one row in the plan's form; header line and headings come before the first one.
void cli_solve_print(const CliSolvePlan* plan, CliSolveTable* table, const CliSolveRow* row);
/// Append the history of a row to a CSV file.
SticStatus cli_solve_history(const CliSolveRow* row, SticReplace* file, SticError* error);
/// First line of that file.
SticStatus cli_solve_history_head(SticReplace* file, SticError* error);

#endif
