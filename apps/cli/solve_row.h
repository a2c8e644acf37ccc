// SPDX-License-Identifier: Apache-2.0
// Results of `stiction solve` as a table for people, JSON lines for programs, and a history file.
#ifndef STIC_CLI_SOLVE_ROW_H
#define STIC_CLI_SOLVE_ROW_H

#include "print.h"
#include "problem_file.h"
#include "solve_plan.h"

/// What one solver did with one problem.
typedef struct CliSolveRow {
    const char* path;
    const SticProblem* problem;
    CliSizes sizes;
    const SticSolver* solver;
    const SticSolveInfo* info;
    const SticExistence* existence; ///< NULL: nobody asked
    bool refused;                   ///< the solver does not take this problem; info->error says why
} CliSolveRow;

/// The table that people get.
typedef struct CliSolveTable {
    CliTable columns;
    size_t folder;   ///< letters of the folders that all files share; not printed
    int32_t rows;    ///< printed so far
    int32_t solved;  ///< of these
    int32_t refused; ///< of these
} CliSolveTable;

/// Table for the files and solvers of a call.
CliSolveTable cli_solve_table(const CliCall* call, const CliSolvePlan* plan);
/// Say below the rows of a problem whether it has a solution; for people only.
void cli_solve_print_existence(const CliSolvePlan* plan, const SticExistence* existence);
/// Print one row in the plan's form; header line and headings come before the first one.
void cli_solve_print(const CliSolvePlan* plan, CliSolveTable* table, const CliSolveRow* row);
/// Print how many rows were solved, if there is more than one; nothing for programs.
void cli_solve_print_sum(const CliSolvePlan* plan, const CliSolveTable* table);

/// Text of the history file, kept until everything is solved: a program that is stopped leaves no
/// half-written file.
typedef struct CliHistory {
    char* text;
    size_t size, capacity;
} CliHistory;

/// Add the headings, or (with a row) what a row's solve recorded.
SticStatus cli_history_add(const SticContext* context, CliHistory* history, const CliSolveRow* row);

#endif
