// SPDX-License-Identifier: Apache-2.0
// Largest eigenvalue of the small blocks that step lengths come from.
#ifndef STIC_LAW_RHO_H
#define STIC_LAW_RHO_H

#include "stiction/extend/law.h"

/// Largest eigenvalue of a symmetric matrix of 1 to 6 rows, which is overwritten.
double stic_largest_eigenvalue(int32_t n, double A[STIC_SET_DIM][STIC_SET_DIM]);

#endif
