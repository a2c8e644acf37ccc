// SPDX-License-Identifier: Apache-2.0
// The rows of an interaction that the conditions A and A' speak about.
#ifndef STIC_CERTIFY_CONDITION_H
#define STIC_CERTIFY_CONDITION_H

#include "stiction/extend/certify.h"

enum { STIC_CONDITION_ROWS = 6 };

/// Rows of one interaction in a condition: factor * u is in a cone y_0 >= |(y_1, …)|, or is 0.
typedef struct SticConditionRows {
    int32_t count; ///< rows that take part; 0: the law asks for nothing
    bool equality; ///< u = 0 (joints); else a cone
    int32_t row[STIC_CONDITION_ROWS];
    double factor[STIC_CONDITION_ROWS]; ///< 1 for normal rows, mu for friction rows
} SticConditionRows;

/// The rows of interaction i.
SticConditionRows stic_condition_rows(const SticProblem* problem, SticCondition condition,
                                      int32_t i);
/// Whether every law is one that the existence theorem covers.
bool stic_condition_covers(const SticProblem* problem);
/// Matrix P' or W of u = S v + c.
const SticBlockCsr* stic_condition_matrix(const SticProblem* problem);
/// Vector c of u = S v + c, shifts included, of one row.
double stic_condition_offset(const SticProblem* problem, int32_t row);
/// Largest |c| of the rows that take part, 1 if that is 0.
double stic_condition_size(const SticProblem* problem, SticCondition condition);

/// What is known at the end; the only input of the verdict.
typedef struct SticFindings {
    bool applies;                   ///< the theorem covers the problem
    bool witness;                   ///< `best` is filled
    SticWitnessCheck best;          ///< of condition A
    bool refuted;                   ///< `necessary` is filled
    SticCertificateCheck necessary; ///< of condition A'
    double size;                    ///< unit of the tolerance
} SticFindings;

/// The verdict. Nothing else decides it.
SticVerdict stic_findings_decide(const SticFindings* findings, double tolerance);

#endif
