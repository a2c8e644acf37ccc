// SPDX-License-Identifier: Apache-2.0
// Facts about a problem, established from its data.
#include "stiction/extend/problem.h"

#include "problem/mass.h"
#include "sparse/sparse.h"
#include "stiction/extend/base.h"
#include "stiction/extend/law.h"
#include "stiction/extend/sparse.h"

// rounding of a W that was computed, or written to a file with 15 digits
static const double symmetric_to_rounding = 1e-12;

static bool is_symmetric(const SticProblem* problem)
{
    if (problem->W != NULL)
        return stic_block_csr_asymmetry(problem->W) <= symmetric_to_rounding;
    return (problem->Pt == NULL || problem->Pt == problem->Ht) &&
           stic_block_csr_asymmetry(problem->M->A) <= symmetric_to_rounding;
}

// whether all pivots of LDL' of W are positive
static SticStatus is_definite(SticArena* scratch, const SticProblem* problem, bool* definite)
{
    const SticContext* context = stic_arena_context(scratch);
    SticProblem local;
    SticSymbolic* symbolic = NULL;
    SticFactor* factor = NULL;
    SticFactorInfo info = {0};
    STIC_TRY(stic_problem_condense(scratch, problem, &local, NULL));
    SticStatus status = stic_symbolic_create(context, local.W, STIC_ORDERING_AMD, &symbolic, NULL);
    if (status == STIC_OK)
        status = stic_factor_create(symbolic, STIC_FACTOR_LDL, &factor, NULL);
    if (status == STIC_OK)
        status = stic_factor_compute(factor, local.W, NULL, &info);
    *definite = status == STIC_OK && info.negative == 0 && info.replaced == 0;
    stic_factor_destroy(factor);
    stic_symbolic_destroy(symbolic);
    // a factor that overflows is an answer (no), not a failure
    return status == STIC_NOT_FINITE ? STIC_OK : status;
}

// whether the bound of interaction i comes from r, and whether from another interaction
static void look_at_bound(const SticProblem* problem, int32_t i, bool* depends, bool* foreign)
{
    const SticLaw law = (SticLaw)problem->law[i];
    const int32_t row = problem->bound_row != NULL ? problem->bound_row[i] : -1;
    const bool uses_bound = law != STIC_LAW_FREE && law != STIC_LAW_NONNEG;
    if (stic_law_has_normal(law)) {
        const double* coef = problem->coef[i];
        *depends = *depends || coef[0] != 0.0 || coef[1] != 0.0 || coef[2] != 0.0;
    } else if (uses_bound && row >= 0) {
        *depends = true;
        *foreign = *foreign || row < problem->row_at[i] || row >= problem->row_at[i + 1];
    }
}

SticStatus stic_problem_facts(SticArena* scratch, const SticProblem* problem, uint32_t* facts)
{
    STIC_ASSERT(scratch != NULL);
    STIC_ASSERT(problem != NULL);
    bool depends = false, foreign = false, definite = false;
    *facts = 0;
    if (problem->W == NULL)
        STIC_TRY(stic_mass_check(problem, NULL));
    for (int32_t i = 0; i < problem->count; ++i)
        look_at_bound(problem, i, &depends, &foreign);
    *facts |= depends ? 0u : STIC_FACT_CONVEX;
    *facts |= foreign ? STIC_FACT_FOREIGN_BOUND : 0u;
    if (!is_symmetric(problem))
        return STIC_OK;
    *facts |= STIC_FACT_SYMMETRIC;
    const SticArenaMark mark = stic_arena_mark(scratch);
    const SticStatus status = is_definite(scratch, problem, &definite);
    stic_arena_rewind(scratch, mark);
    *facts |= definite ? STIC_FACT_SPD : 0u;
    return status;
}
