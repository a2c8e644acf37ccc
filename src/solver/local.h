// SPDX-License-Identifier: Apache-2.0
// Local solves of single interactions, and the diagonal blocks in the form they need.
#ifndef STIC_SOLVER_LOCAL_H
#define STIC_SOLVER_LOCAL_H

#include "solver/local_contact.h"
#include "stiction/extend/law.h"
#include "stiction/extend/problem.h"

/// Copy of the diagonal block W_ii that can be solved with: where it is singular to rounding a
/// small multiple of the identity is added. With q = u - D r_old the fixed point of a local solve
/// does not depend on that multiple. False if D_NN (any diagonal entry for FREE) is not positive.
bool stic_local_block(const double* W_ii, int32_t rows, double* D);
/// Contact data from a block made by stic_local_block.
SticContactBlock stic_local_contact(const double* D, double mu);

/// Limits of an iterated local solve.
typedef struct SticLocalLimits {
    int32_t iterations; ///< projected steps at most
    double tolerance;   ///< stop when the step is this fraction of the first one
} SticLocalLimits;

/// Any law by projected steps with step lengths rho: r is start and result, u = D r + q.
void stic_local_iterate(const SticLawBlock* block, const double rho[3], const double* D,
                        const double* q, SticLocalLimits limits, double* r);

#endif
