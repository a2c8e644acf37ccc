// SPDX-License-Identifier: Apache-2.0
// Problems in other forms, their facts, and the operator u = W r + b.
#ifndef STICTION_EXTEND_PROBLEM_H
#define STICTION_EXTEND_PROBLEM_H

#include "stiction/base.h"
#include "stiction/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Figures of a problem; those of W are about the local form (condensed where it is not given).
typedef struct SticProblemStatistics {
    int32_t interactions;        ///< all of them
    int32_t law[STIC_LAW_COUNT]; ///< of each law
    int32_t contacts;            ///< with a normal row: NONNEG, the CONE laws and ROLLING
    int32_t rows;                ///< scalar rows of r and u
    int32_t dof;                 ///< velocities, 0 without global form
    double density;          ///< rows of contacts over dof (3 contacts/dof in space), 0 if dof is
    int64_t blocks;          ///< blocks of W
    double mu_least;         ///< smallest friction coefficient of a contact, 0 if there is none
    double mu_most;          ///< largest one
    double asymmetry;        ///< |W - W'| / |W|
    int32_t rank;            ///< numerical rank of W at 1e-9 of its largest value
    int32_t negative;        ///< eigenvalues of the symmetric part below -1e-9 of the largest
    double condition;        ///< 1-norm condition number, estimated; infinite if rank < rows
    double eigenvalue_least; ///< smallest eigenvalue of the symmetric part; 0 if singular
    double eigenvalue_most;  ///< largest one
    double mu_unique;        ///< solutions are unique for mu up to this; 0 if W is singular
} SticProblemStatistics;

/// Compute the statistics of a problem; `scratch` is left as it was.
STIC_API SticStatus stic_problem_statistics(SticArena* scratch, const SticProblem* problem,
                                            SticProblemStatistics* statistics, SticError* error);
/// Check shapes, ranges and finiteness; names the interaction and the value that is wrong.
STIC_API SticStatus stic_problem_check(const SticProblem* problem, SticError* error);
/// The error measure that a norm names.
STIC_API double stic_errors_get(const SticErrors* errors, SticNorm norm);

/* ---- the data ---- */

/// Facts about a problem: established by stic_problem_facts, never assumed by a solver.
enum {
    STIC_FACT_SYMMETRIC = 1u << 0,     ///< W is symmetric to rounding
    STIC_FACT_SPD = 1u << 1,           ///< W is positive definite
    STIC_FACT_FOREIGN_BOUND = 1u << 2, ///< some bound comes from another interaction's row
    STIC_FACT_CONVEX = 1u << 3         ///< no bound depends on r: with symmetric W a convex QP
};

/// Deep copy.
STIC_API SticStatus stic_problem_copy(const SticContext* context, const SticProblem* problem,
                                      SticProblemStore** copy);
/// View with W and b, computed from the global form into `arena` where they are missing.
STIC_API SticStatus stic_problem_condense(SticArena* arena, const SticProblem* problem,
                                          SticProblem* local, SticError* error);
/// View in the variables r + r_shift and u + u_shift, which has no shifts; new vectors are taken
/// from `arena`. Bounds and laws are unchanged.
STIC_API SticStatus stic_problem_fold(SticArena* arena, const SticProblem* problem,
                                      SticProblem* folded);
/// Facts about the problem (STIC_FACT_*), established from its data; SPD by a trial factorisation.
STIC_API SticStatus stic_problem_facts(SticArena* scratch, const SticProblem* problem,
                                       uint32_t* facts);
/// Bound B of interaction i (see law.h) for reactions r.
STIC_API double stic_problem_bound(const SticProblem* problem, int32_t i, const double* r);

/* ---- files ---- */

/// Lower-case name of a format.
STIC_API const char* stic_format_name(SticFormat format);
/// What the file said besides the data; valid as long as the store.
STIC_API const SticMetadata* stic_problem_metadata(const SticProblemStore* store);

/* ---- operator: u = W r + b in whichever form is at hand ---- */

/// How the operator is stored.
typedef enum SticForm {
    STIC_FORM_AUTO,     ///< factored where M is block diagonal, else explicit
    STIC_FORM_EXPLICIT, ///< rows of W
    STIC_FORM_FACTORED  ///< mass-scaled H: u = Hs' vs, push vs += Hs dr
} SticForm;

/// Prepared operator with the diagonal blocks of W; solvers use it through the functions below and
/// the inline kernels of src/problem/operator_kernel.h.
typedef struct SticOperator SticOperator;

/// Prepare the operator in `arena`; it lives until the arena is rewound.
STIC_API SticStatus stic_operator_create(SticArena* arena, const SticProblem* problem,
                                         SticForm form, SticOperator** made, SticError* error);
/// u = W r + b, in chunks on the pool of the arena's context; the shifts of the problem are not
/// used. One call at a time per operator.
STIC_API void stic_operator_apply(const SticOperator* op, const double* r, double* u);
/// Diagonal block W_ii, row by row.
STIC_API const double* stic_operator_diagonal(const SticOperator* op, int32_t i);
/// Form in use.
STIC_API SticForm stic_operator_form(const SticOperator* op);
/// Bytes read and written by one Gauss-Seidel sweep, for benchmarks.
STIC_API size_t stic_operator_sweep_bytes(const SticOperator* op);
/// Multiplications of one stic_operator_apply, the unit in which solvers count work.
STIC_API double stic_operator_apply_work(const SticOperator* op);

#ifdef __cplusplus
}
#endif

#endif
