// SPDX-License-Identifier: Apache-2.0
// Shifts folded into the data: the same problem in x = r + r_shift, y = u + u_shift.
//
//   y = W x + (b + u_shift - W r_shift)
//   M v = (f - H r_shift) + H x        y = P' v + (w + u_shift)
//
// Restitution, gaps, drives and cohesion are shifts; whoever works on the folded problem need not
// know of them.
#include "stiction/extend/base.h"
#include "stiction/extend/problem.h"
#include "stiction/extend/sparse.h"

#include <string.h>

// copy of `from` (zeros if NULL) plus `shift` (nothing if NULL)
static SticStatus shifted_copy(SticArena* arena, const double* from, const double* shift,
                               int32_t count, double** made)
{
    STIC_TRY(STIC_TAKE(arena, made, count));
    for (int32_t k = 0; k < count; ++k)
        (*made)[k] = from[k] + (shift != NULL ? shift[k] : 0.0);
    return STIC_OK;
}

SticStatus stic_problem_fold(SticArena* arena, const SticProblem* problem, SticProblem* folded)
{
    STIC_ASSERT(arena != NULL);
    STIC_ASSERT(problem != NULL);
    STIC_ASSERT(folded != NULL);
    *folded = *problem;
    folded->u_shift = NULL;
    folded->r_shift = NULL;
    if (problem->u_shift == NULL && problem->r_shift == NULL)
        return STIC_OK;
    if (problem->W != NULL) {
        double* b = NULL;
        STIC_TRY(shifted_copy(arena, problem->b, problem->u_shift, problem->rows, &b));
        if (problem->r_shift != NULL)
            stic_block_csr_multiply(-1.0, problem->W, problem->r_shift, 1.0, b);
        folded->b = b;
    }
    if (problem->M != NULL) {
        double *w = NULL, *f = NULL;
        STIC_TRY(shifted_copy(arena, problem->w, problem->u_shift, problem->rows, &w));
        STIC_TRY(shifted_copy(arena, problem->f, NULL, problem->dof, &f));
        if (problem->r_shift != NULL)
            stic_block_csr_multiply_transpose(-1.0, problem->Ht, problem->r_shift, 1.0, f);
        folded->w = w;
        folded->f = f;
    }
    return STIC_OK;
}
