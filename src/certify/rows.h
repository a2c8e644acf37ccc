// SPDX-License-Identifier: Apache-2.0
// Equations and inequalities of a branch as a condition.
#ifndef STIC_CERTIFY_ROWS_H
#define STIC_CERTIFY_ROWS_H

#include "certify/branch.h"

/// A condition in the making: rows of S z + c, in the memory of the small problem.
typedef struct SticRows {
    SticMinor* minor;
    int32_t unknowns, count, rows;
} SticRows;

/// Start without rows.
SticRows stic_rows_begin(SticMinor* minor, int32_t unknowns);
/// Equations of a branch as joints, then its inequalities; branch.c.
SticRows stic_branch_rows(SticMinor* minor, const uint8_t* state, int32_t unknowns);
/// Add row k of x, or of y if `velocity`, times `sign`.
void stic_rows_add(SticRows* rows, int32_t k, double sign, bool velocity);
/// The rows added since the last end are one block with this law.
void stic_rows_end(SticRows* rows, SticLaw law, double mu);
/// Reactions of contact i in their set, and its velocities where `moving`.
void stic_rows_inequalities(SticRows* rows, const uint8_t* state, int32_t i, bool moving);
/// The rows as a problem that the verifier reads.
SticStatus stic_rows_condition(SticRows* rows, SticBlockCsr* S, SticProblem* made);
/// Largest margin of the inequalities: z inside in minor->z, multipliers in minor->multiplier, and
/// what the verifier says of them.
SticStatus stic_rows_inspect(SticRows* rows, SticCertificateCheck* check, double* margin);
/// Rank of an m x n matrix by rows, by elimination with complete pivoting; destroys it.
int32_t stic_rows_rank(int32_t m, int32_t n, double* A);

#endif
